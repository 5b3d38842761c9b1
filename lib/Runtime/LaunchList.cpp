//===- LaunchList.cpp - launch lists as data ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks of launch lists, and their kernels and constants on a device.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/LaunchList.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <utility>

using namespace tinygrad;

LaunchList tinygrad::link(LaunchList list, Device &device,
                          const FindKernel &find) {
  for (Slot &slot : list.slots) {
    if (!slot.deviceName.empty())
      slot.device = &Device::get(slot.deviceName);
    if (slot.kind != Slot::Kind::Constant)
      continue;
    slot.constant = Buffer::fromHost(slot.device ? *slot.device : device,
                                     slot.contents.data(), slot.contents.size(),
                                     slot.dtype);
    slot.contents = {};
  }
  for (Step &step : list.steps) {
    if (step.kind != Step::Kind::Launch)
      continue;
    step.kernel = find(step.symbol);
    step.displayName = step.kernel.uniqueName();
  }
  return list;
}

std::size_t tinygrad::getNeededBytes(const Slot &slot, const int64_t *values) {
  if (slot.sizes.empty())
    return slot.bytes;
  // No product of sizes that is less than `bytes` overflows.
  std::size_t bytes = slot.dtype ? itemSize(*slot.dtype) : 1;
  bool isLarge = false;
  for (const Expression &size : slot.sizes) {
    const int64_t number = size.evaluate(values);
    if (number <= 0)
      return 0;
    isLarge |= bytes > slot.bytes / std::size_t(number);
    if (!isLarge)
      bytes *= std::size_t(number);
  }
  return isLarge ? slot.bytes : bytes;
}

/// The slot that owns the memory of \p slot.
static uint32_t rootOf(const LaunchList &list, uint32_t slot) {
  while (list.slots[slot].kind == Slot::Kind::View)
    slot = list.slots[slot].base;
  return slot;
}

static bool isWithin(std::size_t offset, std::size_t bytes, std::size_t whole) {
  return offset <= whole && bytes <= whole - offset;
}

static void verifySlots(const LaunchList &list) {
  std::vector<unsigned> timesInput(list.slots.size(), 0);
  for (uint32_t slot : list.inputs) {
    if (slot >= list.slots.size() || list.slots[slot].kind != Slot::Kind::Input)
      throw Error("launch list: input " + std::to_string(slot) +
                  " is not an input slot");
    ++timesInput[slot];
  }
  for (uint32_t i = 0; i < list.slots.size(); ++i) {
    const Slot &slot = list.slots[i];
    const std::string where = "launch list: slot " + std::to_string(i);
    switch (slot.kind) {
    case Slot::Kind::Input:
      if (slot.alignment == 0 || (slot.alignment & (slot.alignment - 1)) != 0 ||
          slot.alignment > kMemoryAlignment)
        throw Error(where + " has an alignment of " +
                    std::to_string(slot.alignment) + " bytes");
      for (const Expression &size : slot.sizes)
        if (size.numVariables() > list.variables.size())
          throw Error(where + " has a size over variables that the program "
                              "does not have");
      if (timesInput[i] != 1)
        throw Error(where + " is given " + std::to_string(timesInput[i]) +
                    " times among the inputs");
      break;
    case Slot::Kind::Output:
      break;
    case Slot::Kind::Arena:
      if (!isWithin(slot.offset, slot.bytes, list.arenaBytes))
        throw Error(where + " reaches beyond the arena of " +
                    std::to_string(list.arenaBytes) + " bytes");
      break;
    case Slot::Kind::Constant:
      break;
    case Slot::Kind::View:
      if (slot.base >= i)
        throw Error(where + " is a view of a slot that is not before it");
      if (!isWithin(slot.offset, slot.bytes, list.slots[slot.base].bytes))
        throw Error(where + " reaches beyond slot " +
                    std::to_string(slot.base));
      if (slot.symbolicOffset.numVariables() > list.variables.size())
        throw Error(where + " begins at an offset over variables that the "
                            "program does not have");
      break;
    }
  }
}

static void verifySort(const LaunchList &program, const Step &step,
                       const std::string &where) {
  const SortShape &sort = step.sort;
  if (step.slots.size() != 2)
    throw Error(where + " does not sort one slot into another");
  auto fits = [&](uint32_t slot, int64_t elements, DType dtype) {
    const std::size_t available = program.slots[slot].bytes / itemSize(dtype);
    return elements == 0 || sort.rows == 0 ||
           (elements > 0 && std::size_t(elements) <= available &&
            std::size_t(sort.rows) <= available / std::size_t(elements));
  };
  if (sort.rows < 0 ||
      !fits(step.slots[0], sort.rowPositions, sort.positions) ||
      !fits(step.slots[1], sort.rowElements, sort.keys))
    throw Error(where + " sorts more elements than its slots have");
  if (sort.positions != DType::Int32 && sort.positions != DType::Int64)
    throw Error(where + " has positions of type " +
                tinygrad::name(sort.positions));
  if (sort.length.numVariables() > step.variables.size())
    throw Error(where + " has a length over more variables than the step");
  if (sort.length.isConstant() && sort.length.constant() > sort.rowElements)
    throw Error(where + " sorts more elements than a row has");
}

void tinygrad::verify(const LaunchList &program) {
  verifySlots(program);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step &step = program.steps[i];
    const std::string where = "launch list: step " + std::to_string(i) + " (" +
                              step.displayName + ")";
    for (uint32_t slot : step.slots)
      if (slot >= program.slots.size())
        throw Error(where + " uses slot " + std::to_string(slot) + " of " +
                    std::to_string(program.slots.size()));
    if (step.numWritten > step.slots.size())
      throw Error(where + " writes " + std::to_string(step.numWritten) +
                  " slots, but uses " + std::to_string(step.slots.size()));
    const std::size_t numValues =
        program.variables.size() + program.numbers.size();
    for (uint32_t variable : step.variables)
      if (variable >= numValues)
        throw Error(where + " uses variable " + std::to_string(variable) +
                    " of " + std::to_string(numValues));
    if (step.kind == Step::Kind::Copy) {
      if (step.slots.size() != 2 || program.slots[step.slots[0]].bytes !=
                                        program.slots[step.slots[1]].bytes)
        throw Error(where + " does not copy between two slots of one size");
      continue;
    }
    if (step.kind == Step::Kind::Sort)
      verifySort(program, step, where);
    if (step.dims.parallelExtent.isConstant() &&
        step.dims.parallelExtent.constant() < 0)
      throw Error(where + " has a negative extent");
    const std::array<Expression, 3> &groups = step.dims.groups;
    if (std::max(
            {step.dims.parallelExtent.numVariables(), groups[0].numVariables(),
             groups[1].numVariables(), groups[2].numVariables(),
             step.dims.sharedBytes.numVariables(), step.opCount.numVariables(),
             step.memBytes.numVariables()}) > step.variables.size())
      throw Error(where + " has an extent over more variables than the kernel");
  }
  for (uint32_t slot : program.outputs) {
    if (slot >= program.slots.size())
      throw Error("launch list: output " + std::to_string(slot) +
                  " is not a slot");
    if (program.slots[rootOf(program, slot)].kind == Slot::Kind::Arena)
      throw Error("launch list: output slot " + std::to_string(slot) +
                  " is in the arena, which does not outlive a run");
  }
}
