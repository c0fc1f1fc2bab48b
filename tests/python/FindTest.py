#!/usr/bin/env python3
"""Attention that is found within a module: one after another, beside a gate, a norm or another branch, with keys that are no
tokens, or of weights alone.

    FindTest.py SOFTSCOPE
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

CHANNELS, HEADS, WIDTH, SIDE, TOKENS = 32, 4, 8, 8, 64


def split(x):
    return x.reshape(len(x), x.shape[1], HEADS, WIDTH).transpose(1, 2)


def join(x):
    return x.transpose(1, 2).reshape(len(x), x.shape[2], CHANNELS)


class Weighted(nn.Module):
    """A module whose forward() is a function of it and of its tokens; it keeps attention in `seen`, in the order in which it
    was computed."""

    def __init__(self, compute):
        super().__init__()
        self.compute, self.seen = compute, []
        self.layers = nn.ModuleList([nn.Linear(CHANNELS, CHANNELS) for _ in range(8)])
        for layer in self.layers:
            nn.init.normal_(layer.weight, std=0.4)
        self.router = nn.Linear(CHANNELS, 4)
        self.latents = nn.Parameter(torch.randn(1, 9, CHANNELS))
        self.mixture = nn.Parameter(torch.randn(TOKENS, 16) * 0.2)

    def attend(self, q, k, v):
        weights = (split(q) @ split(k).transpose(-1, -2) * WIDTH ** -0.5).softmax(-1)
        self.seen.append(weights.detach())
        return weights @ split(v)

    def forward(self, x):
        self.seen = []
        return self.compute(self, *self.layers, x)


class Network(nn.Module):
    def __init__(self, attn):
        super().__init__()
        self.patch_embed, self.attn, self.head = nn.Conv2d(3, CHANNELS, 8, 8), attn, nn.Linear(CHANNELS, 10)

    def forward(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        return self.head((x + self.attn(x)).mean(1))


def twice(module, q, k, v, o, q2, k2, v2, o2, x):
    y = x + o(join(module.attend(q(x), k(x), v(x))))
    return y + o2(join(module.attend(q2(y), k2(y), v2(y))))


def twice_of_the_same(module, q, k, v, o, q2, k2, v2, o2, x):
    y = x + o(join(module.attend(q(x), k(x), v(x))))
    return o2(join(module.attend(q2(y), k2(x), v2(x))))


def by_latents(module, q, k, v, o, q2, k2, v2, o2, x):
    latents = module.latents.expand(len(x), -1, -1)
    latents = latents + o(join(module.attend(q(latents), k(x), v(x))))
    return o2(join(module.attend(q2(x), k2(latents), v2(latents))))


def with_weights_of_the_last(module, q, k, v, o, _q, _k, v2, o2, x):
    values = module.attend(q(x), k(x), v(x))
    module.seen.append(module.seen[0])
    return o2(join(module.seen[1] @ split(v2(x + o(join(values))))))


def gated(factor):
    return lambda module, q, k, v, o, g, *rest: o(join(factor(module.attend(q(rest[-1]), k(rest[-1]), v(rest[-1])), g(rest[-1]))))


class FindTest(ProgramTest):
    def setUp(self):
        super().setUp()
        torch.manual_seed(0)

    def record(self, compute, batch=1):
        module = Weighted(compute)
        return softscope.record(Network(module).eval(), torch.randn(batch, 3, 64, 64), quiet=True), module

    def assert_seen(self, recording, module):
        self.assertEqual(recording.refused, {})
        self.assertEqual(len(recording.layers), len(module.seen))
        for layer, seen in zip(recording.layers, module.seen):
            found = np.stack([head.matrix() for head in layer.heads])
            np.testing.assert_allclose(found, seen[0].numpy(), atol=1e-5)

    def test_each_of_several_attentions_in_a_module_is_a_layer(self):
        for compute in (twice, twice_of_the_same, by_latents, with_weights_of_the_last):
            for batch in (1, 3):
                with self.subTest(compute.__name__, batch=batch):
                    recording, module = self.record(compute, batch)
                    self.assert_seen(recording, module)
                    self.assertEqual([layer.name for layer in recording.layers], ["attn.0", "attn.1"])

    def test_a_model_as_a_graph_has_all_its_layers(self):
        class Traced(Weighted):
            def attend(self, q, k, v):
                q, k, v = (each.reshape(-1, TOKENS, HEADS, WIDTH).transpose(1, 2) for each in (q, k, v))
                return (q @ k.transpose(-1, -2) * WIDTH ** -0.5).softmax(-1) @ v

            def forward(self, x):
                q, k, v, o = list(self.layers)[:4]
                return o(self.attend(q(x), k(x), v(x)).transpose(1, 2).reshape(-1, TOKENS, CHANNELS))

        class Deep(nn.Module):
            def __init__(self):
                super().__init__()
                self.patch_embed, self.blocks = nn.Conv2d(3, CHANNELS, 8, 8), nn.ModuleList([Traced(None) for _ in range(3)])

            def forward(self, x):
                x = self.patch_embed(x).flatten(2).transpose(1, 2)
                for block in self.blocks:
                    x = x + block(x)
                return x.mean(1)
        model, picture = Deep().eval(), torch.randn(1, 3, 64, 64)
        plain = softscope.record(model, picture, quiet=True)
        graph = softscope.record(torch.fx.symbolic_trace(model), picture, quiet=True)
        self.assertEqual((len(plain.recorded()), len(graph.recorded()), graph.refused), (3, 3, {}))
        for layer, other in zip(plain.layers, graph.layers):
            for head, same in zip(layer.heads, other.heads):
                np.testing.assert_allclose(same.matrix(), head.matrix(), atol=1e-5)

    def test_attention_of_attention_without_a_projection_is_refused(self):
        def again(module, _q, _k, _v, o, *rest):
            x = rest[-1]
            y = ((x @ x.transpose(1, 2)) * 0.1).softmax(-1) @ x
            return o(((x @ y.transpose(1, 2)) * 0.1).softmax(-1) @ y)
        recording, _ = self.record(again)
        self.assertGreaterEqual(len(recording.refused), 1)

    def test_a_gate_behind_attention_is_named_and_no_part_of_it(self):
        gates = {"of each token": lambda o, g: o * g[:, None, :, :1].sigmoid(),
                 "of each channel": lambda o, g: o * split(g).sigmoid(),
                 "of each head": lambda o, g: o * torch.tensor([1.0, 0.5, 0.1, 2.0]).view(1, HEADS, 1, 1),
                 "a number": lambda o, g: o * 0.8, "swish": lambda o, g: functional.silu(split(g)) * o}
        for name, gate in gates.items():
            with self.subTest(name):
                recording, module = self.record(gated(gate))
                self.assert_seen(recording, module)
                self.assertRegex(recording.layers[0].beside, "^a (gate|factor) behind it, which makes")
        recording, module = self.record(gated(lambda o, g: o))
        self.assertIsNone(recording.layers[0].beside)

    def test_a_gate_behind_rows_that_are_divided_by_their_sums(self):
        def linear(gate):
            def compute(module, q, k, v, o, g, *rest):
                q, k, v = (split(each(rest[-1])) for each in (q, k, v))
                q, k = functional.elu(q) + 1, functional.elu(k) + 1
                sums = q @ k.sum(-2).unsqueeze(-1)
                module.seen.append((q @ k.transpose(-1, -2) / sums).detach())
                return o(join(gate(q @ (k.transpose(-1, -2) @ v) / sums, g(rest[-1]))))
            return compute

        def later(module, q, k, v, o, g, *rest):
            q, k, v = (split(each(rest[-1])) for each in (q, k, v))
            scores = (q @ k.transpose(-1, -2) * 0.1).exp()
            module.seen.append((scores / scores.sum(-1, keepdim=True)).detach())
            return o(join(scores @ v / scores.sum(-1, keepdim=True)) * g(rest[-1])[..., :1].sigmoid())

        def of_a_number(module, q, k, v, o, g, *rest):
            q, k, v = (split(each(rest[-1])) for each in (q, k, v))
            module.seen.append((q @ k.transpose(-1, -2) / TOKENS).detach())
            return o(join(q @ k.transpose(-1, -2) @ v / TOKENS) * g(rest[-1])[..., :1].sigmoid())
        gates = {"of each head": lambda o, g: o * g[..., :HEADS].transpose(1, 2).unsqueeze(-1),
                 "of each token": lambda o, g: o * g[:, None, :, :1].sigmoid(),
                 "of each channel": lambda o, g: o * split(functional.silu(g))}
        ways = {**{name: linear(gate) for name, gate in gates.items()}, "divided later": later, "by a number": of_a_number}
        for name, compute in ways.items():
            with self.subTest(name):
                recording, module = self.record(compute)
                self.assertEqual(recording.refused, {})
                found = np.stack([head.matrix() for head in recording.layers[0].heads])
                np.testing.assert_allclose(found, module.seen[0][0].numpy(), atol=1e-4 * float(module.seen[0].abs().max()))
                self.assertRegex(recording.layers[0].beside, "^a gate behind it, which makes")
        recording, _ = self.record(linear(lambda o, g: o))
        self.assertIsNone(recording.layers[0].beside)

    def test_a_gate_without_an_activation_behind_rows_that_do_not_sum_to_one(self):
        def of_sigmoids(gate):
            def compute(module, q, k, v, o, g, *rest):
                q, k, v = (split(each(rest[-1])) for each in (q, k, v))
                weights = (q @ k.transpose(-1, -2) - 2).sigmoid()
                module.seen.append(weights.detach())
                return o(join(weights @ v * gate(g(rest[-1])[..., :HEADS].transpose(1, 2).unsqueeze(-1))))
            return compute
        for name, gate in {"linear": lambda g: g, "of one and more": lambda g: 1 + g,
                           "exponential": lambda g: torch.exp(-g.abs())}.items():
            with self.subTest(name):
                recording, module = self.record(of_sigmoids(gate))
                self.assert_seen(recording, module)
                self.assertRegex(recording.layers[0].beside, "^a gate behind it, which makes")

    def test_sums_of_rows_behind_a_gate_are_not_taken_for_the_gate(self):
        def gated_first(module, q, k, v, o, g, *rest):
            q, k, v = (split(each(rest[-1])) for each in (q, k, v))
            q, k = functional.elu(q) + 1, functional.elu(k) + 1
            made = q @ (k.transpose(-1, -2) @ v) * g(rest[-1])[:, None, :, :1].sigmoid()
            return o(join(made / (q @ k.sum(-2).unsqueeze(-1))))
        recording, _ = self.record(gated_first)
        self.assertEqual(recording.recorded(), [])
        self.assertRegex("\n".join(recording.refused.values()), "stands behind a gate")

    def test_what_mixes_rows_behind_attention_is_named_and_no_part_of_it(self):
        def along(function):
            return lambda o, _: function(o.flatten(0, 1).transpose(1, 2)).transpose(1, 2).reshape(len(o), HEADS, -1, WIDTH)
        ways = {"a pool": along(lambda o: functional.avg_pool1d(o, 3, 1, 1)), "a mean": lambda o, _: o - o.mean(2, keepdim=True),
                "a running sum": lambda o, _: o.cumsum(2), "a filter": lambda o, _: torch.fft.ifft(torch.fft.fft(
                    o, dim=2) * torch.linspace(1, 0.1, TOKENS)[:, None], dim=2).real}
        for name, way in ways.items():
            for batch in (1, 2):
                with self.subTest(name, batch=batch):
                    recording, module = self.record(gated(way), batch)
                    self.assert_seen(recording, module)
                    self.assertRegex(recording.layers[0].beside, f"^{name}.* behind it, which makes")

        def of_all(module, q, k, v, o, *rest):
            return o(join(module.attend(q(rest[-1]), k(rest[-1]), v(rest[-1])).mean(2, keepdim=True))).expand_as(rest[-1])
        recording, module = self.record(of_all)
        self.assert_seen(recording, module)
        self.assertRegex(recording.layers[0].beside, "^a mean of its rows behind it")

    def test_what_divides_by_the_sum_of_a_row_is_no_gate(self):
        def late(module, q, k, v, o, *rest):
            q, k, v = (split(each(rest[-1])) for each in (q, k, v))
            scores = (q @ k.transpose(-1, -2) * WIDTH ** -0.5).exp()
            module.seen.append(scores / scores.sum(-1, keepdim=True))
            return o(join((scores @ v) / scores.sum(-1, keepdim=True)))
        recording, module = self.record(late)
        self.assert_seen(recording, module)
        self.assertIsNone(recording.layers[0].beside)

    def test_functions_that_are_not_linear_end_attention(self):
        ends = {"a norm by hand": lambda o, _: o * torch.rsqrt(o.pow(2).mean(-1, keepdim=True) + 1e-6),
                "of length one": lambda o, _: functional.normalize(o, dim=-1), "cut": lambda o, _: o.clamp(-0.5, 0.5)}
        for name, end in ends.items():
            with self.subTest(name):
                recording, module = self.record(gated(end))
                self.assert_seen(recording, module)

    def test_factors_of_values_are_part_of_the_matrix(self):
        weights = torch.linspace(0, 2, TOKENS)[:, None]
        factors = {"a number": lambda v, k: (v / TOKENS, torch.ones(1) / TOKENS), "of keys": lambda v, k: (
            v * k.mean(-1, keepdim=True).softmax(2), k.mean(-1, keepdim=True).softmax(2).transpose(-1, -2)),
                   "a mask": lambda v, k: (v * weights, weights.T), "two": lambda v, k: (2 * v * weights, 2 * weights.T)}
        for name, factor in factors.items():
            def linear(module, q, k, v, o, *rest, factor=factor):
                q, k, v = (split(each(rest[-1])) for each in (q, k, v))
                scaled, factors_of_keys = factor(v, k)
                q, k = q.sigmoid(), k.sigmoid()
                module.seen.append((q @ k.transpose(-1, -2) * factors_of_keys).detach())
                return o(join(q @ (k.transpose(-1, -2) @ scaled)))
            with self.subTest(name):
                recording, module = self.record(linear)
                self.assert_seen(recording, module)
                self.assertIsNone(recording.layers[0].beside)

    def test_factors_that_stand_elsewhere_are_part_of_the_values(self):
        weights = torch.linspace(1, 2, TOKENS)[:, None]

        def viewed(v):
            return (v.transpose(1, 2).flatten(2) * weights).reshape(1, TOKENS, HEADS, WIDTH).transpose(1, 2)

        def of_no_head(v):
            return v * torch.tensor([0., 1, 1, 1])[:, None, None]

        def by_head(weigh, v):
            return torch.cat([weigh[:, [head]] @ (v[:, [head]] * weights) for head in range(HEADS)], 1)
        for name, mix in {"a view between": lambda weigh, v: weigh @ viewed(v), "a head of zeros": lambda weigh, v: (
                weigh @ of_no_head(v)), "heads of a loop": by_head}.items():
            def plain(module, q, k, v, o, *rest, mix=mix):
                q, k, v = (split(each(rest[-1])) for each in (q, k, v))
                weigh = (q @ k.transpose(-1, -2)).softmax(-1)
                module.seen.append(weigh.detach())
                return o(join(mix(weigh, v)))
            with self.subTest(name):
                self.assert_seen(*self.record(plain))

    def test_heads_that_attend_to_what_others_made_are_refused(self):
        def cascade(is_chained):
            def compute(module, *layers):
                made, taken = [], layers[-1].chunk(HEADS, -1)
                for head, given in enumerate(taken):
                    given = given + made[-1] if made and is_chained else given
                    q, k, v = (layer.weight[:WIDTH, :WIDTH] for layer in layers[:3])
                    q, k, v = (functional.linear(given, each * (head + 1)) for each in (q, k, v))
                    weights = (q @ k.transpose(-1, -2) * 0.3).softmax(-1)
                    module.seen.append(weights.detach())
                    made.append(weights @ v)
                return layers[3](torch.cat(made, -1))
            return compute
        recording, _ = self.record(cascade(True))
        self.assertEqual(recording.recorded(), [])
        self.assertRegex(recording.refused["attn"], "its heads are a cascade: what 3 other heads made")
        recording, module = self.record(cascade(False))
        module.seen = [torch.stack(module.seen, 1)]
        self.assert_seen(recording, module)

    def test_few_tokens_of_what_was_convolved_are_no_channels(self):
        class Convolved(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem, self.norm = nn.Conv2d(3, CHANNELS, 16, 16), nn.LayerNorm(CHANNELS)
                self.dwc = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, groups=CHANNELS)
                self.attn, self.head = Weighted(self.attend), nn.Linear(CHANNELS, 10)

            def attend(self, module, q, k, *rest):
                q, k = (split(functional.elu(each(rest[-1])) + 1) for each in (q, k))
                module.seen.append((q @ k.transpose(-1, -2)).detach())
                return join(q @ (k.transpose(-1, -2) @ split(rest[-1])))

            def forward(self, x):
                x = functional.silu(self.dwc(self.stem(x))).flatten(2).transpose(1, 2)
                return self.head(self.norm(x + self.attn(x)).mean(1))
        model = Convolved().eval()
        recording = softscope.record(model, torch.randn(1, 3, 64, 64), quiet=True)
        self.assert_seen(recording, model.attn)

    def test_norms_over_channels_mix_no_rows(self):
        ends = {"rms": lambda o, _: o * torch.rsqrt(o.pow(2).mean(-1, keepdim=True) + 1e-6),
                "of sums": lambda o, _: o / o.abs().sum(-1, keepdim=True), "centred": lambda o, _: o - o.mean(-1, keepdim=True)}
        for name, end in ends.items():
            with self.subTest(name):
                recording, module = self.record(gated(end))
                self.assert_seen(recording, module)
                self.assertIsNone(recording.layers[0].beside)

    def test_queries_that_attend_to_nothing_in_one_head_stand_where_others_do(self):
        def linear(dead):
            def compute(module, q, k, v, o, *rest):
                q, k, v = (split(each(rest[-1])) for each in (q, k, v))
                alive = torch.ones(1, HEADS, TOKENS, 1)
                alive[:, dead, 5] = 0
                q, k = q.sigmoid() * alive, k.sigmoid()
                module.seen.append((q @ k.transpose(-1, -2)).detach())
                return o(join(q @ (k.transpose(-1, -2) @ v)))
            return compute
        recording, module = self.record(linear(slice(1)))
        self.assert_seen(recording, module)
        recording, _ = self.record(linear(slice(HEADS)))
        self.assertRegex(recording.layers[0].refused, "some of its output is zero whatever the values are")

    def test_products_that_are_not_explained_are_refused_under_their_modules_names(self):
        def by_best_key(module, q, k, v, o, *rest):
            best = (split(q(rest[-1])) @ split(k(rest[-1])).transpose(-1, -2)).argmax(-1)
            return o(join(split(v(rest[-1])).gather(2, best[..., None].expand(-1, -1, -1, WIDTH))))

        def of_three(module, q, k, v, o, *rest):
            return o(join(torch.einsum("bhid,bhjd,bhje->bhie", *(split(each(rest[-1])) for each in (q, k, v)))))

        class Mixers(Network):
            def __init__(self, attn, mix):
                super().__init__(attn)
                self.mix = mix

            def forward(self, x):
                x = self.patch_embed(x).flatten(2).transpose(1, 2)
                x = x + self.mix(x)
                return self.head((x + self.attn(x)).mean(1))

        def plain(module, q, k, v, o, *rest):
            return o(join(module.attend(q(rest[-1]), k(rest[-1]), v(rest[-1]))))
        for mix in (by_best_key, of_three):
            for attn, recorded, refused in ((plain, ["attn"], ["mix"]), (mix, [], ["mix", "attn"])):
                with self.subTest(mix.__name__, beside=attn.__name__):
                    model = Mixers(Weighted(attn), Weighted(mix)).eval()
                    recording = softscope.record(model, torch.randn(1, 3, 64, 64), quiet=True)
                    self.assertEqual([layer.name for layer in recording.recorded()], recorded)
                    self.assertEqual(list(recording.refused), refused)
                    self.assertRegex(recording.refused["mix"], "^Weighted: ")

    def test_sums_that_gates_are_made_of_are_no_layers(self):
        def flow(is_gated):
            def compute(module, q, k, v, o, *rest):
                q, k, v = (split(each(rest[-1])) for each in (q, k, v))
                q, k = q.sigmoid(), k.sigmoid()
                to_rows = 1 / torch.einsum("bhnd,bhd->bhn", q, k.sum(2))
                made = (q * to_rows[..., None]) @ (k.transpose(-1, -2) @ v)
                module.seen.append((q @ k.transpose(-1, -2) * to_rows[..., None]).detach())
                if is_gated:
                    to_keys = 1 / torch.einsum("bhnd,bhd->bhn", k, q.sum(2))
                    made = made * torch.einsum("bhnd,bhd->bhn", q, (k * to_keys[..., None]).sum(2)).sigmoid()[..., None]
                return o(join(made))
            return compute
        for is_gated in (True, False):
            with self.subTest(is_gated=is_gated):
                recording, module = self.record(flow(is_gated))
                self.assert_seen(recording, module)
                self.assertEqual((recording.layers[0].beside or "").startswith("a gate behind it"), is_gated)

    def test_branches_side_by_side_are_layers_of_their_own(self):
        def pooled(x):
            return functional.avg_pool1d(x.flatten(0, 1).transpose(1, 2), 4).transpose(1, 2).reshape(len(x), 2, 16, WIDTH)

        def weigh(module, q, k):
            module.seen.append((q @ k.transpose(-1, -2) * WIDTH ** -0.5).softmax(-1).detach())
            return (q @ k.transpose(-1, -2) * WIDTH ** -0.5).softmax(-1)

        def at_two_scales(module, q, k, v, o, *rest):
            q, k, v = (split(each(rest[-1])) for each in (q, k, v))
            fine = weigh(module, q[:, :2], k[:, :2]) @ v[:, :2]
            coarse = weigh(module, q[:, 2:], pooled(k[:, 2:])) @ pooled(v[:, 2:])
            return o(join(torch.cat([fine, coarse], 1)))

        def beside_a_convolution(module, q, k, v, o, *rest):
            q, k, v = (split(each(rest[-1])) for each in (q, k, v))
            fine = weigh(module, q[:, :2], k[:, :2]) @ v[:, :2]
            others = v[:, 2:].transpose(2, 3).reshape(len(v), 16, TOKENS)
            local = functional.conv1d(others, torch.ones(16, 1, 3) / 3, padding=1, groups=16).transpose(1, 2)
            return o(torch.cat([fine.transpose(1, 2).reshape(len(local), TOKENS, 16), local], -1))
        for compute in (at_two_scales, beside_a_convolution):
            for batch in (1, 3):
                with self.subTest(compute.__name__, batch=batch):
                    recording, module = self.record(compute, batch)
                    self.assert_seen(recording, module)

    def test_terms_are_named_however_they_are_added(self):
        ways = {"the values": lambda a, v: torch.lerp(a @ v, v, 0.25), "the values too": lambda a, v: torch.addcmul(
            v, a @ v, torch.ones(1)), "positions": lambda a, v: torch.baddbmm(
                torch.full((1, 1, WIDTH), 0.3), a.flatten(0, 1), v.flatten(0, 1)).view_as(v)}
        for name, way in ways.items():
            def added(module, q, k, v, o, *rest, way=way):
                q, k, v = (split(each(rest[-1])) for each in (q, k, v))
                return o(join(way((q @ k.transpose(-1, -2) * WIDTH ** -0.5).softmax(-1), v)))
            with self.subTest(name):
                recording, _ = self.record(added)
                self.assertEqual(recording.refused, {})
                self.assertRegex(recording.layers[0].beside, "the values|positions")
                scaled = float(np.stack([head.matrix() for head in recording.layers[0].heads]).sum(-1).max()) < 0.99
                self.assertEqual(scaled, name == "the values")
                self.assertEqual("and a factor behind it" in recording.layers[0].beside, scaled)

    def test_a_dense_mixture_of_all_tokens_is_no_convolution(self):
        class Mixing(Weighted):
            def __init__(self, mix, local):
                super().__init__(None)
                self.mix, self.local = mix, local

            def forward(self, x):
                q, k, v, o = list(self.layers)[:4]
                values = v(x)
                self.seen = []
                beside = self.local(self.mix, values)
                return o(join(self.attend(q(x), k(x), values)) + beside)

        def of_map(mix, x):
            return mix(x.transpose(1, 2).reshape(-1, CHANNELS, SIDE, SIDE)).flatten(2).transpose(1, 2)

        def turned(mix, x):
            return mix(x.transpose(1, 2)).transpose(1, 2)
        ways = {"convolution": (nn.Conv2d(CHANNELS, CHANNELS, 3, 1, 1, groups=CHANNELS), of_map, True),
                "along one axis": (nn.Conv1d(CHANNELS, CHANNELS, 5, 1, 2), turned, True),
                "tokens for channels": (nn.Conv1d(TOKENS, TOKENS, 1), lambda mix, x: mix(x), False),
                "tokens for channels of a map": (nn.Conv2d(TOKENS, TOKENS, 1),
                                                 lambda mix, x: mix(x.reshape(len(x), TOKENS, CHANNELS, 1)).squeeze(-1), False),
                "as long as all tokens": (nn.Conv1d(CHANNELS, CHANNELS, 2 * TOKENS - 1, 1, TOKENS - 1, groups=CHANNELS),
                                          turned, False)}
        for name, (mix, local, is_named) in ways.items():
            with self.subTest(name):
                module = Mixing(mix, local)
                recording = softscope.record(Network(module).eval(), torch.randn(1, 3, 64, 64), quiet=True)
                self.assertEqual(len(recording.recorded()), int(is_named))
                if is_named:  # computed before the first product, in a module whose names say nothing
                    self.assert_seen(recording, module)
                    self.assertRegex(recording.layers[0].beside, "^a convolution")

    def test_a_convolution_beside_attention_whose_module_is_given_a_number(self):
        class Scaled(Weighted):
            def forward(self, x, scale):
                self.seen = []
                return self.compute(self, *self.layers, x * scale)

        class Scaling(Network):
            def forward(self, x):
                x = self.patch_embed(x).flatten(2).transpose(1, 2)
                return self.head((x + self.attn(x, torch.tensor(0.5))).mean(1))
        local = nn.Conv1d(CHANNELS, CHANNELS, 3, 1, 1, groups=CHANNELS)

        def beside(module, q, k, v, o, *rest):
            values = v(rest[-1])
            return o(join(module.attend(q(rest[-1]), k(rest[-1]), values)) + local(values.transpose(1, 2)).transpose(1, 2))
        module = Scaled(beside)
        recording = softscope.record(Scaling(module).eval(), torch.randn(1, 3, 64, 64), quiet=True)
        self.assert_seen(recording, module)
        self.assertRegex(recording.layers[0].beside, "^a convolution")

    def test_a_convolution_of_small_values_is_named(self):
        def small(module, q, k, v, o, *rest):
            values = split(v(rest[-1])) * 1e-4
            kernel = torch.ones(WIDTH, 1, 3)
            local = functional.conv1d(values.flatten(0, 1).transpose(1, 2), kernel, padding=1, groups=WIDTH)
            attended = module.attend(q(rest[-1]), k(rest[-1]), join(values))
            return o(join(attended + local.transpose(1, 2).reshape(attended.shape)))
        recording, module = self.record(small)
        self.assert_seen(recording, module)
        self.assertRegex(recording.layers[0].beside, "^a convolution")

    def test_experts_are_no_tokens(self):
        def of_the_mean(module, *rest):
            x = rest[-1].mean(1)
            experts = torch.stack([each(x) for each in rest[:4]], 1)
            return rest[4](module.router(x).softmax(-1)[:, None] @ experts).expand(-1, TOKENS, -1)

        def of_maps(module, *rest):
            x = rest[-1]
            maps = torch.stack([each(x) for each in rest[:4]], 1).flatten(2)
            return rest[4]((module.router(x.mean(1)).softmax(-1)[:, None] @ maps).view_as(x))
        for compute in (of_the_mean, of_maps):
            for batch in (1, 3):
                with self.subTest(compute.__name__, batch=batch):
                    recording, _ = self.record(compute, batch)
                    self.assertEqual(recording.recorded(), [])
                    self.assertRegex("\n".join(recording.refused.values()), "its keys are no tokens")

    def test_mixtures_of_all_tokens_have_no_places(self):
        def mixed(module, q, k, v, o, *rest):
            k, v = (torch.einsum("bnd,nk->bkd", functional.linear(rest[-1], each.weight), module.mixture) for each in (k, v))
            return o(join(module.attend(q(rest[-1]), k, v)))

        def pooled(module, q, k, v, o, *rest):
            k, v = (functional.avg_pool1d(functional.linear(rest[-1], each.weight).transpose(1, 2), 4).transpose(1, 2) for each in (k, v))
            return o(join(module.attend(q(rest[-1]), k, v)))
        recording, module = self.record(mixed)
        self.assert_seen(recording, module)
        self.assertEqual(recording.entries["attn/grid"].tolist(), [0, 0])
        recording, module = self.record(pooled)
        self.assert_seen(recording, module)
        self.assertNotEqual(recording.entries.get("attn/grid", np.array([1])).tolist(), [0, 0])

    def test_keys_of_weights_alone_are_the_reason(self):
        class Reading(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn, self.memory = nn.MultiheadAttention(CHANNELS, HEADS, batch_first=True), nn.Parameter(
                    torch.randn(1, 13, CHANNELS))

            def forward(self, x):
                memory = self.memory.expand(len(x), -1, -1)
                return x + self.attn(x, memory, memory)[0]
        recording = softscope.record(Network(Reading()).eval(), torch.randn(1, 3, 64, 64), quiet=True)
        self.assertEqual(recording.recorded(), [])
        self.assertRegex("\n".join(recording.refused.values()), "its keys and values are the model's own")

    def test_windows_that_attend_to_more_than_their_tokens(self):
        def windows(x):
            return x.view(len(x), 2, 4, 2, 4, -1).permute(0, 1, 3, 2, 4, 5).reshape(len(x) * 4, 16, -1)

        def with_others(others):
            def compute(module, q, k, v, o, *rest):
                x = rest[-1]
                more = others(module, x).repeat_interleave(4, 0)
                k, v = (torch.cat([windows(each(x) * 1.0), each(more)], 1) for each in (k, v))
                made = join(module.attend(windows(q(x)), k, v))
                return o(made.reshape(len(x), 2, 2, 4, 4, CHANNELS).permute(0, 1, 3, 2, 4, 5).reshape(x.shape))
            return compute
        pooled = with_others(lambda module, x: functional.avg_pool1d(x.transpose(1, 2), 16).transpose(1, 2))
        for batch in (1, 3):
            with self.subTest(batch=batch):
                recording, _ = self.record(pooled, batch)
                self.assertEqual(recording.recorded(), [])
                self.assertRegex("\n".join(recording.refused.values()), "other tokens than their own, such as pooled ones")
                recording, _ = self.record(with_others(lambda module, x: module.latents.expand(len(x), -1, -1)), batch)
                self.assertEqual(recording.refused, {})
                self.assertEqual(recording.layers[0].beside, "keys of the model's own in each window")
                recording, _ = self.record(with_others(lambda module, x: x[:, :0]), batch)
                self.assertEqual((recording.refused, recording.layers[0].beside), ({}, None))


if __name__ == "__main__":
    unittest.main()
