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
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>
#include <map>

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

static int64_t saturate(bool positive) {
  return positive ? std::numeric_limits<int64_t>::max()
                  : std::numeric_limits<int64_t>::min();
}

static int64_t add(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? saturate(a > 0) : sum;
}

static int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? saturate((a > 0) == (b > 0))
                                          : product;
}

static int64_t floorDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return multiply(a, -1);
  int64_t q = a / b;
  return q - (a % b != 0 && (a % b < 0) != (b < 0));
}

static int64_t evaluate(DimOpKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case DimOpKind::add:
    return add(a, b);
  case DimOpKind::mul:
    return multiply(a, b);
  case DimOpKind::floordiv:
    return floorDiv(a, b);
  case DimOpKind::mod:
    return b == 0 || b == -1 ? 0 : a - floorDiv(a, b) * b;
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
  // A remainder has the sign of the divisor and is smaller than it.
  if (expr.getKind() == DimOpKind::mod)
    return {rhsMin < 0 ? add(rhsMin, 1) : 0, rhsMax > 0 ? rhsMax - 1 : 0};
  int64_t corners[] = {evaluate(expr.getKind(), lhsMin, rhsMin),
                       evaluate(expr.getKind(), lhsMin, rhsMax),
                       evaluate(expr.getKind(), lhsMax, rhsMin),
                       evaluate(expr.getKind(), lhsMax, rhsMax)};
  auto [least, greatest] = std::minmax_element(corners, corners + 4);
  // Quotients are largest for divisors next to zero, which are no corners.
  if (expr.getKind() == DimOpKind::floordiv && rhsMin <= 0 && rhsMax >= 0) {
    int64_t bound = std::max(std::abs(std::max(lhsMin, -saturate(true))),
                             std::abs(std::max(lhsMax, -saturate(true))));
    return {-bound, bound};
  }
  return {*least, *greatest};
}

int64_t Dim::getMin() const { return getBounds(attr).first; }
int64_t Dim::getMax() const { return getBounds(attr).second; }

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// The full text, bounds included, by which variables and terms are ordered.
static std::string getKey(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  attr.print(os);
  return text;
}

namespace {
/// A product of variables, and of expressions that are neither sum nor product,
/// by their keys.
using Monomial = std::multimap<std::string, Attribute>;

/// A sum of monomials with coefficients: the normal form of a dimension.
class Polynomial {
public:
  explicit Polynomial(Attribute attr) {
    if (auto integer = dyn_cast<IntegerAttr>(attr)) {
      addTerm({}, integer.getInt());
      return;
    }
    if (auto expr = dyn_cast<DimExprAttr>(attr)) {
      Polynomial lhs(expr.getLhs()), rhs(expr.getRhs());
      if (expr.getKind() == DimOpKind::add) {
        swap(lhs + rhs);
        return;
      }
      if (expr.getKind() == DimOpKind::mul) {
        swap(lhs * rhs);
        return;
      }
    }
    addTerm({{getKey(attr), attr}}, 1);
  }

  friend Polynomial operator+(Polynomial lhs, const Polynomial &rhs) {
    for (const auto &[monomial, coefficient] : rhs.terms)
      lhs.addTerm(monomial, coefficient);
    return lhs;
  }

  friend Polynomial operator*(const Polynomial &lhs, const Polynomial &rhs) {
    Polynomial product;
    for (const auto &[a, aCoefficient] : lhs.terms)
      for (const auto &[b, bCoefficient] : rhs.terms) {
        Monomial both = a;
        both.insert(b.begin(), b.end());
        product.addTerm(both, multiply(aCoefficient, bCoefficient));
      }
    return product;
  }

  /// `(a * b * 2 + c) + 4`: what is constant is on the right.
  Dim getDim(MLIRContext *context) const {
    Attribute sum;
    int64_t constant = 0;
    for (const auto &[monomial, coefficient] : terms) {
      if (monomial.empty()) {
        constant = coefficient;
        continue;
      }
      Attribute product;
      for (const auto &[key, factor] : monomial)
        product = combine(DimOpKind::mul, product, factor);
      if (coefficient != 1)
        product = combine(DimOpKind::mul, product,
                          Dim(context, coefficient).getAttr());
      sum = combine(DimOpKind::add, sum, product);
    }
    if (!sum || constant != 0)
      sum = combine(DimOpKind::add, sum, Dim(context, constant).getAttr());
    return Dim(sum);
  }

private:
  Polynomial() = default;

  void swap(Polynomial other) { terms.swap(other.terms); }

  void addTerm(const Monomial &monomial, int64_t coefficient) {
    int64_t &sum = terms[monomial];
    sum = add(sum, coefficient);
    if (sum == 0)
      terms.erase(monomial);
  }

  static Attribute combine(DimOpKind kind, Attribute lhs, Attribute rhs) {
    if (!lhs)
      return rhs;
    return DimExprAttr::get(rhs.getContext(), kind, lhs, rhs);
  }

  /// Orders monomials by the keys of their factors.
  struct Less {
    bool operator()(const Monomial &a, const Monomial &b) const {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(),
          [](const auto &x, const auto &y) { return x.first < y.first; });
    }
  };
  std::map<Monomial, int64_t, Less> terms;
};
} // namespace

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
    return (Polynomial(lhs.attr) + Polynomial(rhs.attr)).getDim(context);
  case DimOpKind::mul:
    if (a == 1 || b == 1)
      return a == 1 ? rhs : lhs;
    return (Polynomial(lhs.attr) * Polynomial(rhs.attr)).getDim(context);
  case DimOpKind::min:
  case DimOpKind::max:
    if (lhs == rhs)
      return lhs;
    if (a || (!b && getKey(rhs.attr) < getKey(lhs.attr)))
      std::swap(lhs, rhs);
    break;
  case DimOpKind::floordiv:
    if (b == 1)
      return lhs;
    break;
  case DimOpKind::mod:
    if (b == 1)
      return Dim(context, 0);
    break;
  }
  return Dim(DimExprAttr::get(context, kind, lhs.attr, rhs.attr));
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
  print(os, attr);
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
