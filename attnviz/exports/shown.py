"""What stands on a page, figures and tables, as one HTML file, one table and one JSON document."""

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.exports.grids import Grid
from attnviz.exports.looks import Look
from attnviz.exports.pages import page as html_page
from attnviz.exports.panels import Panel
from attnviz.exports.tables import safe
from attnviz.figures.theme import THEMES, ThemeName

Shown = Panel | Grid

FORMAT, VERSION = "attnviz page", 1
COLUMNS = (
    *("figure", "title", "series", "x_axis", "x", "x_label"),
    *("y_axis", "y", "y_label", "value", "text"),
)
"""A number a row: a curve has x and y, a map or a table has a value at x (column) and y (row)."""

_SEQUENCES: tuple[type, ...] = (list, tuple, np.ndarray)
_ARRAYS = ("x", "y", "z", "text")
_TAGS = re.compile(r"<[^>]*>")
_INFINITIES = {math.inf: "∞", -math.inf: "−∞"}  # "-inf" would be run as a formula


@dataclass(frozen=True, eq=False)
class OnPage:
    """What stands on a page: its question, the sentences that read it aloud, and what it shows."""

    title: str
    said: Sequence[str]
    shown: Sequence[Shown]


def shown_page(page: OnPage, look: Look, theme: ThemeName, link: str = "") -> bytes:
    """Write what stands on a page as one HTML file that opens with no network.

    Figures keep the colours of their theme, tables have both; `link` opens the same page.
    """
    drawn = [one for one in page.shown if isinstance(one, Panel) or one.squares]
    figures = [_for_page(one, theme) for one in drawn]
    grids = [one.table() for one in page.shown if isinstance(one, Grid) and not one.squares]
    return html_page(page.title, look, said=page.said, panels=figures, grids=grids, link=link)


def shown_csv(page: OnPage) -> bytes:
    """Write every number in full as one row of a table; a spreadsheet runs none of the texts."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for one in page.shown:
        rows = _grid_rows(one) if isinstance(one, Grid) else _figure_rows(one.light)
        writer.writerows([one.name, safe(one.title), *row] for row in rows)
    return file.getvalue().encode("utf-8-sig")


def shown_json(page: OnPage, language: str, link: str = "") -> bytes:
    """Write the arrays of every figure and the cells of every table, in full, as JSON.

    Infinities are the texts "inf" and "-inf", what is missing is null.
    """
    head = {"format": FORMAT, "version": VERSION, "language": language, "link": link}
    figures = [_table(one) if isinstance(one, Grid) else _figure(one) for one in page.shown]
    document = head | {"title": page.title, "said": list(page.said), "figures": figures}
    return json.dumps(_finite(document), ensure_ascii=False, allow_nan=False, indent=1).encode()


def on_paper(one: Shown, theme: ThemeName) -> go.Figure:
    """Give a figure on the ground of its theme, so that it reads anywhere."""
    drawing = one.light if isinstance(one, Panel) else one.figure(theme)
    laid = go.Figure(drawing, _validate=False)
    return laid.update_layout(paper_bgcolor=THEMES[theme].page)


def _for_page(one: Shown, theme: ThemeName) -> Panel:
    """Give a figure as the page holds it: a table of colours in both themes, without its title."""
    if isinstance(one, Panel):
        return Panel(one.name, one.title, one.alt, on_paper(one, theme))
    light, dark = one.figure("light", titled=False), one.figure("dark", titled=False)
    return Panel(one.name, one.title, one.alt, light, dark)


def plain_text(markup: str | None) -> str:
    """Leave out the small HTML that Plotly reads."""
    return unescape(_TAGS.sub("", (markup or "").replace("<br>", " "))).strip()


def title_of(figure: go.Figure) -> str:
    """Give the title of a figure, "" if it has none."""
    return _title(figure["layout"].to_plotly_json())


def series_of(figure: go.Figure) -> Iterator[dict[str, Any]]:
    """Go through the traces of a figure: their arrays in full, and the words on their axes."""
    layout = figure.to_plotly_json()["layout"]
    traces: Any = figure.data
    for place, trace in enumerate(traces, 1):
        read = trace.to_plotly_json()
        arrays = {name: _listed(read[name]) for name in _ARRAYS if _is_array(read.get(name))}
        axes = {name: layout.get(_axis(read.get(f"{name}axis", name)), {}) for name in "xy"}
        titles = {f"{name}_axis": _title(axis) for name, axis in axes.items()}
        labels = {f"{name}_labels": _labels(axis) for name, axis in axes.items()}
        name = plain_text(read.get("name")) or str(place)
        yield {"series": name, "type": read["type"]} | titles | labels | arrays


def _figure_rows(figure: go.Figure) -> Iterator[list[str]]:
    for one in series_of(figure):
        for x, y, value, text in _points(one):
            across = _words(one["x_axis"], x, one["x_labels"])
            down = _words(one["y_axis"], y, one["y_labels"])
            yield [safe(one["series"]), *across, *down, _number(value), safe(plain_text(text))]


def _points(one: dict[str, Any]) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Go through the points of a trace; where it has no places, they are counted from 0."""
    texts = one.get("text")
    if "z" in one:
        for i, row in enumerate(one["z"]):
            for j, value in enumerate(row):
                x, y = _at(one.get("x"), j), _at(one.get("y"), i)
                yield x, y, value, texts[i][j] if texts else ""
        return
    for i in range(max(len(one.get("x", ())), len(one.get("y", ())))):
        yield _at(one.get("x"), i), _at(one.get("y"), i), None, texts[i] if texts else ""


def _at(places: Sequence[Any] | None, place: int) -> Any:
    return place if places is None else places[place]


def _words(title: str, place: Any, labels: dict[Any, str]) -> list[str]:
    label = labels.get(place, "")
    if isinstance(place, str):
        return [safe(title), "", safe(plain_text(place))]
    return [safe(title), _number(place), safe(label)]


def _grid_rows(grid: Grid) -> Iterator[list[str]]:
    for i, (label, texts) in enumerate(zip(grid.rows, grid.cells, strict=True)):
        for j, text in enumerate(texts):
            numbers = _numbers(grid, i, j)
            across = [safe(grid.column_title), str(j + 1), safe(grid.columns[j])]
            down = [safe(grid.row_title), str(i + 1), safe(label)]
            for place, number in enumerate(numbers, 1):
                series = str(place) if len(numbers) > 1 else ""
                yield [series, *across, *down, _number(number), safe(text)]


def _numbers(grid: Grid, i: int, j: int) -> Sequence[Any]:
    found = None if grid.numbers is None else grid.numbers[i][j]
    return found if isinstance(found, list | tuple) else [found]


def _figure(panel: Panel) -> dict[str, Any]:
    series = []
    for one in series_of(panel.light):
        labels = {f"{name}_labels": list(one[f"{name}_labels"].items()) for name in "xy"}
        kept = {name: label for name, label in labels.items() if label}
        series.append({key: value for key, value in one.items() if key not in labels} | kept)
    return _named(panel) | {"series": series}


def _table(grid: Grid) -> dict[str, Any]:
    return _named(grid) | {
        "row_title": grid.row_title,
        "column_title": grid.column_title,
        "rows": list(grid.rows),
        "columns": list(grid.columns),
        "numbers": grid.numbers,
        "cells": [list(row) for row in grid.cells],
    }


def _named(one: Shown) -> dict[str, str]:
    return {"name": one.name, "title": one.title, "alt": one.alt}


def _is_array(value: Any) -> bool:
    return isinstance(value, _SEQUENCES)


def _listed(array: Any) -> list:
    """Give an array as a list; of a short float the digits that it has, not those of a long one."""
    if isinstance(array, np.ndarray) and (array.dtype != np.float32 or array.size == 0):
        return array.tolist()
    return [_listed(each) if _is_array(each) else _plain(each) for each in array]


def _plain(value: Any) -> Any:
    if not isinstance(value, np.generic):
        return value
    return float(str(value)) if value.dtype == np.float32 else value.item()


def _axis(name: str) -> str:
    return f"{name[0]}axis{name[1:]}"


def _title(axis: dict[str, Any]) -> str:
    title = axis.get("title") or {}
    return plain_text(title if isinstance(title, str) else title.get("text"))


def _labels(axis: dict[str, Any]) -> dict[Any, str]:
    values, texts = axis.get("tickvals"), axis.get("ticktext")
    if values is None or texts is None:
        return {}
    return dict(zip(_listed(values), map(plain_text, map(str, texts)), strict=False))


def _number(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return safe(value)
    return _INFINITIES.get(value) or repr(value)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else repr(value)
    return value
