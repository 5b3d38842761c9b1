//===- JitTest.h - helpers of the tests of captured steps --------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shared by the tests of captured steps.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_UNITTESTS_TENSOR_JITTEST_H
#define TINYGRAD_UNITTESTS_TENSOR_JITTEST_H

#include "TensorTest.h"
#include "TinyGrad/Tensor/Jit.h"

namespace tinygrad::testing {

/// A layer, as a user's module.
struct Layer {
  Tensor weight, bias;
  TINYGRAD_MEMBERS(weight, bias)

  Tensor operator()(const Tensor &x) const {
    return x.matmul(weight.permute({1, 0})) + bias;
  }
};

inline Layer makeLayer(unsigned seed) {
  return {noiseTensor({3, 4}, seed).parameter(),
          noiseTensor({3}, seed + 1).parameter()};
}

} // namespace tinygrad::testing

#endif // TINYGRAD_UNITTESTS_TENSOR_JITTEST_H
