//===- ScheduledGradientTest.cpp - gradients that are hard to schedule ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compositions whose gradients update elements that are found in memory, or
/// have several reductions in one kernel. Each must compile with the schedule
/// that it gets, and compute what it computes without one.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
using Function = std::function<Tensor(const Tensor &)>;

/// Expects the gradient of sum(f(x) * noise) to be that without a schedule.
void expectScheduled(const Shape &shape, const Function &f,
                     DType dtype = DType::Float32) {
  SCOPED_TRACE(toString(shape) + " " + std::string(name(dtype)));
  const Tensor x = (noiseTensor(shape) + 1.5).cast(dtype).realize();
  auto compute = [&] {
    const Tensor y = f(x);
    return values(
        (y * noiseTensor(y.shape(), 7).cast(dtype)).sum().gradient({x})[0]);
  };
  const int64_t refused = GlobalCounters::schedulesRefused;
  const std::vector<double> scheduled = compute();
  EXPECT_EQ(GlobalCounters::schedulesRefused, refused);
  Context settings({{"NOOPT", 1}});
  const std::vector<double> plain = compute();
  double largest = 1;
  for (double number : plain)
    largest = std::max(largest, std::abs(number));
  ASSERT_EQ(scheduled.size(), plain.size());
  const double tolerance = dtype == DType::Float16 ? 5e-2 : 1e-3;
  for (size_t i = 0; i < plain.size(); ++i)
    EXPECT_NEAR(scheduled[i], plain[i], largest * tolerance) << "at " << i;
}

void expectScheduledInAllTypes(const Shape &shape, const Function &f) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Float16})
    expectScheduled(shape, f, dtype);
}
} // namespace

TEST(ScheduledGradient, NormOfRunningMaxima) {
  for (const Shape &shape : std::vector<Shape>{{3, 2, 1}, {2, 3, 4}, {4, 4, 4}})
    for (int64_t axis : {0, 1})
      for (int64_t dim : {0, 1}) {
        SCOPED_TRACE(axis * 10 + dim);
        expectScheduled(shape, [&](const Tensor &x) {
          return x.cummax(axis).first.normalize(2, dim);
        });
      }
}

TEST(ScheduledGradient, ProductsOfRunningMinima) {
  for (const Shape &shape : std::vector<Shape>{{2, 2, 3, 4}, {1, 2, 4, 8}})
    for (int64_t axis : {0, 1, 2}) {
      SCOPED_TRACE(axis);
      expectScheduled(shape, [&](const Tensor &x) {
        return x.cummin(axis)
            .first.abs()
            .log()
            .matmul(noiseTensor({shape[3], 5}, 3).cast(x.dtype()))
            .celu();
      });
    }
}

TEST(ScheduledGradient, RunningMinimaInFormulas) {
  for (int64_t size : {3, 8})
    for (int64_t axis : {0, 1}) {
      SCOPED_TRACE(axis);
      expectScheduled({size, size}, [&](const Tensor &x) {
        const Tensor y = x.cummin(axis).first;
        return Tensor::einsum("ij,kj->ik", {y, y}).logsumexp(Axes{1});
      });
      expectScheduled({size, size, size}, [&](const Tensor &x) {
        return x.cummin(axis).first.logsumexp(Axes{axis});
      });
    }
}

TEST(ScheduledGradient, MaximaOfRunningMaxima) {
  expectScheduled({2, 2}, [](const Tensor &x) {
    return x.cummax(0).first.max(Axes{0}) * noiseTensor({2}, 3);
  });
}

/// The result of lanes along another range than the softmax has in its tile.
TEST(ScheduledGradient, SoftmaxAndSumOfTransposed) {
  expectScheduledInAllTypes({16, 16}, [](const Tensor &x) {
    const Tensor y = noiseTensor({8, 16, 16}, 5).cast(x.dtype());
    return x.softmax(1) + y.sum(0).transpose() * x;
  });
}

TEST(ScheduledGradient, AttentionOverTransposedConvolution) {
  for (int64_t kernel : {1, 2})
    for (int64_t width : {2, 3})
      for (int64_t channels : {1, 4}) {
        SCOPED_TRACE(kernel * 100 + width * 10 + channels);
        // 4 queries of 7 numbers.
        const int64_t height = 6 - 2 * kernel, columns = 9 - 2 * width;
        expectScheduled({3, 1, 2, height, width}, [&](const Tensor &x) {
          const Tensor y =
              x.max(Axes{0})
                  .convTranspose2d(
                      noiseTensor({2, channels, kernel, columns}, 3).abs(),
                      {.stride = {1, 2}, .dilation = {2, 1}})
                  .sqrt();
          return y.scaledDotProductAttention(y, y).matmul(
              noiseTensor({7, 5}, 4));
        });
      }
}

namespace {
/// Sizes of a program in which a transposed convolution of batch 1 makes the
/// queries of an attention, whose result is multiplied by a column.
struct Attention {
  Shape x, image, weight;
  std::vector<int64_t> padding;
  /// Without sizes, the queries are the keys, or the values.
  Shape key, value;
  bool isCausal = false;
  DType dtype = DType::Float64;
};

/// The gradients by all inputs.
std::vector<Tensor> differentiate(const Attention &sizes) {
  std::vector<Tensor> inputs;
  auto input = [&](const Shape &shape) {
    inputs.push_back(noiseTensor(shape, unsigned(inputs.size() + 1))
                         .cast(sizes.dtype)
                         .realize());
    return inputs.back();
  };
  ConvTranspose2dOptions options;
  options.stride = {1, 2};
  options.dilation = {2, 1};
  options.padding = sizes.padding;
  const Tensor x = input(sizes.x), weight = input(sizes.weight);
  const Tensor query = (x.max(Axes{0})
                            .reshape(sizes.image)
                            .convTranspose2d(weight, {}, options)
                            .sigmoid() +
                        0.15)
                           .sqrt();
  const Tensor key = sizes.key.empty() ? query : input(sizes.key),
               value = sizes.value.empty() ? query : input(sizes.value);
  const Tensor y =
      query.scaledDotProductAttention(key, value, {}, sizes.isCausal)
          .matmul(input({value.shape().back(), 1}));
  return (y * noiseTensor(y.shape(), 9).cast(sizes.dtype))
      .sum()
      .gradient(inputs);
}
} // namespace

/// Sums of a kernel that once had lanes along two ranges.
TEST(ScheduledGradient, AttentionTimesColumn) {
  const Attention all[] = {
      {{4, 7, 9},
       {1, 1, 7, 9},
       {1, 2, 3, 1},
       {1, 1},
       {1, 2, 2, 15},
       {1, 2, 2, 4}},
      {{3, 2, 9, 6, 2}, {2, 9, 6, 2}, {9, 2, 2, 3}, {1, 0}, {}, {2, 2, 6, 5}},
      {{6, 6},
       {1, 1, 1, 6},
       {1, 1, 4, 1},
       {1, 1},
       {1, 1, 9, 9},
       {1, 1, 9, 4},
       false,
       DType::Float32},
      {{2, 2},
       {2, 1, 1, 1},
       {1, 2, 3, 4},
       {0, 0},
       {2, 2, 2, 4},
       {2, 2, 2, 4},
       true},
      {{9, 2}, {1, 1, 1, 2}, {1, 2, 4, 3}, {0, 0}, {1, 2, 5, 5}, {1, 2, 5, 7}},
      {{1, 4}, {1, 4, 1, 1}, {4, 3, 3, 3}, {0, 0}, {}, {1, 3, 5, 5}, true},
      {{2, 3, 8, 1},
       {1, 3, 8, 1},
       {3, 1, 2, 4},
       {1, 0},
       {1, 1, 8, 4},
       {1, 1, 8, 4}},
      {{1, 8, 3}, {1, 1, 8, 3}, {1, 2, 4, 1}, {1, 0}, {}, {1, 2, 12, 5}},
      {{3, 8, 4},
       {1, 1, 8, 4},
       {1, 1, 4, 3},
       {1, 1},
       {1, 1, 12, 7},
       {1, 1, 12, 7}},
      // 4 queries of 7 numbers.
      {{3, 2, 2, 3},
       {1, 2, 2, 3},
       {2, 1, 2, 3},
       {0, 0},
       {1, 1, 4, 7},
       {1, 1, 4, 4}},
      {{3, 2, 2, 3},
       {1, 2, 2, 3},
       {2, 2, 2, 3},
       {0, 0},
       {1, 2, 5, 7},
       {1, 2, 5, 7}},
      {{3, 2, 2, 3},
       {1, 2, 2, 3},
       {2, 2, 2, 3},
       {0, 0},
       {1, 2, 3, 7},
       {1, 2, 3, 4},
       true},
  };
  for (const Attention &sizes : all) {
    SCOPED_TRACE(toString(sizes.x) + toString(sizes.weight));
    const int64_t refused = GlobalCounters::schedulesRefused;
    auto compute = [&](bool isTogether) {
      const std::vector<Tensor> gradients = differentiate(sizes);
      if (isTogether)
        realize(gradients);
      std::vector<std::vector<double>> numbers;
      for (const Tensor &gradient : gradients)
        numbers.push_back(values(gradient));
      return numbers;
    };
    // Kernels of all gradients together are other ones.
    const auto together = compute(true), alone = compute(false);
    EXPECT_EQ(GlobalCounters::schedulesRefused, refused);
    Context settings({{"NOOPT", 1}});
    const auto plain = compute(true);
    const double tolerance = sizes.dtype == DType::Float64 ? 1e-12 : 1e-5;
    for (size_t i = 0; i < plain.size(); ++i) {
      SCOPED_TRACE(i);
      ASSERT_EQ(together[i].size(), plain[i].size());
      double largest = 1e-3;
      for (double number : plain[i])
        largest = std::max(largest, std::abs(number));
      for (size_t k = 0; k < plain[i].size(); ++k) {
        EXPECT_NEAR(together[i][k], plain[i][k], largest * tolerance);
        EXPECT_NEAR(alone[i][k], plain[i][k], largest * tolerance);
      }
    }
  }
}

// Each reduction takes ranges, and tiles of its operands take more: the number
// that a kernel may have bounds how many reductions it takes, and what is
// tiled.
TEST(ScheduledValues, ManyReductions) {
  auto noise = [](int64_t rows, int64_t columns, int64_t seed, bool turned) {
    if (turned)
      return noiseTensor({columns, rows}, seed).realize().permute({1, 0});
    return noiseTensor({rows, columns}, seed).realize();
  };
  for (int64_t count : {12, 20, 70})
    for (int64_t more : {0, 1}) {
      SCOPED_TRACE(count * 10 + more);
      std::vector<Tensor> left, right;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t depth = 8 + more * i;
        left.push_back(noise(48, depth, i, i % 2 == 0));
        right.push_back(noise(depth, 33, i + 100, i % 3 == 0));
      }
      auto compute = [&] {
        Tensor products, sums;
        for (int64_t i = 0; i < count; ++i) {
          const Tensor product = left[i].matmul(right[i]);
          const Tensor sum = left[i].square().sum(1);
          products = i == 0 ? product : products + product;
          sums = i == 0 ? sum : sums + sum;
        }
        std::vector<double> all = values(products);
        const std::vector<double> ofSums = values(sums);
        all.insert(all.end(), ofSums.begin(), ofSums.end());
        return all;
      };
      const int64_t refused = GlobalCounters::schedulesRefused;
      const std::vector<double> scheduled = compute();
      EXPECT_EQ(GlobalCounters::schedulesRefused, refused);
      Context settings({{"NOOPT", 1}});
      const std::vector<double> plain = compute();
      ASSERT_EQ(scheduled.size(), plain.size());
      for (size_t i = 0; i < plain.size(); ++i)
        ASSERT_NEAR(scheduled[i], plain[i], 1e-3) << "at " << i;
    }
}
