"""Prints a graph that is one long chain, what it is chained from first.

Usage: long-chain.py KIND LENGTH
"""

import sys

F, I, B = "tensor<64xf32>", "tensor<64xi32>", "tensor<64xi1>"

# For link %i: operations without the chain, and then %v of the one before.
KINDS = {
    # Chosen by the value of an input.
    "where": (
        "%c{i} = tg.const({i}.0 : f32) : F\n%m{i} = tg.cmplt %x, %c{i} : F",
        "tg.where %m{i}, %a{i}, {v} : F",
    ),
    # Chosen by a function of the position that has no single boundary.
    "position": (
        "%c{i} = tg.const({i} : i32) : I\n%d{i} = tg.xor %p, %c{i} : I\n"
        "%m{i} = tg.cmplt %d{i}, %c{i} : I",
        "tg.where %m{i}, %a{i}, {v} : F",
    ),
    "product": (
        "%c{i} = tg.const({i}.0 : f32) : F\n%m{i} = tg.mul %a{i}, %c{i} : F",
        "tg.add {v}, %m{i} : F",
    ),
}


def main():
    first, link = KINDS[sys.argv[1]]
    length = int(sys.argv[2])
    lines = ["%p = tg.iota 0 : I"] + [first.format(i=i) for i in range(length)]
    value = "%x"
    for i in range(length):
        lines.append(f"%v{i} = " + link.format(i=i, v=value))
        value = f"%v{i}"
    text = "\n".join(lines).replace(": F", f": {F}").replace(": I", f": {I}")
    args = ", ".join(f"%{n}: {F}" for n in ["x"] + [f"a{i}" for i in range(length)])
    print(f"func.func @main({args}) -> {F} {{\n{text}\nreturn {value} : {F}\n}}")


main()
