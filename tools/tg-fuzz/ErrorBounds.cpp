//===- ErrorBounds.cpp - error bounds of operations -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bounds are computed in double precision, element by element. For f64 they
/// are rounded as well, by far less than their slack.
///
//===----------------------------------------------------------------------===//

#include "ErrorBounds.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "support/ToolSupport.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::tg;
using llvm::APFloat;

namespace {
/// The properties of a float type that bounds depend on.
struct Format {
  explicit Format(Type type) {
    const llvm::fltSemantics &semantics =
        cast<FloatType>(type).getFloatSemantics();
    precision = APFloat::semanticsPrecision(semantics);
    minExponent = APFloat::semanticsMinExponent(semantics);
    largest = APFloat::getLargest(semantics).convertToDouble();
    isDouble = type.isF64();
  }

  /// The distance of neighboring values around x.
  double ulp(double x) const {
    int exponent = x == 0 ? minExponent : std::ilogb(std::abs(x));
    return std::ldexp(1.0, std::max(exponent, minExponent) -
                               static_cast<int>(precision) + 1);
  }

  unsigned precision;
  int minExponent;
  double largest;
  bool isDouble;
};

/// One element of an operand.
struct Element {
  double value = 0;
  double error = 0;
  bool loose = false;

  double low() const { return value - error; }
  double high() const { return value + error; }
  bool isLooseZero() const { return loose && value == 0; }
};
} // namespace

/// The marker for "no bound".
static constexpr double kNoBound = -1;

static bool isTranscendental(Operation *op) {
  auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
  return elementwise && elementwise.isTranscendental();
}

/// The bound of a transcendental function of exact operands.
static double boundFunctionOfExact(Operation *op, ArrayRef<Element> x,
                                   double value, const Format &format) {
  if (std::isnan(value))
    return 0;
  if (std::isinf(value)) {
    // No bound if the result is within a few ulp of overflow.
    bool isFinite = llvm::all_of(
        x, [](const Element &e) { return std::isfinite(e.value); });
    if (!isFinite || isa<Log2Op, LogOp, Log1pOp>(op) || format.isDouble)
      return 0;
    double exact = isa<PowOp>(op) ? std::pow(x[0].value, x[1].value)
                                  : getMathFunction(op)(x[0].value);
    return std::abs(exact) > 1.02 * format.largest ? 0 : kNoBound;
  }
  // 2 ulp, plus the rounding of the reference.
  double bound = 3 * format.ulp(value);
  return std::abs(value) + bound > format.largest ? kNoBound : bound;
}

/// The range of a function that is monotonic in each operand: its extreme
/// values are at the corners of the operands' intervals.
template <typename Function>
static double spread(double value, ArrayRef<double> corners,
                     Function &&function) {
  double bound = 0;
  for (double corner : corners)
    bound = std::max(bound, std::abs(function(corner) - value));
  return bound;
}

/// The part of the bound that is propagated from the operands' errors, at least
/// one of which is not zero.
static double propagate(Operation *op, ArrayRef<Element> x, double value) {
  const Element &a = x[0];
  const Element b = x.size() > 1 ? x[1] : Element();
  if (isa<NegOp>(op))
    return a.error;
  if (isa<AddOp, SubOp>(op))
    return a.error + b.error;
  if (isa<MulOp, MulAccOp>(op)) {
    double product = std::abs(a.value) * b.error + std::abs(b.value) * a.error +
                     a.error * b.error;
    return isa<MulAccOp>(op) ? product + x[2].error : product;
  }
  if (isa<RecipOp, FDivOp>(op)) {
    const Element divisor = isa<RecipOp>(op) ? a : b;
    double numerator = isa<RecipOp>(op) ? 1 : a.value;
    double numeratorError = isa<RecipOp>(op) ? 0 : a.error;
    double least = std::abs(divisor.value) - divisor.error;
    if (least <= 0)
      return kNoBound;
    return (std::abs(numerator) * divisor.error +
            std::abs(divisor.value) * numeratorError) /
           (std::abs(divisor.value) * least);
  }
  if (isa<MaxOp>(op))
    return std::max(a.error, b.error);
  if (isa<SqrtOp>(op))
    return a.low() < 0 ? kNoBound
                       : spread(
                             value, {a.low(), a.high()},
                             [](double v) { return std::sqrt(v); });
  // Functions that are monotonic where they are defined.
  if (isa<Exp2Op, ExpOp, ExpM1Op, Log2Op, LogOp, Log1pOp, AsinOp, AcosOp,
          AtanOp, TanhOp, ErfOp>(op)) {
    auto *function = getMathFunction(op);
    double low = function(a.low()), high = function(a.high());
    return std::isfinite(low) && std::isfinite(high)
               ? spread(value, {a.low(), a.high()}, function)
               : kNoBound;
  }
  if (isa<SinOp, CosOp>(op))
    return std::min(a.error, 2.0);
  if (isa<PowOp>(op)) {
    if (a.low() <= 0)
      return kNoBound;
    double bound = 0;
    for (double base : {a.low(), a.high()})
      for (double exponent : {b.low(), b.high()})
        bound = std::max(bound, std::abs(std::pow(base, exponent) - value));
    return bound;
  }
  return kNoBound;
}

/// The bound of a float result that is rounded itself.
static double boundRounded(Operation *op, ArrayRef<Element> x, double value,
                           const Format &format) {
  if (!std::isfinite(value))
    return kNoBound;
  double bound = propagate(op, x, value);
  if (bound == kNoBound || !std::isfinite(bound))
    return kNoBound;
  double reach = std::abs(value) + bound;
  bound += (isTranscendental(op) ? 4 : 1) * format.ulp(reach);
  return std::abs(value) + bound < format.largest ? bound : kNoBound;
}

/// For functions with jumps: the bound is zero, or there is none if the
/// operands' intervals contain a jump.
static double boundStep(Operation *op, ArrayRef<Element> x, Type resultType) {
  const Element &a = x[0];
  if (isa<CmpLtOp, CmpEqOp, CmpNeOp>(op)) {
    const Element &b = x[1];
    return std::abs(a.value - b.value) <= a.error + b.error ? kNoBound : 0;
  }
  if (isa<CastOp>(op) && resultType.isInteger(1))
    return a.low() <= 0 && a.high() >= 0 ? kNoBound : 0;
  // trunc, and cast to an integer.
  return std::trunc(a.low()) == std::trunc(a.high()) ? 0 : kNoBound;
}

/// The bound of one element, and whether its bits are unspecified.
static double boundElement(Operation *op, ArrayRef<Element> x, double value,
                           Type resultType, bool &loose) {
  bool isExact = llvm::all_of(x, [](const Element &e) { return e.error == 0; });
  bool isAnyLoose = llvm::any_of(x, [](const Element &e) { return e.loose; });
  if (isa<BitcastOp>(op))
    return isExact && !isAnyLoose ? 0 : kNoBound;
  if (isa<WhereOp>(op)) {
    const Element &chosen = x[0].value != 0 ? x[1] : x[2];
    loose = chosen.loose;
    return chosen.error;
  }
  // Results that depend on an unspecified sign of a zero.
  if ((isa<RecipOp, PowOp>(op) && x[0].isLooseZero()) ||
      (isa<FDivOp>(op) && x[1].isLooseZero()))
    return kNoBound;
  auto floatType = dyn_cast<FloatType>(resultType);
  if (floatType)
    loose = std::isnan(value) || (value == 0 && (isAnyLoose || isa<MaxOp>(op)));
  if (isExact) {
    if (isTranscendental(op))
      return boundFunctionOfExact(op, x, value, Format(floatType));
    return 0;
  }
  if (!floatType || isa<TruncOp>(op))
    return boundStep(op, x, resultType);
  if (isa<CastOp>(op)) {
    Format format(floatType);
    double bound = x[0].error + format.ulp(std::abs(value) + x[0].error);
    return std::abs(value) + bound < format.largest ? bound : kNoBound;
  }
  return boundRounded(op, x, value, Format(floatType));
}

/// An upper bound of the rounding error of the product a * b, element i.
static double getRounding(double a, double b, const HostTensor &product,
                          int64_t i) {
  double value = getElementAsDouble(product, i);
  if (!std::isfinite(value))
    return std::isfinite(a) && std::isfinite(b)
               ? std::numeric_limits<double>::infinity()
               : 0;
  // Exact unless it underflows.
  if (std::fma(a, b, -value) == 0 && (value != 0 || a == 0 || b == 0))
    return 0;
  return Format(product.elementType).ulp(value);
}

bool mlir::tg::boundElementwise(Operation *op,
                                ArrayRef<const TrackedTensor *> operands,
                                TrackedTensor &result) {
  Type type = result.tensor.elementType;
  // Integer operations are exact.
  if (llvm::none_of(op->getOperandTypes(), [](Type operand) {
        return isa<FloatType>(cast<RankedTensorType>(operand).getElementType());
      }))
    return true;
  SmallVector<Element, 3> x(operands.size());
  int64_t count = result.tensor.numElements();
  for (int64_t i = 0; i < count; ++i) {
    for (auto [element, operand] : llvm::zip(x, operands))
      element = {getElementAsDouble(operand->tensor, i), operand->error[i],
                 operand->loose[i] != 0};
    bool loose = false;
    double bound =
        boundElement(op, x, getElementAsDouble(result.tensor, i), type, loose);
    if (bound == kNoBound || std::isnan(bound))
      return false;
    result.error.set(i, bound, count);
    result.loose.set(i, loose, count);
    if (isa<MulOp>(op) && isa<FloatType>(type))
      result.rounding.set(
          i, getRounding(x[0].value, x[1].value, result.tensor, i), count);
    // A sum may subtract the unrounded product.
    if (isa<NegOp>(op))
      result.rounding.set(i, operands[0]->rounding[i], count);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

/// The exponent of the lowest bit that is set in x, which is finite and not 0.
static int getLowestBit(double x) {
  int exponent;
  double fraction = std::frexp(x, &exponent);
  auto bits = static_cast<uint64_t>(std::ldexp(std::abs(fraction), 53));
  return exponent - 53 + llvm::countr_zero(bits);
}

/// The maximal number of successive additions in a sum of n terms, as stated in
/// docs/math-functions.md: 256 in a block, 16 in each further level (which has
/// 16 times as many terms), peeled positions of two loops, and the trees that
/// combine accumulators and lanes; at most n.
static double countAdditions(double n) {
  return std::min(n, 256 + 16 * std::ceil(std::log2(n + 1) / 4) + 64);
}

/// The bound of a float sum in any order of blocks. f16 and bf16 are
/// accumulated in f32.
static double boundSum(ArrayRef<Element> x, double value,
                       const Format &format) {
  double sum = 0, error = 0;
  int lowestBit = std::numeric_limits<int>::max();
  for (const Element &element : x) {
    // A product that might not overflow if it is fused into the sum.
    if (std::isinf(element.error))
      return kNoBound;
    if (!std::isfinite(element.value))
      continue;
    sum += std::abs(element.value);
    error += element.error;
    if (element.value != 0)
      lowestBit = std::min(lowestBit, getLowestBit(element.value));
  }
  double largest = format.isDouble ? format.largest
                                   : double(std::numeric_limits<float>::max());
  if (!std::isfinite(value)) {
    // Caused by infinities or NaN among the elements, not by overflow.
    bool isGiven = llvm::any_of(
        x, [](const Element &e) { return !std::isfinite(e.value); });
    return isGiven && sum + error < largest / 2 ? 0 : kNoBound;
  }
  // Exact if every partial sum, in any order, has few enough bits.
  if (error == 0 &&
      (sum == 0 || (sum <= std::ldexp(1.0, lowestBit + int(format.precision)) &&
                    sum <= format.largest)))
    return 0;
  double roundoff = format.isDouble ? 0x1p-53 : 0x1p-24;
  double additions = countAdditions(static_cast<double>(x.size())) + 1;
  double bound = error + 1.01 * additions * roundoff * (sum + error);
  bound += format.ulp(std::abs(value) + bound);
  return sum + bound < largest / 2 && std::abs(value) + bound < format.largest
             ? bound
             : kNoBound;
}

/// The bound of a float product in any order.
static double boundProduct(ArrayRef<Element> x, double value,
                           const Format &format) {
  unsigned bits = 0;
  double up = 0, down = 0, relative = 0;
  bool hasZero = false, hasInfinity = false;
  for (const Element &element : x) {
    if (std::isnan(element.value))
      return 0;
    if (std::isinf(element.value)) {
      hasInfinity = true;
      continue;
    }
    if (element.error > 0) {
      if (std::abs(element.value) <= 2 * element.error)
        return kNoBound;
      relative += element.error / (std::abs(element.value) - element.error);
    }
    if (element.value == 0) {
      hasZero = true;
      continue;
    }
    double logarithm = std::log2(std::abs(element.value));
    (logarithm > 0 ? up : down) += std::abs(logarithm);
    bits += std::ilogb(element.value) - getLowestBit(element.value) + 1;
  }
  if (hasZero && hasInfinity)
    return 0;
  // No partial product, in any order, may leave the normal range.
  if (up + 1 >= std::log2(format.largest) || down + 1 >= -format.minExponent)
    return kNoBound;
  if (hasZero || hasInfinity || (relative == 0 && bits <= format.precision))
    return 0;
  relative = std::expm1(relative);
  double roundoff = format.isDouble ? 0x1p-53 : 0x1p-24;
  double bound = std::abs(value) * (relative + 2 * (x.size() + 1) * roundoff);
  bound += format.ulp(std::abs(value) + bound);
  return std::isfinite(bound) && std::abs(value) + bound < format.largest
             ? bound
             : kNoBound;
}

static double boundMaximum(ArrayRef<Element> x) {
  double bound = 0;
  for (const Element &element : x)
    bound = std::max(bound, element.error);
  return bound;
}

/// The bound of log(exp(x0) + exp(x1) + ...), combined one by one in any order.
/// The result changes by at most the change of an operand.
static double boundLogSum(ArrayRef<Element> x, double value,
                          const Format &format) {
  double largest = 0, error = 0;
  for (const Element &element : x) {
    error = std::max(error, element.error);
    if (std::isfinite(element.value))
      largest = std::max(largest, std::abs(element.value));
  }
  if (!std::isfinite(error))
    return kNoBound;
  const auto n = static_cast<double>(x.size());
  largest += error + std::log(n) + 1;
  if (!std::isfinite(value)) {
    // Caused by an infinity or a NaN among the elements, or all are -inf.
    const bool isGiven = llvm::any_of(
        x, [](const Element &e) { return !std::isfinite(e.value); });
    return isGiven && largest < format.largest / 2 ? 0 : kNoBound;
  }
  // Each step evaluates functions of arguments of at most 1, accurate to some
  // ulp, and an addition.
  const double roundoff = format.isDouble ? 0x1p-53 : 0x1p-24;
  double bound =
      error + (x.size() == 1 ? 0 : n * (32 + 2 * largest) * roundoff);
  bound += x.size() == 1 ? 0 : format.ulp(std::abs(value) + bound);
  return largest + bound < format.largest / 2 ? bound : kNoBound;
}

bool mlir::tg::boundReduce(ReduceOp op, const TrackedTensor &x,
                           TrackedTensor &result) {
  auto floatType = dyn_cast<FloatType>(result.tensor.elementType);
  if (!floatType)
    return true;
  Format format(floatType);
  // Gathers the elements of each result by walking x in row-major order.
  ArrayRef<int64_t> shape = x.tensor.shape;
  std::vector<SmallVector<Element>> groups(result.tensor.numElements());
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, e = x.tensor.numElements(); i < e; ++i) {
    int64_t to = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      to = to * result.tensor.shape[axis] +
           (llvm::is_contained(op.getAxes(), int64_t(axis)) ? 0 : index[axis]);
    double error = x.error[i];
    if (op.getKind() == ReduceKind::add)
      error += x.rounding[i];
    groups[to].push_back(
        {getElementAsDouble(x.tensor, i), error, x.loose[i] != 0});
    for (size_t axis = shape.size(); axis > 0; --axis) {
      if (++index[axis - 1] < shape[axis - 1])
        break;
      index[axis - 1] = 0;
    }
  }
  for (auto [i, group] : llvm::enumerate(groups)) {
    double value = getElementAsDouble(result.tensor, i);
    double bound =
        op.getKind() == ReduceKind::add   ? boundSum(group, value, format)
        : op.getKind() == ReduceKind::mul ? boundProduct(group, value, format)
                                          : boundMaximum(group);
    if (bound == kNoBound)
      return false;
    int64_t count = groups.size();
    result.error.set(i, bound, count);
    result.loose.set(i, std::isnan(value) || value == 0, count);
  }
  return true;
}

/// Calls body(row, at) for each row along an axis; at(p) is the position of its
/// element p.
static void forEachRow(
    ArrayRef<int64_t> shape, int64_t axis,
    function_ref<void(int64_t row, function_ref<int64_t(int64_t)> at)> body) {
  int64_t outer = 1, inner = 1;
  for (int64_t size : shape.take_front(axis))
    outer *= size;
  for (int64_t size : shape.drop_front(axis + 1))
    inner *= size;
  for (int64_t row = 0; row < outer * inner; ++row)
    body(row, [&](int64_t p) {
      return (row / inner * shape[axis] + p) * inner + row % inner;
    });
}

bool mlir::tg::boundScan(ScanOp op, const TrackedTensor &x,
                         TrackedTensor &result) {
  auto floatType = dyn_cast<FloatType>(result.tensor.elementType);
  if (!floatType)
    return true;
  Format format(floatType);
  const auto axis = static_cast<int64_t>(op.getAxis());
  const int64_t length = x.tensor.shape[axis], count = x.tensor.numElements();
  bool isComparable = true;
  forEachRow(x.tensor.shape, axis, [&](int64_t, auto at) {
    SmallVector<Element> group;
    for (int64_t p = 0; p < length && isComparable; ++p) {
      const int64_t place = at(p);
      group.push_back({getElementAsDouble(x.tensor, place), x.error[place],
                       x.loose[place] != 0});
      const double value = getElementAsDouble(result.tensor, place);
      const double bound =
          op.getKind() == ScanKind::add   ? boundSum(group, value, format)
          : op.getKind() == ScanKind::mul ? boundProduct(group, value, format)
          : op.getKind() == ScanKind::max ? boundMaximum(group)
                                          : boundLogSum(group, value, format);
      isComparable = bound != kNoBound;
      result.error.set(place, bound, count);
      result.loose.set(place, std::isnan(value) || value == 0, count);
    }
  });
  return isComparable;
}

bool mlir::tg::boundScatter(ScatterOp op,
                            ArrayRef<const TrackedTensor *> operands,
                            TrackedTensor &result) {
  auto floatType = dyn_cast<FloatType>(result.tensor.elementType);
  if (!floatType)
    return true;
  Format format(floatType);
  const TrackedTensor &base = *operands[0], &updates = *operands[2];
  const auto axis = static_cast<int64_t>(op.getAxis());
  const int64_t size = base.tensor.shape[axis],
                count = base.tensor.numElements();
  auto getElement = [](const TrackedTensor &x, int64_t place) {
    return Element{getElementAsDouble(x.tensor, place), x.error[place],
                   x.loose[place] != 0};
  };
  // The elements that are combined, by row and position.
  std::vector<SmallVector<Element>> groups(count);
  forEachRow(base.tensor.shape, axis, [&](int64_t row, auto at) {
    for (int64_t p = 0; p < size; ++p)
      groups[row * size + p] = {getElement(base, at(p))};
  });
  forEachRow(updates.tensor.shape, axis, [&](int64_t row, auto at) {
    for (int64_t p = 0; p < updates.tensor.shape[axis]; ++p) {
      const double index = getElementAsDouble(operands[1]->tensor, at(p));
      if (index < 0 || index >= static_cast<double>(size))
        continue;
      auto &group = groups[row * size + static_cast<int64_t>(index)];
      if (op.getKind() == UpdateKind::set)
        group.clear();
      group.push_back(getElement(updates, at(p)));
    }
  });
  bool isComparable = true;
  forEachRow(base.tensor.shape, axis, [&](int64_t row, auto at) {
    for (int64_t p = 0; p < size && isComparable; ++p) {
      const SmallVector<Element> &group = groups[row * size + p];
      const int64_t place = at(p);
      const double value = getElementAsDouble(result.tensor, place);
      double bound = group[0].error;
      if (group.size() > 1 && op.getKind() == UpdateKind::add) {
        bound = boundSum(group, value, format);
        // Rounded to the narrow type after each update.
        double sum = 0;
        for (const Element &element : group)
          sum += std::abs(element.value) + element.error;
        if (bound > 0 && !format.isDouble && format.precision < 24)
          bound += static_cast<double>(group.size()) * format.ulp(sum);
      } else if (group.size() > 1 && op.getKind() == UpdateKind::mul) {
        bound = boundProduct(group, value, format);
        if (bound > 0 && format.precision < 24)
          bound = kNoBound;
      } else if (group.size() > 1) {
        bound = boundMaximum(group);
      }
      isComparable = bound != kNoBound;
      result.error.set(place, bound, count);
      result.loose.set(place,
                       group.size() > 1 ? std::isnan(value) || value == 0
                                        : group[0].loose,
                       count);
    }
  });
  return isComparable;
}
