"""The head of the page Compare: what every page has, and whether the sentence is in play."""

import streamlit as st

from attnviz.ui import bar, session
from attnviz.ui.rooms.compare import chosen_graph

FROM_SENTENCE = ("labelling", "linear")
"""Questions that always read the sentence in hand."""


def head() -> None:
    """Draw the bar, and beneath it the sources of what the question in hand is about."""
    bar.draw(bar.sources if _reads_sentence() else _own_numbers)


def _reads_sentence() -> bool:
    panel = session.settings().panel
    joined = panel == "graph" and chosen_graph.source_in_hand() == chosen_graph.SENTENCE
    return joined or panel in FROM_SENTENCE


def _own_numbers() -> None:
    t = session.t()
    st.space("stretch")
    st.badge(
        t("compare.own"),
        icon=":material/info:",
        color="gray",
        help=t("compare.own_help"),
    )
