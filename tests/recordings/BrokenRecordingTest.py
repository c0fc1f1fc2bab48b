#!/usr/bin/env python3
"""Broken recordings: each is refused in one line that names the entry, with exit code 1.

    BrokenRecordingTest.py SOFTSCOPE
"""
import json
import struct
import unittest

import numpy as np
from program import ProgramTest, softscope

HEADS, TOKENS, CHANNELS = 2, 9, 4
RANDOM = np.random.default_rng(5)
ATTENTION = RANDOM.random((HEADS, TOKENS, TOKENS))
FACTOR = RANDOM.random((HEADS, TOKENS, CHANNELS))
SQUARE = RANDOM.random((HEADS, CHANNELS, CHANNELS))
PICTURE = np.zeros((8, 8, 3), dtype=np.uint8)


def changed(values, place, value):
    copy = np.array(values)
    copy[place] = value
    return copy


def text(words):
    return np.array(words)


DENSE = {"a/attn": ATTENTION}
BLOCKS = RANDOM.random((HEADS, 3, 3, 3))
WINDOWS = np.arange(TOKENS).reshape(3, 3)
WINDOWED = {"a/blocks": BLOCKS, "a/rows": WINDOWS}
PRODUCT = {"a/left": FACTOR, "a/right": FACTOR}
TOKEN_PAIR = {"a/q": FACTOR, "a/k": FACTOR}

# What is in the file, and what the line must say.
BROKEN = {
    "no layer": ({"picture": PICTURE}, "holds no layer"),
    "a name of nothing": ({**DENSE, "a/attention": ATTENTION}, "a/attention"),
    "a name of nothing in the whole": ({**DENSE, "logit": np.zeros(3)}, "logit"),
    "no attention": ({"a/grid": np.array([3, 3])}, "a/attn"),
    "no heads": ({"a/attn": ATTENTION[0]}, "[heads, queries, keys]"),
    "a batch": ({"a/attn": np.stack([ATTENTION, ATTENTION])}, "a/attn"),
    "nothing in it": ({"a/attn": ATTENTION[:, :0]}, "a/attn"),
    "integers": ({"a/attn": ATTENTION.astype(np.int64)}, "float32"),
    "NaN": ({"a/attn": changed(ATTENTION, (1, 2, 3), np.nan)}, "NaN, first at [1, 2, 3]"),
    "infinity": ({"a/attn": changed(ATTENTION, (0, 0, 1), np.inf)}, "infinity"),
    "too large for float32": ({"a/attn": changed(ATTENTION, (0, 0, 1), 1e200)}, "too large for float32"),
    "Python objects": ({"a/attn": np.array([[1, None]], dtype=object)}, "Python objects"),
    "a text for numbers": ({"a/attn": text("softmax")}, "a/attn"),
    "left without right": ({"a/left": FACTOR}, "a/right"),
    "right without left": ({"a/right": FACTOR}, "a/left"),
    "middle alone": ({"a/middle": SQUARE}, "a/left"),
    "factors of two ranks": ({"a/left": FACTOR, "a/right": FACTOR[..., :2]}, "a/right"),
    "a middle that does not fit": ({**PRODUCT, "a/middle": SQUARE[:, :2]}, "a/middle"),
    "q without k": ({"a/q": FACTOR}, "a/k"),
    "other heads": ({"a/q": FACTOR, "a/k": FACTOR[:1]}, "heads"),
    "NaN in k": ({"a/q": FACTOR, "a/k": changed(FACTOR, (1, 0, 0), np.nan)}, "a/k"),
    "an unknown kernel": ({**TOKEN_PAIR, "a/kernel": text("cosine")}, "softmax, gaussian or linear"),
    "a kernel in numbers": ({**TOKEN_PAIR, "a/kernel": np.array(1.5)}, "a/kernel"),
    "two scales": ({**TOKEN_PAIR, "a/scale": np.array([1.0, 2.0])}, "a/scale"),
    "a scale of zero": ({**TOKEN_PAIR, "a/kernel": text("gaussian"), "a/scale": np.array(0.0)}, "a/scale"),
    "attention twice": ({**DENSE, **TOKEN_PAIR}, "a/attn"),
    "windows and attention": ({**DENSE, **WINDOWED}, "a/blocks"),
    "windows without tokens": ({"a/blocks": BLOCKS}, "a/rows"),
    "tokens of windows alone": ({"a/rows": WINDOWS}, "a/blocks"),
    "keys of windows alone": ({**DENSE, "a/cols": WINDOWS}, "a/rows"),
    "a token in two windows": ({**WINDOWED, "a/rows": changed(WINDOWS, (2, 2), 0)}, "query 0 stands in two"),
    "a key twice in a window": ({**WINDOWED, "a/cols": changed(WINDOWS, (2, 2), 6)}, "key 6 stands twice"),
    "a negative token": ({**WINDOWED, "a/rows": changed(WINDOWS, (2, 2), -2)}, "a/rows"),
    "half a token": ({**WINDOWED, "a/rows": WINDOWS + 0.5}, "a/rows"),
    "windows of padding alone": ({**WINDOWED, "a/rows": np.full((3, 3), -1)}, "only padding"),
    "more windows than tokens": ({**WINDOWED, "a/rows": WINDOWS[:2]}, "a/blocks"),
    "windows of unlike numbers": ({**WINDOWED, "a/cols": WINDOWS[:2]}, "a/cols"),
    "windows in a line": ({**WINDOWED, "a/rows": WINDOWS.ravel()}, "a/rows"),
    "blocks in three dimensions": ({**WINDOWED, "a/blocks": BLOCKS[0]}, "a/blocks"),
    "attention beyond its windows": ({**DENSE, "a/rows": WINDOWS}, "not zero outside"),
    "windows of tokens that are none": ({**DENSE, "a/rows": WINDOWS + 1}, "does not have"),
    "a grid that does not fit": ({**DENSE, "a/grid": np.array([3, 4])}, "a/grid"),
    "a grid of three": ({**DENSE, "a/grid": np.array([3, 3, 3])}, "a/grid"),
    "a grid of no height": ({**DENSE, "a/grid": np.array([0, 9])}, "a/grid"),
    "half a patch": ({**DENSE, "a/grid": np.array([4.5, 2])}, "a/grid"),
    "a prefix that leaves no square": ({**DENSE, "a/prefix": np.array(2)}, "a/grid"),
    "a prefix of more than all": ({**DENSE, "a/prefix": np.array(10)}, "a/prefix"),
    "nothing before the last tokens": ({**DENSE, "a/suffix": np.array(9)}, "leaves no patches before it"),
    "one query of keys that are all last": ({"a/attn": DENSE["a/attn"][:, :1], "a/suffix": np.array(9)},
                                            "leaves no patches before it"),
    "v in two dimensions": ({**DENSE, "a/v": FACTOR[0]}, "a/v"),
    "places outside the picture": ({**DENSE, "a/xy": np.full((TOKENS, 2), 12.0)}, "a/xy"),
    "places and a grid": ({**DENSE, "a/xy": RANDOM.random((TOKENS, 2)), "a/grid": np.array([3, 3])}, "a/xy"),
    "places of too few tokens": ({**DENSE, "a/xy": RANDOM.random((4, 2))}, "a/xy"),
    "a bottleneck of no mechanism": ({**PRODUCT, "a/A": SQUARE, "a/A_inv": SQUARE}, "a/mechanism"),
    "words beside attention of two lines": ({**PRODUCT, "a/beside": text("a\nb")}, "a/beside"),
    "a bottleneck alone": ({**PRODUCT, "a/A": SQUARE, "a/mechanism": text("soft")}, "a/A_inv"),
    "a picture in floats": ({**DENSE, "picture": PICTURE / 2.0}, "picture"),
    "a grey picture": ({**DENSE, "picture": PICTURE[..., 0]}, "picture"),
    "an input without its mean": ({**DENSE, "input": np.zeros((3, 8, 8), dtype=np.float32)}, "mean"),
    "an input of one channel": ({**DENSE, "input": np.zeros((1, 8, 8), dtype=np.float32), "mean": np.zeros(3),
                                 "std": np.ones(3)}, "input"),
    "a region outside": ({**DENSE, "picture": PICTURE, "region": np.array([0.0, 0, 20, 8])}, "region"),
    "logits in rows of two": ({**DENSE, "logits": np.zeros((2, 3))}, "logits"),
    "names of no logits": ({**DENSE, "classes": text(["cat"])}, "logits"),
    "too few names": ({**DENSE, "logits": np.zeros(3), "classes": text(["cat", "dog"])}, "classes"),
    "layers that are not there": ({**DENSE, "layers": text(["b"])}, "layers"),
}


class BrokenRecordingTest(ProgramTest):
    def refuse(self, file, expected):
        outcome = softscope("inspect", file)
        self.assertEqual(outcome.returncode, 1, outcome.stdout + outcome.stderr)
        self.assertEqual(outcome.stderr.count("\n"), 1, outcome.stderr)
        self.assertLessEqual(len(outcome.stderr), 500)
        self.assertIn(file, outcome.stderr)
        self.assertIn(expected, outcome.stderr)

    def test_each_is_refused_in_one_line(self):
        self.assertGreaterEqual(len(BROKEN), 30)
        for number, (name, (arrays, expected)) in enumerate(BROKEN.items()):
            with self.subTest(name):
                file = self.path(f"{number}.npz")
                np.savez(file, **arrays)
                self.refuse(file, expected)

    def test_a_cut_file(self):
        whole = self.path("whole.npz")
        np.savez(whole, **DENSE)
        with open(whole, "rb") as file:
            content = file.read()
        with open(self.path("cut.npz"), "wb") as file:
            file.write(content[:len(content) // 2])
        self.refuse(self.path("cut.npz"), "truncated")

    def test_a_safetensors_file_of_which_a_factor_is_missing(self):
        data = FACTOR.astype(np.float32).tobytes()
        header = json.dumps({"a/left": {"dtype": "F32", "shape": list(FACTOR.shape),
                                        "data_offsets": [0, len(data)]}}).encode()
        with open(self.path("factor.safetensors"), "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header + data)
        self.refuse(self.path("factor.safetensors"), "a/right")

    def test_what_needs_weights_says_why(self):
        recording = self.path("rec.npz")
        np.savez(recording, **PRODUCT, picture=PICTURE)
        figure = ("-o", self.path("figure.png"))
        # The program of the Python package runs no networks at all, and says that first.
        lacks_torch = "needs LibTorch" in softscope("evaluate").stderr
        for words in (("figure", "share", "-m", recording, *figure),
                      ("figure", "heads", "-m", recording, "--attention", "softmax", *figure),
                      ("figure", "heads", "-m", recording, "--heads", "2", *figure),
                      ("figure", "heads", "-m", recording, "--landmarks", "random", *figure),
                      ("evaluate", "-m", recording, self.folder),
                      ("record", "-m", recording, recording, "-o", self.path("again.npz")),
                      ("convert", recording, "-o", self.path("weights.safetensors"))):
            with self.subTest(" ".join(words[:2])):
                outcome = softscope(*words)
                self.assertEqual(outcome.returncode, 1, outcome.stderr)
                runs = lacks_torch and words[0] in ("evaluate", "record", "convert")
                self.assertIn("needs LibTorch" if runs else "no weights", outcome.stderr)
                self.assertEqual(outcome.stderr.count("\n"), 1, outcome.stderr)
        outcome = softscope("figure", "heads", "-m", recording, "--size", "64", *figure)
        self.assertEqual(outcome.returncode, 2, outcome.stderr)
        self.assertIn("--size", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
