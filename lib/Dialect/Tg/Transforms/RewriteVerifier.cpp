//===- RewriteVerifier.cpp - verification of each rewrite -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the listener that verifies the IR after each pattern.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/RewriteVerifier.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

/// The enclosing operations of the active patterns, since a pattern may apply
/// others. A pattern may erase its root, but not what encloses it.
static thread_local SmallVector<Operation *, 2> scopes;

void tg::RewriteVerifier::notifyPatternBegin(const Pattern &pattern,
                                             Operation *op) {
  Operation *scope = op->getParentWithTrait<OpTrait::IsIsolatedFromAbove>();
  scopes.push_back(scope ? scope : op);
}

void tg::RewriteVerifier::notifyPatternEnd(const Pattern &pattern,
                                           LogicalResult status) {
  Operation *scope = scopes.pop_back_val();
  if (succeeded(status) && failed(verify(scope)))
    scope->emitError() << "the rewrite '" << pattern.getDebugName()
                       << "' left invalid IR";
}
