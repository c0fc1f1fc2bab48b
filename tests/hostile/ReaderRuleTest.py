#!/usr/bin/env python3
"""The rule for all readers: a file is refused or read within a second of processor time and 64 MB and four times the
file, beyond what the program takes itself; it exits with 0 or 1, and says what is wrong in one line that a terminal can
show.

    ReaderRuleTest.py SOFTSCOPE
"""
import json
import os
import shutil
import unittest

import files
from measured import CHECKPOINT, MEGABYTE, SLOWER, MeasuredTest, run

SECONDS = 1 * SLOWER
# Machines have other work, too, and a second of theirs is not always the same.
ATTEMPTS = 3

AS_CHECKPOINT = {
    "class_names.pth": files.class_names,
    "kept_class_names.pth": files.kept_class_names,
    "distinct_class_names.pth": files.distinct_class_names,
    "long_name.pth": files.long_name,
    "many_lists.pth": files.many_lists,
    "filled_list.pth": files.filled_list,
    "nested_modules.pth": files.nested_modules,
    "deflated_storage.pth": files.deflated_storage,
    "long_header.safetensors": files.long_header,
    "header_of_lists.safetensors": files.header_of_lists,
    "long_header_of_a_large_file.safetensors": files.long_header_of_a_large_file,
    "many_entries.pth": files.many_entries,
    "many_directories.pth": lambda path: files.many_entries(path, 15_000, 2_900),
    "model.safetensors.index.json": files.shard_index,
    "named_with_escapes.safetensors": files.named_with_escapes,
    "zeros.npz": files.zeros_npz,
    "many_texts.npz": files.many_texts,
    "sparse.pth": files.sparse,
    "deep.safetensors.index.json": files.deep_index,
    "deep.safetensors": files.deep_header,
    "deep_recording.safetensors": files.deep_metadata,
    "deep.pt2": files.deep_exported_program,
    "deep_class_names.safetensors": files.deep_class_names,
    "maps_of_maps.pth": files.maps_of_maps,
    "modules_with_long_names.pth": files.modules_with_long_names,
    "temporary_buffers.pth": files.temporary_buffers,
    "shared_temporary_set.pth": files.shared_temporary_set,
    "shared_tensors.pth": files.shared_tensors,
    "full_stack.pth": files.full_stack,
    "full_memo.pth": files.full_memo,
    "filled_dictionary.pth": files.filled_dictionary,
    "legacy_storage_keys.pth": files.legacy_storage_keys,
    "many_blocks.safetensors": files.many_blocks,
    "chunked_blocks.safetensors": files.chunked_blocks,
}

AS_INPUT = {
    "zeros.npy": files.sparse,
    "of_another_shape.npy": lambda path: files.npy(path, "(1300000000,)", size=5 << 30),
    "beside_zero.npy": lambda path: files.npy(path, f"({1 << 62}, {1 << 62}, 0)"),
    "zeros.png": lambda path: files.sparse(path, 1 << 30),
    "scans.jpg": lambda path: files.jpeg_of_scans(path, 1000, 10_000),
    "more_scans.jpg": lambda path: files.jpeg_of_scans(path, 100_000, 10_000),
    "tiles.tif": lambda path: files.tiff_of_tiles(path, 16_000),
    "noise.png": files.png_of_noise,
    "noise.tif": files.tiff_of_noise,
}

# A decoder may take these for pictures, whatever they show.
AS_PICTURE = {"noise.jpg": files.jpeg_of_noise}


class ReaderRuleTest(MeasuredTest):
    def arguments(self, name):
        if name in AS_CHECKPOINT or name in files.RECORDINGS:
            return "inspect", self.path(name)
        return "dump", "-m", CHECKPOINT, self.path(name), "-o", self.path("dump"), "--layers", "block4.0.attn", "--rows", "0"

    def own(self, name):
        """What the program takes for a file that it can refuse at once."""
        trivial = "trivial" + os.path.splitext(name)[1]
        self.write(trivial, b"")
        arguments = [self.path(trivial) if argument == self.path(name) else argument
                     for argument in self.arguments(name)]
        return run(*arguments)

    def check(self, name, write):
        write(self.path(name))
        self.addCleanup(os.remove, self.path(name))
        own = self.own(name)
        room = own.peak + 64 * MEGABYTE + 4 * os.path.getsize(self.path(name))
        for attempt in range(ATTEMPTS):
            outcome = run(*self.arguments(name))
            if outcome.seconds - own.seconds <= SECONDS:
                break
        self.assertIn(outcome.code, (0, 1), outcome.errors[:2000])
        if outcome.code == 1:
            self.assert_one_line(outcome.errors)
        else:
            self.assertEqual(outcome.errors, "")
        self.assertLessEqual(outcome.peak, room)
        self.assertLessEqual(outcome.seconds - own.seconds, SECONDS)
        return outcome

    def test_checkpoints_and_recordings(self):
        for name, write in AS_CHECKPOINT.items():
            with self.subTest(name):
                self.assertEqual(self.check(name, write).code, 1)

    def test_recordings(self):
        for name, write in files.RECORDINGS.items():
            with self.subTest(name):
                self.check(name, write)

    def test_json_beside_a_checkpoint(self):
        for name in ("config.json", "preprocessor_config.json"):
            with self.subTest(name):
                shutil.copy(CHECKPOINT, self.path("model.pth"))
                own = run("inspect", self.path("model.pth"))
                self.write(name, files.DEEP_JSON)
                self.addCleanup(os.remove, self.path(name))
                outcome = run("inspect", self.path("model.pth"))
                self.assertEqual((outcome.code, outcome.errors), (0, ""))
                self.assertLessEqual(outcome.peak, own.peak + 64 * MEGABYTE)
                os.remove(self.path(name))
                self.write(name, b"{}")

    def test_a_folder_of_names_like_shards(self):
        """None of them belongs to the model in it, and each could be in any of the indices."""
        os.mkdir(self.path("hub"))
        self.assertEqual(run("convert", CHECKPOINT, "-o", self.path("hub/model.safetensors")).code, 0)
        command = ("convert", self.path("hub"), "-o", self.path("copy.safetensors"))
        own = run(*command)
        index = json.dumps({"weight_map": {f"{number:06d}": "a" for number in range(100_000)}}, separators=(",", ":"))
        for number in range(8):
            self.write(f"hub/n{number}.index.json", index.encode())
        for number in range(10):
            self.write(f"hub/x{number:04d}-00001-of-00002.safetensors", b"")
        for _ in range(ATTEMPTS):
            outcome = run(*command)
            if outcome.seconds - own.seconds <= SECONDS:
                break
        self.assertEqual((outcome.code, outcome.errors), (0, own.errors))
        self.assertLessEqual(outcome.seconds - own.seconds, SECONDS)

    def test_a_list_of_layers_nested_deep(self):
        self.write("layers.json", files.nested_lists(files.DEEP))
        self.assert_refused(run("inspect", self.folder), "layers.json")

    def test_inputs(self):
        for name, write in AS_INPUT.items():
            with self.subTest(name):
                self.assertEqual(self.check(name, write).code, 1)

    def test_pictures_that_decoders_take(self):
        for name, write in AS_PICTURE.items():
            with self.subTest(name):
                self.check(name, write)


if __name__ == "__main__":
    unittest.main()
