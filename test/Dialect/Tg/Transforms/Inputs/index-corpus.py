"""Writes the corpus of index expressions: one kernel for each.

Usage: index-corpus.py > index-corpus.mlir

The expressions are those of views that real programs build: convolutions,
pooling, rolling, rearranging, attention, padding, also with sizes that are
variables and with ranges that were split for vectors.
"""

from index_kernels import Kernel
from index_views import Position, Size, View, kernel_of

KERNELS = []


def add(name, view, splits=(None,)):
    for split in splits:
        suffix = f"_split{split}" if split else ""
        KERNELS.append(kernel_of(f"{name}{suffix}", view, split))


def convolutions():
    for size in (8, 14):
        for kernel in (1, 3, 5):
            for stride in (1, 2):
                for dilation in (1, 2):
                    if dilation * (kernel - 1) >= size or (kernel == 1 and dilation > 1):
                        continue
                    for pad in {0, kernel // 2}:
                        image = View(3, size, size).pad((0, 0), (pad, pad), (pad, pad))
                        view = image.windows2d(kernel, stride, dilation)
                        name = f"conv_{size}_k{kernel}_s{stride}_d{dilation}_p{pad}"
                        add(name, view)
    # The matrix that a convolution is the product of, and what comes back.
    columns = View(4, 9, 9).windows2d(3).permute(1, 3, 0, 2, 4)
    add("im2col", columns.reshape(7 * 7, 4 * 9))
    add("im2col_transposed", columns.reshape(7 * 7, 4 * 9).transpose(), (None, 7))
    for stride in (2, 3):
        spread = View(2, 5, 6).spread(stride)
        add(f"conv_transpose_s{stride}", spread)
        full = spread.transpose().spread(stride).transpose()
        h, w = full.shape[1:]
        add(f"conv_transpose2d_s{stride}", full.pad((0, 0), (2, 2), (2, 2)).windows2d(3))


def pooling():
    for size in (12, 16):
        for kernel in (2, 3):
            for stride in (1, 2, 3):
                view = View(4, size, size).windows2d(kernel, stride)
                add(f"pool_{size}_k{kernel}_s{stride}", view)
        add(f"pool_whole_{size}", View(3, size, size).windows2d(size))
        add(f"pool_padded_{size}", View(3, size).pad((0, 0), (1, 1)).windows(3, 2))
    for length in (10, 33):
        for kernel in (3, 4):
            add(f"pool1d_{length}_k{kernel}", View(length).windows(kernel))
            add(f"pool1d_{length}_k{kernel}_d2", View(length).windows(kernel, 1, 2))


def rolls():
    for size in (7, 16):
        for shift in (1, -3, 5):
            add(f"roll_{size}_{shift % size}", View(4, size).roll(shift))
            twice = View(4, size).roll(shift).transpose().roll(shift)
            add(f"roll2d_{size}_{shift % size}", twice)
            again = View(size).roll(shift).roll(size - shift)
            add(f"roll_back_{size}_{shift % size}", again)


def rearrangements():
    for p in (2, 4):
        image = View(3, 16, 8)
        patches = image.reshape(3, 16 // p, p, 8 // p, p).permute(1, 3, 0, 2, 4)
        add(f"patches_{p}", patches.reshape(16 // p * (8 // p), 3 * p * p), (None, 4))
        back = View(16 // p * (8 // p), 3 * p * p)
        back = back.reshape(16 // p, 8 // p, 3, p, p).permute(2, 0, 3, 1, 4)
        add(f"unpatch_{p}", back.reshape(3, 16, 8), (None, 4))
        shuffle = View(4 * p * p, 6, 6).reshape(4, p, p, 6, 6).permute(0, 3, 1, 4, 2)
        add(f"pixel_shuffle_{p}", shuffle.reshape(4, 6 * p, 6 * p))
        unshuffle = View(4, 6 * p, 6 * p).reshape(4, 6, p, 6, p).permute(0, 2, 4, 1, 3)
        add(f"pixel_unshuffle_{p}", unshuffle.reshape(4 * p * p, 6, 6))
        add(f"channels_last_{p}", View(p * 4, 5, 7).permute(1, 2, 0).reshape(35, p * 4))
        add(f"upsample_{p}", View(5, 6).reshape(5, 1, 6, 1).expand(5, p, 6, p).reshape(5 * p, 6 * p))
        add(f"flat_{p}", View(p, 3, 5).reshape(p * 15).reshape(5, 3 * p).reshape(15, p))
    add("interleave", View(2, 3, 8).permute(1, 2, 0).reshape(3, 16), (None, 4))
    add("deinterleave", View(3, 16).reshape(3, 8, 2).permute(2, 0, 1).reshape(6, 8))
    add("channel_shuffle", View(12, 5).reshape(3, 4, 5).permute(1, 0, 2).reshape(12, 5))
    add("merge_split", View(4, 6).reshape(24).reshape(2, 12).reshape(8, 3))
    for a, b in ((6, 4), (9, 6), (10, 15)):
        add(f"regroup_{a}_{b}", View(a, b).reshape(b, a).transpose().reshape(a * b))
    for n in (4, 7):
        add(f"diagonal_{n}", View(n, n).diagonal())
        add(f"antidiagonal_{n}", View(n, n).flip(1).diagonal())
        eye = View(n).reshape(n, 1).pad((0, 0), (0, n)).reshape(n * (n + 1))
        add(f"eye_{n}", eye.shrink((0, n * n)).reshape(n, n))


def paddings():
    for rows, cols in ((4, 6), (5, 3)):
        x = View(rows, cols)
        name = f"{rows}x{cols}"
        add(f"pad_of_pad_{name}", x.pad((1, 1), (0, 2)).pad((0, 2), (3, 0)))
        shrunk = x.pad((2, 2), (1, 1)).shrink((1, rows + 3), (2, cols + 2))
        add(f"pad_then_shrink_{name}", shrunk)
        padded = x.transpose().pad((1, 1), (2, 2))
        flat = padded.reshape((cols + 2) * (rows + 4))
        add(f"transposed_padded_{name}", flat, (None, 2))
        add(f"transposed_padded_pairs_{name}", flat.reshape((cols + 2) * (rows + 4) // 2, 2) if rows % 2 == 0 else flat)
        inner = x.pad((0, 0), (0, 8 - cols)).reshape(rows * 8)
        add(f"row_padded_{name}", inner, (None, 4))
        add(f"row_padded_cut_{name}", inner.shrink((3, rows * 8 - 5)))
        add(f"padded_twice_{name}", inner.pad((4, 4)).reshape(rows + 1, 8))
        add(f"flip_of_pad_{name}", x.pad((1, 2), (3, 1)).flip(0, 1))
        add(f"pad_of_flip_{name}", x.flip(0, 1).pad((1, 2), (3, 1)))
        whole = x.pad((0, 8 - rows), (0, 8 - cols)).reshape(4, 2, 4, 2)
        add(f"blocks_{name}", whole.permute(0, 2, 1, 3).reshape(16, 4))
        add(f"padded_windows_{name}", x.pad((1, 1), (1, 1)).windows2d(3).reshape(rows, 3, cols * 3))


def attention():
    for heads, width in ((2, 8), (4, 16)):
        for tokens in (6, 10):
            name = f"h{heads}_d{width}_t{tokens}"
            x = View(2, tokens, heads * width).reshape(2, tokens, heads, width)
            split = x.permute(0, 2, 1, 3)
            add(f"heads_{name}", split.reshape(2 * heads, tokens, width), (None, 4))
            add(f"keys_{name}", split.permute(0, 1, 3, 2).reshape(2 * heads, width, tokens))
            merged = View(2, heads, tokens, width).permute(0, 2, 1, 3)
            add(f"merge_heads_{name}", merged.reshape(2 * tokens, heads * width), (None, 4))
            qkv = View(tokens, 3 * heads * width).reshape(tokens, 3, heads, width)
            for which in (0, 2):
                part = qkv.shrink((0, tokens), (which, which + 1), (0, heads), (0, width))
                add(f"qkv{which}_{name}", part.reshape(tokens, heads, width).permute(1, 0, 2))
            half = View(tokens, width).reshape(tokens, 2, width // 2).flip(1)
            add(f"rotate_half_{name}", half.reshape(tokens, width))
        # Relative positions: each row one further to the left.
        n = heads * 2
        skew = View(n, 2 * n - 1).pad((0, 0), (0, 1)).reshape(n * 2 * n)
        skew = skew.shrink((n - 1, n * 2 * n - n - 1)) if n * 2 * n - 2 * n == n * (2 * n - 2) else skew
        add(f"relative_{n}", skew.shrink((0, n * (n - 1))).reshape(n, n - 1))


def mask(name, extents, build):
    """A condition on positions as graphs write it, in 32 bits."""
    kernel = Kernel(name)
    ranges = [kernel.range(Size.of(extent).text()) for extent in extents]
    kernel.use_bool(build(kernel, *ranges))
    KERNELS.append(kernel)


def attention_masks():
    for t in (4, 9):
        mask(f"causal_{t}", (t, t), lambda k, i, j: ~(i.cast("i32") < j.cast("i32")))
        mask(f"causal_offset_{t}", (t, 2 * t), lambda k, i, j: ~(i.cast("i32") + t < j.cast("i32")))
        mask(f"strictly_causal_{t}", (t, t), lambda k, i, j: j.cast("i32") < i.cast("i32"))
        mask(f"always_{t}", (t, t), lambda k, i, j: j.cast("i32") - t < i.cast("i32"))

        def window(k, i, j):
            a, b = i.cast("i32"), j.cast("i32")
            return ~(a < b) & (a - b < 3)

        mask(f"window_{t}", (t, t), window)

        def window_flat(k, i):
            return window(k, i // t, i % t)

        mask(f"window_flat_{t}", (t * t,), window_flat)
        mask(f"same_segment_{t}", (t * 4, t * 4), lambda k, i, j: (i // 4).equals(j // 4))
        mask(f"blocks_{t}", (t, 4, t, 4), lambda k, i, a, j, b: ~((i * 4 + a) // 4 < (j * 4 + b) // 4))
        mask(f"scaled_{t}", (t, 4, t, 4), lambda k, i, a, j, b: i * 4 + a < j * 4)


def symbolic():
    n, m = Size.var("n", 1, 8), Size.var("m", 2, 6)
    add("sym_rows", View(n, 4).reshape(n * 4))
    add("sym_split", View(n * 4).reshape(n, 4))
    add("sym_columns", View(4, n).reshape(n * 4))
    add("sym_columns_back", View(n * 4).reshape(4, n))
    add("sym_transposed", View(4, n).transpose().reshape(n * 4))
    add("sym_heads", View(n, 2 * 4).reshape(n, 2, 4).permute(1, 0, 2))
    add("sym_heads_flat", View(n, 2 * 4).reshape(n, 2, 4).permute(1, 0, 2).reshape(2, n * 4))
    add("sym_keys", View(n, 2 * 4).reshape(n, 2, 4).permute(1, 2, 0).reshape(8, n))
    add("sym_merge", View(2, n, 4).permute(1, 0, 2).reshape(n * 8))
    add("sym_two", View(n, m).reshape(n * m))
    add("sym_two_back", View(n * m).reshape(n, m))
    add("sym_two_turned", View(n, m).transpose().reshape(n * m))
    add("sym_three", View(n, m, 3).permute(1, 0, 2).reshape(m, n * 3))
    add("sym_regroup", View(n, 6).reshape(n * 6).reshape(n * 2, 3))
    add("sym_regroup_rows", View(n, 6).reshape(2 * n, 3).transpose())
    add("sym_pad", View(n).pad((2, 3)))
    add("sym_pad_rows", View(n, 3).pad((0, 0), (1, 1)).reshape(n * 5))
    add("sym_pad_of_pad", View(n).pad((1, 2)).pad((0, m)))
    add("sym_pad_by", View(3, 5).pad((n, 0), (0, m)))
    add("sym_pad_shrink", View(n + 2).pad((2, 2)).shrink((1, n + 4)))
    add("sym_flip", View(n, 4).flip(0, 1).reshape(n * 4))
    add("sym_slice", View(n + 4, 3).shrink((2, n + 3), (0, 3)).reshape(n * 3 + 3))
    add("sym_repeat", View(n).repeat_last(3))
    add("sym_repeat_rows", View(3, n).repeat_last(2).reshape(n * 6))
    add("sym_expand", View(n, 1).expand(n, 4).reshape(n * 4))
    add("sym_upsample", View(3, n).reshape(3, n, 1).expand(3, n, 2).reshape(n * 6))
    add("sym_blocks", View(n * 2, m * 2).reshape(n, 2, m, 2).permute(0, 2, 1, 3).reshape(n * m, 4))
    mask("sym_causal", (n, n), lambda k, i, j: ~(i.cast("i32") < j.cast("i32")))
    mask("sym_length", (8, n), lambda k, i, j: j < k.dim(n.text()))
    mask("sym_length_outer", (8, n), lambda k, i, j: (i < k.dim(n.text())) & (i < 8))
    mask("sym_cache", (n, m), lambda k, i, j: ~(i < j) & (j < k.dim((n + m).text())))
    mask("sym_rows_of", (n, 4), lambda k, i, j: i * 4 + j < k.dim((n * 4).text()))

    # A row of a table by a number from memory, which may be outside of it.
    for rows in (10, 100):
        kernel = Kernel(f"gather_{rows}")
        column, row = kernel.range(6), kernel.loaded()
        inside = (kernel.const(-1) < row) & (row < rows)
        safe = kernel.where(inside, row, 0)
        view = View(rows * 3, 2).reshape(rows, 6)
        view.read(Position(kernel, [safe, column]))
        KERNELS.append(kernel)


def main():
    for family in (
        convolutions,
        pooling,
        rolls,
        rearrangements,
        paddings,
        attention,
        attention_masks,
        symbolic,
    ):
        family()
    for kernel in KERNELS:
        print(kernel.text())


main()
