//===- Parts.cpp - parts and elements of tensors --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts what reads or writes parts of tensors. Positions that are numbers
/// or computed from sizes become movement operations. Those that are computed
/// from elements are compared with all positions: a part is a selection of
/// elements, and a tensor with a part written is a `where`.
///
//===----------------------------------------------------------------------===//

#include "TensorPattern.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::linalgtotg;

namespace {

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Where the positions of a part lie along one axis: at `start + i * step` for
/// `i` below `size`.
struct Positions {
  Dim start, size;
  int64_t step = 1;
  /// The converted index value of the first one, if `start` is not known.
  Value index;

  /// The position behind the last one, if `start` is known.
  Dim getEnd() const {
    if (step == 1 || size.is(0))
      return start + size;
    const Dim one(start.getAttr().getContext(), 1);
    return start + (size - one) * Dim(start.getAttr().getContext(), step) + one;
  }
};

/// The positions along all axes. Fails with a reason.
FailureOr<SmallVector<Positions>>
getPositions(OffsetSizeAndStrideOpInterface op, ValueRange offsets,
             ConversionState &state) {
  auto sizes = state.getSizes(op.getMixedSizes());
  if (!sizes)
    return state.fail(op, "has a size that is not computed from sizes");
  SmallVector<Positions> result;
  for (auto [start, size, stride] :
       llvm::zip_equal(op.getMixedOffsets(), *sizes, op.getMixedStrides())) {
    std::optional<int64_t> step = getConstantIntValue(stride);
    if (!step || *step < 0)
      return state.fail(op, "has a stride that is negative or computed");
    const bool isValue = isa<Value>(start);
    Positions &positions = result.emplace_back();
    positions.size = size;
    positions.step = *step;
    if (std::optional<Dim> known = state.getSize(start))
      positions.start = *known;
    else
      positions.index = offsets.front();
    if (isValue)
      offsets = offsets.drop_front();
  }
  return result;
}

/// The shape with 1 for all axes but one.
SmallVector<Dim> keepAxis(B &b, size_t rank, size_t axis, Dim size) {
  SmallVector<Dim> dims(rank, Dim(b.getContext(), 1));
  dims[axis] = size;
  return dims;
}

/// The numbers 0, 1, ... along one axis of a tensor of `rank`, as i64.
Value buildIota(B &b, size_t rank, size_t axis, Dim size) {
  return IotaOp::create(
      b, getTensorType(keepAxis(b, rank, axis, size), b.getI64Type()),
      int64_t(axis));
}

/// A number with an axis of size 1 for each of `dims`, repeated to these.
Value repeat(B &b, Value number, ArrayRef<Dim> dims) {
  SmallVector<Dim> ones(dims.size(), Dim(b.getContext(), 1));
  return buildExpand(b, buildReshape(b, number, ones), dims);
}

/// A size in each element of a tensor like `like`, whose elements are i64.
Value buildSize(B &b, Value like, Dim size) {
  SmallVector<Dim> dims = linalgtotg::getDims(like);
  if (std::optional<int64_t> number = size.getStatic())
    return buildConst(b, getTensorType(dims, b.getI64Type()),
                      b.getI64IntegerAttr(*number));
  Value value = DimOp::create(b, RankedTensorType::get({}, b.getI64Type()),
                              size.getAttr());
  return repeat(b, value, dims);
}

Value buildAnd(B &b, Value x, Value y) { return AndOp::create(b, x, y); }

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

struct ConvertExtractSlice : TensorPattern<tensor::ExtractSliceOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::ExtractSliceOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    auto all = getPositions(op, adaptor.getOffsets(), state);
    if (failed(all))
      return failure();
    FailureOr<Value> part = convertKnown(b, op, adaptor.getSource(), *all);
    if (failed(part))
      return failure();
    part = convertComputed(b, op, *part, *all);
    if (failed(part))
      return failure();
    return buildReshape(b, *part, tg::getDims(type));
  }

private:
  /// Axes whose positions are known. Others stay whole.
  FailureOr<Value> convertKnown(B &b, tensor::ExtractSliceOp op, Value x,
                                ArrayRef<Positions> all) const {
    SmallVector<Dim> sizes = linalgtotg::getDims(x);
    const Dim zero(b.getContext(), 0);
    View view = View::getRowMajor(b.getContext(), sizes);
    bool isStrided = false;
    SmallVector<Dim> from, to, shape;
    for (auto [axis, positions] : llvm::enumerate(all)) {
      if (positions.index) {
        from.push_back(zero);
        to.push_back(sizes[axis]);
        shape.push_back(sizes[axis]);
        continue;
      }
      const Dim begin = positions.start, size = positions.size,
                end = positions.getEnd(), step(b.getContext(), positions.step);
      if (!isWithin(begin, end, sizes[axis]))
        return state.fail(op, describePositions(begin, end, sizes[axis]));
      isStrided |= positions.step != 1;
      view.offset = view.offset + begin * view.strides[axis];
      view.strides[axis] = size.is(1) ? zero : view.strides[axis] * step;
      from.push_back(begin);
      to.push_back(end);
      shape.push_back(size);
    }
    if (!isStrided)
      return buildShrink(b, x, from, to);
    view.shape.assign(shape.begin(), shape.end());
    return Value(StridedOp::create(b, getTensorType(shape, getElement(x)), x,
                                   b.getArrayAttr({view.getAttr()})));
  }

  /// Axes whose positions are computed.
  FailureOr<Value> convertComputed(B &b, tensor::ExtractSliceOp op, Value x,
                                   ArrayRef<Positions> all) const {
    SmallVector<Dim> sizes = linalgtotg::getDims(x), dims, shape;
    SmallVector<int64_t> order, computed;
    SmallVector<Value> indices;
    for (auto [axis, positions] : llvm::enumerate(all)) {
      dims.push_back(positions.size);
      shape.push_back(positions.index ? Dim(b.getContext(), 1)
                                      : positions.size);
      if (!positions.index) {
        order.push_back(int64_t(axis));
        continue;
      }
      computed.push_back(int64_t(axis));
      Value index = buildIota(b, all.size(), axis, positions.size);
      if (positions.step != 1)
        index = MulOp::create(b, index,
                              buildConst(b, index, double(positions.step)));
      indices.push_back(AddOp::create(
          b, index, repeat(b, positions.index, linalgtotg::getDims(index))));
    }
    if (computed.empty())
      return x;
    for (int64_t axis : computed) {
      order.push_back(axis);
      shape.push_back(sizes[axis]);
    }
    std::string reason;
    Value part =
        buildSelected(b, buildReshape(b, buildPermute(b, x, order), shape),
                      dims, indices, reason);
    if (!part)
      return state.fail(op, reason);
    return part;
  }
};

struct ConvertInsertSlice : TensorPattern<tensor::InsertSliceOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::InsertSliceOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    auto all = getPositions(op, adaptor.getOffsets(), state);
    if (failed(all))
      return failure();
    const Dim zero(b.getContext(), 0);
    SmallVector<Dim> dims = tg::getDims(type), sizes, low, high;
    bool isMoved = true;
    for (auto [axis, positions] : llvm::enumerate(*all)) {
      if (positions.step == 0)
        return state.fail(op, "has the stride 0, so that several elements are "
                              "for one position");
      sizes.push_back(positions.size);
      isMoved &= !isCompared(positions);
      if (positions.index) {
        low.push_back(zero);
        high.push_back(zero);
        continue;
      }
      const Dim end = positions.getEnd();
      if (!isWithin(positions.start, end, dims[axis]))
        return state.fail(op,
                          describePositions(positions.start, end, dims[axis]));
      const bool isPadded = !isCompared(positions);
      low.push_back(isPadded ? positions.start : zero);
      high.push_back(isPadded ? dims[axis] - end : zero);
    }
    Value part = buildReshape(b, adaptor.getSource(), sizes);
    if (isMoved)
      return buildInsert(b, adaptor.getDest(), part, low);
    Value mask;
    FailureOr<Value> moved = compare(b, op, part, *all, dims, mask);
    if (failed(moved))
      return failure();
    return Value(WhereOp::create(b, buildPad(b, mask, low, high),
                                 buildPad(b, *moved, low, high),
                                 adaptor.getDest()));
  }

private:
  /// Whether padding does not move the part there.
  static bool isCompared(const Positions &positions) {
    return positions.index || positions.step != 1;
  }

  /// The part with the size of the result along axes that are compared, and
  /// where it is.
  FailureOr<Value> compare(B &b, tensor::InsertSliceOp op, Value part,
                           ArrayRef<Positions> all, ArrayRef<Dim> sizes,
                           Value &mask) const {
    const size_t rank = all.size();
    const Dim one(b.getContext(), 1);
    SmallVector<Dim> dims, shape;
    SmallVector<int64_t> order, selected;
    SmallVector<Value> indices, masks;
    for (auto [axis, positions] : llvm::enumerate(all)) {
      if (!isCompared(positions)) {
        dims.push_back(positions.size);
        shape.push_back(positions.size);
        order.push_back(int64_t(axis));
        continue;
      }
      dims.push_back(sizes[axis]);
      shape.push_back(one);
      Value index;
      masks.push_back(buildMask(b, positions, rank, axis, sizes[axis], index));
      // One position is that one wherever the mask is true.
      if (positions.size.is(1)) {
        order.push_back(int64_t(axis));
        continue;
      }
      selected.push_back(int64_t(axis));
      indices.push_back(index);
    }
    for (int64_t axis : selected) {
      order.push_back(axis);
      shape.push_back(all[axis].size);
    }
    for (Value &value : masks) {
      value = buildExpand(b, value, dims);
      mask = mask ? buildAnd(b, mask, value) : value;
    }
    if (selected.empty())
      return buildExpand(b, part, dims);
    std::string reason;
    Value result =
        buildSelected(b, buildReshape(b, buildPermute(b, part, order), shape),
                      dims, indices, reason);
    if (!result)
      return state.fail(op, reason);
    return result;
  }

  /// Where positions of the part are along an axis, and which of them.
  static Value buildMask(B &b, const Positions &positions, size_t rank,
                         size_t axis, Dim size, Value &index) {
    Value place = buildIota(b, rank, axis, size);
    Value start = positions.index
                      ? repeat(b, positions.index, linalgtotg::getDims(place))
                      : buildSize(b, place, positions.start);
    Value distance = SubOp::create(b, place, start);
    Value zero = buildConst(b, distance, 0.0);
    Value mask = buildReversed(b, CmpLtOp::create(b, distance, zero));
    index = distance;
    if (positions.step != 1) {
      Value step = buildConst(b, distance, double(positions.step));
      index = IDivOp::create(b, distance, step);
      Value rest = SubOp::create(b, distance, MulOp::create(b, index, step));
      mask = buildAnd(b, mask, CmpEqOp::create(b, rest, zero));
    }
    return buildAnd(
        b, mask,
        CmpLtOp::create(b, index, buildSize(b, index, positions.size)));
  }
};

struct ConvertConcat : TensorPattern<tensor::ConcatOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::ConcatOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    Dim zero(b.getContext(), 0);
    SmallVector<Dim> low(type.getRank(), zero);
    Value result = ConstOp::create(b, type, int64_t(0));
    for (Value part : adaptor.getInputs()) {
      result = buildInsert(b, result, part, low);
      low[op.getDim()] =
          low[op.getDim()] + linalgtotg::getDims(part)[op.getDim()];
    }
    return result;
  }
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

struct ConvertExtract : TensorPattern<tensor::ExtractOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::ExtractOp op, OpAdaptor adaptor,
                           RankedTensorType) const override {
    auto from = state.getSizes(getAsOpFoldResult(op.getIndices()));
    if (!from) {
      std::string reason;
      Value result = buildSelected(b, adaptor.getTensor(), {},
                                   adaptor.getIndices(), reason);
      if (!result)
        return state.fail(op, reason);
      return result;
    }
    SmallVector<Dim> to;
    Dim one(b.getContext(), 1);
    for (auto [begin, size] :
         llvm::zip_equal(*from, linalgtotg::getDims(adaptor.getTensor()))) {
      to.push_back(begin + one);
      if (!isWithin(begin, to.back(), size))
        return state.fail(op, describePositions(begin, to.back(), size));
    }
    return buildReshape(b, buildShrink(b, adaptor.getTensor(), *from, to), {});
  }
};

struct ConvertInsert : TensorPattern<tensor::InsertOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::InsertOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    SmallVector<Dim> dims = tg::getDims(type);
    Value isHere = ConstOp::create(b, type.clone(b.getI1Type()), int64_t(1));
    for (auto [axis, index] : llvm::enumerate(adaptor.getIndices())) {
      Value wanted = repeat(b, index, dims);
      Value position = IotaOp::create(b, getTensorType(dims, getElement(index)),
                                      int64_t(axis));
      isHere = AndOp::create(b, isHere, CmpEqOp::create(b, wanted, position));
    }
    return Value(WhereOp::create(
        b, isHere, repeat(b, adaptor.getScalar(), dims), adaptor.getDest()));
  }
};

struct ConvertGather : TensorPattern<tensor::GatherOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::GatherOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    Value source = adaptor.getSource(), indices = adaptor.getIndices();
    ArrayRef<int64_t> gathered = op.getGatherDims();
    SmallVector<Dim> sizes = linalgtotg::getDims(source);
    SmallVector<Dim> indexSizes = linalgtotg::getDims(indices);
    Dim zero(b.getContext(), 0), one(b.getContext(), 1);
    // One index for each place; then the axes of the source that are whole.
    SmallVector<Dim> dims(ArrayRef<Dim>(indexSizes).drop_back());
    const size_t numPlaces = dims.size();
    SmallVector<Dim> shape(numPlaces, one), indexShape(dims);
    SmallVector<int64_t> order;
    for (auto [axis, size] : llvm::enumerate(sizes))
      if (!llvm::is_contained(gathered, int64_t(axis))) {
        order.push_back(int64_t(axis));
        dims.push_back(size);
        shape.push_back(size);
        indexShape.push_back(one);
      }
    for (int64_t axis : gathered) {
      order.push_back(axis);
      shape.push_back(sizes[axis]);
    }
    SmallVector<Value> selecting;
    for (size_t i = 0; i < gathered.size(); ++i) {
      SmallVector<Dim> from(indexSizes.size(), zero), to(indexSizes);
      from.back() = Dim(b.getContext(), int64_t(i));
      to.back() = from.back() + one;
      selecting.push_back(
          buildReshape(b, buildShrink(b, indices, from, to), indexShape));
    }
    std::string reason;
    Value result =
        buildSelected(b, buildReshape(b, buildPermute(b, source, order), shape),
                      dims, selecting, reason);
    if (!result)
      return state.fail(op, reason);
    // Gathered axes may stay, with size 1.
    return buildReshape(b, result, tg::getDims(type));
  }
};

/// Each position of the result is compared with all that are written, of which
/// at most one is the same.
struct ConvertScatter : TensorPattern<tensor::ScatterOp> {
  using TensorPattern::TensorPattern;
  FailureOr<Value> convert(B &b, tensor::ScatterOp op, OpAdaptor adaptor,
                           RankedTensorType type) const override {
    Value indices = adaptor.getIndices(), dest = adaptor.getDest();
    if (isFp8(type.getElementType()))
      return state.fail(op, "writes elements of an 8-bit float type, with "
                            "which tg does not compute");
    const Dim zero(b.getContext(), 0), one(b.getContext(), 1);
    SmallVector<Dim> sizes = tg::getDims(type);
    SmallVector<Dim> indexSizes = linalgtotg::getDims(indices);
    const size_t rank = sizes.size();
    ArrayRef<int64_t> scattered = op.getScatterDims();
    const Dim count =
        getNumElements(b.getContext(), ArrayRef<Dim>(indexSizes).drop_back());
    // An axis for each of the result, and one for what is written.
    SmallVector<Dim> all(sizes), compared(rank, one), slices{count}, shape;
    SmallVector<int64_t> order;
    for (auto [axis, size] : llvm::enumerate(sizes)) {
      const bool isScattered = llvm::is_contained(scattered, int64_t(axis));
      shape.push_back(isScattered ? one : size);
      if (isScattered) {
        compared[axis] = size;
        continue;
      }
      slices.push_back(size);
      order.push_back(int64_t(slices.size()) - 1);
    }
    order.push_back(0);
    for (SmallVector<Dim> *dims : {&all, &compared, &shape})
      dims->push_back(count);
    if (isTooLarge(all))
      return state.fail(op, "compares more positions than 63 bits count");

    Value flat = buildReshape(b, indices, {count, indexSizes.back()});
    Value mask;
    for (auto [i, axis] : llvm::enumerate(scattered)) {
      const Dim from(b.getContext(), int64_t(i));
      Value index = buildReshape(
          b, buildShrink(b, flat, {zero, from}, {count, from + one}),
          keepAxis(b, rank + 1, rank, count));
      Value position =
          IotaOp::create(b, getTensorType(compared, getElement(index)), axis);
      Value isHere =
          CmpEqOp::create(b, buildExpand(b, index, compared), position);
      mask = mask ? buildAnd(b, mask, isHere) : isHere;
    }
    Value source = buildReshape(b, adaptor.getSource(), slices);
    source = buildReshape(b, buildPermute(b, source, order), shape);
    source = buildExpand(b, source, all);
    auto reduce = [&](ReduceKind kind, Value x) {
      Value result = ReduceOp::create(b, kind, x, {int64_t(rank)});
      SmallVector<Dim> dims = linalgtotg::getDims(x);
      dims.pop_back();
      return buildExpand(b, buildReshape(b, result, dims), sizes);
    };
    Value written = reduce(ReduceKind::add,
                           WhereOp::create(b, buildExpand(b, mask, all), source,
                                           buildConst(b, source, 0.0)));
    return Value(
        WhereOp::create(b, reduce(ReduceKind::max, mask), written, dest));
  }
};

} // namespace

void linalgtotg::populatePartPatterns(RewritePatternSet &patterns,
                                      const TypeConverter &types,
                                      ConversionState &state) {
  patterns.add<ConvertExtractSlice, ConvertInsertSlice, ConvertConcat,
               ConvertExtract, ConvertInsert, ConvertGather, ConvertScatter>(
      types, patterns.getContext(), state);
}
