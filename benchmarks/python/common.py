"""What the rows of all packages share: sizes, weights and how they are measured."""

import json
import statistics
import time
from collections.abc import Callable

BATCH = 128
LAYERS, WIDTH, HEADS, VOCABULARY, CONTEXT = 4, 512, 8, 8192, 128
OPERATIONS = 1000

NAMES = {
    "import": "import, ms",
    "first": "first result after the import, ms",
    "built": f"one of {OPERATIONS:,} elementwise operations, built, us",
    "small": "a small kernel, built and run, us",
    "training": f"a training step of a small convolutional network, batch {BATCH}, ms",
    "decoding": f"a token of a transformer of {LAYERS} layers, ms",
}


def network_weights() -> dict:
    """Of two convolutions and a linear layer, for images of (BATCH, 1, 28, 28), and the images."""
    import numpy

    random = numpy.random.default_rng(1)
    shapes = {"conv1": (16, 1, 3, 3), "conv2": (32, 16, 3, 3), "head": (10, 800)}
    values = {
        name: (random.standard_normal(shape) * 0.05).astype("float32")
        for name, shape in shapes.items()
    }
    values["images"] = random.random((BATCH, 1, 28, 28)).astype("float32")
    values["labels"] = random.integers(0, 10, BATCH).astype("int32")
    return values


def transformer_weights() -> tuple[dict, list[dict]]:
    """The embedding, which is also the output, and the matrices of each layer: (in, out)."""
    import numpy

    random = numpy.random.default_rng(2)

    def make(*shape: int):
        return (random.standard_normal(shape) * shape[0] ** -0.5).astype("float32")

    shapes = {name: (WIDTH, WIDTH) for name in ("q", "k", "v", "o")}
    shapes |= {"up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
    embedding = make(VOCABULARY, WIDTH)
    return embedding, [
        {name: make(*shape) for name, shape in shapes.items()} for _ in range(LAYERS)
    ]


def median_time(call: Callable[[int], float], warm: int, count: int) -> tuple[float, float]:
    """The median of seconds, and the result of the last of the first calls."""
    for i in range(warm):
        result = call(i)
    times = []
    for i in range(warm, warm + count):
        begin = time.perf_counter()
        call(i)
        times.append(time.perf_counter() - begin)
    return statistics.median(times), result


def report(seconds: dict[str, float], checks: dict[str, float]) -> None:
    scales = {name: 1e6 if text.endswith("us") else 1e3 for name, text in NAMES.items()}
    rows = {NAMES[name]: scales[name] * value for name, value in seconds.items()}
    print(json.dumps({"rows": rows, "checks": checks}))
