"""Whole models, captured by TinyJit, compared with the reference evaluator of the package onnx."""

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import numpy_helper, parser
from onnx.reference import ReferenceEvaluator
from tinygrad_mlir import GlobalCounters, Tensor, TinyJit
from tinygrad_mlir.nn.onnx import from_onnx

RANDOM = np.random.default_rng(0)

CONVOLUTIONS = """
<ir_version: 8, opset_import: ["" : 17]>
net (float[N, 3, 16, 16] x) => (float[N, 10] y) {
  a = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]>(x, w0)
  b = BatchNormalization(a, scale, bias, mean, variance)
  c = Relu(b)
  d = Conv<kernel_shape = [3, 3], auto_pad = "SAME_UPPER", group = 2>(c, w1, b1)
  e = Add(d, c)
  f = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(e)
  g = GlobalAveragePool(f)
  h = Flatten(g)
  y = Gemm<transB = 1>(h, w2, b2)
}"""
CONVOLUTION_WEIGHTS = {
    "w0": (8, 3, 3, 3),
    "scale": (8,),
    "bias": (8,),
    "mean": (8,),
    "variance": (8,),
    "w1": (8, 4, 3, 3),
    "b1": (8,),
    "w2": (10, 8),
    "b2": (10,),
}

TRANSFORMER = """
<ir_version: 8, opset_import: ["" : 17]>
net (int64[N, T] ids) => (float[N, T, 50] y)
<int64 zero = {0}, int64 one = {1}, int64[1] heads = {4}, int64[1] rest = {-1}, float k = {0.5},
 int64[1] axis0 = {0}, int64 start = {0}> {
  e = Gather(words, ids)
  shape = Shape(ids)
  length = Gather(shape, one)
  at = Range(start, length, one)
  p = Gather(places, at)
  x = Add(e, p)
  n = LayerNormalization(x, g0, c0)
  qkv = MatMul(n, w0)
  q0, k0, v0 = Split<axis = -1>(qkv, third)
  dims = Concat<axis = 0>(shape, heads, rest)
  q1 = Reshape(q0, dims)
  k1 = Reshape(k0, dims)
  v1 = Reshape(v0, dims)
  q = Transpose<perm = [0, 2, 1, 3]>(q1)
  kt = Transpose<perm = [0, 2, 3, 1]>(k1)
  v = Transpose<perm = [0, 2, 1, 3]>(v1)
  s0 = MatMul(q, kt)
  s1 = Mul(s0, k)
  tt0 = Unsqueeze(length, axis0)
  tt = Concat<axis = 0>(tt0, tt0)
  ones = ConstantOfShape<value = int64[1] {1}>(tt)
  low = Trilu<upper = 0>(ones)
  allowed = Cast<to = 9>(low)
  s2 = Where(allowed, s1, least)
  a = Softmax(s2)
  o0 = MatMul(a, v)
  o1 = Transpose<perm = [0, 2, 1, 3]>(o0)
  joined = Concat<axis = 0>(shape, rest)
  o = Reshape(o1, joined)
  r = Add(x, o)
  f0 = MatMul(r, w1)
  f1 = Tanh(f0)
  y = MatMul(f1, w2)
}"""
TRANSFORMER_WEIGHTS = {
    "words": (50, 16),
    "places": (12, 16),
    "g0": (16,),
    "c0": (16,),
    "w0": (16, 48),
    "w1": (16, 32),
    "w2": (32, 50),
}


def build(text, shapes, **others):
    model = parser.parse_model(text)
    arrays = {name: RANDOM.random(shape).astype(np.float32) for name, shape in shapes.items()}
    for name, array in {**arrays, **others}.items():
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return model


def check(model, inputs, kernels):
    """Each input's result, also of replays."""
    reference, function = ReferenceEvaluator(model), from_onnx(model)
    (name,) = function.input_names
    captured = TinyJit(function.__call__)
    for array in inputs:
        (expected,) = reference.run(None, {name: array})
        GlobalCounters.reset()
        result = captured(Tensor(array).realize()).numpy()
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
    assert GlobalCounters.kernel_count <= kernels


def test_convolutions():
    images = [RANDOM.standard_normal((2, 3, 16, 16)).astype(np.float32) for _ in range(4)]
    check(build(CONVOLUTIONS, CONVOLUTION_WEIGHTS), images, 5)


def test_transformer():
    third = np.array([16, 16, 16])
    model = build(TRANSFORMER, TRANSFORMER_WEIGHTS, third=third, least=np.float32(-1e9))
    check(model, [RANDOM.integers(0, 50, (2, 7)) for _ in range(4)], 12)
    # Other sizes are those of another capture.
    check(model, [RANDOM.integers(0, 50, (1, 12)) for _ in range(3)], 12)


ATTENTION = """
<ir_version: 8, opset_import: ["" : 23]>
net (float[1, 4, 9, 8] x) => (float[1, 4, 9, 8] y) { y = Attention<is_causal = 1>(x, x, x) }
"""


def test_functions_of_the_standard_are_captured():
    shape = (1, 4, 9, 8)
    inputs = [RANDOM.standard_normal(shape).astype(np.float32) for _ in range(4)]
    check(build(ATTENTION, {}), inputs, 5)


def test_gradients_of_a_model():
    function = from_onnx(build(CONVOLUTIONS, CONVOLUTION_WEIGHTS))
    weight = function.weights["w2"]
    x = Tensor.rand(2, 3, 16, 16)
    before = function(x).square().mean()
    (gradient,) = before.gradient(weight)
    start = before.item()
    weight.assign(weight - gradient * 1e-6).realize()
    assert function(x).square().mean().item() < start
