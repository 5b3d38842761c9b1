"""The class Tensor, and what it has of Python: modes that `with` and decorators switch."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from tinygrad_mlir import kernels
from tinygrad_mlir._core import Tensor

# Programs import these from here, too.
from tinygrad_mlir.dtype import _from_np_dtype, _to_np_dtype, dtypes  # noqa: F401
from tinygrad_mlir.hashing import hash, keccak

__all__ = ["Tensor", "no_grad", "train"]


class train(ContextDecorator):
    """Sets `Tensor.training` within a `with` statement or a decorated function."""

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        #: One for each statement that was entered and not left.
        self._previous: list[bool] = []

    def _recreate_cm(self) -> train:
        """Calls of a decorated function may be nested, or made by several threads."""
        return train(self.mode)

    def __enter__(self) -> train:
        self._previous.append(Tensor.training)
        Tensor.training = self.mode
        return self

    def __exit__(self, *exception: Any) -> None:
        Tensor.training = self._previous.pop()


class _Mode(type):
    def __bool__(cls) -> bool:
        return Tensor._no_grad


class no_grad(ContextDecorator, metaclass=_Mode):
    """Turns gradients off within a `with` statement or a decorated function.

    As a condition, `Tensor.no_grad` is true while they are off; `Tensor.no_grad = True` turns
    them off.
    """

    def __init__(self) -> None:
        self.mode = True
        self._previous: list[bool] = []

    def _recreate_cm(self) -> no_grad:
        """As of train."""
        copy = type(self)()
        copy.mode = self.mode
        return copy

    def __enter__(self) -> no_grad:
        self._previous.append(Tensor._no_grad)
        Tensor._no_grad = self.mode
        return self

    def __exit__(self, *exception: Any) -> None:
        Tensor._no_grad = self._previous.pop()


class test(no_grad):
    """An old name of no_grad()."""

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.mode = mode


Tensor.hash = hash  # type: ignore[method-assign]
Tensor.keccak = keccak  # type: ignore[method-assign]
Tensor.train = train
Tensor.test = test
Tensor.schedule = kernels.schedule  # type: ignore[method-assign]
Tensor.kernels = kernels.kernels  # type: ignore[method-assign]
Tensor.mlir = kernels.mlir  # type: ignore[method-assign]
Tensor.from_mlir = staticmethod(kernels.from_mlir)  # type: ignore[method-assign]


def _repr_html(self: Tensor) -> str:
    """What a notebook shows: never computes anything."""
    from tinygrad_mlir.plot import tensor_html

    return tensor_html(self)


Tensor._repr_html_ = _repr_html  # type: ignore[attr-defined]
