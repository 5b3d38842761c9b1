"""States: the tensors of objects by name, and files of them."""

from __future__ import annotations

import functools
import io
import json
import mmap
import os
import pathlib
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from tinygrad_mlir import _core
from tinygrad_mlir._core import IoError, Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.helpers import DEBUG, GlobalCounters, Timing, tqdm

__all__ = [
    "TensorIO",
    "get_parameters",
    "get_state_dict",
    "ggml_data_to_tensor",
    "gguf_load",
    "load_state_dict",
    "safe_load",
    "safe_load_metadata",
    "safe_save",
    "tar_extract",
    "torch_load",
    "zip_extract",
]

T = TypeVar("T")


class MissingFileError(IoError, FileNotFoundError):
    """A file that is not there."""


class FormatError(IoError, ValueError):
    """A file that is torn, or not of the expected format."""


Source: TypeAlias = Tensor | str | os.PathLike[str]


class TensorIO(io.RawIOBase):
    """A file to read the bytes of a tensor of one axis and uint8 from (ValueError for others)."""

    def __init__(self, t: Tensor) -> None:
        if t.ndim != 1 or t.dtype != dtypes.uint8:
            raise ValueError(f"expected bytes: one axis of uint8, not {t.shape} of {t.dtype}")
        self._data = memoryview(t.data()).cast("B") if t.shape[0] else memoryview(b"")
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._data[self._position : self._position + len(buffer)]
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)

    def seek(self, offset: int, whence: int = 0) -> int:
        base = (0, self._position, len(self._data))[whence]
        self._position = min(len(self._data), max(0, base + offset))
        return self._position

    def tell(self) -> int:
        return self._position


def read_bytes(source: Source) -> memoryview:
    """The bytes of a file, or of a tensor of uint8. Raises IoError, naming the file.

    A file is mapped into memory where it can be: only what is used is read.
    """
    if isinstance(source, Tensor):
        return TensorIO(source)._data
    path = pathlib.Path(source)
    try:
        if path.is_file() and path.stat().st_size:
            try:
                with open(path, "rb") as file:
                    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            except OSError:
                pass  # a file system without maps, or what the next line raises
        return memoryview(path.read_bytes())
    except OSError as error:
        raise _io_error(path, error) from error


def _io_error(path: Any, error: OSError) -> IoError:
    kind = MissingFileError if isinstance(error, FileNotFoundError) else IoError
    return kind(f"{path}: {error.strerror}")


def describe(source: Source) -> str:
    """The file's name, for messages."""
    return "a tensor of bytes" if isinstance(source, Tensor) else str(source)


def accept_filename(func: Callable[[Tensor], T]) -> Callable[[Source], T]:
    """Lets a function of the bytes of a file, as a tensor, also take the file's name."""

    @functools.wraps(func)
    def wrapper(fn: Source) -> T:
        if isinstance(fn, Tensor):
            return func(fn)
        read_bytes(fn)  # the error if it cannot be
        return func(Tensor(pathlib.Path(fn)))

    return wrapper


# The format safetensors

safe_dtypes = {
    "BOOL": dtypes.bool,
    "I8": dtypes.int8,
    "U8": dtypes.uint8,
    "I16": dtypes.int16,
    "U16": dtypes.uint16,
    "I32": dtypes.int32,
    "U32": dtypes.uint32,
    "I64": dtypes.int64,
    "U64": dtypes.uint64,
    "F8_E4M3": dtypes.fp8e4m3,
    "F8_E5M2": dtypes.fp8e5m2,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "F32": dtypes.float32,
    "F64": dtypes.float64,
}
inverse_safe_dtypes = {dtype: name for name, dtype in safe_dtypes.items()}


def _read_header(source: Source) -> tuple[int, dict[str, Any]]:
    """Where the data begins, and the header."""
    name = describe(source)
    if isinstance(source, Tensor):
        data: Any = read_bytes(source)
        size = len(data)
        read = io.BytesIO(data).read
        return _parse_header(name, size, read)
    try:
        with open(source, "rb") as file:
            return _parse_header(name, os.fstat(file.fileno()).st_size, file.read)
    except OSError as error:
        raise _io_error(name, error) from error


def _parse_header(name: str, size: int, read: Callable[[int], bytes]) -> tuple[int, dict[str, Any]]:
    length = int.from_bytes(read(8), "little")
    if size < 8 or length > size - 8:
        raise FormatError(f"{name}: {size} bytes are too few for a header of {length} bytes")
    try:
        header = json.loads(read(length))
    except ValueError as error:
        raise FormatError(f"{name}: the header is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise FormatError(f"{name}: the header is not a JSON object")
    return 8 + length, header


def safe_load_metadata(t: Source) -> tuple[Tensor, int, dict[str, Any]]:
    """The bytes of a .safetensors file, where its data begins, and its header. Raises IoError."""
    start, header = _read_header(t)
    return accept_filename(lambda tensor: tensor)(t), start, header


def safe_load(fn: Source) -> dict[str, Tensor]:
    """The tensors of a .safetensors file, or of its bytes in a tensor of uint8.

    Those of a file are views of it on the CPU: it is mapped, and nothing is read before it is
    used. Those of a tensor on `DISK:path` are in this file: what is assigned to them is written.
    Raises IoError, naming the file, if it is missing, too short or malformed.
    """
    if not isinstance(fn, Tensor):
        if not os.path.exists(fn):
            raise MissingFileError(f"{os.fspath(fn)}: there is no such file")
        try:
            return _core.safe_load(os.fspath(fn))
        except IoError as error:
            if os.path.isfile(fn) and os.access(fn, os.R_OK):
                raise FormatError(str(error)) from None
            raise
    start, header = _read_header(fn)
    is_in_file = _core.is_in_file(fn)
    data = b"" if is_in_file else bytes(read_bytes(fn)[start:])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        try:
            begin, end = entry["data_offsets"]
            dtype = safe_dtypes[entry["dtype"]]
            tensors[name] = (
                fn[start + begin : start + end].bitcast(dtype).reshape(*entry["shape"])
                if is_in_file
                else _core.tensor_from_bytes(data[begin:end], dtype, entry["shape"])
            )
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(
                f"{describe(fn)}: the entry of {name} is malformed: {error}"
            ) from None
    return tensors


def safe_save(
    tensors: dict[str, Tensor], fn: str | os.PathLike[str], metadata: dict[str, Any] | None = None
) -> None:
    """Writes tensors, and texts about them, to a .safetensors file, which is replaced at once.

    Metadata that is no text is written as JSON. Raises IoError if the file cannot be written.
    """
    texts = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in (metadata or {}).items()
    }
    _core.safe_save(tensors, os.fspath(fn), texts)


# The tensors of objects


def get_state_dict(obj: Any, prefix: str = "", tensor_type: type = Tensor) -> dict[str, Tensor]:
    """The tensors in attributes, lists, tuples and dicts, at any depth, by their paths.

    A prefix is put before the names as it is.
    """
    if isinstance(obj, tensor_type):
        found: Any = obj
        return {prefix.strip("."): found}
    parts: Any
    if isinstance(obj, dict):
        parts = obj.items()
    elif hasattr(obj, "_asdict"):
        parts = obj._asdict().items()
    elif isinstance(obj, (list, tuple)) and not hasattr(obj, "__dict__"):
        parts = enumerate(obj)
    elif hasattr(obj, "__dict__"):
        parts = obj.__dict__.items()
    else:
        return {}
    state: dict[str, Tensor] = {}
    for name, part in parts:
        state.update(get_state_dict(part, f"{prefix}{name}.", tensor_type))
    return state


def get_parameters(obj: Any) -> list[Tensor]:
    """The tensors of get_state_dict()."""
    return list(get_state_dict(obj).values())


def load_state_dict(
    model: Any,
    state_dict: dict[str, Tensor],
    strict: bool = True,
    verbose: bool = True,
    consume: bool = False,
    realize: bool = True,
) -> list[Tensor]:
    """Replaces the tensors of a model by those of a state, and returns them.

    A tensor that is missing is a KeyError, or left as it is unless `strict`; one of another shape
    is a ValueError (a number and a vector of one element fit each other). `consume` removes the
    tensors from the state, which frees their memory. `realize` computes them.
    """
    loaded = []
    before = GlobalCounters.mem_used

    def describe_memory(nanoseconds: int) -> str:
        gigabytes = max(GlobalCounters.mem_used - before, 0) / 1e9
        return f", {gigabytes:.2f} GB at {gigabytes / nanoseconds * 1e9:.2f} GB/s"

    with Timing("loaded weights in ", describe_memory, enabled=verbose):
        own = get_state_dict(model)
        if DEBUG >= 1 and (unused := sorted(state_dict.keys() - own.keys())):
            print(f"not in the model: {', '.join(unused)}")
        for name, tensor in (bar := tqdm(own.items(), disable=None if verbose else True)):
            bar.set_description(name)
            if name not in state_dict:
                if strict:
                    raise KeyError(name)
                if DEBUG >= 1:
                    print(f"not in the state: {name}")
                continue
            value = state_dict[name]
            if value.shape != tensor.shape:
                if {value.shape, tensor.shape} != {(), (1,)}:
                    raise ValueError(
                        f"Shape mismatch in layer `{name}`: Expected shape {tensor.shape}, "
                        f"but found {value.shape} in state dict."
                    )
                value = value.reshape(tensor.shape)
            if not isinstance(tensor.device, tuple):
                value = value.to(tensor.device)
            elif not isinstance(value.device, tuple):
                value = value.shard_like(tensor)
            tensor.replace(value)
            if realize:
                tensor.realize()
            if consume:
                del state_dict[name]
            loaded.append(tensor)
    return loaded


from tinygrad_mlir.nn.archives import tar_extract, torch_load, zip_extract  # noqa: E402
from tinygrad_mlir.nn.gguf import ggml_data_to_tensor, gguf_load  # noqa: E402
