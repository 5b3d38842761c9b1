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
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

unsigned IndexBuilder::getOrdinal(Value atom) {
  return ordinals.try_emplace(atom, ordinals.size()).first->second;
}

Value IndexBuilder::constant(int64_t value) {
  LinearForm form;
  form.constant = value;
  return get(form);
}

LinearForm IndexBuilder::recombine(LinearForm form) {
  for (size_t i = 0; i < form.terms.size(); ++i) {
    auto [atom, coefficient] = form.terms[i];
    auto mod = atom.getDefiningOp<FloorModOp>();
    APInt divisor;
    if (!mod || !matchPattern(mod.getRhs(), m_ConstantInt(&divisor)))
      continue;
    int64_t c = divisor.getSExtValue();
    for (auto [other, otherCoefficient] : form.terms) {
      auto div = other.getDefiningOp<FloorDivOp>();
      int64_t product;
      if (!div || div.getLhs() != mod.getLhs() ||
          div.getRhs() != mod.getRhs() ||
          llvm::MulOverflow(coefficient, c, product) ||
          otherCoefficient != product)
        continue;
      llvm::erase_if(form.terms, [atom = atom, other = other](auto &term) {
        return term.first == atom || term.first == other;
      });
      form.add(analysis.getLinear(mod.getLhs()), coefficient);
      return recombine(std::move(form));
    }
  }
  return form;
}

Value IndexBuilder::get(const LinearForm &unordered) {
  LinearForm form = recombine(unordered);
  if (form.constant == 0 && form.terms.size() == 1 && form.terms[0].second == 1)
    return form.terms[0].first;
  SmallVector<std::pair<unsigned, int64_t>> key;
  for (auto [atom, coefficient] : form.terms)
    key.emplace_back(getOrdinal(atom), coefficient);
  llvm::sort(form.terms, [&](auto &a, auto &b) {
    return getOrdinal(a.first) < getOrdinal(b.first);
  });
  llvm::sort(key);
  Value &result = sums[{form.constant, key}];
  if (result)
    return result;
  auto makeConstant = [&](int64_t value) -> Value {
    if (form.terms.empty())
      return ConstOp::create(builder, loc, builder.getIndexType(), value);
    return constant(value);
  };
  Value sum;
  for (auto [atom, coefficient] : form.terms) {
    Value term = atom;
    if (coefficient != 1)
      term = create(Binary::mul, atom, coefficient);
    sum = sum ? AddOp::create(builder, loc, sum, term).getResult() : term;
  }
  if (!sum)
    sum = makeConstant(form.constant);
  else if (form.constant != 0)
    sum = AddOp::create(builder, loc, sum, makeConstant(form.constant));
  // The map may have grown meanwhile, but its references stay valid.
  return result = sum;
}

Value IndexBuilder::create(Binary kind, Value lhs, int64_t rhs) {
  Value &result = binaries[{kind, lhs.getAsOpaquePointer(), rhs}];
  if (result)
    return result;
  Value number = constant(rhs);
  switch (kind) {
  case Binary::mul:
    return result = MulOp::create(builder, loc, lhs, number);
  case Binary::floordiv:
    return result = FloorDivOp::create(builder, loc, lhs, number);
  case Binary::floormod:
    return result = FloorModOp::create(builder, loc, lhs, number);
  case Binary::lessThan:
    return result = CmpLtOp::create(builder, loc, lhs, number);
  case Binary::atLeast:
    return result = CmpLtOp::create(builder, loc, constant(rhs - 1), lhs);
  }
  llvm_unreachable("unknown kind");
}

Value IndexBuilder::add(Value lhs, Value rhs) {
  LinearForm form = analysis.getLinear(lhs);
  form.add(analysis.getLinear(rhs));
  return get(form);
}

Value IndexBuilder::add(Value lhs, int64_t rhs) {
  LinearForm form = analysis.getLinear(lhs);
  form.addConstant(rhs);
  return get(form);
}

Value IndexBuilder::mul(Value lhs, int64_t factor) {
  LinearForm form;
  form.add(analysis.getLinear(lhs), factor);
  if (factor == 0)
    form.terms.clear();
  return get(form);
}

/// The greatest common divisor of the coefficients and `c`.
static int64_t getGcd(const LinearForm &form, int64_t c) {
  // Of `c` and a coefficient's remainder, which has an absolute value.
  for (auto [atom, coefficient] : form.terms)
    c = std::gcd(c, coefficient % c);
  return c;
}

Value IndexBuilder::floorDiv(Value lhs, int64_t c) {
  if (c == 1)
    return lhs;
  // x / c = q + rest / c, where q collects what c divides.
  LinearForm form = analysis.getLinear(lhs), quotient, rest;
  quotient.constant = llvm::divideFloorSigned(form.constant, c);
  rest.constant = llvm::mod(form.constant, c);
  for (auto [atom, coefficient] : form.terms) {
    if (coefficient % c == 0)
      quotient.addTerm(atom, coefficient / c);
    else
      rest.addTerm(atom, coefficient);
  }
  Interval bounds = analysis.getInterval(rest);
  if (std::optional<int64_t> number = bounds.floorDiv(c).getSingle()) {
    quotient.addConstant(*number);
    return get(quotient);
  }
  // (g * x + k) / (g * d) = (x + k / g) / d
  if (int64_t g = getGcd(rest, c); g > 1) {
    LinearForm reduced;
    reduced.constant = llvm::divideFloorSigned(rest.constant, g);
    for (auto [atom, coefficient] : rest.terms)
      reduced.addTerm(atom, coefficient / g);
    quotient.add(analysis.getLinear(floorDiv(get(reduced), c / g)));
    return get(quotient);
  }
  Value operand = get(rest);
  // (x / d) / c = x / (d * c)
  if (auto div = operand.getDefiningOp<FloorDivOp>()) {
    APInt divisor;
    int64_t product;
    if (matchPattern(div.getRhs(), m_ConstantInt(&divisor)) &&
        divisor.isStrictlyPositive() &&
        !llvm::MulOverflow(divisor.getSExtValue(), c, product)) {
      quotient.add(analysis.getLinear(floorDiv(div.getLhs(), product)));
      return get(quotient);
    }
  }
  quotient.addTerm(create(Binary::floordiv, operand, c), 1);
  return get(quotient);
}

Value IndexBuilder::floorMod(Value lhs, int64_t c) {
  if (c == 1)
    return constant(0);
  LinearForm form = analysis.getLinear(lhs), rest;
  rest.constant = llvm::mod(form.constant, c);
  // Terms that c divides vanish; small negative coefficients stay small.
  for (auto [atom, coefficient] : form.terms) {
    int64_t reduced = coefficient % c;
    if (reduced != 0)
      rest.addTerm(atom, reduced);
  }
  Interval bounds = analysis.getInterval(rest);
  std::optional<int64_t> number = bounds.floorDiv(c).getSingle();
  if (number && bounds.isModest()) { // the product does not overflow
    rest.addConstant(-(*number * c));
    return get(rest);
  }
  // (g * x + k) mod (g * d) = g * ((x + k / g) mod d) + k mod g
  if (int64_t g = getGcd(rest, c); g > 1) {
    LinearForm reduced;
    reduced.constant = llvm::divideFloorSigned(rest.constant, g);
    for (auto [atom, coefficient] : rest.terms)
      reduced.addTerm(atom, coefficient / g);
    Value inner = floorMod(get(reduced), c / g);
    return add(mul(inner, g), llvm::mod(rest.constant, g));
  }
  Value operand = get(rest);
  // (x mod (c * d)) mod c = x mod c
  if (auto mod = operand.getDefiningOp<FloorModOp>()) {
    APInt divisor;
    if (matchPattern(mod.getRhs(), m_ConstantInt(&divisor)) &&
        divisor.isStrictlyPositive() && divisor.getSExtValue() % c == 0)
      return floorMod(mod.getLhs(), c);
  }
  return create(Binary::floormod, operand, c);
}

Value IndexBuilder::atLeast(Value index, int64_t bound) {
  if (analysis.getInterval(index).lo >= bound)
    return nullptr;
  return create(Binary::atLeast, index, bound);
}

Value IndexBuilder::lessThan(Value index, int64_t bound) {
  if (analysis.getInterval(index).hi < bound)
    return nullptr;
  return create(Binary::lessThan, index, bound);
}

Value IndexBuilder::conjunction(Value lhs, Value rhs) {
  if (!lhs || !rhs || lhs == rhs)
    return lhs ? lhs : rhs;
  Value &result = conjunctions[{lhs, rhs}];
  if (!result)
    result = AndOp::create(builder, loc, lhs, rhs);
  return result;
}
