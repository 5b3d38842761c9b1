//===- ModuleLevel.cpp - the level of a module ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes the levels of kernels and functions.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgKernelFunctions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tg;

static constexpr LevelRange kAnyKernels = {ModuleLevel::Kernels,
                                           ModuleLevel::ScheduledKernels};

static LevelRange getOnly(ModuleLevel level) { return {level, level}; }

static LevelRange getKernelLevels(KernelOp kernel) {
  if (kernel.getScheduled())
    return getOnly(ModuleLevel::ScheduledKernels);
  bool hasRanges = false;
  for (auto range : kernel.getBody().getOps<RangeOp>()) {
    if (range.getKind() != RangeKind::loop)
      return getOnly(ModuleLevel::ScheduledKernels);
    hasRanges = true;
  }
  return hasRanges ? getOnly(ModuleLevel::Kernels) : kAnyKernels;
}

static std::optional<LevelRange> getFunctionLevels(func::FuncOp func) {
  if (func->hasAttr(parallelExtentAttrName))
    return getOnly(ModuleLevel::Functions);
  bool isHost = false, hasOwn = false;
  func.walk([&](Operation *op) {
    if (isa<AllocOp, LaunchOp, LiteralOp, SortOp, SubbufferOp, TransferOp>(
            op)) {
      isHost = true;
      return WalkResult::interrupt();
    }
    hasOwn |= isa_and_nonnull<TgDialect>(op->getDialect());
    return WalkResult::advance();
  });
  if (isHost)
    return kAnyKernels;
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (hasOwn && (llvm::any_of(func.getArgumentTypes(), isTensor) ||
                 llvm::any_of(func.getResultTypes(), isTensor)))
    return getOnly(ModuleLevel::TensorGraph);
  return std::nullopt;
}

std::optional<LevelRange> tg::getLevels(Operation *op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return getKernelLevels(kernel);
  if (auto func = dyn_cast<func::FuncOp>(op))
    return getFunctionLevels(func);
  if (auto module = dyn_cast<gpu::GPUModuleOp>(op))
    for (auto func : module.getOps<gpu::GPUFuncOp>())
      if (func->hasAttr(groupsAttrName))
        return getOnly(ModuleLevel::Functions);
  return std::nullopt;
}

static StringRef describeOp(LevelRange levels) {
  if (levels == kAnyKernels)
    return "made of kernels (level 2 or 3)";
  switch (levels.first) {
  case ModuleLevel::TensorGraph:
    return "a tensor graph (level 1)";
  case ModuleLevel::Kernels:
    return "a kernel without a schedule (level 2)";
  case ModuleLevel::ScheduledKernels:
    return "a scheduled kernel (level 3)";
  case ModuleLevel::Functions:
    return "made of a kernel (level 4)";
  }
  llvm_unreachable("unknown ModuleLevel");
}

static StringRef describeNeeded(LevelRange needed) {
  if (needed == kAnyKernels)
    return "kernels (level 2 or 3)";
  if (needed.first != needed.last)
    return "tensor graphs or kernels (level 1, 2 or 3)";
  switch (needed.first) {
  case ModuleLevel::TensorGraph:
    return "tensor graphs (level 1)";
  case ModuleLevel::Kernels:
    return "kernels without a schedule (level 2)";
  case ModuleLevel::ScheduledKernels:
    return "scheduled kernels (level 3)";
  case ModuleLevel::Functions:
    return "functions made of kernels (level 4)";
  }
  llvm_unreachable("unknown ModuleLevel");
}

/// What takes a program from the level to the next one.
static StringRef getNextStep(ModuleLevel level) {
  switch (level) {
  case ModuleLevel::TensorGraph:
    return "tg-schedule-pipeline";
  case ModuleLevel::Kernels:
    return "tg-optimize-pipeline";
  case ModuleLevel::ScheduledKernels:
    return "convert-tg-to-vector or convert-tg-to-gpu";
  case ModuleLevel::Functions:
    break;
  }
  llvm_unreachable("the last level");
}

LogicalResult tg::emitLevelError(Operation *op, LevelRange found,
                                 LevelRange needed) {
  InFlightDiagnostic error = emitError(op->getLoc());
  if (auto name =
          op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    error << "'@" << name.getValue() << "'";
  else
    error << "'" << op->getName() << "'";
  error << " is " << describeOp(found) << ", but " << describeNeeded(needed)
        << " are needed";
  if (found.last < needed.first)
    error << "; run " << getNextStep(found.last) << " first";
  return error;
}

LogicalResult tg::requireLevel(ModuleOp module, LevelRange needed) {
  std::pair<Operation *, LevelRange> above = {nullptr, needed};
  bool anyFits = false;
  for (Operation &op : *module.getBody()) {
    const std::optional<LevelRange> levels = getLevels(&op);
    if (!levels)
      continue;
    if (levels->last < needed.first)
      return emitLevelError(&op, *levels, needed);
    if (!above.first && levels->first > needed.last)
      above = {&op, *levels};
    anyFits |= levels->first >= needed.first && levels->last <= needed.last;
  }
  if (above.first && !anyFits)
    return emitLevelError(above.first, above.second, needed);
  return success();
}

LogicalResult tg::requireLevel(ModuleOp module, ModuleLevel needed) {
  return requireLevel(module, getOnly(needed));
}

bool tg::isScheduled(ModuleOp module) {
  bool hasScheduled = false;
  for (auto kernel : module.getOps<KernelOp>()) {
    const LevelRange levels = getKernelLevels(kernel);
    if (levels.last == ModuleLevel::Kernels)
      return false;
    hasScheduled |= levels.first == ModuleLevel::ScheduledKernels;
  }
  return hasScheduled;
}
