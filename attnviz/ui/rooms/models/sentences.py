"""Every head on the built-in sentences instead of the text: worked out once for each model."""

from collections.abc import Sequence

import streamlit as st

from attnviz.errors import InputError
from attnviz.figures.code_averages import numpy_averages, package_averages
from attnviz.models.corpus import Averaged, sentences_for
from attnviz.models.results import Capture
from attnviz.text import Words
from attnviz.text.numbers import decimals
from attnviz.ui import cached, controls, refusals, session, tools
from attnviz.ui.rooms.models import asked, folds

TEXTS = ("text", "sentences")
"""What heads can be listed on: the text in hand, or sentences of ours."""


def offered(capture: Capture) -> bool:
    """Tell whether there is a model that can read them."""
    return not asked.asked().given and capture.grid is None


def chosen(capture: Capture) -> bool:
    """Tell whether the link asks for them, and they can be had."""
    return session.settings().experiment == TEXTS[1] and offered(capture)


def switch(capture: Capture) -> None:
    """Draw the choice between the text and the sentences."""
    if offered(capture):
        t = session.t()
        now = TEXTS[chosen(capture)]
        name = lambda key: t(f"head_table.on.{key}")  # noqa: E731
        controls.segments("experiment", t("head_table.on.choose"), now, TEXTS, name)


def found() -> tuple[Averaged, ...] | None:
    """Give the means; while they are worked out show how far that is, and a way to stop it."""
    model = asked.model()
    job = cached.heads_averaged(model)
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
    st.button(t("head_table.on.again"), on_click=cached.heads_averaged.clear, args=(model,))
    return None


@st.fragment(run_every=0.5)
def _progress(job: cached.Averaging) -> None:
    if job.work.done:
        st.rerun()
    t = session.t()
    done = round(job.work.share * job.n_texts)
    with st.container(horizontal=True, vertical_alignment="center"):
        said = t("head_table.on.working", done=done, n=job.n_texts)
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
    with st.popover(
        t("head_table.on.read", n=len(texts)), icon=":material/notes:", type="tertiary"
    ):
        st.markdown(_listed(texts))


def code() -> None:
    """Offer the code of the number that the table is sorted by."""
    t, model = session.t(), asked.model()
    measure = session.settings().sorting.removesuffix("_up") or "previous_share"
    texts = sentences_for(model)
    measure = "sink_share" if measure == "first_share" else measure
    tools.lines(
        "head_table",
        lambda: numpy_averages(model, texts, t),
        lambda: package_averages(model, texts, measure, t),
    )


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"{place}. {refusals.escape(text)}" for place, text in enumerate(texts, 1))
