"""The two notations: every picture and formula of one is the transpose of the other's."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, Projections, attend_heads
from attnviz.attention.ancestry import ancestry
from attnviz.figures.formulas import cell_latex, cell_lines, row_equation, row_latex, step_latex
from attnviz.figures.heatmaps import head_maps, head_maps_alt, heatmap, heatmap_alt
from attnviz.figures.notation import COLUMN, NOTATIONS, ROW
from attnviz.figures.plane import score_plane, sum_plane
from attnviz.figures.steps import STEPS, step_alt, step_figure, step_names
from attnviz.figures.theme import THEMES
from attnviz.settings import NOTATIONS as CHOICES
from attnviz.text import LANGUAGES, catalogue, words

TOKENS = ["I", "saw", "a", "saw"]
PREFIX = "notation.in_columns."


def texts(figure):
    return [
        text
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "text"
        for text in trace.text
    ]


def matrices(figure):
    return [np.asarray(trace.z) for trace in figure.data if trace.type == "heatmap"]


def test_the_notations_are_those_of_a_link():
    assert tuple(NOTATIONS) == CHOICES
    assert NOTATIONS["row"] is ROW


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 5), st.integers(1, 5), st.sampled_from([ROW, COLUMN]))
def test_a_product_reversed_is_the_product_transposed(n_rows, n_columns, notation):
    left, right = np.random.default_rng(0).normal(size=(2, 5, 5))
    left, right = left[:n_rows], right[:, :n_columns]
    first, second = notation.pair(notation.laid(left), notation.laid(right))
    np.testing.assert_allclose(first @ second, notation.laid(left @ right), atol=1e-12)


def test_an_index_stands_low_beside_rows_and_high_beside_columns():
    assert (ROW.index(1), COLUMN.index(1), COLUMN.index(11)) == ("₂", "²", "¹²")


@pytest.mark.parametrize("kind", ["scores", "weights"])
@pytest.mark.parametrize("theme", THEMES)
def test_the_map_of_columns_is_the_transpose(hero, kind, theme, t):
    trace = hero(mask=MASKS["causal"](4, 4)).head(0)
    array = getattr(trace, kind)
    shown = {"mask": trace.mask, "row": 1, "column": 0}
    row = heatmap(array, kind, TOKENS, TOKENS, t, theme, **shown)
    column = heatmap(array, kind, TOKENS, TOKENS, t, theme, notation=COLUMN, **shown)
    np.testing.assert_array_equal(column.data[0].z, np.asarray(row.data[0].z).T)
    lettered = [np.reshape(texts(figure), (4, 4)) for figure in (row, column)]
    np.testing.assert_array_equal(lettered[1], lettered[0].T)
    for one, other in zip(row.layout.shapes, column.layout.shapes, strict=True):
        assert (other.x0, other.x1, other.y0, other.y1) == (one.y0, one.y1, one.x0, one.x1)
    assert column.layout.xaxis.title.text == "column: who asks (query)"
    assert column.layout.yaxis.title.text == "row: who is asked (key)"


def test_a_map_that_is_not_square_turns_its_shape_and_its_labels(t):
    array = np.arange(10.0).reshape(2, 5)
    figure = heatmap(array, "scores", ["a", "b"], list("vwxyz"), t, title="A", notation=COLUMN)
    assert figure.layout.title.text == "<b>A</b>  5 × 2"
    assert figure.layout.xaxis.ticktext == ("a₁", "b₂")
    assert figure.layout.yaxis.ticktext == ("v₁", "w₂", "x₃", "y₄", "z₅")
    assert figure.data[0].hovertemplate.startswith("%{x} → %{y}")


def test_the_maps_of_all_heads_are_transposed(layer, t):
    row, column = (
        head_maps(layer, "weights", ["x"] * 7, t, head=1, notation=each) for each in (ROW, COLUMN)
    )
    for one, other in zip(matrices(row), matrices(column), strict=True):
        np.testing.assert_array_equal(other, one.T)


def test_words_follow_the_picture(hero, layer, t):
    weights = hero().head(0).weights
    said = heatmap_alt(weights, TOKENS, TOKENS, t, title="A′", notation=COLUMN)
    assert "column saw 2: largest at a 3, 0.56" in said
    assert "5 rows × 2 columns" in heatmap_alt(
        np.ones((2, 5)), None, None, t, title="A", notation=COLUMN
    )
    assert "column x 1" in head_maps_alt(layer, "weights", ["x"] * 7, t, notation=COLUMN)
    assert "K transposed times Q" in step_alt(hero(), "together", 1, TOKENS, t, notation=COLUMN)


def test_all_at_once_is_the_transpose_of_all_at_once(hero, t):
    trace = hero()
    row, column = (
        matrices(step_figure(trace, "together", 1, TOKENS, t, notation=each))
        for each in (ROW, COLUMN)
    )
    for one, other in zip(row, column, strict=True):
        np.testing.assert_array_equal(other, one.T)


def test_all_at_once_names_the_factors_in_their_order(layer, t):
    drawn = step_figure(layer, "together", 1, ["x"] * 7, t, notation=COLUMN)
    (names,) = (trace for trace in drawn.data if trace.type == "scatter" and trace.mode == "text")
    places = {
        letter: next(
            x for x, text in zip(names.x, names.text, strict=True) if f"<b>{letter}" in text
        )
        for letter in ("K", "Q", "A<", "V", "A′", "O")
    }
    assert places["K"] < places["Q"] < places["A<"]
    assert places["V"] < places["A′"] < places["O"]
    said = [re.sub("<.*?>", "", text).split() for text in names.text if "×" in text]
    shapes = {name.rstrip(): size for *name_, size in said for name in [" ".join(name_)]}
    assert shapes["K⊤"] == "7×3"
    assert shapes["Q"] == "3×7"
    assert shapes["V"] == "2×7"
    assert shapes["O"] == "2×7"


@pytest.mark.parametrize("step", ["query", "key", "value"])
def test_a_projection_in_columns_has_its_matrix_first_and_transposed(step, t):
    projections = Projections.random(3, 1, 2, 5, 1)
    trace = attend_heads(np.arange(12.0).reshape(4, 3), projections)
    drawn = texts(step_figure(trace, step, 1, TOKENS, t, notation=COLUMN))
    width = 5 if step == "value" else 2
    assert any("W<sup>" in text and f"{width}×3" in text for text in drawn)
    assert {"query": any("a²" in text and "3×1" in text for text in drawn)}.get(step, True)


def test_the_query_in_columns_is_the_sum_of_scaled_columns(hero, t):
    drawn = texts(step_figure(hero(), "query", 1, TOKENS, t, notation=COLUMN))
    assert {"0 ×", "1 ×", "<b>−1</b>", "<b>1</b>", "<b>q²</b>"} <= set(drawn)


def test_vectors_of_a_plane_are_named_as_on_slides(hero, t):
    head = hero().head(0)
    assert {"<b>q²</b>", "<b>k² k⁴</b>"} <= set(texts(score_plane(head, 1, notation=COLUMN)))
    assert "<b>b²</b>" in texts(sum_plane(head, 1, notation=COLUMN))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_drawn_in_columns(hero, step, theme, t):
    trace = hero(scale="sqrt_d_k", mask=MASKS["causal"](4, 4), positions="sinusoidal")
    figure = step_figure(trace, step, 1, TOKENS, t, theme, notation=COLUMN)
    assert figure.data
    assert len(figure.to_json()) < 15_000


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("positions", ["rotary", "alibi", "shaw", "t5"])
def test_every_position_code_is_drawn_in_columns(hero, step, positions, t):
    trace = hero(positions=positions, bias=True)
    assert step_figure(trace, step, 2, TOKENS, t, notation=COLUMN).data


@pytest.mark.parametrize("step", STEPS)
def test_layers_of_every_size_are_drawn_in_columns(layer, step, t):
    large = attend_heads(
        np.random.default_rng(0).normal(size=(40, 16)), Projections.random(16, 2, 12, 12, 0)
    )
    memory = attend_heads(np.ones((2, 3)), Projections.random(3, 2, 2, 2, 1), memory=np.eye(5, 3))
    assert step_figure(layer, step, 3, ["x"] * 7, t, head=1, notation=COLUMN).data
    many = step_figure(large, step, 20, ["token"] * 40, t, notation=COLUMN)
    assert len(texts(many)) < 60
    asked = {"key_tokens": list("vwxyz"), "notation": COLUMN}
    assert step_figure(memory, step, 1, ["a", "b"], t, **asked).data


def test_the_hero_row_reads_the_same_and_stands_upright_in_latex(hero):
    head = hero().head(0)
    assert row_latex(head, 1, notation=COLUMN) == (
        r"b^{2} = 0.03 \, v^{1} + 0.21 \, v^{2} + 0.56 \, v^{3} + 0.21 \, v^{4}"
        r" = \begin{pmatrix} -0.38 \\ 1.44 \end{pmatrix}"
    )
    assert row_equation(head, 1).startswith("b₂ = 0.03 v₁")


def test_a_cell_has_the_same_lines_in_both(hero, t):
    trace = hero().head(0)
    found = ancestry(trace, 1, 0)
    lines = [cell_lines(found, trace.choices, t, notation=each) for each in (ROW, COLUMN)]
    assert lines[0] == lines[1]
    latex = cell_latex(found, trace.choices, notation=COLUMN)
    assert r"\alpha_{2,1} &= q^{2} \cdot k^{1} = (-1)(3) + (1)(1) = -2" in latex


def test_scores_with_matrices_change_sides(hero, t):
    trace = hero(score="bilinear", parameters={"w": [[1, 2], [0, 1]]}).head(0)
    found = ancestry(trace, 1, 0)
    assert "k₁·W q₂" in cell_lines(found, trace.choices, t, notation=COLUMN)[0]
    assert r"k^{1} \cdot W q^{2}" in cell_latex(found, trace.choices, notation=COLUMN)


def test_the_query_step_in_columns_is_the_lectures(hero):
    latex = step_latex(hero(), "query", 1, notation=COLUMN)
    assert (
        r"q^{2} &= W^q a^{2} = \begin{pmatrix} 1 & 0 & -1 \\ 0 & 1 & 0 \end{pmatrix} "
        r"\begin{pmatrix} 0 \\ 1 \\ 1 \end{pmatrix} = \begin{pmatrix} -1 \\ 1 \end{pmatrix}"
    ) in latex
    assert "q^{2}_{1} &= (1)(0) + (0)(1) + (-1)(1) = -1" in latex


def test_all_at_once_in_columns_is_the_lectures(hero):
    latex = step_latex(hero(), "together", 1, notation=COLUMN)
    assert r"A &= K^{\top} Q = \begin{pmatrix} 3 & 1 \\ 1 & 1 \\ 1 & 2 \\ 1 & 1" in latex
    assert r"\underset{\downarrow}{\operatorname{softmax}}(A)" in latex
    assert r"O &= V A' = \begin{pmatrix} 1 & -1 & 0 & -1 \\ 2 & 2 & 1 & 2" in latex
    assert "q_{" not in latex


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary", "alibi", "shaw", "t5"])
def test_latex_in_columns_is_balanced_and_plain(hero, layer, step, positions):
    for trace in (hero(positions=positions, bias=True, scale="sqrt_d_k"), layer):
        latex = step_latex(trace, step, 1, notation=COLUMN)
        assert latex.count("{") == latex.count("}")
        assert latex.count("\\begin") == latex.count("\\end")
        assert not re.search(r"[^\x00-\x7f]", latex)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_turned_sentence_has_a_plain_one_with_the_same_placeholders(language):
    texts_ = catalogue(language)
    turned = [key for key in texts_ if key.startswith(PREFIX)]
    assert turned
    for key in turned:
        plain = texts_[key.removeprefix(PREFIX)]
        assert sorted(re.findall(r"\{\w+\}", texts_[key])) == sorted(re.findall(r"\{\w+\}", plain))


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_asks_is_a_row_in_rows_and_a_column_in_columns(language):
    t = words(language)
    for key in ("see.rows", "figure.rows"):
        assert re.search("row", ROW.words(t)(key))
        assert re.search("column", COLUMN.words(t)(key))
    assert COLUMN.words(COLUMN.words(t))("see.rows") == COLUMN.words(t)("see.rows")
    assert COLUMN.words(t)("see.features") == t("see.features")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_is_said_in_columns(hero, language):
    for step in step_names(hero()):
        said = step_alt(hero(), step, 1, TOKENS, words(language), notation=COLUMN)
        assert "{" not in said
