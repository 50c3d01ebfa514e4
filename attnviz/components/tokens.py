"""What the pictures of a model share in Python: how tokens are counted, and what is read aloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """The sentence that reads a picture aloud: the page's own, until a person locks a token.

    `first` is that sentence, about `row`. `said` and `asked` are the same with slots, of a token
    that asks and of one that is asked: `{query}` {i}, `{key}` {j}, {value}, and {shown} for how
    much of the row is on the screen.
    """

    first: str
    row: int
    said: str
    asked: str


def spoken(words: Spoken | None) -> dict[str, object] | None:
    """Write a sentence as the browser reads it."""
    return None if words is None else asdict(words)


def numbered(
    queries: Sequence[str], keys: Sequence[str], asks: Sequence[int], asked: Sequence[int]
) -> dict[str, list[int]]:
    """Give the number of each token in its text; where none are given they count from 1."""
    return {
        "query": list(asks) or list(range(1, len(queries) + 1)),
        "key": list(asked) or list(range(1, len(keys) + 1)),
    }
