"""The picture's patches, coloured by what the chosen one looks at, or by who looks at it."""

import streamlit as st

from attnviz.components.patch_picture import PatchMap, PatchWords, patch_picture
from attnviz.models.results import Capture
from attnviz.models.views import MOST_EXACT, View
from attnviz.ui import session
from attnviz.ui.rooms.models import asked


def draw(capture: Capture, name: str, view: View, *, group: str, text: str) -> None:
    """Draw the picture of a vision model's capture; `name` is that of the head."""
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
        digits=settings.digits,
        tallest=330 if session.alone() else 400,
        size=session.size(),
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
