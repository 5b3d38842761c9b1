//===- IndexForm.h - indices as linear forms --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An index of a kernel as a sum over the loops that are open, and its split
/// into what is equal in all lanes and what is not.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_KERNELEMISSION_INDEXFORM_H
#define TINYGRAD_CONVERSION_KERNELEMISSION_INDEXFORM_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir::tg::emission {

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
struct IndexForm {
  struct Term {
    Value value;
    bool lane0;
    int64_t factor;
  };
  int64_t constant = 0;
  SmallVector<Term, 4> terms;

  bool isConstant() const { return terms.empty(); }
  void add(const IndexForm &other, int64_t factor);
  void addTerm(Value value, bool lane0, int64_t factor);
};

/// An index split into lanes and the rest.
struct LaneForm {
  IndexForm scalar;
  int64_t stride = 0;
  /// Terms whose difference between lanes is unknown; none in most indices.
  SmallVector<IndexForm::Term, 2> irregular;

  /// Whether all lanes have the same index.
  bool isUniform() const { return stride == 0 && irregular.empty(); }
};

} // namespace mlir::tg::emission

#endif // TINYGRAD_CONVERSION_KERNELEMISSION_INDEXFORM_H
