"""The page Models: a real model, a text of one's own, and what its heads do with it."""

from collections.abc import Callable

from attnviz.ui import session
from attnviz.ui.rooms.models import (
    asked,
    edit,
    head_list,
    hiding,
    one_head,
    overview,
    picture_panel,
    predict,
    reading,
    repeated,
    similar,
    versus,
    why,
)

PANELS = {
    "all_heads": overview.panel,
    "patches": picture_panel.panel,
    "lines": one_head.lines,
    "map": one_head.map_,
    "hidden": hiding.panel,
    "why": why.panel,
    "readings": reading.panel,
    "head_table": head_list.panel,
    "similar": similar.panel,
    "edit": edit.panel,
    "predict": predict.panel,
    "repeat": repeated.panel,
    "versus": versus.panel,
}

GROUPS = {
    "look": ("all_heads", "patches", "lines", "map"),
    "ask": ("why", "hidden", "readings"),
    "compare": ("head_table", "similar", "versus"),
    "change": ("edit", "predict", "repeat"),
}
"""Which questions stand together; one that is named nowhere stands in the last group."""


def groups() -> dict[str, tuple[str, ...]]:
    """Give the groups in the order of their questions; a vision model opens on its patches."""
    if not asked.eyes():
        return GROUPS
    first, *rest = GROUPS["look"]
    return GROUPS | {"look": (rest[0], first, *rest[1:])}


APPLIES: dict[str, Callable[[str], bool]] = {
    "patches": lambda kind: kind == "vision",
    "lines": lambda kind: kind != "vision",
    "edit": lambda kind: kind != "given",
    "predict": lambda kind: kind == "causal",
    "repeat": lambda kind: kind == "causal",
}
"""For which kinds of model a question can be asked; one that is not named can always be."""


def applies(name: str) -> bool:
    """Tell whether a question can be asked of what is in hand, or will be when it is there."""
    rule = APPLIES.get(name)
    if rule is None:
        return True
    kind = session.once("models.kind", asked.kind)
    return rule(kind) or (not kind and session.settings().panel == name)
