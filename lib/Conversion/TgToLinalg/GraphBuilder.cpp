//===- GraphBuilder.cpp - tensors of upstream's dialects ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements types, sizes and the operations that patterns share.
///
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::tgtolinalg;

Type tgtolinalg::convertElementType(Type type) {
  if (type.isUnsignedInteger())
    return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  return type;
}

RankedTensorType tgtolinalg::convertTensorType(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(),
                               convertElementType(type.getElementType()));
}

TypedAttr tgtolinalg::convertNumbers(TypedAttr attr) {
  Type element = getElementTypeOrSelf(attr.getType());
  Type converted = convertElementType(element);
  if (element == converted)
    return attr;
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return IntegerAttr::get(converted, number.getValue());
  return cast<DenseIntElementsAttr>(attr).mapValues(
      converted, [](const APInt &value) { return value; });
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

LogicalResult ConversionState::addFunction(func::FuncOp function) {
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(function);
  if (failed(variables))
    return failure();
  for (VarAttr variable : *variables) {
    bool isKnown = false;
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      if (!hasDims(type))
        continue;
      for (auto [axis, dim] :
           llvm::enumerate(getDims(cast<RankedTensorType>(type))))
        if (!isKnown && dim == Dim(variable)) {
          axes[{function, variable}] = {unsigned(i), int64_t(axis)};
          isKnown = true;
        }
    }
    if (!isKnown)
      return function.emitOpError("depends on the variable ")
             << variable.getName().getValue()
             << ", which is the size of no argument's axis";
  }
  return success();
}

std::pair<unsigned, int64_t> ConversionState::getAxis(func::FuncOp function,
                                                      VarAttr variable) const {
  return axes.lookup({function, variable});
}

Value GraphBuilder::getIndex(Dim dim) {
  if (std::optional<int64_t> number = dim.getStatic())
    return arith::ConstantIndexOp::create(b, *number);
  Attribute attr = dim.getAttr();
  if (auto variable = dyn_cast<VarAttr>(attr)) {
    auto [argument, axis] = state.getAxis(function, variable);
    return tensor::DimOp::create(b, function.getArgument(argument), axis);
  }
  auto expr = cast<DimExprAttr>(attr);
  Value result;
  for (Attribute operand : expr.getOperands()) {
    Value value = getIndex(Dim(operand));
    if (!result) {
      result = value;
      continue;
    }
    switch (expr.getKind()) {
    case DimOpKind::add:
      result = arith::AddIOp::create(b, result, value);
      break;
    case DimOpKind::mul:
      result = arith::MulIOp::create(b, result, value);
      break;
    case DimOpKind::floordiv:
      result = arith::FloorDivSIOp::create(b, result, value);
      break;
    case DimOpKind::mod:
      result = emission::buildFloorDivision(b, result, value,
                                            /*wantRemainder=*/true);
      break;
    case DimOpKind::min:
      result = arith::MinSIOp::create(b, result, value);
      break;
    case DimOpKind::max:
      result = arith::MaxSIOp::create(b, result, value);
      break;
    }
  }
  return result;
}

OpFoldResult GraphBuilder::getSize(Dim dim) {
  if (std::optional<int64_t> number = dim.getStatic())
    return b.getIndexAttr(*number);
  return getIndex(dim);
}

SmallVector<OpFoldResult> GraphBuilder::getSizes(ArrayRef<Dim> dims) {
  return llvm::map_to_vector(dims, [&](Dim dim) { return getSize(dim); });
}

RankedTensorType GraphBuilder::getType(ArrayRef<Dim> dims, Type element) {
  return convertTensorType(getTensorType(dims, element));
}

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

Value GraphBuilder::buildEmpty(ArrayRef<Dim> dims, Type element) {
  return tensor::EmptyOp::create(b, getSizes(dims),
                                 convertElementType(element));
}

Value GraphBuilder::buildFilled(ArrayRef<Dim> dims, Value number) {
  Value empty = tensor::EmptyOp::create(b, getSizes(dims), number.getType());
  return linalg::FillOp::create(b, number, empty).getResult(0);
}

Value tgtolinalg::buildFromElement(B &b, Value value, Type element) {
  if (!isFp8(element))
    return value;
  return arith::BitcastOp::create(b, b.getI8Type(), value);
}

Value tgtolinalg::buildToElement(B &b, Value value, Type element) {
  if (!isFp8(element))
    return value;
  return arith::BitcastOp::create(b, element, value);
}

Value GraphBuilder::buildParallel(ArrayRef<Dim> dims, Type element,
                                  ValueRange inputs, ArrayRef<AffineMap> maps,
                                  ArrayRef<Type> inputElements,
                                  function_ref<Value(B &, ValueRange)> body) {
  Value empty = buildEmpty(dims, element);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(b.getMultiDimIdentityMap(dims.size()));
  SmallVector<utils::IteratorType> kinds(dims.size(),
                                         utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, empty.getType(), inputs, empty, allMaps, kinds,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        B inner(loc, builder);
        SmallVector<Value> values;
        for (auto [argument, type] : llvm::zip(arguments, inputElements))
          values.push_back(buildFromElement(inner, argument, type));
        Value result = buildToElement(inner, body(inner, values), element);
        linalg::YieldOp::create(inner, result);
      });
  return op.getResult(0);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Groups of axes such that each but those of size 1 begins one.
static SmallVector<ReassociationIndices>
groupAxes(int64_t rank, ArrayRef<int64_t> axesOfSize1) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (int64_t axis = 0; axis < rank; ++axis) {
    bool isUnit = llvm::is_contained(axesOfSize1, axis);
    if (!isUnit)
      groups.emplace_back();
    if (groups.empty()) {
      leading.push_back(axis);
      continue;
    }
    if (!leading.empty())
      groups.back().append(std::exchange(leading, {}));
    groups.back().push_back(axis);
  }
  // Without other axes there are no groups: the tensor is one of rank 0.
  return groups;
}

Value GraphBuilder::buildWithoutAxes(Value x, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  auto type = cast<RankedTensorType>(x.getType());
  return tensor::CollapseShapeOp::create(b, x, groupAxes(type.getRank(), axes));
}

Value GraphBuilder::buildWithAxes(Value x, ArrayRef<Dim> dims,
                                  ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  Type element = getElementTypeOrSelf(x.getType());
  return tensor::ExpandShapeOp::create(b, getType(dims, element), x,
                                       groupAxes(dims.size(), axes),
                                       getSizes(dims));
}

Value GraphBuilder::buildReshape(Value x, ArrayRef<Dim> from,
                                 ArrayRef<Dim> to) {
  if (from == to)
    return x;
  RankedTensorType type = getType(to, getElementTypeOrSelf(x.getType()));
  auto source = cast<RankedTensorType>(x.getType());
  if (source.hasStaticShape() && type.hasStaticShape() &&
      source.getNumElements() != 0)
    if (auto groups = getReassociationIndicesForReshape(source, type)) {
      if (source.getRank() > type.getRank())
        return tensor::CollapseShapeOp::create(b, type, x, *groups);
      return tensor::ExpandShapeOp::create(b, type, x, *groups, getSizes(to));
    }
  // All elements in a row between them.
  auto all = [](size_t rank) {
    SmallVector<ReassociationIndices> groups(1);
    for (size_t axis = 0; axis < rank; ++axis)
      groups[0].push_back(axis);
    return groups;
  };
  if (from.empty())
    x = tensor::ExpandShapeOp::create(
        b, source.clone({1}), x, SmallVector<ReassociationIndices>(),
        SmallVector<OpFoldResult>{b.getIndexAttr(1)});
  else if (from.size() > 1)
    x = tensor::CollapseShapeOp::create(b, x, all(from.size()));
  if (to.empty())
    return tensor::CollapseShapeOp::create(b, x,
                                           SmallVector<ReassociationIndices>());
  // Its size may be known where the product is: a cast forgets or tells it.
  Dim size = getNumElements(b.getContext(), to);
  bool isDynamic = llvm::any_of(to, [](Dim dim) { return !dim.isStatic(); });
  int64_t wanted = isDynamic ? ShapedType::kDynamic : *size.getStatic();
  if (to.size() == 1)
    wanted = type.getDimSize(0);
  if (cast<RankedTensorType>(x.getType()).getDimSize(0) != wanted)
    x = tensor::CastOp::create(
        b, RankedTensorType::get({wanted}, type.getElementType()), x);
  if (to.size() == 1)
    return x;
  return tensor::ExpandShapeOp::create(b, type, x, all(to.size()),
                                       getSizes(to));
}
