"""Memory of devices, under tinygrad's names."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from tinygrad_mlir import _core
from tinygrad_mlir._core import UsageError
from tinygrad_mlir.dtype import DTypeLike, _to_np_dtype, to_dtype

if TYPE_CHECKING:
    from tinygrad_mlir._core import DType

__all__ = ["Buffer", "MultiBuffer"]


class Buffer:
    """Memory of a device: that of a tensor (`x.uop.buffer`), a part of it, or memory of its own.

    `size` is in elements of `dtype`, `nbytes` and `offset` are in bytes; `base` is the memory that
    this is a part of, or this. The memory of a tensor has one object as long as that exists, so
    that `is`, `==` and `hash` tell whether two tensors are in the same memory. It shows what is in
    the memory: programs and assignments write to it as if it had no Buffer, and if its tensor is
    gone or was given other memory, a Buffer keeps the bytes that are there. What is written to it
    is seen by the tensor, but not by results that were computed before.

    Not a part of a graph: its methods act at once, while operations of tensors that read the
    memory wait until values are asked for. Write to memory of tensors only when nothing waits.
    """

    __slots__ = (
        "__weakref__",
        "_base",
        "_is_of_tensor",
        "_memory",
        "device",
        "dtype",
        "offset",
        "size",
    )

    device: str
    size: int
    dtype: DType
    offset: int
    _base: Buffer | None
    _memory: _core.Memory | None

    def __init__(
        self,
        device: str,
        size: int,
        dtype: DTypeLike,
        opaque: None = None,
        options: None = None,
        initial_value: bytes | bytearray | memoryview | None = None,
        uop_refcount: int = 0,
        base: Buffer | None = None,
        offset: int = 0,
        preallocate: bool = False,
    ) -> None:
        """`size` elements of a device; not allocated before it is asked for.

        Raises a UsageError for a negative size, a part that does not lie within `base`, and for
        `opaque` and `options`, which are about tinygrad's devices.
        """
        if opaque is not None or options is not None:
            raise UsageError("Buffer takes neither opaque nor options: use Tensor.from_blob() "
                             "for memory of others")  # fmt: skip
        self.device = _core.canonical_device(device)
        self.size = size
        self.dtype = to_dtype(dtype)
        self.offset = offset
        self._base = base
        self._memory = None
        self._is_of_tensor = False
        if size < 0:
            raise UsageError(f"a Buffer cannot have {size} elements")
        if base is None and offset:
            raise UsageError(f"a Buffer with offset {offset} has to have a base")
        if base is not None and (
            base.device != self.device or offset < 0 or offset + self.nbytes > base.nbytes
        ):
            raise UsageError(
                f"bytes {offset} to {offset + self.nbytes} on {self.device} are not a part of "
                f"{base!r}, which has {base.nbytes} bytes"
            )
        if preallocate or initial_value is not None:
            self.allocate()
        if initial_value is not None:
            self.copyin(memoryview(initial_value))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def base(self) -> Buffer:
        return self if self._base is None else self._base

    def is_allocated(self) -> bool:
        """Whether there is memory, of this or of its base."""
        return self.base._memory is not None

    def is_initialized(self) -> bool:
        """Whether there is memory and, of a part, allocate() was called."""
        return self._memory is not None

    def allocate(self) -> Buffer:
        """Takes memory, of undefined contents. Raises a UsageError if there is some already."""
        if self._memory is not None:
            raise UsageError(f"allocate: {self!r} is allocated")
        if self._base is not None:
            self._base.ensure_allocated()
            assert self._base._memory is not None
            self._memory = self._base._memory.view(self.offset, self.nbytes)
        else:
            self._memory = _core.Memory.allocate(self.device, self.nbytes)
        return self

    def ensure_allocated(self) -> Buffer:
        return self if self.is_initialized() else self.allocate()

    def deallocate(self) -> None:
        """Gives the memory back. Raises a UsageError without any, or if it is a tensor's."""
        if self._memory is None or self._is_of_tensor:
            of = "is memory of a tensor" if self._is_of_tensor else "has no memory"
            raise UsageError(f"deallocate: {self!r} {of}")
        self._memory = None

    def view(self, size: int, dtype: DTypeLike, offset: int) -> Buffer:
        """A part, from `offset` bytes on. Raises a UsageError if it does not lie within this."""
        dtype = to_dtype(dtype)
        if offset < 0 or offset + size * dtype.itemsize > self.nbytes:
            raise UsageError(f"view: {size} elements of {dtype} from byte {offset} on are not "
                             f"within {self!r}, which has {self.nbytes} bytes")  # fmt: skip
        return Buffer(self.device, size, dtype, base=self.base, offset=self.offset + offset)

    def copyin(self, source: Any) -> Buffer:
        """Writes the bytes of an object with the buffer protocol, as many as this has."""
        self._get_memory("copyin").copy_in(memoryview(source).cast("B"))
        return self

    def copyout(self, destination: Any) -> Any:
        """Copies the bytes to a writable object with the buffer protocol, and returns that."""
        data = self._get_memory("copyout").copy_out()
        memoryview(destination).cast("B")[:] = data
        return destination

    def copy_from(self, source: Buffer) -> Buffer:
        """Writes the bytes of another Buffer, which may be on another device."""
        self._get_memory("copy_from").copy_from(source._get_memory("copy_from"))
        return self

    def as_memoryview(
        self, allow_zero_copy: bool = False, force_zero_copy: bool = False, no_sync: bool = False
    ) -> memoryview:
        """The bytes: a copy, or the memory itself, which may then be written to.

        With `allow_zero_copy` it is the memory if the host can use it; with `force_zero_copy`
        anything else is a UsageError. `no_sync` does not wait for what is running.
        """
        memory = self._get_memory("as_memoryview")
        if (allow_zero_copy or force_zero_copy) and memory.is_host_visible:
            if not no_sync:
                _core.open_device(self.device).synchronize()
            return _as_memoryview(memory)
        if force_zero_copy:
            raise UsageError(f"as_memoryview: the host cannot use memory of {self.device} in place")
        return memoryview(memory.copy_out())

    as_buffer = as_memoryview

    def numpy(self) -> Any:
        """A copy of the elements as an array without shape."""
        import numpy as np

        dtype = _to_np_dtype(self.dtype)
        if dtype is None:
            raise _core.DTypeError(f"numpy: NumPy has no {self.dtype}")
        return np.frombuffer(self.as_memoryview(), dtype=dtype)

    def _get_memory(self, what: str) -> _core.Memory:
        if self._memory is None:
            raise UsageError(f"{what}: {self!r} is not allocated")
        return self._memory

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle of what the elements are, and of the bytes if there are any."""
        value = bytes(self.as_memoryview()) if self._memory is not None else None
        return Buffer, (self.device, self.size, self.dtype, None, None, value)

    def __repr__(self) -> str:
        offset = "" if self._base is None else f" offset:{self.offset}"
        return (f"<buf real:{self.is_allocated()} device:{self.device} size:{self.size} "
                f"dtype:{self.dtype}{offset}>")  # fmt: skip


class MultiBuffer:
    """The memory of a tensor on several devices: `bufs` has one Buffer for each."""

    __slots__ = ("bufs",)

    def __init__(self, bufs: Sequence[Buffer]) -> None:
        self.bufs = list(bufs)

    @property
    def size(self) -> int:
        """The number of elements on each device."""
        return self.bufs[0].size

    @property
    def dtype(self) -> DType:
        return self.bufs[0].dtype

    def is_allocated(self) -> bool:
        return all(buffer.is_allocated() for buffer in self.bufs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MultiBuffer) and self.bufs == other.bufs

    def __hash__(self) -> int:
        return hash(tuple(self.bufs))

    def __repr__(self) -> str:
        devices = tuple(buffer.device for buffer in self.bufs)
        return (f"<multibuf real:{self.is_allocated()} device:{devices} size:{self.size} "
                f"dtype:{self.dtype}>")  # fmt: skip


def _as_memoryview(memory: _core.Memory) -> memoryview:
    if memory.size == 0:
        return memoryview(bytearray())
    array = (ctypes.c_uint8 * memory.size).from_address(memory.address)
    array._memory = memory  # type: ignore[attr-defined]
    return memoryview(array).cast("B")


# The objects for memory of tensors: by device, address, size in bytes and dtype.
_known: WeakValueDictionary[tuple[Any, ...], Buffer] = WeakValueDictionary()


def of_memory(memory: _core.Memory, dtype: DType, base: Buffer | None = None) -> Buffer:
    """The Buffer of memory of a tensor, which is that of `base` or a part of it."""
    key = (memory.device, memory.address, memory.size, dtype)
    if (known := _known.get(key)) is not None:
        return known
    buffer = object.__new__(Buffer)
    buffer.device = memory.device
    buffer.size = memory.size // dtype.itemsize
    buffer.dtype = dtype
    buffer.offset = 0
    buffer._base = None
    buffer._memory = memory
    buffer._is_of_tensor = True
    if base is not None:
        assert base._memory is not None
        buffer._base = base.base
        buffer.offset = base.offset + memory.address - base._memory.address
    # Memory without bytes has no address of its own.
    return buffer if memory.size == 0 else _known.setdefault(key, buffer)
