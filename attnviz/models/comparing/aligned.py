"""Two maps of attention on the tokens that they share: what one has more of, and how far apart.

Tokens are aligned in their order; a token that only one side has stays, with nothing on the other.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.arrays import read_only
from attnviz.attention.rows import (
    cosine,
    jensen_shannon,
    kl,
    top1_agreement,
    total_variation,
)
from attnviz.errors import InputError
from attnviz.models.results import Capture, Token
from attnviz.models.views import Unit, View, mixed, view

Pair = tuple[int, int]
"""A head by its layer and number; WHOLE_LAYER in its place is the mean of all."""
Places = tuple[tuple[int | None, int | None], ...]
"""For each line of an alignment: its place on the one side and on the other, None for nothing."""

WHOLE_LAYER = -1
MOST_COMPARED = 512
"""Tokens of a side up to which two maps are compared."""

MEASURES: dict[str, Callable[..., np.ndarray]] = {
    "total_variation": total_variation,
    "jensen_shannon": jensen_shannon,
    "kl": kl,
    "cosine": cosine,
    "top1": top1_agreement,
}
"""How two rows are compared, by name; `top1`: whether the largest weight is on the same key."""


@dataclass(frozen=True)
class Piece:
    """What is aligned: a text, and whether it is a special token of the model."""

    text: str
    part: tuple[int, int] | None = None
    special: bool = False


@dataclass(frozen=True, eq=False)
class Side:
    """One map, and what its rows and columns are told by."""

    view: View
    queries: tuple[Hashable, ...]
    keys: tuple[Hashable, ...]

    @cached_property
    def seen(self) -> Bool[np.ndarray, "row column"]:
        """Tell which row may see which column."""
        columns = np.arange(len(self.keys))
        first, last = self.view.ranges[:, :1], self.view.ranges[:, 1:]
        return (columns >= first) & (columns <= last)


@dataclass(frozen=True, eq=False)
class Compared:
    """Two maps on one set of rows and columns; NaN where a side has no such row or column.

    A row's distance is that of its shares of the columns that both sides have: what lies on others
    is left out, and the rest is brought to a sum of 1.
    """

    rows: Places
    columns: Places
    one: Float[np.ndarray, "row column"]
    other: Float[np.ndarray, "row column"]

    @property
    def difference(self) -> Float[np.ndarray, "row column"]:
        """Subtract the one from the other: positive where the other has more, NaN for a blank."""
        return self.other - self.one

    @cached_property
    def shared_rows(self) -> Bool[np.ndarray, " row"]:
        """Tell which rows both sides have."""
        return _on_both(self.rows)

    @cached_property
    def shared_columns(self) -> Bool[np.ndarray, " column"]:
        """Tell which columns both sides have."""
        return _on_both(self.columns)

    @cached_property
    def left_out(self) -> Float[np.ndarray, "row 2"]:
        """Give the weight of each row, on each side, on columns that the other side does not have.

        NaN where the side has no such row.
        """
        alone = ~self.shared_columns
        sums = [np.nansum(np.where(alone, side, 0.0), axis=1) for side in (self.one, self.other)]
        missing = [[place is None for place in pair] for pair in self.rows]
        return np.where(np.array(missing).reshape(-1, 2), np.nan, np.stack(sums, axis=1))

    @cached_property
    def apart(self) -> dict[str, Float[np.ndarray, " row"]]:
        """Compare the rows by every measure; NaN where there is nothing that could be compared."""
        return {name: self.rows_apart(name) for name in MEASURES}

    def rows_apart(self, measure: str) -> Float[np.ndarray, " row"]:
        """Compare the rows by one measure."""
        found = np.full(len(self.rows), np.nan)
        rows, one, other = self._comparable
        if len(rows):
            found[rows] = MEASURES[measure](one, other)
        return found

    @cached_property
    def _comparable(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Give which rows can be compared, and their shares on both sides."""
        rows, columns = np.flatnonzero(self.shared_rows), np.flatnonzero(self.shared_columns)
        if not (len(rows) and len(columns)):
            nothing = np.zeros((0, 0))
            return rows[:0], nothing, nothing
        one, other = (_shares(side[np.ix_(rows, columns)]) for side in (self.one, self.other))
        full = one.any(axis=1), other.any(axis=1)
        sound = np.isfinite(one + other).all(axis=1) & (full[0] == full[1])
        return rows[sound], one[sound], other[sound]

    def mean(self, measure: str) -> float | None:
        """Average a measure over the rows that have it; None where no row has."""
        values = self.rows_apart(measure)
        values = values[~np.isnan(values)]
        return float(values.mean()) if len(values) else None

    @property
    def farthest(self) -> int | None:
        """Give the row whose total variation is largest, the first of equal ones."""
        values = self.apart["total_variation"]
        return None if np.isnan(values).all() else int(np.nanargmax(values))

    @property
    def largest(self) -> float:
        """Give the size of the largest difference; 0 where nothing differs."""
        sizes = np.abs(self.difference)
        return float(np.nanmax(sizes)) if (~np.isnan(sizes)).any() else 0.0

    def peak(self, row: int, side: int) -> int | None:
        """Give the column of a side's largest weight in a row; None where it has no such row."""
        if self.rows[row][side] is None:
            return None
        values = (self.one, self.other)[side][row]
        return None if np.isnan(values).all() else int(np.nanargmax(values))


def aligned(one: Sequence[Hashable], other: Sequence[Hashable]) -> Places:
    """Put two sequences on one: equal things together, in their order.

    Where as many things stand on the one side as on the other between two that agree, they are
    paired as they come, unless one of the two is a special token alone.
    """
    matched = SequenceMatcher(None, one, other, autojunk=False)
    places: list[tuple[int | None, int | None]] = []
    for kind, start, stop, other_start, other_stop in matched.get_opcodes():
        left, right = range(start, stop), range(other_start, other_stop)
        if len(left) == len(right) and (
            kind == "equal" or all(map(_alike, one[start:stop], other[other_start:other_stop]))
        ):
            places += zip(left, right, strict=True)
        else:
            places += [(place, None) for place in left]
            places += [(None, place) for place in right]
    return tuple(places)


def side_of(capture: Capture, pair: Pair, unit: Unit = "pieces", *, specials: bool = True) -> Side:
    """Give one head, or the mean of a layer, its rows and columns told by their texts.

    Raises:
        InputError: if there are more tokens than can be compared, or none is left to show.
    """
    layer, head = pair
    found = capture.layers[layer]
    longest = max(found.n_query, found.n_key)
    if longest > MOST_COMPARED:
        raise InputError("models.too_long_to_compare", most=MOST_COMPARED, n_tokens=longest)
    heads = range(found.n_heads) if head == WHOLE_LAYER else (head,)
    views = [view(capture, layer, each, unit=unit, specials=specials) for each in heads]
    shown = mixed(views, "mean") if len(views) > 1 else views[0]
    queries = _named(capture.query_tokens(layer), shown.query_places, shown.queries, unit)
    keys = _named(capture.key_tokens(layer), shown.key_places, shown.keys, unit)
    return Side(shown, queries, keys)


def compared(one: Side, other: Side) -> Compared:
    """Compare two maps on the rows and columns of both."""
    return Compared(
        rows := aligned(one.queries, other.queries),
        columns := aligned(one.keys, other.keys),
        _spread(one.view.weights, rows, columns, 0),
        _spread(other.view.weights, rows, columns, 1),
    )


def seen_of(found: Compared, one: Side, other: Side) -> Bool[np.ndarray, "side row column"]:
    """Tell for each side which row may see which column; False where it has none."""
    sides = [
        _spread(side.seen.astype(np.float64), found.rows, found.columns, at)
        for at, side in enumerate((one, other))
    ]
    return read_only(np.stack(sides) > 0)


def _named(
    tokens: Sequence[Token], places: Sequence[int], labels: Sequence[str], unit: Unit
) -> tuple[Hashable, ...]:
    if unit == "pieces":
        return tuple(Piece(tokens[at].text, tokens[at].part, tokens[at].special) for at in places)
    pairs = zip(places, labels, strict=True)
    return tuple(Piece(label, special=tokens[at].special) for at, label in pairs)


def _alike(one: Hashable, other: Hashable) -> bool:
    """Tell whether two different things may stand in for each other."""
    specials = [getattr(each, "special", False) for each in (one, other)]
    return specials[0] == specials[1]


def _on_both(places: Places) -> Bool[np.ndarray, " line"]:
    return np.array([None not in pair for pair in places], dtype=bool)


def _spread(
    weights: Float[np.ndarray, "row column"], rows: Places, columns: Places, side: int
) -> Float[np.ndarray, "line _line"]:
    """Put a map on the rows and columns of an alignment, NaN where it has none."""
    down, across = ([pair[side] for pair in places] for places in (rows, columns))
    filled = [[at for at, place in enumerate(each) if place is not None] for each in (down, across)]
    taken = [[place for place in each if place is not None] for each in (down, across)]
    laid = np.full((len(rows), len(columns)), np.nan)
    laid[np.ix_(*filled)] = weights[np.ix_(*taken)]
    return read_only(laid)


def _shares(rows: Float[np.ndarray, "row column"]) -> Float[np.ndarray, "row column"]:
    """Bring each row to a sum of 1; a row of zeros stays, one that sums to nothing else is NaN."""
    sums = rows.sum(axis=1, keepdims=True)
    empty = ~rows.any(axis=1, keepdims=True)
    shares = np.full_like(rows, np.nan)
    np.divide(rows, sums, out=shares, where=sums > 0)
    return np.where(empty, 0.0, shares)
