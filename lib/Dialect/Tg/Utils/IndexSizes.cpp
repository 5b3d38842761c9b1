//===- IndexSizes.cpp - sizes computed as index values --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates operations on index values as arithmetic of dimensions.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/IndexSizes.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tg;

static std::optional<Dim> computeSize(AffineExpr expr, ArrayRef<Dim> operands,
                                      unsigned numDims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Dim(expr.getContext(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto lhs = computeSize(binary.getLHS(), operands, numDims);
  auto rhs = computeSize(binary.getRHS(), operands, numDims);
  if (!lhs || !rhs)
    return std::nullopt;
  bool mayDivide = rhs->getMin() > 0;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *lhs + *rhs;
  case AffineExprKind::Mul:
    return *lhs * *rhs;
  case AffineExprKind::FloorDiv:
    if (mayDivide)
      return Dim::get(DimOpKind::floordiv, *lhs, *rhs);
    return std::nullopt;
  case AffineExprKind::CeilDiv:
    if (mayDivide)
      return Dim::get(DimOpKind::floordiv,
                      *lhs + *rhs - Dim(expr.getContext(), 1), *rhs);
    return std::nullopt;
  case AffineExprKind::Mod:
    if (mayDivide)
      return Dim::get(DimOpKind::mod, *lhs, *rhs);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<Dim>
tg::computeSize(Operation *op,
                function_ref<std::optional<Dim>(OpFoldResult)> getSize) {
  APInt value;
  if (matchPattern(op, m_ConstantInt(&value)))
    return Dim(op->getContext(), value.getSExtValue());
  SmallVector<Dim> operands;
  for (OpFoldResult operand : getAsOpFoldResult(op->getOperands())) {
    const std::optional<Dim> size = getSize(operand);
    if (!size)
      return std::nullopt;
    operands.push_back(*size);
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return ::computeSize(apply.getAffineMap().getResult(0), operands,
                         apply.getAffineMap().getNumDims());
  if (operands.size() != 2)
    return std::nullopt;
  Dim lhs = operands[0], rhs = operands[1];
  // Rounding towards zero is rounding down where nothing is negative.
  bool mayDivide = rhs.getMin() > 0 &&
                   (isNeverNegative(lhs) || isa<arith::FloorDivSIOp>(op));
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  if (isa<arith::MulIOp>(op))
    return lhs * rhs;
  if (isa<arith::MinSIOp>(op))
    return Dim::get(DimOpKind::min, lhs, rhs);
  if (isa<arith::MaxSIOp>(op))
    return Dim::get(DimOpKind::max, lhs, rhs);
  if (!mayDivide)
    return std::nullopt;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op))
    return Dim::get(DimOpKind::floordiv, lhs, rhs);
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return Dim::get(DimOpKind::floordiv, lhs + rhs - Dim(op->getContext(), 1),
                    rhs);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return Dim::get(DimOpKind::mod, lhs, rhs);
  return std::nullopt;
}
