//===- gpu-occupancy.cpp - groups resident on a compute unit --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prints how many groups a compute unit of a GPU holds:
///
///     gpu-occupancy CHIP ITEMS REGISTERS BYTES
///
/// with the work items of a group, the registers of an item, and the bytes of a
/// group's memory.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Support/GPUChips.h"
#include "TinyGrad/Support/Occupancy.h"
#include "Usage.h"

#include <charconv>
#include <cstdio>
#include <string_view>

using namespace tinygrad;

/// A number of at most 2^30; -1 if the text is none.
static int64_t parseNumber(std::string_view text) {
  int64_t value = 0;
  const auto [last, failure] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isNumber =
      failure == std::errc() && last == text.data() + text.size();
  return isNumber && value <= (1 << 30) ? value : -1;
}

static constexpr const char *kUsage =
    "usage: gpu-occupancy CHIP ITEMS REGISTERS BYTES\n"
    "\n"
    "Prints how many groups a compute unit of a GPU holds, with the work items "
    "of a\n"
    "group, the registers of an item, and the bytes of the memory of a "
    "group.\n";

int main(int argc, char **argv) {
  if (const int code = handleUsage(argc, argv, kUsage, 4); code >= 0)
    return code;
  const GPUChipData *chip = argc == 5 ? findGPUChip(argv[1]) : nullptr;
  int64_t numbers[3] = {};
  bool isValid = chip != nullptr;
  for (int i = 0; isValid && i < 3; ++i) {
    numbers[i] = parseNumber(argv[i + 2]);
    isValid = numbers[i] >= 0;
  }
  if (!isValid) {
    std::fprintf(stderr, "%schips:%s\n", kUsage, listGPUChips().c_str());
    return 1;
  }
  const Occupancy found =
      getOccupancy(*chip, numbers[0], numbers[1], numbers[2]);
  std::printf("%lld groups, %lld of %lld subgroups (%.2f), by %s\n",
              static_cast<long long>(found.groups),
              static_cast<long long>(found.subgroups),
              static_cast<long long>(chip->unitSubgroups),
              static_cast<double>(found.subgroups) /
                  static_cast<double>(chip->unitSubgroups),
              getLimitName(found.limit));
  return 0;
}
