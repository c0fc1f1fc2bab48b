#!/usr/bin/env python3
"""What a browser makes of an interactive page, against what the layers computed.

    InteractiveTest.py SOFTSCOPE

Takes Debian's chromium, chromium-driver and python3-selenium; without them the tests are skipped.
"""
import os
import sys
import unittest
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "recordings"))
from program import ProgramTest, softscope  # noqa: E402

try:
    from browser import CHROMIUM, DRIVER, Browser
    MISSING = [name for name, path in (("chromium", CHROMIUM), ("chromium-driver", DRIVER)) if not path]
except ImportError:
    MISSING = ["python3-selenium"]

CHECKPOINTS = os.path.join(ROOT, "resources", "checkpoints")
CAT = os.path.join(ROOT, "resources", "pictures", "chelsea.png")
# The largest difference of an entry, as a fraction of the largest in its row: the distance of two float16.
HALF = 1 / 1024


def checkpoint(name):
    return os.path.join(CHECKPOINTS, f"{name}_everyday10.safetensors")


def difference(found, expected):
    """The largest difference of an entry, as a fraction of the largest magnitude in its row."""
    largest = np.abs(expected).max(-1, keepdims=True)
    return (np.abs(found - expected) / np.where(largest > 0, largest, 1)).max()


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
class InteractiveTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def page(self, *arguments, name="page.html"):
        self.succeed("figure", "page", *arguments, "-o", self.path(name))
        self.browser.open(self.path(name))
        return self.path(name)

    def assert_quiet(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [])

    def dump(self, *arguments):
        folder = self.path("dump")
        self.succeed("dump", *arguments, "-o", folder)
        return lambda layer, ending="": np.load(
            os.path.join(folder, layer.replace(".", "_").replace("/", "_") + ending + ".npy"))

    def assert_computes(self, source, picture=(), options=(), ending=""):
        """Compares every row and column of every layer with those of dump; returns the kinds of maps."""
        path = self.page("-m", *source, *picture, "--layer", "all", *options)
        matrix = self.dump("-m", *source, *picture, *options)
        kinds = set()
        for layer in self.browser.layers():
            with self.subTest(layer=layer["name"]):
                expected = matrix(layer["name"], ending)
                rows = self.browser.matrices(layer["name"])
                columns = self.browser.matrices(layer["name"], "column")
                error = difference(rows, expected)
                self.assertLessEqual(error, HALF)
                self.assertLessEqual(difference(columns, expected), HALF)
                # The error that the page states is the one measured here.
                self.assertAlmostEqual(error, layer["error"], delta=HALF / 8)
                kinds.add(layer["kind"])
                print(f"{os.path.basename(source[0])} {layer['name']}: {layer['kind']}, rows {error:.1e}, "
                      f"columns {difference(columns, expected):.1e}")
        self.assertGreater(len(self.browser.layers()), 0)
        self.assert_quiet()
        print(f"{os.path.basename(source[0])}: {os.path.getsize(path) / 1e6:.2f} MB")
        return kinds

    def test_bundled_networks(self):
        for name, kinds in (("softmax", {"kernel"}), ("soft", {"factored"}), ("soft_norm_pooled", {"factored"}),
                            ("sima", {"factored"}), ("nystromformer", {"factored"}), ("performer", {"factored"}),
                            ("sima_xcit", {"factored", "dense"})):
            with self.subTest(name):
                found = self.assert_computes([checkpoint(name)], [CAT], ["--size", "128"])
                self.assertTrue(kinds <= found | {"dense"}, found)

    def test_other_maps_of_a_layer(self):
        for shown, kind in (("kernel", "kernel"), ("convolution", "stencil"), ("effective", "sum")):
            with self.subTest(shown):
                found = self.assert_computes([checkpoint("soft")], [CAT], ["--map", shown, "--size", "128"], f".{shown}")
                self.assertIn(kind, found)

    def test_windows_of_a_network(self):
        with zipfile.ZipFile(os.path.join(ROOT, "tests", "data", "golden", "windows.zip")) as archive:
            archive.extractall(self.folder)
        folder = self.path("hf_swin")
        found = self.assert_computes([os.path.join(folder, "model.safetensors")], [os.path.join(folder, "input.npy")])
        self.assertLessEqual(found, {"blocks", "dense"})

    def test_recorded_kinds(self):
        random = np.random.default_rng(3)
        heads, height, width, channels, rank = 2, 8, 10, 6, 3
        tokens = height * width
        normal = random.normal
        layers = {
            "gaussian": {"q": normal(size=(heads, tokens, channels)), "k": normal(size=(heads, tokens, channels)),
                         "kernel": np.array("gaussian"), "grid": np.array([height, width])},
            "softmax": {"q": 4 * normal(size=(heads, tokens + 3, channels)),
                        "k": 4 * normal(size=(heads, tokens + 3, channels)), "prefix": np.array(3),
                        "prefix_names": np.array(["class token", "register 1", "register 2"]),
                        "grid": np.array([height, width])},
            "factored": {"left": normal(size=(heads, tokens, rank)), "middle": normal(size=(heads, rank, rank)),
                         "right": normal(size=(heads, 20, rank)), "grid": np.array([height, width, 4, 5])},
            "signed": {"attn": normal(size=(heads, tokens, tokens)), "grid": np.array([height, width])},
            "class": {"attn": np.abs(normal(size=(heads, 1, tokens + 1))), "grid": np.array([0, 0, height, width])},
            "channels": {"attn": normal(size=(heads, channels, channels)), "grid": np.array([0, 0])},
            "windows": {"blocks": np.abs(normal(size=(heads, 4, 24, 24))),
                        "rows": self.windows(height, width), "grid": np.array([height, width])},
        }
        arrays = {"picture": random.integers(0, 256, (80, 100, 3), dtype=np.uint8)}
        for layer, parts in layers.items():
            for part, values in parts.items():
                arrays[f"{layer}/{part}"] = values.astype(np.float32) if values.dtype == np.float64 else values
        recording = self.path("rec.npz")
        np.savez(recording, **arrays)
        self.assertEqual(self.assert_computes([recording]), {"kernel", "factored", "dense", "blocks"})

    @staticmethod
    def windows(height, width):
        """The tokens of windows of 4 x 6 on a grid that they reach beyond: -1 is padding."""
        blocks = []
        for top in range(0, height, 4):
            for left in range(0, width, 6):
                blocks.append([row * width + column if column < width else -1
                               for row in range(top, top + 4) for column in range(left, left + 6)])
        return np.array(blocks)

    def test_several_models(self):
        self.page("-m", checkpoint("soft"), "-m", checkpoint("softmax"), "--name", "ours", CAT, "--layer", "block3.*",
                  "--size", "128")
        self.assertEqual(self.browser.run("return softscope.models()"), ["ours", "softmax_everyday10"])
        for model, name in enumerate(("soft", "softmax")):
            matrix = self.dump("-m", checkpoint(name), CAT, "--size", "128")
            for layer in self.browser.layers(model):
                self.assertLessEqual(
                    difference(self.browser.matrices(layer["name"], model=model), matrix(layer["name"])), HALF)
        self.assert_quiet()

    def test_a_reader_clicks_steps_and_chooses(self):
        self.page("-m", checkpoint("soft_norm_pooled"), CAT, "--layer", "block2.*", "--layer", "block3.*", "--size", "128",
                  "--at", "0.05,0.05")
        question = lambda: self.browser.run("return document.getElementById('question').textContent")  # noqa: E731
        press = lambda key: self.browser.run(  # noqa: E731
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))", key)
        # A click on a patch of a panel asks it.
        self.browser.run("""
            const image = document.querySelector("#large-panel .image");
            const box = image.getBoundingClientRect();
            const at = {clientX: box.left + 0.5 / 16 * box.width, clientY: box.top + 2.5 / 16 * box.height};
            image.dispatchEvent(new MouseEvent("click", {...at, bubbles: true}));""")
        self.assertEqual(question(), "What patch (2, 0) attends to")
        press("ArrowRight")
        press("ArrowDown")
        self.assertEqual(question(), "What patch (3, 1) attends to")
        press("r")
        self.assertEqual(question(), "Who attends to patch (3, 1)")
        self.browser.run("""
            const image = document.querySelector("#large-panel .image");
            const box = image.getBoundingClientRect();
            const at = {clientX: box.left + 1.5 / 16 * box.width, clientY: box.top + 4.5 / 16 * box.height};
            image.dispatchEvent(new PointerEvent("pointermove", {...at, bubbles: true}));""")
        shown = self.browser.run("return document.getElementById('readout').textContent")
        layer = self.browser.layers()[0]["name"]
        value = self.browser.run("return valueText(softscope.column(arguments[0], 0, 3 * 16 + 1)[4 * 16 + 1], 4)", layer)
        self.assertTrue(shown.startswith(f"patch (4, 1){value}"), shown)
        press("]")
        self.assertIn(self.browser.layers()[1]["name"],
                      self.browser.run("return document.getElementById('layer').selectedOptions[0].textContent"))
        self.assert_quiet()

    def test_notes_say_what_the_window_says(self):
        """As the tests of core/query/Proportion."""
        self.page("-m", checkpoint("soft"), CAT, "--size", "64")
        for weights, text in (([0.1, 0.1, 0.4, 0.4], "largest 1.6 × uniform"),
                              ([1, 1, 4, 4], "largest 1.6 × the mean"),
                              ([-3, 1, 1, 1], "largest 2.0 × the mean"),
                              ([1] + 29999 * [0], "largest 3.0e+04 × uniform"),
                              ([0.99, 1, 1, 1.01], "nearly uniform, within 1 %"),
                              ([0.998, 1.002], "nearly uniform, within 0.2 %"),
                              ([0.25] * 3, "uniform"), ([0, 0], "")):
            with self.subTest(text):
                self.assertEqual(
                    self.browser.run("return proportionText(new Float32Array(arguments[0]))", weights), text)

    def test_single_tokens_keep_their_number(self):
        """Behind the patches, and where there are no patches."""
        random = np.random.default_rng(8)
        np.savez(self.path("tokens.npz"), **{
            "behind/attn": random.random((2, 18, 18)), "behind/grid": np.array([4, 4]), "behind/suffix": np.array(2),
            "pooled/attn": random.random((2, 2, 18)), "pooled/grid": np.array([0, 0, 4, 4]),
            "pooled/prefix": np.array(2), "picture": np.zeros((32, 32, 3), np.uint8)})
        self.page("-m", self.path("tokens.npz"), "--layer", "behind", "--layer", "pooled", "--query", "token1")
        asked = lambda: self.browser.run(  # noqa: E731
            "return askedToken(shownLayer(), shownModel().seen, state.query).token")
        name = lambda: self.browser.run(  # noqa: E731
            "return document.getElementById('token').selectedOptions[0].textContent")
        self.assertEqual(asked(), 17)
        first = name()
        self.browser.run("choose({layer: 1})")
        self.assertEqual(asked(), 1)
        self.assertEqual(name(), "distillation token")
        self.browser.run("choose({query: {direction: 'columns'}})")
        self.assertEqual(asked(), 1)
        self.browser.run("choose({layer: 0, query: {direction: 'rows'}})")
        self.assertEqual((asked(), name()), (17, first))
        # A checkbox that has the focus leaves the keys to the page.
        self.browser.run("""
            document.getElementById("smooth").dispatchEvent(
                new KeyboardEvent("keydown", {key: "c", bubbles: true}));""")
        self.assertEqual(name(), "a patch")
        self.assert_quiet()

    def test_rows_of_unlike_sizes_are_as_precise(self):
        attention = np.random.default_rng(9).random((2, 16, 16)).astype(np.float32)
        attention[1] *= 1e-10
        np.savez(self.path("small.npz"), **{"layer/attn": attention, "layer/grid": np.array([4, 4]),
                                            "picture": np.zeros((32, 32, 3), np.uint8)})
        self.assertEqual(self.assert_computes([self.path("small.npz")]), {"dense"})

    def test_names_are_text(self):
        hostile = '</script><script>alert(1)</script><img src=x onerror=alert(2)>{{data}}&amp;"\''
        recording = self.path("rec.npz")
        attention = np.full((1, 16, 16), 1 / 16, np.float32)
        np.savez(recording, **{hostile.replace("/", "|") + "/attn": attention,
                               "picture": np.zeros((32, 32, 3), np.uint8)})
        self.page("-m", recording, "--name", hostile)
        self.assertEqual(self.browser.run("return softscope.models()"), [hostile])
        self.assertEqual(self.browser.run("return document.querySelectorAll('script').length"), 2)
        self.assertEqual(self.browser.run("return document.images.length"), 0)
        self.assertIn(hostile, self.browser.run("return document.getElementById('about').textContent"))
        self.assert_quiet()

    def test_the_policy_holds(self):
        """What a page must not do is refused: the test above would see nothing if the policy were not read."""
        self.page("-m", checkpoint("soft"), CAT, "--size", "64")
        self.browser.run("""
            const script = document.createElement("script");
            script.textContent = "window.injected = true";
            document.body.append(script);
            const image = new Image();
            image.src = "http://127.0.0.1:9/x.png";""")
        self.assertIsNone(self.browser.run("return window.injected ?? null"))
        self.assertTrue(any("Content Security Policy" in one for one in self.browser.complaints()))

    def test_no_text_is_cut_off_on_a_phone(self):
        browser = Browser(width=390, height=844)
        self.addCleanup(browser.close)
        self.succeed("figure", "page", "-m", checkpoint("sima_xcit"), CAT, "--layer", "all", "--size", "128", "-o",
                     self.path("phone.html"))
        browser.open(self.path("phone.html"))
        self.assertLessEqual(browser.run("return document.documentElement.scrollWidth"), 390)

    def test_what_does_not_fit_is_refused(self):
        recording = self.path("rec.npz")
        factors = np.random.default_rng(5).normal(size=(2, 1, 20000, 128)).astype(np.float32)
        np.savez(recording, **{"long/left": factors[0], "long/right": factors[1], "long/grid": np.array([100, 200]),
                               "picture": np.zeros((100, 200, 3), np.uint8)})
        outcome = softscope("figure", "page", "-m", recording, "-o", self.path("large.html"))
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("fewer layers (--layer)", outcome.stderr)
        self.assertFalse(os.path.exists(self.path("large.html")))

    def test_values_that_are_not_finite_have_no_scale(self):
        """As the tests of widgets/query/ValueRange, and in the words of core/query/Caveats and of colour bars."""
        self.page("-m", checkpoint("soft"), CAT, "--size", "64")
        heads = """
            const answer = values => ({head: 0, onPicture: false, grid: [1, values.length], outside: null, others: [],
                                       side: {unit: "token", named: []}, values: Float64Array.from(values)});
            const heads = [answer([NaN, NaN]), answer([0.2, 0.4])];"""
        ends = lambda range_: self.browser.run(  # noqa: E731
            heads + "return rangesOf(heads, {absolute: false, range: arguments[0]})"
                    ".map(({low, high, isEmpty}) => [low, high, isEmpty]);", range_)
        for chosen in ("head", "percentile"):
            self.assertEqual(ends(chosen), [[0, 0, True], [0.2, 0.4, False]])
        self.assertEqual(ends("shared"), [[0.2, 0.4, False]] * 2)
        texts = self.browser.run(heads + """
            const ranges = rangesOf(heads, {absolute: false, range: "head"});
            return heads.map((head, i) => {
              const panel = new Panel();
              panel.show(head, ranges[i], shownLayer());
              return [panel.note.title, panel.low.textContent, panel.high.textContent, panel.gradient.hidden];
            });""")
        self.assertEqual(texts, [["2 of 2 values not finite · 2 values", "no finite value", "", True],
                                 ["2 values", "0.200", "0.400", False]])
        self.assertEqual(self.browser.run(heads + """
            heads[1].others.push({name: "class token", value: Infinity});
            return heads.map(notFiniteText);"""), ["2 of 2 values not finite", "1 of 3 values not finite"])
        self.assert_quiet()


if __name__ == "__main__":
    unittest.main()
