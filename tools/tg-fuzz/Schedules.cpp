//===- Schedules.cpp - schedules of random graphs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Validates schedules of random graphs. No code is generated, so that a graph
/// takes milliseconds.
///
//===----------------------------------------------------------------------===//

#include "Schedules.h"
#include "RandomSchedule.h"

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "TinyGrad/Dialect/Tg/Validate/Passes.h"
#include "TinyGrad/Target/All/AllTargets.h"
#include "TinyGrad/Target/Target.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::tg;

static LogicalResult verifySchedules(ModuleOp module, bool printCounts) {
  PassManager manager(module.getContext());
  TgVerifySchedulesOptions options;
  options.printCounts = printCounts;
  manager.addPass(createTgVerifySchedules(options));
  return manager.run(module);
}

/// Whether the module has graphs from which kernels are made.
static bool hasGraphs(ModuleOp module) {
  return llvm::any_of(
      module.getBody()->without_terminator(), [](Operation &op) {
        const std::optional<LevelRange> levels = getLevels(&op);
        return levels && levels->first == ModuleLevel::TensorGraph;
      });
}

/// The kernels of a graph, or those of the module if it has no graphs, for
/// `options.schedulesFor`, without schedules.
static OwningOpRef<ModuleOp> makeKernels(ModuleOp original,
                                         const CheckOptions &options,
                                         std::string &message) {
  std::string error;
  const Target *target = lookupTarget(options.schedulesFor, error);
  if (!target) {
    message = error;
    return {};
  }
  OwningOpRef<ModuleOp> module = original.clone();
  module.get()->setAttr(targetAttrName, target->getAttr(module->getContext()));
  PassManager manager(module->getContext());
  if (hasGraphs(*module))
    buildSchedulePipeline(manager, {});
  manager.addPass(createTgAlignBuffers());
  if (succeeded(manager.run(*module)))
    return module;
  message.insert(0, "scheduling: ");
  return {};
}

/// A copy of the kernels with random schedules; null if a step that was
/// reported as admitted is not.
static OwningOpRef<ModuleOp> setRandomSchedules(ModuleOp module,
                                                uint64_t number) {
  OwningOpRef<ModuleOp> random = module.clone();
  uint64_t seed = number * 0x9E3779B97F4A7C15u;
  for (KernelOp kernel : random->getOps<KernelOp>())
    if (failed(setRandomSchedule(kernel, seed++)))
      return {};
  return random;
}

Outcome mlir::tg::checkSchedules(ModuleOp original, const CheckOptions &options,
                                 std::string &message) {
  OwningOpRef<ModuleOp> module = makeKernels(original, options, message);
  if (!module)
    return Outcome::Failed;
  if (failed(verifySchedules(*module, options.printCounts))) {
    message.insert(0, "verification: ");
    return Outcome::Mismatch;
  }
  for (unsigned i = 0; i < options.randomSchedules; ++i) {
    OwningOpRef<ModuleOp> random =
        setRandomSchedules(*module, options.seed + i);
    if (!random) {
      message.insert(0, "random schedule: ");
      return Outcome::Failed;
    }
    if (failed(verifySchedules(*random, options.printCounts))) {
      message.insert(0, "verification of random schedule " +
                            std::to_string(options.seed + i) + ": ");
      llvm::raw_string_ostream os(message);
      for (KernelOp kernel : random->getOps<KernelOp>())
        if (ArrayAttr steps = kernel.getScheduleAttr())
          os << "\nschedule of " << kernel.getName() << ": " << steps;
      return Outcome::Mismatch;
    }
  }
  return Outcome::Good;
}

LogicalResult mlir::tg::printSchedules(ModuleOp original,
                                       const CheckOptions &options,
                                       raw_ostream &os) {
  std::string message;
  OwningOpRef<ModuleOp> module = makeKernels(original, options, message);
  if (!module)
    return emitError(original.getLoc(), message);
  for (unsigned i = 0; i < std::max(options.randomSchedules, 1u); ++i) {
    OwningOpRef<ModuleOp> random =
        setRandomSchedules(*module, options.seed + i);
    if (!random)
      return failure();
    os << "// -----\n";
    random->print(os);
    os << "\n";
  }
  return success();
}
