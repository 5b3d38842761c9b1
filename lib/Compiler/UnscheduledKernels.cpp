//===- UnscheduledKernels.cpp - kernels before their schedules ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Schedules kernels, keeps what they were before, and checks that they compute
/// the same.
///
//===----------------------------------------------------------------------===//

#include "UnscheduledKernels.h"
#include "CompileSteps.h"
#include "DiagnosticCollector.h"
#include "StoppablePasses.h"
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "TinyGrad/Dialect/Tg/Validate/ExamineSchedule.h"
#include "TinyGrad/Dialect/Tg/Validate/Passes.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Interrupt.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

Place::Place(Device &device, const CompileOptions &options)
    : target(getTarget(device, options)), device(device.name()) {}

Place::Place(const tg::Target &target)
    : target(target), device(getDeviceKind(target)) {}

tg::PipelineOptions
tinygrad::detail::makePipelineOptions(const std::string &device,
                                      const CompileOptions &options) {
  tg::PipelineOptions pipeline;
  pipeline.device = device;
  pipeline.noOpt = options.noOptimization;
  pipeline.verifyRewrites = options.verifyEach;
  pipeline.fallBack = options.fallBack;
  return pipeline;
}

LogicalResult
tinygrad::detail::runPipeline(ModuleOp module, const CompileOptions &options,
                              StringRef what,
                              function_ref<void(OpPassManager &)> build) {
  ErrorObserver errors(module.getContext());
  PassManager manager(module.getContext());
  manager.enableVerifier(options.verifyEach);
  if (std::string file = reproducerFile(); !file.empty())
    manager.enableCrashReproducerGeneration(file);
  build(manager);
  const bool isDone = [&] {
    const StoppablePasses stoppable(*module.getContext());
    return succeeded(manager.run(module));
  }();
  checkInterrupt();
  if (!isDone && !errors.any())
    emitError(module.getLoc()) << what << " failed";
  return success(isDone && !errors.any());
}

std::string tinygrad::detail::print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Local scope: printing would number the values of the whole module
  // otherwise.
  op->print(os, OpPrintingFlags().useLocalScope());
  return text;
}

namespace {
/// A file for a kernel whose schedule is wrong: REPRODUCER, or a new one, which
/// goes away again if nothing was written to it.
class ScheduleFile {
public:
  ScheduleFile() : name(reproducerFile()) {
    if (!name.empty())
      return;
    SmallString<128> file;
    if (!llvm::sys::fs::createTemporaryFile("schedule", "mlir", file))
      name = file.str().str();
  }
  ~ScheduleFile() {
    uint64_t size = 0;
    if (!llvm::sys::fs::file_size(name, size) && size == 0)
      llvm::sys::fs::remove(name);
  }
  ScheduleFile(const ScheduleFile &) = delete;
  ScheduleFile &operator=(const ScheduleFile &) = delete;

  const std::string &getName() const { return name; }

private:
  std::string name;
};

} // namespace

LogicalResult
tinygrad::detail::compareSchedules(ModuleOp module,
                                   const CompileOptions &options) {
  tg::TgVerifySchedulesOptions verify;
  verify.noOpt = options.noOptimization;
  const ScheduleFile file;
  verify.reproducer = file.getName();
  return runPipeline(module, options, "verification",
                     [&](OpPassManager &manager) {
                       // Schedules depend on the alignment of buffers.
                       manager.addPass(tg::createTgAlignBuffers());
                       manager.addPass(tg::createTgVerifySchedules(verify));
                     });
}

static void count(StringRef name, StringRef reason) {
  ++GlobalCounters::schedulesRefused;
  if (debugLevel() >= 1)
    debugPrint("kernel " + name.str() +
               " gets a simpler schedule: " + reason.str());
}

static void report(tg::KernelOp kernel, StringRef reason) {
  count(kernel.getName(), reason);
  remark::failed(kernel.getLoc(), remark::RemarkOpts::name("refused").category(
                                      "tg-optimize-kernels"))
      << (kernel.getName() + ": there is no code for the schedule: " + reason)
             .str();
}

LogicalResult UnscheduledKernels::schedule(ModuleOp module, unsigned first) {
  module->setAttr(tg::targetAttrName, target.getAttr(module.getContext()));
  tg::PipelineOptions pipeline = makePipelineOptions(place.device, options);
  pipeline.firstSchedule = first;
  if (options.fallBack)
    pipeline.observer = this;
  return runPipeline(module, options, "optimization",
                     [&](OpPassManager &manager) {
                       target.buildOptimizePipeline(manager, pipeline);
                     });
}

/// The errors of a schedule that nothing uses are not the caller's.
bool UnscheduledKernels::scheduleQuietly(ModuleOp module, unsigned first) {
  DiagnosticCollector ignored(module.getContext());
  return succeeded(schedule(module, first));
}

/// Emits an error if the schedule that a kernel has got in \p module changes
/// what it computes. One without steps was not kept: it changes nothing.
LogicalResult UnscheduledKernels::compare(StringRef name, ModuleOp module) {
  auto it = kernels.find(name);
  if (it == kernels.end())
    return success();
  Unscheduled &unscheduled = it->second;
  tg::KernelOp scheduled = unscheduled.scheduled.release();
  module.push_back(scheduled);
  llvm::scope_exit remove([&] { scheduled.erase(); });
  const tg::ScheduleFinding finding =
      tg::examineSchedule(*unscheduled.kernel, scheduled);
  if (finding.verdict.kind != tg::Verdict::Kind::different)
    return success();
  const ScheduleFile file;
  tg::emitDifference(*unscheduled.kernel, scheduled, finding, file.getName());
  return failure();
}

FailureOr<bool> UnscheduledKernels::simplify(tg::KernelOp kernel,
                                             StringRef reason) {
  const std::string name = kernel.getName().str();
  for (auto it = kernels.find(name); it != kernels.end();
       it = kernels.find(name)) {
    Unscheduled unscheduled = std::move(it->second);
    kernels.erase(it);
    OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
    module->push_back(unscheduled.kernel->clone());
    if (!scheduleQuietly(*module, unscheduled.next)) {
      if (++unscheduled.next < tg::countSchedules(target.getFacts()))
        kernels[name] = std::move(unscheduled);
      continue;
    }
    if (options.verifySchedules && failed(compare(name, *module)))
      return failure();
    report(kernel, reason);
    auto simpler = *module->getOps<tg::KernelOp>().begin();
    kernel.getBody().takeBody(simpler.getBody());
    kernel->setAttrs(simpler->getAttrDictionary());
    return true;
  }
  return false;
}

LogicalResult
UnscheduledKernels::forgetChanged(ModuleOp module,
                                  function_ref<LogicalResult()> change) {
  llvm::StringMap<std::string> before;
  for (tg::KernelOp kernel : module.getOps<tg::KernelOp>())
    before[kernel.getName()] = print(kernel);
  if (failed(change()))
    return failure();
  for (tg::KernelOp kernel : module.getOps<tg::KernelOp>())
    if (before.lookup(kernel.getName()) != print(kernel))
      kernels.erase(kernel.getName());
  return success();
}

void UnscheduledKernels::scheduled(tg::KernelOp kernel,
                                   OwningOpRef<tg::KernelOp> original,
                                   unsigned next) {
  OwningOpRef<tg::KernelOp> result;
  if (options.verifySchedules)
    result = kernel.clone();
  std::lock_guard<std::mutex> lock(mutex);
  kernels[kernel.getName()] = {std::move(original), next, std::move(result)};
}

void UnscheduledKernels::refused(tg::KernelOp kernel, StringRef reason) {
  count(kernel.getName(), reason);
}
