"""A part of the package onnx's own test cases; onnx_backend.py runs all of them."""

import pytest

pytest.importorskip("onnx")

import onnx_backend


@pytest.mark.parametrize("kind", onnx_backend.KINDS)
def test_cases(kind):
    outcomes = onnx_backend.run((kind,), sample=3 if kind == "node" else 1)
    assert len(outcomes) > 10
    assert not onnx_backend.check(outcomes)


def test_failures_are_cases():
    names = [case.name for kind in onnx_backend.KINDS for case in onnx_backend.load_cases(kind)]
    for pattern, reason in onnx_backend.read_failures().items():
        assert reason
        assert any(onnx_backend.fnmatch.fnmatch(name, pattern) for name in names), pattern


def test_wrong_results_are_found():
    case = next(case for case in onnx_backend.load_cases("node") if case.name == "test_relu")
    (inputs, outputs) = case.data_sets[0]
    wrong = onnx_backend.to_input(outputs[0] + 1)
    with pytest.raises(AssertionError):
        onnx_backend.compare(outputs[0], wrong, case)
    with pytest.raises(AssertionError):
        onnx_backend.compare(outputs[0], wrong.double(), case)
    failed = onnx_backend.Outcome("test_relu", "", 1, "wrong", 0.0)
    passed = onnx_backend.Outcome("test_bernoulli", "", 1, None, 0.0)
    assert len(onnx_backend.check([failed, passed])) == 2
