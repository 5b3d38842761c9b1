"""Functions with a gradient of their own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tinygrad_mlir._core import Tensor

__all__ = ["function"]


def function(
    fxn: Callable[..., Any] | None = None,
    *,
    grad_fxn: Callable[..., Tensor | None | Sequence[Tensor | None]] | None = None,
    precompile: bool = False,
    precompile_backward: bool = False,
    allow_implicit: bool = True,
) -> Any:
    """A function of tensors, as a decorator.

    `grad_fxn(gradient, *inputs)` computes the gradients by the tensors among the positional
    arguments, in their order: tensors of their shapes and dtypes, or None for zero. Without it the
    gradient is that of what the function computes. The other parameters are accepted and change
    nothing: the whole graph is compiled at once in any case.

    Raises TypeError if there is a grad_fxn and the result is not one tensor.
    """
    if fxn is None:
        return functools.partial(function, grad_fxn=grad_fxn)

    @functools.wraps(fxn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        result = fxn(*args, **kwargs)
        if grad_fxn is None:
            return result
        if not isinstance(result, Tensor):
            name, kind = getattr(fxn, "__name__", fxn), type(result).__name__
            raise TypeError(f"{name} has a grad_fxn and must return one Tensor, not {kind}")
        inputs = [arg for arg in args if isinstance(arg, Tensor)]
        return result.with_gradient(inputs, lambda gradient: grad_fxn(gradient, *inputs))

    return wrapper
