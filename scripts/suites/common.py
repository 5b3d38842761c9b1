"""What all suites share: processes, cores, counts, and the files of the repository."""

import concurrent.futures
import contextlib
import contextvars
import heapq
import itertools
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LLVM = Path("/usr/lib/llvm-22/bin")
BUILD_DIRS = {
    "release": "build",
    "debug": "build-debug",
    "sanitize": "build-sanitize",
    "tsan": "build-tsan",
}
# A single test program that runs longer than this hangs.
TIMEOUT = 1800


def read_settings():
    """The environment variables that the library reads, by its own tables."""
    source = (ROOT / "lib" / "Runtime" / "Environment.cpp").read_text()
    tables = re.findall(r"\b(?:kNumberFacts|kTextNames)\[\w+\] = \{(.*?)\};", source, re.DOTALL)
    names = re.findall(r'"(\w+)"', "".join(tables))
    if len(tables) != 2 or "DEV" not in names or "DEBUG" not in names:
        sys.exit("run-suites.py: no tables of settings in Environment.cpp\n0 passed, 1 failed")
    return names


# A user's settings, which tests must not see.
SETTINGS = read_settings()


class Counts:
    """What one suite, or all of them, came to."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


class Cores:
    """The cores of the machine. Suites wait for them in the suites' order."""

    def __init__(self, number):
        self.number = self.free = number
        self.changed = threading.Condition()
        self.waiting, self.ticket = [], itertools.count()

    @contextlib.contextmanager
    def take(self, number, rank):
        number = min(number, self.number)
        place = (rank, next(self.ticket))
        with self.changed:
            heapq.heappush(self.waiting, place)
            self.changed.wait_for(lambda: self.waiting[0] == place and self.free >= number)
            heapq.heappop(self.waiting)
            self.free -= number
            self.changed.notify_all()
        try:
            yield
        finally:
            with self.changed:
                self.free += number
                self.changed.notify_all()


CORES = Cores(os.cpu_count())


class Suite:
    """A suite that runs: its place in the order, what it has to say, and what it took."""

    current = contextvars.ContextVar("suite")

    def __init__(self, rank, when_started=lambda: None):
        self.rank, self.when_started = rank, when_started
        self.lines, self.start, self.cpu_seconds = [], None, 0.0
        self.lock = threading.Lock()

    def started(self):
        """A process of the suite got its first core."""
        with self.lock:
            if self.start is None:
                self.start = time.monotonic()
                self.when_started()

    def seconds(self):
        return time.monotonic() - self.start if self.start else 0.0

    def took(self, usage):
        with self.lock:
            self.cpu_seconds += usage.ru_utime + usage.ru_stime


def say(text):
    """Prints what a suite has to say, once it is done."""
    Suite.current.get().lines.append(text)


def side_by_side(function, tasks):
    """function(task) for each task, in threads, in the order of the tasks.

    How many run at once depends on the cores that run() waits for.
    """
    tasks = list(tasks)
    if not tasks:
        return
    with concurrent.futures.ThreadPoolExecutor(2 * CORES.number) as pool:
        futures = [
            pool.submit(contextvars.copy_context().run, function, task) for task in tasks
        ]
        for future in futures:
            yield future.result()


def run(command, cores=1, **kwargs):
    """Runs `command` once so many cores are free.

    Returns (exit status, output), the status -1 when it timed out.
    """
    suite = Suite.current.get()
    timed_out = threading.Event()
    with CORES.take(cores, suite.rank), tempfile.TemporaryFile() as output:
        suite.started()
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            **kwargs,
        )

        def stop():
            timed_out.set()
            process.kill()

        timer = threading.Timer(TIMEOUT, stop)
        timer.start()
        # With what its own children took.
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        suite.took(usage)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if timed_out.is_set():
        return -1, text + f"\ntimed out after {TIMEOUT} s\n"
    return process.returncode, text


def tracked(*patterns):
    """The files of the repository that match, without those that are gone."""
    status, out = run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT)
    if status != 0:
        raise RuntimeError(f"git ls-files failed: {out}")
    return [name for name in out.split("\0") if name and (ROOT / name).exists()]


def report_check(name, status, output, hint):
    """Counts a yes-or-no check as one test."""
    if status == 0:
        return Counts(passed=1)
    say(output.rstrip())
    say(f"FAILED: {name}: {hint}")
    return Counts(failed=1)


def is_sanitized(build):
    return build.name == BUILD_DIRS["sanitize"]
