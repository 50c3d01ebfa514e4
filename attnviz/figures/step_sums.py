"""Pictures of the steps that add up: scores, the mask, the weighted sum of values, the heads."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Shaped

from attnviz.figures.cell_formulas import score_vectors
from attnviz.figures.labels import subscript
from attnviz.figures.plane import Plane, compass, read_values, tip_to_tail
from attnviz.figures.sheet import SIGN, Box, Sheet, cell_size
from attnviz.figures.sums import SumTable, draw_sum
from attnviz.figures.theme import Number
from attnviz.figures.view import EDGE, MOST_NAMED, TOP, View, margin

_PLANE_WIDE, _PLANE_HIGH = 380, 300
_NAMES = {
    "dot": ("q{i}", "K"),
    "cosine": ("q{i}/‖q{i}‖", "K/‖k‖"),
    "bilinear": ("q{i}W", "K"),
    "additive": ("vₐ", "tanh(…)"),
}


def scores(view: View) -> go.Figure:
    """Draw q over the keys, their products, and the sum of each row: one score a key."""
    trace, i, sheet = view.trace, view.query, view.sheet
    terms = [score_vectors(trace, i, key) for key in range(trace.n_key)]
    left, right = terms[0][0][None], np.stack([right for _, right in terms])
    asked, keys = (name.format(i=subscript(i)) for name in _NAMES[trace.choices.score])
    wide, high = cell_size(*right.shape)
    x = margin(view.key_labels) + 20
    query = sheet.matrix(x, TOP, left, role="query", size=(wide, max(high, 24)))
    sheet.name(query, asked, "query")
    key = sheet.matrix(x, query.bottom + 34, right, role="key", size=(wide, high))
    sheet.operator(key.middle, query.bottom + 17, "×")
    sheet.row_labels(key, view.key_labels)
    sheet.name(key, keys, "key", below=True)
    products = sheet.after(key, "=", left * right)
    sheet.name(products, f"{asked} ⊙ {keys}")
    column = trace.scores[i][:, None]
    made = sheet.after(products, "→", column, shade="scores", limits=_limits(trace.scores))
    sheet.text(products.right + SIGN / 2, products.centre - 20, "Σ", size=16)
    sheet.name(made, f"α<sub>{i + 1},j</sub>")
    width, height = max(made.right + EDGE, made.middle + 60), key.bottom + 44
    if trace.choices.score != "dot" or left.shape[1] != 2 or trace.relative_key is not None:
        return sheet.figure(width, height)
    return _beside(sheet, width, height, compass(view.paint, trace.query[i], trace.key, i, "2"))


def masked_scores(view: View) -> go.Figure:
    """Draw the row of scores, what is added to it, and the row behind the mask."""
    trace, i, sheet = view.trace, view.query, view.sheet
    few = trace.n_key <= MOST_NAMED
    size = (62, 40) if few else (max(6, 720 / trace.n_key), 30)
    allowed = np.isfinite(trace.masked_scores[i])
    rows = [("α", trace.scaled_scores[i])]
    if trace.bias is not None:
        rows.append(("+ B", trace.bias[i]))
    rows.append(("=", trace.masked_scores[i]))
    left, top = 96, EDGE + 26
    lowest = top
    for label, row in rows:
        seen = allowed if label == "=" else np.isfinite(row)
        box = sheet.matrix(
            left,
            lowest,
            row[None],
            shade="scores",
            size=size,
            limits=_limits(trace.masked_scores),
            allowed=seen[None],
        )
        sheet.text(left - 22, box.centre, f"<b>{label}</b>", size=17, anchor="middle left")
        lowest = box.bottom + 26
    for column, token in enumerate(view.key_labels if few else []):
        sheet.text(left + (column + 0.5) * size[0], top - 20, token)
    asking, muted = f"{view.query_labels[i]} →", sheet.paint.muted
    sheet.text(left - 22, top - 20, asking, muted, 14, "middle left")
    if not allowed.all():
        sheet.text(left, lowest, view.t("figure.hatched"), muted, 14, "middle right")
    return sheet.figure(max(left + trace.n_key * size[0] + EDGE, 420), lowest + 20)


def head_outputs(view: View) -> go.Figure:
    """Draw each value times its weight, and the sum of these rows: the output."""
    trace, i, sheet = view.trace, view.query, view.sheet
    values, weights = read_values(trace, i), trace.weights[i]
    contributions = weights[:, None] * values
    wide, high = cell_size(*values.shape)
    share = sheet.matrix(
        margin(view.key_labels),
        TOP,
        weights[:, None],
        shade="weights",
        size=(max(wide, 24), high),
        allowed=np.isfinite(trace.masked_scores[i])[:, None],
    )
    sheet.name(share, f"α′<sub>{i + 1},j</sub>")
    sheet.row_labels(share, view.key_labels)
    value = sheet.after(share, "×", values, role="value")
    sheet.name(value, "V", "value")
    table = SumTable(
        name=f"α′<sub>{i + 1},j</sub> v<sub>j</sub>",
        rows=contributions,
        labels=[],
        added=[],
        results=[(f"b{subscript(i)}", trace.output[i])],
        role="output",
    )
    right, bottom = draw_sum(sheet, value, table)
    if values.shape[1] != 2:
        return sheet.figure(right + EDGE, bottom + EDGE)
    plane = tip_to_tail(view.paint, values, contributions, trace.output[i], i, "2")
    return _beside(sheet, right + EDGE, bottom + EDGE, plane)


def output(view: View) -> go.Figure:
    """Draw the heads side by side times W^o, and what each head adds to the output."""
    layer, i, sheet = view.layer, view.query, view.sheet
    n_heads, _, d_v = layer.head_outputs.shape
    heads = [view.t("figure.head", head=head + 1) for head in range(n_heads)]
    row, w_o, b_o = layer.concatenated[i : i + 1], layer.projections.w_o, layer.projections.b_o
    tall = 1 if w_o is None else len(w_o) * cell_size(*w_o.shape)[1]
    top = TOP + max(0.0, (tall - cell_size(*row.shape)[1]) / 2)
    joined = sheet.matrix(EDGE, top, row, role="output")
    sheet.name(joined, " ‖ ".join(_head_names(i, n_heads)), "output")
    for head, label in enumerate(heads):
        _mark_head(sheet, joined, label, head, d_v, chosen=head == view.head)
    if w_o is None:
        return sheet.figure(joined.right + EDGE, joined.bottom + TOP)
    matrix = sheet.after(joined, "×", w_o, top=TOP)
    sheet.name(matrix, "W<sup>O</sup>")
    for head in range(1, n_heads):
        y = matrix.top + head * d_v * matrix.high
        sheet.line([(matrix.left, y), (matrix.right, y)], sheet.paint.muted, "dash", 1)
    table = SumTable(
        name=f"b{subscript(i)}<sup>h</sup> W<sup>O</sup><sub>h</sub>",
        rows=layer.contributions[:, i],
        labels=heads,
        added=[] if b_o is None else [("b<sup>O</sup>", b_o)],
        results=[(f"o{subscript(i)}", layer.output[i])],
        role="output",
    )
    right, bottom = draw_sum(sheet, matrix, table)
    return sheet.figure(right + EDGE, max(bottom, joined.bottom + 20) + EDGE)


def _head_names(i: int, n_heads: int) -> list[str]:
    shown = range(1, n_heads + 1) if n_heads <= 3 else (1, n_heads)
    names = [f"b{subscript(i)}<sup>{head}</sup>" for head in shown]
    return names if n_heads <= 3 else [names[0], "…", names[1]]


def _mark_head(sheet: Sheet, row: Box, label: str, head: int, d_v: int, *, chosen: bool) -> None:
    """Write a head's name under its part of the row, and part it from the one before."""
    start, wide = row.left + head * d_v * row.wide, d_v * row.wide
    if head:
        sheet.line([(start, row.top), (start, row.bottom)], sheet.paint.muted, "dash", 1)
    if wide > 40:
        colour = sheet.paint.accent if chosen else sheet.paint.muted
        sheet.text(start + wide / 2, row.bottom + 18, label, colour, 14)


def _beside(sheet: Sheet, width: Number, height: Number, plane: Plane) -> go.Figure:
    """Put a plane at the right of a sheet."""
    height, whole = max(height, _PLANE_HIGH), width + _PLANE_WIDE
    across = ((width + 40) / whole, 1 - 12 / whole)
    data, axes = plane.drawn(_PLANE_WIDE - 52, height - 42, across, (30 / height, 1 - 12 / height))
    return sheet.figure(width, height, beside=(data, axes, _PLANE_WIDE))


def _limits(table: Shaped[np.ndarray, "..."]) -> tuple[Number, Number]:
    largest = float(np.abs(table[np.isfinite(table)]).max(initial=0)) or 1.0
    return -largest, largest
