"""Convolutions, normalizations and dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.onnx.operators.pooling import flat_padding, resolve_pads
from tinygrad_mlir.nn.onnx.registry import operator
from tinygrad_mlir.nn.onnx.values import held_dtype, to_array, to_tensor


@operator("Conv")
def conv(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    auto_pad: str = "NOTSET",
    dilations: list[int] | None = None,
    group: int = 1,
    kernel_shape: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    kernel = weight.shape[2:]
    strides, dilations = strides or [1] * len(kernel), dilations or [1] * len(kernel)
    resolved = resolve_pads(x.shape[2:], kernel, strides, dilations, pads, auto_pad)
    y = x.conv2d(weight, bias, group, strides, dilations, flat_padding(resolved))
    return y.cast(x.dtype)


@operator("ConvTranspose")
def conv_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    auto_pad: str = "NOTSET",
    dilations: list[int] | None = None,
    group: int = 1,
    kernel_shape: list[int] | None = None,
    output_padding: list[int] | None = None,
    output_shape: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """The full result, of which pads are cut off; negative ones extend it by zeros."""
    kernel = weight.shape[2:]
    rank = len(kernel)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    extra = output_padding or [0] * rank
    full = [
        (size - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1
        for i, size in enumerate(x.shape[2:])
    ]
    if output_shape is None and auto_pad.startswith("SAME"):
        output_shape = [size * strides[i] for i, size in enumerate(x.shape[2:])]
    if output_shape is not None:
        sizes = output_shape[-rank:]
        cuts = []
        for i in range(rank):
            total = full[i] + extra[i] - sizes[i]
            half = total // 2
            cuts.append((half, total - half) if auto_pad == "SAME_UPPER" else (total - half, half))
    else:
        given = pads if pads and auto_pad in ("NOTSET", "") else [0] * (2 * rank)
        cuts = list(zip(given[:rank], given[rank:], strict=True))
    y = x.conv_transpose2d(weight, None, group, strides, dilations)
    ends = [extra[i] - after for i, (_, after) in enumerate(cuts)]
    grown = tuple(
        (max(0, -before), max(0, end)) for (before, _), end in zip(cuts, ends, strict=True)
    )
    y = y.pad(((0, 0), (0, 0), *grown))
    bounds = tuple(
        (max(0, before), size + min(0, end))
        for (before, _), end, size in zip(cuts, ends, y.shape[2:], strict=True)
    )
    y = y.shrink((None, None, *bounds))
    return y if bias is None else y + of_channels(bias, y.ndim)


def of_channels(x: Tensor, rank: int) -> Tensor:
    """A number for each channel, as is broadcast to a tensor of this rank."""
    return x.reshape(1, -1, *[1] * (rank - 2))


@operator("BatchNormalization", context=True)
def batch_normalization(
    context: Any,
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
    is_test: int = 1,
    spatial: int = 1,
    consumed_inputs: Any = None,
) -> Any:
    x, scale, bias = to_tensor(x), to_tensor(scale), to_tensor(bias)
    mean, variance = to_tensor(mean), to_tensor(variance)
    results: tuple[Tensor, ...] = ()
    if training_mode:
        axes = (0, *range(2, x.ndim))
        batch_mean, batch_variance = x.mean(axes), x.var(axes, correction=0)
        results = (
            mean * momentum + batch_mean.cast(mean.dtype) * (1 - momentum),
            variance * momentum + batch_variance.cast(variance.dtype) * (1 - momentum),
        )
        mean, variance = batch_mean, batch_variance
    if not spatial:
        y = (x - mean) * (variance + epsilon).rsqrt() * scale + bias
    else:
        y = x.batchnorm(scale, bias, mean, (variance + epsilon).rsqrt())
    return (y.cast(x.dtype), *results)


@operator("InstanceNormalization")
def instance_normalization(
    x: Tensor, scale: Tensor, bias: Tensor, epsilon: float = 1e-5, consumed_inputs: Any = None
) -> Tensor:
    y = x.flatten(2).layernorm(-1, epsilon).reshape(x.shape) if x.ndim > 2 else x - x
    return y * of_channels(scale, x.ndim) + of_channels(bias, x.ndim)


def _axes_from(x: Tensor, axis: int) -> tuple[int, ...]:
    return tuple(range(axis % x.ndim, x.ndim))


@operator("LayerNormalization", context=True)
def layer_normalization(
    context: Any,
    x: Any,
    scale: Any,
    bias: Any = None,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> Any:
    """Also the mean and the inverse of the standard deviation, in the type of the computation."""
    x, scale = to_tensor(x), to_tensor(scale)
    axes, wide = _axes_from(x, axis), x.cast(held_dtype(stash_type))
    y = wide.layernorm(axes, epsilon).cast(x.dtype) * scale
    y = y if bias is None else y + to_tensor(bias)
    if context.num_outputs == 1:
        return y
    mean = wide.mean(axes, keepdim=True)
    inverse = (wide.var(axes, keepdim=True, correction=0) + epsilon).rsqrt()
    return y, mean, inverse


@operator("RMSNormalization")
def rms_normalization(
    x: Tensor, scale: Tensor, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Tensor:
    axes, wide = _axes_from(x, axis), x.cast(held_dtype(stash_type))
    y = wide * (wide.square().mean(axes, keepdim=True) + epsilon).rsqrt()
    return y.cast(x.dtype) * scale


def _normalize_groups(x: Tensor, num_groups: int, epsilon: float, stash_type: int) -> Tensor:
    wide = x.cast(held_dtype(stash_type)).reshape(x.shape[0], num_groups, -1)
    return wide.layernorm(-1, epsilon).cast(x.dtype)


@operator("GroupNormalization", 18)
def group_normalization_of_groups(
    x: Tensor, scale: Tensor, bias: Tensor, epsilon: float, num_groups: int
) -> Tensor:
    """Scale and bias of each group."""
    y = _normalize_groups(x, num_groups, epsilon, 1)
    return (y * scale.unsqueeze(-1) + bias.unsqueeze(-1)).reshape(x.shape)


@operator("GroupNormalization", 21)
def group_normalization(
    x: Tensor, scale: Tensor, bias: Tensor, epsilon: float, num_groups: int, stash_type: int = 1
) -> Tensor:
    y = _normalize_groups(x, num_groups, epsilon, stash_type).reshape(x.shape)
    return y * of_channels(scale, x.ndim) + of_channels(bias, x.ndim)


@operator("LRN")
def local_response_normalization(
    x: Tensor, size: int, alpha: float, beta: float, bias: float
) -> Tensor:
    before = (size - 1) // 2
    pads = [(0, 0), (before, size - 1 - before), *[(0, 0)] * (x.ndim - 2)]
    squares = x.square().pad(tuple(pads)).unfold(1, size, 1).sum(-1)
    return x / (squares * (alpha / size) + bias).pow(beta)


@operator("MeanVarianceNormalization")
def mean_variance_normalization(x: Tensor, axes: Sequence[int] = (0, 2, 3)) -> Tensor:
    axes = tuple(axes)
    mean = x.mean(axes, keepdim=True)
    deviation = ((x * x).mean(axes, keepdim=True) - mean * mean).sqrt()
    return (x - mean) / (deviation + 1e-9)


@operator("Dropout")
def dropout_by_attribute(
    x: Tensor, ratio: float = 0.5, is_test: int = 1, consumed_inputs: Any = None
) -> tuple[Tensor, Tensor]:
    """Of inference alone: before opset 12 a model does not say that it is trained."""
    return x, Tensor.ones(*x.shape, dtype=dtypes.bool)


@operator("Dropout", 12, context=True)
def dropout(
    _: Any, x: Any, ratio: Any = None, training_mode: Any = None, seed: int | None = None
) -> tuple[Tensor, Tensor]:
    x = to_tensor(x)
    chance = 0.5 if ratio is None else float(to_array(ratio).reshape(()))
    is_trained = training_mode is not None and bool(np.all(to_array(training_mode)))
    if not is_trained or chance == 0:
        return x, Tensor.ones(*x.shape, dtype=dtypes.bool)
    if seed is not None:
        Tensor.manual_seed(seed)
    mask = Tensor.rand(*x.shape) >= chance
    return mask.where(x, 0) * (1 / (1 - chance)), mask
