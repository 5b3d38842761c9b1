//===- TgDimCheck.cpp - which dimensions are valid ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bounds of dimensions without an end, and the checks made with them.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TgDimPolynomial.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::tg;

/// Parts of the variables' ranges that are looked at, and how many operators
/// and operands of the expression they come to in all.
constexpr int64_t kMaxBoxes = 512, kMaxLength = 1 << 14;

//===----------------------------------------------------------------------===//
// Fitting into 64 bits
//===----------------------------------------------------------------------===//

/// Fails also where the error is not wanted.
static LogicalResult report(Attribute dim, Interval bounds,
                            DimErrorFn emitError) {
  emitError() << "dimension " << Dim(dim).str()
              << " does not fit into 64 bits: it can be " << bounds.str();
  return failure();
}

/// What was looked at: a part that is used twice is looked at once.
using Parts = llvm::DenseSet<Attribute>;

static LogicalResult checkParts(Attribute dim, DimErrorFn emitError,
                                Parts &seen);

/// Checks an operator applied to dimensions, from left to right.
static LogicalResult checkParts(DimOpKind kind, ArrayRef<Attribute> operands,
                                DimErrorFn emitError, Parts &seen) {
  Interval result;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (failed(checkParts(operand, emitError, seen)))
      return failure();
    const Interval own = dim::getBounds(operand);
    result = i == 0 ? own : dim::evaluate(kind, result, own);
    if (!result.fitsInt64())
      return report(DimExprAttr::get(operand.getContext(), kind,
                                     operands.take_front(i + 1)),
                    result, emitError);
  }
  return success();
}

static LogicalResult checkParts(Attribute dim, DimErrorFn emitError,
                                Parts &seen) {
  auto expr = dyn_cast<DimExprAttr>(dim);
  if (!expr || !seen.insert(expr).second)
    return success();
  // Numbers that are the ends of 64 bits are what larger ones were cut to.
  for (Attribute operand : expr.getOperands())
    if (std::optional<int64_t> value = Dim(operand).getStatic())
      if (*value == std::numeric_limits<int64_t>::min() ||
          *value == std::numeric_limits<int64_t>::max())
        return report(dim, dim::getBounds(dim), emitError);
  return checkParts(expr.getKind(), expr.getOperands(), emitError, seen);
}

LogicalResult mlir::tg::checkFits(Attribute dim, DimErrorFn emitError) {
  Parts seen;
  return checkParts(dim, emitError, seen);
}

LogicalResult mlir::tg::checkFits(ArrayRef<Attribute> dims,
                                  DimErrorFn emitError) {
  return success(llvm::all_of(dims, [&](Attribute dim) {
    return succeeded(checkFits(dim, emitError));
  }));
}

LogicalResult mlir::tg::checkFits(DimOpKind kind, ArrayRef<Dim> operands,
                                  DimErrorFn emitError) {
  Parts seen;
  const SmallVector<Attribute> attrs =
      llvm::map_to_vector(operands, [](Dim dim) { return dim.getAttr(); });
  return checkParts(kind, attrs, emitError, seen);
}

LogicalResult mlir::tg::checkLength(Attribute dim, DimErrorFn emitError) {
  const DimSize size = getDimSize(dim);
  if (size.nesting > kMaxNesting)
    return emitError() << "dimension is nested more than " << kMaxNesting
                       << " deep";
  if (size.parts > kMaxParts)
    return emitError() << "dimension is too long: written out, it has more "
                          "than "
                       << kMaxParts << " operators and operands";
  return success();
}

LogicalResult mlir::tg::checkNumElements(ArrayRef<Dim> dims,
                                         DimErrorFn emitError) {
  int64_t count = 1;
  for (Dim dim : dims)
    if (int64_t size = dim.getMax();
        size > 0 && llvm::MulOverflow(count, size, count))
      return emitError() << "a tensor of shape " << toString(dims)
                         << " has more elements than fit into 63 bits";
  return success();
}

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

bool mlir::tg::isNeverNegative(Dim dim) {
  if (dim.getMin() >= 0)
    return true;
  if (dim.isStatic())
    return false;
  // Ranges of the variables, cut in halves where bounds leave it open.
  using Box = llvm::MapVector<VarAttr, Interval>;
  Box whole;
  dim.walk(
      [&](VarAttr var) { whole[var] = Interval(var.getMin(), var.getMax()); });
  const auto length = static_cast<int64_t>(tg::dim::getLength(dim.getAttr()));
  const int64_t mostBoxes = std::min(kMaxBoxes, kMaxLength / length + 1);
  SmallVector<Box> open{whole};
  for (int64_t count = 0; !open.empty(); ++count) {
    if (count == mostBoxes)
      return false;
    Box box = open.pop_back_val();
    Dim part = dim.substitute([&](VarAttr var) {
      const Interval range = box.lookup(var);
      MLIRContext *context = var.getContext();
      return range.lo == range.hi
                 ? Dim(context, range.getMin())
                 : Dim(VarAttr::get(context, var.getName(), range.getMin(),
                                    range.getMax()));
    });
    if (part.getMin() >= 0)
      continue;
    if (part.getMax() < 0)
      return false;
    auto *longest = std::max_element(
        box.begin(), box.end(), [](const auto &a, const auto &b) {
          return a.second.hi - a.second.lo < b.second.hi - b.second.lo;
        });
    const Interval range = longest->second;
    if (range.lo == range.hi)
      return false;
    const Interval::Number middle = (range.lo + range.hi) >> 1;
    longest->second.hi = middle;
    open.push_back(box);
    longest->second = {middle + 1, range.hi};
    open.push_back(box);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LogicalResult VariableChecker::check(Attribute dim, DimErrorFn emitError) {
  LogicalResult result = success();
  Dim(dim).walk([&](VarAttr var) {
    VarAttr other =
        known.try_emplace(var.getName().getValue(), var).first->second;
    if (failed(result) ||
        (other.getMin() == var.getMin() && other.getMax() == var.getMax()))
      return;
    result = emitError() << "variable '" << var.getName().getValue()
                         << "' has the bounds [" << var.getMin() << ", "
                         << var.getMax() << "] here and [" << other.getMin()
                         << ", " << other.getMax() << "] elsewhere (C7)";
  });
  return result;
}
