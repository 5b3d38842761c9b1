//===- TgStep.h - operands of schedule steps --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How a `#tg.step` names an operation of a kernel.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGSTEP_H
#define TINYGRAD_DIALECT_TG_IR_TGSTEP_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/Hashing.h"

namespace mlir::tg {

/// Operation number `number` (from 0, in the order of the block) of those in
/// the kernel that have the name `name`, when the step is applied.
struct StepOperand {
  StringAttr name;
  int64_t number = 0;

  bool operator==(const StepOperand &other) const = default;
};

inline llvm::hash_code hash_value(const StepOperand &operand) {
  return llvm::hash_combine(operand.name, operand.number);
}

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGSTEP_H
