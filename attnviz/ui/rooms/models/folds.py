"""A question about the heads, and the wait until its answer is computed."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from attnviz.errors import InputError
from attnviz.ui import refusals, session
from attnviz.ui.jobs import Job

Found = TypeVar("Found")

_SOON = 1.0  # seconds that are waited before progress is shown
PASSING = ("models.cancelled", "models.crashed", "models.memory", "models.slow")
"""Reasons that may be gone when the same is asked once more."""
_OF_THE_MODEL = ("wait", "convert", "load", "check", "capture")
"""Stages of a model that had to be loaded again."""


def fold(name: str):
    """Give where the panel is drawn, beneath the question that it answers."""
    box = st.container()
    box.subheader(session.t()(f"fold.{name}"), anchor=False)
    return box


def waited(
    work: Job[Found], *, again: Callable[[], None], stop: Callable[[], None] | None = None
) -> Found | None:
    """Give what came of work; while it is not done show how far it is, and let it be stopped.

    `stop` is called instead of the work's own; where it failed the reason is shown, and `again`
    forgets that, so that it is tried once more.
    """
    if not work.wait(_SOON):
        _progress(work, stop or work.stop)
        return None
    if not work.failed:
        return work.result()
    reason = work.future.exception()
    if not isinstance(reason, InputError):
        raise reason or RuntimeError("a failed job must have a reason")
    st.info(refusals.escape(refusals.sentence(reason)))
    if reason.code in PASSING:
        st.button(session.t()("models.again"), key="fold.again", on_click=again)
    return None


@st.fragment(run_every=0.5)
def _progress(work: Job, stop: Callable[[], None]) -> None:
    if work.done:
        st.rerun()
    t, stage = session.t(), work.stage or "start"
    of_model = stage in _OF_THE_MODEL
    said = t(f"models.stage.{stage}") if of_model else t(f"working.{stage}")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.progress(work.share, text=said)
        st.button(t("models.stop"), key="fold.stop", on_click=stop, disabled=work.stopping)
