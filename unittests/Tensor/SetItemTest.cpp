//===- SetItemTest.cpp - assignments to index expressions -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Assignments such as `x[i] = y` write to x for every kind of index;
/// assignments to a variable rebind it.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <type_traits>

using namespace tinygrad;
using namespace tinygrad::testing;

// Assigning to any other temporary would be lost, so it must not compile.
template <typename Left, typename Right>
concept CanAssign = requires(Left (&left)(), Right right) { left() = right; };
static_assert(CanAssign<Tensor &, Tensor>);
static_assert(!CanAssign<Tensor, Tensor>);
static_assert(!CanAssign<Tensor, int>);
static_assert(CanAssign<IndexedTensor, Tensor>);
static_assert(CanAssign<IndexedTensor, IndexedTensor>);
static_assert(CanAssign<IndexedTensor, int>);
static_assert(!std::is_constructible_v<bool, Tensor>);
static_assert(std::is_nothrow_move_constructible_v<Tensor>);
static_assert(std::is_copy_assignable_v<Tensor>);

TEST(SetItem, ViewsAreWrittenTo) {
  for (bool isRealized : {false, true}) {
    Tensor x = counting({3, 2});
    if (isRealized)
      x.realize();
    x[0] = Tensor::from({10.0f, 11.0f});
    expectTensor(x, {3, 2}, {10, 11, 2, 3, 4, 5});
    x.index({Slice(1, None), 1}) = 7;
    expectTensor(x, {3, 2}, {10, 11, 2, 7, 4, 7});
    x[-1] = x[0];
    expectTensor(x, {3, 2}, {10, 11, 2, 7, 10, 11});
    x[1][0] = 5;
    expectTensor(x, {3, 2}, {10, 11, 5, 7, 10, 11});
    x.setitem({1}, 0);
    expectTensor(x, {3, 2}, {10, 11, 0, 0, 10, 11});
    x[Ellipsis] = 1;
    expectTensor(x, {3, 2}, {1, 1, 1, 1, 1, 1});
  }
}

TEST(SetItem, CompoundAssignmentOfViews) {
  Tensor x = counting({2, 2});
  x[0] += Tensor::from({10.0f, 20.0f});
  x[1] *= 2;
  expectTensor(x, {2, 2}, {10, 21, 4, 6});
  x[1] -= x[0];
  x[0] /= 2;
  expectTensor(x, {2, 2}, {5, 10.5, -6, -15});
  Tensor n = Tensor::from({7, 6, 5});
  n[0] %= 4;
  n[1] <<= 2;
  n[2] ^= 1;
  expectTensor(n, {3}, {3, 24, 4});
  EXPECT_ERROR(n[0] += 0.5, DTypeError, "float32 to a tensor of int32");
  expectTensor(n, {3}, {3, 24, 4});
}

TEST(SetItem, VariablesBecomeOtherTensors) {
  Tensor x = counting({2, 2}), y = Tensor::from({8.0f, 9.0f});
  Tensor row = x[0];
  row = y;
  auto deduced = x[0];
  deduced = y;
  deduced += 1;
  IndexedTensor other = x[0];
  other = x[1];
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
  expectTensor(row, {2}, {8, 9});
  expectTensor(deduced, {2}, {9, 10});
  expectTensor(other, {2}, {2, 3});
  // The tensor behind a view is written to by assign().
  other.assign(y);
  expectTensor(x, {2, 2}, {0, 1, 8, 9});
  Tensor chosen = true ? x[1] : y;
  std::vector<Tensor> rows = {x[0], x[1]};
  expectTensor(Tensor::cat({x[0], chosen, rows[1]}), {6}, {0, 1, 8, 9, 8, 9});
}

TEST(SetItem, ByPositions) {
  Tensor x = counting({4, 2});
  x[Tensor::from({0, 2})] = Tensor::from({{10.0f, 11.0f}, {12.0f, 13.0f}});
  expectTensor(x, {4, 2}, {10, 11, 2, 3, 12, 13, 6, 7});
  x[Tensor::from({-1, 1})].assign(Tensor::from({{5.0f}, {6.0f}}));
  expectTensor(x, {4, 2}, {10, 11, 6, 6, 12, 13, 5, 5});
  x[Tensor::from({0, 3})] += 1;
  expectTensor(x, {4, 2}, {11, 12, 6, 6, 12, 13, 6, 6});
  // Of equal positions the last one counts; out-of-range positions are ignored.
  x.index({Tensor::from({1, 9, 1, -9}), 0}) =
      Tensor::from({1.0f, 2.0f, 3.0f, 4.0f});
  expectTensor(x, {4, 2}, {11, 12, 3, 6, 12, 13, 6, 6});
  // An empty assignment.
  x[Tensor::from(std::vector<int>{})] = 1;
  expectTensor(x, {4, 2}, {11, 12, 3, 6, 12, 13, 6, 6});
  // An indexed tensor in a variable is a copy, as in NumPy.
  Tensor rows = x[Tensor::from({0, 1})];
  rows.assign(0);
  auto deduced = x[Tensor::from({0, 1})];
  deduced.assign(0);
  expectTensor(deduced, {2, 2}, {0, 0, 0, 0});
  expectTensor(x, {4, 2}, {11, 12, 3, 6, 12, 13, 6, 6});
}

TEST(SetItem, ReturnsThePart) {
  Tensor x = counting({3});
  Tensor part = (x[Tensor::from({2, 0})] = Tensor::from({5.0f, 6.0f}));
  expectTensor(part, {2}, {5, 6});
  expectTensor(x, {3}, {6, 1, 5});
  Tensor y = counting({3});
  y[0] = y[1] = 9;
  expectTensor(y, {3}, {9, 9, 2});
}

TEST(SetItem, ThroughViews) {
  // A transposed, sliced and strided view of memory.
  Tensor x = counting({4, 6}).realize();
  Tensor view = x.T().index({Slice(0, None, 2)});
  view.index({Slice(), Tensor::from({3, 0})}) =
      Tensor::from({{100.0f, 200.0f}});
  std::vector<double> expected;
  for (int i = 0; i < 24; ++i)
    expected.push_back(i);
  for (int column : {0, 2, 4}) {
    expected[column] = 200;
    expected[18 + column] = 100;
  }
  expectTensor(x, {4, 6}, expected);
}

/// Writes `values` at random positions of several axes and compares with a
/// loop.
TEST(SetItem, SeveralTensorsLikeAReference) {
  const int64_t a = 3, b = 4, c = 2;
  uint32_t state = 5;
  auto random = [&](int64_t low, int64_t high) {
    state = state * 1664525u + 1013904223u;
    return low + int64_t((state >> 8) % uint32_t(high - low));
  };
  for (int round = 0; round < 12; ++round) {
    const int64_t count = 5;
    std::vector<int> first, second;
    for (int64_t i = 0; i < count; ++i) {
      first.push_back(int(random(-a - 1, a + 1)));
      second.push_back(int(random(-b - 1, b + 1)));
    }
    const bool areAdjacent = round % 2;
    Tensor x = counting(areAdjacent ? Shape{c, a, b} : Shape{a, c, b});
    std::vector<double> expected = values(x);
    Tensor source = counting({count}) + 100;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = first[i] < 0 ? first[i] + a : first[i];
      const int64_t column = second[i] < 0 ? second[i] + b : second[i];
      if (row < 0 || row >= a || column < 0 || column >= b)
        continue;
      for (int64_t k = 0; k < c; ++k)
        expected[areAdjacent ? (k * a + row) * b + column
                             : (row * c + k) * b + column] = 100 + double(i);
    }
    if (areAdjacent)
      x.index({Slice(), Tensor::from(first), Tensor::from(second)}) = source;
    else
      // The new axis comes first.
      x.index({Tensor::from(first), Slice(), Tensor::from(second)}) =
          source.unsqueeze(1);
    expectTensor(x, x.shape(), expected);
  }
}

TEST(SetItem, ByMask) {
  Tensor x = counting({2, 3});
  const int64_t kernels = GlobalCounters::kernelCount;
  x[x > 3] = 0;
  x[x == 1] += 10;
  x.index({Slice(), Tensor::from({true, false, false})}) *=
      Tensor::from({{2.0f}});
  // No kernel has run so far.
  EXPECT_EQ(GlobalCounters::kernelCount, kernels);
  expectTensor(x, {2, 3}, {0, 11, 2, 6, 0, 0});
  // One value for each selected row, along the other axis.
  x[Tensor::from({false, true})] = Tensor::from({7.0f, 8.0f, 9.0f});
  expectTensor(x, {2, 3}, {0, 11, 2, 7, 8, 9});
  // One value for each selected element.
  x[x > 7] = Tensor::from({1.0f, 2.0f, 3.0f});
  expectTensor(x, {2, 3}, {0, 1, 2, 7, 2, 3});
  EXPECT_ERROR(x[x > 6] = Tensor::from({1.0f, 2.0f}), ShapeError,
               "assign: a tensor of shape [2]");
  EXPECT_ERROR(x[x > 6] = Tensor::from({1}), DTypeError, "int32");
  expectTensor(x, {2, 3}, {0, 1, 2, 7, 2, 3});
}

TEST(SetItem, MasksSelect) {
  Tensor x = counting({2, 3});
  expectTensor(x[x > 2], {3}, {3, 4, 5});
  expectTensor(x[Tensor::from({false, true})], {1, 3}, {3, 4, 5});
  expectTensor(x.index({Slice(), Tensor::from({true, false, true})}), {2, 2},
               {0, 2, 3, 5});
  expectTensor(x[x > 99], {0}, {});
  // Next to index tensors, a mask stands for the positions of its true
  // elements.
  expectTensor(x.index({Tensor::from({true, true}), Tensor::from({2, 0})}), {2},
               {2, 3});
  expectTensor(x.index({1, Tensor::from({true, false, true})}), {2}, {3, 5});
  EXPECT_ERROR(x[Tensor::from({true})], IndexError,
               "a mask of shape [1] does not fit axis 0 of [2, 3]");
  EXPECT_ERROR(x.index({x > 1, 0}), IndexError, "3 entries");
}

TEST(SetItem, MasksWithoutAxes) {
  // One truth value is a mask of a new axis, as in NumPy.
  Tensor x = counting({2, 3});
  expectTensor(x[Tensor(true)], {1, 2, 3}, {0, 1, 2, 3, 4, 5});
  expectTensor(x[Tensor(false)], {0, 2, 3}, {});
  expectTensor(x.index({1, 2, Tensor(true)}), {1}, {5});
  expectTensor(x.index({1, Tensor(true), Slice(1, 3)}), {1, 2}, {4, 5});
  x[Tensor(false)] = 7;
  x.index({0, Tensor(true), Slice(1, 3)}) = 9;
  expectTensor(x, {2, 3}, {0, 9, 9, 3, 4, 5});
  Tensor last = x.index({1, 2}), single = Tensor(4.0f);
  last[last > 1] = 8;
  expectTensor(x, {2, 3}, {0, 9, 9, 3, 4, 8});
  expectTensor(single[single > 1], {1}, {4});
  expectTensor(single[single > 5], {0}, {});
  single[single > 1] *= 2;
  expectTensor(single, {}, {8});
  EXPECT_ERROR(single[Tensor::from({true})], IndexError,
               "1 entries are too many for a tensor of shape []");
}

TEST(SetItem, SelectionsAreOfTheirTime) {
  Tensor x = counting({4}), mask = x > 1;
  Tensor selected = x[mask], again = selected;
  x.assign(9);
  mask.assign(false);
  EXPECT_EQ(again.shape(), (Shape{2}));
  expectTensor(selected, {2}, {2, 3});
  // It is an ordinary handle, and its copies refer to the same tensor.
  selected.assign(1);
  expectTensor(again, {2}, {1, 1});
}

TEST(SetItem, FailedAssignmentsChangeNothing) {
  Tensor x = counting({2, 2});
  EXPECT_ERROR(x[0] = Tensor::zeros(3), ShapeError, "[3]");
  EXPECT_ERROR(x[Tensor::from({0, 1})] = Tensor::zeros({3, 2}), ShapeError,
               "[3, 2]");
  EXPECT_ERROR(x[Tensor::from({0, 1})] = Tensor::from({1, 2}), DTypeError,
               "int32 to a tensor of float32");
  EXPECT_ERROR(x[2] = 1, IndexError, "position 2");
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
}

TEST(SetItem, SymbolicSizes) {
  Variable n("n", 1, 8);
  Tensor x = Tensor::zeros({n.bind(4)});
  x[Tensor::from({1, 3, 7})] = Tensor::from({5.0f, 6.0f, 7.0f});
  expectTensor(x.shrink({{0, n.bind(4)}}).sum(), {}, {11});
  Tensor y = Tensor::arange(n.bind(5), DType::Float32);
  y[y > 2] = 0;
  expectTensor(y.sum(), {}, {3});
  expectTensor(y[y > 0], {2}, {1, 2});
}

TEST(Operators, Modulo) {
  Tensor x = Tensor::from({7, -7});
  expectTensor(x % 4, {2}, {3, 1});
  expectTensor(10 % Tensor::from({4, -4}), {2}, {2, -2});
  expectTensor(x % x.abs(), {2}, {0, 0});
  expectTensor(Tensor::from({-0.5f, 5.5f}) % 2, {2}, {1.5, 1.5});
  x %= 4;
  expectTensor(x, {2}, {3, 1});
  x <<= 2;
  x >>= 1;
  expectTensor(x, {2}, {6, 2});
}
