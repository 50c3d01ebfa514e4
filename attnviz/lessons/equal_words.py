"""Two equal words in each head: whether a head tells them apart, and what kind of word it reads."""

import numpy as np
from jaxtyping import Float

from attnviz.attention.trace import MultiHeadTrace
from attnviz.lessons.lexicon import KINDS, word_of
from attnviz.lessons.twins import Twins


def apart(trace: MultiHeadTrace, pair: Twins) -> Float[np.ndarray, " head"]:
    """Give how far each head's outputs of the two are apart, ‖b_i − b_j‖."""
    first, second = trace.head_outputs[:, pair.first], trace.head_outputs[:, pair.second]
    return np.linalg.norm(first - second, axis=1)


def same_for_all(output: Float[np.ndarray, "query d_v"]) -> bool:
    """Tell whether a head gives every token the same."""
    return bool(np.ptp(output, axis=0).max() < 1e-12)


def kind_of(token: str) -> str | None:
    """Name the kind of a word of the lexicon, such as "pronoun"; None for any other word."""
    word = word_of(token)
    for kinds in KINDS.values():
        for kind, words in kinds.items():
            if word in words:
                return kind
    return None
