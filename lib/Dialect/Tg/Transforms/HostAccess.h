//===- HostAccess.h - what a host program does to buffers -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of buffers that operations of a host program read and write, for
/// passes that move these operations.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_HOSTACCESS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_HOSTACCESS_H

#include "TinyGrad/Dialect/Tg/IR/TgBufferPart.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::tg {

/// What an operation of a host program does to a part of a buffer.
struct HostAccess {
  Operation *op;
  BufferPart part;
  bool isWrite;
};

/// Those of an operation that is no view. A launch writes the outputs of its
/// kernel, and a return reads; copies between devices and sorting count as
/// writes of all operands.
inline SmallVector<HostAccess> getAccesses(Operation *op,
                                           const SymbolTable &symbols) {
  size_t outputs =
      op->hasTrait<OpTrait::IsTerminator>() ? 0 : op->getNumOperands();
  if (auto launch = dyn_cast<LaunchOp>(op))
    outputs = static_cast<size_t>(
        symbols.lookup<KernelOp>(launch.getKernel()).getOutputs());
  SmallVector<HostAccess> accesses;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (isa<MemRefType>(operand.getType()))
      accesses.push_back({op, getBufferPart(operand), i < outputs});
  return accesses;
}

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_HOSTACCESS_H
