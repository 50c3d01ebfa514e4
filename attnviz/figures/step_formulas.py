"""The formula beside each step's picture, in LaTeX, with the numbers of this query."""

from collections.abc import Callable, Sequence

import numpy as np

from attnviz.attention.ancestry import ancestry
from attnviz.attention.normalizers import normalizer_parts
from attnviz.attention.parts import NormalizerParts
from attnviz.attention.trace import MultiHeadTrace
from attnviz.figures.cell_formulas import row_line, score_line
from attnviz.figures.laws import DIVIDED, SUMMED, Law
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.plane import read_values
from attnviz.figures.step_page import MOST_ACROSS, Line, Page
from attnviz.figures.whole import ANY, Whole, is_product, scaled_name
from attnviz.figures.writing import MOST_FEATURES, MOST_TERMS, aligned


def step_latex(
    trace: MultiHeadTrace,
    step: str,
    query: int,
    *,
    head: int = 0,
    digits: int = 2,
    notation: Notation = ROW,
) -> str:
    """Write one step's formula, in symbols and in the numbers of this query.

    Sums of more than 12 terms and vectors of more than 8 numbers are written with dots.

    Raises:
        ValueError: if there is no such step.
    """
    if step not in _FORMULAS:
        raise ValueError(f"step must be one of {', '.join(_FORMULAS)}, got {step!r}; choose one")
    return aligned(_FORMULAS[step](Page(trace, query, head, digits, notation)))


def _encoded_inputs(page: Page) -> list[Line]:
    layer, i = page.layer, page.query
    added = layer.encoded_inputs[i] - layer.inputs[i]
    name = page.step("encoded", input=page.hand.name_of("input", i))
    parts = f"{page.vector(layer.inputs[i])} + {page.vector(added)}"
    return [[name, parts, page.vector(layer.encoded_inputs[i])]]


def _query(page: Page) -> list[Line]:
    layer, i = page.layer, page.query
    row, w = layer.encoded_inputs[i], layer.projections.w_q[page.head]
    b = None if layer.projections.b_q is None else layer.projections.b_q[page.head]
    made = row @ w if b is None else row @ w + b
    symbol = page.step("product_query", input=page.input_name)
    if b is not None:
        symbol = page.step("with_bias", product=symbol, letter="q")
    name = page.hand.name_of("query", i)
    digits = page.product(row[None], w)
    digits += "" if b is None else f" + {page.matrix(b[None])}"
    turned = layer.position.turn is not None
    first = [symbol, digits] if turned else [name, symbol, digits]
    lines = page.folded([*first, page.matrix(made[None])], row[None], w, made[None])
    if not turned:
        return lines + _entries(page, row, w, b)
    turn = page.step("turned", vector=symbol)
    return [*lines, [name, turn, page.matrix(page.trace.query[i : i + 1])]]


def _entries(page: Page, row: np.ndarray, w: np.ndarray, b: np.ndarray | None) -> list[Line]:
    """Write each number of the query as its own sum."""
    if w.shape[1] > MOST_FEATURES:
        return []
    lines = []
    for feature, column in enumerate(w.T.tolist()):
        terms = [
            "".join(page.hand.bracketed(factor, page.digits) for factor in page.notation.pair(*two))
            for two in zip(row.tolist(), column, strict=True)
        ]
        written = page.hand.sum(terms, MOST_FEATURES)
        if b is not None:
            written += f" + {page.hand.factor(b[feature], page.digits)}"
        name = page.step("query_entry", feature=page.hand.index(feature))
        made = row @ w[:, feature] + (0 if b is None else b[feature])
        lines.append([name, written, page.hand.number(made, page.digits)])
    return lines


def _key(page: Page) -> list[Line]:
    return _projected(page, "K", "k", page.trace.key)


def _value(page: Page) -> list[Line]:
    return _projected(page, "V", "v", page.trace.value)


def _projected(page: Page, name: str, letter: str, made: np.ndarray) -> list[Line]:
    layer = page.layer
    own = layer.projections.kv_head(page.head)
    w = getattr(layer.projections, f"w_{letter}")[own]
    b = getattr(layer.projections, f"b_{letter}")
    rows = layer.encoded_inputs if layer.encoded_memory is None else layer.encoded_memory
    source = "I" if layer.memory is None else "M"
    if layer.position.added is not None:
        source = page.step("encoded_all", rows=source)
    symbol = page.step("projected", rows=source, letter=letter)
    digits = page.product(rows, w)
    if b is not None:
        symbol = page.step("with_bias", product=symbol, letter=letter)
        digits += f" + {page.matrix(b[own][None])}"
    if letter == "k" and layer.position.turn is not None:
        plain = rows @ w + (0 if b is None else b[own])
        turned = page.step("turned_all", product=symbol)
        lines = page.folded([symbol, digits, page.matrix(plain)], rows, w, plain)
        return [*lines, [page.step("turned_row"), turned], [name, page.matrix(made)]]
    return page.folded([name, symbol, digits, page.matrix(made)], rows, w, made)


def _scores(page: Page) -> list[Line]:
    trace = page.trace
    relative = trace.relative_key is not None
    lines = [
        score_line(
            page.hand, ancestry(trace, page.query, key), trace.choices, page.digits, relative
        )
        for key in _shown(trace.n_key)
    ]
    return _with_dots(lines, trace.n_key)


def _scaled_scores(page: Page) -> list[Line]:
    trace, i = page.trace, page.query
    name, row = page.step("scores_row"), page.vector(trace.scores[i])
    scaled = page.vector(trace.scaled_scores[i])
    if trace.choices.scale != "sqrt_d_k":
        factor = page.hand.constant(trace.scale)
        return [[f"{factor} \\, {name}", f"{factor} \\, {row}", scaled]]
    root = page.hand.fill("root", value=page.hand.index(trace.query.shape[-1] - 1))
    below = page.hand.number(1 / trace.scale, page.digits)
    return [
        [
            page.hand.fill("fraction", above=name, below=root),
            page.hand.fill("shares", above=row, below=below),
            scaled,
        ]
    ]


def _masked_scores(page: Page) -> list[Line]:
    trace, i = page.trace, page.query
    names = [scaled_name(page.hand, trace, page.step("scores_row"))]
    rows = [trace.scaled_scores[i]]
    if trace.bias is not None:
        names.append(page.step("bias_row"))
        rows.append(trace.bias[i])
    if trace.mask is not None:
        names.append(page.step("mask_row"))
        rows.append(np.where(trace.mask[i], 0.0, -np.inf))
    digits = " + ".join(page.vector(row) for row in rows)
    return [[" + ".join(names), digits, page.vector(trace.masked_scores[i])]]


def _weights(page: Page) -> list[Line]:
    trace, i, digits = page.trace, page.query, page.digits
    choices = trace.choices
    parts = _parts(page, trace.masked_scores[i : i + 1])
    threshold = None if parts.threshold is None else float(parts.threshold[0])
    law = Law.of(page.hand, choices, trace.n_key, threshold)
    total, shift = float(parts.totals[0]), float(parts.shift[0])
    name, weights = page.step("weights_row"), page.vector(trace.weights[i])
    if total == 0:
        return [[name, weights]]
    scores = [
        law.kept(score, shift, numerator)
        for score, numerator in zip(
            trace.masked_scores[i].tolist(), parts.numerators[0].tolist(), strict=True
        )
    ]
    formulas = [law.numerator(score, shift, threshold, digits) for score in scores]
    below = page.hand.number(total, digits)
    if law.name in DIVIDED:
        numerators = page.vector(parts.numerators[0])
        lines = [[name, page.hand.fill("shares", above=numerators, below=below), weights]]
        if law.name not in SUMMED:
            return lines
        summed = parts.numerators[0].tolist()
        if law.name == "softmax1":
            one = law.one(shift)
            summed, formulas = [one, *summed], [page.hand.number(one, digits), *formulas]
        written = page.hand.sum([page.hand.number(numerator, digits) for numerator in summed])
        return [[page.hand.name_of("total", i), page.hand.sum(formulas), written, below], *lines]
    lines = [
        [
            page.hand.name_of("weight", i, key),
            formulas[key],
            page.hand.number(trace.weights[i, key], digits),
        ]
        for key in _shown(trace.n_key)
    ]
    lines = _with_dots(lines, trace.n_key)
    if threshold is None:
        return lines
    return [[page.step("threshold"), page.hand.number(threshold, digits)], *lines]


def _head_outputs(page: Page) -> list[Line]:
    trace, i = page.trace, page.query
    name, terms, output = row_line(page.hand, trace, i, page.digits)
    values = read_values(trace, i)
    products = [
        page.hand.fill(
            "scaled_vector", weight=page.hand.number(weight, page.digits), vector=page.vector(value)
        )
        for weight, value in zip(trace.weights[i].tolist(), values, strict=True)
    ]
    j = ANY[1]
    summed = Whole(page.hand, trace).weighted_sum(
        page.hand.index(i), j, f"{page.hand.index(i)},{j}"
    )
    lines = [[name, summed, terms]]
    if min(trace.n_key, 4) * page.notation.vector(values[0][:5]).shape[1] <= MOST_ACROSS:
        lines.append(["", page.hand.sum(products, MOST_TERMS // 2)])
    return [*lines, ["", output]]


def _together(page: Page) -> list[Line]:
    trace, whole = page.trace, Whole(page.hand, page.trace)
    a, made = page.hand.fill("whole.scores"), page.matrix(trace.scores)
    if is_product(trace):
        dot = trace.choices.score == "dot"
        digits = [page.product(trace.query, trace.key.T)] if dot else []
        lines = [[*whole.scores, *digits, made]]
    else:
        lines = [whole.scores, [a, made]]
    if trace.bias is not None:
        lines.append([page.hand.fill("whole.bias"), page.matrix(trace.bias)])
    if trace.mask is not None:
        table = np.broadcast_to(np.where(trace.mask, 0.0, -np.inf), trace.scores.shape)
        lines.append([page.hand.fill("whole.mask"), page.matrix(table)])
    lines += [[*whole.weights, page.matrix(trace.weights)], *_zeros(page)]
    if trace.relative_value is None:
        product = page.product(trace.weights, trace.value)
        return [*lines, [*whole.output, product, page.matrix(trace.output)]]
    return [*lines, whole.output, [page.hand.fill("whole.outputs"), page.matrix(trace.output)]]


def _zeros(page: Page) -> list[Line]:
    """Write the totals that ReLU is divided by, and which queries get weights 0 by convention."""
    trace, fill = page.trace, page.hand.fill
    nothing = page.vector(np.zeros(trace.n_key))
    zeros = " = ".join([fill("steps.weights_row", i=ANY[0]), nothing])
    lines, empty = [], trace.empty_rows
    if trace.choices.normalizer == "relu_sum":
        totals = _parts(page, trace.masked_scores).totals
        lines.append([fill("whole.totals"), page.matrix(totals[:, None])])
        if (totals == 0).any():
            none = fill("whole.nothing", name=fill("total", i=ANY[0]))
            lines.append([fill("whole.follows", given=none, then=zeros)])
    elif empty.any():
        hidden = "steps.bias_row" if trace.mask is None else "steps.mask_row"
        row = [fill(hidden, i=ANY[0]), page.vector(np.full(trace.n_key, -np.inf))]
        lines.append([fill("whole.follows", given=" = ".join(row), then=zeros)])
    return lines


def _parts(page: Page, masked_scores: np.ndarray) -> NormalizerParts:
    choices = page.trace.choices
    return normalizer_parts(
        choices.normalizer,
        masked_scores,
        temperature=choices.temperature,
        **choices.arguments("normalizer"),
    )


def _output(page: Page) -> list[Line]:
    layer, i = page.layer, page.query
    heads = [page.step("joined_head", head=page.hand.index(head)) for head in range(layer.n_heads)]
    shown = page.hand.elide(heads, MOST_FEATURES, "elided_entry")
    joined = page.step("joined", heads=page.step("beside").join(shown))
    row, w_o, b_o = layer.concatenated[i], layer.projections.w_o, layer.projections.b_o
    name = page.step("layer_output")
    if w_o is None:
        return [[name, joined, page.matrix(layer.output[i : i + 1])]]
    symbol, digits = (
        page.step("joined_times", joined=joined),
        page.product(row[None], w_o),
    )
    if b_o is not None:
        symbol = page.step("with_bias", product=symbol, letter="O")
        digits += f" + {page.matrix(b_o[None])}"
    made = layer.output[i : i + 1]
    return page.folded([name, symbol, digits, page.matrix(made)], row[None], w_o, made)


_FORMULAS: dict[str, Callable[[Page], list[Line]]] = {
    "encoded_inputs": _encoded_inputs,
    "query": _query,
    "key": _key,
    "scores": _scores,
    "scaled_scores": _scaled_scores,
    "masked_scores": _masked_scores,
    "weights": _weights,
    "value": _value,
    "head_outputs": _head_outputs,
    "together": _together,
    "output": _output,
}


def _shown(n_key: int) -> list[int]:
    return list(range(n_key)) if n_key <= MOST_TERMS else [0, 1, 2, n_key - 1]


def _with_dots(lines: Sequence[Line], n_key: int) -> list[Line]:
    if n_key <= MOST_TERMS:
        return list(lines)
    return [*lines[:3], ["\\vdots"], lines[-1]]
