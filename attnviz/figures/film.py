"""How the package's own model learned, as a picture: each head's two scores, and the loss."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.theme import FONT, THEMES, Theme, ThemeName, drawn, faded, layout
from attnviz.models.induction.film import Moment
from attnviz.text import Words
from attnviz.text.numbers import decimals, number

Pair = tuple[int, int]

_LOOKS = {"previous": ("query", "solid"), "induction": ("key", "dash")}


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What is looked at: a head for each kind of score."""

    previous: Pair
    induction: Pair


def film_curves(
    moments: Sequence[Moment],
    shown: Shown,
    t: Words,
    theme: ThemeName = "light",
    *,
    height: int = 350,
) -> go.Figure:
    """Draw both scores of every head from moment to moment, the loss beneath.

    The moments stand evenly apart, whatever the steps between them.
    """
    paint = THEMES[theme]
    drawing = layout(paint, width=None, height=height, margin=(52, 14, 42, 46))
    places = np.arange(len(moments))
    data = []
    for kind in _LOOKS:
        data += _thin(moments, kind, getattr(shown, kind), t, paint)
    data += [_thick(moments, kind, getattr(shown, kind), t, paint) for kind in _LOOKS]
    losses = [moment.loss for moment in moments]
    data.append(
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": places,
            "y": losses,
            "yaxis": "y2",
            "showlegend": False,
            "line": {"color": paint.text, "width": 2},
            "marker": {"size": 5},
            "customdata": [decimals(loss, 2) for loss in losses],
            "hovertemplate": "%{customdata}<extra></extra>",
        }
    )
    drawing |= {
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "hovermode": "closest",
        "xaxis": _axis(paint)
        | {
            "range": [-0.3, len(moments) - 0.7],
            "tickvals": places.tolist(),
            "ticktext": [number(moment.step) for moment in moments],
            "tickangle": 0,
            "anchor": "y2",
            "title": {"text": t("film.axis"), "font": {"size": 13}},
        },
        "yaxis": _axis(paint)
        | {"domain": [0.38, 1], "range": [-0.04, 1.04], "tickvals": [0, 0.5, 1]},
        "yaxis2": _axis(paint)
        | {
            "domain": [0, 0.28],
            "range": [0, max(losses) * 1.1],
            "nticks": 3,
            "title": {"text": t("train.loss"), "font": {"size": 13}},
        },
    }
    return drawn(data, drawing)


def film_curves_alt(moments: Sequence[Moment], shown: Shown, t: Words) -> str:
    """Say in words how the two heads and the loss went from moment to moment."""
    each = [
        t(
            "film.alt_one",
            step=number(moment.step),
            previous=decimals(_score(moment, "previous", shown.previous), 2),
            induction=decimals(_score(moment, "induction", shown.induction), 2),
            loss=decimals(moment.loss, 2),
        )
        for moment in moments
    ]
    return t(
        "film.alt",
        previous=head_name(shown.previous),
        induction=head_name(shown.induction),
        values=" ".join(each),
    )


def head_name(pair: Pair) -> str:
    """Name a head, counted from 0."""
    return f"L{pair[0]}H{pair[1]}"


def _score(moment: Moment, kind: str, pair: Pair) -> float:
    return getattr(moment, kind)[pair[0]][pair[1]]


def _thin(moments: Sequence[Moment], kind: str, chosen: Pair, t: Words, paint: Theme) -> list[dict]:
    """Draw the heads that are not looked at."""
    role, dash = _LOOKS[kind]
    sizes = [(layer, head) for layer, own in enumerate(moments[0].previous) for head in _of(own)]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": np.arange(len(moments)),
            "y": [_score(moment, kind, pair) for moment in moments],
            "showlegend": False,
            "line": {"color": faded(paint.colours[role], 0.45), "width": 1.2, "dash": dash},
            "name": f"{head_name(pair)} {t(f'film.{kind}')}",
            "hovertemplate": "%{fullData.name}: %{y:.2f}<extra></extra>",
        }
        for pair in sizes
        if pair != chosen
    ]


def _of(own: Sequence[float]) -> range:
    return range(len(own))


def _thick(moments: Sequence[Moment], kind: str, pair: Pair, t: Words, paint: Theme) -> dict:
    role, dash = _LOOKS[kind]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": np.arange(len(moments)),
        "y": [_score(moment, kind, pair) for moment in moments],
        "name": f"{head_name(pair)} {t(f'film.{kind}')}",
        "line": {"color": paint.colours[role], "width": 3.5, "dash": dash},
        "marker": {"size": 7, "color": paint.colours[role]},
        "hovertemplate": "%{fullData.name}: %{y:.2f}<extra></extra>",
    }


def _axis(paint: Theme) -> dict:
    return {
        "gridcolor": paint.grid,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"family": FONT, "size": 13, "color": paint.muted},
    }
