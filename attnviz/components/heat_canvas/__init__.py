"""One map of weights on a canvas: read it by pointing, lock a token, ask the server nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from attnviz.components import Number, framed, index, listener, part
from attnviz.components.palette import Theme, locked, palette
from attnviz.components.tokens import Spoken, numbered, spoken

Mode = Literal["linear", "log", "rank"]

_mount = part("heat_canvas", "tokens")


@dataclass(frozen=True, kw_only=True)
class HeatWords:
    """What the map says: `{query}` {i} asks `{key}` {j}, `{value}`; `{token}` {place}."""

    hint: str
    cell: str
    block: str  # the largest weight of a block of tokens
    hidden: str  # a query may not see a key
    asks: str  # a query alone
    asked: str  # a key alone
    scale: str
    linear: str
    log: str
    rank: str
    least: str  # the two ends of the scale by rank
    most: str


@dataclass(frozen=True, eq=False, kw_only=True)
class HeatMap:
    """One map, packed: `tops` is the largest weight of each row, float32, `cells` the shares of it.

    `cells` are uint16, row by row, 65 535 for the row's largest. `ranges` are int32, first and last
    key that a row may see: all else is drawn as not allowed, never as 0. A large map comes in
    blocks of tokens, `row_edges` and `column_edges` say where they begin and end; `row` then is
    the exact weights (float32) of the query `exact_row`.
    """

    label: str
    queries: Sequence[str]
    keys: Sequence[str]
    tops: bytes
    cells: bytes
    ranges: bytes
    query_numbers: Sequence[int] = ()  # of the tokens in the text; where none, from 1
    key_numbers: Sequence[int] = ()
    limit: Number = 1  # where the linear scale ends
    row_edges: Sequence[int] | None = None
    column_edges: Sequence[int] | None = None
    exact_row: int | None = None
    row: bytes = b""


def heat_canvas(
    shown: HeatMap,
    *,
    key: str,
    group: str,
    words: HeatWords,
    theme: Theme,
    mode: Mode = "linear",
    query: int | None = None,
    key_place: int | None = None,
    held: str = "",
    text: str = "",
    read_aloud: Spoken | None = None,
    on_row: Callable[[int], None] | None = None,
    digits: int = 2,
    turned: bool = False,
    tallest: int = 560,
    largest: int = 46,
    size: Number = 1.0,
) -> None:
    """Draw the map; components of the same `group` look at the same tokens.

    Pointing and the arrow keys read a cell, a click or Enter locks its query. `on_row` is called
    with a locked query of a map in blocks, whose exact weights are not there yet. `turned` puts
    who asks across. `text` names what is shown: what was locked in another one is let go.
    `read_aloud` stands below, of the token that is locked. `tallest` and `largest` bound the map
    and a cell, in pixels.
    """

    def asked(value: object) -> None:
        row = index(value, len(shown.queries))
        if row is not None and on_row is not None:
            on_row(row)

    said = asdict(words)
    data = {
        "label": shown.label,
        "queries": list(shown.queries),
        "keys": list(shown.keys),
        "numbers": numbered(shown.queries, shown.keys, shown.query_numbers, shown.key_numbers),
        "spoken": spoken(read_aloud),
        "limit": shown.limit,
        "rowEdges": shown.row_edges,
        "columnEdges": shown.column_edges,
        "exactRow": shown.exact_row,
        "group": group,
        "words": said | {"rank": [words.least, words.most], "byRank": words.rank},
        "mode": mode,
        "locked": locked(query, key_place, held),
        "text": text,
        "digits": digits,
        "turned": turned,
        "tallest": tallest * size,
        "largest": largest * size,
        "letter": round(13 * size),
        "size": size,
        **palette(theme),
    }
    packed = framed(data, shown.tops, shown.cells, shown.ranges, shown.row)
    _mount(key=key, data=packed, on_row_change=listener(key, "row", asked))
