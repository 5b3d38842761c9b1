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
#include "TinyGrad/Dialect/Tg/IR/TgDevice.h"
#include "TinyGrad/Dialect/Tg/IR/TgViewGradients.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
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

bool tg::stopsGradient(Operation *op) {
  return isa<DetachOp>(op) || op->hasAttr(noGradientAttrName);
}

/// Whether a gradient of the result has a part that goes to this operand.
static bool leadsOn(Operation *op, unsigned number) {
  return !isa<WithDerivativeOp>(op) || number == 1;
}

/// The value that is stored in the result of an operation without operands, if
/// there is one.
static Value findOrigin(Operation *op, function_ref<Value(Value)> getOrigin) {
  return getOrigin && op->getNumOperands() == 0 && op->getNumResults() == 1
             ? getOrigin(op->getResult(0))
             : Value();
}

/// The operands, and what regions of the operation use from outside of them; or
/// its origin.
static SmallVector<Value> getInputs(Operation *op,
                                    function_ref<Value(Value)> getOrigin) {
  if (Value origin = findOrigin(op, getOrigin))
    return {origin};
  SmallVector<Value> inputs(op->getOperands());
  if (op->getNumRegions() > 0) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(inputs, captured);
  }
  return inputs;
}

SmallVector<Operation *>
tg::collectDifferentiated(ValueRange outputs, function_ref<bool(Value)> isLeaf,
                          function_ref<Value(Value)> getOrigin) {
  SmallVector<Operation *> ops;
  DenseSet<Operation *> seen;
  // Iterative, since graphs may be deeper than the stack.
  struct Step {
    Operation *op;
    SmallVector<Value, 3> inputs;
    unsigned next = 0;
  };
  SmallVector<Step> path;
  auto enter = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isFloat(value) || stopsGradient(op) ||
        (isLeaf && isLeaf(value)) || !seen.insert(op).second)
      return;
    path.push_back({op, {}});
    for (auto [number, input] : llvm::enumerate(getInputs(op, getOrigin)))
      if (leadsOn(op, static_cast<unsigned>(number)))
        path.back().inputs.push_back(input);
  };
  for (Value output : outputs) {
    enter(output);
    while (!path.empty()) {
      Step &step = path.back();
      if (step.next < step.inputs.size()) {
        enter(step.inputs[step.next++]);
        continue;
      }
      ops.push_back(step.op);
      path.pop_back();
    }
  }
  return ops;
}

namespace {
class Differentiation {
public:
  /// Errors get notes on the path to `wrt` if \p reportsPaths.
  Differentiation(OpBuilder &builder, ValueRange wrt,
                  function_ref<bool(Value)> isLeaf,
                  function_ref<Value(Value)> getOrigin, bool reportsPaths)
      : builder(builder), wrt(wrt.begin(), wrt.end()), isLeaf(isLeaf),
        getOrigin(getOrigin), reportsPaths(reportsPaths) {}

  /// Computes gradients; getGradient returns null for those not needed.
  LogicalResult run(ValueRange outputs, ValueRange seeds);
  Value getGradient(Value value) const { return gradients.lookup(value); }

private:
  /// Collects the operations from `wrt` to the outputs.
  void collect(ValueRange outputs);
  bool isWanted(Value value) const {
    return isFloat(value) && active.contains(value);
  }
  SmallVector<Value> inputsOf(Operation *op) const {
    return getInputs(op, getOrigin);
  }
  void addGradient(Value value, Value gradient);
  LogicalResult differentiateOp(Operation *op, Value gradient);
  LogicalResult applyRule(Operation *op, Value gradient);
  LogicalResult differentiateComposed(ComposedOpInterface op, Value gradient);
  void attachPath(Diagnostic &error, Operation *op);

  OpBuilder &builder;
  DenseSet<Value> wrt;
  function_ref<bool(Value)> isLeaf;
  function_ref<Value(Value)> getOrigin;
  bool reportsPaths;
  /// The operations that the outputs are computed from, each after its
  /// operands.
  SmallVector<Operation *> ops;
  /// The values of `wrt` and those that depend on them.
  DenseSet<Value> active;
  DenseMap<Value, Value> gradients;
};
} // namespace

void Differentiation::collect(ValueRange outputs) {
  ops = collectDifferentiated(outputs, isLeaf, getOrigin);
  active = wrt;
  for (Operation *op : ops)
    if (llvm::any_of(inputsOf(op), [&](Value x) { return isWanted(x); }))
      for (Value result : op->getResults())
        if (isFloat(result))
          active.insert(result);
}

LogicalResult Differentiation::run(ValueRange outputs, ValueRange seeds) {
  collect(outputs);
  for (auto [output, seed] : llvm::zip_equal(outputs, seeds))
    if (isWanted(output))
      addGradient(output, seed);
  for (Operation *op : llvm::reverse(ops)) {
    // An operation with a region or several results lacks the interface, which
    // any one gradient suffices to report.
    Value gradient;
    for (Value result : op->getResults())
      if (Value own = gradients.lookup(result))
        gradient = own;
    if (gradient &&
        llvm::any_of(inputsOf(op), [&](Value x) { return isWanted(x); }) &&
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
  SmallVector<Diagnostic> errors;
  LogicalResult result = success();
  {
    // Errors of rules get the path, too.
    ScopedDiagnosticHandler handler(
        op->getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          errors.push_back(std::move(diagnostic));
          return success();
        });
    result = applyRule(op, gradient);
  }
  for (Diagnostic &error : errors) {
    if (reportsPaths)
      attachPath(error, op);
    op->getContext()->getDiagEngine().emit(std::move(error));
  }
  return result;
}

LogicalResult Differentiation::applyRule(Operation *op, Value gradient) {
  if (Value origin = findOrigin(op, getOrigin)) {
    addGradient(origin, gradient);
    return success();
  }
  if (!hasGradient(gradient))
    return op->emitOpError("has a result of type ")
           << gradient.getType() << ", which has no arithmetic for a gradient";
  if (auto composed = dyn_cast<ComposedOpInterface>(op))
    return differentiateComposed(composed, gradient);
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return op->emitOpError("has no derivative");
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isWanted(operand.get()))
      continue;
    // The gradient of padding takes what is inside of it, so a view of padding
    // need not have the rest, unless that is wanted itself.
    auto view = dyn_cast<StridedOp>(op);
    FailureOr<Value> own =
        view && view.getX().getDefiningOp<PadOp>() && !wrt.contains(view.getX())
            ? buildGradientInside(view, builder, gradient)
            : differentiable.buildGradient(builder, operand.getOperandNumber(),
                                           gradient);
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
  auto isOperand = [&](Value value) {
    return llvm::is_contained(operands, value);
  };
  Differentiation inner(builder, operands, isOperand, /*getOrigin=*/{},
                        /*reportsPaths=*/false);
  if (failed(inner.run(composition, gradient)))
    return failure();
  for (Value operand : operands)
    if (Value own = inner.getGradient(operand))
      addGradient(operand, own);
  return success();
}

/// Attaches notes on the path from the operation to a value of `wrt`.
void Differentiation::attachPath(Diagnostic &error, Operation *op) {
  constexpr unsigned kMaxNotes = 8;
  for (unsigned i = 0; op && i < kMaxNotes; ++i) {
    const SmallVector<Value> inputs = inputsOf(op);
    const Value *next =
        llvm::find_if(inputs, [&](Value x) { return isWanted(x); });
    if (next == inputs.end())
      break;
    Value value = *next;
    if (wrt.contains(value)) {
      error.attachNote(value.getLoc())
          << "it is differentiated by this value of type " << value.getType();
      break;
    }
    op = value.getDefiningOp();
    error.attachNote(value.getLoc())
        << "which depends on this operation"
        << (op ? ", '" + op->getName().getStringRef().str() + "'" : "");
  }
}

FailureOr<SmallVector<Value>>
tg::differentiate(OpBuilder &builder, ValueRange outputs, ValueRange seeds,
                  ValueRange wrt, function_ref<bool(Value)> isLeaf,
                  function_ref<Value(Value)> getOrigin) {
  for (auto [output, seed] : llvm::zip_equal(outputs, seeds)) {
    if (!hasGradient(output))
      return emitError(output.getLoc(), "the gradient of a value of type ")
             << output.getType()
             << " was requested; only floats of 16 bits or more have one";
    if (seed.getType() != output.getType())
      return emitError(seed.getLoc(), "the seed has type ")
             << seed.getType() << ", the value to be differentiated "
             << output.getType();
  }
  for (Value value : wrt)
    if (!hasGradient(value))
      return emitError(value.getLoc(), "the gradient by a value of type ")
             << value.getType()
             << " was requested; only floats of 16 bits or more have one";
  Differentiation differentiation(builder, wrt, isLeaf, getOrigin,
                                  /*reportsPaths=*/true);
  if (failed(differentiation.run(outputs, seeds)))
    return failure();
  return llvm::map_to_vector(
      wrt, [&](Value value) { return differentiation.getGradient(value); });
}

Value tg::createZeroGradient(OpBuilder &builder, Value value) {
  return ConstOp::create(builder, value.getLoc(), value.getType(),
                         getNumberAttr(getElementTypeOrSelf(value), 0.0));
}

/// Any seed will do for a gradient that is linear in it. But some rules
/// distinguish the signs of gradients, which must not be zero by accident:
/// equal elements would cancel where a mean is subtracted. Therefore neighbors
/// are different numbers between 0.5 and 1.5.
static Value createSeed(OpBuilder &builder, Value like) {
  const Location loc = like.getLoc();
  auto type = cast<RankedTensorType>(like.getType());
  auto bytes = cast<RankedTensorType>(
      type.clone(builder.getIntegerType(8, /*isSigned=*/false)));
  constexpr int64_t spread = 151; // odd, so that 256 positions are different
  Value mixed;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (type.getDimSize(axis) == 1)
      continue;
    Value sum = IotaOp::create(builder, loc, bytes, axis);
    if (mixed)
      sum = AddOp::create(builder, loc, sum, mixed);
    mixed = MulOp::create(builder, loc, sum,
                          ConstOp::create(builder, loc, bytes, spread));
  }
  auto constant = [&](double value) -> Value {
    return ConstOp::create(builder, loc, type,
                           getNumberAttr(type.getElementType(), value));
  };
  if (!mixed)
    return constant(1.0);
  Value fraction =
      MulOp::create(builder, loc, CastOp::create(builder, loc, type, mixed),
                    constant(1.0 / 256));
  return AddOp::create(builder, loc, fraction, constant(0.5));
}

FailureOr<SmallVector<Value>> tg::linearize(OpBuilder &builder,
                                            ValueRange outputs, ValueRange wrt,
                                            ValueRange tangents) {
  SmallVector<Value> results;
  for (Value output : outputs) {
    Value seed = createSeed(builder, output);
    // Copies of the seed to the devices of operands are differentiated, too. A
    // constant is on no device.
    if (StringAttr device = findDevice(output))
      seed = CopyOp::create(builder, output.getLoc(), seed, device);
    FailureOr<SmallVector<Value>> gradients =
        differentiate(builder, output, seed, wrt);
    if (failed(gradients))
      return failure();
    SmallVector<Value> linear, seeds;
    for (auto [gradient, tangent] : llvm::zip_equal(*gradients, tangents))
      if (gradient) {
        linear.push_back(gradient);
        seeds.push_back(tangent);
      }
    FailureOr<SmallVector<Value>> tangent =
        differentiate(builder, linear, seeds, seed);
    if (failed(tangent))
      return failure();
    results.push_back(tangent->front());
  }
  return results;
}
