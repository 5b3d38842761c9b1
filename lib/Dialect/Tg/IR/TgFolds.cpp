//===- TgFolds.cpp - folders of tg operations -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Folders: operations that are equal to one of their operands or to a
/// constant. TgConstantFold.cpp evaluates constants; rules that build new
/// operations are in TgCanonicalization.td.
///
/// Folders expect constants on the right of commutative operations, where the
/// Commutative trait moves them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Zero (false, +0.0) of the element type of `value`.
static Attribute getZero(Value value) {
  return getNumberAttr(getElementTypeOrSelf(value.getType()), int64_t(0));
}

static Attribute getBool(Operation *op, bool value) {
  return BoolAttr::get(op->getContext(), value);
}

/// For a commutative operation with `(x op y) op y = x op y`: the operand of
/// `op` that is `x op y`, or null.
template <typename OpT> static Value foldAbsorption(OpT op) {
  auto isAbsorbed = [](Value outer, Value other) {
    auto inner = outer.getDefiningOp<OpT>();
    return inner && (inner.getLhs() == other || inner.getRhs() == other);
  };
  if (isAbsorbed(op.getLhs(), op.getRhs()))
    return op.getLhs();
  if (isAbsorbed(op.getRhs(), op.getLhs()))
    return op.getRhs();
  return {};
}

/// `f(f(x)) -> f(x)`
template <typename OpT> static Value foldIdempotent(OpT op) {
  return op.getX().template getDefiningOp<OpT>() ? op.getX() : Value();
}

/// `f(f(x)) -> x`
template <typename OpT> static Value foldInvolution(OpT op) {
  auto inner = op.getX().template getDefiningOp<OpT>();
  return inner ? inner.getX() : Value();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

OpFoldResult ConstOp::fold(FoldAdaptor) {
  // Normalizes splats to one form, the only one that folders have to handle.
  if (auto dense = dyn_cast<DenseElementsAttr>(getValue()))
    if (dense.isSplat() && dense.getNumElements() > 0)
      return dense.getSplatValue<Attribute>();
  return getValue();
}

OpFoldResult IotaOp::fold(FoldAdaptor) {
  // Along an axis of size 1 the only position is 0.
  Dim size = getDim(getType(), getAxis());
  if (size.is(1) || getStaticNumElements(getType()) == 0)
    return getZero(getResult());
  return {};
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  if (std::optional<int64_t> value = Dim(getDim()).getStatic())
    return getNumberAttr(getElementTypeOrSelf(getType()), *value);
  return {};
}

//===----------------------------------------------------------------------===//
// Unary operations
//===----------------------------------------------------------------------===//

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  // -(-x) -> x
  if (Value x = foldInvolution(*this))
    return x;
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult RecipOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult SqrtOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult Exp2Op::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult ExpOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult ExpM1Op::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult Log2Op::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult LogOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult Log1pOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult SinOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult CosOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult TanOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult AsinOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult AcosOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult AtanOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult TanhOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult ErfOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult TruncOp::fold(FoldAdaptor adaptor) {
  // trunc(trunc(x)) -> trunc(x)
  if (Value x = foldIdempotent(*this))
    return x;
  // trunc(integer as float) -> integer as float
  if (auto cast = getX().getDefiningOp<CastOp>())
    if (isIntOrBoolLike(cast.getX().getType()))
      return getX();
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  // cast(x) to its own type -> x
  if (getX().getType() == getType())
    return getX();
  // cast(cast(x)) back to x's type -> x, if the inner cast is lossless
  if (auto inner = getX().getDefiningOp<CastOp>())
    if (inner.getX().getType() == getType() &&
        isLosslessCast(getElementTypeOrSelf(getType()),
                       getElementTypeOrSelf(inner.getType())))
      return inner.getX();
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  // bitcast(x) to its own type -> x
  if (getX().getType() == getType())
    return getX();
  // bitcast(bitcast(x)) back to x's type -> x
  if (auto inner = getX().getDefiningOp<BitcastOp>())
    if (inner.getX().getType() == getType())
      return inner.getX();
  return foldElementwise(*this, adaptor.getOperands());
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0 -> x for integers, x + -0.0 -> x for floats (-0.0 + 0.0 is 0.0)
  if (isAdditiveIdentity(adaptor.getRhs()))
    return getLhs();
  if (isBoolLike(getType())) {
    // x or true -> true
    if (isIntAllOnes(adaptor.getRhs()))
      return adaptor.getRhs();
    // x or x -> x
    if (getLhs() == getRhs())
      return getLhs();
  }
  // (x - y) + y -> x, y + (x - y) -> x for integers
  if (isIntLike(getType())) {
    if (auto sub = getLhs().getDefiningOp<SubOp>())
      if (sub.getRhs() == getRhs())
        return sub.getLhs();
    if (auto sub = getRhs().getDefiningOp<SubOp>())
      if (sub.getRhs() == getLhs())
        return sub.getLhs();
  }
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  // x - 0 -> x, x - 0.0 -> x (but not x - -0.0)
  if (isPositiveZero(adaptor.getRhs()))
    return getLhs();
  if (isIntLike(getType())) {
    // x - x -> 0 for integers
    if (getLhs() == getRhs())
      return getZero(getResult());
    // (x + y) - y -> x, (y + x) - y -> x for integers
    if (auto add = getLhs().getDefiningOp<AddOp>()) {
      if (add.getRhs() == getRhs())
        return add.getLhs();
      if (add.getLhs() == getRhs())
        return add.getRhs();
    }
  }
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  // x * 1 -> x
  if (isIntOrFloat(adaptor.getRhs(), 1))
    return getLhs();
  // x * 0 -> 0 for integers
  if (isInt(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  // x and x -> x
  if (isBoolLike(getType()) && getLhs() == getRhs())
    return getLhs();
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult FDivOp::fold(FoldAdaptor adaptor) {
  // x / 1 -> x
  if (isFloat(adaptor.getRhs(), 1))
    return getLhs();
  return foldElementwise(*this, adaptor.getOperands());
}

/// Folds common to both integer divisions.
template <typename OpT>
static OpFoldResult foldDivision(OpT op, typename OpT::FoldAdaptor adaptor) {
  // x div 1 -> x
  if (isInt(adaptor.getRhs(), 1))
    return op.getLhs();
  // x div 0 -> 0, 0 div x -> 0
  if (isInt(adaptor.getRhs(), 0) || isInt(adaptor.getLhs(), 0))
    return getZero(op.getResult());
  return foldElementwise(op, adaptor.getOperands());
}

OpFoldResult IDivOp::fold(FoldAdaptor adaptor) {
  return foldDivision(*this, adaptor);
}

OpFoldResult FloorDivOp::fold(FoldAdaptor adaptor) {
  return foldDivision(*this, adaptor);
}

/// Folds common to both remainders.
template <typename OpT>
static OpFoldResult foldRemainder(OpT op, typename OpT::FoldAdaptor adaptor) {
  // x mod 1 -> 0, x mod 0 -> 0, 0 mod x -> 0, x mod x -> 0
  if (isInt(adaptor.getRhs(), 1) || isInt(adaptor.getRhs(), 0) ||
      isInt(adaptor.getLhs(), 0) || op.getLhs() == op.getRhs())
    return getZero(op.getResult());
  // x mod -1 -> 0 for signed integers
  if (isSignedIntLike(op.getType()) && isIntAllOnes(adaptor.getRhs()))
    return getZero(op.getResult());
  // (x mod y) mod y -> x mod y
  if (auto inner = op.getLhs().template getDefiningOp<OpT>())
    if (inner.getRhs() == op.getRhs())
      return op.getLhs();
  return foldElementwise(op, adaptor.getOperands());
}

OpFoldResult ModOp::fold(FoldAdaptor adaptor) {
  return foldRemainder(*this, adaptor);
}

OpFoldResult FloorModOp::fold(FoldAdaptor adaptor) {
  return foldRemainder(*this, adaptor);
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  // max(x, x) -> x
  if (getLhs() == getRhs())
    return getLhs();
  // max(x, least) -> x; -inf is the least float, and NaN stays NaN
  if (isIntMin(adaptor.getRhs()) || isFloat(adaptor.getRhs(), -INFINITY))
    return getLhs();
  // max(x, greatest) -> greatest for integers (a float x may be NaN)
  if (isIntMax(adaptor.getRhs()))
    return adaptor.getRhs();
  // max(max(x, y), y) -> max(x, y)
  if (Value x = foldAbsorption(*this))
    return x;
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  // pow(x, 1) -> x
  if (isFloat(adaptor.getRhs(), 1))
    return getLhs();
  // pow(x, 0) -> 1, pow(1, y) -> 1, even for NaN
  if (isFloat(adaptor.getRhs(), 0.0) || isFloat(adaptor.getRhs(), -0.0) ||
      isFloat(adaptor.getLhs(), 1))
    return getNumberAttr(getElementTypeOrSelf(getType()), int64_t(1));
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult MulAccOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult ThreefryOp::fold(FoldAdaptor adaptor) {
  return foldElementwise(*this, adaptor.getOperands());
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  // x & 0 -> 0
  if (isInt(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  // x & -1 -> x, x & x -> x
  if (isIntAllOnes(adaptor.getRhs()) || getLhs() == getRhs())
    return getLhs();
  // (x & y) & y -> x & y
  if (Value x = foldAbsorption(*this))
    return x;
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  // x | -1 -> -1
  if (isIntAllOnes(adaptor.getRhs()))
    return adaptor.getRhs();
  // x | 0 -> x, x | x -> x
  if (isInt(adaptor.getRhs(), 0) || getLhs() == getRhs())
    return getLhs();
  // (x | y) | y -> x | y
  if (Value x = foldAbsorption(*this))
    return x;
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  // x ^ 0 -> x
  if (isInt(adaptor.getRhs(), 0))
    return getLhs();
  // x ^ x -> 0
  if (getLhs() == getRhs())
    return getZero(getResult());
  // (x ^ y) ^ y -> x, in any order
  auto cancel = [](Value outer, Value other) -> Value {
    auto inner = outer.getDefiningOp<XorOp>();
    if (!inner)
      return {};
    if (inner.getRhs() == other)
      return inner.getLhs();
    return inner.getLhs() == other ? inner.getRhs() : Value();
  };
  if (Value x = cancel(getLhs(), getRhs()))
    return x;
  if (Value x = cancel(getRhs(), getLhs()))
    return x;
  return foldElementwise(*this, adaptor.getOperands());
}

/// Whether `amount` is at least the width of `type`.
static bool shiftsAllOut(Attribute amount, Type type) {
  auto integer = dyn_cast_or_null<IntegerAttr>(amount);
  return integer && integer.getValue().uge(integer.getValue().getBitWidth());
}

OpFoldResult ShlOp::fold(FoldAdaptor adaptor) {
  // x << 0 -> x
  if (isInt(adaptor.getRhs(), 0))
    return getLhs();
  // 0 << x -> 0, x << (width or more) -> 0
  if (isInt(adaptor.getLhs(), 0) || shiftsAllOut(adaptor.getRhs(), getType()))
    return getZero(getResult());
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult ShrOp::fold(FoldAdaptor adaptor) {
  // x >> 0 -> x
  if (isInt(adaptor.getRhs(), 0))
    return getLhs();
  // 0 >> x -> 0, x >> (width or more) -> 0 for unsigned integers
  if (isInt(adaptor.getLhs(), 0) || (!isSignedIntLike(getType()) &&
                                     shiftsAllOut(adaptor.getRhs(), getType())))
    return getZero(getResult());
  // -1 >> x -> -1 for signed integers
  if (isSignedIntLike(getType()) && isIntAllOnes(adaptor.getLhs()))
    return adaptor.getLhs();
  return foldElementwise(*this, adaptor.getOperands());
}

//===----------------------------------------------------------------------===//
// Comparisons and selection
//===----------------------------------------------------------------------===//

OpFoldResult CmpLtOp::fold(FoldAdaptor adaptor) {
  // x < x -> false, NaN included
  if (getLhs() == getRhs())
    return getBool(*this, false);
  // x < least -> false, greatest < x -> false
  if (isIntMin(adaptor.getRhs()) || isIntMax(adaptor.getLhs()) ||
      isFloat(adaptor.getRhs(), -INFINITY) ||
      isFloat(adaptor.getLhs(), INFINITY))
    return getBool(*this, false);
  // false < x -> x for bool
  if (isBoolLike(getLhs().getType()) && isInt(adaptor.getLhs(), 0))
    return getRhs();
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult CmpEqOp::fold(FoldAdaptor adaptor) {
  if (isIntOrBoolLike(getLhs().getType())) {
    // x == x -> true, but not for floats
    if (getLhs() == getRhs())
      return getBool(*this, true);
    // x == true -> x for bool
    if (isBoolLike(getLhs().getType()) && isInt(adaptor.getRhs(), 1))
      return getLhs();
  }
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult CmpNeOp::fold(FoldAdaptor adaptor) {
  if (isIntOrBoolLike(getLhs().getType())) {
    // x != x -> false, but not for floats
    if (getLhs() == getRhs())
      return getBool(*this, false);
    // x != false -> x for bool
    if (isBoolLike(getLhs().getType()) && isInt(adaptor.getRhs(), 0))
      return getLhs();
  }
  return foldElementwise(*this, adaptor.getOperands());
}

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  // where(true, x, y) -> x, where(false, x, y) -> y
  if (isInt(adaptor.getCondition(), 1))
    return getX();
  if (isInt(adaptor.getCondition(), 0))
    return getY();
  // where(c, x, x) -> x
  if (getX() == getY() ||
      (isSplat(adaptor.getX()) && adaptor.getX() == adaptor.getY()))
    return getX();
  // where(c, true, false) -> c
  if (isBoolLike(getType()) && isInt(adaptor.getX(), 1) &&
      isInt(adaptor.getY(), 0))
    return getCondition();
  // where(c, load masked by c and d, 0) -> the load
  auto load = getX().getDefiningOp<LoadOp>();
  if (load && load.getMask() && isPositiveZero(adaptor.getY())) {
    const SmallVector<Value> known = getConjuncts(load.getMask());
    const llvm::SmallDenseSet<Value, 8> isKnown(known.begin(), known.end());
    if (llvm::all_of(getConjuncts(getCondition()),
                     [&](Value value) { return isKnown.contains(value); }))
      return getX();
  }
  return foldElementwise(*this, adaptor.getOperands());
}

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  // An empty result, or a reduction of no elements.
  if (getStaticNumElements(getType()) == 0)
    return getZero(getResult());
  RankedTensorType type = getX().getType();
  if (getStaticNumElements(type) == 0)
    return getReduceIdentity(getKind(), type.getElementType());
  // reduce over axes of size 1 -> x
  if (getType() == type)
    return getX();
  // reduce over an axis of size 1 and others -> reduce over the others
  SmallVector<int64_t> axes = llvm::to_vector(llvm::make_filter_range(
      getAxes(), [&](int64_t axis) { return !getDim(type, axis).is(1); }));
  if (axes.size() != getAxes().size()) {
    setAxes(axes);
    return getResult();
  }
  // reduce of a splat, where the order does not matter
  int64_t count = 1;
  for (int64_t axis : axes)
    if (type.isDynamicDim(axis) ||
        llvm::MulOverflow(count, type.getDimSize(axis), count))
      return {};
  return foldReduceOfSplat(getKind(), adaptor.getX(), count);
}

OpFoldResult RangedReduceOp::fold(FoldAdaptor) {
  // without ranges -> the value
  if (getRanges().empty())
    return getValue();
  return {};
}

//===----------------------------------------------------------------------===//
// Scan and scatter
//===----------------------------------------------------------------------===//

OpFoldResult ScanOp::fold(FoldAdaptor) {
  // scan along an axis with at most one element -> the operand
  if (getDim(getType(), getAxis()).is(1) ||
      getStaticNumElements(getType()) == 0)
    return getX();
  return {};
}

OpFoldResult RangedScanOp::fold(FoldAdaptor) {
  // without ranges -> the value
  if (getRanges().empty())
    return getValue();
  return {};
}

OpFoldResult ScatterOp::fold(FoldAdaptor) {
  // no updates, or an empty base -> the base
  if (getStaticNumElements(getIndex().getType()) == 0 ||
      getStaticNumElements(getType()) == 0)
    return getBase();
  return {};
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // reshape(x) to its own shape -> x
  if (getX().getType() == getType())
    return getX();
  // reshape(reshape(x)) back to x's shape -> x
  if (auto inner = getX().getDefiningOp<ReshapeOp>())
    if (inner.getX().getType() == getType())
      return inner.getX();
  return foldMovement(*this, adaptor.getX());
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  // permute(x) by the identity -> x
  if (llvm::is_sorted(getOrder()))
    return getX();
  return foldMovement(*this, adaptor.getX());
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  // expand(x) to its own shape -> x
  if (getX().getType() == getType())
    return getX();
  return foldMovement(*this, adaptor.getX());
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  // pad(x) by nothing -> x
  if (getX().getType() == getType())
    return getX();
  return foldMovement(*this, adaptor.getX());
}

OpFoldResult ShrinkOp::fold(FoldAdaptor adaptor) {
  // shrink(x) to all of x -> x
  if (getX().getType() == getType())
    return getX();
  return foldMovement(*this, adaptor.getX());
}

OpFoldResult FlipOp::fold(FoldAdaptor adaptor) {
  // flip along axes of size 0 or 1 -> x
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::make_filter_range(getAxes(), [&](int64_t axis) {
        Dim size = getDim(getType(), axis);
        return !size.is(1) && !size.is(0);
      }));
  if (axes.empty())
    return getX();
  if (axes.size() != getAxes().size()) {
    setAxes(axes);
    return getResult();
  }
  return foldMovement(*this, adaptor.getX());
}

OpFoldResult StridedOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType() &&
      ViewChain(getType(), getViews()).getViews() ==
          ViewChain(getType()).getViews())
    return getX();
  if (llvm::any_of(getType().getShape(), [](int64_t n) { return n == 0; }))
    return getZero(getResult());
  if (!isSplat(adaptor.getX()))
    return {};
  return mayAddZeros() && !isPositiveZero(adaptor.getX()) ? Attribute()
                                                          : adaptor.getX();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

OpFoldResult ContiguousOp::fold(FoldAdaptor) {
  // contiguous(x) -> x if x is in memory in row-major order
  if (isa_and_nonnull<ContiguousOp, BufferOp, CopyOp>(getX().getDefiningOp()))
    return getX();
  return {};
}

OpFoldResult CopyOp::fold(FoldAdaptor) {
  // copy(x) to the device of x -> x
  if (auto inner = getX().getDefiningOp<CopyOp>())
    if (inner.getDevice() == getDevice())
      return getX();
  if (auto buffer = getX().getDefiningOp<BufferOp>())
    if (buffer.getDevice() == getDevice())
      return getX();
  return {};
}

OpFoldResult DetachOp::fold(FoldAdaptor adaptor) {
  // One with another gradient has a meaning of its own, and to the one around
  // it as well.
  if ((*this)->hasAttr(gradientAttrName))
    return {};
  // detach(detach(x)) -> detach(x)
  if (auto inner = getX().getDefiningOp<DetachOp>();
      inner && !inner->hasAttr(gradientAttrName))
    return getX();
  // detach(constant) -> constant
  return adaptor.getX();
}

OpFoldResult WithDerivativeOp::fold(FoldAdaptor adaptor) {
  // A constant has no other derivative.
  return adaptor.getX() && adaptor.getOf() ? adaptor.getX() : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Host program and kernels
//===----------------------------------------------------------------------===//

OpFoldResult SubbufferOp::fold(FoldAdaptor) {
  // subbuffer(x) of all of x -> x
  if (getOffsetDim().is(0) && getSource().getType() == getType())
    return getSource();
  // subbuffer(subbuffer(x)) -> subbuffer(x)
  if (auto inner = getSource().getDefiningOp<SubbufferOp>()) {
    setOffsetAttr((getOffsetDim() + inner.getOffsetDim()).getAttr());
    setOperand(inner.getSource());
    return getResult();
  }
  return {};
}

OpFoldResult LoadOp::fold(FoldAdaptor adaptor) {
  // load masked by false -> 0
  if (isInt(adaptor.getMask(), 0))
    return getZero(getResult());
  // load masked by true -> load
  if (isInt(adaptor.getMask(), 1)) {
    getMaskMutable().clear();
    return getResult();
  }
  return {};
}
