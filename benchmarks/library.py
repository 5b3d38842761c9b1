#!/usr/bin/env python3
"""Libraries of captured steps beside those that other compilers make of the same networks.

    benchmarks/library.py [ROW...] [--rounds N] [--directory D] [--alone] [--build B]

Needs build/bin/library-benchmark and a C compiler (`cc`), and of the others what is
there: ONNX Runtime (`pip install numpy onnx onnxruntime`), IREE (`onnx iree-base-compiler
iree-base-runtime`) and PyTorch's AOTInductor (`torch`). One that is missing is skipped, with
`--alone` all of them.

All have the weights that `NAME_init` of the library writes, get the same input, and run on
one thread; results are compared with those of the library. In each round, all are
timed one after the other, in samples of a few calls: on a machine with other work, long
ones are interrupted. The least and the median of all samples are shown. Functions of libraries are called by a loop in C; IREE by its
own program, iree-benchmark-module. ONNX Runtime and AOTInductor are called by Python:
`empty` is the time of such a call of a network that copies its input, and is part of the
times beside it.
"""

import argparse
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import numpy as np
except ImportError:
    sys.exit("library.py: needs NumPy: pip install numpy")

ROOT = Path(__file__).resolve().parent.parent

LOOP = r"""
#include <time.h>
typedef int Run(void *, const void *, void *, void *);
typedef int Step(void *, const void *, const void *, void *, void *);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
double timeRun(Run *run, void *state, const void *x, void *y, void *scratch,
               int calls) {
  const double begin = now();
  for (int i = 0; i < calls; ++i)
    if (run(state, x, y, scratch))
      return -1;
  return (now() - begin) / calls;
}
double timeStep(Step *step, void *state, const void *x, const void *labels,
                void *loss, void *scratch, int calls) {
  const double begin = now();
  for (int i = 0; i < calls; ++i)
    if (step(state, x, labels, loss, scratch))
      return -1;
  return (now() - begin) / calls;
}
"""


def skip(what, reason):
    print(f"skipped: {what}: {str(reason).splitlines()[0] if str(reason) else 'no reason'}")


def aligned(bytes_):
    """Memory at a multiple of 64 bytes."""
    whole = np.zeros(bytes_ + 64, np.uint8)
    begin = -whole.ctypes.data % 64
    return whole[begin : begin + bytes_]


class Library:
    """A library of tinygrad: its state, and its function `run`."""

    def __init__(self, folder, name, loop):
        self.name, self.loop = name, loop
        self.path = folder / f"lib{name}.so"
        self.code = folder / f"lib{name}_code.so"
        header = (folder / f"{name}.h").read_text()
        self.library = ctypes.CDLL(str(self.path))
        # Members of the state begin at multiples of 64 bytes.
        self.members, end = {}, 0
        types = {"float": np.float32, "int32_t": np.int32}
        declared = rf"^  {name.upper()}_ALIGNED (\w+) (\w+)((?:\[\d+\])*);"
        for kind, member, extents in re.findall(declared, header, re.MULTILINE):
            shape = tuple(int(n) for n in re.findall(r"\d+", extents))
            begin = -(-end // 64) * 64
            self.members[member] = (begin, types[kind], shape)
            end = begin + 4 * int(np.prod(shape))
        self.state = aligned(end + 64)
        if getattr(self.library, f"{name}_init")(ctypes.c_void_p(self.state.ctypes.data)) != 0:
            raise RuntimeError(f"{name}_init failed")
        scratch = re.search(rf"{name.upper()}_RUN_SCRATCH_BYTES (\d+)", header)
        self.scratch = aligned(int(scratch[1]) if scratch else 64)

    def get(self, member):
        begin, kind, shape = self.members[member]
        count = int(np.prod(shape))
        return self.state[begin : begin + 4 * count].view(kind).reshape(shape).copy()

    def bind(self, x, result, labels=None):
        self.x, self.y, self.labels = aligned(x.nbytes).view(np.float32), None, labels
        self.x[:] = x.ravel()
        self.y = aligned(4 * int(np.prod(result))).view(np.float32)
        self.shape = result

    def time(self, calls):
        run = ctypes.cast(getattr(self.library, f"{self.name}_run"), ctypes.c_void_p)
        arrays = [self.state, self.x, *([] if self.labels is None else [self.labels])]
        pointers = [run, *(ctypes.c_void_p(a.ctypes.data) for a in [*arrays, self.y, self.scratch])]
        function = self.loop.timeRun if self.labels is None else self.loop.timeStep
        function.restype = ctypes.c_double
        seconds = function(*pointers, ctypes.c_int(calls))
        if seconds < 0:
            raise RuntimeError(f"{self.name}_run failed")
        return seconds

    def result(self):
        self.time(1)
        return self.y.reshape(self.shape).copy()


class Net:
    """Writes a network as a model of ONNX, and says which layers it has for PyTorch."""

    def __init__(self, library):
        self.library, self.nodes, self.weights, self.count = library, [], {}, 0

    def node(self, kind, inputs, **attributes):
        self.count += 1
        self.nodes.append((kind, inputs, f"t{self.count}", attributes))
        return f"t{self.count}"

    def weight(self, member):
        self.weights[member] = self.library.get(member)
        return member

    def linear(self, x, layer):
        names = [self.weight(f"{layer}_weight"), self.weight(f"{layer}_bias")]
        return self.node("Gemm", [x, *names], transB=1)

    def conv(self, x, layer, **attributes):
        names = [self.weight(f"{layer}_weight"), self.weight(f"{layer}_bias")]
        return self.node("Conv", [x, *names], **attributes)


def policy(net, x):
    for layer in ("first", "second"):
        x = net.node("Tanh", [net.linear(x, layer)])
    return net.linear(x, "output")


def wave(net, x):
    for i in range(10):
        dilation = 1 << (i % 5)
        y = net.conv(x, f"layers_{i}", dilations=[dilation], pads=[dilation, 0])
        y = net.node("Tanh", [y])
        x = y if i == 0 else net.node("Add", [x, y])
    return x


def perceptron(net, x):
    return net.linear(net.node("Relu", [net.linear(x, "hidden")]), "output")


def cnn(net, x):
    for layer in ("first", "second"):
        x = net.node("Relu", [net.conv(x, layer)])
        x = net.node("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = net.node("Flatten", [x])
    return net.linear(net.node("Relu", [net.linear(x, "hidden")]), "output")


ROWS = {
    "policy": (policy, (1, 4), (1, 2)),
    "wave": (wave, (1, 1, 64), (1, 16, 64)),
    "perceptron": (perceptron, (1, 784), (1, 10)),
    "cnn": (cnn, (1, 1, 28, 28), (1, 10)),
}


def write_onnx(build, library, shape, result, path):
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    net = Net(library)
    last = build(net, "x")
    nodes = [helper.make_node(k, i, ["y" if o == last else o], **a) for k, i, o, a in net.nodes]
    graph = helper.make_graph(
        nodes,
        "main",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)],
        [numpy_helper.from_array(value, name) for name, value in net.weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def write_empty_onnx(path):
    class Nothing:
        pass

    write_onnx(lambda net, x: net.node("Identity", [x]), Nothing(), (1, 4), (1, 4), path)


class OnnxRuntime:
    """A session of ONNX Runtime, with memory that is bound once."""

    name = "ONNX Runtime"

    def __init__(self, model, x, result):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self.binding = self.session.io_binding()
        self.x, self.y = np.ascontiguousarray(x), np.zeros(result, np.float32)
        places = ((self.binding.bind_input, "x", self.x), (self.binding.bind_output, "y", self.y))
        for bind, name, array in places:
            bind(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
        self.sizes = (Path(model).stat().st_size, self.runtime())

    @staticmethod
    def runtime():
        import onnxruntime

        libraries = Path(onnxruntime.__file__).parent.glob("capi/libonnxruntime.so*")
        return sum(path.stat().st_size for path in libraries)

    def time(self, calls):
        run, binding = self.session.run_with_iobinding, self.binding
        begin = time.perf_counter()
        for _ in range(calls):
            run(binding)
        return (time.perf_counter() - begin) / calls

    def result(self):
        self.time(1)
        return self.y


class Iree:
    """A module of IREE, for this machine's processor, and its own benchmark program."""

    name = "IREE"

    def __init__(self, model, x, result):
        import iree.runtime

        tools = Path(sys.prefix) / "bin"
        search = os.pathsep.join([str(tools), os.environ["PATH"]])
        self.environment = dict(os.environ, PATH=search)
        text, module = model.with_suffix(".mlir"), model.with_suffix(".vmfb")
        self.run(["iree-import-onnx", model, "-o", text])
        flags = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"]
        flags += ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"]
        self.run(["iree-compile", text, "-o", module, *flags])
        self.input, self.module = model.with_suffix(".npy"), module
        np.save(self.input, x)
        self.entry = re.search(r"func\.func @(\w+)", text.read_text())[1]
        self.output = model.with_suffix(".out.npy")
        self.arguments = ["--device=local-sync", f"--module={module}", f"--function={self.entry}"]
        self.arguments += [f"--input=@{self.input}"]
        program = Path(iree.runtime.__file__).parents[1] / "_runtime_libs" / "iree-run-module"
        self.sizes = (module.stat().st_size, program.stat().st_size if program.exists() else None)

    def run(self, command):
        done = subprocess.run(
            command, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            raise RuntimeError(f"{command[0]}: {lines[-1] if lines else done.returncode}")
        return done.stdout

    def samples(self, _, count):
        flags = ["--benchmark_format=json", "--benchmark_min_time=0.001s"]
        flags.append(f"--benchmark_repetitions={count}")
        report = json.loads(self.run(["iree-benchmark-module", *self.arguments, *flags]))
        units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}
        rows = [row for row in report["benchmarks"] if row["run_type"] == "iteration"]
        return [row["real_time"] * units[row["time_unit"]] for row in rows]

    def result(self):
        self.run(["iree-run-module", *self.arguments, f"--output=@{self.output}"])
        return np.load(self.output)


def make_torch(build, library):
    """The network as a module of PyTorch, made of the same nodes as that of ONNX."""
    import torch
    from torch.nn import functional as F

    net = Net(library)
    last = build(net, "x")

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in net.weights.items():
                self.register_parameter(name, torch.nn.Parameter(torch.from_numpy(value)))

        def forward(self, x):
            values = {"x": x}
            for kind, inputs, output, attributes in net.nodes:
                a, *rest = [values[i] if i in values else getattr(self, i) for i in inputs]
                if kind == "Gemm":
                    a = F.linear(a, *rest)
                elif kind == "Conv" and "pads" in attributes:
                    padded = F.pad(a, attributes["pads"])
                    a = F.conv1d(padded, *rest, dilation=attributes["dilations"])
                elif kind == "Conv":
                    a = F.conv2d(a, *rest)
                elif kind == "MaxPool":
                    a = F.max_pool2d(a, 2)
                elif kind == "Flatten":
                    a = a.flatten(1)
                elif kind == "Identity":
                    a = a.clone()
                else:
                    a = {"Tanh": torch.tanh, "Relu": torch.relu, "Add": torch.add}[kind](a, *rest)
                values[output] = a
            return values[last]

    return Module().eval()


class AotInductor:
    """A package of PyTorch's AOTInductor."""

    name = "AOTInductor"

    def __init__(self, build, library, x, path):
        import torch

        torch.set_num_threads(1)
        self.torch, self.x = torch, torch.from_numpy(np.ascontiguousarray(x))
        with torch.no_grad():
            program = torch.export.export(make_torch(build, library), (self.x,))
            package = torch._inductor.aoti_compile_and_package(program, package_path=str(path))
        self.model = torch._inductor.aoti_load_package(package)
        runtime = Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
        self.sizes = (Path(package).stat().st_size, runtime.stat().st_size)

    def time(self, calls):
        with self.torch.no_grad():
            begin = time.perf_counter()
            for _ in range(calls):
                self.model(self.x)
            return (time.perf_counter() - begin) / calls

    def result(self):
        with self.torch.no_grad():
            return self.model(self.x).numpy()


def attempt(what, make):
    """What `make` returns, or None and a message."""
    try:
        return make()
    except Exception as error:  # Of whatever kind: the others can still be measured.
        skip(what, f"{type(error).__name__}: {error}")
        return None


def compare(programs, calls, rounds, count=30):
    """Seconds of a call in each sample, for each of the programs, which alternate."""
    seconds = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            if hasattr(program, "samples"):
                seconds[name] += program.samples(calls, count)
            else:
                seconds[name] += [program.time(calls) for _ in range(count)]
    return seconds


def show(name, sizes, seconds, own, difference, empty=None):
    code, runtime = sizes
    best, median = min(seconds), statistics.median(seconds)
    runtime = "-" if runtime is None else f"{runtime / 1e6:.1f}"
    empty = "-" if empty is None else f"{1e6 * empty:.2f}"
    print(
        f"| {name} | {code / 1e3:.1f} | {runtime} | {1e6 * best:.2f} | {1e6 * median:.2f} "
        f"| {empty} | {best / own:.2f} | {difference:.0e} |"
    )


def run_row(name, folder, loop, rounds, alone):
    build, shape, result = ROWS[name]
    library = Library(folder, name, loop)
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    library.bind(x, result)
    expected = library.result()
    model, empty = folder / f"{name}.onnx", folder / "empty.onnx"

    def write():
        write_onnx(build, library, shape, result, model)
        write_empty_onnx(empty)
        return True

    others, empties = [], {}
    four = np.zeros((1, 4), np.float32)
    if not alone and attempt("ONNX", write):
        others.append(attempt("ONNX Runtime", lambda: OnnxRuntime(model, x, result)))
        if others[-1]:
            empties["ONNX Runtime"] = OnnxRuntime(empty, four, (1, 4))
        others.append(attempt("IREE", lambda: Iree(model, x, result)))
    package = folder / f"{name}.pt2"
    if not alone:
        others.append(attempt("AOTInductor", lambda: AotInductor(build, library, x, package)))
    if others and others[-1]:
        identity = lambda net, x: net.node("Identity", [x])
        empties["AOTInductor"] = AotInductor(identity, None, four, folder / "empty.pt2")
    others = [other for other in others if other]
    differences = {}
    for other in others:
        difference = float(np.abs(other.result() - expected).max())
        differences[other.name] = difference
        if not difference <= 1e-4 * max(1.0, float(np.abs(expected).max())):
            sys.exit(f"library.py: {name}: results of {other.name} differ by {difference}")
    programs = {"library": library, **{other.name: other for other in others}}
    programs |= {f"empty {key}": value for key, value in empties.items()}
    calls = max(3, int(2e-4 / library.time(20)))
    seconds = compare(programs, calls, rounds)
    own = min(seconds["library"])
    title = "file, kB | its runtime, MB | a call, us | median | empty, us | of the library's | difference"
    print(f"\n| {name} | {title} |\n|{'---|' * 8}")
    show("library", (library.code.stat().st_size, None), seconds["library"], own, 0)
    for other in others:
        idle = seconds.get(f"empty {other.name}")
        show(other.name, other.sizes, seconds[other.name], own, differences[other.name],
             min(idle) if idle else None)


def run_step(folder, loop, rounds, alone):
    """The training step, beside PyTorch's, which others cannot make a file of."""
    library = Library(folder, "cnn_step", loop)
    random = np.random.default_rng(2)
    x = random.standard_normal((64, 1, 28, 28)).astype(np.float32)
    labels = aligned(256).view(np.float32)
    labels[:] = random.integers(0, 10, 64)
    library.bind(x, (1,), labels)
    for member in list(library.members):  # Moments and steps begin at zero.
        if member.startswith("optimizer_state"):
            begin, _, shape = library.members[member]
            library.state[begin : begin + 4 * int(np.prod(shape))] = 0

    class Torch:
        def time(self, calls):
            begin = time.perf_counter()
            for _ in range(calls):
                self.step()
            return (time.perf_counter() - begin) / calls

    def make():
        import torch

        torch.set_num_threads(1)
        module = make_torch(cnn, library).train()
        optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)
        tensor, target = torch.from_numpy(x), torch.from_numpy(labels.astype(np.int64))

        def step():
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(module(tensor), target)
            loss.backward()
            optimizer.step()
            return float(loss.detach())

        program = Torch()
        program.step = step
        return program

    torch = None if alone else attempt("PyTorch", make)
    programs, difference = {"library": library}, 0.0
    if torch:
        for _ in range(3):
            difference = max(difference, abs(torch.step() - float(library.result()[0])))
        if not difference <= 1e-3:
            sys.exit(f"library.py: losses of PyTorch differ by {difference}")
        programs["PyTorch"] = torch
    seconds = compare(programs, 1, rounds, 4)
    own = min(seconds["library"])
    print(f"\nTraining step of cnn, 64 images, Adam: {library.code.stat().st_size / 1e3:.1f} kB of code,"
          f" {1e3 * own:.2f} ms")
    if torch:
        other = min(seconds["PyTorch"])
        print(f"PyTorch, not compiled: {1e3 * other:.2f} ms, {other / own:.2f} of the library's;"
              f" losses of three steps differ by {difference:.0e}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join([*ROWS, "cnn-step"]))
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="at least 1")
    parser.add_argument("--directory", type=Path, help="where files stay; else they are deleted")
    parser.add_argument("--alone", action="store_true", help="without other compilers")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="by default %(default)s")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        sys.exit(f"library.py: --rounds {arguments.rounds}: at least one is needed")
    for row in arguments.rows:
        if row not in ROWS and row != "cnn-step":
            sys.exit(f"library.py: no row '{row}'; rows: {', '.join([*ROWS, 'cnn-step'])}")
    program = arguments.build / "bin" / "library-benchmark"
    if not program.exists():
        sys.exit(f"library.py: {program} is not built")
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.directory or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        make = [program, folder, *arguments.rows]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        (folder / "loop.c").write_text(LOOP)
        shim = folder / "loop.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", folder / "loop.c", "-o", shim], check=True)
        loop = ctypes.CDLL(str(shim))
        for row in arguments.rows or [*ROWS, "cnn-step"]:
            if row == "cnn-step":
                run_step(folder, loop, arguments.rounds, arguments.alone)
            else:
                run_row(row, folder, loop, arguments.rounds, arguments.alone)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
