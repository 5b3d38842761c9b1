"""Files that contain other files: zip and tar archives, and those of PyTorch."""

from __future__ import annotations

import io
import pickle
import struct
import tarfile
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from tinygrad_mlir import _core
from tinygrad_mlir._core import DType, IoError, Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.state import FormatError, Source, describe, read_bytes


class ZipError(FormatError, zipfile.BadZipFile):
    """A file that is no zip archive."""


class TarError(FormatError, tarfile.ReadError):
    """A file that is no tar archive."""


def _to_tensor(data: bytes) -> Tensor:
    return _core.tensor_from_bytes(data, dtypes.uint8, [len(data)])


def _zip_files(source: Source, data: memoryview) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {info.filename: archive.read(info) for info in archive.infolist()}
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise ZipError(f"{describe(source)}: not a readable zip archive: {error}") from error


def _tar_files(source: Source, data: memoryview) -> dict[str, bytes]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            members = [member for member in archive if member.isfile()]
            return {m.name: archive.extractfile(m).read() for m in members}  # type: ignore[union-attr]
    except (tarfile.TarError, EOFError, OSError) as error:
        raise TarError(f"{describe(source)}: not a readable tar archive: {error}") from error


def zip_extract(t: Source) -> dict[str, Tensor]:
    """The files of a zip archive by name, as tensors of uint8. Raises IoError."""
    return {name: _to_tensor(data) for name, data in _zip_files(t, read_bytes(t)).items()}


def tar_extract(t: Source) -> dict[str, Tensor]:
    """The files of a tar archive, compressed or not, by name, as tensors of uint8. IoError."""
    return {name: _to_tensor(data) for name, data in _tar_files(t, read_bytes(t)).items()}


# PyTorch

_STORAGES = {
    "DoubleStorage": dtypes.float64,
    "FloatStorage": dtypes.float32,
    "HalfStorage": dtypes.float16,
    "BFloat16Storage": dtypes.bfloat16,
    "LongStorage": dtypes.int64,
    "IntStorage": dtypes.int32,
    "ShortStorage": dtypes.int16,
    "CharStorage": dtypes.int8,
    "ByteStorage": dtypes.uint8,
    "BoolStorage": dtypes.bool,
}
_DTYPES = {
    "float64": dtypes.float64,
    "float32": dtypes.float32,
    "float16": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "int64": dtypes.int64,
    "int32": dtypes.int32,
    "int16": dtypes.int16,
    "int8": dtypes.int8,
    "uint8": dtypes.uint8,
    "uint16": dtypes.uint16,
    "uint32": dtypes.uint32,
    "uint64": dtypes.uint64,
    "bool": dtypes.bool,
    "float8_e4m3fn": dtypes.fp8e4m3,
    "float8_e5m2": dtypes.fp8e5m2,
}


class _Storage(NamedTuple):
    """Elements of one type that tensors are views of; None: bytes whose type a tensor says."""

    key: str
    dtype: DType | None
    size: int
    data: bytes | None


class _Opaque:
    """An object of a class that is not among those of tensors. Nothing of it is run."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        self.state = state


def _view(storage: _Storage, dtype: DType, offset: int, size: Any, stride: Any) -> Tensor:
    """The elements offset + sum(index * stride)."""
    size, stride = tuple(size), tuple(stride)
    if storage.data is None:
        raise ValueError(f"the elements of storage {storage.key} are missing")
    if 0 in size:
        return Tensor.zeros(size, dtype=dtype)
    if min((offset, *stride)) < 0 or min(size, default=1) < 0:
        raise ValueError(f"size {size}, stride {stride}, offset {offset} are not a tensor's")
    count = 1 + sum((n - 1) * step for n, step in zip(size, stride))
    begin, bytes_ = offset * dtype.itemsize, count * dtype.itemsize
    data = storage.data[begin : begin + bytes_]
    if len(data) != bytes_:
        raise ValueError(
            f"storage {storage.key} has {len(storage.data)} bytes, but a tensor reads up to "
            f"{begin + bytes_}"
        )
    flat = _core.tensor_from_bytes(data, dtype, [count])
    # Mostly the axes are those of a contiguous tensor in another order.
    order = sorted(range(len(size)), key=lambda axis: (-stride[axis], -size[axis]))
    expected = 1
    for axis in reversed(order):
        if size[axis] != 1 and stride[axis] != expected:
            return _gather(flat, size, stride)
        expected *= size[axis]
    inverse = sorted(range(len(size)), key=order.__getitem__)
    ordered = flat.reshape(tuple(size[axis] for axis in order))
    return ordered.permute(inverse) if inverse != list(range(len(size))) else ordered


def _gather(flat: Tensor, size: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
    index = Tensor.zeros(size, dtype=dtypes.int32)
    for axis, (n, step) in enumerate(zip(size, stride)):
        shape = [1] * len(size)
        shape[axis] = n
        index = index + (Tensor.arange(n) * step).reshape(shape)
    return flat[index]


class _Unpickler(pickle.Unpickler):
    """Reads what torch.save writes, and makes no objects but those of tensors and containers."""

    def __init__(self, file: Any, load: Callable[[Any], Any]) -> None:
        super().__init__(file)
        self._load = load

    def persistent_load(self, pid: Any) -> Any:
        return self._load(pid)

    def find_class(self, module: str, name: str) -> Any:
        if module == "collections" and name == "OrderedDict":
            return OrderedDict
        if module == "builtins" and name in ("set", "frozenset", "complex", "bytearray", "slice"):
            return {"set": set, "frozenset": frozenset, "complex": complex}.get(name, _Opaque)
        if module == "_codecs" and name == "encode":
            return lambda text, encoding: text.encode(encoding)
        root = module.split(".")[0]
        if root == "torch":
            if name in _STORAGES:
                return _STORAGES[name]
            if name == "UntypedStorage":
                return None
            if name in _DTYPES:
                return _DTYPES[name]
            if name in ("_rebuild_tensor", "_rebuild_tensor_v2"):
                return lambda storage, offset, size, stride, *rest: _view(
                    storage, storage.dtype, offset, size, stride
                )
            if name == "_rebuild_tensor_v3":
                return lambda storage, offset, size, stride, grad, hooks, dtype, *rest: _view(
                    storage, dtype, offset, size, stride
                )
            if name in ("_rebuild_parameter", "_rebuild_parameter_with_state"):
                return lambda data, *rest: data
            if name == "Size":
                return tuple
            if name.endswith("Storage"):
                raise ValueError(f"elements of {name} are not supported")
        return _Opaque


def torch_load(t: Source) -> Any:
    """What torch.save() wrote: mostly a dict of tensors. PyTorch is not needed.

    Reads zip archives (all versions since 1.6) and the older format of one stream. Objects other
    than tensors, parameters, containers, numbers and texts are replaced by empty ones, and code in
    the file is not run. Raises IoError, naming the file, if it is missing, torn or of another
    format.
    """
    data = read_bytes(t)
    try:
        if zipfile.is_zipfile(io.BytesIO(data)):
            return _load_zip(_zip_files(t, data))
        return _load_stream(data)
    except IoError:
        raise
    except Exception as error:
        raise FormatError(
            f"{describe(t)}: not a complete file of torch.save(): {error or type(error).__name__}"
        ) from error


def _load_zip(files: dict[str, bytes]) -> Any:
    pickles = [name for name in files if name.split("/")[-1] == "data.pkl"]
    if not pickles:
        raise ValueError("the archive has no data.pkl")
    base = pickles[0].removesuffix("data.pkl")
    if files.get(base + "byteorder", b"little").strip() != b"little":
        raise ValueError("the elements are big-endian")

    def load(pid: Any) -> _Storage:
        _, dtype, key, _, size = pid
        return _Storage(key, dtype, size, files.get(f"{base}data/{key}"))

    return _Unpickler(io.BytesIO(files[pickles[0]]), load).load()


_MAGIC = 0x1950A86A20F9469CFC6C


def _load_stream(data: memoryview) -> Any:
    file = io.BytesIO(data)

    def forbid(pid: Any) -> Any:
        raise ValueError(f"unexpected reference {pid!r}")

    if _Unpickler(file, forbid).load() != _MAGIC:
        raise ValueError("the magic number is missing")
    for _ in range(2):  # the version, and sizes of C types
        _Unpickler(file, forbid).load()
    begin = file.tell()
    sizes: dict[str, int] = {}

    # Elements follow the pickle, which is therefore read twice: for the types, for the tensors.
    def measure(pid: Any) -> _Storage:
        _, dtype, key, _, size, *_ = pid
        sizes[key] = dtype.itemsize
        return _Storage(key, dtype, size, None)

    class Measuring(_Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            return (lambda *args: None) if "_rebuild" in name else super().find_class(module, name)

    Measuring(file, measure).load()
    keys = _Unpickler(file, forbid).load()
    contents = {}
    for key in keys:
        (count,) = struct.unpack("<q", file.read(8))
        contents[key] = file.read(count * sizes.get(key, 1))
        if len(contents[key]) != count * sizes.get(key, 1):
            raise ValueError(f"storage {key} ends early")
    file.seek(begin)

    def load(pid: Any) -> _Storage:
        _, dtype, key, _, size, *rest = pid
        storage = _Storage(key, dtype, size, contents.get(key))
        if rest and rest[0] is not None:  # a view of a part: key, offset, size
            _, offset, count = rest[0]
            item = dtype.itemsize
            part = contents[key][offset * item : (offset + count) * item]
            storage = storage._replace(data=part, size=count)
        return storage

    return _Unpickler(file, load).load()


__all__ = ["tar_extract", "torch_load", "zip_extract"]
