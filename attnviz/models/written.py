"""What a model wrote, token by token: what it could have written, and where its heads looked.

Numpy alone, and nothing can change.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnviz.models.results import Token

MOST_WRITTEN = 64
"""Tokens that are written at once."""
MOST_READ = 512
"""Tokens of a text that is gone on with: every row of every head is kept."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Step:
    """What may come next: the likeliest tokens, and the one that was written, None without.

    `logits` are those of the likeliest tokens; `log_sum` is the logarithm of the sum of exp(logit)
    over the whole vocabulary, so that a probability is exp(logit − log_sum).
    """

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    logits: Float[np.ndarray, " candidate"]
    log_sum: float
    written: int | None = None
    written_logit: float | None = None
    written_text: str = ""

    @property
    def probabilities(self) -> Float[np.ndarray, " candidate"]:
        """Give the probability of each of the likeliest tokens."""
        return np.exp(self.logits.astype(np.float64) - self.log_sum)

    @property
    def rest(self) -> float:
        """Give what all other tokens of the vocabulary have together."""
        return max(0.0, 1.0 - float(self.probabilities.sum()))

    @property
    def written_probability(self) -> float | None:
        """Give the probability of the token that was written."""
        return (
            None if self.written_logit is None else float(np.exp(self.written_logit - self.log_sum))
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Written:
    """A text, and what a model wrote after it.

    `tokens` are those of the text and those that were written. Each step has its token; the last
    one tells what would come next, unless the model `ended` the text. `rows` has a table (step,
    head, key) for each layer: the row of the token that stood last at that step, 0 after it.
    `expected` says, for each token of the text but the first, how likely the model held it before
    it came, and `ranks` which of its guesses it was, from 1.
    """

    tokens: tuple[Token, ...]
    n_read: int
    steps: tuple[Step, ...]
    rows: tuple[Float[np.ndarray, "step _head key"], ...]
    expected: Float[np.ndarray, " token"]
    ranks: Int[np.ndarray, " token"]
    model: str = ""
    ended: bool = False
    seed: int = 0

    @property
    def n_written(self) -> int:
        """How many tokens were written."""
        return len(self.tokens) - self.n_read

    def row(self, step: int, layer: int, head: int) -> Float[np.ndarray, " key"]:
        """Give where one head looked when a token was chosen: a weight for each token before it."""
        return self.rows[layer][step, head, : self.n_read + step]

    def row_of_heads(self, step: int, layer: int) -> Float[np.ndarray, "head key"]:
        """Give the rows of all heads of a layer for one step."""
        return self.rows[layer][step, :, : self.n_read + step]
