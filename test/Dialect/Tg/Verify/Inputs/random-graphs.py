"""Writes random graphs of tg-fuzz, separated as for tg-opt's -split-input-file.

Usage: random-graphs.py TG_FUZZ COUNT [SEED]
"""

import subprocess
import sys

fuzz, count = sys.argv[1], int(sys.argv[2])
seed = sys.argv[3] if len(sys.argv) > 3 else "1"
for number in range(count):
    choice = [f"--seed={seed}", f"--first={number}", "--symbolic=50"]
    done = subprocess.run(
        [fuzz, *choice, "--print-graph"], capture_output=True, text=True, check=True
    )
    print(f"// -----\n{done.stdout}")
