//===- Builders.cpp - movement operations and constants -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the builders that do no arithmetic.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::linalgtotg;

Type linalgtotg::convertElementType(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  return isElementType(type) ? type : Type();
}

TypedAttr linalgtotg::convertNumbers(TypedAttr attr, Type type) {
  if (attr.getType() == type)
    return attr;
  Type element = getElementTypeOrSelf(type);
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return IntegerAttr::get(element, number.getValue());
  auto numbers = dyn_cast<DenseIntElementsAttr>(attr);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!numbers || !tensor || !tensor.hasStaticShape())
    return {};
  return numbers.mapValues(element, [](const APInt &value) { return value; });
}

SmallVector<Dim> linalgtotg::getDims(Value tensor) {
  return tg::getDims(cast<RankedTensorType>(tensor.getType()));
}

Type linalgtotg::getElement(Value tensor) {
  return getElementTypeOrSelf(tensor.getType());
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static ArrayAttr getAttrs(B &b, ArrayRef<Dim> dims) {
  SmallVector<Attribute> attrs;
  for (Dim dim : dims)
    attrs.push_back(dim.getAttr());
  return b.getArrayAttr(attrs);
}

Value linalgtotg::buildReshape(B &b, Value x, ArrayRef<Dim> dims) {
  if (ArrayRef<Dim>(getDims(x)) == dims)
    return x;
  RankedTensorType type = getTensorType(dims, getElement(x));
  if (TypedAttr number = getNumber(x))
    return buildConst(b, type, number);
  return ReshapeOp::create(b, type, x);
}

Value linalgtotg::buildExpand(B &b, Value x, ArrayRef<Dim> dims) {
  if (ArrayRef<Dim>(getDims(x)) == dims)
    return x;
  RankedTensorType type = getTensorType(dims, getElement(x));
  if (TypedAttr number = getNumber(x))
    return buildConst(b, type, number);
  return ExpandOp::create(b, type, x);
}

Value linalgtotg::buildPermute(B &b, Value x, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return x;
  return PermuteOp::create(b, x, order);
}

Value linalgtotg::buildShrink(B &b, Value x, ArrayRef<Dim> from,
                              ArrayRef<Dim> to) {
  if (ArrayRef<Dim>(getDims(x)) == to &&
      llvm::all_of(from, [](Dim dim) { return dim.is(0); }))
    return x;
  return ShrinkOp::create(b, x, getAttrs(b, from), getAttrs(b, to));
}

Value linalgtotg::buildPad(B &b, Value x, ArrayRef<Dim> low,
                           ArrayRef<Dim> high) {
  auto isZero = [](Dim dim) { return dim.is(0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return x;
  return PadOp::create(b, x, getAttrs(b, low), getAttrs(b, high));
}

//===----------------------------------------------------------------------===//
// Indexed elements
//===----------------------------------------------------------------------===//

bool linalgtotg::isTooLarge(ArrayRef<Dim> dims) {
  int64_t count = 1;
  return llvm::any_of(dims, [&](Dim dim) {
    int64_t size = dim.getMax();
    return size > 0 && llvm::MulOverflow(count, size, count);
  });
}

Value linalgtotg::buildSelected(B &b, Value x, ArrayRef<Dim> dims,
                                ValueRange indices, std::string &reason) {
  if (isFp8(getElement(x))) {
    reason = "reads a tensor of an 8-bit float type, of which tg cannot select "
             "elements";
    return {};
  }
  SmallVector<Dim> all(dims);
  llvm::append_range(all, ArrayRef<Dim>(getDims(x)).drop_front(dims.size()));
  if (isTooLarge(all)) {
    reason = "selects among more elements than 63 bits count";
    return {};
  }
  Value mask;
  SmallVector<int64_t> axes;
  for (Value index : indices) {
    axes.push_back(int64_t(dims.size() + axes.size()));
    SmallVector<Dim> withOnes = getDims(index);
    withOnes.resize(all.size(), Dim(b.getContext(), 1));
    Value wanted = buildExpand(b, buildReshape(b, index, withOnes), all);
    Value position =
        IotaOp::create(b, getTensorType(all, getElement(index)), axes.back());
    Value isSelected = CmpEqOp::create(b, wanted, position);
    mask = mask ? Value(AndOp::create(b, mask, isSelected)) : isSelected;
  }
  x = buildExpand(b, x, all);
  Value sum = ReduceOp::create(
      b, ReduceKind::add, WhereOp::create(b, mask, x, buildConst(b, x, 0.0)),
      axes);
  return buildReshape(b, sum, dims);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value linalgtotg::buildConst(B &b, RankedTensorType type, TypedAttr number) {
  return ConstOp::create(b, type, number);
}

Value linalgtotg::buildConst(B &b, Value like, double number) {
  return ConstOp::create(b, like.getType(),
                         getNumberAttr(getElement(like), number));
}

TypedAttr linalgtotg::getNumber(Value tensor) {
  auto op = tensor.getDefiningOp<ConstOp>();
  if (!op)
    return {};
  if (auto numbers = dyn_cast<DenseElementsAttr>(op.getValue()))
    return numbers.isSplat()
               ? cast<TypedAttr>(numbers.getSplatValue<Attribute>())
               : TypedAttr();
  return isa<ElementsAttr>(op.getValue()) ? TypedAttr() : op.getValue();
}
