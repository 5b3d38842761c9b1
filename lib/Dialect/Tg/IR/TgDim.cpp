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
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::dim;

/// Operators and operands of an expression that is made of its parts again, and
/// how often.
constexpr size_t kMaxToMakeAgain = 512, kMaxForms = 8;

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

/// Quotient and remainder of polynomials, as far as they are known without the
/// variables' values: lhs = quotient * divisor + rest.
static std::pair<Polynomial, Polynomial> divide(const Polynomial &lhs,
                                                const Polynomial &divisor) {
  std::pair<Polynomial, Polynomial> parts = lhs.divideTerms(divisor);
  // What is left of the constant stays a remainder: 0 <= rest < divisor.
  if (std::optional<int64_t> number = divisor.getNumber()) {
    const int64_t constant = parts.second.takeConstant();
    parts.first.addTerm({}, floorDiv(constant, *number));
    parts.second.addTerm({}, floorMod(constant, *number));
  }
  return parts;
}

/// The quotient, where it is the same for all values.
static std::optional<int64_t> getOnlyQuotient(Dim value, Dim divisor) {
  const int64_t least = value.getMin(), most = value.getMax();
  if (std::optional<int64_t> number = divisor.getStatic()) {
    if (least != saturate(false) && most != saturate(true) &&
        floorDiv(least, *number) == floorDiv(most, *number))
      return floorDiv(least, *number);
  } else if (least >= 0 && (divisor - value).getMin() > 0) {
    return 0;
  }
  return std::nullopt;
}

static Polynomial getNumber(int64_t number) {
  Polynomial constant;
  constant.addTerm({}, number);
  return constant;
}

/// x floordiv divisor, where the divisor is positive.
static Polynomial getQuotient(const Polynomial &x, Dim divisor) {
  MLIRContext *context = divisor.getContext();
  const Polynomial divisorTerms(divisor.getAttr());
  // With remainders as they are, which may be less than the divisor.
  Dim xDim = x.getDim(context);
  auto [shown, shownRest] =
      divide(Polynomial(xDim.getAttr(), /*writeOut=*/false), divisorTerms);
  if (auto only = getOnlyQuotient(shownRest.getDim(context), divisor))
    return Polynomial(shown.getDim(context).getAttr()) + getNumber(*only);
  auto [quotient, rest] = divide(x, divisorTerms);
  Dim restDim = rest.getDim(context);
  if (auto only = getOnlyQuotient(restDim, divisor))
    return quotient + getNumber(*only);
  std::optional<int64_t> number = divisor.getStatic();
  if (number) {
    // (g * a + b) floordiv (g * c) is (a + b floordiv g) floordiv c.
    const int64_t common = std::gcd(rest.getCommonFactor(), *number);
    if (common > 1)
      return quotient + getQuotient(divide(rest, getNumber(common)).first,
                                    Dim(context, *number / common));
    // (a floordiv b) floordiv c is a floordiv (b * c).
    if (auto inner = getExpr(restDim.getAttr(), DimOpKind::floordiv)) {
      std::optional<int64_t> other = Dim(inner.getRhs()).getStatic();
      int64_t product;
      if (other && *other > 0 && !llvm::MulOverflow(*other, *number, product))
        return quotient +
               getQuotient(Polynomial(inner.getLhs()), Dim(context, product));
    }
  }
  return quotient +
         Polynomial(DimExprAttr::get(context, DimOpKind::floordiv,
                                     restDim.getAttr(), divisor.getAttr()));
}

/// The minimum or the maximum. Each is what the other leaves of the sum, so the
/// one is taken in which minima or maxima within the operands disappear.
static Polynomial getExtreme(DimOpKind kind, const Polynomial &lhs,
                             const Polynomial &rhs, MLIRContext *context) {
  const bool isNegated = !lhs.hasMinimum(1) && !rhs.hasMinimum(1) &&
                         (lhs.hasMinimum(-1) || rhs.hasMinimum(-1));
  const int64_t sign = isNegated ? -1 : 1;
  Polynomial extreme =
      Polynomial::getMinimum({lhs.scale(sign), rhs.scale(sign)}, context)
          .scale(sign);
  return (kind == DimOpKind::max) == isNegated ? extreme : lhs + rhs - extreme;
}

/// Whether one is at most the other, as far as bounds tell.
static bool isNeverGreater(Attribute a, Attribute b) {
  // Two variables have nothing in common that cancels.
  if (auto x = dyn_cast<VarAttr>(a))
    if (auto y = dyn_cast<VarAttr>(b))
      return x == y || x.getMax() <= y.getMin();
  return (Dim(b) - Dim(a)).getMin() >= 0;
}

namespace {
/// An operand of a minimum or maximum, and which of the two sides it is from:
/// of one side, which is such a minimum itself, each is needed. Otherwise each
/// step of a long chain would compare all with all.
struct ExtremeOperand {
  Attribute attr;
  unsigned side;
};
constexpr unsigned kNoSide = ~0u;
} // namespace

/// Takes those operands out of a minimum or maximum that another one is never
/// beyond.
static void dropNeedless(DimOpKind kind,
                         SmallVector<ExtremeOperand> &operands) {
  // By side. Those of a long one are compared with the few others alone.
  SmallVector<size_t> places[3];
  auto listOf = [](unsigned side) { return side == kNoSide ? 2 : side; };
  for (auto [i, operand] : llvm::enumerate(operands))
    places[listOf(operand.side)].push_back(i);
  llvm::BitVector isGone(operands.size());
  auto isBeyond = [&](size_t i, size_t other) {
    if (other == i || isGone[other])
      return false;
    const Attribute own = operands[i].attr, it = operands[other].attr;
    return kind == DimOpKind::min ? isNeverGreater(it, own)
                                  : isNeverGreater(own, it);
  };
  for (auto [i, operand] : llvm::enumerate(operands))
    for (unsigned list = 0; list < 3 && !isGone[i]; ++list)
      if (operand.side == kNoSide || listOf(operand.side) != list)
        isGone[i] = llvm::any_of(
            places[list], [&](size_t other) { return isBeyond(i, other); });
  SmallVector<ExtremeOperand> needed;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!isGone[i])
      needed.push_back(operand);
  operands = std::move(needed);
}

/// A minimum or maximum of operands that are not looked into, in their order.
static Dim getOpaqueExtreme(DimOpKind kind, Dim lhs, Dim rhs) {
  MLIRContext *context = lhs.getContext();
  const DimFacts &facts =
      DimFacts::of(lhs.isStatic() ? rhs.getAttr() : lhs.getAttr());
  SmallVector<ExtremeOperand> operands;
  const Attribute sides[] = {lhs.getAttr(), rhs.getAttr()};
  for (unsigned number : {0u, 1u}) {
    const Attribute whole = sides[number];
    // What is no minimum is one operand.
    const unsigned side =
        !getExpr(whole, kind) || facts.isShortExtreme(whole) ? number : kNoSide;
    SmallVector<Attribute> nested{whole};
    while (!nested.empty()) {
      Attribute attr = nested.pop_back_val();
      if (DimExprAttr expr = getExpr(attr, kind))
        nested.append({expr.getRhs(), expr.getLhs()});
      else
        operands.push_back({attr, side});
    }
  }
  while (true) {
    llvm::stable_sort(operands, [](const auto &a, const auto &b) {
      return isBefore(a.attr, b.attr);
    });
    dropNeedless(kind, operands);
    // The first two are read before the others are, and may be less together.
    if (operands.size() < 2 ||
        isOpaque(kind, operands[0].attr, operands[1].attr))
      break;
    Attribute both =
        Dim::get(kind, Dim(operands[0].attr), Dim(operands[1].attr)).getAttr();
    if (both ==
        DimExprAttr::get(context, kind, operands[0].attr, operands[1].attr))
      break;
    operands[0] = {both, kNoSide};
    operands.erase(operands.begin() + 1);
  }
  Attribute result = operands.front().attr;
  for (const ExtremeOperand &operand : ArrayRef(operands).drop_front())
    result = DimExprAttr::get(context, kind, result, operand.attr);
  if (operands.size() > 1)
    facts.addShortExtreme(result);
  return Dim(result);
}

/// A remainder that is not written out.
static Dim getOpaqueRemainder(Dim lhs, Dim rhs) {
  MLIRContext *context = lhs.getContext();
  // Multiples of the divisor do not matter.
  auto [quotient, rest] =
      Polynomial(lhs.getAttr()).divideTerms(Polynomial(rhs.getAttr()));
  if (quotient.getNumber() != 0)
    return Dim::get(DimOpKind::mod, rest.getDim(context), rhs);
  if (lhs.getMin() >= 0 && lhs.getMax() < rhs.getMin())
    return lhs;
  return Dim(
      DimExprAttr::get(context, DimOpKind::mod, lhs.getAttr(), rhs.getAttr()));
}

/// A variable with a single value is that number in every expression.
static Dim getOnlyValue(Dim dim) {
  auto var =
      dyn_cast_or_null<VarAttr>(dim.isStatic() ? Attribute() : dim.getAttr());
  return var && var.getMin() == var.getMax()
             ? Dim(var.getContext(), var.getMin())
             : dim;
}

/// What a sum has before the number at its end, and that number.
static std::pair<Attribute, int64_t> splitNumber(Dim dim) {
  Attribute attr = dim.getAttr();
  if (DimExprAttr sum = getExpr(attr, DimOpKind::add))
    if (std::optional<int64_t> number = Dim(sum.getRhs()).getStatic())
      return {sum.getLhs(), *number};
  return {attr, 0};
}

/// A variable plus numbers: positions and lengths, of which there are new ones
/// in each step.
static std::optional<Dim> addToVariable(Dim lhs, int64_t rhs) {
  auto [base, number] = splitNumber(lhs);
  int64_t sum;
  if (!isa<VarAttr>(base) || llvm::AddOverflow(number, rhs, sum))
    return std::nullopt;
  if (sum == 0)
    return Dim(base);
  MLIRContext *context = lhs.getContext();
  return Dim(DimExprAttr::get(context, DimOpKind::add, base,
                              Dim(context, sum).getAttr()));
}

namespace {
/// A term of a linear sum; the variable is null for a number.
struct LinearTerm {
  VarAttr var;
  int64_t coefficient;
};
} // namespace

/// Takes the last term off a linear sum. What is left is null after the first
/// one.
static LinearTerm takeLastTerm(Attribute &sum) {
  Attribute term = sum;
  if (DimExprAttr expr = getExpr(sum, DimOpKind::add)) {
    term = expr.getRhs();
    sum = expr.getLhs();
  } else {
    sum = {};
  }
  if (DimExprAttr product = getExpr(term, DimOpKind::mul))
    return {cast<VarAttr>(product.getLhs()),
            cast<IntegerAttr>(product.getRhs()).getInt()};
  if (auto number = dyn_cast<IntegerAttr>(term))
    return {nullptr, number.getInt()};
  return {cast<VarAttr>(term), 1};
}

/// The sum of linear sums, which has the terms of both in their order. What
/// comes before the first term of the shorter one stays as it is.
static std::optional<Dim> addLinear(Dim lhs, Dim rhs) {
  MLIRContext *context = lhs.getContext();
  Attribute longer = lhs.getAttr(), shorter = rhs.getAttr();
  const DimSize lhsSize = getDimSize(longer), rhsSize = getDimSize(shorter);
  if (!lhsSize.isLinear || !rhsSize.isLinear)
    return std::nullopt;
  if (lhsSize.parts < rhsSize.parts)
    std::swap(longer, shorter);
  using Term = LinearTerm;
  // From the last one to the first.
  SmallVector<Term> terms;
  bool isNormal = true;
  int64_t constant = 0;
  auto add = [&](const Term &term) {
    isNormal &= !term.var || term.var.getMin() != term.var.getMax();
    if (!term.var)
      isNormal &= !llvm::AddOverflow(constant, term.coefficient, constant);
    else if (terms.empty() || terms.back().var != term.var)
      terms.push_back(term);
    else
      isNormal &= !llvm::AddOverflow(terms.back().coefficient, term.coefficient,
                                     terms.back().coefficient);
    // The same variable comes from the other side next, if at all.
  };
  std::optional<Term> kept;
  while (shorter && isNormal) {
    const Term term = takeLastTerm(shorter);
    while (term.var && (kept || longer)) {
      if (!kept)
        kept = takeLastTerm(longer);
      if (kept->var && isBefore(kept->var, term.var))
        break;
      add(*kept);
      kept.reset();
    }
    add(term);
  }
  if (!isNormal)
    return std::nullopt;
  Attribute sum = longer;
  auto append = [&](Attribute attr) {
    sum = sum ? DimExprAttr::get(context, DimOpKind::add, sum, attr) : attr;
  };
  auto appendTerm = [&](const Term &term) {
    if (!term.var) {
      isNormal &= !llvm::AddOverflow(constant, term.coefficient, constant);
      return;
    }
    if (term.coefficient != 0)
      append(term.coefficient == 1
                 ? Attribute(term.var)
                 : DimExprAttr::get(context, DimOpKind::mul, term.var,
                                    Dim(context, term.coefficient).getAttr()));
  };
  // A number alone was added, and the longer one's is still at its end.
  if (!kept && terms.empty() && longer) {
    Attribute rest = longer;
    kept = takeLastTerm(rest);
    if (kept->var)
      kept.reset();
    else
      sum = rest;
  }
  if (kept)
    appendTerm(*kept);
  for (const Term &term : llvm::reverse(terms))
    appendTerm(term);
  if (!isNormal)
    return std::nullopt;
  if (constant != 0 || !sum)
    append(Dim(context, constant).getAttr());
  return Dim(sum);
}

/// The result for operands of which one at least is symbolic.
static Dim compute(DimOpKind kind, Dim lhs, Dim rhs);
/// The form of a result that is read as itself when it was printed. Minima of
/// sums with minima in them may have another one when they are made of their
/// parts in turn.
static Dim getStable(Dim result);

Dim Dim::get(DimOpKind kind, Dim lhs, Dim rhs) {
  MLIRContext *context = lhs.getContext();
  lhs = getOnlyValue(lhs);
  rhs = getOnlyValue(rhs);
  std::optional<int64_t> a = lhs.getStatic(), b = rhs.getStatic();
  if (a && b)
    return Dim(context, evaluate(kind, *a, *b));
  // The cases that inference asks for most.
  switch (kind) {
  case DimOpKind::add:
    if (a == 0 || b == 0)
      return a == 0 ? rhs : lhs;
    if (a || b)
      if (std::optional<Dim> sum = addToVariable(a ? rhs : lhs, a ? *a : *b))
        return *sum;
    break;
  case DimOpKind::mul:
    if (a == 1 || b == 1)
      return a == 1 ? rhs : lhs;
    break;
  case DimOpKind::min:
  case DimOpKind::max:
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
  const DimFacts &facts = DimFacts::of(lhs.attr ? lhs.attr : rhs.attr);
  const DimFacts::Operation operation = {
      unsigned(kind), lhs.attr.getAsOpaquePointer(), lhs.number,
      rhs.attr.getAsOpaquePointer(), rhs.number};
  if (std::optional<Dim> known = facts.findResult(operation))
    return *known;
  if (kind == DimOpKind::add)
    if (std::optional<Dim> sum = addLinear(lhs, rhs)) {
      facts.addResult(operation, *sum);
      return *sum;
    }
  Dim result = compute(kind, lhs, rhs);
  // Known before it is made again: that may ask for it.
  facts.addResult(operation, result);
  const Dim stable = getStable(result);
  if (stable != result)
    facts.addResult(operation, stable);
  return stable;
}

/// The expression made of its parts, one after the other: what its text is read
/// as.
static Dim makeAgain(Dim dim) {
  auto expr = dyn_cast<DimExprAttr>(dim.getAttr());
  if (!expr || expr.getSize().isLinear)
    return dim;
  return Dim::get(expr.getKind(), makeAgain(Dim(expr.getLhs())),
                  makeAgain(Dim(expr.getRhs())));
}

static Dim getStable(Dim result) {
  // Each is what the one before it is read as.
  SmallVector<Dim, 2> forms{result};
  while (forms.size() <= kMaxForms) {
    auto expr = dyn_cast<DimExprAttr>(forms.back().getAttr());
    if (!expr || expr.getSize().isLinear || getLength(expr) > kMaxToMakeAgain ||
        (!hasOperator(expr, DimOpKind::min) &&
         !hasOperator(expr, DimOpKind::max)))
      return forms.back();
    const Dim next = compute(expr.getKind(), makeAgain(Dim(expr.getLhs())),
                             makeAgain(Dim(expr.getRhs())));
    auto *first = llvm::find(forms, next);
    // Of a circle of forms, the same one wherever it is entered.
    if (first != forms.end())
      return *std::min_element(first, forms.end(), [](Dim a, Dim b) {
        return isBefore(a.getAttr(), b.getAttr());
      });
    forms.push_back(next);
  }
  return forms.back();
}

static Dim compute(DimOpKind kind, Dim lhs, Dim rhs) {
  MLIRContext *context = lhs.getContext();
  if (lhs.isStatic() && rhs.isStatic())
    return Dim(context, evaluate(kind, *lhs.getStatic(), *rhs.getStatic()));
  const bool isSelection = kind == DimOpKind::min || kind == DimOpKind::max;
  if ((isSelection || kind == DimOpKind::mod) &&
      isOpaque(kind, lhs.getAttr(), rhs.getAttr()))
    return isSelection ? getOpaqueExtreme(kind, lhs, rhs)
                       : getOpaqueRemainder(lhs, rhs);
  Polynomial x(lhs.getAttr()), y(rhs.getAttr());
  switch (kind) {
  case DimOpKind::add:
    return (x + y).getDim(context);
  case DimOpKind::mul:
    return (x * y).getDim(context);
  case DimOpKind::min:
  case DimOpKind::max:
    return getExtreme(kind, x, y, context).getDim(context);
  case DimOpKind::floordiv:
  case DimOpKind::mod:
    break;
  }
  // x floordiv -c is -x floordiv c, and x mod -c is -(-x mod c).
  Dim divisor = y.getDim(context);
  bool isNegated = false;
  if (divisor.getMax() < 0 && divisor.getMin() != saturate(false)) {
    Dim negative = y.scale(-1).getDim(context);
    // Bounds of the one may be closer than those of the other.
    isNegated = negative.getMin() > 0;
    if (isNegated) {
      x = x.scale(-1);
      divisor = negative;
    }
  }
  if (divisor.getMin() <= 0)
    return Dim(DimExprAttr::get(context, kind, x.getDim(context).getAttr(),
                                divisor.getAttr()));
  // The multiple of the divisor below the least number does not fit.
  if (std::optional<int64_t> number = divisor.getStatic();
      kind == DimOpKind::mod && number &&
      x.getConstant() < saturate(false) + *number)
    return Dim(DimExprAttr::get(
        context, kind, Polynomial(lhs.getAttr()).getDim(context).getAttr(),
        y.getDim(context).getAttr()));
  Polynomial quotient = getQuotient(x, divisor);
  if (kind == DimOpKind::floordiv)
    return quotient.getDim(context);
  Polynomial remainder = x - quotient * Polynomial(divisor.getAttr());
  return remainder.scale(isNegated ? -1 : 1).getDim(context);
}

std::optional<Dim> Dim::divideExactly(Dim divisor) const {
  if (*this == divisor)
    return Dim(getContext(), 1);
  auto [quotient, rest] =
      Polynomial(getAttr()).divideTerms(Polynomial(divisor.getAttr()));
  if (rest.getNumber() != 0)
    return std::nullopt;
  return quotient.getDim(getContext());
}

/// What is used twice is looked at once.
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
    const Dim lhs(expr.getLhs()), rhs(expr.getRhs());
    const Dim newLhs = substituteIn(lhs, getValue, known),
              newRhs = substituteIn(rhs, getValue, known);
    if (newLhs != lhs || newRhs != rhs)
      result = Dim::get(expr.getKind(), newLhs, newRhs);
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
      work.append({expr.getRhs(), expr.getLhs()});
  }
}

Dim Dim::operator+(Dim other) const {
  return get(DimOpKind::add, *this, other);
}
Dim Dim::operator*(Dim other) const {
  return get(DimOpKind::mul, *this, other);
}
Dim Dim::operator-(Dim other) const {
  if (!isStatic() && !other.isStatic()) {
    auto [base, number] = splitNumber(*this);
    auto [otherBase, otherNumber] = splitNumber(other);
    int64_t difference;
    if (base == otherBase &&
        !llvm::SubOverflow(number, otherNumber, difference))
      return Dim(getContext(), difference);
  }
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
    static const char *const symbols[] = {"+",   "*",   "floordiv",
                                          "mod", "min", "max"};
    os << '(';
    print(os, expr.getLhs(), getValue);
    os << ' ' << symbols[static_cast<unsigned>(expr.getKind())] << ' ';
    print(os, expr.getRhs(), getValue);
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
  std::vector<Polynomial> factors;
  for (Dim dim : symbolic)
    factors.emplace_back(dim.getAttr());
  return Polynomial::getProduct(factors).scale(number).getDim(context);
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
