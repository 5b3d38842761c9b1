//===- MathToPolynomial.h - Inline transcendental functions -----*- C++ -*-===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Transcendental functions as straight-line arithmetic on scalars and vectors,
/// without calls for f32, f16 and bf16.
///
/// Every function is accurate to 2 units in the last place of f32 over the
/// whole range: subnormal arguments and results, infinities, NaN, signed zeros
/// and, for pow, the special cases of C's Annex F. The code requires
/// round-to-nearest IEEE arithmetic with subnormals. It carries no fast-math
/// flags; contraction by the backend changes nothing, since every product that
/// feeds a sum is already fused.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_CONVERSION_MATHTOPOLYNOMIAL_MATHTOPOLYNOMIAL_H
#define TINYGRAD_CONVERSION_MATHTOPOLYNOMIAL_MATHTOPOLYNOMIAL_H

#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir {
class RewritePatternSet;

namespace tg {

#define GEN_PASS_DECL_TGEXPANDMATH
#include "TinyGrad/Conversion/Passes.h.inc"

/// Whether the build functions below take a value of this type: f16, bf16, f32,
/// or a vector of them with a fixed shape of any rank.
bool isExpandableMathType(Type type);

/// \name Builders
/// Each inserts the operations that compute a function at the builder's
/// insertion point and returns the result, which has the type of `x`. The type
/// must satisfy isExpandableMathType; f16 and bf16 are computed in f32 and
/// rounded once. Only operations of `arith`, `math` (fma, floor, absf, sqrt),
/// `vector` and, for sin, cos and tan, one `scf.if` are inserted.
/// @{

/// 2^x. The hot one: 15 instructions per vector with FMA.
Value buildExp2(ImplicitLocOpBuilder &b, Value x);
/// e^x.
Value buildExp(ImplicitLocOpBuilder &b, Value x);
/// e^x - 1, accurate near zero.
Value buildExpM1(ImplicitLocOpBuilder &b, Value x);
/// Logarithm to the base 2; -inf for a zero, NaN below.
Value buildLog2(ImplicitLocOpBuilder &b, Value x);
/// Natural logarithm; -inf for a zero, NaN below.
Value buildLog(ImplicitLocOpBuilder &b, Value x);
/// Natural logarithm of 1 + x, accurate near zero; -inf for -1, NaN below.
Value buildLog1p(ImplicitLocOpBuilder &b, Value x);
/// Sine. Arguments of 2^19 and more are reduced exactly, in a branch that is
/// taken when any lane holds one.
Value buildSin(ImplicitLocOpBuilder &b, Value x);
/// Cosine; see buildSin.
Value buildCos(ImplicitLocOpBuilder &b, Value x);
/// Tangent; see buildSin.
Value buildTan(ImplicitLocOpBuilder &b, Value x);
/// Inverse sine; NaN beyond -1 and 1.
Value buildAsin(ImplicitLocOpBuilder &b, Value x);
/// Inverse cosine, from 0 to pi; NaN beyond -1 and 1.
Value buildAcos(ImplicitLocOpBuilder &b, Value x);
/// Inverse tangent.
Value buildAtan(ImplicitLocOpBuilder &b, Value x);
/// Hyperbolic tangent.
Value buildTanh(ImplicitLocOpBuilder &b, Value x);
/// Error function.
Value buildErf(ImplicitLocOpBuilder &b, Value x);
/// x to the power of y, which has the type of x. Computed in f64.
Value buildPow(ImplicitLocOpBuilder &b, Value x, Value y);
/// @}

/// Adds the patterns that replace math.exp2, exp, expm1, log2, log, log1p, sin,
/// cos, tan, asin, acos, atan, tanh, erf and powf on types that
/// isExpandableMathType accepts, and on f64.
void populateMathToPolynomialPatterns(RewritePatternSet &patterns);

} // namespace tg
} // namespace mlir

#endif // TINYGRAD_CONVERSION_MATHTOPOLYNOMIAL_MATHTOPOLYNOMIAL_H
