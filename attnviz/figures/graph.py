"""A graph in a circle: its edges, who asks, how much each neighbour weighs, and who is reached."""

from collections.abc import Collection, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.comparisons.graph import Compared
from attnviz.figures.labels import shortened
from attnviz.figures.theme import THEMES, Number, Theme, ThemeName, drawn, faded, layout
from attnviz.text import Words
from attnviz.text.numbers import number

_FEW = 12
Pair = tuple[int, int]


def circle(n: int) -> Float[np.ndarray, "{n} 2"]:
    """Give places on a circle, the first at the top, clockwise."""
    turn = 2 * np.pi * np.arange(n) / max(n, 1)
    return np.stack([np.sin(turn), np.cos(turn)], axis=1)


def node_link(
    found: Compared,
    query: int,
    layers: int,
    names: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
    both_ways: bool = True,
    solid: Collection[Pair] | None = None,
) -> go.Figure:
    """Draw the graph; the edges of who asks are as wide as their weights, which stand on them.

    Filled nodes are reached after so many layers. Edges of one direction end in a small dot at the
    node that is read. Where some edges are `solid` (pairs of places), the others are dashed.
    """
    paint, n = THEMES[theme], len(names)
    drawing = layout(paint, width=None, height=300, margin=(8, 8, 8, 8))
    axis = {"visible": False, "fixedrange": True, "range": [-1.5, 1.5]}
    drawing["xaxis"] = axis
    drawing["yaxis"] = axis | {"scaleanchor": "x", "constrain": "domain"}
    places = circle(n) if n > 1 else np.zeros((1, 2))
    data = [
        *_plain_edges(found, query, places, paint, solid),
        *_asked(found, query, places, paint, solid),
    ]
    if not both_ways:
        data.append(_tips(found, places, paint))
    data.append(_nodes(found, query, layers, places, names, paint))
    drawing["annotations"] = _weights(found, query, places, digits, paint) if n <= _FEW else []
    return drawn(data, drawing)


def node_link_alt(found: Compared, query: int, layers: int, names: Sequence[str], t: Words) -> str:
    """Say how many edges there are, who asks, and how far it reaches."""
    return t(
        "graph.alt",
        nodes=len(names),
        edges=edges_between(found),
        name=names[query],
        layers=layers,
        reached=int(found.reached(query, layers).sum()),
    )


def edges_between(found: Compared) -> int:
    """Count the pairs of different nodes that are joined in one direction or both."""
    joined = found.allowed | found.allowed.T
    return int(np.triu(joined, 1).sum())


def _plain_edges(
    found: Compared, query: int, places: np.ndarray, paint: Theme, solid: Collection[Pair] | None
) -> list[dict]:
    """Draw the edges of all others, each once: what is solid, and what is dashed."""
    joined = found.allowed | found.allowed.T
    joined[query] &= ~found.allowed[query]
    joined[:, query] &= ~found.allowed[query]
    pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(joined, 1)), strict=True)]
    line = {"color": faded(paint.muted, 0.6), "width": 1.5}
    return [
        _lines(_ends(places, pairs, solid, dash), line | {"dash": dash})
        for dash in (("solid",) if solid is None else ("solid", "dash"))
    ]


def _dash(pair: Pair, solid: Collection[Pair] | None) -> str:
    return "solid" if solid is None or pair in solid or pair[::-1] in solid else "dash"


def _ends(
    places: np.ndarray, pairs: Sequence[Pair], solid: Collection[Pair] | None, dash: str
) -> np.ndarray:
    gap = (np.nan, np.nan)
    drawn_ = [(places[i], places[j], gap) for i, j in pairs if _dash((i, j), solid) == dash]
    return np.array(drawn_, dtype=float).reshape(-1, 2)


def _asked(
    found: Compared, query: int, places: np.ndarray, paint: Theme, solid: Collection[Pair] | None
) -> list[dict]:
    """Draw the edges of the node that asks, as wide as their weights."""
    keys = [key for key in np.flatnonzero(found.allowed[query]) if key != query]
    return [
        _lines(
            np.array([places[query], places[key]]),
            {
                "color": paint.accent,
                "width": 1.5 + 9 * float(found.masked[query, key]),
                "dash": _dash((query, int(key)), solid),
            },
        )
        for key in keys
    ]


def _lines(points: np.ndarray, line: dict) -> dict:
    place = {"x": points[:, 0], "y": points[:, 1]}
    return {"type": "scatter", "mode": "lines", "line": line, "hoverinfo": "skip"} | place


def _tips(found: Compared, places: np.ndarray, paint: Theme) -> dict:
    pairs = [(i, j) for i, j in zip(*np.nonzero(found.allowed), strict=True) if i != j]
    at = np.array([0.8 * places[j] + 0.2 * places[i] for i, j in pairs]).reshape(-1, 2)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": at[:, 0],
        "y": at[:, 1],
        "marker": {"size": 7, "color": paint.muted},
        "hoverinfo": "skip",
    }


def _nodes(
    found: Compared,
    query: int,
    layers: int,
    places: np.ndarray,
    names: Sequence[str],
    paint: Theme,
) -> dict:
    reached = found.reached(query, layers)
    light = faded(paint.accent, 0.28)
    few = len(names) <= _FEW
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": places[:, 0],
        "y": places[:, 1],
        "text": [shortened(name) if few else str(at + 1) for at, name in enumerate(names)],
        "textposition": "middle center",
        "textfont": {
            "size": 14 if few else 10,
            "color": [paint.page if at == query else paint.text for at in range(len(names))],
        },
        "marker": {
            "size": 34 if few else 16,
            "opacity": 1,
            "color": [
                paint.accent if at == query else _over(light, paint) if lit else paint.page
                for at, lit in enumerate(reached)
            ],
            "line": {
                "color": [paint.accent if lit else paint.muted for lit in reached],
                "width": [3 if lit else 1 for lit in reached],
            },
        },
        "hoverinfo": "skip",
    }


def _over(colour: str, paint: Theme) -> str:
    """Lay a colour that lets the page through upon it, so that no edge shows through a node."""
    red, green, blue, opacity = (float(part) for part in colour[5:-1].split(","))
    page = paint.page[1:]
    under = [int(page[at : at + 2], 16) for at in (0, 2, 4)]
    mixed = [
        round(opacity * over + (1 - opacity) * below)
        for over, below in zip((red, green, blue), under, strict=True)
    ]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _weights(
    found: Compared, query: int, places: np.ndarray, digits: Number, paint: Theme
) -> list[dict]:
    """Write each weight on its edge, nearer to the node that is asked; its own above its node."""
    notes = []
    for key in np.flatnonzero(found.allowed[query]):
        at = 0.5 * (places[query] + places[key]) if key != query else 1.37 * places[key]
        notes.append(
            {
                "x": float(at[0]),
                "y": float(at[1]),
                "text": number(found.masked[query, key], int(digits)),
                "showarrow": False,
                "bgcolor": paint.page,
                "font": {"size": 13, "color": paint.text},
            }
        )
    return notes
