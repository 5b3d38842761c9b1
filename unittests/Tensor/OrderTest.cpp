//===- OrderTest.cpp - scans, scatters and sorts --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values compared with plain loops, numbers of kernels, and errors.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

using namespace tinygrad;
using namespace tinygrad::testing;

static const double kNan = std::numeric_limits<double>::quiet_NaN();
static const double kInf = std::numeric_limits<double>::infinity();

/// The number of kernels (and other steps) of realizing the tensors.
static int64_t countSteps(const std::vector<Tensor> &tensors) {
  const int64_t before = GlobalCounters::kernelCount.load();
  realize(tensors);
  return GlobalCounters::kernelCount.load() - before;
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

TEST(Scan, Sums) {
  Tensor x = counting({2, 3});
  expectTensor(x.cumsum(), {2, 3}, {0, 1, 2, 3, 5, 7});
  expectTensor(x.cumsum(1), {2, 3}, {0, 1, 3, 3, 7, 12});
  expectTensor(x.cumsum(-1), {2, 3}, {0, 1, 3, 3, 7, 12});
  expectTensor((x + 1).cumprod(1), {2, 3}, {1, 2, 6, 4, 20, 120});
  expectTensor(Tensor(3.5).cumsum(), {}, {3.5});
  expectTensor(Tensor::zeros({0, 3}).cumsum(1), {0, 3}, {});
  EXPECT_ERROR(x.cumsum(2), IndexError, "cumsum");
  EXPECT_ERROR(Tensor(1).cumsum(1), IndexError, "cumsum");
}

TEST(Scan, ElementTypes) {
  Tensor x = Tensor::from(std::vector<int8_t>{100, 100, 100});
  EXPECT_EQ(x.cumsum().dtype(), DType::Int32);
  expectTensor(x.cumsum(), {3}, {100, 200, 300});
  Tensor mask = Tensor::from(std::vector<bool>{true, false, true});
  expectTensor(mask.cumsum(), {3}, {1, 1, 2});
  // In float16 arithmetic, a sum of 4096 ones would stop at 2048.
  Tensor half = Tensor::ones({4096}, DType::Float16).cumsum();
  EXPECT_EQ(half.dtype(), DType::Float16);
  EXPECT_EQ(half[-1].toFloat().item<float>(), 4096);
}

/// A plain loop in double precision.
static std::vector<double> cumsumOf(const std::vector<float> &x, int64_t rows,
                                    int64_t length, int64_t inner) {
  std::vector<double> result(x.size());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < inner; ++i) {
      double sum = 0;
      for (int64_t p = 0; p < length; ++p) {
        const auto at = std::size_t((row * length + p) * inner + i);
        result[at] = sum += double(x[at]);
      }
    }
  return result;
}

TEST(Scan, LongAndShortRows) {
  // Undivided and in blocks, of which the last one is shorter; along lanes and
  // across them.
  const Shape shapes[] = {{1},          {17},       {1000003},  {65536, 1},
                          {3, 40000},   {40000, 3}, {2, 99, 5}, {70, 333},
                          {1, 333, 70}, {131072, 2}};
  unsigned seed = 1;
  for (const Shape &shape : shapes)
    for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis) {
      SCOPED_TRACE(toString(shape) + " along " + std::to_string(axis));
      const std::vector<float> x =
          noise(std::size_t(numElements(shape)), ++seed);
      int64_t rows = 1, inner = 1;
      for (int64_t i = 0; i < int64_t(shape.size()); ++i)
        (i < axis   ? rows
         : i > axis ? inner
                    : rows) *= i == axis ? 1 : shape[i].value();
      // The error is relative to the largest partial sum.
      const std::vector<double> expected =
          cumsumOf(x, rows, shape[axis].value(), inner);
      double largest = 1;
      for (double value : expected)
        largest = std::max(largest, std::fabs(value));
      std::vector<double> found = values(Tensor::from(x, shape).cumsum(axis));
      ASSERT_EQ(found.size(), expected.size());
      double worst = 0;
      for (std::size_t i = 0; i < found.size(); ++i)
        worst = std::max(worst, std::fabs(found[i] - expected[i]));
      EXPECT_LE(worst, 6e-6 * largest);
    }
}

TEST(Scan, OneOrTwoKernels) {
  EXPECT_EQ(countSteps({(noiseTensor({100, 100}) + 1).cumsum(1).contiguous()}),
            1);
  EXPECT_EQ(countSteps({(noiseTensor({1000000}) + 1).cumsum()}), 2);
}

TEST(Scan, Extrema) {
  Tensor x = Tensor::from({2.f, 1.f, 2.f, 5.f, 5.f, 4.f, 6.f});
  auto [values, positions] = x.cummax();
  expectTensor(values, {7}, {2, 2, 2, 5, 5, 5, 6});
  expectTensor(positions, {7}, {0, 0, 0, 3, 3, 3, 6});
  EXPECT_EQ(positions.dtype(), DType::Int32);
  auto [least, where] = x.cummin();
  expectTensor(least, {7}, {2, 1, 1, 1, 1, 1, 1});
  expectTensor(where, {7}, {0, 1, 1, 1, 1, 1, 1});
  Tensor y = Tensor::from({1.f, float(kNan), 3.f, float(kNan)});
  auto [valuesY, positionsY] = y.cummax();
  expectTensor(valuesY, {4}, {1, kNan, kNan, kNan});
  expectTensor(positionsY, {4}, {0, 1, 1, 1});
  Tensor z = Tensor::from(std::vector<int8_t>{-128, 127, -128}, {1, 3});
  expectTensor(z.cummin(1).first, {1, 3}, {-128, -128, -128});
  expectTensor(z.cummin(1).second, {1, 3}, {0, 0, 0});
  expectTensor(Tensor(2.f).cummax().second, {}, {0});
}

TEST(Scan, LogCumSumExp) {
  const std::vector<float> x = noise(300);
  std::vector<double> expected;
  double sum = 0;
  for (float value : x)
    expected.push_back(std::log(sum += std::exp(double(value))));
  expectTensor(Tensor::from(x, {300}).logcumsumexp(), {300}, expected, 2e-6);
  // All exponentials overflow or underflow.
  Tensor far = Tensor::from({1000.f, 1000.f, -1000.f, -5000.f});
  expectTensor(
      far.logcumsumexp(), {4},
      {1000, 1000.6931471805599, 1000.6931471805599, 1000.6931471805599}, 1e-6);
  Tensor empty = Tensor::from({float(-kInf), float(-kInf), 1.f, float(kInf)});
  expectTensor(empty.logcumsumexp(), {4}, {-kInf, -kInf, 1, kInf}, 1e-6);
}

TEST(Scan, LogCumSumExpOfLongRows) {
  const int64_t count = 30001;
  for (const Shape &shape : {Shape{count}, Shape{3, count}, Shape{count, 2}}) {
    const auto axis = int64_t(shape.size() > 1 && shape[1] == count);
    const int64_t rows = numElements(shape) / count;
    std::vector<float> x = noise(std::size_t(numElements(shape)));
    for (float &value : x)
      value *= 20;
    x[5] = float(-kInf);
    std::vector<double> expected(x.size());
    for (int64_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) {
        const auto at =
            std::size_t(axis == 1 ? row * count + i : i * rows + row);
        expected[at] = std::log(sum += std::exp(double(x[at])));
      }
    }
    expectTensor(Tensor::from(x, shape).logcumsumexp(axis), shape, expected,
                 2e-6);
  }
  // Infinities and NaN in any block.
  std::vector<float> x(20000, float(-kInf));
  x[9000] = 2;
  x[12000] = float(kInf);
  x[15000] = float(kNan);
  const std::vector<double> found = values(Tensor::from(x).logcumsumexp());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i < 9000)
      ASSERT_EQ(found[i], -kInf) << i;
    else if (i < 12000)
      ASSERT_NEAR(found[i], 2, 1e-6) << i;
    else if (i < 15000)
      ASSERT_EQ(found[i], kInf) << i;
    else
      ASSERT_TRUE(std::isnan(found[i])) << i;
  }
  EXPECT_EQ(countSteps({noiseTensor({100000}).realize().logcumsumexp()}), 3);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

TEST(Scatter, Replaces) {
  Tensor x = Tensor::zeros({3, 5});
  Tensor src = Tensor::arange(1, 11, 1, DType::Float32).reshape({2, 5});
  Tensor index = Tensor::from({{0, 1, 2, 0}});
  expectTensor(x.scatter(0, index, src), {3, 5},
               {1, 0, 0, 4, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0});
  Tensor index1 = Tensor::from({{0, 1, 2}, {0, 1, 4}});
  expectTensor(x.scatter(1, index1, src), {3, 5},
               {1, 2, 3, 0, 0, 6, 7, 0, 0, 8, 0, 0, 0, 0, 0});
  expectTensor(x.scatter(1, index1, 7.5), {3, 5},
               {7.5, 7.5, 7.5, 0, 0, 7.5, 7.5, 0, 0, 7.5, 0, 0, 0, 0, 0});
  // Of several updates of an element, the last; from the end; out of range.
  Tensor many = Tensor::from({1, 1, -1, 9, -9});
  expectTensor(Tensor::zeros({4}).scatter(
                   0, many, Tensor::from({1.f, 2.f, 3.f, 4.f, 5.f})),
               {4}, {0, 2, 0, 3});
  EXPECT_ERROR(x.scatter(2, index, src), IndexError, "scatter");
  EXPECT_ERROR(x.scatter(0, index.toFloat(), src), DTypeError, "scatter");
  EXPECT_ERROR(x.scatter(0, index, src.toInt()), DTypeError, "cast them");
  EXPECT_ERROR(x.scatter(0, index.expand({3, 4}), src), ShapeError, "too few");
  EXPECT_ERROR(x.scatter(1, Tensor::zeros({4, 1}, DType::Int32), 1), ShapeError,
               "does not fit");
}

TEST(Scatter, Reduces) {
  Tensor x = Tensor::from({1.f, 2.f, 3.f, 4.f});
  Tensor index = Tensor::from({0, 0, 1, 3, 3});
  Tensor src = Tensor::from({10.f, -20.f, 30.f, 5.f, 7.f});
  auto reduce = [&](ScatterReduction reduction, bool includeSelf) {
    return x.scatterReduce(0, index, src, reduction, includeSelf);
  };
  expectTensor(reduce(ScatterReduction::Sum, true), {4}, {-9, 32, 3, 16});
  expectTensor(reduce(ScatterReduction::Sum, false), {4}, {-10, 30, 3, 12});
  expectTensor(reduce(ScatterReduction::Prod, true), {4}, {-200, 60, 3, 140});
  expectTensor(reduce(ScatterReduction::Prod, false), {4}, {-200, 30, 3, 35});
  expectTensor(reduce(ScatterReduction::AMax, true), {4}, {10, 30, 3, 7});
  expectTensor(reduce(ScatterReduction::AMin, true), {4}, {-20, 2, 3, 4});
  expectTensor(reduce(ScatterReduction::AMin, false), {4}, {-20, 30, 3, 5});
  expectTensor(reduce(ScatterReduction::Mean, true), {4}, {-3, 16, 3, 16. / 3},
               1e-6);
  expectTensor(reduce(ScatterReduction::Mean, false), {4}, {-5, 30, 3, 6});
  expectTensor(x.scatter(0, index, src, ScatterReduction::Sum), {4},
               {-9, 32, 3, 16});
  expectTensor(
      x.toInt().scatterReduce(0, index, src.toInt(), ScatterReduction::Mean),
      {4}, {-3, 16, 3, 5});
}

TEST(Scatter, RowsOfTables) {
  // The gradient of an embedding: rows are added at their positions.
  const int64_t rows = 50, width = 37, count = 999;
  const std::vector<float> src = noise(std::size_t(count * width));
  std::vector<int32_t> index;
  for (float value : noise(std::size_t(count), 7))
    index.push_back(int32_t((value + 1) * rows / 2));
  std::vector<double> expected(std::size_t(rows * width), 0.0);
  for (int64_t p = 0; p < count; ++p)
    for (int64_t i = 0; i < width; ++i)
      expected[std::size_t(index[std::size_t(p)] * width + i)] +=
          double(src[std::size_t(p * width + i)]);
  Tensor positions = Tensor::from(index).unsqueeze(1).expand({count, width});
  Tensor result = Tensor::zeros({rows, width})
                      .scatter(0, positions, Tensor::from(src, {count, width}),
                               ScatterReduction::Sum);
  expectTensor(result, {rows, width}, expected, 1e-5);
}

TEST(Scatter, HistogramCostsThePositions) {
  const int64_t count = 100003;
  std::vector<int32_t> x;
  for (float value : noise(std::size_t(count)))
    x.push_back(int32_t((value + 1) * 128));
  std::vector<double> expected(256, 0.0);
  for (int32_t value : x)
    if (value < 256)
      ++expected[std::size_t(value)];
  Tensor bins = Tensor::from(x);
  Tensor counts = bins.oneHot(256).sum(0);
  const int64_t opsBefore = GlobalCounters::globalOps.load();
  expectTensor(counts, {256}, expected);
  // Comparing with each class would take 25 million operations.
  EXPECT_LT(GlobalCounters::globalOps.load() - opsBefore, 10 * count);
  // Written by hand, for floats, and as a part of an expression.
  Tensor isBin = bins.unsqueeze(1) == Tensor::arange(256).unsqueeze(0);
  expectTensor(isBin.where(0.5, 0.0).sum(0) * 2 + 1, {256}, [&] {
    std::vector<double> more = expected;
    for (double &value : more)
      value += 1;
    return more;
  }());
}

TEST(Scatter, SumsByClassCostThePositions) {
  const int64_t count = 1000, classes = 50, width = 8;
  Tensor at = (Tensor::arange(count) * 7 % classes).contiguous().realize();
  Tensor points = counting({count, width}).contiguous().realize();
  std::vector<double> expected(std::size_t(classes * width), 0.0);
  for (int64_t i = 0; i < count * width; ++i)
    expected[std::size_t(i / width * 7 % classes * width + i % width)] +=
        double(i);
  Tensor isClass = at.unsqueeze(1) == Tensor::arange(classes);
  Tensor sums = isClass.unsqueeze(2).where(points.unsqueeze(1), 0).sum(0);
  const int64_t opsBefore = GlobalCounters::globalOps.load();
  expectTensor(sums, {classes, width}, expected);
  EXPECT_LT(GlobalCounters::globalOps.load() - opsBefore, 10 * count * width);
}

TEST(Setitem, Positions) {
  Tensor x = counting({4, 3}).contiguous().realize();
  const void *memory = x.buffer().address();
  x.setitem({Tensor::from({2, 0, 2})}, Tensor::from({{-1.f}, {-2.f}, {-3.f}}));
  expectTensor(x, {4, 3}, {-2, -2, -2, 3, 4, 5, -3, -3, -3, 9, 10, 11});
  EXPECT_EQ(x.buffer().address(), memory);
  x.setitem({Tensor::from({0, -1}), Tensor::from({1, 2})}, 50);
  expectTensor(x, {4, 3}, {-2, 50, -2, 3, 4, 5, -3, -3, -3, 9, 10, 50});
  x.setitem({Slice(0, 2), Tensor::from({2})}, 7);
  expectTensor(x, {4, 3}, {-2, 50, 7, 3, 4, 7, -3, -3, -3, 9, 10, 50});
  x.setitem({1}, 0);
  expectTensor(x, {4, 3}, {-2, 50, 7, 0, 0, 0, -3, -3, -3, 9, 10, 50});
  x.setitem({Tensor::from({9, -9})}, 1);
  expectTensor(x[0], {3}, {-2, 50, 7});
  EXPECT_EQ(x.buffer().address(), memory);
  EXPECT_ERROR(x.setitem({Tensor::from({0})}, Tensor::from({1, 2, 3})),
               DTypeError, "cast it first");
  EXPECT_ERROR(x.setitem({Tensor::from({0.5f})}, 1), DTypeError, "integers");
  EXPECT_ERROR(x.setitem({Tensor::from({0})}, Tensor::from({1.f, 2.f})),
               ShapeError, "assign");
}

TEST(Setitem, CostsWhatIsWritten) {
  Tensor x = Tensor::zeros({1 << 20}).contiguous().realize();
  Tensor index = Tensor::from({5, 7, 5}), value = Tensor::from({1.f, 2.f, 3.f});
  x.setitem({index}, value);
  const int64_t bytes = GlobalCounters::globalMem.load();
  EXPECT_EQ(countSteps({x}), 1);
  EXPECT_LT(GlobalCounters::globalMem.load() - bytes, 1000);
  EXPECT_EQ(x[5].item<float>(), 3);
  EXPECT_EQ(x[7].item<float>(), 2);
}

TEST(Setitem, ReadsWhatWasThere) {
  Tensor x = counting({6}).contiguous().realize();
  Tensor index = Tensor::from({1, 2, 3});
  // Each element gets the value of the one before.
  x.setitem({index}, x[Tensor::from({0, 1, 2})]);
  expectTensor(x, {6}, {0, 0, 1, 2, 4, 5});
  Tensor old = x * 1;
  x.setitem({index}, x[index] + 10);
  expectTensor(x, {6}, {0, 10, 11, 12, 4, 5});
  expectTensor(old, {6}, {0, 0, 1, 2, 4, 5});
  // Views change as well.
  Tensor y = counting({2, 4}).contiguous().realize(), row = y[1];
  row.setitem({Tensor::from({3, 0})}, Tensor::from({-1.f, -2.f}));
  expectTensor(y, {2, 4}, {0, 1, 2, 3, -2, 5, 6, -1});
}

//===----------------------------------------------------------------------===//
// Selection by condition
//===----------------------------------------------------------------------===//

TEST(Select, MaskAndNonzero) {
  Tensor x = counting({2, 3});
  expectTensor(x.maskedSelect(x > 1.5), {4}, {2, 3, 4, 5});
  expectTensor(
      x.maskedSelect(Tensor::from(std::vector<bool>{true, false, true})), {4},
      {0, 2, 3, 5});
  expectTensor(x.maskedSelect(x > 10), {0}, {});
  EXPECT_ERROR(x.maskedSelect(x), DTypeError, "not of bool");
  Tensor y = Tensor::from({{0, 3, 0}, {1, 0, -2}});
  expectTensor(y.nonzero(), {3, 2}, {0, 1, 1, 0, 1, 2});
  EXPECT_EQ(y.nonzero().dtype(), DType::Int32);
  expectTensor(Tensor::zeros({3}).nonzero(), {0, 1}, {});
  expectTensor(Tensor(5).nonzero(), {1, 0}, {});
  Tensor large = noiseTensor({100000});
  std::vector<double> expected;
  for (float value : noise(100000))
    if (value > 0.25f)
      expected.push_back(double(value));
  expectTensor(large.maskedSelect(large > 0.25), {int64_t(expected.size())},
               expected);
  // A mask of a middle axis: in memory for the bound of a variable, the
  // selected rows would not be contiguous.
  Tensor table = counting({2, 40, 3});
  Tensor rows = Tensor::arange(40) % 2 == 1;
  std::vector<double> odd;
  for (int64_t i = 0; i < 240; ++i)
    if (i / 3 % 40 % 2 == 1)
      odd.push_back(double(i));
  expectTensor(table.index({Slice(), rows}), {2, 20, 3}, odd);
  expectTensor(table.index({Slice(), rows}).sum(1).flatten(), {6},
               {1200, 1220, 1240, 3600, 3620, 3640});
}

/// The number of elements is a variable whose name does not collide with
/// others.
TEST(Select, OfVariableSizes) {
  const Variable size("selected", 1, 100);
  Tensor all = counting({100}).realize();
  for (int64_t count : {7, 60}) {
    Tensor x = all.shrink({{0, size.bind(count)}});
    const std::vector<double> last = {double(count - 2), double(count - 1)};
    Tensor mask = x > double(count) - 2.5;
    expectTensor(x.maskedSelect(mask), {2}, last);
    expectTensor((x + 1)[mask], {2}, {last[0] + 1, last[1] + 1});
    expectTensor(mask.nonzero(), {2, 1}, last);
    expectTensor(x.repeatInterleave(mask.toInt()), {2}, last);
  }
}

TEST(Select, ProgramsTakeTheNumberOfElements) {
  Tensor x = noiseTensor({20, 15}).realize();
  const std::vector<float> numbers = noise(300);
  auto run = [&](float least) {
    Tensor mask = x > Tensor::from({least});
    std::vector<double> expected;
    for (float number : numbers)
      if (number > least)
        expected.push_back(double(number));
    const auto count = int64_t(expected.size());
    expectTensor(x.maskedSelect(mask), {count}, expected);
    expectTensor(x[mask], {count}, expected);
    Tensor positions = mask.nonzero();
    ASSERT_EQ(positions.shape(), Shape({count, 2}));
    const std::vector<double> found = values(positions);
    for (int64_t i = 0; i < count; ++i)
      EXPECT_EQ(numbers[std::size_t(found[2 * i] * 15 + found[2 * i + 1])],
                float(expected[std::size_t(i)]));
  };
  // One bound for each power of two up to 300, and those of the masks.
  GlobalCounters::reset();
  for (int step = 0; step < 100; ++step)
    run(float(step) / 50 - 1);
  EXPECT_LE(GlobalCounters::kernelsCompiled, 60);
  const int64_t before = GlobalCounters::kernelsCompiled;
  for (int step = 0; step < 100; ++step)
    run(float(step) / 50 - 0.99f);
  EXPECT_LE(GlobalCounters::kernelsCompiled - before, 3);
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

TEST(Sort, Rows) {
  Tensor x = Tensor::from({{3.f, 1.f, 2.f}, {-1.f, -3.f, -1.f}});
  auto [values, positions] = x.sort();
  expectTensor(values, {2, 3}, {1, 2, 3, -3, -1, -1});
  expectTensor(positions, {2, 3}, {1, 2, 0, 1, 0, 2});
  auto [down, from] = x.sort(-1, true);
  expectTensor(down, {2, 3}, {3, 2, 1, -1, -1, -3});
  expectTensor(from, {2, 3}, {0, 2, 1, 0, 2, 1});
  expectTensor(x.sort(0).first, {2, 3}, {-1, -3, -1, 3, 1, 2});
  expectTensor(x.argsort(0), {2, 3}, {1, 1, 1, 0, 0, 0});
  expectTensor(Tensor(4.f).sort().first, {}, {4});
  Tensor special = Tensor::from({float(kNan), 1.f, float(-kInf), float(kInf)});
  expectTensor(special.sort().first, {4}, {-kInf, 1, kInf, kNan});
  expectTensor(special.sort(0, true).first, {4}, {kNan, kInf, 1, -kInf});
  EXPECT_ERROR(x.sort(2), IndexError, "sort: axis 2");
  EXPECT_ERROR(x.argsort(2), IndexError, "argsort: axis 2");
}

TEST(Sort, ManyElements) {
  const int64_t count = 200003;
  std::vector<float> x = noise(std::size_t(count));
  // With some equal elements.
  for (std::size_t i = 0; i < x.size(); i += 3)
    x[i] = float(int(x[i] * 100));
  std::vector<double> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  auto sortBy = [&](bool isDescending) {
    std::sort(order.begin(), order.end(), [&](double a, double b) {
      const float p = x[std::size_t(a)], q = x[std::size_t(b)];
      return p == q ? a < b : (p < q) != isDescending;
    });
  };
  Tensor t = Tensor::from(x);
  sortBy(false);
  expectTensor(t.argsort(), {count}, order);
  sortBy(true);
  expectTensor(t.argsort(0, true), {count}, order);
}

TEST(Sort, ElementTypes) {
  for (DType dtype :
       {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32,
        DType::UInt32, DType::Int64, DType::UInt64, DType::Float8E4M3,
        DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    SCOPED_TRACE(name(dtype));
    Tensor x = (Tensor::arange(700).mod(97) * 31).mod(100).cast(dtype);
    std::vector<double> sorted = values(x.toDouble());
    std::sort(sorted.begin(), sorted.end());
    expectTensor(x.sort().first.toDouble(), {700}, sorted);
    EXPECT_EQ(x.sort().first.dtype(), dtype);
  }
  Tensor bits = Tensor::from(std::vector<bool>{true, false, true});
  expectTensor(bits.argsort(), {3}, {1, 0, 2});
}

TEST(Sort, TopK) {
  Tensor x =
      Tensor::from({{3.f, 1.f, 4.f, 1.f, 5.f}, {9.f, 2.f, 6.f, 5.f, 3.f}});
  auto [values, positions] = x.topk(2);
  expectTensor(values, {2, 2}, {5, 4, 9, 6});
  expectTensor(positions, {2, 2}, {4, 2, 0, 2});
  expectTensor(x.topk(3, -1, false).second, {2, 3}, {1, 3, 0, 1, 4, 3});
  expectTensor(x.topk(1, 0).first, {1, 5}, {9, 2, 6, 5, 5});
  EXPECT_ERROR(x.topk(6), ShapeError, "no 6 elements");
  EXPECT_ERROR(x.topk(-1), ShapeError, "topk");
}

/// The first positions of a sorted row, by sorting all of it.
static std::vector<double> firstOf(const std::vector<float> &x, int64_t k,
                                   bool largest) {
  std::vector<int64_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  auto isLess = [](float a, float b) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const bool isBefore = isLess(x[a], x[b]), isAfter = isLess(x[b], x[a]);
    return isBefore == isAfter ? a < b : largest ? isAfter : isBefore;
  });
  return {order.begin(), order.begin() + k};
}

TEST(Sort, TopKOfLongRows) {
  // Selected and sorted, in one part and in several, with many equal elements,
  // NaNs, and the worst orders for selection.
  const int64_t count = 200000;
  std::vector<float> random = noise(count), equal, ascending;
  for (int64_t i = 0; i < count; ++i) {
    equal.push_back(i % 1000 == 7 ? NAN : std::floor(random[i] * 4));
    ascending.push_back(float(i / 3));
  }
  for (const std::vector<float> &x : {random, equal, ascending})
    for (bool largest : {false, true})
      for (int64_t k : {1, 10, 5000, 12500, 150000}) {
        SCOPED_TRACE(std::to_string(k));
        const std::vector<double> order = firstOf(x, k, largest);
        auto [values, positions] = Tensor::from(x).topk(k, 0, largest);
        expectTensor(positions, {k}, order);
        std::vector<double> sorted;
        for (double place : order)
          sorted.push_back(double(x[std::size_t(place)]));
        expectTensor(values, {k}, sorted);
      }
  // In every row, along an axis that is not the last one.
  Tensor rows = Tensor::from(random, {100, 2000});
  auto [values, positions] = rows.topk(3, 1);
  auto [columns, places] = rows.T().topk(3, 0);
  expectTensor(places.T(), {100, 3}, tinygrad::testing::values(positions));
  expectTensor(columns.T(), {100, 3}, tinygrad::testing::values(values));
}

TEST(Sort, TopKElementTypes) {
  std::vector<int64_t> x;
  for (int64_t i = 0; i < 1000; ++i)
    x.push_back((i * 7919) % 251 - 125);
  const Tensor wide = Tensor::from(x);
  for (DType dtype :
       {DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Float16,
        DType::BFloat16, DType::Float64, DType::Float8E4M3}) {
    SCOPED_TRACE(name(dtype));
    Tensor narrow = wide.cast(dtype);
    for (bool largest : {false, true})
      expectTensor(narrow.topk(20, 0, largest).second, {20},
                   firstOf(narrow.toFloat().tolist<float>(), 20, largest));
  }
  const SymInt n = Variable("n", 1, 900).bind(500);
  std::vector<float> part;
  for (int64_t i = 0; i < 500; ++i)
    part.push_back(float(x[std::size_t(i)]));
  expectTensor(wide.shrink({{0, n}}).topk(1).second, {1},
               firstOf(part, 1, true));
}

TEST(Sort, SymbolicRows) {
  Variable n{"n", 1, 50};
  Tensor all = noiseTensor({3, 50}).realize();
  for (int64_t length : {1, 7, 50}) {
    SCOPED_TRACE(length);
    SymInt bound = n.bind(length);
    Tensor x = all.shrink({{0, 3}, {0, bound}});
    Tensor expected = all.shrink({{0, 3}, {0, length}});
    EXPECT_EQ(values(x.argsort()), values(expected.argsort()));
    // Kernels of other sizes may sum in another order.
    auto expectNear = [](const Tensor &found, const Tensor &wanted) {
      EXPECT_THAT(
          values(found),
          ::testing::Pointwise(::testing::DoubleNear(1e-5), values(wanted)));
    };
    expectNear(x.cumsum(1), expected.cumsum(1));
    expectNear(x.cumsum(0), expected.cumsum(0));
    Tensor row = Tensor::from({2, 0, 1}).unsqueeze(1);
    expectNear(x.scatter(0, row.expand({3, bound}), x, ScatterReduction::Sum),
               expected.scatter(0, row.expand({3, length}), expected,
                                ScatterReduction::Sum));
  }
}

//===----------------------------------------------------------------------===//
// Random orders
//===----------------------------------------------------------------------===//

TEST(RandomOrder, Permutations) {
  Tensor::manualSeed(3);
  Tensor p = Tensor::randperm(1000);
  EXPECT_EQ(p.dtype(), DType::Int32);
  std::vector<double> found = values(p), all(1000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_NE(found, all);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, all);
  EXPECT_EQ(Tensor::randperm(5, DType::UInt8).dtype(), DType::UInt8);
  EXPECT_ERROR(Tensor::randperm(5, DType::Float32), DTypeError,
               "not an integer");
  EXPECT_ERROR(Tensor::randperm(300, DType::Int8), DTypeError, "do not fit");
}

TEST(RandomOrder, Multinomial) {
  Tensor::manualSeed(4);
  Tensor weights = Tensor::from({1.f, 0.f, 3.f, 0.f});
  std::map<double, int> drawn;
  for (double value : values(weights.multinomial(20000, true)))
    ++drawn[value];
  EXPECT_EQ(drawn.size(), 2u);
  EXPECT_NEAR(drawn[0], 5000, 400);
  EXPECT_NEAR(drawn[2], 15000, 400);
  Tensor rows = Tensor::from({{0.f, 1.f, 1.f}, {5.f, 0.f, 1.f}});
  Tensor pairs = rows.multinomial(2);
  EXPECT_EQ(pairs.shape(), (Shape{2, 2}));
  std::vector<double> found = values(pairs);
  EXPECT_EQ(found[0] + found[1], 3);
  EXPECT_EQ(found[2] + found[3], 2);
  EXPECT_NE(found[0], found[1]);
  EXPECT_ERROR(rows.multinomial(4), ShapeError, "no 4 positions");
  EXPECT_ERROR(Tensor::ones({2, 2, 2}).multinomial(1), ShapeError,
               "neither a row nor rows");
}
