"""How far every head of a model is from another: itself on another text, or the one in hand."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.models.comparing.aligned import WHOLE_LAYER, Pair, Side, compared, side_of
from attnviz.models.results import Capture
from attnviz.models.views import Unit

Progress = Callable[[int, int], object]


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadsApart:
    """The mean total variation of each head from what it is compared with, NaN for nothing."""

    heads: tuple[Pair, ...]
    distances: Float[np.ndarray, " head"]

    @property
    def largest(self) -> float:
        """Give the largest distance, 0 where there is none."""
        known = self.distances[~np.isnan(self.distances)]
        return float(known.max(initial=0.0))

    def nearest(self, but: Pair | None = None) -> Pair | None:
        """Give the head that is least far, the first of equal ones; `but` does not count."""
        return self._extreme(-1, but)

    def farthest(self) -> Pair | None:
        """Give the head that is farthest, the first of equal ones."""
        return self._extreme(1)

    def of(self, pair: Pair) -> float | None:
        """Give the distance of one head, None where there is nothing to compare."""
        if pair not in self.heads:
            return None
        distance = float(self.distances[self.heads.index(pair)])
        return None if np.isnan(distance) else distance

    def _extreme(self, sign: int, but: Pair | None = None) -> Pair | None:
        there = [
            (sign * distance, -place)
            for place, (pair, distance) in enumerate(
                zip(self.heads, self.distances.tolist(), strict=True)
            )
            if pair != but and not np.isnan(distance)
        ]
        return self.heads[-max(there)[1]] if there else None


def changed(
    one: Capture,
    other: Capture,
    unit: Unit = "pieces",
    *,
    whole: bool = False,
    specials: bool = True,
    progress: Progress | None = None,
) -> HeadsApart:
    """Compare each head, or each layer as a whole, with itself on another text.

    Raises:
        InputError: if there are more tokens than can be compared.
    """

    def pairs_of(pair: Pair) -> tuple[Side, Side]:
        sides = [side_of(each, pair, unit, specials=specials) for each in (one, other)]
        return sides[0], sides[1]

    return _apart(other, whole, pairs_of, progress)


def from_head(
    one: Capture,
    pair: Pair,
    other: Capture,
    unit: Unit = "pieces",
    *,
    whole: bool = False,
    specials: bool = True,
    progress: Progress | None = None,
) -> HeadsApart:
    """Compare one head, or one layer as a whole, with each of a capture.

    Raises:
        InputError: if there are more tokens than can be compared.
    """
    held = side_of(one, pair, unit, specials=specials)
    return _apart(
        other, whole, lambda each: (held, side_of(other, each, unit, specials=specials)), progress
    )


def _apart(
    capture: Capture,
    whole: bool,
    pairs_of: Callable[[Pair], tuple[Side, Side]],
    progress: Progress | None,
) -> HeadsApart:
    heads, distances = tuple(_heads(capture, whole)), []
    for pair in heads:
        mean = compared(*pairs_of(pair)).mean("total_variation")
        distances.append(np.nan if mean is None else mean)
        if progress:
            progress(len(distances), len(heads))
    return HeadsApart(heads=heads, distances=np.array(distances, dtype=np.float64))


def _heads(capture: Capture, whole: bool) -> Iterator[Pair]:
    for layer, found in enumerate(capture.layers):
        for head in (WHOLE_LAYER,) if whole else range(found.n_heads):
            yield layer, head
