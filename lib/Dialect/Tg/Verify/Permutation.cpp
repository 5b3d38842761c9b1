//===- Permutation.cpp - orders of the elements of a buffer ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes permutations, and states in bit vectors what they have to be.
///
//===----------------------------------------------------------------------===//

#include "Permutation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SMT/IR/SMTOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
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

void tg::assertIsNoPermutation(OpBuilder &builder, Location loc,
                               const Permutation &permutation, int64_t size) {
  ImplicitLocOpBuilder b(loc, builder);
  auto bits = smt::BitVectorType::get(b.getContext(), kBits);
  auto declare = [&](StringRef name) -> Value {
    return smt::DeclareFunOp::create(b, bits, b.getStringAttr(name));
  };
  auto number = [&](uint64_t value) -> Value {
    return smt::BVConstantOp::create(b, APInt(kBits, value));
  };
  auto getChunk = [&](Value x) -> Value {
    return smt::BVLShrOp::create(b, x, number(permutation.chunkBits));
  };
  auto getPlace = [&](Value x) -> Value {
    return smt::BVAndOp::create(b, x, number(permutation.getChunk() - 1));
  };
  auto permute = [&](Value x) -> Value {
    Value row = smt::BVAndOp::create(
        b, smt::BVLShrOp::create(b, x, number(permutation.rowBits)),
        number(permutation.rowMask));
    return smt::BVXOrOp::create(
        b, x, smt::BVShlOp::create(b, row, number(permutation.chunkBits)));
  };
  auto isInside = [&](Value x) -> Value {
    return smt::BVCmpOp::create(b, smt::BVCmpPredicate::ult, x, number(size));
  };
  auto isEqual = [&](Value x, Value y) -> Value {
    return smt::EqOp::create(b, x, y);
  };
  auto implies = [&](Value x, Value y) -> Value {
    return smt::ImpliesOp::create(b, x, y);
  };
  Value x = declare("first"), y = declare("second");
  Value newX = permute(x), newY = permute(y);
  const Value statements[] = {implies(isEqual(newX, newY), isEqual(x, y)),
                              isEqual(isInside(newX), isInside(x)),
                              isEqual(getPlace(newX), getPlace(x)),
                              implies(isEqual(getChunk(x), getChunk(y)),
                                      isEqual(getChunk(newX), getChunk(newY)))};
  Value all = smt::AndOp::create(b, statements);
  smt::AssertOp::create(b, smt::NotOp::create(b, all));
}
