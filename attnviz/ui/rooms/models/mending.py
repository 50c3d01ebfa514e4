"""What a link asks of a model that the model does not have or cannot do: left out, and said."""

import streamlit as st

from attnviz.errors import InputError
from attnviz.models.cards import cards
from attnviz.models.editing.edits import edits_of, possible
from attnviz.models.read_otherwise import READINGS
from attnviz.models.results import Capture
from attnviz.ui import cached_models, session
from attnviz.ui.jobs import Job
from attnviz.ui.rooms.models import asked

UNCHECKED = "edit.unchecked"
"""The flag of edits that were put in force while nothing was there to check them by."""

_ABOUT_EDITS = ("edits.", "models.no_layer", "models.no_head", "models.no_ablation")
_READINGS = (*READINGS, "flow_all")


def untouched() -> Capture | None:
    """Give the run without edits if it is there."""
    work = _untouched()
    return work.result() if work.done and not work.failed else None


def _untouched() -> Job[Capture]:
    return cached_models.capture_job(asked.asked().untouched)


def settle() -> None:
    """Let only one of two edits of one head stand, as the model does."""
    now = session.settings().edits
    kept = tuple(edit.written for edit in edits_of(now))
    if kept != now:
        session.change("edit", edits=kept)


def job() -> Job[Capture]:
    """Give the capture that is asked for; where its edits are refused, the one without them."""
    work = asked.job()
    return _untouched() if _refused(work) is not None else work


def _refused(work: Job[Capture]) -> InputError | None:
    """Give why the edits in force cannot be, if they cannot."""
    reason = work.future.exception() if work.failed else None
    if not isinstance(reason, InputError) or not asked.asked().edits:
        return None
    return reason if reason.code.startswith(_ABOUT_EDITS) else None


def mend() -> None:
    """Leave out what cannot be, and begin anew: nothing refused stays in the settings."""
    reason, plain = _refused(asked.job()), untouched()
    if reason is not None and plain is not None:
        _take_back(reason, plain)
        st.rerun()
    capture = asked.captured()
    wrong = _wrong(capture) if capture is not None else {}
    if wrong:
        keys = tuple(_KEYS[name] for name in wrong)
        session.mend(session.Damage(keys), **wrong)
        st.rerun()


_KEYS = {"heads_shown": "lh", "reading": "reading", "card": "card"}


def _take_back(reason: InputError, plain: Capture) -> None:
    now = session.settings().edits
    kept = tuple(edit.written for edit in possible(edits_of(now), plain.layers))
    kept = () if kept == now else kept
    if session.flag(UNCHECKED):
        session.change("edit", edits=kept)
        session.refuse("edit", reason)
    else:
        session.mend(session.Damage(("edit",), reason), edits=kept)


def _wrong(capture: Capture) -> dict[str, object]:
    """List the settings that name nothing, with what they are instead."""
    settings, found = session.settings(), {}
    there = tuple(pair for pair in settings.heads_shown if asked.there(capture, pair))
    if there != settings.heads_shown and capture.tier != "given":
        found["heads_shown"] = there
    if settings.reading and settings.reading not in _READINGS:
        found["reading"] = ""
    if settings.card and settings.card not in cards():
        found["card"] = ""
    return found
