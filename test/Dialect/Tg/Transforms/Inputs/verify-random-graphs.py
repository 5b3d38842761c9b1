"""Proves the accesses to memory of random graphs with symbolic sizes.

Usage: verify-random-graphs.py TG_FUZZ TG_OPT COUNT [SEED]
"""

import subprocess
import sys

fuzz, opt, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
seed = sys.argv[4] if len(sys.argv) > 4 else "1"
LEVELS = (["--tg-schedule-pipeline"], ["--tg-schedule-pipeline", "--tg-optimize-pipeline"])
proved = 0
for number in range(count):
    choice = [f"--seed={seed}", f"--first={number}", "--symbolic=100"]
    graph = subprocess.run(
        [fuzz, *choice, "--print-graph"], capture_output=True, text=True, check=True
    ).stdout
    for passes in LEVELS:
        command = [opt, "-", *passes, "--tg-verify-accesses=print-counts=true"]
        run = subprocess.run(
            [*command, "-o", "/dev/null"], input=graph, capture_output=True, text=True
        )
        if run.returncode != 0:
            sys.exit(f"graph {' '.join(choice)}, {' '.join(passes)}:\n{run.stderr}")
        proved += sum(int(line.split(": ")[1]) for line in run.stdout.splitlines() if "access" in line)
print(f"proved accesses: {proved}")
