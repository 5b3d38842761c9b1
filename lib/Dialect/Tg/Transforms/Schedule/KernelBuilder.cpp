//===- KernelBuilder.cpp - a kernel under construction --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds the body of a kernel backwards and sorts it at the end.
///
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tg;

int64_t Access::getEvaluations() const {
  double count = 1;
  for (Value range : scope)
    count *= static_cast<double>(std::max<int64_t>(
        range.getDefiningOp<RangeOp>().getLargestExtent(), 1));
  return static_cast<int64_t>(std::min(count, 1e18));
}

KernelBuilder::KernelBuilder(Location loc, ArrayRef<Dim> shape, size_t step,
                             ArrayRef<InnerSizes> splits,
                             ArrayRef<int64_t> order)
    : loc(loc), step(step), block(new Block()), builder(loc.getContext()),
      index(builder, loc) {
  builder.setInsertionPointToEnd(block);
  resultIndices.resize(shape.size());
  auto addAxis = [&](size_t axis) {
    LinearForm form(loc.getContext());
    auto addRange = [&](Dim positions, int64_t stride) {
      resultRanges.push_back(createRange(positions));
      form.addTerm(resultRanges.back(), stride);
    };
    Dim rest = shape[axis];
    if (!splits.empty())
      for (int64_t inner : llvm::reverse(splits[axis])) {
        const Dim size(loc.getContext(), inner);
        addRange(Dim::get(DimOpKind::floordiv, rest, size), inner);
        rest = size;
      }
    if (!rest.is(1))
      addRange(rest, 1);
    resultIndices[axis] = index.get(form);
  };
  for (size_t i = 0; i < shape.size(); ++i)
    addAxis(order.empty() ? i : static_cast<size_t>(order[i]));
}

KernelBuilder::~KernelBuilder() {
  if (block) {
    block->dropAllDefinedValueUses();
    delete block;
  }
}

Value KernelBuilder::createRange(Dim extent) {
  extents.push_back(extent);
  return RangeOp::create(builder, loc, int64_t(extents.size() - 1),
                         RangeKind::loop, extent);
}

Value KernelBuilder::getArgument(Value buffer, bool isOutput) {
  Value &argument = arguments[buffer];
  if (!argument) {
    argument = block->addArgument(buffer.getType(), loc);
    numOutputs += isOutput;
  }
  return argument;
}

Value KernelBuilder::request(Value tensor, ArrayRef<Value> indices, Value mask,
                             ArrayRef<Value> scope,
                             SmallVectorImpl<Access *> &accesses,
                             int64_t expectedOps) {
  size_t hash = llvm::hash_combine(
      mask.getAsOpaquePointer(),
      llvm::hash_combine_range(llvm::map_range(
          indices, [](Value v) { return v.getAsOpaquePointer(); })));
  SmallVector<Access *, 1> &candidates = lookup[{tensor, hash}];
  for (Access *access : candidates)
    if (access->mask == mask && llvm::equal(access->indices, indices))
      return access->placeholder;
  auto access = std::make_unique<Access>();
  access->kernel = this;
  access->indices.assign(indices.begin(), indices.end());
  access->mask = mask;
  SmallVector<Value> deps(indices);
  if (mask)
    deps.push_back(mask);
  access->scope = narrowScope(scope, deps);
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  access->placeholder =
      UnrealizedConversionCastOp::create(builder, loc, type, ValueRange())
          .getResult(0);
  access->expectedOps = expectedOps;
  numOps += expectedOps;
  ++numWaiting;
  candidates.push_back(access.get());
  accesses.push_back(access.get());
  owned.push_back(std::move(access));
  return candidates.back()->placeholder;
}

void KernelBuilder::provide(Access &access, Value value) {
  Operation *op = access.placeholder.getDefiningOp();
  access.placeholder.replaceAllUsesWith(value);
  op->erase();
  access.placeholder = value;
  // Its operands were requested and are counted separately.
  numOps -= access.expectedOps - 1;
  --numWaiting;
}

SmallVector<std::pair<unsigned, Access *>, 4> KernelBuilder::takePostponed() {
  llvm::stable_sort(postponed, llvm::less_first());
  return std::exchange(postponed, {});
}

SmallVector<Value> KernelBuilder::getReduceRanges(ArrayRef<Dim> extents,
                                                  ArrayRef<Value> used) {
  for (auto &[known, ranges] : reduceRanges)
    if (llvm::equal(known, extents) && llvm::none_of(ranges, [&](Value range) {
          return llvm::is_contained(used, range);
        }))
      return ranges;
  SmallVector<Value> ranges;
  for (Dim extent : extents)
    ranges.push_back(createRange(extent));
  reduceRanges.emplace_back(SmallVector<Dim>(extents), ranges);
  return ranges;
}

SmallVector<Value, 4> KernelBuilder::narrowScope(ArrayRef<Value> scope,
                                                 ArrayRef<Value> values) {
  size_t length = 0;
  for (Value value : values)
    for (Value range : index.getAnalysis().getRanges(value))
      for (size_t i = length; i < scope.size(); ++i)
        if (scope[i] == range)
          length = i + 1;
  return SmallVector<Value, 4>(scope.take_front(length));
}

Value mlir::tg::linearize(IndexBuilder &index, ArrayRef<int64_t> shape,
                          ArrayRef<Value> indices) {
  SmallVector<Dim> dims;
  for (int64_t size : shape)
    dims.push_back(Dim(index.getContext(), size));
  return linearize(index, dims, indices);
}

Value mlir::tg::linearize(IndexBuilder &index, ArrayRef<Dim> shape,
                          ArrayRef<Value> indices) {
  SmallVector<std::pair<Value, Dim>> terms;
  Dim stride(index.getContext(), 1);
  for (size_t axis = shape.size(); axis-- > 0;) {
    terms.emplace_back(indices[axis], stride);
    stride = stride * shape[axis];
  }
  return index.sum(Dim(index.getContext(), 0), terms);
}

Value KernelBuilder::createLoad(Value buffer, ArrayRef<int64_t> shape,
                                ArrayRef<Value> indices, Value mask) {
  Value argument = getArgument(buffer);
  return LoadOp::create(builder, loc, argument, linearize(shape, indices),
                        mask);
}

Value KernelBuilder::maskEmptyRanges(Value mask, ArrayRef<Value> ranges) {
  for (Value range : ranges) {
    Dim extent = range.getDefiningOp<RangeOp>().getExtentDim();
    if (extent.getMin() <= 0 && extent.getMax() <= 1)
      mask = index.conjunction(mask, index.lessThan(index.constant(0), extent));
  }
  return mask;
}

Value KernelBuilder::getContiguousRange() {
  // The position of an update depends on the contents of memory.
  if (!position)
    return Value();
  for (auto [range, stride] : index.getAnalysis().getLinear(position).terms)
    if (stride.is(1) && llvm::is_contained(resultRanges, range))
      return range;
  return Value();
}

void KernelBuilder::createStore(Value value, Value buffer) {
  // An empty range must not write anything. Its loop ensures that, unless the
  // range has at most one position: then simplification replaces it by 0 in
  // every index, so that a mask is needed.
  Value mask;
  ArrayRef<Value> used = index.getAnalysis().getRanges(position);
  for (Value range : resultRanges) {
    Dim extent = range.getDefiningOp<RangeOp>().getExtentDim();
    if (extent.getMin() <= 0 &&
        (extent.getMax() <= 1 || !llvm::is_contained(used, range)))
      mask = index.conjunction(mask, index.lessThan(index.constant(0), extent));
  }
  StoreOp::create(builder, loc, value, getArgument(buffer, /*isOutput=*/true),
                  position, mask);
}

/// The text of a dimension for use in a symbol name that needs no quotes: `n`,
/// or `nx4p1` for `n * 4 + 1`.
static std::string getNameOf(Dim dim) {
  std::string name, text = dim.str();
  while (true) {
    size_t place = text.find("floordiv");
    if (place == std::string::npos)
      break;
    text.replace(place, 8, "div");
  }
  for (char c : text) {
    if (c == '*')
      name += 'x';
    else if (c == '+')
      name += 'p';
    else if (c == '-')
      name += 'm';
    else if (llvm::isAlnum(c) || c == '_')
      name += c;
  }
  return name;
}

std::string KernelBuilder::getName() const {
  std::string name = hasReduce() ? "r" : "E";
  for (Dim extent : extents)
    name += "_" + getNameOf(extent);
  return name;
}

SmallVector<Operation *> KernelBuilder::getNeeded() {
  SmallVector<Operation *> needed;
  // Depth-first search; the number counts the operands visited.
  SmallVector<std::pair<Operation *, unsigned>> stack;
  DenseSet<Operation *> seen;
  auto push = [&](Operation *op) {
    if (op && seen.insert(op).second)
      stack.push_back({op, 0});
  };
  for (auto store : block->getOps<StoreOp>()) {
    push(store);
    while (!stack.empty()) {
      auto &[op, next] = stack.back();
      if (next < op->getNumOperands()) {
        push(op->getOperand(next++).getDefiningOp());
        continue;
      }
      needed.push_back(op);
      stack.pop_back();
    }
  }
  return needed;
}

void KernelBuilder::maskLoads() {
  // Ranges of at most one position are masked by maskEmptyRanges.
  llvm::SmallBitVector mayBeEmpty(extents.size());
  for (auto [id, extent] : llvm::enumerate(extents))
    mayBeEmpty[id] = extent.getMin() <= 0 && extent.getMax() > 1;
  if (mayBeEmpty.none())
    return;
  auto getSet = [&](ValueRange ranges) {
    llvm::SmallBitVector set(extents.size());
    for (Value range : ranges)
      set.set(unsigned(range.getDefiningOp<RangeOp>().getId()));
    return set;
  };
  // The ranges of which each use of a value needs a position.
  DenseMap<Operation *, llvm::SmallBitVector> usedAt;
  IndexAnalysis &analysis = index.getAnalysis();
  const SmallVector<Operation *> needed = getNeeded();
  for (Operation *op : llvm::reverse(needed)) {
    llvm::SmallBitVector set(extents.size());
    if (auto store = dyn_cast<StoreOp>(op)) {
      for (Value operand : op->getOperands())
        if (!isa<MemRefType>(operand.getType()))
          set |= getSet(analysis.getRanges(operand));
      if (!store.getUpdate())
        set |= getSet(resultRanges);
    } else {
      set = usedAt.lookup(op);
    }
    if (auto reduce = dyn_cast<RangedReduceOp>(op))
      set |= getSet(reduce.getRanges());
    if (auto load = dyn_cast<LoadOp>(op)) {
      llvm::SmallBitVector missing = set;
      missing &= mayBeEmpty;
      missing.reset(getSet(analysis.getRanges(load.getResult())));
      const Interval positions = analysis.getInterval(load.getIndex());
      const int64_t size = load.getBuffer().getType().getNumElements();
      if (missing.any() &&
          (positions.getMin() < 0 || positions.getMax() >= size)) {
        Value mask = load.getMask();
        for (unsigned id : missing.set_bits())
          mask = index.conjunction(
              mask, index.lessThan(index.constant(0), extents[id]));
        load.getMaskMutable().assign(mask);
      }
    }
    for (Value operand : op->getOperands())
      if (Operation *from = operand.getDefiningOp())
        if (auto [it, isNew] = usedAt.try_emplace(from, set); !isNew)
          it->second &= set;
  }
}

/// Moves everything the stores need to `body`: first the ranges by id, which is
/// the order of the loops, then each operation after its operands.
void KernelBuilder::moveTo(Block &body) {
  SmallVector<Operation *> ranges, others;
  for (Operation *op : getNeeded())
    (isa<RangeOp>(op) ? ranges : others).push_back(op);
  llvm::sort(ranges, [](Operation *a, Operation *b) {
    return cast<RangeOp>(a).getId() < cast<RangeOp>(b).getId();
  });
  for (Operation *op : llvm::concat<Operation *>(ranges, others))
    op->moveBefore(&body, body.end());
}

KernelOp KernelBuilder::finish(SmallVectorImpl<Value> &buffers) {
  maskLoads();
  OpBuilder detached(loc.getContext());
  auto kernel =
      KernelOp::create(detached, loc, getName(),
                       TypeRange(block->getArgumentTypes()), numOutputs);
  Block &body = kernel.getBody().front();
  for (auto [from, to] : llvm::zip(block->getArguments(), body.getArguments()))
    from.replaceAllUsesWith(to);
  moveTo(body);
  // Erases unused indices and masks.
  block->dropAllDefinedValueUses();
  delete block;
  block = nullptr;
  for (auto &[buffer, argument] : arguments)
    buffers.push_back(buffer);
  return kernel;
}
