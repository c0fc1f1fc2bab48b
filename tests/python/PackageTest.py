#!/usr/bin/env python3
"""The Python package on small networks of every kind of attention, against what these networks computed.

    PackageTest.py SOFTSCOPE
"""
import contextlib
import io
import os
import sys
import threading
import time
import unittest
import warnings
from types import SimpleNamespace
from unittest import mock

import numpy as np
import torch
from PIL import Image
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "recordings"), os.path.join(HERE, "..", "..", "python")]
import program  # noqa: E402
import softscope  # noqa: E402
from softscope.maps import Map  # noqa: E402
from softscope.places import find_places  # noqa: E402
from softscope.recorded import Layer  # noqa: E402
from networks import (CHANNELS, HEADS, SIDE, Attention, BiasedAttention, LinearAttention, OtherNames,  # noqa: E402
                      SelfAttention, Softmaxed, TorchAttention, UnlikeSoftmax, VisionTransformer)
from program import ProgramTest  # noqa: E402

WIDTH = CHANNELS // HEADS
SUBSCRIPTS = torch.Tensor.__getitem__, torch.Tensor.__setitem__  # before anything was recorded


class Mixed(nn.Module):
    """Attention that a function of q, k and v [batch, heads, n, d] computes, dense in `seen` where it sets that."""

    def __init__(self, mix, before=lambda x: x, after=lambda x, _: x):
        super().__init__()
        self.mix, self.before, self.after = mix, before, after
        self.seen = None
        self.num_heads = HEADS
        self.qkv = nn.Linear(CHANNELS, 3 * CHANNELS)
        self.proj = nn.Linear(CHANNELS, CHANNELS)
        nn.init.normal_(self.qkv.weight, std=0.5)

    def forward(self, x):
        whole = x.shape
        x = self.before(x)
        batch, tokens, channels = x.shape
        q, k, v = self.qkv(x).reshape(batch, tokens, 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4).unbind(0)
        made = self.mix(self, q, k, v)
        return self.after(self.proj(made.transpose(1, 2).reshape(batch, -1, channels)), whole)


def softmax(module, q, k, v):
    module.seen = (WIDTH ** -0.5 * q @ k.transpose(-1, -2)).softmax(-1)
    return module.seen @ v


def einsum(module, q, k, v):
    module.seen = torch.einsum("bhid,bhjd->bhij", q * WIDTH ** -0.5, k).softmax(-1)
    return torch.einsum("bhij,bhjd->bhid", module.seen, v)


def flat(module, q, k, v):
    """Batch and heads in one axis."""
    q, k, v = (x.flatten(0, 1) for x in (q, k, v))
    attention = torch.bmm(q * WIDTH ** -0.5, k.transpose(1, 2)).softmax(-1)
    module.seen = attention.reshape(-1, HEADS, *attention.shape[1:])
    return torch.bmm(attention, v).reshape(-1, HEADS, *v.shape[1:])


def masked(module, q, k, v):
    scores = WIDTH ** -0.5 * q @ k.transpose(-1, -2)
    module.seen = scores.masked_fill(torch.ones(65, 65).triu(1).bool(), float("-inf")).softmax(-1)
    return nn.functional.dropout(module.seen @ v, 0.1, module.training)


def normalised(module, q, k, v):
    scores = (q @ k.transpose(-1, -2)).relu() + 0.01
    module.seen = scores / scores.sum(-1, keepdim=True)
    return module.seen @ v


def sigmoid(module, q, k, v):
    module.seen = (WIDTH ** -0.5 * q @ k.transpose(-1, -2)).sigmoid()
    return module.seen @ v


def linear(module, q, k, v):
    q, k = q.relu() + 0.1, k.relu() + 0.1
    divisor = q @ k.sum(-2)[..., None]
    module.seen = q @ k.transpose(-1, -2) / divisor
    return q @ (k.transpose(-1, -2) @ v) / divisor


def linear_with_ones(module, q, k, v):
    """The divisor as one more channel of values."""
    q, k = q.relu() + 0.1, k.relu() + 0.1
    module.seen = q @ k.transpose(-1, -2) / (q @ k.sum(-2)[..., None])
    made = q @ (k.transpose(-1, -2) @ nn.functional.pad(v, (0, 1), value=1.0))
    return made[..., :-1] / made[..., -1:]


def reduced(module, q, k, v):
    k, v = k[..., 1::4, :], v[..., 1::4, :]
    return softmax(module, q, k, v)


def channels(module, q, k, v):
    return ((q.transpose(-1, -2) @ k).softmax(-1) @ v.transpose(-1, -2)).transpose(-1, -2)


def in_place(module, q, k, v):
    scores = WIDTH ** -0.5 * q @ k.transpose(-1, -2)
    scores += torch.linspace(-1, 1, 65)
    module.seen = scores.softmax(-1)
    made = torch.empty_like(v)
    made.copy_(module.seen @ v)
    return made


def convolved(module, q, k, v):
    return softmax(module, q, k, v) + v


def agents(module, q, k, v):
    """Two softmaxes by way of pooled queries, beside a convolution of V, as in "Agent Attention" (2023)."""
    few = nn.functional.adaptive_avg_pool1d(q[..., 1:, :].flatten(0, 1).transpose(1, 2), 9)
    few = few.transpose(1, 2).reshape(*q.shape[:2], 9, WIDTH)
    outer = (WIDTH ** -0.5 * q @ few.transpose(-1, -2)).softmax(-1)
    inner = (WIDTH ** -0.5 * few @ k.transpose(-1, -2)).softmax(-1)
    module.seen = outer @ inner
    return outer @ (inner @ v) + local(v)


def injective(module, q, k, v):
    """Linear attention whose weights are subtracted from their mean, as in "Bridging the Divide" (2024), InLine."""
    scores = WIDTH ** -0.5 * q @ k.transpose(-1, -2)
    module.seen = scores - scores.mean(-1, keepdim=True) + 1 / 65
    summed = WIDTH ** -0.5 * q @ (k.transpose(-1, -2) @ v)
    means = WIDTH ** -0.5 * q @ k.mean(-2, keepdim=True).transpose(-1, -2)
    return summed + (1 / 65 - means) * v.sum(-2, keepdim=True) + local(v)


def local(v):
    """A convolution along the tokens, of each head by itself."""
    filters = torch.linspace(-1, 1, 3 * WIDTH).reshape(WIDTH, 1, 3)
    return nn.functional.conv1d(v.flatten(0, 1).transpose(1, 2), filters, padding=1, groups=WIDTH).transpose(
        1, 2).reshape(v.shape)


def pooled_residual(module, q, k, v):
    """As in "MViTv2" (2022)."""
    return softmax(module, q, k, v) + q


def two_attentions(module, q, k, v):
    return softmax(module, q, k, v) - 0.5 * ((k @ q.transpose(-1, -2)).softmax(-1) @ v)


def one_key_and_value(module, q, k, v):
    """Heads that have keys and values in common."""
    return softmax(module, q, k[:, :1], v[:, :1])


def learning(_module, q, k, v):
    """A step of gradient descent on a little network of each head, k to v, which then maps q, as in "ViT3" (2025)."""
    weights = torch.eye(WIDTH).expand(*q.shape[:2], WIDTH, WIDTH)
    error = torch.tanh(k @ weights) - v
    slope = k.transpose(-1, -2) @ (error * (1 - torch.tanh(k @ weights) ** 2))
    return torch.tanh(q @ (weights - 0.1 * slope))


@torch.jit.script
def scripted_weights(q, k):
    return (q @ k.transpose(-1, -2)).softmax(-1)


@torch.jit.script
def scripted_attention(q, k, v):
    return scripted_weights(q, k) @ v


def into_windows(x):
    """Of 64 patches four windows of 16, in the batch."""
    return x[:, 1:].reshape(-1, 2, 4, 2, 4, CHANNELS).transpose(2, 3).reshape(-1, 16, CHANNELS)


def out_of_windows(x, whole):
    x = x.reshape(-1, 2, 2, 4, 4, CHANNELS).transpose(2, 3).reshape(-1, 64, CHANNELS)
    return torch.cat([torch.zeros(whole[0], 1, CHANNELS), x], 1)


class PackageTest(ProgramTest):
    def setUp(self):
        super().setUp()
        torch.manual_seed(0)
        self.file = self.path("rec.npz")
        if program.PROGRAM != "softscope":
            os.environ["SOFTSCOPE"] = program.PROGRAM

    def record(self, attention, batch=1, exact=True):
        model = VisionTransformer(attention).eval()
        image = torch.randn(batch, 3, SIDE, SIDE)
        with torch.no_grad():
            expected = model(image)
        recording = softscope.record(model, image, quiet=True)
        found = torch.as_tensor(recording.entries["logits"])
        if exact:
            self.assertTrue(torch.equal(found, expected[0]), "the output is bit for bit as without recording")
        torch.testing.assert_close(found, expected[0])
        return recording

    def assert_verified(self, recording, seen, parts=None):
        self.assertEqual(recording.refused, {})
        (layer,) = recording.layers
        self.assertLess(layer.verified, 1e-5)
        self.assertEqual(layer.map.shape(), tuple(seen.shape[1:]))
        for index, head in enumerate(recording.heads(layer.name)):
            for row in (0, 1, seen.shape[2] - 1):
                np.testing.assert_allclose(head.row(row), seen[0, index, row].detach().numpy(), atol=1e-5)
        if parts is not None:
            self.assertEqual(set(layer.map.parts), set(parts))

    def assert_refused(self, recording, reason):
        self.assertEqual(recording.recorded(), [])
        self.assertRegex("\n".join(recording.refused.values()), reason)

    def test_attention_of_every_kind_is_what_was_computed(self):
        kinds = {softmax: "qk", einsum: "qk", flat: "qk", masked: ["attn"], normalised: ["attn"], sigmoid: ["attn"],
                 linear: ["left", "right"], linear_with_ones: None, reduced: "qk", in_place: ["attn"]}
        for mix, parts in kinds.items():
            for batch in (1, 2):
                with self.subTest(mix.__name__, batch=batch):
                    attention = Mixed(mix)
                    self.assert_verified(self.record(attention, batch), attention.seen, parts)

    def test_the_recorders_networks(self):
        for attention in (Attention(fused=False), Attention(True, False), BiasedAttention(fused=False), SelfAttention(),
                          Softmaxed(), LinearAttention(softscope.record_attention)):
            with self.subTest(type(attention).__name__):
                self.assert_verified(self.record(attention), attention.seen)
        for kind in ("sima", "elu", "rotary", "talking_heads", "sigmoid", "pooled_keys"):
            with self.subTest(kind):
                (layer,) = self.record(UnlikeSoftmax(kind)).layers
                self.assertLess(layer.verified, 1e-5)
        self.assertLess(self.record(OtherNames()).layers[0].verified, 1e-5)

    def test_torchs_attention(self):
        for batch_first in (True, False):
            for batch in (1, 2):
                attention = TorchAttention(batch_first)
                seen = []
                handle = attention.register_forward_hook(lambda _m, inputs, _o, seen=seen: seen.append(inputs[0]))
                recording = self.record(attention, batch, exact=False)  # torch's fast path rounds otherwise
                handle.remove()
                tokens = seen[-1] if batch_first else seen[-1].transpose(0, 1)
                with torch.no_grad():
                    weights = attention.attention(tokens, tokens, tokens, average_attn_weights=False)[1]
                self.assert_verified(recording, weights, "qk")
        layer = nn.TransformerEncoderLayer(CHANNELS, HEADS, 64, batch_first=True)
        recorded = self.record(layer, exact=False).recorded()
        self.assertEqual([each.name for each in recorded], ["blocks.0.attn.self_attn"])

    @unittest.skipUnless(hasattr(nn.functional, "scaled_dot_product_attention"), "this torch has none")
    def test_fused_attention(self):
        fused = nn.functional.scaled_dot_product_attention
        mask = torch.rand(65, 65) > 0.3
        mask[:, 0] = True
        for given in ({}, {"is_causal": True}, {"attn_mask": mask}, {"scale": 0.5}):
            with self.subTest(**given):
                attention = Mixed(lambda _, q, k, v, given=given: fused(q, k, v, **given))
                recording = self.record(attention)
                self.assertEqual(recording.refused, {})
                self.assertLess(recording.layers[0].verified, 1e-5)

    @unittest.skipUnless("enable_gqa" in str(getattr(getattr(nn.functional, "scaled_dot_product_attention", None),
                                                     "__doc__", "")), "this torch has no grouped heads")
    def test_grouped_heads(self):
        def mix(module, q, k, v):
            k, v = k[:, :2], v[:, :2]
            module.seen = (WIDTH ** -0.5 * q @ k.repeat_interleave(2, 1).transpose(-1, -2)).softmax(-1)
            return nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
        attention = Mixed(mix)
        self.assert_verified(self.record(attention), attention.seen, "qk")

    def test_what_is_no_attention_over_the_picture_is_refused(self):
        for batch in (1, 2):
            self.assert_refused(self.record(Mixed(channels), batch), "over channels|mixes heads or channels")
            self.assert_refused(self.record(Mixed(two_attentions), batch), "something is added")
            self.assert_refused(self.record(Mixed(learning), batch), "something is added|over channels")
            self.assert_refused(self.record(Mixed(injective), batch), "something is added")
            self.assert_refused(self.record(UnlikeSoftmax("windows"), batch), "added|apart|behind other tokens")

    def test_what_is_added_to_attention_times_values_is_named(self):
        for mix, what in ((convolved, "the values"), (pooled_residual, "the queries"), (agents, "a convolution"),
                          (lambda *given: convolved(*given) + local(given[3]), "the values and a convolution")):
            for batch in (1, 2):
                with self.subTest(what, batch=batch):
                    attention = Mixed(mix)
                    recording = self.record(attention, batch)
                    self.assert_verified(recording, attention.seen)
                    (layer,) = recording.layers
                    self.assertRegex(layer.beside, f"^{what}, [0-9.]+ times as large as attention times values$")
                    self.assertIn(f"beside {what}", repr(layer))
                    recording.save(self.file)
                    self.assertEqual(softscope.read(self.file).layers[0].beside, layer.beside)
                    said = self.succeed("inspect", self.file)
                    self.assertIn(f"{what} stands beside the attention of 1 of 1 layers", said)

    def test_the_size_of_what_is_added(self):
        attention = Mixed(pooled_residual)
        seen = []
        attention.qkv.register_forward_hook(lambda _module, _inputs, output: seen.append(output.detach()))
        (layer,) = self.record(attention).layers
        q, _, v = seen[-1].reshape(1, 65, 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4).unbind(0)
        expected = float(q.norm() / (attention.seen @ v).norm())
        self.assertAlmostEqual(float(layer.beside.split(", ")[1].split()[0]), expected, delta=0.05 * expected)

    def test_heads_with_values_in_common_are_heads(self):
        for batch in (1, 2):
            attention = Mixed(one_key_and_value)
            self.assert_verified(self.record(attention, batch), attention.seen)

    def test_windows_beside_a_class_token_are_those_of_the_patches(self):
        for batch in (1, 2):
            attention = Mixed(softmax, into_windows, out_of_windows)
            (layer,) = self.record(attention, batch).recorded()
            self.assertEqual(sorted(layer.map.parts), ["blocks", "cols", "rows"])
            numbers = into_windows(torch.arange(65.0).reshape(1, 65, 1).expand(1, 65, CHANNELS))[:, :, 0].long() - 1
            whole = torch.zeros(HEADS, 64, 64)
            for tokens, weights in zip(numbers, attention.seen):
                whole[:, tokens[:, None], tokens] = weights.detach()
            torch.testing.assert_close(layer.map.rows(0, 64), whole)

    def test_tokens_that_were_picked_are_not_laid_over_the_picture(self):
        class Picking(VisionTransformer):
            def forward(self, x):
                x = self.patch_embed(x)
                return self.head(self.blocks[0](x[:, torch.randperm(64)[:16]]).mean(1))
        recording = softscope.record(Picking(Mixed(softmax)).eval(), torch.randn(1, 3, SIDE, SIDE), quiet=True)
        self.assertEqual(recording.entries["blocks.0.attn/grid"].tolist(), [0, 0])

    def test_lists_and_arrays_pick_tokens_as_tensors_do(self):
        class Picking(VisionTransformer):
            def forward(self, x):
                return self.head(self.blocks[0](self.patch_embed(x)[self.index]).mean(1))
        picks = list(range(0, 64, 4))
        for index, grid in (((slice(None), picks), [0, 0]), ((slice(None), np.array(picks)), [0, 0]),
                            ((slice(None), slice(0, 16)), [0, 0]), ((slice(None), slice(64), slice(None)), [8, 8])):
            model = Picking(Mixed(softmax)).eval()
            model.index = index
            recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
            self.assertEqual(recording.entries["blocks.0.attn/grid"].tolist(), grid)

    def test_the_grid_is_that_of_this_input(self):
        model = VisionTransformer(Mixed(softmax)).eval()
        picture = torch.randn(1, 3, SIDE // 2, SIDE * 2)  # as many patches as the model was built for
        for size in (SIDE // 8, (8, 8), None):
            if size is not None:
                model.patch_embed.patch_size = size
            else:
                del model.patch_embed.patch_size
            entries = softscope.record(model, picture, quiet=True).entries
            self.assertEqual(entries["blocks.0.attn/grid"].tolist(), [0, 0] if size is None else [4, 16])
            self.assertEqual("blocks.0.attn/prefix" in entries, size is not None)
        entries = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True).entries
        self.assertEqual(entries["blocks.0.attn/grid"].tolist(), [8, 8])
        self.assertEqual(int(entries["blocks.0.attn/prefix"]), 1)

    def test_tokens_that_nobody_speaks_of_are_no_prefix(self):
        model = VisionTransformer(Mixed(softmax))
        self.assertEqual(find_places(model, (64, 64), 69, 69), (None, None, False))
        del model.num_prefix_tokens
        self.assertEqual(find_places(model, (64, 64), 65, 65), ([8, 8], 1, False))  # its class token
        self.assertEqual(find_places(model, (64, 64), 69, 69), (None, None, False))
        model.cls_token = None
        self.assertEqual(find_places(model, (64, 64), 65, 65), (None, None, False))
        self.assertEqual(find_places(model, (64, 64), 64, 64), ([8, 8], 0, False))

    def test_a_square_is_left_to_be_guessed(self):
        plain = nn.Identity()
        for queries, keys in ((64, 64), (65, 65), (1, 64), (1, 65), (3136, 49), (100, 64)):
            self.assertEqual(find_places(plain, (224, 224), queries, keys), (None, None, False))
            self.assertEqual(find_places(plain, None, queries, keys), (None, None, False))
        for queries, keys, grid in ((32, 32, [4, 8]), (33, 33, [0, 0]), (128, 32, [8, 16, 4, 8]), (1, 32, [0, 0, 4, 8]),
                                    (1, 33, [0, 0]), (32, 128, [0, 0]), (100, 32, [0, 0])):
            self.assertEqual(find_places(plain, (112, 224), queries, keys), (grid, None, any(grid)))
        self.assertEqual(find_places(plain, (224, 224), 100, 60), ([0, 0], None, False))
        model = VisionTransformer(Mixed(softmax)).eval()
        del model.patch_embed.grid_size
        model.cls_token = nn.Parameter(torch.randn(1, 0, CHANNELS))
        model.pos_embed = nn.Parameter(torch.randn(1, 1, CHANNELS))
        for sides in ((SIDE, SIDE), (2 * SIDE, SIDE)):
            softscope.record(model, torch.randn(1, 3, *sides), quiet=True).save(self.file)
            self.assertRegex(self.succeed("inspect", self.file), "mechanism +softmax, grid guessed\n")

    def test_heads_are_silenced_and_what_stands_beside_them_stays(self):
        def without(module, q, k, v):
            made = softmax(module, q, k, v).clone()
            made[:, 1] = 0
            return made + v
        attention = Mixed(convolved)
        model = VisionTransformer(attention).eval()
        picture = torch.randn(1, 3, SIDE, SIDE)
        recording = softscope.record(model, picture, quiet=True)
        with torch.no_grad():
            with softscope.silenced(model, recording, {"blocks.0.attn": [1]}):
                silent = model(picture)
            attention.mix = without
            torch.testing.assert_close(silent, model(picture), rtol=0, atol=1e-6)

    def test_heads_are_silenced_where_they_were_found(self):
        for mix in (softmax, einsum, flat, linear, masked, one_key_and_value):
            attention = Mixed(mix)
            model = VisionTransformer(Mixed(softmax), attention).eval()
            picture = torch.randn(1, 3, SIDE, SIDE)
            recording = softscope.record(model, picture, quiet=True)

            def clear(_module, inputs):
                cleared = inputs[0].clone()
                cleared[..., WIDTH:2 * WIDTH] = 0
                return (cleared,)
            with torch.no_grad():
                before = model(picture)
                with softscope.silenced(model, recording, {"blocks.1.attn": [1]}):
                    silent = model(picture)
                    again = model(picture)
                hook = attention.proj.register_forward_pre_hook(clear)
                expected = model(picture)
                hook.remove()
                self.assertTrue(torch.equal(model(picture), before))
            self.assertGreater(float((expected - before).abs().max()), 1e-4)
            self.assertTrue(torch.equal(silent, expected) and torch.equal(again, expected))
        with self.assertRaisesRegex(KeyError, "no recorded layer"):
            with softscope.silenced(model, recording, {"blocks.2.attn": [0]}):
                pass
        with self.assertRaisesRegex(IndexError, f"has {HEADS} heads"):
            with softscope.silenced(model, recording, {"blocks.1.attn": [HEADS]}):
                pass
        with self.assertRaisesRegex(RuntimeError, "did not come by"):
            with softscope.silenced(model, recording, {"blocks.1.attn": [0]}):
                pass

    def test_heads_of_several_pictures_are_not_silenced(self):
        model, pictures = VisionTransformer(Mixed(softmax)).eval(), torch.randn(2, 3, SIDE, SIDE)
        recording = softscope.record(model, pictures, quiet=True)
        with self.assertRaisesRegex(ValueError, "of 2 pictures"):
            with softscope.silenced(model, recording, {"blocks.0.attn": [1]}):
                model(pictures)

    def test_wrong_claims_are_refused(self):
        def claims(times):
            def mix(module, q, k, v):
                made = softmax(module, q, k, v)
                softscope.record_attention("claimed", q=times * q, k=k)
                return made
            return mix
        self.assertLess(self.record(Mixed(claims(1))).layers[0].verified, 1e-5)
        recording = self.record(Mixed(claims(2)))
        self.assertRegex(recording.refused["claimed"], "is not what was computed")
        self.assertEqual([layer.name for layer in recording.recorded()], ["blocks.0.attn"])

    def test_the_models_own_errors_are_the_models(self):
        def fails(_module, q, k, v):
            raise ZeroDivisionError("mine")
        model = VisionTransformer(Mixed(fails)).eval()
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            softscope.record(model, torch.zeros(1, 3, SIDE, SIDE))
        self.assertEqual(sum(len(module._forward_hooks) for module in model.modules()), 0)

    def test_training_drops_at_random(self):
        model = VisionTransformer(Mixed(masked)).train()
        self.assert_refused(softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True), "train mode")

    def test_weights_that_are_dropped_at_random(self):
        def dropped(_module, q, k, v):
            return nn.functional.dropout((WIDTH ** -0.5 * q @ k.transpose(-1, -2)).softmax(-1), 0.1) @ v

        def dropped_queries(module, q, k, v):
            return softmax(module, nn.functional.dropout(q, 0.1), k, v)
        for attention in (Mixed(dropped), Mixed(dropped_queries), TorchAttention(True, dropout=0.1)):
            model = VisionTransformer(attention).train()
            self.assert_refused(softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True), "train mode")
        recording = softscope.record(model.eval(), torch.randn(1, 3, SIDE, SIDE), quiet=True)
        self.assertEqual(recording.refused, {})

    def test_a_recording_is_of_one_pass(self):
        model = VisionTransformer(Mixed(softmax)).eval()
        first, second = torch.randn(2, 1, 3, SIDE, SIDE)
        with contextlib.redirect_stderr(io.StringIO()):
            with self.assertRaisesRegex(RuntimeError, "one pass"):
                with softscope.recording(model, self.file):
                    model(first)
                    model(second)
            self.assertFalse(os.path.exists(self.file))
            with softscope.recording(model, self.file) as recording:
                model(first)
                with self.assertRaisesRegex(RuntimeError, "one pass"):
                    model(second)
        self.assertEqual([layer.name for layer in recording.layers], ["blocks.0.attn"])
        with torch.no_grad():
            torch.testing.assert_close(torch.as_tensor(recording.entries["logits"]), model(first)[0])

    def test_a_mask_is_seen_beside_a_sharp_head(self):
        class Masked(nn.Module):
            """Of two heads, one attends to one key each, and the other to all but some keys alike."""

            def __init__(self):
                super().__init__()
                self.patches = nn.Conv2d(3, 64, 2, 2)
                self.q, self.k, self.v = nn.Linear(64, 64), nn.Linear(64, 64), nn.Linear(64, 64)
                self.proj = nn.Linear(64, 5)
                self.strength = torch.tensor([50.0, 0.001]).reshape(2, 1, 1)
                self.mask = torch.zeros(2, 1, 1024, dtype=torch.bool)
                self.mask[1, :, :4] = True

            def forward(self, x):
                x = self.patches(x).flatten(2).transpose(1, 2)
                q, k, v = (part(x).reshape(1, 1024, 2, 32).transpose(1, 2) for part in (self.q, self.k, self.v))
                self.seen = (q * self.strength @ k.transpose(-1, -2)).masked_fill(self.mask, -1e9).softmax(-1)
                return self.proj((self.seen @ v).transpose(1, 2).reshape(1, 1024, 64)).mean(1)
        model = Masked().eval()
        recording = softscope.record(model, torch.randn(1, 3, 64, 64), quiet=True)
        self.assert_verified(recording, model.seen, ["attn"])
        self.assertEqual(float(recording.heads(recording.layers[0].name)[1].row(7)[:4].max()), 0)

    def test_inference_mode_and_gradients(self):
        for context in (torch.inference_mode, torch.enable_grad):
            attention = Mixed(linear)
            model = VisionTransformer(attention).eval()
            with context(), softscope.recording(model, self.file) as recording:
                model(torch.randn(1, 3, SIDE, SIDE))
            self.assert_verified(recording, attention.seen)

    @unittest.skipUnless(hasattr(getattr(torch, "compiler", None), "set_stance"), "this torch has no stances")
    def test_compiled_models_run_uncompiled_for_the_while(self):
        attention = Mixed(softmax)
        model = torch.compile(VisionTransformer(attention).eval(), backend="eager")
        recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
        self.assert_verified(recording, attention.seen)

    def test_scripted_models_are_told_about(self):
        model = torch.jit.trace(VisionTransformer(SelfAttention()).eval(), torch.zeros(1, 3, SIDE, SIDE))
        with self.assertRaisesRegex(ValueError, "scripted or traced"):
            softscope.record(model, torch.zeros(1, 3, SIDE, SIDE))

    def test_the_old_names_and_the_file(self):
        model = VisionTransformer(Attention(fused=False), Mixed(two_attentions), Softmaxed()).eval()
        for name in ("rec.npz", "rec.safetensors"):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                with softscope.recording(model, self.path(name), patterns=["blocks.2.attn.attend"],
                                         picture=np.zeros((48, 48, 3), np.uint8), classes=list("abcde")):
                    model(torch.randn(1, 3, SIDE, SIDE))
            self.assertIn("not recorded: blocks.1.attn: Mixed: something is added", errors.getvalue())
            again = softscope.read(self.path(name))
            self.assertEqual([layer.name for layer in again.layers],
                             ["blocks.0.attn", "blocks.2.attn.attend", "blocks.1.attn"])
            self.assertIn("blocks.1.attn", again.refused)
            seen = model.blocks[0].attn.seen[0].detach().numpy()
            np.testing.assert_allclose(again.heads("blocks.0.attn")[1].row(7), seen[1, 7], atol=1e-5)
            self.assert_close(self.dumped(self.path(name), "blocks.0.attn"), seen, 1e-5)
            self.assertIn("1 of 3 layers not recorded", self.succeed("inspect", self.path(name)))

    def test_files_that_are_no_recordings(self):
        for name, content in (("a.npz", b""), ("b.npz", b"hello\n"), ("c.npz", b"PK\x03\x04" + bytes(40)),
                              ("d.safetensors", b""), ("e.safetensors", b"\xff" * 64),
                              ("f.safetensors", b"\x02" + bytes(7) + b"[]"),
                              ("g.safetensors", b"\x0c" + bytes(7) + b'{"a/q": {}}\n')):
            with open(self.path(name), "wb") as file:
                file.write(content)
            for read in (softscope.read, softscope.show):
                with self.assertRaisesRegex(ValueError, f"{name}: is empty, damaged, or no recording"):
                    read(self.path(name))
        with self.assertRaisesRegex(FileNotFoundError, "nothing.npz"):
            softscope.read(self.path("nothing.npz"))

    def test_pictures(self):
        model = VisionTransformer(Attention(fused=False)).eval()
        pixels = np.random.default_rng(3).integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)
        with self.assertRaisesRegex(ValueError, "transform="):
            softscope.record(model, pixels)
        recording = softscope.record(model, pixels, mean=[0.5] * 3, std=[0.5] * 3, size=SIDE)
        np.testing.assert_array_equal(recording.entries["picture"], pixels)

        def of_picture(picture):
            return torch.as_tensor(np.array(picture.convert("RGB"))).permute(2, 0, 1) / 255

        def of_array(array):
            return torch.as_tensor(array.transpose(2, 0, 1) / np.float32(255))
        for transform in (of_picture, of_array):
            recording = softscope.record(model, pixels, transform=transform, mean=[0] * 3, std=[1] * 3)
            np.testing.assert_array_equal(recording.entries["picture"], pixels)

    def test_inputs_are_taken_as_they_are(self):
        class Text(nn.Module):
            def __init__(self):
                super().__init__()
                self.table, self.block = nn.Embedding(9, CHANNELS), TorchAttention(True)

            def forward(self, x):
                return self.block(x if x.is_floating_point() else self.table(x))

        class Named(VisionTransformer):
            def forward(self, x):
                return super().forward(x["picture"] if isinstance(x, dict) else torch.stack(x))
        picture = torch.randn(3, SIDE, SIDE)
        for model, given, shape in ((Text(), torch.randint(0, 9, (1, 12)), (12, 12)),
                                    (Text(), torch.randn(1, 12, CHANNELS), (12, 12)),
                                    (Text(), torch.randn(2, 12, CHANNELS), (12, 12)),
                                    (Named(Mixed(softmax)), {"picture": picture[None]}, (65, 65)),
                                    (Named(Mixed(softmax)), [picture], (65, 65)),
                                    (VisionTransformer(Mixed(softmax)), picture, (65, 65))):
            (layer,) = softscope.record(model.eval(), given, quiet=True).recorded()
            self.assertEqual(layer.map.shape()[1:], shape)
        with self.assertRaisesRegex(ValueError, "what holds tensors"):
            softscope.record(model, [1, 2])

    def test_a_batch_of_three_is_no_picture(self):
        model = nn.Sequential(TorchAttention(True)).eval()
        for batch in (1, 2, 3, 4):
            with contextlib.redirect_stderr(io.StringIO()), softscope.recording(model, self.file) as recording:
                model(torch.randn(batch, 16, CHANNELS))
            self.assertEqual([layer.map.shape()[1:] for layer in recording.recorded()], [(16, 16)])

    def test_attention_across_pictures_is_none_within_each(self):
        def across(self, x):
            x = self.patch_embed(x)
            return self.head(self.blocks[0](x.transpose(0, 1)).transpose(0, 1).mean(1))
        for pictures in (4, 64):  # of 64 tokens each
            recording = softscope.record(self.vision(Mixed(softmax), across, 0),
                                         torch.randn(pictures, 3, SIDE, SIDE), quiet=True)
            self.assert_refused(recording, "as many as the pictures" if pictures == 64 else "64 sets of tokens")

    def test_heads_and_frames_are_no_pictures(self):
        class Queries(nn.Module):
            """Three heads, whose queries a module is given."""

            def __init__(self):
                super().__init__()
                self.qkv, self.norm, self.proj = nn.Linear(48, 144), nn.LayerNorm(16), nn.Linear(48, 48)

            def forward(self, x):
                q, k, v = self.qkv(x).reshape(*x.shape[:2], 3, 3, 16).permute(2, 0, 3, 1, 4)
                return self.proj(((self.norm(q) @ k.transpose(-1, -2)).softmax(-1) @ v).transpose(1, 2).flatten(2))

        class Grey(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed, self.block = nn.Conv2d(1, 48, 8, 8), Queries()

            def forward(self, x):
                return self.block(self.embed(x).flatten(2).transpose(1, 2)).mean(1)
        for batch in (1, 2):
            recording = softscope.record(Grey().eval(), torch.randn(batch, 1, 32, 32), quiet=True, mean=[0.5] * 3,
                                         std=[0.5] * 3)
            self.assertEqual(recording.refused, {})
            self.assertEqual(set(recording.entries), {"logits"})

        class Video(nn.Module):
            """Attention within each frame, and then over all frames at each place."""

            def __init__(self):
                super().__init__()
                self.embed = nn.Conv2d(3, CHANNELS, 16, 16)
                self.space, self.time = Mixed(softmax), Mixed(softmax)

            def forward(self, x):
                frames = x.shape[1]
                x = self.space(self.embed(x[0]).flatten(2).transpose(1, 2)).reshape(1, -1, CHANNELS)
                x = self.time(x.reshape(frames, -1, CHANNELS).transpose(0, 1))
                return x.transpose(0, 1).reshape(1, -1, CHANNELS)
        for frames in (5, 16):
            model = Video().eval()
            recording = softscope.record(model, torch.randn(1, frames, 3, SIDE, SIDE), quiet=True)
            self.assertEqual([recording.entries[f"{layer.name}/grid"].tolist() for layer in recording.recorded()],
                             [[0, 0]] * len(recording.recorded()))
            self.assertNotIn("input_size", recording.entries)
            layers = {layer.name: layer.map for layer in recording.recorded()}
            self.assertEqual("space" in layers, frames == 5)  # of 16 tokens in 16 frames it cannot be told
            found = layers["time"].rows(0, frames * 16)[0].reshape(frames, 16, frames, 16)
            expected = torch.zeros_like(found)
            for place, seen in enumerate(model.time.seen[:, 0]):
                expected[:, place, :, place] = seen
            np.testing.assert_allclose(found.numpy(), expected.detach().numpy(), atol=1e-5)

        class Still(nn.Module):
            """Attention over the means of frames."""

            def __init__(self):
                super().__init__()
                self.embed, self.time = nn.Conv2d(3, CHANNELS, 16, 16), Mixed(softmax)

            def forward(self, x):
                return self.time(self.embed(x.flatten(0, 1)).mean((2, 3))[None])
        recording = softscope.record(Still().eval(), torch.randn(1, 4, 3, SIDE, SIDE), quiet=True)
        self.assertEqual(recording.refused, {})
        self.assertEqual(recording.entries["time/grid"].tolist(), [0, 0])

        def last(self, x):
            return VisionTransformer.forward(self, x.permute(0, 3, 1, 2))
        recording = softscope.record(self.vision(Mixed(softmax), last), torch.randn(1, SIDE, SIDE, 3), quiet=True)
        self.assertEqual(recording.entries["input_size"].tolist(), [SIDE, SIDE])

    def test_patches_that_leave_pixels_over(self):
        class Patches(VisionTransformer):
            def __init__(self, side):
                super().__init__(Mixed(softmax))
                self.patch_embed = nn.Conv2d(3, CHANNELS, side, side)

            def forward(self, x):
                return self.head(self.blocks[0](self.patch_embed(x).flatten(2).transpose(1, 2)).mean(1))
        given = {"mean": [0.5] * 3, "std": [0.5] * 3, "quiet": True}
        for size, region in (((44, 44), [0, 0, 32, 32]), ((40, 60), [0, 0, 48, 32]), ((48, 32), None)):
            recording = softscope.record(Patches(16).eval(), torch.randn(1, 3, *size), **given)
            self.assertEqual(recording.entries["input_size"].tolist(), list(size))
            self.assertEqual(None if region is None else np.round(recording.entries["region"], 6).tolist(), region)
            self.assertEqual("region" in recording.entries, region is not None)
            if size == (40, 60):
                self.assertEqual(recording.entries["blocks.0.attn/grid"].tolist(), [2, 3])
            recording.save(self.file)
            self.succeed("inspect", self.file)
        with contextlib.redirect_stderr(io.StringIO()), softscope.recording(
                model := Patches(16).eval(), self.file, picture=np.zeros((88, 88, 3), np.uint8)) as recording:
            model(torch.randn(1, 3, 44, 44))
        np.testing.assert_allclose(recording.entries["region"], [0, 0, 64, 64])
        self.assertNotIn("region", softscope.record(Patches(16).eval(), torch.randn(1, 3, 44, 44), quiet=True).entries)

        def cut(self, x):
            x = nn.functional.unfold(x, 8, stride=8)[:, :CHANNELS].transpose(1, 2)
            return self.head(self.blocks[0](x).mean(1))
        self.assertEqual(self.grid_of(self.vision(Mixed(softmax), cut, 0), 60, 60), [0, 0])
        self.assertNotEqual(self.grid_of(self.vision(Mixed(softmax), cut, 0), 64, 32), [0, 0])

        class Stem(nn.Module):
            """Two convolutions of the picture, one of which passes over every other pixel, as MobileOne's."""

            def __init__(self):
                super().__init__()
                self.wide, self.narrow = nn.Conv2d(3, CHANNELS, 3, 2, 1), nn.Conv2d(3, CHANNELS, 1, 2)
                self.patches = nn.Conv2d(CHANNELS, CHANNELS, 8, 8)

            def forward(self, x):
                return self.patches(self.wide(x) + self.narrow(x))
        model = Patches(16)
        model.patch_embed = Stem()
        recording = softscope.record(model.eval(), torch.randn(1, 3, 48, 32), **given)
        self.assertEqual(recording.entries.get("blocks.0.attn/grid", np.array([3, 2])).tolist(), [3, 2])
        self.assertNotIn("region", recording.entries)

    def test_another_thread_may_run_the_model(self):
        model, failed, runs = VisionTransformer(Attention(fused=False)).eval(), [], []
        ends = threading.Event()

        def other():
            while not ends.is_set():
                try:
                    with torch.no_grad():
                        runs.append(model(torch.randn(1, 3, SIDE, SIDE)))
                except RuntimeError as error:
                    failed.append(error)
        thread = threading.Thread(target=other)
        thread.start()
        try:
            picture = torch.randn(1, 3, SIDE, SIDE)
            recordings = [softscope.record(model, picture, quiet=True) for _ in range(6)]
            for _ in range(3):
                with softscope.silenced(model, recordings[0], {"blocks.0.attn": [0]}), torch.no_grad():
                    model(picture)
            rows = [softscope.jacobian(model, picture, 3, directions=2).norms for _ in range(3)]
        finally:
            ends.set()
            thread.join()
        self.assertEqual((failed, len(runs) > 9), ([], True))
        for recording in recordings:
            self.assertEqual([layer.name for layer in recording.recorded()], ["blocks.0.attn"])
        np.testing.assert_array_equal(rows[0], rows[-1])

    def test_torchs_subscripts_are_its_own_again(self):
        self.record(Mixed(softmax))
        self.assertEqual((torch.Tensor.__getitem__, torch.Tensor.__setitem__), SUBSCRIPTS)

    def test_figures_and_the_window(self):
        recording = self.record(Mixed(softmax))
        self.assertEqual(recording._repr_png_()[:4], b"\x89PNG")
        def drawn(png):  # without the command in the file, which names it
            return np.asarray(Image.open(io.BytesIO(png)))

        file = os.path.join(os.path.dirname(self.file), "recording.npz")  # as figure() names it
        recording.save(file)
        png = drawn(softscope.figure(file, query="2,1", smooth=True))
        np.testing.assert_array_equal(png, drawn(recording.figure(query="2,1", smooth=True)))
        np.testing.assert_array_equal(png, drawn(softscope.figure(recording, query=[(2, 1)], smooth=True)))
        self.assertFalse(np.array_equal(png, drawn(recording.figure(query="2,2", smooth=True))))
        model = VisionTransformer(Attention(fused=False)).eval()
        given = {"mean": [0.5] * 3, "std": [0.5] * 3, "size": SIDE}
        pixels = np.zeros((SIDE, SIDE, 3), np.uint8)
        np.testing.assert_array_equal(drawn(softscope.figure(model, pixels, **given)),
                                      drawn(softscope.record(model, pixels, quiet=True, **given).figure()))
        class Timed(VisionTransformer):
            def forward(self, x, t, size=2):
                return super().forward(x) * t
        for options in ({"grid": (8, 8)}, {"prefix": 1}, {"classes": list("abcde")}, {"patterns": ()}):
            self.assertEqual(softscope.figure(model, pixels, **given, **options)[:4], b"\x89PNG")
        self.assertEqual(softscope.figure(Timed(Attention(fused=False)).eval(), pixels, **given, t=2.0)[:4], b"\x89PNG")
        with self.assertRaisesRegex(RuntimeError, "--nonsense"):
            recording.figure(nonsense=1)
        with self.assertRaisesRegex(ValueError, "pictures, and not tensors"):
            softscope.figure(file, torch.zeros(1, 3, SIDE, SIDE))
        before = {name: os.environ.pop(name) for name in ("DISPLAY", "WAYLAND_DISPLAY") if name in os.environ}
        try:
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertIsNone(softscope.show(recording, path=self.file))
        finally:
            os.environ.update(before)
        self.assertIn(f"softscope -m {self.file}", said.getvalue())
        named = os.environ.get("SOFTSCOPE")
        os.environ["SOFTSCOPE"] = "/nonexistent"
        try:
            with self.assertRaisesRegex(FileNotFoundError, "SOFTSCOPE names"):
                recording.figure()
        finally:
            del os.environ["SOFTSCOPE"]
            if named:
                os.environ["SOFTSCOPE"] = named

    def vision(self, attention, forward=None, prefix=1):
        """A model whose forward() is another one; without its class token where `prefix` is 0."""
        class Other(VisionTransformer):
            pass
        if forward is not None:
            Other.forward = forward
        model = Other(attention).eval()
        if not prefix:
            model.num_prefix_tokens, model.cls_token = 0, None
        return model

    def grid_of(self, model, *size):
        """Of the only layer: "refused", or the grid that the file has."""
        recording = softscope.record(model, torch.randn(1, 3, *(size or (SIDE, SIDE))), quiet=True)
        (layer,) = recording.layers
        return "refused" if layer.refused else recording.entries[f"{layer.name}/grid"].tolist()

    def test_half_precision_of_autocast_is_in_the_file(self):
        for half in (torch.bfloat16, torch.float16):
            with self.subTest(half):
                attention = Mixed(softmax)
                nn.init.normal_(attention.qkv.weight, std=2)
                model, picture = VisionTransformer(attention).eval(), torch.randn(1, 3, SIDE, SIDE)
                try:
                    with torch.autocast("cpu", dtype=half):
                        rounds = model(picture).dtype == half
                except RuntimeError:
                    rounds = False
                if not rounds:
                    self.skipTest("this torch has no such products on a CPU")
                with torch.autocast("cpu", dtype=half):
                    recording = softscope.record(model, picture, quiet=True)
                    row = recording.heads("blocks.0.attn")[0].row(5)
                (layer,) = recording.layers
                seen = attention.seen[0].to(half).float()
                np.testing.assert_allclose(layer.map.rows(0, 65).numpy(), seen.numpy(), atol=1e-4)
                np.testing.assert_array_equal(row, layer.map.rows(5, 6)[0, 0].numpy())
                self.assertEqual(set(layer.map.parts), {"attn"})

    def test_what_explains_attention_nearly_does_not_explain_it(self):
        def biased(module, q, k, v):
            bias = torch.zeros(65)
            bias[0] = 5e-4
            module.seen = (WIDTH ** -0.5 * q @ k.transpose(-1, -2) + bias).softmax(-1)
            return module.seen @ v
        attention = Mixed(biased)
        self.assert_verified(self.record(attention), attention.seen, ["attn"])

    def test_recording_leaves_running_statistics_and_random_numbers(self):
        class Normalised(nn.Module):
            """Windows, with a normalisation of batches before or behind them."""

            def __init__(self, before):
                super().__init__()
                self.before, self.attn, self.norm = before, Mixed(softmax), nn.BatchNorm1d(CHANNELS)

            def forward(self, x):
                x = self.norm(x.transpose(1, 2)).transpose(1, 2) if self.before else x
                x = out_of_windows(self.attn(into_windows(x)), x.shape)
                return x if self.before else self.norm(x.transpose(1, 2)).transpose(1, 2)
        picture = torch.randn(1, 3, SIDE, SIDE)
        for before in (True, False):
            model = VisionTransformer(Normalised(before)).train()
            state = {name: value.clone() for name, value in model.state_dict().items()}
            with torch.no_grad():
                model(picture)
            expected = {name: value.clone() for name, value in model.state_dict().items()}
            model.load_state_dict(state)
            softscope.record(model, picture, quiet=True)
            for name, value in model.state_dict().items():
                self.assertTrue(torch.equal(value, expected[name]), name)

        def noisy(module, q, k, v):
            made = softmax(module, q, k, v)
            return made * (1 + 0 * torch.rand_like(made))
        model = VisionTransformer(Mixed(noisy)).eval()
        drawn = []
        for run in (lambda: model(picture), lambda: softscope.record(model, picture, quiet=True)):
            torch.manual_seed(5)
            with torch.no_grad():
                run()
            drawn.append(torch.rand(4))
        self.assertTrue(torch.equal(*drawn))

    def test_tokens_that_were_reordered_have_no_places(self):
        order = torch.randperm(64)

        def put(x):
            made = torch.empty_like(x)
            made[:, order] = x
            return made
        kinds = {"setitem": put, "scatter": lambda x: torch.zeros_like(x).scatter(1, order[None, :, None].expand_as(x), x),
                 "index_copy": lambda x: torch.zeros_like(x).index_copy(1, order, x), "sort": lambda x: x.sort(1).values,
                 "index_put": lambda x: torch.zeros_like(x[0]).index_put((order,), x[0])[None],
                 "embedding": lambda x: nn.functional.embedding(order[None], x[0]), "of one": lambda x: x[0][order][None],
                 "matrix": lambda x: torch.eye(64)[order] @ x, "fliplr": torch.fliplr,
                 "rot90": lambda x: x.reshape(1, 8, 8, CHANNELS).rot90(1, (1, 2)).flatten(1, 2),
                 "stack": lambda x: torch.stack([x[:, int(place)] for place in order], 1),
                 "numbers": lambda x: x.flatten(1)[:, (order[:, None] * CHANNELS + torch.arange(CHANNELS)).flatten()]
                 .reshape(x.shape)}
        still = {"as they are": lambda x: x, "parts": lambda x: torch.cat([x[:, :5], x[:, 5:]], 1),
                 "stacked": lambda x: torch.stack([x[:, place] for place in range(64)], 1),
                 "zeroed": lambda x: x.masked_fill((order < 9)[:, None], 0),
                 "weights": lambda x: x + torch.randn(100, CHANNELS)[order],
                 "channels": lambda x: torch.cat([-x[..., 4:], x[..., :4]], -1)}
        for kinds, grid in ((kinds, [0, 0]), (still, [8, 8])):
            for name, change in kinds.items():
                with self.subTest(name):
                    model = self.vision(Mixed(softmax), lambda self, x, change=change: self.head(
                        self.blocks[0](change(self.patch_embed(x))).mean(1)), 0)
                    self.assertEqual(self.grid_of(model), grid)

    def test_tokens_that_were_rolled_are_followed_or_refused(self):
        class Roll(nn.Module):
            def __init__(self, by):
                super().__init__()
                self.by = by

            def forward(self, x):
                return x.roll(self.by, 1)

        def parts(x):
            return torch.cat([x[:, 5:], x[:, :5]], 1)

        def sliced(x):
            made = torch.empty_like(x)
            made[:, 5:], made[:, :5] = x[:, :-5], x[:, -5:]
            return made

        def copied(x):
            made = torch.zeros_like(x)
            made[:, 5:].copy_(x[:, :-5])
            made.narrow(1, 0, 5).copy_(x[:, -5:])
            return made

        def swapped(x):
            made = x.clone()
            made[:, :32], made[:, 32:] = x[:, 32:], x[:, :32]
            return made

        def swapped_itself(x):
            first = x[:, :32].clone()
            x[:, :32] = x[:, 32:]
            x[:, 32:] = first
            return x

        def mirrored(x):
            made = torch.empty_like(x)
            for place in range(64):
                made[:, place] = x[:, 63 - place]
            return made

        def in_place(x):
            made = torch.empty_like(x)
            for place in range(0, 64, 8):
                made[:, place:place + 8] = x[:, place:place + 8]
            made[:, 1:] += 0.5
            return made

        def side_by_side(x):
            made = torch.empty(1, 64, CHANNELS)
            for begin in range(0, CHANNELS, 8):
                made[..., begin:begin + 8] = 2 * x[..., begin:begin + 8]
            return made

        def one_by_one(x):
            made = torch.zeros_like(x)
            for place in range(64):
                made[:, place] = 2 * x[:, place]
            return made

        def there(change):
            return lambda self, x: self.head(self.blocks[0](change(self.patch_embed(x))).mean(1))

        def and_back(self, x):
            return self.head(self.blocks[0](self.patch_embed(x).roll(5, 1)).roll(-5, 1).mean(1))
        for name, forward, expected in (("roll", there(lambda x: x.roll(5, 1)), "refused"), ("cat", there(parts), "refused"),
                                        ("module", there(Roll(5)), "refused"), ("slices", there(sliced), "refused"),
                                        ("copies", there(copied), "refused"), ("halves", there(swapped), "refused"),
                                        ("its own", there(swapped_itself), "refused"),
                                        ("mirror", there(mirrored), "refused"), ("in place", there(in_place), [8, 8]),
                                        ("channels", there(side_by_side), [8, 8]),
                                        ("one by one", there(one_by_one), [8, 8]),
                                        ("shift", there(lambda x: torch.fft.fftshift(x, 1)), "refused"),
                                        ("and back", and_back, [8, 8])):
            with self.subTest(name):
                attention = Mixed(softmax)
                model = self.vision(attention, forward, 0)
                self.assertEqual(self.grid_of(model), expected)
                if name == "and back":
                    recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
                    seen = attention.seen[0].detach().roll((-5, -5), (1, 2)).numpy()
                    np.testing.assert_allclose(recording.layers[0].map.rows(0, 64).numpy(), seen, atol=1e-5)

    def test_a_picture_that_the_model_prepares(self):
        def prepared(change):
            return lambda self, x: VisionTransformer.forward(self, change(x))

        class Padding(nn.Module):
            """A patch embedding that pads its picture to whole patches."""

            def __init__(self):
                super().__init__()
                self.grid_size, self.patch_size = (8, 8), (8, 8)
                self.proj = nn.Conv2d(3, CHANNELS, 8, 8)

            def forward(self, x):
                return self.proj(nn.functional.pad(x, (0, 4, 0, 4))).flatten(2).transpose(1, 2)
        functional = nn.functional
        for name, change, size, expected in (
                ("crop", lambda x: x[:, :, 32:96, 32:96], 128, [0, 0]), ("roll", lambda x: x.roll(9, 3), 64, [0, 0]),
                ("pad", lambda x: functional.pad(x, (0, 24, 0, 24)), 40, [0, 0]),
                ("crop and scale", lambda x: functional.interpolate(x[:, :, 4:60, 4:60], 64), 64, [0, 0]),
                ("normalise", lambda x: (x - 0.5) / 0.2, 64, [8, 8])):
            with self.subTest(name):
                self.assertEqual(self.grid_of(self.vision(Mixed(softmax), prepared(change)), size, size), expected)
        model = self.vision(Mixed(softmax), prepared(lambda x: functional.interpolate(x, (64, 64))))
        self.assertEqual(self.grid_of(model, 32, 128), [8, 8])
        model = self.vision(Mixed(softmax))
        model.patch_embed = Padding()
        self.assertEqual(self.grid_of(model, 60, 60), [8, 8])

    def test_tokens_behind_the_patches(self):
        class Behind(VisionTransformer):
            def forward(self, x):
                x = self.patch_embed(x)
                return self.head(self.blocks[0](torch.cat([x, self.cls_token.expand(len(x), -1, -1)], 1))[:, -1])
        model = Behind(Mixed(softmax)).eval()
        recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
        said = {part: recording.entries[f"blocks.0.attn/{part}"].tolist() for part in ("grid", "prefix", "suffix")}
        self.assertEqual(said, {"grid": [8, 8], "prefix": 0, "suffix": 1})
        recording.save(self.file)
        self.assertNotIn("guessed", self.succeed("inspect", self.file))

    def test_tokens_behind_the_patches_however_they_are_joined(self):
        def along(axes, join):
            """Joins tokens whose axes stand in another order."""
            back = [axes.index(axis) for axis in range(len(axes))]
            return lambda x, last: join(x.permute(axes), last.permute(axes)).permute(back)

        def sliced(x, last):
            made = x.new_empty(1, 65, CHANNELS)
            made[:, :64], made[:, 64:] = x, last
            return made

        def copied(x, last):
            made = torch.zeros(1, 65, CHANNELS)
            made.narrow(1, 0, 64).copy_(x)
            made[:, -1] = last[0]
            return made
        ends = {"sequence first": along((1, 0, 2), lambda *parts: torch.cat(parts, 0)),
                "channels first": lambda x, last: torch.cat([x.transpose(1, 2), last.transpose(1, 2)], 2).transpose(1, 2),
                "hstack": lambda *parts: torch.hstack(parts), "of one": lambda x, last: torch.cat([x[0], last[0]])[None],
                "vstack": lambda x, last: torch.vstack([x[0], last[0]])[None], "slices": sliced, "copy": copied}
        for name, join in ends.items():
            with self.subTest(name):
                model = self.vision(Mixed(softmax), lambda self, x, join=join: self.head(
                    self.blocks[0](join(self.patch_embed(x), self.cls_token))[:, -1]))
                entries = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True).entries
                said = {part: entries[f"blocks.0.attn/{part}"].tolist() for part in ("grid", "prefix", "suffix")
                        if f"blocks.0.attn/{part}" in entries}
                # Whether these channels are the first axis, nothing tells.
                self.assertEqual(said, {"grid": [0, 0]} if name == "channels first" else
                                 {"grid": [8, 8], "prefix": 0, "suffix": 1})

        class OfMap(VisionTransformer):
            def forward(self, x):
                x = torch.cat([self.patch_embed.proj(x).flatten(2), self.cls_token.transpose(1, 2)], 2)
                return self.head(self.blocks[0](x.transpose(1, 2))[:, -1])
        entries = softscope.record(OfMap(Mixed(softmax)).eval(), torch.randn(1, 3, SIDE, SIDE), quiet=True).entries
        self.assertEqual(entries["blocks.0.attn/suffix"], 1)

    def test_claims_of_other_models_and_threads_are_not_this_ones(self):
        def claims(module, q, k, v):
            made = softmax(module, q, k, v)
            softscope.record_attention("claimed", q=q, k=k, v=v, output=made)
            return made
        teacher, student = (VisionTransformer(Mixed(claims)).eval() for _ in range(2))
        picture = torch.randn(1, 3, SIDE, SIDE)
        with contextlib.redirect_stderr(io.StringIO()), torch.no_grad():
            with softscope.recording(student, self.file) as recording:
                teacher(picture)
                student(picture)
        (layer,) = recording.layers
        torch.testing.assert_close(layer.map.rows(0, 65), student.blocks[0].attn.seen[0], rtol=1e-4, atol=1e-6)

        def runs_another(module, q, k, v):
            thread = threading.Thread(target=lambda: softscope.record(teacher, picture, quiet=True))
            thread.start()
            thread.join()
            return softmax(module, q, k, v)
        recording = softscope.record(VisionTransformer(Mixed(runs_another)).eval(), picture, quiet=True)
        self.assertEqual([layer.name for layer in recording.layers], ["blocks.0.attn"])

    def test_large_recordings_are_opened(self):
        recording = softscope.Recording()
        attention = torch.eye(1800).expand(2, 1800, 1800).contiguous()  # which would be compressed to nothing
        recording.layers.append(Layer("a", Map({"attn": attention}), 0.0, None))
        recording.entries["a/grid"] = np.array([0, 0])
        recording.save(self.file)
        self.assertIn("2, recorded", self.succeed("inspect", self.file))

    def test_attention_times_values_that_goes_several_ways_is_refused(self):
        class Gated(nn.Module):
            def __init__(self, gate):
                super().__init__()
                self.num_heads, self.gate = HEADS, gate
                self.qkv, self.proj = nn.Linear(CHANNELS, 3 * CHANNELS), nn.Linear(CHANNELS, CHANNELS)
                self.squeeze = nn.Linear(CHANNELS, CHANNELS)

            def forward(self, x):
                q, k, v = self.qkv(x).reshape(len(x), -1, 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4).unbind(0)
                return self.proj(self.gate(self, softmax(self, q, k, v).transpose(1, 2).flatten(2), x))
        for gate in (lambda module, made, _: made * module.squeeze(made.mean(1, keepdim=True)).sigmoid(),
                     lambda module, made, _: made + nn.functional.gelu(made.roll(1, 1))):
            self.assert_refused(self.record(Gated(gate)), "goes several ways")
        for gate in (lambda module, made, _: made, lambda module, made, _: nn.functional.silu(made),
                     lambda module, made, _: made * made.sigmoid()):
            self.assertEqual(self.record(Gated(gate)).refused, {})

    def test_a_term_that_holds_another_attention_is_refused(self):
        class Branches(Mixed):
            def __init__(self, local_one, mix=softmax):
                super().__init__(mix)
                self.other, self.local_one = Mixed(softmax), local_one

            def forward(self, x):
                q, k, v = self.qkv(x).reshape(len(x), -1, 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4).unbind(0)
                made = softmax(self, q, k, v).transpose(1, 2).flatten(2)
                return self.proj(made + self.local_one(self.other(x).transpose(1, 2)).transpose(1, 2))

        def elementwise(module, q, k, v):
            weights = (WIDTH ** -0.5 * q[:, :, :, None] * k[:, :, None]).sum(-1).exp()
            other = (weights[..., None] * v[:, :, None]).sum(3) / weights.sum(-1, keepdim=True)
            return softmax(module, q, k, v) + local(other)
        for attention in (Branches(nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1)), Branches(nn.AvgPool1d(3, 1, 1)),
                          Mixed(elementwise)):
            refused = self.record(attention).refused
            self.assertRegex(refused.get("blocks.0.attn", ""), "something is added")

    def test_a_term_beside_attention_of_zero_values(self):
        def nothing(module, q, k, v):
            return softmax(module, q, k, v * 0) + local(v)
        (layer,) = self.record(Mixed(nothing)).layers
        if layer.refused is None:
            self.assertEqual(layer.beside, "a convolution, where attention times values is zero")
        self.assertNotIn("inf", str(layer))

    def test_files_keep_their_notes(self):
        model = VisionTransformer(Mixed(softmax), Mixed(two_attentions), Mixed(softmax)).eval()
        recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
        for verified in (0.0, None):
            recording.layers[0].verified = verified
            recording.save(self.file)
            read = softscope.read(self.file)
            self.assertNotIn("not verified", repr(read))
            read.save(self.path("again.npz"))
            notes = [self.succeed("inspect", file).split("mechanism")[1].split("\n")[0]
                     for file in (self.file, self.path("again.npz"))]
            self.assertEqual(*notes)
            self.assertEqual("1 of 2 layers not verified" in notes[0], verified is None)

    def test_windows_with_a_leading_batch_of_one(self):
        np.savez(self.file, **{"a/blocks": np.ones((1, 2, 2, 4, 4), np.float32) / 4,
                               "a/rows": np.arange(8).reshape(1, 2, 4)})
        np.testing.assert_allclose(softscope.read(self.file).heads("a")[0].row(0), [0.25] * 4 + [0] * 4)

    def test_logits_that_are_not_finite_are_left_out(self):
        class Banned(VisionTransformer):
            def forward(self, x):
                return super().forward(x).index_fill(1, torch.tensor([2]), float("-inf"))
        model = Banned(Mixed(softmax)).eval()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), classes=list("abcde"))
        self.assertIn("not recorded: the logits: some of them are not finite", said.getvalue())
        recording.save(self.file)
        self.succeed("inspect", self.file)

    def test_what_a_caller_says_is_checked_at_once(self):
        def claims(**said):
            def mix(module, q, k, v):
                softscope.record_attention("claimed", q=q, k=k, **said)
                return softmax(module, q, k, v)
            return mix
        for said, reason in (({"mechanism": "m" * 61}, "60 bytes"), ({"mechanism": "two\nlines"}, "60 bytes"),
                             ({"grid": (7, 7), "prefix": 1}, "does not fit its 65 queries"),
                             ({"grid": (8, 8), "prefix": 2}, "does not fit"), ({"prefix": 3}, "leaves no square"),
                             ({"grid": (8,)}, "is not height and width"), ({"grid": (8.0, 8)}, "whole numbers")):
            self.assertRegex(self.record(Mixed(claims(**said))).refused.get("claimed", ""), reason)
        model = VisionTransformer(Mixed(softmax)).eval()
        for grid, prefix in (((8, 8), 1), ((5, 13), 0), ((0, 0), None), (None, 1), (None, 16), ((8, 8), None)):
            recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), grid=grid, prefix=prefix, quiet=True)
            recording.save(self.file)
            self.succeed("inspect", self.file)
        recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), grid=(7, 7), prefix=1, quiet=True)
        self.assert_refused(recording, "does not fit its 65 queries")

    def test_attention_of_a_module_that_failed(self):
        class Failing(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = Mixed(softmax), Mixed(softmax)
                self.first.proj = nn.Linear(CHANNELS + 1, CHANNELS)

            def forward(self, x):
                try:
                    return self.first(x)
                except RuntimeError:
                    return self.second(x)
        recording = self.record(Failing())
        self.assertEqual([layer.name for layer in recording.recorded()], ["blocks.0.attn.second"])
        self.assertRegex(recording.refused["blocks.0.attn"], "a module in it failed")

    @unittest.skipUnless(hasattr(getattr(torch, "compiler", None), "set_stance"), "this torch has no stances")
    def test_compiled_modules_have_their_names(self):
        attention = Mixed(softmax)
        model = VisionTransformer(attention).eval()
        model.blocks[0].attn = torch.compile(attention, backend="eager")
        recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
        self.assertEqual([layer.name for layer in recording.layers], ["blocks.0.attn"])
        self.assert_verified(recording, attention.seen)

    @unittest.skipUnless(hasattr(torch, "func"), "this torch has no transforms")
    def test_transforms_of_functions_are_told_about(self):
        model = VisionTransformer(Mixed(softmax)).eval()
        with self.assertRaisesRegex(RuntimeError, "within a transform of torch.func"):
            with softscope.recording(model, self.file):
                torch.func.vmap(lambda x: model(x[None])[0])(torch.randn(2, 3, SIDE, SIDE))

    def test_a_file_that_is_replaced_hands_its_permissions_on(self):
        recording = self.record(Mixed(softmax))
        with open(self.file, "wb"):
            os.chmod(self.file, 0o600)
        recording.save(self.file)
        self.assertGreater(os.path.getsize(self.file), 100)
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)

    def test_the_wheels_window_takes_no_display_of_wayland_alone(self):
        def has_display(bundled, **environment):
            others = {name: value for name, value in os.environ.items()
                      if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SOFTSCOPE")}
            with mock.patch.dict(os.environ, {**others, **environment}, clear=True), \
                    mock.patch.object(softscope.program, "_BUNDLED", bundled):
                return softscope.program.has_display()

        self.assertFalse(has_display(sys.executable, WAYLAND_DISPLAY="wayland-0"))
        self.assertTrue(has_display(sys.executable, WAYLAND_DISPLAY="wayland-0", DISPLAY=":0"))
        self.assertTrue(has_display(sys.executable, WAYLAND_DISPLAY="wayland-0", SOFTSCOPE="/usr/bin/softscope"))
        self.assertTrue(has_display("/nonexistent", WAYLAND_DISPLAY="wayland-0"))
        self.assertFalse(has_display("/nonexistent"))

    def test_channels_that_attend_in_a_module_without_its_projection(self):
        class Channels(nn.Module):
            def __init__(self, width, shape):
                super().__init__()
                self.num_heads, self.width, self.shape = 2, width, shape
                self.qkv = nn.Linear(CHANNELS, 6 * width)

            def forward(self, x):
                q, k, v = self.qkv(x).reshape(len(x), -1, 3, 2, self.width).permute(2, 0, 3, 4, 1).unbind(0)
                return self.shape(((q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5).softmax(-1) @ v)

        class Mean(nn.Module):
            """Of the channels of tokens, without weights of them, which its caller turns back."""

            def __init__(self):
                super().__init__()
                self.temperature = nn.Parameter(torch.ones(1))

            def forward(self, x):
                x = x.transpose(1, 2)
                return (self.temperature * x @ x.transpose(1, 2) * x.shape[-1] ** -0.5).softmax(-1) @ x

        class Outer(nn.Module):
            def __init__(self, core, width):
                super().__init__()
                self.core, self.proj = core, nn.Linear(width, CHANNELS)

            def forward(self, x):
                made = self.core(x)
                return self.proj(made.reshape(len(x), -1, made.shape[-1]).transpose(1, 2))
        for batch in (1, 2):
            for width in (8, 64):
                for shape in (lambda made: made, lambda made: made.flatten(1, 2)):
                    outer = Outer(Channels(width, shape), 2 * width)
                    self.assert_refused(self.record(outer, batch), "over channels")
            self.assert_refused(self.record(Outer(Mean(), CHANNELS), batch), "over channels")
            tokens = torch.randn(batch, 65, CHANNELS)
            self.assert_refused(softscope.record(Mean(), tokens, quiet=True), "tokens or channels cannot be told")

        class Apart(nn.Module):
            """Attention whose values another module's weights make."""

            def __init__(self, over_channels):
                super().__init__()
                self.values, self.over_channels, self.seen = nn.Linear(CHANNELS, CHANNELS), over_channels, None

            def forward(self, x):
                x = self.values(x).transpose(1, 2)
                if self.over_channels:
                    return ((0.1 * x @ x.transpose(1, 2)).softmax(-1) @ x).transpose(1, 2)
                self.seen = (0.1 * x.transpose(1, 2) @ x).softmax(-1)[:, None]
                return (x @ self.seen[:, 0].transpose(1, 2)).transpose(1, 2)
        self.assert_refused(softscope.record(Apart(True), tokens, quiet=True), "over channels")
        positions = Apart(False)
        self.assert_verified(softscope.record(positions, tokens, quiet=True), positions.seen)

        class Normalised(nn.Module):
            """Weights with a batch norm of all tokens in one axis, as LeViT's."""

            def __init__(self):
                super().__init__()
                self.linear, self.norm = nn.Linear(CHANNELS, CHANNELS), nn.BatchNorm1d(CHANNELS)

            def forward(self, x):
                made = self.linear(x)
                return self.norm(made.flatten(0, 1)).reshape_as(made)
        for over_channels in (True, False):
            attention = Apart(over_channels)
            attention.values = Normalised()
            recording = softscope.record(attention.eval(), tokens, quiet=True)
            if over_channels:
                self.assert_refused(recording, "over channels")
            else:
                self.assert_verified(recording, attention.seen)

        class Turned(nn.Module):
            """Attention over tokens that returns channels first."""

            def __init__(self):
                super().__init__()
                self.attn = Mixed(softmax)
                self.attn.proj = nn.Identity()
                self.attn.after = lambda x, _: x.transpose(1, 2)
                self.proj = nn.Linear(CHANNELS, CHANNELS)

            def forward(self, x):
                return self.proj(self.attn(x).transpose(1, 2))
        turned = Turned()
        self.assert_verified(self.record(turned), turned.attn.seen)

        class Convolved(nn.Module):
            """Of channels first from its input on, by weights few of which are large."""

            def __init__(self, over_channels):
                super().__init__()
                self.num_heads, self.over_channels, self.seen = HEADS, over_channels, None
                self.qkv = nn.Conv1d(CHANNELS, 3 * CHANNELS, 1)
                self.qkv.weight = nn.Parameter(torch.randn(3 * CHANNELS, CHANNELS, 1) ** 3 / 8)

            def forward(self, x):
                q, k, v = self.qkv(x).reshape(len(x), 3, HEADS, WIDTH, -1).unbind(1)
                if self.over_channels:
                    return ((0.01 * q @ k.transpose(-1, -2)).softmax(-1) @ v).flatten(1, 2)
                self.seen = (WIDTH ** -0.5 * q.transpose(-1, -2) @ k).softmax(-1)
                return (v @ self.seen.transpose(-1, -2)).flatten(1, 2)

        class Around(nn.Module):
            def __init__(self, core):
                super().__init__()
                self.core, self.proj = core, nn.Conv1d(CHANNELS, CHANNELS, 1)

            def forward(self, x):
                return self.proj(self.core(x.transpose(1, 2))).transpose(1, 2)
        for batch in (1, 2):
            self.assert_refused(self.record(Around(Convolved(True)), batch), "over channels")
            core = Convolved(False)
            self.assert_verified(self.record(Around(core), batch), core.seen)

        class Mixing(nn.Module):
            """Attention whose values are each of all tokens, as Linformer's."""

            def __init__(self):
                super().__init__()
                self.mixing = nn.Linear(65, 65)
                self.core = Mixed(softmax, lambda x: self.mixing(x.transpose(1, 2)).transpose(1, 2))
                self.core.proj, self.proj = nn.Identity(), nn.Linear(CHANNELS, CHANNELS)

            def forward(self, x):
                return self.proj(self.core(x))
        self.assert_refused(self.record(Mixing()), "cannot be told")

    def test_weights_that_no_module_holds_are_no_values(self):
        class Plain(nn.Module):
            def __init__(self, weights):
                super().__init__()
                self.num_heads, self.weights, self.seen = HEADS, weights, None

            def forward(self, x):
                inner, outer = self.weights()
                q, k, v = (x @ inner + 0.1).reshape(*x.shape[:2], 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4).unbind(0)
                return softmax(self, q, k, v).transpose(1, 2).flatten(2) @ outer
        given = 0.5 * torch.randn(CHANNELS, 3 * CHANNELS), 0.1 * torch.randn(CHANNELS, CHANNELS)
        held = SimpleNamespace(inner=given[0].t().contiguous(), outer=given[1].t().contiguous())
        for weights in (lambda: given, lambda: (held.inner.t(), held.outer.t())):
            plain = Plain(weights)
            self.assert_verified(self.record(plain), plain.seen)

    @unittest.skipUnless(hasattr(torch, "func"), "this torch calls no module with other weights")
    def test_modules_that_are_called_with_other_weights(self):
        class Plain(Mixed):
            def forward(self, x):
                q, k, v = (torch.einsum("bnc,bcd->bnd", x, self.inner) + self.bias).reshape(
                    *x.shape[:2], 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4).unbind(0)
                return self.proj(softmax(self, q, k, v).transpose(1, 2).flatten(2))
        attention = Plain(softmax)
        attention.inner = nn.Parameter(torch.randn(1, CHANNELS, 3 * CHANNELS))
        attention.bias = nn.Parameter(torch.randn(3 * CHANNELS))
        model = VisionTransformer(attention).eval()
        weights = {name: 0.5 * value.detach() for name, value in model.named_parameters()}
        with torch.no_grad(), softscope.recording(model, self.file) as recording:
            torch.func.functional_call(model, weights, torch.randn(1, 3, SIDE, SIDE))
        self.assert_verified(recording, attention.seen)

    def test_passes_that_are_no_calls_of_the_model(self):
        class Features(VisionTransformer):
            def features(self, x):
                x = self.patch_embed(x)
                for block in self.blocks:
                    x = block(x)
                return x

            def forward(self, x):
                return self.head(self.features(x).mean(1))
        model = Features(Mixed(softmax), Mixed(softmax)).eval()
        pictures = torch.randn(3, 1, 3, SIDE, SIDE)
        recording = softscope.record(model, pictures[0], quiet=True)
        for heads in ({"blocks.0.attn": list(range(HEADS))}, {"blocks.0.attn": [1], "blocks.1.attn": [0, 2]}):
            with torch.no_grad(), softscope.silenced(model, recording, heads):
                together = [model.features(picture) for picture in pictures]
            for picture, made in zip(pictures, together):
                with torch.no_grad():
                    with softscope.silenced(model, recording, heads):
                        alone = model.features(picture)
                    self.assertTrue(torch.equal(made, alone))
                    self.assertFalse(torch.equal(made, model.features(picture)))
        for passes in ((model.features, model.features), (model, model.features), (model.features, model)):
            with self.assertRaisesRegex(RuntimeError, "one pass"), contextlib.redirect_stderr(io.StringIO()):
                with softscope.recording(model, self.file):
                    for each, picture in zip(passes, pictures):
                        each(picture)
        with torch.no_grad(), softscope.recording(model, self.file) as recording:
            model.head(model.features(pictures[0]).mean(1))
        self.assertEqual([layer.name for layer in recording.recorded()], ["blocks.0.attn", "blocks.1.attn"])

    def test_attention_that_is_added_by_another_way_is_refused(self):
        def second(q, k, v):
            return (k @ q.transpose(-1, -2)).softmax(-1) @ v

        def viewed(module, q, k, v):
            other = torch.zeros(v.shape)
            for picture in range(len(v)):
                other[picture][:, 1:] = second(q, k, v)[picture][:, 1:]
            return softmax(module, q, k, v) + other

        def copied(module, q, k, v):
            other = torch.zeros(v.shape)
            other[:, :, 1:].copy_(second(q, k, v)[:, :, 1:])
            return softmax(module, q, k, v) + other

        def convolved_view(module, q, k, v):
            other = v.clone()
            other[:, :, 1:].copy_(second(q, k, v)[:, :, 1:])
            return softmax(module, q, k, v) + local(other)

        def addcmul(module, q, k, v):
            return torch.addcmul(second(q, k, v), softmax(module, q, k, v), torch.ones(1)) + local(v)

        def lerp(module, q, k, v):
            return torch.lerp(softmax(module, q, k, v) + local(v), second(q, k, v), 0.5)

        def baddbmm(module, q, k, v):
            weights = (WIDTH ** -0.5 * q @ k.transpose(-1, -2)).softmax(-1)
            made = torch.baddbmm(second(q, k, v).flatten(0, 1), weights.flatten(0, 1), v.flatten(0, 1))
            return made.reshape(v.shape) + local(v)
        for mix in (viewed, copied, convolved_view, addcmul, lerp, baddbmm):
            with self.subTest(mix.__name__):
                self.assert_refused(self.record(Mixed(mix)), "something is added")

    def test_tokens_between_the_patches_and_behind_them(self):
        class Middle(VisionTransformer):
            def forward(self, x):
                x = self.patch_embed(x)
                x = torch.cat([x[:, :32], self.cls_token.expand(len(x), -1, -1), x[:, 32:]], 1)
                return self.head(self.blocks[0](x)[:, 32])

        class Local(VisionTransformer):
            """Behind each block the class token is split off, and joined again."""

            def forward(self, x):
                x = self.patch_embed(x)
                x = torch.cat([x, self.cls_token.expand(len(x), -1, -1)], 1)
                for block in self.blocks:
                    x = block(x)
                    x = torch.cat([x[:, :-1] * 1.5, x[:, -1:]], 1)
                return self.head(x[:, -1])

        class Pooled(VisionTransformer):
            def forward(self, x):
                x = self.patch_embed(x)
                return self.head(self.blocks[0](torch.cat([x, x.mean(1, keepdim=True)], 1))[:, -1])
        behind = {"grid": [8, 8], "prefix": 0, "suffix": 1}
        for model, expected in ((Middle(Mixed(softmax)), {"grid": [0, 0]}),
                                (Local(Mixed(softmax), Mixed(softmax)), behind), (Pooled(Mixed(softmax)), behind)):
            recording = softscope.record(model.eval(), torch.randn(1, 3, SIDE, SIDE), quiet=True)
            for layer in recording.recorded():
                said = {part: recording.entries[f"{layer.name}/{part}"].tolist() for part in ("grid", "prefix", "suffix")
                        if f"{layer.name}/{part}" in recording.entries}
                self.assertEqual(said, expected)

    def test_pictures_that_a_hook_prepares_and_several_pictures(self):
        functional = nn.functional
        for change in (lambda x: functional.interpolate(x[:, :, :32, :32], (SIDE, SIDE)), lambda x: x.flip(3),
                       lambda x: x.transpose(2, 3)):
            model = VisionTransformer(Mixed(softmax)).eval()
            model.register_forward_pre_hook(lambda _module, given, change=change: (change(given[0]),))
            self.assertEqual(self.grid_of(model), [0, 0])
        model = VisionTransformer(Mixed(softmax)).eval()
        model.register_forward_pre_hook(lambda _module, given: None)
        self.assertEqual(self.grid_of(model), [8, 8])

        class Pair(VisionTransformer):
            def forward(self, x, other):
                return super().forward(x) + super().forward(other)
        recording = softscope.record(Pair(Mixed(softmax)).eval(), torch.randn(1, 3, SIDE, SIDE), quiet=True,
                                     other=torch.randn(1, 3, SIDE, SIDE))
        self.assertEqual([recording.entries[f"{layer.name}/grid"].tolist() for layer in recording.recorded()],
                         [[0, 0], [0, 0]])

    def test_autocast_within_a_forward_is_that_of_the_replay(self):
        def inside(module, q, k, v):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return softmax(module, q, k, v).float()

        def outside(module, q, k, v):
            with torch.autocast("cpu", enabled=False):
                return softmax(module, q.float(), k.float(), v.float())
        for mix, around in ((inside, False), (outside, True)):
            attention = Mixed(mix)
            model = VisionTransformer(attention).eval()
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=around):
                recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
            self.assertEqual(recording.refused, {})
            seen = attention.seen[0].float().numpy()
            np.testing.assert_allclose(recording.layers[0].map.rows(0, 65).numpy(), seen, atol=1e-4)

    @unittest.skipUnless(hasattr(nn.functional, "scaled_dot_product_attention"), "this torch has none")
    def test_keys_that_are_the_values(self):
        fused = nn.functional.scaled_dot_product_attention
        for mix in (lambda given, q, k, v: given.append((q, v)) or fused(q, v, v),
                    lambda given, q, k, v: given.append((v, v)) or fused(v, v, v),
                    lambda given, q, k, v: given.append((q, v)) or fused(value=v, key=v, query=q)):
            given = []
            recording = self.record(Mixed(lambda _, *parts, mix=mix, given=given: mix(given, *parts)))
            query, key = given[-1]
            self.assert_verified(recording, (WIDTH ** -0.5 * query @ key.transpose(-1, -2)).softmax(-1))

    def test_names_of_classes_are_as_many_as_logits(self):
        model = VisionTransformer(Mixed(softmax)).eval()
        with self.assertRaisesRegex(ValueError, "classes has 2 names, and the model returned 5 logits"):
            softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True, classes=["a", "b"])

    def test_whole_numbers_of_files_are_written_again(self):
        for type_ in (np.int16, np.int32, np.int64):
            np.savez(self.file, **{"a/q": np.ones((1, 4, 2), np.float32), "a/k": np.ones((1, 4, 2), np.float32),
                                   "a/grid": np.array([2, 2], type_)})
            softscope.read(self.file).save(self.path("again.safetensors"))
            self.assertEqual(softscope.read(self.path("again.safetensors")).entries["a/grid"].tolist(), [2, 2])
            self.succeed("inspect", self.path("again.safetensors"))
        recording = softscope.read(self.file)
        recording.entries["a/other"] = np.ones(3, np.complex64)
        with self.assertRaisesRegex(ValueError, "a/other is complex64"):
            recording.save(self.path("again.safetensors"))

    def test_random_numbers_of_other_threads_are_left_alone(self):
        model, drawn = VisionTransformer(Mixed(softmax)).eval(), []
        model.blocks[0].attn.register_forward_hook(lambda *_: drawn.append(torch.get_rng_state()))
        find = softscope.watch.find_attention

        def meanwhile(*given):
            torch.rand(3)  # as of another thread
            drawn.append(torch.get_rng_state())
            return find(*given)
        with mock.patch.object(softscope.watch, "find_attention", meanwhile):
            softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
        self.assertFalse(torch.equal(drawn[0], drawn[-1]))
        self.assertTrue(torch.equal(drawn[-1], torch.get_rng_state()))

    def test_weights_to_the_left_of_attention_times_values(self):
        class Left(nn.Module):
            """Of channels first, with a projection of them from the left."""

            def __init__(self, over_channels, project):
                super().__init__()
                self.over_channels, self.project, self.seen = over_channels, project, None
                self.q, self.k, self.v = (nn.Linear(CHANNELS, CHANNELS) for _ in range(3))
                self.proj = nn.Linear(CHANNELS, CHANNELS)

            def forward(self, x):
                q, k, v = (part(x).transpose(1, 2) for part in (self.q, self.k, self.v))
                if self.over_channels:
                    made = (0.1 * q @ k.transpose(1, 2)).softmax(-1) @ v
                else:
                    self.seen = (0.1 * q.transpose(1, 2) @ k).softmax(-1)[:, None]
                    made = v @ self.seen[:, 0].transpose(1, 2)
                return self.project(self.proj.weight, made).transpose(1, 2)
        for project in (lambda weights, made: weights @ made,
                        lambda weights, made: torch.einsum("oc,bcn->bon", weights, made),
                        lambda weights, made: torch.bmm(weights.expand(len(made), -1, -1), made),
                        lambda weights, made: torch.stack([torch.mm(weights, each) for each in made]),
                        lambda weights, made: torch.stack([torch.addmm(weights[:, :1], weights, each) for each in made]),
                        lambda weights, made: nn.functional.conv1d(made, weights[:, :, None]),
                        lambda weights, made: nn.functional.linear(made.transpose(1, 2), weights).transpose(1, 2)):
            self.assert_refused(self.record(Left(True, project)), "over channels")
            attention = Left(False, project)
            self.assert_verified(self.record(attention), attention.seen)

        class Spectrum(nn.Module):
            """Values that each token changes in all tokens and channels, so that they do not tell these apart."""

            def forward(self, x):
                return torch.fft.fft2(x).real
        for over_channels in (True, False):
            for equation in ("oc,bcn->bon", None):
                attention = Left(over_channels, lambda weights, made, equation=equation:
                                 weights @ made if equation is None else torch.einsum(equation, weights, made))
                attention.v = Spectrum()
                self.assert_refused(self.record(attention), "cannot be told")

    def test_projections_by_other_functions(self):
        class Other(Mixed):
            def __init__(self, project, mix=softmax):
                super().__init__(mix)
                self.project = project

            def forward(self, x):
                q, k, v = self.qkv(x).reshape(*x.shape[:2], 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4).unbind(0)
                made = self.mix(self, q, k, v).transpose(1, 2).flatten(2)
                return self.project(self.proj, made.flatten(0, 1)).reshape(x.shape)

        def dotted(module, q, k, v):
            module.seen = torch.einsum("...id,...jd->...ij", WIDTH ** -0.5 * q, k).softmax(-1)
            return torch.einsum("...ij, ...jk", module.seen, v)
        for project in (lambda proj, made: made.mm(proj.weight.t()) + proj.bias,
                        lambda proj, made: torch.addmm(proj.bias, made, proj.weight.t())):
            for mix in (softmax, dotted):
                attention = Other(project, mix)
                self.assert_verified(self.record(attention, 2), attention.seen, "qk")
        attention = Mixed(softmax)
        engines = torch.backends.quantized.supported_engines
        if torch.backends.quantized.engine != "none" or len(engines) > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                attention = torch.ao.quantization.quantize_dynamic(attention.eval(), {nn.Linear}, dtype=torch.qint8)
            recording = self.record(attention)
            self.assertEqual([layer.name for layer in recording.layers], ["blocks.0.attn"])
            self.assert_verified(recording, attention.seen)

    def test_heads_that_a_loop_computes(self):
        def one(module, q, k, v, head):
            module.parts.append((WIDTH ** -0.5 * q[:, head] @ k[:, head].transpose(-1, -2)).softmax(-1))
            return module.parts[-1] @ v[:, head]

        def stacked(module, q, k, v):
            return torch.stack([one(module, q, k, v, head) for head in range(HEADS)], 1)

        def filled(module, q, k, v):
            made = torch.empty_like(v)
            for head in reversed(range(HEADS)):
                made[:, head] = one(module, q, k, v, head)
            module.parts.reverse()
            return made

        def beside(module, q, k, v):
            made = torch.cat([one(module, q, k, v, head) for head in range(HEADS)], -1)
            return made.unflatten(-1, (HEADS, WIDTH)).transpose(1, 2)

        def flat_one(module, q, k, v, picture, head):
            module.parts.append(torch.mm(WIDTH ** -0.5 * q[picture, head], k[picture, head].t()).softmax(-1))
            return torch.mm(module.parts[-1], v[picture, head])

        def flat_loop(module, q, k, v):
            made = torch.stack([flat_one(module, q, k, v, picture, head)
                                for picture in range(len(v)) for head in range(HEADS)])
            module.parts = [torch.stack(module.parts[head::HEADS]) for head in range(HEADS)]
            return made.unflatten(0, (len(v), HEADS))
        for mix in (stacked, filled, beside, flat_loop):
            for batch in (1, 2):
                with self.subTest(mix.__name__, batch=batch):
                    attention = Mixed(mix)
                    attention.before = lambda x, attention=attention: setattr(attention, "parts", []) or x
                    recording = self.record(attention, batch)
                    self.assert_verified(recording, torch.stack(attention.parts, 1))

        def in_chunks(module, q, k, v):
            return torch.cat([softmax(module, part, k, v) for part in q.split(13, 2)], 2)
        self.assert_refused(self.record(Mixed(in_chunks)), r"what comes of \d+ other products")

    def test_heads_of_a_loop_are_silenced(self):
        def mix(module, q, k, v):
            made = [softmax(module, *(part[:, head] for part in (q, k, v))) for head in range(HEADS)]
            for head in module.mute:
                made[head] = 0 * made[head]
            return torch.stack(made, 1)
        attention = Mixed(mix)
        attention.mute = ()
        model, picture = VisionTransformer(attention).eval(), torch.randn(1, 3, SIDE, SIDE)
        recording = softscope.record(model, picture, quiet=True)
        with torch.no_grad():
            with softscope.silenced(model, recording, {"blocks.0.attn": [2]}):
                silent = model(picture)
            attention.mute = (2,)
            torch.testing.assert_close(silent, model(picture), rtol=0, atol=1e-6)

    def test_heads_are_silenced_of_a_module_that_calls_other_functions_later(self):
        class Lazy(Mixed):
            table = None

            def forward(self, x):
                if self.table is None:
                    self.table = torch.outer(torch.linspace(0.5, 1, x.shape[1]), torch.ones(1)).cos().tril()
                return super().forward(x)

        def mix(module, q, k, v):
            made = softmax(module, q * module.table, k, v)
            if module.mute:
                made = made.clone()
                made[:, 1] = 0
            return made

        def behind(x, _):
            for _ in range(8):
                x = nn.functional.gelu(x) + 0.1
            return x
        attention = Lazy(mix, after=behind)
        attention.mute = False
        model, picture = VisionTransformer(attention).eval(), torch.randn(1, 3, SIDE, SIDE)
        recording = softscope.record(model, picture, quiet=True)
        with torch.no_grad():
            with softscope.silenced(model, recording, {"blocks.0.attn": [1]}):
                silent = model(picture)
            attention.mute = True
            self.assertTrue(torch.equal(silent, model(picture)))

    def test_modules_that_run_in_another_way_silence_nothing(self):
        def mix(module, q, k, v):
            for query in (q, k)[module.skips == "first":]:
                made = softmax(module, query, q, v)
                made = made.clone() if module.skips == "step" else made
                made = module.proj(made.transpose(1, 2).flatten(2))
            return made.unflatten(2, (HEADS, WIDTH)).transpose(1, 2)
        attention = Mixed(mix)
        attention.skips = ""
        model, picture = VisionTransformer(attention).eval(), torch.randn(1, 3, SIDE, SIDE)
        recording = softscope.record(model, picture, quiet=True)
        self.assertEqual([layer.name for layer in recording.recorded()], ["blocks.0.attn.0", "blocks.0.attn.1"])
        for skips, reason in (("", None), ("first", "another number of products"), ("step", "calls clone where it called")):
            attention.skips = skips
            with torch.no_grad():
                context = contextlib.nullcontext() if reason is None else self.assertRaisesRegex(RuntimeError, reason)
                with context, softscope.silenced(model, recording, {"blocks.0.attn.0": [1]}):
                    model(picture)

    def test_softmax_may_be_a_module(self):
        class Learned(nn.Module):
            """Attention of learned queries to tokens, whose scores are normalised by a module or by hand."""

            def __init__(self, normalise):
                super().__init__()
                self.normalise, self.drop = normalise, nn.Dropout(0.1)
                self.queries, self.kv = nn.Parameter(torch.randn(1, 65, CHANNELS)), nn.Linear(CHANNELS, 2 * CHANNELS)
                self.proj = nn.Linear(CHANNELS, CHANNELS)

            def forward(self, x):
                k, v = self.kv(x).chunk(2, -1)
                self.seen = self.normalise(self.queries @ k.transpose(1, 2))[:, None]
                return self.proj(self.drop(self.seen[:, 0]) @ v)

        def by_hand(scores):
            return scores.exp() / scores.exp().sum(-1, keepdim=True)
        for normalise in (nn.Softmax(-1), lambda scores: scores.softmax(-1)):
            attention = Learned(normalise)
            self.assert_verified(self.record(attention), attention.seen)
        self.assert_refused(self.record(Learned(by_hand)), "neither of which was seen to be made of scores")

    def test_what_is_computed_unseen_is_told(self):
        class Scripted(Mixed):
            def __init__(self):
                super().__init__(lambda _, q, k, v: scripted_attention(q, k, v))

        class Halfway(Mixed):
            def __init__(self):
                super().__init__(lambda _, q, k, v: scripted_weights(q, k) @ v)
        recording = self.record(VisionTransformer(Mixed(softmax)).blocks[0])
        self.assertEqual(recording.remarks, [])
        model = VisionTransformer(Mixed(softmax), Scripted()).eval()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE))
        self.assertEqual([layer.name for layer in recording.layers][:1], ["blocks.0.attn"])
        self.assertRegex(said.getvalue() + str(recording.refused), "blocks.1.attn")
        recording = self.record(Halfway())
        self.assertEqual(recording.recorded(), [])
        self.assertEqual(len(recording.refused), 1)
        traced = torch.jit.trace(Softmaxed().eval(), torch.randn(1, 65, CHANNELS))
        model = VisionTransformer(Mixed(softmax), traced).eval()
        recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
        self.assertEqual([layer.name for layer in recording.recorded()], ["blocks.0.attn"])
        self.assertRegex(recording.refused["blocks.1.attn"], "scripted")
        self.assertEqual(recording.remarks, [])
        with contextlib.redirect_stderr(io.StringIO()) as said:
            softscope.record(nn.Sequential(nn.Conv2d(3, 4, 8, 8), nn.ReLU()).eval(), torch.randn(1, 3, SIDE, SIDE))
        self.assertRegex(said.getvalue(), "^softscope: not recorded: nothing, since no attention was seen")

    def test_what_mixes_tokens_by_a_function_that_is_not_looked_into_is_told(self):
        def scores(q, k):
            return (q @ k.transpose(-1, -2) * WIDTH ** -0.5).softmax(-1)

        def tensordot(_, q, k, v):
            weights = scores(q, k)
            return torch.stack([torch.tensordot(weights[0, head], v[0, head], 1) for head in range(HEADS)])[None]

        def sparse(_, q, k, v):
            weights = scores(q, k)
            return torch.stack([torch.sparse.mm(each.to_sparse(), own) for each, own in zip(weights[0], v[0])])[None]

        def largest(_, q, k, v):
            found, keys = (q @ k.transpose(-1, -2)).topk(3, -1)
            keys = keys[..., None].expand(-1, -1, -1, -1, WIDTH)
            picked = v[:, :, None].expand(-1, -1, len(q[0, 0]), -1, -1).gather(3, keys)
            return (found.softmax(-1)[..., None] * picked).sum(-2)

        def multiplied(_, q, k, v):
            return (scores(q, k)[..., None] * v[:, :, None]).sum(3)
        ways = {tensordot: "tensordot may mix tokens there", sparse: "sparse_mm may mix tokens there",
                largest: "two things that come from the input were multiplied there",
                multiplied: "scores were normalised there"}
        for mix, reason in ways.items():
            module = Mixed(mix)
            with self.subTest(mix.__name__), contextlib.redirect_stderr(io.StringIO()) as said:
                known = softscope.record(VisionTransformer(module).eval(), torch.randn(1, 3, SIDE, SIDE), quiet=True)
                self.assertRegex(known.refused["blocks.0.attn"],
                                 reason if "may mix" in reason else "no product of attention")
                del module.num_heads  # by which it looks like attention
                recording = softscope.record(VisionTransformer(module).eval(), torch.randn(1, 3, SIDE, SIDE))
                self.assertEqual(recording.layers, [])
                self.assertRegex(said.getvalue(),
                                 f"^softscope: not recorded: attention, if there is any, of blocks.0.attn: {reason}")
                self.assertNotIn("nothing, since", said.getvalue())

    def test_a_product_by_weights_that_were_made_unseen_is_refused_in_its_module(self):
        class Halfway(Mixed):
            def __init__(self):
                super().__init__(lambda _, q, k, v: scripted_weights(q, k) @ v)
                del self.num_heads  # by which it looks like attention
        model = VisionTransformer(Halfway(), Halfway()).eval()
        recording = softscope.record(model, torch.randn(1, 3, SIDE, SIDE), quiet=True)
        self.assertEqual(sorted(recording.refused), ["blocks.0.attn", "blocks.1.attn"])
        for reason in recording.refused.values():
            self.assertRegex(reason, "made by a function that is not seen")
        self.assertEqual(recording.remarks, [])

    def test_what_has_no_logits_is_told(self):
        class Returning(VisionTransformer):
            def __init__(self, change):
                super().__init__(Mixed(softmax))
                self.change = change

            def forward(self, x):
                return self.change(super().forward(x))
        none = {"a list": lambda y: [y], "a tuple": lambda y: (y, y), "a dict": lambda y: {"scores": y},
                "a tensor of 1 axis": lambda y: y[0], "a tensor of 3 axes": lambda y: y[None],
                "logits of 3 axes": lambda y: {"logits": y[None]}}
        for said, change in none.items():
            with self.subTest(said):
                recording = softscope.record(Returning(change).eval(), torch.randn(1, 3, SIDE, SIDE), quiet=True)
                self.assertNotIn("logits", recording.entries)
                self.assertRegex(recording.remarks[0], f"^the logits: the model returns {said}")
        for change in (lambda y: y * y, lambda y: y / y.flip(1), lambda y: y * y.softmax(-1)):
            recording = softscope.record(Returning(change).eval(), torch.randn(1, 3, SIDE, SIDE), quiet=True)
            self.assertNotIn("logits", recording.entries)
            self.assertRegex(recording.remarks[0], "scores of classes or features is not known")
        for change in (lambda y: y * 2, lambda y: {"logits": y}, lambda y: (y + y) / 2):
            recording = softscope.record(Returning(change).eval(), torch.randn(1, 3, SIDE, SIDE), quiet=True)
            self.assertIn("logits", recording.entries)
            self.assertEqual(recording.remarks, [])

    def test_what_a_model_keeps_of_its_input_is_no_weights(self):
        class Keeping(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn, self.last = Mixed(softmax), None

            def forward(self, x):
                self.last = x
                return self.attn(x)
        model, tokens = Keeping().eval(), torch.randn(1, 65, CHANNELS)
        for _ in range(2):
            with torch.no_grad(), softscope.recording(model, self.file) as recording:
                model(tokens)
            self.assertEqual([layer.name for layer in recording.recorded()], ["attn"])

    def test_recurrences_are_refused_soon(self):
        class Scan(nn.Module):
            def __init__(self, fill):
                super().__init__()
                self.inner, self.proj, self.fill = nn.Linear(CHANNELS, CHANNELS), nn.Linear(CHANNELS, CHANNELS), fill

            def forward(self, x):
                x = self.inner(x)
                state, made = torch.zeros(len(x), CHANNELS, 4), torch.zeros_like(x) if self.fill else []
                for token in range(400):
                    at = token % x.shape[1]
                    state = state * 0.9 + x[:, at, :, None] * x[:, at, None, :4]
                    read = (state @ x[:, at, 4:8, None])[..., 0]
                    if self.fill:
                        made[:, at] = read
                    elif token < x.shape[1]:
                        made.append(read)
                return self.proj(made if self.fill else torch.stack(made, 1))
        for fill in (False, True):
            begin = time.process_time()
            self.assert_refused(self.record(Scan(fill)), "more than 64 of its products" if not fill else ".")
            self.assertLess(time.process_time() - begin, 5)

    def test_heads_that_share_values_may_be_an_axis_of_their_own(self):
        kinds = {"einsum": lambda made, weights: torch.einsum("bhid,hdc->bic", made, weights),
                 "matmul": lambda made, weights: (made @ weights).sum(1),
                 "gelu": lambda made, _: nn.functional.linear(nn.functional.gelu(made).transpose(1, 2).flatten(2),
                                                           torch.eye(CHANNELS)),
                 "norm": lambda made, _: nn.functional.linear(
                     nn.functional.layer_norm(made.transpose(1, 2), (WIDTH,)).flatten(2), torch.eye(CHANNELS))}

        class Sharing(Mixed):
            def __init__(self, after):
                super().__init__(after)
                self.weights = nn.Parameter(torch.randn(HEADS, WIDTH, CHANNELS))

            def forward(self, x):
                q, k, v = self.qkv(x).reshape(*x.shape[:2], 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4).unbind(0)
                return self.mix(softmax(self, q, k[:, :1], v[:, :1]), self.weights)
        for name, after in kinds.items():
            for batch in (1, 2):
                with self.subTest(name, batch=batch):
                    attention = Sharing(after)
                    self.assert_verified(self.record(attention, batch), attention.seen)

    def test_a_batch_that_a_module_doubles_is_refused(self):
        class Doubled(Mixed):
            def __init__(self, second):
                super().__init__(masked)
                self.second = second

            def forward(self, x):
                one, other = super().forward(torch.cat([x, self.second(x)])).chunk(2)
                return one + self.second(other)
        for second in (lambda x: x.flip(1), lambda x: x * 0.5):
            for batch in (1, 2):
                self.assert_refused(self.record(Doubled(second), batch), "attends within")

    def test_the_first_picture_is_followed_through_the_batch(self):
        for batch in (2, 3):
            order = torch.arange(batch).roll(1)
            attention = Mixed(softmax, lambda x, order=order: x[order], lambda x, _, order=order: x[order.argsort()])
            (layer,) = self.record(attention, batch).recorded()
            np.testing.assert_allclose(layer.heads[0].matrix(), attention.seen[order.argsort()][0, 0].detach(), atol=1e-5)
        for order in (lambda x: torch.cat([x[1:], x[:1]]), lambda x: x.flip(0), lambda x: torch.stack(x.unbind(0)[::-1])):
            model = self.vision(Mixed(softmax), lambda self, x, order=order: self.head(
                self.blocks[0](self.patch_embed(order(x))).mean(1)), 0)
            recording = softscope.record(model, torch.randn(2, 3, SIDE, SIDE), quiet=True)
            self.assert_refused(recording, "puts its pictures into another order")

    def test_attention_across_pictures_is_refused(self):
        def halves(x):
            return x[:, 1:].reshape(2, 2, 32, CHANNELS).transpose(0, 1).reshape(2, 64, CHANNELS)

        def back(x, _):
            return nn.functional.pad(x.reshape(2, 2, 32, CHANNELS).transpose(0, 1).reshape(2, 64, CHANNELS), (0, 0, 1, 0))
        self.assert_refused(self.record(Mixed(softmax, halves, back), 2), "across the pictures|attends within|rolls or pads")

    def test_padding_is_dropped_as_it_is_without_recording(self):
        class Encoded(nn.Module):
            def __init__(self, norm):
                super().__init__()
                layer = nn.TransformerEncoderLayer(CHANNELS, HEADS, 32, batch_first=True)
                self.layers = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(CHANNELS) if norm else None)

            def forward(self, x):
                padding = torch.arange(x.shape[1]).expand(len(x), -1) > 40
                return self.layers(x, src_key_padding_mask=padding).mean(1)
        for norm in (False, True):
            model, tokens = Encoded(norm).eval(), torch.randn(1, 49, CHANNELS)
            with torch.no_grad():
                expected = model(tokens)
            recording = softscope.record(model, tokens, classes=[str(index) for index in range(CHANNELS)], quiet=True)
            torch.testing.assert_close(torch.as_tensor(recording.entries["logits"]), expected[0], atol=1e-5, rtol=1e-4)
            self.assertEqual(len(recording.recorded()), 2)
            self.assertNotIn("forward", vars(model.layers))

    def test_rows_and_columns_are_in_the_order_of_the_modules_tokens(self):
        def turned(x, _=None):
            patches = x[:, 1:].reshape(len(x), 8, 8, CHANNELS).transpose(1, 2).reshape(len(x), 64, CHANNELS)
            return torch.cat([x[:, :1], patches], 1)
        order = torch.cat([torch.zeros(1, dtype=torch.int64), 1 + torch.arange(64).reshape(8, 8).T.flatten()])
        for batch in (1, 2):
            attention = Mixed(softmax, turned, turned)
            recording = self.record(attention, batch)
            attention.seen = attention.seen[:, :, order][:, :, :, order]
            self.assert_verified(recording, attention.seen)

    def test_keys_that_are_channels_are_refused(self):
        class Correlated(nn.Module):
            def __init__(self):
                super().__init__()
                self.num_heads, self.qkv, self.proj = 1, nn.Linear(CHANNELS, 3 * CHANNELS), nn.Linear(65, CHANNELS)

            def forward(self, x):
                q, k, _ = self.qkv(x).chunk(3, -1)
                return self.proj(q.softmax(-1) @ k.transpose(1, 2))
        self.assert_refused(self.record(Correlated()), "channels")

    def test_where_tokens_lie_is_seen_by_what_pixels_change(self):
        def without_places(change):
            return lambda self, x: self.head(self.blocks[0](change(self.patch_embed(x))).mean(1))
        maps = {"columns first": lambda x: x.reshape(1, 8, 8, CHANNELS).transpose(1, 2).flatten(1, 2),
                "cropped": lambda x: x.reshape(1, 8, 8, CHANNELS)[:, 1:7, 1:7].flatten(1, 2),
                "first tokens": lambda x: x[:, :36], "every other": lambda x: x[:, ::4],
                "blocks": lambda x: x.reshape(1, 2, 4, 2, 4, CHANNELS).transpose(2, 3).reshape(1, 64, CHANNELS)}
        for name, change in maps.items():
            with self.subTest(name):
                self.assertEqual(self.grid_of(self.vision(Mixed(softmax), without_places(change), 0)), [0, 0])

        class Embedded(nn.Module):
            def __init__(self, patch, before):
                super().__init__()
                self.embed = nn.Conv2d(3, CHANNELS, patch, patch)
                self.own = nn.Parameter(torch.randn(1, before, CHANNELS))
                self.attn = Mixed(softmax)

            def forward(self, x):
                tokens = self.embed(x).flatten(2).transpose(1, 2)
                return self.attn(torch.cat([self.own.expand(len(x), -1, -1), tokens], 1)).mean(1)
        for patch, before, grid in (((4, 16), 0, [8, 2]), ((16, 4), 0, [2, 8]), ((8, 8), 9, [4, 4])):
            entries = softscope.record(Embedded(patch, before).eval(), torch.randn(1, 3, 32, 32), quiet=True).entries
            self.assertEqual(entries["attn/grid"].tolist(), grid)
            self.assertEqual(int(entries["attn/prefix"]), before)

    def test_text_of_files_does_not_reach_the_terminal_as_it_is(self):
        np.savez(self.file, **{"a/attn": np.eye(4, dtype=np.float32)[None], "a/beside": np.array("\x1b[31m red"),
                               "refused": np.array(["b\x1b[2J: \x1b]0;x\x07 evil"]), "layers": np.array(["a"])})
        recording = softscope.read(self.file)
        for said in (repr(recording), *recording.refusals(), *recording.additions()):
            self.assertTrue(all(letter.isprintable() or letter == "\n" for letter in said), repr(said))

    def test_multi_head_attention_says_which_axis_is_pictures(self):
        for shape, pictures in (((16, CHANNELS), 1), ((16, 1, CHANNELS), 1), ((16, 2, CHANNELS), 2)):
            class Alone(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.attn = nn.MultiheadAttention(CHANNELS, HEADS)

                def forward(self, x):
                    return self.attn(x, x, x)[0]
            model, tokens = Alone().eval(), torch.randn(shape)
            recording = softscope.record(model, tokens, quiet=True)
            seen = model.attn(tokens, tokens, tokens, average_attn_weights=False)[1]
            self.assert_verified(recording, seen.reshape(-1, HEADS, 16, 16))

    def test_tokens_that_attend_to_nothing_are_the_reason(self):
        def with_zeros(module, q, k, v):
            softmax(module, q, k, v)
            return (module.seen * (torch.arange(65) > 4).float()[:, None]) @ v
        self.assert_refused(self.record(Mixed(with_zeros)), "attends to nothing")

    @unittest.skipUnless(hasattr(torch.linalg, "matmul"), "this torch has no such function")
    def test_products_by_another_name_are_seen(self):
        def product(module, q, k, v):
            module.seen = (WIDTH ** -0.5 * q @ k.transpose(-1, -2)).softmax(-1)
            return torch.linalg.matmul(module.seen, v)
        attention = Mixed(product)
        self.assert_verified(self.record(attention), attention.seen)

    def test_files_are_refused_before_the_pass_and_links_stay(self):
        model, picture = VisionTransformer(Mixed(softmax)).eval(), torch.randn(1, 3, SIDE, SIDE)
        with self.assertRaisesRegex(FileNotFoundError, "no such folder"), \
                softscope.recording(model, self.path("none/rec.npz")):
            self.fail("the pass would be lost")
        recording = softscope.record(model, picture, quiet=True)
        link = self.path("link.npz")
        os.symlink(self.file, link)
        recording.save(link)
        self.assertTrue(os.path.islink(link))
        self.assertEqual(len(softscope.read(self.file).recorded()), 1)

    def test_names_that_no_file_can_have_are_written_out(self):
        model = nn.Sequential()
        for name in ("\x1b[31mred", "nul\x00"):
            model.add_module(name, Mixed(softmax))
        recording = softscope.record(model.eval(), torch.randn(1, 65, CHANNELS), quiet=True)
        for ending in (".npz", ".safetensors"):
            recording.save(self.path(f"names{ending}"))
            self.assertEqual([layer.name for layer in softscope.read(self.path(f"names{ending}")).recorded()],
                             ["\\x1b[31mred", "nul\\x00"])
        recording.layers.append(Layer("a: b", None, None, "Attention: why"))
        recording.save(self.file)
        self.assertEqual(softscope.read(self.file).refused, {"a:b": "Attention: why"})

    def test_recordings_of_one_model_within_another_see_the_same(self):
        model, picture = VisionTransformer(Mixed(softmax), Mixed(softmax)).eval(), torch.randn(1, 3, SIDE, SIDE)
        with torch.no_grad(), softscope.recording(model, self.file) as outer, \
                softscope.recording(model, self.path("inner.npz")) as inner:
            model(picture)
        for recording in (outer, inner):
            self.assertEqual((len(recording.recorded()), recording.refused), (2, {}))


if __name__ == "__main__":
    unittest.main()
