"""What record_attention() says a layer's attention is, and whether that is so."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence

import torch

from .maps import Map, Refused, distance, tolerance
from .verified import Verified, refute


class Claim(NamedTuple):
    layer: str
    map: Map
    values: Optional[torch.Tensor]  # [heads, keys, d]
    output: Optional[torch.Tensor]  # [heads, queries, d]
    mechanism: Optional[str]
    grid: Optional[Sequence[int]]
    prefix: Optional[int]


def verify_claim(claim: Claim, seen: List[Verified], anybody_saw: bool) -> Optional[float]:
    """Returns the worst error of a claim, or None where nothing could be compared. Throws Refused where the claim is
    wrong. `seen` is what the calling module was seen to compute: the claim has to be one of it.

    `seen` is what the calling module was seen to compute: the claim has to be one of it.
    """
    if claim.values is not None and claim.output is not None:
        return _compare(claim, claim.values, claim.output)
    wrong: Optional[Refused] = None
    for verified in seen:
        try:
            return refute(claim.map, verified.tests)
        except Refused as reason:
            wrong = reason
    if wrong is not None and anybody_saw:
        raise Refused(f"what record_attention() was given is not what was computed: {wrong}")
    return None


def _compare(claim: Claim, values: torch.Tensor, output: torch.Tensor) -> float:
    heads, queries, keys = claim.map.shape()
    if values.shape[:2] != (heads, keys) or output.shape != (heads, queries, values.shape[2]):
        raise Refused(f"what record_attention() was given does not fit together: v {list(values.shape)}, output "
                      f"{list(output.shape)}, attention {[heads, queries, keys]}")
    error = refute(claim.map, [(values.float(), output)])
    spread = float((values.float() - values.float().mean(1, keepdim=True)).abs().max())
    if spread < 1e-5 * float(values.abs().max()) or distance(
            claim.map.times(values.roll(1, 1)), output) <= tolerance(output):
        raise Refused("its values are too much alike to tell by them what it attends to")
    return error


def misnamed(mechanism: Optional[str]) -> Optional[str]:
    """Returns why a mechanism's name could not be shown in titles."""
    said = "" if mechanism is None else str(mechanism)
    if mechanism is None or (0 < len(said.encode()) <= 60 and all(ord(letter) >= 32 for letter in said)):
        return None
    return f"mechanism={mechanism!r} is no name of 60 bytes at most, in one line"
