//===- Structured.cpp - arithmetic, reductions and constants --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Elementwise operations and reductions become `linalg.generic`.
///
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::tgtolinalg;

namespace {

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

struct ConvertConst : GraphPattern<ConstOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, ConstOp op, OpAdaptor,
                           RankedTensorType type) const override {
    TypedAttr value = convertNumbers(op.getValue());
    if (auto dense = dyn_cast<ElementsAttr>(value))
      return Value(arith::ConstantOp::create(g.b, dense));
    if (type.hasStaticShape())
      return Value(arith::ConstantOp::create(
          g.b,
          DenseElementsAttr::get(convertTensorType(type), Attribute(value))));
    return g.buildFilled(getDims(type), arith::ConstantOp::create(g.b, value));
  }
};

struct ConvertIota : GraphPattern<IotaOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, IotaOp op, OpAdaptor,
                           RankedTensorType type) const override {
    Type element = type.getElementType();
    return g.buildParallel(
        getDims(type), element, {}, {}, {}, [&](B &b, ValueRange) {
          Value index = linalg::IndexOp::create(b, op.getAxis());
          return g.arithmetic.buildCast(b, index, b.getIndexType(), element);
        });
  }
};

struct ConvertDim : GraphPattern<DimOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, DimOp op, OpAdaptor,
                           RankedTensorType type) const override {
    Value number =
        g.arithmetic.buildCast(g.b, g.getIndex(Dim(op.getDim())),
                               g.b.getIndexType(), type.getElementType());
    return g.buildFilled(getDims(type), number);
  }
};

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

/// The same arithmetic on narrow floats as upstream writes it. (It is that in
/// f32, rounded: rounding twice changes nothing there.)
Value buildDirect(B &b, Operation *op, ValueRange v) {
  if (v.empty() || !isa<FloatType>(getElementTypeOrSelf(v[0].getType())))
    return {};
  if (isa<AddOp>(op))
    return arith::AddFOp::create(b, v[0], v[1]);
  if (isa<SubOp>(op))
    return arith::SubFOp::create(b, v[0], v[1]);
  if (isa<MulOp>(op))
    return arith::MulFOp::create(b, v[0], v[1]);
  if (isa<FDivOp>(op))
    return arith::DivFOp::create(b, v[0], v[1]);
  if (isa<MaxOp>(op))
    return arith::MaximumFOp::create(b, v[0], v[1]);
  return {};
}

struct ConvertElementwise : ConversionPattern {
  ConvertElementwise(const TypeConverter &types, MLIRContext *context,
                     ConversionState &state)
      : ConversionPattern(types, MatchAnyOpTypeTag(), 1, context),
        state(state) {
    // What an operation is composed of is converted by this pattern, too.
    setHasBoundedRewriteRecursion();
  }

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isElementwiseOp(op))
      return rewriter.notifyMatchFailure(op, "not elementwise");
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !op->getParentOfType<func::FuncOp>())
      return state.fail(op, "is not on tensors, in a function");
    // An operation of another dialect becomes those it is composed of, and
    // these are converted.
    if (auto composed = dyn_cast<ComposedOpInterface>(op)) {
      rewriter.replaceOp(op, composed.compose(rewriter, op->getOperands()));
      return success();
    }
    B b(op->getLoc(), rewriter);
    GraphBuilder g(b, op, state);
    SmallVector<AffineMap> maps(operands.size(),
                                b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<Type> elements =
        llvm::map_to_vector(op->getOperandTypes(), [](Type operand) {
          return getElementTypeOrSelf(operand);
        });
    bool isKnown = true;
    Value result = g.buildParallel(
        getDims(type), type.getElementType(), operands, maps, elements,
        [&](B &inner, ValueRange values) -> Value {
          if (Value direct = buildDirect(inner, op, values))
            return direct;
          Value value = g.arithmetic.buildElementwise(inner, op, values);
          isKnown = bool(value);
          if (!value)
            value = emission::buildZero(
                inner, g.arithmetic.getRegisterType(type.getElementType()));
          return value;
        });
    if (!isKnown)
      return state.fail(op, "has no arithmetic that is known");
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  ConversionState &state;
};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

struct ConvertReduce : GraphPattern<ReduceOp> {
  using GraphPattern::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &g, ReduceOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    ArrayRef<int64_t> axes = op.getAxes();
    if (axes.empty())
      return adaptor.getX();
    Type element = type.getElementType();
    bool isFloat = isa<FloatType>(element);
    ReduceKind kind = op.getKind();
    // Sums of many narrow floats would lose what is added to them.
    bool isWide = emission::isNarrowFloat(element) && kind != ReduceKind::max;
    Type wide = isWide ? Type(g.b.getF32Type()) : element;
    SmallVector<Dim> dims = getDims(type), kept; // 1 along the axes
    SmallVector<AffineExpr> exprs;
    SmallVector<utils::IteratorType> kinds(dims.size(),
                                           utils::IteratorType::parallel);
    for (auto [axis, dim] : llvm::enumerate(dims)) {
      if (llvm::is_contained(axes, int64_t(axis))) {
        kinds[axis] = utils::IteratorType::reduction;
        continue;
      }
      kept.push_back(dim);
      exprs.push_back(g.b.getAffineDimExpr(axis));
    }
    Value init = g.buildFilled(
        kept, arith::ConstantOp::create(
                  g.b, convertNumbers(getReduceIdentity(kind, wide))));
    AffineMap input = g.b.getMultiDimIdentityMap(dims.size());
    AffineMap output = AffineMap::get(dims.size(), 0, exprs, g.b.getContext());
    auto sum = linalg::GenericOp::create(
        g.b, init.getType(), adaptor.getX(), init,
        ArrayRef<AffineMap>{input, output}, kinds,
        [&](OpBuilder &builder, Location loc, ValueRange v) {
          B b(loc, builder);
          Value x = isWide ? g.arithmetic.buildWiden(b, v[0], element) : v[0];
          Value result =
              isFloat && kind == ReduceKind::max
                  ? Value(arith::MaximumFOp::create(b, v[1], x))
                  : emission::buildCombine(b, kind, v[1], x,
                                           element.isUnsignedInteger());
          linalg::YieldOp::create(b, result);
        });
    Value result = sum.getResult(0);
    if (isWide)
      result = g.buildParallel(
          kept, element, result, g.b.getMultiDimIdentityMap(kept.size()), wide,
          [&](B &b, ValueRange v) {
            return g.arithmetic.buildNarrow(b, v[0], element);
          });
    return g.buildWithAxes(result, dims, axes);
  }
};

/// Operations that compute the identity of their first operand.
template <typename OpTy> struct ConvertIdentity : GraphPattern<OpTy> {
  using GraphPattern<OpTy>::GraphPattern;
  FailureOr<Value> convert(GraphBuilder &, OpTy, typename OpTy::Adaptor adaptor,
                           RankedTensorType) const override {
    return adaptor.getX();
  }
};

} // namespace

void tgtolinalg::populateStructuredPatterns(RewritePatternSet &patterns,
                                            const TypeConverter &types,
                                            ConversionState &state) {
  patterns.add<ConvertConst, ConvertIota, ConvertDim, ConvertElementwise,
               ConvertReduce, ConvertIdentity<ContiguousOp>,
               ConvertIdentity<CopyOp>, ConvertIdentity<DetachOp>,
               ConvertIdentity<WithDerivativeOp>>(types, patterns.getContext(),
                                                  state);
}
