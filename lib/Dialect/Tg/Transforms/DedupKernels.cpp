//===- DedupKernels.cpp - merge equal kernels -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-dedup-kernels pass.
///
//===----------------------------------------------------------------------===//

#include "KernelSet.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "mlir/IR/OperationSupport.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGDEDUPKERNELS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// A hash of everything that isEqual compares, except the order of operands.
static llvm::hash_code hashKernel(KernelOp kernel) {
  llvm::hash_code hash = llvm::hash_combine(
      kernel.getFunctionType(), kernel.getOutputs(), kernel.getInPlace());
  for (Operation &op : kernel.getBody().front())
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     &op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  return hash;
}

static bool isEqual(KernelOp lhs, KernelOp rhs) {
  return lhs.getFunctionType() == rhs.getFunctionType() &&
         lhs.getOutputs() == rhs.getOutputs() &&
         lhs.getInPlace() == rhs.getInPlace() &&
         lhs.getArgAttrsAttr() == rhs.getArgAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(
             &lhs.getBody(), &rhs.getBody(),
             OperationEquivalence::IgnoreLocations);
}

KernelOp KernelSet::insert(KernelOp kernel) {
  SmallVector<KernelOp, 1> &candidates = kernels[hashKernel(kernel)];
  auto it = llvm::find_if(
      candidates, [&](KernelOp other) { return isEqual(kernel, other); });
  if (it != candidates.end())
    return *it;
  candidates.push_back(kernel);
  return kernel;
}

namespace {
struct TgDedupKernelsPass
    : public tg::impl::TgDedupKernelsBase<TgDedupKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelSet kernels;
    DenseMap<Attribute, FlatSymbolRefAttr> replacements;
    for (KernelOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      KernelOp known = kernels.insert(kernel);
      if (known == kernel)
        continue;
      replacements[kernel.getSymNameAttr()] =
          FlatSymbolRefAttr::get(known.getSymNameAttr());
      kernel.erase();
      ++numMerged;
    }
    if (replacements.empty())
      return markAllAnalysesPreserved();
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](LaunchOp launch) {
        if (FlatSymbolRefAttr to =
                replacements.lookup(launch.getKernelAttr().getAttr()))
          launch.setKernelAttr(to);
      });
  }
};
} // namespace
