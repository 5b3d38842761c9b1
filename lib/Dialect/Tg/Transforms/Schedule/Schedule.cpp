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

#include "../KernelSet.h"
#include "../OrderAssigns.h"
#include "CheckGraph.h"
#include "CostModel.h"
#include "KernelBuilder.h"
#include "Lower.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGSCHEDULE
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

namespace {

/// A step of the host program, in reverse order of execution: a transfer of
/// `source` to `dest`, or the launch of a kernel.
struct Step {
  Value source, dest;
  /// Until everything in it is known.
  std::unique_ptr<KernelBuilder> builder;
  /// From then on.
  KernelOp kernel;
  SmallVector<Value> operands;
  Location loc;
};

/// An argument that is assigned to.
struct Memory {
  SmallVector<AssignOp> assigns;
  /// The step of each, once it was visited.
  SmallVector<size_t> steps;
  /// Accesses of the contents after so many of them.
  SmallVector<SmallVector<Access *>> accesses;
};

/// Names for kernels that nothing else in the module has.
struct KernelNames {
  llvm::StringSet<> taken;
  int64_t number = 0;

  std::string get(StringRef base) {
    std::string name;
    do
      name = (base + "_n" + Twine(number++)).str();
    while (!taken.insert(name).second);
    return name;
  }
};

/// Memory that a tensor is a contiguous part of.
struct Place {
  /// An argument or any other value, which then needs a buffer.
  Value base;
  /// In elements from the beginning of the base.
  int64_t offset = 0;
};

class FunctionScheduler {
public:
  FunctionScheduler(func::FuncOp func, StringRef device, KernelNames &names)
      : func(func), block(func.getBody().front()), defaultDevice(device),
        names(names), hostBlock(new Block()), host(func.getContext()) {
    host.setInsertionPointToEnd(hostBlock.get());
  }
  ~FunctionScheduler() {
    if (hostBlock)
      hostBlock->dropAllDefinedValueUses();
  }

  LogicalResult run();
  int64_t numKernels = 0, numBuffers = 0;

private:
  LogicalResult assignDevices();
  void numberAssigns();
  Place locate(Operation *op);
  void findStored();

  void provide(Access &access, Value value);
  void finish(Step &step);
  void finishComplete();
  Value request(Value tensor, KernelBuilder &kernel, ArrayRef<Value> indices,
                Value mask, ArrayRef<Value> scope);
  void load(ArrayRef<Access *> uses, Value buffer, ArrayRef<int64_t> shape);
  KernelBuilder &createKernel(Location loc, ArrayRef<int64_t> shape);
  void visit(Operation *op);
  void computeInPlace(Operation *op);
  void store(Operation *op, StringRef reason);
  void visitAssign(AssignOp assign);
  void visitCopy(CopyOp copy);
  void visitArgument(BlockArgument argument);

  Value getBuffer(Value value);
  Value getView(Place place, RankedTensorType type);
  bool isAcrossDevices(CopyOp copy);
  int64_t getVersion(AfterOp after);
  Value snapshotFor(BlockArgument argument, int64_t version,
                    ArrayRef<Access *> accesses,
                    function_ref<Value(Access *)> getPosition,
                    SmallPtrSetImpl<Access *> &late);
  void emit();

  func::FuncOp func;
  Block &block;
  StringRef defaultDevice;
  KernelNames &names;

  /// The device that holds each value.
  DenseMap<Value, StringRef> devices;
  /// Values that are a part of an argument or of another value's buffer.
  DenseMap<Value, Place> places;
  /// Values that get a buffer whatever it costs.
  DenseSet<Value> stored;
  DenseMap<Value, Value> buffers;
  DenseMap<Value, SmallVector<Access *>> accesses;

  DenseMap<Value, Memory> memories;
  /// How many assignments to the same argument there are up to each.
  DenseMap<Operation *, int64_t> versions;
  SmallVector<Step> steps;
  /// Steps whose kernels waited for nothing at some time since the last look.
  llvm::SmallSetVector<size_t, 8> complete;
  /// What the launches refer to.
  KernelSet kernels;
  std::unique_ptr<Block> hostBlock;
  OpBuilder host;
  std::unique_ptr<CostModel> costs;
};

} // namespace

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// A constant with listed elements, which is memory from the beginning.
static bool isLiteral(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  if (!constant)
    return false;
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  return dense && !dense.isSplat() && dense.getNumElements() != 0;
}

LogicalResult FunctionScheduler::assignDevices() {
  for (BlockArgument argument : block.getArguments()) {
    auto attr = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  deviceAttrName);
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
  // What depends on no input is computed where it is needed.
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    StringRef &device = devices[op.getResult(0)];
    if (device.empty())
      device = defaultDevice;
    if (isa<CopyOp>(op))
      continue;
    for (Value operand : op.getOperands())
      if (StringRef &other = devices.find(operand)->second; other.empty())
        other = device;
  }
  return success();
}

bool FunctionScheduler::isAcrossDevices(CopyOp copy) {
  return devices.lookup(copy.getX()) != devices.lookup(copy.getResult());
}

/// The argument that a target is a view of, by movement operations alone.
static BlockArgument getAssignedArgument(AssignOp assign) {
  Value target = assign.getTarget();
  while (Operation *op = target.getDefiningOp())
    target = op->getOperand(0);
  return cast<BlockArgument>(target);
}

void FunctionScheduler::numberAssigns() {
  for (AssignOp assign : block.getOps<AssignOp>()) {
    Memory &memory = memories[getAssignedArgument(assign)];
    memory.assigns.push_back(assign);
    versions[assign] = memory.assigns.size();
  }
  for (auto &[argument, memory] : memories) {
    memory.steps.resize(memory.assigns.size());
    memory.accesses.resize(memory.assigns.size() + 1);
  }
}

/// How many assignments come before what is read.
int64_t FunctionScheduler::getVersion(AfterOp after) {
  return after.getAssign() ? versions.lookup(after.getAssign().getDefiningOp())
                           : 0;
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
    } else if (!isa<ReshapeOp>(op)) {
      return std::nullopt;
    }
    target = op->getOperand(0);
  }
  return total;
}

/// Where the result of an operation lies, given where its operands do.
Place FunctionScheduler::locate(Operation *op) {
  Place own{op->getResult(0), 0};
  auto isLast = [&](BlockArgument argument, int64_t version) {
    auto it = memories.find(argument);
    return it == memories.end() ||
           version == static_cast<int64_t>(it->second.assigns.size());
  };
  if (auto assign = dyn_cast<AssignOp>(op)) {
    // Later assignments would change it.
    BlockArgument argument = getAssignedArgument(assign);
    std::optional<int64_t> offset = getTargetOffset(assign.getTarget());
    return offset && isLast(argument, versions[assign])
               ? Place{argument, *offset}
               : own;
  }
  if (auto after = dyn_cast<AfterOp>(op)) {
    auto argument = cast<BlockArgument>(after.getTarget());
    return isLast(argument, getVersion(after)) ? Place{argument, 0} : own;
  }
  if (op->getNumOperands() == 0)
    return own;
  Place place = places.lookup(op->getOperand(0));
  if (auto shrink = dyn_cast<ShrinkOp>(op)) {
    // Of a computed tensor only the part is worth computing.
    std::optional<int64_t> offset = getContiguousOffset(shrink);
    if (!offset || !isa<BlockArgument>(place.base))
      return own;
    place.offset += *offset;
    return place;
  }
  auto copy = dyn_cast<CopyOp>(op);
  if (isa<ReshapeOp, DetachOp, ContiguousOp>(op) ||
      (copy && !isAcrossDevices(copy)))
    return place;
  return own;
}

void FunctionScheduler::findStored() {
  for (BlockArgument argument : block.getArguments())
    places[argument] = {argument, 0};
  for (Operation &op : block.without_terminator())
    places[op.getResult(0)] = locate(&op);

  auto isContentsAtATime = [](Value base) {
    return isa_and_nonnull<AssignOp, AfterOp>(base.getDefiningOp());
  };
  auto demand = [&](Value value) {
    Value base = places[value].base;
    auto copy = base.getDefiningOp<CopyOp>();
    if (!isa<BlockArgument>(base) && !isContentsAtATime(base) &&
        !isLiteral(base) && !(copy && isAcrossDevices(copy)))
      stored.insert(base);
  };
  // Copies of memory that is about to change, or that must not change.
  DenseMap<Value, Value> copies;
  auto demandCopy = [&](OpOperand &use) {
    Value value = use.get();
    Value &copy = copies[value];
    if (!copy) {
      OpBuilder builder(func.getContext());
      builder.setInsertionPointAfterValue(value);
      copy = ContiguousOp::create(builder, value.getLoc(), value);
      devices[copy] = devices.lookup(value);
      places[copy] = {copy, 0};
      stored.insert(copy);
    }
    use.set(copy);
  };
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    Value result = op.getResult(0);
    if (auto copy = dyn_cast<CopyOp>(op)) {
      if (!isAcrossDevices(copy))
        continue;
      if (isContentsAtATime(places[copy.getX()].base))
        demandCopy(copy.getXMutable());
      else
        demand(copy.getX());
    } else if (isa<ContiguousOp>(op) && !stored.contains(result)) {
      demand(result);
    } else if (isLiteral(result)) {
      auto dense = cast<DenseElementsAttr>(cast<ConstOp>(op).getValue());
      buffers[result] = LiteralOp::create(
          host, op.getLoc(),
          getBufferType(dense.getElementType(), dense.getNumElements()), dense,
          devices[result]);
    }
  }
  for (OpOperand &result : block.getTerminator()->getOpOperands()) {
    Value base = places[result.get()].base;
    if (isContentsAtATime(base) || isLiteral(base))
      demandCopy(result);
    else
      demand(result.get());
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

Value FunctionScheduler::request(Value tensor, KernelBuilder &kernel,
                                 ArrayRef<Value> indices, Value mask,
                                 ArrayRef<Value> scope) {
  auto type = cast<RankedTensorType>(tensor.getType());
  // There is no such element, so whoever asks will not use it.
  if (type.getNumElements() == 0)
    return ConstOp::create(kernel.getBuilder(), kernel.getLoc(),
                           type.getElementType(), int64_t(0));
  return kernel.request(tensor, indices, mask, scope, accesses[tensor]);
}

void FunctionScheduler::provide(Access &access, Value value) {
  KernelBuilder &kernel = *access.kernel;
  kernel.provide(access, value);
  if (!kernel.isWaiting())
    complete.insert(kernel.getStep());
}

/// Makes the kernel. Most programs repeat themselves, and are far larger than
/// the caches: one that equals another is gone again at once.
void FunctionScheduler::finish(Step &step) {
  KernelOp kernel = step.builder->finish(step.operands);
  step.builder.reset();
  // What an assignment writes is the caller's memory, and may be read too.
  kernel.setInPlace(isa<BlockArgument>(step.operands[0]));
  step.kernel = kernels.insert(kernel);
  if (step.kernel != kernel)
    kernel.erase();
}

void FunctionScheduler::finishComplete() {
  for (size_t number : complete)
    if (Step &step = steps[number]; !step.builder->isWaiting())
      finish(step);
  complete.clear();
}

/// The elements come from a buffer that holds a tensor of `shape`.
void FunctionScheduler::load(ArrayRef<Access *> uses, Value buffer,
                             ArrayRef<int64_t> shape) {
  for (Access *access : uses) {
    Value value = access->kernel->createLoad(buffer, shape, access->indices,
                                             access->mask);
    provide(*access, value);
  }
}

KernelBuilder &FunctionScheduler::createKernel(Location loc,
                                               ArrayRef<int64_t> shape) {
  auto kernel = std::make_unique<KernelBuilder>(loc, shape, steps.size());
  KernelBuilder &created = *kernel;
  steps.push_back({{}, {}, std::move(kernel), {}, {}, loc});
  ++numKernels;
  return created;
}

/// Computes the value wherever it is used.
void FunctionScheduler::computeInPlace(Operation *op) {
  // Requests for operands go to other lists than this one.
  SmallVector<Access *> uses = accesses.lookup(op->getResult(0));
  for (Access *access : uses) {
    Value value = lowerAccess(op, *access,
                              [&](Value operand, ArrayRef<Value> indices,
                                  Value mask, ArrayRef<Value> scope) {
                                return request(operand, *access->kernel,
                                               indices, mask, scope);
                              });
    provide(*access, value);
  }
}

/// Gives the value a buffer and a kernel that fills it; uses load from it.
void FunctionScheduler::store(Operation *op, StringRef reason) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  ArrayRef<int64_t> shape = type.getShape();
  Value buffer = getBuffer(result);
  load(accesses[result], buffer, shape);
  remark::passed(op->getLoc(),
                 remark::RemarkOpts::name("store").category("tg-schedule"))
      << (op->getName().getStringRef() + " " + toString(getDims(type)) +
          " gets a buffer: " + reason)
             .str();
  if (type.getNumElements() == 0)
    return;
  KernelBuilder &kernel = createKernel(op->getLoc(), shape);
  SmallVector<Access *> own;
  Value placeholder = kernel.request(result, kernel.getResultIndices(), Value(),
                                     kernel.getResultRanges(), own);
  kernel.createStore(placeholder, buffer,
                     kernel.linearize(shape, kernel.getResultIndices()));
  accesses[result] = own;
  computeInPlace(op);
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

/// The position in the argument's memory of a position of the target.
static Value getPositionInArgument(AssignOp assign, IndexBuilder &index,
                                   ArrayRef<Value> indices) {
  SmallVector<Value> position(indices);
  Value target = assign.getTarget(), mask;
  while (Operation *op = target.getDefiningOp()) {
    position = mapIndices(op, index, position, mask);
    target = op->getOperand(0);
  }
  return linearize(index, cast<RankedTensorType>(target.getType()).getShape(),
                   position);
}

/// Some accesses want an argument as it is after `version` assignments, but run
/// in or after the kernel of the next one. They are put into `late` and read
/// the copy that is returned (null if there are none). An assignment may itself
/// read the elements that it is about to write.
Value FunctionScheduler::snapshotFor(BlockArgument argument, int64_t version,
                                     ArrayRef<Access *> accesses,
                                     function_ref<Value(Access *)> getPosition,
                                     SmallPtrSetImpl<Access *> &late) {
  Memory &memory = memories[argument];
  if (version >= static_cast<int64_t>(memory.assigns.size()))
    return nullptr;
  const size_t next = memory.steps[version];
  Value written;
  for (Access *access : accesses) {
    KernelBuilder &kernel = *access->kernel;
    if (kernel.getStep() > next)
      continue;
    if (kernel.getStep() == next) {
      if (!written)
        written =
            getPositionInArgument(memory.assigns[version], kernel.getIndex(),
                                  kernel.getResultIndices());
      if (getPosition(access) == written)
        continue;
    }
    late.insert(access);
  }
  if (late.empty())
    return nullptr;
  Value buffer = getBuffer(argument);
  Value copy =
      AllocOp::create(host, argument.getLoc(),
                      cast<MemRefType>(buffer.getType()), devices[argument]);
  ++numBuffers;
  steps.push_back({buffer, copy, {}, {}, {}, func.getLoc()});
  remark::passed(memory.assigns[version].getLoc(),
                 remark::RemarkOpts::name("copy").category("tg-schedule"))
      << "the contents before this assignment are copied: a later kernel, or "
         "its own at other positions, reads them";
  return copy;
}

void FunctionScheduler::visitAssign(AssignOp assign) {
  BlockArgument argument = getAssignedArgument(assign);
  Memory &memory = memories[argument];
  int64_t version = versions[assign];
  ArrayRef<int64_t> argumentShape =
      cast<RankedTensorType>(argument.getType()).getShape();
  Value buffer = getBuffer(argument);

  // Uses of the result and of the whole argument at this version.
  ArrayRef<Access *> ofArgument = memory.accesses[version];
  SmallVector<Access *> uses = accesses.lookup(assign);
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
    provide(*access, LoadOp::create(kernel.getBuilder(), kernel.getLoc(),
                                    source, getPosition(access), access->mask));
  }

  KernelBuilder &kernel =
      createKernel(assign.getLoc(), assign.getType().getShape());
  memory.steps[version - 1] = kernel.getStep();
  Value value = request(assign.getValue(), kernel, kernel.getResultIndices(),
                        Value(), kernel.getResultRanges());
  kernel.createStore(value, buffer,
                     getPositionInArgument(assign, kernel.getIndex(),
                                           kernel.getResultIndices()));
}

void FunctionScheduler::visitArgument(BlockArgument argument) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(argument.getType()).getShape();
  Value buffer = getBuffer(argument);
  auto it = memories.find(argument);
  if (it == memories.end())
    return load(accesses.lookup(argument), buffer, shape);
  ArrayRef<Access *> uses = it->second.accesses[0];
  SmallPtrSet<Access *, 8> late;
  auto getPosition = [&](Access *access) {
    return access->kernel->linearize(shape, access->indices);
  };
  Value copy = snapshotFor(argument, 0, uses, getPosition, late);
  for (Access *access : uses)
    load(access, late.contains(access) ? copy : buffer, shape);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void FunctionScheduler::visitCopy(CopyOp copy) {
  Value buffer = getBuffer(copy);
  load(accesses.lookup(copy), buffer, copy.getType().getShape());
  if (copy.getType().getNumElements() != 0)
    steps.push_back({getView(places[copy.getX()], copy.getType()),
                     buffer,
                     {},
                     {},
                     {},
                     func.getLoc()});
}

void FunctionScheduler::visit(Operation *op) {
  Value result = op->getResult(0);
  if (auto assign = dyn_cast<AssignOp>(op))
    return visitAssign(assign);
  if (auto copy = dyn_cast<CopyOp>(op); copy && isAcrossDevices(copy)) {
    if (!op->use_empty())
      visitCopy(copy);
    return;
  }
  if (stored.contains(result))
    return store(op, "it is a result or asked to be contiguous");
  SmallVector<Access *> uses = accesses.lookup(result);
  if (uses.empty())
    return;
  if (isLiteral(result))
    return load(uses, buffers[result],
                cast<RankedTensorType>(result.getType()).getShape());
  if (auto after = dyn_cast<AfterOp>(op)) {
    // How memory is read is decided when the assignment before is visited.
    auto it = memories.find(after.getTarget());
    llvm::append_range(it == memories.end()
                           ? accesses[after.getTarget()]
                           : it->second.accesses[getVersion(after)],
                       uses);
    return;
  }
  // Views, constants and positions cost nothing where they are used.
  if (isMovementOp(op) ||
      isa<ConstOp, IotaOp, DetachOp, ContiguousOp, CopyOp>(op))
    return computeInPlace(op);
  std::string reason = costs->getReasonToStore(result, uses);
  if (!reason.empty())
    return store(op, reason);
  computeInPlace(op);
}

/// What others attached to the function, its arguments and results; the
/// elements of an argument are not those of a buffer.
static void copyAttributes(func::FuncOp from, func::FuncOp to) {
  to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
  to.setNoInline(from.getNoInline());
  for (unsigned i = 0; i < from.getNumArguments(); ++i)
    for (NamedAttribute attribute :
         function_interface_impl::getArgAttrs(from, i))
      if (!isa<ElementsAttr>(attribute.getValue()))
        to.setArgAttr(i, attribute.getName(), attribute.getValue());
  for (unsigned i = 0; i < from.getNumResults(); ++i)
    to.setResultAttrs(i, from.getResultAttrDict(i));
}

void FunctionScheduler::emit() {
  Location loc = func.getLoc();
  OpBuilder moduleBuilder(func);
  for (Step &step : llvm::reverse(steps)) {
    if (step.source) {
      TransferOp::create(host, step.loc, step.source, step.dest);
      continue;
    }
    KernelOp kernel = step.kernel;
    if (!kernel->getBlock()) {
      kernel.setName(names.get(kernel.getName()));
      moduleBuilder.insert(kernel);
    }
    LaunchOp::create(host, step.loc,
                     FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                     step.operands);
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands()) {
    auto type = cast<RankedTensorType>(value.getType());
    results.push_back(getView(places[value], type));
  }
  func::ReturnOp::create(host, loc, results);

  auto hostFunc = func::FuncOp::create(
      moduleBuilder, loc, func.getName(),
      FunctionType::get(func.getContext(), hostBlock->getArgumentTypes(),
                        ValueRange(results).getTypes()));
  hostFunc.setVisibility(func.getVisibility());
  copyAttributes(func, hostFunc);
  hostFunc.getBody().push_back(hostBlock.release());
}

LogicalResult FunctionScheduler::run() {
  orderAssigns(block);
  if (failed(checkGraph(block)) || failed(assignDevices()))
    return failure();
  numberAssigns();
  // Arguments keep their order.
  for (BlockArgument argument : block.getArguments())
    getBuffer(argument);
  findStored();
  costs = std::make_unique<CostModel>(
      block, [&](Value value) { return stored.contains(value); });
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    visit(op);
    accesses.erase(op->getResult(0));
    finishComplete();
  }
  for (BlockArgument argument : block.getArguments())
    visitArgument(argument);
  finishComplete();
  // Those that never waited.
  for (Step &step : steps)
    if (step.builder)
      finish(step);
  emit();
  return success();
}

namespace {
struct TgSchedulePass : public tg::impl::TgScheduleBase<TgSchedulePass> {
  using Base::Base;

  void runOnOperation() override {
    KernelNames names;
    for (Operation &op : *getOperation().getBody())
      if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        names.taken.insert(symbol.getName());
    SmallVector<func::FuncOp> funcs = findGraphs(getOperation());
    if (failed(checkCalls(getOperation(), funcs)))
      return signalPassFailure();
    for (func::FuncOp func : funcs) {
      if (!func.getBody().hasOneBlock()) {
        emitError(func.getLoc(), "scheduling needs a function of one block");
        return signalPassFailure();
      }
      {
        FunctionScheduler scheduler(func, device, names);
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
