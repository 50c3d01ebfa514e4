"""Dropout: what it expects, computed from every way to drop, and what hides at one half."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.lessons.dropout import (
    RESCALINGS,
    dropped,
    enumerated_sum,
    expected_sum,
    kept_cells,
)
from attnviz.scene import scene_of
from attnviz.settings import Settings

WEIGHTS = scene_of(Settings()).trace.head(0).weights
rows = st.lists(st.floats(0, 1, width=32), min_size=1, max_size=8).map(np.array)
shares = st.floats(0, 0.95)


@settings(deadline=None)
@given(rows, shares, st.sampled_from(tuple(RESCALINGS)))
def test_the_expected_sum_is_that_of_every_way_to_drop(row, share, rescaling):
    if rescaling == "dropped" and share < 1e-3:
        return
    expected = expected_sum(row, share, rescaling)
    np.testing.assert_allclose(enumerated_sum(row, share, rescaling), expected, atol=1e-9)


@settings(deadline=None)
@given(rows, shares)
def test_the_right_factor_keeps_the_sum_on_average(row, share):
    np.testing.assert_allclose(expected_sum(row, share), row.sum(), atol=1e-12)


def test_the_wrong_factor_is_seen_at_a_fifth_and_hides_at_a_half():
    row = WEIGHTS[1]
    np.testing.assert_allclose(expected_sum(row, 0.2, "dropped"), 4)
    np.testing.assert_allclose(expected_sum(row, 0.2, "none"), 0.8)
    assert RESCALINGS["dropped"](0.5) == RESCALINGS["kept"](0.5) == 2


def test_many_draws_come_close_to_what_is_expected():
    kept = kept_cells(WEIGHTS.shape, 0.2, 0, 4000)
    sums = dropped(WEIGHTS, kept, 0.2).sum(axis=-1)
    np.testing.assert_allclose(sums.mean(axis=0), 1, atol=0.03)
    assert sums.std(axis=0).min() > 0.1


def test_a_draw_drops_whole_weights_and_raises_the_rest():
    kept = kept_cells(WEIGHTS.shape, 0.2, 3)[0]
    after = dropped(WEIGHTS, kept, 0.2)
    np.testing.assert_allclose(after[kept], WEIGHTS[kept] / 0.8)
    assert not after[~kept].any()


def test_more_draws_begin_with_the_same_ones():
    first, many = (kept_cells((4, 4), 0.2, 7, n) for n in (1, 50))
    np.testing.assert_array_equal(first[0], many[0])


def test_dropping_nothing_changes_nothing():
    kept = kept_cells(WEIGHTS.shape, 0.0, 0)[0]
    assert kept.all()
    np.testing.assert_array_equal(dropped(WEIGHTS, kept, 0.0), WEIGHTS)
    assert expected_sum(WEIGHTS[0], 0.0, "dropped") == np.inf
    assert expected_sum(np.zeros(3), 0.0, "dropped") == 0


@pytest.mark.parametrize("share", [-0.1, 1.0, 1.5, float("nan")])
def test_a_share_outside_0_to_1_is_refused(share):
    with pytest.raises(ValueError, match="share must be at least 0 and below 1"):
        kept_cells((2, 2), share, 0)


def test_too_many_keys_are_not_enumerated():
    with pytest.raises(ValueError, match="at most 16 keys"):
        enumerated_sum(np.ones(17), 0.5)
