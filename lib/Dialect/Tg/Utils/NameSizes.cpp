//===- NameSizes.cpp - unknown sizes as variables -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives each unknown size a variable.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/NameSizes.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

using namespace mlir;
using namespace mlir::tg;

RankedTensorType tg::nameSizes(RankedTensorType type) {
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
  return getTensorType(dims, type.getElementType());
}
