//===- MatrixReads.cpp - what matrix operations read ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes the descriptors of wgmma. A descriptor is
///
///   (address of the tile >> 4 & 0x3fff | constant) + (first element >> n)
///
/// where 2^n elements have 16 bytes, and the constant says the rest: rows of
/// 128 bytes whose chunks are permuted as those of the tile, if that begins at
/// a multiple of 1024 bytes.
///
//===----------------------------------------------------------------------===//

#include "MatrixReads.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

static constexpr int64_t kRowBytes = 128;
static constexpr unsigned kFieldBits = 14;

static bool isConstant(Value value, uint64_t wanted) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) &&
         number.getZExtValue() == wanted;
}

namespace {
struct Descriptor {
  Value memory;
  OpOperand *first; ///< the number of the first element
  uint64_t bits;    ///< beside the address
};
} // namespace

static std::optional<Descriptor> matchDescriptor(Value value, int64_t bytes) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  auto whole = sum ? sum.getLhs().getDefiningOp<arith::OrIOp>() : nullptr;
  auto cast = sum ? sum.getRhs().getDefiningOp<arith::IndexCastOp>() : nullptr;
  auto place = cast ? cast.getIn().getDefiningOp<arith::ShRUIOp>() : nullptr;
  auto field = whole ? whole.getLhs().getDefiningOp<arith::AndIOp>() : nullptr;
  auto pieces =
      field ? field.getLhs().getDefiningOp<arith::ShRUIOp>() : nullptr;
  auto address =
      pieces ? pieces.getLhs().getDefiningOp<arith::IndexCastOp>() : nullptr;
  auto memory =
      address ? address.getIn()
                    .getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>()
              : nullptr;
  APInt bits;
  if (!place || !memory ||
      !isConstant(place.getRhs(), llvm::Log2_64(16 / bytes)) ||
      !isConstant(pieces.getRhs(), 4) ||
      !isConstant(field.getRhs(), (uint64_t(1) << kFieldBits) - 1) ||
      !matchPattern(whole.getRhs(), m_ConstantInt(&bits)))
    return std::nullopt;
  return Descriptor{memory.getSource(), &place->getOpOperand(0),
                    bits.getZExtValue()};
}

/// How many elements there are from the first one that a matrix has to the last
/// one; none if the descriptor is of another kind of rows.
static std::optional<int64_t> getReach(uint64_t bits, int64_t bytes,
                                       bool isAlongDepth, int64_t side,
                                       int64_t depth) {
  auto field = [&](unsigned first) {
    return int64_t(bits >> first & ((1 << kFieldBits) - 1)) << 4;
  };
  const int64_t blocks = field(16), groups = field(32), row = kRowBytes / bytes;
  const uint64_t rest = bits & ~(uint64_t((1 << kFieldBits) - 1) << 16 |
                                 uint64_t((1 << kFieldBits) - 1) << 32);
  if (rest != uint64_t(1) << 62 ||
      groups != tinygrad::kWarpgroupRows * kRowBytes ||
      (!isAlongDepth && bytes != 2))
    return std::nullopt;
  if (isAlongDepth)
    return (side - 1) * row + depth;
  return (side / row - 1) * (blocks / bytes) + depth * row;
}

/// The bytes of an element of a factor; none for types that are not known.
static std::optional<int64_t> getBytes(NVVM::WGMMATypes type) {
  switch (type) {
  case NVVM::WGMMATypes::f16:
  case NVVM::WGMMATypes::bf16:
    return 2;
  case NVVM::WGMMATypes::tf32:
    return 4;
  case NVVM::WGMMATypes::e4m3:
  case NVVM::WGMMATypes::e5m2:
  case NVVM::WGMMATypes::s8:
    return 1;
  default:
    return std::nullopt;
  }
}

/// Whether all operations are waited for after a loop before anything else.
static bool isCompleteAfter(scf::ForOp loop) {
  for (Operation *next = loop ? loop->getNextNode() : nullptr; next;
       next = next->getNextNode()) {
    if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(next))
      return wait.getGroup() == 0;
    if (next->getNumRegions() != 0 ||
        isa<gpu::BarrierOp, NVVM::BarrierOp>(next) ||
        llvm::is_contained(next->getOperandTypes(), loop.getResultTypes()[0]))
      break;
  }
  return false;
}

/// Whether nothing lets another item write before the operation is complete.
/// Otherwise the operation goes on until its group has been waited for, at the
/// latest after the loop that it is in.
static FailureOr<bool> isCompleteAtOnce(NVVM::WgmmaMmaAsyncOp op) {
  bool isCommitted = false;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (isa<NVVM::WgmmaGroupSyncAlignedOp>(next))
      isCommitted = true;
    if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(next);
        wait && isCommitted) {
      if (wait.getGroup() == 0)
        return true;
      if (isCompleteAfter(dyn_cast<scf::ForOp>(op->getParentOp())))
        return false;
      break;
    }
    if (next->getNumRegions() != 0 ||
        isa<gpu::BarrierOp, NVVM::BarrierOp>(next) ||
        next->hasTrait<OpTrait::IsTerminator>())
      break;
  }
  return op->emitError("is not waited for before the next barrier or the end "
                       "of its block, or after its loop");
}

FailureOr<std::array<MemoryAccess, 2>>
tg::getMatrixReads(NVVM::WgmmaMmaAsyncOp op, gpu::GPUFuncOp func) {
  FailureOr<bool> isComplete = isCompleteAtOnce(op);
  if (failed(isComplete))
    return failure();
  const std::optional<int64_t> known = getBytes(op.getTypeA());
  if (!known || op.getTypeB() != op.getTypeA())
    return op->emitError("unsupported type of factors");
  const int64_t bytes = *known, row = kRowBytes / bytes;
  std::array<MemoryAccess, 2> reads;
  for (bool ofB : {false, true}) {
    std::optional<Descriptor> descriptor =
        matchDescriptor(ofB ? op.getDescriptorB() : op.getDescriptorA(), bytes);
    const bool isAlongDepth = ofB ? op.getLayoutB() == NVVM::MMALayout::col
                                  : op.getLayoutA() == NVVM::MMALayout::row;
    std::optional<int64_t> reach;
    if (descriptor)
      reach = getReach(descriptor->bits, bytes, isAlongDepth,
                       ofB ? op.getShape().getN() : op.getShape().getM(),
                       op.getShape().getK());
    auto tile = descriptor ? dyn_cast<BlockArgument>(descriptor->memory)
                           : BlockArgument();
    const auto attributions = func.getWorkgroupAttributions();
    const auto *found = llvm::find(attributions, tile);
    auto alignment =
        reach && found != attributions.end()
            ? dyn_cast_if_present<IntegerAttr>(func.getWorkgroupAttributionAttr(
                  unsigned(found - attributions.begin()),
                  LLVM::LLVMDialect::getAlignAttrName()))
            : IntegerAttr();
    if (!alignment || alignment.getInt() % tinygrad::kWarpgroupAlignment != 0 ||
        cast<MemRefType>(tile.getType()).getElementTypeBitWidth() != 8 * bytes)
      return op->emitError("unsupported descriptor of factor ")
             << (ofB ? "B" : "A");
    MemoryAccess &read = reads[ofB];
    read = {op, tile, OperandRange(descriptor->first, 1), *reach};
    read.isMatrix = true;
    read.isAsync = !*isComplete;
    read.permutation = Permutation{
        llvm::Log2_64(row), llvm::Log2_64(row / tinygrad::kWarpgroupRows),
        uint64_t(tinygrad::kWarpgroupRows - 1)};
  }
  return reads;
}

LogicalResult tg::checkAddress(memref::ExtractAlignedPointerAsIndexOp op) {
  SmallVector<Operation *> rest{op};
  while (!rest.empty())
    for (Operation *user : rest.pop_back_val()->getUsers()) {
      if (isa<NVVM::WgmmaMmaAsyncOp>(user))
        continue;
      if (!isa<arith::ArithDialect>(user->getDialect()))
        return user->emitError("unsupported use of an address");
      rest.push_back(user);
    }
  return success();
}
