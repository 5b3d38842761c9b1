//===- TgRewriteUtils.td - helpers of rewrite rules -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Constraints and builders that rewrite rules on tg operations share. Files
/// that use them include TgConstantFold.h and TgRewriteUtils.h beside what
/// tablegen writes.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGREWRITEUTILS_TD
#define TINYGRAD_DIALECT_TG_IR_TGREWRITEUTILS_TD

include "TinyGrad/Dialect/Tg/IR/TgOps.td"
include "mlir/IR/PatternBase.td"

/// A rule whose result has the location of the operation that it replaces, by
/// the name of $root. The default, a location fused from all matched operations,
/// grows with every rule applied to a result of a rule, so that a chain of n
/// operations would take time and memory of n squared. The result is one tg
/// operation; operations nested in it take `(location $root)` as last argument.
class Tg_Rule<dag source, dag result, list<dag> constraints = []>
    : Pat<!setdagopname(source, "root"),
          !con(result,
               !setdagop((location (location $root)), !getdagop(result))),
          constraints>;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

class Tg_Constant<string test, string text>
    : AttrConstraint<CPred<"::mlir::tg::" # test>, text>;

/// Every element is the same number.
def Tg_Splat : Tg_Constant<"isSplat($_self)", "splat">;
def Tg_IntSplat
    : AttrConstraint<CPred<"::llvm::isa<::mlir::IntegerAttr>($_self)">,
                     "integer splat">;
def Tg_Zero : Tg_Constant<"isInt($_self, 0)", "integer 0">;
def Tg_One : Tg_Constant<"isInt($_self, 1)", "integer 1">;
def Tg_AllOnes : Tg_Constant<"isIntAllOnes($_self)", "integer -1">;
def Tg_FloatOne : Tg_Constant<"isFloat($_self, 1)", "1.0">;
def Tg_FloatTwo : Tg_Constant<"isFloat($_self, 2)", "2.0">;
/// 0, 0.0 or -0.0, as comparisons see it.
def Tg_AnyZero
    : AttrConstraint<CPred<"::mlir::tg::isInt($_self, 0) || "
                           "::mlir::tg::isFloat($_self, 0.0) || "
                           "::mlir::tg::isFloat($_self, -0.0)">,
                     "zero">;
def Tg_MinusOne : Tg_Constant<"isIntOrFloat($_self, -1)", "-1 or -1.0">;
def Tg_FloatMinusOne : Tg_Constant<"isFloat($_self, -1)", "-1.0">;
/// What x is subtracted from to be negated: 0, or -0.0.
def Tg_NegatingZero : Tg_Constant<"isAdditiveIdentity($_self)", "0 or -0.0">;
def Tg_ExactReciprocal
    : Tg_Constant<"hasExactReciprocal($_self)", "power of two">;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

class Tg_Values<string test, string text> : Constraint<CPred<test>, text>;

def Tg_IsBool
    : Tg_Values<"::mlir::tg::isBoolLike($0.getType())", "bool">;
def Tg_IsInt
    : Tg_Values<"::mlir::tg::isIntLike($0.getType())", "integer">;
def Tg_IsIntOrBool
    : Tg_Values<"::mlir::tg::isIntOrBoolLike($0.getType())", "integer or bool">;
def Tg_IsSignedInt
    : Tg_Values<"::mlir::tg::isSignedIntLike($0.getType())", "signed integer">;
def Tg_IsFloat
    : Tg_Values<"::mlir::tg::isFloatLike($0.getType())", "float">;
def Tg_NotBool
    : Tg_Values<"!::mlir::tg::isBoolLike($0.getType())", "not bool">;
def Tg_IsCastThroughRedundant
    : Tg_Values<"::mlir::tg::isCastThroughRedundant("
                "::mlir::getElementTypeOrSelf($0.getType()), "
                "::mlir::getElementTypeOrSelf($1.getType()), "
                "::mlir::getElementTypeOrSelf($2.getType()))",
                "the cast between changes nothing">;
def Tg_HasOneUse : Tg_Values<"$0.hasOneUse()", "used once">;
def Tg_SameAttr : Tg_Values<"$0 == $1", "same attribute">;

def Tg_MovesOnlyUnitAxes
    : Tg_Values<"::mlir::tg::movesOnlyUnitAxes($0, $1)", "only axes of size 1">;
def Tg_AreZeroOn
    : Tg_Values<"::mlir::tg::areZeroOn($0, "
                "::mlir::tg::getExpandedAxes($1, $2))",
                "0 on the expanded axes">;
def Tg_IsSubsetOf
    : Tg_Values<"::mlir::tg::subtractAxes($0, $1).empty()", "subset">;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The operation on constants, folded at once: a rule that also matches it
/// before it is folded never sees it.
class Tg_Folded<string op>
    : NativeCodeCall<"$_builder.createOrFold<::mlir::tg::" # op #
                     ">($0.getLoc(), $0, $1)">;
class Tg_FoldedUnary<string op>
    : NativeCodeCall<"$_builder.createOrFold<::mlir::tg::" # op #
                     ">($0.getLoc(), $0)">;

/// A constant: the attribute, of the type of a value.
def Tg_ConstantOfType
    : NativeCodeCall<"::mlir::tg::ConstOp::create($_builder, $1.getLoc(), "
                     "$1.getType(), ::llvm::cast<::mlir::TypedAttr>($0))">;

/// The sum of two shift amounts, or the bit width where that is smaller: a
/// constant of the type of the first.
def Tg_AddShiftAmounts
    : NativeCodeCall<"::mlir::tg::createShiftAmount($_builder, $0.getLoc(), "
                     "$0, $1, $2)">;

/// The logical complement of a bool: x xor true.
def Tg_Not : NativeCodeCall<"::mlir::tg::createNot($_builder, $0.getLoc(), $0)">;

//===----------------------------------------------------------------------===//
// Movement and axes
//===----------------------------------------------------------------------===//

class Tg_Call<string call> : NativeCodeCall<"::mlir::tg::" # call>;

def Tg_ComposeOrders : Tg_Call<"composeOrders($0, $1)">;
def Tg_Unpermute : Tg_Call<"unpermute($0, $1)">;
def Tg_UnpermuteAxes : Tg_Call<"unpermuteAxes($0, $1)">;
def Tg_UniteAxes : Tg_Call<"uniteAxes($0, $1)">;
def Tg_ExclusiveAxes : Tg_Call<"exclusiveAxes($0, $1)">;
def Tg_ExpandedAxes : Tg_Call<"getExpandedAxes($0, $1)">;
def Tg_AddPositions : Tg_Call<"addPositions($0, $1)">;
def Tg_CanAddPads : Constraint<
    CPred<"::mlir::tg::canAddPads($0, $1, $2)">, "sums that are pads">;
def Tg_CanAddParts : Constraint<
    CPred<"::mlir::tg::canAddParts($0, $1, $2, $3)">, "sums that are parts">;
def Tg_MergePositions : Tg_Call<"mergePositions($0, $1, $2)">;
def Tg_MirrorPositions : Tg_Call<"mirrorPositions($0, $1, $2, $3)">;
class Tg_ReplacePositions<string value>
    : Tg_Call<"replacePositions($0, $1, " # value # ")">;

def Tg_ReduceAdd
    : AttrConstraint<CPred<"::llvm::cast<::mlir::tg::ReduceKindAttr>($_self)"
                           ".getValue() == ::mlir::tg::ReduceKind::add">,
                     "add">;

#endif // TINYGRAD_DIALECT_TG_IR_TGREWRITEUTILS_TD
