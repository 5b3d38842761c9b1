"""Zeros of both signs, infinities, NaN, subnormal and extreme numbers: operations that IEEE 754 defines have NumPy's bits,
with operands in memory and with constants, for vectors and their remainders."""

import math

import numpy as np
import pytest
from tinygrad_mlir import Tensor

FLOATS = ["float16", "float32", "float64"]
BITS = {"float16": np.uint16, "float32": np.uint32, "float64": np.uint64}
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def floats(dtype):
    info = np.finfo(dtype)
    least, eps = info.smallest_subnormal, info.eps
    values = [
        0,
        1,
        1 + eps,
        0.3,
        0.5,
        1.5,
        2.5,
        3,
        1 / 3,
        info.max,
        info.max / 2,
        info.tiny,
        info.tiny - least,
    ]
    values += [info.tiny / 2, least, 3 * least, 1 / eps, 1 / eps + 1, 0.5 / eps - 0.5, np.inf]
    values = np.array(values, dtype)
    return np.concatenate([values, -values, np.array([np.nan], dtype)])


def integers(dtype):
    info = np.iinfo(dtype)
    values = [0, 1, 2, 3, 7, info.bits - 1, info.bits, info.max, info.max - 1, info.max // 2 + 1]
    values += [info.min, info.min + 1, -1, -2, -7] if info.min < 0 else []
    return np.array(values, dtype)


def pairs(values):
    return np.repeat(values, len(values)), np.tile(values, len(values))


def lengths(size):
    """Slices of each length, of vectors with and without a remainder."""
    return [
        slice(0, size),
        *(
            slice(start, start + n)
            for n in (1, 3, 8, 17)
            for start in range(0, size - n, size // 5)
        ),
    ]


def check(found, expected, operands):
    """Compares bits; any NaN is like any other."""
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if expected.dtype.name in BITS:
        bits = BITS[expected.dtype.name]
        same = (found.view(bits) == expected.view(bits)) | (np.isnan(found) & np.isnan(expected))
    else:
        same = found == expected
    for i in np.flatnonzero(~same)[:1]:
        pytest.fail(f"of {[operand[i] for operand in operands]}: {found[i]!r}, not {expected[i]!r}")


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


OPERATORS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name, dtype):
    operator = OPERATORS[name]
    x, y = pairs(floats(dtype))
    for part in lengths(len(x)):
        a, b = x[part], y[part]
        check(operator(Tensor(a), Tensor(b)).numpy(), operator(a, b), (a, b))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", OPERATORS)
def test_constants(name, dtype):
    """Rules of the compiler for 0, 1, -1, 2, 0.5, infinities and NaN keep the values."""
    operator = OPERATORS[name]
    x = floats(dtype)
    for number in (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -2.0, np.inf, -np.inf, np.nan):
        constant = np.full(len(x), number, dtype)
        check(operator(Tensor(x), number).numpy(), operator(x, constant), (x, constant))
        swapped = operator(Tensor.full(x.shape, number, dtype=Tensor(x).dtype), Tensor(x))
        check(swapped.numpy(), operator(constant, x), (constant, x))
    check(operator(Tensor(x), Tensor(x)).numpy(), operator(x, x), (x, x))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "name", ["neg", "abs", "sqrt", "trunc", "floor", "ceil", "round", "square"]
)
def test_functions(name, dtype):
    x = floats(dtype)
    function = {"neg": np.negative, "round": np.round}.get(name) or getattr(np, name)
    for part in lengths(len(x)):
        check(getattr(Tensor(x[part]), name)().numpy(), function(x[part]), (x[part],))


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", FLOATS)
def test_casts(source, target):
    x = floats(source)
    to = Tensor(np.zeros(1, target)).dtype
    check(Tensor(x).cast(to).numpy(), x.astype(target), (x,))


def test_cast_rounds_once():
    """Between float64 and float16, float32 would round to the middle of two numbers."""
    x = np.array(
        [
            1 + 2**-11 + 2**-40,
            1 + 2**-11 - 2**-40,
            1 + 3 * 2**-11 - 2**-40,
            2**-25 + 2**-60,
            65519.9999999,
        ],
        np.float64,
    )
    to = Tensor(np.zeros(1, np.float16)).dtype
    for sign in (1, -1):
        check(Tensor(sign * x).cast(to).numpy(), (sign * x).astype(np.float16), (x,))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype):
    """Quotients by 0 are 0, as remainders; the least number by -1 wraps around."""
    x, y = pairs(integers(dtype))
    quotient, remainder = np.zeros_like(x), np.zeros_like(x)
    bits = 8 * x.itemsize
    for i, (a, b) in enumerate(zip(x.tolist(), y.tolist())):
        if b != 0:
            quotient[i : i + 1] = np.array([(a // b) % 2**bits], f"uint{bits}").view(dtype)
            remainder[i] = a % b
    for part in lengths(len(x)):
        a, b = Tensor(x[part]), Tensor(y[part])
        check((a // b).numpy(), quotient[part], (x[part], y[part]))
        check((a % b).numpy(), remainder[part], (x[part], y[part]))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 8, 1), (3, 5, 7), (17, 33, 19), (64, 64, 64)])
def test_products_of_subnormal_numbers(shape, dtype):
    """Each row has one subnormal number, so that sums are exact."""
    rows, depth, columns = shape
    random = np.random.default_rng(0)
    least = float(np.finfo(dtype).smallest_subnormal)
    counts = np.zeros((rows, depth))
    counts[np.arange(rows), random.integers(0, depth, rows)] = random.integers(1, 100, rows)
    weights = random.integers(-1, 2, (depth, columns)).astype(dtype)
    found = (Tensor((counts * least).astype(dtype)) @ Tensor(weights)).numpy()
    np.testing.assert_array_equal(found.astype(np.float64), counts @ weights * least)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_products_with_a_special_number(value):
    """It reaches its row, also through a product with 0."""
    x, y = np.ones((20, 30), np.float32), np.ones((30, 40), np.float32)
    x[3, 5], y[5, ::2] = value, 0
    found = (Tensor(x) @ Tensor(y)).numpy()
    expected = np.full((20, 40), 30, np.float32) - (y[5] == 0)
    expected[3] = np.where(y[5] == 0, np.nan, value)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("method", ["clamp", "clip"])
@pytest.mark.parametrize("bounds", [(np.nan, 1.0), (0.0, np.nan), (np.nan, None), (None, np.nan)])
def test_bounds_that_are_nan(method, bounds):
    x = np.array([-1.0, 0.5, 2.0, np.nan], np.float32)
    low, high = (
        np.array(-np.inf if i == 0 else np.inf) if b is None else b for i, b in enumerate(bounds)
    )
    np.testing.assert_array_equal(
        getattr(Tensor(x), method)(*bounds).numpy(), np.clip(x, low, high)
    )


def test_gradient_of_logcumsumexp_of_negative_infinities():
    inf = float("inf")
    x = Tensor([-inf, 0.0, -inf, math.log(3.0)]).requires_grad_()
    sums = x.logcumsumexp(0)
    np.testing.assert_allclose(sums.numpy(), [-inf, 0.0, 0.0, math.log(4.0)], rtol=1e-6)
    # Of weight k + 1 for result k; numbers that count for nothing have the gradient 0.
    (gradient,) = (sums * Tensor([1.0, 2.0, 3.0, 4.0])).sum().gradient(x)
    np.testing.assert_allclose(gradient.numpy(), [0.0, 2 + 3 + 4 / 4, 0.0, 4 * 3 / 4], rtol=1e-6)
