"""How much of a head's attention lies where, and how far away."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from attnviz.attention.patterns import previous_share
from attnviz.attention.shares import (
    mean_distance,
    next_share,
    self_share,
    sink_share,
    token_share,
)
from tests.attention.weights import even, heads

SEEDS = st.integers(0, 2**32 - 1)
SMALL = [[1, 0, 0], [0.75, 0.25, 0], [0.1, 0.5, 0.4]]


def test_the_shares_of_a_small_map_are_what_a_hand_adds_up():
    assert next_share(SMALL) == 0
    assert self_share(SMALL) == pytest.approx((1 + 0.25 + 0.4) / 3)
    assert sink_share(SMALL) == pytest.approx((1 + 0.75 + 0.1) / 3)
    assert sink_share(SMALL, skip_first=True) == pytest.approx((0.75 + 0.1) / 2)
    assert token_share(SMALL, [True, False, True]) == pytest.approx((1 + 0.75 + 0.5) / 3)
    assert mean_distance(SMALL) == pytest.approx((0 + 0.75 + 0.7) / 3)


def test_a_head_that_looks_one_ahead_has_all_of_its_attention_there():
    weights = np.eye(5, k=1)
    weights[4, 4] = 1
    assert next_share(weights) == 1
    assert self_share(weights) == 0.2
    assert mean_distance(weights) == 0.8


@given(st.integers(1, 30))
def test_equal_weights_are_a_third_of_the_text_away(n):
    assert mean_distance(even(n)) == pytest.approx((n**2 - 1) / (3 * n))


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(1, 7))
def test_turning_a_text_round_swaps_the_token_before_and_the_one_after(seed, n):
    weights = heads(seed, 2, n)
    turned = weights[:, ::-1, ::-1]
    np.testing.assert_allclose(next_share(turned), previous_share(weights))
    np.testing.assert_allclose(self_share(turned), self_share(weights))
    np.testing.assert_allclose(mean_distance(turned), mean_distance(weights))


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(1, 7), st.integers(1, 7))
def test_the_shares_of_a_set_and_of_the_others_are_all_there_is(seed, n, n_chosen):
    weights, chosen = heads(seed, 2, n), np.arange(n) < n_chosen
    share = np.asarray(token_share(weights, chosen))
    assert ((share >= 0) & (share <= 1 + 1e-12)).all()
    if chosen.all():
        np.testing.assert_allclose(share, 1)
    else:
        np.testing.assert_allclose(share + token_share(weights, ~chosen), 1)
    np.testing.assert_allclose(token_share(weights, np.arange(n) == 0), sink_share(weights))


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(1, 6))
def test_many_heads_are_measured_as_each_by_itself(seed, n):
    weights = heads(seed, 3, n)
    weights[1, 0] = 0
    for measure in (previous_share, next_share, self_share, sink_share, mean_distance):
        alone = [measure(head) for head in weights]
        expected = [np.nan if number is None else number for number in alone]
        np.testing.assert_allclose(measure(weights), expected)


def test_one_token_has_no_neighbour_and_looks_at_itself():
    assert previous_share([[1.0]]) is None
    assert next_share([[1.0]]) is None
    assert sink_share([[1.0]], skip_first=True) is None
    assert self_share([[1.0]]) == sink_share([[1.0]]) == 1
    assert mean_distance([[1.0]]) == 0
    assert np.isnan(next_share(np.ones((2, 1, 1)))).all()


def test_queries_that_see_nothing_are_left_out():
    weights = np.array(SMALL)
    weights[1] = 0
    assert self_share(weights) == pytest.approx((1 + 0.4) / 2)
    assert sink_share(weights, skip_first=True) == pytest.approx(0.1)
    assert mean_distance(weights) == pytest.approx(0.7 / 2)
    assert self_share(np.zeros((3, 3))) is None
    assert mean_distance(np.zeros((3, 3))) is None


def test_of_no_tokens_nothing_is_said():
    assert token_share(SMALL, [False, False, False]) is None


def test_memory_may_have_another_length_where_only_its_tokens_count():
    weights = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]
    assert sink_share(weights) == pytest.approx(0.3)
    assert token_share(weights, [False, True, True]) == pytest.approx(0.7)
    for measure in (next_share, self_share, mean_distance):
        with pytest.raises(ValueError, match="weights must"):
            measure(weights)


def test_patches_are_as_far_apart_as_their_places_in_the_picture():
    weights = heads(5, 2, 7)
    places = [(row, column) for row in range(2) for column in range(3)]
    far = cdist(places, places)
    expected = (weights[:, 1:, 1:] * far).sum(axis=2).mean(axis=1)
    np.testing.assert_allclose(mean_distance(weights, grid=(2, 3)), expected)


def test_a_picture_of_one_row_is_a_text():
    weights = heads(6, 1, 5)[0]
    assert mean_distance(weights, grid=(1, 5)) == pytest.approx(mean_distance(weights))
    assert mean_distance(weights, grid=(5, 1)) == pytest.approx(mean_distance(weights))


def test_equal_weights_on_four_patches_are_two_sides_and_a_diagonal_away():
    assert mean_distance(even(4), grid=(2, 2)) == pytest.approx((1 + 1 + 2**0.5) / 4)


def test_a_grid_with_more_patches_than_tokens_is_refused():
    with pytest.raises(ValueError, match=r"\(2, 3\) patches"):
        mean_distance(even(5), grid=(2, 3))


@pytest.mark.parametrize("tokens", [[True, False], [1, 0, 1], [0, 2]])
def test_a_set_that_is_not_a_boolean_a_key_is_refused(tokens):
    with pytest.raises(ValueError, match="tokens must be 3 Booleans"):
        token_share(SMALL, tokens)


def test_lists_tensors_and_half_precision_are_read_alike():
    weights = heads(7, 2, 5).astype(np.float32)
    expected = mean_distance(weights)
    np.testing.assert_allclose(mean_distance(weights.tolist()), expected, rtol=1e-6)
    np.testing.assert_allclose(mean_distance(torch.tensor(weights)), expected)
    np.testing.assert_allclose(mean_distance(weights.astype(np.float16)), expected, rtol=1e-3)
    assert self_share(torch.eye(3)) == 1
