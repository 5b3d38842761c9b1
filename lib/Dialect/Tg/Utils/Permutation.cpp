//===- Permutation.cpp - orders of the elements of a tile -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes permuted indices.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/Permutation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tg;

/// Indices have 64 bits.
static constexpr unsigned kBits = 64;

std::optional<PermutedIndex> tg::matchPermutation(Value index) {
  if (!index.getType().isIndex())
    return std::nullopt;
  auto flip = index.getDefiningOp<arith::XOrIOp>();
  auto chunk = flip ? flip.getRhs().getDefiningOp<arith::ShLIOp>() : nullptr;
  auto row = chunk ? chunk.getLhs().getDefiningOp<arith::AndIOp>() : nullptr;
  auto number = row ? row.getLhs().getDefiningOp<arith::ShRUIOp>() : nullptr;
  APInt rowBits, rowMask, chunkBits;
  if (!number || number.getLhs() != flip.getLhs() ||
      !matchPattern(number.getRhs(), m_ConstantInt(&rowBits)) ||
      !matchPattern(row.getRhs(), m_ConstantInt(&rowMask)) ||
      !matchPattern(chunk.getRhs(), m_ConstantInt(&chunkBits)) ||
      rowBits.uge(kBits) || chunkBits.uge(kBits - 1))
    return std::nullopt;
  return PermutedIndex{{static_cast<unsigned>(rowBits.getZExtValue()),
                        static_cast<unsigned>(chunkBits.getZExtValue()),
                        rowMask.getZExtValue()},
                       &flip->getOpOperand(0)};
}
