"""Hide and renormalise: keys are left out, the rest of each row takes what they had."""

import numpy as np
import streamlit as st

from attnviz.errors import InputError
from attnviz.figures.hidden import hidden_bars, hidden_bars_alt
from attnviz.models.results import Capture
from attnviz.models.views import Unit, View, hidden_mass, numbered, without
from attnviz.text.numbers import number
from attnviz.ui import cached_models, refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.models import asked, coded, folds

_NO_EXAMPLE = "hidden.no_example"
"""The flag of a person who chose what is hidden, or that nothing is."""


def applied(view: View) -> View:
    """Leave the hidden keys out of a view; one in blocks stays as it is.

    Raises:
        InputError: if every key is hidden.
    """
    hidden = session.settings().hidden
    return view if not hidden or view.row_edges is not None else without(view, hidden)


def note(capture: Capture, view: View) -> None:
    """Say beside a map that keys were left out of it."""
    hidden = session.settings().hidden
    if not hidden or view.row_edges is not None:
        return
    t, whole = session.t(), _whole(capture)
    if not np.isin(whole.key_places, hidden).any():
        return
    st.badge(
        t("hidden.badge", share=f"{hidden_mass(whole, hidden).mean():.0%}"),
        icon=":material/visibility_off:",
        color="orange",
        help=refusals.escape(t("hidden.badge_help", tokens=", ".join(_names(whole)))),
    )


def panel() -> None:
    """Draw the choice of keys to hide, and how much weight each row had on them."""
    capture = asked.captured()
    if capture is None:
        return
    box = folds.fold("hidden")
    if box is not None:
        with box:
            _draw(capture)


def _draw(capture: Capture) -> None:
    t = session.t()
    try:
        view = _whole(capture)
    except InputError as error:
        st.error(refusals.escape(refusals.sentence(error)))
        return
    if view.row_edges is not None:
        st.info(t("hidden.blocks"))
        return
    _choose(capture, view)
    hidden = session.settings().hidden or _example(capture, view)
    masses = hidden_mass(view, hidden)
    if not np.isin(view.key_places, hidden).any():
        st.caption(t("hidden.none"))
        return
    digits = session.settings().digits
    empty = int(((masses > 0) & (view.sums - masses <= 1e-6)).sum())
    plot(
        hidden_bars(masses, view.queries, t, session.theme(), digits=digits),
        hidden_bars_alt(masses, view.queries, t, digits=digits),
        "hidden",
    )
    coded.of_hidden(capture)
    most = int(masses.argmax())
    said = t(
        "hidden.said",
        average=number(float(masses.mean()), digits),
        query=view.queries[most],
        i=view.query_numbers[most],
        most=number(float(masses[most]), digits),
    )
    tools.say(said + (" " + t("hidden.empty", n=empty) if empty else ""))


def _example(capture: Capture, view: View) -> tuple[int, ...]:
    """Hide special tokens, else the first one, until a person chooses; lines and map keep them."""
    if session.flag(_NO_EXAMPLE):
        return ()
    t, tokens = session.t(), capture.key_tokens(asked.heads(capture)[0][0])
    special = tuple(place for place in view.key_places if tokens[place].special)
    hidden = special or view.key_places[:1]
    if len(hidden) == len(view.keys):
        return ()
    names = zip(view.key_places, numbered(view.key_numbers, view.keys), strict=True)
    with st.container(key="example", horizontal=True, vertical_alignment="center", gap="small"):
        told = t("hidden.example", tokens=", ".join(name for at, name in names if at in hidden))
        st.caption(f":material/lightbulb: {refusals.escape(told)}", width="content")
        st.button(
            t("hidden.example_drop"), type="tertiary", key="hidden.drop", on_click=_hide, args=([],)
        )
    return hidden


def _choose(capture: Capture, view: View) -> None:
    """Draw the choice of any keys, all special ones at once, and the way back."""
    t, hidden = session.t(), session.settings().hidden
    there = dict(zip(view.key_places, numbered(view.key_numbers, view.keys), strict=True))
    layer = asked.heads(capture)[0][0]
    special = [at for at in there if capture.key_tokens(layer)[at].special]
    with st.container(key="hiding", horizontal=True, vertical_alignment="bottom", gap="small"):
        session.put("control.hidden", [place for place in hidden if place in there])
        st.multiselect(
            t("hidden.choose"),
            list(there),
            format_func=there.__getitem__,
            key="control.hidden",
            placeholder=t("hidden.nothing"),
            on_change=lambda: _hide(session.got("control.hidden")),
        )
        st.button(
            t("hidden.special"),
            disabled=not special or set(special) <= set(hidden),
            on_click=lambda: _hide([*hidden, *special]),
        )
        st.button(t("hidden.back"), disabled=not hidden, on_click=lambda: _hide([]))


def _hide(places: list[int]) -> None:
    """Hide other keys; the columns of the map are counted anew, so none is held."""
    session.set_flag(_NO_EXAMPLE, True)
    hidden = tuple(sorted(set(places)))
    session.change("models", hidden=hidden, key=None, passage=asked.text())


def _whole(capture: Capture) -> View:
    """Give the head in hand with every key that it shows."""
    settings, (layer, head) = session.settings(), asked.heads(capture)[0]
    unit: Unit = settings.unit  # pyright: ignore[reportAssignmentType] one of UNITS
    return cached_models.view(asked.asked(), layer, head, unit, settings.part, settings.specials)


def _names(view: View) -> list[str]:
    places = zip(view.key_places, numbered(view.key_numbers, view.keys), strict=True)
    return [name for at, name in places if at in session.settings().hidden]
