//===- TgVariables.h - the variables of a program ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which variables a program has, and programs for one value of each.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGVARIABLES_H
#define TINYGRAD_DIALECT_TG_IR_TGVARIABLES_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace mlir::tg {

/// The variables in the types and attributes of an operation and all within it,
/// by name, which is the order in which a compiled program takes their values.
/// Fails, with an error at the operation where it shows, if one name has two
/// pairs of bounds, or if a variable has a value in the type.
FailureOr<SmallVector<VarAttr>> collectVariables(Operation *root);

/// The same of a host program, a function that launches kernels: its own, and
/// those of the kernels to which a launch gives no number. \p kernels has the
/// kernels; launches of others are left out. Fails as collectVariables() does
/// for the program and each kernel; the name of a variable may have other
/// bounds in a kernel than in the program.
FailureOr<SmallVector<VarAttr>>
collectHostVariables(Operation *host, const SymbolTable &kernels);

/// A replacer of variables in types and attributes. Expressions stay in normal
/// form, and a tensor type without variables loses its encoding.
AttrTypeReplacer getVariableReplacer(std::function<Dim(VarAttr)> getValue);

/// Replaces variables in an operation and all within it.
void replaceVariables(Operation *root, std::function<Dim(VarAttr)> getValue);

/// Gives variables of these names these values: what was symbolic becomes
/// static. Other variables stay. The values have to be within the bounds.
void bindVariables(Operation *root, const llvm::StringMap<int64_t> &values);

/// The same type or attribute with variables that have no values.
void eraseBindings(Operation *root);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGVARIABLES_H
