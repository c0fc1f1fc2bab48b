#!/usr/bin/env python3
"""Checks the Flatpak's manifest against what it is a manifest of.

    FlatpakTest.py ROOT
"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
MANIFEST = ROOT / "cmake" / "flatpak" / "org.softscope.Softscope.yaml"
TEXT = MANIFEST.read_text(encoding="utf-8")


class Flatpak(unittest.TestCase):
    def test_is_called_as_the_desktop_knows_it(self):
        metainfo = (ROOT / "resources" / "desktop" / f"{MANIFEST.stem}.metainfo.xml").read_text(encoding="utf-8")
        self.assertIn(f"<id>{MANIFEST.stem}</id>", metainfo)
        self.assertIn(f"\nid: {MANIFEST.stem}\n", TEXT)

    def test_takes_the_sources_beside_it(self):
        paths = re.findall(r"^ +path: (.*)$", TEXT, re.MULTILINE)
        self.assertTrue(paths)
        for path in paths:
            self.assertTrue((MANIFEST.parent / path).exists(), path)
        self.assertTrue((MANIFEST.parent / paths[-1] / "CMakeLists.txt").exists())

    def test_what_is_fetched_is_pinned(self):
        for kind, rest in re.findall(r"- type: (\w+)\n((?: {8}.*\n)+)", TEXT):
            if "url:" in rest:
                wanted = r"^ +tag: v" if kind == "git" else r"^ +sha256: [0-9a-f]{64}$"
                self.assertRegex(rest, re.compile(wanted, re.MULTILINE))

    def test_softscopes_options_are_there(self):
        known = set(re.findall(r"^option\((\w+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE))
        given = set(re.findall(r"-D(SOFTSCOPE_\w+)=", TEXT))
        self.assertTrue(given)
        self.assertLessEqual(given, known)

    @unittest.skipUnless(shutil.which("flatpak-builder"), "flatpak-builder is not installed")
    def test_is_read_without_a_word(self):
        shown = subprocess.run(["flatpak-builder", "--show-manifest", MANIFEST], capture_output=True, text=True)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
