"""The same attention under several readings, and what each may and may not claim."""

from dataclasses import replace
from typing import cast

import numpy as np
import streamlit as st

from attnviz.components.heat_canvas import HeatMap, HeatWords, Mode, heat_canvas
from attnviz.models.read_otherwise import READINGS, Reading, readings
from attnviz.models.results import Capture
from attnviz.models.views import View, packed
from attnviz.text.numbers import number
from attnviz.ui import cached, controls, session, tools
from attnviz.ui.rooms.models import asked, folds, one_head, why

ALL_ROWS = "flow_all"
"""The flow of every row, which takes long; that of one row is there at once."""
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
    controls.segments(
        "reading", t("readings.choose"), kind, there, lambda key: t(f"readings.{key}")
    )
    st.caption(t(f"readings.claim.{kind}"))
    row = view.query_places[_row(view)] if kind == "flow" else None
    kind_asked = "flow" if kind == ALL_ROWS else kind
    found = folds.waited(cached.reading(asked.asked(), layer, head, kind_asked, row))
    if found is not None:
        _map((layer, head), view, kind, found)


def _row(view: View) -> int:
    return asked.look(view.queries) or 0


def _map(pair: tuple[int, int], view: View, kind: str, found: Reading) -> None:
    t, settings = session.t(), session.settings()
    numbers, ranges = found.at(view.query_places, view.key_places)
    tops, cells = packed(numbers)
    name = t(f"readings.of.{_whose(kind)}", layer=pair[0], head=pair[1])
    heat_canvas(
        HeatMap(
            label=t("readings.map_label", reading=t(f"readings.{kind}"), name=name),
            queries=view.queries,
            keys=view.keys,
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
        digits=settings.digits,
        turned=session.notation().columns,
        size=session.size(),
    )
    row = _row(view)
    best = int(np.argmax(numbers[row]))
    tools.say(
        t(
            "readings.said",
            name=name,
            reading=t(f"readings.{kind}"),
            query=view.queries[row],
            i=row + 1,
            key=view.keys[best],
            j=best + 1,
            value=number(float(numbers[row, best]), settings.digits),
            limit=number(found.limit, settings.digits),
        )
    )


def _words() -> HeatWords:
    t = session.t()
    return replace(
        one_head.heat_words(),
        hint=t("readings.hint"),
        cell=t("readings.cell", **_SLOTS),
        hidden=t("readings.no_number", query="{query}", key="{key}", i="{i}", j="{j}"),
    )


def _whose(kind: str) -> str:
    """Tell whether a reading is of one head, or of all heads up to its layer."""
    return "head" if kind in ("weight", "value") else "layers"
