"""Random programs have the same values and gradients on one device and on several, and
whether all is computed at once or values are read on the way."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from tinygrad_mlir import ShapeError, Tensor

# With and without the device that the tensors are on, in several places.
DEVICES = (
    ("CPU", "CPU:1"),
    ("CPU:1", "CPU"),
    ("CPU:1", "CPU:2"),
    ("CPU", "CPU:1", "CPU:2"),
    ("CPU:1", "CPU:2", "CPU", "CPU:3"),
)


def choose_operation(
    rng: random.Random, ndim: int, keeps_origins: bool
) -> tuple[str, Callable[[Tensor], Tensor]]:
    """A function of a tensor with so many axes, and its name."""
    axis = rng.randrange(ndim)
    order = rng.sample(range(ndim), ndim)
    half = tuple(slice(None) if i != axis else slice(0, rng.randrange(1, 4)) for i in range(ndim))
    return rng.choice(
        (
            ("relu", lambda x: x.relu()),
            ("square", lambda x: x.square()),
            ("exp", lambda x: (x * 0.3).exp()),
            ("where", lambda x: (x > 0).where(x, x * 0.5)),
            ("clamp", lambda x: x.maximum(-0.5).minimum(1.5)),
            ("detach", lambda x: x * x.detach()),
            ("contiguous", lambda x: x.contiguous()),
            # Gradients flow through memory to what requires one.
            ("realize", lambda x: x.realize() if keeps_origins else x),
            ("times its sum", lambda x: x * x.sum() * 0.1),
            ("matmul", lambda x: x @ x.transpose(-1, -2) * 0.1 if ndim > 1 else x),
            ("flatten", lambda x: x.reshape(-1, x.shape[-1]) if ndim > 1 else x),
            ("layernorm", lambda x: x.layernorm()),
            (f"permute {order}", lambda x: x.permute(order)),
            (f"sum {axis}", lambda x: x.sum(axis, keepdim=True) * 0.1),
            (f"max {axis}", lambda x: x.max(axis, keepdim=True)),
            (f"min {axis}", lambda x: x.min(axis, keepdim=True)),
            (f"cummax {axis}", lambda x: x.cummax(axis)[0]),
            (f"minus mean {axis}", lambda x: x - x.mean(axis, keepdim=True)),
            (f"softmax {axis}", lambda x: x.softmax(axis)),
            (f"logsumexp {axis}", lambda x: x.logsumexp(axis, keepdim=True) + x),
            (f"cumsum {axis}", lambda x: x.cumsum(axis)),
            (f"flip {axis}", lambda x: x.flip(axis)),
            (f"cat {axis}", lambda x: x.cat(x * 2, dim=axis)),
            (f"part {half}", lambda x: x[half]),
        )
    )


class Program:
    """Two tensors, a few operations, a loss and its gradients."""

    def __init__(self, seed: int):
        rng = random.Random(seed)
        self.devices = rng.choice(DEVICES)
        count = len(self.devices)
        shape = [count * rng.randrange(1, 4) for _ in range(rng.choice((1, 2, 2, 3)))]
        numbers = np.random.default_rng(seed)
        self.values = [numbers.standard_normal(shape).astype(np.float32) for _ in range(2)]
        self.axes = [rng.choice((None, *range(len(shape)))) for _ in range(2)]
        self.seeds = [rng.randrange(1 << 30) for _ in range(rng.randrange(1, 6))]
        self.is_realized, self.requires_grad = rng.random() < 0.5, rng.random() < 0.5
        self.by_backward = rng.random() < 0.5
        self.has_factor = rng.random() < 0.5

    def run(self, is_sharded: bool, reads: random.Random | None = None) -> list[np.ndarray]:
        """The loss, the last value and the gradients; with reads, some values are read
        before, and the results one after the other."""
        requires_grad = self.requires_grad or reads is not None
        x, w = (Tensor(value, requires_grad=requires_grad or None) for value in self.values)
        if self.is_realized:
            Tensor.realize(x, w)
        if is_sharded:
            for tensor, axis in zip((x, w), self.axes):
                tensor.shard_(self.devices, axis)
        self.names, values = [], [x * (w.sum() if self.has_factor else w)]
        for seed in self.seeds:
            y = values[-1]
            name, function = choose_operation(random.Random(seed), y.ndim, requires_grad)
            self.names.append(name)
            values.append(function(y))
        loss = (values[-1].square() * 0.1).sum()

        def read(probability: float) -> None:
            for value in reads.sample(values, len(values)) if reads else ():
                if reads.random() < probability:
                    value.realize()

        read(0.4)
        if self.by_backward:
            loss.backward()
            gradients = [x.grad, w.grad]
        else:
            gradients = loss.gradient(x, w)
        read(0.3)
        results = [loss, values[-1], *gradients]
        if reads:
            for result in reads.sample(results, len(results)):
                result.realize()
        else:
            Tensor.realize(*results)
        return [result.numpy() for result in results]

    def check(self, found: list[np.ndarray], expected: list[np.ndarray]) -> None:
        for a, b in zip(found, expected):
            np.testing.assert_allclose(
                a,
                b,
                rtol=2e-3,
                atol=2e-3 * max(1, np.abs(b).max()),
                err_msg=f"{self.devices}, {self.axes}, {self.names}",
            )


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_several_devices(first):
    compared = 0
    for seed in range(first, first + 10):
        program = Program(seed)
        expected = program.run(is_sharded=False)
        try:
            found = program.run(is_sharded=True)
        except ShapeError:
            continue  # it would move elements between devices
        compared += 1
        program.check(found, expected)
    assert compared > 3


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_values_are_read(first):
    for seed in range(first, first + 10):
        program = Program(seed)
        found = program.run(is_sharded=False, reads=random.Random(seed))
        program.check(found, program.run(is_sharded=False))
