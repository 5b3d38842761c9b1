//===- GPUChip.cpp - facts about GPUs -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Facts about GPUs for schedules.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/GPUChip.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "mlir/Support/LLVM.h"

using namespace mlir;
using namespace mlir::tg;

const GPUChip *tg::lookupGPUChip(StringRef name, std::string &error,
                                 std::optional<GPUVendor> vendor) {
  const GPUChip *chip = tinygrad::findGPUChip(name);
  if (chip && (!vendor || chip->isAMD() == (*vendor == GPUVendor::amd)))
    return chip;
  error = "there is no GPU called '" + name.str() + "'; known ones:" +
          tinygrad::listGPUChips(vendor != GPUVendor::nvidia,
                                 vendor != GPUVendor::amd);
  return nullptr;
}

TargetFacts tg::getFacts(const GPUChip &chip) {
  TargetFacts facts;
  // One access of an item, and the registers of an item in this unit.
  facts.vectorBytes = 16;
  facts.vectorRegisters = 48;
  facts.lineBytes = 128;
  facts.groupItems = tinygrad::kMaxGroupItems;
  facts.subgroupItems = chip.subgroupItems;
  facts.groupBytes = chip.groupBytes;
  facts.matrixUnits = tinygrad::getMatrixUnits(chip);
  facts.asyncCopies = chip.hasAsyncCopies();
  // Groups that keep all compute units busy.
  facts.parallelItems = 2 * chip.computeUnits;
  return facts;
}
