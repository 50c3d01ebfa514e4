"""The choices of a training: the model's sizes, how fast it learns, and what must not change."""

import math
from collections.abc import Callable
from typing import Any

import streamlit as st

from attnviz.errors import InputError
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
from attnviz.text.numbers import significant
from attnviz.ui import controls, refusals, session, trained
from attnviz.ui.rooms.train import asked, playing

_STEPS = "amount"
_OPEN, _EMPTIED = "train.own_open", "train.own_emptied"
_ANEW: dict[str, Any] = {"passage": "", "query": Settings().query}


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
            _rate(learner)
            _number(_STEPS, learner and learner.steps, 1, MOST_STEPS)
            _number("draw", settings.draw, 0, 9_999)
        _frozen()
    for field in asked.NUMBERS:
        refusals.show(f"train.{field}")


def _rate(learner: Learner | None) -> None:
    """Draw the box for the learning rate, which keeps what was typed, however large."""
    t, place, own = session.t(), "train.learning_rate", session.settings().learning_rate
    rate = own if own is not None else learner and learner.rate
    session.put(f"control.{place}", session.draft(place, "" if rate is None else f"{rate:.10g}"))
    st.text_input(
        t(place),
        key=f"control.{place}",
        max_chars=40,
        help=t("drawer.range", least=significant(0), most=significant(LARGEST_RATE)),
        on_change=lambda: _rate_taken(session.got(f"control.{place}")),
    )


def _rate_taken(typed: str) -> None:
    def fields() -> dict[str, Any]:
        try:
            rate = float(typed) if typed.strip() else None
        except ValueError:
            rate = math.nan
        if rate is not None and not 0 < rate <= LARGEST_RATE:
            raise InputError("training.rate", got=typed, most=LARGEST_RATE)
        return {"learning_rate": rate}

    asked.attempt("train.learning_rate", fields, typed)


def _number(field: str, usual: int | None, low: int, high: int) -> None:
    """Draw a box for one whole number; emptied, it is the task's own."""
    t, control = session.t(), f"control.train.{field}"
    own = getattr(session.settings(), field)
    shown = own if own or usual is None else usual
    if session.refusal(f"train.{field}") is None:
        session.put(control, None if shown is None else int(shown))
    st.number_input(
        t(f"train.{field}"),
        value=None,
        step=1,
        format="%d",
        key=control,
        help=t("drawer.range", least=significant(low), most=significant(high)),
        on_change=_taken,
        args=(field, control),
    )


def _taken(field: str, control: str) -> None:
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
        format_func=lambda letter: f"$W^{'O' if letter == 'o' else letter}$",
        key="control.train.frozen",
        help=t("train.frozen_help"),
        on_change=lambda: asked.change(
            "train", frozen="".join(x for x in LETTERS if x in session.got("control.train.frozen"))
        ),
    )


def own_table(learner: Learner | None) -> None:
    """Draw the box for sentences and tags of one's own; it is open until they are learned."""
    t, settings = session.t(), session.settings()
    if settings.task != OWN:
        return
    table = trained.plan(settings).table
    session.put("control.task_table", session.draft("task_table", table))
    refused = session.refusal("task_table") is not None
    asks = session.flag(_OPEN) or table == trained.example()
    rests = settings.snapshot is None and not playing.plays(asked.plan(settings))
    opens = asks and rests and not settings.present
    with st.expander(t("train.own_title"), expanded=refused or opens):
        st.text_area(
            t("train.own"),
            key="control.task_table",
            height=120,
            help=t("train.own_help"),
            on_change=_table_taken,
        )
        refusals.show("task_table")
        if learner is not None and not refused:
            st.caption(_read(learner, table))


def _read(learner: Learner, table: str) -> str:
    """Say what was read of the sentences, and whether they are the person's own."""
    t, task = session.t(), learner.task
    said = t(
        "train.own_read",
        sentences=len(task.tests),
        words=task.n_words,
        tags=len(task.tags),
        names=refusals.escape(t("labelling.join").join(task.tags)),
    )
    if table != trained.example():
        return said
    return f"{t('train.own_emptied' if session.flag(_EMPTIED) else 'train.own_example')} {said}"


def _table_taken() -> None:
    typed = session.got("control.task_table")
    session.set_flag(_OPEN, True)
    session.set_flag(_EMPTIED, not typed.strip())
    asked.change("task_table", typed, task_table=typed.strip() and typed, **_ANEW)


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
