"""Film: how the package's own model learned to look back, moment by moment."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attnviz.components.matrix import matrix
from attnviz.errors import InputError
from attnviz.figures import code_film
from attnviz.figures.film import Pair, Shown, film_curves, film_curves_alt, head_name
from attnviz.figures.heatmaps import heatmap, heatmap_alt
from attnviz.models.induction.film import Moment, moments, name_at, stirs
from attnviz.models.induction.replayed import Replay, read, signs_twice
from attnviz.text.numbers import decimals, number
from attnviz.ui import cached, frame, matrices, refusals, session, tools
from attnviz.ui.plots import plot

KINDS = ("previous", "induction")
_SIGNS = {" ": "␣", "\n": "↵"}
_SQUARES = 24  # tokens that are drawn as squares which can be pointed at


def panel() -> None:
    """Draw the curves with the moment that is looked at, and the maps of two heads there."""
    t, film = session.t(), moments()
    st.subheader(t("film.question"), anchor=False)
    shown = _shown(film)
    _moments(film, shown.place)
    try:
        seen = cached.replay(film[shown.place].step, text())
    except InputError as error:
        seen = None
        st.error(f"{refusals.escape(refusals.sentence(error))} {t('check.kept')}")
    if seen is not None:
        _status(film, shown, seen)
    left, right = (
        (st.container(), st.container()) if session.alone() else st.columns([8, 13], gap="small")
    )
    with left:
        picture = film_curves(film, shown, t, session.theme())
        plot(picture, film_curves_alt(film, shown, t), "film.curves")
    with right:
        if seen is not None:
            _maps(shown, seen)
    _choices(film, shown)
    st.caption(_caption(film))
    if seen is not None:
        tools.say(_said(film, shown, seen))
        _ways(film, shown, seen)


def text() -> str:
    """Give the text that is read: the person's own, or random signs twice."""
    settings = session.settings()
    return settings.against_text or signs_twice(settings.draw)


def _shown(film: Sequence[Moment]) -> Shown:
    """Read what is looked at: the last moment and the best heads, unless the link says more."""
    settings = session.settings()
    steps = [moment.step for moment in film]
    place = steps.index(int(settings.amount)) if settings.amount in steps else len(steps) - 1
    best = [_best(getattr(film[-1], kind)) for kind in KINDS]
    asked = settings.heads_shown if len(settings.heads_shown) == len(KINDS) else ()
    pairs = [pair if pair in _pairs(film) else own for pair, own in zip(asked, best, strict=False)]
    previous, induction = pairs or best
    return Shown(place=place, previous=previous, induction=induction)


def _pairs(film: Sequence[Moment]) -> list[Pair]:
    return [(layer, head) for layer, own in enumerate(film[0].previous) for head in range(len(own))]


def _best(scores: Sequence[Sequence[float]]) -> Pair:
    each = {(i, j): score for i, own in enumerate(scores) for j, score in enumerate(own)}
    return max(each, key=lambda pair: each[pair])


def _moments(film: Sequence[Moment], place: int) -> None:
    """Draw the way through the moments: a slider, and a step back and on."""
    t, steps = session.t(), [moment.step for moment in film]
    with st.container(key="film", horizontal=True, vertical_alignment="bottom", gap="small"):
        for way, icon, key in ((-1, "skip_previous", "b"), (1, "skip_next", "n")):
            there = 0 <= place + way < len(steps)
            st.button(
                t("steps.previous" if way < 0 else "steps.next"),
                icon=f":material/{icon}:",
                key="film.back" if way < 0 else "film.on",
                shortcut=key,
                disabled=not there,
                on_click=_go,
                args=(steps[place + way] if there else steps[place],),
            )
        session.put("control.film", steps[place])
        st.select_slider(
            t("film.step"),
            steps,
            key="control.film",
            format_func=number,
            on_change=lambda: _go(session.got("control.film")),
        )


def _go(step: int) -> None:
    session.change("film", amount=step)


def _status(film: Sequence[Moment], shown: Shown, seen: Replay) -> None:
    """Say in one line what the model can do at this moment."""
    t, moment = session.t(), film[shown.place]
    said = [t("train.at", step=number(moment.step), steps=number(film[-1].step))]
    said += [
        f"{head_name(getattr(shown, kind))} {t(f'film.{kind}')} "
        f"{decimals(_score(moment, shown, kind), 2)}"
        for kind in KINDS
    ]
    said.append(_known(seen))
    with st.container(key="film-status"):
        st.markdown(" · ".join(said))


def _score(moment: Moment, shown: Shown, kind: str) -> float:
    layer, head = getattr(shown, kind)
    return getattr(moment, kind)[layer][head]


def _known(seen: Replay) -> str:
    """Say how much of the second copy was known before it came."""
    t, found = session.t(), seen.copies
    if found is None:
        return t("film.no_copies")
    # nothing of its copy foretells the first sign
    right = seen.right[found.second : found.second + found.length - 1]
    return t("film.known", k=int(right.sum()), n=len(right))


def _maps(shown: Shown, seen: Replay) -> None:
    """Draw who looks where in both heads."""
    t, theme, notation = session.t(), session.theme(), session.notation()
    signs = [_SIGNS.get(sign, sign) for sign in seen.signs]
    titles = {kind: f"{head_name(getattr(shown, kind))} {t(f'film.{kind}')}" for kind in KINDS}
    arrays = {kind: seen.weights[getattr(shown, kind)] for kind in KINDS}
    for kind, column in zip(KINDS, st.columns(len(KINDS), gap="small"), strict=True):
        with column:
            if len(signs) <= _SQUARES:
                _squares(arrays[kind], signs, titles[kind], kind)
                continue
            said = {"title": titles[kind], "notation": notation}
            picture = heatmap(arrays[kind], "weights", signs, signs, t, theme, **said)
            plot(picture, heatmap_alt(arrays[kind], signs, signs, t, **said), f"film.{kind}")


def _squares(array: np.ndarray, signs: Sequence[str], title: str, kind: str) -> None:
    """Draw a map as squares that can be pointed at."""
    t, notation = session.t(), session.notation()
    table = matrices.token_by_token(array, "weights", signs, t, 2, notation=notation)
    matrix(
        [replace(table, title=title, digits=False)],
        key=f"film_{kind}",
        label=title,
        default_readout=t("train.weights_hint"),
        size=session.size() * 0.85,
    )


def _choices(film: Sequence[Moment], shown: Shown) -> None:
    """Draw the choice of the heads and of the text."""
    t, pairs = session.t(), _pairs(film)
    with st.container(
        key="film-choices", horizontal=True, vertical_alignment="bottom", gap="small"
    ):
        for kind in KINDS:
            session.put(f"control.film.{kind}", getattr(shown, kind))
            st.selectbox(
                t(f"film.head_{kind}"),
                pairs,
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
    pairs = tuple(session.got(f"control.film.{kind}") for kind in KINDS)
    session.change("film", heads_shown=pairs)


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


def _said(film: Sequence[Moment], shown: Shown, seen: Replay) -> str:
    t, moment = session.t(), film[shown.place]
    return t(
        "film.say",
        step=number(moment.step),
        previous=head_name(shown.previous),
        previous_score=decimals(_score(moment, shown, "previous"), 2),
        induction=head_name(shown.induction),
        induction_score=decimals(_score(moment, shown, "induction"), 2),
        known=_known(seen),
    )


def _ways(film: Sequence[Moment], shown: Shown, seen: Replay) -> None:
    """Draw the ways on: the same moment on the page Models, and the code."""
    t, step = session.t(), film[shown.place].step
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
                heads_shown=(shown.induction,),
                query=len(seen.signs) - 1,
                key=None,
                edits=(),
                window=0,
                amount=None,
            )
            st.switch_page(frame.PAGES / "models.py")
        pair = shown.induction
        tools.lines(
            "film",
            lambda: code_film.film_with_numpy(step, text(), pair, t),
            lambda: code_film.film_with_package(step, text(), pair, t),
        )
