"""The code of a comparison runs as it stands and gives what the page shows."""

from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

from attnviz.figures import code_versus, spoken_versus
from attnviz.figures.code_versus import Read
from attnviz.models.comparing.aligned import MEASURES, WHOLE_LAYER, compared, side_of
from attnviz.models.load import load_model
from attnviz.text import words

TEXTS = ("the cat sat. the cat", "the big cat sat. the bat")
ROW = 12


def run(code: str) -> dict:
    names: dict = {"__name__": "__main__"}
    with redirect_stdout(StringIO()):
        exec(compile(code, "<panel>", "exec"), names)
    return names


@pytest.fixture(scope="module")
def captures():
    model = load_model("induction")
    return [model.capture(text) for text in TEXTS]


CHOSEN = [
    (((1, 0), (1, 0)), "pieces", "en"),
    (((0, 1), (1, 2)), "words", "zh-Hant"),
    (((0, WHOLE_LAYER), (0, WHOLE_LAYER)), "words", "en"),
]


@pytest.mark.parametrize(("pairs", "unit", "language"), CHOSEN)
def test_both_forms_give_the_numbers_of_the_row(captures, pairs, language, unit):
    t = words(language)
    sides = [side_of(each, pair, unit) for each, pair in zip(captures, pairs, strict=True)]
    found = compared(*sides)
    row = min(ROW, len(found.rows) - 1)
    rows = spoken_versus.lines(found.rows, sides[0].view.queries, sides[1].view.queries)
    columns = spoken_versus.lines(found.columns, sides[0].view.keys, sides[1].view.keys)
    names = run(code_versus.with_numpy(found, rows, columns, row, t))
    for name in MEASURES:
        assert float(names[name]) == pytest.approx(found.apart[name][row], abs=1e-9), name
    read = tuple(Read("induction", text) for text in TEXTS)
    names = run(code_versus.with_package((read[0], read[1]), pairs, unit, row, t))
    np.testing.assert_allclose(names["difference"], found.difference[row], atol=1e-7)
    for name in MEASURES:
        np.testing.assert_allclose(names["found"].apart[name], found.apart[name], atol=1e-9)


def test_one_capture_is_enough_for_two_heads_of_it():
    read = Read("induction", "a cat")
    code = code_versus.with_package((read, read), ((0, 0), (1, 1)), "pieces", 1, words("en"))
    assert code.count("capture(") == 1
    assert run(code)["found"].largest > 0


def test_a_token_that_breaks_lines_stays_in_its_comment():
    weights = np.full((1, 2, 2), 0.5, np.float32)
    from attnviz.models.results import Capture

    side = side_of(Capture.from_attentions([weights], ["a\nimport os", "b"]), (0, 0))
    found = compared(side, side)
    rows = spoken_versus.lines(found.rows, side.view.queries, side.view.queries)
    code = code_versus.with_numpy(found, rows, rows, 0, words("en"))
    assert "\nimport os" not in code
    assert run(code)["total_variation"] == 0


def test_a_long_text_is_cut_about_the_place_where_it_differs():
    one = "blue mug tree lamp rope sand blue mug tree lamp rope sand"
    other = "sand blue mug moon".join(one.rsplit("sand blue mug tree", 1))
    assert spoken_versus.around(one, other) == "…rope sand blue mug tree lamp rope sand"
    assert spoken_versus.around(other, one) == "…rope sand blue mug moon lamp rope sand"
    assert spoken_versus.around("short", "text") == "short"
    assert spoken_versus.around("one " * 30, "two " * 30) == "one " * 9 + "one…"
    assert spoken_versus.around("學" * 60, "學" * 50 + "問") == "…" + "學" * 40
