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

/// The number of bits and the mask of (index >> bits) and mask.
static std::optional<std::pair<unsigned, uint64_t>> matchRow(Value row,
                                                             Value index) {
  auto masked = row.getDefiningOp<arith::AndIOp>();
  auto number =
      masked ? masked.getLhs().getDefiningOp<arith::ShRUIOp>() : nullptr;
  APInt bits, mask;
  if (!number || number.getLhs() != index ||
      !matchPattern(number.getRhs(), m_ConstantInt(&bits)) ||
      !matchPattern(masked.getRhs(), m_ConstantInt(&mask)) || bits.uge(kBits))
    return std::nullopt;
  return std::pair(static_cast<unsigned>(bits.getZExtValue()),
                   mask.getZExtValue());
}

std::optional<PermutedIndex> tg::matchPermutation(Value index) {
  if (!index.getType().isIndex())
    return std::nullopt;
  auto flip = index.getDefiningOp<arith::XOrIOp>();
  auto chunk = flip ? flip.getRhs().getDefiningOp<arith::ShLIOp>() : nullptr;
  APInt chunkBits;
  if (!chunk || !matchPattern(chunk.getRhs(), m_ConstantInt(&chunkBits)) ||
      chunkBits.uge(kBits - 1))
    return std::nullopt;
  Value row = chunk.getLhs();
  auto both = row.getDefiningOp<arith::OrIOp>();
  const auto near = matchRow(both ? both.getLhs() : row, flip.getLhs());
  if (!near)
    return std::nullopt;
  Permutation permutation{near->first,
                          static_cast<unsigned>(chunkBits.getZExtValue()),
                          near->second};
  if (both) {
    const auto far = matchRow(both.getRhs(), flip.getLhs());
    if (!far || far->first != near->first + 1)
      return std::nullopt;
    permutation.farMask = far->second;
  }
  return PermutedIndex{permutation, &flip->getOpOperand(0)};
}
