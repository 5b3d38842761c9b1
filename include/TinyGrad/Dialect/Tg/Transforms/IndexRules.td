//===- IndexRules.td - rules of index arithmetic -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules that tg-simplify-index applies. docs/index-rules.md is made from
/// the sections and comments of this file.
///
/// In the comments, x, y, a and b are index values, read as sums of terms in any
/// order; c, d, g, k and q are numbers; c, d and g may also be dimensions unless
/// stated otherwise. c, d and g are positive. A rule other than those of the
/// first section applies only where the sums it reads are known to fit into 64
/// bits. tg-verify-index-rewrites checks all assumptions of a rule.
///
/// Every rule makes the expression smaller by IndexMeasure (SimplifyIndex.h), so
/// that simplification terminates.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_TRANSFORMS_INDEXRULES_TD
#define TINYGRAD_DIALECT_TG_TRANSFORMS_INDEXRULES_TD

include "TinyGrad/Dialect/Tg/IR/TgRewriteUtils.td"

/// A condition on matched values, decided by the facts known about them.
class Tg_Knows<string test, string text>
    : Constraint<CPred<test>, text>;
/// A new sum, number, dimension or condition, in place of the operation that is
/// replaced.
class Tg_Makes<string what>
    : NativeCodeCall<"make($_builder, $0, " # what # ")">;
/// A rule that replaces an operation by what a function finds for its result.
class Tg_FoundRule<dag source, string find>
    : Pat<!setdagopname(source, "root"),
          (Tg_Makes<"*" # find # "($_builder, $0)"> $root),
          [(Tg_Knows<find # "($_builder, $0)", find> $root)]>;

def Tg_IsIndex : Constraint<CPred<"$0.getType().isIndex()">, "index">;

//===----------------------------------------------------------------------===//
// Sums
//
// These hold modulo 2^64, whatever the values are.
//===----------------------------------------------------------------------===//

// a*c + a*d + b - b + c -> a*(c+d) + c: terms of one value are collected, constants are added and come last, common factors are taken out
foreach op = [Tg_AddOp, Tg_SubOp, Tg_MulOp] in
  def CollectTermsOf # op : Tg_FoundRule<(op $x, $y), "getSimplerSum">;
def CollectTermsOfNeg : Tg_FoundRule<(Tg_NegOp $x), "getSimplerSum">;

// (x floordiv c)*(c*k) + (x floormod c)*k -> x*k, also where the quotient is of x plus a multiple of c, or the remainder of a quotient
foreach op = [Tg_AddOp, Tg_SubOp, Tg_MulOp] in
  def RecombineIn # op : Tg_FoundRule<(op $x, $y), "getRecombined">;
def RecombineInNeg : Tg_FoundRule<(Tg_NegOp $x), "getRecombined">;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

// x floordiv y -> q, x idiv y -> q, where bounds leave one quotient for all divisors
foreach op = [Tg_FloorDivOp, Tg_IDivOp] in
  def OneValueOf # op : Tg_FoundRule<(op $x, $y), "getOneValue">;

//===----------------------------------------------------------------------===//
// Quotients, rounded down
//===----------------------------------------------------------------------===//

def Tg_HasMultiples
    : Tg_Knows<"getMultiples($_builder, $0, $1)", "terms that are multiples">;
def Tg_Multiples : Tg_Makes<"getMultiples($_builder, $1, $2)->quotient">;
def Tg_Rest : Tg_Makes<"getMultiples($_builder, $1, $2)->rest">;
def Tg_HasSmallRest
    : Tg_Knows<"getSmallRest($_builder, $0, $1)",
               "a common divisor of the other terms that the rest stays below">;
def Tg_LargeTerms : Tg_Makes<"getSmallRest($_builder, $1, $2)->large">;
def Tg_SmallerDivisor : Tg_Makes<
    "getSmallRest($_builder, $1, $2)->quotientOfC">;
def Tg_IsPositive : Tg_Knows<"getPositive($_builder, $0)", "positive">;
def Tg_IsNegativeConstant
    : Tg_Knows<"isNegativeConstant($0)", "negative constant">;
def Tg_FitsProduct
    : Tg_Knows<"getProduct($_builder, $0, $1)", "a product of 64 bits">;
def Tg_Product : Tg_Makes<"*getProduct($_builder, $1, $2)">;
def Tg_Divides : Tg_Knows<"getExactQuotient($_builder, $1, $0)", "divides">;
def Tg_ExactQuotient : Tg_Makes<
    "*getExactQuotient($_builder, $1, $2)">;
def Tg_IsExact : Tg_Knows<"isExact($_builder, $0)", "known to fit">;
def Tg_IsNegatable
    : Tg_Knows<"isNegatable($_builder, $0)", "known to fit, also negated">;
def Tg_Negated : Tg_Makes<"getForm($_builder, $1).negated()">;

// x floordiv c -> q, where q*c <= x < (q+1)*c
def DivByBounds : Tg_FoundRule<(Tg_FloorDivOp $x, $c), "getOneQuotient">;

// (a*c + b) floordiv c -> a + b floordiv c
def DivOfMultiples : Tg_Rule<
    (Tg_FloorDivOp $x, $c),
    (Tg_AddOp (Tg_Multiples $root, $x, $c),
              (Tg_FloorDivOp (Tg_Rest $root, $x, $c), $c, (location $root))),
    [(Tg_IsIndex $x), (Tg_HasMultiples $x, $c)]>;

// (a*g + b) floordiv (c*g) -> (a + q) floordiv c, where q*g <= b < (q+1)*g
def DivOfSmallRest : Tg_Rule<
    (Tg_FloorDivOp $x, $c),
    (Tg_FloorDivOp (Tg_LargeTerms $root, $x, $c), (Tg_SmallerDivisor $root, $x, $c)),
    [(Tg_IsIndex $x), (Tg_HasSmallRest $x, $c)]>;

// (x floordiv c) floordiv d -> x floordiv (c*d)
def DivOfDiv : Tg_Rule<
    (Tg_FloorDivOp (Tg_FloorDivOp $x, $c), $d),
    (Tg_FloorDivOp $x, (Tg_Product $root, $c, $d)),
    [(Tg_IsIndex $x), (Tg_IsPositive $c), (Tg_IsPositive $d),
     (Tg_FitsProduct $c, $d)]>;

// (x floormod (c*d)) floordiv c -> (x floordiv c) floormod d
def DivOfMod : Tg_Rule<
    (Tg_FloorDivOp (Tg_FloorModOp $x, $cd), $c),
    (Tg_FloorModOp (Tg_FloorDivOp $x, $c, (location $root)),
                   (Tg_ExactQuotient $root, $cd, $c)),
    [(Tg_IsIndex $x), (Tg_IsPositive $cd), (Tg_Divides $c, $cd)]>;

// x floordiv -c -> -x floordiv c
def DivByNegative : Tg_Rule<
    (Tg_FloorDivOp $x, $c),
    (Tg_FloorDivOp (Tg_Negated $root, $x), (Tg_Negated $root, $c)),
    [(Tg_IsIndex $x), (Tg_IsNegatable $x), (Tg_IsNegativeConstant $c)]>;

//===----------------------------------------------------------------------===//
// Remainders of quotients rounded down
//===----------------------------------------------------------------------===//

def Tg_HasSmallerRemainders
    : Tg_Knows<"getReduced($_builder, $0, $1)",
               "terms that can be reduced modulo">;
def Tg_Reduced : Tg_Makes<"*getReduced($_builder, $1, $2)">;
def Tg_SmallRest : Tg_Makes<"getSmallRest($_builder, $1, $2)->rest">;
def Tg_CommonDivisor : Tg_Makes<
    "getSmallRest($_builder, $1, $2)->divisor">;

// x floormod c -> x - q*c, where q*c <= x < (q+1)*c
def ModByBounds : Tg_FoundRule<(Tg_FloorModOp $x, $c), "getOneRemainder">;

// (a*c + x floormod (c*d) + b) floormod c -> (x + b) floormod c, and coefficients become less than c
def ModOfMultiples : Tg_Rule<
    (Tg_FloorModOp $x, $c), (Tg_FloorModOp (Tg_Reduced $root, $x, $c), $c),
    [(Tg_IsIndex $x), (Tg_HasSmallerRemainders $x, $c)]>;

// (a*g + b) floormod (c*g) -> ((a + q) floormod c)*g + b - q*g, where q*g <= b < (q+1)*g
def ModOfSmallRest : Tg_Rule<
    (Tg_FloorModOp $x, $c),
    (Tg_AddOp
        (Tg_MulOp
            (Tg_FloorModOp (Tg_LargeTerms $root, $x, $c),
                           (Tg_SmallerDivisor $root, $x, $c), (location $root)),
            (Tg_CommonDivisor $root, $x, $c), (location $root)),
        (Tg_SmallRest $root, $x, $c)),
    [(Tg_IsIndex $x), (Tg_HasSmallRest $x, $c)]>;

// x floormod -c -> -(-x floormod c)
def ModByNegative : Tg_Rule<
    (Tg_FloorModOp $x, $c),
    (Tg_NegOp (Tg_FloorModOp (Tg_Negated $root, $x), (Tg_Negated $root, $c),
                             (location $root))),
    [(Tg_IsIndex $x), (Tg_IsNegatable $x), (Tg_IsNegativeConstant $c)]>;

//===----------------------------------------------------------------------===//
// Quotients rounded towards zero, and their remainders
//===----------------------------------------------------------------------===//

def Tg_NotNegative : Tg_Knows<"isNotNegative($_builder, $0)", "not negative">;
def Tg_NotPositive : Tg_Knows<"isNotPositive($_builder, $0)", "not positive">;

// x idiv c -> x floordiv c, x mod c -> x floormod c, where x >= 0
def TruncDivOfNotNegative : Tg_Rule<
    (Tg_IDivOp $x, $c), (Tg_FloorDivOp $x, $c),
    [(Tg_IsIndex $x), (Tg_NotNegative $x), (Tg_IsPositive $c)]>;
def TruncModOfNotNegative : Tg_Rule<
    (Tg_ModOp $x, $c), (Tg_FloorModOp $x, $c),
    [(Tg_IsIndex $x), (Tg_NotNegative $x), (Tg_IsPositive $c)]>;

// x idiv c -> -(-x floordiv c), x mod c -> -(-x floormod c), where x <= 0
def TruncDivOfNotPositive : Tg_Rule<
    (Tg_IDivOp $x, $c),
    (Tg_NegOp (Tg_FloorDivOp (Tg_Negated $root, $x), $c, (location $root))),
    [(Tg_IsIndex $x), (Tg_NotPositive $x), (Tg_IsPositive $c)]>;
def TruncModOfNotPositive : Tg_Rule<
    (Tg_ModOp $x, $c),
    (Tg_NegOp (Tg_FloorModOp (Tg_Negated $root, $x), $c, (location $root))),
    [(Tg_IsIndex $x), (Tg_NotPositive $x), (Tg_IsPositive $c)]>;

// x idiv -c -> -(x idiv c), x mod -c -> x mod c
def TruncDivByNegative : Tg_Rule<
    (Tg_IDivOp $x, $c),
    (Tg_NegOp (Tg_IDivOp $x, (Tg_Negated $root, $c), (location $root))),
    [(Tg_IsIndex $x), (Tg_IsNegativeConstant $c)]>;
def TruncModByNegative : Tg_Rule<
    (Tg_ModOp $x, $c), (Tg_ModOp $x, (Tg_Negated $root, $c)),
    [(Tg_IsIndex $x), (Tg_IsNegativeConstant $c)]>;

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

class Tg_HasBound<string isLast>
    : Tg_Knows<"getBound($_builder, $0, $1, " # isLast # ")", "numbers">;
class Tg_Bound<string isLast>
    : Tg_Makes<"*getBound($_builder, $1, $2, " # isLast # ")">;

// x < y -> true or false, the same for == and !=, where bounds decide it
foreach op = [Tg_CmpLtOp, Tg_CmpEqOp, Tg_CmpNeOp] in
  def Decide # op : Tg_FoundRule<(op $x, $y), "getDecision">;

// x*g + a < y*g + b -> x < y + q, the same for == and !=: terms on both sides and common factors cancel, and summands smaller than the common factor are absorbed; integers that are index values are compared as such
foreach op = [Tg_CmpLtOp, Tg_CmpEqOp, Tg_CmpNeOp] in
  def Shorten # op : Tg_FoundRule<(op $x, $y), "getSimplerCompare">;

// x floordiv c < d -> x < c*d
def LtOfQuotient : Tg_Rule<
    (Tg_CmpLtOp (Tg_FloorDivOp $x, $c), $d),
    (Tg_CmpLtOp $x, (Tg_Bound<"false"> $root, $c, $d)),
    [(Tg_IsIndex $x), (Tg_IsPositive $c), (Tg_IsExact $x),
     (Tg_HasBound<"false"> $c, $d)]>;

// d < x floordiv c -> c*(d+1) - 1 < x
def GtOfQuotient : Tg_Rule<
    (Tg_CmpLtOp $d, (Tg_FloorDivOp $x, $c)),
    (Tg_CmpLtOp (Tg_Bound<"true"> $root, $c, $d), $x),
    [(Tg_IsIndex $x), (Tg_IsPositive $c), (Tg_IsExact $x),
     (Tg_HasBound<"true"> $c, $d)]>;

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

def Tg_IsFirstLarger
    : Tg_Knows<"isNotLess($_builder, $0, $1)", "never less than the other">;

// max(x, y) -> x, where x >= y, and y where y >= x
def MaxIsFirst : Pat<(Tg_MaxOp $x, $y), (replaceWithValue $x),
                     [(Tg_IsIndex $x), (Tg_IsFirstLarger $x, $y)]>;
def MaxIsSecond : Pat<(Tg_MaxOp $x, $y), (replaceWithValue $y),
                      [(Tg_IsIndex $x), (Tg_IsFirstLarger $y, $x)]>;

// p and q and r -> p and q, where p and q imply r; false, where they exclude it
def AndOfImplied : Tg_FoundRule<(Tg_AndOp $p, $q), "getNeededClauses">;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

// cast(cast(x) + c) -> x + c, from an index to a narrower integer and back, where nothing wraps on the way
def CastOfIndex : Tg_FoundRule<(Tg_CastOp $x), "getIndexNumber">;

#endif // TINYGRAD_DIALECT_TG_TRANSFORMS_INDEXRULES_TD
