"""The pictures and the code of the page Compare."""

from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

from attnviz.comparisons import fields, labelling, pictures, speech, window
from attnviz.comparisons.convolution import SEED, drawn_picture, errors, likeness
from attnviz.comparisons.learned_field import learn
from attnviz.figures import code_compare, code_sequences, convolution, windows
from attnviz.figures import speech as band
from attnviz.figures.notation import NOTATIONS
from attnviz.figures.theme import THEMES
from attnviz.lessons.tagged import follows, possible
from attnviz.text import LANGUAGES, words

SHARPNESSES = (0.5, 1, 5, 10, 50)
SIZES = (7, 6, 9, 8)


def run(code: str) -> dict:
    """Run a program as a person would, and give the names that it made."""
    names = {"__name__": "__main__"}
    with redirect_stdout(StringIO()):
        exec(compile(code, "<panel>", "exec"), names)
    return names


# --- Pictures ---


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_errors_are_drawn_over_the_sharpness_apart_in_dash_and_sign(t, theme):
    found = errors(*drawn_picture(SEED), SHARPNESSES)
    figure = convolution.error_curves(SHARPNESSES, found, 5, t, theme)
    inside, border = figure.data
    np.testing.assert_allclose(inside.y, np.maximum(found[:, 0], 1e-16))
    np.testing.assert_allclose(border.y, found[:, 1])
    assert inside.line.dash != border.line.dash
    assert inside.marker.symbol != border.marker.symbol
    assert figure.layout.shapes[0].x0 == 5
    assert figure.layout.yaxis.type == "log"
    said = convolution.error_curves_alt(SHARPNESSES, found, t)
    assert "0.5 to 50" in said


def test_an_error_of_nothing_is_drawn_at_the_bottom(t):
    figure = convolution.error_curves((1, 2), np.zeros((2, 2)), 1, t)
    assert np.isfinite(np.log10(figure.data[0].y)).all()


def test_the_weights_of_a_window_grow_and_those_of_attention_do_not(t):
    counts = windows.Counts.of(range(1, 21), 4, 4)
    figure = windows.count_curves(counts, 5, t)
    grows, stays, marked = figure.data
    assert (np.diff(grows.y) == 32).all()
    assert set(stays.y) == {48}
    assert (marked.x[0], marked.y[0]) == (5, 176)
    assert grows.line.dash != stays.line.dash
    assert "176" in windows.count_curves_alt(counts, 5, t)


@pytest.mark.parametrize("n", [1, 30, 6_000])
def test_the_band_is_drawn_in_blocks(t, n):
    shares, edges = speech.overview(n, 10), speech.band_edges(n)
    figure = band.band_map(shares, edges, t, "dark")
    np.testing.assert_array_equal(figure.data[0].z, shares)
    assert figure.data[0].z.shape[0] <= 96
    assert list(figure.layout.yaxis.range) == [n, 0]
    assert str(10) in band.band_map_alt(n, 10, 0.5, t)


def test_a_thin_band_is_coloured_by_the_root_of_its_share(t):
    figure = band.band_map(speech.overview(30, 2), speech.band_edges(30), t, "light")
    colours = {round(at, 12): colour for at, colour in figure.data[0].colorscale}
    red, green, blue = THEMES["light"].weights.colours(np.array(0.5)).round().astype(int)
    assert colours[0.25] == f"rgb({red},{green},{blue})"
    assert figure.data[0].colorbar.tickvals == (0, 0.1, 0.3, 0.6, 1)


def test_sharpnesses_that_would_stand_too_close_have_no_number(t):
    sharpnesses = (0.1, 1, 2, 3, 5, 7, 10, 15, 20, 50)
    figure = convolution.error_curves(sharpnesses, np.ones((10, 2)), 10, t)
    written = [text for text in figure.layout.xaxis.ticktext if text]
    assert written == ["0.1", "1", "2", "5", "10", "20", "50"]
    assert "β" in figure.layout.xaxis.title.text
    assert "α" not in str(figure.to_plotly_json())


def test_who_asks_goes_across_where_tokens_are_columns(t):
    shares, edges = speech.overview(30, 2), speech.band_edges(30)
    drawn = [band.band_map(shares, edges, t, notation=NOTATIONS[name]) for name in NOTATIONS]
    titles = [(each.layout.yaxis.title.text, each.layout.xaxis.title.text) for each in drawn]
    assert titles[0] == titles[1][::-1] == (t("speech.asks"), t("speech.asked"))


# --- Code: both forms give what the panel shows, in every language ---


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("sharpness", "ring"), [(1, 0), (10, 1), (0.5, 1)])
def test_code_of_the_convolution(language, sharpness, ring):
    same = likeness(*drawn_picture(SEED), sharpness=sharpness, ring=ring)
    for write in (code_compare.convolution_numpy, code_compare.convolution_package):
        names = run(write(SEED, sharpness, ring, words(language)))
        np.testing.assert_allclose(names["found"], same.found, atol=1e-9)
        np.testing.assert_allclose(names["exact"], same.exact, atol=1e-12)
        np.testing.assert_allclose(names["error"], same.error, atol=1e-9)


@pytest.mark.parametrize(("n", "radius", "place"), [(11, 5, 10), (2, 20, 0), (40, 1, 7)])
def test_code_of_the_window(t, n, radius, place):
    expected = window.Nudged.of(n, radius, place, seed=3).window
    for write in (code_compare.window_numpy, code_compare.window_package):
        moved = run(write(n, radius, place, 3, t))["moved"]
        np.testing.assert_allclose(moved, expected, atol=1e-12)


@pytest.mark.parametrize("laying", fields.LAYINGS)
@pytest.mark.parametrize("shape", fields.SHAPES)
def test_code_of_the_fields(t, laying, shape):
    grid, pixel = (5, 10), 17
    lit = fields.field(grid, (1, 7), fields.field_radius(3, 2, laying))
    learned = learn(grid, fields.SHAPES[shape])[3]
    head = fields.field_by(grid, learned.centre, learned.m)
    weights = head.weights[pixel].reshape(grid)
    asked = (grid, pixel, 3, 2, laying)
    for code in (
        code_compare.receptive_numpy(*asked, learned, t),
        code_compare.receptive_package(*asked, shape, learned, t),
    ):
        names = run(code)
        np.testing.assert_array_equal(names["field"], lit)
        np.testing.assert_allclose(names["weights"], weights, atol=1e-9)


@pytest.mark.parametrize("alike", pictures.LIKENESSES)
def test_code_of_the_picture(t, alike):
    picture = np.random.default_rng(0).random((3, 4, 3))
    trace = pictures.look(picture, 20, alike)
    for write in (code_compare.picture_numpy, code_compare.picture_package):
        names = run(write(picture, 20, alike, 5, t))
        np.testing.assert_allclose(names["weights"], trace.weights, atol=1e-9)
        np.testing.assert_allclose(names["output"], trace.output, atol=1e-9)


@pytest.mark.parametrize(("n", "radius"), [(1_000, 10), (1, 500), (6_000, 100)])
def test_code_of_speech(t, n, radius):
    for write in (code_sequences.speech_numpy, code_sequences.speech_package):
        names = run(write(n, radius, t))
        assert names["full"] == n * n
        assert names["kept"] == speech.truncated_scores(n, radius)


def test_code_of_labelled_words(t):
    tokens = ("I", "saw", "a", "saw", "#\n'\"")
    table, _ = possible(tokens)
    found = labelling.label_words(table, follows())
    for write in (code_sequences.words_numpy, code_sequences.words_package):
        names = run(write(tokens, table, t))
        np.testing.assert_array_equal(names["labels"][:4], found.labels[:4])
        np.testing.assert_allclose(names["numbers"], found.context, atol=1e-9)


@pytest.mark.parametrize("noise", [0.2, 1.0])
def test_code_of_labelled_frames(t, noise):
    made = labelling.spoken((0, 1, 2, 3), SIZES, 4, noise, 7)
    found = labelling.label_frames(made.frames)
    for write in (code_sequences.frames_numpy, code_sequences.frames_package):
        names = run(write(noise, 7, SIZES, 4, t))
        np.testing.assert_array_equal(names["labels"], found.labels)
        np.testing.assert_allclose(names["numbers"], found.context, atol=1e-9)
