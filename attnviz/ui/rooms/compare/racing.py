"""The race plays by itself: one beat after another, until all outputs are there."""

import time

import streamlit as st

from attnviz.ui import session
from attnviz.ui.rooms.compare import kept

BEAT = 0.6
"""Seconds between two steps."""
MOST_BEATS = 16
LETTERS = ("n", "t")
_PLAYS, _SINCE = "recurrence.plays", "recurrence.since"


def button(n: int, tick: int) -> None:
    """Draw the button that starts the race, or lets it rest."""
    t, plays = session.t(), session.flag(_PLAYS)
    st.button(
        t("steps.pause" if plays else "steps.play"),
        icon=":material/pause:" if plays else ":material/play_arrow:",
        key="recurrence.play",
        shortcut="P",
        on_click=_rest if plays else _start,
        args=() if plays else (n, tick),
    )


def playing(n: int, tick: int, last: int) -> None:
    """Go on by itself where it plays; `last` is the step after which all is there."""
    if session.flag(_PLAYS):
        st.fragment(_beat, run_every=BEAT / 2)(n, tick, last)


def stride(n: int) -> int:
    """Give how many steps a beat makes, so that long inputs do not take longer to watch."""
    return max(1, n // MOST_BEATS)


def _start(n: int, tick: int) -> None:
    kept.keep("recurrence", LETTERS, t=0 if tick >= n else tick)
    session.hold(_SINCE, repr(time.monotonic()))
    session.set_flag(_PLAYS, True)


def _rest() -> None:
    session.set_flag(_PLAYS, False)


def _beat(n: int, tick: int, last: int) -> None:
    if time.monotonic() - float(session.held(_SINCE) or 0) < BEAT:
        return
    session.hold(_SINCE, repr(time.monotonic()))
    further = min(tick + stride(n), last)
    if further > tick:
        kept.keep("recurrence", LETTERS, t=further)
    if further >= last:
        _rest()
    st.rerun()
