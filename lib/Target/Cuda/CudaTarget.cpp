//===- CudaTarget.cpp - PTX for NVIDIA's GPUs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The code is PTX as text, which the driver compiles for the GPU that it
/// finds. The option is the oldest such GPU: "cuda:sm_90", or "cuda:sm_90:tf32"
/// if products of f32 may round their factors to tf32. Code for "cuda:sm_90a"
/// runs on GPUs of compute capability 9.0 only.
///
//===----------------------------------------------------------------------===//

#include "../GPU/GPUTarget.h"
#include "../TargetKind.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace mlir::tg;

/// The GPU to compile for if none is named: the oldest one that CUDA 13
/// supports.
static constexpr llvm::StringLiteral kDefaultChip = "sm_75";

namespace {
class CudaTarget final : public GPUTarget {
public:
  explicit CudaTarget(const GPUOptions &options)
      : GPUTarget("cuda:" + options.str(), options,
                  {"nvptx64-nvidia-cuda", std::string(options.chip.name),
                   // The first version of PTX with the matrix operations that
                   // the chip has.
                   options.chip.name == "sm_75" ? "+ptx65" : "", 2}) {}

  ArrayRef<CompileStage> getStages() const override {
    static constexpr CompileStage stages[] = {
        {"gpu", "functions of work items in the gpu dialect", 6},
        {"mlir", "MLIR's LLVM dialect", 7},
        {"llvm", "LLVM IR after LLVM's passes", 6},
        {"ptx", "assembly for the driver", 7}};
    return stages;
  }

private:
  std::string getPasses() const override {
    // Loops become several positions at once, as they are annotated, and stay
    // so: ptxas would choose by itself, and spill.
    return GPUTarget::getPasses() +
           ",function(loop-unroll,early-cse<memssa>,instcombine<max-iterations="
           "1;no-verify-fixpoint>,simplifycfg)";
  }
  FailureOr<std::vector<char>> generate(llvm::Module &module,
                                        const codegen::Machine &machine,
                                        StageTexts *texts,
                                        std::string &error) const override;
};
} // namespace

FailureOr<std::vector<char>>
CudaTarget::generate(llvm::Module &module, const codegen::Machine &machine,
                     StageTexts *texts, std::string &error) const {
  llvm::SmallString<0> code;
  if (failed(codegen::generate(module, machine,
                               llvm::CodeGenFileType::AssemblyFile, code))) {
    error = "LLVM makes no PTX";
    return failure();
  }
  if (texts)
    if (auto text = texts->find("ptx"); text != texts->end())
      text->second += code.str();
  return std::vector<char>(code.begin(), code.end());
}

namespace mlir::tg {
TargetKind describeCudaTarget() {
  return {"cuda",
          [](StringRef name, std::string &error) -> std::unique_ptr<Target> {
            const std::optional<GPUOptions> options =
                parseGPUOptions(name, kDefaultChip, error, GPUVendor::nvidia);
            return options ? std::make_unique<CudaTarget>(*options) : nullptr;
          },
          GPUTarget::registerGPUDialects};
}
} // namespace mlir::tg
