"""Pictures of few pixels side by side: point to read a pixel, click or press Enter to choose it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from attnviz.components import Number, index, listener, note, packed, part

_mount = part("pixels")


@dataclass(frozen=True, eq=False, kw_only=True)
class PixelsSpec:
    """One picture: a colour (`#rrggbb`) and a line that reads it for each pixel, in reading order.

    `chosen` is outlined. Pixels of `quiet` belong to no picture, such as a ring around it: they are
    drawn with a dashed outline. Where `pick` is None nothing can be chosen; else it gives for each
    pixel what is sent, None for those that cannot be.
    """

    label: str
    title: str
    columns: int
    colours: Sequence[str]
    readouts: Sequence[str]
    chosen: int | None = None
    quiet: Sequence[int] = ()
    pick: Sequence[int | None] | None = None
    exact: Any = None  # the numbers of each pixel in full, for files: one, or a row of them
    legend: tuple[str, str, Sequence[str]] | None = None  # two ends, and colours between them


def pixels(
    pictures: Sequence[PixelsSpec],
    *,
    key: str,
    default_readout: str,
    on_pixel: Callable[[int], None] | None = None,
    side: int = 26,
    size: Number = 1.0,
) -> None:
    """Draw the pictures, and one line beneath that reads the pixel pointed at.

    `side` is that of a pixel at most, in CSS pixels; narrow pages make them smaller.
    """
    note(key, tuple(pictures))
    most = 1 + max((place or 0 for spec in pictures for place in spec.pick or ()), default=0)

    def chosen(value: object) -> None:
        place = index(value, most)
        if place is not None and on_pixel is not None:
            on_pixel(place)

    data = {
        "pictures": [
            {
                "label": spec.label,
                "title": spec.title,
                "columns": spec.columns,
                "colours": list(spec.colours),
                "readouts": list(spec.readouts),
                "chosen": spec.chosen,
                "quiet": list(spec.quiet),
                "pick": None if spec.pick is None else list(spec.pick),
                "legend": spec.legend,
            }
            for spec in pictures
        ],
        "readout": default_readout,
        "side": side * size,
        "size": size,
    }
    _mount(key=key, data=packed(data), on_pixel_change=listener(key, "pixel", chosen))
