#!/usr/bin/env python3
"""Checks that links, pictures, commands and examples in the pages at the top and in docs/ are of this Softscope.

    GuideTest.py SOFTSCOPE
"""
import functools
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("resources/*/README.md")])
PROGRAM = None
sys.path.insert(0, str(ROOT / "docs" / "guide"))
sys.dont_write_bytecode = True  # docs/ is installed as it lies.
import make_examples


def prose(page):
    return page.read_text(encoding="utf-8")


def commands(text):
    """Command lines of the program: in blocks whole, in the running text as far as `...` goes. (Those behind a `$` are
    run, which says more.)"""
    joined = re.sub(r"\\\n\s*", "", text)
    for line in re.findall(r"^ {4,}(softscope .*)$", joined, re.MULTILINE):
        # A synopsis says what follows it two or more spaces away.
        yield re.split(r" {2,}", line)[0]
    for span in re.findall(r"`(softscope [^`]*)`", joined):
        yield " ".join(span.split())


def anchors(page):
    """What links can point to: its headings, as GitHub writes them."""
    for heading in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def masked(text):
    """Its lines without what differs from one computer to another: numbers, and the width of their columns. A line that
    is a number alone is an exit code."""
    lines = text.splitlines()
    return [line if line.isdigit() else re.sub(r" +", " ", re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", line))
            for line in lines]


@functools.cache
def help_of(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


@functools.cache
def options_of(subcommand):
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z0-9-]*", help_of(*subcommand)))


HIDDEN = {"measure-cost", "documentation"}


@functools.cache
def subcommands():
    block = help_of().split("Subcommands:")[1].split("\n\n")[0]
    return set(re.findall(r"^  ([a-z]+)", block, re.MULTILINE)) | HIDDEN


def words_of(command):
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


class Guide(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose(page)):
                if not re.match(r"[a-z]+:", target):
                    self.assertTrue((page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}")

    def test_anchors_are_headings(self):
        for page in PAGES:
            for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]*)\)", prose(page)):
                leads_to = (page.parent / target).resolve() if target else page
                self.assertIn(anchor, set(anchors(leads_to)), f"{page.relative_to(ROOT)}: {target}")

    def test_every_picture_is_shown(self):
        shown = "".join(prose(page) for page in PAGES)
        for picture in ROOT.glob("docs/**/pictures/*.*"):
            if picture.suffix in (".png", ".svg", ".webp"):
                self.assertIn(f"pictures/{picture.name})", shown)

    def test_pages_say_what_the_window_says(self):
        made = subprocess.run([sys.executable, ROOT / "docs/guide/make_pages.py", "--print"], capture_output=True,
                              text=True, encoding="utf-8", check=True).stdout
        self.assertEqual(made, prose(ROOT / "docs/guide/pages.md"))

    def test_examples_print_what_stands_below_them(self):
        """Options to the letter, the rest but for numbers."""
        self.assertGreater(len(make_examples.pages()), 1)
        for page in make_examples.pages():
            filled = make_examples.filled(prose(page), PROGRAM)
            self.assertEqual(masked(filled), masked(prose(page)),
                             f"docs/guide/make_examples.py writes {page.name} anew")

    def test_every_family_is_listed(self):
        """The README's table to the letter, and each of its networks on the page of families."""
        table = make_examples.networks(PROGRAM)
        self.assertEqual([table], make_examples.NETWORKS.findall(prose(ROOT / "README.md")),
                         "docs/guide/make_examples.py writes README.md anew")
        families = prose(ROOT / "docs/families.md").lower()
        for row in table.splitlines()[2:]:
            for network in row.split("|")[1].strip().split(", "):
                self.assertIn(network.lower(), " ".join(families.split()))

    def test_ten_lines_make_a_recording(self):
        for page in (ROOT / "README.md", ROOT / "docs/recordings.md"):
            lines = re.search(r"```python\n(import numpy.*?)```", prose(page), re.DOTALL)[1]
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([sys.executable, "-c", lines], cwd=folder, check=True)
                said = subprocess.run([PROGRAM, "inspect", "rec.npz"], cwd=folder, capture_output=True, text=True)
                self.assertIn("blocks.0.attn  softmax, 4 heads", said.stdout, page.relative_to(ROOT))

    def test_every_subcommand_has_its_options(self):
        page = prose(ROOT / "docs/guide/command-line.md")
        for subcommand in {"softscope", *subcommands()} - HIDDEN:
            self.assertIn(f"<!-- options of {subcommand} -->", page)

    def test_commands_are_understood(self):
        found = 0
        for page in PAGES:
            for command in commands(prose(page)):
                words = words_of(command)
                subcommand = tuple(words[1:2]) if len(words) > 1 and words[1] in subcommands() else ()
                for word in words[1:]:
                    option = re.match(r"\[?(--?[a-zA-Z][a-z0-9-]*)", word)
                    if option:
                        found += 1
                        self.assertIn(option[1], options_of(subcommand), f"{page.relative_to(ROOT)}: {command}")
        self.assertGreater(found, 100)

    def test_the_first_words_are_subcommands(self):
        for page in PAGES:
            for command in commands(prose(page)):
                word = words_of(command)[1] if len(words_of(command)) > 1 else ""
                if re.fullmatch(r"[a-z]+", word):
                    self.assertIn(word, subcommands(), f"{page.relative_to(ROOT)}: {command}")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
