//===- ComposeViews.cpp - movement operations as views --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-compose-views pass.
///
//===----------------------------------------------------------------------===//

#include "ComposeViews.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGCOMPOSEVIEWS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Whether all elements of the result are elements of the operand or zeros.
static bool isView(Operation *op) {
  return isa<MovementOpInterface>(op) || isa<DetachOp>(op);
}

/// Whether the result has all elements of the operand, in order.
static bool isReshape(Operation *op) {
  auto movement = dyn_cast<MovementOpInterface>(op);
  return movement ? movement.keepsOrder() : isa<DetachOp>(op);
}

/// Whether the use reads elements: it is neither a step of a longer chain nor
/// the target of an assignment.
static bool isRead(OpOperand &use) {
  if (isView(use.getOwner()))
    return false;
  auto assign = dyn_cast<AssignOp>(use.getOwner());
  return !assign || use != assign.getTargetMutable();
}

/// Whether the use requires a buffer.
static bool isStore(OpOperand &use) {
  return isa<ContiguousOp, CopyOp>(use.getOwner()) ||
         use.getOwner()->hasTrait<OpTrait::IsTerminator>();
}

namespace {
class Composer {
public:
  void run(Block &block);

private:
  /// A value as a view of another one.
  struct Source {
    Value base;
    ViewChain chain;
    /// The value that this one is a reshape of; null if it is not.
    Value reshaped;
  };
  Value getRead(Value value);
  Value createRead(Operation *before, Value base, Type type,
                   const ViewChain &chain);

  DenseMap<Value, Source> sources;
  DenseMap<Value, Value> reads;
};
} // namespace

/// The chain as one operation, or its base if the chain changes nothing.
Value Composer::createRead(Operation *before, Value base, Type type,
                           const ViewChain &chain) {
  if (base.getType() == type &&
      chain.getViews() == ViewChain(cast<RankedTensorType>(type)).getViews())
    return base;
  OpBuilder builder(before);
  return StridedOp::create(builder, before->getLoc(), type, base,
                           chain.getAttr());
}

Value Composer::getRead(Value value) {
  auto source = sources.find(value);
  if (source == sources.end())
    return value;
  Value &read = reads[value];
  if (!read)
    read = createRead(value.getDefiningOp(), source->second.base,
                      value.getType(), source->second.chain);
  return read;
}

void Composer::run(Block &block) {
  SmallVector<Operation *> views;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isView(&op))
      continue;
    Value operand = op.getOperand(0), result = op.getResult(0);
    auto known = sources.find(operand);
    Source source =
        known != sources.end()
            ? known->second
            : Source{operand,
                     ViewChain(cast<RankedTensorType>(operand.getType())),
                     {}};
    if (!isa<DetachOp>(op))
      source.chain.apply(&op);
    if (!isReshape(&op))
      source.reshaped = Value();
    else if (!source.reshaped)
      source.reshaped = operand;
    // A tg.strided of a value that is not a view stays as it is.
    if (isa<StridedOp>(op) && known == sources.end())
      reads[result] = result;
    sources.try_emplace(result, source);
    views.push_back(&op);
    if (llvm::none_of(result.getUses(), isRead))
      continue;
    Value replacement;
    if (source.reshaped && llvm::any_of(result.getUses(), isStore)) {
      // Memory is the same in any shape: store the value in its original shape,
      // which needs no divisions.
      Value inner = getRead(source.reshaped);
      auto type = cast<RankedTensorType>(inner.getType());
      ViewChain reshape(type);
      reshape.append(View::getRowMajor(
          type.getContext(),
          tg::getDims(cast<RankedTensorType>(result.getType()))));
      replacement = createRead(&op, inner, result.getType(), reshape);
    } else {
      replacement = getRead(result);
    }
    if (replacement != result)
      result.replaceUsesWithIf(replacement, isRead);
  }
  for (Operation *op : llvm::reverse(views))
    if (op->use_empty())
      op->erase();
}

void mlir::tg::composeViews(Block &block) { Composer().run(block); }

namespace {
struct TgComposeViewsPass
    : public tg::impl::TgComposeViewsBase<TgComposeViewsPass> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      composeViews(block);
  }
};
} // namespace
