"""The text and two columns of tokens, joined by the weights of the heads that are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from attnviz.components import Number, framed, part
from attnviz.components.palette import HEADS, Theme, locked, palette
from attnviz.components.tokens import Spoken, numbered, spoken

_mount = part("token_lines", "tokens")


@dataclass(frozen=True, kw_only=True)
class LineWords:
    """What the lines say: `{token}` {place} of `{head}` attends to `{list}` of shares."""

    hint: str
    query: str  # above the tokens that ask
    key: str  # above the tokens that are asked
    attends: str
    attended: str
    nothing: str
    share: str  # {token} {place} {value}
    join: str


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadLines:
    """One head: its name, and its weights packed as those of a HeatMap."""

    name: str
    tops: bytes
    cells: bytes


def token_lines(
    heads: Sequence[HeadLines],
    *,
    key: str,
    group: str,
    label: str,
    words: LineWords,
    queries: Sequence[str],
    keys: Sequence[str],
    query_numbers: Sequence[int] = (),
    key_numbers: Sequence[int] = (),
    ranges: bytes,
    strip: Sequence[tuple[str, bool]],
    other_strip: Sequence[tuple[str, bool]] = (),
    theme: Theme,
    query: int | None = None,
    key_place: int | None = None,
    held: str = "",
    text: str = "",
    read_aloud: Spoken | None = None,
    limit: Number = 1,
    digits: int = 2,
    size: Number = 1.0,
) -> None:
    """Draw the lines; components of the same `group` look at the same tokens.

    Pointing at a token previews what it attends to (or, in the right column, who attends to it);
    a click locks it, once more lets go. The arrow keys walk along the columns. `strip` is the text
    that asks, a token and whether a blank stands before it; `other_strip` the text that is asked,
    where it is another one. Many heads each have a colour of their own. `text` names what is
    shown: what was locked in another one is let go. `read_aloud` stands below.
    """
    colours = HEADS[theme]
    data = {
        "heads": [
            {"name": head.name, "colour": colours[place % len(colours)]}
            for place, head in enumerate(heads)
        ],
        "label": label,
        "words": asdict(words),
        "queries": list(queries),
        "keys": list(keys),
        "numbers": numbered(queries, keys, query_numbers, key_numbers),
        "spoken": spoken(read_aloud),
        "strip": [list(piece) for piece in strip],
        "otherStrip": [list(piece) for piece in other_strip],
        "same": not other_strip,
        "group": group,
        "locked": locked(query, key_place, held),
        "text": text,
        "limit": limit,
        "digits": digits,
        "size": size,
        **palette(theme),
    }
    arrays = (array for head in heads for array in (head.tops, head.cells))
    _mount(key=key, data=framed(data, ranges, *arrays))
