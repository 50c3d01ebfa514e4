"""Attention through all layers: what share of each input there is in each position at the end."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from jaxtyping import Float, Shaped

from attnviz.attention.arrays import SupportsArray
from attnviz.attention.scores import precise

LayerWeights = Shaped[np.ndarray, "*head query key"] | Sequence | SupportsArray
ByLayer = Iterable[LayerWeights]
Square = Float[np.ndarray, "token token"]

FUSIONS = {"mean": np.mean, "max": np.max}
"""How the heads of a layer become one map. Abnar and Zuidema take the mean."""


def rollout(weights_by_layer: ByLayer, *, fusion: str = "mean", residual: bool = True) -> Square:
    """Say what share of input j is in position i after the last layer: R[i, j].

    Each layer passes on half its input and half what its heads, averaged, attend to; the layers
    are multiplied, later ones on the left. Rows sum to 1. The layers come in the order in which
    they ran, each (head, query, key) or (query, key), and are of one stack.

    Raises:
        ValueError: if there is no layer, or one is not square, negative or of another length.
    Source: Abnar and Zuidema 2020, §3 eq. 1.
    """
    reached = list(rollout_by_layer(weights_by_layer, fusion=fusion, residual=residual))
    if not reached:
        raise ValueError("weights_by_layer must hold at least one layer, got none; give it one")
    return reached[-1]


def rollout_by_layer(
    weights_by_layer: ByLayer, *, fusion: str = "mean", residual: bool = True
) -> Iterator[Square]:
    """Give the rollout after each layer in turn; see `rollout`."""
    reached = None
    for weights in weights_by_layer:
        mixed = mixing(weights, fusion=fusion, residual=residual)
        if reached is not None and reached.shape != mixed.shape:
            raise ValueError(
                f"every layer must have the same tokens, got {len(reached)} and {len(mixed)}; "
                "give the layers of one stack, encoder or decoder, and of one text"
            )
        reached = mixed if reached is None else mixed @ reached
        yield reached


def mixing(weights: LayerWeights, *, fusion: str = "mean", residual: bool = True) -> Square:
    """Make one map of a layer: its heads fused, half the input passed on, rows that sum to 1.

    Rows that do not sum to 1 are first divided by their sum. A query that may see nothing keeps
    what it has. Without `residual` nothing is passed on but what the heads attend to.

    Raises:
        ValueError: if the weights are not square, one is negative, or there is no such fusion.
    """
    (heads,) = precise(weights)
    _check(heads, fusion)
    fused = heads if heads.ndim == 2 else FUSIONS[fusion](_normalized(heads), axis=0)
    kept = np.eye(len(fused), dtype=fused.dtype)
    mixed = _normalized(fused)
    if residual:
        mixed = mixed / 2 + kept / 2
    return np.where(np.any(fused, axis=1, keepdims=True), mixed, kept)


def _normalized(
    rows: Float[np.ndarray, "*head query key"],
) -> Float[np.ndarray, "*head query key"]:
    sums = rows.sum(axis=-1, keepdims=True)
    return np.divide(rows, sums, out=np.zeros_like(rows), where=sums > 0)


def _check(heads: np.ndarray, fusion: str) -> None:
    if fusion not in FUSIONS:
        raise ValueError(f"fusion must be one of {list(FUSIONS)}, got {fusion!r}; choose one")
    if heads.ndim not in (2, 3) or heads.shape[-2] != heads.shape[-1]:
        raise ValueError(
            f"each layer must be (head, token, token) or (token, token), got {heads.shape}; "
            "give the weights of self-attention"
        )
    if not (heads >= 0).all():
        raise ValueError(
            f"weights must not be negative, got {heads.min()}; shares cannot be made of them"
        )
