#!/usr/bin/env python3
"""Runs the test suites of a built tree and sums up what they report.

Each suite yields (name, passed, failed, skipped) from the machine-readable
report of its runner, never from the text it prints. A runner that dies before
it wrote its report counts as one failure.

Suites begin in their order, each as soon as those before it leave a core idle.
"""

import argparse
import contextvars
import os
import sys
import time
import traceback

from suites import generated, sources, tests
from suites.common import BUILD_DIRS, ROOT, SETTINGS, Counts, Suite, say

SUITES = {
    "format": sources.suite_format,
    "configure": sources.suite_configure,
    "docs": sources.suite_docs,
    "libraries": sources.suite_libraries,
    "headers": sources.suite_headers,
    "includes": sources.suite_includes,
    "lit": tests.suite_lit,
    "gtest": tests.suite_gtest,
    "pytest": tests.suite_pytest,
    "fuzz": generated.suite_fuzz,
    "processors": tests.suite_processors,
    "simulator": tests.suite_simulator,
    "cuda": tests.suite_cuda,
    "hip": tests.suite_hip,
    "schedules": generated.suite_schedules,
    "proofs": generated.suite_proofs,
    "ptxas": generated.suite_ptxas,
    "attack": generated.suite_attack,
    "readers": generated.suite_readers,
    "threads": tests.suite_threads,
    "install": tests.suite_install,
    "tidy": sources.suite_tidy,
}
# What depends on the sources alone, or on an optimized build, runs once.
PRESET_SUITES = {
    "release": [name for name in SUITES if name not in ("readers", "threads")],
    "debug": ["lit", "gtest", "pytest", "fuzz"],
    "sanitize": ["lit", "gtest", "pytest", "fuzz", "attack", "readers"],
    "tsan": ["threads"],
}


def run_suite(name, build, rank):
    """Runs a suite; returns it with its counts."""
    suite = Suite(rank)
    Suite.current.set(suite)
    suite.started()
    try:
        return suite, SUITES[name](build)
    except Exception:
        say(traceback.format_exc())
        return suite, Counts(failed=1)


def report(title, suite, counts):
    for line in suite.lines:
        print(line)
    wall = time.monotonic() - suite.start
    state = "FAILED" if counts.failed else "ok"
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    print(
        f"suite {title}: {state}, {counts.passed + counts.failed} tests{skipped}"
        f" in {wall:.1f} s ({suite.cpu_seconds:.1f} s CPU)",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", action="append", choices=BUILD_DIRS)
    parser.add_argument("--suite", action="append", choices=SUITES)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if arguments.list:
        for name, suite in SUITES.items():
            print(f"{name:10} {suite.__doc__}")
        return 0

    tasks = []
    for preset in arguments.preset or ["release"]:
        build = ROOT / BUILD_DIRS[preset]
        if not (build / "build.ninja").exists():
            print(f"run-suites.py: {build} is not configured", file=sys.stderr)
            print("0 passed, 1 failed")
            return 1
        where = "" if preset == "release" else f" ({preset})"
        for name in arguments.suite or PRESET_SUITES[preset]:
            tasks.append((name, build, where))
    # Where kernels are cached, suites say themselves.
    for name in set(SETTINGS) - {"CACHEDIR"}:
        os.environ.pop(name, None)

    total = Counts()
    start = time.monotonic()
    for number, (name, build, where) in enumerate(tasks, 1):
        print(f"suite {number} of {len(tasks)}: {name}{where}", flush=True)
        suite, counts = contextvars.copy_context().run(run_suite, name, build, number)
        report(f"{name}{where}", suite, counts)
        total.add(counts)
    print(f"all suites: {time.monotonic() - start:.0f} s")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed or not total.passed + total.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
