//===- OrderAssigns.cpp - reads of memory that changes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-order-assigns pass, in time linear in the size of the
/// block.
///
//===----------------------------------------------------------------------===//

#include "OrderAssigns.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGORDERASSIGNS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {

/// An argument that is assigned to.
struct Memory {
  /// The assignments in order, and the place of each in the block.
  SmallVector<AssignOp> assigns;
  SmallVector<int64_t> places;
  /// The tg.after for the contents after so many of them, once there is one.
  SmallVector<Value> contents;
};

class Orderer {
public:
  explicit Orderer(Block &block) : block(block) {}

  void run();

private:
  void rebaseTarget(AssignOp assign);
  Value getContents(Value argument, Memory &memory, int64_t version);

  Block &block;
  DenseMap<Operation *, int64_t> places;
  llvm::MapVector<Value, Memory> memories;
  /// What each view became where it is a target.
  DenseMap<Value, Value> views;
  /// The root of each target, as far as it is known.
  DenseMap<Value, Value> roots;
  /// Views that name what is written rather than read it.
  DenseSet<Operation *> targetOps;
  /// What targets were views of before.
  llvm::SmallSetVector<Operation *, 8> replaced;
};

} // namespace

/// Makes the target movement operations of their own on the argument itself.
void Orderer::rebaseTarget(AssignOp assign) {
  SmallVector<Operation *> movements;
  Value target = assign.getTarget();
  while (Operation *op = target.getDefiningOp()) {
    if (auto other = dyn_cast<AssignOp>(op)) {
      // What that one's target became.
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

/// What `argument` holds after `version` assignments.
Value Orderer::getContents(Value argument, Memory &memory, int64_t version) {
  memory.contents.resize(memory.assigns.size() + 1);
  Value &contents = memory.contents[version];
  if (contents)
    return contents;
  OpBuilder builder(block.getParentOp()->getContext());
  Value assign;
  if (version == 0) {
    builder.setInsertionPointToStart(&block);
  } else {
    assign = memory.assigns[version - 1];
    builder.setInsertionPointAfterValue(assign);
  }
  return contents = AfterOp::create(builder, argument.getLoc(),
                                    argument.getType(), argument, assign);
}

void Orderer::run() {
  SmallVector<AssignOp> assigns(block.getOps<AssignOp>());
  if (assigns.empty())
    return;
  for (auto [place, op] : llvm::enumerate(block))
    places[&op] = place;
  for (AssignOp assign : assigns) {
    if (assign.getType().hasStaticShape() &&
        assign.getType().getNumElements() == 0) {
      for (Operation *op = assign.getTarget().getDefiningOp();
           op && isMovementOp(op); op = op->getOperand(0).getDefiningOp())
        replaced.insert(op);
      assign.replaceAllUsesWith(assign.getValue());
      assign.erase();
      continue;
    }
    rebaseTarget(assign);
    Value root = roots[assign.getTarget()];
    if (!isa<BlockArgument>(root))
      continue;
    memories[root].assigns.push_back(assign);
    memories[root].places.push_back(places[assign]);
  }
  // Views that only targets used; users come before their operands.
  SmallVector<Operation *> unused(replaced.begin(), replaced.end());
  llvm::sort(unused,
             [&](Operation *a, Operation *b) { return places[a] > places[b]; });
  for (Operation *op : unused)
    if (op->use_empty())
      op->erase();
  for (auto &[argument, memory] : memories) {
    for (OpOperand &use : llvm::make_early_inc_range(argument.getUses())) {
      Operation *user = use.getOwner();
      if (user->getBlock() != &block || isa<AfterOp>(user) ||
          targetOps.contains(user) || user->hasTrait<OpTrait::IsTerminator>() ||
          (isa<AssignOp>(user) && use.getOperandNumber() == 0))
        continue;
      int64_t version = llvm::lower_bound(memory.places, places[user]) -
                        memory.places.begin();
      use.set(getContents(argument, memory, version));
    }
  }
}

void mlir::tg::orderAssigns(Block &block) { Orderer(block).run(); }

namespace {
struct TgOrderAssignsPass
    : public tg::impl::TgOrderAssignsBase<TgOrderAssignsPass> {
  using Base::Base;

  void runOnOperation() override {
    // A tensor graph has one block; control flow is for scheduling to reject.
    if (getOperation().getBody().hasOneBlock())
      orderAssigns(getOperation().getBody().front());
  }
};
} // namespace
