"""Elementwise methods and operators against NumPy, for each element type."""

import numpy as np
import pytest
from tinygrad_mlir import Tensor, dtypes

TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
VALUES = [0, 1, 2, 3, 5, 7]
RTOL = {"float16": 4e-3, "float32": 2e-6, "float64": 1e-12}


def both(dtype, values=VALUES):
    array = np.array(values).astype(dtype)
    return Tensor(array), array


def check(tensor, expected, rtol=1e-5):
    assert tensor.shape == expected.shape
    np.testing.assert_allclose(
        tensor.numpy().astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=rtol
    )


UNARY = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": lambda x: np.log(x + 1),
    "log2": lambda x: np.log2(x + 1),
    "log10": lambda x: np.log10(x + 1),
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("name", UNARY)
def test_functions(name):
    # One program for all types: their results are of the tensor's type if that is of floats.
    results = []
    for dtype in FLOATS + ["int32", "uint8", "bool"]:
        x, array = both(dtype)
        x = x + 1 if name.startswith("log") else x
        results.append((dtype, getattr(x, name)(), UNARY[name](array.astype(np.float64))))
    Tensor.realize(*[result for _, result, _ in results])
    for dtype, result, expected in results:
        assert result.dtype == (getattr(dtypes, dtype) if dtype in FLOATS else dtypes.float32)
        if dtype == "bool":
            expected = UNARY[name]((np.array(VALUES) != 0).astype(np.float64))
        check(result, expected, max(RTOL.get(dtype, 2e-6), 2e-6) * 5)


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
}


@pytest.mark.parametrize("name", BINARY)
def test_operators(name):
    function = BINARY[name]
    results = []
    with np.errstate(all="ignore"):
        for dtype in TYPES + FLOATS:
            x, a = both(dtype)
            y, b = both(dtype, [3, 2, 1, 4, 6, 2])
            results.append((dtype, function(x, y), function(a, b)))
            results.append((dtype, function(x, 2), function(a, np.array(2, dtype=dtype))))
            results.append((dtype, function(6, y), function(np.array(6, dtype=dtype), b)))
    Tensor.realize(*[result for _, result, _ in results])
    for dtype, result, expected in results:
        is_comparison = expected.dtype == np.bool_
        assert result.dtype == (dtypes.bool if is_comparison else getattr(dtypes, dtype)), dtype
        check(result, expected, RTOL.get(dtype, 0))


@pytest.mark.parametrize("dtype", TYPES)
def test_bits(dtype):
    x, a = both(dtype)
    y, b = both(dtype, [1, 0, 2, 3, 1, 2])
    pairs = [(x & y, a & b), (x | y, a | b), (x ^ y, a ^ b), (~x, ~a), (x << y, a << b)]
    pairs += [(x >> y, a >> b), (x & 3, a & 3), (4 | x, 4 | a), (x ^ 1, a ^ 1)]
    Tensor.realize(*[result for result, _ in pairs])
    for result, expected in pairs:
        assert result.dtype == getattr(dtypes, dtype)
        np.testing.assert_array_equal(result.numpy(), expected)


def test_operators_in_place():
    x = Tensor([1.0, 2.0, 3.0])
    alias = x
    x += 1
    x *= 2
    x -= 1
    x /= 2
    x **= 2
    assert alias is x
    check(x, ((np.array([1.0, 2, 3]) + 1) * 2 - 1) ** 2 / 4)
    n = Tensor([7, 8, 9])
    n //= 2
    n <<= 2
    n |= 1
    assert n.tolist() == [13, 17, 17]
    m = Tensor([[1.0, 2.0], [3.0, 4.0]])
    m @= Tensor([[0.0, 1.0], [1.0, 0.0]])
    assert m.tolist() == [[2, 1], [4, 3]]


# In Python, an integer wraps around as it would in C; comparisons and quotients are exact.
def test_numbers_beyond_the_type():
    x = Tensor([1], dtype="int8")
    assert (x + 300).tolist() == [45]
    assert (x + 300).dtype == dtypes.int8
    u = Tensor([1], dtype="uint8")
    assert (u * -1).tolist() == [255]
    assert (u < -1).tolist() == [False]
    assert (-1 < u).tolist() == [True]
    assert (x < 300).tolist() == [True]
    assert (x / 256).tolist() == [1 / 256]
    assert u.clip(-1, 300).tolist() == [1]
    assert u.maximum(-5).tolist() == [1]
    assert Tensor([5], dtype="uint8").hardtanh().tolist() == [1]


def test_numbers_are_weak():
    half = Tensor([1.0], dtype="float16")
    assert (half + 1.5).dtype == (1.5 * half).dtype == (2.0**half).dtype == dtypes.float16
    byte = Tensor([1], dtype="uint8")
    assert (byte + 1).dtype == (7 // byte).dtype == (2**byte).dtype == dtypes.uint8
    assert (byte + 1.5).dtype == (2.5 // byte).dtype == dtypes.float32
    truth = Tensor([True])
    assert (truth + 1).dtype == (7 // truth).dtype == dtypes.int32
    assert (7 // truth).tolist() == [7]


def test_division_modes():
    x = Tensor([-7, 7, -6, 6])
    assert x.div(2, rounding_mode="trunc").tolist() == [-3, 3, -3, 3]
    assert x.div(2, rounding_mode="floor").tolist() == [-4, 3, -3, 3]
    assert Tensor([1, 2]).div(12, reverse=True).tolist() == [12, 6]
    with pytest.raises(RuntimeError, match="trunc"):
        x.div(2, rounding_mode="up")


def test_pixels_stay_pixels():
    x = Tensor([0, 100, 200], dtype="uint8")
    y = x.lerp(Tensor([255, 0, 50], dtype="uint8"), Tensor([0.5, 0.2, 0.1]))
    assert y.dtype == dtypes.uint8
    # By 64, 26 and 13 of 128 parts.
    assert y.tolist() == [128, 80, 185]
    assert x.lerp(Tensor([255, 0, 50], dtype="uint8"), 0.1).tolist() == [26, 90, 185]
    assert x.lerp(end=x, weight=0.3).tolist() == x.tolist()


def test_pixels_are_rounded_after_each_axis():
    x = Tensor([[0, 1], [3, 255]], dtype="uint8")
    assert x.interpolate((1, 1)).tolist() == [[65]]
    assert x.interpolate((1, 2)).tolist() == [[2, 128]]
    assert x.interpolate((2, 1)).tolist() == [[1], [129]]
    # The edges of the outermost pixels stay in place, or their centers.
    assert x[1].interpolate((4,)).tolist() == [3, 66, 192, 255]
    assert x[1].interpolate((3,), align_corners=True).tolist() == [3, 129, 255]
    assert x.interpolate((2, 2)).tolist() == x.tolist()
    with pytest.raises(ValueError, match="interpolate"):
        x.interpolate((1, 1, 1))


def test_sums_of_arguments():
    a, b, c = Tensor([1.0]), Tensor([2.0]), Tensor([4.0])
    assert a.usum(b, c).item() == 7
    assert a.uprod(b, c).item() == 8


@pytest.mark.parametrize("operand", [None, "a", object()])
def test_operands_that_are_none(operand):
    x = Tensor([1.0])
    for function in BINARY.values():
        with pytest.raises(TypeError):
            function(x, operand)
    with pytest.raises(RuntimeError):
        x + operand
