"""The site of the documents is complete: no link is broken, and the reference is in it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tinygrad_mlir

ROOT = Path(__file__).parent.parent.parent
PACKAGE = Path(tinygrad_mlir.__file__).parent

pytest.importorskip("mkdocs", reason="scripts/python-venv.sh installs it")


def build(folder, configuration=ROOT / "mkdocs.yml"):
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", configuration, "-d", folder],
        capture_output=True,
        text=True,
        env=dict(os.environ, PYTHONPATH=str(PACKAGE.parent)),
        check=False,
    )


def test_site(tmp_path):
    result = build(tmp_path / "site")
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "site/python/reference/tensor.html").read_text()
    assert 'id="masked_select"' in page
    assert "masked_select(Tensor(" in page
    assert "Laziness" in (tmp_path / "site/python/tour.html").read_text()
    assert "nn.optim" in (tmp_path / "site/python/reference/index.html").read_text()
    for document in (ROOT / "docs" / "python").glob("*.md"):
        name = "index" if document.stem == "README" else document.stem
        assert (tmp_path / f"site/python/{name}.html").exists()


def test_broken_links_are_errors(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# Page\n\n[other](other.md), [place](#nowhere)\n")
    text = (ROOT / "mkdocs.yml").read_text().replace("  - scripts/site-pages.py\n", "")
    (tmp_path / "mkdocs.yml").write_text(text.replace("hooks:\n", ""))
    result = build(tmp_path / "site", tmp_path / "mkdocs.yml")
    assert result.returncode != 0
    assert "other.md" in result.stderr and "nowhere" in result.stderr
