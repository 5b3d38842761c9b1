//===- SimulatorMatrix.cpp - simulated matrix operations ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Matrix operations as the vendors document them: NVIDIA's PTX ISA, and AMD's
/// instruction sets for CDNA 3, RDNA 3 and RDNA 4.
///
//===----------------------------------------------------------------------===//

#include "SimulatorMatrix.h"
#include "TinyGrad/Runtime/DType.h"

#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::detail;
using Place = std::pair<int64_t, int64_t>;

//===----------------------------------------------------------------------===//
// Which element is where
//===----------------------------------------------------------------------===//

/// mma.sync: i is the number of an element as in a0, a1, ...
static Place getElementOfMma(const MatrixUnit &unit, char matrix, int64_t lane,
                             int64_t i) {
  const int64_t groupId = lane >> 2, inGroup = lane % 4;
  if (matrix == 'c') {
    const int64_t column = inGroup * 2 + (i & 1);
    return {unit.m == 16 && i >= 2 ? groupId + 8 : groupId, column};
  }
  const bool isA = matrix == 'a';
  switch (unit.element) {
  case MatrixElement::f16:
  case MatrixElement::bf16:
    if (unit.k == 8)
      return isA ? Place(i < 2 ? groupId : groupId + 8, inGroup * 2 + (i & 1))
                 : Place(inGroup * 2 + (i & 1), groupId);
    if (isA)
      return {i < 2 || (i >= 4 && i < 6) ? groupId : groupId + 8,
              inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
    return {inGroup * 2 + (i & 1) + (i >= 2 ? 8 : 0), groupId};
  case MatrixElement::tf32:
    if (isA)
      return {i == 0 || i == 2 ? groupId : groupId + 8,
              i < 2 ? inGroup : inGroup + 4};
    return {i == 0 ? inGroup : inGroup + 4, groupId};
  case MatrixElement::f64:
    return isA ? Place(groupId, inGroup) : Place(inGroup, groupId);
  case MatrixElement::i8:
    if (isA)
      return {i < 4 || (i >= 8 && i < 12) ? groupId : groupId + 8,
              inGroup * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
    return {inGroup * 4 + (i & 3) + (i >= 4 ? 16 : 0), groupId};
  case MatrixElement::f32:
  case MatrixElement::e4m3:
  case MatrixElement::e5m2:
    break;
  }
  std::abort();
}

/// v_mfma with 16 rows and columns: lanes of four blocks along the depth.
static Place getElementOfMfma(const MatrixUnit &unit, char matrix, int64_t lane,
                              int64_t i) {
  const int64_t block = lane / 16, side = lane % 16;
  const int64_t depth = block * (unit.k / 4) + i;
  if (matrix == 'a')
    return {side, depth};
  if (matrix == 'b')
    return {depth, side};
  // Results of 64 bits are in other rows than those of 32.
  return {unit.element == MatrixElement::f64 ? block + 4 * i : 4 * block + i,
          side};
}

/// v_wmma in a wave of 32 lanes.
static Place getElementOfWmma(const MatrixUnit &unit, char matrix, int64_t lane,
                              int64_t i) {
  const bool isRdna4 = unit.chips.find("gfx12") != std::string_view::npos;
  const int64_t half = lane / 16, side = lane % 16;
  const int64_t depth = isRdna4 ? 8 * half + i : i;
  if (matrix == 'a')
    return {side, depth};
  if (matrix == 'b')
    return {depth, side};
  return {isRdna4 ? 8 * half + i : 2 * i + half, side};
}

/// wgmma with 64 rows: the accumulators d0, d1, ... of 128 lanes.
static Place getElementOfWgmma(int64_t lane, int64_t i) {
  const int64_t warp = lane / 32, inWarp = lane % 32;
  return {16 * warp + inWarp / 4 + (i % 4 < 2 ? 0 : 8),
          8 * (i / 4) + 2 * (inWarp % 4) + i % 2};
}

std::optional<std::size_t>
detail::getDocumentedAddress(uint64_t descriptor, int64_t bytes,
                             bool isTransposed, int64_t side, int64_t depth) {
  const auto field = [&](unsigned first) {
    return int64_t(descriptor >> first & 0x3fff) << 4;
  };
  const int64_t start = field(0), leading = field(16), other = field(32);
  const bool hasBaseOffset = descriptor >> 49 & 7;
  // The matrix of eight rows of 16 bytes that the element is in, and its place
  // there.
  const int64_t width = 16 / bytes;
  const int64_t matrixSide = side / 8, inSide = side % 8;
  const int64_t matrixDepth = depth / width, inDepth = depth % width;
  const int64_t row = isTransposed ? inDepth : inSide,
                column = isTransposed ? inSide : inDepth;
  const uint64_t mode = descriptor >> 62;
  if (hasBaseOffset || mode > 1 || (isTransposed && bytes != 2))
    return std::nullopt;
  if (mode == 0) // eight rows of 16 bytes each
    return start + 16 * row + bytes * column +
           (isTransposed ? other : leading) * matrixDepth +
           (isTransposed ? leading : other) * matrixSide;
  // Eight rows of 128 bytes, each with a row of eight matrices. The bits 4 to 6
  // of an address change by those from 7 to 9.
  int64_t address = start + 128 * row + bytes * column;
  if (isTransposed)
    address += 16 * (matrixSide % 8) + leading * (matrixSide / 8) +
               other * matrixDepth;
  else
    address += 16 * matrixDepth + other * matrixSide;
  return address ^ (address >> 7 & 7) << 4;
}

Place detail::getDocumentedElement(const MatrixUnit &unit, char matrix,
                                   int64_t lane, int64_t number) {
  switch (unit.family) {
  case MatrixFamily::mma:
    return getElementOfMma(unit, matrix, lane, number);
  case MatrixFamily::mfma:
    return getElementOfMfma(unit, matrix, lane, number);
  case MatrixFamily::wmma:
    return getElementOfWmma(unit, matrix, lane, number);
  case MatrixFamily::wgmma: // factors are in memory
    return getElementOfWgmma(lane, number);
  }
  std::abort();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

template <typename T> static T readAs(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// An element of a factor, in the type in which products are added up.
template <typename T>
static T readElement(MatrixElement element, const char *from) {
  switch (element) {
  case MatrixElement::f16:
    return T(float(Half::fromBits(readAs<uint16_t>(from))));
  case MatrixElement::bf16: {
    const uint32_t bits = uint32_t(readAs<uint16_t>(from)) << 16;
    return T(readAs<float>(reinterpret_cast<const char *>(&bits)));
  }
  case MatrixElement::tf32: {
    // The lower bits are not read.
    const uint32_t bits = readAs<uint32_t>(from) & ~uint32_t(0x1fff);
    return T(readAs<float>(reinterpret_cast<const char *>(&bits)));
  }
  case MatrixElement::f32:
    return T(readAs<float>(from));
  case MatrixElement::f64:
    return T(readAs<double>(from));
  case MatrixElement::i8:
    return T(readAs<int8_t>(from));
  case MatrixElement::e4m3:
    return T(float(Float8E4M3::fromBits(readAs<uint8_t>(from))));
  case MatrixElement::e5m2:
    return T(float(Float8E5M2::fromBits(readAs<uint8_t>(from))));
  }
  std::abort();
}

/// Integers wrap around.
template <typename T>
static void multiply(const MatrixUnit &unit, const MatrixRegisters *lanes) {
  const int64_t numLanes = unit.getColumnLanes() * unit.getRowLanes();
  const int64_t bytes = getBytes(unit.element);
  const auto at = [](const Place &place, int64_t columns) {
    return std::size_t(place.first * columns + place.second);
  };
  std::vector<T> a(std::size_t(unit.m * unit.k)),
      b(std::size_t(unit.k * unit.n));
  for (int64_t lane = 0; lane < numLanes; ++lane) {
    for (int64_t i = 0; i < unit.a.getNumRegisters(); ++i)
      a[at(getDocumentedElement(unit, 'a', lane, i), unit.k)] =
          readElement<T>(unit.element, lanes[lane].a + i * bytes);
    for (int64_t i = 0; i < unit.b.getNumRegisters(); ++i)
      b[at(getDocumentedElement(unit, 'b', lane, i), unit.n)] =
          readElement<T>(unit.element, lanes[lane].b + i * bytes);
  }
  for (int64_t lane = 0; lane < numLanes; ++lane)
    for (int64_t i = 0; i < unit.c.getNumRegisters(); ++i) {
      const auto [row, column] = getDocumentedElement(unit, 'c', lane, i);
      char *place = lanes[lane].c + std::size_t(i) * sizeof(T);
      T sum = readAs<T>(place);
      for (int64_t k = 0; k < unit.k; ++k)
        sum += a[at({row, k}, unit.k)] * b[at({k, column}, unit.n)];
      std::memcpy(place, &sum, sizeof(T));
    }
}

void detail::multiplyMatrices(const MatrixUnit &unit,
                              const MatrixRegisters *lanes) {
  switch (unit.element) {
  case MatrixElement::f64:
    return multiply<double>(unit, lanes);
  case MatrixElement::i8:
    return multiply<uint32_t>(unit, lanes);
  default:
    return multiply<float>(unit, lanes);
  }
}

template <typename T>
static void multiplyInMemory(const MatrixUnit &unit, const char *a,
                             const char *b,
                             const std::array<char *, 128> &sums) {
  const auto read = [&](const char *from, int64_t row) {
    std::vector<T> values(std::size_t(unit.k));
    for (int64_t k = 0; k < unit.k; ++k)
      values[std::size_t(k)] = readElement<T>(
          unit.element, from + getBytes(unit.element) * (row * unit.k + k));
    return values;
  };
  std::vector<std::vector<T>> rows, columns;
  for (int64_t i = 0; i < unit.m; ++i)
    rows.push_back(read(a, i));
  for (int64_t j = 0; j < unit.n; ++j)
    columns.push_back(read(b, j));
  for (std::size_t lane = 0; lane < sums.size(); ++lane)
    for (int64_t i = 0; i < unit.c.getNumRegisters(); ++i) {
      const auto [row, column] = getElementOfWgmma(int64_t(lane), i);
      char *place = sums[lane] + std::size_t(i) * sizeof(T);
      auto sum = readAs<T>(place);
      for (std::size_t k = 0; k < std::size_t(unit.k); ++k)
        sum += rows[std::size_t(row)][k] * columns[std::size_t(column)][k];
      std::memcpy(place, &sum, sizeof(T));
    }
}

void detail::multiplyWarpgroup(const MatrixUnit &unit, const char *a,
                               const char *b,
                               const std::array<char *, 128> &sums) {
  // Integers wrap around.
  if (unit.element == MatrixElement::i8)
    multiplyInMemory<uint32_t>(unit, a, b, sums);
  else
    multiplyInMemory<float>(unit, a, b, sums);
}

void detail::loadMatrices(int64_t numMatrices, bool isTransposed,
                          const std::array<const char *, 32> &rows,
                          const std::array<char *, 32> &results) {
  for (int64_t matrix = 0; matrix < numMatrices; ++matrix)
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (std::size_t i = 0; i < 2; ++i) {
        std::size_t row = lane / 4, column = 2 * (lane % 4) + i;
        if (isTransposed)
          std::swap(row, column);
        std::memcpy(results[lane] + 4 * matrix + 2 * i,
                    rows[std::size_t(8 * matrix) + row] + 2 * column, 2);
      }
}

void detail::readTransposed(std::size_t bytes,
                            const std::vector<const char *> &pieces,
                            const std::vector<char *> &results) {
  constexpr std::size_t kLanes = 16, kPieceBytes = 8;
  for (std::size_t first = 0; first < pieces.size(); first += kLanes) {
    // The rows of the matrix that these lanes have read together.
    std::array<char, kLanes * kPieceBytes> matrix;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      std::memcpy(&matrix[lane * kPieceBytes], pieces[first + lane],
                  kPieceBytes);
    for (std::size_t column = 0; column < kLanes; ++column)
      for (std::size_t row = 0; row < kPieceBytes / bytes; ++row)
        std::memcpy(results[first + column] + row * bytes,
                    &matrix[(row * kLanes + column) * bytes], bytes);
  }
}
