//===- KernelBuilder.h - a kernel under construction ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Scheduling walks the tensor graph from results to inputs, so a kernel is
/// built backwards from its store: first, tensor elements at index positions
/// are requested; later, their computation is provided.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_KERNELBUILDER_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_KERNELBUILDER_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tg {

class KernelBuilder;

/// The position in a row-major tensor.
Value linearize(IndexBuilder &index, ArrayRef<int64_t> shape,
                ArrayRef<Value> indices);
Value linearize(IndexBuilder &index, ArrayRef<Dim> shape,
                ArrayRef<Value> indices);

/// A request for one tensor element at each position of some ranges.
struct Access {
  KernelBuilder *kernel = nullptr;
  SmallVector<Value, 4> indices;
  /// The condition under which the element exists and is needed; null means
  /// always.
  Value mask;
  /// The ranges of the loops around the computation, outermost first.
  SmallVector<Value, 4> scope;
  /// Represents the element until its computation is provided.
  Value placeholder;
  /// The estimated number of operations until then.
  int64_t expectedOps = 1;

  /// The number of evaluations: the positions of its scope.
  int64_t getEvaluations() const;
};

/// The number of positions that the inner ranges of an axis span together, in
/// ascending order: each divides the next, and the last one divides the size of
/// the axis. An axis of size 24 with {2, 6} has ranges of 4, 3 and 2 positions.
using InnerSizes = SmallVector<int64_t, 2>;

/// One kernel. Values are requested by `request` and provided by `provide`.
class KernelBuilder {
public:
  /// Begins a kernel that computes a tensor of `shape`, as step number `step`.
  /// Each axis has one range; `splits`, with an entry for each axis, can divide
  /// it into several. Loops are in the `order` of axes given, or in that of the
  /// shape.
  KernelBuilder(Location loc, ArrayRef<Dim> shape, size_t step,
                ArrayRef<InnerSizes> splits = {}, ArrayRef<int64_t> order = {});
  ~KernelBuilder();

  Location getLoc() const { return loc; }
  size_t getStep() const { return step; }
  IndexBuilder &getIndex() { return index; }
  OpBuilder &getBuilder() { return builder; }

  /// The positions of the result: ranges, or sums of them; 0 along axes of size
  /// 1.
  ArrayRef<Value> getResultIndices() const { return resultIndices; }
  ArrayRef<Value> getResultRanges() const { return resultRanges; }

  /// Sets the position of the element in the output buffer.
  void setPosition(Value linearIndex) { position = linearIndex; }
  /// The position of the element in the output buffer; null if it was not set.
  Value getPosition() const { return position; }
  /// The result range along which the output is contiguous in memory, or null.
  Value getContiguousRange();

  /// The kernel argument for `buffer`, a value of the host program.
  Value getArgument(Value buffer, bool isOutput = false);

  /// Requests the element of `tensor` at `indices`: reuses an access with the
  /// same indices and mask, or adds a new one to `accesses`. About
  /// `expectedOps` operations will compute it.
  Value request(Value tensor, ArrayRef<Value> indices, Value mask,
                ArrayRef<Value> scope, SmallVectorImpl<Access *> &accesses,
                int64_t expectedOps = 1);

  /// Provides the value of an access.
  void provide(Access &access, Value value);
  /// Postpones an access to an argument of the function until all other
  /// accesses have values.
  void postpone(Access &access, unsigned argument) {
    postponed.push_back({argument, &access});
  }
  /// Whether there are requests without a value, other than postponed ones.
  bool isWaiting() const {
    return numWaiting != static_cast<int64_t>(postponed.size());
  }
  /// Returns the postponed accesses in the order of the arguments.
  SmallVector<std::pair<unsigned, Access *>, 4> takePostponed();

  /// Ranges with these extents for a reduce whose indices depend on `used`.
  /// Reduces with equal extents share ranges if possible.
  SmallVector<Value> getReduceRanges(ArrayRef<Dim> extents,
                                     ArrayRef<Value> used);

  /// The prefix of `scope` up to the last range that the values depend on.
  SmallVector<Value, 4> narrowScope(ArrayRef<Value> scope,
                                    ArrayRef<Value> values);

  /// Conjoins `mask` with non-emptiness of each range of extent 0 or 1. These
  /// ranges are 0 in every index, so that loads do not depend on them and would
  /// be executed even if a range is empty and the element does not exist.
  Value maskEmptyRanges(Value mask, ArrayRef<Value> ranges);

  /// A load of one element of a row-major buffer of `shape`, the maximal shape
  /// of a symbolic tensor.
  Value createLoad(Value buffer, ArrayRef<int64_t> shape,
                   ArrayRef<Value> indices, Value mask);

  /// Stores `value` to the output at the position that was set.
  void createStore(Value value, Value buffer);

  /// The position in a row-major tensor.
  Value linearize(ArrayRef<int64_t> shape, ArrayRef<Value> indices) {
    return tg::linearize(index, shape, indices);
  }

  /// The size of the kernel: its operations, and those expected for requests.
  int64_t getNumOps() const { return numOps; }
  bool hasReduce() const { return !reduceRanges.empty(); }
  size_t getNumRanges() const { return extents.size(); }

  /// Completes the kernel: sorts the body and moves it into a tg.kernel that is
  /// not in a module yet. As in tinygrad, its name consists of E or r (with a
  /// reduce) and the extents. Buffers are returned in the order of arguments,
  /// outputs first.
  KernelOp finish(SmallVectorImpl<Value> &buffers);

private:
  Value createRange(Dim extent);
  std::string getName() const;
  /// What the stores need, each operation after its operands.
  SmallVector<Operation *> getNeeded();
  /// Masks loads that would be executed even if a range is empty along which
  /// each of their uses has a position, and whose element may not exist then:
  /// the offset of an empty view may be beyond the end.
  void maskLoads();
  void moveTo(Block &body);

  Location loc;
  size_t step;
  Block *block;
  OpBuilder builder;
  IndexBuilder index;
  SmallVector<Value> resultIndices, resultRanges;
  SmallVector<std::pair<SmallVector<Dim>, SmallVector<Value>>> reduceRanges;
  llvm::SmallMapVector<Value, Value, 8> arguments;
  Value position;
  int64_t numOutputs = 0;
  SmallVector<Dim> extents; // of all ranges, by id
  int64_t numOps = 0, numWaiting = 0;
  SmallVector<std::pair<unsigned, Access *>, 4> postponed;
  llvm::SmallDenseMap<std::pair<Value, size_t>, SmallVector<Access *, 1>, 8>
      lookup;
  std::vector<std::unique_ptr<Access>> owned;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_KERNELBUILDER_H
