//===- AvoidMiscompilations.cpp - what LLVM gets wrong
//---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rewrites what LLVM 22 selects wrong instructions for. Each function is one
/// mistake of LLVM, and can go when it is mended there.
///
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::tg;

static llvm::SmallVector<llvm::IntrinsicInst *>
collectCalls(llvm::Module &module, llvm::Intrinsic::ID id) {
  llvm::SmallVector<llvm::IntrinsicInst *> calls;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == id)
        calls.push_back(call);
  return calls;
}

/// Stores of one lane as stores of a scalar. LLVM 22 does this itself when it
/// selects instructions for x86, but where the store also narrows its elements
/// it writes them with the width they had before, over what follows.
static void narrowSingleLaneStores(llvm::Module &module) {
  for (llvm::IntrinsicInst *store :
       collectCalls(module, llvm::Intrinsic::masked_store)) {
    auto *mask = llvm::dyn_cast<llvm::Constant>(
        store->getArgOperand(store->arg_size() - 1));
    llvm::Value *vector = store->getArgOperand(0);
    auto *type = llvm::cast<llvm::FixedVectorType>(vector->getType());
    if (!mask)
      continue;
    unsigned lane = 0, count = 0;
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      llvm::Constant *bit = mask->getAggregateElement(i);
      if (!bit || bit->isNullValue())
        continue;
      lane = i;
      ++count;
    }
    if (count != 1)
      continue;
    llvm::IRBuilder<> builder(store);
    llvm::Type *element = type->getElementType();
    llvm::Value *address =
        builder.CreateConstGEP1_64(element, store->getArgOperand(1), lane);
    builder.CreateAlignedStore(
        builder.CreateExtractElement(vector, lane), address,
        llvm::Align(std::max(element->getScalarSizeInBits() / 8, 1u)));
    store->eraseFromParent();
  }
}

/// Reversals of all lanes where LLVM has found that some are not needed: its
/// instruction selection for x86 does not end where 64 bytes are reversed in
/// part after an operation with a constant.
static void completeReversals(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
      if (!shuffle || shuffle->changesLength())
        continue;
      llvm::SmallVector<int> mask(shuffle->getShuffleMask());
      int size = mask.size();
      bool isReversal = true;
      for (int i = 0; i < size; ++i) {
        isReversal &= mask[i] < 0 || mask[i] == size - 1 - i;
        mask[i] = size - 1 - i;
      }
      if (isReversal)
        shuffle->setShuffleMask(mask);
    }
}

namespace {
using FoldingBuilder = llvm::IRBuilder<llvm::InstSimplifyFolder>;
} // namespace

/// Lanes [first, first + count) of a vector. Conjunctions are taken apart, so
/// that those with a constant fold.
static llvm::Value *getLanes(FoldingBuilder &builder, llvm::Value *vector,
                             unsigned first, unsigned count) {
  auto *op = llvm::dyn_cast<llvm::BinaryOperator>(vector);
  if (op && op->getOpcode() == llvm::Instruction::And)
    return builder.CreateAnd(
        getLanes(builder, op->getOperand(0), first, count),
        getLanes(builder, op->getOperand(1), first, count));
  llvm::SmallVector<int> lanes;
  for (unsigned i = 0; i < count; ++i)
    lanes.push_back(int(first + i));
  return builder.CreateShuffleVector(vector, lanes);
}

/// Masked loads of several registers as one of each. With AVX, but not AVX-512,
/// LLVM 22 divides them itself; where a splat and a constant make the mask, and
/// the constant leaves out all lanes of a register, it loads all of these.
static void splitMaskedLoads(llvm::Module &module, unsigned registerBits) {
  for (llvm::IntrinsicInst *load :
       collectCalls(module, llvm::Intrinsic::masked_load)) {
    auto *type = llvm::cast<llvm::FixedVectorType>(load->getType());
    llvm::Type *element = type->getElementType();
    const unsigned lanes = type->getNumElements(),
                   count = registerBits / element->getScalarSizeInBits();
    if (lanes <= count || lanes % count != 0)
      continue;
    FoldingBuilder builder(load->getParent(), load->getIterator(),
                           llvm::InstSimplifyFolder(module.getDataLayout()));
    llvm::Value *result = nullptr;
    for (unsigned first = 0; first < lanes; first += count) {
      llvm::Value *mask =
          getLanes(builder, load->getArgOperand(1), first, count);
      llvm::Value *part =
          getLanes(builder, load->getArgOperand(2), first, count);
      const auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
      if (!constant || !constant->isNullValue()) {
        llvm::CallInst *own = builder.CreateMaskedLoad(
            part->getType(),
            builder.CreateConstGEP1_64(element, load->getArgOperand(0), first),
            first == 0 ? load->getParamAlign(0).valueOrOne()
                       : llvm::Align(element->getScalarSizeInBits() / 8),
            mask, part);
        own->copyMetadata(*load);
        part = own;
      }
      // The parts so far, and this one.
      llvm::SmallVector<int> all;
      for (unsigned i = 0; i < lanes; ++i)
        all.push_back(result && i < first ? int(i)
                      : i < first + count
                          ? int(i - first + (result ? lanes : 0))
                          : -1);
      if (result) {
        llvm::SmallVector<int> wide(lanes, -1);
        for (unsigned i = 0; i < count; ++i)
          wide[i] = int(i);
        part = builder.CreateShuffleVector(part, wide);
        result = builder.CreateShuffleVector(result, part, all);
      } else {
        result = builder.CreateShuffleVector(part, all);
      }
    }
    load->replaceAllUsesWith(result);
    load->eraseFromParent();
  }
}

void cpu::avoidMiscompilations(llvm::Module &module,
                               const CpuTargetOptions &target) {
  narrowSingleLaneStores(module);
  completeReversals(module);
  const unsigned registerBits = unsigned(target.getFacts().vectorBytes) * 8;
  if (module.getTargetTriple().isX86() && registerBits == 256)
    splitMaskedLoads(module, registerBits);
}
