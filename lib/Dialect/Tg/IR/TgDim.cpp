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
  return isStatic() ? number : getBounds(attr).first;
}
int64_t Dim::getMax() const {
  return isStatic() ? number : getBounds(attr).second;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Quotient and remainder of polynomials, as far as they are known without the
/// variables' values: lhs = quotient * divisor + rest.
static std::pair<Polynomial, Polynomial> divide(const Polynomial &lhs,
                                                Dim divisor) {
  std::pair<Polynomial, Polynomial> parts =
      lhs.divideTerms(Polynomial(divisor.getAttr()));
  // What is left of the constant stays a remainder: 0 <= rest < divisor.
  if (std::optional<int64_t> number = divisor.getStatic()) {
    const int64_t constant = parts.second.getConstant();
    const int64_t quotient = floorDiv(constant, *number);
    parts.first.addTerm({}, quotient);
    parts.second.addTerm({}, -quotient * *number);
  }
  return parts;
}

static bool isWithin(Dim value, Dim divisor) {
  return value.getMin() >= 0 && (divisor - value).getMin() > 0;
}

/// x floordiv divisor, where the divisor is positive.
static Dim getQuotient(Dim x, Dim divisor) {
  MLIRContext *context = x.getContext();
  auto [quotient, rest] = divide(Polynomial(x.getAttr()), divisor);
  Dim restDim = rest.getDim(context);
  if (isWithin(restDim, divisor))
    return quotient.getDim(context);
  std::optional<int64_t> number = divisor.getStatic();
  if (number) {
    // (g * a + b) floordiv (g * c) is (a + b floordiv g) floordiv c.
    const int64_t common = std::gcd(rest.getCommonFactor(), *number);
    if (common > 1) {
      auto [scaled, left] = divide(rest, Dim(context, common));
      return quotient.getDim(context) +
             getQuotient(scaled.getDim(context),
                         Dim(context, *number / common));
    }
    // (a floordiv b) floordiv c is a floordiv (b * c).
    if (auto inner = dyn_cast<DimExprAttr>(restDim.getAttr());
        inner && inner.getKind() == DimOpKind::floordiv) {
      std::optional<int64_t> other = Dim(inner.getRhs()).getStatic();
      int64_t product;
      if (other && *other > 0 && !llvm::MulOverflow(*other, *number, product))
        return quotient.getDim(context) +
               getQuotient(Dim(inner.getLhs()), Dim(context, product));
    }
  }
  return quotient.getDim(context) +
         Dim(DimExprAttr::get(context, DimOpKind::floordiv, restDim.getAttr(),
                              divisor.getAttr()));
}

/// x mod divisor, where the divisor is positive.
static Dim getRemainder(Dim x, Dim divisor) {
  MLIRContext *context = x.getContext();
  Dim rest = divide(Polynomial(x.getAttr()), divisor).second.getDim(context);
  if (isWithin(rest, divisor))
    return rest;
  return Dim(DimExprAttr::get(context, DimOpKind::mod, rest.getAttr(),
                              divisor.getAttr()));
}

Dim Dim::get(DimOpKind kind, Dim lhs, Dim rhs) {
  MLIRContext *context = lhs.getContext();
  std::optional<int64_t> a = lhs.getStatic(), b = rhs.getStatic();
  if (a && b)
    return Dim(context, evaluate(kind, *a, *b));
  switch (kind) {
  case DimOpKind::add:
    // The two cases that inference asks for most.
    if (a == 0 || b == 0)
      return a == 0 ? rhs : lhs;
    return (Polynomial(lhs.getAttr()) + Polynomial(rhs.getAttr()))
        .getDim(context);
  case DimOpKind::mul:
    if (a == 1 || b == 1)
      return a == 1 ? rhs : lhs;
    return (Polynomial(lhs.getAttr()) * Polynomial(rhs.getAttr()))
        .getDim(context);
  case DimOpKind::min:
  case DimOpKind::max: {
    Dim difference = lhs - rhs;
    if (difference.getMax() <= 0)
      return kind == DimOpKind::min ? lhs : rhs;
    if (difference.getMin() >= 0)
      return kind == DimOpKind::min ? rhs : lhs;
    if (a || (!b && getKey(rhs.attr) < getKey(lhs.attr)))
      std::swap(lhs, rhs);
    break;
  }
  case DimOpKind::floordiv:
    if (b == 1)
      return lhs;
    if (rhs.getMin() > 0)
      return getQuotient(lhs, rhs);
    break;
  case DimOpKind::mod:
    if (b == 1)
      return Dim(context, 0);
    if (rhs.getMin() > 0)
      return getRemainder(lhs, rhs);
    break;
  }
  return Dim(DimExprAttr::get(context, kind, lhs.getAttr(), rhs.getAttr()));
}

Dim Dim::substitute(function_ref<Dim(VarAttr)> getValue) const {
  if (auto var = dyn_cast_or_null<VarAttr>(attr))
    return getValue(var);
  auto expr = dyn_cast_or_null<DimExprAttr>(attr);
  if (!expr)
    return *this;
  return get(expr.getKind(), Dim(expr.getLhs()).substitute(getValue),
             Dim(expr.getRhs()).substitute(getValue));
}

void Dim::walk(function_ref<void(VarAttr)> visit) const {
  if (auto var = dyn_cast_or_null<VarAttr>(attr)) {
    visit(var);
  } else if (auto expr = dyn_cast_or_null<DimExprAttr>(attr)) {
    Dim(expr.getLhs()).walk(visit);
    Dim(expr.getRhs()).walk(visit);
  }
}

Dim Dim::operator+(Dim other) const {
  return get(DimOpKind::add, *this, other);
}
Dim Dim::operator*(Dim other) const {
  return get(DimOpKind::mul, *this, other);
}
Dim Dim::operator-(Dim other) const {
  return *this + other * Dim(getContext(), -1);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void print(llvm::raw_ostream &os, Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    os << integer.getInt();
  } else if (auto var = dyn_cast<VarAttr>(attr)) {
    os << var.getName().getValue();
    if (var.getValue())
      os << '=' << *var.getValue();
  } else if (auto expr = dyn_cast<DimExprAttr>(attr)) {
    static const char *const symbols[] = {"+",   "*",   "floordiv",
                                          "mod", "min", "max"};
    os << '(';
    print(os, expr.getLhs());
    os << ' ' << symbols[static_cast<unsigned>(expr.getKind())] << ' ';
    print(os, expr.getRhs());
    os << ')';
  }
}

std::string Dim::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, getAttr());
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
  Dim count(context, 1);
  for (Dim dim : dims)
    count = count * dim;
  return count;
}

SmallVector<Dim> mlir::tg::getDims(ArrayAttr attr) {
  return llvm::map_to_vector(attr, [](Attribute a) { return Dim(a); });
}

ArrayAttr mlir::tg::getDimArrayAttr(MLIRContext *context,
                                    ArrayRef<int64_t> values) {
  return Builder(context).getI64ArrayAttr(values);
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
