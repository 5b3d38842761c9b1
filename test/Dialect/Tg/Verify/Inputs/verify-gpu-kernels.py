"""Proves the GPU kernels of files, and prints how many there were.

Usage: verify-gpu-kernels.py [--without-barriers | --mutants | --undecided]
  TG_OPT TARGET FILE...

Files are those of the dialect, in parts that are separated as for tg-opt's
-split-input-file or for split-file. They are scheduled and converted for TARGET;
what is not made from a kernel is left out. So are parts for which that is an error,
if they say so (expected-error) or are known to be (DROPPED); others fail. TARGET
may be followed by facts that are not those of the chip, as in
cuda:sm_90,async_copies=0.

With --without-barriers, each barrier is left out once: the proof must fail, or
else the barrier is not needed. These are counted too.

With --mutants, each barrier and each wait for copies or products is left out, the
order of elements in tiles is changed, and accesses of tiles are one element too far,
or matrices a whole tile; copies of subgroups are to other places; of copies of boxes,
all that mbarriers need is left out or changed, and boxes are elsewhere; the rows of a
band of groups are all the first one: each time the proof must fail.

With --undecided, a few statements that the solver cannot decide are allowed, and
counted: sizes of random graphs may be any expressions.

Answers of the solver are kept in the folder TINYGRAD_ANSWERS, if that is set.
"""

import bisect
import os
import re
import subprocess
import sys

# Kernels that were written to see what code becomes, with indices that nothing
# keeps inside of buffers, or with buffers of unknown size.
EXCLUDED = {
    "TgToGPU/unknown-size.mlir": [""],
    "Validate/unknown-size.mlir": [""],
    "TgToVector/far-lanes.mlir": [""],
    "TgToVector/lanes.mlir": [""],
    "TgToVector/masks.mlir": [""],
    "Transforms/fuse-kernels.mlir": ["E_8_1000_n0"],
    "Transforms/fuse-kernels-apart.mlir": ["scatter", "add_values"],
    "Transforms/narrow-buffers.mlir": ["gather"],
    # A part of the result that its caller may have no memory for is written whole.
    "Transforms/forward-copies.mlir": ["leading"],
    "Transforms/optimize-limits.mlir": ["positions"],
    "Transforms/optimize-symbolic.mlir": ["unknown_size", "unknown_columns"],
    "Verify/verify-accesses-invalid.mlir": [""],
    "Tg/symbolic.mlir": ["symbolic_range"],
    # To be read and printed; in the second file, one of everything.
    "Tg/tma.mlir": [""],
    "Tg/Inputs/version-0.1.mlir": [""],
}
# Parts that cannot be converted, by what they contain, where no expected-error says
# so. With errors of one function, all others of the part are lost.
DROPPED = {
    # Operations of a dialect that tg-opt does not have.
    "": ["tg_test."],
    # Arguments that are no tensors.
    "MathToPolynomial/expand-math.mlir": ["@unchanged("],
    "Tg/canonicalize.mlir": ["@no_maximum("],
    "Tg/ops.mlir": ["@casts("],
    "Transforms/autodiff-buffers.mlir": ["@main("],
    # Buffers that are not yet arguments, and variables that are bound to numbers.
    "Tg/canonicalize-movement.mlir": ["tg.buffer"],
    "Tg/symbolic.mlir": ["tg.buffer", "@dim_values("],
    "tg-compile/reproducer.mlir": ["@main("],
    # More bytes than fit.
    "Transforms/split-reduce.mlir": ["@uncountable("],
    # Lists of steps for processors, and for one chip.
    "Transforms/apply-schedule.mlir": ["@merged_and_split("],
    "Transforms/apply-schedule-order.mlir": ["@merged_apart("],
    "Transforms/apply-schedule-passes.mlir": ["@sum("],
    "TgToGPU/copies-in-parts.mlir": ["@product("],
    # Kernels in which lanes or positions would update one element.
    "Transforms/simplify-index.mlir": ["@collect("],
    "Tg/ops-order.mlir": ["@graph("],
    # A host program without kernels, operations of linalg, and calls of functions.
    "HostToLLVM/host.mlir": ["@copies(", "@leading("],
    "LinalgToTg/convert.mlir": ["linalg."],
    "TgToLinalg/convert.mlir": ["func.call"],
    # Functions that mix the dialect with others or have unknown sizes, and one with
    # a mistake.
    "Transforms/outline.mlir": [""],
    "Tg/reify-shapes.mlir": [""],
    "Transforms/drop-sizes.mlir": [""],
    "Transforms/name-sizes-invalid.mlir": [""],
    "Transforms/name-sizes-mixed.mlir": [""],
    "Transforms/name-sizes-option.mlir": [""],
    "Execution/Inputs/mixed-function.mlir": [""],
    "Execution/Inputs/mixed-scratch.mlir": [""],
    "Static/Inputs/broken.mlir": [""],
    # More memory than a work item has.
    "TgToVector/stage.mlir": ["@large("],
    "Target/GPU/invalid.mlir": [""],
    # More memory than groups of gfx942 have.
    "Cuda/large-group-memory.mlir": [""],
}
MATRIX_UNITS = re.compile(r"nvgpu\.mma\.sync|nvvm\.wgmma|amdgpu\.(mfma|wmma)")
SEPARATOR = "// -----"
BATCH = 400000
OTHER_ORDER = "permute their memory in different ways"
EARLY_READ = "before it has waited|neither copies boxes nor waits for them"
# What begins a file within a file for split-file.
FILE = r"(?://|#)--- "


def split(text):
    """The parts of a file, without empty ones."""
    parts = re.split(f"^(?:{SEPARATOR}|{FILE}).*$", text, flags=re.MULTILINE)
    return [part for part in parts if part.strip()]


def read(name):
    """The parts of a file. Those of a test that is no MLIR follow its commands."""
    with open(name) as file:
        text = file.read()
    if name.endswith(".test"):
        text = text[re.search(f"^{FILE}", text, re.MULTILINE).start() :]
    return split(text)


def run(opt, texts, *options):
    command = [opt, "-", "-split-input-file", *options]
    done = subprocess.run(command, input=join(texts), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"tg-opt ended with {done.returncode}: {done.stderr[-2000:]}")
    return done


def join(parts):
    return f"\n{SEPARATOR}\n".join(parts)


def batches(texts):
    """The texts, a few at a time: for each of those that it is given together, tg-opt
    counts the lines of all."""
    batch, size = [], 0
    for text in texts:
        if batch and size + len(text) > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def convert_with(opt, parts, passes):
    """Converts parts, given with their names; the text of those that are errors is
    empty."""
    converted = []
    for batch in batches(text for _, text in parts):
        done = run(opt, batch, f"--pass-pipeline=builtin.module({passes})")
        texts = re.split(f"^{SEPARATOR}$", done.stdout, flags=re.MULTILINE)
        if len(texts) != len(batch):
            sys.exit(f"tg-opt left parts out: {done.stderr[-2000:]}")
        converted += texts
    return [(name, text) for (name, _), text in zip(parts, converted)]


def level_of(part):
    """The level that a part is at, or that of its least converted function."""
    kernels = part.split("tg.kernel ")[1:]
    if not kernels or re.search(r"func\.func[^\n]*tensor<", part):
        return 1
    scheduled = re.compile(r"tg\.range \d+ (?!loop)|scheduled = ")
    return 3 if all(scheduled.search(kernel) for kernel in kernels) else 2


def convert_level(opt, parts, level):
    """Converts the parts of one level to functions for GPUs."""
    parts = [part for part in parts if level_of(part[1]) == level]
    passes = ["tg-schedule-pipeline", "tg-optimize-pipeline", "convert-tg-to-gpu"]
    return convert_with(opt, parts, ", ".join(passes[level - 1 :])) if parts else []


def convert(opt, target, names):
    """The modules of functions for GPUs."""
    parts, is_error = [], {}
    for name in names:
        left_out = []
        for ending, kernels in EXCLUDED.items():
            if name.endswith(ending):
                left_out += [f"@{kernel}(" if kernel else "" for kernel in kernels]
        dropped = [text for end, texts in DROPPED.items() if name.endswith(end) for text in texts]
        for number, part in enumerate(read(name)):
            # Functions of the gpu dialect that no kernel became.
            is_lower = re.search(r"^\s*gpu\.func", part, re.MULTILINE)
            # Host programs and functions that kernels became, without kernels.
            is_lower = is_lower or not re.search(r"tg\.kernel |tensor<|![a-z]", part)
            if is_lower or any(text in part for text in left_out):
                continue
            place = f"{name}, part {number}"
            parts.append((place, part))
            is_error[place] = "expected-error" in part or any(text in part for text in dropped)
    name, *facts = target.split(",")
    parts = convert_with(opt, parts, f"tg-attach-target{{target={name}}}")
    lost = [place for place, text in parts if not text.strip()]
    parts = [part for part in parts if part[1].strip()]
    for fact in facts:
        what, value = fact.split("=")
        known = re.compile(rf"(#tg\.target<[^>]*), {what} = \d+")
        parts = [(place, known.sub(r"\1", text)) for place, text in parts]
        parts = [
            (place, re.sub(r"(#tg\.target<[^>]*)>", rf"\1, {what} = {value}>", text))
            for place, text in parts
        ]
    parts = [part for level in (1, 2, 3) for part in convert_level(opt, parts, level)]
    lost += [place for place, text in parts if not text.strip()]
    unexpected = [place for place in lost if not is_error[place]]
    if unexpected:
        sys.exit("error: not converted:\n" + "\n".join(unexpected))
    return [text for _, text in parts if "gpu.func @" in text]


def prove(opt, modules, timeout=5000):
    answers = os.environ.get("TINYGRAD_ANSWERS", "")
    proof = f"--tg-verify-gpu-kernels=print-counts=true timeout={timeout} answers={answers}"
    return [run(opt, batch, proof, "-o", "/dev/null") for batch in batches(modules)]


def find_failures(opt, modules):
    """What tg-opt says against each of the modules, which are wrong; many of
    them are proved by one process, as starting one takes as long as most proofs."""
    failures = []
    for batch, done in zip(batches(modules), prove(opt, modules)):
        begins, lines = [], 0
        for module in batch:
            begins.append(lines)
            lines += module.count("\n") + 2
        found = [""] * len(batch)
        part = 0
        for line in done.stderr.splitlines():
            # Notes follow their error.
            if error := re.match(r"<stdin>:(\d+):\d+: error: ", line):
                part = bisect.bisect_left(begins, int(error[1])) - 1
            found[part] += line + "\n"
        failures += found
    return failures


def count_proofs(output):
    total = {}
    for line in output.splitlines():
        if found := re.match(r"proved (.*): (\d+)$", line):
            total[found[1]] = total.get(found[1], 0) + int(found[2])
    return total


def without_barriers(modules):
    """(function, its module with one barrier less)"""
    for module in modules:
        lines = module.splitlines()
        for i, line in enumerate(lines):
            if found := re.search(r"gpu\.func @(\S+)\(", line):
                name = found[1]
            if line.strip() == "gpu.barrier":
                yield name, "\n".join(lines[:i] + lines[i + 1 :])


def replace(lines, i, old, new):
    assert old in lines[i], lines[i]
    return lines[:i] + [lines[i].replace(old, new)] + lines[i + 1 :]


def mutants(module):
    """(what is wrong, the lines of the module, what the error has to say)"""
    lines = module.splitlines()
    num_copies = 0
    only_copy = "nvgpu.mbarrier.arrive %" in module
    is_in_flight = "nvvm.wgmma.wait.group.sync.aligned 1" in module
    orders = []
    yield from order_mutants(lines)
    yield from block_mutants(lines)
    for i, line in enumerate(lines):
        if line.strip() == "gpu.barrier":
            yield "barrier", lines[:i] + lines[i + 1 :], "no barrier is between"
        elif mutation := role_mutants(lines, i):
            yield from mutation
        elif "nvgpu.device_async_wait" in line:
            message = "before it has waited"
            yield "wait", lines[:i] + lines[i + 1 :], message
            if found := re.search(r"numGroups = (\d+)", line):
                later = f"numGroups = {int(found[1]) + 1}"
                yield "later wait", replace(lines, i, found[0], later), message
        elif found := re.search(r"amdgpu.memory_counter_wait load\((\d+)\)", line):
            later = replace(
                lines, i, found[0], f"amdgpu.memory_counter_wait load({int(found[1]) + 1})"
            )
            message = "before it has waited|no barrier is between"
            yield "wait for loads", lines[:i] + lines[i + 1 :], message
            yield "later wait for loads", later, message
        elif found := re.search(r"gather_to_lds [^\]]*\], %\w+\[(%\w+)\]", line):
            # One of each eight: most are alike.
            num_copies += 1
            if num_copies % 8 == 1:
                yield from direct_mutants(lines, i, found[1])
        elif mutation := mbarrier_mutants(lines, i) or store_mutants(lines, i):
            yield from mutation
        elif "nvvm.wgmma.commit" in line:
            yield "commit of products", lines[:i] + lines[i + 1 :], "is not waited for"
        elif "nvvm.wgmma.wait" in line:
            if is_in_flight and "aligned 0" in line:
                # The one after the loop.
                message = "is not waited for|comes before the products"
                yield "last wait for products", lines[:i] + lines[i + 1 :], message
                continue
            running = int(re.search(r"aligned (\d+)", line)[1])
            later = replace(lines, i, f"aligned {running}", f"aligned {running + 1}")
            yield "wait for products", lines[:i] + lines[i + 1 :], "is not waited for"
            # What was complete at once is pending then.
            message = "is not waited for|no barrier is between"
            if only_copy:
                message += "|comes before the products have been waited for"
            yield "later wait for products", later, message
        elif "nvvm.wgmma.mma_async" in line:
            # Not computed as a place in a tile.
            descriptor = re.search(r"mma_async (%\w+),", line)[1]
            other = replace(lines, i, f"{descriptor},", "%other,")
            other[i:i] = [f"%other = arith.addi {descriptor}, {descriptor} : i64"]
            yield "unknown descriptor", other, "unsupported descriptor"
        elif "arith.shrui" in line and ": index to i64" in lines[i + 1]:
            # The matrix of another buffer, in tiles of 64x64.
            place = re.search(r"arith\.shrui (%\w+),", line)[1]
            far = replace(lines, i, f"{place},", "%far,")
            far[i:i] = [
                "%tile = arith.constant 4096 : index",
                f"%far = arith.addi {place}, %tile : index",
            ]
            yield "offset of matrix", far, "outside of its buffer|no barrier is between"
        elif "arith.shli" in lines[i - 1] and (
            found := re.match(r"\s*(%\w+) = arith\.xori (%\w+), (%\w+) : index", line)
        ):
            orders.append((i, found[1], found[2]))
    # The row is shifted, masked, shifted back and flips bits, in this order.
    row = re.compile(r"arith\.shrui (%\w+), (%\w+) : index")
    chunk = re.compile(r"arith\.shli (%\w+), (%\w+) : index")
    too_far = "outside of its buffer|two chunks|no barrier is between"
    wrong = lines
    kinds = set()
    for i, result, index in orders:
        # Two parts of the number of a row, or one.
        rows = [i - 6, i - 4] if "arith.ori" in lines[i - 2] else [i - 3]
        shifted = row.search(lines[rows[0]])
        if not shifted or shifted[1] != index:
            continue  # the chunk that a copy reads
        row_bits = shifted[2]
        chunk_bits = chunk.search(lines[i - 1])[2]
        # Bits that flip themselves are lost, in all accesses.
        wrong = replace(wrong, i - 1, f", {chunk_bits} :", f", {row_bits} :")
        # In an order that the other accesses do not have.
        yield "order", replace(lines, rows[0], f", {row_bits} :", f", {chunk_bits} :"), OTHER_ORDER
        # One element too far, in the first and second access of each kind.
        access = next(line for line in lines[i + 1 :] if f"[{result}]" in line)
        kind = re.search(r"(\w+\.[\w.]+) ", access)[1]
        if (kind, 2) in kinds:
            continue
        kinds.add((kind, 2) if (kind, 1) in kinds else (kind, 1))
        far = replace(lines, i, f" {index},", " %far,")
        for k in rows:
            far = replace(far, k, f" {index},", " %far,")
        far[rows[0] : rows[0]] = [
            "%one_more = arith.constant 1 : index",
            f"%far = arith.addi {index}, %one_more : index",
        ]
        yield f"offset of {kind}", far, too_far
    if orders:
        # Matrix operations that read the tiles themselves know one order.
        message = OTHER_ORDER if "nvvm.wgmma" in module else "is no permutation"
        yield "order of all", wrong, message


def order_mutants(lines):
    """The mutants of rows of a band of groups, or of blocks of results: all would be
    the first one. Which blocks the items that only copy are at is not proved."""
    of_group = set()
    copies = [i for i, line in enumerate(lines) if "nvgpu.tma.async.load" in line]
    what = r"groups \(\d+, \d+\) and \(\d+, \d+\)"
    for i, line in enumerate(lines):
        if found := re.search(r"(%\w+) = gpu\.block_id +[xy]", line):
            of_group.add(found[1])
        elif found := re.search(r"scf\.for (%arg\d+) = %block_id_x\w* to %c", line):
            of_group.clear()
            if not copies or i > copies[-1]:
                of_group.add(found[1])
            what = r"iterations \d+ and \d+ of the loop over blocks"
        elif found := re.search(r"(%\w+) = arith\.\w+ (%\w+), (%\w+) : index", line):
            result, x, y = found.groups()
            if not all(value in of_group or value.startswith("%c") for value in (x, y)):
                continue
            of_group.add(result)
            # A band of one row has no other one.
            if re.fullmatch(r"%c1(_\d+)?", y):
                continue
            if "remui" in line and re.search(rf"arith\.divui {x}, {y} :", lines[i + 1]):
                other = replace(lines, i, f", {y} :", ", %one_row :")
                other[i:i] = ["%one_row = arith.constant 1 : index"]
                yield "row of band", other, f"{what} compute the same block of results"


def block_mutants(lines):
    """The mutants of loops over the blocks of results of a group."""
    definitions = {}
    # What is no loop over blocks has no positions across these.
    other_loop = "unsupported number of an mbarrier|unsupported wait for an mbarrier: not of each"
    for i, line in enumerate(lines):
        if found := re.match(r"\s*(%\w+) = ", line):
            definitions[found[1]] = line
        if found := re.search(r"scf\.for %arg\d+ = %block_id_x\w* to (%\w+) step (%grid_dim\w+)", line):
            end, step = found.groups()
            number = ["%one_more = arith.constant 1 : index"]
            every = replace(lines, i, f"step {step}", "step %one_more")
            every[i:i] = number
            message = f"{other_loop}|may end before this store has read its box"
            yield "blocks of other groups", every, message
            fewer = replace(lines, i, f"to {end}", "to %one_more")
            fewer[i:i] = number
            message = "is for other blocks of results than the loop that fills the buffers"
            yield "fewer blocks", fewer, message
        # Positions begin anew in each block, and with them phases.
        elif found := re.search(r"arith\.addi %arg\d+, (%\w+) : index", line):
            product = re.search(r"arith\.muli (%\w+),", definitions.get(found[1], ""))
            turn = definitions.get(product[1], "") if product else ""
            if re.search(r"arith\.divui %arg\d+, %grid_dim", turn):
                anew = replace(lines, i, f", {found[1]} :", ", %none :")
                anew[i:i] = ["%none = arith.constant 0 : index"]
                yield "positions of one block", anew, other_loop


def direct_mutants(lines, i, place):
    """The mutants of a copy of a subgroup to a place."""
    for what, number, message in (
        ("element", "%one_more", "two chunks"),
        ("address of each item", "%item", "different addresses"),
        ("buffer", "%buffer", "outside of its buffer|no barrier is between|before it has waited"),
    ):
        other = replace(lines, i, f"[{place}] :", "[%other] :")
        other[i:i] = [
            "%one_more = arith.constant 1 : index",
            "%chunk = arith.constant 8 : index",
            "%buffer = arith.constant 4096 : index",
            "%lane = gpu.thread_id x",
            "%item = arith.muli %lane, %chunk : index",
            f"%other = arith.addi {place}, {number} : index",
        ]
        yield f"copy to another {what}", other, message


def role_mutants(lines, i):
    """The mutants of a line that has to do with items that only copy."""
    line = lines[i]
    without = lines[:i] + lines[i + 1 :]
    found = []
    if "nvvm.barrier id" in line:
        found.append(("barrier of some items", without, "no barrier is between"))
        count = re.search(r"number_of_threads = (%\w+)", line)[1]
        fewer = replace(lines, i, f"number_of_threads = {count}", "number_of_threads = %fewer")
        fewer[i:i] = ["%fewer = arith.constant 32 : i32"]
        found.append(("barrier of fewer items", fewer, "not of the"))
    elif increase := re.search(r"nvvm\.setmaxregister +increase (\d+)", line):
        count = int(increase[1])
        more = replace(lines, i, f"increase {count}", f"increase {count + 8}")
        found.append(("more registers", more, "takes more registers than others give back"))
        fewer = replace(lines, i, f"increase {count}", "increase 64")
        found.append(("increase to fewer registers", fewer, "but items begin with"))
        found.append(("registers twice", lines[:i] + [line] + lines[i:], "not the only one"))
    elif re.search(r"nvvm\.setmaxregister +decrease", line):
        found.append(("registers not given back", without, "takes more registers than others"))
    elif "nvgpu.mbarrier.arrive %" in line:
        message = "unsupported wait|no item only copies|not one for what is full|not one in a loop"
        found.append(("arrival of readers", without, message))
        number = re.search(r"\[(%\w+)\]", line)[1]
        other = replace(lines, i, f"[{number}]", "[%other]")
        other[i:i] = [
            "%next = arith.constant 1 : index",
            f"%other = arith.addi {number}, %next : index",
        ]
        found.append(("arrival for other buffer", other, "unsupported arrival"))
        branch = next(j for j in range(i, 0, -1) if "scf.if" in lines[j])
        condition = re.search(r"scf\.if (%\w+)", lines[branch])[1]
        for what, value in (("every item arrives", "true"), ("no item arrives", "false")):
            every = replace(lines, branch, f"scf.if {condition}", "scf.if %every")
            every[branch:branch] = [f"%every = arith.constant {value}"]
            found.append((what, every, "not the first item of each warpgroup"))
        # Before the products of that position are complete.
        wait = next(j for j in range(branch, 0, -1) if "nvvm.wgmma.wait" in lines[j])
        end = next(j for j in range(i, len(lines)) if lines[j].strip() == "}")
        early = lines[:wait] + lines[wait + 1 : end + 1] + [lines[wait]] + lines[end + 1 :]
        found.append(("early arrival", early, "comes before the products|is not waited for"))
    elif "arith.cmpi ult, %thread_id" in line or "arith.cmpi uge, %thread_id" in line:
        # Another number of items than barriers and mbarriers have.
        bound = re.search(r"%thread_id_\w+, (%\w+) : index", line)[1]
        other = replace(lines, i, f", {bound} :", ", %fewer :")
        other[i:i] = ["%fewer = arith.constant 3 : index"]
        message = "whole warpgroups|those that multiply|items of a group, and no others|unsupported"
        found.append(("bound of items", other, message))
        if "ult" in line and any("nvgpu.tma.async.load" in other for other in lines[:i]):
            found.append(("read after copies", read_after_copies(lines, i), EARLY_READ))
    return found


def store_mutants(lines, i):
    """The mutants of a line that has to do with stores of boxes."""
    line = lines[i]
    without = lines[:i] + lines[i + 1 :]
    found = []
    message = "may end before this store has read its box"
    if "nvvm.cp.async.bulk.commit.group" in line:
        found.append(("commit of stores", without, message))
    elif "nvvm.cp.async.bulk.wait_group" in line and "bulk.commit" not in lines[i - 1]:
        # Where groups compute several blocks: before the next results, and at the end.
        message += "|waited for the store of a box"
        found.append(("wait for stores of a block", without, message))
        later = replace(lines, i, "wait_group 0", "wait_group 1")
        found.append(("later wait for stores of a block", later, message))
    elif "nvvm.cp.async.bulk.wait_group" in line:
        found.append(("wait for stores", without, message))
        later = replace(lines, i, "wait_group 0", "wait_group 1")
        found.append(("later wait for stores", later, message))
        # The tile is written again before the wait.
        write = re.compile(r"\s*vector\.store .*workgroup")
        store = next(other for other in lines if write.match(other))
        early = lines[:i] + [store] + lines[i:]
        found.append(("write before wait", early, "waited for the store of a box"))
        # All items store.
        branch = next(j for j in range(i, 0, -1) if "scf.if" in lines[j])
        condition = re.search(r"scf\.if (%\w+)", lines[branch])[1]
        every = replace(lines, branch, f"scf.if {condition}", "scf.if %every")
        every[branch:branch] = ["%every = arith.constant true"]
        found.append(("every item stores", every, "access an element of a buffer"))
    elif "nvgpu.tma.async.store" in line:
        # A box that another group stores, or another store.
        for place, what in ((0, "column"), (1, "row")):
            places = re.search(r"\[(%\w+), (%\w+)\]", line)
            other = list(places.groups())
            other[place] = "%elsewhere"
            far = replace(lines, i, places[0], f"[{', '.join(other)}]")
            far[i:i] = ["%elsewhere = arith.constant 32 : index"]
            message = "two groups access an element|waited for the copy"
            found.append((f"store at other {what}", far, message))
        # The buffer is read as well.
        matrix = re.compile(r"memref\.reinterpret_cast (%arg\d+) to .* : (memref<\w+>) to")
        buffer = [m for m in map(matrix.search, lines[:i]) if m][-1]
        read = [
            "%first = arith.constant 0 : index",
            f"%old = memref.load {buffer[1]}[%first] : {buffer[2]}",
        ]
        found.append(("read of result", lines[:i] + read + lines[i:], "accesses otherwise"))
    return found


def read_of_copy(lines, i):
    """A read of an element of the box that the line copies, in the order of the tile."""
    box = re.search(
        r"reinterpret_cast (%\w+) to offset: \[(%\w+)\].* : (memref<\d+x(\w+), .*>) to",
        lines[i - 1],
    )
    tile, place, kind, element = box.groups()
    # Rows of 128 bytes, of 8 chunks.
    row = 128 * 8 // int(re.search(r"\d+", element)[0])
    return [
        f"%row_bits = arith.constant {row.bit_length() - 1} : index",
        f"%chunk_bits = arith.constant {row.bit_length() - 4} : index",
        "%rows = arith.constant 7 : index",
        f"%row = arith.shrui {place}, %row_bits : index",
        "%turn = arith.andi %row, %rows : index",
        "%flip = arith.shli %turn, %chunk_bits : index",
        f"%there = arith.xori {place}, %flip : index",
        f"%early = memref.load {tile}[%there] : {kind}",
    ]


def read_after_copies(lines, i):
    """The item that has begun all copies reads before a line, where others do not."""
    copy = next(j for j, line in enumerate(lines) if "nvgpu.tma.async.load" in line)
    begin = next(j for j, line in enumerate(lines) if "nvgpu.mbarrier.init" in line)
    branch = next(j for j in range(begin, 0, -1) if "scf.if" in lines[j])
    place = re.search(r"offset: \[(%\w+)\]", lines[copy - 1])[1]
    first = [f"{place} = arith.constant 0 : index"]
    return [*lines[:i], lines[branch], *first, *read_of_copy(lines, copy), "}", *lines[i:]]


def mbarrier_mutants(lines, i):
    """The mutants of a line that has to do with mbarriers or copies of boxes."""
    line = lines[i]
    without = lines[:i] + lines[i + 1 :]
    found = []

    def change(what, old, new, message, *before):
        changed = replace(lines, i, old, new)
        changed[i:i] = before
        found.append((what, changed, message))

    if "nvgpu.mbarrier.init" in line:
        found.append(("initialization", without, "are not initialized"))
        count = re.search(r"\], (%\w+)", line)[1]
        change(
            "other count", f"], {count}", "], %many", "unsupported initialization",
            "%many = arith.constant 7 : index",
        )
    elif "nvvm.fence.mbarrier.init" in line:
        found.append(("mbarrier fence", without, "is not fenced"))
    elif "nvgpu.mbarrier.arrive.expect_tx" in line:
        message = "of bytes that no arrival announced|0 arrivals of items that copy"
        found.append(("arrival", without, message))
        bytes_ = re.search(r"\], (%\w+)", line)[1]
        change(
            "other bytes", f"], {bytes_}", "], %many", "announces 128 bytes, but",
            "%many = arith.constant 128 : index",
        )
        # All items begin copies.
        branch = next(j for j in range(i, 0, -1) if "scf.if" in lines[j])
        condition = re.search(r"scf\.if (%\w+)", lines[branch])[1]
        every = replace(lines, branch, f"scf.if {condition}", "scf.if %every")
        every[branch:branch] = ["%every = arith.constant true"]
        message = "no barrier is between|two items fill the same buffers"
        found.append(("every item", every, message))
    elif (
        "gpu.barrier" in lines[i - 1]
        and (position := re.search(r"arith\.addi %arg\d+, (%\w+) : index", line))
        and any("nvgpu.mbarrier.create" in other for other in lines)
    ):
        # A phase is begun that comes after one that has not ended.
        change(
            "later position", f", {position[1]} :", ", %later :", "unsupported arrival",
            "%later = arith.constant 3 : index",
        )
    elif "nvgpu.mbarrier.try_wait.parity" in line:
        found.append(("wait for phase", without, "have 0 waits|and 0 waits"))
        number, parity = re.search(r"\[(%\w+)\], (%\w+)", line).groups()
        change(
            "other mbarrier", f"[{number}]", "[%other]", "unsupported wait",
            "%next = arith.constant 1 : index",
            f"%other = arith.addi {number}, %next : index",
        )
        change(
            "other parity", f"], {parity}", "], %other", "phase of its position",
            "%yes = arith.constant true",
            f"%other = arith.xori {parity}, %yes : i1",
        )
    elif "nvgpu.tma.async.load" in line:
        message = f"{EARLY_READ}|unsupported access of items that only copy"
        early = lines[: i + 1] + read_of_copy(lines, i) + lines[i + 1 :]
        found.append(("read of copy", early, message))
        # The copy of one box is announced, but not begun.
        found.append(("copy", without, "announces"))
        number = re.search(r", %\w+\[(%\w+)\] to", line)[1]
        change(
            "copy for other mbarrier", f"[{number}] to", "[%other] to",
            "by another mbarrier|unsupported number",
            "%next = arith.constant 1 : index",
            f"%other = arith.addi {number}, %next : index",
        )
    elif "memref.reinterpret_cast" in line and "offset: [%" in line:
        offset = re.search(r"offset: \[(%\w+)\]", line)[1]
        # A row further, and a tile: onto one that is read, or out of the memory.
        distances = {
            64: "does not begin at a multiple|outside of its buffer",
            4096: "no barrier is between|outside of its buffer|has waited",
        }
        if any("nvgpu.tma.async.store" in other for other in lines[i + 1 : i + 3]):
            # That nothing was written where a store reads is not proved.
            del distances[4096]
        for distance, message in distances.items():
            change(
                f"box {distance} further", f"[{offset}]", "[%far]", message,
                f"%distance = arith.constant {distance} : index",
                f"%far = arith.addi {offset}, %distance : index",
            )
    elif "nvgpu.tma.create.descriptor" in line:
        box = re.search(r"box\[(%\w+)", line)[1]
        change(
            "other box", f"box[{box}", "box[%many", "unsupported tensor map",
            "%many = arith.constant 32 : index",
        )
    return found


def try_mutants(opt, modules):
    counts = {}
    for module in modules:
        name = re.search(r"gpu\.func @(\S+)\(", module)[1]
        tried = list(mutants(module))
        failures = find_failures(opt, ["\n".join(lines) for _, lines, _ in tried])
        for (what, _, message), failure in zip(tried, failures):
            if ": error: " not in failure or not re.search(message, failure):
                sys.exit(f"not noticed in {name}: {what}\n{failure[-2000:]}")
            counts[what] = counts.get(what, 0) + 1
    for what, count in sorted(counts.items()):
        print(f"noticed {what}: {count}")


def main():
    arguments = sys.argv[1:]
    mode = arguments.pop(0) if arguments[0].startswith("--") else ""
    lenient = mode == "--undecided"
    opt, target, *names = arguments
    modules = convert(opt, target, names)
    print(f"functions: {sum(module.count('gpu.func @') for module in modules)}")
    on_matrix_units = sum(bool(MATRIX_UNITS.search(module)) for module in modules)
    print(f"modules on matrix units: {on_matrix_units}")
    done = prove(opt, modules, timeout=1000 if lenient else 5000)
    errors = "".join(batch.stderr for batch in done)
    undecided = errors.count("could not decide this")
    is_decided = undecided == 0 or errors.count("error: ") > undecided
    if any(batch.returncode for batch in done) and not (lenient and not is_decided):
        print(join(modules))
        sys.exit(errors)
    if undecided * 100 > sum(module.count("gpu.func @") for module in modules):
        sys.exit(f"error: {undecided} statements could not be decided")
    if undecided:
        print(f"undecided: {undecided}")
    for name, count in sorted(count_proofs("".join(batch.stdout for batch in done)).items()):
        print(f"proved {name}: {count}")
    if mode == "--mutants":
        try_mutants(opt, modules)
    if mode != "--without-barriers":
        return
    needed = 0
    tried = list(without_barriers(modules))
    failures = find_failures(opt, [module for _, module in tried])
    for (name, _), failure in zip(tried, failures):
        if ": error: " not in failure:
            print(f"not needed: a barrier of {name}")
        elif "no barrier is between" in failure:
            needed += 1
        else:
            sys.exit(failure)
    print(f"needed barriers: {needed}")


main()
