//===- KernelEmitter.h - a kernel's values in loops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of code generation for a scheduled kernel that is the same for
/// every device. A code generator derives from KernelEmitter: it creates the
/// function, binds the ranges that run in parallel, and says how elements are
/// loaded and stored and where tiles live.
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

#ifndef TINYGRAD_CONVERSION_KERNELEMISSION_KERNELEMITTER_H
#define TINYGRAD_CONVERSION_KERNELEMISSION_KERNELEMITTER_H

#include "TinyGrad/Conversion/KernelEmission/Arithmetic.h"
#include "TinyGrad/Conversion/KernelEmission/IndexForm.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgInterval.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>
#include <optional>

namespace mlir::tg::emission {

/// A set of ranges of a kernel, by their position among its ranges.
using RangeSet = uint64_t;
inline RangeSet setOf(unsigned range) { return RangeSet(1) << range; }

class KernelEmitter {
public:
  /// Loops, values and index arithmetic of `kernel` are created by a copy of
  /// `builder`. `target` has to outlive the emitter.
  KernelEmitter(KernelOp kernel, OpBuilder &builder, const TargetFacts &target,
                NarrowFloats narrowFloats);
  virtual ~KernelEmitter();
  KernelEmitter(const KernelEmitter &) = delete;
  KernelEmitter &operator=(const KernelEmitter &) = delete;

  /// The product of the extents of the ranges that run in parallel; after
  /// analyze().
  Dim getParallelExtent() const;

protected:
  //===--- What a code generator defines ---===//

  /// Whether ranges of this kind are bound by bindParallelRanges or in another
  /// way before the first store is emitted, instead of by loops.
  virtual bool isParallel(RangeKind kind) const = 0;
  /// Whether \p op, a reduction or a tile, may close a range of this kind.
  virtual bool mayClose(Operation *op, RangeKind kind) const {
    return !isParallel(kind);
  }
  /// The value that `op` loads, created in the scope `depth`: a vector if the
  /// index or the mask differs between lanes. What the mask excludes is 0 and
  /// is not read.
  virtual Value createLoad(LoadOp op, unsigned depth) = 0;
  /// Stores at the current positions; nothing where the mask does not hold.
  virtual void emitStore(StoreOp op) = 0;
  /// The memory of a tile, filled, in the scope `depth`.
  virtual Value createStage(StageOp op, unsigned depth) = 0;
  /// An operation of the kernel that this code generator does not support: it
  /// reports the operation. Called for each operation before code is created.
  virtual LogicalResult checkOperation(Operation *op) { return success(); }

  //===--- State of ranges and scopes ---===//

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

  /// A value in one environment (see getKey).
  using Key = std::pair<Value, uint64_t>;
  struct Scope {
    std::shared_ptr<Anchor> anchor;
    DenseMap<Key, Value> values;
    DenseMap<Key, IndexForm> forms;
    DenseMap<Key, Interval> bounds;
    DenseMap<Key, int> bools;
    std::map<std::tuple<int, void *, int64_t>, Value> sums;
    /// Tiles that hold values of this scope, and those of scopes within it that
    /// are closed, for use by others.
    SmallVector<Value> tiles, freeTiles;
  };

  //===--- Analysis (Analysis.cpp) ---===//
  /// What every value of the kernel depends on. Reports operations that cannot
  /// be compiled. Has to be called first.
  LogicalResult analyze();
  RangeSet getDeps(Value value) const { return deps.lookup(value); }
  RangeSet getSet(ValueRange ranges) const;
  /// The ranges that a store's operands depend on.
  RangeSet getStoreSet(StoreOp store) const;
  /// The stores that have any position, in the order of the kernel.
  SmallVector<StoreOp> getStores();
  /// A number for the current positions of the unroll and upcast ranges that
  /// the value depends on.
  uint64_t getKey(Value value) const;
  /// The scope in which all loops that the value depends on are bound.
  unsigned getDepth(Value value) const;
  /// The upcast range of the set whose lanes are meant, or none.
  std::optional<unsigned> getLaneRange(RangeSet set) const;

  //===--- Scopes (KernelEmitter.cpp) ---===//
  /// Opens the outermost scope, whose operations go before `end`, with what
  /// stands for the kernel's buffers and, by name, its variables.
  void openFunction(Operation *end, ValueRange buffers,
                    ArrayRef<VarAttr> variables, ValueRange variableValues);
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
  /// Calls `body` with operations going to a block, before its terminator.
  void emitInBlock(Block *block, llvm::function_ref<void()> body);
  /// Calls `body` with operations going to a block of `owner`, which is the
  /// last operation of the top scope; what does not depend on the block goes
  /// before `owner`.
  void emitInRegion(Operation *owner, Block *block,
                    llvm::function_ref<void()> body);

  //===--- Loops (Loops.cpp) ---===//
  /// Opens the loops of `ranges` at the top scope, and calls `body` inside:
  /// several times where a loop is peeled. `carried` are values that the loops
  /// hand from position to position.
  using Body = llvm::function_ref<void(SmallVectorImpl<Value> &carried)>;
  void emitLoops(ArrayRef<unsigned> ranges, SmallVectorImpl<Value> &carried,
                 Location loc, Body body);
  /// Sets the current bounds of the range; the end is excluded.
  void setPart(Range &range, Dim begin, Dim end);
  Dim getExtent(const Range &range) const {
    return Dim(RangeOp(range.op).getExtent());
  }
  Dim getNumber(int64_t value) { return Dim(kernel.getContext(), value); }
  /// Binds `indices`, parallel ranges from the outermost on, to the digits of
  /// `position`, a flat number of the top scope.
  void bindParallelRanges(ArrayRef<unsigned> indices, Value position);
  /// Calls `body` in a branch for the main part and one for the peeled
  /// positions of each of these ranges, which are bound.
  void emitParallelParts(ArrayRef<unsigned> peeled,
                         llvm::function_ref<void()> body);
  /// Calls `body` in a branch with \p flag for where the condition holds, and
  /// in one without.
  void emitBranches(Value condition, bool &flag,
                    llvm::function_ref<void()> body);

  //===--- Stores and tiles (Stores.cpp) ---===//
  /// Emits stores, with loops for the ranges that are not among `open`.
  void emitStores(ArrayRef<StoreOp> stores, RangeSet open);
  /// A store that does not depend on a parallel range belongs to the range's
  /// first position. Sets `condition` to whether the current positions are the
  /// first ones of all such ranges, null if they are known to be. False if they
  /// are known not to be.
  bool findFirstPosition(StoreOp op, Value &condition);
  /// Calls `write` in a branch for where `condition` holds; a null one always
  /// does. What `write` computes for it stays outside of the branch.
  void emitGuarded(Value condition, Location loc,
                   llvm::function_ref<void()> write);
  /// Calls `write` at every position of the stage's loops, with the unrolled
  /// ranges to go through; the lanes are set to all. Parallel ranges of the
  /// stage are bound already.
  void forEachStaged(StageOp op, llvm::function_ref<void(RangeSet)> write);
  /// The index of the staged element at the current positions, and its number
  /// of lanes; 0 for scalars.
  IndexForm getTileIndex(StageOp op);
  int64_t getStageLanes(StageOp op) const;

  //===--- Values (Values.cpp) ---===//
  /// The value in the current environment, for use in the top scope: a scalar,
  /// or a vector over the lanes.
  Value get(Value value);
  Value toLanes(B &b, Value value, int64_t lanes);
  /// The memory that a buffer of the kernel is: an argument, or a tile.
  Value getBuffer(Value buffer);
  /// Whether a bool is known; the value of a comparison of indices otherwise.
  std::optional<bool> getKnown(Value boolean);

  //===--- Index arithmetic (Index.cpp) ---===//
  IndexForm getForm(Value index);
  Interval getBounds(const IndexForm &form);
  LaneForm splitLanes(const IndexForm &form);
  /// An index that is equal in all lanes; placed as far out as its parts allow.
  Value getScalar(const IndexForm &form, Location loc);
  Value getIndex(const IndexForm &form, Location loc);
  /// The value of a dimension, at the top of the function.
  Value getDimValue(Dim dim, Location loc);
  /// The lanes' numbers times a factor, as a constant vector.
  Value getIota(B &b, int64_t lanes, int64_t factor, Type element);

  mutable KernelOp kernel; // whose accessors are not const
  const TargetFacts &target;
  const Arithmetic arithmetic;
  B builder;
  SmallVector<Range> ranges;
  DenseMap<Value, unsigned> rangeIndex;
  DenseSet<Operation *> live;
  /// The ranges that are bound to a value: loops and those that are parallel.
  RangeSet loopSet = 0;
  RangeSet parallelSet = 0, unrollSet = 0, upcastSet = 0;
  SmallVector<Scope, 0> scopes;
  bool isSymbolic = false; ///< whether the kernel has variables

private:
  LogicalResult analyzeRange(RangeOp op, uint64_t &keyFactor,
                             int64_t &numCopies);
  LogicalResult checkLanes(Operation *op, RangeSet set);
  void analyzeReduces();

  //===--- Loops (Loops.cpp) ---===//
  struct Cascade;
  /// With a cascade, sums among the carried values are added up in blocks.
  void emitLoopNest(ArrayRef<unsigned> ranges, SmallVectorImpl<Value> &carried,
                    Location loc, Body body, const Cascade *cascade);
  void emitLoopPart(ArrayRef<unsigned> ranges, Dim begin, Dim end,
                    SmallVectorImpl<Value> &carried, Location loc, Body body,
                    const Cascade *cascade);
  /// Narrows a loop to the positions at which the condition of its range can
  /// hold. \p lower and \p upper are the bounds to be narrowed, the top scope
  /// is the one in which the condition will hold, and \p place, in the scope
  /// \p outer, is where the bounds have to be known.
  void narrowLoop(unsigned index, arith::MaxSIOp lower, arith::MinSIOp upper,
                  Operation *place, unsigned outer, Location loc);

  //===--- Stores (Stores.cpp) ---===//
  void prefetchValues(StoreOp store);

  //===--- Values (Values.cpp) ---===//
  Value create(Value value, unsigned depth);
  Value createElementwise(Operation *op, unsigned depth);
  /// Looks through a tg.where whose condition is known.
  Value resolve(Value value);
  /// Counts how far get, getForm and getKnown are nested. Where that is far,
  /// the operands that the rest of the way leads to are visited from the other
  /// end first, which keeps the stack small for any kernel.
  class Nesting {
  public:
    Nesting(KernelEmitter &emitter, Value value);
    ~Nesting() { --emitter.level; }

  private:
    KernelEmitter &emitter;
  };
  void visitOperandsFirst(Value value);

  //===--- Index arithmetic (Index.cpp) ---===//
  IndexForm computeForm(Value index);
  IndexForm computeDivision(Operation *op, bool wantRemainder);
  Interval getSymbolicBounds(const IndexForm &form);
  Interval getTermBounds(Value value);
  Interval computeTermBounds(Operation *op);
  Value getAtom(IndexAtom atom);
  Value createIndexOp(Operation *op, unsigned depth);
  Value sum(unsigned depth, Value x, Value y, Location loc);
  Value scaled(unsigned depth, Value x, int64_t factor, Location loc);

  //===--- Conditions (Conditions.cpp) ---===//
  std::optional<bool> computeKnown(Value boolean);
  std::optional<bool> compareKnown(Operation *op);
  Value createIndexCompare(Operation *op, unsigned depth);

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
  /// A product in a sum: a fused multiply-add where that is one instruction.
  Value buildMulAcc(B &b, Value x, Value y, Value accumulator);
  Value accumulate(RangedReduceOp op, Value accumulator);
  Type getAccumulatorType(Type element) const;
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

  DenseMap<Value, RangeSet> deps;
  /// The live reductions, and for each those that it needs.
  SmallVector<RangedReduceOp> reduces;
  SmallVector<llvm::BitVector> neededReduces;
  DenseMap<Operation *, unsigned> reduceIndex;
  /// Those that are being emitted.
  DenseSet<Operation *> open;
  /// The live scans, and the accumulators of those whose loops are open.
  SmallVector<RangedScanOp> scans;
  DenseMap<Key, Value> scanStates;
  DenseMap<Value, Value> buffers;
  /// The values of variables, and what was computed from them.
  DenseMap<Attribute, Value> dimValues;
  unsigned level = 0;
};

} // namespace mlir::tg::emission

#endif // TINYGRAD_CONVERSION_KERNELEMISSION_KERNELEMITTER_H
