"""Pictures of the steps that multiply by a matrix: queries, keys, values, and all at once."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.labels import escape, subscript
from attnviz.figures.sheet import Role, cell_size, map_size
from attnviz.figures.sums import Row, SumTable, draw_sum, factors
from attnviz.figures.theme import Number
from attnviz.figures.view import EDGE, TOP, View, margin

_SMALL_CELL = (46, 34)
_SMALL_TOKENS, _SMALL_FEATURES = 8, 4
_SIGNS = {"dot": "·", "cosine": "∠", "bilinear": "W", "additive": "⊕"}


def encoded_inputs(view: View) -> go.Figure:
    """Draw I + E: each token's vector and the vector of its place."""
    layer, sheet = view.layer, view.sheet
    first = sheet.matrix(margin(view.query_labels), TOP, layer.inputs)
    second = sheet.after(first, "+", layer.encoded_inputs - layer.inputs)
    third = sheet.after(second, "=", layer.encoded_inputs)
    sheet.row_labels(first, view.query_labels, view.query)
    for box, name in ((first, "I"), (second, "E"), (third, "I + E")):
        sheet.name(box, name)
        sheet.frame(box, view.query)
    return sheet.figure(third.right + EDGE, first.bottom + EDGE)


def query(view: View) -> go.Figure:
    """Draw a × W^q: each row of the matrix times one number of a, and their sum, the query."""
    layer, i, sheet = view.layer, view.query, view.sheet
    row, w, b = layer.encoded_inputs[i], layer.projections.w_q[view.head], layer.projections.b_q
    made = row @ w + (0 if b is None else b[view.head])
    name = f"a{subscript(i)}"
    if layer.position.added is not None:
        name += f" + e{subscript(i)}"
    label = view.query_labels[i : i + 1]
    factor = sheet.matrix(margin(label), _centred(row[None], w), row[None])
    sheet.name(factor, name)
    sheet.row_labels(factor, label)
    matrix = sheet.after(factor, "×", w, role="query", top=TOP)
    sheet.name(matrix, "W<sup>q</sup>", "query")
    results: list[Row] = [(f"q{subscript(i)}", made)]
    if layer.position.turn is not None:
        turned = view.trace.query[i]
        results = [(f"a{subscript(i)}W<sup>q</sup>", made), (f"↻ q{subscript(i)}", turned)]
    table = SumTable(
        name=f"a<sub>{i + 1},m</sub> W<sup>q</sup><sub>m</sub>",
        rows=row[:, None] * w,
        labels=factors(row, view.digits),
        added=[] if b is None else [("b<sup>q</sup>", b[view.head])],
        results=results,
        role="query",
    )
    right, bottom = draw_sum(sheet, matrix, table)
    return sheet.figure(right + EDGE, bottom + EDGE)


def key(view: View) -> go.Figure:
    """Draw I × W^k = K."""
    return _projected(view, "key", "k", view.trace.key)


def value(view: View) -> go.Figure:
    """Draw I × W^v = V."""
    return _projected(view, "value", "v", view.trace.value)


def together(view: View) -> go.Figure:
    """Draw the whole head at once: Q K^T = A, A made weights, weights × V = O."""
    trace, sheet = view.trace, view.sheet
    left = max(margin(view.query_labels), 60)
    small = _small(trace.scores.shape, (trace.query.shape[1], trace.value.shape[1]))
    arrays = (trace.query, trace.key.T, trace.scores, trace.weights, trace.value, trace.output)
    sizes = [_SMALL_CELL if small else map_size(*array.shape) for array in arrays]

    q = sheet.matrix(left, TOP, trace.query, role="query", size=sizes[0])
    top = q.centre - trace.key.shape[1] * sizes[1][1] / 2
    sign = _SIGNS[trace.choices.score]
    k = sheet.after(q, sign, trace.key.T, role="key", size=sizes[1], top=top)
    a = sheet.after(k, "=", trace.scores, shade="scores", size=sizes[2], top=q.top)
    second = max(q.bottom, k.bottom, a.bottom) + TOP + 30
    seen = np.isfinite(trace.masked_scores)
    w = sheet.matrix(left, second, trace.weights, shade="weights", size=sizes[3], allowed=seen)
    top = max(second, w.centre - trace.n_key * sizes[4][1] / 2)
    v = sheet.after(w, "·", trace.value, role="value", size=sizes[4], top=top)
    o = sheet.after(v, "=", trace.output, role="output", size=sizes[5], top=w.top)

    made = f"A / √{trace.query.shape[1]}" if trace.choices.scale == "sqrt_d_k" else "A"
    sheet.name(q, "Q", "query")
    sheet.name(k, "K<sup>⊤</sup>", "key")
    sheet.name(a, "A")
    sheet.name(w, f"A′ = {escape(trace.choices.normalizer)}({made})")
    sheet.name(v, "V", "value")
    sheet.name(o, "O", "output")
    for box in (q, w):
        sheet.row_labels(box, view.query_labels, view.query)
    for box in (q, a, w, o):
        sheet.frame(box, view.query)
    width, height = max(a.right, o.right) + EDGE, max(w.bottom, v.bottom, o.bottom) + EDGE
    return sheet.figure(width, height)


def _projected(
    view: View, role: Role, letter: str, made: Float[np.ndarray, "key feature"]
) -> go.Figure:
    """Draw the same matrix applied to every row at once."""
    layer, sheet = view.layer, view.sheet
    own = layer.projections.kv_head(view.head)
    w = getattr(layer.projections, f"w_{letter}")[own]
    b = getattr(layer.projections, f"b_{letter}")
    rows, name = layer.encoded_inputs, "I"
    if layer.encoded_memory is not None:
        rows, name = layer.encoded_memory, "M"
    matrix_name = f"W<sup>{letter}</sup>"
    source = sheet.matrix(margin(view.key_labels), TOP, rows)
    sheet.name(source, name if layer.position.added is None else f"{name} + E")
    sheet.row_labels(source, view.key_labels)
    last = sheet.after(source, "×", w, role=role, top=_centred(w, rows))
    sheet.name(last, matrix_name, role)
    bottom = max(source.bottom, last.bottom)
    if b is not None:
        last = sheet.after(last, "+", b[own][None], role=role, top=_centred(b[own][None], rows))
        sheet.name(last, f"b<sup>{letter}</sup>", role)
    sign = "="
    if letter == "k" and layer.position.turn is not None:
        plain = rows @ w + (0 if b is None else b[own])
        last = sheet.after(last, sign, plain, role=role, top=TOP)
        sheet.name(last, f"{name} {matrix_name}", role)
        sign = "↻"
    result = sheet.after(last, sign, made, role=role, top=TOP)
    sheet.name(result, letter.upper(), role)
    return sheet.figure(result.right + EDGE, max(bottom, result.bottom) + EDGE)


def _centred(array: np.ndarray, beside: np.ndarray) -> Number:
    """Give the upper end of a matrix that stands at the middle of a taller one."""
    own, other = (cell_size(*each.shape)[1] * len(each) for each in (array, beside))
    return TOP + max(0.0, (other - own) / 2)


def _small(scores: Sequence[int], features: Sequence[int]) -> bool:
    return max(scores) <= _SMALL_TOKENS and max(features) <= _SMALL_FEATURES
