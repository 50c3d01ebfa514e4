"""The band of scores that a truncated window leaves, in blocks of frames."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.notation import ROW, Notation
from attnviz.figures.theme import THEMES, Number, Theme, ThemeName, drawn, layout
from attnviz.text import Words
from attnviz.text.numbers import number, significant

_STOPS = 33  # of the colours


def band_map(
    shares: Float[np.ndarray, "block block"],
    edges: Sequence[int],
    t: Words,
    theme: ThemeName = "light",
    *,
    notation: Notation = ROW,
    height: int = 400,
) -> go.Figure:
    """Draw which share of the scores of each block is computed; who asks goes down, or across.

    The colours follow the square root of the share, so that a thin band is seen; the numbers of
    the figure are the shares.
    """
    paint = THEMES[theme]
    quiet = {"size": 13, "color": paint.muted}
    n = edges[-1]
    drawing = layout(paint, width=None, height=height, margin=(64, 90, 56, 12))
    places = np.linspace(0, n, 5).round().astype(int).tolist()
    axis = {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [number(place) for place in places],
        "tickfont": quiet,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    titles = ({"text": t(f"speech.{name}"), "font": quiet} for name in ("asks", "asked"))
    down, across = notation.pair(*titles)
    drawing["xaxis"] = axis | {
        "range": [0, n],
        "side": "top",
        "title": across,
        "constrain": "domain",
    }
    drawing["yaxis"] = axis | {
        "range": [n, 0],
        "title": down,
        "scaleanchor": "x",
        "constrain": "domain",
    }
    marks = [0, 0.1, 0.3, 0.6, 1]
    data = {
        "type": "heatmap",
        "x": np.asarray(edges, dtype=float),
        "y": np.asarray(edges, dtype=float),
        "z": notation.laid(shares),
        "zmin": 0,
        "zmax": 1,
        "colorscale": _by_root(paint),
        "hoverinfo": "skip",
        "colorbar": {
            "thickness": 10,
            "len": 0.85,
            "y": 0,
            "yanchor": "bottom",
            "tickvals": marks,
            "ticktext": [f"{significant(100 * mark)} %" for mark in marks],
            "tickfont": quiet,
            "outlinewidth": 0,
        },
    }
    return drawn([data], drawing)


def _by_root(paint: Theme) -> list[list]:
    """Give the colours of weights, each at the square of its place."""
    roots = np.linspace(0, 1, _STOPS)
    colours = paint.weights.colours(roots).round().astype(int).tolist()
    return [
        [root * root, f"rgb({red},{green},{blue})"]
        for root, (red, green, blue) in zip(roots.tolist(), colours, strict=True)
    ]


def band_map_alt(n: int, radius: int, share: Number, t: Words) -> str:
    """Say how much of the square is computed."""
    return t("speech.alt", n=number(n), radius=radius, share=significant(100 * share))
