//===- SimulatorBoxes.cpp - boxes of buffers ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The maps and boxes of copies in both directions, and stores of boxes (PTX
/// ISA, "cp.async.bulk.tensor" with "bulk_group").
///
/// A store reads shared memory as late as it can: when its item waits for it.
/// Until then, whoever writes there is reported, and so is a group that ends.
/// It reads by the asynchronous proxy: what an item wrote has to be fenced.
///
//===----------------------------------------------------------------------===//

#include "SimulatorGroup.h"

#include <algorithm>
#include <cstring>
#include <string>

using namespace tinygrad;
using namespace tinygrad::detail;

/// What the hardware asks of the addresses of boxes and of the distances of
/// rows, of where boxes are copied to, and of boxes.
static constexpr int64_t kPieceBytes = 16, kTargetBytes = 128, kMostBox = 256,
                         kMostSize = int64_t(1) << 32;

//===----------------------------------------------------------------------===//
// Maps and boxes
//===----------------------------------------------------------------------===//

/// Whether the hardware takes such a map. Otherwise records an error.
bool SimGroup::checkMap(const SimItem &item, const SimTensorMap &map,
                        bool isWrite) {
  const int64_t rowBytes = map.box[0] * map.elementBytes;
  std::string reason;
  if (map.base % kPieceBytes != 0)
    reason = "the address of the buffer is not a multiple of 16 bytes";
  else if (map.sizes[0] < 1 || map.sizes[1] < 1 || map.sizes[0] > kMostSize ||
           map.sizes[1] > kMostSize)
    reason = "a matrix of " + std::to_string(map.sizes[1]) + "x" +
             std::to_string(map.sizes[0]);
  else if (map.stride * map.elementBytes % kPieceBytes != 0)
    reason = "the distance of rows is not a multiple of 16 bytes";
  else if (map.box[0] < 1 || map.box[1] < 1 || map.box[0] > kMostBox ||
           map.box[1] > kMostBox || rowBytes % kPieceBytes != 0)
    reason = "boxes of " + std::to_string(map.box[1]) + "x" +
             std::to_string(map.box[0]);
  else if (map.swizzleBytes != 0 && map.swizzleBytes != 128)
    reason = "a swizzle that the simulator does not know";
  else if (map.swizzleBytes != 0 && rowBytes != map.swizzleBytes)
    reason = "permuted rows of " + std::to_string(rowBytes) + " bytes";
  else
    return true;
  record(nameOf(item.number) + " of " + nameOfGroup(group) + " copies " +
         (isWrite ? "to" : "from") + " buffer " + std::to_string(map.buffer) +
         " by a tensor map with " + reason);
  return false;
}

/// Records that a copy reads or writes a box of a buffer. Returns false after
/// an error.
bool SimGroup::accessBox(const SimItem &item, const SimTensorMap &map,
                         int64_t x, int64_t y, bool isWrite, int64_t site) {
  const auto what = [&] {
    return nameOf(item.number) + " of " + nameOfGroup(group) +
           (isWrite ? " stores a box to buffer " : " copies a box of buffer ") +
           std::to_string(map.buffer);
  };
  if ((map.sizes[1] - 1) * map.stride + map.sizes[0] > map.elements) {
    record(what() + ", whose tensor map has " + std::to_string(map.sizes[1]) +
               " rows of " + std::to_string(map.sizes[0]) + ", but which has " +
               std::to_string(map.elements) + " elements",
           /*isBoundsError=*/true);
    return false;
  }
  const int64_t begin = std::max<int64_t>(x, 0),
                end = std::min(x + map.box[0], map.sizes[0]);
  for (int64_t row = std::max<int64_t>(y, 0);
       begin < end && row < std::min(y + map.box[1], map.sizes[1]); ++row) {
    const int64_t first = row * map.stride + begin;
    const auto address = std::uintptr_t(map.base + first * map.elementBytes);
    const auto bytes = std::size_t((end - begin) * map.elementBytes);
    if (isCounted)
      counter.record(item.number, item.subgroup, uint32_t(site),
                     (std::uintptr_t(map.buffer) << 48) +
                         std::uintptr_t(first * map.elementBytes),
                     uint32_t(bytes), isWrite, /*isShared=*/false);
    Conflict conflict;
    if (state->shadow.access(cache, address, bytes,
                             std::size_t(map.elementBytes), {!isWrite, isWrite},
                             GlobalShadow::stamp(group, phase, item.number),
                             conflict))
      continue;
    record("race: " + what() + ", of which " + nameOf(conflict.item) +
           (conflict.isOtherGroup ? " of " + nameOfGroup(conflict.group)
                                  : std::string()) +
           (conflict.isWrite ? " writes" : " reads") + " elements as well");
    return false;
  }
  return true;
}

/// Whether a box is at a place of shared memory. Otherwise records an error.
bool SimGroup::findBox(const SimItem &item, const SimTensorMap &map,
                       int64_t place, bool isWrite) {
  const int64_t bytes = map.box[0] * map.box[1] * map.elementBytes,
                all = int64_t(launch().sharedBytes);
  const bool isInside = place >= 0 && place <= all - bytes;
  if (isInside && place % kTargetBytes == 0)
    return true;
  record(nameOf(item.number) + " of " + nameOfGroup(group) +
             (isWrite ? " stores " : " copies ") + std::to_string(bytes) +
             " bytes " + (isWrite ? "from" : "to") + " byte " +
             std::to_string(place) + " of shared memory, which " +
             (isInside ? "is not a multiple of 128"
                       : "has " + std::to_string(all)),
         /*isBoundsError=*/!isInside);
  return false;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Records that a store will read an element. Returns false after an error.
bool SimGroup::readStoredElement(const SimItem &item, std::size_t offset,
                                 std::size_t bytes) {
  const auto what = [&] {
    return nameOf(item.number) + " of " + nameOfGroup(group) +
           " stores a box with byte " + std::to_string(offset) +
           " of shared memory";
  };
  if (copying[offset] != 0) {
    record(what() + ", which a copy writes that " +
           nameOf(copying[offset] - 1u) + " has not waited for");
    return false;
  }
  Conflict conflict;
  if (!sharedShadow.access(offset, bytes, {true, false}, toShadow(item),
                           conflict)) {
    record(conflict.kind == Conflict::Kind::Uninitialized
               ? what() + ", which no work item of the group has written"
               : "race: " + what() + ", which " + nameOf(conflict.item) +
                     " wrote without a barrier in between");
    return false;
  }
  if (!arrived.empty() && !hasSeenArrival(offset, item)) {
    record(what() + ", " + nameOfArrival(offset) + nameOf(item.number) +
           " has not waited");
    return false;
  }
  return checkFencedProxy(offset, what());
}

void SimGroup::storeBox(SimItem &item, const SimTensorMap &map, int64_t x,
                        int64_t y, int64_t source, int64_t site) {
  if (!checkMap(item, map, /*isWrite=*/true) ||
      !accessBox(item, map, x, y, /*isWrite=*/true, site) ||
      !findBox(item, map, source, /*isWrite=*/true))
    stop(item);
  const auto begin = std::size_t(source),
             element = std::size_t(map.elementBytes),
             bytes = std::size_t(map.box[0] * map.box[1]) * element;
  for (std::size_t offset = begin; offset < begin + bytes; offset += element)
    if (!readStoredElement(item, offset, element))
      stop(item);
  reading.resize(launch().sharedBytes);
  for (std::size_t offset = begin; offset < begin + bytes; ++offset)
    ++reading[offset];
  stores.push_back({map, x, y, begin, item.number, item.numStoreGroups});
}

void SimGroup::commitStores(SimItem &item) { ++item.numStoreGroups; }

void SimGroup::waitForStores(SimItem &item, std::size_t count) {
  for (std::size_t i = 0; i < stores.size();)
    if (stores[i].item == item.number &&
        stores[i].storeGroup + count < item.numStoreGroups)
      landStore(i);
    else
      ++i;
}

/// A store reads its box, and writes what is inside of the matrix.
void SimGroup::landStore(std::size_t number) {
  const auto [map, x, y, source, item, storeGroup] = stores[number];
  auto *to = reinterpret_cast<char *>(map.base);
  const auto size = std::size_t(map.elementBytes);
  std::size_t next = source;
  for (int64_t row = y; row < y + map.box[1]; ++row)
    for (int64_t column = x; column < x + map.box[0]; ++column) {
      if (row >= 0 && row < map.sizes[1] && column >= 0 &&
          column < map.sizes[0])
        std::memcpy(to + (row * map.stride + column) * map.elementBytes,
                    shared.get() + map.getPlace(next), size);
      next += size;
    }
  for (std::size_t offset = source; offset < next; ++offset)
    --reading[offset];
  stores.erase(stores.begin() + std::ptrdiff_t(number));
}

/// At the end of a group. Its memory is another group's from then on.
bool SimGroup::endStores() {
  if (stores.empty())
    return true;
  const BoxStore &store = stores.front();
  record(nameOfGroup(group) + " ends before a box has been read that " +
         nameOf(store.item) + " stores to buffer " +
         std::to_string(store.map.buffer) + " and has not waited for");
  return false;
}

//===----------------------------------------------------------------------===//
// Functions that kernels call
//===----------------------------------------------------------------------===//

void tg_sim_store_box(int64_t item, int64_t map, int64_t x, int64_t y,
                      int64_t source, int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->storeBox(self, *reinterpret_cast<const SimTensorMap *>(map), x, y,
                       source, site);
}

void tg_sim_commit_stores(int64_t item) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->commitStores(self);
}

void tg_sim_wait_for_stores(int64_t item, int64_t count) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->waitForStores(self, std::size_t(count));
}
