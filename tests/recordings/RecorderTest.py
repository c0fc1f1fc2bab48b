#!/usr/bin/env python3
"""softscope_record.py on networks of every kind that it hooks, against what these networks computed.

    RecorderTest.py SOFTSCOPE
"""
import contextlib
import io
import os
import sys
import unittest

import numpy as np
import torch
from program import ProgramTest
from torch import nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "python"))
from softscope_record import _grid_of, record_attention, recording  # noqa: E402
from networks import (CHANNELS, HEADS, SIDE, Attention, BiasedAttention, LinearAttention, SelfAttention, Softmaxed,
                      OtherNames, TorchAttention, UnlikeSoftmax, VisionTransformer)  # noqa: E402

PICTURE = np.random.default_rng(3).integers(0, 256, (48, 48, 3), dtype=np.uint8)


class RecorderTest(ProgramTest):
    def setUp(self):
        super().setUp()
        torch.manual_seed(0)
        self.file = self.path("rec.npz")

    def record(self, model, **options):
        """Records a batch of two; returns the logits."""
        model.eval()
        batch = torch.randn(2, 3, SIDE, SIDE)
        with torch.no_grad():
            expected = model(batch) if not options.pop("unasked", False) else None
            with recording(model, options.pop("file", self.file), picture=PICTURE, **options):
                logits = model(batch)
        if expected is not None:
            torch.testing.assert_close(logits, expected)
        return logits

    def keys(self):
        with np.load(self.file) as file:
            return set(file.files)

    def assert_shows(self, layer, seen):
        self.assert_close(self.dumped(self.file, layer), seen[0].detach().numpy(), 1e-5)

    def test_timms_attention(self):
        model = VisionTransformer(Attention(), Attention(qk_norm=True))
        logits = self.record(model, unasked=True)
        for index, block in enumerate(model.blocks):
            self.assert_shows(f"blocks.{index}.attn", block.attn.seen)
            self.assertIn(f"blocks.{index}.attn/q", self.keys())
            self.assertTrue(block.attn.fused_attn, "as it was before")
        with np.load(self.file) as file:
            np.testing.assert_array_equal(file["logits"], logits[0].numpy())
        said = self.succeed("inspect", self.file)
        self.assertNotIn("guessed", said)
        self.assertIn(f"input       {SIDE} x {SIDE}", said)

    def test_relative_positions_are_recorded_as_they_are(self):
        model = VisionTransformer(BiasedAttention())
        self.record(model, unasked=True)
        self.assertIn("blocks.0.attn/attn", self.keys())
        self.assertNotIn("blocks.0.attn/q", self.keys())
        self.assert_shows("blocks.0.attn", model.blocks[0].attn.seen)

    def test_hugging_faces_attention(self):
        model = VisionTransformer(SelfAttention())
        self.record(model)
        self.assertIn("blocks.0.attn/q", self.keys())
        self.assert_shows("blocks.0.attn", model.blocks[0].attn.seen)

    def test_torchs_attention(self):
        for batch_first in (True, False):
            with self.subTest(batch_first=batch_first):
                model = VisionTransformer(TorchAttention(batch_first))
                seen = []
                attention = model.blocks[0].attn.attention
                handle = model.blocks[0].norm1.register_forward_hook(lambda _m, _i, output: seen.append(output))
                self.record(model)
                handle.remove()
                tokens = seen[-1] if batch_first else seen[-1].transpose(0, 1)
                with torch.no_grad():
                    _, weights = attention(tokens, tokens, tokens, average_attn_weights=False)
                self.assertIn("blocks.0.attn.attention/q", self.keys())
                self.assert_shows("blocks.0.attn.attention", weights)
                self.assertNotIn("forward", vars(attention), "as it was before")

    def test_torchs_encoder_layer_keeps_to_the_long_path(self):
        encoder = nn.TransformerEncoderLayer(CHANNELS, HEADS, 64, batch_first=True)
        self.record(VisionTransformer(encoder))
        self.assertIn("blocks.0.attn.self_attn/q", self.keys())

    def test_attention_of_ones_own(self):
        model = VisionTransformer(LinearAttention(record_attention))
        self.record(model)
        self.assert_shows("blocks.0.linear", model.blocks[0].attn.seen)
        self.assertIn("my linear attention, 4 heads", self.succeed("inspect", self.file))
        self.assertEqual(len([key for key in self.keys() if key.startswith("blocks")]), 6)

    def test_attention_of_ones_own_is_checked_where_its_output_is_given(self):
        self.record(VisionTransformer(LinearAttention(record_attention)))
        self.assertIn("1 of 1 layers not verified", self.succeed("inspect", self.file))
        self.record(VisionTransformer(LinearAttention(record_attention, says_output=True)))
        self.assertNotIn("verified", self.succeed("inspect", self.file))
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.record(VisionTransformer(Attention(), LinearAttention(record_attention, says_output=True, scale=2)),
                        unasked=True)
        self.assertIn("not recorded: blocks.0.linear: attention times values is off what it computed by 1 of",
                      errors.getvalue())
        self.assertNotIn("blocks.0.linear/q", self.keys())

    def test_every_form_of_ones_own_attention_is_checked(self):
        generator = torch.Generator().manual_seed(1)
        q, k, v = torch.randn(3, HEADS, 16, 8, generator=generator)
        middle = torch.randn(HEADS, 8, 8, generator=generator)
        distances = torch.cdist(q, k) ** 2
        exact = {"attn": ({"attn": q.softmax(-1) @ k.transpose(-1, -2)}, q.softmax(-1) @ k.transpose(-1, -2)),
                 "factors": ({"left": q, "right": k}, q @ k.transpose(-1, -2)),
                 "middle": ({"left": q, "middle": middle, "right": k}, q @ middle @ k.transpose(-1, -2)),
                 "softmax": ({"q": q, "k": k}, (8 ** -0.5 * q @ k.transpose(-1, -2)).softmax(-1)),
                 "gaussian": ({"q": q, "k": k, "kernel": "gaussian"}, (-(8 ** -0.5) * distances / 2).exp()),
                 "linear": ({"q": q, "k": k, "kernel": "linear", "scale": 0.1}, 0.1 * q @ k.transpose(-1, -2))}

        class Saying(nn.Module):
            def forward(self):
                for name, (given, attention) in exact.items():
                    record_attention(name, v=v, output=attention @ v, **given)
                    record_attention(f"not {name}", v=v, output=1.1 * attention @ v, **given)
                    record_attention(f"odd {name}", v=v[:, 1:], output=attention @ v, **given)
        saying = Saying()
        with contextlib.redirect_stderr(io.StringIO()) as errors, recording(saying, self.file):
            saying()
        with np.load(self.file) as file:
            self.assertEqual(list(file["layers"]), list(exact))
            self.assertEqual(len(file["refused"]), 2 * len(exact), errors.getvalue())
            self.assertEqual(str(file["note"]), "12 of 18 layers not recorded")

    def test_values_that_are_all_the_same_verify_nothing(self):
        model = VisionTransformer(Attention(), UnlikeSoftmax("talking_heads"))
        with torch.no_grad():
            # Whatever rows that sum to one it attends with, the product is the bias.
            model.blocks[1].attn.qkv.weight[2 * CHANNELS:] *= 1e-4
            model.blocks[1].attn.qkv.bias[2 * CHANNELS:] = 1
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.record(model, unasked=True)
        self.assertIn("not recorded: blocks.1.attn: its values are too much alike", errors.getvalue())
        self.assertNotIn("blocks.1.attn/q", self.keys())

    def test_torchs_attention_to_what_is_no_token_is_refused(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.record(VisionTransformer(Attention(), TorchAttention(True, add_bias_kv=True)), unasked=True)
        self.assertIn("not recorded: blocks.1.attn.attention: it attends to 1 keys that are no tokens",
                      errors.getvalue())

    def test_scripts_are_said_to_show_nothing(self):
        model = torch.jit.trace(VisionTransformer(SelfAttention()).eval(), torch.zeros(1, 3, SIDE, SIDE))
        with self.assertRaisesRegex(ValueError, "scripted or traced"):
            with recording(model, self.file):
                pass

    @unittest.skipUnless(hasattr(getattr(torch, "compiler", None), "set_stance"), "this torch has no stances")
    def test_compiled_models_run_uncompiled_for_the_while(self):
        model = VisionTransformer(Attention(fused=False)).eval()
        compiled = torch.compile(model, backend="eager")
        with torch.no_grad():
            compiled(torch.zeros(1, 3, SIDE, SIDE))
            with recording(compiled, self.file):
                compiled(torch.zeros(1, 3, SIDE, SIDE))
        self.assertIn("_orig_mod.blocks.0.attn/q", self.keys())

    def test_modules_that_a_pattern_names(self):
        model = VisionTransformer(Softmaxed())
        self.record(model, patterns=["blocks.*.attend"])
        self.assert_shows("blocks.0.attn.attend", model.blocks[0].attn.seen)
        self.assertIn("1 of 1 layers not verified", self.succeed("inspect", self.file))

    def test_safetensors(self):
        model = VisionTransformer(Attention(), LinearAttention(record_attention))
        other = self.path("rec.safetensors")
        self.record(model, unasked=True, file=other, classes=["a", "b", "c", "d", "é"])
        self.file = other
        self.assert_shows("blocks.0.attn", model.blocks[0].attn.seen)
        self.assert_shows("blocks.0.linear", model.blocks[1].attn.seen)

    def test_layers_that_run_twice_are_both_kept(self):
        attention = SelfAttention()
        self.record(VisionTransformer(attention, attention))
        names = {key.rsplit("/", 1)[0] for key in self.keys() if "/" in key}
        self.assertEqual(names, {"blocks.0.attn", "blocks.0.attn.2"})

    def test_a_recording_is_of_one_pass(self):
        model = VisionTransformer(Attention()).eval()
        with self.assertRaisesRegex(RuntimeError, "record one pass in each block"):
            with recording(model, self.file):
                model(torch.zeros(1, 3, SIDE, SIDE))
                model(torch.ones(1, 3, SIDE, SIDE))
        self.assertFalse(os.path.exists(self.file))

    def test_attention_that_is_dropped_at_random_is_refused(self):
        model = VisionTransformer(TorchAttention(True, dropout=0.5)).train()
        picture = torch.randn(1, 3, SIDE, SIDE)
        with torch.no_grad(), self.assertRaisesRegex(RuntimeError, "dropped at random in train mode"):
            with recording(model, self.file):
                model(picture)
        model.blocks[0].attn.attention.dropout = 0.0
        with torch.no_grad(), recording(model, self.file):
            model(picture)
        self.assertIn("blocks.0.attn.attention/q", self.keys())

    def test_the_grid_is_that_of_this_input(self):
        model = VisionTransformer(Attention())
        grid, patch = model.patch_embed.grid_size, model.patch_embed.proj.kernel_size
        model.patch_embed.patch_size = patch
        self.assertEqual(_grid_of(model, grid[0] * grid[1] + 1, (SIDE, SIDE)), (list(grid), 1))
        # As many patches in another shape.
        other = (SIDE // 2, 2 * SIDE)
        self.assertEqual(_grid_of(model, grid[0] * grid[1] + 1, other), ([other[0] // patch[0], other[1] // patch[1]], 1))
        self.assertEqual(_grid_of(model, grid[0] * grid[1] + 7, (SIDE, SIDE)), (None, None))

    def test_the_input_shows_where_there_is_no_picture(self):
        model = VisionTransformer(Attention(fused=False)).eval()
        with recording(model, self.file, mean=[0.5, 0.5, 0.5], std=[0.5, 0.5, 0.5]):
            model(torch.zeros(1, 3, SIDE, SIDE))
        self.succeed("figure", "heads", "-m", self.file, "--layer", "blocks.0.attn", "-o", self.path("heads.png"))
        self.assertIn(f"input       {SIDE} x {SIDE}", self.succeed("inspect", self.file))

    def test_nothing_is_recorded_that_the_module_did_not_compute(self):
        for kind in ("sima", "elu", "rotary", "talking_heads", "sigmoid", "windows", "pooled_keys"):
            with self.subTest(kind):
                errors = io.StringIO()
                with contextlib.redirect_stderr(errors):
                    self.record(VisionTransformer(Attention(), UnlikeSoftmax(kind)), unasked=True)
                self.assertIn("not recorded: blocks.1.attn: attention times values is off", errors.getvalue())
                with np.load(self.file) as file:
                    self.assertEqual(list(file["layers"]), ["blocks.0.attn"])
                    self.assertRegex(file["refused"][0], "^blocks.1.attn: ")
                said = self.succeed("inspect", self.file)
                self.assertIn("1 of 2 layers not recorded", said)
                self.assertIn("not recorded (1):\n  blocks.1.attn: attention times values is off", said)

    def test_modules_of_unknown_names_are_refused_by_name(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.record(VisionTransformer(Attention(), OtherNames()), unasked=True)
        self.assertIn("not recorded: blocks.1.attn: it has heads", errors.getvalue())
        self.assertNotIn("blocks.1.attn/q", self.keys())

    def test_the_forward_pass_goes_on_where_queries_are_laid_out_otherwise(self):
        class Narrow(UnlikeSoftmax):
            def __init__(self):
                super().__init__("sigmoid")
                self.qkv = nn.Linear(CHANNELS, CHANNELS + 1)

            def forward(self, x):
                return self.qkv(x)[..., 1:]

        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.record(VisionTransformer(Attention(), Narrow()), unasked=True)
        self.assertIn("not recorded: blocks.1.attn: its queries, keys and values are not laid out as expected",
                      errors.getvalue())

    def test_what_cannot_be_recorded_is_said(self):
        model = VisionTransformer(Softmaxed()).eval()
        with self.assertRaisesRegex(RuntimeError, "nothing was recorded"):
            with recording(model, self.file):
                model(torch.zeros(1, 3, SIDE, SIDE))
        self.assertFalse(os.path.exists(self.file))
        with self.assertRaisesRegex(ValueError, "safetensors"):
            with recording(model, self.path("rec.txt")):
                pass
        with self.assertRaisesRegex(ValueError, "uint8"):
            with recording(model, self.file, picture=np.zeros((3, 4, 4))):
                pass
        record_attention("nobody listens", attn=np.zeros((1, 4, 4)))

    def test_an_error_within_leaves_no_file_and_no_hook(self):
        model = VisionTransformer(Attention()).eval()
        with self.assertRaises(ZeroDivisionError):
            with recording(model, self.file):
                model(torch.zeros(1, 3, SIDE, SIDE))
                raise ZeroDivisionError
        self.assertFalse(os.path.exists(self.file))
        self.assertTrue(model.blocks[0].attn.fused_attn)
        self.assertEqual(sum(len(module._forward_hooks) for module in model.modules()), 0)

    def test_half_precision_of_autocast_is_in_the_file(self):
        model = VisionTransformer(Attention(fused=False), TorchAttention(True)).eval()
        with torch.no_grad():
            model.blocks[0].attn.qkv.weight *= 12
            model.blocks[1].attn.attention.in_proj_weight *= 12
        picture = torch.randn(1, 3, SIDE, SIDE)
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            try:
                model(picture)
            except RuntimeError:
                self.skipTest("this torch has no such products on a CPU")
            with contextlib.redirect_stderr(io.StringIO()), recording(model, self.file):
                model(picture)
        self.assertIn("blocks.0.attn/attn", self.keys())
        self.assert_close(self.dumped(self.file, "blocks.0.attn"), model.blocks[0].attn.seen[0].float().numpy(), 1e-4)
        self.assertNotIn("blocks.1.attn.attention/q", self.keys())  # which do not make this attention, either

    def test_claims_of_other_models_are_not_this_ones(self):
        teacher, student = (VisionTransformer(LinearAttention(record_attention, says_output=True)).eval()
                            for _ in range(2))
        picture = torch.randn(1, 3, SIDE, SIDE)
        with torch.no_grad(), recording(student, self.file):
            teacher(picture)
            student(picture)
            teacher(picture)
        with np.load(self.file) as file:
            self.assertEqual(file["layers"].tolist(), ["blocks.0.linear"])
        self.assert_shows("blocks.0.linear", student.blocks[0].attn.seen)

    def test_what_the_program_would_refuse_is_said_at_once(self):
        class Saying(VisionTransformer):
            def forward(self, x):
                for name, said in (("named", {"mechanism": "m" * 61}), ("placed", {"grid": (3, 3), "prefix": 1})):
                    record_attention(name, attn=np.full((2, 16, 16), 1 / 16), **said)
                record_attention("large", attn=np.tile(np.eye(1800, dtype=np.float32), (2, 1, 1)), grid=(0, 0))
                return super().forward(x).index_fill(1, torch.tensor([1]), float("inf"))
        with contextlib.redirect_stderr(io.StringIO()) as errors, torch.no_grad():
            model = Saying(Attention()).eval()
            with recording(model, self.file, classes="abcde"):
                model(torch.randn(1, 3, SIDE, SIDE))
        for line in ("named: mechanism=", "placed: grid=[3, 3] and prefix=1 do not fit its 16 queries",
                     "the logits: some of them are not finite"):
            self.assertIn(f"not recorded: {line}", errors.getvalue())
        self.assertIn("2 layers", self.succeed("inspect", self.file))

    def test_logits_are_the_first_pictures_and_what_probabilities_are_made_of(self):
        class Ending(VisionTransformer):
            def __init__(self, end):
                super().__init__(Attention())
                self.end = end

            def forward(self, x):
                return self.end(super().forward(x))
        for end, back in ((lambda y: y.softmax(-1), lambda y: y.softmax(-1)), (torch.sigmoid, torch.sigmoid)):
            probabilities = self.record(Ending(end), unasked=True)
            with np.load(self.file) as file:
                np.testing.assert_allclose(back(torch.as_tensor(file["logits"])), probabilities[0], atol=1e-5)
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.record(Ending(lambda y: y.repeat(3, 1)), unasked=True)
        self.assertNotIn("logits", self.keys())
        self.assertIn("the logits: the output has 6 rows for 2 pictures", errors.getvalue())

    def test_a_file_that_is_replaced_hands_its_permissions_on(self):
        with open(self.file, "wb"):
            os.chmod(self.file, 0o600)
        model = VisionTransformer(Attention()).eval()
        with torch.no_grad(), recording(model, self.file):
            model(torch.randn(1, 3, SIDE, SIDE))
        self.assertGreater(os.path.getsize(self.file), 100)
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main()
