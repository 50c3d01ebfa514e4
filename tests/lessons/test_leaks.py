"""A mask that is no mask: the worked numbers of the example, and what holds for any head."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, NORMALIZERS, HeadChoices, attend
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.lessons.leaks import after_softmax, leaks, renormalized, zero_masked
from attnviz.scene import scene_of
from attnviz.settings import Settings


def hero(**chosen):
    return scene_of(Settings(**chosen)).trace.head(0)


def test_the_causal_rows_are_those_worked_out_by_hand():
    found = leaks(hero(mask="causal"))
    masked = [[1, 0, 0, 0], [0.1192, 0.8808, 0, 0], [0.6652, 0.0900, 0.2447, 0]]
    np.testing.assert_allclose(found.masked[:3], masked, atol=5e-5)
    np.testing.assert_allclose(found.zero[0], [0.0163, 0.3279, 0.3279, 0.3279], atol=5e-5)
    np.testing.assert_allclose(100 * found.leaked[0], 98.4, atol=0.05)
    np.testing.assert_allclose(found.after.sum(axis=1), [0.04, 0.23, 0.92, 1], atol=5e-3)
    np.testing.assert_array_equal(found.masked[3], hero().weights[3])


def test_a_row_that_may_see_nothing_is_given_to_everybody_alike_by_a_score_of_0():
    found = leaks(hero(mask="custom", cells=("1111", "0000", "0110", "1111")))
    np.testing.assert_array_equal(found.masked[1], np.zeros(4))
    np.testing.assert_array_equal(found.after[1], np.zeros(4))
    np.testing.assert_array_equal(found.repaired[1], np.zeros(4))
    np.testing.assert_allclose(found.zero[1], np.full(4, 0.25))
    np.testing.assert_allclose(found.leaked[1], 1)


@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_without_a_mask_all_three_ways_are_the_weights(normalizer):
    head = hero(normalizer=normalizer, positions="alibi", temperature=0.7)
    found = leaks(head)
    for weights in (found.masked, found.zero, found.after):
        np.testing.assert_array_equal(weights, head.weights)
    assert not found.leaked.any()


@pytest.mark.parametrize("normalizer", ["relu", "relu_sum", "relu_length"])
def test_relu_gives_a_score_of_0_nothing(normalizer):
    found = leaks(hero(mask="causal", normalizer=normalizer))
    np.testing.assert_array_equal(found.leaked, np.zeros(4))
    np.testing.assert_array_equal(found.zero, found.masked)


def test_sparsemax_cannot_be_repaired_afterwards():
    assert leaks(hero(mask="causal", normalizer="sparsemax")).difference > 0.1


def random_head(seed: int, normalizer: str, n: int, open_share: float):
    rng = np.random.default_rng(seed)
    mask = rng.random((n, n)) < open_share
    choices = HeadChoices(normalizer=normalizer, temperature=0.8)
    query, key, value = rng.normal(size=(3, n, 2))
    return attend(query, key, value, choices, mask=mask, bias=rng.normal(size=(n, n)))


def heads(*normalizers: str):
    own = st.sampled_from(normalizers or tuple(NORMALIZERS))
    return st.tuples(st.integers(0, 1000), own, st.integers(1, 5), st.sampled_from((0.3, 0.7)))


@settings(deadline=None)
@given(heads("softmax"))
def test_softmax_repaired_afterwards_is_the_mask_before_it(drawn):
    assert leaks(random_head(*drawn)).difference < 1e-12


@settings(deadline=None)
@given(heads())
def test_what_leaks_is_the_weight_of_the_forbidden(drawn):
    head = random_head(*drawn)
    found = leaks(head)
    hidden = ~found.allowed
    np.testing.assert_array_equal(found.allowed, head.mask)
    np.testing.assert_allclose(found.leaked, (zero_masked(head) * hidden).sum(axis=1))
    assert not after_softmax(head)[hidden].any()
    assert not found.repaired[hidden].any()
    if head.choices.normalizer in DISTRIBUTIONS:
        assert (found.leaked <= 1 + 1e-12).all()


@settings(deadline=None)
@given(heads())
def test_a_renormalized_row_adds_up_to_1_or_is_empty(drawn):
    head = random_head(*drawn)
    totals = renormalized(np.abs(head.weights)).sum(axis=1)
    np.testing.assert_allclose(totals[head.weights.any(axis=1)], 1)
    assert not totals[~head.weights.any(axis=1)].any()


@pytest.mark.parametrize("mask", MASKS)
def test_every_mask_of_the_table_can_be_applied_in_three_ways(mask):
    found = leaks(hero(mask=mask, scale="sqrt_d_k"))
    assert found.masked.shape == found.zero.shape == found.after.shape == found.allowed.shape
