//===- Roles.h - work items that only copy ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions of the gpu dialect in which the last items of a group only begin
/// copies of boxes (TMA), or nothing, and the others do everything else.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_ROLES_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_ROLES_H

#include "TinyGrad/Dialect/Tg/IR/TgCopyingItems.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tg {

/// The parts of a function that only some items run. Nothing is there if a
/// function has none.
struct Roles {
  /// What the last items do, if anything, and what all others do.
  scf::IfOp copying, others;
  /// How many the others are. That the first ones of the group, and no more,
  /// run `others` remains to be proved.
  int64_t items = 0;

  /// If they copy, the loops over the positions of a sum, in which one item
  /// fills buffers, and in which they are read; of how many buffers.
  scf::ForOp filling, reading;
  int64_t buffers = 0;
  /// What says that buffers have been read: at each position of `reading` from
  /// `behind` on, those of so many positions before. It remains to be proved
  /// that the first item of each warpgroup, and no other one, says so.
  nvgpu::MBarrierArriveOp arrival;
  int64_t behind = 0;

  /// If groups compute several blocks of results, the loops over these around
  /// `filling` and `reading`, and what says that the last position of a block
  /// has been read. Positions are counted across blocks: those values are of
  /// `filling` and `reading`.
  scf::ForOp fillingBlocks, readingBlocks;
  nvgpu::MBarrierArriveOp lastArrival;
  Value filled, read;

  /// The part that an operation is in; null if all items run it.
  Operation *getRole(Operation *op) const {
    for (scf::IfOp role : {copying, others})
      if (role && role->isProperAncestor(op))
        return role;
    return nullptr;
  }
  /// Whether one operation is what the last items do, and one what the others
  /// do.
  bool areApart(Operation *x, Operation *y) const {
    Operation *first = getRole(x), *second = getRole(y);
    return first && second && first != second;
  }
};

/// Whether a loop is over the blocks of results of a group: from its number
/// along x on, in steps of as many groups as there are, to a constant. Two
/// groups that differ along x have no position in common, however many there
/// are.
bool isOverBlocks(scf::ForOp loop);

/// The loop over blocks around an operation; null if there is none.
scf::ForOp getLoopOverBlocks(Operation *op);

/// The loop over blocks of those items that compute results; null if there is
/// none.
scf::ForOp findLoopOverBlocks(gpu::GPUFuncOp func, const Roles &roles);

/// Emits an error if a function has barriers of some items, arrivals without
/// copies, or registers that change, but not as convert-tg-to-gpu makes them.
/// The loops and the arrival are not looked for.
FailureOr<Roles> findRoles(gpu::GPUFuncOp func);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_ROLES_H
