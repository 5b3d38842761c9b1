//===- CostModel.h - what fusing and storing cost ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides whether an intermediate is computed inside its consumers or stored.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_COSTMODEL_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_COSTMODEL_H

#include "KernelBuilder.h"

namespace mlir::tg {

/// Estimates of each value of a function, computed once from its inputs on.
class CostModel {
public:
  /// `stored` tells which values have a buffer in any case.
  CostModel(Block &block, function_ref<bool(Value)> stored);

  /// Why `value` should get a buffer, or an empty string if it should be
  /// computed where it is used.
  std::string getReasonToStore(Value value, ArrayRef<Access *> accesses) const;

private:
  struct Estimate {
    /// Work for one element with everything behind it fused, in units of a
    /// simple arithmetic operation.
    double work = 1;
    /// Whether one reduction is run for every element.
    bool reducesPerElement = false;
  };
  DenseMap<Value, Estimate> estimates;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_COSTMODEL_H
