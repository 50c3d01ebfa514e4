"""The head of the page Train: what is learned, and what every page has."""

from functools import partial

import streamlit as st

from attnviz.ui import bar, downloads, session
from attnviz.ui.downloads import Finish
from attnviz.ui.rooms.train import choices

SHIPPED = ("data_size", "film")
"""Questions about what was trained before, and comes with the package."""


def head() -> Finish | None:
    """Draw the choice of a task and where its numbers come from, in one line."""
    t = session.t()
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small"):
        if session.settings().panel in SHIPPED:
            st.badge(
                t("train.shipped"),
                icon=":material/inventory_2:",
                color="violet",
                help=t("train.shipped_help"),
            )
        else:
            choices.task()
            st.badge(
                t("train.chip"), icon=":material/school:", color="green", help=t("train.chip_help")
            )
        return bar.shell(partial(downloads.room, sentence=False))
