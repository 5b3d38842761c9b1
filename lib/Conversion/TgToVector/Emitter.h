//===- Emitter.h - a kernel's values in loops -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The state that emission of one kernel needs, in one class.
///
/// A kernel's body has no loops. Emission starts from the stores, opens the
/// loops that each needs, and creates values where they are asked for:
///
/// * Open loops are a stack of scopes. A value goes into the outermost scope in
///   which every loop range that it depends on is bound, in front of the loop
///   that is being filled there, and is remembered there. What does not change
///   in a loop is thereby never inside it.
/// * `unroll` ranges are numbers of an environment. A value is emitted once for
///   each number that the unroll ranges it depends on take.
/// * `upcast` ranges are lanes. A value that depends on one is a vector, or a
///   scalar where all lanes turn out to be equal. The environment may also give
///   such a range a number: then the value of that one lane is meant.
/// * The part of a loop that is being filled (main part, or peeled positions)
///   bounds its range, and what the bounds decide is folded.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_TGTOVECTOR_EMITTER_H
#define TINYGRAD_LIB_CONVERSION_TGTOVECTOR_EMITTER_H

#include "Arithmetic.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>
#include <optional>

namespace mlir::tg::tovector {

/// A set of ranges of a kernel, by their position among its ranges.
using RangeSet = uint64_t;
inline RangeSet setOf(unsigned range) { return RangeSet(1) << range; }

/// Inclusive bounds of an index; they saturate far outside of all valid
/// indices.
struct Bounds {
  static constexpr int64_t least = -(int64_t(1) << 60);
  static constexpr int64_t most = int64_t(1) << 60;
  int64_t lo = least;
  int64_t hi = most;
};

/// Modulo 2^64, as indices are computed.
inline int64_t addWrapped(int64_t x, int64_t y) {
  return static_cast<int64_t>(uint64_t(x) + uint64_t(y));
}
inline int64_t mulWrapped(int64_t x, int64_t y) {
  return static_cast<int64_t>(uint64_t(x) * uint64_t(y));
}

/// constant + sum of factor * value. A term stands for a range that is a loop
/// or the lanes, or for the result of an operation that is no sum. `lane0`
/// marks an operation that is known to be equal in all lanes although its
/// operands are not; its value in lane 0 is meant.
struct Form {
  struct Term {
    Value value;
    bool lane0;
    int64_t factor;
  };
  int64_t constant = 0;
  SmallVector<Term, 4> terms;

  bool isConstant() const { return terms.empty(); }
  void add(const Form &other, int64_t factor);
  void addTerm(Value value, bool lane0, int64_t factor);
};

/// An index split into lanes and the rest.
struct LaneForm {
  Form scalar;
  int64_t stride = 0;
  /// Terms whose difference between lanes is unknown; none in most indices.
  SmallVector<Form::Term, 2> irregular;
};

class Emitter {
public:
  Emitter(KernelOp kernel, OpBuilder &builder, const TargetFacts &target);

  /// Creates the function next to the kernel. Reports operations that cannot be
  /// compiled.
  FailureOr<func::FuncOp> emit();

  /// The product of the extents of the ranges that run in parallel.
  Dim getParallelExtent() const;

private:
  /// Positions of a range: from the first to the last, both included, which
  /// are expressions where the range is symbolic.
  struct Part {
    Dim first, last;
  };
  struct Range {
    RangeOp op;
    RangeKind kind = RangeKind::loop;
    int64_t extent = 0; ///< the greatest, where it is symbolic
    Dim peel;
    uint64_t keyFactor = 0; ///< in environment keys; unroll and upcast only
    // Current binding of a loop range.
    Value value; ///< null while it is one known position
    int64_t lo = 0, hi = 0;
    Part part;          ///< the same ends; null unless the range is symbolic
    unsigned depth = 0; ///< of the scope that binds it
    /// The loop covers only positions for which this condition may be true;
    /// null: all.
    Value condition;
    // Current position of an unroll or upcast range; -1: none, or all lanes.
    int64_t position = -1;
  };

  /// Where operations of a scope go: the end of the block, or before the loop
  /// that is being filled. Scopes of one position share their parent's.
  struct Anchor {
    Block *block = nullptr;
    Operation *before = nullptr;
  };

  using Key = std::pair<Value, uint64_t>;
  struct Scope {
    std::shared_ptr<Anchor> anchor;
    DenseMap<Key, Value> values;
    DenseMap<Key, Form> forms;
    DenseMap<Key, Bounds> bounds;
    DenseMap<Key, int> bools;
    std::map<std::tuple<int, void *, int64_t>, Value> sums;
    /// Tiles that hold values of this scope, and those of scopes within it that
    /// are closed, for use by others.
    SmallVector<Value> tiles, freeTiles;
  };

  //===--- Analysis (Emitter.cpp) ---===//
  LogicalResult analyze();
  LogicalResult checkLanes(Operation *op, RangeSet set);
  RangeSet getDeps(Value value) const { return deps.lookup(value); }
  RangeSet getSet(ValueRange ranges) const;
  uint64_t getKey(Value value) const;
  unsigned getDepth(Value value) const;
  /// The upcast range of the set whose lanes are meant, or none.
  std::optional<unsigned> getLaneRange(RangeSet set) const;

  //===--- Scopes (Emitter.cpp) ---===//
  /// The builder, set to create operations in a scope.
  B &at(unsigned depth, Location loc);
  unsigned top() const { return scopes.size() - 1; }
  /// Pops the top scope; its tiles are free in the one around it.
  void closeScope();
  Value getIndexConstant(int64_t value, Location loc);
  /// Calls `body` with only the scopes up to `depth` on the stack.
  void withinDepth(unsigned depth, llvm::function_ref<void()> body);
  /// Calls `body` for each combination of positions of unroll ranges.
  void forEachPosition(RangeSet set, llvm::function_ref<void()> body);

  //===--- Loops (Loops.cpp) ---===//
  /// Opens the loops of `ranges`, from `index` on, at the top scope, and calls
  /// `body` inside: several times where a loop is peeled. `carried` are values
  /// that the loops hand from position to position. With a cascade, sums among
  /// them are added up in blocks.
  using Body = llvm::function_ref<void(SmallVectorImpl<Value> &carried)>;
  struct Cascade;
  void emitLoops(ArrayRef<unsigned> ranges, SmallVectorImpl<Value> &carried,
                 Location loc, Body body, const Cascade *cascade = nullptr);
  void emitLoopPart(ArrayRef<unsigned> ranges, Dim begin, Dim end,
                    SmallVectorImpl<Value> &carried, Location loc, Body body,
                    const Cascade *cascade);
  /// Narrows a loop to the positions at which the condition of its range can
  /// hold. \p lower and \p upper are the bounds to be narrowed, the top scope
  /// is the one in which the condition will hold, and \p place, in the scope
  /// \p outer, is where the bounds have to be known.
  void narrowLoop(unsigned index, arith::MaxSIOp lower, arith::MinSIOp upper,
                  Operation *place, unsigned outer, Location loc);
  /// Sets the current bounds of the range; the end is excluded.
  void setPart(Range &range, Dim begin, Dim end);
  Dim getExtent(const Range &range) const {
    return Dim(RangeOp(range.op).getExtent());
  }
  Dim getNumber(int64_t value) { return Dim(kernel.getContext(), value); }
  void emitThreadLoop(func::FuncOp func, llvm::function_ref<void()> body);
  /// Calls `body` in a branch for the main part and one for the peeled
  /// positions of each of these ranges.
  void emitThreadParts(ArrayRef<unsigned> peeled,
                       llvm::function_ref<void()> body);
  /// Where the size of results depends on variables, calls `body` in a branch
  /// with non-temporal stores, for large results, and in one without; likewise
  /// for prefetches of rows.
  void emitSizes(ArrayRef<StoreOp> stores, llvm::function_ref<void()> body);
  void emitRowSizes(llvm::function_ref<void()> body);
  /// Calls `body` in a branch with \p flag for where the condition holds, and
  /// in one without.
  void emitBranches(Value condition, bool &flag,
                    llvm::function_ref<void()> body);
  /// 1 where the rows that a load prefetches are so much shorter than their
  /// maximum that the hardware prefetcher does not reach the next one; else 0.
  /// Null if that does not depend on variables.
  Dim getShortRows(LoadOp op);
  /// Calls `body` with operations going to a block.
  void emitInBlock(Block *block, llvm::function_ref<void()> body);

  //===--- Stores (Emitter.cpp) ---===//
  void emitStores(ArrayRef<StoreOp> stores, RangeSet open);
  /// The ranges that a store's operands depend on.
  RangeSet getStoreSet(StoreOp store) const;
  void prefetchValues(StoreOp store);

  //===--- Values (Emitter.cpp) ---===//
  /// The value in the current environment, for use in the top scope: a scalar,
  /// or a vector over the lanes.
  Value get(Value value);
  Value create(Value value, unsigned depth);
  Value createElementwise(Operation *op, unsigned depth);
  Value toLanes(B &b, Value value, int64_t lanes);
  /// Looks through a tg.where whose condition is known.
  Value resolve(Value value);
  /// Counts how far get, getForm and getKnown are nested. Where that is far,
  /// the operands that the rest of the way leads to are visited from the other
  /// end first, which keeps the stack small for any kernel.
  class Nesting {
  public:
    Nesting(Emitter &emitter, Value value);
    ~Nesting() { --emitter.level; }

  private:
    Emitter &emitter;
  };
  void visitOperandsFirst(Value value);

  //===--- Index arithmetic (Index.cpp) ---===//
  Form getForm(Value index);
  Form computeForm(Value index);
  Form computeDivision(Operation *op, bool wantRemainder);
  Bounds getBounds(const Form &form);
  Bounds getSymbolicBounds(const Form &form);
  /// The value of a dimension, at the top of the function.
  Value getDimValue(Dim dim, Location loc);
  Bounds getTermBounds(Value value);
  Bounds computeTermBounds(Operation *op);
  LaneForm splitLanes(const Form &form);
  /// An index that is equal in all lanes; placed as far out as its parts allow.
  Value getScalar(const Form &form, Location loc);
  Value getIndex(const Form &form, Location loc);
  Value getTerm(const Form::Term &term);
  Value createIndexOp(Operation *op, unsigned depth);
  Value sum(unsigned depth, Value x, Value y, Location loc);
  Value scaled(unsigned depth, Value x, int64_t factor, Location loc);
  /// Whether a bool is known; the value of a comparison of indices otherwise.
  std::optional<bool> getKnown(Value boolean);
  std::optional<bool> computeKnown(Value boolean);
  std::optional<bool> compareKnown(Operation *op);
  Value createIndexCompare(Operation *op, unsigned depth);
  /// The lanes' numbers times a factor, as a constant vector.
  Value getIota(B &b, int64_t lanes, int64_t factor, Type element);

  //===--- Memory (Memory.cpp) ---===//
  Value getBuffer(Value buffer);
  Value createLoad(LoadOp op, unsigned depth);
  struct Access {
    Value buffer; ///< the memref
    Type element; ///< the tg type of its elements
    Form index;
    LaneForm lanes;                   ///< the index, split
    Value mask;                       ///< null: all
    int64_t width;                    ///< lanes; 0 for a scalar access
    bool nontemporal = false;         ///< non-temporal store
    std::optional<UpdateKind> update; ///< store: combine with the old value
    int64_t prefetch = 0;             ///< so many elements on; 0 for none
  };
  Value createScalarLoad(const Access &access, unsigned depth, Location loc);
  Value createVectorLoad(const Access &access, unsigned depth, Location loc);
  Value createEvenLoad(const Access &access, VectorType type, unsigned depth,
                       Location loc);
  Value createStage(StageOp op, unsigned depth);
  /// Memory for a tile; no other tile's, if its contents are kept for later
  /// work items.
  Value createTile(StageOp op, unsigned depth, bool isKept);
  /// Whether the tile must be filled: it still holds the contents of the
  /// previous work item if only ranges changed on which it does not depend.
  /// Null if it must always be filled.
  Value createIsNew(StageOp op, unsigned depth);
  void fillTile(StageOp op, Value tile);
  void emitStore(StoreOp op);
  void emitWrite(const Access &access, Value value, Location loc);
  /// The result of an update: the elements' previous values combined with the
  /// value.
  Value combineWithOld(const Access &access, Value value, Location loc);
  /// A product in a sum: a fused multiply-add where that is one instruction.
  Value buildMulAcc(B &b, Value x, Value y, Value accumulator);
  void emitVectorWrite(const Access &access, Value value, Location loc);
  void createVectorStore(const Access &access, Value value, Value start, B &b);
  /// Whether a contiguous access to a buffer that is aligned to 64 bytes is
  /// aligned to them too.
  bool isAligned(const Access &access, Type memory) const;
  /// Whether the store is non-temporal.
  bool goesPastCaches(const Access &access);
  void createPrefetch(const Access &access, Value start, Type memory,
                      bool isWrite, B &b);
  /// The index of the first element in memory of a contiguous access.
  Value getStart(const Access &access, Location loc);
  /// The offsets of the lanes' elements, for gather and scatter.
  Value getOffsets(const Access &access, unsigned depth, Location loc,
                   Value &start);

  //===--- Loads and tiles across lanes (Transpose.cpp) ---===//
  /// The unrolled range along which a load that is strided along the lanes is
  /// contiguous, if it has as many positions.
  std::optional<unsigned> findSquare(LoadOp op, const Access &access);
  /// Loads for all positions of that range; returns the current one.
  Value createSquare(LoadOp op, const Access &access, unsigned square,
                     Type memory, unsigned depth);
  /// The index of the staged element at the current positions.
  Form getTileIndex(StageOp op);
  /// The unrolled range of a stage along which its tile is contiguous, if it is
  /// strided along the lanes.
  std::optional<unsigned> findWrittenSquare(StageOp op, const Access &access,
                                            RangeSet unrolled);
  /// Writes the staged values at all positions of that range.
  void writeSquare(StageOp op, Access access, unsigned square);

  //===--- Reductions (Reduce.cpp) ---===//
  /// One reduction with the accumulators that a loop nest carries for it.
  struct Member {
    RangedReduceOp op;
    RangeSet unrolled; ///< the unroll ranges that the result depends on
    int64_t lanes;     ///< of an accumulator; 0 for scalars
    int64_t results;   ///< combinations of positions of `unrolled`
  };
  /// How a loop nest adds up long sums. A running sum of n numbers has an error
  /// that grows with n. So blocks of a limited number of positions start at
  /// zero, and their sums are added to those of the next level, each of which
  /// in turn adds a limited number.
  struct Cascade {
    /// For each loop, from the outermost on, the positions of a block of each
    /// level, from the innermost on.
    SmallVector<SmallVector<int64_t, 4>> blocks;
    /// For each carried value the zero that a block begins at; null for one
    /// that is no sum of floats, which goes through all blocks.
    SmallVector<Value> zeros;
  };
  static SmallVector<SmallVector<int64_t, 4>>
  chooseBlocks(ArrayRef<int64_t> extents, int64_t additions, int64_t longest);
  /// The values that a block begins with, inside the loop over blocks that
  /// carries `carried`.
  static SmallVector<Value> beginBlock(const Cascade &cascade,
                                       ValueRange carried);
  /// The sums of a block, added to the values carried before it.
  static SmallVector<Value> endBlock(B &b, const Cascade &cascade,
                                     ValueRange carried, ValueRange block);
  SmallVector<Member> collectReduces(RangedReduceOp op, unsigned depth);
  void emitReduce(RangedReduceOp op, unsigned depth);
  bool isBound(Value condition, RangeSet closed);
  /// The product in a sum of where(condition, product, 0) whose condition
  /// bounds ranges, but in another way for each unrolled copy, so that no loop
  /// leaves out what adds nothing: a branch does, which a processor foresees.
  MulOp findGuarded(RangedReduceOp op, Value value);
  Value accumulate(RangedReduceOp op, Value accumulator);
  Value getIdentity(RangedReduceOp op, int64_t lanes, Location loc);
  /// The loop, of these (the last is the innermost), from which positions that
  /// add nothing can be omitted.
  std::optional<unsigned> findNarrowed(RangedReduceOp op,
                                       ArrayRef<unsigned> loops);
  Value finishReduce(const Member &member, bool isHorizontal,
                     SmallVector<Value> parts, unsigned depth);

  //===--- Scans (Scan.cpp) ---===//
  /// One accumulator of a scan: for one combination of positions of the unroll
  /// ranges that the scan depends on.
  struct ScanState {
    RangedScanOp op;
    uint64_t key; ///< of the environment, see getKey
    bool isNew;   ///< the loop being opened is the scan's outermost one
  };
  LogicalResult checkScans();
  LogicalResult checkUpdates();
  /// Emits loops over a range for stores; the loops pass on the accumulators of
  /// the scans over it.
  void emitStoreLoops(ArrayRef<StoreOp> group, unsigned range, RangeSet open);
  Value createScan(RangedScanOp op, unsigned depth);
  Value getScanIdentity(RangedScanOp op, int64_t lanes, Location loc);

  mutable KernelOp kernel; // whose accessors are not const
  const TargetFacts &target;
  B builder;
  SmallVector<Range> ranges;
  DenseMap<Value, unsigned> rangeIndex;
  DenseMap<Value, RangeSet> deps;
  DenseSet<Operation *> live;
  /// The live reductions, and for each those that it needs.
  SmallVector<RangedReduceOp> reduces;
  SmallVector<llvm::BitVector> neededReduces;
  DenseMap<Operation *, unsigned> reduceIndex;
  /// Those that are being emitted.
  DenseSet<Operation *> open;
  /// The live scans, and the accumulators of those whose loops are open.
  SmallVector<RangedScanOp> scans;
  DenseMap<Key, Value> scanStates;
  RangeSet loopSet = 0, threadSet = 0, unrollSet = 0, upcastSet = 0;
  SmallVector<Scope, 0> scopes;
  /// The loop over the work items; null if there is one item.
  scf::ForOp threadLoop;
  DenseMap<Value, Value> buffers;
  /// The function's arguments that are the values of variables, and what was
  /// computed from them.
  DenseMap<Attribute, Value> dimValues;
  bool isSymbolic = false;
  /// Whether stores marked `nontemporal` are non-temporal.
  bool isLarge = true;
  /// Whether loads prefetch rows for which that depends on variables.
  bool arePrefetched = true;
  unsigned level = 0;
  int64_t stackBytes = 0;
  SmallVector<Value> heapTiles;
};

/// What was loaded, as a register holds it.
Value fromMemory(B &b, Value value, Type element);
/// The converse of fromMemory.
Value toMemory(B &b, Value value, Type element);

/// x and y combined as the reduction does, on register types.
Value buildCombine(B &b, ReduceKind kind, Value x, Value y, bool isUnsigned);

} // namespace mlir::tg::tovector

#endif // TINYGRAD_LIB_CONVERSION_TGTOVECTOR_EMITTER_H
