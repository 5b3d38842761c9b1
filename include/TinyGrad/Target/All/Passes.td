//===- Passes.td - passes about targets --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the pass that names the target of a module.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_TARGET_ALL_PASSES_TD
#define TINYGRAD_TARGET_ALL_PASSES_TD

include "TinyGrad/Support/PassOption.td"

def TgAttachTarget : Pass<"tg-attach-target", "::mlir::ModuleOp"> {
  let summary = "Set the target that a module is compiled for";
  let description = [{
    Sets the module's attribute `tg.target` to the facts about the named target:
    `cpu` (the host), `cpu:x86-64-v3` and other processor names that LLVM knows,
    `cpu:aarch64:neoverse-v1` for another architecture. Scheduling and
    `convert-tg-to-vector` read it. An existing target is replaced.

    ```mlir
    module {
    }
    ```
    becomes, for `target=cpu:x86-64-v3`,
    ```mlir
    module attributes {tg.target = #tg.target<"cpu:x86-64-v3", vector_bytes = 32, vector_registers = 16>} {
    }
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
  let options = [
    Tg_Option<"target", "target", "std::string", "\"cpu\"",
              "The name of the target">
  ];
}

#endif // TINYGRAD_TARGET_ALL_PASSES_TD
