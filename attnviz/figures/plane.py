"""Vectors with two features as arrows on a plane, where an angle and a length can be seen."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Shaped

from attnviz.attention.trace import HeadTrace
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.theme import (
    DASHES,
    FONT,
    THEMES,
    Number,
    Theme,
    ThemeName,
    drawn,
    faded,
    layout,
)

_ROOM = 0.14  # of the span, left free around the arrows for their names
_HEAD = 13


@dataclass
class Plane:
    """Collects arrows and points, then gives them as traces and equal-sided axes."""

    paint: Theme
    axes: str = ""
    _data: list[dict] = field(default_factory=list)
    _reach: list[tuple[Number, Number]] = field(default_factory=lambda: [(0.0, 0.0)])

    def arrows(
        self,
        starts: Iterable[Sequence[Number]],
        ends: Iterable[Sequence[Number]],
        role: str,
        *,
        width: Number = 2.5,
        opacity: Number = 1,
    ) -> None:
        """Draw arrows of one role, in its colour and dash, with a solid head."""
        xs, ys, sizes = [], [], []
        for start, end in zip(starts, ends, strict=True):
            self._reach += [(start[0], start[1]), (end[0], end[1])]
            xs += [start[0], end[0], None]
            ys += [start[1], end[1], None]
            sizes += [0, math.dist(start, end), 0]
        self._add(
            mode="lines+markers",
            x=xs,
            y=ys,
            opacity=opacity,
            line={"color": self.paint.colours[role], "dash": DASHES[role], "width": width},
            marker={
                "symbol": "arrow",
                "angleref": "previous",
                "size": sizes,
                "opacity": 1,
                "line": {"width": 0},
                "color": self.paint.colours[role],
            },
        )

    def names(self, places: Sequence[Sequence[Number]], texts: Sequence[str], role: str) -> None:
        """Write names beyond the tips; places that coincide share one text."""
        together: dict[tuple[Number, Number], list[str]] = {}
        for place, text in zip(places, texts, strict=True):
            self._reach.append((place[0], place[1]))
            together.setdefault((round(place[0], 9), round(place[1], 9)), []).append(text)
        self._add(
            mode="text",
            x=[x for x, _ in together],
            y=[y for _, y in together],
            text=[f"<b>{' '.join(names)}</b>" for names in together.values()],
            textposition=[_outwards(x, y) for x, y in together],
            textfont={"family": FONT, "size": 16, "color": self.paint.inks[role]},
        )

    def points(self, places: Sequence[Sequence[Number]], role: str) -> None:
        """Draw dots."""
        self._reach += [(x, y) for x, y in places]
        self._add(
            mode="markers",
            x=[x for x, _ in places],
            y=[y for _, y in places],
            marker={"size": 9, "color": self.paint.colours[role]},
        )

    def region(self, corners: Sequence[Sequence[Number]], role: str) -> None:
        """Fill the area between the corners, faintly."""
        ring = [*corners, corners[0]]
        self._add(
            mode="lines",
            x=[x for x, _ in ring],
            y=[y for _, y in ring],
            fill="toself",
            fillcolor=faded(self.paint.colours[role], 0.12),
            line={"color": faded(self.paint.colours[role], 0.5), "width": 1, "dash": DASHES[role]},
        )

    def drawn(
        self,
        width: Number,
        height: Number,
        across: tuple[Number, Number] = (0, 1),
        upright: tuple[Number, Number] = (0, 1),
    ) -> tuple[list[dict], dict]:
        """Give the traces, and axes on which one unit is as long upwards as sideways.

        Width and height are those of the plane in pixels; `across` and `upright` are the shares of
        the figure that it takes.
        """
        x_range, y_range = self._ranges(width, height)
        pixel = (x_range[1] - x_range[0]) / width
        for trace in self._data:
            if "size" in trace.get("marker", {}) and isinstance(trace["marker"]["size"], list):
                trace["marker"]["size"] = [
                    min(_HEAD, 0.6 * length / pixel) for length in trace["marker"]["size"]
                ]
        shared = {
            "showgrid": True,
            "gridcolor": self.paint.grid,
            "zeroline": True,
            "zerolinecolor": self.paint.muted,
            "zerolinewidth": 1,
            "tickfont": {"size": 13, "color": self.paint.muted},
            "nticks": 6,
            "fixedrange": True,
            "constrain": "domain",
        }
        axes = {
            f"xaxis{self.axes}": shared
            | {"range": x_range, "domain": list(across), "anchor": f"y{self.axes}"},
            f"yaxis{self.axes}": shared
            | {
                "range": y_range,
                "domain": list(upright),
                "anchor": f"x{self.axes}",
                "scaleanchor": f"x{self.axes}",
            },
        }
        return self._data, axes

    def _ranges(self, width: Number, height: Number) -> tuple[list[float], list[float]]:
        reach = np.array(self._reach)
        low, high = reach.min(axis=0), reach.max(axis=0)
        middle, span = (low + high) / 2, np.maximum(high - low, 1e-9)
        unit = max(span[0] / width, span[1] / height) * (1 + 2 * _ROOM)
        half = (unit * width / 2, unit * height / 2)
        x, y = ([float(m - h), float(m + h)] for m, h in zip(middle, half, strict=True))
        return x, y

    def _add(self, **trace: object) -> None:
        on = {"type": "scatter", "xaxis": f"x{self.axes}", "yaxis": f"y{self.axes}"}
        self._data.append(on | {"hoverinfo": "skip", "cliponaxis": False} | trace)


def compass(
    paint: Theme,
    query: Float[np.ndarray, "2"],
    keys: Float[np.ndarray, "key 2"],
    i: int,
    axes: str = "",
    notation: Notation = ROW,
) -> Plane:
    """Draw one query and all keys as arrows from 0: their dot product grows as they line up."""
    plane = Plane(paint, axes)
    origin = (0.0, 0.0)
    tips = keys.tolist()
    plane.arrows([origin] * len(tips), tips, "key")
    plane.arrows([origin], [query.tolist()], "query", width=4)
    if len(tips) <= 12:
        plane.names(tips, [f"k{notation.index(j)}" for j in range(len(tips))], "key")
    plane.names([query.tolist()], [f"q{notation.index(i)}"], "query")
    return plane


def tip_to_tail(
    paint: Theme,
    values: Float[np.ndarray, "key 2"],
    contributions: Float[np.ndarray, "key 2"],
    output: Float[np.ndarray, "2"],
    i: int,
    axes: str = "",
    notation: Notation = ROW,
) -> Plane:
    """Draw the values, the area between them, and their shares tip to tail up to the output."""
    plane = Plane(paint, axes)
    corners = values.tolist()
    plane.region([corners[place] for place in hull(values)], "value")
    plane.points(corners, "value")
    tips = np.vstack([np.zeros((1, 2)), np.cumsum(contributions, axis=0)]).tolist()
    plane.arrows(tips[:-1], tips[1:], "value")
    plane.arrows([(0.0, 0.0)], [output.tolist()], "output", width=3.5)
    if len(corners) <= 12:
        plane.names(corners, [f"v{notation.index(j)}" for j in range(len(corners))], "value")
    plane.names([output.tolist()], [f"b{notation.index(i)}"], "output")
    return plane


def score_plane(
    trace: HeadTrace,
    query: int,
    theme: ThemeName = "light",
    *,
    width: int = 420,
    height: int = 340,
    notation: Notation = ROW,
) -> go.Figure:
    """Draw `compass` for one query of a head whose queries and keys have two features."""
    plane = compass(THEMES[theme], trace.query[query], trace.key, query, notation=notation)
    return _alone(plane, theme, width, height)


def sum_plane(
    trace: HeadTrace,
    query: int,
    theme: ThemeName = "light",
    *,
    width: int = 420,
    height: int = 340,
    notation: Notation = ROW,
) -> go.Figure:
    """Draw `tip_to_tail` for one query of a head whose values have two features."""
    contributions = trace.weights[query][:, None] * read_values(trace, query)
    plane = tip_to_tail(
        THEMES[theme],
        read_values(trace, query),
        contributions,
        trace.output[query],
        query,
        notation=notation,
    )
    return _alone(plane, theme, width, height)


def read_values(trace: HeadTrace, query: int) -> Float[np.ndarray, "key d_v"]:
    """Give the values as this query reads them: moved by relative positions, if there are any."""
    if trace.relative_value is None:
        return trace.value
    return trace.value + trace.relative_value[query]


def hull(points: Shaped[np.ndarray, "point 2"]) -> list[int]:
    """Give the corners of the smallest convex area around the points, counter-clockwise.

    Source: Andrew 1979, monotone chain.
    """
    order = sorted(range(len(points)), key=lambda place: tuple(points[place].tolist()))
    order = [p for n, p in enumerate(order) if n == 0 or (points[p] != points[order[n - 1]]).any()]
    if len(order) < 3:
        return order
    return _chain(points, order)[:-1] + _chain(points, order[::-1])[:-1]


def _chain(points: np.ndarray, order: list[int]) -> list[int]:
    kept: list[int] = []
    for place in order:
        while len(kept) > 1 and _turn(points[kept[-2]], points[kept[-1]], points[place]) <= 0:
            kept.pop()
        kept.append(place)
    return kept


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _outwards(x: Number, y: Number) -> str:
    upright = "top" if y >= 0 else "bottom"
    return f"{upright} {'right' if x > 0 else 'left' if x < 0 else 'center'}"


def _alone(plane: Plane, theme: ThemeName, width: int, height: int) -> go.Figure:
    margin = (34, 10, 10, 28)
    data, axes = plane.drawn(width - 44, height - 38)
    drawing = layout(THEMES[theme], width=width, height=height, margin=margin)
    return drawn(data, drawing | axes)
