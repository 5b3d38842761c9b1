//===- UpsampleTest.cpp - transposed convolution, unpooling ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Transposed convolution, pooling with positions and its inverse, and further
/// layers, compared with loops.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <algorithm>
#include <limits>

using namespace tinygrad;
using namespace tinygrad::testing;

static int64_t kernelsOf(const std::vector<Tensor> &results) {
  GlobalCounters::reset();
  realize(results);
  return GlobalCounters::kernelCount;
}

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

namespace {
struct TransposedCase {
  Shape input, weight;
  int64_t groups;
  std::vector<int64_t> stride, dilation, before, after, more;
};
} // namespace

/// Adds each element of the input times the kernel at its output positions.
static std::vector<double> transposedReference(const TransposedCase &c,
                                               const std::vector<double> &x,
                                               const std::vector<double> &w,
                                               Shape &shape) {
  const int64_t inputs = c.weight[0].value(), outputs = c.weight[1].value();
  int64_t size[2], in[2], kernel[2];
  for (int i = 0; i < 2; ++i) {
    in[i] = c.input[2 + i].value();
    kernel[i] = c.weight[2 + i].value();
    size[i] = (in[i] - 1) * c.stride[i] - c.before[i] - c.after[i] +
              c.dilation[i] * (kernel[i] - 1) + 1 + c.more[i];
  }
  shape = {c.input[0], c.groups * outputs, size[0], size[1]};
  std::vector<double> result(std::size_t(numElements(shape)));
  for (int64_t n = 0; n < c.input[0].value(); ++n)
    for (int64_t channel = 0; channel < inputs; ++channel)
      for (int64_t i = 0; i < in[0] * in[1]; ++i)
        for (int64_t out = 0; out < outputs; ++out)
          for (int64_t a = 0; a < kernel[0]; ++a)
            for (int64_t b = 0; b < kernel[1]; ++b) {
              const int64_t row =
                  i / in[1] * c.stride[0] + a * c.dilation[0] - c.before[0];
              const int64_t column =
                  i % in[1] * c.stride[1] + b * c.dilation[1] - c.before[1];
              if (row < 0 || row >= size[0] || column < 0 || column >= size[1])
                continue;
              const int64_t group = channel / (inputs / c.groups);
              result[((n * shape[1].value() + group * outputs + out) * size[0] +
                      row) *
                         size[1] +
                     column] +=
                  x[(n * inputs + channel) * in[0] * in[1] + i] *
                  w[((channel * outputs + out) * kernel[0] + a) * kernel[1] +
                    b];
            }
  return result;
}

TEST(ConvTranspose, IsTheLoop) {
  const TransposedCase cases[] = {
      {{2, 3, 4, 5}, {3, 2, 3, 3}, 1, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 0}},
      {{2, 3, 4, 5}, {3, 2, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}},
      {{1, 3, 4, 5}, {3, 2, 2, 2}, 1, {2, 2}, {1, 1}, {0, 0}, {0, 0}, {0, 0}},
      {{1, 3, 4, 5}, {3, 2, 4, 4}, 1, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {0, 0}},
      {{1, 3, 4, 5}, {3, 2, 3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      // A kernel smaller than the stride, with zeros in between.
      {{1, 2, 3, 4}, {2, 1, 1, 2}, 1, {3, 4}, {1, 1}, {0, 0}, {0, 0}, {2, 1}},
      {{1, 2, 3, 4}, {2, 1, 5, 3}, 1, {3, 2}, {1, 1}, {2, 0}, {1, 2}, {0, 1}},
      // Padding larger than the kernel.
      {{1, 2, 6, 6}, {2, 2, 2, 2}, 1, {2, 1}, {1, 1}, {3, 2}, {2, 1}, {0, 0}},
      {{1, 2, 4, 4}, {2, 2, 3, 2}, 1, {1, 1}, {2, 3}, {1, 0}, {0, 2}, {1, 2}},
      {{1, 2, 4, 4}, {2, 2, 3, 3}, 1, {2, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 2}},
      {{1, 2, 4, 4}, {2, 2, 3, 3}, 1, {2, 1}, {1, 3}, {1, 1}, {1, 1}, {0, 0}},
      {{2, 4, 3, 3}, {4, 3, 3, 3}, 2, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 0}},
      {{2, 4, 3, 3}, {4, 1, 3, 3}, 4, {1, 2}, {1, 1}, {0, 1}, {0, 1}, {0, 0}},
      {{1, 1, 1, 1}, {1, 1, 1, 1}, 1, {5, 5}, {1, 1}, {0, 0}, {0, 0}, {4, 4}},
  };
  for (const TransposedCase &c : cases) {
    SCOPED_TRACE(&c - cases);
    Tensor x = noiseTensor(c.input), w = noiseTensor(c.weight, 2);
    Shape shape;
    const auto expected = transposedReference(c, values(x), values(w), shape);
    const ConvTranspose2dOptions options{
        .groups = c.groups,
        .stride = c.stride,
        .dilation = c.dilation,
        .padding = {c.before[1], c.after[1], c.before[0], c.after[0]},
        .outputPadding = c.more};
    expectTensor(x.convTranspose2d(w, {}, options), shape, expected, 1e-5);
    Tensor bias = noiseTensor({shape[1]}, 3);
    std::vector<double> biased = expected;
    const int64_t inner = (shape[2] * shape[3]).value();
    for (std::size_t i = 0; i < biased.size(); ++i)
      biased[i] += values(bias)[int64_t(i) / inner % shape[1].value()];
    expectTensor(x.convTranspose2d(w, bias, options), shape, biased, 1e-5);
  }
}

TEST(ConvTranspose, OtherRanks) {
  // An additional axis of size 1 makes no difference.
  Tensor x = noiseTensor({2, 3, 5}), w = noiseTensor({3, 2, 4}, 2);
  Tensor plane = x.unsqueeze(2).convTranspose2d(
      w.unsqueeze(2), {.stride = {1, 2}, .padding = {0, 1}});
  expectTensor(x.convTranspose2d(w, {.stride = 2, .padding = 1}), {2, 2, 10},
               values(plane), 1e-5);
  Tensor space =
      x.reshape({2, 3, 1, 1, 5})
          .convTranspose2d(w.reshape({3, 2, 1, 1, 4}),
                           {.stride = {1, 1, 2}, .padding = {0, 0, 1}});
  expectTensor(space, {2, 2, 1, 1, 10}, values(plane), 1e-5);
}

/// The adjoint of conv2d(): <conv2d(x), y> = <x, convTranspose2d(y)>.
TEST(ConvTranspose, IsTheAdjointOfConvolution) {
  Tensor x = noiseTensor({2, 3, 9, 8}), w = noiseTensor({4, 3, 3, 2}, 2);
  for (int64_t stride : {1, 2, 3}) {
    Tensor y = x.conv2d(w, {.stride = stride, .padding = 1});
    Tensor z = noiseTensor(y.shape(), 3);
    // Output padding for sizes that the stride does not divide.
    const int64_t more[] = {(9 + 2 - 3) % stride, (8 + 2 - 2) % stride};
    Tensor back = z.convTranspose2d(
        w, {.stride = stride, .padding = 1, .outputPadding = more});
    ASSERT_EQ(back.shape(), x.shape());
    EXPECT_NEAR(values((y * z).sum())[0], values((x * back).sum())[0], 1e-3);
  }
}

TEST(ConvTranspose, TypesAndSymbolicBatch) {
  Tensor x = noiseTensor({3, 4, 5, 5}).realize(),
         w = noiseTensor({4, 2, 3, 3}, 2).realize();
  EXPECT_EQ(x.toHalf().convTranspose2d(w.toHalf()).dtype(), DType::Float16);
  EXPECT_EQ(
      x.toHalf().convTranspose2d(w.toHalf(), {.dtype = DType::Float32}).dtype(),
      DType::Float32);
  Tensor ones = Tensor::full({1, 1, 2, 2}, 100, DType::Int8);
  expectTensor(ones.convTranspose2d(Tensor::ones({1, 1, 1, 1}, DType::Int8) * 2,
                                    {.dtype = DType::Int32}),
               {1, 1, 2, 2}, {200, 200, 200, 200});
  Variable n("transposedBatch", 1, 3);
  for (int64_t size : {1, 2}) {
    Tensor some = x.shrink({{0, n.bind(size)}, {}, {}, {}});
    Tensor few = x.shrink({{0, size}, {}, {}, {}});
    Tensor result = some.convTranspose2d(w, {.stride = 2, .padding = 1});
    EXPECT_EQ(result.concreteShape(), (std::vector<int64_t>{size, 2, 9, 9}));
    const auto expected =
        values(few.convTranspose2d(w, {.stride = 2, .padding = 1}));
    const auto found = values(result);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-5);
  }
}

TEST(ConvTranspose, KernelsAndWork) {
  Tensor x = noiseTensor({1, 16, 12, 12}).realize(),
         w = noiseTensor({16, 8, 4, 4}, 2).realize();
  EXPECT_EQ(kernelsOf({x.convTranspose2d(w, {.padding = 1})}), 1);
  EXPECT_EQ(kernelsOf({x.convTranspose2d(w, {.stride = 2, .padding = 1})}), 2);
  // No products with the zeros between elements: 13^2 positions times 4
  // neighbors, each with 2^2 * 16 products for each of 8 channels.
  EXPECT_LE(GlobalCounters::globalOps.load(), 3 * 13 * 13 * 4 * 4 * 16 * 8);
}

TEST(ConvTranspose, Errors) {
  Tensor x = noiseTensor({1, 4, 5, 5}), w = noiseTensor({4, 2, 3, 3});
  EXPECT_ERROR(x.convTranspose2d(w.permute({1, 0, 2, 3})), ShapeError,
               "an input of shape [1, 4, 5, 5] and a weight of shape [2, 4, 3, "
               "3] do not fit with 1 groups");
  EXPECT_ERROR(x.convTranspose2d(w, {.groups = 3}), ShapeError, "3 groups");
  EXPECT_ERROR(x.convTranspose2d(w, {.groups = 0}), ShapeError, "0 groups");
  EXPECT_ERROR(x.convTranspose2d(w, noiseTensor({3})), ShapeError,
               "a bias of shape [3] does not fit a weight of shape [4, 2, 3, "
               "3]");
  EXPECT_ERROR(x.convTranspose2d(w, {.outputPadding = 1}), ShapeError,
               "an output padding of 1 is not less than a stride of 1");
  EXPECT_ERROR(x.convTranspose2d(w, {.stride = 0}), ShapeError, "positive");
  EXPECT_ERROR(x.convTranspose2d(w, {.padding = -1}), ShapeError,
               "not negative");
  EXPECT_ERROR(x.convTranspose2d(w, {.padding = 4}), ShapeError,
               "nothing is left of axis 2 of [1, 4, 5, 5]");
  EXPECT_ERROR(x.convTranspose2d(w, {.stride = INT64_MAX}), ShapeError,
               "too large");
  EXPECT_ERROR(x.convTranspose2d(w, {.stride = {1, 2, 3}}), ShapeError,
               "3 numbers for the stride of 2 spatial axes");
  EXPECT_ERROR(Tensor::zeros({1, 4, 0, 5}).convTranspose2d(w), ShapeError,
               "axis 2 of [1, 4, 0, 5]");
}

//===----------------------------------------------------------------------===//
// Pooling with positions
//===----------------------------------------------------------------------===//

TEST(MaxPoolIndices, AreThoseOfTheFirst) {
  for (bool isRounded : {false, true})
    for (auto [kernel, stride, dilation, padding] :
         {std::array{2, 2, 1, 0}, std::array{3, 2, 1, 1},
          std::array{2, 1, 3, 1}, std::array{3, 4, 1, 0}}) {
      Tensor x = noiseTensor({2, 3, 9, 8}) * 4;
      if (isRounded)
        x = x.round();
      const Pool2dOptions options{
          .stride = stride, .dilation = dilation, .padding = padding};
      const ValuesAndIndices result = x.maxPool2dWithIndices(kernel, options);
      Tensor pooled = x.maxPool2d(kernel, options);
      expectTensor(result.values, pooled.shape(), values(pooled));
      EXPECT_EQ(result.indices.dtype(), DType::Int32);
      const std::vector<double> elements = values(x);
      std::vector<double> expected;
      for (int plane = 0; plane < 6; ++plane)
        for (int i = 0; i < pooled.shape()[2].value(); ++i)
          for (int j = 0; j < pooled.shape()[3].value(); ++j) {
            int best = -1;
            for (int a = 0; a < kernel; ++a)
              for (int b = 0; b < kernel; ++b) {
                const int row = i * stride + a * dilation - padding;
                const int column = j * stride + b * dilation - padding;
                if (row < 0 || row >= 9 || column < 0 || column >= 8)
                  continue;
                const int at = row * 8 + column;
                if (best < 0 ||
                    elements[plane * 72 + at] > elements[plane * 72 + best])
                  best = at;
              }
            expected.push_back(best);
          }
      expectTensor(result.indices, pooled.shape(), expected);
    }
}

TEST(MaxPoolIndices, SpecialValues) {
  // Padding is never selected, even if no element is larger.
  Tensor lowest = Tensor::full({1, 4, 4}, -INFINITY);
  expectTensor(
      lowest.maxPool2dWithIndices(2, {.stride = 2, .padding = 1}).indices,
      {1, 3, 3}, {0, 1, 3, 4, 5, 7, 12, 13, 15});
  Tensor least = Tensor::full({1, 2, 2}, INT32_MIN, DType::Int32);
  expectTensor(least.maxPool2dWithIndices(2, {.padding = 1}).indices, {1, 2, 2},
               {0, 1, 2, 3});
  Tensor special =
      Tensor::from({{1.0f, NAN, 5.0f, 2.0f}, {2.0f, NAN, 5.0f, 1.0f}});
  const ValuesAndIndices result = special.maxPool2dWithIndices();
  expectTensor(result.values, {1, 2}, {NAN, 5});
  expectTensor(result.indices, {1, 2}, {1, 2});
  // Any number of spatial axes.
  Tensor x = noiseTensor({2, 4, 4, 4});
  expectTensor(x.maxPool2dWithIndices({4, 4, 4}).indices.flatten(), {2},
               values(x.flatten(1).argmax(1)));
  EXPECT_EQ(kernelsOf({x.maxPool2dWithIndices(2).values,
                       x.maxPool2dWithIndices(2).indices}),
            1);
}

TEST(MaxUnpool, TurnsPoolingAround) {
  Tensor x = noiseTensor({2, 3, 8, 6});
  for (auto [kernel, stride, padding] :
       {std::array{2, 2, 0}, std::array{2, 2, 1}, std::array{3, 2, 1}}) {
    auto [pooled, indices] =
        x.maxPool2dWithIndices(kernel, {.stride = stride, .padding = padding});
    std::vector<double> expected(2 * 3 * 8 * 6);
    const std::vector<double> elements = values(pooled), at = values(indices);
    for (std::size_t i = 0; i < elements.size(); ++i)
      expected[i / (elements.size() / 6) * 48 + std::size_t(at[i])] =
          elements[i];
    const MaxUnpool2dOptions options{
        .stride = stride, .padding = padding, .outputSize = {{8, 6}}};
    expectTensor(pooled.maxUnpool2d(indices, kernel, options), {2, 3, 8, 6},
                 expected);
    MaxUnpool2dOptions whole = options;
    whole.outputSize = x.shape();
    expectTensor(pooled.maxUnpool2d(indices.cast(DType::Int64), kernel, whole),
                 {2, 3, 8, 6}, expected);
  }
  // The size that follows from the pooling parameters.
  auto [pooled, indices] = x.maxPool2dWithIndices();
  EXPECT_EQ(pooled.maxUnpool2d(indices).shape(), x.shape());
  EXPECT_EQ(pooled.maxUnpool2d(indices, 3, {.stride = 2, .padding = 1}).shape(),
            (Shape{2, 3, 7, 5}));
}

TEST(MaxUnpool, PositionsTwiceAndNowhere) {
  Tensor x = Tensor::from({{1, 2, 3, 4}});
  expectTensor(x.maxUnpool2d(Tensor::from({{3, -1, 3, 100}}), {1, 1},
                             {.outputSize = {{1, 4}}}),
               {1, 4}, {0, 0, 0, 3});
  EXPECT_ERROR(x.maxUnpool2d(Tensor::from({{1, 2}})), ShapeError,
               "indices of shape [1, 2] are not one for each element");
  EXPECT_ERROR(x.maxUnpool2d(x.toFloat()), DTypeError, "float32");
  EXPECT_ERROR(x.maxUnpool2d(x, {1, 1, 1}), ShapeError, "no 3 spatial axes");
  EXPECT_ERROR(x.maxUnpool2d(x, {1, 1}, {.padding = 4}), ShapeError,
               "maxUnpool2d");
  EXPECT_ERROR(x.maxUnpool2d(x, {1, INT64_MIN}), ShapeError, "positive");
  EXPECT_ERROR(x.maxUnpool2d(x, {1, 1}, {.stride = 0}), ShapeError, "positive");
  EXPECT_ERROR(x.maxUnpool2d(x, {1, 1}, {.padding = -1}), ShapeError,
               "not negative");
  EXPECT_ERROR(x.maxUnpool2d(x, {1, INT64_MAX}, {.dilation = INT64_MAX}),
               ShapeError, "");
  EXPECT_ERROR(x.maxUnpool2d(x, {1, 1}, {.outputSize = Shape{4}}), ShapeError,
               "does not have 2 spatial axes");
}

//===----------------------------------------------------------------------===//
// Normalization and layers
//===----------------------------------------------------------------------===//

TEST(Normalize, EachNorm) {
  Tensor x = noiseTensor({2, 5, 3});
  const std::vector<double> elements = values(x);
  for (double p : {0.0, 0.5, 1.0, 2.0, 3.0, double(INFINITY)}) {
    std::vector<double> expected;
    for (int i = 0; i < 30; ++i) {
      double norm = 0;
      for (int j = 0; j < 5; ++j) {
        const double size = std::fabs(elements[i / 15 * 15 + j * 3 + i % 3]);
        norm = std::isinf(p) ? std::max(norm, size)
                             : norm + (p == 0 ? size != 0 : std::pow(size, p));
      }
      if (p != 0 && !std::isinf(p))
        norm = std::pow(norm, 1 / p);
      expected.push_back(elements[i] / norm);
    }
    expectTensor(x.normalize(p), {2, 5, 3}, expected, 1e-5);
  }
  expectTensor(Tensor::from({3.0f, 4.0f}).normalize(2, 0), {2}, {0.6, 0.8},
               1e-6);
  // Zeros stay zero, and eps is the smallest norm.
  expectTensor(Tensor::zeros({1, 3}).normalize(), {1, 3}, {0, 0, 0});
  expectTensor(Tensor::from({{3.0f, 4.0f}}).normalize(2, 1, 10), {1, 2},
               {0.3, 0.4}, 1e-6);
  EXPECT_EQ(Tensor::from({{3, 4}}).normalize().dtype(), DType::Float32);
  EXPECT_ERROR(x.normalize(-1), Error, "no norm of p = -1");
  EXPECT_ERROR(x.normalize(NAN), Error, "no norm");
  EXPECT_ERROR(x.normalize(2, 3), IndexError, "axis 3");
}

TEST(Softmin, IsSoftmaxOfTheNegative) {
  Tensor x = noiseTensor({3, 5}) * 4;
  expectTensor(x.softmin(), {3, 5}, values((-x).softmax()));
  expectTensor(x.softmin(0), {3, 5}, values((-x).softmax(0)));
  // Unsigned numbers cannot be negated.
  expectTensor(Tensor::from({0, 1}).cast(DType::UInt8).softmin(), {2},
               {1 / (1 + std::exp(-1.0)), 1 / (1 + std::exp(1.0))}, 1e-6);
  EXPECT_EQ(x.softmin(-1, DType::Float64).dtype(), DType::Float64);
  EXPECT_ERROR(x.softmin(2), IndexError, "axis 2");
}

TEST(Sequential, AppliesInOrder) {
  Tensor x = noiseTensor({2, 3}), w = noiseTensor({3, 4}, 2);
  Tensor result =
      x.sequential({[&](const Tensor &x) { return x.linear(w); }, &Tensor::relu,
                    [](const Tensor &x) { return x + 1; }});
  expectTensor(result, {2, 4}, values(x.matmul(w).relu() + 1));
  expectTensor(x.sequential({}), {2, 3}, values(x));
  EXPECT_ERROR(x.sequential({&Tensor::relu, nullptr}), Error,
               "sequential: function 1 of 2 is empty");
}
