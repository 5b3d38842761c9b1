//===- SumBuilder.cpp - sums of index values as operations ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds sums, as operations or as the measure of these.
///
//===----------------------------------------------------------------------===//

#include "SumBuilder.h"

using namespace mlir;
using namespace mlir::tg;

namespace {
/// Makes operations.
struct OperationEmitter {
  using Result = Value;
  IndexRewriter &rewriter;
  Location loc;

  Value atom(Value value) { return value; }
  Value dim(Dim dim) {
    Type type = rewriter.getIndexType();
    if (std::optional<int64_t> number = dim.getStatic())
      return ConstOp::create(rewriter, loc, type, *number);
    return DimOp::create(rewriter, loc, type, dim.getAttr());
  }
  template <typename OpT, typename... Values> Value make(Values... operands) {
    return OpT::create(rewriter, loc, operands...);
  }
};

/// Adds up what the operations would measure.
struct MeasureEmitter {
  using Result = uint64_t;
  IndexRewriter &rewriter;

  uint64_t atom(Value value) { return rewriter.measure.get(value); }
  uint64_t dim(Dim dim) {
    if (std::optional<int64_t> number = dim.getStatic())
      return IndexMeasure::ofConstant(*number);
    return IndexMeasure::ofDim(dim);
  }
  template <typename OpT, typename... Measures>
  uint64_t make(Measures... operands) {
    return IndexMeasure::ofOperation(
        OperationName(OpT::getOperationName(), rewriter.getContext()),
        {operands...});
  }
};

/// What a sum is made of: a value to add, or to subtract.
template <typename Result> struct Part {
  Result value;
  bool negative;
};
} // namespace

using Terms = SmallVector<std::pair<Value, Dim>, 4>;

/// Sums of more terms are not searched for common factors of different size.
static constexpr size_t kMaxFactored = 32;

static bool isNegative(Dim dim) { return dim.getMax() < 0; }

static Dim getMagnitude(Dim dim) {
  return isNegative(dim) ? dim * Dim(dim.getContext(), -1) : dim;
}

/// Which of the factors to take out: the least that is not 1, so that it
/// divides as many others as possible.
static Dim chooseFactor(ArrayRef<std::pair<Value, Dim>> terms) {
  Dim least;
  for (auto [atom, coefficient] : terms) {
    Dim factor = getMagnitude(coefficient);
    if (!least.getAttr() || factor.getMax() < least.getMax())
      least = factor;
  }
  return least;
}

template <typename Builder>
static Part<typename Builder::Result> emitParts(Builder &builder, Terms terms);

/// The terms as sums of what they have in common: (i*5 + j)*8 for i*40 + j*8.
template <typename Builder>
static SmallVector<Part<typename Builder::Result>, 4>
getParts(Builder &builder, ArrayRef<std::pair<Value, Dim>> terms) {
  SmallVector<Part<typename Builder::Result>, 4> parts;
  Terms scaled;
  for (auto [atom, coefficient] : terms) {
    if (getMagnitude(coefficient).is(1))
      parts.push_back({builder.atom(atom), isNegative(coefficient)});
    else
      scaled.emplace_back(atom, coefficient);
  }
  bool isLarge = scaled.size() > kMaxFactored;
  if (isLarge) // equal factors side by side
    llvm::stable_sort(scaled, [](const auto &a, const auto &b) {
      return getMagnitude(a.second).getMax() < getMagnitude(b.second).getMax();
    });
  while (!scaled.empty()) {
    Dim factor =
        isLarge ? getMagnitude(scaled[0].second) : chooseFactor(scaled);
    Terms divided, others;
    for (auto [i, term] : llvm::enumerate(scaled)) {
      if (isLarge && getMagnitude(term.second) != factor) {
        others.append(scaled.begin() + i, scaled.end());
        break;
      }
      if (term.second == factor) // of any sign, with variables
        divided.emplace_back(term.first, Dim(factor.getContext(), 1));
      else if (std::optional<Dim> quotient = divideExactly(term.second, factor))
        divided.emplace_back(term.first, *quotient);
      else
        others.push_back(term);
    }
    auto [sum, negative] = emitParts(builder, std::move(divided));
    parts.push_back(
        {builder.template make<MulOp>(sum, builder.dim(factor)), negative});
    scaled = std::move(others);
  }
  llvm::stable_sort(parts, [](const auto &a, const auto &b) {
    return !a.negative && b.negative;
  });
  return parts;
}

/// The sum of some terms, to be subtracted if all of them are.
template <typename Builder>
static Part<typename Builder::Result> emitParts(Builder &builder, Terms terms) {
  auto parts = getParts(builder, terms);
  auto sum = parts[0];
  for (auto part : ArrayRef(parts).drop_front())
    sum.value = part.negative != sum.negative
                    ? builder.template make<SubOp>(sum.value, part.value)
                    : builder.template make<AddOp>(sum.value, part.value);
  return sum;
}

template <typename Builder>
static typename Builder::Result emitSum(Builder builder,
                                        const LinearForm &form) {
  if (form.isDim())
    return builder.dim(form.constant);
  auto [sum, negative] = emitParts(builder, Terms(form.terms));
  if (negative && !form.constant.is(0))
    return builder.template make<SubOp>(builder.dim(form.constant), sum);
  if (negative)
    return builder.template make<NegOp>(sum);
  if (!form.constant.is(0))
    return builder.template make<AddOp>(sum, builder.dim(form.constant));
  return sum;
}

Value mlir::tg::buildSum(IndexRewriter &rewriter, Location loc,
                         const LinearForm &form) {
  return emitSum(OperationEmitter{rewriter, loc}, form);
}

uint64_t mlir::tg::measureSum(IndexRewriter &rewriter, const LinearForm &form) {
  return emitSum(MeasureEmitter{rewriter}, form);
}

SumComparison::SumComparison(OperationName name, const LinearForm &difference)
    : lhs(difference.getContext(), 0), rhs(difference.getContext(), 0) {
  // 0 < positive - negative + constant
  for (auto [atom, coefficient] : difference.terms) {
    if (isNegative(coefficient))
      lhs.terms.emplace_back(atom,
                             coefficient * Dim(difference.getContext(), -1));
    else
      rhs.terms.emplace_back(atom, coefficient);
  }
  Dim constant = difference.constant;
  bool goesLeft = rhs.isDim() ? false : lhs.isDim() || isNegative(constant);
  if (goesLeft)
    lhs.constant = constant * Dim(difference.getContext(), -1);
  else
    rhs.constant = constant;
  // Numbers are the second operand of what is commutative.
  if (name.getStringRef() != CmpLtOp::getOperationName() && lhs.isDim())
    std::swap(lhs, rhs);
}

Value SumComparison::build(IndexRewriter &rewriter, Location loc,
                           OperationName name) const {
  Value x = buildSum(rewriter, loc, lhs), y = buildSum(rewriter, loc, rhs);
  OperationState state(loc, name, {x, y}, rewriter.getI1Type());
  return rewriter.create(state)->getResult(0);
}

uint64_t SumComparison::measure(IndexRewriter &rewriter,
                                OperationName name) const {
  return IndexMeasure::ofOperation(
      name, {measureSum(rewriter, lhs), measureSum(rewriter, rhs)});
}
