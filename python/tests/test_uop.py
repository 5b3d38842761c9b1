"""Views of the graph: nodes, their identity, new nodes, text."""

import copy
import gc
import pickle

import numpy as np
import pytest
from tinygrad_mlir import DTypeError, Error, ShapeError, Tensor, Variable, dtypes
from tinygrad_mlir.uop import OPERATIONS, GroupOp, Ops
from tinygrad_mlir.uop.ops import UOp


def test_fields():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    y = (x + 1).sum(axis=1, keepdim=True)
    uop = y.uop
    assert (uop.op, uop.dtype, uop.shape, uop.device) == (
        Ops.REDUCE,
        dtypes.float32,
        (2, 1),
        x.device,
    )
    assert uop.arg == (Ops.ADD, (1,))
    (add,) = uop.src
    assert add.op is Ops.ADD and add.arg is None
    buffer, one = add.src
    assert buffer is x.uop and buffer.op is Ops.BUFFER and buffer.src == () and buffer.is_realized
    assert one.op is Ops.CONST and one.arg == 1.0 and not one.is_realized
    assert list(uop.toposort()) == [buffer, one, add, uop]
    assert set(uop.backward_slice) == {buffer, one, add}


@pytest.mark.parametrize(
    "make, op, arg",
    [
        (lambda x: x.reshape(3, 2), Ops.RESHAPE, (3, 2)),
        (lambda x: x.permute(1, 0), Ops.PERMUTE, (1, 0)),
        (lambda x: x[:, :1].expand(2, 5), Ops.EXPAND, (2, 5)),
        (lambda x: x.pad(((0, 1), (2, 0))), Ops.PAD, ((0, 1), (2, 0))),
        (lambda x: x.shrink(((1, 2), (0, 2))), Ops.SHRINK, ((1, 2), (0, 2))),
        (lambda x: x.flip(1), Ops.FLIP, (False, True)),
        (lambda x: x.max(1, keepdim=True), Ops.REDUCE, (Ops.MAX, (1,))),
        (lambda x: x.cumsum(1), Ops.SCAN, (Ops.ADD, 1)),
        (lambda x: x.cast(dtypes.int32), Ops.CAST, None),
        (lambda x: x.bitcast(dtypes.int32), Ops.BITCAST, None),
        (lambda x: x.contiguous(), Ops.CONTIGUOUS, None),
        (lambda x: x.detach(), Ops.DETACH, None),
        (lambda x: x.sqrt(), Ops.SQRT, None),
        (lambda x: x < 2.0, Ops.CMPLT, None),
        (lambda x: Tensor.full((2, 2), 3), Ops.CONST, 3),
        (lambda x: Tensor.full((2, 2), True), Ops.CONST, True),
    ],
)
def test_args(make, op, arg):
    """Of what methods build, and a node of the same arguments is the same node."""
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) + 0.5
    uop = make(x).uop
    assert uop.op is op and uop.arg == arg
    shape = uop.shape if op is Ops.CONST else None
    assert UOp(op, uop.dtype, uop.src, arg, shape=shape) is uop


def test_every_operation_has_a_name():
    assert len(OPERATIONS) == len(Ops) - 1
    assert OPERATIONS[Ops.RECIPROCAL] == "tg.recip" and OPERATIONS[Ops.ADD] == "tg.add"
    assert {Ops.NEG, Ops.TRUNC} <= GroupOp.Unary and Ops.CAST not in GroupOp.Unary
    assert {Ops.ADD, Ops.THREEFRY} <= GroupOp.Binary and Ops.WHERE not in GroupOp.Binary


def test_identity():
    x = Tensor([1.0, 2.0])
    first = (x * 3).uop
    number = first.node.number
    assert (x * 3).uop is first and hash((x * 3).uop) == hash(first)
    assert (x * 4).uop is not first
    assert first.key == (x * 3).uop.key != (x * 4).uop.key
    del first
    gc.collect()
    assert (x * 3).uop.node.number > number


def test_realizing_keeps_the_node():
    x = Tensor([1.0, 2.0])
    y = x + 1
    z = y * 2
    uop, product = y.uop, z.uop
    y.realize()
    assert uop.op is Ops.ADD and uop.src[0] is x.uop
    assert y.uop is not uop and y.uop.is_realized
    # The source of what is not realized is memory now.
    assert product.src[0] is y.uop
    assert Tensor(product).tolist() == [4.0, 6.0]
    assert Tensor(uop).tolist() == [2.0, 3.0]


def test_looking_changes_no_program():
    def count(look):
        x = Tensor([1.0, 2.0]).realize()
        y = x + 1
        nodes = look(y)
        z = (y * 2).contiguous()
        nodes += look(z)
        w = z.sum()
        kernels = [k.sources["kernel"] for k in w.schedule()]
        x.assign(x * 3)
        return [k.sources["kernel"] for k in x.schedule()] + kernels, nodes

    assert count(lambda t: [])[0] == count(lambda t: list(t.uop.toposort()))[0]


def test_overwritten():
    x = Tensor([1.0, 2.0]).realize()
    uop = (x + 1).uop
    other = Tensor([5.0]).realize().uop
    x.assign(x * 3).realize()
    assert uop.is_overwritten and not other.is_overwritten
    with pytest.raises(Error, match="tg.add' is computed from"):
        Tensor(uop)
    with pytest.raises(Error, match="other values were assigned"):
        uop * 2
    assert Tensor((x + 1).uop).tolist() == [4.0, 7.0]


def test_assign():
    x = Tensor([1.0, 2.0]).realize()
    memory = x.uop
    x.assign(Tensor([3.0, 4.0]) + 1)
    assert x.uop.op is Ops.ASSIGN and x.uop.src[0] is memory
    with pytest.raises(TypeError, match="about memory"):
        UOp(Ops.ASSIGN, None, x.uop.src)
    with pytest.raises(ValueError, match="'tg.assign' cannot have other sources"):
        x.uop.replace(src=(x.uop.src[0], memory))


def test_new_nodes():
    x = Tensor([[1.0, -2.0], [3.0, 4.0]])
    uop = x.uop
    assert Tensor(uop + uop * 2 - 1).tolist() == [[2.0, -7.0], [8.0, 11.0]]
    assert Tensor(1 / uop.maximum(1)).numpy() == pytest.approx(
        np.array([[1.0, 1.0], [1 / 3, 0.25]])
    )
    assert Tensor((uop < 0).where(0.0, uop)).tolist() == [[1.0, 0.0], [3.0, 4.0]]
    assert Tensor((uop >= 3).where(1, UOp.const(dtypes.int32, 0))).tolist() == [[0, 0], [1, 1]]
    assert Tensor(uop.reduce(Ops.ADD, (1,))).tolist() == [[-1.0], [7.0]]
    assert Tensor(uop.permute((1, 0)).flip((True, False))).tolist() == [[-2.0, 4.0], [1.0, 3.0]]
    assert Tensor(uop.pad(((0, 0), (1, 0))).shrink(((0, 1), (0, 2)))).tolist() == [[0.0, 1.0]]
    assert Tensor(uop.cast(dtypes.int32) % 3).tolist() == [[1, 1], [0, 1]]
    assert Tensor(UOp.const(dtypes.float32, (1.0, 2.0), (2,))).tolist() == [1.0, 2.0]
    assert Tensor(UOp(Ops.IOTA, dtypes.int32, (), 1, shape=(2, 3))).tolist() == [[0, 1, 2]] * 2
    assert Tensor(uop, dtype=dtypes.int32).tolist() == [[1, -2], [3, 4]]


def test_gradient_flows_through_new_nodes():
    x = Tensor([2.0, 3.0]).requires_grad_()
    Tensor((x.uop * x.uop).reduce(Ops.ADD, (0,))).sum().backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_replace():
    x, y = Tensor([1.0, 2.0]), Tensor([5.0, 6.0])
    total = (x + y).uop
    assert total.replace(src=(y.uop, y.uop)) is (y + y).uop
    assert total.replace() is total and total.replace(src=total.src) is total
    assert total.replace(op=Ops.MUL) is (x * y).uop
    four = (x * 4).uop.src[1]
    assert four.replace(arg=5.0) is (x * 5).uop.src[1]
    # The type follows from sources of another type.
    assert total.replace(src=(x.cast("int").uop, y.cast("int").uop)).dtype is dtypes.int32
    deeper = (total * 3).sqrt()
    assert deeper.substitute({y.uop: x.uop}) is (((x + x) * 3).sqrt()).uop
    assert deeper.substitute({}) is deeper


def test_custom_gradients_survive_replacing():
    x = Tensor([2.0, 3.0]).requires_grad_()
    y = x.with_gradient([x], lambda g: g * 10)
    z = Tensor(y.uop.replace(src=((x * 2.0).uop,)))
    z.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]
    assert z.tolist() == [4.0, 6.0]


def test_errors():
    x, wide = Tensor([1.0, 2.0]).uop, Tensor([[1.0, 2.0, 3.0]]).uop
    integers = Tensor([1, 2]).uop
    with pytest.raises(ShapeError, match=r"\(2,\), \(1, 3\), which cannot be broadcast"):
        x + wide
    with pytest.raises(DTypeError, match="dtypes.float, dtypes.int"):
        x + integers
    with pytest.raises(ShapeError, match="they have to be equal"):
        UOp(Ops.ADD, None, (x, UOp.const(dtypes.float32, 1.0)))
    with pytest.raises(ValueError, match="'tg.add' has 2 sources, not 1"):
        UOp(Ops.ADD, None, (x,))
    with pytest.raises(ValueError, match="C1"):
        UOp(Ops.REDUCE, None, (x,), (Ops.ADD, (1,)))
    with pytest.raises(ValueError, match="one of its kinds, not 'min'"):
        UOp(Ops.REDUCE, None, (x,), ("min", (0,)))
    with pytest.raises(TypeError, match="takes .kind, tuple of axes. as arg"):
        UOp(Ops.REDUCE, None, (x,), 3)
    with pytest.raises(ValueError, match="number of elements|elements"):
        x.reshape((3,))
    with pytest.raises(ValueError, match="C1"):
        x.permute((1,))
    with pytest.raises(TypeError, match="takes no arg"):
        UOp(Ops.ADD, None, (x, x), 3)
    with pytest.raises(TypeError, match="needs a dtype"):
        UOp(Ops.CAST, None, (x,))
    with pytest.raises(DTypeError, match="gives dtypes.float, not dtypes.int"):
        UOp(Ops.ADD, dtypes.int32, (x, x))
    with pytest.raises(TypeError, match="tuple of UOps"):
        UOp(Ops.ADD, None, [x, x])
    with pytest.raises(TypeError, match="one of Ops"):
        UOp("add", None, (x, x))
    with pytest.raises(TypeError, match="elementwise operation"):
        x.alu(Ops.RESHAPE)
    with pytest.raises(TypeError, match="UOps and numbers"):
        x + "1"
    with pytest.raises(TypeError, match="replace.. takes op"):
        x.replace(shape=(1,))
    with pytest.raises(DTypeError, match="300|not a value"):
        UOp.const(dtypes.uint8, 300)
    with pytest.raises(ShapeError, match=r"in place of Ops.BUFFER of shape \(2,\)"):
        (x + 1).substitute({x: wide})


@pytest.mark.parametrize(
    "op, arg, message",
    [
        (Ops.REDUCE, (Ops.ADD, "a"), r"\(kind, tuple of axes\) as arg, not \(Ops.ADD, 'a'\)"),
        (Ops.REDUCE, (Ops.ADD, 1), r"\(kind, tuple of axes\) as arg"),
        (Ops.REDUCE, (Ops.ADD, (0, 1.5)), r"\(kind, tuple of axes\) as arg"),
        (Ops.SCAN, (Ops.ADD, "a"), r"\(kind, axis\) as arg"),
        (Ops.FLIP, 3, "a tuple of 2 bools, one for each axis, as arg, not 3"),
        (Ops.FLIP, (0, 1), "a tuple of 2 bools"),
        (Ops.FLIP, (True,), "a tuple of 2 bools"),
        (Ops.PERMUTE, [1, 0], r"order of the axes, a tuple of ints, as arg, not \[1, 0\]"),
        (Ops.ARGSORT, "a", "a bool, as arg, not 'a'"),
        (Ops.COPY, 3, "name of a device as arg, not 3"),
        (Ops.STRIDED, 3, "views as a text as arg, not 3"),
    ],
)
def test_args_of_the_wrong_kind(op, arg, message):
    x = Tensor([[1.0, 2.0, 3.0]]).uop
    with pytest.raises(TypeError, match=message):
        UOp(op, None, (x,), arg)


def test_text_that_is_no_attribute(capfd):
    with pytest.raises(
        ValueError, match="'views' of 'tg.strided' must be the text of an attribute"
    ):
        UOp(Ops.STRIDED, None, (Tensor([1.0]).uop,), "a")
    assert capfd.readouterr() == ("", "")


def test_constants_have_their_value():
    """None becomes another one."""
    assert UOp.const(dtypes.int32, 2.0).arg == 2
    assert UOp.const(dtypes.bool, 1).arg is True
    for dtype, value in [
        (dtypes.int32, 1.5),
        (dtypes.int32, float("nan")),
        (dtypes.uint8, float("inf")),
        (dtypes.bool, 2),
        (dtypes.bool, 0.5),
    ]:
        with pytest.raises(DTypeError, match=f"{value} is not a value of {dtype}"):
            UOp.const(dtype, value)
    with pytest.raises(DTypeError, match="2.5 is not a value"):
        UOp.const(dtypes.int32, (1, 2.5), (2,))
    with pytest.raises(DTypeError, match="1.5 is not a value of dtypes.int"):
        Tensor([1, 2]).uop + 1.5
    for value in ["a", None, 1j]:
        with pytest.raises(TypeError, match="a constant is a number or a tuple of numbers, not"):
            UOp.const(dtypes.float32, value)
    for shape in [3, [2], "a"]:
        with pytest.raises(TypeError, match="a shape is a tuple of sizes, not"):
            UOp.const(dtypes.float32, 1.0, shape)


def test_dtypes_by_name():
    x = Tensor([1.0, 2.0]).uop
    assert x.cast("float32") is x
    assert x.cast("int32") is UOp(Ops.CAST, "int32", (x,)) is x.cast(dtypes.int32)
    with pytest.raises(AttributeError, match='no dtype "what"'):
        x.cast("what")
    with pytest.raises(AttributeError, match="not an object of type int"):
        UOp(Ops.ADD, 3, (x, x))


def test_substitute_takes_nodes():
    x = Tensor([1.0, 2.0]).uop
    with pytest.raises(TypeError, match="takes a dict of UOps by UOps, not 3"):
        x.substitute(3)
    for wrong in [{x: 3}, {3: x}]:
        with pytest.raises(TypeError, match="replaces UOps by UOps"):
            x.substitute(wrong)


def test_copies():
    x = Tensor([1.0, 2.0]).uop
    assert copy.copy(x) is x and copy.deepcopy({"x": [x]})["x"][0] is x
    with pytest.raises(TypeError, match="pickle a Tensor instead"):
        pickle.dumps(x)


def test_symbolic_shapes():
    n = Variable("n", 1, 8).bind(3)
    x = Tensor.arange(8).realize()[:n]
    uop = (x + 1).uop
    assert str(uop.shape[0]) == str(x.shape[0])
    assert Tensor(uop.src[0] * 2).sum().item() == 6


def test_text():
    x = Tensor([1.0, 2.0])
    y = x + 1
    assert repr((y * y).uop) == (
        "UOp(Ops.MUL, dtypes.float, arg=None, src=(\n"
        "  x0:=UOp(Ops.ADD, dtypes.float, arg=None, src=(\n"
        f"    UOp(Ops.BUFFER, dtypes.float, arg={x.uop.arg}, src=()),\n"
        "    UOp(Ops.CONST, dtypes.float, arg=1.0, src=()),)),\n"
        "  x0,))"
    )
    lines = (y * y).uop.render().splitlines()
    assert len(lines) == 4
    assert lines[3].split() == ["3", "MUL", "float", "(2,)", "[2,", "2]"]
    deep = x
    for _ in range(3000):
        deep = deep * x + 1
    assert repr(deep.uop).count("Ops.MUL") == 3000
    assert "tg.add" in str(y.uop.node)


def test_repr_of_tensors():
    x = Tensor([1, 2, 3])
    assert repr(x) == f"<Tensor <UOp {x.device} (3,) int> on {x.device} with grad None>"
    y = Tensor([1.0]).requires_grad_()
    (y * 2).sum().backward()
    assert f"with grad <UOp {y.device} (1,) float>" in repr(y)
