#!/usr/bin/env python3
"""Every call by which the program writes fails in turn, and it is killed at every one of them: what was there before is
whole, or the new file is; nothing half done is left; and one line says what to do.

    FaultsTest.py [--long] SHIM SOFTSCOPE

A few calls of each writer are tried; with --long, all of them, and 200 kills at random moments.
"""
import os
import shutil
import signal
import time
import unittest

from faulty import FAULTS, KILLS, LONG, content, failing, kill_at_random, tried
from files import write_png
from measured import CHECKPOINT, INPUT, PROGRAM, MeasuredTest, run

ADVICE = ("make room there", "choose another place", "choose a place that you may write to", "try again")
LAYER = ("--layers", "block4.0.attn")
MODEL = ("-m", CHECKPOINT, INPUT)
SWEEP = ("--layer", "block4.0.attn", "--frames", "2", "--frame-width", "200", "--columns", "3", "--no-titles")

# What is written, by which command.
WRITERS = {
    "out.safetensors": ("convert", CHECKPOINT),
    "recording.safetensors": ("record", *MODEL),
    "recording.npz": ("record", *MODEL),
    "heads.png": ("figure", "heads", *MODEL, "--layer", "block4.0.attn"),
    "heads.svg": ("figure", "heads", *MODEL, "--layer", "block4.0.attn"),
    "dump": ("dump", *MODEL, *LAYER),
    "sweep.gif": ("figure", "sweep", *MODEL, *SWEEP),
    "sweep.webp": ("figure", "sweep", *MODEL, *SWEEP),
    "sweep": ("figure", "sweep", *MODEL, *SWEEP),
}


class FaultsTest(MeasuredTest):
    def place(self, name):
        """A folder of its own for what is written, and nothing else."""
        folder = self.path("place")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        return os.path.join(folder, name)

    def write_with(self, command, path, fault="", at=0, count=""):
        return run(*command, "-o", path, **failing(os.path.dirname(path), fault, at, count))

    def calls(self, command, name):
        """What is written where nothing fails, and a letter for each call by which it is (Faults.cpp)."""
        path = self.place(name)
        outcome = self.write_with(command, path, count=self.path("count"))
        self.assertEqual(outcome.code, 0, outcome.errors)
        with open(self.path("count"), encoding="ascii") as file:
            letters = file.read()
        os.remove(self.path("count"))
        self.assertGreater(len(letters), 2, "nothing was counted")
        return content(path), letters

    def learn(self, command, name):
        """What is written where nothing fails, and by how many calls."""
        whole, letters = self.calls(command, name)
        return whole, len(letters)

    def put_before(self, path, before):
        if before is None:
            return
        with open(path, "wb") as file:
            file.write(before)

    def check(self, command, name, whole, before, fault, at):
        path = self.place(name)
        self.put_before(path, before)
        outcome = self.write_with(command, path, fault, at)
        now = content(path)
        if fault == "KILL":
            self.assertIn(outcome.code, (-signal.SIGKILL, 0))
            self.assertIn(now, (before, whole))
            # The next program that writes there finds what the killed one left.
            self.assertEqual(self.write_with(command, path).code, 0)
            self.assertEqual(content(path), whole)
        elif outcome.code == 0:
            self.assertEqual(now, whole)
        else:
            self.assert_refused(outcome, "cannot be ")
            self.assertTrue(any(advice in outcome.errors for advice in ADVICE), outcome.errors)
            self.assertEqual(now, before)
        left = [name for name in os.listdir(os.path.dirname(path)) if name != os.path.basename(path)]
        self.assertEqual(left, [])

    def test_what_was_there_is_whole_or_the_new_is(self):
        for name, command in WRITERS.items():
            whole, count = self.learn(command, name)
            before = None if name in ("dump", "sweep") else b"what was there before"
            for fault in FAULTS:
                for at in tried(count):
                    with self.subTest(name, fault=fault, at=at, of=count):
                        self.check(command, name, whole, before, fault, at)

    def test_half_a_write_and_an_interrupted_one_are_taken_up_again(self):
        command = WRITERS["out.safetensors"]
        whole, letters = self.calls(command, "out.safetensors")
        writes = [1 + i for i, letter in enumerate(letters) if letter == "w"]
        self.assertGreater(len(writes), 1)
        for fault in ("SHORT", "EINTR"):
            for at in (writes[i - 1] for i in tried(len(writes))):
                with self.subTest(fault, at=at):
                    path = self.place("out.safetensors")
                    outcome = self.write_with(command, path, fault, at)
                    self.assertEqual(outcome.code, 0, outcome.errors)
                    self.assertEqual(content(path), whole)

    def data_set(self):
        for split in ("train", "val"):
            for number, kind in enumerate(("dark", "light")):
                folder = self.path(f"pictures/{split}/{kind}")
                os.makedirs(folder)
                for i in range(4):
                    write_png(os.path.join(folder, f"{i}.png"), (200 * number + i, 30, 60))
        return self.path("pictures")

    def test_a_training_keeps_the_checkpoint_before(self):
        train = ("train", "preresnet20", self.data_set(), "--epochs", "1", "--batch", "4", "--threads", "1")
        path = self.place("net.safetensors")
        outcome = self.write_with(train, path, count=self.path("count"))
        self.assertEqual(outcome.code, 0, outcome.errors)
        count = os.path.getsize(self.path("count"))
        for fault in ("ENOSPC", "EIO", "KILL"):
            for at in (tried(count) if LONG else [2, count]):
                with self.subTest(fault, at=at):
                    path = self.place("net.safetensors")
                    self.put_before(path, b"what was there before")
                    outcome = self.write_with(train, path, fault, at)
                    if content(path) != b"what was there before":
                        self.assertEqual(run("inspect", path).code, 0)
                    if fault != "KILL" and outcome.code != 0:
                        self.assert_one_line(outcome.errors.splitlines(keepends=True)[-1])
                    if fault != "KILL":
                        self.assertFalse([name for name in os.listdir(os.path.dirname(path)) if "softscope-part" in name])

    def test_a_hangup_leaves_no_part(self):
        _, count = self.learn(WRITERS["recording.safetensors"], "recording.safetensors")
        path = self.place("recording.safetensors")
        outcome = self.write_with(("record", *MODEL), path, "HANGUP", max(2, count // 2))
        self.assertEqual(outcome.code, -signal.SIGHUP)
        self.assertEqual(os.listdir(os.path.dirname(path)), [])

    @unittest.skipUnless(LONG, "takes long")
    def test_killed_at_random_moments(self):
        for name, command in WRITERS.items():
            whole, _ = self.learn(command, name)
            path = self.place(name)
            start = time.monotonic()
            self.write_with(command, path)
            usual = time.monotonic() - start
            for _ in range(KILLS):
                path = self.place(name)
                kill_at_random([PROGRAM, *command, "-o", path], usual, latest=1.2)
                self.assertIn(content(path), (None, whole))

    @unittest.skipUnless(LONG, "takes long")
    def test_a_training_killed_at_random_moments(self):
        """Its checkpoint and its state are written after every epoch; what is there opens, and the training goes on."""
        train = ("train", "preresnet20", self.data_set(), "--epochs", "4", "--batch", "4", "--threads", "1")
        path = self.place("net.safetensors")
        start = time.monotonic()
        self.assertEqual(run(*train, "-o", path).code, 0)
        usual = time.monotonic() - start
        written = 0
        for _ in range(KILLS):
            path = self.place("net.safetensors")
            kill_at_random([PROGRAM, *train, "-o", path], usual)
            if os.path.exists(path):
                written += 1
                self.assertEqual(run("inspect", path).code, 0)
            if os.path.exists(path + ".state"):
                outcome = run(*train, "-o", path, "--resume")
                self.assertEqual(outcome.code, 0, outcome.errors)
        print(f"{KILLS} kills of a training; {written} with a checkpoint")


if __name__ == "__main__":
    unittest.main()
