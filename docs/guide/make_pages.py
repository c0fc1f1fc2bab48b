#!/usr/bin/env python3
"""Writes pages.md from resources/explain, whose texts the window and `softscope figure KIND --help` show, too."""
import pathlib
import sys
import textwrap

GUIDE = pathlib.Path(__file__).resolve().parent
EXPLAIN = GUIDE.parents[1] / "resources" / "explain"

HEADER = """# The pages

What each page of the window and each kind of figure shows, and what to look for. *?* beside a page says the same there,
and `softscope figure KIND --help` before its options. (Written by make_pages.py from resources/explain.)
"""


def explanation(path):
    """The entries of one text: `key: value`, a line each."""
    entries = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(": ")
        entries[key] = value
    return entries


def wrapped(text):
    return "\n".join(textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False))


def section(name, entries):
    parts = [f"## {entries['title']}", wrapped(entries["shows"]), wrapped("**Look for:** " + entries["look for"])]
    if entries.get("formula"):
        parts.append(f"`{entries['formula']}`")
    if entries.get("answers to") and not entries["answers to"].startswith("none"):
        parts.append(wrapped("Answers to " + entries["answers to"] + "."))
    if (GUIDE / "pictures" / f"{name}.png").exists():
        parts.append(f"![{entries['title']}](pictures/{name}.png)")
    return "\n\n".join(parts)


def pages():
    sections = [section(path.stem, explanation(path)) for path in sorted(EXPLAIN.glob("*.txt"))]
    return HEADER + "\n" + "\n\n".join(sections) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print(pages(), end="")
    else:
        (GUIDE / "pages.md").write_text(pages(), encoding="utf-8")
