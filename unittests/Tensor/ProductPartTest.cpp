//===- ProductPartTest.cpp - products that fill a part of a tensor --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Matrix products whose results are flattened, cut, padded, repeated,
/// concatenated or written to parts of memory are computed with other ranges
/// than the product's own, or are stored first. Either way, results are the
/// same as with an explicitly stored product. Integers, so that sums are exact
/// in any order.
///
//===----------------------------------------------------------------------===//

#include "TensorTest.h"
#include "TinyGrad/Runtime/Counters.h"

#include <numeric>

using namespace tinygrad;
using namespace tinygrad::testing;

namespace {
constexpr int64_t kRows = 96, kColumns = 64, kDepth = 80;
constexpr int64_t kSize = kRows * kColumns;

Tensor numbers(const Shape &shape, int64_t factor, int64_t modulus) {
  int64_t count = numElements(shape);
  std::vector<int32_t> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = int32_t(i * factor % modulus - modulus / 2);
  return Tensor::from(values, shape).realize();
}

struct Program {
  const char *name;
  /// The maximal number of kernels.
  int kernels;
  /// Builds the result from a product, which may be stored.
  Tensor (*build)(const Tensor &product);
};

Tensor filler(int64_t count) { return numbers({count}, 3, 17); }

const Program kPrograms[] = {
    {"flat_sum", 1,
     [](const Tensor &p) { return p.flatten() + filler(kSize); }},
    {"flat_cat", 2,
     [](const Tensor &p) {
       return Tensor::cat({p.flatten(), filler(kColumns)});
     }},
    {"flat_cat_behind", 2,
     [](const Tensor &p) {
       return Tensor::cat({filler(37), p.flatten() * 2});
     }},
    {"flat_pad", 2, [](const Tensor &p) { return p.flatten().pad({{5, 9}}); }},
    {"flat_part", 2,
     [](const Tensor &p) { return p.flatten().shrink({{0, kSize - 5}}); }},
    {"flat_rows", 1,
     [](const Tensor &p) {
       return p.flatten().shrink({{kColumns, kSize}}) + 1;
     }},
    {"flat_transposed", 1,
     [](const Tensor &p) { return p.T().flatten() + filler(kSize); }},
    {"flat_flipped", 1,
     [](const Tensor &p) { return p.flip({0, 1}).flatten() + filler(kSize); }},
    {"flat_blocks", 1,
     [](const Tensor &p) {
       return p.reshape({kRows / 8, 8, kColumns / 4, 4})
                  .permute({0, 2, 1, 3})
                  .flatten() +
              filler(kSize);
     }},
    {"other_shape", 2,
     [](const Tensor &p) {
       return p.reshape({kRows * 2 / 3, kColumns * 3 / 2}) +
              filler(kSize).reshape({kRows * 2 / 3, kColumns * 3 / 2});
     }},
    {"assigned", 1,
     [](const Tensor &p) {
       Tensor memory = Tensor::zeros({kSize + 10}, DType::Int32).contiguous();
       memory.realize();
       Tensor part = memory.shrink({{3, kSize + 3}});
       part.assign(p.flatten());
       return part;
     }},
    {"pad", 2, [](const Tensor &p) { return p.pad({{1, 1}, {1, 1}}); }},
    {"repeated", 2,
     [](const Tensor &p) {
       return p.reshape({kRows, kColumns, 1}).expand({kRows, kColumns, 5}) +
              filler(5);
     }},
    {"pairs", 3,
     [](const Tensor &p) {
       return Tensor::stack({p.T().flatten(), filler(kSize)}, 1);
     }},
    {"stacked", 3,
     [](const Tensor &p) {
       return Tensor::stack({p.flatten(), filler(kSize), p.flatten() + 1});
     }},
};
} // namespace

class ProductPart : public ::testing::TestWithParam<Program> {};

TEST_P(ProductPart, IsThatOfTheStoredProduct) {
  Tensor a = numbers({kRows, kDepth}, 5, 23),
         b = numbers({kDepth, kColumns}, 7, 29);
  const std::vector<double> expected =
      values(GetParam().build(a.matmul(b).realize()));
  Tensor result = GetParam().build(a.matmul(b));
  GlobalCounters::reset();
  const std::vector<double> found = values(result.realize());
  EXPECT_EQ(found, expected);
  EXPECT_NE(std::accumulate(found.begin(), found.end(), 0.0), 0.0);
  EXPECT_LE(GlobalCounters::kernelCount, GetParam().kernels);
}

INSTANTIATE_TEST_SUITE_P(, ProductPart, ::testing::ValuesIn(kPrograms),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });
