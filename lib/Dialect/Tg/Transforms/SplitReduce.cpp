//===- SplitReduce.cpp - large reductions in two steps --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-split-reduce pass. The number of parts depends on the
/// shape alone, so that results do not depend on how many cores there are.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGSPLITREDUCE
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Below this many results there is too little to do in parallel.
constexpr int64_t kFewResults = 64;

/// Rows of at least 2 KiB, summed 16 at a time, of tensors larger than what
/// caches hold (16 MiB).
constexpr int64_t kFewRows = 16, kRowBits = 2048 * 8,
                  kLargeBits = int64_t(16) << 23;

/// The reduction of `x`, of shape [..., n, ...] with n = parts * size at
/// `axis`, as a stored reduction of each part and one of the parts.
static Value reduceParts(OpBuilder &builder, ReduceOp op, Value x, int64_t axis,
                         int64_t parts) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= parts;
  shape.insert(shape.begin() + axis, parts);
  Value split = ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), x);
  SmallVector<int64_t> axes;
  for (int64_t a : op.getAxes())
    axes.push_back(a < axis ? a : a + 1);
  Value partial = ReduceOp::create(builder, loc, op.getKind(), split, axes);
  partial = ContiguousOp::create(builder, loc, partial);
  Value total = ReduceOp::create(builder, loc, op.getKind(), partial,
                                 ArrayRef<int64_t>{axis});
  return ReshapeOp::create(builder, loc, op.getType(), total);
}

static void splitReduce(ReduceOp op, int64_t threshold, int64_t maxParts) {
  RankedTensorType from = op.getX().getType(), to = op.getType();
  if (!from.hasStaticShape() || to.getNumElements() == 0 ||
      to.getNumElements() >= kFewResults ||
      from.getNumElements() / to.getNumElements() < threshold)
    return;
  // The longest reduced axis; the outermost of equal ones, whose parts are
  // contiguous.
  int64_t axis = op.getAxes().front();
  for (int64_t candidate : op.getAxes())
    if (from.getDimSize(candidate) > from.getDimSize(axis))
      axis = candidate;
  int64_t size = from.getDimSize(axis);
  if (size < 2 * kFewResults)
    return;
  int64_t parts = 0;
  for (int64_t candidate = maxParts; candidate >= kFewResults / 2; --candidate)
    if (size % candidate == 0) {
      parts = candidate;
      break;
    }
  OpBuilder builder(op);
  if (parts != 0) {
    op.replaceAllUsesWith(reduceParts(builder, op, op.getX(), axis, parts));
    op.erase();
    return;
  }
  // No good divisor: a part with one, and the rest.
  int64_t main = size / maxParts * maxParts;
  if (main == 0)
    return;
  SmallVector<int64_t> begin(from.getRank(), 0), end(from.getShape());
  end[axis] = main;
  Value head = ShrinkOp::create(builder, op.getLoc(), op.getX(), begin, end);
  begin[axis] = main;
  end[axis] = size;
  Value tail = ShrinkOp::create(builder, op.getLoc(), op.getX(), begin, end);
  Value left = reduceParts(builder, op, head, axis, maxParts);
  Value right =
      ReduceOp::create(builder, op.getLoc(), op.getKind(), tail, op.getAxes());
  Value total;
  switch (op.getKind()) {
  case ReduceKind::add:
    total = AddOp::create(builder, op.getLoc(), left, right);
    break;
  case ReduceKind::mul:
    total = MulOp::create(builder, op.getLoc(), left, right);
    break;
  case ReduceKind::max:
    total = MaxOp::create(builder, op.getLoc(), left, right);
    break;
  }
  op.replaceAllUsesWith(total);
  op.erase();
}

/// What stands behind the reshapes and expands of a value.
static Value skipBroadcast(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ReshapeOp, ExpandOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether each element is computed from memory by a few elementwise
/// operations, so that the reduction runs as fast as memory is read. `streams`
/// is set if some operand is read once from end to end; others may be repeated
/// if they are small. Without the former it is a product of which each element
/// is used often, as in a matrix product.
static bool isStreamed(Value value, bool &streams, int64_t depth = 0) {
  Value source = skipBroadcast(value);
  int64_t size = cast<RankedTensorType>(value.getType()).getNumElements();
  auto from = cast<RankedTensorType>(source.getType());
  if (!from.hasStaticShape() || depth > 8)
    return false;
  bool isRepeated = from.getNumElements() < size, ofSource = false;
  if (isRepeated && from.getNumElements() * kFewRows > size)
    return false;
  Operation *op = source.getDefiningOp();
  if (!op || isa<ConstOp, ContiguousOp, ReduceOp, AfterOp>(op)) {
    ofSource = true;
  } else if (!op->hasTrait<OpTrait::Elementwise>() ||
             !llvm::all_of(op->getOperands(), [&](Value operand) {
               return isStreamed(operand, ofSource, depth + 1);
             })) {
    return false;
  }
  streams |= ofSource && !isRepeated;
  return true;
}

/// A large reduction along an outer axis reads one short piece of memory after
/// another, a row apart. It becomes sums of a few rows, which are read side by
/// side along the inner axis, and a reduction of these.
static bool splitColumns(ReduceOp op) {
  RankedTensorType from = op.getX().getType();
  if (!from.hasStaticShape() || op.getAxes().size() != 1)
    return false;
  int64_t axis = op.getAxes()[0], inner = 1;
  for (int64_t i = axis + 1; i < from.getRank(); ++i)
    inner *= from.getDimSize(i);
  int64_t bits = from.getElementTypeBitWidth();
  int64_t size = from.getDimSize(axis);
  bool streams = false;
  if (inner * bits < kRowBits || size < kFewRows * kFewRows ||
      from.getNumElements() * bits < kLargeBits || size % kFewRows != 0 ||
      !isStreamed(op.getX(), streams) || !streams)
    return false;
  OpBuilder builder(op);
  op.replaceAllUsesWith(
      reduceParts(builder, op, op.getX(), axis, size / kFewRows));
  op.erase();
  return true;
}

namespace {
struct TgSplitReducePass
    : public tg::impl::TgSplitReduceBase<TgSplitReducePass> {
  using Base::Base;

  void runOnOperation() override {
    if (threshold < 1 || parts < 2) {
      emitError(getOperation().getLoc(),
                "tg-split-reduce needs a threshold of at least 1 and at least "
                "2 parts, not ")
          << threshold.getValue() << " and " << parts.getValue();
      return signalPassFailure();
    }
    SmallVector<ReduceOp> reduces;
    getOperation().walk([&](ReduceOp op) { reduces.push_back(op); });
    for (ReduceOp op : reduces)
      if (!splitColumns(op))
        splitReduce(op, threshold, parts);
  }
};
} // namespace
