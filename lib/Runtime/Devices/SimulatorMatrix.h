//===- SimulatorMatrix.h - simulated matrix operations ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the simulator: what matrix operations of GPUs compute from the
/// registers of all lanes of a subgroup.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORMATRIX_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORMATRIX_H

#include "TinyGrad/Support/MatrixUnits.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tinygrad::detail {

/// The registers that a lane gives to a matrix operation.
struct MatrixRegisters {
  const char *a = nullptr, *b = nullptr;
  char *c = nullptr; ///< becomes the result
};

/// The row and column of the element in a register of a lane, as the vendor
/// documents it: of matrix `a`, `b` or `c`. Written independently of the table
/// of operations, which code generators use.
std::pair<int64_t, int64_t> getDocumentedElement(const MatrixUnit &unit,
                                                 char matrix, int64_t lane,
                                                 int64_t number);

/// The address of an element of so many bytes in shared memory that a
/// descriptor of wgmma describes: at a row of A (a column of B) and a position
/// of the depth. `isTransposed` says that rows in memory are along the former,
/// as those of elements of 2 bytes may be. Nothing if the descriptor has a form
/// that the simulator does not know.
std::optional<std::size_t> getDocumentedAddress(uint64_t descriptor,
                                                int64_t bytes,
                                                bool isTransposed, int64_t side,
                                                int64_t depth);

/// C becomes A * B + C. There are as many lanes as the operation has.
void multiplyMatrices(const MatrixUnit &unit, const MatrixRegisters *lanes);

/// The same for wgmma: A is in rows, and B in rows along the depth, one for
/// each column. `sums` are the registers of C of all 128 lanes.
void multiplyWarpgroup(const MatrixUnit &unit, const char *a, const char *b,
                       const std::array<char *, 128> &sums);

/// ldmatrix: 8x8 matrices of 16 bits each, of which lane 8 * i + j gives the
/// address of row j of matrix i. Lane l gets the elements 2 * (l % 4) and the
/// next one of row l / 4 of each matrix, or of column l / 4 if they are
/// transposed.
void loadMatrices(int64_t numMatrices, bool isTransposed,
                  const std::array<const char *, 32> &rows,
                  const std::array<char *, 32> &results);

/// ds_read_b64_tr_b16 of gfx950: each lane reads a piece of 8 bytes, four
/// elements. Of 16 lanes, four that follow one another read a row of 16
/// elements, so that these lanes have four rows. The lane i of them gets the
/// elements of column i, from the first row on. `bytes` are those of an
/// element; with other sizes, a row is read by more or fewer lanes.
void readTransposed(std::size_t bytes, const std::vector<const char *> &pieces,
                    const std::vector<char *> &results);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_SIMULATORMATRIX_H
