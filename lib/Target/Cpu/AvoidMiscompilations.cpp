//===- AvoidMiscompilations.cpp - workarounds for LLVM bugs ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rewrites IR for which LLVM 22 selects wrong instructions. Each function
/// works around one bug of LLVM and can be removed when that is fixed.
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

/// Stores of one lane become scalar stores. LLVM 22 does this itself in
/// instruction selection for x86, but a truncating store keeps the width from
/// before the truncation and overwrites the following bytes.
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

/// Completes reversals of vectors of which LLVM has found some lanes unused.
/// Instruction selection for x86 does not terminate for a partial reversal of
/// 64 bytes after an operation with a constant.
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

/// A reversal of 64 bytes in which constants replace lanes becomes one shuffle
/// of both. Where one lane remains, after an operation with a constant,
/// instruction selection for x86 does not terminate for two shuffles.
static void mergeReversalsWithConstants(llvm::Module &module) {
  constexpr int kLanes = 64;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *blend = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
      if (!blend || blend->changesLength() ||
          blend->getShuffleMask().size() != kLanes ||
          !blend->getType()->getElementType()->isIntegerTy(8))
        continue;
      if (llvm::isa<llvm::Constant>(blend->getOperand(0)))
        blend->commute();
      auto *reversal =
          llvm::dyn_cast<llvm::ShuffleVectorInst>(blend->getOperand(0));
      if (!reversal || reversal->changesLength() || !reversal->isReverse() ||
          llvm::any_of(reversal->getShuffleMask(),
                       [](int lane) { return lane >= kLanes; }) ||
          !llvm::isa<llvm::Constant>(blend->getOperand(1)))
        continue;
      llvm::SmallVector<int> mask(blend->getShuffleMask());
      for (int &lane : mask)
        if (lane >= 0 && lane < kLanes)
          lane = kLanes - 1 - lane;
      blend->setOperand(0, reversal->getOperand(0));
      blend->setShuffleMask(mask);
      // It is before the blend, which the loop has reached.
      if (reversal->use_empty())
        reversal->eraseFromParent();
    }
}

namespace {
using FoldingBuilder = llvm::IRBuilder<llvm::InstSimplifyFolder>;
} // namespace

/// Lanes [first, first + count) of a vector. Looks through `and`, so that
/// conjunctions with a constant fold.
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

/// Splits masked loads of several registers into one per register. With AVX,
/// but not AVX-512, LLVM 22 splits them itself; if the mask combines a splat
/// with a constant that disables all lanes of a register, it loads all of these
/// lanes.
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
      // Concatenates the previous parts with this one.
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

/// Whether instruction selection may know that a lane of the vector is 0.
static bool mayHaveZeroLane(const llvm::Value *vector, unsigned depth = 0) {
  // It looks at six operations, one after the other.
  constexpr unsigned kMostDepth = 8;
  if (const auto *constant = llvm::dyn_cast<llvm::Constant>(vector)) {
    const auto *type =
        llvm::dyn_cast<llvm::FixedVectorType>(constant->getType());
    if (!type)
      return !llvm::isa<llvm::UndefValue>(constant) && constant->isNullValue();
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      const llvm::Constant *lane = constant->getAggregateElement(i);
      if (!lane || lane->isNullValue())
        return true;
    }
    return false;
  }
  const auto *instruction = llvm::dyn_cast<llvm::Instruction>(vector);
  // Instructions are selected block by block.
  if (!instruction || llvm::isa<llvm::PHINode, llvm::LoadInst>(instruction))
    return false;
  const auto *call = llvm::dyn_cast<llvm::CallInst>(instruction);
  if (call && !llvm::isa<llvm::IntrinsicInst>(call))
    return false;
  return depth == kMostDepth ||
         llvm::any_of(instruction->operands(), [&](const llvm::Use &operand) {
           return (operand->getType()->isVectorTy() ||
                   operand->getType()->isFloatingPointTy()) &&
                  mayHaveZeroLane(operand, depth + 1);
         });
}

/// LLVM 22 takes a lane of 0 / 0 for 0 when it simplifies vectors by the lanes
/// that are used (`SimplifyDemandedVectorElts`), and then drops the mask that
/// would make the lane 0. A fence hides that the divisor is 0.
static void fenceDivisors(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      const bool isDivision =
          instruction.getOpcode() == llvm::Instruction::FDiv ||
          instruction.getOpcode() == llvm::Instruction::FRem;
      if (!isDivision || !instruction.getType()->isVectorTy() ||
          !mayHaveZeroLane(instruction.getOperand(0)) ||
          !mayHaveZeroLane(instruction.getOperand(1)))
        continue;
      llvm::IRBuilder<> builder(&instruction);
      instruction.setOperand(
          1, builder.CreateArithmeticFence(instruction.getOperand(1),
                                           instruction.getType()));
    }
}

void cpu::avoidMiscompilations(llvm::Module &module,
                               const CpuTargetOptions &target) {
  narrowSingleLaneStores(module);
  completeReversals(module);
  mergeReversalsWithConstants(module);
  fenceDivisors(module);
  const unsigned registerBits = unsigned(target.getFacts().vectorBytes) * 8;
  if (module.getTargetTriple().isX86() && registerBits == 256)
    splitMaskedLoads(module, registerBits);
}
