"""A training as pictures: how well each kind of sentence goes, and the matrices as they change."""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.labels import escape
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.theme import FONT, THEMES, Number, Theme, ThemeName, drawn, layout
from attnviz.models.training.learning import MATRICES, Snapshot
from attnviz.text import Words
from attnviz.text.numbers import decimals, magnitude, number, significant

_DASHES = ("solid", "dash", "dot")
_LEVELS = 127  # colours of a matrix on each side of 0: one byte a cell
SYMBOLS = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "O"}
_ROLES = {"w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output"}


def curves(
    history: Sequence[Snapshot],
    kinds: Sequence[str],
    steps: int,
    at: int,
    t: Words,
    theme: ThemeName = "light",
    *,
    height: int = 330,
) -> go.Figure:
    """Draw the share of sentences that are right, by kind, above the loss; a line marks a step.

    The steps are on a logarithmic scale: most is learned in the first of them.
    """
    paint = THEMES[theme]
    xs = _along([found.step for found in history])
    drawing = layout(paint, width=None, height=height, margin=(52, 14, 40, 44))
    data = [
        _line(xs, [found.accuracy[place] for found in history], name, place, paint)
        for place, name in enumerate(kinds)
        if not math.isnan(history[0].accuracy[place])
    ]
    losses = [found.loss for found in history]
    data.append(_line(xs, losses, t("train.loss"), 0, paint) | {"yaxis": "y2", "showlegend": False})
    data[-1]["line"] = {"color": paint.text, "width": 2}
    ticks = _ticks(steps)
    drawing |= {
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": _axis(paint)
        | {
            "range": [-0.03, math.log10(steps + 1) * 1.02],
            "tickvals": _along(ticks).tolist(),
            "ticktext": [number(tick) for tick in ticks],
            "tickangle": 0,
            "title": {"text": t("train.steps_axis"), "font": {"size": 13}},
            "anchor": "y2",
        },
        "yaxis": _axis(paint)
        | {
            "domain": [0.42, 1],
            "range": [-0.04, 1.06],
            "tickvals": [0, 0.5, 1],
            "tickformat": ".0%",
        },
        "yaxis2": _axis(paint)
        | {
            "domain": [0, 0.32],
            "range": [0, max(1e-3, *losses) * 1.1],
            "nticks": 3,
            "title": {"text": t("train.loss"), "font": {"size": 13}},
        },
        "shapes": [_mark(float(_along([at])[0]), paint)],
    }
    return drawn(data, drawing)


def curves_alt(history: Sequence[Snapshot], kinds: Sequence[str], t: Words) -> str:
    """Say in words where each curve starts and where it is now."""
    first, last = history[0], history[-1]
    said = [
        t(
            "train.alt_kind",
            kind=name,
            first=percent(first.accuracy[place]),
            last=percent(last.accuracy[place]),
        )
        for place, name in enumerate(kinds)
        if not math.isnan(last.accuracy[place])
    ]
    losses = {"first": decimals(first.loss, 2), "last": decimals(last.loss, 2)}
    return t("train.alt_curves", step=last.step, kinds=" ".join(said), **losses)


def percent(share: float) -> str:
    """Write a share in percent; what is not quite all is never 100 %, what is some never 0 %."""
    shown = share if share in (0, 1) else min(max(share, 0.01), 0.99)
    return f"{decimals(shown * 100, 0)} %"


def learned_matrices(
    found: Snapshot,
    frozen: Sequence[str],
    largest: Number,
    t: Words,
    theme: ThemeName = "light",
    *,
    notation: Notation = ROW,
    height: int = 330,
) -> go.Figure:
    """Draw W^q, W^k, W^v and W^O on one scale, and beneath each how large its gradient is.

    `largest` is the gradient whose bar has the whole width; a frozen matrix says so in its title.
    Where `notation` makes tokens columns, the matrices stand before them: they are transposed.
    """
    paint = THEMES[theme]
    top = max(float(np.abs(found.parameters[name]).max()) for name in MATRICES) or 1.0
    drawing = layout(paint, width=None, height=height, margin=(6, 58, 26, 24))
    data, notes, bars = [], [], []
    for place, name in enumerate(MATRICES):
        suffix = "" if place == 0 else str(place + 1)
        left, upper = (place % 2) * 0.54, place < 2
        across, upright = (left, left + 0.46), (0.62, 1.0) if upper else (0.0, 0.38)
        array = notation.laid(found.parameters[name])
        rows, columns = array.shape
        cells = np.rint(array / top * _LEVELS).astype(np.int8)
        data.append(
            {
                "type": "heatmap",
                "z": cells,
                "coloraxis": "coloraxis",
                "hoverinfo": "skip",
                "xaxis": f"x{suffix}",
                "yaxis": f"y{suffix}",
            }
        )
        bare = {"visible": False, "fixedrange": True}
        drawing[f"xaxis{suffix}"] = bare | {"domain": list(across), "anchor": f"y{suffix}"}
        drawing[f"yaxis{suffix}"] = bare | {
            "domain": list(upright),
            "anchor": f"x{suffix}",
            "range": [rows - 0.5, -0.5],
        }
        said = t("train.frozen_short") if name in frozen else f"{rows} × {columns}"
        title = f"<b>W<sup>{SYMBOLS[name]}</sup></b> {escape(said)}"
        notes.append(_note(title, across[0], upright[1], "bottom", paint.inks[_ROLES[name]]))
        length = found.gradients.get(name)
        if length is None:
            continue
        bars += _bar(across, upright[0], min(1.0, length / largest) if largest else 0.0, paint)
        below = f"∇ {magnitude(length)}"
        notes.append(_note(below, across[0], upright[0] - 0.025, "top", paint.muted))
    drawing |= {"annotations": notes, "shapes": bars}
    drawing["coloraxis"] = {
        "colorscale": paint.scores.colorscale,
        "cmin": -_LEVELS,
        "cmax": _LEVELS,
        "colorbar": {
            "thickness": 12,
            "outlinewidth": 0,
            "tickvals": [-_LEVELS, 0, _LEVELS],
            "ticktext": [significant(-top, 2), "0", significant(top, 2)],
            "tickfont": {"size": 13, "color": paint.muted},
        },
    }
    return drawn(data, drawing)


def learned_matrices_alt(found: Snapshot, frozen: Sequence[str], t: Words) -> str:
    """Say in words how large each matrix and its gradient are."""
    said = [
        t(
            "train.alt_matrix",
            symbol=f"W^{SYMBOLS[name]}",
            largest=significant(np.abs(found.parameters[name]).max(), 2),
            gradient=magnitude(found.gradients[name]) if name in found.gradients else "–",
            frozen=t("train.frozen_short") if name in frozen else "",
        )
        for name in MATRICES
    ]
    return t("train.alt_matrices", step=found.step, matrices=" ".join(said))


def _along(steps: Sequence[int]) -> np.ndarray:
    """Place steps on the axis: step 0 has a place too."""
    return np.log10(np.asarray(steps, dtype=np.float64) + 1).astype(np.float32)


def _ticks(steps: int) -> list[int]:
    known = [0, *(10**power for power in range(5))]
    return [*(tick for tick in known if tick < steps * 0.5), steps]


def _line(xs: np.ndarray, ys: Sequence[float], name: str, place: int, paint: Theme) -> dict:
    colours = (paint.accent, paint.inks["query"], paint.inks["value"])
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(xs) == 1 else "lines",
        "x": xs,
        "y": np.asarray(ys, dtype=np.float32),
        "name": escape(name),
        "line": {"color": colours[place], "width": 3, "dash": _DASHES[place]},
        "hovertemplate": "%{y:.2f}<extra></extra>",
    }


def _axis(paint: Theme) -> dict:
    return {
        "gridcolor": paint.grid,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"family": FONT, "size": 13, "color": paint.muted},
    }


def _mark(x: float, paint: Theme) -> dict:
    line = {"color": paint.muted, "width": 1.5, "dash": "dot"}
    ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "xref": "x", "yref": "paper"}
    return {"type": "line", "line": line, **ends}


def _bar(across: tuple[float, float], below: float, share: float, paint: Theme) -> list[dict]:
    """Draw a gradient as a bar beneath its matrix, in a frame as wide as the largest."""
    width = across[1] - across[0]
    place = {"type": "rect", "xref": "paper", "yref": "paper", "x0": across[0]}
    place |= {"y0": below - 0.03, "y1": below - 0.012}
    line = {"color": paint.grid, "width": 1}
    return [
        place | {"x1": across[1], "line": line},
        place | {"x1": across[0] + width * share, "fillcolor": paint.muted, "line": {"width": 0}},
    ]


def _note(text: str, x: float, y: float, anchor: str, colour: str) -> dict:
    return {
        "text": text,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": anchor,
        "showarrow": False,
        "font": {"size": 13, "color": colour},
    }
