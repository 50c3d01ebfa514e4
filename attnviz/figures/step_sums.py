"""Pictures of the steps that add up: the weighted sum of values, and the heads."""

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.labels import label_width
from attnviz.figures.plane import read_values, tip_to_tail
from attnviz.figures.sheet import HEADS, SIGN, Box, Sheet, cell_size
from attnviz.figures.sums import SumTable, draw_sum, draw_sum_across, factors, with_plane
from attnviz.figures.view import EDGE, TOP, View, margin


def head_outputs(view: View) -> go.Figure:
    """Draw each value times its weight, and the sum of these rows: the output.

    Where tokens are columns, the values times a column of weights, and the sum of columns.
    """
    trace, i, sheet = view.trace, view.query, view.sheet
    values, weights = read_values(trace, i), trace.weights[i]
    contributions = weights[:, None] * values
    wide, high = cell_size(*(values.T if view.columns else values).shape)
    left, top, value = margin(view.key_labels), TOP, None
    if view.columns:
        tall = high * values.shape[1]
        wide, high = cell_size(len(weights), 1)
        lower = (len(weights) * high - tall) / 2  # how much taller the column of weights is
        value = sheet.matrix(2 * EDGE, view.top + max(0.0, lower), values.T, role="value")
        view.label_tokens(sheet, value, view.key_tokens)
        left = value.right + SIGN + margin(view.key_labels) - EDGE
        top = view.top + max(0.0, -lower)
        sheet.operator(value.right + SIGN / 2, value.centre, "×")
    share = sheet.matrix(
        left,
        top,
        weights[:, None],
        shade="weights",
        size=(max(wide, 24), high),
        allowed=view.allowed[:, None],
    )
    sheet.name(share, f"α′<sub>{i + 1},j</sub>")
    sheet.row_labels(share, view.key_labels)
    if value is None:
        value = sheet.after(share, "×", values, role="value")
    j = "<sup>j</sup>" if view.columns else "<sub>j</sub>"
    read = f"v{j}"
    if trace.relative_value is not None:
        read = f"(v{j} + r<sup>v</sup><sub>{i + 1},j</sub>)"
    sheet.name(value, "V" if trace.relative_value is None else read[1:-1], "value")
    factor = f"α′<sub>{i + 1},j</sub>"
    table = SumTable(
        name=f"{factor} {read}",
        rows=contributions,
        labels=factors(weights, view.digits) if view.columns else [],
        added=[],
        results=[(view.name("b", i), trace.output[i])],
        role="output",
    )
    draw = draw_sum_across if view.columns else draw_sum
    right, bottom = draw(sheet, share if view.columns else value, table)
    bottom = max(bottom, share.bottom)
    if values.shape[1] != 2 or not view.planes:
        return sheet.figure(right + EDGE, bottom + EDGE)
    plane = tip_to_tail(view.paint, values, contributions, trace.output[i], i, "2", view.notation)
    return with_plane(sheet, right + EDGE, bottom + EDGE, plane)


def output(view: View) -> go.Figure:
    """Draw the heads side by side times W^o, and what each head adds to the output.

    Where tokens are columns, W^o times the heads, one below the other.
    """
    layer, i, sheet = view.layer, view.query, view.sheet
    n_heads = layer.n_heads
    heads = [view.t("figure.head", head=head + 1) for head in range(n_heads)]
    names = _head_names(view.name("b", i), n_heads, "," if view.columns else "")
    w_o, b_o = layer.projections.w_o, layer.projections.b_o
    part = f"{view.name('b', i)}<sup>{',' if view.columns else ''}h</sup>"
    table = SumTable(
        name=" ".join(view.notation.pair(part, "W<sup>O</sup><sub>h</sub>")),
        rows=layer.contributions[:, i],
        labels=heads,
        added=[] if b_o is None else [("b<sup>O</sup>", b_o)],
        results=[(view.name("o", i), layer.output[i])],
        role="output",
    )
    draw = _output_across if view.columns else _output_down
    return draw(view, sheet, layer.concatenated[i], w_o, table, heads, names)


def _output_down(
    view: View,
    sheet: Sheet,
    joined: np.ndarray,
    w_o: np.ndarray | None,
    table: SumTable,
    heads: list[str],
    names: list[str],
) -> go.Figure:
    row, d_v = joined[None], view.layer.head_outputs.shape[-1]
    tall = 1 if w_o is None else len(w_o) * cell_size(*w_o.shape)[1]
    top = TOP + max(0.0, (tall - cell_size(*row.shape)[1]) / 2)
    box = sheet.matrix(EDGE, top, row, role="output")
    sheet.name(box, " ‖ ".join(names), "output")
    for head, label in enumerate(heads):
        _mark_head(sheet, box, label, head, d_v, chosen=head == view.head)
    if w_o is None:
        return sheet.figure(box.right + EDGE, box.bottom + TOP)
    matrix = sheet.after(box, "×", w_o, top=TOP)
    sheet.name(matrix, "W<sup>O</sup>")
    for head in range(1, len(heads)):
        y = matrix.top + head * d_v * matrix.high
        sheet.line([(matrix.left, y), (matrix.right, y)], sheet.paint.muted, "dash", 1)
    right, bottom = draw_sum(sheet, matrix, table)
    return sheet.figure(right + EDGE, max(bottom, box.bottom + 20) + EDGE)


def _output_across(
    view: View,
    sheet: Sheet,
    joined: np.ndarray,
    w_o: np.ndarray | None,
    table: SumTable,
    heads: list[str],
    names: list[str],
) -> go.Figure:
    column, d_v, room = joined[:, None], view.layer.head_outputs.shape[-1], label_width(heads)
    top, left = TOP + HEADS, EDGE + room
    if w_o is not None:
        high = cell_size(*column.shape)[1] * len(column)
        tall = cell_size(*w_o.T.shape)[1] * w_o.shape[1]
        matrix = sheet.matrix(EDGE + 10, top + max(0.0, (high - tall) / 2), w_o.T)
        sheet.name(matrix, "W<sup>O</sup>")
        for head in range(1, len(heads)):
            x = matrix.left + head * d_v * matrix.wide
            sheet.line([(x, matrix.top), (x, matrix.bottom)], sheet.paint.muted, "dash", 1)
        sheet.operator(matrix.right + SIGN / 2, matrix.centre, "×")
        left, top = matrix.right + SIGN + room, top + max(0.0, (tall - high) / 2)
    box = sheet.matrix(left, top, column, role="output")
    sheet.name(box, "; ".join(names), "output")
    for head, label in enumerate(heads):
        _mark_head_beside(sheet, box, label, head, d_v, chosen=head == view.head)
    if w_o is None:
        return sheet.figure(box.right + 3 * EDGE, box.bottom + EDGE)
    right, bottom = draw_sum_across(sheet, box, table)
    return sheet.figure(right + EDGE, max(bottom, box.bottom) + EDGE)


def _head_names(name: str, n_heads: int, between: str) -> list[str]:
    shown = range(1, n_heads + 1) if n_heads <= 3 else (1, n_heads)
    names = [f"{name}<sup>{between}{head}</sup>" for head in shown]
    return names if n_heads <= 3 else [names[0], "…", names[1]]


def _mark_head(sheet: Sheet, row: Box, label: str, head: int, d_v: int, *, chosen: bool) -> None:
    """Write a head's name under its part of the row, and part it from the one before."""
    start, wide = row.left + head * d_v * row.wide, d_v * row.wide
    if head:
        sheet.line([(start, row.top), (start, row.bottom)], sheet.paint.muted, "dash", 1)
    if wide > 40:
        colour = sheet.paint.accent if chosen else sheet.paint.muted
        sheet.text(start + wide / 2, row.bottom + 18, label, colour, 14)


def _mark_head_beside(
    sheet: Sheet, column: Box, label: str, head: int, d_v: int, *, chosen: bool
) -> None:
    """Write a head's name beside its part of the column, and part it from the one before."""
    start, high = column.top + head * d_v * column.high, d_v * column.high
    if head:
        sheet.line([(column.left, start), (column.right, start)], sheet.paint.muted, "dash", 1)
    if high > 16:
        colour = sheet.paint.accent if chosen else sheet.paint.muted
        sheet.text(column.left - 14, start + high / 2, label, colour, 14, "middle left")
