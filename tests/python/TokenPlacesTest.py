#!/usr/bin/env python3
"""Where the tokens of recorded attention lie: keys that are other tokens than the queries, in another order, or of other
pictures, and tokens that are no patches.

    TokenPlacesTest.py SOFTSCOPE
"""
import os
import sys
import unittest

import numpy as np
import torch
from torch import nn
from torch.nn import functional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "recordings"), os.path.join(HERE, "..", "..", "python")]
import softscope  # noqa: E402
from program import ProgramTest  # noqa: E402

CHANNELS, HEADS, WIDTH = 24, 3, 8


class Patches(nn.Module):
    """A patch embedding that says its grid, as timm's do."""

    def __init__(self):
        super().__init__()
        self.proj, self.grid_size, self.patch_size = nn.Conv2d(3, CHANNELS, 8, 8), (4, 4), (8, 8)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


def split(x):
    return x.reshape(len(x), x.shape[1], HEADS, WIDTH).transpose(1, 2)


class Attention(nn.Module):
    """Of tokens, with keys and values that `keys_of` makes of what is given, and scores that `weigh` makes weights of."""

    def __init__(self, keys_of=lambda module, x: x, weigh=lambda scores: scores.softmax(-1)):
        super().__init__()
        self.num_heads, self.keys_of, self.weigh, self.seen = HEADS, keys_of, weigh, None
        self.q, self.k, self.v, self.proj, self.gate = (nn.Linear(CHANNELS, CHANNELS) for _ in range(5))
        self.local = nn.Conv2d(CHANNELS, CHANNELS, 3, 1, 1)
        self.memory = nn.Parameter(torch.randn(1, 1, CHANNELS))
        self.mixture = nn.Parameter(torch.randn(17, 17) * 0.3)
        for each in (self.q, self.k):
            each.weight.data *= 3

    def forward(self, x, keys=None):
        keys = self.keys_of(self, x if keys is None else keys)
        q, k, v = split(self.q(x)), split(self.k(keys)), split(self.v(keys))
        weights = self.weigh(q @ k.transpose(-1, -2) * WIDTH ** -0.5)
        self.seen = weights[0].detach()
        return self.proj((weights @ v).transpose(1, 2).flatten(2))


class Wide(Attention):
    """Heads as wide as the module, whose values `multiply` multiplies, and with which `go_on` goes on."""

    def __init__(self, go_on, multiply=lambda module, weights, values: weights @ values):
        super().__init__()
        del self.num_heads  # which would tell heads
        self.go_on, self.multiply, self.without = go_on, multiply, None
        self.values = nn.Linear(CHANNELS, HEADS * CHANNELS)
        self.apart = nn.Parameter(torch.randn(HEADS, CHANNELS, CHANNELS))

    def forward(self, x, keys=None):
        weights = (split(self.q(x)) @ split(self.k(x)).transpose(-1, -2) * WIDTH ** -0.5).softmax(-1)
        self.seen = weights[0].detach()
        heads = self.multiply(self, weights, self.values(x).reshape(*x.shape[:2], HEADS, CHANNELS).transpose(1, 2))
        if self.without is not None:
            heads = heads.clone()
            heads[:, self.without] = 0
        return self.go_on(self, heads)


class Sorting(Attention):
    """Of tokens that are sorted by a score, each to those near it in its chunk, and put back. `seen` is that of tokens as
    they are given, and `computed` as they are sorted."""

    def __init__(self, chunks, values_of=lambda module, x: x):
        super().__init__()
        self.chunks, self.values_of, self.computed, self.score = chunks, values_of, None, nn.Linear(CHANNELS, 1)

    def forward(self, x, keys=None):
        order = self.score(x)[..., 0].argsort(-1)
        y = x.gather(1, order.unsqueeze(-1).expand_as(x)).reshape(len(x) * self.chunks, -1, CHANNELS)
        count = y.shape[1]
        far = (torch.arange(count)[:, None] - torch.arange(count)).abs() > 2
        q, k, v = split(self.q(y)), split(self.k(y)), split(self.v(self.values_of(self, y)))
        weights = (q @ k.transpose(-1, -2) * WIDTH ** -0.5).masked_fill(far, -1e9).softmax(-1)
        made = self.proj((weights @ v).transpose(1, 2).flatten(2)).reshape(x.shape)
        back = order.argsort(-1)
        self.computed = torch.stack([torch.block_diag(*head) for head in weights.transpose(0, 1)]).detach()
        self.seen = self.computed[:, back[0]][:, :, back[0]]
        return made.gather(1, back.unsqueeze(-1).expand_as(x))


class Network(nn.Module):
    def __init__(self, attn, forward=None, has_class=True, other=None):
        super().__init__()
        self.patch_embed, self.attn, self.head = Patches(), attn, nn.Linear(CHANNELS, 10)
        self.cls_token = nn.Parameter(torch.randn(1, 1, CHANNELS)) if has_class else None
        self.latents, self.words = nn.Parameter(torch.randn(1, 16, CHANNELS)), nn.Embedding(50, CHANNELS)
        self.other = other
        self.run = forward or Network.of_tokens

    def of_tokens(self, x):
        if self.cls_token is not None:
            x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1)
        return (x + self.attn(x)).mean(1)

    def forward(self, x, *others):
        return self.head(self.run(self, self.patch_embed(x), *others))


def turned(x):
    """The map column by column."""
    return x.reshape(len(x), 4, 4, -1).transpose(1, 2).reshape(x.shape)


def gated(module, x):
    return x * module.gate(x.mean(1, keepdim=True)).sigmoid()


def behind_class(change):
    return lambda module, x: torch.cat([x[:, :1], change(module, x[:, 1:])], 1)


def convolved(change):
    """A convolution of the map that `change` makes."""
    def compute(module, x):
        local = module.local(change(x).transpose(1, 2).reshape(len(x), CHANNELS, 4, 4))
        return local.flatten(2).transpose(1, 2)
    return compute


class TokenPlacesTest(ProgramTest):
    def setUp(self):
        super().setUp()
        torch.manual_seed(0)

    def record(self, network, batch=1, *others):
        return softscope.record(network.eval(), torch.randn(batch, 3, 32, 32), quiet=True,
                                **({"ids": others[0]} if others else {}))

    def grid_of(self, recording, layer="attn"):
        self.assertEqual(recording.refused, {})
        said = [recording.entries.get(f"{layer}/{part}") for part in ("grid", "prefix", "suffix")]
        return [None if each is None else each.tolist() for each in said]

    def matrix_of(self, recording):
        return np.stack([head.matrix() for head in recording.layers[0].heads])

    def test_keys_that_are_other_tokens_than_the_queries_have_no_places(self):
        others = {"memory": lambda module, x: torch.cat([x[:, 1:], module.memory.expand(len(x), -1, -1)], 1),
                  "mean": lambda module, x: torch.cat([x[:, 1:], x.mean(1, keepdim=True)], 1),
                  "largest": lambda module, x: torch.cat([x[:, 1:], x.amax(1, keepdim=True)], 1),
                  "zero": lambda module, x: torch.cat([x[:, 1:], torch.zeros_like(x[:, :1])], 1),
                  "without the last": lambda module, x: torch.cat([module.memory.expand(len(x), -1, -1), x[:, :-1]], 1)}
        for name, keys_of in others.items():
            with self.subTest(name):
                attention = Attention(keys_of)
                recording = self.record(Network(attention))
                self.assertEqual(self.grid_of(recording)[0], [0, 0])
                np.testing.assert_allclose(self.matrix_of(recording), attention.seen, atol=1e-5)
        self.assertEqual(self.grid_of(self.record(Network(Attention()))), [[4, 4], 1, None])

    def test_fewer_keys_that_are_no_coarser_map_have_no_places(self):
        ways = {"each fourth": (lambda module, x: x[:, ::4], [0, 0]), "the first": (lambda module, x: x[:, :4], [0, 0]),
                "each second of each second row": (lambda module, x: x.reshape(len(x), 4, 4, -1)[:, ::2, ::2].flatten(1, 2),
                                                   None)}
        for name, (keys_of, expected) in ways.items():
            with self.subTest(name):
                self.assertEqual(self.grid_of(self.record(Network(Attention(keys_of), None, False)))[0], expected)

    def test_heads_whose_keys_stand_in_different_orders(self):
        class Halves(Attention):
            def forward(self, x, keys=None):
                def turn(heads):
                    first = heads[:, :1].reshape(len(x), 1, 4, 4, WIDTH).transpose(2, 3).reshape(len(x), 1, 16, WIDTH)
                    return torch.cat([first, heads[:, 1:]], 1)
                q, k, v = split(self.q(x)), turn(split(self.k(x))), turn(split(self.v(x)))
                weights = (q @ k.transpose(-1, -2) * WIDTH ** -0.5).softmax(-1)
                first = weights[:, :1].reshape(len(x), 1, 16, 4, 4).transpose(3, 4).reshape(len(x), 1, 16, 16)
                self.seen = torch.cat([first, weights[:, 1:]], 1)[0].detach()
                return self.proj((weights @ v).transpose(1, 2).flatten(2))
        for batch in (1, 2):
            with self.subTest(batch=batch):
                attention = Halves()
                recording = self.record(Network(attention, None, False), batch)
                self.assertEqual(self.grid_of(recording)[0], [4, 4])
                np.testing.assert_allclose(self.matrix_of(recording), attention.seen, atol=1e-5)

    def test_keys_that_depend_on_several_tokens_keep_places_in_their_order_alone(self):
        def normalised(module, x):
            return (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-5)
        lost = {"gate": (lambda module, x: behind_class(lambda _, y: turned(y))(module, gated(module, x)), True),
                "norm": (behind_class(lambda module, x: turned(normalised(module, x))), True),
                "frequencies": (lambda module, x: torch.fft.fft(x, dim=1).real, True),
                "mixtures": (lambda module, x: torch.einsum("mn,bnc->bmc", module.mixture, x), True),
                "convolution": (convolved(turned), False)}
        kept = {"gate": (gated, True), "norm": (behind_class(normalised), True), "convolution": (convolved(lambda x: x), False)}
        for expected, ways in (([0, 0], lost), ([4, 4], kept)):
            for name, (keys_of, has_class) in ways.items():
                with self.subTest(name, expected=expected):
                    recording = self.record(Network(Attention(keys_of), None, has_class))
                    self.assertEqual(self.grid_of(recording)[0], expected)

    def test_attention_to_other_pictures_is_refused(self):
        others = {"flip": lambda x: x.flip(0), "parts": lambda x: torch.cat(x.chunk(2)[::-1]),
                  "stack": lambda x: torch.stack([x[1], x[0]]), "mean": lambda x: x.mean(0, keepdim=True).expand_as(x),
                  "second": lambda x: x[1:].expand_as(x)}
        for name, change in others.items():
            for keys_of in (lambda module, x, change=change: change(gated(module, x)), convolved(change)):
                with self.subTest(name):
                    recording = self.record(Network(Attention(keys_of), None, False), 2)
                    self.assertEqual(recording.recorded(), [])
                    self.assertRegex("\n".join(recording.refused.values()), "across the pictures|another order")
        for keys_of in (gated, convolved(lambda x: x)):
            self.assertEqual(self.record(Network(Attention(keys_of), None, False), 2).refused, {})
        network, norm = Network(Attention(), None, False).train(), nn.BatchNorm1d(CHANNELS)  # of all pictures, a little
        network.attn.keys_of = lambda module, x: norm(x.transpose(1, 2)).transpose(1, 2)
        self.assertEqual(softscope.record(network, torch.randn(2, 3, 32, 32), quiet=True).refused, {})

    def test_one_query_and_tokens_of_the_models_own_behind_the_patches(self):
        def by_class(first):
            def forward(self, x):
                own = self.cls_token.expand(len(x), -1, -1)
                return (own + self.attn(own, torch.cat([own, x] if first else [x, own], 1)))[:, 0]
            return forward
        self.assertEqual(self.grid_of(self.record(Network(Attention(), by_class(True)))), [[4, 4], 1, None])
        self.assertEqual(self.grid_of(self.record(Network(Attention(), by_class(False)))), [[4, 4], 0, 1])

        def pooled(self, x):
            own = self.cls_token.expand(len(x), -1, -1)
            return (own + self.attn(own, x, x, need_weights=False)[0])[:, 0]
        for options in ({"add_zero_attn": True}, {"add_bias_kv": True}):
            with self.subTest(**options):
                attention = nn.MultiheadAttention(CHANNELS, HEADS, batch_first=True, **options)
                self.assertEqual(self.grid_of(self.record(Network(attention, pooled))), [[4, 4], 0, 1])

    def test_one_query_of_tokens_that_its_module_joins(self):
        class Joining(Attention):
            def __init__(self, order):
                super().__init__()
                self.order = order

            def forward(self, x, keys=None):
                return super().forward(x, torch.cat([(x, keys)[which] for which in self.order], 1))

        def by_class(self, x):
            own = self.cls_token.expand(len(x), -1, -1)
            return (own + self.attn(own, x))[:, 0]
        for order, expected in (((0, 1), [1, None]), ((1, 0), [0, 1])):
            with self.subTest(order=order):
                attention = Joining(order)
                recording = self.record(Network(attention, by_class))
                self.assertEqual(self.grid_of(recording), [[4, 4], *expected])
                np.testing.assert_allclose(self.matrix_of(recording), attention.seen, atol=1e-5)
                recording.save(self.path("one.npz"))
                self.succeed("inspect", self.path("one.npz"))
                self.assert_close(self.dumped(self.path("one.npz"), "attn"), attention.seen)

    def test_heads_that_are_added_up_are_those_of_the_model(self):
        def added(module, heads):
            return module.gate(heads.sum(1))

        def averaged(module, heads):
            return module.gate(heads.mean(1))

        def returned(_, heads):
            return heads.sum(1)

        def projected_apart(module, heads):
            return (heads @ module.apart).sum(1)

        def normalised_apart(module, heads):
            return module.gate(functional.layer_norm(heads, [CHANNELS]).sum(1))
        ways = {added: "a sum of its heads behind it", averaged: "a mean of its heads behind it",
                returned: "a sum of its heads behind it", projected_apart: None, normalised_apart: None}
        for go_on, said in ways.items():
            with self.subTest(go_on.__name__):
                attention = Wide(go_on)
                network = Network(attention).eval()
                for batch in (2, 1):
                    recording = self.record(network, batch)
                    self.assertEqual(recording.refused, {})
                    np.testing.assert_allclose(self.matrix_of(recording), attention.seen, atol=1e-5)
                    self.assertRegex(str(recording.layers[0].beside), said or "None")
                picture = torch.randn(1, 3, 32, 32)
                for head in range(HEADS):
                    attention.without = None
                    with softscope.silenced(network, recording, {"attn": [head]}), torch.no_grad():
                        found = network(picture)
                    attention.without = head
                    with torch.no_grad():
                        torch.testing.assert_close(found, network(picture))

    def test_the_weights_by_which_heads_are_added_up_are_a_gate(self):
        class Routed(Wide):
            def __init__(self):
                super().__init__(lambda module, heads: module.gate((heads * module.weights_of_heads).sum(1)))
                self.router, self.weights_of_heads = nn.Linear(CHANNELS, HEADS), None

            def forward(self, x, keys=None):
                self.weights_of_heads = self.router(x).softmax(-1).transpose(1, 2)[..., None]
                return super().forward(x, keys)
        attention = Routed()
        recording = self.record(Network(attention))
        self.assertEqual(recording.refused, {})
        np.testing.assert_allclose(self.matrix_of(recording), attention.seen, atol=1e-5)
        self.assertRegex(recording.layers[0].beside, "^a gate behind it")

    def test_heads_of_one_query_that_are_added_up(self):
        attention = Wide(lambda module, heads: module.gate(heads.mean(1)))
        attention.q.register_forward_pre_hook(lambda _, given: given[0][:, :1])
        by_class = Network(attention, lambda self, x: self.attn(x)[:, 0])
        recording = self.record(by_class)
        np.testing.assert_allclose(self.matrix_of(recording), attention.seen, atol=1e-5)
        self.assertRegex(recording.layers[0].beside, "^a mean of its heads behind it")

    def test_products_that_sum_over_heads_are_refused(self):
        def by_letters(_, weights, values):
            return torch.einsum("bhnm,bhmd->bnd", weights, values)

        def side_by_side(_, weights, values):
            return weights.transpose(1, 2).flatten(2) @ values.flatten(1, 2)
        for multiply in (by_letters, side_by_side):
            with self.subTest(multiply.__name__):
                recording = self.record(Network(Wide(lambda module, x: module.gate(x), multiply)))
                self.assertEqual(recording.recorded(), [])
                self.assertRegex(recording.refused["attn"], "sums over heads.*each token is 3 of its keys")

    def test_keys_that_are_each_token_several_times(self):
        ways = {"repeated": lambda module, x: x.repeat_interleave(2, 1),
                "of two kinds": lambda module, x: torch.cat([x, module.gate(x)], 1)}
        for name, keys_of in ways.items():
            for weigh in (lambda scores: scores.softmax(-1), torch.sigmoid):
                with self.subTest(name, sums_to_one=weigh is not torch.sigmoid):
                    attention = Attention(keys_of, weigh)
                    recording = self.record(Network(attention))
                    self.assertEqual(recording.refused, {})
                    np.testing.assert_allclose(self.matrix_of(recording), attention.seen, atol=1e-5)

    def test_tokens_that_a_module_sorts_and_puts_back(self):
        for name, chunks in (("near", 1), ("in chunks", 4)):
            with self.subTest(name):
                attention = Sorting(chunks)
                recording = self.record(Network(attention, None, False))
                self.assertEqual(recording.refused, {})
                np.testing.assert_allclose(self.matrix_of(recording), attention.seen, atol=1e-5)
                said = "\n".join(recording.remarks)  # chunks are sets that tell no grid
                self.assertRegex(said, "^$" if chunks == 1 else "^the places of tokens in attn: .*grid=[^\n]*$")

    def test_sorted_rows_stand_as_computed_where_the_keys_cannot_be_followed(self):
        attention = Sorting(1, convolved(lambda x: x))
        recording = self.record(Network(attention, None, False))
        self.assertEqual(self.grid_of(recording)[0], [0, 0])
        np.testing.assert_allclose(self.matrix_of(recording), attention.computed, atol=1e-5)
        self.assertRegex(recording.remarks[0], "^the order of tokens in attn: .*stand as they were computed")

    def test_tokens_that_are_no_patches_are_not_laid_on_their_grid(self):
        def by_latents(self, x):
            latents = self.latents.expand(len(x), -1, -1)
            latents = latents + self.attn(latents, x)
            return (latents + self.other(latents)).mean(1)

        def by_text(self, x, ids):
            words = self.words(ids)
            words = words + self.other(words)
            return (x + self.attn(x, words)).mean(1)

        def of_both(self, x, ids):
            x = x + self.attn(x)
            return (x + self.other(x, self.words(ids))).mean(1)

        class Reading(Network):
            def forward(self, x, ids):
                return super().forward(x, ids)

        recording = self.record(Network(Attention(), by_latents, other=Attention()))
        self.assertEqual([self.grid_of(recording, layer)[0] for layer in ("attn", "other")], [[0, 0], [0, 0]])
        ids = torch.randint(0, 50, (1, 16))
        recording = self.record(Reading(Attention(), by_text, other=Attention()), 1, ids)
        self.assertEqual([self.grid_of(recording, layer)[0] for layer in ("attn", "other")], [[0, 0], [0, 0]])
        recording = self.record(Reading(Attention(), of_both, other=Attention()), 1, ids)
        self.assertEqual([self.grid_of(recording, layer)[0] for layer in ("attn", "other")], [[4, 4], [0, 0]])

        def written(self, x):
            made = torch.empty_like(x)
            for begin in range(0, CHANNELS, 8):
                made[..., begin:begin + 8] = x[..., begin:begin + 8] * 2
            return self.attn(functional.gelu(made)).mean(1)
        self.assertEqual(self.grid_of(self.record(Network(Attention(), written)))[0], [4, 4])


if __name__ == "__main__":
    unittest.main()
