"""What the panels of Compare share: pictures as squares, colours, and choices kept in the link."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from attnviz.figures.theme import THEMES, rgb
from attnviz.text.numbers import magnitude
from attnviz.ui import session

Grid = tuple[int, int]
LOWEST = -8  # the power of ten where the colours of errors begin


def hexes(colours: np.ndarray) -> list[str]:
    """Write colours of 0 … 255 as the browser reads them, in reading order."""
    flat = np.clip(np.rint(np.asarray(colours, dtype=float)), 0, 255).astype(int).reshape(-1, 3)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in flat.tolist()]


def weight_colours(shares: np.ndarray) -> list[str]:
    """Colour shares from 0 to 1 as weights are coloured everywhere."""
    return hexes(THEMES[session.theme()].weights.colours(shares))


def weight_legend(largest: float) -> tuple[str, str, list[str]]:
    """Say what the colours of weights mean: from 0 to the largest shown."""
    return "0", magnitude(largest), weight_colours(np.linspace(0, 1, 7))


def error_colours(errors: np.ndarray, highest: float) -> list[str]:
    """Colour errors by their power of ten."""
    powers = np.log10(np.maximum(errors, 10.0**LOWEST))
    return weight_colours((powers - LOWEST) / (np.log10(highest) - LOWEST))


def dimmed(colours: np.ndarray, lit: np.ndarray) -> np.ndarray:
    """Leave colours of 0 … 255 where `lit` is True, and let the page show through elsewhere."""
    page = np.array(rgb(THEMES[session.theme()].page), dtype=float)
    return np.where(lit[..., None], colours, 0.82 * page + 0.18 * colours)


def pixel_in_hand(grid: Grid) -> int:
    """Give the pixel that asks: the one of the link, or the middle of the picture."""
    key, (rows, columns) = session.settings().key, grid
    if key is not None and key < rows * columns:
        return key
    return (rows // 2) * columns + (columns - 1) // 2


def ask_pixel(pixel: int) -> None:
    """Let another pixel ask."""
    session.change("compare", key=pixel)


def at(pixel: int, grid: Grid) -> tuple[int, int]:
    """Give the row and column of a pixel."""
    return divmod(pixel, grid[1])


def place_name(pixel: int, grid: Grid) -> str:
    """Say where a pixel is."""
    row, column = at(pixel, grid)
    return session.t()("compare.pixel", row=row + 1, column=column + 1)


def choose(
    control: str,
    label: str,
    options: Sequence,
    chosen: object,
    name: Callable[[Any], str],
    take: Callable[[Any], None],
) -> None:
    """Draw a choice between few options in one line, under its label."""
    session.put(control, chosen)
    st.segmented_control(
        label,
        options,
        format_func=name,
        key=control,
        required=True,
        width="content",
        on_change=lambda: take(session.got(control)),
    )


def pick(
    control: str,
    label: str,
    options: Sequence,
    chosen: object,
    name: Callable[[Any], str],
    take: Callable[[Any], None],
    *,
    width: int = 160,
) -> None:
    """Draw a choice among several options that opens."""
    session.put(control, chosen)
    st.selectbox(
        label,
        options,
        format_func=name,
        key=control,
        width=width,
        on_change=lambda: take(session.got(control)),
    )


def slide(
    control: str,
    label: str,
    options: Sequence,
    chosen: object,
    take: Callable[[Any], None],
    *,
    name: Callable[[Any], str] = str,
    width: int = 300,
    note: str | None = None,
) -> None:
    """Draw a slider over a list of values."""
    session.put(control, chosen)
    st.select_slider(
        label,
        options,
        format_func=name,
        key=control,
        width=width,
        help=note,
        on_change=lambda: take(session.got(control)),
    )


def arranged(controls: Callable[[], None], picture: Callable[[], None]) -> None:
    """Draw the controls above the picture, or beneath it where it is shown to a whole room."""
    first, last = (picture, controls) if session.settings().present else (controls, picture)
    first()
    last()


def answer(text: str) -> None:
    """Say the answer of a panel, before its picture."""
    st.markdown(text)


def number_of(prefix: str, options: Sequence[int], usual: int) -> int:
    """Read one of some whole numbers out of the setting `rung`, where it stands after a prefix."""
    text = session.settings().rung.removeprefix(prefix)
    return int(text) if text.isdecimal() and int(text) in options else usual


def amount_among(options: Sequence[float | int], usual: float | int) -> float | int:
    """Give the free number of the panel, where it is one of those offered."""
    amount = session.settings().amount
    return next((each for each in options if each == amount), usual)
