//===- TgAliases.h - aliases in printed modules -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which attributes are printed once, with an alias.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_IR_TGALIASES_H
#define TINYGRAD_LIB_DIALECT_TG_IR_TGALIASES_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::tg {

/// Variables, by their names, and long shapes. MLIR makes names of aliases
/// unique and replaces what is no letter.
struct AliasNames : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_IR_TGALIASES_H
