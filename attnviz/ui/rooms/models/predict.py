"""Predict: what a model would write next, what it writes, and where its heads look meanwhile."""

import streamlit as st

from attnviz.errors import InputError
from attnviz.models.written import MOST_WRITTEN, Written
from attnviz.ui import cached_models, refusals, session
from attnviz.ui.jobs import Job
from attnviz.ui.rooms.models import asked, folds, written_step
from attnviz.ui.rooms.models.written_step import Wanted

FIRST = 12
"""Tokens that are offered to be written at first."""
_SOON = 1.0  # seconds that are waited before progress is shown
_WAYS = ("likeliest", "chance")
_BOX = "control.write"


def panel() -> None:
    """Draw the text with what would come next, and let the model go on."""
    capture = asked.captured()
    if capture is None:
        return
    with folds.fold("predict"):
        if capture.kind != "causal":
            st.info(session.t()("predict_next.none", name=refusals.escape(capture.model)))
            return
        left, right = st.columns([3, 2], gap="medium")
        with left:
            _controls()
            found, wanted = _found()
        if found is not None:
            written_step.draw(capture, found, wanted, left, right, _untouched(wanted))


def _found() -> tuple[Written | None, Wanted]:
    """Give what was written; where that was refused, what would come next stands all the same."""
    n_tokens = amount() or 0
    seed = session.settings().draw if n_tokens else 0
    wanted = asked.model(), asked.text(), n_tokens, seed, asked.asked().edits
    work = cached_models.writing(*wanted)
    found = waited(work, wanted)
    if found is not None or not work.failed or not n_tokens:
        return found, wanted
    nothing = (*wanted[:2], 0, 0, wanted[4])
    return waited(cached_models.writing(*nothing), nothing), nothing


def _untouched(wanted: Wanted) -> Written | None:
    """Give what the model writes without the edits, None where there are none."""
    if not wanted[4]:
        return None
    plain = (*wanted[:4], ())
    return waited(cached_models.writing(*plain), plain)


def amount() -> int | None:
    """Give how many tokens are to be written, None before a person asked for any."""
    chosen = session.settings().amount
    if chosen is None or not float(chosen).is_integer() or not 1 <= chosen <= MOST_WRITTEN:
        return None
    return int(chosen)


def waited(work: Job[Written], wanted: Wanted) -> Written | None:
    """Give what was written; while it is not, show how far it is and how to stop it."""
    if not work.wait(_SOON):
        _progress(work)
        return None
    if not work.failed:
        return work.result()
    reason = work.future.exception()
    if not isinstance(reason, InputError):
        raise reason or RuntimeError("a failed job must have a reason")
    st.error(refusals.escape(refusals.sentence(reason)))
    if reason.code in folds.PASSING:
        st.button(
            session.t()("models.again"),
            on_click=cached_models.forget_writing,
            args=wanted,
            key=f"again.{wanted[2]}",
        )
    return None


@st.fragment(run_every=0.4)
def _progress(work: Job[Written]) -> None:
    t = session.t()
    if work.done:
        st.rerun()
    stage = "working.write" if work.stage == "write" else f"models.stage.{work.stage or 'start'}"
    st.progress(work.share, text=t(stage))
    st.button(t("models.stop"), on_click=asked.stop, args=(work,), key="write.stop")


def _controls() -> None:
    """Draw how many tokens to write, in which way, and the button that begins."""
    t, settings = session.t(), session.settings()
    with st.container(key="writes", horizontal=True, vertical_alignment="center", gap="small"):
        if not session.has(_BOX):
            session.put(_BOX, amount() or FIRST)
        n = st.number_input(
            t("predict_next.amount"),
            1,
            MOST_WRITTEN,
            step=1,
            key=_BOX,
            width=130,
            label_visibility="collapsed",
        )
        st.button(
            t("predict_next.write", n=n),
            icon=":material/edit:",
            type="primary",
            key="write.begin",
            on_click=_begin,
        )
        session.put("control.writes_by", _WAYS[int(settings.draw > 0)])
        st.segmented_control(
            t("predict_next.way"),
            _WAYS,
            format_func=lambda way: t(f"predict_next.{way}"),
            key="control.writes_by",
            label_visibility="collapsed",
            required=True,
            on_change=_take_way,
        )
        if settings.draw:
            st.button(
                t("predict_next.another"),
                icon=":material/casino:",
                key="write.another",
                on_click=_draw_again,
            )
        if amount():
            st.button(
                t("predict_next.clear"),
                icon=":material/undo:",
                type="tertiary",
                key="write.clear",
                on_click=session.change,
                args=("models",),
                kwargs={"amount": None, "generated": 0},
            )


def _begin() -> None:
    session.change("models", amount=session.got(_BOX), generated=0, passage=asked.text())


def _take_way() -> None:
    by_chance = session.got("control.writes_by") == "chance"
    session.change("models", draw=int(by_chance), generated=0)


def _draw_again() -> None:
    session.change("models", draw=session.settings().draw % 9_999 + 1, generated=0)
