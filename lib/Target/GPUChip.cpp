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

/// The chip of this name, of one vendor or of any; nothing, and an error that
/// lists the names, if there is none.
static std::optional<GPUChip> lookupGPUChip(StringRef name, std::string &error,
                                            std::optional<GPUVendor> vendor) {
  if (!vendor)
    return tinygrad::parseGPUChip(name, error);
  const GPUChip *chip = tinygrad::findGPUChip(name);
  if (chip && chip->isAMD() == (*vendor == GPUVendor::amd))
    return *chip;
  error = "there is no GPU called '" + name.str() + "'; known ones:" +
          tinygrad::listGPUChips(*vendor == GPUVendor::amd,
                                 *vendor == GPUVendor::nvidia);
  return std::nullopt;
}

/// The option that allows rounding to tf32.
static constexpr llvm::StringLiteral kTf32 = "tf32";

std::optional<GPUOptions> tg::parseGPUOptions(StringRef text,
                                              StringRef defaultChip,
                                              std::string &error,
                                              std::optional<GPUVendor> vendor) {
  auto [name, option] = text.split(':');
  if (text.empty())
    name = defaultChip;
  const std::optional<GPUChip> chip = lookupGPUChip(name, error, vendor);
  if (!chip)
    return std::nullopt;
  GPUOptions options{*chip, name.str()};
  if (!text.contains(':'))
    return options;
  const bool canRound = tinygrad::canRoundToTf32(options.chip);
  if (option != kTf32) {
    error = name.str() + " has no option '" + option.str() + "'; " +
            (canRound ? "there is '" + kTf32.str() + "'" : "there are none");
    return std::nullopt;
  }
  if (!canRound) {
    error = name.str() + " has no matrix units that round f32 to tf32";
    return std::nullopt;
  }
  options.roundToTf32 = true;
  return options;
}

std::string GPUOptions::str() const {
  std::string text = name;
  if (roundToTf32)
    text += ":" + kTf32.str();
  return text;
}

TargetFacts tg::getFacts(const GPUOptions &options) {
  const GPUChip &chip = options.chip;
  TargetFacts facts;
  // One access of an item, and the registers of an item in this unit.
  facts.vectorBytes = chip.memory.accessBytes;
  facts.vectorRegisters = 48;
  facts.lineBytes = chip.memory.lineBytes;
  facts.banks = chip.memory.banks;
  facts.groupItems = chip.groupItems;
  static_cast<tinygrad::ComputeUnit &>(facts) = chip;
  facts.groupBytes = chip.groupBytes;
  facts.matrixUnits = tinygrad::getMatrixUnits(chip);
  facts.roundToTf32 = options.roundToTf32;
  facts.asyncCopies = static_cast<int64_t>(chip.getAsyncCopies());
  // Groups that keep all compute units busy.
  facts.parallelItems = 2 * chip.computeUnits;
  return facts;
}
