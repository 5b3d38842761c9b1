//===- TensorTest.h - helpers of the tensor tests ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shared by the tests of the tensor API.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_TENSORTEST_H
#define TINYGRAD_UNITTESTS_TENSOR_TENSORTEST_H

#include "TinyGrad/Tensor/Tensor.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

namespace tinygrad::testing {

/// All elements as doubles, whatever the element type is.
inline std::vector<double> values(const Tensor &tensor) {
  const HostArray array = tensor.toHost();
  return dispatch(array.dtype, [&](auto zero) {
    using Element = decltype(zero);
    std::vector<double> result;
    for (int64_t i = 0; i < array.numElements(); ++i)
      result.push_back(double(array.as<Element>()[i]));
    return result;
  });
}

/// Compares shape and elements, the latter with a relative error (absolute
/// below 1).
inline void expectTensor(const Tensor &tensor, const Shape &shape,
                         const std::vector<double> &expected,
                         double tolerance = 0) {
  ASSERT_EQ(tensor.shape(), shape);
  const std::vector<double> found = values(tensor);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << "at " << i << ": " << found[i];
    } else if (tolerance == 0 || std::isinf(expected[i])) {
      EXPECT_EQ(found[i], expected[i]) << "at " << i;
    } else {
      EXPECT_NEAR(found[i], expected[i],
                  tolerance * std::max(1.0, std::fabs(expected[i])))
          << "at " << i;
    }
  }
}

/// 0, 1, 2, ... in float32.
inline Tensor counting(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return Tensor::arange(count, DType::Float32).reshape(shape);
}

/// Irregular numbers in (-1, 1).
inline std::vector<float> noise(std::size_t count, unsigned seed = 1) {
  std::vector<float> result;
  uint32_t state = seed * 2654435761u + 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    result.push_back(float(int32_t(state)) * 0x1p-31f);
  }
  return result;
}

inline int64_t numElements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

inline Tensor noiseTensor(const Shape &shape, unsigned seed = 1) {
  return Tensor::from(noise(std::size_t(numElements(shape)), seed), shape);
}

} // namespace tinygrad::testing

/// Expects the statement to throw `type` with a message that contains `text`.
#define EXPECT_ERROR(statement, type, text)                                    \
  EXPECT_THAT([&] { (void)(statement); },                                      \
              ::testing::ThrowsMessage<type>(::testing::HasSubstr(text)))

#endif // TINYGRAD_UNITTESTS_TENSOR_TENSORTEST_H
