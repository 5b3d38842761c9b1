//===- tensor.cpp - the tensor API outside the project --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Tensor.h"
#include <cstdio>

using tinygrad::Tensor;

int main() {
  Tensor a = Tensor::from({{1.0f, 2.0f}, {3.0f, 4.0f}});
  Tensor b = (a.matmul(a) + 1).sum(); // 8 + 11 + 16 + 23
  a[0] = 7;
  a[a > 7] = 0;
  float sum = b.item<float>() + a.sum().item<float>() - 21; // 14 + 7
  std::printf("sum: %g\n", sum);
  return sum == 58.0f ? 0 : 1;
}
