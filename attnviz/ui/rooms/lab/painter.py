"""Who may see whom: a mask to paint, applied before normalizing, as a score of 0, or afterwards."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.components.painter import PainterSpec, PainterWords, painter
from attnviz.figures import code_trials
from attnviz.lessons.leaks import Leaks, leaks, open_scores
from attnviz.text.numbers import magnitude, number
from attnviz.ui import editing, matrices, refusals, session, tools
from attnviz.ui.rooms.lab import presets

_SIDE_BY_SIDE = 4  # tokens
_MOST_SUMS = 8
_SAME = 1e-12
_STEEP = 300
WAYS = ("masked", "zero", "after")


def mask_painter() -> None:
    """Draw the mask to paint, and beside it what its three ways make of the weights."""
    t, scene = session.t(), session.scene()
    head = scene.trace.head(scene.head)
    found = leaks(head)
    tools.ask(t("painter.question"))
    presets.draw()
    beside = len(scene.tokens) <= _SIDE_BY_SIDE and not session.settings().present
    (_in_a_line if beside else _in_a_square)(head, found)
    refusals.show("painter")
    _restriction(found)
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        tools.say(_sentence(found))
    with code:
        tools.lines(
            "painter",
            lambda: code_trials.painter_numpy(scene, t),
            lambda: code_trials.painter_package(scene, t),
        )


def _painter() -> None:
    t, scene, n = session.t(), session.scene(), session.notation()
    painter(
        PainterSpec(
            name=[("M", "name")],
            label=t("painter.label"),
            title=t("painter.title"),
            cells=editing.mask_cells(scene).tolist(),
            labels=matrices.labels(scene.tokens),
            column_title=t("painter.axes"),
            in_hand=scene.query,
            turned=n.columns,
        ),
        key="painter",
        words=PainterWords(**_spoken(n.columns)),
        on_paint=lambda cells: session.change("painter", mask="custom", cells=cells),
        size=session.size(),
    )


def _spoken(columns: bool) -> dict[str, str]:
    """Say who asks and who is asked; where the square is turned, those who ask are its columns."""
    query, key = ("{column}", "{row}") if columns else ("{row}", "{column}")
    t = session.t()
    return {
        "may": t("painter.cell_may", query=query, key=key),
        "may_not": t("painter.cell_may_not", query=query, key=key),
    }


def _in_a_line(head: HeadTrace, found: Leaks) -> None:
    """Draw the mask, beside it the three maps, and under each what becomes of it."""
    left, right = st.columns([1, 4], gap="small")
    with left:
        _painter()
    with right:
        matrix(
            [_way(found, name) for name in WAYS],
            key="painter_ways",
            label=session.t()("painter.ways"),
            default_readout=_readout(head, found),
            on_query=session.ask,
            size=0.82,
        )
        _verdicts(found)


def _in_a_square(head: HeadTrace, found: Leaks) -> None:
    """Draw the mask and the three maps two by two, where they are larger."""
    t, hidden = session.t(), not found.allowed.all()
    places = [place for _ in range(2) for place in st.columns(2, gap="medium")]
    with places[0]:
        _painter()
        if not hidden:
            st.write(t("painter.nobody_hidden"))
    for place, name in zip(places[1:], WAYS, strict=True):
        with place:
            matrix(
                [_way(found, name)],
                key=f"painter_{name}",
                label=t(f"painter.{name}_title"),
                default_readout=_readout(head, found) if name == "zero" else t("painter.point"),
                on_query=session.ask,
                size=session.size() * 0.88,
            )
            if hidden:
                st.write(_verdict(found, name))


def _way(found: Leaks, name: str) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    weights = getattr(found, name)
    hidden = ~found.allowed
    leaking = name == "zero" and not found.allowed.all()
    sums = matrices.sums(weights, digits)
    spec = matrices.token_by_token(
        weights,
        "weights",
        scene.tokens,
        t,
        digits,
        sums=[share(leak, found) for leak in found.leaked.tolist()] if leaking else sums,
        sum_title=t("painter.leaks") if leaking else "Σ",
        masked=None if name == "zero" else hidden.tolist(),
        limit=max(1.0, float(weights.max())),
        row_in_hand=scene.query,
        readout_template=t("see.cell"),
        pick_rows=True,
        notation=session.notation(),
    )
    return _titled(spec, t(f"painter.{name}_title"))


def _titled(spec: MatrixSpec, title: str) -> MatrixSpec:
    return replace(spec, title=title, label=f"{title}, {spec.shape}", row_title="", column_title="")


def share(leak: float, found: Leaks) -> str:
    """Write what leaks: a percentage of a row that adds up to 1, else a weight."""
    if session.scene().choices.normalizer in DISTRIBUTIONS:
        return f"{number(round(100 * leak, 1), 1)} %"
    return number(leak, session.settings().digits)


def _readout(head: HeadTrace, found: Leaks) -> str:
    """Write out how much the token in hand gives away, where softmax makes it."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    i, choices = scene.query, scene.choices
    leak, hidden = float(found.leaked[i]), int((~found.allowed[i]).sum())
    plain = choices.normalizer == "softmax" and choices.temperature > 0
    place = {"row": i + 1, "token": scene.tokens[i]}
    if not hidden:
        return t("painter.sees_all", **place)
    if not plain or leak == 0:
        return t("painter.gives", **place, share=share(leak, found), hidden=hidden)
    seen = open_scores(head)[i][found.allowed[i]] / choices.temperature
    if seen.size and np.abs(seen).max() > _STEEP:
        return t("painter.gives", **place, share=share(leak, found), hidden=hidden)
    total = number(float(np.exp(seen).sum()), digits)
    return t("painter.because", **place, hidden=hidden, seen=total, share=share(leak, found))


def _verdicts(found: Leaks) -> None:
    """Say under each way what becomes of those who may not be seen."""
    t = session.t()
    if found.allowed.all():
        st.write(t("painter.nobody_hidden"))
        return
    columns = st.columns(3, gap="medium")
    for column, name in zip(columns, WAYS, strict=True):
        with column:
            st.markdown(f"**{t(f'painter.{name}_title')}**  \n{_verdict(found, name)}")


def _verdict(found: Leaks, name: str) -> str:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    shares = scene.choices.normalizer in DISTRIBUTIONS
    if name == "masked":
        empty = _places(np.logical_not(found.allowed.any(axis=1)))
        return t("painter.masked_says") + (t("painter.empty", rows=empty) if empty else "")
    if name == "zero":
        worst = int(found.leaked.argmax())
        leak = float(found.leaked[worst])
        if leak < _SAME:
            return t("painter.no_leak")
        token = refusals.escape(scene.tokens[worst])
        return t("painter.zero_says", row=worst + 1, token=token, share=share(leak, found))
    totals = matrices.sums(found.after, digits)
    many = len(totals) > _MOST_SUMS
    listed = t("painter.join").join(
        [*totals[: _MOST_SUMS - 2], "…", totals[-1]] if many else totals
    )
    key = "same" if found.difference < _SAME else "differ"
    if not shares:
        key = f"raw_{key}"
    same = key.endswith("same")
    shown = magnitude(found.difference) if same else number(found.difference, digits)
    return t("painter.after_says", sums=listed) + t(f"painter.{key}", difference=shown)


def _places(chosen_rows: np.ndarray) -> str:
    places: Sequence[int] = (np.flatnonzero(chosen_rows) + 1).tolist()
    listed = session.t()("painter.join").join(map(str, places[:_MOST_SUMS]))
    return f"{listed} …" if len(places) > _MOST_SUMS else listed


def _restriction(found: Leaks) -> None:
    """Say it where a mask was chosen and hides nobody."""
    t, settings, n_tokens = session.t(), session.settings(), len(session.scene().tokens)
    if settings.mask in presets.NUMBERS and found.allowed.all():
        value = getattr(settings, presets.NUMBERS[settings.mask])
        st.caption(t("painter.too_wide", value=value, n_tokens=n_tokens))
    elif settings.mask == "causal_window" and settings.radius >= n_tokens - 1 > 0:
        st.caption(t("painter.as_causal", value=settings.radius, n_tokens=n_tokens))


def _sentence(found: Leaks) -> str:
    t, scene = session.t(), session.scene()
    n_hidden = int((~found.allowed).sum())
    if not n_hidden:
        return t("painter.say_nobody", n_tokens=len(scene.tokens))
    i = scene.query
    return t(
        "painter.say",
        hidden=n_hidden,
        cells=found.allowed.size,
        row=i + 1,
        token=scene.tokens[i],
        share=share(float(found.leaked[i]), found),
        sum=matrices.sums(found.after, session.settings().digits)[i],
    )
