//===- GPUEmitter.h - kernels on GPUs ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What GPUs add to kernel emission: numbers of groups and work items, memory
/// that a group shares, barriers, and reductions over the items of a group.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_TGTOGPU_GPUEMITTER_H
#define TINYGRAD_LIB_CONVERSION_TGTOGPU_GPUEMITTER_H

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "TinyGrad/Conversion/TgToGPU/TgToGPU.h"
#include "TinyGrad/Dialect/Tg/Utils/DirectCopies.h"
#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"

namespace mlir::tg::togpu {

using emission::B;
using emission::IndexForm;
using emission::LaneForm;
using emission::RangeSet;

inline constexpr gpu::Dimension kDirections[] = {
    gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};

class GPUEmitter final : public emission::KernelEmitter {
public:
  GPUEmitter(KernelOp kernel, OpBuilder &builder, const TargetFacts &target)
      : KernelEmitter(kernel, builder, target, emission::NarrowFloats::floats) {
  }

  /// Creates the function. Reports operations that cannot be compiled.
  FailureOr<gpu::GPUFuncOp> emit();

private:
  bool isParallel(RangeKind kind) const override;
  bool mayClose(Operation *op, RangeKind kind) const override;

  //===--- The function (GPUEmitter.cpp) ---===//
  /// Binds the ranges of the items of a group.
  void bindItems();
  using KernelEmitter::getNumber;
  /// The number of the group or of the item in a direction.
  Value getNumber(gpu::Dimension direction, bool isItem);
  /// Begins what the items do that ranges have; the others, if there are any,
  /// copy boxes.
  void emitItems(llvm::function_ref<void()> body);
  /// A barrier of the items that ranges have.
  void createBarrier(unsigned depth, Location loc);
  /// Calls `body` only in groups that exist, if the grid is folded.
  void emitInGroups(llvm::function_ref<void()> body);

  //===--- The order of groups (GroupOrder.cpp) ---===//
  /// Calls `body` for each block of results of the group, with the ranges of
  /// the grid bound: in a loop, if groups compute several. Otherwise they are
  /// bound before.
  void forEachBlock(Location loc, llvm::function_ref<void()> body);
  /// Binds the ranges of the grid.
  void bindGrid();
  /// Binds them to a number among all blocks.
  void bindBlock(Value number);
  /// Binds those of x and y, if these are in bands, to a number among them.
  void bindBands(Value number);

  //===--- Loads and stores (Memory.cpp) ---===//
  /// Elements of a buffer at the current positions.
  struct Access {
    Value buffer;
    Type element; ///< the tg type of the elements
    IndexForm index;
    LaneForm lanes;    ///< the index, split
    Value mask;        ///< null: all
    int64_t width = 0; ///< lanes; 0 for a scalar
    /// The memory of a group, if it may be permuted, and where the buffer of
    /// the tile begins in it; null: at its beginning.
    const GroupLayout::Memory *memory = nullptr;
    Value start;
  };
  Value createLoad(LoadOp op, unsigned depth) override;
  void emitStore(StoreOp op) override;
  bool isOfGroup(Value buffer) const {
    auto argument = dyn_cast<BlockArgument>(buffer);
    return argument &&
           llvm::is_contained(func.getWorkgroupAttributions(), argument);
  }
  /// The memory of a group that a buffer is; null if it is none.
  const GroupLayout::Memory *getMemory(Value buffer) const {
    for (auto [memory, argument] :
         llvm::zip_equal(layout.memories, func.getWorkgroupAttributions()))
      if (argument == buffer)
        return &memory;
    return nullptr;
  }
  /// The unrolled range along which loads from memory of a group are neighbors,
  /// and how many of them one access reads; 1 if each is read alone.
  std::pair<unsigned, int64_t> findNeighbors(LoadOp op, const Access &access);
  /// Fills in the index and the mask; false if nothing is accessed.
  bool findPlace(Access &access, Value index, Value mask);
  /// Whether lanes are neighbors in memory.
  bool isContiguous(const Access &access) const;
  /// The alignment of a contiguous access that follows from the index.
  int64_t getAlignment(const Access &access) const;
  /// The index of an element in a lane, with unused elements of tiles.
  Value getElementIndex(const Access &access, int64_t lane, unsigned depth,
                        Location loc);
  /// Reads contiguous lanes at once.
  Value readVector(const Access &access, B &b, Value index);
  /// The index in memory of an element of a tile with unused elements.
  Value getPaddedIndex(const GroupLayout::Memory &memory, IndexForm index,
                       unsigned depth, Location loc);
  Value createRead(const Access &access, unsigned depth, Location loc);
  void emitWrite(const Access &access, Value value, Location loc,
                 std::optional<UpdateKind> update);

  //===--- Matrix operations (MatrixUnits.cpp) ---===//
  bool createContraction(RangedReduceOp op, unsigned depth) override;
  /// The place of an element in memory of a group.
  Value permute(const GroupLayout::Memory &memory, Value index, unsigned depth,
                Location loc);
  /// The bits of the number of a chunk that are flipped in the row of an
  /// element, shifted to the left if there is a shift.
  Value getFlipped(const GroupLayout::Memory &memory, Value index,
                   std::optional<unsigned> shift, unsigned depth, Location loc);
  /// Which elements of a tile a lane reads.
  struct Fragment;
  Fragment getFragment(const Contraction &contraction, bool ofColumns,
                       Value start);
  /// Reads a fragment in the top scope: a vector of registers.
  Value readFragment(const Fragment &fragment, Location loc);
  Value readFragmentByMatrices(const Fragment &fragment, int64_t count,
                               int64_t distance, Location loc);
  /// Where the first element is that a lane reads, which is the number that the
  /// digits of its own number are, in the order before the tile is permuted.
  Value getPlaceOfLane(const Fragment &fragment,
                       ArrayRef<std::pair<int64_t, int64_t>> digits,
                       Location loc);
  Value readFragmentTransposed(const Fragment &fragment, Location loc);
  bool readNeighbors(const Contraction &contraction, bool ofColumns,
                     Value start, RangeSet tiles,
                     DenseMap<uint64_t, Value> &fragments, Location loc);
  /// The sum over the digits of a number, times their distances in a tile.
  Value getDigits(Value number, ArrayRef<std::pair<int64_t, int64_t>> digits,
                  Location loc);

  //===--- Operations of four subgroups (WarpgroupUnits.cpp) ---===//
  /// Sums of zeros.
  Value createWarpgroupZeros(const tinygrad::MatrixUnit &unit, Location loc);
  /// Lets wgmma read what items wrote to the memory of the group, once a
  /// barrier follows. Nothing in kernels without wgmma.
  void separateProxies(unsigned depth, Location loc);
  /// The descriptor of a factor at the current positions, in the buffer of the
  /// tile that begins at \p start (null: at its beginning).
  Value getDescriptor(const Contraction &contraction, bool ofColumns,
                      Value start, Location loc);
  /// Adds the products of both tiles to the sums, at all positions of unrolled
  /// ranges, and waits for them, but for those of `positionsInFlight`.
  void addWarpgroupProducts(const Contraction &contraction, RangeSet tiles,
                            RangeSet steps, ArrayRef<Value> starts,
                            SmallVectorImpl<Value> &sums, Location loc);
  /// The registers of a sum, after the wait.
  SmallVector<Value> takeRegisters(const tinygrad::MatrixUnit &unit, Value sum,
                                   Location loc);
  /// The number of the register of the result at the current positions, of the
  /// first lane of a vector.
  int64_t getRegister(const Contraction &contraction);
  using KernelEmitter::getScalar;

  //===--- Tiles that are filled ahead (AsyncCopies.cpp) ---===//
  /// Whether both tiles of a sum are filled ahead, by copies that no item waits
  /// for, in the only loop of the sum. Sets `directCopies` if they are those of
  /// subgroups.
  bool isFilledAhead(StageOp rows, StageOp columns, ArrayRef<unsigned> loops);
  /// Begins to copy the elements of a tile at the current positions to the
  /// buffer that begins at \p start.
  void beginCopies(StageOp op, Value start);
  /// The elements between the buffers of a tile.
  int64_t getBufferSize(StageOp tile) const;
  /// The loop of a sum whose tiles are filled ahead; `multiply` adds what is in
  /// the buffers that begin at the places for the tiles. Copies of boxes fill
  /// them if the layout has these.
  using Multiply =
      llvm::function_ref<void(ArrayRef<Value>, SmallVectorImpl<Value> &)>;
  void emitFilledAhead(std::array<StageOp, 2> tiles, unsigned loop,
                       SmallVectorImpl<Value> &sums, Location loc,
                       Multiply multiply);
  /// Where the buffers of a position begin in the memory of each tile.
  SmallVector<Value, 2> getStarts(ArrayRef<StageOp> tiles, Value position,
                                  Location loc);
  /// Emits the loop of a sum whose tiles are filled ahead; `body` is given the
  /// position and changes the values that the loop carries.
  void
  emitPositions(unsigned loop, SmallVectorImpl<Value> &carried, Location loc,
                llvm::function_ref<void(Value, SmallVectorImpl<Value> &)> body);
  /// Calls `body` in a scope in which a loop is at a position of a part.
  void atPosition(unsigned loop, Value value, Dim begin, Dim end,
                  llvm::function_ref<void()> body);
  bool emitSum(RangedReduceOp op, ArrayRef<unsigned> loops,
               SmallVectorImpl<Value> &sums, Body body) override;

  //===--- Tiles that subgroups copy at once (DirectCopies.cpp) ---===//
  /// As emitFilledAhead and beginCopies, by copies of subgroups.
  void emitDirectlyAhead(std::array<StageOp, 2> tiles, unsigned loop,
                         SmallVectorImpl<Value> &sums, Location loc,
                         Multiply multiply);
  void beginDirectCopies(StageOp op, const DirectCopy &copy, Value start);
  /// Waits for all copies of the item but those of the last `positions`
  /// positions.
  void waitForDirectCopies(int64_t positions, Location loc);
  /// Binds a range to the chunk of `width` elements that is to be at its
  /// position of a permuted tile, in a scope of its own, and calls `body`
  /// there.
  void atPermutedChunk(StageOp op, RangeOp chunks, int64_t width,
                       llvm::function_ref<void()> body);
  bool isDirect(StageOp tile) const { return directCopies.contains(tile); }

  //===--- Tiles and results that are copied as boxes (BoxCopies.cpp) ---===//
  /// What the loop around a sum needs for them.
  struct BoxFilling {
    Value mbarriers;  ///< one for each buffer
    Value emptied;    ///< the same, if there are items that only copy
    Value isBeginner; ///< whether the item begins copies; null if it is alone
    SmallVector<Value, 2> maps;
    int64_t bytes = 0; ///< of all tiles together
  };
  /// Whether the tile is filled that way.
  bool isBoxTile(StageOp tile) const {
    return llvm::any_of(layout.boxTiles,
                        [&](const auto &entry) { return entry.first == tile; });
  }
  /// Whether the item is the one that begins copies; null if it is alone.
  Value getIsBeginner(Location loc);
  /// Initializes the mbarriers in the top scope.
  BoxFilling prepareBoxes(int64_t buffers, Location loc);
  /// Begins to fill the buffers of a position of the loop, which begin at the
  /// places for the tiles.
  void beginBoxes(const BoxFilling &filling, Value position, int64_t buffers,
                  ArrayRef<Value> starts, Location loc);
  /// Waits until the buffers of a position are filled.
  void waitForBoxes(const BoxFilling &filling, Value position, int64_t buffers,
                    Location loc);
  /// Waits for the mbarrier of a position, in the parity of its phase or the
  /// other one.
  void waitForPhase(Value mbarriers, Value position, int64_t buffers,
                    bool isOther, Location loc);
  /// What the items do that only copy: they fill the buffers of each position
  /// once these are empty.
  void emitCopyingItems(Location loc);
  /// A loop in which these fill the buffers, and the others multiply.
  void emitFilledByOthers(ArrayRef<StageOp> tiles, unsigned loop,
                          SmallVectorImpl<Value> &sums, Location loc,
                          Multiply multiply);
  /// A position of that loop, counted across the blocks of the group.
  Value countAcrossBlocks(Value position, Location loc);
  /// Says that the buffer of the position before \p next was read.
  void arrive(Value isFirst, Value next, Location loc);
  /// The loop of the sum whose tiles copies of boxes fill.
  unsigned getBoxLoop();
  /// Changes how many registers items have: those that copy give some of them
  /// to the others. Nothing if all have as many as they can.
  void setRegisters(bool ofCopyingItems, Location loc);
  /// A map of boxes of a buffer.
  Value createTensorMap(const tinygrad::TensorMap &map, Value buffer,
                        Location loc);
  /// A box that begins at an element in the memory of a tile.
  Value getBox(Operation *tile, const tinygrad::TensorMap &map, Value first,
               Location loc);
  /// Whether the item is the first one of its group; null if it is alone.
  Value getIsFirstItem(Location loc);
  /// Writes a result at the current positions to the memory of a tile that no
  /// item reads any more.
  void writeToBox(StoreOp op);
  /// Copies these boxes to their buffer, and waits until they have been read.
  void storeBoxes(Location loc);
  /// Waits until the stores of boxes that the item has begun, if any, have read
  /// them.
  void waitForStores(Location loc);
  /// The value of an index at the current positions.
  Value getScalar(const LinearForm &form, int64_t offset, Location loc);

  //===--- Memory of groups (Groups.cpp) ---===//
  /// All items have to reach the barriers in a loop.
  bool mayNarrow() const override {
    return layout.memories.empty() && layout.exchanges.empty() &&
           !kernel.getInPlace();
  }
  /// A barrier, if one item of several writes what all of them have read.
  void separateLoads(ArrayRef<StoreOp> stores) override;
  Value createStage(StageOp op, unsigned depth) override;
  /// Fills the other tiles of groups that are read together with this one, so
  /// that they share its barriers.
  void fillOthers(StageOp op);
  Value combineItems(RangedReduceOp op, RangeSet items, Value value,
                     unsigned depth) override;
  /// The result of a reduction, for a scalar; `position` numbers the results of
  /// the reduction.
  Value combineScalar(const GroupLayout::Exchange &exchange, Value value,
                      int64_t position, unsigned depth);
  /// The value of the lane whose number differs by `offset`, in one bit.
  Value shuffle(B &b, Value value, int64_t offset);
  /// The number of the item among those of some axes, from the outermost on.
  Value getItemNumber(ArrayRef<unsigned> axes, unsigned depth, Location loc);
  /// Whether the item is the first one along some axes; null if there is only
  /// one.
  Value getIsFirst(ArrayRef<unsigned> axes, unsigned depth, Location loc);
  /// Emits a barrier before a part of the memory of \p op is written in the
  /// scope `depth`, if items may still read what it held before. If there are
  /// several parts, each is separated from the reads that follow at once.
  void separateFromReads(Operation *op, unsigned depth, Location loc,
                         int64_t part = 0);
  /// Emits the barriers between what was written and the reads that follow.
  /// They come as late as possible, so that tiles share them.
  void separateFromWrites(Location loc);

  GroupLayout layout;
  mutable gpu::GPUFuncOp func; // whose accessors are not const
  /// The number of the item along each axis.
  SmallVector<Value> axisNumbers;
  DenseMap<Operation *, Value> memories;
  /// The descriptors of whole tiles, by what they say beside the address.
  DenseMap<std::pair<Operation *, uint64_t>, Value> descriptors;
  /// Where the buffers begin that the current position of a sum reads, of tiles
  /// that are filled ahead.
  DenseMap<Operation *, Value> starts;
  /// How subgroups copy the tiles that they fill ahead, and the copies that an
  /// item has begun for the position that is being filled.
  DenseMap<Operation *, DirectCopy> directCopies;
  int64_t numDirectCopies = 0;
  /// The last positions of a loop whose products may still run at the end of
  /// one.
  int64_t positionsInFlight = 0;
  /// The positions of the loop of a sum in all blocks of the group before the
  /// current one; null if it computes one.
  Value positionsBefore;
  /// What fills tiles, if that are items that only copy.
  std::optional<BoxFilling> filling;
  /// Whether results are in the memory of a tile.
  bool hasBoxResults = false;
  bool isFillingOthers = false;
  /// Parts of memory that were written before, and in which blocks.
  DenseSet<std::pair<Operation *, int64_t>> written;
  DenseSet<std::pair<Operation *, Block *>> writtenIn;
  /// The scopes in which memory was written since their last barrier.
  SmallVector<unsigned> unread;
  /// Blocks in which no memory was read since their last barrier.
  DenseSet<Block *> separated;
};

} // namespace mlir::tg::togpu

#endif // TINYGRAD_LIB_CONVERSION_TGTOGPU_GPUEMITTER_H
