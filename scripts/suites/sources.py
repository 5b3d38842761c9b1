"""Suites that look at sources: formatting, includes, documents, clang-tidy."""

import json
import os
import re
import shlex
import sys
import tempfile
import threading
from pathlib import Path

from suites import bases, reach
from suites.common import LLVM, ROOT, Counts, report_check, run, say, side_by_side, tracked


def suite_format(build):
    """clang-format and, for the Python package, ruff leave every source as it is."""
    files = tracked("*.cpp", "*.h", "*.c")
    status, output = run(
        [LLVM / "clang-format", "--dry-run", "-Werror", *files], cwd=ROOT
    )
    lines = [line for line in output.splitlines() if "error:" in line]
    hint = "run scripts/format.sh"
    counts = report_check("format", status, "\n".join(lines[:40]), hint)
    ruff = build / "python-venv" / "bin" / "ruff"
    if not ruff.exists():
        say("skipped: ruff is not installed: scripts/python-venv.sh")
        counts.skipped += 1
        return counts
    files = tracked("python/*.py", "benchmarks/python/*.py")
    status, output = run([ruff, "format", "--diff", "--no-cache", *files], cwd=ROOT)
    counts.add(report_check("format", status, output, hint))
    return counts


def suite_configure(build):
    """What configuring says of missing packages and unknown settings, and the static preset."""
    packages = ("libmlir-22-dev", "mlir-22-tools", "llvm-22-dev", "llvm-22-tools")
    mistakes = {
        "-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON": packages,
        "-DTINYGRAD_LLVM_TARGETS=X86;x87": ("called 'x87'", "NVPTX", "X86"),
    }
    counts = Counts()
    for option, expected in mistakes.items():
        with tempfile.TemporaryDirectory() as scratch:
            status, output = run(
                ["cmake", "--preset", "static", "-S", ROOT, "-B", scratch, option], cwd=ROOT
            )
        missing = [name for name in expected if name not in output]
        hint = f"status {status}, not named: {' '.join(missing) or 'none'}"
        counts.add(report_check(option, status == 0 or bool(missing), output, hint))
    with tempfile.TemporaryDirectory() as scratch:
        status, output = run(["cmake", "--preset", "static", "-S", ROOT, "-B", scratch], cwd=ROOT)
        if status == 0:
            status, output = run(["ninja", "-C", scratch, "-t", "commands", "bin/tg-run"])
            link = output.strip().splitlines()[-1]
            shared = re.search(r"lib(LLVM|MLIR)\.so|-l(LLVM|MLIR)\b", link)
            if shared or "libLLVMX86CodeGen.a" not in link:
                status, output = 1, link
        hint = "the static preset links shared libraries of LLVM"
        counts.add(report_check("static preset", status, output, hint))
    return counts


# Two at once in a build could both write its logs.
NINJA = threading.Lock()


def suite_docs(build):
    """The reference pages in docs/ are what the .td files generate."""
    with NINJA:
        status, output = run(
            ["cmake", "--build", build, "--target", "check-reference"], cwd=ROOT
        )
    hint = "build the target update-reference and commit docs/reference"
    return report_check("docs", status, output, hint)


def suite_libraries(build):
    """Libraries link what they use and nothing else, as docs/design.md shows it."""
    status, output = run(
        [sys.executable, ROOT / "scripts" / "check-libraries.py", build]
    )
    return report_check("libraries", status, output, "see CONTRIBUTING.md")


def suite_headers(build):
    """GCC accepts each public header by itself, without a warning.

    A header is checked again by the rule of the suite "includes": warnings in files
    that it includes are those of these files.
    """
    headers = [
        name.removeprefix("include/")
        for name in tracked("include/TinyGrad/*.h", "include/TinyGrad-c/*.h")
    ]
    with open(build / "compile_commands.json") as file:
        command = next(
            entry["command"]
            for entry in json.load(file)
            if entry["file"] == str(ROOT / "lib" / "Compiler" / "Compiler.cpp")
        )
    words = command.split()
    includes = [f"-I{ROOT / 'include'}", f"-I{build / 'include'}"]
    for word, folder in zip(words, words[1:]):
        if word == "-isystem":
            includes += [word, folder]
    folders = folders_of(" ".join(includes))
    stamps = reach.Checks("headers", run(["g++", "--version"])[1])

    def check(name):
        header = str(ROOT / "include" / name)
        stamp, files, near = closure_stamp(stamps, header, includes, folders)
        if not stamps.is_due(header, stamp, files, near):
            return None
        compiler = ["g++", "-std=c++20", "-x", "c++"]
        if name.startswith("TinyGrad-c/"):
            compiler = ["gcc", "-std=c11", "-x", "c"]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(f'#include "{name}"\n')
            file.flush()
            # Declarations that tablegen writes have parameters without use.
            flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
            flags += ["-Wno-unused-parameter", *includes]
            status, output = run([*compiler, *flags, file.name])
        if status == 0:
            stamp.touch()
        return name, status, output

    counts = Counts()
    for result in side_by_side(check, headers):
        if result is None:
            continue
        name, status, output = result
        hint = "g++ does not take it by itself"
        counts.add(report_check(name, status, output, hint))
    stamps.report("headers", counts.passed + counts.failed)
    return counts


def dependencies(build):
    """Maps each source to what its object was compiled from, by ninja's log."""
    with NINJA:
        _, output = run(["ninja", "-C", build, "-t", "deps"])
    result, files = {}, []
    for line in output.splitlines():
        if line.startswith("    "):
            path = os.path.normpath(build / line.strip())
            if not path.endswith(".pch"):
                files.append(path)
        elif not line:
            # The precompiled header comes first where there is one.
            own = (name for name in files if name.endswith(".cpp") and name.startswith(str(ROOT)))
            source = next(own, None)
            if source:
                result[source] = files
            files = []
    return result


# The arguments of Clang by which CMake includes a precompiled header.
PRECOMPILED = re.compile(r"-Xclang -include(-pch)? -Xclang \S*cmake_pch\S* ")


def plain_commands(build):
    """The compile commands, without precompiled headers; and who had one."""
    with open(build / "compile_commands.json") as file:
        entries = json.load(file)
    precompiled = {e["file"] for e in entries if PRECOMPILED.search(e["command"])}
    for entry in entries:
        entry["command"] = PRECOMPILED.sub("", entry["command"])
    return entries, precompiled


FIRST_INCLUDE = re.compile(r'#include "([^"]+)"')


def folders_of(command):
    """The folders in which a compile command looks for own headers."""
    return [word[2:] for word in shlex.split(command) if word.startswith("-I")]


def same_name(name, files):
    """Those of `files` that have the name of a source, as it and its header have."""
    stem = Path(name).stem
    return [path for path in files if Path(path).name.split(".")[0] == stem]


def closure_stamp(stamps, name, options, folders):
    """The stamp of a check that `name` compiles by itself, and the files it depends on.

    These are the file and those of the same name, as its header and what tablegen wrote
    for it; and, by themselves, others that include other files than before: what else a
    header says cannot make includes superfluous or missing in sources that compile.
    """
    closure = reach.own_includes(name, folders)
    texts = same_name(name, closure)
    parts = [*options, *map(reach.digest, texts)]
    for path in closure:
        parts += [path, *reach.includes_of(path)]
    changed = reach.changed_files() or set()
    others = [p for p in closure if p in changed and reach.has_other_includes(p)]
    return stamps.stamp(name, parts), texts, others


def suite_includes(build):
    """Sources and headers compile by themselves, without the precompiled headers.

    A source is checked again when its own text or that of its own header differs; of
    those that include a file that includes other files than before (closure_stamp), a
    quarter is, another one for each commit.

    Headers that a source, or its own header where it begins with one, includes anyway
    may be precompiled (bases.py): nothing else is declared by them.
    """
    entries, precompiled = plain_commands(build)
    commands = {entry["file"]: entry for entry in entries}
    folders = ("lib", "tools", "examples", "benchmarks", "unittests", "test")
    sources = [str(ROOT / name) for name in tracked(*(f"{f}/*.cpp" for f in folders))]
    checks = [(name, name) for name in sources if name in precompiled]
    # Public headers are those of another suite. A source that begins with its
    # own header says that this one compiles.
    for name in tracked("lib/*.h", "tools/*.h", "benchmarks/*.h", "unittests/*.h"):
        header = ROOT / name
        own = header.with_suffix(".cpp")
        first = FIRST_INCLUDE.search(own.read_text()) if own.exists() else None
        if first and first[1].endswith(header.name):
            continue
        # With the options of a source that may include it.
        near = [path for path in commands if path.startswith(str(header.parent))]
        checks.append((str(header), near[0] if near else str(own)))
    stamps = reach.Checks("includes")
    made = bases.Bases(build / "includes")
    due = []
    for name, like in checks:
        entry = commands[like]
        folders = folders_of(entry["command"])
        stamp, files, near = closure_stamp(stamps, name, [entry["command"]], folders)
        if not stamps.is_due(name, stamp, files, near):
            continue
        words = bases.words_of(entry["command"])
        # Of own headers, the public ones are checked by themselves elsewhere.
        first = bases.first_own_include(name, folders)
        is_private = first and not first.startswith(str(ROOT / "include"))
        whole = first if is_private and name.endswith(".cpp") else name
        base = bases.find_base(whole, folders)
        made.expect(base, words)
        due.append((name, stamp, base, words, entry["directory"]))

    def check(task):
        name, stamp, base, words, directory = task
        file = made.get(base, words, directory)
        included = ["-Xclang", "-include-pch", "-Xclang", file] if file else []
        language = ["-x", "c++-header"] if name.endswith(".h") else []
        status, output = run(
            [*words, *included, "-fsyntax-only", *language, name], cwd=directory
        )
        if status == 0:
            stamp.touch()
        return name, status, output

    counts = Counts()
    for name, status, output in side_by_side(check, due):
        hint = "it does not include what it uses"
        counts.add(report_check(os.path.relpath(name, ROOT), status, output, hint))
    stamps.report("includes", counts.passed + counts.failed)
    return counts


# A range-for whose array is gone in the body.
DANGLING_LIST = """
#include <initializer_list>
template <class T> struct ArrayRef {
  ArrayRef(const std::initializer_list<T> &list) : first(list.begin()), last(list.end()) {}
  const T *begin() const { return first; }
  const T *end() const { return last; }
  const T *first, *last;
};
ArrayRef<int> same(ArrayRef<int> list) { return list; }
int sum(int x, int y) {
  int total = 0;
  for (int number : same(ArrayRef<int>{x, y}))
    total += number;
  return total;
}
"""


def build_tidy_plugin():
    """The plugin that makes clang-tidy fast with precompiled headers; None without Clang's."""
    source = ROOT / "scripts" / "tidy" / "OwnDeclarations.cpp"
    include = LLVM.parent / "include"
    if not (include / "clang" / "AST" / "ASTConsumer.h").exists():
        say("tidy: without libclang-22-dev it takes three times as long")
        return None
    stamps = reach.Checks("tidy")
    plugin = stamps.stamp(str(source), [reach.digest(source)]).with_suffix(".so")
    if not plugin.exists():
        scratch = plugin.with_suffix(f".{os.getpid()}")
        status, output = run(
            [LLVM / "clang++", "-std=c++20", "-O1", "-fPIC", "-shared", "-fno-rtti"]
            + ["-isystem", include, source, "-o", scratch]
        )
        if status != 0:
            raise RuntimeError(f"no plugin for clang-tidy:\n{output}")
        scratch.rename(plugin)
    os.utime(plugin)
    return plugin


def suite_tidy(build):
    """clang-tidy finds nothing in own sources.

    A source is checked again when its own text or that of its own header differs; of
    those that include the header of another source that does, a quarter is, another one
    for each commit.
    """
    plugin = build_tidy_plugin()
    if plugin:
        entries = json.loads((build / "compile_commands.json").read_text())
    else:
        entries, _ = plain_commands(build)
    entries_of = {entry["file"]: entry for entry in entries}
    folders = ("lib", "tools", "examples", "benchmarks", "python")
    files = [
        str(ROOT / name)
        for name in tracked(*(f"{folder}/*.cpp" for folder in folders))
        if str(ROOT / name) in entries_of
    ]
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    # Of headers that are precompiled, clang-tidy says nothing: a source for each base,
    # with the options of one that includes it, is checked without.
    base_of = {f: bases.find_base(f, folders_of(entries_of[f]["command"])) for f in files}
    heads = []
    for number, base in enumerate(bases.BASES):
        like = next((file for file in files if base_of[file] == base), None)
        if like is None:
            continue
        head = str(folder / f"head-{number}.cpp")
        Path(head).write_text(bases.text_of(base))
        command = entries_of[like]["command"].replace(like, head)
        entries_of[head] = dict(entries_of[like], file=head, command=command)
        entries.append(entries_of[head])
        heads.append(head)
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    config = ROOT / ".clang-tidy"
    clang_tidy = [LLVM / "clang-tidy", "--experimental-custom-checks"]
    # The compiler does not warn of what the standard library does with templates
    # that it deprecates; clang-tidy does.
    clang_tidy += ["--extra-arg=-Wno-deprecated-declarations"]
    if plugin:
        clang_tidy.append(f"-load={plugin}")
    stamps = reach.Checks("tidy", reach.digest(config))
    includes = dependencies(build)
    made = bases.Bases(folder)
    stems = {Path(file).stem for file in files}
    due = []
    for name in [*heads, *files]:
        # Without cmake/MlirPch.h: what is precompiled makes no difference.
        needed = [p for p in includes.get(name, [name]) if not p.startswith(str(ROOT / "cmake"))]
        entry = entries_of[name]
        if name in heads:
            needed = reach.own_includes(name, folders_of(entry["command"]))
        parts = [entry["command"]]
        for path in needed:
            parts += [path, reach.digest(path)]
        stamp = stamps.stamp(name, parts)
        # What is wrong in a header without a source, sources that include it say.
        others = [p for p in needed if p.endswith(".h") and Path(p).stem not in stems]
        own = same_name(name, needed) + others
        near = [path for path in needed if path not in own]
        if not stamps.is_due(name, stamp, [str(config), *own], near):
            continue
        base = base_of.get(name)
        made.expect(base, bases.words_of(entry["command"]))
        due.append((name, stamp, base))

    def check(task):
        name, stamp, base = task
        entry = entries_of[name]
        words = bases.words_of(entry["command"])
        file = made.get(base, words, entry["directory"])
        # clang-tidy takes the last of two options that name a precompiled header.
        added = ["-Xclang", "-include-pch", "-Xclang", str(file)] if file else []
        extra = [f"--extra-arg={word}" for word in added]
        status, output = run([*clang_tidy, *extra, "--quiet", "-p", folder, name], cwd=ROOT)
        if status == 0 and (name in includes or name in heads):
            stamp.touch()
        return name, status, output

    # The project's own check, which depends on an experimental option, works.
    with tempfile.TemporaryDirectory() as scratch:
        example = Path(scratch) / "example.cpp"
        example.write_text(DANGLING_LIST)
        status, output = run(
            [*clang_tidy, f"--config-file={config}", example, "--", "-std=c++20"]
        )
    found = "custom-list-in-range-for" in output
    hint = "clang-tidy does not find a list that ends before its loop"
    counts = report_check("tidy", 0 if status and found else 1, output, hint)
    for name, status, output in side_by_side(check, due):
        if status == 0:
            counts.passed += 1
            continue
        say(output.rstrip())
        say(f"FAILED: clang-tidy {os.path.relpath(name, ROOT)}")
        counts.failed += 1
    stamps.report("tidy", counts.passed + counts.failed - 1)
    return counts
