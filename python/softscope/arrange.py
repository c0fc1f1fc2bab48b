"""Which tokens of which picture the rows and columns of a module's attention are."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import torch

from .follow import Followed, follow_keys, follow_rows, refusing_none
from .heads import require_own_keys
from .mixed import are_no_tokens, are_of_all_tokens, sources_of
from .maps import Map, Refused
from .replay import Layout, Replay
from .standing import Origins, Standing, fit_together, rows_keep_order, rows_standing, standing_of
from .tape import Call, Tape
from .values import Values, has_shared_values


class NoTokens(Refused):
    """Raised if keys are not tokens but, for example, experts."""


class Arranged(NamedTuple):
    """Says how rows and columns of attention are put into the order of the module's tokens. `rows` and `columns` are
    that order, of columns perhaps each head's [heads, keys], or None where they stand so; `has_order` says whether
    they stand so then, as far as is known."""
    layout: Layout
    rows: Optional[torch.Tensor]
    columns: Optional[torch.Tensor]
    has_order: bool
    keys_known: bool  # as tokens of what the module is given
    behind: int  # keys that are none of these, behind all others
    is_unsorted: bool  # the module's tokens have another order, which is known of rows alone or of columns alone

    def order(self, map_: Map) -> Map:
        """Returns the map with its rows and columns in the order of the module's tokens."""
        parts = dict(map_.parts)
        if self.rows is not None:
            parts.update({name: parts[name][:, self.rows.to(parts[name].device)] for name in ("attn", "left", "q")
                          if name in parts})
        if self.columns is not None:
            axis = 2 if "attn" in parts else 1
            parts.update({name: _sorted_along(parts[name], self.columns, axis) for name in ("attn", "right", "k")
                          if name in parts})
        return Map({name: part.contiguous() for name, part in parts.items()}, map_.kernel, map_.scale)


def _sorted_along(part: torch.Tensor, order: torch.Tensor, axis: int) -> torch.Tensor:
    """Returns the order that sorts heads, either one that all of them have or one for each."""
    order = order.to(part.device)
    if order.dim() == 1:
        return part.index_select(axis, order)
    return torch.stack([each.index_select(axis - 1, own) for each, own in zip(part, order)])


def arrange(layout: Layout, replay: Replay, values: Any, product: Call, place: int, calls: List[Call],
            inputs: Sequence[torch.Tensor], pictures: int, heads: Optional[int], tape: Tape,
            every: List[Call]) -> Arranged:
    """Follows tokens of what the module is given to the keys, and rows to tokens of what it makes. `every`
    is all calls of the module, of which `calls` are this attention's. Throws Refused where attention is not within the
    first picture, where heads that have their values in common cannot be told, or where its keys are no tokens."""
    keys = refusing_none(follow_keys, values, calls, inputs, product.index, pictures)
    rows, has_shared = None, layout.places.shape[1] == 1 and has_shared_values(product, place)
    if has_shared:  # before these are taken for as many queries
        layout, rows = _with_heads(layout, replay, calls, pictures, None)
    if rows is None:
        rows = refusing_none(follow_rows, replay.target, layout.places, calls, pictures)
    if rows is None and layout.places.shape[1] == 1:
        layout, rows = _with_heads(layout, replay, calls, pictures, heads or 1)
        if rows is None and has_shared:
            raise Refused("its values are several heads', perhaps, or have queries in rows and columns: which of them "
                          "cannot be told by what the module makes of them", 8)
    which = _first_picture(layout, rows, keys, pictures)
    chosen = layout.of_set(which)
    if keys is not None:
        require_own_keys(values, keys, chosen.groups, product, place, calls)
    queries = chosen.index.shape[1]
    columns = None if keys is None else standing_of(keys.tokens[chosen.groups], keys.count)
    of_rows = rows_standing(rows, which)
    if rows is None and queries > 1:
        rows_known = refusing_none(rows_keep_order, replay.target, chosen, calls, pictures) is not False
    else:
        rows_known = rows is None or (of_rows is not None and of_rows.is_run)
    columns_known = columns is not None and fit_together(of_rows, columns, queries)
    if keys is None:
        origins = Origins(tape, values, calls, inputs, product.index, pictures)
        if pictures > 1:
            origins.require_own_picture(chosen.groups)
        columns_known = values.keys == 1 or _are_in_order(origins, values, chosen, pictures, tape, every, calls, product)
    return _ordered(chosen, of_rows, columns, rows_known, columns_known)


def _ordered(chosen: Layout, rows: Optional[Standing], columns: Optional[Standing], rows_known: bool,
             columns_known: bool) -> Arranged:
    """Puts rows and columns in the module's order together, or leaves both as they were computed."""
    row_order = None if rows is None or (columns is None and not columns_known) else rows.order
    column_order = None if columns is None or (rows is None and not rows_known) else columns.order
    is_unsorted = (rows is not None and rows.order is not row_order) or \
        (columns is not None and columns.order is not column_order)
    behind = columns.behind if columns is not None and columns_known and not is_unsorted else 0
    return Arranged(chosen, row_order, column_order, rows_known and columns_known, columns is not None, behind,
                    is_unsorted)


def _are_in_order(origins: Origins, values: Any, chosen: Layout, pictures: int, tape: Tape, every: List[Call],
                  calls: List[Call], product: Call) -> bool:
    """Returns whether keys that depend on several tokens each stand as tokens do, or as pools of these. Throws
    NoTokens."""
    if values.keys == chosen.index.shape[1]:
        return refusing_none(origins.keep_order, chosen.groups) is not False
    if not isinstance(values, Values):
        return True
    sources = sources_of(tape, every, calls, values, product.index)
    if refusing_none(are_no_tokens, values, sources, pictures):
        raise NoTokens("its keys are no tokens: each is made of all tokens, or of a pool of these (a choice among "
                       "experts, perhaps)", 9)
    return not refusing_none(are_of_all_tokens, values, sources, pictures)


def _first_picture(layout: Layout, rows: Optional[Followed], keys: Optional[Followed], pictures: int) -> int:
    """Returns the set of the first picture. Throws Refused where there is none."""
    if pictures == 1:
        return layout.which
    which = layout.which
    if rows is not None:
        holds = (rows.tokens < rows.count).sum(1)
        of_first = holds.nonzero().reshape(-1).tolist()
        if len(of_first) != 1 or int(holds[of_first[0]]) != rows.tokens.shape[1]:
            raise Refused("it attends across the pictures of the batch: its rows are tokens of several", 8)
        which = of_first[0]
    if keys is None:
        return which
    seen = [keys.tokens[members] for members in layout.sets]
    of_others = [bool((tokens >= keys.count).any()) for tokens in seen]
    of_own = [bool(((tokens >= 0) & (tokens < keys.count)).any()) for tokens in seen]
    if rows is None and of_others[which] and not of_own[which]:
        which = next((other for other, own in enumerate(of_own) if own and not of_others[other]), which)
    if of_others[which]:
        raise Refused("it attends across the pictures of the batch: its keys are tokens of several, or of another one", 8)
    return which


def _with_heads(layout: Layout, replay: Replay, calls: List[Call], pictures: int,
                heads: Optional[int]) -> Tuple[Layout, Optional[Followed]]:
    """Returns the layout with an axis of the output that is heads, which have their values in common, so that several
    rows come to one token. The heads may be any number, or are `heads`."""
    shape = list(replay.target.shape)
    for axis in [axis for axis, size in enumerate(shape) if heads in (None, size)]:
        split = _split_by(layout, shape, axis)
        rows = None if split is None else refusing_none(follow_rows, replay.target, split.places, calls, pictures)
        if split is not None and rows is not None:
            return split, rows
    return layout, None


def _split_by(layout: Layout, shape: List[int], axis: int) -> Optional[Layout]:
    """Returns the layout with the places along an axis as heads, or None where rows do not lie along it."""
    behind = 1
    for size in shape[axis + 1:]:
        behind *= size
    places = layout.places[:, 0]  # [sets, queries, channels]
    at = torch.div(places, behind, rounding_mode="floor") % shape[axis]
    if bool((at != at[:, :, :1]).any()):
        return None  # channels
    heads = len(at[0, :, 0].unique())
    queries = places.shape[1]
    if heads == 1 or queries % heads:
        return None
    order = at[:, :, 0].argsort(dim=1, stable=True)
    sorted_at = at[:, :, 0].gather(1, order).reshape(len(places), heads, -1)
    if bool((sorted_at != sorted_at[:, :, :1]).any()):
        return None
    split = places.gather(1, order.unsqueeze(2).expand_as(places)).reshape(len(places), heads, -1, places.shape[2])
    return Layout(split, [members * heads for members in layout.sets], layout.which)
