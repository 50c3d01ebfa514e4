"""The formula beside each step's picture, in LaTeX, with the numbers of this query."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attnviz.attention.ancestry import ancestry
from attnviz.attention.normalizers import normalizer_parts
from attnviz.attention.trace import HeadTrace, MultiHeadTrace
from attnviz.figures.cell_formulas import row_line, score_line
from attnviz.figures.laws import DIVIDED, SUMMED, Law
from attnviz.figures.plane import read_values
from attnviz.figures.writing import LATEX, MOST_FEATURES, MOST_TERMS, aligned
from attnviz.text.numbers import table

Line = list[str]

MOST_ROWS = 8  # of a matrix written out; more are dots
_MOST_ACROSS = 13  # numbers side by side in one line


@dataclass(frozen=True, eq=False)
class _Page:
    """One query of one head of a layer, and the digits it is written with."""

    layer: MultiHeadTrace
    query: int
    head: int
    digits: int

    @cached_property
    def trace(self) -> HeadTrace:
        return self.layer.head(self.head)

    @cached_property
    def input_name(self) -> str:
        name = LATEX.name_of("input", self.query)
        if self.layer.position.added is None:
            return name
        return f"({self.step('encoded', input=name)})"

    def step(self, key: str, **values: str) -> str:
        return LATEX.fill(f"steps.{key}", i=LATEX.index(self.query), **values)

    def vector(self, values: np.ndarray) -> str:
        return LATEX.vector(values.tolist(), self.digits)

    def matrix(self, values: np.ndarray) -> str:
        return _matrix(values, self.digits)


def step_latex(
    trace: MultiHeadTrace, step: str, query: int, *, head: int = 0, digits: int = 2
) -> str:
    """Write one step's formula, in symbols and in the numbers of this query.

    Sums of more than 12 terms and vectors of more than 8 numbers are written with dots.

    Raises:
        ValueError: if there is no such step.
    """
    if step not in _FORMULAS:
        raise ValueError(f"step must be one of {', '.join(_FORMULAS)}, got {step!r}; choose one")
    return aligned(_FORMULAS[step](_Page(trace, query, head, digits)))


def _encoded_inputs(page: _Page) -> list[Line]:
    layer, i = page.layer, page.query
    added = layer.encoded_inputs[i] - layer.inputs[i]
    name = page.step("encoded", input=LATEX.name_of("input", i))
    parts = f"{page.vector(layer.inputs[i])} + {page.vector(added)}"
    return [[name, parts, page.vector(layer.encoded_inputs[i])]]


def _query(page: _Page) -> list[Line]:
    layer, i = page.layer, page.query
    row, w = layer.encoded_inputs[i], layer.projections.w_q[page.head]
    b = None if layer.projections.b_q is None else layer.projections.b_q[page.head]
    made = row @ w if b is None else row @ w + b
    symbol = page.step("product_query", input=page.input_name)
    if b is not None:
        symbol = page.step("with_bias", product=symbol, letter="q")
    name = LATEX.name_of("query", i)
    digits = f"{page.matrix(row[None])} {page.matrix(w)}"
    digits += "" if b is None else f" + {page.matrix(b[None])}"
    turned = layer.position.turn is not None
    first = [symbol, digits] if turned else [name, symbol, digits]
    lines = _folded([*first, page.matrix(made[None])], row[None], w, made[None])
    if not turned:
        return lines + _entries(page, row, w, b)
    turn = page.step("turned", vector=symbol)
    return [*lines, [name, turn, page.matrix(page.trace.query[i : i + 1])]]


def _entries(page: _Page, row: np.ndarray, w: np.ndarray, b: np.ndarray | None) -> list[Line]:
    """Write each number of the query as its own sum."""
    if w.shape[1] > MOST_FEATURES:
        return []
    lines = []
    for feature, column in enumerate(w.T.tolist()):
        terms = [
            LATEX.bracketed(left, page.digits) + LATEX.bracketed(right, page.digits)
            for left, right in zip(row.tolist(), column, strict=True)
        ]
        written = LATEX.sum(terms, MOST_FEATURES)
        if b is not None:
            written += f" + {LATEX.factor(b[feature], page.digits)}"
        name = page.step("query_entry", feature=LATEX.index(feature))
        made = row @ w[:, feature] + (0 if b is None else b[feature])
        lines.append([name, written, LATEX.number(made, page.digits)])
    return lines


def _key(page: _Page) -> list[Line]:
    return _projected(page, "K", "k", page.trace.key)


def _value(page: _Page) -> list[Line]:
    return _projected(page, "V", "v", page.trace.value)


def _projected(page: _Page, name: str, letter: str, made: np.ndarray) -> list[Line]:
    layer = page.layer
    own = layer.projections.kv_head(page.head)
    w = getattr(layer.projections, f"w_{letter}")[own]
    b = getattr(layer.projections, f"b_{letter}")
    rows = layer.encoded_inputs if layer.encoded_memory is None else layer.encoded_memory
    source = "I" if layer.memory is None else "M"
    if layer.position.added is not None:
        source = page.step("encoded_all", rows=source)
    symbol = page.step("projected", rows=source, letter=letter)
    digits = f"{page.matrix(rows)} {page.matrix(w)}"
    if b is not None:
        symbol = page.step("with_bias", product=symbol, letter=letter)
        digits += f" + {page.matrix(b[own][None])}"
    if letter == "k" and layer.position.turn is not None:
        plain = rows @ w + (0 if b is None else b[own])
        turned = page.step("turned_all", product=symbol)
        lines = _folded([symbol, digits, page.matrix(plain)], rows, w, plain)
        return [*lines, [name, turned, page.matrix(made)]]
    return _folded([name, symbol, digits, page.matrix(made)], rows, w, made)


def _scores(page: _Page) -> list[Line]:
    trace = page.trace
    relative = trace.relative_key is not None
    lines = [
        score_line(LATEX, ancestry(trace, page.query, key), trace.choices, page.digits, relative)
        for key in _shown(trace.n_key)
    ]
    return _with_dots(lines, trace.n_key)


def _scaled_scores(page: _Page) -> list[Line]:
    trace, i = page.trace, page.query
    name, row = page.step("scores_row"), page.vector(trace.scores[i])
    scaled = page.vector(trace.scaled_scores[i])
    if trace.choices.scale != "sqrt_d_k":
        factor = LATEX.constant(trace.scale)
        return [[f"{factor} \\, {name}", f"{factor} \\, {row}", scaled]]
    root = LATEX.fill("root", value=LATEX.index(trace.query.shape[-1] - 1))
    below = LATEX.number(1 / trace.scale, page.digits)
    return [
        [
            LATEX.fill("fraction", above=name, below=root),
            LATEX.fill("fraction", above=row, below=below),
            scaled,
        ]
    ]


def _masked_scores(page: _Page) -> list[Line]:
    trace, i = page.trace, page.query
    names, rows = [page.step("scores_row")], [trace.scaled_scores[i]]
    if trace.bias is not None:
        names.append(page.step("bias_row"))
        rows.append(trace.bias[i])
    if trace.mask is not None:
        names.append(page.step("mask_row"))
        rows.append(np.where(trace.mask[i], 0.0, -np.inf))
    digits = " + ".join(page.vector(row) for row in rows)
    return [[" + ".join(names), digits, page.vector(trace.masked_scores[i])]]


def _weights(page: _Page) -> list[Line]:
    trace, i, digits = page.trace, page.query, page.digits
    choices = trace.choices
    parts = normalizer_parts(
        choices.normalizer,
        trace.masked_scores[i : i + 1],
        temperature=choices.temperature,
        **choices.arguments("normalizer"),
    )
    threshold = None if parts.threshold is None else float(parts.threshold[0])
    law = Law.of(LATEX, choices, trace.n_key, threshold)
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
    below = LATEX.number(total, digits)
    if law.name in DIVIDED:
        numerators = page.vector(parts.numerators[0])
        lines = [[name, LATEX.fill("fraction", above=numerators, below=below), weights]]
        if law.name not in SUMMED:
            return lines
        summed = parts.numerators[0].tolist()
        if law.name == "softmax1":
            one = law.one(shift)
            summed, formulas = [one, *summed], [LATEX.number(one, digits), *formulas]
        written = LATEX.sum([LATEX.number(numerator, digits) for numerator in summed])
        return [[LATEX.name_of("total", i), LATEX.sum(formulas), written, below], *lines]
    lines = [
        [
            LATEX.name_of("weight", i, key),
            formulas[key],
            LATEX.number(trace.weights[i, key], digits),
        ]
        for key in _shown(trace.n_key)
    ]
    lines = _with_dots(lines, trace.n_key)
    if threshold is None:
        return lines
    return [[page.step("threshold"), LATEX.number(threshold, digits)], *lines]


def _head_outputs(page: _Page) -> list[Line]:
    trace, i = page.trace, page.query
    name, terms, output = row_line(LATEX, trace, i, page.digits)
    values = read_values(trace, i)
    products = [
        LATEX.fill(
            "scaled_vector", weight=LATEX.number(weight, page.digits), vector=page.vector(value)
        )
        for weight, value in zip(trace.weights[i].tolist(), values, strict=True)
    ]
    lines = [[name, page.step("weighted_sum"), terms]]
    if min(trace.n_key, 4) * min(values.shape[1], 5) <= _MOST_ACROSS:
        lines.append(["", LATEX.sum(products, MOST_TERMS // 2)])
    return [*lines, ["", output]]


def _together(page: _Page) -> list[Line]:
    trace = page.trace
    choices = trace.choices
    scored = page.step("scores_product")
    digits = [f"{page.matrix(trace.query)} {page.matrix(trace.key.T)}"]
    if choices.score != "dot":
        scored = page.step("scores_of", score=LATEX.fill(f"score_names.{choices.score}"))
        digits = []
    scores = page.step("scores_matrix")
    if choices.scale == "sqrt_d_k":
        scores = page.step("scaled_root", d_k=LATEX.index(trace.query.shape[-1] - 1))
    elif trace.scale != 1:
        scores = page.step("scaled_factor", factor=LATEX.constant(trace.scale))
    law = page.step("normalized", law=LATEX.fill(f"laws.{choices.normalizer}"), scores=scores)
    return [
        [page.step("scores_matrix"), scored, *digits, page.matrix(trace.scores)],
        [page.step("weights_matrix"), law, page.matrix(trace.weights)],
        [
            page.step("output_matrix"),
            page.step("output_product"),
            f"{page.matrix(trace.weights)} {page.matrix(trace.value)}",
            page.matrix(trace.output),
        ],
    ]


def _output(page: _Page) -> list[Line]:
    layer, i = page.layer, page.query
    heads = [page.step("joined_head", head=LATEX.index(head)) for head in range(layer.n_heads)]
    joined = page.step("joined", heads=" \\;\\Vert\\; ".join(LATEX.elide(heads, MOST_FEATURES)))
    row, w_o, b_o = layer.concatenated[i], layer.projections.w_o, layer.projections.b_o
    name = page.step("layer_output")
    if w_o is None:
        return [[name, joined, page.matrix(layer.output[i : i + 1])]]
    symbol, digits = (
        page.step("joined_times", joined=joined),
        f"{page.matrix(row[None])} {page.matrix(w_o)}",
    )
    if b_o is not None:
        symbol = page.step("with_bias", product=symbol, letter="O")
        digits += f" + {page.matrix(b_o[None])}"
    made = layer.output[i : i + 1]
    return _folded([name, symbol, digits, page.matrix(made)], row[None], w_o, made)


_FORMULAS: dict[str, Callable[[_Page], list[Line]]] = {
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


def _matrix(values: np.ndarray, digits: int) -> str:
    """Write a matrix; of a large one its corners, with dots between."""
    written = [[LATEX.spell(text) for text in row] for row in table(values.tolist(), digits)]
    rows = [" & ".join(LATEX.elide(row, MOST_FEATURES)) for row in written]
    if len(rows) > MOST_ROWS:
        across = min(values.shape[1], MOST_FEATURES if values.shape[1] <= MOST_FEATURES else 5)
        rows = [*rows[:3], " & ".join(["\\vdots"] * across), rows[-1]]
    return LATEX.fill("tables.matrix", rows=" \\\\ ".join(rows))


def _folded(line: Line, *matrices: np.ndarray) -> list[Line]:
    """Break a line before each equals sign where its matrices side by side would be too wide."""
    across = sum(min(matrix.shape[1], 5) for matrix in matrices)
    if across <= _MOST_ACROSS:
        return [line]
    return [line[:2], *(["", part] for part in line[2:])]


def _shown(n_key: int) -> list[int]:
    return list(range(n_key)) if n_key <= MOST_TERMS else [0, 1, 2, n_key - 1]


def _with_dots(lines: Sequence[Line], n_key: int) -> list[Line]:
    if n_key <= MOST_TERMS:
        return list(lines)
    return [*lines[:3], ["\\vdots"], lines[-1]]
