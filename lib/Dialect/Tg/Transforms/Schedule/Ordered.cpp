//===- Ordered.cpp - scans, scatters and sorts ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of FunctionScheduler for operations that depend on an order (scans,
/// scatters, sorts). Each has a buffer and kernels of its own, into which the
/// elementwise operations before it are fused.
///
//===----------------------------------------------------------------------===//

#include "FunctionScheduler.h"
#include "LowerViews.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// A scan of few rows is done in blocks of at least this many elements; the
/// number of blocks is large enough for many cores.
constexpr int64_t kMinBlock = 1 << 14, kMaxBlocks = 256;
/// The number of adjacent rows that are scanned together, as lanes.
constexpr int64_t kRowsAtOnce = 32;
/// On targets with groups, whose work items scan a block each: the items that
/// keep a compute unit busy, and the fewest elements of a block.
constexpr int64_t kItemsAtOnce = 64, kMinItemBlock = 64;

/// Requests an element. If a reduction computes it, the tensor gets a buffer,
/// because sequential loops leave little parallelism.
Value FunctionScheduler::requestStored(Value tensor, KernelBuilder &kernel,
                                       ArrayRef<Value> indices, Value mask) {
  if (tensor.getDefiningOp() && costs->hasReduction(tensor))
    stored.insert(tensor);
  return request(tensor, kernel, indices, mask, kernel.getResultRanges());
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// The number of elements in a block that one of many work items scans. Each
/// item also adds up the totals of the blocks before, so that there are no more
/// blocks than elements in a block.
static int64_t getItemBlock(int64_t rows, int64_t length, int64_t items) {
  const auto most = static_cast<int64_t>(llvm::divideCeil(items, rows));
  auto isEnough = [&](int64_t block) {
    return static_cast<int64_t>(llvm::divideCeil(length, block)) <=
           std::min(block, most);
  };
  int64_t block = kMinItemBlock;
  while (block < length && !isEnough(block))
    block *= 2;
  return length >= 2 * block ? block : 0;
}

/// The number of elements in a block of a long scan; 0 for a scan without
/// blocks. It depends only on the shape and the target, so that results do not
/// depend on the number of threads.
static int64_t getBlock(ScanOp scan) {
  SmallVector<Dim> shape = getDims(scan.getType());
  const auto axis = static_cast<int64_t>(scan.getAxis());
  std::optional<int64_t> length = shape[axis].getStatic();
  if (!length || scan.getKind() == ScanKind::logaddexp)
    return 0;
  int64_t rows = 1;
  for (auto [i, dim] : llvm::enumerate(shape))
    if (static_cast<int64_t>(i) < axis)
      rows *= std::max<int64_t>(dim.getMax(), 1);
  int64_t inner = 1;
  for (Dim dim : ArrayRef(shape).drop_front(axis + 1))
    inner *= std::max<int64_t>(dim.getMax(), 1);
  const TargetFacts &target = getTargetFacts(scan);
  if (target.groupItems > 0) {
    const int64_t items = target.parallelItems * kItemsAtOnce;
    if (llvm::MulOverflow(rows, inner, rows) || rows >= items)
      return 0;
    return getItemBlock(rows, *length, items);
  }
  rows *= static_cast<int64_t>(llvm::divideCeil(inner, kRowsAtOnce));
  if (rows >= target.parallelItems)
    return 0;
  const auto blocks = static_cast<int64_t>(llvm::divideCeil(kMaxBlocks, rows));
  const auto block = static_cast<int64_t>(
      llvm::PowerOf2Ceil(llvm::divideCeil(*length, blocks)));
  return *length >= 2 * std::max(block, kMinBlock) ? std::max(block, kMinBlock)
                                                   : 0;
}

static ReduceKind getReduceKind(ScanKind kind) {
  switch (kind) {
  case ScanKind::add:
    return ReduceKind::add;
  case ScanKind::mul:
    return ReduceKind::mul;
  case ScanKind::max:
    return ReduceKind::max;
  case ScanKind::logaddexp:
    break;
  }
  llvm_unreachable("a scan without a reduction");
}

static Value createCombine(OpBuilder &builder, Location loc, ReduceKind kind,
                           Value x, Value y) {
  switch (kind) {
  case ReduceKind::add:
    return AddOp::create(builder, loc, x, y);
  case ReduceKind::mul:
    return MulOp::create(builder, loc, x, y);
  case ReduceKind::max:
    return MaxOp::create(builder, loc, x, y);
  }
  llvm_unreachable("unknown reduction");
}

/// The element type of the totals of blocks. Narrow floats have f32. Sums of
/// f32 have f64: the lanes that add up a block may hold large sums of both
/// signs, of which the total is a small difference, and each total is part of
/// all later results.
static Type getTotalType(ReduceKind kind, Type element) {
  Builder builder(element.getContext());
  if (kind == ReduceKind::max)
    return element;
  if (element.isF16() || element.isBF16())
    return builder.getF32Type();
  return kind == ReduceKind::add && element.isF32() ? builder.getF64Type()
                                                    : element;
}

static Value createCast(OpBuilder &builder, Location loc, Value x, Type type) {
  return x.getType() == type ? x : CastOp::create(builder, loc, type, x);
}

/// Maps indices in blocks, [..., block, element, ...], to indices of the
/// tensor. Returns the condition that the element exists, since the last block
/// may be shorter (null: always).
static Value joinBlocks(KernelBuilder &kernel, SmallVectorImpl<Value> &indices,
                        int64_t axis, int64_t block, int64_t length) {
  IndexBuilder &index = kernel.getIndex();
  Value number = indices[axis];
  if (length % block != 0)
    number.getDefiningOp<RangeOp>().setPeelDim(Dim(number.getContext(), 1));
  Value position = index.add(index.mul(number, block), indices[axis + 1]);
  indices.erase(indices.begin() + axis);
  indices[axis] = position;
  return length % block == 0 ? Value() : index.lessThan(position, length);
}

/// Two kernels: one computes the total of each block, the other scans each
/// block, starting with the totals of the blocks before.
void FunctionScheduler::scanBlocks(ScanOp scan, Value buffer, int64_t block) {
  Location loc = scan.getLoc();
  MLIRContext *context = scan.getContext();
  const auto axis = static_cast<int64_t>(scan.getAxis());
  const ReduceKind kind = getReduceKind(scan.getKind());
  RankedTensorType type = scan.getType();
  Type element = type.getElementType();
  Type wide = getTotalType(kind, element);
  SmallVector<int64_t> shape = getLargestShape(type);
  const int64_t length = shape[axis];
  const auto numBlocks = static_cast<int64_t>(llvm::divideCeil(length, block));

  // [..., block, element, ...], and the shape of the totals.
  SmallVector<Dim> blocks = getDims(type);
  blocks[axis] = Dim(context, numBlocks);
  RankedTensorType totalsType = getTensorType(blocks, wide);
  SmallVector<int64_t> totalsShape = getLargestShape(totalsType);
  blocks.insert(blocks.begin() + axis + 1, Dim(context, block));
  Value totals = AllocOp::create(
      host, loc, getBufferType(wide, getBufferSize(totalsType)), devices[scan]);
  ++numBuffers;

  KernelBuilder &kernel = createKernel(loc, blocks, axis + 1);
  kernel.getArgument(buffer, /*isOutput=*/true);
  OpBuilder &builder = kernel.getBuilder();
  Value identity =
      ConstOp::create(builder, loc, wide, getReduceIdentity(kind, wide));
  SmallVector<Value> indices(kernel.getResultIndices());
  Value number = indices[axis], inBlock = indices[axis + 1];
  // The sum of the totals of the preceding blocks.
  SmallVector<Value> ofTotal(indices);
  ofTotal.erase(ofTotal.begin() + axis + 1);
  Value other = kernel.getReduceRanges({Dim(context, numBlocks)}, {}).front();
  ofTotal[axis] = other;
  Value isBefore = CmpLtOp::create(builder, loc, other, number);
  Value total = WhereOp::create(
      builder, loc, wide, isBefore,
      kernel.createLoad(totals, totalsShape, ofTotal, isBefore), identity);
  Value carry = RangedReduceOp::create(builder, loc, kind, total, other);
  // f32 is scanned and added as it is, narrow floats in f32.
  Type scanned = element.isF32() ? element : wide;
  carry = createCast(builder, loc, carry, scanned);

  Value inside = joinBlocks(kernel, indices, axis, block, length);
  Value position = kernel.linearize(shape, indices);
  kernel.setPosition(position);
  Value value =
      createCast(builder, loc,
                 requestStored(scan.getX(), kernel, indices, inside), scanned);
  Value prefix =
      RangedScanOp::create(builder, loc, scan.getKind(), value, inBlock);
  Value result = createCombine(builder, loc, kind, carry, prefix);
  result = createCast(builder, loc, result, element);
  Value mask = kernel.getIndex().conjunction(
      inside, kernel.maskEmptyRanges(Value(), kernel.getResultRanges()));
  StoreOp::create(builder, loc, result, kernel.getArgument(buffer), position,
                  mask);

  SmallVector<Dim> numbers(blocks);
  numbers.erase(numbers.begin() + axis + 1);
  KernelBuilder &first = createKernel(loc, numbers);
  first.getArgument(totals, /*isOutput=*/true);
  first.setPosition(first.linearize(totalsShape, first.getResultIndices()));
  indices.assign(first.getResultIndices().begin(),
                 first.getResultIndices().end());
  SmallVector<Value> ranges = first.getReduceRanges({Dim(context, block)}, {});
  indices.insert(indices.begin() + axis + 1, ranges.front());
  inside = joinBlocks(first, indices, axis, block, length);
  SmallVector<Value> scope(first.getResultRanges());
  llvm::append_range(scope, ranges);
  value = request(scan.getX(), first, indices, inside, scope);
  OpBuilder &inFirst = first.getBuilder();
  value = createCast(inFirst, loc, value, wide);
  if (inside)
    value = WhereOp::create(
        inFirst, loc, wide, inside, value,
        ConstOp::create(inFirst, loc, wide, getReduceIdentity(kind, wide)));
  value = RangedReduceOp::create(inFirst, loc, kind, value, ranges);
  first.createStore(value, totals);
}

void FunctionScheduler::visitScan(ScanOp scan) {
  RankedTensorType type = scan.getType();
  SmallVector<int64_t> shape = getLargestShape(type);
  Value buffer = getBuffer(scan);
  load(accesses.lookup(scan), buffer, shape);
  if (getBufferSize(type) == 0)
    return;
  if (int64_t block = getBlock(scan))
    return scanBlocks(scan, buffer, block);
  const auto axis = static_cast<int64_t>(scan.getAxis());
  KernelBuilder &kernel = createKernel(scan.getLoc(), getDims(type), axis);
  kernel.getArgument(buffer, /*isOutput=*/true);
  kernel.setPosition(kernel.linearize(shape, kernel.getResultIndices()));
  Value mask = kernel.maskEmptyRanges(Value(), kernel.getResultRanges());
  Value value =
      requestStored(scan.getX(), kernel, kernel.getResultIndices(), mask);
  Value position = kernel.getResultIndices()[axis];
  if (position.getDefiningOp<RangeOp>())
    value = RangedScanOp::create(kernel.getBuilder(), scan.getLoc(),
                                 scan.getKind(), value, position);
  kernel.createStore(value, buffer);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// Creates a kernel that updates elements of a buffer. `getPosition` returns
/// the position in the buffer of an element of the base.
void FunctionScheduler::createUpdates(
    ScatterOp scatter, Value buffer,
    function_ref<Value(IndexBuilder &, ArrayRef<Value>)> getPosition) {
  Location loc = scatter.getLoc();
  const auto axis = static_cast<int64_t>(scatter.getAxis());
  RankedTensorType type = scatter.getIndex().getType();
  if (getBufferSize(type) == 0)
    return;
  KernelBuilder &kernel = createKernel(loc, getDims(type), axis);
  OpBuilder &builder = kernel.getBuilder();
  IndexBuilder &index = kernel.getIndex();
  Value output = kernel.getArgument(buffer, /*isOutput=*/true);
  SmallVector<Value> indices(kernel.getResultIndices());
  Value mask = kernel.maskEmptyRanges(Value(), kernel.getResultRanges());
  Value selected = requestStored(scatter.getIndex(), kernel, indices, mask);
  Value update = requestStored(scatter.getUpdates(), kernel, indices, mask);

  Type indexType = builder.getIndexType();
  selected = CastOp::create(builder, loc, indexType, selected);
  Value extent = index.dim(getDims(scatter.getType())[axis]);
  Value zero = ConstOp::create(builder, loc, indexType, int64_t(0));
  Value inside = AndOp::create(
      builder, loc,
      CmpLtOp::create(builder, loc,
                      ConstOp::create(builder, loc, indexType, int64_t(-1)),
                      selected),
      CmpLtOp::create(builder, loc, selected, extent));
  SmallVector<Value> over;
  if (indices[axis].getDefiningOp<RangeOp>())
    over.push_back(indices[axis]);
  // Index arithmetic assumes bounds that out-of-range positions violate.
  indices[axis] =
      WhereOp::create(builder, loc, indexType, inside, selected, zero);
  Value position = getPosition(index, indices);
  StoreOp::create(builder, loc, update, output, position,
                  index.conjunction(mask, inside), scatter.getKindAttr(), over,
                  /*nontemporal=*/false, /*prefetch=*/IntegerAttr(),
                  /*as_tma=*/false);
}

void FunctionScheduler::visitScatter(ScatterOp scatter) {
  RankedTensorType type = scatter.getType();
  SmallVector<int64_t> shape = getLargestShape(type);
  Value buffer = getBuffer(scatter);
  load(accesses.lookup(scatter), buffer, shape);
  if (getBufferSize(type) == 0)
    return;
  createUpdates(scatter, buffer,
                [&](IndexBuilder &index, ArrayRef<Value> indices) {
                  return linearize(index, shape, indices);
                });
  // A kernel that runs before stores the base.
  KernelBuilder &kernel = createKernel(scatter.getLoc(), getDims(type));
  kernel.setPosition(kernel.linearize(shape, kernel.getResultIndices()));
  Value mask = kernel.maskEmptyRanges(Value(), kernel.getResultRanges());
  Value value = request(scatter.getBase(), kernel, kernel.getResultIndices(),
                        mask, kernel.getResultRanges());
  kernel.createStore(value, buffer);
}

/// Whether the assigned value consists of updates to the target's old contents.
bool FunctionScheduler::updatesTarget(AssignOp assign) {
  auto scatter = assign.getValue().getDefiningOp<ScatterOp>();
  if (!scatter || !scatter->hasOneUse())
    return false;
  BlockArgument argument = getAssignedArgument(assign);
  Value base = scatter.getBase();
  ViewChain chain(scatter.getType());
  if (auto strided = base.getDefiningOp<StridedOp>()) {
    base = strided.getX();
    chain = ViewChain(strided.getX().getType(), strided.getViews());
  }
  auto after = base.getDefiningOp<AfterOp>();
  return after && after.getTarget() == argument &&
         getVersion(after) == versions.lookup(assign) - 1 &&
         chain.getViews() == getTargetChain(assign).getViews();
}

/// Whether the value depends on the contents of an argument at any time.
bool FunctionScheduler::readsArgument(Value value, BlockArgument argument) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == argument)
      return true;
    if (Operation *op = seen[i].getDefiningOp();
        op && !stored.contains(seen[i]))
      seen.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

void FunctionScheduler::visitArgsort(ArgsortOp argsort) {
  RankedTensorType type = argsort.getX().getType();
  Value buffer = getBuffer(argsort);
  load(accesses.lookup(argsort), buffer, getLargestShape(argsort.getType()));
  if (getBufferSize(argsort.getType()) != 0)
    steps.push_back({getSubbuffer(places[argsort.getX()], type),
                     buffer,
                     {},
                     {},
                     {},
                     argsort.getLoc(),
                     argsort});
}
