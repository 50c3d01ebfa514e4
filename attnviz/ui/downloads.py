"""What a person can take away: made when it is clicked, never before."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from attnviz.errors import InputError
from attnviz.exports.arrays import to_npz
from attnviz.exports.bundles import bundle
from attnviz.exports.documents import to_json
from attnviz.exports.looks import Look
from attnviz.exports.pages import page_of
from attnviz.exports.panels import Panel, panels_of
from attnviz.exports.pictures import picture
from attnviz.exports.records import record_of
from attnviz.exports.tables import to_csv
from attnviz.figures.code import numpy_code
from attnviz.ui import refusals, session

Kind = Literal["svg", "png"]
_PICTURES: tuple[Kind, ...] = ("svg", "png")


def draw() -> None:
    """Draw the ways to take everything away."""
    t = session.t()
    fold = st.popover(
        t("bar.download"), icon=":material/download:", on_change="rerun", key="download"
    )
    if fold.open:
        with fold:
            st.write(t("download.numbers"))
            _numbers()
            st.write(t("download.everything"))
            _everything()
            st.write(t("download.figure"))
            _figures()


def _numbers() -> None:
    record = record_of(session.scene(), session.settings(), session.language())
    with st.container(horizontal=True, gap="small"):
        _button("json", lambda: to_json(record))
        _button("npz", lambda: to_npz(record))
        _button("csv", lambda: to_csv(record))


def _everything() -> None:
    settings, scene = session.now()
    language, link, t = session.language(), session.link(), session.t()
    look = Look.of(settings, language)

    def page() -> bytes:
        return page_of(scene, look, link=link, code=numpy_code(scene, "see", t))

    def lesson() -> bytes:
        code = numpy_code(scene, "see", t)
        return bundle(scene, settings, language, link=link, code=code, with_pictures=False)

    with st.container(horizontal=True, gap="small"):
        _button("html", page)
        _button("zip", lesson)


def _button(kind: str, make: Callable[[], bytes]) -> None:
    st.download_button(
        session.t()(f"download.{kind}"),
        data=make,
        file_name=f"attnviz.{kind}",
        on_click="ignore",
        key=f"download.{kind}",
    )


def _figures() -> None:
    t = session.t()
    panels = panels_of(session.scene(), Look.of(session.settings(), session.language()))
    place = st.selectbox(
        t("download.which"),
        range(len(panels)),
        format_func=lambda place: f"{place + 1} {panels[place].title}",
        key="download.panel",
        label_visibility="collapsed",
    )
    with st.container(horizontal=True, gap="small"):
        for kind in _PICTURES:
            _picture(panels[min(place or 0, len(panels) - 1)], kind)
    refusals.show("download")


def _picture(panel: Panel, kind: Kind) -> None:
    """Draw first, save then: a machine without a browser is told so in a sentence."""
    t, drawn = session.t(), session.take_kept(f"download.{panel.name}.{kind}")
    if drawn is None:
        st.button(
            t("download.draw", kind=kind.upper()),
            key=f"download.draw.{kind}",
            on_click=_prepare,
            args=(panel, kind),
        )
    else:
        st.download_button(
            t("download.save", kind=kind.upper()),
            data=drawn,
            file_name=f"attnviz-{panel.name}.{kind}",
            on_click="ignore",
            key=f"download.save.{kind}",
            type="primary",
        )


def _prepare(panel: Panel, kind: Kind) -> None:
    try:
        session.keep(f"download.{panel.name}.{kind}", picture(panel.light, kind, scale=2))
    except InputError as error:
        session.refuse("download", error)
    else:
        session.accept("download")
