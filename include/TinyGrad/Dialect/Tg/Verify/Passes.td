//===- Passes.td - proofs of kernels -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes that prove something of kernels with an SMT solver.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_VERIFY_PASSES_TD
#define TINYGRAD_DIALECT_TG_VERIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

class TgProof<string name> : Pass<name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::tg::TgDialect", "::mlir::smt::SMTDialect"];
  let options = [
    Option<"solver", "solver", "std::string", "\"z3\"",
           "The program of the SMT solver Z3">,
    Option<"timeout", "timeout", "unsigned", "5000",
           "Milliseconds for one question; 12 times as long at last">,
    Option<"printCounts", "print-counts", "bool", "false",
           "Print how much was proved of what">
  ];
}

def TgVerifyIndexRewrites : TgProof<"tg-verify-index-rewrites"> {
  let summary = "Simplify index arithmetic, with a proof of each rewrite";
  let description = [{
    Does what `tg-simplify-index` does to the kernels of a module. Each application
    of a rule is written as a formula in SMT-LIB that says that the values before and
    after differ at some position of the ranges and for some values of the variables
    within their bounds, with what conditions say added; so are the bounds that are
    inferred for values. Z3 has to find that none of these can be satisfied. An error
    names the rule; a note says for which positions the value changes.

    A formula that cannot be decided in time, as it may be with products of variables,
    is asked once for each value of the variables.
  }];
}

def TgVerifyAccesses : TgProof<"tg-verify-accesses"> {
  let summary = "Prove that kernels stay inside of their buffers";
  let description = [{
    For each `tg.load` and `tg.store` of the kernels of a module, Z3 has to find that
    there are no positions of the ranges, values of the variables, or numbers in
    memory for which the mask holds and the index is not in the buffer. An error says
    for which positions it is not.

    The same is asked of functions that `convert-tg-to-vector` made of kernels, of
    each lane of accesses by vectors, with work items and variables within what
    callers pass. What an operation does with memory that is none of `memref.load`,
    `vector.load`, `vector.maskedload`, `vector.gather` and their stores is an error.
  }];
}

#endif // TINYGRAD_DIALECT_TG_VERIFY_PASSES_TD
