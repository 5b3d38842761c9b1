//===- StencilTest.cpp - stencils in place --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Assignments of values computed from neighbors in the memory that is
/// assigned to, compared with plain loops. Values that blocks of rows read from
/// each other must be the old ones.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"

#include <array>
#include <random>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
using Place = std::array<int64_t, 3>;

/// A sum of elements at given offsets.
struct Stencil {
  std::vector<Place> taps;
  /// Whether elements with a tap outside of the tensor keep their values;
  /// otherwise, such taps are zero.
  bool isInner = false;
};

/// The elements at offset \p tap from each element; zero outside of the tensor.
Tensor shifted(const Tensor &x, const Place &tap, const Place &shape) {
  std::vector<std::pair<SymInt, SymInt>> pads;
  std::vector<Part> part;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int64_t low = std::max<int64_t>(0, -tap[axis]);
    const int64_t high = std::max<int64_t>(0, tap[axis]);
    pads.emplace_back(low, high);
    part.emplace_back(high, high + shape[axis]);
  }
  return x.pad({pads[0], pads[1], pads[2]}).shrink(part);
}

void apply(Tensor &x, const Stencil &stencil, const Place &shape) {
  Tensor sum;
  if (!stencil.isInner) {
    for (const Place &tap : stencil.taps) {
      Tensor at = shifted(x, tap, shape);
      sum = &tap == stencil.taps.data() ? at : sum + at;
    }
    x.assign(sum);
    return;
  }
  Place from{}, to = shape;
  for (const Place &tap : stencil.taps)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      from[axis] = std::max(from[axis], -tap[axis]);
      to[axis] = std::min(to[axis], shape[axis] - tap[axis]);
    }
  auto at = [&](const Place &tap) {
    return x.shrink({{from[0] + tap[0], to[0] + tap[0]},
                     {from[1] + tap[1], to[1] + tap[1]},
                     {from[2] + tap[2], to[2] + tap[2]}});
  };
  for (const Place &tap : stencil.taps)
    sum = &tap == stencil.taps.data() ? at(tap) : sum + at(tap);
  at({0, 0, 0}).assign(sum);
}

std::vector<float> applyPlainly(const std::vector<float> &x,
                                const Stencil &stencil, const Place &shape) {
  std::vector<float> result = x;
  std::size_t place = 0;
  for (int64_t i = 0; i < shape[0]; ++i)
    for (int64_t j = 0; j < shape[1]; ++j)
      for (int64_t k = 0; k < shape[2]; ++k, ++place) {
        float sum = 0;
        bool isInner = true;
        for (const Place &tap : stencil.taps) {
          const Place at{i + tap[0], j + tap[1], k + tap[2]};
          bool isInside = true;
          for (std::size_t axis = 0; axis < 3; ++axis)
            isInside &= at[axis] >= 0 && at[axis] < shape[axis];
          isInner &= isInside;
          if (isInside)
            sum +=
                x[std::size_t((at[0] * shape[1] + at[1]) * shape[2] + at[2])];
        }
        if (isInner || !stencil.isInner)
          result[place] = sum;
      }
  return result;
}

/// Small integers, whose sums are exact, in memory of their own.
std::pair<Tensor, std::vector<float>> numbers(const Place &shape,
                                              std::mt19937 &random) {
  std::vector<float> values(std::size_t(shape[0] * shape[1] * shape[2]));
  for (float &value : values)
    value = float(int(random() % 101) - 50);
  Tensor x = Tensor::zeros({shape[0], shape[1], shape[2]}).contiguous();
  x.realize();
  x.assign(Tensor::from(values, {shape[0], shape[1], shape[2]}));
  x.realize();
  return {x, values};
}
} // namespace

TEST(StencilTest, RandomStencilsAreThoseOfLoops) {
  std::mt19937 random(7);
  auto between = [&](int64_t from, int64_t to) {
    return from + int64_t(random() % uint64_t(to - from + 1));
  };
  for (int round = 0; round < 24; ++round) {
    Place shape{1, 1, 1};
    if (round % 3 == 0)
      shape[2] = between(1, 200000);
    else if (round % 3 == 1)
      shape = {1, between(1, 500), between(1, 500)};
    else
      shape = {between(1, 50), between(1, 40), between(1, 40)};
    Stencil stencil;
    const int64_t reach = round % 5 == 0 ? 30 : 3;
    for (int64_t taps = between(1, 4); taps > 0; --taps) {
      Place tap{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const int64_t most = std::min((shape[axis] - 1) / 2, reach);
        tap[axis] = between(-most, most);
      }
      stencil.taps.push_back(tap);
    }
    stencil.isInner = round % 4 == 0;
    SCOPED_TRACE(::testing::Message() << "round " << round << " of " << shape[0]
                                      << "x" << shape[1] << "x" << shape[2]);
    auto [x, values] = numbers(shape, random);
    apply(x, stencil, shape);
    EXPECT_EQ(x.flatten().tolist<float>(),
              applyPlainly(values, stencil, shape));
  }
}

/// Twice in one program; the second step reads the results of the first.
TEST(StencilTest, StepsFollowOneAnother) {
  std::mt19937 random(3);
  const Place shape{1, 300, 256};
  const Stencil stencil{{{0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
  auto [x, values] = numbers(shape, random);
  for (int step = 0; step < 2; ++step) {
    apply(x, stencil, shape);
    values = applyPlainly(values, stencil, shape);
  }
  EXPECT_EQ(x.flatten().tolist<float>(), values);
}

/// The old contents of so large a tensor are not copied.
TEST(StencilTest, NoCopyOfTheWhole) {
  if (Device::getDefault().name() != "CPU")
    GTEST_SKIP() << "tiles are kept by single work items of CPUs";
  std::mt19937 random(5);
  const Place shape{1, 1024, 512};
  const int64_t bytes = 1024 * 512 * 4;
  const Stencil stencil{{{0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
  auto [x, values] = numbers(shape, random);
  const void *address = x.buffer().address();
  apply(x, stencil, shape);
  GlobalCounters::reset();
  x.realize();
  EXPECT_EQ(GlobalCounters::kernelCount, 2);
  EXPECT_LT(GlobalCounters::globalMem.load(), 3 * bytes / 2);
  EXPECT_EQ(x.buffer().address(), address);
  EXPECT_EQ(x.flatten().tolist<float>(), applyPlainly(values, stencil, shape));
}

/// Rows in another order are read from a copy.
TEST(StencilTest, RowsInAnotherOrder) {
  std::mt19937 random(9);
  const Place shape{1, 400, 100};
  auto [x, values] = numbers(shape, random);
  x.assign(x.flip({1}));
  std::vector<float> expected;
  for (int64_t row = 399; row >= 0; --row)
    expected.insert(expected.end(), values.begin() + row * 100,
                    values.begin() + (row + 1) * 100);
  EXPECT_EQ(x.flatten().tolist<float>(), expected);
}

/// Rows of a symbolic size.
TEST(StencilTest, SymbolicRows) {
  const Shape shape{2048, 64};
  const Variable n("n", 1, 2048);
  for (int64_t size : {1, 700, 2048}) {
    Tensor x = counting(shape).contiguous();
    x.realize();
    std::vector<float> values = x.flatten().tolist<float>();
    const SymInt bound = n.bind(size);
    {
      Tensor part = x.shrink({{0, bound}, {0, 64}});
      Tensor above = part.pad({{1, 0}, {0, 0}}).shrink({{0, bound}, {0, 64}});
      Tensor below =
          part.pad({{0, 1}, {0, 0}}).shrink({{1, bound + 1}, {0, 64}});
      part.assign(above + below);
    }
    std::vector<float> expected = values;
    for (int64_t i = 0; i < size; ++i)
      for (int64_t k = 0; k < 64; ++k)
        expected[std::size_t(i * 64 + k)] =
            (i > 0 ? values[std::size_t((i - 1) * 64 + k)] : 0.0f) +
            (i + 1 < size ? values[std::size_t((i + 1) * 64 + k)] : 0.0f);
    EXPECT_EQ(x.flatten().tolist<float>(), expected) << size;
  }
}
