"""A model at one step of its training, drawn: curves, weights, matrices, what still fails."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from attnviz.attention.attend import attend_heads
from attnviz.attention.projections import Projections
from attnviz.attention.trace import MultiHeadTrace
from attnviz.figures import training as figures
from attnviz.models.training.learning import (
    BATCH,
    Learner,
    Snapshot,
    attention,
    inputs_of,
    right_of,
)
from attnviz.models.training.tasks import OWN
from attnviz.text.numbers import decimals, number
from attnviz.ui import refusals, session
from attnviz.ui.plots import height, plot
from attnviz.ui.rooms.train import asked, weights

_FAILING = 6


def draw(learner: Learner, found: Snapshot, history: Sequence[Snapshot]) -> None:
    """Draw the three pictures side by side, and beneath them the sentences that fail."""
    t, theme = session.t(), session.theme()
    tall = height(330, 240)
    widths = [6, 16, 7] if session.settings().present else [7, 15, 7]
    left, middle, right = st.columns(widths, gap="small")
    with left:
        kinds = [_kind(learner, place) for place in range(len(learner.task.kinds))]
        picture = figures.curves(history, kinds, learner.steps, found.step, t, theme, height=tall)
        plot(picture, figures.curves_alt(history, kinds, t), "train.curves")
    with middle:
        _weights(learner, found)
    with right:
        largest = max(
            (length for each in history for length in each.gradients.values()), default=0.0
        )
        picture = figures.learned_matrices(
            found, learner.frozen, largest, t, theme, notation=session.notation(), height=tall
        )
        alt = figures.learned_matrices_alt(found, learner.frozen, t)
        plot(picture, alt, "train.matrices")
    _failing(learner, found)
    st.caption(measured(learner))


def accuracies(learner: Learner, found: Snapshot) -> list[str]:
    """Say for each kind of sentence how many are right."""
    return [
        f"{_kind(learner, place)} {figures.percent(share)}"
        for place, share in enumerate(found.accuracy)
        if not math.isnan(share)
    ]


def measured(learner: Learner) -> str:
    """Say which sentences it is measured on, and how many of them it will have seen."""
    t, task = session.t(), learner.task
    if task.key == OWN:
        return t("train.measured_own", n=len(task.tests))
    drawn = learner.steps * BATCH
    return t(
        "train.measured",
        n=len(task.tests),
        possible=number(task.possible),
        drawn=number(drawn),
        share=figures.percent(task.seen_in(drawn)),
    )


def _kind(learner: Learner, place: int) -> str:
    return session.t()(f"task.{learner.task.key}.{learner.task.kinds[place]}")


def trace_of(learner: Learner, found: Snapshot, words: np.ndarray) -> MultiHeadTrace:
    """Attend to a sentence with the heads as they are: what Steps would show."""
    numbers = found.parameters
    per_head = {
        name: numbers[name].reshape(learner.width, learner.heads, -1).swapaxes(0, 1)
        for name in ("w_q", "w_k", "w_v")
    }
    positions = numbers["places"][: len(words)] if "places" in numbers else "none"
    return attend_heads(
        inputs_of(numbers, words[None])[0],
        Projections(**per_head, w_o=numbers["w_o"]),
        positions=positions,
    )


def _weights(learner: Learner, found: Snapshot) -> None:
    """Draw A′ of the sentence that is looked at, and the tags it is given."""
    looked = asked.looked(learner)
    choose(learner, looked)
    weights.draw(trace_of(learner, found, looked.words).weights, looked.names)
    _tagged(learner, found, looked)


def choose(learner: Learner, looked: asked.Looked) -> None:
    """Draw the choice of the sentence: one of the tests, or one that is typed."""
    t, chosen = session.t(), " ".join(looked.names)
    known = [asked.sentence(learner, number) for number in _some(learner)]
    session.put("control.looked", session.draft("looked", chosen))
    st.selectbox(
        t("train.sentence"),
        [*dict.fromkeys([chosen, session.draft("looked", chosen), *known])],
        key="control.looked",
        accept_new_options=True,
        label_visibility="collapsed",
        on_change=lambda: _taken(learner),
    )


def _some(learner: Learner) -> list[int]:
    """List some test sentences of each kind."""
    kinds = learner.task.tests.kinds
    return [
        int(number)
        for kind in range(len(learner.task.kinds))
        for number in np.flatnonzero(kinds == kind)[:20]
    ]


def _taken(learner: Learner) -> None:
    asked.look(learner, session.got("control.looked") or "")
    session.set_flag("train.whole", True)


def _tagged(learner: Learner, found: Snapshot, looked: asked.Looked) -> None:
    """Say which tag each word gets, how surely, and where another was right."""
    _, scores = attention(found.parameters, looked.words[None], learner.heads)
    shares = np.exp(scores[0] - scores[0].max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    said = []
    for place, name in enumerate(looked.names):
        asked_for = looked.tags is None or looked.tags[place] >= 0
        if asked_for:
            said.append(_tag(learner, name, shares[place], looked.tags, place))
    st.markdown(" · ".join(said))


def _tag(
    learner: Learner, name: str, shares: np.ndarray, tags: np.ndarray | None, place: int
) -> str:
    t, given = session.t(), int(shares.argmax())
    names = asked.tags(learner)
    word, tag = refusals.escape(name), refusals.escape(names[given])
    share = decimals(shares[given], 2)
    if tags is None or tags[place] == given:
        sign = "" if tags is None else " ✓"
        return f"{word} → {tag} {share}{sign}"
    right = refusals.escape(names[int(tags[place])])
    return t("train.wrong", word=word, tag=tag, share=share, right=right)


def _failing(learner: Learner, found: Snapshot) -> None:
    """Name the test sentences that are still wrong."""
    t, tests = session.t(), learner.task.tests
    with np.errstate(all="ignore"):
        _, scores = attention(found.parameters, tests.words, learner.heads)
    wrong = np.flatnonzero(~right_of(scores, tests))
    if not len(wrong):
        st.markdown(f":material/check: {t('train.none_fail', n=len(tests))}")
        return
    given = scores.argmax(axis=-1)
    some = [
        _wrong(learner, int(number), given[number])
        for number in wrong[:: -(-len(wrong) // _FAILING)]
    ]
    more = t("train.more") if len(wrong) > _FAILING else ""
    said = t("figure.alt_join").join(some)
    st.markdown(t("train.fail", k=len(wrong), n=len(tests)) + " " + said + more)


def _wrong(learner: Learner, number: int, given: np.ndarray) -> str:
    """Write a sentence with the wrong tags beneath its words."""
    tests, tags = learner.task.tests, asked.tags(learner)
    said = []
    for place, name in enumerate(asked.sentence(learner, number).split(" ")):
        right = tests.tags[number, place]
        word = refusals.escape(name)
        bad = right >= 0 and right != given[place]
        tag = refusals.escape(tags[given[place]])
        said.append(session.t()("train.wrong_word", word=word, tag=tag) if bad else word)
    return " ".join(said)
