//===- KernelValues.cpp - where values of a kernel come from --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace mlir::tg;
using namespace mlir::tg::cpu;

ParameterFinder::ParameterFinder(const llvm::Function &function,
                                 const CodeCounter &counter) {
  if (counter.calls.contains(function.getName())) {
    kernel = &function;
    return;
  }
  if (!function.hasLocalLinkage() || !function.hasOneUse())
    return;
  call = llvm::dyn_cast<llvm::CallBase>(*function.user_begin());
  if (call && call->getCalledFunction() == &function &&
      counter.calls.contains(call->getFunction()->getName()))
    kernel = call->getFunction();
}

std::optional<Parameter> ParameterFinder::find(const llvm::Value *value) const {
  if (!kernel)
    return std::nullopt;
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(value)) {
    if (argument->getParent() != kernel)
      return find(call->getArgOperand(argument->getArgNo()));
    return Parameter{static_cast<Parameter::Kind>(argument->getArgNo())};
  }
  auto *load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (!load)
    return std::nullopt;
  const llvm::DataLayout &layout = kernel->getParent()->getDataLayout();
  llvm::APInt offset(64, 0);
  const llvm::Value *base =
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true);
  const std::optional<Parameter> from = find(base);
  if (!from || from->kind != Parameter::Kind::Variables ||
      !load->getType()->isIntegerTy(64))
    return std::nullopt;
  return Parameter{Parameter::Kind::Variable,
                   static_cast<unsigned>(offset.getZExtValue() / 8)};
}

bool DataDependence::isData(const llvm::Value *value) {
  auto *op = llvm::dyn_cast<llvm::Instruction>(value);
  if (!op)
    return false;
  // Values of a cycle depend on what enters it.
  auto [place, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return place->second;
  bool result = false;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(op)) {
    const llvm::Value *base = load->getPointerOperand()->stripInBoundsOffsets();
    const std::optional<Parameter> from =
        parameters.find(llvm::getUnderlyingObject(base));
    result = !from || (from->kind != Parameter::Kind::Buffers &&
                       from->kind != Parameter::Kind::Variables);
  } else if (llvm::isa<llvm::AllocaInst>(op)) {
    result = false;
  } else {
    auto *intrinsic = llvm::dyn_cast<llvm::CallBase>(op);
    result = (intrinsic && intrinsic->mayReadFromMemory()) ||
             llvm::any_of(op->operands(), [&](const llvm::Use &operand) {
               return isData(operand.get());
             });
  }
  known[value] = result;
  return result;
}

llvm::SmallVector<const llvm::Value *>
cpu::getAddresses(const llvm::Instruction &op) {
  if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&op))
    return {pointer};
  llvm::SmallVector<const llvm::Value *> found;
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&op);
      call && (call->mayReadOrWriteMemory()))
    for (const llvm::Use &operand : call->args())
      if (operand->getType()->isPtrOrPtrVectorTy())
        found.push_back(operand.get());
  return found;
}
