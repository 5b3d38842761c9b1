//===- GraphTypes.cpp - types, sizes and variables of graphs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Between shapes of tensors and types of MLIR, and which variables types,
/// attributes and operations depend on.
///
//===----------------------------------------------------------------------===//

#include "GraphImpl.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type GraphImpl::elementType(DType dtype) {
  return elementTypes[unsigned(dtype)];
}

RankedTensorType GraphImpl::tensorType(DType dtype, const Shape &shape) {
  if (!isSymbolic(shape)) {
    SmallVector<int64_t, 6> sizes;
    for (const SymInt &size : shape)
      sizes.push_back(size.value());
    return RankedTensorType::get(sizes, elementType(dtype));
  }
  checkVariables({&shape});
  SmallVector<tg::Dim> list;
  for (const SymInt &size : shape)
    list.push_back(tg::Dim(dimension(size)));
  return tg::getTensorType(list, elementType(dtype));
}

Shape GraphImpl::shapeOf(RankedTensorType type) {
  if (!type.getEncoding())
    return Shape(type.getShape().begin(), type.getShape().end());
  Shape shape;
  for (tg::Dim dim : tg::getDims(type))
    shape.push_back(size(dim.getAttr()));
  return shape;
}

SymInt GraphImpl::size(Attribute dimension) {
  if (std::optional<int64_t> number = tg::Dim(dimension).getStatic())
    return *number;
  const SymExpr *&expr = sizes[dimension];
  if (!expr)
    expr = makeExpression(dimension).expression();
  dims.try_emplace(expr, dimension);
  hasDims = true;
  return SymInt(expr);
}

Attribute GraphImpl::dimension(const SymInt &size) {
  if (!size.isSymbolic()) {
    const auto number = uint64_t(size.value());
    if (number >= smallNumbers.size())
      return builder.getI64IntegerAttr(size.value());
    Attribute &known = smallNumbers[number];
    if (!known)
      known = builder.getI64IntegerAttr(size.value());
    return known;
  }
  Attribute &dim = dims[size.expression()];
  if (!dim) {
    hasDims = true;
    dim = copyExpression(&context(), size.expression());
    sizes.try_emplace(dim, size.expression());
  }
  return dim;
}

ArrayAttr GraphImpl::dimensions(const Shape &list) {
  SmallVector<Attribute> attributes;
  for (const SymInt &size : list)
    attributes.push_back(dimension(size));
  return builder.getArrayAttr(attributes);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

template <typename T>
static GraphImpl::Symbols findSymbols(GraphImpl &graph, T symbolic) {
  GraphImpl::Symbols found;
  AttrTypeWalker walker;
  walker.addWalk([&](tg::VarAttr var) {
    KnownVariable *variable = &findVariable(var);
    if (!llvm::is_contained(found.variables, variable))
      found.variables.push_back(variable);
  });
  walker.walk(symbolic);
  AttrTypeReplacer replacer = tg::getVariableReplacer([](tg::VarAttr var) {
    return tg::Dim(tg::VarAttr::get(var.getContext(), var.getName(),
                                    var.getMin(), var.getMax()));
  });
  found.unbound = graph.contentOf(replacer.replace(symbolic));
  return found;
}

const GraphImpl::Symbols &GraphImpl::symbolsOf(Type type) {
  auto it = symbols.find(type.getAsOpaquePointer());
  if (it == symbols.end())
    it = symbols.emplace(type.getAsOpaquePointer(), findSymbols(*this, type))
             .first;
  return it->second;
}

const GraphImpl::Symbols &GraphImpl::symbolsOf(Attribute attribute) {
  auto it = symbols.find(attribute.getAsOpaquePointer());
  if (it == symbols.end())
    it = symbols
             .emplace(attribute.getAsOpaquePointer(),
                      findSymbols(*this, attribute))
             .first;
  return it->second;
}

void GraphImpl::walkVariables(Operation *op,
                              llvm::function_ref<void(KnownVariable &)> visit) {
  auto visitAll = [&](const Symbols &found) {
    for (KnownVariable *variable : found.variables)
      visit(*variable);
  };
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getEncoding())
    visitAll(symbolsOf(Type(type)));
  ArrayAttr begins;
  if (auto shrink = dyn_cast<tg::ShrinkOp>(op))
    begins = shrink.getFrom(); // the ends follow from the result type
  else if (auto pad = dyn_cast<tg::PadOp>(op))
    begins = pad.getLow();
  else if (isa<tg::DimOp, tg::StridedOp>(op))
    visitAll(symbolsOf(Attribute(op->getAttrDictionary())));
  for (Attribute begin : begins ? begins.getValue() : ArrayRef<Attribute>())
    if (!isa<IntegerAttr>(begin))
      visitAll(symbolsOf(begin));
}
