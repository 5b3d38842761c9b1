#!/usr/bin/env python3
"""Products of f32 matrices on the simulated GPU, with and without tf32.

usage: check-tf32.py TG_RUN CHIP...

With ALLOW_TF32=1, factors may be off by 2^-11 of them: a result by the sum of
the magnitudes of all products times 2^-10 + 2^-22, and what adding up in f32
loses. Some result of each product must be off by more than f32 can be.
"""

import os
import random
import struct
import subprocess
import sys
import tempfile

# Rows, columns, depth; whether the right factor is stored transposed.
PRODUCTS = [(32, 32, 32, False), (33, 47, 65, True), (70, 40, 24, False), (40, 70, 100, False)]


def to_f32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def write(name, rows):
    """A file of the format npy."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in rows:
            file.write(struct.pack(f"<{len(row)}f", *row))


def read(name, rows, columns):
    with open(name, "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<H", data, 8)
    numbers = struct.unpack_from(f"<{rows * columns}f", data, 10 + length)
    return [numbers[i * columns : (i + 1) * columns] for i in range(rows)]


def get_text(rows, columns, depth, is_turned):
    whole, right = f"tensor<{rows}x{depth}x{columns}xf32>", f"tensor<{depth}x{columns}xf32>"
    stored = f"tensor<{columns}x{depth}xf32>" if is_turned else right
    turn = f"%y = tg.permute %b [1, 0] : {stored} -> {right}" if is_turned else ""
    return f"""func.func @main(%a: tensor<{rows}x{depth}xf32>, %b: {stored}) -> tensor<{rows}x{columns}xf32> {{
  {turn}
  %av = tg.reshape %a : tensor<{rows}x{depth}xf32> -> tensor<{rows}x{depth}x1xf32>
  %bv = tg.reshape {"%y" if is_turned else "%b"} : {right} -> tensor<1x{depth}x{columns}xf32>
  %ae = tg.expand %av : tensor<{rows}x{depth}x1xf32> -> {whole}
  %be = tg.expand %bv : tensor<1x{depth}x{columns}xf32> -> {whole}
  %p = tg.mul %ae, %be : {whole}
  %s = tg.reduce add %p axes [1] : {whole} -> tensor<{rows}x1x{columns}xf32>
  %r = tg.reshape %s : tensor<{rows}x1x{columns}xf32> -> tensor<{rows}x{columns}xf32>
  return %r : tensor<{rows}x{columns}xf32>
}}
"""


def main():
    tool, *chips = sys.argv[1:]
    for product in PRODUCTS:
        rows, columns, depth, is_turned = product
        rng = random.Random(str(product))
        left, right = (
            [[to_f32(rng.uniform(-2, 2)) for _ in range(depth)] for _ in range(n)]
            for n in (rows, columns)
        )
        for chip in chips:
            with tempfile.TemporaryDirectory() as folder:
                a, b, c, text = (os.path.join(folder, name) for name in ("a", "b", "c", "text"))
                write(a, left)
                write(b, right if is_turned else list(zip(*right)))
                with open(text, "w") as file:
                    file.write(get_text(*product))

                def run(allowed):
                    """The largest error of the products, in parts of their magnitude."""
                    env = dict(os.environ, SIMCHIP=chip, ALLOW_TF32=allowed)
                    command = [tool, text, f"--input={a}", f"--input={b}", f"--output={c}"]
                    done = subprocess.run(
                        [*command, "--device=SIM"], env=env, capture_output=True, text=True
                    )
                    if done.returncode != 0:
                        print(f"error: {chip} {product}: {done.stderr}")
                        return 0.0
                    errors = []
                    for x, found in zip(left, read(c, rows, columns)):
                        for y, value in zip(right, found):
                            terms = [p * q for p, q in zip(x, y)]
                            errors.append(abs(value - sum(terms)) / sum(map(abs, terms)))
                    return max(errors)

                # The second run must not use the first one's kernels, nor the
                # third the second's.
                rounding = (depth + 1) * 2.0**-24
                rounded, exact, again = run("1"), run("0"), run("1")
                if not rounding < rounded <= 2.0**-10 + 2.0**-22 + rounding:
                    print(f"{chip} {product}: error {rounded} is not what is expected of tf32")
                if exact > rounding:
                    print(f"{chip} {product}: error {exact} is not what is expected of f32")
                if again != rounded:
                    print(f"{chip} {product}: expected {rounded} again, not {again}")
    print(f"{len(PRODUCTS)} products on {len(chips)} chips compared")


main()
