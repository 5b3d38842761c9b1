"""Special functions of PyTorch's graphs. They are entries of the tables of torch_operations, and are
computed in float64, with a relative error of about 1e-14 but near their zeros."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.torch_operations import REFUSALS, operation

# Coefficients of sums of Chebyshev's polynomials. Of log(erfcx(x) / t) in 2 t - 1, with t = 2 / (x + 2):
_ERFC = (
    -0.6513268598908547,
    0.6419697923564902,
    0.019476473204185836,
    -0.009561514786808632,
    -0.0009465953444820369,
    0.00036683949785276145,
    4.252332480690777e-05,
    -2.0278578112534242e-05,
    -1.6242900046470256e-06,
    1.3036558355805232e-06,
    1.5626441722066142e-08,
    -8.523809591492654e-08,
    6.5290544390988515e-09,
    5.059343495551469e-09,
    -9.91364156493033e-10,
    -2.273651222931836e-10,
    9.646791102015527e-11,
    2.3940380830391146e-12,
    -6.886027526497553e-12,
    8.944879273090725e-13,
    3.130921399342958e-13,
    -1.1270822361367252e-13,
    3.810905255189232e-16,
    7.106097613609237e-15,
    -1.5230282014571043e-15,
    -9.457494571291233e-17,
    1.210237189224279e-16,
    -2.816663087747177e-17,
)
# Of i0e(x) below 8, of its product with the root of x above, and of i1e in the same way:
_I0_BELOW_8 = (
    0.33839763720473803,
    -0.3046826723431984,
    0.17162090152220877,
    -0.09490109704804764,
    0.04930528423967071,
    -0.02373741480589947,
    0.010546460394594998,
    -0.004324309995050576,
    0.0016394756169413357,
    -0.0005763755745385824,
    0.00018850288509584165,
    -5.754195010082104e-05,
    1.6448448070728896e-05,
    -4.4167383584587505e-06,
    1.1173875391201037e-06,
    -2.670793853940612e-07,
    6.046995022541919e-08,
    -1.300025009986248e-08,
    2.6598237246823866e-09,
    -5.189795601635263e-10,
    9.675809035373237e-11,
    -1.726826291441556e-11,
    2.95505266312964e-12,
    -4.856446783111929e-13,
    7.676185498604936e-14,
    -1.1685332877993451e-14,
    1.715391285555133e-15,
    -2.431279846547955e-16,
    3.3307945188222384e-17,
)
_I0_ABOVE_8 = (
    0.4022452055070544,
    0.0033691164782556943,
    6.889758346916825e-05,
    2.8913705208347567e-06,
    2.0489185894690638e-07,
    2.266668990498178e-08,
    3.3962320257083865e-09,
    4.94060238822497e-10,
    1.1889147107846439e-11,
    -3.1499165279632416e-11,
    -1.3215811840447713e-11,
    -1.7941785315068062e-12,
    7.180124451383666e-13,
    3.8527783827421426e-13,
    1.54008621752141e-14,
    -4.150569347287222e-14,
    -9.554846698828307e-15,
    3.8116806693526224e-15,
    1.7725601330565263e-15,
    -3.425485619677219e-16,
    -2.8276239805165836e-16,
    3.461222867697461e-17,
    4.46562142029676e-17,
)
_I1_BELOW_8 = (
    0.12629359322181682,
    -0.17641651835783406,
    0.1026436586898471,
    -0.05294598120809499,
    0.024726449030626516,
    -0.010564084894626197,
    0.004156422944312888,
    -0.0015135724506312532,
    0.0005122859561685758,
    -0.00016176081582589674,
    4.781565107550054e-05,
    -1.3273163656039436e-05,
    3.4702513081376785e-06,
    -8.568720264695455e-07,
    2.0032947535521353e-07,
    -4.445059128796328e-08,
    9.381537386495773e-09,
    -1.8872497517228294e-09,
    3.625590281552117e-10,
    -6.663489723502027e-11,
    1.1736186298890901e-11,
    -1.9839743977649436e-12,
    3.223793365945575e-13,
    -5.042185504727912e-14,
    7.600684294735408e-15,
    -1.1055969477353862e-15,
    1.5536319577362005e-16,
    -2.111421214358166e-17,
)
_I1_ABOVE_8 = (
    0.38928811750914005,
    -0.009761097491361469,
    -0.00011058893876262371,
    -3.882564808877691e-06,
    -2.512236237870209e-07,
    -2.6314688468895196e-08,
    -3.835380385964237e-09,
    -5.589743462196584e-10,
    -1.8974958123505413e-11,
    3.2526035830154884e-11,
    1.4125807436613782e-11,
    2.0356285441470896e-12,
    -7.198551776245908e-13,
    -4.0835511110921974e-13,
    -2.1015418427726643e-14,
    4.272440016711951e-14,
    1.0420276984128802e-14,
    -3.8144030724370075e-15,
    -1.8803547755107825e-15,
    3.3082023109209285e-16,
    2.96262899764595e-16,
    -3.209525921993424e-17,
    -4.6503053684893586e-17,
)


def _sum_polynomials(coefficients: Sequence[float], x: Tensor) -> Tensor:
    """By Clenshaw's recurrence; x is from -1 to 1."""
    last: Any = 0.0
    before: Any = 0.0
    for coefficient in reversed(coefficients[1:]):
        last, before = x * 2 * last - before + coefficient, last
    result: Tensor = x * last - before + coefficients[0]
    return result


def _in_double(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Whoever calls this casts the result."""

    @functools.wraps(function)
    def apply(x: Tensor) -> Tensor:
        return function(x.double())

    return apply


def _erfcx_above_0(x: Tensor) -> Tensor:
    """erfc(x) * exp(x * x)"""
    share = 2 / (x + 2)
    return share * _sum_polynomials(_ERFC, share * 2 - 1).exp()


@operation("erfc.default")
@_in_double
def _erfc(x: Tensor) -> Tensor:
    size = x.abs()
    above = _erfcx_above_0(size) * (-size * size).exp()
    return (size < 0.5).where(1 - x.erf(), (x < 0).where(2 - above, above))


@operation("special_erfcx.default")
@_in_double
def _erfcx(x: Tensor) -> Tensor:
    size = x.abs()
    above = _erfcx_above_0(size)
    return (x < 0).where(2 * (x * x).exp() - above, above)


# Of M. Giles, "Approximating the erfinv function": of the logarithm below 5, and of its root.
_ERFINV_BELOW = (
    *(2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087),
    *(-0.00125372503, -0.00417768164, 0.246640727, 1.50140941),
)
_ERFINV_ABOVE = (
    *(-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773),
    *(-0.0076224613, 0.00943887047, 1.00167406, 2.83297682),
)


def _evaluate(coefficients: Sequence[float], x: Tensor) -> Tensor:
    result: Any = coefficients[0]
    for coefficient in coefficients[1:]:
        result = x * result + coefficient
    found: Tensor = result
    return found


@operation("erfinv.default")
@_in_double
def _erfinv(x: Tensor) -> Tensor:
    """An approximation, and two of Halley's steps, in which erfc has no cancellation."""
    size = x.abs()
    rest = 1 - size
    w = -(rest * (1 + size)).log()
    below = _evaluate(_ERFINV_BELOW, w - 2.5)
    y = (w < 5).where(below, _evaluate(_ERFINV_ABOVE, w.maximum(5.0).sqrt() - 3)) * size
    for _ in range(2):
        excess = (size < 0.5).where(y.erf() - size, rest - _erfc(y))
        change = excess / (2 / math.sqrt(math.pi) * (-y * y).exp())
        y = y - change / (1 + y * change)
    y = (size < 1).where(y, (size == 1).where(math.inf, math.nan))
    return y.copysign(x)


# Lanczos' approximation with g = 7.
_LANCZOS = (
    0.99999999999980993,
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7,
)


@operation("lgamma.default")
@_in_double
def _lgamma(x: Tensor) -> Tensor:
    """By reflection below 0.5."""
    is_below = x < 0.5
    y = is_below.where(-x, x - 1)
    total: Any = _LANCZOS[0]
    for i, coefficient in enumerate(_LANCZOS[1:]):
        total = coefficient / (y + (i + 1)) + total
    t = y + 7.5
    above = 0.5 * math.log(2 * math.pi) + (y + 0.5) * t.log() - t + total.log()
    # Of the distance from an integer, the sine is exact.
    sine = ((x - x.round()) * math.pi).sin().abs()
    below = math.log(math.pi) - sine.log() - above
    is_pole = (x <= 0) & (x == x.floor())
    found = is_pole.where(math.inf, is_below.where(below, above))
    return x.isinf().where(math.inf, found)


def _sum_shifted(x: Tensor, power: int) -> tuple[Tensor, Tensor]:
    """The sum of the reciprocals of powers of x, x + 1, ..., and x + 8."""
    total: Any = 0.0
    for i in range(8):
        total = 1 / (x + i).pow(power) + total
    return total, x + 8


@operation("digamma.default")
@_in_double
def _digamma(x: Tensor) -> Tensor:
    """By reflection below 0; else by the recurrence and the asymptotic series."""
    is_below = x < 0
    total, y = _sum_shifted(is_below.where(1 - x, x), 1)
    z = 1 / (y * y)
    series: Any = 0.0
    for coefficient in (-1 / 12, 691 / 32760, -1 / 132, 1 / 240, -1 / 252, 1 / 120, -1 / 12):
        series = (series + coefficient) * z
    above = y.log() - 0.5 / y + series - total
    angle = (x - x.round()) * math.pi
    found = is_below.where(above - math.pi / angle.tan(), above)
    found = (is_below & (x == x.floor())).where(math.nan, found)
    return (x == 0).where((-Tensor.full(x.shape, math.inf, dtype=x.dtype)).copysign(-x), found)


@_in_double
def _trigamma(x: Tensor) -> Tensor:
    is_below = x < 0.5
    total, y = _sum_shifted(is_below.where(1 - x, x), 2)
    z = 1 / (y * y)
    series: Any = 0.0
    for coefficient in (7 / 6, -691 / 2730, 5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6):
        series = (series + coefficient) * z
    above = total + 1 / y + z / 2 + series / y
    sine = ((x - x.round()) * math.pi).sin()
    return is_below.where((math.pi / sine).square() - above, above)


@operation("polygamma.default")
def _polygamma(n: int, x: Tensor) -> Tensor:
    return _trigamma(x) if n else _digamma(x)


REFUSALS["aten.polygamma.default"] = lambda n, x: f"with n = {n}" if n > 1 else None


def _scaled_bessel(below: Sequence[float], above: Sequence[float], x: Tensor) -> Tensor:
    """The modified function of |x|, times exp(-|x|)."""
    size = x.abs()
    far = size.maximum(8.0)
    return (size <= 8).where(
        _sum_polynomials(below, size.minimum(8.0) / 4 - 1),
        _sum_polynomials(above, 16 / far - 1) * far.rsqrt(),
    )


@operation("special_i0e.default")
@_in_double
def _i0e(x: Tensor) -> Tensor:
    return _scaled_bessel(_I0_BELOW_8, _I0_ABOVE_8, x)


@operation("special_i1e.default")
@_in_double
def _i1e(x: Tensor) -> Tensor:
    """Below 8, the table has the quotient by |x|."""
    found = _scaled_bessel(_I1_BELOW_8, _I1_ABOVE_8, x)
    return (x.abs() <= 8).where(found * x, found.copysign(x))


@operation("i0.default", "special_modified_bessel_i0.default")
@_in_double
def _i0(x: Tensor) -> Tensor:
    return _i0e(x) * x.abs().exp()


@operation("special_i1.default", "special_modified_bessel_i1.default")
@_in_double
def _i1(x: Tensor) -> Tensor:
    return _i1e(x) * x.abs().exp()
