//===- ExpandArithmeticTest.cpp - operations of old processors ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Code for processors without FMA, F16C and SSE4.1 has the bits of the C
/// library and of the compiler's conversions: for all numbers of f16, and for
/// random numbers and those near boundaries otherwise.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Target/Cpu/CpuTarget.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mlir;

/// Each takes an address of operands, four lanes each, and one of results.
static const char *kFunctions = R"(
llvm.func @fma32(%p: !llvm.ptr, %q: !llvm.ptr) {
  %y = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %z = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %0 = llvm.load %p : !llvm.ptr -> vector<4xf32>
  %1 = llvm.load %y : !llvm.ptr -> vector<4xf32>
  %2 = llvm.load %z : !llvm.ptr -> vector<4xf32>
  %3 = llvm.intr.fma(%0, %1, %2) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  llvm.store %3, %q : vector<4xf32>, !llvm.ptr
  llvm.return
}
llvm.func @fma64(%p: !llvm.ptr, %q: !llvm.ptr) {
  %y = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %z = llvm.getelementptr %p[64] : (!llvm.ptr) -> !llvm.ptr, i8
  %0 = llvm.load %p : !llvm.ptr -> vector<4xf64>
  %1 = llvm.load %y : !llvm.ptr -> vector<4xf64>
  %2 = llvm.load %z : !llvm.ptr -> vector<4xf64>
  %3 = llvm.intr.fma(%0, %1, %2) : (vector<4xf64>, vector<4xf64>, vector<4xf64>) -> vector<4xf64>
  llvm.store %3, %q : vector<4xf64>, !llvm.ptr
  llvm.return
}
llvm.func @extend(%p: !llvm.ptr, %q: !llvm.ptr) {
  %0 = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> vector<4xf16>
  %1 = llvm.fpext %0 : vector<4xf16> to vector<4xf32>
  llvm.store %1, %q : vector<4xf32>, !llvm.ptr
  llvm.return
}
llvm.func @extend64(%p: !llvm.ptr, %q: !llvm.ptr) {
  %0 = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> vector<4xf16>
  %1 = llvm.fpext %0 : vector<4xf16> to vector<4xf64>
  llvm.store %1, %q : vector<4xf64>, !llvm.ptr
  llvm.return
}
llvm.func @narrow32(%p: !llvm.ptr, %q: !llvm.ptr) {
  %0 = llvm.load %p : !llvm.ptr -> vector<4xf32>
  %1 = llvm.fptrunc %0 : vector<4xf32> to vector<4xf16>
  llvm.store %1, %q {alignment = 2 : i64} : vector<4xf16>, !llvm.ptr
  llvm.return
}
llvm.func @narrow64(%p: !llvm.ptr, %q: !llvm.ptr) {
  %0 = llvm.load %p : !llvm.ptr -> vector<4xf64>
  %1 = llvm.fptrunc %0 : vector<4xf64> to vector<4xf16>
  llvm.store %1, %q {alignment = 2 : i64} : vector<4xf16>, !llvm.ptr
  llvm.return
}
llvm.func @compute(%p: !llvm.ptr, %q: !llvm.ptr) {
  %r = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %0 = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> vector<4xf16>
  %1 = llvm.load %r {alignment = 2 : i64} : !llvm.ptr -> vector<4xf16>
  %2 = llvm.fadd %0, %1 : vector<4xf16>
  %3 = llvm.fmul %2, %0 : vector<4xf16>
  %4 = llvm.fdiv %3, %1 : vector<4xf16>
  %5 = llvm.intr.floor(%4) : (vector<4xf16>) -> vector<4xf16>
  %6 = llvm.fneg %5 : vector<4xf16>
  %7 = llvm.fcmp "olt" %4, %6 : vector<4xf16>
  %8 = llvm.select %7, %4, %6 : vector<4xi1>, vector<4xf16>
  llvm.store %8, %q {alignment = 2 : i64} : vector<4xf16>, !llvm.ptr
  llvm.return
}
llvm.func @round32(%p: !llvm.ptr, %q: !llvm.ptr) {
  %0 = llvm.load %p : !llvm.ptr -> vector<4xf32>
  %1 = llvm.intr.trunc(%0) : (vector<4xf32>) -> vector<4xf32>
  %2 = llvm.intr.floor(%0) : (vector<4xf32>) -> vector<4xf32>
  %3 = llvm.intr.ceil(%0) : (vector<4xf32>) -> vector<4xf32>
  %4 = llvm.intr.roundeven(%0) : (vector<4xf32>) -> vector<4xf32>
  %q2 = llvm.getelementptr %q[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %q3 = llvm.getelementptr %q[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %q4 = llvm.getelementptr %q[48] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %1, %q : vector<4xf32>, !llvm.ptr
  llvm.store %2, %q2 : vector<4xf32>, !llvm.ptr
  llvm.store %3, %q3 : vector<4xf32>, !llvm.ptr
  llvm.store %4, %q4 : vector<4xf32>, !llvm.ptr
  llvm.return
}
llvm.func @round64(%p: !llvm.ptr, %q: !llvm.ptr) {
  %0 = llvm.load %p : !llvm.ptr -> f64
  %1 = llvm.intr.trunc(%0) : (f64) -> f64
  %2 = llvm.intr.floor(%0) : (f64) -> f64
  %3 = llvm.intr.ceil(%0) : (f64) -> f64
  %4 = llvm.intr.rint(%0) : (f64) -> f64
  %q2 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %q3 = llvm.getelementptr %q[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %q4 = llvm.getelementptr %q[24] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %1, %q : f64, !llvm.ptr
  llvm.store %2, %q2 : f64, !llvm.ptr
  llvm.store %3, %q3 : f64, !llvm.ptr
  llvm.store %4, %q4 : f64, !llvm.ptr
  llvm.return
}
)";

namespace {
class ExpandArithmeticTest : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86())
      GTEST_SKIP() << "the processors are of x86";
    MLIRContext context;
    tg::loadCpuTarget(context);
    std::string error;
    auto processor = tg::CpuTargetOptions::forProcessor(GetParam(), error);
    ASSERT_TRUE(processor) << error;
    FailureOr<tg::CpuObject> object = tg::compileToObject(
        &context, {}, *processor, {}, nullptr, [&](ModuleOp module) {
          return parseSourceString(kFunctions, module.getBody(),
                                   ParserConfig(&context));
        });
    ASSERT_TRUE(succeeded(object));
    // Nothing is left to other libraries: the loader would find these.
    for (const char *name : {"fmaf", "__extendhfsf2", "__truncsfhf2",
                             "__truncdfhf2", "truncf", "floor"})
      EXPECT_EQ(StringRef(object->bytes.data(), object->bytes.size())
                    .find(StringRef(name, strlen(name) + 1)),
                StringRef::npos)
          << name;
    program = tinygrad::Device::get("CPU").loadProgram(
        object->bytes.data(), object->bytes.size(), "the host");
  }

  template <typename To, typename From>
  void call(const char *name, const From *operands, To *results) {
    reinterpret_cast<void (*)(const From *, To *)>(
        tinygrad::Kernel(program, name).entry())(operands, results);
  }

  /// Random bits, numbers of about 1, subnormal numbers, few digits, powers of
  /// 2, and special numbers.
  template <typename T, typename Bits> T makeNumber() {
    constexpr int digits = std::numeric_limits<T>::digits - 1;
    constexpr Bits bias = std::numeric_limits<T>::max_exponent - 1,
                   exponents = Bits(2 * bias + 1) << digits;
    Bits bits = Bits(random());
    const Bits near = (bias - digits + Bits(random() % (2 * digits))) << digits;
    switch (random() % 6) {
    case 0:
      break;
    case 1:
      bits = (bits & ~exponents) | near;
      break;
    case 2:
      bits &= ~exponents;
      break;
    case 3:
      bits = (bits & ~exponents & ~((Bits(1) << random() % digits) - 1)) | near;
      break;
    case 4:
      bits = (Bits(random() % (2 * bias)) << digits) |
             (bits >> (8 * sizeof(T) - 1) << (8 * sizeof(T) - 1));
      break;
    default: {
      const T special[] = {T(0),
                           T(-0.0),
                           T(1),
                           T(-1),
                           T(1.5),
                           std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::denorm_min(),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::max()};
      return special[random() % std::size(special)];
    }
    }
    return llvm::bit_cast<T>(bits);
  }

  /// x, y and z, four of each. The product and z often cancel, or their sum is
  /// near the middle between two numbers.
  template <typename T, typename Bits> void makeProducts(T (&operands)[12]) {
    constexpr int digits = std::numeric_limits<T>::digits;
    for (int i = 0; i < 4; ++i) {
      const T x = operands[i] = makeNumber<T, Bits>();
      const T y = operands[4 + i] = makeNumber<T, Bits>();
      T &z = operands[8 + i] = makeNumber<T, Bits>();
      if (random() % 4 == 0)
        z = -x * y;
      else if (random() % 4 == 0)
        z = llvm::bit_cast<T>(
            Bits(llvm::bit_cast<Bits>(-x * y) + random() % 5 - 2));
      else if (random() % 4 == 0)
        z = std::ldexp(x * y, (random() % 2 ? digits : -digits - 2) -
                                  int(random() % 3));
    }
  }

  template <typename T, typename Bits> void compareProducts(const char *name) {
    for (int n = 0; n < 20000; ++n) {
      T operands[12], results[4];
      makeProducts<T, Bits>(operands);
      call(name, operands, results);
      for (int i = 0; i < 4; ++i) {
        const T x = operands[i], y = operands[4 + i], z = operands[8 + i];
        ASSERT_TRUE(isSame<Bits>(results[i], std::fma(x, y, z)))
            << x << " * " << y << " + " << z;
      }
    }
  }

  /// NaNs have signs and payloads of their own.
  template <typename Bits, typename T>
  static ::testing::AssertionResult isSame(T x, T y) {
    if ((std::isnan(x) && std::isnan(y)) ||
        llvm::bit_cast<Bits>(x) == llvm::bit_cast<Bits>(y))
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << x << " instead of " << y;
  }

  std::mt19937_64 random{1};
  std::shared_ptr<tinygrad::Program> program;
};
} // namespace

TEST_P(ExpandArithmeticTest, Products) {
  compareProducts<float, uint32_t>("fma32");
  compareProducts<double, uint64_t>("fma64");
}

TEST_P(ExpandArithmeticTest, AllHalves) {
  for (uint32_t first = 0; first < 1u << 16; first += 4) {
    uint16_t bits[4];
    float wide[4];
    double widest[4];
    for (uint32_t i = 0; i < 4; ++i)
      bits[i] = uint16_t(first + i);
    call("extend", bits, wide);
    call("extend64", bits, widest);
    for (int i = 0; i < 4; ++i) {
      const auto expected = float(llvm::bit_cast<_Float16>(bits[i]));
      ASSERT_TRUE(isSame<uint32_t>(wide[i], expected)) << bits[i];
      ASSERT_TRUE(isSame<uint64_t>(widest[i], double(expected))) << bits[i];
      // They stay NaNs and get no sign.
      ASSERT_EQ(std::signbit(wide[i]), bits[i] >> 15 != 0) << bits[i];
    }
  }
}

TEST_P(ExpandArithmeticTest, NarrowToHalves) {
  auto compare = [&](const auto(&x)[4], const char *name) {
    uint16_t bits[4];
    call(name, x, bits);
    for (int i = 0; i < 4; ++i) {
      const auto result = float(llvm::bit_cast<_Float16>(bits[i])),
                 expected = float(static_cast<_Float16>(x[i]));
      ASSERT_TRUE(isSame<uint32_t>(result, expected)) << x[i];
    }
  };
  for (int n = 0; n < 30000; ++n) {
    float x[4];
    double y[4];
    for (int i = 0; i < 4; ++i) {
      x[i] = makeNumber<float, uint32_t>();
      y[i] = makeNumber<double, uint64_t>();
      // In the middle between two numbers, or next to it.
      if (random() % 2) {
        const auto half = uint16_t(random() % 0x7bff);
        y[i] = (double(llvm::bit_cast<_Float16>(half)) +
                double(llvm::bit_cast<_Float16>(uint16_t(half + 1)))) /
               2;
        x[i] = std::nextafter(float(y[i]), random() % 2 ? 0.0f : float(y[i]));
        if (random() % 2)
          y[i] = std::nextafter(y[i], random() % 2 ? 0.0 : 1e5);
      }
    }
    // From here on, all are infinite.
    x[0] = n % 2 ? 65519.996f : 65520.0f;
    y[0] = n % 2 ? 65519.99999999999 : 65520.0;
    compare(x, "narrow32");
    compare(y, "narrow64");
    if (HasFailure())
      return;
  }
}

TEST_P(ExpandArithmeticTest, ComputeHalves) {
  for (int n = 0; n < 20000; ++n) {
    uint16_t operands[8], results[4];
    for (uint16_t &operand : operands)
      operand = uint16_t(random());
    call("compute", operands, results);
    for (int i = 0; i < 4; ++i) {
      // Each result is rounded to f16.
      const auto x = llvm::bit_cast<_Float16>(operands[i]),
                 y = llvm::bit_cast<_Float16>(operands[4 + i]);
      const auto sum = static_cast<_Float16>(float(x) + float(y));
      const auto product = static_cast<_Float16>(float(sum) * float(x));
      const auto quotient = static_cast<_Float16>(float(product) / float(y));
      const float negated = -std::floor(float(quotient));
      const float expected =
          float(quotient) < negated ? float(quotient) : negated;
      ASSERT_TRUE(isSame<uint32_t>(float(llvm::bit_cast<_Float16>(results[i])),
                                   expected))
          << float(x) << ", " << float(y);
    }
  }
}

TEST_P(ExpandArithmeticTest, Round) {
  for (int n = 0; n < 20000; ++n) {
    float x[4], r[16];
    double y, s[4];
    for (float &number : x)
      number = random() % 2 ? makeNumber<float, uint32_t>()
                            : float(int(random() % 2000) - 1000) / 4;
    y = random() % 2 ? makeNumber<double, uint64_t>()
                     : double(int(random() % 2000) - 1000) / 4;
    call("round32", x, r);
    call("round64", &y, s);
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(isSame<uint32_t>(r[i], std::trunc(x[i]))) << x[i];
      ASSERT_TRUE(isSame<uint32_t>(r[4 + i], std::floor(x[i]))) << x[i];
      ASSERT_TRUE(isSame<uint32_t>(r[8 + i], std::ceil(x[i]))) << x[i];
      ASSERT_TRUE(isSame<uint32_t>(r[12 + i], std::nearbyint(x[i]))) << x[i];
    }
    ASSERT_TRUE(isSame<uint64_t>(s[0], std::trunc(y))) << y;
    ASSERT_TRUE(isSame<uint64_t>(s[1], std::floor(y))) << y;
    ASSERT_TRUE(isSame<uint64_t>(s[2], std::ceil(y))) << y;
    ASSERT_TRUE(isSame<uint64_t>(s[3], std::nearbyint(y))) << y;
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, ExpandArithmeticTest,
                         ::testing::Values("x86-64", "x86-64-v2"),
                         [](const auto &info) {
                           return std::string(info.param) == "x86-64"
                                      ? std::string("v1")
                                      : std::string("v2");
                         });
