//===- Throwing.cpp - compilation with exceptions -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of Compiler.h that throw CompileError with the text of all
/// errors.
///
//===----------------------------------------------------------------------===//

#include "CompileSteps.h"
#include "DiagnosticCollector.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Runtime/Error.h"

using namespace mlir;
using namespace tinygrad;

/// Calls `step`, which emits an error if it fails. Throws the errors.
template <typename Step> static auto throwErrors(ModuleOp module, Step step) {
  DiagnosticCollector errors(module.getContext());
  auto result = step();
  if (failed(result))
    throw CompileError(errors.getText());
  return result;
}

void tinygrad::schedule(ModuleOp module, Device &device,
                        const CompileOptions &options) {
  (void)throwErrors(module,
                    [&] { return detail::schedule(module, device, options); });
}

void tinygrad::optimize(ModuleOp module, Device &device,
                        const CompileOptions &options) {
  (void)throwErrors(module,
                    [&] { return detail::optimize(module, device, options); });
}

std::vector<char> tinygrad::generateCode(ModuleOp module, Device &device,
                                         const CompileOptions &options,
                                         tg::StageTexts *texts) {
  return *throwErrors(module, [&] {
    return detail::generateCode(module, device, options, texts);
  });
}

std::vector<char> tinygrad::generateCode(ModuleOp module, Device &device,
                                         const CompileOptions &options,
                                         CodeGenerator generate) {
  return *throwErrors(module, [&] {
    return detail::generateCode(module, device, options, generate);
  });
}

std::shared_ptr<CompiledProgram>
tinygrad::compile(ModuleOp module, Device &device,
                  const CompileOptions &options) {
  return *throwErrors(module,
                      [&] { return detail::compile(module, device, options); });
}

Artifact tinygrad::compileToArtifact(ModuleOp module, const tg::Target &target,
                                     const CompileOptions &options) {
  return *throwErrors(module, [&] {
    return detail::compileToArtifact(module, target, options);
  });
}

Artifact tinygrad::compileToArtifact(ModuleOp module, llvm::StringRef target,
                                     const CompileOptions &options) {
  return compileToArtifact(module, detail::findTarget(target), options);
}
