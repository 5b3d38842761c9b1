//===- TargetKind.h - description of a kind of target -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How a target's folder describes itself to the list of all targets:
/// `lib/Target/Cpu` defines `TargetKind tg::describeCpuTarget()`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_TARGETKIND_H
#define TINYGRAD_LIB_TARGET_TARGETKIND_H

#include "TinyGrad/Target/Target.h"

namespace mlir::tg {

struct TargetKind {
  /// Lower case, no colon.
  llvm::StringLiteral name;
  /// Creates the target for the part of a name after the colon, which may be
  /// empty. Returns null and the reason if there is none.
  std::unique_ptr<Target> (*create)(StringRef processor, std::string &error);
  void (*registerDialects)(DialectRegistry &registry);
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_TARGET_TARGETKIND_H
