//===- IndexForm.h - indices as linear forms --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Indices of a kernel as linear forms over the open loops, split into a part
/// that is equal in all lanes and the rest.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_KERNELEMISSION_INDEXFORM_H
#define TINYGRAD_CONVERSION_KERNELEMISSION_INDEXFORM_H

#include "TinyGrad/Dialect/Tg/Utils/LinearForm.h"
#include "llvm/ADT/PointerIntPair.h"

namespace mlir::tg::emission {

/// A range (a loop or the lanes), or the result of an operation that is not a
/// sum. The flag marks an operation whose result is equal in all lanes although
/// its operands are not; the atom then means the value in lane 0.
using IndexAtom = llvm::PointerIntPair<Value, 1, bool>;

/// An index as a sum. Coefficients are plain numbers, which need no context.
struct IndexForm : LinearSum<IndexForm, IndexAtom, int64_t> {
  using Term = std::pair<IndexAtom, int64_t>;

  explicit IndexForm(int64_t constant = 0) : LinearSum(constant) {}
  explicit IndexForm(IndexAtom atom) : LinearSum(0) { addTerm(atom, 1); }

  bool isConstant() const { return terms.empty(); }
  static IndexForm getZero() { return IndexForm(); }
  static int64_t sum(int64_t x, int64_t y) { return addWrapped(x, y); }
  static int64_t product(int64_t x, int64_t y) { return mulWrapped(x, y); }
};

/// An index split into its stride along the lanes and a part without lanes.
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
