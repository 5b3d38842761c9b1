//===- TgElementwiseOps.td - elementwise operations -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operations that work element by element. They take tensors in a graph and
/// scalars inside a kernel.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGELEMENTWISEOPS_TD
#define TINYGRAD_DIALECT_TG_IR_TGELEMENTWISEOPS_TD

include "TinyGrad/Dialect/Tg/IR/TgBase.td"

/// Elementwise: all operands and results have one shape (or all are scalars).
class Tg_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Tg_Op<mnemonic, !listconcat([Pure, Tg_SameDims, Elementwise, Scalarizable,
                                   Vectorizable, Tensorizable,
                                   Tg_ElementwiseOpInterface], traits)> {
  /// What the methods of ElementwiseOpInterface give.
  int work = 1;
  int registers = 1;
  bit isTranscendental = 0;
  let extraClassDeclaration = "int64_t getWork() { return " # work #
      "; }\nint64_t getRegisters() { return " # registers #
      "; }\nbool isTranscendental() { return " #
      !if(isTranscendental, "true", "false") # "; }\n";
}

class Tg_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Tg_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
  let hasFolder = 1;
}

/// A transcendental function of floats. Its error bound in f64 is that of the
/// expansion, if tg-expand-math has one, or of the C library.
class Tg_MathOp<string mnemonic, int itsWork, string derivative>
    : Tg_UnaryOp<mnemonic, Tg_FloatLike, [Tg_Derivative<derivative>]> {
  let work = itsWork;
  let registers = 16;
  let isTranscendental = 1;
}

class Tg_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Tg_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

class Tg_CompareOp<string mnemonic, list<Trait> traits = []>
    : Tg_ElementwiseOp<mnemonic, !listconcat([SameTypeOperands,
          DeclareOpInterfaceMethods<InferTypeOpInterface>, Tg_InfersRanges], traits)> {
  let arguments = (ins Tg_ArithLike:$lhs, Tg_ArithLike:$rhs);
  let results = (outs Tg_BoolLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
  let hasFolder = 1;
}

def Tg_ElementwiseDoc : Tg_DocGroup<"Elementwise operations", [{
Work element by element on tensors of one shape, and inside kernels on scalars
and vectors. There is no broadcasting: use `tg.reshape` and `tg.expand` to make
shapes equal. The rules common to all of them (wrapping, NaN, rounding) are at the
top of this page; each operation adds its special cases. Operations on integers
and bools alone have no derivative; `tg.trunc` and conversions from floats to
integers have the derivative 0. Those with the trait `HasDerivative` state their rule
beside their definition in `TgElementwiseOps.td`.
}]>;
let opDocGroup = Tg_ElementwiseDoc in {

//===----------------------------------------------------------------------===//
// Unary operations
//===----------------------------------------------------------------------===//

def Tg_NegOp : Tg_UnaryOp<"neg", Tg_NumLike, [Tg_InfersRanges, Tg_Derivative<"a.neg(gradient)">]> {
  let summary = "negation";
  let description = [{
    Integers wrap: the most negative value is its own negation, and an unsigned
    `x` gives `2^N - x` modulo `2^N`. Floats change sign, including zero, infinities
    and NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.neg %x : tensor<4xf32>
    ```
  }];
}

def Tg_RecipOp : Tg_UnaryOp<"recip", Tg_FloatLike, [
    Tg_Derivative<"a.neg(a.mul(gradient, a.square(getResult())))">]> {
  let summary = "reciprocal 1/x";
  let work = 4;
  let description = [{
    Correctly rounded. `1/±0` is `±inf`, `1/±inf` is `±0`, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.recip %x : tensor<4xf32>
    ```
  }];
}

def Tg_SqrtOp : Tg_UnaryOp<"sqrt", Tg_FloatLike, [
    Tg_Derivative<"a.div(a.mul(gradient, 0.5), getResult())">]> {
  let summary = "square root";
  let work = 4;
  let description = [{
    Correctly rounded. A negative operand gives NaN, `-0.0` gives `-0.0`, `+inf`
    gives `+inf`, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.sqrt %x : f32
    ```
  }];
}

def Tg_Exp2Op : Tg_MathOp<"exp2", 10,
    "a.mul(gradient, a.mul(getResult(), ::std::numbers::ln2))"> {
  let summary = "2 to the power x";
  let description = [{
    Within 2 ulp in f32. `-inf` gives 0, `+inf` gives `+inf`, NaN gives NaN;
    results too large for the type are `+inf`, those below the normal range are
    denormal.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.exp2 %x : tensor<4xf32>
    ```
  }];
}

def Tg_ExpOp : Tg_MathOp<"exp", 12,
    "a.mul(gradient, getResult())"> {
  let summary = "e to the power x";
  let description = [{
    Within 1 ulp in f32. `-inf` gives 0, `+inf` gives `+inf`, NaN gives NaN;
    results too large for the type are `+inf`, those below the normal range are
    denormal.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.exp %x : tensor<4xf32>
    ```
  }];
}

// The result plus 1 would lose the small values of exp.
def Tg_ExpM1Op : Tg_MathOp<"expm1", 12,
    "a.mul(gradient, a.exp(getX()))"> {
  let summary = "e to the power x, less 1";
  let description = [{
    Within 2 ulp in f32, also for small `x`, where `exp(x) - 1` would cancel.
    `±0` gives `±0`, `-inf` gives -1, `+inf` gives `+inf`, NaN gives NaN; results
    too large for the type are `+inf`.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.expm1 %x : tensor<4xf32>
    ```
  }];
}

def Tg_Log2Op : Tg_MathOp<"log2", 14,
    "a.div(a.mul(gradient, ::std::numbers::log2e), getX())"> {
  let summary = "logarithm to base 2";
  let description = [{
    Within 2 ulp in f32. `±0` gives `-inf`, a negative operand NaN, `+inf` gives
    `+inf`, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.log2 %x : tensor<4xf32>
    ```
  }];
}

def Tg_LogOp : Tg_MathOp<"log", 14,
    "a.div(gradient, getX())"> {
  let summary = "natural logarithm";
  let description = [{
    Within 1 ulp in f32. `±0` gives `-inf`, a negative operand NaN, `+inf` gives
    `+inf`, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.log %x : tensor<4xf32>
    ```
  }];
}

def Tg_Log1pOp : Tg_MathOp<"log1p", 14,
    "a.div(gradient, a.add(getX(), a.constant(1)))"> {
  let summary = "natural logarithm of 1 + x";
  let description = [{
    Within 2 ulp in f32, also for small `x`, of which `1 + x` would lose digits.
    `±0` gives `±0`, -1 gives `-inf`, an operand below -1 NaN, `+inf` gives `+inf`,
    NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.log1p %x : tensor<4xf32>
    ```
  }];
}

def Tg_SinOp : Tg_MathOp<"sin", 20,
    "a.mul(gradient, a.cos(getX()))"> {
  let summary = "sine of x in radians";
  let description = [{
    Within 2 ulp in f32 over the whole range. `±0` gives `±0`, an infinite
    operand NaN, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.sin %x : tensor<4xf32>
    ```
  }];
}

def Tg_CosOp : Tg_MathOp<"cos", 20,
    "a.neg(a.mul(gradient, a.sin(getX())))"> {
  let summary = "cosine of x in radians";
  let description = [{
    Within 2 ulp in f32 over the whole range, near the zeros too. `±0` gives 1, an
    infinite operand NaN, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.cos %x : tensor<4xf32>
    ```
  }];
}

def Tg_TanOp : Tg_MathOp<"tan", 30,
    "a.mul(gradient, a.add(a.square(getResult()), a.constant(1)))"> {
  let summary = "tangent of x in radians";
  let description = [{
    Within 2 ulp in f32 over the whole range, near poles and zeros too. `±0` gives
    `±0`, an infinite operand NaN, NaN gives NaN. No float is a pole: the result is
    finite in f32 and f64.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.tan %x : tensor<4xf32>
    ```
  }];
}

def Tg_AsinOp : Tg_MathOp<"asin", 12,
    "a.divByArc(gradient, getX())"> {
  let summary = "inverse sine, in radians";
  let description = [{
    From -π/2 to π/2, within 2 ulp in f32. `±0` gives `±0`, an operand below -1 or
    above 1 NaN, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.asin %x : tensor<4xf32>
    ```
  }];
}

def Tg_AcosOp : Tg_MathOp<"acos", 12,
    "a.neg(a.divByArc(gradient, getX()))"> {
  let summary = "inverse cosine, in radians";
  let description = [{
    From 0 to π, within 2 ulp in f32. 1 gives `+0`, an operand below -1 or above 1
    NaN, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.acos %x : tensor<4xf32>
    ```
  }];
}

def Tg_AtanOp : Tg_MathOp<"atan", 14,
    "a.div(gradient, a.add(a.square(getX()), a.constant(1)))"> {
  let summary = "inverse tangent, in radians";
  let description = [{
    From -π/2 to π/2, within 2 ulp in f32. `±0` gives `±0`, `±inf` gives `±π/2`,
    NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.atan %x : tensor<4xf32>
    ```
  }];
}

def Tg_TanhOp : Tg_MathOp<"tanh", 20,
    "a.mul(gradient, a.sub(a.constant(1), a.square(getResult())))"> {
  let summary = "hyperbolic tangent";
  let description = [{
    Within 2 ulp in f32. `±0` gives `±0`, `±inf` gives `±1`, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.tanh %x : tensor<4xf32>
    ```
  }];
}

def Tg_ErfOp : Tg_MathOp<"erf", 20,
    "a.mul(gradient, a.mul(a.exp(a.neg(a.square(getX()))), 2 * ::std::numbers::inv_sqrtpi))"> {
  let summary = "error function";
  let description = [{
    `2/sqrt(π)` times the integral of `exp(-t^2)` from 0 to `x`, within 2 ulp in
    f32. `±0` gives `±0`, `±inf` gives `±1`, NaN gives NaN.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.erf %x : tensor<4xf32>
    ```
  }];
}

def Tg_TruncOp : Tg_UnaryOp<"trunc", Tg_FloatLike, [Tg_Derivative<"">]> {
  let summary = "round towards zero";
  let description = [{
    The nearest integer that is not larger in magnitude. Zeros, infinities and NaN
    are returned unchanged.

    C1: operand and result have the same type.

    ```mlir
    %r = tg.trunc %x : tensor<4xf32>
    ```
  }];
}

def Tg_CastOp : Tg_ElementwiseOp<"cast", [
    Tg_Derivative<"a.cast(gradient, getX().getType())">,
    SameOperandsAndResultShape, Tg_InfersRanges]> {
  let summary = "value conversion to another element type";
  let description = [{
    Converts each value:

    * float to float rounds to nearest even; a value out of range becomes an
      infinity, or NaN where the type has none (`f8E4M3FN`, the `FNUZ` types);
    * float to integer truncates towards zero and saturates at the bounds of the
      result type; NaN gives 0;
    * integer to float rounds to nearest even;
    * integer to integer wraps (keeps the low bits), or extends according to the
      signedness of the operand;
    * anything to bool is `x != 0` (NaN is true); bool gives 0 or 1.

    C1: operand and result have the same shape. C2: `index` converts only to and
    from integers and bool; it is a signed 64-bit value.

    ```mlir
    %r = tg.cast %x : tensor<4xf32> -> tensor<4xui8>
    ```
  }];
  let arguments = (ins Tg_ElementLike:$x);
  let results = (outs Tg_ElementLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_BitcastOp : Tg_ElementwiseOp<"bitcast", [SameOperandsAndResultShape]> {
  let summary = "reinterpretation of the bits as another element type";
  let description = [{
    A NaN keeps its payload. Has no derivative: a gradient stops at integers, and
    asking for one between floats is an error.

    C1: operand and result have the same shape. C2: both element types have the
    same width, and neither is bool or `index`.

    ```mlir
    %r = tg.bitcast %x : tensor<4xf32> -> tensor<4xui32>
    ```
  }];
  let arguments = (ins Tg_ElementLike:$x);
  let results = (outs Tg_ElementLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Binary operations
//===----------------------------------------------------------------------===//

def Tg_AddOp : Tg_BinaryOp<"add", Tg_ArithLike, [Commutative, Tg_InfersRanges,
    Tg_Derivative<"gradient">]> {
  let summary = "sum";
  let description = [{
    Integers wrap; on bool it is "or". Floats: `inf + -inf` is NaN, `-0.0 + 0.0`
    is `0.0`, NaN gives NaN.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.add %a, %b : tensor<4xf32>
    ```
  }];
}

def Tg_SubOp : Tg_BinaryOp<"sub", Tg_NumLike, [Tg_InfersRanges,
    Tg_Derivative<"number == 0 ? gradient : a.neg(gradient)">]> {
  let summary = "difference";
  let description = [{
    Integers wrap. Floats: `inf - inf` is NaN, `x - x` is `0.0` for finite x, NaN
    gives NaN.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.sub %a, %b : tensor<4xi32>
    ```
  }];
}

def Tg_MulOp : Tg_BinaryOp<"mul", Tg_ArithLike, [Commutative, Tg_InfersRanges,
    Tg_Derivative<"a.mul(gradient, getOperand(1 - number))">]> {
  let summary = "product";
  let description = [{
    Integers wrap; on bool it is "and". Floats: `0 * inf` is NaN, NaN gives NaN.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.mul %a, %b : tensor<4xf32>
    ```
  }];
}

def Tg_FDivOp : Tg_BinaryOp<"fdiv", Tg_FloatLike, [
    Tg_Derivative<"number == 0 ? a.div(gradient, getRhs()) : "
                  "a.neg(a.mul(a.div(gradient, getRhs()), getResult()))">]> {
  let summary = "floating-point quotient";
  let work = 4;
  let description = [{
    Correctly rounded. `x/±0` is an infinity for nonzero x and NaN for x = 0;
    `inf/inf` is NaN; NaN gives NaN.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.fdiv %a, %b : tensor<4xf32>
    ```
  }];
}

def Tg_IDivOp : Tg_BinaryOp<"idiv", Tg_IntLike, [Tg_InfersRanges]> {
  let summary = "integer quotient, rounded towards zero";
  let work = 8;
  let description = [{
    `x idiv 0` is 0; the most negative value divided by -1 wraps to itself.
    Unsigned integers divide as unsigned, `index` as signed.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.idiv %a, %b : tensor<4xi32>
    ```
  }];
}

def Tg_FloorDivOp : Tg_BinaryOp<"floordiv", Tg_IntLike, [Tg_InfersRanges]> {
  let summary = "integer quotient, rounded towards negative infinity";
  let work = 8;
  let description = [{
    `x floordiv 0` is 0; the most negative value divided by -1 wraps to itself.
    For unsigned integers it is `idiv`.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.floordiv %a, %b : tensor<4xi32>   // -7 floordiv 2 is -4
    ```
  }];
}

def Tg_ModOp : Tg_BinaryOp<"mod", Tg_IntLike, [Tg_InfersRanges]> {
  let summary = "remainder of `idiv`";
  let work = 8;
  let description = [{
    `x - (x idiv y) * y`: it has the sign of x. `x mod 0` is 0, and so is the
    remainder of a division by -1.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.mod %a, %b : tensor<4xi32>   // -7 mod 2 is -1
    ```
  }];
}

def Tg_FloorModOp : Tg_BinaryOp<"floormod", Tg_IntLike, [Tg_InfersRanges]> {
  let summary = "remainder of `floordiv`";
  let work = 8;
  let description = [{
    `x - (x floordiv y) * y`: it has the sign of y. `x floormod 0` is 0, and so
    is the remainder of a division by -1.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.floormod %a, %b : tensor<4xi32>   // -7 floormod 2 is 1
    ```
  }];
}

def Tg_MaxOp : Tg_BinaryOp<"max", Tg_ArithLike, [Commutative, Tg_InfersRanges,
    Tg_Derivative<"a.ofGreater(gradient, getOperand(number), getOperand(1 - number))">]> {
  let summary = "the larger operand";
  let description = [{
    NaN if either operand is NaN; on bool it is "or". Of `-0.0` and `+0.0` either
    may be returned. Unsigned integers compare as unsigned. The minimum of floats
    is `-max(-x, -y)`.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.max %a, %b : tensor<4xf32>
    ```
  }];
}

def Tg_PowOp : Tg_BinaryOp<"pow", Tg_FloatLike, [Tg_Differentiable]> {
  let summary = "x to the power y";
  let work = 40;
  let registers = 16;
  let isTranscendental = 1;
  let description = [{
    The special cases are those of C99 Annex F: `pow(x, ±0)` and `pow(1, y)` are 1
    even for NaN, a negative base with a non-integer exponent is NaN, `pow(±0, y)`
    is an infinity for negative y. Within 2 ulp in f32.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.pow %x, %y : tensor<4xf32>
    ```
  }];
}

def Tg_AndOp : Tg_BinaryOp<"and", Tg_IntOrBoolLike, [Commutative, Tg_InfersRanges]> {
  let summary = "bitwise and";
  let description = [{
    On bool it is the conjunction.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.and %a, %b : tensor<4xi1>
    ```
  }];
}

def Tg_OrOp : Tg_BinaryOp<"or", Tg_IntOrBoolLike, [Commutative, Tg_InfersRanges]> {
  let summary = "bitwise or";
  let description = [{
    On bool it is the disjunction.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.or %a, %b : tensor<4xi32>
    ```
  }];
}

def Tg_XorOp : Tg_BinaryOp<"xor", Tg_IntOrBoolLike, [Commutative, Tg_InfersRanges]> {
  let summary = "bitwise exclusive or";
  let description = [{
    On bool it is inequality; `x xor true` is "not x".

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.xor %a, %b : tensor<4xi32>
    ```
  }];
}

def Tg_ShlOp : Tg_BinaryOp<"shl", Tg_ShiftLike> {
  let summary = "left shift";
  let description = [{
    Bits shifted out are lost. The amount is read as unsigned; an amount of the bit
    width or more gives 0.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.shl %a, %b : tensor<4xui32>
    ```
  }];
}

def Tg_ShrOp : Tg_BinaryOp<"shr", Tg_ShiftLike> {
  let summary = "right shift";
  let description = [{
    Arithmetic for signed types, logical for unsigned ones. The amount is read as
    unsigned; an amount of the bit width or more gives copies of the sign bit (0 or
    -1) or, for unsigned types, 0.

    C1: both operands and the result have the same type.

    ```mlir
    %r = tg.shr %a, %b : tensor<4xi32>
    ```
  }];
}

def Tg_CmpLtOp : Tg_CompareOp<"cmplt"> {
  let summary = "whether lhs is less than rhs";
  let description = [{
    Has no derivative. False if an operand is NaN; `-0.0` is not less than `+0.0`.
    Unsigned integers compare as unsigned, `index` as signed; on bool, false is less
    than true.

    C1: both operands have the same type. C2: the result is bool (`i1`) of their
    shape.

    ```mlir
    %r = tg.cmplt %a, %b : tensor<4xf32>   // tensor<4xi1>
    ```
  }];
}

def Tg_CmpEqOp : Tg_CompareOp<"cmpeq", [Commutative]> {
  let summary = "whether both operands are equal";
  let description = [{
    Has no derivative. False if an operand is NaN; `-0.0` equals `+0.0`.

    C1: both operands have the same type. C2: the result is bool (`i1`) of their
    shape.

    ```mlir
    %r = tg.cmpeq %a, %b : tensor<4xf32>   // tensor<4xi1>
    ```
  }];
}

def Tg_CmpNeOp : Tg_CompareOp<"cmpne", [Commutative]> {
  let summary = "whether the operands differ";
  let description = [{
    Has no derivative. True if an operand is NaN; `-0.0` equals `+0.0`.

    C1: both operands have the same type. C2: the result is bool (`i1`) of their
    shape.

    ```mlir
    %r = tg.cmpne %a, %b : tensor<4xf32>   // tensor<4xi1>
    ```
  }];
}

def Tg_ThreefryOp : Tg_ElementwiseOp<"threefry", [SameOperandsAndResultType]> {
  let summary = "Threefry-2x32 counter-based random bits";
  let work = 80;
  let registers = 16;
  let description = [{
    Applies the Threefry-2x32 block function with 20 rounds (Salmon et al.,
    "Parallel random numbers: as easy as 1, 2, 3", SC 2011). The low 32 bits of
    `counter` are the first counter word and the high 32 bits the second; `key`
    is split the same way, and so is the result. Has no derivative.

    C1: both operands and the result have the same type.

    ```mlir
    %bits = tg.threefry %counter, %key : tensor<8xui64>
    ```
  }];
  let arguments = (ins Tg_UI64Like:$counter, Tg_UI64Like:$key);
  let results = (outs Tg_UI64Like:$result);
  let assemblyFormat = "$counter `,` $key attr-dict `:` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Ternary operations
//===----------------------------------------------------------------------===//

def Tg_WhereOp : Tg_ElementwiseOp<"where", [
    Tg_Derivative<"number == 1 ? a.select(getCondition(), gradient, a.constant(0)) : "
                  "a.select(getCondition(), a.constant(0), gradient)">,
    AllTypesMatch<["x", "y", "result"]>, Tg_InfersRanges]> {
  let summary = "x where the condition holds, else y";
  let description = [{
    The operand that is not selected has no effect, even if it is NaN.

    C1: the condition is bool and has the shape of the other operands. C2: both
    other operands and the result have the same type.

    ```mlir
    %r = tg.where %cond, %x, %y : tensor<4xf32>
    ```
  }];
  let arguments = (ins Tg_BoolLike:$condition, Tg_ElementLike:$x,
                       Tg_ElementLike:$y);
  let results = (outs Tg_ElementLike:$result);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tg_MulAccOp : Tg_ElementwiseOp<"mulacc", [
    Tg_Derivative<"number == 2 ? gradient : a.mul(gradient, getOperand(1 - number))">,
    SameOperandsAndResultType, Tg_InfersRanges]> {
  let summary = "a * b + c";
  let description = [{
    A fused multiply-add: floats are rounded once (f16 and bf16 are computed in f32,
    then rounded), with the special cases of `tg.mul` and `tg.add`; integers wrap.
    Rewrites of tensor graphs never create it: there, `tg.mul` and `tg.add` are two
    operations with two roundings.

    C1: all operands and the result have the same type.

    ```mlir
    %r = tg.mulacc %a, %b, %c : tensor<4xf32>
    ```
  }];
  let arguments = (ins Tg_NumLike:$a, Tg_NumLike:$b, Tg_NumLike:$c);
  let results = (outs Tg_NumLike:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($result)";
  let hasFolder = 1;
}

} // opDocGroup = Tg_ElementwiseDoc

#endif // TINYGRAD_DIALECT_TG_IR_TGELEMENTWISEOPS_TD
