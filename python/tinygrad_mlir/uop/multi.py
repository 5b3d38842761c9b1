"""The view of a tensor that is on several devices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tinygrad_mlir.memory import MultiBuffer
from tinygrad_mlir.uop.ops import Ops, UOp

if TYPE_CHECKING:
    from tinygrad_mlir._core import DType
    from tinygrad_mlir.tensor import Tensor

_COMBINE: dict[Ops, Callable[[Tensor, Tensor], Tensor]] = {
    Ops.ADD: lambda a, b: a + b,
    Ops.MUL: lambda a, b: a * b,
    Ops.MAX: lambda a, b: a.maximum(b),
}


class MultiUOp:
    """What `uop` is for a tensor on several devices: its parts or copies, each of which has a node.

    `src` are the nodes on the devices, `axis` (also `arg`) is the axis along which they are parts,
    or None if they are copies, and `bounds` are where each part begins and ends along it.
    """

    __slots__ = ("_tensor", "arg", "axis", "device", "dtype", "shape", "src")

    dtype: DType
    shape: tuple[Any, ...]
    device: tuple[str, ...]
    axis: int | None
    src: tuple[UOp, ...]

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor
        self.dtype = tensor.dtype
        self.shape = tensor.shape
        self.device = tensor.device
        self.axis = self.arg = tensor.shard_axis
        self.src = tuple(part.uop for part in tensor.shards)

    @property
    def is_realized(self) -> bool:
        """Whether the values on all devices are in memory."""
        return all(part.uop.is_realized for part in self._tensor.shards)

    @property
    def base(self) -> MultiUOp:
        """This: the nodes of the devices have a base."""
        return self

    @property
    def buffer(self) -> MultiBuffer:
        """The memory on all devices; raises what UOp.buffer raises."""
        return MultiBuffer([part.buffer for part in self.src])

    @property
    def realized(self) -> MultiBuffer | None:
        """The memory on all devices if it holds the values, otherwise None."""
        return self.buffer if self.is_realized else None

    @property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """Where the part of each device begins and ends. Raises a RuntimeError for copies."""
        if self.axis is None:
            raise RuntimeError(f"a tensor with a copy on each of {self.device} has no bounds")
        size = self.shape[self.axis] // len(self.device)
        return tuple((i * size, (i + 1) * size) for i in range(len(self.device)))

    def allreduce(self, op: Ops, device: str | tuple[str, ...]) -> UOp | MultiUOp:
        """The values of all devices, combined by `Ops.ADD`, `MUL` or `MAX`, on one device, or on
        each of several: of copies as copies, of parts as equal parts along the same axis. Raises a
        TypeError for another operation."""
        if op not in _COMBINE:
            raise TypeError(f"allreduce() takes Ops.ADD, Ops.MUL or Ops.MAX, not {op!r}")
        first = device if isinstance(device, str) else device[0]
        parts = [part.to(first) for part in self._tensor.shards]
        result = functools.reduce(_COMBINE[op], parts)
        if not isinstance(device, str):
            if self.axis is not None:
                result = result.cat(*[result] * (len(device) - 1), dim=self.axis)
            result = result.shard(device, self.axis)
        uop: UOp | MultiUOp = result.uop
        return uop

    def __repr__(self) -> str:
        return f"<UOp {self.device} {self.shape} {str(self.dtype).removeprefix('dtypes.')}>"
