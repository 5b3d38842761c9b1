//===- SimplifyIndex.cpp - the simplifier of index arithmetic -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the driver of the rules of index arithmetic and the
/// tg-simplify-index pass.
///
/// Operations are looked at in the order of the block, so that operands are in
/// their final form before an operation that uses them. What a rule makes is
/// put in front of the operation that it replaces, and looked at next. Each
/// rule replaces a value by one of smaller measure; parts of an expression
/// measure less than the whole. So no infinite sequence of rewrites starts at
/// any value, and the sweep ends.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/SimplifyIndex.h"
#include "../OperationSet.h"
#include "TinyGrad/Dialect/Tg/IR/TgSharedUpdates.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGSIMPLIFYINDEX
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Operations behind a masked access that are looked at again under the mask.
static constexpr size_t kMaxUnderMask = 128;

namespace {
class Simplifier : public RewriterBase::Listener {
public:
  Simplifier(KernelOp kernel, const FrozenRewritePatternSet &rules,
             const SimplifyIndexOptions &options);

  LogicalResult run();
  unsigned getNumRewrites() const { return numRewrites; }

private:
  /// Brings an operation, and what rules make of it, into final form.
  LogicalResult settle(Operation *op);
  /// One step: whether the operation was replaced.
  FailureOr<bool> step(Operation *op);
  Value fold(Operation *op);
  FailureOr<bool> applyRules(Operation *op);
  LogicalResult report(StringRef rule, Operation *before, Value after);

  /// Simplifies an operand with what the condition says.
  LogicalResult simplifyUnder(Value condition, bool holds, OpOperand &operand);
  void eraseDead();

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (!previous.isSet())
      created.push_back(op);
  }
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    replacement = values[0];
  }
  void notifyOperationErased(Operation *op) override {
    for (Value result : op->getResults()) {
      rewriter.facts->forget(result);
      rewriter.measure.forget(result);
      checked.forget(result);
    }
  }

  KernelOp kernel;
  const SimplifyIndexOptions &options;
  PatternApplicator applicator;
  IndexRewriter rewriter;
  /// What holds everywhere; the rewriter has what is known at the moment.
  IndexAnalysis everywhere;
  /// Operations in final form; those under a condition apart.
  OperationSet settled, settledUnder;
  unsigned numRewrites = 0;
  /// Measures of what is settled, to check rules by.
  IndexMeasure checked;
  /// What the last operation was replaced by.
  Value replacement;
  /// Operations that a rewrite has made, in their order.
  SmallVector<Operation *> created;
  /// Under which condition rewrites happen at the moment.
  Value condition;
  bool conditionHolds = true;
};
} // namespace

Simplifier::Simplifier(KernelOp kernel, const FrozenRewritePatternSet &rules,
                       const SimplifyIndexOptions &options)
    : kernel(kernel), options(options), applicator(rules),
      rewriter(kernel.getContext()) {
  rewriter.facts = &everywhere;
  applicator.applyDefaultCostModel();
  rewriter.setListener(this);
}

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

LogicalResult Simplifier::report(StringRef rule, Operation *before,
                                 Value after) {
  if (options.checkMeasure) {
    // Not the measures that rules work with: what was made is not settled.
    Value old = before->getResult(0);
    IndexAnalysis &facts = *rewriter.facts;
    std::pair from(checked.getExpanded(old, facts), checked.get(old));
    std::pair to(checked.getExpanded(after, facts), checked.get(after));
    checked.forget(old);
    facts.forget(old);
    for (Operation *op : created) {
      checked.forget(op->getResult(0));
      facts.forget(op->getResult(0));
    }
    if (to >= from && from.first < IndexMeasure::kMost)
      return before->emitError()
             << "the rule '" << rule << "' does not make the expression "
             << "smaller: its measure was (" << from.first << ", "
             << from.second << ") and is (" << to.first << ", " << to.second
             << ")";
  }
  if (!options.onRewrite)
    return success();
  return options.onRewrite(
      {rule, before->getResult(0), after, condition, conditionHolds});
}

/// The operand or constant that the operation folds to; null if to none.
Value Simplifier::fold(Operation *op) {
  if (isa<ConstOp>(op)) // folds to itself
    return {};
  SmallVector<OpFoldResult, 1> results;
  // Once more where that brought operands into order.
  if (failed(op->fold(results)) ||
      (results.empty() && failed(op->fold(results))) || results.size() != 1)
    return {};
  if (Value value = dyn_cast<Value>(results[0]))
    return value;
  Operation *constant = op->getDialect()->materializeConstant(
      rewriter, cast<Attribute>(results[0]), op->getResult(0).getType(),
      op->getLoc());
  return constant ? constant->getResult(0) : Value();
}

FailureOr<bool> Simplifier::applyRules(Operation *op) {
  // Rules look at the operation itself, which goes away.
  OwningOpRef<Operation *> before;
  if (options.checkMeasure || options.onRewrite)
    before = OpBuilder(op).clone(*op);
  rewriter.setInsertionPoint(op);
  StringRef rule;
  LogicalResult applied = applicator.matchAndRewrite(
      op, rewriter, {}, {}, [&](const Pattern &pattern) {
        rule = pattern.getDebugName();
        rule = rule.drop_front(rule.rfind(':') + 1);
        return success();
      });
  if (failed(applied))
    return false;
  ++numRewrites;
  if (before && failed(report(rule, *before, replacement)))
    return failure();
  return true;
}

FailureOr<bool> Simplifier::step(Operation *op) {
  rewriter.setInsertionPoint(op);
  if (Value folded = fold(op)) {
    if (options.onRewrite &&
        failed(options.onRewrite(
            {"fold", op->getResult(0), folded, condition, conditionHolds})))
      return failure();
    rewriter.replaceOp(op, folded);
    return true;
  }
  if (auto it = settled.find(op); it != settled.end() && !condition) {
    rewriter.replaceOp(op, (*it)->getResults());
    return true;
  }
  FailureOr<bool> applied = applyRules(op);
  if (failed(applied) || *applied)
    return applied;
  if (!condition) {
    settled.insert(op);
    return false;
  }
  // Under a condition, what is as it is without one is that.
  for (OperationSet *known : {&settled, &settledUnder})
    if (auto it = known->find(op); it != known->end()) {
      rewriter.replaceOp(op, (*it)->getResults());
      return true;
    }
  settledUnder.insert(op);
  return false;
}

LogicalResult Simplifier::settle(Operation *first) {
  SmallVector<Operation *> stack{first};
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    // Other operations have passes of their own.
    if (!isIndexArithmetic(op))
      continue;
    if (auto where = dyn_cast<WhereOp>(op);
        where && where.getType().isIndex() && !condition) {
      Value chosenBy = where.getCondition();
      if (failed(simplifyUnder(chosenBy, true, where.getXMutable())) ||
          failed(simplifyUnder(chosenBy, false, where.getYMutable())))
        return failure();
    }
    created.clear();
    FailureOr<bool> replaced = step(op);
    if (failed(replaced))
      return failure();
    // In their order: operands before what uses them.
    if (*replaced)
      llvm::append_range(stack, llvm::reverse(created));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// The index arithmetic behind a value, operands first; nothing if there is too
/// much of it, or nothing in it that bounds make simpler.
static SetVector<Operation *> getSlice(Value value) {
  size_t size = 0;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return isIndexArithmetic(op) && ++size <= kMaxUnderMask;
  };
  SetVector<Operation *> slice;
  const bool isWhole = succeeded(getBackwardSlice(value, &slice, options)) &&
                       size <= kMaxUnderMask;
  auto dependsOnBounds = [](Operation *op) {
    return isa<FloorDivOp, FloorModOp, IDivOp, ModOp, MaxOp, WhereOp>(op);
  };
  return isWhole && llvm::any_of(slice, dependsOnBounds)
             ? slice
             : SetVector<Operation *>();
}

/// Whether \p op updates elements that several work items may share (C8 of
/// tg.kernel). An index under a mask that admits one position of a range can be
/// one that no longer depends on it.
static bool sharesUpdates(Operation *op) {
  auto store = dyn_cast<StoreOp>(op);
  return store && store.getUpdate() &&
         findSharedRange(store, store->getParentOfType<KernelOp>());
}

LogicalResult Simplifier::simplifyUnder(Value mask, bool holds,
                                        OpOperand &operand) {
  SetVector<Operation *> slice = getSlice(operand.get());
  if (slice.empty())
    return success();
  IndexAnalysis under;
  if (!under.assume(mask, holds))
    return success();

  llvm::SaveAndRestore saveCondition(condition, mask);
  llvm::SaveAndRestore saveFacts(rewriter.facts, &under);
  llvm::SaveAndRestore saveHolds(conditionHolds, holds);
  llvm::SaveAndRestore saveChecked(checked, {});
  OpBuilder builder(operand.getOwner());
  IRMapping mapping;
  SmallVector<Operation *> copies;
  for (Operation *op : slice)
    copies.push_back(builder.clone(*op, mapping));
  Value old = operand.get();
  operand.set(mapping.lookup(old));
  LogicalResult result = success();
  for (Operation *copy : copies)
    if (succeeded(result))
      result = settle(copy);
  if (rewriter.measure.get(operand.get()) >= rewriter.measure.get(old) ||
      sharesUpdates(operand.getOwner()))
    operand.set(old);
  settledUnder.clear();
  return result;
}

//===----------------------------------------------------------------------===//
// The sweep
//===----------------------------------------------------------------------===//

void Simplifier::eraseDead() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (op.use_empty() && isIndexArithmetic(&op))
      rewriter.eraseOp(&op);
}

LogicalResult Simplifier::run() {
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    // Under a mask, the index may be simpler.
    auto simplifyAccess = [&](auto access) {
      return access.getMask() ? simplifyUnder(access.getMask(), true,
                                              access.getIndexMutable())
                              : success();
    };
    if (failed(llvm::TypeSwitch<Operation *, LogicalResult>(&op)
                   .Case<LoadOp, StoreOp>(simplifyAccess)
                   .Default([&](Operation *op) { return settle(op); })))
      return failure();
  }
  eraseDead();
  return success();
}

LogicalResult mlir::tg::simplifyIndices(KernelOp kernel,
                                        const FrozenRewritePatternSet &rules,
                                        const SimplifyIndexOptions &options,
                                        unsigned *numRewrites) {
  Simplifier simplifier(kernel, rules, options);
  LogicalResult result = simplifier.run();
  if (numRewrites)
    *numRewrites += simplifier.getNumRewrites();
  return result;
}

namespace {
struct TgSimplifyIndexPass
    : public tg::impl::TgSimplifyIndexBase<TgSimplifyIndexPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    rules = getIndexRules(context);
    return success();
  }

  void runOnOperation() override {
    SimplifyIndexOptions options;
    options.checkMeasure |= checkMeasure;
    unsigned applied = 0;
    if (failed(simplifyIndices(getOperation(), rules, options, &applied)))
      signalPassFailure();
    numRewrites += applied;
  }

  FrozenRewritePatternSet rules;
};
} // namespace
