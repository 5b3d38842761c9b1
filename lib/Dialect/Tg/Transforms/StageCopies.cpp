//===- StageCopies.cpp - a tile instead of a copy -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-stage-copies pass. It splits the memory that a kernel
/// overwrites into blocks of rows, which are positions of the kernel's
/// outermost range. The elements that a block reads are in the block, or within
/// a bounded distance before or after it; the linear forms of the indices give
/// both bounds.
///
//===----------------------------------------------------------------------===//

#include "KernelSet.h"
#include "Optimize/KernelSchedule.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferPart.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include <numeric>

namespace mlir::tg {
#define GEN_PASS_DEF_TGSTAGECOPIES
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Maximum distance, in operations, between a copy and the kernel that reads
/// it.
constexpr int64_t kMaxBetween = 64;
/// The parts of a tile are multiples of this many bytes, so that each vector
/// comes from one part as a whole. (Masked loads at addresses far outside of
/// memory take hundreds of cycles.)
constexpr int64_t kTileUnit = 128;
/// Minimum and desired length of a block, in multiples of the saved border.
constexpr int64_t kMinBlock = 4, kGoodBlock = 16;

namespace {

/// What a kernel reads of a copy of the memory that it writes. Its outermost
/// range advances by `row` elements in both.
struct Reach {
  RangeOp rows;
  int64_t row = 0;
  /// The first element that the first row writes.
  int64_t begin = 0;
  /// How many elements before the first one and after the last one of a group
  /// of rows these rows read.
  int64_t before = 0, behind = 0;

  int64_t getBorder() const { return before + behind; }
};

struct StagedKernel {
  /// Null if the copy stays; `reason` then says why.
  KernelOp kernel;
  std::string reason;
  /// Saves the borders; null if there is only one block.
  KernelOp saveBorders;
  MemRefType borders;
};

struct TgStageCopiesPass
    : public tg::impl::TgStageCopiesBase<TgStageCopiesPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  LaunchOp findReader(TransferOp copy);
  StagedKernel stage(KernelOp kernel, unsigned target, unsigned copy, Dim size);
  std::optional<Reach> findReach(KernelOp kernel, unsigned target,
                                 unsigned copy, std::string &reason);
  int64_t chooseRows(Reach reach, int64_t unit, int64_t elementBytes);
};

} // namespace

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

static int64_t getUnit(Type element) {
  return std::max<int64_t>(kTileUnit /
                               static_cast<int64_t>(llvm::divideCeil(
                                   cast<MemRefType>(getBufferType(element, 1))
                                       .getElementTypeBitWidth(),
                                   8)),
                           1);
}

/// The launch that overwrites the copied memory and is the only reader of the
/// copy.
LaunchOp TgStageCopiesPass::findReader(TransferOp copy) {
  Value source = copy.getSource(), dest = copy.getDest();
  if (!dest.getDefiningOp<AllocOp>() || source.getType() != dest.getType() ||
      !llvm::hasNItems(dest.getUses(), 2))
    return LaunchOp();
  const BufferPart memory = getBufferPart(source);
  Operation *op = copy->getNextNode();
  for (int64_t i = 0; op && i < kMaxBetween; ++i, op = op->getNextNode()) {
    auto isMemory = [&](Value buffer) {
      return isBufferType(buffer.getType()) &&
             getBufferPart(buffer).mayOverlap(memory);
    };
    auto launch = dyn_cast<LaunchOp>(op);
    if (launch && llvm::is_contained(launch.getBuffers(), dest))
      return !launch.getNumbers() &&
                     llvm::is_contained(launch.getBuffers(), source) &&
                     llvm::count_if(launch.getBuffers(), isMemory) == 1
                 ? launch
                 : LaunchOp();
    if (!isa<AllocOp, SubbufferOp, LiteralOp>(op) &&
        llvm::any_of(op->getOperands(), isMemory))
      return LaunchOp();
  }
  return LaunchOp();
}

/// How far from its writes a kernel reads; none if the indices do not show it.
std::optional<Reach> TgStageCopiesPass::findReach(KernelOp kernel,
                                                  unsigned target,
                                                  unsigned copy,
                                                  std::string &reason) {
  auto fail = [&](StringRef why) {
    reason = why.str();
    return std::nullopt;
  };
  Block &body = kernel.getBody().front();
  StoreOp written;
  SmallVector<LoadOp> read;
  for (Operation &op : body) {
    if (auto range = dyn_cast<RangeOp>(op)) {
      if (range.getKind() != RangeKind::loop || range.getPeel())
        return fail("the kernel is scheduled already");
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (store.getUpdate())
        return fail("the order of positions matters");
      if (store.getBuffer() == body.getArgument(target)) {
        if (written)
          return fail("the kernel stores to it in two places");
        written = store;
      }
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      if (load.getBuffer() == body.getArgument(copy))
        read.push_back(load);
    } else if (!isa<ConstOp, DimOp>(op) &&
               !op.hasTrait<OpTrait::Elementwise>()) {
      return fail("the kernel does more than elementwise operations");
    }
  }
  KernelSchedule schedule(kernel);
  if (!written || schedule.getRanges().empty())
    return fail("the kernel does not store to it");
  IndexAnalysis &analysis = schedule.getAnalysis();
  Reach reach;
  reach.rows = schedule.getRanges().front();
  reach.row = analysis.getLinear(written.getIndex()).getCoefficient(reach.rows);
  if (reach.row <= 0)
    return fail("the outermost range does not step through memory");
  // The position within a row, over all rows; ignores masks.
  auto getPlaces = [&](Value index) -> std::optional<Interval> {
    LinearForm form = analysis.getLinear(index);
    if (form.getCoefficient(reach.rows) != reach.row)
      return std::nullopt;
    form.addTerm(reach.rows, -reach.row);
    for (auto [atom, factor] : form.terms)
      if (schedule.dependsOn(atom, reach.rows))
        return std::nullopt;
    Interval places = analysis.getInterval(form);
    const auto size =
        cast<MemRefType>(written.getBuffer().getType()).getNumElements();
    if (places.lo < -size || places.hi > 2 * size)
      return std::nullopt;
    return places;
  };
  std::optional<Interval> places = getPlaces(written.getIndex());
  if (!places || places->hi - places->lo >= reach.row)
    return fail("rows of what is written are not known to be disjoint");
  reach.begin = places->getMin();
  const int64_t end = reach.begin + reach.row - 1;
  const auto unit = static_cast<uint64_t>(getUnit(
      cast<MemRefType>(written.getBuffer().getType()).getElementType()));
  for (LoadOp load : read) {
    places = getPlaces(load.getIndex());
    if (!places)
      return fail("it is read at positions that do not follow the rows");
    reach.before = std::max(reach.before, reach.begin - places->getMin());
    reach.behind = std::max(reach.behind, places->getMax() - end);
  }
  reach.before = llvm::alignTo(reach.before, unit);
  reach.behind = llvm::alignTo(reach.behind, unit);
  return reach;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The rows of a block, or 0 if the borders would be about as large as the
/// blocks.
int64_t TgStageCopiesPass::chooseRows(Reach reach, int64_t unit,
                                      int64_t elementBytes) {
  const int64_t extent = reach.rows.getLargestExtent();
  const int64_t rowBytes = reach.row * elementBytes;
  const int64_t borderBytes = reach.getBorder() * elementBytes;
  if (int64_t all; !llvm::MulOverflow(extent, rowBytes, all) &&
                   all + borderBytes <= wholeBytes)
    return extent;
  int64_t rows = (tileBytes - borderBytes) / rowBytes;
  if (rows <= 0 || rows * rowBytes < kMinBlock * borderBytes)
    return 0;
  // As short as gives enough blocks, while their borders stay short.
  const int64_t forItems = std::max<int64_t>(
      llvm::divideCeil(extent, getTargetFacts(getOperation()).parallelItems),
      llvm::divideCeil(kGoodBlock * reach.getBorder(), reach.row));
  rows = std::clamp<int64_t>(rows, 1, std::max<int64_t>(forItems, 1));
  const int64_t step = unit / std::gcd(unit, reach.row);
  rows -= rows % step;
  // Avoid a remainder if possible.
  if (!reach.rows.isSymbolic())
    for (int64_t fewer = rows; fewer > rows - rows / 4; fewer -= step)
      if (extent % fewer == 0)
        return fewer;
  return rows;
}

/// Whether \p index is at least \p begin (if given) and less than \p end.
static Value isWithin(IndexBuilder &index, Value value,
                      std::optional<int64_t> begin, Dim end) {
  Value atLeast = begin ? index.atLeast(value, *begin) : Value();
  return index.conjunction(atLeast, index.lessThan(value, end));
}

/// A kernel that copies what is around the start of each block, and around the
/// end of the last one.
static KernelOp createSaveBorders(KernelOp kernel, const Reach &reach,
                                  Dim numBlocks, int64_t rows, Dim size,
                                  MemRefType memory, MemRefType borders) {
  OpBuilder builder(kernel.getContext());
  Location loc = kernel.getLoc();
  auto save =
      KernelOp::create(builder, loc, (kernel.getName() + "_borders").str(),
                       ArrayRef<Type>{borders, memory}, 1);
  Block &body = save.getBody().front();
  builder.setInsertionPointToEnd(&body);
  Value block = RangeOp::create(builder, loc, 0, RangeKind::loop,
                                numBlocks + Dim(kernel.getContext(), 1));
  Value place = RangeOp::create(builder, loc, 1, RangeKind::loop,
                                Dim(kernel.getContext(), reach.getBorder()));
  IndexBuilder index(builder, loc);
  Value from = index.add(index.add(index.mul(block, rows * reach.row), place),
                         reach.begin - reach.before);
  Value mask = isWithin(index, from, 0, size);
  Value element = LoadOp::create(builder, loc, body.getArgument(1), from, mask);
  StoreOp::create(builder, loc, element, body.getArgument(0),
                  index.add(index.mul(block, reach.getBorder()), place),
                  Value());
  return save;
}

/// The kernel with a tile for each block instead of the copy. The target has
/// \p size elements.
StagedKernel TgStageCopiesPass::stage(KernelOp kernel, unsigned target,
                                      unsigned copy, Dim size) {
  StagedKernel result;
  auto memory = cast<MemRefType>(kernel.getArgumentTypes()[target]);
  if (kernel.isExternal() || !memory.hasStaticShape()) {
    result.reason = "the size of a buffer is not known";
    return result;
  }
  std::optional<Reach> reach = findReach(kernel, target, copy, result.reason);
  if (!reach)
    return result;
  const int64_t unit = getUnit(memory.getElementType());
  const int64_t rows = chooseRows(
      *reach, unit, llvm::divideCeil(memory.getElementTypeBitWidth(), 8));
  if (rows == 0) {
    result.reason = "the borders of blocks are about as large as the blocks, "
                    "or the blocks are not whole vectors";
    return result;
  }
  const Dim extent = reach->rows.getExtentDim();
  const bool isWhole = rows >= extent.getMax();
  const int64_t border = reach->getBorder();
  const Dim numBlocks =
      Dim::get(DimOpKind::floordiv, extent + Dim(kernel.getContext(), rows - 1),
               Dim(kernel.getContext(), rows));

  result.kernel = cast<KernelOp>(kernel->clone());
  Block &body = result.kernel.getBody().front();
  BlockArgument old = body.getArgument(copy);
  SmallVector<LoadOp> loads;
  for (Operation *user : old.getUsers())
    loads.push_back(cast<LoadOp>(user));
  RangeOp block;
  {
    KernelSchedule schedule(result.kernel);
    if (!isWhole)
      block = schedule.split(schedule.getRanges().front(), rows).first;
  }

  // The tile holds the elements before the block, its own, and those after it.
  const int64_t own = rows * reach->row, length = border + own;
  int64_t id = 0;
  RangeOp last;
  for (auto range : body.getOps<RangeOp>()) {
    id = std::max<int64_t>(id, static_cast<int64_t>(range.getId()) + 1);
    last = range;
  }
  const auto tileSize =
      static_cast<int64_t>(llvm::alignTo(length, static_cast<uint64_t>(unit)));
  OpBuilder builder(kernel.getContext());
  Location loc = kernel.getLoc();
  if (block)
    builder.setInsertionPointAfter(block);
  else
    builder.setInsertionPointToStart(&body);
  Value place = RangeOp::create(builder, loc, id, RangeKind::loop,
                                Dim(kernel.getContext(), tileSize));
  builder.setInsertionPointAfter(last);
  IndexBuilder index(builder, loc);
  auto step = [&](int64_t size) {
    return block ? index.mul(block, size) : index.constant(0);
  };
  auto load = [&](BlockArgument from, Value at, Value mask) -> Value {
    return LoadOp::create(builder, loc, from, at, mask);
  };
  Value from =
      index.add(index.add(step(own), place), reach->begin - reach->before);
  Value isInMemory = isWithin(index, from, 0, size);
  Value element;
  if (isWhole || border == 0) {
    element =
        load(body.getArgument(target), from,
             index.conjunction(isInMemory, index.lessThan(place, length)));
  } else {
    result.borders = getBufferType(memory.getElementType(),
                                   (numBlocks.getMax() + 1) * border,
                                   memory.getMemorySpace());
    BlockArgument borders =
        body.insertArgument(copy + 1, result.borders, old.getLoc());
    Value isBeforeEnd = index.lessThan(place, reach->before + own);
    element = load(
        body.getArgument(target), from,
        index.conjunction(isInMemory,
                          index.conjunction(index.atLeast(place, reach->before),
                                            isBeforeEnd)));
    Value saved = index.add(step(border), place);
    if (reach->behind > 0) {
      Value behind = load(borders, index.add(saved, border - own),
                          isWithin(index, place, reach->before + own,
                                   Dim(kernel.getContext(), length)));
      element = WhereOp::create(builder, loc, element.getType(), isBeforeEnd,
                                element, behind);
    }
    if (reach->before > 0) {
      Value isBefore = index.lessThan(place, reach->before);
      Value before = load(borders, saved, isBefore);
      element = WhereOp::create(builder, loc, element.getType(), isBefore,
                                before, element);
    }
    result.saveBorders = createSaveBorders(kernel, *reach, numBlocks, rows,
                                           size, memory, result.borders);
  }
  MemRefType tileType = getBufferType(memory.getElementType(), tileSize);
  Value tile = StageOp::create(builder, loc, tileType, element, place);
  tile = BarrierOp::create(builder, loc, tileType, tile);

  IndexAnalysis analysis;
  for (LoadOp load : loads) {
    LinearForm form = analysis.getLinear(load.getIndex());
    if (block)
      form.addTerm(block, -own);
    form.addConstant(reach->before - reach->begin);
    builder.setInsertionPoint(load);
    IndexBuilder inTile(builder, load.getLoc());
    load.getIndexMutable().assign(inTile.get(form));
    load.getBufferMutable().assign(tile);
  }
  body.eraseArgument(copy);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  result.kernel.setInPlace(true);
  result.kernel.setFunctionType(
      builder.getFunctionType(body.getArgumentTypes(), TypeRange()));
  return result;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

void TgStageCopiesPass::runOnOperation() {
  if (tileBytes < 1 || wholeBytes < 0) {
    emitError(getOperation().getLoc(),
              "tg-stage-copies needs tiles of at least one byte, not ")
        << tileBytes.getValue() << " and " << wholeBytes.getValue();
    return signalPassFailure();
  }
  // Memory of a work item has no room for a block of rows.
  if (getTargetFacts(getOperation()).groupItems > 0)
    return;
  SymbolTable symbols(getOperation());
  // By kernel, its arguments, and the size of the target.
  std::map<std::tuple<Operation *, unsigned, unsigned, const void *>,
           StagedKernel>
      known;
  KernelSet kernels;
  SmallVector<TransferOp> copies;
  for (auto func : getOperation().getOps<func::FuncOp>())
    func.walk([&](TransferOp copy) { copies.push_back(copy); });
  llvm::SetVector<Operation *> replaced;
  auto add = [&](KernelOp &kernel, KernelOp before) {
    if (!kernel)
      return;
    KernelOp equal = kernels.insert(kernel);
    if (equal != kernel) {
      kernel->erase();
      kernel = equal;
      return;
    }
    symbols.insert(kernel, Block::iterator(before));
  };
  for (TransferOp copy : copies) {
    LaunchOp launch = findReader(copy);
    if (!launch)
      continue;
    auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
    auto find = [&](Value buffer) {
      return static_cast<unsigned>(llvm::find(launch.getBuffers(), buffer) -
                                   launch.getBuffers().begin());
    };
    const unsigned target = find(copy.getSource()), old = find(copy.getDest());
    const auto outputs = static_cast<unsigned>(kernel.getOutputs());
    if (target >= outputs || old < outputs)
      continue;
    const auto type = cast<MemRefType>(copy.getSource().getType());
    const auto elementBytes = static_cast<int64_t>(
        llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    const Dim size =
        Dim::get(DimOpKind::floordiv, getAvailableBytes(copy.getSource()),
                 Dim(&getContext(), elementBytes));
    auto [it, isNew] = known.try_emplace(
        {kernel, target, old, size.getAttr().getAsOpaquePointer()});
    StagedKernel &staged = it->second;
    if (isNew) {
      staged = stage(kernel, target, old, size);
      add(staged.saveBorders, kernel);
      add(staged.kernel, kernel);
    }
    auto options = remark::RemarkOpts::name("copy").category("tg-stage-copies");
    if (!staged.kernel) {
      remark::missed(launch.getLoc(), options)
          << (kernel.getName() + " reads a copy: " + staged.reason).str();
      continue;
    }
    remark::passed(launch.getLoc(), options)
        << (kernel.getName() + " reads tiles of what it overwrites").str();
    OpBuilder builder(launch);
    SmallVector<Value> buffers(launch.getBuffers());
    Operation *alloc = copy.getDest().getDefiningOp();
    if (staged.saveBorders) {
      Value borders = AllocOp::create(builder, copy.getLoc(), staged.borders,
                                      cast<AllocOp>(alloc).getDevice());
      buffers[old] = borders;
      LaunchOp::create(builder, launch.getLoc(),
                       staged.saveBorders.getSymName(),
                       ValueRange{borders, copy.getSource()});
    } else {
      buffers.erase(buffers.begin() + old);
    }
    LaunchOp::create(builder, launch.getLoc(), staged.kernel.getSymName(),
                     buffers);
    launch.erase();
    copy.erase();
    alloc->erase();
    replaced.insert(kernel);
    ++numCopies;
  }
  for (Operation *kernel : replaced)
    if (SymbolTable::symbolKnownUseEmpty(kernel, getOperation()))
      symbols.erase(kernel);
}
