//===- SymbolicSliceTest.cpp - slices with symbolic bounds ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Slices whose start, stop and axis are variables, with steps of both signs,
/// compared with plain slices for every value within the bounds.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"

#include <algorithm>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
constexpr int64_t kMaxSize = 3;

/// The positions that start:stop:step selects of an axis.
std::vector<double> select(std::optional<int64_t> start,
                           std::optional<int64_t> stop, int64_t step,
                           int64_t size) {
  auto clamp = [&](int64_t position) {
    if (position < 0)
      position += size;
    return step > 0 ? std::clamp<int64_t>(position, 0, size)
                    : std::clamp<int64_t>(position, -1, size - 1);
  };
  const int64_t first = start ? clamp(*start) : step > 0 ? 0 : size - 1;
  const int64_t last = stop ? clamp(*stop) : step > 0 ? size : -1;
  std::vector<double> positions;
  for (int64_t i = first; step > 0 ? i < last : i > last; i += step)
    positions.push_back(double(i));
  return positions;
}

/// A bound of a slice: none, or a variable.
using Bound = std::optional<Variable>;

/// The number of values of a bound; 1 for none.
int64_t countOf(const Bound &bound) {
  return bound ? bound->max() - bound->min() + 1 : 1;
}
std::optional<int64_t> valueOf(const Bound &bound, int64_t i) {
  return bound ? std::optional<int64_t>(bound->min() + i) : std::nullopt;
}
SliceBound bind(const Bound &bound, int64_t i) {
  return bound ? SliceBound(bound->bind(bound->min() + i)) : SliceBound(None);
}

void checkSlices(const Bound &start, const Bound &stop, int64_t step,
                 const Bound &size) {
  const Graph graph;
  GraphScope scope(graph);
  Tensor data = Tensor::arange(kMaxSize).cast(DType::Float32).realize();
  std::size_t programs = 0;
  for (int64_t s = 0; s < countOf(size); ++s)
    for (int64_t i = 0; i < countOf(start); ++i)
      for (int64_t k = 0; k < countOf(stop); ++k) {
        const int64_t extent = valueOf(size, s).value_or(kMaxSize);
        Tensor axis = size ? data.shrink({{0, size->bind(extent)}}) : data;
        Tensor part = axis.index({Slice(bind(start, i), bind(stop, k), step)});
        const std::vector<double> expected =
            select(valueOf(start, i), valueOf(stop, k), step, extent);
        SCOPED_TRACE(part.shape()[0].str());
        ASSERT_EQ(part.concreteShape(),
                  (std::vector<int64_t>{int64_t(expected.size())}))
            << "start " << i << ", stop " << k << ", size " << extent;
        ASSERT_EQ(values(part), expected)
            << "start " << i << ", stop " << k << ", size " << extent;
        if (programs == 0)
          programs = graph.numPrograms();
        ASSERT_EQ(graph.numPrograms(), programs);
      }
}

class SymbolicSliceTest : public ::testing::TestWithParam<int64_t> {};
} // namespace

TEST_P(SymbolicSliceTest, EveryValue) {
  const Bound starts[] = {std::nullopt, Variable("start", 0, 4),
                          Variable("start", -4, -1)};
  const Bound stops[] = {std::nullopt, Variable("stop", 0, 4),
                         Variable("stop", -4, -1)};
  const Bound sizes[] = {std::nullopt, Variable("size", 1, kMaxSize)};
  for (const Bound &start : starts)
    for (const Bound &stop : stops)
      for (const Bound &size : sizes) {
        SCOPED_TRACE("start " + (start ? start->str() : "none") + " from " +
                     std::to_string(start ? start->min() : 0) + ", stop " +
                     (stop ? stop->str() : "none") + " from " +
                     std::to_string(stop ? stop->min() : 0) +
                     (size ? ", symbolic axis" : ""));
        ASSERT_NO_FATAL_FAILURE(checkSlices(start, stop, GetParam(), size));
      }
}

INSTANTIATE_TEST_SUITE_P(Steps, SymbolicSliceTest,
                         ::testing::Values(1, 2, 3, -1, -2, -3),
                         [](const ::testing::TestParamInfo<int64_t> &test) {
                           return (test.param < 0 ? "Minus" : "Plus") +
                                  std::to_string(std::abs(test.param));
                         });

TEST(SymbolicSlices, SizesAreExpressions) {
  Variable n("n", 1, 8);
  Tensor x = Tensor::ones({n, 3});
  EXPECT_EQ(x.index({Slice(None, None, 2)}).shape()[0], (n + 1) / 2);
  EXPECT_EQ(x.index({Slice(None, None, -2)}).shape()[0], (n + 1) / 2);
  EXPECT_EQ(x.index({Slice(None, None, -1)}).shape()[0], n);
  EXPECT_EQ(x.index({Slice(None, None, 100)}).shape()[0], 1);
  EXPECT_EQ(x.index({Slice(None, None, -100)}).shape()[0], 1);
  // The length up to the last complete piece of 2, and the number of pieces.
  EXPECT_EQ(x.shrink({{0, n - n % 2}, {0, 3}}).shape()[0], n / 2 * 2);
  EXPECT_EQ(x.index({Slice(None, n / 2 * 2)}).shape()[0], n - n % 2);
}

TEST(SymbolicSlices, ErrorsNameTheIndex) {
  Variable p("p", -2, 2), n("n", 1, 8);
  Tensor x = Tensor::ones({n});
  EXPECT_ERROR(x.index({Slice(p, None, -2)}), IndexError,
               "index: position p is from the start for some values");
  EXPECT_ERROR(x.index({Slice(None, None, n)}), ShapeError,
               "index: the step of a slice");
  EXPECT_ERROR(x.index({Slice(None, None, 0)}), IndexError, "step of a slice");
}

//===----------------------------------------------------------------------===//
// Sizes that are equal
//===----------------------------------------------------------------------===//

TEST(SymbolicSizes, EqualInEveryForm) {
  Variable n("n", 1, 8), k("k", 1, 3);
  for (auto [a, b] : {std::pair<SymInt, SymInt>{n - n % 2, n / 2 * 2},
                      {n - n % k, n / k * k},
                      {symMax(n, k) + symMin(n, k), n + k}}) {
    EXPECT_EQ(a, b);
    EXPECT_EQ((Tensor::ones({a, 2}) + Tensor::ones({b, 2})).shape(),
              (Shape{a, 2}));
  }
  EXPECT_NE(n - n % 2, n / 3 * 2);
}

TEST(SymbolicSizes, ManyFactors) {
  std::vector<SymInt> sizes;
  for (int i = 0; i < 12; ++i)
    sizes.push_back(Variable("v" + std::to_string(i), 1, 2) +
                    Variable("w" + std::to_string(i), 1, 2));
  Tensor x = Tensor::ones(Shape(sizes.begin(), sizes.end()));
  EXPECT_EQ(x.numel().max(), int64_t(1) << 24);
  EXPECT_EQ(x.flatten().shape()[0], x.numel());
  std::reverse(sizes.begin(), sizes.end());
  EXPECT_EQ(x.reshape(Shape(sizes.begin(), sizes.end())).numel(), x.numel());
  EXPECT_EQ(x.reshape({sizes[0], sizes[5], -1}).numel(), x.numel());
  EXPECT_ERROR(x.reshape({x.numel() + 1}), ShapeError, "reshape");
}

TEST(SymbolicSizes, VariableOfOneValue) {
  Variable p("p", 3, 3), zero("zero", 0, 0);
  EXPECT_EQ(p, 3);
  EXPECT_EQ(p.bind(3), 3);
  EXPECT_EQ(zero.bind(0), 0);
  EXPECT_EQ(p.name(), "p");
  EXPECT_ERROR(p.bind(4), ShapeError,
               "variable p cannot be 4: its bounds are [3, 3]");
  Tensor x = Tensor::ones({p.bind(3), 2}) + Tensor::ones({3, 2});
  EXPECT_FALSE(x.isSymbolic());
  EXPECT_EQ(x.sum().item<float>(), 12);
  // A size without a value next to one with a value.
  Variable n("n", 1, 4);
  Tensor y = Tensor::ones({p, n.bind(2)});
  EXPECT_EQ(y.sum().item<float>(), 6);
  EXPECT_EQ(Tensor::ones({zero.bind(0), 2}).tolist<float>().size(), 0u);
}

TEST(SymbolicSizes, Errors) {
  Variable n("n", 1, 10);
  EXPECT_ERROR(Tensor::linspace(0, n.bind(2), 3), ShapeError,
               "linspace: a constant is required here, not the symbolic n=2");
  EXPECT_ERROR(Tensor::ones({n}).tolist<float>(), ShapeError,
               "bind variable n to a value in [1, 10]");
  EXPECT_ERROR(int64_t(n * 4), ShapeError,
               "n * 4 has no value where a constant is required; bind variable "
               "n to a value in [1, 10]");
}
