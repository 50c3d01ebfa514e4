"""The anatomy of a weighted sum: rows under each other, a line below, and what they add up to."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.figures.labels import label_width
from attnviz.figures.sheet import SIGN, Box, Role, Sheet, cell_size
from attnviz.figures.theme import Number
from attnviz.figures.view import MOST_NAMED
from attnviz.figures.writing import PLAIN

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


def factors(values: Float[np.ndarray, " row"], digits: int) -> list[str]:
    """Write the multiplier that stands before each row: 0 ×."""
    return [f"{PLAIN.factor(value, digits)} ×" for value in values.tolist()]


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
