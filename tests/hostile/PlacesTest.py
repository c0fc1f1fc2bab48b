#!/usr/bin/env python3
"""Places that cannot be read or written as they should: the program says so in one line, leaves nothing half done, and
the window goes on.

    PlacesTest.py SOFTSCOPE
"""
import ctypes
import fcntl
import os
import resource
import signal
import subprocess
import unittest

from measured import CHECKPOINT, DATA, INPUT, MeasuredTest, run



def full_disk(size):
    """What no file may grow beyond, as if the disk were full."""

    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return prepare


def without_override():
    """Takes from root what lets it write to files that are write-protected; others lack it."""
    drop_from_bounding_set, dac_override = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override, 0, 0, 0)


def number_of_no_process():
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


class PlacesTest(MeasuredTest):
    def loop(self):
        """A path that cannot be searched, not even by root."""
        os.symlink(self.path("loop"), self.path("loop"))
        return self.path("loop")

    def window(self, *arguments, **environment):
        home = {"HOME": self.folder, "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": self.folder}
        return run(*arguments, "--quit-after", "paint", QT_QPA_PLATFORM="offscreen", **{**home, **environment})

    def test_the_window_opens_where_nothing_can_be_kept(self):
        self.assertEqual(self.window(HOME=self.loop()).code, 0)

    def test_the_window_does_not_wait_for_a_pipe(self):
        for name, option in (("model.pth", ["-m"]), ("picture.png", []), ("saved.softscope", [])):
            with self.subTest(name):
                os.mkfifo(self.path(name))
                self.assertEqual(self.window(*option, self.path(name)).code, 0)

    def test_a_folder_that_cannot_be_searched_is_not_said_to_be_missing(self):
        loop = self.loop()
        self.assert_refused(run("evaluate", "-m", CHECKPOINT, loop), "cannot be searched")
        self.assert_refused(run("convert", CHECKPOINT, "-o", loop + "/out.safetensors"), "cannot be written")

    def test_a_full_disk_leaves_no_half_folder(self):
        outcome = run("dump", "-m", CHECKPOINT, INPUT, "-o", self.path("dump"), before=full_disk(40_000))
        self.assert_refused(outcome, "cannot be written: ")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_full_disk_leaves_a_folder_as_it_was(self):
        os.mkdir(self.path("dump"))
        self.write("dump/logits.npy", b"mine")
        outcome = run("dump", "-m", CHECKPOINT, INPUT, "-o", self.path("dump"), before=full_disk(40_000))
        self.assert_refused(outcome, self.path("dump"))
        self.assertEqual(os.listdir(self.path("dump")), ["logits.npy"])
        with open(self.path("dump/logits.npy"), "rb") as file:
            self.assertEqual(file.read(), b"mine")

    def test_a_folder_that_is_there_is_filled(self):
        os.mkdir(self.path("dump"))
        self.write("dump/notes.txt", b"mine")
        self.assertEqual(run("dump", "-m", CHECKPOINT, INPUT, "-o", self.path("dump") + "/").code, 0)
        names = os.listdir(self.path("dump"))
        self.assertTrue({"layers.json", "logits.npy", "notes.txt"} <= set(names), names)
        self.assertFalse([name for name in names if name.startswith(".")])

    def test_what_a_killed_program_left_is_removed(self):
        gone = number_of_no_process()
        part = f".{gone}.softscope-part"
        left = [f".out{part}.safetensors", f".figure{part}.npz", f".figure{part}.npz.X1b2c3"]
        kept = [f".out.{os.getpid()}.softscope-part.safetensors", ".notes.softscope-part", f"out{part}.png",
                f".thesis.{gone}.part.tex", f".locked{part}.png"]
        for name in left + kept:
            self.write(name, b"half")
        os.mkdir(self.path(f".dump{part}"))
        self.write(f".dump{part}/logits.npy", b"half")
        with open(self.path(kept[-1]), "rb") as locked:
            fcntl.flock(locked, fcntl.LOCK_EX)
            self.assertEqual(run("convert", CHECKPOINT, "-o", self.path("out.safetensors")).code, 0)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([*kept, "out.safetensors"]))

    def test_a_folder_for_temporary_files_that_is_gone_is_done_without(self):
        gone = self.path("gone")
        outcome = self.window(TMPDIR=gone, XDG_RUNTIME_DIR="")
        self.assertEqual(outcome.code, 0, outcome.errors)
        os.symlink("/dev/stdout", self.path("numbers.csv"))
        outcome = run("figure", "spectrum", "-m", CHECKPOINT, INPUT, "--layer", "block4.0.attn", "--data",
                      self.path("numbers.csv"), TMPDIR=gone)
        self.assertEqual((outcome.code, outcome.errors), (0, ""))
        self.assertIn(",", outcome.output)

    def test_figures_need_no_display_and_no_session(self):
        heads = ("figure", "heads", "-m", CHECKPOINT, INPUT, "--layer", "block4.0.attn", "-o", self.path("heads.png"))
        other = self.path("other")
        os.mkdir(other, 0o755)
        for environment in ({"QT_QPA_PLATFORM": "nothing"}, {"QT_QPA_PLATFORM": "wayland"}, {"QT_QPA_PLATFORM": ""},
                            {"QT_QPA_PLATFORMTHEME": "gtk3"}, {"XDG_RUNTIME_DIR": ""}, {"XDG_RUNTIME_DIR": other},
                            {"XDG_RUNTIME_DIR": self.path("gone")}, {"XDG_RUNTIME_DIR": "", "TMPDIR": self.path("gone")}):
            with self.subTest(environment):
                outcome = run(*heads, **environment)
                self.assertEqual((outcome.code, outcome.errors), (0, ""))

    def test_a_window_without_its_display_says_what_to_look_at(self):
        for environment, advice in (({"QT_QPA_PLATFORM": "nothing"}, "check QT_QPA_PLATFORM"),
                                    ({"QT_QPA_PLATFORM": "", "DISPLAY": ":9999"}, "check DISPLAY"),
                                    ({"QT_QPA_PLATFORM": "", "WAYLAND_DISPLAY": "none"}, "qt6-wayland")):
            with self.subTest(advice):
                outcome = run(HOME=self.folder, XDG_RUNTIME_DIR=self.folder, **environment)
                self.assert_refused(outcome, "cannot be reached")
                self.assertIn(advice, outcome.errors)

    def test_the_window_opens_no_names_that_are_not_utf8(self):
        name = self.path(os.fsdecode(b"caf\xe9"))
        self.assertEqual(run("convert", CHECKPOINT, "-o", name + ".safetensors").code, 0)
        self.assertEqual(run("inspect", name + ".safetensors").code, 0)
        for words in ([name + ".png"], ["-m", name + ".safetensors"], ["-m", CHECKPOINT, "--class-names", name]):
            with self.subTest(words):
                outcome = self.window(*words)
                self.assertEqual(outcome.code, 2, outcome.errors)
                self.assert_one_line(outcome.errors)
                self.assertIn("is not UTF-8", outcome.errors)

    def test_a_write_protected_file_stays(self):
        path = self.write("out.safetensors", b"mine")
        os.chmod(path, 0o444)
        outcome = run("convert", CHECKPOINT, "-o", path, before=without_override)
        self.assert_refused(outcome, "cannot be written")
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"mine")

    def test_a_private_file_stays_private(self):
        path = self.write("out.safetensors", b"mine")
        os.chmod(path, 0o600)
        self.assertEqual(run("convert", CHECKPOINT, "-o", path).code, 0)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertGreater(os.path.getsize(path), 100)


if __name__ == "__main__":
    unittest.main()
