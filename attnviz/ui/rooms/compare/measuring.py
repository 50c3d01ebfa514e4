"""Measuring on the machine at hand: a button begins it; drawn are time and memory, and when."""

import streamlit as st

from attnviz.comparisons.measured import MOST_NEIGHBOURS, WIDEST, Measured
from attnviz.figures import measured as figures
from attnviz.text.numbers import significant
from attnviz.ui import cached, refusals, session
from attnviz.ui.jobs import Job
from attnviz.ui.plots import plot

_SOON = 0.2  # seconds


def measuring(panel: str, names: tuple[str, ...], width: int, kernel: int, neighbours: int) -> None:
    """Draw the button that measures, how far it is, or what was found; other sizes ask again."""
    t = session.t()
    asked = (names, min(width, WIDEST), kernel, min(neighbours, MOST_NEIGHBOURS))
    flag = f"measure.{panel}.{asked}"
    if not session.flag(flag):
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            st.button(
                t("measured.begin"),
                icon=":material/timer:",
                key=f"measure.{panel}",
                on_click=session.set_flag,
                args=(flag, True),
            )
            st.caption(t("measured.note"))
        return
    work = cached.measured(*asked)
    if not work.wait(_SOON):
        _progress(work)
        return
    _drawn(panel, work.result())
    st.button(
        t("measured.again"),
        icon=":material/restart_alt:",
        type="tertiary",
        key=f"measure.{panel}.again",
        on_click=cached.forget_measured,
        args=asked,
    )


@st.fragment(run_every=0.4)
def _progress(work: Job[Measured]) -> None:
    if work.done:
        st.rerun()
    st.progress(work.share, text=session.t()("measured.working"))


def _drawn(panel: str, found: Measured) -> None:
    t = session.t()
    longest = found.lengths[-1]
    seconds = {name: each[-1] for name, each in found.seconds.items()}
    fastest = min(seconds, key=seconds.__getitem__)
    st.markdown(
        t(
            "measured.found_all" if "cnn" in seconds else "measured.found",
            when=found.at.strftime("%Y-%m-%d %H:%M:%S"),
            cores=found.cores,
            width=found.width,
            kernel=found.kernel,
            neighbours=found.neighbours,
            n=longest,
            fastest=t(f"costs.{fastest}"),
            milliseconds=significant(1e3 * seconds[fastest]),
        )
    )
    for column, what in zip(st.columns(2, gap="medium"), figures.WHAT, strict=True):
        with column:
            plot(
                figures.measured_curves(found, what, t, session.theme()),
                figures.measured_alt(found, what, t),
                f"{panel}.{what}",
            )
    with st.container(key=f"counts-{panel}-measured"):
        st.markdown(_table(found))
    said = ("how", "gathers") if "restricted" in seconds else ("how",)
    st.caption(refusals.escape(" ".join(t(f"measured.{each}") for each in said)))


def _table(found: Measured) -> str:
    """Write time and memory at some lengths."""
    t, names = session.t(), tuple(found.seconds)
    head = [t("measured.length"), *(t(f"costs.{name}") for name in names)]
    rows = [
        [
            str(found.lengths[place]),
            *(
                f"{figures.written(found, 'seconds', name, place)}, "
                f"{figures.written(found, 'memory', name, place)}"
                for name in names
            ),
        ]
        for place in range(0, len(found.lengths), 2)
    ]
    lines = [head, ["---:"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
