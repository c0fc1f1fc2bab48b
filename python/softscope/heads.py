"""Tells heads from other sets of tokens, and from tokens, by which tokens of what a module is given they hold."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch

from .follow import Followed, follow_keys, follow_rows, refusing_none
from .maps import Refused
from .replay import Apart, Replay, sums_to_one
from .tape import Call


def sets_of_heads(apart: Apart, values: Any, replay: Replay, product: Call, calls: List[Call],
                  inputs: Sequence[torch.Tensor], pictures: int) -> Optional[List[List[int]]]:
    """Returns the groups of values that are each picture's heads, in the order in which the product has them, where
    what attends apart are heads: all of a picture's have the same tokens as keys, and the same as queries. Returns
    None where that is not known."""
    if any(len(members) > 1 for members in apart.sets):
        return None
    keys = refusing_none(follow_keys, values, calls, inputs, product.index, pictures)
    if keys is None:
        return None
    found: Dict[Tuple[int, ...], List[int]] = {}
    for group, tokens in enumerate(keys.tokens):
        found.setdefault(tuple(tokens.sort().values.tolist()), []).append(group)
    members = list(found.values())
    if len(members) != pictures or len({len(each) for each in members}) != 1:
        return None
    places = torch.stack([apart.index[each] for each in members])
    return None if refusing_none(follow_rows, replay.target, places, calls, pictures) is None else members


def require_own_keys(values: Any, keys: Followed, groups: List[int], product: Call, place: int, calls: List[Call]) -> None:
    """Throws Refused where a product may sum over heads: each token is then as many keys as there are heads, with another
    value as each. It sums over no heads where it keeps several apart, or where the rows of attention sum to one: those of
    all heads together would sum to their number."""
    tokens, given = keys.tokens[groups[0]], values.of(values.tensor)[groups[0]].float().cpu()
    known, counts = tokens[tokens >= 0].unique(return_counts=True)
    times = int(counts[0]) if len(counts) else 1
    if times == 1 or len(known) == 1 or bool((counts != times).any()):
        return
    each = given[tokens >= 0][tokens[tokens >= 0].argsort(stable=True)].reshape(len(known), times, -1)
    if bool((each == each[:, :1]).all()):
        return  # tokens that are repeated, as where fewer are scaled up to a larger grid
    if getattr(values, "axes", 1) == 1 and (len(set(groups)) > 1 or sums_to_one(
            Replay(calls, product, product.inputs[place], product.outputs[0], product.index + 1, place))):
        return
    raise Refused(f"its product with values sums over heads, perhaps: each token is {times} of its keys, so that no head's "
                  "matrix is known by itself; multiply the values of each head, and add up heads behind that", 9)
