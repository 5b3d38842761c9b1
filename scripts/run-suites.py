#!/usr/bin/env python3
"""Runs the test suites of a built tree and sums up what they report.

Each suite yields (name, passed, failed, skipped) from the machine-readable
report of its runner, never from the text it prints. A runner that dies before
it wrote its report counts as one failure.

Suites begin in their order, each as soon as those before it leave a core idle. What
one has to say is printed when it is done.
"""

import argparse
import concurrent.futures
import contextvars
import os
import sys
import time
import traceback

from suites import bundle, generated, reach, sources, tests
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
    "bundle": bundle.suite_bundle,
    "wheel": tests.suite_wheel,
    "tidy": sources.suite_tidy,
}
# What depends on the sources alone, or on an optimized build, runs once.
PRESET_SUITES = {
    "release": [name for name in SUITES if name not in ("readers", "threads")],
    "debug": ["lit", "gtest", "fuzz"],
    "sanitize": ["lit", "gtest", "fuzz", "attack", "readers"],
    "tsan": ["threads"],
}


def run_suite(name, build, where, number, total):
    """Runs a suite and prints what it says. Returns its counts."""
    title = f"{name}{where}"
    suite = Suite(number, lambda: print(f"suite {number} of {total}: {title}", flush=True))
    Suite.current.set(suite)
    try:
        counts = SUITES[name](build)
    except Exception:
        say(traceback.format_exc())
        counts = Counts(failed=1)
    state = "FAILED" if counts.failed else "ok"
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    say(
        f"suite {title}: {state}, {counts.passed + counts.failed} tests{skipped}"
        f" in {suite.seconds():.1f} s ({suite.cpu_seconds:.1f} s CPU)"
    )
    print("\n".join(suite.lines), flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preset", action="append", choices=BUILD_DIRS)
    parser.add_argument("--suite", action="append", choices=SUITES)
    parser.add_argument("--list", action="store_true", help="name the suites")
    parser.add_argument(
        "--all", action="store_true", help="tidy and includes check every source"
    )
    parser.add_argument(
        "--base", metavar="REVISION", help="they check what differs from this commit"
    )
    arguments = parser.parse_args()
    if arguments.list:
        for name, suite in SUITES.items():
            print(f"{name:10} {suite.__doc__.splitlines()[0]}")
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
    # No test needs a simpler schedule than the one that the compiler chose.
    os.environ["FALLBACK"] = "0"

    reach.keep_answers()
    reach.Options.everything, reach.Options.base = arguments.all, arguments.base
    total, start = Counts(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(len(tasks)) as pool:
        futures = [
            pool.submit(contextvars.Context().run, run_suite, *task, number, len(tasks))
            for number, task in enumerate(tasks, 1)
        ]
        for future in concurrent.futures.as_completed(futures):
            total.add(future.result())
    if not total.failed and not arguments.suite:
        reach.record_success()
    print(f"all suites: {time.monotonic() - start:.0f} s")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed or not total.passed + total.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
