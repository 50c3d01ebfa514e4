"""The head of the page Models: which model, what it reads, and how far it is."""

import streamlit as st

from attnviz.errors import InputError
from attnviz.models.results import Capture
from attnviz.settings import OVERFLOWS
from attnviz.ui import bar, controls, refusals, session
from attnviz.ui.jobs import Job
from attnviz.ui.rooms.models import (
    asked,
    cards,
    edit,
    holding,
    mending,
    one_head,
    opening,
    picture_choice,
    saving,
    unread,
)

_OWN = "own"
_PAIR_FLAG = "models.pair"
_SOON = 0.6  # seconds that are waited before progress is shown


def draw() -> None:
    """Draw the choice of model and text, then what is known of the capture."""
    t = session.t()
    if not asked.kind():
        asked.job().wait(_SOON)  # a model of no list tells by its capture what it reads
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small"):
        _models()
        _examples()
        bar.shell(saving.draw)
    if opening.given():
        st.caption(t("models.given_shown"))
        with st.container(key="texts", horizontal=True, vertical_alignment="center", gap="small"):
            opening.draw()
            cards.choose()
    elif asked.eyes():
        picture_choice.draw(_end)
    else:
        _texts()
    wait()


def _models() -> None:
    known = asked.catalogue()
    controls.select(
        "model",
        asked.offered() or [asked.model()],
        lambda key: known[key].title if key in known else key,
        value=asked.model(),
        take=_take_model,
    )


def _end() -> None:
    """Draw the end of the line of the text: questions with an answer, and whose weights."""
    cards.choose()
    _chip()


def _chip() -> None:
    """Say that the weights were trained elsewhere, and by which right they are here."""
    t, found = session.t(), asked.entry()
    if found is not None:
        st.badge(
            t("models.pretrained"),
            icon=":material/neurology:",
            color="violet",
            help=t("models.chip_help", licence=found.licence, source=found.source),
        )


def _take_model(key: str) -> None:
    """Another model reads the same text of one's own; an example gives way to its own examples."""
    kept = asked.eyes() or asked.example() is None
    own = session.settings().passage if kept else ""
    fresh = {"heads_shown": (), "query": 1, "key": None, "window": 0, "edits": ()}
    session.change("model", model=key, passage=own, **fresh)


def _examples() -> None:
    notes = {note.pattern: note for note in asked.examples()}
    if not notes:
        return
    t, note = session.t(), asked.example()
    own = "pictures.own_pattern" if asked.eyes() else "models.own_text"
    controls.select(
        "pattern",
        (*([] if note else [_OWN]), *notes),
        lambda key: t(own) if key == _OWN else t(f"pattern.{key}.title"),
        value=note.pattern if note else _OWN,
        take=lambda key: key == _OWN or asked.show(notes[key]),
    )


def _texts() -> None:
    """Draw the text, and a second one where two are read."""
    t, settings = session.t(), session.settings()
    writes = asked.kind() == "encoder_decoder"
    two = not writes and (bool(settings.passage_pair) or session.flag(_PAIR_FLAG))
    with st.container(key="texts", horizontal=True, vertical_alignment="bottom", gap="small"):
        session.put("control.passage", session.draft("passage", asked.text()))
        st.text_area(
            t("models.text"),
            key="control.passage",
            height=68,
            label_visibility="visible" if two or writes else "collapsed",
            on_change=_read,
        )
        if two:
            session.put("control.passage_pair", settings.passage_pair)
            st.text_area(t("models.pair"), key="control.passage_pair", height=68, on_change=_read)
        if writes:
            session.put("control.passage_target", settings.passage_target)
            st.text_area(
                t("models.target"), key="control.passage_target", height=68, on_change=_write
            )
        st.button(t("models.read"), type="primary", key="models.read")
        if not writes:
            st.button(
                t("models.one_text" if two else "models.two_texts"),
                icon=":material/remove:" if two else ":material/add:",
                on_click=_one_or_two,
                args=(two,),
            )
        opening.draw()
        _end()
    refusals.show("passage")


def _read() -> None:
    pair = session.got("control.passage_pair") if session.has("control.passage_pair") else None
    asked.read(session.got("control.passage"), pair)


def _write() -> None:
    target = session.got("control.passage_target").strip()
    edits = asked.edits_of_heads("mask")  # what is masked is of the text, not of what is written
    session.change("passage", passage_target=target, passage=asked.text(), edits=edits)


def _one_or_two(two: bool) -> None:
    session.set_flag(_PAIR_FLAG, not two)
    if two:
        edits = session.settings().edits
        if session.settings().passage_pair:
            edits = asked.edits_of_heads()
        session.change("passage", passage_pair="", part="all", edits=edits)


def wait() -> None:
    """Show progress while the model works, or why there is nothing to see."""
    mending.settle()
    edit.banner()
    asked.job().wait(_SOON)
    work = mending.job()
    if not work.wait(_SOON):
        _progress(work)
        return
    mending.mend()
    if work.failed:
        t, reason = session.t(), work.future.exception()
        if not isinstance(reason, InputError):
            raise reason or RuntimeError("a failed job must have a reason")
        st.error(refusals.escape(refusals.sentence(reason)))
        st.button(t("models.again"), on_click=asked.again)
    else:
        _notes()
        cards.draw()
        holding.listen()


@st.fragment(run_every=0.4)
def _progress(work: Job[Capture]) -> None:
    t = session.t()
    if work.done:
        st.rerun()
    st.progress(work.share, text=t(f"models.stage.{work.stage or 'start'}"))
    st.button(t("models.stop"), on_click=asked.stop, args=(work,), key="models.stop")


def _notes() -> None:
    """Say what a reader must know before the pictures: cut text, unknown tokens, another tier."""
    t, capture = session.t(), asked.captured()
    if capture is None:
        return
    edit.note(capture)
    note = asked.example()
    if note is not None:
        st.caption(t(f"pattern.{note.pattern}.claim"))
    if capture.stretch is not None:
        _stretch(*capture.stretch, most=len(capture.tokens))
    unread.draw(capture)
    if capture.tier in ("weights", "values"):
        st.info(t(f"models.{capture.tier}_only"))


def _cut(_field: str, overflow: str) -> None:
    """Read a long text in another way; from another part of it than the first, other tokens."""
    edits = asked.edits_of_heads() if session.settings().window else session.settings().edits
    session.change("overflow", overflow=overflow, passage=asked.text(), edits=edits)


def _stretch(first: int, last: int, n_tokens: int, *, most: int) -> None:
    """Say which part of a long text is read, and offer the others."""
    t, settings = session.t(), session.settings()
    st.info(t("models.cut", first=first, last=last, n_tokens=n_tokens, most=most))
    with st.container(key="stretch", horizontal=True, vertical_alignment="center", gap="small"):
        one_head.choice("overflow", OVERFLOWS, take=_cut)
        if settings.overflow == "windows":
            for step, name, there in ((-1, "before", first > 1), (1, "after", last < n_tokens)):
                st.button(
                    t(f"models.window_{name}"),
                    key=f"window_{name}",
                    disabled=not there,
                    on_click=session.change,
                    args=("window",),
                    kwargs={
                        "window": max(0, settings.window + step),
                        "passage": asked.text(),
                        "edits": asked.edits_of_heads(),
                    },
                )
