"""Converts tensor graphs to linalg and back, and compares what they compute.

Usage: round-trip.py TG-OPT TG-RUN FILE...

Each file is a complete program: arguments have values in `tg.input`. Prints one
line for each program that was compared, and fails if any result differs or a
file does not convert. Unsigned integers are signless in linalg: their values are
compared modulo their width.
"""

import re
import subprocess
import sys
import tempfile

INPUT = re.compile(r"\{tg\.input = ([^{}]*?)\}")
ARGUMENT = re.compile(r"%arg(\d+): (tensor<[^>]*>)")
RESULT = re.compile(r"(result \d+: tensor<)([\dx]*)(\w+)(> = )(.*)")


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def signless(text):
    return re.sub(r"\bui(8|16|32|64)\b|(?<=x)ui(8|16|32|64)\b", lambda m: "i" + (m[1] or m[2]), text)


def with_inputs(text, inputs):
    """Gives the arguments of the converted function their values again."""
    head, arrow, rest = text.partition("->")

    def add(match):
        return f"{match[0]} {{tg.input = {signless(inputs[int(match[1])])}}}"

    return ARGUMENT.sub(add, head) + arrow + rest


def normalized(line):
    match = RESULT.fullmatch(line)
    if not match or not re.fullmatch(r"u?i(8|16|32|64)", match[3]):
        return line
    width = int(match[3].lstrip("ui"))
    values = re.sub(r"-?\d+", lambda m: str(int(m[0]) % 2**width), match[5])
    return f"{match[1]}{match[2]}i{width}{match[4]}{values}"


def main():
    tg_opt, tg_run, *files = sys.argv[1:]
    failed = False
    for name in files:
        with open(name, encoding="utf-8") as file:
            original = file.read()
        inputs = INPUT.findall(original)
        converted = run([tg_opt, "-", "--convert-tg-to-linalg"], original)
        if re.search(r"\btg\.", converted) or "#tg." in converted:
            sys.exit(f"{name}: something of tg is left:\n{converted}")
        back = with_inputs(run([tg_opt, "-", "--convert-linalg-to-tg"], converted), inputs)
        expected = run([tg_run, name, "--interpret", "--print"]).splitlines()
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(back)
            file.flush()
            actual = run([tg_run, file.name, "--interpret", "--print"]).splitlines()
        differing = [
            (e, a) for e, a in zip(expected, actual, strict=True) if normalized(e) != normalized(a)
        ]
        for pair in differing:
            print("%s: expected %s\n  but got %s" % (name, *pair))
        failed |= bool(differing)
        print(f"{name.rsplit('/', 1)[-1]}: {len(expected)} results")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
