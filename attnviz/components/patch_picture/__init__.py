"""A picture in its patches, coloured by the weights of the one that is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from attnviz.components import Number, framed, part
from attnviz.components.palette import Theme, locked, palette
from attnviz.components.tokens import Spoken, numbered, spoken

_mount = part("patch_picture", "tokens")


@dataclass(frozen=True, kw_only=True)
class PatchWords:
    """What the picture says: of `{token}`, a `{list}` of shares; of a pair, its `{value}`."""

    hint: str
    looks: str  # the way from who asks
    looked: str  # the way from who is asked
    looks_most: str
    looked_most: str
    patch: str  # {place}: row, column
    share: str  # {token} {value}
    join: str
    pair: str
    beside: str  # before the tokens that are no patches
    scale: str  # {most}: the weight of the patch of the strongest colour
    plain: str  # leave the colours away
    way: str


@dataclass(frozen=True, eq=False, kw_only=True)
class PatchMap:
    """One head of a picture: weights packed as those of a HeatMap, and the picture itself.

    `query_places` and `key_places` say which token each row and column is; the tokens from number
    `before` on are the patches of the `grid`, row by row. `pixels` are RGB bytes, `size` is (rows,
    columns) of them. `text` names what is shown: what was locked in another one is let go.
    """

    label: str
    text: str
    queries: Sequence[str]
    keys: Sequence[str]
    query_places: Sequence[int]
    key_places: Sequence[int]
    before: int
    grid: tuple[int, int]
    tops: bytes
    cells: bytes
    pixels: bytes
    size: tuple[int, int]


def patch_picture(
    shown: PatchMap,
    *,
    key: str,
    group: str,
    words: PatchWords,
    theme: Theme,
    query: int | None = None,
    key_place: int | None = None,
    held: str = "",
    read_aloud: Spoken | None = None,
    digits: int = 2,
    tallest: int = 400,
    size: Number = 1.0,
) -> None:
    """Draw the picture; components of the same `group` look at the same tokens.

    A click chooses the patch that asks, or the one that is asked; pointing at another one reads
    the weight between them. The arrow keys point, Enter chooses, Escape lets go.
    `read_aloud` stands below, of the patch that is locked.
    """
    data = {
        "label": shown.label,
        "text": shown.text,
        "queries": list(shown.queries),
        "keys": list(shown.keys),
        "rows": list(shown.query_places),
        "columns": list(shown.key_places),
        "before": shown.before,
        "grid": list(shown.grid),
        "pixels": list(shown.size),
        "words": asdict(words),
        "numbers": numbered(shown.queries, shown.keys, (), ()),
        "spoken": spoken(read_aloud),
        "spokenDigits": max(3, digits),
        "group": group,
        "locked": locked(query, key_place, held),
        "digits": digits,
        "tallest": tallest * size,
        "letter": max(16, round(12 * size)) if size > 1 else 12,
        "size": size,
        **palette(theme),
    }
    _mount(key=key, data=framed(data, shown.tops, shown.cells, shown.pixels))
