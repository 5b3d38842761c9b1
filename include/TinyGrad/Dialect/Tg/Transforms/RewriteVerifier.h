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

/// Verifies the function or kernel around a rewrite after each pattern that
/// was applied. Invalid IR is reported as an error that names the pattern,
/// after the verifier's own. Takes time in proportion to the function for each
/// rewrite. Has no state of its own: one may listen on several threads.
class RewriteVerifier : public RewriterBase::Listener {
public:
  void notifyPatternBegin(const Pattern &pattern, Operation *op) override;
  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_REWRITEVERIFIER_H
