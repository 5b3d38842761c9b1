//===- TgDim.cpp - dimensions of tensors ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Arithmetic on dimensions, and the dimensions of tensor types.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TgDimPolynomial.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::dim;

Dim::Dim(Attribute from) {
  if (!from)
    return;
  context = from.getContext();
  if (auto integer = dyn_cast<IntegerAttr>(from))
    number = integer.getInt();
  else
    attr = from;
}

Attribute Dim::getAttr() const {
  if (!isStatic())
    return attr;
  return IntegerAttr::get(IntegerType::get(context, 64), number);
}

bool Dim::isDim(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getType().isSignlessInteger(64);
  return isa_and_nonnull<VarAttr, DimExprAttr>(attr);
}

int64_t Dim::getMin() const {
  return isStatic() ? number : getBounds(attr).getMin();
}
int64_t Dim::getMax() const {
  return isStatic() ? number : getBounds(attr).getMax();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Divides polynomials as far as possible for all values of the variables:
/// lhs = quotient * divisor + rest.
static std::pair<Polynomial, Polynomial> divide(const Polynomial &lhs,
                                                const Polynomial &divisor) {
  std::pair<Polynomial, Polynomial> parts = lhs.divideTerms(divisor);
  // The rest of the constant is in [0, divisor).
  if (std::optional<int64_t> number = divisor.getNumber()) {
    const int64_t constant = parts.second.takeConstant();
    parts.first.addTerm({}, evaluate(DimOpKind::floordiv, constant, *number));
    parts.second.addTerm({}, evaluate(DimOpKind::mod, constant, *number));
  }
  return parts;
}

/// The quotient, if it is the same for all values of the variables.
static std::optional<int64_t> getOnlyQuotient(Dim value, Dim divisor) {
  const int64_t least = value.getMin(), most = value.getMax();
  if (std::optional<int64_t> number = divisor.getStatic()) {
    if (least != saturate(false) && most != saturate(true))
      return Interval(least, most).floorDiv(*number).getSingle();
  } else if (least >= 0 && (divisor - value).getMin() > 0) {
    return 0;
  }
  return std::nullopt;
}

/// x floordiv divisor, where the divisor is positive.
static Polynomial getQuotient(const Polynomial &x, Dim divisor) {
  MLIRContext *context = divisor.getContext();
  const Polynomial divisorTerms(divisor);
  // Remainders that are not expanded may be shown to be less than the divisor.
  Dim xDim = x.getDim(context);
  auto [shown, shownRest] =
      divide(Polynomial(xDim, /*expand=*/false), divisorTerms);
  if (auto only = getOnlyQuotient(shownRest.getDim(context), divisor))
    return Polynomial(shown.getDim(context)) + Polynomial(Dim(context, *only));
  auto [quotient, rest] = divide(x, divisorTerms);
  Dim restDim = rest.getDim(context);
  if (auto only = getOnlyQuotient(restDim, divisor))
    return quotient + Polynomial(Dim(context, *only));
  std::optional<int64_t> number = divisor.getStatic();
  if (number) {
    // (g * a + b) floordiv (g * c) is (a + b floordiv g) floordiv c.
    const int64_t common = std::gcd(rest.getCommonFactor(), *number);
    if (common > 1)
      return quotient +
             getQuotient(divide(rest, Polynomial(Dim(context, common))).first,
                         Dim(context, *number / common));
    // (a floordiv b) floordiv c is a floordiv (b * c).
    if (auto inner = getExpr(restDim.getAttr(), DimOpKind::floordiv)) {
      std::optional<int64_t> other = Dim(inner.getDivisor()).getStatic();
      int64_t product;
      if (other && *other > 0 && !llvm::MulOverflow(*other, *number, product))
        return quotient + getQuotient(Polynomial(inner.getDividend()),
                                      Dim(context, product));
    }
  }
  return quotient +
         Polynomial(DimExprAttr::get(context, DimOpKind::floordiv,
                                     {restDim.getAttr(), divisor.getAttr()}));
}

/// The minimum or the maximum. For two operands, min(a, b) + max(a, b) is a +
/// b: computes the one whose nested minima or maxima can be merged.
static Polynomial getExtreme(DimOpKind kind, ArrayRef<Polynomial> operands,
                             MLIRContext *context) {
  auto haveMinimum = [&](int sign) {
    return llvm::any_of(
        operands, [&](const Polynomial &x) { return x.hasMinimum(sign); });
  };
  const bool isMaximum = operands.size() == 2
                             ? !haveMinimum(1) && haveMinimum(-1)
                             : kind == DimOpKind::max;
  const int64_t sign = isMaximum ? -1 : 1;
  std::vector<Polynomial> scaled;
  for (const Polynomial &operand : operands)
    scaled.push_back(operand.scale(sign));
  Polynomial extreme =
      Polynomial::getMinimum(std::move(scaled), context).scale(sign);
  return (kind == DimOpKind::max) == isMaximum
             ? extreme
             : operands[0] + operands[1] - extreme;
}

/// Whether bounds prove that a <= b.
static bool isNeverGreater(Attribute a, Attribute b) {
  // Nothing cancels between two variables.
  if (auto x = dyn_cast<VarAttr>(a))
    if (auto y = dyn_cast<VarAttr>(b))
      return x == y || x.getMax() <= y.getMin();
  return (Dim(b) - Dim(a)).getMin() >= 0;
}

/// A minimum or maximum of operands that are not expanded. Drops each operand
/// that is never beyond another one. The operands of an existing minimum are
/// not compared with each other again: each step of a long chain would take
/// quadratic time.
static Dim getOpaqueExtreme(DimOpKind kind, ArrayRef<Dim> operands) {
  SmallVector<SmallVector<Attribute>> sides;
  for (Dim operand : operands) {
    const Attribute attr = operand.getAttr();
    DimExprAttr nested = getExpr(attr, kind);
    sides.emplace_back(nested ? nested.getOperands() : ArrayRef(attr));
  }
  Monomial needed;
  for (auto [i, side] : llvm::enumerate(sides)) {
    llvm::erase_if(side, [&](Attribute own) {
      for (auto [k, other] : llvm::enumerate(sides))
        if (k != i && llvm::any_of(other, [&](Attribute it) {
              return kind == DimOpKind::min ? isNeverGreater(it, own)
                                            : isNeverGreater(own, it);
            }))
          return true;
      return false;
    });
    needed.append(side);
  }
  llvm::sort(needed, isBefore);
  return Dim(needed.size() == 1
                 ? needed[0]
                 : DimExprAttr::get(operands[0].getContext(), kind, needed));
}

/// A remainder that is not expanded.
static Dim getOpaqueRemainder(Dim lhs, Dim rhs) {
  MLIRContext *context = lhs.getContext();
  // Drops multiples of the divisor.
  auto [quotient, rest] = Polynomial(lhs).divideTerms(Polynomial(rhs));
  if (quotient.getNumber() != 0)
    return Dim::get(DimOpKind::mod, rest.getDim(context), rhs);
  if (lhs.getMin() >= 0 && lhs.getMax() < rhs.getMin())
    return lhs;
  return Dim(DimExprAttr::get(context, DimOpKind::mod,
                              {lhs.getAttr(), rhs.getAttr()}));
}

/// A variable with a single value is that number in every expression.
static Dim getOnlyValue(Dim dim) {
  auto var =
      dyn_cast_or_null<VarAttr>(dim.isStatic() ? Attribute() : dim.getAttr());
  return var && var.getMin() == var.getMax()
             ? Dim(var.getContext(), var.getMin())
             : dim;
}

/// The result without the cases that `Dim::get` decides.
static Dim compute(DimOpKind kind, ArrayRef<Dim> operands);

Dim Dim::get(DimOpKind kind, Dim lhs, Dim rhs) {
  MLIRContext *context = lhs.getContext();
  lhs = getOnlyValue(lhs);
  rhs = getOnlyValue(rhs);
  std::optional<int64_t> a = lhs.getStatic(), b = rhs.getStatic();
  if (a && b)
    return Dim(context, evaluate(kind, *a, *b));
  // The most frequent cases of shape inference.
  const bool isSum = kind == DimOpKind::add, isProduct = kind == DimOpKind::mul;
  if ((isSum && b == 0) ||
      ((isProduct || kind == DimOpKind::floordiv) && b == 1))
    return lhs;
  if ((isSum && a == 0) || (isProduct && a == 1))
    return rhs;
  return DimFacts::of(lhs.attr ? lhs.attr : rhs.attr)
      .results.get({unsigned(kind), lhs.attr.getAsOpaquePointer(), lhs.number,
                    rhs.attr.getAsOpaquePointer(), rhs.number},
                   [&] { return compute(kind, {lhs, rhs}); });
}

Dim Dim::get(DimOpKind kind, ArrayRef<Dim> operands) {
  if (operands.size() <= 2)
    return operands.size() == 1 ? operands[0]
                                : get(kind, operands[0], operands[1]);
  return compute(kind, llvm::map_to_vector(operands, getOnlyValue));
}

static Dim compute(DimOpKind kind, ArrayRef<Dim> operands) {
  MLIRContext *context = operands[0].getContext();
  if (llvm::all_of(operands, [](Dim dim) { return dim.isStatic(); })) {
    int64_t value = *operands[0].getStatic();
    for (Dim operand : operands.drop_front())
      value = evaluate(kind, value, *operand.getStatic());
    return Dim(context, value);
  }
  const bool isSelection = kind == DimOpKind::min || kind == DimOpKind::max;
  if ((isSelection || kind == DimOpKind::mod) &&
      isOpaque(kind, llvm::map_to_vector(
                         operands, [](Dim dim) { return dim.getAttr(); })))
    return isSelection ? getOpaqueExtreme(kind, operands)
                       : getOpaqueRemainder(operands[0], operands[1]);
  std::vector<Polynomial> polynomials(operands.begin(), operands.end());
  Polynomial &x = polynomials[0], &y = polynomials[1];
  switch (kind) {
  case DimOpKind::add:
    for (const Polynomial &term : ArrayRef(polynomials).drop_front())
      x += term;
    return x.getDim(context);
  case DimOpKind::mul:
    return Polynomial::getProduct(polynomials).getDim(context);
  case DimOpKind::min:
  case DimOpKind::max:
    return getExtreme(kind, polynomials, context).getDim(context);
  case DimOpKind::floordiv:
  case DimOpKind::mod:
    break;
  }
  // x floordiv -c is -x floordiv c, and x mod -c is -(-x mod c).
  Dim divisor = y.getDim(context);
  bool isNegated = false;
  if (divisor.getMax() < 0 && divisor.getMin() != saturate(false)) {
    Dim negative = y.scale(-1).getDim(context);
    // The bounds of one may be tighter than those of the other.
    isNegated = negative.getMin() > 0;
    if (isNegated) {
      x = x.scale(-1);
      divisor = negative;
    }
  }
  if (divisor.getMin() <= 0)
    return Dim(DimExprAttr::get(
        context, kind, {x.getDim(context).getAttr(), divisor.getAttr()}));
  // The multiple of the divisor below the least int64_t does not fit.
  if (std::optional<int64_t> number = divisor.getStatic();
      kind == DimOpKind::mod && number &&
      x.getConstant() < saturate(false) + *number)
    return Dim(
        DimExprAttr::get(context, kind,
                         {Polynomial(operands[0]).getDim(context).getAttr(),
                          y.getDim(context).getAttr()}));
  Polynomial quotient = getQuotient(x, divisor);
  if (kind == DimOpKind::floordiv)
    return quotient.getDim(context);
  Polynomial remainder = x - quotient * Polynomial(divisor);
  return remainder.scale(isNegated ? -1 : 1).getDim(context);
}

std::optional<Dim> Dim::divideExactly(Dim divisor) const {
  if (*this == divisor)
    return Dim(getContext(), 1);
  auto [quotient, rest] = Polynomial(*this).divideTerms(Polynomial(divisor));
  if (rest.getNumber() != 0)
    return std::nullopt;
  return quotient.getDim(getContext());
}

/// Visits shared subexpressions once.
static Dim substituteIn(Dim dim, function_ref<Dim(VarAttr)> getValue,
                        llvm::DenseMap<Attribute, Dim> &known) {
  if (dim.isStatic())
    return dim;
  Attribute attr = dim.getAttr();
  if (auto it = known.find(attr); it != known.end())
    return it->second;
  Dim result = dim;
  if (auto var = dyn_cast<VarAttr>(attr)) {
    result = getValue(var);
  } else if (auto expr = dyn_cast<DimExprAttr>(attr)) {
    bool isNew = false;
    SmallVector<Dim> operands;
    for (Attribute operand : expr.getOperands()) {
      const Dim own(operand);
      operands.push_back(substituteIn(own, getValue, known));
      isNew |= operands.back() != own;
    }
    if (isNew)
      result = Dim::get(expr.getKind(), operands);
  }
  known[attr] = result;
  return result;
}

Dim Dim::substitute(function_ref<Dim(VarAttr)> getValue) const {
  if (!attr)
    return *this;
  llvm::DenseMap<Attribute, Dim> known;
  return substituteIn(*this, getValue, known);
}

void Dim::walk(function_ref<void(VarAttr)> visit) const {
  if (!attr)
    return;
  llvm::DenseSet<Attribute> seen;
  SmallVector<Attribute> work{attr};
  while (!work.empty()) {
    Attribute part = work.pop_back_val();
    if (!seen.insert(part).second)
      continue;
    if (auto var = dyn_cast<VarAttr>(part))
      visit(var);
    else if (auto expr = dyn_cast<DimExprAttr>(part))
      llvm::append_range(work, llvm::reverse(expr.getOperands()));
  }
}

Dim Dim::operator+(Dim other) const {
  return get(DimOpKind::add, *this, other);
}
Dim Dim::operator*(Dim other) const {
  return get(DimOpKind::mul, *this, other);
}
Dim Dim::operator-(Dim other) const {
  if (*this == other)
    return Dim(getContext(), 0);
  return *this + other * Dim(getContext(), -1);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void print(llvm::raw_ostream &os, Attribute attr,
                  function_ref<std::optional<int64_t>(VarAttr)> getValue) {
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    os << integer.getInt();
  } else if (auto var = dyn_cast<VarAttr>(attr)) {
    os << var.getName().getValue();
    if (std::optional<int64_t> value =
            getValue ? getValue(var) : var.getValue())
      os << '=' << *value;
  } else if (auto expr = dyn_cast<DimExprAttr>(attr)) {
    static const char *const symbols[] = {" + ",   " * ",   " floordiv ",
                                          " mod ", " min ", " max "};
    os << '(';
    llvm::interleave(
        expr.getOperands(), os,
        [&](Attribute operand) { print(os, operand, getValue); },
        symbols[static_cast<unsigned>(expr.getKind())]);
    os << ')';
  }
}

std::string
Dim::str(function_ref<std::optional<int64_t>(VarAttr)> getValue) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, getAttr(), getValue);
  return text;
}

//===----------------------------------------------------------------------===//
// Dimensions of types
//===----------------------------------------------------------------------===//

bool mlir::tg::hasDims(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  if (Attribute encoding = tensor.getEncoding())
    return isa<ShapeAttr>(encoding);
  return tensor.hasStaticShape();
}

SmallVector<Dim> mlir::tg::getDims(RankedTensorType type) {
  SmallVector<Dim> dims;
  if (auto shape = dyn_cast_or_null<ShapeAttr>(type.getEncoding())) {
    for (Attribute attr : shape.getDims())
      dims.push_back(Dim(attr));
    return dims;
  }
  for (int64_t size : type.getShape())
    dims.push_back(Dim(type.getContext(), size));
  return dims;
}

Dim mlir::tg::getDim(RankedTensorType type, int64_t axis) {
  if (auto shape = dyn_cast_or_null<ShapeAttr>(type.getEncoding()))
    return Dim(shape.getDims()[axis]);
  return Dim(type.getContext(), type.getDimSize(axis));
}

RankedTensorType mlir::tg::getTensorType(ArrayRef<Dim> dims, Type elementType) {
  SmallVector<int64_t> sizes;
  SmallVector<Attribute> attrs;
  bool symbolic = false;
  for (Dim dim : dims) {
    std::optional<int64_t> value = dim.getStatic();
    symbolic |= !value;
    sizes.push_back(value.value_or(ShapedType::kDynamic));
    attrs.push_back(dim.getAttr());
  }
  Attribute encoding;
  if (symbolic)
    encoding = ShapeAttr::get(elementType.getContext(), attrs);
  return RankedTensorType::get(sizes, elementType, encoding);
}

SmallVector<int64_t> mlir::tg::getLargestShape(ArrayRef<Dim> dims) {
  return llvm::map_to_vector(dims, [](Dim dim) { return dim.getMax(); });
}

SmallVector<int64_t> mlir::tg::getLargestShape(RankedTensorType type) {
  if (type.hasStaticShape())
    return SmallVector<int64_t>(type.getShape());
  return getLargestShape(getDims(type));
}

int64_t mlir::tg::getBufferSize(RankedTensorType type) {
  int64_t size = 1;
  for (int64_t extent : getLargestShape(type))
    size = multiply(size, extent);
  return size;
}

Dim mlir::tg::getNumElements(MLIRContext *context, ArrayRef<Dim> dims) {
  int64_t number = 1;
  SmallVector<Dim> symbolic;
  for (Dim dim : dims) {
    if (std::optional<int64_t> size = dim.getStatic())
      number = multiply(number, *size);
    else
      symbolic.push_back(dim);
  }
  if (symbolic.size() < 2)
    return symbolic.empty() ? Dim(context, number)
                            : symbolic[0] * Dim(context, number);
  const std::vector<Polynomial> factors(symbolic.begin(), symbolic.end());
  return Polynomial::getProduct(factors).scale(number).getDim(context);
}

SmallVector<Dim> mlir::tg::getDims(ArrayRef<Attribute> attrs) {
  return llvm::map_to_vector(attrs, [](Attribute a) { return Dim(a); });
}

SmallVector<Dim> mlir::tg::getDims(ArrayAttr attr) {
  return getDims(attr.getValue());
}

std::optional<SmallVector<int64_t>> mlir::tg::getStaticDims(ArrayAttr attr) {
  SmallVector<int64_t> values;
  for (Attribute element : attr) {
    std::optional<int64_t> value = Dim(element).getStatic();
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::string mlir::tg::toString(ArrayRef<Dim> dims) {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(dims))
    text += (i ? ", " : "") + dim.str();
  return text + "]";
}
