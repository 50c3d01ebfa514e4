"""What each head of a model is worth on one text: what happens when it alone is switched off."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, eq=False, kw_only=True)
class Worth:
    """One run of a model for each head, with that head's output replaced by zeros.

    `moved` is how far the last vectors move, ‖y′ − y‖ / ‖y‖ as a mean over the tokens, layer by
    layer. Where the model predicts, `loss` is its mean −ln p of each next token of the text, and
    `losses` by how much that grows without each head: above 0 where the head is needed.
    Source: Michel et al. 2019, §3.
    """

    moved: tuple[Float[np.ndarray, " _head"], ...]
    loss: float | None = None
    losses: tuple[Float[np.ndarray, " _head"], ...] = ()

    @property
    def importance(self) -> tuple[Float[np.ndarray, " _head"], ...]:
        """By how much the loss grows, or how far the vectors move where there is no loss."""
        return self.losses or self.moved

    def ranked(self) -> list[tuple[int, int]]:
        """List the heads, (layer, head), the most important first."""
        found = [
            (-float(value), place, head)
            for place, heads in enumerate(self.importance)
            for head, value in enumerate(heads)
        ]
        return [(place, head) for _, place, head in sorted(found)]
