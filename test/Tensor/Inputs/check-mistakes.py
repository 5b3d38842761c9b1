"""Compiles mistakes.cpp and checks what a user reads: check-mistakes.py INCLUDE_DIR

Each numbered line must be an error that says what is wrong in its first line or in the notes right
after it, within a limit of lines; with every compiler that is installed.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

# Number of a mistake: what a diagnostic of it has to match. Alternatives are for the two compilers.
EXPECTED = {
    1: r"deleted.*\n(.*\n)*.*use all\(\), any\(\) or item<bool>\(\)",
    2: r"reshape.*\n(.*\n)*.*SizeLike",
    3: r"reshape.*\n(.*\n)*.*SizeLike",
    4: r"reshape.*\n(.*\n)*.*(SizeLike|Shape)",
    5: r"'double'.*Axes|Axes.*'double'",
    6: r"next to a tensor an operator takes a tensor or a number",
    7: r"Operand",
    8: r"deleted.*\n(.*\n)*.*a temporary: use assign\(\)",
    9: r"deleted.*\n(.*\n)*.*a temporary: use assign\(\)",
    10: r"operator=|overloaded '='",
    11: r"operator\[\]",
    12: r"from 'float' to .*'(tinygrad::)?Tensor'",
    14: r"Tensor::from takes a container of numbers",
    15: r"Tensor::from takes a container of numbers",
    16: r"zeros.*\n(.*\n)*.*TensorOptions",
    17: r"zeros.*\n(.*\n)*.*NamedTensorOptions",
    18: r"cast.*\n(.*\n)*.*ElementType",
    19: r"item.*\n(.*\n)*.*ElementType",
    20: r"conv2d.*\n(.*\n)*.*Conv2dOptions",
    21: r"permute.*\n(.*\n)*.*SymNumber",
    22: r"'(tinygrad::)?Tensor' to 'const std::vector<(tinygrad::)?Tensor>",
    23: r"where.*\n|too few arguments",
    24: r"begin",
    25: r"'(tinygrad::)?Tensor' to 'float'",
    26: r"pad|Padding",
    27: r"non-static member function",
    28: r"index.*\n|too many arguments",
    29: r"deleted.*\n(.*\n)*.*use all\(\), any\(\) or item<bool>\(\)",
    30: r"exp|const (tinygrad::)?Tensor ?&",
}
MOST_LINES = 50


def check(compiler, include):
    source = Path(__file__).with_name("mistakes.cpp")
    limit = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    run = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", limit, "-fno-diagnostics-color", "-I", include, source],
        capture_output=True,
        text=True,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    )
    assert run.returncode == 1, run.stderr

    numbers = {}
    for row, line in enumerate(source.read_text().splitlines(), 1):
        if match := re.match(r"\s*/\*\s*(\d+)\*/", line):
            numbers[row] = int(match.group(1))
    assert set(numbers.values()) == set(EXPECTED)

    # An error and its notes. One in a header belongs to the first line of the source that its notes name;
    # the lines "In file included from" and "In instantiation of" stand before the error that they are about.
    blocks, current = [], []
    for line in run.stderr.splitlines():
        if re.search(r": (fatal )?error: ", line) and any(": error: " in old for old in current):
            blocks.append(current)
            current = []
        current.append(line)
    blocks.append(current)

    found = {}
    for previous, block in zip([[]] + blocks, blocks):
        text = "\n".join(block) + "\n"
        rows = [int(row) for row in re.findall(r"mistakes\.cpp:(\d+):", text)]
        # GCC names the line of an instantiation before the error.
        if not re.search(r"mistakes\.cpp:\d+:\d+: error", text) and "clang" not in compiler:
            rows = [int(row) for row in re.findall(r"mistakes\.cpp:(\d+):", "\n".join(previous))][-1:] or rows
        for row in rows[:1]:
            found.setdefault(numbers.get(row), text)

    failures = 0
    for number, pattern in EXPECTED.items():
        text = found.get(number, "")
        if not re.search(pattern, text):
            print(f"mistake {number}: expected {pattern}\n{text or '(no error)'}")
            failures += 1
        elif text.count("\n") > MOST_LINES:
            print(f"mistake {number}: {text.count(chr(10))} lines\n{text}")
            failures += 1
    print(f"{compiler}: {len(EXPECTED) - failures} of {len(EXPECTED)} mistakes explained")
    return failures


compilers = [name for name in ("g++", "clang++-22") if shutil.which(name)]
assert compilers, "there is no compiler to ask"
sys.exit(sum(check(name, sys.argv[1]) for name in compilers) != 0)
