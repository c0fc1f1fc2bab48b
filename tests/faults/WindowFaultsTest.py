#!/usr/bin/env python3
"""Every call by which a window writes fails in turn, and it is killed at every one of them: the workspace saved before
is whole or the new one is, so is the last session, settings that were there stay, and the window goes on to its end.

    WindowFaultsTest.py [--long] SHIM WINDOW_WRITERS
"""
import glob
import json
import os
import shutil
import signal
import time
import unittest

from faulty import FAULTS, KILLS, LONG, content, failing, kill_at_random, tried
from files import write_png
from measured import PROGRAM, MeasuredTest, run

ADVICE = ("make room there", "choose another place", "choose a place that you may write to", "try again")
SAVED = "saved.softscope"
SESSION = "data/Softscope/Writers/recovery/last-session.softscope"
SETTINGS = "config/Softscope/Writers.conf"
KEPT = "\n[mine]\nsetting=kept\n"


class WindowFaultsTest(MeasuredTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("home"))
        write_png(self.path("home/picture.png"), (200, 30, 60))
        self.assertEqual(self.write_all(1).code, 0)
        self.before = {name: content(self.home(name)) for name in (SAVED, SESSION)}
        with open(self.home(SETTINGS), "a", encoding="utf-8") as file:
            file.write(KEPT)
        shutil.copytree(self.path("home"), self.path("kept"))
        self.assertEqual(self.write_all(2).code, 0)
        self.after = {name: content(self.home(name)) for name in (SAVED, SESSION)}
        for name, text in self.after.items():
            self.assertNotEqual(text, self.before[name])

    def home(self, name):
        return self.path("home/" + name)

    def as_before(self):
        shutil.rmtree(self.path("home"))
        shutil.copytree(self.path("kept"), self.path("home"))

    def write_all(self, row, **environment):
        return run(self.path("home"), row, **environment)

    def check(self, was_killed):
        for name, text in self.after.items():
            self.assertTrue(content(self.home(name)) in (self.before[name], text), name + " is neither the old nor the new")
        self.assertIn(KEPT.strip(), content(self.home(SETTINGS)).decode())
        recovery = os.path.dirname(self.home(SESSION))
        for kept in glob.glob(recovery + "/*.softscope"):
            with open(kept, encoding="utf-8") as file:
                json.load(file)
        if not was_killed:
            self.assertFalse([name for name in os.listdir(self.path("home")) if "softscope-part" in name])
            self.assertEqual([name for name in os.listdir(recovery) if "softscope-part" in name], [])

    def test_what_was_there_is_whole_or_the_new_is(self):
        self.as_before()
        self.assertEqual(self.write_all(2, **failing(self.path("home"), count=self.path("count"))).code, 0)
        count = os.path.getsize(self.path("count"))
        self.assertGreater(count, 10, "nothing was counted")
        for fault in FAULTS:
            for at in tried(count):
                with self.subTest(fault, at=at, of=count):
                    self.as_before()
                    outcome = self.write_all(2, **failing(self.path("home"), fault, at))
                    if fault == "KILL":
                        self.assertIn(outcome.code, (0, -signal.SIGKILL))
                    elif outcome.code != 0:
                        self.assert_refused(outcome, "cannot be ")
                        self.assertTrue(any(advice in outcome.errors for advice in ADVICE), outcome.errors)
                    self.check(fault == "KILL")
                    # The next window finds nothing in its way.
                    self.assertEqual(self.write_all(2).code, 0)
                    self.assertEqual(content(self.home(SAVED)), self.after[SAVED])

    @unittest.skipUnless(LONG, "takes long")
    def test_killed_at_random_moments(self):
        self.as_before()
        start = time.monotonic()
        self.write_all(2)
        usual = time.monotonic() - start
        new = 0
        for _ in range(KILLS):
            self.as_before()
            kill_at_random([PROGRAM, self.path("home"), "2"], usual, earliest=0.5)
            self.check(was_killed=True)
            new += content(self.home(SAVED)) == self.after[SAVED]
        print(f"{KILLS} kills; {new} after the workspace was saved")


if __name__ == "__main__":
    unittest.main()
