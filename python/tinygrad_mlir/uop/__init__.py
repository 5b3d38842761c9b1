"""The operations of graphs, under tinygrad's names."""

from __future__ import annotations

from enum import IntEnum, auto

__all__ = ["GroupOp", "Ops"]


class Ops(IntEnum):
    """What a node of a graph computes."""

    # Memory, and what is written to it.
    BUFFER = auto()
    ASSIGN = auto()
    AFTER = auto()
    # Numbers.
    CONST = auto()
    IOTA = auto()
    DIM = auto()
    # Of one operand.
    NEG = auto()
    RECIPROCAL = auto()
    SQRT = auto()
    EXP2 = auto()
    EXP = auto()
    EXPM1 = auto()
    LOG2 = auto()
    LOG = auto()
    LOG1P = auto()
    SIN = auto()
    COS = auto()
    TAN = auto()
    ASIN = auto()
    ACOS = auto()
    ATAN = auto()
    TANH = auto()
    ERF = auto()
    TRUNC = auto()
    CAST = auto()
    BITCAST = auto()
    # Of two operands.
    ADD = auto()
    SUB = auto()
    MUL = auto()
    FDIV = auto()
    CDIV = auto()
    CMOD = auto()
    FLOORDIV = auto()
    FLOORMOD = auto()
    MAX = auto()
    POW = auto()
    AND = auto()
    OR = auto()
    XOR = auto()
    SHL = auto()
    SHR = auto()
    CMPLT = auto()
    CMPEQ = auto()
    CMPNE = auto()
    THREEFRY = auto()
    # Of three operands.
    WHERE = auto()
    MULACC = auto()
    # Along axes.
    REDUCE = auto()
    SCAN = auto()
    SCATTER = auto()
    ARGSORT = auto()
    # Movements.
    RESHAPE = auto()
    PERMUTE = auto()
    EXPAND = auto()
    PAD = auto()
    SHRINK = auto()
    FLIP = auto()
    STRIDED = auto()
    # The operand itself.
    COPY = auto()
    CONTIGUOUS = auto()
    DETACH = auto()
    WITH_DERIVATIVE = auto()
    # An operation of another MLIR dialect.
    CUSTOM = auto()

    def __str__(self) -> str:
        return f"Ops.{self.name}"

    __repr__ = __str__


class GroupOp:
    """Sets of operations."""

    Unary = set(
        map(
            Ops,
            range(Ops.NEG, Ops.CAST),
        )
    )
    Binary = set(map(Ops, range(Ops.ADD, Ops.WHERE)))
    Ternary = {Ops.WHERE, Ops.MULACC}
    ALU = Unary | Binary | Ternary
    Elementwise = ALU | {Ops.CAST, Ops.BITCAST}
    Movement = {Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE, Ops.PAD, Ops.SHRINK, Ops.FLIP, Ops.STRIDED}
    Commutative = {
        Ops.ADD,
        Ops.MUL,
        Ops.MAX,
        Ops.CMPNE,
        Ops.CMPEQ,
        Ops.XOR,
        Ops.AND,
        Ops.OR,
    }
    Associative = {Ops.ADD, Ops.MUL, Ops.AND, Ops.OR, Ops.MAX}
    Idempotent = {Ops.OR, Ops.AND, Ops.MAX}
    Comparison = {Ops.CMPLT, Ops.CMPNE, Ops.CMPEQ}
    Reduce = {Ops.ADD, Ops.MUL, Ops.MAX}
    All = set(Ops)


# Names in the `tg` dialect that are not those in lower case.
_OTHER_NAMES = {Ops.RECIPROCAL: "recip", Ops.CDIV: "idiv", Ops.CMOD: "mod"}
OPERATIONS = {
    op: "tg." + _OTHER_NAMES.get(op, op.name.lower()) for op in Ops if op is not Ops.CUSTOM
}
OPS = {operation: op for op, operation in OPERATIONS.items()}
