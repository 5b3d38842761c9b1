"""Prints the first example of MLIR in a document."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    print(re.search(r"^```mlir\n(.*?)^```$", file.read(), re.M | re.S).group(1))
