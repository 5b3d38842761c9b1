"""Writes instances of every rule of index arithmetic, for tg-verify-index-rewrites.

Usage: index-rule-instances.py

The values in the patterns are as general as the rule takes them: numbers from
memory (any of 8 to 64 bits) and positions of ranges. Constants are variables
where the rule takes dimensions and a solver can decide it; otherwise all small
numbers are tried.
"""

import itertools
import sys

from index_kernels import Kernel

INSTANCES = []


def instance(**values):
    """Registers a function that builds a kernel for all combinations of values."""

    def register(function):
        for combination in itertools.product(*values.values()):
            INSTANCES.append((function, dict(zip(values, combination))))
        return function

    return register


def small(first=1, last=6):
    return range(first, last + 1)


def var(name, first, last):
    return f'#tg.var<"{name}", {first}, {last}>'


@instance(a=small(-3, 3), b=small(-2, 3), c=(-7, 0, 1, 9))
def collect_terms(k, a, b, c):
    x, y = k.loaded(), k.loaded()
    k.use((x * a + y + c) - x * b + (c - y * 2))
    k.use(-(x - y * a) * b + x)


@instance(c=small(2), m=(-2, 1, 3), d=(-9, 0, 4))
def recombine(k, c, m, d):
    x, y = k.loaded(), k.loaded("i32")
    k.use((x // c) * (c * m) + (x % c) * m + d)
    k.use(((y + c * 3 + d) // c) * c + (y + d) % c)
    k.use((x // c) % 5 + (x // (c * 5)) * 5)
    k.use(-(x // c) * c - x % c)
    k.use(-((x // c) * c + x % c))


@instance(e=small(1, 3), c=(-5, 0, 5))
def one_value(k, e, c):
    i, j = k.range(1), k.range(e)
    k.use(k.maximum(i + c, i + c) * 3)
    k.use(k.of(c) // (i + e))
    k.use((j + c * 10) // (i + 7))
    k.use((j - 1) // (k.range(4) + 3))
    k.use((j - 1).idiv(k.range(4) + 3))
    k.use((j - 2).idiv(k.const(3)))


@instance(c=small(2, 7), e=small(1, 7), d=(-8, -1, 0, 3))
def division_by_bounds(k, c, e, d):
    j = k.range(e)
    k.use((j + d) // c)
    k.use((j + d) % c)
    k.use((d - j) // c)
    k.use((d - j) % c)


@instance(c=small(2), m=(-2, 1, 3), d=(-9, -1, 0, 4, 13))
def multiples(k, c, m, d):
    x, y = k.loaded("i32"), k.loaded("i32")
    k.use((x * (c * m) + y + d) // c)
    k.use((x * (c * m) + y + d) % c)
    k.use((x * (c * m) + y * (c + 1) - d) % c)


@instance(g=small(2, 4), c=small(2, 4), d=(-5, 0, 1, 6))
def small_rest(k, g, c, d):
    x, y, j = k.loaded("i32"), k.loaded("i32"), k.range(g)
    k.use((x * g + j) // (c * g))
    k.use((x * g + j) % (c * g))
    k.use((x * g + y * (2 * g) + d) // (c * g))
    k.use((x * g + y * (2 * g) + d) % (c * g))
    k.use((x * g + d * g - j) % (c * g))


@instance(c=small(2, 5), d=small(2, 5))
def nested(k, c, d):
    x, y = k.loaded(), k.loaded("i32")
    k.use(x // c // d)
    k.use(x % (c * d) // c)
    k.use(y % (c * d) % c)
    k.use((y % (c * d) + y * 3 + d) % c)


@instance(c=small(1, 5), d=(-7, 0, 3))
def negative_divisors(k, c, d):
    x, z = k.loaded("i32"), k.loaded()
    k.use((x + d) // -c)
    k.use((x + d) % -c)
    k.use(z.idiv(k.const(-c)))
    k.use(z.trunc_mod(k.const(-c)))
    k.use((x + d).idiv(k.const(-c)))


@instance(c=small(1, 5), d=(0, 3))
def truncated(k, c, d):
    j = k.range(20)
    k.use((j + d).idiv(k.const(c)))
    k.use((j + d).trunc_mod(k.const(c)))
    k.use((-j - d).idiv(k.const(c)))
    k.use((-j - d).trunc_mod(k.const(c)))


@instance(e=small(1, 4), d=(-2, 0, 1, 3, 4))
def decided(k, e, d):
    i, j = k.range(e), k.range(4)
    for condition in (i < d, i > d, i.equals(d), i.differs(d), i + 4 > j, i < j + d):
        k.use_bool(condition)


@instance(g=small(2, 4), e=small(1, 4), d=(-9, -1, 0, 3, 8))
def shortened(k, g, e, d):
    x, y, j = k.loaded("i32"), k.loaded("i32"), k.range(e)
    k.use_bool(x * g + j < y * g + d)
    k.use_bool(x * g + d > y * (2 * g) - j)
    k.use_bool((x * g).equals(y * g + d * g))
    k.use_bool((x * g + d).differs(y * (3 * g)))
    k.use_bool(x + y + d < y + j)


@instance(c=small(1, 4), d=(-2, 0, 3))
def quotient_compared(k, c, d):
    x = k.loaded("i32")
    k.use_bool(x // c < d)
    k.use_bool(x // c > d)


@instance(a=small(1, 4), d=(-3, 0, 1, 2, 5))
def maximum(k, a, d):
    i, j = k.range(a), k.range(3)
    k.use(k.maximum(i + d, j))
    k.use(k.minimum(i + d, j - 2))


@instance(a=(-1, 2, 5), b=(0, 2, 6))
def implied(k, a, b):
    x, y = k.loaded("i32"), k.loaded("i32")
    k.use_bool((x < a) & (x + y < 9) & (x < b))
    k.use_bool((x > a) & (x < b) & (x * 2 < 2 * b))
    k.use_bool((x.equals(a)) & (x < b) & (x > y))


@instance(e=(3, 120, 127, 128, 129, 300), c=(-200, -1, 0, 1, 100))
def casts(k, e, c):
    i = k.range(e)
    for element in ("i8", "ui8", "i32"):
        if element == "ui8" and c < 0:
            continue
        if element != "i32" and abs(c) > 127:
            continue
        number = i.cast(element) + c
        k.use(number.index())
        k.use_bool(number < i.cast(element))
        k.use_bool(number < 5)


@instance(c=small(2, 4), d=(0, 2, 5))
def masked(k, c, d):
    i, j, x = k.range(12), k.range(5), k.loaded("i32")
    p = i - d
    k.use(p % 8 + p // 8 * 100, (p > -1) & (p < 8))
    k.use((i + j - d) // c, (i + j > d - 1) & (i + j - d < c))
    k.use(k.where((x > -1) & (x < c), x, 0) % c)
    k.use(k.where(x < 0, x % c, x.idiv(k.const(c))))
    k.use(k.where(x.equals(d), x % 7, 0))


# Integers of every type, and the ends of their ranges.

TYPES = ("i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64")


def width(element):
    return int(element.strip("ui"))


def last(element):
    return 2 ** (width(element) - (element[0] != "u")) - 1


def first(element):
    return last(element) - 2 ** width(element) + 1


@instance(element=TYPES, e=(1, 5, 200), d=(0, 1, 3, 100))
def integers(k, element, e, d):
    i, j = k.range(e), k.range(4)
    x, y = i.cast(element), j.cast(element)
    top, bottom = last(element), first(element)
    for number in (x + d, x - d, x * 3 + y, x - y, x + top, x * top, x - bottom):
        k.use(number.index())
        k.use_bool(number < d)
        k.use_bool(number > d)
        k.use_bool(number.equals(d))
        k.use_bool(number < y)
        k.use_bool((number < y + d) & (number < top))
        k.use_bool(number.differs(y))
    k.use_bool(x + top > top)
    k.use_bool(x * 2 < y * 2 + d)
    k.use_bool((x + d < y + d) & (x < y))


@instance(element=TYPES, d=(0, 1, 100))
def unknown_integers(k, element, d):
    x, y = k.number(element), k.number(element)
    top, bottom = last(element), first(element)
    for c in (d, top, top - 1, bottom, bottom + 1, top // 2 + 1):
        k.use_bool(x + c < y + c)
        k.use_bool(x + d < c)
        k.use_bool(x > c)
        k.use_bool((x + d).equals(c))
        k.use_bool((x * 2).differs(y * 2 + c))
        k.use_bool((x < c) & (x + 1 < c))
        k.use((x + c).index() + d)
        k.use((x * c - y).index() * 3)
    # That a ui64 wraps on its way to an index is too much together with this.
    if element != "ui64":
        k.use(x.index() % 8 + x.index() // 8 * 8)


@instance(element=TYPES, other=TYPES, e=(5, 200))
def chained_casts(k, element, other, e):
    i, x = k.range(e), k.number(element)
    k.use((i.cast(element) + 3).cast(other).index())
    k.use((i.cast(element) - 3).cast(other).index() + 3)
    k.use_bool((i.cast(element) - 3).cast(other) < 4)
    k.use(x.cast(other).index() + 1)
    k.use_bool(x.cast(other) + 1 < x.cast(other) + 2)


# Constants with which sums wrap, and those next to the ends of 64 bits.

ENDS = (2**60, 2**61 - 1, 2**61, 2**62, 2**62 + 1, 2**63 - 2, 2**63 - 1)
BOTH_ENDS = ENDS + tuple(-c for c in ENDS) + (-(2**63),)


@instance(c=BOTH_ENDS, m=(-1, 2, 3))
def large_terms(k, c, m):
    x, y, i, j = k.loaded(), k.loaded("i32"), k.range(5), k.range(3)
    k.use((x + c) - y * m + c)
    k.use(x * c + x * c + y)
    k.use(x * c * m + x * c)
    k.use(-(x + c) * m - c)
    k.use((i + c) + (i - c))
    k.use(i * c + i * m - j * c)
    k.use((i * c + j) * c)
    k.use(k.maximum(x + c, y))
    k.use(k.maximum(i + c, j + c))
    k.use(k.maximum(i * c, j * c))
    k.use(k.minimum(i + c, x))


@instance(c=BOTH_ENDS, d=(-1, 0, 1, 4))
def large_divisors(k, c, d):
    x, y, i, j = k.loaded(), k.loaded("i32"), k.range(5), k.range(3)
    for by in (c, k.of(c) + d):
        for over in (x, y, i + d, d - i, y + c, i + c, i - c, i * c + j, x * c + d):
            k.use(over // by)
            k.use(over % by)
            k.use(over.idiv(k.of(by)))
            k.use(over.trunc_mod(k.of(by)))
    k.use((x // c) * c + x % c)
    k.use((y // c) * c + y % c)
    k.use(x // c // 2 + x // c // c)
    # Solvers decide remainders of remainders for small quotients only.
    k.use(x % c // (c // 2) + x % c % 4)
    k.use((y * 2 + c) // 4 + (y * 2 + c) % 4)
    k.use((i * c + j) // 2**30 + (i * c + j) % 2**30)
    k.use((x % 2**62 + c) % 2**61)


@instance(c=BOTH_ENDS, d=(-1, 0, 3))
def large_comparisons(k, c, d):
    x, y, i, j = k.loaded(), k.loaded("i32"), k.range(5), k.range(3)
    k.use_bool(x < c)
    k.use_bool(x + c < x + d)
    k.use_bool(y + c < y + d)
    k.use_bool(i + c > j + d)
    k.use_bool(i * c < j * c)
    k.use_bool((i * c).equals(j * c + d))
    k.use_bool((y * c).differs(j * c))
    k.use_bool(i * c + j < d)
    k.use_bool(x // 3 < c)
    k.use_bool(x // c < d)
    k.use_bool(x // c > d)
    k.use_bool((x < c) & (x < d) & (x + 1 < c))
    k.use_bool((y < c) & (y > d) & (y * 2 < c))
    k.use(k.where(x > c, x % 8, x // 8))
    k.use(k.where((x > c) & (x < min(c + 8, last("i64"))), x % 8, x // 8))


@instance(a=(2**31, 2**32, 2**33 - 1), b=(2**29, 2**31, 2**31 + 1))
def wrapping_products(k, a, b):
    x, y, i = k.loaded(), k.loaded("i32"), k.range(7)
    k.use(x * a * b - x * (a * 4))
    k.use((y * a * b + i) // a)
    k.use((y * a * b + i) % b)
    k.use(x // a // b)
    k.use((i * a + 3) * b // a)
    k.use_bool(y * a * b < i * a * b)
    k.use_bool((y * a * b).equals(i * a * b))
    k.use_bool(y // a // b < i)


# With variables as extents and divisors.


@instance(last=(3, 8))
def symbolic_reshape(k, last):
    n = var("n", 1, last)
    i, j, m, d = k.range(6), k.range(n), k.range(5), k.dim(n)
    flat = i * d + j
    k.use(flat // d)
    k.use(flat % d)
    k.use((flat * 4 + k.range(4)) // (d * 4))
    k.use((flat * 4 + m) % d)
    k.use(j // d)
    k.use(j % d)
    k.use((flat + d * 3) // d)


@instance(c=(2, 3))
def symbolic_rules(k, c):
    n, m = var("n", 1, 5), var("m", 1, 3)
    x, d, e = k.loaded("i8"), k.dim(n), k.dim(m)
    k.use((x // d) * d + x % d)
    k.use((x // d) * (d * c) + (x % d) * c)
    k.use(x // d // c)
    k.use(x % (d * c) // d)
    k.use(x % (d * c) % d)
    k.use(x % (d * c) // c)
    k.use((x * d + e * c) // d)
    k.use(d * c + x * d - d + e)


@instance(most=(2**30, 2**52), c=(1, 2**30, 2**61))
def large_symbolic(k, most, c):
    n = var("n", 1, most)
    i, x, d = k.range(5), k.loaded(), k.dim(n)
    k.use((x * 3 + d) - (d - x) * c)
    k.use((i + d * c) - d * c)
    k.use(k.maximum(i + d * c, d))
    k.use_bool(i + d * c > d)
    k.use_bool(x < d * c)
    k.use_bool((x < d) & (x < c))
    k.use(i // (d + 5) + (d + i) // c)
    k.use((d * c + i) % c)


@instance(c=(-1, 0, 1))
def symbolic_conditions(k, c):
    n = var("n", 1, 8)
    i, j, d = k.range(n), k.range(10), k.dim(n)
    k.use_bool(i < d + c)
    k.use_bool(i * 4 + k.range(4) < d * 4)
    k.use_bool((j < d) & (j < 8 - c))
    k.use_bool(j // d < 2 + c)
    k.use(k.maximum(i + c, d))
    k.use(j % d, j < d)
    k.use((j + c) // d, (j + c > -1) & (j + c < d))
    k.use(k.where(j < d, j // d, d // d))


def main():
    # An argument names the instances that are wanted.
    wanted = sys.argv[1:]
    for number, (function, values) in enumerate(INSTANCES):
        if wanted and function.__name__ not in wanted:
            continue
        kernel = Kernel(f"{function.__name__}_{number}")
        function(kernel, **values)
        print(kernel.text())


main()
