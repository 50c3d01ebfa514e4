"""Rotary positions on one query and one key: both turn, and only their distance counts."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.position_codes import rotary


@dataclass(frozen=True, eq=False)
class Turn:
    """A query at place p and a key at place r, before and after they are turned.

    `first` and `second` are the two features that turn together as a pair; `untouched` features
    at the end have no partner.
    """

    query: Float[np.ndarray, " d"]
    key: Float[np.ndarray, " d"]
    turned_query: Float[np.ndarray, " d"]
    turned_key: Float[np.ndarray, " d"]
    first: int
    second: int
    untouched: int

    @property
    def score(self) -> float:
        """The dot product of the turned query and the turned key."""
        return float(self.turned_query @ self.turned_key)

    def pair(self, vector: Float[np.ndarray, " d"]) -> Float[np.ndarray, "2"]:
        """Give the two features of a vector that turn together first."""
        return vector[[self.first, self.second]]


def turn(
    query: Float[np.ndarray, " d_k"],
    key: Float[np.ndarray, " d_k"],
    places: tuple[float, float],
    *,
    base: float | int = 10_000.0,
    pairs: str = "interleaved",
) -> Turn:
    """Turn a query and a key as rotary positions do; an odd feature at the end is left as it is.

    A single feature has no partner: it is given a 0 beside it.
    """
    both = pairable(np.stack([query, key]))
    width = both.shape[1] // 2 * 2
    made = rotary(
        both, np.array(places, dtype=np.float64), base=base, pairs=pairs, rotary_dim=width
    )
    second = 1 if pairs == "interleaved" else width // 2
    return Turn(*both, *made, first=0, second=second, untouched=both.shape[1] - width)


def score_by_distance(
    query: Float[np.ndarray, " d_k"],
    key: Float[np.ndarray, " d_k"],
    distances: Float[np.ndarray, " distance"],
    *,
    base: float | int = 10_000.0,
    pairs: str = "interleaved",
    shift: float | int = 0,
) -> Float[np.ndarray, " distance"]:
    """Give the score of a query so many places after its key, which stands at place `shift`."""
    query, key = pairable(np.stack([query, key]))
    how = {"base": base, "pairs": pairs, "rotary_dim": len(query) // 2 * 2}
    queries = rotary(np.tile(query, (len(distances), 1)), distances + float(shift), **how)
    return queries @ rotary(key[None], np.array([float(shift)]), **how)[0]


def pairable(vectors: Float[np.ndarray, "vector d_k"]) -> Float[np.ndarray, "vector d"]:
    """Give vectors that have a pair to turn: a single feature gets a 0 beside it."""
    return np.pad(vectors, ((0, 0), (0, 1))) if vectors.shape[1] == 1 else vectors
