"""A big weight is not importance: what each token adds to an output, and what it changes there."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.trace import HeadTrace

_CLOSE = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class Importance:
    """Three measures of each key for one output b, which need not agree.

    `weights` are α′, `lengths` ‖α′v‖, `effects` ‖Δb‖: how far b moves when the key is hidden and
    the row is normalized again; `without` are these other outputs, a row for each hidden key.
    """

    weights: Float[np.ndarray, " key"]
    values: Float[np.ndarray, "key d_v"]
    output: Float[np.ndarray, " d_v"]
    without: Float[np.ndarray, "key d_v"]

    @property
    def lengths(self) -> Float[np.ndarray, " key"]:
        """How long each contribution is, ‖α′v‖."""
        return np.linalg.norm(self.weights[:, None] * self.values, axis=1)

    @property
    def effects(self) -> Float[np.ndarray, " key"]:
        """How far the output moves without each key, ‖Δb‖."""
        return np.linalg.norm(self.output - self.without, axis=1)

    @property
    def rule(self) -> Float[np.ndarray, " key"]:
        """α′/(1 − α′) · ‖v − b‖, which is ‖Δb‖ where the others share what a key leaves.

        Infinite for a key that has all the weight.
        """
        distances = np.linalg.norm(self.values - self.output, axis=1)
        left = 1 - self.weights
        odds = np.divide(self.weights, left, out=np.full_like(left, np.inf), where=left != 0)
        with np.errstate(invalid="ignore"):  # ∞ · 0: nothing is said of it
            return odds * distances

    @property
    def rule_holds(self) -> Bool[np.ndarray, " key"]:
        """True for each key whose effect the rule gives."""
        reach = 1 + np.abs(self.values).max()
        return np.isclose(self.rule, self.effects, rtol=_CLOSE, atol=_CLOSE * reach)

    def spot(self, key: int) -> Float[np.ndarray, " d_v"] | None:
        """Give where the value of a key makes no difference; None if its weight is 0.

        Where the others share what it leaves, that is the output without it.
        """
        weight = self.weights[key]
        if weight == 0:
            return None
        others = self.output - weight * self.values[key]
        return (self.without[key] - others) / weight


def importance(trace: HeadTrace, query: int) -> Importance:
    """Measure every key for the output of one query of a single head."""
    values = trace.value
    if trace.relative_value is not None:
        values = values + trace.relative_value[query]
    return Importance(
        weights=trace.weights[query],
        values=values,
        output=trace.output[query],
        without=leave_one_out(trace, query) @ values,
    )


def leave_one_out(trace: HeadTrace, query: int) -> Float[np.ndarray, "hidden key"]:
    """Hide each key in turn from one query, and normalize its scores again: a row for each."""
    choices, z = trace.choices, trace.masked_scores[query]
    hidden = np.where(np.eye(len(z), dtype=bool), -np.inf, z)
    normalize, own = NORMALIZERS[choices.normalizer], choices.arguments("normalizer")
    return normalize(hidden, temperature=choices.temperature, **own)
