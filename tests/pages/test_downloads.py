"""What the menu Download of a room offers: first of all what its panel shows."""

import csv
import importlib
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import product

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit as st

from attnviz.components import NOTES
from attnviz.errors import InputError
from attnviz.text import LANGUAGES, words
from attnviz.ui import downloads, on_page
from attnviz.ui.rooms.compare.head import FROM_SENTENCE
from tests.pages.reading import charts, opened, plain, tables

ROOMS = ("matrices", "heads", "positions", "lab", "compare", "train")
PANELS = [
    (room, panel)
    for room in ROOMS
    for panel in importlib.import_module(f"attnviz.ui.rooms.{room}").PANELS
]
NOTATIONS = {"en": "row", "zh-Hant": "column"}
WICKED = ("</script><b>saw</b>", "<img/src=x>", "&amp;會", "=1+1")
KINDS = ("html", "csv", "json")


class Room:
    """A room with its menu open: what it offers by key, its names, and what would be saved."""

    def __init__(self, monkeypatch, room: str, panel: str, **link: str) -> None:
        self.made: dict[str, Callable[[], bytes]] = {}
        self.names: dict[str, str] = {}
        offer = st.download_button

        def heard(*label, **how):
            if how.get("key", "").startswith("download."):
                self.made[how["key"]], self.names[how["key"]] = how["data"], how["file_name"]
            return offer(*label, **how)

        monkeypatch.setattr(st, "download_button", heard)
        self.app = opened(f"{room}.py", panel=panel, **link)
        self.open("download")

    def open(self, fold: str) -> None:
        self.app.session_state[fold] = True
        self.app.run()
        assert not self.app.exception, self.app.exception

    def file(self, kind: str) -> str:
        return self.made[f"download.page.{kind}"]().decode("utf-8-sig")

    def rows(self) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.file("csv"), newline="")))

    def document(self) -> dict:
        return json.loads(self.file("json"))

    def figures(self) -> dict[str, go.Figure]:
        """Give the figures that were drawn, by their names in files."""
        notes = self.app.session_state[NOTES]
        found = {key: one for key, one in notes.items() if isinstance(one, on_page.Drawn)}
        return {on_page.slug(key): one.figure for key, one in found.items()}


class Reader(HTMLParser):
    """Read the tags of a page and what it says; the library that draws is passed over."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.said: list[str] = []
        scripts = r"<script>.*?</script>"
        self.feed(re.sub(scripts, "", html, flags=re.DOTALL))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.said.append(data)


@pytest.mark.parametrize(
    ("room", "panel", "language"),
    [(*one, language) for one, language in product(PANELS, LANGUAGES)],
)
def test_every_panel_offers_first_what_it_shows_in_full(monkeypatch, room, panel, language):
    t, slug = words(language), panel.replace("_", "-")
    shown = Room(monkeypatch, room, panel, lang=language, notation=NOTATIONS[language])
    assert list(shown.made)[:3] == [f"download.page.{kind}" for kind in KINDS]
    assert list(shown.names.values())[:3] == [f"attnviz-{slug}.{kind}" for kind in KINDS]
    heading = f"**{t('download.page', panel=t(f'panel.{panel}'))}**"
    assert heading in [mark.value for mark in shown.app.markdown]
    document, html, rows = shown.document(), Reader(shown.file("html")), shown.rows()
    figures = {one["name"]: one for one in document["figures"]}
    assert len(figures) == len(document["figures"])
    assert len(figures) >= max(1, len(charts(shown.app)) + len(tables(shown.app)))
    assert all(one["title"] and one["alt"] for one in figures.values())
    assert len(shown.app.selectbox(key="download.shown").options) == len(figures)
    assert document["title"] in html.said
    assert set(document["said"]) <= set(html.said)
    drawn = [tag for tag, _ in html.tags].count
    assert drawn("figure") + drawn("table") == len(figures)
    assert not [at for _, at in html.tags if {"src", "srcset", "data", "action"} & set(at)]
    written = {name: [row for row in rows if row["figure"] == name] for name in figures}
    for name, figure in shown.figures().items():
        check_series(figures[name]["series"], written.pop(name), figure)
    grids = {name: figures[name] for name in written if "cells" in figures[name]}
    for name, grid in grids.items():
        check_cells(grid, written[name])
    assert rows


def check_series(series: list[dict], rows: list[dict], figure: go.Figure) -> None:
    """See that both files hold the arrays of a figure, point by point."""
    assert len(series) == len(figure.data)
    places = iter(rows)
    for read, trace in zip(series, figure.data, strict=True):
        for name in [name for name in "xyz" if array_of(trace, name) is not None]:
            for one, number in zip(flat(read[name]), flat(trace[name]), strict=True):
                assert same(one, number)
        main, column = ("y", "y") if array_of(trace, "z") is None else ("z", "value")
        for number in flat(array_of(trace, main)):
            row = next(places)
            text = row[column] or row["y_label"] if isinstance(number, str) else row[column]
            assert same(text if isinstance(number, str) else float(text or "nan"), number)
    assert not list(places)


def array_of(trace, name: str):
    return trace.to_plotly_json().get(name)


def flat(array) -> list:
    return [each for one in array for each in (flat(one) if np.ndim(one) else [one])]


def same(read, number) -> bool:
    """Tell whether a number was written in its own precision; what is missing has none."""
    if number is None or number != number:
        return read is None or read != read
    return np.float32(read) == number if isinstance(number, np.float32) else read == number


def check_cells(grid: dict, rows: list[dict]) -> None:
    """See that the numbers of a table are those of its cells, in full, in both files."""
    texts = [text for row in grid["cells"] for text in row]
    if grid["numbers"] is None:
        assert [row["text"].removeprefix("'") for row in rows] == [
            x.removeprefix("'") for x in texts
        ]
        return
    numbers = flat(grid["numbers"])
    assert [float(row["value"] or "nan") for row in rows] == pytest.approx(
        [np.nan if one is None else one for one in map(infinite, numbers)],
        rel=0,
        abs=0,
        nan_ok=True,
    )
    if len(numbers) == len(texts):
        for text, number in zip(texts, numbers, strict=True):
            read = re.fullmatch(r"[+−]?\d+(\.\d+)?", text)
            if read and number is not None:
                unit = 10.0 ** -len(text.partition(".")[2])
                assert abs(float(text.replace("−", "-")) - number) <= 0.5000001 * unit


def infinite(number):
    return float(number) if isinstance(number, str) else number


@pytest.mark.parametrize(("room", "panel"), PANELS)
def test_what_belongs_to_the_sentence_is_offered_where_the_panel_reads_it(monkeypatch, room, panel):
    shown = Room(monkeypatch, room, panel, lang="en")
    reads = room not in ("compare", "train") or panel in FROM_SENTENCE
    assert ("download.sentence" in shown.app.session_state) == reads
    assert "download.zip" not in shown.made
    if reads:
        shown.open("download.sentence")
        kinds = ("json", "npz", "csv", "html", "zip")
        assert {f"download.{kind}" for kind in kinds} <= set(shown.made)


def test_what_was_typed_is_text_in_every_file(monkeypatch):
    shown = Room(monkeypatch, "heads", "every_head", lang="en", tok="|".join(WICKED))
    html = shown.file("html")
    assert "<b>saw" not in html
    assert "<img" not in html
    read = Reader(html)
    assert not {"img", "iframe", "link", "object"} & {tag for tag, _ in read.tags}
    assert {f"{token}{place}" for token, place in zip(WICKED, "₁₂₃₄", strict=True)} <= set(
        read.said
    )
    policy = next(at["content"] for tag, at in read.tags if tag == "meta" and "content" in at)
    assert policy.startswith("default-src 'none'; script-src ")
    labels = {row["x_label"] for row in shown.rows()}
    assert "'=1+1₄" in labels
    assert "=1+1₄" not in labels


def test_nothing_is_noted_while_the_menu_is_closed(monkeypatch):
    app = opened("compare.py", panel="convolution", lang="en")
    assert NOTES not in app.session_state
    shown = Room(monkeypatch, "compare", "convolution", lang="en")
    assert set(shown.figures()) == {"errors"}
    shown.app.session_state["download"] = False
    shown.app.run()
    assert NOTES not in shown.app.session_state


@pytest.mark.parametrize("place", [0, 1])
def test_a_picture_is_drawn_at_the_click_and_named_after_its_panel(monkeypatch, place):
    asked = []

    def drawn(figure, kind, **how):
        asked.append((figure, kind, how))
        return b"<svg/>"

    monkeypatch.setattr(downloads, "picture", drawn)
    shown = Room(monkeypatch, "compare", "convolution", lang="en")
    shown.app.selectbox(key="download.shown").set_value(place).run()
    assert asked == []
    shown.app.button(key="download.draw.page.svg").click().run()
    [(figure, kind, how)] = asked
    assert kind == "svg"
    assert how["background"].startswith("#")
    assert figure["layout"]["width"]
    names = ("attnviz-convolution-pictures-1.svg", "attnviz-convolution-pictures-2.svg")
    assert shown.names["download.save.page.svg"] == names[place]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_machine_that_cannot_draw_says_so_in_a_sentence(monkeypatch, language):
    def refused(*_figure, **_how):
        raise InputError("export.no_browser")

    monkeypatch.setattr(downloads, "picture", refused)
    shown = Room(monkeypatch, "train", "film", lang=language)
    shown.app.button(key="download.draw.page.png").click().run()
    assert not shown.app.exception
    said = [plain(warning.value) for warning in (*shown.app.error, *shown.app.warning)]
    assert any(words(language)("error.export.no_browser") in text for text in said)
