"""Weights as numbers: how evenly a query shares its attention, and how far two maps are apart.

Each function takes weights (…, query, key) and gives one number a query. A row that does not sum to
1 is no distribution: what is only defined for distributions is NaN there, to be shown as "n/a". A
row of zeros, of a query that may see nothing, is empty: its entropy is 0.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Shaped
from scipy.special import rel_entr, xlogy

from attnviz.attention.arrays import SupportsArray
from attnviz.attention.scores import precise

Weights = Shaped[np.ndarray, "*batch query key"] | Sequence | SupportsArray
PerQuery = Float[np.ndarray, "*batch query"]


ROUNDING = 2**-11.5
"""How far from 1 a row of float32 may sum: the root of its step, whatever holds it by now."""
_HALVES = {8: 2**-7, 11: 2**-10}  # bfloat16 and float16: their significant bits, and their step


def distributions(weights: Weights) -> Bool[np.ndarray, "*batch query"]:
    """Tell which rows are not negative and sum to 1, within rounding: this is the one rule.

    A row may be off by ROUNDING, and one whose every weight is a number of half precision by a step
    of it. The weights tell that, not their format: programs pass them on as float64, or as text.
    """
    (rows,) = precise(weights)
    off = np.abs(rows.sum(axis=-1, dtype=np.float64) - 1)
    full = off <= ROUNDING
    for bits, step in _HALVES.items():
        close = ~full & (off <= step)
        full[close] = _fit(rows[close], bits)
    return full & (rows >= 0).all(axis=-1)


def entropy(
    weights: Weights,
    *,
    unit: str = "nats",
    normalized: bool = False,
    allowed: Shaped[np.ndarray, "..."] | Sequence | SupportsArray | None = None,
) -> PerQuery:
    """Measure how evenly each row is shared: −Σ w ln w, from 0 (one key) to ln n (all alike).

    In bits it is divided by ln 2. Normalized, it is divided by the ln of the number of keys that
    the query may see, so that it ends at 1; with one such key it is 0. `allowed`, True = may
    attend, says which those are; without it all are.

    Raises:
        ValueError: if there is no such unit.

    Source: Shannon 1948, §6.
    """
    if unit not in ("nats", "bits"):
        raise ValueError(f'unit must be "nats" or "bits", got {unit!r}; choose one of the two')
    (rows,) = precise(weights)
    nats = -xlogy(rows, rows).sum(axis=-1) + 0.0
    if normalized:
        seen = np.broadcast_to(True if allowed is None else np.asarray(allowed), rows.shape)
        largest = np.log(np.maximum(seen.sum(axis=-1), 1))
        nats = np.divide(nats, largest, out=np.zeros_like(nats), where=largest > 0)
    elif unit == "bits":
        nats = nats / np.log(2)
    return _where_defined(nats, weights)


def effective_tokens(weights: Weights) -> PerQuery:
    """Say how many equal weights have the entropy of each row: exp(H); 0 in an empty row."""
    (rows,) = precise(weights)
    return np.exp(entropy(weights)) * rows.any(axis=-1)


def total_variation(one: Weights, other: Weights) -> PerQuery:
    """Add up the attention that moved to other keys, ½ Σ |p − q|: 0 (none) to 1 (all of it)."""
    p, q = precise(one, other)
    return _where_defined(np.abs(p - q).sum(axis=-1) / 2, one, other)


def kl(one: Weights, other: Weights) -> PerQuery:
    """Measure the surprise at p of one who expects q: Σ p ln(p/q) nats, ∞ where q = 0 < p.

    Source: Kullback and Leibler 1951, §2.
    """
    p, q = precise(one, other)
    return _where_defined(rel_entr(p, q).sum(axis=-1), one, other)


def jensen_shannon(one: Weights, other: Weights) -> PerQuery:
    """Measure how far two rows are apart, the same both ways: 0 to ln 2 nats.

    It is the mean of KL(p‖m) and KL(q‖m), where m = (p + q)/2; its square root is a metric.

    Source: Lin 1991, §4.
    """
    p, q = precise(one, other)
    middle = (p + q) / 2
    apart = (rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=-1) / 2
    return _where_defined(np.maximum(apart, 0), one, other)


def cosine(one: Weights, other: Weights) -> PerQuery:
    """Compare the directions of two rows, whatever they sum to; a row of zeros gives 0."""
    p, q = precise(one, other)
    lengths = np.linalg.norm(p, axis=-1) * np.linalg.norm(q, axis=-1)
    products = np.vecdot(p, q)
    shares = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return np.clip(shares, -1, 1)


def top1_agreement(one: Weights, other: Weights) -> Bool[np.ndarray, "*batch query"]:
    """Tell in which rows a key with the largest weight is the same; empty rows agree alone."""
    p, q = precise(one, other)
    empty = ~p.any(axis=-1) & ~q.any(axis=-1)
    return np.logical_or(np.any(_best(p) & _best(q), axis=-1), empty)


def _best(rows: Float[np.ndarray, "*batch query key"]) -> Bool[np.ndarray, "*batch query key"]:
    return (rows == rows.max(axis=-1, keepdims=True)) & rows.any(axis=-1, keepdims=True)


def _where_defined(numbers: PerQuery, *maps: Weights) -> PerQuery:
    """Keep the rows that are a distribution in every map, or empty in every map; NaN elsewhere."""
    full = np.logical_and.reduce([distributions(weights) for weights in maps])
    empty = np.logical_and.reduce([~np.any(np.asarray(weights), axis=-1) for weights in maps])
    return np.where(full, numbers, np.where(empty, 0.0, np.nan)).astype(numbers.dtype)


def _fit(rows: Float[np.ndarray, "row key"], bits: int) -> Bool[np.ndarray, " row"]:
    """Tell which rows hold only numbers of that many significant bits."""
    significant = np.frexp(rows)[0] * 2.0**bits
    return (significant == np.floor(significant)).all(axis=-1)
