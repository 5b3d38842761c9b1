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

using namespace mlir;
using namespace mlir::tg;

Target::~Target() = default;

void Target::buildOptimizePipeline(OpPassManager &pm,
                                   const PipelineOptions &options) const {
  tg::buildOptimizePipeline(pm, options);
}

Dim Target::getParallelExtent(KernelOp kernel) {
  Dim extent(kernel.getContext(), 1);
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (range.getKind() == RangeKind::thread ||
        range.getKind() == RangeKind::global)
      extent = extent * Dim(range.getExtent());
  return extent;
}
