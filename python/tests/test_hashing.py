"""Hashes of tensors, compared with hashlib."""

import hashlib

import numpy as np
import pytest
from tinygrad_mlir import Tensor, UsageError, dtypes

LENGTHS = (1, 8, 135, 136, 137, 143, 144, 168, 500)


def digest(tensor):
    return bytes(tensor.flatten().data())


@pytest.mark.parametrize("length", LENGTHS)
def test_keccak_of_rows(length):
    data = np.random.default_rng(length).integers(0, 256, (2, 3, length), dtype=np.uint8)
    rows = [row.tobytes() for row in data.reshape(6, length)]
    expected = {
        "sha3_224": [hashlib.sha3_224(row).digest() for row in rows],
        "sha3_256": [hashlib.sha3_256(row).digest() for row in rows],
        "shake_128": [hashlib.shake_128(row).digest(16) for row in rows],
    }
    for name, digests in expected.items():
        result = Tensor(data).keccak(name)
        assert result.shape == (2, 3, len(digests[0])) and result.dtype is dtypes.uint8
        assert digest(result) == b"".join(digests)
    assert digest(Tensor(data).keccak()) == b"".join(expected["sha3_256"])
    assert digest(Tensor(data).keccak((144, 6))) == b"".join(expected["sha3_224"])


def test_keccak_of_other_types_is_of_their_bytes():
    tensor = Tensor([[1.5, 2.5], [3.5, 4.5]], dtype=dtypes.bfloat16)
    row = tensor[1].bitcast(dtypes.uint8)
    assert digest(tensor.keccak()[1]) == hashlib.sha3_256(bytes(row.data())).digest()
    assert digest((Tensor([1, 2]) + 1).keccak()) == digest(Tensor([2, 3]).keccak())


def test_keccak_of_nothing():
    assert digest(Tensor(b"").keccak()) == hashlib.sha3_256(b"").digest()
    assert Tensor.zeros(0, 3, dtype="uint8").keccak().shape == (0, 32)


def test_keccak_errors():
    with pytest.raises(UsageError, match="'md5'.*sha3_224"):
        Tensor([1]).keccak("md5")
    with pytest.raises(UsageError, match=r"\(136, 1\)"):
        Tensor([1]).keccak((136, 1))
    with pytest.raises(UsageError, match=r"shape \(\)"):
        Tensor(1).keccak()


def test_hash_is_a_tree():
    def block(data):
        pieces = (data[i : i + 4096] for i in range(0, 1 << 20, 4096))
        leaves = b"".join(hashlib.shake_128(piece).digest(16) for piece in pieces)
        return hashlib.shake_128(leaves).digest(16)

    short = b"some bytes"
    assert Tensor(short).hash().shape == (16,)
    assert digest(Tensor(short).hash()) == block(short.ljust(1 << 20, b"\0"))
    long = np.random.default_rng(0).integers(0, 256, (1 << 20) + 5, dtype=np.uint8).tobytes()
    first, second = long[: 1 << 20], long[1 << 20 :].ljust(1 << 20, b"\0")
    top = (block(first) + block(second)).ljust(1 << 20, b"\0")
    assert digest(Tensor(long).hash()) == block(top)
    assert digest(Tensor([1.0, 2.0]).hash()) != digest(Tensor([2.0, 1.0]).hash())
