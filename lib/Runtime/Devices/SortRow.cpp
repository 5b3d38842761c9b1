//===- SortRow.cpp - the order of an array's elements ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Keys become unsigned integers of the same order, which are sorted with their
/// positions by digits of 11 bits, from the lowest to the highest: one pass
/// over the data for all histograms, and one for each digit that differs at
/// all.
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

using namespace tinygrad;

namespace {
template <typename Key, typename Position> struct Item {
  Key key;
  Position position;
};
} // namespace

constexpr unsigned digitBits = 11;
constexpr std::size_t numDigitValues = std::size_t(1) << digitBits;
/// Histograms of fewer elements cost more than comparing.
constexpr int64_t fewElements = 256;

/// Sorts \p items, with \p other as room of the same size; returns the one of
/// the two that holds the result.
template <typename Key, typename Position>
static Item<Key, Position> *sortByDigits(Item<Key, Position> *items,
                                         Item<Key, Position> *other,
                                         std::size_t count) {
  constexpr unsigned bits = std::numeric_limits<Key>::digits;
  constexpr unsigned numDigits = (bits + digitBits - 1) / digitBits;
  using Histogram = std::array<Position, numDigitValues>;
  auto histograms = std::make_unique<std::array<Histogram, numDigits>>();
  auto digit = [](Key key, unsigned number) {
    return std::size_t(key >> (number * digitBits)) & (numDigitValues - 1);
  };
  for (std::size_t i = 0; i < count; ++i)
    for (unsigned number = 0; number < numDigits; ++number)
      ++(*histograms)[number][digit(items[i].key, number)];
  for (unsigned number = 0; number < numDigits; ++number) {
    Histogram &begins = (*histograms)[number];
    if (std::size_t(begins[digit(items[0].key, number)]) == count)
      continue;
    Position begin = 0;
    for (Position &entry : begins)
      begin += std::exchange(entry, begin);
    for (std::size_t i = 0; i < count; ++i)
      other[begins[digit(items[i].key, number)]++] = items[i];
    std::swap(items, other);
  }
  return items;
}

/// An unsigned integer of the same order. `exponent` are the bits of infinity.
template <typename Key> static Key fromFloat(Key bits, Key exponent) {
  constexpr Key sign = Key(Key(1) << (std::numeric_limits<Key>::digits - 1));
  const Key magnitude = bits & Key(~sign);
  if (magnitude > exponent)
    return std::numeric_limits<Key>::max();
  if (magnitude == 0)
    return sign;
  return bits & sign ? Key(~bits) : Key(bits | sign);
}

template <typename Key, typename Position, typename Convert>
static void sortAs(int64_t *longPositions, int32_t *positions, const void *keys,
                   std::size_t count, bool isDescending,
                   const Convert &convert) {
  using Entry = Item<Key, Position>;
  auto items = std::make_unique_for_overwrite<Entry[]>(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    Key bits;
    std::memcpy(&bits, static_cast<const char *>(keys) + i * sizeof(Key),
                sizeof(Key));
    const Key key = convert(bits);
    items[i] = {isDescending ? Key(~key) : key, Position(i)};
  }
  Entry *sorted = items.get();
  if (count < fewElements)
    std::sort(sorted, sorted + count, [](const Entry &a, const Entry &b) {
      return a.key != b.key ? a.key < b.key : a.position < b.position;
    });
  else
    sorted = sortByDigits(sorted, sorted + count, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (longPositions)
      longPositions[i] = int64_t(sorted[i].position);
    else
      positions[i] = int32_t(sorted[i].position);
  }
}

void tinygrad::detail::sortRow(void *positions, DType positionType,
                               const void *keys, DType keyType, int64_t length,
                               bool isDescending) {
  const auto count = std::size_t(length);
  auto *longPositions = positionType == DType::Int64
                            ? static_cast<int64_t *>(positions)
                            : nullptr;
  auto *shortPositions = static_cast<int32_t *>(positions);
  auto sort = [&](auto zero, const auto &convert) {
    using Key = decltype(zero);
    if (count <= std::numeric_limits<uint32_t>::max())
      sortAs<Key, uint32_t>(longPositions, shortPositions, keys, count,
                            isDescending, convert);
    else
      sortAs<Key, uint64_t>(longPositions, shortPositions, keys, count,
                            isDescending, convert);
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
    throw DTypeError(std::string("sorting does not take ") + name(keyType));
  }
}
