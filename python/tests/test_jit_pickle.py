"""Pickles and copies of captured functions and of modules that have them."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import tinygrad_mlir
from tinygrad_mlir import JitError, Tensor, TinyJit, Variable, nn
from tinygrad_mlir.nn.state import get_parameters

PACKAGE = Path(tinygrad_mlir.__file__).parent


def captured(function, *args):
    step = TinyJit(function)
    for _ in range(2):
        step(*args)
    return step


def test_loaded_function_replays():
    calls = []

    def add(a, b):
        calls.append(1)
        return {"sum": a + b, "parts": (a * 2, None)}

    a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    step = pickle.loads(pickle.dumps(captured(add, a, b)))
    result = step(Tensor([5.0, 6.0]), b)
    assert result["sum"].tolist() == [8, 10]
    assert result["parts"][0].tolist() == [10, 12] and result["parts"][1] is None
    assert len(calls) == 2
    with pytest.raises(JitError, match=r"argument 0 has the shape \[3\], but had \[2\]"):
        step(Tensor([1.0, 2.0, 3.0]), b)
    step.reset()
    with pytest.raises(JitError, match="add was loaded without its function"):
        step(a, b)


def test_another_process_needs_no_source(tmp_path):
    weight = Tensor([[1.0, 2.0], [3.0, 4.0]]).clone().realize()
    noise = captured(lambda x: x @ weight + 1, Tensor([[1.0, 1.0]]))
    (tmp_path / "step").write_bytes(pickle.dumps(noise))
    code = (
        "import pickle, sys\n"
        "from tinygrad_mlir import Tensor\n"
        "step = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(step(Tensor([[1.0, 0.0]])).tolist(), step(Tensor([[0.0, 1.0]])).tolist())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "step"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(PACKAGE.parent), "PATH": ""},
        check=False,
    )
    assert (result.stderr, result.stdout) == ("", "[[2.0, 3.0]] [[4.0, 5.0]]\n")


def test_states_of_the_copy_are_its_own():
    count = Tensor([0.0]).clone().realize()

    def step(x):
        count.assign(count + x)
        return count * 1

    original = captured(step, Tensor([1.0]))
    loaded = pickle.loads(pickle.dumps(original))
    assert [loaded(Tensor([1.0])).item() for _ in range(3)] == [3, 4, 5]
    assert count.item() == 2
    assert original(Tensor([10.0])).item() == 12


def test_training_step():
    Tensor.manual_seed(4)
    model = [nn.Linear(3, 4), Tensor.relu, nn.Linear(4, 1)]
    optimizer = nn.optim.Adam(get_parameters(model), lr=0.1)
    x, y = Tensor.randn(8, 3).realize(), Tensor.randn(8, 1).realize()

    @TinyJit
    def step(x, y):
        optimizer.zero_grad()
        loss = (x.sequential(model) - y).square().mean().backward()
        optimizer.step()
        return loss

    with Tensor.train():
        for _ in range(2):
            step(x, y)
        loaded = pickle.loads(pickle.dumps(step))
        losses = [step(x, y).item() for _ in range(5)]
        assert [loaded(x, y).item() for _ in range(5)] == losses
    with pytest.raises(JitError, match="TrainingScope|Tensor.training"):
        loaded(x, y)


def test_random_numbers():
    step = captured(lambda x: x + Tensor.rand(3), Tensor([0.0, 0.0, 0.0]))
    loaded = pickle.loads(pickle.dumps(step))
    x = Tensor([0.0, 0.0, 0.0])
    Tensor.manual_seed(7)
    expected = [step(x).tolist() for _ in range(2)]
    Tensor.manual_seed(7)
    assert [loaded(x).tolist() for _ in range(2)] == expected
    assert expected[0] != expected[1]


def test_constants_come_along():
    step = captured(lambda x, factor, names: x * factor, Tensor([1.0]), 3, {"a": "b"})
    loaded = pickle.loads(pickle.dumps(step))
    assert loaded(Tensor([2.0]), 3, {"a": "b"}).item() == 6
    with pytest.raises(JitError, match="argument 1 is 4, but was 3"):
        loaded(Tensor([2.0]), 4, {"a": "b"})


def test_errors():
    with pytest.raises(JitError, match="captured nothing that could be pickled; call it twice"):
        pickle.dumps(TinyJit(lambda x: x + 1))
    n = Variable("n", 1, 8)
    data = Tensor([1.0] * 8).clone().realize()
    step = captured(lambda x: x.sum().reshape(1), data[: n.bind(3)])
    with pytest.raises(JitError, match="depend on a variable"):
        pickle.dumps(step)
    code, (saved, *rest) = captured(lambda x: x + 1, Tensor([1.0])).__reduce__()
    torn = (saved[0][:-9], *saved[1:])
    with pytest.raises(JitError, match="torn"):
        code(torn, *rest)
    for position in range(len(saved[0]) // 2, len(saved[0]), 97):
        damaged = bytearray(saved[0])
        damaged[position] ^= 1
        with pytest.raises(JitError, match="torn"):
            code((bytes(damaged), *saved[1:]), *rest)
    constants, result, *others = rest
    for wrong in [7, -1, 2**80, "abc", 1.5]:
        with pytest.raises(JitError, match="torn"):
            code(saved, constants, wrong, *others)(Tensor([1.0]))
    with pytest.raises(JitError, match="torn"):
        code((*saved[:-1], "TC"), constants, result, *others)(Tensor([1.0]), 3)
    with pytest.raises(JitError, match="another version"):
        code((b"x" + saved[0], *saved[1:]), *rest)


class Model:
    def __init__(self):
        self.layer = nn.Linear(2, 2)
        self.forward = TinyJit(self.run)

    def run(self, x):
        return self.layer(x)


def test_deepcopy_of_modules():
    model = Model()
    x = Tensor([[1.0, 2.0]])
    expected = [model.forward(x).tolist() for _ in range(3)][0]
    other = copy.deepcopy(model)
    assert other.forward.captured is None
    other.layer.weight.assign(other.layer.weight * 0).realize()
    other.layer.bias.assign(other.layer.bias * 0).realize()
    for _ in range(3):
        assert other.forward(x).tolist() == [[0, 0]]
        assert model.forward(x).tolist() == expected
