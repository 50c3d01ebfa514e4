"""Labelled matrices side by side: read, point, click, or walk through them with the arrow keys."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple
from unicodedata import east_asian_width

from attnviz.components import (
    Number,
    TableSpec,
    Text,
    index,
    listener,
    note,
    packed,
    part,
    pieces,
    plain,
)

Kind = Literal["plain", "query", "key", "value", "output", "scores", "weights"]

SCALES = {
    "weights": {
        "light": ("#FBF9FB", "#EFD9E9", "#DDB0D0", "#C282AF", "#A3578E", "#7F316A", "#521544"),
        "dark": ("#22252B", "#42293F", "#6B3459", "#9A4A80", "#C970AD", "#E9A3D3", "#FBDDF1"),
    },
    "scores": {
        "light": ("#7A4508", "#B87A2A", "#DFBE83", "#F9F7F2", "#8ECBC2", "#2F9087", "#005A50"),
        "dark": ("#F3C078", "#B9813B", "#684A26", "#22252B", "#1F534E", "#2F938A", "#86E0D5"),
    },
}
"""Colours from the least number to the largest, evenly spaced, on a light and on a dark page."""

_NO_ARROW = "\u2003"  # as wide as an arrow
FEW = 6  # rows and columns that are set with generous space
_mount = part("matrix")


class Cell(NamedTuple):
    """A cell that was clicked: the table's place in the list, and row and column from 0."""

    table: int
    row: int
    column: int


@dataclass(frozen=True, eq=False, kw_only=True)
class MatrixSpec(TableSpec):
    """One matrix, ready to draw: every number is already text, every word already translated.

    `cells` should have the same number of decimals throughout. `values` are the same numbers and
    only give the colour: weights go from 0 to 1, or to `limit` where they are no shares; scores,
    and vectors without digits, are centred on 0 and end at `limit`, else at the largest. Pointing
    at a cell lights the row or column of the other matrices that stands on the same axis:
    `row_axis` and `column_axis` are free words such as "query", "key". What rows can have, columns
    can have too: `transposed` gives the same matrix with all of it turned.
    """

    kind: Kind = "plain"
    row_axis: str = ""
    column_axis: str = ""
    values: Sequence[Sequence[Number]] | None = None
    limit: Number | None = None
    legend: tuple[str, str] | tuple[()] = ()  # the numbers at the two ends of the colour bar
    masked: Sequence[Sequence[bool]] | None = None  # True = hidden by the mask, drawn hatched
    fresh: Sequence[Sequence[bool]] | None = None  # True = changed a moment ago, underlined
    sums: Sequence[Text] | None = None  # of each row
    column_sums: Sequence[Text] | None = None
    sum_title: str = "Σ"
    row_in_hand: int | None = None
    column_in_hand: int | None = None
    row_marks: Sequence[Text] | None = None  # a short text after each row, such as "= b₄"
    column_marks: Sequence[Text] | None = None  # the same beneath each column
    readouts: Sequence[Sequence[Text]] | None = None  # the line beneath, for each cell
    row_readouts: Sequence[Text] | None = None  # the same for each row label
    column_readouts: Sequence[Text] | None = None  # and for each column label
    readout_template: str = ""  # for many cells: {i} {j} {row} {column} {value}
    digits: bool = True  # False: small squares, their numbers only in the line beneath
    pick_rows: bool = False  # a click on a row label chooses that row as the query
    pick_columns: bool = False  # a click on a column label chooses that column as the query
    sign: Text = ""  # stands before the matrix: "→", "·", "="

    def as_data(self) -> dict[str, object]:
        """Write it as the browser reads it."""
        return {
            **self.header(),
            "rowAxis": self.row_axis,
            "columnAxis": self.column_axis,
            "shades": self._shades(),
            **self._measures(),
            "legend": list(self.legend),
            "masked": [[int(hidden) for hidden in row] for row in self.masked or ()],
            "fresh": [[int(changed) for changed in row] for row in self.fresh or ()],
            "hand": [self.row_in_hand, self.column_in_hand],
            "tails": self._tails(),
            "feet": self._feet(),
            "readouts": self._readouts(),
            "template": self.readout_template,
            "digits": self.digits,
            "pick": [self.pick_rows, self.pick_columns],
            "sign": pieces(self.sign),
        }

    def on_axis(self, axis: str, cell: Cell) -> int | None:
        """Give which place of an axis a cell of this matrix stands at; None if it has no such."""
        if axis and axis == self.row_axis:
            return cell.row
        return cell.column if axis and axis == self.column_axis else None

    def cell_at(self, table: int, **places: int) -> Cell | None:
        """Give the cell at these places, each named by its axis; None if an axis is missing."""
        row, column = places.get(self.row_axis), places.get(self.column_axis)
        return None if row is None or column is None else Cell(table, row, column)

    def transposed(self) -> MatrixSpec:
        """Give the same matrix with rows as columns; what it says of its shape stays as it is."""
        turned = {one: getattr(self, other) for one, other in _TURNED}
        turned |= {other: getattr(self, one) for one, other in _TURNED}
        tables = ("cells", "values", "masked", "fresh", "readouts")
        turned |= {name: _turned(getattr(self, name)) for name in tables}
        turned["exact"] = self.exact.T if hasattr(self.exact, "T") else _turned(self.exact)
        swapped = re.sub(
            r"\{(i|j|row|column)\}",
            lambda found: f"{{{_PLACEHOLDERS[found[1]]}}}",
            self.readout_template,
        )
        return replace(self, **turned, readout_template=swapped)

    def _readouts(self) -> dict[str, str | list[list[str]]]:
        """List the lines beneath by place; −1 stands for the labels."""
        cells = {
            f"{r},{c}": x for r, row in enumerate(self.readouts or ()) for c, x in enumerate(row)
        }
        rows = {f"{r},-1": text for r, text in enumerate(self.row_readouts or ())}
        columns = {f"-1,{c}": text for c, text in enumerate(self.column_readouts or ())}
        return {at: pieces(text) for at, text in (cells | rows | columns).items()}

    def _tails(self) -> list[list[list]]:
        """List what follows the head and each row: its sum, and a mark where one is in hand."""
        n_rows = len(self.row_labels)
        written = (self.sum_title, *self.sums) if self.sums else ()
        sums = [["sum", pieces(text)] for text in written]
        found = self._marks(self.row_in_hand, self.row_marks, n_rows, "◄")
        marks = [["mark", text] for text in ("", *found)] if found else []
        columns = [column for column in (sums, marks) if column]
        return [[column[place] for column in columns] for place in range(n_rows + 1)]

    def _feet(self) -> list[list]:
        """List the rows beneath the matrix: sums, and a mark where a column is in hand."""
        sums = [["", pieces(text)] for text in self.column_sums or ()]
        n_columns = len(self.column_labels)
        marks = self._marks(self.column_in_hand, self.column_marks, n_columns, "▲")
        rows = [["sums", ["corner", self.sum_title], *sums]] if sums else []
        return [*rows, ["marks", ["", ""], *(["", text] for text in marks)]] if marks else rows

    def _marks(self, hand: int | None, marks: Sequence[Text] | None, n: int, sign: str) -> list:
        """Write the mark of each row or column: an arrow at the one in hand, then its own text."""
        if hand is None and not marks:
            return []
        own = [pieces(text) for text in marks or [""] * n]
        arrows = [[f"{sign if place == hand else _NO_ARROW} ", "accent"] for place in range(n)]
        return [
            [arrow, *([[text, ""]] if isinstance(text, str) else text)]
            for arrow, text in zip(arrows, own, strict=True)
        ]

    def _measures(self) -> dict[str, object]:
        """Count how many letters wide a number and a column are, and say how the table is set."""
        number = max((len(cell) for row in self.cells for cell in row), default=1)
        label = max((_letters(text) for text in self.column_labels), default=0)
        few = len(self.column_labels) <= FEW
        look = "" if self.digits else "squares "
        if not self.digits or (label > number and not few):
            look += "tall"  # column labels run downward
        return {"widths": [number, max(number, min(7, label) if few else 0)], "look": look}

    def _shades(self) -> list[list[float]] | None:
        """Find each value's place on its colour scale: 0 to 1 for weights, else 0 in the middle.

        Vectors are shaded only where they have no digits.
        """
        if self.values is None or (self.digits and self.kind not in SCALES):
            return None
        finite = [abs(value) for row in self.values for value in row if math.isfinite(value)]
        largest = 1.0 if self.kind == "weights" else max(finite, default=0.0) or 1.0
        high = float(self.limit or largest)
        low = 0.0 if self.kind == "weights" else -high
        return [[_share(float(value), low, high) for value in row] for row in self.values]


_TURNED = (
    ("row_labels", "column_labels"),
    ("row_title", "column_title"),
    ("row_axis", "column_axis"),
    ("sums", "column_sums"),
    ("row_in_hand", "column_in_hand"),
    ("row_marks", "column_marks"),
    ("row_readouts", "column_readouts"),
    ("pick_rows", "pick_columns"),
)
_PLACEHOLDERS = {"i": "j", "j": "i", "row": "column", "column": "row"}


def _turned(table: Any) -> list[list] | None:
    return None if table is None else [list(row) for row in zip(*table, strict=True)]


def _share(value: float, low: float, high: float) -> float:
    share = 0.5 if math.isnan(value) else (value - low) / (high - low)
    return round(min(1.0, max(0.0, share)), 3)


def _letters(text: Text) -> int:
    """Measure a text in letters; a Chinese letter counts as two."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in plain(text))


def matrix(
    tables: Sequence[MatrixSpec],
    *,
    key: str,
    label: str,
    default_readout: Text,
    on_cell: Callable[[Cell], None] | None = None,
    on_query: Callable[[int], None] | None = None,
    chosen: Cell | None = None,
    tokens: Sequence[Text] = (),
    tokens_label: str = "",
    query: int | None = None,
    size: Number = 1.0,
) -> None:
    """Draw the matrices side by side, with one line beneath that reads the cell pointed at.

    Pointing and the arrow keys stay in the browser. A click or Enter on a cell calls `on_cell`; on
    a label (a row's of a matrix with `pick_rows`, a column's with `pick_columns`) or on a chip of
    the token strip it calls `on_query` with that row or column. Both are called before the page
    runs again. `tokens` draws the strip of chips above, with `query` chosen; `chosen` marks one
    cell. `size` multiplies every length.
    """
    tables = tuple(tables)
    note(key, tables)

    def cell(value: object) -> None:
        where = _cell(value, tables)
        if where is not None and on_cell is not None:
            on_cell(where)

    def asked(value: object) -> None:
        sides = (len(side) for table in tables for side in (table.row_labels, table.column_labels))
        most = max([len(tokens), *sides])
        row = index(value, most)
        if row is not None and on_query is not None:
            on_query(row)

    shaded = {table.kind for table in tables if table.values is not None}
    data = {
        "label": label,
        "tables": [table.as_data() for table in tables],
        "readout": pieces(default_readout),
        "longest": pieces(max([default_readout, *_readouts(tables)], key=_letters)),
        "chosen": chosen,
        "tokens": [pieces(text) for text in tokens],
        "tokensLabel": tokens_label,
        "query": query,
        "size": size,
        "dense": any(max(len(t.row_labels), len(t.column_labels)) > FEW for t in tables),
        "scales": {kind: SCALES.get(kind, SCALES["scores"]) for kind in sorted(shaded)},
    }
    _mount(
        key=key,
        data=packed(data),
        on_cell_change=listener(key, "cell", cell),
        on_query_change=listener(key, "query", asked),
    )


def _readouts(tables: Sequence[MatrixSpec]) -> Iterator[Text]:
    for table in tables:
        yield from (text for row in table.readouts or () for text in row)
        yield from table.row_readouts or ()
        yield from table.column_readouts or ()


def _cell(value: object, tables: Sequence[MatrixSpec]) -> Cell | None:
    if not isinstance(value, dict):
        return None
    table = index(value.get("table"), len(tables))
    if table is None:
        return None
    row = index(value.get("row"), len(tables[table].row_labels))
    column = index(value.get("column"), len(tables[table].column_labels))
    return None if row is None or column is None else Cell(table, row, column)
