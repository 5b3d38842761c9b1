//===- TgTarget.h - what schedules know of a target -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The facts about the processor that kernels are compiled for. Modules carry
/// them in the attribute `tg.target`, a `#tg.target`; `tg-attach-target` sets
/// it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGTARGET_H
#define TINYGRAD_DIALECT_TG_IR_TGTARGET_H

#include "TinyGrad/Support/ComputeUnit.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mlir {
class Operation;

namespace tg {

/// Attribute of modules: the `#tg.target` that their kernels are compiled for.
inline constexpr llvm::StringLiteral targetAttrName = "tg.target";

/// Alignment of buffers in bytes, on every target: of memory that devices
/// allocate, and of what kernels write unless they work in place.
inline constexpr int64_t kBufferAlignment = 64;

/// The facts that scheduling and vector code generation depend on. The defaults
/// are for CPUs with AVX-512, and were measured on a Zen 4. Cache sizes are the
/// minimum of such CPUs, not the host's, so that schedules, and with them the
/// order of additions, are the same on all of them. What is inherited is about
/// the groups of a GPU: subgroups, and what limits how many groups are resident
/// on a compute unit.
struct TargetFacts : tinygrad::ComputeUnit {
  /// Size of a vector register.
  int64_t vectorBytes = 64;
  int64_t vectorRegisters = 32;
  /// 1 if a multiply-add that rounds once takes one instruction. Otherwise
  /// products in sums are rounded.
  int64_t fusedMultiplyAdd = 1;
  /// Bytes of a cache line.
  int64_t lineBytes = 64;
  /// Accesses at least this many bytes apart are not prefetched by the
  /// hardware, and are almost always on different pages.
  int64_t prefetchReach = 2 << 10;
  /// First-level data cache.
  int64_t l1Bytes = 32 << 10;
  /// Second-level cache, a core's own.
  int64_t l2Bytes = 1 << 20;
  /// Data of at least this size does not stay in any cache.
  int64_t cacheBytes = 16 << 20;
  /// Work items that keep the cores of a machine busy and evenly loaded. This
  /// is not the number of threads, on which results must not depend.
  int64_t parallelItems = 64;
  /// Costs of reading and of writing an element of an intermediate, of
  /// launching a kernel, and of compiling one (divided by its launches), in
  /// operations on an element.
  int64_t loadCost = 6, storeCost = 12, launchCost = 2000,
          compileCost = 1000000;
  /// Speed of one core or compute unit, for estimates of a launch's time.
  int64_t operationsPerNanosecond = 4, bytesPerNanosecond = 8;
  /// The most work items of a group; 0 for processors without groups.
  int64_t groupItems = 0;
  /// The most bytes of memory that the items of a group share.
  int64_t groupBytes = 0;
  /// Banks of 4 bytes that this memory is divided into.
  int64_t banks = 32;
  /// The matrix operations (Support/MatrixUnits.h), a bit for each by its place
  /// in the table.
  int64_t matrixUnits = 0;
  /// 1 if factors of f32 may be rounded to tf32, with 10 bits of fraction, for
  /// a matrix operation. The name of the target says so: "cuda:sm_90:tf32".
  int64_t roundToTf32 = 0;
  /// How items copy to the memory of their group without waiting: AsyncCopies.
  int64_t asyncCopies = 0;
  /// Bytes that a core reads from its second-level cache in the time of one
  /// vector multiply-add. With those of a vector, register tiles of any number
  /// of rows compute as fast as their columns arrive.
  int64_t l2BytesPerProduct = 64;
  /// 1 if scalar instructions take execution ports that vectors use, so that
  /// those of a loop delay its arithmetic.
  int64_t sharedPorts = 0;
  /// 1 if it pays off to prefetch the next tile while one is filled from memory
  /// that no cache holds.
  int64_t prefetchTiles = 1;
  /// 1 if register tiles of a result that no cache holds are stored past the
  /// caches where their rows are whole cache lines.
  int64_t nontemporalTiles = 0;
  /// Bytes by which tensors that are read from end to end are prefetched; 0 if
  /// the processor does that by itself, at the ends of pages too.
  int64_t prefetchAhead = 0;

  /// The bytes of the rows that a register tile of four vectors reads in a sum
  /// of \p depth products.
  int64_t getPanelBytes(int64_t depth) const { return depth * 4 * vectorBytes; }

  /// How many cache lines at a distance of \p stride bytes the second-level
  /// cache holds: few if the stride shares a large divisor with the size of a
  /// way.
  int64_t countLines(int64_t stride) const;

  bool operator==(const TargetFacts &) const = default;
};

/// A member of TargetFacts: its name in the attribute, and its bounds.
struct TargetFact {
  llvm::StringLiteral name;
  int64_t TargetFacts::*member;
  int64_t least, most;
};

/// All members of TargetFacts, in order.
llvm::ArrayRef<TargetFact> getTargetFactList();

llvm::hash_code hash_value(const TargetFacts &facts);

/// The facts of the closest `tg.target` around `op`, or the defaults.
const TargetFacts &getTargetFacts(Operation *op);

} // namespace tg
} // namespace mlir

#endif // TINYGRAD_DIALECT_TG_IR_TGTARGET_H
