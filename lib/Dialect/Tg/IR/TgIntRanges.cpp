//===- TgIntRanges.cpp - bounds of integer results ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements InferIntRangeInterface: the bounds of what integer operations
/// give, from the bounds of their operands. Numbers are worked out as integers
/// without a bound; what leaves the type may be anything, since it wraps.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"

using namespace mlir;
using namespace mlir::tg;

namespace {
using Number = __int128;

/// Both ends are included; there is at least one number.
struct Bounds {
  Number lo, hi;

  bool operator==(Bounds other) const {
    return lo == other.lo && hi == other.hi;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Whether numbers of a type are read as signed; bool is 0 or 1.
static bool isSigned(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() || isSignedInteger(element);
}

static bool isBool(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

/// The numbers of a range; none for what is no integer.
static std::optional<Bounds> getBounds(const ConstantIntRanges &range,
                                       Type type) {
  unsigned width = range.smin().getBitWidth();
  if (width == 0 || width > 64)
    return std::nullopt;
  if (isSigned(type))
    return Bounds{range.smin().getSExtValue(), range.smax().getSExtValue()};
  return Bounds{range.umin().getZExtValue(), range.umax().getZExtValue()};
}

static ConstantIntRanges getRange(Bounds bounds, Type type) {
  Type element = getElementTypeOrSelf(type);
  unsigned width = ConstantIntRanges::getStorageBitwidth(element);
  bool hasSign = isSigned(type);
  Number least = hasSign ? -(Number(1) << (width - 1)) : 0;
  Number most = (Number(1) << (hasSign ? width - 1 : width)) - 1;
  if (bounds.lo < least || bounds.hi > most)
    return ConstantIntRanges::maxRange(width);
  APInt lo(width, static_cast<uint64_t>(bounds.lo), hasSign,
           /*implicitTrunc=*/true);
  APInt hi(width, static_cast<uint64_t>(bounds.hi), hasSign,
           /*implicitTrunc=*/true);
  return ConstantIntRanges::range(lo, hi, hasSign);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Number divide(Number x, Number y, bool floor) {
  Number quotient = x / y;
  return quotient - (floor && x % y != 0 && (x < 0) != (y < 0));
}

static Bounds unite(Bounds x, Bounds y) {
  return {std::min(x.lo, y.lo), std::max(x.hi, y.hi)};
}

/// The parts of the divisor below and above 0.
static SmallVector<Bounds, 2> getNonZeroParts(Bounds divisor) {
  SmallVector<Bounds, 2> parts;
  if (divisor.lo < 0)
    parts.push_back({divisor.lo, std::min<Number>(divisor.hi, -1)});
  if (divisor.hi > 0)
    parts.push_back({std::max<Number>(divisor.lo, 1), divisor.hi});
  return parts;
}

template <typename Fn> static Bounds uniteParts(Bounds divisor, Fn inferPart) {
  std::optional<Bounds> all;
  // What is divided by zero gives zero.
  if (divisor.lo <= 0 && divisor.hi >= 0)
    all = Bounds{0, 0};
  for (Bounds part : getNonZeroParts(divisor)) {
    Bounds result = inferPart(part);
    all = all ? unite(*all, result) : result;
  }
  return *all;
}

static Bounds corners(Bounds x, Bounds y,
                      function_ref<Number(Number, Number)> apply) {
  Number values[] = {apply(x.lo, y.lo), apply(x.lo, y.hi), apply(x.hi, y.lo),
                     apply(x.hi, y.hi)};
  auto [least, most] = std::minmax_element(values, values + 4);
  return {*least, *most};
}

static Bounds inferDivision(Bounds x, Bounds divisor, bool floor) {
  // Of divisors of one sign the quotient is monotone in both.
  return uniteParts(divisor, [&](Bounds part) {
    return corners(x, part,
                   [&](Number a, Number b) { return divide(a, b, floor); });
  });
}

static Bounds inferRemainder(Bounds x, Bounds divisor, bool floor) {
  return uniteParts(divisor, [&](Bounds part) -> Bounds {
    Bounds quotient = corners(
        x, part, [&](Number a, Number b) { return divide(a, b, floor); });
    // With one quotient, the remainder is what is divided less a multiple.
    if (quotient.lo == quotient.hi &&
        (part.lo == part.hi || quotient.lo == 0)) {
      Number multiple = quotient.lo * part.lo;
      return {x.lo - multiple, x.hi - multiple};
    }
    Number reach = std::max(-part.lo, part.hi) - 1;
    if (!floor) // of the sign of x, and no larger
      return {x.lo < 0 ? std::max(x.lo, -reach) : 0,
              x.hi > 0 ? std::min(x.hi, reach) : 0};
    if (part.lo > 0)
      return {0, x.lo >= 0 ? std::min(x.hi, reach) : reach};
    return {x.hi <= 0 ? std::max(x.lo, -reach) : -reach, 0};
  });
}

/// The interface for operations whose operands and result are of one type.
template <typename Fn>
static void inferArithmetic(Operation *op, ArrayRef<ConstantIntRanges> ranges,
                            SetIntRangeFn set, Fn infer) {
  Value result = op->getResult(0);
  SmallVector<Bounds, 3> bounds;
  for (auto [range, operand] : llvm::zip_equal(ranges, op->getOperands())) {
    std::optional<Bounds> known = getBounds(range, operand.getType());
    if (!known)
      return;
    bounds.push_back(*known);
  }
  set(result, getRange(infer(bounds), result.getType()));
}

using Operands = ArrayRef<Bounds>;

void NegOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set,
                  [](Operands x) { return Bounds{-x[0].hi, -x[0].lo}; });
}

void AddOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  if (isBool(getType()))
    return set(getResult(), intrange::inferOr(ranges));
  inferArithmetic(*this, ranges, set, [](Operands x) {
    return Bounds{x[0].lo + x[1].lo, x[0].hi + x[1].hi};
  });
}

void SubOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set, [](Operands x) {
    return Bounds{x[0].lo - x[1].hi, x[0].hi - x[1].lo};
  });
}

static Bounds inferProduct(Bounds x, Bounds y) {
  return corners(x, y, [](Number a, Number b) {
    // Of two numbers of 64 bits without a sign the product may not fit; any
    // number outside of 64 bits stands for it.
    Number product;
    if (__builtin_mul_overflow(a, b, &product))
      return Number(1) << 120;
    return product;
  });
}

void MulOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  if (isBool(getType()))
    return set(getResult(), intrange::inferAnd(ranges));
  inferArithmetic(*this, ranges, set,
                  [](Operands x) { return inferProduct(x[0], x[1]); });
}

void MulAccOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                 SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set, [](Operands x) {
    Bounds product = inferProduct(x[0], x[1]);
    return Bounds{product.lo + x[2].lo, product.hi + x[2].hi};
  });
}

void IDivOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                               SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set, [](Operands x) {
    return inferDivision(x[0], x[1], /*floor=*/false);
  });
}

void FloorDivOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                   SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set, [](Operands x) {
    return inferDivision(x[0], x[1], /*floor=*/true);
  });
}

void ModOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set, [](Operands x) {
    return inferRemainder(x[0], x[1], /*floor=*/false);
  });
}

void FloorModOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                   SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set, [](Operands x) {
    return inferRemainder(x[0], x[1], /*floor=*/true);
  });
}

void MaxOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  inferArithmetic(*this, ranges, set, [](Operands x) {
    return Bounds{std::max(x[0].lo, x[1].lo), std::max(x[0].hi, x[1].hi)};
  });
}

void AndOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  set(getResult(), intrange::inferAnd(ranges));
}

void OrOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                             SetIntRangeFn set) {
  set(getResult(), intrange::inferOr(ranges));
}

void XorOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  set(getResult(), intrange::inferXor(ranges));
}

//===----------------------------------------------------------------------===//
// Casts, comparisons and selection
//===----------------------------------------------------------------------===//

void CastOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                               SetIntRangeFn set) {
  Type type = getType();
  std::optional<Bounds> x = getBounds(ranges[0], getX().getType());
  unsigned width =
      ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(type));
  if (width == 0)
    return;
  if (!x) // from a float
    return set(getResult(), ConstantIntRanges::maxRange(width));
  if (isBool(type)) {
    bool canBeZero = x->lo <= 0 && x->hi >= 0;
    bool isZero = *x == Bounds{0, 0};
    return set(getResult(), getRange({!canBeZero, !isZero}, type));
  }
  set(getResult(), getRange(*x, type));
}

/// Sets the result of a comparison, where it is known.
static void setBool(Value result, std::optional<bool> known,
                    SetIntRangeFn set) {
  Bounds bounds = known ? Bounds{*known, *known} : Bounds{0, 1};
  set(result, getRange(bounds, result.getType()));
}

template <typename Fn>
static void inferComparison(Operation *op, ArrayRef<ConstantIntRanges> ranges,
                            SetIntRangeFn set, Fn decide) {
  Type type = op->getOperand(0).getType();
  std::optional<Bounds> x = getBounds(ranges[0], type);
  std::optional<Bounds> y = getBounds(ranges[1], type);
  setBool(op->getResult(0), x && y ? decide(*x, *y) : std::nullopt, set);
}

void CmpLtOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  inferComparison(*this, ranges, set,
                  [](Bounds x, Bounds y) -> std::optional<bool> {
                    if (x.hi < y.lo)
                      return true;
                    if (x.lo >= y.hi)
                      return false;
                    return std::nullopt;
                  });
}

static std::optional<bool> decideEqual(Bounds x, Bounds y) {
  if (x.hi < y.lo || y.hi < x.lo)
    return false;
  if (x.lo == x.hi && x == y)
    return true;
  return std::nullopt;
}

void CmpEqOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  inferComparison(*this, ranges, set, decideEqual);
}

void CmpNeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  inferComparison(*this, ranges, set,
                  [](Bounds x, Bounds y) -> std::optional<bool> {
                    std::optional<bool> equal = decideEqual(x, y);
                    return equal ? std::optional(!*equal) : std::nullopt;
                  });
}

void WhereOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  std::optional<Bounds> condition =
      getBounds(ranges[0], getCondition().getType());
  std::optional<Bounds> x = getBounds(ranges[1], getX().getType());
  std::optional<Bounds> y = getBounds(ranges[2], getY().getType());
  if (!x || !y)
    return;
  Bounds either = unite(*x, *y);
  if (condition && condition->lo == condition->hi)
    either = condition->lo ? *x : *y;
  set(getResult(), getRange(either, getType()));
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

void ConstOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  if (auto number = dyn_cast<IntegerAttr>(getValue()))
    set(getResult(), ConstantIntRanges::constant(number.getValue()));
}

void DimOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  Dim dim(getDim());
  if (ConstantIntRanges::getStorageBitwidth(getElementTypeOrSelf(getType())))
    set(getResult(), getRange({dim.getMin(), dim.getMax()}, getType()));
}

void RangeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                SetIntRangeFn set) {
  // Without positions nothing is computed: any bounds will do.
  Number last = std::max<Number>(Number(Dim(getExtent()).getMax()) - 1, 0);
  set(getResult(), getRange({0, last}, getType()));
}
