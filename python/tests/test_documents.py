"""The Python code of documents runs, and prints what its comments say."""

import contextlib
import io
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
