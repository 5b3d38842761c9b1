//===- SplitReduce.cpp - large reductions in two steps --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-split-reduce pass. The number of parts depends on the
/// shape alone, so that results do not depend on the number of cores.
///
//===----------------------------------------------------------------------===//

#include "ReducedStreams.h"
#include "SplitProducts.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGSPLITREDUCE
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

constexpr int64_t kMaxParts = 1 << 20;

/// Rows of a part that is transposed in registers, and the maximum depth of the
/// search for such operands, whose time is exponential in the depth.
constexpr int64_t kTurnedRows = 16, kTurnedDepth = 6;

/// Parts of a symbolic length are multiples of this many elements.
constexpr int64_t kPartUnit = 64;

/// How many rows of a large matrix are summed at a time: as many as leave
/// enough parallel work items, within these bounds. The minimum is used if the
/// deviations from their mean are summed too, which then read the rows from a
/// cache, and if the length of rows is symbolic.
constexpr int64_t kFewRows = 16, kMaxRows = 128;

/// On targets with groups, how often their `parallelItems` the groups of a sum
/// of rows should be: several hide the latency of memory.
constexpr int64_t kGroupsPerUnit = 4;

namespace {

/// Splits a reduction into one of `parts` parts of `size` positions each and,
/// if positions are left over, one of these.
struct Split {
  int64_t axis;
  Dim parts, size;
  /// The order in which memory holds the axes of what is reduced, if it differs
  /// from theirs.
  SmallVector<int64_t> order;
  /// Another axis, each position of which is a part of its own.
  std::optional<int64_t> positions = std::nullopt;

  bool operator==(const Split &other) const = default;
};

/// A sum of the deviations from a mean, or of their squares.
struct Deviations {
  SubOp difference;
  bool isSquared;
  /// The sum from which the mean is computed.
  ReduceOp sum;

  Value getX() { return difference.getLhs(); }
  Value getMean() {
    return difference.getRhs().getDefiningOp<ExpandOp>().getX();
  }
};

/// Statistics of the parts of a sum.
struct PartSums {
  /// As they are stored.
  Value sums;
  /// Each element minus the mean of its part, and the stored sums of these;
  /// null until something needs them.
  Value fromMeans, rests;
};

/// Replaces one reduction.
class Splitter {
public:
  Splitter(ReduceOp op, const Split &split)
      : op(op), split(split), builder(op), loc(op.getLoc()),
        length(getDim(op.getX().getType(), split.axis)),
        main(split.parts * split.size) {}

  /// Returns the stored results of the parts.
  Value replace();
  /// \p of are the parts of the sum from which the mean is computed.
  void replace(Deviations deviations, PartSums &of);

private:
  ArrayAttr getAttr(ArrayRef<Dim> dims) {
    return builder.getArrayAttr(
        llvm::map_to_vector(dims, [](Dim dim) { return dim.getAttr(); }));
  }
  Value shrink(Value x, Dim from, Dim to);
  Value separate(Value x);
  Value reduceParts(Value x);
  Value reduceStored(Value x);
  Value repeat(Value x, Value like);
  Value getCount(Value like);
  Value shrinkParts(Value partial);

  ReduceOp op;
  /// What is left of the result, if that is all that is used.
  ShrinkOp kept;
  const Split &split;
  OpBuilder builder;
  Location loc;
  Dim length, main;
};

} // namespace

/// The positions [from, to) along the axis.
Value Splitter::shrink(Value x, Dim from, Dim to) {
  SmallVector<Dim> end = getDims(cast<RankedTensorType>(x.getType()));
  SmallVector<Dim> begin(end.size(), Dim(op.getContext(), 0));
  begin[split.axis] = from;
  end[split.axis] = to;
  return ShrinkOp::create(builder, loc, x, getAttr(begin), getAttr(end));
}

/// [..., length, ...] -> [..., parts, size, ...], without the remainder.
Value Splitter::separate(Value x) {
  if (getDim(cast<RankedTensorType>(x.getType()), split.axis) != main)
    x = shrink(x, Dim(op.getContext(), 0), main);
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<Dim> shape = getDims(type);
  shape[split.axis] = split.size;
  shape.insert(shape.begin() + split.axis, split.parts);
  return ReshapeOp::create(builder, loc,
                           getTensorType(shape, type.getElementType()), x);
}

/// Those parts' results that are used.
Value Splitter::shrinkParts(Value partial) {
  SmallVector<Dim> to = getDims(cast<RankedTensorType>(partial.getType()));
  SmallVector<Dim> from(to.size(), Dim(op.getContext(), 0));
  const SmallVector<Dim> begin = getDims(kept.getFrom()),
                         end = getDims(kept.getTo());
  for (size_t axis = 0; axis < begin.size(); ++axis) {
    if (llvm::is_contained(op.getAxes(), static_cast<int64_t>(axis)))
      continue;
    const size_t place =
        axis < static_cast<size_t>(split.axis) ? axis : axis + 1;
    from[place] = begin[axis];
    to[place] = end[axis];
  }
  return ShrinkOp::create(builder, loc, partial, getAttr(from), getAttr(to));
}

/// A stored reduction of each part, in the memory order of what is read.
Value Splitter::reduceParts(Value x) {
  SmallVector<int64_t> axes;
  for (int64_t axis : op.getAxes())
    if (axis != split.positions)
      axes.push_back(axis < split.axis ? axis : axis + 1);
  Value partial = ReduceOp::create(builder, loc, op.getKind(), x, axes);
  if (kept)
    partial = shrinkParts(partial);
  if (split.order.empty())
    return ContiguousOp::create(builder, loc, partial);
  SmallVector<int64_t> order;
  for (int64_t axis : split.order) {
    order.push_back(axis <= split.axis ? axis : axis + 1);
    if (axis == split.axis)
      order.push_back(axis + 1);
  }
  Value inOrder = PermuteOp::create(builder, loc, partial, order);
  inOrder = ContiguousOp::create(builder, loc, inOrder);
  return PermuteOp::create(builder, loc, inOrder,
                           invertPermutationVector(order));
}

/// The reduction of the stored results of the parts.
Value Splitter::reduceStored(Value x) {
  SmallVector<int64_t> axes{split.axis};
  if (split.positions)
    axes.push_back(*split.positions < split.axis ? *split.positions
                                                 : *split.positions + 1);
  llvm::sort(axes);
  Value total = ReduceOp::create(builder, loc, op.getKind(), x, axes);
  return ReshapeOp::create(builder, loc, kept ? kept.getType() : op.getType(),
                           total);
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

Value Splitter::replace() {
  // On CPUs, sums of parts are stored as a whole.
  if (op->hasOneUse() && getTargetFacts(op).groupItems > 0)
    kept = dyn_cast<ShrinkOp>(*op->user_begin());
  if (kept && getBufferSize(kept.getType()) == 0)
    kept = ShrinkOp();
  Value head = op.getX(), tail;
  if (main != length) {
    head = shrink(head, Dim(op.getContext(), 0), main);
    tail = ReduceOp::create(builder, loc, op.getKind(),
                            shrink(op.getX(), main, length), op.getAxes());
    if (kept)
      tail = ShrinkOp::create(builder, loc, tail, kept.getFrom(), kept.getTo());
  }
  Value partial = reduceParts(separate(head));
  Value total = reduceStored(partial);
  if (tail)
    total = combine(builder, op, total, tail);
  if (kept) {
    kept.replaceAllUsesWith(total);
    kept.erase();
  } else {
    op.replaceAllUsesWith(total);
  }
  op.erase();
  return partial;
}

//===----------------------------------------------------------------------===//
// Deviations from a mean
//===----------------------------------------------------------------------===//

/// How deep the search for the sum behind a mean goes, in operations.
constexpr int64_t kMeanDepth = 4;

/// The sum from which elementwise operations and constants compute the value.
static ReduceOp findSum(Value value, int64_t depth = kMeanDepth) {
  Operation *op = value.getDefiningOp();
  if (auto sum = dyn_cast_or_null<ReduceOp>(op))
    return sum.getKind() == ReduceKind::add ? sum : ReduceOp();
  if (!op || depth == 0 || !op->hasTrait<OpTrait::Elementwise>())
    return ReduceOp();
  for (Value operand : op->getOperands())
    if (ReduceOp sum = findSum(operand, depth - 1))
      return sum;
  return ReduceOp();
}

static std::optional<Deviations> findDeviations(ReduceOp op) {
  // These types represent element counts exactly, or nearly so.
  if (op.getKind() != ReduceKind::add ||
      !isa<Float32Type, Float64Type>(op.getType().getElementType()))
    return std::nullopt;
  Value value = op.getX();
  auto product = value.getDefiningOp<MulOp>();
  const bool isSquared = product && product.getLhs() == product.getRhs();
  if (isSquared)
    value = product.getLhs();
  auto difference = value.getDefiningOp<SubOp>();
  auto mean =
      difference ? difference.getRhs().getDefiningOp<ExpandOp>() : ExpandOp();
  if (!mean || mean.getX().getType() != op.getType())
    return std::nullopt;
  ReduceOp sum = findSum(mean.getX());
  if (!sum || sum.getX() != difference.getLhs() ||
      sum.getAxes() != op.getAxes())
    return std::nullopt;
  return Deviations{difference, isSquared, sum};
}

/// Broadcasts one value per part to all of its elements.
Value Splitter::repeat(Value x, Value like) {
  return ExpandOp::create(builder, loc, like.getType(), x);
}

/// The number of elements of a part, at least 1.
Value Splitter::getCount(Value like) {
  Dim count = split.size;
  for (int64_t axis : op.getAxes())
    if (axis != split.axis)
      count = count * getDim(op.getX().getType(), axis);
  auto type = cast<RankedTensorType>(like.getType());
  count = Dim::get(DimOpKind::max, count, Dim(op.getContext(), 1));
  if (count.isStatic())
    return ConstOp::create(builder, loc, type,
                           FloatAttr::get(type.getElementType(),
                                          static_cast<double>(count.getMax())));
  Value number = DimOp::create(builder, loc, type.clone(builder.getI64Type()),
                               count.getAttr());
  return CastOp::create(builder, loc, type, number);
}

/// With a_p for the mean of part p, c_p for the sum of its deviations from a_p
/// (0, except for rounding) and q_p for the sum of their squares, the
/// deviations from any number m have the sums
///
///   sum(x - m)   = sum_p(c_p + size * (a_p - m))
///   sum((x-m)^2) = sum_p(q_p + 2 * (a_p - m) * c_p + size * (a_p - m)^2)
///
/// (T. F. Chan, G. H. Golub, R. J. LeVeque: Updating formulae and a pairwise
/// algorithm for computing sample variances, 1979). Both are identities for any
/// a_p, so its rounding does no harm, and the parts do not need m: they are
/// read from memory once.
void Splitter::replace(Deviations deviations, PartSums &of) {
  auto add = [&](Value x, Value y) -> Value {
    return AddOp::create(builder, loc, x, y);
  };
  auto mul = [&](Value x, Value y) -> Value {
    return MulOp::create(builder, loc, x, y);
  };
  auto square = [&](Value x) { return deviations.isSquared ? mul(x, x) : x; };
  auto type = cast<RankedTensorType>(of.sums.getType());
  Value count = getCount(of.sums);
  Value means = FDivOp::create(builder, loc, of.sums, count);
  if (!of.rests) {
    Value parts = separate(deviations.getX());
    of.fromMeans = SubOp::create(builder, loc, parts, repeat(means, parts));
    of.rests = reduceParts(of.fromMeans);
  }
  SmallVector<Dim> shape = getDims(type);
  shape[split.axis] = Dim(op.getContext(), 1);
  Value mean = ReshapeOp::create(builder, loc,
                                 getTensorType(shape, type.getElementType()),
                                 deviations.getMean());
  Value shift = SubOp::create(builder, loc, means, repeat(mean, means));
  Value ofParts;
  if (deviations.isSquared) {
    Value shiftSquared = mul(shift, shift);
    // If that is infinite, the other terms must not turn it into a NaN.
    Value infinity = ConstOp::create(
        builder, loc, type,
        FloatAttr::get(
            type.getElementType(),
            APFloat::getInf(
                cast<FloatType>(type.getElementType()).getFloatSemantics())));
    Value isFinite = CmpLtOp::create(builder, loc, shiftSquared, infinity);
    Value zero = ConstOp::create(builder, loc, type, int64_t(0));
    Value mixed = mul(add(shift, shift), of.rests);
    mixed = WhereOp::create(builder, loc, type, isFinite, mixed, zero);
    ofParts = add(add(reduceParts(square(of.fromMeans)), mixed),
                  mul(shiftSquared, count));
  } else {
    ofParts = add(of.rests, mul(shift, count));
  }
  Value total = reduceStored(ofParts);
  if (main != length) {
    Value tail = shrink(deviations.getX(), main, length);
    tail =
        SubOp::create(builder, loc, tail, repeat(deviations.getMean(), tail));
    total = add(total, ReduceOp::create(builder, loc, op.getKind(),
                                        square(tail), op.getAxes()));
  }
  op.replaceAllUsesWith(total);
  op.erase();
}

//===----------------------------------------------------------------------===//
// What is split
//===----------------------------------------------------------------------===//

/// Whether a computed position selects elements along the axis, as from a
/// table: that becomes one load each, without a reduction.
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

/// Whether only axes of one element follow.
static bool isLastLongAxis(RankedTensorType type, int64_t axis) {
  return llvm::all_of(ArrayRef(getDims(type)).drop_front(axis + 1),
                      [](Dim dim) { return dim.is(1); });
}

/// Whether some operand from which elementwise operations compute the value is
/// contiguous in memory along this axis.
static bool isContiguousAlong(Value value, int64_t axis, int64_t depth = 0) {
  if (depth > kTurnedDepth)
    return false;
  Operation *op = value.getDefiningOp();
  if (auto permute = dyn_cast_or_null<PermuteOp>(op))
    return isContiguousAlong(permute.getX(), permute.getOrder()[axis],
                             depth + 1);
  if (op && op->hasTrait<OpTrait::Elementwise>())
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isContiguousAlong(operand, axis, depth + 1);
    });
  return (!op || isa<ContiguousOp, ReduceOp, AfterOp>(op)) &&
         isLastLongAxis(cast<RankedTensorType>(value.getType()), axis);
}

/// Whether a reduction has few results of many elements each.
static bool isLarge(ReduceOp op, int64_t threshold) {
  const int64_t results = getBufferSize(op.getType());
  return results != 0 && results < getTargetFacts(op).parallelItems &&
         getBufferSize(op.getX().getType()) / results >= threshold;
}

/// The axis along which such a reduction is split: the longest reduced one; the
/// outermost of equally long ones, whose parts are contiguous. None if it is
/// too short.
static std::optional<int64_t> chooseAxis(ReduceOp op) {
  SmallVector<int64_t> shape = getLargestShape(op.getX().getType());
  int64_t axis = op.getAxes().front();
  for (int64_t candidate : op.getAxes())
    if (shape[candidate] > shape[axis])
      axis = candidate;
  if (shape[axis] < 2 * getTargetFacts(op).parallelItems)
    return std::nullopt;
  return axis;
}

/// Whether parts along the axis would divide the rows of a transposed tensor,
/// which the items of a group should have.
static bool dividesRows(ReduceOp op, int64_t axis) {
  return getTargetFacts(op).groupItems > 0 &&
         !isLastLongAxis(op.getX().getType(), axis) &&
         isContiguousAlong(op.getX(), axis);
}

/// Splits a reduction to few results of many elements each.
static std::optional<Split> splitToFew(ReduceOp op, int64_t maxParts) {
  RankedTensorType from = op.getX().getType();
  const int64_t fewResults = getTargetFacts(op).parallelItems;
  const std::optional<int64_t> chosen = chooseAxis(op);
  if (!chosen)
    return std::nullopt;
  const int64_t axis = *chosen, size = getLargestShape(from)[axis];
  auto number = [&](int64_t value) { return Dim(op.getContext(), value); };
  Dim length = getDim(from, axis);
  if (!length.isStatic()) {
    // The number of parts is constant, so that the work follows the actual
    // length and not its bound. Each part is a multiple of full vectors.
    Dim unit = number(kPartUnit),
        parts = number(std::min(maxParts, size / kPartUnit));
    Dim units = Dim::get(DimOpKind::floordiv, length, parts * unit);
    return Split{axis, parts, units * unit, {}};
  }
  // Squares that are transposed in registers need this many rows.
  if (!isLastLongAxis(from, axis) && isContiguousAlong(op.getX(), axis))
    maxParts = std::min(maxParts, std::max(size / kTurnedRows, fewResults));
  for (int64_t candidate = maxParts; candidate >= fewResults / 2; --candidate)
    if (size % candidate == 0)
      return Split{axis, number(candidate), number(size / candidate), {}};
  // Without a good divisor: the maximum number of parts, and a remainder.
  if (size >= maxParts)
    return Split{axis, number(maxParts), number(size / maxParts), {}};
  return std::nullopt;
}

/// A large reduction along an outer axis reads short pieces of memory, a row
/// apart. It becomes sums of a few rows, read side by side along the inner
/// axis, and a reduction of these sums. The order of axes in memory counts: a
/// product with a matrix reads it transposed.
static std::optional<Split> splitColumns(ReduceOp op, bool isReadAgain) {
  RankedTensorType from = op.getX().getType();
  if (op.getAxes().size() != 1)
    return std::nullopt;
  SmallVector<int64_t> shape = getLargestShape(from);
  const int64_t axis = op.getAxes()[0], bits = from.getElementTypeBitWidth();
  if (shape[axis] < kFewRows * kFewRows)
    return std::nullopt;
  // Matrices of less than twice `cacheBytes` are faster unsplit.
  const TargetFacts &target = getTargetFacts(op);
  StreamFinder finder;
  if (target.groupItems == 0)
    finder.mostShared = kMostShared;
  const Axes axes = getLongAxes(from);
  if (!finder.visit(op.getX(), axes) || !finder.order ||
      finder.bits / 16 < target.cacheBytes)
    return std::nullopt;
  // Each part has a result of each position of these axes.
  SmallVector<int64_t> shared;
  for (int64_t along : axes)
    if (along != kNoAxis && !llvm::is_contained(*finder.order, along))
      shared.push_back(along);
  if (llvm::is_contained(shared, axis))
    return std::nullopt;
  auto *place = llvm::find(*finder.order, axis);
  int64_t inner = 1;
  bool isStatic = true;
  for (int64_t other : llvm::make_range(place + 1, finder.order->end())) {
    inner *= shape[other];
    isStatic &= getDim(from, other).isStatic();
  }
  if (inner * bits / 8 < target.prefetchReach)
    return std::nullopt;
  int64_t most = kFewRows;
  if (target.groupItems > 0) {
    // Groups along the columns already divide the rows among their items. Parts
    // are needed only where these groups are too few.
    const int64_t groups =
        std::max<int64_t>(inner * bits / 8 / target.lineBytes, 1);
    const int64_t wanted = kGroupsPerUnit * target.parallelItems / groups;
    if (wanted < 2)
      return std::nullopt;
    most = std::max<int64_t>(
        shape[axis] / static_cast<int64_t>(llvm::bit_ceil(uint64_t(wanted))),
        kFewRows);
  } else if (!isReadAgain && isStatic) {
    // Each part stores that many rows of results.
    int64_t results = 1;
    for (int64_t other : shared)
      results *= shape[other];
    most = std::clamp<int64_t>(llvm::bit_floor(static_cast<uint64_t>(
                                   shape[axis] / target.parallelItems)),
                               kFewRows * results,
                               std::max(kMaxRows, kFewRows * results));
  }
  // A divisor of the length leaves no remainder.
  int64_t rows = most;
  Dim length = getDim(from, axis);
  if (length.isStatic())
    for (int64_t candidate = most; candidate >= most / 2;
         candidate -= most / kFewRows)
      if (shape[axis] % candidate == 0) {
        rows = candidate;
        break;
      }
  // Put axes of one element first.
  SmallVector<int64_t> order;
  if (!shared.empty() || !llvm::is_sorted(*finder.order)) {
    for (auto [dim, along] : llvm::enumerate(axes))
      if (along == kNoAxis)
        order.push_back(dim);
    order.append(finder.order->begin(), place + 1);
    order.append(shared);
    order.append(place + 1, finder.order->end());
  }
  Dim size(op.getContext(), rows);
  return Split{axis, Dim::get(DimOpKind::floordiv, length, size), size, order};
}

/// Splits a deep product of matrices. The parts are
/// outermost in memory: the columns of each stay neighbors.
static std::optional<Split> splitProduct(ReduceOp op) {
  const std::optional<ProductSplit> split = splitDeepProduct(op);
  if (!split)
    return std::nullopt;
  const auto [axis, parts, positions] = *split;
  RankedTensorType from = op.getX().getType();
  SmallVector<int64_t> order;
  if (positions)
    order.push_back(*positions);
  order.push_back(axis);
  for (int64_t other : llvm::seq(from.getRank()))
    if (!llvm::is_contained(order, other))
      order.push_back(other);
  return Split{axis, Dim(op.getContext(), parts),
               Dim(op.getContext(), getLargestShape(from)[axis] / parts), order,
               positions};
}

/// Stores a sum before anything is computed with it.
static void storeFirst(ReduceOp op) {
  if (llvm::all_of(op->getUsers(), llvm::IsaPred<ContiguousOp>))
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto stored = ContiguousOp::create(builder, op.getLoc(), op);
  op.getResult().replaceAllUsesExcept(stored, stored);
}

/// Whether arithmetic with the number of elements fits into 64 bits.
static bool isCountable(RankedTensorType type) {
  return getBufferSize(type) <= kMaxBufferSize;
}

namespace {
struct TgSplitReducePass
    : public tg::impl::TgSplitReduceBase<TgSplitReducePass> {
  using Base::Base;

  void runOnOperation() override {
    if (threshold < 1 || parts < 2 || parts > kMaxParts) {
      emitError(getOperation().getLoc(),
                "tg-split-reduce needs a threshold of at least 1 and 2 to ")
          << kMaxParts << " parts, not " << threshold.getValue() << " and "
          << parts.getValue();
      return signalPassFailure();
    }
    // Deviations follow the sum from which their mean is computed.
    SmallVector<ReduceOp> reduces;
    getOperation().walk([&](ReduceOp op) { reduces.push_back(op); });
    DenseMap<Operation *, Deviations> deviations;
    // Other sums of such a tensor are split alike, so that they share a kernel.
    DenseSet<Value> readAgain;
    for (ReduceOp op : reduces)
      if (auto found = findDeviations(op)) {
        readAgain.insert(op.getX());
        readAgain.insert(found->sum.getX());
      }
    llvm::MapVector<Operation *, Split> splits;
    for (ReduceOp op : reduces) {
      if (op.getAxes().empty() || !isCountable(op.getX().getType()) ||
          isSelection(op))
        continue;
      std::optional<Split> split =
          splitColumns(op, /*isReadAgain=*/readAgain.contains(op.getX()));
      if (!split && (split = splitProduct(op))) {
        op = widenProduct(op);
        if (getTargetFacts(op).groupItems > 0)
          shrinkFirst(op);
      }
      if (!split && isLarge(op, threshold)) {
        std::optional<int64_t> axis = chooseAxis(op);
        if (!axis || dividesRows(op, *axis))
          op = mergeReducedAxes(op);
        split = splitToFew(op, parts);
      }
      if (!split) {
        if (storesDeepProduct(op))
          storeFirst(widenProduct(op));
        continue;
      }
      if (auto found = findDeviations(op))
        if (auto sum = splits.find(found->sum);
            sum != splits.end() && sum->second == *split &&
            !deviations.contains(found->sum))
          deviations.insert({op, *found});
      splits.insert({op, *split});
    }
    DenseMap<Operation *, PartSums> partials;
    for (auto &[op, split] : splits) {
      Splitter splitter(cast<ReduceOp>(op), split);
      if (auto found = deviations.find(op); found != deviations.end())
        splitter.replace(found->second, partials.at(found->second.sum));
      else
        partials[op].sums = splitter.replace();
    }
  }
};
} // namespace
