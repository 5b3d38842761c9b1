"""Files of llama.cpp: metadata, and tensors that are quantized in blocks."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import Any

from tinygrad_mlir import _core
from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.helpers import prod, round_up
from tinygrad_mlir.nn.state import FormatError, Source, describe, read_bytes

# Types of elements by their numbers in files.
_NATIVE = {
    0: dtypes.float32,
    1: dtypes.float16,
    24: dtypes.int8,
    25: dtypes.int16,
    26: dtypes.int32,
    27: dtypes.int64,
    28: dtypes.float64,
    30: dtypes.bfloat16,
}


def _half(blocks: Tensor, begin: int) -> Tensor:
    """The float16 at a byte of each block, as float32 of (blocks, 1)."""
    low, high = blocks[:, begin].cast(dtypes.uint16), blocks[:, begin + 1].cast(dtypes.uint16)
    return (low + high * 256).bitcast(dtypes.float16).cast(dtypes.float32).unsqueeze(-1)


def _nibbles(data: Tensor) -> Tensor:
    """The low halves of the bytes along the last axis, then the high ones, as int32."""
    data = data.cast(dtypes.int32)
    return Tensor.cat(data.bitwise_and(15), data.rshift(4), dim=-1)


def _bits(data: Tensor, width: int) -> Tensor:
    """The fields of `width` bits of each byte: lowest of all bytes first, then the next ones."""
    data = data.cast(dtypes.int32)
    mask = (1 << width) - 1
    return Tensor.cat(*[data.rshift(s).bitwise_and(mask) for s in range(0, 8, width)], dim=-1)


def _signed(data: Tensor) -> Tensor:
    return data.bitcast(dtypes.int8).cast(dtypes.int32)


def _q4_0(b: Tensor) -> Tensor:
    return (_nibbles(b[:, 2:18]) - 8) * _half(b, 0)


def _q4_1(b: Tensor) -> Tensor:
    return _nibbles(b[:, 4:20]) * _half(b, 0) + _half(b, 2)


def _fifth_bits(data: Tensor) -> Tensor:
    """Bit i of four bytes is that of element i."""
    shifts = Tensor.arange(8).reshape(1, 1, 8)
    bits = data.cast(dtypes.int32).unsqueeze(-1).rshift(shifts).bitwise_and(1)
    return bits.reshape(-1, 32) * 16


def _q5_0(b: Tensor) -> Tensor:
    return (_nibbles(b[:, 6:22]) + _fifth_bits(b[:, 2:6]) - 16) * _half(b, 0)


def _q5_1(b: Tensor) -> Tensor:
    return (_nibbles(b[:, 8:24]) + _fifth_bits(b[:, 4:8])) * _half(b, 0) + _half(b, 2)


def _q8_0(b: Tensor) -> Tensor:
    return _signed(b[:, 2:34]) * _half(b, 0)


def _scales(b: Tensor) -> tuple[Tensor, Tensor]:
    """The 8 scales and 8 minima of 6 bits in bytes 4 to 15, times their factors: (n, 8, 1)."""
    s = b[:, 4:16].cast(dtypes.int32)
    first, second, third = s[:, 0:4], s[:, 4:8], s[:, 8:12]
    scales = first.bitwise_and(63).cat(
        third.bitwise_and(15) + first.rshift(6) * 16,
        dim=-1,
    )
    minima = second.bitwise_and(63).cat(third.rshift(4) + second.rshift(6) * 16, dim=-1)
    return (scales * _half(b, 0)).unsqueeze(-1), (minima * _half(b, 2)).unsqueeze(-1)


def _q4_k(b: Tensor) -> Tensor:
    scales, minima = _scales(b)
    q = _nibbles(b[:, 16:144].reshape(-1, 4, 32)).reshape(-1, 8, 32)
    return (scales * q - minima).flatten(-2)


def _q5_k(b: Tensor) -> Tensor:
    scales, minima = _scales(b)
    high = _bits(b[:, 16:48], 1).reshape(-1, 8, 32)
    q = _nibbles(b[:, 48:176].reshape(-1, 4, 32)).reshape(-1, 8, 32) + high * 16
    return (scales * q - minima).flatten(-2)


def _q6_k(b: Tensor) -> Tensor:
    low = _nibbles(b[:, 0:128].reshape(-1, 2, 64))
    high = _bits(b[:, 128:192].reshape(-1, 2, 32), 2)
    q = (low + high * 16 - 32).reshape(-1, 16, 16)
    scales = _signed(b[:, 192:208]).unsqueeze(-1)
    return (q * scales).flatten(-2) * _half(b, 208)


# Elements and bytes of a block, and what turns blocks of (n, bytes) into (n, elements) float32.
_QUANTIZED: dict[int, tuple[str, int, int, Callable[[Tensor], Tensor]]] = {
    2: ("Q4_0", 32, 18, _q4_0),
    3: ("Q4_1", 32, 20, _q4_1),
    6: ("Q5_0", 32, 22, _q5_0),
    7: ("Q5_1", 32, 24, _q5_1),
    8: ("Q8_0", 32, 34, _q8_0),
    12: ("Q4_K", 256, 144, _q4_k),
    13: ("Q5_K", 256, 176, _q5_k),
    14: ("Q6_K", 256, 210, _q6_k),
}


def _dequantize(data: bytes | memoryview, n: int, ggml_type: int) -> Tensor:
    """The first n elements, flat. Raises ValueError for too few bytes and unknown types."""
    if ggml_type in _NATIVE:
        dtype = _NATIVE[ggml_type]
        size = n * dtype.itemsize
        if len(data) < size:
            raise ValueError(f"{n} elements of {dtype} need {size} bytes, not {len(data)}")
        return _core.tensor_from_bytes(bytes(data[:size]), dtype, [n])
    if ggml_type not in _QUANTIZED:
        known = ", ".join(f"{name} ({number})" for number, (name, *_) in _QUANTIZED.items())
        raise ValueError(f"GGML type {ggml_type} is not supported, but F32, F16, BF16, {known} are")
    name, elements, block, function = _QUANTIZED[ggml_type]
    if n % elements:
        raise ValueError(f"{n} elements are not a number of blocks of {elements}, as {name} has")
    count = n // elements
    if len(data) < count * block:
        raise ValueError(f"{n} elements of {name} need {count * block} bytes, not {len(data)}")
    blocks = _core.tensor_from_bytes(bytes(data[: count * block]), dtypes.uint8, [count, block])
    return function(blocks).flatten()


def ggml_data_to_tensor(t: Tensor, n: int, ggml_type: int) -> Tensor:
    """n elements of a type of GGML, from a tensor of their bytes; quantized ones as float32.

    What converts them is part of the program that uses the result. Raises ValueError for types
    other than F32, F16, BF16, integers, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K.
    """
    return _dequantize(read_bytes(t), n, ggml_type)


_NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}


class _Reader:
    """Reads numbers, texts and lists; ValueError at the end of the file."""

    def __init__(self, data: memoryview) -> None:
        self.file = io.BytesIO(data)

    def bytes(self, size: int) -> bytes:
        data = self.file.read(size)
        if len(data) != size:
            raise ValueError(f"the file ends where {size} bytes are expected")
        return data

    def number(self, code: str) -> Any:
        return struct.unpack("<" + code, self.bytes(struct.calcsize("<" + code)))[0]

    def text(self) -> str:
        return str(self.bytes(self.number("Q")), "utf-8")

    def value(self, kind: int) -> Any:
        if kind == 8:
            return self.text()
        if kind == 9:
            element = self.number("i")
            return [self.value(element) for _ in range(self.number("Q"))]
        if kind not in _NUMBERS:
            raise ValueError(f"a value of the unknown type {kind}")
        return self.number(_NUMBERS[kind])


def gguf_load(fn: Source) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The metadata and the tensors of a .gguf file of version 2 or 3.

    Raises IoError, naming the file, if it is missing, torn or malformed; ValueError for types of
    elements that ggml_data_to_tensor() does not have.
    """
    data = read_bytes(fn)
    reader = _Reader(data)
    try:
        if reader.bytes(4) != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        if (version := reader.number("i")) not in (2, 3):
            raise ValueError(f"version {version} is neither 2 nor 3")
        tensors, entries = reader.number("q"), reader.number("q")
        metadata = {reader.text(): reader.value(reader.number("i")) for _ in range(entries)}
        infos = []
        for _ in range(tensors):
            name = reader.text()
            shape = [reader.number("Q") for _ in range(reader.number("I"))][::-1]
            infos.append((name, shape, reader.number("i"), reader.number("Q")))
    except (ValueError, OverflowError, MemoryError) as error:
        raise FormatError(f"{describe(fn)}: not a complete GGUF file: {error}") from error
    start = round_up(reader.file.tell(), metadata.get("general.alignment", 32))
    state = {}
    for name, shape, kind, offset in infos:
        try:
            state[name] = _dequantize(data[start + offset :], prod(shape), kind).reshape(shape)
        except ValueError as error:
            known = kind in _NATIVE or kind in _QUANTIZED
            raise (FormatError if known else ValueError)(
                f"{describe(fn)}: tensor {name}: {error}"
            ) from None
    return metadata, state
