"""What to guess before a step is shown: one number that the step is about to compute."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.attention.trace import HeadTrace, MultiHeadTrace

Truth = Callable[[MultiHeadTrace, HeadTrace, int], float]


@dataclass(frozen=True)
class Prediction:
    """The number to guess; `share` says that it lies between 0 and 1, `count` that it is whole."""

    step: str
    truth: float
    share: bool = False
    count: bool = False

    def off(self, guess: float) -> float:
        """How far a guess is from the truth."""
        return abs(guess - self.truth)


def prediction(trace: MultiHeadTrace, step: str, head: int, query: int) -> Prediction:
    """Give the number to guess before a step of one head, for the token that asks.

    Raises:
        ValueError: if there is nothing to guess for such a step.
    """
    if step not in TRUTHS:
        raise ValueError(f"step must be one of {', '.join(TRUTHS)}, got {step!r}; choose one")
    return Prediction(
        step,
        float(TRUTHS[step](trace, trace.head(head), query)),
        share=step == "weights" and trace.choices.normalizer in DISTRIBUTIONS,
        count=step in ("masked_scores", "together"),
    )


TRUTHS: dict[str, Truth] = {
    "encoded_inputs": lambda trace, head, i: trace.encoded_inputs[i, 0],
    "query": lambda trace, head, i: head.query[i, 0],
    "key": lambda trace, head, i: head.key[0, 0],
    "scores": lambda trace, head, i: head.scores[i, 0],
    "scaled_scores": lambda trace, head, i: head.scaled_scores[i, 0],
    "masked_scores": lambda trace, head, i: np.isfinite(head.masked_scores[i]).sum(),
    "weights": lambda trace, head, i: head.weights[i].max(),
    "value": lambda trace, head, i: head.value[0, 0],
    "head_outputs": lambda trace, head, i: head.output[i, 0],
    "together": lambda trace, head, i: head.scores.size,
    "output": lambda trace, head, i: trace.output[i, 0],
}
"""Each step's number: the first of a vector, the score of key 1, the largest weight, or a count."""
