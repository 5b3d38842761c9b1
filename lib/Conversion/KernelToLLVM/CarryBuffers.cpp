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

static void carryBuffers(scf::ForOp loop) {
  APInt begin, step;
  if (!loop.getInductionVar().getType().isIndex() ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&begin)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne() ||
      begin.isNegative() ||
      loop.getBody()->getOps<nvgpu::DeviceAsyncWaitOp>().empty())
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

  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  const Location loc = loop.getLoc();
  SmallVector<Value> first;
  for (const auto &[number, ops] : found)
    first.push_back(arith::ConstantIndexOp::create(
        rewriter, loc,
        int64_t((begin.getZExtValue() + number.ahead) % number.buffers)));
  auto getNext = [&](OpBuilder &b, Location loc,
                     ArrayRef<BlockArgument> carried) {
    SmallVector<Value> next;
    for (auto [entry, value] : llvm::zip_equal(found, carried)) {
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      Value buffers =
          arith::ConstantIndexOp::create(b, loc, int64_t(entry.first.buffers));
      Value sum = arith::AddIOp::create(b, loc, value, one);
      next.push_back(arith::RemUIOp::create(b, loc, sum, buffers));
    }
    return next;
  };
  auto replaced = cast<scf::ForOp>(**loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, getNext));
  for (auto [entry, value] : llvm::zip_equal(
           found, replaced.getRegionIterArgs().take_back(found.size())))
    for (arith::RemUIOp op : entry.second)
      rewriter.replaceOp(op, value);
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
