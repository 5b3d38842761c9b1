"""Hashes of tensors' bytes. They are computed on the host, by Python's hashlib."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

from tinygrad_mlir._core import Tensor, UsageError
from tinygrad_mlir.dtype import dtypes

__all__ = ["hash", "keccak"]

#: The functions by rate, how many bytes are absorbed at once, and suffix of the message.
_FUNCTIONS: dict[tuple[int, int], Callable[[bytes], bytes]] = {
    (144, 0x06): lambda data: hashlib.sha3_224(data).digest(),
    (136, 0x06): lambda data: hashlib.sha3_256(data).digest(),
    (104, 0x06): lambda data: hashlib.sha3_384(data).digest(),
    (72, 0x06): lambda data: hashlib.sha3_512(data).digest(),
    (168, 0x1F): lambda data: hashlib.shake_128(data).digest(16),
    (136, 0x1F): lambda data: hashlib.shake_256(data).digest(32),
}
_RATES: dict[str, tuple[int, int]] = {
    "sha3_224": (144, 0x06),
    "sha3_256": (136, 0x06),
    "shake_128": (168, 0x1F),
}

_LEAF = 4096
_BLOCK = 1 << 20


def _function(cfg: str | tuple[int, int]) -> Callable[[bytes], bytes]:
    key = _RATES.get(cfg) if isinstance(cfg, str) else tuple(cfg)
    if key not in _FUNCTIONS:
        raise UsageError(
            f"keccak: there is no function {cfg!r}: it is one of {', '.join(_RATES)}, or a rate and "
            f"a suffix of {', '.join(map(str, _FUNCTIONS))}"
        )
    return _FUNCTIONS[key]


def keccak(self: Tensor, cfg: str | tuple[int, int] = "sha3_256") -> Tensor:
    """The hash of the bytes of each row (along the last axis), as uint8.

    `cfg` is "sha3_224", "sha3_256", "shake_128" (of 16 bytes), or the rate in bytes and the suffix
    of one of the functions of FIPS 202. The result has `self`'s shape but for the last axis, which
    has the bytes of the hash. The tensor is computed first.

    Raises UsageError for other functions, and for a tensor without axes.
    """
    function = _function(cfg)
    if self.ndim == 0:
        raise UsageError("keccak: rows of bytes are hashed, and a tensor of shape () has none")
    rows, size = math.prod(self.shape[:-1]), self.shape[-1] * self.dtype.itemsize
    data = _bytes(self)
    digests = b"".join(function(data[row * size : (row + 1) * size]) for row in range(rows))
    length = len(function(b""))
    result = Tensor(digests, device=self.device, dtype=dtypes.uint8)
    return result.reshape(*self.shape[:-1], length)


def hash(self: Tensor) -> Tensor:
    """A hash of 16 bytes of all the tensor's bytes, as uint8 of shape (16,).

    It is a tree of SHAKE128: of pieces of 4096 bytes, of the 256 hashes of a MiB, and so on. The
    tensor is computed first.
    """
    data = _bytes(self)
    while len(data) > _BLOCK:
        data = b"".join(map(_hash_block, _split(data, _BLOCK)))
    return Tensor(_hash_block(data), device=self.device, dtype=dtypes.uint8)


def _bytes(tensor: Tensor) -> bytes:
    return bytes(tensor.flatten().bitcast(dtypes.uint8).data()) if tensor.numel() else b""


def _split(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def _hash_block(data: bytes) -> bytes:
    """The hash of up to a MiB, which zeros fill up."""
    shake = _FUNCTIONS[_RATES["shake_128"]]
    return shake(b"".join(map(shake, _split(data.ljust(_BLOCK, b"\0"), _LEAF))))
