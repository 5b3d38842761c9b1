"""The Python code of documents runs, and prints what its comments say."""

import ast
import contextlib
import io
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^print\(.*\)  # (.*)$", re.MULTILINE)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs" / "python").glob("*.md"))]


def find_blocks(document):
    """The blocks of a document, each at its line, for messages."""
    text = document.read_text()
    for match in BLOCK.finditer(text):
        yield "\n" * text.count("\n", 0, match.start(1)) + match[1]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_code_of_documents(document):
    if document.stem == "onnx":
        pytest.importorskip("onnx")
    names = {"__name__": document.stem}
    for block in find_blocks(document):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(block, document, "exec"), names)
        expected = PRINTED.findall(block)
        if expected:
            assert output.getvalue().splitlines() == expected


def test_documents_have_code():
    assert list(find_blocks(ROOT / "docs" / "python" / "README.md"))
    assert list(find_blocks(ROOT / "README.md"))


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "docs" / "python").glob("*.ipynb")), ids=lambda path: path.name
)
def test_notebook(notebook):
    """Runs the cells in turn, and shows the value of the last line as a notebook does."""
    names = {"__name__": "__main__"}
    shown = 0
    for number, cell in enumerate(json.loads(notebook.read_text())["cells"]):
        assert not cell.get("outputs"), "outputs are not kept: clear them"
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        where = f"{notebook.name}, cell {number}"
        exec(compile(tree, where, "exec"), names)
        if last is None:
            continue
        value = eval(compile(ast.Expression(last.value), where, "eval"), names)
        for method in ("_repr_html_", "_repr_svg_", "_repr_png_"):
            if hasattr(value, method):
                assert getattr(value, method)()
                shown += 1
    assert shown > 0
