#!/usr/bin/env python3
"""Norms of Jacobians, against matrices, finite differences and what estimates should do.

    JacobianTest.py SOFTSCOPE
"""
import os
import sys
import unittest

import numpy as np
import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "recordings"), os.path.join(HERE, "..", "..", "python")]
import softscope  # noqa: E402
from networks import CHANNELS, SIDE, Attention, VisionTransformer  # noqa: E402


class Mixing(nn.Module):
    """A linear network of tokens: the tokens' matrix times x times the channels'."""

    def __init__(self, tokens, channels):
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(tokens, tokens, dtype=torch.float64))
        self.channels = nn.Parameter(torch.randn(channels, channels, dtype=torch.float64))

    def forward(self, x):
        return self.tokens @ x @ self.channels


class Whole(nn.Module):
    """A picture to tokens, and what mixes them."""

    def __init__(self, mixer):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, 8, 8, 8, dtype=torch.float64)
        self.mixer = mixer

    def forward(self, x):
        return self.mixer(self.patch_embed(x).flatten(2).transpose(1, 2))


class JacobianTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.picture = torch.randn(1, 3, 32, 32, dtype=torch.float64)

    def test_a_linear_network_has_its_matrix(self):
        mixing = Mixing(16, 8)
        model = Whole(mixing)
        for layer in ("mixer", None):
            row = softscope.jacobian(model, self.picture, 5, layer, directions=8)
            expected = mixing.tokens[5].abs() * mixing.channels.norm()
            np.testing.assert_allclose(row.norms, expected.detach().numpy(), rtol=1e-6)
            self.assertEqual(float(row.error.max()), 0)
        self.assertTrue(all(parameter.requires_grad for parameter in model.parameters()))
        self.assertEqual(sum(len(module._forward_hooks) for module in model.modules()), 0)

    def test_attention_has_the_finite_differences(self):
        model = VisionTransformer(Attention(fused=False)).double().eval()
        picture = torch.randn(1, 3, SIDE, SIDE, dtype=torch.float64)
        given = []
        block = model.blocks[0].attn
        block.register_forward_pre_hook(lambda _module, inputs: given.append(inputs[0].detach()))
        row = softscope.jacobian(model, picture, 3, "blocks.0.attn", directions=CHANNELS)
        tokens, step = given[0], 1e-6
        self.assertEqual(len(row.norms), tokens.shape[1])
        with torch.no_grad():
            for token in (0, 3, 7):
                square = 0.0
                for channel in range(tokens.shape[2]):
                    moved = [tokens.clone(), tokens.clone()]
                    moved[0][0, token, channel] += step
                    moved[1][0, token, channel] -= step
                    square += float(((block(moved[0]) - block(moved[1]))[0, 3] / (2 * step)).square().sum())
                self.assertAlmostEqual(row.norms[token], square ** 0.5, delta=1e-6 * row.norms.max())

    def test_estimates_come_closer_and_say_how_close(self):
        model = Whole(nn.Sequential(Mixing(16, 8), nn.Tanh(), Mixing(16, 8)))
        exact = softscope.jacobian(model, self.picture, 5, "mixer", directions=8).norms
        errors, said = [], []
        for directions in (2, 4, 6):
            rows = [softscope.jacobian(model, self.picture, 5, "mixer", directions=directions, seed=seed)
                    for seed in range(200)]
            squares = np.mean([row.norms ** 2 for row in rows], 0)
            np.testing.assert_allclose(squares, exact ** 2, rtol=0.15)  # unbiased
            errors.append(np.sqrt(np.mean([(row.norms - exact) ** 2 for row in rows])))
            said.append(np.sqrt(np.mean([row.error ** 2 for row in rows])))
        self.assertGreater(errors[0], errors[1])
        self.assertGreater(errors[1], errors[2])
        np.testing.assert_allclose(said, errors, rtol=0.5)

    def test_residuals_around_the_modules_of_a_flat_network(self):
        class Flat(nn.Module):
            def __init__(self):
                super().__init__()
                self.patch_embed = nn.Conv2d(3, 8, 8, 8, dtype=torch.float64)
                self.norm = nn.LayerNorm(8, dtype=torch.float64)
                self.mixer, self.last = Mixing(16, 8), nn.Linear(8, 8, dtype=torch.float64)

            def mix(self, x):
                return self.last(x + self.mixer(self.norm(x)))

            def forward(self, x):
                self.tokens = self.patch_embed(x).flatten(2).transpose(1, 2)
                return self.mix(self.tokens)
        model = Flat()
        row = softscope.jacobian(model, self.picture, 5, directions=8)
        whole = torch.autograd.functional.jacobian(lambda x: model.mix(x)[0, 5], model.tokens.detach())
        np.testing.assert_allclose(row.norms, whole[:, 0].square().sum((0, 2)).sqrt().numpy(), rtol=1e-6)
        self.assertFalse(model.tokens.requires_grad)
        self.assertTrue(all(parameter.requires_grad for parameter in model.parameters()))
        self.assertEqual(sum(len(module._forward_pre_hooks) for module in model.modules()), 0)

    def test_maps_are_tokens_row_by_row(self):
        class Convolved(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, 4, 4, 4, dtype=torch.float64)
                self.mixer = nn.Conv2d(4, 4, 3, padding=1, dtype=torch.float64)

            def forward(self, x):
                return self.mixer(self.stem(x))
        row = softscope.jacobian(Convolved(), self.picture, 3 * 8 + 4, "mixer", directions=4)
        reached = row.norms.reshape(8, 8) > 0
        expected = np.zeros((8, 8), bool)
        expected[2:5, 3:6] = True
        np.testing.assert_array_equal(reached, expected)

    def test_maps_with_channels_last_are_tokens_row_by_row(self):
        class Rows(nn.Module):
            """Each token is the sum of its row, weighted, of a map [1, height, width, channels]."""

            def __init__(self):
                super().__init__()
                self.norm = nn.Linear(5, 5, bias=False, dtype=torch.float64)

            def forward(self, x):
                return self.norm(x).sum(2, keepdim=True).expand_as(x)

        class Model(nn.Module):
            def __init__(self, mixer):
                super().__init__()
                self.stem = nn.Conv2d(3, 5, 4, 4, dtype=torch.float64)
                self.mixer = mixer

            def forward(self, x):
                return self.mixer(self.stem(x).permute(0, 2, 3, 1))
        model = Model(Rows())
        for given in ({}, {"channels_last": True}):
            row = softscope.jacobian(model, self.picture, 3 * 8 + 4, "mixer", directions=5, **given)
            expected = np.zeros((8, 8))
            expected[3] = float(model.mixer.norm.weight.norm())
            np.testing.assert_allclose(row.norms.reshape(8, 8), expected, rtol=1e-6)
        unknown = Model(nn.Identity())
        unknown.stem = nn.Conv2d(3, 8, 4, 4, dtype=torch.float64)  # as many channels as rows and columns
        with self.assertRaisesRegex(ValueError, "channels_last="):
            softscope.jacobian(unknown, self.picture, 0, "mixer")

    def test_a_pool_of_all_tokens_is_no_end(self):
        class Pooled(Whole):
            def __init__(self, mixer, pool):
                super().__init__(mixer)
                self.pool = pool

            def forward(self, x):
                return self.pool(super().forward(x))

        class Last(nn.Module):
            def forward(self, x):
                return x.mean(1, keepdim=True)

        class Map(nn.Module):
            def __init__(self, last):
                super().__init__()
                self.last, self.pool = last, nn.AdaptiveAvgPool2d(1)

            def forward(self, x):
                x = self.pool(x.transpose(1, 2).unflatten(2, (4, 4)))
                return x.permute(0, 2, 3, 1) if self.last else x
        mixing = Mixing(16, 8)
        expected = mixing.tokens[5].abs() * mixing.channels.norm()
        for pool in (Last(), Map(False), Map(True)):
            row = softscope.jacobian(Pooled(mixing, pool), self.picture, 5, directions=8)
            np.testing.assert_allclose(row.norms, expected.detach().numpy(), rtol=1e-6)

    def test_what_cannot_be_asked(self):
        model = Whole(Mixing(16, 8))
        with self.assertRaisesRegex(KeyError, "no module"):
            softscope.jacobian(model, self.picture, 0, "nothing")
        with self.assertRaises(IndexError):
            softscope.jacobian(model, self.picture, 16, "mixer")
        with self.assertRaisesRegex(ValueError, "no tokens"):
            softscope.jacobian(nn.Sequential(nn.Flatten(), nn.Linear(3072, 4, dtype=torch.float64)), self.picture, 0)

    def test_a_module_that_runs_more_than_once_is_refused(self):
        class Twice(Whole):
            def forward(self, x):
                return self.mixer(super().forward(x))
        with self.assertRaisesRegex(ValueError, "mixer ran 2 times, and not once"):
            softscope.jacobian(Twice(Mixing(16, 8)), self.picture, 5, "mixer")


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    unittest.main()
