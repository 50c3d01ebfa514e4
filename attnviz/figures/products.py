"""Row times column: where one number of a head's matrices comes from, in digits.

Matrices go by the names of `stops`. A row is a token in every array, whatever the notation draws.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attnviz.attention.ancestry import ancestry
from attnviz.attention.arrays import product
from attnviz.attention.stops import Stop, stops
from attnviz.attention.trace import HeadTrace, MultiHeadTrace
from attnviz.figures.cell_formulas import (
    cell_equation,
    cell_equations,
    score_equations,
    score_vectors,
)
from attnviz.figures.labels import pair
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.plane import read_values
from attnviz.figures.whole import scaled_name
from attnviz.figures.writing import LATEX, MOST_FEATURES, PLAIN, Hand, hand_of
from attnviz.text import Words

LETTERS = {"query": "q", "key": "k", "value": "v", "head_outputs": "b", "output": "o"}
WEIGHED = ("query", "key", "value", "head_outputs", "output")
"""The matrices whose numbers are a row of one matrix times a column of another."""

_MATRIX_OF = {"query": "w_q", "key": "w_k", "value": "w_v"}
Held = dict[str, tuple[int | None, int | None]]


@dataclass(frozen=True, eq=False)
class Products:
    """The matrices of one head, and the digits they are written with."""

    trace: MultiHeadTrace
    head: int
    t: Words
    digits: int = 2
    notation: Notation = ROW

    @cached_property
    def one(self) -> HeadTrace:
        """The arrays of the chosen head."""
        return self.trace.head(self.head)

    @cached_property
    def stops(self) -> dict[str, Stop]:
        """The matrices by name, in order."""
        return stops(self.trace, self.head)

    @property
    def source(self) -> str:
        """Name what queries, keys and values are made of."""
        return "encoded_inputs" if "encoded_inputs" in self.stops else "inputs"

    def factors(self, name: str) -> tuple[str, str] | None:
        """Name the two matrices that are multiplied to make one, None where none are."""
        if name in _MATRIX_OF:
            return self.source, _MATRIX_OF[name]
        if name == "scores":
            return "query", "key"
        if name == "head_outputs":
            return "weights", "value"
        if name == "output":
            return self.joined, "w_o"
        return None

    @property
    def joined(self) -> str:
        """Name what W^o is multiplied by."""
        return "concatenated" if "concatenated" in self.stops else "head_outputs"

    def before(self, name: str) -> str | None:
        """Name the matrix of scores that a later one is made of, number by number."""
        chain = [step for step in _SCORES if step in self.stops]
        place = chain.index(name) if name in chain else 0
        return chain[place - 1] if place else None

    def held(self, name: str, row: int, column: int) -> Held:
        """Say which row and which column of which matrix one number is made of."""
        two = self.factors(name)
        if two is not None and name == "scores":
            return {two[0]: (row, None), two[1]: (column, None)}
        if two is not None:
            return {two[0]: (row, None), two[1]: (None, column)}
        if name == "encoded_inputs":
            return {"inputs": (row, None), "positions": (row, None)}
        if name == "concatenated":
            return {"head_outputs": (row, None)} if self._own(column) is not None else {}
        earlier = self.before(name)
        return {} if earlier is None else {earlier: (row, None)}

    def lines(self, name: str) -> list[list[str]] | None:
        """Write every number of a matrix as what it is made of; None for what is handed in."""
        if name == "scores":
            return score_equations(self.one, self.digits)
        if name == "weights":
            return cell_equations(self.one, self.digits)
        if self.stops[name].source != "computed":
            return None
        rows, columns = self.stops[name].array.shape
        return [[self.line(name, row, column) for column in range(columns)] for row in range(rows)]

    def line(self, name: str, row: int, column: int) -> str:
        """Write one number as what it is made of: q₂,₁ = (0)(1) + (1)(0) + (1)(−1) = −1."""
        if name == "scores":
            return score_equation(self.one, row, column, self.digits)
        if name == "weights":
            return cell_equation(ancestry(self.one, row, column), self.one.choices, self.digits)
        return " = ".join(_LINES.get(name, _weighed)(self, PLAIN, name, row, column))

    def latex(self, name: str, row: int, column: int) -> str:
        """Write the same for one number as LaTeX, where it is a row times a column."""
        hand = hand_of(LATEX, self.notation)
        return " = ".join(_weighed(self, hand, name, row, column))

    def _own(self, column: int) -> int | None:
        """Find the feature of this head that a column of the heads side by side is, if it is."""
        d_v = self.one.output.shape[1]
        return column - self.head * d_v if column // d_v == self.head else None


def score_equation(one: HeadTrace, query: int, key: int, digits: int = 2) -> str:
    """Write one score as its sum of products: α₂,₁ = (−1)(3) + (1)(1) = −2."""
    pairs = zip(*(side.tolist() for side in score_vectors(one, query, key)), strict=True)
    terms = ["".join(PLAIN.bracketed(factor, digits) for factor in two) for two in pairs]
    made = PLAIN.number(one.scores[query, key], digits)
    return f"{PLAIN.name_of('score', query, key)} = {PLAIN.sum(terms, MOST_FEATURES)} = {made}"


_SCORES = ("scores", "scaled_scores", "masked_scores", "weights")
Writer = Callable[[Products, Hand, str, int, int], list[str]]


def _entry(page: Products, hand: Hand, letter: str, row: int, column: int) -> str:
    if hand.name == "plain":
        return f"{letter}{pair(row, column)}"
    if page.notation.columns:
        return f"{letter}^{{{row + 1}}}_{{{column + 1}}}"
    return f"{letter}_{{{row + 1},{column + 1}}}"


def _weighed(page: Products, hand: Hand, name: str, row: int, column: int) -> list[str]:
    """Write a row times a column, term by term."""
    trace, digits = page.trace, page.digits
    left, right = _row_and_column(page, name, row, column)
    swapped = hand.name == "latex" and page.notation.columns
    terms = [
        "".join(hand.bracketed(factor, digits) for factor in (two[::-1] if swapped else two))
        for two in zip(left.tolist(), right.tolist(), strict=True)
    ]
    made = float(page.stops[name].array[row, column])
    label = _entry(page, hand, LETTERS[name], row, column)
    written, offset = hand.sum(terms), _offset(page, name, column)
    if offset is not None:
        written += f" + {hand.factor(offset, digits)}"
    if name not in ("query", "key") or trace.position.turn is None:
        return [label, written, hand.number(made, digits)]
    plain = float(product(left[None], right[:, None])[0, 0]) + (offset or 0.0)
    arrow = "→" if hand.name == "plain" else r"\;\longrightarrow\;"
    turned = f"{hand.number(plain, digits)} {arrow} {label}"
    return [written, turned, hand.number(made, digits)]


def _row_and_column(
    page: Products, name: str, row: int, column: int
) -> tuple[np.ndarray, np.ndarray]:
    if name == "head_outputs":
        return page.one.weights[row], read_values(page.one, row)[:, column]
    two = page.factors(name)
    if two is None:
        raise ValueError(f"name must be one of {', '.join(WEIGHED)}, got {name!r}; choose one")
    return page.stops[two[0]].array[row], page.stops[two[1]].array[:, column]


def _offset(page: Products, name: str, column: int) -> float | None:
    """Give what is added to a product: one number of the vector b of its matrix."""
    w = page.trace.projections
    if name == "head_outputs":
        return None
    letter = LETTERS[name]
    vector = getattr(w, f"b_{letter}")
    if vector is None:
        return None
    if name == "output":
        return float(vector[column])
    return float(vector[page.head if name == "query" else w.kv_head(page.head)][column])


def _encoded(page: Products, hand: Hand, name: str, row: int, column: int) -> list[str]:
    one, other = (page.stops[each].array[row, column] for each in ("inputs", "positions"))
    names = [_entry(page, hand, letter, row, column) for letter in "ae"]
    digits = f"{hand.number(one, page.digits)} + {hand.factor(other, page.digits)}"
    return [
        " + ".join(names),
        digits,
        hand.number(page.stops[name].array[row, column], page.digits),
    ]


def _scaled(page: Products, hand: Hand, name: str, row: int, column: int) -> list[str]:
    one, digits = page.one, page.digits
    score, made = one.scores[row, column], one.scaled_scores[row, column]
    label = hand.name_of("score", row, column)
    if one.choices.scale == "sqrt_d_k":
        written = f"{hand.number(score, digits)} / {hand.number(1 / one.scale, digits)}"
    else:
        written = f"{hand.constant(one.scale)} · {hand.factor(score, digits)}"
    return [scaled_name(hand, one, label), written, hand.number(made, digits)]


def _masked(page: Products, hand: Hand, name: str, row: int, column: int) -> list[str]:
    one, digits = page.one, page.digits
    label = hand.name_of("score", row, column)
    if one.masked_scores[row, column] == -np.inf:
        return [hand.fill("forbidden", score=label, least=hand.constant(-np.inf))]
    scaled, made = one.scaled_scores[row, column], one.masked_scores[row, column]
    symbol = scaled_name(hand, one, label)
    if one.bias is None:
        return [symbol, hand.number(made, digits)]
    bias = one.bias[row, column]
    return [
        f"{symbol} + {hand.name_of('bias', row, column)}",
        f"{hand.number(scaled, digits)} + {hand.factor(bias, digits)}",
        hand.number(made, digits),
    ]


def _joined(page: Products, hand: Hand, name: str, row: int, column: int) -> list[str]:
    d_v = page.one.output.shape[1]
    said = page.t("ribbon.from_head", head=column // d_v + 1, feature=column % d_v + 1)
    return [said, hand.number(page.stops[name].array[row, column], page.digits)]


_LINES: dict[str, Writer] = {
    "encoded_inputs": _encoded,
    "scaled_scores": _scaled,
    "masked_scores": _masked,
    "concatenated": _joined,
}
