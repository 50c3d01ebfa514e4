"""A head compared: on another text, with another head or layer, or with a head of another model."""

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from attnviz.errors import InputError
from attnviz.figures import code_versus, spoken_versus
from attnviz.figures.spoken_versus import Lines
from attnviz.models.comparing.aligned import Compared, Pair, Side, compared, side_of
from attnviz.models.comparing.heads_apart import HeadsApart
from attnviz.models.results import Capture
from attnviz.models.views import Unit
from attnviz.ui import cached_models, refusals, session, tools
from attnviz.ui.cached_models import Asked
from attnviz.ui.jobs import Job
from attnviz.ui.rooms.models import asked, folds, versus_choice, versus_grid, versus_maps
from attnviz.ui.rooms.models.versus_choice import Against

_SOON = 0.6  # seconds that are waited before progress is shown


def panel() -> None:
    """Draw what is compared, the sentence that says what came of it, the maps, and every head."""
    capture = asked.captured()
    if capture is None:
        return
    box = folds.fold("versus")
    if box is not None:
        with box:
            _draw(capture)


def _draw(capture: Capture) -> None:
    line = None if session.alone() else versus_choice.draw(capture)
    against = versus_choice.chosen(capture)
    other = _waited(against)
    if other is None:
        return
    against = versus_choice.fitting(against, other)
    everyone = folds.waited(_everyone(against), again=partial(_forget_everyone, against))
    if everyone is None:
        return
    against = _with_a_head(against, everyone)
    if against.other_pair is None:
        st.info(session.t()("versus.nothing"))
        return
    if line is not None:
        with line:
            versus_choice.choose_head(against, other)
    try:
        _compare(capture, other, against, everyone)
    except InputError as error:
        st.info(refusals.escape(refusals.sentence(error)))


def _waited(against: Against) -> Capture | None:
    """Give the other side's capture; while it is not there show how far it is, or why not."""
    work = cached_models.capture_job(against.other)
    if not work.wait(_SOON):
        _progress(work)
        return None
    if not work.failed:
        return work.result()
    t, reason = session.t(), work.future.exception()
    if not isinstance(reason, InputError):
        raise reason or RuntimeError("a failed job must have a reason")
    st.error(refusals.escape(refusals.sentence(reason)))
    st.button(
        t("models.again"),
        key="versus.again",
        on_click=cached_models.forget_capture,
        args=(against.other,),
    )
    return None


@st.fragment(run_every=0.4)
def _progress(work: Job[Capture]) -> None:
    t = session.t()
    if work.done:
        st.rerun()
    said = t(f"models.stage.{work.stage or 'start'}")
    st.progress(work.share, text=t("versus.other_side", stage=said))
    st.button(t("models.stop"), on_click=asked.stop, args=(work,), key="versus.stop")


def _everyone(against: Against) -> Job[HeadsApart]:
    """Compare every head: with itself on the other text, or with the one in hand."""
    return cached_models.heads_apart(*_compared(against))


def _forget_everyone(against: Against) -> None:
    cached_models.heads_apart.clear(*_compared(against))


def _compared(against: Against) -> tuple[Asked, Pair | None, Asked, Unit, bool, bool]:
    """Give what is compared with what, as `cached_models.heads_apart` is asked."""
    pair = None if against.kind == "text" else against.pair
    specials = session.settings().specials
    return against.one, pair, against.other, against.unit, against.whole, specials


def _with_a_head(against: Against, everyone: HeadsApart) -> Against:
    """Take the head that is least far, where the link names none."""
    if against.other_pair is not None:
        return against
    same = against.one == against.other
    return replace(against, other_pair=everyone.nearest(against.pair if same else None))


def _compare(capture: Capture, other: Capture, against: Against, everyone: HeadsApart) -> None:
    t, digits, specials = session.t(), session.settings().digits, session.settings().specials
    pairs = against.pair, against.other_pair or against.pair
    one = side_of(capture, pairs[0], against.unit, specials=specials)
    two = side_of(other, pairs[1], against.unit, specials=specials)
    found = compared(one, two)
    lines = _lines(found, one, two)
    row = versus_maps.row_in_hand(capture, found, one.view)
    names = _name(capture, against, 0), _name(other, against, 1)
    said = spoken_versus.say(found, *lines, row, t, digits)
    st.markdown(f"**{refusals.escape(said)}**")
    left, right = st.columns([5, 3], gap="medium")
    with left:
        versus_maps.draw(capture, found, (one, two), lines, names, row)
    with right:
        versus_grid.draw(other, against, everyone)
    st.caption(refusals.escape(spoken_versus.say_measures(found, t, digits)))
    for note in _notes(found, against):
        st.caption(refusals.escape(note))
    aloud, code = st.columns([8, 1], vertical_alignment="top")
    with aloud:
        tools.say(t("versus.said", one=names[0], other=names[1], found=said))
    with code:
        _code(found, against, lines, row)


def _lines(found: Compared, one: Side, two: Side) -> tuple[Lines, Lines]:
    """Name the rows and the columns by what stands on both sides."""
    rows = spoken_versus.lines(found.rows, one.view.queries, two.view.queries)
    return rows, spoken_versus.lines(found.columns, one.view.keys, two.view.keys)


def _name(capture: Capture, against: Against, side: int) -> str:
    """Name one side by what it is: its head, and its text or its model."""
    t, mark = session.t(), versus_maps.marks()[side]
    of = (against.one, against.other)[side]
    head = versus_grid.name(capture, (against.pair, against.other_pair or against.pair)[side])
    if against.kind == "text":
        text, than = against.one.text, against.other.text
        texts = (text, than) if side == 0 else (than, text)
        return t("versus.side_text", mark=mark, head=head, text=spoken_versus.around(*texts))
    if against.kind == "model":
        known = asked.catalogue().get(of.model)
        return t(
            "versus.side_model", mark=mark, head=head, model=known.title if known else of.model
        )
    return t("versus.side", mark=mark, head=head)


def _notes(found: Compared, against: Against) -> list[str]:
    """Say how the tokens were put together, and what is left out of the rows' distances."""
    t = session.t()
    said = [t("versus.words")] if against.kind == "model" and against.unit == "words" else []
    alone = [sum(pair[side] is None for pair in found.columns) for side in (1, 0)]
    if any(alone):
        left = np.nanmean(found.left_out, axis=0)
        shares = {"share": f"{left[0]:.0%}", "other_share": f"{left[1]:.0%}"}
        said.append(t("versus.left_out", one=alone[0], other=alone[1], **shares))
    return said


def _code(found: Compared, against: Against, lines: tuple[Lines, Lines], row: int | None) -> None:
    """Offer the lines that give these numbers; they cannot open a person's file or picture."""
    if row is None or against.one.given or against.one.picture or against.one.window:
        return
    t, specials = session.t(), session.settings().specials
    one, other = (
        code_versus.Read(each.model, each.text, each.pair, each.target, each.edits)
        for each in (against.one, against.other)
    )
    pairs = against.pair, against.other_pair or against.pair
    tools.lines(
        "versus",
        lambda: code_versus.with_numpy(found, *lines, row, t),
        lambda: code_versus.with_package(
            (one, other), pairs, against.unit, row, t, specials=specials
        ),
    )
