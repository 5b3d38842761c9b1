//===- AnnotateKernelFunctions.cpp - what is known of kernels' buffers ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-annotate-kernel-functions pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "TinyGrad/Dialect/Tg/IR/TgLaunchedElements.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGANNOTATEKERNELFUNCTIONS
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// How many bytes an argument is known to point to; 0 if unknown.
static int64_t getBytes(Type type, IntegerAttr leastElements) {
  auto buffer = cast<MemRefType>(type);
  if (!buffer.hasStaticShape() || !buffer.getElementType().isIntOrFloat())
    return 0;
  if (leastElements)
    buffer = getBufferType(buffer.getElementType(), leastElements.getInt(),
                           buffer.getMemorySpace());
  return getBufferBytes(buffer);
}

/// Tells LLVM that a kernel's buffers do not alias where one of them is written
/// (except in kernels that work in place), and how many bytes of them can be
/// dereferenced.
static void annotateArguments(FunctionOpInterface func) {
  MLIRContext *context = func.getContext();
  auto unit = UnitAttr::get(context);
  Type i64 = IntegerType::get(context, 64);
  int64_t outputs = func->getAttrOfType<IntegerAttr>(outputsAttrName).getInt();
  bool isInPlace = func->hasAttr(inPlaceAttrName);
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    if (!isa<MemRefType>(type))
      continue;
    if (!isInPlace)
      func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
    func.setArgAttr(i, LLVM::LLVMDialect::getNoUndefAttrName(), unit);
    if (static_cast<int64_t>(i) >= outputs)
      func.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), unit);
    auto least = func.getArgAttrOfType<IntegerAttr>(i, leastElementsAttrName);
    for (StringRef name : {leastElementsAttrName, launchedElementsAttrName})
      func.removeArgAttr(static_cast<unsigned>(i),
                         StringAttr::get(context, name));
    if (int64_t bytes = getBytes(type, least))
      func.setArgAttr(i, LLVM::LLVMDialect::getDereferenceableAttrName(),
                      IntegerAttr::get(i64, bytes));
  }
}

namespace {
struct TgAnnotateKernelFunctionsPass
    : tg::impl::TgAnnotateKernelFunctionsBase<TgAnnotateKernelFunctionsPass> {
  void runOnOperation() override {
    if (getOperation()->hasAttr(outputsAttrName))
      annotateArguments(getOperation());
  }
};
} // namespace
