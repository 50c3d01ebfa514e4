"""The scores of a head made pair by pair, and one output made without any other."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.scores import score_terms
from attnviz.attention.trace import HeadTrace


@dataclass(frozen=True)
class Work:
    """How much there is to do for some pairs of a query and a key: `terms` products for each."""

    pairs: int
    terms: int

    @property
    def multiplications(self) -> int:
        """One for each term of each pair."""
        return self.pairs * self.terms

    @property
    def additions(self) -> int:
        """One fewer than the terms, for each pair."""
        return self.pairs * max(0, self.terms - 1)


def work(trace: HeadTrace, pairs: int | None = None) -> Work:
    """Count the work of so many pairs, of all if not told."""
    left, _ = _terms(trace, 0, 0)
    return Work(trace.n_query * trace.n_key if pairs is None else pairs, len(left))


def one_by_one(trace: HeadTrace) -> Float[np.ndarray, "query key"]:
    """Make the table of scores in two loops: for each query, for each key, one sum of products."""
    scores = np.zeros((trace.n_query, trace.n_key), trace.scores.dtype)
    for query in range(trace.n_query):
        for key in range(trace.n_key):
            scores[query, key] = _score(trace, query, key)
    return scores


def alone(trace: HeadTrace, query: int) -> Float[np.ndarray, " d_v"]:
    """Make the output of one query as if no other query were there.

    Raises:
        IndexError: if there is no such query.
    """
    choices = trace.choices
    row = np.array([_score(trace, query, key) for key in range(trace.n_key)], trace.scores.dtype)
    row = row * trace.scale if trace.scale != 1 else row
    if trace.bias is not None:
        row = row + trace.bias[query]
    if trace.mask is not None:
        row = np.where(trace.mask[query], row, -np.inf)
    normalizer, arguments = NORMALIZERS[choices.normalizer], choices.arguments("normalizer")
    weights = normalizer(row[None], temperature=choices.temperature, **arguments)[0]
    output = np.vecdot(weights, trace.value.T)
    if trace.relative_value is not None:
        output = output + np.vecdot(weights, trace.relative_value[query].T)
    return output


def _score(trace: HeadTrace, query: int, key: int) -> float:
    score = float(np.vecdot(*_terms(trace, query, key)))
    return min(1.0, max(-1.0, score)) if trace.choices.score == "cosine" else score


def _terms(trace: HeadTrace, query: int, key: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the two vectors whose products add up to the score of a pair."""
    met = trace.key[key]
    if trace.relative_key is not None:
        met = met + trace.relative_key[query, key]
    arguments = trace.choices.arguments("score")
    return score_terms(trace.choices.score, trace.query[query], met, **arguments)
