//===- RewriteVerifier.h - verification of each rewrite ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the rewrite pattern that left invalid IR behind.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_REWRITEVERIFIER_H
#define TINYGRAD_DIALECT_TG_TRANSFORMS_REWRITEVERIFIER_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tg {

/// Verifies the function or kernel around a rewrite after each applied pattern.
/// For invalid IR, an error that names the pattern follows the verifier's own.
/// Each rewrite takes time proportional to the function. The listener has no
/// state, so threads may share it.
class RewriteVerifier : public RewriterBase::Listener {
public:
  void notifyPatternBegin(const Pattern &pattern, Operation *op) override;
  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_REWRITEVERIFIER_H
