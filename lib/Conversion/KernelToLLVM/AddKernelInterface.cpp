//===- AddKernelInterface.cpp - the C interface of kernels ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-add-kernel-interface pass.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGADDKERNELINTERFACE
#include "TinyGrad/Conversion/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Exports the kernel under its name with the C interface. LLVM inlines `body`
/// and turns the aliasing attributes of its arguments into metadata; compiling
/// one function takes half as long as two.
static void addInterface(LLVM::LLVMFuncOp body, unsigned numVariables) {
  MLIRContext *context = body.getContext();
  std::string name = body.getSymName().str();
  body.setSymName(name + ".body");
  body.setLinkage(LLVM::Linkage::Internal);
  body.setAlwaysInline(true);
  OpBuilder builder(context);
  builder.setInsertionPointAfter(body);
  Location loc = body.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, pointer, i64, i64});
  auto entry = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  unsigned numBuffers = body.getNumArguments() - 2 - numVariables;
  for (unsigned i = 0; i < numBuffers; ++i) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer,
                                     block->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    arguments.push_back(LLVM::LoadOp::create(builder, loc, pointer, slot));
  }
  arguments.push_back(block->getArgument(2));
  arguments.push_back(block->getArgument(3));
  for (unsigned i = 0; i < numVariables; ++i) {
    Value slot =
        LLVM::GEPOp::create(builder, loc, pointer, i64, block->getArgument(1),
                            ArrayRef<LLVM::GEPArg>{int32_t(i)});
    arguments.push_back(LLVM::LoadOp::create(builder, loc, i64, slot));
  }
  LLVM::CallOp::create(builder, loc, body, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

/// Non-temporal stores are weakly ordered: fences before completion is
/// reported.
static void fenceNontemporalStores(LLVM::LLVMFuncOp body) {
  bool isNeeded = body.walk([](LLVM::StoreOp store) {
                        return store.getNontemporal() ? WalkResult::interrupt()
                                                      : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (!isNeeded)
    return;
  body.walk([](LLVM::ReturnOp end) {
    OpBuilder builder(end);
    LLVM::FenceOp::create(builder, end.getLoc(), LLVM::AtomicOrdering::seq_cst,
                          /*syncscope=*/"");
  });
}

/// Whether the function has the signature of a lowered kernel.
static LogicalResult checkBody(LLVM::LLVMFuncOp body, unsigned numVariables) {
  ArrayRef<Type> types = body.getArgumentTypes();
  const size_t numIndices = 2 + numVariables;
  if (!body.isExternal() && types.size() >= numIndices &&
      llvm::all_of(types.drop_back(numIndices),
                   llvm::IsaPred<LLVM::LLVMPointerType>) &&
      llvm::all_of(types.take_back(numIndices),
                   [](Type type) { return type.isInteger(64); }) &&
      isa<LLVM::LLVMVoidType>(body.getFunctionType().getReturnType()))
    return success();
  return body.emitOpError("has 'tg.parallel_extent', but is not a lowered "
                          "kernel: it needs a body and takes pointers to "
                          "buffers and ")
         << numIndices << " values of type i64";
}

namespace {
struct TgAddKernelInterfacePass
    : tg::impl::TgAddKernelInterfaceBase<TgAddKernelInterfacePass> {
  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> bodies;
    for (auto func : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (func->hasAttr(parallelExtentAttrName))
        bodies.push_back(func);
    for (LLVM::LLVMFuncOp body : bodies) {
      auto variables = body->getAttrOfType<ArrayAttr>(variablesAttrName);
      const unsigned numVariables = variables ? variables.size() : 0;
      if (failed(checkBody(body, numVariables)))
        return signalPassFailure();
      for (StringRef name : {parallelExtentAttrName, outputsAttrName,
                             inPlaceAttrName, variablesAttrName})
        body->removeAttr(name);
      fenceNontemporalStores(body);
      addInterface(body, numVariables);
    }
  }
};
} // namespace
