//===- PackWeights.cpp - weights of convolutions, channels innermost ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-pack-weights pass.
///
//===----------------------------------------------------------------------===//

#include "SplitProducts.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGPACKWEIGHTS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// The fewest channels that are worth being neighbors: several accesses of 16
/// bytes, and the depth of a tile.
constexpr int64_t kLeastChannels = 16;
/// The positions of a window: those of fewer share an access anyway.
constexpr int64_t kLeastPositions = 5, kMostPositions = 128;
/// The fewest products with each weight: a block of pixels.
constexpr int64_t kLeastUses = 64;
/// The fewest weights. The cache lines of fewer are shared by all groups of a
/// compute unit.
constexpr int64_t kLeastWeights = 1 << 12;
/// The most pixels from one window to the next.
constexpr int64_t kMostStride = 4;

namespace {
/// A factor that is repeated along some axes of the product, and the axis of
/// the channels that are added up.
struct Weights {
  ExpandOp repeated;
  int64_t channels;
};
} // namespace

/// Whether sums of the product add up along the axis. A product that is read
/// through views is summed along an axis of their own.
static bool isReducedAlong(MulOp product, int64_t axis) {
  const int64_t extent =
      cast<RankedTensorType>(product.getType()).getDimSize(axis);
  auto isSum = [&](Operation *user, bool isMoved) {
    auto reduce = dyn_cast<ReduceOp>(user);
    return reduce && reduce.getKind() == ReduceKind::add &&
           llvm::any_of(reduce.getAxes(), [&](int64_t other) {
             return isMoved
                        ? reduce.getX().getType().getDimSize(other) == extent
                        : other == axis;
           });
  };
  SmallVector<std::pair<Operation *, bool>> work;
  for (Operation *user : product->getUsers())
    work.push_back({user, false});
  // Views of views are few.
  for (size_t i = 0; i < work.size(); ++i) {
    auto [user, isMoved] = work[i];
    if (isSum(user, isMoved))
      return true;
    if (isa<StridedOp>(user) || isMovementOp(user))
      for (Operation *next : user->getUsers())
        work.push_back({next, true});
  }
  return false;
}

/// Whether \p view, of the other factor, is of windows whose positions the last
/// axes of \p weights number, from \p window on, for each of \p channels. What
/// the weights are repeated for are pixels, few elements apart, or images,
/// which are farther apart than channels. (In the gradient by the weights, the
/// one of the result is repeated for channels, and images are added up.)
static bool isOfWindows(const View &view, ArrayRef<int64_t> weights,
                        int64_t window, int64_t channels) {
  int64_t longest = 0;
  for (auto [axis, stride] : llvm::enumerate(view.strides)) {
    if (!stride.isStatic())
      return false;
    if (static_cast<int64_t>(axis) >= window && weights[axis] > 1)
      longest = std::max(longest, stride.getMax());
  }
  const int64_t between = view.strides[channels].getMax();
  return llvm::all_of(llvm::zip_equal(view.strides, weights), [&](auto axis) {
    auto [stride, extent] = axis;
    return extent > 1 || stride.getMax() > between ||
           stride.getMax() <= kMostStride * longest;
  });
}

/// The weights, if \p factor is the one of a convolution that reads them, and
/// their channels are not neighbors in memory.
static std::optional<Weights> findWeights(MulOp product, Value factor,
                                          Value pixels) {
  auto repeated = factor.getDefiningOp<ExpandOp>();
  // Scalars are multiplied too.
  const auto type = dyn_cast<RankedTensorType>(product.getType());
  if (!repeated || !type || !type.hasStaticShape() || type.getEncoding())
    return std::nullopt;
  const RankedTensorType own = repeated.getX().getType();
  // What is moved otherwise may have any order in memory: windows of the pixels
  // are no weights, also if they are converted.
  Value source = repeated.getX();
  while (Operation *op = source.getDefiningOp()) {
    if (!isa<ReshapeOp, CastOp>(op))
      break;
    source = op->getOperand(0);
  }
  if (Operation *op = source.getDefiningOp();
      op && (isMovementOp(op) || isa<StridedOp>(op)))
    return std::nullopt;
  const ArrayRef<int64_t> shape = own.getShape();
  const int64_t count = own.getNumElements();
  if (count < kLeastWeights || type.getNumElements() / count < kLeastUses)
    return std::nullopt;
  const ViewChain chain = getChain(pixels);
  const View &view = chain.getViews().back();
  // The window: short axes at the end, before which there are channels.
  int64_t positions = 1, axis = own.getRank() - 1;
  for (; axis >= 0 && shape[axis] < kLeastChannels; --axis) {
    if (shape[axis] == 1)
      continue;
    positions *= shape[axis];
  }
  const int64_t window = axis + 1;
  if (positions < kLeastPositions || positions > kMostPositions)
    return std::nullopt;
  std::optional<int64_t> channels;
  for (; axis >= 0; --axis)
    if (shape[axis] >= kLeastChannels && !view.strides[axis].is(0) &&
        (!channels || shape[axis] > shape[*channels]) &&
        isReducedAlong(product, axis))
      channels = axis;
  // The gradient by the input multiplies each pixel with all positions.
  const bool isSame =
      llvm::all_of(llvm::seq(window, own.getRank()),
                   [&](int64_t other) { return view.strides[other].is(0); });
  if (!channels || (!isSame && !isOfWindows(view, shape, window, *channels)))
    return std::nullopt;
  return Weights{repeated, *channels};
}

/// Stores the weights with the channels innermost, and reads these. Those that
/// are converted to a wider type are stored before: that is less memory, and
/// matrix units multiply the narrow type.
static void pack(OpOperand &factor, Weights weights) {
  OpBuilder builder(factor.getOwner());
  const Location loc = weights.repeated.getLoc();
  Value source = weights.repeated.getX();
  auto widened = source.getDefiningOp<CastOp>();
  auto countBits = [](Value value) {
    Type element = getElementTypeOrSelf(value);
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  };
  if (widened && countBits(widened.getX()) < countBits(widened))
    source = widened.getX();
  else
    widened = CastOp();
  const auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> order, inverse(type.getRank());
  for (int64_t axis : llvm::seq(type.getRank()))
    if (axis != weights.channels)
      order.push_back(axis);
  order.push_back(weights.channels);
  for (auto [place, axis] : llvm::enumerate(order))
    inverse[axis] = static_cast<int64_t>(place);
  Value packed = PermuteOp::create(builder, loc, source, order);
  packed = ContiguousOp::create(builder, loc, packed);
  packed = PermuteOp::create(builder, loc, packed, inverse);
  if (widened)
    packed = CastOp::create(builder, loc, widened.getType(), packed);
  factor.set(
      ExpandOp::create(builder, loc, weights.repeated.getType(), packed));
  if (weights.repeated->use_empty())
    weights.repeated.erase();
  if (widened && widened->use_empty())
    widened.erase();
}

namespace {
struct TgPackWeightsPass
    : public tg::impl::TgPackWeightsBase<TgPackWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](MulOp product) {
      if (getTargetFacts(product).groupItems == 0)
        return;
      for (OpOperand &factor : product->getOpOperands()) {
        Value other = product->getOperand(1 - factor.getOperandNumber());
        if (auto weights = findWeights(product, factor.get(), other))
          pack(factor, *weights);
      }
    });
  }
};
} // namespace
