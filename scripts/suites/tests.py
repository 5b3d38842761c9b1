"""Suites of tests that are written down: lit, GoogleTest, Python, a user's project."""

import os
import shutil
import xml.etree.ElementTree

from suites import reach
from suites.common import (
    CORES,
    LLVM,
    ROOT,
    Counts,
    is_sanitized,
    report_check,
    run,
    say,
    tracked,
)
from suites.runners import run_fuzz, run_lit, run_unittests, unittests_of


LIT_SUFFIXES = (".mlir", ".test", ".td")
# As test/lit.cfg.py excludes them.
NO_TESTS = {"Inputs", "consumer", "lib"}

# To look for uses of a function's variables after its return takes a third of the time
# or more: each commit does it in another half of GoogleTest's programs.
WITHOUT_RETURNS = {"ASAN_OPTIONS": "detect_stack_use_after_return=0"}


def suite_lit(build):
    """The lit suite.

    With sanitizers, one half of it, which depends on the commit, and each test that a
    change reaches.
    """
    half = reach.get_half()
    if not is_sanitized(build) or half is None:
        return run_lit(build)
    counts = run_lit(build, half=half)
    changed = changed_tests()
    if changed:
        counts.add(run_lit(build, changed))
    return counts


def changed_tests():
    """The lit tests that differ from the base, or that name an input that does."""
    tests = {}
    for path in sorted(reach.changed_files()):
        name = os.path.relpath(path, ROOT)
        if not name.startswith("test/") or not os.path.exists(path):
            continue
        if "/Inputs/" in name:
            users = reach.ask_git("grep", "-lF", os.path.basename(name), "--", "test") or ""
        else:
            users = name
        tests |= dict.fromkeys(user for user in users.splitlines() if is_lit_test(user))
    return [name.removeprefix("test/") for name in tests]


def is_lit_test(name):
    return name.endswith(LIT_SUFFIXES) and not NO_TESTS & set(name.split("/"))


# The largest program: it also runs as on other processors and simulated GPUs.
TENSOR = "TinyGradTensorTests"
# Programs most of whose tests run the same code with other values.
VALUE_TESTS = (
    TENSOR, "TinyGradExampleTests", "TinyGradNNTests", "TinyGradOptimTests",
    "MLIRTgMathToPolynomialTests", "MLIRTgUtilsTests", "MLIRTgCpuTargetTests",
)


# Tests whose tensors are too large for a simulator.
LARGE_TESTS = (
    "BoundValuesTest.aLoopOfNewValuesKeepsNothing",
    "Matmul.LargeLeftMatrices",
    "Matmul.RowsTimesLargeMatrices",
    "SymbolicShapeTest.LargeSizes",
)
# Tests of thousands of steps, of which others make a few. With sanitizers, these and
# the large ones would take a quarter of the time of the tensor API's.
LONG_TESTS = ("BoundValuesTest.newValuesKeepNothing", "NumbersTest.tenThousandSteps")


def suite_gtest(build):
    """Every GoogleTest program in unittests/."""
    programs = {name: {} for name in unittests_of(build)}
    if not is_sanitized(build):
        return run_unittests(build, programs)
    # Fewer random graphs, where each takes ten times as long. Values are compared by
    # the release preset; of the tests that are about them, each commit has another half.
    settings = {"TG_REWRITE_GRAPHS": "2000"}
    settings["GTEST_FILTER"] = "-" + ":".join((*LARGE_TESTS, *LONG_TESTS))
    programs = {name: dict(settings) for name in programs}
    for name, settings in programs.items():
        if reach.get_half(name) == 0:
            settings.update(WITHOUT_RETURNS)
    values = {name: programs.pop(name) for name in VALUE_TESTS}
    counts = run_unittests(build, values, reach.get_half())
    counts.add(run_unittests(build, programs))
    return counts


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
    """The tests that run kernels, and random graphs, as on AVX2 and SSE4.

    Each test of the tensor API runs as on one of them, with the next commit perhaps as
    on the other. All run as on the host's processor, in the suite gtest.
    """
    counts = Counts()
    half = reach.get_half()
    for number, processor in enumerate(("x86-64-v3", "x86-64-v2")):
        settings = {"MCPU": processor}
        status, output = run(
            [build / "bin" / "tg-compile", os.devnull],
            env=dict(os.environ, **settings),
        )
        if status != 0:
            say(f"skipped: {output.strip()}")
            counts.skipped += 1
            continue
        counts.add(run_unittests(build, {"MLIRTgCpuTargetTests": settings}))
        tensor_half = None if half is None else (half + number) % 2
        counts.add(run_unittests(build, {TENSOR: settings}, tensor_half))
        counts.add(run_fuzz(build, [(settings, 300)]))
    return counts


def suite_simulator(build):
    """The tests that run kernels, and random graphs, on simulated GPUs.

    Each test runs on one of two, with the next commit perhaps on the other.
    """
    settings = {"DEV": "SIM", "GTEST_FILTER": "-" + ":".join(LARGE_TESTS)}
    # Subgroups of 32 and of 64 items, in different orders.
    runs = [
        ({"SIMCHIP": "sm_90"}, 500),
        ({"SIMCHIP": "gfx942", "SIMSEED": "7"}, 500),
    ]
    counts = Counts()
    half = reach.get_half()
    for number, (chip, _) in enumerate(runs):
        part = None if half is None else (half + number) % 2
        counts.add(run_unittests(build, {TENSOR: settings | chip}, part))
        counts.add(run_lit(build, ["Execution"], {"DEV": "SIM", **chip}, part))
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
        say(f"skipped: {output.strip()}")
        return Counts(skipped=1)
    names = ("Tensor", "NN", "Optim", "State")
    programs = {f"TinyGrad{name}Tests": settings for name in names}
    counts = run_unittests(build, {"TinyGradDeviceConformanceTests": {}, **programs})
    counts.add(run_lit(build, ["Execution"], settings))
    counts.add(run_lit(build, ["Examples"], settings))
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
        say("skipped: there is no compute-sanitizer")
        counts.skipped += 1
        return counts
    program = build / "unittests" / "TinyGradDeviceConformanceTests"
    programs = {"cuda": [program, "--gtest_filter=*/CUDA", "--gtest_brief=1"]}
    for name in SANITIZED:
        file = ROOT / "test" / "Execution" / f"{name}.mlir"
        programs[name] = [build / "bin" / "tg-run", file, "--device=CUDA"]
    for name, program in programs.items():
        for tool in ("memcheck", "racecheck"):
            status, output = run(
                [sanitizer, f"--tool={tool}", "--error-exitcode=1", *program]
            )
            hint = f"compute-sanitizer's {tool} has found errors"
            counts.add(report_check(f"{name}, {tool}", status, output, hint))
    return counts


def suite_hip(build):
    """The tests that run kernels, on an AMD GPU where there is one."""
    return run_on_gpu(build, "AMD")


def suite_pytest(build):
    """The tests of the Python package, with the environment that it was built in."""
    python = build / "python-venv" / "bin" / "python"
    package = build / "python"
    if not python.exists() or not any(package.glob("tinygrad_mlir/_core.*.so")):
        say("FAILED: pytest: there is no Python package: scripts/test.sh builds it")
        return Counts(failed=1)
    report = build / "pytest.xml"
    report.unlink(missing_ok=True)
    status, output = run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"],
        cwd=ROOT,
        env=dict(os.environ, PYTHONPATH=str(package)),
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
        say(output.rstrip())
        counts.failed = max(counts.failed, 1)
    return counts


# Compiles and runs a program in C with what pkg-config says. `cc` is the
# system's compiler.
PKG_CONFIG = """
set -e
cc -std=c99 -pedantic -Wall -Wextra -Werror "$1" -o "$2" \\
  $(pkg-config --cflags --libs tinygrad) \\
  "-Wl,-rpath,$(pkg-config --variable=libdir tinygrad)"
"$2"
"""


def suite_install(build):
    """Installs, and builds and runs users' projects and the code of documents."""
    scratch = build / "consumer"
    shutil.rmtree(scratch, ignore_errors=True)
    prefix = scratch / "prefix"
    steps = [("install", ["cmake", "--install", build, "--prefix", prefix])]
    for project in ("consumer", "consumer-c", "documents"):
        folder = scratch / project
        compilers = ["-DCMAKE_C_COMPILER=clang-22"]
        # A project in C has no other.
        if project != "consumer-c":
            compilers.append("-DCMAKE_CXX_COMPILER=clang++-22")
        steps += [
            (
                f"configure {project}",
                ["cmake", "-G", "Ninja", "-S", ROOT / "test" / project]
                + ["-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}"]
                + compilers
                + ["-DCMAKE_BUILD_TYPE=Release"],
            ),
            (f"build {project}", ["cmake", "--build", folder, "--parallel"]),
            (
                f"run {project}",
                ["ctest", "--test-dir", folder, "--output-on-failure"]
                + ["--no-tests=error"],
            ),
        ]
    source = ROOT / "test" / "consumer-c" / "train.c"
    program = ["sh", "-c", PKG_CONFIG, "sh", source, scratch / "pkg-config"]
    steps.append(("build and run with pkg-config", program))
    env = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig"))
    if shutil.which("ccache"):
        launcher = {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}
        launcher |= {f"CMAKE_{language}_COMPILER_LAUNCHER": "ccache" for language in ("C", "CXX")}
        env |= launcher
    counts = Counts()
    for name, command in steps:
        cores = CORES.number if "--parallel" in command else 1
        status, output = run(command, cores=cores, cwd=ROOT, env=env)
        result = report_check("install", status, output, f"could not {name}")
        counts.add(result)
        if result.failed:
            break
    return counts


def suite_wheel(build):
    """Builds the Python package's wheel, and checks what pip installs of it."""
    python = build / "python-venv" / "bin" / "python"
    if not python.exists():
        say("FAILED: wheel: there is no Python environment: scripts/python-venv.sh")
        return Counts(failed=1)
    scratch = build / "wheel"
    shutil.rmtree(scratch, ignore_errors=True)
    installed = scratch / "venv" / "bin" / "python"
    pip = ["-m", "pip", "--disable-pip-version-check"]
    steps = [
        (
            "build it",
            [python, *pip, "wheel", "--no-build-isolation", "--no-deps", "--no-index"]
            + ["--wheel-dir", scratch, ROOT],
        ),
        ("make an environment", [python, "-m", "venv", scratch / "venv"]),
        (
            "install it",
            [installed, *pip, "install", "--no-index", "--find-links", scratch, "tinygrad-mlir"],
        ),
        (
            "use it",
            [installed, ROOT / "scripts" / "check-wheel.py", LLVM / "llvm-readelf"],
        ),
    ]
    counts = Counts()
    for name, command in steps:
        cores = CORES.number if name == "build it" else 1
        status, output = run(command, cores=cores, cwd=scratch if scratch.exists() else ROOT)
        result = report_check("wheel", status, output, f"could not {name}")
        counts.add(result)
        if result.failed:
            break
    return counts
