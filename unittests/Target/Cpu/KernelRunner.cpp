//===- KernelRunner.cpp - compiles and runs kernels in text form ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Combines the CPU target with the runtime's CPU device.
///
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;

struct KernelRunner::Loaded {
  tinygrad::Kernel kernel;
};

KernelRunner::~KernelRunner() = default;

const tg::CpuTargetOptions &KernelRunner::getProcessor() {
  static const tg::CpuTargetOptions options = [] {
    std::string error;
    // Opening the device checks that the host supports the instructions.
    tinygrad::Device::get("CPU");
    return *tg::CpuTargetOptions::forProcessor(tinygrad::processorSetting(),
                                               error);
  }();
  return options;
}

KernelRunner::KernelRunner(const std::string &text,
                           const tg::CpuTargetOptions &options) {
  DialectRegistry registry;
  tg::registerCpuTarget(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(message);
    stream << diagnostic << "\n";
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module)
    return;
  tg::StageTexts texts;
  if (std::getenv("TINYGRAD_TEST_DUMP"))
    for (const char *stage : {"vector", "llvm", "asm"})
      texts[stage];
  FailureOr<tg::CpuObject> object =
      tg::compileToObject(*module, options, {}, &texts);
  vectorText = texts.lookup("vector");
  llvmText = texts.lookup("llvm");
  assemblyText = texts.lookup("asm");
  if (failed(object))
    return;
  if (object->kernels.size() != 1) {
    message = "the module does not hold one kernel";
    return;
  }
  const tg::CpuCompileTimes &t = object->times;
  times[0] = t.lowering, times[1] = t.translate, times[2] = t.optimize,
  times[3] = t.codegen;
  extent = object->kernels[0].parallelExtent;
  try {
    tinygrad::Device &device = tinygrad::Device::get("CPU");
    auto program = device.loadProgram(object->bytes.data(),
                                      object->bytes.size(), "the host");
    loaded = std::make_unique<Loaded>();
    loaded->kernel = tinygrad::Kernel(program, object->kernels[0].name);
    function = reinterpret_cast<decltype(function)>(loaded->kernel.entry());
  } catch (const std::exception &error) {
    message += error.what();
  }
}
