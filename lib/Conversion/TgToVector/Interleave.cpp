//===- Interleave.cpp - loads of lanes that take turns --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lanes that repeat elements, or that take turns in reading several rows, load
/// these elements contiguously and shuffle them. A gather takes one load for
/// each lane.
///
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::tovector;

/// How many operations isConstant() looks at, one above the other.
constexpr int64_t kMaskDepth = 8;

/// Whether LLVM will know the value.
static bool isConstant(Value value, int64_t depth = kMaskDepth) {
  Operation *op = value.getDefiningOp();
  return op && depth > 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isConstant(operand, depth - 1);
         });
}

std::optional<VectorEmitter::Turns>
VectorEmitter::findTurns(const Access &access) {
  if (access.lanes.stride != 0 || access.lanes.irregular.empty())
    return std::nullopt;
  Turns turns;
  turns.start = access.lanes.scalar;
  int64_t ofQuotient = 0;
  for (auto [atom, factor] : access.lanes.irregular) {
    Operation *op = atom.getPointer().getDefiningOp();
    const bool isQuotient = isa_and_nonnull<IDivOp, FloorDivOp>(op);
    if (!isQuotient && !isa_and_nonnull<ModOp, FloorModOp>(op))
      return std::nullopt;
    const IndexForm dividend = getForm(op->getOperand(0)),
                    divisor = getForm(op->getOperand(1));
    const int64_t count = divisor.constant;
    if (!divisor.isConstant() || count < 2 || access.width % count != 0 ||
        (turns.count != 0 && turns.count != count) ||
        (!isa<FloorDivOp, FloorModOp>(op) && getBounds(dividend).lo < 0))
      return std::nullopt;
    // dividend = count * quotient + the number of the lane
    auto [quotient, rest] = splitTerms(dividend, count);
    const Value lane =
        ranges[*getLaneRange(getDeps(op->getResult(0)))].op.getResult();
    if (llvm::mod(dividend.constant, count) != 0 || rest.terms.size() != 1 ||
        rest.terms.front().first != IndexAtom(lane) ||
        rest.terms.front().second != 1)
      return std::nullopt;
    const LaneForm lanes = splitLanes(quotient);
    if (lanes.stride != 0 || !lanes.irregular.empty())
      return std::nullopt;
    turns.count = count;
    if (!isQuotient) {
      turns.step += factor;
      continue;
    }
    quotient.constant = llvm::divideFloorSigned(dividend.constant, count);
    turns.start.add(quotient, factor);
    ofQuotient += factor;
  }
  turns.isPeriodic = ofQuotient == 0;
  if (turns.isPeriodic ? turns.step != 1 : ofQuotient != 1)
    return std::nullopt;
  if (!access.mask)
    return turns;
  // Lanes that are masked may be outside of the buffer. Shuffles of masks are
  // slow unless these are constants.
  const int64_t size = getReadable(access.buffer),
                elements =
                    turns.isPeriodic ? turns.count : access.width / turns.count,
                reach = turns.isPeriodic ? 0 : (turns.count - 1) * turns.step;
  const Interval start = getBounds(turns.start);
  turns.isInside = start.lo + std::min<int64_t>(reach, 0) >= 0 &&
                   start.hi + std::max<int64_t>(reach, 0) <= size - elements;
  if (!turns.isInside && (turns.isPeriodic || !isConstant(access.mask)))
    return std::nullopt;
  return turns;
}

Value VectorEmitter::createTurnsLoad(const Access &access, const Turns &turns,
                                     unsigned depth, Location loc) {
  const Type memory = getElementTypeOrSelf(access.buffer.getType());
  const int64_t width = access.width, count = turns.count, rows = width / count;
  auto select = [&](Value value, B &b) {
    value = arithmetic.buildFromMemory(b, value, access.element);
    if (!access.mask)
      return value;
    Value mask = toLanes(b, access.mask, width);
    return arith::SelectOp::create(b, mask, value,
                                   buildZero(b, value.getType()))
        .getResult();
  };
  SmallVector<int64_t> order;
  if (turns.isPeriodic) {
    Value start = getScalar(turns.start, loc);
    B &b = at(depth, loc);
    Value period = vector::LoadOp::create(b, VectorType::get(count, memory),
                                          access.buffer, start);
    for (int64_t lane = 0; lane < width; ++lane)
      order.push_back(lane % count);
    return select(vector::ShuffleOp::create(b, period, period, order), b);
  }

  SmallVector<Value> starts;
  for (int64_t turn = 0; turn < (turns.step == 0 ? 1 : count); ++turn) {
    IndexForm start = turns.start;
    start.constant += turn * turns.step;
    starts.push_back(getScalar(start, loc));
  }
  B &b = at(depth, loc);
  const auto type = VectorType::get(rows, memory);
  // The mask of each turn; an element that is repeated is read if any lane
  // wants it.
  Value mask;
  if (access.mask && !turns.isInside)
    mask = toLanes(b, access.mask, width);
  SmallVector<Value> masks;
  for (int64_t turn = 0; mask && turn < count; ++turn) {
    SmallVector<int64_t> lanes;
    for (int64_t row = 0; row < rows; ++row)
      lanes.push_back(row * count + turn);
    Value ofTurn = vector::ShuffleOp::create(b, mask, mask, lanes);
    if (masks.empty() || turns.step != 0)
      masks.push_back(ofTurn);
    else
      masks.front() = arith::OrIOp::create(b, masks.front(), ofTurn);
  }
  SmallVector<Value> parts;
  for (auto [turn, start] : llvm::enumerate(starts))
    parts.push_back(
        mask ? Value(vector::MaskedLoadOp::create(b, type, access.buffer, start,
                                                  masks[turn],
                                                  buildZero(b, type)))
             : Value(vector::LoadOp::create(b, type, access.buffer, start)));
  // One after the other, and then in turns.
  Value value = parts.front();
  for (size_t turn = 1; turn + 1 < parts.size(); ++turn)
    value = vector::ShuffleOp::create(
        b, value, parts[turn],
        llvm::to_vector(
            llvm::seq<int64_t>(0, static_cast<int64_t>(turn + 1) * rows)));
  for (int64_t lane = 0; lane < width; ++lane)
    order.push_back((turns.step == 0 ? 0 : lane % count) * rows + lane / count);
  value = vector::ShuffleOp::create(b, value, parts.back(), order);
  return select(value, b);
}
