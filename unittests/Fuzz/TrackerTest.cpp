//===- TrackerTest.cpp - error bounds of random graphs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which results are exact, which have an error bound, and which graphs are not
/// comparable.
///
//===----------------------------------------------------------------------===//

#include "tg-fuzz/Tracker.h"
#include "tg-fuzz/Generator.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::tg;

namespace {

class TrackerTest : public ::testing::Test {
protected:
  TrackerTest() : context(MLIRContext::Threading::DISABLED) {
    tinygrad::prepareContext(context);
  }

  /// Runs a body with the argument `%x`, a tensor of `type` that holds `value`.
  std::optional<ExpectedRun> run(const std::string &type,
                                 const std::string &value,
                                 const std::string &body,
                                 const std::string &resultType) {
    std::string text = "func.func @main(%x: " + type + " {tg.input = dense<" +
                       value + "> : " + type + "}) -> " + resultType + " {\n" +
                       body + "\nreturn %r : " + resultType + "\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return std::nullopt;
    auto function = module->lookupSymbol<func::FuncOp>("main");
    auto inputs = getInputs(function);
    EXPECT_TRUE(succeeded(inputs));
    return trackFunction(function, *inputs);
  }

  /// One operation on a vector of two f32.
  std::optional<ExpectedRun> runF32(const std::string &value,
                                    const std::string &body) {
    return run("tensor<2xf32>", value, body, "tensor<2xf32>");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(TrackerTest, ArithmeticIsExact) {
  auto result = runF32("[0.1, 3.0]", "%r = tg.mul %x, %x : tensor<2xf32>");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->results[0].error.isZero());
}

TEST_F(TrackerTest, TranscendentalFunctionsHaveABound) {
  auto result = runF32("[0.5, 1.0]", "%r = tg.sin %x : tensor<2xf32>");
  ASSERT_TRUE(result);
  // 3 ulp of 0.479 and of 0.841.
  EXPECT_EQ(result->results[0].error[0], 3 * std::ldexp(1.0, -25));
  EXPECT_EQ(result->results[0].error[1], 3 * std::ldexp(1.0, -24));
}

TEST_F(TrackerTest, BoundsGrow) {
  auto result = runF32("[0.5, 1.0]", "%s = tg.sin %x : tensor<2xf32>\n"
                                     "%r = tg.add %s, %s : tensor<2xf32>");
  ASSERT_TRUE(result);
  EXPECT_GE(result->results[0].error[0], 6 * std::ldexp(1.0, -25));
  EXPECT_LE(result->results[0].error[0], 10 * std::ldexp(1.0, -25));
}

TEST_F(TrackerTest, JumpsNeedRoom) {
  // sin(pi/2) is 1 plus or minus an error, so its integer part is unknown.
  EXPECT_FALSE(runF32("[1.5707964, 1.0]", "%s = tg.sin %x : tensor<2xf32>\n"
                                          "%r = tg.trunc %s : tensor<2xf32>"));
  auto result = runF32("[0.5, 1.0]", "%s = tg.sin %x : tensor<2xf32>\n"
                                     "%r = tg.trunc %s : tensor<2xf32>");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->results[0].error[0], 0);
  // A value is not less than itself, which is unknown for close values.
  EXPECT_FALSE(run("tensor<1xf32>", "0.5",
                   "%s = tg.sin %x : tensor<1xf32>\n"
                   "%r = tg.cmplt %s, %s : tensor<1xf32>",
                   "tensor<1xi1>"));
}

TEST_F(TrackerTest, SumsOfSmallNumbersAreExact) {
  std::string sum = "%r = tg.reduce add %x axes [0] : tensor<3xf32> -> "
                    "tensor<1xf32>";
  auto exact =
      run("tensor<3xf32>", "[1.0, -0.5, 100.25]", sum, "tensor<1xf32>");
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->results[0].error[0], 0);
  // The last bit depends on the order of additions.
  auto inexact =
      run("tensor<3xf32>", "[1.0, 1.0e-7, 0.3]", sum, "tensor<1xf32>");
  ASSERT_TRUE(inexact);
  EXPECT_GT(inexact->results[0].error[0], 0);
  EXPECT_LT(inexact->results[0].error[0], 1.0e-6);
  // Infinity or not depends on the order.
  EXPECT_FALSE(
      run("tensor<3xf32>", "[3.0e38, 3.0e38, -3.0e38]", sum, "tensor<1xf32>"));
}

TEST_F(TrackerTest, SumsOfProductsMayBeFused) {
  std::string body = "%p = tg.mul %x, %x : tensor<2xf32>\n"
                     "%f = tg.flip %p axes [0] : tensor<2xf32>\n"
                     "%r = tg.reduce add %f axes [0] : tensor<2xf32> -> "
                     "tensor<1xf32>";
  auto inexact = run("tensor<2xf32>", "[0.1, 4.0]", body, "tensor<1xf32>");
  ASSERT_TRUE(inexact);
  EXPECT_GT(inexact->results[0].error[0], 0);
  auto exact = run("tensor<2xf32>", "[1.5, 4.0]", body, "tensor<1xf32>");
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->results[0].error[0], 0);
  // A subnormal product is rounded, even if the sum is exact; a cast to the
  // same type has no effect.
  auto subnormal =
      run("tensor<2xf32>", "[3.97e-23, 0.0]",
          "%p = tg.mul %x, %x : tensor<2xf32>\n"
          "%c = tg.cast %p : tensor<2xf32> -> tensor<2xf32>\n"
          "%r = tg.reduce add %c axes [0] : tensor<2xf32> -> tensor<1xf32>",
          "tensor<1xf32>");
  ASSERT_TRUE(subnormal);
  EXPECT_GT(subnormal->results[0].error[0], 0);
  // The overflow might not happen in a fused sum.
  EXPECT_FALSE(run("tensor<2xf32>", "[1.0e30, 4.0]", body, "tensor<1xf32>"));
}

TEST_F(TrackerTest, TheSignOfSomeZerosIsUnknown) {
  // max(-0, +0) may be either zero, so its reciprocal may be either infinity.
  std::string max = "%n = tg.neg %x : tensor<2xf32>\n"
                    "%m = tg.max %x, %n : tensor<2xf32>\n";
  EXPECT_FALSE(runF32("[0.0, 1.0]", max + "%r = tg.recip %m : tensor<2xf32>"));
  EXPECT_TRUE(runF32("[2.0, 1.0]", max + "%r = tg.recip %m : tensor<2xf32>"));
  EXPECT_TRUE(runF32("[0.0, 1.0]", max + "%r = tg.add %m, %x : tensor<2xf32>"));
  EXPECT_TRUE(runF32("[-0.0, 1.0]", "%r = tg.recip %x : tensor<2xf32>"));
}

TEST_F(TrackerTest, PayloadsOfNaN) {
  // Payloads of computed NaNs are unspecified, those of inputs are not.
  std::string bits = "%r = tg.bitcast %y : tensor<1xf32> -> tensor<1xi32>";
  EXPECT_FALSE(run("tensor<1xf32>", "0x7FC00001",
                   "%y = tg.add %x, %x : tensor<1xf32>\n" + bits,
                   "tensor<1xi32>"));
  EXPECT_TRUE(run("tensor<1xf32>", "0x7FC00001",
                  "%y = tg.flip %x axes [0] : tensor<1xf32>\n" + bits,
                  "tensor<1xi32>"));
}

TEST_F(TrackerTest, BoundsMoveWithElements) {
  auto result = runF32("[0.5, 100.0]", "%s = tg.sin %x : tensor<2xf32>\n"
                                       "%f = tg.flip %s axes [0] : "
                                       "tensor<2xf32>\n"
                                       "%r = tg.flip %f axes [0] : "
                                       "tensor<2xf32>");
  auto flipped = runF32("[0.5, 100.0]", "%s = tg.sin %x : tensor<2xf32>\n"
                                        "%r = tg.flip %s axes [0] : "
                                        "tensor<2xf32>");
  ASSERT_TRUE(result && flipped);
  EXPECT_EQ(result->results[0].error[0], flipped->results[0].error[1]);
  EXPECT_EQ(result->results[0].error[1], flipped->results[0].error[0]);
  EXPECT_NE(result->results[0].error[0], result->results[0].error[1]);
}

TEST_F(TrackerTest, Assignments) {
  auto result = runF32("[1.0, 2.0]", "%n = tg.neg %x : tensor<2xf32>\n"
                                     "%a = tg.assign %x, %n : tensor<2xf32>\n"
                                     "%w = tg.after %x[%a : tensor<2xf32>] : "
                                     "tensor<2xf32>\n"
                                     "%o = tg.mul %x, %n : tensor<2xf32>\n"
                                     "%r = tg.add %w, %o : tensor<2xf32>");
  ASSERT_TRUE(result);
  float values[2];
  std::memcpy(values, result->results[0].tensor.bytes.data(), sizeof(values));
  EXPECT_EQ(values[0], -2.0f);
  EXPECT_EQ(values[1], -6.0f);
  std::memcpy(values, result->arguments[0].tensor.bytes.data(), sizeof(values));
  EXPECT_EQ(values[1], -2.0f);
}

TEST_F(TrackerTest, FindDifference) {
  auto run = runF32("[0.5, 0.0]", "%r = tg.sin %x : tensor<2xf32>");
  ASSERT_TRUE(run);
  const TrackedTensor &expected = run->results[0];
  HostTensor actual = expected.tensor;
  auto set = [&](int64_t i, float value) {
    std::memcpy(actual.bytes.data() + 4 * i, &value, sizeof(value));
  };
  float exact;
  std::memcpy(&exact, actual.bytes.data(), sizeof(exact));
  EXPECT_FALSE(findDifference(expected, actual));
  set(0, std::nextafter(exact, 1.0f));
  set(1, -0.0f);
  EXPECT_FALSE(findDifference(expected, actual));
  set(0, exact + 1.0e-6f);
  std::optional<std::string> difference = findDifference(expected, actual);
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->find("element 0 is 0.47942"), std::string::npos)
      << *difference;
  set(0, NAN);
  EXPECT_TRUE(findDifference(expected, actual));
  set(0, exact);
  actual.shape[0] = 1;
  EXPECT_TRUE(findDifference(expected, actual));
}

} // namespace
