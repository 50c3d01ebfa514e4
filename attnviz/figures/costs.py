"""Counts over length: four layers, and two orders of one product."""

import numpy as np
import plotly.graph_objects as go

from attnviz.comparisons.costs import (
    LAYERS,
    all_layers,
    crossing,
    linear_work,
    softmax_work,
)
from attnviz.figures.curves import Curve, Mark, curves
from attnviz.figures.theme import ThemeName
from attnviz.text import Words
from attnviz.text.numbers import number

_TICKS = (1, 100, 10_000, 1_000_000)
_LENGTHS = tuple(2**power for power in range(21))


def work_curves(
    n: int, d: int, kernel: int, neighbours: int, t: Words, theme: ThemeName = "light"
) -> go.Figure:
    """Draw the leading work of each layer over length, and mark the length in hand and n = d."""
    counts = [all_layers(length, d, kernel, neighbours) for length in _LENGTHS]
    lengths = np.array(_LENGTHS)
    lines = [
        Curve(name, t(f"costs.{name}"), lengths, np.array([float(c[name].work) for c in counts]))
        for name in LAYERS
    ]
    sides = ("left", "right") if n < d else ("right", "left")
    marks = [Mark(n, f"n = {number(n)}", sides[0]), Mark(d, f"n = d = {number(d)}", sides[1])]
    if n == d:
        marks = [Mark(n, f"n = d = {number(d)}")]
    titles = (t("measured.length"), t("costs.work"))
    return curves(lines, titles, theme, marks=marks, ticks=_TICKS, height=320)


def work_curves_alt(n: int, d: int, kernel: int, neighbours: int, t: Words) -> str:
    """Say what each layer costs at the length in hand."""
    found = all_layers(n, d, kernel, neighbours)
    said = [
        t("measured.each", name=t(f"costs.{name}"), value=number(cost.work))
        for name, cost in found.items()
    ]
    return t("costs.alt", n=n, d=d, values=t("measured.join").join(said))


def order_curves(width: int, t: Words, theme: ThemeName = "light") -> go.Figure:
    """Draw the multiplications of both orders over length, and where they cost the same."""
    lengths = np.array(_LENGTHS[:17])
    lines = [
        Curve(
            "rnn",
            t("linear.by_square"),
            lengths,
            np.array([float(softmax_work(int(n), width, width)) for n in lengths]),
        ),
        Curve(
            "attention",
            t("linear.by_state"),
            lengths,
            np.array([float(linear_work(int(n), width, width)) for n in lengths]),
        ),
    ]
    marks = [Mark(crossing(width, width), f"n = d = {width}")]
    titles = (t("measured.length"), t("linear.work"))
    return curves(lines, titles, theme, marks=marks, ticks=_TICKS[:3], height=280)


def order_curves_alt(width: int, t: Words) -> str:
    """Say where the curves meet."""
    return t("linear.alt", width=width, work=number(linear_work(width, width, width)))
