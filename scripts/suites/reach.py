"""Which sources have to be checked: not those that passed before, nor those that no
change reaches.

A check that passed leaves a stamp in `$XDG_CACHE_HOME/tinygrad-mlir-checks`, beside
ccache's folder. Its name is a hash of everything that the check depends on, with paths
relative to the repository, so that it counts in every clone.

Of sources without a stamp, those are checked that a change reaches: whose own text, or
that of a file they include, differs from a base. The base is

1. `--base REVISION` of scripts/test.sh, else
2. the last commit that passed on this machine, by a file beside the stamps, else
3. where the branch left its upstream, unless that is the commit itself, else
4. the last commit that is a day older than this one.

Of the others, which passed when they were last reached, an eighth is checked, another
one for each commit; a quarter of those that a change may reach, but hardly ever does.
Everything is checked with `--all`, and when that was done on this machine for the last
time more than a day ago. The halves of tests that some suites run are chosen likewise.
"""

import functools
import hashlib
import os
import re
import shutil
import time
from pathlib import Path

from suites.common import LLVM, ROOT, Suite, run, say

FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tinygrad-mlir-checks"
DAY = 24 * 3600
# Of sources that no change reaches, one of so many is checked; and of those that one
# may reach.
SHARE = 8
NEAR_SHARE = 4


class Options:
    """What the command line asks for."""

    everything = False
    base = None


@functools.cache
def digest(path):
    """A hash of a file's content; of a missing one, too."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).digest()
    except OSError:
        return b"missing"


@functools.cache
def head():
    status, out = run(["git", "rev-parse", "HEAD"], cwd=ROOT)
    return out.strip() if status == 0 else "none"


def ask_git(*arguments):
    """What git answers; None where it fails."""
    status, out = run(["git", *arguments], cwd=ROOT)
    return out.strip() if status == 0 and out.strip() else None


def find_base():
    """The commit that changes are counted from, None for everything, and why."""
    if Options.base:
        found = ask_git("rev-parse", "--verify", "--quiet", f"{Options.base}^{{commit}}")
        return found, "as asked for"
    try:
        recorded = (FOLDER / "passed").read_text().strip()
    except OSError:
        recorded = ""
    if recorded and ask_git("merge-base", recorded, "HEAD") == recorded:
        return recorded, "the last that passed here"
    upstream = ask_git("merge-base", "HEAD", "@{upstream}")
    if upstream and upstream != head():
        return upstream, "where the branch begins"
    made = ask_git("show", "-s", "--format=%ct", "HEAD")
    if not made:
        return None, "there is no history"
    older = ask_git("rev-list", "-1", f"--before={int(made) - DAY}", "HEAD")
    return older, "the last of the day before"


def is_day_over():
    """Whether everything was last checked more than a day ago, if ever."""
    record = FOLDER / "everything"
    return record.exists() and time.time() - record.stat().st_mtime > DAY


@functools.cache
def changed_files():
    """Absolute paths of files that differ from the base; None for all files."""
    if Options.everything or is_day_over():
        return None
    base, _ = find_base()
    differing = ask_git("diff", "--name-only", "-z", base, "--") if base else None
    if not base:
        return None
    names = (differing or "").split("\0")
    names += (ask_git("ls-files", "-z", "--others", "--exclude-standard") or "").split("\0")
    # What tablegen writes is not in the repository.
    if any(name.endswith(".td") for name in names):
        names.append("build*/*.inc")
    return {str(ROOT / name) for name in names if name}


def get_half(what=""):
    """Which half of tests that also run elsewhere is for this commit, None for both.

    `what`: halves of something else, which do not go with the others.
    """
    if Options.everything or is_day_over():
        return None
    return hashlib.sha256((head() + what).encode()).digest()[0] % 2


def is_changed(path, changed):
    generated = path.endswith(".inc") and str(ROOT / "build*/*.inc") in changed
    return path in changed or generated


@functools.cache
def has_other_includes(path):
    """Whether a changed file includes other files than in the base."""
    base, _ = find_base()
    before = ask_git("show", f"{base}:{os.path.relpath(path, ROOT)}") if base else None
    return before is None or INCLUDE.findall(before) != includes_of(path)


def record_success():
    """Notes that all suites of a run passed."""
    Suite.current.set(Suite(0))
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not ask_git("status", "--porcelain"):
        (FOLDER / "passed").write_text(head() + "\n")
    # From a machine's first run on, the days are counted.
    if changed_files() is None or not (FOLDER / "everything").exists():
        (FOLDER / "everything").touch()


@functools.cache
def versions():
    """What compiles and checks, and the packages of the headers that it reads."""
    texts = []
    for tool in ("clang++", "clang-tidy"):
        texts.append(run([LLVM / tool, "--version"])[1])
    if shutil.which("dpkg-query"):
        names = ("libstdc++-*-dev", "libc6-dev", "libgcc-*-dev", "*-22-dev", "libgtest-dev")
        names += ("libgmock-dev", "libtbb-dev", "libboost*-dev", "zlib1g-dev", "clang-tidy-22")
        texts.append(run(["dpkg-query", "-W", *names])[1])
    return "".join(texts)


def purge(folder):
    """Removes files, of a folder that is made if it is missing, that are a month old."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        if time.time() - file.stat().st_mtime > 30 * DAY:
            file.unlink(missing_ok=True)


def keep_answers():
    """Lets proofs keep the SMT solver's answers. What was asked is asked anew each month."""
    folder = FOLDER / "answers"
    purge(folder)
    os.environ["TINYGRAD_ANSWERS"] = str(folder)


class Checks:
    """The stamps of one kind of check, and how many sources it left out."""

    def __init__(self, kind, *config):
        self.folder = FOLDER / kind
        # Stamps that no run has asked for in a month.
        purge(self.folder)
        self.config = [versions(), *config]
        self.known = self.unreached = 0

    def stamp(self, name, parts):
        """The file that is there if the check passed. `parts`: what it depends on."""
        key = hashlib.sha256()
        for part in [*self.config, os.path.relpath(name, ROOT), *parts]:
            data = part if isinstance(part, bytes) else part.replace(str(ROOT), "@").encode()
            key.update(len(data).to_bytes(8, "little") + data)
        return self.folder / key.hexdigest()

    def is_known(self, stamp):
        """Whether the check passed before."""
        if not stamp.exists():
            return False
        os.utime(stamp)
        self.known += 1
        return True

    def is_due(self, name, stamp, files, near=()):
        """Whether a source, which depends on `files`, has to be checked.

        `near`: other files, whose changes seldom make a difference.
        """
        if self.is_known(stamp):
            return False
        changed = changed_files()
        if changed is None or any(is_changed(path, changed) for path in files):
            return True
        share = NEAR_SHARE if any(is_changed(path, changed) for path in near) else SHARE
        relative = os.path.relpath(name, ROOT)
        if hashlib.sha256((head() + relative).encode()).digest()[0] % share == 0:
            return True
        self.unreached += 1
        return False

    def report(self, what, checked):
        base, why = find_base()
        if changed_files() is None:
            since = "of all"
        else:
            since = f"since {base[:12]}, {why}"
        say(
            f"{what}: {checked} sources checked {since}; {self.known} passed before,"
            f" {self.unreached} not reached"
        )


INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"][^">]+[">])', re.MULTILINE)


@functools.cache
def includes_of(path):
    try:
        return INCLUDE.findall(Path(path).read_text(errors="replace"))
    except OSError:
        return []


def own_includes(path, folders):
    """The files of the repository that `path` reaches, itself first, by their text."""
    found, pending = {}, [path]
    while pending:
        current = pending.pop()
        if current in found:
            continue
        found[current] = True
        for include in includes_of(current):
            near = [os.path.dirname(current)] if include[0] == '"' else []
            for folder in [*near, *folders]:
                candidate = os.path.normpath(os.path.join(folder, include[1:-1]))
                if os.path.isfile(candidate):
                    pending.append(candidate)
                    break
    return list(found)
