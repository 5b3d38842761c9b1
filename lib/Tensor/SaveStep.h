//===- SaveStep.h - captured steps as bytes ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_SAVESTEP_H
#define TINYGRAD_LIB_TENSOR_SAVESTEP_H

#include "CapturedStep.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad::detail {

/// Everything that replays need but the contents of tensors from before the
/// step, which are appended to \p tensors. Throws Error for a step with sizes
/// that are variables.
std::string saveStep(const CapturedStep &step, std::vector<Tensor> &tensors);

/// The reverse, for tensors of \p graph. Compiles the programs. Throws Error if
/// the bytes are not those of a step, or of another version.
std::unique_ptr<CapturedStep> loadStep(std::string_view bytes,
                                       const std::vector<Tensor> &tensors,
                                       std::shared_ptr<GraphImpl> graph);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_SAVESTEP_H
