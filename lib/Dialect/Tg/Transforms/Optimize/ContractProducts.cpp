//===- ContractProducts.cpp - products of matrices on matrix units --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of products that a matrix operation of the target computes. A group
/// computes a block of results, each of its subgroups a part of it. Its items
/// read blocks of both factors into tiles of the group. Where four subgroups
/// compute a part together (wgmma), copies of boxes fill the tiles.
///
//===----------------------------------------------------------------------===//

#include "ChooseBand.h"
#include "Heuristic.h"
#include "TinyGrad/Dialect/Tg/IR/TgCopyingItems.h"
#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"
#include "TinyGrad/Support/TensorMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using tinygrad::MatrixUnit;

/// Subgroups of a group along rows, and along columns, of most blocks.
static constexpr int64_t kSubgroups = 2;
/// The fewest columns for which a matrix operation is used: smaller blocks
/// would mostly consist of padding. Fewer rows than that are padded, since
/// products of few rows wait for memory and not for arithmetic, unless this is
/// slow, as with f64. A single row is no product of matrices.
static constexpr int64_t kFewest = 16, kFewestRows = 2;
/// The columns that are enough for a block.
static constexpr int64_t kColumns = 64;
/// Bytes along the depth that a tile has of each row.
static constexpr int64_t kDepthBytes = 64;
/// Registers of an item beside sums, factors and what it copies into tiles.
static constexpr int64_t kOtherRegisters = 24;
static constexpr int64_t kRegisterBytes = 4;
/// Upper limit of the copies of a value by unrolled ranges.
static constexpr int64_t kMaxCopies = 256;
/// Warpgroups of a group.
static constexpr int64_t kWarpgroups = 2;

namespace {
/// A product of matrices: the factors, the ranges of its rows and columns, and
/// the range of the sum.
struct Product {
  RangedReduceOp reduce;
  const MatrixUnit *unit = nullptr;
  RangeOp rows, columns, depth;
  /// The factors with the rows and with the columns.
  Value left, right;
};

/// The size of a block, and the subgroups along both sides of it.
struct BlockSize {
  int64_t rows, columns;
  int64_t rowSubgroups = kSubgroups, columnSubgroups = kSubgroups;

  int64_t getSubgroups() const { return rowSubgroups * columnSubgroups; }
};

/// A block that warpgroups compute, and for how many tiles of each factor there
/// is memory.
struct WarpgroupBlock {
  int64_t rows, columns, buffers;
};
} // namespace

/// A block that two subgroups on each part of a compute unit compute: each of
/// their products needs three quarters of the reads of smaller blocks, and the
/// block half of the copies. One group is enough for a unit: a subgroup
/// multiplies while the other one reads, and none waits for copies.
static constexpr BlockSize kWideBlock = {256, 256, 2, 4};

/// The fewest buffers of groups that compute several blocks: the products of
/// two positions run while the tiles of another one come.
static constexpr int64_t kFewestAcrossBlocks = 3;
/// The two mbarriers of a buffer.
static constexpr int64_t kBothMbarriersBytes = 16;

/// From the one with the fewest instructions for each product on. Those of
/// 128x128 and of 128x64 fit twice into a compute unit.
static constexpr WarpgroupBlock kWarpgroupBlocks[] = {
    {128, 256, 4}, {256, 128, 4}, {128, 128, 3}, {256, 64, 4}, {128, 64, 4}};

/// Whether a value is computed from loads along a range.
static bool isLoadedAlong(KernelSchedule &schedule, Value value,
                          RangeOp range) {
  return llvm::any_of(schedule.getSlice(value), [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && schedule.dependsOn(load.getResult(), range);
  });
}

/// Whether loads that a value is computed from are masked along a range, as the
/// pixels outside of an image are.
static bool isMaskedAlong(KernelSchedule &schedule, Value value,
                          RangeOp range) {
  return llvm::any_of(schedule.getSlice(value), [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && load.getMask() && schedule.dependsOn(load.getMask(), range);
  });
}

/// Whether warpgroups compute products of such factors unless steps ask for it:
/// those whose results are the same as those of other operations. Of tf32 they
/// cut off bits instead of rounding; hardware is said to add products of fp8
/// with fewer bits than f32 has.
static bool isExactOnWarpgroups(tinygrad::MatrixElement element) {
  return element == tinygrad::MatrixElement::f16 ||
         element == tinygrad::MatrixElement::bf16 ||
         element == tinygrad::MatrixElement::i8;
}

/// The operation that adds up such products, the deepest one up to a depth;
/// null if the target has none. Either one of a subgroup, or one of a warpgroup
/// with the given number of columns.
static const MatrixUnit *findUnit(const TargetFacts &target,
                                  const ProductFactors &factors, Type result,
                                  int64_t deepest = INT64_MAX,
                                  int64_t warpgroupColumns = 0) {
  const MatrixUnit *found = nullptr;
  for (const auto &[i, unit] : llvm::enumerate(tinygrad::kMatrixUnits))
    if ((target.matrixUnits >> i & 1) &&
        unit.readsMemory() == (warpgroupColumns > 0) &&
        (!unit.readsMemory() ||
         (unit.n == warpgroupColumns && isExactOnWarpgroups(unit.element))) &&
        fitsUnit(unit, factors, result) &&
        (unit.element != tinygrad::MatrixElement::tf32 || target.roundToTf32) &&
        unit.k <= deepest && (!found || unit.k > found->k))
      found = &unit;
  return found;
}

/// Bytes of the results and of all factors of a step that an item holds.
static int64_t countRegisterBytes(const MatrixUnit &unit, BlockSize size) {
  const int64_t bytes = tinygrad::getBytes(unit.element);
  const int64_t tileRows = size.rows / size.rowSubgroups / unit.m,
                tileColumns = size.columns / size.columnSubgroups / unit.n;
  return tileRows * tileColumns * unit.c.getNumRegisters() *
             std::max<int64_t>(bytes, 4) +
         tileRows * unit.a.getNumRegisters() * bytes +
         tileColumns * unit.b.getNumRegisters() * bytes;
}

/// The blocks that leave enough groups, of \p others for each, from the largest
/// one on.
static SmallVector<BlockSize> listBlocks(Product product,
                                         const TargetFacts &target,
                                         int64_t others, bool mayBeWide) {
  static constexpr BlockSize sizes[] = {
      {128, 128}, {128, 64}, {64, 128}, {64, 64}, {64, 32}, {32, 64}, {32, 32}};
  const int64_t rows = product.rows.getLargestExtent(),
                columns = product.columns.getLargestExtent();
  // Smaller blocks do not exist, so that few rows or columns are padded to
  // these.
  auto isFilled = [&](int64_t size, int64_t extent) {
    return size < 2 * extent || size == sizes[std::size(sizes) - 1].rows;
  };
  SmallVector<BlockSize> blocks;
  if (mayBeWide && rows % kWideBlock.rows == 0 &&
      columns % kWideBlock.columns == 0 &&
      rows / kWideBlock.rows * (columns / kWideBlock.columns) * others >=
          target.parallelItems / 2)
    blocks.push_back(kWideBlock);
  auto isSmaller = [&](BlockSize size) {
    return blocks.empty() || size.rows * size.columns <
                                 blocks.back().rows * blocks.back().columns;
  };
  for (BlockSize size : sizes) {
    const int64_t groups = llvm::divideCeil(rows, size.rows) *
                           llvm::divideCeil(columns, size.columns) * others;
    if (countRegisterBytes(*product.unit, size) <
            target.vectorRegisters * target.vectorBytes &&
        isFilled(size.rows, rows) && isFilled(size.columns, columns) &&
        groups >= target.parallelItems / 2 && isSmaller(size))
      blocks.push_back(size);
  }
  if (const BlockSize last = sizes[std::size(sizes) - 1]; isSmaller(last))
    blocks.push_back(last);
  return blocks;
}

/// Splits the rows or columns of an operation into digits of an accumulator.
/// Returns the first one.
static RangeOp splitDigits(KernelSchedule &schedule, RangeOp rest,
                           ArrayRef<AccumulatorDigit> digits) {
  RangeOp first;
  for (const AccumulatorDigit &digit : digits) {
    RangeOp own = rest;
    if (digit.extent < rest.getLargestExtent())
      std::tie(own, rest) =
          schedule.split(rest, rest.getLargestExtent() / digit.extent);
    schedule.setKind(own, digit.kind);
    if (!first)
      first = own;
  }
  return first;
}

/// Splits the rows or columns of a block into those of subgroups, those of
/// accumulators, and the digits of an accumulator. Returns the ranges of the
/// subgroups and the first digit.
static std::pair<RangeOp, RangeOp> splitSide(KernelSchedule &schedule,
                                             RangeOp side,
                                             const MatrixUnit &unit,
                                             BlockSize size, bool ofColumns) {
  auto [subgroups, rest] = schedule.split(
      side, side.getLargestExtent() /
                (ofColumns ? size.columnSubgroups : size.rowSubgroups));
  schedule.setKind(subgroups, RangeKind::local);
  if (const int64_t extent = ofColumns ? unit.n : unit.m;
      rest.getLargestExtent() > extent) {
    auto [tiles, inner] = schedule.split(rest, extent);
    schedule.setKind(tiles, RangeKind::unroll);
    rest = inner;
  }
  return {subgroups,
          splitDigits(schedule, rest, getAccumulatorDigits(unit, ofColumns))};
}

/// The product that a kernel consists of, if the target has an operation for
/// it, of warpgroups if it is one with \p warpgroupColumns; else \p why not,
/// unless the kernel is no product at all.
static std::optional<Product>
findProduct(KernelSchedule &schedule, RangedReduceOp reduce, RangeOp columns,
            llvm::function_ref<RangeOp(const MatrixUnit &)> chooseDepth,
            std::string &why, int64_t warpgroupColumns = 0) {
  std::optional<ProductFactors> factors = getFactors(reduce.getValue());
  if (!factors || reduce.getKind() != ReduceKind::add)
    return std::nullopt;
  Product product;
  product.reduce = reduce;
  product.columns = columns;
  product.unit = findUnit(schedule.getTarget(), *factors, reduce.getType(),
                          INT64_MAX, warpgroupColumns);
  llvm::raw_string_ostream os(why);
  if (!product.unit) {
    os << "the target has no operation for factors of "
       << factors->lhs.getType() << " and sums of " << reduce.getType();
    return std::nullopt;
  }
  if (!columns || columns.getLargestExtent() < kFewest) {
    os << "results that are neighbors in memory are fewer than " << kFewest;
    return std::nullopt;
  }
  product.depth = chooseDepth(*product.unit);
  // A short sum may have a depth of another operation.
  if (product.depth)
    if (const MatrixUnit *unit =
            findUnit(schedule.getTarget(), *factors, reduce.getType(),
                     product.depth.getLargestExtent(), warpgroupColumns))
      product.unit = unit;
  if (!product.depth || product.depth.getLargestExtent() < product.unit->k) {
    os << "fewer than " << product.unit->k << " positions of the sum";
    return std::nullopt;
  }
  // The innermost rows that are long enough; the longest ones if none are.
  const int64_t fewestRows =
      tinygrad::getBytes(product.unit->element) > 4 ? kFewest : kFewestRows;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range == columns ||
        range.getLargestExtent() <
            (product.rows ? std::min(product.rows.getLargestExtent(), kFewest)
                          : fewestRows))
      continue;
    for (auto [x, y] : {std::pair(factors->lhs, factors->rhs),
                        std::pair(factors->rhs, factors->lhs)})
      if (schedule.dependsOn(x, range) && !schedule.dependsOn(x, columns) &&
          schedule.dependsOn(y, columns) && !schedule.dependsOn(y, range) &&
          schedule.dependsOn(x, product.depth) &&
          schedule.dependsOn(y, product.depth)) {
        product.rows = range;
        product.left = x;
        product.right = y;
      }
  }
  if (!product.rows) {
    os << "one factor has no range of at least " << fewestRows
       << " results that the other one lacks";
    return std::nullopt;
  }
  return product;
}

bool Heuristic::contractProducts() {
  RangedReduceOp sum = findOnlySum();
  if (!sum || target.matrixUnits == 0)
    return false;
  RangeOp columns = chooseColumns(sum, kColumns);
  std::string why;
  auto chooseDepthFor = [&](const MatrixUnit &unit) {
    const int64_t full =
        std::max(kDepthBytes / tinygrad::getBytes(unit.element), unit.k);
    return chooseDepth(sum, columns, full, kMaxRangeExtent,
                       /*least=*/full);
  };
  std::optional<Product> found =
      findProduct(schedule, sum, columns, chooseDepthFor, why);
  if (!found)
    return isUnfit(why);
  if (kSubgroups * kSubgroups * target.subgroupItems > target.groupItems)
    return isUnfit("groups have too few work items");
  Product &product = *found;
  const MatrixUnit &unit = *product.unit;
  const int64_t bytes = tinygrad::getBytes(unit.element);
  int64_t others = 1;
  for (RangeOp range : schedule.getResultRanges())
    if (range != product.rows && range != product.columns &&
        llvm::MulOverflow(others, range.getLargestExtent(), others))
      return false;
  const BlockSize size = takeBlock<BlockSize>(listBlocks(
      product, target, others,
      mayFillDirectly(unit, product.depth, {product.rows, product.columns},
                      {product.left, product.right})));
  int64_t depthSize = std::max(kDepthBytes / bytes, unit.k);
  // Items of NVIDIA's GPUs read misaligned elements one by one, those of AMD's
  // only if some are masked.
  auto readsOneByOne = [&](Value factor, RangeOp side) {
    return unit.family == tinygrad::MatrixFamily::mma ||
           isMaskedAlong(schedule, factor, side) ||
           isMaskedAlong(schedule, factor, product.depth);
  };
  const bool mayNarrow[] = {readsOneByOne(product.left, product.rows),
                            readsOneByOne(product.right, columns)};
  // What the items of a group copy into both tiles in pieces: elements that are
  // transposed, or whose addresses are misaligned.
  auto countPieces = [&](int64_t depth) {
    int64_t count = 0;
    for (auto [factor, side, extent, isNarrowed] :
         {std::tuple(product.left, product.rows, size.rows, mayNarrow[0]),
          std::tuple(product.right, columns, size.columns, mayNarrow[1])}) {
      const bool isAlongSide =
          isContiguous(factor, side) && !isContiguous(factor, product.depth);
      const int64_t width = target.vectorBytes / bytes,
                    atOnce = countAtOnce(
                        factor, isAlongSide ? side : product.depth, width);
      if (isAlongSide && bytes != 2 &&
          unit.family == tinygrad::MatrixFamily::mma)
        count += extent * depth;
      else if (isNarrowed && atOnce < width)
        count += extent * depth / atOnce;
    }
    return count;
  };
  const int64_t items = size.getSubgroups() * target.subgroupItems;
  while (depthSize > unit.k &&
         size.rows * size.columns / items * (depthSize / unit.k) > kMaxCopies)
    depthSize /= 2;
  // The registers of an item: sums, factors, and those of a piece: its element
  // and its address in the tile, or both addresses of a copy, and its size.
  const int64_t sums = countRegisterBytes(unit, size) / kRegisterBytes,
                ofPiece = bytes < kRegisterBytes ? 2 : 3;
  while (depthSize > unit.k && target.itemRegisters > 0 &&
         sums + countPieces(depthSize) / items * ofPiece + kOtherRegisters >
             target.itemRegisters)
    depthSize /= 2;
  if (!canSkip &&
      (size.rows + size.columns) * depthSize * bytes > target.groupBytes)
    return isUnfit("tiles need " +
                   Twine((size.rows + size.columns) * depthSize * bytes) +
                   " bytes of a group's " + Twine(target.groupBytes));
  // The mask of a tile is found by those of loads.
  if (!isMultiple(product.depth, depthSize) &&
      !llvm::all_of(ArrayRef{product.left, product.right}, [&](Value factor) {
        return isLoadedAlong(schedule, factor, product.depth);
      }))
    return isUnfit("a factor that is not loaded has no zeros past the end");

  report("matrix rows", product.rows, size.rows);
  report("matrix columns", product.columns, size.columns);
  report("matrix depth", product.depth, depthSize);
  if (columns->isBeforeInBlock(product.rows))
    schedule.moveBefore(product.rows, columns);
  RangeOp rowsOfBlock = schedule.split(product.rows, size.rows).second;
  RangeOp columnsOfBlock = schedule.split(columns, size.columns).second;
  RangeOp depthOfBlock = splitDepth(product.reduce, product.depth, depthSize);
  // A tile belongs to the group because of its local range.
  auto stage = [&](Value factor, RangeOp side) {
    const bool isAlongSide =
        isContiguous(factor, side) && !isContiguous(factor, depthOfBlock);
    // Items read neighbors along the depth at once, unless reads transpose.
    const bool isTransposed = isAlongSide && unit.readsTransposed();
    SmallVector<RangeOp> over{side, depthOfBlock};
    if (isTransposed)
      std::swap(over[0], over[1]);
    schedule.setKind(side, RangeKind::local);
    SmallVector<RangeOp> ranges = schedule.stage(factor, over).second;
    schedule.setKind(side, RangeKind::loop);
    schedule.setKind(ranges[isTransposed], RangeKind::loop);
    return isAlongSide == isTransposed
               ? Fill{ranges[1], ranges[0], /*isTurned=*/false,
                      /*isSpread=*/isTransposed}
               : Fill{ranges[0], ranges[1], /*isTurned=*/!isTransposed};
  };
  const Fill left = stage(product.left, rowsOfBlock),
             right = stage(product.right, columnsOfBlock);
  auto [subgroupRows, firstRow] =
      splitSide(schedule, rowsOfBlock, unit, size, /*ofColumns=*/false);
  RangeOp subgroupColumns =
      splitSide(schedule, columnsOfBlock, unit, size, /*ofColumns=*/true).first;
  // The lanes are the innermost items.
  schedule.moveBefore(subgroupColumns, firstRow);
  if (depthOfBlock.getLargestExtent() > unit.k) {
    auto [steps, inner] = schedule.split(depthOfBlock, unit.k);
    schedule.setKind(steps, RangeKind::unroll);
    depthOfBlock = inner;
  }
  schedule.contract(product.reduce, &unit - tinygrad::kMatrixUnits);
  const int64_t axes[] = {unit.getColumnLanes(), unit.getRowLanes(),
                          size.columnSubgroups, size.rowSubgroups};
  // Lanes of a tile that is turned are not neighbors there: if its elements are
  // large enough to be copied one by one, no item waits for them.
  std::optional<Ahead> ahead =
      planAhead(product.reduce, /*isOfUnit=*/true,
                size.getSubgroups() >= 2 * tinygrad::kUnitParts
                    ? 1
                    : tinygrad::kBlockedGroups);
  const Fill fills[] = {left, right};
  const int64_t width = target.vectorBytes / bytes;
  const bool isDirect = ahead && copiesBySubgroups();
  if (isDirect)
    if (std::optional<StringRef> why =
            findObstacleToDirectFills(unit, *ahead, fills, width, items)) {
      waiting = why->str();
      ahead.reset();
    }
  // Lanes of a tile that is turned are not neighbors there: if its elements are
  // large enough to be copied one by one, no item waits for them.
  const bool copiesElements =
      ahead && !isDirect && llvm::all_of(ahead->tiles, [&](StageOp tile) {
        return !findObstacleToCopy(schedule.getKernel(), tile,
                                   schedule.getAnalysis());
      });
  for (auto [fill, isNarrowed] : llvm::zip_equal(fills, mayNarrow))
    if (ahead && isDirect)
      splitDirectFill(fill, width, axes);
    else
      splitFill(fill, fill.isTurned && copiesElements ? 1 : width, axes,
                isNarrowed);
  fillAhead(ahead);
  for (RangeOp range : schedule.getResultRanges())
    if (range.getKind() == RangeKind::loop && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  return true;
}

/// Whether a target has operations of warpgroups.
static bool hasWarpgroups(const TargetFacts &target) {
  for (const auto &[i, unit] : llvm::enumerate(tinygrad::kMatrixUnits))
    if ((target.matrixUnits >> i & 1) && unit.readsMemory())
      return true;
  return false;
}

/// Stages a factor as wgmma reads it: blocks of 64 rows (columns), whose
/// positions or whose depth are contiguous, as they are in memory. If there is
/// one block, it has no range.
static void stageForWarpgroups(KernelSchedule &schedule, Value factor,
                               RangeOp blocks, RangeOp side, RangeOp depth,
                               bool isAlongSide) {
  SmallVector<RangeOp> over;
  if (blocks)
    over.push_back(blocks);
  const size_t place = over.size() + (isAlongSide ? 1 : 0);
  over.push_back(isAlongSide ? depth : side);
  over.push_back(isAlongSide ? side : depth);
  // A tile belongs to the group because of its local range.
  schedule.setKind(side, RangeKind::local);
  SmallVector<RangeOp> ranges = schedule.stage(factor, over).second;
  schedule.setKind(side, RangeKind::loop);
  schedule.setKind(ranges[place], RangeKind::loop);
}

/// The bytes of a result that may be stored as a part of a box: those of the
/// only store, if it has the type of the factors, or 0.
static int64_t countResultBytes(RangedReduceOp sum, const MatrixUnit &unit) {
  auto kernel = sum->getParentOfType<KernelOp>();
  SmallVector<StoreOp> stores(kernel.getBody().getOps<StoreOp>());
  const int64_t bytes = tinygrad::getBytes(unit.element);
  return stores.size() == 1 &&
                 stores.front().getValue().getType().getIntOrFloatBitWidth() ==
                     uint64_t(8 * bytes)
             ? bytes
             : 0;
}

/// The only store of a kernel is of boxes, if these are in memory as the
/// hardware writes them and fit into a tile that was read.
static void storeBoxes(KernelSchedule &schedule, KernelOp kernel) {
  SmallVector<StoreOp> stores(kernel.getBody().getOps<StoreOp>());
  if (stores.size() != 1 || stores.front().getUpdate())
    return;
  MLIRContext *context = kernel.getContext();
  const StepOperand store{StringAttr::get(context, StoreOp::getOperationName()),
                          0};
  if (!schedule.findObstacle(StepAttr::get(context, StepKind::buffer, {store},
                                           {}, StepAttr::kAsTma + 1, {})))
    schedule.storeBoxes(stores.front());
}

bool Heuristic::contractOnWarpgroups() {
  RangedReduceOp sum = findOnlySum();
  if (!sum || !hasWarpgroups(target))
    return false;
  RangeOp columns = chooseColumns(sum, kColumns);
  std::string why;
  auto chooseDepthFor = [&](const MatrixUnit &unit) {
    return chooseDepth(sum, columns, unit.getRowElements(), kMaxRangeExtent,
                       /*least=*/unit.getRowElements());
  };
  std::optional<Product> found = findProduct(
      schedule, sum, columns, chooseDepthFor, why, kWarpgroupBlocks[0].columns);
  if (!found)
    return isUnfit(why);
  Product &product = *found;
  if (!product.left.getDefiningOp<LoadOp>() ||
      !product.right.getDefiningOp<LoadOp>())
    return isUnfit("a factor is computed, and not copied from memory");
  const int64_t depthSize = product.unit->getRowElements(),
                positions = llvm::divideCeil(product.depth.getLargestExtent(),
                                             depthSize);
  int64_t others = 1;
  for (RangeOp range : schedule.getResultRanges())
    if (range != product.rows && range != columns &&
        llvm::MulOverflow(others, range.getLargestExtent(), others))
      return false;
  // Blocks without padding, of which there are enough for three of four compute
  // units (of which each has two parallel items).
  SmallVector<WarpgroupBlock> blocks;
  for (const WarpgroupBlock &block : kWarpgroupBlocks) {
    const auto inRows = uint64_t(product.rows.getLargestExtent() / block.rows),
               inColumns = uint64_t(columns.getLargestExtent() / block.columns);
    const uint64_t groups = llvm::SaturatingMultiply(
        llvm::SaturatingMultiply(inRows, inColumns), uint64_t(others));
    if (isMultiple(product.rows, block.rows) &&
        isMultiple(columns, block.columns) &&
        groups >= uint64_t(target.parallelItems) / 2 * 3 / 4)
      blocks.push_back(block);
  }
  if (blocks.empty())
    return isUnfit("no blocks of 128x64 fill the results and the device");
  const WarpgroupBlock block = takeBlock<WarpgroupBlock>(blocks);
  const std::optional<ProductFactors> factors = getFactors(sum.getValue());
  const MatrixUnit *unit =
      findUnit(target, *factors, sum.getType(), INT64_MAX, block.columns);
  if (!unit)
    return isUnfit("the target has no operation for " + Twine(block.columns) +
                   " columns");
  // How a factor is in memory.
  auto isAlongSide = [&](Value factor, RangeOp side) {
    return isContiguous(factor, side) && !isContiguous(factor, product.depth);
  };
  const bool isLeftAlongRows = isAlongSide(product.left, product.rows),
             isRightAlongColumns = isAlongSide(product.right, columns);

  report("matrix rows", product.rows, block.rows);
  report("matrix columns", columns, block.columns);
  report("matrix depth", product.depth, depthSize);
  int64_t buffers = std::clamp<int64_t>(positions, 2, block.buffers);
  // Where a group has a unit for itself, a further warpgroup copies boxes, if
  // any buffer is filled twice: no other group fills the gap where all wait at
  // a barrier.
  const int64_t positionBytes =
      (block.rows + block.columns) * tinygrad::kBoxRowBytes;
  const bool isAlone = 2 * (buffers * positionBytes + target.reservedBytes) >
                       target.unitBytes,
             isCopied = isAlone && positions > buffers;
  // If there are more blocks than units, groups compute several: copies for the
  // next block begin while results are stored. These need memory of their own,
  // for which there may be a buffer less.
  auto multiply = [](ArrayRef<int64_t> numbers) {
    uint64_t result = 1;
    for (int64_t number : numbers)
      result = llvm::SaturatingMultiply(result, uint64_t(number));
    return int64_t(std::min(result, uint64_t(INT64_MAX)));
  };
  const int64_t numBlocks =
      multiply({product.rows.getLargestExtent() / block.rows,
                columns.getLargestExtent() / block.columns, int64_t(others)});
  const int64_t ownBytes =
      countResultBytes(sum, *unit) * block.rows * block.columns;
  auto fits = [&](int64_t count) {
    return count * (positionBytes + kBothMbarriersBytes) + ownBytes +
               tinygrad::kWarpgroupAlignment <=
           target.groupBytes;
  };
  const bool isAcross =
      isCopied && numBlocks > target.parallelItems / 2 &&
      llvm::none_of(schedule.getResultRanges(),
                    [](RangeOp range) { return range.isSymbolic(); }) &&
      fits(std::min(buffers, kFewestAcrossBlocks));
  while (isAcross && !fits(buffers))
    --buffers;
  report("buffers", product.depth, buffers);
  if (isAcross)
    report("across blocks", product.rows, numBlocks);
  if (columns->isBeforeInBlock(product.rows))
    schedule.moveBefore(product.rows, columns);
  int64_t band = 0;
  if (!product.rows.isSymbolic() && !columns.isSymbolic() &&
      !product.depth.isSymbolic()) {
    const int64_t rowCount = product.rows.getLargestExtent(),
                  columnCount = columns.getLargestExtent();
    band = chooseBand(
        {rowCount / block.rows, columnCount / block.columns, block.rows,
         block.columns, target.parallelItems / (isAlone ? 2 : 1)},
        multiply({rowCount + columnCount, product.depth.getLargestExtent(),
                  tinygrad::getBytes(unit->element)}),
        target);
  }
  auto [rowGroups, rowsOfGroup] = schedule.split(product.rows, block.rows);
  auto [rowBlocks, row] =
      schedule.split(rowsOfGroup, tinygrad::kWarpgroupBlock);
  RangeOp columnBlocks, column = schedule.split(columns, block.columns).second;
  if (block.columns > tinygrad::kWarpgroupBlock)
    std::tie(columnBlocks, column) =
        schedule.split(column, tinygrad::kWarpgroupBlock);
  RangeOp depth = splitDepth(sum, product.depth, depthSize);
  stageForWarpgroups(schedule, product.left, rowBlocks, row, depth,
                     isLeftAlongRows);
  stageForWarpgroups(schedule, product.right, columnBlocks, column, depth,
                     isRightAlongColumns);
  // Each warpgroup has neighboring rows.
  if (const int64_t tiles =
          block.rows / tinygrad::kWarpgroupBlock / kWarpgroups;
      tiles > 1) {
    auto [warpgroups, tile] = schedule.split(rowBlocks, tiles);
    schedule.setKind(tile, RangeKind::unroll);
    rowBlocks = warpgroups;
  }
  schedule.setKind(rowBlocks, RangeKind::local);
  splitDigits(schedule, row, getAccumulatorDigits(*unit, /*ofColumns=*/false));
  const auto digits = getAccumulatorDigits(*unit, /*ofColumns=*/true);
  ArrayRef<AccumulatorDigit> inBlock = digits;
  // The first digit of the columns are the blocks.
  if (columnBlocks) {
    schedule.setKind(columnBlocks, digits.front().kind);
    inBlock = inBlock.drop_front();
  }
  splitDigits(schedule, column, inBlock);
  auto [products, inner] = schedule.split(depth, unit->k);
  schedule.setKind(products, RangeKind::unroll);
  schedule.contract(sum, unit - tinygrad::kMatrixUnits);
  for (RangeOp range : schedule.getResultRanges())
    if (range.getKind() == RangeKind::loop &&
        !(range == rowGroups && band > 0) && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  // The last one, since a band is one of two ranges of groups.
  if (band > 0 && !admits(rowGroups, RangeKind::global, band))
    band = 0;
  if (rowGroups.getKind() == RangeKind::loop &&
      admits(rowGroups, RangeKind::global, band)) {
    if (band > 0)
      report("band", rowGroups, band);
    schedule.setKind(rowGroups, RangeKind::global, band);
  }
  // Boxes are not copied in loops of the result.
  const int64_t how = StepAttr::kAsTma + buffers +
                      (isCopied ? kByWarpgroup : 0) +
                      (isAcross ? kAcrossBlocks : 0);
  const ProductFactors staged = *getFactors(sum.getValue());
  for (Value factor : {staged.lhs, staged.rhs})
    schedule.setBuffers(getGroupTile(factor), how);
  storeBoxes(schedule, sum->getParentOfType<KernelOp>());
  return true;
}
