"""Windows: what convolutions and poolings have in common, and the poolings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.onnx.errors import OnnxError
from tinygrad_mlir.nn.onnx.registry import operator
from tinygrad_mlir.nn.onnx.values import to_tensor

Pairs = list[tuple[int, int]]


def resolve_pads(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: Sequence[int] | None,
    auto_pad: str,
) -> Pairs:
    """The pads before and after each spatial axis."""
    count = len(kernel)
    if auto_pad == "VALID":
        return [(0, 0)] * count
    if auto_pad in ("NOTSET", ""):
        pads = pads or [0] * (2 * count)
        return list(zip(pads[:count], pads[count:], strict=True))
    if auto_pad not in ("SAME_UPPER", "SAME_LOWER"):
        raise OnnxError(f"auto_pad is NOTSET, VALID, SAME_UPPER or SAME_LOWER, not {auto_pad!r}")
    result = []
    for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        total = max(0, (-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size)
        small = total // 2
        result.append(
            (small, total - small) if auto_pad == "SAME_UPPER" else (total - small, small)
        )
    return result


def flat_padding(pads: Pairs) -> list[int]:
    """Pads as the methods of Tensor take them: the last axis first."""
    return [number for pair in reversed(pads) for number in pair]


class Windows:
    """The windows of a pooling over the spatial axes of (N, C, ...)."""

    def __init__(
        self,
        x: Tensor,
        kernel: Sequence[int],
        strides: Sequence[int] | None,
        dilations: Sequence[int] | None,
        pads: Sequence[int] | None,
        auto_pad: str,
        ceil_mode: int,
    ) -> None:
        self.sizes = x.shape[2:]
        if len(kernel) != len(self.sizes):
            raise OnnxError(f"a kernel {kernel} for an input of the shape {x.shape}")
        self.kernel = list(kernel)
        self.strides = list(strides or [1] * len(kernel))
        self.dilations = list(dilations or [1] * len(kernel))
        self.pads = resolve_pads(
            self.sizes, self.kernel, self.strides, self.dilations, pads, auto_pad
        )
        #: Elements beyond the pads which the last windows need.
        self.extra = [0] * len(kernel)
        if not ceil_mode:
            return
        for i, (size, (before, after)) in enumerate(zip(self.sizes, self.pads, strict=True)):
            span = (self.kernel[i] - 1) * self.dilations[i] + 1
            count = -(-(size + before + after - span) // self.strides[i]) + 1
            if (count - 1) * self.strides[i] >= size + before:
                count -= 1
            last = (count - 1) * self.strides[i] + span
            self.extra[i] = max(0, last - size - before - after)

    def cut(self, x: Tensor, value: Any) -> Tensor:
        """(..., spatial) to (..., windows, elements of the window), with a value outside."""
        rank = x.ndim - len(self.kernel)
        outer = [(0, 0)] * rank
        grown = [
            (before, after + extra)
            for (before, after), extra in zip(self.pads, self.extra, strict=True)
        ]
        x = x.pad((*outer, *grown), value=value)
        for i, size in enumerate(self.kernel):
            span = (size - 1) * self.dilations[i] + 1
            x = x.unfold(rank + i, span, self.strides[i])
            if self.dilations[i] > 1:
                x = x[..., :: self.dilations[i]]
        return x.flatten(-len(self.kernel))

    def counts(self, include_pads: bool) -> Tensor | int:
        """How many elements each window has."""
        if include_pads and not any(self.extra):
            return math.prod(self.kernel)
        if not include_pads and not any(self.extra) and not any(map(any, self.pads)):
            return math.prod(self.kernel)
        ones = Tensor.ones(*self.sizes)
        if include_pads:
            inner = Windows.__new__(Windows)
            inner.__dict__.update(self.__dict__, pads=[(0, 0)] * len(self.kernel))
            return inner.cut(ones.pad(tuple(self.pads), value=1.0), 0.0).sum(-1)
        return self.cut(ones, 0.0).sum(-1)

    @property
    def is_plain(self) -> bool:
        return not any(self.extra)


@operator("MaxPool", context=True)
def max_pool(
    context: Any,
    x: Any,
    kernel_shape: list[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    storage_order: int = 0,
    strides: list[int] | None = None,
) -> Any:
    """Positions of the largest elements count through the whole tensor."""
    x = to_tensor(x)
    windows = Windows(x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    if windows.is_plain and context.num_outputs == 1 and len(windows.sizes) > 1:
        return x.max_pool2d(
            tuple(windows.kernel), windows.strides, windows.dilations, flat_padding(windows.pads)
        )
    lowest = -math.inf if x.is_floating_point() else x.dtype.min
    cut = windows.cut(x, lowest)
    if context.num_outputs == 1:
        return cut.max(-1).cast(x.dtype)
    # The first largest element of each window, among those that are not padding.
    inside = windows.cut(Tensor.ones(*windows.sizes, dtype=dtypes.bool), False)
    order = np.arange(math.prod(windows.sizes)).reshape(
        windows.sizes, order="F" if storage_order else "C"
    )
    positions = windows.cut(Tensor(order.astype(np.int32)), 0)
    largest = cut.max(-1, keepdim=True)
    at = ((cut == largest) & inside).argmax(-1).unsqueeze(-1)
    elements = Tensor.arange(cut.shape[-1])
    chosen = (elements == at).where(positions, 0).sum(-1).cast(dtypes.int64)
    planes = Tensor.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *[1] * len(windows.sizes))
    return largest.squeeze(-1).cast(x.dtype), chosen + planes.cast(dtypes.int64) * math.prod(
        windows.sizes
    )


@operator("AveragePool")
def average_pool(
    x: Tensor,
    kernel_shape: list[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    windows = Windows(x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    counts = windows.counts(bool(count_include_pad))
    return (windows.cut(x, 0.0).sum(-1) / counts).cast(x.dtype)


@operator("LpPool")
def lp_pool(
    x: Tensor,
    kernel_shape: list[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: list[int] | None = None,
    p: float = 2,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    windows = Windows(x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    return _norm(windows.cut(x, 0.0), p, [-1], False)


def _norm(x: Tensor, p: float, axes: Sequence[int], keepdim: bool) -> Tensor:
    return x.abs().pow(p).sum(tuple(axes), keepdim).pow(1 / p).cast(x.dtype)


def _spatial(x: Tensor) -> tuple[int, ...]:
    return tuple(range(2, x.ndim))


@operator("GlobalAveragePool")
def global_average_pool(x: Tensor) -> Tensor:
    return x.mean(_spatial(x), keepdim=True)


@operator("GlobalMaxPool")
def global_max_pool(x: Tensor) -> Tensor:
    return x.max(_spatial(x), keepdim=True)


@operator("GlobalLpPool")
def global_lp_pool(x: Tensor, p: float = 2) -> Tensor:
    return _norm(x, p, _spatial(x), True)


@operator("MaxUnpool", constants=[2])
def max_unpool(
    x: Tensor,
    positions: Tensor,
    output_shape: list[int] | None = None,
    kernel_shape: Any = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """Zeros, with the elements at positions that count through the tensor that was pooled."""
    rank = len(kernel_shape)
    strides = strides or [1] * rank
    before = pads or [0] * (2 * rank)
    sizes = [
        (size - 1) * strides[i] + kernel_shape[i] - before[i] - before[rank + i]
        for i, size in enumerate(x.shape[2:])
    ]
    planes, length = x.shape[0] * x.shape[1], math.prod(sizes)
    # Positions are those of the tensor without the larger output that may be asked for.
    rows = (positions.cast(dtypes.int64) % length).reshape(planes, -1)
    flat = Tensor.zeros(planes, length, dtype=x.dtype).scatter(1, rows, x.reshape(planes, -1))
    result = flat.reshape(*x.shape[:2], *sizes)
    if output_shape is None:
        return result
    return result.pad_to(*output_shape)


@operator("Col2Im", constants=[1, 2])
def col_to_im(
    x: Tensor,
    image_shape: list[int],
    block_shape: list[int],
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """Sums blocks into an image: a transposed convolution whose kernels pick one element each."""
    rank = len(image_shape)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    pads = pads or [0] * (2 * rank)
    elements = math.prod(block_shape)
    channels = x.shape[1] // elements
    counts = [
        (image_shape[i] + pads[i] + pads[rank + i] - dilations[i] * (block_shape[i] - 1) - 1)
        // strides[i]
        + 1
        for i in range(rank)
    ]
    pick = Tensor.eye(elements, dtype=x.dtype).reshape(elements, 1, *block_shape)
    whole = x.reshape(x.shape[0], x.shape[1], *counts).conv_transpose2d(
        pick.repeat(channels, *[1] * (rank + 1)), None, channels, strides, dilations
    )
    bounds = [(pads[i], pads[i] + image_shape[i]) for i in range(rank)]
    grown = [
        (0, max(0, last - size)) for (_, last), size in zip(bounds, whole.shape[2:], strict=True)
    ]
    return whole.pad(((0, 0), (0, 0), *grown)).shrink((None, None, *bounds))
