"""Position codes as pictures: a map of places and features, curves, pairs of places, arrows."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.cells import colour_axis, scale_of, value_range
from attnviz.figures.frames import axis_title, heading
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.plane import Plane
from attnviz.figures.theme import THEMES, Number, Theme, ThemeName, drawn, layout
from attnviz.lessons.turning import Turn
from attnviz.text import Words
from attnviz.text.numbers import number, significant

_WIDTH, _HEIGHT = 380, 340
_DASHES = ("solid", "dash", "dot", "dashdot")


def code_map(
    table: Float[np.ndarray, "place feature"],
    places: Float[np.ndarray, " place"],
    titles: tuple[str, str, str],
    theme: ThemeName = "light",
    *,
    notation: Notation = ROW,
) -> go.Figure:
    """Draw a code as colours: a row for each place, a column for each feature, 0 in the middle.

    `titles` are those of the figure, of the places and of the features. Where tokens are columns,
    places run across.
    """
    title, down, across = titles
    features = np.arange(1, table.shape[1] + 1)
    ys, xs = notation.pair(places, features)
    names = notation.pair(down, across)
    return _map(notation.laid(table), ys, xs, (title, *names), THEMES[theme])


def pair_map(
    table: Float[np.ndarray, "position position"],
    titles: tuple[str, str, str],
    theme: ThemeName = "light",
    *,
    notation: Notation = ROW,
) -> go.Figure:
    """Draw what two places have to do with each other: i down, j across, 0 in the middle."""
    places = np.arange(1, len(table) + 1)
    title, i, j = titles
    return _map(notation.laid(table), places, places, (title, *notation.pair(i, j)), THEMES[theme])


def code_curves(
    table: Float[np.ndarray, "place feature"],
    places: Float[np.ndarray, " place"],
    names: Sequence[str],
    titles: tuple[str, str],
    theme: ThemeName = "light",
    *,
    marks: Sequence[Number] = (),
    width: int = _WIDTH,
    height: int = _HEIGHT,
) -> go.Figure:
    """Draw each feature as a curve over the places; lines differ in shade and in dash.

    `titles` are those of the figure and of the places; `marks` are places with a line upright.
    """
    paint = THEMES[theme]
    count = table.shape[1]
    shades = np.linspace(1.0, 0.45, count) if count > 1 else np.array([0.75])
    colours = [
        f"rgb({red:.0f},{green:.0f},{blue:.0f})"
        for red, green, blue in paint.weights.colours(shades).tolist()
    ]
    data: list[dict] = [
        {
            "type": "scatter",
            "mode": "lines" if len(places) > 40 else "lines+markers",
            "x": places,
            "y": table[:, place],
            "name": names[place],
            "line": {"color": colours[place], "dash": _DASHES[place % 4], "width": 2},
            "marker": {"size": 5, "color": colours[place]},
            "hovertemplate": "%{x}: <b>%{y:.4f}</b><extra>%{fullData.name}</extra>",
        }
        for place in range(count)
    ]
    drawing = layout(paint, width=width, height=height, margin=(52, 8, 40, 46))
    drawing |= {
        "title": heading(f"<b>{titles[0]}</b>", paint),
        "xaxis": _line_axis(paint, titles[1]),
        "yaxis": _line_axis(paint, ""),
        "shapes": [_upright(mark, paint) for mark in marks],
    }
    if count > 1:
        drawing |= {"showlegend": True, "legend": {"font": {"size": 13}, "x": 1.01, "y": 1}}
    return drawn(data, drawing)


def turned_arrows(
    made: Turn,
    names: tuple[str, str],
    theme: ThemeName = "light",
    *,
    width: int = 400,
    height: int = 340,
) -> go.Figure:
    """Draw one pair of features of a query and a key: faint as they were, strong as they turned."""
    paint = THEMES[theme]
    plane, origin = Plane(paint), (0.0, 0.0)
    before = (made.pair(made.query).tolist(), made.pair(made.key).tolist())
    after = (made.pair(made.turned_query).tolist(), made.pair(made.turned_key).tolist())
    for role, name, faint, strong in zip(("query", "key"), names, before, after, strict=True):
        _circle(plane, faint, role)
        plane.arrows([origin], [faint], role, width=2, opacity=0.4)
        plane.arrows([origin], [strong], role, width=4)
        plane.names([strong], [name], role)
    data, axes = plane.drawn(width - 44, height - 38)
    return drawn(data, layout(paint, width=width, height=height, margin=(34, 10, 10, 28)) | axes)


def code_alt(
    table: Float[np.ndarray, "place feature"],
    places: Float[np.ndarray, " place"],
    t: Words,
    title: str,
) -> str:
    """Say in words what a map or curves show: how many, from where to where, and the ends."""
    return t(
        "positions.alt",
        title=title,
        rows=table.shape[0],
        columns=table.shape[1],
        first=number(places[0]),
        last=number(places[-1]),
        least=significant(table.min()),
        most=significant(table.max()),
    )


def turned_alt(made: Turn, t: Words, digits: int = 2) -> str:
    """Say in words what the arrows show: where the pair of each vector pointed, and points now."""
    pairs = {
        "query": made.pair(made.query),
        "key": made.pair(made.key),
        "turned_query": made.pair(made.turned_query),
        "turned_key": made.pair(made.turned_key),
    }
    said = {
        name: ", ".join(number(each, digits) for each in values) for name, values in pairs.items()
    }
    return t("positions.alt_turned", **said)


def _map(
    table: np.ndarray, ys: np.ndarray, xs: np.ndarray, titles: tuple[str, str, str], paint: Theme
) -> go.Figure:
    low, high = value_range(table, "scores")
    margin = (52, 66, 84, 8)
    title, down, across = titles
    data: list[dict] = [
        {
            "type": "heatmap",
            "z": table.astype(np.float32),
            "x": xs,
            "y": ys,
            "coloraxis": "coloraxis",
            "hovertemplate": "%{y}, %{x}: <b>%{z:.4f}</b><extra></extra>",
        }
    ]
    drawing = layout(paint, width=_WIDTH, height=_HEIGHT, margin=margin)
    drawing |= {
        "title": heading(f"<b>{title}</b>", paint),
        "coloraxis": colour_axis(
            scale_of(paint, "scores"), low, high, _HEIGHT - margin[2] - margin[3] - 20
        ),
        "xaxis": _cell_axis(paint, across, xs) | {"side": "top"},
        "yaxis": _cell_axis(paint, down, ys) | {"range": [ys[-1] + 0.5, ys[0] - 0.5]},
    }
    return drawn(data, drawing)


def _cell_axis(paint: Theme, title: str, places: np.ndarray) -> dict:
    whole = {"dtick": 1} if len(places) <= 8 else {"nticks": 8}
    return {
        "range": [float(places[0]) - 0.5, float(places[-1]) + 0.5],
        "title": axis_title(title, paint),
        "tickfont": {"size": 13, "color": paint.text},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        **whole,
    }


def _line_axis(paint: Theme, title: str) -> dict:
    return {
        "title": axis_title(title, paint),
        "tickfont": {"size": 13, "color": paint.muted},
        "gridcolor": paint.grid,
        "zeroline": True,
        "zerolinecolor": paint.muted,
        "zerolinewidth": 1,
        "nticks": 8,
        "fixedrange": True,
    }


def _upright(x: Number, paint: Theme) -> dict:
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": paint.accent, "width": 1.5, "dash": "dot"},
    }


def _circle(plane: Plane, tip: list[float], role: str) -> None:
    """Draw the circle that the tip of an arrow stays on when it turns."""
    angles = np.linspace(0, 2 * np.pi, 73)
    length = float(np.hypot(tip[0], tip[1]))
    ring = np.stack([length * np.cos(angles), length * np.sin(angles)], axis=1)
    plane.region(ring.tolist(), role)
    ends = [(length, 0.0), (-length, 0.0), (0.0, length), (0.0, -length)]
    plane.arrows([(0.0, 0.0)] * 4, ends, role, opacity=0)  # room for the whole circle
