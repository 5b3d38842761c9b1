//===- BoxWrites.cpp - what copies of boxes access ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes how convert-tg-to-gpu uses mbarriers. There are n of them, each
/// initialized for one arrival before a barrier, and one loop, from 0 on in
/// steps of 1, every position i of which waits for mbarrier i mod n in the
/// parity of phase i div n. Copies are of a position p: one of 0 to d - 1
/// before the loop, or i + d in it, where d < n. They are for mbarrier p mod n,
/// after one arrival that announces the bytes of all of them.
///
/// So there is one arrival for each position, in the order of positions, since
/// only one item arrives: the copies of two would be a race. An item that waits
/// in position i has waited in i - n, so at least i div n phases have ended. If
/// the phase of that parity has, these are more: the one of position i has.
/// That waits end at all is not proved.
///
/// Where some items only copy (Roles.h), there are two arrays of n, and two
/// loops. One item of those fills the buffers of position p in its loop, after
/// a wait for the second mbarrier of p mod n, in the parity of phase
/// p div n - 1. It is initialized for as many arrivals as there are warpgroups
/// that multiply. One item of each arrives for position q, in position q or a
/// later one of their loop, after the wait that ends the products of q.
///
/// A warpgroup arrives for a position only after its copies have begun, so for
/// no position of a phase after the one that copies wait for, and once for each
/// position. So a phase ends when all warpgroups have arrived for it, and the
/// copies of p begin after all have read position p - n. By the argument above,
/// those of p have then been seen to be complete before those of p + n begin.
///
/// Where groups compute several blocks of results, both loops are in loops over
/// these, of the same form, and positions are counted across blocks: that of
/// the loop is added to as many as all blocks before have. After the loop, and
/// the end of all products, one item of each warpgroup arrives for the last
/// position, so that each position has one arrival as before.
///
/// A store of a box reads a tile until its item has waited for the group that
/// the store is in. What it writes is compared with other boxes of the matrix.
///
//===----------------------------------------------------------------------===//

#include "BoxWrites.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "TinyGrad/Support/TensorMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

static std::optional<int64_t> getNumber(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

/// The loop whose counter a value is, if it counts from 0 on in steps of 1.
static scf::ForOp getLoop(Value value) {
  auto counter = dyn_cast<BlockArgument>(value);
  auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp())
                      : scf::ForOp();
  return loop && loop.getInductionVar() == value &&
                 getNumber(loop.getLowerBound()) == 0 &&
                 getNumber(loop.getStep()) == 1
             ? loop
             : scf::ForOp();
}

/// Whether a value is the number of positions in all blocks of a group before
/// the current one, in each of which a loop has as many.
static bool isBefore(Value value, scf::ForOp blocks, scf::ForOp loop) {
  auto product = value.getDefiningOp<arith::MulIOp>();
  auto turn =
      product ? product.getLhs().getDefiningOp<arith::DivUIOp>() : nullptr;
  auto groups =
      turn ? turn.getRhs().getDefiningOp<gpu::GridDimOp>() : gpu::GridDimOp();
  const std::optional<int64_t> count = getNumber(loop.getUpperBound());
  return groups && groups.getDimension() == gpu::Dimension::x &&
         turn.getLhs() == blocks.getInductionVar() && count &&
         getNumber(product.getRhs()) == count;
}

/// The loop whose position a value is: its counter, or, in a loop over blocks,
/// that of all positions of the group.
static scf::ForOp getPositionLoop(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  scf::ForOp loop = getLoop(sum ? sum.getLhs() : value);
  if (!loop)
    return scf::ForOp();
  auto blocks = dyn_cast<scf::ForOp>(loop->getParentOp());
  const bool isAcross = blocks && isOverBlocks(blocks);
  return isAcross == bool(sum) && (!sum || isBefore(sum.getRhs(), blocks, loop))
             ? loop
             : scf::ForOp();
}

/// The block that a loop is in, or that the loop over blocks around it is in.
static Block *getBlockAround(scf::ForOp loop) {
  auto blocks = dyn_cast<scf::ForOp>(loop->getParentOp());
  return blocks && isOverBlocks(blocks) ? blocks->getBlock() : loop->getBlock();
}

/// The position whose mbarrier a number is, among `count`.
static std::optional<BoxPosition> getPosition(Value number, int64_t count) {
  if (std::optional<int64_t> constant = getNumber(number))
    return *constant >= 0 && *constant < count
               ? std::optional(BoxPosition{nullptr, *constant})
               : std::nullopt;
  auto remainder = number.getDefiningOp<arith::RemUIOp>();
  if (!remainder || getNumber(remainder.getRhs()) != count)
    return std::nullopt;
  Value position = remainder.getLhs();
  if (std::optional<int64_t> constant = getNumber(position))
    return *constant >= 0 && *constant < count
               ? std::optional(BoxPosition{nullptr, *constant})
               : std::nullopt;
  int64_t offset = 0;
  if (auto sum = position.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> distance = getNumber(sum.getRhs())) {
      offset = *distance;
      position = sum.getLhs();
    }
  scf::ForOp loop = getPositionLoop(position);
  return loop ? std::optional(BoxPosition{loop, offset}) : std::nullopt;
}

/// The operation of the function's body that an operation is in.
static Operation *getOutermost(Operation *op, gpu::GPUFuncOp func) {
  while (op->getParentOp() != func)
    op = op->getParentOp();
  return op;
}

static int64_t getBytes(nvgpu::TmaAsyncLoadOp copy) {
  auto type = cast<MemRefType>(copy.getDst().getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

namespace {
/// What is done with the mbarriers of one array.
class Protocol {
public:
  Protocol(nvgpu::MBarrierCreateOp create, gpu::GPUFuncOp func)
      : create(create), func(func),
        count(create.getBarriers().getType().getNumBarriers()) {}

  /// For items of which none only copies.
  LogicalResult check();
  /// For items that only copy; \p emptied are the mbarriers for which these
  /// wait.
  LogicalResult checkHandover(Protocol &emptied, Roles &roles);
  /// Whether items arrive that copy nothing.
  bool isOfReaders() {
    return llvm::any_of(create.getBarriers().getUsers(),
                        llvm::IsaPred<nvgpu::MBarrierArriveOp>);
  }

private:
  LogicalResult sort();
  LogicalResult checkInitialization(int64_t wanted);
  /// The loop in whose body the only wait is, of the phase of its position or
  /// the one before; `block` is around the loop.
  LogicalResult checkWait(Block *block, bool isOther);
  LogicalResult checkFilling(Protocol &emptied, Roles &roles);
  LogicalResult checkReading(Protocol &emptied, Roles &roles);
  LogicalResult checkLastArrival(Roles &roles);
  LogicalResult checkArrivals();
  LogicalResult checkCopies(nvgpu::MBarrierArriveExpectTxOp arrival);

  nvgpu::MBarrierCreateOp create;
  gpu::GPUFuncOp func;
  int64_t count;
  SmallVector<nvgpu::MBarrierInitOp> inits;
  SmallVector<nvgpu::MBarrierArriveExpectTxOp> arrivals;
  SmallVector<nvgpu::MBarrierTryWaitParityOp> waits;
  SmallVector<nvgpu::TmaAsyncLoadOp> copies;
  SmallVector<nvgpu::MBarrierArriveOp> reads;
  scf::ForOp loop;
};
} // namespace

LogicalResult Protocol::sort() {
  for (Operation *user : create.getBarriers().getUsers()) {
    if (auto init = dyn_cast<nvgpu::MBarrierInitOp>(user))
      inits.push_back(init);
    else if (auto arrival = dyn_cast<nvgpu::MBarrierArriveExpectTxOp>(user))
      arrivals.push_back(arrival);
    else if (auto wait = dyn_cast<nvgpu::MBarrierTryWaitParityOp>(user))
      waits.push_back(wait);
    else if (auto copy = dyn_cast<nvgpu::TmaAsyncLoadOp>(user))
      copies.push_back(copy);
    else if (auto read = dyn_cast<nvgpu::MBarrierArriveOp>(user))
      reads.push_back(read);
    else
      return user->emitError("unsupported use of an mbarrier");
  }
  return success();
}

LogicalResult Protocol::checkInitialization(int64_t wanted) {
  SmallVector<bool> isInitialized(size_t(count), false);
  Operation *last = nullptr;
  for (nvgpu::MBarrierInitOp init : inits) {
    std::optional<int64_t> number = getNumber(init.getMbarId());
    if (init.getPredicate() || getNumber(init.getCount()) != wanted ||
        !number || *number < 0 || *number >= count ||
        isInitialized[size_t(*number)])
      return init.emitError("unsupported initialization of an mbarrier");
    isInitialized[size_t(*number)] = true;
    if (!last || last->isBeforeInBlock(getOutermost(init, func)))
      last = getOutermost(init, func);
    // The fence is the same item's.
    Operation *fence = init->getNextNode();
    while (fence && !isa<NVVM::FenceMbarrierInitOp>(fence))
      fence = fence->getNextNode();
    if (!fence || !isa<scf::IfOp, gpu::GPUFuncOp>(init->getParentOp()))
      return init.emitError("is not fenced for copies");
  }
  if (llvm::is_contained(isInitialized, false))
    return create.emitError("some of these mbarriers are not initialized");
  Operation *barrier = last->getNextNode();
  while (barrier && !isa<gpu::BarrierOp>(barrier))
    barrier = barrier->getNextNode();
  for (Operation *user : create.getBarriers().getUsers())
    if (!isa<nvgpu::MBarrierInitOp>(user) &&
        (!barrier || !barrier->isBeforeInBlock(getOutermost(user, func)))) {
      InFlightDiagnostic error = user->emitError(
          "no barrier is between this and the initialization of the mbarrier");
      error.attachNote(last->getLoc()) << "the initialization is here";
      return error;
    }
  return success();
}

LogicalResult Protocol::checkWait(Block *block, bool isOther) {
  if (waits.size() != 1)
    return create.emitError("these mbarriers have ")
           << waits.size() << " waits, not one in a loop";
  nvgpu::MBarrierTryWaitParityOp wait = waits.front();
  std::optional<BoxPosition> position = getPosition(wait.getMbarId(), count);
  loop = position ? dyn_cast_or_null<scf::ForOp>(position->loop) : nullptr;
  if (!loop || position->offset != 0 || wait->getParentOp() != loop ||
      getBlockAround(loop) != block)
    return wait.emitError(
        "unsupported wait for an mbarrier: not of each position of a loop");
  Value parityValue = wait.getPhaseParity();
  if (isOther) {
    auto other = parityValue.getDefiningOp<arith::XOrIOp>();
    if (!other || !matchPattern(other.getRhs(), m_One()))
      return wait.emitError("does not wait for the phase before the one of its "
                            "position");
    parityValue = other.getLhs();
  }
  // (position / count) % 2 == 1
  auto odd = parityValue.getDefiningOp<arith::CmpIOp>();
  auto parity = odd ? odd.getLhs().getDefiningOp<arith::RemUIOp>() : nullptr;
  auto phase =
      parity ? parity.getLhs().getDefiningOp<arith::DivUIOp>() : nullptr;
  if (!phase || odd.getPredicate() != arith::CmpIPredicate::eq ||
      getNumber(odd.getRhs()) != 1 || getNumber(parity.getRhs()) != 2 ||
      getNumber(phase.getRhs()) != count ||
      getPositionLoop(phase.getLhs()) != loop)
    return wait.emitError("does not wait for the phase of its position");
  return success();
}

LogicalResult Protocol::checkCopies(nvgpu::MBarrierArriveExpectTxOp arrival) {
  int64_t bytes = 0;
  for (Operation *next = arrival->getNextNode(); next;
       next = next->getNextNode()) {
    if (isa<nvgpu::MBarrierArriveExpectTxOp>(next))
      return next->emitError("unsupported arrival: a second one in its block");
    auto copy = dyn_cast<nvgpu::TmaAsyncLoadOp>(next);
    if (!copy || !llvm::is_contained(copies, copy))
      continue;
    if (copy.getMbarId() != arrival.getMbarId())
      return copy.emitError("is counted by another mbarrier than was told of "
                            "its bytes");
    bytes += getBytes(copy);
    llvm::erase(copies, copy);
  }
  if (getNumber(arrival.getTxcount()) != bytes) {
    InFlightDiagnostic error = arrival.emitError("announces ");
    if (std::optional<int64_t> announced = getNumber(arrival.getTxcount()))
      error << *announced;
    else
      error << "an unknown number of";
    return error << " bytes, but " << bytes << " are copied";
  }
  return success();
}

LogicalResult Protocol::checkArrivals() {
  SmallVector<int64_t> before;
  std::optional<int64_t> distance;
  for (nvgpu::MBarrierArriveExpectTxOp arrival : arrivals) {
    std::optional<BoxPosition> position =
        getPosition(arrival.getMbarId(), count);
    bool isKnown = position && !arrival.getPredicate();
    // Nothing around it but conditions.
    for (Operation *up = arrival->getParentOp(); isKnown && up != func;
         up = up->getParentOp())
      if (up == loop)
        isKnown &= position->loop == loop;
      else
        isKnown &= isa<scf::IfOp>(up);
    if (isKnown && position->loop) {
      isKnown = loop->isProperAncestor(arrival) && !distance &&
                position->offset >= 1 && position->offset < count;
      distance = position->offset;
    } else if (isKnown) {
      isKnown = getOutermost(arrival, func)->isBeforeInBlock(loop) &&
                !llvm::is_contained(before, position->offset);
      before.push_back(position->offset);
    }
    if (!isKnown)
      return arrival.emitError("unsupported arrival at an mbarrier: not one of "
                               "each position of the loop");
    if (failed(checkCopies(arrival)))
      return failure();
  }
  for (int64_t position : before)
    if (distance ? position >= *distance : position >= count)
      return create.emitError("copies of position ")
             << position << " begin before the loop and in it";
  if (!copies.empty())
    return copies.front().emitError("is of bytes that no arrival announced");
  return success();
}

LogicalResult Protocol::check() {
  return failure(failed(sort()) || failed(checkInitialization(1)) ||
                 failed(checkWait(&func.getBody().front(), false)) ||
                 failed(checkArrivals()));
}

/// The only loop of the items that copy: a wait, an arrival and the copies that
/// it announces, of each position.
LogicalResult Protocol::checkFilling(Protocol &emptied, Roles &roles) {
  if (arrivals.size() != 1 || emptied.waits.size() != 1)
    return create.emitError("these mbarriers have ")
           << arrivals.size() << " arrivals of items that copy, and "
           << emptied.waits.size() << " waits for what was read, not one each";
  nvgpu::MBarrierArriveExpectTxOp arrival = arrivals.front();
  nvgpu::MBarrierTryWaitParityOp wait = emptied.waits.front();
  roles.filling = dyn_cast<scf::ForOp>(arrival->getParentOp());
  std::optional<BoxPosition> position = getPosition(arrival.getMbarId(), count);
  if (!roles.filling ||
      !roles.copying.getThenRegion().isAncestor(
          roles.filling->getParentRegion()) ||
      !position || position->loop != roles.filling || position->offset != 0 ||
      arrival.getPredicate())
    return arrival.emitError("unsupported arrival at an mbarrier: not one of "
                             "each position of the loop");
  if (failed(emptied.checkWait(getBlockAround(roles.filling), true)))
    return failure();
  roles.fillingBlocks = getLoopOverBlocks(roles.filling);
  roles.filled = arrival.getMbarId().getDefiningOp<arith::RemUIOp>().getLhs();
  if (emptied.loop != roles.filling || !wait->isBeforeInBlock(arrival))
    return wait.emitError("is not before the copies of its position");
  for (Operation *up = roles.filling->getParentOp(); up != roles.copying;
       up = up->getParentOp())
    if (!isa<scf::IfOp>(up) &&
        !(up == roles.fillingBlocks && up == roles.filling->getParentOp()))
      return up->emitError("unsupported operation around copies of boxes");
  if (failed(checkCopies(arrival)))
    return failure();
  if (!copies.empty())
    return copies.front().emitError("is of bytes that no arrival announced");
  return success();
}

/// The loop of the items that multiply: a wait, the products, the end of those
/// of a position, and the arrival for it.
LogicalResult Protocol::checkReading(Protocol &emptied, Roles &roles) {
  if (failed(checkWait(roles.others.thenBlock(), false)))
    return failure();
  roles.reading = loop;
  const std::optional<int64_t> end = getNumber(loop.getUpperBound());
  if (loop.getUpperBound() != roles.filling.getUpperBound() &&
      (!end || end != getNumber(roles.filling.getUpperBound())))
    return loop.emitError("has other positions than the loop that fills the "
                          "buffers");
  roles.readingBlocks = getLoopOverBlocks(loop);
  roles.read =
      waits.front().getMbarId().getDefiningOp<arith::RemUIOp>().getLhs();
  if (bool(roles.readingBlocks) != bool(roles.fillingBlocks) ||
      (roles.readingBlocks &&
       getNumber(roles.readingBlocks.getUpperBound()) !=
           getNumber(roles.fillingBlocks.getUpperBound())))
    return loop.emitError("is for other blocks of results than the loop that "
                          "fills the buffers");
  // After the loop, one for the last position of a block.
  const auto *inLoop =
      llvm::find_if(emptied.reads, [&](nvgpu::MBarrierArriveOp arrival) {
        return loop->isAncestor(arrival);
      });
  if (emptied.reads.size() != (roles.readingBlocks ? 2 : 1) ||
      inLoop == emptied.reads.end())
    return emptied.create.emitError("these mbarriers have ")
           << emptied.reads.size()
           << " arrivals of items that read, not one in a loop"
           << (roles.readingBlocks ? " and one after it" : "");
  roles.arrival = *inLoop;
  if (roles.readingBlocks)
    roles.lastArrival = emptied.reads[inLoop == emptied.reads.begin() ? 1 : 0];
  auto guard = dyn_cast<scf::IfOp>(roles.arrival->getParentOp());
  std::optional<BoxPosition> position =
      getPosition(roles.arrival.getMbarId(), count);
  if (!guard || guard.elseBlock() || guard->getParentOp() != loop ||
      !position || position->loop != loop || position->offset >= count)
    return roles.arrival.emitError("unsupported arrival at an mbarrier: not "
                                   "one of each position of the loop");
  roles.behind = position->offset == 0 ? 0 : count - position->offset;
  // In this order: the wait, all products, which are a group, and their end.
  Operation *last = waits.front();
  NVVM::WgmmaGroupSyncAlignedOp commit;
  for (Operation &op : *loop.getBody()) {
    if (isa<NVVM::WgmmaMmaAsyncOp>(op)) {
      if (commit || !last->isBeforeInBlock(&op))
        return op.emitError("does not come after the wait for what it reads, "
                            "and before the end of its group");
    } else if (auto next = dyn_cast<NVVM::WgmmaGroupSyncAlignedOp>(op)) {
      if (commit)
        return op.emitError("unsupported group of products: the second one of "
                            "a position");
      commit = next;
    } else if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op);
               wait && commit && op.isBeforeInBlock(guard) &&
               int64_t(wait.getGroup()) <= roles.behind) {
      roles.buffers = count;
    } else if (&op != guard && op.getNumRegions() != 0) {
      return op.emitError("unsupported operation in a loop that reads buffers");
    }
  }
  if (roles.buffers == 0)
    return roles.arrival.emitError(
        "comes before the products have been waited for that read the buffers");
  return roles.lastArrival ? checkLastArrival(roles) : success();
}

/// After the loop: the end of all products, and the arrival for the last
/// position of the block.
LogicalResult Protocol::checkLastArrival(Roles &roles) {
  nvgpu::MBarrierArriveOp arrival = roles.lastArrival;
  auto guard = dyn_cast<scf::IfOp>(arrival->getParentOp());
  auto number = arrival.getMbarId().getDefiningOp<arith::RemUIOp>();
  auto sum = number ? number.getLhs().getDefiningOp<arith::AddIOp>() : nullptr;
  auto end = sum ? sum.getLhs().getDefiningOp<arith::AddIOp>() : nullptr;
  const std::optional<int64_t> positions = getNumber(loop.getUpperBound());
  if (!guard || guard.elseBlock() || guard->getBlock() != loop->getBlock() ||
      !loop->isBeforeInBlock(guard) || !end || roles.behind != 1 ||
      getNumber(number.getRhs()) != count ||
      getNumber(sum.getRhs()) != count - 1 || !positions ||
      getNumber(end.getRhs()) != positions ||
      !isBefore(end.getLhs(), roles.readingBlocks, loop))
    return arrival.emitError("unsupported arrival at an mbarrier: not one of "
                             "the last position of a block");
  for (Operation *next = loop->getNextNode(); next != guard;
       next = next->getNextNode())
    if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(next);
        wait && wait.getGroup() == 0)
      return success();
  return arrival.emitError(
      "comes before the products have been waited for that read the buffers");
}

LogicalResult Protocol::checkHandover(Protocol &emptied, Roles &roles) {
  if (failed(sort()) || failed(emptied.sort()) ||
      failed(checkInitialization(1)) ||
      failed(emptied.checkInitialization(roles.items / kWarpgroupItems)))
    return failure();
  if (!emptied.arrivals.empty() || !emptied.copies.empty() || !reads.empty() ||
      emptied.count != count)
    return emptied.create.emitError("unsupported mbarriers: not one of each "
                                    "buffer for those that read it");
  return failure(failed(checkFilling(emptied, roles)) ||
                 failed(checkReading(emptied, roles)));
}

LogicalResult tg::checkMbarriers(gpu::GPUFuncOp func, Roles &roles) {
  SmallVector<Protocol, 2> protocols;
  WalkResult result = func.walk([&](nvgpu::MBarrierCreateOp create) {
    if (create->getParentOp() != func)
      return WalkResult(create.emitError("unsupported mbarriers"));
    protocols.push_back(Protocol(create, func));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (!roles.copying || protocols.empty()) {
    for (Protocol &protocol : protocols)
      if (protocol.isOfReaders() || failed(protocol.check()))
        return protocol.isOfReaders()
                   ? func.emitError("has arrivals of items that read, but none "
                                    "that only copy")
                   : failure();
    return success();
  }
  if (protocols.size() != 2 ||
      protocols[0].isOfReaders() == protocols[1].isOfReaders())
    return func.emitError("has ")
           << protocols.size()
           << " arrays of mbarriers, not one for what is full and one for what "
              "is empty";
  if (protocols[0].isOfReaders())
    std::swap(protocols[0], protocols[1]);
  return protocols[0].checkHandover(protocols[1], roles);
}

namespace {
/// The matrix that a tensor map is of.
struct Matrix {
  BlockArgument buffer;
  int64_t distance; ///< of rows
};
} // namespace

/// The matrix that a tensor map is of, if all of it is in its buffer, and boxes
/// are of this shape.
static std::optional<Matrix> getMatrix(Value descriptor,
                                       ArrayRef<int64_t> box) {
  auto map = descriptor.getDefiningOp<nvgpu::TmaCreateDescriptorOp>();
  auto cast = map ? map.getTensor().getDefiningOp<memref::CastOp>() : nullptr;
  auto matrix =
      cast ? cast.getSource().getDefiningOp<memref::ReinterpretCastOp>()
           : nullptr;
  auto buffer = matrix ? dyn_cast<BlockArgument>(matrix.getSource()) : nullptr;
  if (!buffer || matrix.getType().getRank() != 2 ||
      !matrix.getType().hasStaticShape() ||
      llvm::any_of(matrix.getStaticStrides(), ShapedType::isDynamic) ||
      matrix.getStaticOffsets()[0] != 0 || matrix.getStaticStrides()[1] != 1 ||
      map.getBoxDimensions().size() != box.size())
    return std::nullopt;
  for (auto [size, wanted] : llvm::zip_equal(map.getBoxDimensions(), box))
    if (getNumber(size) != wanted)
      return std::nullopt;
  auto flat = mlir::cast<MemRefType>(buffer.getType());
  const int64_t distance = matrix.getStaticStrides()[0],
                last = (matrix.getType().getDimSize(0) - 1) * distance +
                       matrix.getType().getDimSize(1);
  if (!flat.hasStaticShape() || last > flat.getNumElements() ||
      matrix.getType().getDimSize(1) > distance)
    return std::nullopt;
  return Matrix{buffer, distance};
}

/// The elements of a tile that are a box, and the matrix that the other end of
/// the copy is in.
static FailureOr<std::pair<MemoryAccess, Matrix>>
getBox(Operation *op, Value part, Value descriptor, gpu::GPUFuncOp func) {
  auto box = part.getDefiningOp<memref::ReinterpretCastOp>();
  auto tile = box ? dyn_cast<BlockArgument>(box.getSource()) : nullptr;
  const auto attributions = func.getWorkgroupAttributions();
  const auto *found = llvm::find(attributions, tile);
  if (!tile || found == attributions.end() || !box.getType().hasStaticShape() ||
      box.getType().getRank() != 2 || box.getOffsets().size() != 1)
    return op->emitError("unsupported copy of a box");
  const int64_t bits = box.getType().getElementTypeBitWidth(),
                row = tinygrad::kBoxRowBytes * 8 / bits;
  const ArrayRef<int64_t> shape = box.getType().getShape();
  auto alignment = dyn_cast_if_present<IntegerAttr>(
      func.getWorkgroupAttributionAttr(unsigned(found - attributions.begin()),
                                       LLVM::LLVMDialect::getAlignAttrName()));
  auto map = cast<nvgpu::TensorMapDescriptorType>(descriptor.getType());
  if (shape[1] != row || shape[0] % tinygrad::kWarpgroupRows != 0 ||
      box.getStaticStrides() != ArrayRef<int64_t>{row, 1} ||
      !llvm::isPowerOf2_64(row) || !alignment ||
      alignment.getInt() % tinygrad::kWarpgroupAlignment != 0 ||
      map.getSwizzle() != nvgpu::TensorMapSwizzleKind::SWIZZLE_128B ||
      map.getInterleave() != nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE)
    return op->emitError("unsupported copy of a box: rows are not 128 bytes, "
                         "permuted as those of the tile");
  std::optional<Matrix> matrix = getMatrix(descriptor, shape);
  if (!matrix)
    return op->emitError("unsupported tensor map, or one of more than its "
                         "buffer has");
  MemoryAccess access{op, tile, box.getOffsets(), shape[0] * shape[1]};
  access.isAsync = access.isMatrix = true;
  access.permutation = Permutation{
      llvm::Log2_64(row), llvm::Log2_64(row / tinygrad::kWarpgroupRows),
      uint64_t(tinygrad::kWarpgroupRows - 1)};
  return std::pair(access, *matrix);
}

FailureOr<MemoryAccess> tg::getBoxWrite(nvgpu::TmaAsyncLoadOp op,
                                        gpu::GPUFuncOp func, Value &source) {
  if (op.getPredicate() || op.getMulticastMask())
    return op->emitError("unsupported copy of a box");
  auto box = getBox(op, op.getDst(), op.getTensorMapDescriptor(), func);
  if (failed(box))
    return failure();
  std::optional<BoxPosition> position = getPosition(
      op.getMbarId(), cast<nvgpu::MBarrierGroupType>(op.getBarriers().getType())
                          .getNumBarriers());
  if (!position)
    return op->emitError("unsupported number of an mbarrier");
  // In the loop of an item that only copies: its wait in the position in which
  // the buffer is filled again.
  if (position->loop && position->offset == 0)
    position->offset =
        cast<nvgpu::MBarrierGroupType>(op.getBarriers().getType())
            .getNumBarriers();
  auto &[write, matrix] = *box;
  source = matrix.buffer;
  write.isWrite = true;
  write.position = position;
  return write;
}

FailureOr<std::array<MemoryAccess, 2>>
tg::getBoxStore(nvgpu::TmaAsyncStoreOp op, gpu::GPUFuncOp func) {
  if (op.getPredicate() || op.getCoordinates().size() != 2)
    return op->emitError("unsupported store of a box");
  auto box = getBox(op, op.getSrc(), op.getTensorMapDescriptor(), func);
  if (failed(box))
    return failure();
  // Until then, the memory must not become another group's.
  bool isCommitted = false, hasWaited = false;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    isCommitted |= isa<NVVM::CpAsyncBulkCommitGroupOp>(next);
    auto wait = dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(next);
    hasWaited |= isCommitted && wait && wait.getGroup() == 0;
  }
  // Where groups compute several blocks, after all of these.
  if (scf::ForOp blocks = getLoopOverBlocks(op); blocks && isCommitted)
    for (Operation *next = blocks->getNextNode(); next;
         next = next->getNextNode()) {
      auto wait = dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(next);
      hasWaited |= wait && wait.getGroup() == 0;
    }
  if (!hasWaited)
    return op->emitError("the function may end before this store has read its "
                         "box: no commit and wait for all groups follow it");
  const auto &[read, matrix] = *box;
  const ArrayRef<int64_t> shape =
      cast<MemRefType>(op.getSrc().getType()).getShape();
  MemoryAccess write{op, matrix.buffer, {}};
  write.isWrite = write.isAsync = true;
  write.box = MatrixBox{{op.getCoordinates()[0], op.getCoordinates()[1]},
                        {shape[1], shape[0]},
                        matrix.distance};
  return std::array<MemoryAccess, 2>{read, write};
}
