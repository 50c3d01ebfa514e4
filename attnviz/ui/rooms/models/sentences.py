"""Every head on the built-in sentences instead of the text: worked out once for each model."""

from collections.abc import Sequence

import streamlit as st

from attnviz.errors import InputError
from attnviz.figures.code_averages import numpy_averages, package_averages
from attnviz.lessons.drawings import DRAWINGS
from attnviz.models.corpus import Averaged, sentences_for
from attnviz.models.results import Capture
from attnviz.text import Words
from attnviz.text.numbers import decimals
from attnviz.ui import cached_models, controls, refusals, session, tools
from attnviz.ui.rooms.models import asked, folds

TEXTS = ("text", "sentences")
"""What heads can be listed on: the text in hand, or sentences of ours."""


_OF_SENTENCES = {
    "text": "head_table.on.text",
    "sentences": "head_table.on.sentences",
    "working": "head_table.on.working",
    "read": "head_table.on.read",
    "there": "head_table.on.there",
    "note": "head_table.note_sentences",
}
_OF_PICTURES = {
    "text": "head_table.on.picture",
    "sentences": "head_table.on.pictures",
    "working": "head_table.on.working_pictures",
    "read": "head_table.on.read_pictures",
    "there": "head_table.on.there_pictures",
    "note": "head_table.note_pictures",
}


def _word(name: str) -> str:
    return (_OF_PICTURES if asked.eyes() else _OF_SENTENCES)[name]


def offered(capture: Capture) -> bool:
    """Tell whether there is a model that can read them; one for pictures reads ours."""
    return not asked.asked().given


def chosen(capture: Capture) -> bool:
    """Tell whether the link asks for them, and they can be had."""
    return session.settings().experiment == TEXTS[1] and offered(capture)


def switch(capture: Capture) -> None:
    """Draw the choice between the text and the sentences."""
    if offered(capture):
        t = session.t()
        now = TEXTS[chosen(capture)]
        names = {key: t(_word(key)) for key in TEXTS}
        controls.segments("experiment", t("head_table.on.choose"), now, TEXTS, names.__getitem__)


def found() -> tuple[Averaged, ...] | None:
    """Give the means; while they are worked out show how far that is, and a way to stop it."""
    model = asked.model()
    job = cached_models.heads_averaged(model)
    if not job.work.wait(folds._SOON):
        _progress(job)
        return None
    if not job.work.failed:
        return job.work.result()
    reason = job.work.future.exception()
    if not isinstance(reason, InputError):
        raise reason or RuntimeError("a failed job must have a reason")
    st.info(refusals.escape(refusals.sentence(reason)))
    t = session.t()
    st.button(t("head_table.on.again"), on_click=cached_models.heads_averaged.clear, args=(model,))
    return None


@st.fragment(run_every=0.5)
def _progress(job: cached_models.Averaging) -> None:
    if job.work.done:
        st.rerun()
    t = session.t()
    done = round(job.work.share * job.n_texts)
    with st.container(horizontal=True, vertical_alignment="center"):
        said = t(_word("working"), done=done, n=job.n_texts)
        st.progress(job.work.share, text=said)
        st.button(
            t("head_table.on.stop"),
            on_click=job.stop.set,
            key="control.stop_sentences",
            disabled=job.stop.is_set(),
        )


def cell(found: Averaged, measure: str, t: Words, digits: int) -> str:
    """Write a mean with its spread, and over how many sentences where it is not over all."""
    mean, spread = getattr(found.mean, measure), found.spread(measure)
    if mean is None:
        return t("head_table.none")
    text = decimals(mean, digits)
    if spread is not None:
        text = f"{text} ±{decimals(spread, digits)}"
    count = found.count(measure)
    return text if count == found.n_texts else f"{text} ({count})"


def read() -> None:
    """Draw the sentences themselves, in a fold."""
    t, texts = session.t(), sentences_for(asked.model())
    if asked.eyes():
        texts = tuple(t(f"pictures.{name}") for name in DRAWINGS)
    with st.popover(t(_word("read"), n=len(texts)), icon=":material/notes:", type="tertiary"):
        st.markdown(_listed(texts))


def note(found: Sequence[Averaged]) -> None:
    """Say what the means are of, and that edits are not part of them."""
    t = session.t()
    st.caption(t(_word("note"), n=found[0].n_texts))
    if session.settings().edits:
        st.caption(t("head_table.on.untouched"))


def place(found: Sequence[Averaged]) -> str:
    """Say on what the heads were read, as a part of a sentence."""
    return session.t()(_word("there"), n=found[0].n_texts)


def code() -> None:
    """Offer the code of the number that the table is sorted by."""
    t, model = session.t(), asked.model()
    measure = session.settings().sorting.removesuffix("_up") or "previous_share"
    texts = sentences_for(model)
    measure = "sink_share" if measure == "first_share" else measure
    if asked.eyes():
        texts = tuple(DRAWINGS)
    tools.lines(
        "head_table",
        lambda: numpy_averages(model, texts, t, pictures=asked.eyes()),
        lambda: package_averages(model, texts, measure, t, pictures=asked.eyes()),
    )


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"{place}. {refusals.escape(text)}" for place, text in enumerate(texts, 1))
