//===- GPUChip.h - facts about GPUs -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The facts about a GPU (see Support/GPUChips.h) that schedules get, look-up
/// by name, and what else names of targets say.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_GPUCHIP_H
#define TINYGRAD_TARGET_GPUCHIP_H

#include "TinyGrad/Dialect/Tg/IR/TgTarget.h"
#include "TinyGrad/Support/GPUChips.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::tg {

enum class GPUVendor { amd, nvidia };

using GPUChip = tinygrad::GPUChipData;

/// What the name of a target says after its kind: a chip, and whether factors
/// of f32 may be rounded to tf32 ("sm_90:tf32").
struct GPUOptions {
  GPUChip chip;
  /// The chip as it was named, with its limits if it has others.
  std::string name;
  bool roundToTf32 = false;

  /// The text that parseGPUOptions reads.
  std::string str() const;
};

/// Reads options for GPUs of one vendor or, with limits that a simulated GPU
/// has (see parseGPUChip), of any; `defaultChip` is the chip if none is named.
/// Returns nothing, and the reason, if there is no such chip or if it cannot do
/// what is asked for.
std::optional<GPUOptions>
parseGPUOptions(llvm::StringRef text, llvm::StringRef defaultChip,
                std::string &error,
                std::optional<GPUVendor> vendor = std::nullopt);

/// The facts for schedules.
TargetFacts getFacts(const GPUOptions &options);

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_GPUCHIP_H
