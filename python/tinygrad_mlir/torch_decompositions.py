"""What operations of PyTorch are computed by, for graphs that consist of core operations only."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import core_aten_decompositions, get_decompositions

from tinygrad_mlir.torch_operations import OPERATIONS

__all__ = ["decompositions"]

# Operations that PyTorch can compute by others, but leaves to its backends.
_COMPOSED = """
_batch_norm_with_update_functional adaptive_max_pool2d adaptive_max_pool3d addmv diagonal_scatter
dist grid_sampler_2d ldexp narrow_copy native_batch_norm new_empty_strided permute_copy
pixel_shuffle pixel_unshuffle tril_indices triu_indices unbind_copy unfold unfold_copy
upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_trilinear3d view_copy
""".split()


@functools.cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """How operations are computed by others."""
    more = get_decompositions([getattr(torch.ops.aten, name) for name in _COMPOSED])
    table = {op: how for op, how in more.items() if _is_composed(op)}
    table.update(core_aten_decompositions())
    table.update(_operations_on_lists())
    return table


def _is_composed(op: Any) -> bool:
    """Not the writes into arguments, which others have replaced before."""
    return str(op) not in OPERATIONS and not op.__name__.split(".")[0].endswith("_")


# Operations on lists of tensors, which optimizers consist of. Most are named after the operation that
# they apply to each tensor.

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "addcdiv": lambda x, y, z, value=1: x + value * (y / z),
    "addcmul": lambda x, y, z, value=1: x + value * (y * z),
    "copy": lambda x, source, non_blocking=False: source.to(x.dtype).expand_as(x).clone(),
    "maximum": torch.clamp_min,
    "minimum": torch.clamp_max,
    "norm": lambda x, ord=2, dtype=None: torch.linalg.vector_norm(x, ord, dtype=dtype),
    "powsum": lambda x, ord=2, dtype=None: x.to(dtype or x.dtype).abs().pow(ord).sum(),
    "zero": torch.zeros_like,
}


def _apply_to_each(
    function: Callable[..., Any], is_vector: bool, *args: Any, **kwargs: Any
) -> list[Any]:
    """Lists among the arguments have one part for each result; so has, if it is a vector, the last
    tensor. All other arguments belong to all."""
    count = next(len(x) for x in args if isinstance(x, (list, tuple)))
    if is_vector:
        args = (*args[:-1], [args[-1][i] for i in range(count)])
    return [
        function(*(x[i] if isinstance(x, (list, tuple)) else x for x in args), **kwargs)
        for i in range(count)
    ]


def _operations_on_lists() -> dict[Any, Callable[..., Any]]:
    table: dict[Any, Callable[..., Any]] = {}
    for full_name in torch._C._dispatch_get_all_op_names():
        name, _, overload = full_name.removeprefix("aten::").partition(".")
        if not name.startswith("_foreach_") or name.endswith("_") or overload.endswith("out"):
            continue
        each = name.removeprefix("_foreach_")
        function = _FUNCTIONS.get(each) or getattr(torch, each)
        is_vector = overload == "Tensor" and each in ("addcdiv", "addcmul")
        op = getattr(getattr(torch.ops.aten, name), overload or "default")
        table[op] = functools.partial(_apply_to_each, function, is_vector)
    return table
