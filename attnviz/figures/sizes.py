"""A figure drawn larger: for a projector, where the last row reads it too."""

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from attnviz.figures.theme import Number, drawn

_LENGTHS = frozenset(
    {"size", "width", "height", "standoff", "thickness", "xshift", "yshift", "ticklen", "pad"}
    | {"l", "r", "t", "b", "borderpad", "gap", "xgap", "ygap"}
)
"""What Plotly measures in pixels; places on an axis and shares of the figure are none."""
_ON_AXIS = frozenset({"width"})
"""What a trace itself, as against its lines and markers, measures on an axis: how wide a bar is."""


def enlarged(figure: go.Figure, times: Number) -> go.Figure:
    """Give the figure with every length in pixels so many times as large."""
    whole = figure.to_plotly_json()
    traces = [
        _larger(trace, times) | {name: trace[name] for name in _ON_AXIS & trace.keys()}
        for trace in whole["data"]
    ]
    return drawn(traces, _larger(whole["layout"], times))


def _larger(part: Mapping[str, Any], times: Number) -> dict[str, Any]:
    return {name: _scaled(name, value, times) for name, value in part.items()}


def _scaled(name: str, value: Any, times: Number) -> Any:
    if isinstance(value, Mapping):
        return _larger(value, times)
    if name in _LENGTHS:
        return _times(value, times)
    if isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
        return [_larger(each, times) for each in value]
    return value


def _times(value: Any, times: Number) -> Any:
    if isinstance(value, list | tuple):
        return [_times(each, times) for each in value]
    return value * times if isinstance(value, int | float) and value is not True else value
