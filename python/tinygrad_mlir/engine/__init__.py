"""Where tinygrad has TinyJit."""
