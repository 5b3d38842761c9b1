//===- PermutationProof.cpp - permutations in bit vectors -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// States in bit vectors what a permutation has to be.
///
//===----------------------------------------------------------------------===//

#include "PermutationProof.h"
#include "mlir/Dialect/SMT/IR/SMTOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::tg;

/// Indices have 64 bits.
static constexpr unsigned kBits = 64;

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
    auto getRow = [&](unsigned bits, uint64_t mask) -> Value {
      return smt::BVAndOp::create(b, smt::BVLShrOp::create(b, x, number(bits)),
                                  number(mask));
    };
    Value row = getRow(permutation.rowBits, permutation.rowMask);
    if (permutation.farMask != 0)
      row = smt::BVOrOp::create(
          b, row, getRow(permutation.rowBits + 1, permutation.farMask));
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
