"""Every layer and head of a model as one picture; a click opens a head."""

from collections.abc import Sequence

import streamlit as st

from attnviz.components.head_grid import Chosen, head_grid
from attnviz.models.catalogue import HeadNote
from attnviz.models.results import Capture
from attnviz.text.numbers import number
from attnviz.ui import cached_models, session, tools
from attnviz.ui.rooms.models import asked, coded, holding, one_head

_TALLEST, _TALLEST_ALONE = 340, 440
"""Pixels that all heads may be high, so that they are seen at once."""


def panel() -> None:
    """Draw all heads, and beside them the one in hand."""
    capture = asked.captured()
    if capture is None:
        return
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _grid(capture)
        if not session.alone():
            coded.of_heads(capture)
    with right:
        one_head.draw_lines(capture)


def _grid(capture: Capture) -> None:
    t, shown, known = session.t(), asked.heads(capture), asked.examples()
    maps = cached_models.thumbnails(asked.asked())
    head_grid(
        [each.shades for each in maps],
        [each.shape for each in maps],
        [_name(capture, layer) for layer in range(capture.n_layers)],
        [layer.n_heads for layer in capture.layers],
        key="head_grid",
        label=t("models.grid_label", n_layers=capture.n_layers, n_heads=capture.most_heads),
        title=t("models.grid_title"),
        hint=t("models.grid_hint"),
        notes=[
            note
            for layer, each in enumerate(maps)
            for note in _notes(capture, layer, each.largest, known)
        ],
        chosen=shown,
        theme=session.theme(),
        on_head=_open,
        turned=session.notation().columns,
        largest=44,
        tallest=_TALLEST_ALONE if session.alone() else _TALLEST,
        size=session.size(),
    )
    if session.alone():
        tools.say(t("models.grid_label", n_layers=capture.n_layers, n_heads=capture.most_heads))


def _name(capture: Capture, layer: int) -> str:
    """Name a layer by its number, in a model of two stacks with its place in its own after it."""
    found = capture.layers[layer]
    if found.kind not in ("encoder", "decoder", "cross"):
        return str(found.number)
    return f"{layer}: {session.t()(f'models.short.{found.kind}', number=found.number)}"


def _open(chosen: Chosen) -> None:
    held = holding.changes(chosen.kept)
    asked.open_head(chosen.layer, chosen.head, more=chosen.more, held=held)


def _notes(
    capture: Capture, layer: int, largest: Sequence[float], known: Sequence[HeadNote]
) -> list[str]:
    """Say of each head of a layer where it stands, its largest weight, and what it is known for."""
    t = session.t()
    place = {"kind": t(f"models.kind.{capture.layers[layer].kind}"), "layer": layer}
    notes = [
        t("models.head_note", **place, head=head, largest=number(most, 2))
        for head, most in enumerate(largest)
    ]
    for note in reversed(known):
        if note.layer == layer and note.head < len(notes):
            head = note.head
            most = number(largest[head], 2)
            said = t("models.known_for", pattern=t(f"pattern.{note.pattern}.title"))
            notes[head] = f"{t('models.head_note', **place, head=head, largest=most)} {said}"
    return notes
