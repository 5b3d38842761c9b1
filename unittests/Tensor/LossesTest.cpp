//===- LossesTest.cpp - tests of loss functions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loss functions compared with loops.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::testing;

/// Compares the losses of rows, their sum, and their mean, which divides the
/// sum by \p count.
static void expectReduced(const std::function<Tensor(Reduction)> &loss,
                          const Shape &shape,
                          const std::vector<double> &expected,
                          std::optional<double> count = {}) {
  double total = 0;
  for (double value : expected)
    total += value;
  expectTensor(loss(Reduction::None), shape, expected, 1e-5);
  expectTensor(loss(Reduction::Sum), {}, {total}, 1e-5);
  expectTensor(loss(Reduction::Mean), {},
               {total / count.value_or(double(expected.size()))}, 1e-5);
}

namespace {
/// Rows of `classes` elements with a stride of `inner`, and the logarithms of
/// their softmax.
struct Rows {
  int outer, classes, inner;
  std::vector<double> x;

  double logSoftmax(int row, int c) const {
    const int base = row / inner * classes * inner + row % inner;
    double sum = 0;
    for (int i = 0; i < classes; ++i)
      sum += std::exp(x[base + i * inner]);
    return x[base + c * inner] - std::log(sum);
  }
  double mean(int row) const {
    double sum = 0;
    for (int i = 0; i < classes; ++i)
      sum += logSoftmax(row, i);
    return sum / classes;
  }
};
} // namespace

TEST(Losses, CrossEntropyOfClasses) {
  Tensor x = noiseTensor({3, 5, 4}) * 4;
  Rows rows{3, 5, 4, values(x)};
  const std::vector<int> classes = {0, 4, 2, 1, 3, 3, 0, 2, 4, 1, 1, 0};
  for (DType dtype : {DType::Int32, DType::Int64, DType::UInt8, DType::Int8}) {
    Tensor labels = Tensor::from(classes, {3, 4}).cast(dtype);
    for (double smoothing : {0.0, 0.1, 1.0}) {
      std::vector<double> expected;
      for (int row = 0; row < 12; ++row)
        expected.push_back(-(1 - smoothing) *
                               rows.logSoftmax(row, classes[row]) -
                           smoothing * rows.mean(row));
      expectReduced(
          [&](Reduction reduction) {
            return x.crossEntropy(labels, reduction, smoothing);
          },
          {3, 4}, expected);
      // The same with the classes along the last axis.
      expectReduced(
          [&](Reduction reduction) {
            return x.permute({0, 2, 1}).sparseCategoricalCrossentropy(
                labels, {}, smoothing, reduction);
          },
          {3, 4}, expected);
    }
  }
  // One row.
  Tensor row = noiseTensor({6});
  expectTensor(row.crossEntropy(Tensor(2)), {},
               {-Rows{1, 6, 1, values(row)}.logSoftmax(0, 2)}, 1e-5);
}

TEST(Losses, CrossEntropyOfProbabilities) {
  Tensor x = noiseTensor({4, 6}) * 3, target = noiseTensor({4, 6}, 2).softmax();
  Rows rows{4, 6, 1, values(x)};
  const std::vector<double> y = values(target);
  for (double smoothing : {0.0, 0.2}) {
    std::vector<double> expected(4);
    for (int row = 0; row < 4; ++row)
      for (int c = 0; c < 6; ++c)
        expected[row] -= ((1 - smoothing) * y[row * 6 + c] + smoothing / 6) *
                         rows.logSoftmax(row, c);
    expectReduced(
        [&](Reduction reduction) {
          return x.crossEntropy(target, reduction, smoothing);
        },
        {4}, expected);
  }
}

TEST(Losses, ClassesThatDoNotCount) {
  Tensor x = noiseTensor({4, 5}) * 4;
  Rows rows{4, 5, 1, values(x)};
  Tensor labels = Tensor::from({2, -100, 0, 2});
  const std::vector<double> all = {-rows.logSoftmax(0, 2), 0,
                                   -rows.logSoftmax(2, 0),
                                   -rows.logSoftmax(3, 2)};
  expectReduced(
      [&](Reduction reduction) {
        return x.sparseCategoricalCrossentropy(labels, -100, 0, reduction);
      },
      {4}, all, 3);
  expectReduced(
      [&](Reduction reduction) {
        return x.logSoftmax().nllLoss(labels, {}, -100, reduction);
      },
      {4}, all, 3);
  // The ignored class may be one that the row has.
  expectReduced(
      [&](Reduction reduction) {
        return x.sparseCategoricalCrossentropy(labels, 2, 0, reduction);
      },
      {4}, {0, 0, all[2], 0}, 2);
  // A label out of range has no loss, but is counted; -1 is not the last class.
  expectReduced(
      [&](Reduction reduction) {
        return x.sparseCategoricalCrossentropy(Tensor::from({-1, 5, 0, -5}), {},
                                               0, reduction);
      },
      {4}, {0, 0, all[2], 0});
  // All labels are ignored.
  expectTensor(x.sparseCategoricalCrossentropy(Tensor::full({4}, 3), 3), {},
               {NAN});
  // An ignored infinite loss.
  Tensor infinite = Tensor::from({{0.0f, -INFINITY}, {-1.0f, -2.0f}});
  expectTensor(infinite.nllLoss(Tensor::from({1, 0}), {}, 1), {}, {1});
}

TEST(Losses, NegativeLogLikelihood) {
  Tensor x = noiseTensor({2, 5, 3}).logSoftmax(1);
  const std::vector<double> log = values(x), weight = {1, 0.5, 2, 0, 3};
  Tensor weights = Tensor::from(weight).toFloat();
  const std::vector<int> classes = {0, 4, 2, 1, 3, 1};
  Tensor labels = Tensor::from(classes, {2, 3});
  for (bool isIgnored : {false, true}) {
    std::vector<double> plain, weighted;
    double count = 0, sum = 0;
    for (int row = 0; row < 6; ++row) {
      const double loss = -log[row / 3 * 15 + classes[row] * 3 + row % 3];
      const bool counts = !isIgnored || classes[row] != 1;
      plain.push_back(counts ? loss : 0);
      weighted.push_back(counts ? loss * weight[classes[row]] : 0);
      count += counts;
      sum += counts ? weight[classes[row]] : 0;
    }
    const std::optional<int64_t> ignored =
        isIgnored ? std::optional<int64_t>(1) : std::nullopt;
    expectReduced(
        [&](Reduction r) { return x.nllLoss(labels, {}, ignored, r); }, {2, 3},
        plain, count);
    expectReduced(
        [&](Reduction r) { return x.nllLoss(labels, weights, ignored, r); },
        {2, 3}, weighted, sum);
  }
}

TEST(Losses, BinaryCrossentropy) {
  Tensor logits = noiseTensor({4, 3}) * 4, x = logits.sigmoid();
  Tensor target = noiseTensor({4, 3}, 2).abs();
  Tensor weights = Tensor::from({0.5f, 1.0f, 3.0f});
  const std::vector<double> p = values(x), y = values(target),
                            w = values(weights);
  std::vector<double> plain, weighted;
  for (int i = 0; i < 12; ++i) {
    plain.push_back(-y[i] * std::log(p[i]) - (1 - y[i]) * std::log(1 - p[i]));
    weighted.push_back(-w[i % 3] * y[i] * std::log(p[i]) -
                       (1 - y[i]) * std::log(1 - p[i]));
  }
  expectReduced([&](Reduction r) { return x.binaryCrossentropy(target, r); },
                {4, 3}, plain);
  expectReduced(
      [&](Reduction r) { return logits.binaryCrossentropyLogits(target, r); },
      {4, 3}, plain);
  expectReduced(
      [&](Reduction r) {
        return logits.binaryCrossentropyLogits(target, r, weights);
      },
      {4, 3}, weighted);
  // Limits as in PyTorch.
  expectTensor(Tensor::from({0.0f, 1.0f, 0.0f, 1.0f})
                   .binaryCrossentropy(Tensor::from({0.0f, 1.0f, 1.0f, 0.0f}),
                                       Reduction::None),
               {4}, {0, 0, 100, 100});
  expectTensor(Tensor::from({200.0f, -200.0f, 200.0f, -200.0f})
                   .binaryCrossentropyLogits(
                       Tensor::from({1.0f, 0.0f, 0.0f, 1.0f}), Reduction::None),
               {4}, {0, 0, 200, 200});
  // Small probabilities keep their accuracy.
  expectTensor(Tensor(1e-10).binaryCrossentropy(Tensor(0.0)) * 1e10, {}, {1},
               1e-6);
}

TEST(Losses, Types) {
  Tensor x = noiseTensor({4, 3}) * 2, labels = Tensor::from({0, 1, 2, 1});
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float64}) {
    SCOPED_TRACE(name(dtype));
    Tensor narrow = x.cast(dtype);
    Tensor loss = narrow.crossEntropy(labels);
    EXPECT_EQ(loss.dtype(), dtype);
    // Rounded once, at the end.
    expectTensor(
        loss, {},
        values(narrow.toDouble().crossEntropy(labels).toFloat().cast(dtype)),
        1e-7);
  }
  EXPECT_EQ(labels.unsqueeze(1)
                .crossEntropy(Tensor::zeros({4}, DType::Int32))
                .dtype(),
            DType::Float32);
}

TEST(Losses, SymbolicRows) {
  Variable n("lossRows", 1, 8);
  Tensor x = noiseTensor({8, 5}).realize();
  Tensor labels = Tensor::from({0, 1, 2, 3, 4, 0, 1, 2}).realize();
  for (int64_t size : {1, 5, 8}) {
    const SymInt bound = n.bind(size);
    Tensor some = x.shrink({{0, bound}, {}}), few = x.shrink({{0, size}, {}});
    Tensor those = labels.shrink({{0, bound}}),
           these = labels.shrink({{0, size}});
    expectTensor(some.crossEntropy(those), {}, values(few.crossEntropy(these)),
                 1e-6);
    expectTensor(some.sparseCategoricalCrossentropy(those, 1, 0.1), {},
                 values(few.sparseCategoricalCrossentropy(these, 1, 0.1)),
                 1e-6);
  }
}

TEST(Losses, Kernels) {
  const auto kernels = [](const Tensor &x) {
    GlobalCounters::reset();
    x.realize();
    return GlobalCounters::kernelCount.load();
  };
  Tensor x = noiseTensor({64, 128}).realize();
  Tensor labels = Tensor::arange(64).realize();
  EXPECT_LE(kernels(x.crossEntropy(labels)), 2);
  EXPECT_LE(kernels(x.sparseCategoricalCrossentropy(labels, 3, 0.1)), 2);
  EXPECT_LE(kernels(x.binaryCrossentropyLogits(x.abs())), 1);
  EXPECT_LE(kernels(x.nllLoss(labels, noiseTensor({128}), 3)), 3);
  // The work is proportional to the rows, not to rows times classes.
  kernels(x.crossEntropy(labels, Reduction::None));
  EXPECT_LE(GlobalCounters::globalOps.load(), 64 * 128 * 12);
  kernels(x.nllLoss(labels, {}, {}, Reduction::None));
  EXPECT_LE(GlobalCounters::globalOps.load(), 64 * 20);
}

TEST(Losses, Errors) {
  Tensor x = noiseTensor({4, 5}), labels = Tensor::zeros({4}, DType::Int32);
  EXPECT_ERROR(
      x.crossEntropy(Tensor::zeros({5}, DType::Int32)), ShapeError,
      "crossEntropy: classes of shape [5] do not fit a tensor of shape "
      "[4, 5] with classes along axis 1, which takes [4]");
  EXPECT_ERROR(x.crossEntropy(Tensor::zeros({4})), DTypeError, "float32");
  EXPECT_ERROR(x.crossEntropy(labels, Reduction::Mean, 1.5), Error,
               "a label smoothing of 1.5");
  EXPECT_ERROR(x.sparseCategoricalCrossentropy(labels, {}, NAN), Error,
               "label smoothing");
  EXPECT_ERROR(Tensor(1.0).crossEntropy(Tensor(1)), ShapeError, "rank 0");
  EXPECT_ERROR(noiseTensor({2, 3, 4}).sparseCategoricalCrossentropy(
                   Tensor::zeros({2, 4}, DType::Int32)),
               ShapeError, "which takes [2, 3]");
  EXPECT_ERROR(x.nllLoss(labels, noiseTensor({4})), ShapeError,
               "weights of shape [4] are not one for each of 5 classes");
  EXPECT_ERROR(x.binaryCrossentropy(noiseTensor({4, 4})), ShapeError,
               "binaryCrossentropy: shapes [4, 5], [4, 4]");
  EXPECT_ERROR(x.binaryCrossentropyLogits(x, Reduction::Mean, labels),
               ShapeError, "binaryCrossentropyLogits");
}

//===----------------------------------------------------------------------===//
// Regression
//===----------------------------------------------------------------------===//

/// Compares with a loss of two numbers.
static void expectElementwise(
    const std::function<Tensor(const Tensor &, const Tensor &, Reduction)>
        &loss,
    const std::function<double(double, double)> &expected) {
  Tensor x = noiseTensor({3, 4}, 1) * 3, y = noiseTensor({3, 4}, 2) * 3;
  const std::vector<double> a = values(x), b = values(y);
  std::vector<double> losses;
  for (std::size_t i = 0; i < a.size(); ++i)
    losses.push_back(expected(a[i], b[i]));
  expectReduced([&](Reduction reduction) { return loss(x, y, reduction); },
                {3, 4}, losses);
  // One element and none, other types.
  Tensor one = Tensor::full({1}, 2.5), other = Tensor::full({1}, 1.25);
  expectTensor(loss(one, other, Reduction::Mean), {}, {expected(2.5, 1.25)},
               1e-6);
  expectTensor(
      loss(Tensor::zeros({0, 2}), Tensor::zeros({0, 2}), Reduction::Sum), {},
      {0});
  for (DType dtype : {DType::Float64, DType::Float16, DType::BFloat16}) {
    Tensor found = loss(one.cast(dtype), other.cast(dtype), Reduction::Mean);
    EXPECT_EQ(found.dtype(), dtype);
    expectTensor(found, {}, {expected(2.5, 1.25)}, 1e-2);
  }
  // Shapes that would broadcast.
  EXPECT_ERROR(loss(Tensor::zeros({3, 1}), Tensor::zeros({3}), Reduction::Mean),
               ShapeError,
               "Loss: a target of shape [3] does not fit a tensor of shape [3, "
               "1]: both have to be equal");
}

TEST(Losses, MeanSquaredError) {
  expectElementwise([](const Tensor &x, const Tensor &y,
                       Reduction reduction) { return x.mseLoss(y, reduction); },
                    [](double x, double y) { return (x - y) * (x - y); });
  // Integers are computed in float32.
  expectTensor(Tensor::from({1, 2}).mseLoss(Tensor::from({3, 5})), {}, {6.5});
}

TEST(Losses, AbsoluteError) {
  expectElementwise([](const Tensor &x, const Tensor &y,
                       Reduction reduction) { return x.l1Loss(y, reduction); },
                    [](double x, double y) { return std::fabs(x - y); });
}

TEST(Losses, Huber) {
  for (double delta : {1.0, 0.3, 4.0})
    expectElementwise(
        [&](const Tensor &x, const Tensor &y, Reduction reduction) {
          return x.huberLoss(y, reduction, delta);
        },
        [&](double x, double y) {
          const double d = std::fabs(x - y);
          return d <= delta ? d * d / 2 : delta * (d - delta / 2);
        });
  EXPECT_ERROR(Tensor(1.0).huberLoss(Tensor(1.0), Reduction::Mean, 0), Error,
               "huberLoss: a delta of 0.000000 is not positive");
}

TEST(Losses, SmoothL1) {
  for (double beta : {1.0, 0.3, 4.0, 0.0})
    expectElementwise(
        [&](const Tensor &x, const Tensor &y, Reduction reduction) {
          return x.smoothL1Loss(y, reduction, beta);
        },
        [&](double x, double y) {
          const double d = std::fabs(x - y);
          return d < beta ? d * d / (2 * beta) : d - beta / 2;
        });
  EXPECT_ERROR(Tensor(1.0).smoothL1Loss(Tensor(1.0), Reduction::Mean, -1),
               Error, "smoothL1Loss: a beta of -1.000000 is negative");
}

TEST(Losses, Divergence) {
  expectElementwise(
      [](const Tensor &x, const Tensor &y, Reduction reduction) {
        return x.klDivLoss(y.abs(), reduction);
      },
      [](double x, double y) {
        return std::fabs(y) * (std::log(std::fabs(y)) - x);
      });
  expectElementwise(
      [](const Tensor &x, const Tensor &y, Reduction reduction) {
        return x.klDivLoss(y, reduction, true);
      },
      [](double x, double y) { return std::exp(y) * (y - x); });
  // Probabilities of 0, in both forms.
  Tensor logits = Tensor::from({-1.0f, -2.0f});
  expectTensor(logits.klDivLoss(Tensor::from({0.0f, 1.0f}), Reduction::None),
               {2}, {0, 2}, 1e-6);
  expectTensor(
      logits.klDivLoss(Tensor::from({-INFINITY, 0.0f}), Reduction::None, true),
      {2}, {0, 2}, 1e-6);
}

TEST(Losses, CrossEntropyIgnoresAClass) {
  Tensor x = noiseTensor({4, 3}) * 4;
  Tensor labels = Tensor::from({2, -100, 0, 1});
  for (double smoothing : {0.0, 0.1}) {
    // The same as without the row.
    Tensor rest = Tensor::cat({x.shrink({{0, 1}, {}}), x.shrink({{2, 4}, {}})});
    std::vector<double> expected = values(
        rest.crossEntropy(Tensor::from({2, 0, 1}), Reduction::None, smoothing));
    expected.insert(expected.begin() + 1, 0);
    expectReduced(
        [&](Reduction reduction) {
          return x.crossEntropy(labels, reduction, smoothing, -100);
        },
        {4}, expected, 3);
  }
  EXPECT_ERROR(x.crossEntropy(x.softmax(), Reduction::Mean, 0, 1), Error,
               "crossEntropy: targets of shape [4, 3], that of the tensor, are "
               "probabilities; only classes can be ignored");
}
