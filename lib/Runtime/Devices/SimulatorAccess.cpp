//===- SimulatorAccess.cpp - accesses of work items -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks accesses, and describes errors.
///
//===----------------------------------------------------------------------===//

#include "SimulatorGroup.h"
#include "TinyGrad/Support/MatrixUnits.h"

#include <algorithm>
#include <cstdlib>

using namespace tinygrad;
using namespace tinygrad::detail;
using State = SimItem::State;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether no copy is about to write the bytes. Otherwise records an error.
bool SimGroup::checkCopies(std::size_t offset, std::size_t bytes,
                           const SimItem &item, const Access &access) {
  const auto begin = copying.begin() + std::ptrdiff_t(offset),
             end = begin + std::ptrdiff_t(bytes);
  const auto found =
      std::find_if(begin, end, [](uint16_t i) { return i != 0; });
  if (found == end)
    return true;
  record(nameOf(item.number) + " of " + nameOfGroup(group) + " " +
         (access.flags & SimWrite ? "writes " : "reads ") +
         nameOfElement(access, access.index + int64_t(found - begin) /
                                                  access.elementBytes) +
         ", which a copy writes that " + nameOf(*found - 1u) +
         " has not waited for");
  return false;
}

inline void SimGroup::access(SimItem &item, const Access &access) {
  const auto &[base, index, count, size, elementBytes, flags, buffer] = access;
  if (index < 0 || count < 0 || index > size - count) [[unlikely]] {
    recordBounds(item, access);
    stop(item);
  }
  if (flags & SimPrivate)
    return;
  const bool isUpdate = flags & SimUpdate;
  const AccessKind kind = {isUpdate || !(flags & SimWrite),
                           isUpdate || flags & SimWrite};
  const auto address = std::uintptr_t(base + index * elementBytes);
  const auto bytes = std::size_t(count * elementBytes);
  if (const auto alignment = std::uintptr_t(1)
                             << (flags >> kSimAlignmentBit & 63);
      address % alignment != 0) [[unlikely]] {
    recordMisaligned(item, access, alignment);
    stop(item);
  }
  if (isCounted) [[unlikely]] {
    // As on a GPU, where memory begins at a line, whatever the host's does.
    const auto begin = std::uintptr_t(base) % kMemoryAlignment;
    const std::uintptr_t place =
        flags & SimShared
            ? address
            : (std::uintptr_t(buffer) << 48) + begin + index * elementBytes;
    // Code that states no alignment does not access vectors.
    const auto known = unsigned(flags >> kSimAlignmentBit & 63);
    const bool isWhole =
        known == 0 || flags & SimShared || launch().memory.mayMisalign;
    const std::size_t piece = isWhole ? bytes : std::size_t(1) << known;
    // A copy without a source has no bytes, but its lane takes part.
    std::size_t at = 0;
    do {
      counter.record(item.number, item.subgroup, uint32_t(flags >> kSimSiteBit),
                     place + at, uint32_t(std::min(piece, bytes - at)),
                     kind.writes, flags & SimShared);
      at += piece;
    } while (at < bytes);
  }
  Conflict conflict;
  if (flags & SimShared) {
    const std::uintptr_t offset =
        address - reinterpret_cast<std::uintptr_t>(shared.get());
    const std::size_t sharedBytes = launch().sharedBytes;
    if (offset > sharedBytes || bytes > sharedBytes - offset) [[unlikely]] {
      record(nameOf(item.number) + " of " + nameOfGroup(group) +
                 " accesses a tile that is not in the " +
                 std::to_string(sharedBytes) + " bytes of shared memory",
             /*isBoundsError=*/true);
      stop(item);
    }
    if (numCopying > 0 && !checkCopies(offset, bytes, item, access))
      stop(item);
    if (kind.writes && !(productReads.empty() && stores.empty()) &&
        !checkReads(offset, bytes, item, access))
      stop(item);
    if (!arrived.empty() && !checkArrivals(offset, bytes, item, access))
      stop(item);
    if (sharedShadow.access(offset, bytes, kind, toShadow(item), conflict))
        [[likely]] {
      if (flags & SimAsync) {
        std::fill_n(copying.begin() + std::ptrdiff_t(offset), bytes,
                    uint16_t(item.number + 1));
        numCopying += bytes;
      } else if (kind.writes) {
        noteWrite(item);
      }
      return;
    }
  } else if (state->shadow.access(
                 cache, address, bytes, std::size_t(elementBytes), kind,
                 GlobalShadow::stamp(group, phase, item.number), conflict))
      [[likely]] {
    return;
  }
  recordConflict(item, access, conflict);
  stop(item);
}

int64_t tg_sim_access(int64_t item, int64_t base, int64_t index, int64_t count,
                      int64_t size, int64_t elementBytes, int64_t flags,
                      int64_t buffer) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->access(self,
                     {base, index, count, size, elementBytes, flags, buffer});
  return index;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static std::string format(const SimTriple &triple) {
  return "(" + std::to_string(triple[0]) + ", " + std::to_string(triple[1]) +
         ", " + std::to_string(triple[2]) + ")";
}

void SimGroup::record(const std::string &error, bool isBoundsError) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (!mayGoOn())
    return;
  state->error = "kernel " + launch().kernel + ": " + error;
  state->isBoundsError = isBoundsError;
  state->failedGroup = group;
}

/// Stops an item after an error was recorded: its group will be abandoned.
void SimGroup::stop(SimItem &item) {
  item.fiber->suspend();
  std::abort();
}

std::string SimGroup::nameOf(uint32_t item) const {
  return "work item " + format(coordinatesOf(item, launch().groupSize));
}

std::string SimGroup::nameOfGroup(uint64_t number) const {
  return "group " + format(coordinatesOf(number, launch().groups));
}

std::string SimGroup::nameOfElement(const Access &access,
                                    int64_t element) const {
  std::string name = "element " + std::to_string(element) + " of ";
  if (access.flags & SimShared)
    return name + "the tile at byte " +
           std::to_string(access.base -
                          reinterpret_cast<int64_t>(shared.get())) +
           " of shared memory";
  if (access.buffer >= 0)
    return name + "buffer " + std::to_string(access.buffer);
  return name + (access.flags & SimPrivate ? "a private tile" : "a tile");
}

std::string SimGroup::describeWait(const SimItem &item) {
  switch (item.state) {
  case State::AtBarrier:
    return "waits at barrier " + std::to_string(item.site);
  case State::AtMbarrier:
    return "waits for mbarrier " + std::to_string(item.bits) + " at " +
           std::to_string(item.site);
  case State::AtNamedBarrier:
    return "waits at barrier " + std::to_string(item.site) + " (number " +
           std::to_string(item.bits) + ", of " + std::to_string(item.operand) +
           " work items)";
  case State::AtRegisters:
    return "sets " + std::to_string(item.bits) + " registers at " +
           std::to_string(item.site);
  case State::AtShuffle: {
    if (item.mode == SimMultiplyShared)
      return "waits at matrix operation " + std::to_string(item.site) + " (" +
             std::string(kMatrixUnits[item.width >> 2].name) + ")";
    if (item.mode == SimMultiply)
      return "waits at matrix operation " + std::to_string(item.site) + " (" +
             std::string(kMatrixUnits[item.width].name) + ")";
    if (item.mode == SimReadTransposed)
      return "waits at transposing read " + std::to_string(item.site);
    if (item.mode > SimMultiply)
      return "waits at ldmatrix " + std::to_string(item.site);
    static constexpr const char *modes[] = {"xor", "up", "down", "idx"};
    return "waits at shuffle " + std::to_string(item.site) + " (" +
           modes[item.mode & 3] + ", width " + std::to_string(item.width) + ")";
  }
  default:
    return "has ended";
  }
}

void SimGroup::recordMissing(const SimItem &waiting, const SimItem &missing) {
  const bool isShuffle = waiting.state == State::AtShuffle;
  record(nameOf(waiting.number) + " of " + nameOfGroup(group) + " " +
         describeWait(waiting) + ", but " + nameOf(missing.number) +
         (isShuffle ? " of its subgroup" : "") + " does not come: it " +
         describeWait(missing));
}

void SimGroup::recordBounds(const SimItem &item, const Access &access) {
  const bool isBefore = access.index < 0 || access.count < 0;
  const int64_t element =
      isBefore ? access.index : std::max(access.index, access.size);
  record(nameOf(item.number) + " of " + nameOfGroup(group) + " " +
             (access.flags & SimWrite ? "writes " : "reads ") +
             nameOfElement(access, element) + ", which has " +
             std::to_string(access.size) + " elements",
         /*isBoundsError=*/true);
}

void SimGroup::recordMisaligned(const SimItem &item, const Access &access,
                                std::uintptr_t alignment) {
  record(nameOf(item.number) + " of " + nameOfGroup(group) + " " +
         (access.flags & SimWrite ? "writes " : "reads ") +
         std::to_string(access.count) + " elements at once from " +
         nameOfElement(access, access.index) +
         " on, whose address is not a multiple of " +
         std::to_string(alignment) + " bytes");
}

void SimGroup::recordConflict(const SimItem &item, const Access &access,
                              const Conflict &conflict) {
  std::string text =
      nameOf(item.number) + " of " + nameOfGroup(group) + " " +
      (access.flags & SimUpdate  ? "updates "
       : access.flags & SimWrite ? "writes "
                                 : "reads ") +
      nameOfElement(access, access.index +
                                int64_t(conflict.offset) / access.elementBytes);
  switch (conflict.kind) {
  case Conflict::Kind::NoMemory:
    text += ": no memory is left to record it for finding races";
    break;
  case Conflict::Kind::Uninitialized:
    text += ", which no work item of the group has written";
    break;
  case Conflict::Kind::Race:
    text += ", which ";
    if (conflict.isOtherGroup && conflict.isOneOfSeveral)
      text += "other groups read as well (" + nameOf(conflict.item) + " of " +
              nameOfGroup(conflict.group) +
              " was the first): groups are not ordered";
    else if (conflict.isOtherGroup)
      text += nameOf(conflict.item) + " of " + nameOfGroup(conflict.group) +
              (conflict.isWrite ? " writes" : " reads") +
              " as well: groups are not ordered";
    else
      text += (conflict.isOneOfSeveral ? "several work items of the group"
                                       : nameOf(conflict.item)) +
              (conflict.isWrite ? " wrote" : " read") +
              " without a barrier in between";
    text = "race: " + text;
    break;
  }
  record(text);
}
