"""Operators that ONNX Runtime adds to the standard, of the domain com.microsoft."""

from __future__ import annotations

import math
from typing import Any

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.nn.onnx.errors import UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.operators.networks import rms_normalization
from tinygrad_mlir.nn.onnx.operators.quantized import (
    dequantize_linear,
    round_to,
    quantize_linear,
)
from tinygrad_mlir.nn.onnx.registry import MICROSOFT, method, operator
from tinygrad_mlir.nn.onnx.values import ELEMENT_TYPES, Value, to_tensor

method("BiasGelu", lambda x, bias: (x + bias).gelu("none"), domain=MICROSOFT)
method("Gelu", lambda x: x.gelu("none"), domain=MICROSOFT)
method("QuickGelu", lambda x, alpha=1.702: x * (x * alpha).sigmoid(), domain=MICROSOFT)
operator("DequantizeLinear", domain=MICROSOFT, context=True)(dequantize_linear)
operator("QuantizeLinear", domain=MICROSOFT, context=True)(quantize_linear)
operator("SimplifiedLayerNormalization")(rms_normalization)


@operator("FastGelu", domain=MICROSOFT)
def fast_gelu(x: Tensor, bias: Tensor | None = None) -> Tensor:
    return (x if bias is None else x + bias).gelu("tanh")


@operator("FusedMatMul", domain=MICROSOFT)
def fused_matmul(
    a: Tensor,
    b: Tensor,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> Tensor:
    if transBatchA or transBatchB:
        raise UnsupportedOnnxError("transBatchA and transBatchB")
    a = a.transpose(-1, -2) if transA else a
    b = b.transpose(-1, -2) if transB else b
    return a.matmul(b) * alpha


@operator("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization(
    x: Tensor,
    skip: Tensor,
    gamma: Tensor,
    beta: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-12,
) -> tuple[Tensor | None, ...]:
    """Also the sum that is normalized, as the fourth output."""
    x = x + skip if bias is None else x + skip + bias
    y = x.layernorm(-1, epsilon) * gamma
    return (y if beta is None else y + beta), None, None, x


@operator("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_rms_normalization(
    x: Tensor, skip: Tensor, gamma: Tensor, bias: Tensor | None = None, epsilon: float = 1e-5
) -> tuple[Tensor | None, ...]:
    x = x + skip if bias is None else x + skip + bias
    return rms_normalization(x, gamma, -1, epsilon), None, None, x


@operator("EmbedLayerNormalization", domain=MICROSOFT)
def embed_layer_normalization(
    ids: Tensor,
    segments: Tensor | None,
    words: Tensor,
    places: Tensor,
    kinds: Tensor | None,
    gamma: Tensor,
    beta: Tensor,
    mask: Tensor | None = None,
    positions: Tensor | None = None,
    epsilon: float = 1e-12,
    mask_index_type: int = 0,
) -> tuple[Tensor, ...]:
    """The normalized embeddings, the number of elements of the mask, and the embeddings."""
    x = words[ids]
    x = x + (places[: ids.shape[1]] if positions is None else places[positions])
    if segments is not None and kinds is not None:
        x = x + kinds[segments]
    count = Tensor.zeros(ids.shape[0], dtype=dtypes.int32)
    if mask is not None:
        count = mask.sum(1).cast(dtypes.int32)
    return x.layernorm(-1, epsilon) * gamma + beta, count, x


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    heads: int,
    allowed: Tensor | None,
    bias: Tensor | None,
    scale: float | None,
) -> Tensor:
    """Attention of (batch, length, width), each head with a part of the width."""
    q, k, v = (x.reshape(*x.shape[:2], heads, -1).transpose(1, 2) for x in (q, k, v))
    scores = q.matmul(k.transpose(-1, -2)) * (scale or 1 / math.sqrt(q.shape[-1]))
    if bias is not None:
        scores = scores + bias
    if allowed is not None:
        scores = allowed.where(scores, -math.inf)
    y = scores.softmax(-1).matmul(v)
    return y.transpose(1, 2).flatten(2)


def _allowed(mask: Tensor | None, queries: int, keys: int, is_causal: int) -> Tensor | None:
    """Which keys (batch, 1, queries, keys) are looked at: of lengths, or of a mask of 0 and 1."""
    result: Tensor | None = None
    if mask is not None:
        if mask.ndim == 1:
            result = (Tensor.arange(keys) < mask.unsqueeze(1)).reshape(-1, 1, 1, keys)
        elif mask.ndim == 2:
            result = (mask != 0).reshape(-1, 1, 1, keys)
        elif mask.ndim == 3:
            result = (mask != 0).unsqueeze(1)
        else:
            raise UnsupportedOnnxError(f"a mask of the shape {mask.shape}")
    if is_causal:
        ahead = Tensor.arange(keys) <= Tensor.arange(queries).unsqueeze(1) + (keys - queries)
        result = ahead if result is None else result & ahead
    return result


@operator("Attention", domain=MICROSOFT)
def attention(
    x: Tensor,
    weights: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    past: Tensor | None = None,
    attention_bias: Tensor | None = None,
    *,
    num_heads: int,
    scale: float | None = None,
    unidirectional: int = 0,
    qkv_hidden_sizes: list[int] | None = None,
    mask_filter_value: float | None = None,
) -> Tensor:
    """Queries, keys and values are products of the input with one matrix."""
    if past is not None:
        raise UnsupportedOnnxError("an Attention with past keys and values")
    joined = x.linear(weights, bias)
    sizes = qkv_hidden_sizes or [joined.shape[-1] // 3] * 3
    q, k, v = joined.split(sizes, -1)
    allowed = _allowed(mask, x.shape[1], x.shape[1], unidirectional)
    return attend(q, k, v, num_heads, allowed, attention_bias, scale)


@operator("MultiHeadAttention", domain=MICROSOFT)
def multi_head_attention(
    q: Tensor,
    k: Tensor | None = None,
    v: Tensor | None = None,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    attention_bias: Tensor | None = None,
    *,
    num_heads: int,
    scale: float | None = None,
    unidirectional: int = 0,
    mask_filter_value: float | None = None,
) -> Tensor:
    if k is None or v is None or k.ndim != 3:
        raise UnsupportedOnnxError("a MultiHeadAttention whose inputs are packed")
    if bias is not None:
        parts = bias.split([q.shape[-1], k.shape[-1], v.shape[-1]], 0)
        q, k, v = (x + part for x, part in zip((q, k, v), parts, strict=True))
    allowed = _allowed(mask, q.shape[1], k.shape[1], unidirectional)
    return attend(q, k, v, num_heads, allowed, attention_bias, scale)


@operator("MatMulNBits", domain=MICROSOFT)
def matmul_n_bits(
    a: Tensor,
    packed: Tensor,
    scales: Tensor,
    zero_points: Tensor | None = None,
    groups: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    K: int,
    N: int,
    bits: int = 4,
    block_size: int,
    accuracy_level: int = 0,
) -> Tensor:
    """A product with a matrix (N, K) of 4 or 8 bits, in blocks along K, each with a scale."""
    if bits not in (4, 8) or groups is not None:
        raise UnsupportedOnnxError(f"a MatMulNBits of {bits} bits or with an order of groups")
    blocks = -(-K // block_size)

    def unpack(x: Tensor, count: int) -> Tensor:
        if bits == 8:
            return x.reshape(N, -1).shrink(((0, N), (0, count)))
        low, high = x.bitwise_and(15), x.rshift(4)
        return low.stack(high, dim=-1).reshape(N, -1).shrink(((0, N), (0, count)))

    values = unpack(packed.reshape(N, -1), blocks * block_size).cast(a.dtype)
    values = values.reshape(N, blocks, block_size)
    if zero_points is None:
        values = values - 2 ** (bits - 1)
    elif zero_points.dtype == dtypes.uint8:
        offsets = unpack(zero_points.reshape(N, -1), blocks)
        values = values - offsets.cast(a.dtype).unsqueeze(-1)
    else:
        values = values - zero_points.reshape(N, blocks, 1)
    matrix = (values * scales.reshape(N, blocks, 1)).reshape(N, -1)
    y = a.matmul(matrix.shrink(((0, N), (0, K))).transpose())
    return y if bias is None else y + bias


def _numbers(values: tuple[Value, ...]) -> tuple[Tensor, Tensor]:
    """A quantized tensor of (x, scale, zero point) as floats, and the zero point."""
    x, scale = to_tensor(values[0]), to_tensor(values[1])
    zero = Tensor(0).cast(x.dtype) if values[2] is None else to_tensor(values[2])
    return (x.cast(dtypes.float32) - zero.cast(dtypes.float32)) * scale, zero


def _quantized(y: Tensor, scale: Value, zero: Value, like: Value) -> Value:
    zero_point = Tensor(0) if zero is None else to_tensor(zero)
    return round_to(y / to_tensor(scale), zero_point, ELEMENT_TYPES[to_tensor(like).dtype])


@operator("QLinearAdd", domain=MICROSOFT, context=True)
def qlinear_add(_: Any, *values: Value) -> Value:
    y = _numbers(values[:3])[0] + _numbers(values[3:6])[0]
    return _quantized(y, values[6], values[7] if len(values) > 7 else None, values[0])


@operator("QLinearMul", domain=MICROSOFT, context=True)
def qlinear_mul(_: Any, *values: Value) -> Value:
    y = _numbers(values[:3])[0] * _numbers(values[3:6])[0]
    return _quantized(y, values[6], values[7] if len(values) > 7 else None, values[0])


@operator("QLinearGlobalAveragePool", domain=MICROSOFT, context=True)
def qlinear_global_average_pool(_: Any, *values: Value, channels_last: int = 0) -> Value:
    x = _numbers(values[:3])[0]
    first = 1 if channels_last else 2
    axes = tuple(range(first, first + x.ndim - 2))
    return _quantized(x.mean(axes, keepdim=True), values[3], values[4], values[0])
