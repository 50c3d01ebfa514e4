"""Pictures of the steps that multiply by a matrix: queries, keys, values, and all at once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from attnviz.figures.labels import label_width
from attnviz.figures.sheet import DIGITS_WIDE, SIGN, Box, Role, Shade, Sheet, cell_size, map_size
from attnviz.figures.sums import Row, SumTable, draw_sum, draw_sum_across, factors
from attnviz.figures.theme import Number
from attnviz.figures.view import EDGE, TOP, View, margin
from attnviz.figures.whole import Whole, is_product
from attnviz.figures.writing import PLAIN, hand_of

_SMALL_CELL, _SMALL_CELL_ACROSS = (46, 34), (DIGITS_WIDE, 34)
_SMALL_TOKENS, _SMALL_FEATURES = 8, 4
_SIGNS = {"dot": "·", "bilinear": "W"}
_MADE = (",", "→")  # the signs where two tables make a third otherwise than by a product


def encoded_inputs(view: View) -> go.Figure:
    """Draw I + E: each token's vector and the vector of its place."""
    layer, sheet, laid = view.layer, view.sheet, view.notation.laid
    first = sheet.matrix(view.left(view.tokens), view.top, laid(layer.inputs))
    second = sheet.after(first, "+", laid(layer.encoded_inputs - layer.inputs))
    third = sheet.after(second, "=", laid(layer.encoded_inputs))
    for box in (first, second, third) if view.columns else (first,):
        view.label_tokens(sheet, box, view.tokens, view.query)
    for box, name in ((first, "I"), (second, "E"), (third, "I + E")):
        sheet.name(box, name)
        sheet.frame(box, view.query, column=view.columns)
    return sheet.figure(third.right + EDGE, first.bottom + EDGE)


def query(view: View) -> go.Figure:
    """Draw a × W^q: each row of the matrix times one number of a, and their sum, the query.

    Where tokens are columns, W^q × a, and each column of the matrix.
    """
    layer, i, sheet = view.layer, view.query, view.sheet
    row, w, b = layer.encoded_inputs[i], layer.projections.w_q[view.head], layer.projections.b_q
    made = row @ w + (0 if b is None else b[view.head])
    own, matrix_name = view.name("a", i), "W<sup>q</sup>"
    name = own if layer.position.added is None else f"{own} + {view.name('e', i)}"
    results: list[Row] = [(view.name("q", i), made)]
    if layer.position.turn is not None:
        product = "".join(view.notation.pair(own, matrix_name))
        product += "" if b is None else " + b<sup>q</sup>"
        results = [(product, made), (f"↻ {view.name('q', i)}", view.trace.query[i])]
    letter = "a" if layer.position.added is None else "(a + e)"
    row_name = f"{matrix_name}<sub>m</sub>"
    table = SumTable(
        name=" ".join(view.notation.pair(f"{letter}<sub>{i + 1},m</sub>", row_name)),
        rows=row[:, None] * w,
        labels=factors(row, view.digits),
        added=[] if b is None else [("b<sup>q</sup>", b[view.head])],
        results=results,
        role="query",
    )
    label = view.query_labels[i : i + 1]
    if view.columns:
        a = row[:, None]
        matrix = sheet.matrix(2 * EDGE, _level(w.T, a, view.top), w.T, role="query")
        factor = sheet.after(matrix, "×", a, top=_level(a, w.T, view.top))
        sheet.column_labels(factor, label)
    else:
        factor = sheet.matrix(margin(label), _level(row[None], w), row[None])
        sheet.row_labels(factor, label)
        matrix = sheet.after(factor, "×", w, role="query", top=TOP)
    sheet.name(factor, name)
    sheet.name(matrix, matrix_name, "query")
    draw = draw_sum_across if view.columns else draw_sum
    right, bottom = draw(sheet, view.notation.pair(matrix, factor)[0], table)
    return sheet.figure(right + EDGE, max(bottom, factor.bottom) + EDGE)


def key(view: View) -> go.Figure:
    """Draw I × W^k = K."""
    return _projected(view, "key", "k", view.trace.key)


def value(view: View) -> go.Figure:
    """Draw I × W^v = V."""
    return _projected(view, "value", "v", view.trace.value)


def together(view: View) -> go.Figure:
    """Draw the whole head at once: Q K^T = A, A made weights, weights × V = O.

    Where tokens are columns, K^T Q = A and V × weights = O. Between the two lines stand the
    equations; where a table is no product of matrices, an arrow leads to it.
    """
    trace, sheet, pair = view.trace, view.sheet, view.notation.pair
    kept = np.isfinite(trace.masked_scores)
    q, k = _Part("Q", trace.query, "query"), _Part("K<sup>⊤</sup>", trace.key.T, "key")
    a = _Part("A", trace.scores, shade="scores")
    w = _Part("A′", trace.weights, "plain", "weights", kept)
    v, o = _Part("V", trace.value, "value"), _Part("O", trace.output, "output")

    signs = (_SIGNS[trace.choices.score], "=") if is_product(trace) else _MADE
    scores = _equation(view, sheet, view.top, (*pair(q, k), a), signs)
    notes, lowest, across = _notes(view), max(box.bottom for box in scores) + 34, 0
    for note, size in notes:
        sheet.text(EDGE, lowest, note, size=size, anchor="middle right")
        across, lowest = max(across, _width(note, size)), lowest + 26
    signs = ("·", "=") if trace.relative_value is None else _MADE
    outputs = _equation(view, sheet, lowest + view.top - 10, (*pair(w, v), o), signs)
    (in_q, in_k), (in_w, in_v) = pair(*scores[:2]), pair(*outputs[:2])
    asking = (in_q, scores[2], in_w, outputs[2])
    for box in asking if view.columns else (in_q, in_w):
        view.label_tokens(sheet, box, view.tokens, view.query)
    if view.columns:
        sheet.row_labels(in_k, view.key_labels)
        view.label_tokens(sheet, in_v, view.key_tokens)
    for box in asking:
        sheet.frame(box, view.query, column=view.columns)
    for box, part in zip((*asking, in_k, in_v), (q, a, w, o, k, v), strict=True):
        sheet.name(box, part.name, part.role)
    along = "notation.down_columns" if view.columns else "notation.along_rows"
    sheet.text(in_w.middle, in_w.bottom + 20, view.t(along), sheet.paint.muted, 13)
    width = max(scores[2].right, outputs[2].right, EDGE + across) + EDGE
    return sheet.figure(width, max(box.bottom for box in outputs) + 20 + EDGE)


def _notes(view: View) -> list[tuple[str, int]]:
    """Write the equations of a head that its matrices do not show, and what their letters mean."""
    trace, (low, high) = view.trace, ("<sub>{}</sub>", "<sup>{}</sup>")
    i, j = ((high if view.columns else low).format(letter) for letter in "ij")
    whole = Whole(hand_of(PLAIN, view.notation), trace, (i, j, low.format("i,j")))
    equations = [] if is_product(trace) else [whole.scores]
    equations.append(whole.weights)
    equations += [] if trace.relative_value is None else [whole.output]
    relu_sum = trace.choices.normalizer == "relu_sum"
    meanings = {
        "bias_is": trace.bias is not None,
        "mask_is": trace.mask is not None,
        "total_is": relu_sum,
        "nothing_seen": trace.empty_rows.any() and not relu_sum,
    }
    written = [(" = ".join(line), 17) for line in equations]
    return written + [(view.t(f"figure.{key}"), 14) for key, holds in meanings.items() if holds]


def _width(text: str, size: int) -> Number:
    return label_width([re.sub("<.*?>", "", text)]) * size / 15


@dataclass(frozen=True, eq=False)
class _Part:
    """One matrix of an equation, with a token a row."""

    name: str
    array: Float[np.ndarray, "rows columns"]
    role: Role = "plain"
    shade: Shade = "none"
    allowed: Bool[np.ndarray, "rows columns"] | None = None


def _equation(
    view: View, sheet: Sheet, top: Number, parts: Sequence[_Part], signs: tuple[str, str]
) -> list[Box]:
    """Draw a product and what it gives, as they stand in this notation, at one middle height."""
    trace, laid = view.trace, view.notation.laid
    small = _small(trace.scores.shape, (trace.query.shape[1], trace.value.shape[1]))
    arrays = [laid(part.array) for part in parts]
    cell = _SMALL_CELL_ACROSS if view.columns else _SMALL_CELL
    sizes = [cell if small else map_size(*array.shape) for array in arrays]
    heights = [len(array) * size[1] for array, size in zip(arrays, sizes, strict=True)]
    right = max(margin(view.key_labels if view.columns else view.query_labels), 60) - SIGN
    boxes: list[Box] = []
    for place, (part, array) in enumerate(zip(parts, arrays, strict=True)):
        if place:
            sheet.operator(right + SIGN / 2, top + max(heights) / 2, ("", *signs)[place])
        boxes.append(
            sheet.matrix(
                right + SIGN,
                top + (max(heights) - heights[place]) / 2,
                array,
                role=part.role,
                shade=part.shade,
                size=sizes[place],
                allowed=None if part.allowed is None else laid(part.allowed),
            )
        )
        right = boxes[-1].right
    return boxes


def _projected(
    view: View, role: Role, letter: str, made: Float[np.ndarray, "key feature"]
) -> go.Figure:
    """Draw the same matrix applied to every row at once, or to every column."""
    layer, sheet, laid = view.layer, view.sheet, view.notation.laid
    own = layer.projections.kv_head(view.head)
    w = laid(getattr(layer.projections, f"w_{letter}")[own])
    b = getattr(layer.projections, f"b_{letter}")
    rows, name = layer.encoded_inputs, "I"
    if layer.encoded_memory is not None:
        rows, name = layer.encoded_memory, "M"
    source, matrix_name = laid(rows), f"W<sup>{letter}</sup>"
    source_name = name if layer.position.added is None else f"{name} + E"
    if view.columns:
        matrix = sheet.matrix(2 * EDGE, _level(w, source, view.top), w, role=role)
        inputs = sheet.after(matrix, "×", source, top=_level(source, w, view.top))
        last = inputs
    else:
        inputs = sheet.matrix(margin(view.key_labels), TOP, source)
        last = matrix = sheet.after(inputs, "×", w, role=role, top=_level(w, source))
    view.label_tokens(sheet, inputs, view.key_tokens)
    sheet.name(inputs, source_name)
    sheet.name(matrix, matrix_name, role)
    bottom, centre = max(inputs.bottom, matrix.bottom), inputs.centre
    if b is not None:
        added = view.notation.vector(b[own])
        last = sheet.after(last, "+", added, role=role, top=_around(added, centre, view.top))
        sheet.name(last, f"b<sup>{letter}</sup>", role)
    sign = "="
    if letter == "k" and layer.position.turn is not None:
        plain = laid(rows @ laid(w) + (0 if b is None else b[own]))
        last = sheet.after(last, sign, plain, role=role, top=_around(plain, centre, view.top))
        product = " ".join(view.notation.pair(name, matrix_name))
        sheet.name(last, product if b is None else f"{product} + b<sup>{letter}</sup>", role)
        sign = "↻"
    result = sheet.after(
        last, sign, laid(made), role=role, top=_around(laid(made), centre, view.top)
    )
    if view.columns:
        view.label_tokens(sheet, result, view.key_tokens)
    sheet.name(result, letter.upper(), role)
    return sheet.figure(result.right + EDGE, max(bottom, result.bottom) + EDGE)


def _level(array: np.ndarray, beside: np.ndarray, top: Number = TOP) -> Number:
    """Give the upper end of a matrix that stands at the middle of a taller one."""
    own, other = (cell_size(*each.shape)[1] * len(each) for each in (array, beside))
    return top + max(0.0, (other - own) / 2)


def _around(array: np.ndarray, centre: Number, top: Number) -> Number:
    """Give the upper end of a matrix whose middle is at this height, if there is room for it."""
    return max(top, centre - cell_size(*array.shape)[1] * len(array) / 2)


def _small(scores: Sequence[int], features: Sequence[int]) -> bool:
    return max(scores) <= _SMALL_TOKENS and max(features) <= _SMALL_FEATURES
