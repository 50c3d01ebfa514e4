"""A head learns its field from what is to be read, and its gradient is the slope of its error."""

import numpy as np
import pytest

from attnviz.comparisons.fields import SHAPES, field_by, shaped_field
from attnviz.comparisons.learned_field import STEPS, _slope, learn

GRID = (5, 10)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_field_is_found_from_what_is_to_be_read(shape):
    kept = learn(GRID, SHAPES[shape])
    assert tuple(each.steps for each in kept) == STEPS
    assert kept[-1].loss < 1e-3 * kept[0].loss
    found = field_by(GRID, kept[-1].centre, kept[-1].m).weights
    np.testing.assert_allclose(found, shaped_field(GRID, SHAPES[shape]).weights, atol=2e-3)


def test_a_field_elsewhere_is_walked_to():
    kept = learn(GRID, SHAPES["shifted"])
    np.testing.assert_allclose(kept[0].centre, (0, 0))
    np.testing.assert_allclose(kept[-1].centre, (0, -4), atol=0.02)
    assert -4 < kept[3].centre[1] < 0  # on the way


def test_the_gradient_is_the_slope_of_the_error():
    rng = np.random.default_rng(1)
    pictures, target = rng.normal(size=(12, 2)), rng.normal(size=(12, 2))
    values = np.array([0.3, -0.6, 0.7, 0.2, 0.5])
    _, slope = _slope((3, 4), values, pictures, target)
    for place in range(5):
        step = np.zeros(5)
        step[place] = 1e-6
        above, _ = _slope((3, 4), values + step, pictures, target)
        below, _ = _slope((3, 4), values - step, pictures, target)
        assert slope[place] == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-9)


def test_the_same_seed_learns_the_same():
    one, other = learn((3, 3), SHAPES["wide"], 4), learn((3, 3), SHAPES["wide"], 4)
    np.testing.assert_array_equal(one[-1].m, other[-1].m)
