"""Every head of a model as one picture: a small map for each, on one canvas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from attnviz.components import Number, framed, index, listener, part
from attnviz.components.keeper import Kept, read_kept
from attnviz.components.palette import Theme, palette

_mount = part("head_grid", "tokens")


class Chosen(NamedTuple):
    """A head that was opened; `more`: beside the ones that are open.

    `kept` is what the pictures wrote into the address since.
    """

    layer: int
    head: int
    more: bool
    kept: Kept = Kept({})


def head_grid(
    maps: Sequence[bytes],
    shapes: Sequence[tuple[int, int]],
    layers: Sequence[str],
    counts: Sequence[int],
    *,
    key: str,
    label: str,
    title: str,
    hint: str,
    notes: Sequence[str],
    chosen: Sequence[tuple[int, int]],
    theme: Theme,
    on_head: Callable[[Chosen], None],
    turned: bool = False,
    largest: int = 54,
    tallest: int | None = None,
    flat: Number = 1,
    first: int = 0,
    size: Number = 1.0,
) -> None:
    """Draw all heads: a layer a row. A click or Enter opens one, with Shift or Ctrl beside others.

    `maps` has one array for each layer: uint8, head after head, `shapes` rows × columns each, 255
    for a weight of 1. `layers` names the layers, `counts` says how many heads each has; `notes` is
    read when one is pointed at, layer by layer. Heads are counted from `first`.

    With `tallest`, the pixels that the picture may be high in a window of 720 (more in a higher
    one), layers stand in banks side by side, in smaller maps; a box scrolls where that is not
    enough. `flat` is how high a map is for its width.
    """

    def opened(value: object) -> None:
        found = _chosen(value, counts)
        if found is not None:
            on_head(found)

    data = {
        "label": label,
        "title": title,
        "hint": hint,
        "notes": list(notes),
        "layers": list(layers),
        "counts": list(counts),
        "shapes": [list(shape) for shape in shapes],
        "chosen": [list(pair) for pair in chosen],
        "turned": turned,
        "largest": largest * size,
        "tallest": tallest,
        "flat": flat,
        "letter": max(16, round(12 * size)) if size > 1 else 12,
        "first": first,
        "size": size,
        **palette(theme),
    }
    _mount(key=key, data=framed(data, *maps), on_head_change=listener(key, "head", opened))


def _chosen(value: object, counts: Sequence[int]) -> Chosen | None:
    if not isinstance(value, dict):
        return None
    layer = index(value.get("layer"), len(counts))
    head = None if layer is None else index(value.get("head"), counts[layer])
    if layer is None or head is None:
        return None
    return Chosen(layer, head, value.get("more") is True, read_kept(value.get("kept")))
