//===- tg-fuzz.cpp - random graphs against the reference interpreter ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tg-fuzz --graphs 2000 --seed 1` generates random tensor graphs and compares
/// the results of compiled code with those of the interpreter. Graph number i
/// of a seed does not depend on the other options of the run.
///
/// With `--gradients`, some of them are differentiated first (Derivatives.h).
/// With `--programs`, graphs are those of random programs of the tensor API
/// (Programs/Program.h).
///
/// Graphs run in child processes. Each graph is written to a file before it
/// runs, so that it is available after a crash; it is then shrunk and written
/// to a folder together with the command that reproduces the failure.
///
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Checks.h"
#include "Cliffs.h"
#include "Derivatives.h"
#include "Generator.h"
#include "Programs/Differences.h"
#include "Programs/Program.h"
#include "Schedules.h"
#include "Shrinker.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "mlir/Parser/Parser.h"
#include "support/ToolSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::tg;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tg-fuzz");

static cl::opt<std::string> replayFile(cl::Positional, cl::Optional,
                                       cl::desc("[file.mlir to check again]"),
                                       cl::cat(category));
static cl::opt<uint64_t> graphs("graphs", cl::init(2000),
                                cl::desc("How many graphs to try"),
                                cl::value_desc("N"), cl::cat(category));
static cl::opt<uint64_t> programs(
    "programs", cl::init(0),
    cl::desc("How many random programs of the tensor API to try instead: "
             "compositions of its functions, their gradients and products of "
             "their Hessians"),
    cl::value_desc("N"), cl::cat(category));
static cl::opt<uint64_t>
    first("first", cl::init(0),
          cl::desc("Number of the first graph, or program"),
          cl::value_desc("N"), cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::init(1),
                              cl::desc("Which series of graphs"),
                              cl::value_desc("N"), cl::cat(category));
static cl::opt<int64_t>
    maxOps("max-ops", cl::init(12),
           cl::desc("Maximum number of operations of a graph"),
           cl::value_desc("K"), cl::cat(category));
static cl::opt<int64_t>
    symbolic("symbolic", cl::init(20),
             cl::desc("Percentage of graphs with symbolic shapes"),
             cl::value_desc("percent"), cl::cat(category));
static cl::opt<int64_t> gradients(
    "gradients", cl::init(0),
    cl::desc("Percentage of graphs whose derivatives are checked, and which "
             "are then compiled as gradient programs"),
    cl::value_desc("percent"), cl::cat(category));
static cl::opt<std::string>
    deviceName("device", cl::init("CPU"),
               cl::desc("Where graphs run; 'none' checks the canonicalizer "
                        "alone, in the interpreter"),
               cl::value_desc("name"), cl::cat(category));
static cl::opt<bool>
    noOptToo("noopt", cl::init(true),
             cl::desc("Compile without optimization as well (default on)"),
             cl::cat(category));
static cl::opt<bool> libraries(
    "library", cl::cat(category),
    cl::desc("Make a C library of each graph, load it and compare its results, "
             "instead of anything else"));
static cl::opt<std::string> libraryForm(
    "emit", cl::cat(category), cl::init("library"),
    cl::desc("With --library: 'library', machine code, or 'c', C source, which "
             "cc compiles with checks of undefined behavior"),
    cl::value_desc("form"));
static cl::opt<bool> artifacts(
    "artifact", cl::cat(category),
    cl::desc("Make an artifact of each graph, load it and compare its results, "
             "instead of anything else"));
static cl::opt<unsigned> randomSchedules(
    "random-schedules", cl::init(0),
    cl::desc("With how many random schedules to compile as well"),
    cl::value_desc("N"), cl::cat(category));
static cl::opt<uint64_t> scheduleSeed("schedule-seed", cl::init(1),
                                      cl::desc("Which series of schedules"),
                                      cl::value_desc("N"), cl::cat(category));
static cl::opt<std::string> schedulesFor(
    "verify-schedules",
    cl::desc("Only compare kernels with themselves after their steps, and "
             "after random ones: no code is generated"),
    cl::value_desc("target"), cl::cat(category));
static cl::opt<bool>
    printCounts("print-counts",
                cl::desc("With --verify-schedules: print what was compared"),
                cl::cat(category));
static cl::opt<std::string> outputDir("output-dir",
                                      cl::init("tg-fuzz-failures"),
                                      cl::desc("Folder for graphs that fail"),
                                      cl::value_desc("folder"),
                                      cl::cat(category));
static cl::opt<unsigned> maxFailures("max-failures", cl::init(10),
                                     cl::desc("Stop after this many failures"),
                                     cl::value_desc("N"), cl::cat(category));
static cl::opt<unsigned> timeLimit("timeout", cl::init(60),
                                   cl::desc("Seconds that a graph may take"),
                                   cl::value_desc("s"), cl::cat(category));
static cl::opt<bool> printGraph("print-graph",
                                cl::desc("Print the first graph, or the file, "
                                         "and stop; with --verify-schedules, "
                                         "its kernels with random schedules"),
                                cl::cat(category));
static cl::opt<bool> shrinkFlag("shrink", cl::init(true),
                                cl::desc("Make graphs that fail small "
                                         "(default on)"),
                                cl::cat(category));

static cl::opt<bool>
    cliffs("cliffs", cl::cat(category),
           cl::desc("Look for programs of large tensors that are many times "
                    "slower than with every reduction stored"));
static cl::opt<double>
    cliffFactor("cliff-factor", cl::init(3),
                cl::desc("With --cliffs: how many times slower"),
                cl::value_desc("times"), cl::cat(category));

/// Of one in so many programs, code without optimization is compiled too.
static constexpr uint64_t kNoOptShare = 8;

namespace {
/// Progress that a worker reports in shared memory.
struct Progress {
  uint64_t graph;
  uint64_t useless;
};
} // namespace

static CheckOptions getCheckOptions() {
  CheckOptions options;
  options.device = deviceName == "none" ? "" : deviceName.getValue();
  options.noOpt = noOptToo;
  options.library = libraries;
  options.librarySource = libraryForm == "c";
  options.artifact = artifacts;
  options.randomSchedules = randomSchedules;
  options.seed = scheduleSeed;
  // What programs are for is checked in compiled code.
  options.canonicalize = programs == 0;
  options.schedulesFor = schedulesFor;
  options.printCounts = printCounts;
  if (!schedulesFor.empty())
    options.device.clear();
  return options;
}

static GeneratorOptions getGeneratorOptions() {
  GeneratorOptions options;
  options.maxOps = maxOps;
  options.symbolicPercent = symbolic;
  options.gradientsPercent = gradients;
  if (deviceName != "none")
    options.device = deviceName;
  return options;
}

static uint64_t getGraphSeed(uint64_t graph) {
  // The series of adjacent seeds must not overlap.
  return (seed * 0x9E3779B97F4A7C15u) ^ (graph * 0xD1B54A32D192ED03u + graph);
}

static std::string getPath(const Twine &name) {
  SmallString<128> path(outputDir);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

static LogicalResult writeModule(ModuleOp module, StringRef path,
                                 StringRef header) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return reportError("cannot write '" + path + "': " + code.message());
  os << header;
  // Print all elements.
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(std::numeric_limits<int64_t>::max());
  module->print(os, flags);
  os << '\n';
  return success();
}

/// Writes a graph to a file, then checks it.
static Outcome writeAndCheck(ModuleOp module, std::string &message) {
  if (failed(writeModule(module, getPath("current.mlir"), "")))
    return Outcome::Failed;
  return check(module, getCheckOptions(), message);
}

/// Checks the derivatives of a graph, then its gradient program like any other
/// graph. A graph without gradients is checked like any other itself.
static Outcome checkGradients(OwningOpRef<ModuleOp> module,
                              std::string &message) {
  Outcome outcome = writeAndCheck(*module, message);
  if (outcome != Outcome::Good && outcome != Outcome::Useless)
    return outcome;
  message.clear();
  FailureOr<OwningOpRef<ModuleOp>> program = makeGradientProgram(*module);
  if (failed(program))
    return Outcome::Failed;
  if (*program)
    module = std::move(*program);
  else
    module->lookupSymbol("main")->removeAttr(derivativesAttrName);
  const Outcome compiled = writeAndCheck(*module, message);
  // One of the two checks is enough to be of use.
  return compiled == Outcome::Useless ? outcome : compiled;
}

static tinygrad::fuzz::Program makeProgram(uint64_t number) {
  return tinygrad::fuzz::makeProgram(getGraphSeed(number), {});
}

static Outcome checkProgram(const tinygrad::fuzz::Program &program,
                            std::string &message) {
  CheckOptions options = getCheckOptions();
  // Of some only: the interpreter says more.
  options.noOpt &= program.seed % kNoOptShare == 0;
  return tinygrad::fuzz::checkProgram(
      program, options,
      [](ModuleOp module) {
        return writeModule(module, getPath("current.mlir"), "");
      },
      message);
}

/// Checks the programs from `begin` on, in a child process.
static Outcome workOnPrograms(uint64_t begin, uint64_t end, Progress *progress,
                              std::string &message) {
  for (uint64_t number = begin; number < end; ++number) {
    progress->graph = number;
    alarm(timeLimit);
    const Outcome outcome = checkProgram(makeProgram(number), message);
    if (outcome == Outcome::Useless)
      ++progress->useless;
    else if (outcome != Outcome::Good)
      return outcome;
    message.clear();
  }
  return Outcome::Good;
}

/// Checks the graphs from `begin` on, in a child process.
static Outcome work(uint64_t begin, uint64_t end, Progress *progress,
                    std::string &message) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  tinygrad::prepareContext(context);
  const GeneratorOptions options = getGeneratorOptions();
  for (uint64_t graph = begin; graph < end; ++graph) {
    progress->graph = graph;
    alarm(timeLimit);
    OwningOpRef<ModuleOp> module =
        generateGraph(&context, getGraphSeed(graph), options);
    const Outcome outcome = getDerivativesSeed(*module)
                                ? checkGradients(std::move(module), message)
                                : writeAndCheck(*module, message);
    if (outcome == Outcome::Useless)
      ++progress->useless;
    else if (outcome != Outcome::Good)
      return outcome;
    message.clear();
  }
  return Outcome::Good;
}

static Outcome checkGuarded(ModuleOp module, std::string &message,
                            const Binding &binding = {}) {
  CheckOptions options = getCheckOptions();
  options.binding = binding;
  return runGuarded(timeLimit, message, [&](std::string &text) {
    return check(module, options, text);
  });
}

/// Values of the variables for which a graph fails: a single set if that is
/// sufficient, otherwise the first one that is tried.
static Binding findBinding(ModuleOp module, Outcome outcome,
                           std::string &message) {
  FailureOr<SmallVector<VarAttr>> variables = collectVariables(module);
  if (failed(variables) || variables->empty())
    return {};
  std::vector<Binding> bindings = chooseBindings(*variables);
  for (const Binding &binding : bindings) {
    std::string text;
    if (checkGuarded(module, text, binding) != outcome)
      continue;
    message = text;
    return binding;
  }
  return bindings.front();
}

/// Shrinks the program at which a worker stopped; its graph is in the file of
/// the worker then. Returns it in C++.
static std::string reportProgram(uint64_t number, Outcome outcome) {
  tinygrad::fuzz::Program program = makeProgram(number);
  std::string text;
  auto stillFails = [&](const tinygrad::fuzz::Program &candidate) {
    return runGuarded(timeLimit, text, [&](std::string &message) {
             return checkProgram(candidate, message);
           }) == outcome;
  };
  if (shrinkFlag)
    program = tinygrad::fuzz::shrinkProgram(
        program, stillFails, outcome == Outcome::Timeout ? 20 : 300);
  // If no graph can be built, there is none.
  llvm::sys::fs::remove(getPath("current.mlir"));
  stillFails(program);
  text.clear();
  runGuarded(timeLimit, text, [&](std::string &message) {
    message = tinygrad::fuzz::describe(program);
    return Outcome::Good;
  });
  return text;
}

/// Shrinks the graph at which a worker stopped and reports the failure.
static LogicalResult report(uint64_t graph, Outcome outcome,
                            std::string message) {
  const bool isProgram = programs != 0;
  const StringRef kind = isProgram ? "program" : "graph";
  llvm::outs() << llvm::formatv("{0} {1}: {2}: {3}\n", kind, graph,
                                getName(outcome), message);
  llvm::outs().flush();
  std::string path = getPath(kind + "-" + Twine(uint64_t(seed)) + "-" +
                             Twine(graph) + ".mlir");
  const std::string source = isProgram ? reportProgram(graph, outcome) : "";
  MLIRContext context(MLIRContext::Threading::DISABLED);
  tinygrad::prepareContext(context);
  OwningOpRef<ModuleOp> module = loadModule(getPath("current.mlir"), context);
  if (!module) {
    // Only the file written by the worker is available.
    llvm::sys::fs::rename(getPath("current.mlir"), path);
    llvm::outs() << source;
    return success();
  }
  // Sums and gradients belong together.
  if (shrinkFlag &&
      !module->lookupSymbol("main")->hasAttr(differencesAttrName)) {
    std::string text;
    if (checkGuarded(*module, text) == outcome)
      module = shrink(
          *module,
          [&](ModuleOp candidate) {
            return checkGuarded(candidate, text) == outcome;
          },
          // After a timeout, each attempt takes the whole time limit.
          /*maxTries=*/outcome == Outcome::Timeout ? 30 : 1500);
    else
      llvm::outs() << "  it does not fail alone: not shrunk\n";
    std::string last;
    if (checkGuarded(*module, last) == outcome)
      message = last;
  }
  const Binding binding = findBinding(*module, outcome, message);
  const std::string run =
      "tg-run " + (binding.empty() ? "" : "--var " + toString(binding) + " ");
  const StringRef name = llvm::sys::path::filename(path);
  std::string header;
  llvm::raw_string_ostream os(header);
  os << "// " << getName(outcome) << ": ";
  for (char c : message)
    os << c << (c == '\n' ? "// " : "");
  if (isProgram)
    os << "\n// Program " << graph << " of tg-fuzz --programs --seed=" << seed;
  else
    os << "\n// Graph " << graph << " of tg-fuzz --seed=" << seed
       << " --max-ops=" << maxOps << " --symbolic=" << symbolic
       << (gradients == 0 ? "" : " --gradients=" + std::to_string(gradients));
  os << ", shrunk.";
  if (isProgram) {
    os << " Before its graph was shrunk as well:\n";
    for (StringRef line : llvm::split(StringRef(source).rtrim(), '\n'))
      os << "//   " << line << '\n';
    os << "//";
  }
  os << " Reproduce with\n"
     << "//   tg-fuzz --device=" << deviceName << " " << name << "\n";
  // Derivatives are compared by this tool alone.
  if (!getDerivativesSeed(*module) &&
      !module->lookupSymbol("main")->hasAttr(differencesAttrName))
    os << "//   " << run << "--interpret " << name << "   and   " << run
       << "--device=" << deviceName << " " << name << "\n";
  if (failed(writeModule(*module, path, header)))
    return failure();
  llvm::outs() << "  " << message << "\n  see " << path << ", " << run << path
               << '\n';
  return success();
}

/// Calls the function for each part of the file, as for tg-opt's
/// -split-input-file.
static LogicalResult
forEachPart(llvm::function_ref<LogicalResult(ModuleOp)> visit) {
  constexpr StringLiteral separator = "\n// -----\n";
  MLIRContext context(MLIRContext::Threading::DISABLED);
  tinygrad::prepareContext(context);
  auto file = llvm::MemoryBuffer::getFile(replayFile, /*IsText=*/true);
  if (!file || !(*file)->getBuffer().contains(separator)) {
    OwningOpRef<ModuleOp> module = loadModule(replayFile, context);
    return module ? visit(*module) : failure();
  }
  SmallVector<StringRef> parts;
  (*file)->getBuffer().split(parts, separator);
  LogicalResult result = success();
  for (StringRef part : parts) {
    if (part.trim().empty())
      continue;
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(part, &context, replayFile);
    if (!module || failed(visit(*module)))
      result = failure();
  }
  return result;
}

/// Checks one file again.
static LogicalResult replay() {
  return forEachPart([](ModuleOp module) {
    std::string message;
    Outcome outcome = checkGuarded(module, message);
    llvm::outs() << getName(outcome) << (message.empty() ? "" : ": ") << message
                 << '\n';
    llvm::outs().flush();
    return success(outcome == Outcome::Good);
  });
}

static LogicalResult print(ModuleOp module) {
  if (!schedulesFor.empty())
    return printSchedules(module, getCheckOptions(), llvm::outs());
  module->print(llvm::outs());
  return success();
}

/// A key for failures with the same cause: the message without numbers and
/// names of values. For wrong values, the cause is unknown.
static std::string getSignature(Outcome outcome, StringRef message) {
  if (outcome == Outcome::Mismatch)
    return "";
  std::string signature = getName(outcome).str();
  for (char c : message.take_until([](char c) { return c == '\n'; }))
    if (!llvm::isDigit(c))
      signature += c;
  return signature;
}

static double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// How many graphs, or programs, to try.
static uint64_t getCount() { return programs != 0 ? programs : graphs; }

static LogicalResult fuzz() {
  if (std::error_code code = llvm::sys::fs::create_directories(outputDir))
    return reportError("cannot make the folder '" + outputDir +
                       "': " + code.message());
  auto *progress = static_cast<Progress *>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (progress == MAP_FAILED)
    return reportError("no memory to share with child processes");
  auto begin = std::chrono::steady_clock::now();
  uint64_t failures = 0, repeated = 0;
  llvm::StringSet<> signatures;
  const StringRef kind = programs != 0 ? "programs" : "graphs";
  const uint64_t end = first + getCount();
  // Workers are restarted regularly to bound their memory use.
  constexpr uint64_t batch = 250;
  uint64_t next = first;
  while (next < end && failures - repeated < maxFailures) {
    std::string message;
    uint64_t batchEnd = std::min(end, next + batch);
    Outcome outcome = runGuarded(timeLimit, message, [&](std::string &text) {
      return programs != 0 ? workOnPrograms(next, batchEnd, progress, text)
                           : work(next, batchEnd, progress, text);
    });
    if (outcome == Outcome::Good) {
      next = batchEnd;
    } else {
      ++failures;
      // Further failures of a kind are only counted.
      std::string signature = getSignature(outcome, message);
      if (!signature.empty() && !signatures.insert(signature).second)
        ++repeated;
      else if (failed(report(progress->graph, outcome, message)))
        return failure();
      next = progress->graph + 1;
    }
    if ((next - first) % 1000 == 0 && next < end)
      llvm::outs() << llvm::formatv("{0} {1}, {2} failures, {3:f1} s\n",
                                    next - first, kind, failures,
                                    secondsSince(begin));
    llvm::outs().flush();
  }
  llvm::sys::fs::remove(getPath("current.mlir"));
  if (repeated > 0)
    llvm::outs() << llvm::formatv("{0} more failures like these\n", repeated);
  if (failures == 0)
    llvm::outs() << llvm::formatv(
        "{0} {1} are fine ({2} of them not comparable), {3:f1} s\n", getCount(),
        kind, progress->useless, secondsSince(begin));
  else
    llvm::outs() << llvm::formatv(
        "{0} failures in {1} {2} ({3} of them not comparable), {4:f1} s\n",
        failures, next - first, kind, progress->useless, secondsSince(begin));
  return success(failures == 0);
}

//===----------------------------------------------------------------------===//
// Cliffs
//===----------------------------------------------------------------------===//

/// The maximal work (positions computed) of a program that is timed.
constexpr double kMaxPositions = 1e9;
/// The maximal number of attempts to shrink a cliff; each takes two
/// compilations.
constexpr unsigned kMaxShrinks = 60;

/// Times a program in a child process. Returns Good if it is no cliff.
static Outcome timeGuarded(ModuleOp module, std::string &message) {
  // Without reductions, both variants are the same.
  if (!module.walk([](ReduceOp) { return WalkResult::interrupt(); })
           .wasInterrupted()) {
    message = "no reductions";
    return Outcome::Good;
  }
  return runGuarded(timeLimit, message, [&](std::string &text) {
    try {
      const ProgramTimes times =
          confirm([&] { return timeProgram(module, deviceName); }, cliffFactor);
      text = toString(times);
      return isCliff(times, cliffFactor) ? Outcome::Mismatch : Outcome::Good;
    } catch (const tinygrad::Error &error) {
      text = error.what();
      return Outcome::Failed;
    }
  });
}

/// Shrinks a cliff and writes it to a file.
static LogicalResult reportCliff(uint64_t graph, ModuleOp original,
                                 std::string message) {
  llvm::outs() << "graph " << graph << ": " << message << '\n';
  OwningOpRef<ModuleOp> module = original.clone();
  if (shrinkFlag) {
    module = shrink(
        *module,
        [&](ModuleOp candidate) {
          std::string text;
          if (timeGuarded(candidate, text) != Outcome::Mismatch)
            return false;
          message = text;
          return true;
        },
        kMaxShrinks, /*forTiming=*/true);
  }
  const std::string path =
      getPath("cliff-" + Twine(uint64_t(seed)) + "-" + Twine(graph) + ".mlir");
  const std::string header =
      llvm::formatv("// {0}\n// Graph {1} of tg-fuzz --cliffs --seed={2} "
                    "--max-ops={3}. Time it again with\n"
                    "//   tg-fuzz --cliffs {4}\n",
                    message, graph, seed.getValue(), maxOps.getValue(),
                    llvm::sys::path::filename(path));
  if (failed(writeModule(*module, path, header)))
    return failure();
  llvm::outs() << "  shrunk: " << message << "\n  see " << path << '\n';
  return success();
}

static LogicalResult findCliffs() {
  if (std::error_code code = llvm::sys::fs::create_directories(outputDir))
    return reportError("cannot make the folder '" + outputDir +
                       "': " + code.message());
  MLIRContext context(MLIRContext::Threading::DISABLED);
  tinygrad::prepareContext(context);
  const GeneratorOptions options = getTimingOptions(maxOps);
  const auto begin = std::chrono::steady_clock::now();
  uint64_t timed = 0, left = 0, failures = 0, found = 0;
  for (uint64_t graph = first; graph < first + graphs; ++graph) {
    OwningOpRef<ModuleOp> module =
        generateGraph(&context, getGraphSeed(graph), options);
    if (countPositions(*module) > kMaxPositions) {
      ++left;
      continue;
    }
    std::string message;
    const Outcome outcome = timeGuarded(*module, message);
    ++timed;
    if (outcome == Outcome::Mismatch) {
      ++found;
      if (failed(reportCliff(graph, *module, message)))
        return failure();
    } else if (outcome != Outcome::Good) {
      ++failures;
      llvm::outs() << llvm::formatv("graph {0}: {1}: {2}\n", graph,
                                    getName(outcome), message);
    }
    llvm::outs().flush();
    if (found + failures >= maxFailures)
      break;
  }
  llvm::outs() << llvm::formatv(
      "{0} programs timed ({1} more are too large), {2} cliffs, {3} failures, "
      "{4:f1} s\n",
      timed, left, found, failures, secondsSince(begin));
  return success(found + failures == 0);
}

/// Times one file again.
static LogicalResult replayCliff() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  tinygrad::prepareContext(context);
  OwningOpRef<ModuleOp> module = loadModule(replayFile, context);
  if (!module)
    return failure();
  if (!module->lookupSymbol<func::FuncOp>("main"))
    return reportError("'" + replayFile + "' has no function @main");
  std::string message;
  const Outcome outcome = timeGuarded(*module, message);
  llvm::outs() << (outcome == Outcome::Good       ? "no cliff"
                   : outcome == Outcome::Mismatch ? "cliff"
                                                  : getName(outcome))
               << ": " << message << '\n';
  return success(outcome == Outcome::Good);
}

int main(int argc, char **argv) {
  // No signal handlers: the exit status of a child shows a crash.
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Random tensor graphs against the reference interpreter\n");
  if (libraryForm != "library" && libraryForm != "c") {
    (void)reportError("--emit is 'library' or 'c', not '" + libraryForm + "'");
    return 1;
  }
  if (libraryForm == "c" && !libraries) {
    (void)reportError("--emit=c is for --library");
    return 1;
  }
  if (maxOps < 1) {
    (void)reportError("--max-ops must be at least 1");
    return 1;
  }
  if (symbolic < 0 || symbolic > 100) {
    (void)reportError("--symbolic is a percentage, 0 to 100");
    return 1;
  }
  if (gradients < 0 || gradients > 100) {
    (void)reportError("--gradients is a percentage, 0 to 100");
    return 1;
  }
  if (!getCheckOptions().device.empty()) {
    // The child processes open the device, since it has threads; here only its
    // name is checked.
    std::string message;
    if (runGuarded(timeLimit, message, [&](std::string &text) {
          try {
            tinygrad::Device::get(deviceName.getValue());
            return Outcome::Good;
          } catch (const tinygrad::Error &error) {
            text = error.what();
            return Outcome::Failed;
          }
        }) != Outcome::Good) {
      (void)reportError(message);
      return 1;
    }
  }
  if (cliffs && (deviceName == "none" || !(cliffFactor > 1))) {
    (void)reportError("--cliffs needs a device, and --cliff-factor above 1");
    return 1;
  }
  if (printGraph && programs != 0) {
    llvm::outs() << tinygrad::fuzz::describe(makeProgram(first));
    return getExitStatus(success());
  }
  if (printGraph && !replayFile.empty())
    return getExitStatus(forEachPart(print));
  if (printGraph) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    tinygrad::prepareContext(context);
    OwningOpRef<ModuleOp> module = generateGraph(
        &context, getGraphSeed(first),
        cliffs ? getTimingOptions(maxOps) : getGeneratorOptions());
    return getExitStatus(print(*module));
  }
  if (cliffs)
    return getExitStatus(replayFile.empty() ? findCliffs() : replayCliff());
  return getExitStatus(replayFile.empty() ? fuzz() : replay());
}
