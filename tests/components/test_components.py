from __future__ import annotations

import re
from pathlib import Path

import pytest

from attnviz import components
from attnviz.components import deck, grid, index, matrix, packed, pieces, plain
from attnviz.components.matrix import SCALES, Cell, MatrixSpec
from attnviz.figures.theme import THEMES

FOLDER = Path(components.__file__).parent


def spec(**parts: object) -> MatrixSpec:
    given = {"name": "A", "label": "Scores", "row_labels": "ab", "column_labels": "xyz"}
    return MatrixSpec(**{**given, "cells": [["0"] * 3] * 2, **parts})


def test_scripts_write_text_and_never_markup():
    for script in FOLDER.rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        assert not [
            word for word in ("innerHTML", "outerHTML", "insertAdjacent", "eval(") if word in text
        ]


@pytest.mark.parametrize("name", ["matrix", "grid", "deck", "plane", "painter", "pixels"])
def test_what_travels_with_each_change_stays_small(name):
    assert len(components.source(name, "js").encode()) <= 9_650
    assert len(components.source(name, "css").encode()) <= 5_500


SCRIPTS = sorted(file.stem for file in FOLDER.glob("*/*.js"))
TEXTS = re.compile(r""""(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`""")


@pytest.mark.parametrize("name", SCRIPTS)
def test_shortening_a_script_leaves_every_text_of_it_as_it_is(name):
    files = (FOLDER / "common.js", FOLDER / name / f"{name}.js")
    lines = "\n".join(file.read_text("utf-8") for file in files).splitlines()
    written = "\n".join(line.strip() for line in lines if not line.strip().startswith("//"))
    short = components.source(name, "js")
    assert TEXTS.findall(short) == TEXTS.findall(written)
    assert re.sub(r"\s", "", short) == re.sub(r"\s", "", written)


def shared(name: str) -> list[str]:
    """Read from its room which scripts a component takes before its own."""
    room = (FOLDER / name / "__init__.py").read_text("utf-8")
    found = re.search(rf'part\("{name}"((?:, "\w+")*)\)', room)
    return re.findall(r'"(\w+)"', found[1]) if found else []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_shortened_script_is_still_one(name, browser):
    page = browser.new_page()
    read = """text => import("data:text/javascript," + encodeURIComponent(text))
      .then((part) => typeof part.default)"""
    found = page.evaluate(read, components.source(name, "js", *shared(name)))
    page.close()
    assert found == "function"


def test_colours_are_those_of_the_figures():
    for theme in ("light", "dark"):
        assert SCALES["weights"][theme] == THEMES[theme].weights.stops
        assert SCALES["scores"][theme] == THEMES[theme].scores.stops


def test_scores_are_centred_on_zero_and_weights_are_not():
    values = [[-4, 0, 2], [float("-inf"), 1, float("nan")]]
    shades = spec(kind="scores", values=values).as_data()["shades"]
    assert shades == [[0, 0.5, 0.75], [0, 0.625, 0.5]]
    assert spec(kind="weights", values=[[0, 0.25, 1]]).as_data()["shades"] == [[0, 0.25, 1]]
    assert spec(kind="weights", values=[[0, 1, 2]], limit=2).as_data()["shades"] == [[0, 0.5, 1]]
    assert spec(kind="plain", values=values).as_data()["shades"] is None


def test_data_is_utf_8_json():
    assert packed({"token": "會<b>"}) == '{"token":"會<b>"}'.encode()


def test_a_text_may_have_pieces():
    text = [("b", "name"), ("2", "sub"), " = 1"]
    assert plain(text) == "b2 = 1"
    assert pieces(text) == [["b", "name"], ["2", "sub"], [" = 1", ""]]


@pytest.mark.parametrize("value", [-1, 3, 1.0, True, "1", None, [1]])
def test_what_the_browser_sends_is_checked(value):
    assert index(value, 3) is None


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ({"table": 0, "row": 1, "column": 2}, Cell(0, 1, 2)),
        ({"table": 1, "row": 1, "column": 2}, None),
        ({"table": 0, "row": 2, "column": 0}, None),
        ({"row": 1, "column": 2}, None),
        ("cell", None),
    ],
)
def test_only_a_cell_that_exists_was_clicked(value, cell):
    assert matrix._cell(value, [spec()]) == cell


def test_a_log_is_read_as_far_as_it_is_one():
    assert grid._entries([[1, "edit", {}], [2, "edit"], "x", [None, "edit", {}]]) == [
        (1, "edit", {})
    ]
    assert grid._entries({"log": 1}) == []


def test_a_deck_opens_only_at_one_of_its_steps():
    with pytest.raises(ValueError, match="current must be one of"):
        deck.deck(
            [deck.DeckStep("query", "Query")],
            key="deck",
            prefix="stage",
            current="other",
            label="Steps",
            words=deck.DeckWords(previous="", play="", pause="", next="", place=""),
        )


def test_a_transposed_matrix_turns_all_that_it_has():
    turned = spec(
        cells=[["1", "2", "3"], ["4", "5", "6"]],
        row_axis="query",
        column_axis="key",
        sums=["6", "15"],
        row_in_hand=1,
        masked=[[False, True, False], [False, False, True]],
        pick_rows=True,
        row_readouts=["first", "second"],
        readout_template="{row} {i} asks {column} {j}: {value}",
    ).transposed()
    assert turned.cells == [["1", "4"], ["2", "5"], ["3", "6"]]
    assert (turned.row_labels, turned.column_labels) == ("xyz", "ab")
    assert (turned.row_axis, turned.column_axis) == ("key", "query")
    assert (turned.sums, turned.column_sums) == (None, ["6", "15"])
    assert (turned.row_in_hand, turned.column_in_hand) == (None, 1)
    assert turned.masked == [[False, False], [True, False], [False, True]]
    assert (turned.pick_rows, turned.pick_columns) == (False, True)
    assert turned.column_readouts == ["first", "second"]
    assert turned.readout_template == "{column} {j} asks {row} {i}: {value}"


def test_transposing_twice_changes_nothing():
    once = spec(row_title="who asks", sums=["1", "2"], values=[[1, 2, 3], [4, 5, 6]])
    assert once.transposed().transposed().as_data() == once.as_data()


def test_a_cell_is_found_by_its_axes_in_either_notation():
    row = spec(row_axis="query", column_axis="key")
    for one in (row, row.transposed()):
        cell = one.cell_at(0, query=1, key=2)
        assert cell is not None
        assert (one.on_axis("query", cell), one.on_axis("key", cell)) == (1, 2)
        assert one.on_axis("feature", cell) is None
    assert spec(row_axis="query").cell_at(0, query=1, key=2) is None
