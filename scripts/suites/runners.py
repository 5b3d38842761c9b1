"""Runs lit, GoogleTest programs and tg-fuzz, and reads their reports."""

import json
import os
import sys
import tempfile
import threading
from pathlib import Path

from suites.common import (
    CORES,
    LLVM,
    ROOT,
    Counts,
    is_sanitized,
    report_check,
    run,
    say,
    side_by_side,
)


# A second lit in the same build would write over what the first one's tests wrote.
LIT = threading.Lock()


def run_lit(build, names=("",), settings=None, half=None):
    """Runs the lit tests, or those of folders and files, with settings for all of them.

    They are cut into parts, one for each of up to 8 cores, which run side by side.
    `half` 0 or 1: only every second test.
    """
    parts = min(CORES.number, 8)

    def run_part(part):
        report = build / "test" / f"lit-results-{part}.json"
        report.unlink(missing_ok=True)
        command = [sys.executable, LLVM / "lit", "-j1", "-sv", "-o", report]
        command += [build / "test" / name for name in names]
        for name, value in (settings or {}).items():
            command += ["--param", f"{name}={value}"]
        # The order of the tests, which parts and halves count in, depends on times
        # that were recorded.
        command.append("--skip-test-time-recording")
        number, index = (parts, part) if half is None else (2 * parts, 2 * part + half)
        command += [f"--num-shards={number}", f"--run-shard={index + 1}"]
        status, output = run(command, cwd=ROOT)
        tests = json.loads(report.read_text())["tests"] if report.exists() else None
        return status, output, tests

    counts = Counts()
    with LIT:
        results = list(side_by_side(run_part, range(parts)))
    for status, output, tests in results:
        result = Counts()
        for test in tests or []:
            if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
                result.passed += 1
            elif test["code"] == "EXCLUDED":
                # Of another part.
                continue
            elif test["code"] in ("UNSUPPORTED", "SKIPPED"):
                result.skipped += 1
            else:
                result.failed += 1
        # Without a report ends a part of fewer tests than there are parts.
        is_empty = "shard does not contain any tests" in output
        if tests is None and status == 0 and not is_empty:
            say("FAILED: lit wrote no report")
            result.failed += 1
        if status != 0:
            say(output.rstrip())
            result.failed = max(result.failed, 1)
        counts.add(result)
    if not counts.passed + counts.skipped + counts.failed:
        say(f"FAILED: lit ran no test of {[str(build / 'test' / name) for name in names]}")
        counts.failed += 1
    return counts


def unittests_of(build):
    """The GoogleTest programs of a build, those of older sources left out."""
    return (build / "unittests" / "unittests.txt").read_text().split()


def run_unittests(build, programs, half=None):
    """Runs GoogleTest programs, given with more settings for each.

    Each is cut into parts, one for each of up to 8 cores, which run side by side.
    `half` 0 or 1: only every second test.
    """
    for name in sorted(programs.keys() - unittests_of(build)):
        say(f"FAILED: the build has no program {name}")
        return Counts(failed=1)
    # The programs start threads themselves.
    parts = min(CORES.number, 8)
    results = {name: Counts() for name in programs}
    with tempfile.TemporaryDirectory() as scratch:
        environment = dict(os.environ, CACHEDIR=f"{scratch}/cache")

        def run_part(task):
            name, part = task
            folder = Path(scratch) / f"{name}-{part}"
            folder.mkdir()
            report = folder / "report.json"
            number, index = (parts, part) if half is None else (2 * parts, 2 * part + half)
            shard = {"GTEST_TOTAL_SHARDS": str(number), "GTEST_SHARD_INDEX": str(index)}
            status, output = run(
                [build / "unittests" / name, "--gtest_brief=1"]
                + [f"--gtest_output=json:{report}"],
                cwd=folder,
                env=environment | programs[name] | shard,
            )
            result = Counts()
            if report.exists():
                for suite in json.loads(report.read_text())["testsuites"]:
                    for test in suite["testsuite"]:
                        if test.get("failures"):
                            result.failed += 1
                        elif test["result"] == "SKIPPED":
                            result.skipped += 1
                        elif test.get("status") != "NOTRUN":
                            result.passed += 1
            return name, status, output, result

        tasks = [(name, part) for name in programs for part in range(parts)]
        for name, status, output, result in side_by_side(run_part, tasks):
            if status != 0:
                say(output.rstrip())
                say(f"FAILED: {name} ended with status {status}")
                result.failed = max(result.failed, 1)
            results[name].add(result)
    counts = Counts()
    for name, result in results.items():
        if result.passed + result.skipped + result.failed == 0:
            say(f"FAILED: {name} ran no test")
            result.failed += 1
        counts.add(result)
    return counts


def run_fuzz(build, runs, options=(), title="fuzz", kind="graphs"):
    """Runs tg-fuzz with options for each of (settings, how many graphs, or programs)."""
    command = [build / "bin" / "tg-fuzz", "--seed=1", "--max-failures=10", *options]
    # And with steps of schedules that no heuristic would choose, where code
    # is compiled fast.
    if kind == "graphs" and not is_sanitized(build):
        command.append("--random-schedules=1")
    # A graph takes a tenth of a second, on a busy machine and with sanitizers
    # many times as long.
    command.append("--timeout=300")
    environment = dict(os.environ, CACHEDIR=str(build / "fuzz" / "cache"))

    def run_part(task):
        settings, first, count = task
        name = " ".join([title, *(f"{key}={value}" for key, value in settings.items())])
        output_dir = build / "fuzz" / f"{name.replace(' ', '-')}-{first}"
        arguments = [f"--first={first}", f"--{kind}={count}"]
        status, output = run(
            [*command, *arguments, f"--output-dir={output_dir}"],
            cwd=build,
            env=environment | settings,
        )
        hint = f"the graphs are in {output_dir}; {command[0]} FILE checks one again"
        return report_check(f"{name} {' '.join(arguments)}", status, output, hint)

    # Parts of 10 to a run, whatever the number of cores.
    tasks = [
        (settings, first, graphs // 10)
        for settings, graphs in runs
        for first in range(0, graphs, graphs // 10)
    ]
    counts = Counts()
    for result in side_by_side(run_part, tasks):
        counts.add(result)
    if not counts.failed:
        say(f"{title}: {sum(graphs for _, graphs in runs)} {kind}")
    return counts
