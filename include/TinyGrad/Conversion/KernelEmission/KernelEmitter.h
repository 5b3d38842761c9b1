//===- KernelEmitter.h - a kernel's values in loops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The target-independent part of code generation for scheduled kernels. A code
/// generator derives from KernelEmitter: it creates the function, binds the
/// ranges that run in parallel, and defines how elements are loaded and stored
/// and where tiles live.
///
/// A kernel's body has no loops. Emission starts from the stores, opens the
/// loops that each of them needs, and creates values on demand:
///
/// * Open loops are a stack of scopes. A value is created in the outermost
///   scope that binds every loop range it depends on, before the loop that is
///   being emitted there, and is cached there. Loop-invariant code is therefore
///   never inside the loop.
/// * The environment holds the current positions of `unroll` ranges. A value is
///   emitted once for each combination of positions of the unroll ranges that
///   it depends on.
/// * `upcast` ranges are vector lanes. A value that depends on one is a vector,
///   or a scalar if all lanes are equal. The environment may also select one
///   position of such a range; the value is then that of this lane.
/// * The part of a loop that is being emitted (main part, or peeled positions)
///   bounds its range; what these bounds decide is folded.
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

/// A set of a kernel's ranges, one bit for each in the order of the kernel.
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

  /// Whether ranges of this kind are bound before the first store is emitted,
  /// by bindParallelRanges or otherwise, instead of by loops.
  virtual bool isParallel(RangeKind kind) const = 0;
  /// Whether \p op, a reduction or a tile, may close a range of this kind.
  virtual bool mayClose(Operation *op, RangeKind kind) const {
    return !isParallel(kind);
  }
  /// The value that `op` loads, created in the scope `depth`: a vector if the
  /// index or the mask differs between lanes. Masked-out elements are 0 and are
  /// not read.
  virtual Value createLoad(LoadOp op, unsigned depth) = 0;
  /// Stores at the current positions, unless they are masked out.
  virtual void emitStore(StoreOp op) = 0;
  /// Whether loops may have other bounds for some work items than for others.
  virtual bool mayNarrow() const { return true; }
  /// Called between the loads and the stores of a position, in kernels that
  /// work in place.
  virtual void separateLoads(ArrayRef<StoreOp> stores) {}
  /// The memory of a tile, filled, in the scope `depth`.
  virtual Value createStage(StageOp op, unsigned depth) = 0;
  /// Combines the values that the work items have for a reduction, if it closes
  /// the parallel ranges `items`, in the scope `depth`. All items get the
  /// result.
  virtual Value combineItems(RangedReduceOp op, RangeSet items, Value value,
                             unsigned depth) {
    llvm_unreachable("mayClose() admits no parallel range");
  }
  /// Creates a sum that a matrix operation computes: all its values for the
  /// current positions of loops, in the scope `depth`. Returns false if it is
  /// to be computed as other reductions are.
  virtual bool createContraction(RangedReduceOp op, unsigned depth) {
    return false;
  }
  /// What a loop contains; `carried` are the loop-carried values.
  using Body = llvm::function_ref<void(SmallVectorImpl<Value> &carried)>;
  /// Creates the loops of a reduction, with `body` inside. Returns false if
  /// they are to be created as those of other reductions are.
  virtual bool emitSum(RangedReduceOp op, ArrayRef<unsigned> loops,
                       SmallVectorImpl<Value> &sums, Body body) {
    return false;
  }
  /// Reports an operation that this code generator does not support. Called for
  /// each operation before code is created.
  virtual LogicalResult checkOperation(Operation *op) { return success(); }

  //===--- State of ranges and scopes ---===//

  /// The positions of a range from `first` to `last`, both included;
  /// expressions if the range is symbolic.
  struct Part {
    Dim first, last;
  };
  struct Range {
    RangeOp op;
    RangeKind kind = RangeKind::loop;
    int64_t extent = 0; ///< the maximum if it is symbolic
    Dim peel;
    // Current binding of a loop range.
    Value value; ///< null while it has one known position
    int64_t lo = 0, hi = 0;
    Part part;          ///< the same ends; null unless the range is symbolic
    unsigned depth = 0; ///< of the scope that binds it
    /// If set, the loop covers only positions at which this condition may hold.
    Value condition;
    // Current position of an unroll or upcast range; -1: none, or all lanes.
    int64_t position = -1;
    /// Parallel ranges that are bound to the same work items, of which no value
    /// depends on two.
    RangeSet alternatives = 0;
  };

  /// Insertion point of a scope: the end of the block, or before the loop that
  /// is being emitted. Scopes with one position share their parent's.
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
    /// Tiles that hold values of this scope, and reusable tiles of closed
    /// scopes within it.
    SmallVector<Value> tiles, freeTiles;
  };

  //===--- Analysis (Analysis.cpp) ---===//
  /// Computes what every value depends on, and reports operations that cannot
  /// be compiled. Must be called first.
  LogicalResult analyze();
  RangeSet getDeps(Value value) const { return deps.lookup(value); }
  RangeSet getSet(ValueRange ranges) const;
  /// The ranges that a store's operands depend on.
  RangeSet getStoreSet(StoreOp store) const;
  /// The stores that have at least one position, in the order of the kernel.
  SmallVector<StoreOp> getStores();
  /// A key for the current positions of the unroll and upcast ranges that the
  /// value depends on.
  uint64_t getKey(Value value) const;
  /// The scope in which all loops that the value depends on are bound.
  unsigned getDepth(Value value) const;
  /// The upcast range of the set whose lanes are all selected, or none.
  std::optional<unsigned> getLaneRange(RangeSet set) const;

  //===--- Scopes (KernelEmitter.cpp) ---===//
  /// Opens the outermost scope, whose operations go before `end`, with the
  /// values of the kernel's buffers and, by name, of its variables.
  void openFunction(Operation *end, ValueRange buffers,
                    ArrayRef<VarAttr> variables, ValueRange variableValues);
  /// Copies how many elements the kernel's buffers have to the function that is
  /// made of it, whose first arguments they are.
  void copyElements(FunctionOpInterface func);
  /// The builder, set to create operations in a scope.
  B &at(unsigned depth, Location loc);
  unsigned top() const { return scopes.size() - 1; }
  /// Pops the top scope; its tiles become free in the enclosing one.
  void closeScope();
  Value getIndexConstant(int64_t value, Location loc);
  /// Calls `body` with only the scopes up to `depth` on the stack.
  void withinDepth(unsigned depth, llvm::function_ref<void()> body);
  /// Calls `body` for each combination of positions of unroll ranges.
  void forEachPosition(RangeSet set, llvm::function_ref<void()> body);
  /// Calls `body` with the end of a block, before its terminator, as the
  /// insertion point.
  void emitInBlock(Block *block, llvm::function_ref<void()> body);
  /// Calls `body` with a block of `owner`, the last operation of the top scope,
  /// as the insertion point. Code that does not depend on the block goes before
  /// `owner`.
  void emitInRegion(Operation *owner, Block *block,
                    llvm::function_ref<void()> body);

  //===--- Loops (Loops.cpp) ---===//
  /// Opens the loops of `ranges` in the top scope and calls `body` inside,
  /// several times if a loop is peeled.
  void emitLoops(ArrayRef<unsigned> ranges, SmallVectorImpl<Value> &carried,
                 Location loc, Body body);
  /// Sets the current bounds of the range; the end is excluded.
  void setPart(Range &range, Dim begin, Dim end);
  Dim getExtent(const Range &range) const {
    return Dim(RangeOp(range.op).getExtent());
  }
  Dim getNumber(int64_t value) { return Dim(kernel.getContext(), value); }
  /// Binds `indices`, the parallel ranges from the outermost on, to the
  /// mixed-radix digits of `position`, a flat number of the top scope.
  void bindParallelRanges(ArrayRef<unsigned> indices, Value position);
  /// Calls `body` in one branch for the main part and one for the peeled
  /// positions of each of these ranges, which are already bound.
  void emitParallelParts(ArrayRef<unsigned> peeled,
                         llvm::function_ref<void()> body);
  /// Calls `body` in a branch taken where the condition holds, with \p flag
  /// true, and in one taken elsewhere, with \p flag false.
  void emitBranches(Value condition, bool &flag,
                    llvm::function_ref<void()> body);

  //===--- Stores and tiles (Stores.cpp) ---===//
  /// Emits stores, with loops for the ranges that are not among `open`.
  void emitStores(ArrayRef<StoreOp> stores, RangeSet open);
  /// A store that does not depend on a parallel range runs only at the range's
  /// first position. Sets `condition` to whether the current positions are the
  /// first ones of all such ranges, or to null if they are known to be. Returns
  /// false if they are known not to be.
  bool findFirstPosition(StoreOp op, Value &condition);
  /// Calls `write` in a branch taken where `condition` holds, or without a
  /// branch if it is null. Code that does not depend on the branch goes before
  /// it.
  void emitGuarded(Value condition, Location loc,
                   llvm::function_ref<void()> write);
  /// Calls `write` at every position of the stage's loops, with the set of its
  /// unrolled ranges; all lanes are selected. The stage's parallel ranges are
  /// already bound.
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
  /// The value of a boolean, if constants or bounds decide it.
  std::optional<bool> getKnown(Value boolean);

  //===--- Index arithmetic (Index.cpp) ---===//
  IndexForm getForm(Value index);
  Interval getBounds(const IndexForm &form);
  LaneForm splitLanes(const IndexForm &form);
  /// The value of an index that is equal in all lanes. Each of its parts is
  /// created as far out as possible.
  Value getScalar(const IndexForm &form, Location loc);
  Value getIndex(const IndexForm &form, Location loc);
  /// The value of a dimension, at the top of the function.
  Value getDimValue(Dim dim, Location loc);
  /// The lane numbers times a factor, as a constant vector.
  Value getIota(B &b, int64_t lanes, int64_t factor, Type element);

  mutable KernelOp kernel; // whose accessors are not const
  const TargetFacts &target;
  const Arithmetic arithmetic;
  B builder;
  SmallVector<Range> ranges;
  DenseMap<Value, unsigned> rangeIndex;
  DenseSet<Operation *> live;
  /// The ranges that are bound to a value: loops and parallel ranges.
  RangeSet loopSet = 0;
  RangeSet parallelSet = 0, unrollSet = 0, upcastSet = 0;
  /// The branches of emitParallelParts, each with its range.
  DenseMap<Operation *, unsigned> partBranches;
  SmallVector<Scope, 0> scopes;
  bool isSymbolic = false; ///< whether the kernel has variables

private:
  LogicalResult analyzeRange(RangeOp op);
  /// Unrolled positions of the set are copies of a value. Those of ranges that
  /// no value depends on together do not multiply.
  LogicalResult checkCopies(RangeSet set);
  LogicalResult checkLanes(Operation *op, RangeSet set);
  void analyzeReduces();

  //===--- Loops (Loops.cpp) ---===//
  struct Cascade;
  /// With a cascade, carried sums are added up in blocks.
  void emitLoopNest(ArrayRef<unsigned> ranges, SmallVectorImpl<Value> &carried,
                    Location loc, Body body, const Cascade *cascade);
  void emitLoopPart(ArrayRef<unsigned> ranges, Dim begin, Dim end,
                    SmallVectorImpl<Value> &carried, Location loc, Body body,
                    const Cascade *cascade);
  /// Narrows a loop to the positions at which the condition of its range can
  /// hold. \p lower and \p upper are the bounds to narrow. The condition will
  /// hold in the top scope; the bounds are needed at \p place, in the scope \p
  /// outer.
  void narrowLoop(unsigned index, arith::MaxSIOp lower, arith::MinSIOp upper,
                  Operation *place, unsigned outer, Location loc);

  //===--- Stores (Stores.cpp) ---===//
  void prefetchValues(StoreOp store);

  //===--- Values (Values.cpp) ---===//
  Value create(Value value, unsigned depth);
  Value createElementwise(Operation *op, unsigned depth);
  /// Looks through a tg.where whose condition is known.
  Value resolve(Value value);
  /// Counts the recursion depth of get, getForm and getKnown. When it is large,
  /// the operands on the remaining path are visited iteratively, from the other
  /// end first, which bounds the stack for any kernel.
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
  std::optional<Part> getSymbolicEnds(Value value);
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
  /// One reduction and the accumulators that a loop nest carries for it.
  struct Member {
    RangedReduceOp op;
    RangeSet unrolled; ///< the unroll ranges that the result depends on
    int64_t lanes;     ///< of an accumulator; 0 for scalars
    int64_t results;   ///< combinations of positions of `unrolled`
  };
  /// How a loop nest adds up long sums. The error of a running sum grows with
  /// its length. Therefore blocks of a limited number of positions start at
  /// zero, and a limited number of block sums are added up in each block of the
  /// next level.
  struct Cascade {
    /// For each loop, outermost first: the block sizes of each level in
    /// positions, innermost first.
    SmallVector<SmallVector<int64_t, 4>> blocks;
    /// For each carried value, the zero at which a block starts; null for a
    /// value that is not a sum of floats, which passes through all blocks.
    SmallVector<Value> zeros;
  };
  static SmallVector<SmallVector<int64_t, 4>>
  chooseBlocks(ArrayRef<int64_t> extents, int64_t additions, int64_t longest);
  /// The values at the start of a block, inside the loop over blocks that
  /// carries `carried`.
  static SmallVector<Value> beginBlock(const Cascade &cascade,
                                       ValueRange carried);
  /// The sums of a block, added to the values carried before it.
  static SmallVector<Value> endBlock(B &b, const Cascade &cascade,
                                     ValueRange carried, ValueRange block);
  SmallVector<Member> collectReduces(RangedReduceOp op, unsigned depth);
  void emitReduce(RangedReduceOp op, unsigned depth);
  bool isBound(Value condition, RangeSet closed);
  /// The product in a sum of where(condition, product, 0), if the condition
  /// bounds ranges, but differently for each unrolled copy. No loop can then
  /// skip the terms that add nothing; a predictable branch skips them.
  MulOp findGuarded(RangedReduceOp op, Value value);
  /// A condition, the same for the whole reduction, under which all products
  /// count. Where it does not hold, unrolled positions decide which count, so
  /// that code for this case alone needs no branches. Null if there is none.
  Value findUnless(RangedReduceOp op);
  /// Calls `body`, which updates the carried values, in a branch for either
  /// value of a condition, which is then known.
  void emitVersions(Value condition, SmallVectorImpl<Value> &carried,
                    Location loc, Body body);
  /// A product in a sum: a fused multiply-add if the target has the
  /// instruction.
  Value buildMulAcc(B &b, Value x, Value y, Value accumulator);
  Value accumulate(RangedReduceOp op, Value accumulator);
  Type getAccumulatorType(Type element) const;
  Value getIdentity(RangedReduceOp op, int64_t lanes, Location loc);
  /// The loop among these (the last is the innermost) that can be narrowed to
  /// skip positions that add nothing.
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
  /// Emits loops over a range around stores; the loops carry the accumulators
  /// of the scans over it.
  void emitStoreLoops(ArrayRef<StoreOp> group, unsigned range, RangeSet open);
  Value createScan(RangedScanOp op, unsigned depth);
  /// The vectors of a scan at the current positions.
  struct ScanShape {
    int64_t lanes = 0;     ///< 0: scalars
    bool isAcross = false; ///< lanes are positions of the scanned ranges
    Type element;          ///< in which neighbors are combined
    /// That of the accumulator: one for each lane, or, if isAcross, one for
    /// all.
    Type state;
  };
  ScanShape getScanShape(RangedScanOp op);
  Value buildScanIdentity(B &b, RangedScanOp op, Type element, int64_t lanes);

  DenseMap<Value, RangeSet> deps;
  /// The live reductions, and for each the reductions that it needs.
  SmallVector<RangedReduceOp> reduces;
  SmallVector<llvm::BitVector> neededReduces;
  DenseMap<Operation *, unsigned> reduceIndex;
  /// Reductions that are being emitted.
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
