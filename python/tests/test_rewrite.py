"""Patterns, rules, rewriting, and rules that the compiler applies."""

import threading

import pytest
from tinygrad_mlir import DTypeError, Error, ShapeError, Tensor, TinyJit, dtypes, nn
from tinygrad_mlir.uop import GroupOp, Ops
from tinygrad_mlir.uop.ops import PatternMatcher, UOp, UPat, graph_rewrite, rewrite_rules

ANY = tuple(Ops)


def names(pattern, uop):
    """The matches, as sorted lists of (name, op)."""
    return [sorted((name, x.op.name) for name, x in m.items()) for m in pattern.match(uop)]


@pytest.fixture
def x():
    return Tensor([1.0, 2.0, 3.0])


def test_patterns(x):
    add = (x + 1).uop
    assert UPat(Ops.ADD).match(add) == [{}] and UPat(Ops.MUL).match(add) == []
    assert UPat((Ops.MUL, Ops.ADD), name="a").match(add) == [{"a": add}]
    assert UPat({Ops.MUL}).match(add) == []
    assert UPat(dtype=dtypes.float32).match(add) and not UPat(dtype=dtypes.int32).match(add)
    assert UPat(dtype=(dtypes.int32, dtypes.float32)).match(add)
    assert UPat.cvar("c").match(add.src[1]) and not UPat.cvar("c").match(add.src[0])
    assert UPat.cvar(arg=1).match(add.src[1]) and not UPat.cvar(arg=2).match(add.src[1])
    assert UPat.const(dtypes.float32, 1).match(add.src[1])
    assert UPat.const(1, dtypes.float32).match(add.src[1])


def test_sources(x):
    add = (x.sqrt() + 1).uop
    root, one = UPat(Ops.SQRT, name="root"), UPat.cvar("one")
    found = [[("one", "CONST"), ("root", "SQRT")]]
    assert names(UPat(Ops.ADD, src=(root, one)), add) == found
    assert names(UPat(Ops.ADD, src=(one, root)), add) == []
    assert names(UPat(Ops.ADD, src=[one, root]), add) == found
    assert names(one + root, add) == found and names(root - one, add) == []
    assert names(UPat(Ops.ADD, src=UPat((Ops.SQRT, Ops.CONST))), add) == [[]]
    assert names(UPat(Ops.ADD, src=UPat(Ops.SQRT)), add) == []
    assert names(UPat(Ops.ADD, src=(root,)), add) == []
    assert names(UPat(Ops.ADD, src=(root,), allow_any_len=True), add) == [[("root", "SQRT")]]
    assert names(UPat(Ops.ADD, src=(root, one, UPat())), add) == []
    assert len(UPat(Ops.ADD, src=[UPat.var("a"), UPat.var("b")]).match(add)) == 2
    assert names(UPat.any(UPat(Ops.MUL), UPat(Ops.ADD, name="a")), add) == [[("a", "ADD")]]
    assert names(UPat(Ops.SQRT).named("r"), add.src[0]) == [[("r", "SQRT")]]
    cast = x.cast("int").uop
    assert names(UPat(Ops.BUFFER, name="b").or_casted(), cast) == [[("b", "BUFFER")]]


def test_equal_names_are_the_same_node(x):
    pattern = UPat.var("a") + UPat.var("a")
    assert len(pattern.match((x + x).uop)) == 1 and not pattern.match((x + x.sqrt()).uop)


def test_operators_of_patterns(x):
    i = Tensor([5, 6])
    a, b = UPat.var("a"), UPat.var("b")
    for pattern, tensor in [
        (a * b, x * x.sqrt()),
        (a - b, x - x.sqrt()),
        (a < b, x < x.sqrt()),
        (a > b, x > x.sqrt()),
        (a != b, x != x.sqrt()),
        (a.eq(b), x == x.sqrt()),
        (a // b, i // 4),
        (a % b, i % 4),
        (a & b, i & 4),
        (a | b, i | 4),
        (a ^ b, i ^ 4),
        (a << b, i << 4),
        (a.maximum(b), x.maximum(x.sqrt())),
        (a.sqrt(), x.sqrt()),
        (a.exp2(), x.exp2()),
        (a.log2(), x.log2()),
        (a.reciprocal(), x.reciprocal()),
        (a.cast(dtypes.int32), x.cast("int")),
        (a.where(b, UPat.var("c")), (x > 1).where(x, x.sqrt())),
        (a.reduce(), x.sum(keepdim=True)),
        (a.reduce(arg=(Ops.ADD, (0,))), x.sum(keepdim=True)),
        (-a, -x),
        (1 + a, x + 1),
        (2 - a, 2 - x),
    ]:
        assert pattern.match(tensor.uop), pattern
    assert (a < b).dtypes == (dtypes.bool,)


def test_matcher(x):
    seen = []

    def first(ctx, a):
        seen.append(("first", ctx))

    def second(a):
        seen.append(("second", None))
        return a

    rules = PatternMatcher([(UPat(Ops.ADD, src=(UPat.var("a"), UPat())), first)])
    rules += PatternMatcher([(UPat(GroupOp.Binary, src=(UPat.var("a"), UPat())), second)])
    uop = (x + 1).uop
    assert rules.rewrite(uop, "context") is x.uop
    assert seen == [("first", "context"), ("second", None)]
    assert rules.rewrite(x.uop) is None and len(rules.patterns) == 2


def test_rewrite(x):
    rules = PatternMatcher(
        [
            (UPat.var("a") * UPat.cvar("c", arg=2), lambda a, c: a + a),
            (UPat(Ops.SQRT, src=(UPat.var("a"),)), lambda a: a),
        ]
    )
    uop = ((x.sqrt() * 2) + 3).uop
    new = graph_rewrite(uop, rules)
    assert new is ((x + x) + 3).uop
    assert Tensor(new).tolist() == [5.0, 7.0, 9.0]
    assert graph_rewrite(new, rules) is new
    assert graph_rewrite(uop, rules, bottom_up=True) is new
    assert graph_rewrite(uop, PatternMatcher([]), bpm=rules) is new


def test_order(x):
    """Sources first, or last."""
    seen = []
    rules = PatternMatcher([(UPat(ANY, name="u"), lambda u: seen.append(u.op))])
    graph_rewrite((x + 1).sqrt().uop, rules)
    assert seen == [Ops.BUFFER, Ops.CONST, Ops.ADD, Ops.SQRT]
    seen.clear()
    graph_rewrite((x + 1).sqrt().uop, rules, bottom_up=True)
    assert seen == [Ops.SQRT, Ops.ADD, Ops.BUFFER, Ops.CONST]


def test_replacements_are_rewritten(x):
    """Also below what a rule returns, and after its sources changed."""
    rules = PatternMatcher(
        [
            (UPat(Ops.EXP2, src=(UPat.var("a"),)), lambda a: a.sqrt() + a.log2()),
            (UPat(Ops.LOG2, src=(UPat.var("a"),)), lambda a: -a),
            (UPat.var("a") + UPat(Ops.NEG, src=(UPat.var("b"),)), lambda a, b: a - b),
        ]
    )
    assert graph_rewrite(x.exp2().uop, rules) is (x.sqrt() - x).uop
    assert graph_rewrite(x.exp2().uop, rules, bottom_up=True) is (x.sqrt() - x).uop


def test_deep_graphs(x):
    y = x
    for _ in range(5000):
        y = (y + x).sqrt()
    rules = PatternMatcher([(UPat(Ops.SQRT, src=(UPat.var("a"),)), lambda a: a)])
    for bottom_up in (False, True):
        new = graph_rewrite(y.uop, rules, bottom_up=bottom_up)
        assert {u.op for u in new.toposort()} == {Ops.ADD, Ops.BUFFER}
        assert len(new.toposort()) == 5001


def test_context(x):
    counts = {}

    def count(ctx, u):
        ctx[u.op] = ctx.get(u.op, 0) + 1

    graph_rewrite((x + x.sqrt()).uop, PatternMatcher([(UPat(ANY, name="u"), count)]), ctx=counts)
    assert counts == {Ops.BUFFER: 1, Ops.SQRT: 1, Ops.ADD: 1}


def rule(op, function):
    return PatternMatcher([(UPat(op, name="u"), function)])


def change_shape(u):
    return u.reshape((3, 1))


def test_errors(x):
    uop = (x.sqrt() + 1).uop
    with pytest.raises(
        ShapeError,
        match=r"rule change_shape \(.*test_rewrite.py:\d+\) gives Ops.RESHAPE of shape \(3, 1\) "
        r"dtypes.float in place of Ops.SQRT of shape \(3,\)",
    ):
        graph_rewrite(uop, rule(Ops.SQRT, change_shape))
    with pytest.raises(DTypeError, match="users need dtypes.float, see UOp.cast"):
        graph_rewrite(uop, rule(Ops.SQRT, lambda u: u.cast(dtypes.int32)))
    with pytest.raises(TypeError, match="returned 3 for Ops.SQRT: a rule returns a UOp"):
        graph_rewrite(uop, rule(Ops.SQRT, lambda u: 3))
    with pytest.raises(ZeroDivisionError):
        graph_rewrite(uop, rule(Ops.SQRT, lambda u: 1 / 0))
    with pytest.raises(TypeError, match="takes a UOp, such as x.uop, not a Tensor"):
        graph_rewrite(x, rule(Ops.SQRT, lambda u: None))
    with pytest.raises(TypeError, match="takes a PatternMatcher, not a list"):
        graph_rewrite(uop, [])
    matcher = rule(Ops.SQRT, lambda u: None)
    with pytest.raises(TypeError, match="takes a PatternMatcher, not a int"):
        graph_rewrite(uop, matcher, bpm=3)
    with pytest.raises(TypeError, match="unsupported operand"):
        matcher + 3
    with pytest.raises(TypeError, match="takes pairs of a UPat and a function, not 3"):
        PatternMatcher(3)
    with pytest.raises(TypeError, match="rewrite.. takes a UOp, such as x.uop, not 3"):
        matcher.rewrite(3)
    with pytest.raises(TypeError, match="match.. takes a UOp"):
        UPat(Ops.ADD).match(3)
    with pytest.raises(TypeError, match="name of a pattern is a str, not 3"):
        UPat(Ops.ADD, name=3)
    for make in [lambda: UPat.var("x") + "a", lambda: "a" - UPat.var("x"), lambda: UPat() > "a"]:
        with pytest.raises(TypeError, match="of a str: UPats and numbers are operands"):
            make()
    with pytest.raises(ValueError, match="needs an op"):
        rule(None, lambda u: None)
    with pytest.raises(TypeError, match="pair of a UPat and a function"):
        PatternMatcher([UPat(Ops.ADD)])
    with pytest.raises(TypeError, match="op of a pattern has to be"):
        UPat("add")
    with pytest.raises(TypeError, match="consist of UPats"):
        UPat(Ops.ADD, src=(Ops.ADD,))
    with pytest.raises(ValueError, match="named ctx"):
        UPat.var("ctx")


@pytest.mark.parametrize("bottom_up", [False, True])
@pytest.mark.parametrize(
    "rules",
    [
        rule(Ops.SQRT, lambda u: u.replace(op=Ops.EXP2))
        + rule(Ops.EXP2, lambda u: u.replace(op=Ops.SQRT)),
        rule(Ops.SQRT, lambda u: u.contiguous()),
        rule(Ops.CONST, lambda u: u.replace(arg=u.arg + 1)),
        rule(Ops.SQRT, lambda u: (u.src[0] * u.src[0]).sqrt()),
    ],
    ids=["two rules", "around itself", "ever more", "below itself"],
)
def test_endless(x, rules, bottom_up, monkeypatch):
    monkeypatch.setattr("tinygrad_mlir.uop.rewrite.REWRITE_LIMIT", 200)
    with pytest.raises(Error, match="infinite loop in graph_rewrite: .*the rule <lambda>"):
        graph_rewrite((x.sqrt() + 1).uop, rules, bottom_up=bottom_up)


# Rules for what is realized.

DOUBLE = PatternMatcher([(UPat.var("a") * UPat.cvar(arg=2), lambda a: a + a)])


def describe(tensor):
    """Whether a product is among the operations of its program."""
    return "tg.mul" in tensor.mlir()


def test_rules_are_applied(x):
    applied = []

    def three(u):
        applied.append(u)
        return u.const_like(3.0) if u.arg == 2.0 else None

    rules = rule(Ops.CONST, three)
    y = x * 2
    with rewrite_rules(rules):
        assert y.tolist() == [3.0, 6.0, 9.0]
        assert applied
    assert (x * 2).tolist() == [2.0, 4.0, 6.0]

    @rewrite_rules(rules)
    def compute():
        return (x + 2).realize(), (x * 2).sum().item()

    first, second = compute()
    assert first.tolist() == [4.0, 5.0, 6.0] and second == 18.0


def test_rules_and_users_of_the_old_graph(x):
    """What was built on a tensor before it was rewritten uses the computed values."""
    y = x * 2
    z = y + 1
    with rewrite_rules(DOUBLE):
        y.realize()
    assert y.uop.is_realized and z.uop.src[0] is y.uop
    assert z.tolist() == [3.0, 5.0, 7.0]


def test_rules_for_assignments(x):
    x.realize()
    seen = []
    rules = rule(Ops.CONST, lambda u: u.const_like(10.0) if u.arg == 2.0 else seen.append(u))
    with rewrite_rules(rules):
        x.assign(x * 2).realize()
    assert x.tolist() == [10.0, 20.0, 30.0]
    x.assign(x * 2).realize()
    assert x.tolist() == [20.0, 40.0, 60.0]


def test_rules_wrap_a_node(x):
    """A replacement may depend on what it replaces, if the rule knows when to stop."""
    wrapped = set()

    def wrap(u):
        if u in wrapped:
            return None
        wrapped.add(u)
        return u.replace(op=Ops.EXP2).log2()

    with rewrite_rules(rule(Ops.SQRT, wrap), bottom_up=True):
        assert x.sqrt().numpy() == pytest.approx([1.0, 2.0, 3.0], rel=1e-6)


def test_rules_are_nested(x):
    to_exp2 = rule(Ops.SQRT, lambda u: u.replace(op=Ops.EXP2))
    to_neg = rule(Ops.EXP2, lambda u: u.replace(op=Ops.NEG))
    with rewrite_rules(to_neg):
        with rewrite_rules(to_exp2):
            assert x.sqrt().tolist() == [-1.0, -2.0, -3.0]
        assert x.exp2().tolist() == [-1.0, -2.0, -3.0]
    assert x.exp2().tolist() == [2.0, 4.0, 8.0]


def test_rules_may_compute(x):
    """A rule that reads values, which is not rewritten itself."""

    def fold(u):
        return UOp.const(u.dtype, tuple(Tensor(u).tolist()), u.shape) if u.shape == (3,) else None

    with rewrite_rules(rule(Ops.SQRT, fold)):
        assert (x.sqrt() * x.sqrt()).sum().item() == pytest.approx(6.0)


def test_errors_of_rules(x):
    with rewrite_rules(rule(Ops.SQRT, change_shape)):
        with pytest.raises(ShapeError, match="rule change_shape"):
            x.sqrt().realize()
    with rewrite_rules(rule(Ops.SQRT, lambda u: 1 / 0)):
        with pytest.raises(ZeroDivisionError):
            x.sqrt().numpy()
    assert x.sqrt().numpy() == pytest.approx([1.0, 2**0.5, 3**0.5])
    with pytest.raises(TypeError, match="takes a PatternMatcher"):
        rewrite_rules([])


def test_rules_of_a_thread():
    results = []
    three = rule(Ops.CONST, lambda u: u.const_like(3.0) if u.arg == 2.0 else None)

    def compute(rules):
        # Of one tensor, equal products would be one node, which the first thread computes.
        x = Tensor([1.0, 2.0, 3.0]).realize()
        for _ in range(20):
            if rules is None:
                results.append((2, (x * 2).tolist()))
            else:
                with rewrite_rules(rules):
                    results.append((3, (x * 2).tolist()))

    threads = [threading.Thread(target=compute, args=(r,)) for r in (None, three) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 80
    assert all(values == [factor, 2.0 * factor, 3.0 * factor] for factor, values in results)


def test_rules_and_gradients(x):
    w = Tensor([1.0, 2.0, 3.0]).requires_grad_()
    with rewrite_rules(DOUBLE):
        ((w * 2).sqrt() * x).sum().backward()
        assert w.grad.numpy() == pytest.approx([1 / 2**0.5, 1.0, 3 / 6**0.5], rel=1e-6)


def test_rules_and_training():
    def train(rules):
        Tensor.manual_seed(3)
        layer = nn.Linear(4, 2)
        optimizer = nn.optim.SGD(nn.state.get_parameters(layer), lr=0.1)
        with Tensor.train(), rewrite_rules(rules):
            for _ in range(3):
                optimizer.zero_grad()
                loss = (layer(Tensor.ones(3, 4)) * 2).square().mean()
                loss.backward()
                optimizer.step()
        return layer.weight.numpy()

    assert train(DOUBLE) == pytest.approx(train(PatternMatcher([])), rel=1e-5)


def test_rules_and_jit(x):
    three = rule(Ops.CONST, lambda u: u.const_like(3.0) if u.arg == 2.0 else None)

    @TinyJit
    def step(a):
        return (a * 2).realize()

    with rewrite_rules(three):
        for i in range(4):
            argument = (x + 10 * i).realize()
            assert step(argument).tolist() == [3.0 * (v + 10 * i) for v in (1, 2, 3)]


def test_reflected_operators():
    i = Tensor([5, 7], dtype=dtypes.int32).uop
    for made, expected in [
        (17 // i, [3, 2]),
        (17 % i, [2, 3]),
        (4 & i, [4, 4]),
        (8 | i, [13, 15]),
        (1 ^ i, [4, 6]),
        (1 << i, [32, 128]),
        (1024 >> i, [32, 8]),
    ]:
        assert Tensor(made).tolist() == expected
    assert (17 % UPat.var("a")).match(17 % i)


def test_functions_without_a_signature(x):
    assert PatternMatcher([(UPat(Ops.ADD), max)]).patterns


@pytest.mark.parametrize(
    "function, factor",
    [
        (lambda x: (x * 2).with_gradient([x], lambda g: [g * 10]), 10),
        (lambda x: ((x * 2).with_gradient([x], lambda g: [g * 10]) + 1) * 2, 20),
        (lambda x: ((x + 1) * 2).with_gradient([x], lambda g: [g * 10]) * x.detach(), None),
    ],
)
def test_gradients_of_their_own_and_rules(function, factor):
    """A rule that rewrites what has a gradient of its own, or is around it, keeps that gradient."""
    rules = PatternMatcher([(UPat.var("a") * UPat.cvar(arg=2), lambda a: a + a)])
    values = [1.0, 2.0, 3.0]
    expected = [10.0 * v for v in values] if factor is None else [factor] * 3
    for how in ("none", "realize", "rewrite"):
        x = Tensor(values)
        y = function(x)
        if how == "realize":
            with rewrite_rules(rules):
                y.tolist()
        elif how == "rewrite":
            new = graph_rewrite(y.uop, rules)
            assert Ops.ADD in [u.op for u in new.toposort()]
            y = Tensor(new)
        assert y.tolist() == function(Tensor(values)).tolist()
        assert y.sum().gradient(x)[0].tolist() == expected, how
        y.sum().backward()
        assert x.grad.tolist() == expected, how
