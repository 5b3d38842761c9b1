//===- TgContraction.h - sums of products on matrix units -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which sums of products the matrix operations of GPUs compute.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_IR_TGCONTRACTION_H
#define TINYGRAD_DIALECT_TG_IR_TGCONTRACTION_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Support/MatrixUnits.h"

#include <optional>

namespace mlir::tg {

/// The factors of a product: the operands of a tg.mul, or what both of them are
/// cast from.
struct ProductFactors {
  Value lhs, rhs;
  bool areCast = false;

  Type getType() const { return lhs.getType(); }
};

/// The factors, if \p product is a product of two values of one type.
std::optional<ProductFactors> getFactors(Value product);

/// Whether an operation adds up products of such factors with a result of this
/// type.
bool fitsUnit(const tinygrad::MatrixUnit &unit, const ProductFactors &factors,
              Type result);

/// Verifies the matrix operation of a reduction, if it has one.
LogicalResult verifyContraction(RangedReduceOp op);

/// The tile of a group that \p factor is an element of, without a mask; null if
/// it is no such element.
StageOp getGroupTile(Value factor);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_IR_TGCONTRACTION_H
