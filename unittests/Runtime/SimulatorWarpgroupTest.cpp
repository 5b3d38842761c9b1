//===- SimulatorWarpgroupTest.cpp - wgmma on the simulated GPU ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Products of matrices in shared memory, by four subgroups, and what kernels
/// may forget around them.
///
//===----------------------------------------------------------------------===//

#include "HostThreads.h"
#include "Simulator.h"
#include "TinyGrad/Runtime/DType.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Support/MatrixUnits.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::detail;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {
/// What a kernel leaves out or does otherwise.
enum Mistake : int64_t {
  None,
  NoRegisterFence,
  NoProxyFence,      ///< between writes to shared memory and the barrier
  ProxyFenceTooLate, ///< after the barrier
  NoBarrier,         ///< between writes and the operation
  NoWait,            ///< the sum is read at once
  NoCommit,          ///< so that there is no group to wait for
  WaitForLess,       ///< one group may be incomplete
  WriteInFlight,     ///< shared memory is written after a barrier, no wait
  NoSecondFence,     ///< before a second operation, after a sum was read
  MissingLane,       ///< of the last subgroup
  OtherDescriptor,   ///< of one lane
  UnknownDescriptor, ///< of a permutation of 64 bytes
  Unwritten,         ///< one element is not in shared memory
  BehindTheEnd,      ///< the descriptor is of later memory
};

/// Bytes of a row and of a chunk.
constexpr int64_t kRow = 128, kChunk = 16;

/// The byte at which an element of a factor is, in rows of 128 bytes along the
/// depth or, transposed, along the side, in blocks.
int64_t getPlace(const MatrixUnit &unit, bool isTransposed, int64_t side,
                 int64_t depth) {
  const int64_t bytes = getBytes(unit.element), count = kRow / bytes;
  const int64_t row = isTransposed ? side / count * unit.k + depth : side,
                column = (isTransposed ? side % count : depth) * bytes;
  return row * kRow + (column / kChunk ^ row % 8) * kChunk + column % kChunk;
}

uint64_t getDescriptor(const MatrixUnit &unit, int64_t begin,
                       bool isTransposed) {
  return uint64_t(1) << 62 | uint64_t(8 * kRow) >> 4 << 32 |
         uint64_t(isTransposed ? unit.k * kRow : 16) >> 4 << 16 |
         uint64_t(begin) >> 4;
}

/// Writes a number as an element of a factor.
void write(MatrixElement element, float value, void *to) {
  auto put = [&](auto bits) { std::memcpy(to, &bits, sizeof(bits)); };
  switch (element) {
  case MatrixElement::f16:
    return put(Half(value).bits);
  case MatrixElement::bf16:
    return put(BFloat16(value).bits);
  case MatrixElement::tf32:
    // What the hardware does not read of it.
    return put(value * (1 + 0x1p-12f));
  case MatrixElement::e4m3:
    return put(Float8E4M3(value).bits);
  case MatrixElement::e5m2:
    return put(Float8E5M2(value).bits);
  case MatrixElement::i8:
    return put(int8_t(value));
  case MatrixElement::f32:
  case MatrixElement::f64:
    break;
  }
  std::abort();
}

int64_t address(const void *place) { return reinterpret_cast<int64_t>(place); }

/// Whether rows may be along the side: only those of elements of 16 bits.
bool mayBeTransposed(const MatrixUnit &unit) {
  return getBytes(unit.element) == 2;
}

/// The bytes that the tile of a factor has.
int64_t getSize(const MatrixUnit &unit, int64_t side, bool isTransposed) {
  return isTransposed ? side * unit.k * getBytes(unit.element) : side * kRow;
}

/// Multiplies buffer 0 (64 x k) by buffer 1 (k x n) into buffer 2. The values
/// are the number of the operation, which factors are transposed, and a
/// mistake.
void multiply(void **buffers, const int64_t *values, int64_t item, int64_t) {
  const MatrixUnit &unit = kMatrixUnits[values[0]];
  const int64_t mistake = values[2];
  // A tile of other elements is along the depth, whatever the operation says.
  const int64_t transposed = mayBeTransposed(unit) ? values[1] : 0;
  const bool isTransposed[] = {(transposed & 1) != 0, (transposed & 2) != 0};
  const int64_t number = reinterpret_cast<SimItem *>(item)->local[0];
  auto *shared = static_cast<char *>(buffers[3]);
  const int64_t bytes = getBytes(unit.element);
  const int64_t sizes[] = {getSize(unit, unit.m, isTransposed[0]),
                           getSize(unit, unit.n, isTransposed[1])};
  // Tiles begin at multiples of 1024 bytes.
  const int64_t begins[] = {0, sizes[0]}, all = sizes[0] + sizes[1];
  auto reach = [&](int64_t place) {
    tg_sim_access(item, address(shared), place / bytes, 1, all / bytes, bytes,
                  SimShared | SimWrite, -1);
  };
  const int64_t sides[] = {unit.m, unit.n};
  for (int64_t factor : {0, 1})
    for (int64_t i = number; i < sides[factor] * unit.k; i += 128) {
      const int64_t side = i / unit.k, depth = i % unit.k;
      if (mistake == Unwritten && factor == 1 && side == 5 && depth == 3)
        continue;
      const int64_t place =
          begins[factor] + getPlace(unit, isTransposed[factor], side, depth);
      reach(place);
      write(unit.element,
            factor == 0
                ? static_cast<float *>(buffers[0])[side * unit.k + depth]
                : static_cast<float *>(buffers[1])[depth * unit.n + side],
            shared + place);
    }
  if (mistake != NoProxyFence && mistake != ProxyFenceTooLate)
    tg_sim_fence_proxy(item);
  if (mistake != NoBarrier)
    tg_sim_barrier(item, 0);
  if (mistake == ProxyFenceTooLate)
    tg_sim_fence_proxy(item);
  if (mistake == MissingLane && number == 100)
    return;
  uint64_t a = getDescriptor(unit, begins[0], isTransposed[0]),
           b = getDescriptor(unit, begins[1], isTransposed[1]);
  if (mistake == OtherDescriptor && number == 40)
    b += 2;
  if (mistake == UnknownDescriptor)
    a += uint64_t(1) << 62;
  if (mistake == BehindTheEnd)
    b += uint64_t(all) >> 4;
  uint32_t sums[128] = {};
  auto begin = [&] {
    tg_sim_multiply_shared(item, values[0], values[1], int64_t(a), int64_t(b),
                           address(sums), 7);
  };
  if (mistake != NoRegisterFence)
    tg_sim_fence_registers(item);
  begin();
  if (mistake != NoCommit)
    tg_sim_commit_products(item);
  if (mistake == WriteInFlight) {
    tg_sim_barrier(item, 1);
    if (number == 9)
      reach(begins[1] + getPlace(unit, isTransposed[1], 3, 2));
  }
  if (mistake != NoWait)
    tg_sim_wait_for_products(item, mistake == WaitForLess ? 1 : 0);
  tg_sim_read_sum(item);
  if (mistake == NoSecondFence)
    begin();
  for (int64_t i = 0; i < unit.c.getNumRegisters(); ++i) {
    const auto [row, column] = unit.c.getElement(number, i);
    float &result = static_cast<float *>(buffers[2])[row * unit.n + column];
    if (unit.element == MatrixElement::i8)
      result = float(int32_t(sums[i]));
    else
      std::memcpy(&result, &sums[i], sizeof(result));
  }
}

/// Runs it; returns the error, if there is one. Otherwise the result is right.
std::string run(const MatrixUnit &unit, int64_t transposed,
                Mistake mistake = None, uint32_t items = 128,
                uint32_t subgroup = 32) {
  std::vector<float> a(std::size_t(unit.m * unit.k)),
      b(std::size_t(unit.k * unit.n)), c(std::size_t(unit.m * unit.n));
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = float(int64_t(i * 7 % 11) - 5);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = float(int64_t(i * 5 % 13) - 6);
  static HostThreads threads(1);
  static Simulator simulator(threads);
  const std::string name = "k";
  std::vector<void *> buffers = {a.data(), b.data(), c.data()};
  const std::vector<int64_t> values = {&unit - kMatrixUnits, transposed,
                                       mistake};
  const int64_t along = mayBeTransposed(unit) ? transposed : 0;
  const int64_t bytes =
      getSize(unit, unit.m, along & 1) + getSize(unit, unit.n, along & 2);
  try {
    simulator.launch({name,
                      multiply,
                      {1, 1, 1},
                      {items, 1, 1},
                      subgroup,
                      std::size_t(bytes),
                      buffers.data(),
                      buffers.size(),
                      values.data(),
                      /*seed=*/3});
  } catch (const Error &error) {
    return error.what();
  }
  for (int64_t i = 0; i < unit.m; ++i)
    for (int64_t j = 0; j < unit.n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < unit.k; ++k)
        sum += a[std::size_t(i * unit.k + k)] * b[std::size_t(k * unit.n + j)];
      EXPECT_EQ(c[std::size_t(i * unit.n + j)], sum) << i << " " << j;
    }
  return "";
}

const MatrixUnit &getUnit(const char *name = "wgmma_m64n128k16_f16") {
  return *findMatrixUnit(name);
}
} // namespace

TEST(Warpgroups, multiplyWhatIsInSharedMemory) {
  int count = 0;
  for (const MatrixUnit &unit : kMatrixUnits) {
    if (!unit.readsMemory())
      continue;
    ++count;
    for (int64_t transposed : {0, 1, 2, 3})
      if (transposed == 0 || mayBeTransposed(unit))
        EXPECT_EQ(run(unit, transposed), "") << unit.name << transposed;
      else
        EXPECT_THAT(run(unit, transposed),
                    HasSubstr("a descriptor of a kind that the simulator does "
                              "not know"));
  }
  EXPECT_EQ(count, 18);
}

TEST(Warpgroups, missFences) {
  EXPECT_THAT(run(getUnit(), 0, NoRegisterFence),
              HasSubstr("begins matrix operation 7 (wgmma_m64n128k16_f16) "
                        "without a wgmma.fence since its registers were "
                        "accessed"));
  EXPECT_THAT(run(getUnit(), 0, NoSecondFence),
              HasSubstr("without a wgmma.fence since its registers were"));
  const char *const missing =
      "wrote without a fence.proxy.async before the barrier";
  EXPECT_THAT(run(getUnit(), 0, NoProxyFence), HasSubstr(missing));
  EXPECT_THAT(run(getUnit(), 3, ProxyFenceTooLate), HasSubstr(missing));
}

TEST(Warpgroups, missBarriers) {
  EXPECT_THAT(run(getUnit(), 0, NoBarrier),
              AllOf(HasSubstr("race: matrix operation 7 of work item (0, 0, 0) "
                              "of group (0, 0, 0) reads byte"),
                    HasSubstr("wrote without a barrier in between")));
}

TEST(Warpgroups, missWaits) {
  const char *const early =
      "reads a sum of a matrix operation that it has not waited for";
  EXPECT_THAT(run(getUnit(), 0, NoWait), HasSubstr(early));
  EXPECT_THAT(run(getUnit(), 0, NoCommit), HasSubstr(early));
  EXPECT_THAT(run(getUnit(), 0, WaitForLess), HasSubstr(early));
  EXPECT_THAT(run(getUnit(), 2, WriteInFlight),
              AllOf(HasSubstr("work item (9, 0, 0) of group (0, 0, 0) writes "
                              "element"),
                    HasSubstr("which a matrix operation reads that was not "
                              "waited for")));
}

TEST(Warpgroups, haveAllLanes) {
  EXPECT_THAT(run(getUnit(), 0, MissingLane),
              AllOf(HasSubstr("waits at matrix operation 7 "
                              "(wgmma_m64n128k16_f16)"),
                    HasSubstr("work item (100, 0, 0)"),
                    HasSubstr("does not come: it has ended")));
  EXPECT_THAT(run(getUnit(), 0, None, 96),
              HasSubstr("but it is not one of 4 subgroups of 32 lanes"));
  EXPECT_THAT(run(getUnit(), 0, None, 128, 64),
              HasSubstr("but it is not one of 4 subgroups of 32 lanes"));
}

TEST(Warpgroups, describeSharedMemory) {
  EXPECT_THAT(run(getUnit(), 0, OtherDescriptor),
              HasSubstr("with other descriptors than work item"));
  EXPECT_THAT(run(getUnit(), 0, UnknownDescriptor),
              HasSubstr("a descriptor of a kind that the simulator does not "
                        "know"));
  EXPECT_THAT(run(getUnit(), 0, Unwritten),
              HasSubstr("which no work item of the group has written"));
  EXPECT_THAT(run(getUnit(), 0, BehindTheEnd),
              HasSubstr("of shared memory, which has"));
}
