//===- TgNameSizes.cpp - unknown sizes as variables -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives each unknown size a variable.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgNameSizes.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

using namespace mlir;
using namespace mlir::tg;

static SmallVector<Dim> nameDims(RankedTensorType type) {
  MLIRContext *context = type.getContext();
  const bool isSingle = type.getNumDynamicDims() == 1;
  SmallVector<Dim> dims;
  unsigned number = 0;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      dims.push_back(Dim(context, size));
      continue;
    }
    const std::string name = isSingle ? "n" : "n" + std::to_string(number++);
    dims.push_back(
        Dim(VarAttr::get(context, StringAttr::get(context, name), 1, 1024)));
  }
  return dims;
}

RankedTensorType tg::nameSizes(RankedTensorType type) {
  return getTensorType(nameDims(type), type.getElementType());
}

std::string tg::suggestShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() || tensor.hasStaticShape())
    return "";
  const SmallVector<Attribute> dims = llvm::map_to_vector(
      nameDims(tensor), [](Dim dim) { return dim.getAttr(); });
  std::string text = ", such as ";
  llvm::raw_string_ostream(text) << ShapeAttr::get(type.getContext(), dims);
  return text;
}
