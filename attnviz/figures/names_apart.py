"""Names beside points: as many as can be read, none over another or over somebody else's point."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnviz.figures.theme import Number

SIDES = (
    "top center",
    "bottom center",
    "middle right",
    "middle left",
    "top right",
    "top left",
    "bottom right",
    "bottom left",
)
"""Where a name may stand, as Plotly has it; the first that is free is taken."""

_LETTER, _LINE = 0.58, 1.2  # of the size of the letters: how wide a sign is, how high a line

Box = Float[np.ndarray, "4"]
"""Left, top, right and bottom, in pixels."""


@dataclass(frozen=True)
class Lettering:
    """How large names are, the points that they name, and how far a name stands from its point."""

    size: Number = 12
    point: Number = 9

    @property
    def gap(self) -> float:
        """How far from the middle of its point a name begins, as Plotly has it."""
        return self.point / 1.6 + 1


def names_apart(
    places: Float[np.ndarray, "point 2"],
    names: Sequence[str],
    order: Sequence[int],
    scales: Sequence[Number],
    *,
    lettering: Lettering = Lettering(),
    taken: Sequence[tuple[int, str, Lettering]] = (),
    around: Number = np.inf,
) -> dict[int, str]:
    """Choose which points can be named, and on which side of each its name stands.

    `scales` are the pixels of one step along both axes: a name is free at every one of them. The
    points of `order` are tried one after the other; `taken` are names that are there already, with
    their sides. A name begins and ends inside the frame, `around` the outermost points. `places`
    have y upwards.
    """
    pixels = np.stack([places * (scale, -scale) for scale in scales])
    edge = around * np.array(scales)[:, None]
    frame = np.concatenate([pixels.min(axis=1) - edge, pixels.max(axis=1) + edge], axis=1)
    rings = [(row, size.point) for row, _, size in taken]
    standing = np.zeros((0, len(scales), 4))
    for row, side, size in taken:
        standing = np.append(standing, _boxes(pixels[:, row], names[row], [side], size), axis=0)
    chosen: dict[int, str] = {}
    for row in order:
        own = _boxes(pixels[:, row], names[row], SIDES, lettering)
        free = ((own[..., :2] >= frame[:, :2]) & (own[..., 2:] <= frame[:, 2:])).all(axis=(1, 2))
        free &= _apart_from_points(own, np.delete(pixels, row, axis=1), lettering.point)
        for place, point in rings:
            free &= _apart_from_points(own, pixels[:, [place]], point) | (place == row)
        free &= _apart(own, standing)
        if free.any():
            side = int(free.argmax())
            standing = np.append(standing, own[[side]], axis=0)
            chosen[int(row)] = SIDES[side]
    return chosen


def _boxes(
    at: Float[np.ndarray, "scale 2"], name: str, sides: Sequence[str], lettering: Lettering
) -> Float[np.ndarray, "side scale 4"]:
    beside = np.array([box(np.zeros(2), name, side, lettering) for side in sides])
    return beside[:, None] + np.tile(at, 2)


def _apart_from_points(
    boxes: Float[np.ndarray, "side scale 4"],
    points: Float[np.ndarray, "scale point 2"],
    size: Number,
) -> Bool[np.ndarray, " side"]:
    """Tell which boxes meet no point, on any scale."""
    low, high = boxes[:, :, None, :2] - size / 2, boxes[:, :, None, 2:] + size / 2
    inside = ((points > low) & (points < high)).all(axis=-1)
    return np.asarray(~inside.any(axis=-1).any(axis=-1))


def _apart(
    boxes: Float[np.ndarray, "side scale 4"], others: Float[np.ndarray, "other scale 4"]
) -> Bool[np.ndarray, " side"]:
    """Tell which boxes meet none of the others, on any scale."""
    one, other = boxes[:, None], others[None]
    beside = (one[..., :2] >= other[..., 2:]) | (other[..., :2] >= one[..., 2:])
    return np.asarray(beside.any(axis=-1).all(axis=-1).all(axis=-1))


def box(at: Float[np.ndarray, "2"], name: str, side: str, lettering: Lettering) -> Box:
    """Give where a name stands, in pixels with y downwards."""
    down, across = side.split()
    wide, high = len(name) * _LETTER * lettering.size, _LINE * lettering.size
    gap = lettering.gap
    x = {"right": at[0] + gap, "left": at[0] - gap - wide, "center": at[0] - wide / 2}[across]
    y = {"top": at[1] - gap - high, "bottom": at[1] + gap, "middle": at[1] - high / 2}[down]
    return np.array([x, y, x + wide, y + high])
