//===- AMDTarget.cpp - code objects for AMD's GPUs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The code is a linked code object in the format of HSA, for one kind of GPU:
/// "amd:gfx1100".
///
//===----------------------------------------------------------------------===//

#include "../GPU/GPUTarget.h"
#include "../TargetKind.h"
#include "TinyGrad/Target/Link/Link.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace mlir::tg;

/// The GPU to compile for if none is named.
static constexpr llvm::StringLiteral kDefaultChip = "gfx942";

/// The version of the format of code objects: 5, which ROCm loads since 5.4.
static constexpr uint32_t kCodeObjectVersion = 500;

/// The size of a subgroup, where the processor has two.
static std::string getFeatures(const GPUChip &chip) {
  return chip.subgroupItems == 64 ? "+wavefrontsize64" : "+wavefrontsize32";
}

namespace {
class AMDTarget final : public GPUTarget {
public:
  explicit AMDTarget(const GPUOptions &options)
      : GPUTarget("amd:" + options.str(), options,
                  {"amdgcn-amd-amdhsa", std::string(options.chip.name),
                   getFeatures(options.chip), 2}) {}

  ArrayRef<CompileStage> getStages() const override {
    static constexpr CompileStage stages[] = {
        {"gpu", "functions of work items in the gpu dialect", 6},
        {"mlir", "MLIR's LLVM dialect", 7},
        {"llvm", "LLVM IR after LLVM's passes", 6},
        {"asm", "assembly", 7}};
    return stages;
  }

private:
  std::string getPasses() const override {
    // The attributor finds out which hidden arguments kernels do not need.
    return GPUTarget::getPasses() + ",amdgpu-attributor";
  }
  void prepare(llvm::Module &module) const override {
    module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                         kCodeObjectVersion);
  }
  FailureOr<std::vector<char>> generate(llvm::Module &module,
                                        const codegen::Machine &machine,
                                        StageTexts *texts,
                                        std::string &error) const override;
};
} // namespace

FailureOr<std::vector<char>>
AMDTarget::generate(llvm::Module &module, const codegen::Machine &machine,
                    StageTexts *texts, std::string &error) const {
  if (texts)
    if (auto text = texts->find("asm"); text != texts->end()) {
      std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
      llvm::SmallString<0> assembly;
      if (failed(codegen::generate(
              *copy, machine, llvm::CodeGenFileType::AssemblyFile, assembly))) {
        error = "LLVM makes no assembly text";
        return failure();
      }
      text->second += assembly.str();
    }
  llvm::SmallVector<char, 0> object;
  if (failed(codegen::generate(module, machine,
                               llvm::CodeGenFileType::ObjectFile, object))) {
    error = "LLVM makes no object file";
    return failure();
  }
  return linkShared(ArrayRef<char>(object), std::string("--no-undefined"),
                    error);
}

namespace mlir::tg {
TargetKind describeAMDTarget() {
  return {"amd",
          [](StringRef name, std::string &error) -> std::unique_ptr<Target> {
            const std::optional<GPUOptions> options =
                parseGPUOptions(name, kDefaultChip, error, GPUVendor::amd);
            return options ? std::make_unique<AMDTarget>(*options) : nullptr;
          },
          GPUTarget::registerGPUDialects};
}
} // namespace mlir::tg
