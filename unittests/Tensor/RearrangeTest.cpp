//===- RearrangeTest.cpp - rearrange, windows, diagonals, grids -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Movement methods compared with loops over positions, and their errors.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Tensor/Functions.h"

#include <algorithm>

using namespace tinygrad;
using namespace tinygrad::testing;

/// The elements of a counting tensor of shape \p from at the positions that \p
/// source returns for each position of shape \p to.
static std::vector<double>
countsAt(const std::vector<int64_t> &from, const std::vector<int64_t> &to,
         const std::function<std::vector<int64_t>(const std::vector<int64_t> &)>
             &source) {
  std::vector<double> result;
  std::vector<int64_t> at(to.size(), 0);
  const int64_t count = numElements(Shape(to));
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (std::size_t axis = to.size(); axis-- > 0; rest /= to[axis])
      at[axis] = rest % to[axis];
    const std::vector<int64_t> position = source(at);
    int64_t place = 0;
    for (std::size_t axis = 0; axis < from.size(); ++axis)
      place = place * from[axis] + position[axis];
    result.push_back(double(place));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Axes by name
//===----------------------------------------------------------------------===//

TEST(Rearrange, SplitsPermutesAndJoins) {
  using At = const std::vector<int64_t> &;
  const Tensor x = counting({2, 6, 5});
  expectTensor(x.rearrange("b hw c -> c b hw"), {5, 2, 6},
               countsAt({2, 6, 5}, {5, 2, 6}, [](At at) {
                 return std::vector{at[1], at[2], at[0]};
               }));
  const std::vector<double> split =
      countsAt({2, 6, 5}, {2, 5, 2, 3}, [](At at) {
        return std::vector{at[0], at[2] * 3 + at[3], at[1]};
      });
  expectTensor(x.rearrange("b (h w) c -> b c h w", {{"h", 2}}), {2, 5, 2, 3},
               split);
  expectTensor(x.rearrange("b (h w) c -> b c h w", {{"w", 3}}), {2, 5, 2, 3},
               split);
  expectTensor(x.rearrange("  b(h w)c->b c h w ", {{"h", 2}, {"w", 3}}),
               {2, 5, 2, 3}, split);
  expectTensor(x.rearrange("b (h w) c -> (w b) (c h)", {{"h", 2}}), {6, 10},
               countsAt({2, 6, 5}, {6, 10}, [](At at) {
                 return std::vector{at[0] % 2, at[1] % 2 * 3 + at[0] / 2,
                                    at[1] / 2};
               }));
  // Sizes of axes that are not composed may be given as well.
  expectTensor(x.rearrange("b h c -> b (h c)", {{"b", 2}}), {2, 30}, values(x));
  EXPECT_EQ(rearrange(x, "a b c -> c b a").graph(), x.permute(2, 1, 0).graph());
}

TEST(Rearrange, AxesOfSizeOneAndOthers) {
  const Tensor x = counting({2, 1, 3, 4});
  EXPECT_EQ(x.rearrange("a 1 b c -> a b c").shape(), Shape({2, 3, 4}));
  EXPECT_EQ(x.rearrange("a () b c -> a b 1 c ()").shape(),
            Shape({2, 3, 1, 4, 1}));
  EXPECT_EQ(x.rearrange("... c -> c ...").shape(), Shape({4, 2, 1, 3}));
  expectTensor(x.rearrange("a ... -> a (...)"), {2, 12}, values(x));
  expectTensor(x.rearrange("a b c d ... -> ... a b c d"), {2, 1, 3, 4},
               values(x));
  expectTensor(x.rearrange("... -> (...)"), {24}, values(x));
  expectTensor(x.rearrange("... (h w) -> w ... h", {{"h", 2}})
                   .rearrange("w ... h -> ... (h w)"),
               {2, 1, 3, 4}, values(x));
  expectTensor(Tensor(3).rearrange("->"), {}, {3});
  expectTensor(Tensor(3).rearrange("-> 1"), {1}, {3});
  expectTensor(Tensor(3).rearrange("... -> ..."), {}, {3});
  EXPECT_EQ(
      Tensor::zeros({0, 4}).rearrange("a (b c) -> b (a c)", {{"b", 2}}).shape(),
      Shape({2, 0}));
  EXPECT_EQ(
      Tensor::zeros({0, 4}).rearrange("(a d) b -> d a b", {{"d", 3}}).shape(),
      Shape({3, 0, 4}));
}

TEST(Rearrange, IsAView) {
  Tensor x = Tensor::zeros({2, 6}).realize();
  x.rearrange("a (b c) -> c b a", {{"c", 2}})[1].assign(1);
  expectTensor(x, {2, 6}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
}

TEST(Rearrange, SymbolicSizes) {
  const SymInt n = Variable("n", 1, 9).bind(3);
  Tensor x = counting({9, 6});
  Tensor y = x.shrink({{0, n}, {}}).rearrange("b (h w) -> (b h) w", {{"w", 2}});
  EXPECT_EQ(y.shape(), Shape({n * 3, 2}));
  expectTensor(y.sum(1), {n * 3}, {1, 5, 9, 13, 17, 21, 25, 29, 33});
  Tensor z = counting({18}).shrink({{0, n * 2}});
  EXPECT_EQ(z.rearrange("(a b) -> b a", {{"a", n}}).shape(), Shape({2, n}));
  EXPECT_ERROR(z.rearrange("(a b) -> b a", {{"a", n + 1}}), ShapeError,
               "is not made up of");
}

TEST(Rearrange, ErrorsPointAtThePlace) {
  const Tensor x = counting({2, 6});
  auto fails = [&](const char *formula, const char *text, std::size_t place,
                   const NamedSizes &sizes = {}) {
    SCOPED_TRACE(formula);
    EXPECT_ERROR(x.rearrange(formula, sizes), ShapeError,
                 std::string("rearrange: ") + text);
    EXPECT_ERROR(x.rearrange(formula, sizes), ShapeError,
                 "\n  " + std::string(formula) + "\n  " +
                     std::string(place, ' ') + "^");
  };
  fails("a b", "a formula needs two sides", 3);
  fails("a b -> b -> a", "a formula has only one ->", 9);
  fails("a (b c -> a b c", "the parenthesis is not closed", 2);
  fails("a b) -> a b", "unmatched closing parenthesis", 3);
  fails("a ((b) c) -> a b c", "parentheses within parentheses", 3);
  fails("a, b -> b a", "expected a name, 1, ... or a parenthesis", 1);
  fails("a .. b -> a b", "expected a name, 1, ... or a parenthesis", 2);
  fails("a 2b -> a 2b", "'2b' is neither the name of an axis nor 1", 2);
  fails("a a -> a a", "'a' appears twice", 2);
  fails("a b -> b a b", "'b' appears twice", 11);
  fails("a b -> a", "'b' is not on the right", 2);
  fails("a b -> a b c", "'c' is not on the left", 11);
  fails("a b ... -> a b", "'...' is not on the right", 4);
  fails("... a ... -> a ...", "'...' appears twice", 6);
  fails("a (b ...) -> a b ...", "... cannot be part of an axis", 5);
  fails("a -> a", "the left side has 1 axes, the tensor has shape [2, 6]", 0);
  fails("a b c ... -> a b c ...", "the left side has 3 axes", 0);
  fails("a 1 -> a", "an axis of size 6 is not made up of []", 2);
  fails("a (b c) -> a b c", "the size of 'c' or of 'b' must be given", 5);
  fails("a (b c) -> a b c", "an axis of size 6 is not made up of [4]", 2,
        {{"b", 4}});
  fails("a (b c) -> a b c", "an axis of size 6 is not made up of [0]", 2,
        {{"b", 0}});
  fails("a (b c) -> a b c", "an axis of size 6 is not made up of [2, 2]", 2,
        {{"b", 2}, {"c", 2}});
  fails("a b -> b a", "an axis of size 2 is not made up of [3]", 0, {{"a", 3}});
  fails("a b -> b a", "a size is given for 'c'", 0, {{"c", 3}});
  fails("a b -> b a", "two sizes are given for 'b'", 2, {{"b", 6}, {"b", 6}});
  EXPECT_ERROR(x.rearrange("a (b c) -> a b c", {{"b", -1}}), ShapeError,
               "rearrange");
  EXPECT_ERROR(
      x.rearrange("a (b c) -> a b c", {{"b", int64_t(1) << 62}, {"c", 8}}),
      ShapeError, "rearrange");
}

//===----------------------------------------------------------------------===//
// To a size
//===----------------------------------------------------------------------===//

TEST(Movement, PadToAndShrinkTo) {
  const Tensor x = counting({2, 3}) + 1;
  expectTensor(x.padTo(3, 4), {3, 4}, {1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0, 0});
  expectTensor(x.padTo({-1, 4}), {2, 4}, {1, 2, 3, 0, 4, 5, 6, 0});
  expectTensor(padTo(x, {2, 3}), {2, 3}, {1, 2, 3, 4, 5, 6});
  expectTensor(x.shrinkTo(1, 2), {1, 2}, {1, 2});
  expectTensor(shrinkTo(x, {-1, 2}), {2, 2}, {1, 2, 4, 5});
  expectTensor(x.shrinkTo(0, -1), {0, 3}, {});
  Tensor y = Tensor::zeros({2, 2}).realize();
  y.shrinkTo(1, -1).assign(1);
  expectTensor(y, {2, 2}, {1, 1, 0, 0});
  const SymInt n = Variable("n", 1, 3).bind(2);
  expectTensor(x.shrinkTo(-1, n).padTo(2, 4), {2, 4}, {1, 2, 0, 0, 4, 5, 0, 0});
  EXPECT_ERROR(x.padTo(2, 2), ShapeError,
               "padTo: axis 1 of [2, 3] has more than 2 elements");
  EXPECT_ERROR(x.padTo({2}), ShapeError, "padTo: 1 sizes for a tensor");
  EXPECT_ERROR(x.padTo(2, -2), ShapeError, "padTo");
  EXPECT_ERROR(x.shrinkTo(3, 3), ShapeError,
               "shrinkTo: axis 0 of [2, 3] has fewer than 3 elements");
  EXPECT_ERROR(x.shrinkTo(2, 3, 1), ShapeError, "shrinkTo: 3 sizes");
}

TEST(Movement, Unbind) {
  const Tensor x = counting({2, 3});
  std::vector<Tensor> rows = x.unbind(), columns = unbind(x, -1);
  ASSERT_EQ(rows.size(), 2u);
  expectTensor(rows[1], {3}, {3, 4, 5});
  ASSERT_EQ(columns.size(), 3u);
  expectTensor(columns[2], {2}, {2, 5});
  EXPECT_TRUE(Tensor::zeros({0, 3}).unbind().empty());
  Tensor y = Tensor::zeros({2, 2}).realize();
  y.unbind(1)[1].assign(3);
  expectTensor(y, {2, 2}, {0, 3, 0, 3});
  EXPECT_ERROR(Tensor(1).unbind(), IndexError, "unbind");
  const Variable n("n", 1, 3);
  EXPECT_ERROR(counting({3}).shrink({{0, n}}).unbind(), ShapeError, "unbind");
}

//===----------------------------------------------------------------------===//
// Windows and diagonals
//===----------------------------------------------------------------------===//

TEST(Movement, Unfold) {
  const std::vector<int64_t> from = {3, 7, 2};
  const Tensor x = counting(Shape(from));
  for (int64_t dim = 0; dim < 3; ++dim)
    for (int64_t size = 1; size <= from[dim]; ++size)
      for (int64_t step : {1, 2, 3, 4, 100}) {
        SCOPED_TRACE(std::to_string(dim) + " " + std::to_string(size) + " " +
                     std::to_string(step));
        std::vector<int64_t> to = from;
        to[dim] = (from[dim] - size) / step + 1;
        to.push_back(size);
        expectTensor(x.unfold(dim - 3, size, step), Shape(to),
                     countsAt(from, to, [&](const std::vector<int64_t> &at) {
                       std::vector<int64_t> position(at.begin(), at.end() - 1);
                       position[dim] = position[dim] * step + at.back();
                       return position;
                     }));
      }
  EXPECT_EQ(x.unfold(1, 0, 2).shape(), Shape({3, 4, 2, 0}));
  EXPECT_EQ(x.unfold(1, 0, 7).shape(), Shape({3, 2, 2, 0}));
  EXPECT_EQ(x.unfold(1, 0, 8).shape(), Shape({3, 1, 2, 0}));
  // Windows do not share memory with the tensor.
  Tensor y = Tensor::zeros({6}).realize();
  y.unfold(0, 2, 2).assign(1);
  expectTensor(y, {6}, {0, 0, 0, 0, 0, 0});
  const SymInt n = Variable("n", 3, 9).bind(5);
  Tensor windows = counting({9}).shrink({{0, n}}).unfold(0, 3, 1);
  EXPECT_EQ(windows.shape(), Shape({n - 2, 3}));
  expectTensor(windows.sum(1), {n - 2}, {3, 6, 9});
  EXPECT_EQ(counting({4}).unfold(0, 0, 5).shape(), Shape({1, 0}));
  EXPECT_EQ(counting({4}).unfold(0, 0, 4).shape(), Shape({2, 0}));
  // Steps less than, equal to and greater than the size of a window.
  Variable length("length", 4, 9);
  for (int64_t size = 0; size <= 4; ++size)
    for (int64_t step : {1, 2, 3, 5, 20})
      for (int64_t value : {4, 6, 9}) {
        auto unfold = [&](SymInt end) {
          return counting({9}).shrink({{0, end}}).unfold(0, size, step);
        };
        Tensor part = unfold(length.bind(value)), fixed = unfold(value);
        EXPECT_EQ(part.concreteShape(), fixed.concreteShape());
        EXPECT_EQ(values(part), values(fixed)) << size << " " << step;
      }
  EXPECT_ERROR(counting({9}).shrink({{0, length.bind(6)}}).unfold(0, 5, 2),
               ShapeError, "unfold: there are no windows of size 5, 2 apart");
  EXPECT_ERROR(x.unfold(1, 8, 1), ShapeError,
               "unfold: there are no windows of size 8, 1 apart, in axis 1 of "
               "[3, 7, 2]");
  EXPECT_ERROR(x.unfold(1, 2, 0), ShapeError, "unfold");
  EXPECT_ERROR(x.unfold(1, -1, 1), ShapeError, "unfold");
  EXPECT_ERROR(x.unfold(3, 1, 1), IndexError, "unfold");
}

TEST(Movement, Diagonal) {
  for (auto [rows, columns] :
       {std::pair(3, 5), std::pair(5, 3), std::pair(4, 4), std::pair(1, 3)})
    for (int64_t offset = -6; offset <= 6; ++offset) {
      SCOPED_TRACE(std::to_string(rows) + " " + std::to_string(columns) + " " +
                   std::to_string(offset));
      const Tensor x = counting({rows, columns});
      std::vector<double> expected;
      for (int64_t row = 0; row < rows; ++row)
        if (row + offset >= 0 && row + offset < columns)
          expected.push_back(double(row * columns + row + offset));
      expectTensor(x.diagonal(offset), int64_t(expected.size()), expected);
      expectTensor(diag(x, offset), int64_t(expected.size()), expected);
    }
  // Two of several axes, in either order.
  const Tensor x = counting({2, 3, 4});
  expectTensor(x.diagonal(0, 1, 2), {2, 3}, {0, 5, 10, 12, 17, 22});
  expectTensor(x.diagonal(1, 2, 1), {2, 2}, {4, 9, 16, 21});
  expectTensor(diagonal(x, -1, 0, -1), {3, 1}, {12, 16, 20});
  EXPECT_EQ(Tensor::zeros({0, 3}).diagonal().shape(), Shape({0}));
  // The diagonal is a view.
  Tensor y = Tensor::zeros({3, 4}).realize();
  y.diagonal(1).assign(Tensor::from({1.f, 2.f, 3.f}));
  expectTensor(y, {3, 4}, {0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3});
  EXPECT_EQ(y.diagonal(INT64_MIN).numel(), 0);
  EXPECT_EQ(y.diagonal(INT64_MAX).numel(), 0);
  const SymInt n = Variable("n", 1, 4).bind(3);
  expectTensor(counting({4, 4}).shrink({{0, n}, {0, n}}).diagonal(), {n},
               {0, 5, 10});
  EXPECT_ERROR(x.diagonal(0, 1, -2), IndexError,
               "diagonal: axis 1 is given twice");
  EXPECT_ERROR(counting({3}).diagonal(), IndexError, "diagonal");
}

TEST(Movement, DiagonalCostsItsElements) {
  Tensor x = noiseTensor({1000, 1000}).realize();
  const int64_t before = GlobalCounters::globalMem.load();
  x.diagonal().sum().realize();
  EXPECT_LT(GlobalCounters::globalMem.load() - before, 1000 * 1000);
}

TEST(Movement, DiagOfARow) {
  const Tensor x = Tensor::from({1.f, 2.f, NAN});
  expectTensor(x.diag(), {3, 3}, {1, 0, 0, 0, 2, 0, 0, 0, NAN});
  expectTensor(x.shrinkTo({2}).diag(1), {3, 3}, {0, 1, 0, 0, 0, 2, 0, 0, 0});
  expectTensor(x.shrinkTo({2}).diag(-1), {3, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0});
  expectTensor(Tensor::from({true}).diag(1), {2, 2}, {0, 1, 0, 0});
  EXPECT_EQ(Tensor::zeros({0}).diag(2).shape(), Shape({2, 2}));
  EXPECT_ERROR(counting({2, 2, 2}).diag(), ShapeError,
               "diag: a tensor of shape [2, 2, 2] is neither a row nor a "
               "matrix");
  EXPECT_ERROR(x.diag(INT64_MIN), ShapeError, "pad");
  EXPECT_ERROR(x.diag(INT64_MAX), ShapeError, "pad");
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

TEST(Movement, Meshgrid) {
  const Tensor x = counting({2}), y = counting({3}).toInt() + 5;
  std::vector<Tensor> grid = Tensor::meshgrid({x, y});
  ASSERT_EQ(grid.size(), 2u);
  expectTensor(grid[0], {2, 3}, {0, 0, 0, 1, 1, 1});
  expectTensor(grid[1], {2, 3}, {5, 6, 7, 5, 6, 7});
  EXPECT_EQ(grid[1].dtype(), DType::Int32);
  grid = meshgrid({x, y}, GridIndexing::XY);
  expectTensor(grid[0], {3, 2}, {0, 1, 0, 1, 0, 1});
  expectTensor(grid[1], {3, 2}, {5, 5, 6, 6, 7, 7});
  grid = Tensor::meshgrid({x, y, Tensor(9)}, GridIndexing::XY);
  ASSERT_EQ(grid.size(), 3u);
  expectTensor(grid[2], {3, 2, 1}, {9, 9, 9, 9, 9, 9});
  expectTensor(grid[1], {3, 2, 1}, {5, 5, 6, 6, 7, 7});
  grid = Tensor::meshgrid({x}, GridIndexing::XY);
  expectTensor(grid[0], {2}, {0, 1});
  EXPECT_ERROR(Tensor::meshgrid({}), ShapeError, "meshgrid");
  EXPECT_ERROR(Tensor::meshgrid({x, counting({2, 2})}), ShapeError,
               "meshgrid: a tensor of shape [2, 2] is not a row");
}

TEST(Movement, RepeatInterleave) {
  const Tensor x = counting({2, 3});
  expectTensor(x.repeatInterleave(2), {12},
               {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  expectTensor(x.repeatInterleave(2, 0), {4, 3},
               {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  expectTensor(repeatInterleave(x, 2, -1), {2, 6},
               {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  expectTensor(x.repeatInterleave(0, 1), {2, 0}, {});
  const SymInt n = Variable("n", 1, 4).bind(3);
  expectTensor(counting({2}).repeatInterleave(n), {n * 2}, {0, 0, 0, 1, 1, 1});
  expectTensor(x.repeatInterleave(Tensor::from({2, 0, 1}), 1), {2, 3},
               {0, 0, 2, 3, 3, 5});
  expectTensor(repeatInterleave(x, Tensor::from({0, 2}), 0), {2, 3},
               {3, 4, 5, 3, 4, 5});
  expectTensor(x.repeatInterleave(Tensor(2, DType::UInt8), 0), {4, 3},
               {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  expectTensor(x.repeatInterleave(Tensor::from({0, 0}), 0), {0, 3}, {});
  EXPECT_ERROR(x.repeatInterleave(-1), ShapeError,
               "repeatInterleave: an axis of size 6 cannot be repeated -1");
  EXPECT_ERROR(x.repeatInterleave(INT64_MAX), ShapeError, "repeatInterleave");
  EXPECT_ERROR(x.repeatInterleave(2, 2), IndexError, "repeatInterleave");
  EXPECT_ERROR(x.repeatInterleave(Tensor::from({1, 2}), 1), ShapeError,
               "repeatInterleave: numbers of shape [2] for axis 1 of [2, 3]");
  EXPECT_ERROR(x.repeatInterleave(Tensor::from({1, -2}), 0), ShapeError,
               "-2 is not a number of repetitions");
  EXPECT_ERROR(x.repeatInterleave(Tensor::from({1.f, 2.f}), 0), DTypeError,
               "repeatInterleave");
  EXPECT_ERROR(x.repeatInterleave(Tensor::from({INT64_MAX, INT64_MAX}), 0),
               ShapeError, "repeatInterleave");
}
