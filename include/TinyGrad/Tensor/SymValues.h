//===- SymValues.h - sizes for other values of variables --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TENSOR_SYMVALUES_H
#define TINYGRAD_TENSOR_SYMVALUES_H

#include "TinyGrad/Tensor/SymInt.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tinygrad::detail {

/// The expression with other values for the variables that the function returns
/// one for, by name. The values have to be within the bounds.
SymInt withValues(
    const SymExpr *expr,
    const std::function<std::optional<int64_t>(const std::string &)> &valueOf);

} // namespace tinygrad::detail

#endif // TINYGRAD_TENSOR_SYMVALUES_H
