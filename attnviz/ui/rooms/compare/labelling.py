"""Sequence labelling: n vectors in, n labels out, for words and for frames of sound."""

from functools import partial

import numpy as np
import streamlit as st

from attnviz.comparisons import labelling as lesson
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_sequences
from attnviz.lessons.tagged import LABELS, SOUNDS, follows, possible
from attnviz.text.numbers import magnitude, number
from attnviz.ui import refusals, session, tools
from attnviz.ui.rooms.compare import shown

KINDS = ("words", "frames")
NOISES = (0.2, 0.4, 0.6, 0.8, 1.0)
USUAL_NOISE = 0.6
_LENGTHS = (7, 6, 9, 8)
"""Frames of each sound."""


def labelling() -> None:
    """Draw the vectors, the label of each by itself, and its label in context."""
    t, kind = session.t(), kind_in_hand()
    tools.ask(t("labelling.question"))
    if kind == "words":
        _words()
    else:
        _frames()
    st.markdown(t("labelling.kinds"))


def kind_in_hand() -> str:
    """Give what is labelled: words, or frames."""
    target = session.settings().target
    return target if target in KINDS else KINDS[0]


def _choose(kind: str) -> None:
    t = session.t()
    shown.choose(
        "labelling.kind",
        t("labelling.kind"),
        KINDS,
        kind,
        lambda name: t(f"labelling.{name}"),
        lambda name: session.change("labelling", target=name, amount=None),
    )


def _words() -> None:
    t, tokens = session.t(), session.scene().tokens
    table, known = possible(tokens)
    found = lesson.label_words(table, follows())
    alone, context = found.labels_alone.tolist(), found.labels.tolist()
    tied = [place for place, label in enumerate(alone) if label < 0]
    settled = sum(1 for place in tied if context[place] >= 0)
    values = {"n": len(tokens), "tied": len(tied), "settled": settled}
    shown.answer(t("labelling.answer_words" if tied else "labelling.answer_clear", **values))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choose("words")
    looks = lesson.looks_at(found)
    rows = {
        "can_be": [_can_be(row) for row in table],
        "alone": [_label(place) for place in alone],
        "looks": ["–" if at is None else tokens[at] for at in looks],
        "context": [_label(place) for place in context],
    }
    _strip(
        rows,
        [[token, (str(place + 1), "sub quiet")] for place, token in enumerate(tokens)],
        [
            t("labelling.word", token=token, alone=rows["alone"][place], now=rows["context"][place])
            for place, token in enumerate(tokens)
        ],
        first=tied[-1] if tied else 0,
    )
    unknown = [token for token, there in zip(tokens, known.tolist(), strict=True) if not there]
    if unknown:
        names = refusals.escape(t("labelling.join").join(dict.fromkeys(unknown)))
        st.caption(t("labelling.unknown", words=names))
    tools.say(t("labelling.say_words", **values))
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        st.markdown(t("labelling.how_words"))
    with code:
        tools.lines(
            "labelling_words",
            lambda: code_sequences.words_numpy(tokens, table, t),
            lambda: code_sequences.words_package(tokens, table, t),
        )


def _can_be(row: np.ndarray) -> str:
    t = session.t()
    return t("labelling.or").join(
        t(f"labelling.{LABELS[place]}") for place in np.flatnonzero(row).tolist()
    )


def _label(place: int) -> str:
    t = session.t()
    return t("labelling.tie") if place < 0 else t(f"labelling.{LABELS[place]}")


def _frames() -> None:
    t, change = session.t(), partial(session.change, "labelling")
    noise, draw = noise_in_hand(), session.settings().draw
    made = lesson.spoken(tuple(range(len(SOUNDS))), _LENGTHS, len(SOUNDS), float(noise), draw)
    found = lesson.label_frames(made.frames)
    right_alone = int((found.labels_alone == made.sounds).sum())
    right = int((found.labels == made.sounds).sum())
    n = len(made.sounds)
    values = {"n": n, "alone": right_alone, "right": right}
    shown.answer(t("labelling.answer_frames", **values))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        _choose("frames")
        shown.slide(
            "labelling.noise",
            t("labelling.noise"),
            NOISES,
            noise,
            lambda value: change(amount=value),
            width=220,
        )
        st.button(
            t("labelling.again"),
            icon=":material/casino:",
            on_click=lambda: change(draw=(draw + 1) % 10_000),
        )
    _frame_tables(made, found)
    tools.say(t("labelling.say_frames", noise=number(noise), **values))
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        st.markdown(t("labelling.how_frames"))
    with code:
        tools.lines(
            "labelling_frames",
            lambda: code_sequences.frames_numpy(float(noise), draw, _LENGTHS, len(SOUNDS), t),
            lambda: code_sequences.frames_package(float(noise), draw, _LENGTHS, len(SOUNDS), t),
        )


def noise_in_hand() -> float | int:
    """Give how noisy the frames are."""
    return shown.amount_among(NOISES, USUAL_NOISE)


def _frame_tables(made: lesson.Spoken, found: lesson.Labelled) -> None:
    t, n = session.t(), len(made.sounds)
    rows = {
        "spoken": made.sounds,
        "alone": found.labels_alone,
        "context": found.labels,
    }
    wrong = [(labels != made.sounds).tolist() for labels in rows.values()]
    cells = [
        [SOUNDS[label] if label >= 0 else "?" for label in row.tolist()] for row in rows.values()
    ]
    names = list(rows)
    looks = [str(at + 1) for at in lesson.looks_at(found) if at is not None]
    cells.insert(2, looks)
    wrong.insert(2, [False] * n)
    names.insert(2, "looks")
    readouts = [
        [
            t(
                "labelling.frame",
                place=place + 1,
                sound=SOUNDS[made.sounds[place]],
                label=cells[3][place],
                weight=magnitude(float(found.weights[place, place])),
            )
            for place in range(n)
        ]
        for row in range(len(names))
    ]
    matrix(
        [
            MatrixSpec(
                name="",
                label=t("labelling.strip"),
                title=t("labelling.frames_title", n=n),
                cells=cells,
                row_labels=[t(f"labelling.{name}") for name in names],
                column_labels=[str(place + 1) for place in range(n)],
                fresh=wrong,
                readouts=readouts,
            )
        ],
        key="labelled_frames",
        label=t("labelling.strip"),
        default_readout=t("labelling.wrong_marked"),
        size=0.85 * session.size(),
    )


def _strip(rows: dict, labels: list, readouts: list[str], first: int) -> None:
    t = session.t()
    matrix(
        [
            MatrixSpec(
                name="",
                label=t("labelling.strip"),
                title=t("labelling.words_title", n=len(labels)),
                cells=list(rows.values()),
                row_labels=[t(f"labelling.{name}") for name in rows],
                column_labels=labels,
                readouts=[readouts] * len(rows),
                row_in_hand=len(rows) - 1,
            )
        ],
        key="labelled_words",
        label=t("labelling.strip"),
        default_readout=readouts[first],
        size=session.size(),
    )
