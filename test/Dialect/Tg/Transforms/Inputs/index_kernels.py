"""Writes kernels of index arithmetic: a small expression language for tests.

An expression is an Index (or a Bool); +, -, *, //, % are those of the dialect
(rounded down), idiv and trunc_mod round towards zero.
"""


class Kernel:
    """One kernel that computes the values given to `use`."""

    def __init__(self, name):
        self.name = name
        self.lines = []
        self.args = []
        self.uses = []
        self.count = 0
        self.ranges = 0
        self.known = {}

    def value(self, text, kind="index"):
        """An operation; equal ones are one, as after CSE."""
        if text in self.known:
            return self.known[text]
        result = f"%{self.count}"
        self.count += 1
        self.lines.append(f"  {result} = {text}")
        self.known[text] = (Index if kind == "index" else Bool)(self, result)
        return self.known[text]

    def range(self, extent):
        self.ranges += 1
        return self.value(f"tg.range {self.ranges - 1} loop {extent}")

    def const(self, number):
        return self.value(f"tg.const({number} : index) : index")

    def dim(self, text):
        return self.value(f"tg.dim({text}) : index")

    def loaded(self, element="i64", position=0):
        """A number of which nothing but its type is known."""
        self.args.append(f"memref<64x{element}>")
        index = self.const(position)
        result = f"%{self.count}"
        self.count += 1
        self.lines.append(
            f"  {result} = tg.load %a{len(self.args)}[{index.name}] : memref<64x{element}>"
        )
        return self.value(f"tg.cast {result} : {element} -> index")

    def number(self, element):
        """The same as an integer of its own type."""
        index = self.loaded(element)
        source = index.kernel.lines[-1].split("tg.cast ")[1].split(" :")[0]
        return Number(self, element, name=source)

    def where(self, condition, x, y):
        x, y = self.of(x), self.of(y)
        return self.value(
            f"tg.where {condition.name}, {x.name}, {y.name} : index"
        )

    def maximum(self, x, y):
        x, y = self.of(x), self.of(y)
        return self.value(f"tg.max {x.name}, {y.name} : index")

    def minimum(self, x, y):
        return -self.maximum(-self.of(x), -self.of(y))

    def of(self, x):
        return x if isinstance(x, Index) else self.const(x)

    def use(self, index, mask=None):
        """Computes a value, or reads at an index where a mask holds."""
        self.uses.append((self.of(index), mask))

    def use_bool(self, condition):
        self.use(self.where(condition, 1, 0))

    def text(self):
        args = "".join(f", %a{i + 1}: {t}" for i, t in enumerate(self.args))
        size = "9007199254740992xi64"
        lines = [
            f"tg.kernel @{self.name}(%out: memref<1xi64>, %x: memref<{size}>{args})"
            " attributes {outputs = 1 : i64} {"
        ]
        lines += self.lines
        total = None
        for i, (index, mask) in enumerate(self.uses):
            # Only with a mask is it an index: other numbers may be outside.
            if mask is None:
                lines.append(f"  %l{i} = tg.cast {index.name} : index -> i64")
            else:
                access = f"%x[{index.name}] mask {mask.name} : memref<{size}>"
                lines.append(f"  %l{i} = tg.load {access}")
            if total:
                lines.append(f"  %s{i} = tg.add {total}, %l{i} : i64")
            total = f"%s{i}" if total else f"%l{i}"
        lines.append("  %zero = tg.const(0 : index) : index")
        lines.append("  %true = tg.const(true) : i1")
        lines.append(f"  tg.store {total}, %out[%zero] mask %true : memref<1xi64>")
        lines.append("}")
        return "\n".join(lines) + "\n"


def binary(op):
    def method(self, other):
        other = self.kernel.of(other)
        return self.kernel.value(f"tg.{op} {self.name}, {other.name} : index")

    return method


def reversed_binary(op):
    def method(self, other):
        return getattr(self.kernel.of(other), op)(self)

    return method


def compare(op, swap=False):
    def method(self, other):
        other = self.kernel.of(other)
        x, y = (other, self) if swap else (self, other)
        return self.kernel.value(f"tg.{op} {x.name}, {y.name} : index", "bool")

    return method


class Index:
    def __init__(self, kernel, name):
        self.kernel, self.name = kernel, name

    __add__, __sub__, __mul__ = binary("add"), binary("sub"), binary("mul")
    __floordiv__, __mod__ = binary("floordiv"), binary("floormod")
    idiv, trunc_mod = binary("idiv"), binary("mod")
    __radd__, __rsub__ = reversed_binary("__add__"), reversed_binary("__sub__")
    __rmul__ = reversed_binary("__mul__")
    __lt__, __gt__ = compare("cmplt"), compare("cmplt", swap=True)
    equals, differs = compare("cmpeq"), compare("cmpne")

    def __neg__(self):
        return self.kernel.value(f"tg.neg {self.name} : index")

    def __ge__(self, other):
        """self >= other, as the scheduler writes it for numbers."""
        if isinstance(other, int):
            return self.kernel.const(other - 1) < self
        return ~(self < other)

    def cast(self, element):
        """The index as an integer of another type."""
        return Number(self.kernel, element, f"tg.cast {self.name} : index -> {element}")


class Number:
    """An integer of another type than index."""

    def __init__(self, kernel, element, text=None, name=None):
        self.kernel, self.element = kernel, element
        self.name = name or kernel.value(text).name

    def of(self, other):
        if isinstance(other, Number):
            return other
        text = f"tg.const({other} : {self.element}) : {self.element}"
        return Number(self.kernel, self.element, text)

    def apply(self, op, other):
        other = self.of(other)
        text = f"tg.{op} {self.name}, {other.name} : {self.element}"
        return Number(self.kernel, self.element, text)

    def __add__(self, other):
        return self.apply("add", other)

    def __sub__(self, other):
        return self.apply("sub", other)

    def __mul__(self, other):
        return self.apply("mul", other)

    def compare(self, op, other):
        other = self.of(other)
        return self.kernel.value(
            f"tg.{op} {self.name}, {other.name} : {self.element}", "bool"
        )

    def __lt__(self, other):
        return self.compare("cmplt", other)

    def __gt__(self, other):
        return self.of(other) < self

    def equals(self, other):
        return self.compare("cmpeq", other)

    def differs(self, other):
        return self.compare("cmpne", other)

    def cast(self, element):
        text = f"tg.cast {self.name} : {self.element} -> {element}"
        return Number(self.kernel, element, text)

    def index(self):
        return self.kernel.value(f"tg.cast {self.name} : {self.element} -> index")


class Bool:
    def __init__(self, kernel, name):
        self.kernel, self.name = kernel, name

    def __and__(self, other):
        return self.kernel.value(f"tg.and {self.name}, {other.name} : i1", "bool")

    def __or__(self, other):
        return self.kernel.value(f"tg.or {self.name}, {other.name} : i1", "bool")

    def __invert__(self):
        true = self.kernel.value("tg.const(true) : i1", "bool")
        return self.kernel.value(f"tg.xor {self.name}, {true.name} : i1", "bool")
