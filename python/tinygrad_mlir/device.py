"""The devices that tensors are on."""

from __future__ import annotations

from collections.abc import Iterator

from tinygrad_mlir import _core
from tinygrad_mlir.dtype import DTypeLike, to_dtype
from tinygrad_mlir.helpers import DEV
from tinygrad_mlir.memory import Buffer, MultiBuffer

__all__ = ["Buffer", "Device", "MultiBuffer", "canonicalize_device", "is_dtype_supported"]


class _Devices:
    """`Device.DEFAULT`, and `Device[name]` for an opened device."""

    @property
    def DEFAULT(self) -> str:
        """The device of tensors that are made without naming one; may be set."""
        return self.canonicalize(DEV.value) if DEV.value else _core.default_device()

    @DEFAULT.setter
    def DEFAULT(self, device: str) -> None:
        DEV.value = self.canonicalize(device)

    def canonicalize(self, device: str | None) -> str:
        """The name in upper case and without ":0"; that of the default device for None."""
        return self.DEFAULT if device is None else _core.canonical_device(device)

    def __getitem__(self, device: str) -> _core.OpenDevice:
        """The opened device. Raises DeviceError, naming the devices that there are."""
        return _core.open_device(self.canonicalize(device))

    @property
    def default(self) -> _core.OpenDevice:
        return self[self.DEFAULT]

    def get_available_devices(self) -> Iterator[str]:
        """The names of all kinds of which at least one is present."""
        yield from _core.available_devices()

    def __repr__(self) -> str:
        return f"<devices {', '.join(_core.available_devices())}; default {self.DEFAULT}>"


Device = _Devices()


def is_dtype_supported(dtype: DTypeLike, device: str | None = None) -> bool:
    """Whether tensors of an element type can be on a device: all can, on all devices.

    Raises AttributeError or TypeError if `dtype` is none.
    """
    return isinstance(to_dtype(dtype), _core.DType)


def canonicalize_device(device: str | tuple[str, ...] | list[str] | None) -> str | tuple[str, ...]:
    """Device.canonicalize() of a name, or of each of several."""
    if not isinstance(device, (tuple, list)):
        return Device.canonicalize(device)
    names = tuple(Device.canonicalize(name) for name in device)
    return names[0] if len(names) == 1 else names
