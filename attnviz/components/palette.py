"""The colours of weights, ready for a canvas: 256 of them, with black or white to write on each."""

from __future__ import annotations

from functools import cache
from typing import Literal

from attnviz.components.matrix import SCALES

Theme = Literal["light", "dark"]

ACCENTS = {"light": "#8F3B76", "dark": "#E49BCB"}
HEADS = {
    "light": (
        "#0072B2", "#B35C00", "#007A5A", "#A8408A", "#5B4BB5", "#8A6D00", "#00768F", "#B3261E",
        "#4F7A00", "#6B4A2B", "#455A64", "#8E24AA",
    ),
    "dark": (
        "#56B4E9", "#F0A04B", "#3FCF9F", "#E49BCB", "#B3A6FF", "#E3C84B", "#4FC3D9", "#FF8A80",
        "#A5D65A", "#D0A37E", "#A9BAC3", "#D59CF0",
    ),
}  # fmt: skip
"""Colours that tell heads apart, each also told by its name; they begin again when all are used."""

_LEVELS = 256


def locked(query: int | None, key: int | None, held: str = "") -> dict[str, object] | None:
    """Say which token is held when a picture is drawn: the one that asks, or is asked."""
    if held == "key" and key is not None:
        return {"side": "key", "at": key, "other": None}
    return None if query is None else {"side": "query", "at": query, "other": key}


@cache
def palette(theme: Theme, kind: str = "weights") -> dict[str, object]:
    """Give the colours of one theme: those of weights or "scores", the ink on each, the accent."""
    stops = [_rgb(stop) for stop in SCALES[kind][theme]]
    colours = [_between(stops, level / (_LEVELS - 1)) for level in range(_LEVELS)]
    return {
        "theme": theme,
        "colours": colours,
        "inks": [int(_luminance(colour) <= 0.179) for colour in colours],  # 1 = white
        "accent": ACCENTS[theme],
    }


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _between(stops: list[tuple[int, int, int]], share: float) -> list[int]:
    at = share * (len(stops) - 1)
    place = min(len(stops) - 2, int(at))
    pairs = zip(stops[place], stops[place + 1], strict=True)
    return [round(one + (two - one) * (at - place)) for one, two in pairs]


def _luminance(colour: list[int]) -> float:
    """Give the relative luminance of WCAG 2.2, from 0 (black) to 1 (white)."""
    shares = [channel / 255 for channel in colour]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
