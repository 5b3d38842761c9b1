//===- Passes.td - Conversion passes -----------------------*- tablegen -*-===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes that lower `tg` and what `tg` lowers to.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_PASSES_TD
#define TINYGRAD_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// MathToPolynomial
//===----------------------------------------------------------------------===//

def TgExpandMath : Pass<"tg-expand-math"> {
  let summary = "Replace transcendental functions by inline arithmetic";
  let description = [{
    Rewrites `math.exp2`, `exp`, `expm1`, `log2`, `log`, `log1p`, `sin`, `cos`,
    `tan`, `asin`, `acos`, `atan`, `tanh`, `erf` and `powf` on f32, f16 and bf16,
    scalar or in vectors of fixed shape, into arithmetic with fused
    multiply-adds. Nothing of it is a call. Results are within 2 units
    in the last place over the whole range of f32, with subnormals, infinities,
    NaN, signed zeros and the special cases of pow as in C's Annex F; f16 and
    bf16 are computed in f32 and rounded.

    Of f64, `exp`, `expm1`, `log`, `log1p` and `erf` are expanded as well. The other
    operations, on vectors of at most 4096 elements, are split into scalar ones,
    which upstream's conversions turn into calls. On scalar f64 they stay as they
    are, and so do all operations on other types, on tensors and on scalable
    vectors.

    ```mlir
    %0 = math.exp2 %x : vector<16xf16>
    ```
    becomes
    ```mlir
    %x32 = arith.extf %x : vector<16xf16> to vector<16xf32>
    ... // clamps, a rounding to an integer, seven math.fma, two products
    %0 = arith.truncf %y32 : vector<16xf32> to vector<16xf16>
    ```

    Run `convert-math-to-llvm` before `convert-math-to-libm` afterwards: the
    latter makes calls of `math.fma` and `math.floor`, too.

    The arithmetic needs rounding to nearest and subnormals. Where a processor
    is set to flush subnormals, subnormal results become zeros.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// TgToVector
//===----------------------------------------------------------------------===//

def ConvertTgToVector : Pass<"convert-tg-to-vector", "::mlir::ModuleOp"> {
  let summary = "Lower scheduled kernels to loops over vectors";
  let description = [{
    Turns every `tg.kernel` into a function that takes the kernel's buffers and
    two indices, and runs the positions from the first to the second (exclusive)
    of the kernel's `thread` and `global` ranges, of which the attribute
    `tg.parallel_extent` tells how many there are. The values of variables in
    extents are further arguments, by name, which `tg.variables` lists; the last
    position of such a range is peeled like any other. `loop` ranges become loops,
    `unroll` ranges copies of code, and `upcast` ranges the lanes of vectors.

    * Nothing that stays the same in a loop is inside it.
    * A reduction carries its accumulators through a loop nest in registers; one
      for each unrolled position of its result. Sums of products are fused.
    * Comparisons that the bounds of the loops decide are folded, so that the
      main part of a loop with `peel` has no masks.
    * Contiguous lanes are loaded and stored as vectors, with a mask where one is
      needed.
    * Bool buffers become buffers of bytes; f16, bf16 and fp8 ones hold their
      bits.

    Functions that launch kernels are no longer meaningful and are removed.

    ```mlir
    tg.kernel @E_64(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
      %i = tg.range 0 loop 4
      %v = tg.range 1 upcast 16
      %c16 = tg.const(16 : index) : index
      %m = tg.mul %i, %c16 : index
      %p = tg.add %m, %v : index
      %x = tg.load %a[%p] : memref<64xf32>
      %y = tg.neg %x : f32
      tg.store %y, %out[%p] : memref<64xf32>
    }
    ```
    becomes
    ```mlir
    func.func @E_64(%out: memref<64xf32>, %a: memref<64xf32>, %begin: index, %end: index) {
      scf.for %i = %c0 to %c4 step %c1 {
        %p = arith.muli %i, %c16 : index
        %x = vector.load %a[%p] : memref<64xf32>, vector<16xf32>
        %y = arith.negf %x : vector<16xf32>
        vector.store %y, %out[%p] : memref<64xf32>, vector<16xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def TgCheckBounds : Pass<"tg-check-bounds", "::mlir::ModuleOp"> {
  let summary = "Check every access to memory of kernels when they run";
  let description = [{
    Takes what `convert-tg-to-vector` makes. An access to a buffer or tile of known
    size that leaves it calls `tg_report_bounds` with the element, the size and the
    number of the buffer among the function's arguments (-1 for a tile), and is not
    done: a load gives zeros. Of masked accesses each lane is looked at by itself.
    `SPEC=2` compiles kernels with this pass.

    ```mlir
    %x = memref.load %a[%i] : memref<8xf32>
    ```
    becomes
    ```mlir
    %inside = arith.cmpi ult, %i, %c8 : index
    %x = scf.if %inside -> (f32) {
      %0 = memref.load %a[%i] : memref<8xf32>
      scf.yield %0 : f32
    } else {
      ...
      func.call @tg_report_bounds(%element, %size, %number) : (i64, i64, i64) -> ()
      scf.yield %zero : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// KernelToLLVM
//===----------------------------------------------------------------------===//

def TgAnnotateKernelFunctions
    : Pass<"tg-annotate-kernel-functions", "::mlir::func::FuncOp"> {
  let summary = "Say of a kernel's buffers what LLVM can use";
  let description = [{
    Takes what `convert-tg-to-vector` makes. The buffers of a kernel that does not
    work in place are `llvm.noalias`: they do not overlap where one of them is
    written. Those that it does not write are `llvm.readonly`, and buffers of known
    size `llvm.dereferenceable`. Other functions stay as they are.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertKernelFunctionsToLLVM
    : Pass<"convert-kernel-functions-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert functions over vectors to LLVM's dialect";
  let description = [{
    Upstream's conversions of `arith`, `cf`, `func`, `math`, `memref`, `ub` and
    `vector` in one, since values of any of them may meet in one loop. Buffers
    become plain pointers. `scf` has to be lowered before.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TgAddKernelInterface
    : Pass<"tg-add-kernel-interface", "::mlir::ModuleOp"> {
  let summary = "Add the functions of the C interface to kernels";
  let description = [{
    Each function that was a kernel gets the ending `.body` and becomes internal.
    Under its name another one calls it that takes pointers to the addresses of the
    buffers and to the values of the variables, and the first and the last position
    (exclusive). A fence at the end makes stores past the caches visible to whoever
    learns that the kernel is done.

    ```mlir
    llvm.func @E_64(%buffers: !llvm.ptr, %variables: !llvm.ptr, %begin: i64, %end: i64)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TINYGRAD_CONVERSION_PASSES_TD
