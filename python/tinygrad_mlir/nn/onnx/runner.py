"""Runs models: OnnxRunner with inputs by name, from_onnx() as a function."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import ModelProto

import tinygrad_mlir.nn.onnx.operators  # noqa: F401
from tinygrad_mlir._core import DTypeError, Error, Tensor, is_float
from tinygrad_mlir.device import Device
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.helpers import Context
from tinygrad_mlir.nn.onnx.errors import OnnxError
from tinygrad_mlir.nn.onnx.graph import Graph, Node, OnnxValue, Reader
from tinygrad_mlir.nn.onnx.registry import unsupported
from tinygrad_mlir.nn.onnx.values import (
    NARROW,
    Constant,
    Narrow,
    Value,
    held_dtype,
    shape_of,
    to_tensor,
    type_proto,
)

#: Where a model is read from: a file, its bytes, or the package onnx's object.
Model: TypeAlias = "str | os.PathLike[str] | bytes | ModelProto | Tensor"


class NodeContext:
    """What a node's function may ask for beside inputs and attributes."""

    def __init__(self, runner: OnnxRunner, node: Node, scope: dict[str, Value]) -> None:
        self.runner, self.node, self.scope = runner, node, scope
        self.opset = node.opset
        self.num_outputs = len(node.outputs)

    def run(self, graph: Graph, inputs: Sequence[Value]) -> list[Value]:
        """The outputs of a graph that is an attribute of the node."""
        if len(inputs) != len(graph.inputs):
            raise OnnxError(
                f"graph '{graph.name}' has {len(graph.inputs)} inputs, not {len(inputs)}"
            )
        scope = {**self.scope, **graph.values, **dict(zip(graph.inputs, inputs, strict=True))}
        return self.runner._run(graph, scope)


class OnnxRunner:
    """A model: `OnnxRunner("model.onnx")({"x": tensor})` returns a dict of its outputs.

    The model is a file, whose external data lie beside it, or the bytes of one, or a
    `onnx.ModelProto`. Outputs are not computed until they are asked for, as with all tensors;
    a call within a TinyJit is captured. What the sizes of a result depend on has to be constant
    or is computed at once, which a TinyJit refuses.

    Raises OnnxError for models that are not valid and for inputs that do not fit, and
    UnsupportedOnnxError, a NotImplementedError, when a model is read that needs what is not here.
    """

    def __init__(self, model: Model, base_dir: str | os.PathLike[str] | None = None) -> None:
        if isinstance(model, (str, os.PathLike)):
            base_dir = base_dir or Path(model).parent
        proto = _load(model)
        if not proto.HasField("graph"):
            raise OnnxError("the model has no graph")
        opsets = {opset.domain: opset.version for opset in proto.opset_import} or {"": 1}
        self._reader = Reader(opsets, proto.functions, str(base_dir or ""))
        self._graph = self._reader.read_graph(proto.graph)
        #: The opset of each domain that the model imports.
        self.opsets = opsets
        #: The declared types of inputs that a call has to give.
        self.graph_inputs: dict[str, OnnxValue] = {
            name: kind for name, kind in self._graph.types.items() if name not in self._graph.values
        }
        #: The names of outputs.
        self.graph_outputs = self._graph.outputs
        #: The model's tensors of floats with more than one element, by name.
        self.weights: dict[str, Tensor] = {}
        #: Where constants are made: the default device if None.
        self.device: str | None = None
        self._find_weights()

    def _find_weights(self) -> None:
        values = self._graph.values.items()
        self.weights.update((name, to_tensor(value)) for name, value in values if _is_weight(value))

    def to(self, device: str | None) -> OnnxRunner:
        """Moves weights and constants to a device, where inputs are expected then."""
        self.device = Device.canonicalize(device)
        _move(self._graph, self.device)
        self._find_weights()
        return self

    def __call__(self, inputs: Mapping[str, Any], debug: int = 0) -> dict[str, Any]:
        """The outputs by name, for inputs by name.

        An input is a tensor, a NumPy array, numbers and lists of them; a list of these for a
        sequence; None for an optional value. With `debug`, each node is printed.
        """
        with Context(DEV=self.device) if self.device else nullcontext():
            return self._call(inputs, debug)

    def _call(self, inputs: Mapping[str, Any], debug: int) -> dict[str, Any]:
        if not isinstance(inputs, Mapping):
            raise TypeError(f"inputs are a dict of values by name, not a {type(inputs).__name__}")
        scope = dict(self._graph.values)
        unknown = [name for name in inputs if name not in self._graph.types]
        if unknown:
            raise OnnxError(f"no input is named {unknown[0]!r}; there are {[*self.graph_inputs]}")
        sizes: dict[str, int] = {}
        for name, kind in self._graph.types.items():
            if name in inputs:
                scope[name] = _read_input(name, inputs[name], kind, sizes)
            elif name not in scope and kind.is_optional:
                scope[name] = None
            elif name not in scope:
                raise OnnxError(f"input {name!r} is missing")
        try:
            results = self._run(self._graph, scope, debug)
        except RecursionError:
            raise OnnxError("the model's functions call each other without an end") from None
        outputs = zip(self.graph_outputs, results, strict=True)
        return {name: _give_out(value) for name, value in outputs}

    def _run(self, graph: Graph, scope: dict[str, Value], debug: int = 0) -> list[Value]:
        """The outputs of a graph for the values in its scope, to which its nodes add theirs."""
        for number, node in enumerate(graph.nodes):
            try:
                inputs = [scope[name] if name else None for name in node.inputs]
            except KeyError as error:
                raise OnnxError(f"node {node.describe()}: there is no value {error}") from None
            if debug:
                shown = ", ".join(_describe(value) for value in inputs)
                print(f"{number}: {node.op}({shown}) {node.attributes or ''}".rstrip())
            try:
                results = self._run_node(node, inputs, scope)
            except Error as error:
                _add_note(error, node)
                raise
            except OnnxError as error:
                if not hasattr(error, "__notes__"):
                    _add_note(error, node)
                raise
            except TypeError as error:
                # A combination of inputs and attributes that no version of the function has.
                reason = f"it cannot be called so: {error}"
                raise unsupported(
                    node.domain, node.op, node.opset, node.describe(), reason
                ) from error
            for name, value in zip(node.outputs, results, strict=False):
                if name:
                    scope[name] = value
        # A function computes only those of its optional outputs that the node's inputs allow.
        missing = [name for name in graph.outputs if name not in scope and not graph.is_function]
        if missing:
            raise OnnxError(f"graph '{graph.name}': nothing computes its output '{missing[0]}'")
        return [scope.get(name) for name in graph.outputs]

    def _run_node(
        self, node: Node, inputs: Sequence[Value], scope: dict[str, Value]
    ) -> Sequence[Value]:
        context = NodeContext(self, node, scope)
        if node.operator is not None:
            result = node.operator(context, inputs, node.attributes)
            if isinstance(result, tuple):
                return result
            return (result,)
        body = self._find_body(node, inputs)
        padded = [*inputs, *[None] * (len(body.inputs) - len(inputs))]
        return self._run(body, dict(zip(body.inputs, padded, strict=True)))

    def _find_body(self, node: Node, inputs: Sequence[Value]) -> Graph:
        """The graph of the function that a node calls."""
        reader = self._reader
        function = reader.functions.get((node.domain, node.op, node.proto.overload))
        types = [type_proto(value) for value in inputs] if function is None else []
        key = tuple(kind.SerializeToString() for kind in types)
        if key not in node.bodies:
            if function is not None:
                node.bodies[key] = reader.read_body(function, node)
            else:
                node.bodies[key] = reader.standard_body(node, types)
        return node.bodies[key]


class OnnxFunction:
    """A model as a function of its inputs, in their order or by name.

    Returns the output, or a tuple of all if there are several.
    """

    def __init__(self, runner: OnnxRunner) -> None:
        self.runner = runner
        self.input_names = tuple(runner.graph_inputs)
        self.output_names = runner.graph_outputs

    @property
    def weights(self) -> dict[str, Tensor]:
        """The model's tensors of floats with more than one element, by name."""
        return self.runner.weights

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) > len(self.input_names):
            names = ", ".join(self.input_names)
            raise TypeError(
                f"the model has {len(self.input_names)} inputs ({names}), not {len(args)}"
            )
        inputs = dict(zip(self.input_names, args, strict=False))
        for name in kwargs:
            if name in inputs:
                raise TypeError(f"input {name!r} is given twice")
        results = tuple(self.runner({**inputs, **kwargs}).values())
        return results[0] if len(results) == 1 else results


def from_onnx(model: Model, base_dir: str | os.PathLike[str] | None = None) -> OnnxFunction:
    """A model as a function of tensors: `from_onnx("model.onnx")(x)`.

    The model is what OnnxRunner takes; its external data lie in `base_dir`, or beside the file.
    Errors are those of OnnxRunner.
    """
    return OnnxFunction(OnnxRunner(model, base_dir))


def _load(model: Model) -> ModelProto:
    """The model, whose external data are not read yet."""
    if isinstance(model, ModelProto):
        return model
    if not isinstance(model, (str, os.PathLike, bytes, bytearray, memoryview, Tensor)):
        raise TypeError(
            "a model is the path of a file, its bytes or an onnx.ModelProto, not an object of type "
            f"{type(model).__name__}"
        )
    try:
        if isinstance(model, (str, os.PathLike)):
            return onnx.load(os.fspath(model), load_external_data=False)
        data = bytes(model.data()) if isinstance(model, Tensor) else bytes(model)
        return onnx.load_model_from_string(data)
    except OSError:
        raise
    except Exception as error:
        name = f"'{model}'" if isinstance(model, (str, os.PathLike)) else "the model"
        raise OnnxError(f"{name} is not an ONNX file: {error}") from error


def _move(value: Any, device: str) -> Any:
    """A value on a device; the values of a graph are replaced."""
    if isinstance(value, Tensor):
        return value.to(device)
    if isinstance(value, Narrow):
        return Narrow(value.tensor.to(device), value.element)
    if isinstance(value, Constant):
        value.move(device)
    elif isinstance(value, Graph):
        value.values = {name: _move(part, device) for name, part in value.values.items()}
        for node in value.nodes:
            node.attributes = {name: _move(part, device) for name, part in node.attributes.items()}
            node.bodies.clear()
    return value


def _is_weight(value: Value) -> bool:
    if isinstance(value, Constant):
        return value.array.size > 1 and value.array.dtype.kind not in "biuOUS"
    return isinstance(value, Tensor) and value.is_floating_point()


def _read_input(name: str, value: Any, kind: OnnxValue, sizes: dict[str, int]) -> Value:
    """An argument as a value of the declared type."""
    if value is None:
        if kind.is_optional:
            return None
        raise OnnxError(f"input {name!r} is None")
    if kind.is_sequence:
        if not isinstance(value, (list, tuple)):
            raise OnnxError(f"input {name!r} is a sequence, not a {type(value).__name__}")
        return [_read_tensor(name, part, kind, {}) for part in value]
    return _read_tensor(name, value, kind, sizes)


def _read_tensor(name: str, value: Any, kind: OnnxValue, sizes: dict[str, int]) -> Value:
    result: Value
    try:
        result = value if isinstance(value, Tensor) else _import(value, kind)
    except (Error, TypeError, ValueError, OverflowError) as error:
        raise OnnxError(f"input {name!r}: {error}") from error
    if isinstance(result, Tensor) and kind.dtype not in (None, result.dtype):
        warnings.warn(
            f"input {name!r} is of {result.dtype}, the model's of {kind.dtype}", stacklevel=5
        )
    _check_shape(name, shape_of(result), kind, sizes)
    if kind.element in NARROW:
        return Narrow(to_tensor(result), kind.element)
    return result


def _import(value: Any, kind: OnnxValue) -> Tensor | Constant:
    """An array, a number or lists of numbers as a value."""
    is_integer = kind.dtype is not None and not is_float(kind.dtype)
    if not is_integer or kind.shape is None or len(kind.shape) > 1:
        if isinstance(value, np.ndarray):
            return Tensor(value)
        return Tensor(value, dtype=kind.dtype)
    # Numbers may be sizes or axes, which are known then.
    given = value if isinstance(value, np.ndarray) else np.array(value)
    if given.size and given.dtype.kind not in "biu":
        raise DTypeError(f"{given.dtype} cannot become {kind.dtype}")
    return Constant(given.astype(_numpy_type(kind.element)))


def _numpy_type(element: int) -> np.dtype:
    """NumPy's type of integers, also of those that wider ones hold."""
    if element in NARROW:
        return np.dtype(np.int8 if held_dtype(element) == dtypes.int8 else np.uint8)
    return onnx.helper.tensor_dtype_to_np_dtype(element)


def _check_shape(name: str, shape: tuple[int, ...], kind: OnnxValue, sizes: dict[str, int]) -> None:
    """Raises an error if a shape is not the declared one; sizes of one name have to be equal."""
    if kind.shape is None:
        return
    if len(shape) != len(kind.shape):
        raise OnnxError(f"input {name!r} has the shape {shape}, not {kind.shape}")
    for size, declared in zip(shape, kind.shape, strict=True):
        expected = declared
        if isinstance(declared, str):
            expected = sizes.setdefault(declared, size) if declared else size
        if size != expected:
            note = f" ({declared!r} is {expected})" if isinstance(declared, str) else ""
            raise OnnxError(f"input {name!r} has the shape {shape}, not {kind.shape}{note}")


def _give_out(value: Value) -> Any:
    """A value as a result: a tensor, a list of tensors, or None."""
    if isinstance(value, list):
        return [_give_out(part) for part in value]
    if value is None:
        return None
    return value.tensor if isinstance(value, Narrow) else to_tensor(value)


def _describe(value: Value) -> str:
    if value is None or isinstance(value, list):
        return "None" if value is None else f"list of {len(value)}"
    kind = "constant " if isinstance(value, Constant) else ""
    return f"{kind}{list(shape_of(value))}"


def _add_note(error: BaseException, node: Node) -> None:
    domain = node.domain or "ai.onnx"
    error.add_note(
        f"in {node.op} of the domain {domain}, opset {node.opset}, node {node.describe()}"
    )
