//===- BindingsTest.cpp - values of variables -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The values with which graphs with variables are tested, and the graphs and
/// inputs with these values.
///
//===----------------------------------------------------------------------===//

#include "tg-fuzz/Bindings.h"
#include "tg-fuzz/Checks.h"
#include "tg-fuzz/Generator.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "support/ToolSupport.h"

#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace mlir::tg;

namespace {

class BindingsTest : public ::testing::Test {
protected:
  BindingsTest() : context(MLIRContext::Threading::DISABLED) {
    tinygrad::prepareContext(context);
  }

  VarAttr variable(StringRef name, int64_t min, int64_t max) {
    return VarAttr::get(&context, StringAttr::get(&context, name), min, max);
  }

  static std::set<std::string> getTexts(ArrayRef<VarAttr> variables) {
    std::vector<Binding> bindings = chooseBindings(variables);
    std::set<std::string> texts;
    for (const Binding &binding : bindings)
      texts.insert(toString(binding));
    EXPECT_EQ(texts.size(), bindings.size()) << "the same values twice";
    return texts;
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  MLIRContext context;
};

TEST_F(BindingsTest, AllValuesOfSmallRanges) {
  EXPECT_EQ(getTexts({}), std::set<std::string>{""});
  EXPECT_EQ(getTexts(variable("n", 2, 4)),
            (std::set<std::string>{"n=2", "n=3", "n=4"}));
  EXPECT_EQ(
      getTexts({variable("m", 0, 1), variable("n", 5, 6)}),
      (std::set<std::string>{"m=0,n=5", "m=0,n=6", "m=1,n=5", "m=1,n=6"}));
}

TEST_F(BindingsTest, TheEndsOfLargeRanges) {
  std::set<std::string> texts =
      getTexts({variable("m", 0, 100), variable("n", 3, 1000)});
  EXPECT_LE(texts.size(), 12u);
  EXPECT_GE(texts.size(), 5u);
  for (const char *ends :
       {"m=0,n=3", "m=100,n=1000", "m=100,n=3", "m=0,n=1000"})
    EXPECT_TRUE(texts.count(ends)) << ends;
  EXPECT_EQ(texts, getTexts({variable("m", 0, 100), variable("n", 3, 1000)}));
}

TEST_F(BindingsTest, InputsAreCutToTheirShapes) {
  OwningOpRef<ModuleOp> module =
      parse("func.func @main(%x: tensor<2x?xi32, #tg.shape<2, #tg.var<\"n\", "
            "0, 3>>> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : "
            "tensor<2x3xi32>}, %y: tensor<3xi32> {tg.input = dense<7> : "
            "tensor<3xi32>}) { return }");
  auto getInput = [&](int64_t n) {
    Binding binding;
    binding["n"] = n;
    OwningOpRef<ModuleOp> bound = bind(*module, binding);
    EXPECT_TRUE(succeeded(verify(*bound)));
    auto function = bound->lookupSymbol<func::FuncOp>("main");
    std::string text;
    llvm::raw_string_ostream(text) << function.getArgumentTypes()[0] << ' '
                                   << function.getArgAttr(0, "tg.input") << ' '
                                   << function.getArgAttr(1, "tg.input");
    return text;
  };
  EXPECT_EQ(getInput(2), "tensor<2x2xi32> dense<[[1, 2], [4, 5]]> : "
                         "tensor<2x2xi32> dense<7> : tensor<3xi32>");
  EXPECT_EQ(getInput(0), "tensor<2x0xi32> dense<> : tensor<2x0xi32> dense<7> "
                         ": tensor<3xi32>");
}

TEST_F(BindingsTest, LeadingParts) {
  HostTensor tensor;
  tensor.shape = {2, 3};
  tensor.elementType = IntegerType::get(&context, 8);
  tensor.bytes = {1, 2, 3, 4, 5, 6};
  auto get = [&](ArrayRef<int64_t> shape) {
    return getLeadingPart(tensor, shape).bytes;
  };
  EXPECT_EQ(get({2, 2}), (std::vector<char>{1, 2, 4, 5}));
  EXPECT_EQ(get({1, 3}), (std::vector<char>{1, 2, 3}));
  EXPECT_EQ(get({3, 2}), (std::vector<char>{1, 2, 4, 5, 0, 0}));
  EXPECT_EQ(get({1, 4}), (std::vector<char>{1, 2, 3, 0}));
  EXPECT_EQ(get({0, 3}), std::vector<char>());
}

/// A graph is compared for each value. For some values this graph's result is
/// unspecified, although the canonicalizer is correct.
TEST_F(BindingsTest, ValuesThatSayNothingAreLeftOut) {
  // sin(n) < 0.8414...: unspecified for n = 1.
  std::string text = R"mlir(
    #n = #tg.var<"n", 0, 2>
    func.func @main() -> tensor<1xi1> {
      %n = tg.dim(#n) : tensor<1xf32>
      %s = tg.sin %n : tensor<1xf32>
      %c = tg.const(0.84147098 : f32) : tensor<1xf32>
      %r = tg.cmplt %s, %c : tensor<1xf32>
      return %r : tensor<1xi1>
    })mlir";
  OwningOpRef<ModuleOp> module = parse(text);
  CheckOptions options;
  options.device = "";
  std::string message;
  EXPECT_EQ(check(*module, options, message), Outcome::Good) << message;
  options.binding["n"] = 1;
  EXPECT_EQ(check(*module, options, message), Outcome::Useless);
  options.binding["n"] = 2;
  EXPECT_EQ(check(*module, options, message), Outcome::Good) << message;
}

TEST_F(BindingsTest, OperationsAreTakenOutForAllValues) {
  OwningOpRef<ModuleOp> module = parse("func.func @main() { return }");
  auto function = module->lookupSymbol<func::FuncOp>("main");
  OpBuilder builder(function.getBody().front().getTerminator());
  BoundTrackers trackers(function, chooseBindings(variable("n", 0, 2)));
  auto type = RankedTensorType::get({1}, builder.getF32Type());
  auto execute = [&](Operation *op) { return trackers.execute(op); };
  Location loc = function.getLoc();
  auto n = DimOp::create(builder, loc, type, variable("n", 0, 2));
  ASSERT_TRUE(execute(n));
  auto sin = SinOp::create(builder, loc, n);
  ASSERT_TRUE(execute(sin));
  auto limit =
      ConstOp::create(builder, loc, type, builder.getF32FloatAttr(0.84147098F));
  ASSERT_TRUE(execute(limit));
  // Unspecified only for n = 1; later operations are not affected.
  auto less = CmpLtOp::create(builder, loc, sin, limit);
  EXPECT_FALSE(execute(less));
  less.erase();
  EXPECT_TRUE(execute(AddOp::create(builder, loc, sin, limit)));
  EXPECT_FALSE(trackers.isBroken());
}

} // namespace
