//===- TgDimMessages.cpp - why dimensions differ --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values for which dimensions differ, as messages tell them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgDimMessages.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include <map>

using namespace mlir;
using namespace mlir::tg;

/// How often ends of the bounds are tried, of this many variables.
constexpr unsigned kMaxCorners = 64;
constexpr unsigned kMaxVariables = 6;
/// How many values are tried in all.
constexpr unsigned kMaxSamples = 256;

std::string
mlir::tg::findValues(Dim lhs, Dim rhs,
                     function_ref<bool(int64_t, int64_t)> isWanted,
                     function_ref<std::optional<int64_t>(VarAttr)> getValue) {
  std::map<StringRef, std::pair<VarAttr, int64_t>> variables;
  for (Dim dim : {lhs, rhs})
    dim.walk([&](VarAttr var) {
      variables.insert({var.getName().getValue(), {var, 0}});
    });
  uint64_t state = 1;
  for (unsigned i = 0; i < kMaxSamples; ++i) {
    unsigned position = 0;
    for (auto &[name, entry] : variables) {
      auto &[var, value] = entry;
      const unsigned k = position++;
      state = state * 6364136223846793005u + 1442695040888963407u;
      // Bounds may be as far apart as 64 bits allow.
      const uint64_t distance = uint64_t(var.getMax()) - uint64_t(var.getMin());
      uint64_t step = k < kMaxVariables && (i >> k & 1) ? distance : 0;
      if (i >= kMaxCorners || k >= kMaxVariables)
        step =
            distance == ~uint64_t(0) ? state : (state >> 11) % (distance + 1);
      const std::optional<int64_t> bound =
          getValue ? getValue(var) : var.getValue();
      value = i == 0 && bound ? *bound : int64_t(uint64_t(var.getMin()) + step);
    }
    auto valueOf = [&](Dim dim) {
      return dim
          .substitute([&](VarAttr var) {
            return Dim(var.getContext(),
                       variables.at(var.getName().getValue()).second);
          })
          .getStatic();
    };
    const std::optional<int64_t> a = valueOf(lhs), b = valueOf(rhs);
    if (!a || !b || !isWanted(*a, *b))
      continue;
    std::string text;
    for (const auto &[name, entry] : variables)
      text += (text.empty() ? "" : ", ") + name.str() + " = " +
              std::to_string(entry.second);
    return text + ", as " + std::to_string(*a) + " and " + std::to_string(*b);
  }
  return "";
}

/// The outer parentheses say nothing.
static std::string getText(Dim dim) {
  std::string text = dim.str();
  return text.front() == '(' ? text.substr(1, text.size() - 2) : text;
}

std::string mlir::tg::explainDifference(Dim lhs, Dim rhs) {
  const std::string where =
      findValues(lhs, rhs, [](int64_t a, int64_t b) { return a != b; });
  const std::string pair = getText(lhs) + " and " + getText(rhs);
  return where.empty() ? pair + " could not be shown to be equal"
                       : pair + " differ for " + where;
}

std::string mlir::tg::explainDifference(ArrayRef<Dim> lhs, ArrayRef<Dim> rhs) {
  for (auto [a, b] : llvm::zip(lhs, rhs))
    if (a != b && !(a.isStatic() && b.isStatic()))
      return "; " + explainDifference(a, b);
  return "";
}

LogicalResult mlir::tg::verifySameDims(Operation *op) {
  // Their verifiers name the constraint.
  if (isa<CastOp, BitcastOp, WhereOp, ArgsortOp>(op))
    return success();
  std::optional<SmallVector<Dim>> first;
  auto check = [&](Type type) -> LogicalResult {
    if (!hasDims(type))
      return success();
    SmallVector<Dim> dims = getDims(cast<RankedTensorType>(type));
    if (!first)
      first = dims;
    if (dims.size() != first->size() || dims == *first)
      return success();
    std::string reason = explainDifference(ArrayRef(*first), ArrayRef(dims));
    // Of numbers, MLIR's traits say that they differ.
    if (reason.empty())
      return success();
    return op->emitOpError("has operands or results of shapes ")
           << toString(*first) << " and " << toString(dims) << reason;
  };
  for (ValueRange values :
       {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Type type : values.getTypes())
      if (failed(check(type)))
        return failure();
  return success();
}
