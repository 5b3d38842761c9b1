//===- SymbolicIndex.cpp - index arithmetic with dimensions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of the index builder that takes dimensions instead of numbers.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The value of a product by a dimension: what is multiplied, and by what.
static std::optional<std::pair<Value, Dim>> getProduct(Value atom) {
  auto mul = atom.getDefiningOp<MulOp>();
  if (!mul)
    return std::nullopt;
  IndexAnalysis analysis;
  for (auto [x, factor] : {std::pair(mul.getLhs(), mul.getRhs()),
                           std::pair(mul.getRhs(), mul.getLhs())}) {
    const LinearForm form = analysis.getLinear(factor);
    Dim dim(factor.getContext(), form.constant);
    bool isDim = true;
    for (auto [term, coefficient] : form.terms) {
      auto value = term.getDefiningOp<DimOp>();
      isDim &= value != nullptr;
      if (value)
        dim = dim + Dim(value.getDim()) * Dim(dim.getContext(), coefficient);
    }
    if (isDim)
      return std::make_pair(x, dim);
  }
  return std::nullopt;
}

/// Whether both ends of a dimension are known; dimensions saturate beyond.
static bool isKnown(Dim dim) {
  return Interval(dim.getMin(), dim.getMax()).isModest();
}

/// Ends as expressions, in which terms may cancel; none if any part of the sum
/// may wrap around.
std::optional<std::pair<Dim, Dim>>
IndexAnalysis::getSymbolicEnds(const LinearForm &form, MLIRContext *context) {
  auto number = [&](int64_t value) { return Dim(context, value); };
  Dim least = number(form.constant), greatest = least;
  for (auto [atom, coefficient] : form.terms) {
    Dim first, last;
    auto range = atom.getDefiningOp<RangeOp>();
    auto product = getProduct(atom);
    if (auto dim = atom.getDefiningOp<DimOp>()) {
      first = last = Dim(dim.getDim());
    } else if (range && !narrowed.contains(atom)) {
      first = number(0);
      last = Dim(range.getExtent()) - number(1);
    } else if (product && product->second.getMin() >= 0) {
      const LinearForm inner = getLinear(product->first);
      auto ends = getSymbolicEnds(inner, context);
      if (!ends)
        return std::nullopt;
      first = ends->first * product->second;
      last = ends->second * product->second;
    } else {
      Interval interval = getAtomInterval(atom);
      if (!interval.isModest())
        return std::nullopt;
      first = number(interval.getMin());
      last = number(interval.getMax());
    }
    if (coefficient < 0)
      std::swap(first, last);
    first = first * number(coefficient);
    last = last * number(coefficient);
    least = least + first;
    greatest = greatest + last;
    for (Dim end : {first, last, least, greatest})
      if (!isKnown(end))
        return std::nullopt;
  }
  return std::make_pair(least, greatest);
}

Interval IndexAnalysis::getSymbolicInterval(const LinearForm &form) {
  auto ends = getSymbolicEnds(form, form.terms.front().first.getContext());
  if (!ends)
    return {};
  return {ends->first.getMin(), ends->second.getMax()};
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

LinearForm IndexBuilder::getLinear(Dim dim) {
  LinearForm form;
  SmallVector<Attribute> sums{dim.getAttr()};
  while (!sums.empty()) {
    Attribute attr = sums.pop_back_val();
    if (std::optional<int64_t> number = Dim(attr).getStatic()) {
      form.constant += *number;
      continue;
    }
    auto expr = dyn_cast<DimExprAttr>(attr);
    if (expr && expr.getKind() == DimOpKind::add) {
      sums.push_back(expr.getRhs());
      sums.push_back(expr.getLhs());
      continue;
    }
    int64_t coefficient = 1;
    if (expr && expr.getKind() == DimOpKind::mul)
      if (std::optional<int64_t> number = Dim(expr.getRhs()).getStatic()) {
        coefficient = *number;
        attr = expr.getLhs();
      }
    Value &value = dims[attr];
    if (!value)
      value = DimOp::create(builder, loc, builder.getIndexType(), attr);
    form.addTerm(value, coefficient);
  }
  return form;
}

Value IndexBuilder::create(Binary kind, Value lhs, Value rhs) {
  Value &result = symbolicBinaries[{kind, lhs.getAsOpaquePointer(),
                                    rhs.getAsOpaquePointer()}];
  if (result)
    return result;
  switch (kind) {
  case Binary::mul:
    return result = MulOp::create(builder, loc, lhs, rhs);
  case Binary::floordiv:
    return result = FloorDivOp::create(builder, loc, lhs, rhs);
  case Binary::floormod:
    return result = FloorModOp::create(builder, loc, lhs, rhs);
  case Binary::lessThan:
    return result = CmpLtOp::create(builder, loc, lhs, rhs);
  case Binary::atLeast:
    break;
  }
  llvm_unreachable("only numbers are compared so");
}

Value IndexBuilder::dim(Dim value) { return get(getLinear(value)); }

Value IndexBuilder::add(Value lhs, Dim rhs) {
  LinearForm form = analysis.getLinear(lhs);
  form.add(getLinear(rhs));
  return get(form);
}

Value IndexBuilder::mul(Value lhs, Dim factor) {
  if (std::optional<int64_t> number = factor.getStatic())
    return mul(lhs, *number);
  LinearForm form = analysis.getLinear(lhs);
  if (form.isConstant())
    return dim(factor * Dim(factor.getContext(), form.constant));
  return create(Binary::mul, lhs, dim(factor));
}

/// Whether the index is certainly in [0, divisor).
static bool isWithin(IndexAnalysis &analysis, LinearForm index,
                     const LinearForm &divisor) {
  if (analysis.getInterval(index).lo < 0)
    return false;
  index.add(divisor, -1);
  return analysis.getInterval(index).hi < 0;
}

/// The index as quotient * divisor + rest, with all terms in the quotient that
/// are multiples of the divisor. That is no 0: what is divided by are sizes,
/// and where one is 0 there is no index.
std::pair<LinearForm, LinearForm> IndexBuilder::divide(Value index,
                                                       Dim divisor) {
  LinearForm quotient, rest;
  const LinearForm form = analysis.getLinear(index);
  rest.constant = form.constant;
  for (auto [atom, coefficient] : form.terms) {
    Dim factor(getContext(), coefficient);
    auto product = getProduct(atom);
    auto dim = atom.getDefiningOp<DimOp>();
    if (product)
      factor = factor * product->second;
    else if (dim)
      factor = factor * Dim(dim.getDim());
    std::optional<Dim> times = factor.divideExactly(divisor);
    if ((!product && !dim) || !times) {
      rest.addTerm(atom, coefficient);
    } else if (dim) {
      quotient.add(getLinear(*times));
    } else {
      quotient.add(analysis.getLinear(mul(product->first, *times)));
    }
  }
  return {quotient, rest};
}

Value IndexBuilder::floorDiv(Value lhs, Dim divisor) {
  if (std::optional<int64_t> number = divisor.getStatic())
    return floorDiv(lhs, *number);
  auto [quotient, rest] = divide(lhs, divisor);
  if (!isWithin(analysis, rest, getLinear(divisor)))
    quotient.addTerm(create(Binary::floordiv, get(rest), dim(divisor)), 1);
  return get(quotient);
}

Value IndexBuilder::floorMod(Value lhs, Dim divisor) {
  if (std::optional<int64_t> number = divisor.getStatic())
    return floorMod(lhs, *number);
  auto [quotient, rest] = divide(lhs, divisor);
  if (isWithin(analysis, rest, getLinear(divisor)))
    return get(rest);
  return create(Binary::floormod, get(rest), dim(divisor));
}

Value IndexBuilder::atLeast(Value index, Dim bound) {
  if (std::optional<int64_t> number = bound.getStatic())
    return atLeast(index, *number);
  LinearForm difference = analysis.getLinear(index), limit = getLinear(bound);
  difference.add(limit, -1);
  if (analysis.getInterval(difference).lo >= 0)
    return nullptr;
  limit.constant -= 1;
  return create(Binary::lessThan, get(limit), index);
}

Value IndexBuilder::lessThan(Value index, Dim bound) {
  if (std::optional<int64_t> number = bound.getStatic())
    return lessThan(index, *number);
  LinearForm difference = analysis.getLinear(index);
  difference.add(getLinear(bound), -1);
  if (analysis.getInterval(difference).hi < 0)
    return nullptr;
  return create(Binary::lessThan, index, dim(bound));
}
