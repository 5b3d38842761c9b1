//===- Compiler.cpp - compiling tensor graphs to executables --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs the pipelines, compiles kernels that are in no cache, and turns the
/// host program into a launch list.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Compiler/Compiler.h"
#include "CompileSteps.h"
#include "DiagnosticCollector.h"
#include "Entry.h"
#include "KernelCost.h"
#include "LaunchListBuilder.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Utils/CheckGraphOp.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "TinyGrad/HostJit/KernelCache.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/ForkJoin.h"
#include "TinyGrad/Runtime/Interrupt.h"
#include "TinyGrad/Runtime/LoopThreads.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "UnscheduledKernels.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include <chrono>
#include <mutex>
#include <tbb/parallel_for.h>

using namespace mlir;
using namespace tinygrad;
using tinygrad::detail::checkTarget;
using tinygrad::detail::compareSchedules;
using tinygrad::detail::makePipelineOptions;
using tinygrad::detail::Place;
using tinygrad::detail::print;
using tinygrad::detail::runPipeline;
using tinygrad::detail::UnscheduledKernels;

// Generated code relies on an alignment that the runtime must guarantee.
static_assert(tg::kBufferAlignment == kMemoryAlignment);

bool CompileOptions::noOpt() { return tinygrad::noOptimization(); }
bool CompileOptions::verify() { return tinygrad::verifyEveryRewrite(); }
bool CompileOptions::check() { return tinygrad::checkBounds(); }
bool CompileOptions::verifySteps() { return tinygrad::verifySchedules(); }
bool CompileOptions::flush() { return tinygrad::flushSubnormals(); }
bool CompileOptions::mayFallBack() {
  return tinygrad::fallBackToSimplerSchedules();
}

namespace {
using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin)
      .count();
}

/// Emits an error if scheduling left the function unchanged because it contains
/// operations of other dialects.
LogicalResult checkScheduled(func::FuncOp entry) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::none_of(entry.getArgumentTypes(), isTensor) &&
      llvm::none_of(entry.getResultTypes(), isTensor))
    return success();
  for (Operation &op : entry.getBody().front().without_terminator())
    if (failed(tg::checkGraphOp(op)))
      return failure();
  return entry.emitError() << "'@" << entry.getSymName()
                           << "' is not a tensor graph";
}

void debugModule(int level, StringRef title, Operation *op) {
  if (debugLevel() >= level)
    debugPrint(("// " + title + "\n" + print(op)).str());
}

/// The text that represents a kernel in the cache keys. It contains everything
/// that its code depends on. Its name is normalized, so that equal kernels have
/// equal keys; the record of its schedule is omitted.
std::string getKernelText(tg::KernelOp kernel) {
  StringRef name = kernel.getName();
  size_t suffix = name.rfind("_n");
  std::string base = name.substr(0, suffix).str();
  kernel.setName(base);
  ArrayAttr scheduled = kernel.getScheduledAttr();
  kernel.removeScheduledAttr();
  std::string text = print(kernel);
  if (scheduled)
    kernel.setScheduledAttr(scheduled);
  return text;
}

/// A pool of contexts for compiling kernels: each compilation has its own, so
/// that compilations on several threads share nothing. Never destroyed, because
/// other threads may compile while the process exits.
class ContextPool {
public:
  struct Entry {
    std::unique_ptr<MLIRContext> context;
    unsigned numUses = 0;
  };

  static ContextPool &get() {
    static ContextPool *pool = new ContextPool;
    return *pool;
  }

  Entry take() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!idle.empty())
        return idle.pop_back_val();
    }
    Entry entry;
    entry.context =
        std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    // Also for the type and attribute tables, which use thread-local caches.
    entry.context->disableMultithreading();
    prepareContext(*entry.context);
    return entry;
  }

  void giveBack(Entry entry) {
    // A context never frees types and attributes, so it is replaced after some
    // uses.
    if (++entry.numUses >= kMaxUses)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(std::move(entry));
  }

private:
  static constexpr unsigned kMaxUses = 256;
  std::mutex mutex;
  SmallVector<Entry> idle;
};

/// Compiles the kernel with the given text. Throws CompileError, without a
/// location, which would be one in the text.
std::vector<char> compileKernel(const std::string &text,
                                const tg::Target &target,
                                const tg::CompileFlags &flags) {
  ContextPool::Entry entry = ContextPool::get().take();
  llvm::scope_exit giveBack(
      [&] { ContextPool::get().giveBack(std::move(entry)); });
  MLIRContext *context = entry.context.get();
  DiagnosticCollector errors(context);
  auto fail = [&](const char *what) {
    const std::string text = errors.getMessages();
    throw CompileError(text.empty() ? what : text);
  };
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      text, ParserConfig(context, flags.verifyEach));
  if (!module)
    fail("a scheduled kernel could not be read back");
  tg::StageTexts texts;
  for (const tg::CompileStage &stage : target.getStages())
    if (debugLevel() >= stage.debugLevel)
      texts[stage.name];
  FailureOr<std::vector<char>> code = target.compile(
      SmallVector<tg::KernelOp>(module->getOps<tg::KernelOp>()), flags, &texts);
  if (failed(code))
    fail("code generation failed");
  for (const tg::CompileStage &stage : target.getStages())
    if (auto text = texts.find(stage.name); text != texts.end())
      debugPrint(text->second);
  return std::move(*code);
}

/// The runtime's form of a launch shape, with expressions over the kernel's
/// variables.
LaunchDims getLaunchDims(const tg::LaunchShape &shape,
                         ArrayRef<tg::VarAttr> variables) {
  LaunchDims dims;
  dims.parallelExtent = getExpression(shape.parallelExtent, variables);
  if (!shape.parallelExtent.isStatic())
    dims.largestExtent = shape.parallelExtent.getMax();
  for (auto [size, groups] : llvm::zip_equal(dims.groups, shape.groups))
    if (groups.getAttr())
      size = getExpression(groups, variables);
  dims.groupSize = shape.groupSize;
  if (shape.sharedBytes.getAttr())
    dims.sharedBytes = getExpression(shape.sharedBytes, variables);
  return dims;
}

tg::CompileFlags getFlags(const CompileOptions &options) {
  tg::CompileFlags flags;
  flags.verifyEach = options.verifyEach;
  flags.checkBounds = options.checkBounds;
  flags.flushSubnormals = options.flushSubnormals;
  flags.mayAllocate = options.mayAllocate;
  flags.reproducer = reproducerFile();
  return flags;
}

/// A scheduled kernel to be compiled and loaded.
struct Work {
  Work(tg::KernelOp kernel, const tg::Target &target);

  tg::KernelOp kernel;
  std::string name;
  KernelLaunch launch;
  std::string text;
  Kernel loaded;
  /// Why there is no code, if there is none.
  std::optional<std::string> error;
};

/// How a scheduled kernel is launched.
KernelLaunch getLaunch(tg::KernelOp kernel, const tg::Target &target) {
  KernelLaunch result;
  StringRef name = kernel.getName();
  result.name = name.substr(0, name.rfind("_n")).str();
  KernelCost cost = estimateCost(kernel);
  // The program's variables were already checked for consistency.
  result.variables = *tg::collectVariables(kernel);
  ArrayRef<Attribute> numbers;
  if (ArrayAttr own = kernel.getNumbersAttr())
    numbers = own.getValue();
  for (tg::VarAttr variable : result.variables) {
    const auto *number = llvm::find(numbers, variable);
    result.numberOf.push_back(
        number == numbers.end() ? -1 : int(number - numbers.begin()));
  }
  result.opCount = getExpression(cost.operations, result.variables);
  result.memBytes = getExpression(cost.bytes, result.variables);
  result.dims = getLaunchDims(target.getLaunch(kernel), result.variables);
  result.dims.estimatedNanoseconds = cost.getNanoseconds(target.getFacts());
  result.description = describeOperations(kernel);
  return result;
}

Work::Work(tg::KernelOp kernel, const tg::Target &target)
    : kernel(kernel), name(kernel.getName().str()),
      launch(getLaunch(kernel, target)), text(getKernelText(kernel)) {
  kernel.setName(name);
}

/// Compiles and loads every kernel of the module. Emits an error for a kernel
/// of which there is no code.
FailureOr<std::vector<Work>> compileKernels(ModuleOp module, Device &device,
                                            const CompileOptions &options,
                                            UnscheduledKernels &unscheduled) {
  const tg::Target &target = getTarget(device, options);
  const tg::CompileFlags flags = getFlags(options);
  const std::string targetKey = target.getCacheKey(flags);

  std::vector<Work> work;
  for (tg::KernelOp kernel : module.getOps<tg::KernelOp>())
    work.emplace_back(kernel, target);
  // The settings of the calling thread apply to the workers as well. At DEBUG
  // >= 6 code is not taken from the disk, since its stages are printed.
  const int debug = debugLevel();
  int level = options.cache.level ? static_cast<int>(*options.cache.level)
                                  : cacheLevel();
  if (debug >= 6)
    level = std::min(level, static_cast<int>(CacheLevel::Memory));
  KernelCache &cache =
      options.cache.kernels ? *options.cache.kernels : KernelCache::global();
  tinygrad::detail::Interrupt *interrupt =
      tinygrad::detail::Interrupt::current();
  auto load = [&](Work &item) {
    if (interrupt)
      interrupt->check();
    Context settings({{"CACHELEVEL", level}, {"DEBUG", debug}});
    try {
      std::shared_ptr<Program> program = cache.get(
          device, targetKey + "\n" + item.text,
          [&] { return compileKernel(item.text, target, flags); },
          item.launch.name);
      item.loaded = Kernel(program, item.launch.name);
    } catch (const CompileError &error) {
      item.error = error.what();
    }
  };
  if (work.size() == 1) {
    load(work[0]);
  } else if (const tinygrad::detail::LoopThreads areThere; !areThere) {
    llvm::for_each(work, load);
  } else {
    auto loadOne = [&](size_t i) { load(work[i]); };
    tinygrad::detail::ForkJoin loop;
    auto task = loop.wrap(loadOne);
    loop.fork();
    tbb::parallel_for(size_t(0), work.size(), task);
  }

  for (Work &item : work) {
    // Each schedule may fail in its own way; the best one counts.
    const std::optional<std::string> error = item.error;
    while (item.error) {
      const FailureOr<bool> isSimpler =
          unscheduled.simplify(item.kernel, *item.error);
      if (failed(isSimpler))
        return failure();
      if (!*isSimpler)
        return item.kernel.emitError() << *error;
      item = Work(item.kernel, target);
      load(item);
    }
  }
  return work;
}
} // namespace

void tinygrad::prepareContext(MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<tg::TgDialect, func::FuncDialect>();
  tg::registerAllTargetDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<tg::TgDialect, func::FuncDialect>();
}

const tg::Target &tinygrad::getTarget(Device &device,
                                      const CompileOptions &options) {
  if (options.target)
    return *options.target;
  const std::string &name = device.information().target;
  if (name.empty())
    throw DeviceError("there is no code generator for the device " +
                      device.name());
  std::string error;
  const tg::Target *target = tg::lookupTarget(name, error);
  if (!target)
    throw DeviceError("device " + device.name() + ": " + error);
  return *target;
}

tg::PipelineOptions
tinygrad::getPipelineOptions(Device &device, const CompileOptions &options) {
  return makePipelineOptions(device.name(), options);
}

static void attachTarget(ModuleOp module, const tg::Target &target) {
  module->setAttr(tg::targetAttrName, target.getAttr(module.getContext()));
}

/// Calls the host's function with a module of the level, if there is one.
static LogicalResult
callHost(ModuleOp module, tg::ModuleLevel level, StringRef name,
         const std::function<LogicalResult(ModuleOp)> &function) {
  if (!function)
    return success();
  ErrorObserver errors(module.getContext());
  const bool isDone = succeeded(function(module));
  if (!isDone && !errors.any())
    emitError(module.getLoc()) << name << " failed";
  return success(isDone && !errors.any() && succeeded(verify(module)) &&
                 succeeded(tg::requireLevel(module, level)));
}

static LogicalResult schedule(ModuleOp module, const Place &place,
                              const CompileOptions &options) {
  if (failed(tg::requireLevel(module, tg::ModuleLevel::TensorGraph)))
    return failure();
  attachTarget(module, place.target);
  if (failed(runPipeline(
          module, options, "scheduling", [&](OpPassManager &manager) {
            tg::buildSchedulePipeline(
                manager, makePipelineOptions(place.device, options));
          })))
    return failure();
  return callHost(module, tg::ModuleLevel::Kernels, "afterSchedule",
                  options.afterSchedule);
}

LogicalResult tinygrad::detail::schedule(ModuleOp module, Device &device,
                                         const CompileOptions &options) {
  return ::schedule(module, Place(device, options), options);
}

static LogicalResult optimize(ModuleOp module, const tg::Target &target,
                              const CompileOptions &options,
                              UnscheduledKernels &unscheduled) {
  if (failed(tg::requireLevel(module, tg::ModuleLevel::Kernels)))
    return failure();
  attachTarget(module, target);
  if (options.prepareKernel)
    for (tg::KernelOp kernel : module.getOps<tg::KernelOp>())
      options.prepareKernel(kernel);
  if (options.verifySchedules && failed(compareSchedules(module, options)))
    return failure();
  if (failed(unscheduled.schedule(module)))
    return failure();
  if (!options.afterOptimize)
    return success();
  return unscheduled.forgetChanged(module, [&] {
    return callHost(module, tg::ModuleLevel::ScheduledKernels, "afterOptimize",
                    options.afterOptimize);
  });
}

LogicalResult tinygrad::detail::optimize(ModuleOp module, Device &device,
                                         const CompileOptions &options) {
  const Place place(device, options);
  UnscheduledKernels unscheduled(place, options);
  return ::optimize(module, place.target, options, unscheduled);
}

bool tinygrad::isWorthThreads(tg::KernelOp kernel,
                              const tg::TargetFacts &target) {
  const double nanoseconds = estimateCost(kernel).getNanoseconds(target);
  return nanoseconds == 0 || nanoseconds >= kSerialNanoseconds;
}

static bool hasScheduled(ModuleOp module) {
  return llvm::any_of(module.getOps<tg::KernelOp>(), [](tg::KernelOp kernel) {
    return tg::getLevels(kernel)->first == tg::ModuleLevel::ScheduledKernels;
  });
}

LogicalResult tinygrad::detail::checkTarget(ModuleOp module,
                                            const tg::Target &target) {
  auto attr = module->getAttrOfType<tg::TargetAttr>(tg::targetAttrName);
  if (!attr || attr.getName() == target.getName() || !hasScheduled(module))
    return success();
  return emitError(module.getLoc())
         << "the module is scheduled for the target '" << attr.getName()
         << "', and there can be no code for '" << target.getName() << "'";
}

static FailureOr<std::vector<char>> generateCode(ModuleOp module,
                                                 const Place &place,
                                                 const CompileOptions &options,
                                                 CodeGenerator generateAll);

FailureOr<std::vector<char>>
tinygrad::detail::generateCode(ModuleOp module, Device &device,
                               const CompileOptions &options,
                               tg::StageTexts *texts) {
  return detail::generateCode(module, device, options,
                              [&](ArrayRef<tg::KernelOp> kernels) {
                                if (texts)
                                  for (auto &text : *texts)
                                    text.second.clear();
                                return getTarget(device, options)
                                    .compile(kernels, getFlags(options), texts);
                              });
}

FailureOr<std::vector<char>>
tinygrad::detail::generateCode(ModuleOp module, Device &device,
                               const CompileOptions &options,
                               CodeGenerator generateAll) {
  return ::generateCode(module, Place(device, options), options, generateAll);
}

static FailureOr<std::vector<char>> generateCode(ModuleOp module,
                                                 const Place &place,
                                                 const CompileOptions &options,
                                                 CodeGenerator generateAll) {
  const tg::Target &target = place.target;
  UnscheduledKernels unscheduled(place, options);
  if (failed(tg::requireLevel(module, {tg::ModuleLevel::Kernels,
                                       tg::ModuleLevel::ScheduledKernels})))
    return failure();
  if (tg::isScheduled(module)) {
    if (failed(checkTarget(module, target)))
      return failure();
    attachTarget(module, target);
  } else if (failed(::optimize(module, target, options, unscheduled))) {
    return failure();
  }
  const tg::CompileFlags flags = getFlags(options);
  using Errors = SmallVector<Diagnostic, 0>;
  // Returns the errors, of all kernels or of one: at least one if there is no
  // code.
  auto generate = [&](ArrayRef<tg::KernelOp> kernels, bool isAll,
                      std::vector<char> &code) -> Errors {
    DiagnosticCollector errors(module.getContext());
    FailureOr<std::vector<char>> result =
        isAll ? generateAll(kernels) : target.compile(kernels, flags);
    if (succeeded(result)) {
      code = std::move(*result);
      return {};
    }
    if (!errors.any())
      emitError(module.getLoc()) << "code generation failed";
    return errors.take();
  };
  auto report = [&](Errors errors) {
    for (Diagnostic &error : errors)
      module.getContext()->getDiagEngine().emit(std::move(error));
    return failure();
  };
  std::vector<char> code;
  const SmallVector<tg::KernelOp> kernels(module.getOps<tg::KernelOp>());
  if (generate(kernels, true, code).empty())
    return code;
  for (tg::KernelOp kernel : kernels) {
    Errors first = generate(kernel, false, code);
    std::string reason = toString(first);
    while (!reason.empty()) {
      const FailureOr<bool> isSimpler = unscheduled.simplify(kernel, reason);
      if (failed(isSimpler))
        return failure();
      if (!*isSimpler)
        return report(std::move(first));
      reason = toString(generate(kernel, false, code));
    }
  }
  if (Errors errors = generate(kernels, true, code); !errors.empty())
    return report(std::move(errors));
  return code;
}

namespace {
/// What is at the top of a module.
struct Contents {
  explicit Contents(ModuleOp module) {
    for (Operation &op : *module.getBody()) {
      const std::optional<tg::LevelRange> levels = tg::getLevels(&op);
      if (!levels)
        continue;
      hasGraph |= levels->first == tg::ModuleLevel::TensorGraph;
      if (isa<tg::KernelOp>(op)) {
        hasUnscheduled |= levels->last == tg::ModuleLevel::Kernels;
        hasScheduled |= levels->first == tg::ModuleLevel::ScheduledKernels;
      }
    }
  }
  bool hasGraph = false;
  /// Kernels with loops only, and those with a schedule. One without ranges is
  /// neither.
  bool hasUnscheduled = false, hasScheduled = false;
};
} // namespace

/// The host program. Scheduling makes a new function, and the host's passes may
/// remove it.
static FailureOr<func::FuncOp> findHost(ModuleOp module,
                                        const CompileOptions &options) {
  auto host = module.lookupSymbol<func::FuncOp>(options.entry);
  if (!host)
    return emitError(module.getLoc())
           << "the module has no function '" << options.entry
           << "' after the passes of the host";
  if (failed(checkScheduled(host)))
    return failure();
  if (!host.getBody().hasOneBlock())
    return emitError(host.getLoc()) << "the host program '" << options.entry
                                    << "' must have a body of one block";
  return host;
}

/// Does what is to be done up to level 2.
static LogicalResult scheduleEntry(ModuleOp module,
                                   const tinygrad::detail::Entry &entry,
                                   const Place &place,
                                   const CompileOptions &options) {
  const Contents contents(module);
  if (failed(checkTarget(module, place.target)))
    return failure();
  if (!entry.isHost || contents.hasGraph) {
    debugModule(5, "tensor graph", module);
    if (failed(::schedule(module, place, options)))
      return failure();
  }
  if (failed(findHost(module, options)))
    return failure();
  debugModule(5, "kernels", module);
  return success();
}

/// Level 2 to level 3, if it is to be done.
static LogicalResult optimizeEntry(ModuleOp module, const Place &place,
                                   const CompileOptions &options,
                                   UnscheduledKernels &unscheduled) {
  // A program without kernels passes all levels, too.
  const Contents contents(module);
  if (contents.hasUnscheduled || !contents.hasScheduled)
    return ::optimize(module, place.target, options, unscheduled);
  attachTarget(module, place.target);
  return success();
}

static void debugSchedules(ModuleOp module) {
  if (debugLevel() >= 3)
    for (tg::KernelOp kernel : module.getOps<tg::KernelOp>())
      debugPrint(describeSchedule(kernel));
  debugModule(4, "scheduled kernels", module);
}

/// Messages name sizes, not the number of elements.
static LaunchList nameSizes(LaunchList list,
                            const std::vector<TensorInfo> &arguments) {
  for (auto [slot, argument] : llvm::zip_equal(list.inputs, arguments))
    // A host program has no shapes.
    if (!list.slots[slot].sizes.empty() &&
        !llvm::all_of(argument.sizes,
                      [](const Expression &size) { return size.isConstant(); }))
      list.slots[slot].sizes = argument.sizes;
  return list;
}

FailureOr<std::shared_ptr<CompiledProgram>>
tinygrad::detail::compile(ModuleOp module, Device &device,
                          const CompileOptions &options) {
  FailureOr<Entry> entry = describeEntry(module, options);
  if (failed(entry))
    return failure();
  const Place place(device, options);
  CompileTimes times;
  auto begin = Clock::now();
  if (failed(scheduleEntry(module, *entry, place, options)))
    return failure();
  times.schedule = millisecondsSince(begin);
  begin = Clock::now();
  UnscheduledKernels unscheduled(place, options);
  if (failed(optimizeEntry(module, place, options, unscheduled)))
    return failure();
  times.optimize = millisecondsSince(begin);
  debugSchedules(module);
  begin = Clock::now();
  FailureOr<std::vector<Work>> kernels =
      compileKernels(module, device, options, unscheduled);
  if (failed(kernels))
    return failure();
  times.kernels = millisecondsSince(begin);
  FailureOr<func::FuncOp> host = findHost(module, options);
  if (failed(host))
    return failure();
  llvm::StringMap<KernelLaunch> launches;
  llvm::StringMap<Kernel> loaded;
  for (Work &kernel : *kernels) {
    launches[kernel.name] = std::move(kernel.launch);
    loaded[kernel.name] = std::move(kernel.loaded);
  }
  LaunchList list =
      link(nameSizes(
               buildLaunchList(*host, place.device, entry->variables, launches),
               entry->arguments),
           device, [&](const std::string &name) { return loaded.at(name); });
  return std::make_shared<CompiledProgram>(device, std::move(list),
                                           std::move(entry->arguments),
                                           std::move(entry->results), times);
}

FailureOr<Artifact>
tinygrad::detail::compileToArtifact(ModuleOp module, const tg::Target &target,
                                    const CompileOptions &options) {
  FailureOr<Entry> entry = describeEntry(module, options);
  if (failed(entry))
    return failure();
  const Place place(target);
  if (place.device == "SIM")
    return emitError(module.getLoc())
           << "there are no artifacts for the target '" << target.getName()
           << "': simulated kernels are compiled where they run";
  if (failed(scheduleEntry(module, *entry, place, options)))
    return failure();
  std::vector<char> code;
  if (module.getOps<tg::KernelOp>().empty()) {
    UnscheduledKernels unscheduled(place, options);
    if (failed(::optimize(module, target, options, unscheduled)))
      return failure();
  } else {
    FailureOr<std::vector<char>> result = ::generateCode(
        module, place, options, [&](ArrayRef<tg::KernelOp> kernels) {
          return target.compile(kernels, getFlags(options));
        });
    if (failed(result))
      return failure();
    code = std::move(*result);
  }
  debugSchedules(module);
  FailureOr<func::FuncOp> host = findHost(module, options);
  if (failed(host))
    return failure();
  llvm::StringMap<KernelLaunch> launches;
  for (tg::KernelOp kernel : module.getOps<tg::KernelOp>())
    launches[kernel.getName()] = getLaunch(kernel, target);
  Artifact artifact;
  artifact.target = target.getName();
  artifact.deviceKind = place.device;
  artifact.arguments = std::move(entry->arguments);
  artifact.results = std::move(entry->results);
  artifact.list = nameSizes(
      buildLaunchList(*host, place.device, entry->variables, launches),
      artifact.arguments);
  if (failed(setCode(artifact, module, std::move(code), target)))
    return failure();
  return artifact;
}
