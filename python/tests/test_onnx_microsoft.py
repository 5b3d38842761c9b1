"""Operators of the domain com.microsoft, compared with NumPy."""

import math

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import helper
from tinygrad_mlir import Tensor
from tinygrad_mlir.nn.onnx import OnnxRunner, UnsupportedOnnxError

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def run(name, *arrays, outputs=("y",), domain="com.microsoft", **attributes):
    """The outputs of one node, whose inputs are not known before it runs."""
    given = {f"x{i}": array for i, array in enumerate(arrays) if array is not None}
    inputs = [f"x{i}" if array is not None else "" for i, array in enumerate(arrays)]
    types = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in given.items()
    ]
    node = helper.make_node(name, inputs, outputs, domain=domain, **attributes)
    results = [helper.make_tensor_value_info(name, 1, None) for name in outputs if name]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(
        helper.make_graph([node], "graph", types, results), opset_imports=opsets
    )
    tensors = {name: Tensor(array).realize() for name, array in given.items()}
    return [tensor.numpy() for tensor in OnnxRunner(model)(tensors).values()]


def near(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def normalize(x, epsilon=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon)


def rms(x, epsilon=1e-5):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_activations():
    x, bias = normal(2, 3, 8), normal(8)
    near(run("Gelu", x)[0], gelu(x))
    near(run("BiasGelu", x, bias)[0], gelu(x + bias))
    near(run("QuickGelu", x, alpha=1.5)[0], x / (1 + np.exp(-1.5 * x)))
    s = x + bias
    fast = s * (1 + np.tanh(math.sqrt(2 / math.pi) * (s + 0.044715 * s**3))) / 2
    near(run("FastGelu", x, bias)[0], fast)


def test_products():
    a, b = normal(2, 3, 4), normal(2, 5, 4)
    near(run("FusedMatMul", a, b, alpha=0.5, transB=1)[0], a @ b.transpose(0, 2, 1) / 2)
    with pytest.raises(UnsupportedOnnxError, match="transBatchA"):
        run("FusedMatMul", a, b, transBatchA=1)


def test_normalizations():
    x, skip, gamma, beta = normal(2, 3, 8), normal(2, 3, 8), normal(8), normal(8)
    outputs = ("y", "", "", "sum")
    y, total = run(
        "SkipLayerNormalization", x, skip, gamma, beta, beta, outputs=outputs, epsilon=1e-5
    )
    near(total, x + skip + beta)
    near(y, normalize(x + skip + beta) * gamma + beta)
    y, total = run("SkipSimplifiedLayerNormalization", x, skip, gamma, outputs=outputs)
    near(y, rms(x + skip) * gamma)
    near(total, x + skip)
    near(run("SimplifiedLayerNormalization", x, gamma, domain="")[0], rms(x) * gamma)


def test_embeddings():
    ids, kinds = np.array([[3, 1, 4]], np.int32), np.array([[0, 1, 1]], np.int32)
    words, places, table = normal(9, 8), normal(5, 8), normal(2, 8)
    gamma, beta, mask = normal(8), normal(8), np.array([[1, 1, 0]], np.int32)
    inputs = (ids, kinds, words, places, table, gamma, beta, mask)
    y, count = run("EmbedLayerNormalization", *inputs, outputs=("y", "count"), epsilon=1e-5)
    near(y, normalize(words[ids] + places[:3] + table[kinds]) * gamma + beta)
    assert count.tolist() == [2]


@pytest.mark.parametrize("mask", [None, np.array([2, 4]), np.array([[1, 1, 0, 0], [1, 1, 1, 1]])])
@pytest.mark.parametrize("is_causal", [0, 1])
def test_attention(mask, is_causal):
    x, weight, bias = normal(2, 4, 8), normal(8, 24), normal(24)
    allowed = np.ones((2, 1, 1, 4), bool)
    if mask is not None:
        allowed[0, ..., 2:] = False
        mask = mask.astype(np.int32)
    allowed = allowed & (np.tril(np.ones((4, 4), bool)) if is_causal else True)
    parts = np.split(x @ weight + bias, 3, -1)
    q, k, v = (part.reshape(2, 4, 2, 4).transpose(0, 2, 1, 3) for part in parts)
    scores = np.where(allowed, q @ k.transpose(0, 1, 3, 2) / 2, -np.inf)
    expected = (softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(2, 4, 8)
    y = run("Attention", x, weight, bias, mask, num_heads=2, unidirectional=is_causal)[0]
    near(y, expected)
    if mask is None:
        y = run("MultiHeadAttention", *parts, num_heads=2, unidirectional=is_causal)[0]
        near(y, expected)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("has_zeros", [False, True])
def test_matrices_of_few_bits(bits, has_zeros):
    size, count, block, blocks = 50, 6, 16, 4
    values = RANDOM.integers(0, 2**bits, (count, blocks * block)).astype(np.uint8)
    zeros = RANDOM.integers(0, 2**bits, (count, blocks)).astype(np.uint8)
    scales, a = normal(count * blocks), normal(3, size)

    def pack(x):
        return x if bits == 8 else x[:, ::2] | x[:, 1::2] << 4

    offsets = zeros if has_zeros else np.full_like(zeros, 2 ** (bits - 1))
    floats = values.reshape(count, blocks, block).astype(np.float32) - offsets[..., None]
    matrix = (floats * scales.reshape(count, blocks, 1)).reshape(count, -1)[:, :size]
    packed = pack(values).reshape(count, blocks, -1)
    given = pack(zeros) if has_zeros else None
    options = {"K": size, "N": count, "bits": bits, "block_size": block}
    near(run("MatMulNBits", a, packed, scales, given, **options)[0], a @ matrix.T)


def test_quantized():
    a, b = (RANDOM.integers(0, 256, (2, 3, 4)).astype(np.uint8) for _ in range(2))
    x, y = (a.astype(np.float32) - 100) * 0.5, (b.astype(np.float32) - 120) * 0.25
    scales = [np.float32(value) for value in (0.5, 0.25, 2.0)]
    zeros = [np.uint8(value) for value in (100, 120, 90)]
    inputs = [np.asarray(v) for v in (a, scales[0], zeros[0], b, scales[1], zeros[1])]
    inputs += [np.asarray(scales[2]), np.asarray(zeros[2])]
    for name, result in (("QLinearAdd", x + y), ("QLinearMul", x * y)):
        expected = np.clip(np.round(result / 2) + 90, 0, 255)
        np.testing.assert_array_equal(run(name, *inputs)[0], expected.astype(np.uint8))
    pooled = run("QLinearGlobalAveragePool", inputs[0], *inputs[1:3], *inputs[6:])[0]
    expected = np.clip(np.round(x.mean(-1, keepdims=True) / 2) + 90, 0, 255)
    assert np.abs(pooled.astype(int) - expected).max() <= 1 and pooled.dtype == np.uint8


def test_unknown_attributes_are_named():
    with pytest.raises(UnsupportedOnnxError, match=r"'Gelu'.*com\.microsoft.*'sharpness'"):
        run("Gelu", normal(3), sharpness=2)
