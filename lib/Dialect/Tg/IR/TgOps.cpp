//===- TgOps.cpp - operations on tensors ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shape inference and verifiers of the elementwise and tensor operations.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

bool mlir::tg::isMovementOp(Operation *op) {
  return isa<MovementOpInterface>(op) && !isa<StridedOp>(op);
}

bool mlir::tg::isElementwiseOp(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() &&
         (isa_and_nonnull<TgDialect>(op->getDialect()) ||
          (isa<ElementwiseOpInterface>(op) && isa<ComposedOpInterface>(op)));
}

bool mlir::tg::isNumber(Operation *op) {
  while (isa_and_nonnull<CastOp, BitcastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<ConstOp, DimOp>(op);
}

bool mlir::tg::isElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return integer.isSignless();
    return !integer.isSigned() &&
           (width == 8 || width == 16 || width == 32 || width == 64);
  }
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}

bool mlir::tg::isBufferType(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.getRank() == 1 && buffer.getLayout().isIdentity() &&
         isElementType(buffer.getElementType()) &&
         (!buffer.hasStaticShape() || buffer.getDimSize(0) <= kMaxBufferSize);
}

bool mlir::tg::isSignedInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isUnsigned() && integer.getWidth() > 1;
}

TypedAttr mlir::tg::getNumberAttr(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType, value);
  return getNumberAttr(type, static_cast<int64_t>(value));
}

TypedAttr mlir::tg::getNumberAttr(Type type, int64_t value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType, static_cast<double>(value));
  unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  APInt bits(64, static_cast<uint64_t>(value));
  return IntegerAttr::get(type, bits.trunc(width));
}

TypedAttr mlir::tg::getReduceIdentity(ReduceKind kind, Type type) {
  if (kind == ReduceKind::add)
    return getNumberAttr(type, int64_t(0));
  if (kind == ReduceKind::mul)
    return getNumberAttr(type, int64_t(1));
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType,
                          APFloat::getInf(floatType.getFloatSemantics(), true));
  unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  bool isSigned = isa<IndexType>(type) || isSignedInteger(type);
  return IntegerAttr::get(type, isSigned ? APInt::getSignedMinValue(width)
                                         : APInt::getZero(width));
}

TypedAttr mlir::tg::getScanIdentity(ScanKind kind, Type type) {
  switch (kind) {
  case ScanKind::add:
    return getReduceIdentity(ReduceKind::add, type);
  case ScanKind::mul:
    return getReduceIdentity(ReduceKind::mul, type);
  case ScanKind::max:
  case ScanKind::logaddexp:
    return getReduceIdentity(ReduceKind::max, type);
  }
  llvm_unreachable("unknown scan");
}

bool mlir::tg::isFp8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}

SmallVector<Value> mlir::tg::getConjuncts(Value condition) {
  SmallVector<Value> conjuncts, stack{condition};
  llvm::SmallDenseSet<Value, 8> seen;
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto both = value.getDefiningOp<AndOp>())
      stack.append({both.getRhs(), both.getLhs()});
    else
      conjuncts.push_back(value);
  }
  return conjuncts;
}

MemRefType mlir::tg::getBufferType(Type elementType, int64_t count,
                                   Attribute memorySpace) {
  return MemRefType::get({count}, elementType, MemRefLayoutAttrInterface(),
                         memorySpace);
}

int64_t mlir::tg::getBufferBytes(MemRefType type) {
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return INT64_MAX;
  return bytes;
}

/// Emits an error that names both shapes, and values of variables for which
/// they differ.
static LogicalResult emitShapeError(Operation *op, StringRef what,
                                    RankedTensorType from, RankedTensorType to,
                                    ArrayRef<Dim> lhs = ArrayRef<Dim>(),
                                    ArrayRef<Dim> rhs = ArrayRef<Dim>()) {
  return op->emitOpError() << what << ": " << toString(getDims(from)) << " to "
                           << toString(getDims(to))
                           << explainDifference(lhs, rhs);
}

static LogicalResult checkAxes(std::optional<Location> loc, StringRef name,
                               ArrayRef<int64_t> axes, int64_t rank) {
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis >= rank)
      return emitOptionalError(loc, "'", name, "' op axis ", axis,
                               " is out of range for rank ", rank, " (C1)");
    if (i > 0 && axes[i - 1] >= axis)
      return emitOptionalError(loc, "'", name, "' op axis ", axis, " after ",
                               axes[i - 1],
                               ": axes are strictly increasing (C1)");
  }
  return success();
}

/// The tensor type with these sizes, or an error if it would be invalid.
static LogicalResult inferTensorType(std::optional<Location> loc,
                                     StringRef name, ArrayRef<Dim> dims,
                                     Type elementType,
                                     SmallVectorImpl<Type> &types) {
  MLIRContext *context = elementType.getContext();
  // Without a location, errors are not reported.
  auto emitError = [&] {
    InFlightDiagnostic diag =
        mlir::emitError(loc.value_or(UnknownLoc::get(context)));
    if (!loc)
      diag.abandon();
    return std::move(diag << "'" << name << "' op ");
  };
  SmallVector<int64_t> sizes;
  bool isSymbolic = false;
  for (Dim dim : dims) {
    std::optional<int64_t> value = dim.getStatic();
    // At the int64 limits, the size was saturated.
    if (value == std::numeric_limits<int64_t>::max())
      return emitError() << "makes a size that does not fit into 64 bits";
    isSymbolic |= !value;
    sizes.push_back(value.value_or(ShapedType::kDynamic));
  }
  if (failed(checkNumElements(dims, emitError)))
    return failure();
  ShapeAttr encoding;
  if (isSymbolic) {
    auto attrs =
        llvm::map_to_vector(dims, [](Dim dim) { return dim.getAttr(); });
    encoding =
        ShapeAttr::getChecked(emitError, context, ArrayRef<Attribute>(attrs));
    if (!encoding)
      return failure();
  }
  auto type = RankedTensorType::getChecked(emitError, sizes, elementType,
                                           Attribute(encoding));
  if (!type)
    return failure();
  types.push_back(type);
  return success();
}

/// Checks the positions of pad and shrink.
static LogicalResult checkPositions(std::optional<Location> loc, StringRef name,
                                    ArrayAttr positions) {
  auto emitError = [&] {
    InFlightDiagnostic diag =
        mlir::emitError(loc.value_or(UnknownLoc::get(positions.getContext())));
    if (!loc)
      diag.abandon();
    return std::move(diag << "'" << name << "' op ");
  };
  return checkFits(positions.getValue(), emitError);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

#define INFER_BOOL(OP)                                                         \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *context, std::optional<Location>, ValueRange operands,      \
      DictionaryAttr, OpaqueProperties, RegionRange,                           \
      SmallVectorImpl<Type> &types) {                                          \
    Type boolType = IntegerType::get(context, 1);                              \
    Type type = operands[0].getType();                                         \
    if (auto shaped = dyn_cast<ShapedType>(type))                              \
      boolType = shaped.clone(boolType);                                       \
    types.push_back(boolType);                                                 \
    return success();                                                          \
  }
INFER_BOOL(CmpLtOp)
INFER_BOOL(CmpEqOp)
INFER_BOOL(CmpNeOp)
#undef INFER_BOOL

/// Verifies that operand and result have the same shape. The trait only sees
/// that symbolic dimensions are `?` in both.
static LogicalResult verifySameShape(Operation *op) {
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (from && to && tg::getDims(from) != tg::getDims(to))
    return emitShapeError(op, "changes the shape (C1)", from, to,
                          tg::getDims(from), tg::getDims(to));
  return success();
}

LogicalResult CastOp::verify() {
  if (failed(verifySameShape(*this)))
    return failure();
  Type from = getElementTypeOrSelf(getX()),
       to = getElementTypeOrSelf(getResult());
  if (isa<IndexType>(from) != isa<IndexType>(to)) {
    Type other = isa<IndexType>(from) ? to : from;
    if (!isa<IntegerType>(other))
      return emitOpError("index converts only to and from integers and bool, "
                         "not ")
             << other << " (C2)";
  }
  return success();
}

LogicalResult BitcastOp::verify() {
  if (failed(verifySameShape(*this)))
    return failure();
  Type from = getElementTypeOrSelf(getX()),
       to = getElementTypeOrSelf(getResult());
  for (Type type : {from, to})
    if (isa<IndexType>(type) || type.isInteger(1))
      return emitOpError("cannot reinterpret ") << type << " (C2)";
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError("element types differ in width: ")
           << from << " and " << to << " (C2)";
  return success();
}

ParseResult WhereOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  Type type;
  if (parser.parseOperandList(operands, 3) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  Type condition = parser.getBuilder().getI1Type();
  if (auto shaped = dyn_cast<ShapedType>(type))
    condition = shaped.clone(condition);
  result.addTypes(type);
  return parser.resolveOperands(operands, {condition, type, type},
                                parser.getCurrentLocation(), result.operands);
}

void WhereOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getType();
}

LogicalResult WhereOp::verify() {
  Type expected = IntegerType::get(getContext(), 1);
  if (auto shaped = dyn_cast<ShapedType>(getType()))
    expected = shaped.clone(expected);
  if (getCondition().getType() != expected)
    return emitOpError("the condition is ")
           << getCondition().getType() << ", expected " << expected << " (C1)";
  return success();
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

void ConstOp::build(OpBuilder &builder, OperationState &state, Type type,
                    int64_t value) {
  build(builder, state, type, getNumberAttr(getElementTypeOrSelf(type), value));
}

LogicalResult ConstOp::verify() {
  Type type = getType(), valueType = getValue().getType();
  if (!isa<IntegerAttr, FloatAttr, ElementsAttr>(getValue()))
    return emitOpError("the value ")
           << getValue() << " is not a number or a list of numbers (C1)";
  if (isa<ElementsAttr>(getValue())) {
    if (valueType != type)
      return emitOpError("the dense value is ")
             << valueType << ", the result " << type << " (C2)";
  } else if (valueType != getElementTypeOrSelf(type)) {
    return emitOpError("the value is ")
           << valueType << ", the result's element type "
           << getElementTypeOrSelf(type) << " (C1)";
  }
  return success();
}

LogicalResult DimOp::verify() {
  return checkFits(getDim(), [&] { return emitOpError(); });
}

LogicalResult IotaOp::verify() {
  if (static_cast<int64_t>(getAxis()) >= getType().getRank())
    return emitOpError("axis ") << getAxis() << " is out of range for rank "
                                << getType().getRank() << " (C1)";
  return success();
}

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

/// The type of an operand from which that of a result is inferred, which comes
/// before the operand is verified. Emits an error if it is no tensor.
static RankedTensorType checkTensor(std::optional<Location> loc, StringRef name,
                                    Value operand) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type)
    (void)emitOptionalError(loc, "'", name, "' op takes a ranked tensor, not ",
                            operand.getType());
  return type;
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType type =
      checkTensor(loc, "tg.reduce", adaptor.getOperands().front());
  if (!type)
    return failure();
  if (failed(checkAxes(loc, "tg.reduce", adaptor.getAxes(), type.getRank())))
    return failure();
  SmallVector<Dim> dims = tg::getDims(type);
  for (int64_t axis : adaptor.getAxes())
    dims[axis] = Dim(context, 1);
  return inferTensorType(loc, "tg.reduce", dims, type.getElementType(), types);
}

//===----------------------------------------------------------------------===//
// Scan, scatter and sort
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (static_cast<int64_t>(getAxis()) >= getType().getRank())
    return emitOpError("axis ") << getAxis() << " is out of range for rank "
                                << getType().getRank() << " (C1)";
  if (getKind() == ScanKind::logaddexp &&
      !isa<FloatType>(getType().getElementType()))
    return emitOpError("'logaddexp' takes floats, not ")
           << getType().getElementType() << " (C3)";
  return success();
}

LogicalResult ScatterOp::verify() {
  RankedTensorType base = getBase().getType(), index = getIndex().getType(),
                   updates = getUpdates().getType();
  const auto axis = static_cast<int64_t>(getAxis());
  if (axis >= base.getRank())
    return emitOpError("axis ")
           << axis << " is out of range for rank " << base.getRank() << " (C1)";
  SmallVector<Dim> sizes = tg::getDims(base), positions = tg::getDims(index);
  if (positions != tg::getDims(updates))
    return emitOpError("the index ") << index << " and the updates " << updates
                                     << " differ in shape (C2)";
  bool fits = sizes.size() == positions.size();
  for (size_t i = 0; i < sizes.size() && fits; ++i)
    fits = static_cast<int64_t>(i) == axis || sizes[i] == positions[i];
  if (!fits)
    return emitOpError("the index ")
           << index << " must have the sizes of " << base
           << " except along axis " << axis << " (C2)";
  if (base.getElementType() != updates.getElementType())
    return emitOpError("updates ") << base << " with elements of "
                                   << updates.getElementType() << " (C3)";
  if (getKind() != UpdateKind::set && isFp8(base.getElementType()))
    return emitOpError("'")
           << stringifyUpdateKind(getKind()) << "' does not take "
           << base.getElementType() << " (C3)";
  return success();
}

LogicalResult ArgsortOp::verify() {
  RankedTensorType from = getX().getType(), to = getResult().getType();
  if (from.getRank() == 0)
    return emitOpError("sorts along the last axis; a scalar has none (C1)");
  SmallVector<Dim> dims = tg::getDims(from), positions = tg::getDims(to);
  const bool fits =
      dims.size() == positions.size() &&
      ArrayRef(dims).drop_back() == ArrayRef(positions).drop_back() &&
      isNeverNegative(dims.back() - positions.back());
  if (!fits)
    return emitOpError("the result ")
           << to << " must have the shape of " << from
           << ", or a shorter last axis (C2)";
  if (to.getElementType().isInteger(32) &&
      tg::getDims(from).back().getMax() > (int64_t(1) << 31))
    return emitOpError("i32 is too narrow for the positions in a row of ")
           << tg::getDims(from).back().str() << " elements (C2)";
  return success();
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getX().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type: ")
           << from.getElementType() << " to " << to.getElementType() << " (C1)";
  MLIRContext *context = getContext();
  Dim before = tg::getNumElements(context, tg::getDims(from)),
      after = tg::getNumElements(context, tg::getDims(to));
  if (before != after)
    return emitShapeError(*this, "changes the number of elements (C1)", from,
                          to, before, after);
  return success();
}

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType type =
      checkTensor(loc, "tg.permute", adaptor.getOperands().front());
  if (!type)
    return failure();
  ArrayRef<int64_t> order = adaptor.getOrder();
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  bool valid = static_cast<int64_t>(order.size()) == type.getRank();
  for (auto [i, axis] : llvm::enumerate(sorted))
    valid &= axis == static_cast<int64_t>(i);
  if (!valid)
    return emitOptionalError(loc, "'tg.permute' op [", order,
                             "] is not a permutation of the axes of a tensor "
                             "of rank ",
                             type.getRank(), " (C1)");
  SmallVector<Dim> dims = tg::getDims(type), permuted;
  for (int64_t axis : order)
    permuted.push_back(dims[axis]);
  return inferTensorType(loc, "tg.permute", permuted, type.getElementType(),
                         types);
}

LogicalResult ExpandOp::verify() {
  RankedTensorType from = getX().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type: ")
           << from.getElementType() << " to " << to.getElementType() << " (C1)";
  if (from.getRank() != to.getRank())
    return emitShapeError(*this, "changes the rank (C1)", from, to);
  for (auto [a, b] : llvm::zip(tg::getDims(from), tg::getDims(to)))
    if (a != b && !a.is(1))
      return emitShapeError(*this, "changes an axis whose size is not 1 (C1)",
                            from, to, a, b);
  return success();
}

void PadOp::build(OpBuilder &builder, OperationState &state, Value x,
                  ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  build(builder, state, x, builder.getI64ArrayAttr(low),
        builder.getI64ArrayAttr(high));
}

/// Checks that both lists of pad or shrink have one entry per axis.
static LogicalResult checkLengths(std::optional<Location> loc, StringRef name,
                                  ArrayAttr first, ArrayAttr second,
                                  int64_t rank) {
  if (static_cast<int64_t>(first.size()) != rank ||
      static_cast<int64_t>(second.size()) != rank)
    return emitOptionalError(loc, "'", name, "' op lists ", first.size(),
                             " and ", second.size(),
                             " positions for a tensor of rank ", rank, " (C1)");
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType type =
      checkTensor(loc, "tg.pad", adaptor.getOperands().front());
  if (!type)
    return failure();
  if (failed(checkLengths(loc, "tg.pad", adaptor.getLow(), adaptor.getHigh(),
                          type.getRank())) ||
      failed(checkPositions(loc, "tg.pad", adaptor.getLow())) ||
      failed(checkPositions(loc, "tg.pad", adaptor.getHigh())))
    return failure();
  SmallVector<Dim> dims = tg::getDims(type);
  for (auto [axis, low, high] : llvm::enumerate(
           tg::getDims(adaptor.getLow()), tg::getDims(adaptor.getHigh()))) {
    if (!isNeverNegative(low) || !isNeverNegative(high))
      return emitOptionalError(loc, "'tg.pad' op axis ", axis,
                               " has a negative amount: ", low.str(), " and ",
                               high.str(), " (C1)");
    dims[axis] = dims[axis] + low + high;
  }
  return inferTensorType(loc, "tg.pad", dims, type.getElementType(), types);
}

void ShrinkOp::build(OpBuilder &builder, OperationState &state, Value x,
                     ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  build(builder, state, x, builder.getI64ArrayAttr(from),
        builder.getI64ArrayAttr(to));
}

LogicalResult ShrinkOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType type =
      checkTensor(loc, "tg.shrink", adaptor.getOperands().front());
  if (!type)
    return failure();
  if (failed(checkLengths(loc, "tg.shrink", adaptor.getFrom(), adaptor.getTo(),
                          type.getRank())) ||
      failed(checkPositions(loc, "tg.shrink", adaptor.getFrom())) ||
      failed(checkPositions(loc, "tg.shrink", adaptor.getTo())))
    return failure();
  SmallVector<Dim> dims = tg::getDims(type);
  for (auto [axis, from, to] : llvm::enumerate(tg::getDims(adaptor.getFrom()),
                                               tg::getDims(adaptor.getTo()))) {
    Dim length = to - from, rest = dims[axis] - to;
    // Must hold for all values of the variables.
    if (!isNeverNegative(from) || !isNeverNegative(length) ||
        !isNeverNegative(rest))
      return emitOptionalError(loc, "'tg.shrink' op axis ", axis, " of size ",
                               dims[axis].str(), " has no part from ",
                               from.str(), " to ", to.str(), " (C1)");
    dims[axis] = length;
  }
  return inferTensorType(loc, "tg.shrink", dims, type.getElementType(), types);
}

LogicalResult FlipOp::verify() {
  return checkAxes(getLoc(), "tg.flip", getAxes(), getType().getRank());
}

/// Checks that entries and the resulting positions fit 64 bits.
static LogicalResult checkView(StridedOp op, ViewAttr view) {
  auto emitError = [&] { return op.emitOpError(); };
  if (failed(checkFits(view.getOffset(), emitError)))
    return failure();
  for (ArrayRef<Attribute> dims :
       {view.getShape(), view.getStrides(), view.getBegin(), view.getEnd()})
    if (failed(checkFits(dims, emitError)))
      return failure();
  auto getMagnitude = [](Attribute dim) {
    return std::max(llvm::AbsoluteValue(Dim(dim).getMin()),
                    llvm::AbsoluteValue(Dim(dim).getMax()));
  };
  uint64_t furthest = getMagnitude(view.getOffset());
  for (auto [size, stride] : llvm::zip(view.getShape(), view.getStrides()))
    furthest = llvm::SaturatingMultiplyAdd(getMagnitude(stride),
                                           getMagnitude(size), furthest);
  if (furthest > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return op.emitOpError("view ")
           << view << " computes positions that do not fit into 64 bits (C4)";
  return checkNumElements(
      llvm::map_to_vector(view.getShape(), [](Attribute a) { return Dim(a); }),
      emitError);
}

LogicalResult StridedOp::verify() {
  RankedTensorType from = getX().getType(), to = getType();
  for (auto view : getViews().getAsRange<ViewAttr>())
    if (failed(checkView(*this, view)))
      return failure();
  ViewChain chain(from, getViews());
  if (chain.getShape() != ArrayRef<Dim>(tg::getDims(to)))
    return emitOpError("the last view has the shape ")
           << toString(chain.getShape()) << ", the result "
           << toString(tg::getDims(to)) << " (C1)";
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type: ")
           << from.getElementType() << " to " << to.getElementType() << " (C2)";
  return chain.verify([&] { return emitOpError(); });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult WithDerivativeOp::verify() {
  if (!isa<FloatType>(getType().getElementType()))
    return emitOpError("needs a tensor of floats, not ") << getType();
  return success();
}

LogicalResult AssignOp::verify() {
  Value target = getTarget();
  // Dominance is verified later: a cycle is still possible here.
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (Operation *op = target.getDefiningOp()) {
    if (isa<BufferOp, AssignOp>(op))
      return success();
    if (!seen.insert(op).second)
      return emitOpError("the target is computed from itself (C1)");
    if (auto movement = dyn_cast<MovementOpInterface>(op);
        !movement || !movement.mayBeTarget())
      return emitOpError("the target is the result of '")
             << op->getName()
             << "', not a buffer, a function argument, an assign, or a view of "
                "one (C1)";
    target = op->getOperand(0);
  }
  return success();
}

LogicalResult AfterOp::verify() {
  Operation *target = getTarget().getDefiningOp();
  if (target && !isa<BufferOp>(target))
    return emitOpError("reads the result of '")
           << target->getName()
           << "', not a buffer or a function argument (C1)";
  if (!getAssign())
    return success();
  auto assign = getAssign().getDefiningOp<AssignOp>();
  if (!assign)
    return emitOpError(
        "operand 'assign' is not the result of a tg.assign (C2)");
  Value written = assign.getTarget();
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (written != getTarget() && written.getDefiningOp() &&
         !isa<BufferOp>(written.getDefiningOp()) &&
         seen.insert(written.getDefiningOp()).second)
    written = written.getDefiningOp()->getOperand(0);
  auto buffer = getTarget().getDefiningOp<BufferOp>();
  auto other = written.getDefiningOp<BufferOp>();
  if (written != getTarget() &&
      !(buffer && other && buffer.getId() == other.getId())) {
    InFlightDiagnostic diag =
        emitOpError("operand 'assign' writes to other memory (C2)");
    diag.attachNote(assign.getLoc()) << "the assignment";
    return diag;
  }
  return success();
}
