#!/usr/bin/env python3
"""Attention within windows, put back in its place over the picture by the Python package, or refused.

    WindowsTest.py SOFTSCOPE
"""
import os
import sys
import unittest
import unittest.mock

import numpy as np
import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "recordings"), os.path.join(HERE, "..", "..", "python")]
import program  # noqa: E402
import softscope  # noqa: E402
from program import ProgramTest  # noqa: E402
from softscope import follow, watch  # noqa: E402

CHANNELS, HEADS, PATCH = 12, 3, 4
torch.set_num_threads(1)


class WindowAttention(nn.Module):
    """Softmax attention of what it is given, which it keeps."""

    def __init__(self):
        super().__init__()
        self.num_heads = HEADS
        self.seen = None
        self.qkv = nn.Linear(CHANNELS, 3 * CHANNELS)
        self.proj = nn.Linear(CHANNELS, CHANNELS)
        nn.init.normal_(self.qkv.weight, std=0.5)

    def forward(self, x):
        batch, tokens, channels = x.shape
        q, k, v = self.qkv(x).reshape(batch, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
        self.seen = (q @ k.transpose(-1, -2)).softmax(-1)
        return self.proj((self.seen @ v).transpose(1, 2).reshape(batch, tokens, channels))


class Window:
    """Windows of a map [B, H, W, C]: padded and rolled, as Swin Transformers do."""

    def __init__(self, window, shift=0, pads_first=True, of_lines=False):
        self.window, self.shift, self.pads_first, self.of_lines = window, shift, pads_first, of_lines

    def divide(self, x, padding=0.0):
        def pad(y):
            rest = [-y.shape[axis] % self.window for axis in (1, 2)]
            return nn.functional.pad(y, (0, 0, 0, rest[1], 0, rest[0]), value=padding)
        x = pad(x) if self.pads_first else x
        x = torch.roll(x, (-self.shift, -self.shift), (1, 2)) if self.shift else x
        x = x if self.pads_first else pad(x)
        batch, height, width, channels = x.shape
        side = self.window
        parts = x.reshape(batch, height // side, side, width // side, side, channels)
        order = (0, 2, 4, 1, 3, 5) if self.of_lines else (0, 1, 3, 2, 4, 5)  # dilated windows, as MaxViT's grid
        return parts.permute(order).reshape(-1, side * side if not self.of_lines else
                                            height * width // side ** 2, channels), (height, width)

    def join(self, x, padded, whole):
        (height, width), side, channels = padded, self.window, x.shape[-1]
        if self.of_lines:
            x = x.reshape(-1, side, side, height // side, width // side, channels).permute(0, 3, 1, 4, 2, 5)
        else:
            x = x.reshape(-1, height // side, width // side, side, side, channels).permute(0, 1, 3, 2, 4, 5)
        x = x.reshape(-1, height, width, channels)
        if not self.pads_first:
            x = x[:, :whole[1], :whole[2]]
        x = torch.roll(x, (self.shift, self.shift), (1, 2)) if self.shift else x
        return x[:, :whole[1], :whole[2]].contiguous()


class Block(nn.Module):
    def __init__(self, window, between=lambda x: x):
        super().__init__()
        self.window, self.between = window, between
        self.norm = nn.LayerNorm(CHANNELS)
        self.attn = WindowAttention()
        self.mlp = nn.Sequential(nn.LayerNorm(CHANNELS), nn.Linear(CHANNELS, 20), nn.GELU(), nn.Linear(20, CHANNELS))

    def forward(self, x):
        windows, padded = self.window.divide(self.norm(x))
        x = x + self.window.join(self.between(self.attn(self.between(windows))), padded, x.shape)
        return x + self.mlp(x)


class Lines(nn.Module):
    """A block of tokens in lines, [B, N, C], as Hugging Face's."""

    def __init__(self, block, sides):
        super().__init__()
        self.block, self.sides = block, sides

    def forward(self, x):
        return self.block(x.reshape(len(x), *self.sides, CHANNELS)).reshape(x.shape)


class Pyramid(nn.Module):
    def __init__(self, blocks, in_lines=None):
        super().__init__()
        self.patches = nn.Conv2d(3, CHANNELS, PATCH, PATCH)
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(CHANNELS, 5)
        self.in_lines = in_lines

    def forward(self, x):
        x = self.patches(x).permute(0, 2, 3, 1)
        x = self.blocks(x.flatten(1, 2) if self.in_lines else x)
        return self.head(x.flatten(1, -2).mean(1))


def whole_matrices(block, height, width):
    """The first picture's attention [heads, n, n], by the block's own arrangement of the tokens' numbers."""
    numbers = torch.arange(1.0, height * width + 1).reshape(1, height, width, 1)
    windows = block.window.divide(numbers)[0][..., 0].long() - 1  # -1 for padding
    whole = torch.zeros(HEADS, height * width, height * width)
    for tokens, weights in zip(windows, block.attn.seen):
        kept = (tokens >= 0).nonzero().reshape(-1)
        whole[:, tokens[kept, None], tokens[kept]] = weights[:, kept[:, None], kept]
    return whole


class WindowsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        torch.manual_seed(0)
        if program.PROGRAM != "softscope":
            os.environ["SOFTSCOPE"] = program.PROGRAM

    def record(self, model, height, width, batch=1):
        image = torch.randn(batch, 3, PATCH * height, PATCH * width)
        model.eval()
        with torch.no_grad():
            expected = model(image)
        recording = softscope.record(model, image, quiet=True)
        self.assertTrue(torch.equal(torch.as_tensor(recording.entries["logits"]), expected[0]))
        return recording

    def assert_is(self, layer, block, height, width):
        self.assertLess(layer.verified, 1e-5)
        self.assertEqual(sorted(layer.map.parts), ["blocks", "cols", "rows"])
        found = layer.map.rows(0, height * width)
        torch.testing.assert_close(found, whole_matrices(block, height, width), rtol=1e-5, atol=1e-6)
        return found

    def test_windows_are_put_back_in_their_places(self):
        kinds = {"whole windows": (Window(3), 6, 9), "shifted": (Window(4, 2), 8, 12), "padded": (Window(4), 6, 7),
                 "padded and rolled": (Window(4, 2), 7, 10), "rolled and padded": (Window(5, 2, False), 8, 11),
                 "one window": (Window(8), 5, 7), "one padded and rolled window": (Window(8, 3), 5, 7),
                 "dilated": (Window(2, of_lines=True), 6, 8)}
        for name, (window, height, width) in kinds.items():
            for batch in (1, 2):
                with self.subTest(name, batch=batch):
                    block = Block(window)
                    recording = self.record(Pyramid([Block(Window(3)), block]), height, width, batch)
                    self.assertEqual(recording.refused, {})
                    self.assertEqual(recording.entries["blocks.1.attn/grid"].tolist(), [height, width])
                    layer = recording.layers[1]
                    if name == "one window" and batch == 1:
                        continue  # padding at the end alone leaves tokens in their order
                    self.assert_is(layer, block, height, width)

    def test_tokens_in_lines(self):
        block = Block(Window(4, 2))
        recording = self.record(Pyramid([Lines(block, (6, 9))], in_lines=True), 6, 9)
        self.assert_is(recording.layers[0], block, 6, 9)
        self.assertEqual(recording.entries["blocks.0.block.attn/grid"].tolist(), [6, 9])

    def test_tokens_in_the_order_of_windows_have_no_places(self):
        class Units(Pyramid):
            """As NesT's: tokens stay in their windows, [B, windows, tokens, C]."""

            def forward(self, x):
                x = self.patches(x).permute(0, 2, 3, 1)
                batch, height, width, _ = x.shape
                x = self.blocks(Window(4).divide(x)[0].reshape(batch, height * width // 16, 16, CHANNELS))
                return self.head(x.flatten(1, -2).mean(1))

        class Unit(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn = WindowAttention()

            def forward(self, x):
                return x + self.attn(x.flatten(0, 1)).reshape(x.shape)

        for height, width in ((8, 8), (16, 16), (8, 12)):  # of 4 x 4 windows, a grid of them is square, too
            recording = self.record(Units([Unit()]), height, width)
            self.assertEqual(recording.refused, {})
            self.assertEqual(recording.entries["blocks.0.attn/grid"].tolist(), [0, 0])

    def test_a_window_that_divides_its_own_tokens(self):
        class Own(WindowAttention):
            def __init__(self):
                super().__init__()
                self.window = Window(4, 2)

            def forward(self, x):
                windows, padded = self.window.divide(x)
                return self.window.join(super().forward(windows), padded, x.shape)

        attention = Own()
        recording = self.record(Pyramid([attention]), 6, 9)
        attention.attn = attention
        self.assert_is(recording.layers[0], attention, 6, 9)

    def test_the_file_says_it_and_the_program_reads_it(self):
        block = Block(Window(4, 2))
        recording = self.record(Pyramid([block]), 6, 9)
        expected = recording.layers[0].map.rows(0, 54)
        for ending in (".npz", ".safetensors"):
            path = self.path("windows" + ending)
            recording.save(path)
            read = softscope.read(path)
            torch.testing.assert_close(read.layers[0].map.rows(0, 54), expected)
            np.testing.assert_array_equal(read.heads("blocks.0.attn")[1].row(7), expected[1, 7].numpy())
            self.succeed("dump", "-m", path, "-o", self.path("dump" + ending))
            dumped = np.load(os.path.join(self.path("dump" + ending), "blocks_0_attn.npy"))
            np.testing.assert_array_equal(dumped, expected.numpy())
            # What was dumped is of windows, too.
            self.succeed("dump", "-m", self.path("dump" + ending), "-o", self.path("again" + ending))
            for part in ("attn", "attn.rows", "attn.cols"):
                again, first = (np.load(os.path.join(self.path(folder + ending), f"blocks_0_{part}.npy"))
                                for folder in ("again", "dump"))
                np.testing.assert_array_equal(again, first)

    def test_heads_are_silenced(self):
        block = Block(Window(4, 2))
        model = Pyramid([block])
        recording = self.record(model, 6, 9)
        image = torch.randn(1, 3, PATCH * 6, PATCH * 9)
        given = []
        handle = block.attn.proj.register_forward_pre_hook(lambda _, inputs: given.append(inputs[0].clone()))
        with softscope.silenced(model, recording, {"blocks.0.attn": [1]}):
            model(image)
        handle.remove()
        width = CHANNELS // HEADS
        heads = given[0].reshape(*given[0].shape[:2], HEADS, width)
        tokens = block.window.divide(torch.ones(1, 6, 9, 1))[0][..., 0] > 0
        self.assertEqual(float(heads[:, :, 1][tokens].abs().max()), 0)
        self.assertGreater(float(heads[:, :, 0][tokens].abs().min()), 0)

    def test_what_cannot_be_followed_is_refused(self):
        class Rolled(nn.Module):
            """Rolls what its block does not know of."""

            def __init__(self, block):
                super().__init__()
                self.block = block

            def forward(self, x):
                return torch.roll(self.block(torch.roll(x, 1, 1)), -1, 1)

        class Convolved(Block):
            """Mixes tokens after they were rolled."""

            def __init__(self):
                super().__init__(Window(4, 2))
                self.mix = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, groups=CHANNELS)

            def forward(self, x):
                rolled = torch.roll(x, (-2, -2), (1, 2))
                mixed = self.mix(rolled.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
                windows, padded = Window(4).divide(mixed)
                return x + torch.roll(Window(4).join(self.attn(windows), padded, x.shape), (2, 2), (1, 2))

        kinds = {"rolled around": Rolled(Rolled(Rolled(Rolled(Block(Window(4)))))), "convolved": Convolved(),
                 "mixed windows": Block(Window(4), lambda x: x + x.roll(1, 0)),
                 "other windows": Block(Window(4), lambda x: x.flip(0))}
        for name, block in kinds.items():
            with self.subTest(name):
                recording = self.record(Pyramid([block]), 8, 12)
                if name == "other windows":
                    # Each window is computed elsewhere in the batch, and goes back to its place.
                    self.assertEqual(recording.refused, {})
                    continue
                self.assertEqual(recording.recorded(), [])
                self.assertRegex("".join(recording.refused.values()), "sets of tokens|rolls or pads")

    def test_windows_whose_tokens_take_too_many_runs_to_follow_are_given_up(self):
        with unittest.mock.patch.object(follow, "MOST_PASSES", 0):
            recording = self.record(Pyramid([Block(Window(4)), Block(Window(4, 2))]), 8, 12)
        self.assertEqual(recording.recorded(), [])
        for layer in ("blocks.0.attn", "blocks.1.attn"):
            self.assertRegex(recording.refused[layer], "not followed any further, which would take more than 0 runs")

    def test_windows_with_more_keys_than_their_own_are_refused_at_once(self):
        class Haloed(Block):
            """Keys of each window that are tokens around it, too."""

            def forward(self, x):
                q, k, v = self.attn.qkv(self.norm(x)).chunk(3, -1)
                own = self.window.divide(q)[0]
                k, v = (nn.functional.unfold(nn.functional.pad(each.permute(0, 3, 1, 2), (1, 1, 1, 1)), 6, stride=4)
                        .reshape(CHANNELS, 36, -1).permute(2, 1, 0) for each in (k, v))
                made = self.attn.proj((own @ k.transpose(1, 2)).softmax(-1) @ v)
                return x + self.window.join(made, x.shape[1:3], x.shape)
        asked = []

        def verify(*given):
            asked.append(given)
            return verified(*given)
        verified = watch.verify_windows
        with unittest.mock.patch.object(watch, "verify_windows", verify):
            recording = self.record(Pyramid([Haloed(Window(4))]), 8, 12)
        self.assertEqual(recording.recorded(), [])
        self.assertRegex("".join(recording.refused.values()), "attend to other tokens than their own")
        self.assertEqual(len(asked), 1)

    def test_windows_that_others_shift_are_at_their_places(self):
        class Shift(nn.Module):
            def __init__(self, by, as_parts):
                super().__init__()
                self.by, self.as_parts = by, as_parts

            def forward(self, x):
                if not self.as_parts:
                    return torch.roll(x, (self.by, self.by), (1, 2))
                for axis in (1, 2):
                    at = -self.by % x.shape[axis]
                    x = torch.cat([x.narrow(axis, at, x.shape[axis] - at), x.narrow(axis, 0, at)], axis)
                return x

        class Own(WindowAttention):
            """Divides what it is given into windows, and knows of no shift."""

            def forward(self, x):
                windows, padded = Window(4).divide(x)
                return Window(4).join(super().forward(windows), padded, x.shape)

        class Around(nn.Module):
            def __init__(self, there, back):
                super().__init__()
                self.norm, self.attn, self.window = nn.LayerNorm(CHANNELS), Own(), Window(4, 2)
                self.there, self.back = there, back

            def forward(self, x):
                return x + self.back(self.attn(self.there(self.norm(x))))

        class Top(Pyramid):
            def forward(self, x):
                x = torch.roll(self.patches(x).permute(0, 2, 3, 1), (-2, -2), (1, 2))
                return self.head(torch.roll(self.blocks(x), (2, 2), (1, 2)).flatten(1, -2).mean(1))

        def alone(x):
            return x
        for name, model in (("modules", Pyramid([Around(Shift(-2, False), Shift(2, False))])),
                            ("parts", Pyramid([Around(Shift(-2, True).forward, Shift(2, True).forward)])),
                            ("parts in modules", Pyramid([Around(Shift(-2, True), Shift(2, True))])),
                            ("top", Top([Around(alone, alone)]))):
            with self.subTest(name):
                recording = self.record(model, 8, 12)
                self.assertEqual(recording.refused, {})
                self.assert_is(recording.layers[0], model.blocks[0], 8, 12)
        recording = self.record(Pyramid([Around(Shift(-2, False), alone)]), 8, 12)
        self.assertEqual(recording.recorded(), [])  # which never go back to their places

    def test_rows_without_places_say_so_and_a_grid_gives_them(self):
        class Rows:
            def divide(self, x):
                return x.reshape(-1, x.shape[2], CHANNELS), x.shape[1:3]

            def join(self, x, _padded, whole):
                return x.reshape(whole)
        model = Pyramid([Block(Rows())])
        recording = self.record(model, 6, 8)
        self.assertEqual(recording.entries["blocks.0.attn/grid"].tolist(), [0, 0])
        self.assertRegex("\n".join(recording.remarks), "the places of tokens in blocks.0.attn: .* give grid=")
        recording = softscope.record(model.eval(), torch.randn(1, 3, 6 * PATCH, 8 * PATCH), grid=(6, 8), quiet=True)
        self.assertEqual(recording.entries["blocks.0.attn/grid"].tolist(), [6, 8])
        self.assertFalse(any("places" in line for line in recording.remarks))

    def test_windows_of_what_another_module_pads(self):
        class Pad(nn.Module):
            def forward(self, x):
                return nn.functional.pad(x, (0, 0, 0, 1, 0, 1))

        class Padded(Block):
            def __init__(self):
                super().__init__(Window(4))
                self.pad = Pad()

            def forward(self, x):
                windows, padded = self.window.divide(self.pad(self.norm(x)))
                return x + self.window.join(self.attn(windows), padded, x.shape)
        block = Padded()
        recording = self.record(Pyramid([block]), 7, 11)
        self.assertEqual(recording.entries["blocks.0.attn/grid"].tolist(), [7, 11])
        self.assert_is(recording.layers[0], block, 7, 11)

    def test_windows_that_cut_off_their_padding_before_the_projection(self):
        class Own(WindowAttention):
            """As Twins': it pads, and goes on with the tokens that were there."""

            def __init__(self):
                super().__init__()
                self.window = Window(4)

            def forward(self, x):
                windows, padded = self.window.divide(x)
                proj, self.proj = self.proj, nn.Identity()
                made = self.window.join(super().forward(windows), padded, x.shape)
                self.proj = proj
                return proj(made)
        for batch in (1, 2):
            attention = Own()
            recording = self.record(Pyramid([attention]), 6, 9, batch)
            attention.attn = attention
            self.assertEqual(recording.refused, {})
            self.assert_is(recording.layers[0], attention, 6, 9)


if __name__ == "__main__":
    unittest.main()
