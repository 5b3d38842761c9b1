//===- TgCanonicalization.td - rewrite rules of the dialect -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rules of the canonicalizer that build new operations. What is an operand or
/// a constant already is found by the folders (TgFolds.cpp).
///
/// A rule is written as a `Tg_Rule`, whose result is located where the operation
/// it replaces was ($root); further operations of the result say so themselves.
///
/// A rule belongs here if it makes the graph smaller or brings it closer to a
/// normal form, and no other rule undoes it. In the comments, c is a splat
/// constant; rules hold for integers (which wrap), bool and floats alike unless
/// they say otherwise.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGCANONICALIZATION_TD
#define TINYGRAD_DIALECT_TG_IR_TGCANONICALIZATION_TD

include "TinyGrad/Dialect/Tg/IR/TgRewriteUtils.td"

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

// 0 - x -> -x (floats: -0.0 - x -> -x)
def SubFromZero : Tg_Rule<(Tg_SubOp (Tg_ConstOp Tg_NegatingZero:$zero), $x),
                      (Tg_NegOp $x)>;

// x * -1 -> -x
def MulMinusOne : Tg_Rule<(Tg_MulOp $x, (Tg_ConstOp Tg_MinusOne:$c)), (Tg_NegOp $x),
                      [(Tg_NotBool $x)]>;

// x / -1 -> -x (signed integers)
foreach div = [Tg_IDivOp, Tg_FloorDivOp] in
  def MinusOneIn # div : Tg_Rule<(div $x, (Tg_ConstOp Tg_AllOnes:$c)), (Tg_NegOp $x),
            [(Tg_IsSignedInt $x)]>;

// x / -1.0 -> -x
def FDivMinusOne : Tg_Rule<(Tg_FDivOp $x, (Tg_ConstOp Tg_FloatMinusOne:$c)),
                       (Tg_NegOp $x)>;

// x + -y -> x - y
def AddNegRight : Tg_Rule<(Tg_AddOp $x, (Tg_NegOp $y)), (Tg_SubOp $x, $y)>;

// -x + y -> y - x
def AddNegLeft : Tg_Rule<(Tg_AddOp (Tg_NegOp $x), $y), (Tg_SubOp $y, $x)>;

// x - -y -> x + y
def SubNeg : Tg_Rule<(Tg_SubOp $x, (Tg_NegOp $y)), (Tg_AddOp $x, $y)>;

// -(x - y) -> y - x (integers)
def NegSub : Tg_Rule<(Tg_NegOp (Tg_SubOp $x, $y)), (Tg_SubOp $y, $x),
                 [(Tg_IsInt $x)]>;

// -x * -y -> x * y
def MulNegNeg : Tg_Rule<(Tg_MulOp (Tg_NegOp $x), (Tg_NegOp $y)), (Tg_MulOp $x, $y)>;

// -x / -y -> x / y (floats)
def FDivNegNeg : Tg_Rule<(Tg_FDivOp (Tg_NegOp $x), (Tg_NegOp $y)),
                     (Tg_FDivOp $x, $y)>;

// 1 / x -> recip(x)
def FDivOne : Tg_Rule<(Tg_FDivOp (Tg_ConstOp Tg_FloatOne:$one), $x), (Tg_RecipOp $x)>;

// pow(x, 2) -> x * x
def PowTwo : Tg_Rule<(Tg_PowOp $x, (Tg_ConstOp Tg_FloatTwo:$two)), (Tg_MulOp $x, $x)>;

// pow(x, -1) -> recip(x)
def PowMinusOne : Tg_Rule<(Tg_PowOp $x, (Tg_ConstOp Tg_FloatMinusOne:$c)),
                      (Tg_RecipOp $x)>;

// pow(2, x) -> exp2(x)
def PowOfTwo : Tg_Rule<(Tg_PowOp (Tg_ConstOp Tg_FloatTwo:$two), $x), (Tg_Exp2Op $x)>;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// x - c -> x + -c
def SubConstant : Tg_Rule<(Tg_SubOp $x, (Tg_ConstOp:$c Tg_Splat:$v)),
                      (Tg_AddOp $x, (Tg_FoldedUnary<"NegOp"> $c))>;

// x / c -> x * (1 / c) (floats, c a power of two)
def FDivPowerOfTwo : Tg_Rule<(Tg_FDivOp $x, (Tg_ConstOp:$c Tg_ExactReciprocal:$v)),
                         (Tg_MulOp $x, (Tg_FoldedUnary<"RecipOp"> $c))>;

// -x * c -> x * -c
def MulNegConstant : Tg_Rule<(Tg_MulOp (Tg_NegOp $x), (Tg_ConstOp:$c Tg_Splat:$v)),
                         (Tg_MulOp $x, (Tg_FoldedUnary<"NegOp"> $c))>;

// -(x * c) -> x * -c
def NegMulConstant : Tg_Rule<(Tg_NegOp (Tg_MulOp:$mul $x,
                                            (Tg_ConstOp:$c Tg_Splat:$v))),
                         (Tg_MulOp $x, (Tg_FoldedUnary<"NegOp"> $c)),
                         [(Tg_HasOneUse $mul)]>;

// (x op c1) op c2 -> x op (c1 op c2) for + and * (integers), max, and, or, xor
class MergeConstants<Op op, string name, list<dag> constraints = []>
    : Tg_Rule<(op (op $x, (Tg_ConstOp:$c1 Tg_Splat:$v1)),
              (Tg_ConstOp:$c2 Tg_Splat:$v2)),
          (op $x, (Tg_Folded<name> $c1, $c2)), constraints>;
def MergeAddConstants : MergeConstants<Tg_AddOp, "AddOp", [(Tg_IsIntOrBool $x)]>;
def MergeMulConstants : MergeConstants<Tg_MulOp, "MulOp", [(Tg_IsIntOrBool $x)]>;
def MergeMaxConstants : MergeConstants<Tg_MaxOp, "MaxOp">;
def MergeAndConstants : MergeConstants<Tg_AndOp, "AndOp">;
def MergeOrConstants : MergeConstants<Tg_OrOp, "OrOp">;
def MergeXorConstants : MergeConstants<Tg_XorOp, "XorOp">;

// (c1 - x) + c2 -> (c1 + c2) - x (integers)
def AddSubConstants : Tg_Rule<
    (Tg_AddOp (Tg_SubOp (Tg_ConstOp:$c1 Tg_IntSplat:$v1), $x),
              (Tg_ConstOp:$c2 Tg_IntSplat:$v2)),
    (Tg_SubOp (Tg_Folded<"AddOp"> $c1, $c2), $x)>;

// c1 - (x + c2) -> (c1 - c2) - x (integers)
def SubAddConstants : Tg_Rule<
    (Tg_SubOp (Tg_ConstOp:$c1 Tg_IntSplat:$v1),
              (Tg_AddOp $x, (Tg_ConstOp:$c2 Tg_IntSplat:$v2))),
    (Tg_SubOp (Tg_Folded<"SubOp"> $c1, $c2), $x)>;

// c1 - (c2 - x) -> x + (c1 - c2) (integers)
def SubSubConstants : Tg_Rule<
    (Tg_SubOp (Tg_ConstOp:$c1 Tg_IntSplat:$v1),
              (Tg_SubOp (Tg_ConstOp:$c2 Tg_IntSplat:$v2), $x)),
    (Tg_AddOp $x, (Tg_Folded<"SubOp"> $c1, $c2))>;

// (x << c1) << c2 -> x << (c1 + c2), the same for >>; the sum is at most the width
foreach shift = [Tg_ShlOp, Tg_ShrOp] in
  def MergeAmountsOf # shift : Tg_Rule<(shift (shift $x, (Tg_ConstOp:$c1 Tg_IntSplat:$v1)),
                   (Tg_ConstOp:$c2 Tg_IntSplat:$v2)),
            (shift $x, (Tg_AddShiftAmounts $c1, $v1, $v2))>;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

// cast(cast(x)) -> cast(x), where the inner one changes nothing
def CastOfCast : Tg_Rule<(Tg_CastOp (Tg_CastOp:$inner $x)), (Tg_CastOp $x),
                     [(Tg_IsCastThroughRedundant $x, $inner, $root)]>;

// bitcast(bitcast(x)) -> bitcast(x)
def BitcastOfBitcast : Tg_Rule<(Tg_BitcastOp (Tg_BitcastOp $x)), (Tg_BitcastOp $x)>;

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

// where(not c, x, y) -> where(c, y, x)
def WhereNot : Tg_Rule<(Tg_WhereOp (Tg_XorOp $c, (Tg_ConstOp Tg_One:$yes)), $x, $y),
                   (Tg_WhereOp $c, $y, $x)>;

// where(c, false, true) -> not c
def WhereFalseTrue : Pat<
    (Tg_WhereOp:$where $c, (Tg_ConstOp Tg_Zero:$x), (Tg_ConstOp Tg_One:$y)),
    (Tg_Not $c), [(Tg_IsBool $where)]>;

// where(c, x, false) -> c and x
def WhereFalse : Tg_Rule<(Tg_WhereOp $c, $x, (Tg_ConstOp Tg_Zero:$y)),
                     (Tg_AndOp $c, $x), [(Tg_IsBool $x)]>;

// where(c, true, y) -> c or y
def WhereTrue : Tg_Rule<(Tg_WhereOp $c, (Tg_ConstOp Tg_One:$x), $y),
                    (Tg_OrOp $c, $y), [(Tg_IsBool $y)]>;

// where(c, where(c, x, y), z) -> where(c, x, z)
def WhereSameX : Tg_Rule<(Tg_WhereOp $c, (Tg_WhereOp $c, $x, $y), $z),
                     (Tg_WhereOp $c, $x, $z)>;

// where(c, x, where(c, y, z)) -> where(c, x, z)
def WhereSameY : Tg_Rule<(Tg_WhereOp $c, $x, (Tg_WhereOp $c, $y, $z)),
                     (Tg_WhereOp $c, $x, $z)>;

// where(c, where(d, x, y), y) -> where(c and d, x, y)
def WhereAnd : Tg_Rule<(Tg_WhereOp $c, (Tg_WhereOp:$inner $d, $x, $y), $y),
                   (Tg_WhereOp (Tg_AndOp $c, $d, (location $root)), $x, $y),
                   [(Tg_HasOneUse $inner)]>;

// where(c, x, where(d, x, y)) -> where(c or d, x, y)
def WhereOr : Tg_Rule<(Tg_WhereOp $c, $x, (Tg_WhereOp:$inner $d, $x, $y)),
                  (Tg_WhereOp (Tg_OrOp $c, $d, (location $root)), $x, $y),
                  [(Tg_HasOneUse $inner)]>;

// where(x == y, v, where(d, w, v)) -> where(d, w, v), where d is x < y, y < x or
// y < max(x, y): only one of the conditions holds
def WhereEqLess : Pat<
    (Tg_WhereOp (Tg_CmpEqOp $x, $y), $v,
                (Tg_WhereOp:$inner (Tg_CmpLtOp $x, $y), $w, $v)),
    (replaceWithValue $inner)>;
def WhereEqGreater : Pat<
    (Tg_WhereOp (Tg_CmpEqOp $x, $y), $v,
                (Tg_WhereOp:$inner (Tg_CmpLtOp $y, $x), $w, $v)),
    (replaceWithValue $inner)>;
def WhereEqMaxGreater : Pat<
    (Tg_WhereOp (Tg_CmpEqOp $x, $y), $v,
                (Tg_WhereOp:$inner (Tg_CmpLtOp $y, (Tg_MaxOp $x, $y)), $w, $v)),
    (replaceWithValue $inner)>;

// where(x < y, y, x) -> max(x, y) (integers and bool; floats differ for NaN)
def WhereMax : Tg_Rule<(Tg_WhereOp (Tg_CmpLtOp $x, $y), $y, $x), (Tg_MaxOp $x, $y),
                   [(Tg_IsIntOrBool $x)]>;

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

// not (x == y) -> x != y
def NotEq : Tg_Rule<(Tg_XorOp (Tg_CmpEqOp $x, $y), (Tg_ConstOp Tg_One:$yes)),
                (Tg_CmpNeOp $x, $y)>;

// not (x != y) -> x == y
def NotNe : Tg_Rule<(Tg_XorOp (Tg_CmpNeOp $x, $y), (Tg_ConstOp Tg_One:$yes)),
                (Tg_CmpEqOp $x, $y)>;

// b == false -> not b (bool)
def EqFalse : Pat<(Tg_CmpEqOp $b, (Tg_ConstOp Tg_Zero:$zero)), (Tg_Not $b),
                  [(Tg_IsBool $b)]>;

// b != true -> not b (bool)
def NeTrue : Pat<(Tg_CmpNeOp $b, (Tg_ConstOp Tg_One:$one)), (Tg_Not $b),
                 [(Tg_IsBool $b)]>;

// cast(b) != 0 -> b, cast(b) == 0 -> not b (b bool)
def NeZeroOfBool : Pat<(Tg_CmpNeOp (Tg_CastOp $b), (Tg_ConstOp Tg_AnyZero:$zero)),
                       (replaceWithValue $b), [(Tg_IsBool $b)]>;
def EqZeroOfBool : Pat<(Tg_CmpEqOp (Tg_CastOp $b), (Tg_ConstOp Tg_AnyZero:$zero)),
                       (Tg_Not $b), [(Tg_IsBool $b)]>;

// x op c1 == c2 -> x == c2 op' c1 for + and xor, the same for != (integers, bool)
foreach compare = [Tg_CmpEqOp, Tg_CmpNeOp] in {
  def AddIn # compare : Tg_Rule<(compare (Tg_AddOp $x, (Tg_ConstOp:$c1 Tg_IntSplat:$v1)),
                     (Tg_ConstOp:$c2 Tg_IntSplat:$v2)),
            (compare $x, (Tg_Folded<"SubOp"> $c2, $c1)), [(Tg_IsInt $x)]>;
  def XorIn # compare : Tg_Rule<(compare (Tg_XorOp $x, (Tg_ConstOp:$c1 Tg_IntSplat:$v1)),
                     (Tg_ConstOp:$c2 Tg_IntSplat:$v2)),
            (compare $x, (Tg_Folded<"XorOp"> $c2, $c1))>;
}

// -x == c -> x == -c, the same for !=
foreach compare = [Tg_CmpEqOp, Tg_CmpNeOp] in
  def NegConstantIn # compare : Tg_Rule<(compare (Tg_NegOp $x), (Tg_ConstOp:$c Tg_Splat:$v)),
            (compare $x, (Tg_FoldedUnary<"NegOp"> $c))>;

// -x == -y -> x == y, the same for !=
foreach compare = [Tg_CmpEqOp, Tg_CmpNeOp] in
  def NegNegIn # compare : Tg_Rule<(compare (Tg_NegOp $x), (Tg_NegOp $y)), (compare $x, $y)>;

// -x < -y -> y < x (floats; the least integer is its own negation)
def LtNegNeg : Tg_Rule<(Tg_CmpLtOp (Tg_NegOp $x), (Tg_NegOp $y)),
                   (Tg_CmpLtOp $y, $x), [(Tg_IsFloat $x)]>;

// -x < c -> -c < x, c < -x -> x < -c (floats)
def LtNegConstant : Tg_Rule<(Tg_CmpLtOp (Tg_NegOp $x), (Tg_ConstOp:$c Tg_Splat:$v)),
                        (Tg_CmpLtOp (Tg_FoldedUnary<"NegOp"> $c), $x),
                        [(Tg_IsFloat $x)]>;
def LtConstantNeg : Tg_Rule<(Tg_CmpLtOp (Tg_ConstOp:$c Tg_Splat:$v), (Tg_NegOp $x)),
                        (Tg_CmpLtOp $x, (Tg_FoldedUnary<"NegOp"> $c)),
                        [(Tg_IsFloat $x)]>;

// b < true -> not b (bool)
def LtTrue : Pat<(Tg_CmpLtOp $b, (Tg_ConstOp Tg_One:$yes)), (Tg_Not $b),
                 [(Tg_IsBool $b)]>;

//===----------------------------------------------------------------------===//
// Movement: two of a kind are one
//===----------------------------------------------------------------------===//

// reshape(reshape(x)) -> reshape(x)
def ReshapeOfReshape : Tg_Rule<(Tg_ReshapeOp (Tg_ReshapeOp $x)), (Tg_ReshapeOp $x)>;

// permute(permute(x)) -> permute(x)
def PermuteOfPermute : Tg_Rule<(Tg_PermuteOp (Tg_PermuteOp $x, $inner), $outer),
                           (Tg_PermuteOp $x, (Tg_ComposeOrders $inner, $outer))>;

// expand(expand(x)) -> expand(x)
def ExpandOfExpand : Tg_Rule<(Tg_ExpandOp (Tg_ExpandOp $x)), (Tg_ExpandOp $x)>;

// pad(pad(x)) -> pad(x)
def PadOfPad : Tg_Rule<(Tg_PadOp (Tg_PadOp:$pad $x, $low, $high), $low2, $high2),
                   (Tg_PadOp $x, (Tg_AddPositions $low, $low2),
                                 (Tg_AddPositions $high, $high2)),
                   [(Tg_CanAddPads $pad, $low2, $high2)]>;

// shrink(shrink(x)) -> shrink(x)
def ShrinkOfShrink : Tg_Rule<(Tg_ShrinkOp (Tg_ShrinkOp $x, $from, $to), $from2, $to2),
                         (Tg_ShrinkOp $x, (Tg_AddPositions $from, $from2),
                                          (Tg_AddPositions $from, $to2)),
                         [(Tg_CanAddParts $x, $from, $from2, $to2)]>;

// flip(flip(x)) -> flip(x) along the axes of one of them
def FlipOfFlip : Tg_Rule<(Tg_FlipOp (Tg_FlipOp $x, $inner), $outer),
                     (Tg_FlipOp $x, (Tg_ExclusiveAxes $inner, $outer))>;

// reshape(permute(x)) -> reshape(x), permute(reshape(x)) -> reshape(x), where
// only axes of size 1 change places
def ReshapeOfPermute : Tg_Rule<(Tg_ReshapeOp (Tg_PermuteOp $x, $order)),
                           (Tg_ReshapeOp $x), [(Tg_MovesOnlyUnitAxes $x, $order)]>;
def PermuteOfReshape : Tg_Rule<(Tg_PermuteOp (Tg_ReshapeOp:$reshape $x), $order),
                           (Tg_ReshapeOp $x),
                           [(Tg_MovesOnlyUnitAxes $reshape, $order)]>;

//===----------------------------------------------------------------------===//
// Movement: shrink, then pad, flip, permute, expand
//
// What makes a tensor larger comes late, so that less is computed before it.
//===----------------------------------------------------------------------===//

// shrink(flip(x)) -> flip(shrink(x))
def ShrinkOfFlip : Tg_Rule<
    (Tg_ShrinkOp (Tg_FlipOp $x, $axes), $from, $to),
    (Tg_FlipOp (Tg_ShrinkOp $x, (Tg_MirrorPositions $from, $to, $x, $axes),
                                (Tg_MirrorPositions $to, $from, $x, $axes), (location $root)),
               $axes)>;

// shrink(permute(x)) -> permute(shrink(x))
def ShrinkOfPermute : Tg_Rule<
    (Tg_ShrinkOp (Tg_PermuteOp $x, $order), $from, $to),
    (Tg_PermuteOp (Tg_ShrinkOp $x, (Tg_Unpermute $from, $order),
                                   (Tg_Unpermute $to, $order), (location $root)),
                  $order)>;

// shrink(expand(x)) -> expand(shrink(x))
def ShrinkOfExpand : Tg_Rule<
    (Tg_ShrinkOp (Tg_ExpandOp:$e $x), $from, $to),
    (Tg_ExpandOp
        (Tg_ShrinkOp $x,
            (Tg_ReplacePositions<"0"> $from, (Tg_ExpandedAxes $x, $e)),
            (Tg_ReplacePositions<"1"> $to, (Tg_ExpandedAxes $x, $e)),
            (location $root)))>;

// pad(flip(x)) -> flip(pad(x))
def PadOfFlip : Tg_Rule<
    (Tg_PadOp (Tg_FlipOp $x, $axes), $low, $high),
    (Tg_FlipOp (Tg_PadOp $x, (Tg_MergePositions $low, $high, $axes),
                             (Tg_MergePositions $high, $low, $axes), (location $root)),
               $axes)>;

// pad(permute(x)) -> permute(pad(x))
def PadOfPermute : Tg_Rule<
    (Tg_PadOp (Tg_PermuteOp $x, $order), $low, $high),
    (Tg_PermuteOp (Tg_PadOp $x, (Tg_Unpermute $low, $order),
                                (Tg_Unpermute $high, $order), (location $root)),
                  $order)>;

// pad(expand(x)) -> expand(pad(x)), where different axes are padded and expanded
def PadOfExpand : Tg_Rule<
    (Tg_PadOp (Tg_ExpandOp:$e $x), $low, $high),
    (Tg_ExpandOp (Tg_PadOp $x, $low, $high, (location $root))),
    [(Tg_AreZeroOn $low, $x, $e), (Tg_AreZeroOn $high, $x, $e)]>;

// flip(permute(x)) -> permute(flip(x))
def FlipOfPermute : Tg_Rule<
    (Tg_FlipOp (Tg_PermuteOp $x, $order), $axes),
    (Tg_PermuteOp (Tg_FlipOp $x, (Tg_UnpermuteAxes $axes, $order), (location $root)),
                  $order)>;

// flip(expand(x)) -> expand(flip(x))
def FlipOfExpand : Tg_Rule<(Tg_FlipOp (Tg_ExpandOp $x), $axes),
                       (Tg_ExpandOp (Tg_FlipOp $x, $axes, (location $root)))>;

// permute(expand(x)) -> expand(permute(x))
def PermuteOfExpand : Tg_Rule<(Tg_PermuteOp (Tg_ExpandOp $x), $order),
                          (Tg_ExpandOp (Tg_PermuteOp $x, $order, (location $root)))>;

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

// reduce(reduce(x)) of one kind -> reduce(x) along the axes of both
def ReduceOfReduce : Tg_Rule<
    (Tg_ReduceOp $kind, (Tg_ReduceOp:$inner $kind2, $x, $axes), $axes2),
    (Tg_ReduceOp $kind, $x, (Tg_UniteAxes $axes, $axes2)),
    [(Tg_SameAttr $kind, $kind2), (Tg_HasOneUse $inner)]>;

// reduce(flip(x)) -> reduce(x), where only reduced axes are flipped
def ReduceOfFlip : Tg_Rule<
    (Tg_ReduceOp $kind, (Tg_FlipOp $x, $flipped), $axes),
    (Tg_ReduceOp $kind, $x, $axes), [(Tg_IsSubsetOf $flipped, $axes)]>;

// reduce add(-x) -> -(reduce add(x))
def ReduceOfNeg : Tg_Rule<
    (Tg_ReduceOp Tg_ReduceAdd:$kind, (Tg_NegOp:$neg $x), $axes),
    (Tg_NegOp (Tg_ReduceOp $kind, $x, $axes, (location $root))), [(Tg_HasOneUse $neg)]>;

// reduce add(x * c) -> reduce add(x) * c (integers)
def ReduceOfScaled : Tg_Rule<
    (Tg_ReduceOp Tg_ReduceAdd:$kind,
        (Tg_MulOp:$mul $x, (Tg_ConstOp Tg_IntSplat:$c)), $axes),
    (Tg_MulOp (Tg_ReduceOp $kind, $x, $axes, (location $root)),
              (Tg_ConstantOfType $c, $root)),
    [(Tg_HasOneUse $mul), (Tg_IsInt $x)]>;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// copy(copy(x)) -> copy(x)
def CopyOfCopy : Tg_Rule<(Tg_CopyOp (Tg_CopyOp $x, $via), $device),
                     (Tg_CopyOp $x, $device)>;

#endif // TINYGRAD_DIALECT_TG_IR_TGCANONICALIZATION_TD
