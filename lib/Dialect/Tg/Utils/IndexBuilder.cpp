//===- IndexBuilder.cpp - index arithmetic in simplified form -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Creates sums, quotients and remainders of index values.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include <tuple>

using namespace mlir;
using namespace mlir::tg;

unsigned IndexBuilder::getOrdinal(Value atom) {
  return ordinals.try_emplace(atom, ordinals.size()).first->second;
}

IndexBuilder::DimKey IndexBuilder::getKey(Dim dim) {
  if (std::optional<int64_t> number = dim.getStatic())
    return {nullptr, *number};
  return {dim.getAttr().getAsOpaquePointer(), 0};
}

template <typename OpT> Value IndexBuilder::create(Value lhs, Value rhs) {
  Value &result = operations[{TypeID::get<OpT>(), lhs, rhs}];
  if (!result)
    result = OpT::create(builder, loc, lhs, rhs);
  return result;
}

Value IndexBuilder::get(const LinearForm &unordered) {
  LinearForm form = unordered;
  while (std::optional<LinearForm> joined = recombine(analysis, form))
    form = *joined;
  if (Value atom = form.getAtom())
    return atom;
  SmallVector<std::pair<unsigned, DimKey>> key;
  for (auto [atom, coefficient] : form.terms)
    key.emplace_back(getOrdinal(atom), getKey(coefficient));
  llvm::sort(form.terms, [&](auto &a, auto &b) {
    return getOrdinal(a.first) < getOrdinal(b.first);
  });
  llvm::sort(key);
  Value &result = sums[{getKey(form.constant), key}];
  if (result)
    return result;
  Value sum;
  for (auto [atom, coefficient] : form.terms) {
    Value term = atom;
    if (!coefficient.is(1))
      term = create<MulOp>(atom, dim(coefficient));
    sum = sum ? AddOp::create(builder, loc, sum, term).getResult() : term;
  }
  Type type = builder.getIndexType();
  std::optional<int64_t> number = form.constant.getStatic();
  if (sum && number != 0)
    sum = AddOp::create(builder, loc, sum, dim(form.constant));
  else if (!sum && number)
    sum = ConstOp::create(builder, loc, type, *number);
  else if (!sum)
    sum = DimOp::create(builder, loc, type, form.constant.getAttr());
  // The map may have grown meanwhile, but its references stay valid.
  return result = sum;
}

Value IndexBuilder::sum(Dim constant, ArrayRef<std::pair<Value, Dim>> terms) {
  LinearForm form(constant);
  for (auto [value, factor] : terms)
    form.add(analysis.getLinear(value), factor);
  if (!form.saturated)
    return get(form);
  // Some factor may be too large to be taken into the sums that it is of.
  Value sum = dim(constant);
  for (auto [value, factor] : terms)
    sum = AddOp::create(builder, loc, sum, create<MulOp>(value, dim(factor)));
  return sum;
}

Value IndexBuilder::floorDiv(Value lhs, Dim c) {
  if (c.is(1))
    return lhs;
  // x / c = q + rest / c, where q collects what c divides.
  auto [quotient, rest] = splitTerms(analysis.getLinear(lhs), c);
  std::tie(quotient.constant, rest.constant) = divideTerms(rest.constant, c);
  if (std::optional<int64_t> only = analysis.getOnlyQuotient(rest, c)) {
    quotient.addConstant(*only);
    return get(quotient);
  }
  if (std::optional<SmallRest> small = findSmallRest(analysis, rest, c)) {
    Value divided = floorDiv(get(small->large), small->quotientOfC);
    quotient.add(analysis.getLinear(divided));
    return get(quotient);
  }
  Value operand = get(rest);
  // (x / d) / c = x / (d * c)
  if (auto div = operand.getDefiningOp<FloorDivOp>())
    if (std::optional<Dim> d = analysis.getDim(div.getRhs());
        d && d->getMin() > 0 && isModest(*d * c)) {
      quotient.add(analysis.getLinear(floorDiv(div.getLhs(), *d * c)));
      return get(quotient);
    }
  quotient.addTerm(create<FloorDivOp>(operand, dim(c)), 1);
  return get(quotient);
}

Value IndexBuilder::floorMod(Value lhs, Dim c) {
  if (c.is(1))
    return constant(0);
  // Terms that c divides vanish; small negative coefficients stay small.
  LinearForm rest = reduceTerms(analysis.getLinear(lhs), c);
  rest.constant = divideTerms(analysis.getLinear(lhs).constant, c).second;
  if (std::optional<int64_t> only = analysis.getOnlyQuotient(rest, c)) {
    // Both within the bounds, so that no product overflows.
    rest.addConstant(c * number(-*only));
    return get(rest);
  }
  if (std::optional<SmallRest> small = findSmallRest(analysis, rest, c)) {
    Value left = floorMod(get(small->large), small->quotientOfC);
    return add(mul(left, small->divisor), get(small->rest));
  }
  Value operand = get(rest);
  // (x mod (c * d)) mod c = x mod c
  if (auto mod = operand.getDefiningOp<FloorModOp>())
    if (std::optional<Dim> d = analysis.getDim(mod.getRhs());
        d && d->getMin() > 0 && divideExactly(*d, c))
      return floorMod(mod.getLhs(), c);
  return create<FloorModOp>(operand, dim(c));
}

Value IndexBuilder::atLeast(Value index, Dim bound) {
  const LinearForm form = analysis.getLinear(index);
  if (analysis.isExact(form) && analysis.isAtLeast(form, bound))
    return {};
  return create<CmpLtOp>(dim(bound - number(1)), index);
}

Value IndexBuilder::lessThan(Value index, Dim bound) {
  const LinearForm form = analysis.getLinear(index);
  if (analysis.isExact(form) && analysis.isAtMost(form, bound - number(1)))
    return {};
  return create<CmpLtOp>(index, dim(bound));
}

Value IndexBuilder::conjunction(Value lhs, Value rhs) {
  if (!lhs || !rhs || lhs == rhs)
    return lhs ? lhs : rhs;
  return create<AndOp>(lhs, rhs);
}
