//===- JoinSums.cpp - sums of many parts or products ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-join-sums pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGJOINSUMS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// The fewest parts that are joined. A sum of fewer masked parts is one short
/// kernel, and fewer products are computed fast side by side.
constexpr size_t kFewestParts = 8, kFewestProducts = 8;
/// The product of two factors has at least this many times as many elements as
/// both factors together, so that storing them costs little.
constexpr int64_t kLeastReuse = 8;

/// The summands of a tree of additions of which nothing else is used, in order.
static SmallVector<Value> getSummands(Value root) {
  SmallVector<Value> summands, pending{root};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto add = value.getDefiningOp<AddOp>();
    if (add && (value == root || value.hasOneUse())) {
      pending.push_back(add.getRhs());
      pending.push_back(add.getLhs());
    } else {
      summands.push_back(value);
    }
  }
  return summands;
}

namespace {
/// A tensor of zeros, except for a part along one axis.
struct Part {
  int64_t axis, from, to;
  Value padded;
};
} // namespace

static std::optional<Part> getPart(Value value) {
  auto pad = value.getDefiningOp<PadOp>();
  if (!pad || !pad.getType().hasStaticShape() || pad.getType().getEncoding())
    return std::nullopt;
  std::optional<Part> part;
  const ArrayRef<int64_t> shape = pad.getType().getShape();
  for (auto [axis, low, high] :
       llvm::enumerate(getDims(pad.getLow()), getDims(pad.getHigh()))) {
    if (low.is(0) && high.is(0))
      continue;
    if (part || !low.isStatic() || !high.isStatic())
      return std::nullopt;
    part = Part{static_cast<int64_t>(axis), low.getMax(),
                shape[axis] - high.getMax(), value};
  }
  return part && part->from < part->to ? part : std::nullopt;
}

/// Selects one of the parts by the position along their axis. They are in
/// ascending order. Between parts are zeros.
static Value selectByPosition(OpBuilder &builder, ArrayRef<Part> parts) {
  const Location loc = parts.front().padded.getLoc();
  const auto type = cast<RankedTensorType>(parts.front().padded.getType());
  const int64_t axis = parts.front().axis;
  const Type number = type.getDimSize(axis) <= INT32_MAX
                          ? Type(builder.getI32Type())
                          : Type(builder.getI64Type());
  const auto numbers = RankedTensorType::get(type.getShape(), number);
  Value position =
      IotaOp::create(builder, loc, numbers, static_cast<uint64_t>(axis));
  Value result = parts.back().padded;
  for (const Part &part : llvm::reverse(parts.drop_back())) {
    Value end = ConstOp::create(builder, loc, numbers, part.to);
    result = WhereOp::create(builder, loc, type,
                             CmpLtOp::create(builder, loc, position, end),
                             part.padded, result);
  }
  return result;
}

/// Whether no element is a negative zero, because it is a sum in which, at each
/// position, one of two parts is padding: +0, with which no sum is -0.
static bool hasNoNegativeZeros(Value value) {
  while (isa_and_nonnull<ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  if (!value.getDefiningOp<AddOp>())
    return false;
  // The first end and the last beginning of parts along each axis.
  DenseMap<int64_t, std::pair<int64_t, int64_t>> borders;
  return llvm::any_of(getSummands(value), [&](Value summand) {
    const std::optional<Part> part = getPart(summand);
    if (!part)
      return false;
    auto [it, isNew] =
        borders.try_emplace(part->axis, std::pair(part->to, part->from));
    auto &[end, begin] = it->second;
    end = std::min(end, part->to);
    begin = std::max(begin, part->from);
    return end <= begin;
  });
}

/// Selects one of the parts of a sum. A negative zero plus the zeros of the
/// other parts is a positive one.
static Value selectSummand(OpBuilder &builder, ArrayRef<Part> parts) {
  Value value = selectByPosition(builder, parts);
  if (llvm::all_of(parts, [](const Part &part) {
        return hasNoNegativeZeros(part.padded.getDefiningOp<PadOp>().getX());
      }))
    return value;
  const Location loc = value.getLoc();
  Value zero = ConstOp::create(
      builder, loc, value.getType(),
      getNumberAttr(getElementTypeOrSelf(value.getType()), 0.0));
  return AddOp::create(builder, loc, value, zero);
}

namespace {
/// Parts of one position along the first axis of a selection.
struct Stacked {
  Value stack;
  int64_t position;
};
/// By the values that the parts are, without that axis.
using Stacks = DenseMap<Value, Stacked>;
} // namespace

/// Records the parts of a selection along the first axis.
static void recordStack(Value stack, ArrayRef<Part> parts, Stacks &stacks) {
  const ArrayRef<int64_t> shape =
      cast<RankedTensorType>(stack.getType()).getShape();
  for (const Part &part : parts) {
    if (part.axis != 0 || part.to - part.from != 1)
      continue;
    Value source = part.padded.getDefiningOp<PadOp>().getX();
    if (auto reshape = source.getDefiningOp<ReshapeOp>())
      source = reshape.getX();
    if (cast<RankedTensorType>(source.getType()).getShape() ==
        shape.drop_front())
      stacks.try_emplace(source, Stacked{stack, part.from});
  }
}

/// Sums of parts that do not overlap become selections by position.
static void joinParts(AddOp root, Stacks &stacks) {
  // Along each axis in turn.
  SmallVector<Value> others;
  DenseMap<int64_t, SmallVector<Part>> partsAlong;
  for (Value summand : getSummands(root)) {
    if (std::optional<Part> part = getPart(summand))
      partsAlong[part->axis].push_back(*part);
    else
      others.push_back(summand);
  }
  OpBuilder builder(root);
  const Location loc = root.getLoc();
  SmallVector<Value> joined;
  const int64_t rank = cast<RankedTensorType>(root.getType()).getRank();
  for (int64_t axis = 0; axis < rank; ++axis) {
    SmallVector<Part> parts = partsAlong.lookup(axis);
    llvm::stable_sort(
        parts, [](const Part &a, const Part &b) { return a.from < b.from; });
    // Those that overlap an earlier one are left for the next round.
    while (!parts.empty()) {
      SmallVector<Part> chosen, rest;
      for (const Part &part : parts)
        (chosen.empty() || chosen.back().to <= part.from ? chosen : rest)
            .push_back(part);
      if (chosen.size() >= kFewestParts) {
        joined.push_back(selectSummand(builder, chosen));
        recordStack(joined.back(), chosen, stacks);
      } else {
        for (const Part &part : chosen)
          others.push_back(part.padded);
      }
      parts = std::move(rest);
    }
  }
  if (joined.empty())
    return;
  Value sum;
  for (Value value : llvm::concat<Value>(others, joined))
    sum = sum ? Value(AddOp::create(builder, loc, sum, value)) : value;
  root.getResult().replaceAllUsesWith(sum);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A factor of a product, as a value that is moved and repeated.
struct Factor {
  Value source;
  SmallVector<Operation *> movements; ///< from the source to the factor
};
} // namespace

/// None for a factor that is not repeated, or of symbolic shape.
static std::optional<Factor> getFactor(Value value) {
  Factor factor;
  bool isRepeated = false;
  for (Operation *op = value.getDefiningOp();
       isa_and_nonnull<ReshapeOp, PermuteOp, ExpandOp>(op);
       op = value.getDefiningOp()) {
    isRepeated |= isa<ExpandOp>(op);
    factor.movements.push_back(op);
    value = op->getOperand(0);
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.hasStaticShape() || type.getEncoding())
      return std::nullopt;
  }
  std::reverse(factor.movements.begin(), factor.movements.end());
  factor.source = value;
  if (!isRepeated || value.getDefiningOp<ConstOp>())
    return std::nullopt;
  return factor;
}

/// Whether the factors are moved alike.
static bool isAlike(const Factor &a, const Factor &b) {
  return a.source.getType() == b.source.getType() &&
         a.movements.size() == b.movements.size() &&
         llvm::all_of_zip(
             a.movements, b.movements, [](Operation *x, Operation *y) {
               return x->getName() == y->getName() &&
                      x->getResultTypes() == y->getResultTypes() &&
                      x->getAttrDictionary() == y->getAttrDictionary();
             });
}

static RankedTensorType addAxis(Type type, int64_t size) {
  auto ranked = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape{size};
  llvm::append_range(shape, ranked.getShape());
  return RankedTensorType::get(shape, ranked.getElementType());
}

/// The factors side by side in memory, along a new first axis.
static Value stack(OpBuilder &builder, Location loc, ArrayRef<Factor> factors) {
  const auto count = static_cast<int64_t>(factors.size());
  SmallVector<Part> parts;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    const auto type = cast<RankedTensorType>(factor.source.getType());
    Value one =
        ReshapeOp::create(builder, loc, addAxis(type, 1), factor.source);
    SmallVector<int64_t> low(type.getRank() + 1), high(type.getRank() + 1);
    low[0] = static_cast<int64_t>(i);
    high[0] = count - 1 - low[0];
    Value padded = PadOp::create(builder, loc, one, low, high);
    parts.push_back({0, low[0], low[0] + 1, padded});
  }
  return ContiguousOp::create(builder, loc, selectByPosition(builder, parts));
}

/// What is side by side, moved as each of the factors was.
static Value moveAll(OpBuilder &builder, Location loc, Value value,
                     const Factor &factor) {
  const int64_t count = cast<RankedTensorType>(value.getType()).getDimSize(0);
  for (Operation *op : factor.movements) {
    const RankedTensorType type = addAxis(op->getResult(0).getType(), count);
    if (auto permute = dyn_cast<PermuteOp>(op)) {
      SmallVector<int64_t> order{0};
      for (int64_t axis : permute.getOrder())
        order.push_back(axis + 1);
      value = PermuteOp::create(builder, loc, value,
                                builder.getDenseI64ArrayAttr(order));
    } else if (isa<ReshapeOp>(op)) {
      value = ReshapeOp::create(builder, loc, type, value);
    } else {
      value = ExpandOp::create(builder, loc, type, value);
    }
  }
  return value;
}

/// If all factors are neighboring parts of one selection, brings them and the
/// other factors into its order. Returns the selection and the first position.
static std::optional<Stacked> findStack(SmallVectorImpl<Factor> &factors,
                                        SmallVectorImpl<Factor> &others,
                                        const Stacks &stacks) {
  SmallVector<std::pair<int64_t, size_t>> order;
  Value stack;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    auto it = stacks.find(factor.source);
    if (it == stacks.end() || (stack && it->second.stack != stack))
      return std::nullopt;
    stack = it->second.stack;
    order.push_back({it->second.position, i});
  }
  llvm::sort(order);
  for (auto [i, entry] : llvm::enumerate(order))
    if (entry.first != order.front().first + static_cast<int64_t>(i))
      return std::nullopt;
  auto apply = [&](SmallVectorImpl<Factor> &list) {
    SmallVector<Factor> ordered;
    for (auto [position, i] : order)
      ordered.push_back(list[i]);
    list = std::move(ordered);
  };
  apply(factors);
  apply(others);
  return Stacked{stack, order.front().first};
}

/// The selection in memory, for all its users, directly behind it.
static ContiguousOp getMemory(Value selection) {
  Operation *op = selection.getDefiningOp();
  if (selection.hasOneUse())
    if (auto memory = dyn_cast<ContiguousOp>(*selection.user_begin())) {
      memory->moveAfter(op);
      return memory;
    }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto memory = ContiguousOp::create(builder, selection.getLoc(), selection);
  selection.replaceAllUsesExcept(memory, memory);
  return memory;
}

/// The factors as a part of a selection in memory.
static Value getPartOf(OpBuilder &builder, Location loc, ContiguousOp memory,
                       int64_t position, int64_t count) {
  const auto type = cast<RankedTensorType>(memory.getType());
  SmallVector<int64_t> from(type.getRank(), 0), to(type.getShape());
  from[0] = position;
  to[0] = position + count;
  return ShrinkOp::create(builder, loc, memory, from, to);
}

/// A sum over axes of a sum of products of factors that are repeated becomes
/// one sum of products.
static void joinProducts(ReduceOp reduce, const Stacks &stacks) {
  auto root = reduce.getX().getDefiningOp<AddOp>();
  const RankedTensorType type = reduce.getX().getType();
  if (!root || !root->hasOneUse() || reduce.getKind() != ReduceKind::add ||
      !isa<Float32Type, Float64Type>(type.getElementType()) ||
      !type.hasStaticShape() || type.getEncoding())
    return;
  SmallVector<Value> others;
  SmallVector<Factor> left, right;
  for (Value summand : getSummands(root)) {
    auto product = summand.getDefiningOp<MulOp>();
    std::optional<Factor> x, y;
    if (product && summand.hasOneUse()) {
      x = getFactor(product.getLhs());
      y = getFactor(product.getRhs());
    }
    if (x && y && !left.empty() &&
        !(isAlike(*x, left.front()) && isAlike(*y, right.front())))
      std::swap(x, y);
    if (!x || !y ||
        (!left.empty() &&
         !(isAlike(*x, left.front()) && isAlike(*y, right.front())))) {
      others.push_back(summand);
      continue;
    }
    left.push_back(*x);
    right.push_back(*y);
  }
  if (left.size() < kFewestProducts)
    return;
  auto getSize = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  if (type.getNumElements() / kLeastReuse <
      getSize(left.front().source) + getSize(right.front().source))
    return;
  OpBuilder builder(reduce);
  const Location loc = reduce.getLoc();
  // One of the factors may be in memory already.
  std::optional<Stacked> ofLeft = findStack(left, right, stacks), ofRight;
  if (!ofLeft)
    ofRight = findStack(right, left, stacks);
  ContiguousOp memory;
  if (const std::optional<Stacked> &found = ofLeft ? ofLeft : ofRight) {
    Operation *end = found->stack.getDefiningOp();
    const bool isLate = reduce->isBeforeInBlock(end);
    if (isLate && llvm::any_of(reduce->getUsers(), [&](Operation *user) {
          return user->isBeforeInBlock(end);
        })) {
      ofLeft = ofRight = std::nullopt;
    } else {
      memory = getMemory(found->stack);
      if (isLate)
        builder.setInsertionPointAfter(memory);
    }
  }
  auto getAll = [&](ArrayRef<Factor> factors,
                    const std::optional<Stacked> &found) {
    Value all = found ? getPartOf(builder, loc, memory, found->position,
                                  static_cast<int64_t>(factors.size()))
                      : stack(builder, loc, factors);
    return moveAll(builder, loc, all, factors.front());
  };
  Value x = getAll(left, ofLeft);
  Value y = getAll(right, ofRight);
  Value product = MulOp::create(builder, loc, x, y);
  SmallVector<int64_t> axes{0};
  for (int64_t axis : reduce.getAxes())
    axes.push_back(axis + 1);
  Value sum = ReduceOp::create(builder, loc, ReduceKind::add, product,
                               builder.getDenseI64ArrayAttr(axes));
  sum = ReshapeOp::create(builder, loc, reduce.getType(), sum);
  if (!others.empty()) {
    Value rest;
    for (Value value : others)
      rest = rest ? Value(AddOp::create(builder, loc, rest, value)) : value;
    rest = ReduceOp::create(builder, loc, ReduceKind::add, rest,
                            reduce.getAxesAttr());
    // Two sums in one kernel would have half of the registers each.
    sum = ContiguousOp::create(builder, loc, sum);
    sum = AddOp::create(builder, loc, rest, sum);
  }
  reduce.getResult().replaceAllUsesWith(sum);
}

namespace {
struct JoinSums : tg::impl::TgJoinSumsBase<JoinSums> {
  void runOnOperation() override {
    SmallVector<ReduceOp> reduces;
    SmallVector<AddOp> roots;
    getOperation().walk([&](Operation *op) {
      if (auto reduce = dyn_cast<ReduceOp>(op))
        reduces.push_back(reduce);
      auto add = dyn_cast<AddOp>(op);
      // Not a part of a larger sum.
      if (add && isa<FloatType>(getElementTypeOrSelf(add.getType())) &&
          isa<RankedTensorType>(add.getType()) &&
          !(add->hasOneUse() && isa<AddOp>(*add->user_begin())))
        roots.push_back(add);
    });
    Stacks stacks;
    for (AddOp op : roots)
      joinParts(op, stacks);
    for (ReduceOp op : reduces)
      joinProducts(op, stacks);
    // What was replaced counts as a use for other passes.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }
};
} // namespace
