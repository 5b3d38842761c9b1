"""Element types: names, groups, promotion, numbers on the host."""

import copy
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from tinygrad_mlir import Tensor, dtypes, helpers
from tinygrad_mlir import dtype as D
from tinygrad_mlir.device import is_dtype_supported


def test_names():
    assert dtypes.float is dtypes.float32 and dtypes.half is dtypes.float16
    assert dtypes.long is dtypes.int64 and dtypes.uchar is dtypes.uint8
    assert repr(dtypes.float32) == "dtypes.float"
    assert dtypes.int8.name == "signed char"
    assert D.to_dtype("FLOAT32") is dtypes.float32
    assert set(dtypes.fields().values()) == set(dtypes.all)
    with pytest.raises(AttributeError, match="bogus"):
        D.to_dtype("bogus")
    with pytest.raises(AttributeError):
        dtypes.bogus


def test_groups():
    assert dtypes.ints == dtypes.uints + dtypes.sints
    assert set(dtypes.all) == set(dtypes.floats + dtypes.ints + (dtypes.bool,))
    for dtype in dtypes.all:
        assert dtypes.is_float(dtype) == (dtype in dtypes.floats)
        assert dtypes.is_int(dtype) == (dtype in dtypes.ints)
        assert dtypes.is_unsigned(dtype) == (dtype in dtypes.uints)
        assert dtypes.is_bool(dtype) == (dtype is dtypes.bool)
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert copy.deepcopy(dtype) is dtype


@pytest.mark.parametrize("dtype", dtypes.ints, ids=str)
def test_limits(dtype):
    info = np.iinfo(D._to_np_dtype(dtype))
    assert (dtype.min, dtype.max) == (info.min, info.max)
    assert D._from_np_dtype(info.dtype) is dtype
    with pytest.raises(ValueError):
        dtypes.finfo(dtype)


def test_numbers_of_a_type():
    assert dtypes.float16.const(0.1) == np.float16(0.1)
    assert dtypes.int8.const(3.7) == 3 and dtypes.bool.const(2) is True
    assert dtypes.as_const(1, dtypes.float32) == 1.0
    assert dtypes.min(dtypes.int8) == -128 and dtypes.max(dtypes.int8) == 127


def test_limits_of_floats():
    assert (dtypes.bool.min, dtypes.bool.max) == (False, True)
    assert (dtypes.float16.min, dtypes.float16.max) == (-math.inf, math.inf)
    assert dtypes.finfo(dtypes.bfloat16) == (8, 7)
    assert dtypes.finfo(dtypes.fp8e5m2fnuz) == (5, 2)


# The table is that of the results of an addition.
@pytest.mark.parametrize("a", dtypes.all, ids=str)
def test_promotion(a):
    x = Tensor([1], dtype=a)
    for b in dtypes.all:
        expected = D.least_upper_dtype(a, b)
        assert expected is D.least_upper_dtype(b, a)
        assert (x + Tensor([1], dtype=b)).dtype is expected
        assert x.cat(Tensor([1], dtype=b)).dtype is expected
    assert D.least_upper_dtype(a, a) is a
    assert (x / x).dtype is D.least_upper_float(a)


@pytest.mark.parametrize(
    "a, b, expected",
    [
        ("bool", "int8", "int8"),
        ("int8", "uint8", "int16"),
        ("uint32", "int32", "int64"),
        ("int64", "uint64", "uint64"),
        ("int64", "float16", "float16"),
        ("float16", "bfloat16", "float32"),
        ("fp8e4m3", "fp8e5m2", "float16"),
        ("float32", "float64", "float64"),
    ],
)
def test_promotion_of_pairs(a, b, expected):
    assert D.least_upper_dtype(D.to_dtype(a), D.to_dtype(b)) is D.to_dtype(expected)


def test_types_of_numbers():
    assert dtypes.from_py(True) is dtypes.bool
    assert dtypes.from_py(1) is dtypes.int32
    assert dtypes.from_py([1, (2.0,)]) is dtypes.float32
    assert dtypes.from_py([]) is dtypes.float32
    with pytest.raises(RuntimeError, match="str"):
        dtypes.from_py("a")


def test_default_float():
    try:
        dtypes.default_float = dtypes.float16
        assert dtypes.default_float is dtypes.float16
        assert Tensor([1.0]).dtype is Tensor(1.0).dtype is dtypes.float16
        assert Tensor.zeros(2).dtype is Tensor.rand(2).dtype is dtypes.float16
        assert Tensor.linspace(0, 1, 3).dtype is Tensor.arange(2.0).dtype is dtypes.float16
        assert Tensor([1, 2]).sqrt().dtype is Tensor([1, 2]).mean().dtype is dtypes.float16
        assert (Tensor([1]) / Tensor([2])).dtype is (Tensor([1]) + 0.5).dtype is dtypes.float16
        assert D.least_upper_float(dtypes.int32) is dtypes.float16
        assert Tensor([1], dtype="float32").sqrt().dtype is dtypes.float32
        with pytest.raises(TypeError, match="int32"):
            dtypes.default_float = dtypes.int32
    finally:
        dtypes.default_float = dtypes.float32
    assert Tensor([1.0]).dtype is dtypes.float32


# What the host makes of a number is what a kernel stores.
@pytest.mark.parametrize("dtype", dtypes.floats, ids=str)
def test_truncate(dtype):
    values = [0.0, -0.0, 1.0, 0.1, -0.3, 1.7, 3.14159, 100.5, -240.0, 1e-3, 2.0**-9, 1e-6]
    values += [250.0, -464.0, 465.0, -61440.0, 1e30, math.inf, -math.inf, math.nan]
    expected = Tensor(values, dtype=dtype).cast("float64").numpy()
    np.testing.assert_array_equal([D.truncate[dtype](value) for value in values], expected)
    each = [Tensor(value, dtype=dtype).cast("float64").item() for value in values]
    np.testing.assert_array_equal(each, expected)


@pytest.mark.parametrize("dtype", dtypes.fp8s, ids=str)
def test_fp8_saturates(dtype):
    largest = {dtypes.fp8e4m3: 448, dtypes.fp8e4m3fnuz: 240}.get(dtype, 57344)
    for source in ("float16", "bfloat16", "float32", "float64", "int32"):
        x = Tensor([65000, -65000, 3], dtype=source)
        assert x.cast(dtype).tolist() == [largest, -largest, 3]
    x = Tensor([largest, -largest, 2], dtype=dtype)
    assert (x * x).tolist() == [largest, largest, 4]
    assert (x + x).tolist() == [largest, -largest, 4]
    assert x.max().item() == largest
    # Infinities are values of one type, of which others are not.
    infinity = Tensor([math.inf], dtype="fp8e5m2")
    assert infinity.max().item() == math.inf
    assert math.isnan(infinity.cast("fp8e4m3").item())


@pytest.mark.parametrize("dtype", dtypes.ints, ids=str)
def test_truncate_integers(dtype):
    values = [0, 1, -1, 127, 128, 255, 256, 65535, 2**31, -(2**31), 2**32 + 5]
    expected = [int(np.array(value).astype(D._to_np_dtype(dtype))) for value in values]
    assert [D.truncate[dtype](value) for value in values] == expected


@pytest.mark.parametrize("dtype", dtypes.fp8s, ids=str)
def test_fp8(dtype):
    values = [D.fp8_to_float(bits, dtype) for bits in range(256)]
    stored = Tensor(list(range(256)), dtype="uint8").bitcast(dtype).cast("float32").numpy()
    np.testing.assert_array_equal(np.array(values, dtype=np.float32), stored)
    for bits, value in enumerate(values):
        if math.isfinite(value):
            assert D.float_to_fp8(value, dtype) == bits
    with pytest.raises(AssertionError, match="float32|dtypes.float"):
        D.float_to_fp8(1.0, dtypes.float32)


def test_bitcast():
    assert D.bitcast(1.0, dtypes.float32, dtypes.int32) == 0x3F800000
    assert D.bitcast(0x3F80, dtypes.uint16, dtypes.bfloat16) == 1.0
    with pytest.raises(AssertionError, match="bytes"):
        D.bitcast(1.0, dtypes.float32, dtypes.int8)
    array = np.array([[1.5, -2.25], [3.0, 4.0]], dtype=np.float32)
    for name in ("uint8", "int16", "float16", "int32", "float64"):
        result = Tensor(array).bitcast(name)
        expected = array.view(name)
        assert result.shape == expected.shape
        np.testing.assert_array_equal(result.numpy(), expected)
    np.testing.assert_array_equal(Tensor(array.view("uint8")).bitcast("float32").numpy(), array)
    with pytest.raises(RuntimeError, match="multiple"):
        Tensor([1, 2, 3], dtype="uint8").bitcast("int32")
    with pytest.raises(RuntimeError, match="no axis"):
        Tensor(1.0).bitcast("uint8")


@pytest.mark.parametrize(
    "source", ["bool", "int8", "uint8", "int32", "int64", "float16", "float32"]
)
def test_cast(source):
    array = np.array([0, 1, 2, 100]).astype(source)
    x = Tensor(array)
    for name in ("bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"):
        result = x.cast(name)
        assert result.dtype is D.to_dtype(name)
        np.testing.assert_array_equal(result.numpy(), array.astype(name))
    for method, name in (("half", "float16"), ("double", "float64"), ("short", "int16")):
        assert getattr(x, method)().dtype is D.to_dtype(name)


@pytest.mark.parametrize("name, code", [("HALF", 0), ("bfloat16", 0), ("int32", 1), ("bogus", 1)])
def test_default_float_of_the_environment(name, code):
    program = (
        "from tinygrad_mlir import Tensor, dtypes; "
        "assert Tensor([1.0]).dtype is Tensor.ones(2).dtype is dtypes.default_float; "
        f"assert dtypes.default_float is getattr(dtypes, {name.lower()!r})"
    )
    environment = {**os.environ, "DEFAULT_FLOAT": name}
    process = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert (process.returncode != 0) == (code != 0), process.stderr
    if code:
        assert name in process.stderr


def test_default_types_as_settings():
    assert helpers.DEFAULT_FLOAT == "float32" and helpers.DEFAULT_INT == "int32"
    with helpers.Context(DEFAULT_FLOAT="half", DEFAULT_INT="int"):
        assert helpers.DEFAULT_FLOAT == "float16"
        assert Tensor([0.5]).dtype is dtypes.float16
    assert dtypes.default_float is dtypes.float32
    with pytest.raises(AttributeError, match="no_type"):
        with helpers.Context(DEFAULT_FLOAT="no_type"):
            pass


@pytest.mark.parametrize("default", ["int64", "int16", "uint8"])
def test_the_default_type_of_integers(default):
    dtype = getattr(dtypes, default)
    with helpers.Context(DEFAULT_INT=default):
        assert dtypes.default_int is dtype and helpers.DEFAULT_INT == default
        for made in (
            Tensor([1, 2]),
            Tensor([[1], [2]]),
            Tensor(3),
            Tensor.arange(4),
            Tensor.full((2,), 7),
            Tensor([True, False]).where(1, 0),
            Tensor([1], dtype=int),
        ):
            assert made.dtype is dtype, made
        assert Tensor.arange(4).tolist() == [0, 1, 2, 3]
        # Operands and results of their own types are not changed.
        assert (Tensor([1], dtype=dtypes.int8) + 1).dtype is dtypes.int8
        assert Tensor([1.0, 2.0]).argmax().dtype is dtypes.int32
        assert Tensor([True]).sum().dtype is dtypes.int32
        assert Tensor([1, 2])[Tensor([1])].tolist() == [2]
        assert dtypes.from_py([1, 2]) is dtype
        # What it does not have.
        assert Tensor([70000]).dtype is (dtypes.int64 if default == "int64" else dtypes.int32)
        assert Tensor([70000]).item() == 70000
        assert Tensor(2**40).dtype is dtypes.int64
        assert Tensor([2**63]).dtype is dtypes.uint64
        assert Tensor([-1]).item() == Tensor(-1).item() == -1
    assert dtypes.default_int is dtypes.int32


def test_errors_of_the_default_type_of_integers():
    with pytest.raises(TypeError, match="float"):
        dtypes.default_int = dtypes.float32
    with pytest.raises(TypeError, match="bool"):
        dtypes.default_int = "bool"
    program = "from tinygrad_mlir import Tensor; print(Tensor([1]).dtype)"
    for value, is_right in (("int64", True), ("half", False)):
        process = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "DEFAULT_INT": value},
            capture_output=True,
            text=True,
        )
        assert (process.returncode == 0) == is_right
        assert (
            "dtypes.long" if is_right else "DEFAULT_INT=half"
        ) in process.stdout + process.stderr


def test_all_types_are_supported():
    assert all(is_dtype_supported(dtype) for dtype in dtypes.all)
    assert is_dtype_supported("half", "CPU")
    with pytest.raises(AttributeError, match="no_type"):
        is_dtype_supported("no_type")


def test_types_of_pytorch():
    torch = pytest.importorskip("torch")
    for dtype in dtypes.all:
        assert D._to_torch_dtype(dtype).itemsize == dtype.itemsize
        if dtype not in dtypes.fp8s:
            assert D._from_torch_dtype(D._to_torch_dtype(dtype)) is dtype
    assert D._to_torch_dtype(dtypes.fp8e4m3) is torch.uint8
    assert D._to_torch_dtype(dtypes.half) is torch.float16
    with pytest.raises(KeyError):
        D._from_torch_dtype(torch.complex64)


@pytest.mark.parametrize("source", [dtypes.float16, dtypes.float32, dtypes.float64])
def test_floats_wrap_around_in_narrow_integers(source):
    values = [-1.5, -300.0, 300.0, 60000.0]
    x = Tensor(values, dtype=source)
    assert x.cast("uint8").tolist() == [255, 212, 44, 96]
    assert x.cast("int8").tolist() == [-1, -44, 44, 96]
    assert x.cast("uint16").tolist() == [65535, 65236, 300, 60000]
    assert x.cast("int16").tolist() == [-1, -300, 300, -5536]
    # As numbers that lists are made of.
    assert Tensor(values, dtype="uint8").tolist() == [255, 212, 44, 96]
    assert Tensor([math.nan], dtype=source).cast("uint8").tolist() == [0]


def test_bools_have_bits():
    x = Tensor([True, False, True, True])
    assert x.bitcast("uint8").tolist() == [1, 0, 1, 1]
    assert x.bitcast("int16").tolist() == [1, 257]
    assert Tensor([0, 256, 1], dtype="int16").bitcast("bool").tolist() == [
        False, False, False, True, True, False,
    ]  # fmt: skip
    with pytest.raises(RuntimeError, match="multiple of 4"):
        Tensor([True, False]).bitcast("float32")
