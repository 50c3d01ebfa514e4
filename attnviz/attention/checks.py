"""Whether a trace keeps the laws of attention: a badge says so, nobody has to believe it."""

from dataclasses import dataclass

import numpy as np

from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.attention.trace import MultiHeadTrace

TOLERANCE = 1e-9
"""The largest difference that rounding in float64 may leave, relative to the numbers compared."""


@dataclass(frozen=True)
class Check:
    """One law and how far the trace is from it; `applies` is False where it says nothing."""

    name: str
    difference: float
    applies: bool = True

    @property
    def holds(self) -> bool:
        """True when the difference is no more than rounding."""
        return not self.applies or self.difference <= TOLERANCE


def checks(trace: MultiHeadTrace) -> tuple[Check, ...]:
    """Compare a trace with what must hold, each law computed another way than the trace was.

    rows: weights of a distribution sum to 1, or to 0 where nothing may be seen. masked: a key that
    may not be seen has weight 0. outputs: each output is the weighted sum of the values.
    heads: what the heads contribute adds up to the output.
    """
    hidden = np.isneginf(trace.masked_scores)
    return (
        Check("rows", _rows(trace), trace.choices.normalizer in DISTRIBUTIONS),
        Check("masked", _largest(np.where(hidden, trace.weights, 0.0)), bool(hidden.any())),
        Check("outputs", _outputs(trace)),
        Check("heads", _heads(trace), trace.n_heads > 1 or trace.projections.w_o is not None),
    )


def _rows(trace: MultiHeadTrace) -> float:
    sums = trace.weights.sum(axis=-1)
    return float(np.minimum(np.abs(sums - 1), np.abs(sums)).max(initial=0.0))


def _outputs(trace: MultiHeadTrace) -> float:
    summed = np.einsum("hqk,hkd->hqd", trace.weights, trace.value)
    if trace.relative_value is not None:
        summed = summed + np.einsum("hqk,qkd->hqd", trace.weights, trace.relative_value)
    return _relative(summed, trace.head_outputs)


def _heads(trace: MultiHeadTrace) -> float:
    summed = trace.contributions.sum(axis=0)
    if trace.projections.b_o is not None:
        summed = summed + trace.projections.b_o
    return _relative(summed, trace.output)


def _relative(one: np.ndarray, other: np.ndarray) -> float:
    return _largest(one - other) / max(1.0, _largest(other))


def _largest(array: np.ndarray) -> float:
    return float(np.abs(array).max(initial=0.0))
