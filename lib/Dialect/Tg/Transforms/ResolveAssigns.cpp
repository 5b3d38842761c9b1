//===- ResolveAssigns.cpp - reads of memory that changes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-resolve-assigns pass, in time linear in the size of the
/// block.
///
//===----------------------------------------------------------------------===//

#include "ResolveAssigns.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGRESOLVEASSIGNS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {

class AssignResolver {
public:
  explicit AssignResolver(Block &block) : block(block) {}

  void run();

private:
  void rebaseTarget(AssignOp assign);
  void dropAssign(AssignOp assign);

  Block &block;
  DenseMap<Operation *, int64_t> places;
  llvm::SmallSetVector<Value, 4> assigned;
  /// The last assignment to each root so far.
  DenseMap<Value, Value> last;
  /// What each view has become as a target.
  DenseMap<Value, Value> views;
  /// The roots of targets that are known so far.
  DenseMap<Value, Value> roots;
  /// Views that name the memory that is written, and do not read it.
  DenseSet<Operation *> targetOps;
  /// The operations that targets were views of before.
  llvm::SmallSetVector<Operation *, 8> replaced;
};

} // namespace

/// Rebuilds the target's movement operations on the argument itself.
void AssignResolver::rebaseTarget(AssignOp assign) {
  SmallVector<Operation *> movements;
  Value target = assign.getTarget();
  while (Operation *op = target.getDefiningOp()) {
    if (auto other = dyn_cast<AssignOp>(op)) {
      // The target of the other assignment, which is already rebuilt.
      target = other.getTarget();
      break;
    }
    if (Value view = views.lookup(target)) {
      target = view;
      break;
    }
    if (!isMovementOp(op))
      break;
    movements.push_back(op);
    replaced.insert(op);
    target = op->getOperand(0);
  }
  Value root = roots.try_emplace(target, target).first->second;
  OpBuilder builder(assign);
  for (Operation *op : llvm::reverse(movements)) {
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, target);
    targetOps.insert(copy);
    target = views[op->getResult(0)] = copy->getResult(0);
  }
  roots[target] = root;
  assign.getTargetMutable().assign(target);
}

/// Erases an assignment of no elements, which does not change memory.
void AssignResolver::dropAssign(AssignOp assign) {
  Value root = assign.getTarget();
  while (Operation *op = root.getDefiningOp()) {
    if (!isMovementOp(op) && !isa<AssignOp>(op))
      break;
    root = op->getOperand(0);
  }
  for (Operation *user : llvm::make_early_inc_range(assign->getUsers())) {
    auto after = dyn_cast<AfterOp>(user);
    if (!after)
      continue;
    if (Value before = last.lookup(root))
      after.getAssignMutable().assign(before);
    else
      after.getAssignMutable().clear();
  }
  assign.replaceAllUsesWith(assign.getValue());
  assign.erase();
}

void AssignResolver::run() {
  SmallVector<AssignOp> assigns(block.getOps<AssignOp>());
  if (assigns.empty())
    return;
  for (auto [place, op] : llvm::enumerate(block))
    places[&op] = place;
  for (AssignOp assign : assigns) {
    if (getBufferSize(assign.getType()) == 0) {
      for (Operation *op = assign.getTarget().getDefiningOp();
           op && isMovementOp(op); op = op->getOperand(0).getDefiningOp())
        replaced.insert(op);
      dropAssign(assign);
      continue;
    }
    rebaseTarget(assign);
    Value root = roots[assign.getTarget()];
    last[root] = assign;
    if (isa<BlockArgument>(root))
      assigned.insert(root);
  }
  // Erase views that only targets used, users before their operands.
  SmallVector<Operation *> unused(replaced.begin(), replaced.end());
  llvm::sort(unused,
             [&](Operation *a, Operation *b) { return places[a] > places[b]; });
  for (Operation *op : unused)
    if (op->use_empty())
      op->erase();
  for (Value argument : assigned) {
    Value contents;
    for (OpOperand &use : llvm::make_early_inc_range(argument.getUses())) {
      Operation *user = use.getOwner();
      if (user->getBlock() != &block || isa<AfterOp>(user) ||
          targetOps.contains(user) ||
          (isa<AssignOp>(user) && use.getOperandNumber() == 0))
        continue;
      if (!contents) {
        auto builder = OpBuilder::atBlockBegin(&block);
        contents = AfterOp::create(builder, argument.getLoc(),
                                   argument.getType(), argument, Value());
      }
      use.set(contents);
    }
  }
}

void mlir::tg::resolveAssigns(Block &block) {
  for (auto op : llvm::make_early_inc_range(block.getOps<WithDerivativeOp>())) {
    op.replaceAllUsesWith(op.getX());
    op.erase();
  }
  AssignResolver(block).run();
}

namespace {
struct TgResolveAssignsPass
    : public tg::impl::TgResolveAssignsBase<TgResolveAssignsPass> {
  using Base::Base;

  void runOnOperation() override {
    // Tensor graphs have one block; scheduling rejects control flow.
    if (getOperation().getBody().hasOneBlock())
      resolveAssigns(getOperation().getBody().front());
  }
};
} // namespace
