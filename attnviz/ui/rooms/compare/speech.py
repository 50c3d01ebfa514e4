"""Speech is long: a truncated window leaves a band of the scores."""

from functools import partial

import streamlit as st

from attnviz.comparisons import speech as lesson
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.errors import InputError
from attnviz.figures import code_sequences
from attnviz.figures import speech as figures
from attnviz.text.numbers import number, significant
from attnviz.ui import cached, refusals, session, tools
from attnviz.ui.plots import height, plot
from attnviz.ui.rooms.compare import shown

LENGTHS = (100, 200, 500, 1_000, 2_000, 3_000, 6_000)
RADII = (1, 2, 5, 10, 20, 50, 100, 200, 500)
USUAL_LENGTH, USUAL_RADIUS = 1_000, 10


def speech() -> None:
    """Draw the band of scores that a window leaves, and count them."""
    t, n = session.t(), frames_in_hand()
    radius = shown.number_of("", RADII, USUAL_RADIUS)
    full, kept = lesson.full_scores(n), lesson.truncated_scores(n, radius)
    values = {
        "n": _whole(n),
        "seconds": significant(n / lesson.PER_SECOND),
        "full": _whole(full),
        "kept": _whole(kept),
        "radius": radius,
        "share": significant(100 * kept / full),
        "span": number(lesson.span(min(radius, n - 1))),
        "layers": number(lesson.layers_to_link(n, radius)),
    }
    tools.ask(t("speech.question"))
    shown.answer(t("speech.answer", **values))
    _controls(n, radius)
    band, words = st.columns([1, 1], gap="large")
    with band:
        map_ = cached.speech_overview(n, radius)
        plot(
            figures.band_map(
                map_,
                lesson.band_edges(n),
                t,
                session.theme(),
                notation=session.notation(),
                height=height(400, 290),
            ),
            figures.band_map_alt(n, radius, kept / full, t),
            "band",
        )
    with words:
        _table(radius)
        st.markdown(t("speech.memory", whole=_memory(full), window=_memory(kept), **values))
        tools.say(t("speech.say", **values))
        tools.lines(
            "speech",
            lambda: code_sequences.speech_numpy(n, radius, t),
            lambda: code_sequences.speech_package(n, radius, t),
        )


def frames_in_hand() -> int:
    """Give how many frames there are: the panel's number, where it is a whole one in range."""
    amount = session.settings().amount
    fits = amount is not None and amount == int(amount) and 1 <= amount <= LENGTHS[-1]
    return int(amount) if fits and amount is not None else USUAL_LENGTH


def _whole(count: int) -> str:
    """Write a count with all its digits, in groups of three."""
    return f"{count:,}".replace(",", "\u202f")


def _memory(scores: int) -> str:
    """Write how much memory scores take, in kB or MB."""
    kilobytes = scores * lesson.BYTES / 1e3
    unit, size = ("MB", kilobytes / 1e3) if kilobytes >= 1e3 else ("kB", kilobytes)
    return f"{significant(size)} {unit}"


def _as_typed(seconds: float) -> str:
    """Write a number with the digits that came."""
    return f"{seconds:.10g}".replace("-", "−")


def _take_seconds() -> None:
    seconds = session.got("speech.seconds")
    n = 0 if seconds is None else lesson.frames(seconds)
    if seconds is not None and not 1 <= n <= LENGTHS[-1]:
        most = lesson.PER_SECOND
        error = InputError(
            "speech.seconds", got=_as_typed(seconds), least=1 / most, most=LENGTHS[-1] // most
        )
        session.refuse("speech", error, str(seconds))
    else:
        session.change("speech", amount=n if seconds is not None else None)


def _controls(n: int, radius: int) -> None:
    t, change = session.t(), partial(session.change, "speech")
    refused = session.refusal("speech") is not None
    if not refused:
        session.put("speech.seconds", n / lesson.PER_SECOND)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.number_input(
            t("speech.seconds"),
            value=None,
            step=1.0,
            format="%.10g",
            key="speech.seconds",
            width=190,
            on_change=_take_seconds,
        )
        shown.slide(
            "speech.radius",
            t("speech.radius"),
            RADII,
            radius,
            lambda value: change(rung=str(value)),
            name=lambda value: f"±{value}",
            width=300,
        )
    refusals.show("speech")


def _table(radius: int) -> None:
    """Draw the counts at several lengths; a click chooses one."""
    t, n = session.t(), frames_in_hand()
    lengths = sorted({100, 500, 1_000, 6_000, n})
    counts = [
        [
            lesson.full_scores(each),
            lesson.truncated_scores(each, radius),
            lesson.layers_to_link(each, radius),
        ]
        for each in lengths
    ]
    cells = [[_whole(full), _whole(kept), number(links)] for full, kept, links in counts]
    matrix(
        [
            MatrixSpec(
                name="",
                label=t("speech.table"),
                title=t("speech.table"),
                cells=cells,
                exact=counts,
                row_labels=[_whole(each) for each in lengths],
                column_labels=[t("speech.full"), f"±{radius}", t("speech.layers_short")],
                row_title=t("speech.frames"),
                row_in_hand=lengths.index(n),
                pick_rows=True,
            )
        ],
        key="speech_counts",
        label=t("speech.table"),
        default_readout=t(
            "speech.rule",
            step=lesson.STEP,
            length=lesson.LENGTH,
            per_second=lesson.PER_SECOND,
        ),
        on_query=lambda row: session.change("speech", amount=lengths[row]),
        size=session.size(),
    )
