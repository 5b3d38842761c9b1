//===- CallGraphs.cpp - calls of tensor graphs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds the bodies of functions that tg-outline declares: from buffers of
/// memref to pointers, with memory for intermediates.
///
//===----------------------------------------------------------------------===//

#include "CallGraphs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tg;

/// What a call of the host program takes, as tg-outline declares it.
static LogicalResult checkParameters(func::FuncOp call,
                                     const HostFunction &host) {
  SmallVector<Type> types;
  for (const HostFunction::Argument &argument : host.arguments)
    types.push_back(argument.type);
  for (const HostFunction::Result &result : host.results) {
    types.push_back(result.type);
    if (result.inPlace)
      return call.emitOpError("calls a tensor graph that writes to its "
                              "argument ")
             << *result.inPlace;
  }
  types.append(host.variables.size(), IntegerType::get(call.getContext(), 64));
  auto expected = FunctionType::get(call.getContext(), types, {});
  if (call.getFunctionType() != expected)
    return call.emitOpError("is a ")
           << call.getFunctionType()
           << ", but the tensor graph that it calls is lowered to a "
           << expected;
  for (auto [i, argument] : llvm::enumerate(host.arguments))
    if (argument.alignment > argument.type.getElementTypeBitWidth() / 8 &&
        argument.alignment > 1)
      return call.emitOpError("calls kernels that take argument ")
             << i << " at a multiple of " << argument.alignment
             << " bytes only";
  return success();
}

LLVM::GlobalOp mlir::tg::addStaticScratch(ModuleOp module, int64_t bytes) {
  OpBuilder builder(module.getContext());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(),
                                       static_cast<uint64_t>(bytes));
  auto scratch = LLVM::GlobalOp::create(
      builder, module.getLoc(), type, /*isConstant=*/false,
      LLVM::Linkage::Internal, "tg.scratch", /*value=*/Attribute(),
      /*alignment=*/64);
  // The module may have one from an earlier run.
  SymbolTable(module).insert(scratch);
  return scratch;
}

LogicalResult mlir::tg::buildCallBody(func::FuncOp call,
                                      const HostFunction &host, bool hasThreads,
                                      LLVM::GlobalOp staticScratch) {
  if (failed(checkParameters(call, host)))
    return failure();
  const Location loc = call.getLoc();
  OpBuilder builder(call.getContext());
  builder.setInsertionPointToStart(call.addEntryBlock());
  const Type pointer = LLVM::LLVMPointerType::get(call.getContext());
  const Type i64 = builder.getI64Type();
  auto module = call->getParentOfType<ModuleOp>();

  SmallVector<Value> operands;
  for (Value argument : call.getArguments()) {
    if (!isa<MemRefType>(argument.getType())) {
      operands.push_back(argument);
      continue;
    }
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, argument);
    Value number = arith::IndexCastOp::create(builder, loc, i64, address);
    operands.push_back(LLVM::IntToPtrOp::create(builder, loc, pointer, number));
  }
  // Not memref.alloc: this memory is of no concern to deallocation passes.
  Value scratch;
  if (host.scratchBytes == 0) {
    scratch = LLVM::ZeroOp::create(builder, loc, pointer);
  } else if (staticScratch) {
    scratch = LLVM::AddressOfOp::create(builder, loc, staticScratch);
  } else {
    FailureOr<LLVM::LLVMFuncOp> allocate =
        LLVM::lookupOrCreateAlignedAllocFn(builder, module, i64);
    if (failed(allocate))
      return failure();
    Value alignment = LLVM::ConstantOp::create(builder, loc, i64,
                                               builder.getI64IntegerAttr(64));
    Value bytes = LLVM::ConstantOp::create(
        builder, loc, i64, builder.getI64IntegerAttr(host.scratchBytes));
    scratch = LLVM::CallOp::create(builder, loc, *allocate,
                                   ValueRange{alignment, bytes})
                  .getResult();
  }
  operands.push_back(scratch);
  if (hasThreads)
    operands.push_back(LLVM::ZeroOp::create(builder, loc, pointer));
  LLVM::CallOp::create(builder, loc, host.function, operands);
  if (host.scratchBytes != 0 && !staticScratch) {
    FailureOr<LLVM::LLVMFuncOp> release =
        LLVM::lookupOrCreateFreeFn(builder, module);
    if (failed(release))
      return failure();
    LLVM::CallOp::create(builder, loc, *release, scratch);
  }
  func::ReturnOp::create(builder, loc);
  return success();
}
