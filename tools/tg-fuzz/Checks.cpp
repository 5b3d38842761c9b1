//===- Checks.cpp - running a graph in two ways ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interpreter against the canonicalizer and against compiled code.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "Generator.h"
#include "Tracker.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "support/ToolSupport.h"

#include <cerrno>
#include <cstring>
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

/// Compares everything a run leaves: results, then arguments.
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

static Outcome checkCanonicalized(ModuleOp original,
                                  const ExpectedRun &expected,
                                  std::vector<HostTensor> inputs,
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
  SmallVector<HostTensor> results;
  if (failed(interpret(module->lookupSymbol<func::FuncOp>("main"), inputs,
                       results))) {
    message = "canonicalized: " + message;
    return Outcome::Failed;
  }
  return compare(expected, results, inputs, "canonicalized", message);
}

static Outcome checkCompiled(ModuleOp original, const ExpectedRun &expected,
                             ArrayRef<HostTensor> inputs, bool noOpt,
                             StringRef deviceName, std::string &message) {
  std::string path = noOpt ? "compiled, NOOPT=1" : "compiled";
  OwningOpRef<ModuleOp> module = original.clone();
  auto function = module->lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < inputs.size(); ++i)
    function.removeArgAttr(i, inputAttrName);
  SmallVector<Type> inputTypes(function.getArgumentTypes());
  SmallVector<Type> resultTypes(function.getResultTypes());
  try {
    // Every graph is new: nothing to remember, on disk least of all.
    tinygrad::Context settings({{"CACHELEVEL", 0}});
    tinygrad::Device &device = tinygrad::Device::get(deviceName.str());
    tinygrad::CompileOptions options;
    options.noOptimization = noOpt;
    options.verifyEach = true;
    auto program = tinygrad::compile(*module, device, options);
    std::vector<tinygrad::Buffer> buffers =
        toBuffers(device, inputs, inputTypes);
    std::vector<tinygrad::Buffer> outputs = program->run(buffers);
    device.synchronize();
    auto gather = [](ArrayRef<TrackedTensor> expected, TypeRange types,
                     ArrayRef<tinygrad::Buffer> from) {
      std::vector<HostTensor> tensors;
      for (auto [tracked, type, buffer] :
           llvm::zip_equal(expected, types, from))
        tensors.push_back(fromBuffer(buffer, cast<RankedTensorType>(type),
                                     tracked.tensor.shape));
      return tensors;
    };
    return compare(expected, gather(expected.results, resultTypes, outputs),
                   gather(expected.arguments, inputTypes, buffers), path,
                   message);
  } catch (const tinygrad::Error &error) {
    message = path + ": " + error.what();
    return Outcome::Failed;
  }
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
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function)
    return Outcome::Useless;
  FailureOr<std::vector<HostTensor>> inputs = getInputs(function);
  if (failed(inputs))
    return Outcome::Useless;
  std::optional<ExpectedRun> expected = trackFunction(function, *inputs);
  if (!expected)
    return Outcome::Useless;
  Outcome outcome = Outcome::Good;
  if (options.canonicalize)
    outcome = checkCanonicalized(module, *expected, *inputs, message);
  if (outcome == Outcome::Good && !options.device.empty())
    outcome = checkCompiled(module, *expected, *inputs, /*noOpt=*/false,
                            options.device, message);
  if (outcome == Outcome::Good && !options.device.empty() && options.noOpt)
    outcome = checkCompiled(module, *expected, *inputs, /*noOpt=*/true,
                            options.device, message);
  return outcome;
}

Outcome mlir::tg::runGuarded(unsigned seconds, std::string &message,
                             llvm::function_ref<Outcome(std::string &)> body) {
  // The child's message comes back through memory that both share.
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
    // Sanitizers and assertions leave with codes of their own.
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
