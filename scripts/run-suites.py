#!/usr/bin/env python3
"""Runs the test suites of a built tree and sums up what they report.

Each suite yields (name, passed, failed, skipped) from the machine-readable
report of its runner, never from the text it prints. A runner that dies before
it wrote its report counts as one failure.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LLVM = Path("/usr/lib/llvm-22/bin")
BUILD_DIRS = {
    "release": "build",
    "debug": "build-debug",
    "sanitize": "build-sanitize",
    "tsan": "build-tsan",
}
# A user's settings, which tests must not see.
SETTINGS = (
    "DEV DEBUG NOOPT ALLOW_TF32 SPEC LRU CACHELEVEL CACHESIZE THREADS PROFILE PROGRAMS KERNELS"
    " MCPU SIMCHIP SIMSEED SIMCOUNT SIMSKIP REPRODUCER MEMLIMIT CUDALIB HIPLIB".split()
)
# A single test program that runs longer than this hangs.
TIMEOUT = 1800


class Counts:
    """What one suite, or all of them, came to."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def run(command, **kwargs):
    """Runs `command`; returns (exit status, output), -1 when it timed out."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
            errors="replace",
            **kwargs,
        )
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as error:
        output = error.stdout or b""
        if isinstance(output, bytes):
            output = output.decode(errors="replace")
        return -1, output + f"\ntimed out after {TIMEOUT} s\n"


def tracked(*patterns):
    """The files of the repository that match, without those that are gone."""
    status, out = run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT)
    if status != 0:
        sys.exit(f"run-suites.py: git ls-files failed: {out}\n0 passed, 1 failed")
    return [name for name in out.split("\0") if name and (ROOT / name).exists()]


def report_check(name, status, output, hint):
    """Counts a yes-or-no check as one test."""
    if status == 0:
        return Counts(passed=1)
    print(output.rstrip())
    print(f"FAILED: {name}: {hint}")
    return Counts(failed=1)


def suite_format(_):
    """clang-format leaves every source as it is."""
    files = tracked("*.cpp", "*.h", "*.c")
    status, output = run(
        [LLVM / "clang-format", "--dry-run", "-Werror", *files], cwd=ROOT
    )
    lines = [line for line in output.splitlines() if "error:" in line]
    hint = "run scripts/format.sh"
    return report_check("format", status, "\n".join(lines[:40]), hint)


def dependencies(build):
    """Maps each source to what its object was compiled from, by ninja's log."""
    _, output = run(["ninja", "-C", build, "-t", "deps"])
    result, files = {}, []
    for line in output.splitlines():
        if line.startswith("    "):
            path = os.path.normpath(build / line.strip())
            if path.startswith(str(ROOT)) and not path.endswith(".pch"):
                files.append(path)
        elif not line:
            # The precompiled header comes first where there is one.
            source = next((name for name in files if name.endswith(".cpp")), None)
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


class Stamps:
    """Sources that passed: with the same text of all they include, they pass again."""

    def __init__(self, build, folder, config=b""):
        self.folder, self.config = build / folder, config
        self.includes = dependencies(build)
        self.folder.mkdir(exist_ok=True)

    def get(self, name, command):
        """The file that is there if the source passed; None if that is unknown."""
        if name not in self.includes:
            return None
        key = hashlib.sha256(self.config + command.encode())
        for path in self.includes[name]:
            if os.path.exists(path):
                key.update(Path(path).read_bytes())
        return self.folder / key.hexdigest()


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


def suite_tidy(build):
    """clang-tidy finds nothing in own sources, which need no precompiled header."""
    # What a source uses it includes, whatever the precompiled header has.
    entries, _ = plain_commands(build)
    commands = {entry["file"]: entry["command"] for entry in entries}
    files = [
        str(ROOT / name)
        for name in tracked(
            "lib/*.cpp", "tools/*.cpp", "examples/*.cpp", "benchmarks/*.cpp"
        )
        if str(ROOT / name) in commands
    ]
    seen = Stamps(build, "tidy", (ROOT / ".clang-tidy").read_bytes())
    (seen.folder / "compile_commands.json").write_text(json.dumps(entries))
    clang_tidy = [LLVM / "clang-tidy", "--experimental-custom-checks"]
    # The compiler does not warn of what the standard library does with templates
    # that it deprecates; clang-tidy does.
    clang_tidy += ["--extra-arg=-Wno-deprecated-declarations"]

    def check(name):
        stamp = seen.get(name, commands[name])
        if stamp and stamp.exists():
            return name, 0, ""
        status, output = run(
            [*clang_tidy, "--quiet", "-p", seen.folder, name], cwd=ROOT
        )
        if status == 0 and stamp:
            stamp.touch()
        return name, status, output

    # The project's own check, which depends on an experimental option, works.
    with tempfile.TemporaryDirectory() as scratch:
        example = Path(scratch) / "example.cpp"
        example.write_text(DANGLING_LIST)
        config_file = f"--config-file={ROOT / '.clang-tidy'}"
        status, output = run([*clang_tidy, config_file, example, "--", "-std=c++20"])
    found = "custom-list-in-range-for" in output
    hint = "clang-tidy does not find a list that ends before its loop"
    counts = report_check("tidy", 0 if status and found else 1, output, hint)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, output in pool.map(check, files):
            if status == 0:
                counts.passed += 1
                continue
            print(output.rstrip())
            print(f"FAILED: clang-tidy {os.path.relpath(name, ROOT)}")
            counts.failed += 1
    return counts


FIRST_INCLUDE = re.compile(r'#include "([^"]+)"')


def suite_includes(build):
    """Headers compile by themselves, and tests without the precompiled header."""
    entries, precompiled = plain_commands(build)
    commands = {entry["file"]: entry for entry in entries}
    seen = Stamps(build, "includes")
    # clang-tidy sees all other sources without it.
    sources = [str(ROOT / name) for name in tracked("unittests/*.cpp")]
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

    def check(task):
        name, like = task
        entry = commands[like]
        stamp = seen.get(name, entry["command"])
        if stamp and stamp.exists():
            return name, 0, ""
        words = shlex.split(entry["command"].split(" -o ")[0])
        compiler = next(i for i, word in enumerate(words) if "/clang++" in word)
        language = ["-x", "c++-header"] if name.endswith(".h") else []
        status, output = run(
            [*words[compiler:], "-fsyntax-only", *language, name],
            cwd=entry["directory"],
        )
        if status == 0 and stamp:
            stamp.touch()
        return name, status, output

    counts = Counts()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, output in pool.map(check, checks):
            hint = "it does not include what it uses"
            counts.add(
                report_check(os.path.relpath(name, ROOT), status, output, hint)
            )
    return counts


def suite_configure(build):
    """Without MLIR, configuring fails and names the packages to install."""
    with tempfile.TemporaryDirectory() as scratch:
        status, output = run(
            ["cmake", "--preset", "release", "-S", ROOT, "-B", scratch]
            + ["-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON"],
            cwd=ROOT,
        )
    packages = ("libmlir-22-dev", "mlir-22-tools", "llvm-22-dev", "llvm-22-tools")
    missing = [name for name in packages if name not in output]
    hint = f"status {status}, not named: {' '.join(missing) or 'none'}"
    return report_check("configure", status == 0 or bool(missing), output, hint)


def suite_docs(build):
    """The reference pages in docs/ are what the .td files generate."""
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


def is_sanitized(build):
    return build.name == BUILD_DIRS["sanitize"]


def suite_headers(build):
    """GCC accepts each public header by itself, without a warning."""
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

    def check(name):
        compiler = ["g++", "-std=c++20", "-x", "c++"]
        if name.startswith("TinyGrad-c/"):
            compiler = ["gcc", "-std=c11", "-x", "c"]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(f'#include "{name}"\n')
            file.flush()
            # Declarations that tablegen writes have parameters without use.
            flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
            flags += ["-Wno-unused-parameter", *includes]
            return name, *run([*compiler, *flags, file.name])

    counts = Counts()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, output in pool.map(check, headers):
            hint = "g++ does not take it by itself"
            counts.add(report_check(name, status, output, hint))
    return counts


def suite_lit(build):
    """The lit suite."""
    return run_lit(build)


def run_lit(build, folder="", settings=None):
    """Runs the lit tests, or those of a folder, with settings for all of them."""
    report = build / "test" / "lit-results.json"
    report.unlink(missing_ok=True)
    command = [sys.executable, LLVM / "lit", "-sv", "-o", report, build / "test" / folder]
    for name, value in (settings or {}).items():
        command += ["--param", f"{name}={value}"]
    status, output = run(command, cwd=ROOT)
    counts = Counts()
    if report.exists():
        for test in json.loads(report.read_text())["tests"]:
            if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
                counts.passed += 1
            elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
                counts.skipped += 1
            else:
                counts.failed += 1
    elif status == 0:
        print("FAILED: lit wrote no report")
        counts.failed += 1
    if status != 0:
        print(output.rstrip())
        counts.failed = max(counts.failed, 1)
    return counts


def suite_gtest(build):
    """Every GoogleTest program in unittests/."""
    # Random graphs are for other suites where each takes ten times as long.
    more = {"TG_REWRITE_GRAPHS": "2000"} if is_sanitized(build) else {}
    return run_unittests(build, {name: more for name in unittests_of(build)})


def suite_threads(build):
    """The tests of the threads of runtime and data loader, for the thread sanitizer."""
    return run_unittests(
        build,
        {
            "TinyGradDataThreadTests": {},
            "TinyGradRuntimeTests": {},
            "TinyGradDeviceConformanceTests": {"THREADS": "4"},
            "TinyGradGPURuntimeTests": {"THREADS": "4"},
        },
    )


def suite_processors(build):
    """The tests that run kernels, and random graphs, as on AVX2 and SSE4."""
    counts = Counts()
    for processor in ("x86-64-v3", "x86-64-v2"):
        settings = {"MCPU": processor}
        status, output = run(
            [build / "bin" / "tg-compile", os.devnull],
            env=dict(os.environ, **settings),
        )
        if status != 0:
            print(f"skipped: {output.strip()}")
            counts.skipped += 1
            continue
        names = ("MLIRTgCpuTargetTests", "TinyGradTensorTests")
        counts.add(run_unittests(build, {name: settings for name in names}))
        counts.add(run_fuzz(build, [(settings, 300)]))
    return counts


# Tests whose tensors are too large for a simulator.
LARGE_TESTS = (
    "BoundValuesTest.aLoopOfNewValuesKeepsNothing",
    "Matmul.LargeLeftMatrices",
    "Matmul.RowsTimesLargeMatrices",
    "SymbolicShapeTest.LargeSizes",
)


def suite_simulator(build):
    """The tests that run kernels, and random graphs, on simulated GPUs."""
    settings = {"DEV": "SIM", "GTEST_FILTER": "-" + ":".join(LARGE_TESTS)}
    counts = run_unittests(build, {"TinyGradTensorTests": settings})
    # Subgroups of 32 and of 64 items, in different orders.
    runs = [
        ({"SIMCHIP": "sm_90"}, 500),
        ({"SIMCHIP": "gfx942", "SIMSEED": "7"}, 500),
    ]
    for chip, _ in runs:
        counts.add(run_lit(build, "Execution", {"DEV": "SIM", **chip}))
    # A part too small for most schedules.
    runs.append(({"SIMCHIP": "sm_70,items=64,shared=2048,units=2,matrix=0"}, 200))
    counts.add(run_fuzz(build, runs, ["--device=SIM", "--symbolic=40"]))
    return counts


def run_on_gpu(build, device):
    """Everything that runs kernels, on a GPU; skipped where there is none."""
    settings = {"DEV": device}
    # Where there is none, this says why.
    status, output = run(
        [build / "bin" / "tg-compile", os.devnull], env=dict(os.environ, **settings)
    )
    if status != 0:
        print(f"skipped: {output.strip()}")
        return Counts(skipped=1)
    names = ("Tensor", "NN", "Optim", "State")
    programs = {f"TinyGrad{name}Tests": settings for name in names}
    counts = run_unittests(build, {"TinyGradDeviceConformanceTests": {}, **programs})
    counts.add(run_lit(build, "Execution", settings))
    counts.add(run_lit(build, "Examples", settings))
    runs = [({}, 500), ({"NOOPT": "1"}, 200)]
    counts.add(run_fuzz(build, runs, [f"--device={device}", "--symbolic=40"]))
    return counts


# Files of test/Execution with compiled kernels of each kind: memory that groups
# share, exchanges, matrix units, copies ahead, and computed indices.
SANITIZED = (
    "convolution-weights", "deep-convolution", "deep-product", "gather-any-index", "matmul",
    "permute", "reduce-add", "scan", "scatter-sum", "small-tiles", "turned-sum",
)


def suite_cuda(build):
    """The tests that run kernels, on an NVIDIA GPU where there is one."""
    counts = run_on_gpu(build, "CUDA")
    sanitizer = shutil.which("compute-sanitizer")
    if not counts.passed:
        return counts
    if not sanitizer:
        print("skipped: there is no compute-sanitizer")
        counts.skipped += 1
        return counts
    program = build / "unittests" / "TinyGradDeviceConformanceTests"
    programs = {"cuda": [program, "--gtest_filter=*/CUDA", "--gtest_brief=1"]}
    for name in SANITIZED:
        file = ROOT / "test" / "Execution" / f"{name}.mlir"
        programs[name] = [build / "bin" / "tg-run", file, "--device=CUDA"]
    environment = {k: v for k, v in os.environ.items() if k not in SETTINGS}
    for name, program in programs.items():
        for tool in ("memcheck", "racecheck"):
            status, output = run(
                [sanitizer, f"--tool={tool}", "--error-exitcode=1", *program], env=environment
            )
            hint = f"compute-sanitizer's {tool} has found errors"
            counts.add(report_check(f"{name}, {tool}", status, output, hint))
    return counts


def suite_hip(build):
    """The tests that run kernels, on an AMD GPU where there is one."""
    return run_on_gpu(build, "AMD")


def suite_proofs(build):
    """GPU kernels of random graphs and on matrix units are proved: bounds, no races."""
    if not shutil.which("z3"):
        print("skipped: there is no z3")
        return Counts(skipped=1)
    inputs = ROOT / "test" / "Dialect" / "Tg" / "Verify" / "Inputs"
    folder = build / "proofs"
    folder.mkdir(exist_ok=True)

    def run_part(task):
        target, source = task
        is_random = isinstance(source, int)
        name = f"{target}, graphs of seed {source}" if is_random else f"{target}, {source} products"
        graphs = folder / f"graphs-{target.replace(':', '-')}-{source}.mlir"
        if is_random:
            script = [inputs / "random-graphs.py", build / "bin" / "tg-fuzz", "50", str(source)]
        elif source == "matrix":
            script = [inputs / "matrix-graphs.py"]
        else:
            script = [ROOT / "test/Execution/Inputs/check-products.py", "--graphs", source]
        script.insert(0, sys.executable)
        status, output = run(script)
        if status == 0:
            graphs.write_text(output)
            script = [sys.executable, inputs / "verify-gpu-kernels.py"]
            script += ["--undecided"] if is_random else []
            status, output = run([*script, build / "bin" / "tg-opt", target, graphs])
        # The end names what was not proved.
        return report_check(name, status, output[-4000:], f"the graphs are in {graphs}")

    # Other graphs for each target.
    tasks = [("cuda:sm_90", seed) for seed in range(1, 7)]
    tasks += [("amd:gfx942", seed) for seed in range(7, 13)]
    # Those that the lit suite has no time for.
    others = ["cuda:sm_75", "cuda:sm_80", "amd:gfx90a", "amd:gfx950", "amd:gfx1201"]
    tasks += [(target, "matrix") for target in others]
    for source in ("tiles", "symbolic"):
        tasks += [(target, source) for target in ("cuda:sm_90", "amd:gfx942")]
    counts = Counts()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(run_part, tasks):
            counts.add(result)
    return counts


# Bytes that ptxas spills, in sources of the suite "ptxas", by part and chip: for
# f64, registers of two groups are one too few.
SPILLED = {("many-registers, part 2", "sm_75"): 8}


def suite_ptxas(build):
    """CUDA's assembler takes the PTX of many graphs, and spills no registers."""
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    if not ptxas:
        print("skipped: there is no ptxas")
        return Counts(skipped=1)
    chips = ("sm_75", "sm_80:tf32", "sm_90", "sm_120")
    inputs = ROOT / "test" / "Dialect" / "Tg" / "Verify" / "Inputs"
    sources = {path.name: path.read_text() for path in ROOT.glob("test/Execution/*.mlir")}
    for name in ("large-graphs", "many-registers"):
        sources[name] = (inputs / f"{name}.mlir").read_text()
    for name, arguments in (
        ("symbolic-graphs", []),
        ("random-graphs", [build / "bin" / "tg-fuzz", "100", "14"]),
    ):
        status, sources[name] = run([sys.executable, inputs / f"{name}.py", *arguments])
        if status != 0:
            return report_check(name, status, sources[name], "no graphs to assemble")

    def run_part(task):
        name, text = task
        counts = Counts()
        with tempfile.TemporaryDirectory() as scratch:
            graph, ptx = Path(scratch) / "graph.mlir", Path(scratch) / "kernels.ptx"
            graph.write_text(text)
            for chip in chips:
                compiler = [build / "bin" / "tg-compile", graph, "--emit=obj", "-o", ptx]
                status, output = run([*compiler, f"--target=cuda:{chip}"])
                # Some graphs only copy or sort, or have no elements.
                if "needs no kernel" in output or "without a kernel" in output:
                    continue
                if status == 0:
                    script = ROOT / "test" / "Target" / "GPU" / "Inputs" / "assemble.py"
                    allowed = SPILLED.get((name, chip), 0)
                    status, output = run(
                        [sys.executable, script, ptxas, chip.split(":")[0], ptx, str(allowed)]
                    )
                counts.add(report_check(f"{name} for {chip}", status, output, text[:2000]))
        return counts

    tasks = []
    for name, text in sorted(sources.items()):
        parts = re.split(r"^// -----.*$", text, flags=re.MULTILINE)
        tasks += [(f"{name}, part {i}", part) for i, part in enumerate(parts) if part.strip()]
    counts = Counts()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(run_part, tasks):
            counts.add(result)
    return counts


def unittests_of(build):
    """The GoogleTest programs of a build, those of older sources left out."""
    return (build / "unittests" / "unittests.txt").read_text().split()


def run_unittests(build, programs):
    """Runs GoogleTest programs, given with more settings for each.

    Each is cut into parts, one for each of up to 8 cores, which run side by side.
    """
    for name in sorted(programs.keys() - unittests_of(build)):
        print(f"FAILED: the build has no program {name}")
        return Counts(failed=1)
    # The programs start threads themselves.
    parts = min(os.cpu_count(), 8)
    results = {name: Counts() for name in programs}
    with tempfile.TemporaryDirectory() as scratch:
        environment = dict(os.environ, CACHEDIR=f"{scratch}/cache")
        for name in SETTINGS:
            environment.pop(name, None)

        def run_part(task):
            name, part = task
            folder = Path(scratch) / f"{name}-{part}"
            folder.mkdir()
            report = folder / "report.json"
            shard = {"GTEST_TOTAL_SHARDS": str(parts), "GTEST_SHARD_INDEX": str(part)}
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
        with concurrent.futures.ThreadPoolExecutor(parts) as pool:
            for name, status, output, result in pool.map(run_part, tasks):
                if status != 0:
                    print(output.rstrip())
                    print(f"FAILED: {name} ended with status {status}")
                    result.failed = max(result.failed, 1)
                results[name].add(result)
    counts = Counts()
    for name, result in results.items():
        if result.passed + result.skipped + result.failed == 0:
            print(f"FAILED: {name} ran no test")
            result.failed += 1
        counts.add(result)
    return counts


def suite_fuzz(build):
    """Random graphs: compiled code against the interpreter, with a fixed seed."""
    # Some once more, with every access to memory checked.
    few = is_sanitized(build)
    counts = run_fuzz(
        build, [({}, 300 if few else 2000), ({"SPEC": "2"}, 50 if few else 200)]
    )
    gradients = [({}, 50 if few else 300)]
    counts.add(run_fuzz(build, gradients, ["--gradients=100"], "fuzz-gradients"))
    return counts


def run_fuzz(build, runs, options=(), title="fuzz"):
    """Runs tg-fuzz with options for each of (settings, how many graphs)."""
    command = [build / "bin" / "tg-fuzz", "--seed=1", "--max-failures=10", *options]
    # And with steps of schedules that no heuristic would choose, where code
    # is compiled fast.
    if not is_sanitized(build):
        command.append("--random-schedules=1")
    # A graph takes a tenth of a second, on a busy machine and with sanitizers
    # many times as long.
    command.append("--timeout=300")
    environment = dict(os.environ, CACHEDIR=str(build / "fuzz" / "cache"))
    for name in SETTINGS:
        environment.pop(name, None)

    def run_part(task):
        settings, first, count = task
        name = " ".join([title, *(f"{key}={value}" for key, value in settings.items())])
        output_dir = build / "fuzz" / f"{name.replace(' ', '-')}-{first}"
        arguments = [f"--first={first}", f"--graphs={count}"]
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
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(run_part, tasks):
            counts.add(result)
    if not counts.failed:
        print(f"{title}: {sum(graphs for _, graphs in runs)} graphs")
    return counts


def suite_attack(build):
    """Mutated inputs: none crashes, hangs or is reported by a sanitizer."""
    findings = build / "attack"
    shutil.rmtree(findings, ignore_errors=True)
    status, output = run(
        [sys.executable, ROOT / "scripts" / "attack.py", build]
        + ["--output-dir", findings],
    )
    if status == 0:
        print(output.strip().splitlines()[-1])
    return report_check("attack", status, output, f"the inputs are in {findings}")


def suite_readers(build):
    """Random files: readers return or throw, under sanitizers, for seconds each."""
    findings = build / "fuzzers" / "findings"
    shutil.rmtree(findings, ignore_errors=True)
    findings.mkdir(parents=True)
    counts = Counts()
    for line in (build / "fuzzers.txt").read_text().splitlines():
        name, corpus = line.split()
        # New inputs go to the first folder.
        with tempfile.TemporaryDirectory() as scratch:
            status, output = run(
                [build / "fuzzers" / name, "-max_total_time=5", "-timeout=20"]
                + ["-print_final_stats=1", f"-artifact_prefix={findings}/"]
                + [scratch, corpus],
                cwd=build,
            )
        hint = f"the input is in {findings}; {name} FILE runs it again"
        counts.add(report_check(name, status, output, hint))
        runs = re.search(r"number_of_executed_units: *(\d+)", output)
        if status == 0 and runs:
            print(f"readers: {name}: {runs[1]} files")
    return counts


def suite_pytest(build):
    """The Python tests, where the repository has some."""
    files = tracked("*/test_*.py", "test_*.py")
    if not files:
        return Counts()
    report = build / "pytest.xml"
    report.unlink(missing_ok=True)
    status, output = run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        + [f"--junitxml={report}", *files],
        cwd=ROOT,
        env=dict(os.environ, TINYGRAD_BUILD_DIR=str(build)),
    )
    counts = Counts()
    if report.exists():
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                counts.failed += 1
            elif case.find("skipped") is not None:
                counts.skipped += 1
            else:
                counts.passed += 1
    if status != 0:
        print(output.rstrip())
        counts.failed = max(counts.failed, 1)
    return counts


def suite_install(build):
    """Installs, and builds and runs a user's project and the code of documents."""
    scratch = build / "consumer"
    shutil.rmtree(scratch, ignore_errors=True)
    prefix = scratch / "prefix"
    steps = [("install", ["cmake", "--install", build, "--prefix", prefix])]
    for project in ("consumer", "documents"):
        folder = scratch / project
        steps += [
            (
                f"configure {project}",
                ["cmake", "-G", "Ninja", "-S", ROOT / "test" / project]
                + ["-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}"]
                + ["-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22"]
                + ["-DCMAKE_BUILD_TYPE=Release"],
            ),
            (f"build {project}", ["cmake", "--build", folder]),
            (
                f"run {project}",
                ["ctest", "--test-dir", folder, "--output-on-failure"]
                + ["--no-tests=error"],
            ),
        ]
    counts = Counts()
    for name, command in steps:
        status, output = run(command, cwd=ROOT)
        result = report_check("install", status, output, f"could not {name}")
        counts.add(result)
        if result.failed:
            break
    return counts


SUITES = {
    "format": suite_format,
    "configure": suite_configure,
    "docs": suite_docs,
    "libraries": suite_libraries,
    "headers": suite_headers,
    "includes": suite_includes,
    "lit": suite_lit,
    "gtest": suite_gtest,
    "pytest": suite_pytest,
    "fuzz": suite_fuzz,
    "processors": suite_processors,
    "simulator": suite_simulator,
    "cuda": suite_cuda,
    "hip": suite_hip,
    "proofs": suite_proofs,
    "ptxas": suite_ptxas,
    "attack": suite_attack,
    "readers": suite_readers,
    "threads": suite_threads,
    "install": suite_install,
    "tidy": suite_tidy,
}
# What depends on the sources alone, or on an optimized build, runs once.
PRESET_SUITES = {
    "release": [name for name in SUITES if name not in ("readers", "threads")],
    "debug": ["lit", "gtest", "pytest", "fuzz"],
    "sanitize": ["lit", "gtest", "pytest", "fuzz", "attack", "readers"],
    "tsan": ["threads"],
}


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

    total = Counts()
    for preset in arguments.preset or ["release"]:
        build = ROOT / BUILD_DIRS[preset]
        if not (build / "build.ninja").exists():
            print(f"run-suites.py: {build} is not configured", file=sys.stderr)
            print("0 passed, 1 failed")
            return 1
        where = "" if preset == "release" else f" ({preset})"
        for name in arguments.suite or PRESET_SUITES[preset]:
            start = time.monotonic()
            counts = SUITES[name](build)
            total.add(counts)
            seconds = time.monotonic() - start
            state = "FAILED" if counts.failed else "ok"
            tests = counts.passed + counts.failed
            skipped = f", {counts.skipped} skipped" if counts.skipped else ""
            print(
                f"suite {name}{where}: {state}, {tests} tests{skipped}"
                f" in {seconds:.1f} s"
            )
            sys.stdout.flush()
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed or not total.passed + total.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
