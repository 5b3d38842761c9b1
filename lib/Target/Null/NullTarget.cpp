//===- NullTarget.cpp - the target without code ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The target of the null device: kernels are scheduled with default facts, but
/// no code is generated.
///
//===----------------------------------------------------------------------===//

#include "../TargetKind.h"

using namespace mlir;
using namespace mlir::tg;

namespace {
class NullTarget : public Target {
public:
  NullTarget() : Target("null") {}

  std::string getCacheKey(const CompileFlags &) const override {
    return "null";
  }
  TargetFacts getFacts() const override { return {}; }
  void registerDialects(DialectRegistry &) const override {}
  LaunchShape getLaunch(KernelOp kernel) const override {
    LaunchShape launch;
    launch.parallelExtent = getParallelExtent(kernel);
    return launch;
  }
  ArrayRef<CompileStage> getStages() const override { return {}; }
  FailureOr<std::vector<char>> compile(ArrayRef<KernelOp>, const CompileFlags &,
                                       StageTexts *) const override {
    // Not empty, so that caches store it.
    return std::vector<char>{'\0'};
  }
};
} // namespace

namespace mlir::tg {
TargetKind describeNullTarget() {
  return {
      "null",
      [](StringRef processor, std::string &error) -> std::unique_ptr<Target> {
        if (!processor.empty()) {
          error = "there is one null target, 'null'";
          return nullptr;
        }
        return std::make_unique<NullTarget>();
      },
      [](DialectRegistry &) {}};
}
} // namespace mlir::tg
