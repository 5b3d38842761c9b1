//===- GroupLayout.cpp - ranges as groups and work items ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Distributes the parallel ranges of a kernel over the directions of the grid
/// and of its groups, and lays out the memory of a group.
///
//===----------------------------------------------------------------------===//

#include "LayoutBuilder.h"
#include "TinyGrad/Dialect/Tg/IR/TgGroupOrder.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "TinyGrad/Support/GPUChips.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;
using tinygrad::kBankBytes;

/// With a quarter of the banks or fewer, accesses of a column take several
/// times as long.
static constexpr int64_t kFewBanks = 4;
/// Bytes of the smallest asynchronous copy.
static constexpr int64_t kFewestCopied = 4;
/// What lanes read in one turn where reads transpose, and what they read of one
/// row, in bytes.
static constexpr int64_t kTransposedTurn = 256, kTransposedChunk = 32;

static bool isGrid(RangeOp range) {
  return range.getKind() == RangeKind::global ||
         range.getKind() == RangeKind::thread;
}
static bool isItem(RangeOp range) {
  return range.getKind() == RangeKind::local ||
         range.getKind() == RangeKind::group_reduce;
}

static Dim getProduct(MLIRContext *context, ArrayRef<RangeOp> ranges) {
  Dim product(context, 1);
  for (RangeOp range : ranges)
    product = product * range.getExtentDim();
  return product;
}

LogicalResult LayoutBuilder::addGridRanges() {
  MLIRContext *context = kernel.getContext();
  SmallVector<RangeOp> ranges;
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (isGrid(range) && !range.use_empty())
      ranges.push_back(range);
  // Without groups, nothing is stored at all. Where a range has one position or
  // none, masks say whether there is one.
  for (RangeOp range : ranges)
    if (range.getExtentDim().getMin() <= 0)
      for (auto store : kernel.getBody().getOps<StoreOp>())
        if (!(range.getLargestExtent() == 1 && store.getMask()) &&
            llvm::none_of(store->getOperands(), [&](Value operand) {
              return llvm::is_contained(analysis.getRanges(operand),
                                        range.getResult());
            }))
          return store.emitOpError("does not depend on range ")
                 << range.getId() << " of kind '"
                 << stringifyRangeKind(range.getKind())
                 << "', which may be empty; there would be no group to run it";
  // The innermost range is x, the next one y, and all others are z.
  SmallVector<RangeOp> all = ranges;
  for (int direction : {0, 1})
    if (!ranges.empty())
      layout.gridRanges[direction].push_back(ranges.pop_back_val());
  layout.gridRanges[2] = ranges;
  auto getLimit = [&](int direction) {
    return std::min(tinygrad::kMaxGridGroups[direction],
                    tinygrad::kMaxGridItems / layout.groupSize[direction]);
  };
  bool fits = true;
  for (int direction : {0, 1, 2}) {
    layout.groups[direction] =
        getProduct(context, layout.gridRanges[direction]);
    fits &= layout.groups[direction].getMax() <= getLimit(direction);
  }
  if (fits)
    return success();
  const Dim total = getProduct(context, all), one(context, 1);
  layout.gridRanges = {all, {}, {}};
  layout.groups = {total, one, one};
  if (total.getMax() <= getLimit(0))
    return success();
  // Memory has no room for what some GPUs do not admit even so.
  const int64_t most = total.getMax() / getLimit(0) < getLimit(1)
                           ? getLimit(0)
                           : tinygrad::kMaxGridGroups[0];
  const Dim width(context, most);
  layout.foldedGroups = total;
  layout.groups[0] = Dim::get(DimOpKind::min, total, width);
  layout.groups[1] = Dim::get(DimOpKind::floordiv, total + width - one, width);
  if (layout.groups[1].getMax() > getLimit(1))
    return kernel.emitError("has ")
           << total.str() << " groups of work items; a grid has at most "
           << most << " * " << getLimit(1);
  return success();
}

LogicalResult LayoutBuilder::addBand() {
  for (auto range : kernel.getBody().getOps<RangeOp>()) {
    const int64_t band = getBand(range);
    if (band == 0)
      continue;
    const bool isRow = layout.gridRanges[1] == SmallVector<RangeOp>{range};
    auto fail = [&](const Twine &reason) {
      return range.emitOpError("has bands of ")
             << band << " positions, but " << reason;
    };
    if (!isRow)
      return fail("groups have no range further in, or more than one, or are "
                  "more than a grid has along it");
    RangeOp columns = layout.gridRanges[0].front();
    if (range.isSymbolic() || columns.isSymbolic())
      return fail("the numbers of groups are symbolic");
    // Simplification leaves no such range.
    if (columns.getLargestExtent() == 1)
      return fail("the range further in has one position");
    if (band > range.getLargestExtent())
      return fail("only " + Twine(range.getLargestExtent()) + " of them");
    layout.band = band;
  }
  return success();
}

bool LayoutBuilder::meet(RangeOp a, RangeOp b) {
  return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
    bool hasA = false, hasB = false;
    for (Value operand : op.getOperands()) {
      ArrayRef<Value> ranges = analysis.getRanges(operand);
      hasA |= llvm::is_contained(ranges, a.getResult());
      hasB |= llvm::is_contained(ranges, b.getResult());
    }
    return hasA && hasB;
  });
}

LogicalResult LayoutBuilder::addRange(RangeOp range, bool fillsTile) {
  // Several tiles may be filled along one range.
  if (llvm::any_of(layout.axes, [&](const GroupLayout::Axis &axis) {
        return llvm::is_contained(axis.ranges, range);
      }))
    return success();
  if (range.isSymbolic())
    return range.emitOpError("has a symbolic extent; the number of work "
                             "items of a group has to be known");
  const int64_t extent = range.getLargestExtent();
  if (extent == 0)
    return range.emitOpError("has no positions; a group has work items");
  if (extent > target.groupItems)
    return range.emitOpError("makes groups of ")
           << extent << " work items; the target admits " << target.groupItems;
  for (GroupLayout::Axis &axis : llvm::reverse(layout.axes))
    if (axis.extent == extent && llvm::none_of(axis.ranges, [&](RangeOp other) {
          return meet(range, other);
        })) {
      axis.ranges.push_back(range);
      return success();
    }
  GroupLayout::Axis axis{{range}, static_cast<uint32_t>(extent)};
  layout.axes.insert(fillsTile ? layout.axes.begin() : layout.axes.end(), axis);
  return success();
}

LogicalResult LayoutBuilder::addAxes() {
  auto isTiles = [](Value range) {
    return llvm::any_of(range.getUsers(), [&](Operation *user) {
      auto stage = dyn_cast<StageOp>(user);
      return stage && llvm::is_contained(stage.getRanges(), range);
    });
  };
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (isItem(range) && !range.use_empty() && !isTiles(range) &&
        failed(addRange(range, /*fillsTile=*/false)))
      return failure();
  // The innermost range of a tile is x if possible: neighbors in the tile are
  // mostly neighbors where its values come from.
  for (auto stage : kernel.getBody().getOps<StageOp>())
    for (Value value : llvm::reverse(stage.getRanges()))
      if (auto range = value.getDefiningOp<RangeOp>();
          isItem(range) && failed(addRange(range, /*fillsTile=*/true)))
        return failure();
  int64_t items = 1, outer = 1;
  const size_t count = layout.axes.size();
  for (auto [i, axis] : llvm::enumerate(layout.axes)) {
    items *= axis.extent;
    if (i + 2 < count)
      outer *= axis.extent;
    if (items > target.groupItems)
      return kernel.emitError("has groups of ")
             << items << " or more work items; the target admits "
             << target.groupItems;
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t direction = outer > tinygrad::kMaxGroupItemsInZ
                                 ? 0
                                 : std::min<size_t>(count - 1 - i, 2);
    layout.itemAxes[direction].push_back(i);
    layout.groupSize[direction] *= layout.axes[i].extent;
  }
  return success();
}

LogicalResult LayoutBuilder::addMemory(Operation *op, Type element,
                                       int64_t size, int64_t alignment) {
  const int64_t offset = llvm::alignTo(layout.groupBytes, alignment);
  layout.memories.push_back({op, element, size, offset});
  layout.memories.back().alignment = alignment;
  const int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  if (size > (target.groupBytes - offset) / bytes)
    return op->emitOpError("needs more memory than a group of work items has: ")
           << size << " elements of " << element << " after " << offset
           << " bytes; the target has " << target.groupBytes << " bytes";
  layout.groupBytes = offset + size * bytes;
  return success();
}

/// Whether accesses of items that are \p step bytes apart are in few banks.
static bool isInFewBanks(int64_t step, int64_t banks) {
  return step != 0 && step % kBankBytes == 0 &&
         std::gcd(step / kBankBytes, banks) >= kFewBanks;
}

bool LayoutBuilder::hasBankConflicts(StageOp stage, int64_t row,
                                     int64_t bytes) {
  if (layout.axes.empty())
    return false;
  bool isFew = false;
  for (Operation *barrier : stage->getUsers())
    for (Operation *user : barrier->getUsers()) {
      auto load = dyn_cast<LoadOp>(user);
      if (!load)
        return false;
      const LinearForm &index = analysis.getLinear(load.getIndex());
      for (RangeOp range : layout.axes.back().ranges) {
        const int64_t step = index.getCoefficient(range);
        if (step % row == 0 && llvm::isInt<32>(step))
          isFew |= isInFewBanks(step * bytes, target.banks);
      }
    }
  return isFew;
}

int64_t LayoutBuilder::getConflictingStep(StageOp stage, int64_t bytes) {
  int64_t step = 1;
  for (Value range : llvm::reverse(stage.getRanges())) {
    if (!layout.axes.empty() && isInFewBanks(step * bytes, target.banks) &&
        llvm::is_contained(layout.axes.back().ranges,
                           range.getDefiningOp<RangeOp>()))
      return step;
    step *= range.getDefiningOp<RangeOp>().getLargestExtent();
  }
  return 0;
}

bool LayoutBuilder::readsWithinRows(StageOp stage, int64_t row, int64_t pad) {
  auto isUpcast = [](Value range) {
    return range.getDefiningOp<RangeOp>().getKind() == RangeKind::upcast;
  };
  for (Operation *barrier : stage->getUsers())
    for (Operation *user : barrier->getUsers()) {
      auto load = dyn_cast<LoadOp>(user);
      if (!load || load.getMask())
        return false;
      ArrayRef<Value> ranges = analysis.getRanges(load.getIndex());
      const auto *lanes = llvm::find_if(ranges, isUpcast);
      if (lanes == ranges.end())
        continue;
      auto range = lanes->getDefiningOp<RangeOp>();
      const int64_t count = range.getLargestExtent();
      LinearForm index = analysis.getLinear(load.getIndex());
      if (index.getCoefficient(range) != 1)
        return false;
      index.addTerm(range, -1);
      if (row % count != 0 || pad % count != 0 ||
          getCommonDivisor(index, index.constant.getStatic().value_or(1)) %
                  count !=
              0 ||
          llvm::any_of(index.terms, [&](auto &term) {
            return llvm::is_contained(analysis.getRanges(term.first), *lanes);
          }))
        return false;
    }
  return true;
}

LogicalResult LayoutBuilder::addTile(StageOp stage) {
  // All copies would be in the same memory.
  for (Value range : analysis.getRanges(stage.getTile()))
    if (auto copies = range.getDefiningOp<RangeOp>();
        copies.getKind() == RangeKind::unroll)
      return stage.emitOpError("has a value that depends on unrolled range ")
             << copies.getId() << "; the tile of a group has one copy";
  Type element = stage.getValue().getType();
  const int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8),
                buffers = stage.getBuffers().value_or(1);
  int64_t size = stage.getTile().getType().getNumElements(), row = 0, pad = 0;
  auto hasLanes = [&](Value value) {
    return llvm::any_of(analysis.getRanges(value), [](Value range) {
      return range.getDefiningOp<RangeOp>().getKind() == RangeKind::upcast;
    });
  };
  bool isWrittenAlone = !hasLanes(stage.getValue());
  for (Value range : stage.getRanges())
    isWrittenAlone &=
        range.getDefiningOp<RangeOp>().getKind() != RangeKind::upcast;
  bool isScalar = isWrittenAlone;
  for (Operation *barrier : stage->getUsers())
    for (Operation *user : barrier->getUsers())
      isScalar &= user->getNumResults() == 1 && !hasLanes(user->getResult(0));
  // What matrix operations read is permuted instead.
  auto reduces = kernel.getBody().getOps<RangedReduceOp>();
  const bool hasUnit = llvm::any_of(reduces, [](RangedReduceOp reduce) {
    return reduce.getUnit().has_value();
  });
  if (!hasUnit && isScalar) {
    row = stage.getRanges().back().getDefiningOp<RangeOp>().getLargestExtent();
    if (row > 0 && row < size && hasBankConflicts(stage, row, bytes))
      pad = std::max<int64_t>(kBankBytes / bytes, 1);
  }
  if (!hasUnit && isWrittenAlone && pad == 0) {
    // Vectors stay aligned and in one piece.
    row = getConflictingStep(stage, bytes);
    if (row > 0 && size % row == 0 &&
        readsWithinRows(stage, row, kMemoryAlignment / bytes))
      pad = kMemoryAlignment / bytes;
  }
  if (pad > 0)
    size = size / row * (row + pad);
  if (buffers > 1)
    size = llvm::alignTo(size * bytes, kMemoryAlignment) / bytes * buffers;
  // All tiles of the kernel: one may be read by several operations.
  const bool hasWarpgroups = llvm::any_of(reduces, [](RangedReduceOp reduce) {
    const tinygrad::MatrixUnit *unit =
        tinygrad::findMatrixUnit(reduce.getUnit().value_or(""));
    return unit && unit->readsMemory();
  });
  if (failed(addMemory(stage, element, size,
                       hasWarpgroups ? tinygrad::kWarpgroupAlignment
                                     : kMemoryAlignment)))
    return failure();
  if (pad > 0) {
    layout.memories.back().row = row;
    layout.memories.back().pad = pad;
  }
  return success();
}

LogicalResult LayoutBuilder::addItemTile(StageOp stage) {
  int64_t bytes =
      llvm::divideCeil(stage.getValue().getType().getIntOrFloatBitWidth(), 8) *
      stage.getTile().getType().getNumElements();
  // The code of each unrolled position, and of the last positions of a loop,
  // has a tile of its own.
  ArrayRef<Value> open = analysis.getRanges(stage.getTile());
  for (auto range : kernel.getBody().getOps<RangeOp>()) {
    int64_t copies = 1;
    if (range.getKind() == RangeKind::unroll &&
        llvm::is_contained(open, range.getResult()))
      copies = range.getLargestExtent();
    else if (range.getPeel() &&
             !llvm::is_contained(stage.getRanges(), range.getResult()))
      copies = 2;
    // More is reported below, and would not fit into 64 bits.
    if (bytes <= tinygrad::kMaxItemBytes)
      bytes *= copies;
  }
  itemBytes += bytes;
  if (itemBytes > tinygrad::kMaxItemBytes)
    return stage.emitOpError("may bring the tiles of a work item to ")
           << itemBytes << " bytes, with a tile for each copy of the code "
           << "around it; code for GPUs can use " << tinygrad::kMaxItemBytes;
  return success();
}

LogicalResult LayoutBuilder::addExchange(RangedReduceOp reduce) {
  GroupLayout::Exchange exchange;
  exchange.op = reduce;
  int64_t items = 1;
  for (auto [i, axis] : llvm::enumerate(layout.axes))
    for (RangeOp range : axis.ranges)
      if (llvm::is_contained(reduce.getRanges(), range.getResult())) {
        exchange.axes.push_back(i);
        items *= axis.extent;
      }
  if (exchange.axes.empty())
    return success();
  exchange.rows = layout.getGroupItems() / items;
  // Items that differ along consecutive axes have lanes at equal distances.
  const unsigned end = exchange.axes.front() + exchange.axes.size();
  int64_t stride = 1;
  for (const GroupLayout::Axis &axis : ArrayRef(layout.axes).drop_front(end))
    stride *= axis.extent;
  if (end == exchange.axes.back() + 1 && llvm::isPowerOf2_64(items) &&
      llvm::isPowerOf2_64(stride) && stride < target.subgroupItems) {
    exchange.shuffled = std::min(items, target.subgroupItems / stride);
    exchange.stride = stride;
  }
  exchange.partials = items / exchange.shuffled;
  for (Value value : analysis.getRanges(reduce.getResult())) {
    auto range = value.getDefiningOp<RangeOp>();
    if (range.getKind() == RangeKind::unroll ||
        range.getKind() == RangeKind::upcast)
      exchange.results *= range.getLargestExtent();
  }
  layout.exchanges.push_back(exchange);
  if (exchange.partials == 1)
    return success();
  // Narrow floats are accumulated in f32.
  Type element = reduce.getType();
  if (element.isF16() || element.isBF16())
    element = Float32Type::get(element.getContext());
  return addMemory(reduce, element,
                   exchange.results * exchange.rows * exchange.partials);
}

LogicalResult LayoutBuilder::addContraction(RangedReduceOp reduce) {
  FailureOr<Contraction> contraction = getContraction(reduce, analysis);
  if (failed(contraction))
    return failure();
  // Processors without groups compute the sum as any other.
  if (target.groupItems == 0)
    return success();
  const size_t place = contraction->unit - tinygrad::kMatrixUnits;
  if (!(target.matrixUnits >> place & 1))
    return reduce.emitOpError("is computed by ")
           << StringRef(contraction->unit->name)
           << ", which the target does not have";
  // The number of a lane is that of its row and that of its column.
  SmallVector<RangeOp, 2> lanes = Contraction::getLanes(contraction->rows);
  llvm::append_range(lanes, Contraction::getLanes(contraction->columns));
  auto isAxis = [&](size_t fromEnd, RangeOp range) {
    return layout.axes.size() >= fromEnd &&
           llvm::is_contained(layout.axes.end()[-ptrdiff_t(fromEnd)].ranges,
                              range);
  };
  for (auto [i, range] : llvm::enumerate(lanes))
    if (!isAxis(lanes.size() - i, range)) {
      InFlightDiagnostic error = reduce.emitOpError("ranges ");
      for (auto [j, other] : llvm::enumerate(lanes))
        error << (j == 0                  ? ""
                  : j + 1 == lanes.size() ? " and "
                                          : ", ")
              << other.getId();
      return error << " are not the innermost items of a group, as the lanes "
                      "of "
                   << StringRef(contraction->unit->name) << " have to be";
    }
  layout.contractions.push_back(*contraction);
  permuteTile(contraction->rows.tile);
  permuteTile(contraction->columns.tile);
  return success();
}

void LayoutBuilder::permuteTile(StageOp tile) {
  // Only matrix operations read it.
  for (Operation *barrier : tile->getUsers())
    for (Operation *user : barrier->getUsers())
      if (llvm::none_of(layout.contractions, [&](const Contraction &other) {
            return other.rows.load == user || other.columns.load == user;
          }))
        return;
  // Rows are what the fastest ranges span that together fill the banks. On
  // gfx950, which has banks for 256 bytes, that is so if lanes read 16 bytes at
  // once; for 8 bytes, those of 128 have fewer conflicts.
  const int64_t chunk = layout.contractions.back().unit->getChunkBytes();
  const int64_t turn =
      chunk == 16 ? std::max<int64_t>(target.banks * kBankBytes, 128) : 128;
  const int64_t bytes =
      llvm::divideCeil(tile.getValue().getType().getIntOrFloatBitWidth(), 8);
  int64_t row = 1;
  auto *memory = llvm::find_if(
      layout.memories, [&](const auto &memory) { return memory.op == tile; });
  for (const Contraction &other : layout.contractions)
    for (const Contraction::Factor *factor : {&other.rows, &other.columns})
      if (factor->tile == tile)
        row = std::max(factor->stride, factor->depthStride);
  row = std::max<int64_t>(row, turn / bytes);
  if (memory == layout.memories.end() || !llvm::isPowerOf2_64(row) ||
      bytes > 8 ||
      tile.getTile().getType().getNumElements() * bytes % turn != 0)
    return;
  memory->order.chunkBits = llvm::Log2_64(chunk / bytes);
  memory->order.rowBits = llvm::Log2_64(row);
  memory->order.rowMask = turn / chunk - 1;
  const Contraction &last = layout.contractions.back();
  for (const Contraction::Factor *factor : {&last.rows, &last.columns})
    if (factor->tile == tile && factor->stride == 1 &&
        last.unit->getTransposedElements() > 0 && turn == kTransposedTurn)
      permuteTransposed(*memory, *factor, bytes);
}

/// Reads that transpose: in one turn, 32 lanes read 32 bytes each of eight rows
/// of the depth, 0 to 3 and 8 to 11, or 4 to 7 and 12 to 15. These differ in
/// bits 0, 1 and 3, so chunks are flipped by those bits, and bit 2 is skipped.
/// If a row of the tile holds two rows of the depth, bit 0 is the place in it,
/// and bits 1 and 3 remain.
void LayoutBuilder::permuteTransposed(GroupLayout::Memory &memory,
                                      const Contraction::Factor &factor,
                                      int64_t bytes) {
  // Rows of the depth in one that fills the banks: their lowest bits are in
  // different banks without it.
  const int64_t rows =
      std::max<int64_t>(kTransposedTurn / (factor.depthStride * bytes), 1);
  if (rows > 2)
    return;
  memory.order.chunkBits = llvm::Log2_64(kTransposedChunk / bytes);
  memory.order.rowMask = rows == 1 ? 3 : 1;
  memory.order.farMask = memory.order.rowMask + 1;
}

FailureOr<GroupLayout> LayoutBuilder::build() {
  if (failed(addAxes()) || failed(addGridRanges()) || failed(addBand()))
    return failure();
  for (Operation &op : kernel.getBody().front()) {
    if (op.use_empty())
      continue;
    if (auto stage = dyn_cast<StageOp>(op)) {
      if (failed(stage.getMemory() == TileMemory::group ? addTile(stage)
                                                        : addItemTile(stage)))
        return failure();
    } else if (auto reduce = dyn_cast<RangedReduceOp>(op)) {
      if (failed(addExchange(reduce)) ||
          (reduce.getUnit() && failed(addContraction(reduce))))
        return failure();
    }
  }
  if (failed(checkWarpgroups()) || failed(addBoxTiles()) ||
      failed(addBoxStore()) || failed(addMbarriers()) ||
      failed(addCopyingItems()) || failed(addBlocks()))
    return failure();
  return std::move(layout);
}

int64_t tg::getAlignment(KernelOp kernel, Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  const int64_t least = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument) {
    auto barrier = buffer.getDefiningOp<BarrierOp>();
    auto stage =
        (barrier ? barrier.getTile() : buffer).getDefiningOp<StageOp>();
    return stage && stage.getMemory() == TileMemory::group ? kMemoryAlignment
                                                           : least;
  }
  const unsigned number = argument.getArgNumber();
  if (!kernel.getInPlace() && number < kernel.getOutputs())
    return kBufferAlignment;
  auto alignment =
      kernel.getArgAttrOfType<IntegerAttr>(number, alignmentAttrName);
  return alignment ? std::max(alignment.getInt(), least) : least;
}

FailureOr<GroupLayout> tg::getGroupLayout(KernelOp kernel,
                                          const TargetFacts &target) {
  return LayoutBuilder(kernel, target).build();
}

/// How many neighboring lanes, up to \p most, a power of two, have the same
/// value of a condition, from any multiple of that number on.
static int64_t countEqualLanes(Value condition, Value lanes, int64_t most,
                               IndexAnalysis &analysis) {
  auto dependsOnLanes = [&](Value value) {
    return llvm::is_contained(analysis.getRanges(value), lanes);
  };
  if (!dependsOnLanes(condition))
    return most;
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<AndOp, OrOp>(op)) {
    for (Value operand : op->getOperands())
      most = countEqualLanes(operand, lanes, most, analysis);
    return most;
  }
  auto less = dyn_cast_or_null<CmpLtOp>(op);
  if (!less || !less.getLhs().getType().isIndex())
    return 1;
  LinearForm form = analysis.getLinear(less.getLhs());
  form.subtract(analysis.getLinear(less.getRhs()));
  if (form.saturated || form.getCoefficient(lanes) != 1)
    return 1;
  form.addTerm(lanes, -1);
  if (llvm::any_of(form.terms,
                   [&](auto &term) { return dependsOnLanes(term.first); }))
    return 1;
  // count * x + lane < 0, for lanes from 0 to count - 1, is x < 0.
  const int64_t divisor =
      form.constant.isStatic()
          ? getCommonDivisor(form, *form.constant.getStatic())
          : getCommonDivisor(form, most);
  while (most > 1 && divisor % most != 0)
    most /= 2;
  return most;
}

std::optional<StringRef> tg::findObstacleToCopy(KernelOp kernel, StageOp tile,
                                                IndexAnalysis &analysis) {
  auto load = tile.getValue().getDefiningOp<LoadOp>();
  auto isUpcast = [](Value range) {
    return range.getDefiningOp<RangeOp>().getKind() == RangeKind::upcast;
  };
  if (!load || !isa<BlockArgument>(load.getBuffer()))
    return "what a tile holds is computed";
  // Single elements are aligned.
  const int64_t bytes =
      llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
  Value lanes = tile.getRanges().back();
  if (!isUpcast(lanes) && bytes < kFewestCopied)
    return "elements of fewer than 4 bytes are copied one by one";
  if (llvm::none_of(tile.getRanges(), isUpcast)) {
    if (llvm::any_of(analysis.getRanges(load.getResult()), isUpcast))
      return "several lanes copy an element";
    return std::nullopt;
  }
  if (!isUpcast(lanes) || llvm::count_if(tile.getRanges(), isUpcast) != 1)
    return "lanes are not neighbors in a tile";
  LinearForm index = analysis.getLinear(load.getIndex());
  const bool isNeighbor = index.getCoefficient(lanes) == 1;
  // No other term has the lanes either.
  index.addTerm(lanes, -1);
  if (!isNeighbor || llvm::any_of(index.terms, [&](auto &term) {
        return llvm::is_contained(analysis.getRanges(term.first), lanes);
      }))
    return "lanes are not neighbors in memory";
  if (getCopyAlignment(kernel, tile, analysis) < kFewestCopied)
    return "addresses are multiples of fewer than 4 bytes";
  if (load.getMask() &&
      countCopiedLanes(tile, analysis) * bytes < kFewestCopied)
    return "elements of fewer than 4 bytes are masked one by one";
  return std::nullopt;
}

int64_t tg::getCopyAlignment(KernelOp kernel, StageOp tile,
                             IndexAnalysis &analysis) {
  auto load = tile.getValue().getDefiningOp<LoadOp>();
  const int64_t bytes =
      llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
  LinearForm index = analysis.getLinear(load.getIndex());
  Value lanes = tile.getRanges().back();
  if (index.getCoefficient(lanes) == 1)
    index.addTerm(lanes, -1);
  int64_t alignment = getAlignment(kernel, load.getBuffer());
  if (const int64_t divisor =
          getCommonDivisor(index, index.constant.getStatic().value_or(1)))
    alignment = getCommonDivisor(alignment, divisor * bytes);
  return alignment;
}

int64_t tg::countCopiedLanes(StageOp tile, IndexAnalysis &analysis) {
  auto load = tile.getValue().getDefiningOp<LoadOp>();
  auto lanes = tile.getRanges().back().getDefiningOp<RangeOp>();
  if (lanes.getKind() != RangeKind::upcast)
    return 1;
  const auto most =
      static_cast<int64_t>(llvm::bit_floor(uint64_t(lanes.getLargestExtent())));
  return load.getMask() ? countEqualLanes(load.getMask(), lanes, most, analysis)
                        : most;
}
