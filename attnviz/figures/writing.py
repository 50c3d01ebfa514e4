r"""One formula, two hands: plain text (α₂,₁) and LaTeX (\alpha_{2,1}), with live digits in both.

Each hand also writes for tokens in columns: there LaTeX raises indices, q^2, and stands vectors up;
plain text keeps its lines and its lowered indices, since q² in it would be a square.

The templates are in `text/formulas.toml`; a Hand fills them. Numbers are rounded only when written.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from string import Template
from typing import Literal, SupportsFloat

from attnviz.figures.labels import pair, subscript
from attnviz.figures.notation import Notation
from attnviz.text import catalogue
from attnviz.text.numbers import MINUS, number, significant, table

HandName = Literal["plain", "latex"]

MOST_TERMS = 12  # a longer sum is written with its first terms, dots, and the last
MOST_FEATURES = 8  # a longer vector likewise
_KEPT = 3
_MOST_CHOSEN = 8  # digits of a number that people choose
_FROM_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@dataclass(frozen=True)
class Hand:
    """How formulas are written: as plain text or as LaTeX."""

    name: HandName
    templates: dict[str, Template]
    index: Callable[[int], str]
    indices: Callable[[int, int], str]
    spell: Callable[[str], str]

    def fill(self, key: str, /, **values: str) -> str:
        """Fill the template of one formula."""
        return self.templates[key].substitute(values)

    def number(self, value: SupportsFloat, digits: int) -> str:
        """Write a number as it stands alone or at the head of a formula."""
        return self.spell(number(value, digits))

    def factor(self, value: SupportsFloat, digits: int) -> str:
        """Write a number after an operator: bracketed where it is negative."""
        written = number(value, digits)
        return f"({self.spell(written)})" if written.startswith(MINUS) else self.spell(written)

    def bracketed(self, value: SupportsFloat, digits: int) -> str:
        """Write one factor of a product: (−1)(3)."""
        return f"({self.number(value, digits)})"

    def constant(self, value: SupportsFloat) -> str:
        """Write a chosen number, such as a temperature, as it was chosen: 0.00105.

        What has more than 8 digits, as 1/3 has, is written with 4 decimals, or 4 digits that count.
        """
        exact = float(value)
        if not math.isfinite(exact):
            return self.spell(number(exact))
        if float(f"{exact:.{_MOST_CHOSEN}g}") == exact:
            return self.spell(significant(exact, _MOST_CHOSEN))
        if abs(exact) < 1:
            return self.spell(significant(exact, 4))
        written = number(exact, 4)
        return self.spell(written.rstrip("0").rstrip(".") if "." in written else written)

    def power(self, value: float) -> str:
        """Write an exponent, a whole number as such, another as a fraction of 1."""
        if value.is_integer():
            return self.constant(value)
        return self.fill("inverse", value=self.constant(1 / value))

    def vector(self, values: Iterable[SupportsFloat], digits: int) -> str:
        """Write a vector: (−0.38, 1.44), or upright; a long one with dots."""
        written = [self.spell(text) for text in table([values], digits)[0]]
        entries = self.elide(written, MOST_FEATURES, "elided_entry")
        return self.fill("vector", entries=self.fill("between").join(entries))

    def elide(self, parts: Sequence[str], most: int, dots: str = "elided") -> list[str]:
        """Keep the first parts, dots and the last of what is too long to write."""
        if len(parts) <= most:
            return list(parts)
        return [*parts[:_KEPT], self.fill(dots), parts[-1]]

    def sum(self, terms: Sequence[str], most: int = MOST_TERMS) -> str:
        """Join terms with plus signs; a long sum is written with dots."""
        return " + ".join(self.elide(terms, most))

    def name_of(self, what: str, i: int, j: int = 0) -> str:
        """Write the name of a vector or number, such as q₂, v₁, α₂,₁; indices count from 0 here."""
        return self.fill(what, i=self.index(i), j=self.index(j), ij=self.indices(i, j))


def _latex_number(text: str) -> str:
    text = text.replace(MINUS, "-").replace("∞", "\\infty")
    if "×10" not in text:
        return text
    mantissa, exponent = text.split("×10")
    return f"{mantissa} \\times 10^{{{exponent.translate(_FROM_SUPERSCRIPTS)}}}"


def _templates(name: str) -> dict[str, Template]:
    prefix = f"{name}."
    return {
        key.removeprefix(prefix): Template(text)
        for key, text in catalogue("formulas").items()
        if key.startswith(prefix)
    }


PLAIN = Hand("plain", _templates("plain"), subscript, pair, str)
LATEX = Hand(
    "latex",
    _templates("latex"),
    lambda index: str(index + 1),
    lambda query, key: f"{query + 1},{key + 1}",
    _latex_number,
)
_IN_COLUMNS = {
    hand.name: replace(hand, templates=hand.templates | _templates(f"{hand.name}_columns"))
    for hand in (PLAIN, LATEX)
}


def hand_of(hand: Hand, notation: Notation) -> Hand:
    """Give the same hand as it writes in this notation."""
    return _IN_COLUMNS[hand.name] if notation.columns else hand


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Set LaTeX lines under each other, their first equals signs in one column."""
    rows = [
        f"{line[0]} &= {' = '.join(line[1:])}" if len(line) > 1 else f"& {line[0]}"
        for line in lines
    ]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"
