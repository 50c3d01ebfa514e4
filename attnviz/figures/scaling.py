"""How random scores behave as vectors grow wider: four curves, and one row of weights as bars."""

import math
from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.bars import bar_axes, bar_trace, shades
from attnviz.figures.theme import FONT, THEMES, Theme, ThemeName, drawn, layout
from attnviz.lessons.scaling import MEASURES, Study
from attnviz.text import Words
from attnviz.text.numbers import decimals

_PART, _HEIGHT, _TOP = 295, 268, 58
_GAP = 52  # pixels between two curves
_FONT = f'"Source Sans", {FONT}'  # its root sign stands close to what it covers
SIDES = ("unscaled", "scaled")


def width_curves(
    study: Study,
    chosen: int,
    t: Words,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
    per_row: int = len(MEASURES),
) -> go.Figure:
    """Draw the four measures against d, unscaled and divided by √d, with one width marked."""
    paint, place = THEMES[theme], study.widths.index(chosen)
    xs = np.log2(study.widths)
    n_rows = -(-len(MEASURES) // per_row)
    drawing = layout(
        paint, width=_PART * per_row, height=_HEIGHT * n_rows, margin=(30, 12, _TOP, 44)
    )
    size = (_PART * per_row - 42, _HEIGHT * n_rows - _TOP - 44)
    data, notes, marks = [], [], []
    for n, measure in enumerate(MEASURES):
        suffix = "" if n == 0 else str(n + 1)
        across, upright = _domains(n, per_row, n_rows, size)
        pair = [getattr(getattr(study, side), measure) for side in SIDES]
        top = float(max(map(np.max, pair)))
        for side, values in zip(SIDES, pair, strict=True):
            data.append(_line(xs, values, side, paint, suffix))
            notes.append(_name(xs, values, side, t, paint, suffix))
        drawing |= _axes(study, paint, suffix, (across, upright), top)
        shown = [decimals(values[place], digits) for values in pair]
        corner = (across[0], upright[1])
        notes.append(_note(f"<b>{t(f'scaling.{measure}')}</b>", corner, 40, paint.text))
        said = t("scaling.at", d=chosen, unscaled=shown[0], scaled=shown[1])
        notes.append(_note(said, corner, 20, paint.muted))
        marks.append(_mark(float(xs[place]), suffix, paint))
    drawing |= {"annotations": notes, "shapes": marks}
    return drawn(data, drawing)


def _domains(
    n: int, per_row: int, n_rows: int, size: tuple[int, int]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Give the shares of the plot that the n-th curve takes, across and upright."""
    gap = (_GAP / size[0], (_TOP + 44) / size[1])
    part = [(1 - g * (count - 1)) / count for g, count in zip(gap, (per_row, n_rows), strict=True)]
    left = n % per_row * (part[0] + gap[0])
    below = (n_rows - 1 - n // per_row) * (part[1] + gap[1])
    return (left, left + part[0]), (below, min(1.0, below + part[1]))


def width_curves_alt(study: Study, t: Words, *, digits: int = 2) -> str:
    """Say in words how each measure goes from the narrowest width to the widest."""
    ends = (0, len(study.widths) - 1)

    def numbers(side: str, measure: str) -> list[str]:
        values = getattr(getattr(study, side), measure)
        return [decimals(values[place], digits) for place in ends]

    said = [
        t(
            "scaling.alt_curve",
            measure=t(f"scaling.{measure}"),
            first=numbers("unscaled", measure)[0],
            unscaled=numbers("unscaled", measure)[1],
            scaled=numbers("scaled", measure)[1],
        )
        for measure in MEASURES
    ]
    return t("scaling.alt", low=study.widths[0], high=study.widths[-1], curves=" ".join(said))


def row_bars(
    study: Study,
    chosen: int,
    t: Words,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
    width: int | None = None,
) -> go.Figure:
    """Draw the weights of one query over its random keys, unscaled and divided by √d."""
    paint = THEMES[theme]
    drawing = layout(paint, width=width, height=210, margin=(40, 6, 34, 26))
    data, notes = [], []
    for n, (side, weights) in enumerate(zip(SIDES, study.row_weights(chosen), strict=True)):
        suffix, left = ("", 0.0) if n == 0 else ("2", 0.54)
        labels = [f"k{place + 1}" for place in range(len(weights))]
        drawing |= bar_axes(labels, (0.0, 1.0), paint, axes=suffix, domain=(left, left + 0.46))
        data.append(bar_trace(weights, shades(weights, paint.weights), digits, axes=suffix))
        data[-1] |= _digits(weights, digits, paint)
        notes.append(_note(f"<b>{t(f'scaling.{side}')}</b>", (left, 1.0), 24, paint.text))
    return drawn(data, drawing | {"annotations": notes})


def row_bars_alt(study: Study, chosen: int, t: Words, *, digits: int = 2) -> str:
    """Say in words the largest weight of that row, unscaled and divided by √d."""
    largest = [decimals(weights.max(), digits) for weights in study.row_weights(chosen)]
    return t("scaling.alt_row", d=chosen, unscaled=largest[0], scaled=largest[1])


def _digits(weights: np.ndarray, digits: int, paint: Theme) -> dict:
    """Write the weights above bars that stand close together: .31 for 0.31."""
    return {
        "text": [decimals(weight, digits).replace("0.", ".", 1) for weight in weights.tolist()],
        "textposition": "outside",
        "textangle": 0,
        "textfont": {"family": _FONT, "size": 12, "color": paint.text},
    }


_STYLE: dict[str, Callable[[Theme], dict]] = {
    "unscaled": lambda paint: {
        "line": {"color": paint.accent, "width": 2.5, "dash": "solid"},
        "marker": {"color": paint.accent, "size": 7, "symbol": "circle"},
    },
    "scaled": lambda paint: {
        "line": {"color": paint.text, "width": 2.5, "dash": "dash"},
        "marker": {"color": paint.text, "size": 7, "symbol": "square"},
    },
}


def _line(xs: np.ndarray, values: np.ndarray, side: str, paint: Theme, suffix: str) -> dict:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": xs.astype(np.float32),
        "y": values.astype(np.float32),
        "hoverinfo": "skip",
        "cliponaxis": False,
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
        **_STYLE[side](paint),
    }


def _name(
    xs: np.ndarray, values: np.ndarray, side: str, t: Words, paint: Theme, suffix: str
) -> dict:
    """Name a curve where there is room: above its right end, or beside it where it fell."""
    falls = values[-1] < 0.6 * values[0]
    place = len(xs) - 3 if falls else len(xs) - 1
    return {
        "text": f"<b>{t(f'scaling.{side}')}</b>",
        "x": float(xs[place]),
        "y": float(values[place]),
        "xref": f"x{suffix}",
        "yref": f"y{suffix}",
        "xanchor": "left" if falls else "right",
        "yshift": 12,
        "xshift": 4 if falls else 0 if side == "scaled" else -12,
        "showarrow": False,
        "font": {"family": _FONT, "size": 15, "color": _STYLE[side](paint)["line"]["color"]},
    }


def _axes(
    study: Study,
    paint: Theme,
    suffix: str,
    domains: tuple[tuple[float, float], tuple[float, float]],
    top: float,
) -> dict:
    quiet = {"size": 13, "color": paint.muted}
    return {
        f"xaxis{suffix}": {
            "domain": list(domains[0]),
            "anchor": f"y{suffix}",
            "range": [-0.4, math.log2(study.widths[-1]) + 0.4],
            "tickvals": [math.log2(width) for width in study.widths],
            "ticktext": [str(width) for width in study.widths],
            "tickangle": 0,
            "tickfont": quiet,
            "title": {"text": "d", "font": quiet, "standoff": 2},
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        f"yaxis{suffix}": {
            "domain": list(domains[1]),
            "anchor": f"x{suffix}",
            "range": [0, top * 1.18],
            "gridcolor": paint.grid,
            "zeroline": True,
            "zerolinecolor": paint.muted,
            "nticks": 5,
            "tickfont": quiet,
            "fixedrange": True,
        },
    }


def _note(text: str, corner: tuple[float, float], up: int, colour: str) -> dict:
    return {
        "text": text,
        "x": corner[0],
        "y": corner[1],
        "yshift": up,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "middle",
        "showarrow": False,
        "font": {"family": _FONT, "size": 15, "color": colour},
    }


def _mark(x: float, suffix: str, paint: Theme) -> dict:
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "xref": f"x{suffix}",
        "yref": f"y{suffix} domain",
        "line": {"color": paint.muted, "width": 1.5, "dash": "dot"},
        "layer": "below",
    }
