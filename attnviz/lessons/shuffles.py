"""Tokens in another order: whether the outputs move along, and what their mean does."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.arrays import Numbers
from attnviz.attention.attend import attend_heads
from attnviz.attention.choices import HeadChoices
from attnviz.attention.projections import Projections

ROUNDING = 1e-9
"""What is smaller, measured by the largest output, is rounding and no difference."""


@dataclass(frozen=True, eq=False)
class Shuffle:
    """One layer f before and after its tokens changed places: f(x) and f(Px).

    `order` names the token that now stands at each place: row p of Px is row order[p] of x.
    """

    order: tuple[int, ...]
    before: Float[np.ndarray, "token d_out"]
    after: Float[np.ndarray, "token d_out"]

    @property
    def moved(self) -> Float[np.ndarray, "token d_out"]:
        """The outputs of before, moved with their tokens: P f(x)."""
        return self.before[list(self.order)]

    @property
    def difference(self) -> float:
        """How far f(Px) is from P f(x): 0 for a layer that is equivariant."""
        return float(np.linalg.norm(self.after - self.moved))

    @cached_property
    def along(self) -> Bool[np.ndarray, " token"]:
        """True at each place where the output moved with its token."""
        apart = np.linalg.norm(self.after - self.moved, axis=1)
        return apart <= ROUNDING * self._largest

    @property
    def pooled_difference(self) -> float:
        """How far the mean of all outputs moved: 0 for a pooled output that is invariant."""
        return float(np.linalg.norm(self.after.mean(axis=0) - self.before.mean(axis=0)))

    @property
    def pooled_stays(self) -> bool:
        """True when the mean of all outputs is what it was."""
        return self.pooled_difference <= ROUNDING * self._largest

    @property
    def _largest(self) -> float:
        return max(1.0, float(np.abs(self.before).max()))


def shuffle(
    inputs: Float[np.ndarray, "token d_model"],
    projections: Projections,
    choices: HeadChoices,
    order: Sequence[int],
    *,
    mask: Bool[np.ndarray, "token token"] | None = None,
    positions: str | Numbers = "none",
    mask_travels: bool = False,
) -> Shuffle:
    """Run a layer on tokens as they stand and in another order; () is as they stand.

    Positions stay where they are. So does a mask, unless it travels: then who may see whom goes
    with the tokens, as the edges of a graph do.
    """
    order = order_of(order, len(inputs))
    places = list(order)
    other = mask[np.ix_(places, places)] if mask is not None and mask_travels else mask
    before = attend_heads(inputs, projections, choices, mask=mask, positions=positions)
    after = attend_heads(inputs[places], projections, choices, mask=other, positions=positions)
    return Shuffle(order, before.output, after.output)


def order_of(order: Sequence[int], n_tokens: int) -> tuple[int, ...]:
    """Give an order of the tokens; what is none of them counts as "as they stand"."""
    as_they_stand = tuple(range(n_tokens))
    return tuple(order) if tuple(sorted(order)) == as_they_stand else as_they_stand


def another_order(order: Sequence[int], seed: int) -> tuple[int, ...]:
    """Draw the next order from the seed and the one before: never the same, nor as they stood.

    Two tokens have only two orders, one token has one.
    """
    places, n_tokens = tuple(range(len(order))), len(order)
    if n_tokens < 3:
        return tuple(reversed(order))
    rng = np.random.default_rng((seed, *order))
    while True:
        drawn = tuple(rng.permutation(n_tokens).tolist())
        if drawn not in (places, tuple(order)):
            return drawn
