"""Two maps and their difference, drawn; rows that are held are held in every picture."""

from collections.abc import Sequence

import numpy as np

from attnviz.components.map_pair import MapPair, PairWords, map_pair
from attnviz.errors import InputError
from attnviz.figures import spoken_versus
from attnviz.figures.spoken_versus import Lines
from attnviz.models.comparing.aligned import Compared, Places, Side, seen_of
from attnviz.models.results import Capture
from attnviz.models.views import View
from attnviz.ui import session
from attnviz.ui.rooms.models import asked, one_head

_FULL, _FORBIDDEN, _BLANK = 65_533, 65_534, 65_535  # as the picture reads them


def marks() -> tuple[str, str]:
    """Give the names of the two sides, as short as can be."""
    t = session.t()
    return t("versus.mark_one"), t("versus.mark_other")


def draw(
    capture: Capture,
    found: Compared,
    sides: tuple[Side, Side],
    lines: tuple[Lines, Lines],
    names: tuple[str, str],
    row_said: int | None,
) -> None:
    """Draw the difference large, and both sides beside it."""
    t, digits = session.t(), session.settings().digits
    seen, (rows, columns), one = seen_of(found, *sides), lines, sides[0].view
    limit = max(1.0, float(np.nanmax(np.stack([found.one, found.other]), initial=0.0)))
    shown = _shown(capture)
    map_pair(
        MapPair(
            label=t("versus.map_label", one=names[0], other=names[1]),
            rows=_placed(rows, found.rows, one.query_places, shown.query_places if shown else ()),
            columns=[(*line, None) for line in columns],
            notes=[
                spoken_versus.say_row(found, rows, columns, row, t, digits)
                for row in range(len(rows))
            ],
            one=packed(found.one, seen[0], limit),
            other=packed(found.other, seen[1], limit),
            limit=limit,
            reach=reach(found.largest),
            spoken=row_said,
        ),
        key="map_pair",
        group=one_head.GROUP,
        words=_words(names),
        theme=session.theme(),
        query=asked.look(shown.queries) if shown else None,
        text=one_head.name_of(shown or one),
        digits=digits,
        turned=session.notation().columns,
        tallest=460 if session.alone() else 360,
        size=session.size(),
    )


def row_in_hand(capture: Capture, found: Compared, one: View) -> int | None:
    """Give the row that is spoken of: the one that is held, where both have it, or the farthest."""
    shown = _shown(capture)
    held = asked.look(shown.queries) if shown else None
    if shown is None or held is None:
        return found.farthest
    token = shown.query_places[held]
    begun = [at for at, place in enumerate(one.query_places) if place <= token]
    row = next((at for at, pair in enumerate(found.rows) if begun and pair[0] == begun[-1]), None)
    known = row is not None and not np.isnan(found.apart["total_variation"][row])
    return row if known else found.farthest


def _shown(capture: Capture) -> View | None:
    """Give the head in hand as the other pictures of the page show it."""
    try:
        return one_head.first(capture)
    except InputError:
        return None


def _placed(
    lines: Lines, places: Places, own: Sequence[int], shown: Sequence[int]
) -> list[tuple[str | None, str | None, int | None]]:
    """Add to each row which one of the page's other pictures it is, None where it is none."""
    at = {token: place for place, token in enumerate(shown)}
    return [
        (*line, None if place is None else at.get(own[place]))
        for line, (place, _) in zip(lines, places, strict=True)
    ]


def packed(weights: np.ndarray, seen: np.ndarray, limit: float) -> bytes:
    """Write weights in 16 bits as shares of `limit`, and what is no weight as what it is."""
    cells = np.rint(np.nan_to_num(weights) / limit * _FULL)
    cells = np.where(seen, cells, _FORBIDDEN)
    return np.where(np.isnan(weights), _BLANK, cells).astype(np.uint16).tobytes()


def reach(largest: float) -> float:
    """End the scale of differences at the next number of two digits, or at 1 where all is alike."""
    if largest <= 0:
        return 1.0
    step = 10.0 ** (np.floor(np.log10(largest)) - 1)
    return float(f"{np.ceil(largest / step - 1e-9) * step:.2g}")


def _words(names: tuple[str, str]) -> PairWords:
    t = session.t()
    pair = {name: f"{{{name}}}" for name in ("query", "key")}
    return PairWords(
        hint=t("versus.hint"),
        marks=marks(),
        one=names[0],
        other=names[1],
        difference=t("versus.difference"),
        cell=t("versus.cell", **pair, one="{one}", other="{other}", difference="{difference}"),
        only=t("versus.only", **pair, side="{side}", value="{value}"),
        nobody=t("versus.nobody", **pair),
        hidden=t("versus.hidden", **pair),
        column=t("versus.column", token="{token}"),
        less=t("versus.less"),
        more=t("versus.more"),
        blank=t("versus.blank"),
        forbidden=t("versus.forbidden"),
        not_allowed=t("versus.not_allowed"),
    )
