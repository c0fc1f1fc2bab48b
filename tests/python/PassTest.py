#!/usr/bin/env python3
"""What surrounds attention in a pass: pictures and tokens that a model puts elsewhere between its modules, the order of
layers, scores of classes, and what record() is given.

    PassTest.py SOFTSCOPE
"""
import io
import os
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from unittest import mock

import numpy as np
import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "recordings"), os.path.join(HERE, "..", "..", "python")]
import softscope  # noqa: E402
from networks import CHANNELS, GRID, HEADS, PATCH, SIDE  # noqa: E402
from program import ProgramTest  # noqa: E402

TOKENS = GRID * GRID


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.num_heads = HEADS
        self.qkv, self.proj = nn.Linear(CHANNELS, 3 * CHANNELS), nn.Linear(CHANNELS, CHANNELS)
        nn.init.normal_(self.qkv.weight, std=0.5)

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = self.qkv(x).reshape(batch, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
        self.seen = ((CHANNELS // HEADS) ** -0.5 * q @ k.transpose(-1, -2)).softmax(-1)
        return self.proj((self.seen @ v).transpose(1, 2).reshape(batch, tokens, CHANNELS))


class Block(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.norm, self.attn = nn.LayerNorm(CHANNELS), attention
        self.mlp = nn.Sequential(nn.LayerNorm(CHANNELS), nn.Linear(CHANNELS, CHANNELS), nn.GELU(), nn.Linear(CHANNELS, CHANNELS))

    def forward(self, x):
        x = x + self.attn(self.norm(x))
        return x + self.mlp(x)


class Network(nn.Module):
    """Three blocks; `before` and `behind` change the tokens around the second one."""

    def __init__(self, before=lambda x: x, behind=lambda x: x, attention=Attention):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, CHANNELS, PATCH, PATCH)
        self.pos = nn.Parameter(torch.randn(1, TOKENS, CHANNELS))
        self.blocks = nn.ModuleList([Block(attention()) for _ in range(3)])
        self.norm, self.head = nn.LayerNorm(CHANNELS), nn.Linear(CHANNELS, 5)
        self.before, self.behind = before, behind

    def features(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2) + self.pos
        x = self.behind(self.blocks[1](self.before(self.blocks[0](x))))
        return self.norm(self.blocks[2](x)).mean(1)

    def forward(self, x):
        return self.head(self.features(x))


def grid(x):
    return x.reshape(len(x), GRID, GRID, CHANNELS)


def turned(x):
    return grid(x).transpose(1, 2).reshape(x.shape)


def into_windows(x):
    return x.reshape(len(x), 2, 4, 2, 4, CHANNELS).transpose(2, 3).reshape(-1, 16, CHANNELS)


def out_of_windows(x):
    return x.reshape(-1, 2, 2, 4, 4, CHANNELS).transpose(2, 3).reshape(-1, TOKENS, CHANNELS)


def pictures(count=1):
    return torch.randn(count, 3, SIDE, SIDE)


class PassTest(ProgramTest):
    def setUp(self):
        super().setUp()
        torch.manual_seed(0)
        self.file = self.path("rec.npz")

    def places(self, model, batch=1):
        """Of each layer: "refused", or the grid that the file has, or nothing where it has none."""
        recording = softscope.record(model.eval(), pictures(batch), quiet=True)
        return ["refused" if layer.refused else recording.entries.get(f"{layer.name}/grid", np.array([])).tolist()
                for layer in recording.layers]

    def test_pictures_that_are_put_into_another_order_between_blocks(self):
        order = torch.tensor([2, 0, 1])
        matrix = torch.eye(3)[order]
        kinds = {"flip": (lambda x: x.flip(0), lambda x: x.flip(0)), "index": (lambda x: x[order], lambda x: x[order.argsort()]),
                 "roll": (lambda x: x.roll(1, 0), lambda x: x.roll(-1, 0)),
                 "select": (lambda x: x.index_select(0, order), lambda x: x.index_select(0, order.argsort())),
                 "parts": (lambda x: torch.cat([x[1:], x[:1]]), lambda x: torch.cat([x[2:], x[:2]])),
                 "chunks": (lambda x: torch.cat(x.chunk(3)[::-1]), lambda x: torch.cat(x.chunk(3)[::-1])),
                 "stack": (lambda x: torch.stack([x[2], x[1], x[0]]), lambda x: torch.stack([x[2], x[1], x[0]])),
                 "matrix": (lambda x: torch.einsum("ab,bnc->anc", matrix, x),
                            lambda x: torch.einsum("ba,bnc->anc", matrix, x)),
                 "gather": (lambda x: x.gather(0, order[:, None, None].expand_as(x)),
                            lambda x: x.gather(0, order.argsort()[:, None, None].expand_as(x)))}
        for name, (before, behind) in kinds.items():
            with self.subTest(name):
                model = Network(before, behind).eval()
                recording = softscope.record(model, pictures(3), quiet=True)
                self.assertEqual(list(recording.refused), ["blocks.1.attn"])
                self.assertIn("puts its pictures into another order", recording.refused["blocks.1.attn"])
                for index in (0, 2):
                    np.testing.assert_allclose(recording.heads(f"blocks.{index}.attn")[1].matrix(),
                                               model.blocks[index].attn.seen[0, 1].detach(), atol=1e-5)
        for kept in (lambda x: x[[0, 2, 1]], lambda x: torch.cat([x[:1], x[1:].flip(0)]), lambda x: x + 0 * x.flip(0)[:1]):
            model = Network(kept).eval()
            for layer in softscope.record(model, pictures(3), quiet=True).recorded():
                np.testing.assert_allclose(layer.heads[1].matrix(), model.get_submodule(layer.name).seen[0, 1].detach(), atol=1e-5)

    def test_pictures_that_are_put_into_another_order_before_tokens_come_first(self):
        class TokensFirst(nn.MultiheadAttention):
            def forward(self, x):  # pylint: disable=arguments-differ
                x = x.transpose(0, 1)
                made, weights = super().forward(x, x, x, average_attn_weights=False)
                self.seen = weights
                return made.transpose(0, 1)
        for count in (2, 3, 4):  # of which some divide the number of tokens
            with self.subTest(count):
                model = Network(lambda x: x.flip(0), lambda x: x.flip(0),
                                attention=lambda: TokensFirst(CHANNELS, HEADS)).eval()
                recording = softscope.record(model, pictures(count), quiet=True)
                self.assertEqual(list(recording.refused), ["blocks.1.attn"])
                self.assertIn("puts its pictures into another order", recording.refused["blocks.1.attn"])
                for layer in recording.recorded():
                    np.testing.assert_allclose(layer.heads[1].matrix(), model.get_submodule(layer.name).seen[0, 1].detach(),
                                               atol=1e-5)

    def test_tokens_that_are_turned_between_blocks_have_no_places(self):
        kinds = {"turned": turned, "permuted": lambda x: grid(x).permute(0, 2, 1, 3).flatten(1, 2),
                 "map": lambda x: grid(x).permute(0, 3, 1, 2).transpose(2, 3).flatten(2).transpose(1, 2),
                 "windows": lambda x: into_windows(x).reshape(x.shape),
                 "copied": lambda x: grid(x).swapaxes(1, 2).contiguous().view(x.shape),
                 "added": lambda x: (grid(x).transpose(1, 2) + 1).reshape(x.shape)}
        for name, change in kinds.items():
            for batch in (1, 2):
                with self.subTest(name, batch=batch):
                    model = Network(change)
                    model.patch_embed.grid_size = [GRID, GRID]
                    self.assertEqual(self.places(model, batch), [[8, 8], [0, 0], [0, 0]])

    def test_tokens_that_are_put_back_have_their_places(self):
        def axial(x):
            return x + grid(x).transpose(1, 2).reshape(-1, GRID, CHANNELS).reshape(grid(x).shape).transpose(1, 2).flatten(1, 2)

        def padded(x):
            padded = nn.functional.pad(grid(x), (0, 0, 0, 4, 0, 4)).reshape(len(x), 3, 4, 3, 4, CHANNELS)
            cut = padded.transpose(2, 3).reshape(-1, 16, CHANNELS).reshape(-1, 3, 3, 4, 4, CHANNELS).transpose(2, 3)
            return cut.reshape(len(x), 12, 12, CHANNELS)[:, :8, :8].flatten(1, 2)
        same = {"windows": lambda x: out_of_windows(into_windows(x)), "axial": axial,
                "map": lambda x: grid(x).permute(0, 3, 1, 2).flatten(2).transpose(1, 2),
                "side": lambda x: x + 0 * turned(x).mean(1, keepdim=True), "parts": lambda x: torch.cat([x[:, :9], x[:, 9:]], 1)}
        for name, change in same.items():
            with self.subTest(name):
                model = Network(change)
                model.patch_embed.grid_size = [GRID, GRID]
                self.assertEqual(self.places(model), [[8, 8], [8, 8], [8, 8]])
        model = Network(turned, turned)
        model.patch_embed.grid_size = [GRID, GRID]
        self.assertEqual(self.places(model), [[8, 8], [0, 0], [8, 8]])
        self.assertEqual(self.places(Network(padded))[0], [])

        class Inside(Attention):
            def forward(self, x):
                return out_of_windows(super().forward(into_windows(x)))

        class Windowed(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn = Attention()

            def forward(self, x):
                return out_of_windows(self.attn(into_windows(x)))
        for attention in (Inside, Windowed):
            for before, expected in ((lambda x: x, [8, 8]), (turned, [0, 0])):
                model = Network(before, attention=attention)
                model.patch_embed.grid_size = [GRID, GRID]
                self.assertEqual(self.places(model), [[8, 8], expected, expected])

    def test_a_grid_that_is_given_is_kept_for_turned_tokens(self):
        recording = softscope.record(Network(turned).eval(), pictures(), grid=(8, 8), quiet=True)
        self.assertEqual([recording.entries[f"{layer.name}/grid"].tolist() for layer in recording.layers], [[8, 8]] * 3)

    def test_layers_stand_in_the_order_in_which_they_ran(self):
        class Two(nn.Module):
            def __init__(self):
                super().__init__()
                self.local, self.all = Attention(), Attention()

            def forward(self, x):
                y = out_of_windows(self.local(into_windows(x)))
                return self.all(x + y) + y
        recording = softscope.record(Network(attention=Two).eval(), pictures(), quiet=True)
        expected = [f"blocks.{index}.attn.{part}" for index in range(3) for part in ("local", "all")]
        self.assertEqual([layer.name for layer in recording.recorded()], expected)
        recording.save(self.file)
        self.assertEqual([layer.name for layer in softscope.read(self.file).recorded()], expected)

    def test_logits_are_scores_of_classes_alone(self):
        def kept(model, picture=None, **options):
            recording = softscope.record(model.eval(), pictures() if picture is None else picture, quiet=True, **options)
            self.assertEqual(any(line.startswith("the output") for line in recording.remarks), "logits" not in recording.entries)
            return "logits" in recording.entries

        class Other(Network):
            def __init__(self, forward):
                super().__init__()
                self.change = forward
                self.other, self.map = nn.Linear(CHANNELS, 5), nn.Conv2d(CHANNELS, 5, 1)
                self.weights = nn.Parameter(torch.randn(CHANNELS, 5))

            def forward(self, x):
                return self.change(self, self.features(x))
        scores = {"head": lambda self, x: self.head(x), "softmax": lambda self, x: self.head(x).softmax(-1),
                  "two": lambda self, x: (self.head(x) + self.other(x)) / 2, "named": lambda self, x: {"logits": x},
                  "object": lambda self, x: SimpleNamespace(logits=x),
                  "map": lambda self, x: nn.functional.adaptive_avg_pool2d(self.map(x[:, :, None, None]), 1).flatten(1),
                  "tokens": lambda self, x: self.head(x[:, None].expand(-1, 3, -1)).mean(1),
                  "banned": lambda self, x: self.head(x).masked_fill(torch.arange(5) == 2, -9).clamp(-8, 8),
                  "stack": lambda self, x: torch.stack([self.head(x), self.other(x)]).mean(0)}
        features = {"identity": lambda self, x: x, "norm": lambda self, x: self.norm(self.head(x).repeat(1, 7)[:, :CHANNELS]),
                    "tanh": lambda self, x: self.head(x).tanh(), "projected": lambda self, x: x @ self.weights,
                    "residual": lambda self, x: (x[:, None] + self.blocks[0].mlp[3](x[:, None])).mean(1)}
        for name, forward in scores.items():
            with self.subTest(name):
                self.assertTrue(kept(Other(forward)))
        for name, forward in features.items():
            with self.subTest(name):
                self.assertFalse(kept(Other(forward)))
        self.assertTrue(kept(Other(features["identity"]), classes=[str(index) for index in range(CHANNELS)]))
        model = Other(scores["head"])
        model.num_classes = 0
        self.assertFalse(kept(model))

    def test_scores_are_the_first_pictures_alone(self):
        class Other(Network):
            def __init__(self, forward):
                super().__init__()
                self.change = forward

            def forward(self, x):
                return self.change(self.head(self.features(x)))
        lost = {"tokens": (1, lambda y: y.expand(6, -1).contiguous() + 0), "picked": (2, lambda y: y[[1, 0]]),
                "selected": (2, lambda y: y.index_select(0, torch.tensor([1, 0]))),
                "stacked": (2, lambda y: torch.stack([y[1], y[0]])), "mean": (2, lambda y: y.mean(0, keepdim=True))}
        kept = {"all": (2, lambda y: y), "in order": (2, lambda y: y[[0, 1]]), "again": (2, lambda y: torch.stack([y[0], y[1]])),
                "some classes": (2, lambda y: y[:, :3])}
        for is_kept, ways in ((True, kept), (False, lost)):
            for name, (count, forward) in ways.items():
                with self.subTest(name):
                    model, given = Other(forward).eval(), torch.cat([pictures(), pictures()])[:count]
                    recording = softscope.record(model, given, quiet=True)
                    self.assertEqual("logits" in recording.entries, is_kept)
                    if is_kept:
                        np.testing.assert_allclose(recording.entries["logits"], model(given)[0].detach(), atol=1e-5)
                    else:
                        self.assertRegex("\n".join(recording.remarks), "^the (logits|output): ")

        class Dense(Network):
            def forward(self, x):
                return self.head(self.features(x)).expand(6, -1).clone()
        recording = softscope.record(Dense().eval(), pictures(), quiet=True, classes=list("abcde"))
        self.assertNotIn("logits", recording.entries)
        self.assertRegex("\n".join(recording.remarks), "6 rows of 5 numbers for 1 picture,")

    def test_probabilities_are_written_as_what_they_were_made_of(self):
        class Ending(Network):
            def __init__(self, end):
                super().__init__()
                self.end = end

            def forward(self, x):
                return self.end(6 * self.head(self.features(x)))
        for name, end in (("softmax", lambda y: y.softmax(-1)), ("sigmoid", torch.sigmoid), ("views", lambda y: y.softmax(1)[:, :]),
                          ("logarithms", lambda y: y.log_softmax(-1))):
            with self.subTest(name):
                model, given = Ending(end).eval(), pictures()
                recording = softscope.record(model, given, quiet=True)
                logits, made = torch.as_tensor(recording.entries["logits"]), model(given)[0].detach()
                made = made.exp() if name == "logarithms" else made
                self.assertLess(float(((logits.sigmoid() if name == "sigmoid" else logits.softmax(-1)) - made).abs().max()), 1e-5)
                self.assertEqual(any("of a sigmoid" in line for line in recording.remarks), name == "sigmoid")

    def test_attention_that_cannot_be_seen_is_missed_beside_what_is_seen(self):
        def seen(q, k, v):
            return (q @ k.transpose(-1, -2)).softmax(-1) @ v

        def unseen(q, k, v):
            weights = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1).softmax(-1)
            return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)

        class Mixer(nn.Module):
            def __init__(self, attend, names=("wq", "wk", "wv"), child=None):
                super().__init__()
                self.attend, self.names, self.child, self.wo = attend, names, child, nn.Linear(CHANNELS, CHANNELS)
                for name in names:
                    setattr(self, name, nn.Linear(CHANNELS, CHANNELS))
                if names[0] == "query":
                    self.num_heads = HEADS

            def forward(self, x):
                x = x if self.child is None else x + self.child(x)
                q, k, v = (getattr(self, name)(x).reshape(len(x), -1, HEADS, CHANNELS // HEADS).transpose(1, 2)
                           for name in self.names)
                return self.wo(self.attend(q, k, v).transpose(1, 2).flatten(2))

        class Mixers(nn.Module):
            def __init__(self, *mixers):
                super().__init__()
                self.stem, self.mixers = nn.Conv2d(3, CHANNELS, PATCH, PATCH), nn.ModuleList(mixers)

            def forward(self, x):
                x = self.stem(x).flatten(2).transpose(1, 2)
                for mixer in self.mixers:
                    x = x + mixer(x)
                return x.mean(1)
        named = ("query", "key", "value")
        recording = softscope.record(Mixers(Mixer(seen), Mixer(unseen), Mixer(seen)).eval(), pictures(), quiet=True)
        self.assertEqual([layer.name for layer in recording.recorded()], ["mixers.0", "mixers.2"])
        self.assertRegex("\n".join(recording.remarks), "of mixers.1: scores were normalised there, and no product")
        recording = softscope.record(Mixers(Mixer(seen), Mixer(seen)).eval(), pictures(), quiet=True)
        self.assertFalse(any("normalised" in line for line in recording.remarks))
        model = Mixers(Mixer(seen, named, Mixer(unseen, named))).eval()
        recording = softscope.record(model, pictures(), quiet=True)
        self.assertEqual([layer.name for layer in recording.recorded()], ["mixers.0"])
        self.assertRegex(recording.refused["mixers.0.child"], "no product of attention and values could be seen")

    def test_operators_that_are_registered_are_not_passed_over(self):
        library = torch.library.Library("softscope_tests", "DEF")  # pylint: disable=unused-variable
        library.define("scan(Tensor q, Tensor k, Tensor v) -> Tensor")
        library.define("fill(Tensor q, Tensor k, Tensor v, Tensor(a!) out) -> ()")
        library.define("packed(Tensor qkv) -> Tensor")
        library.define("turn(Tensor q, Tensor k) -> Tensor")

        def attend(q, k, v):
            return (q @ k.transpose(-1, -2) * 0.1).softmax(-1) @ v

        def write(q, k, v, out):
            out.copy_(attend(q, k, v))
        for name, function in (("scan", attend), ("fill", write), ("packed", lambda qkv: attend(*qkv.unbind(0))),
                               ("turn", lambda q, k: q + 0.1 * k)):
            library.impl(name, function, "CompositeExplicitAutograd")
        ops = torch.ops.softscope_tests

        def fill(q, k, v):
            made = torch.empty(q.shape)
            ops.fill(q, k, v, made)
            return made

        def unseen(q, k, v):
            with torch._C.DisableTorchFunction():  # pylint: disable=protected-access
                return attend(q, k, v)

        def halves(of_half):
            return lambda q, k, v: torch.cat([attend(*(each[:, :1] for each in (q, k, v))),
                                              of_half(*(each[:, 1:] for each in (q, k, v)))], 1)

        class Mixer(nn.Module):
            def __init__(self, mix):
                super().__init__()
                self.wi, self.wo, self.mix = nn.Linear(CHANNELS, 3 * CHANNELS), nn.Linear(CHANNELS, CHANNELS), mix

            def forward(self, x):
                q, k, v = self.wi(x).reshape(len(x), TOKENS, 3, HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
                return self.wo(self.mix(q, k, v).transpose(1, 2).reshape(x.shape))

        def record(mix):
            return softscope.record(Network(attention=lambda: Mixer(mix)).eval(), pictures(), quiet=True)
        for name, mix in (("scan", ops.scan), ("scan", ops.scan.default), ("fill", fill),
                          ("packed", lambda q, k, v: ops.packed(torch.stack([q, k, v])))):
            with self.subTest("alone", name=name):
                recording = record(mix)
                self.assertEqual(recording.layers, [])
                self.assertRegex("\n".join(recording.remarks), f"of blocks.0.attn.* softscope_tests::{name} may mix tokens")
        halved = [("softscope_tests::scan", ops.scan), ("softscope_tests::fill", fill)]
        if hasattr(torch._C, "DisableTorchFunctionSubclass"):  # before PyTorch 2, the other hides nothing from modes
            halved.append(("a function that is not seen", unseen))
        for name, of_half in halved:
            with self.subTest("half of the heads", name=name):
                recording = record(halves(of_half))
                self.assertEqual({layer.beside for layer in recording.layers}, {f"what {name} made"})
                recording = record(lambda q, k, v, of_half=of_half: attend(q, k, v) + of_half(q, k, v))
                self.assertRegex(recording.refused["blocks.0.attn"], f"what {name} made")
        recording = record(lambda q, k, v: attend(ops.turn(q, k), k, v))  # whose queries are known
        self.assertEqual((len(recording.recorded()), {layer.beside for layer in recording.layers}, recording.remarks),
                         (3, {None}, [line for line in recording.remarks if "may mix" not in line]))

    def test_a_recording_that_takes_long_says_so_on_a_terminal_alone(self):
        model = Network().eval()
        for is_terminal in (True, False):
            with mock.patch("softscope.progress._FIRST", 0), mock.patch("sys.stderr", io.StringIO()) as said, \
                    mock.patch.object(said, "isatty", lambda: is_terminal):
                softscope.record(model, pictures())
            self.assertEqual("recording patch_embed, module" in said.getvalue(), is_terminal)
            self.assertEqual(said.getvalue().endswith("\r\x1b[K"), is_terminal)

    def test_a_model_that_takes_its_picture_by_name_alone(self):
        class Named(Network):
            def forward(self, *, pixel_values):  # pylint: disable=arguments-differ
                return super().forward(pixel_values)
        expected = softscope.record(Network().eval(), pictures(), quiet=True)
        for picture in ((), (None,), ({},), ([],)):
            recording = softscope.record(Named().eval(), *picture, pixel_values=pictures(), quiet=True)
            self.assertEqual(len(recording.recorded()), len(expected.recorded()))
            self.assertEqual({name for name in recording.entries if name.endswith("/grid")},
                             {name for name in expected.entries if name.endswith("/grid")})
        with self.assertRaisesRegex(ValueError, "a picture needs transform="):
            softscope.record(Named().eval(), quiet=True)

    def test_features_are_told_as_no_classes_by_the_program(self):
        model = Network()
        model.head = nn.Identity()
        softscope.record(model.eval(), pictures(), quiet=True).save(self.file)
        self.assertNotIn("logits", softscope.read(self.file).entries)
        self.assertRegex(self.succeed("inspect", self.file), "classes +none recorded")

    def test_text_in_the_place_of_lists(self):
        model = Network().eval()
        for pattern in ("blocks.0.attn", ["blocks.0.attn"]):
            recording = softscope.record(model, pictures(), patterns=pattern, quiet=True)
            self.assertEqual(list(recording.refused), ["blocks.0.attn"])
        for options, said in (({"classes": "abcde"}, "list of names"), ({"grid": "8x8"}, "height and width"),
                              ({"mean": "abc", "std": [1] * 3}, "finite numbers")):
            with self.assertRaisesRegex(ValueError, said):
                softscope.record(model, pictures(), quiet=True, **options)
            with self.assertRaisesRegex(ValueError, said), softscope.recording(model, self.file, **options):
                self.fail("the pass would be lost")

    def test_means_and_deviations_that_no_file_can_have(self):
        model, picture = Network().eval(), np.zeros((SIDE, SIDE, 3), np.uint8)
        for mean, std, said in (([0.5], [0.5], "three numbers"), ([0.5] * 4, [0.5] * 4, "three numbers"),
                                (0.5, 0.5, "three numbers"), ([float("nan")] * 3, [0.5] * 3, "finite"),
                                ([0.5] * 3, [0] * 3, "above zero"), ([0.5] * 3, [-1] * 3, "above zero")):
            for given in (pictures(), picture):
                with self.assertRaisesRegex(ValueError, said):
                    softscope.record(model, given, mean=mean, std=std, size=SIDE, quiet=True)
        model.patch_embed = nn.Conv2d(1, CHANNELS, PATCH, PATCH)
        recording = softscope.record(model, torch.randn(1, 1, SIDE, SIDE), mean=[0.5], std=[0.5], quiet=True)
        self.assertEqual((len(recording.recorded()), "mean" in recording.entries), (3, False))

    def test_what_is_no_model(self):
        for given, said in ((None, "model is None"), ("model.pth", "'model.pth'.*load_state_dict"), (len, "of type builtin")):
            for call in (lambda given=given: softscope.record(given, pictures()),
                         lambda given=given: softscope.jacobian(given, pictures(), 0),
                         lambda given=given: softscope.connect("nowhere", given, mean=[0] * 3, std=[1] * 3, size=8),
                         lambda given=given: softscope.log(given, pictures(), step=1),
                         lambda given=given: softscope.silenced(given, softscope.Recording(), {}).__enter__(),
                         lambda given=given: softscope.recording(given, self.file).__enter__()):
                with self.assertRaisesRegex(TypeError, said):
                    call()

    def test_inputs_that_are_not_finite_are_the_reason(self):
        for value in (float("nan"), float("inf")):
            recording = softscope.record(Network().eval(), pictures() * value, quiet=True)
            self.assertEqual(recording.recorded(), [])
            for reason in recording.refused.values():
                self.assertIn("its output is not finite", reason)

    def test_modules_that_ran_unseen(self):
        class Threads(nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.other = Attention(), Attention()

            def forward(self, x):
                with ThreadPoolExecutor(2) as pool:
                    return sum(made.result() for made in [pool.submit(self.one, x), pool.submit(self.other, x)])
        for reason in softscope.record(Network(attention=Threads).eval(), pictures(), quiet=True).refused.values():
            self.assertIn("another thread ran it", reason)

        class Direct(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn = Attention()

            def forward(self, x):
                return self.attn.proj(x)
        refused = softscope.record(Network(attention=Direct).eval(), pictures(), quiet=True).refused
        self.assertIn("did not run, or its forward() was called", refused["blocks.1.attn.attn"])

    def test_another_thread_that_runs_the_model_says_nothing(self):
        model, alone = Network().eval(), pictures()

        def meanwhile(x):
            thread = threading.Thread(target=lambda: model.blocks[2](torch.randn(1, TOKENS, CHANNELS)))
            thread.start()
            thread.join()
            return x
        model.before = meanwhile
        self.assertEqual(len(softscope.record(model, alone, quiet=True).recorded()), 3)

    def test_three_of_anything_are_no_picture(self):
        class Tokens(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn, self.norm = Attention(), nn.LayerNorm(CHANNELS)

            def forward(self, x):
                return self.attn(self.norm(x))

        class Spectra(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed, self.attn = nn.Conv2d(1, CHANNELS, PATCH, PATCH), Attention()

            def forward(self, x):
                return self.attn(self.embed(x[:, None]).flatten(2).transpose(1, 2))

        class Sound(Spectra):
            def __init__(self):
                super().__init__()
                self.embed = nn.Conv1d(20, CHANNELS, 3)

            def forward(self, x):
                return self.attn(self.embed(x).transpose(1, 2))
        for model, given in ((Tokens(), torch.randn(3, 20, CHANNELS)), (Spectra(), torch.randn(3, 32, 64)),
                             (Sound(), torch.randn(3, 20, 64)), (Network(), pictures()[0])):
            recording = softscope.record(model.eval(), given, quiet=True)
            self.assertEqual(recording.refused, {})
            self.assertEqual("input_size" in recording.entries, isinstance(model, Network))

    def test_an_interrupt_between_two_steps_leaves_no_hook(self):
        model = Network().eval()
        for kind in ("forward", "forward_pre"):
            name = f"register_{kind}_hook"
            plain = getattr(nn.Module, name)

            def interrupted(self, hook, *given, plain=plain, **options):
                plain(self, hook, *given, **options)
                if self is model.blocks[1]:
                    raise KeyboardInterrupt
            with mock.patch.object(nn.Module, name, interrupted), self.assertRaises(KeyboardInterrupt):
                softscope.record(model, pictures(), quiet=True)
            for module in model.modules():
                for hooks in ("_forward_hooks", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs"):
                    self.assertFalse(getattr(module, hooks, {}))


if __name__ == "__main__":
    unittest.main()
