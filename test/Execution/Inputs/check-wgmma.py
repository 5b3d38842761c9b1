#!/usr/bin/env python3
"""Products of matrices by wgmma on the simulated GPU against a CPU.

usage: check-wgmma.py TG_RUN GENERATOR [SEED...]

The elements are small integers, so that all sums are exact and the results of both
have the same bits. Each SEED is another order of work items.
"""

import os
import random
import struct
import subprocess
import sys
import tempfile

# Options of the generator (Target/GPU/Inputs/wgmma-kernels.py): each layout of both
# factors, each width, both types, and what a group has of warpgroups, tiles and
# buffers; tiles that items copy, and that copies of boxes fill. A depth that is no multiple of that of a tile is padded with zeros.
PRODUCTS = [
    "--rows=64 --columns=64 --depth=64 --width=64",
    "--left=columns --depth=192 --width=64",
    "--right=columns --depth=192",
    "--left=columns --right=columns --columns=256 --depth=256 --warpgroups=2",
    "--columns=256 --width=256 --warpgroups=2 --buffers=2 --element=bf16",
    "--rows=64 --columns=256 --width=256 --right=columns --element=bf16 --result=bf16",
    "--depth=104 --right=columns",
    "--depth=72 --left=columns --buffers=4",
    "--left=columns --buffers=1",
    "--buffers=1 --right=columns --tiles=2 --depth=256",
    "--rows=256 --tiles=2 --warpgroups=2 --left=columns --result=f16",
    "--columns=64 --tiles=2 --width=64 --buffers=4 --depth=512",
    "--tma --rows=64 --columns=64 --depth=64 --width=64",
    "--tma --depth=192 --right=columns",
    "--tma --left=columns --right=columns --columns=256 --depth=256 --warpgroups=2",
    "--tma --columns=256 --width=256 --warpgroups=2 --buffers=2 --element=bf16",
    "--tma --rows=256 --tiles=2 --warpgroups=2 --left=columns --result=f16 --depth=512",
    "--tma --columns=64 --tiles=2 --width=64 --buffers=4 --depth=512",
]


def run(*command, **settings):
    result = subprocess.run(
        command,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stdout}")
    return result.stdout


def write(name, element, count, rng):
    """A file of the format npy."""
    header = f"{{'descr': '{'<f2' if element == 'f16' else '|V2'}', "
    header += f"'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for _ in range(count):
            number = float(rng.randint(-4, 4))
            file.write(
                struct.pack("<e", number) if element == "f16" else struct.pack("<f", number)[2:]
            )


def read(name):
    with open(name, "rb") as file:
        return file.read()


def main():
    tg_run, generator, *seeds = sys.argv[1:]
    os.chdir(tempfile.mkdtemp(dir=os.getcwd()))
    for options in PRODUCTS:
        given = dict(option[2:].partition("=")[::2] for option in options.split())
        rows, columns, depth = (int(given.get(n, 128)) for n in ("rows", "columns", "depth"))
        element = given.get("element", "f16")
        rng = random.Random(options)
        write("a.npy", element, rows * depth, rng)
        write("b.npy", element, depth * columns, rng)

        def execute(file, output, device, *more, **settings):
            text = run(sys.executable, generator, *options.split(), *more, f"--device={device}")
            with open(file, "w", encoding="utf-8") as stream:
                stream.write(text)
            inputs = ["--input=a.npy", "--input=b.npy"]
            run(tg_run, file, *inputs, f"--output={output}", f"--device={device}", **settings)
            return read(output)

        wanted = execute("cpu.mlir", "cpu.npy", "CPU", "--without-schedule")
        for seed in seeds or ["0"]:
            found = execute("sim.mlir", "sim.npy", "SIM", SIMCHIP="sm_90a", SIMSEED=seed)
            if found != wanted:
                sys.exit(f"{options}: other results than on the CPU, with the order {seed}")
    print(f"{len(PRODUCTS)} products compared")


main()
