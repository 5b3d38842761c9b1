//===- OrderLaunches.cpp - updates of arguments run early -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-order-launches pass.
///
//===----------------------------------------------------------------------===//

#include "HostAccess.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGORDERLAUNCHES
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Intermediates of up to this size may live longer, so that what depends on
/// them runs early: the step size of an optimizer, for example.
constexpr int64_t kMostBytes = 256;

namespace {
/// The operation of the original order that an operation follows, or that it
/// is, and its number among those that follow this one.
using Place = std::pair<int64_t, int64_t>;

struct TgOrderLaunchesPass
    : public tg::impl::TgOrderLaunchesBase<TgOrderLaunchesPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  void runOnFunction(func::FuncOp func, const SymbolTable &symbols);
};
} // namespace

/// The bytes that an operation writes to memory that may not be a result or
/// argument of the program.
static int64_t countIntermediateBytes(ArrayRef<HostAccess> accesses) {
  int64_t bytes = 0;
  for (const HostAccess &access : accesses) {
    auto alloc = access.part.root.getDefiningOp<AllocOp>();
    if (access.isWrite && alloc &&
        llvm::none_of(alloc->getUsers(), [](Operation *user) {
          return user->hasTrait<OpTrait::IsTerminator>();
        }))
      bytes += access.part.bytes
                   ? access.part.bytes->second - access.part.bytes->first
                   : kMostBytes + 1;
  }
  return bytes;
}

void TgOrderLaunchesPass::runOnFunction(func::FuncOp func,
                                        const SymbolTable &symbols) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return;
  Block &block = func.getBody().front();
  SmallVector<Operation *> ops;
  DenseMap<Operation *, Place> places;
  // By the memory that they belong to.
  DenseMap<Value, SmallVector<HostAccess>> known;
  DenseMap<int64_t, int64_t> followers;
  Place previous{-1, 0};
  int64_t moved = 0;
  for (Operation &op : block.without_terminator()) {
    Place place{static_cast<int64_t>(ops.size()), 0};
    ops.push_back(&op);
    if (!isa<SubbufferOp>(op)) {
      const SmallVector<HostAccess> accesses = getAccesses(&op, symbols);
      if (isa<LaunchOp>(op) && countIntermediateBytes(accesses) <= kMostBytes) {
        // Before the first operation, if it depends on none.
        Place last{-1, 0};
        for (const HostAccess &access : accesses)
          for (const HostAccess &earlier : known[access.part.root])
            if ((access.isWrite || earlier.isWrite) &&
                earlier.part.mayOverlap(access.part))
              last = std::max(last, places.lookup(earlier.op));
        place = {last.first, ++followers[last.first]};
        moved += place < previous;
      }
      for (const HostAccess &access : accesses)
        known[access.part.root].push_back(access);
      previous = place;
    }
    places[&op] = place;
  }
  if (moved == 0)
    return;
  numMoved += moved;
  // Buffers are defined before their users.
  for (Operation *op : llvm::reverse(ops))
    if (isa<AllocOp, LiteralOp, SubbufferOp>(op))
      for (Operation *user : op->getUsers())
        if (auto it = places.find(user); it != places.end())
          places[op] = std::min(places[op], it->second);
  llvm::stable_sort(ops, [&](Operation *a, Operation *b) {
    return places.lookup(a) < places.lookup(b);
  });
  for (Operation *op : ops)
    op->moveBefore(block.getTerminator());
}

void TgOrderLaunchesPass::runOnOperation() {
  const SymbolTable symbols(getOperation());
  for (auto func : getOperation().getOps<func::FuncOp>())
    runOnFunction(func, symbols);
}
