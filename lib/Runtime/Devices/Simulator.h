//===- Simulator.h - GPU kernels on threads of the host ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs the work items of a GPU kernel and checks what they do. Groups run side
/// by side on threads, the items of a group in turns on one thread, each until
/// it waits for others.
///
/// A simulated kernel is a CpuKernelFunction that runs one work item: it is
/// called with the address of a SimItem and 0 instead of the bounds of a part.
/// If the launch has shared memory, its address follows the buffers. Kernels
/// report barriers, shuffles and accesses by the functions tg_sim_*.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATOR_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATOR_H

#include "GPULaunch.h"
#include "SimulatorCounts.h"
#include "SimulatorOrder.h"
#include "TinyGrad/Runtime/Device.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tinygrad::detail {

class Fiber;
class HostThreads;
class SimGroup;
class StampMemory;

/// A work item. Generated code reads the members up to `subgroup`, so their
/// offsets are fixed.
struct SimItem {
  uint32_t group[3];  ///< number of the group (gpu.block_id)
  uint32_t local[3];  ///< number of the item in the group (gpu.thread_id)
  uint32_t groups[3]; ///< size of the grid
  uint32_t size[3];   ///< size of the group
  uint32_t lane;      ///< number in the subgroup
  uint32_t subgroup;  ///< number of the subgroup in the group

  // Private to the simulator from here on.
  enum class State : uint8_t {
    Fresh,
    Ready,
    AtBarrier,
    AtShuffle,
    AtMbarrier,
    AtNamedBarrier,
    AtRegisters,
    Ended
  };

  SimGroup *owner = nullptr;
  Fiber *fiber = nullptr; ///< while it is Ready or waits
  uint32_t number = 0;    ///< in the group, x fastest
  State state = State::Fresh;
  int64_t site = 0; ///< where it waits
  // Of the shuffle, matrix operation or barrier at which it waits.
  int64_t bits = 0, operand = 0, mode = 0, width = 0, result = 0;

  /// A copy to shared memory that has begun.
  struct Copy {
    char *destination;
    const char *source;
    std::size_t bytes, sourceBytes; ///< the rest are zeros
  };
  /// Those that the item has not waited for, the oldest first, and how many of
  /// them each group of copies has.
  std::vector<Copy> copies;
  std::vector<std::size_t> copyGroups;
  /// The same for products of matrices that read shared memory, by number.
  std::vector<uint32_t> products;
  std::vector<std::size_t> productGroups;
  /// Whether a fence came after the last other access to registers of sums.
  bool hasFencedRegisters = false;
  /// Its phase in shared memory, and what is ordered before its next access.
  uint32_t epoch = 0;
  SimOrder order;
  int64_t registers = 0;
  /// The phase since which the item has written shared memory without a fence
  /// and a barrier that let matrix operations read it, 0 if it has not; and
  /// whether the fence has come.
  uint32_t unfencedSince = 0;
  bool hasFencedProxy = false;
  /// How many groups of stores of boxes the item has closed.
  std::size_t numStoreGroups = 0;
};

/// A matrix in global memory of or to which boxes are copied, as the host
/// describes it to the hardware. Index 0 is the dimension of neighbors. Sizes
/// and distances are in elements.
struct SimTensorMap {
  int64_t buffer;         ///< its number, for messages
  int64_t base, elements; ///< of the buffer
  int64_t elementBytes;
  int64_t sizes[2];
  int64_t stride; ///< of rows
  int64_t box[2];
  int64_t swizzleBytes; ///< 128: chunks of rows are permuted; 0: they are not

  /// With a swizzle of 128 bytes, bits 4 to 6 of an address are those that it
  /// would have without, xor bits 7 to 9.
  std::size_t getPlace(std::size_t address) const {
    return swizzleBytes != 0 ? address ^ (address >> 7 & 7) << 4 : address;
  }
};

/// Bits of the parameter `flags` of tg_sim_access.
enum SimAccess : int64_t {
  SimWrite = 1,   ///< a write, else a read
  SimShared = 2,  ///< of the group's shared memory, else global
  SimPrivate = 4, ///< of the item's own memory: only bounds are checked
  SimUpdate = 8,  ///< a read and a write of the same element
  SimAsync = 16,  ///< a write that takes place later, by tg_sim_copy
};
/// From this bit on, `flags` has the logarithm of what the address of the
/// access has to be a multiple of; from kSimSiteBit on, the number of the
/// access in the kernel.
inline constexpr int64_t kSimAlignmentBit = 8, kSimSiteBit = 16;

/// Values of the parameter `mode` of tg_sim_shuffle.
enum SimShuffle : int64_t { SimXor, SimUp, SimDown, SimIdx };
/// What else lanes exchange, see tg_sim_multiply and tg_sim_load_matrices.
enum SimMatrix : int64_t {
  SimMultiply = 4,
  SimLoad,
  SimLoadTransposed,
  SimMultiplyShared,
  SimReadTransposed
};

/// What the simulator needs to know of a GPU.
struct SimChip {
  std::string name; ///< "sm_90", "gfx942"
  uint32_t subgroupSize = 32;
  MemoryUnit memory;
  GPULimits limits;
  int64_t unitRegisters = 0; ///< of a compute unit
};

/// Throws DeviceError if there is no such GPU.
SimChip describeSimChip(const std::string &name);

/// The groups of a launch that the simulator can tell apart.
inline constexpr int64_t kMaxSimulatedGroups = (int64_t(1) << 32) - 2;

/// One launch.
struct SimLaunch {
  const std::string &kernel; ///< name, for messages
  CpuKernelFunction function;
  std::array<uint32_t, 3> groups;    ///< at most kMaxSimulatedGroups
  std::array<uint32_t, 3> groupSize; ///< at most 1024 items
  uint32_t subgroupSize;
  std::size_t sharedBytes;
  void *const *buffers;
  std::size_t numBuffers; ///< needed only with shared memory
  const int64_t *values;
  /// The order of a group's items: 0 forward, 1 backward, otherwise a random
  /// one at each turn.
  uint64_t seed;
  /// How many groups are counted, evenly spread; see SimulatorCounts.h.
  int64_t countedGroups = 0;
  bool skipsOthers = false; ///< only counted groups run
  MemoryUnit memory = {};   ///< what is counted
  /// The registers of a compute unit, which a group has for itself.
  int64_t unitRegisters = int64_t(1) << 16;
};

/// Keeps the memory of launches for later ones: stacks, shared memory, records.
class Simulator {
public:
  explicit Simulator(HostThreads &threads);
  ~Simulator();

  /// Returns when all items have ended. Throws IndexError if one accesses
  /// memory out of bounds and DeviceError for every other mistake; then, items
  /// may not have ended or not have begun. Thread-safe.
  /// Returns what was counted.
  SimCounts launch(const SimLaunch &launch);

  /// The stacks in memory, for tests.
  std::size_t numStacks();

private:
  std::unique_ptr<SimGroup> take();

  HostThreads &threads;
  std::unique_ptr<StampMemory> stamps;
  std::mutex mutex; // guards `idle`
  std::vector<std::unique_ptr<SimGroup>> idle;
};

} // namespace tinygrad::detail

// The functions that kernels call. `item` is what the kernel was called with.
extern "C" {
/// Waits for all items of the group. `site` tells the barriers of a kernel
/// apart.
void tg_sim_barrier(int64_t item, int64_t site);
/// barrier.sync with a number and a number of items: waits for so many of the
/// group, which are whole subgroups.
void tg_sim_named_barrier(int64_t item, int64_t number, int64_t count,
                          int64_t site);
/// setmaxnreg: changes the registers of each item of a warpgroup, all of which
/// have to come here; an increase waits until others have given back as many.
void tg_sim_set_registers(int64_t item, int64_t count, int64_t isIncrease,
                          int64_t site);
/// The `bits` of another lane of the subgroup, all of which have to come here:
/// of lane ^ operand, lane - operand, lane + operand or operand, by `mode`. The
/// item's own if its lane or that one is not one of the first `width`, or if
/// the group ends before that one.
int64_t tg_sim_shuffle(int64_t item, int64_t bits, int64_t operand,
                       int64_t mode, int64_t width, int64_t site);
/// Comes before an access of `count` elements from `index` on, in memory at
/// `base` of `size` elements of `elementBytes`. `buffer` is the number of the
/// buffer, or -1 for a tile. `flags` are bits of SimAccess, an alignment and a
/// number.
/// Returns the index. Does not return after an error.
int64_t tg_sim_access(int64_t item, int64_t base, int64_t index, int64_t count,
                      int64_t size, int64_t elementBytes, int64_t flags,
                      int64_t buffer);
/// A matrix operation, by its place in Support/MatrixUnits.h, to which all
/// lanes of the subgroup have to come. `factors` are the registers of A, then
/// those of B; `sum` those of C, which become the result.
void tg_sim_multiply(int64_t item, int64_t unit, int64_t factors, int64_t sum,
                     int64_t site);
/// ldmatrix: `row` is the address of the row that the lane gives, `mode` a
/// SimMatrix, and 4 bytes of each of `count` matrices go to `result`.
void tg_sim_load_matrices(int64_t item, int64_t row, int64_t count,
                          int64_t mode, int64_t result, int64_t site);
/// ds_read_b64_tr_b16 and others of 8 bytes, of elements of `bytes`: `piece` is
/// the address of those that the lane reads, and as many go to `result`.
void tg_sim_read_transposed(int64_t item, int64_t piece, int64_t bytes,
                            int64_t result, int64_t site);
/// Begins to copy to shared memory, after the accesses were reported (with
/// SimAsync for the write). Bytes after the first `sourceBytes` become zeros.
void tg_sim_copy(int64_t item, int64_t destination, int64_t source,
                 int64_t bytes, int64_t sourceBytes);
/// The copies since the last call are a group.
void tg_sim_commit_copies(int64_t item);
/// Waits until at most `count` groups of copies of the item are not complete.
void tg_sim_wait_for_copies(int64_t item, int64_t count);
/// wgmma.mma_async, by its place in Support/MatrixUnits.h, to which all lanes
/// of four subgroups have to come. `a` and `b` are descriptors of shared
/// memory, which begins at address 0; in `transposed`, bit 0 says that the rows
/// which A has there are along the rows of the result, bit 1 that those of B
/// are along the columns. `sum` are the registers of C, which become the
/// result.
void tg_sim_multiply_shared(int64_t item, int64_t unit, int64_t transposed,
                            int64_t a, int64_t b, int64_t sum, int64_t site);
/// wgmma.fence: products that follow see what was written to registers.
void tg_sim_fence_registers(int64_t item);
/// wgmma.commit_group: the products since the last call are a group.
void tg_sim_commit_products(int64_t item);
/// wgmma.wait_group: waits until at most `count` groups of products of the item
/// are not complete.
void tg_sim_wait_for_products(int64_t item, int64_t count);
/// Comes before an access to registers of a sum by anything but products.
void tg_sim_read_sum(int64_t item);
/// fence.proxy.async: products and stores of boxes that follow a barrier see
/// what the item wrote to shared memory.
void tg_sim_fence_proxy(int64_t item);
/// mbarrier.init. An mbarrier is the one with a number among the `count` that
/// follow the first one of an array. A phase of it ends after `arrivals`
/// arrivals, when all bytes that they announced have come.
void tg_sim_init_mbarrier(int64_t item, int64_t first, int64_t count,
                          int64_t number, int64_t arrivals);
/// fence.mbarrier_init: others can use mbarriers after a barrier that follows.
void tg_sim_fence_mbarriers(int64_t item);
/// mbarrier.arrive.expect_tx, or mbarrier.arrive if there are no bytes.
void tg_sim_arrive(int64_t item, int64_t first, int64_t count, int64_t number,
                   int64_t bytes);
/// mbarrier.try_wait.parity, repeated until the phase of that parity has ended.
void tg_sim_wait_for_phase(int64_t item, int64_t first, int64_t count,
                           int64_t number, int64_t parity, int64_t site);
/// cp.async.bulk.tensor: begins to copy the box at column `x` and row `y` of a
/// SimTensorMap to the byte `destination` of shared memory; elements outside of
/// the matrix become zeros. The mbarrier counts its bytes.
void tg_sim_copy_box(int64_t item, int64_t map, int64_t x, int64_t y,
                     int64_t destination, int64_t first, int64_t count,
                     int64_t number, int64_t site);
/// cp.async.bulk.tensor of the other direction: begins to copy a box from the
/// byte `source` of shared memory to column `x` and row `y` of a SimTensorMap.
/// What is outside of the matrix is not copied.
void tg_sim_store_box(int64_t item, int64_t map, int64_t x, int64_t y,
                      int64_t source, int64_t site);
/// cp.async.bulk.commit_group: the stores of the item since the last call are a
/// group.
void tg_sim_commit_stores(int64_t item);
/// cp.async.bulk.wait_group: waits until at most `count` groups of stores of
/// the item have not read their boxes.
void tg_sim_wait_for_stores(int64_t item, int64_t count);
}

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATOR_H
