#!/usr/bin/env python3
"""Where results go: never onto what they are made of, never lost without a word, through links as through the files they
lead to, and the same in every country.

    OutputsTest.py SOFTSCOPE
"""
import json
import os
import resource
import shutil
import stat
import subprocess
import unittest

from files import write_png
from measured import CHECKPOINT, INPUT, PROGRAM, MeasuredTest, run

LAYER = ("--layer", "block4.0.attn")
GERMAN = "de_DE.UTF-8"


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def tree(folder):
    """Every name below a folder, and what it holds or leads to."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            if os.path.islink(path):
                found[path] = os.readlink(path)
            else:
                found[path] = bytes_of(path) if os.path.isfile(path) else None
    return found


class OutputsTest(MeasuredTest):
    def run_well(self, *arguments, **options):
        outcome = run(*arguments, **options)
        self.assertEqual(outcome.code, 0, outcome.errors)
        return outcome

    def model(self, name="model.safetensors"):
        self.run_well("convert", CHECKPOINT, "-o", self.path(name))
        return self.path(name)

    def pictures(self):
        """A data set of two classes."""
        for split in ("train", "val"):
            for number, kind in enumerate(("bird", "cat")):
                os.makedirs(self.path(f"set/{split}/{kind}"))
                write_png(self.path(f"set/{split}/{kind}/0.png"), (90 * number, 30, 60))
        return self.path("set")

    def survey(self, name="one.survey"):
        self.run_well("survey", "-m", CHECKPOINT, self.pictures(), "-o", self.path(name), "--measure", "entropy")
        return self.path(name)


    def assert_ends_refused(self, outcome, phrase=""):
        """The last line says why; notes may stand before it."""
        self.assertEqual(outcome.code, 1, outcome.errors)
        last = outcome.errors.splitlines(keepends=True)[-1]
        self.assert_one_line(last)
        self.assertIn(phrase, last)


class InputsStayTest(OutputsTest):
    def aliases(self, path, ending=None):
        """Other ways to name the file: the name itself, another spelling, a symbolic and a hard link."""
        ending = ending or os.path.splitext(path)[1]
        folder, name = os.path.split(path)
        same = {"hard": os.path.join(folder, "hard" + ending), "soft": os.path.join(folder, "soft" + ending)}
        os.link(path, same["hard"])
        os.symlink(name, same["soft"])
        if ending == os.path.splitext(path)[1]:
            same |= {"itself": path, "spelt": os.path.join(folder, ".", name)}
        return same

    def assert_kept(self, path, command, option="-o", ending=None):
        """The command refuses to write to the file, whatever it is called, and leaves everything as it was."""
        for how, alias in self.aliases(path, ending).items():
            with self.subTest(f"{command[0]} {option}, {how}"):
                before = tree(self.folder)
                self.assert_refused(run(*command, option, alias), "is read here")
                self.assertEqual(tree(self.folder), before)
        for name in os.listdir(os.path.dirname(path)):
            if name.startswith(("hard.", "soft.")):
                os.remove(os.path.join(os.path.dirname(path), name))

    def test_a_model_is_not_written_over(self):
        model = self.model()
        self.assert_kept(model, ("convert", model))
        self.assert_kept(model, ("record", "-m", model, INPUT))
        self.assert_kept(model, ("figure", "heads", "-m", model, INPUT, *LAYER), ending=".png")
        self.assert_kept(model, ("figure", "sweep", "-m", model, INPUT, *LAYER), ending=".gif")
        self.assert_kept(model, ("figure", "heads", "-m", model, INPUT, *LAYER), "--data", ".npz")
        self.assert_kept(model, ("figure", "spectrum", "-m", CHECKPOINT, "-m", model, INPUT, *LAYER), "--data", ".csv")
        self.assert_kept(model, ("survey", "-m", model, self.pictures(), "--measure", "entropy"), ending=".survey")
        data = self.path("set")
        self.assert_kept(model, ("linescores", "-m", model, data), "--data", ".csv")
        self.assert_kept(model, ("train", "soft_norm_nano", data, "--init", model, "--epochs", "1"))

    def test_a_recording_is_not_written_over(self):
        recording = self.path("recording.npz")
        self.run_well("record", "-m", CHECKPOINT, INPUT, "-o", recording)
        self.assert_kept(recording, ("figure", "heads", "-m", recording, *LAYER), "--data")
        self.assert_kept(recording, ("figure", "heads", "-m", recording, *LAYER), ending=".svg")

    def test_a_picture_is_not_written_over(self):
        picture = self.path("cat.png")
        write_png(picture, (9, 90, 30))
        self.assert_kept(picture, ("figure", "heads", "-m", CHECKPOINT, picture, *LAYER))
        self.assert_kept(picture, ("record", "-m", CHECKPOINT, picture), ending=".safetensors")
        picture = os.path.join(self.pictures(), "val/cat/0.png")
        self.assert_kept(picture, ("linescores", "-m", CHECKPOINT, self.path("set")), "--data", ".csv")
        picture = self.path("set/train/cat/0.png")
        train = ("train", "soft_norm_nano", self.path("set"), "--epochs", "1")
        self.assert_kept(picture, (*train, "-o", self.path("new.safetensors")), "--log")
        self.assert_kept(picture, train, ending=".safetensors")

    def test_a_survey_is_not_written_over(self):
        survey = self.survey()
        self.assert_kept(survey, ("table", survey))
        self.assert_kept(survey, ("table", survey, "--summary"))
        self.assert_kept(survey, ("merge", survey))
        self.assert_kept(survey, ("figure", "survey", survey, "--measure", "entropy"), "--data", ".csv")
        self.assert_kept(survey, ("figure", "survey", survey, "--measure", "entropy"), ending=".pdf")
        with open(self.path("list.txt"), "w") as file:
            file.write("set/val/cat/0.png\n")
        self.assert_kept(self.path("list.txt"), ("survey", "-m", CHECKPOINT, self.path("list.txt"), "--measure", "entropy"),
                         ending=".survey")
        # To go on with one is another thing.
        self.run_well("survey", "-m", CHECKPOINT, self.path("set"), "-o", survey, "--measure", "entropy")

    def test_what_belongs_to_a_model_is_not_written_over(self):
        os.mkdir(self.path("hub"))
        shard = self.model("hub/model-00001-of-00001.safetensors")
        names = list(json.loads(bytes_of(shard)[8:8 + int.from_bytes(bytes_of(shard)[:8], "little")]))
        names.remove("__metadata__")
        index = self.write("hub/model.safetensors.index.json",
                           json.dumps({"weight_map": {name: os.path.basename(shard) for name in names}}).encode())
        config = self.write("hub/config.json", b"{}")
        for model in (self.path("hub"), index, shard):
            for file in (index, shard, config):
                self.assert_kept(file, ("figure", "spectrum", "-m", model, INPUT, *LAYER), "--data", ".csv")
                self.assert_kept(file, ("convert", model), ending=".safetensors")

    def test_a_dump_is_not_written_into_its_recording(self):
        recording = self.path("recording")
        self.run_well("dump", "-m", CHECKPOINT, INPUT, "-o", recording, "--layers", "block4.*")
        os.symlink(recording, self.path("link"))
        for output in (recording, recording + "/", self.path("link"), os.path.join(recording, "../recording"), self.folder):
            with self.subTest(output):
                before = tree(self.folder)
                self.assert_refused(run("dump", "-m", recording, "-o", output), "is read here")
                self.assertEqual(tree(self.folder), before)
        self.run_well("dump", "-m", recording, "-o", self.path("another"))

    def test_a_dump_replaces_no_input(self):
        """The picture is called like a file of the dump."""
        os.mkdir(self.path("dump"))
        picture = shutil.copy(INPUT, self.path("dump/block4_0_attn.npy"))
        before = tree(self.folder)
        self.assert_refused(run("dump", "-m", CHECKPOINT, picture, "-o", self.path("dump"), "--layers", "block4.*"),
                            "is read here")
        self.assertEqual(tree(self.folder), before)

    def test_two_outputs_are_two_files(self):
        os.symlink("heads.npz", self.path("heads.png"))
        outcome = run("figure", "heads", "-m", CHECKPOINT, INPUT, *LAYER, "-o", self.path("heads.png"), "--data",
                      self.path("heads.npz"))
        self.assert_refused(outcome, "written twice")
        new = self.path("new.safetensors")
        for log in (new, new + ".state"):
            outcome = run("train", "soft_norm_nano", self.pictures(), "-o", new, "--log", log)
            self.assert_refused(outcome, "written twice")
            shutil.rmtree(self.path("set"))
        self.assertEqual(os.listdir(self.folder), ["heads.png"])


class LinkedOutputsTest(OutputsTest):
    def test_what_a_link_leads_to_is_written(self):
        expected = bytes_of(self.model("expected.safetensors"))
        os.mkdir(self.path("store"))
        for name, target in (("new", "store/new"), ("chain", "new.safetensors"), ("old", self.path("store/old"))):
            with self.subTest(name):
                link = self.path(name + ".safetensors")
                os.symlink(target, link)
                if name == "old":
                    self.write("store/old", b"before")
                self.run_well("convert", CHECKPOINT, "-o", link)
                self.assertEqual(os.readlink(link), target)
                self.assertEqual(bytes_of(link), expected)
        self.assertEqual(sorted(os.listdir(self.path("store"))), ["new", "old"])

    def test_every_kind_of_file_is_written_through_a_link(self):
        os.mkdir(self.path("store"))
        survey = self.survey()
        figure = ("figure", "heads", "-m", CHECKPOINT, INPUT, *LAYER)
        writers = {"a.png": (*figure, "-o"), "a.svg": (*figure, "-o"), "a.npz": (*figure, "--data"),
                   "r.npz": ("record", "-m", CHECKPOINT, INPUT, "-o"), "a.csv": ("table", survey, "-o"),
                   "a.webp": ("figure", "sweep", "-m", CHECKPOINT, INPUT, *LAYER, "-o"),
                   "m.survey": ("merge", survey, "-o")}
        for name, command in writers.items():
            with self.subTest(name):
                os.symlink("store/" + name, self.path(name))
                self.run_well(*command, self.path(name))
                self.assertTrue(os.path.islink(self.path(name)))
                self.assertGreater(os.path.getsize(self.path("store/" + name)), 100)

    def test_links_in_the_folder_of_a_dump_stay(self):
        os.mkdir(self.path("dump"))
        os.symlink("../logits.npy", self.path("dump/logits.npy"))
        self.run_well("dump", "-m", CHECKPOINT, INPUT, "-o", self.path("dump"), "--layers", "block4.*")
        self.assertTrue(os.path.islink(self.path("dump/logits.npy")))
        self.assertTrue(bytes_of(self.path("logits.npy")).startswith(b"\x93NUMPY"))
        self.assertFalse([name for name in os.listdir(self.folder) if "softscope-part" in name])

    def test_a_device_stays_and_a_pipe_is_filled(self):
        survey = self.survey()
        self.run_well("table", survey, "-o", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assert_refused(run("table", survey, "-o", "/dev/full"), "No space left")
        os.mkfifo(self.path("pipe"))
        with open(self.path("piped"), "wb") as piped:
            reader = subprocess.Popen(["cat", self.path("pipe")], stdout=piped)
        self.run_well("table", survey, "-o", self.path("pipe"))
        self.assertEqual(reader.wait(), 0)
        self.assertEqual(bytes_of(self.path("piped")).decode(), run("table", survey).output)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))


class StandardOutputTest(OutputsTest):
    def printing(self):
        survey = self.survey()
        return (("--help",), ("--version",), ("inspect", CHECKPOINT), ("inspect", CHECKPOINT, "--json"),
                ("inspect", "--help"), ("figure", "heads", "--help"), ("survey", "--list"), ("table", survey),
                ("table", survey, "--summary"), ("documentation", "man"), ("documentation", "bash"),
                ("linescores", "-m", CHECKPOINT, self.path("set")),
                ("dump", "-m", CHECKPOINT, INPUT, "-o", self.path("dump"), "--layers", "block4.*"),
                ("convert", CHECKPOINT, "-o", self.path("new.safetensors")))

    def test_what_cannot_be_printed_is_an_error(self):
        def full():
            os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

        for command in self.printing():
            for where, reason in ((full, "No space left"), (lambda: os.close(1), "closed")):
                with self.subTest(" ".join(command[:2]), where=reason):
                    outcome = run(*command, before=where)
                    self.assert_ends_refused(outcome, "standard output cannot be written: ")
                    self.assertIn(reason, outcome.errors)

    def test_closed_streams_are_not_printed_into_files(self):
        expected = bytes_of(self.model("expected.safetensors"))

        def close():
            for stream in (0, 1, 2):
                os.close(stream)

        self.assertEqual(run("convert", CHECKPOINT, "-o", self.path("new.safetensors"), before=close).code, 1)
        self.assertEqual(bytes_of(self.path("new.safetensors")), expected)


class PrintedNamesTest(OutputsTest):
    """Names that a terminal would obey, which folders, files and layers have."""

    EVIL = "\x1b[2J\x1b[31mred\u202e\x9b31m\nsoftscope: a line of its own\x07"

    def classes(self):
        for name in (self.EVIL, *"bcdefghij"):
            for split in ("train", "val"):
                os.makedirs(os.path.join(self.folder, "set", split, name))
                write_png(os.path.join(self.folder, "set", split, name, os.fsdecode(b"n\xff.png")), (9, 90, 30))
        return self.path("set")

    def recording(self):
        """Three layers, whose names no .npz could hold."""
        header, data = {}, b""
        for number, name in enumerate((self.EVIL, "x\0a", "x\0b")):
            header[name + "/attn"] = {"dtype": "F32", "shape": [1, 4, 4], "data_offsets": [64 * number, 64 * number + 64]}
            data += bytes(64)
        text = json.dumps(header).encode()
        return self.write("recording.safetensors", len(text).to_bytes(8, "little") + text + data)

    def assert_printable(self, output):
        for line in output.splitlines() if output.isascii() else output.split("\n"):
            self.assertTrue(line.isprintable(), repr(line[:500]))

    def test_what_is_printed_moves_no_cursor(self):
        data, recording = self.classes(), self.recording()
        out = self.path(self.EVIL)
        survey = out + ".survey"
        model = ("-m", CHECKPOINT)
        copy = out + ".safetensors"
        for command in (("convert", CHECKPOINT, "-o", copy), ("inspect", copy), ("evaluate", *model, data),
                        ("linescores", *model, data, *LAYER), ("settings", copy, data + "/val", "--limit", "2"),
                        ("survey", *model, data, "-o", survey, "--measure", "entropy"),
                        ("merge", survey, "-o", out + "2.survey"), ("table", survey, "-o", out + ".csv"),
                        ("record", *model, INPUT, "-o", out + ".npz"), ("inspect", recording),
                        ("dump", "-m", recording, "-o", out + "-dump"), ("inspect", out + "-dump"),
                        ("figure", "heads", "-m", recording, "--layer", "all", "-o", out + ".svg")):
            with self.subTest(" ".join(command[:1])):
                self.assert_printable(self.run_well(*command).output)

    def on_a_terminal(self, *arguments):
        ours, theirs = os.openpty()
        process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL)
        os.close(theirs)
        output = b""
        try:
            while part := os.read(ours, 1 << 16):
                output += part
        except OSError:
            pass  # Nobody writes to the terminal any more.
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        return output.decode("utf-8", errors="surrogateescape").replace("\r\n", "\n")

    def test_tables_are_shown_on_a_terminal_and_else_written_as_they_are(self):
        survey = self.path("one.survey")
        self.run_well("survey", "-m", CHECKPOINT, self.classes(), "-o", survey, "--measure", "entropy")
        for options in ((), ("--summary", "--by", "class")):
            shown = self.on_a_terminal("table", survey, *options)
            self.assert_printable(shown)
            self.assertIn("[31mred", shown)
            written = self.run_well("table", survey, *options).output
            self.assertIn(self.EVIL, written)
        self.assert_printable(self.on_a_terminal("inspect", self.recording(), "--json"))


class SizeLimitTest(OutputsTest):
    def test_a_limit_on_the_size_of_files_leaves_nothing(self):
        """As a shell's `ulimit -f` has it: the signal that says so is not ignored."""
        survey = self.survey()
        figure = ("figure", "heads", "-m", CHECKPOINT, INPUT, *LAYER)
        sweep = ("figure", "sweep", "-m", CHECKPOINT, INPUT, *LAYER)
        writers = {"a.safetensors": ("convert", CHECKPOINT, "-o"), "r.npz": ("record", "-m", CHECKPOINT, INPUT, "-o"),
                   "r.safetensors": ("record", "-m", CHECKPOINT, INPUT, "-o"), "a.png": (*figure, "-o"),
                   "a.svg": (*figure, "-o"), "dump": ("dump", "-m", CHECKPOINT, INPUT, "-o"), "m.survey": ("merge", survey, "-o"),
                   "a.gif": (*sweep, "-o"), "a.webp": (*sweep, "-o"), "frames": (*sweep, "-o")}
        for name, command in writers.items():
            with self.subTest(name):
                os.mkdir(self.path("place"))
                outcome = run(*command, self.path("place/" + name),
                              before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
                self.assert_ends_refused(outcome)
                self.assertEqual(os.listdir(self.path("place")), [])
                os.rmdir(self.path("place"))

    def test_a_survey_says_that_it_cannot_grow(self):
        self.pictures()
        command = ("survey", "-m", CHECKPOINT, self.path("set"), "-o", self.path("new.survey"), "--measure", "entropy")
        self.assert_ends_refused(run(*command, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))))
        self.run_well(*command)


class CountriesTest(OutputsTest):
    """Decimal commas: Qt reads the locale's name, and C what localedef makes of it."""

    def setUp(self):
        super().setUp()
        self.german = {"LC_ALL": GERMAN, "LANG": GERMAN, "LC_NUMERIC": GERMAN}
        os.mkdir(self.path("locale"))
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.path("locale/" + GERMAN)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.german["LOCPATH"] = self.path("locale")

    def test_files_are_the_same_everywhere(self):
        survey = self.survey()
        model = ("-m", CHECKPOINT, INPUT)
        block = (*LAYER, "--head", "all")
        writers = {"h.svg": ("figure", "heads", *model, *block, "-o"), "h.pdf": ("figure", "heads", *model, *block, "-o"),
                   "s.svg": ("figure", "spectrum", *model, *block, "-o"), "s.csv": ("figure", "spectrum", *model, *block, "--data"),
                   "m.svg": ("figure", "matrix", *model, *block, "-o"), "o.svg": ("figure", "overview", *model, "-o"),
                   "b.svg": ("figure", "bottleneck", *model, "--layer", "block1.0.att.mha.attn", "-o"), "r.svg": ("figure", "rollout", *model, "-o"), "k.svg": ("figure", "class", *model, "--points", "2", "-o"), "i.svg": ("figure", "sinks", *model, "-o"),
                   "n.svg": ("figure", "norms", *model, "--layer", "block1.0.att.mha.attn", "-o"), "c.svg": ("figure", "convergence", *model, "--layer", "block1.0.att.mha.attn", "-o"),
                   "t.svg": ("figure", "tokens", *model, "-o"), "a.svg": ("figure", "saliency", *model, *block, "-o"),
                   "y.svg": ("figure", "survey", survey, "--measure", "entropy", "-o"), "y.csv": ("table", survey, "-o"),
                   "z.csv": ("table", survey, "--summary", "-o"), "w.safetensors": ("convert", CHECKPOINT, "-o")}
        for name, command in writers.items():
            with self.subTest(name):
                self.run_well(*command, self.path(name), LC_ALL="C.UTF-8")
                here = bytes_of(self.path(name))
                self.run_well(*command, self.path(name), **self.german)
                self.assertEqual(bytes_of(self.path(name)), here)

    def test_what_is_printed_is_the_same_everywhere(self):
        self.pictures()
        for command in (("inspect", CHECKPOINT, "--json"), ("inspect", CHECKPOINT), ("survey", "--list"),
                        ("linescores", "-m", CHECKPOINT, self.path("set"))):
            with self.subTest(command[0]):
                self.assertEqual(self.run_well(*command, **self.german).output,
                                 self.run_well(*command, LC_ALL="C.UTF-8").output)


if __name__ == "__main__":
    unittest.main()
