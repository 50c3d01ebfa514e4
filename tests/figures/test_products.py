"""Row times column: every number of the ribbon is what its line says."""

import re

import numpy as np
import pytest

from attnviz.attention import NORMALIZERS, POSITIONS, SCORES
from attnviz.figures.notation import COLUMN, ROW
from attnviz.figures.products import WEIGHED, Products
from attnviz.figures.shaped import shaped
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import words

t = words("en")


def page(notation=ROW, digits=2, **chosen):
    scene = scene_of(Settings(**chosen))
    return Products(scene.trace, scene.head, t, digits, notation)


CROWD = {"n_heads": 2, "w_source": "random", "d_k": 4, "d_v": 3, "head": 1}


@pytest.mark.parametrize(
    ("name", "row", "column", "line"),
    [
        ("query", 1, 0, "q₂,₁ = (0)(1) + (1)(0) + (1)(−1) = −1"),
        ("key", 0, 0, "k₁,₁ = (1)(1) + (0)(0) + (2)(1) = 3"),
        ("value", 2, 1, "v₃,₂ = (1)(0) + (1)(1) + (0)(1) = 1"),
        ("scores", 1, 0, "α₂,₁ = (−1)(3) + (1)(1) = −2"),
        ("weights", 1, 2, "α′₂,₃ = exp(1) / 4.85 = 0.56"),
        (
            "head_outputs",
            1,
            0,
            "b₂,₁ = (0.03)(1) + (0.21)(−1) + (0.56)(0) + (0.21)(−1) = −0.38",
        ),
    ],
)
def test_the_lines_of_the_hero_are_those_worked_by_hand(name, row, column, line):
    assert page().line(name, row, column) == line
    assert page().lines(name)[row][column] == line


def test_latex_swaps_the_factors_where_tokens_are_columns():
    assert page().latex("query", 1, 0) == "q_{2,1} = (0)(1) + (1)(0) + (1)(-1) = -1"
    assert page(COLUMN).latex("query", 1, 0) == "q^{2}_{1} = (1)(0) + (0)(1) + (-1)(1) = -1"


def summed(latex: str) -> float:
    """Add up the products of a line, as they are written."""
    pairs = re.findall(r"\((-?[\d.]+)\)\((-?[\d.]+)\)", latex)
    return sum(float(left) * float(right) for left, right in pairs)


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("name", WEIGHED)
def test_the_terms_of_a_line_add_up_to_the_number(name, positions):
    found = page(digits=4, positions=positions, scale="sqrt_d_k", **CROWD)
    array = found.stops[name].array
    turned = name in ("query", "key") and positions == "rotary"
    for row, column in np.ndindex(array.shape):
        said = found.latex(name, row, column)
        assert float(said.split(" = ")[-1]) == pytest.approx(array[row, column], abs=0.6e-4)
        if not turned:
            assert summed(said) == pytest.approx(array[row, column], abs=2e-3)
        else:
            assert "longrightarrow" in said


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("positions", POSITIONS)
def test_every_computed_matrix_has_a_line_for_every_number(score, positions):
    found = page(score=score, positions=positions, mask="causal", scale=0.5, **CROWD)
    for name, stop in found.stops.items():
        lines = found.lines(name)
        assert (lines is None) == (stop.source != "computed")
        if lines is not None:
            assert np.array(lines).shape == stop.array.shape
            assert lines[0][0] == found.line(name, 0, 0)


def test_a_hidden_score_says_so_and_a_scaled_one_what_multiplies_it():
    found = page(mask="causal", scale=0.5)
    assert found.line("masked_scores", 0, 1) == "α₁,₂ → −∞"
    assert found.line("scaled_scores", 2, 0) == "0.5 α₃,₁ = 0.5 · 4 = 2"
    rooted = page(scale="sqrt_d_k").line("scaled_scores", 2, 0)
    assert rooted == "α₃,₁ / √2 = 4 / 1.41 = 2.83"


def test_added_positions_and_joined_heads_say_where_they_come_from():
    found = page(positions="sinusoidal", **CROWD)
    assert found.line("encoded_inputs", 0, 1) == "a₁,₂ + e₁,₂ = 0 + 1 = 1"
    assert found.line("concatenated", 0, 3).startswith(t("ribbon.from_head", head=2, feature=1))


def test_a_number_holds_the_row_and_the_column_that_make_it():
    found = page()
    assert found.held("query", 1, 0) == {"inputs": (1, None), "w_q": (None, 0)}
    assert found.held("scores", 1, 3) == {"query": (1, None), "key": (3, None)}
    assert found.held("weights", 1, 3) == {"scores": (1, None)}
    assert found.held("head_outputs", 2, 1) == {"weights": (2, None), "value": (None, 1)}
    assert found.held("w_q", 0, 0) == {}
    full = page(mask="causal", scale="sqrt_d_k", positions="sinusoidal", **CROWD)
    assert full.held("key", 1, 0) == {"encoded_inputs": (1, None), "w_k": (None, 0)}
    assert full.held("weights", 1, 0) == {"masked_scores": (1, None)}
    assert full.held("masked_scores", 1, 0) == {"scaled_scores": (1, None)}
    assert full.held("output", 1, 2) == {"concatenated": (1, None), "w_o": (None, 2)}
    assert full.held("concatenated", 1, 4) == {"head_outputs": (1, None)}
    assert full.held("concatenated", 1, 1) == {}  # the other head's


def test_shapes_stand_below_each_matrix_in_both_notations():
    rows, columns = page(), page(COLUMN)
    made, left, right = (r"\underset{4 \times 2}{Q}", r"\underset{4 \times 3}{I}", "")
    right = r"\underset{3 \times 2}{W^q}"
    assert shaped(rows, "query") == rf"{made} = {left} \; {right}"
    made, left, right = (
        r"\underset{2 \times 4}{Q}",
        r"\underset{2 \times 3}{W^q}",
        r"\underset{3 \times 4}{I}",
    )
    assert shaped(columns, "query") == rf"{made} = {left} \; {right}"
    table = r"\underset{4 \times 4}{A}"
    one, other = r"\underset{4 \times 2}{Q}", r"\underset{2 \times 4}{K^{\top}}"
    assert shaped(rows, "scores") == rf"{table} = {one} \; {other}"
    one, other = r"\underset{4 \times 2}{K^{\top}}", r"\underset{2 \times 4}{Q}"
    assert shaped(columns, "scores") == rf"{table} = {one} \; {other}"


@pytest.mark.parametrize("normalizer", NORMALIZERS)
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("notation", [ROW, COLUMN])
def test_every_matrix_can_be_written_with_its_shape(normalizer, score, notation):
    for positions in ("shaw", "rotary", "sinusoidal"):
        chosen = {"score": score, "normalizer": normalizer, "positions": positions, **CROWD}
        found = page(notation, mask="causal", scale=0.5, **chosen)
        for name in found.stops:
            assert shaped(found, name).count("{") == shaped(found, name).count("}")


def test_scores_that_are_no_product_are_written_as_what_they_are():
    assert "cos" not in shaped(page(), "scores")
    assert r"\lVert" in shaped(page(score="cosine"), "scores")
    assert r"\tanh" in shaped(page(score="additive"), "scores")
