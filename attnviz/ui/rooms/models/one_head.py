"""One head, or a few: the text and its lines, and the map with every weight."""

import hashlib
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import streamlit as st

from attnviz.components import note
from attnviz.components.heat_canvas import HeatMap, Mode, heat_canvas
from attnviz.components.token_lines import HeadLines, LineWords, token_lines
from attnviz.components.tokens import Spoken
from attnviz.errors import InputError
from attnviz.models.results import Capture
from attnviz.models.views import Unit, View, mixed
from attnviz.settings import MIXINGS, PARTS, UNITS, Settings
from attnviz.text.numbers import number
from attnviz.ui import cached_models, controls, refusals, session
from attnviz.ui.heats import heat_words
from attnviz.ui.on_page import SAID
from attnviz.ui.rooms.models import (
    asked,
    checked,
    coded,
    hiding,
    in_hand,
    named_edits,
    patches,
)

GROUP = "models"
"""What is pointed at in one picture is looked at in all of them."""

_MOST_LINES = 512
_MANY = 64
"""Tokens beyond which hardly any weight is near 1, so that the colours end at the largest."""


def lines() -> None:
    """Draw the lines as wide as the page."""
    capture = asked.captured()
    if capture is None:
        return
    if not session.alone():
        _ways(capture)
    if shown(capture) is None:
        return
    draw_lines(capture, alone=True)
    _code("lines", capture)


def draw_lines(capture: Capture, *, alone: bool = False) -> None:
    """Draw the text and the two columns of tokens, joined by what the heads attend to.

    `alone` where no map beside them is read aloud.
    """
    t = session.t()
    views = shown(capture)
    if views is None:
        return
    first = views[0][1]
    if capture.grid is not None:
        patches.draw(capture, *views[0], group=GROUP, text=name_of(first), read=alone)
        return
    if first.row_edges is not None or len(first.queries) > _MOST_LINES:
        st.caption(t("models.too_many_lines", most=_MOST_LINES))
        return
    strips = _strips(capture, first)
    token_lines(
        [_lines_of(name, each) for name, each in views],
        key="token_lines",
        group=GROUP,
        label=t("models.lines_label", heads=", ".join(name for name, _ in views)),
        words=LineWords(
            hint=t("models.lines.hint"),
            query=t("models.lines.query"),
            key=t("models.lines.key"),
            attends=t("models.lines.attends", **_slots("token", "place", "head", "list")),
            attended=t("models.lines.attended", **_slots("token", "place", "head", "list")),
            nothing=t("models.lines.nothing", **_slots("token", "place")),
            share=t("models.lines.share", **_slots("token", "place", "value")),
            join=t("models.lines.join"),
        ),
        queries=first.queries,
        keys=first.keys,
        query_numbers=first.query_numbers,
        key_numbers=first.key_numbers,
        ranges=first.ranges.tobytes(),
        strip=strips[0],
        other_strip=strips[1],
        theme=session.theme(),
        query=asked.look(first.queries),
        key_place=session.settings().key,
        held=session.settings().held,
        text=name_of(first),
        read_aloud=aloud(capture, *views[0]) if alone else None,
        limit=_limit(*(each for _, each in views)),
        digits=session.settings().digits,
        size=session.size(),
    )


def _lines_of(name: str, view: View) -> HeadLines:
    tops, cells = view.packed
    return HeadLines(name=name, tops=tops, cells=cells)


def map_() -> None:
    """Draw the whole map of the head in hand, and its lines beside it."""
    capture = asked.captured()
    if capture is None:
        return
    if session.alone():
        _draw_map(capture)
        return
    _ways(capture)
    if shown(capture) is None:
        return
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _draw_map(capture)
    with right:
        draw_lines(capture)


def _draw_map(capture: Capture) -> None:
    """Draw every weight of the head in hand, and its checks."""
    t, settings = session.t(), session.settings()
    views = shown(capture)
    if views is None:
        return
    name, view = views[0]
    if len(views) > 1:
        st.caption(t("models.first_of_several", head=name))
    st.subheader(t("models.map_title", head=name), anchor=False)
    row = view.row_edges is not None
    exact = min(settings.query, len(view.queries) - 1) if row else None
    layer, head = asked.heads(capture)[0]
    tops, cells = view.packed
    heat_canvas(
        HeatMap(
            label=t("models.map_label", head=name, n_query=len(view.queries), n_key=len(view.keys)),
            queries=view.queries,
            keys=view.keys,
            query_numbers=view.query_numbers,
            key_numbers=view.key_numbers,
            tops=tops,
            cells=cells,
            ranges=view.ranges.tobytes(),
            limit=_limit(view),
            row_edges=view.row_edges,
            column_edges=view.column_edges,
            exact_row=exact,
            row=b"" if exact is None else _row(capture, layer, head, exact),
        ),
        key="heat_canvas",
        group=GROUP,
        words=heat_words(),
        theme=session.theme(),
        mode=cast(Mode, settings.colours),
        query=asked.look(view.queries),
        key_place=settings.key,
        held=settings.held,
        text=name_of(view),
        read_aloud=aloud(capture, name, view),
        on_row=lambda query: session.change(
            "models", query=query, held="query", passage=asked.text()
        ),
        digits=settings.digits,
        turned=session.notation().columns,
        size=session.size(),
    )
    hiding.note(capture, view)
    checked.badges(capture, layer, head)
    _code("map", capture)


def shown(capture: Capture) -> list[tuple[str, View]] | None:
    """Give the heads that are looked at, each with its name; several as one where so asked."""
    t, settings, pairs = session.t(), session.settings(), asked.heads(capture)
    try:
        views = [
            hiding.applied(cached_models.view(asked.asked(), *pair, *_how())) for pair in pairs
        ]
    except InputError as error:
        st.error(refusals.escape(refusals.sentence(error)))
        return None
    names = [in_hand.name(capture, *pair) for pair in pairs]
    if settings.mixing == "each" or len(views) == 1:
        return list(zip(names, views, strict=True))
    short = t("edit.list").join(named_edits.head_name(capture, *pair) for pair in pairs)
    name = t(f"models.mixed.{settings.mixing}", heads=short)
    return [(name, mixed(views, "mean" if settings.mixing == "mean" else "max"))]


def _code(panel: str, capture: Capture) -> None:
    found = shown(capture)
    if found is not None:
        view = found[0][1]
        row = asked.row(capture, view)
        coded.of_map(panel, capture, view.weights, row)


def first(capture: Capture) -> View:
    """Give the head in hand as it is looked at.

    Raises:
        InputError: if nothing is left to show.
    """
    return hiding.applied(cached_models.view(asked.asked(), *asked.heads(capture)[0], *_how()))


def name_of(view: View) -> str:
    """Name what stands at the sides of a view: a token that is held is a place among them."""
    sides = "\0".join((*view.queries, "\0", *view.keys))
    return hashlib.blake2b(sides.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _how() -> tuple[Unit, str, bool]:
    settings = session.settings()
    return cast(Unit, settings.unit), settings.part, settings.specials


def _ways(capture: Capture) -> None:
    """Draw how the head is looked at, in one line."""
    t, settings = session.t(), session.settings()
    with st.container(key="ways", horizontal=True, vertical_alignment="center", gap="small"):
        if capture.grid is None:
            choice("unit", UNITS, take=_otherwise)
        if len(capture.texts) > 1:
            choice("part", PARTS, take=_otherwise)
        if len(asked.heads(capture)) > 1:
            choice("mixing", MIXINGS)
        _specials()
        _find()
    found = _found(capture)
    if settings.find:
        st.caption(t("models.found", n=len(found), places=", ".join(map(str, found[:20]))))


def _find() -> None:
    """Draw the line in which a token is looked for."""
    t = session.t()
    session.put("control.find", session.draft("find", session.settings().find))
    st.text_input(
        t("drawer.find"),
        key="control.find",
        placeholder=t("drawer.find"),
        help=t("drawer.find_help"),
        label_visibility="collapsed",
        icon=":material/search:",
        width=200,
        on_change=lambda: session.change("find", find=session.got("control.find")),
    )


def _specials() -> None:
    session.put("control.specials", session.settings().specials)
    st.toggle(
        session.t()("models.specials"),
        key="control.specials",
        on_change=lambda: _otherwise("specials", session.got("control.specials")),
    )


def _otherwise(field: str, value: object) -> None:
    """Look at the text in another way: its tokens are counted anew, so none is held."""
    changes = {field: value, "query": Settings().query, "key": None}
    session.change(field, passage=asked.text(), **changes)


def choice(
    field: str, options: tuple[str, ...], *, take: Callable[[str, Any], None] | None = None
) -> None:
    """Draw a choice among few ways to look at a model."""
    t = session.t()
    session.put(f"control.{field}", getattr(session.settings(), field))
    st.segmented_control(
        t(f"models.{field}.choose"),
        options,
        format_func=lambda key: t(f"models.{field}.{key}"),
        key=f"control.{field}",
        label_visibility="collapsed",
        required=True,
        on_change=lambda: (take or controls.changed)(field, session.got(f"control.{field}")),
    )


def _found(capture: Capture) -> list[int]:
    """List the places, from 1, of the tokens in which a text is found."""
    wanted = session.settings().find.casefold()
    tokens = capture.query_tokens(asked.heads(capture)[0][0])
    return [p + 1 for p, token in enumerate(tokens) if wanted and wanted in token.text.casefold()]


def _strips(capture: Capture, view: View) -> list[list[tuple[str, bool]]]:
    """Write the text as it is read: each token, and whether a blank stands before it."""
    layer = asked.heads(capture)[0][0]
    queries, keys = capture.query_tokens(layer), capture.key_tokens(layer)
    strips = [_strip(queries, view.query_places, view.queries)]
    same = keys is queries and view.query_places == view.key_places
    return [*strips, [] if same else _strip(keys, view.key_places, view.keys)]


def _strip(tokens: tuple, places: tuple[int, ...], labels: tuple[str, ...]) -> list:
    strip: list[tuple[str, bool]] = []
    for place, label in zip(places, labels, strict=True):
        token, before = tokens[place], tokens[place - 1] if place else None
        joined = before is not None and token.start is not None and before.end == token.start
        strip.append((label.removeprefix("␣").removeprefix("##"), not joined))
    return strip


def _limit(*views: View) -> float:
    """End the linear scale at 1, where every weight of a softmax ends; of many tokens before it."""
    largest = max(float(view.weights.max(initial=0.0)) for view in views)
    many = any(len(view.keys) > _MANY for view in views) and largest > 0
    return float(f"{largest:.3g}") if many else max(1.0, largest)


def _row(capture: Capture, layer: int, head: int, query: int) -> bytes:
    return capture.weights(layer, head, rows=query).astype(np.float32).tobytes()


def _slots(*names: str) -> dict[str, str]:
    """Leave the placeholders as they are: the browser fills them in."""
    return {name: f"{{{name}}}" for name in names}


def aloud(capture: Capture, name: str, view: View) -> Spoken:
    """Give the sentence of a picture; the browser writes it anew for a token that is locked."""
    t, first = session.t(), _said(capture, name, view)
    note(SAID, first)
    return Spoken(
        first=first,
        row=asked.row(capture, view),
        said=t("models.said", head=name, **_slots("query", "i", "key", "j", "value", "shown")),
        asked=t("models.said_asked", head=name, **_slots("query", "i", "key", "j", "value")),
    )


def _said(capture: Capture, name: str, view: View) -> str:
    """Read the head aloud: what the token in hand attends to most."""
    t, digits = session.t(), session.settings().digits
    place = asked.row(capture, view)
    if view.row_edges is not None:
        return t("models.said_large", head=name, n=len(view.queries))
    row = view.weights[place]
    best = int(row.argmax())
    return t(
        "models.said",
        head=name,
        query=view.queries[place],
        i=view.query_numbers[place],
        key=view.keys[best],
        j=view.key_numbers[best],
        value=number(float(row[best]), digits),
        shown=number(float(view.sums[place]), digits),
    )
