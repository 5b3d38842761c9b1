//===- ArithmeticTest.cpp - elementwise operations on all types -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every elementwise operation on every type that it supports, at special
/// values, in scalar and in vector code.
///
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include "KernelText.h"
#include "Reference.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace {
struct BinaryCase {
  std::string op, type;
};
class BinaryTest : public testing::TestWithParam<BinaryCase> {};
} // namespace

static std::vector<BinaryCase> getBinaryCases() {
  std::vector<BinaryCase> cases;
  for (const ElementType &type : getTypes()) {
    if (type.isFp8())
      continue;
    std::vector<std::string> ops = {"add",   "mul",   "max",
                                    "cmplt", "cmpeq", "cmpne"};
    if (type.kind == ElementType::Bool)
      ops.insert(ops.end(), {"and", "or", "xor"});
    else if (type.isFloat())
      ops.insert(ops.end(), {"sub", "fdiv"});
    else
      ops.insert(ops.end(), {"sub", "and", "or", "xor", "shl", "shr", "idiv",
                             "mod", "floordiv", "floormod"});
    for (const std::string &op : ops)
      cases.push_back({op, type.name});
  }
  return cases;
}

static void expectSame(const ElementType &type, uint64_t actual,
                       uint64_t expected, const std::string &what,
                       int &failures) {
  if (actual == expected || (type.isNan(actual) && type.isNan(expected)))
    return;
  ++failures;
  ADD_FAILURE() << what << ": 0x" << std::hex << actual << " instead of 0x"
                << expected;
}

static std::string hex(uint64_t bits) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", (unsigned long long)bits);
  return text;
}

TEST_P(BinaryTest, MatchesReference) {
  const auto &[op, typeName] = GetParam();
  const ElementType &type = getType(typeName);
  bool isCompare = op.substr(0, 3) == "cmp";
  const ElementType &result = getType(isCompare ? "i1" : typeName);
  std::vector<uint64_t> edges = getEdges(type), x, y;
  for (uint64_t a : edges)
    for (uint64_t b : edges)
      x.push_back(a), y.push_back(b);
  while (x.size() % 64 != 0)
    x.push_back(x.front()), y.push_back(y.front());
  Elements xs(type, x), ys(type, y);
  for (size_t lanes : {0, 2, 16, 64}) {
    KernelRunner kernel(
        elementwiseKernel("  %r = tg." + op + " %x0, %x1 : " + typeName,
                          {typeName, typeName}, result.name, x.size(), lanes));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    Elements output(result, x.size());
    kernel.run({output.data(), xs.data(), ys.data()});
    int failures = 0;
    for (size_t i = 0; i < x.size() && failures < 5; ++i) {
      uint64_t expected = binaryReference(op, type, x[i], y[i]);
      uint64_t actual = output.get(i);
      // max may return either of two zeros.
      if (op == "max" && type.isFloat() && type.toFloat(expected).isZero() &&
          type.toFloat(actual).isZero())
        continue;
      expectSame(result, actual, expected,
                 typeName + " " + hex(x[i]) + " " + op + " " + hex(y[i]),
                 failures);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BinaryTest, testing::ValuesIn(getBinaryCases()),
                         [](const testing::TestParamInfo<BinaryCase> &info) {
                           return info.param.op + "_" + info.param.type;
                         });

/// Division by constants uses other code than division by values.
TEST(DivisionTest, ByConstants) {
  for (std::string typeName : {"i8", "ui8", "i32", "ui32", "i64", "ui64"})
    for (std::string op : {"idiv", "mod", "floordiv", "floormod"})
      for (int64_t divisor : {0, 1, 2, 7, 16, -1, -3}) {
        const ElementType &type = getType(typeName);
        if (divisor < 0 && type.kind == ElementType::Unsigned)
          continue;
        std::vector<uint64_t> x = getEdges(type);
        x.resize(48);
        Elements input(type, x), output(type, x.size());
        KernelRunner kernel(elementwiseKernel(
            "  %c = tg.const(" + std::to_string(divisor) + " : " + typeName +
                ") : " + typeName + "\n  %r = tg." + op +
                " %x0, %c : " + typeName,
            {typeName}, typeName, x.size(), 16));
        ASSERT_TRUE(kernel.ok()) << kernel.error();
        kernel.run({output.data(), input.data()});
        uint64_t mask = type.width == 64 ? ~0ull : (1ull << type.width) - 1;
        int failures = 0;
        for (size_t i = 0; i < x.size(); ++i)
          expectSame(type, output.get(i),
                     binaryReference(op, type, x[i], uint64_t(divisor) & mask),
                     typeName + " " + hex(x[i]) + " " + op + " " +
                         std::to_string(divisor),
                     failures);
      }
}

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

/// Runs an operation on the special values of a type, and compares with a
/// function of the value as a double.
static void checkUnary(const std::string &op, const std::string &typeName,
                       double (*function)(double), double tolerance) {
  const ElementType &type = getType(typeName);
  std::vector<uint64_t> x = getEdges(type);
  while (x.size() % 16 != 0)
    x.push_back(x.front());
  Elements input(type, x), output(type, x.size());
  const ElementType &f64 = getType("f64");
  auto toDouble = [&](uint64_t bits) {
    return f64.toFloat(castReference(type, f64, bits)).convertToDouble();
  };
  for (size_t lanes : {0, 16}) {
    KernelRunner kernel(
        elementwiseKernel("  %r = tg." + op + " %x0 : " + typeName, {typeName},
                          typeName, x.size(), lanes));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    kernel.run({output.data(), input.data()});
    int failures = 0;
    for (size_t i = 0; i < x.size() && failures < 5; ++i) {
      double exact = function(toDouble(x[i]));
      uint64_t expected = castReference(
          f64, type, llvm::APFloat(exact).bitcastToAPInt().getZExtValue());
      if (tolerance == 0) {
        expectSame(type, output.get(i), expected,
                   op + " " + typeName + " " + hex(x[i]), failures);
        continue;
      }
      double actual = toDouble(output.get(i)), want = toDouble(expected);
      if (std::isnan(want)   ? !std::isnan(actual)
          : std::isinf(want) ? actual != want
                             : !(std::fabs(actual - want) <=
                                 tolerance * std::fabs(want) + 1e-44)) {
        ++failures;
        ADD_FAILURE() << op << " " << typeName << " of " << toDouble(x[i])
                      << ": " << actual << " instead of " << want;
      }
    }
  }
}

TEST(UnaryTest, Floats) {
  for (std::string type : {"f16", "bf16", "f32", "f64"}) {
    checkUnary("neg", type, [](double x) { return -x; }, 0);
    checkUnary("sqrt", type, [](double x) { return std::sqrt(x); }, 0);
    checkUnary("trunc", type, [](double x) { return std::trunc(x); }, 0);
    checkUnary("recip", type, [](double x) { return 1 / x; }, 0);
    double tolerance = type == "f64"    ? 1e-15
                       : type == "f32"  ? 2.5e-7
                       : type == "bf16" ? 0.008
                                        : 1e-3;
    checkUnary("exp2", type, [](double x) { return std::exp2(x); }, tolerance);
    checkUnary("exp", type, [](double x) { return std::exp(x); }, tolerance);
    checkUnary(
        "expm1", type, [](double x) { return std::expm1(x); }, tolerance);
    checkUnary("log2", type, [](double x) { return std::log2(x); }, tolerance);
    checkUnary("log", type, [](double x) { return std::log(x); }, tolerance);
    checkUnary(
        "log1p", type, [](double x) { return std::log1p(x); }, tolerance);
    checkUnary("sin", type, [](double x) { return std::sin(x); }, tolerance);
    checkUnary("cos", type, [](double x) { return std::cos(x); }, tolerance);
    checkUnary("tan", type, [](double x) { return std::tan(x); }, tolerance);
    checkUnary("asin", type, [](double x) { return std::asin(x); }, tolerance);
    checkUnary("acos", type, [](double x) { return std::acos(x); }, tolerance);
    checkUnary("atan", type, [](double x) { return std::atan(x); }, tolerance);
    checkUnary("tanh", type, [](double x) { return std::tanh(x); }, tolerance);
    checkUnary("erf", type, [](double x) { return std::erf(x); }, tolerance);
  }
}

TEST(UnaryTest, NegatedIntegers) {
  for (std::string typeName :
       {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"}) {
    const ElementType &type = getType(typeName);
    std::vector<uint64_t> x = getEdges(type);
    x.resize(48);
    Elements input(type, x), output(type, x.size());
    KernelRunner kernel(elementwiseKernel("  %r = tg.neg %x0 : " + typeName,
                                          {typeName}, typeName, x.size(), 16));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    kernel.run({output.data(), input.data()});
    int failures = 0;
    for (size_t i = 0; i < x.size(); ++i)
      expectSame(type, output.get(i), binaryReference("sub", type, 0, x[i]),
                 "neg " + hex(x[i]), failures);
  }
}

TEST(TernaryTest, MulAcc) {
  for (std::string typeName : {"i32", "ui8", "f16", "bf16", "f32", "f64"}) {
    const ElementType &type = getType(typeName);
    const ElementType &f32 = getType("f32");
    bool isNarrow = typeName == "f16" || typeName == "bf16";
    std::vector<uint64_t> edges = getEdges(type), a, b, c;
    for (size_t i = 0; i < 1024; ++i) {
      a.push_back(edges[i % edges.size()]);
      b.push_back(edges[i * 7 / 5 % edges.size()]);
      c.push_back(edges[(i * 13 + i / 64) % edges.size()]);
    }
    Elements as(type, a), bs(type, b), cs(type, c), output(type, a.size());
    KernelRunner kernel(elementwiseKernel(
        "  %r = tg.mulacc %x0, %x1, %x2 : " + typeName,
        {typeName, typeName, typeName}, typeName, a.size(), 32));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    kernel.run({output.data(), as.data(), bs.data(), cs.data()});
    int failures = 0;
    for (size_t i = 0; i < a.size() && failures < 5; ++i) {
      uint64_t expected;
      if (type.isFloat()) {
        const ElementType &wide = isNarrow ? f32 : type;
        llvm::APFloat x = wide.toFloat(castReference(type, wide, a[i]));
        x.fusedMultiplyAdd(wide.toFloat(castReference(type, wide, b[i])),
                           wide.toFloat(castReference(type, wide, c[i])),
                           llvm::APFloat::rmNearestTiesToEven);
        expected = castReference(wide, type, x.bitcastToAPInt().getZExtValue());
      } else {
        expected = binaryReference(
            "add", type, binaryReference("mul", type, a[i], b[i]), c[i]);
      }
      expectSame(type, output.get(i), expected,
                 typeName + " mulacc " + hex(a[i]) + " " + hex(b[i]) + " " +
                     hex(c[i]),
                 failures);
    }
  }
}

TEST(TernaryTest, WhereTakesEveryType) {
  for (const ElementType &type : getTypes()) {
    std::vector<uint64_t> edges = getEdges(type), c, x, y;
    for (size_t i = 0; i < 256; ++i) {
      c.push_back(i * i % 3 == 1);
      x.push_back(edges[i % edges.size()]);
      y.push_back(edges[(i * 5 + 1) % edges.size()]);
    }
    Elements cs(getType("i1"), c), xs(type, x), ys(type, y),
        output(type, x.size());
    KernelRunner kernel(elementwiseKernel(
        "  %r = tg.where %x0, %x1, %x2 : " + type.name,
        {"i1", type.name, type.name}, type.name, x.size(), 16));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    kernel.run({output.data(), cs.data(), xs.data(), ys.data()});
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(output.get(i), c[i] ? x[i] : y[i]) << type.name << " " << i;
  }
}

TEST(BitcastTest, KeepsBits) {
  const char *pairs[][2] = {
      {"f32", "ui32"}, {"i32", "f32"}, {"f64", "i64"},    {"f16", "i16"},
      {"bf16", "f16"}, {"ui8", "i8"},  {"f8E5M2", "ui8"}, {"i8", "f8E4M3FN"}};
  for (auto [fromName, toName] : pairs) {
    const ElementType &from = getType(fromName), &to = getType(toName);
    std::vector<uint64_t> x = getEdges(from);
    x.resize(32);
    Elements input(from, x), output(to, x.size());
    KernelRunner kernel(elementwiseKernel(
        std::string("  %r = tg.bitcast %x0 : ") + fromName + " -> " + toName,
        {fromName}, toName, x.size(), 16));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    kernel.run({output.data(), input.data()});
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(output.get(i), x[i]) << fromName << " -> " << toName;
  }
}

TEST(ThreefryTest, KnownAnswers) {
  // The published test vectors (Random123, 2x32, 20 rounds).
  uint64_t counter[16] = {0, ~0ull, 0x85a308d3243f6a88};
  uint64_t key[16] = {0, ~0ull, 0x0370734413198a2e};
  uint64_t expected[3] = {0x99ba4efe6b200159, 0xbb002be71cb996fc,
                          0x483df7a0c4923a9c};
  for (size_t lanes : {0, 16}) {
    uint64_t output[16] = {};
    KernelRunner kernel(elementwiseKernel("  %r = tg.threefry %x0, %x1 : ui64",
                                          {"ui64", "ui64"}, "ui64", 16, lanes));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    kernel.run({output, counter, key});
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(output[i], expected[i]);
  }
}

TEST(PowTest, SpecialCases) {
  std::vector<float> x, y;
  for (float a : {0.f, -0.f, 1.f, -1.f, 2.f, -2.f, 0.5f, 1e10f, INFINITY,
                  -INFINITY, NAN, 3.7f})
    for (float b : {0.f, -0.f, 1.f, -1.f, 2.f, 3.f, 0.5f, -2.5f, INFINITY,
                    -INFINITY, NAN, 30.f})
      x.push_back(a), y.push_back(b);
  std::vector<float> output(x.size());
  KernelRunner kernel(elementwiseKernel("  %r = tg.pow %x0, %x1 : f32",
                                        {"f32", "f32"}, "f32", x.size(), 16));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  kernel.run({output.data(), x.data(), y.data()});
  for (size_t i = 0; i < x.size(); ++i) {
    double exact = std::pow(double(x[i]), double(y[i]));
    if (std::isnan(exact))
      EXPECT_TRUE(std::isnan(output[i])) << x[i] << " ^ " << y[i];
    else if (std::isinf(float(exact)) || exact == 0)
      EXPECT_EQ(output[i], float(exact)) << x[i] << " ^ " << y[i];
    else
      EXPECT_NEAR(output[i] / exact, 1, 2.5e-7) << x[i] << " ^ " << y[i];
  }
}
