"""The view of a tensor that is on several devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinygrad_mlir.uop.ops import UOp

if TYPE_CHECKING:
    from tinygrad_mlir.dtype import DType
    from tinygrad_mlir.tensor import Tensor


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
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """Where the part of each device begins and ends. Raises a RuntimeError for copies."""
        if self.axis is None:
            raise RuntimeError(f"a tensor with a copy on each of {self.device} has no bounds")
        size = self.shape[self.axis] // len(self.device)
        return tuple((i * size, (i + 1) * size) for i in range(len(self.device)))

    def __repr__(self) -> str:
        return f"<UOp {self.device} {self.shape} {str(self.dtype).removeprefix('dtypes.')}>"
