"""Prints a product of matrices whose schedule uses wgmma, as a program of level 2.

usage: wgmma-kernels.py [OPTION...]

options, with what they are by default:
  --rows=128 --columns=128 --depth=128   sizes of the product; rows and columns are
                                         multiples of those of a block
  --width=128          columns of an operation, and of a block: 64, 128 or 256
  --warpgroups=1       warpgroups of a group, 64 rows each
  --tile-depth=0       positions of the depth in a tile; 0: as many as 128 bytes have
  --tiles=1            operations of a warpgroup one below the other
  --element=f16        the type of both factors: f16, bf16, f32 (multiplied as tf32),
                       i8, e4m3 or e5m2; of the last two, @main takes f16 and narrows it
  --result=f32         the type of the result: f32 or that of the factors, f16 or bf16;
                       i32 if these are i8
  --left=rows --right=rows  how both factors are in memory: rows or columns; other
                       types than f16 and bf16 have to be along the depth
  --buffers=3          memory for so many tiles, which are filled ahead; 1: one
  --tma                copies of boxes fill the tiles
  --by-warpgroup       with --tma: a further warpgroup begins them
  --across-blocks      with --by-warpgroup: groups compute several blocks each
  --store              with --tma: the result is stored as boxes
  --band=0             rows of blocks that groups go through at once
  --device=SIM         where the program runs
  --without-schedule   the same kernel without steps
  --alone              without @main
"""

import sys


# The bytes of an element, its name in operations and in MLIR.
ELEMENTS = {
    "f16": (2, "f16", "f16"),
    "bf16": (2, "bf16", "bf16"),
    "f32": (4, "tf32", "f32"),
    "i8": (1, "i8", "i8"),
    "e4m3": (1, "e4m3", "f8E4M3FN"),
    "e5m2": (1, "e5m2", "f8E5M2"),
}


class Steps:
    """The steps of a schedule, and the next number of a range."""

    def __init__(self):
        self.steps, self.number = [], 3

    def add(self, text):
        self.steps.append(f"#tg.step<{text}>")

    def new(self):
        self.number += 1
        return self.number - 1

    def split(self, of, by):
        outer, inner = self.new(), self.new()
        self.add(f"split [{of}] by {by} into [{outer}, {inner}]")
        return outer, inner

    def kind(self, of, kind):
        self.add(f"set_kind [{of}] as {kind}")

    def stage(self, value, over, side):
        """A tile is the group's because of a local range."""
        self.kind(side, "local")
        own = [self.new() for _ in over]
        listed = ", ".join(map(str, over))
        self.add(f"stage {value} [{listed}] into [{', '.join(map(str, own))}]")
        self.kind(side, "loop")
        self.kind(own[over.index(side)], "loop")
        return own


def get_steps(o):
    """Blocks of 64 rows or columns have ranges of their own if there are several."""
    s = Steps()
    size, name, _ = ELEMENTS[o["element"]]
    deep = 32 // size  # the depth of an operation
    rows, columns = 64 * o["warpgroups"] * o["tiles"], o["width"]
    grid_rows, row = s.split(0, rows)
    grid_columns, column = s.split(1, columns)
    depth = s.split(2, o["tile-depth"] or 128 // size)[1]
    row_blocks = column_blocks = None
    if rows > 64:
        row_blocks, row = s.split(row, 64)
    if columns > 64:
        column_blocks, column = s.split(column, 64)

    def stage(value, blocks, side, along_depth):
        over = [side, depth] if along_depth else [depth, side]
        own = s.stage(value, ([] if blocks is None else [blocks]) + over, side)
        return ([None] if blocks is None else []) + own

    left = stage("load 0", row_blocks, row, o["left"] == "rows")
    right = stage("load 2", column_blocks, column, o["right"] == "columns")

    # Each warpgroup has the rows of its tiles.
    if row_blocks is not None:
        if o["warpgroups"] > 1 and o["tiles"] > 1:
            row_blocks, tiles = s.split(row_blocks, o["tiles"])
            s.kind(tiles, "unroll")
        s.kind(row_blocks, "local" if o["warpgroups"] > 1 else "unroll")
    subgroups, row = s.split(row, 16)
    s.kind(subgroups, "local")
    halves, row = s.split(row, 8)
    s.kind(halves, "unroll")
    s.kind(row, "local")
    if column_blocks is not None:
        s.kind(column_blocks, "unroll")
    matrices, column = s.split(column, 8)
    s.kind(matrices, "unroll")
    lanes, column = s.split(column, 2)
    s.kind(lanes, "local")
    s.kind(column, "upcast")
    products = s.split(depth, deep)[0]
    s.kind(products, "unroll")
    s.add(f"contract ranged_reduce 0 on wgmma_m64n{o['width']}k{deep}_{name}")

    # Items copy 16 bytes of 128 at once, 16 of 64 rows: 4 times.
    def fill(blocks, row, piece, count):
        if blocks is not None:
            if o["warpgroups"] > 1 and count % o["warpgroups"] == 0:
                if count > o["warpgroups"]:
                    blocks, rest = s.split(blocks, count // o["warpgroups"])
                    s.kind(rest, "unroll")
                s.kind(blocks, "local")
            else:
                s.kind(blocks, "unroll")
        piece, lanes = s.split(piece, 16 // size)
        s.kind(piece, "local")
        s.kind(lanes, "upcast")
        row, inner = s.split(row, 4)
        s.kind(inner, "local")
        outer, inner = s.split(row, 4)
        s.kind(inner, "local")
        s.kind(outer, "unroll")

    if not o["tma"]:
        fill(*left, rows // 64)
        fill(*right, columns // 64)
    if o["buffers"] > 1:
        by = str(o["buffers"]) + (" as tma" if o["tma"] else "")
        by += " by warpgroup" if o["by-warpgroup"] else ""
        by += " across blocks" if o["across-blocks"] else ""
        s.add(f"buffer stage 0 by {by}")
        s.add(f"buffer stage 1 by {by}")
    if o["band"]:
        s.kind(grid_columns, "global")
        s.kind(grid_rows, f"global by {o['band']}")
    else:
        s.kind(grid_rows, "global")
        s.kind(grid_columns, "global")
    if o["store"]:
        s.add("buffer store 0 by 1 as tma")
    return s.steps


def get_text(o):
    m, n, k = o["rows"], o["columns"], o["depth"]
    element, result, device = ELEMENTS[o["element"]][2], o["result"], o["device"]
    if element == "i8":
        result = "i32"
    a, b, c = (
        f"memref<{size}x{kind}>"
        for size, kind in ((m * k, element), (k * n, element), (m * n, result))
    )
    schedule = ""
    if not o["without-schedule"]:
        schedule = ", schedule = [\n    " + ",\n    ".join(get_steps(o)) + "]"

    def place(row, column, rows, columns, stored):
        if stored == "columns":
            row, column, columns = column, row, rows
        return row, columns, column

    def index(name, row, size, column):
        return (
            f"  %{name}s = tg.const({size} : index) : index\n"
            f"  %{name}r = tg.mul %{row}, %{name}s : index\n"
            f"  %{name}i = tg.add %{name}r, %{column} : index\n"
        )

    if result != element:
        product = (
            f"  %xc = tg.cast %x : {element} -> {result}\n"
            f"  %yc = tg.cast %y : {element} -> {result}\n"
            f"  %p = tg.mul %xc, %yc : {result}\n"
        )
    else:
        product = f"  %p = tg.mul %x, %y : {element}\n"
    # A type that files of arrays do not have.
    given, narrow, launches = {"a": a, "b": b}, "", ""
    if element.startswith("f8"):
        for which, size in (("a", m * k), ("b", k * n)):
            wide, own = f"memref<{size}xf16>", given[which]
            given[which] = wide
            narrow += (
                f"tg.kernel @narrow_{which}(%out: {own}, %x: {wide}) attributes "
                "{outputs = 1 : i64} {\n"
                f"  %i = tg.range 0 loop {size}\n"
                f"  %v = tg.load %x[%i] : {wide}\n"
                f"  %n = tg.cast %v : f16 -> {element}\n"
                f"  tg.store %n, %out[%i] : {own}\n"
                "}\n"
            )
            launches += (
                f'  %{which} = tg.alloc on "{device}" : {own}\n'
                f"  tg.launch @narrow_{which}(%{which}, %{which}w) : {own}, {wide}\n"
            )
    wide = "w" if narrow else ""
    main = (
        f"func.func @main(%a{wide}: {given['a']}, %b{wide}: {given['b']}) -> {c} {{\n"
        + launches
        + f'  %out = tg.alloc on "{device}" : {c}\n'
        f"  tg.launch @product(%out, %a, %b) : {c}, {a}, {b}\n"
        f"  return %out : {c}\n"
        "}\n"
    )
    return (
        f"tg.kernel @product(%out: {c}, %a: {a} {{tg.alignment = 16 : i64}}, "
        f"%b: {b} {{tg.alignment = 16 : i64}}) attributes {{outputs = 1 : i64"
        f"{schedule}}} {{\n"
        f"  %i = tg.range 0 loop {m}\n"
        f"  %j = tg.range 1 loop {n}\n"
        f"  %k = tg.range 2 loop {k}\n"
        + index("a", *place("i", "k", m, k, o["left"]))
        + f"  %x = tg.load %a[%ai] : {a}\n"
        + index("b", *place("k", "j", k, n, o["right"]))
        + f"  %y = tg.load %b[%bi] : {b}\n"
        + product
        + f"  %s = tg.ranged_reduce add %p over %k : {result}\n"
        + index("c", "i", n, "j")
        + f"  tg.store %s, %out[%ci] : {c}\n"
        "}\n" + ("" if o["alone"] else narrow + main)
    )


def parse(arguments):
    o = {
        "device": "SIM",
        "rows": 128,
        "columns": 128,
        "depth": 128,
        "width": 128,
        "warpgroups": 1,
        "tile-depth": 0,
        "tiles": 1,
        "element": "f16",
        "result": "f32",
        "left": "rows",
        "right": "rows",
        "buffers": 3,
        "band": 0,
        "tma": False,
        "by-warpgroup": False,
        "across-blocks": False,
        "store": False,
        "without-schedule": False,
        "alone": False,
    }
    for argument in arguments:
        name, _, value = argument.removeprefix("--").partition("=")
        if name not in o:
            sys.exit(f"there is no option --{name}")
        if isinstance(o[name], bool):
            o[name] = True
        else:
            o[name] = type(o[name])(value)
    return o


if __name__ == "__main__":
    print(get_text(parse(sys.argv[1:])))
