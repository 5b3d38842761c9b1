//===- Checks.cpp - differential tests of a graph -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares the interpreter with the canonicalizer and with compiled code.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "Bindings.h"
#include "Derivatives.h"
#include "Generator.h"
#include "Programs/Differences.h"
#include "Programs/Noise.h"
#include "RandomSchedule.h"
#include "Schedules.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Export/Library.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "support/ToolSupport.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::tg;

StringRef mlir::tg::getName(Outcome outcome) {
  switch (outcome) {
  case Outcome::Good:
    return "good";
  case Outcome::Useless:
    return "not comparable";
  case Outcome::Invalid:
    return "invalid IR";
  case Outcome::Failed:
    return "failure";
  case Outcome::Mismatch:
    return "mismatch";
  case Outcome::Crash:
    return "crash";
  case Outcome::Timeout:
    return "timeout";
  }
  return "";
}

/// Compares all results of a run, then the contents of arguments.
static Outcome compare(const ExpectedRun &expected,
                       ArrayRef<HostTensor> results,
                       ArrayRef<HostTensor> arguments, StringRef path,
                       std::string &message) {
  auto compareList = [&](ArrayRef<TrackedTensor> wanted,
                         ArrayRef<HostTensor> actual, StringRef what) {
    for (auto [i, want, tensor] : llvm::enumerate(wanted, actual))
      if (std::optional<std::string> difference =
              findDifference(want, tensor)) {
        message =
            (path + ": " + what + " " + Twine(i) + ": " + *difference).str();
        return Outcome::Mismatch;
      }
    return Outcome::Good;
  };
  Outcome outcome = compareList(expected.results, results, "result");
  if (outcome != Outcome::Good)
    return outcome;
  return compareList(expected.arguments, arguments, "argument");
}

namespace {
/// A graph with values for its variables, and its expected results.
struct Case {
  Binding binding;
  OwningOpRef<ModuleOp> module;
  std::vector<HostTensor> inputs;
  ExpectedRun expected;

  func::FuncOp getFunction() const {
    return module.get().lookupSymbol<func::FuncOp>("main");
  }
  /// For messages: `compiled`, `compiled, --var n=3`.
  std::string describe(StringRef path) const {
    return binding.empty() ? path.str()
                           : path.str() + ", --var " + toString(binding);
  }
};
} // namespace

static Outcome checkCanonicalized(ModuleOp original, ArrayRef<Case> cases,
                                  std::string &message) {
  OwningOpRef<ModuleOp> module = original.clone();
  PassManager manager(module->getContext());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.enableVerifier(true);
  if (failed(manager.run(*module))) {
    message = "canonicalization: " + message;
    return Outcome::Invalid;
  }
  for (const Case &one : cases) {
    OwningOpRef<ModuleOp> bound = bind(*module, one.binding);
    if (failed(verify(*bound))) {
      message.insert(0, one.describe("canonicalized") + ": ");
      return Outcome::Invalid;
    }
    SmallVector<HostTensor> results;
    std::vector<HostTensor> inputs = one.inputs;
    if (failed(interpret(bound->lookupSymbol<func::FuncOp>("main"), inputs,
                         results))) {
      message.insert(0, one.describe("canonicalized") + ": ");
      return Outcome::Failed;
    }
    Outcome outcome = compare(one.expected, results, inputs,
                              one.describe("canonicalized"), message);
    if (outcome != Outcome::Good)
      return outcome;
  }
  return Outcome::Good;
}

/// Compiles the graph once and runs it for each case.
static Outcome checkCompiled(ModuleOp original, ArrayRef<Case> cases,
                             StringRef deviceName, const std::string &way,
                             tinygrad::CompileOptions options, bool verifyEach,
                             std::string &message, bool asArtifact = false) {
  std::string path = way;
  OwningOpRef<ModuleOp> module = original.clone();
  auto function = module->lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, inputAttrName);
  SmallVector<Type> inputTypes(function.getArgumentTypes());
  SmallVector<Type> resultTypes(function.getResultTypes());
  try {
    // Every graph is new, so caches, especially on disk, are useless; but
    // programs of the tensor API have some kernels in common.
    const bool isProgram = function->hasAttr(noiseAttrName);
    tinygrad::Context settings({{"CACHELEVEL", isProgram ? 1 : 0}});
    tinygrad::Device &device = tinygrad::Device::get(deviceName.str());
    options.verifyEach = verifyEach;
    // A simpler schedule would hide what is wrong with the best one.
    options.fallBack = false;
    std::shared_ptr<tinygrad::CompiledProgram> program;
    if (asArtifact) {
      const std::string bytes =
          tinygrad::compileToArtifact(
              *module, tinygrad::getTarget(device, options), options)
              .save();
      program = tinygrad::Artifact::fromBytes(bytes).link(device);
    } else {
      program = tinygrad::compile(*module, device, options);
    }
    auto gather = [](ArrayRef<TrackedTensor> expected, TypeRange types,
                     ArrayRef<tinygrad::Buffer> from) {
      std::vector<HostTensor> tensors;
      for (auto [tracked, type, buffer] :
           llvm::zip_equal(expected, types, from))
        tensors.push_back(fromBuffer(buffer, cast<RankedTensorType>(type),
                                     tracked.tensor.shape));
      return tensors;
    };
    for (const Case &one : cases) {
      path = one.describe(way);
      const std::vector<int64_t> values =
          orderValues(program->variables(), one.binding);
      std::vector<tinygrad::Buffer> buffers =
          toBuffers(device, one.inputs, inputTypes,
                    getNeededBytes(program->list(), values));
      std::vector<tinygrad::Buffer> outputs = program->run(buffers, values);
      device.synchronize();
      Outcome outcome = compare(
          one.expected, gather(one.expected.results, resultTypes, outputs),
          gather(one.expected.arguments, inputTypes, buffers), path, message);
      if (outcome != Outcome::Good)
        return outcome;
    }
    if (const int64_t count = tinygrad::GlobalCounters::schedulesRefused) {
      message = path + ": " + std::to_string(count) + " schedules were refused";
      return Outcome::Failed;
    }
    return Outcome::Good;
  } catch (const tinygrad::Error &error) {
    message = path + ": " + error.what();
    return Outcome::Failed;
  }
}

/// Calls a function of a library with pointers and sizes. More arguments than
/// it takes do no harm in the calling conventions of C on 64-bit processors.
static int call(void *function, ArrayRef<uint64_t> given) {
  constexpr size_t kMost = 24;
  uint64_t a[kMost] = {};
  assert(given.size() <= kMost);
  llvm::copy(given, a);
  using Function = int (*)(...);
  return reinterpret_cast<Function>(function)(
      a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
      a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21],
      a[22], a[23]);
}

/// Compiles C source to a shared library. Half of the graphs are compiled
/// without the vectors of the compiler, and half of each by Clang, where there
/// is one: compilers make different use of what C leaves undefined.
static bool compileSource(const tinygrad::Library &library,
                          const std::string &directory, std::string &message) {
  const size_t length = library.sourceText.size();
  llvm::ErrorOr<std::string> compiler = llvm::sys::findProgramByName("clang");
  const bool isClang = compiler && length / 2 % 2 == 0;
  if (!isClang)
    compiler = llvm::sys::findProgramByName("cc");
  if (!compiler) {
    message = "there is no C compiler 'cc'";
    return false;
  }
  const std::string source = directory + "/graph.c",
                    output = directory + "/libgraph.so",
                    log = directory + "/log";
  SmallVector<StringRef> arguments = {*compiler,
                                      "-std=c99",
                                      isClang ? "-O2" : "-O1",
                                      "-Wall",
                                      "-Wextra",
                                      "-pedantic",
                                      "-Werror",
                                      "-fPIC",
                                      "-shared",
                                      "-fsanitize=undefined",
                                      "-fno-sanitize-recover=all",
                                      "-o",
                                      output,
                                      source,
                                      "-lm"};
  // Clang's reports need a runtime in the program; its traps do not.
  if (isClang)
    arguments.append({"-fsanitize-trap=all", "-Wno-missing-prototypes"});
  if (length % 2 == 0)
    arguments.push_back("-DGRAPH_PORTABLE");
  const std::optional<StringRef> streams[] = {std::nullopt, StringRef(log),
                                              StringRef(log)};
  if (llvm::sys::ExecuteAndWait(*compiler, arguments, std::nullopt, streams) ==
      0)
    return true;
  message = "the source is not compiled";
  if (auto text = llvm::MemoryBuffer::getFile(log))
    message += ":\n" + (*text)->getBuffer().str();
  return false;
}

/// Makes a library of the graph, loads it, and calls it for each case.
static Outcome checkLibrary(ModuleOp original, ArrayRef<Case> cases,
                            bool asSource, std::string &message) {
  OwningOpRef<ModuleOp> module = original.clone();
  auto function = module->lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, inputAttrName);
  const SmallVector<Type> inputTypes(function.getArgumentTypes()),
      resultTypes(function.getResultTypes());
  llvm::SmallString<64> directory;
  if (llvm::sys::fs::createUniqueDirectory("tg-fuzz", directory)) {
    message = "no temporary directory can be created";
    return Outcome::Failed;
  }
  llvm::scope_exit removeDirectory(
      [&] { llvm::sys::fs::remove_directories(directory); });
  std::string path = "library";
  try {
    tinygrad::LibraryOptions options;
    options.name = "graph";
    options.source = asSource;
    tinygrad::CompileOptions compileOptions;
    compileOptions.fallBack = false;
    const tinygrad::Library library =
        tinygrad::buildLibrary(*module, options, compileOptions);
    const tinygrad::LibraryEntry &entry = library.entries.front();
    if (entry.arguments.size() + entry.results.size() + entry.variables.size() >
        20)
      return Outcome::Useless;
    tinygrad::writeLibrary(library, directory.str().str());
    if (asSource && !compileSource(library, directory.str().str(), message))
      return Outcome::Failed;
    void *handle =
        ::dlopen((directory + "/libgraph.so").str().c_str(), RTLD_NOW);
    void *main = handle ? ::dlsym(handle, "graph_main") : nullptr;
    if (!main) {
      message = path + ": " + ::dlerror();
      return Outcome::Failed;
    }
    tinygrad::Device &device = tinygrad::Device::get("CPU");
    for (const Case &one : cases) {
      path = one.describe("library");
      std::vector<std::size_t> needed;
      for (auto [argument, input] :
           llvm::zip_equal(entry.arguments, one.inputs))
        needed.push_back(argument.elements ? input.bytes.size()
                                           : argument.bytes);
      std::vector<tinygrad::Buffer> buffers =
          toBuffers(device, one.inputs, inputTypes, needed);
      std::vector<uint64_t> given;
      auto give = [&](const tinygrad::Buffer &buffer) {
        // A tensor without elements has memory too in C.
        static char nothing alignas(64)[64];
        const void *address = buffer.size() ? buffer.address() : nothing;
        given.push_back(reinterpret_cast<uint64_t>(address));
      };
      for (const tinygrad::Buffer &buffer : buffers)
        give(buffer);
      // Results that are arguments are compared there.
      ExpectedRun expected;
      expected.arguments = one.expected.arguments;
      SmallVector<Type> types;
      std::vector<tinygrad::Buffer> outputs;
      for (const tinygrad::LibraryTensor &result : entry.results) {
        const unsigned number = std::stoul(result.name.substr(1));
        types.push_back(resultTypes[number]);
        expected.results.push_back(one.expected.results[number]);
        outputs.push_back(allocateGuarded(
            device,
            result.elements ? one.expected.results[number].tensor.bytes.size()
                            : result.bytes,
            result.dtype, kBufferAlignment));
        give(outputs.back());
      }
      for (int64_t value : orderValues(entry.variables, one.binding))
        given.push_back(static_cast<uint64_t>(value));
      const tinygrad::Buffer scratch =
          tinygrad::Buffer::allocate(device, entry.scratchBytes);
      if (entry.scratchBytes > 0)
        give(scratch);
      if (const int status = call(main, given)) {
        message = path + ": the function returned " + std::to_string(status);
        return Outcome::Failed;
      }
      if (!llvm::all_of(outputs, isEndIntact)) {
        message = path + ": memory behind a result is written";
        return Outcome::Failed;
      }
      auto gather = [](ArrayRef<TrackedTensor> wanted, TypeRange wantedTypes,
                       ArrayRef<tinygrad::Buffer> from) {
        std::vector<HostTensor> tensors;
        for (auto [tracked, type, buffer] :
             llvm::zip_equal(wanted, wantedTypes, from))
          tensors.push_back(fromBuffer(buffer, cast<RankedTensorType>(type),
                                       tracked.tensor.shape));
        return tensors;
      };
      const Outcome outcome = compare(
          expected, gather(expected.results, types, outputs),
          gather(expected.arguments, inputTypes, buffers), path, message);
      if (outcome != Outcome::Good)
        return outcome;
    }
    ::dlclose(handle);
    return Outcome::Good;
  } catch (const tinygrad::Error &error) {
    // Sorting is the runtime's, and so are copies between devices.
    if (StringRef(error.what()).contains("runtime of a device"))
      return Outcome::Useless;
    message = path + ": " + error.what();
    return Outcome::Failed;
  }
}

/// The expected results of the graph for one binding. Returns Useless if they
/// are not comparable.
static Outcome makeCase(ModuleOp module, const Binding &binding, Case &result,
                        std::string &message) {
  result.binding = binding;
  result.module = bind(module, binding);
  if (failed(verify(*result.module))) {
    message.insert(0, result.describe("bound") + ": ");
    return Outcome::Invalid;
  }
  FailureOr<std::vector<HostTensor>> inputs = getInputs(result.getFunction());
  if (failed(inputs))
    return Outcome::Useless;
  func::FuncOp function = result.getFunction();
  std::optional<ExpectedRun> expected = function->hasAttr(noiseAttrName)
                                            ? runWithNoise(function, *inputs)
                                            : trackFunction(function, *inputs);
  if (!expected)
    return Outcome::Useless;
  result.inputs = std::move(*inputs);
  result.expected = std::move(*expected);
  return Outcome::Good;
}

Outcome mlir::tg::check(ModuleOp module, const CheckOptions &options,
                        std::string &message) {
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          message += diagnostic.str() + "; ";
        return success();
      });
  if (failed(verify(module)))
    return Outcome::Invalid;
  if (!options.schedulesFor.empty())
    return checkSchedules(module, options, message);
  if (!module.lookupSymbol<func::FuncOp>("main"))
    return Outcome::Useless;
  if (getDerivativesSeed(module))
    return checkDerivatives(module, options, message);
  if (module.lookupSymbol("main")->hasAttr(differencesAttrName))
    return checkDifferences(module, message);
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(module);
  if (failed(variables))
    return Outcome::Invalid;
  // Programs are many, and what a user gets is checked.
  const bool verifyEach = !module.lookupSymbol("main")->hasAttr(noiseAttrName);
  std::vector<Case> cases;
  for (const Binding &binding : options.binding.empty()
                                    ? chooseBindings(*variables)
                                    : std::vector<Binding>{options.binding}) {
    Case one;
    Outcome outcome = makeCase(module, binding, one, message);
    if (outcome == Outcome::Good)
      cases.push_back(std::move(one));
    else if (outcome != Outcome::Useless)
      return outcome;
  }
  if (cases.empty())
    return Outcome::Useless;
  message.clear();
  if (options.library)
    return checkLibrary(module, cases, options.librarySource, message);
  if (options.artifact)
    return checkCompiled(module, cases, options.device, "artifact", {},
                         verifyEach, message, /*asArtifact=*/true);
  Outcome outcome = Outcome::Good;
  if (options.canonicalize)
    outcome = checkCanonicalized(module, cases, message);
  if (options.device.empty())
    return outcome;
  if (outcome == Outcome::Good)
    outcome = checkCompiled(module, cases, options.device, "compiled", {},
                            verifyEach, message);
  if (outcome == Outcome::Good && options.noOpt) {
    tinygrad::CompileOptions noOpt;
    noOpt.noOptimization = true;
    outcome = checkCompiled(module, cases, options.device, "compiled, NOOPT=1",
                            noOpt, verifyEach, message);
  }
  for (unsigned i = 0; i < options.randomSchedules && outcome == Outcome::Good;
       ++i) {
    tinygrad::CompileOptions random;
    uint64_t seed = (options.seed + i) * 0x9E3779B97F4A7C15u;
    std::string lists;
    llvm::raw_string_ostream os(lists);
    random.prepareKernel = [&](KernelOp kernel) {
      // An error is a diagnostic, and leaves the kernel unchanged.
      (void)setRandomSchedule(kernel, seed++);
      if (ArrayAttr steps = kernel.getScheduleAttr())
        os << "\nschedule of " << kernel.getName() << ": " << steps;
    };
    outcome = checkCompiled(module, cases, options.device,
                            "compiled, random schedule " +
                                std::to_string(options.seed + i),
                            random, verifyEach, message);
    if (outcome == Outcome::Good && !message.empty())
      outcome = Outcome::Failed;
    if (outcome != Outcome::Good)
      message += lists;
  }
  return outcome;
}

Outcome mlir::tg::runGuarded(unsigned seconds, std::string &message,
                             llvm::function_ref<Outcome(std::string &)> body) {
  // The child's message is returned in shared memory.
  constexpr size_t size = 4096;
  auto *shared = static_cast<char *>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) {
    message = "no memory to share with a child process";
    return Outcome::Failed;
  }
  fflush(nullptr);
  llvm::outs().flush();
  pid_t child = fork();
  if (child == 0) {
    // An alarm ends a child that hangs.
    alarm(seconds);
    std::string text;
    Outcome outcome = body(text);
    std::strncpy(shared, text.c_str(), size - 1);
    llvm::outs().flush();
    _exit(static_cast<int>(outcome));
  }
  Outcome outcome = Outcome::Failed;
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
    ;
  if (child < 0 || ended < 0) {
    message = std::string("no child process: ") + std::strerror(errno);
  } else if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    outcome = signal == SIGALRM ? Outcome::Timeout : Outcome::Crash;
    message = std::string(strsignal(signal)) + " " + shared;
  } else {
    outcome = static_cast<Outcome>(WEXITSTATUS(status));
    // Sanitizers and assertions exit with their own codes.
    if (outcome != Outcome::Good && getName(outcome).empty()) {
      message = "exit code " + std::to_string(WEXITSTATUS(status));
      outcome = Outcome::Crash;
    } else {
      message = shared;
    }
  }
  munmap(shared, size);
  return outcome;
}
