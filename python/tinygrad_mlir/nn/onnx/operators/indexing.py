"""Operators that pick, scatter and order elements by values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.onnx.errors import UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.registry import operator

REDUCTIONS = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


@operator("Gather", fold=lambda x, indices, axis=0: np.take(x, indices, axis))
def gather(x: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
    """Negative indices count from the end."""
    return x[(slice(None),) * (axis % x.ndim) + (indices,)]


def _wrap(indices: Tensor, size: int) -> Tensor:
    """Indices with the negative ones counted from the end."""
    return (indices < 0).where(indices + size, indices)


@operator("GatherElements")
def gather_elements(x: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
    bounds = tuple(
        (0, size if a == axis % x.ndim else indices.shape[a]) for a, size in enumerate(x.shape)
    )
    return x.shrink(bounds).gather(axis, _wrap(indices, x.shape[axis]))


def _flat_positions(indices: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Positions among the leading axes of a shape, as one number each."""
    position = None
    for axis, size in enumerate(shape):
        part = _wrap(indices[..., axis], size)
        position = part if position is None else position * size + part
    assert position is not None
    return position


@operator("GatherND")
def gather_nd(x: Tensor, indices: Tensor, batch_dims: int = 0) -> Tensor:
    depth = indices.shape[-1]
    batches = math.prod(x.shape[:batch_dims])
    indexed = x.shape[batch_dims : batch_dims + depth]
    rest = x.shape[batch_dims + depth :]
    positions = _flat_positions(indices, indexed).reshape(batches, -1)
    rows = positions + Tensor.arange(batches).unsqueeze(1) * math.prod(indexed)
    picked = x.reshape(batches * math.prod(indexed), *rest)[rows.flatten()]
    return picked.reshape(*indices.shape[:-1], *rest)


@operator("Scatter")
@operator("ScatterElements")
def scatter_elements(
    x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    indices = _wrap(indices, x.shape[axis])
    if reduction == "none":
        return x.scatter(axis, indices, updates)
    return x.scatter_reduce(axis, indices, updates, _reduction(reduction))


def _reduction(name: str) -> str:
    if name not in REDUCTIONS:
        raise UnsupportedOnnxError(f"the reduction '{name}', not one of {['none', *REDUCTIONS]}")
    return REDUCTIONS[name]


@operator("ScatterND")
def scatter_nd(x: Tensor, indices: Tensor, updates: Tensor, reduction: str = "none") -> Tensor:
    depth = indices.shape[-1]
    indexed, rest = x.shape[:depth], x.shape[depth:]
    count, length = math.prod(indices.shape[:-1]), math.prod(rest)
    positions = _flat_positions(indices, indexed).reshape(count, 1).expand(count, length)
    table = x.reshape(math.prod(indexed), length)
    source = updates.reshape(count, length)
    if reduction == "none":
        return table.scatter(0, positions, source).reshape(x.shape)
    return table.scatter_reduce(0, positions, source, _reduction(reduction)).reshape(x.shape)


@operator("TensorScatter")
def tensor_scatter(
    cache: Tensor,
    update: Tensor,
    starts: Tensor | None = None,
    axis: int = -2,
    mode: str = "linear",
) -> Tensor:
    """Writes rows of each batch at its own position, around the end if it is circular."""
    axis %= cache.ndim
    size, length = cache.shape[axis], update.shape[axis]
    row = [1] * cache.ndim
    row[axis] = length
    positions = Tensor.arange(length).reshape(tuple(row))
    if starts is not None:
        positions = positions + starts.cast("int32").reshape(-1, *[1] * (cache.ndim - 1))
    if mode == "circular":
        positions = positions % size
    return cache.scatter(axis, positions.expand(update.shape), update)


@operator("OneHot", constants=[1])
def one_hot(indices: Tensor, depth: Any, values: Tensor, axis: int = -1) -> Tensor:
    depth = int(depth[0] if isinstance(depth, list) else depth)
    axis %= indices.ndim + 1
    row = [1] * (indices.ndim + 1)
    row[axis] = depth
    # Indices from -depth to depth - 1 have a one.
    indices = indices.cast("int64") if not indices.is_floating_point() else indices
    marked = _wrap(indices, depth).unsqueeze(axis) == Tensor.arange(depth).reshape(tuple(row))
    return marked.where(values[1], values[0])


@operator("Compress")
def compress(x: Tensor, condition: Tensor, axis: int | None = None) -> Tensor:
    kept = [i for i, keep in enumerate(condition.tolist()) if keep]
    if axis is None:
        x, axis = x.flatten(), 0
    indices = Tensor(np.array(kept, np.int32))
    return x[(slice(None),) * (axis % x.ndim) + (indices,)]


@operator("NonZero")
def non_zero(x: Tensor) -> Tensor:
    if x.ndim == 0:
        return Tensor(np.zeros((0, int(x.item() != 0)), np.int64))
    return x.nonzero().transpose().cast(dtypes.int64)


@operator("Unique")
def unique(x: Tensor, axis: int | None = None, sorted: int = 1) -> tuple[Tensor, ...]:
    """Computed by NumPy, since the shape depends on the elements."""
    values, first, inverse, counts = np.unique(
        x.numpy(), return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    inverse = inverse.reshape(-1)
    if not sorted:
        order = np.argsort(first)
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        values = np.take(values, order, axis or 0)
        first, inverse, counts = first[order], ranks[inverse], counts[order]
    positions = (Tensor(part.astype(np.int64)) for part in (first, inverse, counts))
    return (Tensor(values).cast(x.dtype), *positions)


@operator("TopK")
def top_k_by_attribute(x: Tensor, k: int, axis: int = -1) -> tuple[Tensor, Tensor]:
    return top_k(x, [k], axis)


@operator("TopK", 10, constants=[1])
def top_k(
    x: Tensor, k: list[int], axis: int = -1, largest: int = 1, sorted: int = 1
) -> tuple[Tensor, Tensor]:
    values, positions = x.topk(k[0], axis, bool(largest))
    return values, positions.cast(dtypes.int64)


@operator("TfIdfVectorizer")
def tf_idf_vectorizer(
    x: Tensor,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: list[int],
    ngram_indexes: list[int],
    pool_int64s: list[int] | None = None,
    pool_strings: list[str] | None = None,
    weights: list[float] | None = None,
) -> Tensor:
    """Counts of sequences of numbers with equal gaps, by NumPy; of one row or several."""
    if pool_int64s is None:
        raise UnsupportedOnnxError("strings: there are no tensors of them")
    columns: dict[tuple[int, ...], int] = {}
    bounds = [*ngram_counts, len(pool_int64s)]
    for length, (start, end) in enumerate(zip(bounds, bounds[1:], strict=False), 1):
        for i in range(start, end, length):
            columns[tuple(pool_int64s[i : i + length])] = len(columns)
    rows = x.numpy().reshape(-1, x.shape[-1] if x.ndim else 1)
    result = np.zeros((len(rows), max(ngram_indexes) + 1), np.float32)
    factors = np.ones(len(columns), np.float32)
    if mode != "TF" and weights is not None:
        factors = np.array(weights, np.float32)
    for counts, row in zip(result, rows.tolist(), strict=True):
        for length in range(min_gram_length, max_gram_length + 1):
            # Gaps make no difference for single elements.
            for gap in range(1, 2 + (max_skip_count if length > 1 else 0)):
                for start in range(len(row) - gap * (length - 1)):
                    gram = tuple(row[start : start + gap * length : gap][:length])
                    if (column := columns.get(gram)) is not None:
                        counts[ngram_indexes[column]] += 1
        if mode != "TF":
            present = counts > 0
            scale = np.zeros_like(counts)
            scale[np.array(ngram_indexes)] = factors
            counts[:] = (present if mode == "IDF" else counts) * scale
    return Tensor(result if x.ndim > 1 else result[0])
