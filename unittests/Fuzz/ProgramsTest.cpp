//===- ProgramsTest.cpp - tests of random programs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What random programs are compared with, and that they do not depend on
/// anything but their number.
///
//===----------------------------------------------------------------------===//

#include "tg-fuzz/Checks.h"
#include "tg-fuzz/Generator.h"
#include "tg-fuzz/Programs/Differences.h"
#include "tg-fuzz/Programs/Noise.h"
#include "tg-fuzz/Programs/Program.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::tg;
using tinygrad::fuzz::Program;

namespace {

class ProgramsTest : public ::testing::Test {
protected:
  ProgramsTest() : context(MLIRContext::Threading::DISABLED) {
    tinygrad::prepareContext(context);
  }

  /// The expected results for an argument %x of two or four f64.
  std::optional<ExpectedRun> run(const std::string &value,
                                 const std::string &body,
                                 const std::string &resultType) {
    const std::string type = "tensor<4xf64>";
    module = parseSourceString<ModuleOp>(
        "func.func @main(%x: " + type + " {tg.input = dense<" + value +
            "> : " + type + "}) -> " + resultType +
            " attributes {check_with_noise = 1 : i64} {\n" + body +
            "\nreturn %r : " + resultType + "\n}",
        &context);
    EXPECT_TRUE(module);
    if (!module)
      return std::nullopt;
    auto function = module->lookupSymbol<func::FuncOp>("main");
    auto inputs = getInputs(function);
    EXPECT_TRUE(succeeded(inputs));
    return runWithNoise(function, *inputs);
  }

  Outcome compare(const std::string &gradient, std::string &message) {
    module = parseSourceString<ModuleOp>(
        "func.func @main(%x: tensor<3xf64> {tg.input = dense<[0.5, -1.25, "
        "2.0]> : tensor<3xf64>}) -> (tensor<1xf64>, tensor<3xf64>) attributes "
        "{check_differences = [array<i64: 0, 0, 1>]} {\n"
        "%s = tg.mul %x, %x : tensor<3xf64>\n"
        "%c = tg.mul %s, %x : tensor<3xf64>\n"
        "%t = tg.reduce add %c axes [0] : tensor<3xf64> -> tensor<1xf64>\n"
        "%three = tg.const(" +
            gradient +
            " : f64) : tensor<3xf64>\n"
            "%g = tg.mul %s, %three : tensor<3xf64>\n"
            "return %t, %g : tensor<1xf64>, tensor<3xf64> }",
        &context);
    EXPECT_TRUE(module);
    return check(*module, {}, message);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ProgramsTest, BoundsOfInexactValuesAreSmall) {
  auto expected = run("[0.1, 0.2, 0.3, 0.4]",
                      "%s = tg.sin %x : tensor<4xf64>\n"
                      "%r = tg.exp2 %s : tensor<4xf64>",
                      "tensor<4xf64>");
  ASSERT_TRUE(expected);
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(expected->results[0].error[i], 1e-13);
    EXPECT_LT(expected->results[0].error[i], 1e-11);
  }
}

/// Which of two equal sines is the larger one is a matter of rounding.
TEST_F(ProgramsTest, JumpsHaveNoBound) {
  const std::string body = "%s = tg.sin %x : tensor<4xf64>\n"
                           "%f = tg.flip %s axes [0] : tensor<4xf64>\n"
                           "%c = tg.cmplt %s, %f : tensor<4xf64>\n"
                           "%r = tg.cast %c : tensor<4xi1> -> tensor<4xf64>";
  auto expected = run("[0.1, 0.5, 0.5, 0.3]", body, "tensor<4xf64>");
  ASSERT_TRUE(expected);
  EXPECT_LT(expected->results[0].error[0], 1e-11);
  EXPECT_TRUE(std::isinf(expected->results[0].error[1]) ||
              std::isinf(expected->results[0].error[2]));
  EXPECT_LT(expected->results[0].error[3], 1e-11);
  // Nothing can be compared.
  EXPECT_FALSE(run("[0.5, 0.5, 0.5, 0.5]",
                   "%s = tg.sin %x : tensor<4xf64>\n"
                   "%d = tg.cos %x : tensor<4xf64>\n"
                   "%a = tg.mul %s, %d : tensor<4xf64>\n"
                   "%n = tg.neg %a : tensor<4xf64>\n"
                   "%z = tg.add %a, %n : tensor<4xf64>\n"
                   "%r = tg.recip %z : tensor<4xf64>",
                   "tensor<4xf64>"));
}

TEST_F(ProgramsTest, DifferencesOfAGradient) {
  std::string message;
  EXPECT_EQ(compare("3.0", message), Outcome::Good) << message;
  EXPECT_EQ(compare("3.01", message), Outcome::Mismatch);
  EXPECT_NE(message.find("the gradients of result 0 give"), std::string::npos)
      << message;
}

/// The exact gradient of a constant, and a difference of summands of 1e12.
TEST_F(ProgramsTest, RoundingErrorsOfAGradient) {
  auto compareWith = [&](const std::string &factor) {
    module = parseSourceString<ModuleOp>(
        "func.func @main(%x: tensor<3xf64> {tg.input = dense<[0.5, -1.25, "
        "2.0]> : tensor<3xf64>}) -> (tensor<1xf64>, tensor<3xf64>) attributes "
        "{check_differences = [array<i64: 0, 0, 1>]} {\n"
        "%d = tg.sub %x, %x : tensor<3xf64>\n"
        "%t = tg.reduce add %d axes [0] : tensor<3xf64> -> tensor<1xf64>\n"
        "%factor = tg.const(" +
            factor +
            " : f64) : tensor<3xf64>\n"
            "%s = tg.sin %x : tensor<3xf64>\n"
            "%a = tg.mul %s, %factor : tensor<3xf64>\n"
            "%third = tg.const(0.3333333333333333 : f64) : tensor<3xf64>\n"
            "%b = tg.mul %a, %third : tensor<3xf64>\n"
            "%three = tg.const(3.0 : f64) : tensor<3xf64>\n"
            "%c = tg.mul %b, %three : tensor<3xf64>\n"
            "%n = tg.neg %c : tensor<3xf64>\n"
            "%z = tg.add %a, %n : tensor<3xf64>\n"
            "%small = tg.const(1.0e-3 : f64) : tensor<3xf64>\n"
            "%g = tg.add %z, %small : tensor<3xf64>\n"
            "return %t, %g : tensor<1xf64>, tensor<3xf64> }",
        &context);
    EXPECT_TRUE(module);
    std::string message;
    return check(*module, {}, message);
  };
  EXPECT_EQ(compareWith("1.0e13"), Outcome::Useless);
  EXPECT_EQ(compareWith("1.0"), Outcome::Mismatch);
}

TEST_F(ProgramsTest, EveryFunctionIsCalled) {
  EXPECT_GE(tinygrad::fuzz::countFunctions(), 120u);
  std::set<unsigned> called;
  for (uint64_t seed = 0; seed < 2000; ++seed)
    for (const tinygrad::fuzz::Step &step :
         tinygrad::fuzz::makeProgram(seed, {}).steps)
      called.insert(step.function);
  EXPECT_EQ(called.size(), tinygrad::fuzz::countFunctions());
}

TEST_F(ProgramsTest, EqualSeedsGiveEqualPrograms) {
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::string text =
        tinygrad::fuzz::describe(tinygrad::fuzz::makeProgram(seed, {}));
    EXPECT_EQ(text,
              tinygrad::fuzz::describe(tinygrad::fuzz::makeProgram(seed, {})));
    texts.insert(text);
  }
  EXPECT_GE(texts.size(), 19u);
}

TEST_F(ProgramsTest, ShrinksToWhatFails) {
  Program program = tinygrad::fuzz::makeProgram(5, {});
  program.shape = {8, 8, 3};
  program.outputs = {true, true, true};
  while (program.steps.size() < 4)
    program.steps.push_back(program.steps.front());
  // Fails with step 2, at least 5 elements, and gradients.
  program = tinygrad::fuzz::shrinkProgram(
      program,
      [](const Program &candidate) {
        int64_t count = 1;
        for (int64_t size : candidate.shape)
          count *= size;
        return !candidate.steps[2].isRemoved && count >= 5 &&
               candidate.outputs.gradients;
      },
      200);
  for (size_t i = 0; i < program.steps.size(); ++i)
    EXPECT_EQ(program.steps[i].isRemoved, i != 2) << i;
  int64_t count = 1;
  for (int64_t size : program.shape)
    count *= size;
  EXPECT_LT(count, 10);
  EXPECT_FALSE(program.outputs.value);
  EXPECT_FALSE(program.outputs.products);
}

} // namespace
