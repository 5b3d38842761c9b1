//===- AllTargets.h - targets by name ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The targets that there are.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_ALL_ALLTARGETS_H
#define TINYGRAD_TARGET_ALL_ALLTARGETS_H

#include "TinyGrad/Target/Target.h"

#include <string>
#include <vector>

namespace mlir::tg {

/// The target called `name`, upper or lower case; null and an error that says
/// which names there are, or what is wrong with this one.
const Target *lookupTarget(StringRef name, std::string &error);

/// The kinds of targets that there are: "cpu", "null".
std::vector<std::string> getTargetKinds();

/// Adds the dialects of all kinds of targets.
void registerAllTargetDialects(DialectRegistry &registry);

} // namespace mlir::tg

#endif // TINYGRAD_TARGET_ALL_ALLTARGETS_H
