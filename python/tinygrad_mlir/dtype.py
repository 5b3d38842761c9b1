"""The types of elements, and what results of operations on them have."""

from __future__ import annotations

import builtins
import ctypes
import functools
import math
import os
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

from tinygrad_mlir import _core
from tinygrad_mlir._core import DType

__all__ = [
    "ConstType",
    "DTYPES_DICT",
    "DTypeLike",
    "DTypes",
    "INVERSE_DTYPES_DICT",
    "PyConst",
    "bitcast",
    "can_lossless_cast",
    "dtypes",
    "float_to_bf16",
    "float_to_fp16",
    "float_to_fp8",
    "fp8_to_float",
    "from_storage_scalar",
    "least_upper_dtype",
    "least_upper_float",
    "sized_name",
    "storage_fmt_for_dtype",
    "sum_acc_dtype",
    "to_dtype",
    "to_storage_scalar",
    "truncate",
]

DTypeLike: TypeAlias = str | DType
PyConst: TypeAlias = float | int | bool
ConstType: TypeAlias = PyConst

_NAMES: dict[str, DType] = _core.dtype_names


def to_dtype(dtype: DTypeLike) -> DType:
    """The element type that `dtype` is or names, in upper or lower case.

    Raises AttributeError for a name of none and for other objects.
    """
    return _core.to_dtype(dtype)


class DTypes:
    """The class of `dtypes`, whose attributes are all types of elements.

    A type has tinygrad's names (`dtypes.float32`), C's (`dtypes.float`), and those of groups:
    `floats`, `ints`, `uints`, `sints`, `fp8s`, `all`.
    """

    @staticmethod
    def is_float(x: DType) -> builtins.bool:
        """Whether `x` is a type of floats, fp8 included."""
        return _core.is_float(x)

    @staticmethod
    def is_int(x: DType) -> builtins.bool:
        """Whether `x` is a type of integers; bool is none."""
        return _core.is_int(x)

    @staticmethod
    def is_unsigned(x: DType) -> builtins.bool:
        """Whether `x` is a type of unsigned integers."""
        return x in DTypes.uints

    @staticmethod
    def is_bool(x: DType) -> builtins.bool:
        """Whether `x` is bool."""
        return x is DTypes.bool

    @staticmethod
    def from_py(x: Any) -> DType:
        """The type of a tensor of a number, or of a (nested) list or tuple of numbers.

        Raises RuntimeError for other objects.
        """
        if isinstance(x, bool):
            return DTypes.bool
        if isinstance(x, int):
            return dtypes.default_int
        if isinstance(x, float):
            return dtypes.default_float
        if isinstance(x, (list, tuple)):
            return max(map(DTypes.from_py, x)) if x else dtypes.default_float
        raise RuntimeError(
            f"numbers, lists and tuples of them have an element type, {x!r} of type "
            f"{type(x).__name__} has none"
        )

    @staticmethod
    def finfo(dtype: DType) -> tuple[builtins.int, builtins.int]:
        """The numbers of bits of a float's exponent and mantissa.

        Raises ValueError if `dtype` is no type of floats.
        """
        if not DTypes.is_float(dtype):
            raise ValueError(f"{dtype} is not a type of floats")
        return _FINFO[dtype]

    @staticmethod
    def min(dtype: DType) -> PyConst:
        """The smallest value of a type: `dtype.min`."""
        value: PyConst = dtype.min
        return value

    @staticmethod
    def max(dtype: DType) -> PyConst:
        """The largest value of a type: `dtype.max`."""
        value: PyConst = dtype.max
        return value

    @staticmethod
    def as_const(value: Any, dtype: DType) -> PyConst:
        """A number as Python's type for a type of elements: `dtype.const(value)`."""
        number: PyConst = dtype.const(value)
        return number

    @property
    def default_float(self) -> DType:
        """What floats become: float32, or what DEFAULT_FLOAT names, or what was assigned."""
        return _core.default_float()

    @default_float.setter
    def default_float(self, dtype: DTypeLike) -> None:
        _core.set_default_float(to_dtype(dtype))

    @property
    def default_int(self) -> DType:
        """What integers that fit become: int32, or what DEFAULT_INT names, or what was assigned."""
        return _core.default_int()

    @default_int.setter
    def default_int(self, dtype: DTypeLike) -> None:
        _core.set_default_int(to_dtype(dtype))

    @staticmethod
    def fields() -> dict[str, DType]:
        """The types by all of their names."""
        return dict(DTYPES_DICT)

    # Last, since they hide Python's names in the lines that follow.
    bool: DType = _NAMES["bool"]
    int8: DType = _NAMES["int8"]
    uint8: DType = _NAMES["uint8"]
    int16: DType = _NAMES["int16"]
    uint16: DType = _NAMES["uint16"]
    int32: DType = _NAMES["int32"]
    uint32: DType = _NAMES["uint32"]
    int64: DType = _NAMES["int64"]
    uint64: DType = _NAMES["uint64"]
    fp8e4m3: DType = _NAMES["fp8e4m3"]
    fp8e5m2: DType = _NAMES["fp8e5m2"]
    fp8e4m3fnuz: DType = _NAMES["fp8e4m3fnuz"]
    fp8e5m2fnuz: DType = _NAMES["fp8e5m2fnuz"]
    float16: DType = _NAMES["float16"]
    bfloat16: DType = _NAMES["bfloat16"]
    float32: DType = _NAMES["float32"]
    float64: DType = _NAMES["float64"]
    half: DType = _NAMES["half"]
    float: DType = _NAMES["float"]
    double: DType = _NAMES["double"]
    uchar: DType = _NAMES["uchar"]
    ushort: DType = _NAMES["ushort"]
    uint: DType = _NAMES["uint"]
    ulong: DType = _NAMES["ulong"]
    char: DType = _NAMES["char"]
    short: DType = _NAMES["short"]
    int: DType = _NAMES["int"]
    long: DType = _NAMES["long"]

    fp8_ocp: tuple[DType, ...] = (fp8e4m3, fp8e5m2)
    fp8_fnuz: tuple[DType, ...] = (fp8e4m3fnuz, fp8e5m2fnuz)
    fp8s: tuple[DType, ...] = fp8_ocp + fp8_fnuz
    floats: tuple[DType, ...] = fp8s + (float16, bfloat16, float32, float64)
    int8s: tuple[DType, ...] = (uint8, int8)
    int16s: tuple[DType, ...] = (uint16, int16)
    int32s: tuple[DType, ...] = (uint32, int32)
    int64s: tuple[DType, ...] = (uint64, int64)
    uints: tuple[DType, ...] = (uint8, uint16, uint32, uint64)
    sints: tuple[DType, ...] = (int8, int16, int32, int64)
    ints: tuple[DType, ...] = uints + sints
    all: tuple[DType, ...] = floats + ints + (bool,)


_FINFO = {
    DTypes.float16: (5, 10),
    DTypes.bfloat16: (8, 7),
    DTypes.float32: (8, 23),
    DTypes.float64: (11, 52),
    DTypes.fp8e4m3: (4, 3),
    DTypes.fp8e4m3fnuz: (4, 3),
    DTypes.fp8e5m2: (5, 2),
    DTypes.fp8e5m2fnuz: (5, 2),
}

dtypes = DTypes()

#: The types by name, and the names by the C name that `DType.name` is.
DTYPES_DICT: dict[str, DType] = {
    name: dtype for name, dtype in vars(DTypes).items() if isinstance(dtype, DType)
}
INVERSE_DTYPES_DICT: dict[str, str] = {dtype.name: name for name, dtype in DTYPES_DICT.items()}


def sized_name(dtype: DType) -> str:
    """The name of a type that has its size: float16, not half."""
    return next(name for name, other in DTYPES_DICT.items() if other is dtype)


if "DEFAULT_FLOAT" in os.environ:
    _default = to_dtype(os.environ["DEFAULT_FLOAT"])
    if not DTypes.is_float(_default):
        raise ValueError(f"DEFAULT_FLOAT={os.environ['DEFAULT_FLOAT']} is not a type of floats")
    dtypes.default_float = _default
if "DEFAULT_INT" in os.environ:
    _default = to_dtype(os.environ["DEFAULT_INT"])
    if not DTypes.is_int(_default):
        raise ValueError(f"DEFAULT_INT={os.environ['DEFAULT_INT']} is not a type of integers")
    dtypes.default_int = _default


# ==== Promotion ====


@functools.cache
def least_upper_dtype(*ds: DType) -> DType:
    """The type of an operation's result on operands of the types `ds`."""
    return _core.promote(list(ds))


def least_upper_float(dt: DType) -> DType:
    """`dt` if it is a type of floats, else the default float."""
    return _core.promote_to_float(dt)


def can_lossless_cast(dt0: DType, dt1: DType) -> bool:
    """Whether `dt1` has all values of `dt0`."""
    return _core.is_lossless_cast(dt0, dt1)


def sum_acc_dtype(dt: DType) -> DType:
    """The type in which elements of the type `dt` are summed."""
    return _core.sum_accumulation_dtype(dt)


# ==== Numbers of a type, on the host ====


def float_to_fp16(x: float) -> float:
    """The float16 next to `x`; an infinity beyond the largest one."""
    try:
        return float(struct.unpack("e", struct.pack("e", float(x)))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


def float_to_bf16(x: float) -> float:
    """The bfloat16 next to `x`, as a float."""
    if not math.isfinite(x):
        return x
    bits = struct.unpack("I", struct.pack("f", _to_float32(x)))[0]
    # To nearest, ties to even.
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return float(struct.unpack("f", struct.pack("I", bits))[0])


def _to_float32(x: float) -> float:
    return ctypes.c_float(x).value


@functools.cache
def _fp8_values(dtype: DType) -> tuple[float, ...]:
    """The values of all 256 bit patterns."""
    exponent_bits, mantissa_bits = _FINFO[dtype]
    is_fnuz = dtype in DTypes.fp8_fnuz
    bias = 2 ** (exponent_bits - 1) - (0 if is_fnuz else 1)
    values = []
    for bits in range(256):
        exponent = bits >> mantissa_bits & (2**exponent_bits - 1)
        mantissa = bits & (2**mantissa_bits - 1)
        is_last = exponent == 2**exponent_bits - 1
        if is_fnuz and bits == 0x80:
            values.append(math.nan)
            continue
        if exponent == 0:
            value = mantissa * 2.0 ** (1 - bias - mantissa_bits)
        elif dtype is DTypes.fp8e5m2 and is_last:
            value = math.nan if mantissa else math.inf
        elif dtype is DTypes.fp8e4m3 and is_last and mantissa == 7:
            value = math.nan
        else:
            value = (2**mantissa_bits + mantissa) * 2.0 ** (exponent - bias - mantissa_bits)
        values.append(math.copysign(value, -1.0 if bits & 0x80 else 1.0))
    return tuple(values)


def float_to_fp8(x: float, dtype: DType) -> int:
    """The bits of the fp8 next to `x`, ties to even; the largest one beyond it.

    Raises AssertionError if `dtype` is no fp8 type.
    """
    assert dtype in DTypes.fp8s, f"{dtype} is not an fp8 type: {DTypes.fp8s}"
    sign = 0x80 if math.copysign(1.0, x) < 0 else 0
    if not math.isfinite(x):
        if dtype in DTypes.fp8_fnuz:
            return 0x80
        if dtype is DTypes.fp8e4m3:
            return sign | 0x7F
        return sign | (0x7C if math.isinf(x) else 0x7F)
    values = _fp8_values(dtype)
    finite = [bits for bits in range(128) if math.isfinite(values[bits])]
    magnitude = min(abs(x), max(values[bits] for bits in finite))
    best = min(finite, key=lambda bits: (abs(values[bits] - magnitude), bits & 1))
    return 0 if dtype in DTypes.fp8_fnuz and best == 0 else sign | best


def fp8_to_float(x: int, dtype: DType) -> float:
    """The value of an fp8 of these bits.

    Raises AssertionError if `dtype` is no fp8 type.
    """
    assert dtype in DTypes.fp8s, f"{dtype} is not an fp8 type: {DTypes.fp8s}"
    return _fp8_values(dtype)[x]


def _make_truncation(dtype: DType) -> Callable[[Any], Any]:
    if dtype is DTypes.bool:
        return bool
    if dtype is DTypes.float16:
        return float_to_fp16
    if dtype is DTypes.bfloat16:
        return lambda x: float_to_bf16(float(x))
    if dtype in DTypes.fp8s:
        return lambda x: fp8_to_float(float_to_fp8(float(x), dtype), dtype)
    if dtype is DTypes.float32:
        return _to_float32
    if dtype is DTypes.float64:
        return lambda x: ctypes.c_double(x).value
    c_type = getattr(ctypes, "c_" + ("u" if dtype in DTypes.uints else "") + f"int{dtype.bitsize}")
    return lambda x: c_type(x).value


#: For each type, a function that makes a Python number one of its values.
truncate: dict[DType, Callable[[Any], Any]] = {
    dtype: _make_truncation(dtype) for dtype in DTypes.all
}


def storage_fmt_for_dtype(dtype: DType) -> str:
    """The code of the module `struct` for what memory holds of an element."""
    if dtype is DTypes.bfloat16:
        return "H"
    return "B" if dtype in DTypes.fp8s else str(dtype.fmt)


def to_storage_scalar(x: Any, dtype: DType) -> Any:
    """The number of storage_fmt_for_dtype() for the value `x`."""
    if dtype is DTypes.float16:
        return float_to_fp16(x)
    if dtype is DTypes.bfloat16:
        return struct.unpack("I", struct.pack("f", float_to_bf16(x)))[0] >> 16
    return float_to_fp8(float(x), dtype) if dtype in DTypes.fp8s else x


def from_storage_scalar(x: Any, dtype: DType) -> Any:
    """The value of which memory holds the number `x`."""
    if dtype is DTypes.bfloat16:
        return struct.unpack("f", struct.pack("I", (x & 0xFFFF) << 16))[0]
    return fp8_to_float(int(x), dtype) if dtype in DTypes.fp8s else x


def bitcast(x: Any, in_dtype: DType, out_dtype: DType) -> Any:
    """The value of the type `out_dtype` that has the bits of `x`.

    Raises AssertionError if the sizes differ.
    """
    assert in_dtype.itemsize == out_dtype.itemsize, (
        f"bitcast: {in_dtype} has {in_dtype.itemsize} bytes, {out_dtype} {out_dtype.itemsize}"
    )
    packed = struct.pack(storage_fmt_for_dtype(in_dtype), to_storage_scalar(x, in_dtype))
    return from_storage_scalar(
        struct.unpack(storage_fmt_for_dtype(out_dtype), packed)[0], out_dtype
    )


# ==== NumPy ====


def _to_np_dtype(dtype: DType) -> type | None:
    """NumPy's type of scalars; float32 for the types that it lacks."""
    import numpy

    return numpy.dtype(dtype.fmt or "f").type


def _to_torch_dtype(dtype: DType) -> Any:
    """PyTorch's type of the same name; uint8, the type of their bits, for fp8."""
    import torch

    return torch.uint8 if dtype in DTypes.fp8s else getattr(torch, sized_name(dtype))


def _from_torch_dtype(torchdtype: Any) -> DType:
    """The type of the elements of a PyTorch tensor. Raises KeyError if there is none."""
    return {_to_torch_dtype(dtype): dtype for dtype in DTypes.all}[torchdtype]


def _from_np_dtype(npdtype: Any) -> DType:
    """The type of the elements of a NumPy array. Raises KeyError if there is none."""
    import numpy

    return DTYPES_DICT[numpy.dtype(npdtype).name]
