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
    Rewrites `math.exp2`, `exp`, `log2`, `log`, `sin`, `cos`, `tanh` and `powf`
    on f32, f16 and bf16, scalar or in vectors of fixed shape, into arithmetic
    with fused multiply-adds. Nothing of it is a call. Results are within 2 units
    in the last place over the whole range of f32, with subnormals, infinities,
    NaN, signed zeros and the special cases of pow as in C's Annex F; f16 and
    bf16 are computed in f32 and rounded.

    On vectors of f64, the same operations are split into scalar ones, which
    upstream's conversions turn into calls. Operations on scalar f64, on
    other types, on tensors and on scalable vectors stay as they are.

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

#endif // TINYGRAD_CONVERSION_PASSES_TD
