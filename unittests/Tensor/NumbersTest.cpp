//===- NumbersTest.cpp - programs that differ in numbers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Numbers and positions that change from step to step become operands of one
/// program, and the memory kept for them is bounded.
///
//===----------------------------------------------------------------------===//

#include "HeapUse.h"
#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Tensor/Graph.h"
#include "TinyGrad/Tensor/SymInt.h"

#include <algorithm>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
class NumbersTest : public ::testing::Test {
protected:
  NumbersTest() { GlobalCounters::reset(); }

  /// The same computation in a graph without other numbers.
  static std::vector<double> byItself(const std::function<Tensor()> &compute) {
    Graph other;
    GraphScope otherScope(other);
    return values(compute());
  }

  static std::vector<float> sequence(int64_t count) {
    std::vector<float> result;
    for (int64_t i = 0; i < count; ++i)
      result.push_back(float(i));
    return result;
  }

  Graph graph;
  GraphScope scope{graph};
  Context memoryOnly{{{"CACHELEVEL", 1}}};
};
} // namespace

TEST_F(NumbersTest, learningRatesAreOperands) {
  Tensor x = Tensor::from(noise(37)).realize();
  std::vector<float> expected = noise(37);
  for (int i = 1; i <= 400; ++i) {
    x.assign(x - x * (0.1 / i)).realize();
    for (float &value : expected)
      value -= value * float(0.1 / i);
  }
  const std::vector<float> found = x.tolist<float>();
  // The same operations in the same order, each rounded once.
  EXPECT_EQ(found, expected);
  EXPECT_LE(GlobalCounters::kernelsCompiled, 3);
  EXPECT_LE(graph.numPrograms(), 3u);
}

TEST_F(NumbersTest, operandsHaveTheBitsOfNumbers) {
  const double number = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (DType dtype : {DType::Float64, DType::Float32, DType::Float16,
                      DType::BFloat16, DType::Float8E4M3, DType::Float8E5M2})
    for (double value : {3.0, 5.5, -0.0, 1e-3, 448.0, 2.7, -infinity, number,
                         infinity, 1e-45, 1e-310}) {
      auto compute = [&] {
        Tensor x = Tensor::from({1.5, -2.0, 0.0, 7.25}).cast(dtype).realize();
        return (x * Tensor::full({}, value, dtype)).cast(DType::Float64);
      };
      expectTensor(compute(), {4}, byItself(compute));
    }
  for (DType dtype :
       {DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::UInt8,
        DType::UInt16, DType::UInt32, DType::UInt64})
    for (int64_t value : {3, 5, 7, 127, -128, -1, 100}) {
      if (!Scalar(value).fits(dtype))
        continue;
      auto compute = [&] {
        Tensor x = Tensor::from({1, 2, 3, 100, 90}).cast(dtype).realize();
        return x * value + (x < value).cast(dtype) + x.floordiv(value);
      };
      expectTensor(compute(), {5}, byItself(compute));
    }
  for (uint64_t value : {uint64_t(3), ~uint64_t(0), uint64_t(1) << 63,
                         uint64_t(5), (uint64_t(1) << 63) - 1}) {
    Tensor x = Tensor::from({1, 2}).cast(DType::UInt64).realize();
    EXPECT_EQ((x + Tensor::full({}, value, DType::UInt64)).tolist<uint64_t>(),
              (std::vector<uint64_t>{value + 1, value + 2}));
  }
}

//===----------------------------------------------------------------------===//
// Within one program
//===----------------------------------------------------------------------===//

TEST_F(NumbersTest, kernelsOfOneProgramShareTheirCode) {
  Tensor x = Tensor::from(noise(16)).realize();
  std::vector<Tensor> sums;
  for (int i = 0; i < 1000; ++i)
    sums.push_back(x + (i + 0.5));
  realize(sums);
  const std::vector<float> start = noise(16);
  for (int i = 0; i < 1000; ++i) {
    std::vector<float> expected;
    for (float value : start)
      expected.push_back(value + float(i + 0.5));
    ASSERT_EQ(sums[std::size_t(i)].tolist<float>(), expected) << i;
  }
  EXPECT_LE(GlobalCounters::kernelsCompiled, 4);
}

TEST_F(NumbersTest, chainsOfKernelsShareTheirCode) {
  Tensor x = Tensor::from(noise(16)).realize();
  Tensor sum = x;
  std::vector<float> expected = noise(16);
  // Each reads its neighbor's element, so that each needs a kernel.
  for (int i = 0; i < 200; ++i) {
    sum = (sum.flip({0}) * (i + 1.25)).contiguous() * 0.015625;
    std::reverse(expected.begin(), expected.end());
    for (float &value : expected)
      value = value * float(i + 1.25) * 0.015625f;
  }
  EXPECT_EQ(sum.tolist<float>(), expected);
  EXPECT_LE(GlobalCounters::kernelsCompiled, 20);
}

/// The bytes of a tensor's memory.
static std::vector<char> bytesOf(const Tensor &x) {
  std::vector<char> bytes(x.buffer().size());
  x.buffer().copyOut(bytes.data(), bytes.size());
  return bytes;
}

/// Computes with all numbers in one graph, and with each in a graph of its own.
static void
compareWithSingle(const std::function<Tensor()> &make,
                  const std::vector<Scalar> &numbers,
                  const std::function<Tensor(Tensor, Tensor)> &compute) {
  auto computeWith = [&](const Tensor &x, Scalar value) {
    return compute(x, Tensor::full({}, value, x.dtype()));
  };
  Tensor x = make().realize();
  std::vector<Tensor> all;
  for (Scalar value : numbers)
    all.push_back(computeWith(x, value));
  realize(all);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Graph other;
    GraphScope otherScope(other);
    Tensor alone = computeWith(make().realize(), numbers[i]).realize();
    EXPECT_EQ(bytesOf(all[i]), bytesOf(alone))
        << name(x.dtype()) << ", number " << i;
  }
}

TEST_F(NumbersTest, sharedKernelsHaveTheBitsOfTheirNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (DType dtype : {DType::Float64, DType::Float32, DType::Float16,
                      DType::BFloat16, DType::Float8E4M3, DType::Float8E5M2})
    compareWithSingle(
        [&] {
          return Tensor::from({1.5, -2.0, 0.0, -0.0, 7.25, nan, infinity})
              .cast(dtype);
        },
        {3.0, 5.5, -0.0, 1e-3, 448.0, 2.7, 1.0, -1.0, 0.0, 0.25, 4.0, -2.5, nan,
         infinity, 1e-45, -7.0, 1e-310},
        [](const Tensor &x, const Tensor &c) {
          return (x * c).maximum(c) / c + (x < c).where(c, x);
        });
  for (DType dtype :
       {DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::UInt8,
        DType::UInt16, DType::UInt32, DType::UInt64}) {
    std::vector<Scalar> numbers;
    for (int64_t value : {3, 5, 7, 127, -128, -1, 0, 1, 100, 90, -2, 64})
      if (Scalar(value).fits(dtype))
        numbers.push_back(value);
    compareWithSingle(
        [&] { return Tensor::from({1, 2, 3, 100, 90}).cast(dtype); }, numbers,
        [&](const Tensor &x, const Tensor &c) {
          return x * c + (x < c).cast(dtype) + x.floordiv(c) + (x ^ c);
        });
  }
}

TEST_F(NumbersTest, sharedKernelsNextToVariables) {
  // Several numbers in one program, of which some are operands.
  Variable n("~0", 1, 8);
  Tensor x = Tensor::from(sequence(8)).realize();
  for (int64_t round = 1; round <= 6; ++round) {
    std::vector<Tensor> sums;
    for (int i = 0; i < 24; ++i)
      sums.push_back((x.shrink({{0, n.bind(round)}}) + (i * 1.5 + 2.25)) *
                     (double(round) + 0.5));
    realize(sums);
    for (int i = 0; i < 24; ++i) {
      std::vector<double> expected;
      for (int64_t k = 0; k < round; ++k)
        expected.push_back((double(k) + i * 1.5 + 2.25) *
                           (double(round) + 0.5));
      EXPECT_EQ(values(sums[std::size_t(i)]), expected) << i;
    }
  }
}

TEST_F(NumbersTest, positionsAreOperands) {
  Tensor x = Tensor::from(sequence(1000)).reshape({100, 10}).realize();
  for (int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(x[i].sum().item<float>(), float(100 * i + 45)) << i;
  EXPECT_LE(graph.numPrograms(), 3u);
  EXPECT_LE(GlobalCounters::kernelsCompiled, 3);
}

TEST_F(NumbersTest, paddingIsAnOperand) {
  Tensor x = Tensor::from({1.0f, 2.0f}).realize();
  for (int64_t i = 0; i <= 8; ++i) {
    std::vector<double> expected(10, 1.0);
    expected[std::size_t(i)] = 2;
    expected[std::size_t(i) + 1] = 3;
    expectTensor(x.pad({{i, 8 - i}}) + 1, {10}, expected);
  }
  EXPECT_LE(graph.numPrograms(), 3u);
}

TEST_F(NumbersTest, assignmentsInPlaceAtAnyPosition) {
  Tensor x = Tensor::zeros({50, 3}).contiguous().realize();
  const void *memory = x.buffer().address();
  std::vector<double> expected(150, 0.0);
  for (int64_t i = 49; i >= 0; --i) {
    x.shrink({{i, i + 1}, {0, 3}}).assign(Tensor::full({1, 3}, i + 0.5f));
    x.realize();
    for (int64_t j = 0; j < 3; ++j)
      expected[std::size_t(i * 3 + j)] = double(i) + 0.5;
  }
  expectTensor(x, {50, 3}, expected);
  EXPECT_EQ(x.buffer().address(), memory);
  // One program is for the zeros.
  EXPECT_LE(graph.numPrograms(), 4u);
}

TEST_F(NumbersTest, copiesWithinATensorAtAnyTwoPositions) {
  // Positions that are equal in the first programs, but differ later.
  const int64_t size = 12;
  for (auto [to, from] :
       {std::pair{2, 2}, {3, 3}, {4, 4}, {5, 5}, {1, 6}, {6, 1}, {0, 9}}) {
    std::vector<float> start = sequence(size);
    Tensor x = Tensor::from(start).realize(), y = Tensor::from(start).realize();
    Tensor part = x.shrink({{from, from + 3}}) * 10;
    y.shrink({{to, to + 3}}).assign(part);
    std::vector<double> expected(start.begin(), start.end());
    for (int i = 0; i < 3; ++i)
      expected[std::size_t(to + i)] = 10.0 * (from + i);
    expectTensor(y, {size}, expected);
  }
  EXPECT_LE(graph.numPrograms(), 4u);
}

TEST_F(NumbersTest, shapesAreNotNumbers) {
  Tensor x = Tensor::from(sequence(10)).realize();
  for (int64_t i = 1; i <= 6; ++i)
    (x.shrink({{1, 1 + i}}) * 2).realize();
  EXPECT_EQ(graph.numPrograms(), 6u);
}

TEST_F(NumbersTest, numbersNextToVariables) {
  // A variable of the user with the name that an operand would have.
  Variable n("~", 1, 10);
  Tensor x = Tensor::from(sequence(20)).reshape({2, 10}).realize();
  for (int64_t i = 1; i <= 10; ++i) {
    Tensor part = x.shrink({{i % 2, i % 2 + 1}, {0, n.bind(i)}}) * (i + 0.5);
    double expected = 0;
    for (int64_t j = 0; j < i; ++j)
      expected += double((i % 2) * 10 + j) * (double(i) + 0.5);
    EXPECT_EQ(part.sum().item<float>(), expected) << i;
  }
  EXPECT_LE(graph.numPrograms(), 5u);
}

TEST_F(NumbersTest, eachNumberThatStartsToDiffer) {
  Tensor x = Tensor::from({1.0f, 2.0f}).realize();
  std::vector<double> numbers(10);
  for (std::size_t i = 0; i < 10; ++i)
    numbers[i] = 2 + double(i);
  for (std::size_t round = 0; round < 40; ++round) {
    numbers[round % 10] = 20 + double(round);
    Tensor sum = x;
    double expected = 2;
    for (double number : numbers) {
      sum = sum + number;
      expected += number;
    }
    expectTensor(sum, {2}, {expected - 1, expected});
  }
  // Two specialized programs and six general ones.
  EXPECT_LE(graph.numPrograms(), 8u);
}

TEST_F(NumbersTest, tenThousandSteps) {
  constexpr int64_t most = 64, steps = 10000;
  Variable length("length", 1, most);
  Tensor w = Tensor::from(noise(32)).realize();
  Tensor table = Tensor::from(sequence(most * 8)).reshape({most, 8}).realize();
  Tensor log = Tensor::zeros({most, 8}).contiguous().realize();
  float expectedLog = 0;
  std::vector<float> expected = noise(32);
  auto step = [&](int64_t i) {
    const int64_t p = i % most;
    const double rate = 0.01 / double(i + 1);
    w.assign(w - w * rate);
    w.realize();
    for (float &value : expected)
      value -= value * float(rate);
    // A position that is read, and one that is written.
    log.shrink({{p, p + 1}, {0, 8}})
        .assign(table.shrink({{most - 1 - p, most - p}, {0, 8}}) *
                (double(i) + 0.25));
    log.realize();
    expectedLog = float((most - 1 - p) * 8) * float(double(i) + 0.25);
    // A length.
    Tensor part = table.shrink({{0, length.bind(p + 1)}, {0, 1}});
    ASSERT_EQ(part.sum().item<float>(), float(4 * p * (p + 1))) << i;
    if (i % 100 == 0) {
      ASSERT_EQ(log.tolist<float>()[std::size_t(p * 8)], expectedLog) << i;
    }
  };
  int64_t compiled = 0, memory = 0;
  auto count = [&](int64_t i) {
    step(i);
    if (i + 1 == steps / 2) {
      compiled = GlobalCounters::kernelsCompiled;
      memory = GlobalCounters::memUsed;
    }
  };
  // Attributes of numbers accumulate for some thousand steps, so only the peak
  // of memory use is constant.
  EXPECT_LT(HeapUse::growthOf(steps, count, HeapUse::Measure::Peaks), 32 << 10);
  EXPECT_EQ(w.tolist<float>(), expected);
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
  EXPECT_LE(compiled, 10);
  EXPECT_LE(graph.numPrograms(), 10u);
  EXPECT_EQ(GlobalCounters::memUsed, memory);
}

TEST_F(NumbersTest, realizingKeepsNothing) {
  Tensor x = Tensor::from({1.0f, 2.0f}).realize();
  constexpr int64_t steps = 20000;
  // Less than one byte per call.
  EXPECT_LT(HeapUse::growthOf(steps, [&](int64_t) { (x + 1).realize(); }),
            steps / 4);
}

TEST_F(NumbersTest, leastUsedProgramsAreDropped) {
  Context few({{"PROGRAMS", 3}});
  Tensor x = Tensor::from(sequence(20)).realize();
  auto use = [&](int64_t i) {
    expectTensor(x.shrink({{0, i}}).sum(), {}, {double(i * (i - 1)) / 2});
  };
  for (int64_t i : {2, 3, 4, 2, 5, 2})
    use(i);
  EXPECT_EQ(graph.numPrograms(), 3u);
  // 3 was dropped, 2 was used in between.
  const int64_t hits = GlobalCounters::scheduleCacheHits;
  use(2);
  EXPECT_EQ(GlobalCounters::scheduleCacheHits, hits + 1);
  use(3);
  EXPECT_EQ(GlobalCounters::scheduleCacheHits, hits + 1);
}
