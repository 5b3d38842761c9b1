//===- SymbolicKernel.h - a kernel executed on symbols -----------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a kernel stores to an element of a buffer, by the
/// definition of its operations: each is evaluated at a position of the ranges
/// that it depends on. Ranges are iterated, tiles are read by computing what
/// was staged there.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VALIDATE_SYMBOLICKERNEL_H
#define TINYGRAD_LIB_DIALECT_TG_VALIDATE_SYMBOLICKERNEL_H

#include "Expression.h"
#include "llvm/ADT/StringMap.h"
#include <array>

namespace mlir::tg {

/// An element of a kernel's argument.
struct BufferElement {
  unsigned argument = 0;
  int64_t index = 0;

  bool operator==(const BufferElement &other) const {
    return argument == other.argument && index == other.index;
  }
};

/// An update of an element whose number, or whether it is updated, is read from
/// memory.
struct SymbolicUpdate {
  unsigned store = 0; ///< its number among such stores of the kernel
  SymbolicValue index, mask, value;
};

class SymbolicKernel {
public:
  /// More ranges than this a kernel cannot have.
  static constexpr size_t kMaxRanges = 64;

  /// The kernel for these sizes of its variables, which have to outlive it.
  SymbolicKernel(KernelOp kernel, ExpressionPool &pool,
                 const llvm::StringMap<int64_t> &sizes);

  /// Why something cannot be evaluated, empty if all could.
  const std::string &getError() const { return error; }
  /// Whether the error is one of the kernel, and no limit of this evaluation.
  bool isFault() const { return hasFault; }
  void clearError() {
    if (isUnknown)
      return;
    error.clear();
    hasFault = isExhausted = false;
  }

  /// How many operations were evaluated so far.
  uint64_t getWork() const { return work; }
  /// Evaluation ends with an error when more operations were evaluated.
  void setLimit(uint64_t limit) { this->limit = limit; }
  bool exceededLimit() const { return isExhausted; }

  /// What the element holds after the kernel has run.
  SymbolicValue getResult(BufferElement element);
  Type getType(BufferElement element);
  /// Where the element is read although it may have been overwritten: loops run
  /// in the order of their ranges, and what depends on a loop is computed again
  /// in each of its iterations. None if it is not.
  std::optional<std::string> findLateRead(BufferElement element);

  /// Up to \p count elements that the kernel writes: all of them if \p count is
  /// at least the number of positions. Otherwise those at the first and last
  /// positions of each range, and around \p boundaries, the others at random.
  SmallVector<BufferElement>
  sampleElements(size_t count, ArrayRef<int64_t> boundaries, bool &isComplete);

  /// The stores to elements whose number is read from memory, in the order in
  /// which they are executed. None if there are more than \p count.
  std::optional<std::vector<SymbolicUpdate>> getSymbolicUpdates(size_t count);
  /// For each such store, what it does, and to which argument.
  SmallVector<std::pair<unsigned, std::optional<UpdateKind>>>
  getSymbolicStores();

private:
  using Mask = uint64_t;

  enum class OpKind {
    range,
    number,
    load,
    reduce,
    scan,
    stage,
    barrier,
    store,
    elementwise
  };
  struct Bounds {
    int64_t low = INT64_MIN, high = INT64_MAX;
    bool isKnown() const { return low != INT64_MIN || high != INT64_MAX; }
  };
  struct Op {
    Operation *op = nullptr;
    OpKind kind = OpKind::elementwise;
    /// The ranges that the value depends on.
    Mask ranges = 0;
    /// The ranges that are named: those of a reduction, scan, tile or update.
    SmallVector<unsigned, 2> named;
    SmallVector<int, 3> operands;
    /// A load: the tile or argument, the index and mask. A store: value, index
    /// and mask. -1 if there is none.
    int tile = -1, argument = -1, index = -1, mask = -1, value = -1;
    int64_t elements = 0;
    Type type;
    SymbolicValue constant;
    /// What it was at the positions of that time.
    SymbolicValue last;
    uint64_t lastTime = 0;
    bool isSymbolic = false;
    bool dependsOnMemory = false;
    /// How deep operations are nested in each other.
    unsigned depth = 0;
    /// The bounds within the boxes of that number.
    Bounds bounds;
    uint64_t boxNumber = 0;
  };
  using Positions = std::array<int64_t, kMaxRanges>;

  void addOperation(Operation &operation);
  /// The dimension for the sizes; none if it has other variables.
  std::optional<int64_t> getNumber(Dim dim) const;
  void fail(const Twine &message, bool isFaultOfKernel);
  bool hasFailed() const { return !error.empty(); }

  void setPosition(unsigned range, int64_t position) {
    positions[range] = position;
    changedAt[range] = ++time;
  }
  /// Calls the function at all positions of the ranges, in row-major order,
  /// until it returns false.
  template <typename Function>
  void forEachPosition(ArrayRef<unsigned> ranges, Function function);
  std::pair<uint64_t, uint64_t> getKey(int number, Mask ranges,
                                       int64_t extra) const;
  /// Keeps a value by its key, unless it could not be computed to the end.
  void remember(std::pair<uint64_t, uint64_t> key, SymbolicValue value);

  SymbolicValue evaluate(int number);
  SymbolicValue compute(Op &op, int number);
  SymbolicValue loadFrom(Op &op);
  SymbolicValue reduce(Op &op);
  SymbolicValue scan(Op &op);

  /// The bounds of an integer while ranges are within boxes.
  Bounds bound(int number, const Positions &low, const Positions &high) {
    ++boxNumber;
    return boundInBox(number, low, high);
  }
  /// The same, computed once for each number of boxes: operands are shared.
  Bounds boundInBox(int number, const Positions &low, const Positions &high);
  Bounds computeBounds(const Op &op, const Positions &low,
                       const Positions &high);
  /// Calls the function at each position of an access's ranges at which it
  /// is of the element, or may be.
  template <typename Function>
  void findAccesses(Op &access, int64_t index, Function function);
  template <typename Function>
  void search(Op &access, int64_t index, ArrayRef<unsigned> ranges,
              Positions &low, Positions &high, Function &function);
  /// All ranges that an access is executed for, in the order of loops.
  SmallVector<unsigned> getRangesOf(const Op &access) const;
  bool runsInParallel(unsigned range) const;
  /// Whether the load at its position comes before the store at its own, the
  /// current one.
  bool comesBefore(const Op &load, ArrayRef<int64_t> ofLoad, const Op &store,
                   ArrayRef<int64_t> ofStore) const;
  /// Whether a store is computed from the load that only begins when the other
  /// one, before it in the block, has written at all of its positions: that is
  /// so for stores to the same buffer.
  bool feedsStoreAfter(const Op &load, const Op &store) const;
  std::string describePositions(Mask ranges) const;

  KernelOp kernel;
  ExpressionPool &pool;
  const llvm::StringMap<int64_t> &sizes;
  std::vector<Op> ops;
  llvm::DenseMap<Value, int> numbers;
  llvm::DenseMap<Value, unsigned> rangeNumbers;
  SmallVector<RangeOp> ranges;
  /// The extents for these sizes, and the largest ones, by which tiles lie in
  /// memory.
  SmallVector<int64_t> extents, largestExtents;
  SmallVector<int> stores;

  Positions positions{};
  std::array<uint64_t, kMaxRanges> changedAt{};
  uint64_t time = 0, work = 0, boxNumber = 0, limit = ~uint64_t(0);
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, SymbolicValue> known;
  std::string error;
  bool hasFault = false, isExhausted = false;
  bool isUnknown = false; ///< not all operations are known
};

template <typename Function>
void SymbolicKernel::forEachPosition(ArrayRef<unsigned> over,
                                     Function function) {
  for (unsigned range : over) {
    if (extents[range] <= 0)
      return;
    setPosition(range, 0);
  }
  while (!hasFailed() && function()) {
    size_t i = over.size();
    while (i > 0 && positions[over[i - 1]] + 1 == extents[over[i - 1]])
      setPosition(over[--i], 0);
    if (i == 0)
      return;
    setPosition(over[i - 1], positions[over[i - 1]] + 1);
  }
}

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VALIDATE_SYMBOLICKERNEL_H
