//===- ScatterSums.cpp - sums of one-hot rows as scatters -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-scatter-sums pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGSCATTERSUMS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// With fewer classes, comparing is faster than updating one position after the
/// other: for single elements, and for rows of at least kRow elements.
constexpr int64_t kFewClasses = 16, kFewClassesOfRows = 4, kRow = 8;
/// Search depth for whether a value is constant along an axis.
constexpr int64_t kDepth = 8;
/// Maximum number of conditions of a sum. They are searched for through
/// movements, where shared ones occur again on each path to them.
constexpr unsigned kMaxClauses = 64;
/// Updates of narrow rows are split into parts with at least this many
/// positions, and this many for each element of the result. Single work items
/// of a GPU are slower than threads of a CPU.
constexpr int64_t kMinPart = 1 << 14, kMinPartOfGPU = 1 << 11,
                  kPositionsPerElement = 8;
/// Elements of neighboring rows that are updated together, as lanes.
constexpr int64_t kRowsAtOnce = 32;

static Dim getSize(Value value, int64_t axis) {
  return getDim(cast<RankedTensorType>(value.getType()), axis);
}

//===----------------------------------------------------------------------===//
// Sums of one-hot rows
//===----------------------------------------------------------------------===//

/// The axis of \p to that corresponds to \p axis of \p from, if the reshape
/// between them only adds and removes axes of one element.
static std::optional<int64_t> findAxis(Value from, int64_t axis, Value to) {
  auto getLong = [](Value value) {
    SmallVector<std::pair<int64_t, Dim>> axes;
    for (auto [i, dim] :
         llvm::enumerate(getDims(cast<RankedTensorType>(value.getType()))))
      if (!dim.is(1))
        axes.push_back({static_cast<int64_t>(i), dim});
    return axes;
  };
  const auto before = getLong(from), after = getLong(to);
  if (before.size() != after.size())
    return std::nullopt;
  std::optional<int64_t> found;
  for (auto [a, b] : llvm::zip_equal(before, after)) {
    if (a.second != b.second)
      return std::nullopt;
    if (a.first == axis)
      found = b.first;
  }
  return found;
}

/// Whether all elements along the axis are known to be equal.
static bool isConstantAlong(Value value, int64_t axis, int64_t depth = kDepth) {
  Operation *op = value.getDefiningOp();
  if (getSize(value, axis).is(1))
    return true;
  if (!op || depth == 0)
    return false;
  if (auto constant = dyn_cast<ConstOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return !isa<ElementsAttr>(constant.getValue()) ||
           (dense && dense.isSplat());
  }
  if (isa<DimOp>(op))
    return true;
  if (auto iota = dyn_cast<IotaOp>(op))
    return static_cast<int64_t>(iota.getAxis()) != axis;
  if (auto expand = dyn_cast<ExpandOp>(op))
    return isConstantAlong(expand.getX(), axis, depth - 1);
  if (auto permute = dyn_cast<PermuteOp>(op))
    return isConstantAlong(permute.getX(), permute.getOrder()[axis], depth - 1);
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    std::optional<int64_t> before =
        findAxis(reshape.getResult(), axis, reshape.getX());
    return before && isConstantAlong(reshape.getX(), *before, depth - 1);
  }
  return op->hasTrait<OpTrait::Elementwise>() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isConstantAlong(operand, axis, depth - 1);
         });
}

/// Whether the value depends on memory. If not, comparing it with positions
/// needs no scatter.
static bool readsMemory(Value value, int64_t depth = kDepth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return true;
  if (isa<IotaOp, ConstOp, DimOp>(op))
    return false;
  return op->getNumOperands() == 0 ||
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return readsMemory(operand, depth - 1);
         });
}

/// Whether an integer type holds all positions of an axis.
static bool holdsPositions(Type type, Dim size) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() < 8)
    return false;
  const unsigned bits = integer.getWidth() - (isSignedInteger(type) ? 1 : 0);
  return bits >= 62 || size.getMax() <= int64_t(1) << bits;
}

/// The axis along which the value equals the position, by itself.
static std::optional<int64_t> getPositionAxis(Value value) {
  SmallVector<Operation *> movements;
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<ExpandOp, PermuteOp, ReshapeOp, CastOp>(op)) {
    movements.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  auto iota = dyn_cast_or_null<IotaOp>(op);
  if (!iota)
    return std::nullopt;
  auto axis = static_cast<int64_t>(iota.getAxis());
  const Dim size = getSize(iota, axis);
  if (!holdsPositions(iota.getType().getElementType(), size))
    return std::nullopt;
  for (Operation *movement : llvm::reverse(movements)) {
    Value from = movement->getOperand(0), to = movement->getResult(0);
    if (isa<CastOp>(movement)) {
      if (!holdsPositions(getElementTypeOrSelf(to), size))
        return std::nullopt;
    } else if (auto permute = dyn_cast<PermuteOp>(movement)) {
      axis = llvm::find(permute.getOrder(), axis) - permute.getOrder().begin();
    } else if (isa<ReshapeOp>(movement)) {
      std::optional<int64_t> place = findAxis(from, axis, to);
      if (!place)
        return std::nullopt;
      axis = *place;
    }
  }
  return axis;
}

/// Whether all elements are the constant 0.
static bool isZero(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  if (!constant)
    return false;
  Attribute number = constant.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(number);
      dense && dense.isSplat())
    number = dense.getSplatValue<Attribute>();
  if (auto attr = dyn_cast<FloatAttr>(number))
    return attr.getValue().isZero();
  auto attr = dyn_cast<IntegerAttr>(number);
  return attr && attr.getValue().isZero();
}

static Value createZeros(OpBuilder &builder, Location loc, Type type) {
  return ConstOp::create(builder, loc, type, int64_t(0));
}

namespace {
/// A sum of `value` where `index` equals the position along `axis`, and
/// `condition` holds if there is one.
struct OneHotSum {
  int64_t axis;
  Value index, condition, value;
};
} // namespace

/// Splits the summand into a condition and a value; none if it has another
/// form. A product of floats does not match: 0 times an infinity is not 0.
static std::optional<std::pair<Value, Value>> getBody(OpBuilder &builder,
                                                      Value x) {
  Operation *op = x.getDefiningOp();
  Location loc = x.getLoc();
  auto isBool = [](Value value) {
    return getElementTypeOrSelf(value).isInteger(1);
  };
  if (auto cast = dyn_cast_or_null<CastOp>(op)) {
    if (!isBool(cast.getX()))
      return std::nullopt;
    Value one = ConstOp::create(builder, loc, x.getType(), int64_t(1));
    return std::pair(cast.getX(), one);
  }
  if (auto where = dyn_cast_or_null<WhereOp>(op)) {
    if (isZero(where.getY()))
      return std::pair(where.getCondition(), where.getX());
    return std::nullopt;
  }
  auto product = dyn_cast_or_null<MulOp>(op);
  if (!product || !isa<IntegerType>(getElementTypeOrSelf(x)))
    return std::nullopt;
  for (auto [mask, value] : {std::pair(product.getLhs(), product.getRhs()),
                             std::pair(product.getRhs(), product.getLhs())})
    if (auto cast = mask.getDefiningOp<CastOp>(); cast && isBool(cast.getX()))
      return std::pair(cast.getX(), value);
  return std::nullopt;
}

/// Moves an operand of an elementwise operation in the way in which the result
/// is moved.
static Value moveOperand(OpBuilder &builder, Value operand,
                         ArrayRef<Operation *> movements) {
  for (Operation *movement : llvm::reverse(movements)) {
    IRMapping mapping;
    mapping.map(movement->getOperand(0), operand);
    Operation *moved = builder.clone(*movement, mapping);
    moved->getResult(0).setType(
        cast<RankedTensorType>(movement->getResult(0).getType())
            .clone(getElementTypeOrSelf(operand)));
    operand = moved->getResult(0);
  }
  return operand;
}

/// Turns a moved comparison or conjunction into one of moved operands.
static Value moveBefore(OpBuilder &builder, Value clause) {
  SmallVector<Operation *> movements;
  Operation *op = clause.getDefiningOp();
  while (isa_and_nonnull<ExpandOp, PermuteOp, ReshapeOp>(op)) {
    movements.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  if (movements.empty() || !isa_and_nonnull<CmpEqOp, AndOp>(op))
    return clause;
  Value x = moveOperand(builder, op->getOperand(0), movements),
        y = moveOperand(builder, op->getOperand(1), movements);
  if (isa<AndOp>(op))
    return AndOp::create(builder, op->getLoc(), x, y);
  return CmpEqOp::create(builder, op->getLoc(), clause.getType(), x, y);
}

static std::optional<OneHotSum> match(OpBuilder &builder, ReduceOp op) {
  if (op.getKind() != ReduceKind::add ||
      getElementTypeOrSelf(op.getType()).isInteger(1))
    return std::nullopt;
  auto body = getBody(builder, op.getX());
  if (!body)
    return std::nullopt;
  auto isReduced = [&](int64_t axis) {
    return llvm::is_contained(op.getAxes(), axis);
  };
  SmallVector<Value> clauses{body->first};
  unsigned numClauses = 0;
  OneHotSum sum{-1, {}, {}, body->second};
  SmallVector<Value> others;
  while (!clauses.empty()) {
    if (++numClauses > kMaxClauses)
      return std::nullopt;
    Value clause = moveBefore(builder, clauses.pop_back_val());
    if (auto both = clause.getDefiningOp<AndOp>()) {
      llvm::append_range(clauses, both->getOperands());
      continue;
    }
    auto equal = clause.getDefiningOp<CmpEqOp>();
    bool isFound = false;
    for (int side : {0, 1}) {
      if (!equal)
        break;
      Value position = equal->getOperand(side),
            other = equal->getOperand(1 - side);
      std::optional<int64_t> axis = getPositionAxis(position);
      if (!axis)
        continue;
      // A position along a reduced axis selects one summand, which is a load.
      if (isReduced(*axis))
        return std::nullopt;
      if (sum.index || !isa<IntegerType>(getElementTypeOrSelf(other)) ||
          !isConstantAlong(other, *axis) || !readsMemory(other))
        continue;
      sum.axis = *axis;
      sum.index = other;
      isFound = true;
      break;
    }
    if (!isFound)
      others.push_back(clause);
  }
  if (!sum.index || !isConstantAlong(sum.value, sum.axis) ||
      !llvm::all_of(others, [&](Value clause) {
        return isConstantAlong(clause, sum.axis);
      }))
    return std::nullopt;
  for (Value clause : others)
    sum.condition = sum.condition ? AndOp::create(builder, op.getLoc(),
                                                  sum.condition, clause)
                                        .getResult()
                                  : clause;
  return sum;
}

/// Whether comparing with every class takes longer than updating one.
static bool isWorthIt(ReduceOp op, int64_t axis) {
  SmallVector<int64_t> shape = getLargestShape(op.getX().getType());
  int64_t row = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i)
    if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(i)))
      row *= shape[i];
  return shape[axis] >= (row >= kRow ? kFewClassesOfRows : kFewClasses);
}

static void scatterSum(ReduceOp op) {
  // Beyond this size, the index arithmetic overflows 64 bits.
  const int64_t size = getBufferSize(op.getX().getType());
  if (size == 0 || size > kMaxBufferSize)
    return;
  OpBuilder builder(op);
  std::optional<OneHotSum> sum = match(builder, op);
  if (!sum || !isWorthIt(op, sum->axis))
    return;
  // The index and the value are taken from the first class.
  if (getDim(op.getX().getType(), sum->axis).getMin() < 1)
    return;
  Location loc = op.getLoc();
  const int64_t rank = op.getType().getRank();
  // Takes one place along the axis, and replaces the axis by the positions that
  // are summed over.
  auto atPositions = [&](Value value) -> Value {
    SmallVector<Dim> shape = getDims(cast<RankedTensorType>(value.getType()));
    Type element = getElementTypeOrSelf(value);
    SmallVector<Attribute> from, to;
    for (int64_t axis = 0; axis < rank; ++axis) {
      from.push_back(Dim(op.getContext(), 0).getAttr());
      to.push_back(axis == sum->axis ? Dim(op.getContext(), 1).getAttr()
                                     : shape[axis].getAttr());
    }
    value = ShrinkOp::create(builder, loc, value, builder.getArrayAttr(from),
                             builder.getArrayAttr(to));
    SmallVector<int64_t> order;
    Dim positions(op.getContext(), 1);
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (axis == sum->axis)
        for (int64_t reduced : op.getAxes()) {
          order.push_back(reduced);
          positions = positions * shape[reduced];
        }
      if (!llvm::is_contained(op.getAxes(), axis))
        order.push_back(axis);
    }
    value = PermuteOp::create(builder, loc, value, order);
    for (int64_t reduced : op.getAxes())
      shape[reduced] = Dim(op.getContext(), 1);
    shape[sum->axis] = positions;
    return ReshapeOp::create(builder, loc, getTensorType(shape, element),
                             value);
  };
  Value index = atPositions(sum->index), value = atPositions(sum->value);
  if (sum->condition)
    value = WhereOp::create(builder, loc, value.getType(),
                            atPositions(sum->condition), value,
                            createZeros(builder, loc, value.getType()));
  // An update rounds, as a sum does only at its end.
  RankedTensorType type = op.getType();
  if (auto narrow = dyn_cast<FloatType>(type.getElementType());
      narrow && narrow.getWidth() < 32) {
    type = type.clone(builder.getF32Type());
    value = CastOp::create(
        builder, loc,
        cast<RankedTensorType>(value.getType()).clone(builder.getF32Type()),
        value);
  }
  Value base = createZeros(builder, loc, type);
  Value result =
      ScatterOp::create(builder, loc, type, UpdateKind::add, base, index, value,
                        static_cast<uint64_t>(sum->axis));
  if (type != op.getType())
    result = CastOp::create(builder, loc, op.getType(), result);
  op.replaceAllUsesWith(result);
  op.erase();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static std::optional<ReduceKind> getReduceKind(UpdateKind kind) {
  switch (kind) {
  case UpdateKind::add:
    return ReduceKind::add;
  case UpdateKind::mul:
    return ReduceKind::mul;
  case UpdateKind::max:
    return ReduceKind::max;
  case UpdateKind::set:
  case UpdateKind::min:
    break;
  }
  return std::nullopt;
}

/// Many updates of few elements would run one after the other. Each part of the
/// positions updates a copy instead, and a reduction combines the copies.
static void splitScatter(ScatterOp op) {
  const auto axis = static_cast<int64_t>(op.getAxis());
  RankedTensorType type = op.getType();
  std::optional<ReduceKind> kind = getReduceKind(op.getKind());
  const Dim length = getSize(op.getIndex(), axis);
  const int64_t size = getBufferSize(type);
  if (!kind || !length.isStatic() || size == 0 || size > kMaxBufferSize ||
      getBufferSize(op.getIndex().getType()) > kMaxBufferSize)
    return;
  SmallVector<int64_t> shape = getLargestShape(type);
  int64_t outer = 1, inner = 1;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    outer *= i < axis ? shape[i] : 1;
    inner *= i > axis ? shape[i] : 1;
  }
  const int64_t rows =
      outer * static_cast<int64_t>(llvm::divideCeil(inner, kRowsAtOnce));
  const int64_t positions = length.getMax();
  const TargetFacts &target = getTargetFacts(op);
  const int64_t enoughRows = target.parallelItems;
  const int64_t parts = std::min(
      {static_cast<int64_t>(llvm::divideCeil(enoughRows, rows)),
       positions / (target.groupItems > 0 ? kMinPartOfGPU : kMinPart),
       positions / kPositionsPerElement / std::max<int64_t>(shape[axis], 1)});
  if (rows >= enoughRows || parts < 2)
    return;

  OpBuilder builder(op);
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  const auto part = static_cast<int64_t>(llvm::divideCeil(positions, parts));
  // [..., positions, ...] -> [..., parts, part, ...], with zeros at the end.
  auto split = [&](Value value) -> Value {
    SmallVector<Dim> dims = getDims(cast<RankedTensorType>(value.getType()));
    if (part * parts != positions) {
      SmallVector<int64_t> low(dims.size(), 0), high = low;
      high[axis] = part * parts - positions;
      value = PadOp::create(builder, loc, value, low, high);
    }
    dims[axis] = Dim(context, part);
    dims.insert(dims.begin() + axis, Dim(context, parts));
    return ReshapeOp::create(
        builder, loc, getTensorType(dims, getElementTypeOrSelf(value)), value);
  };
  Value index = op.getIndex();
  if (part * parts != positions) {
    // Padding updates nothing: its index is -1.
    RankedTensorType wide =
        getTensorType(getDims(op.getIndex().getType()), builder.getI64Type());
    index = CastOp::create(builder, loc, wide, index);
    index = AddOp::create(builder, loc, index,
                          ConstOp::create(builder, loc, wide, int64_t(1)));
    index = split(index);
    index = AddOp::create(
        builder, loc, index,
        ConstOp::create(builder, loc, index.getType(), int64_t(-1)));
  } else {
    index = split(index);
  }
  SmallVector<Dim> dims = getDims(type);
  dims.insert(dims.begin() + axis, Dim(context, parts));
  RankedTensorType copies = getTensorType(dims, type.getElementType());
  Value identity = ConstOp::create(
      builder, loc, copies, getReduceIdentity(*kind, type.getElementType()));
  Value updated = ScatterOp::create(builder, loc, copies, op.getKind(),
                                    identity, index, split(op.getUpdates()),
                                    static_cast<uint64_t>(axis) + 1);
  Value total =
      ReduceOp::create(builder, loc, *kind, updated, ArrayRef<int64_t>(axis));
  total = ReshapeOp::create(builder, loc, type, total);
  if (op.getKind() == UpdateKind::add)
    total = AddOp::create(builder, loc, op.getBase(), total);
  else if (op.getKind() == UpdateKind::mul)
    total = MulOp::create(builder, loc, op.getBase(), total);
  else
    total = MaxOp::create(builder, loc, op.getBase(), total);
  op.replaceAllUsesWith(total);
  op.erase();
}

//===----------------------------------------------------------------------===//
// What updates are added to
//===----------------------------------------------------------------------===//

/// The most updates of an element that are added to something else one after
/// the other, which rounds more often than adding their sum.
constexpr int64_t kMostMerged = 1024;

/// z + scatter add zeros[i], u -> scatter add z[i], u, through reshapes between
/// them that only add and remove axes of one element: one tensor in memory
/// instead of two. (The gradient of an embedding that is the output's weight as
/// well.) If the sum is only read with another order of axes, it gets that
/// order.
static void mergeSum(ScatterOp op) {
  auto base = op.getBase().getDefiningOp<ConstOp>();
  auto zero = base ? dyn_cast<FloatAttr>(base.getValue()) : FloatAttr();
  if (op.getKind() != UpdateKind::add || !op->hasOneUse() || !zero ||
      !zero.getValue().isZero() || zero.getType().getIntOrFloatBitWidth() < 32)
    return;
  const Dim length = getSize(op.getUpdates(), op.getAxis());
  if (length.getMax() > kMostMerged)
    return;
  auto axis = static_cast<int64_t>(op.getAxis());
  Value moved = op.getResult();
  if (auto reshape = dyn_cast<ReshapeOp>(*op->user_begin())) {
    std::optional<int64_t> after =
        findAxis(op.getResult(), axis, reshape.getResult());
    if (!reshape->hasOneUse() || !after)
      return;
    axis = *after;
    moved = reshape;
  }
  auto sum = dyn_cast<AddOp>(*moved.user_begin());
  if (!sum)
    return;
  Value other = sum.getLhs() == moved ? sum.getRhs() : sum.getLhs();
  if (other == moved || other.getDefiningOp<ConstOp>())
    return;
  OpBuilder builder(sum);
  const Location loc = sum.getLoc();
  auto reshape = [&](Value value) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Dim> dims = getDims(cast<RankedTensorType>(moved.getType()));
    dims[axis] = getSize(value, static_cast<int64_t>(op.getAxis()));
    RankedTensorType to = getTensorType(dims, type.getElementType());
    return to == type ? value : ReshapeOp::create(builder, loc, to, value);
  };
  // A negative zero plus that of the scatter is a positive one.
  other = AddOp::create(builder, loc, other,
                        ConstOp::create(builder, loc, other.getType(),
                                        getNumberAttr(zero.getType(), 0.0)));
  Value index = reshape(op.getIndex()), updates = reshape(op.getUpdates());
  PermuteOp permute;
  if (sum->hasOneUse())
    permute = dyn_cast<PermuteOp>(*sum->user_begin());
  if (permute) {
    auto order = [&](Value value) {
      return PermuteOp::create(builder, loc, value, permute.getOrderAttr());
    };
    other = order(other);
    index = order(index);
    updates = order(updates);
    axis = llvm::find(permute.getOrder(), axis) - permute.getOrder().begin();
  }
  Value result =
      ScatterOp::create(builder, loc, other.getType(), UpdateKind::add, other,
                        index, updates, static_cast<uint64_t>(axis));
  if (permute) {
    permute.replaceAllUsesWith(result);
    permute.erase();
  } else {
    sum.replaceAllUsesWith(result);
  }
  // Unused operations would count as readers of the operands.
  sum.erase();
  if (moved != op.getResult())
    moved.getDefiningOp()->erase();
  op.erase();
}

namespace {
struct TgScatterSumsPass
    : public tg::impl::TgScatterSumsBase<TgScatterSumsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ReduceOp> reduces;
    getOperation().walk([&](ReduceOp op) { reduces.push_back(op); });
    for (ReduceOp op : reduces)
      scatterSum(op);
    SmallVector<ScatterOp> scatters;
    getOperation().walk([&](ScatterOp op) { scatters.push_back(op); });
    for (ScatterOp op : scatters)
      splitScatter(op);
    scatters.clear();
    getOperation().walk([&](ScatterOp op) { scatters.push_back(op); });
    for (ScatterOp op : scatters)
      mergeSum(op);
  }
};
} // namespace
