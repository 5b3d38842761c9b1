//===- GeneratorTest.cpp - random graphs ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random graphs are reproducible, valid and comparable, and contain every
/// operation.
///
//===----------------------------------------------------------------------===//

#include "tg-fuzz/Generator.h"
#include "tg-fuzz/Bindings.h"
#include "tg-fuzz/Tracker.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace mlir::tg;

namespace {

class GeneratorTest : public ::testing::Test {
protected:
  GeneratorTest() : context(MLIRContext::Threading::DISABLED) {
    tinygrad::prepareContext(context);
    options.largeElements = 10000;
  }

  std::string print(uint64_t seed) {
    std::string text;
    llvm::raw_string_ostream os(text);
    generateGraph(&context, seed, options)->print(os);
    return text;
  }

  MLIRContext context;
  GeneratorOptions options;
};

TEST_F(GeneratorTest, TheSameSeedGivesTheSameGraph) {
  EXPECT_EQ(print(7), print(7));
  EXPECT_NE(print(7), print(8));
}

TEST_F(GeneratorTest, GraphsAreValidAndComparable) {
  options.symbolicPercent = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    OwningOpRef<ModuleOp> module = generateGraph(&context, seed, options);
    ASSERT_TRUE(succeeded(verify(*module))) << print(seed);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    auto inputs = getInputs(function);
    ASSERT_TRUE(succeeded(inputs));
    EXPECT_TRUE(trackFunction(function, *inputs)) << print(seed);
  }
}

/// The same for all values of the variables that graphs are checked with.
TEST_F(GeneratorTest, SymbolicGraphsAreValidAndComparable) {
  options.symbolicPercent = 100;
  int64_t compared = 0, tried = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    OwningOpRef<ModuleOp> module = generateGraph(&context, seed, options);
    ASSERT_TRUE(succeeded(verify(*module))) << print(seed);
    auto variables = collectVariables(*module);
    ASSERT_TRUE(succeeded(variables));
    EXPECT_LE(variables->size(), 3u);
    for (const Binding &binding : chooseBindings(*variables)) {
      OwningOpRef<ModuleOp> bound = bind(*module, binding);
      ASSERT_TRUE(succeeded(verify(*bound))) << print(seed);
      auto function = bound->lookupSymbol<func::FuncOp>("main");
      auto inputs = getInputs(function);
      ASSERT_TRUE(succeeded(inputs));
      ++tried;
      compared += trackFunction(function, *inputs).has_value();
    }
  }
  // If a variable ends up unused, another graph is tried.
  EXPECT_GE(compared, tried * 95 / 100) << tried;
}

TEST_F(GeneratorTest, EverythingIsReached) {
  std::set<std::string> ops, elementTypes;
  std::set<int64_t> ranks;
  bool hasEmpty = false;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    OwningOpRef<ModuleOp> module = generateGraph(&context, seed, options);
    module->walk([&](Operation *op) {
      ops.insert(op->getName().getStringRef().str());
      for (Type type : op->getOperandTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type)) {
          std::string text;
          llvm::raw_string_ostream(text) << tensor.getElementType();
          elementTypes.insert(text);
          ranks.insert(tensor.getRank());
          hasEmpty |= llvm::is_contained(tensor.getShape(), 0);
        }
    });
  }
  // All operations of level 1 except tg.buffer, whose role arguments play.
  for (const char *op :
       {"neg",    "recip",    "sqrt",     "exp2",       "exp",    "expm1",
        "log2",   "log",      "log1p",    "sin",        "cos",    "tan",
        "asin",   "acos",     "atan",     "tanh",       "erf",    "trunc",
        "cast",   "bitcast",  "add",      "sub",        "mul",    "fdiv",
        "idiv",   "floordiv", "mod",      "floormod",   "max",    "pow",
        "and",    "or",       "xor",      "shl",        "shr",    "cmplt",
        "cmpeq",  "cmpne",    "threefry", "where",      "mulacc", "const",
        "iota",   "reduce",   "reshape",  "permute",    "expand", "pad",
        "shrink", "flip",     "copy",     "contiguous", "detach", "assign"})
    EXPECT_TRUE(ops.count(std::string("tg.") + op)) << op;
  EXPECT_EQ(elementTypes.size(), 17u);
  EXPECT_EQ(ranks, (std::set<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(hasEmpty);
}

TEST_F(GeneratorTest, EverySymbolicFormIsReached) {
  options.symbolicPercent = 100;
  std::set<std::string> ops;
  std::set<DimOpKind> kinds;
  std::set<size_t> counts;
  bool canBeEmpty = false;
  for (uint64_t seed = 0; seed < 250; ++seed) {
    OwningOpRef<ModuleOp> module = generateGraph(&context, seed, options);
    auto variables = collectVariables(*module);
    ASSERT_TRUE(succeeded(variables));
    counts.insert(variables->size());
    // Operations with a symbolic operand, result or attribute.
    module->walk([&](Operation *op) {
      if (isa<ModuleOp, func::FuncOp, func::ReturnOp>(op))
        return;
      auto note = [&](Dim dim) {
        if (dim.isStatic())
          return;
        ops.insert(op->getName().stripDialect().str());
        canBeEmpty |= dim.getMin() == 0;
        if (auto expr = dyn_cast<DimExprAttr>(dim.getAttr()))
          kinds.insert(expr.getKind());
      };
      for (ValueRange values :
           {ValueRange(op->getOperands()), ValueRange(op->getResults())})
        for (Type type : values.getTypes())
          for (Dim dim : getDims(cast<RankedTensorType>(type)))
            note(dim);
      if (auto dim = dyn_cast<DimOp>(op))
        note(Dim(dim.getDim()));
    });
  }
  for (const char *op :
       {"add", "where", "cmplt", "cast", "const", "iota", "dim", "reduce",
        "expand", "pad", "shrink", "flip", "assign", "after", "contiguous",
        "reshape", "permute", "exp2", "mul"})
    EXPECT_TRUE(ops.count(op)) << op;
  EXPECT_EQ(kinds, (std::set<DimOpKind>{DimOpKind::add, DimOpKind::mul,
                                        DimOpKind::floordiv, DimOpKind::mod,
                                        DimOpKind::min, DimOpKind::max}));
  EXPECT_EQ(counts, (std::set<size_t>{0, 1, 2, 3}));
  EXPECT_TRUE(canBeEmpty);
}

/// The share of graphs with variables is as requested.
TEST_F(GeneratorTest, ShareOfSymbolicGraphs) {
  auto count = [&](int64_t percent) {
    options.symbolicPercent = percent;
    int64_t symbolic = 0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      OwningOpRef<ModuleOp> module = generateGraph(&context, seed, options);
      symbolic += !collectVariables(*module)->empty();
    }
    return symbolic;
  };
  EXPECT_EQ(count(0), 0);
  int64_t some = count(40);
  EXPECT_GT(some, 15);
  EXPECT_LT(some, 60);
}

} // namespace
