"""Finds the attention among the calls of a module, and verifies it."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Set, Tuple

import torch

from .beside import Beside, Sum, name_of, root_of, size_of, sums_behind
from .maps import Map, Refused, distance, tolerance, uncast, widest
from .replay import (Added, Apart, Cut, Layout, Replay, agrees_as_it_ran, find_layout, is_all_but, matrix_of,
                     refuse_dropping)
from .tape import ENDS, NORMALISERS, Call, Tape, leading_to
from .values import Values, expand_grouped_heads, fused_argument, place_of_argument
from .windows import Windows, keys_are_tokens, put_in_place

# Numbers of one layer's attention that are looked at, and written, as a matrix.
LARGEST_MATRIX = 1 << 26
# How far the entries of queries and keys, or of factors, may be from the matrix, as a fraction of each row's largest.
SAME = 1e-4


class Spot(NamedTuple):
    """Where attention times values is in a tensor of the module: the call that made it, counted from the module's first,
    which of that call's outputs it is, which of its numbers are each head's [heads, queries, channels], and its shape."""
    call: int
    output: int
    index: torch.Tensor
    shape: Tuple[int, ...]


class Verified(NamedTuple):
    """Attention of the first picture that maps values to what the module went on with."""
    map: Map
    error: float  # the largest difference as a fraction of the largest value
    tests: List[Tuple[torch.Tensor, torch.Tensor]]  # values [heads, keys, d] and the output [heads, queries, d]
    calls: Set[int]
    spot: Optional[Spot]
    windows: Optional[Windows]  # by which it can be put in its place where tokens are rolled or padded
    grid: Optional[List[int]] = None
    beside: Optional[Beside] = None  # what is added to attention times values before the module goes on


class Found(NamedTuple):
    """What the calls of a module computed."""
    verified: List[Verified]
    apart: List[Windows]  # within sets of tokens, whose places the modules around it may tell
    refused: List[Refused]


def refute(map_: Map, tests: List[Tuple[torch.Tensor, torch.Tensor]]) -> float:
    """The worst error of attention times values; throws Refused where it is none."""
    worst = 0.0
    for values, output in tests:
        if map_.shape() != (values.shape[0], output.shape[1], values.shape[1]):
            raise Refused(f"attention is {list(map_.shape())}, where "
                          f"{[values.shape[0], output.shape[1], values.shape[1]]} multiplied the values", 4)
        device = map_.device()
        error = distance(map_.times(values.to(device)), output.to(device))
        if not error <= tolerance(output):
            raise Refused(f"attention times values is off what it computed by {error:.2g} of the largest value", 4)
        worst = max(worst, error)
    return worst


def find_attention(tape: Tape, calls: List[Call], inputs: List[torch.Tensor], outputs: List[torch.Tensor],
                   pictures: int, heads: Optional[int], scale: Optional[float]) -> Found:
    """All attention of a module's calls, and why what looks like more of it is none."""
    verified: List[Verified] = []
    apart: List[Windows] = []
    reasons: List[Tuple[int, Refused]] = []
    for product in reversed([call for call in calls if call.is_product and not call.is_settled]):
        if any(product.index in found.calls for found in verified):
            continue
        found = None
        for place in _places_of_values(product):
            try:
                try:
                    found = _verify(tape, calls, product, place, (inputs, outputs), pictures, heads, scale)
                except Cut as cut:
                    try:
                        found = _verify(tape, calls, product, place, (inputs, outputs), pictures, heads, scale, True)
                    except Refused:
                        raise cut from None
            except _WithinWindows as within:
                apart.insert(0, within.windows)
                break
            except Refused as reason:
                reasons.append((product.index, reason))
            except Exception as error:  # pylint: disable=broad-except
                reasons.append((product.index, Refused(f"it could not be run again ({str(error)[:150]})", 0)))
            if found is not None:
                verified.insert(0, found)
                break
    explained = set().union(*(found.calls for found in verified), *(_calls_of(calls, windows) for windows in apart))
    return Found(verified, apart, [reason for index, reason in reasons if index not in explained])


def _calls_of(calls: List[Call], windows: Windows) -> Set[int]:
    """The calls that attention within windows comes from."""
    return leading_to([call for call in calls if call.index <= windows.replay.calls[-1].index], [windows.replay.target])


class _WithinWindows(Exception):
    def __init__(self, windows: Windows) -> None:
        super().__init__()
        self.windows = windows


def verify_windows(windows: Windows, calls: List[Call], inputs: List[torch.Tensor], pictures: int,
                   input_size: Optional[Any]) -> Verified:
    """Attention within windows over the picture's tokens, as the module with these calls has them. Throws Refused."""
    placed = put_in_place(windows, calls, inputs, pictures, input_size)
    values, replay = windows.values, windows.replay
    layout = Layout(windows.index[placed.groups], placed.groups)
    error = refute(Map({"attn": placed.matrix}), _tests(values, replay, layout))
    made = _maker(calls, replay.target, replay.calls[-1].index + 1)
    spot = None if made is None else Spot(made.index, [output is replay.target for output in made.outputs].index(True),
                                          placed.index, tuple(replay.target.shape))
    if windows.beside is not None:
        spot = None  # what is at the spot is not attention's alone
    return Verified(placed.map, error, [], _calls_of(calls, windows), spot, None, placed.grid, windows.beside)


def _tests(values: Values, replay: Replay, layout: Layout) -> List[Tuple[torch.Tensor, torch.Tensor]]:
    """Random values and the model's own [heads, keys, d], with what comes of them [heads, queries, d]."""
    generator = torch.Generator().manual_seed(1)
    some = values.of(values.like(torch.randn(values.groups, values.keys, values.channels,
                                             generator=generator).to(values.tensor.device)))
    tests = [(some[layout.groups], layout.of(replay.run(values.like(some)))),
             (values.of(values.tensor)[layout.groups], layout.of(replay.attended()))]
    return [(given.detach().clone(), made.detach().to(replay.dtype()).clone()) for given, made in tests]


def _maker(calls: List[Call], target: torch.Tensor, end: int) -> Optional[Call]:
    return next((call for call in reversed(calls) if call.index < end and
                 any(output is target for output in call.outputs)), None)


def _places_of_values(product: Call) -> Tuple[int, ...]:
    if product.name == "scaled_dot_product_attention":
        expand_grouped_heads(product)
        return (place_of_argument(product, "value"),)
    return (2, 1) if product.name == "baddbmm" else (1, 0)


def _verify(tape: Tape, calls: List[Call], product: Call, place: int,
            ends: Tuple[List[torch.Tensor], List[torch.Tensor]], pictures: int, heads: Optional[int],
            scale: Optional[float], is_cut: bool = False) -> Optional[Verified]:
    """`is_cut` follows it to where the module cuts something off, such as padding, before it goes on."""
    inputs, outputs = ends
    values_tensor = product.inputs[place]
    before = leading_to([call for call in calls if call.index < product.index], [values_tensor])
    by_index = {call.index: call for call in calls}
    if any(by_index[index].is_product for index in before):
        return None  # comes from attention itself
    target, end, meets_product = _target(tape, calls, product, outputs)
    partner = [tensor for at, tensor in enumerate(product.inputs[:3]) if at != place]
    mixing = leading_to([call for call in calls if call.index < product.index], partner)
    fused = product.name == "scaled_dot_product_attention"
    normalised = any(by_index[index].is_product or by_index[index].name.rstrip("_") in NORMALISERS for index in mixing)
    if not (fused or meets_product or any(by_index[index].is_product for index in mixing) or (
            normalised and target is not None and not _is_normalised(calls, end))):
        return None  # scores of queries and keys
    if target is None:
        raise Refused("what it returns does not come from a product of attention and values that could be seen", 1)
    if _goes_elsewhere(calls, product, target, end, outputs):
        raise Refused("what comes of attention times values goes several ways, of which the first is not all", 7)
    target, end = _before_cut(calls, product, target, end) if is_cut else (target, end)
    used = leading_to([call for call in calls if call.index < end], [target])
    for index in used - before:  # weights are dropped before the product that is run again
        refuse_dropping(by_index[index])
    start, tensor = _before_padding(tape, calls, product, values_tensor)
    values = Values(product, place)
    if tensor is not values_tensor:
        values.tensor = tensor
        values.sizes = [int(tensor.shape[axis]) for axis in values.order]
        values.channels = values.sizes[-1]
    replay = Replay(calls, start, tensor, target, end, place if start is product else None)
    agrees_as_it_ran(replay)

    def are_tokens() -> Optional[bool]:
        return keys_are_tokens(tape, calls, product, values)
    axes, beside, added = _channel_axes(calls, end, target, are_tokens), None, None
    try:
        try:
            layout = find_layout(replay, values, pictures, heads, axes)
        except Added as reason:
            sums = sums_behind(calls, product, end)
            what = name_of(sums, tape, calls, product, inputs)
            if what is None or not is_all_but(replay, values, {each.call.index: each.term for each in sums}):
                raise
            added = sums[0]
            replay.term, beside = reason.term, Beside(what, size_of(reason.term, target))
            layout = find_layout(replay, values, pictures, heads, axes)
    except Apart as apart:
        if len({len(members) for members in apart.sets}) != 1:
            raise
        _require_small(values.groups, apart.index.shape[1], values.keys)
        raise _WithinWindows(Windows(product, values, replay, apart.index, apart.sets, apart, beside)) from apart
    tests = _tests(values, replay, layout)
    queries = layout.index.shape[1]
    _require_small(len(layout.groups), queries, values.keys)
    matrix = matrix_of(replay, values, layout)
    whole_map = Map({"attn": matrix})
    error = refute(whole_map, tests)
    map_ = _compact(calls, product, place, replay, values, layout, matrix, scale)
    try:
        error = max(error, refute(map_, tests))
    except Refused:  # these values tell it from the matrix, which has passed
        map_ = whole_map
    spot = _spot(calls, target, end, layout) if beside is None else \
        _spot_before(calls, replay, values, pictures, heads, layout, added, are_tokens)
    index = torch.zeros((values.groups, *layout.index.shape[1:]), dtype=torch.int64)
    index[layout.groups] = layout.index
    has_shared = len(set(layout.groups)) < len(layout.groups)
    whole = Windows(product, values, replay, index, [layout.groups],
                    Refused("it or the module around it rolls or pads its tokens (windows), so that they are not in "
                            "their places", 9), beside)
    return Verified(map_, error, tests, used, spot, None if has_shared else whole, None, beside)


def _spot(calls: List[Call], target: torch.Tensor, end: int, layout: Layout) -> Optional[Spot]:
    made = _maker(calls, target, end)
    return None if made is None else Spot(made.index, [output is target for output in made.outputs].index(True),
                                          layout.index, tuple(target.shape))


def _spot_before(calls: List[Call], replay: Replay, values: Values, pictures: int, heads: Optional[int], layout: Layout,
                 added: Optional[Sum], are_tokens: Callable[[], Optional[bool]]) -> Optional[Spot]:
    """Where attention times values is alone, before something is added to it; nothing where that cannot be told."""
    if added is None or added.call.in_place:
        return None
    end, attended = added.call.index, added.attended
    try:
        alone = Replay(calls, replay.start, replay.tensor, attended, end, replay.place)
        found = find_layout(alone, values, pictures, heads, _channel_axes(calls, end, attended, are_tokens))
    except Refused:
        return None
    return _spot(calls, attended, end, found) if found.groups == layout.groups else None


def _require_small(heads: int, queries: int, keys: int) -> None:
    if heads * queries * keys > LARGEST_MATRIX:
        raise Refused(f"its attention, {heads} x {queries} x {keys}, is too large to look at", 10)


def _target(tape: Tape, calls: List[Call], product: Call,
            outputs: List[torch.Tensor]) -> Tuple[Optional[torch.Tensor], int, bool]:
    """What the module went on with: what its projection is given, or what it returns."""
    live = {id(output) for output in product.outputs}
    meets = False
    for call in calls:
        if call.index <= product.index or not any(id(tensor) in live for tensor in call.inputs):
            continue
        given = next(tensor for tensor in call.inputs if id(tensor) in live)
        if _is_end(call):
            return given, call.index, meets
        meets = meets or call.is_product
        live.update(id(output) for output in call.outputs)
    returned = next((output for output in outputs if id(output) in live), None)
    return returned, tape.count, meets


def _before_cut(calls: List[Call], product: Call, target: torch.Tensor, end: int) -> Tuple[torch.Tensor, int]:
    behind = [call for call in calls if product.index < call.index < end]
    led = leading_to(behind, [target])
    for call in reversed([call for call in behind if call.index in led]):
        if call.name in ("__getitem__", "narrow") and call.outputs[0].numel() < call.inputs[0].numel():
            return call.inputs[0], call.index
    raise Refused("its output has not every channel of its values", 5)


def _is_end(call: Call) -> bool:
    """Whether a call is the projection, or what is not linear in values."""
    return call.name.rstrip("_") in ENDS or (
        call.name in ("matmul", "__matmul__", "einsum", "bmm") and not call.is_product)


def _goes_elsewhere(calls: List[Call], product: Call, target: torch.Tensor, end: int,
                    outputs: List[torch.Tensor]) -> bool:
    """Whether the module goes on with something else of attention times values, too, such as with the whole where the
    target is a mean of it, which is a gate."""
    behind = [call for call in calls if call.index > product.index]
    root = root_of(behind, target)
    live = {id(output): output for output in product.outputs}
    for call in behind:
        given = [tensor for tensor in call.inputs if id(tensor) in live and root_of(behind, tensor) is not root]
        if given and call.index > end and _is_end(call):
            return True
        made_of_target = call.index >= end and not given
        if any(id(tensor) in live for tensor in call.inputs) and not made_of_target and not _is_end(call):
            live.update((id(output), output) for output in call.outputs)
    return any(id(output) in live and root_of(behind, output) is not root for output in outputs)


def _is_normalised(calls: List[Call], end: int) -> bool:
    return any(call.index == end and call.name.rstrip("_") in NORMALISERS for call in calls)


def _channel_axes(calls: List[Call], end: int, target: torch.Tensor,
                  are_tokens: Callable[[], Optional[bool]]) -> List[int]:
    """Which axes of what the module goes on with may be channels, as what follows says; where nothing does that, by
    whether the keys are tokens."""
    following = next((call.name for call in calls if call.index == end), "")
    if following.startswith(("conv", "batch_norm", "group_norm", "instance_norm")):
        return [1]
    if following.rstrip("_") in ("linear", "layer_norm", "rms_norm", "matmul", "__matmul__"):
        return [-1]
    told = are_tokens()
    if told is None:
        raise Refused("whether its keys are tokens or channels cannot be told by what follows in its module, nor by what "
                      "they are computed of", 5)
    return [axis for axis in range(-1, -1 - target.dim(), -1) if told]


def _before_padding(tape: Tape, calls: List[Call], product: Call,
                    values: torch.Tensor) -> Tuple[Call, torch.Tensor]:
    """The values before a channel of ones, which sums attention's rows, was put beside them."""
    for call in calls:
        made_it = call.index < product.index and any(output is values for output in call.outputs)
        if made_it and call.name in ("pad", "cat"):
            data = [tensor for tensor in call.inputs if tape.is_data(tensor)]
            if len(data) == 1 and data[0].dim() == values.dim() and data[0].shape[:-1] == values.shape[:-1]:
                return call, data[0]
    return product, values


def _compact(calls: List[Call], product: Call, place: int, replay: Replay, values: Values, layout: Layout,
             matrix: torch.Tensor, scale: Optional[float]) -> Map:
    """Queries and keys, or factors, where they are smaller and say the same; else the matrix."""
    heads, queries, keys = matrix.shape
    for q, k in _queries_and_keys(calls, product, layout, heads, queries, keys):
        for kernel, factor in _kernels(q, k, matrix, scale):
            map_ = Map({"q": q, "k": k}, kernel, factor)
            if _same(map_, matrix):
                return map_
    partner = product.inputs[1 - place] if product.name in ("matmul", "__matmul__", "bmm", "einsum") else None
    if partner is not None and values.tensor is product.inputs[place]:
        factors = _factors(calls, product, place, partner, replay, values, layout)
        if factors is not None and factors.parts["left"].shape[2] * (queries + keys) < queries * keys and \
                _same(factors, matrix):
            return factors
    return Map({"attn": matrix})


def _same(map_: Map, matrix: torch.Tensor) -> bool:
    """Row by row: beside a sharp head, what another one masks is small."""
    if map_.shape() != tuple(matrix.shape):
        return False
    step, dtype = max(1, (1 << 24) // max(1, matrix.shape[0] * matrix.shape[2])), widest(matrix.device)
    for begin in range(0, matrix.shape[1], step):
        rows = matrix[:, begin:begin + step].to(dtype)
        far = (map_.rows(begin, begin + step, dtype) - rows).abs()
        if not bool((far <= SAME * rows.abs().amax(-1, keepdim=True)).all()):
            return False
    return True


def _queries_and_keys(calls: List[Call], product: Call, layout: Layout, heads: int, queries: int,
                      keys: int) -> Iterator[Tuple[torch.Tensor, torch.Tensor]]:
    """The factors of each product that may have given the scores."""
    pairs: List[Any] = []
    if product.name == "scaled_dot_product_attention":
        query, key = (fused_argument(product, name) for name in ("query", "key"))
        pairs.append((query, key))
    for call in calls:
        if call.is_product and call.index < product.index and call.name in ("matmul", "__matmul__", "bmm", "baddbmm"):
            left, right = call.inputs[1:3] if call.name == "baddbmm" else call.inputs[:2]
            pairs.append((left, right.transpose(-1, -2)))
            pairs.append((right.transpose(-1, -2), left))
        elif call.is_product and call.index < product.index and call.name == "einsum":
            try:
                pairs.append(tuple(_canonical(Values(call, at)) for at in (0, 1)))
            except Refused:
                continue
    for left, right in pairs:
        left, right = (tensor.reshape(-1, *tensor.shape[-2:]) for tensor in (left, right))
        if left.shape[0] != right.shape[0] or max(layout.groups) >= left.shape[0] or left.shape[2] != right.shape[2]:
            continue
        if (left.shape[1], right.shape[1]) == (queries, keys):
            yield left[layout.groups].detach().clone(), right[layout.groups].detach().clone()


def _canonical(factor: Values) -> torch.Tensor:
    return factor.of(factor.tensor).transpose(1, 2)


def _kernels(q: torch.Tensor, k: torch.Tensor, matrix: torch.Tensor,
             scale: Optional[float]) -> List[Tuple[str, float]]:
    scales = [q.shape[-1] ** -0.5, 1.0] + ([scale] if scale else [])
    # Whatever scale else explains the first rows best.
    dtype = widest(q.device)
    with uncast(q.device):
        scores = q[:1, :64].to(dtype) @ k[:1].to(dtype).transpose(1, 2)
    rows = matrix[:1, :64].to(dtype)
    centred = scores - scores.mean(-1, keepdim=True)
    logs = rows.clamp_min(1e-12).log()
    squares = float((centred * centred).sum())
    if bool((rows > 1e-9).all()) and squares > 0:
        scales.append(float((centred * (logs - logs.mean(-1, keepdim=True))).sum()) / squares)
    kernels = [("softmax", given) for given in scales]
    if float((scores * scores).sum()) > 0:
        kernels.append(("linear", float((scores * rows).sum() / (scores * scores).sum())))
    return kernels


def _factors(calls: List[Call], product: Call, place: int, partner: torch.Tensor, replay: Replay, values: Values,
             layout: Layout) -> Optional[Map]:
    """Linear attention's: its second product is given ones in place of K^T V, and K is the first product's factor."""
    try:
        right = Values(product, 1 - place).of(partner)[layout.groups]
        rank = right.shape[2]
        inner = product.outputs[0]
        rest = Replay(calls, calls[[call.index for call in calls].index(product.index) + 1], inner, replay.target,
                      replay.calls[-1].index + 1)
        rest.term = replay.term
        columns = []
        moved = _feature_axis(product, place, inner.dim())
        for column in range(rank):
            given = torch.zeros_like(inner)
            given.select(moved, column).fill_(1)
            columns.append(layout.of(rest.run(given))[:, :, 0])
        return Map({"left": torch.stack(columns, 2).float(), "right": right.float().clone()})
    except (Refused, RuntimeError, IndexError, ValueError):
        return None


def _feature_axis(product: Call, place: int, dims: int) -> int:
    """The axis of the product that comes from the keys' features."""
    if product.name == "einsum":
        terms, out = product.args[0].replace(" ", "").split("->")
        mine, other = terms.split(",")[place], terms.split(",")[1 - place]
        return next(out.index(letter) for letter in other if letter in out and letter not in mine)
    return dims - 2 if place == 1 else dims - 1
