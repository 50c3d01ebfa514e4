"""Two settings compared: the sentence, the code, and one row under every normalizer."""

import re
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

from attnviz.attention.metrics import entropy
from attnviz.experiments import EXPERIMENTS
from attnviz.experiments.contrast import Contrast
from attnviz.experiments.sides import other_side
from attnviz.figures import code_bench, code_rows
from attnviz.figures.normalized import MOST_DIGITS, normalizer_bars, normalizer_bars_alt
from attnviz.figures.notation import COLUMN, ROW
from attnviz.figures.scorings import formula, term_lines
from attnviz.figures.spoken_bench import say_contrast, say_finding, say_why, written_table
from attnviz.lessons.normalized import NAIVE, under_each
from attnviz.lessons.scored import WAYS, in_each_way
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words


def contrast(different: dict, **chosen) -> Contrast:
    one = Settings(**chosen)
    scene = scene_of(one)
    return Contrast(scene, scene_of(other_side(one, scene, different)))


def experiment(key: str, **chosen) -> Contrast:
    one = Settings(**chosen)
    return contrast(EXPERIMENTS[key].fields(one, scene_of(one)), **chosen)


def run(code: str) -> dict:
    names = {"__name__": "__main__"}
    with redirect_stdout(StringIO()):
        exec(compile(code, "<panel>", "exec"), names)
    return names


def test_the_sentence_reads_the_numbers_of_both_sides(t):
    said = say_contrast(experiment("scale"), t)
    assert said == (
        "The entropy of token 2 goes from 1.08 to 1.20 nats; the largest change is that of α′₃,₁, "
        "from 0.61 to 0.51; b₂ moves by 0.09, and b₃ farthest, by 0.19."
    )


def test_a_row_that_is_no_distribution_has_no_entropy_in_the_sentence(t):
    said = say_contrast(experiment("relu", query=2), t)
    assert "add up to 11; they are no distribution and have no entropy" in said
    assert "from 0.61 to 4" in said


def test_nothing_is_said_to_change_where_nothing_does(t):
    said = say_contrast(contrast({}), t)
    assert (
        said == "The entropy of token 2 stays at 1.08 nats; no weight changes; no output changes."
    )
    assert "no weight changes; b₂ moves" in say_contrast(experiment("identity_value"), t)


def test_outputs_of_another_width_are_not_subtracted(t):
    assert "the outputs have another width" in say_contrast(contrast({"d_v": 3}), t)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", EXPERIMENTS)
def test_every_finding_is_said_with_its_numbers(key, language):
    t = words(language)
    for chosen in ({}, {"sentence": "saw", "query": 0}, {"n_heads": 2, "w_source": "random"}):
        both = experiment(key, **chosen)
        for said in (
            say_finding(EXPERIMENTS[key], both, t),
            say_why(EXPERIMENTS[key], both, t),
            say_contrast(both, t),
        ):
            assert "{" not in said
            assert "nan" not in said


def test_findings_have_the_numbers_worked_out_by_hand(t):
    for key, numbers in {
        "tied": ("α₂,₁ = −2 but α₁,₂ = −1",),
        "zero_query": ("0.25", "(−0.25, 1.75)"),
        "doubled": ("from 1 to 4", "from 0.56 to 0.96"),
        "gauge": ("scores by 0, weights by 0",),
        "relu": ("1 of 4 tokens", "(0, 1, 11, 1)"),
        "divide_by_sum": ("(2, 0, −1, 0)",),
        "mask_after": ("(0.04, 0.23, 0.92, 1.00)",),
        "no_self": ("For 0 of 4 tokens",),
        "causal": ("sees 2 of 4 keys. 1 of 4 outputs",),
    }.items():
        said = say_finding(EXPERIMENTS[key], experiment(key), t)
        assert [number in said for number in numbers] == [True] * len(numbers), said


def test_a_broken_law_is_not_explained_as_if_it_held(t):
    both = experiment("gauge", positions="rotary")
    assert say_finding(EXPERIMENTS["gauge"], both, t) == t("bench.no_law")
    assert say_why(EXPERIMENTS["gauge"], both, t) == ""


def test_what_is_not_defined_is_written_so_in_a_table(t):
    cells = written_table([[1.0, float("nan")], [0.25, 1e-17]], t, 2)
    assert cells == [["1.00", "n/a"], ["0.25", "0.00"]]


# --- The code ---


SIDES = [
    ({"scale": "sqrt_d_k"}, {}),
    ({"normalizer": "relu"}, {"mask": "causal"}),
    ({"positions": "shaw", "mask": "window"}, {"w_source": "random", "n_heads": 2, "head": 1}),
    ({"n_heads": 1, "normalizer": "hardmax"}, {"w_source": "random", "n_heads": 2, "head": 1}),
    ({"d_v": 3}, {}),
    ({"mask": "custom", "cells": ("0000", "1000", "0110", "1111")}, {"normalizer": "sparsemax"}),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("write", [code_bench.numpy_code, code_bench.package_code])
@pytest.mark.parametrize(("different", "chosen"), SIDES, ids=str)
def test_the_code_gives_both_sides_and_what_changes(different, chosen, write, language):
    both = contrast(different, **chosen)
    code = write(both, words(language))
    assert len(re.findall(r"^import ", code, re.M)) == 1
    names = run(code)
    for side, head, entropies in zip("ab", both.heads, both.entropies, strict=True):
        np.testing.assert_allclose(names[f"weights_{side}"], head.weights, atol=1e-12)
        np.testing.assert_allclose(names[f"output_{side}"], head.output, atol=1e-12)
        assert (f"entropy_{side}" in names) == np.isfinite(entropies).all()
        if f"entropy_{side}" in names:
            np.testing.assert_allclose(names[f"entropy_{side}"], entropies, atol=1e-12)
    np.testing.assert_allclose(names["weights_change"], both.weights_change, atol=1e-12)
    assert ("distance_moved" in names) == (both.distances is not None)
    if both.distances is not None:
        np.testing.assert_allclose(names["distance_moved"], both.distances, atol=1e-12)


ROWS = [
    {},
    {"normalizer": "topk", "k": 1, "mask": "causal", "query": 2},
    {"positions": "shaw", "n_heads": 2, "head": 1, "w_source": "random", "d_k": 3},
    {"temperature": 0, "positions": "alibi", "query": 3},
    {"score": "additive", "seed": 4, "alpha": 1.7, "temperature": 0.5},
    {"mask": "custom", "cells": ("1111", "0000", "0110", "1111")},
    {"w_source": "random", "d_k": 7, "normalizer": "hardmax"},
]


@pytest.mark.parametrize("write", [code_rows.normalizers_numpy, code_rows.normalizers_package])
@pytest.mark.parametrize("chosen", ROWS, ids=str)
def test_the_code_gives_the_row_under_every_normalizer(chosen, write, t):
    settings = Settings(**chosen)
    scene = scene_of(settings)
    names = run(write(scene, settings, t))["by_name"]
    for one in _found(scene, settings):
        if np.isnan(one.weights).any():
            assert one.name not in names
            continue
        weights, output = names[one.name]
        np.testing.assert_allclose(weights, one.weights, atol=1e-12, err_msg=one.name)
        np.testing.assert_allclose(output, one.output, atol=1e-12, err_msg=one.name)


@pytest.mark.parametrize("write", [code_rows.scorings_numpy, code_rows.scorings_package])
@pytest.mark.parametrize("chosen", ROWS, ids=str)
def test_the_code_gives_the_row_under_every_score(chosen, write, t):
    scene = scene_of(Settings(**chosen))
    names = run(write(scene, t))["by_name"]
    assert list(names) == list(WAYS)
    for one in in_each_way(scene.trace.head(scene.head), scene.query, scene.seed):
        scores, weights = names[one.name]
        np.testing.assert_allclose(scores, one.scores, atol=1e-12, err_msg=one.name)
        np.testing.assert_allclose(weights, one.weights, atol=1e-12, err_msg=one.name)


def _found(scene: Scene, settings: Settings):
    from attnviz.attention import NORMALIZERS
    from attnviz.figures.plane import read_values
    from attnviz.scene import WITH_LIMIT

    head, i = scene.trace.head(scene.head), scene.query
    return under_each(
        head.masked_scores[i],
        read_values(head, i),
        names=[name for name in NORMALIZERS if settings.temperature or name in WITH_LIMIT],
        temperature=settings.temperature,
        parameters={"alpha": settings.alpha, "k": settings.k, "bias": settings.bias},
    )


# --- Pictures ---


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_normalizer_has_its_bars_and_its_sum(theme, t):
    settings = Settings()
    found = _found(scene_of(settings), settings)
    figure = normalizer_bars(found, scene_of(settings).tokens, t, theme, chosen="softmax")
    assert len(figure.data) == len(found)
    for trace, one in zip(figure.data, found, strict=True):
        np.testing.assert_allclose(trace.y, one.weights, atol=1e-6)
    titles = [note.text for note in figure.layout.annotations]
    assert titles[0] == "<b>softmax</b>  Σ 1"
    assert "Σ 0.84" in titles[[one.name for one in found].index("sigmoid")]
    assert figure.layout.yaxis.range[1] >= 1


def test_negative_bars_of_score_over_sum_have_room(t):
    settings = Settings()
    found = _found(scene_of(settings), settings)
    figure = normalizer_bars(found, scene_of(settings).tokens, t)
    assert found[-1].name == NAIVE
    assert figure.layout[f"yaxis{len(found)}"].range[0] < -1


def test_many_keys_are_numbered_and_have_no_digits(t):
    settings = Settings(sentence=" ".join(["saw", "we"] * 15))
    scene = scene_of(settings)
    figure = normalizer_bars(_found(scene, settings), scene.tokens, t)
    assert len(scene.tokens) > MOST_DIGITS
    assert figure.data[0].text is None
    assert figure.layout.xaxis.ticktext[:3] == ("1", "", "3")


def test_the_bars_are_told_in_words(t):
    settings = Settings()
    said = normalizer_bars_alt(_found(scene_of(settings), settings), t)
    assert "softmax: (0.03, 0.21, 0.56, 0.21)" in said
    assert "score ÷ sum: (2, 0, −1, 0)" in said


def test_each_score_is_written_as_its_products(t):
    scene = scene_of(Settings())
    by_name = {one.name: one for one in in_each_way(scene.trace.head(0), 1, 0)}
    assert term_lines(by_name["dot"], 1, t, 2)[0] == "α₂,₁ = (−1)(3) + (1)(1) = −2"
    assert term_lines(by_name["scaled"], 1, t, 2)[2] == "α₂,₃ = ((−1)(1) + (1)(2)) / √2 = 0.71"


@pytest.mark.parametrize("name", WAYS)
def test_no_formula_of_a_score_names_a_value(name):
    assert "v_" not in formula(name, ROW)
    assert "^i" in formula(name, COLUMN)
    assert "_i" not in formula(name, COLUMN)


def test_the_entropy_shown_is_that_of_the_metrics():
    both = experiment("scale")
    np.testing.assert_array_equal(both.entropies[0], entropy(both.heads[0].weights))
