//===- OccupancyTest.cpp - groups resident on a compute unit --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How many groups compute units hold. The values for NVIDIA's GPUs are those
/// of cuda_occupancy.h, those for AMD's of the occupancy that LLVM states in
/// its assembly.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Support/Occupancy.h"
#include "TinyGrad/Support/GPUChips.h"
#include "gtest/gtest.h"

using namespace tinygrad;

static Occupancy getOccupancyOf(const char *chip, int64_t items,
                                int64_t registers, int64_t bytes) {
  return getOccupancy(*findGPUChip(chip), items, registers, bytes);
}

TEST(Occupancy, IsThatOfTheVendors) {
  using enum OccupancyLimit;
  struct Case {
    const char *chip;
    int64_t items, registers, bytes, groups, subgroups;
    OccupancyLimit limit;
  };
  for (const Case &c : {
           // A block of a product of f32: 16 of 64 warps.
           Case{"sm_90", 256, 128, 0, 2, 16, registers},
           // One step of 8 registers more: 3 warps of each part.
           Case{"sm_90", 256, 129, 0, 1, 8, registers},
           Case{"sm_90", 256, 64, 0, 4, 32, registers},
           Case{"sm_90", 256, 32, 0, 8, 64, subgroups},
           Case{"sm_90", 1024, 64, 0, 1, 32, registers},
           Case{"sm_90", 1024, 65, 0, 0, 0, registers},
           // Three warps of each part, in groups of 3.
           Case{"sm_90", 96, 168, 0, 4, 12, registers},
           // The last warp is not full.
           Case{"sm_90", 65, 168, 0, 4, 12, registers},
           Case{"sm_90", 32, 16, 0, 32, 32, groups},
           // 1 KiB of each group is the system's.
           Case{"sm_90", 128, 32, 113 << 10, 2, 8, memory},
           Case{"sm_90", 128, 32, 114 << 10, 1, 4, memory},
           Case{"sm_90", 128, 32, (113 << 10) + 1, 1, 4, memory},
           Case{"sm_75", 128, 32, 32 << 10, 2, 8, memory},
           Case{"sm_75", 256, 64, 0, 4, 32, subgroups},
           Case{"sm_75", 32, 64, 0, 16, 16, groups},
           Case{"sm_86", 256, 80, 0, 3, 24, registers},
           Case{"sm_86", 128, 40, 0, 12, 48, subgroups},
           Case{"sm_89", 32, 32, 0, 24, 24, groups},
           Case{"sm_110", 64, 32, 0, 24, 48, subgroups},
           Case{"sm_90", 256, 256, 0, 0, 0, registers},
           // Waves of 64 items, 512 registers of a SIMD in steps of 8.
           Case{"gfx942", 256, 64, 0, 8, 32, subgroups},
           Case{"gfx942", 256, 65, 0, 7, 28, registers},
           Case{"gfx942", 256, 128, 0, 4, 16, registers},
           Case{"gfx942", 256, 129, 0, 3, 12, registers},
           Case{"gfx90a", 256, 16, 20000, 3, 12, memory},
           // One wave needs no barrier.
           Case{"gfx942", 64, 32, 0, 32, 32, subgroups},
           Case{"gfx942", 65, 32, 0, 16, 32, subgroups},
           // Steps of 16 and 24 registers, 1024 and 1536 in all.
           Case{"gfx1030", 128, 65, 0, 12, 48, registers},
           Case{"gfx1030", 128, 129, 0, 7, 28, registers},
           Case{"gfx1100", 128, 96, 0, 16, 64, subgroups},
           Case{"gfx1100", 128, 97, 0, 12, 48, registers},
           Case{"gfx1201", 128, 192, 0, 8, 32, registers},
           Case{"gfx1100", 128, 16, 40000, 3, 12, memory},
       }) {
    SCOPED_TRACE(testing::Message()
                 << c.chip << ": " << c.items << " items of " << c.registers
                 << " registers, " << c.bytes << " bytes");
    const Occupancy found =
        getOccupancyOf(c.chip, c.items, c.registers, c.bytes);
    EXPECT_EQ(found.groups, c.groups);
    EXPECT_EQ(found.subgroups, c.subgroups);
    EXPECT_STREQ(getLimitName(found.limit), getLimitName(c.limit));
  }
}

// With one register more than the most for so many groups, there are fewer.
TEST(Occupancy, HasMostRegisters) {
  for (const GPUChipData &chip : kGPUChips)
    for (int64_t items : {1, 32, 64, 96, 128, 256, 512, 1000, 1024})
      for (int64_t groups = 1; groups <= 32; ++groups) {
        SCOPED_TRACE(testing::Message()
                     << chip.name << ": " << groups << " of " << items);
        const int64_t most = getMostRegisters(chip, items, groups);
        const int64_t possible = getOccupancy(chip, items, 0, 0).groups;
        if (groups > possible)
          continue;
        EXPECT_GE(getOccupancy(chip, items, most, 0).groups, groups);
        EXPECT_LT(getOccupancy(chip, items, most + 1, 0).groups, groups);
      }
  EXPECT_EQ(getMostRegisters(*findGPUChip("sm_90"), 256, 9), 0);
}

TEST(Occupancy, IsWanted) {
  struct Case {
    const char *chip;
    KernelKind kind;
    int64_t items, bytes, groups, registers;
  };
  using enum KernelKind;
  for (const Case &c : {
           // Half of the subgroups.
           Case{"sm_90", streaming, 256, 0, 4, 64},
           Case{"sm_90", streaming, 128, 0, 8, 64},
           Case{"sm_90", streaming, 32, 0, 32, 64},
           Case{"sm_86", streaming, 256, 0, 3, 80},
           Case{"sm_75", streaming, 256, 0, 2, 128},
           Case{"gfx942", streaming, 256, 0, 4, 128},
           Case{"gfx1100", streaming, 256, 0, 4, 192},
           // As many as there are, of small groups.
           Case{"sm_86", streaming, 32, 0, 16, 128},
           // Memory admits fewer.
           Case{"sm_90", streaming, 256, 80 << 10, 2, 128},
           Case{"sm_90", streaming, 256, 200 << 10, 1, 255},
           // Two groups, and two subgroups of each part.
           Case{"sm_90", blocked, 256, 0, 2, 128},
           Case{"sm_90", blocked, 128, 0, 2, 255},
           Case{"sm_90", blocked, 64, 0, 4, 255},
           Case{"gfx942", blocked, 256, 0, 2, 256},
           Case{"gfx1100", blocked, 128, 0, 2, 256},
       }) {
    SCOPED_TRACE(testing::Message() << c.chip << ": " << c.items << " items, "
                                    << c.bytes << " bytes");
    const GPUChipData &chip = *findGPUChip(c.chip);
    const int64_t groups = getWantedGroups(chip, c.kind, c.items, c.bytes);
    EXPECT_EQ(groups, c.groups);
    EXPECT_EQ(getMostRegisters(chip, c.items, groups), c.registers);
  }
}
