//===- Passes.td - proofs of kernels -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes that prove properties of kernels with an SMT solver.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_VERIFY_PASSES_TD
#define TINYGRAD_DIALECT_TG_VERIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

class TgProof<string name> : Pass<name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::tg::TgDialect", "::mlir::smt::SMTDialect"];
  let options = [
    Option<"solver", "solver", "std::string", "\"z3\"",
           "The executable of the SMT solver Z3">,
    Option<"timeout", "timeout", "unsigned", "5000",
           "Milliseconds per query; 12 times as long in the last attempt">,
    Option<"printCounts", "print-counts", "bool", "false",
           "Print the number of proofs of each kind">
  ];
}

def TgVerifyIndexRewrites : TgProof<"tg-verify-index-rewrites"> {
  let summary = "Simplify index arithmetic, with a proof of each rewrite";
  let description = [{
    Simplifies the kernels of a module as `tg-simplify-index` does. Each application
    of a rule becomes a formula in SMT-LIB: the values before and after differ at
    some position of the ranges and for some values of the variables within their
    bounds, under the conditions that hold there. The bounds inferred for values
    become formulas too. Z3 must show that no formula is satisfiable. An error names
    the rule; a note gives positions at which the value changes.

    A formula that cannot be decided in time, for instance because of products of
    variables, is checked for each value of the variables separately.
  }];
}

def TgVerifyAccesses : TgProof<"tg-verify-accesses"> {
  let summary = "Prove that kernels access memory only inside their buffers";
  let description = [{
    For each `tg.load` and `tg.store` in the kernels of a module, Z3 must show that
    there are no positions of the ranges, values of the variables, or numbers in
    memory for which the mask is true and the index is outside of the buffer. An
    error gives positions for which it is.

    The same is proved for functions that `convert-tg-to-vector` made of kernels:
    for each lane of a vector access, and for all work items and values of variables
    that callers may pass. A memory access other than `memref.load`, `vector.load`,
    `vector.maskedload`, `vector.gather` and the corresponding stores is an error.
  }];
}

#endif // TINYGRAD_DIALECT_TG_VERIFY_PASSES_TD
