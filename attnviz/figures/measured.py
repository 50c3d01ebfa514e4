"""What was measured on the machine at hand: time, and memory, against length."""

import numpy as np
import plotly.graph_objects as go

from attnviz.comparisons.measured import Measured
from attnviz.figures.curves import Curve, curves
from attnviz.figures.theme import ThemeName
from attnviz.text import Words
from attnviz.text.numbers import significant

WHAT = ("seconds", "memory")


def measured_curves(found: Measured, what: str, t: Words, theme: ThemeName = "light") -> go.Figure:
    """Draw milliseconds, or kB, of each layer over the length of its input."""
    lengths = np.array(found.lengths)
    lines = [
        Curve(name, t(f"costs.{name}"), lengths, np.maximum(_values(found, what, name), 1e-6))
        for name in found.seconds
    ]
    titles = (t("measured.length"), t(f"measured.{what}"))
    return curves(lines, titles, theme, ticks=found.lengths[::2], points=True, height=260)


def measured_alt(found: Measured, what: str, t: Words) -> str:
    """Say what the longest input took."""
    said = [
        t("measured.each", name=t(f"costs.{name}"), value=written(found, what, name, -1))
        for name in found.seconds
    ]
    return t("measured.alt", n=found.lengths[-1], values=t("measured.join").join(said))


def written(found: Measured, what: str, name: str, place: int) -> str:
    """Write one measurement with its unit."""
    value, unit = _values(found, what, name)[place], "ms"
    if what == "memory":
        value, unit = (value / 1e3, "MB") if value >= 1e3 else (value, "kB")
    return f"{significant(value)} {unit}"


def _values(found: Measured, what: str, name: str) -> np.ndarray:
    if what == "seconds":
        return 1e3 * np.array(found.seconds[name])
    return np.array(found.bytes_taken[name]) / 1e3
