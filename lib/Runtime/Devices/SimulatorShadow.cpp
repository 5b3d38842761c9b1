//===- SimulatorShadow.cpp - who accessed which memory --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Records of accesses to shared and global memory.
///
//===----------------------------------------------------------------------===//

#include "SimulatorShadow.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void SharedShadow::begin(std::size_t bytes) {
  if (cells.size() < bytes)
    cells.resize(bytes);
  phase = std::max(phase, lastPhase);
  if (phase + 1 >= kLastPhase) {
    std::fill(cells.begin(), cells.end(), Cell());
    phase = lastPhase = 0;
  }
  firstPhase = ++phase;
  ++phase;
  readers.clear();
  keepsReaders = false;
}

void SharedShadow::setWritten(std::size_t begin, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    cells[begin + i] = {firstPhase << kPhaseShift, 0};
}

void SharedShadow::nextPhase(uint32_t last) {
  phase = std::max(phase, last);
  lastPhase = std::max(lastPhase, phase);
  if (phase == kLastPhase) {
    // Of the past phases, only matters whether the group wrote the memory.
    for (Cell &cell : cells)
      cell = {cell.written >> kPhaseShift >= firstPhase ? 1u << kPhaseShift : 0,
              0};
    firstPhase = phase = lastPhase = 1;
  }
  ++phase;
  readers.clear();
}

inline bool SharedShadow::checkWriter(const Cell &cell, AccessKind kind,
                                      const ShadowItem &item,
                                      Conflict &conflict) const {
  if (kind.reads && cell.written >> kPhaseShift < firstPhase) {
    conflict.kind = Conflict::Kind::Uninitialized;
    return false;
  }
  if (isOrdered(cell.written, item))
    return true;
  conflict.kind = Conflict::Kind::Race;
  conflict.isWrite = true;
  conflict.item = itemOf(cell.written);
  return false;
}

inline bool SharedShadow::checkReaders(std::size_t offset,
                                       const ShadowItem &item,
                                       Conflict &conflict) const {
  const uint32_t stamp = cells[offset].read;
  uint32_t other = stamp;
  bool isOrderedAfter = isOrdered(stamp, item);
  if (stamp & kSeveral && stamp >> kPhaseShift >= phase) {
    const auto all = readers.find(offset);
    isOrderedAfter = all != readers.end();
    if (isOrderedAfter)
      for (const uint32_t one : all->second)
        if (!isOrdered(one, item)) {
          isOrderedAfter = false;
          other = one;
        }
  }
  if (isOrderedAfter)
    return true;
  conflict.kind = Conflict::Kind::Race;
  conflict.item = itemOf(other);
  conflict.isOneOfSeveral = stamp & kSeveral;
  return false;
}

/// Readers after which this one is ordered are forgotten: who writes after it
/// writes after them.
inline void SharedShadow::recordRead(std::size_t offset, uint32_t stamp,
                                     const ShadowItem &item) {
  uint32_t &read = cells[offset].read;
  if (read == stamp)
    return;
  if (!(read & kSeveral && read >> kPhaseShift >= phase)) {
    if (isOrdered(read, item)) {
      read = stamp;
      return;
    }
    if (keepsReaders)
      readers[offset] = {read, stamp};
    read |= kSeveral;
    return;
  }
  const auto all = readers.find(offset);
  if (all == readers.end())
    return;
  std::erase_if(all->second,
                [&](uint32_t one) { return isOrdered(one, item); });
  all->second.push_back(stamp);
  if (all->second.size() == 1)
    read = stamp;
}

/// Records an access where only barriers order accesses, if it is after the
/// last one that could conflict. The usual case of what access() does.
inline bool SharedShadow::recordOrdered(Cell &cell, AccessKind kind,
                                        uint32_t stamp) const {
  const uint32_t writtenIn = cell.written >> kPhaseShift;
  const bool wasReadNow = cell.read >> kPhaseShift >= phase;
  if (writtenIn >= phase || kind.reads == kind.writes)
    return false;
  if (kind.writes) {
    if (wasReadNow)
      return false;
    cell.written = stamp;
    return true;
  }
  if (writtenIn < firstPhase)
    return false;
  if (!wasReadNow)
    cell.read = stamp;
  else if (cell.read != stamp)
    cell.read |= kSeveral;
  return true;
}

bool SharedShadow::access(std::size_t begin, std::size_t bytes, AccessKind kind,
                          const ShadowItem &item, Conflict &conflict) {
  const uint32_t stamp = item.phase << kPhaseShift | item.number << kItemShift;
  lastPhase = std::max(lastPhase, item.phase);
  const bool onlyBarriersOrder = !item.known && !keepsReaders;
  for (std::size_t i = 0; i < bytes; ++i) {
    Cell &cell = cells[begin + i];
    if (onlyBarriersOrder && recordOrdered(cell, kind, stamp)) [[likely]]
      continue;
    if (!checkWriter(cell, kind, item, conflict) ||
        (kind.writes && !checkReaders(begin + i, item, conflict))) {
      conflict.offset = i;
      return false;
    }
    if (kind.writes)
      cell.written = stamp;
    if (kind.reads)
      recordRead(begin + i, stamp, item);
  }
  return true;
}

bool SharedShadow::checkRead(std::size_t begin, std::size_t bytes,
                             const ShadowItem &item, Conflict &conflict) const {
  for (std::size_t i = 0; i < bytes; ++i)
    if (!checkWriter(cells[begin + i], {true, false}, item, conflict)) {
      conflict.offset = i;
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Memory for stamps
//===----------------------------------------------------------------------===//

/// More is returned to the system after a launch.
static constexpr std::size_t kMaxBytesKept = std::size_t(128) << 20;

static std::size_t numStamps(unsigned shift) {
  return StampMemory::kPageBytes >> shift;
}
static std::size_t bytesOf(unsigned shift) {
  return numStamps(shift) * sizeof(uint64_t);
}

StampMemory::~StampMemory() {
  for (const std::vector<Stamp *> &arrays : kept)
    for (Stamp *array : arrays)
      std::free(static_cast<void *>(array));
}

StampMemory::Stamp *StampMemory::take(unsigned shift) {
  static_assert(sizeof(Stamp) == sizeof(uint64_t) &&
                Stamp::is_always_lock_free);
  Stamp *array = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!kept[shift].empty()) {
      array = kept[shift].back();
      kept[shift].pop_back();
      bytesKept -= bytesOf(shift);
    }
  }
  if (!array)
    return static_cast<Stamp *>(std::calloc(numStamps(shift), sizeof(Stamp)));
  std::memset(static_cast<void *>(array), 0, bytesOf(shift));
  return array;
}

void StampMemory::giveBack(Stamp *array, unsigned shift) {
  if (!array)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (bytesKept + bytesOf(shift) <= kMaxBytesKept) {
      kept[shift].push_back(array);
      bytesKept += bytesOf(shift);
      return;
    }
  }
  std::free(static_cast<void *>(array));
}

//===----------------------------------------------------------------------===//
// Pages of records
//===----------------------------------------------------------------------===//

GlobalShadow::~GlobalShadow() {
  auto giveBack = [&](const Cells &cells) {
    memory.giveBack(cells.written, cells.shift);
    memory.giveBack(cells.read, cells.shift);
  };
  for (auto &[number, page] : pages) {
    giveBack(page.first);
    if (page.fine)
      giveBack(*page.fine);
  }
}

/// The page number \p number, whose pieces are of 2^shift bytes if it is new.
/// This and the functions below return null if there is no memory: code without
/// unwind tables is on the stack.
GlobalShadow::Page *GlobalShadow::findPage(std::uintptr_t number,
                                           unsigned shift) try {
  std::lock_guard<std::mutex> lock(mutex);
  return &pages.try_emplace(number, shift).first->second;
} catch (const std::bad_alloc &) {
  return nullptr;
}

/// One of the two arrays of \p cells.
GlobalShadow::Stamp *GlobalShadow::findStamps(const Cells &cells,
                                              std::atomic<Stamp *> &stamps) {
  if (Stamp *array = stamps.load()) [[likely]]
    return array;
  std::lock_guard<std::mutex> lock(mutex);
  if (!stamps)
    stamps = memory.take(cells.shift);
  return stamps;
}

/// The records of a page for an access to pieces of 2^shift bytes. If they are
/// too coarse, each byte gets its own.
GlobalShadow::Cells *GlobalShadow::findCells(Page &page, unsigned shift) try {
  Cells *cells = page.cells.load();
  if (cells->isComplete && shift >= cells->shift) [[likely]]
    return cells;
  // Waits until another thread has completed them.
  std::lock_guard<std::mutex> lock(mutex);
  if (page.fine)
    return page.fine->isComplete ? page.fine.get() : nullptr;
  page.fine = std::make_unique<Cells>(0);
  page.fine->isComplete = false;
  // What is recorded in the old ones from now on is recorded again in the new
  // ones: see access().
  page.cells = page.fine.get();
  auto copy = [&](const Stamp *from, std::atomic<Stamp *> &to) {
    if (!from)
      return true;
    Stamp *array = memory.take(0);
    to = array;
    if (!array)
      return false;
    for (std::size_t i = 0; i < StampMemory::kPageBytes; ++i)
      array[i].store(from[i >> page.first.shift], std::memory_order_relaxed);
    return true;
  };
  if (!copy(page.first.written, page.fine->written) ||
      !copy(page.first.read, page.fine->read))
    return nullptr;
  page.fine->isComplete = true;
  return page.fine.get();
} catch (const std::bad_alloc &) {
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Whether a barrier, or being one item, orders two accesses.
bool GlobalShadow::isOrdered(uint64_t earlier, uint64_t stamp) {
  if (earlier & kSeveralGroups ||
      earlier >> kGroupShift != stamp >> kGroupShift)
    return false;
  const uint64_t phase = stamp >> kPhaseShift & kLastPhase;
  if ((earlier >> kPhaseShift & kLastPhase) != phase || phase == kLastPhase)
    return true;
  return !(earlier & kSeveralItems) &&
         earlier >> kItemShift == stamp >> kItemShift;
}

/// Describes the race with an earlier access. Returns false.
bool GlobalShadow::report(uint64_t other, uint64_t stamp, Conflict &conflict) {
  conflict.kind = Conflict::Kind::Race;
  conflict.isOtherGroup =
      other & kSeveralGroups || other >> kGroupShift != stamp >> kGroupShift;
  conflict.group = (other >> kGroupShift) - 1;
  conflict.item = uint32_t(other >> kItemShift) & (SharedShadow::kMaxItems - 1);
  conflict.isOneOfSeveral = other & (kSeveralItems | kSeveralGroups);
  return false;
}

// Of two accesses at once on two threads, at least one has to see the other:
// each records itself before it looks for others, and all operations are
// sequentially consistent.

void GlobalShadow::recordRead(Stamp &cell, uint64_t stamp) {
  uint64_t before = cell.load(std::memory_order_acquire);
  while (before != stamp && !(before & kSeveralGroups)) {
    uint64_t after = stamp;
    if (before != 0) {
      if (before >> kGroupShift != stamp >> kGroupShift)
        after = before | kSeveralGroups;
      else if (before >> kPhaseShift == stamp >> kPhaseShift)
        after = before | kSeveralItems;
    }
    if (before == after || cell.compare_exchange_weak(before, after))
      return;
  }
}

bool GlobalShadow::read(const Range &range, uint64_t stamp, Conflict &conflict,
                        std::size_t &where) {
  Stamp *read = findStamps(range.cells, range.cells.read);
  if (!read) {
    conflict.kind = Conflict::Kind::NoMemory;
    return false;
  }
  for (std::size_t i = range.begin; i < range.end; ++i)
    recordRead(read[i], stamp);
  const Stamp *written = range.cells.written;
  if (!written)
    return true;
  for (where = range.begin; where < range.end; ++where)
    if (const uint64_t writer = written[where];
        writer != 0 && !isOrdered(writer, stamp)) [[unlikely]] {
      conflict.isWrite = true;
      return report(writer, stamp, conflict);
    }
  return true;
}

bool GlobalShadow::write(const Range &range, uint64_t stamp, Conflict &conflict,
                         std::size_t &where) {
  Stamp *written = findStamps(range.cells, range.cells.written);
  if (!written) {
    conflict.kind = Conflict::Kind::NoMemory;
    return false;
  }
  for (where = range.begin; where < range.end; ++where) {
    Stamp &cell = written[where];
    uint64_t writer = cell.load(std::memory_order_relaxed);
    if (writer != stamp)
      writer = cell.exchange(stamp);
    if (writer != 0 && !isOrdered(writer, stamp)) [[unlikely]] {
      conflict.isWrite = true;
      return report(writer, stamp, conflict);
    }
  }
  const Stamp *read = range.cells.read;
  if (!read)
    return true;
  for (where = range.begin; where < range.end; ++where)
    if (const uint64_t reader = read[where];
        reader != 0 && !isOrdered(reader, stamp)) [[unlikely]] {
      conflict.isWrite = false;
      return report(reader, stamp, conflict);
    }
  return true;
}

bool GlobalShadow::access(Cache &cache, std::uintptr_t address,
                          std::size_t bytes, std::size_t elementBytes,
                          AccessKind kind, uint64_t stamp, Conflict &conflict) {
  constexpr std::size_t pageBytes = StampMemory::kPageBytes;
  const unsigned shift =
      std::min(unsigned(std::countr_zero(address | elementBytes)),
               StampMemory::kMaxShift);
  for (std::size_t done = 0; done < bytes;) {
    const std::uintptr_t number = (address + done) >> StampMemory::kPageShift;
    Cache::Entry &entry = cache.find(number);
    if (entry.number != number || !entry.page)
      entry = {number, findPage(number, shift)};
    const std::size_t begin = (address + done) & (pageBytes - 1);
    const std::size_t end = std::min(begin + (bytes - done), pageBytes);
    Cells *cells = nullptr;
    do {
      cells = entry.page ? findCells(*entry.page, shift) : nullptr;
      if (!cells) {
        conflict.kind = Conflict::Kind::NoMemory;
        return false;
      }
      const Range range = {*cells, begin >> cells->shift, end >> cells->shift};
      std::size_t where = range.begin;
      if ((kind.reads && !read(range, stamp, conflict, where)) ||
          (kind.writes && !write(range, stamp, conflict, where))) {
        conflict.offset = done + (where << cells->shift) - begin;
        return false;
      }
      // Finer records may lack this access, if they were made meanwhile.
    } while (cells != entry.page->cells.load());
    done += end - begin;
  }
  return true;
}
