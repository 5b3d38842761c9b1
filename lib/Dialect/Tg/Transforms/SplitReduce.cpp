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

constexpr int64_t kMostParts = 1 << 20;
/// Below this many results there is too little to do in parallel.
constexpr int64_t kFewResults = 64;

/// Parts of a symbolic length are multiples of so many elements.
constexpr int64_t kPartUnit = 64;

/// Rows of at least 2 KiB, summed 16 at a time, of tensors larger than what
/// caches hold (16 MiB).
constexpr int64_t kFewRows = 16, kRowBits = 2048 * 8,
                  kLargeBits = int64_t(16) << 23;

/// The reduction of `x`, of shape [..., parts * size, ...] at `axis`, as a
/// stored reduction of each part and one of the parts.
static Value reduceParts(OpBuilder &builder, ReduceOp op, Value x, int64_t axis,
                         Dim parts, Dim size) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<Dim> shape = getDims(type);
  shape[axis] = size;
  shape.insert(shape.begin() + axis, parts);
  Value split = ReshapeOp::create(
      builder, loc, getTensorType(shape, type.getElementType()), x);
  SmallVector<int64_t> axes;
  for (int64_t a : op.getAxes())
    axes.push_back(a < axis ? a : a + 1);
  Value partial = ReduceOp::create(builder, loc, op.getKind(), split, axes);
  partial = ContiguousOp::create(builder, loc, partial);
  Value total = ReduceOp::create(builder, loc, op.getKind(), partial,
                                 ArrayRef<int64_t>{axis});
  return ReshapeOp::create(builder, loc, op.getType(), total);
}

static Value combine(OpBuilder &builder, ReduceOp op, Value x, Value y) {
  switch (op.getKind()) {
  case ReduceKind::add:
    return AddOp::create(builder, op.getLoc(), x, y);
  case ReduceKind::mul:
    return MulOp::create(builder, op.getLoc(), x, y);
  case ReduceKind::max:
    return MaxOp::create(builder, op.getLoc(), x, y);
  }
  llvm_unreachable("unknown reduction");
}

/// Replaces the reduction by one of \p parts of \p size positions each and, if
/// there are more, one of the positions behind them.
static void replaceByParts(ReduceOp op, int64_t axis, Dim parts, Dim size) {
  OpBuilder builder(op);
  Dim length = getDim(op.getX().getType(), axis), main = parts * size;
  Value total;
  if (main == length) {
    total = reduceParts(builder, op, op.getX(), axis, parts, size);
  } else {
    SmallVector<Dim> end = getDims(op.getX().getType());
    SmallVector<Dim> begin(end.size(), Dim(op.getContext(), 0));
    auto shrink = [&]() -> Value {
      auto getAttr = [&](ArrayRef<Dim> dims) {
        return builder.getArrayAttr(
            llvm::map_to_vector(dims, [](Dim dim) { return dim.getAttr(); }));
      };
      return ShrinkOp::create(builder, op.getLoc(), op.getX(), getAttr(begin),
                              getAttr(end));
    };
    end[axis] = main;
    Value head = shrink();
    begin[axis] = main;
    end[axis] = length;
    Value tail = ReduceOp::create(builder, op.getLoc(), op.getKind(), shrink(),
                                  op.getAxes());
    total = combine(builder, op,
                    reduceParts(builder, op, head, axis, parts, size), tail);
  }
  op.replaceAllUsesWith(total);
  op.erase();
}

/// Whether elements are selected along the axis by a position that is computed,
/// as from a table: that becomes a load of each, without a reduction.
static bool isSelection(ReduceOp op) {
  if (op.getKind() != ReduceKind::add || op.getAxes().size() != 1)
    return false;
  auto skipMovement = [](Value value) {
    while (Operation *producer = value.getDefiningOp()) {
      if (!isMovementOp(producer) && !isa<CastOp, ContiguousOp>(producer))
        break;
      value = producer->getOperand(0);
    }
    return value;
  };
  Operation *body = skipMovement(op.getX()).getDefiningOp();
  if (!isa_and_nonnull<WhereOp, MulOp>(body))
    return false;
  for (Value operand : body->getOperands().take_front(2)) {
    auto compare = skipMovement(operand).getDefiningOp<CmpEqOp>();
    if (!compare)
      continue;
    for (Value side : compare->getOperands())
      if (auto iota = skipMovement(side).getDefiningOp<IotaOp>())
        if (getDim(iota.getType(), static_cast<int64_t>(iota.getAxis())) ==
            getDim(op.getX().getType(), op.getAxes().front()))
          return true;
  }
  return false;
}

static void splitReduce(ReduceOp op, int64_t threshold, int64_t maxParts) {
  RankedTensorType from = op.getX().getType();
  const int64_t results = getBufferSize(op.getType());
  if (results == 0 || results >= kFewResults ||
      getBufferSize(from) / results < threshold)
    return;
  // The longest reduced axis; the outermost of equal ones, whose parts are
  // contiguous.
  SmallVector<int64_t> shape = getLargestShape(from);
  int64_t axis = op.getAxes().front();
  for (int64_t candidate : op.getAxes())
    if (shape[candidate] > shape[axis])
      axis = candidate;
  const int64_t size = shape[axis];
  if (size < 2 * kFewResults)
    return;
  auto number = [&](int64_t value) { return Dim(op.getContext(), value); };
  Dim length = getDim(from, axis);
  if (!length.isStatic()) {
    // Always as many parts, so that work follows the length and not its bound;
    // each a multiple of full vectors.
    Dim unit = number(kPartUnit),
        parts = number(std::min(maxParts, size / kPartUnit));
    Dim units = Dim::get(DimOpKind::floordiv, length, parts * unit);
    return replaceByParts(op, axis, parts, units * unit);
  }
  for (int64_t candidate = maxParts; candidate >= kFewResults / 2; --candidate)
    if (size % candidate == 0)
      return replaceByParts(op, axis, number(candidate),
                            number(size / candidate));
  // No good divisor: as many as there are at most, and the rest.
  if (size >= maxParts)
    replaceByParts(op, axis, number(maxParts), number(size / maxParts));
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
  int64_t size = getBufferSize(cast<RankedTensorType>(value.getType()));
  int64_t sourceSize = getBufferSize(cast<RankedTensorType>(source.getType()));
  if (depth > 8)
    return false;
  bool isRepeated = sourceSize < size, ofSource = false;
  if (isRepeated && sourceSize > size / kFewRows)
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
  if (op.getAxes().size() != 1)
    return false;
  SmallVector<int64_t> shape = getLargestShape(from);
  int64_t axis = op.getAxes()[0], inner = 1;
  for (int64_t extent : ArrayRef<int64_t>(shape).drop_front(axis + 1))
    inner *= extent;
  int64_t bits = from.getElementTypeBitWidth();
  Dim length = getDim(from, axis), rows(op.getContext(), kFewRows);
  bool streams = false;
  if (inner * bits < kRowBits || shape[axis] < kFewRows * kFewRows ||
      getBufferSize(from) * bits < kLargeBits ||
      (length.isStatic() && shape[axis] % kFewRows != 0) ||
      !isStreamed(op.getX(), streams) || !streams)
    return false;
  replaceByParts(op, axis, Dim::get(DimOpKind::floordiv, length, rows), rows);
  return true;
}

/// Whether the elements can be counted in 63 bits: scheduling takes no others.
static bool isCountable(RankedTensorType type) {
  return getBufferSize(type) != INT64_MAX;
}

namespace {
struct TgSplitReducePass
    : public tg::impl::TgSplitReduceBase<TgSplitReducePass> {
  using Base::Base;

  void runOnOperation() override {
    if (threshold < 1 || parts < 2 || parts > kMostParts) {
      emitError(getOperation().getLoc(),
                "tg-split-reduce needs a threshold of at least 1 and 2 to ")
          << kMostParts << " parts, not " << threshold.getValue() << " and "
          << parts.getValue();
      return signalPassFailure();
    }
    SmallVector<ReduceOp> reduces;
    getOperation().walk([&](ReduceOp op) { reduces.push_back(op); });
    for (ReduceOp op : reduces)
      if (!op.getAxes().empty() && isCountable(op.getX().getType()) &&
          !isSelection(op) && !splitColumns(op))
        splitReduce(op, threshold, parts);
  }
};
} // namespace
