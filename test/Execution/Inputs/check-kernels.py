"""Runs kernels with random lists of steps, and without steps.

Usage: check-kernels.py TG_FUZZ TG_RUN FILE COUNT SEED

Each part of FILE has kernels and a function @main that launches them, with
elements that are integers. Results of COUNT lists for a processor, of the series
SEED, have to be those without steps, where all ranges are loops.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Without steps, ranges are loops.
KIND = re.compile(r"(tg\.range \d+) (?:thread|unroll|upcast) ")
SEPARATOR = re.compile("^// -----$", re.MULTILINE)


def run(tg_run, path, text, **variables):
    path.write_text(text)
    command = [tg_run, path, "--random-inputs", "--print"]
    environment = {**os.environ, "DEV": "CPU", "CACHELEVEL": "1", **variables}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr[:2000]


def main():
    fuzz, tg_run, name, count, seed = sys.argv[1:]
    parts = [part for part in SEPARATOR.split(pathlib.Path(name).read_text()) if part.strip()]
    lists = [f"--random-schedules={count}", f"--schedule-seed={seed}"]
    command = [fuzz, name, "--verify-schedules=cpu", "--print-graph", *lists]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    scheduled = [part for part in SEPARATOR.split(printed) if part.strip()]
    count = int(count)
    if len(scheduled) != count * len(parts):
        sys.exit(f"{len(scheduled)} lists of steps for {len(parts)} parts")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.mlir"
        for i, part in enumerate(parts):
            status, expected = run(tg_run, path, KIND.sub(r"\1 loop ", part), NOOPT="1")
            if status != 0:
                sys.exit(f"without steps: {expected}")
            for text in scheduled[i * count : (i + 1) * count]:
                # Several threads, and no simpler schedule in place of this one.
                status, found = run(tg_run, path, text, THREADS="2", FALLBACK="0")
                if (status, found) != (0, expected):
                    failures += 1
                    print(f"with steps:\n{found}\ninstead of:\n{expected}\nof:\n{text}")
    print(f"{len(scheduled)} lists of steps, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
