"""Where tinygrad has its reader of GGUF files."""
