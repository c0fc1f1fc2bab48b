#!/usr/bin/env python3
"""Adds the analysis of docs/adding-an-analysis.md to a copy of the sources, as that page says, and tries what is made of
its description: page, tab, help, command, options, table, completion, manual and workspace.

    RecipeTest.py ROOT [FOLDER]

The copy is built in FOLDER, which is kept and used again, or in a temporary one. It has the new analysis's test and those
that go through all pages, and no others, which would take longer to build than the program.
"""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
KEPT = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
RECIPE = ROOT / "docs" / "adding-an-analysis.md"
BLOCK = re.compile(r"^```(?:cpp|text)\n// (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
REGISTRY = "core/analysis/registry/Analyses.h"
SOURCES = ("app", "cmake", "core", "docs", "models", "package", "resources", "tests", "widgets", "CHANGELOG.md",
           "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md")
MOST_FILES = 4  # and a test, beside the entry in the list
# They go through all pages: each has a tab in a group, an explanation, and a place in workspaces.
PAGE_TESTS = ("PageBookTest", "WorkspaceDisplayTest", "StrangeNamesTest")
# Not built, but CMake wants a source of each executable.
OTHER_TESTS = ("TableCommandTest", "DataSetTest")


def run(*command, **options):
    finished = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if finished.returncode != 0:
        raise AssertionError(f"{command} ended with {finished.returncode}\n{finished.stdout[-4000:]}"
                             f"{finished.stderr[-4000:]}")
    return finished.stdout


def update(path, text):
    """Leaves what is already there as it is, so that nothing is compiled anew for it."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class RecipeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = KEPT or pathlib.Path(tempfile.mkdtemp())
        cls.folder.mkdir(exist_ok=True)
        for name in SOURCES:
            source, copy = ROOT / name, cls.folder / name
            if source.is_dir():
                shutil.copytree(source, copy, ignore=cls.not_copied, copy_function=cls.copy_if_other, dirs_exist_ok=True)
            else:
                cls.copy_if_other(source, copy)
        cls.files = dict(BLOCK.findall(RECIPE.read_text()))
        cls.remove_what_is_gone()
        for path, text in cls.files.items():
            update(cls.folder / path, text)
        registry = (ROOT / REGISTRY).read_text()
        registry = registry.replace('#include "core/analysis/SaliencyAnalysis.h"\n',
                                    '#include "core/analysis/PeaksAnalysis.h"\n#include "core/analysis/SaliencyAnalysis.h"\n')
        registry = registry.replace("SpectrumAnalysis,", "SpectrumAnalysis, PeaksAnalysis,", 1)
        update(cls.folder / REGISTRY, registry)
        build = cls.folder / "build"
        # Not optimised, which is quicker to build.
        run("cmake", "--preset", "release", "-B", build, "-DSOFTSCOPE_TESTS=ON", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG",
            cwd=cls.folder)
        run("cmake", "--build", build, "--parallel", os.cpu_count(), "--target", "softscope", "window_tests", "core_test",
            cwd=cls.folder)
        cls.program = build / "app" / "softscope"
        cls.build = build
        cls.environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(cls.folder),
                           "XDG_CONFIG_HOME": str(cls.folder / "config")}

    @classmethod
    def tearDownClass(cls):
        if not KEPT:
            shutil.rmtree(cls.folder)

    @classmethod
    def remove_what_is_gone(cls):
        for name in SOURCES:
            for copy in (cls.folder / name).rglob("*"):
                path = copy.relative_to(cls.folder)
                if copy.is_file() and not (ROOT / path).exists() and path.as_posix() not in cls.files:
                    copy.unlink()

    @staticmethod
    def not_copied(_, names):
        return [name for name in names if name in ("authors", "corpus", "golden", "__pycache__") or
                name.endswith("Test.cpp") and name.removesuffix(".cpp") not in PAGE_TESTS + OTHER_TESTS]

    @staticmethod
    def copy_if_other(source, copy):
        source, copy = pathlib.Path(source), pathlib.Path(copy)
        if not copy.exists() or copy.stat().st_mtime_ns != source.stat().st_mtime_ns:
            shutil.copy2(source, copy)

    def softscope(self, *words):
        return run(self.program, *words, env=self.environment, cwd=self.folder)

    def test_few_files_are_enough(self):
        sources = [path for path in self.files if not path.startswith("tests/")]
        self.assertLessEqual(len(sources), MOST_FILES, sources)
        self.assertEqual(len(self.files) - len(sources), 1, "and a test")

    def test_the_command_draws_and_writes_its_table(self):
        model = self.folder / "resources/checkpoints/sima_everyday10.safetensors"
        picture = self.folder / "resources/pictures/chelsea.png"
        figure, table = self.folder / "peaks.svg", self.folder / "peaks.csv"
        self.softscope("figure", "peaks", "-m", model, picture, "--count", "3", "-o", figure, "--data", table)
        self.assertIn("3 largest weights of each row", figure.read_text())
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["model", "layer", "head", "rank", "weight"])
        self.assertEqual({row["rank"] for row in rows}, {"1", "2", "3"})
        first = [float(row["weight"]) for row in rows[:3]]
        self.assertEqual(first, sorted(first, reverse=True))

    def test_help_manual_and_completion_name_it(self):
        self.assertIn("peaks: the largest weights of every head's rows", self.softscope("figure", "--help"))
        help_of_kind = self.softscope("figure", "peaks", "--help")
        for text in ("Look for: A steep curve", "--count N", "Number of weights of each row"):
            self.assertIn(text, help_of_kind)
        for form in ("man", "bash", "zsh", "fish", "markdown"):
            with self.subTest(form):
                words = self.softscope("documentation", form).replace("\\-", "-")
                option = "-l count" if form == "fish" else "--count"
                # Not assertIn, whose message has all of it.
                self.assertTrue("peaks" in words and option in words)

    def test_the_window_has_its_page_tab_and_explanation(self):
        output = run(self.build / "tests/widgets/window_tests", env=self.environment, cwd=self.build / "tests/widgets")
        self.assertIn("[  PASSED  ]", output)

    def test_its_own_test_passes(self):
        output = run(self.build / "tests/core/core_test", "--gtest_filter=PeaksAnalysis.*", env=self.environment)
        self.assertIn("[  PASSED  ] 1 test.", output)

    def test_folders_include_what_they_may(self):
        run(sys.executable, ROOT / "tests/structure/rooms.py", self.folder)


if __name__ == "__main__":
    unittest.main()
