"""The choices of a training: the model's sizes, how fast it learns, and what must not change."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from attnviz.models.training.learning import (
    LARGEST_RATE,
    LETTERS,
    MOST_HEADS,
    MOST_STEPS,
    MOST_WIDTH,
    Learner,
)
from attnviz.models.training.tasks import OWN, TASKS
from attnviz.settings import Settings
from attnviz.ui import controls, refusals, session
from attnviz.ui.rooms.train import asked

_STEPS = "amount"


def draw(learner: Learner | None) -> None:
    """Draw the choices that are one click away."""
    t, settings = session.t(), session.settings()
    task = asked.plan(settings).task
    with st.popover(t("train.choices"), icon=":material/tune:"):
        left, right = st.columns(2)
        with left:
            if task in TASKS:
                limits = TASKS[task].least, TASKS[task].most
                _number("vocabulary", learner and learner.task.n_words, *limits)
            _number("trained_width", learner and learner.width, 1, MOST_WIDTH)
            _number("trained_heads", learner and learner.heads, 1, MOST_HEADS)
        with right:
            _number("learning_rate", learner and learner.rate, 0.0, LARGEST_RATE)
            _number(_STEPS, learner and learner.steps, 1, MOST_STEPS)
            _number("draw", settings.draw, 0, 9_999)
        _frozen()
    for field in ("vocabulary", "trained_width", "trained_heads", "learning_rate", _STEPS, "draw"):
        refusals.show(f"train.{field}")


def _number(field: str, usual: float | int | None, low: float | int, high: float | int) -> None:
    """Draw a box for one number; emptied, it is the task's own."""
    t, control = session.t(), f"control.train.{field}"
    whole = isinstance(low, int)
    own = getattr(session.settings(), field)
    shown = own if own or usual is None else usual
    if session.refusal(f"train.{field}") is None:
        session.put(control, None if shown is None else type(low)(shown))
    st.number_input(
        t(f"train.{field}"),
        value=None,
        step=1 if whole else 0.01,
        format="%d" if whole else "%.10g",
        key=control,
        help=t("drawer.range", least=f"{low:g}", most=f"{high:g}"),
        on_change=_taken,
        args=(field, control, whole),
    )


def _taken(field: str, control: str, whole: bool) -> None:
    value = session.got(control)
    default = getattr(Settings(), field)
    asked.change(f"train.{field}", **{field: default if value is None else value})


def _frozen() -> None:
    t = session.t()
    session.put("control.train.frozen", list(session.settings().frozen))
    st.pills(
        t("train.frozen"),
        tuple(LETTERS),
        selection_mode="multi",
        format_func=lambda letter: f"W^{'O' if letter == 'o' else letter}",
        key="control.train.frozen",
        help=t("train.frozen_help"),
        on_change=lambda: asked.change(
            "train", frozen="".join(x for x in LETTERS if x in session.got("control.train.frozen"))
        ),
    )


def own_table() -> None:
    """Draw the box for sentences and tags of one's own."""
    t, settings = session.t(), session.settings()
    if settings.task != OWN:
        return
    session.put("control.task_table", session.draft("task_table", settings.task_table))
    with st.expander(t("train.own_title"), expanded=session.refusal("task_table") is not None):
        st.text_area(
            t("train.own"),
            key="control.task_table",
            height=150,
            help=t("train.own_help"),
            on_change=_table_taken,
        )
        refusals.show("task_table")


def _table_taken() -> None:
    typed = session.got("control.task_table")
    asked.change("task_table", typed, task_table=typed, passage="", query=Settings().query)


def switch(field: str, label: str, help_: str, take: Callable[[Any], None]) -> None:
    """Draw a switch whose change begins the training anew."""
    control = f"control.train.{field}"
    session.put(control, getattr(session.settings(), field))
    st.toggle(label, key=control, help=help_, on_change=lambda: take(session.got(control)))


def task() -> None:
    """Draw the choice of a task; one that a link names and nobody knows stays in it."""
    t, chosen = session.t(), asked.plan(session.settings()).task
    session.put("control.task", chosen)
    st.selectbox(
        t("train.task"),
        tuple(dict.fromkeys((*asked.KEYS, chosen))),
        format_func=lambda key: t(f"task.{key}.title") if key in asked.KEYS else key,
        key="control.task",
        on_change=controls.taken,
        args=("task", asked.choose_task),
        label_visibility="collapsed",
    )
