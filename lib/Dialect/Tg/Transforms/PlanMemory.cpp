//===- PlanMemory.cpp - intermediates share an arena ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-plan-memory pass in two ways, of which the smaller arenas
/// are taken. By best fit with coalescing: buffers, in the order of their first
/// use, take the smallest free gap of the arena that fits, and return it after
/// their last use. By size: buffers, beginning with the largest one, take the
/// first place that no buffer has which is needed at the same time.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include <map>
#include <set>

namespace mlir::tg {
#define GEN_PASS_DEF_TGPLANMEMORY
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Buffers of more than 16 TiB share no memory, so that sums of sizes do not
/// overflow 64 bits.
constexpr int64_t kMaxBytes = int64_t(1) << 44;
/// The most buffers that are placed by size, which takes quadratic time.
constexpr size_t kMostBySize = 4096;
constexpr int64_t kMinAlignment = 8, kMaxAlignment = 1 << 20;

static_assert(kBufferAlignment == 64, "the default that Passes.td describes");

namespace {

/// The free gaps of an arena that grows at its end.
class Arena {
public:
  int64_t allocate(int64_t size) {
    auto best = bySize.lower_bound({size, 0});
    if (best == bySize.end()) {
      // A gap at the end can be extended instead.
      int64_t offset = end;
      if (!gaps.empty()) {
        auto last = std::prev(gaps.end());
        if (last->first + last->second == end) {
          offset = last->first;
          erase(last);
        }
      }
      end = offset + size;
      return offset;
    }
    auto [length, offset] = *best;
    erase(gaps.find(offset));
    if (length > size)
      insert(offset + size, length - size);
    return offset;
  }

  void release(int64_t offset, int64_t size) {
    auto next = gaps.lower_bound(offset);
    if (next != gaps.end() && next->first == offset + size) {
      size += next->second;
      next = erase(next);
    }
    if (next != gaps.begin()) {
      auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        offset = previous->first;
        size += previous->second;
        erase(previous);
      }
    }
    insert(offset, size);
  }

  int64_t getSize() const { return end; }

private:
  using Gaps = std::map<int64_t, int64_t>;

  Gaps::iterator erase(Gaps::iterator gap) {
    bySize.erase({gap->second, gap->first});
    return gaps.erase(gap);
  }
  void insert(int64_t offset, int64_t size) {
    gaps[offset] = size;
    bySize.insert({size, offset});
  }

  /// The size of the gap at each offset, and the gaps ordered by size.
  Gaps gaps;
  std::set<std::pair<int64_t, int64_t>> bySize;
  int64_t end = 0;
};

/// A buffer and the steps (positions in the block) that need it.
struct Lifetime {
  AllocOp alloc;
  int64_t size = 0, first = -1, last = -1, offset = 0;
};

struct TgPlanMemoryPass : public tg::impl::TgPlanMemoryBase<TgPlanMemoryPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  int64_t align(int64_t bytes) {
    return llvm::divideCeil(bytes, alignment) * alignment;
  }
};

} // namespace

/// Places buffers that are sorted by their first step; returns the size.
static int64_t planByTime(ArrayRef<Lifetime *> lifetimes) {
  Arena arena;
  // Live buffers by their last step.
  std::multimap<int64_t, Lifetime *> live;
  for (Lifetime *lifetime : lifetimes) {
    while (!live.empty() && live.begin()->first < lifetime->first) {
      Lifetime *ended = live.begin()->second;
      arena.release(ended->offset, ended->size);
      live.erase(live.begin());
    }
    lifetime->offset = arena.allocate(lifetime->size);
    live.emplace(lifetime->last, lifetime);
  }
  return arena.getSize();
}

static int64_t planBySize(ArrayRef<Lifetime *> lifetimes) {
  SmallVector<Lifetime *> bySize(lifetimes);
  llvm::stable_sort(bySize,
                    [](Lifetime *a, Lifetime *b) { return a->size > b->size; });
  int64_t end = 0;
  SmallVector<Lifetime *> placed; // by offset
  for (Lifetime *lifetime : bySize) {
    int64_t offset = 0;
    for (Lifetime *other : placed) {
      if (other->last < lifetime->first || lifetime->last < other->first)
        continue;
      if (offset + lifetime->size <= other->offset)
        break;
      offset = std::max(offset, other->offset + other->size);
    }
    lifetime->offset = offset;
    end = std::max(end, offset + lifetime->size);
    placed.insert(llvm::upper_bound(placed, lifetime,
                                    [](Lifetime *a, Lifetime *b) {
                                      return a->offset < b->offset;
                                    }),
                  lifetime);
  }
  return end;
}

/// Places the buffers in the smaller arena of both ways; returns its size.
static int64_t plan(ArrayRef<Lifetime *> lifetimes) {
  const int64_t byTime = planByTime(lifetimes);
  if (lifetimes.size() > kMostBySize)
    return byTime;
  auto offsets = llvm::map_to_vector(
      lifetimes, [](Lifetime *lifetime) { return lifetime->offset; });
  const int64_t bySize = planBySize(lifetimes);
  if (bySize < byTime)
    return bySize;
  for (auto [lifetime, offset] : llvm::zip_equal(lifetimes, offsets))
    lifetime->offset = offset;
  return byTime;
}

/// The memory space of a device.
using Place = std::pair<StringRef, Attribute>;

void TgPlanMemoryPass::runOnOperation() {
  if (!llvm::isPowerOf2_64(alignment) || alignment < kMinAlignment ||
      alignment > kMaxAlignment) {
    emitError(getOperation().getLoc(),
              "tg-plan-memory needs an alignment that is a power of two from ")
        << kMinAlignment << " to " << kMaxAlignment << ", not "
        << alignment.getValue();
    return signalPassFailure();
  }
  if (getOperation().isExternal() || !getOperation().getBody().hasOneBlock())
    return;
  Block &block = getOperation().getBody().front();
  // The buffer behind each value, through tg.subbuffer.
  DenseMap<Value, AllocOp> allocOf;
  llvm::MapVector<Operation *, Lifetime> lifetimes;
  DenseSet<Operation *> kept;
  int64_t position = 0;
  for (Operation &op : block) {
    ++position;
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      MemRefType type = alloc.getType();
      if (!type.hasStaticShape())
        continue;
      const int64_t bytes = getBufferBytes(type);
      if (bytes > kMaxBytes)
        continue;
      allocOf[alloc] = alloc;
      lifetimes[alloc] = {alloc, align(std::max<int64_t>(bytes, 1))};
      continue;
    }
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        AllocOp alloc = allocOf.lookup(operand);
        if (!alloc)
          continue;
        if (isa<SubbufferOp>(inner) && inner == &op) {
          allocOf[op.getResult(0)] = alloc;
          continue;
        }
        // It is returned, or used in a way that may outlive the operation.
        if (!isa<LaunchOp, TransferOp, SortOp>(inner) || inner != &op)
          kept.insert(alloc);
        Lifetime &lifetime = lifetimes[alloc];
        if (lifetime.first < 0)
          lifetime.first = position;
        lifetime.last = position;
      }
    });
  }

  SmallVector<Lifetime *> planned;
  for (auto &[op, lifetime] : lifetimes) {
    if (op->use_empty())
      op->erase();
    else if (!kept.contains(op) && lifetime.first >= 0)
      planned.push_back(&lifetime);
  }
  if (planned.empty())
    return;
  llvm::sort(planned, [](Lifetime *a, Lifetime *b) {
    return a->first != b->first ? a->first < b->first
                                : a->alloc->isBeforeInBlock(b->alloc);
  });
  // One arena for each memory space of each device.
  llvm::MapVector<Place, SmallVector<Lifetime *>> places;
  int64_t total = 0;
  for (Lifetime *lifetime : planned) {
    places[Place(lifetime->alloc.getDevice(),
                 lifetime->alloc.getType().getMemorySpace())]
        .push_back(lifetime);
    total += lifetime->size;
  }
  llvm::MapVector<Place, int64_t> sizes;
  for (auto &[place, lifetimes] : places)
    sizes[place] = plan(lifetimes);

  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Type byte = builder.getI8Type();
  DenseMap<Place, Value> memory;
  for (auto [place, size] : sizes) {
    memory[place] =
        AllocOp::create(builder, getOperation().getLoc(),
                        getBufferType(byte, size, place.second), place.first);
    total -= size;
  }
  for (Lifetime *lifetime : planned) {
    AllocOp alloc = lifetime->alloc;
    Value arena =
        memory[Place(alloc.getDevice(), alloc.getType().getMemorySpace())];
    Value part = SubbufferOp::create(builder, alloc.getLoc(), alloc.getType(),
                                     arena, lifetime->offset);
    alloc.replaceAllUsesWith(part);
  }
  // Only now, since the builder's insertion point is before the first of them.
  for (Lifetime *lifetime : planned)
    lifetime->alloc.erase();
  numBytesSaved += total;
}
