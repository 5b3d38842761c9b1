"""What is wrong with the arguments of a function of the extension, in one sentence."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

SIGNATURE = re.compile(r"def (\w+)\((.*)\) -> ", re.DOTALL)
OPERATORS = {"__matmul__": "@", "__rmatmul__": "@", "__imatmul__": "@="}


class Parameter(NamedTuple):
    name: str
    types: list[str]
    has_default: bool
    is_positional: bool


def split(text: str, separator: str) -> list[str]:
    """The parts of a text between separators that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in ")]")
        if letter == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def read_signature(signature: str) -> tuple[str, list[Parameter]] | None:
    """The name and the parameters without self; None if it takes any number of arguments."""
    match = SIGNATURE.match(signature)
    if not match or "*" in match[2]:
        return None
    parameters: list[Parameter] = []
    for entry in split(match[2], ","):
        if entry == "/":
            parameters = [parameter._replace(is_positional=True) for parameter in parameters]
            continue
        declared, *default = split(entry, "=")
        name, *annotation = split(declared, ":")
        types = [kind.rsplit(".", 1)[-1] if "[" not in kind else kind for kind in annotation]
        types = list(dict.fromkeys(split(" ".join(types), "|")))
        types = [kind.replace("collections.abc.", "") for kind in types]
        types = [re.sub(r"\b\w+(?:\.\w+)*\.(?=\w)", "", kind) for kind in types]
        # Names that nanobind made up, and those that cannot be names.
        is_positional = not name.isidentifier()
        parameters.append(Parameter(name, types, bool(default), is_positional))
    if parameters and parameters[0].name == "self":
        del parameters[0]
    return match[1], parameters


def accepts(kind: str, value: Any) -> bool:
    """Whether a value is of a type of a signature; True for types that are not known here."""
    base = kind.split("[")[0]
    if base in ("Sequence", "list", "tuple"):
        return isinstance(value, Sequence) and not isinstance(value, str)
    if base == "bool":
        return isinstance(value, bool)
    if base == "int":
        return hasattr(type(value), "__index__")
    if base == "float":
        return hasattr(type(value), "__float__") or hasattr(type(value), "__index__")
    if base == "None":
        return value is None
    if base == "str":
        return isinstance(value, str)
    if base in ("Tensor", "Variable", "DType", "dict"):
        return any(parent.__name__ == base for parent in type(value).__mro__)
    if base == "Callable":
        return callable(value)
    return True


def describe(types: list[str]) -> str:
    """Tensor, bool, int or float."""
    kinds = []
    for kind in types:
        match = re.match(r"(Sequence|list|tuple)\[(.*?)(?:, \.\.\.)?\]$", kind)
        kinds.append(f"a sequence of {match[2]}" if match else kind)
    return kinds[0] if len(kinds) == 1 else ", ".join(kinds[:-1]) + " or " + kinds[-1]


def with_article(kind: str) -> str:
    return ("an " if kind[:1].lower() in "aeio" else "a ") + kind


def type_name(value: Any) -> str:
    return "None" if value is None else with_article(type(value).__name__)


def find_problem(
    name: str, parameters: list[Parameter], args: list[Any], kwargs: dict[str, Any]
) -> tuple[int, str] | None:
    """How much of a signature fits, and why not all of it; None if nothing is wrong."""
    names = [parameter.name for parameter in parameters if not parameter.is_positional]
    known = f"its parameters are {', '.join(names)}" if names else "it has no parameters"
    for key in kwargs:
        if key not in names:
            near = difflib.get_close_matches(key, names, 1, 0.5)
            hint = f"did you mean {near[0]!r}? {known.capitalize()}" if near else known
            return 0, f"{name}() has no parameter {key!r}: {hint}"
    if len(args) > len(parameters):
        count = len(parameters)
        most = f"at most {count}" if any(p.has_default for p in parameters) else str(count or "no")
        plural = "argument" if count == 1 else "arguments"
        given = f"{len(args)} " + ("was" if len(args) == 1 else "were")
        return 1, f"{name}() takes {most} {plural}, but {given} given: {known}"
    given_values = dict(zip((parameter.name for parameter in parameters), args))
    for key in kwargs:
        if key in given_values:
            return 2, f"{name}() got the argument {key!r} twice"
    given_values.update(kwargs)
    missing = [p.name for p in parameters if not p.has_default and p.name not in given_values]
    if missing:
        return 2, f"{name}() needs the argument {missing[0]!r}: {known}"
    for position, parameter in enumerate(parameters):
        if parameter.name not in given_values or not parameter.types:
            continue
        value = given_values[parameter.name]
        if not any(accepts(kind, value) for kind in parameter.types):
            wanted = f"must be {describe(parameter.types)}, not {type_name(value)}"
            if name in OPERATORS:
                return 3, f"{OPERATORS[name]}: the other operand {wanted}"
            what = f"argument {parameter.name!r}"
            if parameter.is_positional:
                what = "argument" if len(parameters) == 1 else f"argument {position + 1}"
            return 3 + position, f"{name}(): {what} {wanted}"
    return None


def explain(function: Any, args: list[Any], kwargs: dict[str, Any]) -> str | None:
    """A message for a call that fits no signature of a function; None if there is no better one.

    The arguments of a method begin with the object.
    """
    name, best = "", None
    is_method = type(function).__name__ == "nb_method"
    for signature, *_ in function.__nb_signature__:
        read = read_signature(signature)
        if read is None:
            return None
        name, parameters = read
        if name == "__init__":
            name = type(args[0]).__name__
        problem = find_problem(name, parameters, args[is_method:], kwargs)
        if problem and (best is None or problem[0] > best[0]):
            best = problem
    return best[1] if best else None
