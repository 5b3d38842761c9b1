//===- SimplifyIndex.h - the simplifier of index arithmetic -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Applies rules to the index arithmetic of kernels. The rules are those of
/// IndexRules.td; tests bring others.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_SIMPLIFYINDEX_H
#define TINYGRAD_DIALECT_TG_TRANSFORMS_SIMPLIFYINDEX_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include <functional>

namespace mlir::tg {

/// The rules of IndexRules.td.
FrozenRewritePatternSet getIndexRules(MLIRContext *context);

/// One application of a rule.
struct IndexRewrite {
  /// The name of the rule, "fold" for a folder.
  StringRef rule;
  /// The values that the replaced and the new operation give.
  Value before, after;
  /// What holds where the values are used, or does not hold; null if the
  /// rewrite is one everywhere.
  Value condition;
  bool conditionHolds;
};

struct SimplifyIndexOptions {
  /// Measure each expression before and after each rule. By every rule the
  /// expanded measure becomes smaller, or stays and the written expression
  /// becomes smaller. A rule that does neither is an error that names the rule.
#ifdef NDEBUG
  bool checkMeasure = false;
#else
  bool checkMeasure = true;
#endif
  /// Called for each rewrite, while both values still exist. An error that it
  /// returns ends the simplification.
  std::function<LogicalResult(const IndexRewrite &)> onRewrite;
};

/// Applies the rules to all index arithmetic of a kernel, in one sweep from the
/// first operation to the last.
LogicalResult simplifyIndices(KernelOp kernel,
                              const FrozenRewritePatternSet &rules,
                              const SimplifyIndexOptions &options = {},
                              unsigned *numRewrites = nullptr);

/// Whether an operation is index arithmetic: what rules look into.
bool isIndexArithmetic(Operation *op);

/// The size of expressions: natural numbers that grow with the measure of each
/// operand. Sums and products weigh little, constants by their length,
/// quotients and remainders three times what is divided, so that taking a term
/// out of them makes the whole smaller. Measures are kept; operands of what was
/// measured must not change.
class IndexMeasure {
public:
  /// Numbers stay below this, from which on expressions are not told apart.
  static constexpr uint64_t kMost = uint64_t(1) << 62;

  /// Of the expression as it is written.
  uint64_t get(Value value);
  /// Of the expression with all products of sums expanded, which does not
  /// depend on which common factors are taken out.
  uint64_t getExpanded(Value value, IndexAnalysis &facts);
  void forget(Value value) {
    known.erase(value);
    expanded.erase(value);
  }

  static uint64_t ofConstant(int64_t number);
  /// A number or dimension.
  static uint64_t ofDim(Dim dim);
  /// An operation of this kind on operands of these measures.
  static uint64_t ofOperation(TypeID id, ArrayRef<uint64_t> operands);

private:
  /// Of values as they are written, and of terms of sums.
  DenseMap<Value, uint64_t> known, expanded;
};

/// The rewriter that rules are applied with: it knows bounds and measures.
class IndexRewriter : public PatternRewriter {
public:
  using PatternRewriter::PatternRewriter;

  IndexAnalysis *facts = nullptr;
  IndexMeasure measure;
};

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_SIMPLIFYINDEX_H
