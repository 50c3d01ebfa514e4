"""Two temperatures: where an output goes as scores are divided, and how a next word is drawn."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.bars import bar_axes, bar_trace, bars_alt, shades
from attnviz.figures.labels import escape, shortened
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.plane import Plane, hull
from attnviz.figures.theme import FONT, THEMES, Number, ThemeName, drawn, layout
from attnviz.lessons.temperatures import NextWord, Path
from attnviz.text import Words
from attnviz.text.numbers import number, vector

_SIDE = (380, 280)


class _Walk(Plane):
    """A plane on which an output walks."""

    def line(self, places: np.ndarray, role: str) -> None:
        """Draw a path through places."""
        self._reach += [(x, y) for x, y in places.tolist()]
        self._add(
            mode="lines",
            x=places[:, 0].astype(np.float32),
            y=places[:, 1].astype(np.float32),
            line={"color": self.paint.colours[role], "width": 3},
        )

    def signs(self, places: Sequence[np.ndarray], texts: Sequence[str]) -> None:
        """Mark the ends of a path, and say what they are."""
        self._reach += [(float(place[0]), float(place[1])) for place in places]
        self._add(
            mode="markers+text",
            x=[float(place[0]) for place in places],
            y=[float(place[1]) for place in places],
            text=list(texts),
            textposition=["bottom center", "middle right"],
            textfont={"family": FONT, "size": 14, "color": self.paint.muted},
            marker={
                "symbol": "diamond-open",
                "size": 11,
                "line": {"width": 2},
                "color": self.paint.colours["output"],
            },
        )


def output_walk(
    path: Path,
    values: np.ndarray,
    output: np.ndarray,
    i: int,
    t: Words,
    theme: ThemeName = "light",
    *,
    ends: tuple[str, str] = ("T → 0", "T → ∞"),
    notation: Notation = ROW,
) -> go.Figure:
    """Draw the way of one output from a low temperature to a high one, and the area of the values.

    Raises:
        ValueError: if the values have another number of features than two.
    """
    if values.shape[1] != 2:
        raise ValueError(f"values must have 2 features to be drawn, got {values.shape[1]}")
    width, height = _SIDE
    plane = _Walk(THEMES[theme])
    corners = values.tolist()
    plane.region([corners[place] for place in hull(values)], "value")
    plane.points(corners, "value")
    plane.line(path.outputs, "output")
    plane.signs([path.outputs[0], path.outputs[-1]], ends)
    plane.points([output.tolist()], "output")
    if len(corners) <= 12:
        plane.names(corners, [f"v{notation.index(j)}" for j in range(len(corners))], "value")
    plane.names([output.tolist()], [f"b{notation.index(i)}"], "output")
    data, axes = plane.drawn(width - 44, height - 38)
    drawing = layout(THEMES[theme], width=width, height=height, margin=(34, 10, 10, 28))
    return drawn(data, drawing | axes)


def output_walk_alt(path: Path, output: np.ndarray, t: Words, *, digits: int = 2) -> str:
    """Say in words where the way begins, where it ends, and where the output is now."""
    return t(
        "temperatures.alt_walk",
        cold=vector(path.outputs[0], digits),
        hot=vector(path.outputs[-1], digits),
        now=vector(output, digits),
    )


def next_words(
    found: NextWord,
    tokens: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
    width: int | None = None,
) -> go.Figure:
    """Draw the probability of each word of the sentence as the next one."""
    paint = THEMES[theme]
    few = len(found.places) <= 16
    labels = [escape(shortened(tokens[place], 8)) for place in found.places]
    drawing = layout(paint, width=width, height=240, margin=(44, 6, 12, 30 if few else 90))
    drawing |= bar_axes(labels, (0.0, 1.0), paint, title=t("temperatures.probability"))
    colours = shades(found.probabilities, paint.weights)
    return drawn([bar_trace(found.probabilities, colours, digits, ink=paint.text)], drawing)


def next_words_alt(found: NextWord, tokens: Sequence[str], t: Words, *, digits: int = 2) -> str:
    """Say in words how probable each word is."""
    names = [tokens[place] for place in found.places]
    title = t("temperatures.probability")
    return bars_alt(found.probabilities, names, t, title=title, digits=digits)


def way_lines(
    path: Path,
    now: Number,
    t: Words,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
    width: int | None = None,
) -> go.Figure:
    """Draw, where the plane cannot, how far the output is from the best value and from the mean."""
    paint = THEMES[theme]
    xs = np.log10(path.temperatures)
    drawing = layout(paint, width=width, height=280, margin=(44, 12, 24, 44))
    data, notes = [], []
    for name, colour, dash in (("best", paint.accent, "solid"), ("mean", paint.text, "dash")):
        far = np.linalg.norm(path.outputs - getattr(path, name), axis=1)
        place = -1 if name == "best" else 0
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": xs.astype(np.float32),
                "y": far.astype(np.float32),
                "line": {"color": colour, "width": 2.5, "dash": dash},
                "hoverinfo": "skip",
            }
        )
        notes.append(
            {
                "text": f"<b>{t(f'temperatures.to_{name}')}</b>",
                "x": float(xs[place]),
                "y": float(far[place]),
                "xanchor": "right" if place else "left",
                "yshift": 12,
                "showarrow": False,
                "font": {"family": FONT, "size": 14, "color": colour},
            }
        )
    quiet = {"size": 13, "color": paint.muted}
    ticks = [-2, -1, 0, 1, 2, 3]
    drawing["xaxis"] = {
        "tickvals": ticks,
        "ticktext": [number(10.0**tick, digits) for tick in ticks],
        "title": {"text": "T", "font": quiet},
        "tickfont": quiet,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    drawing["yaxis"] = {
        "gridcolor": paint.grid,
        "rangemode": "tozero",
        "tickfont": quiet,
        "fixedrange": True,
        "nticks": 5,
    }
    if now > 0:
        at = float(np.clip(np.log10(now), xs[0], xs[-1]))
        line = {"color": paint.muted, "width": 1.5, "dash": "dot"}
        mark = {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper"}
        drawing["shapes"] = [mark | {"line": line}]
    return drawn(data, drawing | {"annotations": notes})
