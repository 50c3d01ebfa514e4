"""Ancestry: where one weight comes from, number by number."""

import operator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import read_only
from attnviz.attention.normalizers import normalizer_parts
from attnviz.attention.scores import score_terms
from attnviz.attention.trace import HeadTrace


@dataclass(frozen=True, eq=False)
class Ancestry:
    """The whole way from one query and one key to what the key gives to the output.

    products == left * right, and they add up to `score`. scaled == score * scale; masked == scaled
    + bias, or -inf where the key is not allowed. weight == numerator / total (0 where total is 0);
    `shift` and `threshold` are what the normalizer took off the scores of this row. contribution ==
    weight * value, and output == contribution + others: what all other keys give.
    """

    query: int
    key: int
    left: Float[np.ndarray, " term"]
    right: Float[np.ndarray, " term"]
    products: Float[np.ndarray, " term"]
    score: float
    scale: float
    scaled: float
    bias: float | None
    allowed: bool
    masked: float
    temperature: float
    numerators: Float[np.ndarray, " key"]
    numerator: float
    total: float
    shift: float
    threshold: float | None
    weight: float
    value: Float[np.ndarray, " d_v"]
    contribution: Float[np.ndarray, " d_v"]
    others: Float[np.ndarray, " d_v"]
    output: Float[np.ndarray, " d_v"]


def ancestry(trace: HeadTrace, query: int, key: int) -> Ancestry:
    """Take apart how this query came to read this key.

    Raises:
        ValueError: if the trace holds more than one head, or has no such query or key.
    """
    if trace.scores.ndim != 2:
        raise ValueError(
            f"ancestry needs a trace of one head, got scores {trace.scores.shape}; "
            "take one with trace.head(h)"
        )
    query = _index("query", query, trace.n_query)
    key = _index("key", key, trace.n_key)
    choices = trace.choices
    left, right = score_terms(
        choices.score,
        trace.query[query],
        _plus(trace.key[key], trace.relative_key, query, key),
        **choices.arguments("score"),
    )
    parts = normalizer_parts(
        choices.normalizer,
        trace.masked_scores[query : query + 1],  # (1, n_key)
        temperature=choices.temperature,
        **choices.arguments("normalizer"),
    )
    weight = trace.weights[query, key]
    value = _plus(trace.value[key], trace.relative_value, query, key)
    contribution = weight * value
    return Ancestry(
        query=query,
        key=key,
        left=read_only(left),
        right=read_only(right),
        products=read_only(left * right),
        score=float(trace.scores[query, key]),
        scale=trace.scale,
        scaled=float(trace.scaled_scores[query, key]),
        bias=None if trace.bias is None else float(trace.bias[query, key]),
        allowed=bool(trace.masked_scores[query, key] > -np.inf),
        masked=float(trace.masked_scores[query, key]),
        temperature=float(choices.temperature),
        numerators=read_only(parts.numerators[0]),
        numerator=float(parts.numerators[0, key]),
        total=float(parts.totals[0]),
        shift=float(parts.shift[0]),
        threshold=None if parts.threshold is None else float(parts.threshold[0]),
        weight=float(weight),
        value=read_only(value),
        contribution=read_only(contribution),
        others=read_only(trace.output[query] - contribution),
        output=trace.output[query],
    )


def _index(name: str, index: int, size: int) -> int:
    if not 0 <= operator.index(index) < size:
        raise ValueError(f"{name} must be 0 ... {size - 1}, got {index}; tokens count from 0")
    return operator.index(index)


def _plus(
    vector: Float[np.ndarray, " d"],
    relative: Float[np.ndarray, "query key d"] | None,
    query: int,
    key: int,
) -> Float[np.ndarray, " d"]:
    """Move a vector to where this query meets it, by what a relative position adds."""
    return vector if relative is None else vector + relative[query, key]
