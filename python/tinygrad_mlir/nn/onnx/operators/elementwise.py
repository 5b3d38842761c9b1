"""Operators on each element, of ONNX's sections on arithmetic, logic and activations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.onnx.errors import OnnxError
from tinygrad_mlir.nn.onnx.registry import method, operator

for name, call in {
    "Abs": Tensor.abs,
    "Acos": Tensor.acos,
    "Acosh": Tensor.acosh,
    "Asin": Tensor.asin,
    "Asinh": Tensor.asinh,
    "Atan": Tensor.atan,
    "Atanh": Tensor.atanh,
    "BitwiseNot": Tensor.bitwise_not,
    "Cos": Tensor.cos,
    "Cosh": Tensor.cosh,
    "Erf": Tensor.erf,
    "Exp": Tensor.exp,
    "HardSwish": Tensor.hardswish,
    "IsNaN": Tensor.isnan,
    "Log": Tensor.log,
    "Mish": Tensor.mish,
    "Relu": Tensor.relu,
    "Round": Tensor.round,
    "Sigmoid": Tensor.sigmoid,
    "Sign": Tensor.sign,
    "Sin": Tensor.sin,
    "Sinh": Tensor.sinh,
    "Softplus": Tensor.softplus,
    "Softsign": Tensor.softsign,
    "Tan": Tensor.tan,
    "Tanh": Tensor.tanh,
}.items():
    # Versions before 6 have an attribute without effect.
    method(name, lambda x, consumed_inputs=None, call=call: call(x))

for name, call, fold in (
    ("Ceil", Tensor.ceil, np.ceil),
    ("Floor", Tensor.floor, np.floor),
    ("Neg", Tensor.neg, np.negative),
    ("Not", Tensor.logical_not, np.logical_not),
    ("Reciprocal", Tensor.reciprocal, np.reciprocal),
    ("Sqrt", Tensor.sqrt, np.sqrt),
):
    method(
        name,
        lambda x, consumed_inputs=None, call=call: call(x),
        fold=lambda x, consumed_inputs=None, fold=fold: fold(x),
    )

method("Celu", lambda x, alpha: x.celu(alpha))
method("Elu", lambda x, alpha=1.0, consumed_inputs=None: x.elu(alpha))
method("Gelu", lambda x, approximate: x.gelu(approximate))
method(
    "IsInf",
    lambda x, detect_negative, detect_positive: x.isinf(
        bool(detect_positive), bool(detect_negative)
    ),
)
method("LeakyRelu", lambda x, alpha=0.01, consumed_inputs=None: x.leaky_relu(alpha))
method("Swish", lambda x, alpha: x * (x * alpha).sigmoid())
method("ThresholdedRelu", lambda x, alpha: (x > alpha).where(x, 0))


@operator("Selu")
def selu(x: Tensor, alpha: float, gamma: float, consumed_inputs: Any = None) -> Tensor:
    return (x > 0).where(x, x.exp() * alpha - alpha) * gamma


@operator("HardSigmoid")
def hard_sigmoid(x: Tensor, alpha: float, beta: float, consumed_inputs: Any = None) -> Tensor:
    return (x * alpha + beta).clip(0, 1)


@operator("Shrink")
def shrink(x: Tensor, bias: float, lambd: float) -> Tensor:
    return (x < -lambd).where(x + bias, (x > lambd).where(x - bias, 0)).cast(x.dtype)


@operator("PRelu")
def prelu_of_channels(x: Tensor, slope: Tensor, consumed_inputs: Any = None) -> Tensor:
    if slope.ndim == 1 and x.ndim > 1 and slope.shape[0] not in (1, x.shape[-1]):
        slope = slope.reshape(-1, *[1] * (x.ndim - 2))
    return (x < 0).where(x * slope, x)


@operator("PRelu", since=7)
def prelu_broadcast(x: Tensor, slope: Tensor) -> Tensor:
    return (x < 0).where(x * slope, x)


@operator("Clip")
def clip_by_attributes(
    x: Tensor, min: float = -math.inf, max: float = math.inf, consumed_inputs: Any = None
) -> Tensor:
    return x.clip(min, max)


@operator("Clip", since=11)
def clip(x: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> Tensor:
    if low is not None:
        x = x.maximum(low)
    return x if high is None else x.minimum(high)


def divide(x: Tensor, y: Tensor) -> Tensor:
    """Integers are rounded towards zero."""
    return x / y if x.is_floating_point() else x.div(y, rounding_mode="trunc")


def divide_arrays(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind not in "iu":
        result: np.ndarray = x / y
    else:
        result = (np.sign(x) * np.sign(y) * (abs(x) // abs(y))).astype(x.dtype)
    return result


def power(x: Tensor, y: Tensor) -> Tensor:
    """The result has the type of the base; the exponent may be of any other."""
    if x.is_floating_point() or not y.is_floating_point():
        return x.pow(y.cast(x.dtype)) if x.is_floating_point() else x.pow(y).cast(x.dtype)
    return x.cast(y.dtype).pow(y).cast(x.dtype)


def spread(x: Tensor, y: Tensor, broadcast: int, axis: int | None) -> Tensor:
    """The second operand of an opset before 7: its axes are those of x from `axis` on."""
    if not broadcast or axis is None:
        return y
    axis += x.ndim if axis < 0 else 0
    return y.reshape(*y.shape, *[1] * (x.ndim - axis - y.ndim))


def binary(
    name: str,
    call: Callable[[Tensor, Tensor], Tensor],
    fold: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
) -> None:
    """Registers an operator of two operands, with the broadcasting of its opset."""

    def with_axis(
        x: Tensor,
        y: Tensor,
        broadcast: int = 0,
        axis: int | None = None,
        consumed_inputs: Any = None,
    ) -> Tensor:
        return call(x, spread(x, y, broadcast, axis))

    operator(name)(with_axis)
    operator(name, since=7, fold=fold)(call)


_BINARY: tuple[tuple[str, Callable[..., Tensor], Callable[..., Any] | None], ...] = (
    ("Add", Tensor.add, np.add),
    ("And", Tensor.bitwise_and, np.logical_and),
    ("BitwiseAnd", Tensor.bitwise_and, None),
    ("BitwiseOr", Tensor.bitwise_or, None),
    ("BitwiseXor", Tensor.bitwise_xor, None),
    ("Div", divide, divide_arrays),
    ("Equal", Tensor.eq, np.equal),
    ("Greater", Tensor.gt, np.greater),
    ("GreaterOrEqual", Tensor.ge, np.greater_equal),
    ("Less", Tensor.lt, np.less),
    ("LessOrEqual", Tensor.le, np.less_equal),
    ("Mul", Tensor.mul, np.multiply),
    ("Or", Tensor.bitwise_or, np.logical_or),
    ("Pow", power, None),
    ("Sub", Tensor.sub, np.subtract),
    ("Xor", Tensor.bitwise_xor, np.logical_xor),
)
for name, function, fold_arrays in _BINARY:
    binary(name, function, fold_arrays)


def modulo_of_arrays(x: np.ndarray, y: np.ndarray, fmod: int) -> np.ndarray:
    result: np.ndarray = np.fmod(x, y) if fmod else np.mod(x, y)
    return result


@operator("Mod", fold=modulo_of_arrays)
def modulo(x: Tensor, y: Tensor, fmod: int) -> Tensor:
    """The sign is the dividend's with `fmod`, and the divisor's without."""
    return x.fmod(y) if fmod else x.mod(y)


@operator("BitShift")
def shift_bits(x: Tensor, y: Tensor, direction: str) -> Tensor:
    if direction not in ("LEFT", "RIGHT"):
        raise OnnxError(f"the direction is 'LEFT' or 'RIGHT', not {direction!r}")
    width = 8 * x.element_size()
    if direction == "RIGHT" and not dtypes.is_unsigned(x.dtype):
        # The sign fills the bits, all of them if the distance is the width.
        return x.rshift(y.minimum(width - 1))
    shifted = x.lshift(y) if direction == "LEFT" else x.rshift(y)
    return (y >= width).where(0, shifted).cast(x.dtype)


def variadic(
    name: str,
    call: Callable[[Tensor, Tensor], Tensor],
    fold: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> None:
    """Registers an operator that combines any number of operands."""

    def combine(first: Tensor, *rest: Tensor, consumed_inputs: Any = None) -> Tensor:
        for x in rest:
            first = call(first, x)
        return first

    def combine_arrays(
        first: np.ndarray, *rest: np.ndarray, consumed_inputs: Any = None
    ) -> np.ndarray:
        for x in rest:
            first = fold(first, x)
        return first

    operator(name, fold=combine_arrays)(combine)


variadic("Max", Tensor.maximum, np.maximum)
variadic("Min", Tensor.minimum, np.minimum)
variadic("Sum", Tensor.add, np.add)


@operator("Mean")
def mean(first: Tensor, *rest: Tensor, consumed_inputs: Any = None) -> Tensor:
    return (first.usum(*rest) if rest else first) / (1 + len(rest))


@operator("Where", fold=np.where)
def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return condition.where(x, y)


@operator("Einsum")
def einsum(*operands: Tensor, equation: str) -> Tensor:
    return Tensor.einsum(equation.replace(" ", ""), *operands)
