"""Runs softscope for the tests beside this file, and measures what it took: seconds of processor time, not of the
clock, and memory, as the system counts them for the process."""
import atexit
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile
from dataclasses import dataclass

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 and os.path.isfile(sys.argv[-1]) else "softscope"
DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")


def unpacked(case):
    """The folder of a case of golden/papers.zip, until the program ends."""
    folder = tempfile.mkdtemp(prefix="softscope-golden-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(os.path.join(DATA, "golden/papers.zip")) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith(case + "/")])
    return os.path.join(folder, case)


SOFT = unpacked("soft")
CHECKPOINT = os.path.join(SOFT, "checkpoint.pth")
INPUT = os.path.join(SOFT, "input.npy")
MEGABYTE = 1 << 20
LONGEST_LINE = 500
WAIT = 600
# Ten in a build without optimisation.
SLOWER = int(os.environ.get("SOFTSCOPE_SLOWER", "1"))


@dataclass
class Outcome:
    code: int
    output: str
    errors: str
    seconds: float
    peak: int


def limited(most_seconds, most_bytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SLOWER * most_seconds, SLOWER * most_seconds))
        if most_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))

    return limit


def run(*arguments, most_seconds=20, most_bytes=6 << 30, before=None, **environment):
    """The program's outcome. What it takes beyond most_seconds or most_bytes ends it, so that no machine suffers."""
    variables = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    variables.update(environment)
    limit = limited(most_seconds, most_bytes)

    def prepare():
        limit()
        if before:
            before()

    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        # What waits for ever takes no time; it is not a measure, but an end.
        watchdog = threading.Timer(WAIT, lambda: process.kill())
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=errors, env=variables, preexec_fn=prepare)
        watchdog.start()
        _, status, usage = os.wait4(process.pid, 0)
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", errors="surrogateescape"))
    if process.returncode == 0:
        # What a file does not tell is said of a result, and is no complaint.
        texts[1] = "".join(line for line in texts[1].splitlines(keepends=True) if ": the file does not tell " not in line)
    return Outcome(process.returncode, *texts, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


class MeasuredTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def assert_one_line(self, errors):
        self.assertTrue(errors.startswith("softscope: ") and errors.endswith("\n"), errors[:2000])
        line = errors[:-1]
        self.assertTrue(line.isprintable(), repr(line[:2000]))
        self.assertLessEqual(len(line), LONGEST_LINE)

    def assert_refused(self, outcome, phrase=""):
        self.assertEqual(outcome.code, 1, outcome.errors[:2000])
        self.assert_one_line(outcome.errors)
        self.assertIn(phrase, outcome.errors)
