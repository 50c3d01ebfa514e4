"""Train: play a training, and watch loss, accuracy, weights, matrices and gradients change."""

import streamlit as st

from attnviz.errors import InputError
from attnviz.models.training.learning import Learner, Snapshot
from attnviz.models.training.tasks import OWN
from attnviz.models.training.trainer import Training
from attnviz.text.numbers import magnitude, number
from attnviz.ui import cached, refusals, session, tools
from attnviz.ui.rooms.train import after, asked, choices, playing, shown

_WHOLE = "train.whole"
_ORDERED = ("two_saws", "reversal", OWN)
"""Tasks of which equal words may need different answers."""


def panel() -> None:
    """Draw the controls, then the model at the step that is shown."""
    t = session.t()
    tools.ask(t("train.question"))
    plan = asked.plan(session.settings())
    if plan.task in asked.KEYS:
        st.caption(t(f"task.{plan.task}.note"))
    try:
        learner = plan.checked()
    except InputError as error:
        _controls(None)
        choices.own_table(None)
        st.error(asked.refused(error))
        return
    cached.trainings().warm()
    _controls(learner)
    choices.own_table(learner)
    for place in ("task", "train", "looked"):
        refusals.show(place)
    live = playing.plays(plan) or _awaited(cached.trainings().known(plan))
    st.fragment(_watched, run_every=playing.EVERY if live else None)(live)


def _controls(learner: Learner | None) -> None:
    t, settings = session.t(), session.settings()
    plan = asked.plan(settings)
    plays = playing.plays(plan)
    with st.container(key="train", horizontal=True, vertical_alignment="center", gap="small"):
        choices.switch(
            "placed",
            t("train.placed"),
            t("train.placed_help"),
            lambda on: asked.change("train", placed=on),
        )
        if learner is not None:
            st.button(
                t("train.pause" if plays else "train.play"),
                icon=":material/pause:" if plays else ":material/play_arrow:",
                type="secondary" if settings.snapshot == learner.steps else "primary",
                key="train.play",
                shortcut="p",
                on_click=playing.pause if plays else playing.play,
                args=(plan,) if plays else (plan, learner.steps),
            )
            st.button(
                t("train.step"),
                icon=":material/skip_next:",
                key="train.step",
                on_click=playing.step_on,
                args=(plan,),
                disabled=settings.snapshot == learner.steps,
            )
            st.button(
                t("train.reset"),
                icon=":material/restart_alt:",
                key="train.reset",
                on_click=playing.rest,
                args=(None, plan),
                disabled=not plays and settings.snapshot is None,
            )
            _speed()
            choices.draw(learner)
        else:
            choices.draw(None)


def _speed() -> None:
    t = session.t()
    session.put("control.speed", playing.speed())
    st.segmented_control(
        t("train.speed"),
        tuple(playing.SPEEDS),
        format_func=lambda key: t(f"train.speed_{key}"),
        key="control.speed",
        label_visibility="collapsed",
        required=True,
        on_change=lambda: session.hold("train.speed", session.got("control.speed")),
    )


def _awaited(training: Training | None) -> bool:
    """Tell whether the step that is asked for has yet to be reached."""
    wanted = session.settings().snapshot
    if not wanted:
        return False
    return training is None or (training.step < wanted and not training.over)


def _watched(live: bool) -> None:
    """Draw the model as it is now; runs again and again while it changes, which is `live`."""
    if session.flag(_WHOLE):
        session.set_flag(_WHOLE, False)
        st.rerun()
    plan = asked.plan(session.settings())
    learner, trainings = plan.checked(), cached.trainings()
    plays, training = playing.plays(plan), trainings.known(plan)
    awaited = _awaited(training)
    if plays or awaited:
        training = trainings.watch(plan, playing.who())
    history = (training.snapshots if training else ()) or (learner.first,)
    place = playing.advance(training) if plays and training else _place(history)
    _status(learner, training if plays or awaited else None, history[place])
    over = training is None or training.over
    ended = plays and over and place == len(history) - 1
    reached = live and not plays and not _awaited(training)
    if training is not None and training.error is not None:
        _failed(training)
    known = history[: place + 1] if plays or not session.settings().snapshot else history
    shown.draw(learner, history[place], known)
    _replay(learner, history[place], moving=plays or _awaited(training))
    after.draw(learner, history[place])
    tools.say(_said(learner, history[place]))
    if ended:
        playing.rest(history[place].step, plan)
        st.rerun()
    if reached:
        st.rerun()


def _place(history: tuple[Snapshot, ...]) -> int:
    """Find the snapshot that the settings ask for, or the nearest before it."""
    wanted = session.settings().snapshot or 0
    return max(0, sum(found.step <= wanted for found in history) - 1)


def _status(learner: Learner, training: Training | None, found: Snapshot) -> None:
    """Say in one line how far it is, and what is waited for."""
    t = session.t()
    said = [t("train.at", step=number(found.step), steps=number(learner.steps))]
    said += shown.accuracies(learner, found)
    said.append(f"{t('train.loss')} {magnitude(found.loss)}")
    if training is not None and not training.over:
        place = cached.trainings().place(training)
        if place:
            said.append(t("train.waiting", place=place))
        elif training.remaining is None:
            said.append(t("train.starting"))
        else:
            said.append(t("train.remaining", seconds=f"{training.remaining:.0f}"))
    with st.container(
        key="train-status", horizontal=True, vertical_alignment="center", gap="small"
    ):
        st.markdown(" · ".join(said), width="content")
        if _alike(learner, found):
            st.markdown(f"**{t('train.alike')}**", width="content")
            st.button(
                t("train.with_positions"),
                icon=":material/play_arrow:",
                type="primary",
                key="train.with_positions",
                on_click=_with_positions,
            )


def _alike(learner: Learner, found: Snapshot) -> bool:
    """Tell whether a training ended without the positions that it would have needed."""
    needs = learner.task.key in _ORDERED and not learner.plan.placed
    return needs and found.step == learner.steps and found.accuracy[0] < 1


def _with_positions() -> None:
    asked.change("train", placed=True)
    plan = asked.plan(session.settings())
    playing.play(plan, plan.checked().steps)
    session.set_flag(_WHOLE, True)


def _failed(training: Training) -> None:
    t = session.t()
    if training.error is not None:
        st.error(refusals.escape(refusals.sentence(training.error)))
    st.button(
        t("models.again"),
        key="train.again",
        on_click=lambda: cached.trainings().forget(training.plan),
    )


def _replay(learner: Learner, found: Snapshot, *, moving: bool) -> None:
    """Draw how far it is, or at rest the slider that replays it from its snapshots."""
    t = session.t()
    with st.container(key="train-replay", height=84, border=False):
        if moving:
            st.progress(found.step / learner.steps, text=t("train.replay"))
            return
        session.put("control.snapshot", found.step)
        st.select_slider(
            t("train.replay"), learner.moments, key="control.snapshot", on_change=_moved
        )


def _moved() -> None:
    session.change("train", snapshot=session.got("control.snapshot") or None)
    session.set_flag(_WHOLE, True)


def _said(learner: Learner, found: Snapshot) -> str:
    t = session.t()
    kinds = t("figure.alt_join").join(shown.accuracies(learner, found))
    positions = t("train.say_on" if learner.plan.placed else "train.say_off")
    return t(
        "train.say",
        task=t(f"task.{learner.task.key}.title"),
        step=number(found.step),
        kinds=kinds,
        positions=positions,
    )
