"""What a step's picture is drawn from: one query of one head, and how it is to be shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool

from attnviz.attention.trace import HeadTrace, MultiHeadTrace
from attnviz.figures.labels import label_width, narrow_labels, token_labels
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.sheet import HEADS, Box, Sheet
from attnviz.figures.theme import THEMES, Theme, ThemeName
from attnviz.text import Words

EDGE, TOP = 26, 46  # the free room around a drawing; above a matrix, for its name
MOST_NAMED = 12  # more rows are not labelled


@dataclass(frozen=True, eq=False)
class View:
    """One query of one head of a layer; `tokens` ask, `key_tokens` are asked.

    Without `planes`, vectors with two features are drawn as numbers only.
    """

    layer: MultiHeadTrace
    query: int
    head: int
    tokens: Sequence[str]
    key_tokens: Sequence[str]
    t: Words
    theme: ThemeName
    digits: int
    notation: Notation = ROW
    planes: bool = True

    @cached_property
    def trace(self) -> HeadTrace:
        """The arrays of the chosen head."""
        return self.layer.head(self.head)

    @property
    def allowed(self) -> Bool[np.ndarray, " key"]:
        """True for each key that the query may see."""
        return np.isfinite(self.trace.masked_scores[self.query])

    @property
    def paint(self) -> Theme:
        """The colours of the page."""
        return THEMES[self.theme]

    @property
    def sheet(self) -> Sheet:
        """A new sheet of paper."""
        return Sheet(self.theme, self.digits)

    @property
    def columns(self) -> bool:
        """Tell whether tokens are columns."""
        return self.notation.columns

    @property
    def top(self) -> int:
        """The room above the first matrix: for its name, and for labels above its columns."""
        return TOP + (HEADS if self.columns else 0)

    def name(self, letter: str, place: int) -> str:
        """Write the name of a vector: q₂, or q² where tokens are columns."""
        return letter + self.notation.index(place)

    def label_tokens(
        self, sheet: Sheet, box: Box, tokens: Sequence[str], bold: int | None = None
    ) -> None:
        """Write the tokens beside the rows of a matrix, or above its columns."""
        if self.columns:
            sheet.column_labels(box, narrow_labels(tokens, box.wide), bold)
        else:
            sheet.row_labels(box, token_labels(tokens), bold)

    def left(self, tokens: Sequence[str]) -> int:
        """Give the room at the left of a matrix with a token a row, or a token a column."""
        return 2 * EDGE if self.columns else margin(token_labels(tokens))

    @property
    def query_labels(self) -> list[str]:
        """The tokens that ask."""
        return token_labels(self.tokens)

    @property
    def key_labels(self) -> list[str]:
        """The tokens that are asked."""
        return token_labels(self.key_tokens)


def margin(labels: Sequence[str]) -> int:
    """Give the room that row labels need at the left of a matrix."""
    if len(labels) > MOST_NAMED:
        return 2 * EDGE
    return EDGE + label_width(labels)
