"""Headers that many sources include, precompiled for checks of these sources.

A base is a list of headers. Where a source includes all of them, Clang gets them
precompiled instead of reading them again, which takes most of the time of a check. The
build has no such headers: each change of one would compile everything anew.
"""

import collections
import concurrent.futures
import os
import shlex
import threading
from pathlib import Path

from suites import reach
from suites.common import run

# Each check takes the first one that it can.
BASES = (
    ("TinyGrad/Dialect/Tg/IR/Tg.h", "TinyGrad/Dialect/Tg/Transforms/Passes.h"),
    ("TinyGrad/Dialect/Tg/IR/Tg.h", "TinyGrad/Tensor/Tensor.h"),
    ("TinyGrad/Dialect/Tg/IR/Tg.h", "gtest/gtest.h"),
    ("TinyGrad/Dialect/Tg/IR/Tg.h",),
    ("TinyGrad/Tensor/Tensor.h", "gtest/gtest.h"),
    ("TinyGrad/Tensor/Tensor.h",),
    ("gtest/gtest.h",),
)
# To precompile one takes as long as it saves in two or three checks.
FEW = 4


def find_base(path, folders):
    """The first base of headers that the file `path`, or one that it includes, names."""
    names = set()
    for file in reach.own_includes(path, folders):
        names.update(include[1:-1] for include in reach.includes_of(file))
    return next((base for base in BASES if names.issuperset(base)), None)


def options_of(words):
    """The words that a precompiled header has to agree on with what includes it."""
    options, words = [], iter(words)
    for word in words:
        if word == "-isystem":
            next(words)
        elif not word.startswith("-I"):
            options.append(word)
    return tuple(options)


class Bases:
    """The precompiled headers of one suite, made when a check first asks for them."""

    def __init__(self, folder):
        self.folder, self.users = folder, collections.Counter()
        self.made, self.lock = {}, threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def expect(self, base, words):
        """A check will ask for a base, by its compile command up to `-o` or a source."""
        self.users[base, options_of(words)] += 1

    def get(self, base, words, directory):
        """A file to name after -include-pch; None for no base, and one of few checks."""
        key = (base, options_of(words))
        if base is None or self.users[key] < FEW:
            return None
        with self.lock:
            future = self.made.get(key)
            is_first = future is None
            if is_first:
                future = self.made[key] = concurrent.futures.Future()
                number = len(self.made)
        if is_first:
            try:
                future.set_result(self.make(base, words, directory, number))
            except BaseException as error:
                future.set_exception(error)
        return future.result()

    def make(self, base, words, directory, number):
        header = self.folder / f"base-{number}.h"
        header.write_text(text_of(base))
        file = header.with_suffix(".pch")
        status, _ = run([*words, "-x", "c++-header", header, "-o", file], cwd=directory)
        # What is wrong with the headers, checks of sources that include them say.
        return file if status == 0 else None


def text_of(base):
    return "".join(f'#include "{name}"\n' for name in base)


def words_of(command):
    """The compiler and options of a compile command."""
    words = shlex.split(command.split(" -o ")[0])
    return words[next(i for i, word in enumerate(words) if "/clang++" in word) :]


def first_own_include(path, folders):
    """The header that `path` begins with, if it is one of the repository's."""
    for include in reach.includes_of(path)[:1]:
        near = [os.path.dirname(path)] if include[0] == '"' else []
        for folder in [*near, *folders]:
            candidate = os.path.normpath(os.path.join(folder, include[1:-1]))
            if Path(candidate).is_file():
                return candidate
    return None
