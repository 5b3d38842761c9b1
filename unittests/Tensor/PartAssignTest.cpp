//===- PartAssignTest.cpp - assignments to parts of memory ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Only the part that a view shows changes, in place if the old contents are
/// not needed.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

namespace {
class PartAssignTest : public ::testing::Test {
protected:
  /// 0, 1, 2, ... in memory of its own.
  static Tensor memory(const Shape &shape) {
    Tensor x = counting(shape).contiguous();
    x.realize();
    return x;
  }

  Graph graph;
  GraphScope scope{graph};
};
TEST_F(PartAssignTest, ViewsOfADestroyedRootStayViewsOfEachOther) {
  // The root was never in memory, so that each view has memory of its own.
  for (const bool isFirst : {false, true}) {
    const Tensor x = counting({2, 3}).realize();
    Tensor view = (x + x).permute({1, 0}), same = view.unsqueeze(0);
    Tensor left = view.shrink({{0, 1}, {0, 2}});
    Tensor right = view.shrink({{1, 3}, {0, 2}});
    realize({view, same, left, right});
    expectTensor(same, {1, 3, 2}, {0, 6, 2, 8, 4, 10});
    (isFirst ? view : same).assign(7);
    expectTensor(view, {3, 2}, std::vector<double>(6, 7));
    expectTensor(same, {1, 3, 2}, std::vector<double>(6, 7));
    left.assign(1);
    expectTensor(view, {3, 2}, {1, 1, 7, 7, 7, 7});
    view = same = Tensor();
    right.assign(2);
    expectTensor(left, {1, 2}, {1, 1});
    expectTensor(right, {2, 2}, {2, 2, 2, 2});
  }
}

} // namespace

TEST_F(PartAssignTest, Row) {
  Tensor x = memory({3, 2});
  const void *address = x.buffer().address();
  x.shrink({{1, 2}, {0, 2}}).assign(Tensor::from({{-1.0f, -2.0f}}));
  EXPECT_FALSE(x.isRealized());
  GlobalCounters::reset();
  expectTensor(x, {3, 2}, {0, 1, -1, -2, 4, 5});
  EXPECT_EQ(x.buffer().address(), address);
  EXPECT_EQ(GlobalCounters::kernelCount, 1);
}

TEST_F(PartAssignTest, WritesThePartAlone) {
  Tensor x = memory({64, 8});
  x.shrink({{3, 4}, {0, 8}}).assign(Tensor::from(noise(8), {1, 8}));
  // The assigned value is a row, and nothing is padded or selected.
  const std::string text = x.graph();
  EXPECT_THAT(text, HasSubstr("tg.assign %0, %arg0 : tensor<1x8xf32>"));
  EXPECT_THAT(text, HasSubstr("tg.after %arg1[%1"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("tg.where")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("tg.pad")));
}

TEST_F(PartAssignTest, EveryKindOfView) {
  using View = std::function<Tensor(const Tensor &)>;
  const std::vector<View> views = {
      [](const Tensor &x) { return x.shrink({{1, 3}, {2, 4}}); },
      [](const Tensor &x) { return x.index({2}); },
      [](const Tensor &x) { return x.index({Slice(), 3}); },
      [](const Tensor &x) { return x.index({-1, 0}); },
      [](const Tensor &x) { return x.transpose().shrink({{1, 2}, {0, 4}}); },
      [](const Tensor &x) { return x.shrink({{1, 3}, {0, 6}}).transpose(); },
      [](const Tensor &x) { return x.flip(1).shrink({{0, 4}, {0, 2}}); },
      [](const Tensor &x) { return x.index({Slice(None, None, -2)}); },
      [](const Tensor &x) {
        return x.index({Slice(1, None, 2), Slice(None, None, 3)});
      },
      [](const Tensor &x) { return x.reshape({2, 2, 6})[1].flatten(); },
      [](const Tensor &x) {
        return x.shrink({{1, 4}, {0, 6}}).shrink({{1, 3}, {2, 3}});
      },
      [](const Tensor &x) { return x.flatten().shrink({{5, 17}}); },
      [](const Tensor &x) { return x.reshape({6, 4}); },
      [](const Tensor &x) { return x.shrink({{2, 2}, {0, 6}}); },
  };
  for (const View &view : views) {
    Tensor x = memory({4, 6});
    const std::vector<double> at = values(view(counting({4, 6})));
    Tensor part = view(x);
    Tensor value = (noiseTensor(part.shape()) + 100).contiguous();
    value.realize();
    std::vector<double> expected = values(x);
    const std::vector<double> given = values(value);
    for (std::size_t i = 0; i < at.size(); ++i)
      expected[std::size_t(at[i])] = given[i];
    part.assign(value);
    expectTensor(part, part.shape(), given);
    expectTensor(x, {4, 6}, expected);
  }
}

TEST_F(PartAssignTest, SeveralBeforeValuesAreAskedFor) {
  Tensor x = memory({4, 2});
  const void *address = x.buffer().address();
  for (int i = 0; i < 4; ++i)
    x.index({i}).assign(10 * i);
  x.index({Slice(), 1}).assign(x.index({Slice(), 0}) + 1);
  expectTensor(x, {4, 2}, {0, 1, 10, 11, 20, 21, 30, 31});
  EXPECT_EQ(x.buffer().address(), address);
  x.assign(x * 2);
  x.index({0, 0}).assign(-1);
  expectTensor(x, {4, 2}, {-1, 2, 20, 22, 40, 42, 60, 62});
}

TEST_F(PartAssignTest, WhatWasComputedKeepsOldValues) {
  Tensor x = memory({3, 2});
  Tensor old = x.sum(), view = x.index({0}), negated = -view;
  Tensor part = x.index({0});
  part.assign(7);
  expectTensor(x, {3, 2}, {7, 7, 2, 3, 4, 5});
  expectTensor(old, {}, {15});
  expectTensor(negated, {2}, {0, -1});
  // Views show the present contents.
  expectTensor(view, {2}, {7, 7});
  expectTensor(part, {2}, {7, 7});
}

TEST_F(PartAssignTest, EveryViewShowsEveryAssignment) {
  Tensor x = memory({3, 4});
  Tensor rows = x.reshape({6, 2}), column = x.index({Slice(), 1}),
         turned = x.transpose(), corner = turned.shrink({{0, 2}, {0, 2}});
  auto check = [&] {
    const std::vector<double> all = values(x);
    auto expect = [&](const Tensor &view, const std::vector<int> &at) {
      std::vector<double> expected;
      for (int i : at)
        expected.push_back(all[std::size_t(i)]);
      EXPECT_EQ(values(view), expected);
    };
    expect(rows, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    expect(column, {1, 5, 9});
    expect(turned, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    expect(corner, {0, 4, 1, 5});
  };
  check();
  x.assign(x + 100);
  check();
  column.assign(Tensor::from({-1.0f, -2.0f, -3.0f}));
  corner.assign(corner * 2);
  check();
  expectTensor(x, {3, 4},
               {200, -2, 102, 103, 208, -4, 106, 107, 108, -3, 110, 111});
  // Realizing one of them makes no difference.
  realize({rows, column, turned});
  rows.index({0}).assign(0);
  EXPECT_EQ(values(corner), (std::vector<double>{0, 208, 0, -4}));
  turned.index({3}).assign(9);
  check();
  corner.index({1}).assign(column.shrink({{1, 3}}));
  check();
  expectTensor(x, {3, 4}, {0, -4, 102, 9, 208, -3, 106, 9, 108, -3, 110, 9});
}

TEST_F(PartAssignTest, ViewsDoNotKeepOldContents) {
  // If a view still needed the old contents, the memory could not be
  // overwritten.
  Tensor x = memory({64}), half = x.shrink({{0, 32}});
  half.realize();
  const void *address = x.buffer().address();
  for (int i = 0; i < 3; ++i) {
    x.assign(x + 1);
    x.realize();
    EXPECT_EQ(x.buffer().address(), address);
  }
  EXPECT_EQ(values(half)[31], 34);
  // A view at the beginning of a tensor has the tensor's address.
  EXPECT_EQ(half.buffer().address(), address);
}

TEST_F(PartAssignTest, ManyViews) {
  Tensor x = memory({500, 2});
  std::vector<Tensor> rows;
  for (int i = 0; i < 500; ++i)
    rows.push_back(x.index({i}));
  for (int i = 0; i < 500; ++i)
    rows[std::size_t(i)].assign(i);
  EXPECT_EQ(values(x.sum()), std::vector<double>{2.0 * 499 * 500 / 2});
  expectTensor(rows[7], {2}, {7, 7});
}

TEST_F(PartAssignTest, FromAnotherPartOfTheSame) {
  Tensor x = memory({6});
  x.shrink({{1, 6}}).assign(x.shrink({{0, 5}}));
  expectTensor(x, {6}, {0, 0, 1, 2, 3, 4});
  x.assign(x.flip(0));
  x.shrink({{0, 3}}).assign(x.shrink({{3, 6}}));
  expectTensor(x, {6}, {1, 0, 0, 1, 0, 0});
}

TEST_F(PartAssignTest, CopiesOfTheHandle) {
  Tensor x = memory({2, 2}), same = x;
  x.index({1}).assign(Tensor::from({8.0f, 9.0f}));
  expectTensor(same, {2, 2}, {0, 1, 8, 9});
}

TEST_F(PartAssignTest, OfWhatIsNotInMemory) {
  Tensor x = counting({2, 2}) + 1;
  Tensor sum = x.sum();
  x.index({0}).assign(7);
  expectTensor(x, {2, 2}, {7, 7, 3, 4});
  expectTensor(sum, {}, {10});
  Tensor y = x + 1, padded = y.pad({{0, 0}, {0, 1}});
  padded.shrink({{0, 2}, {1, 3}}).assign(5);
  expectTensor(padded, {2, 3}, {8, 5, 5, 4, 5, 5});
  expectTensor(y, {2, 2}, {8, 8, 4, 5});
}

TEST_F(PartAssignTest, EqualTensorsAreNotTheSame) {
  // One operation and one buffer, but two tensors.
  Tensor x = Tensor::zeros({2, 2}).contiguous(),
         y = Tensor::zeros({2, 2}).contiguous();
  realize({x, y});
  x.index({0}).assign(1);
  y.index({1}).assign(2);
  expectTensor(x, {2, 2}, {1, 1, 0, 0});
  expectTensor(y, {2, 2}, {0, 0, 2, 2});
  Tensor z = y.reshape({2, 2});
  z.index({0, 0}).assign(3);
  expectTensor(x, {2, 2}, {1, 1, 0, 0});
  expectTensor(y, {2, 2}, {3, 0, 2, 2});
  expectTensor(z, {2, 2}, {3, 0, 2, 2});
}

TEST_F(PartAssignTest, ViewsOfViews) {
  Tensor x = memory({3, 4});
  Tensor row = x.index({1});
  row.shrink({{1, 3}}).assign(-1);
  expectTensor(x, {3, 4}, {0, 1, 2, 3, 4, -1, -1, 7, 8, 9, 10, 11});
  expectTensor(row, {4}, {4, -1, -1, 7});
  Tensor column = x.index({Slice(), 0});
  x.assign(x * 2);
  column.assign(50);
  expectTensor(x, {3, 4}, {50, 2, 4, 6, 50, -2, -2, 14, 50, 18, 20, 22});
  column.assign(60);
  expectTensor(x, {3, 4}, {60, 2, 4, 6, 60, -2, -2, 14, 60, 18, 20, 22});
}

TEST_F(PartAssignTest, OfWhatEndsInAMovement) {
  // The last operation of a sum or a product is a movement.
  Tensor sums = counting({2, 3}).sum(1);
  sums.index({0}).assign(-1);
  expectTensor(sums, {2}, {-1, 12});
  Tensor product = counting({2, 3}).matmul(counting({3}));
  product.index({1}).assign(-1);
  expectTensor(product, {2}, {5, -1});
  Tensor repeated = counting({2}).repeat({2});
  repeated.index({3}).assign(-1);
  expectTensor(repeated, {4}, {0, 1, 0, -1});
  Tensor x = memory({2, 2}), row = x.index({0});
  row.replace(sums);
  row.assign(5);
  row.index({0}).assign(6);
  expectTensor(row, {2}, {6, 5});
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
  expectTensor(sums, {2}, {-1, 12});
}

TEST_F(PartAssignTest, OfWhatIsGoneOrComputed) {
  Tensor view = memory({2, 2}).index({0});
  view.assign(view + 1);
  expectTensor(view, {2}, {1, 2});
  // A realized view remains a view, even with memory of its own.
  Tensor x = memory({2, 2}), row = x.index({0}), column = x.index({Slice(), 0});
  realize({row, column});
  row.assign(9);
  column.assign(8);
  expectTensor(row, {2}, {8, 9});
  expectTensor(x, {2, 2}, {8, 9, 8, 3});
  x.assign(counting({2, 2}));
  expectTensor(row, {2}, {0, 1});
  // Copies made by some methods are not views.
  x.contiguous().assign(9);
  x.clone().assign(9);
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
}

TEST_F(PartAssignTest, OfAllOfATensor) {
  // Whether a view shows a part or all depends on the arguments; what an
  // assignment changes does not.
  Tensor x = memory({2, 2});
  x.shrink({{0, 2}, {0, 2}}).assign(1);
  expectTensor(x, {2, 2}, {1, 1, 1, 1});
  x.index({Slice()}).assign(counting({2, 2}));
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
  x.reshape({2, 2}).index({Slice()}).permute({0, 1}).assign(5);
  expectTensor(x, {2, 2}, {5, 5, 5, 5});
  Tensor rows = x.reshape({4}), all = rows.index({Slice()});
  all.assign(counting({4}));
  expectTensor(x, {2, 2}, {0, 1, 2, 3});
  all.assign(7);
  expectTensor(x, {2, 2}, {7, 7, 7, 7});
  Variable p("p", 0, 0);
  const SymInt at = p.bind(0);
  Tensor cache = memory({1, 2});
  cache.shrink({{at, at + 1}, {0, 2}}).assign(9);
  expectTensor(cache, {1, 2}, {9, 9});
  // Methods that compute return values, even if there is nothing to compute.
  x.cast(DType::Float32).assign(1);
  x.cast(DType::Float32).index({0}).assign(1);
  expectTensor(x, {2, 2}, {7, 7, 7, 7});
}

TEST_F(PartAssignTest, PartsOfConstants) {
  Tensor zeros = Tensor::zeros({4});
  Tensor others = Tensor::zeros({4}), last = zeros.index({3});
  zeros.index({Slice(0, 2)}).assign(5);
  zeros.flip(0).index({0}).assign(7);
  expectTensor(zeros, {4}, {5, 5, 0, 7});
  expectTensor(last, {}, {7});
  expectTensor(others, {4}, {0, 0, 0, 0});
  // With and without memory.
  Tensor full = Tensor::full({2, 3}, 4);
  full.realize();
  full.index({1}).assign(full.index({1}) + 1);
  expectTensor(full, {2, 3}, {4, 4, 4, 5, 5, 5});
  Tensor ones = Tensor::ones({2, 2}), row = ones.index({0});
  const void *address = ones.buffer().address();
  row.assign(3);
  expectTensor(ones, {2, 2}, {3, 3, 1, 1});
  EXPECT_EQ(ones.buffer().address(), address);
}

TEST_F(PartAssignTest, WhenTheTensorIsGone) {
  // The remaining views stay connected.
  Tensor x = memory({2, 3}), flat = x.reshape({6}), row = x.index({1});
  Tensor element = flat.index({4});
  x = Tensor();
  row.assign(9);
  expectTensor(flat, {6}, {0, 1, 2, 9, 9, 9});
  element.assign(1);
  expectTensor(row, {3}, {9, 1, 9});
  flat.assign(flat + 1);
  row = Tensor();
  expectTensor(element, {}, {2});
  element.assign(5);
  expectTensor(flat, {6}, {1, 2, 3, 10, 5, 10});
  // A view of a temporary is an ordinary tensor.
  Tensor sum = (counting({2, 2}) + counting({2, 2})).reshape({4});
  Tensor half = sum.shrink({{0, 2}});
  sum.realize();
  half.assign(7);
  expectTensor(sum, {4}, {7, 7, 4, 6});
}

TEST_F(PartAssignTest, ViewsKeepNothingElse) {
  Graph inner;
  GraphScope innerScope(inner);
  std::vector<Tensor> history;
  Tensor x = memory({8});
  for (int i = 0; i < 50; ++i) {
    Tensor step = x * 2 + 1;
    history.push_back(step.index({0}));
    history.back().realize();
    Tensor a = step.reshape({2, 4}), b = step.reshape({4, 2});
    step = Tensor();
    realize({a, b});
  }
  // One buffer for each, and not the graph of the whole.
  EXPECT_LT(inner.numOperations(), 60u);
}

TEST_F(PartAssignTest, LongChains) {
  Tensor x = memory({2, 3}), view = x;
  for (int i = 0; i < 100000; ++i)
    view = view.transpose();
  view.index({0, 1}).assign(9);
  expectTensor(x, {2, 3}, {0, 9, 2, 3, 4, 5});
}

TEST_F(PartAssignTest, Replace) {
  Tensor x = memory({2, 2}), y = memory({3}), row = x.index({0});
  // A view of the previous value of x, which no longer exists.
  x.replace(y);
  row.assign(8);
  expectTensor(x, {3}, {0, 1, 2});
  expectTensor(row, {2}, {8, 8});
  y.assign(5);
  expectTensor(x, {3}, {0, 1, 2});
  // Replaced by a view.
  x.replace(y.index({0}));
  x.assign(6);
  expectTensor(y, {3}, {6, 5, 5});
  x.replace(x);
  expectTensor(x, {}, {6});
}

TEST_F(PartAssignTest, WhenTheTensorIsGoneAndItsViewsAreInMemory) {
  Tensor x = memory({6}), front = x.shrink({{0, 4}}), back = x.shrink({{2, 6}});
  realize({front, back});
  x = Tensor();
  front.assign(front * 10);
  expectTensor(back, {4}, {20, 30, 4, 5});
  back.shrink({{0, 1}}).assign(7);
  expectTensor(front, {4}, {0, 10, 7, 30});
  back.assign(back + 1);
  expectTensor(front, {4}, {0, 10, 8, 31});
  // The last view keeps its contents.
  back = Tensor();
  front.assign(front + 1);
  expectTensor(front, {4}, {1, 11, 9, 32});
}

TEST_F(PartAssignTest, SymbolicValuesAtFixedPlaces) {
  // Whether or not anything is computed between the values.
  for (int every : {1, 2, 100}) {
    Variable p("p", 0, 7), n("n", 1, 8);
    Tensor table = counting({8, 2}).realize(), x = memory({4, 2}) * 0;
    if (every != 2)
      x.realize();
    std::vector<double> expected(8, 0);
    for (int step : {3, 0, 5, 5, 7, 1}) {
      const SymInt at = p.bind(step);
      const int row = step % 4;
      // A row of the table, and the sum of the first rows.
      x.shrink({{row, row + 1}, {0, 2}})
          .assign(table.shrink({{at, at + 1}, {0, 2}}));
      x.shrink({{3, 4}, {1, 2}})
          .assign(table.shrink({{0, n.bind(step + 1)}, {0, 1}})
                      .sum()
                      .reshape({1, 1}));
      expected[std::size_t(2 * row)] = 2 * step;
      expected[std::size_t(2 * row + 1)] = 2 * step + 1;
      expected[7] = step * (step + 1);
      if (step % every == 0)
        expectTensor(x, {4, 2}, expected);
    }
    expectTensor(x, {4, 2}, expected);
  }
}

TEST_F(PartAssignTest, SymbolicPlaces) {
  // Whatever the tensor was before, and whether or not anything is computed
  // between assignments to different positions.
  const std::vector<std::function<Tensor()>> bases = {
      [] { return Tensor::zeros({8, 2}); },
      [] { return Tensor::full({8, 2}, 0.0f).contiguous(); },
      [] { return counting({8, 2}) * 0; },
      [] { return memory({8, 2}) * 0; },
  };
  for (const std::function<Tensor()> &base : bases)
    for (int every : {1, 3, 100}) {
      Variable p("p", 0, 7);
      Tensor x = base(), all = x.flatten();
      std::vector<double> expected(16);
      for (int step : {0, 5, 1, 1, 7, 2}) {
        const SymInt at = p.bind(step);
        x.shrink({{at, at + 1}, {0, 2}})
            .assign(Tensor::full({1, 2}, step + 10.0f));
        expected[std::size_t(2 * step)] = expected[std::size_t(2 * step + 1)] =
            step + 10;
        if (step % every == 0)
          EXPECT_EQ(values(x.shrink({{0, at + 1}, {0, 2}}).sum()),
                    values(Tensor::from(expected, {16})
                               .shrink({{0, 2 * (step + 1)}})
                               .sum()));
      }
      expectTensor(x, {8, 2}, expected);
      expectTensor(all, {16}, expected);
    }
}

TEST_F(PartAssignTest, SymbolicPlacesAreInPlaceAfterTheFirst) {
  Variable p("p", 0, 63);
  Tensor cache = Tensor::zeros({64, 4});
  const void *address = nullptr;
  int64_t compiled = 0;
  for (int step = 0; step < 20; ++step) {
    const SymInt at = p.bind(step);
    Tensor value = Tensor::from({float(step)});
    cache.shrink({{at, at + 1}, {0, 4}}).assign(value);
    Tensor sum = cache.shrink({{0, at + 1}, {0, 4}}).sum();
    EXPECT_EQ(values(sum), std::vector<double>{2.0 * step * (step + 1)});
    if (step == 2)
      compiled = GlobalCounters::kernelsCompiled;
    if (step > 0) {
      EXPECT_TRUE(cache.isRealized());
      if (step > 1)
        EXPECT_EQ(cache.buffer().address(), address);
      address = cache.buffer().address();
    }
  }
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
}

TEST_F(PartAssignTest, ReadAtAnotherPlaceThanAssigned) {
  // The pending assignment has a program of its own.
  Variable p("p", 0, 3);
  Tensor c = memory({4}) * 0;
  const SymInt a = p.bind(0), b = p.bind(1);
  c.shrink({{a, a + 1}}).assign(1);
  Tensor second = c.shrink({{b, b + 1}});
  EXPECT_EQ(values(second), std::vector<double>{0});
  second.assign(2);
  Tensor first = c.shrink({{a, a + 1}});
  first.assign(first * 3);
  expectTensor(second, {1}, {2});
  expectTensor(c, {4}, {3, 2, 0, 0});
}

TEST_F(PartAssignTest, NumbersBecomeMemory) {
  // Otherwise each value would be computed from all parts.
  Tensor c = Tensor::zeros({50, 4});
  std::vector<Tensor> rows;
  for (int i = 0; i < 50; ++i)
    rows.push_back(c.index({i}));
  Tensor one = memory({4});
  for (Tensor &row : rows) {
    row.assign(one);
    row.realize();
    EXPECT_TRUE(c.isRealized());
  }
  EXPECT_EQ(values(c.sum()), std::vector<double>{300});
}

TEST_F(PartAssignTest, FromSeveralThreads) {
  Tensor c = memory({2, 4}), first = c.index({0}), second = c.index({1});
  std::thread writer([&] {
    for (int i = 0; i < 300; ++i)
      second.assign(float(i));
  });
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(first.tolist<float>(), (std::vector<float>{0, 1, 2, 3}));
  writer.join();
  EXPECT_EQ(values(second), std::vector<double>(4, 299));
}

//===----------------------------------------------------------------------===//
// expand(), pad(), bitcast(), detach()
//===----------------------------------------------------------------------===//

TEST_F(PartAssignTest, Detached) {
  Tensor x = memory({2, 2});
  x.detach().assign(5);
  expectTensor(x, {2, 2}, {5, 5, 5, 5});
  x.detach().index({1}).assign(6);
  expectTensor(x, {2, 2}, {5, 5, 6, 6});
  // What was detached before keeps the values, and is a tensor of its own.
  Tensor before = x.detach(), row = before.index({0});
  x.assign(1);
  before.index({1}).assign(2);
  expectTensor(before, {2, 2}, {5, 5, 2, 2});
  expectTensor(x, {2, 2}, {1, 1, 1, 1});
  // Of several, that one changes which is assigned to.
  Tensor first = x.detach(), second = x.detach(), part = second.index({0, 1});
  part.assign(7);
  expectTensor(x, {2, 2}, {1, 7, 1, 1});
  expectTensor(first, {2, 2}, {1, 1, 1, 1});
  expectTensor(second, {2, 2}, {1, 7, 1, 1});
  second.assign(3);
  x.assign(4);
  expectTensor(second, {2, 2}, {3, 3, 3, 3});
  expectTensor(part, {}, {3});
}

TEST_F(PartAssignTest, Bitcast) {
  Tensor x = memory({2, 3});
  x.bitcast(DType::Int32).assign(0x3f800000);
  expectTensor(x, {2, 3}, {1, 1, 1, 1, 1, 1});
  x.index({1}).bitcast(DType::Int32).index({Slice(1, 3)}).assign(0x40000000);
  expectTensor(x, {2, 3}, {1, 1, 1, 1, 2, 2});
  // A part in memory is all that is written.
  x.realize();
  x.index({0}).bitcast(DType::Int32).assign(Tensor::from({1, 2, 3}));
  EXPECT_THAT(x.graph(), ::testing::Not(HasSubstr("tg.where")));
}

TEST_F(PartAssignTest, Expanded) {
  Tensor x = memory({2, 1});
  x.expand({2, 3}).assign(counting({2, 3}));
  expectTensor(x, {2, 1}, {2, 5}); // the last of the values for an element
  x.expand({2, 3}).index({Slice(), 1}).assign(7);
  expectTensor(x, {2, 1}, {7, 7});
  x.expand({2, 3}).index({1, Slice(0, 2)}).assign(Tensor::from({8.0f, -0.0f}));
  expectTensor(x, {2, 1}, {7, 0});
  EXPECT_TRUE(std::signbit(values(x)[1]));
  Tensor none = x.expand({4, 2, 0});
  none.assign(1);
  none.index({1}).assign(1);
  none.pad({{0, 0}, {0, 0}, {0, 1}}).assign(1);
  expectTensor(x, {2, 1}, {7, 0});
  Tensor bools = (x > 1).contiguous();
  bools.realize();
  bools.expand({2, 3}).index({Slice(1, 2), Slice(0, 2)}).assign(true);
  expectTensor(bools.cast(DType::Float32), {2, 1}, {1, 1});
}

TEST_F(PartAssignTest, Padded) {
  Tensor x = memory({2, 2});
  Tensor padded = x.pad({{1, 1}, {0, 1}});
  padded.assign(counting({4, 3}));
  expectTensor(x, {2, 2}, {3, 4, 6, 7});
  expectTensor(padded, {4, 3}, {0, 0, 0, 3, 4, 0, 6, 7, 0, 0, 0, 0});
  // Other padding is computed.
  x.pad({{1, 1}, {0, 0}}, 1).assign(9);
  expectTensor(x, {2, 2}, {3, 4, 6, 7});
}

TEST_F(PartAssignTest, ExpandedAndOthersOfWhatIsNotInMemory) {
  Tensor x = counting({1, 2}) + 1, expanded = x.expand({2, 2}),
         detached = x.detach(), padded = x.pad({{0, 1}, {0, 0}});
  expanded.index({0}).assign(9);
  detached.assign(8);
  padded.assign(7);
  expectTensor(x, {1, 2}, {1, 2});
  expectTensor(expanded, {2, 2}, {9, 9, 1, 2});
  expectTensor(detached, {1, 2}, {8, 8});
  expectTensor(padded, {2, 2}, {7, 7, 7, 7});
}

TEST_F(PartAssignTest, DetachedWhenTheTensorIsGone) {
  Tensor a = memory({2}).detach();
  a.assign(5);
  expectTensor(a, {2}, {5, 5});
  Tensor x = memory({2}), b = x.detach(), c = x.detach(), part = b.index({0});
  x = Tensor();
  b.assign(6);
  expectTensor(b, {2}, {6, 6});
  expectTensor(part, {}, {6});
  expectTensor(c, {2}, {0, 1});
  c.assign(7);
  expectTensor(b, {2}, {6, 6});
}

TEST_F(PartAssignTest, DetachedMayRequireAGradient) {
  Tensor x = memory({2});
  Tensor y = x.detach();
  y.setRequiresGrad();
  (y * y).sum().backward();
  expectTensor(y.grad(), {2}, {0, 2});
  y.assign(5);
  expectTensor(x, {2}, {0, 1});
}

TEST_F(PartAssignTest, Errors) {
  Tensor x = memory({3, 2});
  EXPECT_ERROR(x.index({0}).assign(counting({3})), ShapeError,
               "assign: a tensor of shape [3] cannot be broadcast to [2]");
  EXPECT_ERROR(x.index({0}).assign(Tensor::from({1, 2})), DTypeError, "int32");
  expectTensor(x, {3, 2}, {0, 1, 2, 3, 4, 5});
  Variable n("n", 1, 3);
  EXPECT_ERROR(x.shrink({{0, n}, {0, 2}}).assign(1), ShapeError,
               "assign: the position has no value; bind variable n");
  expectTensor(x, {3, 2}, {0, 1, 2, 3, 4, 5});
}
