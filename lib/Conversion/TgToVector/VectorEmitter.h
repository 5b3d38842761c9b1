//===- VectorEmitter.h - kernels on CPUs ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What CPUs add to kernel emission: a loop over the work items of a thread,
/// vector loads and stores (masked, gathered, or transposed in registers),
/// prefetches, non-temporal stores, and tiles on the stack.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_TGTOVECTOR_VECTOREMITTER_H
#define TINYGRAD_LIB_CONVERSION_TGTOVECTOR_VECTOREMITTER_H

#include "TinyGrad/Conversion/KernelEmission/KernelEmitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tg::tovector {

using emission::B;
using emission::IndexForm;
using emission::LaneForm;
using emission::RangeSet;

class VectorEmitter final : public emission::KernelEmitter {
public:
  VectorEmitter(KernelOp kernel, OpBuilder &builder, const TargetFacts &target);

  /// Creates the function next to the kernel. Reports operations that cannot be
  /// compiled.
  FailureOr<func::FuncOp> emit();

private:
  bool isParallel(RangeKind kind) const override;
  LogicalResult checkOperation(Operation *op) override;
  static LogicalResult checkMemorySpace(Operation *op, Type type);

  //===--- The function (VectorEmitter.cpp) ---===//
  /// The ranges whose loops run around the work items: those before all ranges
  /// of items that may. None if updates repeat along others too, or do not
  /// begin with constants that are stored at the same place.
  SmallVector<unsigned> findPasses();
  /// Emits all stores: loops over the thread's work items, and around them.
  void emitItems(func::FuncOp func);
  void emitThreadLoop(func::FuncOp func, llvm::function_ref<void()> body);
  /// If the size of results depends on variables, calls `body` in two branches:
  /// one with non-temporal stores, for large results, and one without.
  /// emitRowSizes does the same for prefetches of rows.
  void emitSizes(ArrayRef<StoreOp> stores, llvm::function_ref<void()> body);
  void emitRowSizes(llvm::function_ref<void()> body);
  /// 1 where the rows that a load prefetches are so much shorter than their
  /// maximum that the hardware prefetcher does not reach the next one; else 0.
  /// Null if that does not depend on variables.
  Dim getShortRows(LoadOp op);

  //===--- Loads and stores (Memory.cpp) ---===//
  struct Access {
    Value buffer; ///< the memref
    Type element; ///< the tg type of its elements
    IndexForm index;
    LaneForm lanes;                   ///< the index, split
    Value mask;                       ///< null: all
    int64_t width;                    ///< lanes; 0 for a scalar access
    bool nontemporal = false;         ///< non-temporal store
    std::optional<UpdateKind> update; ///< store: combine with the old value
    TypedAttr first;      ///< the old value in the first pass, null: in memory
    int64_t prefetch = 0; ///< distance in elements; 0 for none
  };
  Value createLoad(LoadOp op, unsigned depth) override;
  /// How many elements of a buffer can be read without a mask, whatever the
  /// sizes are; 0 if that is not known.
  int64_t getReadable(Value buffer) const;
  /// The element at the index where the mask, if there is one, is true; any
  /// number elsewhere.
  Value loadWhere(Value buffer, Value mask, Value index, B &b);
  Value createScalarLoad(const Access &access, unsigned depth, Location loc);
  Value createVectorLoad(const Access &access, unsigned depth, Location loc);
  Value createEvenLoad(const Access &access, VectorType type, unsigned depth,
                       Location loc);
  void emitStore(StoreOp op) override;
  void emitWrite(const Access &access, Value value, Location loc);
  /// The result of an update: the elements' previous values combined with the
  /// value.
  Value combineWithOld(const Access &access, Value value, Location loc);
  void emitVectorWrite(const Access &access, Value value, Location loc);
  void createVectorStore(const Access &access, Value value, Value start, B &b);
  /// Whether a contiguous access to a buffer aligned to 64 bytes is aligned to
  /// 64 bytes.
  bool isAligned(const Access &access, Type memory) const;
  /// Whether the store is non-temporal.
  bool isNonTemporal(const Access &access);
  void createPrefetch(const Access &access, Value start, Type memory,
                      bool isWrite, B &b);
  /// For a load of one element per position of the innermost loop whose
  /// elements share a cache line: prefetches the line once, before that loop.
  void prefetchLine(Access access, unsigned depth, Location loc);
  /// The index of the first element in memory of a contiguous access.
  Value getStart(const Access &access, Location loc);
  /// The offsets of the lanes' elements, for gather and scatter.
  Value getOffsets(const Access &access, unsigned depth, Location loc,
                   Value &start);

  //===--- Lanes that take turns (Interleave.cpp) ---===//
  /// Lane l reads start + l / count + step * (l mod count), or, if isPeriodic,
  /// start + l mod count.
  struct Turns {
    int64_t count = 0, step = 0;
    bool isPeriodic = false;
    /// Whether masked lanes are inside of the buffer too.
    bool isInside = false;
    IndexForm start;
  };
  std::optional<Turns> findTurns(const Access &access);
  Value createTurnsLoad(const Access &access, const Turns &turns,
                        unsigned depth, Location loc);

  //===--- Tiles (Tiles.cpp) ---===//
  Value createStage(StageOp op, unsigned depth) override;
  /// Allocates a tile. One whose contents are kept for later work items shares
  /// memory only with the same tile in other parts of the parallel ranges.
  Value createTile(StageOp op, unsigned depth, bool isKept);
  /// Whether the tile must be filled: it still holds the contents of the
  /// previous work item if only ranges changed on which it does not depend.
  /// Null if it must always be filled.
  Value createIsNew(StageOp op, unsigned depth);
  /// Whether all work items that agree in the ranges \p fixed run the block, or
  /// none of them does.
  bool isRunByAll(Block *block, RangeSet fixed);
  void fillTile(StageOp op, Value tile);

  //===--- Loads and tiles across lanes (Transpose.cpp) ---===//
  /// The unrolled range along which a load that is strided along the lanes is
  /// contiguous, if it has as many positions.
  std::optional<unsigned> findSquare(LoadOp op, const Access &access);
  /// Loads for all positions of that range; returns the current one.
  Value createSquare(LoadOp op, const Access &access, unsigned square,
                     Type memory, unsigned depth);
  /// An unrolled range along which a load that is strided along the lanes is
  /// contiguous, if the stride is the number of its positions, see
  /// isStrip(). `isBackward` if its positions are in descending order.
  struct Strip {
    unsigned range;
    bool isBackward;
  };
  std::optional<Strip> findStrip(LoadOp op, const Access &access);
  /// Loads for all positions of that range; returns the current one.
  Value createStrip(LoadOp op, const Access &access, Strip strip, Type memory,
                    unsigned depth);
  /// The unrolled range of a stage along which its tile is contiguous, if it is
  /// strided along the lanes.
  std::optional<unsigned> findWrittenSquare(StageOp op, const Access &access,
                                            RangeSet unrolled);
  /// Writes the staged values at all positions of that range.
  void writeSquare(StageOp op, Access access, unsigned square);

  /// The loop over the work items; null if there is one item.
  scf::ForOp threadLoop;
  RangeSet passSet = 0; ///< of findPasses
  /// With passes around the work items: for each update, the constant that the
  /// store before it writes, which is not emitted. It is the old value where
  /// the condition is false, in the first pass.
  DenseMap<Operation *, TypedAttr> firstValues;
  Value isLaterPass;
  /// Whether stores marked `nontemporal` are non-temporal.
  bool isLarge = true;
  /// Whether loads prefetch rows for which that depends on variables.
  bool arePrefetched = true;
  int64_t stackBytes = 0;
  SmallVector<Value> heapTiles;
  /// Memory of kept tiles, and the blocks that use it: one for each part.
  struct KeptTile {
    Value memory;
    SmallVector<Block *> blocks;
  };
  DenseMap<Operation *, SmallVector<KeptTile>> keptTiles;
};

} // namespace mlir::tg::tovector

#endif // TINYGRAD_LIB_CONVERSION_TGTOVECTOR_VECTOREMITTER_H
