"""Random functions of a variable, which read and assign to parts of tensors, have the same
results and leave the same values whether the variable is a number, bound, or bound in a
captured function."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from tinygrad_mlir import Tensor, TinyJit, Variable

SIZE = 8  # of the axis that parts are taken along

# Positions of parts by i, which is 1, 2 or 3.
PARTS = (
    ("i", lambda i: i),
    ("i:i+1", lambda i: slice(i, i + 1)),
    ("7-i:8-i", lambda i: slice(SIZE - 1 - i, SIZE - i)),
    ("2i:2i+1", lambda i: slice(2 * i, 2 * i + 1)),
    ("i:i+3", lambda i: slice(i, i + 3)),
    (":i", lambda i: slice(0, i)),
    (":i+1", lambda i: slice(0, i + 1)),
    ("i:", lambda i: slice(i, SIZE)),
    ("-1:", lambda i: slice(SIZE - 1, SIZE)),
)


class State:
    """What a function reads and assigns to: two tensors, a view of one, and new ones."""

    def __init__(self, data: list[np.ndarray], is_flipped: bool):
        self.tensors = [Tensor(values).realize() for values in data]
        first = self.tensors[0]
        self.view = first.flip(0) if is_flipped else first.reshape(-1)
        self.known: list[Tensor] = []

    def read(self) -> list[np.ndarray]:
        return [tensor.numpy() for tensor in (*self.tensors, self.view)]


def choose_statement(rng: random.Random) -> tuple[str, Callable]:
    """A statement as a function of a State and i, and its name."""
    operand, target, axis = rng.randrange(64), rng.randrange(2), rng.randrange(4)
    (name, get_part), number = rng.choice(PARTS), rng.randrange(-2, 4)

    def index(x: Tensor, i: object) -> tuple | None:
        """Of the part, if the axis has as many elements."""
        dim = axis % x.ndim if x.ndim else 0
        if x.ndim == 0 or not isinstance(x.shape[dim], int) or x.shape[dim] != SIZE:
            return None
        return tuple(get_part(i) if k == dim else slice(None) for k in range(x.ndim))

    def take(state: State, i: object) -> None:
        x = state.known[operand % len(state.known)]
        if (where := index(x, i)) is not None:
            state.known.append(x[where])

    def compute(function: Callable[[Tensor, object], Tensor]) -> Callable:
        return lambda state, i: state.known.append(
            function(state.known[operand % len(state.known)], i)
        )

    def assign(function: Callable[[Tensor, State], object]) -> Callable:
        def run(state: State, i: object) -> None:
            x = state.tensors[target]
            if (where := index(x, i)) is not None:
                x[where] = function(x[where], state)

        return run

    return rng.choice(
        (
            (f"take {name} of {operand}", take),
            (f"take {name} of {operand}", take),
            ("realize", compute(lambda x, i: x.realize())),
            ("times and plus", compute(lambda x, i: x * 2 + number)),
            ("constant", compute(lambda x, i: x * 0 + number)),
            ("sum", compute(lambda x, i: x.sum())),
            ("max", compute(lambda x, i: x.max(axis % x.ndim, keepdim=True) if x.ndim else x)),
            ("positions", compute(lambda x, i: (Tensor.arange(SIZE) <= i).where(x.sum(), number))),
            ("clone", compute(lambda x, i: x.clone())),
            (f"assign {name} times", assign(lambda x, state: x * 2 + number)),
            (f"assign {name} number", assign(lambda x, state: number)),
            (f"assign {name} sum", assign(lambda x, state: state.known[-1].sum())),
            (
                "assign all",
                lambda state, i: state.tensors[target].assign(state.tensors[target] + 1),
            ),
            ("assign view", lambda state, i: state.view.assign(state.view + number)),
        )
    )


class Program:
    def __init__(self, seed: int):
        rng, numbers = random.Random(seed), np.random.default_rng(seed)
        self.dtype = rng.choice((np.float32, np.int32))

        def integers(*shape: int) -> np.ndarray:
            return numbers.integers(-4, 5, shape).astype(self.dtype)

        shapes = [[SIZE, *(rng.randrange(1, 4) for _ in range(rng.randrange(3)))] for _ in range(2)]
        for shape in shapes:
            rng.shuffle(shape)
        self.data = [integers(*shape) for shape in shapes]
        self.is_flipped = rng.random() < 0.5
        self.statements = [choose_statement(rng) for _ in range(rng.randrange(1, 8))]
        self.results = [rng.randrange(64) for _ in range(rng.randrange(1, 4))]
        self.calls = [(rng.randrange(1, 4), integers(SIZE, 2)) for _ in range(rng.randrange(4, 7))]

    def run(self, wrap: Callable, bind: Callable[[int], object]) -> list[np.ndarray]:
        """Results of all calls, and the values of the tensors after each."""
        state = State(self.data, self.is_flipped)

        def function(i: object, x: Tensor) -> list[Tensor]:
            state.known = [state.tensors[0], x, state.tensors[1]]
            for _, statement in self.statements:
                statement(state, i)
            results = [state.known[k % len(state.known)] for k in self.results]
            state.known = []
            return results

        step, found = wrap(function), []
        for i, values in self.calls:
            results = step(bind(i), Tensor(values).realize())
            found += [result.numpy() for result in results] + state.read()
        return found


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_variables_and_numbers(first):
    i = Variable("i", 1, 3)
    for seed in range(first, first + 20):
        program = Program(seed)
        expected = program.run(lambda function: function, lambda value: value)
        for wrap in (lambda function: function, TinyJit):
            found = program.run(wrap, i.bind)
            names = [name for name, _ in program.statements]
            assert len(found) == len(expected)
            for a, b in zip(found, expected):
                np.testing.assert_allclose(a, b, rtol=1e-5, err_msg=f"{seed}: {names}")
