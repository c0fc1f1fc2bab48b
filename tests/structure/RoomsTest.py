#!/usr/bin/env python3
"""Checks that rooms.py finds what it is there to find, on small trees made for it."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rooms

TABLE = """# A comment.

core | files
core/model | networks
    core
models | families
    core/*
"""


class Rooms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.write(rooms.TABLE, TABLE)
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

    def test_an_include_that_the_table_does_not_allow(self):
        self.write("core/Error.h", '#include "models/Soft.h"\n')
        self.assertIn("core/Error.h includes models/Soft.h, but tests/structure/rooms.txt does not let core include "
                      "models", self.complaints())

    def test_a_cycle(self):
        self.write(rooms.TABLE, TABLE.replace("files\n", "files\n    core/model\n"))
        self.write("core/Error.h", '#include "core/model/Network.h"\n')
        self.assertEqual(self.complaints(),
                         "folders include one another in a cycle: core -> core/model -> core")

    def test_a_folder_that_nothing_includes(self):
        self.write("models/Soft.cpp", "")
        self.assertEqual(self.complaints(),
                         "tests/structure/rooms.txt lets models include core/*, which no include needs")

    def test_folders_on_several_lines(self):
        self.write("models/Soft.cpp", '#include "core/Error.h"\n#include "core/model/Network.h"\n')
        self.write(rooms.TABLE, TABLE.replace("    core/*\n", "    core\n    core/model\n"))
        self.assertEqual(self.complaints(), "")

    def test_any_number_of_files(self):
        for i in range(100):
            self.write(f"core/File{i}.h", "")
        self.assertEqual(self.complaints(), "")

    def test_a_folder_without_an_entry_and_an_entry_without_a_folder(self):
        self.write("core/image/Picture.h", "")
        self.assertEqual(self.complaints(), "core/image has no entry in tests/structure/rooms.txt")
        self.write(rooms.TABLE, TABLE + "core/image | pictures\ncore/train | none\n")
        self.assertEqual(self.complaints(),
                         "tests/structure/rooms.txt has an entry for core/train, which holds no code")

    def test_lines_that_cannot_be_read(self):
        self.write(rooms.TABLE, TABLE.replace("models | families", "models families") + "core | again\n")
        self.assertIn('rooms.txt:6: is neither "folder | what it holds"', self.complaints())
        self.assertIn("rooms.txt:8: core has an entry already", self.complaints())

    def test_tests_without_sources(self):
        self.write("tests/core/gone/GoneTest.cpp", "")
        self.assertEqual(self.complaints(), "tests/core/gone mirrors no source folder core/gone")


if __name__ == "__main__":
    unittest.main()
