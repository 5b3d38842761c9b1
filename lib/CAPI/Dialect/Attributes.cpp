//===- Attributes.cpp - attributes and types of the dialect for C ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements what C programs build and query: variables, dimensions, shapes,
/// tensor types, views and targets.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad-c/Dialect.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgDim.h"
#include "TinyGrad/Dialect/Tg/IR/TgDimCheck.h"
#include "TinyGrad/Dialect/Tg/IR/TgTarget.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::tg;

/// The attribute if it is of this class; null otherwise, and for null.
template <typename AttrT> static AttrT getAs(MlirAttribute attr) {
  return dyn_cast_or_null<AttrT>(unwrap(attr));
}

/// The entry of a list, or null.
static MlirAttribute getEntry(ArrayRef<Attribute> list, intptr_t index) {
  if (index < 0 || size_t(index) >= list.size())
    return {nullptr};
  return wrap(list[size_t(index)]);
}

/// The context of a location, in which the dialect is loaded then; null for a
/// null location.
static MLIRContext *prepare(MlirLocation location) {
  if (mlirLocationIsNull(location))
    return nullptr;
  MLIRContext *context = unwrap(location)->getContext();
  context->getOrLoadDialect<TgDialect>();
  return context;
}

/// The attributes of a list, or failure with an error. A null list has none.
static FailureOr<SmallVector<Attribute>> getList(MlirLocation location,
                                                 StringRef what, intptr_t count,
                                                 MlirAttribute const *list) {
  if (count < 0 || (count > 0 && !list))
    return emitError(unwrap(location))
           << "the list of " << what << " is null, or its length is negative";
  SmallVector<Attribute> attrs;
  for (intptr_t index = 0; index < count; ++index) {
    attrs.push_back(unwrap(list[index]));
    if (!attrs.back())
      return emitError(unwrap(location))
             << "entry " << index << " of the list of " << what << " is null";
  }
  return attrs;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool mlirAttributeIsATgVar(MlirAttribute attr) {
  return bool(getAs<VarAttr>(attr));
}

MlirAttribute mlirTgVarAttrGetChecked(MlirLocation location, MlirStringRef name,
                                      int64_t min, int64_t max) {
  MLIRContext *context = prepare(location);
  if (!context)
    return {nullptr};
  return wrap(Attribute(
      VarAttr::getChecked([&] { return emitError(unwrap(location)); }, context,
                          StringAttr::get(context, unwrap(name)), min, max)));
}

MlirStringRef mlirTgVarAttrGetName(MlirAttribute attr) {
  auto var = getAs<VarAttr>(attr);
  return wrap(var ? var.getName().getValue() : StringRef());
}

int64_t mlirTgVarAttrGetMin(MlirAttribute attr) {
  auto var = getAs<VarAttr>(attr);
  return var ? var.getMin() : 0;
}

int64_t mlirTgVarAttrGetMax(MlirAttribute attr) {
  auto var = getAs<VarAttr>(attr);
  return var ? var.getMax() : 0;
}

bool mlirTgVarAttrGetValue(MlirAttribute attr, int64_t *value) {
  auto var = getAs<VarAttr>(attr);
  if (!var || !var.getValue())
    return false;
  if (value)
    *value = *var.getValue();
  return true;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

static_assert(MlirTgDimOpAdd == uint32_t(DimOpKind::add) &&
              MlirTgDimOpMul == uint32_t(DimOpKind::mul) &&
              MlirTgDimOpFloorDiv == uint32_t(DimOpKind::floordiv) &&
              MlirTgDimOpMod == uint32_t(DimOpKind::mod) &&
              MlirTgDimOpMin == uint32_t(DimOpKind::min) &&
              MlirTgDimOpMax == uint32_t(DimOpKind::max) &&
              MlirTgDimOpMax == getMaxEnumValForDimOpKind());

bool mlirAttributeIsATgDim(MlirAttribute attr) {
  return Dim::isDim(unwrap(attr));
}

bool mlirAttributeIsATgDimExpr(MlirAttribute attr) {
  return bool(getAs<DimExprAttr>(attr));
}

MlirAttribute mlirTgDimGetNumber(MlirContext context, int64_t value) {
  if (mlirContextIsNull(context))
    return {nullptr};
  return wrap(Dim(unwrap(context), value).getAttr());
}

MlirAttribute mlirTgDimApplyChecked(MlirLocation location, MlirTgDimOp op,
                                    intptr_t numOperands,
                                    MlirAttribute const *operands) {
  if (!prepare(location))
    return {nullptr};
  auto emit = [&] { return emitError(unwrap(location)); };
  const std::optional<DimOpKind> kind = symbolizeDimOpKind(uint32_t(op));
  if (!kind) {
    emit() << uint32_t(op) << " is not an operator of dimensions";
    return {nullptr};
  }
  FailureOr<SmallVector<Attribute>> attrs =
      getList(location, "operands", numOperands, operands);
  if (failed(attrs) || failed(checkOperator(*kind, *attrs, emit)))
    return {nullptr};
  Attribute result = Dim::get(*kind, getDims(*attrs)).getAttr();
  return wrap(succeeded(checkLength(result, emit)) ? result : Attribute());
}

bool mlirTgDimIsNumber(MlirAttribute dim, int64_t *value) {
  if (!mlirAttributeIsATgDim(dim))
    return false;
  const std::optional<int64_t> number = Dim(unwrap(dim)).getStatic();
  if (number && value)
    *value = *number;
  return number.has_value();
}

int64_t mlirTgDimGetMin(MlirAttribute dim) {
  return mlirAttributeIsATgDim(dim) ? Dim(unwrap(dim)).getMin() : 0;
}

int64_t mlirTgDimGetMax(MlirAttribute dim) {
  return mlirAttributeIsATgDim(dim) ? Dim(unwrap(dim)).getMax() : 0;
}

MlirTgDimOp mlirTgDimExprAttrGetOp(MlirAttribute attr) {
  auto expr = getAs<DimExprAttr>(attr);
  return expr ? MlirTgDimOp(expr.getKind()) : MlirTgDimOpAdd;
}

intptr_t mlirTgDimExprAttrGetNumOperands(MlirAttribute attr) {
  auto expr = getAs<DimExprAttr>(attr);
  return expr ? intptr_t(expr.getOperands().size()) : 0;
}

MlirAttribute mlirTgDimExprAttrGetOperand(MlirAttribute attr, intptr_t index) {
  auto expr = getAs<DimExprAttr>(attr);
  return getEntry(expr ? expr.getOperands() : ArrayRef<Attribute>(), index);
}

//===----------------------------------------------------------------------===//
// Shapes and tensor types
//===----------------------------------------------------------------------===//

bool mlirAttributeIsATgShape(MlirAttribute attr) {
  return bool(getAs<ShapeAttr>(attr));
}

MlirAttribute mlirTgShapeAttrGetChecked(MlirLocation location, intptr_t rank,
                                        MlirAttribute const *dims) {
  MLIRContext *context = prepare(location);
  if (!context)
    return {nullptr};
  FailureOr<SmallVector<Attribute>> attrs =
      getList(location, "dimensions", rank, dims);
  if (failed(attrs))
    return {nullptr};
  return wrap(Attribute(
      ShapeAttr::getChecked([&] { return emitError(unwrap(location)); },
                            context, ArrayRef<Attribute>(*attrs))));
}

intptr_t mlirTgShapeAttrGetRank(MlirAttribute attr) {
  auto shape = getAs<ShapeAttr>(attr);
  return shape ? intptr_t(shape.getDims().size()) : 0;
}

MlirAttribute mlirTgShapeAttrGetDim(MlirAttribute attr, intptr_t axis) {
  auto shape = getAs<ShapeAttr>(attr);
  return getEntry(shape ? shape.getDims() : ArrayRef<Attribute>(), axis);
}

bool mlirTypeIsATgTensor(MlirType type) {
  return !mlirTypeIsNull(type) && hasDims(unwrap(type));
}

MlirType mlirTgTensorTypeGetChecked(MlirLocation location, intptr_t rank,
                                    MlirAttribute const *dims,
                                    MlirType elementType) {
  MLIRContext *context = prepare(location);
  if (!context)
    return {nullptr};
  auto emit = [&] { return emitError(unwrap(location)); };
  FailureOr<SmallVector<Attribute>> attrs =
      getList(location, "dimensions", rank, dims);
  if (failed(attrs))
    return {nullptr};
  if (mlirTypeIsNull(elementType)) {
    emit() << "the element type of a tensor is null";
    return {nullptr};
  }
  SmallVector<int64_t> sizes;
  bool isStatic = true;
  for (Attribute attr : *attrs) {
    if (!Dim::isDim(attr)) {
      emit() << "dimension " << attr
             << " is not an integer (of 64 bits), #tg.var or #tg.dim";
      return {nullptr};
    }
    const std::optional<int64_t> size = Dim(attr).getStatic();
    if (size && *size < 0) {
      emit() << "dimension " << sizes.size() << " is " << *size
             << ": sizes are not negative";
      return {nullptr};
    }
    isStatic &= size.has_value();
    sizes.push_back(size.value_or(ShapedType::kDynamic));
  }
  Attribute encoding;
  if (!isStatic) {
    encoding =
        ShapeAttr::getChecked(emit, context, ArrayRef<Attribute>(*attrs));
    if (!encoding)
      return {nullptr};
  } else if (failed(checkNumElements(getDims(*attrs), emit))) {
    return {nullptr};
  }
  return wrap(Type(RankedTensorType::getChecked(
      emit, sizes, unwrap(elementType), encoding)));
}

MlirAttribute mlirTgTensorTypeGetDim(MlirType type, intptr_t axis) {
  if (!mlirTypeIsATgTensor(type))
    return {nullptr};
  auto tensor = cast<RankedTensorType>(unwrap(type));
  if (axis < 0 || axis >= tensor.getRank())
    return {nullptr};
  return wrap(getDim(tensor, axis).getAttr());
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

bool mlirAttributeIsATgView(MlirAttribute attr) {
  return bool(getAs<ViewAttr>(attr));
}

MlirAttribute mlirTgViewAttrGetChecked(MlirLocation location, intptr_t rank,
                                       MlirAttribute const *shape,
                                       MlirAttribute const *strides,
                                       MlirAttribute offset,
                                       MlirAttribute const *begin,
                                       MlirAttribute const *end) {
  MLIRContext *context = prepare(location);
  if (!context)
    return {nullptr};
  auto emit = [&] { return emitError(unwrap(location)); };
  const bool isMasked = begin || end;
  FailureOr<SmallVector<Attribute>> sizes =
      getList(location, "sizes", rank, shape);
  FailureOr<SmallVector<Attribute>> steps =
      getList(location, "strides", rank, strides);
  FailureOr<SmallVector<Attribute>> first =
      getList(location, "begins of the mask", isMasked ? rank : 0, begin);
  FailureOr<SmallVector<Attribute>> last =
      getList(location, "ends of the mask", isMasked ? rank : 0, end);
  if (failed(sizes) || failed(steps) || failed(first) || failed(last))
    return {nullptr};
  Attribute position = unwrap(offset);
  if (!position)
    position = Dim(context, 0).getAttr();
  using Attrs = ArrayRef<Attribute>;
  auto attr = ViewAttr::getChecked(emit, context, Attrs(*sizes), Attrs(*steps),
                                   position, Attrs(*first), Attrs(*last));
  if (!attr)
    return {nullptr};
  View view(attr);
  view.normalize();
  return wrap(Attribute(view.getAttr()));
}

intptr_t mlirTgViewAttrGetRank(MlirAttribute attr) {
  auto view = getAs<ViewAttr>(attr);
  return view ? intptr_t(view.getShape().size()) : 0;
}

MlirAttribute mlirTgViewAttrGetDim(MlirAttribute attr, intptr_t axis) {
  auto view = getAs<ViewAttr>(attr);
  return getEntry(view ? view.getShape() : ArrayRef<Attribute>(), axis);
}

MlirAttribute mlirTgViewAttrGetStride(MlirAttribute attr, intptr_t axis) {
  auto view = getAs<ViewAttr>(attr);
  return getEntry(view ? view.getStrides() : ArrayRef<Attribute>(), axis);
}

MlirAttribute mlirTgViewAttrGetOffset(MlirAttribute attr) {
  auto view = getAs<ViewAttr>(attr);
  return wrap(view ? view.getOffset() : Attribute());
}

bool mlirTgViewAttrHasMask(MlirAttribute attr) {
  auto view = getAs<ViewAttr>(attr);
  return view && !view.getBegin().empty();
}

MlirAttribute mlirTgViewAttrGetMaskBegin(MlirAttribute attr, intptr_t axis) {
  auto view = getAs<ViewAttr>(attr);
  return getEntry(view ? view.getBegin() : ArrayRef<Attribute>(), axis);
}

MlirAttribute mlirTgViewAttrGetMaskEnd(MlirAttribute attr, intptr_t axis) {
  auto view = getAs<ViewAttr>(attr);
  return getEntry(view ? view.getEnd() : ArrayRef<Attribute>(), axis);
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static const TargetFact *findFact(StringRef name) {
  const auto *fact = llvm::find_if(
      getTargetFactList(), [&](const TargetFact &f) { return f.name == name; });
  return fact == getTargetFactList().end() ? nullptr : fact;
}

bool mlirAttributeIsATgTarget(MlirAttribute attr) {
  return bool(getAs<TargetAttr>(attr));
}

MlirAttribute mlirTgTargetAttrLookUpChecked(MlirLocation location,
                                            MlirStringRef name) {
  MLIRContext *context = prepare(location);
  if (!context)
    return {nullptr};
  std::string error;
  const Target *target = lookupTarget(unwrap(name), error);
  if (!target) {
    emitError(unwrap(location)) << error;
    return {nullptr};
  }
  return wrap(Attribute(target->getAttr(context)));
}

MlirAttribute mlirTgTargetAttrGetChecked(MlirLocation location,
                                         MlirStringRef name, intptr_t numFacts,
                                         MlirStringRef const *facts,
                                         int64_t const *values) {
  MLIRContext *context = prepare(location);
  if (!context)
    return {nullptr};
  auto emit = [&] { return emitError(unwrap(location)); };
  if (numFacts < 0 || (numFacts > 0 && (!facts || !values))) {
    emit() << "the list of facts is null, or its length is negative";
    return {nullptr};
  }
  TargetFacts result;
  for (intptr_t i = 0; i < numFacts; ++i) {
    const TargetFact *fact = findFact(unwrap(facts[i]));
    if (!fact) {
      emit() << "'" << unwrap(facts[i]) << "' is not a fact about targets";
      return {nullptr};
    }
    result.*fact->member = values[i];
  }
  return wrap(
      Attribute(TargetAttr::getChecked(emit, context, unwrap(name), result)));
}

MlirStringRef mlirTgTargetAttrGetName(MlirAttribute attr) {
  auto target = getAs<TargetAttr>(attr);
  return wrap(target ? target.getName() : StringRef());
}

bool mlirTgTargetAttrGetFact(MlirAttribute attr, MlirStringRef fact,
                             int64_t *value) {
  auto target = getAs<TargetAttr>(attr);
  const TargetFact *found = findFact(unwrap(fact));
  if (!target || !found)
    return false;
  if (value)
    *value = target.getFacts().*found->member;
  return true;
}

intptr_t mlirTgTargetGetNumFacts(void) {
  return intptr_t(getTargetFactList().size());
}

MlirStringRef mlirTgTargetGetFactName(intptr_t index) {
  ArrayRef<TargetFact> facts = getTargetFactList();
  const bool exists = index >= 0 && size_t(index) < facts.size();
  return wrap(exists ? StringRef(facts[size_t(index)].name) : StringRef());
}
