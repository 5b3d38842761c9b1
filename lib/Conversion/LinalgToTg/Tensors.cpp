//===- Tensors.cpp - operations of tensor, constants, arithmetic ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts what is around structured operations: other shapes of tensors,
/// constants, and arithmetic on tensors and numbers. A number is a tensor of
/// rank 0.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "Converter.h"
#include "TensorPattern.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/OpDefinition.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::linalgtotg;

std::optional<Dim> ConversionState::getSize(OpFoldResult value) const {
  if (auto attr = dyn_cast<Attribute>(value))
    return Dim(attr.getContext(), cast<IntegerAttr>(attr).getInt());
  auto it = sizes.find(cast<Value>(value));
  return it == sizes.end() ? std::nullopt : std::optional<Dim>(it->second);
}

std::optional<SmallVector<Dim>>
ConversionState::getSizes(ArrayRef<OpFoldResult> list) const {
  SmallVector<Dim> result;
  for (OpFoldResult value : list) {
    std::optional<Dim> size = getSize(value);
    if (!size)
      return std::nullopt;
    result.push_back(*size);
  }
  return result;
}

Value linalgtotg::buildInsert(B &b, Value into, Value part, ArrayRef<Dim> low) {
  SmallVector<Dim> high;
  for (auto [size, partSize, begin] : llvm::zip_equal(
           linalgtotg::getDims(into), linalgtotg::getDims(part), low))
    high.push_back(size - partSize - begin);
  Value padded = buildPad(b, part, low, high);
  if (padded == part)
    return part;
  TypedAttr number = getNumber(into);
  Attribute zero = getNumberAttr(getElement(into), 0.0);
  if (number && number == zero)
    return padded;
  Value ones = ConstOp::create(
      b, cast<RankedTensorType>(part.getType()).clone(b.getI1Type()),
      int64_t(1));
  return WhereOp::create(b, buildPad(b, ones, low, high), padded, into);
}

bool linalgtotg::isWithin(Dim from, Dim to, Dim size) {
  return isNeverNegative(from) && isNeverNegative(to - from) &&
         isNeverNegative(size - to);
}

std::string linalgtotg::describePositions(Dim from, Dim to, Dim size) {
  return "positions " + from.str() + " to " + to.str() +
         " of an axis of size " + size.str() +
         " are not known to exist for all sizes";
}

namespace {

Value buildZero(B &b, RankedTensorType type) {
  return ConstOp::create(b, type, int64_t(0));
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

struct ConvertConstant : TensorPattern<arith::ConstantOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, arith::ConstantOp op, OpAdaptor,
                           RankedTensorType type) const override {
    bool isNumber = !isa<ShapedType>(op.getType());
    TypedAttr value = op.getValue();
    if (isa<ElementsAttr>(value) && !isa<DenseElementsAttr>(value))
      return state.fail(op, "has elements that are not a dense attribute");
    value =
        convertNumbers(value, isNumber ? type.getElementType() : Type(type));
    if (!value)
      return state.fail(op, "has a type that constants of tg do not have");
    return Value(ConstOp::create(b, type, value));
  }
};

struct ConvertEmpty : TensorPattern<tensor::EmptyOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::EmptyOp, OpAdaptor,
                           RankedTensorType type) const override {
    // Elements are undefined, so that any will do.
    return buildZero(b, type);
  }
};

struct ConvertSplat : TensorPattern<tensor::SplatOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::SplatOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    SmallVector<Dim> dims = tg::getDims(type);
    SmallVector<Dim> ones(dims.size(), Dim(b.getContext(), 1));
    return buildExpand(b, buildReshape(b, adaptor.getInput(), ones), dims);
  }
};

struct ConvertFromElements : TensorPattern<tensor::FromElementsOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::FromElementsOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    MLIRContext *context = b.getContext();
    SmallVector<Dim> flat{Dim(context, type.getNumElements())};
    SmallVector<Dim> one{Dim(context, 1)};
    if (adaptor.getElements().empty())
      return buildZero(b, type);
    Value result = buildExpand(
        b, buildReshape(b, adaptor.getElements().front(), one), flat);
    for (auto [i, element] :
         llvm::drop_begin(llvm::enumerate(adaptor.getElements())))
      result = buildInsert(b, result, buildReshape(b, element, one),
                           Dim(context, int64_t(i)));
    return buildReshape(b, result, tg::getDims(type));
  }
};

/// A value computed from sizes, by whatever operations.
struct ConvertSize : ConversionPattern {
  ConvertSize(const TypeConverter &types, MLIRContext *context,
              ConversionState &state)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/2, context),
        state(state) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<Dim> size;
    if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex())
      size = state.getSize(op->getResult(0));
    if (!size)
      return rewriter.notifyMatchFailure(op, "not a known size");
    auto type = RankedTensorType::get({}, rewriter.getI64Type());
    if (std::optional<int64_t> number = size->getStatic())
      rewriter.replaceOpWithNewOp<ConstOp>(op, type,
                                           rewriter.getI64IntegerAttr(*number));
    else
      rewriter.replaceOpWithNewOp<DimOp>(op, type, size->getAttr());
    return success();
  }

private:
  ConversionState &state;
};

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The same elements in another shape.
template <typename OpTy> struct ConvertReshape : TensorPattern<OpTy> {
  using TensorPattern<OpTy>::TensorPattern;
  FailureOr<Value> convert(B &b, OpTy op, typename OpTy::Adaptor adaptor,
                           RankedTensorType type) const override {
    Value x = adaptor.getOperands().front();
    SmallVector<Dim> dims = tg::getDims(type);
    Dim from = getNumElements(b.getContext(), linalgtotg::getDims(x));
    Dim to = getNumElements(b.getContext(), dims);
    if (from != to)
      return this->state.fail(op, "makes " + from.str() + " elements " +
                                      to.str() +
                                      "; these are not known to be as many");
    return buildReshape(b, x, dims);
  }
};

/// A cast says more or less of sizes, which are all known.
struct ConvertCast : TensorPattern<tensor::CastOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::CastOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    if (adaptor.getSource().getType() == type)
      return adaptor.getSource();
    return state.fail(
        op, "changes " + toString(linalgtotg::getDims(adaptor.getSource())) +
                " to " + toString(tg::getDims(type)) +
                ", which are not known to be the same");
  }
};

struct ConvertPad : OpConversionPattern<tensor::PadOp> {
  ConvertPad(const TypeConverter &types, MLIRContext *context,
             ConversionState &state)
      : OpConversionPattern(types, context), state(state) {}

  LogicalResult
  matchAndRewrite(tensor::PadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    B b(op.getLoc(), rewriter);
    auto low = state.getSizes(op.getMixedLowPad());
    auto high = state.getSizes(op.getMixedHighPad());
    if (!low || !high)
      return state.fail(op, "pads by what is not computed from sizes");
    for (ArrayRef<Dim> amounts : {ArrayRef(*low), ArrayRef(*high)})
      for (Dim amount : amounts)
        if (!isNeverNegative(amount))
          return state.fail(op, "pads by " + amount.str() +
                                    ", which may be negative");
    Value padding = op.getConstantPaddingValue();
    if (!padding)
      return rewriter.notifyMatchFailure(op, "not one value, see decompose");
    Value x = adaptor.getSource();
    Type element = getElement(x);
    Value padded = buildPad(b, x, *low, *high);
    // A constant may be in the region, which is not converted.
    TypedAttr number;
    if (auto constant = padding.getDefiningOp<arith::ConstantOp>())
      number = convertNumbers(constant.getValue(), element);
    if (padded != x && (!number || number != getNumberAttr(element, 0.0))) {
      SmallVector<Dim> dims = linalgtotg::getDims(padded);
      SmallVector<Dim> ones(dims.size(), Dim(b.getContext(), 1));
      Value value;
      if (number)
        value = buildConst(b, getTensorType(dims, element), number);
      else if (Value outer = rewriter.getRemappedValue(padding))
        value = buildExpand(b, buildReshape(b, outer, ones), dims);
      else
        return state.fail(op, "pads with what is not a number");
      Value isInside = ConstOp::create(
          b, getTensorType(linalgtotg::getDims(x), b.getI1Type()), int64_t(1));
      padded =
          WhereOp::create(b, buildPad(b, isInside, *low, *high), padded, value);
    }
    rewriter.replaceOp(op, padded);
    return success();
  }

private:
  ConversionState &state;
};

/// Assertions that hold are left out.
struct ConvertAssert : OpConversionPattern<cf::AssertOp> {
  ConvertAssert(const TypeConverter &types, MLIRContext *context,
                ConversionState &state)
      : OpConversionPattern(types, context), state(state) {}

  LogicalResult
  matchAndRewrite(cf::AssertOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!state.ignoresAssertions && !state.holding.contains(op))
      return state.fail(op, kAssertionReason);
    rewriter.eraseOp(op);
    return success();
  }

private:
  ConversionState &state;
};

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// How the axes of a packed tensor, first those that count tiles and then those
/// within tiles, follow from the axes of the tensor.
class TiledAxes {
public:
  TiledAxes(ArrayRef<int64_t> tiled, ArrayRef<int64_t> outerOrder,
            ArrayRef<Dim> packed, size_t rank) {
    SmallVector<size_t> outerAt(rank), innerAt(rank, packed.size());
    for (size_t i = 0; i < rank; ++i)
      outerAt[outerOrder.empty() ? i : size_t(outerOrder[i])] = i;
    for (auto [i, axis] : llvm::enumerate(tiled))
      innerAt[axis] = rank + i;
    order.resize(packed.size());
    for (size_t axis = 0; axis < rank; ++axis) {
      order[outerAt[axis]] = int64_t(split.size());
      split.push_back(packed[outerAt[axis]]);
      padded.push_back(split.back());
      if (innerAt[axis] == packed.size())
        continue;
      order[innerAt[axis]] = int64_t(split.size());
      split.push_back(packed[innerAt[axis]]);
      padded.back() = padded.back() * split.back();
    }
  }

  /// The positions of an axis that have a place in tiles.
  Dim getPadded(size_t axis) const { return padded[axis]; }
  /// The number of tiles and the size of a tile, for each axis that has tiles,
  /// or the size of the axis.
  ArrayRef<Dim> getSplit() const { return split; }
  /// For each axis of the packed tensor, that of `getSplit`.
  ArrayRef<int64_t> getOrder() const { return order; }

private:
  SmallVector<Dim> split, padded;
  SmallVector<int64_t> order;
};

/// Tiles behind each other, as axes behind those that count them. The last tile
/// of an axis is padded.
struct ConvertPack : TensorPattern<linalg::PackOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, linalg::PackOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    Value x = adaptor.getSource();
    SmallVector<Dim> sizes = linalgtotg::getDims(x), packed = tg::getDims(type);
    const size_t rank = sizes.size();
    TiledAxes tiled(op.getInnerDimsPos(), op.getOuterDimsPerm(), packed, rank);
    Dim zero(b.getContext(), 0);
    SmallVector<Dim> low(rank, zero), high;
    for (auto [axis, size] : llvm::enumerate(sizes)) {
      high.push_back(tiled.getPadded(axis) - size);
      if (!isNeverNegative(high.back()))
        return state.fail(op, "has tiles for " + tiled.getPadded(axis).str() +
                                  " positions of axis " + Twine(axis) +
                                  ", which are not known to be all " +
                                  size.str() + " for all sizes");
    }
    Value padded = buildPad(b, x, low, high);
    if (padded != x && adaptor.getPaddingValue()) {
      SmallVector<Dim> all = linalgtotg::getDims(padded);
      SmallVector<Dim> ones(rank, Dim(b.getContext(), 1));
      padded = buildInsert(
          b,
          buildExpand(b, buildReshape(b, adaptor.getPaddingValue(), ones), all),
          x, low);
    }
    return buildPermute(b, buildReshape(b, padded, tiled.getSplit()),
                        tiled.getOrder());
  }
};

struct ConvertUnPack : TensorPattern<linalg::UnPackOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, linalg::UnPackOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    Value x = adaptor.getSource();
    SmallVector<Dim> sizes = tg::getDims(type), packed = linalgtotg::getDims(x);
    const size_t rank = sizes.size();
    TiledAxes tiled(op.getInnerDimsPos(), op.getOuterDimsPerm(), packed, rank);
    SmallVector<Dim> padded, from(rank, Dim(b.getContext(), 0));
    for (auto [axis, size] : llvm::enumerate(sizes)) {
      padded.push_back(tiled.getPadded(axis));
      if (!isNeverNegative(padded.back() - size))
        return state.fail(op,
                          describePositions(from[axis], size, padded.back()));
    }
    const SmallVector<int64_t> back = invertPermutationVector(tiled.getOrder());
    return buildShrink(b, buildReshape(b, buildPermute(b, x, back), padded),
                       from, sizes);
  }
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Operations of `arith` and `math` on tensors, and on numbers.
struct ConvertArithmetic : ConversionPattern {
  ConvertArithmetic(const TypeConverter &types, MLIRContext *context,
                    ConversionState &state)
      : ConversionPattern(types, MatchAnyOpTypeTag(), 1, context),
        state(state) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) ||
        isa<arith::ConstantOp>(op))
      return failure();
    B b(op->getLoc(), rewriter);
    // A select of tensors may have one condition for all elements.
    SmallVector<Value> same(operands);
    SmallVector<Dim> dims;
    for (Value operand : operands)
      if (auto type = dyn_cast<RankedTensorType>(operand.getType())) {
        if (type.getRank() != 0)
          dims = tg::getDims(type);
      } else {
        return state.fail(op, "has an operand that is not a tensor or number");
      }
    for (Value &operand : same)
      if (cast<RankedTensorType>(operand.getType()).getRank() == 0)
        operand = buildExpand(
            b,
            buildReshape(b, operand,
                         SmallVector<Dim>(dims.size(), Dim(b.getContext(), 1))),
            dims);
    for (Value operand : same)
      if (linalgtotg::getDims(operand) != dims)
        return state.fail(op, "has operands of shapes " + toString(dims) +
                                  " and " +
                                  toString(linalgtotg::getDims(operand)) +
                                  ", which are not known to be equal");
    std::string reason;
    Value result = buildArithmetic(b, op, same, reason);
    if (!result)
      return state.fail(op, reason);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  ConversionState &state;
};

} // namespace

void linalgtotg::populateTensorPatterns(RewritePatternSet &patterns,
                                        const TypeConverter &types,
                                        ConversionState &state) {
  patterns.add<ConvertConstant, ConvertEmpty, ConvertSplat, ConvertFromElements,
               ConvertSize, ConvertReshape<tensor::ExpandShapeOp>,
               ConvertReshape<tensor::CollapseShapeOp>,
               ConvertReshape<tensor::ReshapeOp>, ConvertCast, ConvertPad,
               ConvertAssert, ConvertPack, ConvertUnPack, ConvertArithmetic>(
      types, patterns.getContext(), state);
}
