"""Pictures of the steps that give a query its scores: the products, and the mask."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Shaped

from attnviz.figures.cell_formulas import score_vectors
from attnviz.figures.labels import label_width
from attnviz.figures.plane import compass
from attnviz.figures.sheet import DIGITS_WIDE, HEADS, SIGN, Sheet, cell_size
from attnviz.figures.sums import Row, SumTable, draw_sum_across, factors, with_plane
from attnviz.figures.theme import Number
from attnviz.figures.view import EDGE, MOST_NAMED, TOP, View, margin
from attnviz.figures.whole import scaled_name
from attnviz.figures.writing import PLAIN

_NAMES = {
    "dot": ("q{i}", "K"),
    "cosine": ("q{i}/‖q{i}‖", "K/‖k‖"),
    "bilinear": ("q{i}W", "K"),
    "additive": ("vₐ", "tanh(…)"),
}
_NAMES_IN_COLUMNS = {
    "dot": ("q{i}", "K<sup>⊤</sup>"),
    "cosine": ("q{i}/‖q{i}‖", "K<sup>⊤</sup>/‖k‖"),
    "bilinear": ("Wq{i}", "K<sup>⊤</sup>"),
    "additive": ("vₐ", "tanh(…)<sup>⊤</sup>"),
}
_MOVED = {  # by a relative position
    "dot": ("q{i}", "({moved})"),
    "cosine": ("q{i}/‖q{i}‖", "({moved})/‖…‖"),
    "bilinear": ("q{i}W", "({moved})"),
}
_MOVED_IN_COLUMNS = {
    "dot": ("q{i}", "({moved})<sup>⊤</sup>"),
    "cosine": ("q{i}/‖q{i}‖", "({moved})<sup>⊤</sup>/‖…‖"),
    "bilinear": ("Wq{i}", "({moved})<sup>⊤</sup>"),
}


def scores(view: View) -> go.Figure:
    """Draw q over the keys, their products, and the sum of each row: one score a key.

    Where tokens are columns, the keys times q as a column, and the sum of their scaled columns.
    """
    trace, i, sheet = view.trace, view.query, view.sheet
    terms = [score_vectors(trace, i, key) for key in range(trace.n_key)]
    left, right = terms[0][0][None], np.stack([right for _, right in terms])
    named = _NAMES_IN_COLUMNS if view.columns else _NAMES
    if trace.relative_key is not None:
        named = named | (_MOVED_IN_COLUMNS if view.columns else _MOVED)
    j = "<sup>j</sup>" if view.columns else "<sub>j</sub>"
    moved = f"k{j} + r<sup>k</sup><sub>{i + 1},j</sub>"
    names = [
        name.format(i=view.notation.index(i), moved=moved) for name in named[trace.choices.score]
    ]
    draw = _scores_across if view.columns else _scores_down
    width, height = draw(view, sheet, left, right, (names[0], names[1]))
    plain = trace.choices.score == "dot" and trace.relative_key is None
    if not (view.planes and plain and left.shape[1] == 2):
        return sheet.figure(width, height)
    plane = compass(view.paint, trace.query[i], trace.key, i, "2", view.notation)
    return with_plane(sheet, width, height, plane)


def _scores_down(
    view: View, sheet: Sheet, left: np.ndarray, right: np.ndarray, names: tuple[str, str]
) -> tuple[Number, Number]:
    trace, i, (asked, keys) = view.trace, view.query, names
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
    return max(made.right + EDGE, made.middle + 60), key.bottom + 44


def _scores_across(
    view: View, sheet: Sheet, left: np.ndarray, right: np.ndarray, names: tuple[str, str]
) -> tuple[Number, Number]:
    asked, keys = names
    wide, high = cell_size(*right.shape)
    key = sheet.matrix(margin(view.key_labels), view.top, right, role="key")
    sheet.row_labels(key, view.key_labels)
    sheet.name(key, keys, "key")
    size = (max(wide, DIGITS_WIDE), max(high, 24))
    top = max(view.top, key.centre - left.shape[1] * size[1] / 2)
    query = sheet.after(key, "×", left.T, role="query", size=size, top=top)
    sheet.name(query, asked, "query")
    table = SumTable(
        name=f"{keys} ⊙ {asked}<sup>⊤</sup>",
        rows=(left * right).T,
        labels=factors(left[0], view.digits),
        added=[],
        results=[(f"α<sub>{view.query + 1},j</sub>", view.trace.scores[view.query])],
        role="plain",
        shade="scores",
        limits=_limits(view.trace.scores),
    )
    width, height = draw_sum_across(sheet, query, table)
    return width + EDGE, max(height, key.bottom) + EDGE


def masked_scores(view: View) -> go.Figure:
    """Draw the row of scores, what is added to it, and the row behind the mask.

    Where tokens are columns, three columns side by side.
    """
    trace, i, sheet = view.trace, view.query, view.sheet
    rows = [(scaled_name(PLAIN, trace, "α"), trace.scaled_scores[i])]
    if trace.bias is not None:
        rows.append(("+ B", trace.bias[i]))
    rows.append(("=", trace.masked_scores[i]))
    return (_masked_across if view.columns else _masked_down)(view, sheet, rows)


def _masked_down(view: View, sheet: Sheet, rows: list[Row]) -> go.Figure:
    trace, i, allowed = view.trace, view.query, view.allowed
    few = trace.n_key <= MOST_NAMED
    size = (62, 40) if few else (max(6, 720 / trace.n_key), 30)
    left, top = max(96, EDGE + label_width([rows[0][0]])), EDGE + 26
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


def _masked_across(view: View, sheet: Sheet, rows: list[Row]) -> go.Figure:
    trace, i, allowed = view.trace, view.query, view.allowed
    size = (62, 40) if trace.n_key <= MOST_NAMED else (30, max(6, 460 / trace.n_key))
    top, right, box = TOP + HEADS, margin(view.key_labels) - SIGN - 20, None
    for place, (label, row) in enumerate(rows):
        seen = allowed if label == "=" else np.isfinite(row)
        sign, name = ("", label) if place == 0 else (label[0], label[1:].strip())
        box = sheet.matrix(
            right + SIGN + 20,
            top,
            row[:, None],
            shade="scores",
            size=size,
            limits=_limits(trace.masked_scores),
            allowed=seen[:, None],
        )
        if name:
            sheet.text(box.middle, top - 18, f"<b>{name}</b>", size=17)
        if place == 0:
            sheet.row_labels(box, view.key_labels)
        else:
            sheet.operator(right + SIGN / 2 + 10, box.centre, sign)
        right = box.right
    muted, lowest = sheet.paint.muted, top + trace.n_key * size[1]
    asking = f"{view.query_labels[i]} ↓"
    sheet.text(margin(view.key_labels) + size[0] / 2, top - 42, asking, muted, 14)
    if not allowed.all():
        sheet.text(EDGE, lowest + 24, view.t("figure.hatched"), muted, 14, "middle right")
        lowest += 24
    return sheet.figure(max(right + EDGE, 420), lowest + 20)


def _limits(table: Shaped[np.ndarray, "..."]) -> tuple[Number, Number]:
    largest = float(np.abs(table[np.isfinite(table)]).max(initial=0)) or 1.0
    return -largest, largest
