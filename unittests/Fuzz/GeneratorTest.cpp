//===- GeneratorTest.cpp - random graphs ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random graphs are reproducible, valid, comparable, and reach everything.
///
//===----------------------------------------------------------------------===//

#include "tg-fuzz/Generator.h"
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
  for (uint64_t seed = 0; seed < 200; ++seed) {
    OwningOpRef<ModuleOp> module = generateGraph(&context, seed, options);
    ASSERT_TRUE(succeeded(verify(*module))) << print(seed);
    auto function = module->lookupSymbol<func::FuncOp>("main");
    auto inputs = getInputs(function);
    ASSERT_TRUE(succeeded(inputs));
    EXPECT_TRUE(trackFunction(function, *inputs)) << print(seed);
  }
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
          hasEmpty |= tensor.getNumElements() == 0;
        }
    });
  }
  // Level 1, but for tg.buffer, which arguments stand for.
  for (const char *op :
       {"neg",   "recip",  "sqrt",     "exp2",     "log2",       "sin",
        "trunc", "cast",   "bitcast",  "add",      "sub",        "mul",
        "fdiv",  "idiv",   "floordiv", "mod",      "floormod",   "max",
        "pow",   "and",    "or",       "xor",      "shl",        "shr",
        "cmplt", "cmpeq",  "cmpne",    "threefry", "where",      "mulacc",
        "const", "iota",   "reduce",   "reshape",  "permute",    "expand",
        "pad",   "shrink", "flip",     "copy",     "contiguous", "detach",
        "assign"})
    EXPECT_TRUE(ops.count(std::string("tg.") + op)) << op;
  EXPECT_EQ(elementTypes.size(), 17u);
  EXPECT_EQ(ranks, (std::set<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(hasEmpty);
}

} // namespace
