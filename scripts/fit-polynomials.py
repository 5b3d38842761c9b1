#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes the coefficients of the polynomials in the file Coefficients.h of a
folder of lib/Conversion, MathToPolynomial or LinalgToTg, and prints that file.

    python3 -m venv /tmp/fit && /tmp/fit/bin/pip install mpmath
    for folder in MathToPolynomial LinalgToTg; do
      /tmp/fit/bin/python scripts/fit-polynomials.py $folder | clang-format \
          > lib/Conversion/$folder/Coefficients.h
    done

Method. Every polynomial is a minimax fit found with the exchange algorithm of
Remez: pick as many points as there are unknowns plus one, solve for the
coefficients that make the weighted error equal in size and alternating in sign
on them, exchange one of them for the point with the largest error, repeat until
no point is worse than those chosen. The weight turns the error of the
polynomial into the relative error of the function that is computed from it.

Coefficients are rounded to the format they are used in one after the other,
the lowest power first (it matters most); after each rounding the remaining ones
are fitted again, so that they make up for what the rounding cost. Where the
interval is wide on both sides of zero, the lowest coefficient alone decides the
error there, and all are rounded at once.

Everything is computed with 100 digits; the printed error bounds are those of
the rounded coefficients in exact arithmetic, that is without the rounding
errors of evaluating the polynomial in floating point.
"""

import bisect
import struct
import sys

from mpmath import mp, mpf, exp, expm1, log, log1p, sin, sqrt, tan, tanh, pi
from mpmath import asin, atan, atanh, cos, erf, erfc, floor, ldexp, lu_solve, matrix
from mpmath import workprec

mp.dps = 100
LN2 = log(2)
GRID = 600


def to_f32(value):
    """Rounds to the nearest f32."""
    return mpf(struct.unpack("f", struct.pack("f", float(value)))[0])


def to_f64(value):
    return mpf(float(value))


def remez(target, weight, lo, hi, powers, rounds=400):
    """Minimax fit of sum(c[i] * x**powers[i]) to target with the given weight."""
    count = len(powers)
    grid = [
        (lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (i + mpf(1) / 2) / GRID)
        for i in range(GRID)
    ]
    grid = [lo] + grid + [hi]
    targets = [target(x) for x in grid]
    weights = [abs(weight(x)) for x in grid]
    basis = [[x**p for p in powers] for x in grid]
    points = [
        round((1 - cos(pi * i / count)) / 2 * (len(grid) - 1))
        for i in range(count + 1)
    ]
    coefficients = None
    for _ in range(rounds):
        system = matrix(count + 1, count + 1)
        rhs = matrix(count + 1, 1)
        for row, g in enumerate(points):
            for col in range(count):
                system[row, col] = basis[g][col] * weights[g]
            system[row, count] = (-1) ** row
            rhs[row] = targets[g] * weights[g]
        solution = lu_solve(system, rhs)
        coefficients = [solution[i] for i in range(count)]
        level = abs(solution[count])
        errors = [
            (sum(c * b for c, b in zip(coefficients, bs)) - t) * w
            for bs, t, w in zip(basis, targets, weights)
        ]
        worst = max(range(len(grid)), key=lambda g: abs(errors[g]))
        if abs(errors[worst]) <= level * (1 + mpf(10) ** -4):
            break
        # Take the worst point in for a neighbor whose error has its sign; past
        # an end where the sign differs, shift all the points by one.
        sign = errors[worst] > 0
        after = bisect.bisect_left(points, worst)
        if after == 0:
            if (errors[points[0]] > 0) == sign:
                points[0] = worst
            else:
                points = [worst] + points[:-1]
        elif after == len(points):
            if (errors[points[-1]] > 0) == sign:
                points[-1] = worst
            else:
                points = points[1:] + [worst]
        elif (errors[points[after]] > 0) == sign:
            points[after] = worst
        else:
            points[after - 1] = worst
    else:
        raise RuntimeError("no convergence")
    return coefficients


def fit(target, weight, lo, hi, powers, rounding, fixed=()):
    """Remez with coefficients rounded one after the other; returns the
    coefficients and the largest weighted error."""
    done = list(fixed)
    for at in range(len(done), len(powers)):
        # Dividing by the power that is now the lowest keeps the error of what
        # is left to fit free of sign changes that no coefficient can influence.
        base = powers[at]
        coefficients = remez(
            lambda x: (target(x) - sum(c * x**p for c, p in zip(done, powers)))
            / x**base,
            lambda x: weight(x) * x**base,
            lo,
            hi,
            [p - base for p in powers[at:]],
        )
        done.append(rounding(coefficients[0]))
    return done, largest_error(target, weight, lo, hi, powers, done)


def fit_rounded_at_once(target, weight, lo, hi, powers, rounding):
    """The same with coefficients that are rounded after one fit."""
    fitted = remez(target, weight, lo, hi, powers, rounds=3000)
    done = [rounding(c) for c in fitted]
    return done, largest_error(target, weight, lo, hi, powers, done)


def largest_error(target, weight, lo, hi, powers, coefficients):
    """The largest weighted error of a polynomial."""
    worst = mpf(0)
    for i in range(4 * GRID + 1):
        x = lo + (hi - lo) * i / (4 * GRID) + mpf(10) ** -30
        value = sum(c * x**p for c, p in zip(coefficients, powers))
        worst = max(worst, abs((value - target(x)) * weight(x)))
    return worst


def hex_f(value):
    mantissa, exponent = float(value).hex().split("p")
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent


def emit(name, ctype, comment, result):
    coefficients, worst = result
    print(f"/// {comment}")
    print(f"/// Largest relative error: 2^{float(log(worst, 2)):.2f}.")
    suffix = "f" if ctype == "float" else ""
    print(f"inline constexpr {ctype} {name}[] = {{")
    for c in coefficients:
        print(f"    {hex_f(c)}{suffix},")
    print("};\n")


def emit_split(name, value, comment, bits, parts):
    """Prints value as a sum of parts with the given numbers of bits each."""
    print(f"/// {comment}")
    print(f"inline constexpr float {name}[] = {{")
    rest = value
    for part in range(parts):
        piece = to_f32(rest)
        if bits and part < len(bits) and bits[part]:
            exponent = int(floor(log(abs(rest), 2)))
            unit = mpf(2) ** (exponent - bits[part] + 1)
            piece = floor(rest / unit + mpf(1) / 2) * unit
            assert to_f32(piece) == piece
        print(f"    {hex_f(piece)}f,")
        rest -= piece
    print("};\n")


def emit_wide_split(name, value, what, parts):
    """Prints value as a sum of f64."""
    numbers = {2: "two numbers, the larger", 3: "three numbers, the largest"}
    print(f"/// {what} as the sum of {numbers[parts]} first.")
    print(f"inline constexpr double {name}[] = {{")
    for _ in range(parts):
        piece = to_f64(value)
        print(f"    {hex_f(piece)},")
        value -= piece
    print("};\n")


def emit_words(name, value, count, bits):
    """Prints the words of an integer, the highest first."""
    print(f"inline constexpr uint{bits}_t {name}[] = {{")
    for word in reversed(range(count)):
        digits = (value >> (bits * word)) & ((1 << bits) - 1)
        print(f"    0x{digits:0{bits // 4}x}u,")
    print("};\n")


HEADER = """\
{title}
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \\file
/// Written by scripts/fit-polynomials.py, which also says how the numbers are
/// found. Change the script, not this file. Polynomials start with the lowest
/// power.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_CONVERSION_{guard}_COEFFICIENTS_H
#define TINYGRAD_LIB_CONVERSION_{guard}_COEFFICIENTS_H
{includes}
namespace {namespace} {{
"""

FOOTER = """\
}} // namespace {namespace}

#endif // TINYGRAD_LIB_CONVERSION_{guard}_COEFFICIENTS_H"""


def print_header(what, includes, **names):
    title = f"//===- Coefficients.h - Coefficients of {what} ".ljust(65, "-")
    title += "*- C++ -*-===//"
    print(HEADER.format(title=title, includes=includes, **names))


def print_linalg_to_tg():
    """The functions that convert-linalg-to-tg composes."""
    names = dict(namespace="mlir::tg::linalgtotg::coefficients", guard="LINALGTOTG")
    print_header("composed functions", "", **names)
    center, end = mpf("3.75"), mpf(28)

    def scaled_erfc(t):
        x = center * (1 + t) / (1 - t)
        return erfc(x) * exp(x * x) * (1 + 2 * x)

    print("/// The center k of kErfc, and the end of its interval, behind which the")
    print("/// function is zero in f64.")
    print(f"inline constexpr double kErfcCenter = {hex_f(center)};")
    print(f"inline constexpr double kErfcEnd = {hex_f(end)};\n")
    emit(
        "kErfc",
        "double",
        "P in erfc(x) = e^(-x^2) P((x - k) / (x + k)) / (1 + 2 x) for x in\n"
        "/// [0, 28].",
        fit_rounded_at_once(
            scaled_erfc,
            lambda t: 1 / scaled_erfc(t),
            mpf(-1),
            (end - center) / (end + center),
            range(23),
            to_f64,
        ),
    )
    print(FOOTER.format(**names))


def print_math_to_polynomial():
    """The functions of tg-expand-math."""
    names = dict(namespace="mlir::tg::coefficients", guard="MATHTOPOLYNOMIAL")
    print_header("the math expansion", "\n#include <cstdint>\n", **names)
    half = mpf(1) / 2
    slack = mpf(2) ** -12
    emit(
        "kExp4",
        "float",
        "Q in 4^r = 1 + r Q(r) for |r| <= 1/2.",
        fit(
            lambda r: expm1(2 * r * LN2) / r,
            lambda r: r / exp(2 * r * LN2),
            -half - slack,
            half + slack,
            range(7),
            to_f32,
        ),
    )
    emit(
        "kExp",
        "float",
        "Q in e^r = 1 + r Q(r) for |r| <= (ln 2) / 2.",
        fit(
            lambda r: expm1(r) / r,
            lambda r: r / exp(r),
            -LN2 / 2 - slack,
            LN2 / 2 + slack,
            range(6),
            to_f32,
        ),
    )
    emit(
        "kExpM1",
        "float",
        "Q in e^r - 1 = r + r^2 Q(r) for |r| <= (ln 2) / 2.",
        fit(
            lambda r: (expm1(r) - r) / r**2,
            lambda r: r**2 / expm1(r),
            -LN2 / 2 - slack,
            LN2 / 2 + slack,
            range(5),
            to_f32,
        ),
    )
    lo, hi = sqrt(half) - 1, sqrt(mpf(2)) - 1
    emit(
        "kLog2",
        "float",
        "Q in log2(1 + f) = f + f Q(f) for 1 + f in [sqrt(1/2), sqrt(2)].",
        fit(
            lambda f: log1p(f) / LN2 / f - 1,
            lambda f: f * LN2 / log1p(f),
            lo,
            hi,
            range(10),
            to_f32,
        ),
    )
    emit(
        "kLog",
        "float",
        "Q in ln(1 + f) = f + f^2 Q(f) for 1 + f in [sqrt(1/2), sqrt(2)].",
        fit(
            lambda f: (log1p(f) - f) / f**2,
            lambda f: f**2 / log1p(f),
            lo,
            hi,
            range(9),
            to_f32,
        ),
    )
    emit(
        "kLog1p",
        "float",
        "The same for 1 + f in [3/4, 3/2].",
        fit(
            lambda f: (log1p(f) - f) / f**2,
            lambda f: f**2 / log1p(f),
            -half / 2,
            half,
            range(9),
            to_f32,
        ),
    )
    reach = mpf("0.82") ** 2
    emit(
        "kSin",
        "float",
        "Q in sin(r) = r + r^3 Q(r^2) for |r| <= 0.82, more than pi / 4 to\n"
        "/// leave room for a multiple of pi / 2 that is not the nearest one.",
        fit(
            lambda s: (sin(sqrt(s)) / sqrt(s) - 1) / s,
            lambda s: s * sqrt(s) / sin(sqrt(s)),
            mpf(10) ** -20,
            reach,
            range(3),
            to_f32,
        ),
    )
    emit(
        "kCos",
        "float",
        "Q in cos(r) = 1 + r^2 Q(r^2) for |r| <= 0.82.",
        fit(
            lambda s: (cos(sqrt(s)) - 1) / s,
            lambda s: s / cos(sqrt(s)),
            mpf(10) ** -20,
            reach,
            range(4),
            to_f32,
            fixed=(-half,),
        ),
    )
    emit(
        "kTanh",
        "float",
        "Q in tanh(x) = x + x^3 Q(x^2) for |x| <= 0.625.",
        fit(
            lambda s: (tanh(sqrt(s)) / sqrt(s) - 1) / s,
            lambda s: s * sqrt(s) / tanh(sqrt(s)),
            mpf(10) ** -20,
            mpf("0.625") ** 2,
            range(5),
            to_f32,
        ),
    )
    emit(
        "kTan",
        "float",
        "Q in tan(r) = r + r^3 Q(r^2) for |r| <= 0.82.",
        fit(
            lambda s: (tan(sqrt(s)) / sqrt(s) - 1) / s,
            lambda s: s * sqrt(s) / tan(sqrt(s)),
            mpf(10) ** -20,
            reach,
            range(7),
            to_f32,
        ),
    )
    emit(
        "kAsin",
        "float",
        "Q in asin(x) = x + x^3 Q(x^2) for |x| <= 1/2.",
        fit(
            lambda s: (asin(sqrt(s)) / sqrt(s) - 1) / s,
            lambda s: s * sqrt(s) / asin(sqrt(s)),
            mpf(10) ** -20,
            mpf(1) / 4 + slack,
            range(5),
            to_f32,
        ),
    )
    emit(
        "kAtan",
        "float",
        "Q in atan(x) = x + x^3 Q(x^2) for |x| <= 1.",
        fit(
            lambda s: (atan(sqrt(s)) / sqrt(s) - 1) / s,
            lambda s: s * sqrt(s) / atan(sqrt(s)),
            mpf(10) ** -20,
            mpf(1),
            range(9),
            to_f32,
        ),
    )
    emit(
        "kErf",
        "float",
        "Q in erf(x) = x + x Q(x^2) for |x| <= 1.",
        fit(
            lambda s: erf(sqrt(s)) / sqrt(s) - 1,
            lambda s: sqrt(s) / erf(sqrt(s)),
            mpf(10) ** -20,
            mpf(1),
            range(7),
            to_f32,
        ),
    )
    emit(
        "kLogErfc",
        "float",
        "P in erf(x) = 1 - e^P(x) for x in [1, 4].",
        fit(
            lambda x: log(erfc(x)),
            lambda x: erfc(x) / erf(x),
            mpf(1),
            mpf(4),
            range(7),
            to_f32,
        ),
    )
    emit(
        "kPowLog2",
        "double",
        "Q in log2(1 + f) = f Q(f) for 1 + f in [sqrt(1/2), sqrt(2)].",
        fit(
            lambda f: log1p(f) / LN2 / f,
            lambda f: f * LN2 / log1p(f),
            lo,
            hi,
            range(13),
            to_f64,
        ),
    )
    emit(
        "kPowExp2",
        "double",
        "Q in 2^r = Q(r) for |r| <= 1/2.",
        fit(
            lambda r: exp(r * LN2),
            lambda r: exp(-r * LN2),
            -half,
            half,
            range(7),
            to_f64,
            fixed=(mpf(1),),
        ),
    )
    emit(
        "kWideExp",
        "double",
        "Q in e^r = 1 + r Q(r) for |r| <= (ln 2) / 2.",
        fit(
            lambda r: expm1(r) / r,
            lambda r: r / exp(r),
            -LN2 / 2 - slack,
            LN2 / 2 + slack,
            range(11),
            to_f64,
        ),
    )
    emit(
        "kWideExp2",
        "double",
        "Q in 2^r = 1 + r Q(r) for |r| <= 1/2.",
        fit(
            lambda r: expm1(r * LN2) / r,
            lambda r: r / exp(r * LN2),
            -half - slack,
            half + slack,
            range(11),
            to_f64,
        ),
    )
    emit(
        "kWideExpM1",
        "double",
        "Q in e^r - 1 = r + r^2 Q(r) for |r| <= (ln 2) / 2.",
        fit(
            lambda r: (expm1(r) - r) / r**2,
            lambda r: r**2 / expm1(r),
            -LN2 / 2 - slack,
            LN2 / 2 + slack,
            range(11),
            to_f64,
        ),
    )
    emit(
        "kWideLog",
        "double",
        "Q in ln((1 + s) / (1 - s)) = 2 s + s^3 Q(s^2) for |s| <= 0.1716.",
        fit(
            lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z,
            lambda z: z * sqrt(z) / (2 * atanh(sqrt(z))),
            mpf(10) ** -20,
            mpf("0.17165") ** 2,
            range(7),
            to_f64,
        ),
    )
    emit(
        "kWidePowLog",
        "double",
        "Q in ln((1 + s) / (1 - s)) = 2 s + s^3 (2 / 3 + s^2 Q(s^2)) for\n"
        "/// |s| <= 0.1716.",
        fit(
            lambda z: ((2 * atanh(sqrt(z)) / sqrt(z) - 2) / z - mpf(2) / 3) / z,
            lambda z: z * z * sqrt(z) / (2 * atanh(sqrt(z))),
            mpf(10) ** -20,
            mpf("0.17165") ** 2,
            range(8),
            to_f64,
        ),
    )
    emit(
        "kWideSin",
        "double",
        "Q in sin(r) = r + r^3 Q(r^2) for |r| <= 0.79.",
        fit(
            lambda s: (sin(sqrt(s)) / sqrt(s) - 1) / s,
            lambda s: s * sqrt(s) / sin(sqrt(s)),
            mpf(10) ** -20,
            mpf("0.79") ** 2,
            range(6),
            to_f64,
        ),
    )
    emit(
        "kWideCos",
        "double",
        "Q in cos(r) = 1 + r^2 Q(r^2) for |r| <= 0.79.",
        fit(
            lambda s: (cos(sqrt(s)) - 1) / s,
            lambda s: s / cos(sqrt(s)),
            mpf(10) ** -20,
            mpf("0.79") ** 2,
            range(7),
            to_f64,
            fixed=(-half,),
        ),
    )
    emit(
        "kWideAsin",
        "double",
        "Q in asin(x) = x + x^3 Q(x^2) for |x| <= 1/2.",
        fit(
            lambda s: (asin(sqrt(s)) / sqrt(s) - 1) / s,
            lambda s: s * sqrt(s) / asin(sqrt(s)),
            mpf(10) ** -20,
            mpf(1) / 4 + slack,
            range(13),
            to_f64,
        ),
    )
    emit(
        "kWideAtan",
        "double",
        "Q in atan(x) = x + x^3 Q(x^2) for |x| <= 1/2.",
        fit(
            lambda s: (atan(sqrt(s)) / sqrt(s) - 1) / s,
            lambda s: s * sqrt(s) / atan(sqrt(s)),
            mpf(10) ** -20,
            mpf(1) / 4 + slack,
            range(12),
            to_f64,
        ),
    )
    emit(
        "kWideErf",
        "double",
        "Q in erf(x) = x + x Q(x^2) for |x| <= 1.",
        fit(
            lambda s: erf(sqrt(s)) / sqrt(s) - 1,
            lambda s: sqrt(s) / erf(sqrt(s)),
            mpf(10) ** -20,
            mpf(1),
            range(15),
            to_f64,
        ),
    )
    emit(
        "kWideLogErfc",
        "double",
        "P in erf(x) = 1 - e^P(x) for x in [1, 6].",
        fit(
            lambda x: log(erfc(x)),
            lambda x: erfc(x) / erf(x),
            mpf(1),
            mpf(6),
            range(18),
            to_f64,
        ),
    )
    emit_split(
        "kHalfPi",
        pi / 2,
        "pi / 2 as the sum of three numbers, the largest first.",
        None,
        3,
    )
    emit_wide_split("kWideHalfPi", pi / 2, "pi / 2", 3)
    emit_wide_split("kWideLog2E", 1 / LN2, "log2(e)", 2)
    emit_wide_split("kWideTwoThirds", mpf(2) / 3, "2 / 3", 2)
    emit_split(
        "kLn2",
        LN2,
        "ln 2 as the sum of two numbers; the first one times an integer of\n"
        "/// up to 8 bits is exact.",
        [16],
        2,
    )
    high = floor(ldexp(LN2, 40)) / 2**40
    print("/// ln 2 as the sum of two numbers; the first one times an integer of")
    print("/// up to 12 bits is exact.")
    print("inline constexpr double kWideLn2[] = {")
    for part in (high, to_f64(LN2 - high)):
        print(f"    {hex_f(part)},")
    print("};\n")
    words = 7
    scaled = int(floor(ldexp(1 / (2 * pi), 32 * words - 4)))
    print("/// The bits of 1 / (2 pi), the first one worth 2^3 of them (four")
    print("/// leading zeros), 32 to a word.")
    emit_words("kInvTwoPiBits", scaled, words, 32)
    words = 20
    with workprec(64 * words):
        scaled = int(floor(ldexp(2 / pi, 64 * words - 14)))
    print("/// The bits of 2 / pi, the first one worth 2^13 (14 leading zeros),")
    print("/// 64 to a word.")
    emit_words("kTwoOverPiBits", scaled, words, 64)
    print(FOOTER.format(**names))


def main():
    folders = {
        "MathToPolynomial": print_math_to_polynomial,
        "LinalgToTg": print_linalg_to_tg,
    }
    if len(sys.argv) != 2 or sys.argv[1] not in folders:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(folders)}")
    folders[sys.argv[1]]()


if __name__ == "__main__":
    main()
