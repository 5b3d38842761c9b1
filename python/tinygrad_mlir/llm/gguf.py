"""tinygrad_mlir.nn.gguf, by the name of tinygrad."""

from tinygrad_mlir.nn.gguf import ggml_data_to_tensor, gguf_load

__all__ = ["ggml_data_to_tensor", "gguf_load"]
