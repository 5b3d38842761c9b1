"""The operators, each a short function over methods of Tensor; importing this fills the table."""

from tinygrad_mlir.nn.onnx.operators import (  # noqa: F401
    control,
    elementwise,
    images,
    indexing,
    learning,
    microsoft,
    movement,
    networks,
    pooling,
    quantized,
    recurrent,
    reductions,
    signal,
    training,
)
