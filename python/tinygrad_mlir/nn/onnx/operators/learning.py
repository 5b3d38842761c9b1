"""Operators of the domain ai.onnx.ml on numbers."""

from __future__ import annotations

from tinygrad_mlir._core import Tensor
from tinygrad_mlir.nn.onnx.registry import operator

LEARNING = "ai.onnx.ml"


@operator("ArrayFeatureExtractor", domain=LEARNING)
def array_feature_extractor(x: Tensor, indices: Tensor) -> Tensor:
    y = x[..., indices.flatten()]
    return y.unsqueeze(0) if y.ndim == 1 else y


@operator("Binarizer", domain=LEARNING)
def binarizer(x: Tensor, threshold: float = 0.0) -> Tensor:
    return (x > threshold).cast(x.dtype)


@operator("Imputer", domain=LEARNING)
def imputer(
    x: Tensor,
    imputed_value_floats: list[float] | None = None,
    imputed_value_int64s: list[int] | None = None,
    replaced_value_float: float = 0.0,
    replaced_value_int64: int = 0,
) -> Tensor:
    """Other numbers, one for all or for each column, in place of a number or NaN."""
    is_float = x.is_floating_point()
    given = imputed_value_floats if is_float else imputed_value_int64s
    values = Tensor(given, dtype=x.dtype)
    replaced = replaced_value_float if is_float else replaced_value_int64
    return (x.isnan() if replaced != replaced else x == replaced).where(values, x)


@operator("Scaler", domain=LEARNING)
def scaler(x: Tensor, offset: list[float], scale: list[float]) -> Tensor:
    return (x.float() - Tensor(offset)) * Tensor(scale)
