"""A text of which the model's vocabulary lacks much: what that means, and who could read it."""

import streamlit as st

from attnviz.models.catalogue import Entry, allowed, catalogue
from attnviz.models.results import Capture
from attnviz.settings import Settings
from attnviz.ui import session
from attnviz.ui.rooms.models import asked

MOST_UNREAD = 0.2
"""The share of tokens a vocabulary may lack before a reader is warned."""


def draw(capture: Capture) -> None:
    """Warn that much of the text is not read, and offer a model that reads more languages."""
    if capture.unknown_share <= MOST_UNREAD:
        return
    t, other = session.t(), proposed(asked.model())
    said = t("models.unknown", share=f"{capture.unknown_share:.0%}")
    if other is None or other.installed:
        st.warning(said)
    else:
        added = t("models.unknown_add", name=other.title, key=other.key, size=other.size_mb)
        st.warning(f"{said} {added}")
    if other is not None and other.installed:
        st.button(
            t("models.unknown_read", name=other.title),
            icon=":material/translate:",
            key="models.unknown_read",
            on_click=_read_with,
            args=(other.key,),
        )


def proposed(model: str) -> Entry | None:
    """Give the model of the catalogue that reads most languages, None where it is in hand."""
    known = [entry for key, entry in catalogue().items() if entry.reads and allowed(key)]
    best = max(known, key=lambda entry: len(entry.reads), default=None)
    return None if best is None or best.key == model else best


def _read_with(key: str) -> None:
    session.change(
        "model",
        model=key,
        passage=asked.text(),
        heads_shown=(),
        query=Settings().query,
        key=None,
        window=0,
        edits=(),
    )
