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

Value IndexBuilder::create(StringRef opName, Value lhs, Value rhs) {
  Value &result = symbolicBinaries[{opName.str(), lhs.getAsOpaquePointer(),
                                    rhs.getAsOpaquePointer()}];
  if (result)
    return result;
  if (opName == "mul")
    result = MulOp::create(builder, loc, lhs, rhs);
  else if (opName == "floordiv")
    result = FloorDivOp::create(builder, loc, lhs, rhs);
  else if (opName == "floormod")
    result = FloorModOp::create(builder, loc, lhs, rhs);
  else
    result = CmpLtOp::create(builder, loc, lhs, rhs);
  return result;
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
  return create("mul", lhs, dim(factor));
}

/// Whether the index is certainly in [0, divisor).
static bool isWithin(IndexAnalysis &analysis, LinearForm index,
                     const LinearForm &divisor) {
  if (analysis.getInterval(index).lo < 0)
    return false;
  index.add(divisor, -1);
  return analysis.getInterval(index).hi < 0;
}

Value IndexBuilder::floorDiv(Value lhs, Dim divisor) {
  if (std::optional<int64_t> number = divisor.getStatic())
    return floorDiv(lhs, *number);
  if (isWithin(analysis, analysis.getLinear(lhs), getLinear(divisor)))
    return constant(0);
  return create("floordiv", lhs, dim(divisor));
}

Value IndexBuilder::floorMod(Value lhs, Dim divisor) {
  if (std::optional<int64_t> number = divisor.getStatic())
    return floorMod(lhs, *number);
  if (isWithin(analysis, analysis.getLinear(lhs), getLinear(divisor)))
    return lhs;
  return create("floormod", lhs, dim(divisor));
}

Value IndexBuilder::atLeast(Value index, Dim bound) {
  if (std::optional<int64_t> number = bound.getStatic())
    return atLeast(index, *number);
  LinearForm difference = analysis.getLinear(index), limit = getLinear(bound);
  difference.add(limit, -1);
  if (analysis.getInterval(difference).lo >= 0)
    return nullptr;
  limit.constant -= 1;
  return create("less", get(limit), index);
}

Value IndexBuilder::lessThan(Value index, Dim bound) {
  if (std::optional<int64_t> number = bound.getStatic())
    return lessThan(index, *number);
  LinearForm difference = analysis.getLinear(index);
  difference.add(getLinear(bound), -1);
  if (analysis.getInterval(difference).hi < 0)
    return nullptr;
  return create("less", index, dim(bound));
}
