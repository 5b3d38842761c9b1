//===- TgBase.td - types and base classes of tg operations -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Type constraints and base classes that the operation files share.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGBASE_TD
#define TINYGRAD_DIALECT_TG_IR_TGBASE_TD

include "TinyGrad/Dialect/Tg/IR/TgInterfaces.td"
include "TinyGrad/Dialect/Tg/IR/TgStep.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A section of the reference page.
class Tg_DocGroup<string title, string text> : OpDocGroup {
  let summary = title;
  let description = text;
}

class Tg_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tg_Dialect, mnemonic, traits>;

/// The gradient of each operand, built in C++ (TgGradients.cpp).
def Tg_Differentiable
    : DeclareOpInterfaceMethods<Tg_DifferentiableOpInterface>;

/// The same by an expression in C++, with an Algebra `a` (GradientAlgebra.h),
/// the `gradient` of the result, and the `number` of the operand.
class Tg_HasDerivative<string rule> : NativeOpTrait<"HasDerivative", [], "", [{
  ::llvm::FailureOr<::mlir::Value> $cppClass::buildGradient(
      ::mlir::OpBuilder &builder, unsigned number, ::mlir::Value gradient) {
    ::mlir::tg::Algebra a(builder, gradient);
    return ::mlir::Value(}] # rule # [{);
  }
}]> {
  let cppNamespace = "::mlir::tg";
}
class Tg_Derivative<string rule>
    : TraitList<[Tg_Differentiable, Tg_HasDerivative<rule>]>;

/// Bounds of integer results from those of integer operands (TgIntRanges.cpp).
def Tg_InfersRangesMethod : NativeOpTrait<"InfersRanges", [], "", [{
  void $cppClass::inferResultRanges(
      ::llvm::ArrayRef<::mlir::ConstantIntRanges> ranges,
      ::mlir::SetIntRangeFn set) {
    ::mlir::tg::inferRanges(*this, ranges, set);
  }
}]> {
  let cppNamespace = "::mlir::tg";
}
def Tg_InfersRanges : TraitList<[
  DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>,
  Tg_InfersRangesMethod,
]>;

/// All operands and results have one shape, said before MLIR's traits say that
/// types differ.
def Tg_SameDims : NativeOpTrait<"SameDims"> {
  let cppNamespace = "::mlir::tg";
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

def Tg_Int : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64],
                       "integer of 8 to 64 bits">;
def Tg_Fp8 : AnyTypeOf<[F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ], "fp8">;
/// The float types that arithmetic takes.
def Tg_Float : AnyTypeOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64">;
def Tg_Num : AnyTypeOf<[Tg_Int, Tg_Float], "integer or float">;
def Tg_IntOrBool : AnyTypeOf<[I1, Tg_Int], "integer or bool">;
def Tg_Arith : AnyTypeOf<[I1, Tg_Int, Tg_Float], "bool, integer or float">;
def Tg_Element : AnyTypeOf<[I1, Tg_Int, Tg_Float, Tg_Fp8],
                           "bool, integer, float or fp8">;

// In the texts below, what stands between double braces is C++: in messages, a
// #tg.shape that fits a tensor without one. It must not be the end of a text.

/// A ranked tensor whose dimensions are all known as `Dim`s.
class Tg_TensorOf<Type element, string text>
    : ConfinedType<RankedTensorOf<[element]>,
                   [CPred<"::mlir::tg::hasDims($_self)">],
                   "ranked tensor of " # text #
                       " (of static shape or with a #tg.shape"
                       "{{::mlir::tg::suggestShape($_self)}})",
                   "::mlir::RankedTensorType">;

/// Ranked tensors, or (inside kernels) scalars and vectors, of an element type;
/// `Index` marks operations that index arithmetic uses as well.
class Tg_Like<Type element, string text>
    : AnyTypeOf<[element, Tg_TensorOf<element, "it">,
                 VectorOfNonZeroRankOf<[element]>],
                text # ", or a vector or ranked tensor of it (of static shape "
                       "or with a #tg.shape"
                       "{{::mlir::tg::suggestShape($_self)}})">;
class Tg_LikeOrIndex<Type element, string text>
    : AnyTypeOf<[element, Index, Tg_TensorOf<element, "it">,
                 VectorOfNonZeroRankOf<[element, Index]>],
                text # " or index, or a vector or ranked tensor of it (of "
                       "static shape or with a #tg.shape"
                       "{{::mlir::tg::suggestShape($_self)}})">;

def Tg_BoolLike : Tg_Like<I1, "bool">;
def Tg_FloatLike : Tg_Like<Tg_Float, "float">;
def Tg_IntLike : Tg_LikeOrIndex<Tg_Int, "integer">;
def Tg_IntOrBoolLike : Tg_LikeOrIndex<Tg_IntOrBool, "integer or bool">;
def Tg_NumLike : Tg_LikeOrIndex<Tg_Num, "integer or float">;
def Tg_ArithLike : Tg_LikeOrIndex<Tg_Arith, "bool, integer or float">;
def Tg_ElementLike : Tg_LikeOrIndex<Tg_Element, "element">;
def Tg_ShiftLike : Tg_Like<Tg_Int, "integer">;
def Tg_UI64Like : Tg_Like<UI64, "ui64">;

def Tg_Tensor : Tg_TensorOf<Tg_Element, "a tg element type">;
def Tg_ArithTensor : Tg_TensorOf<Tg_Arith, "bool, integer or float">;
def Tg_IntTensor : Tg_TensorOf<Tg_Int, "integer">;
def Tg_NumTensor : Tg_TensorOf<Tg_Num, "integer or float">;
/// A flat buffer: rank 1, contiguous, of at most 2^53 elements. What a memory
/// space means is up to the target.
def Tg_Buffer : Type<CPred<"::mlir::tg::isBufferType($_self)">,
    "flat memref of a tg element type, of at most 2^53 elements",
    "::mlir::MemRefType">;

/// How many elements of a buffer an element is behind another.
def Tg_Distance
    : ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<9007199254740992>]>;

/// A dimension, or a list of them: integers, variables or dimension expressions.
def Tg_DimAttr
    : Attr<CPred<"::mlir::tg::Dim::isDim($_self)">, "dimension"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}
def Tg_DimArrayAttr : TypedArrayAttrBase<Tg_DimAttr, "list of dimensions">;


/// Views, each over the positions of the one before.
def Tg_ViewArrayAttr : ConfinedAttr<
    TypedArrayAttrBase<Tg_ViewAttr, "list of views">, [ArrayMinCount<1>]>;

#endif // TINYGRAD_DIALECT_TG_IR_TGBASE_TD
