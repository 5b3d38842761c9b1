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
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tg;

Dim::Dim(MLIRContext *context, int64_t value)
    : attr(IntegerAttr::get(IntegerType::get(context, 64), value)) {}

bool Dim::isDim(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getType().isSignlessInteger(64);
  return isa_and_nonnull<VarAttr, DimExprAttr>(attr);
}

std::optional<int64_t> Dim::getStatic() const {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getInt();
  return std::nullopt;
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - (a % b != 0 && (a % b < 0) != (b < 0));
}

static int64_t evaluate(DimOpKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case DimOpKind::add:
    return a + b;
  case DimOpKind::mul:
    return a * b;
  case DimOpKind::floordiv:
    return b == 0 ? 0 : floorDiv(a, b);
  case DimOpKind::mod:
    return b == 0 ? 0 : a - floorDiv(a, b) * b;
  case DimOpKind::min:
    return std::min(a, b);
  case DimOpKind::max:
    return std::max(a, b);
  }
  llvm_unreachable("unknown DimOpKind");
}

/// Least and greatest value of a dimension attribute.
static std::pair<int64_t, int64_t> getBounds(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return {integer.getInt(), integer.getInt()};
  if (auto var = dyn_cast<VarAttr>(attr))
    return {var.getMin(), var.getMax()};
  auto expr = cast<DimExprAttr>(attr);
  auto [lhsMin, lhsMax] = getBounds(expr.getLhs());
  auto [rhsMin, rhsMax] = getBounds(expr.getRhs());
  if (expr.getKind() == DimOpKind::mod && rhsMin > 0)
    return {0, rhsMax - 1};
  int64_t corners[] = {evaluate(expr.getKind(), lhsMin, rhsMin),
                       evaluate(expr.getKind(), lhsMin, rhsMax),
                       evaluate(expr.getKind(), lhsMax, rhsMin),
                       evaluate(expr.getKind(), lhsMax, rhsMax)};
  return {*std::min_element(corners, corners + 4),
          *std::max_element(corners, corners + 4)};
}

int64_t Dim::getMin() const { return getBounds(attr).first; }
int64_t Dim::getMax() const { return getBounds(attr).second; }

static Dim combine(DimOpKind kind, Dim lhs, Dim rhs) {
  MLIRContext *context = lhs.getContext();
  std::optional<int64_t> a = lhs.getStatic(), b = rhs.getStatic();
  if (a && b)
    return Dim(context, evaluate(kind, *a, *b));
  // A number goes to the right; two expressions go in a fixed (textual) order.
  if (a || (!b && rhs.str() < lhs.str()))
    return combine(kind, rhs, lhs);
  if (kind == DimOpKind::add && b == 0)
    return lhs;
  if (kind == DimOpKind::mul && b == 1)
    return lhs;
  if (kind == DimOpKind::mul && b == 0)
    return rhs;
  // (x op c1) op c2 -> x op (c1 op c2)
  if (auto expr = dyn_cast<DimExprAttr>(lhs.getAttr()))
    if (b && expr.getKind() == kind && Dim(expr.getRhs()).isStatic())
      return combine(kind, Dim(expr.getLhs()),
                     Dim(context, evaluate(kind, *Dim(expr.getRhs()).getStatic(),
                                           *b)));
  return Dim(
      DimExprAttr::get(context, kind, lhs.getAttr(), rhs.getAttr()));
}

Dim Dim::operator+(Dim other) const {
  return combine(DimOpKind::add, *this, other);
}
Dim Dim::operator*(Dim other) const {
  return combine(DimOpKind::mul, *this, other);
}
Dim Dim::operator-(Dim other) const {
  return *this + other * Dim(getContext(), -1);
}

static void print(llvm::raw_ostream &os, Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    os << integer.getInt();
  } else if (auto var = dyn_cast<VarAttr>(attr)) {
    os << var.getName().getValue();
  } else if (auto expr = dyn_cast<DimExprAttr>(attr)) {
    static const char *const symbols[] = {"+", "*", "floordiv",
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
  print(os, attr);
  return text;
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
