//===- GPUChip.cpp - facts about GPUs -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of GPUs.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/GPUChip.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Work items of a group, on every chip.
static constexpr int64_t kGroupItems = 1024;

ArrayRef<GPUChip> tg::getGPUChips() {
  constexpr int64_t kib = 1 << 10;
  // Group memory: CUDA's programming guide, table of compute capabilities;
  // AMD's instruction set manuals, local data share.
  static constexpr GPUChip chips[] = {
      {"sm_70", 32, 96 * kib, 80},    {"sm_72", 32, 96 * kib, 8},
      {"sm_75", 32, 64 * kib, 72},    {"sm_80", 32, 163 * kib, 108},
      {"sm_86", 32, 99 * kib, 84},    {"sm_87", 32, 163 * kib, 16},
      {"sm_89", 32, 99 * kib, 142},   {"sm_90", 32, 227 * kib, 132},
      {"sm_100", 32, 227 * kib, 148}, {"sm_103", 32, 227 * kib, 148},
      {"sm_110", 32, 227 * kib, 20},  {"sm_120", 32, 99 * kib, 188},
      {"sm_121", 32, 99 * kib, 48},   {"gfx90a", 64, 64 * kib, 110},
      {"gfx942", 64, 64 * kib, 304},  {"gfx950", 64, 160 * kib, 256},
      {"gfx1030", 32, 64 * kib, 80},  {"gfx1100", 32, 64 * kib, 96},
      {"gfx1201", 32, 64 * kib, 64},
  };
  return chips;
}

const GPUChip *tg::lookupGPUChip(StringRef name, std::string &error,
                                 std::optional<GPUVendor> vendor) {
  error = "there is no GPU called '" + name.str() + "'; known ones:";
  for (const GPUChip &chip : getGPUChips()) {
    if (vendor && chip.getVendor() != *vendor)
      continue;
    if (chip.name == name) {
      error.clear();
      return &chip;
    }
    error += " " + chip.name.str();
  }
  return nullptr;
}

TargetFacts GPUChip::getFacts() const {
  TargetFacts facts;
  // One access of an item, and the registers of an item in this unit.
  facts.vectorBytes = 16;
  facts.vectorRegisters = 48;
  facts.lineBytes = 128;
  facts.groupItems = kGroupItems;
  facts.subgroupItems = subgroupItems;
  facts.groupBytes = groupBytes;
  // Groups that keep all compute units busy.
  facts.parallelItems = 2 * computeUnits;
  return facts;
}
