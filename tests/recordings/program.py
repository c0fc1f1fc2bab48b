"""Runs softscope for the tests beside this file."""
import csv
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 and os.path.isfile(sys.argv[-1]) else "softscope"


def softscope(*arguments):
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, env=environment, check=False)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def succeed(self, *arguments):
        outcome = softscope(*arguments)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        return outcome.stdout

    def arrays(self, *arguments):
        """The .npz of a figure's numbers."""
        self.succeed("figure", *arguments, "--data", self.path("numbers.npz"))
        with np.load(self.path("numbers.npz")) as file:
            return dict(file)

    def table(self, *arguments):
        """The rows of a figure's .csv, as dictionaries."""
        self.succeed("figure", *arguments, "--data", self.path("numbers.csv"))
        with open(self.path("numbers.csv"), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def dumped(self, recording, layer):
        """Every row of a layer, [heads, queries, keys]."""
        self.succeed("dump", "-m", recording, "-o", self.path("dump"))
        return np.load(os.path.join(self.path("dump"), layer.replace(".", "_").replace("/", "_") + ".npy"))

    def assert_close(self, found, expected, bound=1e-4):
        expected = np.asarray(expected, dtype=np.float64)
        self.assertEqual(found.shape, expected.shape)
        self.assertLessEqual(np.abs(found - expected).max(), bound * np.abs(expected).max())
