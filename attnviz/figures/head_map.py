"""Heads as points: those that attend alike stand together."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.theme import THEMES, TRANSPARENT, Theme, ThemeName, drawn, layout
from attnviz.models.listed import Similar
from attnviz.text import Words
from attnviz.text.numbers import number

_HEIGHT, _POINT, _RING = 460, 9, 20
_WIDTH, _LETTERS = 900, (30, 15)  # pixels: of the plot on a laptop, and of a name
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
_DARKEST, _LIGHTEST = 0.95, 0.3
_MARGIN = 0.08  # of the longer side, around the points


def head_scatter(
    found: Similar,
    t: Words,
    theme: ThemeName = "light",
    *,
    chosen: Sequence[tuple[int, int]] = (),
    digits: int = 2,
) -> go.Figure:
    """Draw every head at its place, both axes on one scale, lettered layer.head.

    The layer is told by the colour, from light to dark, and by the shape of the point too. Heads
    that are open have a ring. A name that would stand over another is left out.
    """
    paint = THEMES[theme]
    drawing = layout(paint, width=None, height=_HEIGHT, margin=(8, 8, 8, 34))
    drawing |= _axes(found, t, paint)
    drawing |= {"showlegend": True, "legend": _legend(t, paint), "hovermode": "closest"}
    layers = sorted({layer for layer, _ in found.heads})
    held = [row for row, pair in enumerate(found.heads) if pair in set(chosen)]
    named = readable(found.places, held)
    data = [_points(found, layer, layers, named, t, paint, digits) for layer in layers]
    return drawn([*data, _rings(found, held, t, paint, digits)], drawing)


def head_scatter_alt(
    found: Similar, t: Words, *, pair: tuple[int, int] | None = None, digits: int = 2
) -> str:
    """Say in words how many heads there are, and which is most like the one in hand."""
    said = t("similar.alt", n=len(found.heads))
    near = None if pair is None else found.nearest(pair)
    if pair is None or near is None:
        return said
    nearest = t(
        "similar.said",
        head=head_label(pair),
        other=head_label(near[0]),
        distance=number(near[1], digits),
    )
    return f"{said} {nearest}"


def head_label(pair: tuple[int, int]) -> str:
    """Letter a head: layer.head, both from 0."""
    return f"{pair[0]}.{pair[1]}"


def _points(
    found: Similar,
    layer: int,
    layers: list[int],
    named: set[int],
    t: Words,
    paint: Theme,
    digits: int,
) -> dict:
    rows = [row for row, pair in enumerate(found.heads) if pair[0] == layer]
    share = layers.index(layer) / max(1, len(layers) - 1)
    level = np.array(_LIGHTEST + share * (_DARKEST - _LIGHTEST))
    colour = "#{:02x}{:02x}{:02x}".format(*(round(c) for c in paint.weights.colours(level)))
    return _trace(found, rows, t, digits) | {
        "mode": "markers+text",
        "name": str(layer),
        "text": [head_label(found.heads[row]) if row in named else "" for row in rows],
        "textposition": "top center",
        "textfont": {"size": 12, "color": paint.text},
        "marker": {
            "size": _POINT,
            "color": colour,
            "symbol": _SYMBOLS[layers.index(layer) % len(_SYMBOLS)],
            "line": {"width": 0.8, "color": paint.text},
        },
    }


def _rings(found: Similar, rows: list[int], t: Words, paint: Theme, digits: int) -> dict:
    """Draw a ring and a bold name at each head that is open, over all others."""
    return _trace(found, rows, t, digits) | {
        "mode": "markers+text",
        "showlegend": False,
        "text": [f"<b>{head_label(found.heads[row])}</b>" for row in rows],
        "textposition": "bottom center",
        "textfont": {"size": 14, "color": paint.accent},
        "marker": {
            "size": _RING,
            "color": TRANSPARENT,
            "symbol": "circle",
            "line": {"width": 3, "color": paint.accent},
        },
    }


def _trace(found: Similar, rows: list[int], t: Words, digits: int) -> dict:
    pairs = [found.heads[row] for row in rows]
    hover = t("similar.hover", label="%{hovertext}", near="%{customdata}")
    return {
        "type": "scatter",
        "x": found.places[rows, 0],
        "y": found.places[rows, 1],
        "customdata": [_near(found, pair, digits) for pair in pairs],
        "hovertext": [head_label(pair) for pair in pairs],
        "hovertemplate": f"{hover}<extra></extra>",
    }


def readable(places: Float[np.ndarray, "head 2"], open_rows: Sequence[int] = ()) -> set[int]:
    """Choose which heads have room for their letters: from the outside in, none over another."""
    span = np.ptp(places, axis=0)
    pixels = min(_WIDTH / max(float(span[0]), 1e-9), _HEIGHT / max(float(span[1]), 1e-9))
    away = -np.linalg.norm(places - places.mean(axis=0), axis=1)
    named: list[int] = []
    for row in np.argsort(away, kind="stable"):
        taken = places[[*open_rows, *named]]
        apart = np.abs(taken - places[row]) * pixels
        if not ((apart[:, 0] < _LETTERS[0]) & (apart[:, 1] < _LETTERS[1])).any():
            named.append(int(row))
    return set(named)


def _near(found: Similar, pair: tuple[int, int], digits: int) -> str:
    near = found.nearest(pair)
    return "" if near is None else f"{head_label(near[0])} ({number(near[1], digits)})"


def _axes(found: Similar, t: Words, paint: Theme) -> dict:
    low, high = found.places.min(axis=0), found.places.max(axis=0)
    pad = max(float((high - low).max()), 1e-6) * _MARGIN
    bare = {
        "showgrid": True,
        "gridcolor": paint.grid,
        "zeroline": False,
        "showticklabels": False,
        "fixedrange": True,
    }
    across = {"range": [float(low[0]) - pad, float(high[0]) + pad]}
    down = {"range": [float(low[1]) - pad, float(high[1]) + pad], "scaleanchor": "x"}
    note = {"text": t("similar.axes"), "font": {"size": 12, "color": paint.muted}}
    return {"xaxis": bare | across | {"title": note}, "yaxis": bare | down}


def _legend(t: Words, paint: Theme) -> dict:
    return {
        "title": {"text": t("similar.layer"), "font": {"size": 13, "color": paint.text}},
        "font": {"size": 12, "color": paint.text},
        "itemclick": False,
        "itemdoubleclick": False,
        "bgcolor": TRANSPARENT,
    }
