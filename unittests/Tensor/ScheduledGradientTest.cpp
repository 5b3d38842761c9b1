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
