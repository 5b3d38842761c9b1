//===- TgBufferElements.cpp - memory that tensors need --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sizes of memory, by types, attributes and views.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferPart.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

Dim tg::getNeededElements(RankedTensorType type) {
  const Dim largest(type.getContext(), getBufferSize(type));
  if (type.hasStaticShape() || largest.is(0))
    return largest;
  const SmallVector<Dim> dims = getDims(type);
  ArrayRef<Dim> rest(dims);
  while (rest.front().is(1))
    rest = rest.drop_front();
  if (!llvm::all_of(rest.drop_front(), [](Dim dim) { return dim.isStatic(); }))
    return largest;
  Dim elements = getNumElements(type.getContext(), dims);
  // Bounds of terms may not show that a difference is a size, as for n * n - n.
  if (elements.getMin() < 0)
    elements = Dim::get(DimOpKind::max, elements, Dim(type.getContext(), 0));
  if (elements.getMax() > largest.getMax())
    elements = Dim::get(DimOpKind::min, elements, largest);
  return elements;
}

int64_t tg::getLeastElements(KernelOp kernel, unsigned argument) {
  auto type = cast<MemRefType>(kernel.getArgumentTypes()[argument]);
  if (!type.hasStaticShape())
    return 0;
  auto least =
      kernel.getArgAttrOfType<IntegerAttr>(argument, leastElementsAttrName);
  return least ? least.getInt() : type.getNumElements();
}

/// The dimension that an argument or result of the function has as attribute.
static std::optional<Dim> getElements(Attribute attr) {
  return attr ? std::optional<Dim>(Dim(attr)) : std::nullopt;
}

/// How many elements the memory behind all views has, if that is less than its
/// type says.
static std::optional<Dim> getRootElements(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    auto host =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return host ? getElements(host.getArgAttr(argument.getArgNumber(),
                                              elementsAttrName))
                : std::nullopt;
  }
  // A result's own memory.
  for (OpOperand &use : root.getUses())
    if (use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      if (auto host =
              dyn_cast<FunctionOpInterface>(use.getOwner()->getParentOp()))
        if (std::optional<Dim> elements = getElements(
                host.getResultAttr(use.getOperandNumber(), elementsAttrName)))
          return elements;
  return std::nullopt;
}

Dim tg::getAvailableBytes(Value buffer) {
  MLIRContext *context = buffer.getContext();
  auto type = cast<MemRefType>(buffer.getType());
  const Dim all(context, getBufferBytes(type));
  const Value root = getBufferPart(buffer).root;
  const std::optional<Dim> elements = getRootElements(root);
  if (!elements)
    return all;
  auto getElementBytes = [](Value memory) {
    return llvm::divideCeil(
        cast<MemRefType>(memory.getType()).getElementTypeBitWidth(), 8);
  };
  Dim bytes = *elements * Dim(context, getElementBytes(root));
  while (buffer != root) {
    auto part = buffer.getDefiningOp<SubbufferOp>();
    bytes = bytes - part.getOffsetDim();
    buffer = part.getSource();
  }
  if (bytes.getMin() < 0)
    bytes = Dim::get(DimOpKind::max, bytes, Dim(context, 0));
  if (bytes.getMax() > all.getMax())
    bytes = Dim::get(DimOpKind::min, bytes, all);
  return bytes;
}
