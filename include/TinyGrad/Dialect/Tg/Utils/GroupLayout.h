//===- GroupLayout.h - ranges as groups and work items ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How a scheduled kernel is distributed over the groups and work items of a
/// GPU. Schedules, code generation, launches and proofs agree on this.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_GROUPLAYOUT_H
#define TINYGRAD_DIALECT_TG_UTILS_GROUPLAYOUT_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgCopyingItems.h"
#include "TinyGrad/Dialect/Tg/IR/TgTarget.h"
#include "TinyGrad/Dialect/Tg/Utils/Contraction.h"
#include "TinyGrad/Dialect/Tg/Utils/Permutation.h"
#include "TinyGrad/Dialect/Tg/Utils/TileBoxes.h"

#include <array>

namespace mlir::tg {

/// How the ranges of a scheduled kernel are distributed over groups and work
/// items. Ranges of kind `global` (and `thread`) are digits of the numbers of
/// the groups; those of kind `local` and `group_reduce` are digits of the
/// numbers of the items of a group. Index 0 is x, the fastest direction.
struct GroupLayout {
  /// The ranges in each direction of the grid, from the outermost on.
  std::array<SmallVector<RangeOp>, 3> gridRanges;
  /// Groups in each direction.
  std::array<Dim, 3> groups;
  /// If set, there are more groups than one direction admits: the groups of x
  /// and y together number the positions of gridRanges[0], and this is how many
  /// positions there are.
  Dim foldedGroups;
  /// The positions of gridRanges[1] that groups go through at once, one of
  /// gridRanges[0] after the other (TgGroupOrder.h); 0: one after the other.
  /// Both are ranges of known length, and the last band may have fewer.
  int64_t band = 0;

  /// If not 0, groups compute several blocks of results each
  /// (TgCopyingItems.h): this is how many positions the ranges of the grid have
  /// together, and groups[0] is how many groups there are at most. Group g of
  /// n computes the positions g, g + n, g + 2n, ...
  int64_t blocks = 0;

  /// Ranges that are bound to the same items. No value depends on two of them,
  /// and they have the same extent.
  struct Axis {
    SmallVector<RangeOp> ranges;
    uint32_t extent = 1;
  };
  /// The axes of the items of a group, from the outermost on.
  SmallVector<Axis> axes;
  /// The axes in each direction: the last one is x, the one before it y, and
  /// all others together are z; or all are x, if z admits fewer items.
  std::array<SmallVector<unsigned, 2>, 3> itemAxes;
  /// Items of a group in each direction.
  std::array<uint32_t, 3> groupSize{1, 1, 1};
  /// Those that no range has, after all others: a warpgroup that begins the
  /// copies of boxes, if there are any, and otherwise does nothing; or none.
  /// They are the last ones along `copyingDirection`.
  uint32_t copyingItems = 0;
  unsigned copyingDirection = 0;

  /// The memory that the items of a group share: tiles of groups, and what
  /// reductions over items exchange, in the order of the kernel.
  struct Memory {
    Operation *op;
    Type element;   ///< a tg type; bool takes a byte
    int64_t size;   ///< in elements
    int64_t offset; ///< in bytes
    /// Where chunks of a tile are that only matrix operations read, so that
    /// those of a column are in different banks. A row has at least 128 bytes.
    /// A chunk is what a lane reads at once: 8 of 16 bytes or 16 of 8 are 128,
    /// 16 of 16 are 256. Reads that transpose have chunks of 32 bytes, and 32
    /// lanes read rows whose numbers differ in the bits of both masks alone.
    /// Without bits of a row all elements are in their order.
    Permutation order = {};
    /// `pad` elements that are not used follow each `row` elements, so that
    /// items that access a column do not all access one bank.
    int64_t row = 0, pad = 0;
    /// What the address is a multiple of, in bytes.
    int64_t alignment = 16;
  };
  SmallVector<Memory> memories;
  /// Bytes of all of it.
  int64_t groupBytes = 0;

  /// How a reduction over items is done: `shuffled` items exchange values in
  /// their subgroup, `stride` lanes apart, and `partials` such values, which go
  /// through memory, are left of each of `rows` results.
  struct Exchange {
    RangedReduceOp op;
    SmallVector<unsigned> axes; ///< those that it closes
    uint32_t shuffled = 1, stride = 1, partials = 1, rows = 1;
    int64_t results = 1; ///< of unrolled positions and lanes
  };
  SmallVector<Exchange> exchanges;

  /// The sums that matrix operations compute.
  SmallVector<Contraction> contractions;
  /// The axes of the columns of a subgroup's lanes, and of the rows: the two
  /// innermost ones, if there are contractions.
  unsigned getColumnAxis() const { return axes.size() - 1; }
  unsigned getRowAxis() const { return axes.size() - 2; }
  /// Whether some of them read the memory of the group themselves.
  bool hasWarpgroups() const {
    return llvm::any_of(contractions, [](const Contraction &contraction) {
      return contraction.unit->readsMemory();
    });
  }

  /// The tiles that copies of boxes fill: those of the rows and of the columns
  /// of one contraction, or none; and the mbarriers that count the copies, one
  /// for each buffer, or two if there are items that only copy. They are part
  /// of `groupBytes`.
  SmallVector<std::pair<StageOp, TileBoxes>, 2> boxTiles;
  int64_t mbarriers = 0;

  /// A store of boxes, which are made in the memory of a tile of that
  /// contraction; no store if there is none.
  struct BoxStore {
    StoreOp store;
    /// The tile, or the store itself, if it has memory of its own: where groups
    /// compute several blocks, tiles are filled for the next one.
    Operation *memory;
    ResultBoxes result;
  };
  std::optional<BoxStore> boxStore;

  uint32_t getGroupItems() const {
    return groupSize[0] * groupSize[1] * groupSize[2];
  }
  /// The items of a group that ranges have.
  uint32_t getRangeItems() const { return getGroupItems() - copyingItems; }
  /// The number of the first other ones along `copyingDirection`.
  uint32_t getFirstCopying() const {
    const uint32_t size = groupSize[copyingDirection];
    return size - copyingItems / (getGroupItems() / size);
  }
};

/// The layout of a scheduled kernel. Emits an error if it cannot have one: a
/// symbolic number of items, or more items or memory than a group can have.
FailureOr<GroupLayout> getGroupLayout(KernelOp kernel,
                                      const TargetFacts &target);

/// What the address of a buffer that a kernel for a target with groups accesses
/// is a multiple of, in bytes: an argument, or the tile of a group.
int64_t getAlignment(KernelOp kernel, Value buffer);

/// Why asynchronous copies cannot fill a tile of a group; null if they can: its
/// elements come from memory as they are, those of its lanes, if it has any,
/// are neighbors there, and their addresses are multiples of what such a copy
/// has at least, of which all or none is masked.
std::optional<StringRef> findObstacleToCopy(KernelOp kernel, StageOp tile,
                                            IndexAnalysis &analysis);

/// What the addresses of the elements that fill a tile are multiples of, in
/// bytes: those of the first lane, which are neighbors in memory if the tile
/// has lanes.
int64_t getCopyAlignment(KernelOp kernel, StageOp tile,
                         IndexAnalysis &analysis);

/// How many lanes of such a tile, a power of two, one copy may have at most:
/// its mask is the same for all of them.
int64_t countCopiedLanes(StageOp tile, IndexAnalysis &analysis);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_GROUPLAYOUT_H
