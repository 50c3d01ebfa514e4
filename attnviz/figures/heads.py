"""Which head reads which keys and values, as a drawing of boxes and lines."""

import plotly.graph_objects as go

from attnviz.figures.theme import THEMES, Number, Theme, ThemeName, drawn, layout
from attnviz.text import Words

_BOX, _GAP, _HEIGHT = 62, 22, 190
_TOP, _BOTTOM, _HALF = 1.0, 0.0, 0.2


def sharing_lines(
    n_heads: int, n_kv_heads: int, t: Words, theme: ThemeName = "light", *, head: int = 0
) -> go.Figure:
    """Draw the queries of each head above, the sets of keys and values below, a line from each.

    The chosen head and its set are drawn bold.
    """
    paint = THEMES[theme]
    share = n_heads // n_kv_heads
    width = n_heads * (_BOX + _GAP) + 130
    drawing = layout(paint, width=width, height=_HEIGHT, margin=(110, 8, 8, 8))
    bare = {"visible": False, "fixedrange": True}
    drawing["xaxis"] = bare | {"range": [-0.6, n_heads - 0.4]}
    drawing["yaxis"] = bare | {"range": [_BOTTOM - 0.35, _TOP + 0.35]}
    shapes, notes = [], []
    for place in range(n_heads):
        chosen = place == head
        below = _centre(place // share, share)
        shapes.append(_line(place, below, paint, chosen))
        shapes.append(_box(place, _TOP, paint.colours["query"], chosen))
        notes.append(_note(f"q<sup>{place + 1}</sup>", place, _TOP, paint.inks["query"], chosen))
    for group in range(n_kv_heads):
        chosen, at = group == head // share, _centre(group, share)
        shapes.append(_box(at, _BOTTOM, paint.colours["key"], chosen, dash="dash"))
        key, value = paint.inks["key"], paint.inks["value"]
        pair = (
            f'<span style="color:{key}">k<sup>{group + 1}</sup></span> '
            f'<span style="color:{value}">v<sup>{group + 1}</sup></span>'
        )
        notes.append(_note(pair, at, _BOTTOM, paint.text, chosen))
    for text, height in ((t("sharing.queries"), _TOP), (t("sharing.sets"), _BOTTOM)):
        notes.append(_note(text, -0.55, height, paint.muted, False, size=14) | {"xanchor": "right"})
    drawing |= {"shapes": shapes, "annotations": notes}
    return drawn([], drawing)


def sharing_lines_alt(n_heads: int, n_kv_heads: int, t: Words) -> str:
    """Say in words which head reads which set."""
    share = n_heads // n_kv_heads
    each = [
        t("sharing.alt_head", head=head + 1, group=head // share + 1) for head in range(n_heads)
    ]
    return t("figure.alt_join").join(each)


def _centre(group: int, share: int) -> float:
    """Stand below the middle of the heads that share this set."""
    return group * share + (share - 1) / 2


def _box(x: Number, y: Number, colour: str, chosen: bool, dash: str = "solid") -> dict:
    half = 0.36
    return {
        "type": "rect",
        "x0": x - half,
        "x1": x + half,
        "y0": y - _HALF,
        "y1": y + _HALF,
        "line": {"color": colour, "width": 3 if chosen else 1.5, "dash": dash},
    }


def _line(above: Number, below: Number, paint: Theme, chosen: bool) -> dict:
    return {
        "type": "line",
        "x0": above,
        "x1": below,
        "y0": _TOP - _HALF,
        "y1": _BOTTOM + _HALF,
        "line": {"color": paint.accent if chosen else paint.muted, "width": 3 if chosen else 1.2},
    }


def _note(text: str, x: Number, y: Number, colour: str, chosen: bool, size: int = 17) -> dict:
    written = f"<b>{text}</b>" if chosen else text
    return {
        "text": written,
        "x": x,
        "y": y,
        "showarrow": False,
        "font": {"size": size, "color": colour},
    }
