//===- AllTargets.h - targets by name ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The list of available targets.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_ALL_ALLTARGETS_H
#define TINYGRAD_TARGET_ALL_ALLTARGETS_H

#include "TinyGrad/Target/Target.h"

#include <string>
#include <vector>

namespace mlir::tg {

/// The target called `name`, in upper or lower case. Returns null and an error
/// that lists the known names or explains the problem with this one.
const Target *lookupTarget(StringRef name, std::string &error);

/// The available kinds of targets: "cpu", "null", "sim".
std::vector<std::string> getTargetKinds();

/// Adds the dialects of all kinds of targets.
void registerAllTargetDialects(DialectRegistry &registry);

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_ALL_ALLTARGETS_H
