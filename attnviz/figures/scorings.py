"""One query scored against each key in several ways, as formulas with their operands."""

import numpy as np

from attnviz.figures.labels import pair
from attnviz.figures.notation import Notation
from attnviz.lessons.scored import Scored
from attnviz.text import Words
from attnviz.text.numbers import bracketed, number

MOST_TERMS = 4
"""A longer sum is written with its first terms, and dots."""

_FORMULAS = {
    "dot": r"q_i \cdot k_j",
    "scaled": r"\dfrac{q_i \cdot k_j}{\sqrt{d_k}}",
    "cosine": r"\dfrac{q_i \cdot k_j}{\lVert q_i \rVert \, \lVert k_j \rVert}",
    "additive": r"v \cdot \tanh(q_i W_a + k_j U_a)",
    "bilinear": r"q_i W k_j^\top",
}
_IN_COLUMNS = {
    "additive": r"v \cdot \tanh(W_a q^i + U_a k^j)",
    "bilinear": r"(q^i)^\top W k^j",
}


def formula(name: str, notation: Notation) -> str:
    """Write how a score is made of a query and a key, as LaTeX."""
    if not notation.columns:
        return _FORMULAS[name]
    return _IN_COLUMNS.get(name, _FORMULAS[name].replace("_i", "^i").replace("_j", "^j"))


def term_lines(one: Scored, query: int, t: Words, digits: int) -> list[str]:
    """Write each score of the query as the sum of products that it is."""
    return [
        t(
            "scorings.term",
            pair=pair(query, key),
            sum=_sum(left, right, one, digits),
            value=number(round(float(score), 12), digits),
        )
        for key, ((left, right), score) in enumerate(zip(one.terms, one.scores, strict=True))
    ]


def _sum(left: np.ndarray, right: np.ndarray, one: Scored, digits: int) -> str:
    terms = [
        f"{bracketed(a, digits)}{bracketed(b, digits)}"
        for a, b in zip(left[:MOST_TERMS], right[:MOST_TERMS], strict=True)
    ]
    if len(left) > MOST_TERMS:
        terms.append("…")
    written = " + ".join(terms)
    return f"({written}) / √{len(left)}" if one.name == "scaled" else written
