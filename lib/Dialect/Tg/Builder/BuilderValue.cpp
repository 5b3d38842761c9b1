//===- BuilderValue.cpp - values for recipes ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The operations that recipes use.
///
//===----------------------------------------------------------------------===//

#include "BuilderValue.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;

BuilderSize BuilderSize::operator*(const BuilderSize &other) const {
  MLIRContext *context = symbolic.getContext() ? symbolic.getContext()
                                               : other.symbolic.getContext();
  if (context)
    return getDim(context) * other.getDim(context);
  // Sizes that do not fit are an error where a type gets them.
  int64_t product;
  if (llvm::MulOverflow(number, other.number, product))
    return std::numeric_limits<int64_t>::max();
  return product;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

BuilderValue BuilderValue::unsqueeze(int64_t axis) const {
  return failed(value)
             ? *this
             : BuilderValue(*builder, builder->unsqueeze(*value, axis));
}

BuilderValue BuilderValue::squeeze(int64_t axis) const {
  return failed(value) ? *this
                       : BuilderValue(*builder, builder->squeeze(*value, axis));
}

BuilderValue BuilderValue::transpose(int64_t first, int64_t second) const {
  return failed(value)
             ? *this
             : BuilderValue(*builder,
                            builder->transpose(*value, first, second));
}

BuilderValue BuilderValue::cast(Type element) const {
  return failed(value) ? *this
                       : BuilderValue(*builder, builder->cast(*value, element));
}

BuilderValue BuilderValue::sum(ArrayRef<int64_t> axes, bool keepAxes) const {
  return failed(value)
             ? *this
             : BuilderValue(*builder, builder->reduce(ReduceKind::add, *value,
                                                      axes, keepAxes));
}

BuilderValue BuilderValue::constant(double number) const {
  return failed(value)
             ? *this
             : BuilderValue(*builder, builder->constantLike(*value, number));
}

BuilderValue BuilderValue::minimum(double most) const {
  const BuilderValue negative = apply<NegOp>();
  return negative.apply<MaxOp>(negative.constant(-most)).apply<NegOp>();
}

BuilderValue BuilderValue::isfinite() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const BuilderValue isBelow = *this < infinity;
  const BuilderValue isAbove = constant(-infinity).apply<CmpLtOp>(*this);
  return isBelow.apply<AndOp>(isAbove);
}

BuilderValue BuilderValue::where(const BuilderValue &x,
                                 const BuilderValue &y) const {
  if (failed(value) || failed(x.value) || failed(y.value))
    return {*builder, failure()};
  return {*builder, builder->where(*value, *x.value, *y.value)};
}

BuilderValue BuilderValue::operator/(Dim count) const {
  if (failed(value))
    return *this;
  auto type = mlir::cast<RankedTensorType>(value->getType());
  if (std::optional<int64_t> number = count.getStatic())
    return *this / constant(static_cast<double>(*number));
  return *this /
         BuilderValue(*builder, builder->size(TgBuilder::getShape(*value),
                                              type.getElementType(), count));
}

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

bool BuilderChain::isOther(const BuilderShape &shape) const {
  return succeeded(value) && BuilderShape(TgBuilder::getShape(*value)) != shape;
}

SmallVector<Attribute> BuilderChain::getAttrs(const BuilderShape &shape) const {
  return llvm::map_to_vector(shape, [&](const BuilderSize &size) {
    return size.getDim(builder.getBuilder().getContext()).getAttr();
  });
}

template <typename OpTy, typename... Args>
void BuilderChain::create(const BuilderShape &shape, Args &&...args) {
  FailureOr<RankedTensorType> type =
      builder.getType(shape.getDims(builder.getBuilder().getContext()),
                      getElementTypeOrSelf(*value));
  if (failed(type))
    value = failure();
  else
    value = builder.create<OpTy>(*type, *value, std::forward<Args>(args)...);
}

BuilderChain &BuilderChain::reshape(const BuilderShape &shape) {
  if (isOther(shape))
    create<ReshapeOp>(shape);
  return *this;
}

BuilderChain &BuilderChain::expand(const BuilderShape &shape) {
  if (isOther(shape))
    create<ExpandOp>(shape);
  return *this;
}

BuilderChain &BuilderChain::permute(ArrayRef<int64_t> order) {
  if (succeeded(value) && !llvm::is_sorted(order))
    value = builder.create<PermuteOp>(*value, order);
  return *this;
}

BuilderChain &BuilderChain::pad(const BuilderShape &low,
                                const BuilderShape &high) {
  auto isZero = [](const BuilderSize &size) { return size == 0; };
  if (succeeded(value) &&
      !(llvm::all_of(low, isZero) && llvm::all_of(high, isZero)))
    value = builder.create<PadOp>(
        *value, builder.getBuilder().getArrayAttr(getAttrs(low)),
        builder.getBuilder().getArrayAttr(getAttrs(high)));
  return *this;
}

BuilderChain &BuilderChain::shrink(const BuilderShape &from,
                                   const BuilderShape &to) {
  auto isZero = [](const BuilderSize &size) { return size == 0; };
  if (succeeded(value) && !(llvm::all_of(from, isZero) && !isOther(to)))
    value = builder.create<ShrinkOp>(
        *value, builder.getBuilder().getArrayAttr(getAttrs(from)),
        builder.getBuilder().getArrayAttr(getAttrs(to)));
  return *this;
}

BuilderChain &BuilderChain::strided(const BuilderShape &shape,
                                    const BuilderShape &strides) {
  if (failed(value))
    return *this;
  OpBuilder &b = builder.getBuilder();
  auto emitError = [&] { return mlir::emitError(builder.getLocation()); };
  const SmallVector<Attribute> sizes = getAttrs(shape),
                               steps = getAttrs(strides);
  Attribute view = ViewAttr::getChecked(
      emitError, b.getContext(), ArrayRef<Attribute>(sizes),
      ArrayRef<Attribute>(steps), Attribute(b.getI64IntegerAttr(0)),
      ArrayRef<Attribute>(), ArrayRef<Attribute>());
  if (!view)
    value = failure();
  else
    create<StridedOp>(shape, b.getArrayAttr(view));
  return *this;
}
