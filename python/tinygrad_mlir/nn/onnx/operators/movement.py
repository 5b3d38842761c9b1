"""Operators that move elements or make tensors of shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.nn.onnx.errors import OnnxError, UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.registry import operator
from tinygrad_mlir.nn.onnx.values import (
    DTYPES,
    Constant,
    Narrow,
    Value,
    element_type,
    held_dtype,
    is_constant,
    is_small,
    number_of_elements,
    shape_of,
    to_array,
    to_python,
    to_tensor,
)


def move(name: str, since: int, call: Any, fold: Any, constants: Sequence[int] = ()) -> None:
    """Registers an operator that moves elements of any type, and others than tensors have too."""

    def run(_: Any, x: Value, *rest: Value, **attributes: Any) -> Any:
        known = [
            None if y is None else to_python(y) if i in constants else to_tensor(y)
            for i, y in enumerate(rest, 1)
        ]
        if isinstance(x, Narrow):
            return _like(call(x.tensor, *known, **attributes), x.element)
        return call(to_tensor(x), *known, **attributes)

    operator(name, since, fold=fold, context=True)(run)


def _like(result: Any, element: int) -> Any:
    if isinstance(result, tuple):
        return tuple(Narrow(part, element) for part in result)
    return Narrow(result, element)


@operator("Identity", context=True)
def identity(_: Any, x: Value) -> Value:
    return x


def _new_shape(shape: Sequence[int], target: Sequence[int], allowzero: int) -> list[int]:
    """Zeros keep the size of the axis, unless they mean an empty one."""
    if allowzero:
        return list(target)
    return [shape[i] if size == 0 else size for i, size in enumerate(target)]


def reshape(x: Tensor, shape: Sequence[int], allowzero: int = 0) -> Tensor:
    sizes = _new_shape(x.shape, shape, allowzero)
    if -1 in sizes:
        rest = math.prod(size for size in sizes if size != -1)
        if rest == 0:
            raise OnnxError(f"{x.shape} has no elements: the size -1 in {sizes} is not known")
        sizes[sizes.index(-1)] = math.prod(x.shape) // rest
    return x.reshape(tuple(sizes))


move(
    "Reshape",
    5,
    reshape,
    lambda x, shape, allowzero=0: x.reshape(_new_shape(x.shape, shape, allowzero)),
    [1],
)


@operator("Reshape")
def reshape_by_attribute(x: Tensor, shape: list[int], consumed_inputs: Any = None) -> Tensor:
    return reshape(x, shape)


move(
    "Transpose",
    1,
    lambda x, perm=None: x.permute(tuple(perm or reversed(range(x.ndim)))),
    lambda x, perm=None: x.transpose(perm),
)


def flatten(x: Any, axis: int = 1) -> Any:
    axis += x.ndim if axis < 0 else 0
    return x.reshape((math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


move("Flatten", 1, flatten, flatten)


def squeeze(x: Any, axes: Sequence[int] | None = None) -> Any:
    chosen = [a % x.ndim for a in np.atleast_1d(axes).tolist()] if axes is not None else None
    for a in chosen or ():
        if x.shape[a] != 1:
            raise OnnxError(f"axis {a} of {tuple(x.shape)} has the size {x.shape[a]}, not 1")
    sizes = [
        size for a, size in enumerate(x.shape) if (size != 1 if chosen is None else a not in chosen)
    ]
    return x.reshape(tuple(sizes))


def unsqueeze(x: Any, axes: Sequence[int] | int) -> Any:
    given = np.atleast_1d(axes).tolist()
    rank = x.ndim + len(given)
    chosen = {int(a) % rank for a in given}
    if len(chosen) != len(given):
        raise OnnxError(f"the axes {given} are not distinct")
    sizes = iter(x.shape)
    return x.reshape(tuple(1 if a in chosen else next(sizes) for a in range(rank)))


for since, constants in ((1, []), (13, [1])):
    move("Squeeze", since, squeeze, squeeze, constants)
    move("Unsqueeze", since, unsqueeze, unsqueeze, constants)


def _common_shape(shape: Sequence[int], target: Sequence[int]) -> tuple[int, ...]:
    return np.broadcast_shapes(tuple(shape), tuple(int(size) for size in target))


def expand(x: Tensor, shape: Sequence[int]) -> Tensor:
    return x.expand(_common_shape(x.shape, shape))


move("Expand", 1, expand, lambda x, shape: np.broadcast_to(x, _common_shape(x.shape, shape)), [1])
move("Tile", 6, lambda x, repeats: x.repeat(tuple(repeats)), np.tile, [1])


@operator("Concat", context=True)
def concat(_: Any, *parts: Value, axis: int = 1) -> Value:
    if all(is_constant(part) for part in parts):
        joined = np.concatenate([to_array(part) for part in parts], axis)
        if is_small(joined):
            return Constant(joined)
    first = parts[0]
    if isinstance(first, Narrow):
        tensors = [part.tensor for part in parts if isinstance(part, Narrow)]
        return Narrow(tensors[0].cat(*tensors[1:], dim=axis), first.element)
    tensors = [to_tensor(part) for part in parts]
    return tensors[0].cat(*tensors[1:], dim=axis) if len(tensors) > 1 else tensors[0]


def split_sizes(size: int, parts: int) -> list[int]:
    """Equal parts, of which the last one may be smaller."""
    each = -(-size // parts)
    return [max(0, min(each, size - i * each)) for i in range(parts)]


@operator("Split", context=True)
@operator("Split", 13, context=True)
def split(
    context: Any,
    x: Value,
    sizes: Value = None,
    axis: int = 0,
    split: list[int] | None = None,
    num_outputs: int | None = None,
) -> Any:
    size = shape_of(x)[axis]
    parts = split or to_python(sizes) or split_sizes(size, num_outputs or context.num_outputs)
    if isinstance(x, Constant):
        return tuple(Constant(a) for a in np.split(x.array, np.cumsum(parts)[:-1], axis))
    if isinstance(x, Narrow):
        return _like(x.tensor.split(parts, axis), x.element)
    return to_tensor(x).split(parts, axis)


def _slices(
    shape: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] | None,
    steps: Sequence[int] | None,
) -> tuple[slice, ...]:
    """Bounds beyond the ends are those of Python's slices, also with negative steps."""
    slices = [slice(None)] * len(shape)
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        axis = int(axes[i]) % len(shape) if axes is not None else i
        step = int(steps[i]) if steps is not None else 1
        size = shape[axis]
        first, last, _ = slice(int(start), int(end), step).indices(size)
        slices[axis] = slice(first, None if last < 0 else last, step)
        if len(range(first, last, step)) == 0:
            slices[axis] = slice(0, 0)
    return tuple(slices)


def slice_(
    x: Any,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] | None = None,
    steps: Sequence[int] | None = None,
) -> Any:
    return x[_slices(x.shape, starts, ends, axes, steps)]


move("Slice", 1, slice_, slice_)
move("Slice", 10, slice_, slice_, [1, 2, 3, 4])


def _pairs(pads: Sequence[int], rank: int, axes: Sequence[int] | None) -> list[tuple[int, int]]:
    """Pads before and after each axis, from all befores followed by all afters."""
    count = len(pads) // 2
    pairs = [(0, 0)] * rank
    for i, axis in enumerate(axes if axes is not None else range(count)):
        pairs[int(axis) % rank] = (int(pads[i]), int(pads[count + i]))
    return pairs


def pad(
    x: Tensor,
    pads: Sequence[int],
    value: Any = None,
    axes: Sequence[int] | None = None,
    mode: str = "constant",
) -> Tensor:
    """Negative pads cut elements off."""
    pairs = _pairs(pads, x.ndim, axes)
    x = x.shrink(
        tuple(
            (max(0, -before), size + min(0, after))
            for (before, after), size in zip(pairs, x.shape, strict=True)
        )
    )
    grown = tuple((max(0, before), max(0, after)) for before, after in pairs)
    modes = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}
    if mode not in modes:
        raise UnsupportedOnnxError(f"pads of the mode '{mode}', not of {[*modes]}")
    if mode == "constant":
        if isinstance(value, Tensor):
            value = value.item() if value.numel() else 0
        return x.pad(grown, value=0 if value is None else value)
    return x.pad(grown, mode=modes[mode])


@operator("Pad")
def pad_by_attributes(
    x: Tensor,
    pads: list[int] | None = None,
    paddings: list[int] | None = None,
    mode: str = "constant",
    value: float = 0.0,
) -> Tensor:
    return pad(x, pads or paddings or [], value, None, mode)


@operator("Pad", 11, constants=[1, 2, 3])
def pad_by_inputs(
    x: Tensor,
    pads: list[int],
    value: Any = None,
    axes: list[int] | None = None,
    mode: str = "",
) -> Tensor:
    if isinstance(value, list):
        value = value[0] if value else None
    return pad(x, pads, value, axes, mode)


@operator("Shape", context=True)
def shape(_: Any, x: Value, start: int = 0, end: int | None = None) -> Constant:
    sizes = shape_of(x)
    if any(not isinstance(size, int) for size in sizes):
        raise UnsupportedOnnxError(f"the shape {sizes}, whose sizes are not numbers, as a tensor")
    return Constant(np.array(sizes[start:end], np.int64))


@operator("Size", context=True)
def size(_: Any, x: Value) -> Constant:
    return Constant(np.array(number_of_elements(x), np.int64))


@operator("Constant", context=True)
def constant(
    _: Any,
    value: Value = None,
    sparse_value: Value = None,
    value_float: float | None = None,
    value_floats: list[float] | None = None,
    value_int: int | None = None,
    value_ints: list[int] | None = None,
    value_string: str | None = None,
    value_strings: list[str] | None = None,
) -> Value:
    for given, dtype in (
        (value_float, np.float32),
        (value_floats, np.float32),
        (value_int, np.int64),
        (value_ints, np.int64),
        (value_string, str),
        (value_strings, str),
    ):
        if given is not None:
            return Constant(np.array(given, dtype))
    return value if value is not None else sparse_value


@operator("ConstantOfShape", context=True)
def constant_of_shape(_: Any, sizes: Value, value: Value = None) -> Value:
    target = tuple(to_python(sizes))
    if isinstance(value, Narrow):
        held = value.tensor.reshape(()).expand(target)
        return Narrow(held, value.element)
    if value is None:
        value = Constant(np.zeros(1, np.float32))
    if math.prod(target) <= 64 and isinstance(value, Constant):
        return Constant(np.full(target, value.array.reshape(())))
    return to_tensor(value).reshape(()).expand(target)


@operator("Range", context=True)
def range_(
    _: Any, start: Value, limit: Value, delta: Value, stash_type: int | None = None
) -> Value:
    first, last, step = (to_array(value).reshape(()) for value in (start, limit, delta))
    count = max(math.ceil((last.item() - first.item()) / step.item()), 0)
    if count <= 64 and all(is_constant(value) for value in (start, limit, delta)):
        return Constant((first + np.arange(count) * step).astype(first.dtype))
    result: Tensor = Tensor.arange(count) * step.item() + first.item()
    return result.cast(DTYPES[element_type(start)])


@operator("EyeLike", context=True)
def eye_like(_: Any, x: Value, dtype: int | None = None, k: int = 0) -> Tensor:
    rows, columns = shape_of(x)
    element = dtype or element_type(x)
    ones = Tensor.arange(columns) == Tensor.arange(rows).unsqueeze(1) + k
    return ones.cast(held_dtype(element))


@operator("Trilu", constants=[1])
def trilu(x: Tensor, k: Any = 0, upper: int = 1) -> Tensor:
    k = k[0] if isinstance(k, list) else k or 0
    return x.triu(k) if upper else x.tril(k)


@operator("DepthToSpace")
def depth_to_space(x: Tensor, blocksize: int, mode: str = "DCR") -> Tensor:
    formula = "b (c h1 w1) h w -> b c (h h1) (w w1)"
    if mode == "DCR":
        formula = "b (h1 w1 c) h w -> b c (h h1) (w w1)"
    return x.rearrange(formula, h1=blocksize, w1=blocksize)


@operator("SpaceToDepth")
def space_to_depth(x: Tensor, blocksize: int, mode: str = "DCR") -> Tensor:
    formula = "b c (h h1) (w w1) -> b (c h1 w1) h w"
    if mode == "DCR":
        formula = "b c (h h1) (w w1) -> b (h1 w1 c) h w"
    return x.rearrange(formula, h1=blocksize, w1=blocksize)


@operator("CenterCropPad", constants=[1])
def center_crop_pad(x: Tensor, sizes: list[int], axes: list[int] | None = None) -> Tensor:
    bounds = [(0, size) for size in x.shape]
    pads = [(0, 0)] * x.ndim
    for axis, target in zip(axes if axes is not None else range(x.ndim), sizes, strict=True):
        size = x.shape[axis]
        if target < size:
            first = (size - target) // 2
            bounds[axis] = (first, first + target)
        else:
            before = (target - size) // 2
            pads[axis] = (before, target - size - before)
    return x.shrink(tuple(bounds)).pad(tuple(pads))


@operator("ReverseSequence", constants=[])
def reverse_sequence(x: Tensor, lengths: Tensor, batch_axis: int, time_axis: int) -> Tensor:
    """The first lengths[b] elements of each row in reverse order."""
    steps = x.shape[time_axis]
    time = Tensor.arange(steps)
    lengths = lengths.cast("int32").unsqueeze(1)
    order = (time < lengths).where(lengths - 1 - time, time)
    order = order if batch_axis < time_axis else order.transpose()
    sizes = [x.shape[a] if a in (batch_axis, time_axis) else 1 for a in range(x.ndim)]
    return x.gather(time_axis, order.reshape(tuple(sizes)).expand(x.shape))
