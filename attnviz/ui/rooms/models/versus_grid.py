"""How far every head is from what it is compared with: a square for each, and a click opens it."""

import numpy as np

from attnviz.components.head_grid import Chosen, head_grid
from attnviz.models.comparing.aligned import WHOLE_LAYER, Pair
from attnviz.models.comparing.heads_apart import HeadsApart
from attnviz.models.results import Capture
from attnviz.text.numbers import decimals
from attnviz.ui import session
from attnviz.ui.rooms.models import asked, holding, in_hand, versus_choice
from attnviz.ui.rooms.models.versus_choice import Against

_TALLEST = 420  # pixels for the squares of all layers


def name(capture: Capture, pair: Pair) -> str:
    """Name a head, or the mean of a layer."""
    layer, head = pair
    if head == WHOLE_LAYER:
        return session.t()("versus.layer_name", layer=layer)
    return in_hand.name(capture, layer, head)


def draw(other: Capture, against: Against, everyone: HeadsApart) -> None:
    """Draw the squares, in a stronger colour where a head is farther."""
    t, digits = session.t(), session.settings().digits
    counts = [1 if against.whole else layer.n_heads for layer in other.layers]
    shares = np.nan_to_num(everyone.distances) / (everyone.largest or 1)
    shades = np.split(np.rint(shares * 255).astype(np.uint8), np.cumsum(counts)[:-1])
    layer, head = against.other_pair or against.pair
    head_grid(
        [each.tobytes() for each in shades],
        [(1, 1)] * len(counts),
        [str(layer) for layer in range(other.n_layers)],
        counts,
        key="versus_grid",
        label=t(f"versus.grid.{against.kind}"),
        title=t(f"versus.grid.{against.kind}"),
        hint=t("versus.grid_hint", most=decimals(everyone.largest, digits)),
        notes=[_note(other, pair, everyone, digits) for pair in everyone.heads],
        chosen=[(layer, max(head, 0))],
        theme=session.theme(),
        on_head=lambda chosen: _open(against, chosen),
        largest=30,
        tallest=_TALLEST,
        size=session.size(),
    )


def _note(capture: Capture, pair: Pair, everyone: HeadsApart, digits: int) -> str:
    t, distance = session.t(), everyone.of(pair)
    if distance is None:
        return t("versus.grid_none", head=name(capture, pair))
    return t("versus.grid_note", head=name(capture, pair), distance=decimals(distance, digits))


def _open(against: Against, chosen: Chosen) -> None:
    """Open the head in both texts, or compare with the one that was clicked."""
    held = holding.changes(chosen.kept)
    if against.kind == "text":
        asked.open_head(chosen.layer, chosen.head, more=False, held=held)
    else:
        versus_choice.take_head((chosen.layer, chosen.head), held)
