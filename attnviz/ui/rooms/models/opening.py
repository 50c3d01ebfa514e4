"""Weights that another program computed, opened from a file."""

import hashlib

import streamlit as st

from attnviz.errors import InputError
from attnviz.ui import cached_models, refusals, session, uploads

_OPEN, _FILE, _NAN = "models.given", "models.file", "models.nan_rows"


def draw() -> None:
    """Choose a file of weights, and look at it in the model's place; or go back to the model."""
    t = session.t()
    with st.popover(t("models.open"), icon=":material/upload_file:", key="models.open"):
        st.caption(t("models.open_note"))
        upload = uploads.chooser(
            _FILE,
            t("models.file"),
            place=_FILE,
            too_large="models.upload_large",
            kinds=["npz", "json"],
        )
        st.checkbox(t("models.nan_rows"), key=_NAN, help=t("models.nan_rows_help"))
        if given() is not None:
            st.button(t("models.close"), on_click=_close)
    if upload is not None:
        data = upload.getvalue()
        nan_rows = "empty" if session.got(_NAN) else "refuse"
        digest = f"{hashlib.blake2b(data, digest_size=16).hexdigest()}.{nan_rows}"
        if digest != session.held(_OPEN):
            _open(digest, data, upload.name, nan_rows)
    refusals.show("models.file")


def given() -> str | None:
    """Give the digest of the file in hand, None where a model is."""
    return session.held(_OPEN) or None


def _open(digest: str, data: bytes, name: str, nan_rows: str) -> None:
    try:
        cached_models.given_job(digest, data, name, nan_rows).result()
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
