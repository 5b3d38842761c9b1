"""Which tensors are parameters: all but those that were marked, such as running statistics."""

from __future__ import annotations

import weakref

from tinygrad_mlir._core import Tensor

__all__ = ["is_parameter", "set_parameter"]

_others: dict[int, weakref.ref[Tensor]] = {}


def is_parameter(tensor: Tensor) -> bool:
    """Whether an optimizer changes the tensor."""
    return id(tensor) not in _others


def set_parameter(tensor: Tensor, is_param: bool = True) -> Tensor:
    """Says whether optimizers change the tensor, and returns it."""
    key = id(tensor)
    if is_param:
        _others.pop(key, None)
    else:
        _others[key] = weakref.ref(tensor, lambda _: _others.pop(key, None))
    return tensor


Tensor.is_param = property(is_parameter)  # type: ignore[assignment]
Tensor.is_param_ = set_parameter  # type: ignore[assignment,method-assign]
