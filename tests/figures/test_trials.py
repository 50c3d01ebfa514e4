"""The pictures and the code of four experiments: a painted mask, √d, temperatures, dropout."""

from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES
from attnviz.figures import code_trials, dropout, scaling, temperatures
from attnviz.lessons.dropout import dropped, kept_cells
from attnviz.lessons.leaks import leaks
from attnviz.lessons.scaling import MEASURES, WIDTHS, study
from attnviz.lessons.temperatures import next_word, path, read_values, word_vectors
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words


def scene(**chosen) -> Scene:
    return scene_of(Settings(**chosen))


def run(code: str) -> dict:
    names = {"__name__": "__main__"}
    with redirect_stdout(StringIO()):
        exec(compile(code, "<panel>", "exec"), names)
    return names


@pytest.fixture(scope="module")
def found():
    return study(0)


# --- Pictures ---


@pytest.mark.parametrize("per_row", [2, 4])
def test_both_curves_of_each_measure_are_drawn_apart_in_dash_and_sign(found, t, per_row):
    figure = scaling.width_curves(found, 64, t, "dark", per_row=per_row)
    lines = [trace for trace in figure.data if "lines" in trace.mode]
    assert len(lines) == 2 * len(MEASURES)
    for n, measure in enumerate(MEASURES):
        unscaled, scaled = lines[2 * n : 2 * n + 2]
        np.testing.assert_allclose(unscaled.y, getattr(found.unscaled, measure), rtol=1e-6)
        np.testing.assert_allclose(scaled.y, getattr(found.scaled, measure), rtol=1e-6)
        np.testing.assert_allclose(unscaled.x, np.log2(WIDTHS))
        assert unscaled.line.dash != scaled.line.dash
        assert unscaled.marker.symbol != scaled.marker.symbol
    assert {shape.x0 for shape in figure.layout.shapes} == {6.0}
    said = [note.text for note in figure.layout.annotations]
    assert "d = 64: 8.05, ÷√d 1.01" in said


def test_curves_two_by_two_do_not_overlap(found, t):
    figure = scaling.width_curves(found, 16, t, per_row=2)
    boxes = [
        (*figure.layout[f"xaxis{n}"].domain, *figure.layout[f"yaxis{n}"].domain)
        for n in ("", "2", "3", "4")
    ]
    for one, other in zip(boxes, boxes[1:] + boxes[:1], strict=True):
        apart = one[1] < other[0] or other[1] < one[0] or one[3] < other[2] or other[3] < one[2]
        assert apart, (one, other)


def test_the_row_shown_as_bars_is_the_first_draw(found, t):
    figure = scaling.row_bars(found, 512, t)
    for bars, weights in zip(figure.data, found.row_weights(512), strict=True):
        np.testing.assert_allclose(bars.y, weights, rtol=1e-6)
    assert "0.97" in scaling.row_bars_alt(found, 512, t)


def test_the_curves_are_said_in_words(found, t):
    said = scaling.width_curves_alt(found, t)
    for number in ("22.61", "0.95", "1.16"):
        assert number in said


def test_the_output_walks_inside_the_values(t):
    head = scene().trace.head(0)
    way, values = path(head, 1), read_values(head, 1)
    figure = temperatures.output_walk(way, values, head.output[1], 1, t)
    line = next(trace for trace in figure.data if trace.mode == "lines" and not trace.fill)
    np.testing.assert_allclose(np.stack([line.x, line.y], axis=1), way.outputs, atol=1e-6)
    ends = next(trace for trace in figure.data if trace.mode == "markers+text")
    assert list(ends.text) == ["T → 0", "T → ∞"]
    assert "(−0.38, 1.44)" in temperatures.output_walk_alt(way, head.output[1], t)


def test_values_of_another_width_are_not_drawn_as_a_plane(t):
    head = scene(d_v=3, w_source="random").trace.head(0)
    with pytest.raises(ValueError, match="2 features"):
        temperatures.output_walk(path(head, 1), head.value, head.output[1], 1, t)


def test_where_no_plane_fits_the_distances_are_drawn(t):
    head = scene(d_v=3, w_source="random").trace.head(0)
    way = path(head, 1)
    figure = temperatures.way_lines(way, 1.0, t)
    best, mean = figure.data
    np.testing.assert_allclose(best.y[-1], np.linalg.norm(way.outputs[-1] - way.best), rtol=1e-5)
    np.testing.assert_allclose(mean.y[0], np.linalg.norm(way.outputs[0] - way.mean), rtol=1e-5)
    assert best.line.dash != mean.line.dash
    assert figure.layout.shapes[0].x0 == 0
    assert not temperatures.way_lines(way, 0, t).layout.shapes


def test_the_next_word_is_drawn_as_its_probability(t):
    shown = scene(pieces=("<b>I</b>", "saw", "a", "saw"))
    vectors = word_vectors(shown.inputs, shown.projections, 0)
    lots = next_word(shown.trace.head(0).output[1], shown.tokens, vectors, 0.25)
    figure = temperatures.next_words(lots, shown.tokens, t)
    np.testing.assert_allclose(figure.data[0].y, lots.probabilities, rtol=1e-6)
    assert figure.layout.xaxis.ticktext[0] == "&lt;b&gt;I&lt;/b&gt;"
    assert "saw" in temperatures.next_words_alt(lots, shown.tokens, t)


def test_the_histogram_counts_every_draw(t):
    weights = scene().trace.head(0).weights
    sums = dropped(weights[1], kept_cells((4,), 0.2, 0, 1000), 0.2).sum(axis=-1)
    figure = dropout.sum_histogram(sums, 1.0, t)
    assert figure.data[0].y.sum() == 1000
    assert figure.layout.shapes[0].x0 == 1.0
    np.testing.assert_allclose(figure.layout.shapes[1].x0, sums.mean())
    assert f"{sums.max():.2f}" in dropout.sum_histogram_alt(sums, 1.0, t)


def test_equal_sums_are_one_bar(t):
    figure = dropout.sum_histogram(np.ones(1000), 1.0, t)
    assert sorted(figure.data[0].y)[-2:] == [0, 1000]


# --- Code ---

PAINTED = ("1000", "0000", "1011", "0110")
CASES = [
    *({"normalizer": name, "mask": "causal"} for name in NORMALIZERS),
    *({"normalizer": name, "mask": "custom", "cells": PAINTED} for name in NORMALIZERS),
    *({"mask": name} for name in MASKS),
    *({"positions": name, "mask": "window", "scale": "sqrt_d_k"} for name in POSITIONS),
    *({"score": name, "mask": "causal", "temperature": 0.3} for name in SCORES),
    {"temperature": 0, "mask": "causal"},
    {"temperature": 0, "normalizer": "topk", "mask": "causal"},
    {"n_heads": 2, "w_source": "random", "head": 1, "mask": "block", "n_kv_heads": 1},
    {"example": "thinking_machines", "mask": "causal"},
    {"example": "raschka_journey", "mask": "global_tokens", "scale": 40, "query": 3},
]


@pytest.mark.parametrize("chosen", CASES, ids=str)
def test_the_code_of_the_mask_gives_what_is_shown(chosen):
    shown = scene(**chosen)
    found = leaks(shown.trace.head(shown.head))
    for write in (code_trials.painter_numpy, code_trials.painter_package):
        names = run(write(shown, words("en")))
        arrays = names if "found" not in names else vars(names["found"])
        for name in ("masked", "zero", "after", "leaked", "repaired"):
            np.testing.assert_allclose(
                arrays[name], getattr(found, name), atol=1e-9, err_msg=f"{write.__name__} {name}"
            )


@pytest.mark.parametrize("sampling", [0, 0.25, 1.0, 1000.0])
@pytest.mark.parametrize("chosen", [{}, *CASES[-14:]], ids=str)
def test_the_code_of_the_temperatures_gives_what_is_shown(chosen, sampling):
    shown = scene(**chosen)
    head = shown.trace.head(shown.head)
    vectors = word_vectors(shown.inputs, shown.projections, shown.head)
    lots = next_word(head.output[shown.query], shown.tokens, vectors, sampling)
    names = run(code_trials.temperatures_numpy(shown, lots, sampling, words("en")))
    np.testing.assert_allclose(names["probabilities"], lots.probabilities, atol=1e-9)
    names = run(code_trials.temperatures_package(shown, sampling, words("en")))
    np.testing.assert_allclose(names["found"].probabilities, lots.probabilities, atol=1e-12)
    np.testing.assert_allclose(names["weights"], head.weights, atol=1e-12)


@pytest.mark.parametrize("chosen", [{}, *CASES[-14:]], ids=str)
def test_the_code_of_dropout_gives_what_is_shown(chosen):
    shown = scene(**chosen)
    weights = shown.trace.head(shown.head).weights
    kept = kept_cells(weights.shape, 0.2, 3, 50)
    expected = dropped(weights, kept, 0.2)
    for write in (code_trials.dropout_numpy, code_trials.dropout_package):
        names = run(write(shown, 0.2, 3, 50, words("zh-Hant")))
        np.testing.assert_allclose(names["draws"], expected, atol=1e-9)
        np.testing.assert_allclose(names["row_sums"], expected[:, shown.query].sum(axis=1))


def test_the_code_of_the_widths_gives_what_is_shown(found, t):
    names = run(code_trials.scaling_numpy(0, 16, t))
    for place, width in enumerate(WIDTHS):
        for side in ("unscaled", "scaled"):
            expected = [getattr(getattr(found, side), measure)[place] for measure in MEASURES]
            np.testing.assert_allclose(names["measures"][width, side], expected, rtol=1e-9)
    names = run(code_trials.scaling_package(0, 16, t))
    np.testing.assert_array_equal(names["found"].rows, found.rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_token_cannot_leave_its_line(language):
    tokens = ("a\nraise SystemExit", "'''", '"""\r', "\\", "{x}", "\u2028x = 1", "\ud800", "😀")
    spoiled = replace(scene(pieces=tuple("abcdefgh"), mask="causal"), tokens=tokens, query=0)
    vectors = word_vectors(spoiled.inputs, spoiled.projections, 0)
    lots = next_word(spoiled.trace.head(0).output[0], tokens, vectors, 1.0)
    t = words(language)
    for code in (
        code_trials.painter_numpy(spoiled, t),
        code_trials.painter_package(spoiled, t),
        code_trials.temperatures_numpy(spoiled, lots, 1.0, t),
        code_trials.temperatures_package(spoiled, 1.0, t),
        code_trials.dropout_numpy(spoiled, 0.2, 0, 5, t),
    ):
        run(code)
        imported = [line for line in code.splitlines() if "import" in line]
        assert all("numpy" in line or "attnviz" in line for line in imported)


def test_long_inputs_stay_on_readable_lines(t):
    long = scene(vectors=tuple(tuple(np.arange(3.0) + place) for place in range(64)), mask="window")
    for code in (
        code_trials.painter_numpy(long, t),
        code_trials.temperatures_package(long, 1.0, t),
        code_trials.dropout_package(long, 0.2, 0, 5, t),
    ):
        assert max(map(len, code.splitlines())) <= 120
