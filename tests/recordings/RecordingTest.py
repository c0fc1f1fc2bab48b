#!/usr/bin/env python3
"""Recordings that NumPy writes, against what NumPy makes of the same arrays: dense, factored, and queries and keys.

    RecordingTest.py SOFTSCOPE
"""
import unittest

import numpy as np
from program import ProgramTest

HEADS, HEIGHT, WIDTH, CHANNELS, RANK = 2, 4, 5, 6, 3
TOKENS = HEIGHT * WIDTH
GRID = np.array([HEIGHT, WIDTH])
PICTURE = np.random.default_rng(7).integers(0, 256, (40, 50, 3), dtype=np.uint8)


def softmax(values):
    exponentials = np.exp(values - values.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def line_score(matrix):
    """The share of the entries' variance that the means of columns explain."""
    means = matrix.mean(0)
    return len(matrix) * ((means - means.mean()) ** 2).sum() / ((matrix - matrix.mean()) ** 2).sum()


def kinds():
    """{layer: (its entries, the matrices that they mean)}, in float64."""
    random = np.random.default_rng(1)
    q, k = random.normal(size=(2, HEADS, TOKENS, CHANNELS))
    left, right = random.normal(size=(2, HEADS, TOKENS, RANK))
    middle = random.normal(size=(HEADS, RANK, RANK))
    dense = random.normal(size=(HEADS, TOKENS, TOKENS))
    product = q @ k.transpose(0, 2, 1)
    distance = ((q[:, :, None] - k[:, None]) ** 2).sum(-1)
    scale = CHANNELS ** -0.5
    return {
        "dense": ({"attn": dense[None]}, dense),
        "net/factored": ({"left": left, "right": right}, left @ right.transpose(0, 2, 1)),
        "middle": ({"left": left, "middle": middle, "right": right}, left @ middle @ right.transpose(0, 2, 1)),
        # Alike factors about a middle that is not symmetric: eigenvalues are not those of its symmetric part.
        "twisted": ({"left": left, "middle": middle, "right": left}, left @ middle @ left.transpose(0, 2, 1)),
        "blocks.0.softmax": ({"q": q, "k": k}, softmax(scale * product)),
        "blocks.1.gaussian": ({"q": q, "k": k, "kernel": np.array("gaussian")}, np.exp(-scale * distance / 2)),
        "blocks.2.linear": ({"q": q, "k": k, "kernel": np.array("linear"), "scale": np.array(0.3)}, 0.3 * product),
    }


def entries(layers, grid=GRID, kind=np.float64):
    arrays = {"picture": PICTURE, "logits": np.array([0.5, 2, 1], dtype=np.float32),
              "classes": np.array(["cat", "dög", "emu"])}
    for layer, (parts, _) in layers.items():
        for part, values in parts.items():
            arrays[f"{layer}/{part}"] = values if values.dtype.kind == "U" else values.astype(kind)
        if grid is not None:
            arrays[f"{layer}/grid"] = grid
    return arrays


class RecordingTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.layers = kinds()
        self.recording = self.path("rec.npz")
        np.savez(self.recording, **entries(self.layers))

    def test_every_row_is_numpys(self):
        for layer, (_, expected) in self.layers.items():
            with self.subTest(layer):
                self.assert_close(self.dumped(self.recording, layer), expected, 2e-6)

    def test_half_precision_is_read(self):
        half = self.path("half.npz")
        np.savez_compressed(half, **entries(self.layers, kind=np.float16))
        for layer, (_, expected) in self.layers.items():
            with self.subTest(layer):
                self.assert_close(self.dumped(half, layer), expected, 2e-2)

    def test_fortran_order_is_read(self):
        arrays = {name: np.asfortranarray(values) for name, values in entries(self.layers).items()}
        np.savez(self.path("fortran.npz"), **arrays)
        self.assert_close(self.dumped(self.path("fortran.npz"), "middle"), self.layers["middle"][1], 2e-6)

    def test_rows_and_columns_of_figures(self):
        row, column = 2, 3
        for layer, (_, expected) in self.layers.items():
            for direction in ("rows", "columns"):
                with self.subTest(layer, direction=direction):
                    arrays = self.arrays("heads", "-m", self.recording, "--layer", layer, "--query", f"{row},{column}",
                                         "--head", "1", "--direction", direction)
                    token = row * WIDTH + column
                    values = expected[1, token] if direction == "rows" else expected[1, :, token]
                    self.assertEqual(len(arrays), 1)
                    self.assert_close(next(iter(arrays.values())), values.reshape(HEIGHT, WIDTH), 2e-6)

    def test_spectra(self):
        for layer, (_, expected) in self.layers.items():
            with self.subTest(layer):
                rows = self.table("spectrum", "-m", self.recording, "--layer", layer)
                for head in range(HEADS):
                    found = [row for row in rows if row["head"] == str(head)]
                    singular = np.array([float(row["singular_value"]) for row in found if row["singular_value"]])
                    moduli = np.array([float(row["eigenvalue_abs"]) for row in found if row["eigenvalue_abs"]])
                    all_singular = np.linalg.svd(expected[head], compute_uv=False)
                    all_moduli = np.sort(np.abs(np.linalg.eigvals(expected[head])))[::-1]
                    self.assert_close(singular, all_singular[:len(singular)])
                    self.assert_close(moduli, all_moduli[:len(moduli)])
                    self.assertGreaterEqual(len(singular), RANK)

    def test_line_scores(self):
        for layer, (_, expected) in self.layers.items():
            with self.subTest(layer):
                arrays = self.arrays("matrix", "-m", self.recording, "--layer", layer)
                scores = next(values for name, values in arrays.items() if name.endswith(".line_score"))
                self.assert_close(scores, [line_score(matrix) for matrix in expected])

    def test_norms_of_queries_and_keys(self):
        arrays = self.arrays("saliency", "-m", self.recording, "--layer", "blocks.0.softmax")
        parts = self.layers["blocks.0.softmax"][0]
        for tokens, letter in (("query", "q"), ("key", "k")):
            found = [values for name, values in arrays.items() if tokens in name and "head" not in name]
            expected = np.abs(parts[letter]).sum((0, 2)).reshape(HEIGHT, WIDTH)
            self.assertTrue(any(values.shape == expected.shape and np.allclose(values, expected, rtol=1e-5)
                                for values in found), list(arrays))

    def test_it_is_described(self):
        text = self.succeed("inspect", self.recording)
        self.assertIn("recording", text)
        self.assertIn("blocks.1.gaussian  gaussian, 2 heads", text)
        self.assertIn("input       40 x 50", text)
        self.assertIn("classes     3", text)

    def test_where_tokens_lie_is_guessed_and_said(self):
        random = np.random.default_rng(2)
        np.savez(self.path("square.npz"), **{"a/attn": random.random((1, 19, 19))})
        said = self.succeed("inspect", self.path("square.npz"))
        self.assertIn("19 keys are taken for 4 x 4 patches after 3 others", said)
        self.assertNotIn("guessed", self.succeed("inspect", self.recording))

    def test_queries_and_keys_on_grids_of_their_own(self):
        values = np.random.default_rng(3).random((1, 1 + 12, 1 + 6))
        np.savez(self.path("two.npz"), **{"a/attn": values, "a/grid": np.array([3, 4, 3, 2]), "a/prefix": np.array(1)})
        arrays = self.arrays("heads", "-m", self.path("two.npz"), "--query", "2,1", "--head", "0")
        by_name = {name.endswith(".prefix"): array for name, array in arrays.items()}
        self.assert_close(by_name[False], values[0, 1 + 9, 1:].reshape(3, 2), 1e-6)
        self.assert_close(by_name[True], values[0, 1 + 9, :1], 1e-6)

    def test_tokens_with_places_of_their_own(self):
        random = np.random.default_rng(4)
        tokens = 30
        values, places = random.random((2, 1 + tokens, 1 + tokens)), random.random((tokens, 2))
        np.savez(self.path("places.npz"), **{"a/attn": values, "a/xy": places, "a/prefix": np.array(1),
                                             "picture": PICTURE})
        arrays = self.arrays("heads", "-m", self.path("places.npz"), "--at", "0.3,0.8", "--head", "1")
        patches = next(array for name, array in arrays.items() if not name.endswith(".prefix"))
        height, width = patches.shape
        scaled = places * [PICTURE.shape[1] / PICTURE.shape[0], 1]

        def nearest(x, y):
            return ((scaled - [x * PICTURE.shape[1] / PICTURE.shape[0], y]) ** 2).sum(1).argmin()

        # The cell that is asked, and each cell that answers, stand for their nearest token.
        asked = 1 + nearest((int(0.3 * width) + 0.5) / width, (int(0.8 * height) + 0.5) / height)
        expected = [[values[1, asked, 1 + nearest((column + 0.5) / width, (row + 0.5) / height)]
                     for column in range(width)] for row in range(height)]
        self.assertTrue(any(name.startswith(f"a.row_{asked - 1}.") for name in arrays), list(arrays))
        self.assert_close(patches, expected, 1e-6)
        self.assertGreater(len(np.unique(patches)), tokens // 2)
        rows = self.table("spectrum", "-m", self.path("places.npz"))
        self.assertEqual(len([row for row in rows if row["head"] == "0"]), 1 + tokens)
        self.succeed("figure", "heads", "-m", self.path("places.npz"), "-o", self.path("places.png"))

    def test_a_picture_is_drawn_on_or_a_plain_sheet(self):
        for name, arrays in (("picture", {}), ("none", {"picture": None})):
            file = self.path(f"{name}.npz")
            held = {**entries(self.layers), **arrays}
            np.savez(file, **{key: value for key, value in held.items() if value is not None})
            self.succeed("figure", "heads", "-m", file, "-o", self.path(f"{name}.png"))
        with open(self.path("picture.png"), "rb") as one, open(self.path("none.png"), "rb") as other:
            self.assertNotEqual(one.read(), other.read())

    def test_a_normalised_input_is_a_picture(self):
        mean, std = np.array([0.4, 0.5, 0.6]), np.array([0.2, 0.25, 0.3])
        arrays = entries(self.layers)
        pixels = arrays.pop("picture")
        arrays["input"] = (((pixels / 255 - mean) / std).transpose(2, 0, 1)).astype(np.float32)
        arrays.update(mean=mean, std=std)
        np.savez(self.path("input.npz"), **arrays)
        for name in ("rec", "input"):
            self.succeed("figure", "heads", "-m", self.path(f"{name}.npz"), "-o", self.path(f"{name}.png"),
                         "--no-titles")
        with open(self.path("rec.png"), "rb") as one, open(self.path("input.png"), "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_single_tokens_are_asked_by_name_and_number(self):
        random = np.random.default_rng(4)
        registers_first = softmax(random.normal(size=(1, 2 + TOKENS, 2 + TOKENS))).astype(np.float32)
        no_patches = softmax(random.normal(size=(1, 2, 2 + TOKENS))).astype(np.float32)
        np.savez(self.path("tokens.npz"), picture=PICTURE, **{
            "first/attn": registers_first, "first/grid": GRID, "first/prefix": np.array(2),
            "first/prefix_names": np.array(["register 1", "class token"]),
            "second/attn": no_patches, "second/grid": np.array([0, 0, HEIGHT, WIDTH]), "second/prefix": np.array(2)})
        for layer, option, value, row, name in (
                ("first", "--at", "0.1,0.1,class", 1, "class"), ("first", "--at", "0.1,0.1,token0", 0, "token0"),
                ("first", "--query", "class", 1, "class"), ("second", "--query", "token1", 1, "token1"),
                ("second", "--at", "0.1,0.1,class", 0, "class")):
            with self.subTest(f"{layer} {option} {value}"):
                arrays = self.arrays("heads", "-m", self.path("tokens.npz"), "--layer", layer, option, value,
                                     "--head", "0")
                expected = (registers_first if layer == "first" else no_patches)[0, row, 2:]
                self.assert_close(arrays[f"{layer}.row_{name}.head_0"], expected.reshape(HEIGHT, WIDTH), 2e-6)


if __name__ == "__main__":
    unittest.main()
