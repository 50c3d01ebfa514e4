"""Repeat: a text that comes twice, how well its second copy is known, and which heads know it."""

from functools import partial

import numpy as np
import streamlit as st

from attnviz.attention.readings import HeadReading
from attnviz.figures.code_predict import repeat_with_numpy, repeat_with_package
from attnviz.figures.predicted import head_bars, repeat_curve, repeat_curve_alt
from attnviz.models.repeats import Copies, Foreknown, copies, doubled, foreknown, random_twice
from attnviz.models.results import Capture
from attnviz.models.written import Written
from attnviz.text.numbers import decimals, number
from attnviz.ui import cached_models, refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.models import asked, filmed, folds, predict

MOST_LISTED = 6
"""Heads whose induction score is drawn."""


def panel() -> None:
    """Draw both copies of what comes twice, or the ways to make a text that does."""
    capture = asked.captured()
    if capture is None:
        return
    with folds.fold("repeat"):
        t = session.t()
        if capture.kind != "causal":
            st.info(t("predict_next.none", name=refusals.escape(capture.model)))
            return
        found = copies([token.id for token in capture.tokens])
        _ways(capture, found)
        if found is None:
            st.info(t("repeat.nothing"))
            return
        wanted = (asked.model(), asked.text(), 0, 0, asked.asked().edits)
        written = predict.waited(cached_models.writing(*wanted), wanted)
        listed = folds.waited(
            cached_models.heads_listed(asked.asked()),
            again=partial(cached_models.heads_listed.clear, asked.asked()),
        )
        if written is not None and listed is not None:
            _draw(capture, written, found, listed)


def _ways(capture: Capture, found: Copies | None) -> None:
    t = session.t()
    with st.container(key="repeats", horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            t("repeat.mine"),
            icon=":material/content_copy:",
            type="primary" if found is None else "secondary",
            key="repeat.mine",
            on_click=_repeat,
            args=(doubled(asked.text()),),
        )
        draw = session.settings().draw % 9_999 + 1
        st.button(
            t("repeat.random"),
            icon=":material/casino:",
            key="repeat.random",
            on_click=_repeat,
            args=(random_twice(draw, capture.tokens), draw),
        )
        filmed.draw()


def _repeat(text: str, draw: int | None = None) -> None:
    """Let the model read a text that comes twice; the heads that are looked at stay."""
    asked.read(text)
    if draw is not None:
        session.change("models", draw=draw)


def _draw(
    capture: Capture, written: Written, found: Copies, listed: tuple[HeadReading, ...]
) -> None:
    t, digits = session.t(), session.settings().digits
    known = foreknown(written.expected, found)
    labels = [token.label for token in capture.tokens[found.second : found.second + found.length]]
    best = strongest(listed)
    left, right = (
        (st.container(), st.container()) if session.alone() else st.columns([3, 2], gap="medium")
    )
    with left:
        st.markdown(t("repeat.curve", n=found.length))
        plot(
            repeat_curve(known, labels, t, session.theme()),
            repeat_curve_alt(known, labels, t, digits=digits),
            "repeat",
        )
        tools.say(_said(known, best))
    with right:
        if best:
            _heads(capture, best, found)
        _code(written, found, best[0] if best else None)


def strongest(listed: tuple[HeadReading, ...]) -> list[HeadReading]:
    """List the heads with the largest induction scores, the largest first."""
    scored = [each for each in listed if each.induction_score is not None]
    return sorted(scored, key=lambda each: -(each.induction_score or 0))[:MOST_LISTED]


def _heads(capture: Capture, best: list[HeadReading], found: Copies) -> None:
    t, digits = session.t(), session.settings().digits
    pairs = [(each.layer or 0, each.head or 0) for each in best]
    scores = np.array([each.induction_score for each in best], dtype=np.float64)
    labels = [t("models.head_name", layer=layer, head=head) for layer, head in pairs]
    chosen = asked.heads(capture)[0]
    st.markdown(t("repeat.heads"))
    plot(
        head_bars(
            labels,
            scores,
            pairs.index(chosen) if chosen in pairs else None,
            session.theme(),
            digits=digits,
        ),
        t("figure.alt_join").join(
            f"{label}: {decimals(score, digits)}"
            for label, score in zip(labels, scores, strict=True)
        ),
        "repeat-heads",
    )
    st.button(
        t("repeat.open", head=labels[0]),
        icon=":material/open_in_full:",
        key="repeat.open",
        on_click=_open,
        args=(pairs[0], found.second + 1),
    )


def _open(pair: tuple[int, int], query: int) -> None:
    """Look at a head where it shows: from a token of the second copy."""
    session.change(
        "models",
        heads_shown=(pair,),
        passage=asked.text(),
        panel="all_heads",
        query=query,
        key=None,
        amount=None,
    )


def _said(known: Foreknown, best: list[HeadReading]) -> str:
    t, digits = session.t(), session.settings().digits
    first, second = known.means
    said = t("repeat.said", first=number(first, digits), second=number(second, digits))
    if not best:
        return said
    head = t("models.head_name", layer=best[0].layer, head=best[0].head)
    score = number(best[0].induction_score or 0, digits)
    return f"{said} {t('repeat.said_head', head=head, score=score)}"


def _code(written: Written, found: Copies, best: HeadReading | None) -> None:
    t = session.t()
    pair = (0, 0) if best is None else (best.layer or 0, best.head or 0)
    tools.lines(
        "repeat",
        lambda: repeat_with_numpy(
            written.expected.tolist(), found.first, found.second, found.length, t
        ),
        lambda: repeat_with_package(
            asked.model(), asked.text(), pair, t, edits=asked.asked().edits
        ),
    )
