#!/usr/bin/env python3
"""Checks that rooms.py finds what it is there to find, on small trees made for it."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rooms

TABLE = """
| `core/` | files | |
| `core/model/` | networks | `core` |
| `models/` | families | `core/*` |
"""


class Rooms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.write("README.md", TABLE)
        self.write("core/Error.h", "")
        self.write("core/model/Network.h", '#include "core/Error.h"\n')
        self.write("models/Soft.cpp", '#include "core/model/Network.h"\n')
        self.write("tests/core/ErrorTest.cpp", "")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        path = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def complaints(self):
        return "\n".join(rooms.complaints(self.folder.name))

    def test_nothing_is_wrong_with_what_the_table_says(self):
        self.assertEqual(self.complaints(), "")

    def test_an_arrow_that_the_table_lacks(self):
        self.write("core/Error.h", '#include "models/Soft.h"\n')
        self.assertIn("no arrow from core to models", self.complaints())

    def test_a_cycle(self):
        self.write("README.md", TABLE.replace("files | |", "files | `core/model` |"))
        self.write("core/Error.h", '#include "core/model/Network.h"\n')
        self.assertEqual(self.complaints(),
                         "folders include one another in a cycle: core -> core/model -> core")

    def test_an_arrow_that_nothing_needs(self):
        self.write("models/Soft.cpp", "")
        self.assertIn("an arrow from models to core/* that no include needs", self.complaints())

    def test_a_folder_that_is_too_full(self):
        for i in range(40):
            self.write(f"core/File{i}.h", "")
        self.assertIn("core has 41 units of its own", self.complaints())

    def test_a_folder_without_a_line_and_a_line_without_a_folder(self):
        self.write("core/image/Picture.h", "")
        self.assertIn("core/image has no line", self.complaints())
        self.write("README.md", TABLE + "| `core/image/` | pictures | |\n| `core/train/` | none | |\n")
        self.assertEqual(self.complaints(),
                         "README.md's table of rooms has a line for core/train, which holds no code")

    def test_tests_without_sources(self):
        self.write("tests/core/gone/GoneTest.cpp", "")
        self.assertEqual(self.complaints(), "tests/core/gone mirrors no source folder core/gone")


if __name__ == "__main__":
    unittest.main()
