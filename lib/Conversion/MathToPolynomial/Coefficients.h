//===- Coefficients.h - Coefficients of the math expansion ------*- C++ -*-===//
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

#ifndef TINYGRAD_LIB_CONVERSION_MATHTOPOLYNOMIAL_COEFFICIENTS_H
#define TINYGRAD_LIB_CONVERSION_MATHTOPOLYNOMIAL_COEFFICIENTS_H

#include <cstdint>

namespace mlir::tg::coefficients {

/// Q in 4^r = 1 + r Q(r) for |r| <= 1/2.
/// Largest relative error: 2^-26.15.
inline constexpr float kExp4[] = {
    0x1.62e432p+0f, 0x1.ebfbf8p-1f, 0x1.c6af9ep-2f,  0x1.3b1fe6p-3f,
    0x1.5dbe58p-5f, 0x1.481dcep-7f, 0x1.f49edep-10f,
};

/// Q in e^r = 1 + r Q(r) for |r| <= ln 2.
/// Largest relative error: 2^-26.04.
inline constexpr float kExp[] = {
    0x1p+0f,        0x1.00000cp-1f,  0x1.555514p-3f,  0x1.5549fp-5f,
    0x1.1126eap-7f, 0x1.71bef6p-10f, 0x1.9ba6dap-13f,
};

/// Q in log2(1 + f) = f + f Q(f) for 1 + f in [sqrt(1/2), sqrt(2)].
/// Largest relative error: 2^-27.02.
inline constexpr float kLog2[] = {
    0x1.c551dap-2f, -0x1.715476p-1f, 0x1.ec7022p-2f, -0x1.7156c6p-2f,
    0x1.278bbp-2f,  -0x1.eb6c08p-3f, 0x1.a21cf2p-3f, -0x1.818b8ap-3f,
    0x1.7eb34p-3f,  -0x1.dcc08p-4f,
};

/// Q in ln(1 + f) = f + f^2 Q(f) for 1 + f in [sqrt(1/2), sqrt(2)].
/// Largest relative error: 2^-27.83.
inline constexpr float kLog[] = {
    -0x1.fffff8p-2f, 0x1.55555p-2f,   -0x1.000438p-2f,
    0x1.99a41cp-3f,  -0x1.5423e8p-3f, 0x1.226c84p-3f,
    -0x1.0f520ap-3f, 0x1.087506p-3f,  -0x1.381392p-4f,
};

/// Q in sin(r) = r + r^3 Q(r^2) for |r| <= 0.82, more than pi / 4 to
/// leave room for a multiple of pi / 2 that is not the nearest one.
/// Largest relative error: 2^-27.44.
inline constexpr float kSin[] = {
    -0x1.55554p-3f,
    0x1.11054p-7f,
    -0x1.989cb8p-13f,
};

/// Q in cos(r) = 1 + r^2 Q(r^2) for |r| <= 0.82.
/// Largest relative error: 2^-32.25.
inline constexpr float kCos[] = {
    -0x1p-1f,
    0x1.555546p-5f,
    -0x1.6c09cep-10f,
    0x1.9941eep-16f,
};

/// Q in tanh(x) = x + x^3 Q(x^2) for |x| <= 0.625.
/// Largest relative error: 2^-27.72.
inline constexpr float kTanh[] = {
    -0x1.555532p-2f, 0x1.1106f6p-3f,  -0x1.b835a4p-5f,
    0x1.51f8cep-6f,  -0x1.750ce2p-8f,
};

/// Q in log2(1 + f) = f Q(f) for 1 + f in [sqrt(1/2), sqrt(2)].
/// Largest relative error: 2^-35.85.
inline constexpr double kPowLog2[] = {
    0x1.71547652a1e95p+0,  -0x1.715476565cebdp-1, 0x1.ec709ebb97bb7p-2,
    -0x1.71547097d4ed5p-2, 0x1.277651fb75b33p-2,  -0x1.ec72b587a8a18p-3,
    0x1.a63f4482a8492p-3,  -0x1.714171e63d884p-3, 0x1.4529182774eb2p-3,
    -0x1.252f2e81df5e2p-3, 0x1.2871e3f17ffb9p-3,  -0x1.248915e56faeep-3,
    0x1.3ce8f276dc15ep-4,
};

/// Q in 2^r = Q(r) for |r| <= 1/2.
/// Largest relative error: 2^-28.92.
inline constexpr double kPowExp2[] = {
    0x1p+0,
    0x1.62e430af293c4p-1,
    0x1.ebfbdc3c48be6p-3,
    0x1.c6aee88cf497ap-5,
    0x1.3b2d4cdcde368p-7,
    0x1.5f3e53881fda7p-10,
    0x1.41fbcb161fe61p-13,
};

/// pi / 2 as the sum of three numbers, the largest first.
inline constexpr float kHalfPi[] = {
    0x1.921fb6p+0f,
    -0x1.777a5cp-25f,
    -0x1.ee59dap-50f,
};

/// 2 ln 2 as the sum of two numbers; the first one times an integer of
/// up to 8 bits is exact.
inline constexpr float kTwoLn2[] = {
    0x1.62e4p+0f,
    0x1.7f7d1cp-19f,
};

/// ln 2 as the sum of two numbers; the first one times an integer of
/// up to 8 bits is exact.
inline constexpr float kLn2[] = {
    0x1.62e4p-1f,
    0x1.7f7d1cp-20f,
};

/// The bits of 1 / (2 pi), the first one worth 2^3 of them (four
/// leading zeros), 32 to a word.
inline constexpr uint32_t kInvTwoPiBits[] = {
    0x028be60du, 0xb9391054u, 0xa7f09d5fu, 0x47d4d377u,
    0x036d8a56u, 0x64f10e41u, 0x07f9458eu,
};

} // namespace mlir::tg::coefficients

#endif // TINYGRAD_LIB_CONVERSION_MATHTOPOLYNOMIAL_COEFFICIENTS_H
