//===- TgContraction.cpp - sums of products on matrix units ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The factors of products, and the verifier of sums on matrix units.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgContraction.h"

using namespace mlir;
using namespace mlir::tg;
using tinygrad::MatrixElement;

std::optional<ProductFactors> tg::getFactors(Value product) {
  auto mul = product.getDefiningOp<MulOp>();
  if (!mul)
    return std::nullopt;
  ProductFactors factors{mul.getLhs(), mul.getRhs()};
  auto lhs = factors.lhs.getDefiningOp<CastOp>();
  auto rhs = factors.rhs.getDefiningOp<CastOp>();
  if (lhs && rhs)
    factors = {lhs->getOperand(0), rhs->getOperand(0), /*areCast=*/true};
  if (factors.lhs.getType() != factors.rhs.getType())
    return std::nullopt;
  return factors;
}

bool tg::fitsUnit(const tinygrad::MatrixUnit &unit,
                  const ProductFactors &factors, Type result) {
  Type type = factors.getType();
  const bool isSame = !factors.areCast && result == type;
  switch (unit.element) {
  case MatrixElement::f16:
    return type.isF16() && (isSame || (factors.areCast && result.isF32()));
  case MatrixElement::bf16:
    return type.isBF16() && (isSame || (factors.areCast && result.isF32()));
  case MatrixElement::tf32:
  case MatrixElement::f32:
    return type.isF32() && isSame;
  case MatrixElement::f64:
    return type.isF64() && isSame;
  case MatrixElement::i8:
    return type.isSignlessInteger(8) && factors.areCast &&
           result.isSignlessInteger(32);
  case MatrixElement::e4m3:
    return isa<Float8E4M3FNType>(type) && factors.areCast && result.isF32();
  case MatrixElement::e5m2:
    return isa<Float8E5M2Type>(type) && factors.areCast && result.isF32();
  }
  return false;
}

StageOp tg::getGroupTile(Value factor) {
  auto load = factor.getDefiningOp<LoadOp>();
  if (!load || load.getMask())
    return StageOp();
  auto barrier = load.getBuffer().getDefiningOp<BarrierOp>();
  auto stage = barrier ? barrier.getTile().getDefiningOp<StageOp>() : StageOp();
  return stage && stage.getMemory() == TileMemory::group ? stage : StageOp();
}

LogicalResult tg::verifyContraction(RangedReduceOp op) {
  if (!op.getUnit())
    return success();
  const tinygrad::MatrixUnit *unit = tinygrad::findMatrixUnit(*op.getUnit());
  if (!unit)
    return op.emitOpError("'")
           << *op.getUnit() << "' is no matrix operation (C2)";
  if (op.getKind() != ReduceKind::add || op.getRanges().empty())
    return op.emitOpError("a matrix operation computes a sum over at least one "
                          "range (C2)");
  std::optional<ProductFactors> factors = getFactors(op.getValue());
  if (!factors || !getGroupTile(factors->lhs) || !getGroupTile(factors->rhs))
    return op.emitOpError("a matrix operation adds up products of two elements "
                          "of tiles of a group (C2)");
  if (!fitsUnit(*unit, *factors, op.getType()))
    return op.emitOpError("'")
           << *op.getUnit() << "' does not add up products of "
           << factors->getType() << " as " << op.getType() << " (C2)";
  return success();
}
