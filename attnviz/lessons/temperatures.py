"""Two temperatures: the one that divides scores, and the one that divides a model's last numbers.

The first decides what a token reads; the second how the next word is drawn, once all has been read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import read_only
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.projections import Projections
from attnviz.attention.trace import HeadTrace

COLDEST, HOTTEST = 0.01, 1000.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Path:
    """Where the output of one query lies at each temperature, from the coldest to the hottest.

    `best` is the mean of the values of its best keys, `mean` that of all values it may see.
    """

    temperatures: Float[np.ndarray, " step"]
    outputs: Float[np.ndarray, "step d_v"]
    best: Float[np.ndarray, " d_v"]
    mean: Float[np.ndarray, " d_v"]

    @property
    def ends(self) -> tuple[float, float]:
        """How far the path starts from the best value, and how far it ends from the mean."""
        first, last = self.outputs[0] - self.best, self.outputs[-1] - self.mean
        return float(np.linalg.norm(first)), float(np.linalg.norm(last))


@dataclass(frozen=True, eq=False, kw_only=True)
class NextWord:
    """Each word of the sentence as the next one: its place, its number, and its probability."""

    places: tuple[int, ...]
    logits: Float[np.ndarray, " word"]
    probabilities: Float[np.ndarray, " word"]


def path(head: HeadTrace, query: int, *, coldest: float | int = COLDEST, n_steps: int = 81) -> Path:
    """Follow the output of one query from a low temperature to a high one.

    Every other choice stays: mask, scale, positions, normalizer.
    """
    temperatures = np.geomspace(coldest, HOTTEST, n_steps)
    weights = [weights_at(head, query, temperature) for temperature in temperatures.tolist()]
    scores, values = head.masked_scores[query], read_values(head, query)
    seen = np.isfinite(scores)
    best = seen & (scores == scores.max())
    return Path(
        temperatures=read_only(temperatures),
        outputs=read_only(np.stack(weights) @ values),
        best=read_only(_mean_of(values, best)),
        mean=read_only(_mean_of(values, seen)),
    )


def weights_at(head: HeadTrace, query: int, temperature: float | int) -> Float[np.ndarray, " key"]:
    """Give the weights of one query at another temperature."""
    normalizer = NORMALIZERS[head.choices.normalizer]
    own = head.choices.arguments("normalizer")
    return normalizer(head.masked_scores[query][None], temperature=temperature, **own)[0]


def read_values(head: HeadTrace, query: int) -> Float[np.ndarray, "key d_v"]:
    """Give the values as this query reads them: moved by relative positions, if there are any."""
    return head.value if head.relative_value is None else head.value + head.relative_value[query]


def next_word(
    output: Float[np.ndarray, " d_v"],
    tokens: Sequence[str],
    words: Float[np.ndarray, "token d_v"],
    temperature: float | int,
) -> NextWord:
    """Take the sentence's own words for the vocabulary, and an output for what has been read.

    The number of a word is its vector times the output, b · w, as where a language model shares one
    table between its first and its last layer. Softmax at the temperature makes probabilities of
    them; 0 is the limit, where the best words share equally. A word that stands twice is one word,
    with the vector of its first place.

    Source: Press and Wolf 2017, Using the Output Embedding; Hinton et al. 2015, §2.
    """
    places = tuple(map(list(tokens).index, dict.fromkeys(tokens)))
    logits = words[list(places)] @ output
    probabilities = NORMALIZERS["softmax"](logits[None], temperature=temperature)[0]
    return NextWord(places=places, logits=read_only(logits), probabilities=read_only(probabilities))


def word_vectors(
    inputs: Float[np.ndarray, "token d_model"], projections: Projections, head: int
) -> Float[np.ndarray, "token d_v"]:
    """Give each token's value without its position: one vector for a word, wherever it stands."""
    shared = projections.kv_head(head)
    vectors = inputs @ projections.w_v[shared]
    return vectors if projections.b_v is None else vectors + projections.b_v[shared]


def _mean_of(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    return values[chosen].mean(axis=0) if chosen.any() else np.zeros(values.shape[1])
