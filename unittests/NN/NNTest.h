//===- NNTest.h - helpers of the tests of layers ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shared by the tests of layers. Numbers called PyTorch's are those of PyTorch
/// 1.13, with this `noise`, parameters that are noise of seeds from 10 on, in
/// the order of named_parameters(), and the input noise(shape):
///
/// \code
///   def noise(shape, seed=1):
///       state, out = (seed * 2654435761 + 1) % 2**32, []
///       for _ in range(int(np.prod(shape))):
///           state = (state * 1664525 + 1013904223) % 2**32
///           value = state - (2**32 if state >= 2**31 else 0)
///           out.append(np.float32(np.int64(value)) * np.float32(2**-31))
///       return torch.tensor(np.array(out).reshape(shape))
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_NN_NNTEST_H
#define TINYGRAD_UNITTESTS_NN_NNTEST_H

#include "TensorTest.h"
#include "TinyGrad/Tensor/Members.h"

#include <algorithm>

namespace tinygrad::testing {

/// The tolerance for numbers of six digits.
inline constexpr double kSixDigits = 2e-5;

/// Gives each float tensor of a module noise of its own.
template <typename Module> void fill(Module &module, unsigned seed = 10) {
  forEachTensor(module, [&](const std::string &, Tensor &tensor) {
    if (tensor.isFloatingPoint())
      tensor.assign(noiseTensor(tensor.shape(), seed++));
  });
}

template <typename Module> std::vector<std::string> names(Module &module) {
  std::vector<std::string> result;
  forEachTensor(module, [&](const std::string &name, const Tensor &) {
    result.push_back(name);
  });
  return result;
}

/// Expects numbers that fill [-bound, bound): none outside, and some close to
/// each end.
inline void expectUniform(const Tensor &tensor, double bound) {
  const std::vector<double> found = values(tensor);
  const auto [low, high] = std::minmax_element(found.begin(), found.end());
  EXPECT_GE(*low, -bound);
  EXPECT_LE(*high, bound);
  EXPECT_LT(*low, -0.9 * bound);
  EXPECT_GT(*high, 0.9 * bound);
}

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_NN_NNTEST_H
