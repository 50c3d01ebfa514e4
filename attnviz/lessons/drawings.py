"""Small pictures for a vision model, drawn by rule: what is where is known of every point."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8

from attnviz.attention.arrays import read_only

SIDE = 224
"""Points of a side: what a vision model of 16 × 16 patches of 14 points sees without a loss."""
_FINE = 2  # points drawn for each point of the picture, along a side

Colour = tuple[int, int, int]
Area = Bool[np.ndarray, "row column"]

SKY, SEA, MEADOW = (158, 205, 240), (32, 92, 150), (104, 168, 72)
CREAM, BLUE_WALL = (244, 236, 216), (70, 110, 160)
RED, ORANGE, YELLOW = (200, 40, 40), (226, 140, 56), (250, 208, 60)
GREEN, BROWN, BLACK, WHITE = (50, 140, 60), (110, 70, 40), (30, 28, 32), (250, 250, 250)


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture of SIDE × SIDE points; `things` says which thing each point shows.

    Things are numbered from 1 in the order in which `names` lists them, 0 is the ground.
    """

    pixels: UInt8[np.ndarray, "row column 3"]
    things: Int[np.ndarray, "row column"]
    names: tuple[str, ...]

    def share(self, name: str, rows: int, columns: int) -> Float[np.ndarray, "row column"]:
        """Give which share of each patch shows a thing."""
        there = self.things == self.names.index(name) + 1
        high, wide = SIDE // rows, SIDE // columns
        cut = there[: rows * high, : columns * wide].reshape(rows, high, columns, wide)
        return cut.mean(axis=(1, 3))


class _Canvas:
    """Paints areas one over the other, finer than the picture will be."""

    def __init__(self, ground: Colour, below: Colour | None = None) -> None:
        side = SIDE * _FINE
        self.y, self.x = np.mgrid[0:side, 0:side] / side
        self._points = np.empty((side, side, 3))
        blend = self.y[..., None]
        self._points[:] = np.array(ground) * (1 - blend) + np.array(below or ground) * blend
        self._things = np.zeros((side, side), dtype=int)
        self._names: list[str] = []

    def paint(self, name: str, area: Area, colour: Colour) -> None:
        """Paint an area as a part of a thing."""
        if name not in self._names:
            self._names.append(name)
        self._points[area] = colour
        self._things[area] = self._names.index(name) + 1

    def disc(self, x: float, y: float, radius: float, stretch: float = 1.0) -> Area:
        """Give a disc, or an ellipse that is `stretch` times as high as it is wide."""
        return (self.x - x) ** 2 + ((self.y - y) / stretch) ** 2 < radius**2

    def box(self, left: float, top: float, right: float, bottom: float) -> Area:
        """Give a rectangle."""
        return (self.x >= left) & (self.x < right) & (self.y >= top) & (self.y < bottom)

    def triangle(self, *corners: tuple[float, float]) -> Area:
        """Give the inside of three corners (x, y)."""
        sides = []
        for place in range(3):
            (x, y), (to_x, to_y) = corners[place], corners[(place + 1) % 3]
            sides.append((to_x - x) * (self.y - y) - (to_y - y) * (self.x - x))
        return np.all([s >= 0 for s in sides], axis=0) | np.all([s <= 0 for s in sides], axis=0)

    def finished(self) -> Drawing:
        """Give the picture: the mean of the fine points, so that no edge has steps."""
        fine = self._points.reshape(SIDE, _FINE, SIDE, _FINE, 3).mean(axis=(1, 3))
        pixels = np.rint(fine).astype(np.uint8)
        things = self._things[::_FINE, ::_FINE].copy()
        return Drawing(read_only(pixels), read_only(things), tuple(self._names))


def _house() -> Drawing:
    c = _Canvas(SKY, (220, 236, 246))
    c.paint("meadow", c.box(0.0, 0.68, 1.0, 1.0), MEADOW)
    c.paint("sun", c.disc(0.86, 0.14, 0.08), YELLOW)
    c.paint("house", c.box(0.16, 0.44, 0.58, 0.8), CREAM)
    c.paint("house", c.triangle((0.1, 0.44), (0.64, 0.44), (0.37, 0.18)), RED)
    c.paint("house", c.box(0.23, 0.52, 0.33, 0.64), BLUE_WALL)
    c.paint("house", c.box(0.42, 0.58, 0.52, 0.8), BROWN)
    c.paint("tree", c.box(0.785, 0.6, 0.825, 0.8), BROWN)
    c.paint("tree", c.disc(0.805, 0.5, 0.13, 1.2), GREEN)
    return c.finished()


def _apples() -> Drawing:
    c = _Canvas((226, 228, 232), (200, 196, 190))
    c.paint("table", c.box(0.0, 0.62, 1.0, 1.0), (168, 124, 84))
    for name, x, y in (("apple", 0.22, 0.58), ("twin", 0.78, 0.58)):
        c.paint(name, c.disc(x, y, 0.14, 0.95), RED)
        c.paint(name, c.box(x - 0.012, y - 0.2, x + 0.012, y - 0.12), BROWN)
        c.paint(name, c.disc(x + 0.055, y - 0.17, 0.045, 0.5), GREEN)
    c.paint("lemon", c.disc(0.5, 0.72, 0.12, 0.75), YELLOW)
    return c.finished()


def _cat() -> Drawing:
    c = _Canvas((120, 160, 190), (90, 130, 170))
    for side in (-1, 1):
        x = 0.5 + 0.2 * side
        ear = c.triangle((x - 0.12, 0.42), (x + 0.12, 0.42), (x + 0.06 * side, 0.14))
        c.paint("cat", ear, ORANGE)
    c.paint("cat", c.disc(0.5, 0.85, 0.26, 1.0), ORANGE)
    c.paint("cat", c.disc(0.5, 0.52, 0.28, 0.9), ORANGE)
    for side in (-1, 1):
        c.paint("cat", c.disc(0.5 + 0.11 * side, 0.47, 0.055), WHITE)
        c.paint("cat", c.disc(0.5 + 0.11 * side, 0.47, 0.03, 1.5), BLACK)
    c.paint("cat", c.triangle((0.46, 0.57), (0.54, 0.57), (0.5, 0.62)), (220, 110, 120))
    return c.finished()


def _boat() -> Drawing:
    c = _Canvas((250, 214, 170), (252, 238, 214))
    c.paint("sun", c.disc(0.2, 0.3, 0.09), ORANGE)
    c.paint("sea", c.box(0.0, 0.6, 1.0, 1.0), SEA)
    c.paint("boat", c.box(0.52, 0.16, 0.54, 0.62), BROWN)
    c.paint("boat", c.triangle((0.5, 0.2), (0.5, 0.56), (0.28, 0.56)), WHITE)
    c.paint("boat", c.triangle((0.56, 0.2), (0.56, 0.56), (0.78, 0.56)), WHITE)
    hull = c.box(0.26, 0.6, 0.82, 0.72) & (c.x - 0.26 > (c.y - 0.6)) & (0.82 - c.x > (c.y - 0.6))
    c.paint("boat", hull, RED)
    return c.finished()


def _shapes() -> Drawing:
    c = _Canvas(CREAM)
    c.paint("disc", c.disc(0.28, 0.28, 0.16), RED)
    c.paint("square", c.box(0.58, 0.14, 0.86, 0.42), BLUE_WALL)
    c.paint("triangle", c.triangle((0.14, 0.86), (0.44, 0.86), (0.29, 0.56)), GREEN)
    c.paint("other_disc", c.disc(0.72, 0.72, 0.16), RED)
    return c.finished()


DRAWINGS: dict[str, Callable[[], Drawing]] = {
    "house": _house,
    "apples": _apples,
    "cat": _cat,
    "boat": _boat,
    "shapes": _shapes,
}
"""The pictures that are there, in the order in which they are offered."""


@cache
def drawing(key: str) -> Drawing:
    """Draw one of DRAWINGS, once."""
    return DRAWINGS[key]()
