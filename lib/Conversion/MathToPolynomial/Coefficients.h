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

/// Q in e^r = 1 + r Q(r) for |r| <= (ln 2) / 2.
/// Largest relative error: 2^-28.25.
inline constexpr float kExp[] = {
    0x1p+0f,        0x1.fffffcp-2f, 0x1.555492p-3f,
    0x1.5558b2p-5f, 0x1.12399ep-7f, 0x1.6a4c32p-10f,
};

/// Q in e^r - 1 = r + r^2 Q(r) for |r| <= (ln 2) / 2.
/// Largest relative error: 2^-26.12.
inline constexpr float kExpM1[] = {
    0x1.fffffep-2f, 0x1.5554b4p-3f,  0x1.5556f2p-5f,
    0x1.122554p-7f, 0x1.6b9c8cp-10f,
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

/// The same for 1 + f in [3/4, 3/2].
/// Largest relative error: 2^-27.60.
inline constexpr float kLog1p[] = {
    -0x1p-1f,        0x1.5555a4p-2f,  -0x1.00004ap-2f,
    0x1.99699ep-3f,  -0x1.54ed96p-3f, 0x1.28807ap-3f,
    -0x1.0d98f2p-3f, 0x1.acf4b8p-4f,  -0x1.71e34cp-5f,
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

/// Q in tan(r) = r + r^3 Q(r^2) for |r| <= 0.82.
/// Largest relative error: 2^-28.40.
inline constexpr float kTan[] = {
    0x1.55556cp-2f, 0x1.110a74p-3f,   0x1.bb66b2p-5f, 0x1.572a44p-6f,
    0x1.7f4168p-7f, -0x1.01aacap-10f, 0x1.40de08p-8f,
};

/// Q in asin(x) = x + x^3 Q(x^2) for |x| <= 1/2.
/// Largest relative error: 2^-27.60.
inline constexpr float kAsin[] = {
    0x1.5555cap-3f, 0x1.33015ep-4f, 0x1.748cbap-5f,
    0x1.8b8e36p-6f, 0x1.59f912p-5f,
};

/// Q in atan(x) = x + x^3 Q(x^2) for |x| <= 1.
/// Largest relative error: 2^-28.51.
inline constexpr float kAtan[] = {
    -0x1.55553ep-2f, 0x1.9991e4p-3f,  -0x1.242086p-3f,
    0x1.c08c5p-4f,   -0x1.580932p-4f, 0x1.da2abep-5f,
    -0x1.fd80a4p-6f, 0x1.642948p-7f,  -0x1.d365d2p-10f,
};

/// Q in erf(x) = x + x Q(x^2) for |x| <= 1.
/// Largest relative error: 2^-29.39.
inline constexpr float kErf[] = {
    0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2ce6p-4f,  -0x1.b7f71ap-6f,
    0x1.53f224p-8f, -0x1.a3515ep-11f, 0x1.4771fcp-14f,
};

/// P in erf(x) = 1 - e^P(x) for x in [1, 4].
/// Largest relative error: 2^-29.79.
inline constexpr float kLogErfc[] = {
    -0x1.66220cp-12f, -0x1.2088eap+0f, -0x1.46baecp-1f, -0x1.a65352p-4f,
    0x1.65cbbep-6f,   -0x1.825becp-9f, 0x1.86dfccp-13f,
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

/// Q in e^r = 1 + r Q(r) for |r| <= (ln 2) / 2.
/// Largest relative error: 2^-57.91.
inline constexpr double kWideExp[] = {
    0x1p+0,
    0x1.000000000000ap-1,
    0x1.5555555555509p-3,
    0x1.555555555075cp-5,
    0x1.1111111124fe2p-7,
    0x1.6c16c1844d7dbp-10,
    0x1.a01a0135cb39cp-13,
    0x1.a01999ccb99ddp-16,
    0x1.71df10bd43b5bp-19,
    0x1.28ad9fc727142p-22,
    0x1.ad9a99a45dd37p-26,
};

/// Q in 2^r = 1 + r Q(r) for |r| <= 1/2.
/// Largest relative error: 2^-57.76.
inline constexpr double kWideExp2[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c59dp-3,  0x1.c6b08d704a0e1p-5,
    0x1.3b2ab6fba104ep-7,  0x1.5d87fe78b16c2p-10, 0x1.4309130c40f99p-13,
    0x1.ffcbfc0243cacp-17, 0x1.62bfcd58ee327p-20, 0x1.b525fca6c1c2cp-24,
    0x1.e6126c69926fep-28, 0x1.e8254c4de9fe9p-32,
};

/// Q in e^r - 1 = r + r^2 Q(r) for |r| <= (ln 2) / 2.
/// Largest relative error: 2^-61.62.
inline constexpr double kWideExpM1[] = {
    0x1p-1,
    0x1.5555555555559p-3,
    0x1.5555555555558p-5,
    0x1.111111110f70cp-7,
    0x1.6c16c16c1728dp-10,
    0x1.a01a01af9ff83p-13,
    0x1.a01a019ab8f2fp-16,
    0x1.71ddf9241b119p-19,
    0x1.27e5005dfe0b2p-22,
    0x1.af5d3be27f2a2p-26,
    0x1.1f2dabc1f79dap-29,
};

/// Q in ln((1 + s) / (1 - s)) = 2 s + s^3 Q(s^2) for |s| <= 0.1716.
/// Largest relative error: 2^-59.48.
inline constexpr double kWideLog[] = {
    0x1.5555555555593p-1, 0x1.999999997f9d2p-2, 0x1.249249422e5afp-2,
    0x1.c71c51d2f9a09p-3, 0x1.74664af8a40d3p-3, 0x1.39a06d305b545p-3,
    0x1.2f135ae7fef4dp-3,
};

/// Q in ln((1 + s) / (1 - s)) = 2 s + s^3 (2 / 3 + s^2 Q(s^2)) for
/// |s| <= 0.1716.
/// Largest relative error: 2^-73.47.
inline constexpr double kWidePowLog[] = {
    0x1.9999999999996p-2, 0x1.2492492492f54p-2, 0x1.c71c71c595f3ep-3,
    0x1.745d1829b85e5p-3, 0x1.3b1364aa5a69fp-3, 0x1.1120746b9ea9p-3,
    0x1.de3c87da56d0cp-4, 0x1.eacddd9331d09p-4,
};

/// Q in sin(r) = r + r^3 Q(r^2) for |r| <= 0.79.
/// Largest relative error: 2^-57.77.
inline constexpr double kWideSin[] = {
    -0x1.5555555555547p-3, 0x1.111111110f595p-7,   -0x1.a01a019bb4446p-13,
    0x1.71de352632461p-19, -0x1.ae5e25f402cb8p-26, 0x1.5d803dff2f75dp-33,
};

/// Q in cos(r) = 1 + r^2 Q(r^2) for |r| <= 0.79.
/// Largest relative error: 2^-63.82.
inline constexpr double kWideCos[] = {
    -0x1p-1,
    0x1.555555555554ap-5,
    -0x1.6c16c16c14df7p-10,
    0x1.a01a019c5abcep-16,
    -0x1.27e4f7cbcbed5p-22,
    0x1.1ee9c216b0178p-29,
    -0x1.8f9924d8ff96ep-37,
};

/// Q in asin(x) = x + x^3 Q(x^2) for |x| <= 1/2.
/// Largest relative error: 2^-59.82.
inline constexpr double kWideAsin[] = {
    0x1.5555555555578p-3, 0x1.333333332df04p-4, 0x1.6db6db722d3c7p-5,
    0x1.f1c71a8a86f45p-6, 0x1.6e8be0104507bp-6, 0x1.1c49da5091bb9p-6,
    0x1.ca21aebd9cc8ap-7, 0x1.7573977102556p-7, 0x1.61a3f525de07fp-7,
    0x1.dfb18e0da447ap-9, 0x1.6590a2cb0248ap-6, -0x1.5ad2786e1832ep-6,
    0x1.0c2eb0f51ac08p-5,
};

/// Q in atan(x) = x + x^3 Q(x^2) for |x| <= 1/2.
/// Largest relative error: 2^-57.75.
inline constexpr double kWideAtan[] = {
    -0x1.5555555555515p-2, 0x1.9999999990f46p-3,  -0x1.249249215316dp-3,
    0x1.c71c708d46756p-4,  -0x1.745cf470c7805p-4, 0x1.3b1138406e716p-4,
    -0x1.10f2e729ff944p-4, 0x1.dfe6859b444fbp-5,  -0x1.a38b58418a159p-5,
    0x1.56d13d9102171p-5,  -0x1.c10abe69bc243p-6, 0x1.4ae0611f1eda4p-7,
};

/// Q in erf(x) = x + x Q(x^2) for |x| <= 1.
/// Largest relative error: 2^-56.32.
inline constexpr double kWideErf[] = {
    0x1.06eba8214db69p-3,   -0x1.812746b037a3dp-2,  0x1.ce2f21a0481f4p-4,
    -0x1.b82ce314a7105p-6,  0x1.565bcd7e1021bp-8,   -0x1.c02dcf931feep-11,
    0x1.f9a791ab9406bp-14,  -0x1.f54d6814f1fa1p-17, 0x1.c33d606ecee08p-20,
    -0x1.df55acff02836p-23, 0x1.72f6b439924d4p-24,  -0x1.0310178ff3935p-24,
    0x1.12fc46b502475p-25,  -0x1.5d352a084e028p-27, 0x1.8cde46457e1dp-30,
};

/// P in erf(x) = 1 - e^P(x) for x in [1, 6].
/// Largest relative error: 2^-57.02.
inline constexpr double kWideLogErfc[] = {
    -0x1.0df39e2b7e7e4p-21, -0x1.20dd1fd4fff7ap+0,  -0x1.45f6274a7dfa5p-1,
    -0x1.a4ac5d6595193p-4,  0x1.37229b0d837a3p-6,   0x1.ae9124b419891p-12,
    -0x1.f6404a8e035cap-10, 0x1.94093b16e1487p-11,  -0x1.1b36d95ad56p-13,
    -0x1.540b176259e16p-16, 0x1.7ee830ac012e9p-16,  -0x1.22d3a07ab678ep-17,
    0x1.1ea65ad633898p-19,  -0x1.90d5f46770229p-22, 0x1.8ec604b0a9089p-25,
    -0x1.0e5cbe36ef7d2p-28, 0x1.c1b1b5f35d579p-33,  -0x1.5ad254beb6584p-38,
};

/// pi / 2 as the sum of three numbers, the largest first.
inline constexpr float kHalfPi[] = {
    0x1.921fb6p+0f,
    -0x1.777a5cp-25f,
    -0x1.ee59dap-50f,
};

/// pi / 2 as the sum of three numbers, the largest first.
inline constexpr double kWideHalfPi[] = {
    0x1.921fb54442d18p+0,
    0x1.1a62633145c07p-54,
    -0x1.f1976b7ed8fbcp-110,
};

/// log2(e) as the sum of two numbers, the larger first.
inline constexpr double kWideLog2E[] = {
    0x1.71547652b82fep+0,
    0x1.777d0ffda0d24p-56,
};

/// 2 / 3 as the sum of two numbers, the larger first.
inline constexpr double kWideTwoThirds[] = {
    0x1.5555555555555p-1,
    0x1.5555555555555p-55,
};

/// ln 2 as the sum of two numbers; the first one times an integer of
/// up to 8 bits is exact.
inline constexpr float kLn2[] = {
    0x1.62e4p-1f,
    0x1.7f7d1cp-20f,
};

/// ln 2 as the sum of two numbers; the first one times an integer of
/// up to 12 bits is exact.
inline constexpr double kWideLn2[] = {
    0x1.62e42fefa2p-1,
    0x1.9ef35793c7673p-41,
};

/// The bits of 1 / (2 pi), the first one worth 2^3 of them (four
/// leading zeros), 32 to a word.
inline constexpr uint32_t kInvTwoPiBits[] = {
    0x028be60du, 0xb9391054u, 0xa7f09d5fu, 0x47d4d377u,
    0x036d8a56u, 0x64f10e41u, 0x07f9458eu,
};

/// The bits of 2 / pi, the first one worth 2^13 (14 leading zeros),
/// 64 to a word.
inline constexpr uint64_t kTwoOverPiBits[] = {
    0x00028be60db93910u, 0x54a7f09d5f47d4d3u, 0x77036d8a5664f10eu,
    0x4107f9458eaf7aefu, 0x1586dc91b8e90937u, 0x4b801924bba82746u,
    0x4873f877ac72c4a6u, 0x9cfba208d7d4baedu, 0x1213a671c09ad17du,
    0xf904e64758e60d4cu, 0xe7d272117e2ef7e4u, 0xa0ec7fe25fff7816u,
    0x603fbcbc462d6829u, 0xb47db4d9fb3c9f2cu, 0x26dd3d18fd9a797fu,
    0xa8b5d49eeb1faf97u, 0xc5ecf41ce7de294au, 0x4ba9afed7ec47e35u,
    0x7421580cc11bf1edu, 0xaeafc33ef0826bd0u,
};

} // namespace mlir::tg::coefficients

#endif // TINYGRAD_LIB_CONVERSION_MATHTOPOLYNOMIAL_COEFFICIENTS_H
