"""Layers of which a model hands out the weights, with the queries, keys and values caught of them.

Nothing is taken for granted. Values are those that, with the model's own weights, make what its
next map was given; this tells how a map that makes all three is to be parted too. Scores are
offered where softmax(scale * query key^T + bias) makes the model's own weights of this very text.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float

from attnviz.models.eager import weights_alone
from attnviz.models.hooked import Caught
from attnviz.models.layers import Layer
from attnviz.models.recorder import numbers
from attnviz.models.visible import Bias, Visible

FARTHEST = 1e-5
"""How far a weight may be from the model's own, beside what its scores lose in float32."""

_ROWS = 16
"""Rows that are tried first; the whole layer is compared where they agree."""
_SCALES = ("scaling", "inv_norm_factor", "softmax_scale")
_MASKS = ("attention_mask", "mask")
_BIASES = ("position_bias", "alibi")
_HIDDEN = -1e30

_Three = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class _Added:
    """What is done to the scores before their softmax, as a guess."""

    scale: float
    visible: Visible
    bias: Bias | None


def layers_with(
    own: Sequence[tuple[str, np.ndarray]],
    calls: Sequence[Caught],
    kind_of: Callable[[str, str], str],
) -> list[Layer]:
    """Make layers of the model's own weights, and of what was caught where it belongs to them.

    `kind_of` names the kind of a layer from the name and the class of its module. A layer has
    `apart` where its values are known and its scores are not. They are in the order of their calls
    where each has one.
    """
    caught: dict[str, list[Caught]] = {}
    for call in calls:
        if call.complete:
            caught.setdefault(kind_of(call.name, type(call.module).__name__), []).append(call)
    layers = weights_alone(own)
    counts = Counter(layer.kind for layer in layers)
    order: dict[int, Layer] = {}
    for place, layer in enumerate(layers):
        if counts[layer.kind] == len(caught.get(layer.kind, ())):
            call = caught[layer.kind][layer.number]
            layers[place] = order[calls.index(call)] = _with(layer, call)
    return [order[at] for at in sorted(order)] if len(order) == len(layers) else layers


def tier_of(layers: Sequence[Layer]) -> str:
    """Name what is known of all layers: "hooked", "values" or "weights"."""
    if all(layer.has_scores for layer in layers):
        return "hooked"
    return "values" if any(layer.value is not None for layer in layers) else "weights"


def difference(layers: Sequence[Layer]) -> float | None:
    """Give how far the weights made of scores are from the model's own, None where any has none."""
    if not all(layer.has_scores for layer in layers):
        return None
    return max(_farthest(layer, None)[0] for layer in layers)


def _with(layer: Layer, call: Caught) -> Layer:
    """Add what was caught to a layer whose weights are known, as far as it can be trusted."""
    best = layer
    for three in _candidates(call, layer.n_heads):
        witness = _witness(layer, numbers(three[2][0]), call)
        if witness is None:
            continue
        query, key, value = (numbers(each[0]) for each in three)
        found = replace(layer, query=query, key=key, value=value, witness=witness)
        found = _scored(replace(found, name=call.name), call)
        if found.apart is None:
            return found
        if best.apart is None or found.apart < best.apart:
            best = found
    return best


def _scored(layer: Layer, call: Caught) -> Layer:
    """Find what makes the model's weights of the scores; `apart` says how far all guesses are."""
    rows = np.unique(np.linspace(0, layer.n_query - 1, _ROWS).astype(np.intp))
    apart = np.inf
    for added in _guesses(layer, call):
        guess = replace(layer, scale=added.scale, visible=added.visible, bias=added.bias)
        for places in (rows, None):
            farthest, allowed = _farthest(guess, places)
            if not farthest <= allowed:
                apart = min(apart, farthest)
                break
        else:
            return guess
    return replace(layer, apart=float(apart))


def _farthest(layer: Layer, rows: np.ndarray | None) -> tuple[float, float]:
    """Give how far rebuilt weights are from the model's own, and how far they may be."""
    again, far, largest = replace(layer, given=None, apart=None), 0.0, 0.0
    for head in range(layer.n_heads):
        far = max(far, float(np.abs(again.weights(head, rows) - layer.weights(head, rows)).max()))
        scores = again.masked_scores(head, rows)
        largest = max(largest, float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0)))
    return far, FARTHEST + largest * float(np.finfo(np.float32).eps)


def _candidates(call: Caught, n_heads: int) -> Iterator[_Three]:
    """Give every (1, head, token, feature) that queries, keys and values may be."""
    for parted in _parted(call, n_heads):
        with suppress(TypeError, ValueError, RuntimeError):  # a function that wants something else
            yield from _turned(call, *parted)
        yield parted


def _parted(call: Caught, n_heads: int) -> Iterator[_Three]:
    """Part what the maps made into heads; one map for all three may part in several ways."""
    made = [call.made[name].reshape(-1, call.made[name].shape[-1]) for name in call.wanted]
    limit = getattr(call.module, "clip_qkv", None)
    made = [each.clamp(-limit, limit) for each in made] if limit else made
    if len(made) == 3:
        size = made[0].shape[1] // n_heads
        if size and not any(each.shape[1] % size for each in made):
            yield _three(*(each.unflatten(1, (-1, size)) for each in made))
        return
    for n_kv in (each for each in range(n_heads, 0, -1) if n_heads % each == 0):
        size, rest = divmod(made[0].shape[1], n_heads + 2 * n_kv)
        if rest:
            continue
        heads, group = made[0].unflatten(1, (-1, size)), n_heads // n_kv
        grouped = heads.unflatten(1, (n_kv, group + 2)).split((group, 1, 1), dim=2)
        for parts in (heads.split((n_heads, n_kv, n_kv), dim=1), grouped):
            query, key, value = (each.reshape(len(each), -1, size) for each in parts)
            yield _three(_moved(query, call, "q_bias"), key, _moved(value, call, "v_bias"))


def _three(*each: torch.Tensor) -> _Three:
    query, key, value = (one.transpose(0, 1)[None] for one in each)
    return query, key, value


def _moved(heads: torch.Tensor, call: Caught, name: str) -> torch.Tensor:
    """Add a bias that the module keeps beside its map."""
    bias = dict(call.module.named_parameters(recurse=False)).get(name)
    if bias is None or bias.numel() != heads[0].numel():
        return heads
    return heads + bias.reshape(heads.shape[1:])


def _turned(
    call: Caught, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
) -> Iterator[_Three]:
    """Turn queries and keys by their positions, with the model's own function, where it has one."""
    given = call.arguments
    own = getattr(call.module, "apply_rotary_position_embeddings", None)
    angles = given.get("sinusoidal_pos")
    if own is not None and isinstance(angles, torch.Tensor):
        if getattr(call.module, "rotary_value", False):
            yield own(angles, query, key, value)
        else:
            yield *own(angles, query, key), value
    file = sys.modules.get(type(call.module).__module__)
    own, angles = getattr(file, "apply_rotary_pos_emb", None), given.get("position_embeddings")
    if own is not None and isinstance(angles, tuple) and len(angles) == 2:
        query, key = own(query, key, *angles)
        yield query, key, value


def _witness(
    layer: Layer, value: Float[np.ndarray, "kv_head key d_v"], call: Caught
) -> Float[np.ndarray, "head d_v"] | None:
    """Give what the heads put out for the last query, None unless weights and values make it."""
    if value.shape[1] != layer.n_key or layer.n_heads % len(value):
        return None
    every = np.repeat(value, layer.n_heads // len(value), axis=0)
    last = layer.n_query - 1
    made = np.stack([layer.weights(head, last) @ every[head] for head in range(layer.n_heads)])
    for each in call.behind:
        if each.shape[-1] == made.size and each.numel() == made.size * layer.n_query:
            own = numbers(each.reshape(-1, made.size)[-1].clone()).reshape(made.shape)
            if np.allclose(own, made, rtol=1e-4, atol=1e-5 * np.abs(value).max(initial=0.0)):
                return own
    return None


def _guesses(layer: Layer, call: Caught) -> Iterator[_Added]:
    """List what may be done to the scores, what the layer was given first."""
    size = 1 if layer.query is None else layer.query.shape[-1]
    own = (getattr(call.module, name, None) for name in _SCALES)
    scales = [each for each in own if isinstance(each, float)]
    shown = _visible(layer, call)
    for scale in dict.fromkeys([*scales, size**-0.5, 1.0]):
        for visible in [*([] if shown is None else [shown]), layer.visible]:
            for bias in _biases(layer, call, scale):
                yield _Added(scale, visible, bias)


def _visible(layer: Layer, call: Caught) -> Visible | None:
    """Read who may see whom off the masks of a layer, None where no rule says it."""
    every = {**dict(call.module.named_buffers(recurse=False)), **call.arguments}
    allowed = np.ones((1, layer.n_query, layer.n_key), dtype=bool)
    for name in (*_MASKS, "bias"):
        if isinstance(every.get(name), torch.Tensor) and every[name].ndim in (2, 3, 4):
            table = _cut(every[name], layer)
            if table is None:
                return None
            allowed = allowed & _allowed(table, layer)
    found = Visible.of(allowed)
    return found if found.table is None else None


def _cut(table: torch.Tensor, layer: Layer) -> np.ndarray | None:
    """Bring a table to (head or 1, query or 1, key): the last of its rows and columns."""
    wide = numbers(table[0] if table.ndim == 4 else table if table.ndim == 3 else table[:, None])
    if len(wide) not in (1, layer.n_heads) or wide.shape[2] < layer.n_key:
        return None
    if wide.shape[1] > layer.n_query:  # made once for the longest text: the first rows are asked
        return wide[:, layer.n_key - layer.n_query : layer.n_key, : layer.n_key]
    return wide[:, :, -layer.n_key :] if wide.shape[1] in (1, layer.n_query) else None


def _allowed(table: np.ndarray, layer: Layer) -> Bool[np.ndarray, "head query key"]:
    """Read a mask of numbers to add, or one of yes and no, whichever of both means seen."""
    whole = np.broadcast_to(table, (len(table), layer.n_query, layer.n_key))
    plain = table.dtype == np.bool_ or (np.isin(table, (0, 1)).all() and table.any())
    if not plain:
        return whole > _HIDDEN
    yes = whole.astype(bool)
    seen = any((layer.weights(head)[~yes.any(axis=0)] > 0).any() for head in range(layer.n_heads))
    return ~yes if seen else yes


def _biases(layer: Layer, call: Caught, scale: float) -> list[Bias | None]:
    """List what may be added to the scores: nothing, or what the layer was given for it."""
    found = next(filter(lambda each: each is not None, map(call.arguments.get, _BIASES)), None)
    if not isinstance(found, torch.Tensor) or found.ndim not in (3, 4):
        return [None]
    table = _cut(found.float(), layer)
    if table is None:
        return [None]
    return [_bias(table * np.float32(factor), layer) for factor in (1.0, scale)]


def _bias(table: np.ndarray, layer: Layer) -> Bias | None:
    """Keep a table that goes by distance; a line over the keys is counted from each query.

    Softmax knows no difference between slope * key and slope * (key - query).
    """
    if table.shape[1] == 1 and layer.n_key > 1:
        slopes = table[:, 0, 1] - table[:, 0, 0]
        if not np.allclose(np.diff(table[:, 0]), slopes[:, None], rtol=1e-4):
            return None
        reach = np.arange(1 - layer.n_query, layer.n_key, dtype=np.float32)
        shift = np.float32(layer.n_query - layer.n_key)
        by_distance = slopes[:, None].astype(np.float32) * (reach + shift)
        return Bias(by_distance=by_distance, n_query=layer.n_query)
    found = Bias.of(np.broadcast_to(table, (len(table), layer.n_query, layer.n_key)))
    return found if found is None or found.table is None else None
