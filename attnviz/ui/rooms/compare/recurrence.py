"""An RNN goes step by step; self-attention does not: the race, and what is left of the past."""

from functools import partial

import streamlit as st

from attnviz.comparisons import recurrence as lesson
from attnviz.figures import code_comparisons
from attnviz.figures import recurrence as figures
from attnviz.text.numbers import magnitude, significant
from attnviz.ui import cached, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.compare import kept, racing, shown
from attnviz.ui.rooms.compare.measuring import measuring

LENGTHS = (4, 8, 16, 32, 64)
RADII = (0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5)
USUAL_LENGTH, USUAL_RADIUS, LONG, MEASURED_WIDTH = 8, 0.9, 50, 64


def recurrence() -> None:
    """Draw the race and the fading of the first input."""
    t, n, tick, reader = session.t(), length_in_hand(), tick_in_hand(), reader_in_hand()
    radius, seed = radius_in_hand(), session.settings().draw
    found = cached.survival(LONG, radius, seed)
    done = {name: int(lesson.ready(n, tick, name).sum()) for name in lesson.READERS}
    values = {
        "n": n,
        "tick": tick,
        "reader": t(f"recurrence.{reader}"),
        "done": done[reader],
        "attention": done["attention"],
        "steps": lesson.finished_after(n, reader),
        "path": n - 1,
        "radius": significant(radius),
        "long": LONG,
        "left": magnitude(found.rnn[-1]),
        "left_10": magnitude(found.rnn[9]),
        "rule": magnitude(lesson.powers(LONG, radius)[-1]),
        "rule_10": significant(lesson.powers(LONG, radius)[9]),
        "attended": significant(found.attention[-1]),
        "weight": significant(found.weights[-1]),
    }
    tools.ask(t("recurrence.question"))
    shown.answer(t("recurrence.answer", **values))
    shown.arranged(lambda: _controls(n, tick, reader), lambda: _lanes(n, tick, reader))
    tools.say(t("recurrence.say", **values))
    racing.playing(n, tick, lesson.finished_after(n, reader))
    st.markdown(t("recurrence.fades", **values))
    curve, words = st.columns([3, 2], gap="large")
    with curve:
        plot(
            figures.survival_curves(found, t, session.theme()),
            figures.survival_alt(found, t),
            "survival",
        )
    with words:
        _fading(radius, seed)
        st.markdown(t(f"recurrence.how_{'both' if reader == 'both' else 'one'}", **values))
        tools.lines(
            "recurrence",
            lambda: code_comparisons.recurrence_numpy(LONG, radius, seed, t),
            lambda: code_comparisons.recurrence_package(LONG, radius, seed, t),
        )
    measuring("recurrence", ("attention", "rnn"), MEASURED_WIDTH, 3, 21)


def length_in_hand() -> int:
    """Give how many inputs there are."""
    return kept.whole("n", LENGTHS, USUAL_LENGTH)


def tick_in_hand() -> int:
    """Give how many steps have been made."""
    return kept.whole("t", range(length_in_hand() + 1), 1)


def reader_in_hand() -> str:
    """Give which RNN runs: in one direction, or in both."""
    return "both" if session.settings().target == "both" else "rnn"


def radius_in_hand() -> float | int:
    """Give the spectral radius of W^h."""
    return shown.amount_among(RADII, USUAL_RADIUS)


def _controls(n: int, tick: int, reader: str) -> None:
    t = session.t()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        racing.button(n, tick)
        shown.slide(
            "recurrence.tick",
            t("recurrence.tick"),
            range(n + 1),
            tick,
            lambda value: kept.keep("recurrence", racing.LETTERS, t=value),
            width=300,
            note=t("recurrence.tick_help"),
        )
        shown.choose(
            "recurrence.length",
            t("recurrence.length"),
            LENGTHS,
            n,
            str,
            lambda value: kept.keep("recurrence", racing.LETTERS, n=value, t=min(tick, value)),
        )
        session.put("recurrence.both", reader == "both")
        st.toggle(
            t("recurrence.two_ways"),
            key="recurrence.both",
            on_change=lambda: session.change(
                "recurrence", target="both" if session.got("recurrence.both") else ""
            ),
        )


def _lanes(n: int, tick: int, reader: str) -> None:
    t = session.t()
    for column, name in zip(st.columns(2, gap="medium"), (reader, "attention"), strict=True):
        done = int(lesson.ready(n, tick, name).sum())
        with column:
            st.markdown(t("recurrence.lane", reader=t(f"recurrence.{name}"), ready=done, n=n))
            plot(
                figures.lane(n, tick, name, t, session.theme()),
                figures.lane_alt(n, tick, name, t),
                f"lane.{name}",
            )


def _fading(radius: float | int, seed: int) -> None:
    t, change = session.t(), partial(session.change, "recurrence")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        shown.slide(
            "recurrence.radius",
            t("recurrence.radius"),
            RADII,
            radius,
            lambda value: change(amount=value),
            name=significant,
            width=260,
        )
        st.button(
            t("recurrence.again"),
            icon=":material/casino:",
            key="recurrence.again",
            on_click=lambda: change(draw=(seed + 1) % 10_000),
        )
