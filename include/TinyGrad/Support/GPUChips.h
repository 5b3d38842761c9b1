//===- GPUChips.h - facts about GPUs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The GPUs that there is code for, with what schedules, code generators and
/// the simulator need to know of each. This header belongs to no library: the
/// runtime, which does not use MLIR, and the targets, which do not use the
/// runtime, both include it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_GPUCHIPS_H
#define TINYGRAD_SUPPORT_GPUCHIPS_H

#include "TinyGrad/Support/AsyncCopies.h"
#include "TinyGrad/Support/ComputeUnit.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tinygrad {

/// The most work items of a grid in each direction that every GPU admits.
inline constexpr int64_t kMaxGridItems = UINT32_MAX;
/// The most groups of a grid in each direction, on every GPU.
inline constexpr std::array<int64_t, 3> kMaxGridGroups = {INT32_MAX, 65535,
                                                          65535};
/// The most work items of a group, on every GPU.
inline constexpr int64_t kMaxGroupItems = 1024;
/// The most work items of a group in direction z that every GPU admits; x and y
/// admit as many as a group.
inline constexpr int64_t kMaxGroupItemsInZ = 64;
/// The most bytes of memory of a work item. GPUs have between 128 and 512 KiB,
/// which other values need a part of.
inline constexpr int64_t kMaxItemBytes = int64_t(64) << 10;

/// One GPU, by LLVM's name. Sizes are what the vendors' documents state for its
/// largest product.
struct GPUChipData : ComputeUnit {
  std::string_view name;
  /// The most bytes of memory that a group may use.
  int64_t groupBytes;
  /// Multiprocessors or compute units; two of those of AMD's RDNA are what
  /// ComputeUnit describes.
  int64_t computeUnits;
  MemoryUnit memory = {};
  /// The most work items of a group.
  int64_t groupItems = kMaxGroupItems;
  bool hasMatrixUnits = true;

  constexpr bool isAMD() const { return name.substr(0, 3) == "gfx"; }
  /// The compute capability of one of NVIDIA's GPUs: 90 for "sm_90" and
  /// "sm_90a".
  constexpr int64_t getCapability() const {
    int64_t number = 0;
    for (char digit : name.substr(isAMD() ? name.size() : 3))
      if (digit >= '0' && digit <= '9')
        number = 10 * number + (digit - '0');
    return number;
  }
  /// Whether code for it runs on GPUs of this capability only, and not on later
  /// ones: it has operations that later GPUs lack ("sm_90a").
  constexpr bool isSpecific() const { return isAMD() || name.back() == 'a'; }
  /// How items copy from global memory to that of their group without waiting.
  /// Those of gfx90a and gfx942 copy 4 bytes at once, which does not pay.
  constexpr AsyncCopies getAsyncCopies() const {
    if (isAMD())
      return name == "gfx950" ? AsyncCopies::ofSubgroups : AsyncCopies::none;
    return name != "sm_70" && name != "sm_72" && name != "sm_75"
               ? AsyncCopies::ofItems
               : AsyncCopies::none;
  }
  /// The most work items of a group in direction z.
  constexpr int64_t getMaxItemsInZ() const {
    return isAMD() ? kMaxGroupItems : kMaxGroupItemsInZ;
  }
};

// Compute units of NVIDIA's GPUs: CUDA's programming guide, table of technical
// specifications; cuda_occupancy.h has the steps of allocations. From 8.0 on
// the system reserves 1 KiB of a group's memory.
inline constexpr int64_t kNVIDIARegisters = 1 << 16;
inline constexpr ComputeUnit kSM70 = {32,  64, 32,       32, kNVIDIARegisters,
                                      255, 8,  96 << 10, 0,  256};
inline constexpr ComputeUnit kSM75 = {32,  32, 16,       16, kNVIDIARegisters,
                                      255, 8,  64 << 10, 0,  256};
inline constexpr ComputeUnit kSM80 = {
    32, 64, 32, 32, kNVIDIARegisters, 255, 8, 164 << 10, 1 << 10, 128};
inline constexpr ComputeUnit kSM86 = {
    32, 48, 16, 16, kNVIDIARegisters, 255, 8, 100 << 10, 1 << 10, 128};
inline constexpr ComputeUnit kSM87 = {
    32, 48, 16, 16, kNVIDIARegisters, 255, 8, 164 << 10, 1 << 10, 128};
inline constexpr ComputeUnit kSM89 = {
    32, 48, 24, 24, kNVIDIARegisters, 255, 8, 100 << 10, 1 << 10, 128};
inline constexpr ComputeUnit kSM90 = {
    32, 64, 32, 32, kNVIDIARegisters, 255, 8, 228 << 10, 1 << 10, 128};
inline constexpr ComputeUnit kSM110 = {
    32, 48, 24, 24, kNVIDIARegisters, 255, 8, 228 << 10, 1 << 10, 128};

// Those of AMD's: instruction set manuals (vector registers and wavefronts of a
// SIMD, local data share), and the steps of allocations that LLVM assumes.
// There are four SIMDs, of 8 wavefronts with CDNA and of 16 with RDNA.
inline constexpr ComputeUnit kCDNA2 = {64,  32, 32,       16, 1 << 17,
                                       512, 8,  64 << 10, 0,  512};
inline constexpr ComputeUnit kCDNA4 = {64,  32, 32,        16, 1 << 17,
                                       512, 8,  160 << 10, 0,  1280};
inline constexpr ComputeUnit kRDNA2 = {32,  64, 64,        32, 1 << 17,
                                       256, 16, 128 << 10, 0,  512};
inline constexpr ComputeUnit kRDNA3 = {32,  64, 64,        32, 3 << 16,
                                       256, 24, 128 << 10, 0,  512};

// NVIDIA's GPUs have sectors of 32 bytes in lines of 128, and 32 banks (CUDA's
// best practices guide), which are the defaults. AMD's CDNA has lines of 128
// bytes and reads memory in transactions of 64 (ROCm Compute Profiler's
// performance model, L2 cache); of 32 banks (instruction set manuals), CDNA 4
// made 64. RDNA has lines of 128 bytes and 32 banks for each half of a
// work-group processor. AMD's runtime lets accesses be misaligned (LLVM's
// feature unaligned-access-mode, which is on for HSA).
inline constexpr MemoryUnit kCDNAMemory = {16, 64, 128, 32, true};
inline constexpr MemoryUnit kCDNA4Memory = {16, 64, 128, 64, true};
inline constexpr MemoryUnit kRDNAMemory = {16, 32, 128, 32, true};

/// All of them, by vendor and name.
// Group memory: CUDA's programming guide, table of compute capabilities; AMD's
// instruction set manuals, local data share. The table does not have sm_88,
// which gets the least of its family; sm_101 is what CUDA 12 called sm_110, and
// sm_90a is sm_90 with the operations that only Hopper has.
inline constexpr GPUChipData kGPUChips[] = {
    {kSM70, "sm_70", 96 << 10, 80},
    {kSM70, "sm_72", 96 << 10, 8},
    {kSM75, "sm_75", 64 << 10, 72},
    {kSM80, "sm_80", 163 << 10, 108},
    {kSM86, "sm_86", 99 << 10, 84},
    {kSM87, "sm_87", 163 << 10, 16},
    {kSM86, "sm_88", 99 << 10, 16},
    {kSM89, "sm_89", 99 << 10, 142},
    {kSM90, "sm_90", 227 << 10, 132},
    {kSM90, "sm_90a", 227 << 10, 132},
    {kSM90, "sm_100", 227 << 10, 148},
    {kSM110, "sm_101", 227 << 10, 20},
    {kSM90, "sm_103", 227 << 10, 148},
    {kSM110, "sm_110", 227 << 10, 20},
    {kSM89, "sm_120", 99 << 10, 188},
    {kSM89, "sm_121", 99 << 10, 48},
    {kCDNA2, "gfx90a", 64 << 10, 110, kCDNAMemory},
    {kCDNA2, "gfx942", 64 << 10, 304, kCDNAMemory},
    {kCDNA4, "gfx950", 160 << 10, 256, kCDNA4Memory},
    {kRDNA2, "gfx1030", 64 << 10, 80, kRDNAMemory},
    {kRDNA3, "gfx1100", 64 << 10, 96, kRDNAMemory},
    {kRDNA3, "gfx1201", 64 << 10, 64, kRDNAMemory},
};

/// The GPU of this name; null if there is none.
constexpr const GPUChipData *findGPUChip(std::string_view name) {
  for (const GPUChipData &chip : kGPUChips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}

/// The names of all GPUs, or of those of one vendor, each after a space.
inline std::string listGPUChips(bool withAMD = true, bool withNVIDIA = true) {
  std::string names;
  for (const GPUChipData &chip : kGPUChips)
    if (chip.isAMD() ? withAMD : withNVIDIA)
      names += " " + std::string(chip.name);
  return names;
}

/// A GPU by its name, or one with less than that has: its limits follow after
/// commas. "sm_90,items=256,shared=16384,units=4,matrix=0" has groups of at
/// most 256 items and 16384 bytes, four compute units and no matrix units.
/// Returns nothing, and the reason, if the text is not of this form.
inline std::optional<GPUChipData> parseGPUChip(std::string_view text,
                                               std::string &error) {
  std::string_view rest = text.substr(0, text.find(','));
  const GPUChipData *known = findGPUChip(rest);
  if (!known) {
    error = "there is no GPU called '" + std::string(rest) +
            "'; known ones:" + listGPUChips();
    return std::nullopt;
  }
  GPUChipData chip = *known;
  int64_t matrix = 1;
  struct Limit {
    std::string_view name;
    int64_t &value;
    int64_t least, most;
  };
  const Limit limits[] = {{"items", chip.groupItems, 1, chip.groupItems},
                          {"shared", chip.groupBytes, 0, chip.groupBytes},
                          {"units", chip.computeUnits, 1, 1 << 16},
                          {"matrix", matrix, 0, 1}};
  rest = text.substr(rest.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(part.size());
    const std::string_view name = part.substr(0, part.find('='));
    const Limit *limit = nullptr;
    for (const Limit &candidate : limits)
      if (candidate.name == name)
        limit = &candidate;
    if (!limit) {
      error = "'" + std::string(part) + "' is no limit of " +
              std::string(chip.name) +
              "; there are items=N, shared=BYTES, units=N and matrix=0";
      return std::nullopt;
    }
    const char *begin = part.data() + std::min(name.size() + 1, part.size());
    const char *end = part.data() + part.size();
    int64_t value = 0;
    const auto [last, failure] = std::from_chars(begin, end, value);
    if (failure != std::errc() || last != end || value < limit->least ||
        value > limit->most) {
      error = "'" + std::string(part) + "' of " + std::string(chip.name) +
              " is not a number from " + std::to_string(limit->least) + " to " +
              std::to_string(limit->most);
      return std::nullopt;
    }
    limit->value = value;
  }
  chip.hasMatrixUnits = matrix != 0;
  return chip;
}

} // namespace tinygrad

#endif // TINYGRAD_SUPPORT_GPUCHIPS_H
