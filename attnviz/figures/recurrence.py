"""Who waits for whom: outputs light up as an RNN and self-attention come to them."""

from collections.abc import Iterable

import numpy as np
import plotly.graph_objects as go

from attnviz.comparisons.recurrence import Survival, powers, ready
from attnviz.figures.curves import Curve, curves
from attnviz.figures.theme import THEMES, Theme, ThemeName, drawn, faded, layout
from attnviz.text import Words
from attnviz.text.numbers import magnitude, significant

_LOWEST = 1e-9
_NUMBERED = 16
Edge = tuple[tuple[float, float], tuple[float, float]]


def lane(n: int, tick: int, reader: str, t: Words, theme: ThemeName = "light") -> go.Figure:
    """Draw the inputs, the states and the outputs of one reader after `tick` steps.

    What is finished is filled and what it was made from is joined; the rest is hollow.
    """
    paint = THEMES[theme]
    drawing = layout(paint, width=None, height=218, margin=(64, 12, 6, 6))
    levels = _levels(reader, t)
    hidden = {"visible": False, "fixedrange": True}
    drawing["xaxis"] = hidden | {"range": [-0.6, n - 0.4]}
    drawing["yaxis"] = hidden | {"range": [-0.5, len(levels) - 0.5]}
    drawing["annotations"] = [
        {
            "x": 0,
            "xref": "paper",
            "xanchor": "right",
            "xshift": -6,
            "y": level,
            "text": name,
            "showarrow": False,
            "font": {"size": 13, "color": paint.muted},
        }
        for level, name in enumerate(levels)
    ]
    done = [np.ones(n, dtype=bool), *_done(n, tick, reader)]
    waits, used = _split(_edges(n, reader), done)
    data = [
        _joined(waits, {"color": faded(paint.muted, 0.25), "width": 1}),
        _joined(used, {"color": faded(paint.accent, _opacity(used)), "width": _width(used)}),
    ]
    data += [_dots(level, ready_, n, paint) for level, ready_ in enumerate(done)]
    return drawn(data, drawing)


def lane_alt(n: int, tick: int, reader: str, t: Words) -> str:
    """Say how many outputs are there."""
    return t(
        "recurrence.lane_alt",
        reader=t(f"recurrence.{reader}"),
        ready=int(ready(n, tick, reader).sum()),
        n=n,
        tick=tick,
    )


def _levels(reader: str, t: Words) -> list[str]:
    middle = {"rnn": (), "both": ("→", "←"), "attention": ()}[reader]
    return [t("recurrence.inputs"), *middle, t("recurrence.outputs")]


def _done(n: int, tick: int, reader: str) -> list[np.ndarray]:
    """Tell for each level above the inputs what is finished."""
    place, out = np.arange(n), ready(n, tick, reader)
    if reader == "both":
        return [place < tick, place >= n - tick, out]
    return [out]


def _edges(n: int, reader: str) -> list[Edge]:
    """List what each is made from: (place, level) to (place, level)."""
    places = [float(place) for place in range(n)]
    if reader == "attention":
        return [((j, 0.0), (i, 1.0)) for i in places for j in places]
    forward = [((i - 1, 1.0), (i, 1.0)) for i in places[1:]]
    up = [((i, 0.0), (i, 1.0)) for i in places]
    if reader == "rnn":
        return up + forward
    backward = [((i + 1, 2.0), (i, 2.0)) for i in places[:-1]]
    out = [((i, level), (i, 3.0)) for i in places for level in (1.0, 2.0)]
    return up + [((i, 0.0), (i, 2.0)) for i in places] + forward + backward + out


def _split(edges: list[Edge], done: list[np.ndarray]) -> tuple[list[Edge], list[Edge]]:
    """Part what waits from what was used."""
    finished = [bool(done[int(level)][int(place)]) for _, (place, level) in edges]
    pairs = list(zip(edges, finished, strict=True))
    return [edge for edge, made in pairs if not made], [edge for edge, made in pairs if made]


def _opacity(edges: list[Edge]) -> float:
    """Let many lines show through each other."""
    return min(1.0, max(0.12, 40 / max(len(edges), 1)))


def _width(edges: list[Edge]) -> float | int:
    return 2 if len(edges) <= 64 else 1


def _joined(edges: Iterable[Edge], line: dict) -> dict:
    ends = [(*edge, (np.nan, np.nan)) for edge in edges]
    points = np.array(ends, dtype=float).reshape(-1, 2)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": points[:, 0],
        "y": points[:, 1],
        "line": line,
        "hoverinfo": "skip",
    }


def _dots(level: int, done: np.ndarray, n: int, paint: Theme) -> dict:
    numbered = n <= _NUMBERED
    filled = [paint.accent if made else paint.page for made in done]
    if level == 0:
        filled = [paint.grid] * n
    inks = [paint.page if made and level else paint.text for made in done]
    return {
        "type": "scatter",
        "mode": "markers+text" if numbered else "markers",
        "x": np.arange(n),
        "y": np.full(n, level),
        "text": [str(place + 1) for place in range(n)] if numbered else None,
        "textfont": {"size": 12, "color": inks},
        "marker": {
            "size": 24 if n <= 8 else 18 if numbered else 10 if n <= 32 else 6,
            "color": filled,
            "symbol": "square" if level == 0 else "circle",
            "line": {"color": paint.accent if level else paint.muted, "width": 1.5},
        },
        "hoverinfo": "skip",
    }


def survival_curves(found: Survival, t: Words, theme: ThemeName = "light") -> go.Figure:
    """Draw what is left of the first input, place by place."""
    places = np.arange(1, len(found.rnn) + 1)
    rule = powers(len(places), found.radius)
    lines = [
        Curve("attention", t("recurrence.attention"), places, found.attention),
        Curve("rnn", t("recurrence.rnn"), places, found.rnn),
        Curve("rule", f"{significant(found.radius)}ᵗ⁻¹", places, rule),
    ]
    titles = (t("recurrence.place"), t("recurrence.left"))
    return curves(lines, titles, theme, lowest=_LOWEST, log_x=False, height=280)


def survival_alt(found: Survival, t: Words) -> str:
    """Say what is left at the last place."""
    return t(
        "recurrence.left_alt",
        n=len(found.rnn),
        rnn=magnitude(found.rnn[-1]),
        attention=magnitude(found.attention[-1]),
    )
