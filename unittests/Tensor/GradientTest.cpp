//===- GradientTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gradients of tensors: which tensors get one, through what they flow, and
/// errors. GradientDifferencesTest.cpp tests their values.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Training.h"

#include <functional>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <typename E>
static void expectError(const std::function<void()> &statement,
                        const char *text) {
  EXPECT_THAT(statement, ThrowsMessage<E>(HasSubstr(text)));
}

//===----------------------------------------------------------------------===//
// gradient()
//===----------------------------------------------------------------------===//

TEST(GradientTest, sumOfProducts) {
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f}),
         y = Tensor::from({4.0f, 5.0f, 6.0f});
  std::vector<Tensor> gradients = (x * y).sum().gradient({x, y});
  EXPECT_THAT(gradients[0].tolist<float>(), ElementsAre(4, 5, 6));
  EXPECT_THAT(gradients[1].tolist<float>(), ElementsAre(1, 2, 3));
}

TEST(GradientTest, cotangent) {
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f});
  Tensor y = x * x;
  Tensor cotangent = Tensor::from({1.0f, 10.0f, 0.0f});
  EXPECT_THAT(y.gradient({x}, cotangent)[0].tolist<float>(),
              ElementsAre(2, 40, 0));
  // By itself.
  EXPECT_THAT(y.gradient({y}, cotangent)[0].tolist<float>(),
              ElementsAre(1, 10, 0));
}

// Operations that undo another one are left out only if no tensor has the value
// between them.
TEST(GradientTest, byValuesThatAreUndone) {
  const Tensor x = Tensor::from({1.0f, 2.0f});
  const Tensor negative = -x;
  EXPECT_THAT((-negative).sum().gradient({negative})[0].tolist<float>(),
              ElementsAre(-1, -1));
  const Tensor wide = x.cast(DType::Float64);
  EXPECT_THAT(
      wide.cast(DType::Float32).sum().gradient({wide})[0].tolist<double>(),
      ElementsAre(1, 1));
  // In a gradient.
  const Tensor cotangent = -Tensor::from({3.0f, 4.0f});
  const Tensor byX = negative.gradient({x}, cotangent)[0];
  EXPECT_THAT(byX.tolist<float>(), ElementsAre(3, 4));
  EXPECT_THAT((-x).gradient({x}, cotangent)[0]
                  .sum()
                  .gradient({cotangent})[0]
                  .tolist<float>(),
              ElementsAre(-1, -1));
  // The product ends with a reshape, which what follows begins with undoing.
  const Tensor product =
      x.reshape({2, 1}).matmul(Tensor::from({3.0f, 4.0f}).reshape({1, 2}));
  const Tensor positions = Tensor::from({1, 0}).reshape({1, 2});
  EXPECT_THAT(product.gather(0, positions)
                  .square()
                  .sum()
                  .gradient({product})[0]
                  .tolist<float>(),
              ElementsAre(0, 8, 12, 0));
  EXPECT_THAT((product.sort(0).first * product.detach())
                  .sum()
                  .gradient({product})[0]
                  .tolist<float>(),
              ElementsAre(3, 4, 6, 8));
  // Values that were computed without a gradient have none.
  Tensor w = x.parameter(), y;
  {
    const NoGradScope noGrad;
    y = -w;
  }
  (-y + w * 2).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(2, 2));
}

TEST(GradientTest, intermediateValuesAndRepeatedOnes) {
  Tensor x = Tensor::from({2.0f});
  Tensor h = x * x, y = h * h;
  std::vector<Tensor> gradients = y.gradient({h, x, h});
  EXPECT_EQ(gradients[0].item<float>(), 8);
  EXPECT_EQ(gradients[1].item<float>(), 32);
  EXPECT_EQ(gradients[2].item<float>(), 8);
}

TEST(GradientTest, secondAndThirdDerivative) {
  Tensor x = Tensor::from({2.0f});
  Tensor y = x * x * x * x;
  Tensor first = y.gradient({x})[0], second = first.gradient({x})[0],
         third = second.gradient({x})[0];
  EXPECT_EQ(first.item<float>(), 32);
  EXPECT_EQ(second.item<float>(), 48);
  EXPECT_EQ(third.item<float>(), 48);
}

// The second derivative of a product by two of its factors is the product of
// the others, zeros or not.
TEST(GradientTest, secondDerivativesOfProducts) {
  const std::vector<std::vector<double>> rows = {
      {2, 3, 4, 5}, {0, 2, 3, 4}, {2, 0, 3, 0}, {0, 0, 0, 2}, {0, 0, 0, 0}};
  for (const std::vector<double> &row : rows) {
    SCOPED_TRACE(::testing::PrintToString(row));
    const Tensor x = Tensor::from(row).parameter();
    const Tensor gradient = x.prod().gradient({x})[0];
    for (int64_t i = 0; i < 4; ++i) {
      std::vector<double> expected(4, 0.0);
      for (int64_t j = 0; j < 4; ++j) {
        double product = i == j ? 0 : 1;
        for (int64_t k = 0; k < 4; ++k)
          product *= k == i || k == j ? 1 : row[k];
        expected[j] = product;
      }
      expectTensor(gradient[i].gradient({x}, {}, true)[0], {4}, expected,
                   1e-14);
    }
  }
}

// Of equal elements, a running maximum is the first one.
TEST(GradientTest, equalRunningMaxima) {
  const Tensor x = Tensor::from({1.0, 3.0, 3.0, 2.0, 3.0, 4.0}).parameter();
  const Tensor factors = Tensor::from({1.0, 2.0, 4.0, 8.0, 16.0, 32.0});
  expectTensor((x.cummax().first * factors).sum().gradient({x})[0], {6},
               {1, 30, 0, 0, 0, 32});
}

// Of several updates of an element, the last one counts.
TEST(GradientTest, overwrittenUpdates) {
  const Tensor base = Tensor::from({1.0, 2.0, 3.0}).parameter(),
               updates = Tensor::from({4.0, 5.0, 6.0, 7.0}).parameter();
  const Tensor factors = Tensor::from({1.0, 2.0, 4.0});
  const Tensor result =
      base.scatter(0, Tensor::from({2, 0, 2, 0}), updates) * factors;
  const auto gradients = result.sum().gradient({base, updates});
  expectTensor(gradients[0], {3}, {0, 2, 0});
  expectTensor(gradients[1], {4}, {0, 0, 4, 1});
}

TEST(GradientTest, mixedDerivativesOfPowers) {
  const Tensor x = Tensor::from({2.0, -2.0, 0.5, 2.0}).parameter(),
               y = Tensor::from({0.0, 0.0, 0.0, 3.0}).parameter();
  const Tensor byX = x.pow(y).sum().gradient({x})[0];
  EXPECT_EQ(byX.sum().gradient({y})[0].tolist<double>()[0], 0.5);
  EXPECT_EQ(byX.sum().gradient({y})[0].tolist<double>()[2], 2);
  // By the exponent at a negative base there is none.
  EXPECT_NEAR(byX.sum().gradient({y})[0].tolist<double>()[3],
              4 + 12 * std::log(2.0), 1e-12);
  // Not NaN where the power -1 would be infinite.
  const Tensor zero = Tensor::from({0.0}).parameter(),
               none = Tensor::from({0.0}).parameter();
  EXPECT_EQ(zero.pow(none).sum().gradient({zero})[0].item<double>(), 0);
}

TEST(GradientTest, symbolicSizes) {
  const Variable n("n", 1, 8);
  Tensor x = noiseTensor({8, 3}).toDouble().realize();
  for (int64_t size : {1, 5, 8}) {
    SymInt bound = n.bind(size);
    Tensor part = x.shrink({{0, bound}, {}});
    Tensor gradient = (part * part).mean().gradient({x})[0];
    std::vector<double> values = x.tolist<double>(),
                        got = gradient.tolist<double>();
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(got[i],
                  i < std::size_t(size) * 3 ? 2 * values[i] / double(size * 3)
                                            : 0,
                  1e-12);
  }
}

TEST(GradientTest, narrowFloats) {
  for (DType dtype : {DType::Float16, DType::BFloat16}) {
    Tensor x = Tensor::from({1.0f, 2.0f, -3.0f}).cast(dtype);
    Tensor gradient = (x * x).sum().gradient({x})[0];
    EXPECT_EQ(gradient.dtype(), dtype);
    EXPECT_THAT(gradient.toFloat().tolist<float>(), ElementsAre(2, 4, -6));
  }
}

TEST(GradientTest, errorsOfGradient) {
  Tensor x = Tensor::from({1.0f, 2.0f}), i = Tensor::from({1, 2});
  expectError<ShapeError>([&] { (x * 2).gradient({x}); },
                          "gradient: a tensor of shape [2] needs a cotangent");
  expectError<ShapeError>([&] { (x * 2).gradient({x}, Tensor::ones({3})); },
                          "a cotangent of shape [3] for a tensor of shape [2]");
  expectError<DTypeError>(
      [&] { (x * 2).gradient({x}, Tensor::ones({2}, DType::Float64)); },
      "a cotangent of float64 for a tensor of float32");
  expectError<DTypeError>([&] { i.sum().gradient({x}); },
                          "gradient: a tensor of int32 has no gradient");
  expectError<DTypeError>([&] { x.sum().gradient({i}); },
                          "by a tensor of int32");
  expectError<Error>(
      [&] { x.sum().gradient({Tensor::from({1.0f, 2.0f, 3.0f})}); },
      "does not depend on tensor 0 of those to differentiate "
      "by, [3] float32");
  EXPECT_THAT(x.sum()
                  .gradient({Tensor::from({1.0f, 2.0f, 3.0f})}, {}, true)[0]
                  .tolist<float>(),
              ElementsAre(0, 0, 0));
  expectError<Error>(
      [&] {
        (x.bitcast(DType::Int32) + 1)
            .bitcast(DType::Float32)
            .sum()
            .gradient({x});
      },
      "does not depend on tensor 0");
  // Usable afterwards.
  EXPECT_THAT((x * x).sum().gradient({x})[0].tolist<float>(),
              ElementsAre(2, 4));
}

TEST(GradientTest, byConstants) {
  // They are folded, and equal ones are one operation.
  Tensor x = Tensor::from({1.0f, 2.0f});
  for (const Tensor &constant :
       {Tensor::ones({2}), Tensor::full({2}, 3.0f), Tensor::ones({2}) * 2,
        Tensor(2.0f).expand({2})})
    for (bool allowUnused : {false, true})
      expectError<Error>(
          [&] {
            (x * constant).sum().gradient({x, constant}, {}, allowUnused);
          },
          "gradient: tensor 1 of those to differentiate by, [2] float32, is a "
          "constant, which may be part of any operation; use its parameter() "
          "instead");
  Tensor ones = Tensor::ones({2}).parameter();
  EXPECT_THAT((x * ones).sum().gradient({ones})[0].tolist<float>(),
              ElementsAre(1, 2));
  // All tensors without elements are constants.
  Tensor none = Tensor::from(std::vector<float>{}).reshape({0, 2});
  EXPECT_EQ(none.square().sum().gradient({none})[0].shape(), (Shape{0, 2}));
}

// The path is that of the operations, and of the methods that made them.
TEST(GradientTest, pathsToWhatHasNoDerivative) {
  Tensor w = Tensor::from({1.0f, 2.0f}, DType::Float16).parameter();
  Tensor y = (w.toFloat() * 2).cast(DType::Float16).bitcast(DType::BFloat16);
  expectError<Error>([&] { y.toFloat().sum().gradient({w}); },
                     "which depends on this operation, 'tg.cast'");
}

TEST(GradientTest, whatStopsAGradientIsNamed) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  Tensor x = Tensor::from({1.0f, 2.0f});
  const char *const notOf = "does not depend on tensor 0 of those to "
                            "differentiate by, [2] float32; a value [2] "
                            "float32 between them was ";
  Tensor inside, assigned = Tensor::from({0.0f, 0.0f});
  {
    NoGradScope noGrad;
    inside = x * w;
    assigned.assign(w);
    expectError<Error>([&] { (w * 2).sum().backward(); },
                       "depends on no tensor that requires a gradient; a value "
                       "[2] float32 between them was computed in a "
                       "NoGradScope");
    expectError<Error>([&] { (x * 2).sum().gradient({x}); }, notOf);
    // It is no obstacle that gradients are computed in the scope.
    const NoGradScope gradients(false);
    EXPECT_THAT((x * x).sum().gradient({x})[0].tolist<float>(),
                ElementsAre(2, 4));
  }
  expectError<Error>([&] { (inside + 1).sum().gradient({x}); },
                     "computed in a NoGradScope");
  expectError<Error>([&] { (inside + 1).sum().backward(); },
                     "computed in a NoGradScope");
  expectError<Error>([&] { assigned.sum().backward(); },
                     "detached or assigned in a NoGradScope");
  expectError<Error>([&] { (x * 2).detach().sum().gradient({x}); },
                     (notOf + std::string("detached")).c_str());
  expectError<Error>([&] { (x.toInt().toFloat() * 2).sum().gradient({x}); },
                     "a value [2] int32 between them, the result of a "
                     "conversion ('tg.cast'), has no derivative");
  expectError<Error>([&] { (w > 1).toFloat().sum().backward(); },
                     "a value [2] bool between them, the result of a "
                     "comparison ('tg.cmplt'), has no derivative");
  expectError<Error>([&] { w.argmax().toFloat().backward(); },
                     "the result of argmax (");
}

// The gradient by what a tensor is now would leave out what it was.
TEST(GradientTest, assignmentsBetweenUseAndGradient) {
  const char *const message =
      "gradient: tensor 0 of those to differentiate by, [3] float32, was "
      "assigned to after a value was computed from it";
  for (const bool isRealized : {false, true})
    for (const bool isLater : {false, true}) {
      SCOPED_TRACE(isRealized);
      SCOPED_TRACE(isLater);
      Tensor x = Tensor::from({1.0f, 2.0f, 3.0f});
      if (isRealized)
        x.realize();
      const Tensor before = (x * x).sum();
      x.assign(x * 10);
      if (isLater)
        x.realize();
      const Tensor after = (x * x).sum();
      EXPECT_THAT(after.gradient({x})[0].tolist<float>(),
                  ElementsAre(20, 40, 60));
      expectError<Error>([&] { (before + x.sum()).gradient({x}); }, message);
      expectError<Error>([&] { before.gradient({x}); }, message);
      expectError<Error>([&] { before.gradient({x}, {}, true); }, message);
    }
  // A part, through a view; and a value that is computed from the old one.
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f}).realize();
  const Tensor before = (x * x).sum();
  Tensor part = x[0];
  part.assign(5.0f);
  expectError<Error>([&] { before.gradient({x}); }, message);
  EXPECT_THAT((x * x).sum().gradient({x})[0].tolist<float>(),
              ElementsAre(10, 4, 6));
  Tensor w = Tensor::from({2.0f, 2.0f, 2.0f}).realize();
  const Tensor old = x * w;
  x.assign(old);
  EXPECT_THAT((x * x + old).sum().gradient({w})[0].tolist<float>(),
              ElementsAre(2 * 10 * 5 + 5, 2 * 4 * 2 + 2, 2 * 6 * 3 + 3));
}

// What lies before all tensors to differentiate by does not matter.
TEST(GradientTest, upstreamOfWhatItIsBy) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  Tensor copy = w.clone();
  {
    NoGradScope noGrad;
    w.assign(w * 3);
  }
  EXPECT_THAT((copy * copy).sum().gradient({copy})[0].tolist<float>(),
              ElementsAre(2, 4));
  Tensor known = (w * 2).realize(), next = known + 1;
  EXPECT_THAT(next.square().sum().gradient({next})[0].tolist<float>(),
              ElementsAre(14, 26));
  EXPECT_THAT(next.square().sum().gradient({next, w})[1].tolist<float>(),
              ElementsAre(28, 52));
  // No gradient flows through what was a leaf.
  Tensor x = Tensor::from({1.0f}), leaf = Tensor::zeros({1}).parameter();
  leaf.assign(x * 2);
  Tensor old = leaf * 3;
  {
    NoGradScope noGrad;
    leaf.assign(x);
  }
  expectError<Error>([&] { old.sum().gradient({x}); }, "was assigned to after");
}

TEST(GradientTest, graphsShowWhatHasNoGradient) {
  Tensor x = Tensor::from({1.0f, 2.0f}).realize(), y;
  {
    NoGradScope noGrad;
    y = x * 3;
  }
  EXPECT_THAT(y.graph(), HasSubstr("{tg.no_gradient}"));
  EXPECT_THAT((x * 3).graph(), ::testing::Not(HasSubstr("no_gradient")));
}

TEST(GradientTest, detachedValuesHaveMemoryOfTheirOwn) {
  // Programs leave out tg.detach, but not a copy.
  Tensor x = Tensor::from({1.0f, 2.0f}).realize(), y = x.detach(),
         z = Tensor::zeros({2}).realize();
  z.assign((x.detach() + 0).detach());
  realize({y, z});
  x.assign(x * 5);
  EXPECT_THAT(x.tolist<float>(), ElementsAre(5, 10));
  EXPECT_THAT(y.tolist<float>(), ElementsAre(1, 2));
  EXPECT_THAT(z.tolist<float>(), ElementsAre(1, 2));
}

//===----------------------------------------------------------------------===//
// Memory that replaces values unasked
//===----------------------------------------------------------------------===//

TEST(CutGradientTest, assignmentsAtOtherPositions) {
  const Variable position("position", 0, 3);
  Tensor x = Tensor::from({1.0f, 2.0f}), cache = Tensor::zeros({4, 2});
  auto write = [&](int64_t i, const Tensor &row) {
    const SymInt at = position.bind(i);
    cache.shrink({{at, at + 1}, {}}).assign(row.reshape({1, 2}));
  };
  Tensor first = x * 2, second = x * 3;
  write(0, first);
  EXPECT_THAT((cache.square().sum() + x.sum()).gradient({x})[0].tolist<float>(),
              ElementsAre(9, 17));
  // One program has one value of the variable: this computes the first row.
  write(1, second);
  Tensor y = cache.square().sum() + x.sum();
  const char *const text =
      "gradient: a value [4, 2] float32 that depends on tensor 0 of those to "
      "differentiate by, [2] float32, was realized before, by an assignment or "
      "along with another value";
  expectError<Error>([&] { y.gradient({x}); }, text);
  expectError<Error>([&] { y.gradient({first}, {}, true); }, text);
  EXPECT_THAT(y.gradient({second})[0].tolist<float>(), ElementsAre(6, 12));
  // Through the memory of both rows, also when the tensor was realized.
  write(2, x * 4);
  first.realize();
  expectError<Error>([&] { cache.sum().gradient({second}, {}, true); }, text);
  expectError<Error>([&] { cache.sum().gradient({first}, {}, true); }, text);
  // What was detached has no influence.
  Tensor z = Tensor::from({3.0f, 4.0f});
  write(3, z.detach());
  write(0, z);
  EXPECT_THAT(cache.sum().gradient({z})[0].tolist<float>(), ElementsAre(1, 1));
}

TEST(CutGradientTest, assignmentsCarriedOutAlong) {
  Tensor x = Tensor::from({1.0f, 2.0f}),
         memory = Tensor::zeros({2}).parameter(false);
  memory.assign(x * 2);
  (memory + 1).realize(); // the assignment, too
  expectError<Error>(
      [&] { (memory.square().sum() + x.sum()).gradient({x}); },
      "was realized before, by an assignment or along with another value");
  EXPECT_THAT((x * x).sum().gradient({x})[0].tolist<float>(),
              ElementsAre(2, 4));
}

TEST(CutGradientTest, productsThatAreKept) {
  Tensor x = noiseTensor({4, 3}), w = noiseTensor({3, 2}, 2);
  Tensor h = x.matmul(w);
  const std::vector<double> expected =
      values((h.square().sum() + w.sum()).gradient({w})[0]);
  h.softmax().sum().item<float>();
  ASSERT_TRUE(h.isRealized()); // nobody asked for it
  expectTensor((h.square().sum() + w.sum()).gradient({w})[0], {3, 2}, expected);
  EXPECT_EQ(x.matmul(w).sum().gradient({w})[0].shape(), w.shape());
  // Not if nobody could want them.
  NoGradScope scope;
  Tensor constant = x.matmul(w);
  constant.softmax().sum().item<float>();
  expectError<Error>([&] { constant.sum().gradient({w}); }, "gradient");
}

/// The elements of a maximum are found again after its value was read: the sum
/// that it was chosen from is not computed again in another order.
TEST(CutGradientTest, maximaOfSumsThatWereRead) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (bool isParameter : {false, true}) {
      const Tensor a = noiseTensor({2, 6, 2}, seed),
                   b = noiseTensor({2, 6, 2}, seed + 100);
      Tensor x = isParameter ? a.parameter() : a.realize(),
             w = isParameter ? b.parameter() : b.realize();
      auto f = [&](const Tensor &y) { return y.max(1, true); };
      const std::vector<double> expected =
          values((f(x * w.sum()).square() * 0.1).sum().gradient({w})[0]);
      EXPECT_NE(expected[0], 0);
      // Before the gradient is built, and after.
      for (bool isBefore : {true, false}) {
        const Tensor all = x * w.sum(), y = f(all);
        const Tensor loss = (y.square() * 0.1).sum();
        if (isBefore && isParameter)
          y.realize();
        const std::vector<Tensor> gradients = loss.gradient({x, w});
        y.realize();
        gradients[0].realize();
        expectTensor(gradients[1], {2, 6, 2}, expected, 1e-4);
        EXPECT_GE((all == y).sum().item<int>(), 4);
        EXPECT_EQ((all > y).sum().item<int>(), 0);
      }
    }
  }
}

TEST(CutGradientTest, copiesBetweenDevices) {
  Tensor x = Tensor::from({1.0f, 2.0f}, "CPU"), there = (x * 2).to("SIM");
  EXPECT_THAT(there.square().sum().to("CPU").gradient({x})[0].tolist<float>(),
              ElementsAre(8, 16));
  there.sum().item<float>(); // carries out the copy
  expectError<Error>(
      [&] { (there.to("CPU").sum() + x.sum()).gradient({x}); },
      "was realized before, by an assignment or along with another value");
}

TEST(CutGradientTest, elementsSelectedByMasks) {
  Tensor x = Tensor::from({1.0f, 2.0f, 3.0f});
  expectError<Error>(
      [&] { (x.maskedSelect(x > 1).square().sum() + x.sum()).gradient({x}); },
      "was realized before");
}

//===----------------------------------------------------------------------===//
// backward()
//===----------------------------------------------------------------------===//

TEST(BackwardTest, accumulates) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  EXPECT_TRUE(w.requiresGrad());
  EXPECT_FALSE(w.grad().defined());
  (w * 3).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(3, 3));
  (w * w).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(5, 7));
  w.zeroGrad();
  EXPECT_FALSE(w.grad().defined());
}

TEST(BackwardTest, equalParametersAreDistinct) {
  Tensor a = Tensor::zeros({2}).parameter(), b = Tensor::zeros({2}).parameter();
  Tensor still = Tensor::zeros({2}).parameter(false);
  (a * 2 + b * 3 + still * 4).sum().backward();
  EXPECT_THAT(a.grad().tolist<float>(), ElementsAre(2, 2));
  EXPECT_THAT(b.grad().tolist<float>(), ElementsAre(3, 3));
  EXPECT_FALSE(still.grad().defined());
  EXPECT_FALSE(Tensor::zeros({2}, DType::Int32).parameter().requiresGrad());
}

TEST(BackwardTest, tensorsBecomeParameters) {
  Tensor x = Tensor::ones({2}), before = x * 2;
  x.setRequiresGrad();
  Tensor other = Tensor::ones({2});
  (x * other).sum().backward();
  EXPECT_THAT(x.grad().tolist<float>(), ElementsAre(1, 1));
  expectError<Error>([&] { before.sum().backward(); },
                     "depends on no tensor that requires a gradient");
  x.setRequiresGrad(false);
  expectError<Error>([&] { (x * 3).sum().backward(); },
                     "depends on no tensor that requires a gradient");
}

TEST(BackwardTest, trainingLoop) {
  // Least squares by gradient descent: y = 2 x + 1.
  Tensor x = Tensor::from({-1.0f, 0.0f, 1.0f, 2.0f}), y = x * 2 + 1;
  Tensor w = Tensor::zeros({1}).parameter(), b = Tensor::zeros({1}).parameter();
  float loss = 0;
  for (int step = 0; step < 200; ++step) {
    Tensor error = (x * w + b - y).square().mean();
    error.backward();
    {
      NoGradScope noGrad;
      w.assign(w - w.grad() * 0.2);
      b.assign(b - b.grad() * 0.2);
    }
    realize({w, b, error});
    w.zeroGrad();
    b.zeroGrad();
    loss = error.item<float>();
  }
  EXPECT_LT(loss, 1e-6);
  EXPECT_NEAR(w.item<float>(), 2, 1e-3);
  EXPECT_NEAR(b.item<float>(), 1, 1e-3);
}

TEST(BackwardTest, stepsShareAProgram) {
  Tensor x = noiseTensor({4, 3}), w = noiseTensor({3, 2}, 2).parameter();
  auto step = [&] {
    x.matmul(w).square().sum().backward();
    {
      NoGradScope noGrad;
      w.assign(w - w.grad() * 0.01);
    }
    w.zeroGrad(); // it would keep the old contents
    w.realize();
  };
  step();
  const uint64_t compiled = GlobalCounters::kernelsCompiled;
  const std::size_t programs = Graph::current().numPrograms();
  const void *memory = w.buffer().address();
  const std::size_t operations = Graph::current().numOperations();
  for (int i = 0; i < 5; ++i)
    step();
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
  EXPECT_EQ(Graph::current().numPrograms(), programs);
  EXPECT_EQ(w.buffer().address(), memory);
  EXPECT_EQ(Graph::current().numOperations(), operations);
}

TEST(BackwardTest, noGradAndDetach) {
  Tensor w = Tensor::from({2.0f}).parameter();
  Tensor inside;
  {
    NoGradScope noGrad;
    EXPECT_TRUE(NoGradScope::isActive());
    inside = w * w;
    {
      NoGradScope gradients(false);
      EXPECT_FALSE(NoGradScope::isActive());
      (w * 5).sum().backward();
    }
  }
  EXPECT_EQ(w.grad().item<float>(), 5);
  w.zeroGrad();
  Tensor outside = w * w; // equal, but with a gradient
  (inside * w + outside).sum().backward();
  EXPECT_EQ(w.grad().item<float>(), 8);
  w.zeroGrad();
  ((w * w).detach() * w).sum().backward();
  EXPECT_EQ(w.grad().item<float>(), 4);
  w.zeroGrad();
  // Results that fold to an existing value.
  Tensor folded;
  {
    NoGradScope noGrad;
    folded = w + 0;
  }
  (folded * w).sum().backward();
  EXPECT_EQ(w.grad().item<float>(), 2);
}

TEST(BackwardTest, assignments) {
  Tensor w = Tensor::from({1.0f, 2.0f, 3.0f}).parameter();
  // To a tensor that is computed: gradients flow through the assigned part.
  Tensor x = w * 2;
  x.shrink({{0, 1}}).assign(Tensor::from({7.0f}));
  x.shrink({{1, 2}}).assign((w * w).shrink({{2, 3}}));
  x.sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(0, 0, 8));
  w.zeroGrad();
  // To memory.
  Tensor memory = Tensor::zeros({3}).realize();
  memory.assign(w * 5);
  (memory * memory).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(50, 100, 150));
  w.zeroGrad();
  // Between use and gradient.
  Tensor loss = (w * w).sum();
  {
    NoGradScope noGrad;
    w.assign(w * 2);
  }
  expectError<Error>([&] { loss.backward(); },
                     "backward: a tensor [3] float32 that requires a gradient "
                     "was assigned to after a value was computed from it");
  w.realize();
  expectError<Error>([&] { loss.backward(); }, "was assigned to after");
  EXPECT_FALSE(w.grad().defined());
  (w * w).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(4, 8, 12));
}

TEST(BackwardTest, stepsHaveZeroGradients) {
  using Method = Tensor (*)(const Tensor &);
  const Method methods[] = {
      [](const Tensor &x) { return x.floor(); },
      [](const Tensor &x) { return x.ceil(); },
      [](const Tensor &x) { return x.round(); },
      [](const Tensor &x) { return x.trunc(); },
      [](const Tensor &x) { return x.sign(); },
  };
  for (Method method : methods) {
    Tensor w = Tensor::from({-1.5f, 0.0f, 2.0f}).parameter();
    EXPECT_THAT(method(w).sum().gradient({w})[0].tolist<float>(),
                ElementsAre(0, 0, 0));
    method(w).sum().backward();
    ASSERT_TRUE(w.grad().defined());
    EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(0, 0, 0));
  }
}

// A result that is known without the values of a parameter is computed from it
// all the same.
TEST(BackwardTest, knownResultsHaveZeroGradients) {
  using Method = Tensor (*)(const Tensor &);
  const Method methods[] = {
      [](const Tensor &x) { return x.pow(0); },
      [](const Tensor &x) { return x.pow(Tensor::zeros({3})); },
      [](const Tensor &x) { return Tensor::ones({3}).pow(x); },
      [](const Tensor &x) { return x * 0; },
      [](const Tensor &x) { return x - x; },
      [](const Tensor &x) {
        return Tensor::full({3}, false).where(x, Tensor::ones({3}));
      },
      [](const Tensor &x) {
        return Tensor::full({3}, true).where(Tensor::rand({3}).realize(), x);
      },
      [](const Tensor &x) { return x.shrink({{1, 1}}); },
  };
  for (const Method &method : methods) {
    SCOPED_TRACE(&method - methods);
    Tensor w = Tensor::from({-1.5f, 0.0f, 2.0f}).parameter();
    EXPECT_THAT(method(w).sum().gradient({w})[0].tolist<float>(),
                ElementsAre(0, 0, 0));
    method(w).sum().backward();
    ASSERT_TRUE(w.grad().defined());
    EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(0, 0, 0));
  }
  // A new constant is not computed from it.
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  expectError<Error>([&] { w.onesLike().sum().backward(); },
                     "depends on no tensor that requires a gradient");
  // 1 also of NaN.
  const Tensor x = Tensor::from({2.0f, NAN}).realize();
  EXPECT_THAT(x.pow(0).tolist<float>(), ElementsAre(1, 1));
}

// No gradient flows through an assignment to a leaf: nothing would say so.
TEST(BackwardTest, differentiableValuesAssignedToLeaves) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter(),
         v = Tensor::from({3.0f}).parameter();
  expectError<Error>([&] { w.assign(v * 2); },
                     "assign: a value that depends on a tensor which requires "
                     "a gradient, to a tensor [2] float32 that requires one "
                     "itself");
  expectError<Error>([&] { w[1] = v[0] * 3; },
                     "to a part [] float32 of one that requires one itself");
  expectError<Error>([&] { w[1] *= 2; }, "of one that requires one itself");
  // Another tensor with the value of a leaf.
  Tensor same = w * 1;
  same.assign(same.maximum(2));
  EXPECT_THAT(same.sum().gradient({w})[0].tolist<float>(),
              ElementsAre(0, 0.5f));
  w.assign(Tensor::from({5.0f, 6.0f}));
  w[1] = v[0].detach() * 3;
  {
    const NoGradScope noGrad;
    w.assign(w + v);
  }
  EXPECT_THAT(w.tolist<float>(), ElementsAre(8, 12));
}

TEST(BackwardTest, valuesRealizedBefore) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  Tensor h = w * 2, loss = (h * w).sum();
  h.realize();
  loss.backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(4, 8));
  w.zeroGrad();
  Tensor again = (h.detach() * w).sum();
  again.backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(2, 4));
  w.zeroGrad();
  Tensor scalar = (w * 3).sum();
  scalar.item<float>();
  scalar.backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(3, 3));
  w.zeroGrad();
  // A product that another program computes too is not cut off.
  Tensor m = noiseTensor({4, 2}).matmul(w.reshape({2, 1}));
  m.sum().item<float>();
  m.sum().backward();
  EXPECT_TRUE(w.grad().defined());
}

TEST(BackwardTest, elementsSelectedByMasks) {
  // Their number is known only after they were computed.
  Tensor w = Tensor::from({1.0f, 2.0f, 3.0f}).parameter();
  expectError<Error>(
      [&] { (w.maskedSelect(w > 1).square().sum() + w.sum()).backward(); },
      "was realized before");
  (w > 1).where(w.square(), 0).sum().backward();
  EXPECT_THAT(w.grad().tolist<float>(), ElementsAre(0, 4, 6));
}

TEST(BackwardTest, destroyedParametersDoNotMatter) {
  Tensor w = Tensor::from({1.0f}).parameter(), loss;
  {
    Tensor gone = Tensor::from({3.0f}).parameter();
    loss = (w * gone).sum();
  }
  loss.backward();
  EXPECT_EQ(w.grad().item<float>(), 3);
}

TEST(BackwardTest, errors) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  expectError<ShapeError>([&] { (w * 2).backward(); }, "needs a cotangent");
  expectError<Error>([&] { Tensor::ones({1}).backward(); },
                     "depends on no tensor that requires a gradient");
  expectError<DTypeError>([&] { Tensor::from({1}).setRequiresGrad(); },
                          "a tensor of int32 has no gradient");
  Tensor x = Tensor::from({1.0f, 2.0f});
  expectError<Error>([&] { x.shrink({{0, 1}}).setRequiresGrad(); },
                     "is a view");
  expectError<ShapeError>([&] { w.setGrad(Tensor::ones({3})); },
                          "a gradient of shape [3] for a tensor of shape [2]");
  w.zeroGrad();
  expectError<Error>([&] { w.grad().realize(); },
                     "before backward() or after zeroGrad()");
  expectError<DTypeError>([&] { w.setGrad(Tensor::ones({2}, DType::Float64)); },
                          "a gradient of float64 for a tensor of float32");
}

//===----------------------------------------------------------------------===//
// Custom gradients
//===----------------------------------------------------------------------===//

TEST(CustomGradientTest, replacesTheGradient) {
  Tensor w = Tensor::from({1.0f, -2.0f}).parameter();
  Tensor h = w * 3;
  // A straight-through estimator of the sign.
  Tensor sign = h.sign().withGradient(
      {h}, [](const Tensor &g) { return std::vector<Tensor>{g * 10}; });
  EXPECT_THAT(sign.tolist<float>(), ElementsAre(1, -1));
}

TEST(CustomGradientTest, flowsOn) {
  Tensor w = Tensor::from({1.0f, -2.0f}).parameter();
  auto straight = [](const Tensor &x) {
    return x.sign().withGradient(
        {x}, [x](const Tensor &g) { return std::vector<Tensor>{g * x}; });
  };
  Tensor h = w * 3;
  // Two of them, one after the other, and a path around both.
  (straight(straight(h) * 2 + h) + h).sum().backward();
  // Inner sign s = +-1 with gradient by h; a = 2 s + h = 5, -8. The gradient by
  // a is a, that by h is 2 a h + a + 1, that by w three times as much.
  EXPECT_THAT(w.grad().tolist<float>(),
              ElementsAre(3 * (2 * 5 * 3 + 5 + 1), 3 * (2 * 8 * 6 - 8 + 1)));
}

// Zeros, as of gradient(): nothing is wrong with such a function.
TEST(CustomGradientTest, onlyUndefinedGradients) {
  Tensor w = Tensor::from({1.0f}).parameter();
  const auto none = [](const Tensor &) { return std::vector<Tensor>{{}}; };
  (w * 2).withGradient({w}, none).sum().backward();
  EXPECT_EQ(w.grad().item<float>(), 0);
}

TEST(CustomGradientTest, noInputAndUndefinedGradients) {
  Tensor a = Tensor::from({1.0f}).parameter(),
         b = Tensor::from({2.0f}).parameter();
  Tensor y = (a * b).withGradient(
      {a, b}, [](const Tensor &g) { return std::vector<Tensor>{g, Tensor()}; });
  (y * 4 + b).sum().backward();
  EXPECT_EQ(a.grad().item<float>(), 4);
  EXPECT_EQ(b.grad().item<float>(), 1);
}

TEST(CustomGradientTest, errorsAndProgramCache) {
  Tensor w = Tensor::from({1.0f, 2.0f}).parameter();
  auto loss = [&](std::vector<Tensor> result) {
    return (w * 2)
        .withGradient({w}, [=](const Tensor &) { return result; })
        .sum();
  };
  expectError<Error>([&] { loss({}).backward(); },
                     "returned 0 gradients for 1 inputs");
  expectError<ShapeError>([&] { loss({Tensor::ones({3})}).backward(); },
                          "returned a gradient [3] float32 for an input [2] "
                          "float32");
  EXPECT_FALSE(w.grad().defined());
  EXPECT_EQ(loss({w}).item<float>(), 6);
  const std::size_t programs = Graph::current().numPrograms();
  EXPECT_EQ(loss({w}).item<float>(), 6);
  EXPECT_EQ(Graph::current().numPrograms(), programs);
}

TEST(CustomGradientTest, functionsAreReleased) {
  auto token = std::make_shared<int>(0);
  std::weak_ptr<int> alive = token;
  {
    Tensor w = Tensor::from({1.0f}).parameter();
    Tensor y = (w * 2).withGradient({w}, [w, token](const Tensor &g) {
      return std::vector<Tensor>{g * w};
    });
    token = nullptr;
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
}

// Copies between devices are values, too, that may be read before.
TEST(GradientTest, AfterCopiesWereRead) {
  Tensor a = noiseTensor({4, 6}, 1).to("CPU:1").parameter(),
         b = noiseTensor({4, 6}, 2).to("CPU:2").parameter();
  auto f = [&] {
    return (a.square().sum(0) + b.square().sum(0).to("CPU:1")).max();
  };
  const Tensor value = f();
  (void)value.item<float>();
  value.backward();
  const Tensor both = a.grad().to("CPU") + b.grad().to("CPU");
  const std::vector<double> read = values(both);
  const std::vector<Tensor> again = f().gradient({a, b});
  EXPECT_EQ(values(again[0].to("CPU") + again[1].to("CPU")), read);
}
