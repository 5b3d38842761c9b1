//===- MatrixUnits.h - matrix operations of GPUs ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The operations by which the lanes of a subgroup, or of four of them,
/// multiply two small matrices together, with the elements that each lane
/// holds. This header belongs to no library, as GPUChips.h.
///
/// An operation computes D = A * B + C, where A has m rows and k columns, B k
/// rows and n columns, and C and D m rows and n columns. Each lane holds a
/// fragment of every matrix in its registers; wgmma reads A and B from the
/// memory of the group.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_SUPPORT_MATRIXUNITS_H
#define TINYGRAD_SUPPORT_MATRIXUNITS_H

#include "TinyGrad/Support/GPUChips.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace tinygrad {

/// A digit of the number of a lane or of a register: its base, and how far the
/// element is from that of the digit before it, in rows and columns.
struct FragmentDigit {
  int64_t extent = 1, row = 0, column = 0;
};

/// Which element of a matrix is in which lane and register: the sum over the
/// digits of both numbers, the fastest digit first.
struct FragmentLayout {
  std::array<FragmentDigit, 3> lanes;
  std::array<FragmentDigit, 4> registers;

  /// Elements of a fragment.
  constexpr int64_t getNumRegisters() const {
    int64_t number = 1;
    for (const FragmentDigit &digit : registers)
      number *= digit.extent;
    return number;
  }
  /// The row and the column.
  constexpr std::pair<int64_t, int64_t> getElement(int64_t lane,
                                                   int64_t number) const {
    int64_t row = 0, column = 0;
    auto add = [&](const auto &digits, int64_t rest) {
      for (const FragmentDigit &digit : digits) {
        row += rest % digit.extent * digit.row;
        column += rest % digit.extent * digit.column;
        rest /= digit.extent;
      }
    };
    add(lanes, lane);
    add(registers, number);
    return {row, column};
  }
};

enum class MatrixFamily {
  mma,   ///< NVIDIA's mma.sync
  mfma,  ///< AMD's CDNA
  wmma,  ///< AMD's RDNA
  wgmma, ///< NVIDIA's Hopper: four subgroups, which go on meanwhile
};

/// What the elements of a factor are. Those of results are f32, i32 for i8, and
/// f64 for f64. A factor of tf32 is stored as f32.
enum class MatrixElement { f16, bf16, tf32, f32, f64, i8, e4m3, e5m2 };

constexpr int64_t getBytes(MatrixElement element) {
  switch (element) {
  case MatrixElement::f16:
  case MatrixElement::bf16:
    return 2;
  case MatrixElement::tf32:
  case MatrixElement::f32:
    return 4;
  case MatrixElement::f64:
    return 8;
  case MatrixElement::i8:
  case MatrixElement::e4m3:
  case MatrixElement::e5m2:
    return 1;
  }
  return 0;
}

/// One operation. The number of a lane is that of its row in C, of `rowLanes`,
/// and that of its column, which is the fastest.
struct MatrixUnit {
  std::string_view name;
  MatrixFamily family;
  MatrixElement element;
  int64_t m, n, k;
  FragmentLayout a, b, c;
  /// The chips that have it, between spaces; or of NVIDIA's the capability of
  /// the first one, and of the first that has a better one.
  std::string_view chips = {};
  int64_t firstChip = 0, lastChip = 0;

  constexpr int64_t getColumnLanes() const { return c.lanes[0].extent; }
  constexpr int64_t getRowLanes() const { return c.lanes[1].extent; }
  /// The subgroups that do it together; their number is that of 16 rows.
  constexpr int64_t getSubgroups() const { return c.lanes[2].extent; }
  /// Whether both factors are read from the memory of the group.
  constexpr bool readsMemory() const { return family == MatrixFamily::wgmma; }
  /// Elements in a row of the memory that wgmma reads.
  constexpr int64_t getRowElements() const { return 128 / getBytes(element); }
  /// Bytes of a row of a factor that stay side by side in a tile: what a lane,
  /// or ldmatrix, reads at once. Lanes of `mfma` mostly read 8 bytes or fewer.
  constexpr int64_t getChunkBytes() const {
    return family == MatrixFamily::mfma &&
                   a.getNumRegisters() * getBytes(element) <= 8
               ? 8
               : 16;
  }
  /// How many elements along the depth a lane of `mfma` gets at once from a
  /// tile that has them in different rows, because 16 lanes exchange what they
  /// read (ds_read_b64_tr_b16); 0 if the chips that have the operation cannot.
  constexpr int64_t getTransposedElements() const {
    return chips == " gfx950 " && getBytes(element) == 2 ? 4 : 0;
  }
  /// Whether items read factors that have their rows along the result as well
  /// as others, so that their tiles are filled as they are in memory.
  constexpr bool readsTransposed() const {
    return (family == MatrixFamily::mma && getBytes(element) == 2) ||
           getTransposedElements() > 0;
  }
  constexpr bool isOf(const GPUChipData &chip) const {
    if (!chips.empty()) {
      for (std::size_t at = chips.find(chip.name); at != std::string_view::npos;
           at = chips.find(chip.name, at + 1))
        if (chips[at - 1] == ' ' && chips[at + chip.name.size()] == ' ')
          return true;
      return false;
    }
    const int64_t number = chip.getCapability();
    return firstChip != 0 && number >= firstChip && number < lastChip;
  }
};

namespace detail {
// PTX ISA, "Matrix multiply-accumulate operation using mma instruction".
inline constexpr FragmentLayout kMma16x8 = {{{{4, 0, 2}, {8, 1, 0}}},
                                            {{{2, 0, 1}, {2, 8, 0}}}};
inline constexpr FragmentLayout kMma8x8 = {{{{4, 0, 2}, {8, 1, 0}}},
                                           {{{2, 0, 1}}}};
// AMD's CDNA3 instruction set, "Matrix arithmetic instructions".
inline constexpr FragmentLayout kMfma16x16 = {{{{16, 0, 1}, {4, 4, 0}}},
                                              {{{4, 1, 0}}}};
inline constexpr FragmentLayout kMfma16x16f64 = {{{{16, 0, 1}, {4, 1, 0}}},
                                                 {{{4, 4, 0}}}};
constexpr FragmentLayout getMfmaA(int64_t depth) {
  return {{{{16, 1, 0}, {4, 0, depth}}}, {{{depth, 0, 1}}}};
}
constexpr FragmentLayout getMfmaB(int64_t depth) {
  return {{{{16, 0, 1}, {4, depth, 0}}}, {{{depth, 1, 0}}}};
}
// AMD's RDNA3 instruction set, "Wave matrix multiply accumulate": both halves
// of the lanes hold the same factors.
inline constexpr FragmentLayout kWmma11A = {{{{16, 1, 0}, {2, 0, 0}}},
                                            {{{16, 0, 1}}}};
inline constexpr FragmentLayout kWmma11B = {{{{16, 0, 1}, {2, 0, 0}}},
                                            {{{16, 1, 0}}}};
inline constexpr FragmentLayout kWmma11C = {{{{16, 0, 1}, {2, 1, 0}}},
                                            {{{8, 2, 0}}}};
// AMD's RDNA4 instruction set, the same section.
inline constexpr FragmentLayout kWmma12A = {{{{16, 1, 0}, {2, 0, 8}}},
                                            {{{8, 0, 1}}}};
inline constexpr FragmentLayout kWmma12B = {{{{16, 0, 1}, {2, 8, 0}}},
                                            {{{8, 1, 0}}}};
inline constexpr FragmentLayout kWmma12C = {{{{16, 0, 1}, {2, 8, 0}}},
                                            {{{8, 1, 0}}}};
/// A of mma.sync with 16 rows: `perRegister` elements of a row in each register
/// of 32 bits, and `columns` columns.
constexpr FragmentLayout getMmaA(int64_t perRegister, int64_t columns) {
  const int64_t width = 4 * perRegister;
  return {{{{4, 0, perRegister}, {8, 1, 0}}},
          {{{perRegister, 0, 1}, {2, 8, 0}, {columns / width, 0, width}}}};
}
constexpr FragmentLayout getMmaB(int64_t perRegister, int64_t rows) {
  const int64_t height = 4 * perRegister;
  return {{{{4, perRegister, 0}, {8, 0, 1}}},
          {{{perRegister, 1, 0}, {rows / height, height, 0}}}};
}
// PTX ISA, "Register fragments for wgmma.mma_async.m64nNk16", matrix D, which
// is that of all types of factors. The last digit are blocks of 64 columns: see
// kWarpgroupBlock.
constexpr FragmentLayout getWgmmaC(int64_t columns) {
  return {{{{4, 0, 2}, {8, 1, 0}, {4, 16, 0}}},
          {{{2, 0, 1}, {2, 8, 0}, {8, 0, 8}, {columns / 64, 0, 64}}}};
}
constexpr MatrixUnit getWgmma(std::string_view name, MatrixElement element,
                              int64_t columns) {
  return {name,
          MatrixFamily::wgmma,
          element,
          64,
          columns,
          32 / getBytes(element),
          {},
          {},
          getWgmmaC(columns),
          " sm_90a "};
}
} // namespace detail

/// A tile that wgmma reads has the rows or columns of the result in blocks of
/// so many. A row of the tile has 128 bytes along the depth or, only of
/// elements of 16 bits, along a block.
inline constexpr int64_t kWarpgroupBlock = 64;
/// Rows after which the order of chunks in them repeats, and what the address
/// of a tile is a multiple of, in bytes.
inline constexpr int64_t kWarpgroupRows = 8, kWarpgroupAlignment = 1024;

/// All of them. Of several for a type of factors, a chip uses the deepest one
/// that is not deeper than the sum. The place in this table is the bit in the
/// fact `matrix_units` of a target.
inline constexpr MatrixUnit kMatrixUnits[] = {
    {"mma_m16n8k16_f16", MatrixFamily::mma, MatrixElement::f16, 16, 8, 16,
     detail::getMmaA(2, 16), detail::getMmaB(2, 16), detail::kMma16x8, "", 80,
     1000},
    {"mma_m16n8k16_bf16", MatrixFamily::mma, MatrixElement::bf16, 16, 8, 16,
     detail::getMmaA(2, 16), detail::getMmaB(2, 16), detail::kMma16x8, "", 80,
     1000},
    {"mma_m16n8k8_f16", MatrixFamily::mma, MatrixElement::f16, 16, 8, 8,
     detail::getMmaA(2, 8), detail::getMmaB(2, 8), detail::kMma16x8, "", 75,
     80},
    {"mma_m16n8k8_tf32", MatrixFamily::mma, MatrixElement::tf32, 16, 8, 8,
     detail::getMmaA(1, 8), detail::getMmaB(1, 8), detail::kMma16x8, "", 80,
     1000},
    {"mma_m8n8k4_f64",
     MatrixFamily::mma,
     MatrixElement::f64,
     8,
     8,
     4,
     {{{{4, 0, 1}, {8, 1, 0}}}, {}},
     {{{{4, 1, 0}, {8, 0, 1}}}, {}},
     detail::kMma8x8,
     "",
     80,
     1000},
    {"mma_m16n8k32_i8", MatrixFamily::mma, MatrixElement::i8, 16, 8, 32,
     detail::getMmaA(4, 32), detail::getMmaB(4, 32), detail::kMma16x8, "", 80,
     1000},
    {"mfma_16x16x16_f16", MatrixFamily::mfma, MatrixElement::f16, 16, 16, 16,
     detail::getMfmaA(4), detail::getMfmaB(4), detail::kMfma16x16,
     " gfx90a gfx942 gfx950 "},
    {"mfma_16x16x16_bf16", MatrixFamily::mfma, MatrixElement::bf16, 16, 16, 16,
     detail::getMfmaA(4), detail::getMfmaB(4), detail::kMfma16x16,
     " gfx90a gfx942 gfx950 "},
    {"mfma_16x16x4_f32", MatrixFamily::mfma, MatrixElement::f32, 16, 16, 4,
     detail::getMfmaA(1), detail::getMfmaB(1), detail::kMfma16x16,
     " gfx90a gfx942 gfx950 "},
    {"mfma_16x16x4_f64", MatrixFamily::mfma, MatrixElement::f64, 16, 16, 4,
     detail::getMfmaA(1), detail::getMfmaB(1), detail::kMfma16x16f64,
     " gfx90a gfx942 gfx950 "},
    {"mfma_16x16x16_i8", MatrixFamily::mfma, MatrixElement::i8, 16, 16, 16,
     detail::getMfmaA(4), detail::getMfmaB(4), detail::kMfma16x16, " gfx90a "},
    {"mfma_16x16x32_i8", MatrixFamily::mfma, MatrixElement::i8, 16, 16, 32,
     detail::getMfmaA(8), detail::getMfmaB(8), detail::kMfma16x16,
     " gfx942 gfx950 "},
    {"wmma11_16x16x16_f16", MatrixFamily::wmma, MatrixElement::f16, 16, 16, 16,
     detail::kWmma11A, detail::kWmma11B, detail::kWmma11C, " gfx1100 "},
    {"wmma11_16x16x16_bf16", MatrixFamily::wmma, MatrixElement::bf16, 16, 16,
     16, detail::kWmma11A, detail::kWmma11B, detail::kWmma11C, " gfx1100 "},
    {"wmma11_16x16x16_i8", MatrixFamily::wmma, MatrixElement::i8, 16, 16, 16,
     detail::kWmma11A, detail::kWmma11B, detail::kWmma11C, " gfx1100 "},
    {"wmma12_16x16x16_f16", MatrixFamily::wmma, MatrixElement::f16, 16, 16, 16,
     detail::kWmma12A, detail::kWmma12B, detail::kWmma12C, " gfx1201 "},
    {"wmma12_16x16x16_bf16", MatrixFamily::wmma, MatrixElement::bf16, 16, 16,
     16, detail::kWmma12A, detail::kWmma12B, detail::kWmma12C, " gfx1201 "},
    {"wmma12_16x16x16_i8", MatrixFamily::wmma, MatrixElement::i8, 16, 16, 16,
     detail::kWmma12A, detail::kWmma12B, detail::kWmma12C, " gfx1201 "},
    // With 16 rows, and for depths of 32, i8 needs sm_80.
    {"mma_m8n8k16_i8",
     MatrixFamily::mma,
     MatrixElement::i8,
     8,
     8,
     16,
     {{{{4, 0, 4}, {8, 1, 0}}}, {{{4, 0, 1}}}},
     detail::getMmaB(4, 16),
     detail::kMma8x8,
     "",
     75,
     80},
    // CDNA 4 doubled the depths.
    {"mfma_16x16x32_f16", MatrixFamily::mfma, MatrixElement::f16, 16, 16, 32,
     detail::getMfmaA(8), detail::getMfmaB(8), detail::kMfma16x16, " gfx950 "},
    {"mfma_16x16x32_bf16", MatrixFamily::mfma, MatrixElement::bf16, 16, 16, 32,
     detail::getMfmaA(8), detail::getMfmaB(8), detail::kMfma16x16, " gfx950 "},
    {"mfma_16x16x64_i8", MatrixFamily::mfma, MatrixElement::i8, 16, 16, 64,
     detail::getMfmaA(16), detail::getMfmaB(16), detail::kMfma16x16,
     " gfx950 "},
    // Heuristics choose these for large products alone.
    detail::getWgmma("wgmma_m64n64k16_f16", MatrixElement::f16, 64),
    detail::getWgmma("wgmma_m64n128k16_f16", MatrixElement::f16, 128),
    detail::getWgmma("wgmma_m64n256k16_f16", MatrixElement::f16, 256),
    detail::getWgmma("wgmma_m64n64k16_bf16", MatrixElement::bf16, 64),
    detail::getWgmma("wgmma_m64n128k16_bf16", MatrixElement::bf16, 128),
    detail::getWgmma("wgmma_m64n256k16_bf16", MatrixElement::bf16, 256),
    detail::getWgmma("wgmma_m64n64k8_tf32", MatrixElement::tf32, 64),
    detail::getWgmma("wgmma_m64n128k8_tf32", MatrixElement::tf32, 128),
    detail::getWgmma("wgmma_m64n256k8_tf32", MatrixElement::tf32, 256),
    detail::getWgmma("wgmma_m64n64k32_e4m3", MatrixElement::e4m3, 64),
    detail::getWgmma("wgmma_m64n128k32_e4m3", MatrixElement::e4m3, 128),
    detail::getWgmma("wgmma_m64n256k32_e4m3", MatrixElement::e4m3, 256),
    detail::getWgmma("wgmma_m64n64k32_e5m2", MatrixElement::e5m2, 64),
    detail::getWgmma("wgmma_m64n128k32_e5m2", MatrixElement::e5m2, 128),
    detail::getWgmma("wgmma_m64n256k32_e5m2", MatrixElement::e5m2, 256),
    detail::getWgmma("wgmma_m64n64k32_i8", MatrixElement::i8, 64),
    detail::getWgmma("wgmma_m64n128k32_i8", MatrixElement::i8, 128),
    detail::getWgmma("wgmma_m64n256k32_i8", MatrixElement::i8, 256),
};
inline constexpr std::size_t kNumMatrixUnits = std::size(kMatrixUnits);

/// The operation of this name; null if there is none.
constexpr const MatrixUnit *findMatrixUnit(std::string_view name) {
  for (const MatrixUnit &unit : kMatrixUnits)
    if (unit.name == name)
      return &unit;
  return nullptr;
}

/// Those that a chip has, as bits by their places in the table.
constexpr int64_t getMatrixUnits(const GPUChipData &chip) {
  int64_t bits = 0;
  for (std::size_t i = 0; i < kNumMatrixUnits; ++i)
    if (chip.hasMatrixUnits && kMatrixUnits[i].isOf(chip))
      bits |= int64_t(1) << i;
  return bits;
}

/// Whether the chip multiplies f32 after rounding it to tf32.
constexpr bool canRoundToTf32(const GPUChipData &chip) {
  for (const MatrixUnit &unit : kMatrixUnits)
    if (unit.element == MatrixElement::tf32 && unit.isOf(chip))
      return chip.hasMatrixUnits;
  return false;
}

} // namespace tinygrad

#endif // TINYGRAD_SUPPORT_MATRIXUNITS_H
