"""The picture's patches, coloured by what the chosen one looks at, or by who looks at it."""

import streamlit as st

from attnviz.components import note
from attnviz.components.patch_picture import PatchMap, PatchWords, patch_picture
from attnviz.components.tokens import Spoken
from attnviz.models.results import Capture
from attnviz.models.views import MOST_EXACT, View
from attnviz.text.numbers import number
from attnviz.ui import session
from attnviz.ui.on_page import SAID
from attnviz.ui.rooms.models import asked


def draw(
    capture: Capture, name: str, view: View, *, group: str, text: str, read: bool = False
) -> None:
    """Draw the picture of a vision model's capture; `name` is that of the head.

    `read` where the picture is read aloud below it.
    """
    t, settings = session.t(), session.settings()
    if capture.grid is None or capture.picture is None:
        st.info(t("patches.for_pictures"))
        return
    if view.row_edges is not None:
        st.info(t("patches.too_many", most=MOST_EXACT))
        return
    rows, columns = capture.grid
    tops, cells = view.packed
    high, wide, _ = capture.picture.shape
    patch_picture(
        PatchMap(
            label=t("patches.label", head=name, rows=rows, columns=columns),
            text=text,
            queries=view.queries,
            keys=view.keys,
            query_places=view.query_places,
            key_places=view.key_places,
            before=len(capture.tokens) - rows * columns,
            grid=capture.grid,
            tops=tops,
            cells=cells,
            pixels=capture.picture.tobytes(),
            size=(high, wide),
        ),
        key="patch_picture",
        group=group,
        words=words(),
        theme=session.theme(),
        query=asked.look(view.queries),
        key_place=settings.key,
        held=settings.held,
        read_aloud=_aloud(name, view) if read else None,
        digits=settings.digits,
        tallest=330 if session.alone() else 320,
        size=session.size(),
    )


def _aloud(name: str, view: View) -> Spoken:
    """Read the patch in hand aloud; the browser does it for another that is locked."""
    t, place = session.t(), asked.look(view.queries) or 0
    row = view.weights[place]
    best = int(row.argmax())
    first = t(
        "patches.said",
        head=name,
        query=view.queries[place],
        key=view.keys[best],
        value=number(float(row[best]), max(3, session.settings().digits)),
    )
    note(SAID, first)
    slots = {name: f"{{{name}}}" for name in ("query", "key", "value")}
    return Spoken(
        first=first,
        row=place,
        said=t("patches.said", head=name, **slots),
        asked=t("patches.said_asked", head=name, **slots),
    )


def words() -> PatchWords:
    """Give the words of the picture; the browser fills in patches and numbers."""
    t = session.t()
    slots = {name: f"{{{name}}}" for name in ("token", "list")}
    return PatchWords(
        hint=t("patches.hint"),
        looks=t("patches.looks"),
        looked=t("patches.looked"),
        looks_most=t("patches.looks_most", **slots),
        looked_most=t("patches.looked_most", **slots),
        patch=t("patches.patch", place="{place}"),
        share=t("patches.share", token="{token}", value="{value}"),
        join=t("patches.join"),
        pair=t("patches.pair", query="{query}", key="{key}", value="{value}"),
        beside=t("patches.beside"),
        scale=t("patches.scale", most="{most}"),
        plain=t("patches.plain"),
        way=t("patches.way"),
    )
