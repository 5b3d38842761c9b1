//===- KernelSummary.cpp - facts about a kernel ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Evaluates the cost and launch shape of a kernel.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Compiler/KernelSummary.h"
#include "KernelCost.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"

using namespace mlir;
using namespace tinygrad;

KernelSummary tinygrad::summarizeKernel(
    tg::KernelOp kernel, const tg::Target &target,
    llvm::function_ref<std::optional<int64_t>(tg::VarAttr)> valueOf) {
  auto evaluate = [&](tg::Dim dim) {
    if (!dim.getAttr())
      return int64_t(1);
    const tg::Dim number = dim.substitute([&](tg::VarAttr variable) {
      const std::optional<int64_t> value = valueOf(variable);
      return value ? tg::Dim(variable.getContext(), *value) : tg::Dim(variable);
    });
    return number.getStatic().value_or(number.getMax());
  };
  KernelSummary summary;
  summary.description = describeOperations(kernel);
  // "NAME: loop 2 upcast 4"
  const std::string schedule = describeSchedule(kernel);
  summary.ranges = StringRef(schedule).split(": ").second.str();
  const KernelCost cost = estimateCost(kernel);
  summary.operations = evaluate(cost.operations);
  summary.bytes = evaluate(cost.bytes);
  if (tg::getLevels(kernel)->last != tg::ModuleLevel::ScheduledKernels)
    return summary;
  const tg::LaunchShape launch = target.getLaunch(kernel);
  summary.parallelExtent = evaluate(launch.parallelExtent);
  for (unsigned i = 0; i < 3; ++i) {
    summary.groups[i] = evaluate(launch.groups[i]);
    summary.groupSize[i] = launch.groupSize[i];
  }
  if (launch.sharedBytes.getAttr())
    summary.sharedBytes = evaluate(launch.sharedBytes);
  return summary;
}
