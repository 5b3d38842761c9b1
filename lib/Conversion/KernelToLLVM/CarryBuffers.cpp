//===- CarryBuffers.cpp - numbers of buffers, from step to step -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-carry-buffers pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGCARRYBUFFERS
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {
/// The number of the buffer is (step + before + ahead) mod buffers, where
/// `before` is computed before the loop; 0 if it is null.
struct Number {
  uint64_t ahead, buffers;
  Value before;

  bool operator==(const Number &) const = default;
};
} // namespace

/// What is added to the step of a loop, if the value is a step or such a sum.
static std::optional<Value> getBefore(Value value, scf::ForOp loop) {
  Value step = loop.getInductionVar();
  if (value == step)
    return Value();
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum || sum.getLhs() != step ||
      !loop.isDefinedOutsideOfLoop(sum.getRhs()))
    return std::nullopt;
  return sum.getRhs();
}

/// None if the operation computes anything else.
static std::optional<Number> getNumber(arith::RemUIOp op, scf::ForOp loop) {
  APInt buffers, ahead(64, 0);
  if (!matchPattern(op.getRhs(), m_ConstantInt(&buffers)) || buffers.isZero())
    return std::nullopt;
  Value sum = op.getLhs();
  if (auto add = sum.getDefiningOp<arith::AddIOp>();
      add && matchPattern(add.getRhs(), m_ConstantInt(&ahead)))
    sum = add.getLhs();
  std::optional<Value> before = getBefore(sum, loop);
  if (!before || ahead.isNegative())
    return std::nullopt;
  return Number{ahead.getZExtValue(), buffers.getZExtValue(), *before};
}

/// The number of the buffer that a step reads, if the operation computes
/// whether the filling is an odd one: ((step + before) div buffers) mod 2 == 1.
static std::optional<Number> getParity(arith::CmpIOp op, scf::ForOp loop) {
  auto parity = op.getLhs().getDefiningOp<arith::RemUIOp>();
  auto filling =
      parity ? parity.getLhs().getDefiningOp<arith::DivUIOp>() : nullptr;
  APInt buffers;
  if (!filling || op.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(op.getRhs(), m_One()) ||
      !matchPattern(parity.getRhs(), m_ConstantInt(&buffers)) || buffers != 2 ||
      !matchPattern(filling.getRhs(), m_ConstantInt(&buffers)) ||
      buffers.isZero())
    return std::nullopt;
  std::optional<Value> before = getBefore(filling.getLhs(), loop);
  if (!before)
    return std::nullopt;
  return Number{0, buffers.getZExtValue(), *before};
}

static void carryBuffers(scf::ForOp loop) {
  APInt begin, step;
  if (!loop.getInductionVar().getType().isIndex() ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&begin)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne() ||
      begin.isNegative() ||
      (loop.getBody()->getOps<nvgpu::DeviceAsyncWaitOp>().empty() &&
       loop.getBody()->getOps<nvgpu::MBarrierTryWaitParityOp>().empty()))
    return;
  SmallVector<std::pair<Number, SmallVector<arith::RemUIOp>>> found;
  loop->walk([&](arith::RemUIOp op) {
    std::optional<Number> number = getNumber(op, loop);
    if (!number)
      return;
    auto *known = llvm::find_if(
        found, [&](const auto &entry) { return entry.first == *number; });
    if (known == found.end()) {
      found.push_back({*number, {}});
      known = &found.back();
    }
    known->second.push_back(op);
  });
  if (found.empty())
    return;
  // Fillings of buffers whose number is carried: the next one begins where that
  // becomes 0 again.
  SmallVector<std::pair<arith::CmpIOp, size_t>> parities;
  for (auto op : loop.getBody()->getOps<arith::CmpIOp>())
    if (std::optional<Number> wanted = getParity(op, loop)) {
      auto *number = llvm::find_if(
          found, [&](const auto &entry) { return entry.first == *wanted; });
      if (number != found.end())
        parities.push_back({op, size_t(number - found.begin())});
    }

  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  const Location loc = loop.getLoc();
  SmallVector<Value> first;
  auto constant = [&](uint64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, int64_t(value));
  };
  // The first step, counted from the beginning of what is before the loop.
  auto getBegin = [&](const Number &number) -> Value {
    return arith::AddIOp::create(rewriter, loc, number.before,
                                 constant(begin.getZExtValue() + number.ahead));
  };
  for (const auto &[number, ops] : found) {
    if (!number.before) {
      first.push_back(
          constant((begin.getZExtValue() + number.ahead) % number.buffers));
      continue;
    }
    Value position = getBegin(number), buffers = constant(number.buffers);
    first.push_back(arith::RemUIOp::create(rewriter, loc, position, buffers));
  }
  for (auto [op, place] : parities) {
    const Number &number = found[place].first;
    if (!number.before) {
      first.push_back(arith::ConstantIntOp::create(
          rewriter, loc, int64_t(begin.getZExtValue() / number.buffers % 2),
          1));
      continue;
    }
    Value position = getBegin(number), buffers = constant(number.buffers);
    Value filling = arith::DivUIOp::create(rewriter, loc, position, buffers);
    Value parity = arith::RemUIOp::create(rewriter, loc, filling, constant(2));
    Value one = constant(1);
    first.push_back(arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, parity, one));
  }
  auto getNext = [&](OpBuilder &b, Location loc,
                     ArrayRef<BlockArgument> carried) {
    SmallVector<Value> next;
    for (auto [entry, value] :
         llvm::zip_equal(found, carried.take_front(found.size()))) {
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      Value buffers =
          arith::ConstantIndexOp::create(b, loc, int64_t(entry.first.buffers));
      Value sum = arith::AddIOp::create(b, loc, value, one);
      next.push_back(arith::RemUIOp::create(b, loc, sum, buffers));
    }
    for (auto [parity, value] :
         llvm::zip_equal(parities, carried.drop_front(found.size()))) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          next[parity.second], zero);
      next.push_back(arith::XOrIOp::create(b, loc, value, wraps));
    }
    return next;
  };
  auto replaced = cast<scf::ForOp>(**loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, getNext));
  const auto carried =
      replaced.getRegionIterArgs().take_back(found.size() + parities.size());
  for (auto [entry, value] :
       llvm::zip_equal(found, carried.take_front(found.size())))
    for (arith::RemUIOp op : entry.second)
      rewriter.replaceOp(op, value);
  for (auto [parity, value] :
       llvm::zip_equal(parities, carried.drop_front(found.size())))
    rewriter.replaceOp(parity.first, value);
}

void tg::carryBuffers(FunctionOpInterface func) {
  SmallVector<scf::ForOp> loops;
  func->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  // The inner ones first.
  for (scf::ForOp loop : loops)
    ::carryBuffers(loop);
}

namespace {
struct TgCarryBuffersPass : tg::impl::TgCarryBuffersBase<TgCarryBuffersPass> {
  void runOnOperation() override { carryBuffers(getOperation()); }
};
} // namespace
