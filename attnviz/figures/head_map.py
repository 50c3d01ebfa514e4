"""Heads as points: those that attend alike stand together."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.names_apart import Lettering, names_apart
from attnviz.figures.theme import THEMES, TRANSPARENT, Number, Theme, ThemeName, drawn, layout
from attnviz.models.listed import Similar
from attnviz.text import Words
from attnviz.text.numbers import number

_HEIGHT, _POINT, _RING = 460, 9, 20
_ACROSS, _PHONE, _DOWN = (1100, 800, 600), 290, 418  # pixels between the axes' ends
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
_DARKEST, _LIGHTEST = 0.95, 0.3
_MARGIN = 0.08  # of the longer side, around the points
_LINES = 6  # of the grid, along the longer side


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
    that are open have a ring. A name that would stand over another, or over another's point, is
    left out. The last trace has the names for which a phone is too narrow.
    """
    paint = THEMES[theme]
    drawing = layout(paint, width=None, height=_HEIGHT, margin=(8, 8, 8, 34))
    drawing |= _axes(found, t, paint)
    drawing |= {"showlegend": True, "legend": _legend(t, paint), "hovermode": "closest"}
    layers = sorted({layer for layer, _ in found.heads})
    held = [row for row, pair in enumerate(found.heads) if pair in set(chosen)]
    few, more, sides = head_names(found, held)
    data = [_points(found, layer, layers, t, paint, digits) for layer in layers]
    data += [_rings(found, held, sides, t, paint, digits)]
    return drawn([*data, *(_named(found, names, paint) for names in (few, more))], drawing)


def head_names(
    found: Similar, held: Sequence[int]
) -> tuple[dict[int, str], dict[int, str], dict[int, str]]:
    """Choose which heads are named, and on which side: everywhere, on wide screens, and the open.

    The one most like an open head comes first, then those that stand apart, from the outside in.
    """
    names, pad = [head_label(pair) for pair in found.heads], _pad(found.places)
    wide = [_pixels(found.places, across) for across in _ACROSS]
    every, rings = [*wide, _pixels(found.places, _PHONE)], Lettering(14, _RING)
    sides = names_apart(found.places, names, held, every, lettering=rings, around=pad)
    sides = {row: sides.get(row, "bottom center") for row in held}
    taken = [(row, side, rings) for row, side in sides.items()]
    near = [found.nearest(found.heads[row]) for row in held]
    away = -np.linalg.norm(found.places - found.places.mean(axis=0), axis=1)
    order = [found.heads.index(each[0]) for each in near if each is not None]
    order += [int(row) for row in np.argsort(away, kind="stable")]
    order = [row for row in dict.fromkeys(order) if row not in sides]
    few = names_apart(found.places, names, order, every, taken=taken, around=pad)
    taken += [(row, side, Lettering()) for row, side in few.items()]
    rest = [row for row in order if row not in few]
    return few, names_apart(found.places, names, rest, wide, taken=taken, around=pad), sides


def _pixels(places: Float[np.ndarray, "head 2"], across: Number) -> float:
    """Give how many pixels one step on either axis has, where so many lie between the ends."""
    span = np.ptp(places, axis=0)
    whole = span + 2 * _pad(places)
    return float(min(across / whole[0], _DOWN / whole[1]))


def _pad(places: Float[np.ndarray, "head 2"]) -> float:
    return max(float(np.ptp(places, axis=0).max()), 1e-6) * _MARGIN


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
    t: Words,
    paint: Theme,
    digits: int,
) -> dict:
    rows = [row for row, pair in enumerate(found.heads) if pair[0] == layer]
    share = layers.index(layer) / max(1, len(layers) - 1)
    level = np.array(_LIGHTEST + share * (_DARKEST - _LIGHTEST))
    colour = "#{:02x}{:02x}{:02x}".format(*(round(c) for c in paint.weights.colours(level)))
    return _trace(found, rows, t, digits) | {
        "mode": "markers",
        "name": str(layer),
        "marker": {
            "size": _POINT,
            "color": colour,
            "symbol": _SYMBOLS[layers.index(layer) % len(_SYMBOLS)],
            "line": {"width": 0.8, "color": paint.text},
        },
    }


def _named(found: Similar, names: Mapping[int, str], paint: Theme) -> dict:
    """Write names beside points that are drawn already."""
    rows, lettering = list(names), Lettering()
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": found.places[rows, 0],
        "y": found.places[rows, 1],
        "text": [head_label(found.heads[row]) for row in rows],
        "textposition": list(names.values()),
        "textfont": {"size": lettering.size, "color": paint.text},
        "marker": {"size": lettering.point, "color": TRANSPARENT},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _rings(
    found: Similar,
    rows: list[int],
    sides: Mapping[int, str],
    t: Words,
    paint: Theme,
    digits: int,
) -> dict:
    """Draw a ring and a bold name at each head that is open, over all others."""
    return _trace(found, rows, t, digits) | {
        "mode": "markers+text",
        "showlegend": False,
        "text": [f"<b>{head_label(found.heads[row])}</b>" for row in rows],
        "textposition": [sides[row] for row in rows],
        "textfont": {"size": 14, "color": paint.accent, "shadow": _halo(paint)},
        "marker": {
            "size": _RING,
            "color": TRANSPARENT,
            "symbol": "circle",
            "line": {"width": 3, "color": paint.accent},
        },
    }


def _halo(paint: Theme) -> str:
    """Let letters stand out from points behind them."""
    return ", ".join([f"0 0 3px {paint.page}"] * 4)


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


def _near(found: Similar, pair: tuple[int, int], digits: int) -> str:
    near = found.nearest(pair)
    return "" if near is None else f"{head_label(near[0])} ({number(near[1], digits)})"


def _axes(found: Similar, t: Words, paint: Theme) -> dict:
    low, high = found.places.min(axis=0), found.places.max(axis=0)
    pad = _pad(found.places)
    step = _step(float((high - low).max()))
    bare = {
        "showgrid": True,
        "gridcolor": paint.grid,
        "dtick": step,
        "zeroline": False,
        "showticklabels": False,
        "fixedrange": True,
    }
    across = {"range": [float(low[0]) - pad, float(high[0]) + pad]}
    down = {"range": [float(low[1]) - pad, float(high[1]) + pad], "scaleanchor": "x"}
    note = {"text": t("similar.axes"), "font": {"size": 12, "color": paint.muted}}
    return {"xaxis": bare | across | {"title": note}, "yaxis": bare | down}


def _step(span: float) -> float:
    """Give how far lines of the grid are apart on both axes: 1, 2 or 5 times a power of ten."""
    rough = max(span, 1e-6) / _LINES
    power = 10.0 ** np.floor(np.log10(rough))
    return float(next(each for each in (1, 2, 5, 10) if each * power >= rough) * power)


def _legend(t: Words, paint: Theme) -> dict:
    return {
        "title": {"text": t("similar.layer"), "font": {"size": 13, "color": paint.text}},
        "font": {"size": 12, "color": paint.text},
        "itemclick": False,
        "itemdoubleclick": False,
        "bgcolor": TRANSPARENT,
    }
