//===- GradientDifferencesTest.cpp ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gradients of methods that are built from many operations against central
/// differences: windows, products, scans, sorts, selections, statistics.
///
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"
#include "TinyGrad/Runtime/Environment.h"

#include <limits>
#include <random>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
struct Case {
  std::function<Tensor(const Tensor &)> f;
  Shape shape;
};
} // namespace

/// Expects the gradients of all cases to be differences.
static void expectAll(const std::vector<Case> &cases, double tolerance = 1e-6) {
  for (const Case &one : cases) {
    SCOPED_TRACE("case " + std::to_string(&one - cases.data()));
    expectGradient(one.f, one.shape, tolerance);
  }
}

/// Different numbers in an irregular order, no two closer than 0.1.
static Tensor distinct(const Shape &shape) {
  const int64_t count = numElements(shape);
  std::vector<double> numbers;
  int64_t stride = 7; // with no common factor
  while (count != 0 && count % stride == 0)
    stride += 2;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(0.1 * double(i * stride % count) - 0.35);
  return Tensor::from(numbers, shape).realize();
}

static void expectDistinct(const std::function<Tensor(const Tensor &)> &f,
                           const Shape &shape) {
  expectGradients([&](const std::vector<Tensor> &x) { return f(x[0]); },
                  {distinct(shape)});
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

TEST(GradientDifferencesTest, averagePooling) {
  auto pool = [](PerAxis kernel, Pool2dOptions options) {
    return [=](const Tensor &x) { return x.avgPool2d(kernel, options); };
  };
  expectAll({
      {pool(2, {}), {1, 2, 4, 6}},
      {pool({2, 3}, {.stride = 1}), {1, 1, 3, 4}},
      {pool(3, {.stride = 2, .padding = 1}), {1, 1, 4, 5}},
      {pool(3, {.stride = 2, .padding = 1, .countIncludePad = false}),
       {1, 1, 4, 5}},
      {pool(2, {.ceilMode = true}), {1, 1, 3, 5}},
      {pool(3, {.stride = 2,
                .padding = 1,
                .ceilMode = true,
                .countIncludePad = false}),
       {1, 1, 4, 4}},
      {pool(2, {.stride = 1, .dilation = 2}), {1, 1, 4, 3}},
      {pool(1, {}), {1, 1, 1, 1}},
      {pool(2, {}), {0, 1, 2, 2}},
  });
}

TEST(GradientDifferencesTest, maximumPooling) {
  auto pool = [](PerAxis kernel, Pool2dOptions options) {
    return [=](const Tensor &x) { return x.maxPool2d(kernel, options); };
  };
  expectDistinct(pool(2, {}), {1, 2, 4, 4});
  expectDistinct(pool({2, 3}, {.stride = 1}), {1, 1, 3, 4});
  expectDistinct(pool(3, {.stride = 2, .padding = 1}), {1, 1, 4, 5});
  expectDistinct(pool(2, {.ceilMode = true}), {1, 1, 3, 5});
  expectDistinct(pool(2, {.stride = 1, .dilation = 2}), {1, 1, 4, 3});
  expectDistinct(pool(1, {}), {1, 1, 1, 1});
  expectDistinct(
      [](const Tensor &x) {
        auto [values, indices] = x.maxPool2dWithIndices(2);
        return (values * 2).maxUnpool2d(indices, 2);
      },
      {1, 1, 4, 4});
}

TEST(GradientDifferencesTest, interpolation) {
  auto resize = [](Shape size, InterpolateMode mode,
                   bool alignCorners = false) {
    return [=](const Tensor &x) {
      return x.interpolate(size, mode, alignCorners);
    };
  };
  expectAll({
      {resize({7}, InterpolateMode::Linear), {1, 1, 4}},
      {resize({7}, InterpolateMode::Linear, true), {1, 2, 4}},
      {resize({3, 5}, InterpolateMode::Linear), {1, 1, 5, 2}},
      {resize({5, 3}, InterpolateMode::Nearest), {1, 1, 2, 4}},
      {resize({5, 3}, InterpolateMode::NearestExact), {1, 1, 2, 4}},
      {resize({1, 1}, InterpolateMode::Linear), {1, 1, 1, 1}},
  });
}

TEST(GradientDifferencesTest, convolutions) {
  auto check = [](const Shape &x, const Shape &weight,
                  const Conv2dOptions &options) {
    SCOPED_TRACE(toString(x) + " with " + toString(weight));
    expectGradients(
        [&](const std::vector<Tensor> &in) {
          return in[0].conv2d(in[1], in[2], options);
        },
        std::vector<Shape>{x, weight, {weight[0]}});
  };
  check({1, 2, 5, 4}, {3, 2, 3, 2}, {});
  check({2, 1, 5, 5}, {2, 1, 3, 3}, {.stride = 2, .padding = 1});
  check({1, 1, 5, 6}, {1, 1, 2, 3}, {.stride = {2, 1}, .dilation = {1, 2}});
  // Sums for each phase of the stride.
  check({1, 1, 9, 10}, {2, 1, 3, 3}, {.stride = 2, .padding = 1});
  check({1, 1, 12, 9}, {2, 1, 4, 3},
        {.stride = {3, 2}, .padding = {2, 0, 1, 1}});
  check({1, 4, 3, 3}, {4, 2, 2, 2}, {.groups = 2, .padding = {1, 0, 0, 1}});
  check({1, 3, 3}, {3, 1, 2}, {.groups = 3}); // depthwise, one axis
  check({1, 1, 2, 3, 3}, {1, 1, 2, 2, 2}, {.padding = 1});
  check({1, 1, 1, 1}, {1, 1, 1, 1}, {});
  check({0, 1, 2, 2}, {1, 1, 2, 2}, {});
  auto transposed = [](const Shape &x, const Shape &weight,
                       const ConvTranspose2dOptions &options, int64_t out) {
    SCOPED_TRACE(toString(x) + " with " + toString(weight) + ", transposed");
    expectGradients(
        [&](const std::vector<Tensor> &in) {
          return in[0].convTranspose2d(in[1], in[2], options);
        },
        std::vector<Shape>{x, weight, {out}});
  };
  transposed({1, 2, 2, 3}, {2, 2, 2, 3}, {}, 2);
  transposed({1, 2, 2, 2}, {2, 1, 3, 3},
             {.groups = 2, .stride = 2, .padding = 1, .outputPadding = 1}, 2);
  transposed({1, 1, 3}, {1, 2, 2}, {.dilation = 2}, 2);
}

TEST(GradientDifferencesTest, paddings) {
  for (PadMode mode : {PadMode::Constant, PadMode::Reflect, PadMode::Replicate,
                       PadMode::Circular}) {
    SCOPED_TRACE("mode " + std::to_string(int(mode)));
    // A convolution after it, as in layers with padding modes.
    expectGradients(
        [&](const std::vector<Tensor> &x) {
          return x[0].pad({1, 2, 1, 0}, mode).conv2d(x[1]);
        },
        std::vector<Shape>{{1, 1, 3, 4}, {1, 1, 2, 2}});
    expectGradient([&](const Tensor &x) { return x.pad({{-1, 1}}, mode); },
                   {4});
  }
}

TEST(GradientDifferencesTest, overlappingWindows) {
  expectAll({
      {[](const Tensor &x) { return x.unfold(0, 3, 1); }, {5}},
      {[](const Tensor &x) { return x.unfold(1, 2, 3); }, {2, 6}},
      {[](const Tensor &x) { return x.unfold(0, 1, 1); }, {1}},
  });
}

//===----------------------------------------------------------------------===//
// Scans, sorts, selections
//===----------------------------------------------------------------------===//

TEST(GradientDifferencesTest, scans) {
  for (const auto &[shape, axis] : std::vector<std::pair<Shape, int64_t>>{
           {{3, 4}, 1}, {{3, 2}, 0}, {{1}, 0}, {{2, 1}, 1}, {{0, 3}, 0}}) {
    SCOPED_TRACE(toString(shape));
    const int64_t along = axis;
    expectGradient([=](const Tensor &x) { return x.cumsum(along); }, shape);
    expectGradient([=](const Tensor &x) { return x.cumprod(along); }, shape);
    expectGradient([=](const Tensor &x) { return x.logcumsumexp(along); },
                   shape);
    expectDistinct([=](const Tensor &x) { return x.cummax(along).first; },
                   shape);
    expectDistinct([=](const Tensor &x) { return x.cummin(along).first; },
                   shape);
  }
  // Products with zeros among the factors.
  expectGradients(
      [](const std::vector<Tensor> &x) {
        return Tensor::stack(
            {x[0].cumprod(1), x[0].prod(1, true).expand({3, 4})});
      },
      {Tensor::from(
           {{2.0, 0.0, 3.0, 4.0}, {0.0, 5.0, 0.0, 2.0}, {1.0, 2.0, 3.0, 0.0}})
           .realize()});
}

TEST(GradientDifferencesTest, sorts) {
  for (bool descending : {false, true}) {
    expectDistinct(
        [=](const Tensor &x) { return x.sort(-1, descending).first; }, {2, 5});
    expectDistinct([=](const Tensor &x) { return x.sort(0, descending).first; },
                   {4, 2});
    expectDistinct(
        [=](const Tensor &x) { return x.topk(2, 0, descending).first; },
        {5, 2});
  }
  expectDistinct([](const Tensor &x) { return x.sort().first; }, {1});
  expectDistinct([](const Tensor &x) { return x.topk(1).first; }, {1});
  expectDistinct([](const Tensor &x) { return x.maxWithIndices(1).values; },
                 {2, 4});
  expectDistinct([](const Tensor &x) { return x.min({0, 1}); }, {2, 3});
}

TEST(GradientDifferencesTest, selections) {
  const Tensor rows = Tensor::from({2, 0, 2, -1});
  const Tensor index = Tensor::from({{0, 2}, {1, 1}, {0, 0}});
  const Tensor mask = Tensor::from({{true, false, true}, {false, true, true}});
  expectAll({
      {[&](const Tensor &x) { return x.indexSelect(0, rows); }, {4, 3}},
      {[&](const Tensor &x) { return x.indexSelect(1, rows); }, {2, 3}},
      {[&](const Tensor &x) { return Tensor(x[rows]); }, {4, 3}},
      {[&](const Tensor &x) { return Tensor(x.index({rows, rows})); }, {4, 3}},
      {[&](const Tensor &x) { return Tensor(x.index({1, Slice()})); }, {4, 3}},
      {[&](const Tensor &x) { return x.gather(1, index); }, {3, 3}},
      {[&](const Tensor &x) { return x.gather(0, index); }, {3, 2}},
      {[&](const Tensor &x) { return x.gather(0, Tensor::from({{0}})); },
       {1, 1}},
      {[&](const Tensor &x) {
         return x.gather(0, Tensor::zeros({0, 2}, DType::Int32));
       },
       {3, 2}},
      {[&](const Tensor &x) { return x.maskedFill(mask, 2); }, {2, 3}},
      {[&](const Tensor &x) { return x.diagonal(1) + x.tril().sum(0)[0]; },
       {3, 3}},
      {[&](const Tensor &x) { return x.repeatInterleave(2, 0).roll(1, 1); },
       {2, 3}},
      {[&](const Tensor &x) { return x.tril() + x.flip(0) * x.roll(1, 1); },
       {3, 3}},
  });
}

TEST(GradientDifferencesTest, scatters) {
  const Tensor index = Tensor::from({{0, 2, 0}, {1, 1, 7}});
  for (ScatterReduction how :
       {ScatterReduction::Sum, ScatterReduction::Prod, ScatterReduction::Mean,
        ScatterReduction::AMax, ScatterReduction::AMin})
    for (bool includeSelf : {true, false}) {
      SCOPED_TRACE("kind " + std::to_string(int(how)) +
                   (includeSelf ? " with self" : ""));
      expectGradients(
          [&](const std::vector<Tensor> &x) {
            return x[0].scatterReduce(0, index, x[1], how, includeSelf);
          },
          std::vector<Shape>{{3, 3}, {2, 3}});
    }
  // Set, also along the other axis and of a number.
  expectGradients(
      [&](const std::vector<Tensor> &x) {
        return x[0].scatter(0, index, x[1]);
      },
      std::vector<Shape>{{3, 3}, {2, 3}});
  for (std::optional<ScatterReduction> how :
       {std::optional<ScatterReduction>(), std::optional(ScatterReduction::Sum),
        std::optional(ScatterReduction::Prod)})
    expectGradient(
        [&](const Tensor &x) {
          return x.scatter(1, Tensor::from({{0, 0}, {2, 1}}), 0.5, how);
        },
        {2, 3});
  // Products with factors of 0.
  expectGradients(
      [&](const std::vector<Tensor> &x) {
        return x[0].scatterReduce(0, index, x[1], ScatterReduction::Prod);
      },
      {Tensor::from({{0.0, 2.0, 3.0}, {1.0, 0.0, 0.0}, {2.0, 4.0, 5.0}})
           .realize(),
       Tensor::from({{0.0, 1.0, 2.0}, {3.0, 0.0, 0.0}}).realize()});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

TEST(GradientDifferencesTest, einsum) {
  auto check = [](const char *formula, const std::vector<Shape> &shapes) {
    SCOPED_TRACE(formula);
    expectGradients(
        [&](const std::vector<Tensor> &x) {
          return Tensor::einsum(formula, x);
        },
        shapes);
  };
  check("ij,jk->ik", {{2, 3}, {3, 2}});
  check("bij,bkj->bik", {{2, 2, 3}, {2, 1, 3}});
  check("ij,jk,kl->li", {{2, 3}, {3, 2}, {2, 2}});
  check("ii->i", {{3, 3}});
  check("ii", {{3, 3}});
  check("...i,i->...", {{2, 2, 3}, {3}});
  check("i,j->ij", {{1}, {4}});
  check("ij->", {{2, 3}});
  check("ij,jk->ik", {{2, 0}, {0, 2}});
}

TEST(GradientDifferencesTest, products) {
  expectGradient(
      [](const Tensor &x) {
        return x.scaledDotProductAttention(x * 2, x + 1, {}, true);
      },
      {2, 4, 3});
  expectGradient([](const Tensor &x) { return x.matmul(x.T()); }, {3, 5});
  expectGradients(
      [](const std::vector<Tensor> &x) { return x[0].matmul(x[1]); },
      std::vector<Shape>{{2, 1, 2, 3}, {3, 3, 2}});
  expectGradients([](const std::vector<Tensor> &x) { return x[0].dot(x[1]); },
                  std::vector<Shape>{{4}, {4}});
  expectGradients(
      [](const std::vector<Tensor> &x) { return x[0].linear(x[1], x[2]); },
      std::vector<Shape>{{2, 3}, {3, 2}, {2}});
  expectGradients(
      [](const std::vector<Tensor> &x) {
        return x[0].scaledDotProductAttention(x[1], x[2], x[3]);
      },
      std::vector<Shape>{{1, 2, 3}, {1, 4, 3}, {1, 4, 2}, {2, 4}});
}

//===----------------------------------------------------------------------===//
// Statistics and elementwise functions
//===----------------------------------------------------------------------===//

TEST(GradientDifferencesTest, statistics) {
  constexpr double tolerance = 1e-5;
  expectAll(
      {
          {[](const Tensor &x) { return x.var(1); }, {2, 4}},
          {[](const Tensor &x) { return x.std({0, 1}, false, 0); }, {2, 3}},
          {[](const Tensor &x) { return x.mean(0) * x.sum(); }, {2, 3}},
          {[](const Tensor &x) { return x.logsumexp(1); }, {2, 3}},
          {[](const Tensor &x) { return x.logsumexp(); }, {1}},
          {[](const Tensor &x) { return x.softmax(0); }, {3, 2}},
          {[](const Tensor &x) { return x.logSoftmax(); }, {2, 1}},
          {[](const Tensor &x) { return x.softmin(); }, {2, 3}},
          {[](const Tensor &x) { return x.layernorm({0, 1}); }, {2, 3}},
          {[](const Tensor &x) { return x.rmsnorm(); }, {2, 3}},
          {[](const Tensor &x) { return x.prod(); }, {2, 3}},
          {[](const Tensor &x) { return x.sum(0) + x.mean(); }, {1, 1}},
          {[](const Tensor &x) { return x.sum(0); }, {0, 2}},
      },
      tolerance);
  for (double p :
       {0.0, 0.5, 1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
    SCOPED_TRACE(p);
    expectGradient([=](const Tensor &x) { return x.normalize(p); }, {2, 3},
                   tolerance);
  }
}

/// The deviation of equal numbers and the norm of zeros have gradients of 0,
/// and so have these gradients.
TEST(GradientDifferencesTest, secondGradientsWhereRootsAreZero) {
  const std::vector<std::function<Tensor(const Tensor &)>> functions = {
      [](const Tensor &x) { return x.std(1); },
      [](const Tensor &x) { return x.normalize(2, 1).sum(1); },
      [](const Tensor &x) { return x.normalize(3, 1).sum(1); },
      [](const Tensor &x) { return x.newtonSchulz(1, {2.0, -1.5, 0.5}, 1.0); },
      [](const Tensor &x) {
        return x.pad({{0, 0}, {0, 1}}, -INFINITY)
            .shrink({{}, {3, 4}})
            .logsumexp(1);
      },
  };
  for (const auto &f : functions) {
    SCOPED_TRACE("function " + std::to_string(&f - functions.data()));
    Tensor x = Tensor::zeros({2, 3}, DType::Float64).parameter();
    Tensor noise = doubleNoise({2, 3});
    Tensor gradient = f(x).square().add(f(x)).sum().gradient({x}, {}, true)[0];
    Tensor second = (gradient * noise).sum().gradient({x}, {}, true)[0];
    for (const Tensor &t : {gradient, second})
      for (double value : t.tolist<double>())
        EXPECT_TRUE(std::isfinite(value)) << value;
  }
}

/// Axes of one length, along which a kernel computes the same function: once
/// reduced, once as its result.
TEST(GradientDifferencesTest, statisticsAlongAxesOfOneLength) {
  constexpr double tolerance = 1e-5;
  const std::vector<std::function<Tensor(const Tensor &)>> functions = {
      [](const Tensor &x) { return x.square().sum(1).sqrt().softmax(0); },
      [](const Tensor &x) { return x.std(1).softmax(0); },
      [](const Tensor &x) { return x.std(0).logSoftmax(0); },
      [](const Tensor &x) { return x.square().sum(0).softmax(0).softmax(0); },
      [](const Tensor &x) { return x.logsumexp(1).softmax(0); },
      [](const Tensor &x) { return x.exp().matmul(x.softmax(0)); },
  };
  for (int64_t size : {2, 4, 8}) {
    SCOPED_TRACE(size);
    for (const auto &f : functions) {
      SCOPED_TRACE("function " + std::to_string(&f - functions.data()));
      expectGradient(f, {size, size}, tolerance);
    }
  }
  // Second derivatives: the gradient of the gradient's product with noise.
  for (int64_t size : {4, 16, 64}) {
    SCOPED_TRACE(size);
    expectGradient(
        [](const Tensor &x) {
          return x.square().logsumexp().gradient({x}, {}, true)[0];
        },
        {size}, tolerance);
  }
  // A value: the deviation of an axis of two, repeated to two rows.
  auto deviation = [](const Tensor &x) {
    return x.logaddexp(x.flip(1)).std(0).repeat({2, 1});
  };
  const Tensor x = doubleNoise({2, 2});
  const std::vector<double> got = deviation(x).tolist<double>();
  Context plain({{"NOOPT", 1}});
  const std::vector<double> expected = deviation(x).tolist<double>();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-12);
}

TEST(GradientDifferencesTest, functionsOfOneOperand) {
  expectAll({
      {[](const Tensor &x) { return x.gelu() + x.silu() * x.mish(); }, {7}},
      {[](const Tensor &x) { return x.softplus(2) + x.selu() * x.tanh(); },
       {7}},
      {[](const Tensor &x) { return x.atan() + x.asinh() * x.atanh(); }, {6}},
      {[](const Tensor &x) { return x.sinh() * x.cosh() + x.erf(); }, {1}},
      {[](const Tensor &x) {
         // Derivatives of a derivative.
         return (x.sigmoid() * x.quickGelu()).gradient({x}, x.onesLike())[0];
       },
       {5}},
  });
}

TEST(GradientDifferencesTest, functionsOfTwoOperands) {
  auto check = [](const char *name, const Functional &f,
                  const std::vector<Tensor> &at) {
    SCOPED_TRACE(name);
    expectGradients(f, at);
  };
  const Tensor a = doubleNoise({2, 3}, 1), b = doubleNoise({3}, 2);
  const Tensor positive = (doubleNoise({2, 3}, 3).square() + 0.3).realize();
  using In = const std::vector<Tensor> &;
  check("pow", [](In x) { return x[0].pow(x[1]); }, {positive, b});
  check("div", [](In x) { return x[1] / x[0]; }, {positive, b});
  check("logaddexp", [](In x) { return x[0].logaddexp(x[1]); }, {a, b});
  check("maximum", [](In x) { return x[0].maximum(x[1]); }, {a, b});
  check("minimum", [](In x) { return x[0].minimum(x[1]); }, {a, b});
  check("lerp", [](In x) { return x[0].lerp(x[1], x[2]); }, {a, b, positive});
  check("copysign", [](In x) { return x[0].copysign(x[1]); }, {a, b});
  check("fmod", [](In x) { return x[0].fmod(x[1]); }, {a * 5, positive});
  check("mod", [](In x) { return x[0].mod(-x[1]); }, {a * 5, positive});
  check("where", [](In x) { return (x[0] < 0.1).where(x[0], x[1]); }, {a, b});
}

TEST(GradientDifferencesTest, randomShapes) {
  std::mt19937 random(3);
  auto upTo = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  for (int i = 0; i < 8; ++i) {
    Shape shape;
    for (int64_t rank = 1 + upTo(2); rank > 0; --rank)
      shape.push_back(upTo(3));
    const int64_t axis = upTo(int64_t(shape.size()) - 1);
    SCOPED_TRACE("axis " + std::to_string(axis));
    const bool isEmpty = shape[axis].value() == 0;
    expectGradients(
        [=](const std::vector<Tensor> &x) {
          std::vector<Tensor> results = {
              x[0].sum(axis),
              x[0].prod(axis),
              x[0].softmax(axis),
              x[0].cumprod(axis),
              x[0].logcumsumexp(axis),
              x[0].roll(1, 0).repeatInterleave(2, axis)};
          if (!isEmpty)
            results.insert(results.end(),
                           {x[0].max(axis), x[0].sort(axis).first,
                            x[0].var(axis, false, 0), x[0].normalize(2, axis)});
          for (Tensor &result : results)
            result = result.flatten();
          return Tensor::cat(results);
        },
        {distinct(shape)}, 1e-5);
    // A matrix product of random sizes, and one with a broadcast batch.
    const int64_t n = upTo(3), k = upTo(3), m = upTo(3), batch = upTo(2);
    expectGradients(
        [](const std::vector<Tensor> &x) { return x[0].matmul(x[1]); },
        std::vector<Shape>{{batch, n, k}, {1, k, m}});
  }
}

//===----------------------------------------------------------------------===//
// Factorizations
//===----------------------------------------------------------------------===//

/// A matrix whose singular values differ: noise with a growing diagonal.
static Tensor separated(int64_t rows, int64_t columns) {
  Tensor diagonal = Tensor::eye(rows, columns, DType::Float64) *
                    Tensor::arange(1, columns + 1).toDouble();
  return (doubleNoise({rows, columns}) * 0.3 + diagonal).realize();
}

TEST(GradientDifferencesTest, qr) {
  auto bothFactors = [](const std::vector<Tensor> &x) {
    auto [q, r] = x[0].qr();
    return Tensor::cat({q.flatten(), r.flatten()});
  };
  // Square and wide: q and r are unique but for signs.
  expectGradients(bothFactors, {separated(3, 3)});
  expectGradients(bothFactors, {separated(2, 3)});
  expectGradients(bothFactors, {separated(1, 1)});
  expectGradients(
      [&](const std::vector<Tensor> &x) {
        return bothFactors({x[0].reshape({2, 2, 2})});
      },
      std::vector<Shape>{{8}});
  // Tall: the columns of q beyond those of the matrix are not unique, but as
  // computed they are differentiable.
  expectGradients(bothFactors, {separated(3, 2)});
}

TEST(GradientDifferencesTest, singularValues) {
  auto decomposed = [](const std::vector<Tensor> &x) {
    auto [u, s, v] = x[0].svd(false);
    return Tensor::cat({u.flatten(), s.flatten(), v.flatten()});
  };
  constexpr double tolerance = 1e-5;
  expectGradients(decomposed, {separated(2, 2)}, tolerance);
  expectGradients(decomposed, {separated(3, 2)}, tolerance);
  expectGradients(decomposed, {separated(2, 3)}, tolerance);
  expectGradients(decomposed, {separated(3, 3)}, tolerance);
  expectGradients(decomposed, {separated(1, 1)}, tolerance);
  // Columns of equal norms, for which the angle of a rotation is 45 degrees:
  // singular values 3 and 1.
  expectGradients(decomposed,
                  {Tensor::from({{1.0, 2.0}, {2.0, 1.0}}).realize()},
                  tolerance);
  // A diagonal matrix: nothing is to be rotated.
  expectGradients(decomposed,
                  {Tensor::from({{1.0, 0.0}, {0.0, 2.0}}).realize()},
                  tolerance);
}

TEST(GradientDifferencesTest, newtonSchulz) {
  auto run = [](int64_t steps) {
    return [=](const Tensor &x) { return x.newtonSchulz(steps); };
  };
  expectAll({{run(2), {2, 3}},
             {run(5), {3, 2}},
             {run(1), {2, 2, 2}},
             {run(3), {1, 1}}},
            1e-5);
}
