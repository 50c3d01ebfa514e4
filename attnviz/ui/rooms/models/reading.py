"""The same attention under several readings, and what each may and may not claim."""

from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import streamlit as st

from attnviz.components.heat_canvas import HeatMap, HeatWords, Mode, heat_canvas
from attnviz.models.read_otherwise import READINGS, Reading, readings
from attnviz.models.results import Capture
from attnviz.models.views import View, packed
from attnviz.text.numbers import number
from attnviz.ui import cached_models, controls, refusals, session, tools
from attnviz.ui.rooms.models import asked, coded, folds, in_hand, one_head, why

ALL_ROWS = "flow_all"
"""The flow of every row, which takes long; that of one row is there at once."""
_OWN = 1  # in `amount`: the reading's own numbers
_SLOTS = {name: f"{{{name}}}" for name in ("query", "key", "i", "j", "value")}


def panel() -> None:
    """Draw the choice of a reading, what it may claim, and its map."""
    capture = asked.captured()
    if capture is None:
        return
    box = folds.fold("readings")
    if box is not None:
        with box:
            _draw(capture)


def offered(capture: Capture, layer: int) -> tuple[str, ...]:
    """List the readings that can be chosen, the flow of all rows last."""
    there = readings(capture, layer)
    return (*there, *([ALL_ROWS] if "flow" in there else []))


def _draw(capture: Capture) -> None:
    t, settings = session.t(), session.settings()
    layer, head = asked.heads(capture)[0]
    if not why.of_pieces("readings"):
        return
    shown = one_head.shown(capture)
    if shown is None:
        return
    view = shown[0][1]
    if view.row_edges is not None:
        st.info(t("readings.blocks"))
        return
    there = offered(capture, layer)
    kind = settings.reading if settings.reading in there else READINGS[0]
    with st.container(key="readings", horizontal=True, vertical_alignment="center", gap="small"):
        controls.segments(
            "reading", t("readings.choose"), kind, there, lambda key: t(f"readings.{key}")
        )
        _choose_scale()
    left, right = (
        (st.container(), st.container()) if session.alone() else st.columns([3, 2], gap="medium")
    )
    right.caption(t(f"readings.claim.{kind}"))
    row = view.query_places[_row(capture, view)] if kind == "flow" else None
    kind_asked = "flow" if kind == ALL_ROWS else kind
    wanted = asked.asked(), layer, head, kind_asked, row
    found = folds.waited(
        cached_models.reading(*wanted), again=partial(cached_models.reading.clear, *wanted)
    )
    if found is None:
        return
    own = _own_numbers()
    with left:
        _map(capture, (layer, head), view, kind, found if own else found.as_shares())
    with right:
        st.caption(_scale(kind, found) if own else t("readings.shares"))
        _say(capture, (layer, head), view, kind, found if own else found.as_shares())
        coded.of_reading(capture, kind_asked, row, shares=not own)


def _own_numbers() -> bool:
    """Tell whether a reading is shown in its own numbers, and not on the scale of them all."""
    return session.settings().amount == _OWN


def _choose_scale() -> None:
    t = session.t()
    session.put("control.reading_scale", "own" if _own_numbers() else "shares")
    st.segmented_control(
        t("readings.scale.choose"),
        ("shares", "own"),
        format_func=lambda key: t(f"readings.scale.{key}"),
        key="control.reading_scale",
        label_visibility="collapsed",
        required=True,
        on_change=_take_scale,
    )


def _take_scale() -> None:
    own = session.got("control.reading_scale") == "own"
    session.change("models", amount=_OWN if own else None)


def _scale(kind: str, found: Reading) -> str:
    """Say where the colours end, and what a number there would be."""
    t, limit = session.t(), number(found.limit, session.settings().digits)
    if kind in ("value", "norm", "layer"):
        return t(f"readings.ends.{kind}", limit=limit)
    return t("readings.ends.one", limit=limit)


def _row(capture: Capture, view: View) -> int:
    return asked.row(capture, view)


def _map(capture: Capture, pair: tuple[int, int], view: View, kind: str, found: Reading) -> None:
    t, settings = session.t(), session.settings()
    numbers, ranges = found.at(view.query_places, view.key_places)
    tops, cells = packed(numbers)
    name = _name(capture, pair, kind)
    heat_canvas(
        HeatMap(
            label=t("readings.map_label", reading=t(f"readings.{kind}"), name=name),
            queries=view.queries,
            keys=view.keys,
            query_numbers=view.query_numbers,
            key_numbers=view.key_numbers,
            tops=tops,
            cells=cells,
            ranges=ranges.tobytes(),
            limit=float(f"{found.limit:.3g}"),
        ),
        key="readings_map",
        group=one_head.GROUP,
        words=_words(),
        theme=session.theme(),
        mode=cast(Mode, settings.colours),
        query=asked.look(view.queries),
        key_place=settings.key,
        held=settings.held,
        text=one_head.name_of(view),
        digits=settings.digits,
        turned=session.notation().columns,
        size=session.size(),
    )


def _say(capture: Capture, pair: tuple[int, int], view: View, kind: str, found: Reading) -> None:
    """Say what the row in hand is mixed of, and read it aloud."""
    t, settings, row = session.t(), session.settings(), _row(capture, view)
    numbers, _ = found.at(view.query_places, view.key_places)
    if found.mixed is not None:
        share = number(float(found.mixed[view.query_places[row]]), settings.digits)
        st.markdown(t("readings.mixed", query=refusals.escape(view.queries[row]), share=share))
    best = int(np.argmax(numbers[row]))
    tools.say(
        t(
            "readings.said_own" if _own_numbers() else "readings.said",
            name=_name(capture, pair, kind),
            reading=t(f"readings.{kind}"),
            query=view.queries[row],
            i=view.query_numbers[row],
            key=view.keys[best],
            j=view.key_numbers[best],
            value=number(float(numbers[row, best]), settings.digits),
            limit=number(found.limit, settings.digits),
        )
    )


def _name(capture: Capture, pair: tuple[int, int], kind: str) -> str:
    layer, head = in_hand.layer_name(capture, pair[0]), in_hand.name(capture, *pair)
    return session.t()(f"readings.of.{_whose(kind)}", layer=layer, head=head)


def _words() -> HeatWords:
    t = session.t()
    return replace(
        one_head.heat_words(),
        hint=t("readings.hint"),
        cell=t("readings.cell", **_SLOTS),
        hidden=t("readings.no_number", query="{query}", key="{key}", i="{i}", j="{j}"),
    )


def _whose(kind: str) -> str:
    """Tell whether a reading is of one head, of all heads of its layer, or of all so far."""
    if kind in ("rollout", "flow", ALL_ROWS):
        return "layers"
    return "layer" if kind == "layer" else "head"
