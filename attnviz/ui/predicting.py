"""Predict first: guess one number of a step before its picture is shown."""

import streamlit as st

from attnviz.figures import bars
from attnviz.figures.labels import subscript
from attnviz.lessons.predictions import Prediction, prediction
from attnviz.text.numbers import number
from attnviz.ui import session
from attnviz.ui.plots import plot


def revealed(step: str) -> bool:
    """Ask for a guess, unless predictions are off; tell whether the step may be shown."""
    if not session.settings().predict:
        return True
    scene = session.scene()
    asked = prediction(scene.trace, step, scene.head, scene.query)
    guess = session.guess(step)
    if guess is None:
        _ask(asked)
        return False
    _compare(asked, guess)
    return True


def _ask(asked: Prediction) -> None:
    t, scene = session.t(), session.scene()
    place = {"i": subscript(scene.query), "place": scene.query + 1}
    with st.form(f"guess.{asked.step}", border=True):
        st.write(t(f"predict.{asked.step}", **place))
        box = f"guess.{asked.step}.number"
        if asked.share:
            st.slider(t("predict.guess"), 0.0, 1.0, 0.5, 0.01, key=box)
        else:
            step = 1.0 if asked.count else 0.1
            st.number_input(t("predict.guess"), value=0.0, step=step, key=box)
        st.form_submit_button(
            t("predict.reveal"),
            icon=":material/visibility:",
            on_click=lambda: session.set_guess(asked.step, session.got(box)),
        )


def _compare(asked: Prediction, guess: float) -> None:
    t, digits = session.t(), session.settings().digits
    said = {
        "guess": number(guess, digits),
        "truth": number(asked.truth, digits),
        "off": number(asked.off(guess), digits),
    }
    words, picture = st.columns([2, 1], vertical_alignment="center")
    with words:
        st.write(t("predict.right" if asked.off(guess) < 0.005 else "predict.compare", **said))
        st.button(
            t("predict.again"),
            icon=":material/replay:",
            type="tertiary",
            key=f"guess.{asked.step}.again",
            on_click=session.set_guess,
            args=(asked.step, None),
        )
    with picture:
        labels = (t("predict.yours"), t("predict.true"))
        figure = bars.guess_bars(guess, asked.truth, labels, session.theme(), digits=digits)
        plot(figure, t("predict.compare", **said), f"guess-{asked.step}")
