"""tinygrad's names on a compiler that is built on MLIR."""

from tinygrad_mlir import nn
from tinygrad_mlir._core import (
    CompileError,
    DeviceError,
    DType,
    DTypeError,
    Error,
    IndexError,
    IoError,
    JitError,
    OutOfMemoryError,
    ShapeError,
    UsageError,
    Variable,
    __version__,
)
from tinygrad_mlir.device import Device
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.function import function
from tinygrad_mlir.helpers import Context, ContextVar, GlobalCounters, fetch, getenv
from tinygrad_mlir.jit import TinyJit
from tinygrad_mlir.tensor import Tensor
from tinygrad_mlir.uop.ops import UOp

__all__ = [
    "UsageError",
    "CompileError",
    "Context",
    "ContextVar",
    "Device",
    "DeviceError",
    "DType",
    "DTypeError",
    "Error",
    "GlobalCounters",
    "IndexError",
    "IoError",
    "JitError",
    "OutOfMemoryError",
    "ShapeError",
    "Tensor",
    "TinyJit",
    "UOp",
    "Variable",
    "__version__",
    "dtypes",
    "fetch",
    "function",
    "getenv",
    "nn",
]
