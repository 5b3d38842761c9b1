//===- Movement.cpp - movement operations in linalg and tensor ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Movement operations become upstream's operations of the same effect where
/// there is one. Other views become an indexing map, if they are one without a
/// mask and of known strides, and otherwise index arithmetic in a body that
/// reads one element.
///
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::tgtolinalg;

static SmallVector<Dim> getDimsOf(Value tensor) {
  return getDims(cast<RankedTensorType>(tensor.getType()));
}

namespace {

struct ConvertReshape : GraphPattern<ReshapeOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, ReshapeOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    return g.buildReshape(adaptor.getX(), getDimsOf(op.getX()), getDims(type));
  }
};

struct ConvertPermute : GraphPattern<PermuteOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, PermuteOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    Value empty = g.buildEmpty(getDims(type), type.getElementType());
    return linalg::TransposeOp::create(g.b, adaptor.getX(), empty,
                                       op.getOrder())
        ->getResult(0);
  }
};

struct ConvertExpand : GraphPattern<ExpandOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, ExpandOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    SmallVector<Dim> from = getDimsOf(op.getX()), to = getDims(type);
    SmallVector<int64_t> axes;
    for (auto [axis, before, after] : llvm::enumerate(from, to))
      if (before != after)
        axes.push_back(axis);
    if (axes.empty())
      return adaptor.getX();
    Value empty = g.buildEmpty(to, type.getElementType());
    return linalg::BroadcastOp::create(
               g.b, g.buildWithoutAxes(adaptor.getX(), axes), empty, axes)
        ->getResult(0);
  }
};

struct ConvertPad : GraphPattern<PadOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, PadOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    Type element = type.getElementType();
    Value zero = arith::ConstantOp::create(
        g.b, cast<TypedAttr>(
                 g.b.getZeroAttr(tgtolinalg::convertElementType(element))));
    return Value(
        tensor::PadOp::create(g.b, convertTensorType(type), adaptor.getX(),
                              g.getSizes(getDims(op.getLow())),
                              g.getSizes(getDims(op.getHigh())), zero));
  }
};

struct ConvertShrink : GraphPattern<ShrinkOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, ShrinkOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    SmallVector<OpFoldResult> ones(type.getRank(), g.b.getIndexAttr(1));
    return Value(tensor::ExtractSliceOp::create(
        g.b, convertTensorType(type), adaptor.getX(),
        g.getSizes(getDims(op.getFrom())), g.getSizes(getDims(type)), ones));
  }
};

struct ConvertFlip : GraphPattern<FlipOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, FlipOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override;
};

/// `tg.strided`, a flip of symbolic sizes, and movement operations of other
/// dialects.
struct ConvertViews : OpInterfaceConversionPattern<MovementOpInterface> {
  ConvertViews(const TypeConverter &types, MLIRContext *context,
               ConversionState &state)
      : OpInterfaceConversionPattern(types, context), state(state) {}

  LogicalResult
  matchAndRewrite(MovementOpInterface op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override;

private:
  ConversionState &state;
};

} // namespace

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Elements of tg type `element` of a tensor `flat` of rank 1, by the views.
/// Sizes are computed before the operation, by the builder of `g`.
static Value buildGather(GraphBuilder &g, const ViewChain &chain, Value flat,
                         Type element) {
  ArrayRef<View> views = chain.getViews();
  SmallVector<Dim> dims(chain.getShape());
  return g.buildParallel(
      dims, element, {}, {}, {}, [&](B &b, ValueRange) -> Value {
        SmallVector<Value> index;
        for (size_t axis = 0; axis < dims.size(); ++axis)
          index.push_back(linalg::IndexOp::create(b, axis));
        Value position, isInside;
        for (size_t i = views.size(); i-- > 0;) {
          const View &view = views[i];
          if (position) {
            // The index of a position of the view below.
            index.assign(view.shape.size(), Value());
            for (size_t axis = view.shape.size(); axis-- > 0;) {
              if (axis == 0) {
                index[axis] = position;
                break;
              }
              // A size may be 0 where nothing is read.
              Value size =
                  arith::MaxSIOp::create(b, g.getIndex(view.shape[axis]),
                                         arith::ConstantIndexOp::create(b, 1));
              index[axis] = arith::RemUIOp::create(b, position, size);
              position = arith::DivUIOp::create(b, position, size);
            }
          }
          Value sum = g.getIndex(view.offset);
          for (size_t axis = 0; axis < view.shape.size(); ++axis) {
            if (!view.strides[axis].is(0))
              sum = arith::AddIOp::create(
                  b, sum,
                  arith::MulIOp::create(b, index[axis],
                                        g.getIndex(view.strides[axis])));
            if (!view.isMasked(axis))
              continue;
            Span span = view.getSpan(axis);
            Value isIn = arith::AndIOp::create(
                b,
                arith::CmpIOp::create(b, arith::CmpIPredicate::sge, index[axis],
                                      g.getIndex(span.begin)),
                arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index[axis],
                                      g.getIndex(span.end)));
            isInside = isInside
                           ? Value(arith::AndIOp::create(b, isInside, isIn))
                           : isIn;
          }
          position = sum;
          if (isInside)
            position = arith::SelectOp::create(
                b, isInside, position, arith::ConstantIndexOp::create(b, 0));
        }
        Value value = buildFromElement(
            b, tensor::ExtractOp::create(b, flat, position), element);
        if (!isInside)
          return value;
        return arith::SelectOp::create(b, isInside, value,
                                       emission::buildZero(b, value.getType()));
      });
}

/// The indexing map of a view over the positions of a tensor, in one axis.
static std::optional<AffineMap> getMap(B &b, const View &view) {
  std::optional<int64_t> offset = view.offset.getStatic();
  if (!offset)
    return std::nullopt;
  AffineExpr sum = b.getAffineConstantExpr(0);
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    std::optional<int64_t> stride = view.strides[axis].getStatic();
    if (!stride || !view.shape[axis].isStatic() || view.isMasked(axis))
      return std::nullopt;
    sum = sum + b.getAffineDimExpr(axis) * *stride;
  }
  return AffineMap::get(view.shape.size(), 0, sum + *offset);
}

LogicalResult
ConvertViews::matchAndRewrite(MovementOpInterface op, ArrayRef<Value> operands,
                              ConversionPatternRewriter &rewriter) const {
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !to || !op->getParentOfType<func::FuncOp>())
    return state.fail(op, "is not on tensors, in a function");
  if (isa<ReshapeOp, PermuteOp, ExpandOp, PadOp, ShrinkOp>(op) ||
      (isa<FlipOp>(op) && to.hasStaticShape()))
    return rewriter.notifyMatchFailure(op, "has a pattern of its own");
  B b(op.getLoc(), rewriter);
  GraphBuilder g(b, op, state);
  Type element = to.getElementType();
  ViewChain chain(from);
  op.applyTo(chain);
  Dim size = getNumElements(b.getContext(), getDims(from));
  if (size.is(0) || llvm::any_of(chain.getViews(), [](const View &view) {
        return view.isEmpty();
      })) {
    Type type = tgtolinalg::convertElementType(element);
    rewriter.replaceOp(
        op, g.buildFilled(getDims(to),
                          arith::ConstantOp::create(
                              b, cast<TypedAttr>(b.getZeroAttr(type)))));
    return success();
  }
  if (size.getMin() <= 0)
    return state.fail(op, "takes a view of a tensor that may be empty");
  Value flat = g.buildReshape(operands[0], getDims(from), size);
  std::optional<AffineMap> map;
  if (chain.getViews().size() == 1)
    map = getMap(b, chain.getViews().front());
  if (map)
    rewriter.replaceOp(
        op, g.buildParallel(getDims(to), element, flat, *map, element,
                            [](B &, ValueRange v) { return v[0]; }));
  else
    rewriter.replaceOp(op, buildGather(g, chain, flat, element));
  return success();
}

FailureOr<Value> ConvertFlip::convert(GraphBuilder &g, FlipOp op,
                                      OpAdaptor adaptor,
                                      RankedTensorType type) const {
  if (!type.hasStaticShape())
    return failure(); // ConvertViews takes it.
  SmallVector<AffineExpr> exprs;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    AffineExpr index = g.b.getAffineDimExpr(axis);
    exprs.push_back(llvm::is_contained(op.getAxes(), int64_t(axis))
                        ? (size - 1) - index
                        : index);
  }
  Type element = type.getElementType();
  return g.buildParallel(
      getDims(type), element, adaptor.getX(),
      AffineMap::get(type.getRank(), 0, exprs, g.b.getContext()), element,
      [](B &, ValueRange v) { return v[0]; });
}

void tgtolinalg::populateMovementPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &types,
                                          ConversionState &state) {
  patterns.add<ConvertReshape, ConvertPermute, ConvertExpand, ConvertPad,
               ConvertShrink, ConvertFlip, ConvertViews>(
      types, patterns.getContext(), state);
}
