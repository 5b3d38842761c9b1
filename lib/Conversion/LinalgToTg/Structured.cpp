//===- Structured.cpp - structured operations of linalg -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts `linalg.generic` and the named operations, which all have indexing
/// maps, iterator types and a body. Each operand becomes a tensor with an axis
/// for each loop, of size 1 where it does not depend on the loop; the body is
/// evaluated on such tensors, which are expanded where two of them meet; what
/// is combined with an output along reduced loops becomes a `tg.reduce`.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "Converter.h"
#include "Selections.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::linalgtotg;

namespace {

/// The loops of one operation, and the tensors over them.
class Space {
public:
  Space(B &b, ArrayRef<Dim> loops) : b(b), loops(loops) {}

  size_t getRank() const { return loops.size(); }
  Dim getOne() const { return Dim(b.getContext(), 1); }

  /// The operand with an axis for each loop. None, with a reason, if its map is
  /// not linear.
  Value buildOperand(Value operand, AffineMap map, std::string &reason);
  /// The tensor of an output's shape: the reverse of its map.
  Value buildResult(Value value, AffineMap map, ArrayRef<Dim> dims);
  /// The index of a loop, as i64.
  Value buildIndex(size_t loop);
  /// Sizes: those of the loops that any of the tensors depends on.
  SmallVector<Dim> join(ValueRange values) const;
  /// Repeats the tensor along loops it does not depend on.
  Value expandAlong(Value value, const llvm::SmallBitVector &axes);

  /// Evaluates a body on values for the arguments of its block. Operations that
  /// depend on an argument without a value are left out.
  LogicalResult evaluate(Block &block, ArrayRef<Value> arguments,
                         ConversionPatternRewriter &rewriter,
                         DenseMap<Value, Value> &values, ConversionState &state,
                         Operation *root);

private:
  Value buildProjection(Value operand, AffineMap map);
  Value buildWindows(Value operand, ArrayRef<SmallVector<int64_t>> rows);
  Value buildLeaf(Operation *op, std::string &reason);
  /// Elements of a tensor at indices, one for each axis. An index that is not
  /// that of a loop selects a position: all others count as zero in a sum.
  /// Null, with a reason, if these are more than can be counted.
  Value buildExtract(tensor::ExtractOp op, Value tensor, ValueRange indices,
                     std::string &reason);

  B &b;
  SmallVector<Dim> loops;
};

} // namespace

/// Whether each result is another dimension, or a number.
static bool isProjection(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
  }
  return true;
}

Value Space::buildProjection(Value operand, AffineMap map) {
  SmallVector<Dim> from, to = getDims(operand), dims(getRank(), getOne());
  SmallVector<std::pair<int64_t, int64_t>> axes;
  SmallVector<int64_t> order;
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    from.push_back(Dim(b.getContext(), 0));
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      from.back() = Dim(b.getContext(), constant.getValue());
      to[axis] = from.back() + getOne();
      order.push_back(axis);
    } else {
      int64_t loop = cast<AffineDimExpr>(expr).getPosition();
      axes.emplace_back(loop, axis);
      dims[loop] = loops[loop];
    }
  }
  // Axes of size 1 come first.
  llvm::sort(axes);
  for (auto [loop, axis] : axes)
    order.push_back(axis);
  Value x = buildShrink(b, operand, from, to);
  return buildReshape(b, buildPermute(b, x, order), dims);
}

/// Row r: the coefficients of the loops in the index of axis r, and a constant.
Value Space::buildWindows(Value operand, ArrayRef<SmallVector<int64_t>> rows) {
  MLIRContext *context = b.getContext();
  SmallVector<Dim> sizes = getDims(operand);
  View view;
  view.offset = Dim(context, 0);
  view.shape.assign(getRank(), getOne());
  view.strides.assign(getRank(), Dim(context, 0));
  Dim stride = getOne();
  for (size_t axis = sizes.size(); axis-- > 0;) {
    ArrayRef<int64_t> row = rows[axis];
    for (size_t loop = 0; loop < getRank(); ++loop)
      if (row[loop] != 0) {
        view.shape[loop] = loops[loop];
        view.strides[loop] =
            view.strides[loop] + stride * Dim(context, row[loop]);
      }
    view.offset = view.offset + stride * Dim(context, row.back());
    stride = stride * sizes[axis];
  }
  for (size_t loop = 0; loop < getRank(); ++loop)
    if (view.shape[loop].is(1))
      view.strides[loop] = Dim(context, 0);
  return StridedOp::create(b, getTensorType(view.shape, getElement(operand)),
                           operand, b.getArrayAttr({view.getAttr()}));
}

Value Space::buildOperand(Value operand, AffineMap map, std::string &reason) {
  SmallVector<Dim> sizes = getDims(operand);
  if (isProjection(map)) {
    for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
      Dim size = sizes[axis];
      if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
        if (constant.getValue() >= 0 && constant.getValue() < size.getMin())
          continue;
        reason = "reads position " + std::to_string(constant.getValue()) +
                 " of an axis of size " + size.str() +
                 ", which may not have it";
        return {};
      }
      Dim loop = loops[cast<AffineDimExpr>(expr).getPosition()];
      if (loop == size)
        continue;
      // Part of the axis is read, which the loop's size does not leave.
      if ((size - loop).getMin() < 0) {
        reason = "reads " + loop.str() + " positions of an axis of size " +
                 size.str();
        return {};
      }
      sizes[axis] = loop;
    }
    SmallVector<Dim> from(sizes.size(), Dim(b.getContext(), 0));
    return buildProjection(buildShrink(b, operand, from, sizes), map);
  }
  SmallVector<SmallVector<int64_t>> rows;
  for (AffineExpr expr : map.getResults()) {
    SmallVector<int64_t> row;
    if (failed(getFlattenedAffineExpr(expr, map.getNumDims(), 0, &row)) ||
        row.size() != getRank() + 1) {
      reason = "has the indexing map " + llvm::formatv("{0}", map).str() +
               ", which is not linear; sums of loops times numbers are "
               "supported";
      return {};
    }
    rows.push_back(row);
  }
  return buildWindows(operand, rows);
}

Value Space::buildResult(Value value, AffineMap map, ArrayRef<Dim> dims) {
  SmallVector<int64_t> outputLoops, order;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      outputLoops.push_back(dim.getPosition());
  SmallVector<int64_t> sorted(outputLoops);
  llvm::sort(sorted);
  for (int64_t loop : outputLoops)
    order.push_back(llvm::lower_bound(sorted, loop) - sorted.begin());
  SmallVector<Dim> sizes = getDims(value), kept, withOnes;
  for (int64_t loop : sorted)
    kept.push_back(sizes[loop]);
  Value x = buildPermute(b, buildReshape(b, value, kept), order);
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    withOnes.push_back(dim ? sizes[dim.getPosition()] : getOne());
  }
  return buildExpand(b, buildReshape(b, x, withOnes), dims);
}

SmallVector<Dim> Space::join(ValueRange values) const {
  SmallVector<Dim> dims(getRank(), getOne());
  for (Value value : values)
    for (auto [dim, size, loop] :
         llvm::zip_equal(dims, linalgtotg::getDims(value), loops))
      if (!size.is(1))
        dim = loop;
  return dims;
}

Value Space::expandAlong(Value value, const llvm::SmallBitVector &axes) {
  SmallVector<Dim> dims = getDims(value);
  for (unsigned axis : axes.set_bits())
    dims[axis] = loops[axis];
  return buildExpand(b, value, dims);
}

Value Space::buildIndex(size_t loop) {
  SmallVector<Dim> dims(getRank(), getOne());
  dims[loop] = loops[loop];
  return IotaOp::create(b, getTensorType(dims, b.getI64Type()), int64_t(loop));
}

/// What depends on no operand. Null, with a reason, if it is not supported.
Value Space::buildLeaf(Operation *op, std::string &reason) {
  SmallVector<Dim> dims(getRank(), getOne());
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return buildIndex(index.getDim());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Type element = convertElementType(constant.getType());
    TypedAttr number =
        element ? convertNumbers(constant.getValue(), element) : TypedAttr();
    if (number)
      return buildConst(b, getTensorType(dims, element), number);
  }
  reason = "is not supported there";
  return {};
}

/// The loop whose index a value in a body is.
static std::optional<unsigned> getLoop(Value value) {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return index.getDim();
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument &&
      isa_and_nonnull<tensor::GenerateOp>(argument.getOwner()->getParentOp()))
    return argument.getArgNumber();
  return std::nullopt;
}

Value Space::buildExtract(tensor::ExtractOp op, Value tensor,
                          ValueRange indices, std::string &reason) {
  SmallVector<Dim> sizes = getDims(tensor), dims = join({});
  // Axes that run with a loop come first, in the order of these.
  SmallVector<std::pair<int64_t, int64_t>> aligned;
  SmallVector<int64_t> selected;
  llvm::SmallBitVector isTaken(getRank());
  for (auto [axis, index] : llvm::enumerate(op.getIndices())) {
    std::optional<unsigned> loop = getLoop(index);
    if (loop && !isTaken.test(*loop) && loops[*loop] == sizes[axis]) {
      isTaken.set(*loop);
      dims[*loop] = sizes[axis];
      aligned.emplace_back(*loop, axis);
    } else {
      selected.push_back(axis);
    }
  }
  llvm::sort(aligned);
  SmallVector<int64_t> order;
  for (auto [loop, axis] : aligned)
    order.push_back(axis);
  SmallVector<Value> selecting;
  for (int64_t axis : selected) {
    order.push_back(axis);
    dims.push_back(sizes[axis]);
    selecting.push_back(indices[axis]);
  }
  Value x = buildReshape(b, buildPermute(b, tensor, order), dims);
  if (selected.empty())
    return x;
  SmallVector<Dim> result = join(selecting);
  for (unsigned loop : isTaken.set_bits())
    result[loop] = loops[loop];
  return buildSelected(b, x, result, selecting, reason);
}

LogicalResult Space::evaluate(Block &block, ArrayRef<Value> arguments,
                              ConversionPatternRewriter &rewriter,
                              DenseMap<Value, Value> &values,
                              ConversionState &state, Operation *root) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    if (value)
      values[argument] = value;
  // What is defined outside of the body is one number for all positions.
  auto get = [&](Value v) -> Value {
    if (Value known = values.lookup(v))
      return known;
    if (v.getParentBlock() == &block)
      return {};
    Value outer = rewriter.getRemappedValue(v);
    auto type = outer ? dyn_cast<RankedTensorType>(outer.getType())
                      : RankedTensorType();
    if (!type || type.getRank() != 0 || isa<RankedTensorType>(v.getType()))
      return {};
    return values[v] =
               buildReshape(b, outer, SmallVector<Dim>(getRank(), getOne()));
  };
  auto depends = [&](Value v) {
    return v.getParentBlock() == &block && !values.contains(v);
  };
  for (Operation &op : block.without_terminator()) {
    if (isa<cf::AssertOp>(op)) {
      if (!state.ignoresAssertions)
        return state.fail(root, "has a 'cf.assert' in its body, which " +
                                    kAssertionReason);
      continue;
    }
    if (llvm::any_of(op.getOperands(), depends))
      continue;
    std::string reason;
    Value result;
    auto extract = dyn_cast<tensor::ExtractOp>(&op);
    SmallVector<Value> operands = llvm::map_to_vector(
        extract ? OperandRange(extract.getIndices()) : op.getOperands(), get);
    if (extract) {
      Value tensor = extract.getTensor().getParentBlock() == &block
                         ? Value()
                         : rewriter.getRemappedValue(extract.getTensor());
      auto type = tensor ? dyn_cast<RankedTensorType>(tensor.getType())
                         : RankedTensorType();
      if (!type || llvm::is_contained(operands, Value()))
        reason = "reads a tensor that tg cannot select elements of";
      else
        result = buildExtract(extract, tensor, operands, reason);
    } else if (op.getNumOperands() == 0) {
      result = buildLeaf(&op, reason);
    } else if (op.getNumRegions() != 0 ||
               llvm::is_contained(operands, Value())) {
      reason = "is not supported there";
    } else {
      SmallVector<Dim> dims = join(operands);
      for (Value &operand : operands)
        operand = buildExpand(b, operand, dims);
      result = buildArithmetic(b, &op, operands, reason);
    }
    if (!result)
      return state.fail(root, "has a '" + op.getName().getStringRef() +
                                  "' in its body, which " + reason);
    values[op.getResult(0)] = result;
  }
  // A body may yield what is defined outside.
  for (Value v : block.getTerminator()->getOperands())
    if (!get(v) && !depends(v))
      return state.fail(root, "yields a value that is not a number");
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// How `tg.reduce` does what an operation of `arith` combines.
struct Combiner {
  ReduceKind kind;
  /// Operands are read as unsigned, and reversed for a minimum.
  bool isUnsigned = false, isReversed = false;
  /// NaNs do not count.
  bool skipsNan = false;
  /// Sums of bools wrap: whether the number of true elements is odd.
  bool isParity = false;
};
} // namespace

static std::optional<Combiner> getCombiner(Operation *op) {
  bool isBool = getElementTypeOrSelf(op->getResult(0)).isInteger(1);
  Combiner add{ReduceKind::add}, mul{ReduceKind::mul}, max{ReduceKind::max};
  Combiner min{ReduceKind::max, false, true};
  Combiner maxUnsigned{ReduceKind::max, true};
  Combiner minUnsigned{ReduceKind::max, true, true};
  Combiner parity{ReduceKind::add, false, false, false, true};
  using Result = std::optional<Combiner>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddFOp>([&](auto) { return add; })
      .Case<arith::MulFOp, arith::MulIOp>([&](auto) { return mul; })
      .Case<arith::AddIOp>([&](auto) { return isBool ? parity : add; })
      .Case<arith::MaximumFOp>([&](auto) { return max; })
      .Case<arith::MinimumFOp>([&](auto) { return min; })
      .Case<arith::MaxNumFOp>(
          [&](auto) { return Combiner{ReduceKind::max, false, false, true}; })
      .Case<arith::MinNumFOp>(
          [&](auto) { return Combiner{ReduceKind::max, false, true, true}; })
      // true is -1 where bools are signed.
      .Case<arith::MaxSIOp>([&](auto) { return isBool ? mul : max; })
      .Case<arith::MinSIOp>([&](auto) { return isBool ? max : min; })
      .Case<arith::MaxUIOp>([&](auto) { return isBool ? max : maxUnsigned; })
      .Case<arith::MinUIOp>([&](auto) { return isBool ? mul : minUnsigned; })
      .Case<arith::OrIOp>([&](auto) { return isBool ? Result(max) : Result(); })
      .Case<arith::AndIOp>(
          [&](auto) { return isBool ? Result(mul) : Result(); })
      .Case<arith::XOrIOp>(
          [&](auto) { return isBool ? Result(parity) : Result(); })
      .Default([](Operation *) { return Result(); });
}

/// Whether combining with `number` changes nothing, but maybe the sign of a
/// zero, which `tg.reduce` leaves open.
static bool isIdentity(const Combiner &combiner, TypedAttr number) {
  if (combiner.isUnsigned || combiner.isParity)
    return false;
  TypedAttr identity = getReduceIdentity(combiner.kind, number.getType());
  if (auto value = dyn_cast<FloatAttr>(number)) {
    APFloat wanted = cast<FloatAttr>(identity).getValue();
    if (combiner.isReversed)
      wanted.changeSign();
    return value.getValue().compare(wanted) == APFloat::cmpEqual;
  }
  APInt wanted = cast<IntegerAttr>(identity).getValue();
  return cast<IntegerAttr>(number).getValue() ==
         (combiner.isReversed ? ~wanted : wanted);
}

/// Reduces along the axes, which keep size 1.
static Value buildReduce(B &b, const Combiner &combiner, Value x,
                         ArrayRef<int64_t> axes, bool mayBeNan) {
  if (combiner.isParity) {
    auto type = cast<RankedTensorType>(x.getType());
    Value bytes = CastOp::create(b, type.clone(b.getI8Type()), x);
    Value sum = ReduceOp::create(b, ReduceKind::add, bytes, axes);
    Value odd = AndOp::create(b, sum, buildConst(b, sum, 1.0));
    return CastOp::create(
        b, cast<RankedTensorType>(sum.getType()).clone(b.getI1Type()), odd);
  }
  if (combiner.isUnsigned)
    x = buildAsUnsigned(b, x);
  if (combiner.isReversed)
    x = buildReversed(b, x);
  Value hasNumber;
  if (combiner.skipsNan) {
    Value isNan = buildIsNan(b, x);
    Value lowest =
        buildConst(b, cast<RankedTensorType>(x.getType()),
                   getReduceIdentity(ReduceKind::max, getElement(x)));
    if (mayBeNan)
      hasNumber =
          ReduceOp::create(b, ReduceKind::max, CmpEqOp::create(b, x, x), axes);
    x = WhereOp::create(b, isNan, lowest, x);
  }
  Value result = ReduceOp::create(b, combiner.kind, x, axes);
  if (hasNumber) {
    auto element = cast<FloatType>(getElement(result));
    Value nan = buildConst(
        b, cast<RankedTensorType>(result.getType()),
        FloatAttr::get(element, APFloat::getNaN(element.getFloatSemantics())));
    result = WhereOp::create(b, hasNumber, result, nan);
  }
  if (combiner.isReversed)
    result = buildReversed(b, result);
  return combiner.isUnsigned ? buildAsSigned(b, result) : result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

struct ConvertStructured
    : public OpInterfaceConversionPattern<linalg::LinalgOp> {
  ConvertStructured(const TypeConverter &types, MLIRContext *context,
                    ConversionState &state)
      : OpInterfaceConversionPattern(types, context), state(state) {}

  LogicalResult
  matchAndRewrite(linalg::LinalgOp op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return state.fail(op, "works on memory; tensors are supported");
    if (llvm::any_of(op.getIndexingMapsArray(),
                     [](AffineMap map) { return map.getNumSymbols() != 0; }))
      return state.fail(op, "has indexing maps with symbols");
    B b(op.getLoc(), rewriter);
    FailureOr<SmallVector<Dim>> loops = getLoops(op, operands);
    if (failed(loops))
      return failure();
    if (isTooLarge(*loops))
      return state.fail(op, "has loops " + toString(*loops) +
                                ", whose positions 63 bits do not count");
    Space space(b, *loops);
    std::string reason;
    llvm::SmallBitVector reduced(loops->size());
    SmallVector<int64_t> axes;
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction) {
        reduced.set(loop);
        axes.push_back(loop);
      } else if (kind != utils::IteratorType::parallel) {
        return state.fail(op, "has a loop that is neither parallel nor a "
                              "reduction");
      }
    if (failed(checkOutputs(op, *loops, reduced)))
      return failure();

    // Values for the arguments of the body. Where loops are reduced, the
    // outputs are combined afterwards.
    SmallVector<Value> arguments;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isOutput = op.isDpsInit(&operand);
      Value &value = arguments.emplace_back();
      if (isOutput &&
          (reduced.any() || !op.payloadUsesValueFromOperand(&operand)))
        continue;
      value = space.buildOperand(operands[operand.getOperandNumber()],
                                 op.getMatchingIndexingMap(&operand), reason);
      if (!value)
        return state.fail(op, reason);
    }
    DenseMap<Value, Value> values;
    if (failed(space.evaluate(*op.getBlock(), arguments, rewriter, values,
                              state, op)))
      return failure();

    SmallVector<Value> results, inits;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      Value init = operands[output.getOperandNumber()];
      Value yielded = op.getMatchingYieldValue(&output)->get();
      AffineMap map = op.getMatchingIndexingMap(&output);
      SmallVector<Dim> dims = linalgtotg::getDims(init);
      if (reduced.none()) {
        results.push_back(space.buildResult(values.lookup(yielded), map, dims));
        continue;
      }
      Operation *combine = yielded.getDefiningOp();
      Value term = getTerm(op, output, combine);
      std::optional<Combiner> combiner;
      if (term && (term = values.lookup(term)))
        combiner = getCombiner(combine);
      if (combiner && isFp8(getElement(init)))
        return state.fail(op, "reduces elements of an 8-bit float type, with "
                              "which tg does not compute");
      if (!combiner) {
        const unsigned number =
            output.getOperandNumber() - op.getNumDpsInputs();
        if (inits.empty() && failed(buildInits(space, op, operands, inits)))
          return failure();
        Value x = buildSelection({b, op, *loops, reduced, values, inits},
                                 number, reason);
        if (!x)
          return failReduction(op, number, reason);
        results.push_back(space.buildResult(x, map, dims));
        continue;
      }
      TypedAttr number = getNumber(init);
      auto initFloat = dyn_cast_or_null<FloatAttr>(number);
      Value x = buildReduce(b, *combiner, space.expandAlong(term, reduced),
                            axes, !initFloat || initFloat.getValue().isNaN());
      x = space.buildResult(x, map, dims);
      if (!number || !isIdentity(*combiner, number))
        x = buildArithmetic(b, combine, {init, x}, reason);
      if (!x)
        return state.fail(op, "has a '" + combine->getName().getStringRef() +
                                  "' in its body, which " + reason);
      results.push_back(x);
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// Initial values of all outputs, with an axis for each loop.
  LogicalResult buildInits(Space &space, linalg::LinalgOp op,
                           ArrayRef<Value> operands,
                           SmallVector<Value> &inits) const {
    std::string reason;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      inits.push_back(space.buildOperand(operands[output.getOperandNumber()],
                                         op.getMatchingIndexingMap(&output),
                                         reason));
      if (!inits.back())
        return state.fail(op, reason);
    }
    return success();
  }

  LogicalResult failReduction(linalg::LinalgOp op, unsigned number,
                              StringRef selection) const {
    if (!selection.empty())
      return state.fail(op, "reduces loops and selects output " +
                                Twine(number) + " " + selection);
    return state.fail(
        op, "reduces loops, but output " + Twine(number) +
                " is not combined with what does not depend on an output, "
                "by one of arith.addf, addi, mulf, muli, maximumf, "
                "maxnumf, maxsi, maxui, minimumf, minnumf, minsi, minui, "
                "or of bools andi, ori, xori, nor selected by comparisons, "
                "as the position of a maximum");
  }

  /// How many positions each loop has. They follow from the operands.
  FailureOr<SmallVector<Dim>> getLoops(linalg::LinalgOp op,
                                       ArrayRef<Value> operands) const {
    SmallVector<Dim> loops(op.getNumLoops());
    SmallVector<bool> known(op.getNumLoops());
    // Outputs say it without doubt.
    auto visit = [&](OpOperand &operand) -> LogicalResult {
      Value value = operands[operand.getOperandNumber()];
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type)
        return state.fail(op, "has an operand of another type than tensors "
                              "and numbers");
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [expr, size] :
           llvm::zip_equal(map.getResults(), tg::getDims(type)))
        if (auto dim = dyn_cast<AffineDimExpr>(expr);
            dim && !known[dim.getPosition()]) {
          loops[dim.getPosition()] = size;
          known[dim.getPosition()] = true;
        }
      return success();
    };
    for (OpOperand &operand : op.getDpsInitsMutable())
      if (failed(visit(operand)))
        return failure();
    for (OpOperand *operand : op.getDpsInputOperands())
      if (failed(visit(*operand)))
        return failure();
    if (llvm::is_contained(known, false))
      return state.fail(op, "has a loop whose size is not that of an axis");
    return loops;
  }

  /// Each position of an output is written once, or by all positions of the
  /// reduced loops.
  LogicalResult checkOutputs(linalg::LinalgOp op, ArrayRef<Dim> loops,
                             const llvm::SmallBitVector &reduced) const {
    for (OpOperand &output : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&output);
      auto dims = tg::getDims(cast<RankedTensorType>(output.get().getType()));
      llvm::SmallBitVector seen(reduced);
      bool isFine = isProjection(map);
      for (auto [expr, size] : llvm::zip_equal(map.getResults(), dims)) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (dim) {
          isFine &= !reduced.test(dim.getPosition()) &&
                    loops[dim.getPosition()] == size;
          seen.set(dim.getPosition());
        } else {
          auto constant = dyn_cast<AffineConstantExpr>(expr);
          isFine &= constant && constant.getValue() == 0 && size.is(1);
        }
      }
      for (auto [loop, size] : llvm::enumerate(loops))
        isFine &= seen.test(loop) || size.is(1);
      if (!isFine)
        return state.fail(
            op, "has the indexing map " + llvm::formatv("{0}", map).str() +
                    " for an output; supported are those that list each "
                    "parallel loop, whole, and no reduced one");
    }
    return success();
  }

  /// What is combined with an output, if `combine` does it.
  static Value getTerm(linalg::LinalgOp op, OpOperand &output,
                       Operation *combine) {
    BlockArgument argument = op.getMatchingBlockArgument(&output);
    if (!combine || combine->getBlock() != op.getBlock() ||
        combine->getNumOperands() != 2 ||
        !llvm::is_contained(combine->getOperands(), argument))
      return {};
    return combine->getOperand(combine->getOperand(0) == argument ? 1 : 0);
  }

  ConversionState &state;
};

/// A body for each position.
struct ConvertGenerate : OpConversionPattern<tensor::GenerateOp> {
  ConvertGenerate(const TypeConverter &types, MLIRContext *context,
                  ConversionState &state)
      : OpConversionPattern(types, context), state(state) {}

  LogicalResult
  matchAndRewrite(tensor::GenerateOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    if (!type)
      return state.fail(op, "has elements of a type that tensors of tg do not "
                            "have");
    B b(op.getLoc(), rewriter);
    const SmallVector<Dim> dims = tg::getDims(type);
    Space space(b, dims);
    SmallVector<Value> positions;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      positions.push_back(space.buildIndex(axis));
    DenseMap<Value, Value> values;
    Block &body = op.getBody().front();
    if (failed(space.evaluate(body, positions, rewriter, values, state, op)))
      return failure();
    const Value yielded = values.lookup(body.getTerminator()->getOperand(0));
    rewriter.replaceOp(op, buildExpand(b, yielded, dims));
    return success();
  }

private:
  ConversionState &state;
};

} // namespace

void linalgtotg::populateStructuredPatterns(RewritePatternSet &patterns,
                                            const TypeConverter &types,
                                            ConversionState &state) {
  patterns.add<ConvertStructured, ConvertGenerate>(types, patterns.getContext(),
                                                   state);
}
