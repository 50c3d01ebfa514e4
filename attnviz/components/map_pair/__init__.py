"""Two maps and what the one has more than the other, on three canvases that point together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from attnviz.components import Number, framed, part
from attnviz.components.palette import Theme, palette

_mount = part("map_pair", "tokens")

Lines = Sequence[tuple[str | None, str | None, int | None]]
"""What stands at each row or column: its name on the one side and on the other, None where that
side has none, and its place in the pictures of the one side."""


@dataclass(frozen=True, kw_only=True)
class PairWords:
    """What the maps say: `{query}` {i} asks `{key}` {j}, `{one}` and `{other}`, `{difference}`."""

    hint: str
    marks: tuple[str, str]  # the two sides, as short as can be
    one: str  # the names of the three maps
    other: str
    difference: str
    cell: str
    only: str  # `{side}` alone has `{value}`
    nobody: str  # no side has both
    hidden: str  # neither side may see it
    column: str  # a column alone: `{token}`
    less: str  # the two ends of the scale
    more: str
    blank: str
    forbidden: str
    not_allowed: str  # in the place of a number


@dataclass(frozen=True, eq=False, kw_only=True)
class MapPair:
    """Two packed maps: uint16, row by row, 65 533 for a weight of `limit`.

    65 534 is a pair that this side may not see, 65 535 one that it does not have. `reach` is where
    the scale of the differences ends, and `notes` says of each row what there is to say.
    """

    label: str
    rows: Lines
    columns: Lines
    notes: Sequence[str]
    one: bytes
    other: bytes
    limit: Number = 1
    reach: Number = 1
    spoken: int | None = None  # the row whose note stands on the page


def map_pair(
    shown: MapPair,
    *,
    key: str,
    group: str,
    words: PairWords,
    theme: Theme,
    query: int | None = None,
    text: str = "",
    digits: int = 2,
    turned: bool = False,
    tallest: int = 430,
    largest: int = 40,
    size: Number = 1.0,
) -> None:
    """Draw the difference large and both maps small; pointing at one points at all.

    Pictures of the same `group` look at the same tokens of the one side. `query` is the place of
    the row that is held, `text` names what is shown there. `tallest` and `largest` bound the large
    map and its cells, in pixels.
    """
    scores = palette(theme, "scores")
    data = {
        "label": shown.label,
        "rows": [list(line) for line in shown.rows],
        "columns": [list(line) for line in shown.columns],
        "notes": list(shown.notes),
        "limit": shown.limit,
        "reach": shown.reach,
        "spoken": shown.spoken,
        "group": group,
        "words": asdict(words),
        "locked": None if query is None else {"side": "query", "at": query, "other": None},
        "text": text,
        "digits": digits,
        "turned": turned,
        "tallest": tallest * size,
        "largest": largest * size,
        "letter": round(13 * size),
        "size": size,
        **palette(theme),
        "signed": scores["colours"],
        "signedInks": scores["inks"],
    }
    _mount(key=key, data=framed(data, shown.one, shown.other))
