//===- SumBuilder.cpp - sums of index values as operations ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes sums, as operations or as the measure of these.
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

/// Terms with factors that differ in their sign alone.
struct Group {
  Dim factor; // positive, where its sign is known
  SmallVector<std::pair<Value, bool>, 2> atoms; // with: is it subtracted?
};
} // namespace

static bool isNegative(Dim dim) { return dim.getMax() < 0; }

static SmallVector<Group> getGroups(const IndexForm &form) {
  Dim minusOne(form.getContext(), -1);
  SmallVector<Group> groups;
  DenseMap<Attribute, size_t> positions;
  for (auto [atom, coefficient] : form.terms) {
    bool negative = isNegative(coefficient);
    Dim factor = negative ? coefficient * minusOne : coefficient;
    // Plain terms are groups of their own, so that they stay in their order.
    size_t position = groups.size();
    if (!factor.is(1))
      position = positions.try_emplace(factor.getAttr(), position).first->second;
    if (position == groups.size())
      groups.push_back({factor, {}});
    groups[position].atoms.emplace_back(atom, negative);
  }
  return groups;
}

/// The sum of the atoms of a group, and whether it is to be subtracted.
template <typename Emitter>
static std::pair<typename Emitter::Result, bool> emitGroup(Emitter &emitter,
                                                           Group &group) {
  auto isSubtracted = [](auto &atom) { return atom.second; };
  bool allNegative = llvm::all_of(group.atoms, isSubtracted);
  llvm::stable_sort(group.atoms, [](auto &a, auto &b) {
    return !a.second && b.second;
  });
  auto sum = emitter.atom(group.atoms[0].first);
  for (auto [atom, negative] : ArrayRef(group.atoms).drop_front()) {
    auto next = emitter.atom(atom);
    sum = negative && !allNegative
              ? emitter.template make<SubOp>(sum, next)
              : emitter.template make<AddOp>(sum, next);
  }
  if (!group.factor.is(1))
    sum = emitter.template make<MulOp>(sum, emitter.dim(group.factor));
  return {sum, allNegative};
}

template <typename Emitter>
static typename Emitter::Result emitSum(Emitter emitter,
                                        const IndexForm &form) {
  SmallVector<Group> groups = getGroups(form);
  llvm::stable_sort(groups, [](const Group &a, const Group &b) {
    auto isNegative = [](const Group &group) {
      return llvm::all_of(group.atoms, [](auto &atom) { return atom.second; });
    };
    return !isNegative(a) && isNegative(b);
  });
  std::optional<typename Emitter::Result> sum;
  Dim constant = form.constant;
  bool isNegated = false;
  for (Group &group : groups) {
    auto [part, negative] = emitGroup(emitter, group);
    if (sum) {
      sum = negative && !isNegated ? emitter.template make<SubOp>(*sum, part)
                                   : emitter.template make<AddOp>(*sum, part);
    } else if (negative && !constant.is(0)) {
      sum = emitter.template make<SubOp>(emitter.dim(constant), part);
      constant = Dim(form.getContext(), 0);
    } else {
      // Only negative terms: their sum is negated as a whole.
      isNegated = negative;
      sum = part;
    }
  }
  if (isNegated)
    sum = emitter.template make<NegOp>(*sum);
  if (!sum)
    return emitter.dim(constant);
  if (!constant.is(0))
    sum = emitter.template make<AddOp>(*sum, emitter.dim(constant));
  return *sum;
}

Value mlir::tg::buildSum(IndexRewriter &rewriter, Location loc,
                         const IndexForm &form) {
  return emitSum(OperationEmitter{rewriter, loc}, form);
}

uint64_t mlir::tg::measureSum(IndexRewriter &rewriter, const IndexForm &form) {
  return emitSum(MeasureEmitter{rewriter}, form);
}

SumComparison::SumComparison(OperationName name, const IndexForm &difference)
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
  bool goesLeft =
      rhs.isDim() ? false : lhs.isDim() || isNegative(constant);
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

bool mlir::tg::isInnerSum(Value value) {
  if (!value.hasOneUse())
    return false;
  Operation *user = *value.user_begin();
  return isa<AddOp, SubOp, NegOp, MulOp>(user) &&
         user->getResult(0).getType().isIndex();
}
