"""Writes random graphs of tg-fuzz, separated as for tg-opt's -split-input-file.

Usage: random-graphs.py TG_FUZZ COUNT [SEED [OPTION...]]

With the option --verify-schedules=TARGET of tg-fuzz, their kernels for TARGET, with
random schedules.
"""

import subprocess
import sys

fuzz, count = sys.argv[1], int(sys.argv[2])
seed = sys.argv[3] if len(sys.argv) > 3 else "1"
for number in range(count):
    choice = [f"--seed={seed}", f"--first={number}", "--symbolic=50", *sys.argv[4:]]
    done = subprocess.run(
        [fuzz, *choice, "--print-graph"], capture_output=True, text=True, check=True
    )
    print(f"// -----\n{done.stdout}")
