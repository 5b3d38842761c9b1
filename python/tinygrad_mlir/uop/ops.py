"""Nodes of graphs as UOps, under tinygrad's names."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from weakref import WeakValueDictionary

from tinygrad_mlir import _core
from tinygrad_mlir._core import DType, DTypeError, ShapeError, UsageError
from tinygrad_mlir.dtype import DTypeLike, dtypes, to_dtype
from tinygrad_mlir.memory import Buffer, of_memory
from tinygrad_mlir.uop import OPERATIONS, OPS, GroupOp, Ops
from tinygrad_mlir.uop.upat import PatternMatcher, UPat

__all__ = [
    "GroupOp",
    "Ops",
    "PatternMatcher",
    "UOp",
    "UPat",
    "apply_patterns",
    "graph_rewrite",
    "rewrite_rules",
    "sym_infer",
]

Number = bool | int | float

# The kinds of reductions and scans, which are operations here.
_KINDS = {"add": Ops.ADD, "mul": Ops.MUL, "max": Ops.MAX}
_KIND_NAMES = {op: kind for kind, op in _KINDS.items()}
# Operations that have the elements of their first source, in its memory if that is possible.
_IN_PLACE = GroupOp.Movement | {Ops.DETACH, Ops.CONTIGUOUS, Ops.BITCAST, Ops.ASSIGN, Ops.AFTER}
# Operations whose type does not follow from their sources.
_SHAPED = {Ops.CONST, Ops.IOTA, Ops.DIM}
_TYPED = _SHAPED | {Ops.CAST, Ops.BITCAST, Ops.ARGSORT}


def _to_arg(op: Ops, operation: str, arguments: dict[str, Any], shape: tuple[Any, ...]) -> Any:
    """The arg of a node with these arguments in the dialect."""
    if op is Ops.CUSTOM:
        return (operation, *arguments.items())
    if op in (Ops.RESHAPE, Ops.EXPAND):
        return shape
    if op in (Ops.REDUCE, Ops.SCAN):
        return (
            _KINDS.get(arguments["kind"], arguments["kind"]),
            arguments["axes" if op is Ops.REDUCE else "axis"],
        )
    if op is Ops.SCATTER:
        return (arguments["kind"], arguments["axis"])
    if op is Ops.PAD:
        return tuple(zip(arguments["low"], arguments["high"]))
    if op is Ops.SHRINK:
        return tuple(zip(arguments["from"], arguments["to"]))
    if op is Ops.FLIP:
        return tuple(axis in arguments["axes"] for axis in range(len(shape)))
    if op is Ops.ARGSORT:
        return arguments.get("descending", False)
    if op is Ops.BUFFER:
        return arguments["id"]
    return next(iter(arguments.values()), None)


def _pairs(op: Ops, arg: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    if not isinstance(arg, tuple) or not all(isinstance(x, tuple) and len(x) == 2 for x in arg):
        raise TypeError(f"{op} takes a pair of positions for each axis as arg, not {arg!r}")
    return tuple(pair[0] for pair in arg), tuple(pair[1] for pair in arg)


def _is_axis(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_arg(is_right: bool, op: Ops, needed: str, arg: Any) -> None:
    if not is_right:
        raise TypeError(f"{op} takes {needed} as arg, not {arg!r}")


def _to_arguments(op: Ops, arg: Any, shape: tuple[Any, ...]) -> dict[str, Any]:
    """The arguments in the dialect of a node with this arg, whose sources have this shape."""
    if op in (Ops.REDUCE, Ops.SCAN, Ops.SCATTER):
        needed = "(kind, tuple of axes)" if op is Ops.REDUCE else "(kind, axis)"
        _check_arg(isinstance(arg, tuple) and len(arg) == 2, op, needed, arg)
        kind, where = arg
        kind = _KIND_NAMES.get(kind, str(kind))
        if op is Ops.REDUCE:
            _check_arg(isinstance(where, tuple) and all(map(_is_axis, where)), op, needed, arg)
            return {"kind": kind, "axes": tuple(sorted(where))}
        _check_arg(_is_axis(where), op, needed, arg)
        return {"kind": kind, "axis": where}
    if op is Ops.PAD:
        low, high = _pairs(op, arg)
        return {"low": low, "high": high}
    if op is Ops.SHRINK:
        begin, end = _pairs(op, arg)
        return {"from": begin, "to": end}
    if op is Ops.FLIP:
        is_right = isinstance(arg, tuple) and all(isinstance(x, bool) for x in arg)
        is_right = is_right and len(arg) == len(shape)
        _check_arg(is_right, op, f"a tuple of {len(shape)} bools, one for each axis,", arg)
        return {"axes": tuple(axis for axis, is_flipped in enumerate(arg) if is_flipped)}
    if op is Ops.ARGSORT:
        _check_arg(arg is None or isinstance(arg, bool), op, "whether it descends, a bool,", arg)
        return {"descending": bool(arg)}
    if op is Ops.PERMUTE:
        is_right = isinstance(arg, tuple) and all(map(_is_axis, arg))
        _check_arg(is_right, op, "the order of the axes, a tuple of ints,", arg)
    if op is Ops.IOTA:
        _check_arg(_is_axis(arg), op, "an axis", arg)
    if op is Ops.DIM:
        _check_arg(not isinstance(arg, (str, tuple, list)), op, "a size", arg)
    if op is Ops.COPY:
        _check_arg(isinstance(arg, str), op, "the name of a device", arg)
    if op is Ops.STRIDED:
        _check_arg(isinstance(arg, str), op, "the views as a text", arg)
    names = {
        Ops.CONST: "value",
        Ops.IOTA: "axis",
        Ops.DIM: "dim",
        Ops.PERMUTE: "order",
        Ops.STRIDED: "views",
        Ops.COPY: "device",
    }
    if op in names:
        return {names[op]: arg}
    if arg is not None and op not in (Ops.RESHAPE, Ops.EXPAND):
        raise TypeError(f"{op} takes no arg, but it was given {arg!r}")
    return {}


def _check_elements(dtype: DType, value: Any) -> None:
    """Raises an error unless this is a number, or a tuple of numbers, of a dtype."""
    for number in value if isinstance(value, tuple) else (value,):
        if not isinstance(number, (bool, int, float)):
            # Sizes of variables are constants, too.
            if (
                type(number) is UOp
                or number is None
                or isinstance(number, (str, bytes, complex, list, tuple, dict))
            ):
                raise TypeError(f"a constant is a number or a tuple of numbers, not {value!r}")
        elif dtype is dtypes.bool:
            if number not in (0, 1):
                raise DTypeError(f"{number!r} is not a value of {dtype}")
        elif isinstance(number, float) and not dtypes.is_float(dtype) and not number.is_integer():
            raise DTypeError(f"{number!r} is not a value of {dtype}")


def _describe(uop: UOp) -> str:
    return f"{uop.op} of shape {uop.shape} {uop.dtype}"


class _UOpType(type):
    """Programs for tinygrad, where sizes are nodes, ask by `isinstance(size, UOp)` whether a size
    depends on variables. Here, where only a node will do, the type itself is compared."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or isinstance(instance, _core.Variable)


class UOp(metaclass=_UOpType):
    """A node of the graph behind tensors: an operation and its value.

    `op`, `dtype`, `shape`, `device` and `arg` of a node never change. Its sources `src` are the
    same values as long as it exists, but one that was realized is memory (`Ops.BUFFER`) from then
    on. While one of its UOps exists, a node has this one object, so that `is`, `==` and `hash`
    tell whether two nodes are the same. Equal operations on the same sources are one node.

    A UOp changes neither what programs compute nor how.
    """

    __slots__ = ("__weakref__", "arg", "device", "dtype", "node", "op", "shape")

    node: _core.GraphNode
    op: Ops
    dtype: DType
    shape: tuple[Any, ...]
    device: str
    arg: Any

    def __new__(
        cls,
        op: Ops,
        dtype: DTypeLike | None = None,
        src: tuple[UOp, ...] = (),
        arg: Any = None,
        *,
        shape: tuple[Any, ...] | None = None,
    ) -> UOp:
        """The node of an operation on sources, which is not simplified.

        `dtype` is needed by constants, casts and the like, and otherwise has to be the one that
        follows from the sources. `shape` is needed by `CONST` (without: a number), `IOTA` and
        `DIM`; that of `RESHAPE` and `EXPAND` is their arg. Raises a TypeError for an arg of the
        wrong kind, a DTypeError or ShapeError for sources that do not fit, and a UsageError for
        what is not an operation of a graph, with the dialect's reason.
        """
        if not isinstance(op, Ops):
            raise TypeError(f"op has to be one of Ops, not {op!r}")
        if not isinstance(src, tuple) or not all(type(x) is UOp for x in src):
            raise TypeError(f"src has to be a tuple of UOps, not {src!r}")
        if op is Ops.CUSTOM:
            raise TypeError("an operation of another dialect has no arg from Python")
        if op in (Ops.BUFFER, Ops.ASSIGN, Ops.AFTER):
            raise TypeError(
                f"{op} is about memory, which tensors have: use Tensor(data).uop or Tensor.assign()"
            )
        if op in GroupOp.ALU:
            _check_alu(op, src)
        if op in (Ops.RESHAPE, Ops.EXPAND):
            if not isinstance(arg, tuple):
                raise TypeError(f"{op} takes the new shape as arg, a tuple, not {arg!r}")
            shape = arg
        if op in _SHAPED and shape is None:
            shape = ()
        if shape is not None and not isinstance(shape, tuple):
            raise TypeError(f"a shape is a tuple of sizes, not {shape!r}")
        if dtype is not None and not isinstance(dtype, DType):
            dtype = to_dtype(dtype)
        if op in _TYPED and dtype is None:
            dtype = dtypes.int32 if op is Ops.ARGSORT else None
            if dtype is None:
                raise TypeError(f"{op} needs a dtype")
        if op is Ops.CONST and dtype is not None:
            _check_elements(dtype, arg)
        made = UOp.of(
            _core.make_node(
                OPERATIONS[op],
                [x.node for x in src],
                _to_arguments(op, arg, src[0].shape if src else ()),
                dtype if op in _TYPED or shape is not None else None,
                shape,
            )
        )
        if dtype is not None and made.dtype is not dtype:
            raise DTypeError(f"{op} of these sources gives {made.dtype}, not {dtype}")
        return made

    # A node is one object and never changes, so that a copy is the object itself.
    def __copy__(self) -> UOp:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> UOp:
        return self

    def __reduce__(self) -> Any:
        raise TypeError("a UOp is a node of a graph of this process: pickle a Tensor instead")

    @staticmethod
    def of(node: _core.GraphNode) -> UOp:
        """The object for a node."""
        number = node.number
        if (known := _known.get(number)) is not None:
            return known
        uop = object.__new__(UOp)
        operation = node.operation
        uop.node = node
        uop.op = OPS.get(operation, Ops.CUSTOM)
        uop.dtype = node.dtype
        uop.shape = node.shape
        uop.device = node.device
        uop.arg = _to_arg(uop.op, operation, node.arguments(), uop.shape)
        return _known.setdefault(number, uop)

    @staticmethod
    def const(
        dtype: DType | Number,
        value: DType | Number | tuple[Number, ...],
        shape: tuple[Any, ...] = (),
    ) -> UOp:
        """A number in all elements, or a tuple of all elements. The first two arguments may be
        swapped. Raises a DTypeError for numbers that the dtype does not have."""
        if isinstance(value, DType):
            dtype, value = value, dtype
        if not isinstance(dtype, DType):
            raise TypeError(f"a constant needs a dtype, not {dtype!r}")
        return UOp(Ops.CONST, dtype, (), value, shape=shape)

    @staticmethod
    def variable(name: str, min_val: int, max_val: int) -> _core.Variable:
        """Variable(name, min_val, max_val), which is no node here."""
        return _core.Variable(name, min_val, max_val)

    def const_like(self, value: Number) -> UOp:
        """A number in all elements, of the dtype and shape of this."""
        return UOp.const(self.dtype, value, self.shape)

    @property
    def src(self) -> tuple[UOp, ...]:
        return tuple(map(UOp.of, self.node.sources()))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def is_realized(self) -> bool:
        """Whether this is memory that holds its values, or moves the elements of such memory."""
        return self.base.node.is_memory

    @property
    def buffer(self) -> Buffer:
        """The memory that has the elements one after another: that of a tensor, a part of it, or
        what an assignment that has not run will write to.

        Raises a UsageError, a RuntimeError and an AssertionError, for what has to be computed
        first, and for elements that lie apart or in another order.
        """
        root = self
        while root.op in _IN_PLACE:
            root = root.src[0]
        if root.op is not Ops.BUFFER:
            raise UsageError(f"buffer: {_describe(self)} is in no memory (must be BUFFER, not "
                             f"{root.op}): realize() its tensor first")  # fmt: skip
        whole = _core.memory_of(root.node)
        if whole is None:
            return Buffer(root.device, math.prod(map(int, root.shape)), root.dtype)
        base = of_memory(whole, root.dtype)
        part = _core.memory_of(self.node)
        if part is None:
            raise UsageError(
                f"buffer: {_describe(self)} is a non-contiguous view of {root.shape} (can only be "
                "RESHAPE or a contiguous part): use contiguous().realize()"
            )
        return of_memory(part, self.dtype, base)

    @property
    def realized(self) -> Buffer | None:
        """The memory if this is memory that holds its values, otherwise None."""
        return self.buffer if self.op is Ops.BUFFER and self.node.is_memory else None

    @property
    def buf_uop(self) -> UOp:
        """The memory that this moves the elements of, or assigns to."""
        root = self
        while root.op in _IN_PLACE:
            root = root.src[0]
        return root

    @staticmethod
    def from_buffer(buffer: Buffer) -> UOp:
        """The memory as a node: `Tensor(UOp.from_buffer(buffer))` is a tensor in it."""
        if not isinstance(buffer, Buffer):
            raise TypeError(f"from_buffer() takes a Buffer, not {buffer!r}")
        memory = buffer.ensure_allocated()._get_memory("from_buffer")
        return UOp.of(_core.GraphNode(memory.tensor(buffer.dtype)))

    @property
    def is_overwritten(self) -> bool:
        """Whether other values were assigned to memory that this is computed from, after it was
        made: then it cannot be computed any more."""
        return self.node.is_overwritten

    @property
    def key(self) -> bytes:
        """A digest of the node and what it is computed from, equal for equal computations."""
        keys: dict[UOp, bytes] = {}
        for uop in self.toposort():
            digest = hashlib.sha256(
                repr((uop.op.name, str(uop.dtype), uop.shape, uop.device, uop.arg)).encode()
            )
            for source in uop.src:
                digest.update(keys[source])
            keys[uop] = digest.digest()
        return keys[self]

    def toposort(self, gate: Callable[[UOp], bool] | None = None) -> dict[UOp, None]:
        """This and all that it is computed from, each after its sources; with `gate`, without
        those for which it is false, and what only they are computed from."""
        order = map(UOp.of, self.node.order())
        if gate is None:
            return dict.fromkeys(order)
        nodes = list(order)
        reached = {self}
        for uop in reversed(nodes):
            if uop in reached and gate(uop):
                reached.update(uop.src)
        return {uop: None for uop in nodes if uop in reached and gate(uop)}

    @property
    def backward_slice(self) -> dict[UOp, None]:
        """All that this is computed from."""
        order = self.toposort()
        del order[self]
        return order

    @property
    def base(self) -> UOp:
        """What this moves the elements of."""
        base = self
        while base.op in GroupOp.Movement or base.op is Ops.DETACH:
            base = base.src[0]
        return base

    def op_in_backward_slice_with_self(self, *ops: Ops) -> bool:
        """Whether this, or something that it is computed from, is one of these operations."""
        return any(uop.op in ops for uop in self.toposort())

    @property
    def size(self) -> Any:
        """The number of elements."""
        return math.prod(self.shape)

    # Other nodes.

    def replace(self, **changes: Any) -> UOp:
        """The node with another `op`, `dtype`, `src` or `arg`."""
        if unknown := changes.keys() - {"op", "dtype", "src", "arg"}:
            raise TypeError(f"replace() takes op, dtype, src and arg, not {', '.join(unknown)}")
        changes = {
            name: value for name, value in changes.items() if value is not getattr(self, name)
        }
        if not changes:
            return self
        src = changes.get("src", self.src)
        if not isinstance(src, tuple) or not all(type(x) is UOp for x in src):
            raise TypeError(f"src has to be a tuple of UOps, not {src!r}")
        if changes.keys() == {"src"}:
            if self.op in GroupOp.ALU:
                _check_alu(self.op, src)
            return UOp.of(self.node.with_sources([x.node for x in src]))
        op = changes.get("op", self.op)
        if op in _TYPED:
            changes.setdefault("dtype", self.dtype)
        shape = self.shape if op in _SHAPED else None
        return UOp(op, changes.get("dtype"), src, changes.get("arg", self.arg), shape=shape)

    def substitute(self, replacements: Mapping[UOp, UOp]) -> UOp:
        """The node with others in place of some that it is computed from, or of itself.

        A replacement has to have the shape and dtype of what it replaces. What it is computed
        from is not replaced again.
        """
        if not isinstance(replacements, Mapping):
            raise TypeError(f"substitute() takes a dict of UOps by UOps, not {replacements!r}")
        for old, new in replacements.items():
            if type(old) is not UOp or type(new) is not UOp:
                raise TypeError(f"substitute() replaces UOps by UOps, not {old!r} by {new!r}")
            _check_same(old, new, "substitute()")
        result: dict[UOp, UOp] = {}
        for uop in self.toposort():
            if (new_uop := replacements.get(uop)) is None:
                src = uop.src
                new_src = tuple(result[x] for x in src)
                new_uop = uop if new_src == src else uop.replace(src=new_src)
            result[uop] = new_uop
        return result[self]

    def alu(self, op: Ops, *src: UOp | Number) -> UOp:
        """An elementwise operation on this and others, which are broadcast; a number has the
        dtype of this."""
        return _alu(op, (self, *src))

    def cast(self, dtype: DTypeLike) -> UOp:
        dtype = to_dtype(dtype)
        return self if dtype is self.dtype else UOp(Ops.CAST, dtype, (self,))

    def bitcast(self, dtype: DTypeLike) -> UOp:
        dtype = to_dtype(dtype)
        return self if dtype is self.dtype else UOp(Ops.BITCAST, dtype, (self,))

    def where(self, x: UOp | Number, y: UOp | Number) -> UOp:
        """x where this is true, and y elsewhere. One of them has to be a UOp."""
        return _alu(Ops.WHERE, (self, x, y))

    def reduce(self, op: Ops, axes: Iterable[int]) -> UOp:
        """The sum (`Ops.ADD`), product or maximum along axes, which remain with size 1."""
        axes = tuple(axes) if isinstance(axes, Iterable) else axes
        return UOp(Ops.REDUCE, None, (self,), (op, axes))

    def reshape(self, shape: tuple[Any, ...]) -> UOp:
        return self if shape == self.shape else UOp(Ops.RESHAPE, None, (self,), shape)

    def expand(self, shape: tuple[Any, ...]) -> UOp:
        return self if shape == self.shape else UOp(Ops.EXPAND, None, (self,), shape)

    def permute(self, order: tuple[int, ...]) -> UOp:
        return UOp(Ops.PERMUTE, None, (self,), order)

    def pad(self, pairs: tuple[tuple[Any, Any], ...]) -> UOp:
        return UOp(Ops.PAD, None, (self,), pairs)

    def shrink(self, pairs: tuple[tuple[Any, Any], ...]) -> UOp:
        return UOp(Ops.SHRINK, None, (self,), pairs)

    def flip(self, axes: tuple[bool, ...]) -> UOp:
        """Reversed along the axes for which `axes` is true."""
        return UOp(Ops.FLIP, None, (self,), axes)

    def contiguous(self) -> UOp:
        return UOp(Ops.CONTIGUOUS, None, (self,))

    def detach(self) -> UOp:
        return UOp(Ops.DETACH, None, (self,))

    def copy_to_device(self, device: str) -> UOp:
        return UOp(Ops.COPY, None, (self,), device)

    def allreduce(self, op: Ops, device: str | tuple[str, ...]) -> Any:
        """The combined values of all devices, see MultiUOp.allreduce(), of a tensor on several.
        Raises a UsageError for a node, which is on one."""
        if type(self) is UOp:
            raise UsageError(f"allreduce: {_describe(self)} is on one device, {self.device}")
        return self.allreduce(op, device)

    def neg(self) -> UOp:
        return self.alu(Ops.NEG)

    def reciprocal(self) -> UOp:
        return self.alu(Ops.RECIPROCAL)

    def sqrt(self) -> UOp:
        return self.alu(Ops.SQRT)

    def exp2(self) -> UOp:
        return self.alu(Ops.EXP2)

    def log2(self) -> UOp:
        return self.alu(Ops.LOG2)

    def sin(self) -> UOp:
        return self.alu(Ops.SIN)

    def trunc(self) -> UOp:
        return self.alu(Ops.TRUNC)

    def maximum(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.MAX, other)

    def pow(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.POW, other)

    def eq(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.CMPEQ, other)

    def ne(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.CMPNE, other)

    def logical_not(self) -> UOp:
        return self.cast(dtypes.bool).ne(True)

    def __neg__(self) -> UOp:
        return self.neg()

    def __add__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.ADD, other)

    def __radd__(self, other: Number) -> UOp:
        return _alu(Ops.ADD, (other, self))

    def __sub__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.SUB, other)

    def __rsub__(self, other: Number) -> UOp:
        return _alu(Ops.SUB, (other, self))

    def __mul__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.MUL, other)

    def __rmul__(self, other: Number) -> UOp:
        return _alu(Ops.MUL, (other, self))

    def __truediv__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.FDIV, other)

    def __rtruediv__(self, other: Number) -> UOp:
        return _alu(Ops.FDIV, (other, self))

    def __rfloordiv__(self, other: Number) -> UOp:
        return _alu(Ops.FLOORDIV, (other, self))

    def __rmod__(self, other: Number) -> UOp:
        return _alu(Ops.FLOORMOD, (other, self))

    def __rand__(self, other: Number) -> UOp:
        return _alu(Ops.AND, (other, self))

    def __ror__(self, other: Number) -> UOp:
        return _alu(Ops.OR, (other, self))

    def __rxor__(self, other: Number) -> UOp:
        return _alu(Ops.XOR, (other, self))

    def __rlshift__(self, other: Number) -> UOp:
        return _alu(Ops.SHL, (other, self))

    def __rrshift__(self, other: Number) -> UOp:
        return _alu(Ops.SHR, (other, self))

    def __floordiv__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.FLOORDIV, other)

    def __mod__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.FLOORMOD, other)

    def __and__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.AND, other)

    def __or__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.OR, other)

    def __xor__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.XOR, other)

    def __lshift__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.SHL, other)

    def __rshift__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.SHR, other)

    # As in tinygrad, `!=` is an operation; `==` and `is` compare the nodes.
    def __ne__(self, other: UOp | Number) -> UOp:  # type: ignore[override]
        return self.ne(other)

    def __lt__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.CMPLT, other)

    def __gt__(self, other: UOp | Number) -> UOp:
        return _alu(Ops.CMPLT, (other, self))

    def __le__(self, other: UOp | Number) -> UOp:
        return (self > other).logical_not()

    def __ge__(self, other: UOp | Number) -> UOp:
        return (self < other).logical_not()

    # Text.

    def __repr__(self) -> str:
        """As tinygrad prints it; a node that is used several times has a name."""
        order = self.toposort()
        uses = dict.fromkeys(order, 0)
        for uop in order:
            for source in uop.src:
                uses[source] += 1
        names: dict[UOp, str] = {}
        lines: list[str] = []
        # What is still to be printed: the end of a node (None), or one with its depth.
        rest: list[tuple[UOp | None, int]] = [(self, 0)]
        while rest:
            node, depth = rest.pop()
            end = "," if depth else ""
            if node is None:
                lines[-1] += "))" + end
            elif node in names:
                lines.append("  " * depth + names[node] + end)
            else:
                name = ""
                if uses[node] > 1:
                    names[node] = f"x{len(names)}"
                    name = names[node] + ":="
                lines.append(
                    f"{'  ' * depth}{name}UOp({node.op}, {node.dtype}, arg={node.arg!r}, src=("
                )
                rest.append((None, depth))
                rest.extend((source, depth + 1) for source in reversed(node.src))
        return "\n".join(lines)

    def render(self) -> str:
        """A line for each node: number, operation, type, shape, numbers of its sources, arg."""
        numbers: dict[UOp, int] = {}
        lines = []
        for number, uop in enumerate(self.toposort()):
            numbers[uop] = number
            sources = ", ".join(str(numbers[x]) for x in uop.src)
            dtype = str(uop.dtype).removeprefix("dtypes.")
            lines.append(
                f"{number:4d} {uop.op.name:15s} {dtype:8s} {uop.shape!s:16s} [{sources}]"
                + ("" if uop.arg is None else f" {uop.arg!r}")
            )
        return "\n".join(lines)


# The object of each node that has one, by the number of the node.
_known: WeakValueDictionary[int, UOp] = WeakValueDictionary()


def _check_same(old: UOp, new: UOp, what: str) -> None:
    """Raises an error unless one may be used in place of the other."""
    if new.shape != old.shape:
        raise ShapeError(f"{what} gives {_describe(new)} in place of {_describe(old)}: its users "
                         f"need the shape {old.shape}")  # fmt: skip
    if new.dtype is not old.dtype:
        raise DTypeError(
            f"{what} gives {_describe(new)} in place of {_describe(old)}: its users need "
            f"{old.dtype}, see UOp.cast()"
        )


def _check_alu(op: Ops, src: tuple[UOp, ...]) -> None:
    """Raises an error unless the sources have one shape and fitting types."""
    if any(x.shape != src[0].shape for x in src):
        shapes = ", ".join(str(x.shape) for x in src)
        raise ShapeError(f"{op} of shapes {shapes}: they have to be equal; alu() broadcasts")
    typed = src[1:] if op is Ops.WHERE else src
    if any(x.dtype is not typed[0].dtype for x in typed):
        names = ", ".join(str(x.dtype) for x in typed)
        raise DTypeError(f"{op} of {names}: the sources have to have one dtype, see UOp.cast()")


def _broadcast(x: UOp, shape: tuple[Any, ...]) -> UOp:
    if x.shape == shape:
        return x
    return x.reshape((1,) * (len(shape) - x.ndim) + x.shape).expand(shape)


def _common_shape(op: Ops, uops: list[UOp]) -> tuple[Any, ...]:
    rank = max(x.ndim for x in uops)
    shape = []
    for axis in range(-rank, 0):
        sizes = [x.shape[axis] for x in uops if x.ndim >= -axis]
        others = [size for size in sizes if size != 1]
        if any(size != others[0] for size in others):
            shapes = ", ".join(str(x.shape) for x in uops)
            raise ShapeError(f"{op} of shapes {shapes}, which cannot be broadcast together")
        shape.append(others[0] if others else 1)
    return tuple(shape)


def sym_infer(uop: _core.Variable | int, var_vals: dict[str, int]) -> int:
    """The number that a size is for values of its variables, by their names; variables that are
    not among them have the values that they are bound to.

    Raises a ShapeError for a variable without a value, and for a value beyond its bounds.
    """
    return int(uop.substitute(var_vals)) if isinstance(uop, _core.Variable) else uop


def _alu(op: Ops, operands: tuple[UOp | Number, ...]) -> UOp:
    if op not in GroupOp.ALU:
        raise TypeError(f"alu() takes an elementwise operation of GroupOp.ALU, not {op!r}")
    for operand in operands:
        if type(operand) is not UOp and not isinstance(operand, (bool, int, float)):
            raise TypeError(f"{op} of a {type(operand).__name__}: UOps and numbers are operands")
    # The condition of a WHERE says nothing about the type of the others.
    like = [x for x in operands[op is Ops.WHERE :] if type(x) is UOp]
    if not like:
        raise TypeError(f"{op} of numbers alone has no dtype: one operand has to be a UOp")
    uops = [like[0].const_like(x) if isinstance(x, (bool, int, float)) else x for x in operands]
    shape = _common_shape(op, uops)
    return UOp(op, None, tuple(_broadcast(x, shape) for x in uops))


from tinygrad_mlir.uop.rewrite import (  # noqa: E402
    apply_patterns,
    graph_rewrite,
    rewrite_rules,
)
