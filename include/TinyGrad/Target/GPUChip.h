//===- GPUChip.h - facts about GPUs -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The facts about a GPU (see Support/GPUChips.h) that schedules get, and
/// look-up by name.
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

/// The facts for schedules.
TargetFacts getFacts(const GPUChip &chip);

/// The chip of this name, of one vendor or of any; null, and an error that
/// lists the names, if there is none.
const GPUChip *lookupGPUChip(llvm::StringRef name, std::string &error,
                             std::optional<GPUVendor> vendor = std::nullopt);

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_GPUCHIP_H
