"""Puts attention within windows back in its place in the picture: changes tokens, and looks at which others change."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import torch

from .beside import Beside
from .follow import (MOST_TRIED, Codes, Tokens, bits_of, changed_rows, last_maker, noise_for, run_with, runs_of_digit,
                     tokens_in)
from .maps import Map, Refused
from .replay import Layout, Replay, matrix_of, run_call
from .tape import Call, Tape, axis_of_channels, leading_to
from .values import Values

CLEAR = 0.4  # margin of keys over channels, from which it tells
MOVES = ("roll", "pad")


class Windows(NamedTuple):
    """Attention of a module apart for sets of tokens, of which each is a window or all of a picture."""
    product: Call
    values: Values
    replay: Replay  # from values to what the module went on with
    index: torch.Tensor  # [groups, queries, channels]: where each number of each group of values is in it
    sets: List[List[int]]  # the groups of each set, a head each
    reason: Refused  # why it is refused where tokens have no places
    beside: Optional[Beside] = None  # what is added to attention times values
    tape: Optional[Tape] = None  # which knows the weights


class Placed(NamedTuple):
    map: Map
    matrix: torch.Tensor  # of each group, [groups, queries, keys]
    groups: List[int]
    index: torch.Tensor  # [heads, queries of all windows, channels]
    grid: Optional[List[int]]
    has_own_keys: bool  # of the model's, beside the tokens of each window


def put_in_place(windows: Windows, calls: List[Call], inputs: Sequence[torch.Tensor], pictures: int,
                 input_size: Optional[Sequence[int]]) -> Placed:
    """Returns the map of the first picture's tokens, as the module whose calls these are arranges them. Throws
    Refused."""
    places, after = _queries_in(windows, calls, pictures)
    columns, before = _keys_in(windows, calls, inputs, pictures, after.count())
    _require_still(calls, before, after)
    chosen = (places >= 0).any(1).nonzero().reshape(-1).tolist()  # the first picture's
    rows, columns = places[chosen], columns[chosen]
    sets = [windows.sets[which] for which in chosen]
    _require_all(rows, columns, after.count())
    groups = [group for members in sets for group in members]
    heads = len(sets[0])
    matrix = matrix_of(windows.replay, windows.values, Layout(windows.index[groups].unsqueeze(0), [groups]))
    blocks = matrix.reshape(len(sets), heads, *matrix.shape[1:]).transpose(0, 1).contiguous()
    parts = {"blocks": blocks, "rows": rows, "cols": columns}
    index = windows.index[groups].reshape(len(sets), heads, -1, windows.index.shape[2]).transpose(0, 1).flatten(1, 2)
    grids = [tokens.grid() for tokens in (before, after) if tokens.grid() is not None]
    if any(grid != grids[0] for grid in grids):
        raise Refused("its tokens lie on another grid before it than behind it", 8)
    grid = grids[0] if grids and _fits(grids[0], input_size) and lie_on(rows, grids[0]) else None
    beyond = columns.shape[1] - rows.shape[1]
    has_own_keys = beyond > 0 and bool(((columns < 0).sum(1) >= beyond).all()) and \
        _are_own(windows.values, groups[0], columns[0])
    return Placed(Map(parts), matrix, groups, index, grid, has_own_keys)


def _are_own(values: Values, group: int, keys: torch.Tensor) -> bool:
    """Returns whether the keys of a window that are no tokens are the model's own, and not padding, whose values are
    all the same."""
    others = values.of(values.tensor)[group].float().cpu()[keys.cpu() < 0]
    return bool((others != others[0]).any()) or (len(others) == 1 and bool(others.any()))


def lie_on(rows: torch.Tensor, grid: Sequence[int]) -> bool:
    """Returns whether windows are rows and columns of a grid. Windows of tokens that follow one another might have
    been put in that order, whatever the grid, and tell nothing."""
    if grid[0] * grid[1] != int(rows.max()) + 1:
        return False
    runs = 0
    for window in rows:
        tokens = window[window >= 0]
        height, width = len((tokens // grid[1]).unique()), len((tokens % grid[1]).unique())
        if height * width != len(tokens):
            return False
        runs += int(tokens.max()) - int(tokens.min()) + 1 == len(tokens)
    return len(rows) == 1 or runs < len(rows)


def _fits(grid: List[int], input_size: Optional[Sequence[int]]) -> bool:
    """Returns whether the proportions are the picture's, but for a patch that was cut or padded."""
    if input_size is None:
        return False
    return abs(grid[0] - input_size[0] * grid[1] / input_size[1]) <= 1


def _require_still(calls: List[Call], before: Tokens, after: Tokens) -> None:
    """Throws Refused where tokens are rolled or padded before the first or behind the last that were followed, and are
    not in the picture's places."""
    for call in calls:
        is_followed = before.index < call.index <= after.index and call.name != "copy_"  # into a view, which is not
        if (call.moves or call.name in MOVES) and not is_followed and \
                any(tensor.dim() > 2 for tensor in call.inputs):
            raise Refused("tokens are rolled or padded where they cannot be followed", 8)


def _require_all(rows: torch.Tensor, columns: torch.Tensor, tokens: int) -> None:
    asked = rows[rows >= 0]
    if len(asked) != tokens or len(asked.unique()) != tokens:
        raise Refused("its windows do not hold each token of the picture once", 8)
    for own, keys in zip(rows, columns):
        if sorted(own[own >= 0].tolist()) != sorted(keys[keys >= 0].tolist()):
            # A module around may put tokens back in their places, but takes no keys away.
            rank = 10 if int((columns >= 0).sum()) > tokens else 8
            raise Refused("its windows attend to other tokens than their own, whose places are not known", rank)
        if own.shape == keys.shape and bool(((own != keys) & (own >= 0) & (keys >= 0)).any()):
            raise Refused("its tokens stand in another order behind it than before it", 8)


def _queries_in(windows: Windows, calls: List[Call], pictures: int) -> Tuple[torch.Tensor, Tokens]:
    """Returns for each set and row of it the token of the first picture whose output it becomes, [sets, queries], or
    -1."""
    target = windows.replay.target
    sets, queries = len(windows.sets), int(windows.index.shape[1])
    places = torch.stack([windows.index[members] for members in windows.sets])  # [sets, heads, queries, channels]
    made = last_maker(calls, target)
    tried: List[Tokens] = []
    for call in reversed([call for call in calls if call.index > made]):
        for output in call.outputs:
            tried += tokens_in(output, call.index, pictures)
    tried = tried[:2 * MOST_TRIED]
    codes: List[Any] = [Codes() for _ in tried]
    noise = noise_for(target, 2).reshape(-1)
    for digit in range(bits_of(sets * queries - 1)):
        runs = runs_of_digit(digit, target, places, noise, calls, made + 1)
        for which, tokens in enumerate(tried):
            if codes[which] is None:
                continue
            parts = [changed_rows(tokens.rows(run[id(tokens.tensor)]), tokens.rows(tokens.tensor))
                     if id(tokens.tensor) in run else None for run in runs]
            if parts[0] is None or parts[1] is None:
                codes[which] = None
                continue
            codes[which].add(digit, parts[0], parts[1])
            if not codes[which].fits or bool(codes[which].none.any()):
                codes[which] = None  # a token that depends on several rows, or on none
    for tokens, code in zip(tried, codes):
        if code is None:
            continue
        of_tokens = code.read().cpu()
        found = torch.full((sets * queries,), -1, dtype=torch.int64)
        found[of_tokens] = torch.arange(len(of_tokens))
        found = found.reshape(sets, queries)
        # Sets without a token are other pictures', or go to no token of what the module ends with; else they may be added.
        is_all = int((found >= 0).any(1).sum()) * pictures == sets or tokens.index == calls[-1].index
        if is_all and len(of_tokens.unique()) == len(of_tokens):
            return found, tokens
    raise Refused("its tokens cannot be followed to the picture's places behind it", 8)


def _keys_in(windows: Windows, calls: List[Call], inputs: Sequence[torch.Tensor], pictures: int,
             count: int) -> Tuple[torch.Tensor, Tokens]:
    """Returns for each set and key of it the token of the first picture whose value it is, [sets, keys], or -1 for
    padding."""
    values = windows.values
    tensor = values.tensor
    tried: List[Tokens] = []
    for given in inputs:
        tried += tokens_in(given, -1, pictures)
    for call in calls:
        for output in call.outputs if call.index < windows.product.index else ():
            tried += tokens_in(output, call.index, pictures)
    leading = leading_to([call for call in calls if call.index < windows.product.index], [tensor])
    led = [call for call in calls if call.index in leading]
    for tokens in [tokens for tokens in tried if tokens.count() == count][:MOST_TRIED]:
        found = _keys_of(windows, led, tokens, tensor)
        if found is not None and not (tokens.index >= 0 and any(
                _mixes_given(windows, led, given, found) for given in inputs if given.shape[:1] == (pictures,) != (1,))):
            _require_own(windows, led, inputs, found)
            return found, tokens
    raise Refused("its tokens cannot be followed from the picture's places before it", 8)


def _require_own(windows: Windows, calls: List[Call], inputs: Sequence[torch.Tensor], found: torch.Tensor) -> None:
    """Throws Refused where keys that are none of the picture's tokens change with what the calls are given: padding and
    keys of the model's own do not."""
    if windows.tape is None or bool((found >= 0).all()):
        return
    values = windows.values
    made = {id(output) for call in calls for output in call.outputs}
    roots = [tensor for tensor in [*inputs, *(given for call in calls for given in call.inputs)]
             if id(tensor) not in made and tensor.is_floating_point() and windows.tape.is_data(tensor)]
    live = {id(root): root + noise_for(root, 6) for root in roots}
    for call in calls:
        if any(id(given) in live for given in call.inputs):
            live.update(run_call(call, live))
    old = values.of(values.tensor).float()
    far = (values.of(live.get(id(values.tensor), values.tensor)).float() - old).abs().amax(-1)
    changed = far > 3e-6 * float(old.abs().max())
    if any(bool((changed[members[0]].cpu() & (keys < 0)).any()) for members, keys in zip(windows.sets, found)
           if bool((keys >= 0).any())):  # else of another picture
        raise Refused("its windows attend to other tokens than their own, such as pooled ones, whose places are not "
                      "known", 10)


def _keys_of(windows: Windows, calls: List[Call], tokens: Tokens, tensor: torch.Tensor) -> Optional[torch.Tensor]:
    values, code = windows.values, Codes()
    whole = tokens.rows(tokens.tensor)
    noise = tokens.rows(noise_for(tokens.tensor, 3))
    numbers = torch.arange(len(whole)).to(whole.device)
    for digit in range(bits_of(len(whole) - 1)):
        parts = []
        for wanted in (1, 0):
            chosen = (numbers >> digit & 1 == wanted).unsqueeze(-1)
            changed = tokens.like(torch.where(chosen, whole + noise, whole))
            run = run_with(calls, tokens.tensor, changed, tokens.index + 1, windows.product.index)
            if id(tensor) not in run:
                return None
            parts.append(changed_rows(values.of(run[id(tensor)]), values.of(tensor)))
        if parts[0] is None or parts[1] is None:
            return None
        code.add(digit, parts[0], parts[1])
        if not code.fits:
            return None
    read = code.read()  # [groups, keys]
    if len(tokens.tensor) > 1 and _mixes_pictures(windows, calls, tokens, read):
        return None
    found = []
    for members in windows.sets:
        if bool((read[members] != read[members[0]]).any()):
            return None  # heads of other tokens
        found.append(read[members[0]].cpu())
    return torch.stack(found)


def _mixes_pictures(windows: Windows, calls: List[Call], tokens: Tokens, read: torch.Tensor) -> bool:
    """Returns whether keys beside those of the first picture, which padding would be, are other pictures'."""
    changed = _changed_by_others(windows, calls, tokens.tensor, tokens.index + 1)
    return changed is None or bool((changed & (read >= 0).any(1, keepdim=True)).any())


def _mixes_given(windows: Windows, calls: List[Call], given: torch.Tensor, found: torch.Tensor) -> bool:
    """Returns whether keys that were found to be the first picture's depend on others of what the module is given."""
    changed = _changed_by_others(windows, calls, given, 0) if given.is_floating_point() else None
    if changed is None:
        return False
    return any(bool((changed[members[0]].cpu() & (keys >= 0)).any()) for members, keys in zip(windows.sets, found))


def _changed_by_others(windows: Windows, calls: List[Call], tensor: torch.Tensor, begin: int) -> Optional[torch.Tensor]:
    """Returns which keys [groups, keys] change with the pictures of a tensor but for the first, or None where that
    cannot be told."""
    values, noise = windows.values, noise_for(tensor, 4)
    noise[0] = 0
    run = run_with(calls, tensor, tensor + noise, begin, windows.product.index)
    if id(values.tensor) not in run:
        return None
    return changed_rows(values.of(run[id(values.tensor)]), values.of(values.tensor))


def keys_are_tokens(tape: Tape, calls: List[Call], product: Call, values: Values) -> Optional[bool]:
    """Returns whether the keys of a product's values are tokens and not channels, by what changes of them where a
    token of what they are computed of is another one. Returns None where that cannot be told."""
    if values.keys == 1:
        return True
    told: List[bool] = []
    made_by_weights: List[bool] = []
    for known in (calls, tape.calls):  # the module's own, and those of the modules around it
        before = [call for call in known if call.index < product.index]
        leading = leading_to(before, [values.tensor])
        led = [call for call in before if call.index in leading]
        made = {id(output) for call in led for output in call.outputs}
        given = [tensor for call in led for tensor in call.inputs] or [values.tensor]
        roots = {id(tensor): tensor for tensor in given if id(tensor) not in made and tape.is_data(tensor)
                 and tensor.is_floating_point() and tensor.dim() > 1}
        by_axis = {(id(root), axis): _margin_by_axis(led, root, axis, values)
                   for root in roots.values() for axis in range(root.dim())}
        margins = list(by_axis.values())
        made_by_weights += [by_axis[id(root), axis] < 0 for root in roots.values()
                            for axis in [tape.channels_of(root)]
                            if axis is not None and abs(by_axis[id(root), axis]) >= CLEAR]
        # Weights that mix channels are small here and there, so that they tell a little, too.
        least = max(CLEAR, max(map(abs, margins), default=0.0) / 2)
        told = [margin > 0 for margin in margins if abs(margin) >= least] or told
        if len(set(told)) == 1:
            return told[0]
    if len(set(made_by_weights)) == 1:  # of which another channel changes few channels
        return made_by_weights[0]
    # Where no weights mix channels, these tell the opposite of tokens: most often they have fewer axes.
    return None if 2 * sum(told) == len(told) else 2 * sum(told) > len(told)


def are_projected_as_tokens(tape: Tape, calls: List[Call], product: Call, values: Values, least: float = 0.05) -> bool:
    """Returns whether another channel of what weights made last, on the way to a product's values, changes channels of
    these and not keys, by a margin of `least`, or a clear one where that was outside the module."""
    for known in (calls, tape.calls):  # the module's own, and those of the modules around it
        leading = leading_to([call for call in known if call.index < product.index], [values.tensor])
        led = [call for call in known if call.index in leading]
        last = next((call for call in reversed(led) if axis_of_channels(call.name) is not None and call.outputs), None)
        axis = None if last is None else tape.channels_of(last.outputs[0])
        if last is not None and axis is not None:
            margin = _margin_by_axis([call for call in led if call.index > last.index], last.outputs[0], axis, values)
            return margin < -(least if known is calls else max(least, CLEAR))
    return False


def _margin_by_axis(calls: List[Call], root: torch.Tensor, axis: int, values: Values) -> float:
    """Returns how the values differ if one place along an axis does: near 1 for few keys of all channels, near -1 for
    few channels of all keys, 0 where it does not tell."""
    for place in dict.fromkeys((0, root.shape[axis] // 3)) if root.shape[axis] > 1 else ():
        changed = root.detach().clone()
        changed.select(axis, place).add_(noise_for(changed.select(axis, place), 5) / 10)
        try:
            made = run_with(calls, root, changed, 0, 1 << 60).get(id(values.tensor))
        except (Refused, RuntimeError):
            return 0.0
        if made is None or not bool(torch.isfinite(made).all()):
            return 0.0
        far = (values.of(made).float() - values.of(values.tensor).float()).square()
        far = far[far.amax((1, 2)) > 0.01 * far.max()]
        if len(far) == 0:
            continue  # strides pass over it
        # The parts of keys and of channels that hardly changed.
        keys, channels = (float((sums < 0.01 * sums.amax(1, keepdim=True)).float().mean())
                          for sums in (far.sum(2), far.sum(1)))
        return keys - channels
    return 0.0
