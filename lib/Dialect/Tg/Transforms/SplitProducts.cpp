//===- SplitProducts.cpp - deep products for few groups -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A group computes a block of the results of a product of matrices. Where the
/// blocks are too few for the device, the sum is divided among several groups
/// too. The number of parts depends on the shape and the facts of the target
/// alone, so that results are the same in each run.
///
//===----------------------------------------------------------------------===//

#include "SplitProducts.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Rows and columns of the smallest blocks that read each factor rarely.
constexpr int64_t kSide = 64;
/// The fewest rows, those of types with 64 bits, and the fewest columns: with
/// fewer, there are no blocks of results.
constexpr int64_t kFewestRows = 2, kFewestWideRows = 8, kFewestColumns = 16;
/// The fewest positions of a sum that is split, and of a part: the sums of a
/// part, which are stored and read, are half as many as the factors that a
/// block of it reads.
constexpr int64_t kLeastDepth = 1024, kLeastPart = 128;
/// The fewest parts that repay the second kernel. Products that need fewer have
/// a group for every second compute unit already.
constexpr int64_t kFewestParts = 4;
/// Parts of a multiple of this many positions begin at aligned addresses.
constexpr int64_t kAlignedPart = 16;
/// The maximum depth of the search for what repeats a factor, whose time is
/// exponential in the depth.
constexpr int64_t kSearchDepth = 6;

/// The axis of the operand that a long axis of the result of a reshape is, if
/// only dimensions of one element change.
static std::optional<int64_t> findAxisOfOperand(ReshapeOp op, int64_t axis) {
  auto getLong = [](RankedTensorType type) {
    SmallVector<std::pair<int64_t, Dim>> dims;
    for (auto [i, dim] : llvm::enumerate(getDims(type)))
      if (!dim.is(1))
        dims.push_back({static_cast<int64_t>(i), dim});
    return dims;
  };
  const auto from = getLong(op.getX().getType()), to = getLong(op.getType());
  std::optional<int64_t> found;
  if (from.size() != to.size())
    return found;
  for (auto [source, result] : llvm::zip_equal(from, to)) {
    if (source.second != result.second)
      return std::nullopt;
    if (result.first == axis)
      found = source.first;
  }
  return found;
}

/// Whether a value is the same at all positions of a long axis, because it is
/// broadcast along it.
static bool isRepeatedAlong(Value value, int64_t axis, int64_t depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > kSearchDepth)
    return false;
  if (isa<ConstOp>(op))
    return true;
  if (auto expand = dyn_cast<ExpandOp>(op))
    return getDim(expand.getX().getType(), axis).is(1) ||
           isRepeatedAlong(expand.getX(), axis, depth + 1);
  if (auto permute = dyn_cast<PermuteOp>(op))
    return isRepeatedAlong(permute.getX(), permute.getOrder()[axis], depth + 1);
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    std::optional<int64_t> source = findAxisOfOperand(reshape, axis);
    return source && isRepeatedAlong(reshape.getX(), *source, depth + 1);
  }
  return op->hasTrait<OpTrait::Elementwise>() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isRepeatedAlong(operand, axis, depth + 1);
         });
}

/// How many blocks the results of a product have; none if it is no product of
/// matrices, or one with too few rows or columns.
static std::optional<int64_t> countBlocks(ReduceOp op) {
  auto product = op.getX().getDefiningOp<MulOp>();
  if (!product || op.getKind() != ReduceKind::add || op.getAxes().size() != 1)
    return std::nullopt;
  const int64_t depth = op.getAxes().front();
  if (isRepeatedAlong(product.getLhs(), depth) ||
      isRepeatedAlong(product.getRhs(), depth))
    return std::nullopt;
  const SmallVector<int64_t> shape = getLargestShape(op.getX().getType());
  int64_t ofLeft = 1, ofRight = 1, others = 1;
  bool isLastOfLeft = false;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    const auto axis = static_cast<int64_t>(i);
    if (axis == depth || extent == 1)
      continue;
    const bool isOfLeft = !isRepeatedAlong(product.getLhs(), axis),
               isOfRight = !isRepeatedAlong(product.getRhs(), axis);
    (isOfLeft == isOfRight ? others : isOfLeft ? ofLeft : ofRight) *= extent;
    isLastOfLeft = isOfLeft && !isOfRight;
  }
  const int64_t columns = isLastOfLeft ? ofLeft : ofRight,
                rows = isLastOfLeft ? ofRight : ofLeft;
  const int64_t fewestRows = op.getType().getElementTypeBitWidth() > 32
                                 ? kFewestWideRows
                                 : kFewestRows;
  if (rows < fewestRows || columns < kFewestColumns)
    return std::nullopt;
  return others * llvm::divideCeil(rows, kSide) *
         llvm::divideCeil(columns, kSide);
}

int64_t tg::countProductParts(ReduceOp op) {
  const TargetFacts &target = getTargetFacts(op);
  if (target.groupItems == 0)
    return 1;
  const std::optional<int64_t> blocks = countBlocks(op);
  if (!blocks || *blocks == 0)
    return 1;
  const Dim length = getDim(op.getX().getType(), op.getAxes().front());
  if (!length.isStatic() || length.getMax() < kLeastDepth)
    return 1;
  const int64_t size = length.getMax();
  const int64_t parts =
      std::min(target.parallelItems / *blocks, size / kLeastPart);
  if (parts < kFewestParts)
    return 1;
  // A divisor leaves no remainder.
  for (int64_t unit : {kAlignedPart, int64_t(1)})
    for (int64_t candidate = parts; candidate > parts / 2; --candidate)
      if (size % (candidate * unit) == 0)
        return candidate;
  return parts;
}

ReduceOp tg::widenProduct(ReduceOp op) {
  auto type = dyn_cast<FloatType>(op.getType().getElementType());
  if (!type || type.getWidth() >= 32)
    return op;
  OpBuilder builder(op);
  const Location loc = op.getLoc();
  auto product = op.getX().getDefiningOp<MulOp>();
  auto widen = [&](Value value) -> Value {
    return CastOp::create(
        builder, loc,
        cast<RankedTensorType>(value.getType()).clone(builder.getF32Type()),
        value);
  };
  Value x = MulOp::create(builder, loc, widen(product.getLhs()),
                          widen(product.getRhs()));
  auto wide = ReduceOp::create(builder, loc, op.getKind(), x, op.getAxes());
  Value narrow = CastOp::create(builder, loc, op.getType(), wide);
  op.replaceAllUsesWith(narrow);
  op.erase();
  return wide;
}
