//===- SplitProducts.cpp - deep products for few groups -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A group computes a block of the results of a product of matrices. Where the
/// blocks are too few for the device, the sum is divided among several groups
/// too. On processors without groups, a panel of columns is packed and stays in
/// the second-level cache while all rows use it; a deeper product is divided
/// into parts whose panels fit. The number of parts depends on the shape and
/// the facts of the target alone, so that results are the same in each run.
///
//===----------------------------------------------------------------------===//

#include "SplitProducts.h"
#include "Optimize/DivideDepth.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
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
/// Where groups share the positions of a window (shareWindows() in
/// ShareWindows.cpp), because there are fewer than kFewestColumns of them: the
/// channels of a group, and the fewest pixels of a part.
constexpr int64_t kChannelsOfGroup = 4, kLeastPixels = 2048;
/// The fewest parts that repay the second kernel. Products that need fewer have
/// a group for every second compute unit already.
constexpr int64_t kFewestParts = 4;
/// Parts of a multiple of this many positions begin at aligned addresses.
constexpr int64_t kAlignedPart = 16;
/// On processors without groups: the fewest rows that make up for packing a
/// panel of columns, and the most memory for the sums of parts, relative to the
/// larger factor.
constexpr int64_t kSharedRows = 16, kMostSums = 2;
/// On such processors, the fewest rows and columns for which a kernel that only
/// stores the sums adds them in passes (DivideDepth.cpp), and by how much the
/// panel of a column may then exceed the second-level cache.
constexpr int64_t kFewestOfPasses = 64, kMostPanels = 2;
/// The fewest results of a gradient that share a panel.
constexpr int64_t kSharedPositions = 8;
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
  if (auto strided = dyn_cast<StridedOp>(op)) {
    const View view(cast<ViewAttr>(strided.getViews().getValue().back()));
    return view.strides[axis].is(0) && !view.isMasked(axis);
  }
  return op->hasTrait<OpTrait::Elementwise>() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isRepeatedAlong(operand, axis, depth + 1);
         });
}

namespace {
/// The extents of a product of matrices. The columns are neighbors in memory.
struct ProductShape {
  int64_t rows, columns, depth;
  /// The number of products.
  int64_t others;
};
} // namespace

/// The shape of a sum of products along one axis of known size; none if it is
/// no product of matrices.
static std::optional<ProductShape> getProductShape(ReduceOp op) {
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
  const Dim length = getDim(op.getX().getType(), depth);
  if (!length.isStatic() || length.getMax() < kLeastDepth)
    return std::nullopt;
  return ProductShape{isLastOfLeft ? ofRight : ofLeft,
                      isLastOfLeft ? ofLeft : ofRight, length.getMax(), others};
}

/// The number of parts that keeps all groups of a device busy.
static int64_t countPartsForGroups(ReduceOp op, const ProductShape &shape,
                                   const TargetFacts &target) {
  const int64_t fewestRows = op.getType().getElementTypeBitWidth() > 32
                                 ? kFewestWideRows
                                 : kFewestRows;
  if (shape.rows < fewestRows || shape.columns < kFewestColumns)
    return 1;
  const int64_t blocks = shape.others * llvm::divideCeil(shape.rows, kSide) *
                         llvm::divideCeil(shape.columns, kSide);
  const int64_t size = shape.depth;
  const int64_t parts =
      blocks == 0 ? 1
                  : std::min(target.parallelItems / blocks, size / kLeastPart);
  if (parts < kFewestParts)
    return 1;
  // A divisor leaves no remainder.
  for (int64_t unit : {kAlignedPart, int64_t(1)})
    for (int64_t candidate = parts; candidate > parts / 2; --candidate)
      if (size % (candidate * unit) == 0)
        return candidate;
  return parts;
}

/// Whether a kernel that only stores the sums adds them in passes.
static bool canAddInPasses(ReduceOp op, const ProductShape &shape) {
  return op.getX().getType().hasStaticShape() &&
         std::min(shape.rows, shape.columns) >= kFewestOfPasses;
}

/// The number of parts whose panels of columns fit into a cache, see
/// stageColumns() in TileResult.cpp, or which have passes for which they do.
static int64_t countPartsForCache(ReduceOp op, const ProductShape &shape,
                                  const TargetFacts &target) {
  const int64_t depth = shape.depth, bytes = target.getPanelBytes(depth);
  if (bytes <= target.l2Bytes || shape.rows < kSharedRows ||
      shape.columns * op.getType().getElementTypeBitWidth() / 8 <
          target.getPanelBytes(1))
    return 1;
  // A divisor leaves no remainder.
  auto findDivisor = [&](int64_t least, bool hasPasses) -> int64_t {
    for (int64_t parts = least; parts < 2 * least; ++parts)
      if (depth % parts == 0 &&
          (!hasPasses ||
           getPassLength(depth / parts,
                         getLongestForPanel(depth / parts, target))))
        return parts;
    return 0;
  };
  int64_t parts = 0;
  if (canAddInPasses(op, shape))
    parts = findDivisor(llvm::divideCeil(bytes, kMostPanels * target.l2Bytes),
                        true);
  if (parts == 0) {
    const int64_t least = llvm::divideCeil(bytes, target.l2Bytes / 2);
    parts = findDivisor(least, false);
    if (parts == 0)
      parts = least;
  }
  // The sums of the parts, compared with the larger factor.
  const double sums =
                   double(parts) * double(shape.rows) * double(shape.columns),
               factor =
                   double(depth) * double(std::max(shape.rows, shape.columns));
  return sums <= kMostSums * factor ? parts : 1;
}

/// Whether an axis of a value is the outermost one in memory of what is moved
/// to it.
static bool isOutermost(Value value, int64_t axis) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto permute = dyn_cast<PermuteOp>(op)) {
      axis = permute.getOrder()[axis];
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      std::optional<int64_t> source = findAxisOfOperand(reshape, axis);
      if (!source)
        return false;
      axis = *source;
    } else if (!isa<ExpandOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  for (int64_t other = 0; other < axis; ++other)
    if (!getDim(cast<RankedTensorType>(value.getType()), other).is(1))
      return false;
  return true;
}

namespace {
/// The extents of a sum of products over several axes: the gradient of a
/// convolution by its weights is a sum over images and positions in them.
struct GradientShape {
  int64_t depth = 1, results = 1, ofLeft = 1, ofRight = 1;
  /// The axes of the sum along which both factors vary.
  SmallVector<int64_t> axes;
};
} // namespace

ViewChain tg::getChain(Value value, StridedOp view) {
  SmallVector<Operation *> movements;
  if (view)
    movements.push_back(view);
  while (Operation *op = value.getDefiningOp()) {
    if (!isMovementOp(op) && !isa<StridedOp, CastOp>(op))
      break;
    // A conversion does not move elements.
    if (!isa<CastOp>(op))
      movements.push_back(op);
    value = op->getOperand(0);
  }
  ViewChain chain(cast<RankedTensorType>(value.getType()));
  for (Operation *op : llvm::reverse(movements))
    chain.apply(op);
  return chain;
}

/// Whether a step of so many positions in the space that one of the views is
/// over leads to another element: the digits of the step are steps along the
/// axes of the view before.
static bool isStep(ArrayRef<View> before, int64_t positions) {
  if (positions == 0 || before.empty())
    return positions != 0;
  const View &view = before.back();
  int64_t rest = std::abs(positions);
  for (size_t axis = view.shape.size(); axis-- > 0 && rest != 0;) {
    const int64_t size = std::max<int64_t>(view.shape[axis].getMax(), 1),
                  digit = rest % size;
    rest /= size;
    if (digit != 0 && isStep(before.drop_back(), view.strides[axis].getMax()))
      return true;
  }
  return false;
}

/// Whether the elements at neighboring positions of an axis differ.
static bool variesAlong(const ViewChain &chain, size_t axis) {
  return isStep(chain.getViews().drop_back(),
                chain.getViews().back().strides[axis].getMax());
}

/// The shape of such a sum of known size. With \p view, of products that are
/// read through it.
static std::optional<GradientShape> getGradientShape(ReduceOp op,
                                                     StridedOp view = {}) {
  auto product = (view ? view.getX() : op.getX()).getDefiningOp<MulOp>();
  const RankedTensorType type = op.getX().getType();
  if (!product || op.getKind() != ReduceKind::add || !type.hasStaticShape() ||
      type.getEncoding())
    return std::nullopt;
  std::optional<ViewChain> left, right;
  if (view) {
    left = getChain(product.getLhs(), view);
    right = getChain(product.getRhs(), view);
  }
  GradientShape shape;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    const auto axis = static_cast<int64_t>(i);
    const bool isOfLeft = left ? variesAlong(*left, i)
                               : !isRepeatedAlong(product.getLhs(), axis),
               isOfRight = right ? variesAlong(*right, i)
                                 : !isRepeatedAlong(product.getRhs(), axis);
    if (!llvm::is_contained(op.getAxes(), axis)) {
      shape.results *= extent;
      (isOfLeft ? shape.ofLeft : shape.ofRight) *=
          isOfLeft == isOfRight ? 1 : extent;
      continue;
    }
    shape.depth *= extent;
    if (extent > 1 && isOfLeft && isOfRight)
      shape.axes.push_back(axis);
  }
  return shape;
}

/// Whether two axes of a view step over the same elements, as those of
/// overlapping windows do.
static bool hasWindows(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto strided = dyn_cast<StridedOp>(op)) {
      const View view(cast<ViewAttr>(strided.getViews().getValue().back()));
      for (auto [axis, stride] : llvm::enumerate(view.strides))
        for (size_t other = 0; other < axis; ++other)
          if (!stride.is(0) && stride == view.strides[other] &&
              !view.shape[axis].is(1) && !view.shape[other].is(1))
            return true;
      return false;
    }
    if (!isa<PermuteOp, ReshapeOp, ExpandOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// The largest divisor of a number that is at most \p most, and at least 1.
static int64_t getLargestDivisor(int64_t number, int64_t most) {
  int64_t divisor = std::max<int64_t>(std::min(number, most), 1);
  while (number % divisor != 0)
    --divisor;
  return divisor;
}

/// The only user of a sum, after one conversion, and reshapes that change
/// dimensions of one element alone, if it shrinks the sum; the axes of the
/// shrink are mapped to those of the sum.
static ShrinkOp findShrink(ReduceOp op, SmallVectorImpl<int64_t> &axes) {
  axes = llvm::to_vector(llvm::seq<int64_t>(0, op.getType().getRank()));
  Value value = op.getResult();
  bool hasCast = false;
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (auto shrink = dyn_cast<ShrinkOp>(user))
      return getBufferSize(shrink.getType()) == 0 ? ShrinkOp() : shrink;
    // shrinkFirst() makes one conversion; several may round in between.
    if (auto cast = dyn_cast<CastOp>(user); cast && !hasCast) {
      hasCast = true;
      value = cast.getResult();
      continue;
    }
    auto reshape = dyn_cast<ReshapeOp>(user);
    if (!reshape)
      break;
    SmallVector<int64_t> mapped;
    for (int64_t axis : llvm::seq<int64_t>(0, reshape.getType().getRank())) {
      std::optional<int64_t> source = findAxisOfOperand(reshape, axis);
      if (!source && !getDim(reshape.getType(), axis).is(1))
        return ShrinkOp();
      mapped.push_back(source ? axes[*source] : -1);
    }
    axes = mapped;
    value = reshape.getResult();
  }
  return ShrinkOp();
}

void tg::shrinkFirst(ReduceOp op) {
  SmallVector<int64_t> axes;
  ShrinkOp shrink = findShrink(op, axes);
  if (!shrink || shrink.getX() == op.getResult())
    return;
  const RankedTensorType type = op.getType();
  SmallVector<Dim> from(type.getRank(), Dim(op.getContext(), 0));
  SmallVector<Dim> to = getDims(type);
  for (auto [axis, begin, end] : llvm::zip_equal(
           axes, getDims(shrink.getFrom()), getDims(shrink.getTo())))
    if (axis >= 0) {
      from[axis] = begin;
      to[axis] = end;
    }
  OpBuilder builder(shrink);
  auto getAttr = [&](ArrayRef<Dim> dims) {
    return builder.getArrayAttr(
        llvm::map_to_vector(dims, [](Dim dim) { return dim.getAttr(); }));
  };
  const Location loc = op.getLoc();
  Value kept = ShrinkOp::create(builder, loc, op, getAttr(from), getAttr(to));
  auto keptType = cast<RankedTensorType>(kept.getType());
  const Type element = shrink.getType().getElementType();
  if (keptType.getElementType() != element)
    kept = CastOp::create(builder, loc, keptType.clone(element), kept);
  shrink.replaceAllUsesWith(
      ReshapeOp::create(builder, loc, shrink.getType(), kept).getResult());
  for (Operation *user = shrink; user != op.getOperation();) {
    Operation *before = user->getOperand(0).getDefiningOp();
    user->erase();
    user = before;
  }
}

/// Splits such a sum where its blocks are too few groups for the device, along
/// the axis that makes the most parts: images, or rows of all images. The
/// gradient by the input is one, too: the sum of products for the results that
/// windows have at a pixel. It is split along the channels.
static std::optional<ProductSplit> splitGradient(ReduceOp op) {
  const std::optional<GradientShape> shape =
      getGradientShape(op, op.getX().getDefiningOp<StridedOp>());
  if (!shape || shape->results == 0 || shape->depth < kLeastDepth)
    return std::nullopt;
  const auto [fewer, more] = std::minmax(shape->ofLeft, shape->ofRight);
  const int64_t others = shape->results / (fewer * more);
  // What is discarded afterwards is columns or rows at the borders of images.
  SmallVector<int64_t> axes;
  ShrinkOp shrink = findShrink(op, axes);
  const double kept =
      shrink ? static_cast<double>(getBufferSize(shrink.getType())) /
                   static_cast<double>(shape->results)
             : 1;
  const auto columns = static_cast<int64_t>(static_cast<double>(more) * kept);
  int64_t blocks = others * llvm::divideCeil(fewer, kSide) *
                   llvm::divideCeil(columns, kSide),
          leastPart = kLeastPart;
  if (fewer < kSharedRows) {
    // A group shares the positions of the window, which one factor has.
    auto product = op.getX().getDefiningOp<MulOp>();
    if (!product)
      return std::nullopt;
    const bool isLeft = hasWindows(product.getLhs());
    if (!isLeft && !hasWindows(product.getRhs()))
      return std::nullopt;
    const auto [positions, channels] =
        isLeft ? std::pair(shape->ofLeft, shape->ofRight)
               : std::pair(shape->ofRight, shape->ofLeft);
    if (positions >= kFewestColumns)
      return std::nullopt;
    blocks = others * llvm::divideCeil(channels, kChannelsOfGroup);
    leastPart = kLeastPixels;
  }
  const int64_t most =
      std::min(getTargetFacts(op).parallelItems / std::max<int64_t>(blocks, 1),
               shape->depth / leastPart);
  ProductSplit split{0, 1};
  for (int64_t axis : shape->axes) {
    const int64_t size = op.getX().getType().getDimSize(axis);
    const int64_t parts = getLargestDivisor(size, most);
    if (parts > split.parts)
      split = {axis, parts};
  }
  if (split.parts < kFewestParts)
    return std::nullopt;
  return split;
}

/// Splits such a sum along the images, so that a panel fits into the cache, and
/// also along the rows if the panel of one image does not.
static std::optional<ProductSplit> splitImages(ReduceOp op) {
  const TargetFacts &target = getTargetFacts(op);
  const std::optional<GradientShape> shape = getGradientShape(op);
  if (!shape)
    return std::nullopt;
  auto product = op.getX().getDefiningOp<MulOp>();
  std::optional<int64_t> images, rows;
  for (int64_t axis : shape->axes)
    if (!images && (isOutermost(product.getLhs(), axis) ||
                    isOutermost(product.getRhs(), axis)))
      images = axis;
    else if (!rows)
      rows = axis;
  const auto [depth, results, ofLeft, ofRight, axes] = *shape;
  const int64_t rowBytes = target.getPanelBytes(1);
  if (!images || depth * rowBytes <= 2 * target.l2Bytes ||
      std::min(ofLeft, ofRight) < kSharedPositions)
    return std::nullopt;
  const RankedTensorType type = op.getX().getType();
  const int64_t count = type.getDimSize(*images),
                mostPositions = target.l2Bytes / 2 / rowBytes;
  // The most images whose panel takes half of the cache, as a divisor.
  ProductSplit split{
      *images,
      count / getLargestDivisor(count, mostPositions / (depth / count))};
  if (rows && 2 * mostPositions < depth / count) {
    const int64_t height = type.getDimSize(*rows);
    split = {*rows,
             height / getLargestDivisor(height, mostPositions /
                                                    (depth / count / height)),
             images};
  }
  const int64_t parts = split.parts * (split.positions ? count : 1);
  if (parts < 2 || parts * results > depth * std::min(ofLeft, ofRight))
    return std::nullopt;
  return split;
}

std::optional<int64_t> tg::getFewestUses(ReduceOp op) {
  const std::optional<GradientShape> shape = getGradientShape(op);
  if (!shape)
    return std::nullopt;
  return std::min(shape->ofLeft, shape->ofRight);
}

std::optional<ProductSplit> tg::splitDeepProduct(ReduceOp op) {
  const TargetFacts &target = getTargetFacts(op);
  if (op.getAxes().size() > 1)
    return target.groupItems == 0 ? splitImages(op) : splitGradient(op);
  const std::optional<ProductShape> shape = getProductShape(op);
  if (!shape)
    return std::nullopt;
  const int64_t parts = target.groupItems == 0
                            ? countPartsForCache(op, *shape, target)
                            : countPartsForGroups(op, *shape, target);
  if (parts < 2)
    return std::nullopt;
  return ProductSplit{op.getAxes().front(), parts};
}

bool tg::storesDeepProduct(ReduceOp op) {
  const TargetFacts &target = getTargetFacts(op);
  if (target.groupItems > 0)
    return false;
  const std::optional<ProductShape> shape = getProductShape(op);
  if (!shape || !canAddInPasses(op, *shape))
    return false;
  auto product = op.getX().getDefiningOp<MulOp>();
  const int64_t depth = op.getAxes().front();
  const bool isTransposed = isOutermost(product.getLhs(), depth) &&
                            isOutermost(product.getRhs(), depth);
  const int64_t bits = op.getType().getElementTypeBitWidth();
  int64_t longest = getLongestForPanel(shape->depth, target);
  if (isTransposed)
    for (int64_t neighbors : {shape->rows, shape->columns})
      longest = std::min(
          longest,
          getLongestForLines(shape->depth, neighbors * bits / 8,
                             std::min(shape->rows, shape->columns), target));
  return getPassLength(shape->depth, longest).has_value();
}

ReduceOp tg::widenProduct(ReduceOp op) {
  auto type = dyn_cast<FloatType>(op.getType().getElementType());
  if (!type || type.getWidth() >= 32)
    return op;
  OpBuilder builder(op);
  const Location loc = op.getLoc();
  auto view = op.getX().getDefiningOp<StridedOp>();
  auto product = (view ? view.getX() : op.getX()).getDefiningOp<MulOp>();
  auto widen = [&](Value value) -> Value {
    return CastOp::create(
        builder, loc,
        cast<RankedTensorType>(value.getType()).clone(builder.getF32Type()),
        value);
  };
  Value x = MulOp::create(builder, loc, widen(product.getLhs()),
                          widen(product.getRhs()));
  if (view)
    x = StridedOp::create(builder, loc,
                          view.getType().clone(builder.getF32Type()), x,
                          view.getViews());
  auto wide = ReduceOp::create(builder, loc, op.getKind(), x, op.getAxes());
  Value narrow = CastOp::create(builder, loc, op.getType(), wide);
  op.replaceAllUsesWith(narrow);
  op.erase();
  return wide;
}
