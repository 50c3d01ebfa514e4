"""The other side of the bench: which experiment or fields make it, and the controls for both."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from attnviz.errors import InputError
from attnviz.experiments import EXPERIMENTS, Experiment
from attnviz.experiments import sides as fields_of
from attnviz.experiments.contrast import Contrast
from attnviz.settings import (
    RANGES,
    Settings,
)
from attnviz.ui import cached, refusals, session
from attnviz.ui.rooms.lab import values

OWN = "own"
_FIRST = "scale"
_SYMBOLS = {"w_q": "W^q", "w_k": "W^k", "w_v": "W^v", "w_o": "W^O", "vectors": "a"}


@dataclass(frozen=True, eq=False)
class Side:
    """What side B has different, and the experiment that makes it so, if one does."""

    different: dict[str, Any]
    experiment: Experiment | None

    def settings(self) -> Settings:
        """Give the settings of side B.

        Raises:
            InputError: if they do not fit the tokens of side A.
        """
        return fields_of.other_side(*session.now(), self.different)

    def contrast(self) -> Contrast:
        """Compute both sides.

        Raises:
            InputError: if side B cannot be computed.
        """
        other = cached.scene(self.settings(), session.language())
        return Contrast(session.scene(), other)


def chosen() -> Side:
    """Give side B as the link says: an experiment, fields of its own, or the first experiment."""
    settings, scene = session.now()
    own = fields_of.read(settings.other)
    if settings.experiment not in EXPERIMENTS and own:
        return Side(own, None)
    experiment = EXPERIMENTS.get(settings.experiment, EXPERIMENTS[_FIRST])
    return Side(experiment.fields(settings, scene), experiment)


def controls(side: Side) -> None:
    """Draw the questions to start from and, on a whole page, what side B has different."""
    if session.alone():
        _questions(side)
        return
    question, field, value, ways = st.columns([9, 4, 4, 5], gap="small")
    with question:
        _questions(side)
    with field:
        name = _field(side)
    with value:
        _value(side, name)
    with ways, st.container(horizontal=True, gap="small"):
        _ways(side)


def _questions(side: Side) -> None:
    t = session.t()
    options = tuple(EXPERIMENTS) if side.experiment else (OWN, *EXPERIMENTS)
    session.put("bench.question", side.experiment.key if side.experiment else OWN)
    st.selectbox(
        t("bench.question"),
        options,
        format_func=lambda key: t("bench.own" if key == OWN else f"experiment.{key}.claim"),
        key="bench.question",
        label_visibility="collapsed",
        on_change=lambda: _begin(session.got("bench.question")),
    )


def _begin(key: str) -> None:
    if key != OWN:
        session.change("bench", experiment=key, other="")


def _field(side: Side) -> str:
    t, other = session.t(), _other_settings(side)
    options = values.editable(other)
    first = next((name for name in options if name in side.different), options[0])
    return st.selectbox(
        t("bench.field"),
        options,
        index=options.index(first),
        format_func=lambda name: t(f"drawer.{name}"),
        key="bench.field",
        label_visibility="collapsed",
    )


def _other_settings(side: Side) -> Settings:
    try:
        return side.settings()
    except InputError:
        return session.settings()


def _value(side: Side, name: str) -> None:
    """Draw the value of one field on side B: a choice, or a number."""
    t, value = session.t(), getattr(_other_settings(side), name)
    key = f"bench.value.{name}"
    shared: dict[str, Any] = {
        "key": key,
        "label_visibility": "collapsed",
        "on_change": lambda: _take_value(side, name, session.got(key)),
    }
    label = t("bench.value")
    if name in values.CHOICES:
        options = values.CHOICES[name](session.settings(), value)
        session.put(key, value)
        st.selectbox(
            label, options, format_func=lambda option: values.written(name, option, t), **shared
        )
        return
    kind = type(RANGES[name][0])
    whole = kind is int
    if name in values.SIZES and not value:
        value = getattr(session.scene().projections, name)
    session.put(key, value if value is None else kind(value))
    st.number_input(
        label, value=None, step=1 if whole else 0.1, format="%d" if whole else "%.10g", **shared
    )


def _take_value(side: Side, name: str, value: Any) -> None:
    """Give side B another value; emptied, a number has its default.

    It joins what B has different already, but not the question that nobody chose.
    """
    settings = session.settings()
    kept = side.different if settings.experiment or settings.other else {}
    fresh = getattr(Settings(), name) if value is None else value
    different = kept | {name: fresh}
    if name == "w_source":
        different = {n: v for n, v in different.items() if n not in fields_of.MATRICES}
    _show(different)


def _show(different: dict[str, Any]) -> None:
    """Give side B these fields, if it can be computed with them."""

    def changes() -> dict[str, Any]:
        cached.scene(Side(different, None).settings(), session.language())
        return {"experiment": "", "other": fields_of.written(different)}

    session.attempt("bench", changes)


def _ways(side: Side) -> None:
    t = session.t()
    for name, icon, act in (("swap", "swap_horiz", swap), ("take", "check", take)):
        st.button(
            t(f"bench.{name}"),
            icon=f":material/{icon}:",
            key=f"bench.{name}",
            help=t(f"bench.{name}_help"),
            on_click=act,
            args=(side,),
        )


def swap(side: Side) -> None:
    """Bring side B to side A, and the other way round."""
    settings = session.settings()
    back = {name: getattr(settings, name) for name in side.different}
    session.attempt(
        "bench", lambda: _as_own(side) | {"experiment": "", "other": fields_of.written(back)}
    )


def take(side: Side) -> None:
    """Make what side B has different the settings of every page."""
    session.attempt("bench", lambda: _as_own(side) | {"experiment": "", "other": ""})


def _as_own(side: Side) -> dict[str, Any]:
    """Give the fields that make side A what side B is; with typed vectors the tokens go along."""
    other = side.settings()
    return {name: getattr(other, name) for name in (*side.different, "pieces")}


def chips(side: Side, found: Contrast) -> None:
    """Say in one line what side B has different; each can be taken away."""
    t, settings = session.t(), session.settings()
    other = side.settings()
    names = fields_of.differences(settings, other, found.one, found.other)
    with st.container(key="bench-chips", horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(t("bench.differs") if names else t("bench.same"), width="content")
        for name in names:
            label = _chip(name, (settings, other), found)
            if session.alone():
                st.badge(label, color="gray")
            else:
                st.button(
                    label,
                    icon=":material/close:",
                    key=f"bench.without.{name}",
                    help=t("bench.remove"),
                    on_click=_remove,
                    args=(side, name),
                )


def _remove(side: Side, name: str) -> None:
    """Take one difference away; after the last one side B says that it is as side A."""
    own = "w_source" if name in fields_of.MATRICES else name
    as_side_a = {own: getattr(session.settings(), own)}
    _show(fields_of.without(side.different, name, session.scene()) or as_side_a)


def _chip(name: str, both: tuple[Settings, Settings], found: Contrast) -> str:
    t = session.t()
    if name in _SYMBOLS:
        return refusals.escape(t("bench.chip_matrix", name=_SYMBOLS[name]))
    label = values.label(name, t)
    if isinstance(getattr(both[1], name), tuple):
        return refusals.escape(t("bench.chip_matrix", name=label))
    scenes = (found.one, found.other)
    shown = (values.shown(name, *each) for each in zip(both, scenes, strict=True))
    before, after = (values.written(name, value, t) for value in shown)
    return refusals.escape(t("bench.chip", name=label, before=before, after=after))


def contrast_or_refusal(side: Side) -> Contrast | None:
    """Compute both sides; where B cannot be, say why."""
    try:
        return side.contrast()
    except InputError as error:
        said = refusals.escape(refusals.sentence(error))
        st.error(f"{said} {session.t()('bench.no_other')}")
        return None
