"""The way from the package's own model to the film of its training."""

import streamlit as st

from attnviz.errors import InputError
from attnviz.models.induction.film import KEY, moments, step_of
from attnviz.models.induction.replayed import read
from attnviz.ui import frame, session
from attnviz.ui.rooms.models import asked


def draw() -> None:
    """Offer the film where the model in hand has one."""
    name = asked.model()
    step = moments()[-1].step if name == KEY else step_of(name)
    if step is None:
        return
    if st.button(session.t()("repeat.film"), icon=":material/movie:", key="repeat.film"):
        session.change(
            "models",
            panel="film",
            amount=None if name == KEY else step,
            against_text=_readable(asked.text()),
            heads_shown=(),
        )
        st.switch_page(frame.PAGES / "train.py")


def _readable(text: str) -> str:
    try:
        read(text)
    except InputError:
        return ""
    return text
