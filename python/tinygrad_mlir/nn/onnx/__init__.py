"""ONNX models as functions of tensors: OnnxRunner("model.onnx")({"x": tensor})."""

try:
    import onnx as _onnx  # noqa: F401
except ImportError as error:
    raise ImportError(
        "tinygrad_mlir.nn.onnx reads models with the package onnx, which is not installed: "
        "pip install onnx"
    ) from error

from tinygrad_mlir.nn.onnx.errors import OnnxError, UnsupportedOnnxError
from tinygrad_mlir.nn.onnx.runner import OnnxFunction, OnnxRunner, from_onnx

__all__ = ["OnnxError", "OnnxFunction", "OnnxRunner", "UnsupportedOnnxError", "from_onnx"]
