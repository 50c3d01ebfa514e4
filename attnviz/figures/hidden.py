"""How much of each row lay on keys that are hidden."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.labels import ticks, token_labels
from attnviz.figures.theme import THEMES, ThemeName, drawn, layout
from attnviz.text import Words
from attnviz.text.numbers import decimals

MOST_NUMBERED = 16
"""Rows whose share is written on their bar."""
_HEIGHT = 230


def hidden_bars(
    masses: Float[np.ndarray, " row"],
    queries: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
) -> go.Figure:
    """Draw a bar for each token that asks, from 0 to 1: the weight it had on hidden keys."""
    paint = THEMES[theme]
    drawing = layout(paint, width=None, height=_HEIGHT, margin=(44, 8, 12, 40))
    reach = max(1.0, float(masses.max(initial=0.0)))
    labels = token_labels(queries)
    drawing["xaxis"] = ticks(labels) | {
        "fixedrange": True,
        "range": [-0.6, len(queries) - 0.4],
        "title": {"text": t("hidden.axis"), "font": {"size": 12, "color": paint.muted}},
    }
    drawing["yaxis"] = {
        "fixedrange": True,
        "range": [0, reach * 1.15],
        "gridcolor": paint.grid,
        "zeroline": False,
        "tickvals": [0, 0.5, 1],
    }
    few = len(queries) <= MOST_NUMBERED
    bars = {
        "type": "bar",
        "x": np.arange(len(queries)),
        "y": masses,
        "marker": {"color": paint.accent},
        "text": [decimals(mass, digits) for mass in masses] if few else None,
        "textposition": "outside",
        "textfont": {"size": 12, "color": paint.text},
        "cliponaxis": False,
        "customdata": [decimals(mass, 4) for mass in masses],
        "hovertext": labels,
        "hovertemplate": "%{hovertext}: %{customdata}<extra></extra>",
    }
    average = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": float(masses.mean()),
        "y1": float(masses.mean()),
        "line": {"color": paint.text, "width": 1.5, "dash": "dash"},
    }
    drawing["shapes"] = [average]
    return drawn([bars], drawing)


def hidden_bars_alt(
    masses: Float[np.ndarray, " row"], queries: Sequence[str], t: Words, *, digits: int = 2
) -> str:
    """Say in words how much of each of the first rows was hidden, and the average of all."""
    each = [
        t("hidden.alt_row", query=query, i=row + 1, mass=decimals(mass, digits))
        for row, (query, mass) in enumerate(zip(queries, masses, strict=True))
    ]
    average = t("hidden.alt", average=decimals(masses.mean(), digits))
    return t("figure.alt_join").join([average, *each[:MOST_NUMBERED]])
