//===- Coefficients.h - Coefficients of composed functions ------*- C++ -*-===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Written by scripts/fit-polynomials.py, which also says how the numbers are
/// found. Change the script, not this file. Polynomials start with the lowest
/// power.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_LINALGTOTG_COEFFICIENTS_H
#define TINYGRAD_LIB_CONVERSION_LINALGTOTG_COEFFICIENTS_H

namespace mlir::tg::linalgtotg::coefficients {

/// The center k of kErfc, and the end of its interval, behind which the
/// function is zero in f64.
inline constexpr double kErfcCenter = 0x1.ep+1;
inline constexpr double kErfcEnd = 0x1.cp+4;

/// P in erfc(x) = e^(-x^2) P((x - k) / (x + k)) / (1 + 2 x) for x in
/// [0, 28].
/// Largest relative error: 2^-52.98.
inline constexpr double kErfc[] = {
    0x1.3ccda0b5d5dc2p+0,   -0x1.1f367683f899bp-3,  0x1.d5f29481594bdp-9,
    0x1.510169d095cbfp-4,   -0x1.bda9309a27ac2p-4,  0x1.7a14188ab2042p-4,
    -0x1.e0d0fa6e1f613p-5,  0x1.d0b00377b90aep-6,   -0x1.3f603c3096885p-7,
    0x1.cc3a118248bc4p-10,  0x1.33fb24b81b945p-12,  -0x1.303fe698dba4bp-12,
    0x1.b143b85a6df04p-15,  0x1.7799d9e3a3f6ap-16,  -0x1.7ffaf4ac332d6p-17,
    -0x1.07500c19a6b32p-20, 0x1.d56ad83f9be33p-20,  -0x1.9419d806279b1p-25,
    -0x1.0f86867314063p-22, 0x1.031934d5aa817p-26,  0x1.192740e83fc9fp-25,
    -0x1.33f6fe43a6c59p-31, -0x1.3a9d2c89cc0a6p-29,
};

} // namespace mlir::tg::linalgtotg::coefficients

#endif // TINYGRAD_LIB_CONVERSION_LINALGTOTG_COEFFICIENTS_H
