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

namespace {

/// How a reduction becomes one of `parts` of `size` positions each and, if
/// there are more, one of the positions behind them.
struct Split {
  int64_t axis;
  Dim parts, size;

  bool operator==(const Split &other) const = default;
};

/// A sum of the deviations from a mean, or of their squares.
struct Deviations {
  SubOp difference;
  bool isSquared;
  /// The sum that the mean is made of.
  ReduceOp sum;

  Value getX() { return difference.getLhs(); }
  Value getMean() {
    return difference.getRhs().getDefiningOp<ExpandOp>().getX();
  }
};

/// What is known of the parts of a sum.
struct PartSums {
  /// As they are stored.
  Value sums;
  /// Each element less the mean of its part, and the stored sums of these; null
  /// until something needs them.
  Value fromMeans, rests;
};

/// Replaces one reduction.
class Splitter {
public:
  Splitter(ReduceOp op, const Split &split)
      : op(op), split(split), builder(op), loc(op.getLoc()),
        length(getDim(op.getX().getType(), split.axis)),
        main(split.parts * split.size) {}

  /// Returns the results of the parts, as they are stored.
  Value replace();
  /// \p of are the parts of the sum that the mean is made of.
  void replace(Deviations deviations, PartSums &of);

private:
  Value shrink(Value x, Dim from, Dim to);
  Value separate(Value x);
  Value reduceParts(Value x);
  Value reduceStored(Value x);
  Value repeat(Value x, Value like);
  Value getCount(Value like);

  ReduceOp op;
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
  auto getAttr = [&](ArrayRef<Dim> dims) {
    return builder.getArrayAttr(
        llvm::map_to_vector(dims, [](Dim dim) { return dim.getAttr(); }));
  };
  return ShrinkOp::create(builder, loc, x, getAttr(begin), getAttr(end));
}

/// [..., length, ...] -> [..., parts, size, ...], without what is behind these.
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

/// A stored reduction of each part.
Value Splitter::reduceParts(Value x) {
  SmallVector<int64_t> axes;
  for (int64_t axis : op.getAxes())
    axes.push_back(axis < split.axis ? axis : axis + 1);
  Value partial = ReduceOp::create(builder, loc, op.getKind(), x, axes);
  return ContiguousOp::create(builder, loc, partial);
}

/// The reduction of what the parts became.
Value Splitter::reduceStored(Value x) {
  Value total = ReduceOp::create(builder, loc, op.getKind(), x,
                                 ArrayRef<int64_t>{split.axis});
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

Value Splitter::replace() {
  Value head = op.getX(), tail;
  if (main != length) {
    head = shrink(head, Dim(op.getContext(), 0), main);
    tail = ReduceOp::create(builder, loc, op.getKind(),
                            shrink(op.getX(), main, length), op.getAxes());
  }
  Value partial = reduceParts(separate(head));
  Value total = reduceStored(partial);
  if (tail)
    total = combine(builder, op, total, tail);
  op.replaceAllUsesWith(total);
  op.erase();
  return partial;
}

//===----------------------------------------------------------------------===//
// Deviations from a mean
//===----------------------------------------------------------------------===//

/// What the sum that \p value is made of sums up is looked for behind so many
/// operations.
constexpr int64_t kMeanDepth = 4;

/// The sum that the value is made of by elementwise operations and constants.
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
  // Numbers of elements are exact in these types, or nearly so.
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

/// One value for each part, at each element of it.
Value Splitter::repeat(Value x, Value like) {
  return ExpandOp::create(builder, loc, like.getType(), x);
}

/// How many elements a part has, at least 1.
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

/// With a_p for the mean of part p, c_p for the sum of its deviations from this
/// (0, but for rounding) and q_p for that of their squares, deviations from any
/// number m have the sums
///
///   sum(x - m)   = sum_p(c_p + size * (a_p - m))
///   sum((x-m)^2) = sum_p(q_p + 2 * (a_p - m) * c_p + size * (a_p - m)^2)
///
/// (T. F. Chan, G. H. Golub, R. J. LeVeque: Updating formulae and a pairwise
/// algorithm for computing sample variances, 1979). Both are identities
/// whatever a_p is, so that its rounding costs nothing, and the parts need not
/// know m: they are read from memory once.
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
    // Where that is infinite, the rest must not make it a NaN.
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

/// Few results of many elements each.
static std::optional<Split> splitToFew(ReduceOp op, int64_t threshold,
                                       int64_t maxParts) {
  RankedTensorType from = op.getX().getType();
  const int64_t results = getBufferSize(op.getType());
  if (results == 0 || results >= kFewResults ||
      getBufferSize(from) / results < threshold)
    return std::nullopt;
  // The longest reduced axis; the outermost of equal ones, whose parts are
  // contiguous.
  SmallVector<int64_t> shape = getLargestShape(from);
  int64_t axis = op.getAxes().front();
  for (int64_t candidate : op.getAxes())
    if (shape[candidate] > shape[axis])
      axis = candidate;
  const int64_t size = shape[axis];
  if (size < 2 * kFewResults)
    return std::nullopt;
  auto number = [&](int64_t value) { return Dim(op.getContext(), value); };
  Dim length = getDim(from, axis);
  if (!length.isStatic()) {
    // Always as many parts, so that work follows the length and not its bound;
    // each a multiple of full vectors.
    Dim unit = number(kPartUnit),
        parts = number(std::min(maxParts, size / kPartUnit));
    Dim units = Dim::get(DimOpKind::floordiv, length, parts * unit);
    return Split{axis, parts, units * unit};
  }
  for (int64_t candidate = maxParts; candidate >= kFewResults / 2; --candidate)
    if (size % candidate == 0)
      return Split{axis, number(candidate), number(size / candidate)};
  // No good divisor: as many as there are at most, and the rest.
  if (size >= maxParts)
    return Split{axis, number(maxParts), number(size / maxParts)};
  return std::nullopt;
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
static std::optional<Split> splitColumns(ReduceOp op) {
  RankedTensorType from = op.getX().getType();
  if (op.getAxes().size() != 1)
    return std::nullopt;
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
    return std::nullopt;
  return Split{axis, Dim::get(DimOpKind::floordiv, length, rows), rows};
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
    // Deviations follow the sum that their mean is made of.
    SmallVector<ReduceOp> reduces;
    getOperation().walk([&](ReduceOp op) { reduces.push_back(op); });
    DenseMap<Operation *, Deviations> deviations;
    llvm::MapVector<Operation *, Split> splits;
    for (ReduceOp op : reduces) {
      if (op.getAxes().empty() || !isCountable(op.getX().getType()) ||
          isSelection(op))
        continue;
      std::optional<Split> split = splitColumns(op);
      if (!split)
        split = splitToFew(op, threshold, parts);
      if (!split)
        continue;
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
