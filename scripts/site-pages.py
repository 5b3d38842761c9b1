"""What mkdocs does not do by itself for the site of the documents (mkdocs.yml).

The first page, the pages of the Python package's reference, the notebook as a
page, and links to files of the repository, which the site does not have.
"""

import importlib.util
import json
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[([^\]\n]+)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
HIDDEN = re.compile(r"<!-- with:.*?-->\n?", re.DOTALL)
FIRST_PAGE = """# TinyGrad on MLIR

A tensor compiler on MLIR, with an API for C++ and one for Python.

- [The Python package](python/README.md): quick start, for users of tinygrad, devices
- [A tour in Python](python/tour.md)
- [Reference of the Python package](python/reference/index.md)
- [The C++ API](tensor-api.md) and [the library](library.md)
- [How it works](design.md)
"""


def load_reference():
    path = ROOT / "scripts" / "python-reference.py"
    spec = importlib.util.spec_from_file_location("python_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_notebook_page(path):
    """The cells of a notebook as Markdown."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def on_files(files, config):
    pages = {"index.md": FIRST_PAGE}
    for notebook in sorted((ROOT / "docs" / "python").glob("*.ipynb")):
        pages[f"python/{notebook.stem}.md"] = make_notebook_page(notebook)
        files.remove(files.get_file_from_path(f"python/{notebook.name}"))
    for name, text in load_reference().make_pages().items():
        pages[f"python/reference/{name}"] = text
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    folder = Path(page.file.src_uri).parent

    def replace(match):
        text, target, _ = match.groups()
        if target.endswith(".ipynb"):
            return f"[{text}]({target.removesuffix('.ipynb')}.md)"
        path = (ROOT / "docs" / folder / target).resolve()
        if path.is_relative_to(ROOT / "docs") or not path.exists():
            return match[0]
        return f"{text} (`{path.relative_to(ROOT)}`)"

    return LINK.sub(replace, HIDDEN.sub("", markdown))
