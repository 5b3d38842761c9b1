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
    Tensor,
    Variable,
    __version__,
)
from tinygrad_mlir.dtype import dtypes

__all__ = [
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
    "__version__",
    "dtypes",
]
