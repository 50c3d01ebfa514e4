"""What a step's picture is drawn from: one query of one head, and how it is to be shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from attnviz.attention.trace import HeadTrace, MultiHeadTrace
from attnviz.figures.labels import label_width, token_labels
from attnviz.figures.sheet import Sheet
from attnviz.figures.theme import THEMES, Theme, ThemeName
from attnviz.text import Words

EDGE, TOP = 26, 46  # the free room around a drawing; above a matrix, for its name
MOST_NAMED = 12  # more rows are not labelled


@dataclass(frozen=True, eq=False)
class View:
    """One query of one head of a layer; `tokens` ask, `key_tokens` are asked."""

    layer: MultiHeadTrace
    query: int
    head: int
    tokens: Sequence[str]
    key_tokens: Sequence[str]
    t: Words
    theme: ThemeName
    digits: int

    @cached_property
    def trace(self) -> HeadTrace:
        """The arrays of the chosen head."""
        return self.layer.head(self.head)

    @property
    def paint(self) -> Theme:
        """The colours of the page."""
        return THEMES[self.theme]

    @property
    def sheet(self) -> Sheet:
        """A new sheet of paper."""
        return Sheet(self.theme, self.digits)

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
