//===- TgPatterns.h - rewrite rules of the tg dialect -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rewrite rules that the dialect gives to the canonicalizer, for passes
/// that want them among their own.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGPATTERNS_H
#define TINYGRAD_DIALECT_TG_IR_TGPATTERNS_H

namespace mlir {
class RewritePatternSet;

namespace tg {

/// All canonicalization rules: those of TgCanonicalization.td, and those that
/// hold for many operations alike. Each makes the graph smaller or brings it
/// closer to a normal form, so that applying them ends; none changes a result
/// other than in ways that the operations leave open.
void populateTgCanonicalizationPatterns(RewritePatternSet &patterns);

} // namespace tg
} // namespace mlir

#endif // TINYGRAD_DIALECT_TG_IR_TGPATTERNS_H
