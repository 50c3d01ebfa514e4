"""One row of scores under every normalizer: small bars side by side, each by itself."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.bars import bar_axes, bar_trace, reach_of, shades
from attnviz.figures.labels import escape, narrow_labels
from attnviz.figures.spoken_bench import or_none, short_vector
from attnviz.figures.theme import THEMES, Theme, ThemeName, drawn, layout
from attnviz.lessons.normalized import NAIVE, Normalized
from attnviz.text import Words
from attnviz.text.numbers import number

PER_ROW = 4
MOST_DIGITS = 6  # of so many keys each bar has its digits
_MOST_NUMBERED = 16
_WIDTH, _HEIGHT, _HEADER, _LABELS, _LEFT = 222, 78, 32, 24, 40
_ROOM, _ROOM_BELOW = 0.34, 0.6  # of the reach, for the digits at the end of a bar


def normalizer_bars(
    found: Sequence[Normalized],
    tokens: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    chosen: str = "",
    digits: int = 2,
) -> go.Figure:
    """Draw the weights of each normalizer as bars; those that are no distribution have their Σ.

    Weights that add up to 1 stand on the fixed scale from 0 to 1; the others reach as far as they
    must. The normalizer that is chosen has its name in the accent colour.
    """
    paint, n_rows = THEMES[theme], -(-len(found) // PER_ROW)
    width, height = PER_ROW * _WIDTH, n_rows * (_HEIGHT + _HEADER + _LABELS)
    drawing = layout(paint, width=width, height=height, margin=(4, 4, 0, 0))
    labels = _labels(tokens)
    data, notes = [], []
    for place, one in enumerate(found):
        axes = "" if place == 0 else str(place + 1)
        left = (place % PER_ROW) * _WIDTH
        top = (place // PER_ROW) * (_HEIGHT + _HEADER + _LABELS)
        data.append(_bars(one, paint, axes, digits))
        drawing |= _axes(one, labels, paint, axes, left / width)
        drawing[f"yaxis{axes}"]["domain"] = [
            1 - (top + _HEADER + _HEIGHT) / height,
            1 - (top + _HEADER) / height,
        ]
        notes.append(
            _title(one, t, paint, chosen, digits, (left + _LEFT) / width, 1 - top / height)
        )
    drawing["annotations"] = notes
    return drawn(data, drawing)


def normalizer_bars_alt(found: Sequence[Normalized], t: Words, *, digits: int = 2) -> str:
    """Say in words the weights of each normalizer."""
    said = (
        t(
            "normalizers.alt",
            name=name_of(one.name, t),
            weights=short_vector(one.weights, t, digits),
        )
        for one in found
    )
    return t("figure.alt_join").join(said)


def name_of(name: str, t: Words) -> str:
    """Name a normalizer, or the quotient that is none."""
    return t("normalizers.naive") if name == NAIVE else t(f"normalizer.{name}")


def _bars(one: Normalized, paint: Theme, axes: str, digits: int) -> dict:
    values = np.nan_to_num(one.weights)
    colours = shades(np.maximum(values, 0), paint.weights) if one.shared else paint.muted
    ink = paint.text if len(values) <= MOST_DIGITS else None
    return bar_trace(values, colours, digits, axes=axes, ink=ink)


def _labels(tokens: Sequence[str]) -> list[str]:
    """Name the keys where there is room, else number them."""
    if len(tokens) <= MOST_DIGITS:
        return narrow_labels(tokens, (_WIDTH - _LEFT) / len(tokens))
    step = -(-len(tokens) // _MOST_NUMBERED)
    return [str(place + 1) if place % step == 0 else "" for place in range(len(tokens))]


def _axes(one: Normalized, labels: Sequence[str], paint: Theme, axes: str, left: float) -> dict:
    reach = (0.0, 1.0) if one.shared else reach_of(np.nan_to_num(one.weights), np.array([0.0, 1.0]))
    share = 1 / PER_ROW
    domain = (left + share * _LEFT / _WIDTH, left + share * 0.97)
    found = bar_axes(labels, reach, paint, axes=axes, domain=domain)
    low, high = reach
    span = high - low
    found[f"yaxis{axes}"] |= {
        "nticks": 3,
        "tickfont": {"size": 12, "color": paint.muted},
        "range": [low - (_ROOM_BELOW * span if low < 0 else 0), high + _ROOM * span],
    }
    found[f"xaxis{axes}"]["tickfont"] = {"size": 12}
    return found


def _title(
    one: Normalized,
    t: Words,
    paint: Theme,
    chosen: str,
    digits: int,
    x: float,
    y: float,
) -> dict:
    name = escape(name_of(one.name, t))
    own = one.name == chosen
    total = (
        or_none(one.total, t, digits)
        if np.isnan(one.total)
        else number(round(one.total, 9), digits)
    )
    return {
        "text": f"<b>{name}</b>  Σ {total}" if own else f"{name}  Σ {total}",
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "top",
        "showarrow": False,
        "font": {"size": 14, "color": paint.accent if own else paint.text},
    }
