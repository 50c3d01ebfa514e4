"""What the pictures hold in the browser: brought along by whatever a person does next."""

from typing import Any

import streamlit as st

from attnviz.components.keeper import Kept, keeper
from attnviz.errors import InputError
from attnviz.models.views import View
from attnviz.settings import from_query
from attnviz.ui import session
from attnviz.ui.rooms.models import asked, one_head

_FIELDS = {"q": "query", "key": "key", "hold": "held", "colours": "colours"}


def listen() -> None:
    """Let what is held reach the settings, wherever a head is shown."""
    with st.container(key="keeper"):
        keeper(key="keeper.models", on_kept=_take)


def _take(kept: Kept) -> None:
    session.change("models", **changes(kept))


def changes(kept: Kept) -> dict[str, Any]:
    """Give the settings that are held; a token of another text than the one shown is not."""
    found, unreadable = from_query({key: text for key, text in kept.values.items() if text})
    if unreadable:
        return {}
    held = {name: getattr(found, name) for key, name in _FIELDS.items() if key in kept.values}
    if not {"query", "key"} & set(held):
        return held
    capture, view = asked.captured(), _shown()
    if capture is None or view is None or one_head.name_of(view) != kept.text:
        return {name: value for name, value in held.items() if name == "colours"}
    if held.get("held") != "query" and held.get("key") is not None and not kept.values.get("q"):
        held["query"] = asked.row(capture, view)
    return held


def _shown() -> View | None:
    capture = asked.captured()
    try:
        return None if capture is None else one_head.first(capture)
    except InputError:
        return None
