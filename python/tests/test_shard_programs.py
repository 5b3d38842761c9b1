"""Random programs on several devices have the values and gradients of one device."""

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
        self.reads_before = self.requires_grad and rng.random() < 0.5
        self.by_backward = rng.random() < 0.5

    def run(self, is_sharded: bool) -> tuple[list[str], list[np.ndarray]]:
        x, w = (Tensor(value, requires_grad=self.requires_grad or None) for value in self.values)
        if self.is_realized:
            Tensor.realize(x, w)
        if is_sharded:
            for tensor, axis in zip((x, w), self.axes):
                tensor.shard_(self.devices, axis)
        y, names = x * w, []
        for seed in self.seeds:
            name, function = choose_operation(random.Random(seed), y.ndim, self.requires_grad)
            names.append(name)
            y = function(y)
        loss = (y.square() * 0.1).sum()
        results = [y.numpy()] if self.reads_before else []
        if self.by_backward:
            loss.backward()
            gradients = [x.grad, w.grad]
        else:
            gradients = loss.gradient(x, w)
        results += [tensor.numpy() for tensor in (loss, y, *gradients)]
        return names, results


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_programs(first):
    compared = 0
    for seed in range(first, first + 10):
        program = Program(seed)
        names, expected = program.run(is_sharded=False)
        try:
            _, found = program.run(is_sharded=True)
        except ShapeError:
            continue  # it would move elements between devices
        compared += 1
        for a, b in zip(found, expected):
            np.testing.assert_allclose(
                a,
                b,
                rtol=2e-3,
                atol=2e-3 * max(1, np.abs(b).max()),
                err_msg=f"seed {seed}: {program.devices}, {program.axes}, {names}",
            )
    assert compared > 3
