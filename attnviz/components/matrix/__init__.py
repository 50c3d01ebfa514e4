"""Labelled matrices side by side: read, point, click, or walk through them with the arrow keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from unicodedata import east_asian_width

from attnviz.components import Number, Text, index, listener, packed, part, pieces, plain

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

FEW = 6  # rows and columns that are set with generous space
_mount = part("matrix")


class Cell(NamedTuple):
    """A cell that was clicked: the table's place in the list, and row and column from 0."""

    table: int
    row: int
    column: int


@dataclass(frozen=True, eq=False, kw_only=True)
class MatrixSpec:
    """One matrix, ready to draw: every number is already text, every word already translated.

    `cells` should have the same number of decimals throughout. `values` are the same numbers and
    only give the colour: scores are centred on 0 and end at `limit`, else at the largest; weights
    go from 0 to 1, or to `limit` where they are no shares. Pointing at a cell lights the row or
    column of the other matrices that stands on the same axis: `row_axis` and `column_axis` are
    free words such as "query", "key".
    """

    name: Text
    label: str  # read aloud as the name of the table
    cells: Sequence[Sequence[str]]
    row_labels: Sequence[Text]
    column_labels: Sequence[Text]
    kind: Kind = "plain"
    title: str = ""  # a few quiet words after the name
    shape: str = ""
    row_title: str = ""
    column_title: str = ""
    row_axis: str = ""
    column_axis: str = ""
    values: Sequence[Sequence[Number]] | None = None
    limit: Number | None = None
    legend: tuple[str, str] | tuple[()] = ()  # the numbers at the two ends of the colour bar
    masked: Sequence[Sequence[bool]] | None = None  # True = hidden by the mask, drawn hatched
    sums: Sequence[str] | None = None
    sum_title: str = "Σ"
    row_in_hand: int | None = None
    row_marks: Sequence[Text] | None = None  # a short text after each row, such as "= b₄"
    readouts: Sequence[Sequence[Text]] | None = None  # the line beneath, for each cell
    row_readouts: Sequence[Text] | None = None  # the same for each row label
    readout_template: str = ""  # for many cells: {i} {j} {row} {column} {value}
    digits: bool = True  # False: small squares, their numbers only in the line beneath
    pick_rows: bool = False  # a click on a row label chooses that row as the query
    sign: Text = ""  # stands before the matrix: "→", "·", "="

    def as_data(self) -> dict[str, object]:
        """Write it as the browser reads it."""
        return {
            "name": pieces(self.name),
            "label": self.label,
            "kind": self.kind,
            "title": self.title,
            "shape": self.shape,
            "rows": [pieces(text) for text in self.row_labels],
            "columns": [pieces(text) for text in self.column_labels],
            "rowTitle": self.row_title,
            "columnTitle": self.column_title,
            "rowAxis": self.row_axis,
            "columnAxis": self.column_axis,
            "cells": [list(row) for row in self.cells],
            "shades": self._shades(),
            **self._measures(),
            "legend": list(self.legend),
            "masked": [[int(hidden) for hidden in row] for row in self.masked or ()],
            "sums": None if self.sums is None else list(self.sums),
            "sumTitle": self.sum_title,
            "hand": self.row_in_hand,
            "marks": [pieces(text) for text in self.row_marks or ()],
            "readouts": [[pieces(text) for text in row] for row in self.readouts or ()],
            "rowReadouts": [pieces(text) for text in self.row_readouts or ()],
            "template": self.readout_template,
            "digits": self.digits,
            "pick": self.pick_rows,
            "sign": pieces(self.sign),
        }

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
        """Find each value's place on its colour scale, from 0 to 1; 0 is the middle for scores."""
        if self.values is None or self.kind not in ("scores", "weights"):
            return None
        finite = [abs(value) for row in self.values for value in row if math.isfinite(value)]
        largest = 1.0 if self.kind == "weights" else max(finite, default=0.0) or 1.0
        high = float(self.limit or largest)
        low = -high if self.kind == "scores" else 0.0
        return [[_share(float(value), low, high) for value in row] for row in self.values]


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
    a row label (of a matrix with `pick_rows`) or on a chip of the token strip it calls `on_query`
    with that row. Both are called before the page runs again. `tokens` draws the strip of chips
    above, with `query` chosen; `chosen` marks one cell. `size` multiplies every length.
    """
    tables = tuple(tables)

    def cell(value: object) -> None:
        where = _cell(value, tables)
        if where is not None and on_cell is not None:
            on_cell(where)

    def asked(value: object) -> None:
        most = max([len(tokens), *(len(table.row_labels) for table in tables)])
        row = index(value, most)
        if row is not None and on_query is not None:
            on_query(row)

    kinds = {table.kind for table in tables}
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
        "scales": {kind: scale for kind, scale in SCALES.items() if kind in kinds},
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


def _cell(value: object, tables: Sequence[MatrixSpec]) -> Cell | None:
    if not isinstance(value, dict):
        return None
    table = index(value.get("table"), len(tables))
    if table is None:
        return None
    row = index(value.get("row"), len(tables[table].row_labels))
    column = index(value.get("column"), len(tables[table].column_labels))
    return None if row is None or column is None else Cell(table, row, column)
