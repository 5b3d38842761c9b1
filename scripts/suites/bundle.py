"""The suite of what travels to machines with a GPU (docs/gpu.md)."""

import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from suites.common import report_check, run, say
from suites.sources import NINJA

# What the smallest system with a shell has; the script needs no more.
BASICS = (
    "awk bash basename cat chmod cut cp date dirname env false getconf grep head ln ls mkdir mktemp mv"
    " nice nproc paste printf rm sed seq sh sleep sort tail timeout touch tr true uname wc"
    " xargs diff cmp comm tee uniq"
).split()

# More parts: one that fails, one that hangs with all that it has started, one that
# leaves something behind, and one behind them.
PARTS = """
parts+=(fails:5 hangs:5 leaves:5 last:5 slow:60)
beat() { while sleep 0.1; do date +%s%N >"/$1.beat"; done; }
part_fails() { note 'as it should'; return 3; }
part_hangs() { trap '' TERM; (trap '' TERM; beat hangs) & beat too; }
part_leaves() { beat leaves & sleep 0.5; }
part_slow() { sleep 60; }
part_last() { note 'after all of them'; }
"""

# Prints what GoogleTest does.
FAILING_TESTS = """#!/bin/sh
[ $GTEST_SHARD_INDEX = 0 ] || { echo half a line; kill -SEGV $$; }
echo '[  FAILED  ] A.b (3 ms)'
echo '[==========] 4 tests from 1 test suite ran. (20 ms total)'
echo '[  PASSED  ] 2 tests.'
echo '[  SKIPPED ] 1 test.'
exit 1
"""

# Prints what the program `training` does.
GROWING_STEPS = """#!/bin/bash
loss=2.2
[ -e /calls ] && loss=2.3
touch /calls
for ((i = 1; i <= $2; ++i)); do
  echo "step $i: 1.0 ms, loss $loss, 13 kernels, $i.0 MiB in buffers, 80.0 resident"
done
"""


class Bare:
    """A folder with glibc, a shell and the bundle, as the root of processes."""

    # In a namespace of its own, whose mounts end with it. As another user than root:
    # where the system allows that.
    ENTER = """
    for name in dev proc; do mount --rbind "/$name" "$0/$name" || exit; done
    exec env -i PATH=/usr/sbin:/sbin:/bin LC_ALL=C chroot "$0" "$@"
    """

    def __init__(self, folder):
        self.root = folder / "root"
        for name in ("bin", "dev", "proc", "tmp", "lib64"):
            (self.root / name).mkdir(parents=True)
        self.prefix = ["unshare", "--mount"]
        if os.geteuid() != 0:
            self.prefix.append("--map-root-user")
        self.prefix += ["sh", "-c", self.ENTER, str(self.root)]
        for name in BASICS:
            path = shutil.which(name)
            if not path:
                raise RuntimeError(f"there is no {name}")
            self.add_program(Path(path))
        (self.root / "usr").mkdir()
        (self.root / "usr/bin").symlink_to("../bin")

    def add_program(self, path):
        """A program, and the libraries of the system that it needs."""
        shutil.copy(path, self.root / "bin" / path.name)
        listed = run(["ldd", path])[1]
        for library in re.findall(r"(/[^ ]+\.so[^ ]*) \(", listed):
            self.add_file(library)

    def add_file(self, path):
        """A file, where it is here."""
        target = self.root / path[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy(path, target)

    def run(self, *words, **settings):
        """Runs a program with these variables in its environment, and no others."""
        variables = [f"{name}={value}" for name, value in settings.items()]
        return run([*self.prefix, "/bin/env", *variables, *words])


def suite_bundle(build):
    """Unpacks what is sent to machines with a GPU, and runs its check in a bare root."""
    with NINJA:
        status, output = run(["ninja", "-C", build, "gpu-bundle-folder"])
    counts = report_check("bundle", status, output, "ninja gpu-bundle-folder")
    if status != 0:
        return counts
    with tempfile.TemporaryDirectory() as scratch:
        bare = Bare(Path(scratch))
        status, output = bare.run("true")
        if status != 0:
            say(f"skipped: no root of its own: {output.strip()}")
            counts.skipped += 1
            return counts
        run_checks(build, bare, counts)
    return counts


def run_checks(build, bare, counts):
    bundle = bare.root / "tinygrad-gpu"
    packed = build / "gpu-bundle" / "tinygrad-gpu"
    # As an archive, but for the minutes of compression.
    pipe = 'tar -C "$0" -cf - tinygrad-gpu | tar -C "$1" -xf -'
    status, output = run(["sh", "-c", pipe, packed.parent, bare.root])
    counts.add(report_check("bundle", status, output, "unpacking"))
    # Of the system, programs get the C library alone.
    listed = run(["ldd", packed / "bin" / "tg-run"])[1]
    for library in re.findall(r"(/[^ ]+/(?:libc|libm|ld-[^ ]*)\.so[^ ]*) \(", listed):
        bare.add_file(library)

    def expect(name, wanted_status, wanted, *options, absent=(), **settings):
        """Whether the check ends so, and says what matches the patterns."""
        status, output = bare.run(
            "/tinygrad-gpu/gpu-check.sh", "--out", "/out", *options, **settings
        )
        summary = bare.root / "out" / "summary.md"
        text = output + (summary.read_text() if summary.exists() else "")
        missing = [pattern for pattern in wanted if not re.search(pattern, text)]
        wrong = [pattern for pattern in absent if re.search(pattern, text)]
        good = status == wanted_status and not missing and not wrong
        logs = "".join(
            f"== {log.name}\n{log.read_text(errors='replace')[-3000:]}"
            for log in sorted((bare.root / "out" / "logs").glob("*.log"))
        )
        hint = f"status {status}, not {wanted_status}; missing {missing}, wrong {wrong}"
        counts.add(report_check(f"bundle, {name}", not good, text + logs, hint))
        shutil.rmtree(bare.root / "out", ignore_errors=True)

    rows = [r"\| execution \| {} \| ok \| \d+ \| (\d+) of \1 files agree", r"\| tensor \| {} \| ok"]
    rows += [r"\| launches-100 \| {} \| [\d.]+ \([\d.]+\) \| [\d.]+ \|"]
    rows += [r"\| matmul-f32-64 \| {} \| [\d.]+ \([\d.]+\) \| [\d.]+ TFLOPS \|"]
    parts = "conformance,execution,launches,speed,tensor"
    for device in ("CPU", "SIM"):
        wanted = [row.format(device) for row in rows] + ["nothing failed"]
        options = ["--device", device, "--quick", "--only", parts]
        expect(f"DEV={device}", 0, wanted, *options)
    expect(
        "training",
        0,
        [
            r"\| mlp \| CPU \| [\d.]+ \| 4 \| (2\.\d+) \| \1 \| 0\.0e\+00 \|",
            r"\| memory \| CPU \| ok \|",
        ],
        *("--device", "CPU", "--quick", "--only", "training,memory"),
    )

    # Parts that fail and hang.
    (bare.root / "more").write_text(PARTS)
    expect(
        "failing parts",
        1,
        [
            r"\| fails \| CPU \| FAILED: status 3 \| \d+ \| as it should",
            r"\| hangs \| CPU \| FAILED: killed after 5 s \|",
            r"\| leaves \| CPU \| ok \|",
            r"\| last \| CPU \| ok \| \d+ \| after all of them",
            "some parts FAILED",
        ],
        *("--parts", "/more", "--device", "CPU", "--only", "fails,hangs,leaves,last"),
    )
    for name in ("hangs", "too", "leaves"):
        file = bare.root / f"{name}.beat"
        before = file.read_text()
        time.sleep(0.5)
        alive = file.read_text() != before
        counts.add(report_check("bundle", alive, "", f"a process of '{name}' lives on"))
    expect(
        "no time",
        0,
        [r"\| last \| CPU \| not run \| 0 \| no time was left"],
        *("--parts", "/more", "--device", "CPU", "--only", "last", "--budget", "3"),
    )
    # A test with another result.
    broken = sorted((bundle / "test" / "Execution").glob("*.mlir"))[3]
    text = broken.read_text()
    broken.write_text(re.sub(r"CHECK: .*", "CHECK: another result", text))
    expect(
        "a wrong result",
        1,
        [rf"\| execution \| CPU \| FAILED: status 1 \| \d+ \| .*{broken.stem}\(1\)"],
        *("--device", "CPU", "--quick", "--only", "execution"),
    )
    broken.write_text(text)

    expect(
        "a short budget",
        0,
        # Less is left where it takes seconds to begin.
        [r"\| slow \| CPU \| not ended: no time was left after \d+ s \|"],
        *("--parts", "/more", "--device", "CPU", "--only", "slow", "--budget", "20"),
    )

    def expect_of(name, program, text, *rest):
        """As expect(), with a script in place of a program."""
        file = bundle / "bin" / program
        file.rename(bundle / "kept")
        file.write_text(text)
        file.chmod(0o755)
        expect(name, 1, *rest)
        (bundle / "kept").rename(file)

    # A program of tests with a failure, whose second part crashes.
    expect_of(
        "failing tests",
        "TinyGradTensorTests",
        FAILING_TESTS,
        [
            r"\| tensor \| CPU \| FAILED: status 1 \|",
            r"a part of TinyGradTensorTests ended with status 139: half a line;",
            r"TinyGradTensorTests: 2 passed, 2 failed, 1 skipped; A\.b \|",
        ],
        *("--device", "CPU", "--quick", "--only", "tensor"),
    )
    # Steps whose memory grows, and whose losses are others in the second run.
    expect_of(
        "failing steps",
        "training",
        GROWING_STEPS,
        [
            r"\| training \| CPU \| FAILED: status 1 \| \d+ \| mlp: the losses differ;",
            r"\| mlp \| CPU \| 1\.0 \| 4 \| 2\.2 \| 2\.3 \| 4\.3e-02 \|",
            r"\| memory \| CPU \| FAILED: status 1 \| \d+ \| 40 steps, buffers 40\.00 MiB, \+36\.00",
        ],
        *("--device", "CPU", "--quick", "--only", "training,memory"),
    )

    # Machines on which nothing can be tried.
    expect(
        "no GPU",
        2,
        [
            "there is no GPU to try",
            r"CUDA: there is no CUDA device: .*libcuda\.so\.1",
            "AMD: there is no AMD device",
        ],
    )
    expect("unknown part", 2, ["there is no part 'nothing', only device"], "--only", "nothing")
    mock = build / "unittests" / "DriverMock" / "libTinyGradMockCuda.so"
    # The tests of devices know by this path that it is one.
    (bare.root / "DriverMock").mkdir()
    shutil.copy(mock, bare.root / "DriverMock")
    driver = {"CUDALIB": f"/DriverMock/{mock.name}", "HIPLIB": "/none.so"}
    expect(
        "a GPU that computes nothing",
        1,
        [
            r"device `CUDA` \(sm_90, 132 compute units\)",
            r"\| device \| CUDA \| FAILED",
            r"\| conformance \| CUDA \| ok",
            # Some tests have nothing to compute: those of tensors without elements.
            r"\| execution \| CUDA \| FAILED: status 1 \| \d+ \| [0-3] of",
        ],
        *("--quick", "--only", "conformance,execution"),
        **driver,
    )
    expect(
        "old driver", 2, ["supports CUDA 11.2, and 11.8 is needed"], MOCK_VERSION="11020", **driver
    )
    expect("old GPU", 2, ["is sm_61, .*sm_70"], MOCK_CHIP="61", **driver)
    facts = bundle / "facts"
    text = facts.read_text()
    for line, message in (
        ("machine=sparc64", "the programs are for sparc64, and this machine is"),
        ("glibc=9.9", "glibc 9.9 is needed, and this machine has 2"),
    ):
        facts.write_text(re.sub(line.split("=")[0] + "=.*", line, text))
        expect(line, 2, [message], "--device", "CPU")
    facts.write_text(text)
