//===- Residency.cpp - groups resident on a compute unit ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Estimates the registers of a scheduled kernel, and compares the groups that
/// a compute unit holds with those that it should hold.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/Residency.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;
using tinygrad::KernelKind;
using tinygrad::Occupancy;

/// Registers of an item for addresses, counters, masks and intermediate values.
static constexpr uint64_t kOtherRegisters = 24;
/// Larger estimates are all the same.
static constexpr uint64_t kTooMany = 1 << 20;

/// The tile of a group that a load reads; null if it reads other memory.
static StageOp getTileOfGroup(LoadOp load) {
  auto barrier = load.getBuffer().getDefiningOp<BarrierOp>();
  auto tile =
      (barrier ? barrier.getTile() : load.getBuffer()).getDefiningOp<StageOp>();
  return tile && tile.getMemory() == TileMemory::group ? tile : StageOp();
}

namespace {
/// Counts the registers of the values of a kernel.
class RegisterCounter {
public:
  explicit RegisterCounter(const GroupLayout &layout) : layout(layout) {}

  uint64_t count(KernelOp kernel);

private:
  using RangeSet = DenseSet<Value>;

  /// How many copies of a value an item computes, other than along `once`.
  uint64_t countCopies(Value value, const RangeSet &once);
  /// The registers of such copies; several narrow elements share one.
  static uint64_t getRegisters(Type element, uint64_t copies);
  uint64_t countAccumulators(RangedReduceOp reduce);
  uint64_t countFactors(const Contraction &contraction, const RangeSet &once);

  const GroupLayout &layout;
  IndexAnalysis analysis;
};
} // namespace

uint64_t RegisterCounter::countCopies(Value value, const RangeSet &once) {
  uint64_t copies = 1;
  for (Value of : analysis.getRanges(value)) {
    auto range = of.getDefiningOp<RangeOp>();
    if ((range.getKind() == RangeKind::unroll ||
         range.getKind() == RangeKind::upcast) &&
        !once.contains(of))
      copies =
          llvm::SaturatingMultiply<uint64_t>(copies, range.getLargestExtent());
  }
  return copies;
}

uint64_t RegisterCounter::getRegisters(Type element, uint64_t copies) {
  return llvm::divideCeil(
      llvm::SaturatingMultiply<uint64_t>(
          copies, std::max(element.getIntOrFloatBitWidth(), 8U)),
      32);
}

uint64_t RegisterCounter::countAccumulators(RangedReduceOp reduce) {
  uint64_t copies = countCopies(reduce.getResult(), {});
  // Lanes of the reduced range are accumulators of their own.
  for (Value of : reduce.getRanges())
    if (auto range = of.getDefiningOp<RangeOp>();
        range.getKind() == RangeKind::upcast)
      copies =
          llvm::SaturatingMultiply<uint64_t>(copies, range.getLargestExtent());
  // Narrow types are summed in 32 bits.
  return llvm::SaturatingMultiply<uint64_t>(
      copies, llvm::divideCeil(reduce.getType().getIntOrFloatBitWidth(), 32));
}

uint64_t RegisterCounter::countFactors(const Contraction &contraction,
                                       const RangeSet &once) {
  const tinygrad::MatrixUnit &unit = *contraction.unit;
  if (unit.readsMemory())
    return 0;
  auto countOf = [&](const Contraction::Factor &factor, int64_t numElements,
                     bool ofColumns) {
    // Copies along digits of one accumulator are not tiles of their own.
    uint64_t tiles = countCopies(factor.getIndex(), once);
    for (const AccumulatorDigit &digit : getAccumulatorDigits(unit, ofColumns))
      if (!digit.isLane)
        tiles /= std::clamp<uint64_t>(digit.extent, 1, tiles);
    return tiles * numElements * tinygrad::getBytes(unit.element) / 4;
  };
  return countOf(contraction.rows, unit.a.getNumRegisters(), false) +
         countOf(contraction.columns, unit.b.getNumRegisters(), true);
}

uint64_t RegisterCounter::count(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto reduces = llvm::to_vector(body.getOps<RangedReduceOp>());
  // Positions of a sum can be added one after the other.
  RangeSet closed;
  for (RangedReduceOp reduce : reduces)
    for (Value range : reduce.getRanges())
      if (range.getDefiningOp<RangeOp>().getKind() == RangeKind::unroll)
        closed.insert(range);
  auto isFactor = [&](LoadOp load) {
    return llvm::any_of(layout.contractions, [&](const Contraction &product) {
      return product.rows.load == load || product.columns.load == load;
    });
  };
  uint64_t accumulators = 0, filled = 0, others = 0;
  for (RangedReduceOp reduce : reduces)
    accumulators = llvm::SaturatingAdd(accumulators, countAccumulators(reduce));
  for (const Contraction &contraction : layout.contractions)
    others += countFactors(contraction, closed);
  // What is read again is kept.
  DenseMap<Value, int64_t> numLoads;
  for (auto load : body.getOps<LoadOp>())
    ++numLoads[load.getBuffer()];
  DenseMap<Value, uint64_t> kept;
  for (auto load : body.getOps<LoadOp>()) {
    if (isFactor(load))
      continue;
    auto isFilled = [&](Operation *user) {
      auto tile = dyn_cast<StageOp>(user);
      return tile && tile.getMemory() == TileMemory::group;
    };
    if (llvm::any_of(load->getUsers(), isFilled)) {
      // Asynchronous copies need no registers.
      const bool waits = llvm::any_of(load->getUsers(), [&](Operation *user) {
        return isFilled(user) && !cast<StageOp>(user).getBuffers();
      });
      if (waits)
        filled = llvm::SaturatingAdd(
            filled,
            getRegisters(load.getType(), countCopies(load.getResult(), {})));
      continue;
    }
    const bool isKept =
        numLoads.lookup(load.getBuffer()) > 1 && !getTileOfGroup(load);
    const uint64_t registers =
        getRegisters(load.getType(), countCopies(load.getResult(),
                                                 isKept ? RangeSet() : closed));
    if (isKept)
      kept[load.getBuffer()] =
          std::max(kept.lookup(load.getBuffer()), registers);
    else
      others = llvm::SaturatingAdd(others, registers);
  }
  for (auto [buffer, registers] : kept)
    others = llvm::SaturatingAdd(others, registers);
  return llvm::SaturatingAdd(accumulators,
                             std::max(filled, others) + kOtherRegisters);
}

/// The items of a group that has two subgroups of 64 on each part of a unit.
static constexpr int64_t kWideItems = 512;

GroupNeeds tg::getGroupNeeds(KernelOp kernel, const GroupLayout &layout) {
  GroupNeeds needs;
  needs.items = layout.getGroupItems();
  needs.bytes = layout.groupBytes;
  needs.registers = static_cast<int64_t>(
      std::min(RegisterCounter(layout).count(kernel), kTooMany));
  // Items that only copy leave most of theirs to the others.
  if (layout.copyingItems > 0)
    needs.registers =
        llvm::divideCeil(needs.registers * layout.getRangeItems() +
                             kCopyingRegisters * layout.copyingItems,
                         needs.items);
  // A reduction of what the group shares: each value is read many times.
  auto readsTile = [&](RangedReduceOp reduce) {
    SmallVector<Value> stack{reduce.getValue()};
    DenseSet<Value> seen;
    while (!stack.empty()) {
      Value value = stack.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!op || !seen.insert(value).second)
        continue;
      if (auto load = dyn_cast<LoadOp>(op)) {
        if (getTileOfGroup(load))
          return true;
        continue;
      }
      if (!isa<RangedReduceOp, StageOp>(op))
        llvm::append_range(stack, op->getOperands());
    }
    return false;
  };
  if (llvm::any_of(kernel.getBody().front().getOps<RangedReduceOp>(),
                   readsTile))
    needs.kind = KernelKind::blocked;
  needs.isAsynchronous =
      llvm::any_of(layout.contractions, [](const Contraction &contraction) {
        return contraction.unit->readsMemory();
      });
  // Two subgroups on each part of a unit that do not wait for copies: one of
  // them multiplies while the other one reads factors.
  needs.isAsynchronous |=
      needs.items >= kWideItems &&
      llvm::any_of(layout.contractions, [](const Contraction &contraction) {
        return StageOp(contraction.rows.tile).getBuffers() &&
               StageOp(contraction.columns.tile).getBuffers();
      });
  return needs;
}

std::optional<std::string> tg::findCrowding(const GroupNeeds &needs,
                                            const TargetFacts &target) {
  if (target.unitSubgroups == 0)
    return std::nullopt;
  const int64_t wanted =
      needs.isAsynchronous ? 1
                           : tinygrad::getWantedGroups(
                                 target, needs.kind, needs.items, /*bytes=*/0);
  const Occupancy found =
      tinygrad::getOccupancy(target, needs.items, needs.registers, needs.bytes);
  if (found.groups >= wanted)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "a compute unit would hold " << found.groups
     << (found.groups == 1 ? " group, " : " groups, ") << found.subgroups
     << " of " << target.unitSubgroups << " subgroups, by its "
     << tinygrad::getLimitName(found.limit) << " (";
  if (found.limit == tinygrad::OccupancyLimit::memory)
    os << needs.bytes << " bytes of a group";
  else
    os << "about " << needs.registers << " of an item";
  os << "); " << wanted << " are wanted";
  return text;
}

int64_t tg::getResidentGroups(const GroupNeeds &needs,
                              const TargetFacts &target) {
  if (target.unitSubgroups == 0)
    return 0;
  const int64_t wanted =
      tinygrad::getWantedGroups(target, needs.kind, needs.items, needs.bytes);
  const Occupancy possible =
      tinygrad::getOccupancy(target, needs.items, needs.registers, needs.bytes);
  return std::clamp<int64_t>(possible.groups, 1, wanted);
}
