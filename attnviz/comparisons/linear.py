"""Linear attention beside softmax: the same sum in another order, with other weights."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention import HeadTrace
from attnviz.attention.linear import LinearTrace, linear_attend
from attnviz.comparisons.costs import linear_work, softmax_work


@dataclass(frozen=True, eq=False)
class Orders:
    """One head twice: with the weights it has, and with φ(q)·φ(k) in the place of exp(score)."""

    head: HeadTrace
    linear: LinearTrace
    through_weights: Float[np.ndarray, "query d_v"]
    """(φ(Q) φ(K)ᵀ) V, divided by its sums: by way of the square of weights."""
    state: Float[np.ndarray, "d_k d_v"]
    """φ(K)ᵀ V: all that is kept of keys and values, however many there are."""

    @classmethod
    def of(
        cls,
        head: HeadTrace,
        allowed: Bool[np.ndarray, "query key"] | None,
        *,
        causal: bool = False,
    ) -> "Orders":
        """Attend linearly with the queries, keys, values and mask of a head.

        Where the mask is the `causal` one, running sums take its place.
        """
        mask = None if causal else allowed
        found = linear_attend(head.query, head.key, head.value, causal=causal, mask=mask)
        return cls(head, found, found.weights @ found.value, found.key_features.T @ found.value)

    @property
    def rounding(self) -> float:
        """How far the two orders of multiplication are from each other: rounding alone."""
        return _far(self.whole_sum(), self.through_weights)

    def whole_sum(self) -> Float[np.ndarray, "query d_v"]:
        """Give φ(Q)(φ(K)ᵀ V), divided by φ(Q) Σ φ(K); with a mask, as it is computed."""
        if self.linear.mask is not None:
            return self.linear.output
        sums = self.linear.query_features @ self.state
        totals = self.linear.query_features @ self.linear.key_features.sum(axis=0)
        return np.divide(sums, totals[:, None], out=np.zeros_like(sums), where=totals[:, None] > 0)

    @property
    def difference(self) -> Float[np.ndarray, "query key"]:
        """The linear weights less those of the head."""
        return self.linear.weights - self.head.weights

    @property
    def output_difference(self) -> float:
        """The largest difference between a number of the two outputs."""
        return _far(self.linear.output, self.head.output)

    def works(self) -> tuple[int, int]:
        """Count the multiplications: through the weights, and through the state."""
        n, (d_k, d_v) = len(self.head.query), self.state.shape
        return softmax_work(n, d_k, d_v), linear_work(n, d_k, d_v)


def _far(one: Float[np.ndarray, "n d"], other: Float[np.ndarray, "n d"]) -> float:
    return float(np.abs(one - other).max(initial=0.0))
