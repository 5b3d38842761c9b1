//===- SimulatorCounts.cpp - memory traffic of GPU kernels ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts sectors, lines and bank conflicts.
///
//===----------------------------------------------------------------------===//

#include "SimulatorCounts.h"

#include <algorithm>
#include <tuple>

using namespace tinygrad;
using namespace tinygrad::detail;

void SimCounts::add(const SimCounts &other) {
  for (auto member : {&SimCounts::loads, &SimCounts::stores}) {
    Global &own = this->*member;
    const Global &added = other.*member;
    own.accesses += added.accesses;
    own.sectors += added.sectors;
    own.lines += added.lines;
    own.bytes += added.bytes;
  }
  sharedAccesses += other.sharedAccesses;
  sharedBytes += other.sharedBytes;
  sharedConflicts += other.sharedConflicts;
  groups += other.groups;
}

SimCounts SimCounts::scaledTo(int64_t allGroups) const {
  SimCounts result = *this;
  if (groups == 0)
    return result;
  const double factor = double(allGroups) / double(groups);
  auto scale = [&](int64_t &number) {
    number = int64_t(double(number) * factor + 0.5);
  };
  for (Global *global : {&result.loads, &result.stores}) {
    scale(global->accesses);
    scale(global->sectors);
    scale(global->lines);
    scale(global->bytes);
  }
  scale(result.sharedAccesses);
  scale(result.sharedBytes);
  scale(result.sharedConflicts);
  return result;
}

static std::string format(const char *name, const SimCounts::Global &global) {
  return std::string(name) + " " + std::to_string(global.accesses) +
         " sectors " + std::to_string(global.sectors) + " lines " +
         std::to_string(global.lines) + " bytes " +
         std::to_string(global.bytes);
}

std::string SimCounts::str() const {
  return format("loads", loads) + "; " + format("stores", stores) +
         "; shared " + std::to_string(sharedAccesses) + " bytes " +
         std::to_string(sharedBytes) + " conflicts " +
         std::to_string(sharedConflicts) + "; groups " + std::to_string(groups);
}

void AccessCounter::record(uint32_t item, uint32_t subgroup, uint32_t site,
                           uint64_t address, uint32_t bytes, bool isWrite,
                           bool isShared) {
  if (times.size() <= item)
    times.resize(item + 1);
  if (times[item].size() <= site)
    times[item].resize(site + 1);
  accesses.push_back({subgroup, site, times[item][site]++, item, address, bytes,
                      isWrite, isShared});
}

/// How many blocks of `size` bytes are touched; lists them in `blocks`.
template <typename It>
static int64_t countBlocks(It begin, It end, uint64_t size,
                           std::vector<uint64_t> &blocks) {
  blocks.clear();
  for (It it = begin; it != end; ++it)
    for (uint64_t block = it->address / size, end = it->address + it->bytes;
         it->bytes != 0 && block * size < end; ++block)
      blocks.push_back(block);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return int64_t(blocks.size());
}

/// How many turns more than without conflicts an access of shared memory takes.
/// A turn serves one word of each bank.
template <typename It>
static int64_t countConflicts(It begin, It end, uint64_t banks,
                              std::vector<uint64_t> &words) {
  int64_t conflicts = 0;
  std::vector<int64_t> ofBank;
  while (begin != end) {
    // The lanes of one turn.
    It last = begin;
    for (uint64_t bytes = 0;
         last != end && bytes + last->bytes <= banks * kBankBytes; ++last)
      bytes += last->bytes;
    if (last == begin)
      ++last;
    countBlocks(begin, last, kBankBytes, words);
    ofBank.assign(banks, 0);
    for (uint64_t word : words)
      ++ofBank[word % banks];
    conflicts += *std::max_element(ofBank.begin(), ofBank.end()) - 1;
    begin = last;
  }
  return conflicts;
}

void AccessCounter::finish(SimCounts &counts, const MemoryUnit &memory) {
  auto getKey = [](const Access &access) {
    return std::tuple(access.subgroup, access.site, access.time);
  };
  std::sort(
      accesses.begin(), accesses.end(), [&](const Access &a, const Access &b) {
        return std::tuple(getKey(a), a.item) < std::tuple(getKey(b), b.item);
      });
  std::vector<uint64_t> scratch;
  for (auto begin = accesses.begin(); begin != accesses.end();) {
    const auto end =
        std::find_if(begin, accesses.end(), [&](const Access &access) {
          return getKey(access) != getKey(*begin);
        });
    int64_t bytes = 0;
    for (auto it = begin; it != end; ++it)
      bytes += it->bytes;
    if (begin->isShared) {
      ++counts.sharedAccesses;
      counts.sharedBytes += bytes;
      counts.sharedConflicts +=
          countConflicts(begin, end, uint64_t(memory.banks), scratch);
    } else {
      SimCounts::Global &global = begin->isWrite ? counts.stores : counts.loads;
      ++global.accesses;
      global.bytes += bytes;
      global.sectors +=
          countBlocks(begin, end, uint64_t(memory.sectorBytes), scratch);
      global.lines +=
          countBlocks(begin, end, uint64_t(memory.lineBytes), scratch);
    }
    begin = end;
  }
  ++counts.groups;
  accesses.clear();
  for (std::vector<uint32_t> &ofItem : times)
    ofItem.clear();
}
