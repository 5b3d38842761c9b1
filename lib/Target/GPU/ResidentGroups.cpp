//===- ResidentGroups.cpp - the groups that code has registers for --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds out how many registers a kernel needs at least, from the values that
/// are live at once in LLVM's code, so that a bound of its registers does not
/// make the compiler spill them.
///
//===----------------------------------------------------------------------===//

#include "ResidentGroups.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::tg;

/// Registers that instructions need beside the values of the code: for
/// addresses that are not values of their own, and for what compilers move.
static constexpr int64_t kOtherRegisters = 8;
/// The address space of the memory of groups, whose addresses have 32 bits.
static constexpr unsigned kGroupSpace = 3;
/// The most work items of groups of which NVIDIA's code leaves room for two, if
/// these may fit: a few registers more than half would leave half of a compute
/// unit without work items.
static constexpr int64_t kPairedItems = 256;

/// Registers of a value of this type. Conditions have only few of their own.
/// Vectors of other narrow integers are not computed in packed form: each
/// element takes a register, and one while it is unpacked.
static int64_t countRegisters(llvm::Type *type) {
  if (auto *list = llvm::dyn_cast<llvm::StructType>(type)) {
    int64_t count = 0;
    for (llvm::Type *element : list->elements())
      count += countRegisters(element);
    return count;
  }
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    return int64_t(array->getNumElements()) *
           countRegisters(array->getElementType());
  if (auto *pointer = llvm::dyn_cast<llvm::PointerType>(type))
    return pointer->getAddressSpace() == kGroupSpace ? 1 : 2;
  const uint64_t bits = type->getPrimitiveSizeInBits().getKnownMinValue();
  const auto words = static_cast<int64_t>(llvm::divideCeil(bits, 32));
  const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector || !vector->getElementType()->isIntegerTy())
    return words;
  const int64_t count = vector->getNumElements();
  const unsigned width = vector->getScalarSizeInBits();
  return width == 1 ? count : width < 32 ? 2 * count : words;
}

/// The value whose register holds \p value, too: parts of vectors, and
/// addresses at a constant distance, which accesses contain.
static const llvm::Value *getHolder(const llvm::Value *value) {
  while (true) {
    if (const auto *part = llvm::dyn_cast<llvm::ExtractElementInst>(value))
      value = part->getVectorOperand();
    else if (const auto *part = llvm::dyn_cast<llvm::ExtractValueInst>(value))
      value = part->getAggregateOperand();
    else if (const auto *address =
                 llvm::dyn_cast<llvm::GetElementPtrInst>(value);
             address && address->hasAllConstantIndices())
      value = address->getPointerOperand();
    else
      return value;
  }
}

namespace {
/// The values that are live at a place.
class LiveSet {
public:
  /// Arguments are not in registers of items, and constants are parts of
  /// instructions.
  void add(const llvm::Value *value) {
    value = getHolder(value);
    if (llvm::isa<llvm::Instruction>(value) &&
        !llvm::isa<llvm::AllocaInst>(value) && values.insert(value).second)
      registers += countRegisters(value->getType());
  }
  void remove(const llvm::Value *value) {
    if (values.erase(value))
      registers -= countRegisters(value->getType());
  }
  const llvm::DenseSet<const llvm::Value *> &getValues() const {
    return values;
  }
  int64_t getRegisters() const { return registers; }

private:
  llvm::DenseSet<const llvm::Value *> values;
  int64_t registers = 0;
};
} // namespace

int64_t mlir::tg::countLiveRegisters(const llvm::Function &function) {
  llvm::DenseMap<const llvm::BasicBlock *, LiveSet> liveIn;
  int64_t most = 0;
  // Sets only grow, until they are those of a fixed point.
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (const llvm::BasicBlock *block :
         llvm::post_order(&function.getEntryBlock())) {
      LiveSet live;
      for (const llvm::BasicBlock *next : llvm::successors(block)) {
        for (const llvm::Value *value : liveIn[next].getValues())
          live.add(value);
        for (const llvm::PHINode &phi : next->phis())
          live.add(phi.getIncomingValueForBlock(block));
      }
      most = std::max(most, live.getRegisters());
      for (const llvm::Instruction &op : llvm::reverse(*block)) {
        live.remove(&op);
        if (llvm::isa<llvm::PHINode>(op))
          continue;
        // What another value's register holds is no operation.
        if (getHolder(&op) == &op)
          for (const llvm::Value *operand : op.operands())
            live.add(operand);
        most = std::max(most, live.getRegisters());
      }
      LiveSet &known = liveIn[block];
      if (live.getValues().size() > known.getValues().size()) {
        known = std::move(live);
        hasChanged = true;
      }
    }
  }
  return most;
}

/// Registers of constants of f64: instructions have only the upper half of one.
/// Compilers load them before a loop.
static int64_t countConstants(const llvm::Function &function) {
  llvm::DenseSet<const llvm::Value *> found;
  auto add = [&](const llvm::Constant *value) {
    if (const auto *number = llvm::dyn_cast_if_present<llvm::ConstantFP>(value);
        number && number->getType()->isDoubleTy() &&
        llvm::Lo_32(number->getValueAPF().bitcastToAPInt().getZExtValue()) != 0)
      found.insert(number);
  };
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &op : block)
      for (const llvm::Value *operand : op.operands())
        if (const auto *value = llvm::dyn_cast<llvm::Constant>(operand)) {
          add(value);
          if (value->getType()->isVectorTy())
            add(value->getSplatValue());
        }
  return 2 * int64_t(found.size());
}

void mlir::tg::lowerResidentGroups(llvm::Function &function,
                                   const tinygrad::GPUChipData &chip,
                                   int64_t items, int64_t groups) {
  if (!chip.isAMD())
    groups = std::min(groups, tinygrad::kPortableGroups);
  const int64_t live = countLiveRegisters(function) + countConstants(function);
  // Compilers order code otherwise: fewer registers than those may be enough,
  // but hardly by more than a fifth.
  auto mayFit = [&](int64_t count) {
    return live - live / 5 <= tinygrad::getMostRegisters(chip, items, count);
  };
  const int64_t least = chip.isAMD() || items > kPairedItems || !mayFit(2)
                            ? 1
                            : std::min<int64_t>(groups, 2);
  // They also keep more at once than they need to.
  const int64_t needed = live + live / 4 + kOtherRegisters;
  const int64_t wanted = groups;
  while (groups > least &&
         tinygrad::getMostRegisters(chip, items, groups) < needed)
    --groups;
  if (groups == wanted)
    return;
  if (chip.isAMD())
    function.addFnAttr("amdgpu-waves-per-eu",
                       std::to_string(llvm::divideCeil(
                           groups * tinygrad::countSubgroups(chip, items),
                           tinygrad::kUnitParts)));
  else
    function.addFnAttr("nvvm.minctasm", std::to_string(groups));
}
