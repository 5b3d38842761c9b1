//===- TgCanonicalization.cpp - rewrite rules of the dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers the rules of TgCanonicalization.td, and adds those that apply to
/// many operations alike or compute shapes.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgConstantFold.h"
#include "TinyGrad/Dialect/Tg/IR/TgPatterns.h"
#include "TinyGrad/Dialect/Tg/IR/TgRewriteUtils.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;

namespace {

#include "TinyGrad/Dialect/Tg/IR/TgCanonicalization.inc"

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// const(dense<c>) -> const(c)
struct SplatOfDense : OpRewritePattern<ConstOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConstOp op,
                                PatternRewriter &rewriter) const override {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!dense || !dense.isSplat() || dense.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "not a dense splat");
    rewriter.modifyOpInPlace(op, [&] {
      op.setValueAttr(cast<TypedAttr>(dense.getSplatValue<Attribute>()));
    });
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// f(expand(x), expand(y), c) -> expand(f(x, y, c)), where x and y have the
/// same shape: f is no longer computed for repeated elements.
struct ElementwiseOfExpand : OpTraitRewritePattern<OpTrait::Elementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<TgDialect>(op->getDialect()) && !isElementwiseOp(op))
      return rewriter.notifyMatchFailure(op, "not known to scheduling");
    RankedTensorType source;
    SmallVector<Attribute> constants(op->getNumOperands());
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (auto expand = operand.getDefiningOp<ExpandOp>()) {
        RankedTensorType type = expand.getX().getType();
        if (source && tg::getDims(source) != tg::getDims(type))
          return rewriter.notifyMatchFailure(op, "expanded shapes differ");
        source = type;
      } else if (!matchPattern(operand, m_Constant(&constants[i])) ||
                 !isSplat(constants[i])) {
        return rewriter.notifyMatchFailure(
            op, "an operand is neither an expand nor a splat");
      }
    }
    if (!source)
      return rewriter.notifyMatchFailure(op, "no operand is an expand");

    SmallVector<Value> operands;
    for (auto [operand, constant] : llvm::zip(op->getOperands(), constants)) {
      if (constant)
        operands.push_back(ConstOp::create(
            rewriter, op->getLoc(),
            source.clone(getElementTypeOrSelf(operand.getType())),
            cast<TypedAttr>(constant)));
      else
        operands.push_back(operand.getDefiningOp<ExpandOp>().getX());
    }
    Type type = op->getResult(0).getType();
    Operation *inner = rewriter.create(
        op->getLoc(), op->getName().getIdentifier(), operands,
        source.clone(getElementTypeOrSelf(type)), op->getAttrs());
    rewriter.replaceOpWithNewOp<ExpandOp>(op, type, inner->getResult(0));
    return success();
  }
};

/// reshape(expand(x)) -> expand(reshape(x)), where the reshape only inserts and
/// removes axes of size 1.
struct UnitReshapeOfExpand : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto expand = op.getX().getDefiningOp<ExpandOp>();
    if (!expand)
      return rewriter.notifyMatchFailure(op, "the operand is not an expand");
    MLIRContext *context = op.getContext();
    SmallVector<Dim> from = tg::getDims(expand.getType()),
                     to = tg::getDims(op.getType()),
                     source = tg::getDims(expand.getX().getType());
    SmallVector<Dim> reshaped;
    auto isUnit = [](Dim dim) { return dim.is(1); };
    size_t axis = 0;
    for (Dim dim : to) {
      if (isUnit(dim)) {
        reshaped.push_back(dim);
        continue;
      }
      while (axis < from.size() && isUnit(from[axis]))
        ++axis;
      if (axis == from.size() || from[axis] != dim)
        return rewriter.notifyMatchFailure(op, "axes are split or merged");
      reshaped.push_back(source[axis++]);
    }
    while (axis < from.size() && isUnit(from[axis]))
      ++axis;
    if (axis != from.size() || tg::getNumElements(context, reshaped) !=
                                   tg::getNumElements(context, source))
      return rewriter.notifyMatchFailure(op, "axes are split or merged");
    Value inner = ReshapeOp::create(
        rewriter, op.getLoc(),
        getTensorType(reshaped, op.getType().getElementType()), expand.getX());
    rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), inner);
    return success();
  }
};

/// shrink(pad(x)) -> pad(shrink(x))
struct ShrinkOfPad : OpRewritePattern<ShrinkOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ShrinkOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getX().getDefiningOp<PadOp>();
    if (!pad)
      return rewriter.notifyMatchFailure(op, "the operand is not a pad");
    std::optional<ShrinkThenPad> parts = commuteShrinkOfPad(
        pad.getX(), pad.getLow(), pad.getHigh(), op.getFrom(), op.getTo());
    if (!parts)
      return rewriter.notifyMatchFailure(op, "symbolic positions");
    Value inner = ShrinkOp::create(rewriter, op.getLoc(), pad.getX(),
                                   parts->from, parts->to);
    rewriter.replaceOpWithNewOp<PadOp>(op, inner, parts->low, parts->high);
    return success();
  }
};

/// f(strided(x)) -> strided(x), for each movement operation f and strided.
template <typename OpT> struct MovementOfStrided : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto strided = op.getX().template getDefiningOp<StridedOp>();
    if (!strided)
      return rewriter.notifyMatchFailure(op, "the operand is not a strided");
    ViewChain chain(strided.getX().getType(), strided.getViews());
    chain.apply(op);
    rewriter.replaceOpWithNewOp<StridedOp>(op, op.getType(), strided.getX(),
                                           chain.getAttr());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

/// reduce max(expand(x)) -> reduce max(x)
/// reduce add(expand(x)) -> reduce add(x) * count (integers, and floats that
/// hold the count)
struct ReduceOfExpand : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto expand = op.getX().getDefiningOp<ExpandOp>();
    if (!expand)
      return rewriter.notifyMatchFailure(op, "the operand is not an expand");
    DenseI64ArrayAttr axes = intersectAxes(
        op.getAxesAttr(), getExpandedAxes(expand.getX(), expand.getResult()));
    if (axes.empty())
      return rewriter.notifyMatchFailure(op, "no reduced axis is expanded");
    Type elementType = op.getType().getElementType();
    // The result is the repeated element, provided there is one.
    bool isIdempotent =
        op.getKind() == ReduceKind::max || isBoolLike(elementType);
    bool isSum =
        op.getKind() == ReduceKind::add &&
        (isIntLike(elementType) || elementType.isF32() || elementType.isF64());
    if (!isIdempotent && !isSum)
      return rewriter.notifyMatchFailure(op, "not exact for this kind");

    SmallVector<Dim> dims = tg::getDims(expand.getType());
    // The count wraps in the same way as integer sums.
    uint64_t count = 1;
    for (int64_t axis : axes.asArrayRef()) {
      if (isIdempotent ? dims[axis].getMin() < 1 : !dims[axis].isStatic())
        return rewriter.notifyMatchFailure(op, "symbolic count");
      if (isSum)
        count *= static_cast<uint64_t>(*dims[axis].getStatic());
      dims[axis] = Dim(op.getContext(), 1);
    }
    auto floatType = dyn_cast<FloatType>(elementType);
    if (isSum && floatType && count >> floatType.getFPMantissaWidth())
      return rewriter.notifyMatchFailure(op, "the count would be rounded");
    Value inner = ExpandOp::create(
        rewriter, op.getLoc(), getTensorType(dims, elementType), expand.getX());
    Value reduce = ReduceOp::create(rewriter, op.getLoc(), op.getType(),
                                    op.getKind(), inner, op.getAxes());
    if (isIdempotent) {
      rewriter.replaceOp(op, reduce);
      return success();
    }
    Value factor = ConstOp::create(rewriter, op.getLoc(), op.getType(),
                                   static_cast<int64_t>(count));
    rewriter.replaceOpWithNewOp<MulOp>(op, reduce, factor);
    return success();
  }
};

/// reduce(expand(x)) -> expand(reduce(x)) along axes that are not reduced: each
/// reduction is computed only once.
struct ReduceOfRepeated : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto expand = op.getX().getDefiningOp<ExpandOp>();
    if (!expand)
      return rewriter.notifyMatchFailure(op, "the operand is not an expand");
    SmallVector<Dim> dims = tg::getDims(expand.getType()),
                     results = tg::getDims(op.getType());
    bool isRepeated = false;
    for (int64_t axis :
         getExpandedAxes(expand.getX(), expand.getResult()).asArrayRef()) {
      if (llvm::is_contained(op.getAxes(), axis))
        continue;
      dims[axis] = results[axis] = Dim(op.getContext(), 1);
      isRepeated = true;
    }
    if (!isRepeated)
      return rewriter.notifyMatchFailure(op, "only reduced axes are expanded");
    const Type elementType = op.getType().getElementType();
    Value inner = expand.getX();
    if (dims != tg::getDims(expand.getX().getType()))
      inner = ExpandOp::create(rewriter, op.getLoc(),
                               getTensorType(dims, elementType), inner);
    Value reduce = ReduceOp::create(rewriter, op.getLoc(),
                                    getTensorType(results, elementType),
                                    op.getKind(), inner, op.getAxes());
    rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), reduce);
    return success();
  }
};

/// reduce add(pad(x)) -> reduce add(x), where only reduced axes are padded
struct ReduceOfPad : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getX().getDefiningOp<PadOp>();
    if (!pad || op.getKind() != ReduceKind::add)
      return rewriter.notifyMatchFailure(op, "not a sum of a pad");
    DenseI64ArrayAttr axes = op.getAxesAttr();
    if (areZeroOn(pad.getLow(), axes) && areZeroOn(pad.getHigh(), axes))
      return rewriter.notifyMatchFailure(op, "no reduced axis is padded");
    Value inner = PadOp::create(rewriter, op.getLoc(), pad.getX(),
                                replacePositions(pad.getLow(), axes, 0),
                                replacePositions(pad.getHigh(), axes, 0));
    rewriter.replaceOpWithNewOp<ReduceOp>(op, op.getType(), op.getKind(), inner,
                                          op.getAxes());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// c < x -> c < max(x, c), where that maximum is there already (floats).
///
/// The gradient of relu asks for the sign of its operand. With that of the
/// result, which others read as well, the operand need not be in memory.
struct CompareMaximum : OpRewritePattern<CmpLtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CmpLtOp op,
                                PatternRewriter &rewriter) const override {
    Attribute bound, other;
    if (!isa<RankedTensorType>(op.getRhs().getType()) ||
        !isa<FloatType>(getElementTypeOrSelf(op.getRhs().getType())) ||
        !matchPattern(op.getLhs(), m_Constant(&bound)))
      return rewriter.notifyMatchFailure(op,
                                         "no constant and tensor of floats");
    // Others may have very many users.
    constexpr unsigned mostUsers = 16;
    unsigned numUsers = 0;
    for (Operation *user : op.getRhs().getUsers()) {
      if (++numUsers > mostUsers)
        break;
      auto maximum = dyn_cast<MaxOp>(user);
      if (maximum && maximum.getLhs() == op.getRhs() &&
          matchPattern(maximum.getRhs(), m_Constant(&other)) &&
          bound == other && maximum->getBlock() == op->getBlock() &&
          maximum->isBeforeInBlock(op)) {
        rewriter.modifyOpInPlace(
            op, [&] { op.getRhsMutable().assign(maximum.getResult()); });
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no maximum with the constant");
  }
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// store masked by true -> store; store masked by false -> erased
struct StoreOfConstantMask : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StoreOp op,
                                PatternRewriter &rewriter) const override {
    Attribute mask;
    if (!op.getMask() || !matchPattern(op.getMask(), m_Constant(&mask)))
      return rewriter.notifyMatchFailure(op, "the mask is not constant");
    if (isInt(mask, 0))
      rewriter.eraseOp(op);
    else
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
};

} // namespace

void mlir::tg::populateTgCanonicalizationPatterns(RewritePatternSet &patterns) {
  populateWithGenerated(patterns);
  patterns.add<MovementOfStrided<ReshapeOp>, MovementOfStrided<PermuteOp>,
               MovementOfStrided<ExpandOp>, MovementOfStrided<PadOp>,
               MovementOfStrided<ShrinkOp>, MovementOfStrided<FlipOp>,
               MovementOfStrided<StridedOp>>(patterns.getContext());
  patterns.add<SplatOfDense, ElementwiseOfExpand, UnitReshapeOfExpand,
               ShrinkOfPad, ReduceOfExpand, ReduceOfRepeated, ReduceOfPad,
               CompareMaximum, StoreOfConstantMask>(patterns.getContext());
}

void TgDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  populateTgCanonicalizationPatterns(patterns);
}
