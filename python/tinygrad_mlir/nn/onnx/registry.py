"""The table of operators: what computes a node, by name, domain and version of the opset."""

from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from onnx import defs

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.nn.onnx.errors import UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.values import Constant, is_small, to_python, to_tensor

FunctionType = TypeVar("FunctionType", bound=Callable[..., Any])

#: The domain of operators that ONNX Runtime adds to the standard.
MICROSOFT = "com.microsoft"


@dataclasses.dataclass(frozen=True)
class Operator:
    """What computes nodes of one operator from a version of the opset on."""

    name: str
    domain: str
    since: int
    function: Callable[..., Any]
    #: Inputs whose elements have to be known: they are given as numbers and lists of them.
    constants: frozenset[int]
    #: Computes arrays from arrays, for inputs that are all constant.
    fold: Callable[..., Any] | None
    #: The function takes the node's context first, and its inputs are values of all kinds.
    takes_context: bool

    def __call__(self, context: Any, inputs: Sequence[Any], attributes: dict[str, Any]) -> Any:
        """The outputs: one, or a tuple or list of them."""
        if self.fold is not None and all(isinstance(x, Constant | None) for x in inputs):
            arrays = [None if x is None else x.array for x in inputs]
            with np.errstate(all="ignore"):
                result = _as_constant(self.fold(*arrays, **attributes))
            if result is not None:
                return result
        if self.takes_context:
            return self.function(context, *inputs, **attributes)
        values = [
            None if x is None else to_python(x) if i in self.constants else to_tensor(x)
            for i, x in enumerate(inputs)
        ]
        return self.function(*values, **attributes)


def _as_constant(result: Any) -> Any:
    """Arrays as constants, or None if one is large or there is no result."""
    if isinstance(result, tuple):
        parts = tuple(_as_constant(part) for part in result)
        return None if any(part is None for part in parts) else parts
    if result is None or not is_small(result := np.asarray(result)):
        return None
    return Constant(result)


_OPERATORS: dict[tuple[str, str], list[Operator]] = {}


def operator(
    name: str,
    since: int = 1,
    *,
    domain: str = "",
    constants: Sequence[int] = (),
    fold: Callable[..., Any] | None = None,
    context: bool = False,
) -> Callable[[FunctionType], FunctionType]:
    """Registers a function for an operator from a version of its domain's opset on.

    It gets the inputs, those that are absent as None, and the attributes by name, with the
    defaults of the standard's version.
    """

    def register(function: FunctionType) -> FunctionType:
        versions = _OPERATORS.setdefault((domain, name), [])
        versions.append(
            Operator(name, domain, since, function, frozenset(constants), fold, context)
        )
        versions.sort(key=lambda version: version.since)
        return function

    return register


def method(name: str, call: Callable[..., Tensor], **options: Any) -> None:
    """Registers an operator that is one expression."""
    operator(name, **options)(call)


def supported() -> dict[tuple[str, str], list[int]]:
    """The versions of each operator, by domain and name, that have a function here."""
    return {key: [version.since for version in versions] for key, versions in _OPERATORS.items()}


@functools.cache
def find_operator(domain: str, name: str, opset: int) -> Operator | None:
    """The function of an operator in a version of the opset, or None."""
    versions = [version for version in _OPERATORS.get((domain, name), ()) if version.since <= opset]
    return versions[-1] if versions else None


@functools.cache
def find_schema(domain: str, name: str, opset: int) -> Any:
    """The standard's OpSchema of an operator, or None.

    The stubs of the package `onnx` lack methods about functions, hence Any.
    """
    try:
        return defs.get_schema(name, opset, domain)
    except defs.SchemaError:
        return None


def unsupported(domain: str, name: str, opset: int, node: str, reason: str = "") -> Exception:
    """The error for a node that nothing computes."""
    known = [key for key in _OPERATORS if key[0] == domain] or list(_OPERATORS)
    near = difflib.get_close_matches(name, [key[1] for key in known], 1, 0.5)
    message = f"operator '{name}' of the domain '{domain or 'ai.onnx'}', opset {opset}, node {node}"
    message += f": {reason or 'it is not supported'}"
    if not reason and (domain, name) in _OPERATORS:
        first = _OPERATORS[domain, name][0].since
        message += f" before opset {first}"
    elif not reason and near:
        message += f"; the nearest supported one is '{near[0]}'"
    return UnsupportedOnnxError(message)
