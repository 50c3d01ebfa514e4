import numpy as np
import pytest

from attnviz.attention import MASKS, Projections, attend_heads
from attnviz.figures.heatmaps import MOST_HEADS, head_maps, head_maps_alt, heatmap, heatmap_alt
from attnviz.text import LANGUAGES, words

TOKENS = ["I", "saw", "a", "saw"]


def mode(trace):
    return trace.mode if trace.type == "scatter" else None


def digits_of(figure):
    return next(list(trace.text) for trace in figure.data if mode(trace) == "text")


def test_the_cells_are_the_array_first_row_on_top(hero, t):
    weights = hero().head(0).weights
    figure = heatmap(weights, "weights", TOKENS, TOKENS, t)
    np.testing.assert_allclose(figure.data[0].z, weights, rtol=1e-6)
    assert figure.layout.yaxis.range == (3.5, -0.5)
    assert figure.layout.xaxis.range == (-0.5, 3.5)
    assert figure.data[0].z.dtype == np.float32


def test_weights_are_coloured_from_0_to_1(hero, t):
    axis = heatmap(hero().head(0).weights, "weights", TOKENS, TOKENS, t).layout.coloraxis
    assert (axis.cmin, axis.cmax) == (0, 1)


def test_weights_above_1_reach_the_end_of_the_scale(hero, t):
    weights = hero(normalizer="relu").head(0).weights
    assert heatmap(weights, "weights", TOKENS, TOKENS, t).layout.coloraxis.cmax == 4


def test_scores_are_coloured_symmetrically_about_0(hero, t):
    axis = heatmap(hero().head(0).scores, "scores", TOKENS, TOKENS, t).layout.coloraxis
    assert (axis.cmin, axis.cmax) == (-4, 4)


def test_scores_of_zeros_have_a_range(t):
    axis = heatmap(np.zeros((2, 2)), "scores", None, None, t).layout.coloraxis
    assert (axis.cmin, axis.cmax) == (-1, 1)


def test_equal_tokens_stay_two_rows_and_two_columns(hero, t):
    figure = heatmap(hero().head(0).weights, "weights", TOKENS, TOKENS, t)
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.tickvals == (0, 1, 2, 3)
        assert axis.ticktext == ("I₁", "saw₂", "a₃", "saw₄")
    assert np.shape(figure.data[0].z) == (4, 4)


def test_markup_in_a_token_is_escaped(t):
    figure = heatmap(np.eye(2), "weights", ["<b>x</b>", "a&b\nc"], None, t, title="<i>")
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;x&lt;/b&gt;₁", "a&amp;b⏎c₂")
    assert "<i>" not in figure.layout.title.text


def test_cells_print_their_digits_with_a_real_minus(hero, t):
    figure = heatmap(hero().head(0).scores, "scores", TOKENS, TOKENS, t)
    assert digits_of(figure)[4:8] == ["−2", "0", "1", "0"]
    weights = heatmap(hero().head(0).weights, "weights", TOKENS, TOKENS, t, digits=3)
    assert digits_of(weights)[4:8] == ["0.028", "0.206", "0.560", "0.206"]


@pytest.mark.parametrize(("n", "lettered"), [(12, True), (13, False)])
def test_cells_print_their_digits_up_to_12_by_12(n, lettered, t):
    figure = heatmap(np.eye(n), "weights", ["x"] * n, ["x"] * n, t)
    assert any(mode(trace) == "text" for trace in figure.data) == lettered


def test_a_forbidden_cell_has_no_colour_and_says_minus_infinity(hero, t):
    trace = hero(mask=MASKS["causal"](4, 4)).head(0)
    figure = heatmap(trace.masked_scores, "scores", TOKENS, TOKENS, t)
    assert np.isnan(figure.data[0].z).sum() == 6
    assert digits_of(figure)[:4] == ["−3", "−∞", "−∞", "−∞"]
    assert figure.data[1].mode == "lines"


def test_a_forbidden_weight_is_zero(hero, t):
    trace = hero(mask=MASKS["causal"](4, 4)).head(0)
    figure = heatmap(trace.weights, "weights", TOKENS, TOKENS, t, mask=trace.mask)
    assert digits_of(figure)[:4] == ["1.00", "0", "0", "0"]


def test_one_row_is_outlined(hero, t):
    shapes = heatmap(hero().head(0).scores, "scores", TOKENS, TOKENS, t, row=1).layout.shapes
    assert (shapes[0].y0, shapes[0].y1) == (0.5, 1.5)
    assert len(heatmap(np.eye(4), "scores", TOKENS, TOKENS, t, row=1, column=2).layout.shapes) == 2


def test_a_matrix_carries_its_shape_and_says_who_asks(t):
    figure = heatmap(np.zeros((2, 5)), "scores", None, None, t, title="A")
    assert figure.layout.title.text == "<b>A</b>  2 × 5"
    assert figure.layout.yaxis.title.text == "row: who asks (query)"
    assert figure.layout.xaxis.title.text == "column: who is asked (key)"


def test_a_figure_brings_no_template(t):
    assert len(heatmap(np.eye(2), "weights", None, None, t).to_json()) < 3000


def test_all_heads_share_one_scale_and_the_chosen_one_is_outlined(layer, t):
    figure = head_maps(layer, "weights", ["x"] * 7, t, head=1)
    maps = [trace for trace in figure.data if trace.type == "heatmap"]
    assert {trace.coloraxis for trace in maps} == {"coloraxis"}
    np.testing.assert_allclose([trace.z for trace in maps], layer.weights, rtol=1e-6)
    assert figure.layout.shapes[0].xref == "x2"
    assert figure.layout.annotations[1].text == "<b>head 2</b>"


def test_scores_of_all_heads_are_those_behind_the_mask(hero, t):
    trace = hero(mask=MASKS["causal"](4, 4))
    figure = head_maps(trace, "scores", TOKENS, t)
    assert np.isnan(figure.data[0].z).sum() == 6


def test_too_many_heads_are_refused(t):
    many = attend_heads(np.eye(2), Projections.random(2, MOST_HEADS + 1, 1, 1, 0))
    with pytest.raises(ValueError, match="12 heads"):
        head_maps(many, "weights", ["x", "y"], t)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_alternative_text_names_the_largest_cell_of_each_row(hero, language):
    weights = hero().head(0).weights
    text = heatmap_alt(weights, TOKENS, TOKENS, words(language), title="A′")
    assert all(part in text for part in ("saw 2", "a 3", "0.56", "0.61"))


def test_the_alternative_text_leaves_out_a_row_that_sees_nothing(hero, t):
    mask = np.zeros((4, 4), dtype=bool)
    text = heatmap_alt(hero(mask=mask).head(0).weights, TOKENS, TOKENS, t, mask=mask)
    assert "largest" not in text


def test_the_alternative_text_of_all_heads_counts_them(layer, t):
    assert head_maps_alt(layer, "weights", ["x"] * 7, t, head=1).startswith("2 heads")
