//===- ClipTest.cpp - clipping of gradients -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gradients clipped by norm and by value. The numbers are PyTorch's:
///
///   p.grad = torch.tensor([[3., -2, 1], [4, -5, 6]])
///   q.grad = torch.tensor([1., 0, -1])
///   torch.nn.utils.clip_grad_norm_([p, q], 1.5, norm_type)
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Optim/Clip.h"
#include "OptimTest.h"
#include "TinyGrad/Optim/SGD.h"

using namespace tinygrad;
using namespace tinygrad::optim;
using namespace tinygrad::testing;

namespace {
Weights makeWeights(DType dtype = DType::Float32) {
  Weights weights(dtype);
  weights.p.setGrad(Tensor::from({{3.0, -2.0, 1.0}, {4.0, -5.0, 6.0}}, dtype));
  weights.q.setGrad(Tensor::from({1.0, 0.0, -1.0}, dtype));
  return weights;
}
} // namespace

TEST_F(OptimTest, ClipsByNorm) {
  struct Case {
    double p, norm;
    std::vector<double> gradient;
  };
  const Case cases[] = {
      {2,
       9.643651,
       {0.46662819, -0.31108546, 0.15554273, 0.62217093, -0.77771366,
        0.93325639}},
      {3,
       7.6231527,
       {0.59030688, -0.39353791, 0.19676895, 0.78707582, -0.98384476,
        1.1806138}},
      {INFINITY,
       6,
       {0.74999988, -0.49999994, 0.24999997, 0.99999988, -1.2499999,
        1.4999998}},
      // By hand: sum of magnitudes 23.
      {1, 23, {4.5 / 23, -3 / 23., 1.5 / 23, 6 / 23., -7.5 / 23, 9 / 23.}},
  };
  for (const Case &expected : cases)
    for (DType dtype : {DType::Float32, DType::Float64, DType::Float16}) {
      SCOPED_TRACE(std::to_string(expected.p) + name(dtype));
      const double tolerance = dtype == DType::Float16 ? 1e-3 : 1e-6;
      Weights weights = makeWeights(dtype);
      Tensor norm;
      EXPECT_EQ(countKernels([&] {
                  norm = clipGradNorm(weights.all(), 1.5, expected.p);
                }),
                0);
      expectTensor(norm, {}, {expected.norm}, 1e-6);
      EXPECT_EQ(norm.dtype(), dtype == DType::Float64 ? dtype : DType::Float32);
      EXPECT_EQ(weights.p.grad().dtype(), dtype);
      expectTensor(weights.p.grad(), {2, 3}, expected.gradient, tolerance);
      expectTensor(weights.q.grad(), {3},
                   {expected.gradient[2], 0, -expected.gradient[2]}, tolerance);
    }
}

TEST_F(OptimTest, SmallNormsStay) {
  Weights weights = makeWeights();
  Tensor unused = Tensor::ones({2}).parameter();
  expectTensor(clipGradNorm({weights.p, unused, weights.q}, 10), {}, {9.643651},
               1e-6);
  expectTensor(weights.p.grad(), {2, 3}, {3, -2, 1, 4, -5, 6});
  EXPECT_FALSE(unused.grad().defined());
  // A limit that is computed.
  const Tensor limit = Tensor::from({3.0f}).sum();
  clipGradNorm(weights.all(), limit);
  expectTensor(clipGradNorm(weights.all(), 100), {}, {3}, 1e-6);
  expectTensor(clipGradNorm({unused}, 1), {}, {0});
  expectTensor(clipGradNorm({}, 1), {}, {0});
  Tensor empty = Tensor::zeros({0, 2}).parameter();
  empty.setGrad(Tensor::zeros({0, 2}));
  for (double p : {2.0, double(INFINITY)})
    expectTensor(clipGradNorm({empty}, 1, p), {}, {0});
}

TEST_F(OptimTest, NormsOfInfinityAndNaN) {
  for (double value : {double(INFINITY), double(NAN)}) {
    Weights weights = makeWeights();
    weights.q.setGrad(Tensor::from({1.0, value, 2.0}, DType::Float32));
    const double norm = clipGradNorm(weights.all(), 1).item<float>();
    EXPECT_FALSE(std::isfinite(norm));
    EXPECT_TRUE(std::isnan(values(weights.q.grad())[1]));
    if (std::isinf(value))
      expectTensor(weights.p.grad(), {2, 3}, {0, -0., 0, 0, -0., 0});
    else
      EXPECT_TRUE(std::isnan(values(weights.p.grad())[0]));
  }
}

TEST_F(OptimTest, ClipsByValue) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::BFloat16}) {
    Weights weights = makeWeights(dtype);
    clipGradValue(weights.all(), 2.5);
    EXPECT_EQ(weights.p.grad().dtype(), dtype);
    expectTensor(weights.p.grad(), {2, 3}, {2.5, -2, 1, 2.5, -2.5, 2.5});
    expectTensor(weights.q.grad(), {3}, {1, 0, -1});
    clipGradValue(weights.all(), Tensor(0.5));
    expectTensor(weights.q.grad(), {3}, {0.5, 0, -0.5});
    weights.q.setGrad(Tensor::from(
        {double(NAN), double(INFINITY), -double(INFINITY)}, dtype));
    clipGradValue({weights.q}, 1);
    expectTensor(weights.q.grad(), {3}, {NAN, 1, -1});
  }
}

TEST_F(OptimTest, ClippedSteps) {
  Weights weights = makeWeights(), plain = makeWeights();
  SGD optimizer(weights.all(), {.learningRate = 1}),
      other(plain.all(), {.learningRate = 1});
  const Tensor norm = clipGradNorm(weights.all(), 1.5);
  optimizer.step({.also = {norm}});
  EXPECT_TRUE(norm.isRealized());
  for (Tensor &parameter : plain.all())
    parameter.setGrad(parameter.grad() * (1.5 / 9.643651));
  other.step();
  expectWeights(weights, values(plain.p), values(plain.q));
}

TEST_F(OptimTest, LimitsThatAreWrong) {
  Weights weights = makeWeights();
  EXPECT_ERROR(clipGradNorm(weights.all(), -1), Error,
               "clipGradNorm: maxNorm is -1, but it has to be at least 0");
  EXPECT_ERROR(clipGradNorm(weights.all(), 1, 0), Error,
               "clipGradNorm: p is 0, but it has to be positive");
  EXPECT_ERROR(clipGradNorm(weights.all(), Tensor::ones({2})), ShapeError,
               "clipGradNorm: maxNorm is a tensor of shape [2], but it has to "
               "be of rank 0");
  EXPECT_ERROR(clipGradValue(weights.all(), NAN), Error,
               "clipGradValue: limit is nan, but it has to be at least 0");
  expectTensor(weights.p.grad(), {2, 3}, {3, -2, 1, 4, -5, 6});
}
