"""The head of the page Train: what is learned, and what every page has."""

from functools import partial

import streamlit as st

from attnviz.errors import InputError
from attnviz.ui import bar, cached, downloads, session, trained
from attnviz.ui.downloads import Finish
from attnviz.ui.rooms.train import choices, five, playing

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
            _chip()
        return bar.shell(partial(downloads.room, sentence=False))


def _chip() -> None:
    """Say whether what is shown has learned, and how well."""
    t, settings = session.t(), session.settings()
    try:
        label = five.label() if settings.panel == "seeds" else _label()
    except InputError:
        return
    st.badge(
        label,
        icon=":material/school:",
        color="gray" if label == t("train.untrained") else "green",
        help=t("train.chip_help"),
    )


def _label() -> str:
    settings = session.settings()
    learner = trained.plan(settings).checked()
    training, wanted = cached.trainings().known(learner.plan), settings.snapshot or 0
    if playing.plays(learner.plan) or wanted > (training.step if training else 0):
        return session.t()("train.chip_now")
    history = (learner.first, *(training.snapshots if training else ()))
    return trained.label(learner, [found for found in history if found.step <= wanted][-1])
