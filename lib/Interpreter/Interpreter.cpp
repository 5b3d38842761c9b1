//===- Interpreter.cpp - reference interpreter of tensor graphs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates a function from top to bottom, one operation at a time. Values are
/// freed after their last use; assignments write to the memory that they view.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Interpreter/Interpreter.h"
#include "Elements.h"
#include "Evaluate.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tg;

static void evaluateIota(IotaOp op, HostTensor &result) {
  if (result.numElements() == 0)
    return;
  // Positions are signed integers; casting them defines the conversion.
  HostTensor positions;
  positions.shape = result.shape;
  positions.elementType = IntegerType::get(op.getContext(), 64);
  positions.bytes.resize(result.numElements() * sizeof(int64_t));
  SmallVector<std::vector<int64_t>> axes;
  for (int64_t extent : result.shape)
    axes.emplace_back(extent);
  std::vector<int64_t> &counted = axes[op.getAxis()];
  std::iota(counted.begin(), counted.end(), 0);
  char *to = positions.bytes.data();
  forEachSum(axes, [&](int64_t position) {
    PlainElement<int64_t>::store(to, position);
    to += sizeof(int64_t);
  });
  evaluateCast(positions, result);
}

/// All variables are bound at this point.
static FailureOr<HostTensor> evaluateDim(DimOp op) {
  Dim dim(op.getDim());
  std::optional<int64_t> value = dim.getStatic();
  if (!value)
    return op.emitOpError("has the value ")
           << dim.str()
           << "; its variables must be bound before it is executed";
  auto type = cast<RankedTensorType>(op.getType());
  return makeHostTensor(op.getLoc(), type,
                        getNumberAttr(type.getElementType(), *value));
}

/// Evaluates the operations that the operation is composed of, in order.
static FailureOr<HostTensor>
interpretComposed(ComposedOpInterface op,
                  ArrayRef<const HostTensor *> operands) {
  Block block;
  for (Value operand : op->getOperands())
    block.addArgument(operand.getType(), op.getLoc());
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  Value result = op.compose(builder, block.getArguments());
  DenseMap<Value, const HostTensor *> values;
  for (auto [argument, operand] :
       llvm::zip_equal(block.getArguments(), operands))
    values[argument] = operand;
  std::vector<std::unique_ptr<HostTensor>> made;
  for (Operation &inner : block) {
    FailureOr<HostTensor> value = interpretOp(
        &inner, llvm::map_to_vector(inner.getOperands(), [&](Value operand) {
          return values.lookup(operand);
        }));
    if (failed(value))
      return failure();
    made.push_back(std::make_unique<HostTensor>(std::move(*value)));
    values[inner.getResult(0)] = made.back().get();
  }
  return *values.lookup(result);
}

FailureOr<HostTensor>
mlir::tg::interpretOp(Operation *op, ArrayRef<const HostTensor *> operands) {
  auto unsupported = [&]() {
    return op->emitOpError("is not an operation on tensors that the "
                           "interpreter can execute");
  };
  if (op->getNumResults() != 1)
    return unsupported();
  Type type = op->getResult(0).getType();
  if (auto constant = dyn_cast<ConstOp>(op)) {
    if (auto tensorType = dyn_cast<RankedTensorType>(type))
      return makeHostTensor(op->getLoc(), tensorType, constant.getValue());
    return unsupported();
  }
  if (isa<CopyOp, ContiguousOp, DetachOp, WithDerivativeOp>(op))
    return *operands[0];
  if (!isa<RankedTensorType>(type))
    return unsupported();
  if (isa<MovementOpInterface>(op))
    return interpretMovement(op, *operands[0]);
  if (auto composed = dyn_cast<ComposedOpInterface>(op))
    return interpretComposed(composed, operands);
  if (!isa_and_nonnull<TgDialect>(op->getDialect()))
    return unsupported();
  FailureOr<HostTensor> result = makeHostTensor(op->getLoc(), type);
  if (failed(result))
    return failure();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    evaluateReduce(reduce, *operands[0], *result);
  else if (auto scan = dyn_cast<ScanOp>(op))
    evaluateScan(scan, *operands[0], *result);
  else if (auto scatter = dyn_cast<ScatterOp>(op))
    evaluateScatter(scatter, *operands[0], *operands[1], *operands[2], *result);
  else if (auto argsort = dyn_cast<ArgsortOp>(op))
    evaluateArgsort(argsort, *operands[0], *result);
  else if (auto iota = dyn_cast<IotaOp>(op))
    evaluateIota(iota, *result);
  else if (auto dim = dyn_cast<DimOp>(op))
    return evaluateDim(dim);
  else if (!evaluateElementwise(op, operands, *result))
    return unsupported();
  return result;
}

namespace {
/// One evaluation of one function.
class Run {
public:
  Run(Block &block, MutableArrayRef<HostTensor> inputs,
      const InterpreterOptions &options);

  LogicalResult execute(SmallVectorImpl<HostTensor> &results);

private:
  LogicalResult execute(Operation *op);
  LogicalResult executeBuffer(BufferOp op);
  LogicalResult executeAssign(AssignOp op);
  void addMemory(Value value, HostTensor *tensor);
  void keepContents(Value target, Value assign);
  const HostTensor &get(Value value);
  void freeAfter(Operation *op);

  Block &block;
  const InterpreterOptions &options;
  /// Arguments and tg.buffer results: memory owned by the caller.
  DenseMap<Value, HostTensor *> memory;
  /// The initial contents of memory that is assigned to.
  DenseMap<HostTensor *, std::unique_ptr<HostTensor>> old;
  bool hasAssigns;
  /// All other values that are still used.
  DenseMap<Value, std::unique_ptr<HostTensor>> values;
  /// The last operation that uses each value.
  DenseMap<Value, Operation *> lastUse;
};
} // namespace

Run::Run(Block &block, MutableArrayRef<HostTensor> inputs,
         const InterpreterOptions &options)
    : block(block), options(options),
      hasAssigns(!block.getOps<AssignOp>().empty()) {
  for (auto [argument, input] : llvm::zip_equal(block.getArguments(), inputs))
    addMemory(argument, &input);
  for (Operation &op : block)
    for (Value operand : op.getOperands())
      lastUse[operand] = &op;
}

/// Registers an argument or a buffer; two of them may share memory.
void Run::addMemory(Value value, HostTensor *tensor) {
  memory[value] = tensor;
  if (hasAssigns && !old.contains(tensor))
    old[tensor] = std::make_unique<HostTensor>(*tensor);
}

/// Copies the present contents of memory for `tg.after` operations that refer
/// to the state after `assign`.
void Run::keepContents(Value target, Value assign) {
  for (Operation *user : target.getUsers())
    if (auto after = dyn_cast<AfterOp>(user);
        after && after.getAssign() == assign && after.getTarget() == target)
      values[after.getResult()] =
          std::make_unique<HostTensor>(*memory.at(target));
}

const HostTensor &Run::get(Value value) {
  auto found = memory.find(value);
  if (found == memory.end())
    return *values.at(value);
  return hasAssigns ? *old.at(found->second) : *found->second;
}

void Run::freeAfter(Operation *op) {
  for (Value operand : op->getOperands())
    if (lastUse[operand] == op)
      values.erase(operand);
  for (Value result : op->getResults())
    if (!lastUse.contains(result))
      values.erase(result);
}

LogicalResult Run::executeBuffer(BufferOp op) {
  HostTensor *tensor = options.buffer ? options.buffer(op.getId()) : nullptr;
  if (!tensor)
    return op.emitOpError("there is no buffer ") << op.getId();
  RankedTensorType type = op.getType();
  if (tensor->elementType != type.getElementType() ||
      ArrayRef<int64_t>(tensor->shape) != type.getShape())
    return op.emitOpError("buffer ")
           << op.getId() << " holds "
           << RankedTensorType::get(tensor->shape, tensor->elementType)
           << ", not " << type;
  addMemory(op.getResult(), tensor);
  return success();
}

LogicalResult Run::executeAssign(AssignOp op) {
  Value root;
  FailureOr<std::vector<int64_t>> positions =
      getViewedPositions(op.getTarget(), root);
  if (failed(positions))
    return failure();
  auto result = std::make_unique<HostTensor>(get(op.getValue()));
  HostTensor *target = memory.lookup(root);
  if (!target)
    return op.emitOpError("the target is not memory");
  unsigned size = getElementSize(target->elementType);
  for (auto [i, position] : llvm::enumerate(*positions))
    std::memcpy(target->bytes.data() + position * size,
                result->bytes.data() + i * size, size);
  values[op.getResult()] = std::move(result);
  keepContents(root, op.getResult());
  return success();
}

LogicalResult Run::execute(Operation *op) {
  if (auto buffer = dyn_cast<BufferOp>(op))
    return executeBuffer(buffer);
  if (auto assign = dyn_cast<AssignOp>(op))
    return executeAssign(assign);
  if (auto after = dyn_cast<AfterOp>(op)) {
    // The other states were copied when they were current.
    if (!after.getAssign())
      values[after.getResult()] =
          std::make_unique<HostTensor>(get(after.getTarget()));
    return success();
  }
  SmallVector<const HostTensor *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&get(operand));
  FailureOr<HostTensor> result = interpretOp(op, operands);
  if (failed(result))
    return failure();
  values[op->getResult(0)] = std::make_unique<HostTensor>(std::move(*result));
  return success();
}

LogicalResult Run::execute(SmallVectorImpl<HostTensor> &results) {
  for (Operation &op : block) {
    if (isa<func::ReturnOp>(op)) {
      for (Value operand : op.getOperands())
        results.push_back(get(operand));
      return success();
    }
    if (failed(execute(&op)))
      return failure();
    freeAfter(&op);
  }
  return block.getParentOp()->emitOpError("does not return");
}

LogicalResult mlir::tg::interpret(func::FuncOp function,
                                  MutableArrayRef<HostTensor> inputs,
                                  SmallVectorImpl<HostTensor> &results,
                                  const InterpreterOptions &options) {
  results.clear();
  if (function.isExternal())
    return function.emitOpError("has no body to execute");
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has control flow, which a tensor graph "
                                "cannot have");
  FunctionType type = function.getFunctionType();
  if (type.getNumInputs() != inputs.size())
    return function.emitOpError("takes ")
           << type.getNumInputs() << " inputs, but " << inputs.size()
           << (inputs.size() == 1 ? " is" : " are") << " given";
  for (auto [i, wanted, input] : llvm::enumerate(type.getInputs(), inputs)) {
    auto given = RankedTensorType::get(input.shape, input.elementType);
    if (wanted != given)
      return function.emitOpError("input ")
             << i << " is " << wanted << ", but " << given << " is given";
    size_t bytes = input.numElements() * getElementSize(input.elementType);
    if (getElementSize(input.elementType) == 0 || input.bytes.size() != bytes)
      return function.emitOpError("input ")
             << i << " of type " << given << " needs " << bytes
             << " bytes, but " << input.bytes.size() << " are given";
  }
  return Run(function.getBody().front(), inputs, options).execute(results);
}
