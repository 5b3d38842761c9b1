"""Suites of generated inputs: random graphs, proofs of their kernels, mutated files."""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from suites import reach
from suites.common import (
    CORES,
    ROOT,
    Counts,
    is_sanitized,
    report_check,
    run,
    say,
    side_by_side,
    tracked,
)
from suites.runners import run_fuzz


def suite_fuzz(build):
    """Random graphs and programs: compiled code against the interpreter."""
    # Some once more, with every access to memory checked.
    few = is_sanitized(build)
    counts = run_fuzz(
        build, [({}, 300 if few else 2000), ({"SPEC": "2"}, 50 if few else 200)]
    )
    gradients = [({}, 50 if few else 300)]
    counts.add(run_fuzz(build, gradients, ["--gradients=100"], "fuzz-gradients"))
    # Libraries are loaded into the process.
    libraries = [({}, 20 if few else 150)]
    counts.add(run_fuzz(build, libraries, ["--library"], "fuzz-libraries"))
    artifacts = [({}, 20 if few else 150)]
    counts.add(run_fuzz(build, artifacts, ["--artifact"], "fuzz-artifacts"))
    programs = [({}, 100 if few else 5000)]
    counts.add(run_fuzz(build, programs, (), "fuzz-programs", "programs"))
    return counts


def suite_schedules(build):
    """Schedules, also random ones, keep what kernels compute, on CPUs and GPUs."""
    programs = build / "bin"
    folder = build / "schedules"
    # Graphs of operations, and programs of the API.
    runs = []
    gpus = ["cuda:sm_80", "cuda:sm_90a", "amd:gfx942", "amd:gfx950", "amd:gfx1100"]
    for number, target in enumerate(["cpu", "cpu:x86-64-v3", *gpus]):
        runs.append((target, "--graphs", 45 * number, 45))
        runs.append((target, "--programs", 45 * number, 45))
    # Kernels that random graphs rarely have: layers, and products on matrix units.
    folder.mkdir(exist_ok=True)
    products = folder / "products.mlir"
    inputs = ROOT / "test" / "Dialect" / "Tg"
    status, output = run([sys.executable, inputs / "Verify" / "Inputs" / "matrix-graphs.py"])
    if status != 0:
        return report_check("matrix-graphs.py", status, output, "no products")
    products.write_text(output)
    layers = inputs / "Validate" / "layers.mlir"
    runs += [(target, layers) for target in ("cpu", "cuda:sm_80", "amd:gfx950")]
    runs += [(target, products) for target in ("cuda:sm_80", "amd:gfx942", "amd:gfx1100")]
    runs.append(("cuda:sm_90a", inputs / "Transforms" / "optimize-warpgroups.test"))
    # Kernels of kinds that random graphs rarely have.
    kernels = ROOT / "test" / "Execution" / "Inputs" / "kernels.mlir"
    runs += [(target, kernels) for target in ("cpu", "cuda:sm_80", "amd:gfx950")]
    files = tracked(":(glob)test/Execution/*.mlir")

    def run_part(task):
        if task == "kernels":
            name, hint = "kernels with random steps, executed", f"they are in {kernels}"
            command = [sys.executable, kernels.parent / "check-kernels.py"]
            command += [programs / "tg-fuzz", programs / "tg-run", kernels, "15", "11"]
        elif isinstance(task, tuple):
            target, *source = task
            command = [programs / "tg-fuzz", f"--verify-schedules={target}", "--timeout=300"]
            command.append(f"--random-schedules={80 if source[0] == kernels else 2}")
            if len(source) == 1:
                name = f"{target}, {source[0].name}"
                command.append(source[0])
                hint = f"{source[0]} has the graphs"
            else:
                kind, first, count = source
                name = f"{target}, {kind}={count} --first={first}"
                output_dir = folder / f"{target.replace(':', '-')}{kind}-{first}"
                command += [f"{kind}={count}", f"--first={first}", "--seed=11"]
                command.append(f"--output-dir={output_dir}")
                hint = f"the graphs are in {output_dir}"
        else:
            name, hint = task, "a schedule changes what its kernel computes"
            command = [programs / "tg-opt", ROOT / task, "-o", "/dev/null"]
            command += ["--tg-attach-target=target=cpu", "--tg-schedule-pipeline"]
            command += ["--tg-verify-schedules"]
        status, output = run(command, cwd=build)
        return report_check(name, status, output[-4000:], hint)

    counts = Counts()
    for result in side_by_side(run_part, ["kernels", *runs, *files]):
        counts.add(result)
    return counts


def suite_proofs(build):
    """GPU kernels of random graphs and on matrix units are proved: bounds, no races."""
    if not shutil.which("z3"):
        say("skipped: there is no z3")
        return Counts(skipped=1)
    inputs = ROOT / "test" / "Dialect" / "Tg" / "Verify" / "Inputs"
    folder = build / "proofs"
    folder.mkdir(exist_ok=True)

    fuzz = build / "bin" / "tg-fuzz"

    def run_part(task):
        target, source, *options = task
        is_random = isinstance(source, int)
        name = f"{target}, graphs of seed {source}" if is_random else f"{target}, {source} products"
        name += ", random schedules" if options else ""
        graphs = folder / (re.sub(r"\W+", "-", name) + ".mlir")
        if is_random:
            script = [inputs / "random-graphs.py", fuzz, "50", str(source)]
        elif source == "matrix":
            script = [inputs / "matrix-graphs.py"]
        else:
            script = [ROOT / "test/Execution/Inputs/check-products.py", "--graphs", source]
        script.insert(0, sys.executable)
        status, output = run(script)
        if status == 0 and options:
            graphs.write_text(output)
            status, output = run([fuzz, graphs, "--print-graph", *options])
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
    # With random schedules. Those of random graphs have indices in tiles, which
    # the proof takes for any numbers.
    for target in ("cuda:sm_80", "amd:gfx950"):
        tasks.append((target, "matrix", f"--verify-schedules={target}", "--random-schedules=1"))
    # A device for which blocks are large enough that subgroups copy their tiles.
    few = ["--verify-schedules=sim:gfx950,units=4", "--random-schedules=1"]
    tasks.append(("amd:gfx950,parallel_items=8", "direct", *few))
    # Those that the lit suite has no time for.
    others = ["cuda:sm_75", "cuda:sm_80", "amd:gfx90a", "amd:gfx950", "amd:gfx1201"]
    tasks += [(target, "matrix") for target in others]
    for source in ("tiles", "symbolic"):
        tasks += [(target, source) for target in ("cuda:sm_90", "amd:gfx942")]
    counts = Counts()
    for result in side_by_side(run_part, tasks):
        counts.add(result)
    return counts


# Bytes that ptxas spills, in sources of the suite "ptxas", by part and chip: for
# f64, registers of two groups are one too few.
SPILLED = {("many-registers, part 2", "sm_75"): 8}


def suite_ptxas(build):
    """CUDA's assembler takes the PTX of many graphs, and spills no registers.

    PTX that it took before is not assembled again.
    """
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    if not ptxas:
        say("skipped: there is no ptxas")
        return Counts(skipped=1)
    script = ROOT / "test" / "Target" / "GPU" / "Inputs" / "assemble.py"
    stamps = reach.Checks("ptxas", run([ptxas, "--version"])[1], reach.digest(script))
    chips = ("sm_75", "sm_80:tf32", "sm_90", "sm_90a", "sm_120")
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
                allowed = str(SPILLED.get((name, chip), 0))
                if status == 0:
                    stamp = stamps.stamp(str(ROOT / name), [chip, allowed, ptx.read_bytes()])
                    if not stamps.is_known(stamp):
                        status, output = run(
                            [sys.executable, script, ptxas, chip.split(":")[0], ptx, allowed]
                        )
                        if status == 0:
                            stamp.touch()
                counts.add(report_check(f"{name} for {chip}", status, output, text[:2000]))
        return counts

    tasks = []
    for name, text in sorted(sources.items()):
        parts = re.split(r"^// -----.*$", text, flags=re.MULTILINE)
        tasks += [(f"{name}, part {i}", part) for i, part in enumerate(parts) if part.strip()]
    counts = Counts()
    for result in side_by_side(run_part, tasks):
        counts.add(result)
    say(f"ptxas: {stamps.known} files assembled before")
    return counts


def suite_attack(build):
    """Mutated inputs: none crashes, hangs or is reported by a sanitizer."""
    findings = build / "attack"
    shutil.rmtree(findings, ignore_errors=True)
    status, output = run(
        [sys.executable, ROOT / "scripts" / "attack.py", build]
        + ["--output-dir", findings],
        cores=CORES.number,
    )
    if status == 0:
        say(output.strip().splitlines()[-1])
    return report_check("attack", status, output, f"the inputs are in {findings}")


def suite_readers(build):
    """Random files: readers return or throw, under sanitizers, for seconds each."""
    fuzzers = (build / "fuzzers.txt").read_text().splitlines()
    if not fuzzers:
        say("skipped: only the preset sanitize has fuzzers, see --sanitize")
        return Counts(skipped=1)
    findings = build / "fuzzers" / "findings"
    shutil.rmtree(findings, ignore_errors=True)
    findings.mkdir(parents=True)

    def run_part(line):
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
        runs = re.search(r"number_of_executed_units: *(\d+)", output)
        if status == 0 and runs:
            say(f"readers: {name}: {runs[1]} files")
        return report_check(name, status, output, hint)

    counts = Counts()
    for result in side_by_side(run_part, fuzzers):
        counts.add(result)
    return counts
