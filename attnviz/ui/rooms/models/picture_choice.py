"""The line in which a picture is chosen for a vision model, or one's own is opened."""

from collections.abc import Callable

import streamlit as st

from attnviz.lessons.drawings import DRAWINGS
from attnviz.models.images import MOST_BYTES, MOST_POINTS
from attnviz.ui import refusals, session, uploads
from attnviz.ui.rooms.models import asked, opening, pictured

_OWN, _FILE = "own", "models.picture_file"


def draw(end: Callable[[], None]) -> None:
    """Draw the pictures that are there, and the way to one's own; `end` draws what follows."""
    t = session.t()
    own = (_OWN,) if pictured.own() else ()
    chosen = _OWN if pictured.of_ones_own() else asked.picture()
    with st.container(key="texts", horizontal=True, vertical_alignment="center", gap="small"):
        session.put("control.picture", chosen)
        st.segmented_control(
            t("pictures.choose"),
            (*DRAWINGS, *own),
            format_func=lambda key: t(f"pictures.{key}"),
            key="control.picture",
            label_visibility="collapsed",
            required=True,
            on_change=_take,
        )
        with st.popover(t("pictures.open"), icon=":material/add_photo_alternate:"):
            most = {"size": MOST_BYTES // 1_000_000, "points": f"{MOST_POINTS / 1e6:.3g}"}
            st.caption(t("pictures.open_note", **most))
            uploads.chooser(
                _FILE,
                t("pictures.file"),
                place=pictured.PLACE,
                too_large="models.picture_bytes",
                kinds=["png", "jpg", "jpeg"],
                take=lambda upload: pictured.take(upload.getvalue(), upload.name, _heads()),
            )
        opening.draw()
        end()
    refusals.show(pictured.PLACE)


def _take() -> None:
    key = session.got("control.picture")
    if key == _OWN:
        pictured.choose_own(_heads())
    else:
        pictured.choose(key, _heads())


def _heads() -> tuple[tuple[int, int], ...]:
    """Give the heads that are looked at: another picture is seen by the same ones."""
    note = asked.example()
    shown = session.settings().heads_shown
    return shown or (((note.layer, note.head),) if note is not None else ())
