#!/usr/bin/env python3
"""Products of matrices by wgmma on the simulated GPU against a CPU.

usage: check-wgmma.py [--every=N] TG_RUN TG_OPT GENERATOR [SEED...]

The elements are small integers, so that all sums are exact and the results of both
have the same bits. Each SEED is another order of work items. With --every, only one
of N products is tried. Kernels that copy boxes
are also run as those for GPUs that refuse to, whose items fill the tiles. Others have
the schedules of the heuristics.
"""

import os
import random
import re
import struct
import subprocess
import sys
import tempfile

# Options of the generator (Target/GPU/Inputs/wgmma-kernels.py): each layout of both
# factors, each width and type, and what a group has of warpgroups, tiles and
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
    "--tma --depth=104 --right=columns",
    "--tma --depth=72 --left=columns --buffers=4",
    "--tma --depth=328 --warpgroups=2 --columns=256",
    "--store --tma --rows=64 --columns=64 --width=64 --depth=512 --result=f16",
    "--store --tma --columns=256 --width=256 --warpgroups=2 --buffers=4 --element=bf16 --result=bf16",
    "--store --tma --rows=512 --tiles=2 --warpgroups=2 --left=columns --result=f16 --depth=192",
    "--store --tma --depth=328 --warpgroups=2 --columns=256 --result=f16",
    # A further warpgroup copies: one position, fewer than buffers, as many, and more.
    "--by-warpgroup --tma --rows=64 --columns=64 --depth=64 --width=64",
    "--by-warpgroup --tma --depth=192 --right=columns --buffers=4",
    "--by-warpgroup --tma --depth=256 --left=columns --buffers=4",
    "--by-warpgroup --tma --columns=256 --width=256 --warpgroups=2 --buffers=4 --depth=704 --element=bf16",
    "--by-warpgroup --tma --rows=192 --warpgroups=3 --columns=64 --width=64 --depth=512 --buffers=2",
    "--by-warpgroup --tma --depth=328 --warpgroups=2 --columns=256 --left=columns",
    "--by-warpgroup --store --tma --rows=64 --columns=64 --width=64 --depth=512 --result=f16",
    "--by-warpgroup --store --tma --columns=256 --width=256 --warpgroups=2 --buffers=4 --element=bf16 --result=bf16 --depth=320",
    "--by-warpgroup --store --tma --rows=512 --tiles=2 --warpgroups=2 --left=columns --result=f16 --depth=192",
    "--by-warpgroup --tma --element=f32 --right=columns --depth=264 --columns=256 --width=256 --warpgroups=2",
    "--by-warpgroup --tma --element=e4m3 --right=columns --depth=656 --columns=64 --width=64",
    "--by-warpgroup --tma --element=e5m2 --right=columns --depth=256 --columns=256 --width=256",
    "--by-warpgroup --tma --element=i8 --right=columns --depth=784 --warpgroups=2 --columns=256 --buffers=2",
    # Groups that compute several blocks: phases go on, of any number of positions.
    "--by-warpgroup --across-blocks --store --tma --rows=320 --columns=192 --width=64 --depth=256 --band=2 --result=f16",
    "--by-warpgroup --across-blocks --tma --rows=320 --columns=192 --width=64 --depth=320",
    "--by-warpgroup --across-blocks --store --tma --rows=768 --columns=256 --width=128 --warpgroups=2 --depth=320 --result=f16",
    "--by-warpgroup --across-blocks --store --tma --rows=320 --columns=192 --width=64 --depth=64 --result=f16 --buffers=4",
    # Groups in bands: without and with fewer rows in the last one, and all in one.
    "--by-warpgroup --store --tma --rows=256 --columns=192 --width=64 --band=2 --result=f16",
    "--tma --rows=320 --columns=192 --width=64 --band=2 --depth=192",
    "--rows=192 --columns=256 --width=64 --band=3",
    "--element=f32 --right=columns --depth=96",
    "--element=f32 --right=columns --buffers=1 --columns=64 --width=64 --depth=40",
    "--tma --element=f32 --right=columns --depth=104 --columns=256 --width=256 --warpgroups=2",
    "--element=e4m3 --right=columns --depth=256 --columns=256 --width=256",
    "--tma --element=e4m3 --right=columns --depth=400 --columns=64 --width=64",
    "--element=e5m2 --right=columns --depth=272 --tiles=2",
    "--tma --element=e5m2 --right=columns --depth=256 --columns=256 --width=256",
    "--element=i8 --right=columns --depth=384 --columns=64 --width=64 --buffers=1",
    "--element=i8 --right=columns --depth=256 --columns=256 --width=256 --buffers=2",
    "--tma --element=i8 --right=columns --depth=272 --warpgroups=2 --columns=256",
]

# Without steps: heuristics choose wgmma where a device is small enough for so few
# results, and the operation of this name.
CHOSEN = {
    "--columns=256 --depth=328": "wgmma_m64n256k16_f16",
    "--columns=256 --depth=256 --left=columns --right=columns --element=bf16 --result=bf16": "wgmma_m64n256k16_bf16",
    "--rows=256 --depth=192 --right=columns": "wgmma_m64n128k16_f16",
    "--rows=128 --depth=136 --left=columns": "wgmma_m64n128k16_f16",
    "--columns=256 --depth=400 --right=columns --element=i8": "wgmma_m64n256k32_i8",
    "--columns=256 --depth=64 --right=columns --result=f16": "wgmma_m64n256k16_f16",
    "--rows=512 --columns=64 --depth=320 --result=f16": "wgmma_m64n64k16_f16",
    "--columns=192 --depth=128 --left=columns": "wgmma_m64n64k16_f16",
}


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
    kind, code = {
        "bf16": ("|V2", "<f"),
        "f32": ("<f4", "<f"),
        "i8": ("|i1", "<b"),
    }.get(element, ("<f2", "<e"))
    header = f"{{'descr': '{kind}', "
    header += f"'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for _ in range(count):
            number = struct.pack(code, rng.randint(-4, 4))
            file.write(number[2:] if element == "bf16" else number)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def main():
    step = 1
    if sys.argv[1].startswith("--every="):
        step = int(sys.argv.pop(1).partition("=")[2])
    tg_run, tg_opt, generator, *seeds = sys.argv[1:]
    products = [*PRODUCTS, *CHOSEN][::step]
    os.chdir(tempfile.mkdtemp(dir=os.getcwd()))
    without = chosen = 0
    for options in products:
        given = dict(option[2:].partition("=")[::2] for option in options.split())
        rows, columns, depth = (int(given.get(n, 128)) for n in ("rows", "columns", "depth"))
        element = given.get("element", "f16")
        rng = random.Random(options)
        write("a.npy", element, rows * depth, rng)
        write("b.npy", element, depth * columns, rng)

        def transform(text, *passes):
            with open("given.mlir", "w", encoding="utf-8") as stream:
                stream.write(text)
            return run(tg_opt, "given.mlir", *passes)

        def execute(file, output, device, *more, passes=(), unit="", **settings):
            text = run(sys.executable, generator, *options.split(), *more, f"--device={device}")
            if passes:
                text = transform(text, passes[0])
                # As few compute units as a test has results for.
                text = re.sub(r"parallel_items = \d+", "parallel_items = 2", text)
                text = transform(text, *passes[1:])
            if unit not in text:
                sys.exit(f"{options}: the schedule has no {unit}\n{text}")
            with open(file, "w", encoding="utf-8") as stream:
                stream.write(text)
            inputs = ["--input=a.npy", "--input=b.npy"]
            run(tg_run, file, *inputs, f"--output={output}", f"--device={device}", **settings)
            return read(output)

        wanted = execute("cpu.mlir", "cpu.npy", "CPU", "--without-schedule")
        # Fewer compute units than blocks of results.
        chip = "sm_90a,units=2" if "--across-blocks" in options else "sm_90a"
        simulated = {"SIMCHIP": chip, "ALLOW_TF32": "1"}
        passes = [f"--tg-attach-target=target=sim:{chip}:tf32", "--tg-optimize-kernels"]
        more = ()
        if options in CHOSEN:
            simulated |= {"passes": passes, "unit": CHOSEN[options]}
            more = ["--without-schedule"]
            chosen += 1
        for seed in seeds or ["0"]:
            found = execute("sim.mlir", "sim.npy", "SIM", *more, **simulated, SIMSEED=seed)
            if found != wanted:
                sys.exit(f"{options}: other results than on the CPU, with the order {seed}")
        if "--tma" in options or options in CHOSEN:
            simulated["passes"] = [*passes, "--tg-fill-without-boxes"]
            found = execute("items.mlir", "sim.npy", "SIM", *more, **simulated)
            if found != wanted:
                sys.exit(f"{options}: other results where items fill the tiles")
            without += 1
    print(
        f"{len(products)} products compared, {without} of them without copies of "
        f"boxes, {chosen} with schedules of heuristics"
    )


main()
