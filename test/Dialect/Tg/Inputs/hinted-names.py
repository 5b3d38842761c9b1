"""Prints each operation that a source's messages name, apart from each other.

usage: hinted-names.py FILE
"""

import re
import sys

with open(sys.argv[1]) as file:
    names = sorted(set(re.findall(r"'(tg\.[a-z0-9_]+)", file.read())))
assert len(names) > 20, names
print("\n// -----\n".join(names))
