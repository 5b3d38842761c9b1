//===- KernelBuilder.h - a kernel under construction ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Scheduling walks the tensor graph from its results to its inputs, so that a
/// kernel is built from its store backwards: first it asks for tensor elements
/// at index positions, later it is told how each of them is computed.
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

/// A request for one element of a tensor at each position of some ranges.
struct Access {
  KernelBuilder *kernel = nullptr;
  SmallVector<Value, 4> indices;
  /// Where this is false, the element is not needed and may not exist; null
  /// means always true.
  Value mask;
  /// The ranges that are open where the element is computed, outermost first.
  SmallVector<Value, 4> scope;
  /// Stands for the element until it is known how to compute it.
  Value placeholder;
  /// What it counts for in the size of the kernel until then.
  int64_t expectedOps = 1;

  /// How often the element is computed: the positions of its scope.
  int64_t getEvaluations() const;
};

/// How many positions the inner ranges of an axis span together, in ascending
/// order: each divides the next, and the last one the size of the axis. An axis
/// of 24 with {2, 6} has ranges of 4, 3 and 2 positions.
using InnerSizes = SmallVector<int64_t, 2>;

/// One kernel. Values are requested by `request` and provided by `provide`.
class KernelBuilder {
public:
  /// A kernel that computes a tensor of `shape`, the step of that number. An
  /// axis has one range; with `splits`, which has an entry for each axis, it
  /// may have several. The loops are in the order of the axes, but that over
  /// `innermost` if there is one.
  KernelBuilder(Location loc, ArrayRef<Dim> shape, size_t step,
                ArrayRef<InnerSizes> splits = {},
                std::optional<int64_t> innermost = {});
  ~KernelBuilder();

  Location getLoc() const { return loc; }
  size_t getStep() const { return step; }
  IndexBuilder &getIndex() { return index; }
  OpBuilder &getBuilder() { return builder; }

  /// The positions of the result: ranges or sums of them, 0 along axes of size
  /// 1.
  ArrayRef<Value> getResultIndices() const { return resultIndices; }
  ArrayRef<Value> getResultRanges() const { return resultRanges; }

  /// Says where results will be stored.
  void setPosition(Value linearIndex) { position = linearIndex; }
  /// The range of the result along which it is contiguous in memory, or null.
  Value getContiguousRange();

  /// The argument that stands for `buffer`, a value of the host program.
  Value getArgument(Value buffer, bool isOutput = false);

  /// Asks for the element of `tensor` at `indices`: an existing access with the
  /// same indices and mask, or a new one, added to `accesses`. About
  /// `expectedOps` operations will compute it.
  Value request(Value tensor, ArrayRef<Value> indices, Value mask,
                ArrayRef<Value> scope, SmallVectorImpl<Access *> &accesses,
                int64_t expectedOps = 1);

  /// Says that `access` has this value.
  void provide(Access &access, Value value);
  /// Postpones an access to an argument of the function until all other
  /// accesses have values.
  void postpone(Access &access, unsigned argument) {
    postponed.push_back({argument, &access});
  }
  /// Whether some values were requested and not provided yet, without those
  /// that are postponed.
  bool isWaiting() const {
    return numWaiting != static_cast<int64_t>(postponed.size());
  }
  /// What was postponed, in the order of the arguments.
  SmallVector<std::pair<unsigned, Access *>, 4> takePostponed();

  /// Ranges over the reduced axes for a reduce of these extents whose indices
  /// depend on `used`. Reduces of equal extents share ranges where they can.
  SmallVector<Value> getReduceRanges(ArrayRef<Dim> extents,
                                     ArrayRef<Value> used);

  /// The part of `scope` up to the last range that the values depend on.
  SmallVector<Value, 4> narrowScope(ArrayRef<Value> scope,
                                    ArrayRef<Value> values);

  /// Conjoins `mask` with non-emptiness of each range of extent 0 or 1. These
  /// ranges are 0 in every index, so that loads do not depend on them and would
  /// be executed even if a range is empty and the element does not exist.
  Value maskWithoutPositions(Value mask, ArrayRef<Value> ranges);

  /// A load of one element of a row-major buffer of `shape`, the largest one of
  /// a symbolic tensor.
  Value createLoad(Value buffer, ArrayRef<int64_t> shape,
                   ArrayRef<Value> indices, Value mask);

  /// Writes `value` to the output, at the position that was set.
  void createStore(Value value, Value buffer);

  /// The position in a row-major tensor.
  Value linearize(ArrayRef<int64_t> shape, ArrayRef<Value> indices) {
    return tg::linearize(index, shape, indices);
  }

  /// The size of the kernel: operations, and what those will take that are
  /// requested.
  int64_t getNumOps() const { return numOps; }
  bool hasReduce() const { return !reduceRanges.empty(); }

  /// Ends construction: orders the body and moves it into a tg.kernel that is
  /// in no module yet. Its name is a readable one, after tinygrad: E or r (with
  /// a reduce) and the extents, variables by their names. Buffers come in
  /// argument order, outputs first.
  KernelOp finish(SmallVectorImpl<Value> &buffers);

private:
  Value createRange(Dim extent);
  std::string getName() const;
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
  SmallVector<Dim> extents; // of all ranges, by their ids
  int64_t numOps = 0, numWaiting = 0;
  SmallVector<std::pair<unsigned, Access *>, 4> postponed;
  llvm::SmallDenseMap<std::pair<Value, size_t>, SmallVector<Access *, 1>, 8>
      lookup;
  std::vector<std::unique_ptr<Access>> owned;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_KERNELBUILDER_H
