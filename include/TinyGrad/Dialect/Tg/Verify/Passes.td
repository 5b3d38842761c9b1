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

include "TinyGrad/Support/PassOption.td"

class TgProof<string name> : Pass<name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::tg::TgDialect", "::mlir::smt::SMTDialect"];
  let options = [
    Tg_Option<"solver", "solver", "std::string", "\"z3\"",
              "The executable of the SMT solver Z3">,
    Tg_Option<"timeout", "timeout", "unsigned", "5000",
              "Milliseconds per query; 36 times as long in the last attempt">,
    Tg_Option<"answers", "answers", "std::string", "\"\"",
              "A folder that keeps the solver's answers, for the same questions "
              "later", "", "none is kept">,
    Tg_Option<"printCounts", "print-counts", "bool", "false",
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
    error gives positions for which it is. The buffer ends where the memory ends that
    the launches of the module pass, which may be that of the actual size
    (`tg.elements`); the proof is for each size that launches pass. Without launches,
    it ends where `tg.launched_elements` of the argument says, or else its type.

    The same is proved for functions that `convert-tg-to-vector` made of kernels:
    for each lane of a vector access, and for all work items and values of variables
    that callers may pass, in buffers of the sizes that `convert-tg-to-vector` found
    in launches. A memory access other than `memref.load`, `vector.load`,
    `vector.maskedload`, `vector.gather` and the corresponding stores is an error.
  }];
}

def TgVerifyGPUKernels : TgProof<"tg-verify-gpu-kernels"> {
  let summary = "Prove that GPU kernels stay in bounds and have no data races";
  let description = [{
    Proves of every function that `convert-tg-to-gpu` made, for all values of its
    variables and whatever is in memory:

    * Each access of a buffer, of the memory of a group or of an item's own memory
      is inside of it (`access`). A buffer has the sizes that launches passed to the
      kernel (`tg.launched_elements`), otherwise that of its type.
    * All items of a group reach each barrier equally often: of the conditions and
      loops around it, any two items decide the same (`barrier`). The same holds for
      the items of a subgroup and shuffles and operations of matrix units
      (`exchange`). No shuffle asks for an item that its group does not have.
    * No two items of a group access one element, one of them writing, between two
      barriers (`race`). The accesses that no barrier separates are found from each
      barrier, and from the entry, at one iteration of the loops around it: those
      in this iteration, those in the next one, and those outside. What a copy
      without waiting writes (`nvgpu.device_async_copy`, `amdgpu.gather_to_lds`, a copy
      of a box) is being written until it has been waited for and a barrier has
      followed; what a store of a box reads, until its item has waited for that.
    * No two groups access one element of a buffer, one of them writing (`groups`).
    * Where all accesses of a tile are permuted by the same exclusive or of bits, this
      is a permutation of the elements of the tile that moves chunks as a whole, and
      no access is of two chunks (`permutation`). The other statements are proved for
      the elements before it.

    Different arguments are assumed to be different memory, as launches guarantee
    except for kernels that work in place. Those are checked by the simulator, which finds races
    by address.

    An error names the statement that does not hold, the first few with work items and
    positions for which it does not; a statement that the solver could not decide is
    an error that begins with "not proved". So is an operation that is not understood.
    After some dozens of statements that do not hold, others are not tried, and a
    warning says how many. Indices are integers of 64 bits.
  }];
  let dependentDialects = ["::mlir::tg::TgDialect", "::mlir::smt::SMTDialect",
                           "::mlir::gpu::GPUDialect"];
}

#endif // TINYGRAD_DIALECT_TG_VERIFY_PASSES_TD
