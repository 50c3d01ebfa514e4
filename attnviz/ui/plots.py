"""How a figure stands on the page."""

import plotly.graph_objects as go
import streamlit as st

from attnviz.components import note
from attnviz.figures.sizes import enlarged
from attnviz.ui import session, style
from attnviz.ui.on_page import Drawn

FORMATS = ("svg", "png")
"""What a figure can be saved as, in the browser and on the server."""

PRESENTED = 1.3
"""How much larger a figure is on a projector."""

_CONFIG = {
    "modeBarButtons": [["toImage"]],  # hidden: the buttons beside the figure press it
    "displaylogo": False,
    "displayNotifier": False,  # it speaks English only
    "scrollZoom": False,
    "doubleClick": False,
}


def plot(figure: go.Figure, alt: str, key: str, *, natural: bool = False) -> None:
    """Draw a figure with its own colours, say in words what it shows, and let it be saved.

    A figure of natural width keeps it, and scrolls inside its frame where that is narrower.
    """
    figure = scaled(figure)
    note(key, Drawn(figure, alt))
    width = "content" if natural else "stretch"
    name = {"toImageButtonOptions": {"filename": f"attnviz-{key.replace('.', '-')}"}}
    with st.container(key=f"figure-{key}"):
        st.plotly_chart(
            figure, theme=None, config=_CONFIG | name, alt=alt, key=f"plot-{key}", width=width
        )
        t = session.t()
        style.save_buttons({kind: t("download.picture", kind=kind.upper()) for kind in FORMATS})


def height(usual: int, presented: int) -> int:
    """Choose how tall a figure is: on a projector, where it is drawn larger, it must leave room."""
    return presented if session.settings().present else usual


def scaled(figure: go.Figure) -> go.Figure:
    """Give the figure as large as it stands on the page."""
    return enlarged(figure, PRESENTED) if session.settings().present else figure
