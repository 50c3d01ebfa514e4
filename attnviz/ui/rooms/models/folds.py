"""A question about the heads: shut until it is asked, and only then anything is computed."""

from typing import TypeVar

import streamlit as st

from attnviz.errors import InputError
from attnviz.ui import refusals, session
from attnviz.ui.jobs import Job

Found = TypeVar("Found")

_SOON = 1.0  # seconds that are waited before progress is shown


def fold(name: str):
    """Give where the panel is drawn, or None while it is shut.

    On the whole page it is a fold with the question as its title; a link that names the panel
    opens it. Alone it stands by itself, and is there when it is its turn.
    """
    t, key = session.t(), f"fold.{name}"
    if session.alone():
        shown = session.settings().panel == name
        return st.container() if shown else None
    if not session.has(key):
        session.put(key, session.settings().panel == name)
    box = st.expander(t(f"fold.{name}"), key=key, on_change=_turned, args=(name, key))
    return box if box.open else None


def _turned(name: str, key: str) -> None:
    """Keep in the link which question was opened last."""
    now = session.settings().panel
    if session.got(key):
        session.change("models", panel=name)
    elif now == name:
        session.change("models", panel="")


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
