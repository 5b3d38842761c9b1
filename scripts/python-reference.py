#!/usr/bin/env python3
"""The reference of the Python package, as Markdown, from its docstrings and examples.

usage: python-reference.py OUTPUT-FOLDER

Examples of the methods of Tensor are in python/reference/tensor.txt, those of
other names in names.txt beside it. python/tests/test_reference.py runs them.
"""

import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "python" / "reference"
MODULES = {
    "tinygrad_mlir": "What a program imports.",
    "tinygrad_mlir.nn": "Layers of networks.",
    "tinygrad_mlir.nn.optim": "Optimizers.",
    "tinygrad_mlir.nn.state": "States of networks, and files of them.",
    "tinygrad_mlir.nn.datasets": "Data sets in local files.",
    "tinygrad_mlir.helpers": "Settings, counters, and small functions.",
    "tinygrad_mlir.memory": "Memory of tensors and devices; `tinygrad_mlir.device` has these, too.",
    "tinygrad_mlir.plot": "Images and curves in notebooks.",
}
QUALIFIED = re.compile(r"\b(?:tinygrad_mlir\._core|collections\.abc|builtins)\.")


def read_examples(file):
    """The lines of doctest for each name."""
    entries = (EXAMPLES / file).read_text().strip().split("\n\n")
    return {name: text for name, text in (entry.split("\n", 1) for entry in entries)}


def clean_signature(function):
    """The signatures of a function, as a programmer would write them."""
    if hasattr(function, "__nb_signature__"):
        for signature, _, defaults in function.__nb_signature__:
            text = signature.removeprefix("def ")
            for number, value in enumerate(defaults or ()):
                text = re.sub(rf"\\{number}\b", lambda _, value=value: repr(value), text)
            yield QUALIFIED.sub("", text).replace("None | None", "None")
        return
    try:
        yield f"{function.__name__}{inspect.signature(function)}"
    except (TypeError, ValueError):
        return


def document(function):
    """The text of a docstring without its signature."""
    if hasattr(function, "__nb_signature__"):
        return next((text for _, text, _ in function.__nb_signature__ if text), "")
    return inspect.cleandoc(getattr(function, "__doc__", None) or "")


def make_entry(name, function, example=None, level="###"):
    lines = [f"{level} {name}", ""]
    signatures = list(clean_signature(function)) if callable(function) else []
    if signatures:
        lines += ["```text", *signatures, "```", ""]
    lines += [document(function), ""]
    if example:
        lines += ["```pycon", example, "```", ""]
    return "\n".join(lines)


def get_member(cls, name):
    """A method, or the property itself."""
    member = inspect.getattr_static(cls, name)
    return member if isinstance(member, property) else getattr(cls, name)


def find_names(cls):
    return sorted((name for name in dir(cls) if not name.startswith("_")), key=str.lower)


def find_public(module):
    """What a module defines, in its order."""
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return {name: getattr(module, name) for name in names}


def make_tensor_page():
    tensor = importlib.import_module("tinygrad_mlir").Tensor
    examples = read_examples("tensor.txt")
    parts = ["# Tensor\n", document(tensor), "\n"]
    for name in find_names(tensor):
        parts.append(make_entry(name, get_member(tensor, name), examples.get(name), "##"))
    return "\n".join(parts)


def make_module_page(name, text):
    module = importlib.import_module(name)
    examples = read_examples("names.txt")
    prefix = name.removeprefix("tinygrad_mlir").removeprefix(".")
    parts = [f"# {name}\n", text + "\n"]
    for member, value in find_public(module).items():
        if member == "Tensor":
            parts.append("## Tensor\n\nSee [its own page](tensor.md).\n")
        elif inspect.isclass(value) or inspect.isroutine(value):
            example = examples.get(f"{prefix}.{member}".removeprefix("."))
            parts.append(make_entry(member, value, example, "##"))
            if inspect.isclass(value):
                for method in vars(value):
                    own = inspect.getattr_static(value, method)
                    if not method.startswith("_") and inspect.isroutine(own):
                        parts.append(make_entry(f"{member}.{method}", getattr(value, method)))
    return "\n".join(parts)


def make_pages():
    """The text of each page, by its file name."""
    pages = {"tensor.md": make_tensor_page()}
    for name, text in MODULES.items():
        if importlib.util.find_spec(name):
            pages[name.removeprefix("tinygrad_mlir.") + ".md"] = make_module_page(name, text)
    links = [f"- [{page.removesuffix('.md')}]({page})" for page in pages]
    pages["index.md"] = "# Reference\n\n" + "\n".join(links) + "\n"
    return pages


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in make_pages().items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
