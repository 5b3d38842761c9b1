//===- SimulatorWarpgroup.cpp - products of four subgroups ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// wgmma: products of matrices in shared memory, which go on while the items
/// that began them do. The sums are computed at once; what is wrong before they
/// are waited for is an error.
///
/// A sum may not be read as long as any product of its item is not complete,
/// which is more than PTX asks for: only those of this sum matter there.
///
//===----------------------------------------------------------------------===//

#include "SimulatorGroup.h"
#include "SimulatorMatrix.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::detail;
using State = SimItem::State;

/// Subgroups that multiply together, and their lanes.
static constexpr uint32_t kSubgroups = 4, kLanes = 32,
                          kItems = kSubgroups * kLanes;

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

void SimGroup::multiplyShared(SimItem &item, int64_t unit, int64_t transposed,
                              int64_t a, int64_t b, int64_t sum, int64_t site) {
  if (!item.hasFencedRegisters) {
    record(nameOf(item.number) + " of " + nameOfGroup(group) +
           " begins matrix operation " + std::to_string(site) + " (" +
           std::string(kMatrixUnits[unit].name) +
           ") without a wgmma.fence since its registers were accessed");
    stop(item);
  }
  item.result = sum;
  shuffle(item, a, b, SimMultiplyShared, unit << 2 | transposed, site);
}

/// Does the product for which an item waits if the items of all four subgroups
/// do. Those of others that wait for something else may still come. Returns
/// false after an error.
bool SimGroup::releaseWarpgroup(const SimItem &waiting) {
  const uint32_t begin = waiting.number / kItems * kItems;
  if (launch().subgroupSize != kLanes || begin + kItems > numItems) {
    record(nameOf(waiting.number) + " of " + nameOfGroup(group) + " " +
           describeWait(waiting) + ", but it is not one of " +
           std::to_string(kSubgroups) + " subgroups of " +
           std::to_string(kLanes) + " lanes");
    return false;
  }
  for (uint32_t i = begin; i < begin + kItems; ++i) {
    const SimItem &item = items[i];
    if (item.state == State::Ready || mayStillCome(item) ||
        (item.state == State::AtShuffle && item.mode != SimMultiplyShared))
      return true;
    if (item.state != State::AtShuffle || item.site != waiting.site ||
        item.width != waiting.width) {
      recordMissing(waiting, item);
      return false;
    }
    if (item.bits != waiting.bits || item.operand != waiting.operand) {
      record(nameOf(waiting.number) + " of " + nameOfGroup(group) + " " +
             describeWait(waiting) + " with other descriptors than " +
             nameOf(item.number));
      return false;
    }
  }
  if (!multiplyWarpgroup(begin))
    return false;
  for (uint32_t i = begin; i < begin + kItems; ++i)
    setReady(items[i]);
  std::fill_n(numAtShuffle.begin() + begin / kLanes, kSubgroups, 0);
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Records that a product reads an element. Returns false after an error.
bool SimGroup::readProductElement(std::size_t offset, std::size_t bytes,
                                  uint32_t begin, int64_t site) {
  const auto what = [&] {
    return "matrix operation " + std::to_string(site) + " of " + nameOf(begin) +
           " of " + nameOfGroup(group) + " reads byte " +
           std::to_string(offset) + " of shared memory";
  };
  if (offset + bytes > launch().sharedBytes) {
    record(what() + ", which has " + std::to_string(launch().sharedBytes),
           /*isBoundsError=*/true);
    return false;
  }
  if (numCopying > 0 && copying[offset] != 0) {
    record(what() + ", which a copy writes that " +
           nameOf(copying[offset] - 1u) + " has not waited for");
    return false;
  }
  // What one of its items wrote is not ordered before the operation of all:
  // several read, so that each writer is another one than some reader.
  for (const uint32_t reader : {0, 1, 32, 64, 96}) {
    Conflict conflict;
    if (sharedShadow.checkRead(offset, bytes, toShadow(items[begin + reader]),
                               conflict))
      continue;
    record(conflict.kind == Conflict::Kind::Uninitialized
               ? what() + ", which no work item of the group has written"
               : "race: " + what() + ", which " + nameOf(conflict.item) +
                     " wrote without a barrier in between");
    return false;
  }
  if (!arrived.empty())
    for (uint32_t i = begin; i < begin + kItems; ++i)
      if (!hasSeenArrival(offset, items[i])) {
        record(what() + ", " + nameOfArrival(offset) + nameOf(i) +
               " has not waited");
        return false;
      }
  return checkFencedProxy(offset, what());
}

/// Whether operations of the asynchronous proxy see what an item wrote.
/// Otherwise records an error.
bool SimGroup::checkFencedProxy(std::size_t offset, const std::string &what) {
  const auto [writer, writtenIn] = sharedShadow.getWriter(offset);
  const uint32_t since = items[writer].unfencedSince;
  if (since == 0 || since > writtenIn)
    return true;
  record(what + ", which " + nameOf(writer) +
         " wrote without a fence.proxy.async before the barrier");
  return false;
}

/// Does the product of the warpgroup whose first item is `begin`.
bool SimGroup::multiplyWarpgroup(uint32_t begin) {
  const SimItem &first = items[begin];
  const MatrixUnit &unit = kMatrixUnits[first.width >> 2];
  const bool isTransposed[] = {(first.width & 1) != 0, (first.width & 2) != 0};
  const auto bytes = std::size_t(getBytes(unit.element));
  ++numProducts;
  productReads.resize((numItems + kItems - 1) / kItems);
  std::vector<uint32_t> &readBy = productReads[begin / kItems];
  readBy.resize(launch().sharedBytes);
  std::vector<char> factors[2];
  for (std::size_t number : {0, 1}) {
    const auto descriptor = uint64_t(number == 0 ? first.bits : first.operand);
    const int64_t extent = number == 0 ? unit.m : unit.n;
    factors[number].resize(std::size_t(extent * unit.k) * bytes);
    char *to = factors[number].data();
    for (int64_t side = 0; side < extent; ++side)
      for (int64_t depth = 0; depth < unit.k; ++depth) {
        const std::optional<std::size_t> offset = getDocumentedAddress(
            descriptor, int64_t(bytes), isTransposed[number], side, depth);
        if (!offset) {
          record(nameOf(begin) + " of " + nameOfGroup(group) + " " +
                 describeWait(first) +
                 " with a descriptor of a kind that the "
                 "simulator does not know");
          return false;
        }
        if (!readProductElement(*offset, bytes, begin, first.site))
          return false;
        std::fill_n(readBy.begin() + std::ptrdiff_t(*offset), bytes,
                    numProducts);
        std::copy_n(shared.get() + *offset, bytes, to);
        to += bytes;
      }
  }
  std::array<char *, kItems> sums{};
  for (uint32_t i = 0; i < kItems; ++i) {
    sums[i] = reinterpret_cast<char *>(items[begin + i].result);
    items[begin + i].products.push_back(numProducts);
  }
  detail::multiplyWarpgroup(unit, factors[0].data(), factors[1].data(), sums);
  return true;
}

/// Whether all products that read a byte were waited for before the next access
/// of an item: by itself, or by one that an arrival or a barrier orders before.
bool SimGroup::isProductOver(std::size_t offset, const SimItem &item) const {
  for (std::size_t i = 0; i < productReads.size(); ++i)
    if (!productReads[i].empty() &&
        !SimOrder::reaches(item.order.products, i, productReads[i][offset]))
      return false;
  return true;
}

/// Whether no product and no store of a box reads the bytes that an item
/// writes. Otherwise records an error.
bool SimGroup::checkReads(std::size_t offset, std::size_t bytes,
                          const SimItem &item, const Access &access) {
  for (std::size_t i = 0; i < bytes; ++i) {
    const bool isStored = !reading.empty() && reading[offset + i] != 0;
    if (!isStored && isProductOver(offset + i, item))
      continue;
    record(
        nameOf(item.number) + " of " + nameOfGroup(group) + " writes " +
        nameOfElement(access, access.index + int64_t(i) / access.elementBytes) +
        ", which " + (isStored ? "a store of a box" : "a matrix operation") +
        " reads that was not waited for");
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void SimGroup::commitProducts(SimItem &item) {
  std::size_t grouped = 0;
  for (const std::size_t count : item.productGroups)
    grouped += count;
  item.productGroups.push_back(item.products.size() - grouped);
}

void SimGroup::waitForProducts(SimItem &item, std::size_t count) {
  std::size_t done = 0;
  while (item.productGroups.size() > count) {
    done += item.productGroups.front();
    item.productGroups.erase(item.productGroups.begin());
  }
  if (done > 0)
    SimOrder::raise(item.order.products, item.number / kItems,
                    item.products[done - 1]);
  item.products.erase(item.products.begin(),
                      item.products.begin() + std::ptrdiff_t(done));
}

void SimGroup::readSum(SimItem &item) {
  item.hasFencedRegisters = false;
  if (item.products.empty())
    return;
  record(nameOf(item.number) + " of " + nameOfGroup(group) +
         " reads a sum of a matrix operation that it has not waited for");
  stop(item);
}

//===----------------------------------------------------------------------===//
// Functions that kernels call
//===----------------------------------------------------------------------===//

void tg_sim_multiply_shared(int64_t item, int64_t unit, int64_t transposed,
                            int64_t a, int64_t b, int64_t sum, int64_t site) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->multiplyShared(self, unit, transposed, a, b, sum, site);
}

void tg_sim_fence_registers(int64_t item) {
  reinterpret_cast<SimItem *>(item)->hasFencedRegisters = true;
}

void tg_sim_commit_products(int64_t item) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->commitProducts(self);
}

void tg_sim_wait_for_products(int64_t item, int64_t count) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->waitForProducts(self, std::size_t(count));
}

void tg_sim_read_sum(int64_t item) {
  auto &self = *reinterpret_cast<SimItem *>(item);
  self.owner->readSum(self);
}

void tg_sim_fence_proxy(int64_t item) {
  reinterpret_cast<SimItem *>(item)->hasFencedProxy = true;
}
