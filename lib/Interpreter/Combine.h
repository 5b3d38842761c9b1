//===- Combine.h - operators of reductions ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The binary operators of reductions, scans and updates.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_INTERPRETER_COMBINE_H
#define TINYGRAD_LIB_INTERPRETER_COMBINE_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace mlir::tg {

template <typename T> T combine(ReduceKind kind, T a, T b) {
  if (kind == ReduceKind::max) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a) || std::isnan(b))
        return std::numeric_limits<T>::quiet_NaN();
    return a < b ? b : a;
  }
  bool isAdd = kind == ReduceKind::add;
  if constexpr (std::is_same_v<T, bool>)
    return isAdd ? a || b : a && b;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(isAdd ? static_cast<uint64_t>(a) + b
                                : static_cast<uint64_t>(a) * b);
  else
    return isAdd ? a + b : a * b;
}

/// log(exp(a) + exp(b)) of floats; not defined for other types.
template <typename T> T combine(ScanKind kind, T a, T b) {
  if (kind != ScanKind::logaddexp)
    return combine(kind == ScanKind::add   ? ReduceKind::add
                   : kind == ScanKind::mul ? ReduceKind::mul
                                           : ReduceKind::max,
                   a, b);
  if constexpr (std::is_floating_point_v<T>) {
    // inf - inf would be NaN.
    if (a == b)
      return a + std::log(T(2));
    return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
  }
  return a;
}

template <typename T> T combine(UpdateKind kind, T a, T b) {
  switch (kind) {
  case UpdateKind::set:
    return b;
  case UpdateKind::add:
    return combine(ReduceKind::add, a, b);
  case UpdateKind::mul:
    return combine(ReduceKind::mul, a, b);
  case UpdateKind::max:
    return combine(ReduceKind::max, a, b);
  case UpdateKind::min:
    break;
  }
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
  return b < a ? b : a;
}

} // namespace mlir::tg

#endif // TINYGRAD_LIB_INTERPRETER_COMBINE_H
