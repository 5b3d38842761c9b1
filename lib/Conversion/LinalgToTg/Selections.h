//===- Selections.h - reductions that select elements -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reductions of `linalg` whose outputs are selected by comparisons: the
/// largest or smallest element, its position, and what else belongs to it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_LINALGTOTG_SELECTIONS_H
#define TINYGRAD_LIB_CONVERSION_LINALGTOTG_SELECTIONS_H

#include "Builders.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"
#include <string>

namespace mlir::tg::linalgtotg {

/// What `Selections` knows of the operation that is converted.
struct SelectionContext {
  B &b;
  mutable linalg::LinalgOp op;
  ArrayRef<Dim> loops;
  const llvm::SmallBitVector &reduced;
  /// Values of the body that do not depend on outputs, as tensors with an axis
  /// for each loop.
  const DenseMap<Value, Value> &values;
  /// Initial values of all outputs, with an axis for each loop.
  ArrayRef<Value> inits;
};

/// The final value of an output that its body selects by a comparison of a term
/// with an output: `select(term > best, term, best)`, or with the same
/// condition another term and another output. Each term comes in the order of
/// the loops, as upstream lowers them. Has an axis for each loop, of size 1 for
/// reduced ones. Null, with a reason, if the output is something else.
Value buildSelection(const SelectionContext &context, unsigned output,
                     std::string &reason);

} // namespace mlir::tg::linalgtotg

#endif // TINYGRAD_LIB_CONVERSION_LINALGTOTG_SELECTIONS_H
