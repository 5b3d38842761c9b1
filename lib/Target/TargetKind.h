//===- TargetKind.h - describes a kind of targets ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the folder of a target tells the list of all targets: `lib/Target/Cpu`
/// defines `TargetKind tg::describeCpuTarget()`.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_TARGETKIND_H
#define TINYGRAD_LIB_TARGET_TARGETKIND_H

#include "TinyGrad/Target/Target.h"

namespace mlir::tg {

struct TargetKind {
  /// Lower case, no colon.
  llvm::StringLiteral name;
  /// The target for what follows the colon of a name, which may be empty; null
  /// and the reason if there is none.
  std::unique_ptr<Target> (*create)(StringRef processor, std::string &error);
  void (*registerDialects)(DialectRegistry &registry);
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_TARGET_TARGETKIND_H
