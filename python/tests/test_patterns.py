"""Rewrite patterns of MLIR's dialect pdl, as text."""

import re

import pytest
from tinygrad_mlir import CompileError, Tensor, TinyJit
from tinygrad_mlir.uop.ops import Ops, apply_patterns, rewrite_rules

# log(exp(x)) -> x
LOG_OF_EXP = """
pdl.pattern @log_of_exp : benefit(1) {
  %type = pdl.type
  %x = pdl.operand : %type
  %exp = pdl.operation "tg.exp"(%x : !pdl.value) -> (%type : !pdl.type)
  %value = pdl.result 0 of %exp
  %log = pdl.operation "tg.log"(%value : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %log {
    pdl.replace %log with (%x : !pdl.value)
  }
}
"""
# x * 2 -> x + x
TWICE = """
pdl.pattern : benefit(1) {
  %type = pdl.type
  %number = pdl.attribute = 2.0 : f32
  %x = pdl.operand : %type
  %const = pdl.operation "tg.const" {"value" = %number} -> (%type : !pdl.type)
  %two = pdl.result 0 of %const
  %mul = pdl.operation "tg.mul"(%x, %two : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %mul {
    %add = pdl.operation "tg.add"(%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
    pdl.replace %mul with %add
  }
}
"""
# a + b -> b + a, for ever
SWAP = """
pdl.pattern : benefit(1) {
  %type = pdl.type
  %a = pdl.operand
  %b = pdl.operand
  %add = pdl.operation "tg.add"(%a, %b : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %add {
    %other = pdl.operation "tg.add"(%b, %a : !pdl.value, !pdl.value) -> (%type : !pdl.type)
    pdl.replace %add with %other
  }
}
"""


@pytest.fixture
def x():
    return Tensor([1.0, 2.0, 3.0]).realize()


def ops(y):
    return [u.op for u in y.uop.toposort()]


def test_patterns_of_tensors(x):
    y = x.exp().log() * 2
    z = y.sum()
    apply_patterns(LOG_OF_EXP + TWICE, z)
    # The tensors on the way have the rewritten operations, too, and gradients are by these.
    assert ops(y) == [Ops.BUFFER, Ops.ADD]
    assert Ops.EXP not in ops(z)
    by_x, by_y = z.gradient(x, y)
    assert by_x.tolist() == [2.0] * 3 and by_y.tolist() == [1.0] * 3
    assert z.item() == 12.0 and y.tolist() == [2.0, 4.0, 6.0]


def test_what_must_not_be_rewritten(x):
    exp = x.exp()
    log = exp.log()
    kept = (x * 3, x.log().exp(), x.double() * 2, x.realize())
    texts = [y.mlir() for y in kept]
    apply_patterns(LOG_OF_EXP + TWICE, log, *kept)
    assert [y.mlir() for y in kept] == texts
    # Another tensor of a node that is not needed any more.
    assert ops(exp) == [Ops.BUFFER, Ops.EXP]
    assert log.tolist() == [1.0, 2.0, 3.0]


def test_scopes(x):
    with rewrite_rules(LOG_OF_EXP):
        y = x.exp().log() * 3
        assert y.tolist() == [3.0, 6.0, 9.0]  # log(exp(x)) of floats is not always x
        parts = Tensor([0.0, 0.0]).realize()
        parts += (x[:2] + 0.5).exp().log()
        parts.realize()
    assert parts.tolist() == [1.5, 2.5]
    with pytest.raises(TypeError, match="text of patterns"):
        rewrite_rules(3)

    @TinyJit
    def step(a):
        return ((a + 100).exp().log() * 2).realize()

    with rewrite_rules(LOG_OF_EXP):
        for i in range(4):
            # exp(100) is infinite.
            assert step((x + i).realize()).tolist() == [2 * (v + i + 100) for v in (1, 2, 3)]


def test_gradients_of_their_own(x):
    y = (x * 2).with_gradient([x], lambda g: [g * 10])
    z = (y * 2).sum()
    apply_patterns(TWICE, z)
    # Around it everything is rewritten; it and what it is computed by stay as they are.
    assert ops(z).count(Ops.MUL) == 1 and Ops.ADD in ops(z)
    assert z.gradient(x)[0].tolist() == [20.0] * 3
    assert z.item() == 24.0


@pytest.mark.parametrize(
    "patterns, message",
    [
        ("foo", r"^patterns: rules:1:1: .*'foo' is unknown"),
        ("pdl.pattern : benefit(1) {", r"^patterns: rules:1:\d+: expected operation name"),
        ("func.func @f() { return }", r"rules:1:1: 'func.func' is no 'pdl.pattern'"),
        ("", "there is no 'pdl.pattern'"),
        (SWAP, "no end of rewrites"),
        # The result has another type than what it replaces.
        (
            LOG_OF_EXP.replace(
                "pdl.replace %log with (%x : !pdl.value)",
                "%f64 = pdl.type : tensor<3xf64>\n"
                '%cast = pdl.operation "tg.cast"(%x : !pdl.value) -> (%f64 : !pdl.type)\n'
                "pdl.replace %log with %cast",
            ),
            "type",
        ),
        (LOG_OF_EXP.replace("pdl.replace %log with (%x : !pdl.value)", "pdl.erase %log"), "."),
        # Functions of C++, which nobody has registered.
        (
            LOG_OF_EXP.replace(
                "pdl.rewrite", 'pdl.apply_native_constraint "nope"(%x : !pdl.value)\npdl.rewrite'
            ),
            r"rules:\d+:\d+: 'nope' would be a function of C\+\+",
        ),
        (
            LOG_OF_EXP.replace(
                "pdl.replace %log with (%x : !pdl.value)",
                '%y = pdl.apply_native_rewrite "nope"(%x : !pdl.value) : !pdl.value\n'
                "pdl.replace %log with (%y : !pdl.value)",
            ),
            "'nope' would be a function",
        ),
        (
            re.sub(
                r"pdl.rewrite %log \{.*?\n *\}",
                'pdl.rewrite %log with "nope"',
                LOG_OF_EXP,
                flags=re.S,
            ),
            "'nope' would be a function",
        ),
    ],
)
def test_errors(x, patterns, message):
    y = x.exp().log() + x
    text = y.mlir()
    with pytest.raises(CompileError) as error:
        apply_patterns(patterns, y, name="rules")
    assert re.search(message, str(error.value)), str(error.value)
    assert y.mlir() == text
    assert y.tolist() == pytest.approx([2.0, 4.0, 6.0])


def test_wrong_arguments(x):
    with pytest.raises(TypeError, match="takes Tensors, not 3"):
        apply_patterns(LOG_OF_EXP, 3)
    apply_patterns(LOG_OF_EXP)
    p = x.exp().log()[:2].shard(("CPU:1", "CPU:2"), 0)
    apply_patterns(LOG_OF_EXP, p)
    assert Ops.EXP not in [u.op for part in p.uop.src for u in part.toposort()]
    assert p.tolist() == [1.0, 2.0]
