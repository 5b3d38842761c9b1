//===- ReductionOrderTest.cpp - reductions in permuted orders -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reductions whose results are stored in another order than their operands
/// have in memory use other lanes and other loops. Results must be the same as
/// in the original order. Integers, so that sums are exact in any order.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
Tensor numbers(const Shape &shape, int64_t factor) {
  int64_t count = numElements(shape);
  std::vector<int32_t> elements(count);
  for (int64_t i = 0; i < count; ++i)
    elements[i] = int32_t(i * factor % 101 - 50);
  return Tensor::from(elements, shape).realize();
}

/// The elements of a tensor with three axes, where axis i of the result is axis
/// `order[i]`, reversed along those in `flipped`.
std::vector<double> reorder(const std::vector<double> &from,
                            const std::vector<int64_t> &sizes,
                            const std::vector<int64_t> &order,
                            const std::vector<int64_t> &flipped = {}) {
  std::vector<double> result;
  std::vector<int64_t> at(3);
  for (int64_t i = 0; i < sizes[order[0]]; ++i)
    for (int64_t j = 0; j < sizes[order[1]]; ++j)
      for (int64_t k = 0; k < sizes[order[2]]; ++k) {
        at[order[0]] = i;
        at[order[1]] = j;
        at[order[2]] = k;
        for (int64_t axis : flipped)
          at[axis] = sizes[axis] - 1 - at[axis];
        result.push_back(from[(at[0] * sizes[1] + at[1]) * sizes[2] + at[2]]);
      }
  return result;
}

const std::vector<std::vector<int64_t>> kOrders = {
    {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
} // namespace

TEST(ReductionOrder, SumsOfColumns) {
  const std::vector<int64_t> sizes = {2, 21, 40};
  Tensor x = numbers({2, 30, 21, 40}, 7);
  const std::vector<double> own = values(x.sum(1));
  for (const auto &order : kOrders)
    EXPECT_EQ(values(x.sum(1).permute(order).contiguous()),
              reorder(own, sizes, order));
}

// Large enough that rows are read in the order of memory.
TEST(ReductionOrder, SumsOfRows) {
  const std::vector<int64_t> sizes = {3, 64, 50};
  Tensor x = numbers({3, 64, 50, 35}, 11);
  const std::vector<double> own = values(x.sum(3));
  for (const auto &order : kOrders) {
    EXPECT_EQ(values(x.sum(3).permute(order).contiguous()),
              reorder(own, sizes, order));
    EXPECT_EQ(values(x.sum(3).flip({0, 2}).permute(order).contiguous()),
              reorder(own, sizes, order, {0, 2}));
  }
}

TEST(ReductionOrder, Products) {
  const std::vector<int64_t> sizes = {2, 40, 36};
  Tensor a = numbers({2, 40, 50}, 13), b = numbers({2, 50, 36}, 17),
         c = numbers({2, 36, 50}, 19);
  for (const Tensor &product : {a.matmul(b), a.matmul(c.transpose(1, 2))}) {
    const std::vector<double> own = values(product);
    for (const auto &order : kOrders)
      EXPECT_EQ(values(product.permute(order).contiguous()),
                reorder(own, sizes, order));
  }
}

// Elements that are repeated before a sum are summed only once.
TEST(ReductionOrder, SumsOfRepeatedRows) {
  const std::vector<int64_t> sizes = {2, 12, 30};
  Tensor x = numbers({2, 12, 1, 40}, 23);
  Tensor sums = x.expand({2, 12, 30, 40}).sum(3);
  std::vector<double> own;
  for (double sum : values(x.sum({2, 3})))
    own.insert(own.end(), 30, sum);
  for (const auto &order : kOrders)
    EXPECT_EQ(values(sums.permute(order).contiguous()),
              reorder(own, sizes, order));
}
