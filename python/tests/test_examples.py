"""The examples, with few steps."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from tinygrad_mlir._core import fashion_mnist_directory

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


@pytest.mark.skipif(
    not pathlib.Path(fashion_mnist_directory).is_dir(), reason="no package dataset-fashion-mnist"
)
def test_mnist():
    environment = os.environ | {"STEPS": "40", "BATCH": "64"}
    command = [sys.executable, EXAMPLES / "mnist.py"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert float(re.search(r"accuracy on the test images: ([0-9.]+) %", ran.stdout)[1]) > 60
