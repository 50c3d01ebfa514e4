"""What the edits in force changed: in heads, in vectors, and in what comes next."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from attnviz.components.head_grid import head_grid
from attnviz.figures.code_edits import numpy_edit, package_edit
from attnviz.figures.edits import change_bars, change_bars_alt, spread_map, spread_map_alt
from attnviz.figures.spoken_edits import edits_said, share, spread_said
from attnviz.models.editing.changes import Changes
from attnviz.models.editing.edits import EVERY_HEAD, Edit
from attnviz.models.results import Capture, Token
from attnviz.models.tokens import visible
from attnviz.text import Words
from attnviz.text.numbers import decimals
from attnviz.ui import cached_models, refusals, session, tools
from attnviz.ui.cached_models import Asked
from attnviz.ui.plots import plot
from attnviz.ui.rooms.models import asked, grids, named_edits

_TILE = 9
"""Dots along the side of a head's square: room for the sign of what was done to it."""
_MOST_TOKENS = 64


def draw(found: Changes, of: Asked) -> None:
    """Draw the answer in a sentence, then heads, predictions and vectors."""
    plain, edited = (
        cached_models.capture_job(of.untouched).result(),
        cached_models.capture_job(of).result(),
    )
    names = [named_edits.name(each, edited) for each in edited.edits]
    said = edits_said(
        found, edited, names, lambda pair: named_edits.head_name(edited, *pair), session.t()
    )
    st.markdown(f"**{refusals.escape(said)}**")
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _grid(found, edited)
    with right:
        if found.foreseen:
            _foreseen(found)
        _bars(found, edited)
    _spread(found, edited)
    tools.say(spread_said(found, names, session.t()))
    (layer, head), t = asked.heads(edited)[0], session.t()
    row = min(asked.look(edited_labels(edited, layer)) or 0, edited.layers[layer].n_query - 1)
    runs = plain, edited
    tools.lines(
        "edit",
        lambda: numpy_edit(*runs, layer, head, row, t),
        lambda: package_edit(of.model, edited, layer, head, t),
    )


def edited_labels(capture: Capture, layer: int) -> tuple[str, ...]:
    """Name the tokens that ask in a layer."""
    return tuple(token.label for token in capture.query_tokens(layer))


def _grid(found: Changes, edited: Capture) -> None:
    t = session.t()
    head_grid(
        [
            tiles(heads, found.largest, edited.edits, place)
            for place, heads in enumerate(found.weights)
        ],
        [(_TILE, _TILE)] * edited.n_layers,
        [grids.layer_name(edited, layer) for layer in range(edited.n_layers)],
        [layer.n_heads for layer in edited.layers],
        key="edit_grid",
        label=t("edit.grid_label"),
        title=t("edit.grid_title", most=share(found.largest))
        if found.largest
        else t("edit.grid_still"),
        hint=t("edit.grid_hint"),
        notes=[
            _note(edited, layer, head, float(moved))
            for layer, heads in enumerate(found.weights)
            for head, moved in enumerate(heads)
        ],
        chosen=asked.heads(edited),
        theme=session.theme(),
        on_head=grids.open_head,
        largest=grids.LARGEST,
        tallest=grids.TALLEST,
        size=session.size(),
    )


def tiles(moved: np.ndarray, largest: float, edits: Sequence[Edit], layer: int) -> bytes:
    """Draw each head of a layer as a square of one shade, with the sign of what was done to it."""
    shades = np.rint(np.sqrt(moved / largest if largest else moved) * 255).astype(np.uint8)
    drawn = np.repeat(shades, _TILE * _TILE).reshape(-1, _TILE, _TILE)
    for each in edits:
        if each.layer != layer or each.kind == "mask" or each.head is None:
            continue
        sign = _SIGNS[each.kind]
        for head in range(len(drawn)) if each.head < 0 else (each.head,):
            drawn[head][sign] = 0 if shades[head] > 127 else 255
    return drawn.tobytes()


def _signs() -> dict[str, np.ndarray]:
    cross = np.eye(_TILE, dtype=bool) | np.eye(_TILE, dtype=bool)[::-1]
    even, cut = np.zeros((2, _TILE, _TILE), dtype=bool)
    even[[3, 5], 1:-1] = True
    cut[3:6, 3:6] = True
    return {"off": cross, "even": even, "cut": cut}


_SIGNS = _signs()


def _note(edited: Capture, layer: int, head: int, moved: float) -> str:
    done = [
        session.t()(f"edit.done.{each.kind}")
        for each in edited.edits
        if each.layer == layer and each.head in (head, EVERY_HEAD)
    ]
    note = session.t()(
        "edit.note", head=named_edits.head_name(edited, layer, head), moved=share(moved)
    )
    return " ".join([note, *done])


def _foreseen(found: Changes) -> None:
    """Write what may come next before and after as a table."""
    t = session.t()
    st.caption(t("edit.next_title", moved=share(found.moved or 0.0)))
    st.markdown(foreseen_table(found, t, max(3, session.settings().digits)))


def foreseen_table(found: Changes, t: Words, digits: int) -> str:
    """Write the table of the likeliest tokens of both runs."""
    names = [t(f"edit.next.{name}") for name in ("token", "before", "after", "change", "rank")]
    lines = [f"| {' | '.join(names)} |", "|:--|--:|--:|--:|--:|"]
    for each in found.foreseen:
        cells = [
            refusals.escape(visible(each.text)),
            decimals(each.before, digits),
            decimals(each.after, digits),
            _signed(each.difference, digits),
            t("edit.next.ranks", before=each.rank_before, after=each.rank_after),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _signed(value: float, digits: int) -> str:
    """Write a difference with its sign, 0 where it is too small for the digits."""
    text = decimals(value, digits)
    return f"+{text}" if value > 0 and float(text) > 0 else text


def _bars(found: Changes, edited: Capture) -> None:
    if found.final is None:
        return
    t, labels = session.t(), [token.label for token in last_tokens(edited)]
    st.caption(t("edit.bars_title"))
    plot(
        change_bars(found.final, labels, t, session.theme()),
        change_bars_alt(found.final, labels, t),
        "edit.bars",
    )


def last_tokens(capture: Capture) -> tuple[Token, ...]:
    """Give the tokens that the last vectors stand for."""
    return capture.target_tokens or capture.tokens


def _spread(found: Changes, edited: Capture) -> None:
    """Draw how the change goes from layer to layer."""
    if found.vectors is None or found.vectors.shape[1] > _MOST_TOKENS:
        return
    t, labels = session.t(), [token.label for token in last_tokens(edited)]
    st.caption(t("edit.spread_title"))
    plot(
        spread_map(found.vectors, labels, t, session.theme(), notation=session.notation()),
        spread_map_alt(found.vectors, labels, t, notation=session.notation()),
        "edit.spread",
    )
