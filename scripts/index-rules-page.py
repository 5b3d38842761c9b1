#!/usr/bin/env python3
"""Writes docs/index-rules.md from the comments of IndexRules.td.

Usage: index-rules-page.py IndexRules.td OUTPUT
       index-rules-page.py IndexRules.td --list    (the names of the rules)

A rule is a `def` whose body is a Pat, Tg_Rule or Tg_FoundRule; the comment line above it, or
above the `foreach` around it, says what it does. Sections are the framed comments.
"""

import re
import sys


class Rule:
    def __init__(self, name, operations, text):
        self.name, self.operations, self.text = name, operations, text

    def full_names(self):
        """The names that the rewriter knows."""
        return [self.name + op for op in self.operations] or [self.name]


class Section:
    def __init__(self, title, text):
        self.title, self.text, self.rules = title, text, []


def parse(lines):
    sections = []
    # The file's own comment ends where its include guard begins.
    begin = next(i for i, line in enumerate(lines) if line.startswith("#ifndef"))
    introduction = [line[3:].strip() for line in lines[:begin] if line[:3] == "///"]
    comment, operations, i = "", [], begin
    while i < len(lines):
        line = lines[i]
        if line.startswith("//===---"):
            frame = []
            i += 1
            while not lines[i].startswith("//===---"):
                frame.append(lines[i].lstrip("/").strip())
                i += 1
            sections.append(Section(frame[0], " ".join(frame[2:])))
        elif re.match(r"// \S", line) and sections:
            comment = line[3:].strip()
        elif line.startswith("foreach"):
            found = re.match(r"foreach op = \[(.*?)\]", " ".join(lines[i : i + 3]))
            operations = re.findall(r"Tg_\w+", found.group(1))
        elif match := re.match(r"( *)def (\w+)( # op)?", line):
            body = " ".join(lines[i : i + 2])
            if re.search(r": (Pat|Tg_Rule|Tg_FoundRule)<", body):
                if not comment:
                    sys.exit(f"rule {match.group(2)} has no comment")
                own = operations if match.group(3) else []
                sections[-1].rules.append(Rule(match.group(2), own, comment))
        elif not line.strip():
            comment, operations = "", []
        i += 1
    return introduction, [section for section in sections if section.rules]


def escape(text):
    return text.replace("|", "\\|").replace("*", "\\*")


def page(introduction, sections):
    text = " ".join(introduction).split("\\file")[1]
    paragraphs = [p.strip() for p in re.split(r"  +", text) if p.strip()]
    lines = ["<!-- Written by scripts/index-rules-page.py from IndexRules.td. -->"]
    lines += ["", "# Rules of index arithmetic", ""]
    lines += ["The rules that `tg-simplify-index` applies to the index arithmetic of kernels."]
    lines += ["`tg-verify-index-rewrites` proves each application of a rule.", ""]
    for paragraph in paragraphs[1:]:
        lines += wrap(paragraph) + [""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        if section.text:
            lines += wrap(section.text) + [""]
        lines += ["| rule | |", "|---|---|"]
        previous = None
        for rule in section.rules:
            operations = [op[3:-2].lower() for op in rule.operations]
            of = f" ({', '.join(operations)})" if operations else ""
            text = "the same" if rule.text == previous else escape(rule.text)
            lines.append(f"| `{rule.name}`{of} | {text} |")
            previous = rule.text
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def wrap(text):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) >= 100:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return lines + [line]


def main():
    with open(sys.argv[1]) as file:
        introduction, sections = parse(file.read().split("\n"))
    if sys.argv[2] == "--list":
        for section in sections:
            for rule in section.rules:
                print("\n".join(rule.full_names()))
        return
    with open(sys.argv[2], "w") as file:
        file.write(page(introduction, sections))


main()
