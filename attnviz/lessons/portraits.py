"""A position code by itself: what it says of each place or distance, whatever the sentence."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import Numbers
from attnviz.attention.position_codes import keys_ahead, t5_buckets
from attnviz.attention.positions import PositionSizes, position_effect

Kind = Literal["vectors", "turns", "bias", "distances"]


@dataclass(frozen=True, eq=False)
class Portrait:
    """One code, three ways.

    `table` has a row for each place, or each distance; `places` says which. `map` is what two
    places have to do with each other: e_i · e_j, or what is added to the score of i and j, or the
    distance that is told apart. Of biases, `table` has a column for each head; `map` is one head.
    """

    kind: Kind
    places: Float[np.ndarray, " place"]
    table: Float[np.ndarray, "place feature"]
    map: Float[np.ndarray, "position position"]

    @property
    def spread(self) -> float:
        """How far the map is from one that depends on the distance i − j alone."""
        return toeplitz_spread(self.map)

    @property
    def by_distance(self) -> bool:
        """True when the map depends on the distance alone, but for rounding."""
        return self.spread <= 1e-9 * max(1.0, float(np.abs(self.map).max()))


def portrait(
    positions: str | Numbers, sizes: PositionSizes, parameters: dict[str, object], head: int = 0
) -> Portrait:
    """Draw up what a position code says of the first places, as many as `sizes` has tokens."""
    effect, n = position_effect(positions, sizes, parameters), sizes.n_key
    places = np.arange(n, dtype=np.float64)
    if effect.added is not None:
        return _of_vectors("vectors", places, effect.added)
    if effect.turn is not None:
        return _of_vectors(
            "turns", places, effect.turn(np.tile(_first_of_pairs(parameters, sizes), (n, 1)))
        )
    distances = np.arange(1 - n, n, dtype=np.float64)
    if effect.bias is not None:
        by_distance = np.concatenate([effect.bias[:, -1], effect.bias[:, 0, 1:]], axis=1)
        return Portrait("bias", distances, by_distance.T, effect.bias[head])
    if effect.relative_key is not None:
        table = np.concatenate([effect.relative_key[-1], effect.relative_key[0, 1:]])
        clip = int(str(parameters.get("clip", 2)))
        told = np.clip(keys_ahead(n, n), -clip, clip).astype(np.float64)
        return Portrait("distances", distances, table, told)
    return _of_vectors("vectors", places, np.zeros((n, sizes.d_model)))


def toeplitz_spread(table: Float[np.ndarray, "n n"]) -> float:
    """Give the largest difference between two cells on the same diagonal."""
    n = len(table)
    return max(float(np.ptp(table.diagonal(k))) for k in range(1 - n, n))


@dataclass(frozen=True)
class Bucket:
    """One bucket of T5: the keys that lie so far ahead share it; None is "and all beyond"."""

    number: int
    nearest: int
    farthest: int | None


def buckets(n_buckets: int, max_distance: int, bidirectional: bool) -> list[Bucket]:
    """List which distances (key − query) share a bucket, in the order of the buckets."""
    reach = max_distance + 1
    distances = np.arange(-reach, reach + 1)
    of = t5_buckets(
        distances, bidirectional=bidirectional, n_buckets=n_buckets, max_distance=max_distance
    )
    found = []
    for number in range(n_buckets):
        inside = sorted(distances[of == number].tolist(), key=abs)
        if inside:
            open_ended = abs(inside[-1]) == reach
            found.append(Bucket(number, inside[0], None if open_ended else inside[-1]))
    return found


def _of_vectors(kind: Kind, places: np.ndarray, table: np.ndarray) -> Portrait:
    return Portrait(kind, places, table, table @ table.T)


def _first_of_pairs(parameters: dict[str, object], sizes: PositionSizes) -> np.ndarray:
    """Give the vector whose pairs are all (1, 0): turned, each is (cos, sin)."""
    vector, half = np.zeros(sizes.d_k), parameters.get("pairs") == "half"
    vector[slice(0, sizes.d_k // 2) if half else slice(0, None, 2)] = 1
    return vector
