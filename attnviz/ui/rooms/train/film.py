"""Film: how the package's own model learned to look back, moment by moment."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attnviz.components import note
from attnviz.components.deck import DeckStep, deck
from attnviz.errors import InputError
from attnviz.figures import code_film
from attnviz.figures.film import film_curves, film_curves_alt, head_name
from attnviz.models.induction.film import Moment, moments, name_at, stirs
from attnviz.models.induction.replayed import Replay, read
from attnviz.text.numbers import decimals, number
from attnviz.ui import cached, frame, refusals, session, style, tools
from attnviz.ui.on_page import SAID
from attnviz.ui.plots import height, plot, scaled
from attnviz.ui.rooms.train import film_moments
from attnviz.ui.rooms.train.film_moments import KINDS, look, pairs, text

_PREFIX = "film"
_SECONDS = 1.2  # that a moment stays while the film plays


def panel() -> None:
    """Draw the player, what two heads look at in each moment, and the curves of the training."""
    t, film = session.t(), moments()
    tools.ask(t("film.question"))
    place = film_moments.place(film)
    deck(
        [DeckStep(str(each.step), t("film.moment", step=number(each.step))) for each in film],
        key="film_deck",
        prefix=_PREFIX,
        current=str(film[place].step),
        label=t("film.step"),
        words=frame.player_words(),
        on_step=lambda step: session.change("film", amount=int(step)),
        seconds=_SECONDS,
        flat=True,
    )
    replays = _replays(film)
    maps, curves = st.columns([13, 8], gap="small")
    with maps, st.container(key=_PREFIX):
        for moment, seen in zip(film, replays, strict=False):
            with st.container(key=f"{_PREFIX}-{moment.step}"):
                film_moments.draw(film, moment, seen)
    if replays:  # of all moments on the page, this is the one in hand
        note(SAID, film_moments.said(film, film[place], replays[place]))
    with curves:
        _curves(film, place)
    _choices(film)
    st.caption(_caption(film))
    if replays:
        _ways(film[place].step, replays[place])


def _replays(film: Sequence[Moment]) -> list[Replay]:
    """Let the model read the text at every moment; a text that it cannot read is refused."""
    try:
        return [cached.replay(moment.step, text()) for moment in film]
    except InputError as error:
        st.error(refusals.escape(refusals.sentence(error)))
        return []


def _curves(film: Sequence[Moment], place: int) -> None:
    """Draw both scores and the loss; the player moves the mark of the moment."""
    t, shown = session.t(), look(film)
    picture = film_curves(film, shown, t, session.theme(), height=height(350, 270))
    plot(picture, film_curves_alt(film, shown, t), "film.curves")
    style.moving_mark("film.curves", scaled(picture), _PREFIX, place, session.theme())


def _choices(film: Sequence[Moment]) -> None:
    """Draw the choice of the heads and of the text."""
    t, shown = session.t(), look(film)
    with st.container(
        key="film-choices", horizontal=True, vertical_alignment="bottom", gap="small"
    ):
        for kind in KINDS:
            session.put(f"control.film.{kind}", getattr(shown, kind))
            st.selectbox(
                t(f"film.head_{kind}"),
                pairs(film),
                format_func=head_name,
                key=f"control.film.{kind}",
                on_change=_choose,
                width=150,
            )
        session.put("control.film.text", session.draft("film_text", text()))
        st.text_input(t("film.text"), key="control.film.text", on_change=_read, width=420)
        st.button(
            t("repeat.random"), icon=":material/casino:", key="film.random", on_click=_another
        )
    refusals.show("film_text")


def _choose() -> None:
    chosen = tuple(session.got(f"control.film.{kind}") for kind in KINDS)
    session.change("film", heads_shown=chosen)


def _read() -> None:
    typed = session.got("control.film.text")

    def taken() -> dict[str, Any]:
        read(typed)
        return {"against_text": typed}

    session.attempt("film_text", taken, typed)


def _another() -> None:
    session.accept("film_text")
    session.change("film", draw=session.settings().draw % 9_999 + 1, against_text="")


def _caption(film: Sequence[Moment]) -> str:
    """Say what the film shows and what it does not, from its own numbers."""
    t = session.t()
    first = {kind: stirs([getattr(each, f"best_{kind}") for each in film]) for kind in KINDS}
    grown = next(i for i, each in enumerate(film) if each.best_induction > 0.5)
    return t(
        "film.caption",
        previous=number(film[first["previous"]].step),
        induction=number(film[first["induction"]].step),
        at=number(film[grown].step),
        best_previous=decimals(film[grown].best_previous, 2),
        best_induction=decimals(film[grown].best_induction, 2),
    )


def _ways(step: int, seen: Replay) -> None:
    """Draw the ways on: the same moment on the page Models, and the code."""
    t, pair = session.t(), look(moments()).induction
    with st.container(key="film-after", horizontal=True, vertical_alignment="center", gap="small"):
        if st.button(
            t("film.open"),
            icon=":material/neurology:",
            key="film.open",
            help=t("film.open_help", step=number(step)),
        ):
            session.change(
                "film",
                model=name_at(step),
                passage=text(),
                passage_pair="",
                panel="all_heads",
                heads_shown=(pair,),
                query=len(seen.signs) - 1,
                key=None,
                edits=(),
                window=0,
                amount=None,
            )
            st.switch_page(frame.PAGES / "models.py")
        tools.lines(
            "film",
            lambda: code_film.film_with_numpy(step, text(), pair, t),
            lambda: code_film.film_with_package(step, text(), pair, t),
        )
