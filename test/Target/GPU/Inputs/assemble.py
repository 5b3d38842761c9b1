"""Assembles PTX with CUDA's ptxas and checks that nothing is in local memory.

usage: assemble.py PTXAS CHIP FILE.ptx
"""

import re
import subprocess
import sys

ptxas, chip, path = sys.argv[1:]
run = subprocess.run(
    [ptxas, "-v", f"-arch={chip}", path, "-o", "/dev/null"],
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
)
sizes = re.findall(
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads",
    run.stdout,
)
if run.returncode != 0 or not sizes or any(set(s) != {"0"} for s in sizes):
    sys.exit(f"{path}:\n{run.stdout}")
