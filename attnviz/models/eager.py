"""The attentions that a model hands out itself, and how far ours are from them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.errors import InputError
from attnviz.models.layers import Layer
from attnviz.models.recorder import numbers
from attnviz.models.visible import Visible


def own_weights(out: Any) -> list[tuple[str, np.ndarray]]:
    """List (kind, weights) of the model's own attentions, those of both stacks."""
    stacks = {"self": "attentions", "encoder": "encoder_attentions"}
    stacks |= {"decoder": "decoder_attentions", "cross": "cross_attentions"}
    return [
        (kind, numbers(weights[0]))
        for kind, name in stacks.items()
        for weights in (getattr(out, name, None) or ())
        if weights is not None
    ]


def weights_alone(own: Sequence[tuple[str, np.ndarray]]) -> list[Layer]:
    """Make layers of which only the weights are known."""
    counts: dict[str, int] = {}
    layers = []
    for kind, weights in own:
        number = counts[kind] = counts.get(kind, -1) + 1
        visible = Visible.behind(weights)
        layers.append(
            Layer(name=f"{kind}.{number}", kind=kind, number=number, visible=visible, given=weights)
        )
    if not layers:
        raise InputError("models.no_weights")
    return layers


def farthest(layers: Sequence[Layer], own: Sequence[tuple[str, np.ndarray]]) -> float:
    """Give the largest difference of a weight, infinity where the layers are not the same."""
    counts: dict[str, int] = {}
    by_place = {(layer.kind, layer.number): layer for layer in layers}
    if not own or len(by_place) != len(own):
        return float("inf")
    farthest = 0.0
    for kind, weights in own:
        number = counts[kind] = counts.get(kind, -1) + 1
        layer = by_place.get((kind, number))
        if layer is None or (layer.n_heads, layer.n_query, layer.n_key) != weights.shape:
            return float("inf")
        for head in range(layer.n_heads):
            farthest = max(farthest, float(np.abs(layer.weights(head) - weights[head]).max()))
    return farthest


def rounding(layers: Sequence[Layer]) -> float:
    """Give what float32 loses of the largest score: no weight of it is surer than that."""
    largest = 0.0
    for layer in layers:
        for head in range(layer.n_heads):
            scores = layer.masked_scores(head)
            seen = np.abs(scores[np.isfinite(scores)])
            largest = max(largest, float(seen.max(initial=0.0)))
    return largest * float(np.finfo(np.float32).eps)
