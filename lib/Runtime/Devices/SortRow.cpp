//===- SortRow.cpp - sorting and selection in one row ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Keys are mapped to unsigned integers of the same order. Sorting is an LSD
/// radix sort of keys and positions with 11-bit digits, where digits that are
/// equal in all keys are skipped. A few positions out of many are selected
/// instead, which moves only candidates. Both run in parts; the number of parts
/// does not affect the result, since a radix pass is stable and no two elements
/// are equal in key and position.
///
//===----------------------------------------------------------------------===//

#include "SortRow.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace tinygrad;

namespace {
template <typename Key, typename Position> struct Item {
  Key key;
  Position position;
};
} // namespace

constexpr unsigned kDigitBits = 11;
constexpr std::size_t kNumDigitValues = std::size_t(1) << kDigitBits;
/// For fewer elements, comparisons are cheaper than histograms.
constexpr std::size_t kFewElements = 256;
/// Up to this fraction of a row (1/16), selection is used instead of sorting.
constexpr std::size_t kSelectionShare = 16;
/// The number of keys compared with the limit at once.
constexpr std::size_t kBlockSize = 64;

/// The first element of part \p part of \p parts.
static std::size_t beginOf(std::size_t part, std::size_t parts,
                           std::size_t count) {
  return count / parts * part + std::min(part, count % parts);
}

/// Sorts \p items with the temporary array \p other of the same size. Returns
/// the one that contains the result.
template <typename Key, typename Position>
static Item<Key, Position> *
sortByDigits(Item<Key, Position> *items, Item<Key, Position> *other,
             std::size_t count, const detail::Parts &parts) {
  constexpr unsigned bits = std::numeric_limits<Key>::digits;
  constexpr unsigned numDigits = (bits + kDigitBits - 1) / kDigitBits;
  using Histogram = std::array<Position, kNumDigitValues>;
  const std::size_t numParts = parts.number;
  auto histograms = std::make_unique<Histogram[]>(numParts);
  for (unsigned number = 0; number < numDigits; ++number) {
    auto digit = [number](Key key) {
      return std::size_t(key >> (number * kDigitBits)) & (kNumDigitValues - 1);
    };
    parts.forEach([&](std::size_t part) {
      Histogram &histogram = histograms[part];
      histogram.fill(0);
      const std::size_t end = beginOf(part + 1, numParts, count);
      for (std::size_t i = beginOf(part, numParts, count); i < end; ++i)
        ++histogram[digit(items[i].key)];
    });
    // The first index of each digit; for equal digits, parts come in order.
    Position begin = 0;
    bool isSame = false;
    for (std::size_t value = 0; value < kNumDigitValues; ++value) {
      const Position before = begin;
      for (std::size_t part = 0; part < numParts; ++part)
        begin += std::exchange(histograms[part][value], begin);
      isSame |= std::size_t(begin - before) == count;
    }
    if (isSame)
      continue;
    parts.forEach([&](std::size_t part) {
      Histogram &begins = histograms[part];
      const std::size_t end = beginOf(part + 1, numParts, count);
      for (std::size_t i = beginOf(part, numParts, count); i < end; ++i)
        other[begins[digit(items[i].key)]++] = items[i];
    });
    std::swap(items, other);
  }
  return items;
}

template <typename Key, typename Position>
static bool isBefore(const Item<Key, Position> &a,
                     const Item<Key, Position> &b) {
  return a.key != b.key ? a.key < b.key : a.position < b.position;
}

/// Keeps the \p count smallest items, in any order.
template <typename Key, typename Position>
static void keepLeast(std::vector<Item<Key, Position>> &items,
                      std::size_t count) {
  if (items.size() <= count)
    return;
  std::nth_element(items.begin(), items.begin() + (count - 1), items.end(),
                   isBefore<Key, Position>);
  items.resize(count);
}

/// The \p wanted smallest of \p count items, sorted. getKey(i) is the key of
/// item i.
template <typename Key, typename Position, typename GetKey>
static std::vector<Item<Key, Position>>
selectLeast(std::size_t count, std::size_t wanted, const GetKey &getKey,
            const detail::Parts &parts) {
  using Entry = Item<Key, Position>;
  std::vector<std::vector<Entry>> ofPart(parts.number);
  parts.forEach([&](std::size_t part) {
    std::vector<Entry> &least = ofPart[part];
    least.reserve(2 * wanted + kBlockSize);
    // An item that is not less than the current limit has at least `wanted`
    // items before it: of equal keys, the first ones are selected.
    Key limit = 0;
    bool hasLimit = false;
    const std::size_t end = beginOf(part + 1, parts.number, count);
    std::size_t i = beginOf(part, parts.number, count);
    for (std::size_t stop; i < end; i = stop) {
      stop = std::min(i + kBlockSize, end);
      bool isAny = !hasLimit;
      for (std::size_t j = i; j < stop; ++j)
        isAny |= getKey(j) < limit;
      if (!isAny)
        continue;
      for (std::size_t j = i; j < stop; ++j)
        if (const Key key = getKey(j); !hasLimit || key < limit)
          least.push_back({key, Position(j)});
      if (least.size() >= 2 * wanted) {
        keepLeast(least, wanted);
        limit = least[wanted - 1].key;
        hasLimit = true;
      }
    }
    keepLeast(least, wanted);
  });
  std::vector<Entry> result;
  for (const std::vector<Entry> &least : ofPart)
    result.insert(result.end(), least.begin(), least.end());
  keepLeast(result, wanted);
  std::sort(result.begin(), result.end(), isBefore<Key, Position>);
  return result;
}

/// The float's bits as an unsigned integer of the same order. `exponent` are
/// the bits of infinity.
template <typename Key> static Key fromFloat(Key bits, Key exponent) {
  constexpr Key sign = Key(Key(1) << (std::numeric_limits<Key>::digits - 1));
  const Key magnitude = bits & Key(~sign);
  const Key number = bits & sign ? Key(~bits) : Key(bits | sign);
  const Key ordered = magnitude == 0 ? sign : number;
  return magnitude > exponent ? std::numeric_limits<Key>::max() : ordered;
}

template <typename Key, typename Position, typename Convert>
static void sortAs(const detail::RowOrder &row, const Convert &convert,
                   const detail::Parts &parts) {
  using Entry = Item<Key, Position>;
  const auto count = std::size_t(row.length);
  const std::size_t wanted = std::min(count, std::size_t(row.numPositions));
  const auto *keys = static_cast<const char *>(row.keys);
  const Key flip = row.isDescending ? std::numeric_limits<Key>::max() : Key(0);
  auto getKey = [&](std::size_t i) {
    Key bits;
    std::memcpy(&bits, keys + i * sizeof(Key), sizeof(Key));
    return Key(convert(bits) ^ flip);
  };
  auto write = [&](const Entry *sorted, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (row.positionType == DType::Int64)
        static_cast<int64_t *>(row.positions)[i] = int64_t(sorted[i].position);
      else
        static_cast<int32_t *>(row.positions)[i] = int32_t(sorted[i].position);
    }
  };
  if (wanted <= count / kSelectionShare) {
    if (wanted > 0)
      write(selectLeast<Key, Position>(count, wanted, getKey, parts).data(), 0,
            wanted);
    return;
  }
  auto items = std::make_unique_for_overwrite<Entry[]>(
      count < kFewElements ? count : 2 * count);
  parts.forEach([&](std::size_t part) {
    const std::size_t end = beginOf(part + 1, parts.number, count);
    for (std::size_t i = beginOf(part, parts.number, count); i < end; ++i)
      items[i] = {getKey(i), Position(i)};
  });
  Entry *sorted = items.get();
  if (count < kFewElements)
    std::sort(sorted, sorted + count, isBefore<Key, Position>);
  else
    sorted = sortByDigits(sorted, sorted + count, count, parts);
  parts.forEach([&](std::size_t part) {
    write(sorted, beginOf(part, parts.number, wanted),
          beginOf(part + 1, parts.number, wanted));
  });
}

void tinygrad::detail::sortRow(const RowOrder &row, const Parts &parts) {
  auto sort = [&](auto zero, const auto &convert) {
    using Key = decltype(zero);
    if (uint64_t(row.length) <= std::numeric_limits<uint32_t>::max())
      sortAs<Key, uint32_t>(row, convert, parts);
    else
      sortAs<Key, uint64_t>(row, convert, parts);
  };
  auto sortInteger = [&](auto zero, bool isSigned) {
    using Key = decltype(zero);
    const Key sign = isSigned
                         ? Key(Key(1) << (std::numeric_limits<Key>::digits - 1))
                         : Key(0);
    sort(zero, [sign](Key bits) { return Key(bits ^ sign); });
  };
  auto sortFloat = [&](auto infinity) {
    using Key = decltype(infinity);
    sort(infinity, [infinity](Key bits) { return fromFloat(bits, infinity); });
  };
  const DType keyType = row.keyType;
  switch (keyType) {
  case DType::Bool:
  case DType::UInt8:
  case DType::Int8:
    return sortInteger(uint8_t(0), keyType == DType::Int8);
  case DType::UInt16:
  case DType::Int16:
    return sortInteger(uint16_t(0), keyType == DType::Int16);
  case DType::UInt32:
  case DType::Int32:
    return sortInteger(uint32_t(0), keyType == DType::Int32);
  case DType::UInt64:
  case DType::Int64:
    return sortInteger(uint64_t(0), keyType == DType::Int64);
  case DType::Float16:
    return sortFloat(uint16_t(0x7c00));
  case DType::BFloat16:
    return sortFloat(uint16_t(0x7f80));
  case DType::Float32:
    return sortFloat(uint32_t(0x7f800000));
  case DType::Float64:
    return sortFloat(uint64_t(0x7ff0000000000000));
  default:
    throw DTypeError(std::string("sorting does not support ") + name(keyType));
  }
}
