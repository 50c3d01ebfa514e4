"""The head of the page Compare: what every page has, and whether the sentence is in play."""

from collections.abc import Callable, Collection
from functools import partial

import streamlit as st

from attnviz.ui import bar, session
from attnviz.ui.downloads import Finish
from attnviz.ui.rooms.compare import chosen_graph
from attnviz.ui.rooms.compare.labelling import kind_in_hand

FROM_SENTENCE = ("labelling", "linear")
"""Questions that read the sentence in hand, unless another source is chosen there."""


def head(panels: Collection[str]) -> Finish | None:
    """Draw the bar, and the sources of what the question in hand, one of `panels`, is about."""
    asked = session.settings().panel
    panel = asked if asked in panels else next(iter(panels))
    below, reads = _sources(panel)
    return bar.of_room(below, sentence=reads)


def _sources(panel: str) -> tuple[Callable[[], None], bool]:
    """Give what says where the numbers come from, and whether the sentence plays a part."""
    if panel == "labelling":
        words = kind_in_hand() == "words"
        return partial(_own_numbers, "lexicon" if words else "drawn"), words
    joined = panel == "graph" and chosen_graph.source_in_hand() == chosen_graph.SENTENCE
    if joined or panel in FROM_SENTENCE:
        return bar.sources, True
    return partial(_own_numbers, "own"), False


def _own_numbers(source: str) -> None:
    """Say where the numbers come from, where the vectors and matrices in hand play no part."""
    t, settings = session.t(), session.settings()
    st.badge(
        t(f"compare.{source}", seed=settings.draw),
        icon=":material/info:",
        color="gray",
        help=t(f"compare.{source}_help"),
    )
