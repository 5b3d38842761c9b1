"""Checks that every rule of IndexRules.td was proved.

Usage: check-proved-rules.py SOURCE_DIR < output of tg-verify-index-rewrites
"""

import re
import subprocess
import sys

source = sys.argv[1]
rules = subprocess.run(
    [
        sys.executable,
        f"{source}/scripts/index-rules-page.py",
        f"{source}/include/TinyGrad/Dialect/Tg/Transforms/IndexRules.td",
        "--list",
    ],
    check=True,
    capture_output=True,
    text=True,
).stdout.split()
proved = dict(re.findall(r"^proved (\w+): (\d+)$", sys.stdin.read(), re.MULTILINE))
missing = [rule for rule in rules if int(proved.get(rule, 0)) == 0]
unknown = [rule for rule in proved if rule not in rules + ["fold", "bounds"]]
print(f"{len(rules) - len(missing)} of {len(rules)} rules proved")
if missing or unknown or not rules:
    sys.exit(f"error: not proved: {missing}; not in IndexRules.td: {unknown}")
