#!/usr/bin/env python3
"""Makes reference.npz: tokens of three pictures, and what NumPy computes of them in float64.

Run it in its own folder with NumPy; the result is committed, so a build does not need it.
TokenReferenceTest.cpp compares Softscope with it. Components are by the singular value
decomposition of all centred patches, which Softscope does not use.
"""

import numpy as np

CHANNELS = 80
GRIDS = {"a": (5, 6), "b": (4, 7), "c": (6, 6)}
FOREGROUND = 0.4
LIKENESS = 0.22
WIDTH = 24
EPSILON = 0.3  # large enough to be missed


def tokens_of(seed, grid):
    """An object in the middle of a ground, and directions of their own behind both."""
    random = np.random.default_rng(seed)
    common = np.random.default_rng(1)
    height, width = grid
    directions = common.normal(size=(5, CHANNELS))
    row, column = np.mgrid[0:height, 0:width]
    inside = (row > 0) & (row < height - 1) & (column > 0) & (column < width - 1)
    weights = np.stack([6.0 * inside, 2 * np.sin(row), 1.5 * np.cos(column), 0.7 * inside * row, 0.4 * inside * column])
    weights = weights.reshape(5, -1).T + random.normal(scale=0.3, size=(height * width, 5))
    return (weights @ directions + random.normal(scale=0.4, size=(height * width, CHANNELS)) + 0.5).astype(np.float32)


def on_border(grid):
    row, column = np.mgrid[0:grid[0], 0:grid[1]]
    return ((row == 0) | (column == 0) | (row == grid[0] - 1) | (column == grid[1] - 1)).ravel()


class Components:
    """The first three components of some rows: signs, and the range of their colours."""

    def __init__(self, rows, border):
        rows = rows.astype(np.float64)
        self.mean = rows.mean(0)
        _, values, directions = np.linalg.svd(rows - self.mean, full_matrices=False)
        self.directions = directions[:3]
        for direction in self.directions:
            if direction[np.abs(direction).argmax()] < 0:
                direction *= -1
        first = (rows - self.mean) @ self.directions[0]
        if border.any() and not border.all() and first[border].mean() > first[~border].mean():
            self.directions[0] *= -1
        self.explained = values[:3] ** 2 / (values ** 2).sum()
        scores = (rows - self.mean) @ self.directions.T
        self.low, self.high = scores.min(0), scores.max(0)

    def colors(self, rows):
        scores = (rows.astype(np.float64) - self.mean) @ self.directions.T
        return np.clip((scores - self.low) / (self.high - self.low), 0, 1)


def fitted(names, pictures):
    return Components(np.concatenate([pictures[name] for name in names]),
                      np.concatenate([on_border(GRIDS[name]) for name in names]))


def foreground(names, pictures):
    """Which patches have a first component of all that reaches FOREGROUND."""
    whole = fitted(names, pictures)
    return {name: whole.colors(pictures[name])[:, 0] >= FOREGROUND for name in names}


def alike(names, pictures, picture, patch):
    """Which patches have a cosine to one patch of a picture that reaches LIKENESS."""
    token = pictures[picture][patch:patch + 1]
    return {name: cosines(token, pictures[name])[0] >= LIKENESS for name in names}


def components_of(kept, fitted_on, pictures):
    """Components of the kept patches alone, fitted on those of some pictures; NaN elsewhere."""
    own = Components(np.concatenate([pictures[name][kept[name]] for name in fitted_on]),
                     np.concatenate([on_border(GRIDS[name])[kept[name]] for name in fitted_on]))
    colors = {}
    for name in kept:
        colors[name] = np.full((len(pictures[name]), 3), np.nan)
        colors[name][kept[name]] = own.colors(pictures[name][kept[name]])
    return colors, own.explained


def cosines(first, second):
    first, second = first.astype(np.float64), second.astype(np.float64)
    return (first @ second.T / np.linalg.norm(first, axis=1)[:, None] / np.linalg.norm(second, axis=1)[None])


def features(tokens, space):
    """Tokens behind a layer norm and a projection."""
    tokens = tokens.astype(np.float64)
    centred = tokens - tokens.mean(1, keepdims=True)
    normed = centred / np.sqrt(centred.var(1, keepdims=True) + EPSILON) * space["weight"] + space["bias"]
    return normed @ space["projection"]


def vectors(pictures, arrays):
    """Cosines to vectors as long as the tokens, and to others in the space of features."""
    random = np.random.default_rng(7)
    space = {"weight": random.uniform(0.5, 2, CHANNELS), "bias": random.normal(size=CHANNELS),
             "projection": random.normal(size=(CHANNELS, WIDTH))}
    space = {name: array.astype(np.float32) for name, array in space.items()}
    wide = random.normal(size=(2, CHANNELS)).astype(np.float32)
    narrow = (30 * random.normal(size=(3, WIDTH))).astype(np.float32)
    arrays.update({f"space.{name}": array for name, array in space.items()})
    arrays["vectors.wide"], arrays["vectors.narrow"] = wide, narrow
    for name in "ab":
        arrays[f"{name}.to_wide"] = cosines(wide, pictures[name])
        arrays[f"{name}.to_narrow"] = cosines(narrow, features(pictures[name], space))


def main():
    pictures = {name: tokens_of(seed, grid) for seed, (name, grid) in enumerate(GRIDS.items(), 2)}
    arrays = {f"{name}.tokens": tokens for name, tokens in pictures.items()}
    together = fitted("abc", pictures)
    arrays["together.explained"] = together.explained
    for name in "abc":
        arrays[f"{name}.together"] = together.colors(pictures[name])
    alone = fitted("a", pictures)
    arrays["b.in_a"] = alone.colors(pictures["b"])
    colors, explained = components_of(foreground("abc", pictures), "abc", pictures)
    arrays["foreground.explained"] = explained
    for name in "abc":
        arrays[f"{name}.foreground"] = colors[name]
    colors, explained = components_of(alike("abc", pictures, "a", 13), "abc", pictures)
    arrays["alike.explained"] = explained
    for name in "abc":
        arrays[f"{name}.alike"] = colors[name]
    colors, _ = components_of(alike("ab", pictures, "b", 8), "a", pictures)
    arrays["b.alike_in_a"] = colors["b"]
    table = cosines(pictures["a"], pictures["b"])
    nearest = table.argmax(1)
    arrays["matches.other"] = nearest
    arrays["matches.cosine"] = table.max(1)
    arrays["matches.mutual"] = table.argmax(0)[nearest] == np.arange(len(nearest))
    arrays["b.similarity"] = table[13]
    vectors(pictures, arrays)
    np.savez("reference.npz", **{name: np.asarray(array, np.float32) for name, array in arrays.items()})


if __name__ == "__main__":
    main()
