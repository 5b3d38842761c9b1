//===- Schedule.cpp - tensor graphs to host programs and kernels ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-schedule pass. The operations of a function are visited
/// from the last to the first. All uses of a value are then known as accesses
/// of kernels under construction, and the value is either computed there or
/// gets a buffer and a kernel of its own. Kernels created later run earlier.
///
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "KernelBuilder.h"
#include "Lower.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include <list>

namespace mlir::tg {
#define GEN_PASS_DEF_TGSCHEDULE
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {

/// A step of the host program, in reverse order of execution.
struct Step {
  /// A kernel, or (if null) a transfer of `source` to `dest`.
  KernelBuilder *kernel = nullptr;
  Value source, dest;
};

/// Memory that a tensor is a contiguous part of.
struct Place {
  /// An argument, an assign's result, or a value that gets a buffer.
  Value base;
  /// In elements from the beginning of the base.
  int64_t offset = 0;
};

class FunctionScheduler {
public:
  FunctionScheduler(func::FuncOp func, StringRef device, int64_t &kernelNumber)
      : func(func), block(func.getBody().front()), defaultDevice(device),
        kernelNumber(kernelNumber), hostBlock(new Block()),
        host(func.getContext()) {
    host.setInsertionPointToEnd(hostBlock.get());
  }
  ~FunctionScheduler() {
    if (hostBlock) {
      kernels.clear();
      hostBlock->dropAllDefinedValueUses();
    }
  }

  LogicalResult run();
  int64_t numKernels = 0, numBuffers = 0;

private:
  LogicalResult check();
  LogicalResult assignDevices();
  void numberAssigns();
  Place locate(Value value);
  void findStored();

  Value request(Operation *user, Value tensor, KernelBuilder &kernel,
                ArrayRef<Value> indices, Value mask, ArrayRef<Value> scope);
  KernelBuilder &createKernel(Location loc, ArrayRef<int64_t> shape);
  void visit(Operation *op);
  void computeInPlace(Operation *op);
  void store(Operation *op, StringRef reason);
  void visitAssign(AssignOp assign);
  void visitCopy(CopyOp copy);
  void visitArgument(BlockArgument argument);

  Value getBuffer(Value value);
  Value getView(Place place, RankedTensorType type);
  BlockArgument getAssignedArgument(Value target);
  Value getPositionInArgument(AssignOp assign, IndexBuilder &index,
                              ArrayRef<Value> indices);
  Value snapshotFor(BlockArgument argument, int64_t version,
                    ArrayRef<Access *> accesses,
                    function_ref<Value(Access *)> getPosition,
                    SmallPtrSetImpl<Access *> &late);
  void emit();

  func::FuncOp func;
  Block &block;
  StringRef defaultDevice;
  int64_t &kernelNumber;

  /// The device that holds each value.
  DenseMap<Value, StringRef> devices;
  /// Values that get a buffer whatever it costs.
  DenseSet<Value> stored;
  DenseMap<Value, Value> buffers;
  DenseMap<Value, SmallVector<Access *>> accesses;
  /// Accesses of arguments that are assigned to, by version.
  DenseMap<std::pair<Value, int64_t>, SmallVector<Access *>> versioned;

  /// Assignments to each argument in order, and each operation's place.
  DenseMap<Value, SmallVector<AssignOp>> assigns;
  DenseMap<Operation *, int64_t> order;
  DenseMap<Operation *, KernelBuilder *> assignKernels;
  DenseMap<KernelBuilder *, int64_t> created;

  std::list<KernelBuilder> kernels;
  SmallVector<Step> steps;
  std::unique_ptr<Block> hostBlock;
  OpBuilder host;
  std::unique_ptr<CostModel> costs;
};

} // namespace

/// How many of the assignments come before \p user.
static int64_t countBefore(ArrayRef<AssignOp> assigns, Operation *user,
                           const DenseMap<Operation *, int64_t> &order) {
  int64_t position = order.lookup(user), count = 0;
  for (AssignOp assign : assigns)
    count += order.lookup(assign) < position;
  return count;
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

LogicalResult FunctionScheduler::check() {
  auto checkType = [&](Type type, auto report) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return report() << "scheduling works on ranked tensors, not " << type;
    if (!tensor.hasStaticShape())
      return report() << "scheduling needs static shapes, not "
                      << toString(getDims(tensor));
    return success();
  };
  for (BlockArgument argument : block.getArguments())
    if (failed(checkType(argument.getType(), [&] { return func.emitError(); })))
      return failure();
  int64_t position = 0;
  for (Operation &op : block.without_terminator()) {
    order[&op] = position++;
    if (op.getName().getDialectNamespace() != "tg" || op.getNumResults() != 1)
      return op.emitError("is not an operation of a tensor graph");
    if (isa<BufferOp>(op))
      return op.emitError(
          "has to become a function argument before scheduling");
    if (failed(checkType(op.getResult(0).getType(),
                         [&] { return op.emitError(); })))
      return failure();
  }
  order[block.getTerminator()] = position;
  return success();
}

LogicalResult FunctionScheduler::assignDevices() {
  for (BlockArgument argument : block.getArguments()) {
    auto attr =
        func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tg.device");
    devices[argument] = attr ? attr.getValue() : defaultDevice;
  }
  for (Operation &op : block.without_terminator()) {
    StringRef device;
    for (Value operand : op.getOperands()) {
      StringRef other = devices.lookup(operand);
      if (!device.empty() && !other.empty() && device != other)
        return op.emitError("operands are on different devices: ")
               << device << " and " << other;
      if (device.empty())
        device = other;
    }
    if (auto copy = dyn_cast<CopyOp>(op))
      device = copy.getDevice();
    devices[op.getResult(0)] = device;
  }
  // What depends on no input is computed on the default device.
  for (auto &entry : devices)
    if (entry.second.empty())
      entry.second = defaultDevice;
  return success();
}

BlockArgument FunctionScheduler::getAssignedArgument(Value target) {
  while (Operation *op = target.getDefiningOp())
    target = op->getOperand(0);
  return cast<BlockArgument>(target);
}

void FunctionScheduler::numberAssigns() {
  for (AssignOp assign : block.getOps<AssignOp>())
    assigns[getAssignedArgument(assign.getTarget())].push_back(assign);
}

/// Whether a shrink keeps a contiguous part, and the part's offset.
static std::optional<int64_t> getContiguousOffset(ShrinkOp shrink) {
  ArrayRef<int64_t> shape = shrink.getX().getType().getShape();
  SmallVector<int64_t> from = *getStaticDims(shrink.getFrom());
  SmallVector<int64_t> to = *getStaticDims(shrink.getTo());
  int64_t offset = 0, stride = 1;
  bool cut = false;
  for (size_t axis = shape.size(); axis-- > 0;) {
    int64_t size = to[axis] - from[axis];
    if (cut && size != 1)
      return std::nullopt;
    cut |= size != shape[axis];
    offset += from[axis] * stride;
    stride *= shape[axis];
  }
  return offset;
}

/// The offset of a target that is a contiguous part of its argument.
static std::optional<int64_t> getTargetOffset(Value target) {
  int64_t total = 0;
  while (Operation *op = target.getDefiningOp()) {
    if (auto shrink = dyn_cast<ShrinkOp>(op)) {
      std::optional<int64_t> offset = getContiguousOffset(shrink);
      if (!offset)
        return std::nullopt;
      total += *offset;
    } else if (!isa<ReshapeOp, AssignOp>(op)) {
      return std::nullopt;
    }
    target = op->getOperand(0);
  }
  return total;
}

Place FunctionScheduler::locate(Value value) {
  Place place{value, 0};
  while (Operation *op = place.base.getDefiningOp()) {
    if (stored.contains(place.base))
      return place;
    if (auto assign = dyn_cast<AssignOp>(op)) {
      // The argument itself, if it is not written again.
      BlockArgument argument = getAssignedArgument(assign.getTarget());
      std::optional<int64_t> offset = getTargetOffset(assign.getTarget());
      if (assigns[argument].back() != assign || !offset)
        return place;
      return {argument, place.offset + *offset};
    }
    if (auto copy = dyn_cast<CopyOp>(op)) {
      if (devices[copy.getX()] != devices[copy.getResult()])
        break;
    } else if (auto shrink = dyn_cast<ShrinkOp>(op)) {
      std::optional<int64_t> offset = getContiguousOffset(shrink);
      // Of a computed tensor only the part is worth computing.
      Place rest = offset ? locate(shrink.getX()) : Place();
      if (!isa_and_nonnull<BlockArgument>(rest.base))
        break;
      place.offset += *offset;
    } else if (!isa<ReshapeOp, DetachOp, ContiguousOp>(op)) {
      break;
    }
    place.base = op->getOperand(0);
  }
  // An argument that changes between this operation and the end of the program
  // does not hold the value any more.
  auto it = assigns.find(place.base);
  if (it != assigns.end() && !it->second.empty() && place.base != value)
    return {value, 0};
  return place;
}

void FunctionScheduler::findStored() {
  auto demand = [&](Value value) {
    Value base = locate(value).base;
    if (!isa<BlockArgument>(base) &&
        !isa<AssignOp, CopyOp>(base.getDefiningOp()) && !buffers.contains(base))
      stored.insert(base);
  };
  for (Operation &op : block.without_terminator()) {
    if (auto copy = dyn_cast<CopyOp>(op)) {
      if (devices[copy.getX()] != devices[copy.getResult()])
        demand(copy.getX());
    } else if (isa<ContiguousOp>(op)) {
      demand(op.getResult(0));
    } else if (auto constant = dyn_cast<ConstOp>(op)) {
      // Listed elements are memory from the beginning.
      auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
      if (dense && !dense.isSplat())
        buffers[constant] = LiteralOp::create(
            host, op.getLoc(),
            getBufferType(dense.getElementType(), dense.getNumElements()),
            dense, devices[constant]);
    }
  }
  for (OpOperand &result : block.getTerminator()->getOpOperands()) {
    demand(result.get());
    Operation *base = locate(result.get()).base.getDefiningOp();
    auto constant = dyn_cast_or_null<ConstOp>(base);
    if (!isa_and_nonnull<AssignOp>(base) &&
        !(constant && buffers.contains(constant)))
      continue;
    // A result is memory of its own.
    OpBuilder builder(block.getTerminator());
    Value copy =
        ContiguousOp::create(builder, result.get().getLoc(), result.get());
    devices[copy] = devices[result.get()];
    stored.insert(copy);
    result.set(copy);
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The buffer of a value that has one; made when it is first asked for.
Value FunctionScheduler::getBuffer(Value value) {
  Value &buffer = buffers[value];
  if (buffer)
    return buffer;
  auto type = cast<RankedTensorType>(value.getType());
  MemRefType bufferType =
      getBufferType(type.getElementType(), type.getNumElements());
  if (isa<BlockArgument>(value))
    return buffer = hostBlock->addArgument(bufferType, value.getLoc());
  ++numBuffers;
  return buffer =
             AllocOp::create(host, value.getLoc(), bufferType, devices[value]);
}

Value FunctionScheduler::getView(Place place, RankedTensorType type) {
  Value buffer = getBuffer(place.base);
  MemRefType viewType =
      getBufferType(type.getElementType(), type.getNumElements());
  if (buffer.getType() == viewType && place.offset == 0)
    return buffer;
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return ViewOp::create(host, buffer.getLoc(), viewType, buffer,
                        place.offset * bytes);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Value FunctionScheduler::request(Operation *user, Value tensor,
                                 KernelBuilder &kernel, ArrayRef<Value> indices,
                                 Value mask, ArrayRef<Value> scope) {
  if (auto it = assigns.find(tensor); it != assigns.end()) {
    int64_t version = countBefore(it->second, user, order);
    return kernel.request(tensor, version, indices, mask, scope,
                          versioned[{tensor, version}]);
  }
  return kernel.request(tensor, 0, indices, mask, scope, accesses[tensor]);
}

KernelBuilder &FunctionScheduler::createKernel(Location loc,
                                               ArrayRef<int64_t> shape) {
  KernelBuilder &kernel = kernels.emplace_back(loc, shape);
  created[&kernel] = steps.size();
  steps.push_back({&kernel, {}, {}});
  ++numKernels;
  return kernel;
}

/// Computes the value wherever it is used.
void FunctionScheduler::computeInPlace(Operation *op) {
  // Requests for operands go to other lists than this one.
  SmallVector<Access *> uses = accesses.lookup(op->getResult(0));
  for (Access *access : uses) {
    Value value = lowerAccess(op, *access,
                              [&](Value operand, ArrayRef<Value> indices,
                                  Value mask, ArrayRef<Value> scope) {
                                return request(op, operand, *access->kernel,
                                               indices, mask, scope);
                              });
    access->kernel->provide(*access, value);
  }
}

/// Gives the value a buffer and a kernel that fills it; uses load from it.
void FunctionScheduler::store(Operation *op, StringRef reason) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  ArrayRef<int64_t> shape = type.getShape();
  Value buffer = getBuffer(result);
  for (Access *access : accesses[result])
    access->kernel->provide(*access, access->kernel->createLoad(buffer, shape,
                                                                access->indices,
                                                                access->mask));
  remark::passed(op->getLoc(),
                 remark::RemarkOpts::name("store").category("tg-schedule"))
      << (op->getName().getStringRef() + " " + toString(getDims(type)) +
          " gets a buffer: " + reason)
             .str();
  if (type.getNumElements() == 0)
    return;
  KernelBuilder &kernel = createKernel(op->getLoc(), shape);
  SmallVector<Access *> own;
  Value placeholder = kernel.request(result, 0, kernel.getResultIndices(),
                                     Value(), kernel.getResultRanges(), own);
  kernel.createStore(placeholder, buffer,
                     kernel.linearize(shape, kernel.getResultIndices()));
  accesses[result] = own;
  computeInPlace(op);
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

/// The position in the argument's memory of a position of the target.
Value FunctionScheduler::getPositionInArgument(AssignOp assign,
                                               IndexBuilder &index,
                                               ArrayRef<Value> indices) {
  SmallVector<Value> position(indices);
  Value target = assign.getTarget(), mask;
  while (Operation *op = target.getDefiningOp()) {
    if (isMovementOp(op))
      position = mapIndices(op, index, position, mask);
    target = op->getOperand(0);
  }
  ArrayRef<int64_t> shape = cast<RankedTensorType>(target.getType()).getShape();
  LinearForm linear;
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    linear.add(index.getAnalysis().getLinear(position[axis]), stride);
    stride *= shape[axis];
  }
  return index.get(linear);
}

/// Some accesses want an argument as it is after `version` assignments, but run
/// in or after the kernel of the next one. They are put into `late` and read
/// the copy that is returned (null if there are none). An assignment may itself
/// read the elements that it is about to write.
Value FunctionScheduler::snapshotFor(BlockArgument argument, int64_t version,
                                     ArrayRef<Access *> accesses,
                                     function_ref<Value(Access *)> getPosition,
                                     SmallPtrSetImpl<Access *> &late) {
  ArrayRef<AssignOp> all = assigns[argument];
  if (version >= static_cast<int64_t>(all.size()))
    return nullptr;
  AssignOp next = all[version];
  KernelBuilder *nextKernel = assignKernels.lookup(next);
  for (Access *access : accesses) {
    if (!nextKernel || created[access->kernel] > created[nextKernel])
      continue;
    if (access->kernel == nextKernel &&
        getPosition(access) ==
            getPositionInArgument(next, nextKernel->getIndex(),
                                  nextKernel->getResultIndices()))
      continue;
    late.insert(access);
  }
  if (late.empty())
    return nullptr;
  Value buffer = getBuffer(argument);
  Value copy =
      AllocOp::create(host, argument.getLoc(),
                      cast<MemRefType>(buffer.getType()), devices[argument]);
  steps.push_back({nullptr, buffer, copy});
  return copy;
}

void FunctionScheduler::visitAssign(AssignOp assign) {
  BlockArgument argument = getAssignedArgument(assign.getTarget());
  ArrayRef<AssignOp> all = assigns[argument];
  int64_t version = llvm::find(all, assign) - all.begin() + 1;
  ArrayRef<int64_t> argumentShape =
      cast<RankedTensorType>(argument.getType()).getShape();
  Value buffer = getBuffer(argument);

  // Uses of the result and of the whole argument at this version.
  SmallVector<Access *> ofResult = accesses.lookup(assign);
  SmallVector<Access *> ofArgument = versioned.lookup({argument, version});
  SmallVector<Access *> uses = ofResult;
  llvm::append_range(uses, ofArgument);
  SmallPtrSet<Access *, 8> isOfArgument(llvm::from_range, ofArgument);
  auto getPosition = [&](Access *access) {
    if (isOfArgument.contains(access))
      return access->kernel->linearize(argumentShape, access->indices);
    return getPositionInArgument(assign, access->kernel->getIndex(),
                                 access->indices);
  };
  SmallPtrSet<Access *, 8> late;
  Value copy = snapshotFor(argument, version, uses, getPosition, late);
  for (Access *access : uses) {
    KernelBuilder &kernel = *access->kernel;
    Value source = kernel.getArgument(late.contains(access) ? copy : buffer);
    kernel.provide(*access,
                   LoadOp::create(kernel.getBuilder(), kernel.getLoc(),
                                  source, getPosition(access), access->mask));
  }

  if (assign.getType().getNumElements() == 0)
    return;
  KernelBuilder &kernel =
      createKernel(assign.getLoc(), assign.getType().getShape());
  assignKernels[assign] = &kernel;
  Value value =
      request(assign, assign.getValue(), kernel, kernel.getResultIndices(),
              Value(), kernel.getResultRanges());
  kernel.createStore(value, buffer,
                     getPositionInArgument(assign, kernel.getIndex(),
                                           kernel.getResultIndices()));
}

void FunctionScheduler::visitArgument(BlockArgument argument) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(argument.getType()).getShape();
  Value buffer = getBuffer(argument);
  bool assigned = assigns.contains(argument);
  SmallVector<Access *> uses =
      assigned ? versioned.lookup({argument, 0}) : accesses.lookup(argument);
  SmallPtrSet<Access *, 8> late;
  auto getPosition = [&](Access *access) {
    return access->kernel->linearize(shape, access->indices);
  };
  Value copy =
      assigned ? snapshotFor(argument, 0, uses, getPosition, late) : Value();
  for (Access *access : uses)
    access->kernel->provide(*access, access->kernel->createLoad(
                                         late.contains(access) ? copy : buffer,
                                         shape, access->indices, access->mask));
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void FunctionScheduler::visitCopy(CopyOp copy) {
  auto type = cast<RankedTensorType>(copy.getType());
  Value buffer = getBuffer(copy);
  for (Access *access : accesses[copy])
    access->kernel->provide(
        *access, access->kernel->createLoad(buffer, type.getShape(),
                                            access->indices, access->mask));
  steps.push_back({nullptr, getView(locate(copy.getX()), type), buffer});
}

void FunctionScheduler::visit(Operation *op) {
  Value result = op->getResult(0);
  if (auto assign = dyn_cast<AssignOp>(op))
    return visitAssign(assign);
  bool isStored = stored.contains(result);
  if (!isStored && accesses.lookup(result).empty() &&
      !llvm::is_contained(block.getTerminator()->getOperands(), result))
    if (!isa<CopyOp>(op) || op->use_empty())
      return;
  if (auto copy = dyn_cast<CopyOp>(op))
    if (devices[copy.getX()] != devices[result])
      return visitCopy(copy);
  if (buffers.contains(result) && isa<ConstOp>(op)) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(result.getType()).getShape();
    for (Access *access : accesses[result])
      access->kernel->provide(
          *access, access->kernel->createLoad(buffers[result], shape,
                                              access->indices, access->mask));
    return;
  }
  if (isStored)
    return store(op, "it is a result or asked to be contiguous");
  if (accesses.lookup(result).empty())
    return;
  // Views, constants and positions cost nothing where they are used.
  if (isMovementOp(op) ||
      isa<ConstOp, IotaOp, DetachOp, ContiguousOp, CopyOp>(op))
    return computeInPlace(op);
  std::string reason = costs->getReasonToStore(result, accesses[result]);
  if (!reason.empty())
    return store(op, reason);
  computeInPlace(op);
}

void FunctionScheduler::emit() {
  Location loc = func.getLoc();
  OpBuilder moduleBuilder(func);
  for (Step &step : llvm::reverse(steps)) {
    if (!step.kernel) {
      TransferOp::create(host, loc, step.source, step.dest);
      continue;
    }
    std::string name =
        step.kernel->getName() + "_n" + std::to_string(kernelNumber++);
    SmallVector<Value> operands;
    Location kernelLoc = step.kernel->getLoc();
    KernelOp kernel = step.kernel->finish(moduleBuilder, name, operands);
    // What an assignment writes is the caller's memory, and may be read too.
    kernel.setInPlace(isa<BlockArgument>(operands[0]));
    LaunchOp::create(host, kernelLoc,
                     FlatSymbolRefAttr::get(kernel.getSymNameAttr()), operands);
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands()) {
    Place place = locate(value);
    auto type = cast<RankedTensorType>(value.getType());
    results.push_back(getView(place, type));
  }
  func::ReturnOp::create(host, loc, results);

  auto hostFunc = func::FuncOp::create(
      moduleBuilder, loc, func.getName(),
      FunctionType::get(func.getContext(), hostBlock->getArgumentTypes(),
                        ValueRange(results).getTypes()));
  hostFunc.setVisibility(func.getVisibility());
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (Attribute device = func.getArgAttr(i, "tg.device"))
      hostFunc.setArgAttr(i, "tg.device", device);
  hostFunc.getBody().push_back(hostBlock.release());
}

LogicalResult FunctionScheduler::run() {
  if (failed(check()))
    return failure();
  numberAssigns();
  if (failed(assignDevices()))
    return failure();
  // Arguments keep their order.
  for (BlockArgument argument : block.getArguments())
    getBuffer(argument);
  findStored();
  costs = std::make_unique<CostModel>(
      block, [&](Value value) { return stored.contains(value); });
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    visit(op);
  for (BlockArgument argument : block.getArguments())
    visitArgument(argument);
  emit();
  return success();
}

namespace {
struct TgSchedulePass : public tg::impl::TgScheduleBase<TgSchedulePass> {
  using Base::Base;

  void runOnOperation() override {
    int64_t kernelNumber = 0;
    SmallVector<func::FuncOp> funcs;
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      auto isTensor = [](Type type) { return isa<TensorType>(type); };
      FunctionType type = func.getFunctionType();
      if (!func.isExternal() && (llvm::any_of(type.getInputs(), isTensor) ||
                                 llvm::any_of(type.getResults(), isTensor)))
        funcs.push_back(func);
    }
    for (func::FuncOp func : funcs) {
      if (!func.getBody().hasOneBlock()) {
        func.emitError("scheduling needs a function of one block");
        return signalPassFailure();
      }
      {
        FunctionScheduler scheduler(func, device, kernelNumber);
        if (failed(scheduler.run()))
          return signalPassFailure();
        numKernels += scheduler.numKernels;
        numBuffers += scheduler.numBuffers;
      }
      func.erase();
    }
  }
};
} // namespace
