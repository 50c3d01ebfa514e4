"""Which picture is looked at: one that is drawn here, or one of the person's own, in this tab."""

import hashlib

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from attnviz.comparisons.pictures import reduced
from attnviz.errors import InputError
from attnviz.lessons.drawings import DRAWINGS
from attnviz.models.images import MOST_BYTES, MOST_POINTS
from attnviz.ui import cached, refusals, session, uploads

PLACE = "compare.picture"
_OWN, _FILE = "own", "compare.picture_file"
_HELD = "models.own_picture"
"""The picture that was opened in this tab: the page Models reads the same one."""


def in_hand() -> str:
    """Name the picture that is looked at, as `cached.picture` finds it.

    A link says that it is one's own, and cannot hold it.
    """
    chosen = session.settings().picture
    if session.held(_HELD) and (session.flag(_HELD) or chosen == _OWN):
        return f"{cached.OWN_PICTURE}{session.held(_HELD)}"
    return chosen if chosen in (*DRAWINGS, _OWN) else next(iter(DRAWINGS))


def points() -> np.ndarray:
    """Give the picture in hand; where a person's own is no longer kept, the first one."""
    name = in_hand()
    try:
        return cached.picture(cached.OWN_PICTURE if name == _OWN else name)
    except InputError as error:
        session.refuse(PLACE, error)
        return cached.picture(next(iter(DRAWINGS)))


def reduced_to(grid: tuple[int, int]) -> np.ndarray:
    """Give the picture in hand in so many rows and columns."""
    return reduced(points(), *grid)


def choose() -> None:
    """Draw the pictures that are there, and the way to one's own."""
    t = session.t()
    own = (_OWN,) if session.held(_HELD) else ()
    shown = in_hand()
    gone = shown == _OWN
    session.put("compare.picture", None if gone else shown if shown in DRAWINGS else _OWN)
    st.selectbox(
        t("pictures.choose"),
        (*DRAWINGS, *own),
        format_func=lambda key: t(f"pictures.{key}"),
        key="compare.picture",
        index=None if gone else 0,
        placeholder=t("pictures.choose"),
        width=170,
        on_change=_take,
    )


def open_own() -> None:
    """Draw the way to a picture of one's own."""
    t = session.t()
    with st.popover(t("pictures.open"), icon=":material/add_photo_alternate:"):
        most = {"size": MOST_BYTES // 1_000_000, "points": f"{MOST_POINTS / 1e6:.3g}"}
        st.caption(t("pictures.open_note", **most))
        uploads.chooser(
            _FILE,
            t("pictures.file"),
            place=PLACE,
            too_large="models.picture_bytes",
            kinds=["png", "jpg", "jpeg"],
            take=_open,
        )


def refused() -> None:
    """Say why a picture could not be used, if one could not."""
    error = session.refusal(PLACE)
    if error is not None and error.code == "models.picture_gone":
        st.warning(refusals.escape(refusals.sentence(error)))
    else:
        refusals.show(PLACE)


def _take() -> None:
    key = session.got("compare.picture")
    session.set_flag(_HELD, key == _OWN)
    if key == _OWN:
        session.change(PLACE, picture=_OWN, key=None)
    else:
        session.change(PLACE, picture=key, key=None)


def _open(upload: UploadedFile) -> None:
    data = upload.getvalue()
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    try:
        cached.keep_picture(digest, data, upload.name)
    except InputError as error:
        session.refuse(PLACE, error)
        return
    session.hold(_HELD, digest)
    session.set_flag(_HELD, True)
    session.change(PLACE, picture=_OWN, key=None)
