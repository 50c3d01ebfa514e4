"""Weights that another program computed, opened from a file."""

import hashlib

import streamlit as st

from attnviz.errors import InputError
from attnviz.ui import cached, refusals, session

_OPEN, _FILE = "models.given", "models.file"


def draw() -> None:
    """Choose a file of weights, and look at it in the model's place; or go back to the model."""
    t = session.t()
    with st.popover(t("models.open"), icon=":material/upload_file:", key="models.open"):
        st.caption(t("models.open_note"))
        upload = st.file_uploader(t("models.file"), type=["npz", "json"], key=_FILE)
        if given() is not None:
            st.button(t("models.close"), on_click=_close)
    if upload is not None:
        data = upload.getvalue()
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        if digest != session.held(_OPEN):
            _open(digest, data, upload.name)
    refusals.show("models.file")


def given() -> str | None:
    """Give the digest of the file in hand, None where a model is."""
    return session.held(_OPEN) or None


def _open(digest: str, data: bytes, name: str) -> None:
    try:
        cached.given_job(digest, data, name).result()
    except InputError as error:
        session.refuse("models.file", error)
        return
    session.accept("models.file")
    session.hold(_OPEN, digest)
    session.change("models.file", heads_shown=(), query=1, key=None, part="all")
    st.rerun()


def _close() -> None:
    session.hold(_OPEN, "")
    session.change("models.file", heads_shown=(), query=1, key=None)
