"""Two scenes of the same tokens, number by number: the head in hand of each."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from attnviz.attention import HeadTrace
from attnviz.attention.metrics import effective_tokens, entropy, total_variation
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.scene import Scene

TOLERANCE = 1e-9
"""The largest relative difference that rounding may leave."""

PerToken = Float[np.ndarray, "token"]


@dataclass(frozen=True, eq=False)
class Contrast:
    """One scene and another, of the same tokens."""

    one: Scene
    other: Scene

    @cached_property
    def heads(self) -> tuple[HeadTrace, HeadTrace]:
        """Give the head in hand of each side."""
        return self.one.trace.head(self.one.head), self.other.trace.head(self.other.head)

    @cached_property
    def weights_change(self) -> Float[np.ndarray, "token token"]:
        """Subtract the weights of the one from those of the other."""
        one, other = self.heads
        return other.weights - one.weights

    @cached_property
    def output_change(self) -> Float[np.ndarray, "token d_v"] | None:
        """Subtract the outputs likewise; None where they differ in width."""
        one, other = self.heads
        return other.output - one.output if one.output.shape == other.output.shape else None

    @cached_property
    def distances(self) -> PerToken | None:
        """Say how far each output moves, ‖Δb‖."""
        change = self.output_change
        return None if change is None else np.linalg.norm(change, axis=1)

    @cached_property
    def entropies(self) -> tuple[PerToken, PerToken]:
        """Give the entropy of each row in nats; NaN where the normalizer gives no distribution."""
        one, other = map(_entropy, self.heads)
        return one, other

    @cached_property
    def effective(self) -> tuple[PerToken, PerToken]:
        """Give how many keys each row reads, as the exponential of its entropy."""
        one, other = map(_effective, self.heads)
        return one, other

    @cached_property
    def variation(self) -> PerToken:
        """Say how much attention of each row moved to other keys; NaN without distributions."""
        found = total_variation(self.heads[0].weights, self.heads[1].weights)
        defined = np.isfinite(self.entropies[0]) & np.isfinite(self.entropies[1])
        return np.where(defined, found, np.nan)

    @property
    def largest_change(self) -> tuple[int, int]:
        """Give the query and the key whose weight changes most."""
        place = np.abs(self.weights_change).argmax()
        query, key = np.unravel_index(place, self.weights_change.shape)
        return int(query), int(key)

    def is_symmetric(self) -> bool:
        """Tell whether the other side's scores are the same both ways."""
        scores = self.heads[1].scores
        return _close(scores, scores.T)

    def is_transposed(self) -> bool:
        """Tell whether the other side's scores are these with the two tokens swapped."""
        return _close(self.heads[1].scores, self.heads[0].scores.T)

    def has_equal_scores(self) -> bool:
        """Tell whether no score changes."""
        return _close(self.heads[1].scores, self.heads[0].scores)

    def has_equal_weights(self) -> bool:
        """Tell whether no weight changes."""
        return _close(self.heads[1].weights, self.heads[0].weights)

    def is_fourfold(self) -> bool:
        """Tell whether every score of the other side is four times as large."""
        return _close(self.heads[1].scores, 4 * self.heads[0].scores)

    def is_even(self) -> bool:
        """Tell whether each row of the other side shares equally among the keys that it sees."""
        head = self.heads[1]
        seen = np.isfinite(head.masked_scores)
        even = seen / np.maximum(seen.sum(axis=1, keepdims=True), 1)
        return _close(head.weights, even)

    def masks_alike(self) -> bool:
        """Tell whether masking after normalising, and dividing by the sum, gives the same."""
        return float(np.abs(self.masked_afterwards()[1] - self.heads[1].weights).max()) < TOLERANCE

    def masked_afterwards(self) -> tuple[PerToken, Float[np.ndarray, "token token"]]:
        """Set weights of the one to 0 where the other may not see: row sums, and renormalised."""
        one, other = self.heads
        hidden = np.where(np.isfinite(other.masked_scores), one.weights, 0)
        sums = hidden.sum(axis=1)
        renormalised = np.divide(
            hidden, sums[:, None], out=np.zeros_like(hidden), where=sums[:, None] > 0
        )
        return sums, renormalised


def _entropy(head: HeadTrace) -> PerToken:
    return _where_shared(head, entropy(head.weights))


def _effective(head: HeadTrace) -> PerToken:
    return _where_shared(head, effective_tokens(head.weights))


def _where_shared(head: HeadTrace, numbers: PerToken) -> PerToken:
    """Keep numbers about distributions where the normalizer gives some."""
    shared = head.choices.normalizer in DISTRIBUTIONS
    return numbers if shared else np.full_like(numbers, np.nan)


def _close(one: np.ndarray, other: np.ndarray) -> bool:
    size = max(1.0, float(np.abs(other).max(initial=0)))
    return float(np.abs(one - other).max(initial=0)) <= TOLERANCE * size
