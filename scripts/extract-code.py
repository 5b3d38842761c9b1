#!/usr/bin/env python3
"""Writes the C++ code of documents as programs that can be compiled.

usage: extract-code.py FOLDER DOCUMENT...

A block with a main() is a program as it stands. Any other block is a fragment:
all of them become one program, fragments.cpp, which runs them in turn.

A block that includes headers of MLIR is compiled as it stands, for compilers.

- Includes come first; every library's headers are included for fragments.
- What ends with the last `};` at the start of a line (structs) stands at
  namespace scope, the rest in a function.
- A comment `<!-- with: ... -->` directly before the block has lines that stand
  before the rest; those before a line `---` in it stand at namespace scope.
- `...` on a line of its own is left out.
- `<!-- compile only -->` before a block: it is not run.

A block in C after a comment `<!-- library OPTIONS: ... -->` is a program that calls
the library `net`, which tg-compile makes of the block in MLIR that is the last one
before it, with these options. The comment has lines that stand before the block, and
after a line `---` those that follow it.
"""

import re
import sys
from pathlib import Path

BLOCK = re.compile(
    r"(?P<only><!-- compile only -->\n)?(?:<!-- with:\n(?P<with>.*?)-->\n)?"
    r"^```cpp\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
LIBRARY = re.compile(
    r"<!-- library (?P<options>.*):\n(?P<with>.*?)-->\n^```c\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MLIR = re.compile(r"^```mlir\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"#include .*\n")
MAIN = re.compile(r"^int main\(", re.MULTILINE)
FOR_COMPILERS = re.compile(r'^#include "mlir/', re.MULTILINE)
ELISION = re.compile(r"^\s*\.\.\.\s*$", re.MULTILINE)
HEADERS = (
    "Data/Augment.h Data/Csv.h Data/DataLoader.h NN/NN.h Optim/Adam.h Optim/Clip.h"
    " Optim/GradScaler.h Optim/LRScheduler.h Optim/OptimizerGroup.h Optim/SGD.h"
    " State/Checkpoint.h State/LoadState.h State/Safetensors.h Tensor/Jit.h"
    " Tensor/Tensor.h Tensor/Training.h"
).split()


def find_blocks(document):
    """Yields (line, code, lines before it, whether it is only compiled)."""
    text = document.read_text()
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        yield line, match["code"], match["with"] or "", bool(match["only"])


def write_libraries(document):
    """Yields names and texts of the files of programs that call libraries."""
    text = document.read_text()
    for match in LIBRARY.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        modules = MLIR.findall(text, 0, match.start())
        if not modules:
            sys.exit(f"{document}:{line}: there is no block in MLIR before")
        before, _, after = match["with"].partition("---\n")
        name = f"library-{document.stem}-{line}"
        yield f"{name}.mlir", modules[-1]
        yield f"{name}.options", match["options"]
        yield f"{name}.c", f'{before}#line {line} "{document}"\n{match["code"]}{after}'


def write_fragment(number, document, line, code, before):
    """The C++ of one fragment, without its includes."""
    place = f'#line {{}} "{document}"\n'
    code = ELISION.sub("", INCLUDE.sub("\n", code))
    outside, _, inside = before.rpartition("---\n")
    end = code.rfind("\n};\n")
    structs, body = (code[: end + 4], code[end + 4 :]) if end >= 0 else ("", code)
    return (
        f"namespace fragment{number} {{\nusing namespace tinygrad;\n{outside}"
        f"{place.format(line)}{structs}static void run() {{\n{inside}"
        f"{place.format(line + structs.count(chr(10)))}{body}}}\n}}\n"
    )


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    includes = [f'#include "TinyGrad/{name}"\n' for name in HEADERS]
    fragments, calls = [], []
    outputs = {}
    for document in map(Path, sys.argv[2:]):
        outputs.update(write_libraries(document))
        for line, code, before, compile_only in find_blocks(document):
            kind = "program"
            if FOR_COMPILERS.search(code):
                kind = "compiler"
            elif compile_only:
                kind = "compiled"
            if MAIN.search(code) or kind == "compiler":
                name = f"{kind}-{document.stem}-{line}.cpp"
                outputs[name] = f'#line {line} "{document}"\n{code}'
                continue
            includes += INCLUDE.findall(code)
            number = len(fragments)
            fragments.append(write_fragment(number, document, line, code, before))
            if not compile_only:
                calls.append(f'  runOne("{document}:{line}", fragment{number}::run);\n')
    outputs["program-fragments.cpp"] = (
        "".join(includes)
        + "".join(
            f"#include <{name}>\n"
            for name in ("cstdlib", "exception", "fstream", "iostream", "tuple")
        )
        + "".join(fragments)
        + """
static void runOne(const char *place, void (*run)()) {
  try {
    run();
  } catch (const std::exception &error) {
    std::cout << std::flush;
    std::cerr << place << ": " << error.what() << "\\n";
    std::exit(1);
  }
}

int main() {
"""
        + "".join(calls)
        + "}\n"
    )
    for name, text in outputs.items():
        # Unchanged files are not compiled again.
        if not (folder / name).exists() or (folder / name).read_text() != text:
            (folder / name).write_text(text)
    for old in folder.iterdir():
        if old.name not in outputs:
            old.unlink()


if __name__ == "__main__":
    main()
