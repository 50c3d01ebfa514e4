"""Which part of a plane is seen: one unit is as long upwards as sideways, 0 is always in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attnviz.components import Number

WIDE, HIGH = 400, 300
_ROOM = 1.45  # how much wider the frame is than what it holds
_GROWTH = 1.5
_EDGE = 20  # pixels that a tip keeps from the frame
_APART = 60  # pixels between two lines of the grid, at least

Point = Sequence[Number]


@dataclass(frozen=True)
class Frame:
    """How long a pixel is, and at which pixel 0 lies."""

    unit: float
    left: float
    top: float

    def at(self, tip: Point) -> tuple[float, float]:
        """Give the pixel of a point."""
        return self.left + tip[0] / self.unit, self.top - tip[1] / self.unit

    def holds(self, tip: Point) -> bool:
        """Tell whether a point is seen, with some room around it."""
        x, y = self.at(tip)
        return _EDGE <= x <= WIDE - _EDGE and _EDGE <= y <= HIGH - _EDGE

    def as_data(self) -> dict[str, Number]:
        """Write it as the browser reads it; `grain` is how many decimals a pixel is worth."""
        grain = min(12, max(0, -math.floor(math.log10(self.unit))))
        return {"unit": self.unit, "left": self.left, "top": self.top, "grain": grain}

    def tree(self) -> list[list]:
        """Describe the grid, the axes and the numbers along them."""
        step, decimals = _step(self.unit * _APART)
        lines, marks = [], []
        for place in range(math.ceil(-self.left * self.unit / step), 99):
            x = self.left + place * step / self.unit
            if x > WIDE:
                break
            lines.append(f"M{x:.1f} 0v{HIGH}")
            marks.append(_mark(x + 4, HIGH - 6, place * step, decimals))
        for place in range(math.ceil((self.top - HIGH) * self.unit / step), 99):
            y = self.top - place * step / self.unit
            if y < 0:
                break
            lines.append(f"M0 {y:.1f}h{WIDE}")
            marks.append(_mark(4, y - 4, place * step, decimals))
        axes = f"M{self.left:.1f} 0v{HIGH}M0 {self.top:.1f}h{WIDE}"
        return [["path", "grid", {"d": "".join(lines)}], ["path", "axes", {"d": axes}], *marks]


def frame_of(homes: Sequence[Point], tips: Sequence[Point]) -> Frame:
    """Frame the tips as they were before anything moved, and as much more as they need now."""
    points = [(0.0, 0.0), *homes]
    low, high = ([end(tip[axis] for tip in points) for axis in (0, 1)] for end in (min, max))
    span = max((high[0] - low[0]) / WIDE, (high[1] - low[1]) / HIGH) or 0.02
    frame = _around(low, high, _ROOM * span)
    while not all(map(frame.holds, tips)):
        frame = _around(low, high, frame.unit * _GROWTH)
    return frame


def _around(low: Point, high: Point, unit: Number) -> Frame:
    middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    return Frame(unit, WIDE / 2 - middle[0] / unit, HIGH / 2 + middle[1] / unit)


def _step(least: Number) -> tuple[float, int]:
    """Give the distance of two lines, 1, 2 or 5 times a power of ten, and its decimals."""
    power = math.floor(math.log10(least))
    step = next(times * 10.0**power for times in (1, 2, 5, 10) if times * 10.0**power >= least)
    return step, max(0, -math.floor(math.log10(step) + 1e-9))


def _mark(x: Number, y: Number, value: Number, decimals: int) -> list:
    text = f"{value:.{decimals}f}".replace("-", "−") if value else "0"
    return ["text", "mark", {"x": round(x, 1), "y": round(y, 1)}, text]
