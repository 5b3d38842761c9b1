"""tinygrad's names on a compiler that is built on MLIR."""

from tinygrad_mlir._core import (
    CompileError,
    DeviceError,
    DType,
    DTypeError,
    Error,
    IndexError,
    IoError,
    OutOfMemoryError,
    ShapeError,
    UsageError,
    Variable,
)
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.tensor import Tensor

__all__ = [
    "UsageError",
    "CompileError",
    "DeviceError",
    "DType",
    "DTypeError",
    "Error",
    "IndexError",
    "IoError",
    "OutOfMemoryError",
    "ShapeError",
    "Tensor",
    "Variable",
    "dtypes",
]
