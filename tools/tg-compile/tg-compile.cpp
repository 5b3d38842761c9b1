//===- tg-compile.cpp - prints the stages of a compilation ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg-compile file.mlir --emit=STAGE -o out` compiles a module of the `tg`
/// dialect, of level 1, 2 or 3, up to the given stage and writes the result.
/// `tg-compile file.mlir --emit=library -o DIRECTORY/NAME` makes a C library of
/// the functions of such a module, `--emit=c` the same as C source, and
/// `--emit=artifact -o NAME.tga` a file that `tg-run` and the runtime run
/// without the compiler.
///
//===----------------------------------------------------------------------===//

#include "support/ToolSupport.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "TinyGrad/Export/Library.h"
#include "TinyGrad/Runtime/Artifact.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::tg;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tg-compile");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<file.mlir>"),
                                      cl::cat(category));
static cl::opt<std::string> stage(
    "emit",
    cl::desc("What to write: 'kernels' (level 2, unscheduled), 'scheduled' "
             "(level 3), a stage of the target (of the CPU: 'vector', 'mlir', "
             "'llvm', 'asm'; of GPUs: 'gpu', 'mlir', 'llvm', 'ptx' or 'asm'), "
             "'obj', the code itself, 'library': libNAME.a, libNAME.so, "
             "NAME.h and NAME.hpp for -o DIRECTORY/NAME, 'c': the same library "
             "with NAME.c instead of machine code, or 'artifact': a program "
             "that tg-run and the runtime run, NAME.tga for -o NAME.tga"),
    cl::value_desc("stage"), cl::init("scheduled"), cl::cat(category));
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
static cl::opt<std::string>
    targetName("target",
               cl::desc("What to compile for, instead of the target that the "
                        "file names or that of the device: cpu:x86-64-v3, "
                        "cpu:aarch64:neoverse-v1, cuda:sm_90, "
                        "amd:gfx1100. Of a library: one or more processors, "
                        "with commas between, of which it uses the last one "
                        "that it can run"),
               cl::value_desc("name"), cl::cat(category));

static cl::opt<std::string>
    entryName("entry", cl::init("main"),
              cl::desc("Of an artifact: the function that it runs"),
              cl::value_desc("name"), cl::cat(category));
static cl::opt<bool>
    threads("parallel-for",
            cl::desc("Of a library: functions take a parallel loop of the "
                     "caller, and run large kernels on its threads"),
            cl::cat(category));
static cl::opt<bool>
    tbb("tbb",
        cl::desc("Of a library: --parallel-for, and NAME_tbb.cpp with such a "
                 "loop on oneTBB, which the program compiles"),
        cl::cat(category));
static cl::opt<bool> staticScratch(
    "static-scratch",
    cl::desc("Of a library: intermediates are in its own static memory, not in "
             "memory that the caller gives; one thread may call a function at "
             "a time"),
    cl::cat(category));

static cl::opt<bool> stateFiles(
    "state-files",
    cl::desc("Of a library: functions NAME_load and NAME_save read and write "
             "the state as a safetensors file in memory"),
    cl::cat(category));
static cl::opt<bool>
    report("report",
           cl::desc("Of a library: also write NAME.report.txt, which says for "
                    "each function how many instructions a call executes at "
                    "most, what it reads and writes, its stack, and what "
                    "depends on data"),
           cl::cat(category));

/// Whether a function of the module is still to be scheduled.
static bool hasGraph(ModuleOp module) {
  return llvm::any_of(*module.getBody(), [](Operation &op) {
    const std::optional<LevelRange> levels = getLevels(&op);
    return levels && levels->first == ModuleLevel::TensorGraph;
  });
}

/// The reason to report if scheduling `module` produces no kernel.
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
  const WalkResult isSorted = module.walk([](ArgsortOp op) {
    return op.use_empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (isSorted.wasInterrupted())
    os << "'" << inputFile << "' only sorts, which the runtime does, without a "
       << "kernel";
  else
    os << "'" << inputFile << "' computes nothing, so it needs no kernel";
  return text;
}

/// Generates code for the kernels of `module`. \p reason explains the error if
/// there are none.
static LogicalResult emitCode(ModuleOp module, tinygrad::Device &device,
                              tinygrad::CompileOptions options, raw_ostream &os,
                              const std::string &reason) {
  if (module.getOps<KernelOp>().empty())
    return reportError("there is no code: " + reason);
  StageTexts texts;
  if (stage != "obj")
    texts[stage];
  options.checkBounds = false;
  const std::vector<char> code =
      tinygrad::generateCode(module, device, options, &texts);
  if (stage == "obj")
    os.write(code.data(), static_cast<size_t>(code.size()));
  else
    os << texts[stage];
  return success();
}

/// Checks that the target has the requested stage.
static LogicalResult checkStage(const Target &target) {
  std::string names = "kernels, scheduled";
  for (const CompileStage &own : target.getStages())
    names += ", " + own.name.str();
  if (!target.getStages().empty())
    names += ", obj";
  if (StringRef(target.getName()).starts_with("cpu"))
    names += ", library, c";
  if (!StringRef(target.getName()).starts_with("sim"))
    names += ", artifact";
  SmallVector<StringRef> known;
  StringRef(names).split(known, ", ");
  if (llvm::is_contained(known, stage))
    return success();
  return reportError("the target " + target.getName() + " has no stage '" +
                     stage + "'; --emit takes " + names);
}

/// Makes libNAME.a and libNAME.so, or NAME.c, and NAME.h and NAME.hpp of the
/// functions of `module`.
static LogicalResult emitLibrary(ModuleOp module) {
  if (outputFile.empty() || outputFile == "-")
    return reportError("a library consists of several files; name them with -o "
                       "DIRECTORY/NAME");
  if (llvm::sys::path::is_separator(outputFile.back()))
    return reportError("'" + outputFile +
                       "' is a directory; name the library in it: -o "
                       "DIRECTORY/NAME");
  const StringRef directory = llvm::sys::path::parent_path(outputFile);
  if (!directory.empty() && !llvm::sys::fs::is_directory(directory))
    return reportError("'" + directory.str() + "' is not a directory");
  tinygrad::LibraryOptions options;
  options.name = llvm::sys::path::filename(outputFile).str();
  options.threads = threads;
  options.tbb = tbb;
  options.staticScratch = staticScratch;
  options.source = stage == "c";
  options.report = report;
  options.stateFiles = stateFiles;
  SmallVector<StringRef> names;
  StringRef(targetName).split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  options.targets.assign(names.begin(), names.end());
  try {
    const tinygrad::Library library = tinygrad::buildLibrary(module, options);
    tinygrad::writeLibrary(library, directory.str());
  } catch (const tinygrad::Error &error) {
    return reportError(error.what());
  }
  return success();
}

/// The target that the module names. One that is only described, and not known
/// by its name, is that of no code generator.
static const Target *findNamedTarget(ModuleOp module) {
  std::string ignored;
  auto named = module->getAttrOfType<TargetAttr>(targetAttrName);
  return named ? lookupTarget(named.getName(), ignored) : nullptr;
}

/// Writes a program that runs without the compiler. Opens no device if the
/// target is named.
static LogicalResult emitArtifact(ModuleOp module) {
  if (outputFile == "-")
    return reportError("an artifact is not for the terminal; name a file with "
                       "-o, such as net.tga");
  try {
    tinygrad::checkSettings();
    tinygrad::CompileOptions options;
    options.entry = entryName;
    std::string target = targetName;
    if (const Target *named = findNamedTarget(module);
        named && target.empty() && deviceName.empty())
      target = named->getName();
    if (target.empty())
      target = tinygrad::getTarget(getDevice(deviceName)).getName();
    tinygrad::compileToArtifact(module, target, options).save(outputFile);
  } catch (const tinygrad::Error &error) {
    return reportError(error.what());
  }
  return success();
}

static LogicalResult runMain() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  tinygrad::prepareContext(context);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(inputFile);
  if (!input)
    return failure();
  if (tinygrad::Artifact::isArtifact(std::string_view(input->getBuffer())))
    return reportError("'" + inputFile +
                       "' is an artifact, which is compiled; `tg-run " +
                       inputFile + "` runs it");
  OwningOpRef<ModuleOp> module = loadModule(std::move(input), context, sources);
  if (!module)
    return failure();
  if (stage == "library" || stage == "c")
    return emitLibrary(*module);
  if (threads || tbb || staticScratch || report || stateFiles)
    return reportError("--parallel-for, --tbb, --static-scratch, --report and "
                       "--state-files are options of --emit=library, the first "
                       "three of --emit=c too");
  if (stage == "artifact")
    return emitArtifact(*module);
  if (entryName.getNumOccurrences() != 0)
    return reportError("--entry is an option of --emit=artifact");
  std::error_code code;
  llvm::ToolOutputFile output(outputFile, code,
                              stage == "obj" ? llvm::sys::fs::OF_None
                                             : llvm::sys::fs::OF_Text);
  if (code)
    return reportError("cannot write '" + outputFile + "': " + code.message());
  if (stage == "obj" && output.os().is_displayed())
    return reportError("an object file is not for the terminal; name a file "
                       "with -o");
  try {
    tinygrad::Device &device = getDevice(deviceName);
    const std::string reason = explainNoKernel(*module);
    tinygrad::CompileOptions options;
    std::string error;
    if (!targetName.empty()) {
      options.target = lookupTarget(targetName, error);
      if (!options.target)
        return reportError(error);
    } else {
      options.target = findNamedTarget(*module);
    }
    const Target &target = tinygrad::getTarget(device, options);
    if (failed(checkStage(target)))
      return failure();
    if ((*module).getOps<KernelOp>().empty() || hasGraph(*module))
      tinygrad::schedule(*module, device, options);
    if (stage == "scheduled" && !isScheduled(*module))
      tinygrad::optimize(*module, device, options);
    if (stage == "kernels" || stage == "scheduled") {
      module->print(output.os());
    } else if (failed(
                   emitCode(*module, device, options, output.os(), reason))) {
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
