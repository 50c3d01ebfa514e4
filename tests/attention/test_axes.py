"""The right axis and the wrong one: sums, averages, and who keeps them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnviz.attention import MASKS, NORMALIZERS, HeadChoices, Projections, attend, attend_heads
from attnviz.attention.axes import shares
from attnviz.attention.normalizers import DISTRIBUTIONS

INPUTS = [[1, 0, 2], [0, 1, 1], [1, 1, 0], [0, 1, 1]]
W = ([[1, 0], [0, 1], [-1, 0]], [[1, 1], [0, 1], [1, 0]], [[1, 0], [-1, 1], [0, 1]])
ONE_HEAD = Projections.split(*W, None, n_heads=1)
SCORES = [[-3, -1, -1, -1], [-2, 0, 1, 0], [4, 2, 3, 2], [-2, 0, 1, 0]]
VALUES = st.floats(-5, 5, width=32)


def head(mask=None, positions="none", **choices):
    trace = attend_heads(INPUTS, ONE_HEAD, HeadChoices(**choices), mask=mask, positions=positions)
    return trace.head(0)


def test_softmax_down_the_wrong_axis_gives_the_sums_worked_by_hand():
    wrong = shares(head(), "query")
    np.testing.assert_array_equal(wrong.sums.round(2), [0.09, 0.31, 3.28, 0.31])
    columns = zip(*SCORES, strict=True)
    raised = [[math.exp(score) for score in column] for column in columns]
    by_hand = [[power / math.fsum(column) for power in column] for column in raised]
    np.testing.assert_allclose(wrong.weights.T, by_hand, rtol=1e-14)
    np.testing.assert_allclose(wrong.sums, np.sum(by_hand, axis=0), rtol=1e-14)


def test_the_right_axis_is_the_head_itself():
    trace = head(mask=MASKS["causal"](4, 4), positions="shaw")
    right = shares(trace, "key")
    np.testing.assert_array_equal(right.weights, trace.weights)
    np.testing.assert_allclose(right.output, trace.output, rtol=1e-14)
    assert right.average.all()


def test_of_the_hero_no_output_is_an_average_of_values_any_more():
    assert shares(head(), "key").average.all()
    assert not shares(head(), "query").average.any()


@pytest.mark.parametrize("name", NORMALIZERS)
@pytest.mark.parametrize("mask", [None, MASKS["causal"](4, 4)])
def test_each_law_keeps_its_sums_along_the_axis_it_goes(name, mask):
    trace = head(mask=mask, normalizer=name)
    wrong = shares(trace, "query")
    if mask is not None:
        assert not wrong.weights[~mask].any()
    if name in DISTRIBUTIONS:
        columns = wrong.weights.sum(axis=0)
        assert (np.isclose(columns, 1) | (columns == 0)).all()
        assert wrong.sums.sum() == pytest.approx(columns.sum())


@pytest.mark.parametrize("name", ["relu", "relu_length", "sigmoid"])
def test_where_each_score_is_judged_alone_the_axis_makes_no_difference(name):
    trace = head(normalizer=name)
    np.testing.assert_array_equal(shares(trace, "query").weights, shares(trace, "key").weights)


@given(
    arrays(np.float64, (5, 3), elements=VALUES),
    arrays(np.float64, (5, 3), elements=VALUES),
    arrays(np.float64, (5, 2), elements=VALUES),
)
def test_along_the_right_axis_every_output_is_an_average(query, key, value):
    trace = attend(query, key, value)
    right = shares(trace, "key")
    assert right.average.all()
    np.testing.assert_allclose(right.sums, 1)
    wrong = shares(trace, "query")
    np.testing.assert_allclose(wrong.weights.sum(axis=0), 1)
    beyond = (wrong.output > value.max(axis=0) + 1e-6) | (wrong.output < value.min(axis=0) - 1e-6)
    assert not (beyond.any(axis=1) & wrong.average).any()


def test_one_token_has_nobody_to_share_with():
    trace = attend([[1.0]], [[2.0]], [[3.0]])
    np.testing.assert_array_equal(shares(trace, "query").sums, [1])
    assert shares(trace, "query").average.all()


def test_a_query_that_sees_nothing_averages_nothing():
    mask = np.ones((4, 4), dtype=bool)
    mask[1] = False
    right = shares(head(mask=mask), "key")
    np.testing.assert_allclose(right.sums, [1, 0, 1, 1])
    np.testing.assert_array_equal(right.average, [True, False, True, True])


def test_an_unknown_axis_is_refused():
    with pytest.raises(ValueError, match='axis must be "key" or "query"'):
        shares(head(), "rows")
