"""Proves the accesses to memory of random graphs with symbolic sizes.

Usage: verify-random-graphs.py TG_FUZZ TG_OPT COUNT [SEED [LOOPS]]

With LOOPS, also as loops and vectors. A few that the solver cannot decide are
allowed: sizes may be any expressions.
"""

import os
import subprocess
import sys

fuzz, opt, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
seed = sys.argv[4] if len(sys.argv) > 4 else "1"
SCHEDULED = ["--tg-schedule-pipeline"]
OPTIMIZED = [*SCHEDULED, "--tg-optimize-pipeline"]
LEVELS = [SCHEDULED, OPTIMIZED]
if len(sys.argv) > 5:
    LEVELS.append([*OPTIMIZED, "--convert-tg-to-vector", "--canonicalize", "--cse"])
ANSWERS = os.environ.get("TINYGRAD_ANSWERS", "")
PROOF = f"--tg-verify-accesses=print-counts=true timeout=1000 answers={ANSWERS}"
proved = undecided = 0
for number in range(count):
    choice = [f"--seed={seed}", f"--first={number}", "--symbolic=100"]
    graph = subprocess.run(
        [fuzz, *choice, "--print-graph"], capture_output=True, text=True, check=True
    ).stdout
    for passes in LEVELS:
        run = subprocess.run(
            [opt, "-", *passes, PROOF, "-o", "/dev/null"],
            input=graph,
            capture_output=True,
            text=True,
        )
        errors = run.stderr.count("error: ")
        if errors != run.stderr.count("could not decide this"):
            sys.exit(f"graph {' '.join(choice)}, {' '.join(passes)}:\n{run.stderr}")
        if run.returncode != 0:
            undecided += 1
        for line in run.stdout.splitlines():
            if line.startswith("proved access: "):
                proved += int(line.split(": ")[1])
if undecided * 20 > count * len(LEVELS):
    sys.exit(f"error: {undecided} programs could not be decided")
print(f"proved accesses: {proved}")
