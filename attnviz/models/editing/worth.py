"""What each head of a model is worth on one text: switched off alone, and by a slope."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import read_only
from attnviz.attention.head_importance import ablation_importance, rank_agreement

DIRECTIONS = 16
"""Random directions in which the last vectors are seen, where there is no loss to follow."""
MOST_SLOPED = 512
"""Tokens up to which slopes are computed: a backward pass keeps what every layer computed."""

PerLayer = tuple[Float[np.ndarray, " _head"], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Worth:
    """One run of a model for each head, with that head's output replaced by zeros.

    `moved` is how far the last vectors move, ‖y′ − y‖ / ‖y‖ as a mean over the tokens, layer by
    layer. Where the model predicts, `loss` is its mean −ln p of each next token of the text, and
    `losses` by how much that grows without each head: above 0 where the head is needed.
    `slopes` are ∂loss/∂ξ at ξ = 1, where the head's output is multiplied by ξ; without a loss they
    are how fast the last vectors begin to move, and there are none of more than MOST_SLOPED tokens.
    Where the runs were given up, `ended` says by which code, and there are slopes alone.
    Source: Michel et al. 2019, §3 and §4.1.
    """

    moved: PerLayer
    loss: float | None = None
    losses: PerLayer = ()
    slopes: PerLayer = ()
    ended: str = ""

    @property
    def importance(self) -> PerLayer:
        """By how much the loss grows, or how far the vectors move where there is no loss."""
        return self.losses or self.moved

    @property
    def gradient(self) -> PerLayer:
        """The size of each slope, which is what ranks heads by gradient."""
        return tuple(np.abs(heads) for heads in self.slopes)

    @property
    def agreement(self) -> float | None:
        """Spearman's ρ of the sizes of slopes and changes; None where all of one are equal."""
        if not self.slopes or self.ended:
            return None
        changes = np.abs(np.concatenate(self.importance))
        return rank_agreement(np.concatenate(self.gradient), changes)

    @property
    def foreseen(self) -> int | None:
        """Of how many heads the slope tells whether the loss grows; None without both."""
        if not self.losses or not self.slopes:
            return None
        slopes, grown = np.concatenate(self.slopes), np.concatenate(self.losses)
        return int((np.sign(-slopes) == np.sign(grown)).sum())

    def ranked(self, by: str = "off") -> list[tuple[int, int]]:
        """List the heads, (layer, head), the most important first: by "off" or by "gradient"."""
        found = [
            (-float(value), place, head)
            for place, heads in enumerate(self.gradient if by == "gradient" else self.importance)
            for head, value in enumerate(heads)
        ]
        return [(place, head) for _, place, head in sorted(found)]


def worth_of(
    counts: Sequence[int],
    loss: float | None,
    runs: Sequence[tuple[float, float]],
    slopes: PerLayer,
) -> Worth:
    """Put runs without each head together: (how far vectors move, the loss), layer by layer.

    `counts` is how many heads each layer has, `loss` that of the model as it is.
    """
    moved, losses = [], []
    first = 0
    for n_heads in counts:
        here = np.array(runs[first : first + n_heads], dtype=np.float64).reshape(n_heads, 2)
        moved.append(read_only(here[:, 0].copy()))
        losses.append(here[:, 1])
        first += n_heads
    grown = () if loss is None else (ablation_importance(each, loss) for each in losses)
    return Worth(moved=tuple(moved), loss=loss, losses=tuple(map(read_only, grown)), slopes=slopes)
