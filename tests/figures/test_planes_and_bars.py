import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.figures.bars import (
    bars_alt,
    contribution_bars,
    guess_bars,
    perturbation_bars,
    perturbation_bars_alt,
    weight_bars,
)
from attnviz.figures.plane import hull, score_plane, sum_plane
from attnviz.figures.theme import THEMES

TOKENS = ["I", "saw", "a", "saw"]
COORDINATES = st.integers(-9, 9)


@settings(deadline=None)
@given(st.lists(st.tuples(COORDINATES, COORDINATES), min_size=1, max_size=12))
def test_every_point_lies_inside_the_hull(points):
    places = np.array(points, dtype=float)
    corners = places[hull(places)]
    if len(corners) < 3:
        return
    edges = np.roll(corners, -1, axis=0) - corners
    for point in places:
        across = point - corners
        assert (edges[:, 0] * across[:, 1] - edges[:, 1] * across[:, 0] >= 0).all()


def test_the_hull_of_the_hero_values_is_a_triangle(hero):
    assert len(hull(hero().head(0).value)) == 3


@pytest.mark.parametrize("draw", [score_plane, sum_plane])
@pytest.mark.parametrize("theme", THEMES)
def test_one_unit_is_as_long_upwards_as_sideways(hero, draw, theme):
    layout = draw(hero().head(0), 1, theme).layout
    assert layout.yaxis.scaleanchor == "x"


def test_bars_are_the_numbers(t):
    deltas = np.array([0.1, 0.0, 0.25, 2.0])
    figure = perturbation_bars(deltas, TOKENS, t, nudged=3)
    np.testing.assert_allclose(figure.data[0].y, deltas, rtol=1e-6)
    assert figure.data[0].text == ("0.10", "0", "0.25", "2")
    assert figure.data[0].marker.color[3] == THEMES["light"].accent
    assert figure.layout.xaxis.ticktext == ("I₁", "saw₂", "a₃", "saw₄")


def test_weight_bars_keep_the_scale_from_0_to_1(t):
    figure = weight_bars(np.array([0.03, 0.2, 0.5, 0.2]), TOKENS, t)
    assert figure.layout.yaxis.range == (0, 1.16)


def test_contribution_bars_have_the_colour_of_values(t):
    figure = contribution_bars(np.array([0.06, 0.46, 0.56, 0.46]), TOKENS, t)
    assert set(figure.data[0].marker.color) == {"#009E73"}


def test_many_bars_carry_no_digits(t):
    assert weight_bars(np.full(40, 1 / 40), ["x"] * 40, t).data[0].text is None


def test_bars_are_said_in_words(t):
    deltas = np.array([0.1, 0.0, 0.25, 2.0])
    assert "saw 4: 2" in perturbation_bars_alt(deltas, TOKENS, t)
    assert bars_alt(np.arange(40.0), ["x"] * 40, t, title="w") == "w. x 40: 39."


def test_a_guess_stands_beside_what_was_computed():
    figure = guess_bars(0.5, 0.56, ("yours", "computed"))
    np.testing.assert_allclose(figure.data[0].y, [0.5, 0.56], rtol=1e-6)
    assert list(figure.layout.xaxis.ticktext) == ["yours", "computed"]
