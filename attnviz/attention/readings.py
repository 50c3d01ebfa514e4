"""One head in a line of a table: every number that can be said of its weights, and its type."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Shaped

from attnviz.attention.arrays import SupportsArray
from attnviz.attention.patterns import Tokens, duplicate_score, induction_score, previous_share
from attnviz.attention.rows import distributions, effective_tokens, entropy
from attnviz.attention.scores import precise
from attnviz.attention.shares import (
    PerHead,
    average,
    mean_distance,
    next_share,
    self_share,
    sink_share,
    token_share,
)

OneHead = Shaped[np.ndarray, "query key"] | Sequence | SupportsArray
Booleans = Shaped[np.ndarray, "..."] | Sequence | SupportsArray


@dataclass(frozen=True, kw_only=True)
class HeadReading:
    """What the weights of one head say; None where there is nothing to average over.

    The first three are means over the queries that see something, entropy in nats; they are None
    where a row does not sum to 1. `sink_share` counts every query and `later_sink_share` leaves out
    the first. `special_share` is that of the tokens that stand for no text. What needs one
    sequence, from `mean_distance` to `duplicate_score`, is None where queries and keys are two.
    """

    layer: int | None = None
    head: int | None = None
    n_query: int
    n_key: int
    n_empty_rows: int
    distribution: bool
    causal: bool
    entropy: float | None
    normalized_entropy: float | None
    effective_tokens: float | None
    mean_distance: float | None
    previous_share: float | None
    next_share: float | None
    self_share: float | None
    induction_score: float | None
    duplicate_score: float | None
    special_share: float | None
    sink_share: float | None
    later_sink_share: float | None

    @property
    def first_share(self) -> float | None:
        """The sink share that says something: without the first query in a causal head."""
        return self.later_sink_share if self.causal else self.sink_share

    @property
    def types(self) -> tuple[str, ...]:
        """The types of HEAD_TYPES whose rule holds; none for a mixed head."""
        return tuple(name for name, rule in HEAD_TYPES.items() if rule.holds(self))


@dataclass(frozen=True)
class Rule:
    """What a head of a type has: a number of its reading that is at least, or at most, so much."""

    measure: str
    at_least: float = -np.inf
    at_most: float = np.inf

    def holds(self, reading: HeadReading) -> bool:
        """Tell whether a head is of this type; where the number is None it is not."""
        number = getattr(reading, self.measure)
        return number is not None and self.at_least <= number <= self.at_most


HEAD_TYPES = {
    "previous": Rule("previous_share", at_least=0.5),
    "next": Rule("next_share", at_least=0.5),
    "self": Rule("self_share", at_least=0.5),
    "induction": Rule("induction_score", at_least=0.5),
    "duplicate": Rule("duplicate_score", at_least=0.5),
    "special": Rule("special_share", at_least=0.5),
    "sink": Rule("first_share", at_least=0.5),
    "broad": Rule("normalized_entropy", at_least=0.9),
    "narrow": Rule("normalized_entropy", at_most=0.1),
}
"""Half of the attention in one place makes a type, and nearly all or none of the largest entropy.
A convention, to be shown with the type: a head may be of several."""


_OF_TWO: dict[str, float | None] = {
    "mean_distance": None,
    "previous_share": None,
    "next_share": None,
    "self_share": None,
    "induction_score": None,
    "duplicate_score": None,
}


def head_reading(
    weights: OneHead,
    tokens: Tokens | None = None,
    *,
    special: Booleans | None = None,
    allowed: Booleans | None = None,
    grid: tuple[int, int] | None = None,
    layer: int | None = None,
    head: int | None = None,
) -> HeadReading:
    """Read every number off the weights (query, key) of one head.

    `tokens` are those of the one sequence that asks and answers, words or ids; without them it is
    not known what repeats. `special`, True for each key that stands for no text. `allowed`, True =
    may attend, (query, key): what the normalized entropy counts, and whether the head is causal;
    without it every key counts, and a head is causal if none of its weight lies ahead. `grid` is
    that of a picture's patches. Padding must have been left out.

    Raises:
        ValueError: if tokens, `special` or `allowed` do not fit the weights.
    """
    (rows,) = precise(weights)
    if rows.ndim != 2:
        raise ValueError(f"weights must be (query, key), got {rows.shape}; give them head by head")
    seen = np.ones(rows.shape, dtype=bool) if allowed is None else _allowed(allowed, rows)
    full = distributions(weights)
    filled = np.any(rows, axis=1)
    one_sequence = rows.shape[0] == rows.shape[1]
    ahead = np.triu(rows if allowed is None else seen, k=1)
    return HeadReading(
        layer=layer,
        head=head,
        n_query=rows.shape[0],
        n_key=rows.shape[1],
        n_empty_rows=int((~filled).sum()),
        distribution=bool((full | ~filled).all()),
        causal=one_sequence and not ahead.any(),
        entropy=_one(average(entropy(weights), filled)),
        normalized_entropy=_one(average(entropy(weights, normalized=True, allowed=seen), filled)),
        effective_tokens=_one(average(effective_tokens(weights), filled)),
        special_share=None if special is None else _one(token_share(rows, special)),
        sink_share=_one(sink_share(rows)),
        later_sink_share=_one(sink_share(rows, skip_first=True)),
        **(_of_one_sequence(rows, tokens, grid) if one_sequence else _OF_TWO),
    )


def head_table(
    heads: Iterable[tuple[tuple[int, int], OneHead]],
    tokens: Tokens | None = None,
    *,
    special: Booleans | None = None,
    allowed: Booleans | None = None,
    grid: tuple[int, int] | None = None,
) -> Iterator[HeadReading]:
    """Read heads one after the other as they come: pairs of (layer, head) and its weights.

    Nothing is held but the head in hand; see `head_reading` for the rest.

    Raises:
        ValueError: if tokens, `special` or `allowed` do not fit the weights.
    """
    for (layer, head), weights in heads:
        yield head_reading(
            weights, tokens, special=special, allowed=allowed, grid=grid, layer=layer, head=head
        )


def _of_one_sequence(
    rows: Float[np.ndarray, "token token"], tokens: Tokens | None, grid: tuple[int, int] | None
) -> dict[str, float | None]:
    return {
        "mean_distance": _one(mean_distance(rows, grid=grid)),
        "previous_share": _one(previous_share(rows)),
        "next_share": _one(next_share(rows)),
        "self_share": _one(self_share(rows)),
        "induction_score": None if tokens is None else _one(induction_score(rows, tokens)),
        "duplicate_score": None if tokens is None else _one(duplicate_score(rows, tokens)),
    }


def _allowed(
    allowed: Booleans, rows: Float[np.ndarray, "query key"]
) -> Bool[np.ndarray, "query key"]:
    seen = np.asarray(allowed)
    if seen.shape != rows.shape or seen.dtype != np.bool_:
        raise ValueError(
            f"allowed must be Booleans (query, key) = {rows.shape}, True = may attend, got "
            f"{seen.dtype} of shape {seen.shape}; build it with MASKS[name](n_query, n_key)"
        )
    return seen


def _one(number: PerHead) -> float | None:
    """Take what is said of one head as it is."""
    return number if isinstance(number, float) else None
