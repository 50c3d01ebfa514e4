"""Two ways to hide a token that do not hide it: a score of 0, and a weight set to 0 afterwards.

Each takes a finished head and makes its weights again, with everything else as it was.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.arrays import read_only
from attnviz.attention.normalizers import DISTRIBUTIONS, NORMALIZERS
from attnviz.attention.trace import HeadTrace, MultiHeadTrace

Weights = Float[np.ndarray, "*head query key"]
Trace = HeadTrace | MultiHeadTrace


@dataclass(frozen=True, eq=False, kw_only=True)
class Leaks:
    """One mask applied in three ways, each giving weights (query, key).

    `allowed` is the mask, True = may attend. `masked` is right: −∞ before normalizing. `zero` has
    the score 0 there, `after` the weight 0; `repaired` is `after` with each row divided by its sum.
    `leaked` is the weight that forbidden tokens get under `zero`, for each query.
    """

    allowed: Bool[np.ndarray, "query key"]
    masked: Weights
    zero: Weights
    after: Weights
    repaired: Weights
    leaked: Float[np.ndarray, " query"]

    @property
    def difference(self) -> float:
        """The largest difference between the repaired weights and the right ones."""
        return float(np.abs(self.repaired - self.masked).max())


def leaks(head: HeadTrace) -> Leaks:
    """Apply the mask of a head in all three ways; rows are repaired where they are shares."""
    allowed, after = allowed_of(head), after_softmax(head)
    shares = head.choices.normalizer in DISTRIBUTIONS
    zero = zero_masked(head)
    return Leaks(
        allowed=allowed,
        masked=head.weights,
        zero=zero,
        after=after,
        repaired=renormalized(after) if shares else after,
        leaked=read_only(np.where(allowed, 0.0, zero).sum(axis=-1)),
    )


def allowed_of(head: Trace) -> Bool[np.ndarray, "*head query key"]:
    """Give who may attend to whom; without a mask, everyone."""
    everyone = np.ones(head.scores.shape, dtype=bool)
    return everyone if head.mask is None else np.broadcast_to(head.mask, everyone.shape)


def zero_masked(head: Trace) -> Weights:
    """Write the score 0, not −∞, where the mask forbids, and normalize over all keys.

    exp(0) = 1: a forbidden token is treated like any other whose score is 0.
    """
    return _normalized(head, np.where(allowed_of(head), open_scores(head), 0.0))


def after_softmax(head: Trace) -> Weights:
    """Normalize over all keys as if nothing were hidden, then write 0 where the mask forbids."""
    seen = _normalized(head, open_scores(head))
    return read_only(np.where(allowed_of(head), seen, 0.0))


def renormalized(weights: Weights) -> Weights:
    """Divide each row by its sum; a row of zeros stays one."""
    total = weights.sum(axis=-1, keepdims=True)
    return read_only(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))


def open_scores(head: Trace) -> Float[np.ndarray, "*head query key"]:
    """Give the scores that would be normalized if no mask were there: scaled, with the bias."""
    return head.scaled_scores if head.bias is None else head.scaled_scores + head.bias


def _normalized(head: Trace, scores: np.ndarray) -> Weights:
    choices = head.choices
    normalizer, own = NORMALIZERS[choices.normalizer], choices.arguments("normalizer")
    return read_only(normalizer(scores, temperature=choices.temperature, **own))
