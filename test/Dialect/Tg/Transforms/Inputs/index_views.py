"""Index expressions of views: what movement operations do to indices, written out.

Nothing is simplified here, so that the expressions are what a simplifier has to
deal with. Sizes are numbers or polynomials of variables.
"""

import math

from index_kernels import Kernel


class Size:
    """A sum of products of variables: {(): 3, ("n",): 4} is n * 4 + 3."""

    bounds = {}

    def __init__(self, terms):
        self.terms = {k: v for k, v in terms.items() if v}

    @staticmethod
    def var(name, first, last):
        Size.bounds[name] = (first, last)
        return Size({(name,): 1})

    @staticmethod
    def of(x):
        return x if isinstance(x, Size) else Size({(): x})

    def __add__(self, other):
        terms = dict(self.terms)
        for k, v in Size.of(other).terms.items():
            terms[k] = terms.get(k, 0) + v
        return Size(terms)

    def __sub__(self, other):
        return self + Size.of(other) * -1

    def __mul__(self, other):
        terms = {}
        for k, v in self.terms.items():
            for k2, v2 in Size.of(other).terms.items():
                key = tuple(sorted(k + k2))
                terms[key] = terms.get(key, 0) + v * v2
        return Size(terms)

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other):
        return self.terms == Size.of(other).terms

    def most(self):
        """The value for the greatest values of the variables."""
        return sum(
            v * math.prod(Size.bounds[name][1] for name in k)
            for k, v in self.terms.items()
        )

    def text(self):
        def join(kind, parts):
            result = parts[0]
            for part in parts[1:]:
                result = f"#tg.dim<{kind}, {result}, {part}>"
            return result

        def term(names, factor):
            parts = [f'#tg.var<"{n}", {Size.bounds[n][0]}, {Size.bounds[n][1]}>' for n in names]
            if factor != 1 or not parts:
                parts.append(str(factor))
            return join("mul", parts)

        ordered = sorted(self.terms.items(), key=lambda item: (not item[0], item[0]))
        return join("add", [term(k, v) for k, v in ordered]) if ordered else "0"


def most(size):
    return size.most() if isinstance(size, Size) else size


def product(sizes):
    result = 1
    for size in sizes:
        result = result * size
    return result


class View:
    """A tensor in memory, moved about. The last operation is undone first."""

    def __init__(self, *shape):
        self.base = list(shape)
        self.shape = list(shape)
        self.steps = []

    def then(self, shape, step):
        view = View(*shape)
        view.base, view.steps = self.base, self.steps + [step]
        return view

    def reshape(self, *shape):
        before = self.shape
        assert product(before) == product(shape), (before, shape)

        def step(at, clauses):
            flat = at.kernel.const(0)
            for index, size in zip(at.indices, shape):
                flat = flat * at.size(size) + index
            result, stride = [], 1
            for size in reversed(before):
                result.insert(0, flat // at.size(stride) % at.size(size))
                stride = stride * size
            return result

        return self.then(shape, step)

    def permute(self, *order):
        def step(at, clauses):
            result = [None] * len(order)
            for position, axis in enumerate(order):
                result[axis] = at.indices[position]
            return result

        return self.then([self.shape[axis] for axis in order], step)

    def expand(self, *shape):
        before = self.shape

        def step(at, clauses):
            return [
                at.kernel.const(0) if size != new and size == 1 else index
                for index, size, new in zip(at.indices, before, shape)
            ]

        return self.then(shape, step)

    def pad(self, *amounts):
        before = self.shape

        def step(at, clauses):
            result = []
            for index, (low, high), size in zip(at.indices, amounts, before):
                moved = index - at.size(low)
                clauses.append(at.kernel.const(-1) < moved)
                clauses.append(moved < at.size(size))
                result.append(moved)
            return result

        return self.then([s + l + h for s, (l, h) in zip(before, amounts)], step)

    def shrink(self, *parts):
        def step(at, clauses):
            return [i + at.size(begin) for i, (begin, end) in zip(at.indices, parts)]

        return self.then([end - begin for begin, end in parts], step)

    def flip(self, *axes):
        before = self.shape

        def step(at, clauses):
            return [
                at.size(before[axis] - 1) - index if axis in axes else index
                for axis, index in enumerate(at.indices)
            ]

        return self.then(before, step)

    # What frameworks build of these.

    def transpose(self, a=-2, b=-1):
        order = list(range(len(self.shape)))
        order[a], order[b] = order[b], order[a]
        return self.permute(*order)

    def repeat_last(self, times):
        *outer, size = self.shape
        view = self.reshape(*outer, 1, size).expand(*outer, times, size)
        return view.reshape(*outer, times * size)

    def windows(self, kernel, stride=1, dilation=1):
        """The last axis as (position, window), by repeating and cutting it."""
        *outer, size = self.shape
        count = (size - dilation * (kernel - 1) - 1) // stride + 1
        # Each row of the window starts `dilation` further on.
        row = size + dilation
        whole = [(0, s) for s in outer]
        times = -(-kernel * row // size)
        view = self.repeat_last(times).shrink(*whole, (0, kernel * row))
        view = view.reshape(*outer, kernel, row)
        if count * stride <= row:
            view = view.shrink(*whole, (0, kernel), (0, count * stride))
            view = view.reshape(*outer, kernel, count, stride)
            view = view.shrink(*whole, (0, kernel), (0, count), (0, 1))
            view = view.reshape(*outer, kernel, count)
        else:
            view = view.shrink(*whole, (0, kernel), (0, count))
        return view.transpose()

    def windows2d(self, kernel, stride=1, dilation=1):
        """(..., h, w) as (..., oh, kh, ow, kw)."""
        view = self.windows(kernel, stride, dilation).transpose(-3, -2)
        n = len(view.shape)
        # (..., ow, h, kw) -> (..., ow, kw, h)
        view = view.transpose().windows(kernel, stride, dilation)
        order = list(range(n - 3)) + [n - 1, n, n - 3, n - 2]
        return view.permute(*order)

    def roll(self, shift):
        """Along the last axis."""
        *outer, size = self.shape
        whole = [(0, s) for s in outer]
        begin = -shift % size
        return self.repeat_last(2).shrink(*whole, (begin, begin + size))

    def spread(self, stride):
        """Zeros between the elements of the last axis."""
        *outer, size = self.shape
        none = [(0, 0)] * len(outer)
        view = self.reshape(*outer, size, 1).pad(*none, (0, 0), (0, stride - 1))
        view = view.reshape(*outer, size * stride)
        whole = [(0, s) for s in outer]
        return view.shrink(*whole, (0, size * stride - stride + 1))

    def diagonal(self):
        """Of a square matrix."""
        size = self.shape[-1]
        view = self.reshape(size * size).pad((0, size))
        return view.reshape(size, size + 1).shrink((0, size), (0, 1)).reshape(size)

    # The expression.

    def write(self, kernel, split=None):
        """Reads the view, at ranges over its shape; `split` cuts the last one."""
        at = Position(kernel, [])
        for axis, size in enumerate(self.shape):
            if split and axis == len(self.shape) - 1 and size % split == 0:
                outer, inner = kernel.range(size // split), kernel.range(split)
                at.indices.append(outer * split + inner)
            else:
                at.indices.append(kernel.range(Size.of(size).text()))
        self.read(at)

    def read(self, at):
        clauses = []
        for step in reversed(self.steps):
            at.indices = step(at, clauses)
        # In memory, rows are as long as they can get.
        flat = at.kernel.const(0)
        for index, size in zip(at.indices, self.base):
            flat = flat * at.kernel.const(most(size)) + index
        mask = None
        for clause in clauses:
            mask = clause if mask is None else mask & clause
        at.kernel.use(flat, mask)


class Position:
    def __init__(self, kernel, indices):
        self.kernel, self.indices = kernel, indices

    def size(self, size):
        if isinstance(size, Size) and list(size.terms) not in ([], [()]):
            return self.kernel.dim(size.text())
        return self.kernel.const(size.terms.get((), 0) if isinstance(size, Size) else size)


def kernel_of(name, view, split=None):
    kernel = Kernel(name)
    view.write(kernel, split)
    return kernel
