"""What pictures of all heads have in common, beside the one of their small maps."""

from attnviz.components.head_grid import Chosen
from attnviz.models.results import Capture
from attnviz.ui import session
from attnviz.ui.rooms.models import asked, holding

_TALLEST = 420
_SMALLEST, _LARGEST = 14, 34


def layer_name(capture: Capture, layer: int) -> str:
    """Name a layer by its number, in a model of two stacks with its kind before it."""
    found = capture.layers[layer]
    if found.kind not in ("encoder", "decoder", "cross"):
        return str(found.number)
    return session.t()(f"models.short.{found.kind}", number=str(found.number))


def tile_side(n_layers: int) -> int:
    """Give the pixels along the side of a head, so that all layers are seen at once."""
    return max(_SMALLEST, min(_LARGEST, _TALLEST // n_layers))


def open_head(chosen: Chosen) -> None:
    """Open a head that was pointed at."""
    held = holding.changes(chosen.kept)
    asked.open_head(chosen.layer, chosen.head, more=chosen.more, held=held)
