"""What a step's formula is written from: one query of one head, and how its numbers are set."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attnviz.attention.trace import HeadTrace, MultiHeadTrace
from attnviz.figures.notation import Notation
from attnviz.figures.writing import LATEX, MOST_FEATURES, Hand, hand_of
from attnviz.text.numbers import table

Line = list[str]

MOST_ROWS = 8  # of a matrix written out; more are dots
MOST_ACROSS = 13  # numbers side by side in one line


@dataclass(frozen=True, eq=False)
class Page:
    """One query of one head of a layer, and the digits it is written with."""

    layer: MultiHeadTrace
    query: int
    head: int
    digits: int
    notation: Notation

    @cached_property
    def hand(self) -> Hand:
        """How LaTeX is written in this notation."""
        return hand_of(LATEX, self.notation)

    @cached_property
    def trace(self) -> HeadTrace:
        """The arrays of the chosen head."""
        return self.layer.head(self.head)

    @cached_property
    def input_name(self) -> str:
        """The name of what is projected: a₂, or its sum with a position."""
        name = self.hand.name_of("input", self.query)
        if self.layer.position.added is None:
            return name
        return f"({self.step('encoded', input=name)})"

    def step(self, key: str, **values: str) -> str:
        """Fill the template of one part of a step."""
        return self.hand.fill(f"steps.{key}", i=self.hand.index(self.query), **values)

    def vector(self, values: np.ndarray) -> str:
        """Write one vector."""
        return self.hand.vector(values.tolist(), self.digits)

    def matrix(self, values: np.ndarray) -> str:
        """Write a matrix that has a token a row as it is drawn."""
        return _matrix(self.hand, self.notation.laid(values), self.digits)

    def product(self, left: np.ndarray, right: np.ndarray) -> str:
        """Write a product; where tokens are columns, of the transposes the other way round."""
        return " ".join(self.notation.pair(self.matrix(left), self.matrix(right)))

    def folded(self, line: Line, *matrices: np.ndarray) -> list[Line]:
        """Break a line before each equals sign where its matrices would be too wide."""
        across = sum(min(self.notation.laid(matrix).shape[1], 5) for matrix in matrices)
        if across <= MOST_ACROSS:
            return [line]
        return [line[:2], *(["", part] for part in line[2:])]


def _matrix(hand: Hand, values: np.ndarray, digits: int) -> str:
    """Write a matrix; of a large one its corners, with dots between."""
    written = [[hand.spell(text) for text in row] for row in table(values.tolist(), digits)]
    rows = [" & ".join(hand.elide(row, MOST_FEATURES)) for row in written]
    if len(rows) > MOST_ROWS:
        across = min(values.shape[1], MOST_FEATURES if values.shape[1] <= MOST_FEATURES else 5)
        rows = [*rows[:3], " & ".join(["\\vdots"] * across), rows[-1]]
    return hand.fill("tables.matrix", rows=" \\\\ ".join(rows))
