//===- LossGradientTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gradients of losses, by predictions and by targets where these are numbers,
/// against central differences.
///
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

using namespace tinygrad;
using namespace tinygrad::testing;

static constexpr Reduction kReductions[] = {Reduction::None, Reduction::Mean,
                                            Reduction::Sum};

/// Calls \p check for each reduction.
static void forEachReduction(const std::function<void(Reduction)> &check) {
  for (Reduction reduction : kReductions) {
    SCOPED_TRACE("reduction " + std::to_string(int(reduction)));
    check(reduction);
  }
}

/// Noise in (0, 1).
static Tensor probabilities(const Shape &shape, unsigned seed) {
  return (doubleNoise(shape, seed) * 0.45 + 0.5).realize();
}

TEST(LossGradientTest, regression) {
  using Loss = std::function<Tensor(const Tensor &, const Tensor &, Reduction)>;
  const Loss losses[] = {
      [](const Tensor &x, const Tensor &y, Reduction how) {
        return x.mseLoss(y, how);
      },
      [](const Tensor &x, const Tensor &y, Reduction how) {
        return x.l1Loss(y, how);
      },
      [](const Tensor &x, const Tensor &y, Reduction how) {
        return x.huberLoss(y, how, 0.4);
      },
      [](const Tensor &x, const Tensor &y, Reduction how) {
        return x.smoothL1Loss(y, how, 0.6);
      },
      [](const Tensor &x, const Tensor &y, Reduction how) {
        return x.smoothL1Loss(y, how, 0);
      },
  };
  for (const Loss &loss : losses) {
    SCOPED_TRACE("loss " + std::to_string(&loss - losses));
    forEachReduction([&](Reduction reduction) {
      expectGradients(
          [&](const std::vector<Tensor> &x) {
            return loss(x[0], x[1], reduction);
          },
          std::vector<Shape>{{2, 3}, {2, 3}});
    });
  }
}

TEST(LossGradientTest, divergence) {
  forEachReduction([](Reduction reduction) {
    expectGradients(
        [&](const std::vector<Tensor> &x) {
          return x[0].logSoftmax().klDivLoss(x[1], reduction);
        },
        {doubleNoise({2, 3}), probabilities({2, 3}, 2)});
    expectGradients(
        [&](const std::vector<Tensor> &x) {
          return x[0].logSoftmax().klDivLoss(x[1].logSoftmax(), reduction,
                                             true);
        },
        std::vector<Shape>{{2, 3}, {2, 3}});
  });
}

TEST(LossGradientTest, binary) {
  const Tensor targets = probabilities({2, 3}, 2);
  forEachReduction([&](Reduction reduction) {
    expectGradients(
        [&](const std::vector<Tensor> &x) {
          return x[0].binaryCrossentropy(x[1], reduction);
        },
        {probabilities({2, 3}, 1), targets}, 1e-5);
    expectGradients(
        [&](const std::vector<Tensor> &x) {
          return x[0].binaryCrossentropyLogits(x[1], reduction);
        },
        {doubleNoise({2, 3}), targets});
    // A weight for each column.
    expectGradients(
        [&](const std::vector<Tensor> &x) {
          return x[0].binaryCrossentropyLogits(x[1], reduction, x[2]);
        },
        {doubleNoise({2, 3}), targets, probabilities({3}, 3)});
  });
}

TEST(LossGradientTest, classes) {
  const Tensor labels = Tensor::from({2, 0, 2, 1});
  forEachReduction([&](Reduction reduction) {
    for (double smoothing : {0.0, 0.2})
      for (std::optional<int64_t> ignored :
           {std::optional<int64_t>(), std::optional<int64_t>(2)}) {
        SCOPED_TRACE("smoothing " + std::to_string(smoothing) +
                     (ignored ? ", a class is ignored" : ""));
        expectGradient(
            [&](const Tensor &x) {
              return x.crossEntropy(labels, reduction, smoothing, ignored);
            },
            {4, 3});
        expectGradient(
            [&](const Tensor &x) {
              return x.sparseCategoricalCrossentropy(labels, ignored, smoothing,
                                                     reduction);
            },
            {4, 3});
      }
    for (double smoothing : {0.0, 0.2})
      expectGradients(
          [&](const std::vector<Tensor> &x) {
            return x[0].crossEntropy(x[1], reduction, smoothing);
          },
          {doubleNoise({2, 3}), probabilities({2, 3}, 2)});
  });
}

TEST(LossGradientTest, classesOfPositions) {
  // Classes along axis 1 of images, and along the only axis of a vector.
  const Tensor labels = Tensor::from({{{0, 1}, {2, 1}}});
  expectGradient([&](const Tensor &x) { return x.crossEntropy(labels); },
                 {1, 3, 2, 2});
  expectGradient([&](const Tensor &x) { return x.crossEntropy(Tensor(1)); },
                 {3});
  // One class: the loss is 0 whatever the logit.
  expectGradient(
      [&](const Tensor &x) { return x.crossEntropy(Tensor::from({0, 0})); },
      {2, 1});
  expectGradient(
      [&](const Tensor &x) {
        return x.crossEntropy(Tensor::zeros({0}, DType::Int32), Reduction::Sum);
      },
      {0, 3});
}

TEST(LossGradientTest, negativeLogLikelihood) {
  const Tensor labels = Tensor::from({2, 0, 2, 1});
  forEachReduction([&](Reduction reduction) {
    for (std::optional<int64_t> ignored :
         {std::optional<int64_t>(), std::optional<int64_t>(0)}) {
      SCOPED_TRACE(ignored ? "a class is ignored" : "");
      expectGradient(
          [&](const Tensor &x) {
            return x.logSoftmax().nllLoss(labels, {}, ignored, reduction);
          },
          {4, 3});
      expectGradients(
          [&](const std::vector<Tensor> &x) {
            return x[0].nllLoss(labels, x[1], ignored, reduction);
          },
          {doubleNoise({4, 3}), probabilities({3}, 2)});
    }
  });
}
