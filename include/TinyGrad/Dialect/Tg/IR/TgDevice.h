//===- TgDevice.h - devices of values ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where the values of a tensor graph are.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGDEVICE_H
#define TINYGRAD_DIALECT_TG_IR_TGDEVICE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace mlir::tg {

/// The device that a value is on: that of the first buffer, copy or function
/// argument with a device among what it is computed from. Null if there is
/// none.
StringAttr findDevice(Value value);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGDEVICE_H
