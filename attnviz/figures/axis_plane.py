"""Values and outputs on a plane: an average lies between the values, anything else need not."""

from collections.abc import Sequence

import plotly.graph_objects as go

from attnviz.attention.axes import Shares
from attnviz.attention.trace import HeadTrace
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.plane import Plane, hull
from attnviz.figures.theme import THEMES, ThemeName, drawn, layout
from attnviz.text import Words

MOST_NAMED = 12
_MARGIN = (34, 10, 10, 28)


def can_be_drawn(trace: HeadTrace) -> bool:
    """Tell whether the values lie on one plane for every query."""
    return trace.value.shape[1] == 2 and trace.relative_value is None


def axis_plane(
    trace: HeadTrace,
    shared: Shares,
    theme: ThemeName = "light",
    *,
    width: int = 430,
    height: int = 290,
    notation: Notation = ROW,
) -> go.Figure:
    """Draw the area between the values, and where each output fell.

    Raises:
        ValueError: if the values have another width than 2, or differ from query to query.
    """
    if not can_be_drawn(trace):
        raise ValueError(
            f"values must be (key, 2), the same for every query, got {trace.value.shape}; "
            "draw no plane"
        )
    plane = Plane(THEMES[theme])
    values, outputs = trace.value.tolist(), shared.output.tolist()
    plane.region([values[place] for place in hull(trace.value)], "value")
    plane.points(values, "value")
    plane.points(outputs, "output")
    if len(values) <= MOST_NAMED:
        plane.names(values, [f"v{notation.index(j)}" for j in range(len(values))], "value")
        plane.names(outputs, [f"b{notation.index(i)}" for i in range(len(outputs))], "output")
    data, axes = plane.drawn(width - 44, height - 38)
    drawing = layout(THEMES[theme], width=width, height=height, margin=_MARGIN)
    return drawn(data, drawing | axes)


def axis_plane_alt(shared: Shares, tokens: Sequence[str], t: Words) -> str:
    """Say in words which outputs lie between the values."""
    apart = [f"b{i + 1}" for i, inside in enumerate(shared.average.tolist()) if not inside]
    if not apart:
        return t("axis.plane_inside", n=len(tokens))
    return t("axis.plane_outside", names=t("say.comma").join(apart))
