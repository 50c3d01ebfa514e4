"""The anatomy of a weighted sum: rows under each other, a line below, and what they add up to.

Where tokens are columns: columns side by side, a line at their right, and what they add up to.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.labels import label_width
from attnviz.figures.plane import Plane
from attnviz.figures.sheet import DIGITS_WIDE, HEADS, SIGN, Box, Role, Shade, Sheet, cell_size
from attnviz.figures.theme import Number
from attnviz.figures.view import MOST_NAMED
from attnviz.figures.writing import PLAIN

PLANE_WIDE, PLANE_HIGH = 380, 300
_FACTOR_WIDE = 60  # a column with a factor above it

Row = tuple[str, Float[np.ndarray, " column"]]


@dataclass(frozen=True, eq=False)
class SumTable:
    """What is added up: the rows with their labels, then further rows, then one or more results.

    The last result is the sum as the formula names it; an earlier one is a stage on the way.
    """

    name: str
    rows: Float[np.ndarray, "row column"]
    labels: Sequence[str]
    added: Sequence[Row]
    results: Sequence[Row]
    role: Role
    shade: Shade = "none"
    limits: tuple[Number, Number] | None = None


def factors(values: Float[np.ndarray, " row"], digits: int) -> list[str]:
    """Write the multiplier that stands before each row: 0 ×."""
    return [f"{PLAIN.factor(value, digits)} ×" for value in values.tolist()]


def draw_sum_across(sheet: Sheet, box: Box, table: SumTable) -> tuple[Number, Number]:
    """Draw the sum of columns to the right of a matrix; give the right and the lower end."""
    columns = table.rows.T
    wide, high = cell_size(*columns.shape)
    wide = max(wide, _FACTOR_WIDE) if wide >= DIGITS_WIDE else wide
    top = box.centre - len(columns) * high / 2
    sheet.operator(box.right + SIGN / 2, box.centre, "=")
    terms = sheet.matrix(box.right + SIGN, top, columns, size=(wide, high))
    sheet.column_labels(terms, table.labels, colour=sheet.paint.muted, size=13)
    sheet.name(terms, table.name, below=True)
    size = cell_size(len(columns), 1)  # one column has room for digits where many have none
    right, top = terms.right, box.centre - len(columns) * size[1] / 2
    for name, column in table.added:
        sheet.operator(right + 20, box.centre, "+")
        added = sheet.matrix(right + 40, top, column[:, None], size=size)
        sheet.text(added.middle, top - 18, name, size=16)
        right = added.right
    x, lowest = right + 18, top + len(columns) * size[1]
    sheet.line([(x, top - 10), (x, lowest + 10)], sheet.paint.text, width=1.5)
    sheet.text(x, top - HEADS, "+", size=18)
    right += 36
    for name, column in table.results:
        made = sheet.matrix(
            right,
            top,
            column[:, None],
            role=table.role,
            size=size,
            shade=table.shade,
            limits=table.limits,
            bold=True,
        )
        ink = sheet.ink(table.role)
        sheet.text(made.middle, top - 20, f"<b>{name}</b>", ink, 17)
        right = made.right + 30
    return right, max(terms.bottom + 34, box.bottom, lowest)


def draw_sum(sheet: Sheet, box: Box, table: SumTable) -> tuple[Number, Number]:
    """Draw a sum to the right of a matrix; give the right and the lower end of the drawing."""
    wide, high = cell_size(*table.rows.shape)
    left = box.right + SIGN + 20
    if table.labels and len(table.labels) <= MOST_NAMED:
        left += label_width(table.labels) - 10
    sheet.operator(box.right + SIGN / 2, box.centre, "=")
    rows = sheet.matrix(left, box.top, table.rows, size=(wide, high))
    sheet.name(rows, table.name)
    sheet.row_labels(rows, table.labels, colour=sheet.paint.muted)
    size, y = (wide, max(high, 24)), rows.bottom + 8
    for name, row in table.added:
        added = sheet.matrix(left, y + 4, row[None], size=size)
        sheet.text(left - 14, added.centre, f"+ {name}", size=16, anchor="middle left")
        y = added.bottom + 8
    sheet.line([(left - 10, y + 4), (rows.right + 10, y + 4)], sheet.paint.text, width=1.5)
    sheet.text(rows.right + 18, y - 4, "+", size=18, anchor="middle right")
    y += 14
    for name, row in table.results:
        made = sheet.matrix(left, y, row[None], role=table.role, size=size, bold=True)
        label, ink = f"<b>{name}</b>", sheet.ink(table.role)
        sheet.text(left - 14, made.centre, label, ink, 17, "middle left")
        y = made.bottom + 12
    return rows.right + 30, max(y - 12, box.bottom)


def with_plane(sheet: Sheet, width: Number, height: Number, plane: Plane) -> go.Figure:
    """Put a plane at the right of a sheet."""
    height, whole = max(height, PLANE_HIGH), width + PLANE_WIDE
    across = ((width + 40) / whole, 1 - 12 / whole)
    data, axes = plane.drawn(PLANE_WIDE - 52, height - 42, across, (30 / height, 1 - 12 / height))
    return sheet.figure(width, height, beside=(data, axes, PLANE_WIDE))
