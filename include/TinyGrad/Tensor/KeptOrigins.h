//===- KeptOrigins.h - values that are read before gradients ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_KEPTORIGINS_H
#define TINYGRAD_TENSOR_KEPTORIGINS_H

namespace tinygrad::detail {

/// While one exists on a thread, the tensors that it realizes keep what they
/// were computed from as long as they exist, also if no tensor requires a
/// gradient: gradients by any tensor flow on. Not in a NoGradScope, nor in a
/// captured step. Without it, only tensors that depend on one which requires a
/// gradient do.
class KeptOrigins {
public:
  KeptOrigins();
  ~KeptOrigins();
  KeptOrigins(const KeptOrigins &) = delete;
  KeptOrigins &operator=(const KeptOrigins &) = delete;

  static bool areActive();

private:
  const bool outer;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_TENSOR_KEPTORIGINS_H
