"""How a figure stands on the page."""

import plotly.graph_objects as go
import streamlit as st

_CONFIG = {
    "modeBarButtons": [["toImage"]],  # the figure as SVG, made in the browser
    "toImageButtonOptions": {"format": "svg", "filename": "attnviz"},
    "displaylogo": False,
    "scrollZoom": False,
    "doubleClick": False,
}


def plot(figure: go.Figure, alt: str, key: str, *, natural: bool = False) -> None:
    """Draw a figure with its own colours, and say in words what it shows.

    A figure of natural width keeps it, and scrolls inside its frame where that is narrower.
    """
    width = "content" if natural else "stretch"
    with st.container(key=f"figure-{key}"):
        st.plotly_chart(figure, theme=None, config=_CONFIG, alt=alt, key=f"plot-{key}", width=width)
