"""Files of llama.cpp: metadata, and tensors that are quantized in blocks."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from tinygrad_mlir import _core
from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.helpers import prod, round_up
from tinygrad_mlir.nn.state import FormatError, Source, describe, read_bytes

__all__ = ["Encoded", "ggml_data_to_tensor", "gguf_load", "gguf_load_encoded"]

# Types of elements by their numbers in files.
_NATIVE = {
    0: ("F32", dtypes.float32),
    1: ("F16", dtypes.float16),
    24: ("I8", dtypes.int8),
    25: ("I16", dtypes.int16),
    26: ("I32", dtypes.int32),
    27: ("I64", dtypes.int64),
    28: ("F64", dtypes.float64),
    30: ("BF16", dtypes.bfloat16),
}

#: What a block holds: integers of (blocks, groups, elements of a group), and the scale and the
#: minimum of each group, or None where there are no minima. An element is scale * q - minimum.
Parts: TypeAlias = tuple[Tensor, Tensor, Tensor | None]


def _half(blocks: Tensor, begin: int) -> Tensor:
    """The float16 at a byte of each block, as float32 of (blocks, 1, 1)."""
    low, high = blocks[:, begin].cast(dtypes.uint16), blocks[:, begin + 1].cast(dtypes.uint16)
    return (low + high * 256).bitcast(dtypes.float16).cast(dtypes.float32).reshape(-1, 1, 1)


def _nibbles(data: Tensor) -> Tensor:
    """The low halves of the bytes along the last axis, then the high ones, as int32."""
    data = data.cast(dtypes.int32)
    return Tensor.cat(data.bitwise_and(15), data.rshift(4), dim=-1)


def _bits(data: Tensor, width: int) -> Tensor:
    """The fields of `width` bits of each byte: lowest of all bytes first, then the next ones."""
    data = data.cast(dtypes.int32)
    mask = (1 << width) - 1
    return Tensor.cat(*[data.rshift(s).bitwise_and(mask) for s in range(0, 8, width)], dim=-1)


def _fields(data: Tensor, width: int) -> Tensor:
    """The fields of `width` bits of the bytes along the last axis, all of a byte together."""
    shifts = Tensor.arange(8 // width) * width
    fields = data.cast(dtypes.int32).unsqueeze(-1).rshift(shifts).bitwise_and((1 << width) - 1)
    return fields.flatten(-2)


def _signed(data: Tensor) -> Tensor:
    return data.bitcast(dtypes.int8).cast(dtypes.int32)


def _q4_0(b: Tensor) -> Parts:
    return (_nibbles(b[:, 2:18]) - 8).unsqueeze(1), _half(b, 0), None


def _q4_1(b: Tensor) -> Parts:
    return _nibbles(b[:, 4:20]).unsqueeze(1), _half(b, 0), -_half(b, 2)


def _q5_0(b: Tensor) -> Parts:
    q = _nibbles(b[:, 6:22]) + _fields(b[:, 2:6], 1) * 16 - 16
    return q.unsqueeze(1), _half(b, 0), None


def _q5_1(b: Tensor) -> Parts:
    q = _nibbles(b[:, 8:24]) + _fields(b[:, 4:8], 1) * 16
    return q.unsqueeze(1), _half(b, 0), -_half(b, 2)


def _q8_0(b: Tensor) -> Parts:
    return _signed(b[:, 2:34]).unsqueeze(1), _half(b, 0), None


def _q2_k(b: Tensor) -> Parts:
    scales = b[:, 0:16].cast(dtypes.int32).unsqueeze(-1)
    q = _bits(b[:, 16:80].reshape(-1, 2, 32), 2).reshape(-1, 16, 16)
    return q, scales.bitwise_and(15) * _half(b, 80), scales.rshift(4) * _half(b, 82)


def _q3_k(b: Tensor) -> Parts:
    high = _bits(b[:, 0:32], 1).reshape(-1, 16, 16)
    q = _bits(b[:, 32:96].reshape(-1, 2, 32), 2).reshape(-1, 16, 16) + high * 4 - 4
    scales = _nibbles(b[:, 96:104]) + _bits(b[:, 104:108], 2) * 16 - 32
    return q, scales.unsqueeze(-1) * _half(b, 108), None


def _scales(b: Tensor) -> tuple[Tensor, Tensor]:
    """The 8 scales and 8 minima of 6 bits in bytes 4 to 15, times their factors: (n, 8, 1)."""
    s = b[:, 4:16].cast(dtypes.int32)
    first, second, third = s[:, 0:4], s[:, 4:8], s[:, 8:12]
    scales = first.bitwise_and(63).cat(
        third.bitwise_and(15) + first.rshift(6) * 16,
        dim=-1,
    )
    minima = second.bitwise_and(63).cat(third.rshift(4) + second.rshift(6) * 16, dim=-1)
    return scales.unsqueeze(-1) * _half(b, 0), minima.unsqueeze(-1) * _half(b, 2)


def _q4_k(b: Tensor) -> Parts:
    return _nibbles(b[:, 16:144].reshape(-1, 4, 32)).reshape(-1, 8, 32), *_scales(b)


def _q5_k(b: Tensor) -> Parts:
    high = _bits(b[:, 16:48], 1).reshape(-1, 8, 32)
    q = _nibbles(b[:, 48:176].reshape(-1, 4, 32)).reshape(-1, 8, 32) + high * 16
    return q, *_scales(b)


def _q6_k(b: Tensor) -> Parts:
    low = _nibbles(b[:, 0:128].reshape(-1, 2, 64))
    high = _bits(b[:, 128:192].reshape(-1, 2, 32), 2)
    q = (low + high * 16 - 32).reshape(-1, 16, 16)
    return q, _signed(b[:, 192:208]).unsqueeze(-1) * _half(b, 208), None


# The values of four bits: those of IQ4 have been found by a search, those of FP4 are twice 0, 0.5,
# 1, 1.5, 2, 3, 4 and 6, and their negatives.
_IQ4 = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]
_FP4 = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12]


def _iq4_nl(b: Tensor) -> Parts:
    return Tensor(_IQ4)[_nibbles(b[:, 2:18])].unsqueeze(1), _half(b, 0), None


def _iq4_xs(b: Tensor) -> Parts:
    q = Tensor(_IQ4)[_nibbles(b[:, 8:136].reshape(-1, 8, 16))]
    scales = _fields(b[:, 4:8], 4) + _fields(b[:, 2:4], 2) * 16 - 32
    return q, scales.unsqueeze(-1) * _half(b, 0), None


def _mxfp4(b: Tensor) -> Parts:
    """The scale is half a power of two, of which there is the exponent; the least two of these
    are float32 below the normal ones."""
    exponent = b[:, 0].cast(dtypes.int32)
    small = Tensor(0x200000).lshift(exponent.minimum(1))
    bits = (exponent < 2).where(small, (exponent - 1).maximum(0).lshift(23))
    scale = bits.bitcast(dtypes.float32).reshape(-1, 1, 1)
    return Tensor(_FP4)[_nibbles(b[:, 1:17])].unsqueeze(1), scale, None


def _nvfp4(b: Tensor) -> Parts:
    """The scales are half of fp8 e4m3 without a sign."""
    s = b[:, 0:4].cast(dtypes.int32)
    exponent, mantissa = s.rshift(3).bitwise_and(15), s.bitwise_and(7)
    power = (exponent.maximum(1) + (127 - 11)).lshift(23).bitcast(dtypes.float32)
    scales = (mantissa + (exponent > 0).where(8, 0)) * power
    scales = (s == 127).where(0.0, scales)
    q = Tensor(_FP4)[_nibbles(b[:, 4:36].reshape(-1, 4, 8))]
    return q, scales.unsqueeze(-1), None


def _tq1_0(b: Tensor) -> Parts:
    """Digits of base 3: a byte is a fraction of 256, and each factor of 3 moves a digit out."""
    parts = []
    for begin, end, digits in [(0, 32, 5), (32, 48, 5), (48, 52, 4)]:
        data = b[:, begin:end].cast(dtypes.int32)
        parts += [(data * 3**i).bitwise_and(255) for i in range(digits)]
    q = (Tensor.cat(*parts, dim=-1) * 3).rshift(8) - 1
    return q.unsqueeze(1), _half(b, 52), None


def _tq2_0(b: Tensor) -> Parts:
    q = _bits(b[:, 0:64].reshape(-1, 2, 32), 2) - 1
    return q.reshape(-1, 1, 256), _half(b, 64), None


# Elements and bytes of a block, and what takes blocks of (n, bytes) apart.
_QUANTIZED: dict[int, tuple[str, int, int, Callable[[Tensor], Parts]]] = {
    2: ("Q4_0", 32, 18, _q4_0),
    3: ("Q4_1", 32, 20, _q4_1),
    6: ("Q5_0", 32, 22, _q5_0),
    7: ("Q5_1", 32, 24, _q5_1),
    8: ("Q8_0", 32, 34, _q8_0),
    10: ("Q2_K", 256, 84, _q2_k),
    11: ("Q3_K", 256, 110, _q3_k),
    12: ("Q4_K", 256, 144, _q4_k),
    13: ("Q5_K", 256, 176, _q5_k),
    14: ("Q6_K", 256, 210, _q6_k),
    20: ("IQ4_NL", 32, 18, _iq4_nl),
    23: ("IQ4_XS", 256, 136, _iq4_xs),
    34: ("TQ1_0", 256, 54, _tq1_0),
    35: ("TQ2_0", 256, 66, _tq2_0),
    39: ("MXFP4", 32, 17, _mxfp4),
    40: ("NVFP4", 64, 36, _nvfp4),
}


class Encoded:
    """A tensor of a file as its elements are kept there.

    Attributes: `type_name`, such as "Q4_K", `shape`, `data` (of plain types a tensor of the shape,
    of quantized ones the bytes, uint8 of (blocks, bytes of a block)), and `is_quantized`.
    """

    def __init__(self, data: bytes | memoryview, shape: Sequence[int], ggml_type: int) -> None:
        """Of the first bytes of `data`. Raises ValueError for too few ones and unknown types."""
        self.shape = tuple(shape)
        n = prod(self.shape)
        self._take_apart: Callable[[Tensor], Parts] | None = None
        if ggml_type in _NATIVE:
            self.type_name, dtype = _NATIVE[ggml_type]
            size, stored = n * dtype.itemsize, list(self.shape)
        elif ggml_type in _QUANTIZED:
            dtype = dtypes.uint8
            self.type_name, elements, block, self._take_apart = _QUANTIZED[ggml_type]
            if n % elements:
                raise ValueError(
                    f"{n} elements are not a number of blocks of {elements}, as {self.type_name} has"
                )
            size, stored = n // elements * block, [n // elements, block]
        else:
            known = ", ".join(f"{name} ({number})" for number, (name, *_) in _QUANTIZED.items())
            raise ValueError(
                f"GGML type {ggml_type} is not supported, but F32, F16, BF16, {known} are"
            )
        if len(data) < size:
            raise ValueError(f"{n} elements of {self.type_name} need {size} bytes, not {len(data)}")
        self.data = _core.tensor_from_bytes(bytes(data[:size]), dtype, stored)

    @property
    def is_quantized(self) -> bool:
        return self._take_apart is not None

    def parts(self) -> Parts:
        """Of a quantized tensor: int32 q of (blocks, groups, elements of a group), and float32
        scale and minimum (or None) of one number for each group, so that the elements are
        scale * q - minimum. Raises ValueError for plain types."""
        if self._take_apart is None:
            raise ValueError(f"elements of {self.type_name} are not quantized")
        return self._take_apart(self.data)

    def decode(self) -> Tensor:
        """The elements: of plain types as they are, of quantized ones as float32."""
        if self._take_apart is None:
            return self.data
        q, scale, minimum = self.parts()
        values = q * scale
        return (values if minimum is None else values - minimum).reshape(self.shape)


def ggml_data_to_tensor(t: Tensor, n: int, ggml_type: int) -> Tensor:
    """n elements of a type of GGML, from a tensor of their bytes; quantized ones as float32.

    What converts them is part of the program that uses the result. Raises ValueError for other
    types than F32, F16, BF16, F64, integers, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K to Q6_K, IQ4_NL,
    IQ4_XS, TQ1_0, TQ2_0, MXFP4 and NVFP4.
    """
    return Encoded(read_bytes(t), [n], ggml_type).decode()


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
        self.data = data
        self.position = 0

    def bytes(self, size: int) -> memoryview:
        data = self.data[self.position : self.position + size]
        if len(data) != size:
            raise ValueError(f"the file ends where {size} bytes are expected")
        self.position += size
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


def gguf_load_encoded(fn: Source) -> tuple[dict[str, Any], dict[str, Encoded]]:
    """The metadata and the tensors of a .gguf file of version 2 or 3, not decoded.

    Raises IoError, naming the file, if it is missing, torn or malformed; ValueError for types of
    elements that ggml_data_to_tensor() does not have.
    """
    data = read_bytes(fn)
    reader = _Reader(data)
    try:
        if bytes(reader.bytes(4)) != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        if (version := reader.number("i")) not in (2, 3):
            raise ValueError(f"version {version} is neither 2 nor 3")
        tensors, entries = reader.number("Q"), reader.number("Q")
        metadata = {reader.text(): reader.value(reader.number("i")) for _ in range(entries)}
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment < 1:
            raise ValueError(f"general.alignment is {alignment!r}")
        infos = []
        for _ in range(tensors):
            name = reader.text()
            # Sizes as signed numbers, which those of tensors are.
            shape = [reader.number("q") for _ in range(reader.number("I"))][::-1]
            if any(size < 0 for size in shape):
                raise ValueError(f"tensor {name} has the negative size {min(shape)}")
            infos.append((name, shape, reader.number("i"), reader.number("Q")))
    except (ValueError, OverflowError, MemoryError, RecursionError) as error:
        raise FormatError(f"{describe(fn)}: not a complete GGUF file: {error}") from error
    start = round_up(reader.position, alignment)
    state = {}
    for name, shape, kind, offset in infos:
        try:
            state[name] = Encoded(data[start + offset :], shape, kind)
        except ValueError as error:
            known = kind in _NATIVE or kind in _QUANTIZED
            raise (FormatError if known else ValueError)(
                f"{describe(fn)}: tensor {name}: {error}"
            ) from None
    return metadata, state


def gguf_load(fn: Source) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """gguf_load_encoded() with decoded tensors; what decodes them is part of the program that
    uses them."""
    metadata, state = gguf_load_encoded(fn)
    return metadata, {name: tensor.decode() for name, tensor in state.items()}
