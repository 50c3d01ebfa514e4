"""Colours, fonts and lettering of every figure, for a light and a dark page.

Identity colours are those of Okabe and Ito (2008), which stay apart for colour-blind eyes: query
blue and solid, key orange and dashed, value green and dotted, output black (near-white on a dark
page). Lettering in these hues is darkened, or lightened, until it reads at 4.5 : 1.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Shaped

ThemeName = Literal["light", "dark"]
Number = float | int

FONT = (
    '"Noto Sans TC", "Noto Sans CJK TC", "PingFang TC", "Microsoft JhengHei", system-ui, sans-serif'
)
ROLES = ("query", "key", "value", "output")
DASHES = {"query": "solid", "key": "dash", "value": "dot", "output": "solid"}
TRANSPARENT = "rgba(0,0,0,0)"
READABLE = 4.5  # the contrast that WCAG 2.2 asks of small lettering (1.4.3)
_LEVELS = 256


@dataclass(frozen=True)
class Scale:
    """Colours for numbers from the least to the largest, with the ink that reads on each."""

    stops: tuple[str, ...]
    inks: tuple[str, ...]

    @cached_property
    def colorscale(self) -> list[list[Number | str]]:
        """The same stops as Plotly wants them: evenly spaced between 0 and 1."""
        last = len(self.stops) - 1
        return [[place / last, colour] for place, colour in enumerate(self.stops)]

    @cached_property
    def _ink_levels(self) -> np.ndarray:
        levels = np.linspace(0, 1, _LEVELS)
        return np.array([self._readable(colour) for colour in self.colours(levels)])

    def _readable(self, background: np.ndarray) -> str:
        return next(
            (ink for ink in self.inks if contrast(rgb(ink), background) >= READABLE * 1.02),
            max(("#000000", "#ffffff"), key=lambda ink: contrast(rgb(ink), background)),
        )

    def colours(self, shares: Shaped[np.ndarray, "..."]) -> Shaped[np.ndarray, "... 3"]:
        """Give the red, green and blue (0–255) at each share of the range."""
        places = np.linspace(0, 1, len(self.stops))
        channels = np.array([rgb(stop) for stop in self.stops]).T
        return np.stack([np.interp(shares, places, channel) for channel in channels], axis=-1)

    def inks_on(self, shares: Shaped[np.ndarray, "..."]) -> list[str]:
        """Give the lettering colour for each cell, in reading order; NaN gets the first ink."""
        levels = np.nan_to_num(np.clip(shares, 0, 1)) * (_LEVELS - 1)
        inks = self._ink_levels[np.rint(levels).astype(int)]
        return np.where(np.isnan(shares), self.inks[0], inks).ravel().tolist()


@dataclass(frozen=True)
class Theme:
    """What a figure is drawn with. Backgrounds are transparent: the page's own shows through."""

    text: str
    muted: str
    grid: str
    page: str
    hatch: str
    accent: str
    colours: dict[str, str]
    inks: dict[str, str]
    weights: Scale
    scores: Scale

    @property
    def forbidden(self) -> list[list[Number | str]]:
        """The colour scale of a map that is 1 where a mask forbids, too small for hatching."""
        grey = faded(self.hatch, 0.45)
        return [[0, TRANSPARENT], [0.5, TRANSPARENT], [0.5, grey], [1, grey]]


_DARK_INK, _LIGHT_INK = "#1F2328", "#FFFFFF"
_COLOURS = {"query": "#0072B2", "key": "#E69F00", "value": "#009E73"}

THEMES: dict[str, Theme] = {
    "light": Theme(
        text="#1F2328",
        muted="#5E646C",
        grid="#DCD8CF",
        page="#FDFCFA",
        hatch="#A39F96",
        accent="#8F3B76",
        colours=_COLOURS | {"output": "#000000"},
        inks={"query": "#00659E", "key": "#875900", "value": "#00704F", "output": "#000000"},
        weights=Scale(
            ("#FBF9FB", "#EFD9E9", "#DDB0D0", "#C282AF", "#A3578E", "#7F316A", "#521544"),
            (_DARK_INK, _LIGHT_INK),
        ),
        scores=Scale(
            ("#7A4508", "#B87A2A", "#DFBE83", "#F9F7F2", "#8ECBC2", "#2F9087", "#005A50"),
            (_DARK_INK, _LIGHT_INK),
        ),
    ),
    "dark": Theme(
        text="#ECEAE4",
        muted="#A9ADB5",
        grid="#3B3F47",
        page="#16181C",
        hatch="#6B707A",
        accent="#E49BCB",
        colours={"query": "#2E94D6", "key": "#E69F00", "value": "#1DB68A", "output": "#F4F2EC"},
        inks={"query": "#6CBDF2", "key": "#F2B84B", "value": "#4FD0A9", "output": "#F4F2EC"},
        weights=Scale(
            ("#22252B", "#42293F", "#6B3459", "#9A4A80", "#C970AD", "#E9A3D3", "#FBDDF1"),
            ("#F4F2EC", "#101215"),
        ),
        scores=Scale(
            ("#F3C078", "#B9813B", "#684A26", "#22252B", "#1F534E", "#2F938A", "#86E0D5"),
            ("#F4F2EC", "#101215"),
        ),
    ),
}


def rgb(colour: str) -> tuple[int, int, int]:
    """Read `#rrggbb`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def faded(colour: str, opacity: Number) -> str:
    """Give the colour with the page showing through."""
    red, green, blue = rgb(colour)
    return f"rgba({red},{green},{blue},{opacity:g})"


def luminance(colour: tuple[int, int, int] | np.ndarray) -> float:
    """Give the relative luminance of WCAG 2.2, from 0 (black) to 1 (white)."""
    share = np.asarray(colour, dtype=float) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(
    one: tuple[int, int, int] | np.ndarray, other: tuple[int, int, int] | np.ndarray
) -> float:
    """Give the contrast ratio of WCAG 2.2, from 1 (equal) to 21 (black on white)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def layout(
    theme: Theme, *, width: Number | None, height: Number, margin: tuple[int, int, int, int]
) -> dict:
    """Give the part of a layout that all figures share; margins are left, right, top, bottom."""
    left, right, top, bottom = margin
    size = {"height": height} if width is None else {"height": height, "width": width}
    return {
        "template": {},
        "paper_bgcolor": TRANSPARENT,
        "plot_bgcolor": TRANSPARENT,
        "font": {"family": FONT, "size": 14, "color": theme.text},
        "margin": {"l": left, "r": right, "t": top, "b": bottom, "pad": 0},
        "showlegend": False,
        "dragmode": False,
        "hoverlabel": {"font": {"family": FONT, "size": 14}},
        **size,
    }


VALIDATE = False
"""Whether Plotly checks each figure; the tests do, on a page it would take most of the time."""


def drawn(data: list[dict], drawing: dict) -> go.Figure:
    """Make a figure of finished traces and a finished layout."""
    return go.Figure({"data": data, "layout": drawing}, _validate=VALIDATE)
