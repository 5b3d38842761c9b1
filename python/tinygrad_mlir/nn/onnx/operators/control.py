"""Control flow, sequences, optional values, types and random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinygrad_mlir._core import JitCore, Tensor
from tinygrad_mlir.nn.onnx.errors import OnnxError, UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.registry import operator
from tinygrad_mlir.nn.onnx.values import (
    Constant,
    Value,
    element_type,
    held_dtype,
    is_constant,
    shape_of,
    to_array,
    to_python,
    to_tensor,
)


def read_condition(value: Value) -> bool:
    """The truth of one element, which is computed if it is not constant."""
    return bool(to_array(value).reshape(()))


def _is_tensor(value: Value) -> bool:
    return isinstance(value, (Tensor, Constant))


@operator("If", context=True)
def if_(context: Any, condition: Value, then_branch: Any, else_branch: Any) -> tuple[Value, ...]:
    """A captured call computes both branches, since it cannot look at the condition."""
    if is_constant(condition) or not JitCore.is_inside():
        branch = then_branch if read_condition(condition) else else_branch
        return tuple(context.run(branch, []))
    branches = [context.run(branch, []) for branch in (then_branch, else_branch)]
    results = []
    for x, y in zip(*branches, strict=True):
        if not (_is_tensor(x) and _is_tensor(y)) or shape_of(x) != shape_of(y):
            raise UnsupportedOnnxError(
                "a captured call of an If whose branches differ in shapes needs a constant "
                "condition"
            )
        results.append(to_tensor(condition).reshape(()).where(to_tensor(x), to_tensor(y)))
    return tuple(results)


def stack(values: list[Value], axis: int = 0) -> Tensor:
    tensors = [to_tensor(value) for value in values]
    return tensors[0].stack(*tensors[1:], dim=axis)


@operator("Loop", context=True)
def loop(
    context: Any, limit: Value, condition: Value, *carried: Value, body: Any
) -> tuple[Value, ...]:
    """Runs the body for each iteration; a condition that is not constant is computed each time."""
    count = None if limit is None else int(to_array(limit).reshape(()))
    state = list(carried)
    scanned: list[list[Value]] = [[] for _ in range(len(body.outputs) - 1 - len(state))]
    number = 0
    go_on = condition is None or read_condition(condition)
    while go_on and (count is None or number < count):
        given = Constant(np.array(True)) if condition is None else condition
        outputs = context.run(body, [Constant(np.array(number, np.int64)), given, *state])
        condition, state = outputs[0], outputs[1 : 1 + len(state)]
        for values, value in zip(scanned, outputs[1 + len(state) :], strict=True):
            values.append(value)
        go_on = read_condition(condition)
        number += 1
    if not number and scanned:
        return (*state, *_empty_scans(context, body, len(state)))
    return (*state, *(stack(values) for values in scanned))


def _empty_scans(context: Any, body: Any, num_carried: int) -> list[Tensor]:
    """What a loop without iterations has collected: types are those that the body declares."""
    graph = next(a.g for a in context.node.proto.attribute if a.name == "body")
    results = []
    for value in graph.output[1 + num_carried :]:
        kind = value.type.tensor_type
        sizes = [size.dim_value for size in kind.shape.dim]
        results.append(Tensor(np.zeros((0, *sizes), np.float32)).cast(held_dtype(kind.elem_type)))
    return results


def _numbers(values: Any, count: int) -> list[int]:
    return list(values) if values else [0] * count


@operator("Scan", 9, context=True)
def scan(
    context: Any,
    *inputs: Value,
    body: Any,
    num_scan_inputs: int,
    scan_input_axes: list[int] | None = None,
    scan_input_directions: list[int] | None = None,
    scan_output_axes: list[int] | None = None,
    scan_output_directions: list[int] | None = None,
) -> tuple[Value, ...]:
    """Runs the body for each element along an axis of the last inputs."""
    state = list(inputs[: len(inputs) - num_scan_inputs])
    rows = [to_tensor(value) for value in inputs[len(state) :]]
    axes = _numbers(scan_input_axes, len(rows))
    directions = _numbers(scan_input_directions, len(rows))
    rows = [x.flip(a) if d else x for x, a, d in zip(rows, axes, directions, strict=True)]
    lengths = {x.shape[a] for x, a in zip(rows, axes, strict=True)}
    if len(lengths) != 1:
        raise OnnxError(f"the inputs that are scanned have {sorted(lengths)} elements")
    collected: list[list[Value]] = [[] for _ in range(len(body.outputs) - len(state))]
    for i in range(lengths.pop()):
        parts = [x[(slice(None),) * (a % x.ndim) + (i,)] for x, a in zip(rows, axes, strict=True)]
        outputs = context.run(body, [*state, *parts])
        state = outputs[: len(state)]
        for values, value in zip(collected, outputs[len(state) :], strict=True):
            values.append(value)
    axes = _numbers(scan_output_axes, len(collected))
    directions = _numbers(scan_output_directions, len(collected))
    results = []
    for values, axis, direction in zip(collected, axes, directions, strict=True):
        results.append(stack(values[::-1] if direction else values, axis))
    return (*state, *results)


@operator("Scan", 8, context=True)
def scan_batches(
    context: Any,
    lengths: Value,
    *inputs: Value,
    body: Any,
    num_scan_inputs: int,
    directions: list[int] | None = None,
) -> tuple[Value, ...]:
    """Scan of opset 8: each element of the batch by itself, all of one length."""
    if lengths is not None:
        raise UnsupportedOnnxError("lengths of sequences that differ")
    tensors = [to_tensor(value) for value in inputs]
    results = [
        scan(
            context,
            *(x[i] for x in tensors),
            body=body,
            num_scan_inputs=num_scan_inputs,
            scan_input_directions=directions,
        )
        for i in range(tensors[0].shape[0])
    ]
    return tuple(stack(list(parts)) for parts in zip(*results, strict=True))


def _position(position: Value, size: int) -> int:
    index = int(to_array(position).reshape(()))
    if not -size <= index < size:
        raise OnnxError(f"position {index} of a sequence of {size}")
    return index


def _sequence(value: Any) -> list[Value]:
    if not isinstance(value, list):
        raise OnnxError("expected a sequence, not a tensor")
    return value


@operator("SequenceConstruct", context=True)
def sequence_construct(_: Any, *values: Value) -> list[Value]:
    return list(values)


@operator("SequenceEmpty", context=True)
def sequence_empty(_: Any, dtype: int | None = None) -> list[Value]:
    return []


@operator("SequenceAt", context=True)
def sequence_at(_: Any, sequence: Value, position: Value) -> Value:
    values = _sequence(sequence)
    return values[_position(position, len(values))]


@operator("SequenceLength", context=True)
def sequence_length(_: Any, sequence: Value) -> Value:
    return Constant(np.array(len(_sequence(sequence)), np.int64))


@operator("SequenceInsert", context=True)
def sequence_insert(_: Any, sequence: Value, value: Value, position: Value = None) -> list[Value]:
    values = list(_sequence(sequence))
    index = len(values) if position is None else int(to_array(position).reshape(()))
    if not -len(values) <= index <= len(values):
        raise OnnxError(f"position {index} of a sequence of {len(values)}")
    values.insert(index, value)
    return values


@operator("SequenceErase", context=True)
def sequence_erase(_: Any, sequence: Value, position: Value = None) -> list[Value]:
    values = list(_sequence(sequence))
    del values[-1 if position is None else _position(position, len(values))]
    return values


@operator("ConcatFromSequence", context=True)
def concat_from_sequence(_: Any, sequence: Value, axis: int, new_axis: int = 0) -> Value:
    values = _sequence(sequence)
    if new_axis:
        return stack(values, axis)
    tensors = [to_tensor(value) for value in values]
    return tensors[0].cat(*tensors[1:], dim=axis) if len(tensors) > 1 else tensors[0]


@operator("SplitToSequence", context=True)
def split_to_sequence(
    _: Any, x: Value, sizes: Value = None, axis: int = 0, keepdims: int = 1
) -> list[Value]:
    tensor = to_tensor(x)
    size = tensor.shape[axis]
    parts = to_python(sizes)
    if isinstance(parts, int):
        parts = [min(parts, size - i) for i in range(0, size, parts)]
    given = parts is not None
    pieces = list(tensor.split(parts if given else [1] * size, axis))
    if given or keepdims:
        return pieces
    return [piece.squeeze(axis) for piece in pieces]


@operator("Optional", context=True)
def optional(_: Any, value: Value = None, type: Any = None) -> Value:
    return value


@operator("OptionalHasElement", context=True)
def optional_has_element(_: Any, value: Value = None) -> Value:
    return Constant(np.array(value is not None))


@operator("OptionalGetElement", context=True)
def optional_get_element(_: Any, value: Value) -> Value:
    if value is None:
        raise OnnxError("the optional value is absent")
    return value


def random(shape: Any, element: int, seed: float | None, **options: Any) -> Tensor:
    """Uniform or normal numbers; a seed makes them the same in each call."""
    if seed is not None:
        Tensor.manual_seed(int(seed))
    if "mean" in options:
        result: Tensor = Tensor.randn(*shape) * options["scale"] + options["mean"]
    else:
        low, high = options["low"], options["high"]
        result = Tensor.rand(*shape) * (high - low) + low
    return result.cast(held_dtype(element))


@operator("RandomNormal", context=True)
def random_normal(
    _: Any, shape: list[int], dtype: int, mean: float, scale: float, seed: Any = None
) -> Tensor:
    return random(shape, dtype, seed, mean=mean, scale=scale)


@operator("RandomUniform", context=True)
def random_uniform(
    _: Any, shape: list[int], dtype: int, low: float, high: float, seed: Any = None
) -> Tensor:
    return random(shape, dtype, seed, low=low, high=high)


@operator("RandomNormalLike", context=True)
def random_normal_like(
    _: Any, x: Value, mean: float, scale: float, dtype: Any = None, seed: Any = None
) -> Tensor:
    return random(shape_of(x), dtype or element_type(x), seed, mean=mean, scale=scale)


@operator("RandomUniformLike", context=True)
def random_uniform_like(
    _: Any, x: Value, low: float, high: float, dtype: Any = None, seed: Any = None
) -> Tensor:
    return random(shape_of(x), dtype or element_type(x), seed, low=low, high=high)


@operator("Bernoulli", context=True)
def bernoulli(_: Any, x: Value, dtype: Any = None, seed: Any = None) -> Tensor:
    chances = to_tensor(x)
    drawn = random(shape_of(x), 1, seed, low=0.0, high=1.0)
    return (drawn < chances).cast(held_dtype(dtype or element_type(x)))


@operator("Multinomial")
def multinomial(x: Tensor, sample_size: int, dtype: int = 6, seed: Any = None) -> Tensor:
    """The input has logarithms of probabilities."""
    if seed is not None:
        Tensor.manual_seed(int(seed))
    return x.softmax(-1).multinomial(sample_size, replacement=True).cast(held_dtype(dtype))
