"""How far heads are apart, and a map on which heads that attend alike stand together."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Shaped
from scipy.special import xlogy

from attnviz.attention.arrays import SupportsArray
from attnviz.attention.rows import distributions
from attnviz.attention.scores import precise

Heads = Shaped[np.ndarray, "head query key"] | Sequence | SupportsArray
Distances = Float[np.ndarray, "head head"]

_LEVEL = 1 - 1e-9


def head_divergences(weights: Heads, *, over: str = "mean") -> Distances:
    """Average the Jensen–Shannon divergence of two heads over the queries: 0 to ln 2 nats.

    Queries that may see nothing in both are left out; NaN where a row of either is no distribution
    by the rule of `rows.py`, on the diagonal too. `over` = "sum" adds the queries up, as Clark et
    al. do.

    Raises:
        ValueError: if the weights are not (head, query, key), or `over` is neither.
    Source: Clark et al. 2019, §6; Lin 1991, §4.
    """
    if over not in ("mean", "sum"):
        raise ValueError(f'over must be "mean" or "sum", got {over!r}; choose one of the two')
    heads = _stacked(weights)
    rows = heads.astype(np.float64, copy=False)
    empty, spread = ~np.any(rows, axis=-1), -xlogy(rows, rows).sum(axis=-1)
    spread = np.where(distributions(heads), spread, np.where(empty, 0, np.nan))
    found = np.zeros((len(rows), len(rows)))
    for head in range(len(rows) - 1):
        others = slice(head + 1, None)
        between = (rows[head] + rows[others]) / 2
        apart = -xlogy(between, between).sum(axis=-1) - (spread[head] + spread[others]) / 2
        apart[empty[head] != empty[others]] = np.nan
        counted = ~(empty[head] & empty[others])
        found[head, others] = _over_queries(np.maximum(apart, 0), counted, over)
    found[np.diag_indices_from(found)] = np.where(np.isnan(spread).any(axis=-1), np.nan, 0)
    return found + found.T


def head_distances(weights: Heads) -> Distances:
    """Give the square root of the mean divergence of two heads, 0 to √ln 2: a metric.

    Raises:
        ValueError: if the weights are not (head, query, key).
    Source: Endres and Schindelin 2003.
    """
    return np.sqrt(head_divergences(weights))


def head_map(
    distances: Shaped[np.ndarray, "head head"] | Sequence | SupportsArray, *, n_axes: int = 2
) -> Float[np.ndarray, "head axis"]:
    """Place the heads so that they are as far apart as `distances` say, as well as a plane can.

    Classical scaling: the same picture every time, the longest axis first. On each axis the head
    farthest out is on the positive side.

    Raises:
        ValueError: if the distances are not square, symmetric and finite.
    Source: Torgerson 1952; Clark et al. 2019, §6.
    """
    sizes, directions = _axes(distances)
    shown = np.sqrt(np.maximum(sizes[:n_axes], 0)) * directions[:, :n_axes]
    missing = max(n_axes - shown.shape[1], 0)
    return np.pad(shown * _signs(shown), ((0, 0), (0, missing)))


def map_share(
    distances: Shaped[np.ndarray, "head head"] | Sequence | SupportsArray, *, n_axes: int = 2
) -> float | None:
    """Say how much of the distances `head_map` can show: 1 where it keeps them all.

    It is the sum of the sizes of its axes over that of all axes; None if all heads are alike.

    Raises:
        ValueError: if the distances are not square, symmetric and finite.
    Source: Mardia 1978.
    """
    sizes, _ = _axes(distances)
    total = np.abs(sizes).sum()
    return float(np.maximum(sizes[:n_axes], 0).sum() / total) if total else None


def comparable_heads(weights: Heads) -> Bool[np.ndarray, " head"]:
    """Tell which heads have a distance from each other.

    Their rows are distributions, or empty where they are empty in most of the others.

    Raises:
        ValueError: if the weights are not (head, query, key).
    """
    heads = _stacked(weights)
    empty = ~np.any(heads, axis=-1)
    sound = (distributions(heads) | empty).all(axis=-1)
    mostly = empty[sound].mean(axis=0) > 0.5 if sound.any() else empty.any(axis=0)
    return sound & (empty == mostly).all(axis=-1)


def nearest_heads(
    distances: Shaped[np.ndarray, "head head"] | Sequence | SupportsArray, head: int
) -> list[int]:
    """List the other heads, the most alike first; those as near, by their number; NaN last."""
    (apart,) = precise(distances)
    order = np.argsort(apart[head], kind="stable")
    return [int(other) for other in order if other != head]


def _stacked(weights: Heads) -> Shaped[np.ndarray, "head query key"]:
    heads = np.asarray(weights)
    if heads.ndim != 3:
        raise ValueError(
            f"weights must be (head, query, key), got {heads.shape}; stack the maps of the heads"
        )
    return heads


def _over_queries(apart: np.ndarray, counted: np.ndarray, over: str) -> np.ndarray:
    total = np.where(counted, apart, 0).sum(axis=-1)
    return total if over == "sum" else total / np.maximum(counted.sum(axis=-1), 1)


def _axes(distances: object) -> tuple[np.ndarray, np.ndarray]:
    """Find how long the axes of the heads are, the longest first, and where each head is on it."""
    apart = np.asarray(distances).astype(np.float64)
    square = apart.ndim == 2 and apart.shape[0] == apart.shape[1]
    if not (square and np.isfinite(apart).all() and np.allclose(apart, apart.T)):
        raise ValueError(
            f"distances must be (head, head), symmetric and finite, got shape {apart.shape}; "
            "only heads whose rows sum to 1 have them"
        )
    squares = apart**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
    sizes, directions = np.linalg.eigh(-(centred + centred.T) / 4)
    return sizes[::-1], directions[:, ::-1]


def _signs(shown: np.ndarray) -> np.ndarray:
    """Give each axis the sign that makes its farthest head positive, the first of equal ones."""
    sizes = np.abs(shown)
    far = (sizes >= _LEVEL * sizes.max(axis=0, initial=0)).argmax(axis=0)
    return np.where(shown[far, np.arange(shown.shape[1])] < 0, -1.0, 1.0)
