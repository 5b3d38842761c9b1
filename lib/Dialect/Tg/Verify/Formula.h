//===- Formula.h - what proofs share ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Formulas in SMT-LIB, memory accesses of code with loops, and how results are
/// printed.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_VERIFY_FORMULA_H
#define TINYGRAD_LIB_DIALECT_TG_VERIFY_FORMULA_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Verify/VerifyIndex.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tg {

/// Declarations and assertions in SMT-LIB. `build` creates operations of the
/// smt dialect, and returns the variables of symbolic sizes that it named.
/// Fails, with an error, if the result cannot be written as SMT-LIB.
FailureOr<std::string>
writeFormula(Location loc,
             function_ref<SmallVector<VarAttr>(OpBuilder &)> build);

/// The memory access of an operation in a function with loops and vectors.
struct LoopAccess {
  Value memory;
  ValueRange indices;
  /// A scalar or vector whose lanes are accessed.
  Type lanes;
  Value mask = {};
  /// What is added to the index, by lane; the lane if there is none.
  Value offsets = {};
};

/// None if the operation is not one of the accesses that are understood.
std::optional<LoopAccess> getLoopAccess(Operation *op);

/// Prints "proved NAME: COUNT" for each subject, by name.
void printProved(const llvm::StringMap<unsigned> &proved);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_VERIFY_FORMULA_H
