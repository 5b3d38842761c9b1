"""Checks that the work of a tool grows with the size of its input, not faster.

Processor time of two sizes is compared, the second FACTOR times the first. Linear work
takes FACTOR times the time, quadratic work its square. The limit is between them, far
enough from both that a busy machine does not decide: with other work on its cores,
twice the processor time for the same instructions is usual.
"""

import os
import resource
import subprocess
import sys
import tempfile

FACTOR, LIMIT, ATTEMPTS = 16, 80, 3


def measure(command, text):
    """Processor seconds of one run, start-up included."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, file.name, "-o", os.devnull], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check(command, empty, kinds, largest):
    """Exits with an error if `command` takes too long for one of the kinds, each a name
    and a function that makes the text of a size. `empty` is a text that is no work."""
    start_up = min(measure(command, empty) for _ in range(3))
    failed = False
    for name, make in kinds:
        small, large = make(largest // FACTOR), make(largest)
        # Work that grows too fast does so in each attempt.
        for _ in range(ATTEMPTS):
            least = max(measure(command, small) - start_up, 0.02)
            most = measure(command, large) - start_up
            print(f"{name}: {least:.3f} s, {most:.3f} s, {most / least:.1f} times")
            if most <= LIMIT * least:
                break
        else:
            failed = True
    if failed:
        sys.exit(f"error: {FACTOR} times the size takes over {LIMIT} times as long")
