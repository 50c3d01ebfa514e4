import json

import numpy as np
import pytest

from attnviz.attention import MASKS, NORMALIZERS, Projections, attend_heads
from attnviz.figures.steps import STEPS, step_alt, step_figure, step_names
from attnviz.figures.theme import THEMES
from attnviz.text import LANGUAGES, words

TOKENS = ["I", "saw", "a", "saw"]


def mode(trace):
    return trace.mode if trace.type == "scatter" else None


def texts(figure):
    return [text for trace in figure.data if mode(trace) == "text" for text in trace.text]


def test_the_plain_head_has_no_step_that_changes_nothing(hero):
    assert step_names(hero()) == (
        "query",
        "key",
        "scores",
        "weights",
        "value",
        "head_outputs",
        "together",
    )


def test_every_step_of_a_full_layer_is_listed(hero, layer):
    full = hero(scale="sqrt_d_k", mask=MASKS["causal"](4, 4), positions="sinusoidal")
    assert set(step_names(full)) == set(STEPS) - {"output"}
    assert step_names(layer)[-1] == "output"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_drawn_in_both_themes(hero, step, theme, t):
    trace = hero(scale="sqrt_d_k", mask=MASKS["causal"](4, 4), positions="sinusoidal")
    figure = step_figure(trace, step, 1, TOKENS, t, theme)
    assert figure.data
    assert figure.layout.height
    assert len(figure.to_json()) < 15_000


@pytest.mark.parametrize("step", STEPS)
def test_every_step_of_a_layer_with_two_heads_is_drawn(layer, step, t):
    for head in (0, 1):
        assert step_figure(layer, step, 3, ["x"] * 7, t, head=head).data


@pytest.mark.parametrize("step", STEPS)
def test_a_large_layer_is_drawn_without_digits(step, t):
    large = attend_heads(
        np.random.default_rng(0).normal(size=(40, 16)), Projections.random(16, 2, 12, 12, 0)
    )
    figure = step_figure(large, step, 20, ["token"] * 40, t)
    assert len(texts(figure)) < 40
    json.loads(figure.to_json())


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("positions", ["rotary", "alibi", "shaw", "t5"])
def test_every_step_is_drawn_with_biases_and_every_position_code(hero, step, positions, t):
    assert step_figure(hero(positions=positions, bias=True), step, 2, TOKENS, t).data


@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_drawn_where_queries_read_another_sequence(step, t):
    projections = Projections.random(3, 2, 2, 2, 1)
    trace = attend_heads(np.ones((2, 3)), projections, memory=np.eye(5, 3))
    assert step_figure(trace, step, 1, ["a", "b"], t, key_tokens=list("vwxyz")).data


@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_the_weights_of_every_normalizer_are_drawn_on_a_scale_from_0(hero, normalizer, t):
    trace = hero(normalizer=normalizer)
    figure = step_figure(trace, "weights", 1, TOKENS, t)
    np.testing.assert_allclose(figure.data[-1].y, trace.head(0).weights[1], rtol=1e-5)
    assert figure.layout.yaxis2.range[0] == 0


def test_the_weights_step_shows_numerators_their_sum_and_shares(hero, t):
    figure = step_figure(hero(), "weights", 1, TOKENS, t)
    np.testing.assert_allclose(figure.data[0].y, np.exp([-2, 0, 1, 0]), rtol=1e-6)
    assert list(figure.data[0].text) == ["0.14", "1", "2.72", "1"]
    assert list(figure.data[1].text) == ["0.03", "0.21", "0.56", "0.21"]
    notes = " ".join(note.text for note in figure.layout.annotations)
    assert "Σ = <b>4.85</b>" in notes
    assert "÷ 4.85" in notes
    assert "exp(−2)" in figure.layout.xaxis.ticktext[0]


def test_a_sparse_normalizer_shows_its_threshold(hero, t):
    figure = step_figure(hero(normalizer="sparsemax"), "weights", 0, TOKENS, t)
    line = figure.layout.shapes[0]
    assert line.y0 == line.y1 == pytest.approx(-4 / 3)
    drawn = np.asarray(figure.data[1].y)
    np.testing.assert_allclose(drawn, hero(normalizer="sparsemax").head(0).weights[0], atol=1e-6)


def test_a_hidden_key_has_no_bar_but_its_sign(hero, t):
    trace = hero(normalizer="entmax15", mask=MASKS["causal"](4, 4))
    bars = step_figure(trace, "weights", 1, TOKENS, t).data[0]
    assert list(bars.text[2:]) == ["−∞", "−∞"]
    assert list(bars.y[2:]) == [0, 0]


def test_a_row_that_sees_nothing_is_drawn(hero, t):
    trace = hero(mask=np.zeros((4, 4), dtype=bool))
    for step in step_names(trace):
        assert step_figure(trace, step, 1, TOKENS, t).data


def test_the_query_is_the_sum_of_scaled_rows(hero, t):
    drawn = texts(step_figure(hero(), "query", 1, TOKENS, t))
    assert {"0 ×", "1 ×", "<b>−1</b>", "<b>1</b>", "<b>q₂</b>"} <= set(drawn)


def test_scores_stand_beside_the_products_they_sum(hero, t):
    drawn = texts(step_figure(hero(), "scores", 1, TOKENS, t))
    assert drawn.count("−3") == 1  # (−1)(3)
    assert "−2" in drawn


def test_two_features_are_drawn_as_arrows_of_equal_scale(hero, layer, t):
    figure = step_figure(hero(), "scores", 1, TOKENS, t)
    assert figure.layout.yaxis2.scaleanchor == "x2"
    arrows = [trace for trace in figure.data if mode(trace) == "lines+markers"]
    assert {trace.line.dash for trace in arrows} == {"solid", "dash"}
    assert "<b>k₂ k₄</b>" in texts(figure)  # the two words are equal, and so are their keys
    assert "yaxis2" not in step_figure(layer, "scores", 1, ["x"] * 7, t).layout


def test_the_weighted_sum_ends_at_the_output_inside_the_values(hero, t):
    trace = hero().head(0)
    figure = step_figure(hero(), "head_outputs", 1, TOKENS, t)
    steps = next(d for d in figure.data if mode(d) == "lines+markers" and d.line.dash == "dot")
    assert (steps.x[-2], steps.y[-2]) == pytest.approx(tuple(trace.output[1]))


def test_equal_tokens_stay_two_rows(hero, t):
    drawn = texts(step_figure(hero(), "key", 1, TOKENS, t))
    assert {"saw₂", "saw₄"} <= set(drawn)


def test_markup_in_a_token_is_escaped(hero, t):
    for step in STEPS:
        figure = step_figure(hero(scale=0.5), step, 1, ["<b>x</b>", "&", "a", "b"], t)
        assert "<b>x</b>" not in figure.to_json().replace("\\u003c", "<")


def test_an_unknown_step_is_refused(hero, t):
    with pytest.raises(ValueError, match="step must be one of encoded_inputs, query"):
        step_figure(hero(), "softmax", 1, TOKENS, t)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_said_in_words(hero, step, language):
    said = step_alt(hero(), step, 1, TOKENS, words(language))
    assert "(" in said
    assert "{" not in said


def test_the_words_of_the_weights_hold_their_numbers(hero, t):
    assert "(0.03, 0.21, 0.56, 0.21)" in step_alt(hero(), "weights", 1, TOKENS, t)
