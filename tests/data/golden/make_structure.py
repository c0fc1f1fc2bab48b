#!/usr/bin/env python3
"""Makes structure.zip: small vision transformers in plain PyTorch whose parts neither names nor shapes tell well.

    make_structure.py [--check] [structure.zip]

Layer scales under any name, positions that are computed and not stored, tables of sines that are longer than a picture's
tokens, registers with positions and without, norms without biases and norms of heads; class tokens behind the patches,
patches that overlap, tokens that are scaled, norms in front of the blocks, of what is pooled, or of all tokens of the
embedding; halves of blocks that add to normed tokens, and softmaxes that are divided. A case has the files that README.md
describes; `--check` runs the stored cases and prints the largest difference. Needs torch 1.13 or newer and NumPy.
"""
import argparse
import io
import json
import math
import pathlib
import sys
import zipfile

import numpy
import torch
from torch import nn

WIDTH, HIDDEN, HEADS, DEPTH, CLASSES, PATCH, SIDE = 24, 36, 4, 2, 10, 7, 28
PATCHES = (SIDE // PATCH) ** 2


def waves(count, channels, order):
    """Sines of the places 0 to count - 1, [count, channels]."""
    angles = torch.arange(count)[:, None] / 10000 ** (torch.arange(0, channels, 2) / channels)
    table = torch.zeros(count, channels)
    if order == "halves":
        table[:, :channels // 2], table[:, channels // 2:] = angles.sin(), angles.cos()
    else:
        table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


def waves_of_grid(side, channels, form, order):
    """Positions of patches by their columns and rows, [side * side, channels]."""
    quarter = channels // 4
    periods = 10000 ** (torch.arange(quarter) / (quarter if form == "mae" else quarter - 1))
    parts = []
    for axis in torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")[::-1]:
        angles = axis.flatten()[:, None] / periods
        both = (angles.sin(), angles.cos())
        parts.append(torch.cat(both, 1) if order == "halves" else torch.stack(both, 2).flatten(1))
    return torch.cat(parts, 1)


class RootMeanSquare(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))

    def forward(self, x):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.weight


class NormWithoutBias(RootMeanSquare):
    def forward(self, x):
        return nn.functional.layer_norm(x, x.shape[-1:], self.weight)


NORMS = {"layer": nn.LayerNorm, "rms": RootMeanSquare, "bare": NormWithoutBias}


class Look(nn.Module):
    """Attention; `divided` is the width whose root divides its softmax, and not what is in it, or None."""

    def __init__(self, norm, of_heads, divided):
        super().__init__()
        self.divided = divided
        if of_heads:
            self.of_q, self.of_k = norm(WIDTH // HEADS), norm(WIDTH // HEADS)
        self.three = nn.Linear(WIDTH, 3 * WIDTH)
        self.back = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, count, _ = x.shape
        q, k, v = self.three(x).reshape(batch, count, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        if hasattr(self, "of_q"):
            q, k = self.of_q(q), self.of_k(k)
        if self.divided:
            self.seen = (q @ k.transpose(-1, -2)).softmax(-1) / math.sqrt(self.divided)
        else:
            self.seen = (q @ k.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)).softmax(-1)
        return self.back((self.seen @ v).transpose(1, 2).reshape(batch, count, WIDTH))


class Unit(nn.Module):
    """A block; `scales` are the names and the shape of its layer scales, `normed` the halves that add to normed tokens."""

    def __init__(self, after, scales, skips, norm, of_heads, divided, normed, parallel):
        super().__init__()
        self.normed, self.parallel = normed, parallel
        self.after, self.names, self.skips = after, scales[:-1] if scales else (), skips
        for name in self.names:
            self.register_parameter(name, nn.Parameter(torch.empty(scales[-1])))
        self.a, self.look = norm(WIDTH), Look(norm, of_heads, divided)
        if not parallel:
            self.b = norm(WIDTH)
        self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def sum(self, index, x, added):
        if len(self.names) <= index:
            return x + added
        scale = getattr(self, self.names[index])
        return scale * x + added if self.skips else x + scale * added

    def forward(self, x):
        def mlp(y):
            return self.down(nn.functional.gelu(self.up(y)))
        if self.after:
            x = self.a(self.sum(0, x, self.look(x)))
            return self.b(self.sum(1, x, mlp(x)))
        seen = self.a(x)
        if self.parallel:
            return (seen if "attention" in self.normed else x) + self.look(seen) + mlp(seen)
        x = self.sum(0, seen if "attention" in self.normed else x, self.look(seen))
        seen = self.b(x)
        return self.sum(1, seen if "mlp" in self.normed else x, mlp(seen))


class Folded(nn.Module):
    """A product with the pixels of patches, which may overlap."""

    def __init__(self, stride, padding):
        super().__init__()
        self.cut, self.pixels = nn.Unfold(PATCH, padding=padding, stride=stride), nn.Linear(PATCH ** 2, WIDTH)

    def forward(self, picture):
        return self.pixels(self.cut(picture).transpose(1, 2)).transpose(1, 2)[..., None]


class Embedding(nn.Module):
    """Patches, class token, positions and a norm in one module."""

    def __init__(self, rows):
        super().__init__()
        self.pixels = nn.Conv2d(1, WIDTH, PATCH, PATCH)
        self.first, self.table = nn.Parameter(torch.empty(1, 1, WIDTH)), nn.Parameter(torch.empty(1, rows, WIDTH))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, picture, of_tokens):
        x = self.pixels(picture).flatten(2).transpose(1, 2)
        x = torch.cat([self.first, x if of_tokens else self.norm(x)], 1) + self.table
        return self.norm(x) if of_tokens else x


class Vision(nn.Module):
    def __init__(self, case):
        super().__init__()
        self.case = case
        if case["embedding"]:
            self.embed = Embedding(case["rows"])
        elif case["folded"]:
            self.embed = Folded(case["stride"], case["padding"])
        else:
            self.embed = nn.Conv2d(1, WIDTH, PATCH, case["stride"], case["padding"])
        self.make_tokens(case)
        norm = NORMS[case["norm"]]
        if case["final"] == "front":
            self.end = norm(WIDTH)
        self.units = nn.ModuleList(Unit(case["after"], case["scales"], case["skips"], norm, case["of_heads"],
                                        case["divided"], case["normed"], case["parallel"]) for _ in range(DEPTH))
        if case["final"] != "front":
            self.end = norm(WIDTH)
        self.out = nn.Linear(WIDTH, CLASSES)

    def make_tokens(self, case):
        if case["embedding"]:
            return
        if case["first"]:
            self.first = nn.Parameter(torch.empty(1, 1, WIDTH))
        if case["extra"]:
            self.extra = nn.Parameter(torch.empty(1, case["extra"], WIDTH))
        rows, kind = case["rows"], case["places"]
        if kind == "learned":
            self.table = nn.Parameter(torch.empty(1, rows, WIDTH))
        elif kind == "buffer":
            self.register_buffer("table", waves(rows, WIDTH, case["order"])[:, None])

    def computed(self, count):
        kind, order = self.case["places"], self.case["order"]
        if kind in ("learned", "buffer"):
            return self.table.reshape(-1, WIDTH)[:count]
        if kind == "sincos1d":
            return waves(count, WIDTH, order)
        if kind.startswith("sincos2d"):
            return waves_of_grid(SIDE // PATCH, WIDTH, "mae" if kind == "sincos2d_mae" else "simple", order)
        return torch.zeros(count, WIDTH)

    def tokens(self, picture):
        if self.case["embedding"]:
            return self.embed(picture, self.case["embedding"] == "tokens")
        x = self.embed(picture).flatten(2).transpose(1, 2)
        if self.case["scaled"] == "patches":
            x = x * math.sqrt(WIDTH)
        front = [getattr(self, name) for name in ("first", "extra") if self.case[name]]
        for name in self.case["bare"]:
            front = [part for part in front if part is not getattr(self, name)]
        places = self.case["prefix"]
        if self.case["last"]:
            front, x = [], torch.cat([x, self.first], 1) if places else x
        x = torch.cat([*front, x], 1) if places else x
        if self.case["scaled"] == "tokens":
            x = x * math.sqrt(WIDTH)
        x = x + self.computed(x.shape[1])
        late = [getattr(self, name) for name in ("first", "extra") if self.case[name]]
        if not places:
            x = torch.cat([x, *late] if self.case["last"] else [*late, x], 1)
        elif self.case["bare"]:
            x = torch.cat([x[:, :1], self.extra, x[:, 1:]], 1)
        return x

    def forward(self, picture):
        x = self.tokens(picture)
        if self.case["final"] == "front":
            x = self.end(x)
        for unit in self.units:
            x = unit(x)
        if self.case["final"] == "tokens":
            x = self.end(x)
        others = bool(self.case["first"]) + self.case["extra"]
        if self.case["pool"] == "max":
            x = x.amax(1)
        elif self.case["pool"] == "mean" or not self.case["first"]:
            x = x[:, others if self.case["pool"] is None else 0:].mean(1)
        else:
            x = x[:, -1 if self.case["last"] else 0]
        return self.out(self.end(x) if self.case["final"] == "pooled" else x)


def case(options, needed, **changes):
    """`prefix` tokens in front of the patches have positions; those called `bare` have none."""
    known = {"first": True, "extra": 0, "rows": PATCHES + 1, "places": "learned", "order": "interleaved", "prefix": 1,
             "bare": (), "after": False, "scales": None, "skips": False, "norm": "layer", "of_heads": False,
             "last": False, "stride": PATCH, "padding": 0, "folded": False, "scaled": None, "final": "tokens",
             "embedding": None, "pool": None, "divided": None, "normed": (), "parallel": False}
    assert changes.keys() <= known.keys()
    usual = "--heads 4 --norm pre --activation gelu --epsilon 1e-5 --pooling cls"
    words = usual.split()[2 if changes.get("of_heads") else 0:] + options.split()
    chosen = dict(zip(words[::2], words[1::2]))
    return {**known, **changes, "options": " ".join(f"{key} {value}" for key, value in chosen.items()), "needed": needed}


CASES = {
    "scale_gamma": case("", "", scales=("gamma_1", "gamma_2", (WIDTH,))),
    "scale_invented_after": case("--norm post --layer-scale branches", "--norm post", after=True,
                                 scales=("alpha", "omega", (1, 1, WIDTH))),
    "scale_skips": case("--layer-scale skips", "--layer-scale skips", scales=("alpha", "omega", (WIDTH,)), skips=True),
    "sines_halves": case("--positions sincos1d --sines halves --prefix-positions 1", "--positions sincos1d",
                         places="sincos1d", order="halves"),
    "sines_of_patches": case("--positions sincos1d --sines interleaved --prefix-positions 0", "--positions sincos1d",
                             places="sincos1d", prefix=0),
    "sines_mae": case("--pooling mean --positions sincos2d_mae --sines halves", "--positions sincos2d_mae",
                      first=False, places="sincos2d_mae", order="halves", prefix=0),
    "sines_grid_interleaved": case("--positions sincos2d --sines interleaved", "--positions sincos2d",
                                   places="sincos2d", prefix=0),
    "buffer_long": case("--prefix-positions 1", "", places="buffer", rows=90),
    "buffer_long_halves_of_patches": case("--prefix-positions 0", "--prefix-positions 0", places="buffer", rows=64,
                                          order="halves", prefix=0),
    "buffer_long_no_class": case("--pooling mean", "", first=False, places="buffer", rows=100, prefix=0),
    "norms_rms": case("--norm-without-bias rms", "--norm-without-bias rms", norm="rms"),
    "norms_without_bias": case("--norm-without-bias layer", "", norm="bare"),
    "norms_of_heads": case("", "", of_heads=True),
    "norms_of_heads_rms": case("--norm-without-bias rms", "--norm-without-bias rms", norm="rms", of_heads=True),
    "registers_invented": case("--registers before", "", extra=4, bare=("extra",)),
    "registers_with_positions": case("--registers before", "", extra=5, rows=PATCHES + 6, prefix=6),
    "registers_among_sines": case("--registers before --positions sincos1d --sines interleaved --prefix-positions 6",
                                  "--positions sincos1d --prefix-positions 6", extra=5, places="sincos1d", prefix=6),
    "class_last": case("--class-token last", "--class-token last", last=True),
    "class_last_of_sines": case("--class-token last --positions sincos1d --sines interleaved --prefix-positions 1",
                                "--class-token last --positions sincos1d", last=True, places="sincos1d"),
    "class_last_without_position": case("--class-token last --pooling mean --final-norm pooled",
                                        "--class-token last --pooling mean --final-norm pooled", last=True, rows=PATCHES,
                                        prefix=0, pool="mean", final="pooled"),
    "overlap": case("--stride 5", "--stride 5", stride=5, rows=26),
    "overlap_padded": case("--stride 4 --padding 3", "--stride 4 --padding 3", stride=4, padding=3, rows=50),
    "overlap_of_sines": case("--stride 5 --padding 0 --positions sincos1d --sines interleaved",
                             "--stride 5 --positions sincos1d", stride=5, rows=0, places="sincos1d"),
    "overlap_folded": case("--stride 5 --padding 2 --pooling mean", "--stride 5 --padding 2", first=False,
                           stride=5, padding=2, folded=True, rows=36, prefix=0),
    "scaled_tokens": case("--token-scale sqrt-width", "--token-scale sqrt-width", scaled="tokens"),
    "scaled_patches": case("--token-scale sqrt-width-patches", "--token-scale sqrt-width-patches", scaled="patches"),
    "norm_of_pooled": case("--pooling mean --final-norm pooled", "--final-norm pooled", first=False, rows=PATCHES,
                           prefix=0, final="pooled"),
    "norm_in_front": case("--norm post --final-norm front", "--norm post --final-norm front", after=True, final="front"),
    "norm_of_embedding": case("--patch-norm tokens", "--patch-norm tokens", embedding="tokens"),
    "norm_of_patches": case("--patch-norm patches", "", embedding="patches"),
    "largest_values": case("--pooling max --final-norm tokens", "--pooling max", first=False, rows=PATCHES, prefix=0,
                           pool="max"),
    "sums_to_normed": case("--norm pre-normed", "--norm pre-normed", normed=("attention", "mlp")),
    "sums_to_normed_mlp": case("--norm pre-normed-mlp", "--norm pre-normed-mlp", normed=("mlp",)),
    "sums_to_normed_at_once": case("--norm pre-normed --one-norm parallel", "--norm pre-normed --one-norm parallel",
                                   normed=("attention", "mlp"), parallel=True),
    "divided_by_width": case("--scale behind-width", "--scale behind-width", divided=WIDTH),
    "divided_by_head": case("--scale behind-head", "--scale behind-head", divided=WIDTH // HEADS),
}


def array(values):
    data = io.BytesIO()
    numpy.save(data, values)
    return data.getvalue()


def run(model, picture):
    """Logits and maps of float64 computations."""
    model = model.double()
    with torch.no_grad():
        logits = model(torch.from_numpy(picture).double())
    return {"logits.npy": logits.numpy().astype(numpy.float32),
            **{f"units_{i}_look.npy": unit.look.seen[0].numpy().astype(numpy.float32)
               for i, unit in enumerate(model.units)}}


def make(name, settings, seed):
    torch.manual_seed(seed)
    model = Vision(settings)
    for key, value in model.named_parameters():
        if value.dim() > 1 and "weight" in key:
            nn.init.normal_(value, std=1.4 / math.sqrt(value[0].numel()))
        else:
            nn.init.normal_(value, mean=1.0 if key.endswith("weight") else 0.0, std=0.5)
    state = {key: value.half() for key, value in model.state_dict().items()}
    model.load_state_dict({key: value.float() for key, value in state.items()})
    picture = numpy.random.default_rng(seed).normal(size=(1, 1, SIDE, SIDE)).astype(numpy.float32)
    results = run(model, picture)
    checkpoint = io.BytesIO()
    torch.save(state, checkpoint)
    shape = list(results["units_0_look.npy"].shape)
    grid = [(SIDE + 2 * settings["padding"] - PATCH) // settings["stride"] + 1] * 2
    meta = {"checkpoint": "checkpoint.pth", "config": {**settings, "seed": seed}, "output": "logits",
            "options": settings["options"], "options_needed": settings["needed"],
            "layers": [{"name": f"units.{i}.look", "mechanism": "softmax", "shape": shape, "rows": "all",
                        "grid": grid, "file": f"units_{i}_look.npy"} for i in range(DEPTH)]}
    return {"checkpoint.pth": checkpoint.getvalue(), "input.npy": array(picture),
            "meta.json": (json.dumps(meta, indent=1) + "\n").encode(),
            **{file: array(values) for file, values in results.items()}}


def write(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for seed, (name, settings) in enumerate(CASES.items()):
            for file, data in sorted(make(name, settings, seed).items()):
                archive.writestr(zipfile.ZipInfo(f"{name}/{file}", (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)


def check(path):
    worst = 0
    with zipfile.ZipFile(path) as archive:
        for name in sorted({entry.split("/")[0] for entry in archive.namelist()}):
            def stored(file):
                return io.BytesIO(archive.read(f"{name}/{file}"))
            model = Vision(json.load(stored("meta.json"))["config"])
            model.load_state_dict({key: value.float() for key, value in torch.load(stored("checkpoint.pth")).items()})
            for file, values in run(model, numpy.load(stored("input.npy"))).items():
                expected = numpy.load(stored(file))
                difference = float(abs(values - expected).max() / abs(expected).max())
                print(f"{name}/{file}: {difference:.1e}")
                worst = max(worst, difference)
    return worst


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", nargs="?", default=pathlib.Path(__file__).with_name("structure.zip"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.check:
        sys.exit(check(arguments.archive) > 1e-4)
    write(arguments.archive)
