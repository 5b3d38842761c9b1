//===- tg-compile.cpp - shows what a tensor graph is compiled to ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg-compile file.mlir --emit=STAGE -o out` takes a module of level 1 of the
/// `tg` dialect through the compiler as far as the stage and writes the result.
///
//===----------------------------------------------------------------------===//

#include "support/ToolSupport.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Target/Cpu/CpuTarget.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::tg;
namespace cl = llvm::cl;

namespace {
enum class Stage { Kernels, Scheduled, Vector, Mlir, Llvm, Asm, Obj };
} // namespace

static cl::OptionCategory category("Options of tg-compile");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<file.mlir>"),
                                      cl::cat(category));
static cl::opt<Stage> stage(
    "emit", cl::desc("What to write"), cl::init(Stage::Scheduled),
    cl::values(
        clEnumValN(Stage::Kernels, "kernels", "level 2: kernels, unscheduled"),
        clEnumValN(Stage::Scheduled, "scheduled", "level 3: scheduled kernels"),
        clEnumValN(Stage::Vector, "vector",
                   "loops and vectors of upstream's dialects"),
        clEnumValN(Stage::Mlir, "mlir", "MLIR's LLVM dialect"),
        clEnumValN(Stage::Llvm, "llvm", "LLVM IR after LLVM's passes"),
        clEnumValN(Stage::Asm, "asm", "assembly"),
        clEnumValN(Stage::Obj, "obj", "an object file")),
    cl::cat(category));
static cl::opt<std::string> outputFile("o", cl::init("-"),
                                       cl::desc("Where it is written"),
                                       cl::value_desc("file"),
                                       cl::cat(category));
static cl::opt<std::string>
    deviceName("device",
               cl::desc("Device to compile for, instead "
                        "of that of DEV or the best "
                        "one"),
               cl::value_desc("name"), cl::cat(category));

/// Why `module`, which is not scheduled yet, needs no kernel if that turns out
/// so.
static std::string explainNoKernel(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    FunctionType type = func.getFunctionType();
    for (Type part :
         llvm::concat<const Type>(type.getInputs(), type.getResults()))
      if (!isa<RankedTensorType>(part)) {
        os << "'@" << func.getSymName() << "' is not a tensor graph, whose "
           << "arguments and results are ranked tensors, not '" << part << "'";
        return text;
      }
    for (Operation &op : func.getBody().front())
      if (!isa<func::ReturnOp>(op) &&
          !isa_and_nonnull<TgDialect>(op.getDialect())) {
        os << "'@" << func.getSymName() << "' is not a tensor graph, which "
           << "consists of operations of the tg dialect, not '" << op.getName()
           << "'";
        return text;
      }
  }
  os << "'" << inputFile << "' computes nothing, so it needs no kernel";
  return text;
}

/// Generates code for the scheduled kernels of `module`; \p reason says why
/// there are none.
static LogicalResult emitCode(ModuleOp module, tinygrad::Device &device,
                              raw_ostream &os, const std::string &reason) {
  if (StringRef(device.name()).split(':').first != "CPU")
    return reportError("there is no code generator for the device " +
                       device.name());
  if (module.getOps<KernelOp>().empty())
    return reportError("there is no code: " + reason);
  std::string text;
  CpuDumps dumps;
  if (stage == Stage::Vector)
    dumps.vector = &text;
  if (stage == Stage::Mlir)
    dumps.llvmDialect = &text;
  if (stage == Stage::Llvm)
    dumps.llvmIR = &text;
  if (stage == Stage::Asm)
    dumps.assembly = &text;
  FailureOr<CpuObject> object = compileToObject(
      module, CpuTargetOptions::host(), dumps, tinygrad::verifyEveryRewrite());
  if (failed(object))
    return failure();
  if (stage == Stage::Obj)
    os.write(object->bytes.data(), object->bytes.size());
  else
    os << text;
  return success();
}

static LogicalResult runMain() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  tinygrad::prepareContext(context);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = loadModule(inputFile, context, sources);
  if (!module)
    return failure();
  std::error_code code;
  llvm::ToolOutputFile output(outputFile, code,
                              stage == Stage::Obj ? llvm::sys::fs::OF_None
                                                  : llvm::sys::fs::OF_Text);
  if (code)
    return reportError("cannot write '" + outputFile + "': " + code.message());
  if (stage == Stage::Obj && output.os().is_displayed())
    return reportError("an object file is not for the terminal; name a file "
                       "with -o");
  try {
    tinygrad::Device &device = getDevice(deviceName);
    const std::string reason = explainNoKernel(*module);
    tinygrad::schedule(*module, device);
    if (stage != Stage::Kernels)
      tinygrad::optimize(*module, device);
    if (stage == Stage::Kernels || stage == Stage::Scheduled) {
      module->print(output.os());
    } else if (failed(emitCode(*module, device, output.os(), reason))) {
      return failure();
    }
  } catch (const tinygrad::Error &error) {
    return reportError(error.what());
  }
  output.os().flush();
  if (output.os().has_error()) {
    std::string reason = output.os().error().message();
    output.os().clear_error();
    return reportError("cannot write '" + outputFile + "': " + reason);
  }
  output.keep();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  installOutOfMemoryHandler();
  llvm::setBugReportMsg(
      "This is a mistake in tg-compile, not in its input. Please "
      "report it, with the input.\n");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Compiles a tensor graph\n");
  return getExitStatus(runMain());
}
