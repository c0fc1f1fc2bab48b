#!/usr/bin/env python3
"""Surveys against NumPy: every measure on ten pictures, resuming, sharding, merging.

    SurveyTest.py SOFTSCOPE RESOURCES
"""
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import measures
import numpy as np

RESOURCES = sys.argv.pop()
PROGRAM = sys.argv.pop()
SIZE = 64
RANDOM_ORDERS = 3
# (checkpoint, pictures it is compared on): landmarks, linear attention with class attention, softmax.
MODELS = [("soft_everyday10", 2), ("soft_norm_everyday10", 2), ("sima_xcit_everyday10", 3), ("softmax_everyday10", 3)]
# What float32 rounds away of numbers that may be small against what they are computed from: two passes' logits, products
# with an inverse whose norm is some hundreds, covariances.
ROUNDING = {"logit_change": 1e-6, "newton_residual": 1e-5, "correlation": 1e-5}
VALUES = ("picture", "model_value", "layer_value", "head_value")


def checkpoint(name):
    return os.path.join(RESOURCES, "checkpoints", name + ".safetensors")


def write_picture(path, seed):
    """Coloured clouds, as a BMP of 24 bits."""
    random = np.random.default_rng(seed)
    rows, columns = np.mgrid[:72, :88] / 72
    pixels = np.zeros((72, 88, 3))
    for _ in range(6):
        centre, color = random.random(2), random.random(3) * 255
        pixels += np.exp(-((rows - centre[0]) ** 2 + (columns - centre[1]) ** 2) * 20)[..., None] * color
    pixels = np.clip(pixels + random.normal(0, 8, pixels.shape), 0, 255).astype(np.uint8)
    body = pixels[::-1, :, ::-1].tobytes()
    sizes = [54 + len(body), 0, 54, 40, 88, 72]
    header = b"BM" + b"".join(number.to_bytes(4, "little") for number in sizes)
    header += (1).to_bytes(2, "little") + (24).to_bytes(2, "little") + bytes(24)
    with open(path, "wb") as file:
        file.write(header + body)


def values_of(path):
    """Every table of values as text, in the order of its keys: equal numbers are equal texts."""
    survey = sqlite3.connect(path)
    return {table: survey.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in VALUES}


class SurveyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.pictures = os.path.join(cls.folder.name, "pictures")
        for number in range(10):
            name = "cat" if number < 6 else "dog"
            os.makedirs(os.path.join(cls.pictures, name), exist_ok=True)
            write_picture(os.path.join(cls.pictures, name, f"{number}.bmp"), number)

    def path(self, name):
        return os.path.join(self.folder.name, self.id().split(".")[-1] + name)

    def run_program(self, *arguments, code=0, variables=()):
        environment = {**os.environ, **dict(variables)}
        outcome = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False,
                                 env=environment)
        self.assertEqual(outcome.returncode, code, outcome.stderr)
        return outcome.stdout if code == 0 else outcome.stderr

    def survey(self, output, *options, models=("soft_norm_everyday10",), **more):
        arguments = [item for name in models for item in ("-m", checkpoint(name))]
        return self.run_program("survey", *arguments, self.pictures, "-o", output, "--size", SIZE, *options, **more)

    def compare(self, found, expected, what):
        for name, value in expected.items():
            if value is None or not np.isfinite(value):
                self.assertIsNone(found[name], f"{what}: {name}")
                continue
            self.assertIsNotNone(found[name], f"{what}: {name}")
            rounding = next((size for ending, size in ROUNDING.items() if name.endswith(ending)), 0)
            self.assertLessEqual(abs(found[name] - value), 1e-5 * max(abs(value), 1e-6) + rounding,
                                 f"{what}: {name} is {found[name]}, expected {value}")

    def look(self, model, picture):
        """(layers, shares by layer and head, token norms, logits, classes) of one picture by other commands."""
        # Files of another model's layer would be taken for this one's.
        shutil.rmtree(self.path("dump"), ignore_errors=True)
        common = ["-m", checkpoint(model), os.path.join(self.pictures, picture), "--size", SIZE, "--exif", "off"]
        self.run_program("dump", *common, "-o", self.path("dump"))
        self.run_program("record", *common, "-o", self.path("record.npz"))
        self.run_program("figure", "share", *common, "--layer", "all", "--data", self.path("share.csv"))
        self.run_program("figure", "tokens", *common, "--layer", "all", "--show", "norms", "--data",
                         self.path("norms.npz"))
        self.run_program("figure", "reach", *common, "--layer", "all", "--directions", 4, "--data",
                         self.path("reach.npz"))
        with np.load(self.path("record.npz"), allow_pickle=False) as file:
            layers = measures.layers_of(self.path("dump"), dict(file))
            classes = file["classes"].tolist()
        shares = {(row["layer"], int(row["head"])): row for row in measures.read_csv(self.path("share.csv"))}
        with np.load(self.path("norms.npz")) as file:
            norms = {key: file[key] for key in file}
        with np.load(self.path("reach.npz")) as file:
            norms.update({key: file[key] for key in file if key.endswith(".reach")})
        logits = np.load(os.path.join(self.path("dump"), "logits.npy")).astype(np.float64)
        return layers, shares, norms, logits, classes

    def test_every_measure_is_what_numpy_makes_of_ten_pictures(self):
        self.survey(self.path(".survey"), "--measure", "all", "--random", RANDOM_ORDERS,
                    models=[name for name, _ in MODELS])
        survey = sqlite3.connect(self.path(".survey"))
        survey.row_factory = sqlite3.Row
        compared, seen = 0, set()
        for model, count in MODELS:
            for picture, path in survey.execute("SELECT id, path FROM picture ORDER BY id").fetchall()[
                    compared:compared + count]:
                self.compare_picture(survey, model, picture, path, seen)
            compared += count
        self.assertEqual(compared, 10)
        self.assertEqual(seen, {name for name, in survey.execute("SELECT name FROM measure")})

    def compare_picture(self, survey, model, picture, path, seen):
        layers, shares, norms, logits, names = self.look(model, path)
        probabilities = measures.softmax(logits)
        expected = {"prediction": logits.argmax(), "confidence": probabilities.max()}
        row = survey.execute("SELECT model_value.* FROM model_value JOIN model ON model.id = model "
                             "WHERE picture = ? AND model.name = ?", (picture, model)).fetchone()
        self.compare(row, expected, (model, path))
        true = names.index(path.split("/")[0])
        self.compare(row, {"correct": float(logits.argmax() == true)}, (model, path))
        seen.update(("prediction", "confidence", "correct"))
        self.compare_deletion(row, (model, path, true), [layer for layer in layers if layer.query_grid][-1], seen)
        for layer in layers:
            self.compare_layer(survey, (model, picture, path, true), layer, shares, norms, logits, seen)

    def compare_deletion(self, row, of, layer, seen):
        """The areas, by the trapezoid rule, of the curves that `figure deletion` writes."""
        maps = {"queries": "query_saliency", "keys": "key_saliency", "class": "class_attention", "rollout": "rollout",
                "random": "random"}
        class_maps = {name: name for name in ("gradient_rollout", "legrad", "gradient_tokens", "grad_cam",
                                              "integrated_gradients", "rollout", "random")}
        for removal, kinds in (("mean", {"": maps, "class_": class_maps}), ("road", {"road_": class_maps})):
            areas = [self.deletion_areas(of, layer, count, removal) for count in range(1, RANDOM_ORDERS + 1)]
            for prefix, names in kinds.items():
                expected = {prefix + name: value for name, value in self.expected_areas(areas, names).items()}
                self.compare(row, expected, of)
                seen.update(expected)

    def expected_areas(self, areas, names):
        expected = {}
        for curve, better in (("deletion", np.greater), ("insertion", np.less)):
            # Means of one, two, ... orders at random tell the area of each.
            means = np.array([found["random", curve] for found in areas])
            counts = np.arange(1, RANDOM_ORDERS + 1)
            random = np.diff(means * counts, prepend=0)
            for name, ordering in names.items():
                own = areas[-1].get((ordering, curve))
                if name == "keys" and own is None:
                    # Queries are keys.
                    own = areas[-1].get(("query_saliency", curve))
                expected[f"{curve}_{name}"] = own
                if name == "random":
                    continue
                if own is None:
                    expected[f"{curve}_{name}_rank"] = None
                    continue
                equal = np.isclose(random, own, rtol=0, atol=1e-9)
                expected[f"{curve}_{name}_rank"] = (better(random, own) & ~equal).mean() + equal.mean() / 2
        return expected

    def deletion_areas(self, of, layer, count, removal):
        """Areas by ordering and curve, with so many orders at random. On one thread, as surveys compute: where attention
        is nearly dead, the order of patches hangs on the last digits."""
        model, path, true = of
        self.run_program("figure", "deletion", "-m", checkpoint(model), os.path.join(self.pictures, path), "--size", SIZE,
                         "--exif", "off", "--layer", layer.name, "--class", true, "--steps", 10, "--patch", 16,
                         "--removal", removal, "--random", count, "--threads", 1, "--data", self.path("deletion.csv"))
        points = {}
        for line in measures.read_csv(self.path("deletion.csv")):
            points.setdefault((line["ordering"], line["curve"]), []).append(
                (float(line["fraction"]), float(line["probability"])))
        return {key: np.trapz(*np.transpose(found)[::-1]) for key, found in points.items()}

    def compare_layer(self, survey, of, layer, shares, norms, logits, seen):
        model, picture, path, true = of
        rows = survey.execute(
            "SELECT head.head AS number, head_value.* FROM head_value JOIN head ON head.id = head_value.head "
            "JOIN layer ON layer.id = head.layer JOIN model ON model.id = layer.model "
            "WHERE picture = ? AND model.name = ? AND layer.name = ? ORDER BY head.head",
            (picture, model, layer.name)).fetchall()
        self.assertEqual([row["number"] for row in rows], list(range(layer.heads)))
        for head, row in enumerate(rows):
            share = shares[layer.name, head]
            expected = measures.of_head(layer, head, share, SIZE)
            expected.update(self.without("", share, logits, true))
            self.compare(row, expected, (model, path, layer.name, head))
            seen.update(expected)
        row = survey.execute(
            "SELECT layer_value.* FROM layer_value JOIN layer ON layer.id = layer JOIN model ON model.id = model "
            "WHERE picture = ? AND model.name = ? AND layer.name = ?", (picture, model, layer.name)).fetchone()
        whole = shares[layer.name, -1]
        expected = self.without("layer_", whole, logits, true)
        patches = [value for key, value in norms.items() if key.endswith(f"{layer.name.replace('.', '_')}.norms")]
        expected["token_outliers"] = (patches[0] > 2 * np.median(patches[0])).mean() if patches else None
        expected["token_norm_ratio"] = patches[0].max() / np.median(patches[0]) if patches else None
        reach = [value for key, value in norms.items() if key.endswith(f"{layer.name.replace('.', '_')}.reach")]
        # Behind class attention, too, there are patches.
        grid = layer.query_grid or layer.key_grid
        expected["reach_radius"] = measures.radius(reach[0], grid) if reach and grid else None
        self.compare(row, expected, (model, path, layer.name))
        seen.update(expected)

    @staticmethod
    def without(scope, share, logits, true):
        predicted = int(share["knockout_class"])
        return {scope + "ablation_logit_change": float(share["knockout_logit_change"]) / np.linalg.norm(logits),
                scope + "ablation_prediction_change": float(predicted != logits.argmax()),
                scope + "ablation_correct": float(predicted == true)}

    def test_killed_resumed_sharded_and_parallel_runs_write_the_same_numbers(self):
        self.survey(self.path("whole.survey"), "--workers", 1)
        whole = values_of(self.path("whole.survey"))
        self.assertEqual(len(whole["picture"]), 10)
        self.survey(self.path("four.survey"), "--workers", 4)
        self.assertEqual(values_of(self.path("four.survey")), whole)
        for shard in (1, 2, 3):
            self.survey(self.path("part-{shard}.survey"), "--shard", f"{shard}/3")
        parts = [self.path(f"part-{shard}-of-3.survey") for shard in (3, 1, 2)]
        self.run_program("merge", *parts, "-o", self.path("merged.survey"))
        self.assertEqual(values_of(self.path("merged.survey")), whole)
        self.kill_after(0, self.path("killed.survey"))
        self.kill_after(3, self.path("killed.survey"))
        self.survey(self.path("killed.survey"))
        self.assertEqual(values_of(self.path("killed.survey")), whole)

    def kill_after(self, pictures, output):
        """Kills a run once it has so many pictures more."""
        command = [PROGRAM, "survey", "-m", checkpoint("soft_norm_everyday10"), self.pictures, "-o", output, "--size",
                   str(SIZE), "--workers", "1"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and self.count(output) < pictures:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)

    @staticmethod
    def count(output):
        try:
            survey = sqlite3.connect(f"file:{output}?mode=ro", uri=True)
            return survey.execute("SELECT count(*) FROM picture").fetchone()[0]
        except sqlite3.Error:
            return 0

    def test_shards_are_those_of_launchers(self):
        array = {"SLURM_ARRAY_TASK_ID": "6", "SLURM_ARRAY_TASK_MIN": "4", "SLURM_ARRAY_TASK_MAX": "7",
                 "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_PROCID": "0"}
        self.survey(self.path("{shard}.survey"), "--shard", "auto", "--measure", "confidence", variables=array)
        rank = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"}
        self.survey(self.path("{shard}.survey"), "--shard", "auto", "--measure", "confidence", variables=rank)
        third = [row[0] for row in values_of(self.path("3-of-4.survey"))["picture"]]
        second = [row[0] for row in values_of(self.path("2-of-4.survey"))["picture"]]
        self.assertEqual((third, second), ([2, 6], [1, 5, 9]))


if __name__ == "__main__":
    unittest.main()
