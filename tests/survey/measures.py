"""What every measure of surveys is, in NumPy, on what `dump`, `record` and `figure` write of one model and picture.

Nothing here is shared with the program but the definitions in docs/survey.md.
"""
import csv
import json
import os

import numpy as np


def softmax(values):
    exponentials = np.exp(values - values.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


class Layer:
    """One attention layer on one picture."""

    def __init__(self, description, folder, record):
        self.name = description["name"]
        self.heads = description["heads"]
        self.queries, self.keys = description["queries"], description["keys"]
        self.query_grid, self.key_grid = description["query_grid"], description["key_grid"]
        stem = os.path.join(folder, self.name.replace(".", "_"))
        self.rows = np.load(stem + ".npy").astype(np.float64)
        for name in ("q_l1", "k_l1", "A", "A_inv"):
            path = f"{stem}.{name}.npy"
            setattr(self, name, np.load(path).astype(np.float64) if os.path.exists(path) else None)
        entries = {key[len(self.name) + 1:]: record[key] for key in record if key.startswith(self.name + "/")}
        entries = {key: np.float64(value) if value.dtype.kind == "f" else value for key, value in entries.items()}
        self.matrices = self.product(entries)
        # At most so many singular values are not zero.
        self.rank = entries["left"].shape[-1] if "left" in entries else min(self.queries, self.keys)
        self.values = entries.get("v")
        self.theta = entries.get("q", entries.get("left"))
        self.phi = entries.get("k", entries.get("right"))
        mechanism = description["mechanism"]
        self.landmark_kernel = entries["left"] if mechanism in ("soft", "soft++") else None

    @staticmethod
    def product(entries):
        """The matrices in float64, from what they are made of."""
        if "left" in entries:
            left = entries["left"] @ entries["middle"] if "middle" in entries else entries["left"]
            return left @ entries["right"].transpose(0, 2, 1)
        if "q" in entries:
            return softmax(float(entries["scale"]) * entries["q"] @ entries["k"].transpose(0, 2, 1))
        return entries["attn"]


def line_score(matrix):
    if len(matrix) < 2:
        return None
    means = matrix.mean(0)
    variance = ((matrix - matrix.mean()) ** 2).sum()
    return len(matrix) * ((means - means.mean()) ** 2).sum() / variance


def correlation(a, b):
    a, b = a - a.mean(), b - b.mean()
    return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())


def effective_rank(values):
    shares = values / values.sum()
    shares = shares[shares > 0]
    return np.exp(-(shares * np.log(shares)).sum())


def entropy(rows, grid):
    weights = np.abs(rows[len(rows) - np.prod(grid):])
    weights = weights / weights.sum(-1, keepdims=True)
    logarithms = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logarithms).sum(-1).mean() / np.log(rows.shape[1])


def centres(grid, size):
    rows, columns = np.mgrid[:grid[0], :grid[1]]
    return np.stack([(rows.ravel() + 0.5) * size / grid[0], (columns.ravel() + 0.5) * size / grid[1]], -1)


def distance(rows, query_grid, key_grid, size):
    queries, keys = np.prod(query_grid), np.prod(key_grid)
    weights = np.abs(rows[len(rows) - queries:, rows.shape[1] - keys:])
    apart = np.linalg.norm(centres(query_grid, size)[:, None] - centres(key_grid, size)[None], axis=-1)
    return ((weights * apart).sum(-1) / weights.sum(-1)).mean()


def concentration(norms, grid):
    patches = np.sort(norms[len(norms) - np.prod(grid):])[::-1]
    return patches[:-(-len(patches) // 10)].sum() / patches.sum()


def radius(influence, grid):
    """The distance from the patch behind the middle within which half of the influence of all pixels lies."""
    size = np.array(influence.shape)
    centre = (np.array(grid) // 2 + 0.5) * size / grid
    places = np.stack(np.mgrid[:size[0], :size[1]], -1) + 0.5
    distances = np.linalg.norm(places - centre, axis=-1).ravel()
    order = np.argsort(distances)
    inside = np.cumsum(influence.ravel().astype(np.float64)[order])
    return distances[order][np.searchsorted(inside, inside[-1] / 2)]


def sink(layer, head):
    """The share of the key with the largest column sum of magnitudes, whether it is no patch, its value's norm."""
    sums = np.abs(layer.rows[head]).sum(0)
    key = sums.argmax()
    prefix = layer.keys - np.prod(layer.key_grid)
    norms = None if layer.values is None else np.linalg.norm(layer.values[head], axis=-1)
    return {"sink": sums[key] / sums.sum(), "sink_factor": sums[key] / sums.mean(),
            "sink_is_prefix": float(key < prefix) if prefix else None,
            "sink_value_norm": None if norms is None else norms[key] / np.median(norms)}


def of_head(layer, head, share, size):
    """{measure: its value, or None}, of one head."""
    matrix, rows = layer.matrices[head], layer.rows[head]
    spectrum = np.linalg.svd(matrix, compute_uv=False)
    spectrum = spectrum[:layer.rank]
    prefix = layer.keys - np.prod(layer.key_grid) if layer.key_grid else 0
    first = layer.queries - np.prod(layer.query_grid) if layer.query_grid else 0
    weights = np.abs(rows[first:])
    means = matrix.mean(0)
    values = {
        "line_score": line_score(matrix),
        "line_score_centred": line_score(matrix - matrix.mean(1, keepdims=True)),
        "effective_rank": effective_rank(spectrum),
        "stable_rank": (matrix ** 2).sum() / spectrum[0] ** 2,
        "spectral_norm": spectrum[0],
        "largest_weight": np.abs(rows).max(),
        "prefix_weight": (weights[:, :prefix].sum(-1) / weights.sum(-1)).mean() if prefix else None,
        "entropy": entropy(rows, layer.query_grid) if layer.query_grid else None,
        "attention_distance": (distance(rows, layer.query_grid, layer.key_grid, size)
                               if layer.query_grid and layer.key_grid else None),
        "residual_share": float(share["projected_attention_norm"]) / float(share["residual_norm"]),
        "beside_share": float(share["attention_norm"]) / float(share["beside_norm"]) if share["beside_norm"] else None,
        "query_concentration": (concentration(layer.q_l1[head], layer.query_grid)
                                if layer.q_l1 is not None and layer.query_grid else None),
        "key_concentration": (concentration(layer.k_l1[head], layer.key_grid)
                              if layer.k_l1 is not None and layer.key_grid else None),
        "newton_residual": None,
        "landmark_distance": None,
        "landmark_near": None,
    }
    if layer.landmark_kernel is not None:
        kernel = layer.landmark_kernel[head]
        values["landmark_distance"] = np.median(-2 * np.log(kernel))
        values["landmark_near"] = (kernel > np.float32(0.01)).mean()
    undefined = dict.fromkeys(("sink", "sink_factor", "sink_is_prefix", "sink_value_norm"))
    values.update(sink(layer, head) if layer.queries > 1 and layer.key_grid else undefined)
    if layer.theta is not None:
        theta, phi = layer.theta[head], layer.phi[head]
        values["key_norm_correlation"] = correlation(means, np.linalg.norm(phi, axis=-1))
        values["query_direction_correlation"] = correlation(means, phi @ theta.mean(0))
    if layer.A is not None:
        kernel, inverse = layer.A[head], layer.A_inv[head]
        values["newton_residual"] = (np.linalg.norm(kernel @ inverse @ kernel - kernel, 2)
                                     / np.linalg.norm(kernel, 2))
    return values


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def layers_of(dump, record):
    with open(os.path.join(dump, "layers.json"), encoding="utf-8") as file:
        return [Layer(description, dump, record) for description in json.load(file)]
