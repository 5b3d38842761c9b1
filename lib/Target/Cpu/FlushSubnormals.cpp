//===- FlushSubnormals.cpp - kernels that flush subnormal numbers ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes kernels compute in the processor's mode in which subnormal operands
/// and results of floating-point instructions are zeros. The mode is a bit of a
/// register of each thread. A kernel sets it when it is called and restores the
/// register before it returns, so that callers and the threads of other
/// libraries never see it.
///
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::tg;

/// MXCSR of x86: subnormal results become zeros, and so do subnormal operands.
static constexpr uint32_t kFlushToZero = 1u << 15, kDenormalsAreZero = 1u << 6;
/// FPCR of AArch64: both.
static constexpr uint64_t kFlushBit = uint64_t(1) << 24;

namespace {
/// The register with the modes of floating-point arithmetic.
class ModeRegister {
public:
  /// \p builder is at the beginning of a function.
  ModeRegister(llvm::IRBuilder<> &builder, const llvm::Triple &triple)
      : builder(builder), isX86(triple.isX86()) {
    if (isX86)
      slot = builder.CreateAlloca(builder.getInt32Ty());
  }

  llvm::Value *read() {
    if (!isX86)
      return builder.CreateIntrinsic(builder.getInt64Ty(),
                                     llvm::Intrinsic::aarch64_get_fpcr, {});
    builder.CreateIntrinsic(builder.getVoidTy(),
                            llvm::Intrinsic::x86_sse_stmxcsr, {slot});
    return builder.CreateLoad(builder.getInt32Ty(), slot);
  }
  void write(llvm::Value *modes) {
    if (!isX86) {
      builder.CreateIntrinsic(builder.getVoidTy(),
                              llvm::Intrinsic::aarch64_set_fpcr, {modes});
      return;
    }
    builder.CreateStore(modes, slot);
    builder.CreateIntrinsic(builder.getVoidTy(),
                            llvm::Intrinsic::x86_sse_ldmxcsr, {slot});
  }
  llvm::Value *withFlushing(llvm::Value *modes) {
    return isX86 ? builder.CreateOr(modes, builder.getInt32(kFlushToZero |
                                                            kDenormalsAreZero))
                 : builder.CreateOr(modes, builder.getInt64(kFlushBit));
  }

private:
  llvm::IRBuilder<> &builder;
  const bool isX86;
  llvm::Value *slot = nullptr;
};
} // namespace

/// Sets the mode around the call of the function that computes.
static void surroundCall(llvm::CallInst &call, const llvm::Triple &triple) {
  llvm::Function &body = *call.getCalledFunction();
  // LLVM moves arithmetic over changes of the mode, but not out of a function
  // that it does not inline.
  body.removeFnAttr(llvm::Attribute::AlwaysInline);
  body.addFnAttr(llvm::Attribute::NoInline);
  body.addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
  llvm::IRBuilder<> builder(
      &*call.getFunction()->getEntryBlock().getFirstInsertionPt());
  ModeRegister modes(builder, triple);
  builder.SetInsertPoint(&call);
  llvm::Value *before = modes.read();
  modes.write(modes.withFlushing(before));
  builder.SetInsertPoint(call.getNextNode());
  modes.write(before);
}

LogicalResult cpu::flushSubnormals(llvm::Module &module,
                                   const CpuTargetOptions &target,
                                   std::string &error) {
  const llvm::Triple triple(target.triple);
  if (!triple.isX86() && !triple.isAArch64()) {
    error = "FTZ=1, but there is no mode of " + triple.getArchName().str() +
            " in which subnormal numbers become zeros; FTZ=0 keeps them";
    return failure();
  }
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (llvm::Function *body = call->getCalledFunction();
            body && body->hasInternalLinkage())
          calls.push_back(call);
  for (llvm::CallInst *call : calls)
    surroundCall(*call, triple);
  return success();
}
