//===- SymbolicWrites.cpp - what a kernel writes to elements --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Positions at which an element is written are found by bisection of the
/// ranges with bounds of the index.
///
//===----------------------------------------------------------------------===//

#include "SymbolicKernel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <random>

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Writers of an element
//===----------------------------------------------------------------------===//

SymbolicKernel::Bounds SymbolicKernel::boundInBox(int number,
                                                  const Positions &low,
                                                  const Positions &high) {
  Op &op = ops[number];
  if (op.boxNumber != boxNumber) {
    op.bounds = computeBounds(op, low, high);
    op.boxNumber = boxNumber;
  }
  return op.bounds;
}

SymbolicKernel::Bounds SymbolicKernel::computeBounds(const Op &op,
                                                     const Positions &low,
                                                     const Positions &high) {
  constexpr Bounds unknown;
  auto clamp = [&](__int128 least, __int128 most) {
    if (least <= INT64_MIN || most >= INT64_MAX)
      return unknown;
    return Bounds{static_cast<int64_t>(least), static_cast<int64_t>(most)};
  };
  if (op.kind == OpKind::range)
    return {low[op.named.front()], high[op.named.front()]};
  if (op.kind == OpKind::number && op.constant.isNumber())
    return {op.constant.number, op.constant.number};
  if (op.kind != OpKind::elementwise || op.dependsOnMemory)
    return unknown;
  auto ofOperand = [&](size_t i) {
    return boundInBox(op.operands[i], low, high);
  };
  if (isa<CastOp, NegOp>(op.op)) {
    const Bounds x = ofOperand(0);
    if (!x.isKnown())
      return unknown;
    if (isa<NegOp>(op.op))
      return clamp(-__int128(x.high), -__int128(x.low));
    // Values that fit are kept.
    const bool fits = ExpressionPool::wrap(x.low, op.type) == x.low &&
                      ExpressionPool::wrap(x.high, op.type) == x.high;
    return fits && isa<IntegerType, IndexType>(op.type) ? x : unknown;
  }
  if (op.operands.size() != 2)
    return unknown;
  const Bounds x = ofOperand(0), y = ofOperand(1);
  if (isa<AndOp>(op.op) && op.type.isInteger(1)) {
    const int64_t least = x.low == 1 && y.low == 1,
                  most = x.high != 0 && y.high != 0;
    return {least, most};
  }
  if (isa<OrOp>(op.op) && op.type.isInteger(1)) {
    const int64_t least = x.low == 1 || y.low == 1,
                  most = x.high != 0 || y.high != 0;
    return {least, most};
  }
  if (!x.isKnown() || !y.isKnown())
    return unknown;
  if (isa<CmpLtOp>(op.op))
    return {x.high < y.low, x.low < y.high};
  if (isa<CmpEqOp>(op.op))
    return {x.low == x.high && x.low == y.low && y.low == y.high,
            x.low <= y.high && y.low <= x.high};
  if (isa<CmpNeOp>(op.op))
    return {x.high < y.low || y.high < x.low,
            !(x.low == x.high && y.low == y.high && x.low == y.low)};
  if (!isa<IndexType, IntegerType>(op.type) || op.type.isInteger(1))
    return unknown;
  Bounds result = unknown;
  if (isa<AddOp>(op.op))
    result = clamp(__int128(x.low) + y.low, __int128(x.high) + y.high);
  else if (isa<SubOp>(op.op))
    result = clamp(__int128(x.low) - y.high, __int128(x.high) - y.low);
  else if (isa<MaxOp>(op.op))
    result = {std::max(x.low, y.low), std::max(x.high, y.high)};
  else if (isa<MulOp>(op.op)) {
    const __int128 products[] = {
        __int128(x.low) * y.low, __int128(x.low) * y.high,
        __int128(x.high) * y.low, __int128(x.high) * y.high};
    result = clamp(*std::min_element(products, products + 4),
                   *std::max_element(products, products + 4));
  } else if (y.low == y.high && y.low > 0) {
    const int64_t divisor = y.low;
    const int64_t first = llvm::divideFloorSigned(x.low, divisor),
                  last = llvm::divideFloorSigned(x.high, divisor);
    if (isa<FloorDivOp>(op.op) || (isa<IDivOp>(op.op) && x.low >= 0))
      result = {first, last};
    else if (isa<FloorModOp>(op.op) || (isa<ModOp>(op.op) && x.low >= 0))
      result = first == last
                   ? Bounds{x.low - first * divisor, x.high - first * divisor}
                   : Bounds{0, divisor - 1};
  }
  if (result.isKnown() &&
      (ExpressionPool::wrap(result.low, op.type) != result.low ||
       ExpressionPool::wrap(result.high, op.type) != result.high))
    return unknown;
  return result;
}

SmallVector<unsigned> SymbolicKernel::getRangesOf(const Op &access) const {
  SmallVector<unsigned> result;
  for (unsigned i = 0; i < ranges.size(); ++i)
    if (access.ranges >> i & 1)
      result.push_back(i);
  return result;
}

template <typename Function>
void SymbolicKernel::search(Op &access, int64_t index, ArrayRef<unsigned> over,
                            Positions &low, Positions &high,
                            Function &function) {
  if (hasFailed())
    return;
  if (++work > limit) {
    isExhausted = true;
    return fail("the kernel has too many operations", false);
  }
  const Bounds ofIndex = bound(access.index, low, high);
  if (index < ofIndex.low || index > ofIndex.high)
    return;
  if (access.mask >= 0 && bound(access.mask, low, high).high == 0)
    return;
  // Bisect the range that narrows the index most.
  int best = -1;
  uint64_t least = UINT64_MAX;
  for (unsigned range : over) {
    if (low[range] == high[range])
      continue;
    const int64_t end = high[range];
    high[range] = low[range] + (end - low[range]) / 2;
    const Bounds half = bound(access.index, low, high);
    high[range] = end;
    // Bounds may be as far apart as no int64_t is large.
    const uint64_t width = half.isKnown() ? static_cast<uint64_t>(half.high) -
                                                static_cast<uint64_t>(half.low)
                                          : UINT64_MAX - 1;
    if (width < least) {
      least = width;
      best = static_cast<int>(range);
    }
  }
  if (best < 0) {
    for (unsigned range : over)
      setPosition(range, low[range]);
    function();
    return;
  }
  const int64_t begin = low[best], end = high[best],
                middle = begin + (end - begin) / 2;
  high[best] = middle;
  search(access, index, over, low, high, function);
  high[best] = end;
  low[best] = middle + 1;
  search(access, index, over, low, high, function);
  low[best] = begin;
}

template <typename Function>
void SymbolicKernel::findAccesses(Op &access, int64_t index,
                                  Function function) {
  const SmallVector<unsigned> over = getRangesOf(access);
  Positions low{}, high{};
  for (unsigned range : over) {
    if (extents[range] <= 0)
      return;
    high[range] = extents[range] - 1;
  }
  auto check = [&] {
    const SymbolicValue mask =
        access.mask >= 0 ? evaluate(access.mask) : SymbolicValue::ofNumber(1);
    if (mask.isFalse())
      return;
    const SymbolicValue at = evaluate(access.index);
    if (at.isNumber() && at.number != index)
      return;
    if (!hasFailed())
      function(mask);
  };
  search(access, index, over, low, high, check);
}

bool SymbolicKernel::runsInParallel(unsigned range) const {
  switch (RangeOp(ranges[range]).getKind()) {
  case RangeKind::loop:
  case RangeKind::unroll:
    return false;
  default:
    return true;
  }
}

Type SymbolicKernel::getType(BufferElement element) {
  return cast<MemRefType>(kernel.getArgumentTypes()[element.argument])
      .getElementType();
}

SymbolicValue SymbolicKernel::getResult(BufferElement element) {
  const Type type = getType(element);
  SymbolicValue value = SymbolicValue::ofExpression(
      pool.getElement(element.argument, element.index, type));
  for (int number : stores) {
    Op &store = ops[number];
    if (store.argument != static_cast<int>(element.argument) ||
        store.isSymbolic)
      continue;
    auto operation = cast<StoreOp>(store.op);
    struct Writer {
      SmallVector<int64_t, 8> positions;
      SymbolicValue mask, value;
    };
    SmallVector<Writer> writers;
    const SmallVector<unsigned> over = getRangesOf(store);
    findAccesses(store, element.index, [&](SymbolicValue mask) {
      Writer writer;
      for (unsigned range : over)
        writer.positions.push_back(positions[range]);
      writer.mask = mask;
      writer.value = evaluate(store.value);
      writers.push_back(std::move(writer));
    });
    if (hasFailed())
      return {};
    // Loops run in the order of their ranges.
    llvm::sort(writers, [](const Writer &a, const Writer &b) {
      return a.positions < b.positions;
    });
    if (writers.size() > 1 && operation.getUpdate()) {
      // What runs at the same time would lose updates. Several writes of one
      // value are compared below.
      for (auto [i, range] : llvm::enumerate(over))
        if (runsInParallel(range) &&
            llvm::any_of(writers, [&, i = i](const Writer &writer) {
              return writer.positions[i] != writers.front().positions[i];
            })) {
          fail("positions of range " + Twine(RangeOp(ranges[range]).getId()) +
                   ", which run at the same time, write the same element",
               true);
          return {};
        }
    }
    const std::optional<UpdateKind> update = operation.getUpdate();
    if (!update || *update == UpdateKind::set) {
      if (!update && writers.size() > 1 &&
          llvm::any_of(writers, [&](const Writer &writer) {
            return writer.value != writers.front().value;
          })) {
        fail("several positions write different values", true);
        return {};
      }
      for (const Writer &writer : writers)
        value = pool.select(writer.mask, writer.value, value, type);
      continue;
    }
    CombinationKind kind = CombinationKind::add;
    if (*update == UpdateKind::mul)
      kind = CombinationKind::mul;
    else if (*update == UpdateKind::max)
      kind = CombinationKind::max;
    else if (*update == UpdateKind::min)
      kind = CombinationKind::min;
    // Under a mask that is not decided, the previous value stays; with terms in
    // any order, it is one of the terms.
    const bool isDecided = llvm::all_of(
        writers, [](const Writer &writer) { return writer.mask.isTrue(); });
    if (!isDecided) {
      for (const Writer &writer : writers) {
        ExpressionPool::Combiner combiner(pool, kind, type);
        combiner.add(value);
        combiner.add(writer.value);
        value = pool.select(writer.mask, combiner.get(), value, type);
      }
      continue;
    }
    ExpressionPool::Combiner combiner(pool, kind, type);
    combiner.add(value);
    for (const Writer &writer : writers)
      combiner.add(writer.value);
    value = combiner.get();
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Kernels that work in place
//===----------------------------------------------------------------------===//

bool SymbolicKernel::comesBefore(const Op &load, ArrayRef<int64_t> ofLoad,
                                 const Op &store,
                                 ArrayRef<int64_t> ofStore) const {
  for (unsigned range = 0; range < ranges.size(); ++range) {
    const bool isOfLoad = load.ranges >> range & 1,
               isOfStore = store.ranges >> range & 1;
    if (extents[range] == 1)
      continue;
    const RangeKind kind = RangeOp(ranges[range]).getKind();
    // What only the load depends on is done before its value is stored, but
    // every work item loads and stores: one may begin when another one is done.
    // The items of a group wait for each other before they store.
    if (!isOfStore) {
      if (kind == RangeKind::thread || kind == RangeKind::global)
        return false;
      continue;
    }
    // All lanes and copies are read before any is written.
    const bool isTogether =
        kind == RangeKind::upcast || kind == RangeKind::unroll;
    if (isOfLoad) {
      if (ofLoad[range] == ofStore[range])
        continue;
      if (isTogether)
        return true;
      return kind == RangeKind::loop && ofLoad[range] < ofStore[range];
    }
    if (isTogether)
      continue;
    if (kind != RangeKind::loop)
      return false;
    // Outside of the loop, unless it depends on one within it.
    if ((load.ranges >> range) <= 1)
      return true;
    if (ofStore[range] != extents[range] - 1)
      return false;
  }
  return true;
}

bool SymbolicKernel::feedsStoreAfter(const Op &load, const Op &store) const {
  const auto isAfter = [&](int number) {
    return &ops[number] > &store && ops[number].argument == store.argument;
  };
  // What the later stores are computed from.
  llvm::SmallDenseSet<int> seen;
  SmallVector<int> work = llvm::filter_to_vector(stores, isAfter);
  while (!work.empty()) {
    const int number = work.pop_back_val();
    if (number < 0 || !seen.insert(number).second)
      continue;
    const Op &op = ops[number];
    if (&op == &load)
      return true;
    llvm::append_range(work, op.operands);
    llvm::append_range(work, ArrayRef({op.tile, op.index, op.mask, op.value}));
  }
  return false;
}

std::optional<std::string> SymbolicKernel::findLateRead(BufferElement element) {
  constexpr size_t mostAccesses = 64;
  using Access = std::pair<const Op *, SmallVector<int64_t, 8>>;
  auto collect = [&](OpKind kind) {
    SmallVector<Access> accesses;
    for (Op &op : ops) {
      if (op.kind != kind ||
          op.argument != static_cast<int>(element.argument) ||
          ops[op.index].dependsOnMemory)
        continue;
      findAccesses(op, element.index, [&](SymbolicValue) {
        if (accesses.size() < mostAccesses)
          accesses.emplace_back(&op,
                                ArrayRef(positions).take_front(ranges.size()));
      });
    }
    return accesses;
  };
  const SmallVector<Access> stores = collect(OpKind::store);
  if (stores.empty())
    return std::nullopt;
  for (const auto &[load, ofLoad] : collect(OpKind::load))
    for (const auto &[store, ofStore] : stores)
      if (!comesBefore(*load, ofLoad, *store, ofStore) ||
          feedsStoreAfter(*load, *store)) {
        for (auto [range, position] : llvm::enumerate(ofLoad))
          setPosition(range, position);
        return "element " + std::to_string(element.index) + " of argument " +
               std::to_string(element.argument) + " is read at " +
               describePositions(load->ranges) +
               ", when it may have been overwritten";
      }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Which elements are compared
//===----------------------------------------------------------------------===//

SmallVector<BufferElement>
SymbolicKernel::sampleElements(size_t count, ArrayRef<int64_t> boundaries,
                               bool &isComplete) {
  SmallVector<BufferElement> elements;
  isComplete = true;
  std::mt19937_64 random(20240607);
  for (int number : stores) {
    Op &store = ops[number];
    if (store.isSymbolic)
      continue;
    // Positions along which the index does not move write one element.
    SmallVector<unsigned> over;
    Mask ofIndex = ops[store.index].ranges;
    if (store.mask >= 0)
      ofIndex |= ops[store.mask].ranges;
    uint64_t total = 1;
    bool isEmpty = false;
    for (unsigned range : getRangesOf(store)) {
      isEmpty |= extents[range] <= 0;
      setPosition(range, 0);
      if (!(ofIndex >> range & 1))
        continue;
      over.push_back(range);
      total = llvm::SaturatingMultiply<uint64_t>(
          total, std::max<int64_t>(extents[range], 0));
    }
    if (isEmpty)
      continue;
    auto add = [&] {
      const SymbolicValue mask =
          store.mask >= 0 ? evaluate(store.mask) : SymbolicValue::ofNumber(1);
      if (mask.isFalse())
        return;
      const SymbolicValue index = evaluate(store.index);
      if (hasFailed() || !index.isNumber())
        return;
      if (index.number < 0 || index.number >= store.elements) {
        if (mask.isTrue())
          fail("it writes element " + Twine(index.number) + " of argument " +
                   Twine(store.argument) + ", which has " +
                   Twine(store.elements) + " elements, at " +
                   describePositions(store.ranges),
               true);
        return;
      }
      elements.push_back({static_cast<unsigned>(store.argument), index.number});
    };
    if (total <= count) {
      forEachPosition(over, [&] {
        add();
        return true;
      });
      continue;
    }
    isComplete = false;
    // The positions of each range at which something may change.
    SmallVector<SmallVector<int64_t>> special(over.size());
    for (auto [i, range] : llvm::enumerate(over)) {
      const int64_t extent = extents[range];
      SmallVector<int64_t> &places = special[i];
      places = {0, 1, 2, extent / 2, extent - 2, extent - 1};
      for (int64_t boundary : boundaries) {
        const int64_t last = extent / boundary * boundary;
        llvm::append_range(places,
                           ArrayRef({boundary - 1, boundary, last - 1, last}));
      }
      llvm::erase_if(places, [&](int64_t position) {
        return position < 0 || position >= extent;
      });
      llvm::sort(places);
      places.erase(llvm::unique(places), places.end());
    }
    auto addAt = [&](function_ref<int64_t(size_t)> getPosition) {
      for (auto [i, range] : llvm::enumerate(over))
        setPosition(range, getPosition(i));
      add();
    };
    const size_t end = elements.size() + count;
    addAt([](size_t) { return 0; });
    addAt([&](size_t i) { return extents[over[i]] - 1; });
    for (size_t place = 0; elements.size() < end && place < 2 * count;
         ++place) {
      // Mostly what is special of each range, in all combinations.
      addAt([&](size_t i) -> int64_t {
        if (random() % 4 == 0)
          return static_cast<int64_t>(random() % extents[over[i]]);
        return special[i][random() % special[i].size()];
      });
      if (hasFailed())
        return elements;
    }
  }
  // The first ones stay first: the others may be too many.
  llvm::DenseSet<std::pair<unsigned, int64_t>> seen;
  llvm::erase_if(elements, [&](const BufferElement &element) {
    return !seen.insert({element.argument, element.index}).second;
  });
  return elements;
}

//===----------------------------------------------------------------------===//
// Elements whose number is read from memory
//===----------------------------------------------------------------------===//

SmallVector<std::pair<unsigned, std::optional<UpdateKind>>>
SymbolicKernel::getSymbolicStores() {
  SmallVector<std::pair<unsigned, std::optional<UpdateKind>>> result;
  for (int number : stores)
    if (ops[number].isSymbolic)
      result.emplace_back(ops[number].argument,
                          cast<StoreOp>(ops[number].op).getUpdate());
  return result;
}

std::optional<std::vector<SymbolicUpdate>>
SymbolicKernel::getSymbolicUpdates(size_t count) {
  std::vector<SymbolicUpdate> updates;
  unsigned number = 0;
  for (int storeNumber : stores) {
    Op &store = ops[storeNumber];
    if (!store.isSymbolic)
      continue;
    const SmallVector<unsigned> over = getRangesOf(store);
    uint64_t total = 1;
    for (unsigned range : over)
      total = llvm::SaturatingMultiply<uint64_t>(
          total, std::max<int64_t>(extents[range], 0));
    if (total > count)
      return std::nullopt;
    forEachPosition(over, [&] {
      SymbolicUpdate update;
      update.store = number;
      update.mask =
          store.mask >= 0 ? evaluate(store.mask) : SymbolicValue::ofNumber(1);
      if (update.mask.isFalse())
        return true;
      update.index = evaluate(store.index);
      update.value = evaluate(store.value);
      updates.push_back(update);
      return true;
    });
    if (hasFailed())
      return std::nullopt;
    ++number;
  }
  return updates;
}
