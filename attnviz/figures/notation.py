"""Two ways to write the same attention: a token is a row, or a token is a column.

    row      q_i = a_i W^q    A = Q K^T    softmax along each row      O = A' V
    column   q^i = W^q a^i    A = K^T Q    softmax down each column    O = V A'

Every matrix of one is the transpose of the same matrix of the other, parameters too; no number
changes. Arrays, masks and labels are handed over a token a row, as traces hold them: a `Notation`
lays them out when they are drawn. A score keeps its name: α₂,₁ is query 2 and key 1 in both, at row
2, column 1 of one and at row 1, column 2 of the other.
"""

from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from jaxtyping import Shaped

from attnviz.figures.labels import subscript, superscript
from attnviz.text import DEFAULT_LANGUAGE, Words, catalogue

Laid = TypeVar("Laid")


@dataclass(frozen=True)
class Notation:
    """How matrices lie, indices stand and sentences read."""

    name: Literal["row", "column"]

    @property
    def columns(self) -> bool:
        """Tell whether a token is a column."""
        return self.name == "column"

    def laid(self, array: Shaped[np.ndarray, "rows columns"]) -> Shaped[np.ndarray, "..."]:
        """Give a matrix, which has a token a row, as it is drawn."""
        return array.T if self.columns else array

    def vector(self, values: Shaped[np.ndarray, " n"]) -> Shaped[np.ndarray, "..."]:
        """Give one vector as it is drawn: 1 × n, or n × 1."""
        return self.laid(values[None])

    def pair(self, first: Laid, second: Laid) -> tuple[Laid, Laid]:
        """Give two things in their order: what stands at rows and at columns, or two factors."""
        return (second, first) if self.columns else (first, second)

    def index(self, place: int) -> str:
        """Write which token a vector of a picture belongs to: q₂, or q² as on slides."""
        return superscript(place) if self.columns else subscript(place)

    def words(self, t: Words) -> Words:
        """Give the words of a language, with those that name rows and columns turned.

        Placeholders keep their meaning: where a sentence has a {row} and a {column}, the row is who
        asks, even though the sentence then calls it a column.
        """
        if not self.columns:
            return t
        turned = catalogue(DEFAULT_LANGUAGE).keys()

        def look_up(key: str, /, **values: object) -> str:
            own = f"notation.in_columns.{key}"
            return t(own if own in turned else key, **values)

        return look_up


ROW, COLUMN = Notation("row"), Notation("column")

NOTATIONS: dict[str, Notation] = {"row": ROW, "column": COLUMN}
