//===- GPUTarget.h - what targets for GPUs share ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The way from scheduled kernels to LLVM IR for a GPU. What follows differs
/// between vendors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TARGET_GPU_GPUTARGET_H
#define TINYGRAD_LIB_TARGET_GPU_GPUTARGET_H

#include "../CodeGen/CodeGen.h"
#include "TinyGrad/Target/GPUChip.h"
#include "TinyGrad/Target/Target.h"

namespace mlir::tg {

class GPUTarget : public Target {
public:
  std::string getCacheKey(const CompileFlags &flags) const override;
  TargetFacts getFacts() const override { return facts; }
  void registerDialects(DialectRegistry &registry) const override {
    registerGPUDialects(registry);
  }
  LaunchShape getLaunch(KernelOp kernel) const override;
  FailureOr<std::vector<char>> compile(ArrayRef<KernelOp> kernels,
                                       const CompileFlags &flags,
                                       StageTexts *texts) const override;

  static void registerGPUDialects(DialectRegistry &registry);

protected:
  GPUTarget(std::string name, const GPUOptions &options,
            codegen::Processor processor);

  /// LLVM's passes, as text.
  virtual std::string getPasses() const {
    return "function(sroa,early-cse<memssa>,loop-mssa(loop-rotate,licm),"
           "instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg)";
  }
  /// Completes the module before LLVM's passes.
  virtual void prepare(llvm::Module &module) const {}
  /// Generates code, and the text of it if `text` is not null. Returns the
  /// reason if that fails.
  virtual FailureOr<std::vector<char>> generate(llvm::Module &module,
                                                const codegen::Machine &machine,
                                                StageTexts *texts,
                                                std::string &error) const = 0;

  const GPUChip chip;

private:
  const TargetFacts facts;
  const codegen::Processor processor;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_TARGET_GPU_GPUTARGET_H
