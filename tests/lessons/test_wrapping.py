"""The head that looks one place back: one circle comes round, several do not, nor does a mask."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.attention import MASKS
from attnviz.lessons.wrapping import PERIOD, circles, previous_head, repeats_after, score_at
from attnviz.scene import scene_of
from attnviz.settings import Settings


def test_one_circle_is_the_second_head_of_the_example():
    head = scene_of(Settings(example="two_heads", positions="example")).trace.head(1)
    np.testing.assert_allclose(previous_head(4, 1).weights, head.weights, atol=1e-12)


def test_the_first_place_looks_at_the_fourth_on_one_circle():
    weights = previous_head(4, 1).weights
    np.testing.assert_allclose(weights[0], [0.0452, 0.0022, 0.0452, 0.9074], atol=5e-5)
    np.testing.assert_allclose(weights[1], [0.9074, 0.0452, 0.0022, 0.0452], atol=5e-5)


@pytest.mark.parametrize("n_waves", [2, 3, 4])
def test_with_more_circles_it_does_not(n_waves):
    weights = previous_head(4, n_waves).weights
    assert weights[0].argmax() == 0
    assert [row.argmax() for row in weights[1:]] == [0, 1, 2]


def test_with_a_causal_mask_it_cannot():
    weights = previous_head(4, 1, MASKS["causal"](4, 4)).weights
    np.testing.assert_array_equal(weights[0], [1, 0, 0, 0])
    assert [row.argmax() for row in weights[1:]] == [0, 1, 2]


@given(st.integers(1, 6), st.integers(0, 40))
def test_places_repeat_after_the_slowest_circle_and_not_before(n_waves, place):
    period = repeats_after(n_waves)
    assert period == PERIOD * 2 ** (n_waves - 1)
    at = np.array([place, place + period, place + period / 2], dtype=np.float64)
    here, again, halfway = circles(at, n_waves)
    np.testing.assert_allclose(here, again, atol=1e-9)
    assert np.abs(here - halfway).max() > 1


@given(st.integers(1, 6), st.integers(-30, 30))
def test_a_score_is_that_of_the_distance(n_waves, distance):
    head = previous_head(31, n_waves)
    i, j = (0, distance) if distance >= 0 else (-distance, 0)
    at = score_at(np.array([float(distance)]), n_waves)[0]
    np.testing.assert_allclose(head.scores[i, j], at, atol=1e-9)
