"""The examples of the reference run, each public method has one, and the reference is complete."""

import doctest
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

from tinygrad_mlir import Tensor, Variable, dtypes, nn

ROOT = Path(__file__).parent.parent.parent
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = load("python-reference")
EXAMPLES = reference.read_examples("tensor.txt")
NAMES = reference.read_examples("names.txt")
#: What needs files that other programs write; test_state.py and test_gguf.py have some.
WITHOUT_EXAMPLE = {
    "nn.datasets.cifar",
    "nn.datasets.mnist",
    "nn.state.TensorIO",
    "nn.state.gguf_load",
    "nn.state.torch_load",
}


class Checker(doctest.OutputChecker):
    """Numbers with four decimals stand for those that are near."""

    def check_output(self, want, got, flags):
        if super().check_output(want, got, flags):
            return True
        wanted, given = map(NUMBER.findall, (want, got))
        same_text = NUMBER.sub("#", want) == NUMBER.sub("#", got)
        return same_text and [float(x) for x in given] == pytest.approx(
            [float(x) for x in wanted], abs=1e-4, rel=1e-6
        )


def run(text, name):
    names = {"Tensor": Tensor, "Variable": Variable, "dtypes": dtypes, "nn": nn}
    test = doctest.DocTestParser().get_doctest(text, names, name, "tensor.txt", 0)
    report = []
    result = doctest.DocTestRunner(Checker(), verbose=False).run(test, out=report.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    assert re.search(rf"\b{name}\b", EXAMPLES[name]), f"the example does not use {name}"
    run(EXAMPLES[name] + "\n", name)


@pytest.mark.parametrize("name", NAMES)
def test_example_of_name(name):
    assert re.search(rf"\b{name.rsplit('.', 1)[-1]}\b", NAMES[name])
    run(NAMES[name] + "\n", name)


def test_checker_finds_other_numbers():
    check = Checker().check_output
    assert check("[0.8415, 1]\n", "[0.8414709568023682, 1]\n", 0)
    assert not check("[0.8415, 1]\n", "[0.8424709568023682, 1]\n", 0)
    assert not check("[0.8415, 1]\n", "[0.8415, 2]\n", 0)


def test_each_method_has_an_example_and_a_text():
    names = reference.find_names(Tensor)
    missing, unknown = set(names) - set(EXAMPLES), set(EXAMPLES) - set(names)
    assert not missing, "add examples to python/reference/tensor.txt"
    assert not unknown, "not in Tensor, but in python/reference/tensor.txt"
    page = reference.make_pages()["tensor.md"]
    for name in names:
        assert f"\n## {name}\n" in page


@pytest.mark.parametrize(
    "name", ["tinygrad_mlir.plot", "tinygrad_mlir.helpers", "tinygrad_mlir.nn"]
)
def test_docstrings(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module)
    assert failed == 0


def test_pages_have_signatures():
    pages = reference.make_pages()
    assert "clamp(self, min_: Tensor | bool | int | float | None = None" in pages["tensor.md"]
    assert "## Linear" in pages["nn.md"]
    assert "## Adam" in pages["nn.optim.md"]
    assert "_core" not in pages["tensor.md"]
