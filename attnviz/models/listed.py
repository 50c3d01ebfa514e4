"""All heads of a capture in a table, and how far they are apart."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from attnviz.attention.heads import comparable_heads, head_distances, head_map, map_share
from attnviz.attention.readings import HeadReading, head_reading
from attnviz.errors import InputError
from attnviz.models.results import Capture

Progress = Callable[[int, int], object]

MOST_LISTED = 2048
"""Tokens up to which every weight of every head is read."""
WORK = 2**26
"""Numbers that are compared for a map of heads; where there are more, not all queries are."""
_FEWEST_QUERIES = 8


@dataclass(frozen=True, eq=False, kw_only=True)
class Similar:
    """Where heads stand on the map of those that attend alike: at `places`, (axis 1, axis 2).

    `heads` are (layer, head), `distances` the root of their mean Jensen–Shannon divergence, over
    every `step`-th query. `share` is how much of the distances the plane keeps, None where all are
    alike. `left_out` are the heads, (layer, head), that have no distance from the others.
    """

    heads: tuple[tuple[int, int], ...]
    places: Float[np.ndarray, "head 2"]
    distances: Float[np.ndarray, "head head"]
    share: float | None
    step: int
    left_out: tuple[tuple[int, int], ...]

    def nearest(self, pair: tuple[int, int]) -> tuple[tuple[int, int], float] | None:
        """Give the head most like this one, and how far it is; None where there is no other."""
        if pair not in self.heads or len(self.heads) < 2:
            return None
        apart = self.distances[self.heads.index(pair)].copy()
        apart[self.heads.index(pair)] = np.inf
        return self.heads[int(apart.argmin())], float(apart.min())


def every_head(capture: Capture) -> Iterator[tuple[int, int]]:
    """List (layer, head), in the order in which they ran."""
    for layer, found in enumerate(capture.layers):
        for head in range(found.n_heads):
            yield layer, head


def listed(capture: Capture, progress: Progress | None = None) -> tuple[HeadReading, ...]:
    """Read every number off every head; `progress(done, total)` is called after each.

    Raises:
        InputError: if there are more than MOST_LISTED tokens.
    """
    longest = max(max(layer.n_query, layer.n_key) for layer in capture.layers)
    if longest > MOST_LISTED:
        raise InputError("models.too_many_listed", most=MOST_LISTED, n_tokens=longest)
    total = sum(layer.n_heads for layer in capture.layers)
    found = []
    for layer, head in every_head(capture):
        found.append(_read(capture, layer, head))
        if progress:
            progress(len(found), total)
    return tuple(found)


def _read(capture: Capture, layer: int, head: int) -> HeadReading:
    queries, keys = capture.query_tokens(layer), capture.key_tokens(layer)
    seen = capture.layers[layer].visible
    special = np.array([token.special for token in keys])
    one = keys is queries
    weights = capture.weights(layer, head)
    reading = head_reading(
        weights,
        [token.id if token.id >= 0 else token.text for token in keys] if one else None,
        special=special if special.any() else None,
        allowed=None if seen.everyone else seen.allowed(head),
        grid=capture.grid if one else None,
        layer=layer,
        head=head,
    )
    return reading if one else _of_two(reading)


def _of_two(reading: HeadReading) -> HeadReading:
    """Leave out what is only said of one sequence, where two happen to be of equal length."""
    names = ("mean_distance", "previous_share", "next_share", "self_share")
    return replace(reading, **dict.fromkeys((*names, "induction_score", "duplicate_score")))


def similar(capture: Capture, layer: int, progress: Progress | None = None) -> Similar:
    """Compare all heads that read the same tokens as those of `layer`.

    Raises:
        InputError: if fewer than two of them have rows that sum to 1.
    """
    sides = id(capture.query_tokens(layer)), id(capture.key_tokens(layer))
    pairs = [
        (place, head)
        for place, head in every_head(capture)
        if (id(capture.query_tokens(place)), id(capture.key_tokens(place))) == sides
    ]
    rows, step = _queries(capture, layer, len(pairs))
    stack = np.stack([capture.weights(place, head, rows=rows) for place, head in pairs])
    if progress:
        progress(1, 2)
    kept = comparable_heads(stack)
    good = np.flatnonzero(kept)
    if len(good) < 2:
        raise InputError("models.not_comparable")
    apart = head_distances(stack[good])
    return Similar(
        heads=tuple(pairs[place] for place in good),
        places=head_map(apart),
        distances=apart,
        share=map_share(apart),
        step=step,
        left_out=tuple(pairs[place] for place in np.flatnonzero(~kept)),
    )


def _queries(capture: Capture, layer: int, n_heads: int) -> tuple[Int[np.ndarray, " row"], int]:
    """Choose the queries that are compared: all, or as many as the work allows, evenly."""
    found = capture.layers[layer]
    affordable = max(_FEWEST_QUERIES, int(2 * WORK / max(1, n_heads * n_heads * found.n_key)))
    step = max(1, -(-found.n_query // affordable))
    return np.arange(0, found.n_query, step), step
