#!/usr/bin/env python3
"""Writes the types of the extension for editors and mypy.

usage: python-stub.py OUTPUT

nanobind's stub, and what it cannot know: methods are called like built-in types
(Tensor.float), exceptions are shown as those of the package, and some functions
return Python objects that C++ has no name for.
"""

import importlib
import re
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

SELF = (
    "backward realize assign replace to cast bitcast double float half bfloat16 "
    "int long short bool __getitem__ reshape view expand permute transpose flip squeeze flatten "
    "pad shrink to_ shard_ requires_grad_ __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ "
    "__imod__ __ipow__ __imatmul__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__"
).split()
RESULTS = {name: "Tensor" for name in SELF} | {
    "item": "builtins.bool | builtins.int | builtins.float",
    "numpy": "Any",
    "tolist": "Any",
    "data": "memoryview",
    "__array__": "Any",
}
RETURNS = re.compile(r"^(    def (\w+)\(.*\) -> )object(:.*)$")
BUILTIN = re.compile(r"(?<![\w.])(bool|int|float)(?![\w(])")
# What nanobind leaves open.
ANY = [
    (re.compile(r"(\*\*?\w+)(?=[,)])"), r"\1: Any"),
    (re.compile(r"(?<=[ \[(])(tuple)(?=[,)\]:; ]|$)"), r"\1[Any, ...]"),
    (re.compile(r"(?<=[ \[(])(list)(?=[,)\]:; ]|$)"), r"\1[Any]"),
    (re.compile(r"(?<=[ \[(])(dict)(?=[,)\]:; ]|$)"), r"\1[str, Any]"),
    (re.compile(r"(?<=[ \[(])(Callable)(?=[,)\]:; ]|$)"), r"\1[..., Any]"),
    (re.compile(r"(?<=-> )object(?=:)"), "Any"),
]
ANNOTATED = re.compile(r"^ *(def \w+\(|\w+: )")
DEVICE = re.compile(r"(?<=device: )str \| None")
OVERRIDES = re.compile(r"^    def __(eq|ne)__\(")
ERRORS = re.compile(r"^from tinygrad_mlir import \(.*?\)\n", re.MULTILINE | re.DOTALL)


# What the package's Python sources add to Tensor.
MEMBERS = {
    "is_param": """    is_param: builtins.bool
    \"""Whether optimizers change this tensor.\"""
""",
    "is_param_": """    def is_param_(self, is_param: builtins.bool = True) -> Tensor:
        \"""Sets is_param.\"""
""",
    "keccak": """    def keccak(self, cfg: str | tuple[builtins.int, builtins.int] = "sha3_256") -> Tensor:
        \"""The hashes of the bytes of the rows, as uint8.\"""
""",
    "hash": """    def hash(self) -> Tensor:
        \"""A hash of 16 bytes of all the tensor's bytes, as uint8.\"""
""",
    "train": """    train: ClassVar[Any]
""",
    "test": """    test: ClassVar[Any]
""",
    "schedule": """    def schedule(self, *others: Tensor) -> list[tinygrad_mlir.kernels.Kernel]:
        \"""The kernels that realize() would run, before they are optimized.\"""
""",
    "kernels": """    def kernels(self, *others: Tensor) -> list[tinygrad_mlir.kernels.Kernel]:
        \"""The kernels that realize() would run, with their code.\"""
""",
    "mlir": """    def mlir(self, *others: Tensor, level: builtins.int | str = 1) -> str:
        \"""What these tensors are computed by, as MLIR.\"""
""",
    "from_mlir": """    @staticmethod
    def from_mlir(
        text: str,
        *inputs: Tensor,
        entry: str = "main",
        name: str = "mlir",
        pass_pipeline: str = "",
    ) -> Any:
        \"""The results of a function over tensors, given as MLIR.\"""
""",
}


def describe_error(error: type) -> str:
    bases = ", ".join(
        base.__name__ if base.__module__ == error.__module__ else f"builtins.{base.__name__}"
        for base in error.__bases__
    )
    return f'class {error.__name__}({bases}):\n    """{error.__doc__}"""\n\n'


def complete(line: str) -> str:
    """A line with types that nanobind does not know."""
    if ANNOTATED.match(line):
        for pattern, replacement in ANY:
            line = pattern.sub(replacement, line)
    return line


def improve(line: str) -> str:
    """A line of the class Tensor."""
    line = line.replace("ClassVar[bool]", "ClassVar[builtins.bool]")
    if not line.startswith("    def "):
        return line
    if match := RETURNS.match(line):
        line = match[1] + RESULTS.get(match[2], "Any") + match[3]
    name, parameters = line.split("(", 1)
    parameters = DEVICE.sub("str | tuple[str, ...] | None", parameters)
    line = name + "(" + BUILTIN.sub(r"builtins.\1", parameters).replace("None | None", "None")
    return line + "  # type: ignore[override]" * bool(OVERRIDES.match(line))


def main() -> None:
    module = importlib.import_module("tinygrad_mlir._core")
    for name in MEMBERS:
        delattr(module.Tensor, name)
    generator = StubGen(module, quiet=True, include_private=True)
    generator.put(module)
    text = ERRORS.sub("", generator.get())
    head, line, tensor = re.split(r"^(class Tensor\b.*:\n)", text, maxsplit=1, flags=re.MULTILINE)
    errors = [value for value in vars(module).values() if isinstance(value, type)]
    errors = [error for error in errors if issubclass(error, BaseException)]
    # After their base classes.
    errors.sort(key=lambda error: len(error.__mro__))
    body, *rest = re.split(r"^(?=\S)", tensor, maxsplit=1, flags=re.MULTILINE)
    body = "\n".join(map(improve, body.split("\n"))).rstrip() + "\n\n"
    body += "\n".join(MEMBERS.values()) + "\n"
    lines = head.split("\n")
    # After the comments and imports at the top.
    last = max(n for n, text in enumerate(lines) if text.startswith(("import ", "from ")))
    lines[last] += (
        "\nimport builtins\nfrom typing import Any, ClassVar\n\nimport tinygrad_mlir.kernels\n\n"
    )
    lines[last] += "__version__: str\n\n" + "".join(map(describe_error, errors))
    text = "\n".join(lines) + line + body + "".join(rest)
    Path(sys.argv[1]).write_text("\n".join(map(complete, text.split("\n"))))


if __name__ == "__main__":
    main()
