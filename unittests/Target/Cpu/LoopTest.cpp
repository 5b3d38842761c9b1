//===- LoopTest.cpp - ranges, reductions, masks and memory ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Hand-written scheduled kernels, compared with plain loops. Elements are
/// small integers as floats, so that sums are exact in any order.
///
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

static std::vector<float> numbers(size_t count, unsigned seed = 1) {
  std::vector<float> values(count);
  for (float &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = float(int(seed >> 24) % 17 - 8);
  }
  return values;
}

#define ASSERT_COMPILES(kernel) ASSERT_TRUE((kernel).ok()) << (kernel).error()

/// o[i, j] = sum over k of a[i, k] * b[k, j]; unrolled rows, columns as lanes.
TEST(LoopTest, MatmulInRegisterTiles) {
  KernelRunner kernel(R"(
tg.kernel @mm(%o: memref<1536xf32>, %a: memref<480xf32>, %b: memref<1280xf32>)
    attributes {outputs = 1 : i64} {
  %jo = tg.range 0 thread 2
  %io = tg.range 1 loop 4
  %k = tg.range 2 loop 10
  %iu = tg.range 3 unroll 6
  %jv = tg.range 4 upcast 32
  %ku = tg.range 5 unroll 2
  %c2 = tg.const(2 : index) : index
  %c6 = tg.const(6 : index) : index
  %c20 = tg.const(20 : index) : index
  %c32 = tg.const(32 : index) : index
  %c64 = tg.const(64 : index) : index
  %i0 = tg.mul %io, %c6 : index
  %i = tg.add %i0, %iu : index
  %j0 = tg.mul %jo, %c32 : index
  %j = tg.add %j0, %jv : index
  %k0 = tg.mul %k, %c2 : index
  %kk = tg.add %k0, %ku : index
  %ar = tg.mul %i, %c20 : index
  %ai = tg.add %ar, %kk : index
  %br = tg.mul %kk, %c64 : index
  %bi = tg.add %br, %j : index
  %or = tg.mul %i, %c64 : index
  %oi = tg.add %or, %j : index
  %x = tg.load %a[%ai] : memref<480xf32>
  %y = tg.load %b[%bi] : memref<1280xf32>
  %p = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %p over %k, %ku : f32
  tg.store %s, %o[%oi] : memref<1536xf32>
})");
  ASSERT_COMPILES(kernel);
  ASSERT_EQ(kernel.parallelExtent(), 2);
  std::vector<float> o(1536, -1), a = numbers(480), b = numbers(1280, 2);
  kernel.run({o.data(), a.data(), b.data()}, 0, 1);
  EXPECT_EQ(o[32], -1) << "positions of another part were written";
  kernel.run({o.data(), a.data(), b.data()}, 1, 2);
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 64; ++j) {
      float sum = 0;
      for (int k = 0; k < 20; ++k)
        sum += a[i * 20 + k] * b[k * 64 + j];
      ASSERT_EQ(o[i * 64 + j], sum) << i << ", " << j;
    }
}

/// Two ranges run by threads, delinearized from one index.
TEST(LoopTest, ThreadRangesAreFlattened) {
  KernelRunner kernel(R"(
tg.kernel @t(%o: memref<60xi32>) attributes {outputs = 1 : i64} {
  %a = tg.range 0 thread 3
  %b = tg.range 1 global 5
  %c = tg.range 2 loop 4
  %c4 = tg.const(4 : index) : index
  %c20 = tg.const(20 : index) : index
  %c100 = tg.const(100 : index) : index
  %a1 = tg.mul %a, %c20 : index
  %b1 = tg.mul %b, %c4 : index
  %ab = tg.add %a1, %b1 : index
  %i = tg.add %ab, %c : index
  %v0 = tg.mul %a, %c100 : index
  %v1 = tg.add %v0, %b : index
  %v = tg.cast %v1 : index -> i32
  tg.store %v, %o[%i] : memref<60xi32>
})");
  ASSERT_COMPILES(kernel);
  ASSERT_EQ(kernel.parallelExtent(), 15);
  std::vector<int> o(60, -1);
  kernel.run({o.data()}, 4, 11);
  for (int p = 0; p < 15; ++p)
    for (int c = 0; c < 4; ++c)
      ASSERT_EQ(o[p * 4 + c], p >= 4 && p < 11 ? p / 5 * 100 + p % 5 : -1);
}

/// A remainder: io counts blocks of 16, and the last one ends at 70.
static const char *maskedText(bool peel) {
  return peel ? R"(
tg.kernel @e(%o: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64} {
  %io = tg.range 0 loop 5 peel 1
  %iv = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c70 = tg.const(70 : index) : index
  %i0 = tg.mul %io, %c16 : index
  %i = tg.add %i0, %iv : index
  %m = tg.cmplt %i, %c70 : index
  %x = tg.load %a[%i] mask %m : memref<70xf32>
  %y = tg.add %x, %x : f32
  tg.store %y, %o[%i] mask %m : memref<70xf32>
})"
              : R"(
tg.kernel @e(%o: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64} {
  %io = tg.range 0 loop 5
  %iv = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c70 = tg.const(70 : index) : index
  %i0 = tg.mul %io, %c16 : index
  %i = tg.add %i0, %iv : index
  %m = tg.cmplt %i, %c70 : index
  %x = tg.load %a[%i] mask %m : memref<70xf32>
  %y = tg.add %x, %x : f32
  tg.store %y, %o[%i] mask %m : memref<70xf32>
})";
}

TEST(LoopTest, MaskedTails) {
  for (bool peel : {false, true}) {
    KernelRunner kernel(maskedText(peel));
    ASSERT_COMPILES(kernel);
    std::vector<float> o(96, -1), a = numbers(70);
    kernel.run({o.data(), a.data()});
    for (int i = 0; i < 96; ++i)
      ASSERT_EQ(o[i], i < 70 ? 2 * a[i] : -1) << i;
  }
}

/// Rows and columns in blocks run by threads, both with a remainder.
TEST(LoopTest, PeeledThreadRanges) {
  KernelRunner kernel(R"(
tg.kernel @pt(%o: memref<350xf32>, %p: memref<5xf32>, %a: memref<350xf32>)
    attributes {outputs = 2 : i64} {
  %io = tg.range 0 thread 3 peel 1
  %jo = tg.range 1 thread 5 peel 1
  %iu = tg.range 2 unroll 2
  %jv = tg.range 3 upcast 16
  %c2 = tg.const(2 : index) : index
  %c5 = tg.const(5 : index) : index
  %c16 = tg.const(16 : index) : index
  %c70 = tg.const(70 : index) : index
  %i0 = tg.mul %io, %c2 : index
  %i = tg.add %i0, %iu : index
  %j0 = tg.mul %jo, %c16 : index
  %j = tg.add %j0, %jv : index
  %mi = tg.cmplt %i, %c5 : index
  %mj = tg.cmplt %j, %c70 : index
  %m = tg.and %mi, %mj : i1
  %row = tg.mul %i, %c70 : index
  %n = tg.add %row, %j : index
  %x = tg.load %a[%n] mask %m : memref<350xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%n] mask %m : memref<350xf32>
  %f = tg.load %a[%i] mask %mi : memref<350xf32>
  tg.store %f, %p[%i] mask %mi : memref<5xf32>
})");
  ASSERT_COMPILES(kernel);
  ASSERT_EQ(kernel.parallelExtent(), 15);
  std::vector<float> o(360, 99), p(8, 99), a = numbers(350);
  for (int i = 14; i >= 0; i -= 2)
    kernel.run({o.data(), p.data(), a.data()}, i, std::min(15, i + 2));
  for (int i = 0; i < 360; ++i)
    ASSERT_EQ(o[i], i < 350 ? -a[i] : 99) << i;
  for (int i = 0; i < 8; ++i)
    ASSERT_EQ(p[i], i < 5 ? a[i] : 99) << i;
}

/// Reduction over lanes, with several accumulators and a peeled remainder.
TEST(LoopTest, SumAndMaxOverLanes) {
  KernelRunner kernel(R"(
tg.kernel @r(%s: memref<3xf32>, %m: memref<3xf32>, %a: memref<600xf32>)
    attributes {outputs = 2 : i64} {
  %i = tg.range 0 thread 3
  %ko = tg.range 1 loop 4 peel 1
  %ku = tg.range 2 unroll 4
  %kv = tg.range 3 upcast 16
  %c16 = tg.const(16 : index) : index
  %c64 = tg.const(64 : index) : index
  %c200 = tg.const(200 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %low = tg.const(0xFF800000 : f32) : f32
  %k0 = tg.mul %ko, %c64 : index
  %k1 = tg.mul %ku, %c16 : index
  %k2 = tg.add %k0, %k1 : index
  %k = tg.add %k2, %kv : index
  %in = tg.cmplt %k, %c200 : index
  %row = tg.mul %i, %c200 : index
  %p = tg.add %row, %k : index
  %x = tg.load %a[%p] mask %in : memref<600xf32>
  %x0 = tg.where %in, %x, %zero : f32
  %x1 = tg.where %in, %x, %low : f32
  %sum = tg.ranged_reduce add %x0 over %ko, %ku, %kv : f32
  %max = tg.ranged_reduce max %x1 over %ko, %ku, %kv : f32
  tg.store %sum, %s[%i] : memref<3xf32>
  tg.store %max, %m[%i] : memref<3xf32>
})");
  ASSERT_COMPILES(kernel);
  std::vector<float> s(3), m(3), a = numbers(600);
  for (float &value : a)
    value -= 10; // all negative
  a[450] = NAN;
  kernel.run({s.data(), m.data(), a.data()});
  for (int i = 0; i < 2; ++i) {
    float sum = 0, max = -INFINITY;
    for (int k = 0; k < 200; ++k)
      sum += a[i * 200 + k], max = std::fmax(max, a[i * 200 + k]);
    EXPECT_EQ(s[i], sum);
    EXPECT_EQ(m[i], max);
  }
  EXPECT_TRUE(std::isnan(s[2]));
  EXPECT_TRUE(std::isnan(m[2]));
}

TEST(LoopTest, ReductionsOfEveryKindAndType) {
  struct Case {
    const char *kind, *type;
  };
  auto text = [](Case c, int extent, int lanes) {
    std::string type = c.type, buffer = "memref<96x" + type + ">";
    return "tg.kernel @r(%o: memref<1x" + type + ">, %a: " + buffer +
           ") attributes {outputs = 1 : i64} {\n"
           "  %k = tg.range 0 loop " +
           std::to_string(extent) +
           "\n"
           "  %v = tg.range 1 upcast " +
           std::to_string(lanes) +
           "\n"
           "  %w = tg.const(" +
           std::to_string(lanes) +
           " : index) : index\n"
           "  %z = tg.const(0 : index) : index\n"
           "  %p = tg.mul %k, %w : index\n"
           "  %i = tg.add %p, %v : index\n"
           "  %x = tg.load %a[%i] : " +
           buffer +
           "\n"
           "  %r = tg.ranged_reduce " +
           c.kind + " %x over %k, %v : " + type +
           "\n  tg.store %r, %o[%z] : memref<1x" + type + ">\n}";
  };
  auto check = [&](auto zero, const char *type) {
    using T = decltype(zero);
    for (const char *kind : {"add", "mul", "max"})
      for (int lanes : {3, 16})
        for (int extent : {0, 1, 6}) {
          KernelRunner kernel(text({kind, type}, extent, lanes));
          ASSERT_COMPILES(kernel);
          std::vector<T> a(96);
          for (int i = 0; i < 96; ++i)
            a[i] = std::string(kind) == "mul" ? T(i % 7 == 3 ? 2 : 1)
                                              : T((i * 37) % 96);
          bool isAdd = std::string(kind) == "add";
          T expected = isAdd                        ? T(0)
                       : std::string(kind) == "mul" ? T(1)
                       : std::numeric_limits<T>::has_infinity
                           ? -std::numeric_limits<T>::infinity()
                           : std::numeric_limits<T>::lowest();
          for (int i = 0; i < extent * lanes; ++i)
            expected = isAdd                        ? T(expected + a[i])
                       : std::string(kind) == "mul" ? T(expected * a[i])
                                                    : std::max(expected, a[i]);
          T o = T(77);
          kernel.run({&o, a.data()});
          EXPECT_EQ(o, expected)
              << kind << " " << type << " " << extent << "x" << lanes;
        }
  };
  check(float(), "f32");
  check(double(), "f64");
  check(int8_t(), "i8");
  check(uint8_t(), "ui8");
  check(int16_t(), "i16");
  check(uint16_t(), "ui16");
  check(int32_t(), "i32");
  check(uint32_t(), "ui32");
  check(int64_t(), "i64");
  check(uint64_t(), "ui64");
}

TEST(LoopTest, BoolReductions) {
  for (bool isMul : {false, true}) {
    KernelRunner kernel(std::string(R"(
tg.kernel @r(%o: memref<4xi1>, %a: memref<128xi1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %v = tg.range 1 upcast 32
  %w = tg.const(32 : index) : index
  %p = tg.mul %i, %w : index
  %q = tg.add %p, %v : index
  %x = tg.load %a[%q] : memref<128xi1>
  %r = tg.ranged_reduce )") +
                        (isMul ? "mul" : "add") + R"( %x over %v : i1
  tg.store %r, %o[%i] : memref<4xi1>
})");
    ASSERT_COMPILES(kernel);
    std::vector<uint8_t> a(128, 0), o(4, 9);
    for (int i = 32; i < 64; ++i)
      a[i] = 1;
    a[70] = 1;
    kernel.run({o.data(), a.data()});
    EXPECT_EQ(o, isMul ? (std::vector<uint8_t>{0, 1, 0, 0})
                       : (std::vector<uint8_t>{0, 1, 1, 0}));
  }
}

/// f16 sums exceed 2048, where sums rounded after each addition would stop.
TEST(LoopTest, NarrowFloatsAccumulateInF32) {
  KernelRunner kernel(R"(
tg.kernel @r(%o: memref<1xf16>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 4096
  %z = tg.const(0 : index) : index
  %x = tg.const(1.0 : f16) : f16
  %r = tg.ranged_reduce add %x over %k : f16
  tg.store %r, %o[%z] : memref<1xf16>
})");
  ASSERT_COMPILES(kernel);
  uint16_t o = 0;
  kernel.run({&o});
  EXPECT_EQ(o, 0x6c00); // 4096
}

/// Softmax in one kernel: three dependent loops in the loop over rows.
TEST(LoopTest, DependentReductions) {
  KernelRunner kernel(R"(
tg.kernel @softmax(%o: memref<320xf32>, %a: memref<320xf32>)
    attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 5
  %k = tg.range 1 loop 4
  %kv = tg.range 2 upcast 16
  %l = tg.range 3 loop 4
  %lv = tg.range 4 upcast 16
  %j = tg.range 5 loop 64
  %c16 = tg.const(16 : index) : index
  %c64 = tg.const(64 : index) : index
  %row = tg.mul %i, %c64 : index
  %k0 = tg.mul %k, %c16 : index
  %k1 = tg.add %k0, %kv : index
  %ki = tg.add %row, %k1 : index
  %l0 = tg.mul %l, %c16 : index
  %l1 = tg.add %l0, %lv : index
  %li = tg.add %row, %l1 : index
  %ji = tg.add %row, %j : index
  %x = tg.load %a[%ki] : memref<320xf32>
  %max = tg.ranged_reduce max %x over %k, %kv : f32
  %y = tg.load %a[%li] : memref<320xf32>
  %yd = tg.sub %y, %max : f32
  %ye = tg.exp2 %yd : f32
  %sum = tg.ranged_reduce add %ye over %l, %lv : f32
  %inv = tg.recip %sum : f32
  %z = tg.load %a[%ji] : memref<320xf32>
  %zd = tg.sub %z, %max : f32
  %ze = tg.exp2 %zd : f32
  %r = tg.mul %ze, %inv : f32
  tg.store %r, %o[%ji] : memref<320xf32>
})");
  ASSERT_COMPILES(kernel);
  std::vector<float> o(320), a = numbers(320);
  kernel.run({o.data(), a.data()});
  for (int i = 0; i < 5; ++i) {
    double max = -INFINITY, sum = 0;
    for (int j = 0; j < 64; ++j)
      max = std::fmax(max, a[i * 64 + j]);
    for (int j = 0; j < 64; ++j)
      sum += std::exp2(a[i * 64 + j] - max);
    for (int j = 0; j < 64; ++j)
      ASSERT_NEAR(o[i * 64 + j], std::exp2(a[i * 64 + j] - max) / sum, 1e-6);
  }
}

/// A reduction inside a reduction over the same range: the inner one starts
/// again at each position of the outer one.
TEST(LoopTest, NestedReductionOverOneRange) {
  KernelRunner kernel(R"(
tg.kernel @n(%o: memref<1xf32>, %a: memref<12xf32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 4
  %i = tg.range 1 loop 3
  %z = tg.const(0 : index) : index
  %c4 = tg.const(4 : index) : index
  %row = tg.mul %i, %c4 : index
  %p = tg.add %row, %k : index
  %x = tg.load %a[%p] : memref<12xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  %y = tg.mul %x, %s : f32
  %t = tg.ranged_reduce add %y over %k, %i : f32
  tg.store %t, %o[%z] : memref<1xf32>
})");
  ASSERT_COMPILES(kernel);
  std::vector<float> a = numbers(12);
  float o = 0, expected = 0;
  kernel.run({&o, a.data()});
  for (int i = 0; i < 3; ++i) {
    float sum = a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3];
    expected += sum * sum;
  }
  EXPECT_EQ(o, expected);
}

/// Indices with divisions: rows of 12 read in blocks of 4 lanes, permuted.
TEST(LoopTest, DivisionsOfLanes) {
  KernelRunner kernel(R"(
tg.kernel @p(%o: memref<96xi32>, %a: memref<96xi32>, %b: memref<96xi32>)
    attributes {outputs = 1 : i64} {
  %io = tg.range 0 loop 24
  %iv = tg.range 1 upcast 4
  %c4 = tg.const(4 : index) : index
  %c12 = tg.const(12 : index) : index
  %c7 = tg.const(7 : index) : index
  %c84 = tg.const(84 : index) : index
  %c6 = tg.const(6 : index) : index
  %c95 = tg.const(95 : index) : index
  %i0 = tg.mul %io, %c4 : index
  %i = tg.add %i0, %iv : index
  %q = tg.idiv %i, %c12 : index
  %r = tg.mod %i, %c12 : index
  %q7 = tg.sub %c7, %q : index
  %row = tg.mul %q7, %c12 : index
  %p = tg.add %row, %r : index
  %x = tg.load %a[%p] : memref<96xi32>
  %i6 = tg.floormod %i, %c6 : index
  %y = tg.load %b[%i6] : memref<96xi32>
  %back = tg.sub %c95, %i : index
  %z = tg.load %b[%back] : memref<96xi32>
  %xy = tg.add %x, %y : i32
  %xyz = tg.add %xy, %z : i32
  tg.store %xyz, %o[%i] : memref<96xi32>
})");
  ASSERT_COMPILES(kernel);
  std::vector<int> o(96), a(96), b(96);
  for (int i = 0; i < 96; ++i)
    a[i] = i * i, b[i] = 1000 * i + 7;
  kernel.run({o.data(), a.data(), b.data()});
  for (int i = 0; i < 96; ++i)
    ASSERT_EQ(o[i], a[(7 - i / 12) * 12 + i % 12] + b[i % 6] + b[95 - i]) << i;
}

/// Every kind of access, for every element width, with and without a mask.
TEST(LoopTest, StridesAndMasks) {
  auto check = [](auto zero, const char *type) {
    using T = decltype(zero);
    for (int stride : {0, 1, 2, 3, -1, -2})
      for (int mask : {0, 1, 2}) // none, uniform, per lane
        for (bool isStore : {false, true}) {
          if (isStore && stride == 0)
            continue;
          std::string small = std::string("memref<64x") + type + ">";
          std::string large = std::string("memref<200x") + type + ">";
          std::string text =
              "tg.kernel @s(%o: " + (isStore ? large : small) +
              ", %a: " + (isStore ? small : large) +
              ") attributes {outputs = 1 : i64} {\n"
              "  %io = tg.range 0 loop 4\n  %iv = tg.range 1 upcast 16\n"
              "  %c16 = tg.const(16 : index) : index\n"
              "  %i0 = tg.mul %io, %c16 : index\n"
              "  %i = tg.add %i0, %iv : index\n"
              "  %st = tg.const(" +
              std::to_string(stride) +
              " : index) : index\n  %base = tg.const(" +
              std::to_string(stride < 0 ? 190 : 3) +
              " : index) : index\n  %s0 = tg.mul %i, %st : index\n"
              "  %s = tg.add %s0, %base : index\n";
          std::string suffix;
          if (mask) {
            text += mask == 1 ? "  %c2 = tg.const(2 : index) : index\n"
                                "  %m = tg.cmplt %io, %c2 : index\n"
                              : "  %c41 = tg.const(41 : index) : index\n"
                                "  %m = tg.cmplt %i, %c41 : index\n";
            suffix = " mask %m";
          }
          text +=
              "  %x = tg.load %a[" +
              (isStore ? "%i] : " + small : "%s]" + suffix + " : " + large) +
              "\n  tg.store %x, %o[" +
              (isStore ? "%s]" + suffix + " : " + large : "%i] : " + small) +
              "\n}";
          KernelRunner kernel(text);
          ASSERT_COMPILES(kernel) << text;
          std::vector<T> o(200, T(1)), a(200), expected(200, T(1));
          for (int i = 0; i < 200; ++i)
            a[i] = T(std::is_same_v<T, bool> ? i % 3 == 0 : i * 5 % 120);
          for (int i = 0; i < 64; ++i) {
            bool holds = mask == 0 || (mask == 1 ? i < 32 : i < 41);
            int index = i * stride + (stride < 0 ? 190 : 3);
            if (!isStore)
              expected[i] = holds ? a[index] : T(0);
            else if (holds)
              expected[index] = a[i];
          }
          kernel.run({o.data(), a.data()});
          ASSERT_EQ(o, expected) << text;
        }
  };
  check(uint8_t(), "ui8");
  check(int16_t(), "i16");
  check(float(), "f32");
  check(double(), "f64");
}

TEST(LoopTest, GatherByLoadedIndices) {
  KernelRunner kernel(R"(
tg.kernel @g(%o: memref<64xf32>, %h: memref<64xi8>, %i: memref<64xi32>,
             %a: memref<50xf32>, %b: memref<50xi8>)
    attributes {outputs = 2 : i64} {
  %r = tg.range 0 upcast 64
  %c50 = tg.const(50 : index) : index
  %c0 = tg.const(0 : index) : index
  %n = tg.load %i[%r] : memref<64xi32>
  %p = tg.cast %n : i32 -> index
  %lt = tg.cmplt %p, %c50 : index
  %neg = tg.cmplt %p, %c0 : index
  %true = tg.const(true) : i1
  %pos = tg.xor %neg, %true : i1
  %m = tg.and %lt, %pos : i1
  %x = tg.load %a[%p] mask %m : memref<50xf32>
  %y = tg.load %b[%p] mask %m : memref<50xi8>
  tg.store %x, %o[%r] : memref<64xf32>
  tg.store %y, %h[%r] : memref<64xi8>
})");
  ASSERT_COMPILES(kernel);
  std::vector<float> o(64), a = numbers(50);
  std::vector<int8_t> h(64), b(50);
  std::vector<int> i(64);
  for (int j = 0; j < 64; ++j)
    i[j] = j % 9 == 4 ? 1000000 * j - 30000000 : j * 29 % 50;
  for (int j = 0; j < 50; ++j)
    b[j] = int8_t(j * 3);
  kernel.run({o.data(), h.data(), i.data(), a.data(), b.data()});
  for (int j = 0; j < 64; ++j) {
    bool isIn = i[j] >= 0 && i[j] < 50;
    ASSERT_EQ(o[j], isIn ? a[i[j]] : 0);
    ASSERT_EQ(h[j], isIn ? b[i[j]] : 0);
  }
}

/// A transposed tile in local memory.
TEST(LoopTest, StagedTiles) {
  for (const char *type : {"f32", "i1"}) {
    std::string t = type;
    KernelRunner kernel("tg.kernel @s(%o: memref<512x" + t +
                        ">, %a: memref<512x" + t +
                        R"(>) attributes {outputs = 1 : i64} {
  %b = tg.range 0 thread 2
  %x = tg.range 1 loop 16
  %y = tg.range 2 upcast 16
  %i = tg.range 3 loop 8
  %iu = tg.range 5 unroll 2
  %j = tg.range 4 upcast 16
  %c2 = tg.const(2 : index) : index
  %c16 = tg.const(16 : index) : index
  %c256 = tg.const(256 : index) : index
  %base = tg.mul %b, %c256 : index
  %x0 = tg.mul %x, %c16 : index
  %x1 = tg.add %x0, %y : index
  %xi = tg.add %base, %x1 : index
  %v = tg.load %a[%xi] : memref<512x)" +
                        t + R"(>
  %tile = tg.stage %v over %x, %y : memref<256x)" +
                        t + R"(>
  %done = tg.barrier %tile : memref<256x)" +
                        t + R"(>
  %i0 = tg.mul %i, %c2 : index
  %ii = tg.add %i0, %iu : index
  %j0 = tg.mul %j, %c16 : index
  %ti = tg.add %j0, %ii : index
  %w = tg.load %done[%ti] : memref<256x)" +
                        t + R"(>
  %o0 = tg.mul %ii, %c16 : index
  %o1 = tg.add %o0, %j : index
  %oi = tg.add %base, %o1 : index
  tg.store %w, %o[%oi] : memref<512x)" +
                        t + R"(>
})");
    ASSERT_COMPILES(kernel);
    if (t == "f32") {
      std::vector<float> o(512), a = numbers(512);
      kernel.run({o.data(), a.data()});
      for (int b = 0; b < 2; ++b)
        for (int i = 0; i < 256; ++i)
          ASSERT_EQ(o[b * 256 + i], a[b * 256 + i % 16 * 16 + i / 16]);
    } else {
      std::vector<uint8_t> o(512), a(512);
      for (int i = 0; i < 512; ++i)
        a[i] = i % 5 == 0;
      kernel.run({o.data(), a.data()});
      for (int b = 0; b < 2; ++b)
        for (int i = 0; i < 256; ++i)
          ASSERT_EQ(o[b * 256 + i], a[b * 256 + i % 16 * 16 + i / 16]);
    }
  }
}

/// Tiles larger than the limit for the stack.
TEST(LoopTest, LargeTilesComeFromTheHeap) {
  KernelRunner kernel(R"(
tg.kernel @s(%o: memref<1000000xf64>) attributes {outputs = 1 : i64} {
  %x = tg.range 0 loop 1000000
  %i = tg.range 1 loop 1000000
  %c = tg.const(999999 : index) : index
  %n = tg.cast %x : index -> i64
  %v = tg.cast %n : i64 -> f64
  %tile = tg.stage %v over %x : memref<1000000xf64>
  %done = tg.barrier %tile : memref<1000000xf64>
  %j = tg.sub %c, %i : index
  %w = tg.load %done[%j] : memref<1000000xf64>
  tg.store %w, %o[%i] : memref<1000000xf64>
})");
  ASSERT_COMPILES(kernel);
  std::vector<double> o(1000000);
  kernel.run({o.data()});
  for (int i = 0; i < 1000000; ++i)
    ASSERT_EQ(o[i], 999999 - i);
}

TEST(LoopTest, NothingRunsWithoutPositions) {
  KernelRunner kernel(R"(
tg.kernel @z(%o: memref<8xf32>, %p: memref<2xf32>, %a: memref<0xf32>)
    attributes {outputs = 2 : i64} {
  %i = tg.range 0 loop 0
  %j = tg.range 1 loop 2
  %k = tg.range 2 loop 0
  %x = tg.load %a[%i] : memref<0xf32>
  tg.store %x, %o[%i] : memref<8xf32>
  %y = tg.load %a[%k] : memref<0xf32>
  %s = tg.ranged_reduce max %y over %k : f32
  tg.store %s, %p[%j] : memref<2xf32>
})");
  ASSERT_COMPILES(kernel);
  std::vector<float> o(8, 5), p(2, 5);
  kernel.run({o.data(), p.data(), nullptr});
  EXPECT_EQ(o, std::vector<float>(8, 5));
  EXPECT_EQ(p, std::vector<float>(2, -INFINITY));
}

/// Hints do not change results: aligned, reversed (with an unaligned address),
/// masked.
TEST(LoopTest, HintsChangeNothing) {
  for (int variant : {0, 1, 2}) {
    KernelRunner kernel(std::string(R"(
tg.kernel @h(%o: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4 peel 1
  %v = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c63 = tg.const(63 : index) : index
  %c64 = tg.const(64 : index) : index
  %c50 = tg.const(50 : index) : index
  %i0 = tg.mul %i, %c16 : index
  %p = tg.add %i0, %v : index
  %q = tg.sub %c63, %p : index
  %x = tg.load %a[%p] prefetch 32 : memref<64xf32>
  %r = tg.sub %c64, %p : index
  %m = tg.cmplt %p, %c50 : index
  tg.store %x, %o[)") +
                        (variant == 1   ? "%q]"
                         : variant == 2 ? "%p] mask %m"
                                        : "%p]") +
                        " nontemporal : memref<64xf32>\n}");
    ASSERT_COMPILES(kernel);
    alignas(64) float o[64] = {};
    std::vector<float> a = numbers(64);
    kernel.run({o, a.data()});
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(o[variant == 1 ? 63 - i : i],
                variant == 2 && i >= 50 ? 0 : a[i]);
  }
}

/// Reads precede writes of the same positions.
TEST(LoopTest, InPlace) {
  KernelRunner kernel(R"(
tg.kernel @ip(%o: memref<64xf32>, %q: memref<64xf32>)
    attributes {outputs = 2 : i64, in_place} {
  %i = tg.range 0 loop 4
  %v = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %i0 = tg.mul %i, %c16 : index
  %p = tg.add %i0, %v : index
  %x = tg.load %o[%p] : memref<64xf32>
  %y = tg.load %q[%p] : memref<64xf32>
  tg.store %y, %o[%p] : memref<64xf32>
  tg.store %x, %q[%p] : memref<64xf32>
})");
  ASSERT_COMPILES(kernel);
  std::vector<float> a = numbers(64), b = numbers(64, 9), o = a, q = b;
  kernel.run({o.data(), q.data()});
  EXPECT_EQ(o, b);
  EXPECT_EQ(q, a);
}

/// A store that all threads would repeat is executed only by the first.
TEST(LoopTest, StoreOutsideOfThreadRange) {
  KernelRunner kernel(R"(
tg.kernel @st(%o: memref<4xf32>, %p: memref<1xf32>, %a: memref<4xf32>)
    attributes {outputs = 2 : i64} {
  %i = tg.range 0 thread 4
  %k = tg.range 1 loop 4
  %z = tg.const(0 : index) : index
  %x = tg.load %a[%i] : memref<4xf32>
  tg.store %x, %o[%i] : memref<4xf32>
  %y = tg.load %a[%k] : memref<4xf32>
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %p[%z] : memref<1xf32>
})");
  ASSERT_COMPILES(kernel);
  std::vector<float> o(4, -1), p(1, -1), a = {1, 2, 3, 4};
  kernel.run({o.data(), p.data(), a.data()}, 2, 4);
  EXPECT_EQ(p[0], -1);
  kernel.run({o.data(), p.data(), a.data()}, 0, 2);
  EXPECT_EQ(p[0], 10);
  EXPECT_EQ(o, a);
}

TEST(LoopTest, ErrorsNameTheOperation) {
  KernelRunner kernel(R"(
tg.kernel @e(%o: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 upcast 8
  %j = tg.range 1 upcast 8
  %c8 = tg.const(8 : index) : index
  %i0 = tg.mul %i, %c8 : index
  %p = tg.add %i0, %j : index
  %x = tg.load %a[%p] : memref<64xf32>
  tg.store %x, %o[%p] : memref<64xf32>
})");
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.error().find("two upcast ranges"), std::string::npos)
      << kernel.error();
}
