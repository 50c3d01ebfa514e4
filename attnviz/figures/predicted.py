"""What may come next, and whether a second copy was known before it came."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.labels import escape, shortened, ticks, token_labels
from attnviz.figures.theme import FONT, THEMES, Theme, ThemeName, drawn, layout
from attnviz.models.repeats import Foreknown
from attnviz.models.written import Step
from attnviz.text import Words
from attnviz.text.numbers import decimals

_BAR, _FOOT, _CURVE = 25, 34, 250
_LONGEST = 14


def next_bars(step: Step, t: Words, theme: ThemeName = "light", *, digits: int = 2) -> go.Figure:
    """Draw the likeliest next tokens, the likeliest on top, and what all others have together.

    The token that was written is dark and has a sign.
    """
    paint = THEMES[theme]
    marks = ["▸ " if number == step.written else "" for number in step.ids]
    labels = [
        *(
            f"{mark}{escape(shortened(text, _LONGEST))}"
            for mark, text in zip(marks, step.texts, strict=True)
        ),
        t("predict_next.rest"),
    ]
    shares = np.append(step.probabilities, step.rest)
    colours = [paint.accent if mark else paint.muted for mark in marks]
    if step.written is None:
        colours = [paint.accent] * len(step.ids)
    return _across(labels, shares, [*colours, paint.grid], paint, digits)


def next_bars_alt(step: Step, t: Words, *, digits: int = 2) -> str:
    """Say in words how likely each next token is."""
    each = [
        t("predict_next.alt_one", token=text, share=decimals(share, digits))
        for text, share in zip(step.texts, step.probabilities.tolist(), strict=True)
    ]
    rest = t("predict_next.alt_rest", share=decimals(step.rest, digits))
    return t("predict_next.alt", values=t("figure.alt_join").join([*each, rest]))


def head_bars(
    labels: Sequence[str],
    scores: Float[np.ndarray, " head"],
    chosen: int | None,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
) -> go.Figure:
    """Draw a score from 0 to 1 for some heads; the one that is open is dark."""
    paint = THEMES[theme]
    colours = [paint.accent if place == chosen else paint.muted for place in range(len(labels))]
    return _across(list(labels), scores, colours, paint, digits)


def repeat_curve(
    known: Foreknown, tokens: Sequence[str], t: Words, theme: ThemeName = "light"
) -> go.Figure:
    """Draw how likely each token was held before it came: first copy dashed, second copy solid."""
    paint = THEMES[theme]
    drawing = layout(paint, width=None, height=_CURVE, margin=(46, 12, 12, 40))
    places = np.arange(len(tokens))
    looks = (
        ("first", known.first, paint.muted, "dash", "circle-open"),
        ("second", known.second, paint.accent, "solid", "diamond"),
    )
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": t(f"repeat.copy_{name}"),
            "x": places,
            "y": shares,
            "line": {"color": colour, "width": 2.5, "dash": dash},
            "marker": {"symbol": symbol, "size": 8, "color": colour},
            "customdata": [decimals(share, 4) for share in shares],
            "hovertext": token_labels(tokens),
            "hovertemplate": "%{hovertext}: %{customdata}<extra></extra>",
        }
        for name, shares, colour, dash, symbol in looks
    ]
    quiet = {"size": 13, "color": paint.muted}
    drawing["xaxis"] = ticks(token_labels(tokens)) | {
        "fixedrange": True,
        "range": [-0.6, len(tokens) - 0.4],
        "showgrid": False,
        "zeroline": False,
    }
    drawing["yaxis"] = {
        "fixedrange": True,
        "range": [-0.06, 1.06],
        "tickvals": [0, 0.5, 1],
        "gridcolor": paint.grid,
        "zeroline": False,
        "tickfont": quiet,
        "title": {"text": t("repeat.axis"), "font": quiet, "standoff": 6},
    }
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 14}}
    drawing |= {"showlegend": True, "legend": legend, "hovermode": "closest"}
    drawing["margin"]["t"] = 40
    return drawn(data, drawing)


def repeat_curve_alt(known: Foreknown, tokens: Sequence[str], t: Words, *, digits: int = 2) -> str:
    """Say in words how much better the second copy was known, token by token."""
    first, second = known.means
    each = [
        t("repeat.alt_one", token=token, first=_share(one, digits), second=_share(two, digits))
        for token, one, two in zip(tokens, known.first, known.second, strict=True)
    ]
    told = t("repeat.alt", first=decimals(first, digits), second=decimals(second, digits))
    return t("figure.alt_join").join([told, *each[:16]])


def _share(share: float, digits: int) -> str:
    return "–" if np.isnan(share) else decimals(share, digits)


def _across(
    labels: list[str], shares: np.ndarray, colours: Sequence[str], paint: Theme, digits: int
) -> go.Figure:
    """Draw bars from left to right on a scale from 0 to 1, the first on top."""
    height = _BAR * len(labels) + _FOOT
    drawing = layout(paint, width=None, height=height, margin=(8, 44, 6, 26))
    drawing["xaxis"] = {
        "range": [0, 1],
        "tickvals": [0, 0.5, 1],
        "fixedrange": True,
        "gridcolor": paint.grid,
        "zeroline": False,
        "tickfont": {"size": 12, "color": paint.muted},
    }
    drawing["yaxis"] = ticks(labels) | {
        "range": [len(labels) - 0.4, -0.6],
        "fixedrange": True,
        "automargin": True,
        "zeroline": False,
        "showgrid": False,
        "tickfont": {"family": FONT, "size": 14},
    }
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": shares,
        "y": np.arange(len(labels)),
        "width": 0.72,
        "marker": {"color": list(colours), "line": {"width": 0}},
        "text": [decimals(share, digits) for share in shares],
        "textposition": "outside",
        "textfont": {"size": 13, "color": paint.text},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    return drawn([bars], drawing)
