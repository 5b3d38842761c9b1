//===- SimulatorShadow.h - who accessed which memory ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the simulator: records of the accesses of a launch, in which
/// races and reads of uninitialized memory are found.
///
/// Two accesses of one location race if they are of two work items, one of them
/// writes, and nothing orders them: a barrier orders those of one group,
/// nothing orders those of different groups. A phase is the time of a group
/// between two barriers; in shared memory, where some items may be ordered
/// among themselves (SimulatorOrder.h), each item has its own. For each
/// location, the records hold the last write and the readers since: either one,
/// or that there were several. This finds every race at its second access, in
/// any order of execution.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORSHADOW_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORSHADOW_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tinygrad::detail {

/// What an access does.
struct AccessKind {
  bool reads, writes;
};

/// Why an access is an error.
struct Conflict {
  enum class Kind { Uninitialized, Race, NoMemory };
  Kind kind = Kind::Race;
  std::size_t offset = 0; ///< of its first byte in the access
  // Race: the other access.
  bool isWrite = false;
  bool isOtherGroup = false;
  uint64_t group = 0; ///< valid if isOtherGroup
  uint32_t item = 0;
  /// There were several accesses, of which this is one. It may be by the same
  /// item or group; then it is one of the others that conflicts.
  bool isOneOfSeveral = false;
};

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// An item that accesses shared memory.
struct ShadowItem {
  uint32_t number;
  uint32_t phase; ///< its own, not before that of the group
  /// By item, the last phase whose accesses are ordered before. Null: only what
  /// was before the last barrier is.
  const std::vector<uint32_t> *known = nullptr;
};

/// The records of a group's shared memory, by byte. Used by one thread, for one
/// group after another.
class SharedShadow {
public:
  static constexpr uint32_t kMaxItems = 1 << 10;

  /// Begins a group: all memory is uninitialized.
  void begin(std::size_t bytes);
  /// All items of the group met at a barrier, the last of them in their phase
  /// \p last.
  void nextPhase(uint32_t last = 0);
  /// The phase of an item after another one. There are 2^21 - 1; races of
  /// items that go through all of them without a barrier are no longer found.
  static uint32_t getNext(uint32_t phase) {
    return phase < kLastPhase ? phase + 1 : phase;
  }
  /// From now on, items may be ordered otherwise than by barriers of the group:
  /// each of several readers is recorded.
  void keepReaders() { keepsReaders = true; }

  /// Records an access to [begin, begin + bytes). Returns false if it is an
  /// error.
  bool access(std::size_t begin, std::size_t bytes, AccessKind kind,
              const ShadowItem &item, Conflict &conflict);
  bool access(std::size_t begin, std::size_t bytes, AccessKind kind,
              uint32_t item, Conflict &conflict) {
    return access(begin, bytes, kind, ShadowItem{item, phase}, conflict);
  }
  /// Whether all bytes were written, by writes that are ordered before what an
  /// item does next; nothing is recorded.
  bool checkRead(std::size_t begin, std::size_t bytes, const ShadowItem &item,
                 Conflict &conflict) const;

  /// Something else than an item wrote the bytes: no race with anything, as far
  /// as this record can tell.
  void setWritten(std::size_t begin, std::size_t bytes);

  uint32_t getPhase() const { return phase; }
  /// The item that wrote a byte last, and the phase; 0 if none has.
  std::pair<uint32_t, uint32_t> getWriter(std::size_t offset) const {
    const uint32_t stamp = cells[offset].written;
    const uint32_t writtenIn = stamp >> kPhaseShift;
    return {itemOf(stamp), writtenIn < firstPhase ? 0 : writtenIn};
  }

private:
  // A stamp holds the number of a phase, an item, and in a read stamp whether
  // there were several items. The phases of all groups are numbered through, so
  // that a new group need not clear the records of the last.
  static constexpr unsigned kItemShift = 1, kPhaseShift = 11;
  static constexpr uint32_t kSeveral = 1;
  static constexpr uint32_t kLastPhase = (uint32_t(1) << 21) - 1;

  struct Cell {
    uint32_t written = 0, read = 0;
  };

  static uint32_t itemOf(uint32_t stamp) {
    return stamp >> kItemShift & (kMaxItems - 1);
  }
  bool isOrdered(uint32_t stamp, const ShadowItem &item) const {
    const uint32_t in = stamp >> kPhaseShift, other = itemOf(stamp);
    return in < phase || other == item.number ||
           (item.known && other < item.known->size() &&
            (*item.known)[other] >= in);
  }
  bool checkWriter(const Cell &cell, AccessKind kind, const ShadowItem &item,
                   Conflict &conflict) const;
  bool checkReaders(std::size_t offset, const ShadowItem &item,
                    Conflict &conflict) const;
  void recordRead(std::size_t offset, uint32_t stamp, const ShadowItem &item);
  bool recordOrdered(Cell &cell, AccessKind kind, uint32_t stamp) const;

  std::vector<Cell> cells;
  /// The stamps of readers where there are several in this phase of the group,
  /// if they are kept.
  std::unordered_map<std::size_t, std::vector<uint32_t>> readers;
  bool keepsReaders = false;
  uint32_t phase = 0;
  /// One that the current group never is in; its phases follow.
  uint32_t firstPhase = 0;
  uint32_t lastPhase = 0; ///< of an item that accessed memory
};

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Arrays of stamps, kept for later launches: new memory costs more than the
/// checks, since the system maps and clears it page by page. Thread-safe.
class StampMemory {
public:
  using Stamp = std::atomic<uint64_t>;

  StampMemory() = default;
  ~StampMemory();
  StampMemory(const StampMemory &) = delete;
  StampMemory &operator=(const StampMemory &) = delete;

  /// An array of zeros for a page of pieces of 2^shift bytes. Null if there is
  /// no memory.
  Stamp *take(unsigned shift);
  void giveBack(Stamp *array, unsigned shift);

  /// The size of a page. Small pages suit small buffers, but more of them are
  /// searched for in the list of all pages.
  static constexpr unsigned kPageShift = 14;
  static constexpr std::size_t kPageBytes = std::size_t(1) << kPageShift;
  /// The largest piece that has one record.
  static constexpr unsigned kMaxShift = 3;

private:
  std::mutex mutex;
  std::array<std::vector<Stamp *>, kMaxShift + 1> kept;
  std::size_t bytesKept = 0;
};

/// The records of all other memory that a launch reaches, by address: buffers
/// may overlap. Pages of records are created when an address in them is first
/// accessed, separately for reads and writes. Thread-safe.
class GlobalShadow {
  struct Page;

public:
  explicit GlobalShadow(StampMemory &memory) : memory(memory) {}
  ~GlobalShadow();
  GlobalShadow(const GlobalShadow &) = delete;
  GlobalShadow &operator=(const GlobalShadow &) = delete;

  /// The pages that a thread used last.
  class Cache {
  public:
    void clear() { entries.fill({}); }

  private:
    friend class GlobalShadow;
    struct Entry {
      std::uintptr_t number = 0;
      Page *page = nullptr;
    };
    /// The entry in which a page may be. Elements of several buffers that are
    /// used together, and rows of matrices, are at distances of powers of two.
    Entry &find(std::uintptr_t number) {
      return entries[uint64_t(number) * 0x9e3779b97f4a7c15 >> (64 - kBits)];
    }

    static constexpr unsigned kBits = 10;
    std::array<Entry, std::size_t(1) << kBits> entries;
  };

  /// Which item accesses memory, and when. After 2^20 phases of a group, races
  /// inside of it are no longer found.
  static uint64_t stamp(uint64_t group, uint64_t phase, uint32_t item) {
    return (group + 1) << kGroupShift |
           (phase < kLastPhase ? phase : kLastPhase) << kPhaseShift |
           uint64_t(item) << kItemShift;
  }

  /// Records an access to elements of \p elementBytes. Returns false if it is
  /// an error.
  bool access(Cache &cache, std::uintptr_t address, std::size_t bytes,
              std::size_t elementBytes, AccessKind kind, uint64_t stamp,
              Conflict &conflict);

private:
  // A stamp: group + 1, phase, item, whether there were several items of this
  // group in this phase, whether there were several groups. Zero: none.
  static constexpr unsigned kGroupShift = 32, kPhaseShift = 12, kItemShift = 2;
  static constexpr uint64_t kSeveralItems = 2, kSeveralGroups = 1;
  static constexpr uint64_t kLastPhase = (uint64_t(1) << 20) - 1;

  using Stamp = StampMemory::Stamp;

  /// The records of a page: stamps of each piece of 2^shift bytes. Null: no
  /// piece was written, or read.
  struct Cells {
    explicit Cells(unsigned shift) : shift(shift) {}

    const unsigned shift;
    std::atomic<bool> isComplete{true};
    std::atomic<Stamp *> written{nullptr}, read{nullptr};
  };
  struct Page {
    explicit Page(unsigned shift) : first(shift), cells(&first) {}

    Cells first;
    /// Of single bytes, once an access needs it.
    std::unique_ptr<Cells> fine;
    std::atomic<Cells *> cells;
  };

  /// The pieces of an access that are in one page.
  struct Range {
    Cells &cells;
    std::size_t begin, end;
  };

  static bool isOrdered(uint64_t earlier, uint64_t stamp);
  static bool report(uint64_t other, uint64_t stamp, Conflict &conflict);
  static void recordRead(Stamp &cell, uint64_t stamp);
  bool read(const Range &range, uint64_t stamp, Conflict &conflict,
            std::size_t &where);
  bool write(const Range &range, uint64_t stamp, Conflict &conflict,
             std::size_t &where);
  Stamp *findStamps(const Cells &cells, std::atomic<Stamp *> &stamps);
  Page *findPage(std::uintptr_t number, unsigned shift);
  Cells *findCells(Page &page, unsigned shift);

  StampMemory &memory;
  std::mutex mutex; // guards creation of pages and records
  std::unordered_map<std::uintptr_t, Page> pages;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORSHADOW_H
