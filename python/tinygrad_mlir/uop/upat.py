"""Patterns of nodes, and rules that rewrite what matches them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

from tinygrad_mlir._core import DType
from tinygrad_mlir.dtype import dtypes
from tinygrad_mlir.uop import GroupOp, Ops

if TYPE_CHECKING:
    from tinygrad_mlir.uop.ops import UOp

__all__ = ["PatternMatcher", "UPat"]

Match = dict[str, "UOp"]


def _tuple_of(kind: type, value: Any, what: str) -> tuple[Any, ...] | None:
    """None, or one or several values as a tuple."""
    if value is None:
        return None
    values = (value,) if isinstance(value, kind) else value
    if not isinstance(values, (tuple, list, set, frozenset)) or not all(
        isinstance(x, kind) for x in values
    ):
        raise TypeError(f"{what} of a pattern has to be one or several of {kind.__name__}, or "
                        f"None, not {value!r}")  # fmt: skip
    return tuple(values)


class UPat:
    """A pattern that nodes match or not.

    A node matches if its operation is `op` (or one of several), its type `dtype` (or one of
    several), its arg equal to `arg`, and its sources match `src`: a tuple of patterns in this
    order, a list of them in any order, or one pattern that each source has to match. What is None
    matches everything. With `allow_any_len`, there may be more sources than patterns. A node that
    matches is called `name` in the arguments of rules; patterns of one name match only if they
    match the same node. `custom_early_reject` is accepted and has no effect.
    """

    __slots__ = (
        "allow_any_len",
        "alternatives",
        "arg",
        "custom_early_reject",
        "dtypes",
        "location",
        "name",
        "op",
        "src",
    )

    def __init__(
        self,
        op: Ops | tuple[Ops, ...] | set[Ops] | None = None,
        dtype: DType | tuple[DType, ...] | set[DType] | None = None,
        src: tuple[UPat, ...] | list[UPat] | UPat | None = None,
        arg: Any = None,
        name: str | None = None,
        allow_any_len: bool = False,
        custom_early_reject: set[Ops] | None = None,
    ) -> None:
        if isinstance(src, (tuple, list)) and not all(isinstance(x, UPat) for x in src):
            raise TypeError(f"src of a pattern has to consist of UPats, not {src!r}")
        if src is not None and not isinstance(src, (tuple, list, UPat)):
            raise TypeError(f"src of a pattern is a UPat, or a tuple or list of them, not {src!r}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"the name of a pattern is a str, not {name!r}")
        if name == "ctx":
            raise ValueError("a pattern cannot be named ctx, which is the context of rules")
        self.op = _tuple_of(Ops, op, "op")
        self.dtypes = _tuple_of(DType, dtype, "dtype")
        self.src = src
        self.arg = arg
        self.name = name
        self.allow_any_len = allow_any_len
        self.custom_early_reject = custom_early_reject
        # One of these has to match, if it is not None.
        self.alternatives: tuple[UPat, ...] | None = None

    @staticmethod
    def any(*src: UPat) -> UPat:
        """Matches what one of the patterns matches."""
        pattern = UPat()
        if not src or not all(isinstance(x, UPat) for x in src):
            raise TypeError(f"UPat.any() takes patterns, not {src!r}")
        pattern.alternatives = src
        return pattern

    @staticmethod
    def var(name: str | None = None, dtype: DType | tuple[DType, ...] | None = None) -> UPat:
        """Matches every node, of a dtype if one is given."""
        return UPat(dtype=dtype, name=name)

    @staticmethod
    def cvar(
        name: str | None = None,
        dtype: DType | tuple[DType, ...] | None = None,
        arg: bool | int | float | None = None,
    ) -> UPat:
        """Matches constants."""
        return UPat(Ops.CONST, dtype, name=name, arg=arg)

    @staticmethod
    def const(
        value: DType | tuple[DType, ...] | bool | int | float | None,
        dtype: DType | tuple[DType, ...] | bool | int | float | None = None,
    ) -> UPat:
        """Matches constants of a value. The arguments may be swapped."""
        if isinstance(value, (DType, tuple)):
            value, dtype = dtype, value
        return UPat(Ops.CONST, dtype, arg=value)  # type: ignore[arg-type]

    def named(self, name: str) -> UPat:
        """The same pattern with a name."""
        pattern = UPat(self.op, self.dtypes, self.src, self.arg, name, self.allow_any_len)
        pattern.alternatives = self.alternatives
        return pattern

    def or_casted(self, name: str | None = None) -> UPat:
        """Matches what this does, and casts of it."""
        plain = self if name is None else self.named(name)
        return UPat.any(plain, UPat(Ops.CAST, src=(self,), name=name))

    def f(self, op: Ops, **options: Any) -> UPat:
        """An operation on this."""
        return UPat(op, src=(self,), **options)

    # Operations: of commutative ones, the operands match in any order.

    def alu(self, op: Ops, *src: UPat | bool | int | float) -> UPat:
        return _alu(op, [_operand(op, x) for x in (self, *src)])

    def _reversed(self, op: Ops, other: Any) -> UPat:
        return _alu(op, [_operand(op, other), self])

    def cast(self, dtype: DType | tuple[DType, ...] | None = None, **options: Any) -> UPat:
        return UPat(Ops.CAST, dtype, (self,), **options)

    def bitcast(self, dtype: DType | tuple[DType, ...] | None = None, **options: Any) -> UPat:
        return UPat(Ops.BITCAST, dtype, (self,), **options)

    def reduce(self, op: Ops | None = None, **options: Any) -> UPat:
        """A reduction along any axes; with `arg=(op, axes)`, along these."""
        if op is not None:
            raise TypeError("the kind of a reduction is part of arg=(kind, axes)")
        return UPat(Ops.REDUCE, None, (self,), **options)

    def where(self, x: UPat | bool | int | float, y: UPat | bool | int | float) -> UPat:
        return self.alu(Ops.WHERE, x, y)

    def maximum(self, other: UPat | bool | int | float) -> UPat:
        return self.alu(Ops.MAX, other)

    def reciprocal(self) -> UPat:
        return self.alu(Ops.RECIPROCAL)

    def sqrt(self) -> UPat:
        return self.alu(Ops.SQRT)

    def exp2(self) -> UPat:
        return self.alu(Ops.EXP2)

    def log2(self) -> UPat:
        return self.alu(Ops.LOG2)

    def sin(self) -> UPat:
        return self.alu(Ops.SIN)

    def trunc(self) -> UPat:
        return self.alu(Ops.TRUNC)

    def pow(self, other: UPat | bool | int | float) -> UPat:
        return self.alu(Ops.POW, other)

    def eq(self, other: UPat | bool | int | float) -> UPat:
        return self.alu(Ops.CMPEQ, other)

    def ne(self, other: UPat | bool | int | float) -> UPat:
        return self.alu(Ops.CMPNE, other)

    def logical_not(self) -> UPat:
        return self.ne(True)

    def __neg__(self) -> UPat:
        return self.alu(Ops.NEG)

    def __add__(self, other: Any) -> UPat:
        return self.alu(Ops.ADD, other)

    def __radd__(self, other: Any) -> UPat:
        return self._reversed(Ops.ADD, other)

    def __sub__(self, other: Any) -> UPat:
        return self.alu(Ops.SUB, other)

    def __rsub__(self, other: Any) -> UPat:
        return self._reversed(Ops.SUB, other)

    def __mul__(self, other: Any) -> UPat:
        return self.alu(Ops.MUL, other)

    def __rmul__(self, other: Any) -> UPat:
        return self._reversed(Ops.MUL, other)

    def __truediv__(self, other: Any) -> UPat:
        return self.alu(Ops.FDIV, other)

    def __rtruediv__(self, other: Any) -> UPat:
        return self._reversed(Ops.FDIV, other)

    def __rfloordiv__(self, other: Any) -> UPat:
        return self._reversed(Ops.FLOORDIV, other)

    def __rmod__(self, other: Any) -> UPat:
        return self._reversed(Ops.FLOORMOD, other)

    def __rand__(self, other: Any) -> UPat:
        return self._reversed(Ops.AND, other)

    def __ror__(self, other: Any) -> UPat:
        return self._reversed(Ops.OR, other)

    def __rxor__(self, other: Any) -> UPat:
        return self._reversed(Ops.XOR, other)

    def __rlshift__(self, other: Any) -> UPat:
        return self._reversed(Ops.SHL, other)

    def __rrshift__(self, other: Any) -> UPat:
        return self._reversed(Ops.SHR, other)

    def __floordiv__(self, other: Any) -> UPat:
        return self.alu(Ops.FLOORDIV, other)

    def __mod__(self, other: Any) -> UPat:
        return self.alu(Ops.FLOORMOD, other)

    def __and__(self, other: Any) -> UPat:
        return self.alu(Ops.AND, other)

    def __or__(self, other: Any) -> UPat:
        return self.alu(Ops.OR, other)

    def __xor__(self, other: Any) -> UPat:
        return self.alu(Ops.XOR, other)

    def __lshift__(self, other: Any) -> UPat:
        return self.alu(Ops.SHL, other)

    def __rshift__(self, other: Any) -> UPat:
        return self.alu(Ops.SHR, other)

    def __lt__(self, other: Any) -> UPat:
        return self.alu(Ops.CMPLT, other)

    def __gt__(self, other: Any) -> UPat:
        return _alu(Ops.CMPLT, [_operand(Ops.CMPLT, other), self])

    def __ne__(self, other: Any) -> UPat:  # type: ignore[override]
        return self.ne(other)

    def match(self, uop: UOp, store: Match | None = None) -> list[Match]:
        """The nodes by name for each way in which the node matches; an empty list if it does not.

        `store` has the nodes of names that are known already.
        """
        _check_is_node(uop, "match()")
        return list(self._matches(uop, store or {}))

    def _matches(self, uop: UOp, known: Match) -> Iterator[Match]:
        if self.op is not None and uop.op not in self.op:
            return
        if self.dtypes is not None and uop.dtype not in self.dtypes:
            return
        if self.arg is not None and self.arg != uop.arg:
            return
        if self.name is not None:
            if known.get(self.name, uop) is not uop:
                return
            known = known | {self.name: uop}
        if self.alternatives is not None:
            for pattern in self.alternatives:
                yield from pattern._matches(uop, known)
            return
        if self.src is None:
            yield known
            return
        sources = uop.src
        if isinstance(self.src, UPat):
            yield from _match_all((self.src,) * len(sources), sources, known)
            return
        if len(sources) < len(self.src):
            return
        if len(sources) > len(self.src) and not self.allow_any_len:
            return
        if isinstance(self.src, tuple):
            yield from _match_all(self.src, sources, known)
            return
        # Equal patterns in another order match in the same way.
        found: list[Match] = []
        for order in permutations(self.src):
            for match in _match_all(order, sources, known):
                if match not in found:
                    found.append(match)
                    yield match

    def __repr__(self) -> str:
        fields = []
        if self.alternatives is not None:
            return f"UPat.any({', '.join(map(repr, self.alternatives))})"
        if self.op is not None:
            fields.append(str(self.op[0]) if len(self.op) == 1 else str(self.op))
        if self.dtypes is not None:
            fields.append(f"dtype={self.dtypes[0] if len(self.dtypes) == 1 else self.dtypes}")
        for field in ("src", "arg", "name"):
            if (value := getattr(self, field)) is not None:
                fields.append(f"{field}={value!r}")
        if self.allow_any_len:
            fields.append("allow_any_len=True")
        return f"UPat({', '.join(fields)})"


def _operand(op: Ops, value: Any) -> UPat:
    """A pattern, also for a number."""
    if isinstance(value, UPat):
        return value
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"{op} of a {type(value).__name__}: UPats and numbers are operands")
    return UPat.cvar(arg=value)


def _check_is_node(uop: Any, what: str) -> None:
    if not hasattr(uop, "src"):
        raise TypeError(f"{what} takes a UOp, such as x.uop, not {uop!r}")


def _alu(op: Ops, operands: list[UPat]) -> UPat:
    if op not in GroupOp.ALU:
        raise TypeError(f"alu() takes an elementwise operation of GroupOp.ALU, not {op!r}")
    dtype = dtypes.bool if op in GroupOp.Comparison else operands[-1].dtypes
    return UPat(op, dtype, operands if op in GroupOp.Commutative else tuple(operands))


def _match_all(patterns: Sequence[UPat], sources: tuple[UOp, ...], known: Match) -> Iterator[Match]:
    """Each pattern with the source at its place."""
    if not patterns:
        yield known
        return
    for match in patterns[0]._matches(sources[0], known):
        yield from _match_all(patterns[1:], sources[1:], match)


Rule = Callable[..., Any]


class PatternMatcher:
    """Rules that are tried in their order: pairs of a pattern and a function.

    The function is called with the nodes that the names of the pattern stand for, and with the
    context as `ctx` if it has a parameter of that name. It returns the node in place of the one
    that matched, or None if the rule does not apply. Patterns have an `op`, as in tinygrad;
    `UPat(GroupOp.All)` matches each.
    """

    def __init__(self, patterns: Sequence[tuple[UPat, Rule]]) -> None:
        if not isinstance(patterns, Iterable):
            raise TypeError(
                f"a PatternMatcher takes pairs of a UPat and a function, not {patterns!r}"
            )
        self.patterns = list(patterns)
        self._rules: dict[Ops, list[tuple[UPat, Rule, bool]]] = {}
        for entry in self.patterns:
            if not isinstance(entry, tuple) or len(entry) != 2:
                raise TypeError(f"a rule is a pair of a UPat and a function, not {entry!r}")
            pattern, function = entry
            if not isinstance(pattern, UPat) or not callable(function):
                raise TypeError(f"a rule is a pair of a UPat and a function, not {entry!r}")
            try:
                takes_context = "ctx" in inspect.signature(function).parameters
            except ValueError:  # a function in C without a signature
                takes_context = False
            for op in _get_ops(pattern):
                self._rules.setdefault(op, []).append((pattern, function, takes_context))

    def __add__(self, other: PatternMatcher) -> PatternMatcher:
        """The rules of both, those of this first."""
        if not isinstance(other, PatternMatcher):
            return NotImplemented
        return PatternMatcher(self.patterns + other.patterns)

    def rewrite(self, uop: UOp, ctx: Any = None) -> UOp | None:
        """What the first rule that applies gives for the node, or None."""
        _check_is_node(uop, "rewrite()")
        return self.apply(uop, ctx)[0]

    def apply(self, uop: UOp, ctx: Any = None) -> tuple[UOp | None, Rule | None]:
        """The same, with the function of the rule."""
        for pattern, function, takes_context in self._rules.get(uop.op, ()):
            for match in pattern._matches(uop, {}):
                context = {"ctx": ctx} if takes_context else {}
                result = function(**context, **match)
                if result is not None and result is not uop:
                    return result, function
        return None, None


def _get_ops(pattern: UPat) -> tuple[Ops, ...]:
    if pattern.op is not None:
        return pattern.op
    if pattern.alternatives is not None:
        return tuple(dict.fromkeys(op for x in pattern.alternatives for op in _get_ops(x)))
    raise ValueError(f"the pattern of a rule needs an op, which {pattern!r} has not: "
                     "UPat(GroupOp.All, ...) matches every operation")  # fmt: skip
