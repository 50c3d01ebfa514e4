"""Seeds: the same model trained from five seeds, side by side."""

from dataclasses import replace

import streamlit as st

from attnviz.components.matrix import matrix
from attnviz.errors import InputError
from attnviz.figures import code_seeds
from attnviz.figures.notation import ROW
from attnviz.figures.training import percent
from attnviz.models.training.learning import Learner, Plan, Snapshot
from attnviz.models.training.trainer import Training
from attnviz.text.numbers import decimals, number
from attnviz.ui import cached, refusals, session, tools
from attnviz.ui.rooms.train import asked, choices, five, playing, shown, weights
from attnviz.ui.trained import right_share

_HEADS, _DIGITS = 2, 4  # heads that are all shown, and words that have their digits in them


def panel() -> None:
    """Draw five trainings beside each other; they begin by themselves, one after the other."""
    t = session.t()
    tools.ask(t("seeds.question"))
    all_plans = five.plans()
    try:
        learner = all_plans[0].checked()
    except InputError as error:
        choices.own_table(None)
        st.error(asked.refused(error))
        return
    st.caption(t("seeds.note"))
    looked = asked.looked(learner)
    with st.container(key="seeds-head", horizontal=True, vertical_alignment="center", gap="small"):
        shown.choose(learner, looked)
        _asking(looked)
        _head(learner)
        _button(all_plans)
    refusals.show("looked")
    choices.own_table(learner)
    lives = five.lives(all_plans)
    st.fragment(_watched, run_every=playing.EVERY if lives else None)(lives)


def _asking(looked: asked.Looked) -> None:
    """Draw the choice of the word that asks."""
    t = session.t()
    session.put("control.seeds.key", _place(looked))
    st.segmented_control(
        t("seeds.asks"),
        range(len(looked.names)),
        format_func=lambda place: f"{looked.names[place]} {place + 1}",
        key="control.seeds.key",
        label_visibility="collapsed",
        required=True,
        on_change=lambda: session.change("train", key=session.got("control.seeds.key")),
    )


def _place(looked: asked.Looked) -> int:
    """Give the place of the word that asks: the last, unless another was chosen."""
    chosen, last = session.settings().key, len(looked.names) - 1
    return last if chosen is None else min(chosen, last)


def _button(all_plans: list[Plan]) -> None:
    t = session.t()
    stopped = five.stopped(all_plans)
    st.button(
        t("seeds.go_on" if stopped else "seeds.stop"),
        icon=":material/play_arrow:" if stopped else ":material/stop:",
        key="seeds.stop",
        disabled=five.next_of(all_plans) is None,
        on_click=_go_on if stopped else _stop,
    )


def _stop() -> None:
    all_plans = five.plans()
    session.hold(five.STOPPED, repr(all_plans[0]))
    plan = five.next_of(all_plans)
    if plan is not None:
        cached.trainings().stop(plan, playing.who())


def _go_on() -> None:
    session.hold(five.STOPPED, "")


def _watched(lives: bool) -> None:
    """Draw the five models as they are now; runs again and again until all have learned."""
    if session.flag("train.whole"):
        session.set_flag("train.whole", False)
        st.rerun()
    t, trainings, all_plans = session.t(), cached.trainings(), five.plans()
    plan = None if five.stopped(all_plans) else five.next_of(all_plans)
    now = trainings.watch(plan, playing.who()) if plan else None
    known = [trainings.known(each) for each in all_plans]
    looked = asked.looked(all_plans[0].checked())
    found = [five.found_of(each, training) for each, training in zip(all_plans, known, strict=True)]
    _progress(all_plans, known, now, five.solved_of(found))
    for place, column in enumerate(st.columns(five.SEEDS, gap="small")):
        with column:
            _card(all_plans[place], found[place], looked, known[place])
    learner = all_plans[0].checked()
    st.caption(shown.measured(learner))
    tools.say(_said(all_plans, found, looked))
    tools.lines(
        "seeds",
        lambda: code_seeds.seeds_with_torch(learner, five.SEEDS, looked.words, t),
        lambda: code_seeds.seeds_with_package(learner, five.SEEDS, looked.words, t),
        names=("torch", "attnviz"),
    )
    if lives and five.next_of(all_plans) is None:
        st.rerun()


def _progress(
    all_plans: list[Plan], known: list[Training | None], now: Training | None, solved: int
) -> None:
    """Say how far it is, and what is waited for; the place stays when it is done."""
    t, steps = session.t(), all_plans[0].checked().steps * five.SEEDS
    done = sum(training.step for training in known if training)
    with st.container(key="seeds-progress"):
        if now is None:
            over = all(training and training.over for training in known)
            icon = ":material/check: " if solved == five.SEEDS else ""
            st.markdown(
                icon + t("seeds.done" if over else "seeds.stopped", n=five.SEEDS, solved=solved)
            )
            return
        said = t("seeds.training", seed=now.plan.seed)
        if cached.trainings().place(now):
            said += " · " + t("train.waiting", place=cached.trainings().place(now))
        elif now.remaining is None:
            said += " · " + t("train.starting")
        st.progress(min(1.0, done / steps), text=said)


def _card(plan: Plan, found: Snapshot, looked: asked.Looked, training: Training | None) -> None:
    """Draw one model: what it gets right, its maps, and where the asking word looks most."""
    t, learner = session.t(), plan.checked()
    st.markdown(f"**{t('seeds.seed', seed=plan.seed)}** · {_right(learner, found)}")
    if training is not None and training.error is not None:
        st.error(refusals.escape(refusals.sentence(training.error)))
        return
    st.markdown(_sharpest(learner, found, looked))
    _maps(plan, found, looked)
    st.button(
        t("seeds.open"),
        icon=":material/open_in_full:",
        key=f"seeds.open.{plan.seed}",
        on_click=_open,
        args=(plan.seed, learner.steps),
        help=t("seeds.open_help", seed=plan.seed),
    )


def _maps(plan: Plan, found: Snapshot, looked: asked.Looked) -> None:
    """Draw the weights of every head, or where there are many of the one in hand."""
    t, notation, n_heads = session.t(), session.notation(), plan.checked().heads
    maps = shown.trace_of(plan.checked(), found, looked.words).weights
    present = session.settings().present
    if present:  # one map has the room, the one of the sentence above it
        heads = (five.sharpest(plan.checked(), found, looked.words, _place(looked))[0],)
    else:
        heads = range(n_heads) if n_heads <= _HEADS else (weights.in_hand(n_heads),)
    tables = [
        replace(
            weights.table(maps[head], looked.names, head),
            digits=len(looked.names) <= _DIGITS and not present,
            row_title="",
            column_title="",
            row_in_hand=_place(looked) if notation is ROW else None,
            column_in_hand=None if notation is ROW else _place(looked),
        )
        for head in heads
    ]
    matrix(
        tables,
        key=f"seeds_{plan.seed % five.SEEDS}",
        label=t("seeds.seed", seed=plan.seed),
        default_readout="",
        size=1.2
        if present
        else 0.74,  # a whole room sees colours, whoever points at one its number
    )


def _head(learner: Learner) -> None:
    """Draw the choice of the head that is shown of each model, where there are many."""
    t = session.t()
    if learner.heads <= _HEADS:
        return
    session.put("control.seeds.head", weights.in_hand(learner.heads))
    st.selectbox(
        t("head.choose"),
        range(learner.heads),
        format_func=lambda head: t("head.number", number=head + 1),
        key="control.seeds.head",
        on_change=lambda: weights.choose(session.got("control.seeds.head")),
        label_visibility="collapsed",
        width=130,
    )


def _open(seed: int, steps: int) -> None:
    session.change("train", panel="training", draw=seed, placed=True, snapshot=steps)
    session.set_flag("train.whole", True)  # the button stands in a part that runs by itself


def _right(learner: Learner, found: Snapshot) -> str:
    """Say how many of the test sentences are right, of all kinds together."""
    t = session.t()
    step = "" if found.step == learner.steps else t("seeds.at", step=number(found.step))
    return t("seeds.right", share=percent(right_share(learner, found))) + step


def _sharpest(learner: Learner, found: Snapshot, looked: asked.Looked) -> str:
    query = _place(looked)
    head, key, share = five.sharpest(learner, found, looked.words, query)
    t = session.t()
    said = t(
        "seeds.looks",
        word=refusals.escape(looked.names[query]),
        i=query + 1,
        other=refusals.escape(looked.names[key]),
        j=key + 1,
        share=decimals(share, 2),
    )
    if session.settings().present:  # the map beneath says it, and a line is short there
        return said
    return f"{said} · {t('head.number', number=head + 1)}"


def _said(all_plans: list[Plan], found: list[Snapshot], looked: asked.Looked) -> str:
    """Read aloud what is equal and what is not."""
    t, query, learner = session.t(), _place(looked), all_plans[0].checked()
    where = [five.sharpest(learner, each, looked.words, query)[1] for each in found]
    counts = [
        t("seeds.say_place", n=where.count(key), other=looked.names[key], j=key + 1)
        for key in sorted(set(where), key=lambda key: (-where.count(key), key))
    ]
    return t(
        "seeds.say",
        solved=five.solved_of(found),
        n=five.SEEDS,
        word=looked.names[query],
        i=query + 1,
        places=t("figure.alt_join").join(counts),
    )
