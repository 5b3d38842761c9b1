//===- CompareKernels.h - whether two kernels store the same -----*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares what two kernels leave in their buffers, element by element, as
/// expressions of what was there before.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_VALIDATE_COMPAREKERNELS_H
#define TINYGRAD_DIALECT_TG_VALIDATE_COMPAREKERNELS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::tg {

class SymbolicKernel;
struct BufferElement;

/// What a comparison came to.
struct Verdict {
  enum class Kind {
    same,       ///< all that was compared is the same
    different,  ///< `text` says where
    notCovered, ///< `text` says why nothing, or not everything, was compared
  };

  Kind kind = Kind::same;
  std::string text;
  /// How many elements were compared, and whether these are all that either
  /// kernel writes, for the sizes that were tried.
  uint64_t elements = 0;
  bool isComplete = true;
};

/// How many operations are evaluated for one comparison, beyond which only few
/// elements are compared; how many elements are looked at; and the limit.
struct Effort {
  uint64_t operations;
  size_t elements;
  uint64_t limit;

  /// For the whole list of steps, and for a part of it.
  static Effort whole() { return {200'000, 4096, 3'000'000}; }
  static Effort part() { return {20'000, 256, 300'000}; }
};

/// A kernel that others are compared with. Sizes that are variables have a few
/// of their values.
class KernelComparison {
public:
  /// \p boundaries are numbers by which the ranges of the others may be
  /// divided.
  KernelComparison(KernelOp expected, ArrayRef<int64_t> boundaries);
  ~KernelComparison();

  Verdict compare(KernelOp actual, Effort effort);

private:
  struct Instance;

  void compare(Instance &instance, KernelOp actual, Effort effort,
               Verdict &verdict);
  void compareUpdates(Instance &instance, SymbolicKernel &actual, Effort effort,
                      Verdict &verdict);
  void describeElement(Instance &instance, KernelOp actual,
                       BufferElement element, Verdict &verdict);

  KernelOp expected;
  SmallVector<int64_t> boundaries;
  std::vector<std::unique_ptr<Instance>> instances;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_VALIDATE_COMPAREKERNELS_H
