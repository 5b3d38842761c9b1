"""Kernels and their code, MLIR out and in, lines of DEBUG."""

import os
import re
import subprocess
import sys

import pytest
from tinygrad_mlir import (
    CompileError,
    DTypeError,
    GlobalCounters,
    ShapeError,
    Tensor,
    UsageError,
    Variable,
    dtypes,
)
from tinygrad_mlir.uop import Ops


def program():
    x, y = Tensor.arange(64 * 32).reshape(64, 32).float().realize(), Tensor.ones(32, 8).realize()
    z = ((x.contiguous() @ y.contiguous()).relu() + 1).sum(axis=0)
    return x, z


def test_schedule():
    x, z = program()
    steps = z.schedule()
    assert steps and all(k.kind == "kernel" and k.device == x.device for k in steps)
    assert [k.name for k in steps] == [k.name for k in z.schedule()]
    last = steps[-1]
    assert list(last.sources) == ["kernel"] and "tg.kernel @" + last.name in last.source()
    assert last.steps == () and "relu" in "".join(k.description for k in steps)
    written = [b for b in last.buffers if b.is_written]
    assert [b.role for b in written] == ["output 0"]
    assert (written[0].dtype, written[0].size, written[0].nbytes) == (dtypes.float32, 8, 32)
    roles = {b.role for k in steps for b in k.buffers}
    assert roles <= {"input 0", "input 1", "output 0", "scratch"} and "input 0" in roles
    assert last.name in repr(last) and "output 0: 8 float" in repr(last)


def test_kernels():
    x, z = program()
    kernels = z.kernels()
    assert [k.name for k in kernels] == [k.name for k in z.schedule()]
    stages = list(kernels[0].sources)
    assert stages[:2] == ["kernel", "scheduled"] and len(stages) > 2
    for k in kernels:
        assert "tg.range" in k.source(2) and "scheduled" in k.source(3) and k.src
        assert all("#tg.step" in step for step in k.steps) and k.ranges
        assert k.source("scheduled") == k.source(3)
        assert k.parallel_extent >= 1 and k.global_size[0] >= 1 and k.local_size[0] >= 1
    if x.device == "CPU":
        assert "define" in kernels[0].source("llvm") and ".text" in kernels[0].source("asm")
    with pytest.raises(KeyError, match="no text of the stage 'ptxas'; there are: kernel, sch"):
        kernels[0].source("ptxas")
    with pytest.raises(KeyError, match="of the stage 3; there are: kernel['\"]*$"):
        z.schedule()[0].source(3)
    assert not z.uop.is_realized


def test_counters():
    """The estimates of kernels are what a run adds."""
    _, z = program()
    kernels = z.kernels()
    GlobalCounters.reset()
    z.realize()
    assert GlobalCounters.kernel_count == len(kernels)
    assert GlobalCounters.global_ops == sum(k.ops for k in kernels) > 0
    assert GlobalCounters.global_mem == sum(k.mem for k in kernels) > 0


def test_nothing_to_run():
    x = Tensor([1.0, 2.0]).realize()
    assert x.schedule() == [] and x.reshape(2, 1).kernels() == [] and x[1:].schedule() == []
    assert Tensor(2.0).schedule() == []
    assert len((x + 1).schedule()) == 1


def test_several_tensors():
    x = Tensor([1.0, 2.0]).realize()
    a, b = x + 1, x * 2
    assert len(a.schedule(b)) == 1
    assert {buffer.role for buffer in a.schedule(b)[0].buffers} == {
        "input 0",
        "output 0",
        "output 1",
    }


def test_symbolic_sizes():
    n = Variable("n", 1, 64)
    x = Tensor.arange(64).float().realize()
    y = x[: n.bind(10)] + 1
    (k,) = y.kernels()
    GlobalCounters.reset()
    y.realize()
    assert GlobalCounters.global_ops == k.ops


def test_sort():
    x = Tensor([3.0, 1.0, 2.0]).realize()
    kinds = [k.kind for k in x.sort()[0].schedule()]
    assert "kernel" in kinds


# MLIR.


def test_levels():
    x = Tensor([1.0, 2.0])
    y = (x + 1).sqrt()
    assert "tg.add" in y.mlir() and y.mlir() == y.mlir(level=1) == y.mlir(level="graph")
    assert "tg.launch @" in y.mlir(level=2) and "scheduled = " not in y.mlir(level=2)
    assert "scheduled = " in y.mlir(level=3)
    with pytest.raises(UsageError, match="no stage '9': it is one of graph, kernels, scheduled"):
        y.mlir(level=9)
    if x.device == "CPU":
        assert "define" in y.mlir(level="llvm")
    assert "return %2 : " in y.mlir() and "return %2, %4 : " in y.mlir(x * 2)


GRAPH = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>) {
  %0 = tg.mul %x, %y : tensor<2x3xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<2x3xf32> -> tensor<2x1xf32>
  return %1, %0 : tensor<2x1xf32>, tensor<2x3xf32>
}
"""


def test_from_mlir():
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).requires_grad_()
    y = Tensor.full((2, 3), 2.0)
    total, product = Tensor.from_mlir(GRAPH, x, y)
    assert total.tolist() == [[12.0], [30.0]] and product.tolist() == (x * 2).tolist()
    total, _ = Tensor.from_mlir(GRAPH, x, y)
    (total + 1).sum().backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2
    assert Tensor.from_mlir(GRAPH, x, y)[0].uop.op is Ops.REDUCE


def test_mlir_comes_back():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]]).realize()
    y = (x @ x).softmax() + 1
    again = Tensor.from_mlir(y.mlir(), x)
    assert again.uop is y.uop
    assert again.tolist() == y.tolist()


def test_calls_are_inlined():
    text = """
    func.func private @twice(%x: tensor<3xi32>) -> tensor<3xi32> {
      %0 = tg.add %x, %x : tensor<3xi32>
      return %0 : tensor<3xi32>
    }
    func.func @other(%x: tensor<3xi32>) -> tensor<3xi32> {
      %0 = call @twice(%x) : (tensor<3xi32>) -> tensor<3xi32>
      return %0 : tensor<3xi32>
    }"""
    assert Tensor.from_mlir(text, Tensor([1, 2, 3]), entry="other").tolist() == [2, 4, 6]
    with pytest.raises(CompileError, match="no function '@main'"):
        Tensor.from_mlir(text, Tensor([1, 2, 3]))


def test_symbolic_mlir():
    n = Variable("n", 1, 8)
    x = (Tensor.arange(8).realize()[: n.bind(3)] + 0).contiguous().realize()
    y = x * 2
    assert '#tg.var<"n", 1, 8>' in y.mlir()
    again = Tensor.from_mlir(y.mlir(), x)
    assert again.sum().item() == 6 and again.uop is y.uop


def test_recursive_mlir():
    text = """
    func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
      %0 = tg.neg %x : tensor<3xi32>
      %1 = call @main(%0) : (tensor<3xi32>) -> tensor<3xi32>
      return %1 : tensor<3xi32>
    }"""
    with pytest.raises(CompileError, match="'@main' calls itself"):
        Tensor.from_mlir(text, Tensor([1, 2, 3]))


@pytest.mark.parametrize(
    "text, error, message",
    [
        ("func.func @main(", CompileError, r"mlir:1:\d+: expected"),
        (
            "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %0 = tg.add %x, %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}",
            CompileError,
            r"mlir:2:\d+: .*",
        ),
        (
            "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
            "  %0 = tg.neg %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}",
            ShapeError,
            r"argument 0 of '@main' is \[3\] float32?, but input 0 is \[2\]",
        ),
        (
            "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {\n"
            "  %0 = tg.neg %x : tensor<2xi32>\n  return %0 : tensor<2xi32>\n}",
            DTypeError,
            r"argument 0 of '@main' is",
        ),
        (
            "func.func @main() -> tensor<2xf32> {\n"
            "  %0 = tg.const(1.0 : f32) : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}",
            CompileError,
            r"mlir:1:1: '@main' takes 0 tensors, not 1",
        ),
        (
            "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %0 = tg.assign %x, %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}",
            CompileError,
            r"mlir:2:\d+: 'tg.assign' cannot become part",
        ),
    ],
)
def test_errors(text, error, message):
    with pytest.raises(error, match=message):
        Tensor.from_mlir(text, Tensor([1.0, 2.0]))


def test_pass_pipeline():
    text = """
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = tg.exp2 %x : tensor<2xf32>
      %1 = tg.mul %0, %x : tensor<2xf32>
      return %1 : tensor<2xf32>
    }"""
    x, gradient = Tensor([1.0, 2.0]).requires_grad_(), Tensor([1.0, 10.0])
    (y := Tensor.from_mlir(text, x)).backward(gradient)
    # A pass that changes the function, its arguments and results.
    both = Tensor.from_mlir(
        text, x.detach(), gradient, pass_pipeline="builtin.module(tg-autodiff,canonicalize,cse)"
    )
    assert both[0].tolist() == y.tolist() == [2.0, 8.0]
    assert both[1].tolist() == pytest.approx(x.grad.tolist())
    # Of a function, and with options.
    pipeline = "builtin.module(func.func(canonicalize{max-iterations=3}))"
    plain = Tensor.from_mlir(text, x)
    assert Tensor.from_mlir(text, x, pass_pipeline=pipeline).uop is plain.uop
    # One that removes what is not used.
    unused = text.replace("@main", "private @unused") + text
    Tensor.from_mlir(unused, x, entry="unused")
    with pytest.raises(CompileError, match="no function '@unused'"):
        Tensor.from_mlir(unused, x, entry="unused", pass_pipeline="builtin.module(symbol-dce)")


@pytest.mark.parametrize(
    "pipeline, message",
    [
        ("cse", "expected pass pipeline to be wrapped"),
        ("builtin.module(csee)", "'csee' does not refer to a registered pass"),
        ("builtin.module(cse", "expected pass pipeline to be wrapped"),
        ("func.func(cse)", r"it has to be 'builtin\.module\(\.\.\.\)'"),
        ("builtin.module(canonicalize{iterations=3})", "no such option iterations"),
        ("builtin.module(tg-compose-views)", "restricted to 'func.func'"),
        (
            "builtin.module(tg-schedule)",
            r"^from_mlir: mlir:3:\d+: .*tensor graphs \(level 1\) are needed",
        ),
        ("builtin.module(tg-autodiff{wrt=7})", "has no argument 7; there are 1"),
    ],
)
def test_errors_of_pass_pipelines(pipeline, message):
    x = Tensor([1.0, 2.0])
    text = """
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = tg.exp2 %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    with pytest.raises(CompileError, match=message):
        Tensor.from_mlir(text, x, pass_pipeline=pipeline)
    # The graph is as it was.
    assert Tensor.from_mlir(text, x).tolist() == [2.0, 4.0]


# DEBUG.

LINE = re.compile(
    r"^\*\*\* (\S+) +(\d+) (\S+) +arg +(\d+) mem +[\d.]+ GB tm +[\d.]+us/ +[\d.]+ms "
    r"\( +[\d.]+ GFLOPS +[\d.]+ GB/s\) \[add\] at program\.py:3$",
    re.MULTILINE,
)


def run(tmp_path, **settings):
    file = tmp_path / "program.py"
    file.write_text(
        "from tinygrad_mlir import Tensor\n"
        "x = Tensor([1.0, 2.0]) + 1\n"
        "assert x.tolist() == [2.0, 3.0]\n"
    )
    result = subprocess.run(
        [sys.executable, file],
        env=os.environ | {"DEV": "CPU", "CACHELEVEL": "0"} | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout + result.stderr


def test_debug(tmp_path):
    assert run(tmp_path, DEBUG="0") == ""
    assert "opened device CPU" in run(tmp_path, DEBUG="1")
    text = run(tmp_path, DEBUG="2")
    (match,) = LINE.finditer(text)
    assert match[1] == "CPU" and match[2] == "1" and match[4] == "2"
    text = run(tmp_path, DEBUG="7")
    for part in ("tg.kernel @", "tg.add", "scheduled = ", "define ", ".text"):
        assert part in text


def test_other_objects_than_tensors():
    x = Tensor([1.0, 2.0]) + 1
    with pytest.raises(TypeError, match="mlir.. takes Tensors, not 'llvm': .*level="):
        x.mlir("llvm")
    with pytest.raises(TypeError, match="kernels.. takes Tensors, not 3"):
        x.kernels(3)
    with pytest.raises(TypeError, match="schedule.. takes Tensors, not 3"):
        x.schedule(3)
    with pytest.raises(TypeError, match="from_mlir.. takes Tensors, not 3"):
        Tensor.from_mlir(x.mlir(), 3)
