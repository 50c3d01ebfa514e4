"""A question about the heads, and the wait until its answer is computed."""

from typing import TypeVar

import streamlit as st

from attnviz.errors import InputError
from attnviz.ui import refusals, session
from attnviz.ui.jobs import Job

Found = TypeVar("Found")

_SOON = 1.0  # seconds that are waited before progress is shown


def fold(name: str):
    """Give where the panel is drawn, beneath the question that it answers."""
    box = st.container()
    box.subheader(session.t()(f"fold.{name}"), anchor=False)
    return box


def waited(work: Job[Found]) -> Found | None:
    """Give what came of work; while it is not done show how far it is, and why where it failed."""
    if not work.wait(_SOON):
        _progress(work)
        return None
    if not work.failed:
        return work.result()
    reason = work.future.exception()
    if not isinstance(reason, InputError):
        raise reason or RuntimeError("a failed job must have a reason")
    st.info(refusals.escape(refusals.sentence(reason)))
    return None


@st.fragment(run_every=0.5)
def _progress(work: Job) -> None:
    if work.done:
        st.rerun()
    stage = work.stage or "start"
    st.progress(work.share, text=session.t()(f"working.{stage}"))
