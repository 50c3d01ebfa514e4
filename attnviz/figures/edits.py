"""How far an edit moved the vectors of a model: the last ones as bars, all layers as a map."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.cells import MOST_DIGITS, cells, colour_axis, lettering
from attnviz.figures.frames import axis_title
from attnviz.figures.heatmaps import heatmap_alt
from attnviz.figures.labels import label_width, ticks, token_labels
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.spoken_edits import share
from attnviz.figures.theme import THEMES, ThemeName, drawn, layout
from attnviz.text import Words

MOST_NUMBERED = 14
_HEIGHT = 230
_CELL, _SMALL_CELL = 34, 20


def change_bars(
    final: Float[np.ndarray, " token"],
    tokens: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
) -> go.Figure:
    """Draw ‖y′ − y‖ / ‖y‖ of every token's last vector as a bar, in hundredths."""
    paint = THEMES[theme]
    shown = np.where(np.isfinite(final), final, 0) * 100
    labels = token_labels(tokens)
    few = len(tokens) <= MOST_NUMBERED
    most = int(shown.argmax())
    drawing = layout(
        paint,
        width=None,
        height=_HEIGHT,
        margin=(54, 8, 12, 34 if few else 24 + label_width(labels)),
    )
    drawing["xaxis"] = ticks(labels) | {
        "fixedrange": True,
        "range": [-0.6, len(tokens) - 0.4],
        "tickangle": 0 if few else -90,
    }
    drawing["yaxis"] = {
        "fixedrange": True,
        "range": [0, max(float(shown.max()), 1e-6) * 1.2],
        "gridcolor": paint.grid,
        "zeroline": False,
        "nticks": 4,
        "ticksuffix": " %",
    }
    bars = {
        "type": "bar",
        "x": np.arange(len(tokens)),
        "y": shown,
        "marker": {
            "color": [paint.accent if p == most else paint.muted for p in range(len(tokens))]
        },
        "text": [share(each) for each in final] if few else None,
        "textposition": "outside",
        "textangle": 0,
        "textfont": {"size": 12, "color": paint.text},
        "cliponaxis": False,
        "customdata": [share(each) for each in final],
        "hovertext": labels,
        "hovertemplate": "%{hovertext}: %{customdata}<extra></extra>",
    }
    return drawn([bars], drawing)


def change_bars_alt(final: Float[np.ndarray, " token"], tokens: Sequence[str], t: Words) -> str:
    """Say in words which last vectors changed most."""
    order = np.argsort(-final, kind="stable")[:MOST_NUMBERED]
    each = [
        t("edit.bars_each", token=tokens[p], i=int(p) + 1, share=share(float(final[p])))
        for p in order
    ]
    return t("figure.alt_join").join([t("edit.bars_title"), *each])


def spread_map(
    vectors: Float[np.ndarray, "layer token"],
    tokens: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    notation: Notation = ROW,
) -> go.Figure:
    """Draw the change of every token's vector after every layer, 0 to the largest of all."""
    paint, array = THEMES[theme], notation.laid(_shown(vectors))
    labels = notation.pair(token_labels(tokens), [str(i + 1) for i in range(len(vectors))])
    titles = notation.pair(t("edit.spread_tokens"), t("edit.spread_layers"))
    (n_rows, n_columns), most = array.shape, float(array.max(initial=0)) or 1.0
    few, allowed = max(array.shape) <= MOST_DIGITS, np.ones(array.shape, dtype=bool)
    height = n_rows * (_CELL if few else _SMALL_CELL)
    left, top = 34 + label_width(labels[0]), 52 + (label_width(labels[1]) if n_columns > 20 else 0)
    data = [cells(array, allowed, gap=2 if few else 0)]
    if few:
        data.append(lettering(array, allowed, paint.weights, (0.0, most), 2, hidden=""))
    drawing = layout(paint, width=None, height=height + top + 8, margin=(left, 64, top, 8))
    drawing["coloraxis"] = colour_axis(paint.weights, 0.0, most, max(height, 60))
    bare = {"showgrid": False, "zeroline": False, "ticks": "", "fixedrange": True}
    upright = {"side": "top", "title": axis_title(titles[1], paint)}
    drawing["xaxis"] = ticks(labels[1]) | bare | upright
    drawing["yaxis"] = ticks(labels[0]) | bare
    drawing["yaxis"] |= {
        "range": [n_rows - 0.5, -0.5],
        "title": axis_title(titles[0], paint),
    }
    return drawn(data, drawing)


def spread_map_alt(
    vectors: Float[np.ndarray, "layer token"],
    tokens: Sequence[str],
    t: Words,
    *,
    notation: Notation = ROW,
) -> str:
    """Say in words after which layer each token's vector changed most."""
    title = t("edit.spread_title")
    return heatmap_alt(_shown(vectors), tokens, None, t, title=title, notation=notation)


def _shown(vectors: Float[np.ndarray, "layer token"]) -> Float[np.ndarray, "token layer"]:
    return np.where(np.isfinite(vectors), vectors, 0.0).T
