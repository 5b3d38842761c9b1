//===- VerifyIndex.h - proofs of kernels ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Proves with an SMT solver that rules keep the value of index expressions,
/// that kernels access no element outside of their buffers, and that the work
/// items of a GPU do not race.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_VERIFY_VERIFYINDEX_H
#define TINYGRAD_DIALECT_TG_VERIFY_VERIFYINDEX_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tg {

struct ProofOptions {
  /// The solver: the name or path of Z3's program.
  std::string solver = "z3";
  /// Milliseconds per query. A query that takes longer is repeated alone, then
  /// for each value of the variables, if these are few enough, and finally with
  /// 36 times the limit: results must not depend on the load of the machine.
  unsigned timeoutMs = 5000;
  /// The solver tries few cutting planes, and does not look for the terms that
  /// matter. For indices of kernels, whose variables have small bounds, this is
  /// six to sixteen times as fast; for rules about unknown numbers it is
  /// slower.
  bool hasSmallBounds = false;
  /// A folder that keeps the solver's answers, which are read there when the
  /// same is asked again; made if it is missing. Empty: none is kept. What was
  /// not decided is asked each time.
  std::string answers = "";
};

/// One statement that holds if some formula cannot be satisfied.
struct ProofQuestion {
  Location loc;
  /// The beginning of the error if the statement does not hold.
  std::string claim;
  /// What the statement counts for, such as a rule.
  std::string subject;
  /// Declarations and assertions in SMT-LIB.
  std::string formula;
  /// A second place that the statement is about, and what it is.
  std::optional<std::pair<Location, std::string>> other = std::nullopt;
};

/// Asks the solver. Fails, with an error at each statement that does not hold
/// or could not be decided; a counterexample is a note of the first few. If
/// very many do not hold, some are not tried, and a warning says so. Counts
/// what was proved by subject.
LogicalResult proveAll(ArrayRef<ProofQuestion> questions,
                       const ProofOptions &options,
                       llvm::StringMap<unsigned> &proved);

/// Simplifies the index arithmetic of every kernel, and proves each rewrite and
/// the bounds that were inferred for each value.
LogicalResult verifyIndexRewrites(ModuleOp module,
                                  const FrozenRewritePatternSet &rules,
                                  const ProofOptions &options,
                                  llvm::StringMap<unsigned> &proved);

/// Proves that every load and store of every kernel is inside of its buffer
/// where its mask holds.
LogicalResult verifyAccesses(ModuleOp module, const ProofOptions &options,
                             llvm::StringMap<unsigned> &proved);

/// Proves of every function that convert-tg-to-gpu made that its accesses are
/// inside of their buffers, that all work items of a group reach its barriers,
/// and that no two work items race.
LogicalResult verifyGPUKernels(ModuleOp module, const ProofOptions &options,
                               llvm::StringMap<unsigned> &proved);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_VERIFY_VERIFYINDEX_H
