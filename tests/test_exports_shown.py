"""What stands on a page as files: every number in full, every text as text."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from attnviz.exports.grids import Grid
from attnviz.exports.looks import Look
from attnviz.exports.panels import Panel
from attnviz.exports.shown import COLUMNS, OnPage, on_paper, shown_csv, shown_json, shown_page
from attnviz.figures.theme import THEMES, drawn

WICKED = "</script><i>=1</i>"
THIRD = 1 / 3
LIGHT, DARK = [["#FFFFFF", ""]], [["#000000", ""]]
GRID = Grid(
    name="map",
    title=WICKED,
    alt="a map",
    cells=[["0.33", "−∞"]],
    rows=[WICKED],
    columns=["=A1", "b"],
    colours={"light": LIGHT, "dark": DARK},
    numbers=[[THIRD, -np.inf]],
)
CURVE = drawn(
    [
        {
            "type": "scatter",
            "name": "<b>loss</b>",
            "x": np.array([1, 2], dtype=np.uint8),
            "y": np.array([0.1, np.nan], dtype=np.float32),
            "text": ["a &lt; b", None],
        }
    ],
    {"xaxis": {"title": {"text": "steps"}, "tickvals": [1], "ticktext": ["one"]}},
)
PAGE = OnPage(WICKED, ["Said."], [GRID, Panel("curve", "A curve", "It falls.", CURVE)])


def rows() -> list[list[str]]:
    return list(csv.reader(io.StringIO(shown_csv(PAGE).decode("utf-8-sig"), newline="")))


def test_the_table_has_a_row_for_every_number_and_runs_nothing():
    head, third, least, first, second = rows()
    assert head == list(COLUMNS)
    assert third == ["map", WICKED, "", "", "1", "'=A1", "", "1", WICKED, repr(THIRD), "0.33"]
    assert least[-2:] == ["−∞", "−∞"]
    assert first == ["curve", "A curve", "loss", "steps", "1", "one", "", "0.1", "", "", "a < b"]
    assert second[4:8] == ["2", "", "", ""]


def test_the_document_has_every_array_and_is_strict_json():
    read = json.loads(shown_json(PAGE, "en", "http://host/?q=2"), parse_constant=pytest.fail)
    assert (read["title"], read["said"], read["link"]) == (WICKED, ["Said."], "http://host/?q=2")
    grid, curve = read["figures"]
    assert grid["numbers"] == [[THIRD, "-inf"]]
    assert grid["cells"] == [["0.33", "−∞"]]
    [series] = curve["series"]
    assert series["x"] == [1, 2]
    assert series["y"] == [0.1, None]
    assert series["x_labels"] == [[1, "one"]]


def test_a_cell_of_several_numbers_has_a_row_for_each():
    picture = replace(GRID, numbers=[[[1.0, 2.0], [3.0, 4.0]]], squares=True)
    written = shown_csv(OnPage("", [], [picture])).decode("utf-8-sig").splitlines()[1:]
    found = [(row[2], row[4], row[9]) for row in csv.reader(written)]
    assert found == [("1", "1", "1.0"), ("2", "1", "2.0"), ("1", "2", "3.0"), ("2", "2", "4.0")]


@pytest.mark.parametrize("squares", [False, True])
def test_the_page_keeps_texts_as_texts_and_a_colour_for_each_theme(squares):
    page = OnPage(WICKED, ["Said."], [replace(GRID, squares=squares), *PAGE.shown[1:]])
    html = shown_page(page, Look("en"), "light", "http://host/?q=2").decode()
    assert WICKED not in html
    assert html.count("&lt;/script&gt;&lt;i&gt;=1&lt;/i&gt;") >= 3
    assert 'href="http://host/?q=2"' in html
    assert "<strong>Said.</strong>" in html
    if squares:
        assert '"map":{"light":' in html
        assert "#000000" in html
    else:
        assert "--l:#FFFFFF;--li:#000000;--d:#000000;--di:#FFFFFF" in html


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_stands_on_the_ground_of_its_theme(theme):
    for one in PAGE.shown:
        assert on_paper(one, theme)["layout"]["paper_bgcolor"] == THEMES[theme].page
    assert CURVE["layout"]["paper_bgcolor"] is None
