//===- SymbolicKernel.cpp - a kernel executed on symbols ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates kernels on demand.
///
//===----------------------------------------------------------------------===//

#include "SymbolicKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;

/// Operations of kernels that are nested deeper are not evaluated.
static constexpr unsigned kMostNested = 1000;
/// What is remembered of reductions and tiles is dropped beyond this many
/// values.
static constexpr size_t kMostKnown = size_t(1) << 20;
/// Added to the number of a tile, the argument of its elements before it is
/// filled.
static constexpr unsigned kUnfilled = 1 << 20;

SymbolicKernel::SymbolicKernel(KernelOp kernel, ExpressionPool &pool,
                               const llvm::StringMap<int64_t> &sizes)
    : kernel(kernel), pool(pool), sizes(sizes) {
  for (Operation &operation : kernel.getBody().front()) {
    addOperation(operation);
    if (hasFailed()) {
      isUnknown = true;
      stores.clear();
      return;
    }
  }
}

std::optional<int64_t> SymbolicKernel::getNumber(Dim dim) const {
  return dim
      .substitute([&](VarAttr variable) {
        auto it = sizes.find(variable.getName().getValue());
        return it == sizes.end() ? Dim(variable)
                                 : Dim(variable.getContext(), it->second);
      })
      .getStatic();
}

/// Where a buffer ends, for checks of positions; of unknown size, nowhere.
static int64_t getElements(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.hasStaticShape() ? type.getNumElements()
                               : std::numeric_limits<int64_t>::max();
}

void SymbolicKernel::addOperation(Operation &operation) {
  auto nameRanges = [&](Op &op, ValueRange named) {
    for (Value range : named)
      op.named.push_back(rangeNumbers.lookup(range));
  };
  Op op;
  op.op = &operation;
  if (operation.getNumResults() == 1)
    op.type = operation.getResult(0).getType();
  auto use = [&](Value value) {
    if (!value)
      return -1;
    const int number = numbers.lookup(value);
    op.ranges |= ops[number].ranges;
    op.dependsOnMemory |= ops[number].dependsOnMemory;
    op.depth = std::max(op.depth, ops[number].depth + 1);
    return number;
  };
  if (auto range = dyn_cast<RangeOp>(operation)) {
    op.kind = OpKind::range;
    const unsigned number = ranges.size();
    if (number == kMaxRanges)
      return fail("the kernel has too many ranges", false);
    std::optional<int64_t> extent = getNumber(range.getExtentDim());
    if (!extent)
      return fail("the kernel has symbolic sizes", false);
    rangeNumbers[range] = number;
    ranges.push_back(range);
    extents.push_back(*extent);
    largestExtents.push_back(range.getLargestExtent());
    op.named.push_back(number);
    op.ranges = Mask(1) << number;
  } else if (auto constant = dyn_cast<ConstOp>(operation)) {
    op.kind = OpKind::number;
    op.constant = pool.getConstantValue(cast<TypedAttr>(constant.getValue()));
  } else if (auto dim = dyn_cast<DimOp>(operation)) {
    op.kind = OpKind::number;
    std::optional<int64_t> number = getNumber(Dim(dim.getDim()));
    if (!number)
      return fail("the kernel has symbolic sizes", false);
    op.constant = SymbolicValue::ofNumber(*number);
  } else if (auto load = dyn_cast<LoadOp>(operation)) {
    op.kind = OpKind::load;
    op.index = use(load.getIndex());
    op.mask = use(load.getMask());
    if (auto argument = dyn_cast<BlockArgument>(load.getBuffer())) {
      op.argument = argument.getArgNumber();
      op.dependsOnMemory = true;
    } else {
      op.tile = ops[numbers.lookup(load.getBuffer())].tile;
      op.ranges |= ops[op.tile].ranges;
      op.dependsOnMemory |= ops[op.tile].dependsOnMemory;
      op.depth = std::max(op.depth, ops[op.tile].depth + 1);
    }
    op.elements = getElements(load.getBuffer());
  } else if (auto reduce = dyn_cast<RangedReduceOp>(operation)) {
    op.kind = OpKind::reduce;
    op.value = use(reduce.getValue());
    nameRanges(op, reduce.getRanges());
    for (unsigned range : op.named)
      op.ranges &= ~(Mask(1) << range);
  } else if (auto scan = dyn_cast<RangedScanOp>(operation)) {
    op.kind = OpKind::scan;
    op.value = use(scan.getValue());
    nameRanges(op, scan.getRanges());
    for (unsigned range : op.named)
      op.ranges |= Mask(1) << range;
  } else if (auto stage = dyn_cast<StageOp>(operation)) {
    op.kind = OpKind::stage;
    op.value = use(stage.getValue());
    op.type = stage.getValue().getType();
    op.tile = static_cast<int>(ops.size());
    nameRanges(op, stage.getRanges());
    for (unsigned range : op.named)
      op.ranges &= ~(Mask(1) << range);
  } else if (auto barrier = dyn_cast<BarrierOp>(operation)) {
    op.kind = OpKind::barrier;
    op.tile = ops[use(barrier.getTile())].tile;
  } else if (auto store = dyn_cast<StoreOp>(operation)) {
    op.kind = OpKind::store;
    op.value = use(store.getValue());
    op.index = use(store.getIndex());
    op.mask = use(store.getMask());
    op.argument = cast<BlockArgument>(store.getBuffer()).getArgNumber();
    op.elements = getElements(store.getBuffer());
    op.type = store.getValue().getType();
    // With an owner for each element, the mask alone is read from memory.
    op.isSymbolic =
        ops[op.index].dependsOnMemory ||
        (store.getUpdate() && op.mask >= 0 && ops[op.mask].dependsOnMemory);
    nameRanges(op, store.getRanges());
    for (unsigned range : op.named)
      op.ranges |= Mask(1) << range;
    stores.push_back(static_cast<int>(ops.size()));
  } else {
    if (operation.getNumResults() != 1 || operation.getNumRegions() != 0)
      return fail("operation '" + operation.getName().getStringRef() +
                      "' is not known",
                  false);
    for (Value operand : operation.getOperands())
      op.operands.push_back(use(operand));
  }
  // Values are computed from their operands, on the stack.
  if (op.depth > kMostNested)
    return fail("operations are nested too deep", false);
  if (operation.getNumResults() == 1)
    numbers[operation.getResult(0)] = static_cast<int>(ops.size());
  ops.push_back(std::move(op));
}

void SymbolicKernel::fail(const Twine &message, bool isFaultOfKernel) {
  if (hasFailed())
    return;
  error = message.str();
  hasFault = isFaultOfKernel;
}

std::string SymbolicKernel::describePositions(Mask mask) const {
  std::string text;
  for (unsigned i = 0; i < ranges.size(); ++i)
    if (mask >> i & 1) {
      text += text.empty() ? "range " : ", range ";
      text += std::to_string(RangeOp(ranges[i]).getId()) + " = " +
              std::to_string(positions[i]);
    }
  return text.empty() ? "its only position" : text;
}

std::pair<uint64_t, uint64_t> SymbolicKernel::getKey(int number, Mask mask,
                                                     int64_t extra) const {
  uint64_t low = static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15ull,
           high = ~low;
  auto add = [&](uint64_t word) {
    low = (low ^ word) * 0xff51afd7ed558ccdull;
    low ^= low >> 32;
    high = (high + word) * 0xc4ceb9fe1a85ec53ull;
    high ^= high >> 29;
  };
  add(static_cast<uint64_t>(extra));
  for (; mask; mask &= mask - 1)
    add(static_cast<uint64_t>(positions[llvm::countr_zero(mask)]));
  return {low, high};
}

void SymbolicKernel::remember(std::pair<uint64_t, uint64_t> key,
                              SymbolicValue value) {
  // A sum that ended early is none.
  if (hasFailed())
    return;
  if (known.size() > kMostKnown)
    known.clear();
  known.try_emplace(key, value);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SymbolicValue SymbolicKernel::evaluate(int number) {
  Op &op = ops[number];
  switch (op.kind) {
  case OpKind::range:
    return SymbolicValue::ofNumber(positions[op.named.front()]);
  case OpKind::number:
    return op.constant;
  default:
    break;
  }
  // A value is the same as long as no range that it depends on has moved.
  if (op.lastTime > 0) {
    bool isSame = true;
    for (Mask mask = op.ranges; mask && isSame; mask &= mask - 1)
      isSame = changedAt[llvm::countr_zero(mask)] < op.lastTime;
    if (isSame)
      return op.last;
  }
  const SymbolicValue value = compute(op, number);
  op.last = value;
  op.lastTime = hasFailed() ? 0 : ++time;
  return value;
}

SymbolicValue SymbolicKernel::compute(Op &op, int number) {
  if (hasFailed())
    return {};
  if (++work > limit) {
    isExhausted = true;
    fail("the kernel has too many operations", false);
    return {};
  }
  switch (op.kind) {
  case OpKind::load:
    return loadFrom(op);
  case OpKind::scan:
    return scan(op);
  case OpKind::reduce: {
    const auto key = getKey(number, op.ranges, 0);
    if (auto it = known.find(key); it != known.end())
      return it->second;
    const SymbolicValue value = reduce(op);
    remember(key, value);
    return value;
  }
  case OpKind::elementwise: {
    SmallVector<SymbolicValue, 3> operands;
    for (int operand : op.operands)
      operands.push_back(evaluate(operand));
    return pool.apply(op.op, operands);
  }
  default:
    llvm_unreachable("has no value");
  }
}

SymbolicValue SymbolicKernel::loadFrom(Op &op) {
  const SymbolicValue mask =
      op.mask >= 0 ? evaluate(op.mask) : SymbolicValue::ofNumber(1);
  auto getZero = [&] {
    return pool.getConstantValue(
        cast<TypedAttr>(Builder(op.type.getContext()).getZeroAttr(op.type)));
  };
  if (mask.isFalse())
    return getZero();
  const SymbolicValue index = evaluate(op.index);
  if (hasFailed())
    return {};
  SymbolicValue value;
  if (index.isNumber()) {
    if (index.number < 0 || index.number >= op.elements) {
      // Where the mask is not decided, nothing may be read.
      if (!mask.isNumber())
        return getZero();
      fail("it reads element " + Twine(index.number) + " of " +
               (op.tile >= 0
                    ? Twine("a tile of ")
                    : "argument " + Twine(op.argument) + ", which has ") +
               Twine(op.elements) + " elements, at " +
               describePositions(op.ranges),
           true);
      return {};
    }
  }
  if (op.argument >= 0) {
    value = SymbolicValue::ofExpression(
        index.isNumber() ? pool.getElement(op.argument, index.number, op.type)
                         : pool.getElementAt(op.argument, index.id, op.type));
    // Integers that are read are values of their type.
  } else {
    if (!index.isNumber()) {
      fail("a tile is read at an index that is read from memory", false);
      return {};
    }
    Op &tile = ops[op.tile];
    const auto key = getKey(op.tile, tile.ranges, index.number);
    if (auto it = known.find(key); it != known.end()) {
      value = it->second;
    } else {
      // The tile is in row-major order of its ranges.
      SmallVector<int64_t, 4> before;
      int64_t rest = index.number;
      bool isFilled = true;
      for (unsigned range : tile.named)
        before.push_back(positions[range]);
      for (unsigned range : llvm::reverse(tile.named)) {
        const int64_t position = rest % largestExtents[range];
        isFilled &= position < extents[range];
        setPosition(range, position);
        rest /= largestExtents[range];
      }
      if (rest != 0)
        fail("it reads past the positions of a tile, at " +
                 describePositions(op.ranges),
             true);
      // What was not filled holds anything.
      value = isFilled ? evaluate(tile.value)
                       : SymbolicValue::ofExpression(pool.getElement(
                             kUnfilled + op.tile, index.number, op.type));
      for (auto [range, position] : llvm::zip_equal(tile.named, before))
        setPosition(range, position);
      remember(key, value);
    }
  }
  return mask.isTrue() ? value : pool.select(mask, value, getZero(), op.type);
}

static CombinationKind getCombination(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::add:
    return CombinationKind::add;
  case ReduceKind::mul:
    return CombinationKind::mul;
  case ReduceKind::max:
    return CombinationKind::max;
  }
  llvm_unreachable("unknown reduction");
}

SymbolicValue SymbolicKernel::reduce(Op &op) {
  auto operation = cast<RangedReduceOp>(op.op);
  ExpressionPool::Combiner combiner(pool, getCombination(operation.getKind()),
                                    op.type);
  SmallVector<int64_t, 4> before;
  for (unsigned range : op.named)
    before.push_back(positions[range]);
  forEachPosition(op.named, [&] {
    combiner.add(evaluate(op.value));
    return true;
  });
  for (auto [range, position] : llvm::zip_equal(op.named, before))
    setPosition(range, position);
  return combiner.get();
}

SymbolicValue SymbolicKernel::scan(Op &op) {
  auto operation = cast<RangedScanOp>(op.op);
  CombinationKind kind = CombinationKind::logaddexp;
  switch (operation.getKind()) {
  case ScanKind::add:
    kind = CombinationKind::add;
    break;
  case ScanKind::mul:
    kind = CombinationKind::mul;
    break;
  case ScanKind::max:
    kind = CombinationKind::max;
    break;
  case ScanKind::logaddexp:
    break;
  }
  ExpressionPool::Combiner combiner(pool, kind, op.type, /*isScan=*/true);
  SmallVector<int64_t, 4> last;
  for (unsigned range : op.named)
    last.push_back(positions[range]);
  forEachPosition(op.named, [&] {
    combiner.add(evaluate(op.value));
    return !llvm::all_of_zip(op.named, last,
                             [&](unsigned range, int64_t position) {
                               return positions[range] == position;
                             });
  });
  for (auto [range, position] : llvm::zip_equal(op.named, last))
    setPosition(range, position);
  return combiner.get();
}
