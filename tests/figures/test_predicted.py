"""The figures of what comes next show its numbers, and their code gives the same ones."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest

from attnviz.figures.code_predict import (
    next_with_numpy,
    next_with_package,
    repeat_with_numpy,
    repeat_with_package,
)
from attnviz.figures.predicted import (
    head_bars,
    next_bars,
    next_bars_alt,
    repeat_curve,
    repeat_curve_alt,
)
from attnviz.models.load import load_model
from attnviz.models.repeats import copies, foreknown
from attnviz.models.writing import write
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import decimals

TEXT = "blue <b>mug</b>. blue <b>mug"
T = words("en")


@pytest.fixture(scope="module")
def found():
    return write(load_model("induction"), TEXT, 3)


def run(code: str) -> tuple[dict, str]:
    said, names = io.StringIO(), {}
    with redirect_stdout(said):
        exec(code, names)
    return names, said.getvalue()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bars_are_the_probabilities_and_the_rest(found, language):
    step, t = found.steps[1], words(language)
    bars = next_bars(step, t, "dark").data[0]
    np.testing.assert_allclose(bars.x, [*step.probabilities, step.rest])
    assert sum(bars.x) == pytest.approx(1)
    labels = next_bars(step, t).layout.yaxis.ticktext
    assert [label.startswith("▸") for label in labels].count(True) == 1
    assert labels[-1] == t("predict_next.rest")
    assert all("<" not in label for label in labels)
    alt = next_bars_alt(step, t, digits=3)
    for share in step.probabilities:
        assert decimals(share, 3) in alt


def test_what_was_not_written_has_no_mark(found):
    labels = next_bars(found.steps[-1], T).layout.yaxis.ticktext
    assert not any(label.startswith("▸") for label in labels)


def test_the_curve_has_both_copies_and_says_their_means(found):
    ids = [token.id for token in found.tokens[: found.n_read]]
    stretch = copies(ids)
    known = foreknown(found.expected, stretch)
    names = [token.label for token in found.tokens[stretch.second :][: stretch.length]]
    first, second = repeat_curve(known, names, T).data
    np.testing.assert_allclose(first.y, known.first)
    np.testing.assert_allclose(second.y, known.second)
    assert first.line.dash != second.line.dash
    assert first.marker.symbol != second.marker.symbol
    alt = repeat_curve_alt(known, names, T)
    assert all(decimals(mean, 2) in alt for mean in known.means)


def test_the_open_head_is_told_by_its_colour():
    bars = head_bars(["a", "b"], np.array([0.9, 0.1]), 1).data[0]
    assert bars.marker.color[0] != bars.marker.color[1]
    assert len(set(head_bars(["a", "b"], np.array([0.9, 0.1]), None).data[0].marker.color)) == 1


def test_both_forms_of_the_code_give_the_step(found):
    step = found.steps[1]
    names, _ = run(next_with_numpy(step, T))
    np.testing.assert_allclose(names["probabilities"], step.probabilities, rtol=1e-12)
    assert names["rest"] == pytest.approx(step.rest, abs=1e-12)
    code = next_with_package("induction", TEXT, n_tokens=3, seed=0, step=1, head=(1, 3), t=T)
    names, _ = run(code)
    np.testing.assert_allclose(names["probabilities"], step.probabilities, rtol=1e-6)
    np.testing.assert_allclose(names["row"], found.row(1, 1, 3), atol=1e-6)


def test_both_forms_of_the_code_give_both_copies(found):
    stretch = copies([token.id for token in found.tokens[: found.n_read]])
    known = foreknown(found.expected, stretch)
    place = stretch.first, stretch.second, stretch.length
    _, said = run(repeat_with_numpy(found.expected.tolist(), *place, T))
    np.testing.assert_allclose([float(each) for each in said.split()], known.means)
    names, _ = run(repeat_with_package("induction", TEXT, (1, 3), T))
    np.testing.assert_allclose(names["known"].means, known.means, rtol=1e-6)
    assert 0 <= names["score"] <= 1
