"""Files of llama.cpp, and blocks of quantized elements, decoded here one element at a time."""

import struct

import numpy as np
import pytest
from tinygrad_mlir import Tensor, dtypes
from tinygrad_mlir._core import IoError
from tinygrad_mlir.nn import state
from tinygrad_mlir.nn.gguf import _QUANTIZED as QUANTIZED
from tinygrad_mlir.nn.gguf import gguf_load_encoded


def half(block, at):
    return float(np.frombuffer(block[at : at + 2], np.float16)[0])


def nibble(data, i, half_size):
    """Element i of 2 * half_size: low halves of the bytes first."""
    return data[i] & 15 if i < half_size else data[i - half_size] >> 4


def q4_0(b):
    return [half(b, 0) * (nibble(b[2:], i, 16) - 8) for i in range(32)]


def q4_1(b):
    return [half(b, 0) * nibble(b[4:], i, 16) + half(b, 2) for i in range(32)]


def fifth(data, i):
    return (int.from_bytes(data[:4], "little") >> i & 1) << 4


def q5_0(b):
    return [half(b, 0) * ((nibble(b[6:], i, 16) | fifth(b[2:], i)) - 16) for i in range(32)]


def q5_1(b):
    return [half(b, 0) * (nibble(b[8:], i, 16) | fifth(b[4:], i)) + half(b, 2) for i in range(32)]


def signed(byte):
    return byte - 256 if byte > 127 else byte


def q8_0(b):
    return [half(b, 0) * signed(b[2 + i]) for i in range(32)]


def scale_and_minimum(s, j):
    if j < 4:
        return s[j] & 63, s[j + 4] & 63
    return s[j + 4] & 15 | s[j - 4] >> 6 << 4, s[j + 4] >> 4 | s[j] >> 6 << 4


def q4_k(b):
    result = []
    for i in range(256):
        scale, minimum = scale_and_minimum(b[4:16], i // 32)
        q = nibble(b[16 + i // 64 * 32 :], i % 64, 32)
        result.append(half(b, 0) * scale * q - half(b, 2) * minimum)
    return result


def q5_k(b):
    result = []
    for i in range(256):
        scale, minimum = scale_and_minimum(b[4:16], i // 32)
        q = nibble(b[48 + i // 64 * 32 :], i % 64, 32) | (b[16 + i % 32] >> i // 32 & 1) << 4
        result.append(half(b, 0) * scale * q - half(b, 2) * minimum)
    return result


def q6_k(b):
    result = []
    for i in range(256):
        part, quarter, j = i // 128, i % 128 // 32, i % 32
        low = b[part * 64 + j + quarter % 2 * 32] >> quarter // 2 * 4 & 15
        high = b[128 + part * 32 + j] >> quarter * 2 & 3
        result.append(half(b, 208) * signed(b[192 + i // 16]) * ((low | high << 4) - 32))
    return result


TYPES = {
    2: (q4_0, 32, 18, [0]),
    3: (q4_1, 32, 20, [0, 2]),
    6: (q5_0, 32, 22, [0]),
    7: (q5_1, 32, 24, [0, 2]),
    8: (q8_0, 32, 34, [0]),
    12: (q4_k, 256, 144, [0, 2]),
    13: (q5_k, 256, 176, [0, 2]),
    14: (q6_k, 256, 210, [208]),
}


def blocks(kind, count=3):
    """Random blocks, with scales that are numbers, and their elements."""
    decode, elements, size, scales = TYPES[kind]
    random = np.random.default_rng(kind)
    data = bytearray()
    for _ in range(count):
        block = bytearray(random.integers(0, 256, size, dtype=np.uint8).tobytes())
        for at in scales:
            block[at : at + 2] = np.float16(random.uniform(-2, 2)).tobytes()
        data += block
    expected = [decode(data[i * size : (i + 1) * size]) for i in range(count)]
    return bytes(data), np.array(expected, dtype=np.float32).reshape(count, elements)


@pytest.mark.parametrize("kind", TYPES)
def test_quantized(kind):
    data, expected = blocks(kind)
    found = state.ggml_data_to_tensor(Tensor(data), expected.size, kind)
    assert found.dtype == dtypes.float32
    np.testing.assert_allclose(
        found.numpy().reshape(expected.shape), expected, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("kind", sorted(QUANTIZED), ids=lambda kind: QUANTIZED[kind][0])
def test_as_the_package_gguf(kind):
    """Bit for bit, for any bytes; NaN where it has NaN."""
    gguf = pytest.importorskip("gguf")
    name, elements, size, _ = QUANTIZED[kind]
    kind_there = gguf.GGMLQuantizationType(kind)
    assert kind_there.name == name and gguf.GGML_QUANT_SIZES[kind_there] == (elements, size)
    data = np.random.default_rng(kind).integers(0, 256, (3, 20, size), dtype=np.uint8)
    data[0, :, :] = np.arange(20)[:, None]  # the smallest scales of all types too
    with np.errstate(all="ignore"):
        expected = gguf.dequantize(data.reshape(60, size), kind_there).reshape(-1)
    found = state.ggml_data_to_tensor(Tensor(data.tobytes()), expected.size, kind).numpy()
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    numbers = ~np.isnan(expected)
    assert numbers.mean() > 0.5
    np.testing.assert_array_equal(found[numbers].view(np.uint32), expected[numbers].view(np.uint32))


def test_encoded(tmp_path):
    quantized, expected = blocks(12, 2)
    path = tmp_path / "x.gguf"
    path.write_bytes(
        gguf([("a", (2,), 0, bytes(8)), ("b", (2, 256), 12, quantized), ("c", (0, 4), 0, b"")])
    )
    _, tensors = gguf_load_encoded(path)
    plain, coded = tensors["a"], tensors["b"]
    assert (plain.type_name, plain.shape, plain.is_quantized) == ("F32", (2,), False)
    assert plain.data.tolist() == plain.decode().tolist() == [0, 0]
    assert tensors["c"].decode().shape == (0, 4)
    with pytest.raises(ValueError, match="elements of F32 are not quantized"):
        plain.parts()
    assert (coded.type_name, coded.shape, coded.is_quantized) == ("Q4_K", (2, 256), True)
    assert coded.data.shape == (2, 144) and coded.data.numpy().tobytes() == quantized
    q, scale, minimum = coded.parts()
    assert (q.shape, scale.shape, minimum.shape) == ((2, 8, 32), (2, 8, 1), (2, 8, 1))
    values = (q * scale - minimum).numpy().reshape(2, 256)
    np.testing.assert_array_equal(values, coded.decode().numpy())
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)


def test_plain_types():
    values = np.array([1.5, -2, 3], dtype=np.float32)
    for kind, dtype in [
        (0, np.float32),
        (1, np.float16),
        (24, np.int8),
        (27, np.int64),
        (28, np.float64),
    ]:
        found = state.ggml_data_to_tensor(Tensor(values.astype(dtype).tobytes()), 3, kind)
        assert found.numpy().dtype == dtype
        np.testing.assert_array_equal(found.numpy(), values.astype(dtype))
    wide = (values.view(np.uint32) >> 16).astype(np.uint16)
    assert state.ggml_data_to_tensor(Tensor(wide.tobytes()), 3, 30).tolist() == [1.5, -2, 3]


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(tensors, entries=b"", count=0, magic=b"GGUF", version=3, alignment=32):
    head = magic + struct.pack("<iqq", version, len(tensors), count) + entries
    data = b""
    for name, shape, kind, values in tensors:
        data += b"\0" * (-len(data) % alignment)
        head += text(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *shape[::-1]) + struct.pack("<iQ", kind, len(data))
        data += values
    return head + b"\0" * (-len(head) % alignment) + data


def test_gguf_load(tmp_path):
    plain = np.arange(6, dtype=np.float32)
    quantized, expected = blocks(12, 2)
    entries = text("general.alignment") + struct.pack("<iI", 4, 64)
    entries += text("name") + struct.pack("<i", 8) + text("net")
    entries += text("list") + struct.pack("<iiQ", 9, 5, 2) + struct.pack("<ii", 3, -4)
    entries += text("flag") + struct.pack("<i?", 7, True) + text("x") + struct.pack("<id", 12, 0.5)
    tensors = [("a", (2, 3), 0, plain.tobytes()), ("b", (2, 256), 12, quantized)]
    path = tmp_path / "x.gguf"
    path.write_bytes(gguf(tensors, entries, 5, alignment=64))
    for source in (path, str(path), Tensor(path)):
        metadata, loaded = state.gguf_load(source)
        assert metadata == {
            "general.alignment": 64,
            "name": "net",
            "list": [3, -4],
            "flag": True,
            "x": 0.5,
        }
        np.testing.assert_array_equal(loaded["a"].numpy(), plain.reshape(2, 3))
        np.testing.assert_allclose(loaded["b"].numpy(), expected, rtol=1e-5, atol=1e-5)


def test_errors(tmp_path):
    path = tmp_path / "torn.gguf"
    whole = gguf([("a", (4,), 0, bytes(16))], text("k") + struct.pack("<iI", 4, 1), 1)
    for data, message in [
        (b"", "ends where"),
        (whole[:30], "ends where"),
        (whole[:-4], "tensor a: 4 elements of F32 need 16 bytes, not 12"),
        (gguf([], magic=b"GGML"), "GGUF"),
        (gguf([], text("general.alignment") + bytes([4, 0, 0, 0] + [0] * 4), 1), "alignment is 0"),
        (gguf([], version=1), "version 1"),
        (gguf([("a", (0, 2**63), 0, b"")]), f"tensor a has the negative size {-(2**63)}"),
        (gguf([("a", (0, 2**64 - 1), 2, b"")]), "tensor a has the negative size -1"),
        (gguf([], text("k") + struct.pack("<i", 77), 1), "type 77"),
    ]:
        path.write_bytes(data)
        with pytest.raises(IoError, match=f"torn.gguf.*{message}"):
            state.gguf_load(path)
    path.write_bytes(gguf([("a", (4,), 16, bytes(16))]))
    with pytest.raises(ValueError, match="torn.gguf: tensor a: GGML type 16 is not supported"):
        state.gguf_load(path)
    with pytest.raises(ValueError, match="blocks of 32"):
        state.ggml_data_to_tensor(Tensor(bytes(18)), 16, 2)
    with pytest.raises(ValueError, match="need 18 bytes, not 17"):
        state.ggml_data_to_tensor(Tensor(bytes(17)), 32, 2)
