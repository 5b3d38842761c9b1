"""tinygrad_mlir.jit, by the name of tinygrad."""

from tinygrad_mlir.jit import JitError, TinyJit

__all__ = ["JitError", "TinyJit"]
