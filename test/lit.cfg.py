"""Configuration of the lit suite: what is a test, and how its tools are found."""

import os
import platform
import shutil

import lit.formats
import lit.util

config.name = "TinyGrad"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".td"]
# Inputs are files that tests read, not tests.
config.excludes = ["Inputs", "consumer", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tinygrad_binary_dir, "test")

# Own tools first, then LLVM's (FileCheck, not, count, mlir-opt, llvm-nm...).
path = [config.tinygrad_tools_dir, config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join(path + [config.environment["PATH"]])

# Tests must not see a user's settings, nor write into a user's cache.
config.environment["HOME"] = config.test_exec_root
config.environment["CACHEDIR"] = os.path.join(config.test_exec_root, "cache")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# No test needs a simpler schedule than the one that the compiler chose.
config.environment["FALLBACK"] = "0"

# --param DEV=SIM --param SIMCHIP=gfx942: other settings for all tests.
for name in ("DEV", "SIMCHIP", "SIMSEED"):
    if name in lit_config.params:
        config.environment[name] = lit_config.params[name]

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%source_dir", config.tinygrad_source_dir))
config.substitutions.append(("%binary_dir", config.tinygrad_binary_dir))
config.substitutions.append(("%tools_dir", config.tinygrad_tools_dir))
config.substitutions.append(
    ("%llvm_lib_dir", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib"))
)
# Builds with assertions check each rewrite of index arithmetic, which takes time.
terms = "5000" if config.build_type == "Debug" else "20000"
config.substitutions.append(("%scaling_terms", terms))

# Named in full: a tool that was not built is an error, not a tool of the same
# name from somewhere else.
for tool in ("tg-opt", "tg-run", "tg-compile", "tg-capi-test", "tg-test-artifact", "tg-test-embed", "tg-test-opt", "tg-test-print-c", "tg-lsp-server", "tg-fuzz", "tg-plot"):
    config.substitutions.append(
        (r"\b(?<![-/.])%s(?![-.\w])" % tool, os.path.join(config.tinygrad_tools_dir, tool))
    )

if config.sanitize:
    config.available_features.add("sanitize")
if config.static_programs:
    config.available_features.add("static-programs")

# Proofs ask the SMT solver.
if shutil.which("z3"):
    config.available_features.add("z3")

# Fortran calls libraries that the compiler makes.
if shutil.which("gfortran"):
    config.available_features.add("gfortran")
# Code runs one instruction at a time.
if platform.system() == "Linux" and platform.machine() == "x86_64":
    config.available_features.add("step-code")
# Libraries for other processors run on an emulator.
if shutil.which("qemu-aarch64"):
    config.available_features.add("qemu-aarch64")
# C for processors with pointers of 32 bits.
if os.path.isfile("/usr/include/x86_64-linux-gnu/gnu/stubs-32.h") or os.path.isfile("/usr/include/gnu/stubs-32.h"):
    config.available_features.add("m32")
if any(
    name.startswith("libclang_rt.rtsan")
    for _, _, files in os.walk(os.path.join(os.path.dirname(config.llvm_tools_dir), "lib", "clang"))
    for name in files
):
    config.available_features.add("rtsan")

# Where the solver's answers are kept, if whoever runs the tests says so.
answers = os.environ.get("TINYGRAD_ANSWERS", "")
config.environment["TINYGRAD_ANSWERS"] = answers
config.substitutions.append(("%answers", f"answers={answers}"))

# CUDA's assembler checks PTX.
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    script = os.path.join(config.test_source_root, "Target/GPU/Inputs/assemble.py")
    config.substitutions.append(("%assemble_ptx", f"{config.python} {script} {ptxas}"))

if os.path.isdir("/usr/share/datasets/fashion-mnist"):
    config.available_features.add("fashion-mnist")
if os.path.isfile("/usr/share/games/fortunes/computers"):
    config.available_features.add("fortunes")
