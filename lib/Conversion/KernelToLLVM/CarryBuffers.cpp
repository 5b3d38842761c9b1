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
/// The number of the buffer is (step + ahead) mod buffers.
struct Number {
  uint64_t ahead, buffers;

  bool operator==(const Number &) const = default;
};
} // namespace

/// None if the operation computes anything else.
static std::optional<Number> getNumber(arith::RemUIOp op, Value step) {
  APInt buffers, ahead(64, 0);
  if (!matchPattern(op.getRhs(), m_ConstantInt(&buffers)) || buffers.isZero())
    return std::nullopt;
  Value sum = op.getLhs();
  if (auto add = sum.getDefiningOp<arith::AddIOp>();
      add && matchPattern(add.getRhs(), m_ConstantInt(&ahead)))
    sum = add.getLhs();
  if (sum != step || ahead.isNegative())
    return std::nullopt;
  return Number{ahead.getZExtValue(), buffers.getZExtValue()};
}

/// The number of buffers, if the operation computes whether their filling that
/// a step reads is an odd one: (step div buffers) mod 2 == 1.
static std::optional<uint64_t> getParity(arith::CmpIOp op, Value step) {
  auto parity = op.getLhs().getDefiningOp<arith::RemUIOp>();
  auto filling =
      parity ? parity.getLhs().getDefiningOp<arith::DivUIOp>() : nullptr;
  APInt buffers;
  if (!filling || op.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(op.getRhs(), m_One()) ||
      !matchPattern(parity.getRhs(), m_ConstantInt(&buffers)) || buffers != 2 ||
      filling.getLhs() != step ||
      !matchPattern(filling.getRhs(), m_ConstantInt(&buffers)) ||
      buffers.isZero())
    return std::nullopt;
  return buffers.getZExtValue();
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
    std::optional<Number> number = getNumber(op, loop.getInductionVar());
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
    if (std::optional<uint64_t> buffers =
            getParity(op, loop.getInductionVar())) {
      auto *number = llvm::find_if(found, [&](const auto &entry) {
        return entry.first == Number{0, *buffers};
      });
      if (number != found.end())
        parities.push_back({op, size_t(number - found.begin())});
    }

  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  const Location loc = loop.getLoc();
  SmallVector<Value> first;
  for (const auto &[number, ops] : found)
    first.push_back(arith::ConstantIndexOp::create(
        rewriter, loc,
        int64_t((begin.getZExtValue() + number.ahead) % number.buffers)));
  for (auto [op, number] : parities)
    first.push_back(arith::ConstantIntOp::create(
        rewriter, loc,
        int64_t(begin.getZExtValue() / found[number].first.buffers % 2), 1));
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
