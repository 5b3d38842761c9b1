"""Operators that reduce or scan axes, and products of matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.onnx.registry import operator

Axes = Sequence[int] | None


def _sum(x: Tensor, axes: Axes, keepdim: bool) -> Tensor:
    return x.sum(axes, keepdim, dtype=x.dtype)


def _extreme(call: Callable[..., Tensor]) -> Callable[[Tensor, Axes, bool], Tensor]:
    return lambda x, axes, keepdim: call(x, axes, keepdim).cast(x.dtype)


REDUCTIONS: dict[str, tuple[Callable[[Tensor, Axes, bool], Tensor], Any]] = {
    "ReduceL1": (lambda x, axes, keepdim: _sum(x.abs(), axes, keepdim), None),
    "ReduceL2": (
        lambda x, axes, keepdim: x.square().sum(axes, keepdim).sqrt().cast(x.dtype),
        None,
    ),
    "ReduceLogSum": (lambda x, axes, keepdim: _sum(x, axes, keepdim).log(), None),
    "ReduceLogSumExp": (lambda x, axes, keepdim: x.logsumexp(axes, keepdim), None),
    "ReduceMax": (_extreme(Tensor.max), np.max),
    "ReduceMean": (lambda x, axes, keepdim: x.mean(axes, keepdim).cast(x.dtype), None),
    "ReduceMin": (_extreme(Tensor.min), np.min),
    "ReduceProd": (lambda x, axes, keepdim: x.prod(axes, keepdim).cast(x.dtype), np.prod),
    "ReduceSum": (_sum, np.sum),
    "ReduceSumSquare": (lambda x, axes, keepdim: _sum(x.square(), axes, keepdim), None),
}
#: The opset since which the axes are an input.
kAxesInput = {name: 13 if name == "ReduceSum" else 18 for name in REDUCTIONS}


def _register(name: str) -> None:
    call: Callable[..., Tensor]
    fold: Callable[..., np.ndarray] | None
    call, fold = REDUCTIONS[name]

    def reduce(
        x: Tensor, axes: Axes = None, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Tensor:
        if not axes:
            if noop_with_empty_axes:
                # Still what happens to each element.
                return call(x.unsqueeze(0), (0,), False)
            return call(x, None, bool(keepdims))
        return call(x, tuple(axes), bool(keepdims))

    def reduce_arrays(
        x: np.ndarray, axes: Any = None, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> np.ndarray | None:
        assert fold is not None
        if axes is None or not len(axes):
            if noop_with_empty_axes:
                return x
            return fold(x, None, keepdims=bool(keepdims)).astype(x.dtype)
        return fold(x, tuple(int(a) for a in axes), keepdims=bool(keepdims)).astype(x.dtype)

    operator(name, fold=reduce_arrays if fold else None)(reduce)
    operator(name, kAxesInput[name], constants=[1], fold=reduce_arrays if fold else None)(reduce)


for name in REDUCTIONS:
    _register(name)


@operator("ArgMax")
def arg_max(x: Tensor, axis: int, keepdims: int, select_last_index: int = 0) -> Tensor:
    if select_last_index:
        last = x.shape[axis] - 1
        last_first: Tensor = last - x.flip(axis).argmax(axis, bool(keepdims))
        return last_first.cast(dtypes.int64)
    return x.argmax(axis, bool(keepdims)).cast(dtypes.int64)


@operator("ArgMin")
def arg_min(x: Tensor, axis: int, keepdims: int, select_last_index: int = 0) -> Tensor:
    if select_last_index:
        last = x.shape[axis] - 1
        last_first: Tensor = last - x.flip(axis).argmin(axis, bool(keepdims))
        return last_first.cast(dtypes.int64)
    return x.argmin(axis, bool(keepdims)).cast(dtypes.int64)


def hardmax(x: Tensor, axis: int) -> Tensor:
    """1 at the first largest element, else 0."""
    row = [1] * x.ndim
    row[axis] = x.shape[axis]
    positions = Tensor.arange(x.shape[axis]).reshape(tuple(row))
    return (positions == x.argmax(axis, keepdim=True)).cast(x.dtype)


for name, call in {
    "Softmax": Tensor.softmax,
    "LogSoftmax": Tensor.log_softmax,
    "Hardmax": hardmax,
}.items():

    def over_last_axes(x: Tensor, axis: int = 1, call: Any = call) -> Tensor:
        """Before opset 13: all axes from `axis` on are one."""
        axis += x.ndim if axis < 0 else 0
        rows = int(np.prod(x.shape[:axis]))
        result: Tensor = call(x.reshape(rows, -1), -1)
        return result.reshape(x.shape)

    operator(name)(over_last_axes)
    operator(name, 13)(lambda x, axis=-1, call=call: call(x, axis).cast(x.dtype))


def _scan(call: Callable[..., Tensor], first: int) -> Callable[..., Tensor]:
    """A scan, reversed or without the element itself if asked for."""

    def scan(x: Tensor, axis: Any, exclusive: int = 0, reverse: int = 0) -> Tensor:
        axis = int(axis[0] if isinstance(axis, list) else axis) % x.ndim
        y = x.flip(axis) if reverse else x
        if exclusive:
            pads = tuple((int(a == axis), -int(a == axis)) for a in range(x.ndim))
            bounds = tuple((0, size - int(a == axis)) for a, size in enumerate(x.shape))
            y = y.shrink(bounds).pad(tuple((before, 0) for before, _ in pads), value=first)
        y = call(y, axis).cast(x.dtype)
        return y.flip(axis) if reverse else y

    return scan


operator("CumSum", constants=[1])(_scan(Tensor.cumsum, 0))
operator("CumProd", constants=[1])(_scan(Tensor.cumprod, 1))


@operator("LpNormalization")
def lp_normalization(x: Tensor, axis: int, p: int) -> Tensor:
    """Divided by the norm; zeros where that is zero."""
    norm = x.abs().sum(axis, True) if p == 1 else x.square().sum(axis, True).sqrt()
    return (norm == 0).where(0, x / norm).cast(x.dtype)


@operator("MatMul")
def matmul(x: Tensor, y: Tensor) -> Tensor:
    return x.matmul(y).cast(x.dtype)


@operator("Gemm")
def gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    broadcast: int = 0,
) -> Tensor:
    y = (a.transpose() if transA else a).matmul(b.transpose() if transB else b)
    y = y if alpha == 1 else y * alpha
    if c is not None:
        y = y + (c if beta == 1 else c * beta)
    return y.cast(a.dtype)


@operator("Det")
def determinant(x: Tensor) -> Tensor:
    """By elimination with pivots, one column at a time."""
    size = x.shape[-1]
    batch = x.shape[:-2]
    result: Tensor | None = None
    x = x.reshape(-1, size, size)
    for column in range(size):
        rest = size - column
        pivot = x[:, :, 0].abs().argmax(1)
        chosen = (Tensor.arange(rest) == pivot.unsqueeze(1)).unsqueeze(2)
        row = chosen.where(x, 0).sum(1, keepdim=True)
        # The first row takes the place of the pivot's, which changes the sign.
        x = chosen.where(x[:, :1], x)[:, 1:]
        factor = (pivot == 0).where(row[:, 0, 0], -row[:, 0, 0])
        result = factor if result is None else result * factor
        if rest > 1:
            x = (x - x[:, :, :1] * row / row[:, :, :1])[:, :, 1:]
    assert result is not None
    return result.reshape(batch)
