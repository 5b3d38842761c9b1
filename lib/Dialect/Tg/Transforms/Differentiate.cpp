//===- Differentiate.cpp - gradients of tensor graphs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reverse-mode differentiation: walks the operations between the output and
/// the values to differentiate by in reverse order, and adds up gradients.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Differentiate.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::tg;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

/// fp8 types have no arithmetic, which adding up gradients requires.
static bool hasGradient(Value value) {
  return isFloat(value) && !isFp8(getElementTypeOrSelf(value));
}

namespace {
class Differentiation {
public:
  /// With \p endsAtWrt, values of `wrt` pass no gradients on to the values that
  /// they are computed from.
  Differentiation(OpBuilder &builder, ValueRange wrt, bool endsAtWrt = false)
      : builder(builder), wrt(wrt.begin(), wrt.end()), endsAtWrt(endsAtWrt) {}

  /// Computes gradients; getGradient returns null for those not needed.
  LogicalResult run(Value output, Value seed);
  Value getGradient(Value value) const { return gradients.lookup(value); }

private:
  void collect(Value output);
  bool isWanted(Value value) const {
    return isFloat(value) && active.contains(value);
  }
  void addGradient(Value value, Value gradient);
  LogicalResult differentiateOp(Operation *op, Value gradient);
  LogicalResult differentiateComposed(ComposedOpInterface op, Value gradient);
  LogicalResult reportMissing(Operation *op);

  OpBuilder &builder;
  DenseSet<Value> wrt;
  bool endsAtWrt;
  /// The operations that the output is computed from, in block order.
  SmallVector<Operation *> ops;
  /// The values of `wrt` and those that depend on them.
  DenseSet<Value> active;
  DenseMap<Value, Value> gradients;
};
} // namespace

/// Collects the operations from `wrt` to the output.
void Differentiation::collect(Value output) {
  DenseSet<Operation *> seen;
  SmallVector<Value> work{output};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || (endsAtWrt && wrt.contains(value)) || !seen.insert(op).second)
      continue;
    ops.push_back(op);
    llvm::append_range(work, op->getOperands());
  }
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  active = wrt;
  for (Operation *op : ops)
    if (!isa<DetachOp>(op) &&
        llvm::any_of(op->getOperands(), [&](Value x) { return isWanted(x); }))
      for (Value result : op->getResults())
        if (isFloat(result))
          active.insert(result);
}

LogicalResult Differentiation::run(Value output, Value seed) {
  collect(output);
  if (!isWanted(output))
    return success();
  gradients[output] = seed;
  for (Operation *op : llvm::reverse(ops)) {
    // An operation with a region or several results lacks the interface, which
    // any one gradient suffices to report.
    Value gradient;
    for (Value result : op->getResults())
      if (Value own = gradients.lookup(result))
        gradient = own;
    if (gradient && !isa<DetachOp>(op) &&
        llvm::any_of(op->getOperands(), [&](Value x) { return isWanted(x); }) &&
        failed(differentiateOp(op, gradient)))
      return failure();
  }
  return success();
}

void Differentiation::addGradient(Value value, Value gradient) {
  Value &sum = gradients[value];
  sum = sum ? Value(AddOp::create(builder, gradient.getLoc(), sum, gradient))
            : gradient;
}

LogicalResult Differentiation::differentiateOp(Operation *op, Value gradient) {
  if (!hasGradient(gradient))
    return op->emitOpError("has a result of type ")
           << gradient.getType() << ", which has no arithmetic for a gradient";
  if (auto composed = dyn_cast<ComposedOpInterface>(op))
    return differentiateComposed(composed, gradient);
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return reportMissing(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isWanted(operand.get()))
      continue;
    FailureOr<Value> own = differentiable.buildGradient(
        builder, operand.getOperandNumber(), gradient);
    if (failed(own))
      return failure();
    if (!*own)
      continue;
    if (own->getType() != operand.get().getType())
      return op->emitOpError("has an operand ")
             << operand.getOperandNumber() << " of type "
             << operand.get().getType() << ", for which it builds a gradient "
             << "of type " << own->getType();
    addGradient(operand.get(), *own);
  }
  return success();
}

LogicalResult Differentiation::differentiateComposed(ComposedOpInterface op,
                                                     Value gradient) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (isWanted(operand) && !llvm::is_contained(operands, operand))
      operands.push_back(operand);
  Value composition = op.compose(builder, op->getOperands());
  if (!composition || composition.getType() != op->getResult(0).getType())
    return op->emitOpError("is composed as a value of another type");
  // The outer walk handles what the operands are computed from.
  Differentiation inner(builder, operands, /*endsAtWrt=*/true);
  if (failed(inner.run(composition, gradient)))
    return failure();
  for (Value operand : operands)
    if (Value own = inner.getGradient(operand))
      addGradient(operand, own);
  return success();
}

/// Reports the operation, with notes on the path from it to a value of `wrt`.
LogicalResult Differentiation::reportMissing(Operation *op) {
  InFlightDiagnostic error = op->emitOpError("has no derivative");
  constexpr unsigned kMaxNotes = 8;
  for (unsigned i = 0; op && i < kMaxNotes; ++i) {
    auto next =
        llvm::find_if(op->getOperands(), [&](Value x) { return isWanted(x); });
    if (next == op->operand_end())
      break;
    Value value = *next;
    if (wrt.contains(value)) {
      error.attachNote(value.getLoc())
          << "it is differentiated by this value of type " << value.getType();
      break;
    }
    op = value.getDefiningOp();
    error.attachNote(value.getLoc()) << "which depends on this operation";
  }
  return error;
}

FailureOr<SmallVector<Value>> tg::differentiate(OpBuilder &builder,
                                                Value output, Value seed,
                                                ValueRange wrt) {
  if (!hasGradient(output))
    return emitError(output.getLoc(), "the gradient of a value of type ")
           << output.getType()
           << " was requested; only floats of 16 bits or more have one";
  if (seed.getType() != output.getType())
    return emitError(seed.getLoc(), "the seed has type ")
           << seed.getType() << ", the value to be differentiated "
           << output.getType();
  for (Value value : wrt)
    if (!hasGradient(value))
      return emitError(value.getLoc(), "the gradient by a value of type ")
             << value.getType()
             << " was requested; only floats of 16 bits or more have one";
  Differentiation differentiation(builder, wrt);
  if (failed(differentiation.run(output, seed)))
    return failure();
  SmallVector<Value> results;
  for (Value value : wrt) {
    Value gradient = differentiation.getGradient(value);
    if (!gradient)
      gradient =
          ConstOp::create(builder, value.getLoc(), value.getType(),
                          getNumberAttr(getElementTypeOrSelf(value), 0.0));
    results.push_back(gradient);
  }
  return results;
}
