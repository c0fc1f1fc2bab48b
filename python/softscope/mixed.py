"""Tells keys that are made of all tokens, as learned mixtures and experts are, from tokens and from pools of a few."""

from __future__ import annotations

from typing import List, NamedTuple, Tuple

import torch

from .follow import Batch, batches_in, noise_for, run_with
from .tape import Call, Tape, leading_to
from .values import Values

_POOLS = ("mean", "sum", "amax", "max", "logsumexp", "median")


class Sources(NamedTuple):
    """What a product's values are made of: the calls that lead to them, and the data that these begin with."""
    calls: List[Call]
    roots: List[torch.Tensor]


def sources_of(tape: Tape, every: List[Call], near: List[Call], values: Values, end: int) -> Sources:
    """Finds what a product's values are made of. `every` is all calls of the module, and `near` those that the
    attention is followed in: what another attention made is no root. `end` is the product's index."""
    leading = leading_to([call for call in near if call.index < end], [values.tensor])
    calls = [call for call in near if call.index in leading]
    made = {id(output) for call in every for output in call.outputs}
    given = [tensor for call in calls for tensor in call.inputs] or [values.tensor]
    roots = {id(tensor): tensor for tensor in given if tensor.is_floating_point() and tape.is_data(tensor) and
             id(tensor) not in made}
    return Sources(calls, list(roots.values()))


def are_of_all_tokens(values: Values, sources: Sources, pictures: int) -> bool:
    """Returns whether tokens that lie far apart change the same keys or most of them, or no token changes any."""
    changes = [changed for _, changed in _changes(values, sources, pictures)]
    return all(_are_mixed([(far > 0.02 * far.max()).any(-1) for far in changed]) for changed in changes)


def are_no_tokens(values: Values, sources: Sources, pictures: int) -> bool:
    """Returns whether keys come of data by way of tensors alone that no axis of tokens is left of, or are whole maps,
    whose tokens lie in the channels."""
    if sources.roots and all(_is_pooled(root, pictures) for root in sources.roots):
        return True
    for pool in sources.calls:
        if not pool.inputs or not pool.outputs or not ("pool" in pool.name or pool.name in _POOLS) or \
                4 * pool.outputs[0].numel() > pool.inputs[0].numel() or not _is_pooled(pool.outputs[0], pictures):
            continue
        others = [call for call in sources.calls if call is not pool]
        if all(id(values.tensor) not in run_with(others, root, root + noise_for(root, 8), 0, 1 << 60)
               for root in sources.roots):
            return True
    changes = _changes(values, sources, pictures)
    return bool(changes) and all(len(changed) > 1 and not bool(((changed[0] > 0) & (changed[-1] > 0)).any()) and bool(
        ((changed[0] > 0).any(-1) == (changed[-1] > 0).any(-1)).all()) for _, changed in changes)


def _changes(values: Values, sources: Sources, pictures: int) -> List[Tuple[Batch, List[torch.Tensor]]]:
    """Returns, for each way of taking data for tokens, how much of the values [groups, keys, channels] changes with
    the first picture's token at a few places that lie far apart."""
    old = values.of(values.tensor).float()
    found = []
    for batch in [batch for root in sources.roots for batch in batches_in(root, pictures)]:
        whole, noise = batch.rows(batch.tensor), batch.rows(noise_for(batch.tensor, 7))
        count = len(whole) // pictures
        changed = []
        for place in dict.fromkeys((0, count // 3, count - 1)):
            rows = whole.clone()
            rows[place] += noise[place]
            made = run_with(sources.calls, batch.tensor, batch.like(rows), 0, 1 << 60).get(id(values.tensor))
            far = (values.of(values.tensor if made is None else made).float() - old).abs()
            if float(far.max()) > 0:
                changed.append(far)
        if changed:
            found.append((batch, changed))
    return found


def _are_mixed(keys: List[torch.Tensor]) -> bool:
    """Returns which keys [groups, keys] changed with each token."""
    most = all(float(each[each.any(1)].float().mean()) >= 0.75 for each in keys)
    return most or (len(keys) > 1 and all(torch.equal(each, keys[0]) for each in keys))


def _is_pooled(tensor: torch.Tensor, pictures: int) -> bool:
    """Returns whether a tensor has one row for each picture, and no axis of tokens."""
    has_pictures = tensor.shape[:1] == (pictures,) and tensor.dim() > 1
    return has_pictures and all(size == 1 for size in sorted(tensor.shape[1:])[:-1])
