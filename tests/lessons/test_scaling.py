"""Random scores: the law that their spread is √d, and the figures measured before."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention.normalizers import NORMALIZERS
from attnviz.lessons.scaling import WIDTHS, jacobian_norm, spread_by_divisor, study

# Measured with 2 000 trials of 10 keys and another generator.
MEASURED = {
    "spread": (1.0, 1.4, 2.0, 4.1, 7.9, 15.9, 22.6),
    "largest": (0.27, 0.37, 0.49, 0.74, 0.85, 0.92, 0.95),
    "jacobian": (0.33, 0.34, 0.34, 0.26, 0.17, 0.10, 0.065),
}
NOISE = {"spread": 0.04, "largest": 0.03, "jacobian": 0.035}


@pytest.fixture(scope="module")
def found():
    return study(0)


@pytest.mark.parametrize("measure", MEASURED)
def test_the_measures_agree_with_those_of_other_draws(found, measure):
    relative = NOISE[measure] if measure == "spread" else 0
    np.testing.assert_allclose(
        getattr(found.unscaled, measure), MEASURED[measure], rtol=relative, atol=NOISE[measure]
    )


@pytest.mark.parametrize("seed", [0, 1, 2718])
def test_the_spread_is_the_root_of_the_width_and_scaling_makes_it_one(seed):
    found = study(seed)
    np.testing.assert_allclose(found.unscaled.spread**2 / WIDTHS, 1, atol=0.08)
    np.testing.assert_allclose(found.scaled.spread, 1, atol=0.04)


def test_scaled_weights_are_as_even_at_any_width_from_16_on(found):
    wide = WIDTHS.index(16)
    np.testing.assert_allclose(found.scaled.largest[wide:], 0.31, atol=0.02)
    np.testing.assert_allclose(found.scaled.effective[wide:], 7.0, atol=0.15)
    np.testing.assert_allclose(found.scaled.jacobian[wide:], 0.347, atol=0.005)
    np.testing.assert_allclose(found.unscaled.effective[[0, -1]], [7.8, 1.16], atol=0.08)


def test_a_head_of_16_in_a_model_of_64_is_divided_by_4_not_8(found):
    spread = spread_by_divisor(float(found.unscaled.spread[WIDTHS.index(16)]), 16, 64)
    assert list(spread) == ["d_k", "d_model", "none"]
    np.testing.assert_allclose(list(spread.values()), [1.00, 0.50, 4.0], rtol=0.02)


def test_a_study_is_the_same_for_the_same_seed_and_another_for_another(found):
    again, other = study(0), study(1)
    np.testing.assert_array_equal(again.rows, found.rows)
    assert (other.rows != found.rows).all()


def test_the_row_shown_is_one_of_the_draws(found):
    for width in WIDTHS:
        unscaled, scaled = found.row_weights(width)
        np.testing.assert_allclose([unscaled.sum(), scaled.sum()], 1)
        assert unscaled.argmax() == scaled.argmax()
        assert unscaled.max() >= scaled.max() - 1e-12


@settings(deadline=None)
@given(st.integers(1, 6), st.integers(0, 100))
def test_the_jacobian_norm_is_that_of_the_matrix(n_keys, seed):
    weights = NORMALIZERS["softmax"](np.random.default_rng(seed).normal(size=(1, n_keys)) * 3)[0]
    jacobian = np.diag(weights) - np.outer(weights, weights)
    np.testing.assert_allclose(jacobian_norm(weights[None])[0], np.linalg.norm(jacobian), atol=1e-9)


@pytest.mark.parametrize("widths", [(), (0, 1), (4, 4), (16, 2)])
def test_widths_that_do_not_grow_are_refused(widths):
    with pytest.raises(ValueError, match="widths must grow from 1 on"):
        study(0, widths, n_trials=2)
