//===- Schedule.cpp - tensor graphs to host programs and kernels ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The tg-schedule pass: the walk over the operations, and the creation of
/// buffers and kernels.
///
//===----------------------------------------------------------------------===//

#include "../ComposeViews.h"
#include "../ResolveAssigns.h"
#include "CheckGraph.h"
#include "FunctionScheduler.h"
#include "Lower.h"
#include "SplitAxes.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGSCHEDULE
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The buffer of a value that is stored; created on first use.
Value FunctionScheduler::getBuffer(Value value) {
  Value &buffer = buffers[value];
  if (buffer)
    return buffer;
  auto type = cast<RankedTensorType>(value.getType());
  MemRefType bufferType =
      getBufferType(type.getElementType(), getBufferSize(type));
  if (isa<BlockArgument>(value))
    return buffer = hostBlock->addArgument(bufferType, value.getLoc());
  ++numBuffers;
  return buffer =
             AllocOp::create(host, value.getLoc(), bufferType, devices[value]);
}

Value FunctionScheduler::getSubbuffer(Place place, RankedTensorType type) {
  Value buffer = getBuffer(place.base);
  MemRefType partType =
      getBufferType(type.getElementType(), getBufferSize(type));
  if (buffer.getType() == partType && place.offset.is(0))
    return buffer;
  const Dim bytes(func.getContext(),
                  llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  // Where a value of symbolic size is empty, its offset may be any number.
  Dim offset = place.offset;
  if (!isNeverNegative(offset))
    offset = Dim::get(DimOpKind::max, offset, Dim(func.getContext(), 0));
  return SubbufferOp::create(host, buffer.getLoc(), partType, buffer,
                             offset * bytes);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Value FunctionScheduler::request(Value tensor, KernelBuilder &kernel,
                                 ArrayRef<Value> indices, Value mask,
                                 ArrayRef<Value> scope) {
  auto type = cast<RankedTensorType>(tensor.getType());
  // The element does not exist, so its value is never used.
  if (getBufferSize(type) == 0)
    return ConstOp::create(kernel.getBuilder(), kernel.getLoc(),
                           type.getElementType(), int64_t(0));
  tensor = getSelected(
      tensor, [&](Value value) { return stored.contains(value); },
      [&](int64_t axis) {
        return kernel.getIndex().getAnalysis().getInterval(indices[axis]);
      });
  SmallVector<Access *> made;
  Value value = kernel.request(tensor, indices, mask, scope, made,
                               costs->getExpectedOps(tensor));
  addUses(tensor, made);
  return value;
}

/// Loads from arguments that are never assigned to can be created immediately.
/// That completes kernels early: otherwise, a program with very many kernels
/// would keep all of them open to the end.
void FunctionScheduler::addUses(Value tensor, ArrayRef<Access *> uses) {
  if (uses.empty())
    return;
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || memories.contains(argument)) {
    llvm::append_range(accesses[tensor], uses);
    return;
  }
  for (Access *access : uses) {
    KernelBuilder &kernel = *access->kernel;
    kernel.postpone(*access, argument.getArgNumber());
    if (!kernel.isWaiting())
      complete.insert(kernel.getStep());
  }
}

void FunctionScheduler::provide(Access &access, Value value) {
  KernelBuilder &kernel = *access.kernel;
  kernel.provide(access, value);
  if (!kernel.isWaiting())
    complete.insert(kernel.getStep());
}

/// Creates the kernel. A kernel that equals another one is erased immediately,
/// because programs repeat themselves and would otherwise exceed the caches.
void FunctionScheduler::finish(Step &step) {
  for (auto [number, access] : step.builder->takePostponed()) {
    BlockArgument argument = block.getArgument(number);
    Value element = step.builder->createLoad(
        getBuffer(argument),
        getLargestShape(cast<RankedTensorType>(argument.getType())),
        access->indices, access->mask);
    step.builder->provide(*access, element);
  }
  KernelOp kernel = step.builder->finish(step.operands);
  step.builder.reset();
  // An assignment writes memory of the caller, which may also be read. A part
  // of a buffer may not be aligned to cache lines.
  auto part = step.operands[0].getDefiningOp<SubbufferOp>();
  // Updates read the elements that they change.
  const bool hasUpdates =
      llvm::any_of(kernel.getBody().getOps<StoreOp>(),
                   [](StoreOp store) { return store.getUpdate().has_value(); });
  kernel.setInPlace(isa<BlockArgument>(step.operands[0]) || hasUpdates ||
                    (part && !Dim::get(DimOpKind::mod, part.getOffsetDim(),
                                       Dim(func.getContext(), kBufferAlignment))
                                  .is(0)));
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

/// The elements in that order, or all as they are if it is empty.
template <typename T>
static SmallVector<T> arrange(ArrayRef<T> values, ArrayRef<int64_t> order) {
  if (order.empty())
    return SmallVector<T>(values);
  return applyPermutation(values, order);
}

/// Provides elements from a buffer that holds a tensor of `shape`.
void FunctionScheduler::load(ArrayRef<Access *> uses, Value buffer,
                             ArrayRef<int64_t> shape, ArrayRef<int64_t> order) {
  const SmallVector<int64_t> sizes = arrange(shape, order);
  for (Access *access : uses) {
    Value value = access->kernel->createLoad(
        buffer, sizes, arrange<Value>(access->indices, order), access->mask);
    provide(*access, value);
  }
}

/// The order in which all that reads the tensor runs along its axes; empty if
/// there are several, or if it is that of the tensor. Only for products that
/// elementwise kernels read: these then read memory as they write it, while the
/// product can turn its results in registers. What is read by reductions stays
/// as it is.
SmallVector<int64_t> FunctionScheduler::getMemoryOrder(Operation *op) {
  Value result = op->getResult(0);
  if (!isa<ReduceOp>(op) || stored.contains(result) || !costs->isTiled(result))
    return {};
  std::optional<SmallVector<int64_t>> order;
  for (Access *access : accesses[result]) {
    KernelBuilder &kernel = *access->kernel;
    IndexAnalysis &analysis = kernel.getIndex().getAnalysis();
    if (!kernel.getPosition() || !llvm::all_of(access->scope, [&](Value range) {
          return llvm::is_contained(kernel.getResultRanges(), range);
        }))
      return {};
    const LinearForm &position = analysis.getLinear(kernel.getPosition());
    // How far apart the kernel stores what it computes of neighbors.
    SmallVector<double> distances;
    for (Value index : access->indices) {
      const LinearForm &form = analysis.getLinear(index);
      if (form.terms.empty()) {
        distances.push_back(std::numeric_limits<double>::infinity());
        continue;
      }
      auto [range, step] = form.terms.front();
      const int64_t distance = position.getCoefficient(range);
      if (form.terms.size() != 1 || !step.isStatic() || distance == 0)
        return {};
      distances.push_back(std::abs(static_cast<double>(distance) /
                                   static_cast<double>(*step.getStatic())));
    }
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(0, distances.size()));
    llvm::stable_sort(axes, [&](int64_t a, int64_t b) {
      return distances[a] > distances[b];
    });
    if (order && *order != axes)
      return {};
    order = axes;
  }
  return order && !llvm::is_sorted(*order) ? *order : SmallVector<int64_t>();
}

KernelBuilder &FunctionScheduler::createKernel(Location loc, Value value,
                                               Value own, ArrayRef<Dim> from,
                                               ArrayRef<Dim> shape,
                                               ArrayRef<int64_t> order) {
  SmallVector<InnerSizes> splits;
  if (costs->isDivided(value))
    splits = findSplits(loc, value, from, shape, [&](Value value) {
      return costs->isTiled(value) && (value == own || !stored.contains(value));
    });
  return addKernel(
      std::make_unique<KernelBuilder>(loc, shape, steps.size(), splits, order));
}

KernelBuilder &
FunctionScheduler::createKernel(Location loc, ArrayRef<Dim> shape,
                                std::optional<int64_t> innermost) {
  SmallVector<int64_t> order;
  for (int64_t axis : llvm::seq<int64_t>(0, shape.size()))
    if (axis != innermost)
      order.push_back(axis);
  if (innermost)
    order.push_back(*innermost);
  return addKernel(std::make_unique<KernelBuilder>(
      loc, shape, steps.size(), ArrayRef<InnerSizes>(), order));
}

KernelBuilder &
FunctionScheduler::addKernel(std::unique_ptr<KernelBuilder> kernel) {
  KernelBuilder &created = *kernel;
  steps.push_back({{}, {}, std::move(kernel), {}, {}, created.getLoc()});
  ++numKernels;
  return created;
}

/// Computes the value in each kernel that uses it.
void FunctionScheduler::computeInPlace(Operation *op) {
  // Requests for operands may invalidate references to this list.
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

/// Creates a kernel for the positions [from, to) of a tensor that has a buffer.
/// Adds to `own` if the kernel needs an element of the tensor itself.
void FunctionScheduler::storePart(Value tensor, ArrayRef<Dim> from,
                                  ArrayRef<Dim> to, ArrayRef<int64_t> order,
                                  SmallVectorImpl<Access *> &own) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape = getLargestShape(type);
  SmallVector<Dim> extents(from.size(), Dim(func.getContext(), 0));
  Dim offset(func.getContext(), 0);
  int64_t last = 0, stride = 1;
  for (size_t i = from.size(); i-- > 0;) {
    const size_t axis = order.empty() ? i : static_cast<size_t>(order[i]);
    extents[axis] = to[axis] - from[axis];
    offset = offset + from[axis] * Dim(func.getContext(), stride);
    last += (extents[axis].getMax() - 1) * stride;
    stride *= shape[axis];
  }
  Value chosen = getSelected(
      tensor,
      [&](Value value) { return value != tensor && stored.contains(value); },
      [&](int64_t axis) {
        return Interval{from[axis].getMin(), to[axis].getMax() - 1};
      });
  KernelBuilder &kernel =
      createKernel(tensor.getLoc(), chosen, tensor, from, extents, order);
  // Done first, so that kernels of equal parts have their terms in the same
  // order. For the same reason, positions start at the first element of the
  // part.
  kernel.setPosition(
      kernel.linearize(arrange<int64_t>(shape, order),
                       arrange<Value>(kernel.getResultIndices(), order)));
  Value buffer =
      getSubbuffer({tensor, offset},
                   RankedTensorType::get({last + 1}, type.getElementType()));
  SmallVector<Value> indices;
  for (auto [index, start] : llvm::zip(kernel.getResultIndices(), from))
    indices.push_back(kernel.getIndex().add(index, start));
  Value mask = kernel.maskEmptyRanges(Value(), kernel.getResultRanges());
  Value value =
      chosen == tensor
          ? kernel.request(tensor, indices, mask, kernel.getResultRanges(), own)
          : request(chosen, kernel, indices, mask, kernel.getResultRanges());
  kernel.createStore(value, buffer);
}

/// Creates a buffer for the value, and a kernel that fills it, or several that
/// fill one part each; uses load from the buffer.
void FunctionScheduler::store(Operation *op, StringRef reason) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  Value buffer = getBuffer(result);
  const SmallVector<int64_t> order = getMemoryOrder(op);
  load(accesses[result], buffer, getLargestShape(type), order);
  const Partition partition = costs->getPartition(result);
  const std::string inParts =
      partition.isWhole()
          ? ""
          : llvm::formatv(" in {0} parts", partition.getNumParts()).str();
  remark::passed(op->getLoc(),
                 remark::RemarkOpts::name("store").category("tg-schedule"))
      << (op->getName().getStringRef() + " " + toString(getDims(type)) +
          " gets a buffer" + inParts + ": " + reason)
             .str();
  if (getBufferSize(type) == 0)
    return;
  SmallVector<Access *> own;
  MLIRContext *context = type.getContext();
  auto [from, end] = costs->getReadPart(result);
  for (int64_t bound : partition.bounds) {
    const Dim last = end[partition.axis], boundary(context, bound);
    if ((boundary - from[partition.axis]).getMax() <= 0 ||
        (last - boundary).getMax() <= 0)
      continue;
    SmallVector<Dim> to = end;
    to[partition.axis] = boundary;
    storePart(result, from, to, order, own);
    from[partition.axis] = boundary;
  }
  storePart(result, from, end, order, own);
  accesses[result] = own;
  computeInPlace(op);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void FunctionScheduler::visitCopy(CopyOp copy) {
  Value buffer = getBuffer(copy);
  load(accesses.lookup(copy), buffer, getLargestShape(copy.getType()));
  if (getBufferSize(copy.getType()) != 0)
    steps.push_back({getSubbuffer(places[copy.getX()], copy.getType()),
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
  if (isa<ScanOp, ScatterOp, ArgsortOp>(op)) {
    if (op->use_empty() || inPlace.contains(op))
      return;
    if (auto scan = dyn_cast<ScanOp>(op))
      return visitScan(scan);
    if (auto scatter = dyn_cast<ScatterOp>(op))
      return visitScatter(scatter);
    return visitArgsort(cast<ArgsortOp>(op));
  }
  if (stored.contains(result))
    return store(op, "it is a result or a tg.contiguous");
  SmallVector<Access *> uses = accesses.lookup(result);
  if (uses.empty())
    return;
  if (isLiteral(result))
    return load(uses, buffers[result],
                getLargestShape(cast<RankedTensorType>(result.getType())));
  if (auto after = dyn_cast<AfterOp>(op)) {
    // The access is resolved when the preceding assignment is visited.
    auto it = memories.find(after.getTarget());
    if (it == memories.end())
      addUses(after.getTarget(), uses);
    else
      llvm::append_range(it->second.accesses[getVersion(after)], uses);
    return;
  }
  // Views, constants and positions are free at their uses.
  if (isa<StridedOp, ConstOp, IotaOp, DimOp, ContiguousOp, CopyOp>(op))
    return computeInPlace(op);
  std::string reason = costs->getReasonToStore(result, uses);
  if (reason.empty() && uses.size() > 1 && compared.contains(result))
    reason = "it is compared with itself, and adding in another order would "
             "make it differ";
  if (!reason.empty() && !costs->storesOperand(op))
    return store(op, reason);
  computeInPlace(op);
}

/// Copies discardable attributes of the function, its arguments and results,
/// except those about an argument's elements.
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

/// States which arguments and results may be smaller than their largest shape.
static void setElements(func::FuncOp from, func::FuncOp to) {
  auto getElements = [](Type type) {
    return getNeededElements(cast<RankedTensorType>(type));
  };
  for (auto [i, type] : llvm::enumerate(from.getArgumentTypes()))
    if (const Dim elements = getElements(type); !elements.isStatic())
      to.setArgAttr(static_cast<unsigned>(i), elementsAttrName,
                    elements.getAttr());
  for (auto [i, type] : llvm::enumerate(from.getResultTypes()))
    if (const Dim elements = getElements(type); !elements.isStatic())
      to.setResultAttr(static_cast<unsigned>(i), elementsAttrName,
                       elements.getAttr());
}

void FunctionScheduler::emit() {
  Location loc = func.getLoc();
  OpBuilder moduleBuilder(func);
  for (Step &step : llvm::reverse(steps)) {
    if (ArgsortOp sort = step.sort) {
      RankedTensorType type = sort.getX().getType();
      const int64_t row = getLargestShape(type).back();
      SortOp::create(host, step.loc, step.source, step.dest,
                     getBufferSize(type) / row, getDims(type).back().getAttr(),
                     sort.getDescending());
      continue;
    }
    if (step.source) {
      TransferOp::create(host, step.loc, step.source, step.dest);
      continue;
    }
    KernelOp kernel = step.kernel;
    if (!kernel->getBlock()) {
      kernel.setName(names.get(kernel.getName()));
      moduleBuilder.insert(kernel);
    }
    LaunchOp::create(host, step.loc, kernel.getSymName(), step.operands);
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands()) {
    auto type = cast<RankedTensorType>(value.getType());
    results.push_back(getSubbuffer(places[value], type));
  }
  func::ReturnOp::create(host, loc, results);

  auto hostFunc = func::FuncOp::create(
      moduleBuilder, loc, func.getName(),
      FunctionType::get(func.getContext(), hostBlock->getArgumentTypes(),
                        ValueRange(results).getTypes()));
  hostFunc.setVisibility(func.getVisibility());
  copyAttributes(func, hostFunc);
  setElements(func, hostFunc);
  hostFunc.getBody().push_back(hostBlock.release());
}

LogicalResult FunctionScheduler::run() {
  resolveAssigns(block);
  composeViews(block);
  if (failed(checkGraph(block)) || failed(assignDevices()))
    return failure();
  numberAssigns();
  // Buffers of arguments are in the order of the arguments.
  for (BlockArgument argument : block.getArguments())
    getBuffer(argument);
  findStored();
  findCompared();
  costs = std::make_unique<CostModel>(block, stored);
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
  // Finishes kernels that have no requests.
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
