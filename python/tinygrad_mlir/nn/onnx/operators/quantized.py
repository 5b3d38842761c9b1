"""Conversions between element types, and computations on quantized elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.onnx.errors import UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.operators.networks import conv, of_channels
from tinygrad_mlir.nn.onnx.registry import operator
from tinygrad_mlir.nn.onnx.values import (
    DTYPES,
    NARROW,
    Constant,
    Narrow,
    Value,
    element_type,
    held_dtype,
    name_of_type,
    shape_of,
    to_tensor,
)

#: The largest numbers of the types of 8 bits.
LARGEST = {
    dtypes.fp8e4m3: 448.0,
    dtypes.fp8e4m3fnuz: 240.0,
    dtypes.fp8e5m2: 57344.0,
    dtypes.fp8e5m2fnuz: 57344.0,
}
#: The smallest and largest numbers of the narrow integers.
BOUNDS: dict[int, tuple[int, int]] = {
    TensorProto.INT4: (-8, 7),
    TensorProto.UINT4: (0, 15),
    TensorProto.INT2: (-2, 1),
    TensorProto.UINT2: (0, 3),
}


def held(value: Value) -> Tensor:
    """The tensor that holds the elements of any type."""
    return value.tensor if isinstance(value, Narrow) else to_tensor(value)


def to_float4(x: Tensor) -> Tensor:
    """The nearest number of FLOAT4E2M1, those in the middle to the even one; at most 6, 0 for NaN."""
    size = x.abs().clip(0, 6)
    step = (size < 2).where(0.5, (size < 4).where(1.0, 2.0))
    return x.isnan().where(0, ((size / step).round() * step).copysign(x))


def to_power_of_two(x: Tensor, saturate: bool, round_mode: str) -> Tensor:
    """A number of FLOAT8E8M0, which has only exponents."""
    bits = x.abs().bitcast(dtypes.uint32)
    exponent, mantissa = bits.rshift(23), bits.bitwise_and(0x7FFFFF)
    if round_mode == "up":
        exponent = exponent + (mantissa > 0).cast(dtypes.uint32)
    elif round_mode == "nearest":
        exponent = exponent + (mantissa >= 0x400000).cast(dtypes.uint32)
    is_large = exponent > 254
    power = (exponent.cast(dtypes.int32).clip(0, 254).cast(dtypes.float32) - 127).exp2()
    power = is_large.where(2.0**127 if saturate else math.nan, power)
    return x.isnan().where(math.nan, power)


def convert(x: Tensor, element: int, saturate: bool = True, round_mode: str = "up") -> Value:
    """The elements as another type, which may be narrow."""
    dtype = held_dtype(element)
    if element == TensorProto.FLOAT4E2M1:
        return Narrow(to_float4(x.cast(dtypes.float32)), element)
    if element == TensorProto.FLOAT8E8M0:
        return Narrow(to_power_of_two(x.cast(dtypes.float32), saturate, round_mode), element)
    if element in BOUNDS:
        low, high = BOUNDS[element]
        wide = x.cast(dtypes.int32).bitwise_and(high - low)
        wide = (wide > high).where(wide - (high - low + 1), wide)
        return Narrow(wide.cast(dtype), element)
    if dtype in LARGEST:
        wide = x if x.dtype in (dtypes.float16, dtypes.float64) else x.cast(dtypes.float32)
        if saturate:
            wide = wide.clip(-LARGEST[dtype], LARGEST[dtype])
        else:
            # Half of a number rounds as the number would without an end of the type.
            rounded = (wide / 2).cast(dtype).cast(wide.dtype).abs() * 2
            wide = (rounded > LARGEST[dtype]).where(wide.sign() * math.inf, wide)
        return wide.cast(dtype)
    return x.cast(dtype)


@operator("Cast", 6, context=True)
def cast(_: Any, x: Value, to: int, saturate: int = 1, round_mode: str = "up") -> Value:
    if isinstance(x, Constant) and to in DTYPES and x.array.dtype.kind in "biuf":
        target = helper.tensor_dtype_to_np_dtype(to)
        if target.kind in "biuf":
            with np.errstate(invalid="ignore", over="ignore"):
                return Constant(x.array.astype(target))
    return convert(held(x), to, bool(saturate), round_mode)


@operator("Cast", context=True)
def cast_by_name(context: Any, x: Value, to: str) -> Value:
    """Before opset 6 the type is a string."""
    return cast(context, x, TensorProto.DataType.Value(to))


@operator("CastLike", context=True)
def cast_like(
    context: Any, x: Value, like: Value, saturate: int = 1, round_mode: str = "up"
) -> Value:
    return cast(context, x, element_type(like), saturate, round_mode)


@operator("BitCast", context=True)
def bit_cast(_: Any, x: Value, to: int) -> Value:
    element = element_type(x)
    if element == to:
        return x
    if element in BOUNDS and to in BOUNDS:
        # Of the same number of bits: the sign is another.
        return convert(held(x), to)
    if element in NARROW or to in NARROW:
        names = name_of_type(element), name_of_type(to)
        raise UnsupportedOnnxError(f"the bits of the type {names[0]} as the type {names[1]}")
    tensor = to_tensor(x)
    if tensor.dtype == dtypes.bool:
        tensor = tensor.cast(dtypes.uint8)
    return tensor.bitcast(DTYPES[to])


def along(parameter: Tensor, shape: Sequence[int], axis: int, block_size: int = 0) -> Tensor:
    """A scale or zero point for each tensor, index of an axis, or block along it."""
    if parameter.numel() == 1:
        return parameter.reshape(())
    if block_size:
        axis %= len(shape)
        parameter = parameter.repeat_interleave(block_size, axis)
        return parameter.shrink(tuple((0, size) for size in shape))
    if parameter.ndim == 1:
        sizes = [1] * len(shape)
        sizes[axis % len(shape)] = parameter.shape[0]
        return parameter.reshape(tuple(sizes))
    return parameter


@operator("DequantizeLinear", context=True)
def dequantize_linear(
    _: Any,
    x: Value,
    scale: Value,
    zero_point: Value = None,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Tensor:
    wide = held(x)
    shape = shape_of(x)
    factor = along(held(scale), shape, axis, block_size)
    dtype = held_dtype(output_dtype) if output_dtype else factor.dtype
    if zero_point is not None and not wide.is_floating_point():
        wide = wide.cast(dtypes.int32) - along(held(zero_point), shape, axis, block_size).cast(
            dtypes.int32
        )
    return (wide.cast(dtypes.float32) * factor.cast(dtypes.float32)).cast(dtype)


def limit(x: Tensor, element: int) -> Value:
    """Integers as numbers of a type: those beyond its bounds are the nearest one."""
    dtype = held_dtype(element)
    low, high = BOUNDS.get(element) or (dtype.min, dtype.max)
    result = x.clip(low, high).cast(dtype)
    return Narrow(result, element) if element in NARROW else result


def round_to(x: Tensor, zero_point: Tensor, element: int) -> Value:
    """The nearest integers, to which the zero point is added, as numbers of a type."""
    return limit(x.round() + zero_point.cast(x.dtype), element)


@operator("QuantizeLinear", context=True)
def quantize_linear(
    _: Any,
    x: Value,
    scale: Value,
    zero_point: Value = None,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
) -> Value:
    element = output_dtype or (
        TensorProto.UINT8 if zero_point is None else element_type(zero_point)
    )
    wide = to_tensor(x)
    dtype = held_dtype(precision) if precision else dtypes.float32
    factor = along(held(scale), shape_of(x), axis, block_size)
    if not precision and factor.dtype == dtypes.float64:
        dtype = dtypes.float64
    wide = wide.cast(dtype) / factor.cast(dtype)
    if held_dtype(element) in LARGEST or held_dtype(element) == dtypes.float32:
        return convert(wide, element, bool(saturate))
    if zero_point is None:
        return limit(wide.round(), element)
    return round_to(wide, along(held(zero_point), shape_of(x), axis, block_size), element)


@operator("DynamicQuantizeLinear")
def dynamic_quantize_linear(x: Tensor) -> tuple[Value, Tensor, Tensor]:
    low, high = x.min().minimum(0), x.max().maximum(0)
    scale = (high - low) / 255
    zero_point = held(limit((-low / scale).round(), TensorProto.UINT8))
    return round_to(x / scale, zero_point, TensorProto.UINT8), scale, zero_point


def _centered(x: Tensor, zero_point: Tensor | None, axis: int) -> Tensor:
    """The differences from the zero point, which may be one for each index of an axis."""
    wide = x.cast(dtypes.int32)
    if zero_point is None:
        return wide
    return wide - along(zero_point.cast(dtypes.int32), x.shape, axis)


@operator("MatMulInteger")
def matmul_integer(
    a: Tensor, b: Tensor, a_zero: Tensor | None = None, b_zero: Tensor | None = None
) -> Tensor:
    return _centered(a, a_zero, -2).matmul(_centered(b, b_zero, -1)).cast(dtypes.int32)


@operator("QLinearMatMul", context=True)
def qlinear_matmul(_: Any, *values: Value) -> Value:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = (to_tensor(v) for v in values)
    product = matmul_integer(a, b, a_zero, b_zero).cast(dtypes.float32)
    shape = product.shape
    scales = along(a_scale.float(), shape, -2) * along(b_scale.float(), shape, -1)
    product = product * (scales / along(y_scale.float(), shape, -2))
    return round_to(product, along(y_zero, shape, -2), element_type(y_zero))


@operator("ConvInteger")
def conv_integer(
    x: Tensor,
    weight: Tensor,
    x_zero: Tensor | None = None,
    weight_zero: Tensor | None = None,
    **attributes: Any,
) -> Tensor:
    x, weight = _centered(x, x_zero, 1), _centered(weight, weight_zero, 0)
    return conv(x, weight, None, **attributes).cast(dtypes.int32)


@operator("QLinearConv")
def qlinear_conv(
    x: Tensor,
    x_scale: Tensor,
    x_zero: Tensor,
    weight: Tensor,
    weight_scale: Tensor,
    weight_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
    bias: Tensor | None = None,
    **attributes: Any,
) -> Value:
    product = conv_integer(x, weight, x_zero, weight_zero, **attributes)
    if bias is not None:
        product = product + of_channels(bias, x.ndim)
    scale = x_scale.reshape(()) * along(weight_scale, product.shape, 1) / y_scale.reshape(())
    product = product.cast(dtypes.float32) * scale
    return round_to(product, y_zero.reshape(()), element_type(y_zero))
