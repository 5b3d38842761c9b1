#!/usr/bin/env python3
"""Checks what each library of a built tree says that it depends on.

A library links those libraries whose headers it includes, and no others that
it does not need. What
its objects refer to is in these, in what they link, or outside of the project:
so each can be linked without the rest. The picture in docs/design.md shows all
of this but what follows from other arrows.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NM = "/usr/lib/llvm-22/bin/llvm-nm"
INCLUDE = re.compile(r'^\s*#\s*include "(TinyGrad(?:-c)?/[^"]+)"', re.MULTILINE)
ARROW = re.compile(r"^\s*(\w+) --> (\w+)$", re.MULTILINE)


class Library:
    """One line of libraries.txt, which CMake writes."""

    def __init__(self, name, folder, links):
        self.name, self.folder, self.links = name, Path(folder), set(links)


def read_libraries(build):
    libraries = {}
    for line in (build / "libraries.txt").read_text().splitlines():
        name, folder, *links = line.split()
        libraries[name] = Library(name, folder, links)
    for library in libraries.values():
        library.links &= libraries.keys()
    return libraries


def get_closure(libraries, name, found=None):
    """The libraries that `name` links, directly and indirectly."""
    found = set() if found is None else found
    for link in libraries[name].links - found:
        found.add(link)
        get_closure(libraries, link, found)
    return found


def get_implied(libraries, name):
    """What `name` links because something that it links does."""
    links = libraries[name].links
    return set().union(*(get_closure(libraries, link) for link in links))


def get_owner(libraries, header):
    """The library whose folder a public header mirrors; None if there is none."""
    root, _, name = header.partition("/")
    place = Path(name)
    if place.parent == Path("."):
        place = Path(place.stem) / "x"
    if root == "TinyGrad-c":
        place = Path("CAPI") / place
    for folder in place.parents:
        for library in libraries.values():
            if library.folder == "lib" / folder:
                return library.name
    return None


def get_included(libraries, text):
    """The libraries whose headers a file includes.

    Headers of no library, which include those of several, count as these.
    """
    owners, seen, headers = set(), set(), INCLUDE.findall(text)
    while headers:
        header = headers.pop()
        owner = get_owner(libraries, header)
        path = ROOT / "include" / header
        if owner:
            owners.add(owner)
        elif header not in seen and path.exists():
            seen.add(header)
            headers += INCLUDE.findall(path.read_text())
    return owners


def check_includes(libraries, defined, needed):
    used = {name: set() for name in libraries}
    folders = {library.folder: library.name for library in libraries.values()}
    for pattern in ("lib/**/*", "include/**/*"):
        for path in ROOT.glob(pattern):
            if path.suffix not in (".h", ".cpp"):
                continue
            place = path.relative_to(ROOT)
            if place.parts[0] == "include":
                name = get_owner(libraries, str(place.relative_to("include")))
            else:
                owners = [folders[up] for up in place.parents if up in folders]
                name = owners[0] if owners else None
            if name:
                used[name] |= get_included(libraries, path.read_text()) - {name}
    for name, library in libraries.items():
        for other in sorted(used[name] - library.links):
            yield f"{name} includes headers of {other}, which it does not link"
        implied = get_implied(libraries, name)
        for other in sorted(library.links - used[name] - implied):
            if not needed[name] & defined[other]:
                yield f"{name} links {other}, of which it uses nothing"


def check_solver():
    """The dialect smt stays in the library of proofs."""
    for pattern in ("lib/**/*", "include/**/*"):
        for path in sorted(ROOT.glob(pattern)):
            if path.suffix not in (".h", ".cpp", ".td") or "Verify" in path.parts:
                continue
            if re.search(r"mlir/Dialect/SMT|\bsmt::", path.read_text()):
                yield f"{path.relative_to(ROOT)} uses smt, as only Verify may"


def check_runtime(libraries, needed):
    """Programs that only run artifacts link neither MLIR nor LLVM."""
    runtime = "TinyGradRuntime"
    for name in sorted({runtime} | get_closure(libraries, runtime)):
        for symbol in sorted(needed[name]):
            if re.match(r"_Z\w*(4llvm|4mlir)|LLVM|llvm_", symbol):
                yield f"{name} refers to {symbol}, of LLVM or MLIR"
        for folder in ("lib", "include/TinyGrad"):
            place = ROOT / folder / libraries[name].folder.relative_to("lib")
            for path in sorted(place.rglob("*")):
                if path.suffix not in (".h", ".cpp"):
                    continue
                if re.search(r'#\s*include ["<](llvm|mlir)', path.read_text()):
                    yield f"{path.relative_to(ROOT)} includes LLVM or MLIR"


def read_symbols(libraries, build):
    """What the objects of each library define, and what they need."""
    defined, needed = {}, {}
    for name in libraries:
        archive = build / "lib" / f"lib{name}.a"
        out = subprocess.run(
            [NM, "-P", "-g", archive], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        symbols = [line.split() for line in out.splitlines()]
        symbols = [words for words in symbols if len(words) > 1]
        needed[name] = {words[0] for words in symbols if words[1] == "U"}
        # Instances of the standard library's templates are in many, and in libstdc++.
        defined[name] = {
            words[0]
            for words in symbols
            if words[1] in "TDBRVW" and not re.match(r"_Z(NK?)?S[ts]", words[0])
        }
    return defined, needed


def check_symbols(libraries, defined, needed):
    for name in libraries:
        reached = {name} | get_closure(libraries, name)
        missing = needed[name].difference(*(defined[other] for other in reached))
        for other in sorted(libraries.keys() - reached):
            for symbol in sorted(missing & defined[other])[:3]:
                yield f"{name} refers to {symbol}, which is in {other}"


def check_picture(libraries):
    expected = set()
    for name, library in libraries.items():
        implied = get_implied(libraries, name)
        expected |= {(name, link) for link in library.links - implied}
    page = (ROOT / "docs" / "design.md").read_text()
    blocks = re.findall(r"^```mermaid\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    drawn = {arrow for block in blocks for arrow in ARROW.findall(block)}
    for name, link in sorted(expected - drawn):
        yield f"docs/design.md lacks the arrow {name} --> {link}"
    for name, link in sorted(drawn - expected):
        yield f"docs/design.md has the arrow {name} --> {link}, CMake has not"


def main():
    build = Path(sys.argv[1])
    libraries = read_libraries(build)
    symbols = read_symbols(libraries, build)
    errors = [
        *check_includes(libraries, *symbols),
        *check_solver(),
        *check_runtime(libraries, symbols[1]),
        *check_symbols(libraries, *symbols),
        *check_picture(libraries),
    ]
    for error in errors:
        print(f"check-libraries.py: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
