"""Ablate and edit: switch heads off or make them even, cut an edge, mask a token, run once more."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from attnviz.errors import InputError
from attnviz.models.editing.edits import EVERY_HEAD, Edit, check, edits_of
from attnviz.models.results import Capture
from attnviz.models.views import View, numbered
from attnviz.settings import Settings
from attnviz.settings.links import MAX_EDITS
from attnviz.ui import cached_models, refusals, session
from attnviz.ui.cached_models import Asked
from attnviz.ui.rooms.models import (
    asked,
    changed,
    each_off,
    folds,
    mending,
    named_edits,
    one_head,
)

Written = tuple[str | int, ...]

_PEEK = asked.UNTOUCHED
_NO_EXAMPLE = "edit.no_example"
"""The flag of a person who changed something, or wants nothing to be changed."""


@dataclass(frozen=True)
class _Pair:
    """Who asks and who is asked, as places of the model's tokens."""

    query: int
    key: int


def panel() -> None:
    """Draw what can be changed, what is, and what came of it."""
    box = folds.fold("edit")
    with box:
        capture = asked.captured()
        if capture is not None and capture.tier in ("hooked", "values", "weights"):
            st.info(session.t()("edit.weights_only"))
            return
        if capture is not None and capture.tier == "given":
            st.info(session.t()("edit.given"))
            return
        if capture is not None and not session.alone():
            _choose(capture)
        refusals.show("edit")
        _chips(capture)
        if not session.settings().edits:
            if capture is None or session.flag(_NO_EXAMPLE) or each_off.shown():
                st.caption(session.t()("edit.explained"))
            if capture is not None:
                each_off.draw(capture)
                _example(capture)
        elif capture is not None:
            found = folds.waited(
                cached_models.changes(with_edits()),
                again=partial(cached_models.changes.clear, with_edits()),
            )
            if found is not None:
                changed.draw(found, with_edits())
        if capture is not None and session.alone():
            _choose(capture)


def _example(capture: Capture) -> None:
    """Answer the question with the head in hand switched off, until a person changes something."""
    if session.flag(_NO_EXAMPLE) or each_off.shown():
        return
    t, pair = session.t(), asked.heads(capture)[0]
    of = replace(with_edits(), edits=(("off", *pair),))
    with st.container(key="example", horizontal=True, vertical_alignment="center", gap="small"):
        told = t("edit.example", names=named_edits.head_name(capture, *pair))
        st.caption(f":material/lightbulb: {refusals.escape(told)}", width="content")
        st.button(
            t("edit.example_drop"),
            type="tertiary",
            key="edit.example_drop",
            on_click=session.set_flag,
            args=(_NO_EXAMPLE, True),
        )
    found = folds.waited(cached_models.changes(of), again=partial(cached_models.changes.clear, of))
    if found is not None:
        changed.draw(found, of)


def with_edits() -> Asked:
    """Give what is asked of the model with the edits in force, also while others are looked at."""
    return replace(asked.asked(), edits=session.settings().edits)


def note(capture: Capture) -> None:
    """Say what a reader of the heads in hand must know: they are off, or made even."""
    if session.settings().panel == "edit":
        return
    for layer, head in asked.heads(capture):
        for kind in ("off", "even"):
            if Edit(kind=kind, layer=layer, head=head) in capture.edits:
                name = named_edits.head_name(capture, layer, head)
                st.caption(session.t()(f"edit.{kind}_here", head=name))


def banner() -> None:
    """Say above every question that edits are in force, with the way to the untouched run."""
    edits = session.settings().edits
    if not edits or asked.asked().given:
        return
    t, peeking = session.t(), session.flag(_PEEK)
    with st.container(key="edits", horizontal=True, vertical_alignment="center", gap="small"):
        st.badge(
            t("edit.peeking" if peeking else "edit.in_force", n=len(edits)),
            icon=":material/visibility:" if peeking else ":material/content_cut:",
            color="gray" if peeking else "orange",
            help=refusals.escape(
                ", ".join(named_edits.name(Edit.of(edit), None) for edit in edits)
            ),
        )
        st.button(
            t("edit.show_edited" if peeking else "edit.show_untouched"),
            key="edits.peek",
            type="tertiary",
            on_click=session.set_flag,
            args=(_PEEK, not peeking),
        )
        if session.settings().panel != "edit":
            st.button(
                t("edit.to_panel"),
                key="edits.panel",
                type="tertiary",
                on_click=lambda: session.change("edit", panel="edit", passage=asked.text()),
            )


def _choose(capture: Capture) -> None:
    """Draw the buttons of the heads in hand, and those of the pair in hand."""
    t, heads, edits = session.t(), asked.heads(capture), session.settings().edits
    names = ", ".join(named_edits.head_name(capture, *pair) for pair in heads)
    with st.container(key="editing", horizontal=True, vertical_alignment="bottom", gap="small"):
        for kind, icon in (
            ("off", ":material/power_settings_new:"),
            ("even", ":material/drag_handle:"),
        ):
            wanted: list[Written] = [(kind, *pair) for pair in heads]
            there = set(wanted) <= set(edits)
            st.button(
                t(f"edit.{kind}_back" if there else f"edit.{kind}", heads=names),
                icon=icon,
                key=f"edit.{kind}",
                help=t(f"edit.{kind}_help"),
                on_click=_turn,
                args=(wanted, there),
            )
        _choose_pair(capture)


def _choose_pair(capture: Capture) -> None:
    """Draw who asks and who is asked, and what can be done to them."""
    t, (layer, head) = session.t(), asked.heads(capture)[0]
    try:
        view = one_head.first(capture)
    except InputError:
        return
    if session.settings().unit != "pieces" or view.row_edges is not None:
        st.button(t("why.to_pieces"), key="edit.pieces", on_click=_to_pieces)
        return
    pair = _pair(capture, view)
    sides = (
        ("why.asks", "query", view.queries, view.query_numbers),
        ("why.asked", "key", view.keys, view.key_numbers),
    )
    for label, side, tokens, numbers in session.notation().pair(*sides):
        st.selectbox(
            t(label),
            range(len(tokens)),
            format_func=numbered(numbers, tokens).__getitem__,
            key=f"control.edit_{side}",
            on_change=_take,
            args=(side, view),
            width=130,
        )
    every = st.checkbox(t("edit.every"), key="edit.every")
    edge: Written = ("cut", layer, EVERY_HEAD if every else head, pair.query, pair.key)
    st.button(
        t("edit.cut"),
        icon=":material/content_cut:",
        key="edit.cut",
        help=t("edit.cut_help"),
        on_click=_turn,
        args=([edge], False),
    )
    if capture.layers[layer].kind != "decoder":
        st.button(
            t("edit.mask", token=named_edits.token(capture.tokens, pair.key)),
            icon=":material/visibility_off:",
            key="edit.mask",
            help=t("edit.mask_help" if not capture.target_tokens else "edit.mask_help_stacks"),
            on_click=_turn,
            args=([("mask", pair.key)], False),
        )


def _to_pieces() -> None:
    query = Settings().query
    session.change("models", unit="pieces", query=query, key=None, passage=asked.text())


def _pair(capture: Capture, view: View) -> _Pair:
    """Give the pair in hand; where no key is held, the one with the largest weight."""
    row = asked.row(capture, view)
    column = session.settings().key
    if column is None or column >= len(view.keys):
        column = int(view.weights[row].argmax())
    session.put("control.edit_query", row)
    session.put("control.edit_key", column)
    return _Pair(view.query_places[row], view.key_places[column])


def _take(side: str, view: View) -> None:
    """Look at another pair; another token that asks is shown with its own largest weight."""
    query, key = session.got("control.edit_query"), session.got("control.edit_key")
    if side == "query":
        key = int(view.weights[query].argmax())
    session.change("models", query=query, key=key, passage=asked.text())


def _turn(wanted: Sequence[Written], there: bool) -> None:
    """Make changes, or undo them where they are there."""
    now = session.settings().edits
    kept = tuple(edit for edit in now if edit not in wanted)
    after = edits_of(kept if there else (*kept, *wanted))
    _put(tuple(edit.written for edit in after))


def _put(edits: tuple[Written, ...]) -> None:
    """Put these edits in force; they are refused where the model cannot do them."""

    def changes() -> dict[str, object]:
        if len(edits) > MAX_EDITS:
            raise InputError("edits.too_many", most=MAX_EDITS)
        capture = asked.captured()
        known = capture or mending.untouched()
        if set(edits) - set(session.settings().edits):
            session.set_flag(mending.UNCHECKED, known is None)
            if known is not None:
                check(edits_of(edits), known.layers)
        shown = tuple(asked.heads(capture)) if capture else session.settings().heads_shown
        return {"edits": edits, "heads_shown": shown, "passage": asked.text()}

    session.set_flag(_PEEK, False)
    session.set_flag(_NO_EXAMPLE, True)
    session.attempt("edit", changes)


def _chips(capture: Capture | None) -> None:
    """Draw every edit in force; a click takes it back."""
    t, edits = session.t(), session.settings().edits
    if not edits:
        return
    with st.container(key="chips", horizontal=True, vertical_alignment="center", gap="small"):
        for edit in edits:
            st.button(
                refusals.escape(named_edits.name(Edit.of(edit), capture)),
                icon=":material/close:",
                key="edit.chip." + ".".join(map(str, edit)),
                help=t("edit.take_back"),
                on_click=_turn,
                args=([edit], True),
            )
        st.button(
            t("edit.undo"),
            icon=":material/undo:",
            type="tertiary",
            key="edit.undo",
            on_click=_put,
            args=(edits[:-1],),
        )
        if len(edits) > 1:
            st.button(
                t("edit.undo_all"), type="tertiary", key="edit.undo_all", on_click=_put, args=((),)
            )
