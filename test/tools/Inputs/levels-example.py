"""Prints the graph that a document's section "An example" begins with; with the
name of a stage, its block as a list of checks for FileCheck.

    levels-example.py DOCUMENT [STAGE]
"""

import re
import sys

document, *stage = sys.argv[1:]
with open(document, encoding="utf-8") as file:
    section = file.read().split("\n### An example\n")[1].split("\n### ")[0]
# The text before each block, and the block.
parts = re.findall(r"(.*?)^```mlir\n(.*?)^```\n", section, re.DOTALL | re.MULTILINE)
if not stage:
    print(parts[0][1])
    sys.exit()
(block,) = [block for text, block in parts if f"--emit={stage[0]}" in text]
for line in block.splitlines():
    print(f"{stage[0].upper()}: {line.strip()}")
