"""Assembles PTX with CUDA's ptxas and checks that nothing is in local memory, or
no more than some bytes, for chips that the assembler knows.

usage: assemble.py PTXAS CHIP FILE.ptx [BYTES | --if-known]
"""

import re
import subprocess
import sys

ptxas, chip, path, *options = sys.argv[1:]
if options == ["--if-known"]:
    options = []
    known = subprocess.run([ptxas, "--help"], stdout=subprocess.PIPE, text=True).stdout
    if f"'{chip}'" not in known:
        sys.exit()
most = int(options[0]) if options else 0
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
if run.returncode != 0 or not sizes or any(int(n) > most for s in sizes for n in s):
    sys.exit(f"{path}:\n{run.stdout}")
