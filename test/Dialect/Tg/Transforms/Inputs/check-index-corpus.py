"""Counts the operations of the corpus of index expressions, before and after.

Usage: check-index-corpus.py TG_OPT            compare with index-corpus.txt
       check-index-corpus.py TG_OPT --update   write index-corpus.txt anew

An expression that has more operations than the file says fails the test; so does
one that has fewer, so that the file is brought up to date and the gain is kept.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE / "index-corpus.txt"
# What each kernel of the corpus has at its end whatever its expression is.
SIMPLIFY = "--pass-pipeline=builtin.module(tg.kernel(tg-simplify-index{check-measure=true}))"
OPERATION = re.compile(
    r"= tg\.(add|sub|neg|mul|floordiv|floormod|idiv|mod|max|where|and|or|xor|cmp..|cast) "
)
DIVISION = re.compile(r"= tg\.(floordiv|floormod|idiv|mod) ")


def count(text):
    """Operations, and divisions among them, by kernel."""
    result = {}
    for kernel in text.split("tg.kernel @")[1:]:
        name = kernel[: kernel.index("(")]
        result[name] = (len(OPERATION.findall(kernel)), len(DIVISION.findall(kernel)))
    return result


def main():
    corpus = subprocess.run(
        [sys.executable, HERE / "index-corpus.py"], check=True, capture_output=True, text=True
    ).stdout
    simplified = subprocess.run(
        [sys.argv[1], SIMPLIFY, "-"], check=True, input=corpus, capture_output=True, text=True
    ).stdout
    before, after = count(corpus), count(simplified)
    if list(before) != list(after) or len(before) < 200:
        sys.exit(f"error: {len(before)} expressions before, {len(after)} after")
    lines = ["# Operations (divisions among them) of each expression: before, after."]
    for name in before:
        (a, b), (c, d) = before[name], after[name]
        lines.append(f"{name} {a} ({b}) {c} ({d})")
    sums = [
        sum(numbers[i] for numbers in counts.values())
        for counts in (before, after)
        for i in (0, 1)
    ]
    lines.append("total of %d: %d (%d) %d (%d)" % (len(before), *sums))
    if "--update" in sys.argv:
        TABLE.write_text("\n".join(lines) + "\n")
    known = TABLE.read_text().splitlines()
    differing = [line for line in lines if line not in known]
    print(lines[-1])
    if known != lines:
        print("\n".join(differing))
        sys.exit(
            f"error: {len(differing)} lines differ from {TABLE.name}; "
            "write it anew with --update if this is a gain"
        )


main()
