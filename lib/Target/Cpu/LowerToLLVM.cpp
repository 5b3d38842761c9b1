//===- LowerToLLVM.cpp - vector code to LLVM's dialect --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The MLIR passes of the CPU target and the functions of the C interface.
///
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "TinyGrad/Conversion/MathToPolynomial/MathToPolynomial.h"
#include "TinyGrad/Conversion/TgToVector/TgToVector.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tg;

namespace {
/// One conversion with the patterns of all dialects that are left: values of
/// any of them may meet in one loop.
struct ToLLVMPass : PassWrapper<ToLLVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToLLVMPass)
  StringRef getName() const override { return "tg-cpu-to-llvm"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns),
                                   config)))
      signalPassFailure();
  }
};
} // namespace

/// Bytes that an argument of the function certainly has; 0 if unknown.
static int64_t getBytes(Type type) {
  auto buffer = cast<MemRefType>(type);
  return buffer.hasStaticShape() ? getBufferBytes(buffer) : 0;
}

/// Says of a kernel's buffers what LLVM can use: they do not overlap where one
/// of them is written (apart from kernels that work in place), and how much of
/// them there is.
static void annotateArguments(func::FuncOp func) {
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
    if (int64_t bytes = getBytes(type))
      func.setArgAttr(i, LLVM::LLVMDialect::getDereferenceableAttrName(),
                      IntegerAttr::get(i64, bytes));
  }
}

/// Exports the kernel under its name with the C interface. `body`, whose
/// arguments say which buffers do not overlap, is inlined by LLVM, which turns
/// that into metadata: one function costs half of what two do.
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

/// Writes past the caches may reach memory after later ones. Whoever learns
/// that the kernel is done has to see them.
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

LogicalResult cpu::lowerToLLVM(ModuleOp module, bool verifyEach) {
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal())
      annotateArguments(func);
  PassManager passes(module.getContext());
  passes.enableVerifier(verifyEach);
  passes.addPass(createTgExpandMath());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(std::make_unique<ToLLVMPass>());
  if (failed(passes.run(module)))
    return failure();
  SmallVector<LLVM::LLVMFuncOp> bodies;
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (func->hasAttr(parallelExtentAttrName))
      bodies.push_back(func);
  for (LLVM::LLVMFuncOp body : bodies) {
    auto variables = body->getAttrOfType<ArrayAttr>(variablesAttrName);
    for (StringRef name : {parallelExtentAttrName, outputsAttrName,
                           inPlaceAttrName, variablesAttrName})
      body->removeAttr(name);
    fenceNontemporalStores(body);
    addInterface(body, variables ? variables.size() : 0);
  }
  return success();
}
