#!/usr/bin/env python3
"""What ../archive packs is replayed, all of it, and comes out as it went in; what is no whole archive fails a replay.

    CorpusTest.py FUZZ_NPY
"""
import gzip
import os
import subprocess
import sys
import tempfile
import unittest

TARGET = sys.argv.pop(1)
ARCHIVE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "archive")
INPUTS = {"a": b"\x93NUMPY", "b.npy": b"", 60 * "f" + "/" + 60 * "n": bytes(1500)}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
    return path


class Corpus(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.inputs = self.path("inputs")
        for name, content in INPUTS.items():
            write(os.path.join(self.inputs, name), content)
        self.corpus = self.path("corpus.tar.gz")
        self.archive("pack", self.inputs, self.corpus)

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def archive(self, *arguments):
        outcome = run(sys.executable, ARCHIVE, *arguments)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)

    def expect_refusal(self, content, why):
        outcome = run(TARGET, write(self.path("broken.tar.gz"), content))
        self.assertEqual(outcome.returncode, 1, outcome.stdout)
        self.assertIn(why, outcome.stderr)

    def test_all_inputs_are_replayed(self):
        outcome = run(TARGET, self.corpus)
        self.assertEqual((outcome.returncode, outcome.stdout), (0, f"{len(INPUTS)} inputs\n"), outcome.stderr)

    def test_one_input_is_replayed_by_itself(self):
        outcome = run(TARGET, os.path.join(self.inputs, "a"))
        self.assertEqual((outcome.returncode, outcome.stdout), (0, "1 inputs\n"), outcome.stderr)

    def test_a_corpus_that_is_not_there(self):
        for name in ("none.tar.gz", "none"):
            outcome = run(TARGET, self.path(name))
            self.assertEqual(outcome.returncode, 1)
            self.assertIn("cannot be opened", outcome.stderr)

    def test_nothing_at_all(self):
        self.expect_refusal(b"", "has no end")

    def test_no_input(self):
        self.expect_refusal(gzip.compress(bytes(1024)), "holds no input")

    def test_what_is_no_archive(self):
        self.expect_refusal(gzip.compress(b"x" * 1024), "is no archive")

    def test_a_file_cut_short(self):
        content = read(self.corpus)
        for size in (1, 10, len(content) // 2, len(content) - 8, len(content) - 1):
            self.expect_refusal(content[:size], "broken.tar.gz")

    def test_an_archive_cut_short(self):
        content = gzip.decompress(read(self.corpus))
        self.expect_refusal(gzip.compress(content[:1024]), "has no end")
        self.expect_refusal(gzip.compress(content[:content.index(bytes(1500)) + 1000]), "ends within")

    def test_a_wrong_checksum(self):
        content = bytearray(read(self.corpus))
        content[-8] ^= 1
        self.expect_refusal(bytes(content), "is damaged")

    def test_a_changed_header(self):
        content = bytearray(gzip.decompress(read(self.corpus)))
        content[0] ^= 1
        self.expect_refusal(gzip.compress(content), "is no archive")

    def test_what_is_packed_again_has_the_same_bytes(self):
        again = self.path("again.tar.gz")
        for name in reversed(INPUTS):
            write(self.path("again/" + name), INPUTS[name])
        os.utime(self.path("again/a"), (1, 1))
        os.chmod(self.path("again/a"), 0o600)
        self.archive("pack", self.path("again"), again)
        self.assertEqual(read(again), read(self.corpus))

    def test_it_is_unpacked_as_it_was(self):
        for ending in (".tar.gz", ".tar.xz"):
            self.archive("pack", self.inputs, self.path("other" + ending))
            self.archive("unpack", self.path("other" + ending), self.path(ending))
            self.assertEqual({name: read(os.path.join(self.path(ending), name)) for name in INPUTS}, INPUTS)

    def test_an_archive_of_the_same_files_is_left_as_it_is(self):
        other = gzip.compress(gzip.decompress(read(self.corpus)), 1, mtime=7)
        write(self.corpus, other)
        self.archive("pack", self.inputs, self.corpus)
        self.assertEqual(read(self.corpus), other)
        write(os.path.join(self.inputs, "b.npy"), b"more")
        self.archive("pack", self.inputs, self.corpus)
        self.assertNotEqual(read(self.corpus), other)

    def test_patterns_leave_files_out(self):
        self.archive("pack", self.inputs, self.corpus, "--without", "*.npy", "--without", "n*")
        self.assertEqual(run(TARGET, self.corpus).stdout, "1 inputs\n")

    def test_nothing_to_pack(self):
        os.mkdir(self.path("empty"))
        for folder in ("empty", "absent"):
            self.assertNotEqual(run(sys.executable, ARCHIVE, "pack", self.path(folder), self.corpus).returncode, 0)


if __name__ == "__main__":
    unittest.main()
