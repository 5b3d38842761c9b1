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
#include <new>

#include <sys/mman.h>

using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void SharedShadow::begin(std::size_t bytes) {
  if (cells.size() < bytes)
    cells.resize(bytes);
  if (phase == kLastPhase) {
    std::fill(cells.begin(), cells.end(), Cell());
    phase = 0;
  }
  firstPhase = ++phase;
}

void SharedShadow::nextPhase() {
  if (phase == kLastPhase) {
    // Of the past phases, only matters whether the group wrote the memory.
    for (Cell &cell : cells)
      cell = {cell.written >> kPhaseShift >= firstPhase ? 1u << kPhaseShift : 0,
              0};
    firstPhase = phase = 1;
  }
  ++phase;
}

bool SharedShadow::access(std::size_t begin, std::size_t bytes, AccessKind kind,
                          uint32_t item, Conflict &conflict) {
  const uint32_t stamp = phase << kPhaseShift | item << kItemShift;
  for (std::size_t i = 0; i < bytes; ++i) {
    Cell &cell = cells[begin + i];
    const uint32_t writtenIn = cell.written >> kPhaseShift;
    if (kind.reads && writtenIn < firstPhase) {
      conflict.kind = Conflict::Kind::Uninitialized;
      conflict.offset = i;
      return false;
    }
    if (writtenIn == phase && cell.written != stamp) {
      conflict.kind = Conflict::Kind::Race;
      conflict.offset = i;
      conflict.isWrite = true;
      conflict.item = itemOf(cell.written);
      return false;
    }
    const bool wasReadNow = cell.read >> kPhaseShift == phase;
    if (kind.writes) {
      if (wasReadNow && cell.read != stamp) {
        conflict.kind = Conflict::Kind::Race;
        conflict.offset = i;
        conflict.item = itemOf(cell.read);
        conflict.isOneOfSeveral = cell.read & kSeveral;
        return false;
      }
      cell.written = stamp;
    }
    if (kind.reads) {
      if (!wasReadNow)
        cell.read = stamp;
      else if (cell.read != stamp)
        cell.read |= kSeveral;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Pages of records
//===----------------------------------------------------------------------===//

/// The size of a page is a compromise: small ones are found less often in a
/// thread's cache; of large ones the system maps only parts that are used, but
/// a launch with small buffers has to unmap them too.
static constexpr unsigned kPageShift = 16;
static constexpr std::size_t kPageBytes = std::size_t(1) << kPageShift;
/// The largest piece that has one record.
static constexpr unsigned kMaxShift = 3;

static std::size_t bytesOfCells(unsigned shift) {
  return 2 * (kPageBytes >> shift) * sizeof(uint64_t);
}

/// Returns null if there is no memory.
std::unique_ptr<GlobalShadow::Cells> GlobalShadow::makeCells(unsigned shift) {
  static_assert(sizeof(Stamp) == sizeof(uint64_t));
  // Memory from the system is zero, and uses space only where it is accessed.
  void *memory = ::mmap(nullptr, bytesOfCells(shift), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  auto cells = std::make_unique<Cells>();
  cells->written = static_cast<Stamp *>(memory);
  cells->read = cells->written + (kPageBytes >> shift);
  cells->shift = shift;
  return cells;
}

GlobalShadow::Page::~Page() {
  for (const std::unique_ptr<Cells> &cells : owned)
    ::munmap(cells->written, bytesOfCells(cells->shift));
}

GlobalShadow::~GlobalShadow() = default;

/// The page number \p number, whose pieces are of 2^shift bytes if it is new.
/// Null if there is no memory: code without unwind tables is on the stack.
GlobalShadow::Page *GlobalShadow::findPage(std::uintptr_t number,
                                           unsigned shift) try {
  std::lock_guard<std::mutex> lock(mutex);
  Page &page = pages[number];
  if (page.owned.empty()) {
    page.owned.reserve(2);
    std::unique_ptr<Cells> cells = makeCells(shift);
    if (!cells)
      return nullptr;
    page.cells = cells.get();
    page.owned.push_back(std::move(cells));
  }
  return &page;
} catch (const std::bad_alloc &) {
  return nullptr;
}

/// Gives each byte of the page its own records. What another thread records at
/// the same time may be lost: then a race is not found.
GlobalShadow::Cells *GlobalShadow::refine(Page &page) try {
  std::lock_guard<std::mutex> lock(mutex);
  Cells *old = page.cells;
  if (old->shift == 0)
    return old;
  std::unique_ptr<Cells> fine = makeCells(0);
  if (!fine)
    return nullptr;
  for (std::size_t i = 0; i < kPageBytes; ++i) {
    if (const uint64_t stamp = old->written[i >> old->shift])
      fine->written[i].store(stamp, std::memory_order_relaxed);
    if (const uint64_t stamp = old->read[i >> old->shift])
      fine->read[i].store(stamp, std::memory_order_relaxed);
  }
  page.cells = fine.get();
  page.owned.push_back(std::move(fine));
  return page.cells;
} catch (const std::bad_alloc &) {
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Whether a barrier, or being one item, orders two accesses.
bool GlobalShadow::isOrdered(uint64_t earlier, uint64_t stamp) {
  if (earlier >> kGroupShift != stamp >> kGroupShift)
    return false;
  const uint64_t phase = stamp >> kPhaseShift & kLastPhase;
  if ((earlier >> kPhaseShift & kLastPhase) != phase || phase == kLastPhase)
    return true;
  return !(earlier & kSeveralItems) &&
         earlier >> kItemShift == stamp >> kItemShift;
}

// Of two accesses at once on two threads, at least one has to see the other:
// each records itself before it looks for others, and both are sequentially
// consistent.

bool GlobalShadow::recordRead(const Cells &cells, std::size_t i, uint64_t stamp,
                              Conflict &conflict) {
  Stamp &cell = cells.read[i];
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
      break;
  }
  const uint64_t writer = cells.written[i].load();
  if (writer == 0 || isOrdered(writer, stamp)) [[likely]]
    return true;
  conflict.isWrite = true;
  conflict.isOtherGroup = writer >> kGroupShift != stamp >> kGroupShift;
  conflict.group = (writer >> kGroupShift) - 1;
  conflict.item =
      uint32_t(writer >> kItemShift) & (SharedShadow::kMaxItems - 1);
  return false;
}

bool GlobalShadow::recordWrite(const Cells &cells, std::size_t i,
                               uint64_t stamp, Conflict &conflict) {
  Stamp &cell = cells.written[i];
  uint64_t other = cell.load(std::memory_order_relaxed);
  if (other != stamp)
    other = cell.exchange(stamp);
  conflict.isWrite = true;
  if (other == 0 || isOrdered(other, stamp)) [[likely]] {
    other = cells.read[i].load();
    if (other == 0 || (!(other & kSeveralGroups) && isOrdered(other, stamp)))
        [[likely]]
      return true;
    conflict.isWrite = false;
  }
  conflict.isOtherGroup =
      other & kSeveralGroups || other >> kGroupShift != stamp >> kGroupShift;
  conflict.group = (other >> kGroupShift) - 1;
  conflict.item = uint32_t(other >> kItemShift) & (SharedShadow::kMaxItems - 1);
  conflict.isOneOfSeveral = other & (kSeveralItems | kSeveralGroups);
  return false;
}

bool GlobalShadow::access(Cache &cache, std::uintptr_t address,
                          std::size_t bytes, std::size_t elementBytes,
                          AccessKind kind, uint64_t stamp, Conflict &conflict) {
  const unsigned shift =
      std::min(unsigned(std::countr_zero(address | elementBytes)), kMaxShift);
  for (std::size_t done = 0; done < bytes;) {
    const std::uintptr_t number = (address + done) >> kPageShift;
    Cache::Entry &entry = cache.entries[number % cache.entries.size()];
    if (entry.number != number || !entry.page) {
      entry.page = findPage(number, shift);
      entry.number = number;
    }
    Cells *cells = entry.page ? entry.page->cells.load() : nullptr;
    if (cells && shift < cells->shift)
      cells = refine(*entry.page);
    if (!cells) {
      conflict.kind = Conflict::Kind::NoMemory;
      return false;
    }
    const std::size_t offset = (address + done) & (kPageBytes - 1);
    const std::size_t end = std::min(offset + (bytes - done), kPageBytes);
    for (std::size_t i = offset >> cells->shift; i < end >> cells->shift; ++i)
      if ((kind.reads && !recordRead(*cells, i, stamp, conflict)) ||
          (kind.writes && !recordWrite(*cells, i, stamp, conflict))) {
        conflict.kind = Conflict::Kind::Race;
        conflict.offset = done + (i << cells->shift) - offset;
        return false;
      }
    done += end - offset;
  }
  return true;
}
