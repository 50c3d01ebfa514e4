"""A sheet of paper for small matrices: brackets, digits, operators and arrows, placed by pixel.

Plotly has one subplot too many for every matrix of a formula; a sheet is a single pair of hidden
axes, one unit a pixel, first row on top. All lettering is one trace and every kind of line another,
so a sheet is built in about two milliseconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Shaped

from attnviz.figures.cells import scale_of, value_range
from attnviz.figures.theme import (
    DASHES,
    FONT,
    THEMES,
    Number,
    Scale,
    Theme,
    ThemeName,
    drawn,
    faded,
    layout,
)
from attnviz.text.numbers import table

Role = Literal["query", "key", "value", "output", "plain"]
Shade = Literal["none", "scores", "weights"]

HEADS = 22  # the room of labels above columns
SIGN = 50  # the room of an operator between two matrices
DIGITS_WIDE, DIGITS_HIGH = 52, 38  # a cell that holds −12.34 at 16 px
Beside = tuple[list[dict], dict, Number]  # traces, axes and width in pixels of a plane
MOST_DIGIT_ROWS, MOST_DIGIT_COLUMNS = 12, 8
_MAP_SIZE = 230  # the longer side of a matrix without digits
_SMALLEST_CELL, _LARGEST_CELL = 3, 24
_SERIF = 7  # how far a bracket's ends reach inwards
_OUTSIDE = 5


@dataclass(frozen=True)
class Box:
    """Where a matrix lies: its corners, and the size of a cell."""

    left: Number
    top: Number
    right: Number
    bottom: Number
    wide: Number
    high: Number

    @property
    def middle(self) -> Number:
        """Half-way across."""
        return (self.left + self.right) / 2

    @property
    def centre(self) -> Number:
        """Half-way down."""
        return (self.top + self.bottom) / 2

    def row(self, row: int) -> Number:
        """Give the height of the middle of a row."""
        return self.top + (row + 0.5) * self.high

    def column(self, column: int) -> Number:
        """Give the middle of a column."""
        return self.left + (column + 0.5) * self.wide


@dataclass
class Sheet:
    """Collects what is to be drawn; `figure` draws it."""

    theme: ThemeName
    digits: int
    _cells: list[dict] = field(default_factory=list)
    _texts: list[tuple[Number, Number, str, str, int, str]] = field(default_factory=list)
    _strokes: dict[tuple[str, str, Number], tuple[list, list]] = field(default_factory=dict)
    _frames: list[dict] = field(default_factory=list)
    _headed: set[tuple[Number, Number]] = field(default_factory=set)

    @property
    def paint(self) -> Theme:
        """The colours of this sheet."""
        return THEMES[self.theme]

    def ink(self, role: Role) -> str:
        """Give the lettering colour of a query, key, value, output, or of anything else."""
        return self.paint.text if role == "plain" else self.paint.inks[role]

    def matrix(
        self,
        left: Number,
        top: Number,
        array: Shaped[np.ndarray, "rows columns"],
        *,
        role: Role = "plain",
        shade: Shade = "none",
        size: tuple[Number, Number] | None = None,
        limits: tuple[Number, Number] | None = None,
        allowed: Shaped[np.ndarray, "rows columns"] | None = None,
        bold: bool = False,
    ) -> Box:
        """Draw a matrix between brackets: with digits where they fit, as colours elsewhere."""
        n_rows, n_columns = array.shape
        wide, high = size or cell_size(n_rows, n_columns)
        box = Box(left, top, left + n_columns * wide, top + n_rows * high, wide, high)
        lettered = wide >= DIGITS_WIDE - 8
        seen = np.isfinite(array) if allowed is None else np.isfinite(array) & allowed
        if shade != "none" or not lettered:
            scale, low, high_ = self._scale(array, shade, limits)
            self._map(array, seen, scale, low, high_, box, gap=2 if lettered else 0)
            shares = np.where(seen, (np.where(seen, array, 0) - low) / (high_ - low), np.nan)
            inks = scale.inks_on(shares)
        else:
            inks = [self.ink(role) if role != "plain" else self.paint.text] * array.size
        if lettered:
            self._write(array, seen, box, inks, shade, bold=bold)
        self.brackets(box, role)
        return box

    def after(
        self,
        box: Box,
        sign: str,
        array: Shaped[np.ndarray, "rows columns"],
        *,
        role: Role = "plain",
        shade: Shade = "none",
        top: Number | None = None,
        size: tuple[Number, Number] | None = None,
        limits: tuple[Number, Number] | None = None,
    ) -> Box:
        """Draw a matrix to the right of another, with an operator between them."""
        self.operator(box.right + SIGN / 2, box.centre, sign)
        y = box.top if top is None else top
        return self.matrix(
            box.right + SIGN, y, array, role=role, shade=shade, size=size, limits=limits
        )

    def brackets(self, box: Box, role: Role) -> None:
        """Draw square brackets in the colour and dash of a role."""
        colour = self.paint.muted if role == "plain" else self.paint.colours[role]
        dash = "solid" if role == "plain" else DASHES[role]
        for edge, inward in ((box.left - _OUTSIDE, _SERIF), (box.right + _OUTSIDE, -_SERIF)):
            self.line(
                [
                    (edge + inward, box.top - 2),
                    (edge, box.top - 2),
                    (edge, box.bottom + 2),
                    (edge + inward, box.bottom + 2),
                ],
                colour,
                dash,
                2,
            )

    def name(self, box: Box, text: str, role: Role = "plain", *, below: bool = False) -> None:
        """Write a matrix's name above or below it, with its shape: rows × columns."""
        n_rows = round((box.bottom - box.top) / box.high)
        n_columns = round((box.right - box.left) / box.wide)
        size = f'<span style="font-size:13px;color:{self.paint.muted}">{n_rows}×{n_columns}</span>'
        over = 20 + (HEADS if (box.left, box.top) in self._headed else 0)
        y = box.bottom + 20 if below else box.top - over
        self.text(box.middle, y, f"<b>{text}</b>  {size}", self.ink(role), 17)

    def row_labels(
        self, box: Box, labels: Sequence[str], bold: int | None = None, *, colour: str = ""
    ) -> None:
        """Write a label at the left of each row, where there is room for them."""
        if len(labels) > MOST_DIGIT_ROWS or box.high < 18:
            return
        for row, label in enumerate(labels):
            text = f"<b>{label}</b>" if row == bold else label
            self.text(box.left - 14, box.row(row), text, colour, anchor="middle left")

    def column_labels(
        self,
        box: Box,
        labels: Sequence[str],
        bold: int | None = None,
        *,
        colour: str = "",
        size: int = 15,
    ) -> None:
        """Write a label above each column, where there is room for them; a name goes over them."""
        if len(labels) > MOST_DIGIT_ROWS or box.wide < DIGITS_WIDE - 8:
            return
        self._headed.add((box.left, box.top))
        for column, label in enumerate(labels):
            text = f"<b>{label}</b>" if column == bold else label
            self.text(box.column(column), box.top - 14, text, colour, size)

    def text(
        self,
        x: Number,
        y: Number,
        text: str,
        colour: str = "",
        size: int = 15,
        anchor: str = "middle center",
    ) -> None:
        """Write one text; the anchor says on which side of the place it stands, as in Plotly."""
        self._texts.append((x, y, text, colour or self.paint.text, size, anchor))

    def operator(self, x: Number, y: Number, sign: str) -> None:
        """Write ×, =, + or → between two matrices."""
        self.text(x, y, sign, self.paint.text, 22)

    def line(
        self,
        points: Sequence[tuple[Number, Number]],
        colour: str,
        dash: str = "solid",
        width: Number = 2,
    ) -> None:
        """Draw a line through the points."""
        xs, ys = self._strokes.setdefault((colour, dash, width), ([], []))
        for x, y in points:
            xs.append(x)
            ys.append(y)
        xs.append(None)
        ys.append(None)

    def frame(self, box: Box, place: int, *, column: bool = False) -> None:
        """Outline one row, or one column."""
        across, down = (box.left - 2, box.right + 2), (box.top - 2, box.bottom + 2)
        if column:
            across = (box.column(place) - box.wide / 2, box.column(place) + box.wide / 2)
        else:
            down = (box.row(place) - box.high / 2, box.row(place) + box.high / 2)
        corners = {"x0": across[0], "x1": across[1], "y0": down[0], "y1": down[1]}
        line = {"color": self.paint.text, "width": 2}
        self._frames.append({"type": "rect", "line": line} | corners)

    def figure(
        self,
        width: Number,
        height: Number,
        *,
        beside: Beside | None = None,
    ) -> go.Figure:
        """Draw everything; `beside` adds a plane: its traces, its axes, and its width in pixels."""
        plane_data, plane_axes, plane_width = beside or ([], {}, 0)
        whole = width + plane_width
        drawing = layout(self.paint, width=whole, height=height, margin=(0, 0, 0, 0))
        hidden = {"visible": False, "fixedrange": True}
        drawing["xaxis"] = hidden | {
            "range": [0, width],
            "domain": [0, width / whole],
            "scaleanchor": "y",
            "constrain": "domain",
            "constraintoward": "left",
        }
        drawing["yaxis"] = hidden | {
            "range": [height, 0],
            "constrain": "domain",
            "constraintoward": "top",
        }
        drawing["shapes"] = self._frames
        drawing |= plane_axes
        return drawn([*self._cells, *self._lines(), self._lettering(), *plane_data], drawing)

    def _scale(
        self, array: np.ndarray, shade: Shade, limits: tuple[Number, Number] | None
    ) -> tuple[Scale, Number, Number]:
        kind = "weights" if shade == "weights" else "scores"
        low, high = limits or value_range(array, kind)
        return scale_of(self.paint, kind), low, high

    def _map(
        self,
        array: np.ndarray,
        seen: np.ndarray,
        scale: Scale,
        low: Number,
        high: Number,
        box: Box,
        *,
        gap: int,
    ) -> None:
        self._cells.append(
            {
                "type": "heatmap",
                "z": np.where(seen, array, np.nan).astype(np.float32),
                "x0": box.column(0),
                "dx": box.wide,
                "y0": box.row(0),
                "dy": box.high,
                "zmin": low,
                "zmax": high,
                "colorscale": scale.colorscale,
                "showscale": False,
                "xgap": gap,
                "ygap": gap,
                "hoverinfo": "skip",
            }
        )
        if gap:
            for row, column in np.argwhere(~seen).tolist():
                self._hatch(box, row, column)
        elif not seen.all():
            self._cells.append(
                self._cells[-1]
                | {"z": (~seen).astype(np.uint8), "zmin": 0, "zmax": 1}
                | {"colorscale": self.paint.forbidden}
            )

    def _hatch(self, box: Box, row: int, column: int) -> None:
        x, y = box.column(column), box.row(row)
        half, slant = box.high * 0.42, box.high * 0.28
        for offset in (-box.wide / 3, 0, box.wide / 3):
            self.line(
                [(x + offset - slant, y + half), (x + offset + slant, y - half)],
                faded(self.paint.hatch, 0.6),
                "solid",
                1,
            )

    def _write(
        self,
        array: np.ndarray,
        seen: np.ndarray,
        box: Box,
        inks: list[str],
        shade: Shade,
        *,
        bold: bool,
    ) -> None:
        finite = np.isfinite(array)
        written = table(np.where(finite, array, 0).tolist(), self.digits)
        hidden = "0" if shade == "weights" else "−∞"
        for row, texts in enumerate(written):
            for column, text in enumerate(texts):
                ink = inks[row * len(texts) + column]
                shown = text if seen[row, column] else hidden
                shown = f"<b>{shown}</b>" if bold else shown
                self.text(box.column(column), box.row(row), shown, ink, 16)

    def _lettering(self) -> dict:
        xs, ys, texts, colours, sizes, anchors = zip(*self._texts, strict=True)
        return {
            "type": "scatter",
            "mode": "text",
            "x": np.array(xs, dtype=np.float32),
            "y": np.array(ys, dtype=np.float32),
            "text": texts,
            "textfont": {"family": FONT, "size": sizes, "color": colours},
            "textposition": anchors,
            "hoverinfo": "skip",
            "cliponaxis": False,
        }

    def _lines(self) -> list[dict]:
        return [
            {
                "type": "scatter",
                "mode": "lines",
                "x": xs,
                "y": ys,
                "line": {"color": colour, "dash": dash, "width": width},
                "hoverinfo": "skip",
                "cliponaxis": False,
            }
            for (colour, dash, width), (xs, ys) in self._strokes.items()
        ]


def cell_size(n_rows: int, n_columns: int) -> tuple[Number, Number]:
    """Give a cell's width and height: room for digits up to 12 × 8, small cells beyond."""
    if n_rows <= MOST_DIGIT_ROWS and n_columns <= MOST_DIGIT_COLUMNS:
        return DIGITS_WIDE, DIGITS_HIGH
    return map_size(n_rows, n_columns)


def map_size(n_rows: int, n_columns: int) -> tuple[Number, Number]:
    """Give the width and height of a cell without digits; the whole is never above 230 pixels."""
    wide, high = (
        min(max(_MAP_SIZE / n, _SMALLEST_CELL), _LARGEST_CELL) for n in (n_columns, n_rows)
    )
    return wide, high
