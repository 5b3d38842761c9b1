//===- Intervals.h - what runs between two barriers -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the memory accesses of a GPU function that no barrier separates.
///
/// All items of a group pass the same barriers in the same order, which is
/// proved separately. So what two items do at the same time lies between the
/// same two executions of barriers. Such an interval begins at the entry or at
/// some execution of a barrier: at one iteration, the same one for all items,
/// of each loop around it. What an item reaches from there without another
/// barrier is either in this iteration, or in the next one, or outside.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_INTERVALS_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_INTERVALS_H

#include "Roles.h"
#include "TinyGrad/Dialect/Tg/Utils/Permutation.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>

namespace mlir::tg {

/// The position of a loop whose wait for an mbarrier says that a copy is
/// complete: so many after the current one, or the one of that number if there
/// is no loop.
struct BoxPosition {
  Operation *loop = nullptr;
  int64_t offset = 0;
};

/// A box of a matrix in a buffer: the column and the row at which it begins,
/// the columns and rows that it has, and the distance of rows. What is outside
/// of the matrix is not accessed.
struct MatrixBox {
  std::array<Value, 2> place;
  std::array<int64_t, 2> size;
  int64_t distance;
};

/// The elements of a buffer that an operation reads or writes.
struct MemoryAccess {
  Operation *op;
  Value memory;
  /// Of the first element; in permuted memory before the permutation.
  ValueRange indices;
  /// How many elements follow each other.
  int64_t width = 1;
  bool isWrite = false;
  /// If given, how many of them are accessed.
  Value count = {};
  /// The copy, or the matrix operation that reads, runs on until some wait.
  bool isAsync = false;
  /// Rows of a matrix, of which only parts may be read: permuted as others, but
  /// longer than a chunk.
  bool isMatrix = false;
  std::optional<Permutation> permutation = std::nullopt;
  /// What the items of a subgroup write follows one another, and the indices
  /// are those of the first one's, after the permutation.
  bool isOfSubgroup = false;
  /// Of a copy of a box to memory of a group.
  std::optional<BoxPosition> position = std::nullopt;
  /// What a store of a box writes, in place of indices.
  std::optional<MatrixBox> box = std::nullopt;
};

/// An iteration of a loop: some number of steps after the one in which an
/// interval begins, or after the first one; or any.
struct Iteration {
  enum Base { current, first, any } base = current;
  int64_t steps = 0;
  bool operator==(const Iteration &other) const {
    return base == other.base && steps == other.steps;
  }
};
using Iterations = SmallVector<std::pair<Operation *, Iteration>, 2>;

/// Something that is known on a path, of an operation at some iterations of the
/// loops around it.
struct PathFact {
  enum Kind {
    isTrue,  ///< the condition of an scf.if holds
    isFalse, ///< it does not
    isEmpty, ///< an scf.for runs zero times
    runs,    ///< it has the iteration
    ends     ///< it has the iteration, and no further one
  } kind;
  Operation *op;
  Iterations where;
  bool operator==(const PathFact &other) const {
    return kind == other.kind && op == other.op && where == other.where;
  }
};

/// An access on some path. Loops that are not in `where` run all iterations in
/// the interval, in each item at its own speed.
struct Reached {
  const MemoryAccess *access;
  Iterations where;
  SmallVector<PathFact, 2> path;
  /// Of an asynchronous copy: whether its item has waited for it.
  bool hasWaited = false;
};

/// Collects the accesses of a function, and finds intervals.
class Intervals {
public:
  explicit Intervals(gpu::GPUFuncOp func) : func(func) {}

  /// Fails, with an error, if an operation is not understood.
  LogicalResult collect();

  ArrayRef<MemoryAccess> getAccesses() const { return accesses; }
  /// What only some items do, if there is anything. Barriers of these are among
  /// the barriers; what others do meanwhile is not reached from there.
  const Roles &getRoles() const { return roles; }
  /// The barriers, and operations for which the items of a subgroup meet.
  ArrayRef<Operation *> getBarriers() const { return barriers; }
  ArrayRef<Operation *> getExchanges() const { return exchanges; }

  /// What is reached from a barrier, or from the entry (null), without another
  /// barrier.
  SmallVector<Reached> findFrom(Operation *barrier);
  /// What is reached from an asynchronous copy before it was waited for, and
  /// the barrier after that.
  SmallVector<Reached> findPending(const MemoryAccess &copy);
  /// The place of an access in the iteration that it begins a path with.
  Reached getStart(const MemoryAccess &access);

private:
  struct State {
    Iterations where;
    SmallVector<PathFact, 2> path;
    /// Of an asynchronous access: the groups of its kind that were closed after
    /// it was issued; of a copy of a subgroup: the copies that were begun.
    int64_t numGroups = 0;
    bool hasWaited = false;
  };
  using States = SmallVector<State>;

  LogicalResult collect(Operation *op);
  /// Copies of subgroups write memory in the order that others permute it to.
  void setPermutations();
  bool isSynchronizing(Operation *op) const {
    return synchronizing.contains(op);
  }
  /// The outermost operation around `op` in which nothing synchronizes.
  Operation *getUnit(Operation *op) const;
  State getStartState(Operation *op) const;
  void record(Operation *op, const States &states);
  /// From the end of a unit, outwards to the end of the function.
  void walkFrom(Operation *unit, State state);
  /// Whether groups of an operation's kind have what is followed, and whether
  /// an operation waits for them.
  bool closesGroup(Operation *op) const;
  bool waitsForGroups(Operation *op) const;
  /// Returns what gets to the end of the block.
  States walk(Block::iterator begin, Block::iterator end, States states);
  /// From the beginnings of iterations; returns what leaves the loop.
  States walkLoop(scf::ForOp loop, States states);
  static void leave(State &state, Operation *loop);
  static void limit(States &states);

  gpu::GPUFuncOp func;
  Roles roles;
  SmallVector<MemoryAccess> accesses;
  DenseMap<Operation *, SmallVector<size_t, 2>> accessesOf;
  SmallVector<Operation *> barriers, exchanges;
  /// Copies of boxes, and the buffers that they read.
  SmallVector<std::pair<Operation *, Value>> boxSources;
  /// Operations with regions in which something synchronizes, and that itself.
  DenseSet<Operation *> synchronizing;
  /// The search that is running, what it follows if that is pending, and the
  /// position of a copy of a box.
  bool isPending = false;
  const MemoryAccess *followed = nullptr;
  std::optional<BoxPosition> position;
  SmallVector<Reached> reached;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_INTERVALS_H
