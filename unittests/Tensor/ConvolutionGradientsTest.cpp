//===- ConvolutionGradientsTest.cpp ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Convolutions and their gradients by input and weights, of sizes for which
/// kernels keep lanes of channels and rows of windows in registers, leave out
/// padding, and sum the positions of each phase of a stride apart. The numbers
/// are small integers, so that every order of additions gives the same sum.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Tensor/Training.h"

#include <limits>
#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
struct Sizes {
  int64_t images, channels, results, side, kernel, stride, padding;
  int64_t getOut() const { return (side + 2 * padding - kernel) / stride + 1; }
};

/// What is added to a sum: the element, or a product with padding.
struct Sums {
  std::vector<double> y, dx, dw;
};
} // namespace

/// Integers from -2 to 2.
static std::vector<float> getNumbers(int64_t count, int64_t step) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(float(i * step / 3 % 5 - 2));
  return numbers;
}

/// The definitions. An element of padding is a zero that is multiplied like any
/// other; its gradient is discarded.
static Sums compute(const Sizes &n, const std::vector<float> &x,
                    const std::vector<float> &w, const std::vector<float> &g) {
  const int64_t out = n.getOut();
  Sums sums{std::vector<double>(g.size()), std::vector<double>(x.size()),
            std::vector<double>(w.size())};
  for (int64_t image = 0; image < n.images; ++image)
    for (int64_t result = 0; result < n.results; ++result)
      for (int64_t i = 0; i < out; ++i)
        for (int64_t j = 0; j < out; ++j) {
          const int64_t ofY =
              ((image * n.results + result) * out + i) * out + j;
          for (int64_t channel = 0; channel < n.channels; ++channel)
            for (int64_t k = 0; k < n.kernel; ++k)
              for (int64_t l = 0; l < n.kernel; ++l) {
                const int64_t row = i * n.stride + k - n.padding,
                              column = j * n.stride + l - n.padding;
                const int64_t ofW =
                    ((result * n.channels + channel) * n.kernel + k) *
                        n.kernel +
                    l;
                const bool isInside =
                    row >= 0 && row < n.side && column >= 0 && column < n.side;
                const int64_t ofX =
                    ((image * n.channels + channel) * n.side + row) * n.side +
                    column;
                const double element = isInside ? double(x[ofX]) : 0.0;
                sums.y[ofY] += element * double(w[ofW]);
                sums.dw[ofW] += element * double(g[ofY]);
                if (isInside)
                  sums.dx[ofX] += double(g[ofY]) * double(w[ofW]);
              }
        }
  return sums;
}

static void check(const Sizes &n, float special = 0) {
  SCOPED_TRACE(std::to_string(n.images) + " images, " +
               std::to_string(n.channels) + " to " + std::to_string(n.results) +
               " channels, " + std::to_string(n.side) + " wide, kernel " +
               std::to_string(n.kernel) + ", stride " +
               std::to_string(n.stride) + ", padding " +
               std::to_string(n.padding) + ", " + std::to_string(special));
  const int64_t out = n.getOut();
  const Shape ofX{n.images, n.channels, n.side, n.side},
      ofW{n.results, n.channels, n.kernel, n.kernel},
      ofY{n.images, n.results, out, out};
  std::vector<float> x = getNumbers(n.images * n.channels * n.side * n.side, 7);
  std::vector<float> w =
      getNumbers(n.results * n.channels * n.kernel * n.kernel, 11);
  std::vector<float> g = getNumbers(n.images * n.results * out * out, 13);
  if (special != 0) {
    w[w.size() / 3] = special;
    g[g.size() / 2] = special;
  }
  const Sums expected = compute(n, x, w, g);
  const Tensor input = Tensor::from(x, ofX), weight = Tensor::from(w, ofW);
  const Tensor y =
      input.conv2d(weight, {}, {.stride = n.stride, .padding = n.padding});
  const std::vector<Tensor> gradients =
      y.gradient({input, weight}, Tensor::from(g, ofY));
  expectTensor(y, ofY, expected.y);
  expectTensor(gradients[0], ofX, expected.dx);
  expectTensor(gradients[1], ofW, expected.dw);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The window of 3x3 is in one register tile, for several input channels.
TEST(ConvolutionGradientsTest, windowsInTiles) {
  check({2, 16, 32, 14, 3, 1, 1});
  check({2, 16, 40, 14, 3, 1, 0}); // lanes that are not full
  check({3, 10, 32, 12, 3, 2, 1}); // 10 channels are two blocks of 5
  check({2, 7, 16, 9, 3, 1, 2});
  check({2, 4, 32, 12, 4, 1, 1}); // 16 columns
  check({2, 4, 32, 12, 5, 1, 2}); // too many columns
}

// Which products are padding is known in each copy of the body. The others
// remain where something is not finite.
TEST(ConvolutionGradientsTest, shortRows) {
  for (const float special : {0.0f, kInfinity}) {
    check({8, 16, 32, 8, 3, 1, 1}, special);
    check({16, 16, 32, 4, 3, 1, 1}, special);
    check({16, 32, 64, 2, 3, 1, 1}, special);
    check({16, 16, 16, 2, 5, 1, 2}, special);
    check({16, 16, 32, 3, 3, 1, 1}, special);
    check({16, 16, 32, 4, 3, 2, 1}, special);
  }
  check({16, 16, 32, 4, 3, 1, 1}, std::numeric_limits<float>::quiet_NaN());
}

// A sum for each phase, where enough positions share the weights.
TEST(ConvolutionGradientsTest, phases) {
  for (const float special : {0.0f, kInfinity}) {
    check({4, 16, 16, 16, 3, 2, 1}, special);
    check({4, 16, 16, 17, 3, 2, 0}, special);
    check({4, 16, 16, 15, 5, 2, 2}, special);
    check({4, 8, 16, 25, 4, 3, 1}, special);
    check({4, 8, 16, 24, 7, 2, 3}, special);
    check({2, 4, 8, 21, 5, 4, 2}, special);
  }
  check({4, 16, 16, 16, 1, 2, 0});
  check({4, 16, 16, 16, 2, 2, 0}); // windows that do not overlap
  check({1, 8, 8, 8, 3, 2, 1});    // few positions
}

// Sums over pixels that are contiguous, over many images, and over rows of
// large images in parts.
TEST(ConvolutionGradientsTest, deepSums) {
  check({2, 32, 32, 12, 1, 1, 0});
  check({3, 32, 48, 9, 1, 1, 0});
  check({16, 1, 16, 28, 3, 1, 1});
  check({16, 1, 16, 28, 3, 1, 0}); // lanes along the pixels
  check({5, 1, 7, 25, 3, 1, 0}, kInfinity);
  check({16, 3, 16, 26, 3, 1, 0});
  check({3, 1, 16, 72, 3, 1, 1});
  check({2, 2, 16, 144, 5, 2, 2}, kInfinity);
}

// The gradient by a padded tensor itself has its border.
TEST(ConvolutionGradientsTest, paddedTensor) {
  const Tensor x = Tensor::from(getNumbers(2 * 4 * 15 * 15, 7), {2, 4, 15, 15}),
               w = Tensor::from(getNumbers(8 * 4 * 9, 11), {8, 4, 3, 3});
  const Tensor padded = x.pad({1, 1, 1, 1}), same = padded + 0;
  auto sum = [&](const Tensor &image) {
    return image.conv2d(w, {}, {.stride = 2}).square().sum();
  };
  const Tensor byPadded = sum(padded).gradient({padded})[0],
               bySame = sum(same).gradient({same})[0];
  expectTensor(byPadded, {2, 4, 17, 17}, values(bySame));
}

// Two convolutions in one kernel have tiles of their own.
TEST(ConvolutionGradientsTest, twoConvolutions) {
  for (const int64_t side : {8, 14, 16}) {
    SCOPED_TRACE(side);
    const Tensor x = Tensor::from(getNumbers(2 * 16 * side * side, 7),
                                  {2, 16, side, side}),
                 v = Tensor::from(getNumbers(32 * 16 * 9, 11), {32, 16, 3, 3}),
                 w = Tensor::from(getNumbers(32 * 16 * 9, 13), {32, 16, 3, 3});
    auto apply = [&](const Tensor &weight) {
      return x.conv2d(weight, {}, {.padding = 1});
    };
    const std::vector<double> first = values(apply(v)),
                              second = values(apply(w));
    std::vector<double> expected;
    for (std::size_t i = 0; i < first.size(); ++i)
      expected.push_back(first[i] + second[i]);
    expectTensor(apply(v) + apply(w), {2, 32, side, side}, expected);
  }
}
