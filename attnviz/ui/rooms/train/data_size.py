"""Data size: a convolution and attention learn from few strings and from many."""

from dataclasses import replace

import streamlit as st

from attnviz.errors import InputError
from attnviz.figures import code_data_size
from attnviz.figures.data_size import size_curves, size_curves_alt
from attnviz.models.training.data_size import (
    LEAST_SIZE,
    MOST_SIZE,
    NETWORKS,
    POOLS,
    Curves,
    Point,
    PointPlan,
    crossing,
    curves,
    examples,
)
from attnviz.models.training.trained import PointWork
from attnviz.text.numbers import decimals, number
from attnviz.ui import cached, refusals, session, tools
from attnviz.ui.plots import height, plot
from attnviz.ui.rooms.train import playing

SHARES = ("both", "local", "far")
_ASKED = "data_size.asked"


def panel() -> None:
    """Draw the curves that come with the package, and a point of one's own on them."""
    t = session.t()
    tools.ask(t("data_size.question"))
    st.caption(t("data_size.task"))
    with st.container(key="data-size", horizontal=True, vertical_alignment="center", gap="small"):
        _choice("experiment", "pool", pool(), POOLS)
        _choice("target", "share", share(), SHARES)
        _strings()
        _point()
    refusals.show("data_size")
    lives = _lives()
    st.fragment(_watched, run_every=playing.EVERY if lives else None)(lives)


def pool() -> str:
    """Give how the vectors of a string become one."""
    chosen = session.settings().experiment
    return chosen if chosen in POOLS else POOLS[0]


def share() -> str:
    """Give which strings are counted."""
    chosen = session.settings().target
    return chosen if chosen in SHARES else SHARES[0]


def plan() -> PointPlan:
    """Read which point is to be made; a size that cannot be is the usual one."""
    settings = session.settings()
    wanted = PointPlan(seed=settings.draw, pool=pool())
    try:
        return replace(wanted, n=int(settings.amount or wanted.n)).checked()
    except InputError:
        return wanted


def _choice(field: str, name: str, value: str, options: tuple[str, ...]) -> None:
    t = session.t()
    session.put(f"control.data_size.{name}", value)
    st.segmented_control(
        t(f"data_size.{name}"),
        options,
        format_func=lambda key: t(f"data_size.{name}_{key}"),
        key=f"control.data_size.{name}",
        label_visibility="collapsed",
        required=True,
        on_change=lambda: session.change(
            "data_size", **{field: session.got(f"control.data_size.{name}")}
        ),
    )


def _strings() -> None:
    """Show a few strings with their answers."""
    t = session.t()
    with st.popover(t("data_size.strings"), icon=":material/abc:"):
        st.markdown(t("data_size.strings_note"))
        some = examples()
        rows = [
            {
                t("data_size.kind"): t("data_size.share_far" if far else "data_size.share_local"),
                t("data_size.string"): " ".join(map(str, signs[1:].tolist())),
                t("data_size.answer"): t("data_size.yes" if label else "data_size.no"),
            }
            for signs, label, far in zip(
                some.signs, some.labels.tolist(), some.far.tolist(), strict=True
            )
        ]
        st.table(rows)


def _point() -> None:
    """Draw the number of strings for a point of one's own, and the button that makes it."""
    t, wanted = session.t(), plan()
    refused = session.refusal("data_size") is not None
    session.put("control.data_size.n", int(session.draft("data_size", str(wanted.n))))
    st.number_input(
        t("data_size.n"),
        value=None,
        step=50,
        key="control.data_size.n",
        help=t("drawer.range", least=LEAST_SIZE, most=MOST_SIZE),
        on_change=_resized,
        label_visibility="collapsed",
        width=150,
    )
    lives = _lives()
    waits = not lives and (refused or _finished() is not None)
    st.button(
        t("seeds.stop" if lives else "data_size.make"),
        icon=":material/stop:" if lives else ":material/play_arrow:",
        type="primary",
        key="data_size.make",
        disabled=waits,
        help=t("data_size.make_help", seed=wanted.seed),
        on_click=_stop if lives else _make,
    )


def _resized() -> None:
    n = session.got("control.data_size.n")

    def checked() -> dict[str, int | None]:
        if n is not None:
            replace(plan(), n=n).checked()
        return {"amount": n}

    session.attempt("data_size", checked, str(n))


def _work() -> PointWork | None:
    return cached.trainings().known(plan())


def _finished() -> PointWork | None:
    work = _work()
    return work if work is not None and work.state == "done" else None


def _lives() -> bool:
    work = _work()
    return session.held(_ASKED) == repr(plan()) and (work is None or not work.over)


def _make() -> None:
    work = _work()
    if work is not None and work.state == "failed":
        cached.trainings().forget(plan())
    session.hold(_ASKED, repr(plan()))


def _stop() -> None:
    session.hold(_ASKED, "")
    cached.trainings().stop(plan(), playing.who())


def _watched(began: bool) -> None:
    """Draw the curves; runs again and again while a point is made."""
    wanted, lives = plan(), _lives()
    work = cached.trainings().watch(wanted, playing.who()) if lives else _work()
    _progress(work if lives else None)
    if work is not None and work.error is not None:
        st.error(refusals.escape(refusals.sentence(work.error)))
    own = work.so_far.points if work is not None else ()
    _draw(curves(), own)
    if began and not _lives():
        session.hold(_ASKED, "")
        st.rerun()


def _progress(work: PointWork | None) -> None:
    t = session.t()
    with st.container(key="data-size-progress"):
        if work is None:
            st.markdown(_crossing(curves()))
            return
        said = t("data_size.making", step=number(work.step), steps=number(work.steps))
        place = cached.trainings().place(work)
        if place:
            said = t("train.waiting", place=place)
        elif work.remaining is not None:
            said += " · " + t("train.remaining", seconds=f"{work.remaining:.0f}")
        st.progress(min(1.0, work.step / work.steps), text=said)


def _crossing(known: Curves) -> str:
    """Say from which size on attention is ahead, or that it never is."""
    t, found = session.t(), crossing(known, pool(), share())
    if found is None:
        return t("data_size.no_crossing")
    before, after = found
    values = {
        f"{network}_{name}": _percent(known.shares(network, pool(), share())[place].mean())
        for network in NETWORKS
        for name, place in (("before", before), ("after", after))
    }
    return t(
        "data_size.crossing",
        before=number(known.sizes[before]),
        after=number(known.sizes[after]),
        **values,
    )


def _percent(value: float) -> str:
    return f"{decimals(value * 100, 1)} %"


def _draw(known: Curves, own: tuple[Point, ...]) -> None:
    t = session.t()
    left, right = (
        (st.container(), st.container()) if session.alone() else st.columns([13, 8], gap="medium")
    )
    with left:
        picture = size_curves(
            known, pool(), share(), own, t, session.theme(), height=height(330, 240)
        )
        plot(picture, size_curves_alt(known, pool(), share(), own, t), "data_size")
    with right:
        _by_heart(known)
        for point in own:
            values = {"n": number(point.n), "seed": point.seed}
            values["share"] = decimals(getattr(point, share()) * 100, 1)
            network = t(f"data_size.{point.network}")
            st.markdown("★ " + t("data_size.own_point", network=network, **values))
        st.caption(_made(known))
        st.caption(t("data_size.vit"))
    tools.say(_said(known))
    tools.lines(
        "data_size",
        lambda: code_data_size.point_with_torch(plan(), t),
        lambda: code_data_size.point_with_package(plan(), t),
        names=("torch", "attnviz"),
    )


def _by_heart(known: Curves) -> None:
    """Say what was learned by heart: right on one's own strings, not on new ones."""
    t, size = session.t(), known.sizes[0]
    values = {
        what: _percent(known.shares("attention", pool(), what)[0].mean())
        for what in ("learned", "both")
    }
    st.markdown(t("data_size.by_heart", n=number(size), **values))
    last = {
        network: _percent(known.shares(network, pool(), "far")[-1].mean()) for network in NETWORKS
    }
    st.markdown(t(f"data_size.far_{pool()}", n=number(known.sizes[-1]), **last))


def _made(known: Curves) -> str:
    """Say how the curves were made."""
    making = known.making
    return session.t()(
        "data_size.made",
        seeds=len({point.seed for point in known.points}),
        steps=number(making.steps),
        batch=making.batch,
        convolution=number(known.weights["convolution"]),
        attention=number(known.weights["attention"]),
        torch=known.versions["torch"],
        seconds=known.seconds,
    )


def _said(known: Curves) -> str:
    t, sizes = session.t(), known.sizes
    values = {
        f"{network}_{name}": _percent(known.shares(network, pool(), share())[place].mean())
        for network in NETWORKS
        for name, place in (("first", 0), ("last", -1))
    }
    return t("data_size.say", first=number(sizes[0]), last=number(sizes[-1]), **values)
