//===- Passes.td - passes about targets --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the pass that names the target of a module, and one for what targets
/// do to kernels.
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

def TgFillWithoutBoxes : Pass<"tg-fill-without-boxes", "::mlir::tg::KernelOp"> {
  let summary = "Let work items fill the tiles that copies of boxes fill";
  let description = [{
    Tiles of a scheduled kernel that are filled `as tma` are filled by the items of
    the group instead, 16 bytes each at once. Groups, items and buffers stay the same,
    and so do the bits of results. Targets with such copies do this to a copy of the
    kernel, which a program runs if the GPU refuses to copy boxes of its buffers. A
    kernel whose items cannot fill its tiles is an error.

    ```mlir
    %r = tg.range 0 loop 64
    %c = tg.range 1 loop 64
    %t = tg.stage %x over %r, %c in group buffers 3 as tma : memref<4096xf16>
    ```
    becomes, in groups of 4x8x4 items,
    ```mlir
    %r = tg.range 0 unroll 4
    %r1 = tg.range 1 local 4
    %r2 = tg.range 2 local 4
    %c = tg.range 3 local 8
    %c1 = tg.range 4 upcast 8
    %t = tg.stage %x over %r, %r1, %r2, %c, %c1 in group buffers 3 : memref<4096xf16>
    ```
  }];
  let dependentDialects = ["::mlir::tg::TgDialect"];
}

#endif // TINYGRAD_TARGET_ALL_PASSES_TD
