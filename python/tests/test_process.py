"""What a process keeps, its threads, its children, and what its package says."""

import gc
import importlib.metadata
import os
import re
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import tinygrad_mlir
from ticker import Ticker
from tinygrad_mlir import Tensor

PACKAGE = Path(tinygrad_mlir.__file__).parent


def run_python(code, **settings):
    """Of a program that hangs, an error after minutes: a busy machine lets one wait for long."""
    environment = dict(os.environ, PYTHONPATH=str(PACKAGE.parent), **settings)
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, env=environment
    )


def resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def growth(call, count):
    """By how many bytes the process surely grows with `count` calls.

    Other things let it grow, too, but not each time: so it is the lesser of two measurements. The
    second one makes twice as many calls, so that a table that doubles grows in both.
    """
    sizes = []
    for calls in (count, count, 2 * count):
        for _ in range(calls):
            call()
        gc.collect()
        sizes.append(resident_bytes())
    return min(sizes[1] - sizes[0], sizes[2] - sizes[1])


def test_graphs_are_freed():
    def build():
        x = Tensor([1.0, 2.0, 3.0])
        ((x + 1) * x - x.exp()).sum()

    # 5,000 graphs of 5 tensors, more than 1 kB each.
    assert growth(build, 5000) < 2 << 20


def test_runs_are_freed():
    x = Tensor(np.ones((64, 64), np.float32)).realize()

    def run():
        assert (x * 2 + 1).numpy()[0, 0] == 3

    # 16 KB each.
    assert growth(run, 400) < 2 << 20


def test_errors_keep_nothing():
    x = Tensor.zeros(2, 3)

    def fail():
        with pytest.raises(ValueError):
            x.reshape(7)

    fail()
    before = sys.getrefcount(x)
    for _ in range(100):
        fail()
    assert sys.getrefcount(x) == before


def test_methods_that_return_self_count_references():
    x = Tensor.ones(3)
    before = sys.getrefcount(x)
    for _ in range(100):
        assert x.realize() is x
        assert x.to(x.device) is x
        x.assign(x + 1)
    assert sys.getrefcount(x) == before


def test_threads_build_and_run():
    results = {}

    def work(number):
        total = 0.0
        for step in range(20):
            x = Tensor(np.full((32, 32), number + step, np.float32))
            total += (x @ x.transpose(0, 1)).sum().item()
        results[number] = total

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = {n: sum(32.0**3 * (n + step) ** 2 for step in range(20)) for n in range(6)}
    assert results == expected


def test_threads_share_tensors():
    shared = Tensor(np.arange(1000, dtype=np.float32)).realize()
    failures = []

    def work(number):
        for _ in range(20):
            if (shared + number).sum().item() != 499500 + 1000 * number:
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_other_threads_run_during_a_computation():
    x = Tensor(np.ones((1500, 1500), np.float32)).realize()
    with Ticker() as ticker:
        assert ticker.runs_during(lambda: (x @ x @ x @ x).realize())


FORK = """
import os, signal, sys
import numpy as np
from tinygrad_mlir import Tensor
x = Tensor(np.ones((512, 512), np.float32)).realize()
assert (x @ x).sum().item() == 2.0 ** 27
for number in range(6):
    assert (x @ x).sum().item() == 2.0 ** 27
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        (os._exit if number % 2 else sys.exit)(
            0 if (x @ x + 1).sum().item() == 2.0 ** 27 + 2.0 ** 18 else 1
        )
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, (number, status)
"""


@pytest.mark.parametrize("threads", ["0", "1", "2", "3"])
def test_forked_children_compute(threads):
    result = run_python(FORK, THREADS=threads)
    assert result.returncode == 0, result.stderr


def test_processes_of_a_pool_compute():
    code = """
import multiprocessing
from tinygrad_mlir import Tensor

def work(number):
    x = Tensor.full((256, 256), float(number)).contiguous()
    return (x @ x).sum().item()

if __name__ == "__main__":
    expected = [256.0 ** 3 * n ** 2 for n in range(8)]
    assert [work(n) for n in range(8)] == expected
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(work, range(8)) == expected
    assert work(7) == expected[7]
"""
    result = run_python(code)
    assert result.returncode == 0, result.stderr


SUBINTERPRETER = """
import {module} as interpreters
import tinygrad_mlir
interpreter = interpreters.create()
interpreters.run_string(interpreter, '''
try:
    import tinygrad_mlir
except ImportError as error:
    print("ImportError:", error)
''')
print(tinygrad_mlir.Tensor([1, 2]).sum().item())
"""


def test_a_subinterpreter_gets_an_error():
    name = "_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters"
    result = run_python(SUBINTERPRETER.format(module=name))
    assert result.returncode == 0, result.stderr
    assert re.search(r"ImportError: .*interpreter", result.stdout), result.stdout
    assert result.stdout.splitlines()[-1] == "3"


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
from tinygrad_mlir import Tensor
x = Tensor([1.0, 2.0]) + 1
assert x.tolist() == memoryview(x).tolist() == [2.0, 3.0]
x.numpy()
"""


def test_without_numpy():
    result = run_python(WITHOUT_NUMPY)
    assert result.stderr.splitlines()[-1].startswith("ModuleNotFoundError: import of numpy")


def test_interrupt_after_a_computation():
    code = """
from tinygrad_mlir import Tensor
x = Tensor.ones(256, 256).contiguous().realize()
print("begin", flush=True)
while True:
    (x @ x).realize()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ, PYTHONPATH=str(PACKAGE.parent)),
    )
    assert process.stdout.readline() == "begin\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == -signal.SIGINT
    assert errors.splitlines()[-1] == "KeyboardInterrupt"


def test_nothing_is_reported_at_the_end():
    # nanobind would report objects that were not freed.
    code = "from tinygrad_mlir import Tensor; x = Tensor([1.0]).requires_grad_(); x.exp().realize()"
    result = run_python(code)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_main():
    result = subprocess.run(
        [sys.executable, "-m", "tinygrad_mlir"],
        capture_output=True,
        text=True,
        env=dict(os.environ, PYTHONPATH=str(PACKAGE.parent), DEV="CPU", THREADS="3"),
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"tinygrad_mlir {tinygrad_mlir.__version__}, Python ")
    assert re.search(r"^  CPU \(default\): .*3 compute units", result.stdout, re.MULTILINE)
    assert "\n  THREADS=3\n" in result.stdout


def test_version():
    try:
        installed = importlib.metadata.version("tinygrad-mlir")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("not installed by pip")
    assert installed == tinygrad_mlir.__version__


CHECKED = """
from tinygrad_mlir import Tensor

x: Tensor = Tensor([1.0, 2.0]) + 1
y: float = 2 * x.sum(axis=0, keepdim=True).item()
z = Tensor.zeros(2, 3, dtype="float32")
"""


def test_types_are_known(tmp_path):
    """Editors and mypy see the types of methods, and find a wrong one."""
    pytest.importorskip("mypy")
    stub = PACKAGE / "_core.pyi"
    assert "def add(self, x: Tensor" in stub.read_text()
    (tmp_path / "right.py").write_text(CHECKED)
    (tmp_path / "wrong.py").write_text("from tinygrad_mlir import Tensor\nTensor([1]).exp(3)\n")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", tmp_path / "cache"]
        + [tmp_path / "right.py", tmp_path / "wrong.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=dict(os.environ, MYPYPATH=str(PACKAGE.parent)),
    )
    assert "wrong.py:2: error: Too many arguments" in result.stdout, result.stdout
    assert "right.py" not in result.stdout, result.stdout


def test_the_types_of_the_extension_are_complete(tmp_path):
    pytest.importorskip("mypy")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache"]
        + ["-c", "import tinygrad_mlir._core"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=dict(os.environ, MYPYPATH=str(PACKAGE.parent)),
    )
    assert "_core.pyi" not in result.stdout, result.stdout


def test_the_package_has_no_type_errors(tmp_path):
    """mypy --strict on all modules; those of ONNX and PyTorch where these packages are installed."""
    pytest.importorskip("mypy")
    pytest.importorskip("onnx")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache"]
        + ["--config-file", Path(__file__).parents[2] / "pyproject.toml", "-p", "tinygrad_mlir"],
        capture_output=True,
        text=True,
        cwd=PACKAGE.parent,
    )
    assert result.stdout.startswith("Success: no issues found in "), result.stdout + result.stderr
