"""One row of scores under every normalizer, and divided by its sum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import NORMALIZERS
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.lessons.normalized import NAIVE, over_sum, under_each

ROW = np.array([-2.0, 0, 1, 0])
VALUES = np.array([[1.0, 2], [-1, 2], [0, 1], [-1, 2]])

rows = st.lists(st.floats(-20, 20) | st.just(-np.inf), min_size=1, max_size=6).map(np.array)


def test_the_heros_second_row_under_every_normalizer():
    by_name = {one.name: one for one in under_each(ROW, VALUES)}
    assert list(by_name) == [*NORMALIZERS, NAIVE]
    np.testing.assert_allclose(by_name["softmax"].output, [-0.3842, 1.4399], atol=5e-5)
    np.testing.assert_allclose(by_name["softmax"].entropy, 1.075, atol=5e-4)
    np.testing.assert_allclose(by_name["softmax"].effective, 2.93, atol=5e-3)
    np.testing.assert_array_equal(by_name["relu"].weights, [0, 0, 1, 0])
    np.testing.assert_array_equal(by_name[NAIVE].weights, [2, 0, -1, 0])
    np.testing.assert_array_equal(by_name[NAIVE].output, [2, 3])


@settings(deadline=None)
@given(rows)
def test_only_distributions_have_an_entropy(row):
    values = np.arange(2.0 * len(row)).reshape(-1, 2)
    for one in under_each(row, values):
        assert one.shared == (one.name in DISTRIBUTIONS)
        assert np.isnan(one.entropy) == (not one.shared)
        if one.shared:
            assert one.total == pytest.approx(1) or not one.weights.any()
        if one.name != NAIVE:
            np.testing.assert_allclose(one.output, one.weights @ values)


@settings(deadline=None)
@given(rows)
def test_score_over_sum_sums_to_one_or_is_nothing(row):
    found = over_sum(row)
    seen = row[np.isfinite(row)]
    if seen.sum() == 0:
        assert np.isnan(found).all()
    else:
        assert found.sum() == pytest.approx(1, abs=1e-6)
        assert not found[~np.isfinite(row)].any()


def test_parameters_go_to_those_that_take_them():
    given_ = {"alpha": 2.0, "k": 1, "bias": 0.0}
    by_name = {one.name: one for one in under_each(ROW, VALUES, parameters=given_)}
    np.testing.assert_array_equal(by_name["entmax"].weights, by_name["sparsemax"].weights)
    np.testing.assert_array_equal(by_name["topk"].weights, [0, 0, 1, 0])
    np.testing.assert_array_equal(by_name["sigmoid"].weights[1], 0.5)


def test_only_those_that_are_named_are_asked_for_the_limit():
    found = under_each(ROW, VALUES, names=["softmax", "hardmax"], temperature=0)
    assert [one.name for one in found] == ["softmax", "hardmax", NAIVE]
    np.testing.assert_array_equal(found[0].weights, [0, 0, 1, 0])
    with pytest.raises(ValueError, match="temperature"):
        under_each(ROW, VALUES, temperature=0)
