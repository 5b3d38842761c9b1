//===- GPUChip.h - facts about GPUs -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What schedules, code generators and the simulator need to know about each
/// GPU.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_GPUCHIP_H
#define TINYGRAD_TARGET_GPUCHIP_H

#include "TinyGrad/Dialect/Tg/IR/TgTarget.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::tg {

enum class GPUVendor { amd, nvidia };

/// One GPU, by LLVM's name: "sm_90", "gfx1100". Sizes are what the vendors'
/// documents state for its largest product.
struct GPUChip {
  llvm::StringLiteral name;
  /// Work items of a subgroup (a warp or wavefront).
  int64_t subgroupItems;
  /// The most bytes of memory that a group may use.
  int64_t groupBytes;
  /// Multiprocessors or compute units.
  int64_t computeUnits;

  GPUVendor getVendor() const {
    return name.starts_with("gfx") ? GPUVendor::amd : GPUVendor::nvidia;
  }
  /// The facts for schedules.
  TargetFacts getFacts() const;
};

/// All of them, by vendor and name.
llvm::ArrayRef<GPUChip> getGPUChips();

/// The chip of this name, of one vendor or of any; null, and an error that
/// lists the names, if there is none.
const GPUChip *lookupGPUChip(llvm::StringRef name, std::string &error,
                             std::optional<GPUVendor> vendor = std::nullopt);

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_GPUCHIP_H
