#!/usr/bin/env python3
"""Every call by which a survey is written fails in turn, and it is killed at every one of them: pictures that were
measured stay, one line says what to do, and the same command goes on to the same numbers.

    SurveyFaultsTest.py [--long] SHIM SOFTSCOPE
"""
import os
import shutil
import signal
import sqlite3
import time
import unittest

from faulty import FAULTS, KILLS, LONG, failing, kill_at_random, tried
from files import write_png
from measured import CHECKPOINT, PROGRAM, MeasuredTest, run

ADVICE = ("free some space", "check its p", "run the same command again", "wait until", "make room there",
          "choose another place")
PICTURES = 3


def rows_of(path):
    """Everything a survey says of its pictures; nothing where there is no survey yet. Fails where it is damaged."""
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return []
    survey = sqlite3.connect(path)
    try:
        if survey.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            raise AssertionError(f"{path} is damaged")
        tables = {name for name, in survey.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return [(table, *row) for table in ("picture", "model_value", "layer_value", "head_value") if table in tables
                for row in survey.execute(f"SELECT * FROM {table} ORDER BY 1, 2")]
    finally:
        survey.close()


class SurveyFaultsTest(MeasuredTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("pictures"))
        for number in range(PICTURES):
            write_png(self.path(f"pictures/{number}.png"), (80 * number, 30, 60))
        self.empty_place()
        self.assertEqual(self.survey({}).code, 0)
        self.whole = rows_of(self.output())
        self.assertEqual(sum(row[0] == "picture" for row in self.whole), PICTURES)

    def output(self):
        return self.path("place/out.survey")

    def empty_place(self):
        shutil.rmtree(self.path("place"), ignore_errors=True)
        os.mkdir(self.path("place"))

    def command(self):
        return ("survey", "-m", CHECKPOINT, self.path("pictures"), "-o", self.output(), "--measure", "entropy", "--workers",
                "1")

    def survey(self, environment):
        return run(*self.command(), **environment)

    def check_kept(self):
        """Nothing that is there is wrong, and the same command brings the rest."""
        kept = rows_of(self.output())
        self.assertTrue(set(kept) <= set(self.whole))
        outcome = self.survey({})
        self.assertEqual(outcome.code, 0, outcome.errors)
        self.assertEqual(rows_of(self.output()), self.whole)
        self.assertEqual(os.listdir(self.path("place")), ["out.survey"])
        return len(kept)

    def test_what_was_measured_stays(self):
        self.empty_place()
        outcome = self.survey(failing(self.path("place"), count=self.path("count")))
        self.assertEqual(outcome.code, 0, outcome.errors)
        count = os.path.getsize(self.path("count"))
        self.assertGreater(count, 3 * PICTURES, "nothing was counted")
        for fault in FAULTS:
            for at in tried(count):
                with self.subTest(fault, at=at, of=count):
                    self.empty_place()
                    outcome = self.survey(failing(self.path("place"), fault, at))
                    if fault == "KILL":
                        self.assertIn(outcome.code, (0, -signal.SIGKILL))
                    elif outcome.code != 0:
                        self.assert_refused(outcome)
                        self.assertTrue(any(advice in outcome.errors for advice in ADVICE), outcome.errors)
                    self.check_kept()

    @unittest.skipUnless(LONG, "takes long")
    def test_killed_at_random_moments(self):
        self.empty_place()
        start = time.monotonic()
        self.survey({})
        usual = time.monotonic() - start
        kept = []
        for _ in range(KILLS):
            self.empty_place()
            kill_at_random([PROGRAM, *self.command()], usual)
            kept.append(self.check_kept())
        print(f"{KILLS} kills; {sum(0 < rows < len(self.whole) for rows in kept)} in the middle of the pictures")


if __name__ == "__main__":
    unittest.main()
