//===- SimulatorMatrixTest.cpp - simulated matrix operations --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of matrix operations against what the vendors document, their
/// results, and kernels that use them or asynchronous copies wrongly.
///
//===----------------------------------------------------------------------===//

#include "SimulatorMatrix.h"
#include "HostThreads.h"
#include "Simulator.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>
#include <set>

using namespace tinygrad;
using namespace tinygrad::detail;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Code generators place elements by the table, the simulator by the documents.
TEST(MatrixUnits, tableHasTheDocumentedLayouts) {
  for (const MatrixUnit &unit : kMatrixUnits) {
    const int64_t lanes =
        unit.getColumnLanes() * unit.getRowLanes() * unit.getSubgroups();
    const bool isDuplicated = unit.name.substr(0, 6) == "wmma11";
    for (auto [matrix, layout, rows, columns] :
         {std::tuple('a', unit.a, unit.m, unit.k),
          std::tuple('b', unit.b, unit.k, unit.n),
          std::tuple('c', unit.c, unit.m, unit.n)}) {
      if (matrix != 'c' && unit.readsMemory())
        continue;
      std::set<std::pair<int64_t, int64_t>> seen;
      for (int64_t lane = 0; lane < lanes; ++lane)
        for (int64_t i = 0; i < layout.getNumRegisters(); ++i) {
          const auto element = layout.getElement(lane, i);
          EXPECT_EQ(element, getDocumentedElement(unit, matrix, lane, i))
              << unit.name << " " << matrix << " lane " << lane << " " << i;
          EXPECT_LT(element.first, rows);
          EXPECT_LT(element.second, columns);
          seen.insert(element);
        }
      // Every element is somewhere, and nowhere else.
      EXPECT_EQ(int64_t(seen.size()), rows * columns) << unit.name << matrix;
      EXPECT_EQ(lanes * layout.getNumRegisters(),
                rows * columns * (isDuplicated && matrix != 'c' ? 2 : 1))
          << unit.name << matrix;
    }
  }
}

TEST(MatrixUnits, operationsOfAChipForOneTypeHaveOtherDepths) {
  for (const GPUChipData &chip : kGPUChips) {
    std::set<std::pair<MatrixElement, int64_t>> depths;
    for (const MatrixUnit &unit : kMatrixUnits)
      if (unit.isOf(chip) && !unit.readsMemory()) {
        EXPECT_TRUE(depths.insert({unit.element, unit.k}).second) << chip.name;
        EXPECT_EQ(unit.getColumnLanes() * unit.getRowLanes(),
                  chip.subgroupItems)
            << chip.name << " " << unit.name;
      }
  }
}

namespace {
/// What a launch of one group ends with; empty if there is no error.
std::string run(CpuKernelFunction function, uint32_t items, uint32_t subgroup,
                std::vector<void *> buffers, std::size_t sharedBytes = 0,
                std::vector<int64_t> values = {}) {
  static HostThreads threads(1);
  static Simulator simulator(threads);
  const std::string name = "k";
  try {
    simulator.launch({name,
                      function,
                      {1, 1, 1},
                      {items, 1, 1},
                      subgroup,
                      sharedBytes,
                      buffers.data(),
                      buffers.size(),
                      values.data(),
                      /*seed=*/3});
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

uint32_t laneOf(int64_t item) {
  return reinterpret_cast<SimItem *>(item)->lane;
}
int64_t address(const void *place) { return reinterpret_cast<int64_t>(place); }

/// Multiplies with the unit number values[0]. The buffers hold A, B and C in
/// rows. Lane values[1] does not take part.
void multiply(void **buffers, const int64_t *values, int64_t item, int64_t) {
  const MatrixUnit &unit = kMatrixUnits[values[0]];
  const int64_t lane = laneOf(item);
  if (lane == values[1])
    return;
  float factors[64], sums[16];
  auto visit = [&](const FragmentLayout &layout, int64_t columns, int64_t at,
                   auto body) {
    for (int64_t i = 0; i < layout.getNumRegisters(); ++i) {
      const auto [row, column] = layout.getElement(lane, i);
      body(static_cast<float *>(buffers[at])[row * columns + column], i);
    }
  };
  const int64_t numA = unit.a.getNumRegisters();
  visit(unit.a, unit.k, 0, [&](float x, int64_t i) { factors[i] = x; });
  visit(unit.b, unit.n, 1, [&](float x, int64_t i) { factors[numA + i] = x; });
  visit(unit.c, unit.n, 2, [&](float x, int64_t i) { sums[i] = x; });
  tg_sim_multiply(item, values[0], address(factors), address(sums), 7);
  visit(unit.c, unit.n, 2, [&](float &x, int64_t i) { x = sums[i]; });
}

struct Matrices {
  explicit Matrices(const MatrixUnit &unit)
      : a(std::size_t(unit.m * unit.k)), b(std::size_t(unit.k * unit.n)),
        c(std::size_t(unit.m * unit.n)) {
    std::iota(a.begin(), a.end(), -7.0f);
    std::iota(b.begin(), b.end(), 3.0f);
    std::iota(c.begin(), c.end(), 100.0f);
  }
  std::vector<void *> buffers() { return {a.data(), b.data(), c.data()}; }
  std::vector<float> a, b, c;
};
} // namespace

TEST(MatrixUnits, productsAreThoseOfMatrices) {
  int64_t count = 0;
  for (std::size_t number = 0; number < kNumMatrixUnits; ++number) {
    const MatrixUnit &unit = kMatrixUnits[number];
    if (unit.readsMemory() || getBytes(unit.element) != sizeof(float))
      continue;
    ++count;
    Matrices matrices(unit);
    std::vector<float> expected = matrices.c;
    for (int64_t i = 0; i < unit.m; ++i)
      for (int64_t j = 0; j < unit.n; ++j)
        for (int64_t k = 0; k < unit.k; ++k)
          expected[std::size_t(i * unit.n + j)] +=
              matrices.a[std::size_t(i * unit.k + k)] *
              matrices.b[std::size_t(k * unit.n + j)];
    const auto lanes = uint32_t(unit.getColumnLanes() * unit.getRowLanes());
    EXPECT_EQ(run(multiply, lanes, lanes, matrices.buffers(), 0,
                  {int64_t(number), -1}),
              "");
    EXPECT_EQ(matrices.c, expected) << unit.name;
  }
  EXPECT_EQ(count, 2);
}

TEST(MatrixUnits, factorsOfTf32AreCutOff) {
  const MatrixUnit *unit = findMatrixUnit("mma_m16n8k8_tf32");
  Matrices matrices(*unit);
  std::fill(matrices.a.begin(), matrices.a.end(), 0.0f);
  std::fill(matrices.b.begin(), matrices.b.end(), 0.0f);
  // 10 bits of fraction are read.
  matrices.a[0] = 1.0f + 0x1p-10f + 0x1p-11f;
  matrices.b[0] = 1.0f;
  matrices.c[0] = 0.0f;
  EXPECT_EQ(
      run(multiply, 32, 32, matrices.buffers(), 0, {unit - kMatrixUnits, -1}),
      "");
  EXPECT_EQ(matrices.c[0], 1.0f + 0x1p-10f);
}

TEST(MatrixUnits, allLanesTakePart) {
  const MatrixUnit *unit = findMatrixUnit("mma_m16n8k8_tf32");
  Matrices matrices(*unit);
  auto error = [&](uint32_t items, uint32_t subgroup, int64_t missing) {
    return run(multiply, items, subgroup, matrices.buffers(), 0,
               {unit - kMatrixUnits, missing});
  };
  EXPECT_THAT(error(32, 32, 5),
              AllOf(HasSubstr("waits at matrix operation 7 (mma_m16n8k8_tf32)"),
                    HasSubstr("work item (5, 0, 0) of its subgroup does not "
                              "come: it has ended")));
  EXPECT_THAT(error(24, 32, -1), HasSubstr("has only 24 of 32 lanes"));
  EXPECT_THAT(error(64, 64, -1), HasSubstr("no subgroup of 64 lanes can do"));
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

namespace {
/// Four matrices; buffer 0 holds their rows, buffer 1 gets the fragments.
void loadFour(void **buffers, const int64_t *values, int64_t item, int64_t) {
  const int64_t lane = laneOf(item);
  if (lane == values[1])
    return;
  auto *rows = static_cast<uint16_t *>(buffers[0]);
  uint16_t result[8];
  tg_sim_load_matrices(item, address(rows + 8 * lane), 4,
                       values[0] != 0 ? SimLoadTransposed : SimLoad,
                       address(result), 2);
  std::memcpy(static_cast<uint16_t *>(buffers[1]) + 8 * lane, result,
              sizeof(result));
}
} // namespace

TEST(MatrixUnits, matricesAreLoadedByRowsAndColumns) {
  std::vector<uint16_t> rows(256), fragments(256);
  std::iota(rows.begin(), rows.end(), uint16_t(0));
  for (bool isTransposed : {false, true}) {
    EXPECT_EQ(run(loadFour, 32, 32, {rows.data(), fragments.data()}, 0,
                  {isTransposed, -1}),
              "");
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (std::size_t matrix = 0; matrix < 4; ++matrix)
        for (std::size_t i = 0; i < 2; ++i) {
          const std::size_t along = 2 * (lane % 4) + i, across = lane / 4;
          EXPECT_EQ(fragments[8 * lane + 2 * matrix + i],
                    64 * matrix + (isTransposed ? 8 * along + across
                                                : 8 * across + along));
        }
  }
  EXPECT_THAT(run(loadFour, 32, 32, {rows.data(), fragments.data()}, 0, {0, 9}),
              AllOf(HasSubstr("waits at ldmatrix 2"),
                    HasSubstr("work item (9, 0, 0)")));
  EXPECT_THAT(
      run(loadFour, 64, 64, {rows.data(), fragments.data()}, 0, {0, -1}),
      HasSubstr("no subgroup of 64 lanes can do"));
}

//===----------------------------------------------------------------------===//
// Reads that transpose
//===----------------------------------------------------------------------===//

namespace {
/// Buffer 0 holds a matrix of 16 rows of 16 elements, of which each 16 lanes
/// read four rows; buffer 1 gets what lanes get. values[0]: lanes that follow
/// one another read pieces of a row, else of a column.
void readTransposedRows(void **buffers, const int64_t *values, int64_t item,
                        int64_t) {
  const int64_t lane = laneOf(item), own = lane % 16;
  if (lane == values[1])
    return;
  const int64_t row = lane / 16 * 4 + (values[0] != 0 ? own / 4 : own % 4),
                piece = values[0] != 0 ? own % 4 : own / 4;
  auto *rows = static_cast<uint16_t *>(buffers[0]);
  uint16_t result[4];
  tg_sim_read_transposed(item, address(rows + 16 * row + 4 * piece),
                         sizeof(uint16_t), address(result), 3);
  std::memcpy(static_cast<uint16_t *>(buffers[1]) + 4 * lane, result,
              sizeof(result));
}
} // namespace

TEST(MatrixUnits, lanesGetColumnsOfWhatTheyReadByRows) {
  std::vector<uint16_t> rows(256), columns(256);
  std::iota(rows.begin(), rows.end(), uint16_t(0));
  auto read = [&](uint32_t items, int64_t byRows, int64_t missing) {
    return run(readTransposedRows, items, 64, {rows.data(), columns.data()}, 0,
               {byRows, missing});
  };
  EXPECT_EQ(read(64, 1, -1), "");
  for (std::size_t lane = 0; lane < 64; ++lane)
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(columns[4 * lane + i], 16 * (lane / 16 * 4 + i) + lane % 16);
  // Lane 1 gets the second element of the pieces of lanes 0, 4, 8 and 12.
  EXPECT_EQ(read(64, 0, -1), "");
  EXPECT_THAT(std::vector(columns.begin() + 4, columns.begin() + 8),
              ::testing::ElementsAre(1, 5, 9, 13));
  EXPECT_THAT(read(64, 1, 9), AllOf(HasSubstr("waits at transposing read 3"),
                                    HasSubstr("work item (9, 0, 0)")));
  EXPECT_THAT(read(48, 1, -1), HasSubstr("has only 48 of 64 lanes"));
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t kItems = 32;

/// What a kernel leaves out or does in addition.
enum Mistake : int64_t {
  None,
  NoWait,      ///< only a barrier after the copy
  NoBarrier,   ///< only the wait
  WaitForLess, ///< one group may be incomplete
  WriteBefore, ///< the item writes itself what it has begun to copy
};

/// Each item copies an element of buffer 1 to shared memory, its second half as
/// zeros if values[1], and reads that of its neighbor.
void copyAndRead(void **buffers, const int64_t *values, int64_t item, int64_t) {
  const int64_t lane = laneOf(item), next = (lane + 1) % kItems;
  auto *out = static_cast<uint64_t *>(buffers[0]);
  auto *in = static_cast<uint64_t *>(buffers[1]);
  auto *shared = static_cast<uint64_t *>(buffers[2]);
  auto reach = [&](int64_t index, int64_t flags) {
    tg_sim_access(item, address(shared), index, 1, kItems, 8, flags, -1);
  };
  reach(lane, SimShared | SimWrite | SimAsync);
  tg_sim_copy(item, address(shared + lane), address(in + lane), 8,
              values[1] != 0 ? 4 : 8);
  tg_sim_commit_copies(item);
  if (values[0] == WriteBefore)
    reach(lane, SimShared | SimWrite);
  if (values[0] != NoWait)
    tg_sim_wait_for_copies(item, values[0] == WaitForLess ? 1 : 0);
  if (values[0] != NoBarrier)
    tg_sim_barrier(item, 0);
  reach(next, SimShared);
  out[lane] = shared[next];
}
} // namespace

TEST(AsyncCopies, areVisibleAfterTheWait) {
  std::vector<uint64_t> in(kItems), out(kItems);
  std::iota(in.begin(), in.end(), uint64_t(0x100000005));
  auto copy = [&](int64_t mistake, bool isHalf = false) {
    std::fill(out.begin(), out.end(), uint64_t(0));
    return run(copyAndRead, kItems, 32, {out.data(), in.data()}, 8 * kItems,
               {mistake, isHalf});
  };
  EXPECT_EQ(copy(None), "");
  EXPECT_EQ(out[3], in[4]);
  EXPECT_EQ(out[kItems - 1], in[0]);
  EXPECT_EQ(copy(None, /*isHalf=*/true), "");
  EXPECT_EQ(out[3], uint32_t(in[4]));
  for (int64_t mistake : {NoWait, WaitForLess})
    EXPECT_THAT(copy(mistake),
                AllOf(HasSubstr("reads element"),
                      HasSubstr("which a copy writes that work item"),
                      HasSubstr("has not waited for")))
        << mistake;
  EXPECT_THAT(copy(WriteBefore), HasSubstr("has not waited for"));
  // Some items have waited, others have not begun to copy.
  EXPECT_NE(copy(NoBarrier), "");
}

//===----------------------------------------------------------------------===//
// Copies of subgroups
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t kLanes = 64, kWidth = 4; // items, and elements of each

/// What goes wrong, beside what can with other copies.
enum DirectMistake : int64_t {
  DirectNone,
  DirectNoWait,
  DirectNoBarrier,
  DirectWaitForOne, ///< of two copies, the later one may be incomplete
  DirectOtherBase,  ///< all items but the first one give wrong addresses
  DirectMissing,    ///< an item does not take part
};

/// As convert-gpu-to-sim makes it of amdgpu.gather_to_lds: the items of a
/// subgroup copy two rows of the buffer, in reverse order of the items, to what
/// follows the address of the first item.
void copyRows(void **buffers, const int64_t *values, int64_t item, int64_t) {
  const int64_t lane = laneOf(item), size = kLanes * kWidth;
  auto *out = static_cast<float *>(buffers[0]);
  auto *in = static_cast<float *>(buffers[1]);
  auto *shared = static_cast<float *>(buffers[2]);
  if (values[0] == DirectMissing && lane == 5)
    return;
  for (int64_t row : {0, 1}) {
    const int64_t base =
        values[0] == DirectOtherBase && lane != 0 ? 7 : row * size;
    const int64_t from = row * size + (kLanes - 1 - lane) * kWidth,
                  first = tg_sim_shuffle(item, base, 0, SimIdx, kLanes, row),
                  to = first + lane * kWidth;
    tg_sim_access(item, address(in), from, kWidth, 2 * size, 4, 0, 1);
    tg_sim_access(item, address(shared), to, kWidth, 2 * size, 4,
                  SimShared | SimWrite | SimAsync, -1);
    tg_sim_copy(item, address(shared + to), address(in + from), 4 * kWidth,
                4 * kWidth);
    tg_sim_commit_copies(item);
  }
  if (values[0] != DirectNoWait)
    tg_sim_wait_for_copies(item, values[0] == DirectWaitForOne ? 1 : 0);
  if (values[0] != DirectNoBarrier)
    tg_sim_barrier(item, 2);
  // Of the row values[1], what the next item has copied.
  const int64_t place = values[1] * size + (lane + 1) % kLanes * kWidth;
  tg_sim_access(item, address(shared), place, 1, 2 * size, 4, SimShared, -1);
  out[lane] = shared[place];
}
} // namespace

TEST(DirectCopies, followTheAddressOfTheFirstItem) {
  std::vector<float> in(2 * kLanes * kWidth), out(kLanes);
  std::iota(in.begin(), in.end(), 1.0F);
  auto copy = [&](int64_t mistake, int64_t row) {
    std::fill(out.begin(), out.end(), 0.0F);
    return run(copyRows, kLanes, kLanes, {out.data(), in.data()}, 4 * in.size(),
               {mistake, row});
  };
  for (int64_t row : {0, 1}) {
    EXPECT_EQ(copy(DirectNone, row), "");
    for (int64_t lane = 0; lane < kLanes; ++lane)
      EXPECT_EQ(
          out[lane],
          in[(row + 1) * kLanes * kWidth - ((lane + 1) % kLanes + 1) * kWidth])
          << lane;
    // Only the address of the first item counts.
    const std::vector<float> expected = out;
    EXPECT_EQ(copy(DirectOtherBase, row), "");
    EXPECT_EQ(out, expected);
    EXPECT_THAT(copy(DirectNoWait, row), HasSubstr("has not waited for"));
    EXPECT_NE(copy(DirectNoBarrier, row), "");
    EXPECT_THAT(copy(DirectMissing, row), HasSubstr("does not come"));
  }
  // Copies are complete in their order.
  EXPECT_EQ(copy(DirectWaitForOne, 0), "");
  EXPECT_THAT(copy(DirectWaitForOne, 1), HasSubstr("has not waited for"));
}
