"""The page Matrices, opened by Streamlit's own test runner: every question, language and choice."""

import json
from itertools import product

import pytest

from attnviz.attention import NORMALIZERS, SCORES
from attnviz.lessons.examples import EXAMPLES
from attnviz.lessons.ladder import RUNGS
from attnviz.text import LANGUAGES, words
from attnviz.ui.rooms.matrices import PANELS
from tests.pages.reading import opened, payloads

PAGE = "matrices.py"
NORMALIZED = [{"norm": key} for key in NORMALIZERS]
FEW = [
    *({"score": key} for key in SCORES),
    {"pos": "shaw"},
    {"scale": "sqrt_d_k", "mask": "causal", "pos": "sinusoidal", "heads": "4", "kv": "2"},
    {"mask": "custom", "cells": "1010.0000.0110.1111"},
    {"temp": "0", "notation": "column"},
    {"text": "saw"},
    {"text": " ".join(["saw", "we"] * 15)},
    {"d": "5", "dk": "3", "dv": "1", "w": "random"},
]
STOPS = [
    "inputs",
    "encoded_inputs",
    "w_q",
    "query",
    "w_k",
    "key",
    "w_v",
    "value",
    "scores",
    "scaled_scores",
    "masked_scores",
    "weights",
    "head_outputs",
    "concatenated",
    "w_o",
    "output",
]
WHOLE = {"scale": "sqrt_d_k", "mask": "causal", "pos": "sinusoidal", "heads": "2"}


def tables(app, place: int = 0) -> dict[str, dict]:
    """Give the matrices of one component by their names."""
    data = json.loads(payloads(app)[place])
    return {plain(table["name"]): table for table in data["tables"]}


def plain(text) -> str:
    return text if isinstance(text, str) else "".join(piece for piece, _ in text)


@pytest.mark.parametrize(("panel", "language"), list(product(PANELS, LANGUAGES)))
def test_every_question_opens_in_every_language(panel, language):
    app = opened(PAGE, lang=language, panel=panel)
    assert not app.warning
    assert not app.error
    assert words(language)("nav.matrices")
    assert payloads(app)


@pytest.mark.parametrize("panel", ["together", "ladder"])
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_opens_a_question(panel, example):
    assert payloads(opened(PAGE, panel=panel, ex=example))


@pytest.mark.parametrize("panel", ["together", "counting", "ladder"])
@pytest.mark.parametrize("link", FEW, ids=str)
def test_every_question_opens_for_inputs_of_any_shape(panel, link):
    app = opened(PAGE, panel=panel, **link)
    assert not app.warning
    assert payloads(app)


@pytest.mark.parametrize("link", [*NORMALIZED, *FEW], ids=str)
def test_the_wrong_axis_opens_for_every_choice(link):
    assert payloads(opened(PAGE, panel="axis", axis="query", **link))


@pytest.mark.parametrize("place", range(len(STOPS)))
def test_every_matrix_opens_with_and_without_a_number(place):
    notation = ("row", "column")[place % 2]
    for key in ({}, {"key": "1"}):
        app = opened(PAGE, lang="en", step=STOPS[place], notation=notation, **WHOLE, **key)
        assert payloads(app)
        assert not app.warning


@pytest.mark.parametrize("rung", RUNGS)
def test_every_rung_opens(rung):
    assert payloads(opened(PAGE, panel="ladder", rung=rung, notation="column", mask="causal"))


def test_the_ribbon_holds_every_matrix_with_its_shape():
    shapes = {name: table["shape"] for name, table in tables(opened(PAGE, lang="en")).items()}
    assert shapes == {
        "I": "(4 × 3)",
        "Wq": "(3 × 2)",
        "Q": "(4 × 2)",
        "Wk": "(3 × 2)",
        "K": "(4 × 2)",
        "Wv": "(3 × 2)",
        "V": "(4 × 2)",
        "A": "(4 × 4)",
        "A′": "(4 × 4)",
        "O": "(4 × 2)",
    }


def test_the_other_notation_transposes_the_ribbon_and_no_number_changes():
    rows = tables(opened(PAGE, lang="en", **WHOLE))
    columns = tables(opened(PAGE, lang="en", notation="column", **WHOLE))
    assert rows.keys() == columns.keys()
    for name, table in rows.items():
        turned = [list(row) for row in zip(*columns[name]["cells"], strict=True)]
        assert turned == table["cells"], name


def test_the_arrow_before_the_weights_goes_along_what_is_normalized():
    for notation, arrow in (("row", "→"), ("column", "↓")):
        sign = tables(opened(PAGE, lang="en", notation=notation))["A′"]["sign"]
        assert arrow in str(sign)


def test_a_clicked_number_holds_the_row_and_the_column_that_make_it():
    found = tables(opened(PAGE, lang="en", step="query", q="1", key="0"))
    assert found["I"]["hand"] == [1, None]
    assert found["Wq"]["hand"] == [None, 0]
    assert found["K"]["hand"] == [None, None]
    app = opened(PAGE, lang="en", step="query", q="1", key="0")
    data = json.loads(payloads(app)[0])
    assert data["readout"] == "q₂,₁ = (0)(1) + (1)(0) + (1)(−1) = −1"
    assert data["chosen"] == [2, 1, 0]


def test_scores_that_are_no_product_are_named_as_what_they_are():
    for score in SCORES:
        sign = plain(tables(opened(PAGE, lang="en", score=score))["A"]["sign"])
        assert ("Q" in sign) == (score in ("dot", "bilinear"))
        assert words("en")(f"score.{score}") in sign or "K" in sign


@pytest.mark.parametrize(
    ("link", "between"),
    [
        ({"panel": "ribbon"}, ("A′ (V + rv) =", "(V + rv) A′ =")),
        ({"panel": "axis"}, ("A′ (V + rv) =", "(V + rv) A′ =")),
        ({"panel": "axis", "axis": "query"}, ("A′ (V + rv) =", "(V + rv) A′ =")),
        ({"panel": "ladder", "rung": "projected"}, (" + A′ rv =", " + rv A′ =")),
    ],
    ids=lambda value: "-".join(value.values()) if isinstance(value, dict) else "",
)
def test_outputs_name_what_relative_positions_add_to_the_values(link, between):
    for notation, sign in zip(("row", "column"), between, strict=True):
        said = {}
        for code in ("none", "shaw"):
            app = opened(PAGE, lang="en", pos=code, notation=notation, **link)
            said[code] = plain(tables(app)["O"]["sign"])
        assert said["shaw"] == sign
        assert "r" not in said["none"]


def test_the_wrong_axis_gives_the_sums_worked_by_hand_each_marked_with_a_sign():
    found = tables(opened(PAGE, lang="en", panel="axis", axis="query"))["A′"]
    sums = [plain(row[0][1]) for row in found["tails"][1:]]
    assert sums == ["0.09 ≠ 1", "0.31 ≠ 1", "3.28 ≠ 1", "0.31 ≠ 1"]
    right = tables(opened(PAGE, lang="en", panel="axis"))["A′"]
    assert [plain(row[0][1]) for row in right["tails"][1:]] == ["1"] * 4


@pytest.mark.parametrize("normalizer", ["relu", "sigmoid", "softmax1"])
def test_weights_that_need_not_add_up_to_one_are_never_marked_as_wrong(normalizer):
    for axis in ("key", "query"):
        found = tables(opened(PAGE, panel="axis", axis=axis, norm=normalizer))["A′"]
        assert not any("≠" in plain(row[0][1]) for row in found["tails"][1:])


def test_the_pairs_fill_up_to_the_amount_of_the_link():
    app = opened(PAGE, lang="en", panel="together", amount="6")
    cells = tables(app)["A"]["cells"]
    assert sum(text != "·" for row in cells for text in row) == 6
    assert cells[1][1] == "0"
    next_ = words("en")("together.next")
    next(button for button in app.button if button.label == next_).click().run()
    assert list(app.query_params["amount"]) == ["7"]
    all_ = words("en")("together.all")
    next(button for button in app.button if button.label == all_).click().run()
    assert not any("·" in row for row in tables(app)["A"]["cells"])


def test_an_amount_that_is_none_of_the_pairs_counts_as_the_default():
    for amount in ("17", "-1", "2.5"):
        cells = tables(opened(PAGE, panel="together", amount=amount))["A"]["cells"]
        assert sum(text != "·" for row in cells for text in row) == 5


def test_the_counter_counts_eighteen_and_greys_what_is_computed():
    app = opened(PAGE, lang="en", panel="counting")
    assert app.metric[0].value == "18"
    listed = next(
        text.value for text in app.markdown if "$W^q$" in text.value and "|" in text.value
    )
    assert "| **$W^q$** | **3 × 2** | **6** | **learned** |" in listed
    assert ":gray[$A'$]" in listed
    assert opened(PAGE, panel="counting", heads="2").metric[0].value == str(2 * 18 + 12)
