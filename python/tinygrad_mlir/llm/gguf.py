"""tinygrad_mlir.nn.gguf, by the name of tinygrad."""

from tinygrad_mlir.nn.gguf import Encoded, ggml_data_to_tensor, gguf_load, gguf_load_encoded

__all__ = ["Encoded", "ggml_data_to_tensor", "gguf_load", "gguf_load_encoded"]
