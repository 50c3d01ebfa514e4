"""What was noted while a page was drawn, as files can hold it: its figures and its tables."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from attnviz.components import TableSpec, Text
from attnviz.components.grid import GridSpec
from attnviz.components.matrix import MatrixSpec
from attnviz.components.painter import PainterSpec
from attnviz.components.pixels import PixelsSpec
from attnviz.components.plane import Column, PlaneSpec
from attnviz.exports.grids import Grid
from attnviz.exports.panels import Panel
from attnviz.exports.shown import OnPage, Shown, title_of
from attnviz.figures.arrows import Arrow, arrows_figure
from attnviz.figures.labels import shortened, subscript
from attnviz.figures.theme import THEMES, Scale, ThemeName
from attnviz.text.numbers import table, vector

QUESTION, SAID = "question", "said"
"""The keys under which the question of a panel and the sentence that reads it are noted."""

_LONGEST = 72
_SENTENCE = re.compile(r"\.(?= |$)|。")
_LOWERED, _RAISED = (str.maketrans("0123456789", row) for row in ("₀₁₂₃₄₅₆₇₈₉", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
_SYMBOLS = {"q": "query", "k": "key", "v": "value"}


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure as it was drawn, and what it shows in words."""

    figure: go.Figure
    alt: str


def shown(notes: Mapping[str, object], theme: ThemeName) -> list[Shown]:
    """Give what was noted, in the order of the page; where titles are equal, names are added."""
    found = [one for key, drawn in list(notes.items()) for one in _read(drawn, slug(key), theme)]
    times = Counter(one.title for one in found)
    return [
        replace(one, title=f"{one.title} · {one.name}") if times[one.title] > 1 else one
        for one in found
    ]


def whole(notes: Mapping[str, object], otherwise: str, theme: ThemeName) -> OnPage:
    """Give all of a page: its question (`otherwise` is its name), its sentence, what it shows."""
    said = notes.get(SAID)
    title = str(notes.get(QUESTION, otherwise)).replace("$", "")
    return OnPage(title, [said] if isinstance(said, str) else [], shown(notes, theme))


def slug(text: str) -> str:
    """Write a key as it stands in the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


@singledispatch
def _read(_drawn: object, _name: str, _theme: ThemeName) -> Iterator[Shown]:
    """Read what was noted; what is neither figure nor table gives nothing."""
    yield from ()


@_read.register
def _figure(drawn: Drawn, name: str, _theme: ThemeName) -> Iterator[Shown]:
    title = title_of(drawn.figure) or _SENTENCE.split(drawn.alt)[0]
    yield Panel(name, shortened(title, _LONGEST), drawn.alt, drawn.figure)


@_read.register
def _side_by_side(drawn: tuple, name: str, theme: ThemeName) -> Iterator[Shown]:
    for place, one in enumerate(drawn, 1):
        yield from _read(one, f"{name}-{place}" if len(drawn) > 1 else name, theme)


@_read.register
def _matrix(spec: MatrixSpec, name: str, _theme: ThemeName) -> Iterator[Shown]:
    shades = spec.as_data()["shades"]
    yield Grid(
        **_table(spec, name),
        colours=_coloured(shades, spec) if isinstance(shades, list) else None,
        numbers=None if spec.exact is None else _listed(spec.exact),
        squares=not spec.digits,
    )


@_read.register
def _edited(spec: GridSpec, name: str, _theme: ThemeName) -> Iterator[Shown]:
    yield Grid(**_table(spec, name), numbers=[list(map(_number, row)) for row in spec.cells])


@_read.register
def _mask(spec: PainterSpec, name: str, _theme: ThemeName) -> Iterator[Shown]:
    cells = [[int(cell) for cell in row] for row in spec.cells]
    if spec.turned:
        cells = [list(row) for row in zip(*cells, strict=True)]
    labels = [plain(label) for label in spec.labels]
    yield Grid(
        name=name,
        title=_joined(plain(spec.name), spec.title or spec.label),
        alt=spec.label,
        cells=table(np.array(cells, dtype=float), 0),
        rows=labels,
        columns=labels,
        row_title=spec.row_title,
        column_title=spec.column_title,
        numbers=cells,
    )


@_read.register
def _picture(spec: PixelsSpec, name: str, _theme: ThemeName) -> Iterator[Shown]:
    width = spec.columns
    height = len(spec.colours) // width

    def in_rows(flat: Sequence) -> list[list]:
        return [list(flat[row * width : (row + 1) * width]) for row in range(height)]

    yield Grid(
        name=name,
        title=spec.title,
        alt=spec.label,
        cells=in_rows(spec.readouts),
        rows=[str(row + 1) for row in range(height)],
        columns=[str(column + 1) for column in range(width)],
        colours={"light": in_rows(spec.colours), "dark": in_rows(spec.colours)},
        numbers=None if spec.exact is None else in_rows(_listed(spec.exact)),
        squares=True,
    )


@_read.register
def _plane(spec: PlaneSpec, name: str, theme: ThemeName) -> Iterator[Shown]:
    kinds: dict[Literal["scores", "values"], str] = {"scores": "qk", "values": "v"}
    for kind, symbols in kinds.items():
        arrows = [
            Arrow(
                colour=_SYMBOLS[one.symbol],
                name=one.name,
                x=float(one.tip[0]),
                y=float(one.tip[1]),
                pale=one.hidden,
            )
            for one in spec.arrows
            if one.symbol in symbols
        ]
        if arrows and kind == "values":
            x, y = map(float, spec.row.output)
            arrows.append(Arrow(colour="output", name=spec.output, x=x, y=y))
        if arrows:
            title = ", ".join(dict.fromkeys(one.name[:1] for one in arrows))
            alt = f"{spec.label}: {_tips(arrows, spec.digits)}"
            yield Panel(f"{name}-{kind}", title, alt, arrows_figure(arrows, title, theme))
    yield _row(spec, name)


def _row(spec: PlaneSpec, name: str) -> Grid:
    """Give the numbers of the query in hand that stand beside the arrows, a key a row."""
    row = spec.row
    weights, values = np.array(row.weights, dtype=float), np.array(row.values, dtype=float)
    found: dict[Column, Any] = {"scores": row.scores, "weights": row.weights}
    found["lengths"] = np.linalg.norm(weights[:, None] * values, axis=1)
    if row.without is not None:
        left = np.array(row.without, dtype=float)
        found["effects"] = np.linalg.norm(np.array(row.output, dtype=float) - left, axis=1)
    titles: dict[Column, tuple[str, str]] = {
        key: title for key, title in spec.titles.items() if key in found
    }
    numbers = np.array([found[key] for key in titles], dtype=float).T
    return Grid(
        name=f"{name}-numbers",
        title=spec.label,
        alt=spec.label,
        cells=table(numbers, spec.digits),
        rows=[token + subscript(place) for place, token in enumerate(spec.tokens)],
        columns=[_joined(*title) for title in titles.values()],
        numbers=_listed(numbers),
    )


def _tips(arrows: Sequence[Arrow], digits: int) -> str:
    return "; ".join(f"{one.name} {vector((one.x, one.y), digits)}" for one in arrows)


def _table(spec: TableSpec, name: str) -> dict[str, Any]:
    """Give what all tables have."""
    title = _joined(plain(spec.name), spec.title) or spec.label
    return {
        "name": name,
        "title": title,
        "alt": spec.label or title,
        "cells": spec.cells,
        "rows": [plain(label) for label in spec.row_labels],
        "columns": [plain(label) for label in spec.column_labels],
        "row_title": spec.row_title,
        "column_title": spec.column_title,
    }


def _coloured(shades: list[list[float]], spec: MatrixSpec) -> dict[ThemeName, list[list[str]]]:
    """Give the colours that a browser gives the cells, by day and by night."""
    by_day, by_night = THEMES["light"], THEMES["dark"]
    scales: dict[ThemeName, Scale] = (
        {"light": by_day.weights, "dark": by_night.weights}
        if spec.kind == "weights"
        else {"light": by_day.scores, "dark": by_night.scores}
    )
    return {theme: _hexes(shades, spec, scale) for theme, scale in scales.items()}


def _hexes(shades: list[list[float]], spec: MatrixSpec, scale: Scale) -> list[list[str]]:
    """Write the colour of each cell; what a mask hides has none."""
    colours = np.rint(scale.colours(np.array(shades))).astype(int).tolist()
    hidden = spec.masked or [[False] * len(row) for row in shades]
    return [
        [
            "" if off else "#{:02x}{:02x}{:02x}".format(*cell)
            for cell, off in zip(*rows, strict=True)
        ]
        for rows in zip(colours, hidden, strict=True)
    ]


def _listed(array: Any) -> list:
    """Give an array, or rows of numbers, as lists of plain numbers."""
    if isinstance(array, np.ndarray):
        return array.tolist()
    return [
        _listed(each)
        if isinstance(each, list | tuple | np.ndarray)
        else each.item()
        if isinstance(each, np.generic)
        else each
        for each in array
    ]


def _number(text: str) -> float | None:
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        return None


def plain(text: Text) -> str:
    """Write a text without its styles: what is lowered or raised stays so."""
    if isinstance(text, str):
        return text
    return "".join(piece if isinstance(piece, str) else _styled(*piece) for piece in text)


def _styled(piece: str, style: str) -> str:
    styles = [] if piece.startswith(" ") else style.split()
    if "sub" in styles:
        return piece.translate(_LOWERED) if piece.isdecimal() else f"_{piece}"
    if "sup" in styles:
        return piece.translate(_RAISED) if piece.isdecimal() else f"^{piece}"
    return piece


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))
