"""What every weight is made of: the derivation of each normalizer, step by step.

Each function gets the scores z (…, query, key) as they are normalized, −inf wherever nothing may be
seen, and gives numerators and totals; the weights are their quotient. The laws that the weights
follow, and where they come from, stand in `normalizers.py`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float

READABLE = 20.0
"""Up to this size of z/T, exp(z/T) is computed as it stands, exp(1) = 2.718; beyond it, shifted."""

NEARLY_SOFTMAX = 1e-4
"""Entmax this close to alpha = 1 is softmax: the power 1/(alpha − 1) would drown in rounding."""

HALVINGS = 64
"""Steps of bisection that find a threshold between −1 and 0 to the precision of float64."""

Table = Float[np.ndarray, "*batch query key"]
Column = Float[np.ndarray, "*batch query"]
Number = float | int


@dataclass(frozen=True, eq=False)
class NormalizerParts:
    """Numerators and totals: weights = numerators / totals, and 0 where the total is 0.

    `shift` was subtracted from the scores of a row before exp, which keeps large ones in range and
    cancels out. `threshold` is the τ of sparsemax and entmax, None for the others.
    """

    numerators: Table
    totals: Column
    shift: Column
    threshold: Column | None = None

    @property
    def weights(self) -> Table:
        """The share of each key."""
        return _shares(self.numerators, self.totals)


def softmax(z: Table, temperature: Number = 1.0) -> NormalizerParts:
    """exp((z − shift)/T), over the sum of the row."""
    t = _read_temperature(temperature, z.dtype)
    if t == 0:
        return hardmax(z)
    best = _best(z)
    worst = np.where(z > -np.inf, z, np.inf).min(axis=-1)
    readable = (best / t <= READABLE) & (worst / t >= -READABLE)
    shift = np.where(readable, 0, best)
    numerators = _exp(z, shift, t)
    return NormalizerParts(numerators, numerators.sum(axis=-1), shift)


def hardmax(z: Table, temperature: Number = 1.0) -> NormalizerParts:
    """1 for each of the best, over their number: exp((z − shift)/T) as T falls to 0."""
    _read_temperature(temperature, z.dtype)
    best = _best(z)
    numerators = (z == best[..., None]).astype(z.dtype)
    return NormalizerParts(numerators, numerators.sum(axis=-1), best)


def topk(z: Table, k: int = 2, temperature: Number = 1.0) -> NormalizerParts:
    """Softmax, after all but the k best became −inf; the sort keeps the order of equal scores."""
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}; keep one key or more")
    best = np.argsort(-z, axis=-1, kind="stable")[..., :k]
    kept = np.full_like(z, -np.inf)
    np.put_along_axis(kept, best, np.take_along_axis(z, best, axis=-1), axis=-1)
    return softmax(kept, temperature)


def sparsemax(z: Table, temperature: Number = 1.0) -> NormalizerParts:
    """max(z/T − τ, 0), over 1."""
    return entmax(z, 2.0, temperature)


def entmax15(z: Table, temperature: Number = 1.0) -> NormalizerParts:
    """max(z/2T − τ, 0)², over 1."""
    return entmax(z, 1.5, temperature)


def entmax(z: Table, alpha: Number = 1.5, temperature: Number = 1.0) -> NormalizerParts:
    """max((α − 1) z/T − τ, 0)^(1/(α − 1)), over 1.

    The threshold is sought among the levels below the best key, where no large number spoils it.
    The best is at 0; a key at −1 or lower gets nothing, whatever the others are.
    """
    if not 1 <= alpha < np.inf:
        raise ValueError(f"alpha must be finite and at least 1 (softmax), got {alpha}")
    t = _read_temperature(temperature, z.dtype)
    if t == 0 or alpha - 1 < NEARLY_SOFTMAX:
        return softmax(z, t)
    best = _best(z).astype(np.float64)
    level = np.maximum((alpha - 1) * ((z - best[..., None]) / t), -1)
    threshold = _THRESHOLDS.get(alpha, partial(_bisected_threshold, alpha=alpha))(level)
    powers = _powers(level, threshold, alpha) * (z > -np.inf)
    return NormalizerParts(
        _shares(powers, powers.sum(axis=-1)).astype(z.dtype),  # that sum is 1 but for rounding
        np.ones(z.shape[:-1], z.dtype),
        np.zeros(z.shape[:-1], z.dtype),
        (threshold + (alpha - 1) * (best / t)).astype(z.dtype),
    )


def relu(z: Table, temperature: Number = 1.0) -> NormalizerParts:
    """max(z/T, 0), over 1."""
    positive = np.maximum(_divided(z, temperature), 0)
    ones = np.ones_like(positive[..., 0])
    return NormalizerParts(positive, ones, np.zeros_like(ones))


def relu_sum(z: Table, temperature: Number = 1.0) -> NormalizerParts:
    """max(z/T, 0), over the sum of the row; a row whose sum would overflow, over its best first."""
    parts = relu(z, temperature)
    best = parts.numerators.max(axis=-1)
    huge = best > np.finfo(z.dtype).max / z.shape[-1]
    positive = parts.numerators / np.where(huge, best, 1)[..., None]
    return NormalizerParts(positive, positive.sum(axis=-1), parts.shift)


def relu_length(z: Table, temperature: Number = 1.0) -> NormalizerParts:
    """max(z/T, 0), over the number of keys."""
    parts = relu(z, temperature)
    return NormalizerParts(parts.numerators, parts.totals * z.shape[-1], parts.shift)


def sigmoid(z: Table, bias: Number | None = None, temperature: Number = 1.0) -> NormalizerParts:
    """1/(1 + exp(−(z/T + b))), over 1, written so that no exp overflows."""
    bias = -math.log(z.shape[-1]) if bias is None else bias
    if not math.isfinite(bias):
        raise ValueError(f"bias must be finite, got {bias}; leave it out for −ln n_key")
    x = _divided(z, temperature) + bias
    small = np.exp(-np.abs(x))
    numerators = np.where(x >= 0, 1, small) / (1 + small)
    ones = np.ones_like(x[..., 0])
    return NormalizerParts(numerators, ones, np.zeros_like(ones))


def softmax1(z: Table, temperature: Number = 1.0) -> NormalizerParts:
    """exp((z − shift)/T), over exp(−shift/T) plus the sum of the row."""
    t = _above_zero(temperature, z.dtype)
    best = _best(z)
    shift = np.where(best / t <= READABLE, 0, best)
    numerators = _exp(z, shift, t)
    return NormalizerParts(numerators, np.exp(-shift / t) + numerators.sum(axis=-1), shift)


def _exp(z: Table, shift: Column, t: float) -> Table:
    """exp((z − shift)/T), in one new array: for long inputs the memory costs more than the exp."""
    x = z - shift[..., None]
    x /= t
    return np.exp(x, out=x)


def _powers(level: Table, threshold: Column, alpha: Number) -> Table:
    return np.maximum(level - threshold[..., None], 0) ** (1 / (alpha - 1))


def _sparsemax_threshold(level: Table) -> Column:
    """Solve Σ (level − τ) = 1 over the k best, where k is the most keys that all stay above τ."""
    ordered = -np.sort(-level, axis=-1)
    counts = np.arange(1, ordered.shape[-1] + 1)
    thresholds = (ordered.cumsum(axis=-1) - 1) / counts
    return _last(thresholds, ordered > thresholds)


def _entmax15_threshold(level: Table) -> Column:
    """Solve Σ (level − τ)² = 1 over the k best, where k is the most keys that all stay above τ."""
    ordered = -np.sort(-level, axis=-1)
    counts = np.arange(1, ordered.shape[-1] + 1)
    means = ordered.cumsum(axis=-1) / counts
    spreads = (ordered**2).cumsum(axis=-1) - counts * means**2
    # A spread beyond 1 leaves no τ below all k keys; the mean, which is not, then stands for none.
    thresholds = means - np.sqrt(np.maximum(1 - spreads, 0) / counts)
    return _last(thresholds, (ordered > thresholds) & (ordered > -1))


def _bisected_threshold(level: Table, alpha: Number) -> Column:
    """Close in on τ from below: at −1 the powers sum to 1 or more, at 0 to nothing."""
    threshold = np.full(level.shape[:-1], -1.0)
    for halving in range(1, HALVINGS + 1):
        higher = threshold + 0.5**halving
        too_low = _powers(level, higher, alpha).sum(axis=-1) >= 1
        threshold = np.where(too_low, higher, threshold)
    return threshold


def _last(values: Table, holds: np.ndarray) -> Column:
    """Pick from each row the last value where something holds, the first if it never does."""
    n_key = values.shape[-1]
    last = np.max(np.arange(n_key) * holds, axis=-1, keepdims=True)
    return np.take_along_axis(values, last, axis=-1)[..., 0]


def _best(z: Table) -> Column:
    """Find the highest score of each row, 0 where nothing may be seen."""
    best = z.max(axis=-1)
    return np.where(best > -np.inf, best, 0)


def _shares(numerators: Table, totals: Column) -> Table:
    """Divide each row by its total; a row whose total is 0 has nothing to share."""
    totals = totals[..., None]
    return np.divide(numerators, totals, out=np.zeros_like(numerators), where=totals > 0)


def _divided(z: Table, temperature: Number) -> Table:
    x = z / _above_zero(temperature, z.dtype)
    if (x == np.inf).any():
        raise ValueError(
            f"scores / temperature must be finite, got overflow at temperature {temperature}; "
            "raise the temperature"
        )
    return x


def _above_zero(temperature: Number, dtype: np.dtype) -> float:
    t = _read_temperature(temperature, dtype)
    if t == 0:
        raise ValueError(
            f"temperature must be above 0 for a normalizer that has no limit there, "
            f"got {temperature}; softmax, topk, hardmax, sparsemax and entmax have one"
        )
    return t


def _read_temperature(temperature: Number, dtype: np.dtype) -> float:
    """Round the temperature as the scores are: below their smallest number it is the limit 0."""
    if not temperature >= 0:
        raise ValueError(
            f"temperature must be 0 (the limit) or more, got {temperature}; 1 changes nothing"
        )
    return float(dtype.type(min(temperature, np.finfo(dtype).max)))


_THRESHOLDS = {1.5: _entmax15_threshold, 2.0: _sparsemax_threshold}

PARTS: dict[str, Callable[..., NormalizerParts]] = {
    "softmax": softmax,
    "sparsemax": sparsemax,
    "entmax15": entmax15,
    "entmax": entmax,
    "topk": topk,
    "hardmax": hardmax,
    "relu": relu,
    "relu_sum": relu_sum,
    "relu_length": relu_length,
    "sigmoid": sigmoid,
    "softmax1": softmax1,
}
