"""What a person can take away: made when it is clicked, never before.

In a room it is first what stands on the page, then what belongs to the sentence.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import plotly.graph_objects as go
import streamlit as st

from attnviz.errors import InputError
from attnviz.exports.arrays import to_npz
from attnviz.exports.bundles import bundle
from attnviz.exports.documents import to_json
from attnviz.exports.looks import Look
from attnviz.exports.pages import page_of
from attnviz.exports.panels import panels_of
from attnviz.exports.pictures import picture
from attnviz.exports.records import record_of
from attnviz.exports.shown import OnPage, Shown, on_paper, shown_csv, shown_json, shown_page
from attnviz.exports.tables import to_csv
from attnviz.figures.code import numpy_code
from attnviz.figures.theme import THEMES
from attnviz.ui import on_page, refusals, session

Kind = Literal["svg", "png"]
_PICTURES: tuple[Kind, ...] = ("svg", "png")
_LONGEST = 60  # letters of the sentence in its heading
_NARROW = 272  # pixels of the menu, whatever is open in it
_WIDTH = 900  # of a figure that is as wide as the page

Finish = Callable[[str], None]
"""What is drawn once the panel of this key is there."""


def draw() -> None:
    """Draw the ways to take the sentence and all of its numbers away."""
    fold = _fold()
    if fold.open:
        with fold:
            _sentence()


def room(*, sentence: bool) -> Finish | None:
    """Draw the ways to take a panel away, and where it reads the sentence, that too.

    What the panel draws is noted only while this is open. It is offered once all of it is there.
    """
    fold = _fold()
    if not fold.open:
        return None
    notes = session.listen()

    def finish(panel: str) -> None:
        with fold, st.container(width=_NARROW):
            _of_page(panel, notes)
            if sentence:
                _of_sentence()

    return finish


def _fold() -> Any:
    t = session.t()
    return st.popover(
        t("bar.download"), icon=":material/download:", on_change="rerun", key="download"
    )


def _of_page(panel: str, notes: Mapping[str, object]) -> None:
    t, theme, link = session.t(), session.theme(), session.link()
    look = Look.of(session.settings(), session.language())
    name = f"attnviz-{on_page.slug(panel)}"
    otherwise = f"{t(f'nav.{session.page()}')} · {t(f'panel.{panel}')}"

    def page() -> OnPage:
        return on_page.whole(notes, otherwise, theme)

    st.markdown(f"**{t('download.page', panel=t(f'panel.{panel}'))}**")
    with st.container(horizontal=True, gap="small"):
        _button("html", lambda: shown_page(page(), look, theme, link), name, "page.html")
        _button("csv", lambda: shown_csv(page()), name, "page.csv")
        _button("json", lambda: shown_json(page(), look.language, link), name, "page.json")
    st.write(t("download.page_figure"))
    _one_of(on_page.shown(notes, theme), name)


def _one_of(shown: Sequence[Shown], name: str) -> None:
    """Choose a figure or a table of the page, and have it drawn."""
    theme = session.theme()
    session.keep_below("download.shown", len(shown))
    place = _which(shown, "download.shown")
    if place is None:
        return
    one = shown[place]

    def figure() -> go.Figure:
        figure = on_paper(one, theme)
        return figure if figure["layout"]["width"] else figure.update_layout(width=_WIDTH)

    named = f"{name}-{one.name.removeprefix(name.removeprefix('attnviz-')).strip('-') or 1}"
    with st.container(horizontal=True, gap="small"):
        for kind in _PICTURES:
            _picture(named, kind, figure, THEMES[theme].page)
    refusals.show("download.page")


def _of_sentence() -> None:
    tokens = refusals.escape(" ".join(session.scene().tokens)[:_LONGEST])
    fold = st.expander(
        session.t()("download.sentence", sentence=tokens),
        on_change="rerun",
        key="download.sentence",
    )
    if fold.open:
        with fold:
            _sentence()


def _sentence() -> None:
    t = session.t()
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


def _button(kind: str, make: Callable[[], bytes], name: str = "attnviz", key: str = "") -> None:
    st.download_button(
        session.t()(f"download.{kind}"),
        data=make,
        file_name=f"{name}.{kind}",
        on_click="ignore",
        key=f"download.{key or kind}",
    )


def _figures() -> None:
    panels = panels_of(session.scene(), Look.of(session.settings(), session.language()))
    panel = panels[min(_which(panels, "download.panel") or 0, len(panels) - 1)]
    with st.container(horizontal=True, gap="small"):
        for kind in _PICTURES:
            _picture(f"attnviz-{panel.name}", kind, lambda: panel.light, place="sentence")
    refusals.show("download.sentence")


def _which(shown: Sequence[Shown], key: str) -> int | None:
    return st.selectbox(
        session.t()("download.which"),
        range(len(shown)),
        format_func=lambda place: f"{place + 1} {shown[place].title}",
        key=key,
        label_visibility="collapsed",
    )


def _picture(
    name: str,
    kind: Kind,
    figure: Callable[[], go.Figure],
    background: str = "#FFFFFF",
    place: str = "page",
) -> None:
    """Draw first, save then: a machine without a browser is told so in a sentence."""
    t, drawn = session.t(), session.take_kept(f"download.{name}.{kind}")
    if drawn is None:
        st.button(
            t("download.draw", kind=kind.upper()),
            key=f"download.draw.{place}.{kind}",
            on_click=_prepare,
            args=(f"download.{name}.{kind}", kind, figure, background, place),
        )
    else:
        st.download_button(
            t("download.save", kind=kind.upper()),
            data=drawn,
            file_name=f"{name}.{kind}",
            on_click="ignore",
            key=f"download.save.{place}.{kind}",
            type="primary",
        )


def _prepare(
    name: str, kind: Kind, figure: Callable[[], go.Figure], background: str, place: str
) -> None:
    try:
        session.keep(name, picture(figure(), kind, scale=2, background=background))
    except InputError as error:
        session.refuse(f"download.{place}", error)
    else:
        session.accept(f"download.{place}")
