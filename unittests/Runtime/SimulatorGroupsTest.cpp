//===- SimulatorGroupsTest.cpp - which blocks groups compute --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Orders of groups on the simulated GPU: each block of results is one group's,
/// and what happens otherwise.
///
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::testing::simulator;
using ::testing::HasSubstr;

namespace {
/// Seven rows and five columns of groups.
constexpr int64_t kRows = 7, kColumns = 5, kBlocks = kRows * kColumns;

/// Groups go through bands of `values[0]` rows, column by column. `values[1]`
/// and `values[2]` are the divisors by which rows of a band, and of the last
/// one, are counted: they should be its rows.
void storeBand(void **buffers, const int64_t *values, int64_t item, int64_t) {
  Item self(buffers, item);
  const int64_t number =
      int64_t(self.self.group[1]) * kColumns + self.self.group[0];
  const int64_t band = number / (values[0] * kColumns),
                place = number % (values[0] * kColumns);
  const bool isLast = band == kRows / values[0];
  const int64_t height = values[isLast ? 2 : 1],
                row = band * values[0] + place % height,
                column = place / height;
  self.store<int64_t>(0, row * kColumns + column, kBlocks, number + 1);
}

/// Each of a few groups computes several blocks, in steps of `values[0]`, up to
/// `values[1]`.
void storeSeveral(void **buffers, const int64_t *values, int64_t item,
                  int64_t) {
  Item self(buffers, item);
  for (int64_t block = self.group(); block < values[1]; block += values[0])
    self.store<int64_t>(0, block, kBlocks, block + 1);
}

const Shape kGrid{{kColumns, kRows, 1}, {1, 1, 1}, 0};
} // namespace

TEST(SimulatorGroups, BandsAreAllBlocks) {
  for (int64_t band : {2, 3, 4, 5, 6}) {
    std::vector<int64_t> data(kBlocks, 0);
    launch(sim(), storeBand, kGrid, {data.data()}, {band, band, kRows % band});
    std::vector<int64_t> sorted = data;
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 0; i < kBlocks; ++i)
      EXPECT_EQ(sorted[std::size_t(i)], i + 1) << "band of " << band;
    // The second group is below the first one.
    EXPECT_EQ(data[kColumns], 2);
  }
}

TEST(SimulatorGroups, NoBlockIsComputedTwice) {
  std::vector<int64_t> data(kBlocks, 0);
  for (auto [band, height, last] :
       {std::array<int64_t, 3>{3, 2, 1}, {4, 4, 2}, {4, 3, 3}})
    EXPECT_THAT(errorOf<DeviceError>(sim(), storeBand, kGrid, {data.data()},
                                     {band, height, last}),
                HasSubstr("groups are not ordered"))
        << band << ' ' << height << ' ' << last;
  // A last band of as many rows as the others.
  EXPECT_THAT(
      errorOf<IndexError>(sim(), storeBand, kGrid, {data.data()}, {4, 4, 4}),
      HasSubstr("of buffer 0, which has 35 elements"));
}

TEST(SimulatorGroups, SeveralBlocks) {
  for (int64_t groups : {1, 4, 35}) {
    std::vector<int64_t> data(kBlocks, 0);
    launch(sim(), storeSeveral, line(groups, 1), {data.data()},
           {groups, kBlocks});
    for (int64_t i = 0; i < kBlocks; ++i)
      EXPECT_EQ(data[std::size_t(i)], i + 1);
  }
  // Steps of fewer blocks than there are groups, and of more; one block less.
  std::vector<int64_t> data(kBlocks, 0);
  EXPECT_THAT(errorOf<DeviceError>(sim(), storeSeveral, line(4, 1),
                                   {data.data()}, {3, kBlocks}),
              HasSubstr("groups are not ordered"));
  for (auto [step, end, missing] :
       {std::array<int64_t, 3>{5, kBlocks, 4}, {4, kBlocks - 1, kBlocks - 1}}) {
    std::fill(data.begin(), data.end(), 0);
    launch(sim(), storeSeveral, line(4, 1), {data.data()}, {step, end});
    EXPECT_EQ(data[std::size_t(missing)], 0);
  }
}
