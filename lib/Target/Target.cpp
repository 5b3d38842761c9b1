//===- Target.cpp - what kernels are compiled for -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions shared by all targets.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Target/Target.h"
#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"
#include "TinyGrad/Dialect/Tg/Utils/ThreadDiagnostics.h"

using namespace mlir;
using namespace mlir::tg;

Target::~Target() = default;

void Target::buildOptimizePipeline(OpPassManager &pm,
                                   const PipelineOptions &options) const {
  tg::buildOptimizePipeline(pm, options);
}

LaunchShape Target::getGroupLaunch(KernelOp kernel, const TargetFacts &facts) {
  LaunchShape launch;
  launch.parallelExtent = getParallelExtent(kernel);
  ThreadDiagnosticHandler silent(kernel.getContext(), [](Diagnostic &) {});
  if (FailureOr<GroupLayout> layout = getGroupLayout(kernel, facts);
      succeeded(layout)) {
    launch.groups = layout->groups;
    launch.groupSize = layout->groupSize;
    launch.sharedBytes = Dim(kernel.getContext(), layout->groupBytes);
  }
  return launch;
}

Dim Target::getParallelExtent(KernelOp kernel) {
  Dim extent(kernel.getContext(), 1);
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (range.getKind() == RangeKind::thread ||
        range.getKind() == RangeKind::global)
      extent = extent * Dim(range.getExtent());
  return extent;
}
