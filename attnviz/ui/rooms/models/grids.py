"""What pictures of all heads have in common, beside the one of their small maps."""

from attnviz.components.head_grid import Chosen
from attnviz.models.results import Capture
from attnviz.ui import session
from attnviz.ui.rooms.models import asked, holding

TALLEST, LARGEST = 400, 34
"""Pixels of all heads from top to bottom, so that they are seen at once, and of one."""


def layer_name(capture: Capture, layer: int) -> str:
    """Name a layer by its number, in a model of two stacks with its kind before it."""
    found = capture.layers[layer]
    if found.kind not in ("encoder", "decoder", "cross"):
        return str(found.number)
    return session.t()(f"models.short.{found.kind}", number=str(found.number))


def open_head(chosen: Chosen) -> None:
    """Open a head that was pointed at."""
    held = holding.changes(chosen.kept)
    asked.open_head(chosen.layer, chosen.head, more=chosen.more, held=held)
