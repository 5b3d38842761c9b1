#!/usr/bin/env python3
"""Feeds mutated inputs to the tools of a built tree and reports how they end.

An input may be rejected, with a message, but nothing may crash, hang, fail an
assertion or be reported by a sanitizer. The build should therefore be that of
the preset sanitize.

  scripts/attack.py build-sanitize                   a few minutes
  scripts/attack.py build-sanitize --scale 100       hours
  scripts/attack.py build-sanitize --kind mlir --seed 7
  scripts/attack.py build-sanitize --replay FILE.cmd  one finding again

Inputs are made from a seed: the same seed gives the same inputs. Kinds:

  mlir      .mlir text, through each pass, the pipelines and to object code
  npy       .npy files, as arguments of tg-run
  idx       IDX files, as data of fashion-centroids
  cache     files of the disk cache
  settings  values of environment variables

The corpus is the lit suite's .mlir files. What went wrong is kept in a folder,
once per kind of failure, with a .cmd file that says how to run it.
"""

import argparse
import os
import random
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# How many inputs a run of --scale 1 makes; those of mlir share processes.
INPUTS = {"mlir": 4000, "npy": 200, "idx": 60, "cache": 120, "settings": 150}
SETTINGS = (
    "DEV DEBUG NOOPT FTZ SPEC FALLBACK LRU CACHELEVEL CACHEDIR CACHESIZE THREADS PROFILE PROGRAMS "
    "KERNELS SIMSEED SIMCOUNT".split()
)
SEPARATOR = "\n// -----\n"
MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"
BATCH = 40
PASSES = (
    "canonicalize",
    "cse",
    "tg-require-level{level=2}",
    "tg-require-functions",
    "tg-autodiff",
    "tg-autodiff,tg-schedule-pipeline",
    "tg-linearize",
    "inline,tg-outline",
    "tg-drop-sizes,tg-name-sizes",
    "func.func(tg-resolve-assigns)",
    "func.func(tg-compose-views)",
    "func.func(tg-join-sums)",
    "func.func(tg-merge-reduces)",
    "func.func(tg-scatter-sums)",
    "func.func(tg-pack-weights)",
    "func.func(tg-split-reduce)",
    "convert-tg-to-linalg",
    "convert-linalg-to-tg",
    "convert-tg-to-linalg,convert-linalg-to-tg",
    "tg-schedule",
    "tg-fuse-kernels",
    "tg-stage-copies",
    "tg-stage-copies{tile-bytes=256 whole-bytes=0}",
    "tg-narrow-buffers",
    "tg-dedup-kernels",
    "tg-share-kernels{fewest=2}",
    "tg-forward-copies",
    "tg-order-launches",
    "func.func(tg-plan-memory)",
    "tg.kernel(tg-collapse-reduce)",
    "tg-size-buffers",
    "tg.kernel(tg-unmask-factors)",
    "tg.kernel(tg-simplify-index)",
    "tg.kernel(tg-optimize-kernels)",
    "tg-verify-schedules",
    "tg-schedule-pipeline,tg-verify-schedules",
    "tg.kernel(tg-expand-composed)",
    "convert-tg-to-vector",
    "convert-tg-host-to-llvm",
    "tg-schedule-pipeline,tg-optimize-pipeline,convert-tg-host-to-llvm{threads=true}",
    "convert-tg-to-gpu",
    "tg-expand-math",
    "tg-check-bounds",
    "func.func(tg-annotate-kernel-functions)",
    "func.func(tg-distribute-permutations)",
    "func.func(tg-carry-buffers)",
    "tg-add-kernel-interface",
    "tg-schedule-pipeline",
    "tg-schedule-pipeline,tg-optimize-pipeline",
    "tg-schedule-pipeline,tg-optimize-pipeline,convert-tg-to-vector,tg-kernel-to-llvm-pipeline",
    "gpu.module(gpu.func(tg-prepare-gpu-functions{max-static-bytes=64}))",
    "tg-gpu-to-llvm-pipeline{chip=sm_90}",
    "tg-attach-target{target=cuda:sm_90},tg-schedule-pipeline,tg-optimize-pipeline,convert-tg-to-gpu,tg-gpu-to-llvm-pipeline{chip=sm_90}",
    "tg-attach-target{target=amd:gfx942},tg-schedule-pipeline,tg-optimize-pipeline,convert-tg-to-gpu,tg-gpu-to-llvm-pipeline{chip=gfx942}",
    "tg-attach-target{target=cpu:x86_64:x86-64-v3},tg-schedule-pipeline,tg-optimize-pipeline,convert-tg-to-vector",
    "tg-attach-target{target=sim},tg-schedule-pipeline,tg-optimize-pipeline,convert-tg-to-gpu",
    "tg-attach-target{target=sim},tg-schedule-pipeline,tg-optimize-pipeline,convert-tg-to-gpu,convert-gpu-to-sim",
)
NUMBERS = (
    "0 1 -1 2 3 4 7 8 63 64 65 255 1024 65536 2147483647 2147483648 4294967296"
    " 4611686018427387904 9223372036854775807 -9223372036854775808"
    " 18446744073709551616"
).split()
TYPES = "i1 i8 i32 i64 ui8 ui64 index f16 bf16 f32 f64 f8E4M3FN f8E5M2".split()
TOKEN = re.compile(
    r"\"[^\"\n]*\"|[%@#^!][\w.$#-]*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[A-Za-z_][\w.$]*"
    r"|\s+|->|."
)
FAILURE = re.compile(
    r"ERROR: \w+Sanitizer: [^\n]*|runtime error: [^\n]*|Assertion `[^\n]*"
    r"|LLVM ERROR[^\n]*|terminate called[^\n]*|pure virtual[^\n]*"
    r"|PLEASE submit a bug report"
)
# An own function in a sanitizer's or in LLVM's list of calls.
FRAME = re.compile(
    rf"#\d+ 0x[0-9a-f]+ (?:in )?(.+?) {re.escape(str(ROOT))}/((?:lib|tools|include)/\S+:\d+)"
)


class Attack:
    """Runs inputs and keeps what went wrong."""

    def __init__(self, arguments):
        self.build = arguments.build.resolve()
        self.findings = arguments.output_dir.resolve()
        self.timeout = arguments.timeout
        self.seen = {}
        self.scratch = Path(tempfile.mkdtemp(prefix="tg-attack-"))
        self.environment = {
            name: value for name, value in os.environ.items() if name not in SETTINGS
        }
        self.environment["CACHEDIR"] = str(self.scratch / "cache")
        self.rejected = 0

    def tool(self, name):
        return str(self.build / "bin" / name)

    def run(self, command, environment=None):
        """What went wrong, as one line; None if nothing did."""
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=self.timeout,
                env={**self.environment, **(environment or {})},
                cwd=self.scratch,
            )
        except subprocess.TimeoutExpired:
            return f"ran for more than {self.timeout} s"
        text = done.stderr.decode(errors="replace")
        match = FAILURE.search(text)
        if match is None and done.returncode in (0, 1, 2):
            self.rejected += done.returncode != 0
            return None
        what = match[0] if match else f"ended with status {done.returncode}"
        what = re.sub(r"0x[0-9a-f]+|\b\d{5,}\b", "N", what)
        frame = FRAME.search(text)
        return f"{what} in {frame[1]} {frame[2]}" if frame else what

    def report(self, kind, what, command, files=(), environment=None):
        """Keeps the first input of each kind of failure."""
        self.seen.setdefault((kind, what), 0)
        self.seen[kind, what] += 1
        if self.seen[kind, what] > 1:
            return
        self.findings.mkdir(parents=True, exist_ok=True)
        base = self.findings / f"{kind}-{len(self.seen)}"
        text = shlex.join(command)
        for number, file in enumerate(files):
            kept = base.with_name(f"{base.name}-{number}{Path(file).suffix}")
            shutil.copy(file, kept)
            text = text.replace(str(file), str(kept))
        setting = "".join(
            f"{name}={shlex.quote(value)} "
            for name, value in (environment or {}).items()
        )
        base.with_suffix(".cmd").write_text(f"# {what}\n{setting}{text}\n")
        print(f"FOUND: {kind}: {what}\n  {base}.cmd", flush=True)


# ---------------------------------------------------------------------------
# .mlir text
# ---------------------------------------------------------------------------


def read_corpus():
    """Valid pieces of the lit suite's files that stand alone, without comments."""
    pieces = []
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        if "consumer" in path.parts:
            continue
        for piece in path.read_text().split("// -----"):
            if "expected-error" in piece:
                continue
            piece = re.sub(r"^\s*//[^\n]*\n", "", piece, flags=re.M).strip()
            if piece and len(piece) < 6000:
                pieces.append(TOKEN.findall(piece))
    return pieces


def mutate_number(tokens, place, rng):
    number = tokens[place]
    if rng.random() < 0.5 or not re.fullmatch(r"-?\d+", number):
        return rng.choice(NUMBERS)
    return str(int(number) + rng.choice((-1, 1, 2, 15, -64)))


def mutate_text(tokens, pieces, rng):
    """One to three changes, many of which leave something that can be parsed."""
    tokens = list(tokens)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3))):
        places = [i for i, token in enumerate(tokens) if not token.isspace()]
        if not places:
            break
        kind = rng.randrange(16)
        place = rng.choice(places)
        if kind > 5:
            numbers = [i for i in places if tokens[i][-1].isdigit() and re.match(r"-?\d", tokens[i])]
            if numbers:
                place = rng.choice(numbers)
                old, new = tokens[place], mutate_number(tokens, place, rng)
                if rng.random() < 0.5:  # everywhere, so that types still agree
                    tokens = [new if token == old else token for token in tokens]
                else:
                    tokens[place] = new
        elif kind < 2:
            types = [i for i in places if tokens[i] in TYPES]
            if types:
                old, new = tokens[rng.choice(types)], rng.choice(TYPES)
                tokens = [new if token == old else token for token in tokens]
        elif kind == 2:  # another operation, value or attribute of the same kind
            same = [i for i in places if tokens[i][0] == tokens[place][0]]
            tokens[place] = tokens[rng.choice(same)]
        elif kind == 3:
            operations = [i for i in places if tokens[i].startswith("tg.")]
            other = [token for token in rng.choice(pieces) if token.startswith("tg.")]
            if operations and other:
                tokens[rng.choice(operations)] = rng.choice(other)
        elif kind == 4:  # a few tokens gone, or twice
            end = min(len(tokens), place + rng.randrange(1, 12))
            if rng.random() < 0.5:
                del tokens[place:end]
            else:
                tokens[place:place] = tokens[place:end]
        else:
            tokens[place] = rng.choice(rng.choice(pieces))
    return "".join(tokens)


def fails_upstream(attack, file):
    """Whether MLIR's own tool fails, too, when it only reads the input, or a
    module with the arrays of the input, which it does not get to behind
    operations that it does not know."""
    arrays = attack.scratch / "arrays.mlir"
    literals = re.findall(r"array<[^<>]*>", file.read_text())
    arrays.write_text(
        SEPARATOR.join(f"module attributes {{a = {x}}} {{}}\n" for x in literals)
    )
    command = [MLIR_OPT, "--split-input-file", "-o", os.devnull]
    return any(attack.run([*command, str(x)]) is not None for x in (file, arrays))


def attack_mlir(attack, count, rng):
    pieces = read_corpus()
    opt = [attack.tool("tg-opt"), "--split-input-file", "-o", os.devnull]
    file = attack.scratch / "input.mlir"
    done = 0
    while done < count:
        if rng.random() < 0.2:  # to object code, one input a process
            batch = [mutate_text(rng.choice(pieces), pieces, rng)]
            command = [attack.tool("tg-compile"), "--emit=obj", str(file), "-o", os.devnull]
        else:
            batch = [
                mutate_text(rng.choice(pieces), pieces, rng)
                for _ in range(min(BATCH, count - done))
            ]
            passes = f"--pass-pipeline=builtin.module({rng.choice(PASSES)})"
            command = [*opt, passes, str(file)]
        done += len(batch)
        file.write_text(SEPARATOR.join(batch))
        what = attack.run(command)
        if what is None:
            continue
        if len(batch) == 1:
            if not fails_upstream(attack, file):
                attack.report("mlir", what, command, [file])
            continue
        for text in batch:
            file.write_text(text)
            alone = attack.run(command)
            if alone:
                if not fails_upstream(attack, file):
                    attack.report("mlir", alone, command, [file])
                what = None
        if what:  # the inputs together, then
            file.write_text(SEPARATOR.join(batch))
            attack.report("mlir", what, command, [file])
    return done


# ---------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------


def mutate_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        kind = rng.randrange(5)
        place = rng.randrange(len(data) + 1)
        # Headers are short, and where the mistakes are.
        if rng.random() < 0.7:
            place = min(place, rng.randrange(130))
        if kind == 0:
            del data[place:]
        elif kind == 1:
            del data[place : place + rng.randrange(1, 9)]
        elif kind == 2:
            data[place:place] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 3:
            value = rng.choice((0, 1, -1, 1 << 31, 1 << 63, (1 << 63) - 1, rng.getrandbits(64)))
            order = rng.choice(("<", ">"))
            form = rng.choice(("B", "H", "I", "Q"))
            size = struct.calcsize(form)
            data[place : place + size] = struct.pack(order + form, value % (1 << (8 * size)))
        elif place < len(data):
            data[place] ^= 1 << rng.randrange(8)
    return bytes(data)


def npy_header(rng):
    """A header that is text like those of NumPy, with unusual values in it."""
    shape = rng.choice(
        ("()", "(3,)", "(2, 3)", "(0, 4)", "(-1,)", "(9223372036854775807, 2)")
        + ("(4294967296, 4294967296)", "(1,)" * 2, "(" + "1, " * 70 + ")", "3", "(3, 2L)")
    )
    dtype = rng.choice(
        ("'<f4'", "'>f8'", "'|b1'", "'|O'", "'<c8'", "'<M8[s]'", "'V2'", "[('a', '<f4')]")
        + ("'<f-4'", "'<f99999999999'", "''", "'<U3'", "None")
    )
    fields = [f"'descr': {dtype}", f"'fortran_order': {rng.choice(('True', 'False', '2'))}"]
    fields.append(f"'shape': {shape}")
    rng.shuffle(fields)
    if rng.random() < 0.2:
        fields.pop()
    text = "{" + ", ".join(fields) + rng.choice((", }", "}", "")) + rng.choice(("\n", ""))
    version = rng.choice(((1, 0), (2, 0), (3, 0), (0, 0), (255, 1)))
    length = len(text) + rng.choice((0, 0, 0, -5, 1000))
    size = struct.pack("<H" if version[0] == 1 else "<I", max(length, 0))
    return b"\x93NUMPY" + bytes(version) + size + text.encode() + bytes(24)


def attack_npy(attack, count, rng):
    graph = attack.scratch / "npy.mlir"
    graph.write_text(
        "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
        "  %0 = tg.neg %x : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}\n"
    )
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
    header += " " * (117 - len(header)) + "\n"
    good = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(24)
    file = attack.scratch / "input.npy"
    command = [attack.tool("tg-run"), str(graph), "--interpret", "--input", str(file)]
    for i in range(count):
        data = npy_header(rng) if rng.random() < 0.4 else good
        file.write_bytes(mutate_bytes(data, rng) if i and rng.random() < 0.8 else data)
        what = attack.run(command)
        if what:
            attack.report("npy", what, command, [file, graph])
    return count


def attack_idx(attack, count, rng):
    folder = attack.scratch / "images"
    folder.mkdir()
    files = {}
    for name, images in (("train", 20), ("t10k", 10)):
        pixels = struct.pack(">HBBIII", 0, 8, 3, images, 2, 2) + bytes(range(images * 4))
        labels = struct.pack(">HBBI", 0, 8, 1, images) + bytes(i % 10 for i in range(images))
        files[f"{name}-images-idx3-ubyte"] = pixels
        files[f"{name}-labels-idx1-ubyte"] = labels
    command = [attack.tool("fashion-centroids"), "--data", str(folder)]
    for name, data in files.items():
        (folder / name).write_bytes(data)
    for _ in range(count):
        name = rng.choice(sorted(files))
        (folder / name).write_bytes(mutate_bytes(files[name], rng))
        what = attack.run(command)
        if what:
            attack.report("idx", what, command, [folder / name])
        (folder / name).write_bytes(files[name])
    return count


def attack_cache(attack, count, rng):
    """A file that was changed is compiled again, or rejected; never run."""
    graph = attack.scratch / "cached.mlir"
    graph.write_text(
        "func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {\n"
        "  %0 = tg.exp2 %x : tensor<64xf32>\n  return %0 : tensor<64xf32>\n}\n"
    )
    cache = attack.scratch / "attacked"
    command = [attack.tool("tg-run"), str(graph), "--random-inputs"]
    setting = {"CACHEDIR": str(cache)}
    what = attack.run(command, setting)
    entries = sorted(path for path in cache.rglob("*") if path.is_file())
    if what or not entries:
        attack.report("cache", what or "no file was written", command, [graph], setting)
        return 0
    good = {path: path.read_bytes() for path in entries}
    for _ in range(count):
        path = rng.choice(entries)
        path.write_bytes(mutate_bytes(good[path], rng))
        what = attack.run(command, setting)
        if what:
            path.write_bytes(good[path])
            attack.report("cache", what, command, [graph, path], setting)
        for path, data in good.items():
            path.write_bytes(data)
    return count


def attack_settings(attack, count, rng):
    graph = attack.scratch / "setting.mlir"
    graph.write_text(
        "func.func @main(%x: tensor<8xf32>) -> tensor<1xf32> {\n"
        "  %0 = tg.reduce add %x axes [0] : tensor<8xf32> -> tensor<1xf32>\n"
        "  return %0 : tensor<1xf32>\n}\n"
    )
    command = [attack.tool("tg-run"), str(graph), "--random-inputs"]
    values = (*NUMBERS, "", " ", "0x10", "1e3", "+1", "yes", "CPU", "CPU:1", "NULL", "CPU:")
    values += ("CPU:99999999999999999999", "x" * 5000, "\u00e9\u4e2d", "/dev/null", "/", ".", "1 ")
    for _ in range(count):
        names = rng.sample(SETTINGS, rng.choice((1, 1, 2, 3)))
        setting = {name: rng.choice(values) for name in names}
        # As many threads as are asked for are no mistake, but take their time.
        if len(setting.get("THREADS", "")) in (4, 5):
            del setting["THREADS"]
        what = attack.run(command, setting)
        if what:
            attack.report("settings", what, command, [graph], setting)
    return count


KINDS = {
    "mlir": attack_mlir,
    "npy": attack_npy,
    "idx": attack_idx,
    "cache": attack_cache,
    "settings": attack_settings,
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path, help="a built tree")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1, help="times as many inputs")
    parser.add_argument("--timeout", type=float, default=60, help="seconds a process")
    parser.add_argument("--output-dir", type=Path, default=Path("attack-findings"))
    parser.add_argument("--replay", type=Path, help="run a .cmd file's command")
    arguments = parser.parse_args()
    if arguments.replay:
        return subprocess.run(["bash", "-x", arguments.replay]).returncode

    attack = Attack(arguments)
    summary = []
    try:
        for kind in arguments.kind or KINDS:
            rng = random.Random(f"{arguments.seed} {kind}")
            inputs = max(1, round(INPUTS[kind] * arguments.scale))
            summary.append(f"{KINDS[kind](attack, inputs, rng)} {kind}")
    finally:
        shutil.rmtree(attack.scratch, ignore_errors=True)
    failures = sum(attack.seen.values())
    print(f"attack: inputs: {', '.join(summary)}; {failures} failures of {len(attack.seen)} kinds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
